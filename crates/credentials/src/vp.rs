//! Credentials that a wallet presents to a verifier who asked for them (OpenID4VP 1.0, annex B): SD-JWT VC and mobile
//! documents.
//!
//! Unlike a code that is scanned, such a presentation answers one request: its holder signs the verifier's name and nonce,
//! and in a mobile document the verifier's encryption key and address as well. One without the holder's signature is
//! refused whatever the trust list says of its issuer, so an answer to one request is of no use for another.

use crate::age_claims::{AgeClaims, MAX_AGE_YEARS};
use crate::cbor;
use crate::certificate_chain;
use crate::digest::sha256;
use crate::issue::IssuingKey;
use crate::jws::base64url;
use crate::mdoc::Mdoc;
use crate::proof::{
    CredentialFormat, ProofVerificationError, StatusReference, UnsupportedProofError, VerificationTerms,
};
use crate::sd_jwt::SdJwt;
use crate::trust::{TrustList, TrustedIssuer};
use base::Timestamp;
use ciborium::Value as Cbor;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Characters of one presentation that are read. One with a portrait has fewer.
pub const MAX_PRESENTATION_CHARS: usize = 128 << 10;
/// Certificates of a verifier's chain.
const MAX_SIGNER_CERTIFICATES: usize = 5;

/// A verifier's request, as far as what answers it is bound to it.
#[derive(Clone, Copy, Debug)]
pub struct PresentationBinding<'a> {
    /// The verifier's name with its prefix, as `x509_san_dns:age.example.com`.
    pub client_id: &'a str,
    /// The request's nonce.
    pub nonce: &'a str,
    /// Where the answer is posted.
    pub response_uri: &'a str,
    /// RFC 7638 thumbprint of the key that the answer is encrypted to.
    pub key_thumbprint: [u8; 32],
}

impl PresentationBinding<'_> {
    /// `[null, null, ["OpenID4VPHandover", hash]]` (annex B.2.6.1), which the device of a mobile document signs.
    fn session_transcript(&self) -> Cbor {
        let text = |text: &str| Cbor::Text(text.to_owned());
        let info = Cbor::Array(vec![
            text(self.client_id),
            text(self.nonce),
            Cbor::Bytes(self.key_thumbprint.to_vec()),
            text(self.response_uri),
        ]);
        let hash = sha256(&[&cbor::encode(&info)]).to_vec();
        let handover = Cbor::Array(vec![text("OpenID4VPHandover"), Cbor::Bytes(hash)]);
        Cbor::Array(vec![Cbor::Null, Cbor::Null, handover])
    }
}

/// A presentation taken apart; nothing in it is verified yet.
#[derive(Clone, Debug)]
pub struct Presentation(PresentationToken);

#[derive(Clone, Debug)]
enum PresentationToken {
    SdJwt(Box<SdJwt>),
    Mdoc(Mdoc),
}

impl Presentation {
    /// Reads an SD-JWT VC (`dc+sd-jwt`).
    pub fn sd_jwt(text: &str) -> Result<Self, UnsupportedProofError> {
        check_length(text)?;
        SdJwt::parse(text).map(|token| Self(PresentationToken::SdJwt(Box::new(token))))
    }

    /// Reads the `DeviceResponse` of a mobile document (`mso_mdoc`), in base64url, as an answer to `request`.
    pub fn mdoc(text: &str, request: &PresentationBinding<'_>) -> Result<Self, UnsupportedProofError> {
        check_length(text)?;
        let bytes = base64url(text)
            .ok_or_else(|| UnsupportedProofError::new("the mobile document is not base64url"))?;
        let response = cbor::decode(&bytes).map_err(|error| {
            UnsupportedProofError::new(format!("the mobile document is CBOR that {error}"))
        })?;
        Mdoc::parse_response(&response, request.session_transcript())
            .map(|mdoc| Self(PresentationToken::Mdoc(mdoc)))
    }

    /// What kind of credential it is.
    pub fn format(&self) -> CredentialFormat {
        match self.0 {
            PresentationToken::SdJwt(_) => CredentialFormat::SdJwtVc,
            PresentationToken::Mdoc(_) => CredentialFormat::Mdoc,
        }
    }
}

fn check_length(text: &str) -> Result<(), UnsupportedProofError> {
    if text.len() > MAX_PRESENTATION_CHARS {
        return Err(UnsupportedProofError::new(format!(
            "the presentation has more than {MAX_PRESENTATION_CHARS} characters"
        )));
    }
    Ok(())
}

/// What a credential says of its holder's age. It may hold the birthday, so it prints as nothing.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct AgeAttributes {
    /// Thresholds, years, and whether each is reached; never one that is reached above one that is not.
    pub thresholds: BTreeMap<u8, bool>,
    /// The age, years.
    pub years: Option<u8>,
    /// The birthday: `YYYY-MM-DD`.
    pub birth_date: Option<String>,
}

impl std::fmt::Debug for AgeAttributes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Age(***)")
    }
}

impl AgeAttributes {
    /// What the claims of an SD-JWT VC say: `age_over_NN`, `age_equal_or_over`, `age_in_years`, `birthdate`.
    pub(crate) fn of_json(claims: &Map<String, Value>) -> Result<Self, ProofVerificationError> {
        let born = claims.get("birthdate").or_else(|| claims.get("birth_date"));
        Ok(Self {
            thresholds: AgeClaims::of_json(claims)?.into_consistent()?,
            years: claims.get("age_in_years").map(|age| parse_age_in_years(age.as_i64())).transpose()?,
            birth_date: born.map(|born| parse_birth_date(born.as_str())).transpose()?,
        })
    }

    /// The threshold that decides whether `asked` is reached and lies nearest to it: one that is reached at `asked` or
    /// above, or one that is not, at `asked` or below.
    pub fn deciding_threshold(&self, asked: u8) -> Option<(u8, bool)> {
        let reached = self.thresholds.range(asked..).find(|(_, reached)| **reached);
        let missed = self.thresholds.range(..=asked).rfind(|(_, reached)| !**reached);
        reached.or(missed).map(|(years, reached)| (*years, *reached))
    }
}

/// An age that people have.
pub(crate) fn parse_age_in_years(number: Option<i64>) -> Result<u8, ProofVerificationError> {
    let years = number.and_then(|years| u8::try_from(years).ok()).filter(|years| *years <= MAX_AGE_YEARS);
    years.ok_or_else(|| ProofVerificationError::unsupported("the credential has an age that is none"))
}

/// A day's ten characters; whether there is such a day is for the reader.
pub(crate) fn parse_birth_date(text: Option<&str>) -> Result<String, ProofVerificationError> {
    let is_day =
        |text: &&str| text.len() == 10 && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    let text = text.filter(is_day);
    text.map(str::to_owned)
        .ok_or_else(|| ProofVerificationError::unsupported("the credential has a birthday that is no day"))
}

/// What a presentation states that holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VerifiedPresentation {
    /// The issuer's id in the trust list.
    pub issuer: String,
    /// The credential's type: `vct` of an SD-JWT VC, the document type of a mobile document.
    pub credential_type: String,
    /// What it says of the age.
    pub age: AgeAttributes,
    /// The highest threshold that the issuer is believed for, years.
    pub highest_age_over: Option<u8>,
    /// The status that must be looked up before it is believed.
    pub status: Option<StatusReference>,
}

impl VerifiedPresentation {
    pub(crate) fn of(
        issuer: &TrustedIssuer,
        kind: &str,
        age: AgeAttributes,
        status: Option<StatusReference>,
    ) -> Self {
        let highest = issuer.highest_age_over();
        Self {
            issuer: issuer.id().to_owned(),
            credential_type: kind.to_owned(),
            age,
            highest_age_over: highest,
            status,
        }
    }
}

impl TrustList {
    /// Judges a presentation as the answer to a request. What the list at [`VerifiedPresentation::status`] says, and that a request is
    /// answered once, is left to the caller.
    pub fn verify_presentation(
        &self,
        presentation: &Presentation,
        request: &PresentationBinding<'_>,
        terms: &VerificationTerms,
    ) -> Result<VerifiedPresentation, ProofVerificationError> {
        let format = presentation.format();
        match &presentation.0 {
            PresentationToken::SdJwt(token) => {
                let issuer = match token.issuer() {
                    Some(id) => self.issuer_by_claim(Some(id))?,
                    None => self.issuer_of_chain(&token.token.chain, format, terms.now)?.0,
                };
                issuer.check_in_force(format, terms.now)?;
                token.verify_presentation(issuer, request, terms)
            }
            PresentationToken::Mdoc(mdoc) => {
                let (issuer, key) = self.issuer_of_chain(mdoc.chain()?, format, terms.now)?;
                issuer.check_in_force(format, terms.now)?;
                mdoc.verify_presentation(issuer, &key, terms)
            }
        }
    }
}

/// Why no requests can be signed with a key and its certificates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestObjectSignerError {
    /// The key is no P-256 key in PEM.
    #[error("is no P-256 private key, PKCS#8 in PEM")]
    Key,
    /// The certificates cannot be read.
    #[error("holds no certificates in PEM, or more than {MAX_SIGNER_CERTIFICATES}")]
    Chain,
    /// They are for another host.
    #[error("begins with a certificate that does not name the host of the server's public address")]
    Host,
    /// They are not valid now.
    #[error("begins with a certificate that is not valid now")]
    Time,
    /// They are for another key.
    #[error("begins with a certificate for another key")]
    OtherKey,
}

/// Signs requests in the name of a host (`x509_san_dns`).
#[derive(Debug)]
pub struct RequestObjectSigner {
    key: IssuingKey,
    /// Base64 of DER, the signer's own first.
    chain: Vec<String>,
    until: Timestamp,
}

impl RequestObjectSigner {
    /// Reads a key and the certificates that lead from it to a root that wallets know, the signer's own first and the root
    /// left out. The first must name `host`, and no pattern that it fits, and be valid now.
    pub fn open(
        chain_pem: &str,
        key_pem: &str,
        host: &str,
        now: Timestamp,
    ) -> Result<Self, RequestObjectSignerError> {
        let key = IssuingKey::from_pkcs8_pem(key_pem).map_err(|_| RequestObjectSignerError::Key)?;
        let chain = pem::parse_many(chain_pem).map_err(|_| RequestObjectSignerError::Chain)?;
        let is_certificate = |one: &pem::Pem| one.tag() == "CERTIFICATE";
        if !(1..=MAX_SIGNER_CERTIFICATES).contains(&chain.len()) || !chain.iter().all(is_certificate) {
            return Err(RequestObjectSignerError::Chain);
        }
        let (spki, until) = certificate_chain::host_certificate_key(chain[0].contents(), host, now)?;
        // A `SubjectPublicKeyInfo` of P-256 ends with the point.
        if !spki.ends_with(key.public_key()) {
            return Err(RequestObjectSignerError::OtherKey);
        }
        let chain = chain.iter().map(|one| base64_simd::STANDARD.encode_to_string(one.contents()));
        Ok(Self { key, chain: chain.collect(), until })
    }

    /// Until when its certificate is valid.
    pub fn until(&self) -> Timestamp {
        self.until
    }

    /// A request object (RFC 9101) of these members.
    pub fn sign(&self, members: &Value) -> String {
        let header = json!({ "alg": "ES256", "typ": "oauth-authz-req+jwt", "x5c": self.chain });
        self.key.sign_jws(&header, members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of OpenID4VP 1.0, annex B.2.6.1.
    #[test]
    fn the_transcript_is_that_of_the_standards_example() {
        let thumbprint = "4283ec927ae0f208daaa2d026a814f2b22dca52cf85ffa8f3f8626c6bd669047";
        let request = PresentationBinding {
            client_id: "x509_san_dns:example.com",
            nonce: "exc7gBkxjx1rdc9udRrveKvSsJIq80avlXeLHhGwqtA",
            response_uri: "https://example.com/response",
            key_thumbprint: hex::decode(thumbprint).unwrap().try_into().unwrap(),
        };
        let handover = "048bc053c00442af9b8eed494cefdd9d95240d254b046b11b68013722aad38ac";
        let expected = format!("83f6f682714f70656e494434565048616e646f7665725820{handover}");
        assert_eq!(hex::encode(cbor::encode(&request.session_transcript())), expected);
    }

    #[test]
    fn the_nearest_threshold_that_decides_is_taken() {
        let age = |over: &[(u8, bool)]| AgeAttributes {
            thresholds: over.iter().copied().collect(),
            ..AgeAttributes::default()
        };
        let all = age(&[(14, true), (16, true), (18, true), (21, false), (65, false)]);
        assert_eq!(all.deciding_threshold(15), Some((16, true)));
        assert_eq!(all.deciding_threshold(18), Some((18, true)));
        assert_eq!(all.deciding_threshold(21), Some((21, false)));
        assert_eq!(all.deciding_threshold(66), Some((65, false)));
        assert_eq!(all.deciding_threshold(19), None);
        assert_eq!(age(&[]).deciding_threshold(18), None);
    }

    #[test]
    fn every_wording_of_an_age_is_read_and_nonsense_is_not() {
        let of = |claims: Value| AgeAttributes::of_json(claims.as_object().unwrap());
        let said = of(json!({
            "age_equal_or_over": { "18": true, "_sd": [] }, "age_over_21": false, "age_in_years": 19,
            "birthdate": "2007-02-03", "name": "x",
        }))
        .unwrap();
        assert_eq!(said.thresholds, [(18, true), (21, false)].into());
        assert_eq!((said.years, said.birth_date.as_deref()), (Some(19), Some("2007-02-03")));
        assert_eq!(format!("{said:?}"), "Age(***)");
        for nonsense in [
            json!({ "age_over_18": "yes" }),
            json!({ "age_over_18": false, "age_over_21": true }),
            json!({ "age_in_years": -1 }),
            json!({ "age_in_years": 151 }),
            json!({ "birthdate": "3 May 2007" }),
            json!({ "birthdate": 20_070_203 }),
        ] {
            assert!(of(nonsense.clone()).is_err(), "{nonsense}");
        }
    }
}
