//! Client authentication at a provider, and the calls that need it.

use super::{OidcLoginState, OidcSettings, PROVIDER_LABEL, discovery::DiscoveryMetadata};
use crate::{AgeMethodError, InvalidSettingError, http_client, settings::read_secret};
use base::{Environment, Secret};
use base64_simd::URL_SAFE_NO_PAD as BASE64URL;
use credentials::issue::IssuingKey;
use jsonwebtoken::{Algorithm, EncodingKey, Header, jwk::Jwk};
use media::fetch::{BufferedResponse, FetchRequest, Fetcher, HeaderValue};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{fmt, str::FromStr as _, sync::Arc};
use zeroize::Zeroizing;

const CLIENT_ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
/// Lifetime of client assertions and DPoP proofs.
const ASSERTION_LIFETIME_SECONDS: i64 = 60;

/// Authenticates us as a client of a provider.
#[derive(Debug)]
pub(super) struct ClientAuthenticator {
    id: String,
    issuer: String,
    proof: ClientCredential,
    environment: Arc<dyn Environment>,
}

enum ClientCredential {
    Secret(Secret<String>),
    Key { key: EncodingKey, algorithm: Algorithm, id: String, public: Value },
}

impl fmt::Debug for ClientCredential {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Secret(_) => "Secret(***)",
            Self::Key { .. } => "Key(***)",
        })
    }
}

/// A successful response of the token endpoint.
#[derive(Debug, Deserialize)]
pub(super) struct OidcTokenResponse {
    pub access_token: Secret<String>,
    pub id_token: Secret<String>,
    pub token_type: String,
}

#[derive(Deserialize)]
struct PushedRequestResponse {
    request_uri: String,
}

#[derive(Deserialize)]
struct TokenErrorResponse {
    #[serde(default)]
    error: String,
}

impl ClientAuthenticator {
    pub(super) fn open(
        settings: &OidcSettings,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        let proof = match (&settings.client_secret_file, &settings.key_file) {
            (Some(file), None) => ClientCredential::Secret(read_secret("client_secret_file", file)?),
            (None, Some(file)) => {
                let pem = read_secret("key_file", file)?;
                ClientCredential::read(
                    pem.expose(),
                    settings.key_algorithm.as_deref(),
                    settings.key_id.as_deref(),
                )?
            }
            _ => {
                return Err(InvalidSettingError::new(
                    "client_secret_file",
                    "or key_file must be set, and not both",
                ));
            }
        };
        Ok(Self {
            id: settings.client_id.clone(),
            issuer: settings.issuer.clone(),
            proof,
            environment: environment.clone(),
        })
    }

    /// The public key, if the client authenticates with a key.
    pub(super) fn public_key(&self) -> Option<Value> {
        match &self.proof {
            ClientCredential::Key { public, .. } => Some(public.clone()),
            ClientCredential::Secret(_) => None,
        }
    }

    /// Pushes an authorisation request (RFC 9126); returns its `request_uri`.
    pub(super) async fn push(
        &self,
        fetcher: &Fetcher,
        url: &str,
        asked: &[(&str, &str)],
        proof_key: Option<&DpopKey>,
    ) -> Result<String, AgeMethodError> {
        let answered = self.post(fetcher, url, asked, proof_key).await?;
        if !matches!(answered.status, 200 | 201) {
            return Err(token_endpoint_error("the pushed request", &answered));
        }
        http_client::parse_json::<PushedRequestResponse>(PROVIDER_LABEL, &answered)
            .map(|pushed| pushed.request_uri)
    }

    /// Exchanges an authorisation code for tokens.
    pub(super) async fn redeem(
        &self,
        fetcher: &Fetcher,
        metadata: &DiscoveryMetadata,
        held: &OidcLoginState,
        code: &str,
        proof_key: Option<&DpopKey>,
    ) -> Result<OidcTokenResponse, AgeMethodError> {
        let url = metadata
            .token_endpoint()
            .ok_or_else(|| AgeMethodError::unavailable("the identity provider gives no tokens"))?;
        let form = [
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &held.redirect_uri),
            ("code_verifier", &held.verifier),
        ];
        let answered = self.post(fetcher, url.as_str(), &form, proof_key).await?;
        if answered.status != 200 {
            return Err(token_endpoint_error("the code", &answered));
        }
        let granted: OidcTokenResponse = http_client::parse_json(PROVIDER_LABEL, &answered)?;
        let expected = if proof_key.is_some() { "dpop" } else { "bearer" };
        if granted.token_type.eq_ignore_ascii_case(expected) {
            Ok(granted)
        } else {
            Err(AgeMethodError::unavailable("the identity provider's token is of another kind"))
        }
    }

    async fn post(
        &self,
        fetcher: &Fetcher,
        url: &str,
        form: &[(&str, &str)],
        proof_key: Option<&DpopKey>,
    ) -> Result<BufferedResponse, AgeMethodError> {
        let mut number = None;
        loop {
            // Each call has a new assertion, because one can be used only once.
            let mut call = self.authenticated(form)?;
            if let Some(key) = proof_key {
                key.attach_proof(&mut call, url, None, number.as_deref(), &*self.environment)?;
            }
            let answered = http_client::send(fetcher, PROVIDER_LABEL, url, call).await?;
            match dpop_nonce(&answered).filter(|_| proof_key.is_some() && number.is_none()) {
                Some(wanted) => number = Some(wanted),
                None => return Ok(answered),
            }
        }
    }

    /// A POST request with client authentication.
    fn authenticated(&self, form: &[(&str, &str)]) -> Result<FetchRequest, AgeMethodError> {
        match &self.proof {
            ClientCredential::Secret(secret) => {
                let mut call =
                    http_client::post_call(http_client::form_body(form), http_client::FORM_CONTENT_TYPE);
                http_client::secret_header(
                    &mut call,
                    &http_client::AUTHORIZATION,
                    &http_client::basic_auth(&self.id, secret),
                )?;
                Ok(call)
            }
            ClientCredential::Key { key, algorithm, id, .. } => {
                let assertion = Zeroizing::new(self.assertion(key, *algorithm, id)?);
                let mut pairs = form.to_vec();
                if !pairs.iter().any(|(name, _)| *name == "client_id") {
                    pairs.push(("client_id", &self.id));
                }
                pairs.push(("client_assertion_type", CLIENT_ASSERTION_TYPE));
                pairs.push(("client_assertion", &assertion));
                Ok(http_client::post_call(http_client::form_body(&pairs), http_client::FORM_CONTENT_TYPE))
            }
        }
    }

    /// A client assertion (RFC 7523). Its audience is the issuer, as FAPI 2.0 requires, so that it is valid at all
    /// endpoints of this provider and nowhere else.
    fn assertion(&self, key: &EncodingKey, algorithm: Algorithm, id: &str) -> Result<String, AgeMethodError> {
        let now = self.environment.now().as_second();
        let mut header = Header::new(algorithm);
        header.kid = Some(id.to_owned());
        let claims = json!({
            "iss": self.id, "sub": self.id, "aud": self.issuer, "jti": self.environment.uuid_v4(),
            "iat": now, "nbf": now, "exp": now + ASSERTION_LIFETIME_SECONDS,
        });
        jsonwebtoken::encode(&header, &claims, key)
            .map_err(|_| AgeMethodError::unavailable("the client's key cannot sign"))
    }
}

/// The error for a refusal. `invalid_grant` is about the code, which the person may have brought too late, or twice.
fn token_endpoint_error(what: &str, answered: &BufferedResponse) -> AgeMethodError {
    let error = http_client::parse_json::<TokenErrorResponse>(PROVIDER_LABEL, answered)
        .map(|refusal| refusal.error)
        .unwrap_or_default();
    match error.as_str() {
        "invalid_grant" => AgeMethodError::Inconclusive(format!("{PROVIDER_LABEL} does not take {what}")),
        known
            if (1..=40).contains(&known.len())
                && known.bytes().all(|b| b.is_ascii_lowercase() || b == b'_') =>
        {
            AgeMethodError::Unavailable(format!("{PROVIDER_LABEL} refuses {what}: {known}"))
        }
        _ => AgeMethodError::Unavailable(format!("{PROVIDER_LABEL} refuses {what}: {}", answered.status)),
    }
}

impl ClientCredential {
    fn read(pem: &str, algorithm: Option<&str>, id: Option<&str>) -> Result<Self, InvalidSettingError> {
        let algorithm = algorithm.and_then(|name| Algorithm::from_str(name).ok());
        let bad_key =
            || InvalidSettingError::new("key_file", "holds no private key for key_algorithm, PKCS#8 in PEM");
        let document = pem::parse(pem).ok().filter(|document| document.tag() == "PRIVATE KEY");
        let der = document.map(|document| Zeroizing::new(document.into_contents())).unwrap_or_default();
        let (algorithm, key) = match algorithm {
            Some(algorithm @ (Algorithm::ES256 | Algorithm::ES384)) => {
                (algorithm, EncodingKey::from_ec_der(&der))
            }
            Some(algorithm @ (Algorithm::PS256 | Algorithm::RS256)) => {
                (algorithm, EncodingKey::from_rsa_der(rsa_private_key(&der).ok_or_else(bad_key)?))
            }
            _ => {
                return Err(InvalidSettingError::new(
                    "key_algorithm",
                    "is none of ES256, ES384, PS256 and RS256",
                ));
            }
        };
        let public = Jwk::from_encoding_key(&key, algorithm).map_err(|_| bad_key())?;
        let id = match id {
            Some(id) => id.to_owned(),
            None => public
                .thumbprint(jsonwebtoken::jwk::ThumbprintHash::SHA256)
                .map_err(|_| InvalidSettingError::new("key_file", "holds a key that has no thumbprint"))?,
        };
        let mut public = serde_json::to_value(public)
            .map_err(|_| InvalidSettingError::new("key_file", "cannot be told"))?;
        public["kid"] = json!(id);
        public["use"] = json!("sig");
        // Try the key now, so that a bad one fails at start-up and not in an end user's session.
        jsonwebtoken::encode(&Header::new(algorithm), &json!({}), &key).map_err(|_| bad_key())?;
        Ok(Self::Key { key, algorithm, id, public })
    }
}

/// The `RSAPrivateKey` (RFC 8017) in the PKCS#8 document of a key of at least 2,048 bits, whose lengths all take two
/// bytes.
fn rsa_private_key(der: &[u8]) -> Option<&[u8]> {
    const RSA_PKCS8_HEADER: &[u8] =
        b"\x02\x01\x00\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00\x04\x82";
    der.strip_prefix(b"\x30\x82")?.get(2..)?.strip_prefix(RSA_PKCS8_HEADER)?.get(2..)
}

/// The key to which the tokens of an attempt are bound (DPoP, RFC 9449).
pub(super) struct DpopKey(IssuingKey);

impl DpopKey {
    pub(super) fn generate(environment: &dyn Environment) -> Self {
        Self(IssuingKey::generate(environment))
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        IssuingKey::from_pkcs8_der(bytes).ok().map(Self)
    }

    pub(super) fn to_bytes(&self) -> Secret<Vec<u8>> {
        self.0.to_pkcs8_der()
    }

    /// Adds a DPoP proof to a call, with the nonce that the provider asked for.
    pub(super) fn attach_proof(
        &self,
        call: &mut FetchRequest,
        url: &str,
        access_token: Option<&str>,
        nonce: Option<&str>,
        environment: &dyn Environment,
    ) -> Result<(), AgeMethodError> {
        const UNUSABLE_KEY: &str = "the attempt's key cannot sign";
        let own = self.0.jwk();
        let mut header = Header::new(Algorithm::ES256);
        header.typ = Some("dpop+jwt".to_owned());
        let public = json!({ "kty": "EC", "crv": "P-256", "x": own["x"], "y": own["y"] });
        header.jwk =
            Some(serde_json::from_value(public).map_err(|_| AgeMethodError::unavailable(UNUSABLE_KEY))?);
        let now = environment.now().as_second();
        let mut claims = json!({
            "jti": environment.uuid_v4(), "htm": call.method.as_str(), "iat": now, "exp": now + ASSERTION_LIFETIME_SECONDS,
            // The URL without query and fragment.
            "htu": url.split(['?', '#']).next(),
        });
        if let Some(token) = access_token {
            let digest = aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, token.as_bytes());
            claims["ath"] = json!(BASE64URL.encode_to_string(digest));
        }
        if let Some(nonce) = nonce {
            claims["nonce"] = json!(nonce);
        }
        let key = EncodingKey::from_ec_der(self.0.to_pkcs8_der().expose());
        let proof = jsonwebtoken::encode(&header, &claims, &key)
            .map_err(|_| AgeMethodError::unavailable(UNUSABLE_KEY))?;
        call.headers.insert(
            "dpop",
            HeaderValue::from_str(&proof).map_err(|_| AgeMethodError::unavailable(UNUSABLE_KEY))?,
        );
        Ok(())
    }
}

/// The nonce that the provider wants in the next proof, if it refused the call for lack of one (RFC 9449, section 8).
pub(super) fn dpop_nonce(answered: &BufferedResponse) -> Option<String> {
    let wanted = answered.headers.get("dpop-nonce").filter(|_| matches!(answered.status, 400 | 401))?;
    wanted.to_str().ok().map(str::to_owned)
}
