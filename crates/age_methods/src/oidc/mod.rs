//! `OpenID` Connect, as the relying party: electronic identities of banks and states, and Singpass.
//!
//! The authorisation code flow with PKCE, `state` and `nonce`. The client authenticates with a secret or a key
//! (`private_key_jwt`). If the provider wants it, the request is pushed (RFC 9126), tokens are bound to a key of the
//! attempt (DPoP, RFC 9449) and responses are encrypted. Of the claims only the birthday, or whether an age is reached,
//! is used.

mod claims;
mod client_authentication;
mod discovery;
mod sign_in;
mod token_verification;

pub use claims::AgeOverClaim;
pub use sign_in::{SignInIdentity, SignInProvider, SignInProviderSettings};

use crate::{
    AgeEvidence, AgeMethodError, InvalidSettingError,
    sandbox::SandboxAnswer,
    settings::{callable_url, read_secret},
};
use base::{Environment, Secret};
use base64_simd::URL_SAFE_NO_PAD as BASE64URL;
use client_authentication::{ClientAuthenticator, DpopKey};
use credentials::jwe::DecryptionKey;
use discovery::DiscoveryCache;
use media::fetch::Fetcher;
use openidconnect::{PkceCodeChallenge, PkceCodeVerifier};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, fmt, path::PathBuf, sync::Arc};

type Claims = serde_json::Map<String, serde_json::Value>;

const PROVIDER_LABEL: &str = "the identity provider";
/// Longer parameters of a provider's redirect are ignored.
const MAX_PARAMETER_BYTES: usize = 4096;

/// Fetches the documents of an issuer: succeeds if there are some, they name this issuer, and its keys can be read.
pub async fn check_discovery(
    issuer: &str,
    fetcher: &Fetcher,
    environment: &Arc<dyn Environment>,
) -> Result<(), AgeMethodError> {
    let cache = DiscoveryCache::new(issuer, fetcher, environment)
        .map_err(|error| AgeMethodError::unavailable(error.to_string()))?;
    cache.get().await.map(drop)
}

/// Which identity provider is used.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "provider", rename_all = "snake_case", deny_unknown_fields)]
pub enum IdentityProviderSettings {
    Oidc(Box<OidcSettings>),
    /// No provider: the person is redirected straight back.
    Sandbox {
        /// Display name.
        name: String,
        /// The simulated outcome.
        #[serde(default)]
        outcome: OidcSandboxOutcome,
    },
}

impl IdentityProviderSettings {
    /// Display name.
    pub fn name(&self) -> &str {
        match self {
            Self::Oidc(settings) => &settings.name,
            Self::Sandbox { name, .. } => name,
        }
    }
}

/// The outcome that a sandbox provider simulates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OidcSandboxOutcome {
    /// The age is reached, whichever it is.
    #[default]
    Over,
    /// The age is not reached, whichever it is.
    Under,
    /// The person declines at the provider.
    Declined,
    /// The provider is unavailable.
    Unavailable,
}

/// How to reach a provider, and what to ask it for.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OidcSettings {
    /// Display name.
    pub name: String,
    /// The issuer, exactly as in its discovery document.
    pub issuer: String,
    pub client_id: String,
    /// A file with the client's secret; either this or `key_file`.
    #[serde(default)]
    pub client_secret_file: Option<PathBuf>,
    /// A file with the key that the client authenticates with: PKCS#8 in PEM, EC on P-256 or P-384, or RSA.
    #[serde(default)]
    pub key_file: Option<PathBuf>,
    /// The algorithm of that key: `ES256`, `ES384`, `PS256` or `RS256`.
    #[serde(default)]
    pub key_algorithm: Option<String>,
    /// The id (`kid`) of that key. Default: its thumbprint (RFC 7638).
    #[serde(default)]
    pub key_id: Option<String>,
    /// Files with private keys that decrypt the provider's responses: JSON Web Keys on P-256, P-384 or P-521.
    #[serde(default)]
    pub decryption_key_files: Vec<PathBuf>,
    /// Whether responses must be encrypted.
    #[serde(default, deserialize_with = "base::settings::boolean_or_text")]
    pub encrypted: bool,
    /// Scopes in addition to `openid`.
    #[serde(default)]
    pub scopes: Vec<String>,
    /// Accepted levels of assurance (`acr`); empty accepts any.
    #[serde(default)]
    pub acr_values: Vec<String>,
    /// Further parameters of the request.
    #[serde(default)]
    pub parameters: BTreeMap<String, String>,
    /// Whether the request is pushed (RFC 9126).
    #[serde(default, deserialize_with = "base::settings::boolean_or_text")]
    pub pushed: bool,
    /// Whether tokens are bound to a key of the attempt (RFC 9449).
    #[serde(default, deserialize_with = "base::settings::boolean_or_text")]
    pub dpop: bool,
    /// Where the claims are.
    #[serde(default)]
    pub claims_from: ClaimsSource,
    /// Path of the birthday claim, such as `birthdate` or `person_info.dob.value`.
    #[serde(default = "birthdate")]
    pub birthdate: Option<String>,
    /// Claims that say whether an age is reached.
    #[serde(default)]
    pub over: Vec<AgeOverClaim>,
}

#[expect(clippy::unnecessary_wraps, reason = "it is the default of an optional setting")]
fn birthdate() -> Option<String> {
    Some("birthdate".to_owned())
}

/// Where claims are read from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ClaimsSource {
    /// In the ID token.
    #[default]
    IdToken,
    /// At the provider's userinfo endpoint.
    Userinfo,
}

/// An identity provider, or its sandbox.
#[derive(Debug)]
pub struct IdentityProvider {
    id: String,
    name: String,
    environment: Arc<dyn Environment>,
    which: Backend,
}

#[derive(Debug)]
enum Backend {
    Oidc(Box<OidcClient>),
    Sandbox(OidcSandboxOutcome),
}

#[derive(Debug)]
struct OidcClient {
    settings: OidcSettings,
    fetcher: Fetcher,
    client: ClientAuthenticator,
    directory: DiscoveryCache,
    keys: Vec<DecryptionKey>,
}

/// A login that has started: the redirect, and the state to keep until the person comes back.
pub struct OidcLoginRedirect {
    /// Where to send the person.
    pub url: String,
    /// Pass this to [`IdentityProvider::finish`]. It must be sealed while it is stored.
    pub state: OidcLoginState,
}

/// State of a login while the person is at the provider.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OidcLoginState {
    provider: String,
    redirect_uri: String,
    state: String,
    nonce: String,
    verifier: String,
    /// The attempt's DPoP key, if tokens are bound to one: PKCS#8 in base64url.
    proof_key: Option<String>,
}

impl OidcLoginState {
    /// The provider's name in the configuration.
    pub fn provider(&self) -> &str {
        &self.provider
    }
}

// The URL contains `state` and `nonce`, so it is not printed.
impl fmt::Debug for OidcLoginRedirect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Started({})", self.state.provider)
    }
}

impl fmt::Debug for OidcLoginState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Held({})", self.provider)
    }
}

impl IdentityProvider {
    /// Reads the secret files. `id` is the provider's name in the configuration. The provider is not called yet.
    pub fn open(
        id: &str,
        settings: &IdentityProviderSettings,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        let (name, which) = match settings {
            IdentityProviderSettings::Sandbox { name, outcome } => (name, Backend::Sandbox(*outcome)),
            IdentityProviderSettings::Oidc(settings) => {
                (&settings.name, Backend::Oidc(Box::new(OidcClient::open(settings, fetcher, environment)?)))
            }
        };
        Ok(Self { id: id.to_owned(), name: name.clone(), environment: environment.clone(), which })
    }

    /// Its name in the configuration.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Display name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The client's public keys, which the provider must know, as a JSON Web Key Set; empty in the sandbox.
    pub fn public_keys(&self) -> serde_json::Value {
        let keys = match &self.which {
            Backend::Sandbox(_) => Vec::new(),
            Backend::Oidc(oidc) => {
                let decryption = oidc.keys.iter().map(|key| key.jwk("ECDH-ES+A256KW"));
                oidc.client.public_key().into_iter().chain(decryption).collect()
            }
        };
        serde_json::json!({ "keys": keys })
    }

    /// Whether [`Self::start`] sends the provider a request of this login's own (RFC 9126). The provider's documents are
    /// fetched for all logins together.
    pub fn pushes_requests(&self) -> bool {
        matches!(&self.which, Backend::Oidc(oidc) if oidc.settings.pushed)
    }

    /// Whether [`Self::finish`] asks the provider about what the person brought back: only about a code of this login.
    pub fn brings_code(&self, held: &OidcLoginState, returned: &BTreeMap<String, String>) -> bool {
        returned_code(&self.id, held, returned).is_ok()
    }

    /// Begins an attempt: the person is sent to the provider, and comes back to `redirect_uri`.
    pub async fn start(&self, redirect_uri: &str) -> Result<OidcLoginRedirect, AgeMethodError> {
        let mut held = OidcLoginState::new(&self.id, redirect_uri, &*self.environment);
        let url = match &self.which {
            Backend::Oidc(oidc) => oidc.start(&mut held, &*self.environment).await?,
            Backend::Sandbox(outcome) => {
                let end = match outcome {
                    OidcSandboxOutcome::Declined => ("error", "access_denied"),
                    _ => ("code", "sandbox"),
                };
                let url = url::Url::parse_with_params(redirect_uri, [("state", held.state.as_str()), end]);
                url.map_err(|_| AgeMethodError::unavailable("the return address is not valid"))?.into()
            }
        };
        Ok(OidcLoginRedirect { url, state: held })
    }

    /// Completes a login with the query parameters that the person brought back. `years` is the age in question, for
    /// providers that tell only whether ages are reached.
    pub async fn finish(
        &self,
        held: &OidcLoginState,
        returned: &BTreeMap<String, String>,
        years: u8,
    ) -> Result<AgeEvidence, AgeMethodError> {
        let code = returned_code(&self.id, held, returned)?;
        match &self.which {
            Backend::Oidc(oidc) => {
                oidc.finish(held, code, parameter(returned, "iss"), years, &self.environment).await
            }
            Backend::Sandbox(outcome) => {
                let outcome = match outcome {
                    OidcSandboxOutcome::Over => SandboxAnswer::Over,
                    OidcSandboxOutcome::Under => SandboxAnswer::Under,
                    OidcSandboxOutcome::Declined => SandboxAnswer::Unknown,
                    OidcSandboxOutcome::Unavailable => SandboxAnswer::Unavailable,
                };
                outcome.answer(years, &*self.environment)
            }
        }
    }
}

impl OidcLoginState {
    /// The state of a new attempt.
    fn new(provider: &str, redirect_uri: &str, environment: &dyn Environment) -> Self {
        Self {
            provider: provider.to_owned(),
            redirect_uri: redirect_uri.to_owned(),
            state: random_token(environment),
            nonce: random_token(environment),
            verifier: random_token(environment),
            proof_key: None,
        }
    }
}

/// 256 random bits in base64url: 43 characters, as long as RFC 7636 requires of a code verifier.
fn random_token(environment: &dyn Environment) -> String {
    let mut bytes = [0; 32];
    environment.fill_random(&mut bytes);
    BASE64URL.encode_to_string(bytes)
}

/// A parameter of a provider's redirect, unless it is too long.
fn parameter<'a>(returned: &'a BTreeMap<String, String>, name: &str) -> Option<&'a str> {
    returned.get(name).map(String::as_str).filter(|text| text.len() <= MAX_PARAMETER_BYTES)
}

/// The code that somebody brought back from the provider `id`, if it belongs to this attempt.
fn returned_code<'a>(
    id: &str,
    held: &OidcLoginState,
    returned: &'a BTreeMap<String, String>,
) -> Result<&'a str, AgeMethodError> {
    let is_ours = aws_lc_rs::constant_time::verify_slices_are_equal(
        parameter(returned, "state").unwrap_or_default().as_bytes(),
        held.state.as_bytes(),
    );
    if held.provider != id || is_ours.is_err() {
        return Err(AgeMethodError::inconclusive("what came back belongs to another attempt"));
    }
    if let Some(error) = parameter(returned, "error") {
        return Err(login_error(error));
    }
    parameter(returned, "code")
        .ok_or_else(|| AgeMethodError::unavailable("the identity provider gave no code"))
}

/// What an error at the authorisation endpoint means (RFC 6749, section 4.1.2.1, and `OpenID` Connect's).
fn login_error(error: &str) -> AgeMethodError {
    match error {
        "access_denied" | "user_cancelled" => {
            AgeMethodError::inconclusive("the person said no at the identity provider")
        }
        "login_required" | "interaction_required" | "consent_required" | "account_selection_required" => {
            AgeMethodError::inconclusive("the person did not sign in at the identity provider")
        }
        _ if error.len() <= 40 && error.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') => {
            AgeMethodError::Unavailable(format!("{PROVIDER_LABEL} says {error}"))
        }
        _ => AgeMethodError::unavailable("the identity provider says something unknown"),
    }
}

impl OidcClient {
    fn open(
        settings: &OidcSettings,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        callable_url("issuer", fetcher, &settings.issuer)?;
        if settings.birthdate.is_none() && settings.over.is_empty() {
            return Err(InvalidSettingError::new(
                "birthdate",
                "or over must name a claim, or nothing can be found out",
            ));
        }
        let keys = settings.decryption_key_files.iter().map(|file| {
            let text = read_secret("decryption_key_files", file)?;
            DecryptionKey::from_jwk(text.expose()).ok_or_else(|| {
                InvalidSettingError::new(
                    "decryption_key_files",
                    format!("{} holds no private EC key as a JWK", file.display()),
                )
            })
        });
        let keys = keys.collect::<Result<Vec<_>, _>>()?;
        if settings.encrypted && keys.is_empty() {
            return Err(InvalidSettingError::new(
                "decryption_key_files",
                "names no key, and answers must be encrypted",
            ));
        }
        Ok(Self {
            client: ClientAuthenticator::open(settings, environment)?,
            directory: DiscoveryCache::new(&settings.issuer, fetcher, environment)?,
            settings: settings.clone(),
            fetcher: fetcher.clone(),
            keys,
        })
    }

    async fn start(
        &self,
        held: &mut OidcLoginState,
        environment: &dyn Environment,
    ) -> Result<String, AgeMethodError> {
        let metadata = self.directory.get().await?;
        let verifier = PkceCodeVerifier::new(held.verifier.clone());
        let challenge = PkceCodeChallenge::from_code_verifier_sha256(&verifier);
        let scopes: Vec<_> =
            std::iter::once("openid").chain(self.settings.scopes.iter().map(String::as_str)).collect();
        let scope = scopes.join(" ");
        let acr = self.settings.acr_values.join(" ");
        let mut asked = vec![
            ("response_type", "code"),
            ("client_id", &self.settings.client_id),
            ("redirect_uri", &held.redirect_uri),
            ("scope", &scope),
            ("state", &held.state),
            ("nonce", &held.nonce),
            ("code_challenge", challenge.as_str()),
            ("code_challenge_method", "S256"),
        ];
        if !acr.is_empty() {
            asked.push(("acr_values", &acr));
        }
        asked.extend(self.settings.parameters.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        let proof_key = self.settings.dpop.then(|| DpopKey::generate(environment));
        held.proof_key = proof_key.as_ref().map(|key| BASE64URL.encode_to_string(key.to_bytes().expose()));
        let authorization = metadata.authorization_endpoint().as_str().to_owned();
        let uri;
        if self.settings.pushed {
            let at = metadata.additional_metadata().pushed_authorization_request_endpoint.as_deref();
            let at = at.ok_or_else(|| {
                AgeMethodError::unavailable("the identity provider takes no pushed requests")
            })?;
            uri = self.client.push(&self.fetcher, at, &asked, proof_key.as_ref()).await?;
            asked = vec![("client_id", &self.settings.client_id), ("request_uri", &uri)];
        }
        // The person is sent to this URL, so it must at least pass the checks for outgoing calls.
        let target = self.fetcher.parse_target(&authorization);
        let mut url = target
            .ok()
            .and_then(|target| url::Url::parse(target.as_str()).ok())
            .ok_or_else(|| AgeMethodError::unavailable("the identity provider's address is not valid"))?;
        url.query_pairs_mut().extend_pairs(asked);
        Ok(url.into())
    }

    async fn finish(
        &self,
        held: &OidcLoginState,
        code: &str,
        issuer: Option<&str>,
        years: u8,
        environment: &Arc<dyn Environment>,
    ) -> Result<AgeEvidence, AgeMethodError> {
        let (id_token, claims) = self.redeem(held, code, issuer, environment).await?;
        let found = claims::evaluate_claims(&claims, &self.settings, years, &**environment)?;
        let reference = id_token.get("jti").and_then(serde_json::Value::as_str).map(str::to_owned);
        Ok(AgeEvidence::new(found, reference))
    }

    /// Redeems a code. Returns the claims of the ID token, and those of the source that the settings name.
    async fn redeem(
        &self,
        held: &OidcLoginState,
        code: &str,
        issuer: Option<&str>,
        environment: &Arc<dyn Environment>,
    ) -> Result<(Claims, Claims), AgeMethodError> {
        let mut metadata = self.directory.get().await?;
        // Providers that support it name themselves in the response (RFC 9207), so that one provider's code is never
        // sent to another.
        let must = metadata.additional_metadata().authorization_response_iss_parameter_supported;
        if issuer.map_or(must, |issuer| issuer != self.settings.issuer) {
            return Err(AgeMethodError::inconclusive("what came back belongs to another identity provider"));
        }
        let proof_key = match (&held.proof_key, self.settings.dpop) {
            (Some(text), true) => {
                let bytes = BASE64URL.decode_to_vec(text).ok().map(Secret::new);
                Some(
                    bytes
                        .and_then(|bytes| DpopKey::from_bytes(bytes.expose()))
                        .ok_or_else(|| AgeMethodError::unavailable("the attempt's key cannot be read"))?,
                )
            }
            (None, false) => None,
            _ => return Err(AgeMethodError::unavailable("the settings changed while the person was away")),
        };
        let granted = self.client.redeem(&self.fetcher, &metadata, held, code, proof_key.as_ref()).await?;
        let token = self.decrypt_token(&granted.id_token)?;
        let mut verified =
            token_verification::verify_id_token(&token, &metadata, &self.settings, &held.nonce, environment);
        // Providers rotate their keys: the cached ones may be older than the token.
        if verified.is_err()
            && let Some(newer) = self.directory.refresh(&metadata).await?
        {
            verified =
                token_verification::verify_id_token(&token, &newer, &self.settings, &held.nonce, environment);
            metadata = newer;
        }
        let id_token = verified?;
        let claims = match self.settings.claims_from {
            ClaimsSource::IdToken => id_token.clone(),
            ClaimsSource::Userinfo => {
                self.userinfo(&metadata, &granted, &id_token, proof_key.as_ref(), environment).await?
            }
        };
        Ok((id_token, claims))
    }

    /// Decrypts a token. One that is not encrypted is returned as it is, unless encryption is required.
    fn decrypt_token(&self, text: &Secret<String>) -> Result<Secret<String>, AgeMethodError> {
        if !credentials::jwe::is_jwe(text.expose()) {
            return if self.settings.encrypted {
                Err(AgeMethodError::unavailable(
                    "the identity provider's answer is not encrypted as it must be",
                ))
            } else {
                Ok(text.clone())
            };
        }
        let keys: Vec<_> = self.keys.iter().collect();
        let opened =
            credentials::jwe::decrypt(text.expose(), &keys, crate::http_client::MAX_RESPONSE_BYTES as usize)
                .map_err(|bad| AgeMethodError::Unavailable(format!("{PROVIDER_LABEL}'s answer: {bad}")))?;
        let inner = std::str::from_utf8(opened.payload.expose());
        inner
            .map(|inner| Secret::new(inner.to_owned()))
            .map_err(|_| AgeMethodError::unavailable("the identity provider encrypted no text"))
    }
}
