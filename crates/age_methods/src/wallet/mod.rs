//! Digital wallets: a verifier of `OpenID` for Verifiable Presentations 1.0.
//!
//! A wallet is shown an address, fetches the request that it names, signed by this server (RFC 9101), and posts what its
//! holder agrees to, encrypted to a key of that request alone (`direct_post.jwt`). Asked for is one credential of several
//! kinds, and of it the least that tells the age. Of what is posted one thing is taken: whether the age is reached, or which
//! it is where that was asked.
//!
//! Nothing is kept between request and answer: nonce, `state` and the key that answers are encrypted to are made of the
//! request's seed, which the caller seals into the request's address. That a request is answered once is the caller's matter.

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

/// Encryptions of the content that answers may have.
const CONTENT_ENCRYPTIONS: [&str; 2] = ["A128GCM", "A256GCM"];
/// A certificate that is valid for no longer is worth a word at the start.
const CERTIFICATE_EXPIRY_WARNING: SignedDuration = SignedDuration::from_hours(14 * 24);
/// The longest nonce that a wallet may want to see again, characters.
pub const MAX_WALLET_NONCE_BYTES: usize = 512;
/// The scheme of age verification wallets of the European Union, whose requests have no signature.
const UNSIGNED_SCHEME: &str = "av";

/// Who asks wallets, and whose credentials are believed.
#[derive(Clone, Debug, Deserialize)]
#[serde(tag = "provider", rename_all = "snake_case", deny_unknown_fields)]
pub enum WalletSettings {
    /// This server.
    #[serde(rename = "openid4vp")]
    OpenId4Vp(Box<WalletVerifierSettings>),
    /// The same with a wallet of its own.
    Sandbox {},
}

/// How wallets are asked.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WalletVerifierSettings {
    /// A file with the trust list: whose credentials are believed.
    pub trust_list: PathBuf,
    /// A file with the certificate of the host of the server's public address and those that lead to a root, PEM.
    pub certificate_file: PathBuf,
    /// A file with the certificate's key on P-256: PKCS#8 in PEM.
    pub key_file: PathBuf,
    /// The types of SD-JWT VC that are asked for.
    #[serde(default = "types")]
    pub vct: Vec<String>,
    /// How wallets are called: schemes as `openid4vp`, or https addresses. The QR code is for the first.
    #[serde(default = "schemes")]
    pub schemes: Vec<String>,
}

fn types() -> Vec<String> {
    vec!["urn:eudi:pid:1".to_owned()]
}

fn schemes() -> Vec<String> {
    vec!["openid4vp".to_owned()]
}

/// What is to be found out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgeQuery {
    /// Whether this age, years, is reached; shown by reaching it.
    Over(u8),
    /// The same; shown by not reaching it.
    Under(u8),
    /// The age.
    Age,
}

/// What was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WalletFinding {
    /// Whether the age that was asked about is reached.
    Over {
        /// The age, years.
        years: u8,
        /// Whether it is reached.
        reached: bool,
    },
    /// The age, years.
    Age(u8),
    /// Nothing.
    Nothing(WalletFailureReason),
    /// It cannot be found out now. The words go to the log and never hold personal data.
    Unavailable(String),
}

/// Why a wallet's answer says nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum WalletFailureReason {
    /// The holder did not agree.
    Declined,
    /// The wallet has no such credential.
    NoCredential,
    /// The wallet reported something else.
    WalletError,
    /// The credential does not tell it.
    AgeNotTold,
    /// Nobody on the trust list issued the credential.
    UntrustedIssuer,
    /// It is not valid now, or was presented too long ago.
    CredentialExpired,
    /// Its issuer took it back.
    CredentialRevoked,
    /// Something of it does not hold: a signature, a digest, its form.
    NotAccepted,
}

impl WalletFailureReason {
    /// Whether the wallet had nothing to say, unlike one that said what does not hold.
    pub const fn is_no_answer(self) -> bool {
        matches!(self, Self::Declined | Self::NoCredential | Self::WalletError | Self::AgeNotTold)
    }
}

/// Asks wallets.
#[derive(Debug)]
pub struct WalletVerifier {
    world: Arc<dyn Environment>,
    trusted: TrustList,
    issuer_metadata: IssuerMetadata,
    vct: Vec<String>,
    schemes: Vec<String>,
    /// The name that requests are signed in, and what signs them.
    signed: Option<(String, RequestObjectSigner)>,
    sandbox: Option<SandboxWallet>,
}

/// A request: all of it follows from where it is fetched, its seed and what is asked.
#[derive(Debug)]
pub struct PresentationRequest {
    address: String,
    response_uri: String,
    client_id: String,
    nonce: String,
    state: String,
    key: DecryptionKey,
    asked: AgeQuery,
    /// Whether it is signed and fetched, or unsigned and whole in its address.
    signed: bool,
}

impl WalletVerifier {
    /// Reads the settings. `public_url` is where this server is reached.
    pub fn open(
        settings: &WalletSettings,
        fetcher: &Fetcher,
        world: &Arc<dyn Environment>,
        public_url: &str,
    ) -> Result<Self, InvalidSettingError> {
        let verifier = |trusted, vct, schemes, signed, sandbox| Self {
            world: world.clone(),
            trusted,
            issuer_metadata: IssuerMetadata::new(fetcher, world),
            vct,
            schemes,
            signed,
            sandbox,
        };
        let settings = match settings {
            WalletSettings::OpenId4Vp(settings) => settings,
            WalletSettings::Sandbox {} => {
                let sandbox = SandboxWallet::new(world);
                let vct = vec![sandbox::SANDBOX_VCT.to_owned()];
                return Ok(verifier(sandbox.trust_list(), vct, Vec::new(), None, Some(sandbox)));
            }
        };
        if settings.vct.is_empty() {
            return Err(InvalidSettingError::new("vct", "names none"));
        }
        if settings.schemes.is_empty() || !settings.schemes.iter().all(|scheme| is_scheme(scheme)) {
            return Err(InvalidSettingError::new(
                "schemes",
                "is no list of schemes as openid4vp, or of https addresses",
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
        let signer =
            RequestObjectSigner::open(chain.expose(), key.expose(), &host, world.now()).map_err(|error| {
                let setting =
                    if error == vp::RequestObjectSignerError::Key { "key_file" } else { "certificate_file" };
                InvalidSettingError::new(setting, error.to_string())
            })?;
        let left = signer.until().duration_since(world.now());
        if left < CERTIFICATE_EXPIRY_WARNING {
            let days = left.as_hours() / 24;
            tracing::warn!(
                days,
                "the certificate that requests to wallets are signed with is about to expire"
            );
        }
        let signed = Some((format!("x509_san_dns:{host}"), signer));
        Ok(verifier(trusted, settings.vct.clone(), settings.schemes.clone(), signed, None))
    }

    /// How wallets are called that may tell what is asked, each with whether its request is unsigned; the first is also
    /// drawn as a QR code. Age verification wallets tell sides of thresholds, never an age.
    pub fn schemes(&self, asked: AgeQuery) -> Vec<(&str, bool)> {
        if self.sandbox.is_some() {
            return vec![("sandbox", true)];
        }
        let all = self.schemes.iter().map(|scheme| (scheme.as_str(), scheme == UNSIGNED_SCHEME));
        all.filter(|(_, unsigned)| !unsigned || asked != AgeQuery::Age).collect()
    }

    /// The request that is fetched at `address`, and answered at `/response` below it.
    pub fn request(
        &self,
        seed: &Secret<[u8; 32]>,
        address: String,
        unsigned: bool,
        asked: AgeQuery,
    ) -> PresentationRequest {
        let derive = |purpose: &str| {
            let key = hmac::Key::new(hmac::HMAC_SHA256, seed.expose());
            Secret::new(hmac::sign(&key, purpose.as_bytes()).as_ref().to_vec())
        };
        let key = (0..u8::MAX).find_map(|turn| {
            // Nearly every number is a key of the curve.
            DecryptionKey::from_scalar(derive(&format!("key {turn}")).expose())
        });
        let response_uri = format!("{address}/response");
        let signed = self.signed.as_ref().filter(|_| !unsigned);
        PresentationRequest {
            client_id: match signed {
                Some((client_id, _)) => client_id.clone(),
                None => format!("redirect_uri:{response_uri}"),
            },
            nonce: BASE64URL.encode_to_string(derive("nonce").expose()),
            state: BASE64URL.encode_to_string(&derive("state").expose()[..16]),
            key: key.expect("one number in 2^32 is no key"),
            signed: signed.is_some(),
            address,
            response_uri,
            asked,
        }
    }

    /// The address that calls a wallet.
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
        // Wallets read the query as an address's, where a blank is no plus sign.
        let query = query.finish().replace('+', "%20");
        if scheme.starts_with("https:") {
            format!("{scheme}?{query}")
        } else {
            format!("{scheme}://?{query}")
        }
    }

    /// The signed request object; none where the request is unsigned. `wallet_nonce` is what a wallet sent along.
    pub fn request_object(
        &self,
        request: &PresentationRequest,
        wallet_nonce: Option<&str>,
    ) -> Option<String> {
        let (_, signer) = self.signed.as_ref().filter(|_| request.signed)?;
        let mut members = self.request_claims(request);
        members["aud"] = json!("https://self-issued.me/v2");
        members["iat"] = json!(self.world.now().as_second());
        if let Some(nonce) = wallet_nonce {
            members["wallet_nonce"] = json!(nonce);
        }
        Some(signer.sign(&members))
    }

    fn request_claims(&self, request: &PresentationRequest) -> Value {
        let jose = ["ES256", "ES384", "EdDSA"];
        let formats = json!({
            "dc+sd-jwt": { "sd-jwt_alg_values": jose, "kb-jwt_alg_values": jose },
            "mso_mdoc": { "issuerauth_alg_values": [-7, -9, -35], "deviceauth_alg_values": [-7, -9, -35] },
        });
        json!({
            "response_type": "vp_token",
            "response_mode": "direct_post.jwt",
            "client_id": request.client_id,
            "response_uri": request.response_uri,
            "nonce": request.nonce,
            "state": request.state,
            "dcql_query": dcql::query(request.asked, &self.vct, request.signed || self.sandbox.is_some()),
            "client_metadata": {
                "jwks": { "keys": [request.key.jwk("ECDH-ES")] },
                "encrypted_response_enc_values_supported": CONTENT_ENCRYPTIONS,
                "vp_formats_supported": formats,
            },
        })
    }

    /// What the sandbox's wallet posts; none where there is none.
    pub fn sandbox_response(&self, request: &PresentationRequest, choice: WalletChoice) -> Option<Vec<u8>> {
        Some(self.sandbox.as_ref()?.response_body(request, choice, &*self.world))
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
