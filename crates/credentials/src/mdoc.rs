//! Mobile documents (ISO 18013-5): `IssuerSigned`, `DeviceResponse`, and our profile of a response shown as a QR code.
//!
//! In a QR code there is no reader that could have sent a nonce, so the session transcript that the device signs holds
//! the moment instead, and travels with the response:
//!
//! ```cddl
//! qr-presentation   = [ session-transcript, DeviceResponse ]        ; CBOR in base45 or base64url, zlib or not
//! session-transcript = [ null, null, [ "PoaQrHandover", uint ] ]    ; seconds of the Unix epoch
//! ```
//!
//! The device signs `DeviceAuthentication` over this transcript as ISO 18013-5, 9.1.3 has it, with `deviceSignature`.
//! A response for another session cannot be checked by anyone but its reader, and an `IssuerSigned` alone is a bearer's
//! token: both are refused unless the issuer's entry says `unbound`, and then reported as not bound.
//!
//! Accepted are the document types `eu.europa.ec.av.1` and `org.iso.18013.5.1.mDL`, and `age_over_NN` in the name spaces
//! `eu.europa.ec.av.1` and `org.iso.18013.5.1`. The signer's chain must lead to a listed root, each certificate
//! below it carrying the extended key usage 1.0.18013.5.1.2.

use crate::age_claims::AgeClaims;
use crate::cbor;
use crate::cose::CoseSign1;
use crate::cwt;
use crate::digest::{self, ReplayKeySource, replay_key};
use crate::keys::VerificationKey;
use crate::proof::{
    ProofCheck, ProofFailureReason, ProofVerificationError, StatusReference, UnsupportedProofError,
    VerificationTerms, VerifiedProof,
};
use crate::trust::TrustedIssuer;
use crate::validity::ValidityTimes;
use crate::vp::{self, AgeAttributes, VerifiedPresentation};
use aws_lc_rs::digest::{Algorithm, SHA256, SHA384, SHA512};
use base::Timestamp;
use ciborium::Value;
use std::collections::HashSet;

const DOC_TYPES: [&str; 2] = ["eu.europa.ec.av.1", "org.iso.18013.5.1.mDL"];
const NAME_SPACES: [&str; 2] = ["eu.europa.ec.av.1", "org.iso.18013.5.1"];
const QR_HANDOVER: &str = "PoaQrHandover";

/// A response taken apart.
#[derive(Clone, Debug)]
pub(crate) enum Mdoc {
    /// The holder, or the phone, released no document.
    NoDocument,
    Document(Box<MdocDocument>),
}

#[derive(Clone, Debug)]
pub(crate) struct MdocDocument {
    issuer_auth: CoseSign1,
    payload: Vec<u8>,
    mso: Mso,
    items: Vec<IssuerSignedItem>,
    device: Option<DeviceSignature>,
}

/// The mobile security object: what the issuer signs.
#[derive(Clone, Debug)]
struct Mso {
    doc_type: String,
    algorithm: &'static Algorithm,
    digests: Value,
    device_key: Option<Value>,
    times: ValidityTimes,
    status: Result<Option<StatusReference>, ()>,
}

/// One released element, and its encoding, which the issuer's digest is over.
#[derive(Clone, Debug)]
struct IssuerSignedItem {
    name_space: String,
    digest_id: i64,
    name: String,
    value: Value,
    encoded: Vec<u8>,
}

/// The device's signature over a session transcript.
#[derive(Clone, Debug)]
struct DeviceSignature {
    signature: CoseSign1,
    /// `DeviceAuthenticationBytes`.
    authentication: Vec<u8>,
    /// When it was made, where the transcript is that of our QR profile.
    made_at: Option<i64>,
}

fn bad(problem: &str) -> UnsupportedProofError {
    UnsupportedProofError::new(format!("the mobile document {problem}"))
}

impl Mdoc {
    /// Takes apart an `IssuerSigned`, a `DeviceResponse`, or one with our session transcript before it.
    pub(crate) fn parse(value: Value) -> Result<Self, UnsupportedProofError> {
        let (transcript, value) = match value {
            Value::Array(parts) => {
                let [transcript, response] = <[Value; 2]>::try_from(parts).map_err(|_| bad("is none"))?;
                let made = handover_time(&transcript)
                    .ok_or_else(|| bad("is signed for a session that is not of the QR profile"))?;
                (Some((transcript, Some(made))), response)
            }
            value => (None, value),
        };
        Self::of(transcript, &value)
    }

    /// Takes apart a `DeviceResponse` that answers a request: its device must have signed for this session transcript.
    pub(crate) fn parse_response(response: &Value, transcript: Value) -> Result<Self, UnsupportedProofError> {
        if response.as_map().is_none_or(|response| cbor::get_name(response, "documents").is_none()) {
            return Ok(Self::NoDocument);
        }
        Self::of(Some((transcript, None)), response)
    }

    fn of(transcript: Option<(Value, Option<i64>)>, value: &Value) -> Result<Self, UnsupportedProofError> {
        let map = value.as_map().ok_or_else(|| bad("is none"))?;
        if cbor::get_name(map, "issuerAuth").is_some() {
            return MdocDocument::parse(map, None, None).map(|shown| Self::Document(Box::new(shown)));
        }
        if cbor::get_name(map, "version")
            .and_then(Value::as_text)
            .is_none_or(|version| !version.starts_with("1."))
        {
            return Err(bad("is no response of version 1"));
        }
        let documents = match cbor::get_name(map, "documents") {
            None => &[][..],
            Some(documents) => documents.as_array().ok_or_else(|| bad("is none"))?,
        };
        match documents {
            [] => Ok(Self::NoDocument),
            [document] => {
                let document = document.as_map().ok_or_else(|| bad("is none"))?;
                let doc_type = cbor::get_name(document, "docType").and_then(Value::as_text);
                let doc_type = doc_type.ok_or_else(|| bad("has no type"))?;
                let signed = cbor::get_name(document, "issuerSigned").and_then(Value::as_map);
                let signed = signed.ok_or_else(|| bad("has nothing signed by its issuer"))?;
                let device = cbor::get_name(document, "deviceSigned").and_then(Value::as_map);
                let device = match (transcript, device) {
                    (Some((transcript, made)), Some(device)) => {
                        Some(DeviceSignature::parse(device, transcript, doc_type, made)?)
                    }
                    (Some(_), None) => return Err(bad("is not signed by its device")),
                    (None, _) => None,
                };
                MdocDocument::parse(signed, Some(doc_type), device)
                    .map(|shown| Self::Document(Box::new(shown)))
            }
            _ => Err(bad("is one of several in the same response")),
        }
    }

    /// The signer's certificates.
    pub(crate) fn chain(&self) -> Result<&[Vec<u8>], ProofVerificationError> {
        match self {
            Self::NoDocument => Err(ProofVerificationError::new(
                ProofFailureReason::UserDidNotConsent,
                "the response releases no document",
            )),
            Self::Document(shown) => Ok(&shown.issuer_auth.chain),
        }
    }

    /// Judges a document whose signer's key is known to be trusted.
    pub(crate) fn verify(
        &self,
        issuer: &TrustedIssuer,
        signer: &VerificationKey,
        terms: &VerificationTerms,
    ) -> Result<VerifiedProof, ProofVerificationError> {
        match self {
            Self::NoDocument => Err(ProofVerificationError::new(
                ProofFailureReason::UserDidNotConsent,
                "the response releases no document",
            )),
            Self::Document(shown) => shown.verify(issuer, signer, terms),
        }
    }

    /// The same as an answer to a request.
    pub(crate) fn verify_presentation(
        &self,
        issuer: &TrustedIssuer,
        signer: &VerificationKey,
        terms: &VerificationTerms,
    ) -> Result<VerifiedPresentation, ProofVerificationError> {
        match self {
            Self::NoDocument => Err(ProofVerificationError::new(
                ProofFailureReason::UserDidNotConsent,
                "the response releases no document",
            )),
            Self::Document(shown) => shown.verify_presentation(issuer, signer, terms),
        }
    }
}

impl MdocDocument {
    fn parse(
        signed: &[(Value, Value)],
        doc_type: Option<&str>,
        device: Option<DeviceSignature>,
    ) -> Result<Self, UnsupportedProofError> {
        let auth = cbor::get_name(signed, "issuerAuth")
            .cloned()
            .ok_or_else(|| bad("has nothing signed by its issuer"))?;
        let mut issuer_auth = CoseSign1::parse(auth)
            .map_err(|problem| bad(&format!("has an issuer's signature that {problem}")))?;
        let payload = issuer_auth.payload.take().ok_or_else(|| bad("has no security object"))?;
        let mso = Mso::parse(&payload).ok_or_else(|| bad("has a security object that cannot be read"))?;
        if doc_type.is_some_and(|doc_type| doc_type != mso.doc_type) {
            return Err(bad("is of another type than its issuer signed"));
        }
        if !DOC_TYPES.contains(&mso.doc_type.as_str()) {
            return Err(bad("is of a type that is no proof of age"));
        }
        let mut items = Vec::new();
        let spaces = cbor::get_name(signed, "nameSpaces")
            .map(|spaces| spaces.as_map().ok_or_else(|| bad("is none")))
            .transpose()?;
        for (name_space, elements) in spaces.into_iter().flatten() {
            let (name_space, elements) =
                name_space.as_text().zip(elements.as_array()).ok_or_else(|| bad("is none"))?;
            for element in elements {
                items.push(
                    IssuerSignedItem::parse(name_space, element)
                        .ok_or_else(|| bad("releases an element that cannot be read"))?,
                );
            }
        }
        let mut seen = HashSet::new();
        if !items.iter().all(|item| {
            seen.insert((&item.name_space, item.digest_id.to_string()))
                && seen.insert((&item.name_space, format!("name {}", item.name)))
        }) {
            return Err(bad("releases an element twice"));
        }
        Ok(Self { issuer_auth, payload, mso, items, device })
    }

    /// Whether the signer signed every element that is released, and the document holds now.
    fn verify_issuer(
        &self,
        signer: &VerificationKey,
        terms: &VerificationTerms,
    ) -> Result<(), ProofVerificationError> {
        let message = self.issuer_auth.signed_bytes(&[], &self.payload);
        let alg = self.issuer_auth.alg;
        if !alg.is_some_and(|alg| signer.verifies(alg, &message, &self.issuer_auth.signature)) {
            return Err(ProofVerificationError::unverified(
                "the mobile document's signature is not its certificate's",
            ));
        }
        for item in &self.items {
            let digest = digest::digest_with(self.mso.algorithm, &[&item.encoded]);
            if self.mso.digest(item).is_none_or(|signed| signed != digest) {
                return Err(ProofVerificationError::unverified(
                    "an element of the mobile document is not what its issuer signed",
                ));
            }
        }
        self.mso.times.check_valid_at_scan(terms)
    }

    /// Thresholds among the released elements, and whether each is reached.
    fn ages(&self) -> Result<AgeClaims, ProofVerificationError> {
        let mut ages = AgeClaims::default();
        for item in self.items.iter().filter(|item| NAME_SPACES.contains(&item.name_space.as_str())) {
            if let Some(threshold) = item.name.strip_prefix("age_over_") {
                ages.add(threshold, item.value.as_bool())?;
            }
        }
        Ok(ages)
    }

    fn verify_presentation(
        &self,
        issuer: &TrustedIssuer,
        signer: &VerificationKey,
        terms: &VerificationTerms,
    ) -> Result<VerifiedPresentation, ProofVerificationError> {
        self.verify_issuer(signer, terms)?;
        let device = self.device.as_ref();
        device
            .ok_or_else(|| {
                ProofVerificationError::unverified("the mobile document is not signed by its device")
            })?
            .check(self.mso.device_key.as_ref())?;
        let of = |name: &str| {
            let ours = |item: &&IssuerSignedItem| {
                NAME_SPACES.contains(&item.name_space.as_str()) && item.name == name
            };
            self.items.iter().find(ours).map(|item| &item.value)
        };
        let age = AgeAttributes {
            thresholds: self.ages()?.into_consistent()?,
            years: of("age_in_years").map(|years| vp::parse_age_in_years(cbor::as_i64(years))).transpose()?,
            birth_date: of("birth_date")
                .map(|born| vp::parse_birth_date(parse_full_date(born)))
                .transpose()?,
        };
        let status = issuer.status_to_check(self.mso.status.clone())?;
        Ok(VerifiedPresentation::of(issuer, &self.mso.doc_type, age, status))
    }

    fn verify(
        &self,
        issuer: &TrustedIssuer,
        signer: &VerificationKey,
        terms: &VerificationTerms,
    ) -> Result<VerifiedProof, ProofVerificationError> {
        self.verify_issuer(signer, terms)?;
        let (used, checks): (_, &[_]) = match &self.device {
            Some(device) => {
                device.check(self.mso.device_key.as_ref())?;
                let times = ValidityTimes { iat: device.made_at, ..ValidityTimes::default() };
                times.check_valid_at_scan(terms)?;
                let until = times.check_freshness(terms, issuer.freshness_window(terms))?;
                let shown = digest::sha256(&[&device.authentication, &self.payload]);
                (
                    (replay_key(issuer.id(), ReplayKeySource::Message, &shown), until),
                    &[ProofCheck::Fresh, ProofCheck::HolderBound],
                )
            }
            None if issuer.accepts_unbound() => (
                (
                    replay_key(issuer.id(), ReplayKeySource::Message, &self.payload),
                    self.mso.times.replay_end(terms)?,
                ),
                &[],
            ),
            None => {
                return Err(ProofVerificationError::unverified(
                    "the mobile document is not signed by its device for a QR code (see the QR profile)",
                ));
            }
        };
        let age_over = self.ages()?.highest_reached(issuer.highest_age_over())?;
        let status = issuer.status_to_check(self.mso.status.clone())?;
        Ok(issuer.to_verified_proof(age_over, used, status, checks))
    }
}

impl Mso {
    fn parse(payload: &[u8]) -> Option<Self> {
        let wrapped = cbor::decode(payload).ok()?;
        let mso = cbor::decode(cbor::unwrap_encoded_cbor(&wrapped)?).ok()?;
        let mso = mso.as_map()?;
        if !cbor::get_name(mso, "version")?.as_text()?.starts_with("1.") {
            return None;
        }
        let validity = cbor::get_name(mso, "validityInfo")?.as_map()?;
        let moment = |name| parse_tdate(cbor::get_name(validity, name)?);
        let key = cbor::get_name(mso, "deviceKeyInfo").and_then(Value::as_map);
        Some(Self {
            doc_type: cbor::get_name(mso, "docType")?.as_text()?.to_owned(),
            algorithm: match cbor::get_name(mso, "digestAlgorithm")?.as_text()? {
                "SHA-256" => &SHA256,
                "SHA-384" => &SHA384,
                "SHA-512" => &SHA512,
                _ => return None,
            },
            digests: cbor::get_name(mso, "valueDigests").filter(|digests| digests.is_map())?.clone(),
            device_key: key.and_then(|key| cbor::get_name(key, "deviceKey")).cloned(),
            times: ValidityTimes {
                iat: Some(moment("signed")?),
                nbf: Some(moment("validFrom")?),
                exp: Some(moment("validUntil")?),
            },
            status: cwt::parse_status_reference(cbor::get_name(mso, "status")),
        })
    }

    fn digest(&self, item: &IssuerSignedItem) -> Option<&[u8]> {
        let digests = cbor::get_name(self.digests.as_map()?, &item.name_space)?.as_map()?;
        cbor::get_label(digests, item.digest_id)?.as_bytes().map(Vec::as_slice)
    }
}

impl IssuerSignedItem {
    fn parse(name_space: &str, element: &Value) -> Option<Self> {
        let item = cbor::decode(cbor::unwrap_encoded_cbor(element)?).ok()?;
        let item = item.as_map()?;
        // The salt keeps digests from being guessed; a short one is a fault of the issuer.
        cbor::get_name(item, "random")?.as_bytes().filter(|random| random.len() >= 16)?;
        Some(Self {
            name_space: name_space.to_owned(),
            digest_id: cbor::as_i64(cbor::get_name(item, "digestID")?)?,
            name: cbor::get_name(item, "elementIdentifier")?.as_text()?.to_owned(),
            value: cbor::get_name(item, "elementValue")?.clone(),
            encoded: cbor::encode(element),
        })
    }
}

impl DeviceSignature {
    fn parse(
        signed: &[(Value, Value)],
        transcript: Value,
        doc_type: &str,
        made: Option<i64>,
    ) -> Result<Self, UnsupportedProofError> {
        let name_spaces =
            cbor::get_name(signed, "nameSpaces").filter(|spaces| cbor::unwrap_encoded_cbor(spaces).is_some());
        let name_spaces =
            name_spaces.cloned().ok_or_else(|| bad("has name spaces of its device that cannot be read"))?;
        let auth = cbor::get_name(signed, "deviceAuth").and_then(Value::as_map);
        let signature = auth.and_then(|auth| cbor::get_name(auth, "deviceSignature")).cloned();
        let signature =
            signature.ok_or_else(|| bad("has no signature of its device (a MAC is for one reader alone)"))?;
        let signature = CoseSign1::parse(signature)
            .map_err(|problem| bad(&format!("has a device's signature that {problem}")))?;
        let text = |text: &str| Value::Text(text.to_owned());
        let authentication =
            Value::Array(vec![text("DeviceAuthentication"), transcript, text(doc_type), name_spaces]);
        let authentication = cbor::encode(&cbor::wrap_encoded_cbor(cbor::encode(&authentication)));
        if signature.payload.as_ref().is_some_and(|payload| *payload != authentication) {
            return Err(bad("has a device's signature over something else"));
        }
        Ok(Self { signature, authentication, made_at: made })
    }

    /// Whether the key that the issuer put into the document signed this presentation.
    fn check(&self, key: Option<&Value>) -> Result<(), ProofVerificationError> {
        let key = key.and_then(Value::as_map).and_then(|key| VerificationKey::of_cose(key));
        let key = key.ok_or_else(|| {
            ProofVerificationError::unverified(
                "the mobile document names no device's key that is accepted here",
            )
        })?;
        let message = self.signature.signed_bytes(&[], &self.authentication);
        if self.signature.alg.is_some_and(|alg| key.verifies(alg, &message, &self.signature.signature)) {
            Ok(())
        } else {
            Err(ProofVerificationError::unverified(
                "the presentation is not signed by the mobile document's device",
            ))
        }
    }
}

/// When a presentation of the QR profile was made: its transcript says nothing else.
fn handover_time(transcript: &Value) -> Option<i64> {
    match &transcript.as_array()?[..] {
        [Value::Null, Value::Null, Value::Array(handover)] => match &handover[..] {
            [Value::Text(name), made] if name == QR_HANDOVER => cbor::as_i64(made).filter(|made| *made >= 0),
            _ => None,
        },
        _ => None,
    }
}

/// `full-date`: a day under tag 1004, or the day of a `tdate`.
fn parse_full_date(value: &Value) -> Option<&str> {
    match value {
        Value::Tag(1004, text) => text.as_text(),
        Value::Tag(0, text) => text.as_text().and_then(|text| text.split('T').next()),
        _ => None,
    }
}

/// `tdate`: an RFC 3339 moment under tag 0.
fn parse_tdate(value: &Value) -> Option<i64> {
    let text = match value {
        Value::Tag(0, text) => text.as_text()?,
        _ => return None,
    };
    text.parse::<Timestamp>().ok().map(Timestamp::as_second)
}
