//! Digital wallets: a verifier of `OpenID` for Verifiable Presentations 1.0.
//!
//! A wallet is given a URL, fetches the request from there, signed by this server (RFC 9101), and posts what its holder
//! agrees to, encrypted to a key of that request alone (`direct_post.jwt`). Age verification wallets of the European Union
//! (`av://`) take the request by value and unsigned, and post their answer as it is (`direct_post`). The request is for one credential of
//! several kinds, and for the claim that reveals least. Only one thing is taken from the response: whether the age is
//! reached, or the age itself if that was asked for.
//!
//! Nothing is stored between request and response: nonce, `state` and the decryption key are derived from the request's
//! seed, which the caller seals into the request's URL. The caller must make sure that a request is answered only once.

mod dcql;
mod issuer_metadata;
mod response;
mod sandbox;

pub use response::{UnreadableResponseError, WalletResponse};
pub use sandbox::WalletChoice;

use crate::{
    InvalidSettingError,
    settings::{read_file, read_secret},
};
use aws_lc_rs::hmac;
use base::{Environment, Secret, SignedDuration};
use base64_simd::URL_SAFE_NO_PAD as BASE64URL;
use credentials::{
    jwe::DecryptionKey,
    trust::TrustList,
    vp::{self, RequestObjectSigner},
};
use issuer_metadata::IssuerMetadata;
use media::fetch::Fetcher;
use sandbox::SandboxWallet;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{path::PathBuf, sync::Arc};
use url::Url;

/// Accepted content encryption algorithms of responses.
const CONTENT_ENCRYPTIONS: [&str; 2] = ["A128GCM", "A256GCM"];
/// A warning is logged at start-up if the certificate expires sooner than this.
const CERTIFICATE_EXPIRY_WARNING: SignedDuration = SignedDuration::from_hours(14 * 24);
/// The longest nonce that a wallet may want to see again, characters.
pub const MAX_WALLET_NONCE_BYTES: usize = 512;
/// The scheme of the European Union's age verification wallets, whose requests are not signed.
const UNSIGNED_SCHEME: &str = "av";
/// The scheme of wallets of the high assurance profile (HAIP 1.0), which know verifiers by their certificate alone.
const HAIP_SCHEME: &str = "haip-vp";
/// HMAC 256/256 with a key of ECDH on P-256, as OpenID4VP 1.0 (annex B.2.2) names it.
const DEVICE_MAC_P256: i64 = -65_537;

/// Which verifier is used.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "provider", rename_all = "snake_case", deny_unknown_fields)]
pub enum WalletSettings {
    /// This server as verifier, for real wallets.
    #[serde(rename = "openid4vp")]
    OpenId4Vp(Box<WalletVerifierSettings>),
    /// The same, with a simulated wallet.
    Sandbox {},
}

/// How requests to wallets are made, and which issuers are trusted.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WalletVerifierSettings {
    /// A file with the trust list, which names the accepted issuers.
    pub trust_list: PathBuf,
    /// A file with the certificate of the public host name and its chain to a root, PEM.
    pub certificate_file: PathBuf,
    /// A file with the certificate's private key on P-256: PKCS#8 in PEM.
    pub key_file: PathBuf,
    /// Accepted types of SD-JWT VC (`vct`).
    #[serde(default = "types")]
    pub vct: Vec<String>,
    /// How to open wallets: schemes such as `openid4vp`, or https URLs. The QR code uses the first.
    #[serde(default = "schemes")]
    pub schemes: Vec<String>,
    /// How signed requests name this server. Requests by the scheme `haip-vp` always have `x509_hash`.
    #[serde(default)]
    pub client_id: ClientIdPrefix,
}

/// How a signed request names its verifier.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ClientIdPrefix {
    /// By the host name in its certificate.
    #[default]
    X509SanDns,
    /// By the SHA-256 of its certificate, as HAIP 1.0 wants it.
    X509Hash,
}

/// How a request is made for a kind of wallet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestForm {
    /// Signed and fetched by the wallet.
    Signed(ClientIdPrefix),
    /// Unsigned and contained in the link.
    Unsigned,
}

fn types() -> Vec<String> {
    vec!["urn:eudi:pid:1".to_owned()]
}

fn schemes() -> Vec<String> {
    vec!["openid4vp".to_owned()]
}

/// The question to a wallet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgeQuery {
    /// Whether this age in years is reached; the end user must have reached it.
    Over(u8),
    /// Whether this age in years is reached; the end user must not have reached it.
    Under(u8),
    /// The age itself.
    Age,
}

/// The finding from a wallet's response.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WalletFinding {
    /// Whether the age that was asked about is reached.
    Over {
        /// The age in years.
        years: u8,
        /// Whether it is reached.
        reached: bool,
    },
    /// The age in years.
    Age(u8),
    /// The response does not answer the question.
    Nothing(WalletFailureReason),
    /// The response cannot be checked now. The message is for the log and never contains personal data.
    Unavailable(String),
}

/// Why a wallet's response does not answer the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum WalletFailureReason {
    /// The holder declined.
    Declined,
    /// The wallet has no such credential.
    NoCredential,
    /// The wallet reported another error.
    WalletError,
    /// The credential does not answer the question.
    AgeNotTold,
    /// The credential's issuer is not on the trust list.
    UntrustedIssuer,
    /// It is not valid now, or was presented too long ago.
    CredentialExpired,
    /// Its issuer revoked it.
    CredentialRevoked,
    /// It is malformed, or a signature or digest is wrong.
    NotAccepted,
}

impl WalletFailureReason {
    /// Whether the wallet gave no answer, as opposed to one that was rejected.
    pub const fn is_no_answer(self) -> bool {
        matches!(self, Self::Declined | Self::NoCredential | Self::WalletError | Self::AgeNotTold)
    }
}

/// Makes requests to wallets and verifies their responses.
#[derive(Debug)]
pub struct WalletVerifier {
    environment: Arc<dyn Environment>,
    trusted: TrustList,
    issuer_metadata: IssuerMetadata,
    vct: Vec<String>,
    schemes: Vec<String>,
    /// Who signs requests, and the host that they are signed for.
    signed: Option<(String, RequestObjectSigner)>,
    /// How signed requests name this server.
    client_id: ClientIdPrefix,
    sandbox: Option<SandboxWallet>,
}

/// A request, which is derived entirely from its URL, its seed and the question.
#[derive(Debug)]
pub struct PresentationRequest {
    address: String,
    response_uri: String,
    client_id: String,
    nonce: String,
    state: String,
    key: Arc<DecryptionKey>,
    asked: AgeQuery,
    /// Whether it is signed and fetched by the wallet, or unsigned and contained in the link.
    signed: bool,
    /// Whether the response is encrypted to the key.
    encrypted: bool,
}

impl WalletVerifier {
    /// Reads the files of the settings. `public_url` is the URL of this server.
    pub fn open(
        settings: &WalletSettings,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
        public_url: &str,
    ) -> Result<Self, InvalidSettingError> {
        let verifier = |trusted, vct, schemes, signed, client_id, sandbox| Self {
            environment: environment.clone(),
            trusted,
            issuer_metadata: IssuerMetadata::new(fetcher, environment),
            vct,
            schemes,
            signed,
            client_id,
            sandbox,
        };
        let settings = match settings {
            WalletSettings::OpenId4Vp(settings) => settings,
            WalletSettings::Sandbox {} => {
                let sandbox = SandboxWallet::new(environment);
                let vct = vec![sandbox::SANDBOX_VCT.to_owned()];
                return Ok(verifier(
                    sandbox.trust_list(),
                    vct,
                    Vec::new(),
                    None,
                    ClientIdPrefix::default(),
                    Some(sandbox),
                ));
            }
        };
        if settings.vct.is_empty() {
            return Err(InvalidSettingError::new("vct", "names none"));
        }
        if settings.schemes.is_empty() || !settings.schemes.iter().all(|scheme| is_scheme(scheme)) {
            return Err(InvalidSettingError::new(
                "schemes",
                "is not a list of schemes as openid4vp, or of https addresses",
            ));
        }
        let trusted = read_file("trust_list", &settings.trust_list)?;
        let trusted = TrustList::parse(&trusted)
            .map_err(|error| InvalidSettingError::new("trust_list", error.to_string()))?;
        let host = Url::parse(public_url).ok().and_then(|url| url.domain().map(str::to_owned));
        let host = host.ok_or_else(|| {
            InvalidSettingError::new("certificate_file", "is of no use: server.public_url has no host name")
        })?;
        let chain = read_secret("certificate_file", &settings.certificate_file)?;
        let key = read_secret("key_file", &settings.key_file)?;
        let signer = RequestObjectSigner::open(chain.expose(), key.expose(), &host, environment.now())
            .map_err(|error| {
                let setting =
                    if error == vp::RequestObjectSignerError::Key { "key_file" } else { "certificate_file" };
                InvalidSettingError::new(setting, error.to_string())
            })?;
        let left = signer.until().duration_since(environment.now());
        if left < CERTIFICATE_EXPIRY_WARNING {
            let days = left.as_hours() / 24;
            tracing::warn!(
                days,
                "the certificate that requests to wallets are signed with is about to expire"
            );
        }
        let (vct, schemes) = (settings.vct.clone(), settings.schemes.clone());
        Ok(verifier(trusted, vct, schemes, Some((host, signer)), settings.client_id, None))
    }

    /// Schemes of the wallets that can answer the question, each with the form of its request; the first is also used for
    /// the QR code. Age verification wallets answer only about thresholds, never with an age.
    pub fn schemes(&self, asked: AgeQuery) -> Vec<(&str, RequestForm)> {
        if self.sandbox.is_some() {
            return vec![("sandbox", RequestForm::Unsigned)];
        }
        let form = |scheme: &str| match scheme {
            UNSIGNED_SCHEME => RequestForm::Unsigned,
            HAIP_SCHEME => RequestForm::Signed(ClientIdPrefix::X509Hash),
            _ => RequestForm::Signed(self.client_id),
        };
        let all = self.schemes.iter().map(|scheme| (scheme.as_str(), form(scheme)));
        all.filter(|(_, form)| *form != RequestForm::Unsigned || asked != AgeQuery::Age).collect()
    }

    /// The request that wallets fetch from `address` and answer at `{address}/response`.
    pub fn request(
        &self,
        seed: &Secret<[u8; 32]>,
        address: String,
        form: RequestForm,
        asked: AgeQuery,
    ) -> PresentationRequest {
        let derive = |purpose: &str| {
            let key = hmac::Key::new(hmac::HMAC_SHA256, seed.expose());
            Secret::new(hmac::sign(&key, purpose.as_bytes()).as_ref().to_vec())
        };
        let key = (0..u8::MAX).find_map(|turn| {
            // Nearly every scalar is a valid private key of the curve.
            DecryptionKey::from_scalar(derive(&format!("key {turn}")).expose())
        });
        let response_uri = format!("{address}/response");
        let client_id = match (form, &self.signed) {
            (RequestForm::Signed(ClientIdPrefix::X509SanDns), Some((host, _))) => {
                Some(format!("x509_san_dns:{host}"))
            }
            (RequestForm::Signed(ClientIdPrefix::X509Hash), Some((_, signer))) => {
                Some(format!("x509_hash:{}", signer.certificate_hash()))
            }
            _ => None,
        };
        let signed = client_id.is_some();
        PresentationRequest {
            client_id: client_id.unwrap_or_else(|| format!("redirect_uri:{response_uri}")),
            nonce: BASE64URL.encode_to_string(derive("nonce").expose()),
            state: BASE64URL.encode_to_string(&derive("state").expose()[..16]),
            key: Arc::new(key.expect("one number in 2^32 is not a key")),
            signed,
            // The sandbox's wallet goes the way of those that fetch a signed request.
            encrypted: signed || self.sandbox.is_some(),
            address,
            response_uri,
            asked,
        }
    }

    /// The link that opens a wallet with the request.
    pub fn link(&self, request: &PresentationRequest, scheme: &str) -> String {
        if self.sandbox.is_some() {
            return format!("{}/sandbox", request.address);
        }
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        query.append_pair("client_id", &request.client_id);
        if request.signed {
            query.append_pair("request_uri", &request.address).append_pair("request_uri_method", "post");
        } else if let Value::Object(members) = self.request_claims(request) {
            for (name, value) in members.iter().filter(|(name, _)| *name != "client_id") {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                query.append_pair(name, &text);
            }
        }
        // Wallets decode the query as part of a URL, where a plus sign is not a blank.
        let query = query.finish().replace('+', "%20");
        if scheme.starts_with("https:") {
            format!("{scheme}?{query}")
        } else {
            format!("{scheme}://?{query}")
        }
    }

    /// The signed request object; `None` if the request is unsigned. `wallet_nonce` is the wallet's own nonce, if it
    /// sent one.
    pub fn request_object(
        &self,
        request: &PresentationRequest,
        wallet_nonce: Option<&str>,
    ) -> Option<String> {
        let (_, signer) = self.signed.as_ref().filter(|_| request.signed)?;
        let mut members = self.request_claims(request);
        members["aud"] = json!("https://self-issued.me/v2");
        members["iat"] = json!(self.environment.now().as_second());
        if let Some(nonce) = wallet_nonce {
            members["wallet_nonce"] = json!(nonce);
        }
        Some(signer.sign(&members))
    }

    fn request_claims(&self, request: &PresentationRequest) -> Value {
        let jose = ["ES256", "ES384", "EdDSA"];
        let cose = [-7, -9, -35];
        let mut device = cose.to_vec();
        // A MAC needs a key of this request.
        device.extend(request.encrypted.then_some(DEVICE_MAC_P256));
        let mut metadata = json!({
            "vp_formats_supported": {
                "mso_mdoc": { "issuerauth_alg_values": cose, "deviceauth_alg_values": device },
            },
        });
        if request.encrypted {
            metadata["vp_formats_supported"]["dc+sd-jwt"] =
                json!({ "sd-jwt_alg_values": jose, "kb-jwt_alg_values": jose });
            metadata["jwks"] = json!({ "keys": [request.key.jwk("ECDH-ES")] });
            metadata["encrypted_response_enc_values_supported"] = json!(CONTENT_ENCRYPTIONS);
        }
        json!({
            "response_type": "vp_token",
            "response_mode": if request.encrypted { "direct_post.jwt" } else { "direct_post" },
            "client_id": request.client_id,
            "response_uri": request.response_uri,
            "nonce": request.nonce,
            "state": request.state,
            "dcql_query": dcql::query(request.asked, &self.vct, request.signed || self.sandbox.is_some()),
            "client_metadata": metadata,
        })
    }

    /// Whether requests go to a simulated wallet ([`WalletSettings::Sandbox`]).
    pub fn is_simulated(&self) -> bool {
        self.sandbox.is_some()
    }

    /// The response of the simulated wallet; `None` if wallets are real.
    pub fn sandbox_response(&self, request: &PresentationRequest, choice: WalletChoice) -> Option<Vec<u8>> {
        Some(self.sandbox.as_ref()?.response_body(request, choice, &*self.environment))
    }
}

fn is_scheme(text: &str) -> bool {
    let plain = |text: &str| {
        text.starts_with(|first: char| first.is_ascii_lowercase())
            && text
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"+-.".contains(&byte))
    };
    let is_page = |url: Url| url.scheme() == "https" && url.query().is_none() && url.fragment().is_none();
    text != "https" && text != "http" && text != "javascript" && text != "data" && plain(text)
        || Url::parse(text).is_ok_and(is_page)
}

#[cfg(test)]
mod tests;
