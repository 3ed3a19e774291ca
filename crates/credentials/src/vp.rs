//! Credentials that a wallet presents to a verifier who asked for them (OpenID4VP 1.0, annex B): SD-JWT VC and mobile
//! documents.
//!
//! Unlike a scanned code, such a presentation answers one request: its holder signs the verifier's client id and nonce,
//! and for a mobile document the verifier's encryption key and response address as well. A presentation without the
//! holder's signature is refused whatever the trust list says of its issuer, so a response to one request cannot be
//! used for another.

use crate::cbor;
use crate::error::{ProofVerificationError, UnsupportedProofError};
use crate::jws::base64url;
use crate::mdoc::{Mdoc, ReaderSession};
use crate::sd_jwt::SdJwt;
use crate::trust::TrustList;
use crate::verification::{CredentialFormat, VerificationTerms};

pub use crate::age_attributes::AgeAttributes;
pub use crate::presentation::{PresentationBinding, VerifiedPresentation};
pub use crate::request_object::{RequestObjectSigner, RequestObjectSignerError};

/// Characters of one presentation that are read. Even one with a portrait has fewer.
pub const MAX_PRESENTATION_CHARS: usize = 128 << 10;

/// A parsed presentation; nothing in it is verified yet.
#[derive(Clone, Debug)]
pub struct Presentation(PresentationToken);

#[derive(Clone, Debug)]
enum PresentationToken {
    SdJwt(Box<SdJwt>),
    Mdoc(Mdoc),
}

impl Presentation {
    /// Parses an SD-JWT VC (`dc+sd-jwt`).
    pub fn sd_jwt(text: &str) -> Result<Self, UnsupportedProofError> {
        check_length(text)?;
        SdJwt::parse(text).map(|token| Self(PresentationToken::SdJwt(Box::new(token))))
    }

    /// Parses the `DeviceResponse` of a mobile document (`mso_mdoc`), in base64url, as the response to `request`.
    pub fn mdoc(text: &str, request: &PresentationBinding<'_>) -> Result<Self, UnsupportedProofError> {
        check_length(text)?;
        let bytes = base64url(text)
            .ok_or_else(|| UnsupportedProofError::new("the mobile document is not base64url"))?;
        let response = cbor::decode(&bytes).map_err(|error| {
            UnsupportedProofError::new(format!("the mobile document is CBOR that {error}"))
        })?;
        let session = ReaderSession {
            transcript: request.session_transcript(),
            key: request.mac_key.cloned(),
            made_at: None,
        };
        Mdoc::parse_response(&response, session).map(|mdoc| Self(PresentationToken::Mdoc(mdoc)))
    }

    /// The credential's format.
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

impl TrustList {
    /// Judges a presentation as the response to a request. Left to the caller: looking up
    /// [`VerifiedPresentation::status`], and seeing to it that a request is answered only once.
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
