//! What a wallet posts: an encrypted response, or an error. Sizes are limited before parsing, and a post that cannot be
//! read is distinguished from a readable response that is rejected.

use super::{
    AgeQuery, CONTENT_ENCRYPTIONS, PresentationRequest, WalletFailureReason, WalletFinding, WalletVerifier,
    dcql,
};
use crate::age_on;
use base::SignedDuration;
use credentials::{
    jwe,
    proof::{ProofFailureReason, ProofVerificationError, VerificationTerms},
    status::CredentialStatus,
    vp::{self, Presentation, VerifiedPresentation},
};
use jiff::{civil::Date, tz::TimeZone};
use serde_json::{Map, Value};

/// Larger posts are refused.
const MAX_RESPONSE_BYTES: usize = 256 << 10;
/// Maximum age of a holder's signature; people take their time to compare and confirm.
const MAX_PRESENTATION_AGE: SignedDuration = SignedDuration::from_mins(15);
/// Tolerance for a wallet's clock.
const MAX_CLOCK_SKEW: SignedDuration = SignedDuration::from_secs(60);
/// Error codes are cut to this length.
const MAX_ERROR_CODE_BYTES: usize = 100;
/// Ages outside this range are ignored.
const PLAUSIBLE_AGES_YEARS: std::ops::RangeInclusive<i16> = 0..=130;

/// A parsed response of a wallet.
#[derive(Debug)]
pub enum WalletResponse {
    /// The credential's id in the query, and the presentation; `None` if it cannot be parsed.
    Presented(&'static str, Option<Box<Presentation>>),
    /// No credential.
    Nothing(WalletFailureReason),
}

/// Why a post cannot be read as a response to the request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnreadableResponseError(&'static str);

impl WalletVerifier {
    /// Decrypts and parses the form that a wallet posted.
    pub fn read_response(
        &self,
        request: &PresentationRequest,
        body: &[u8],
    ) -> Result<WalletResponse, UnreadableResponseError> {
        if body.len() > MAX_RESPONSE_BYTES {
            return Err(UnreadableResponseError("it is too long"));
        }
        let (mut response, mut error, mut state, mut token) = (None, None, None, None);
        for (name, value) in url::form_urlencoded::parse(body) {
            let place = match &*name {
                "response" => &mut response,
                "error" => &mut error,
                "state" => &mut state,
                "vp_token" => &mut token,
                _ => continue,
            };
            if place.replace(value).is_some() {
                return Err(UnreadableResponseError("it has a member twice"));
            }
        }
        // Errors may come unencrypted, because a wallet that cannot read the request has no key to encrypt to.
        if let (Some(error), None) = (&error, &response) {
            return match state {
                Some(state) if state != request.state => {
                    Err(UnreadableResponseError("it names another state"))
                }
                _ => Ok(WalletResponse::Nothing(error_reason(error))),
            };
        }
        if !request.encrypted {
            let token = token.ok_or(UnreadableResponseError("it has neither a vp_token nor an error"))?;
            if state.as_deref() != Some(&request.state) {
                return Err(UnreadableResponseError("it names another state"));
            }
            let token: Option<Value> = serde_json::from_str(&token).ok();
            return read_presentation(request, token.as_ref());
        }
        let response = response.ok_or(UnreadableResponseError("it has neither a response nor an error"))?;
        let opened = jwe::decrypt(&response, &[&request.key], MAX_RESPONSE_BYTES).map_err(|_| {
            UnreadableResponseError("the response is not encrypted to the key of this request")
        })?;
        if opened.alg != "ECDH-ES" || !CONTENT_ENCRYPTIONS.contains(&opened.enc.as_str()) {
            return Err(UnreadableResponseError("the response is encrypted in a way that was not asked for"));
        }
        let members: Map<String, Value> = serde_json::from_slice(opened.payload.expose())
            .map_err(|_| UnreadableResponseError("the response is not a JSON object"))?;
        if members.get("state").and_then(Value::as_str) != Some(&request.state) {
            return Err(UnreadableResponseError("the response names another state"));
        }
        if let Some(error) = members.get("error") {
            return Ok(WalletResponse::Nothing(error_reason(error.as_str().unwrap_or_default())));
        }
        read_presentation(request, members.get("vp_token"))
    }

    /// Verifies a response and evaluates what it says about the age.
    pub async fn judge_response(
        &self,
        request: &PresentationRequest,
        posted: WalletResponse,
    ) -> WalletFinding {
        let (kind, presentation) = match posted {
            WalletResponse::Nothing(why) => return WalletFinding::Nothing(why),
            WalletResponse::Presented(_, None) => {
                return WalletFinding::Nothing(WalletFailureReason::NotAccepted);
            }
            WalletResponse::Presented(kind, Some(presentation)) => (kind, presentation),
        };
        let now = self.environment.now();
        let terms = VerificationTerms {
            now,
            scanned_at: now,
            freshness: MAX_PRESENTATION_AGE,
            skew: MAX_CLOCK_SKEW,
            audience: None,
        };
        let bound = request.binding();
        if self.trusted.expires().is_some_and(|expires| expires <= now) {
            return WalletFinding::Unavailable("the trust list has expired".to_owned());
        }
        let mut answer = self.trusted.verify_presentation(&presentation, &bound, &terms);
        for anew in [false, true] {
            let Err(ProofVerificationError { refetch_keys_of: Some(issuer), .. }) = &answer else { break };
            match self.issuer_metadata.with_keys(&self.trusted, issuer, anew).await {
                Ok(Some(trusted)) => answer = trusted.verify_presentation(&presentation, &bound, &terms),
                // The issuer publishes no such key.
                Ok(None) => {}
                Err(failure) => return WalletFinding::Unavailable(failure.to_string()),
            }
        }
        let stated = match answer {
            Ok(stated) => stated,
            Err(failed) => {
                tracing::debug!(
                    error = &failed as &dyn std::error::Error,
                    "a wallet's presentation does not hold"
                );
                return WalletFinding::Nothing(rejection_reason(failed.reason));
            }
        };
        let is_asked = match kind {
            dcql::AGE_CREDENTIAL_ID => stated.credential_type == dcql::AGE_DOCTYPE,
            dcql::LICENCE_CREDENTIAL_ID => stated.credential_type == dcql::MDL_DOCTYPE,
            _ => self.vct.contains(&stated.credential_type),
        };
        if !is_asked {
            return WalletFinding::Nothing(WalletFailureReason::NotAccepted);
        }
        if let Some(place) = &stated.status {
            match self.issuer_metadata.status(&self.trusted, &stated.issuer, place).await {
                Ok(None | Some(CredentialStatus::Valid)) => {}
                Ok(Some(_)) => return WalletFinding::Nothing(WalletFailureReason::CredentialRevoked),
                Err(failure) => return WalletFinding::Unavailable(failure.to_string()),
            }
        }
        evaluate_claims(&stated, request.asked, now.to_zoned(TimeZone::UTC).date())
    }
}

/// The presentation in a `vp_token`, and which credential of the query it is.
fn read_presentation(
    request: &PresentationRequest,
    token: Option<&Value>,
) -> Result<WalletResponse, UnreadableResponseError> {
    let tokens = token.and_then(Value::as_object);
    let tokens = tokens.ok_or(UnreadableResponseError("the response has no vp_token that is an object"))?;
    let known = [dcql::AGE_CREDENTIAL_ID, dcql::IDENTITY_CREDENTIAL_ID, dcql::LICENCE_CREDENTIAL_ID];
    let Some((kind, presented)) = known.iter().find_map(|kind| Some((*kind, tokens.get(*kind)?))) else {
        return Ok(WalletResponse::Nothing(WalletFailureReason::NoCredential));
    };
    let [Value::String(text)] = presented.as_array().map(Vec::as_slice).unwrap_or_default() else {
        return Err(UnreadableResponseError("the response has not one presentation of the credential"));
    };
    let presentation = match kind {
        dcql::IDENTITY_CREDENTIAL_ID => Presentation::sd_jwt(text),
        _ => Presentation::mdoc(text, &request.binding()),
    };
    if let Err(unsupported) = &presentation {
        tracing::debug!(
            error = unsupported as &dyn std::error::Error,
            "a wallet's presentation cannot be read"
        );
    }
    Ok(WalletResponse::Presented(kind, presentation.ok().map(Box::new)))
}

impl PresentationRequest {
    /// What a response must be bound to.
    fn binding(&self) -> vp::PresentationBinding<'_> {
        vp::PresentationBinding {
            client_id: &self.client_id,
            nonce: &self.nonce,
            response_uri: &self.response_uri,
            key_thumbprint: self.encrypted.then(|| self.key.thumbprint()),
            mac_key: Some(&self.key).filter(|_| self.encrypted),
        }
    }
}

/// The meaning of a wallet's error code (OpenID4VP 1.0, section 8.5).
fn error_reason(error: &str) -> WalletFailureReason {
    match error.get(..MAX_ERROR_CODE_BYTES).unwrap_or(error) {
        "access_denied" => WalletFailureReason::Declined,
        "vp_formats_not_supported" => WalletFailureReason::NoCredential,
        word => {
            let plain = word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
            tracing::info!(error = if plain { word } else { "?" }, "a wallet could not answer");
            WalletFailureReason::WalletError
        }
    }
}

fn rejection_reason(reason: ProofFailureReason) -> WalletFailureReason {
    match reason {
        ProofFailureReason::UnknownProvider | ProofFailureReason::ExcludedProvider => {
            WalletFailureReason::UntrustedIssuer
        }
        ProofFailureReason::PresentationExpired => WalletFailureReason::CredentialExpired,
        ProofFailureReason::Revoked => WalletFailureReason::CredentialRevoked,
        ProofFailureReason::UserDidNotConsent => WalletFailureReason::Declined,
        ProofFailureReason::UnableToVerifySignature
        | ProofFailureReason::PresentationAlreadyUsed
        | ProofFailureReason::UnsupportedPayload => WalletFailureReason::NotAccepted,
    }
}

/// What a credential says about the question, up to the highest age that its issuer may attest.
pub(super) fn evaluate_claims(stated: &VerifiedPresentation, asked: AgeQuery, today: Date) -> WalletFinding {
    let untold = WalletFinding::Nothing(WalletFailureReason::AgeNotTold);
    let born = || {
        let born: Date = stated.age.birth_date.as_ref()?.parse().ok()?;
        Some(age_on(born, today))
    };
    let age = stated.age.years.map(i16::from).or_else(born).filter(|age| PLAUSIBLE_AGES_YEARS.contains(age));
    let age = age.and_then(|age| u8::try_from(age).ok());
    let believed = |years: u8| stated.highest_age_over.is_none_or(|highest| years <= highest);
    match asked {
        AgeQuery::Age => match age.filter(|age| believed(*age)) {
            Some(age) => WalletFinding::Age(age),
            None => untold,
        },
        AgeQuery::Over(years) | AgeQuery::Under(years) => {
            let told = stated.age.deciding_threshold(years).map(|(_, is)| is).or(age.map(|age| age >= years));
            // An issuer that may attest ages up to a limit may attest of any age that it is not reached.
            match told {
                Some(is) if !is || believed(years) => WalletFinding::Over { years, reached: is },
                _ => untold,
            }
        }
    }
}
