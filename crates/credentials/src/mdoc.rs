//! Mobile documents (ISO 18013-5): `IssuerSigned`, `DeviceResponse`, and our profile of a response shown as a QR code.
//!
//! Before a QR code is shown, no reader can have sent a nonce. So the session transcript that the device signs holds
//! the time instead, and is sent with the response:
//!
//! ```cddl
//! qr-presentation   = [ session-transcript, DeviceResponse ]        ; CBOR in base45 or base64url, zlib or not
//! session-transcript = [ null, null, [ "PoaQrHandover", uint ] ]    ; seconds since the Unix epoch
//! ```
//!
//! The device signs `DeviceAuthentication` over this transcript (ISO 18013-5, 9.1.3) with `deviceSignature`. A response
//! for another session can be checked only with the transcript of that session and, where the device authenticated it with
//! `deviceMac`, the reader's ephemeral key ([`Mdoc::parse_relayed`]). Without them it is a bearer token, like an
//! `IssuerSigned` alone: both are refused unless the issuer's entry says `unbound`, and then reported as not bound.
//!
//! Accepted are the document types `eu.europa.ec.av.1` and `org.iso.18013.5.1.mDL`, and `age_over_NN` in the name
//! spaces `eu.europa.ec.av.1` and `org.iso.18013.5.1`. The signer's chain must lead to a listed root, and each
//! certificate below the root must have the extended key usage 1.0.18013.5.1.2.

mod device_authentication;
mod security_object;

pub(crate) use self::device_authentication::ReaderSession;
use self::device_authentication::{DeviceAuthentication, handover_time};
use self::security_object::{IssuerSignedItem, Mso};
use crate::age_attributes::{AgeAttributes, parse_age_in_years, parse_birth_date};
use crate::age_claims::AgeClaims;
use crate::cbor;
use crate::certificate_chain::certificate_validity;
use crate::cose::CoseSign1;
use crate::digest::{self, ReplayKeySource, replay_key};
use crate::error::{ProofFailureReason, ProofVerificationError, UnsupportedProofError};
use crate::keys::VerificationKey;
use crate::presentation::VerifiedPresentation;
use crate::trust::TrustedIssuer;
use crate::validity::ValidityTimes;
use crate::verification::{ProofCheck, VerificationTerms, VerifiedProof};
use ciborium::Value;
use std::collections::HashSet;

const DOC_TYPES: [&str; 2] = ["eu.europa.ec.av.1", "org.iso.18013.5.1.mDL"];
const NAME_SPACES: [&str; 2] = ["eu.europa.ec.av.1", "org.iso.18013.5.1"];

/// A parsed response; nothing in it is verified yet.
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
    device: Option<DeviceAuthentication>,
}

fn malformed(problem: &str) -> UnsupportedProofError {
    UnsupportedProofError::new(format!("the mobile document {problem}"))
}

fn no_document() -> ProofVerificationError {
    ProofVerificationError::new(ProofFailureReason::UserDidNotConsent, "the response releases no document")
}

impl Mdoc {
    /// Parses an `IssuerSigned`, a `DeviceResponse`, or a `DeviceResponse` behind the session transcript of our QR
    /// profile.
    pub(crate) fn parse(value: Value) -> Result<Self, UnsupportedProofError> {
        let (session, value) = match value {
            Value::Array(parts) => {
                let [transcript, response] =
                    <[Value; 2]>::try_from(parts).map_err(|_| malformed("is malformed"))?;
                let made_at = handover_time(&transcript)
                    .ok_or_else(|| malformed("is signed for a session that is not of the QR profile"))?;
                (Some(ReaderSession { transcript, key: None, made_at: Some(made_at) }), response)
            }
            value => (None, value),
        };
        Self::of(session, &value)
    }

    /// Parses a `DeviceResponse` that a terminal received, with what it knows of the session.
    pub(crate) fn parse_relayed(
        response: &Value,
        session: ReaderSession,
    ) -> Result<Self, UnsupportedProofError> {
        let made_at = handover_time(&session.transcript);
        Self::parse_response(response, ReaderSession { made_at, ..session })
    }

    /// Parses the `DeviceResponse` to a request. Its device must have signed or authenticated it for this session.
    pub(crate) fn parse_response(
        response: &Value,
        session: ReaderSession,
    ) -> Result<Self, UnsupportedProofError> {
        if response.as_map().is_none_or(|response| cbor::get_name(response, "documents").is_none()) {
            return Ok(Self::NoDocument);
        }
        Self::of(Some(session), response)
    }

    fn of(session: Option<ReaderSession>, value: &Value) -> Result<Self, UnsupportedProofError> {
        let map = value.as_map().ok_or_else(|| malformed("is malformed"))?;
        if cbor::get_name(map, "issuerAuth").is_some() {
            return MdocDocument::parse(map, None, None).map(|document| Self::Document(Box::new(document)));
        }
        if cbor::get_name(map, "version")
            .and_then(Value::as_text)
            .is_none_or(|version| !version.starts_with("1."))
        {
            return Err(malformed("is not a response of version 1"));
        }
        let documents = match cbor::get_name(map, "documents") {
            None => &[][..],
            Some(documents) => documents.as_array().ok_or_else(|| malformed("is malformed"))?,
        };
        match documents {
            [] => Ok(Self::NoDocument),
            [document] => {
                let document = document.as_map().ok_or_else(|| malformed("is malformed"))?;
                let doc_type = cbor::get_name(document, "docType").and_then(Value::as_text);
                let doc_type = doc_type.ok_or_else(|| malformed("has no type"))?;
                let signed = cbor::get_name(document, "issuerSigned").and_then(Value::as_map);
                let signed = signed.ok_or_else(|| malformed("has nothing signed by its issuer"))?;
                let device = cbor::get_name(document, "deviceSigned").and_then(Value::as_map);
                let device = match (session, device) {
                    (Some(session), Some(device)) => {
                        Some(DeviceAuthentication::parse(device, session, doc_type)?)
                    }
                    (Some(_), None) => return Err(malformed("is not signed by its device")),
                    (None, _) => None,
                };
                MdocDocument::parse(signed, Some(doc_type), device)
                    .map(|document| Self::Document(Box::new(document)))
            }
            _ => Err(malformed("is one of several in the same response")),
        }
    }

    /// The signer's certificates, its own first.
    pub(crate) fn chain(&self) -> Result<&[Vec<u8>], ProofVerificationError> {
        match self {
            Self::NoDocument => Err(no_document()),
            Self::Document(document) => Ok(&document.issuer_auth.chain),
        }
    }

    /// Judges a document. `signer` is the key of its certificate, whose chain was verified.
    pub(crate) fn verify(
        &self,
        issuer: &TrustedIssuer,
        signer: &VerificationKey,
        terms: &VerificationTerms,
    ) -> Result<VerifiedProof, ProofVerificationError> {
        match self {
            Self::NoDocument => Err(no_document()),
            Self::Document(document) => document.verify(issuer, signer, terms),
        }
    }

    /// Judges a document as the response to a request.
    pub(crate) fn verify_presentation(
        &self,
        issuer: &TrustedIssuer,
        signer: &VerificationKey,
        terms: &VerificationTerms,
    ) -> Result<VerifiedPresentation, ProofVerificationError> {
        match self {
            Self::NoDocument => Err(no_document()),
            Self::Document(document) => document.verify_presentation(issuer, signer, terms),
        }
    }
}

impl MdocDocument {
    fn parse(
        signed: &[(Value, Value)],
        doc_type: Option<&str>,
        device: Option<DeviceAuthentication>,
    ) -> Result<Self, UnsupportedProofError> {
        let auth = cbor::get_name(signed, "issuerAuth")
            .cloned()
            .ok_or_else(|| malformed("has nothing signed by its issuer"))?;
        let mut issuer_auth = CoseSign1::parse(auth)
            .map_err(|problem| malformed(&format!("has an issuer's signature that {problem}")))?;
        let payload = issuer_auth.payload.take().ok_or_else(|| malformed("has no security object"))?;
        let mso =
            Mso::parse(&payload).ok_or_else(|| malformed("has a security object that cannot be read"))?;
        if doc_type.is_some_and(|doc_type| doc_type != mso.doc_type) {
            return Err(malformed("is of another type than its issuer signed"));
        }
        if !DOC_TYPES.contains(&mso.doc_type.as_str()) {
            return Err(malformed("is of a type that is not a proof of age"));
        }
        let mut items = Vec::new();
        let spaces = cbor::get_name(signed, "nameSpaces")
            .map(|spaces| spaces.as_map().ok_or_else(|| malformed("is malformed")))
            .transpose()?;
        for (name_space, elements) in spaces.into_iter().flatten() {
            let (name_space, elements) =
                name_space.as_text().zip(elements.as_array()).ok_or_else(|| malformed("is malformed"))?;
            for element in elements {
                items.push(
                    IssuerSignedItem::parse(name_space, element)
                        .ok_or_else(|| malformed("releases an element that cannot be read"))?,
                );
            }
        }
        let mut seen = HashSet::new();
        if !items.iter().all(|item| {
            seen.insert((&item.name_space, item.digest_id.to_string()))
                && seen.insert((&item.name_space, format!("name {}", item.name)))
        }) {
            return Err(malformed("releases an element twice"));
        }
        Ok(Self { issuer_auth, payload, mso, items, device })
    }

    /// Checks that the signer signed every released element, when it was certified, and that the document is valid at the
    /// scan.
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
        // ISO 18013-5, 9.3.1: the document is signed within the validity of its signer's certificate.
        let certificate = self.issuer_auth.chain.first().and_then(|leaf| certificate_validity(leaf));
        let is_certified = certificate
            .zip(self.mso.times.iat)
            .is_some_and(|((from, until), signed)| (from.as_second()..=until.as_second()).contains(&signed));
        if !is_certified {
            return Err(ProofVerificationError::unverified(
                "the mobile document is signed at a time when its certificate is not valid",
            ));
        }
        self.mso.times.check_valid_at_scan(terms)
    }

    /// The age thresholds among the released elements.
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
        let element = |name: &str| {
            let is_named = |item: &&IssuerSignedItem| {
                NAME_SPACES.contains(&item.name_space.as_str()) && item.name == name
            };
            self.items.iter().find(is_named).map(|item| &item.value)
        };
        let age = AgeAttributes {
            thresholds: self.ages()?.into_consistent()?,
            years: element("age_in_years")
                .map(|years| parse_age_in_years(cbor::as_i64(years)))
                .transpose()?,
            birth_date: element("birth_date")
                .map(|date| parse_birth_date(parse_full_date(date)))
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
        let (replay, checks): (_, &[_]) = match &self.device {
            // The transcript of a terminal's session says nothing of the time: the presentation counts once, as long as
            // the document is valid.
            Some(device) if device.made_at.is_none() => {
                device.check(self.mso.device_key.as_ref())?;
                let presented = digest::sha256(&[&device.authentication, &self.payload]);
                (
                    (
                        replay_key(issuer.id(), ReplayKeySource::Message, &presented),
                        self.mso.times.replay_end(terms)?,
                    ),
                    &[ProofCheck::HolderBound],
                )
            }
            Some(device) => {
                device.check(self.mso.device_key.as_ref())?;
                let times = ValidityTimes { iat: device.made_at, ..ValidityTimes::default() };
                times.check_valid_at_scan(terms)?;
                let until = times.check_freshness(terms, issuer.freshness_window(terms))?;
                let presented = digest::sha256(&[&device.authentication, &self.payload]);
                (
                    (replay_key(issuer.id(), ReplayKeySource::Message, &presented), until),
                    &[ProofCheck::Fresh, ProofCheck::HolderBound],
                )
            }
            None if issuer.accepts_unbound() => (
                (
                    replay_key(issuer.id(), ReplayKeySource::Message, &self.payload),
                    self.mso.times.copy_end(terms, issuer.freshness_window(terms))?,
                ),
                &[],
            ),
            None => {
                return Err(ProofVerificationError::unverified(
                    "the mobile document is not signed by its device for a QR code (see the QR profile), nor sent with its session",
                ));
            }
        };
        let age_over = self.ages()?.highest_reached(issuer.highest_age_over())?;
        let status = issuer.status_to_check(self.mso.status.clone())?;
        Ok(issuer.to_verified_proof(age_over, replay, status, checks))
    }
}

/// `full-date`: a date under tag 1004, or the date of a `tdate`.
fn parse_full_date(value: &Value) -> Option<&str> {
    match value {
        Value::Tag(1004, text) => text.as_text(),
        Value::Tag(0, text) => text.as_text().and_then(|text| text.split('T').next()),
        _ => None,
    }
}
