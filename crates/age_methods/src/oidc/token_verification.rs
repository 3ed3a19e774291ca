//! Verification of ID tokens and userinfo responses.

use super::{
    OidcClient, OidcSettings, PROVIDER_LABEL,
    client_authentication::{DpopKey, OidcTokenResponse, dpop_nonce},
    discovery::DiscoveryMetadata,
};
use crate::{AgeMethodError, http_client};
use base::{Environment, Secret, Timestamp};
use chrono::{DateTime, Utc};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, jwk::Jwk};
use media::fetch::HeaderValue;
use openidconnect::{
    AdditionalClaims, ClientId, IdToken, IdTokenVerifier, Nonce,
    core::{CoreGenderClaim, CoreJsonWebKey, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm},
};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::{str::FromStr as _, sync::Arc};
use zeroize::Zeroizing;

/// How far the provider's clock may be ahead of ours, in seconds.
const MAX_CLOCK_SKEW_SECONDS: i64 = 60;
/// Maximum age of an ID token, which was issued for the code that was just redeemed.
const MAX_ID_TOKEN_AGE_SECONDS: i64 = 600;

/// Asymmetric algorithms only: none with a shared secret, and not `none`.
const ACCEPTED_ALGORITHMS: [CoreJwsSigningAlgorithm; 5] = [
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
];

/// Claims in addition to the standard ones of `OpenID` Connect.
#[derive(Clone, Debug, Deserialize, Serialize)]
struct ExtraClaims {
    #[serde(flatten)]
    all: Map<String, Value>,
}

impl AdditionalClaims for ExtraClaims {}

type ProviderIdToken =
    IdToken<ExtraClaims, CoreGenderClaim, CoreJweContentEncryptionAlgorithm, CoreJwsSigningAlgorithm>;

/// Verifies that an ID token is from the provider, for us, for this attempt, and fresh; returns its claims.
pub(super) fn verify_id_token(
    token: &Secret<String>,
    metadata: &DiscoveryMetadata,
    settings: &OidcSettings,
    nonce: &str,
    environment: &Arc<dyn Environment>,
) -> Result<Map<String, Value>, AgeMethodError> {
    // The library's messages are left out, because they quote claims, which are personal data.
    let bad = |what: &str| AgeMethodError::Unavailable(format!("{PROVIDER_LABEL}'s ID token {what}"));
    let token = ProviderIdToken::from_str(token.expose()).map_err(|_| bad("cannot be read"))?;
    let clock = environment.clone();
    let now = environment.now();
    let accepted = settings.acr_values.clone();
    let verifier = IdTokenVerifier::<CoreJsonWebKey>::new_public_client(
        ClientId::new(settings.client_id.clone()),
        metadata.issuer().clone(),
        metadata.jwks().clone(),
    )
    .set_allowed_algs(ACCEPTED_ALGORITHMS)
    .set_time_fn(move || to_chrono(clock.now()))
    .set_issue_time_verifier_fn(move |issued| {
        let age = now.as_second() - issued.timestamp();
        if (-MAX_CLOCK_SKEW_SECONDS..=MAX_ID_TOKEN_AGE_SECONDS).contains(&age) {
            Ok(())
        } else {
            Err("is not of now".to_owned())
        }
    })
    .set_auth_context_verifier_fn(move |reached| {
        let is_reached = reached.is_some_and(|acr| accepted.iter().any(|one| one == acr.as_str()));
        if accepted.is_empty() || is_reached { Ok(()) } else { Err("has another level".to_owned()) }
    });
    let claims = token.into_claims(&verifier, &Nonce::new(nonce.to_owned())).map_err(|error| {
        use openidconnect::ClaimsVerificationError as Bad;
        bad(match error {
            // Covers both the expiry and the time of issue.
            Bad::Expired(_) => "is not of now",
            Bad::InvalidAudience(_) => "is for somebody else",
            Bad::InvalidAuthContext(_) => "has another level of assurance",
            Bad::InvalidIssuer(_) => "is somebody else's",
            Bad::InvalidNonce(_) => "is of another attempt",
            Bad::SignatureVerification(_) => "has no signature that counts",
            _ => "does not count",
        })
    })?;
    match serde_json::to_value(claims) {
        Ok(Value::Object(claims)) => Ok(claims),
        _ => Err(bad("cannot be read")),
    }
}

fn to_chrono(now: Timestamp) -> DateTime<Utc> {
    DateTime::from_timestamp_micros(now.as_microsecond()).unwrap_or(DateTime::<Utc>::MAX_UTC)
}

impl OidcClient {
    /// Fetches the userinfo claims of the ID token's subject. A signed response must be from the provider and for us;
    /// an unsigned one is trusted because it came over a connection to the provider.
    pub(super) async fn userinfo(
        &self,
        metadata: &Arc<DiscoveryMetadata>,
        granted: &OidcTokenResponse,
        id_token: &Map<String, Value>,
        proof_key: Option<&DpopKey>,
        environment: &Arc<dyn Environment>,
    ) -> Result<Map<String, Value>, AgeMethodError> {
        let url = metadata
            .userinfo_endpoint()
            .ok_or_else(|| AgeMethodError::unavailable("the identity provider has no userinfo endpoint"))?
            .as_str();
        let kind = if proof_key.is_some() { "DPoP" } else { "Bearer" };
        let word = Zeroizing::new(format!("{kind} {}", granted.access_token.expose()));
        let mut number = None;
        let answered = loop {
            let mut call = http_client::get_call();
            http_client::secret_header(&mut call, &http_client::AUTHORIZATION, &word)?;
            let accepted = HeaderValue::from_static("application/jwt, application/json");
            call.headers.insert("accept", accepted);
            if let Some(key) = proof_key {
                let token = granted.access_token.expose();
                key.attach_proof(&mut call, url, Some(token), number.as_deref(), &**environment)?;
            }
            let answered = http_client::send(&self.fetcher, PROVIDER_LABEL, url, call).await?;
            match dpop_nonce(&answered).filter(|_| proof_key.is_some() && number.is_none()) {
                Some(wanted) => number = Some(wanted),
                None => break answered,
            }
        };
        if answered.status != 200 {
            return Err(http_client::unexpected_status(PROVIDER_LABEL, &answered));
        }
        let content_type = answered.headers.get("content-type").and_then(|value| value.to_str().ok());
        let content_type = content_type.and_then(|text| text.split(';').next()).unwrap_or_default().trim();
        let claims = if content_type.eq_ignore_ascii_case("application/jwt") {
            let text = String::from_utf8(answered.body)
                .map_err(|_| AgeMethodError::unavailable("the identity provider's userinfo is not text"))?;
            let token = self.decrypt_token(&Secret::new(text.trim().to_owned()))?;
            let client_id = &self.settings.client_id;
            let mut verified = verify_signed_userinfo(token.expose(), metadata, client_id);
            // As with ID tokens: the cached keys may be older than the response.
            if verified.is_err()
                && let Some(newer) = self.directory.refresh(metadata).await?
            {
                verified = verify_signed_userinfo(token.expose(), &newer, client_id);
            }
            verified?
        } else if self.settings.encrypted {
            return Err(AgeMethodError::unavailable(
                "the identity provider's answer is not encrypted as it must be",
            ));
        } else {
            http_client::parse_json(PROVIDER_LABEL, &answered)?
        };
        // Otherwise a substituted access token could mix up two people (OpenID Connect Core, section 5.3.2).
        if claims.get("sub").is_none_or(|subject| Some(subject) != id_token.get("sub")) {
            return Err(AgeMethodError::unavailable(
                "the identity provider's userinfo is about somebody else",
            ));
        }
        Ok(claims)
    }
}

/// Verifies that a userinfo token is signed by the provider, for us; returns its claims.
fn verify_signed_userinfo(
    token: &str,
    metadata: &DiscoveryMetadata,
    client_id: &str,
) -> Result<Map<String, Value>, AgeMethodError> {
    let bad = || AgeMethodError::unavailable("the identity provider's userinfo has no signature that counts");
    let header = jsonwebtoken::decode_header(token).map_err(|_| bad())?;
    let known = [Algorithm::ES256, Algorithm::ES384, Algorithm::EdDSA, Algorithm::PS256, Algorithm::RS256];
    if !known.contains(&header.alg) {
        return Err(bad());
    }
    let mut rules = Validation::new(header.alg);
    rules.set_audience(&[client_id]);
    rules.set_issuer(&[metadata.issuer().as_str()]);
    rules.set_required_spec_claims(&["iss", "aud"]);
    // The response was fetched just now and need not expire; besides, the library would use its own clock.
    rules.validate_exp = false;
    let keys = metadata.jwks().keys().iter().filter_map(|key| {
        let jwk: Jwk = serde_json::from_value(serde_json::to_value(key).ok()?).ok()?;
        let is_meant = header.kid.is_none() || header.kid == jwk.common.key_id;
        let fits =
            jwk.common.key_algorithm.is_none_or(|named| named.to_string() == format!("{:?}", header.alg));
        if is_meant && fits { DecodingKey::from_jwk(&jwk).ok() } else { None }
    });
    let claims = keys.take(16).find_map(|key| {
        jsonwebtoken::decode::<Map<String, Value>>(token, &key, &rules).ok().map(|token| token.claims)
    });
    claims.ok_or_else(bad)
}
