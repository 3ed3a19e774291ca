//! A simulated wallet, and the issuer of its credentials. Its responses are processed like all others: an SD-JWT VC
//! with the holder's signature, encrypted to the request's key.

use super::{AgeQuery, PresentationRequest, dcql};
use aws_lc_rs::digest::{SHA256, digest};
use base::Environment;
use base64_simd::URL_SAFE_NO_PAD as BASE64URL;
use credentials::{issue::IssuingKey, jwe, trust::TrustList};
use serde_json::{Value, json};
use std::{fmt, sync::Arc};

pub(super) const SANDBOX_VCT: &str = "urn:assay:sandbox:age";
const SANDBOX_ISSUER: &str = "https://sandbox.invalid";
/// An issuer that is on no trust list.
const UNLISTED_ISSUER: &str = "https://stranger.invalid";
/// Ages of the sandbox's holders, if the age itself is asked for.
const ADULT_AGE_YEARS: u8 = 30;
const MINOR_AGE_YEARS: u8 = 12;

/// What the holder of the sandbox's wallet chooses to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WalletChoice {
    /// Presents that the age is reached.
    Over,
    /// Presents that the age is not reached.
    Under,
    /// Presents a credential that does not contain the age.
    Silent,
    /// Presents a credential of an untrusted issuer.
    Stranger,
    /// Declines.
    Refuse,
}

impl WalletChoice {
    /// Every choice, with its name in requests.
    pub const ALL: [(Self, &'static str); 5] = [
        (Self::Over, "over"),
        (Self::Under, "under"),
        (Self::Silent, "silent"),
        (Self::Stranger, "stranger"),
        (Self::Refuse, "refuse"),
    ];

    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, known)| *known == word).map(|(choice, _)| choice)
    }
}

/// The sandbox's issuer. Each response comes from a new wallet.
pub(super) struct SandboxWallet {
    issuer: IssuingKey,
}

impl fmt::Debug for SandboxWallet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Sandbox")
    }
}

impl SandboxWallet {
    pub(super) fn new(environment: &Arc<dyn Environment>) -> Self {
        Self { issuer: IssuingKey::generate(&**environment) }
    }

    /// A trust list with only the sandbox's issuer.
    pub(super) fn trust_list(&self) -> TrustList {
        let entry = json!({
            "id": SANDBOX_ISSUER, "provider": "SANDBOX", "formats": ["sd-jwt-vc"], "vct": [SANDBOX_VCT], "keys": [self.issuer.jwk()],
        });
        let list = json!({ "issuers": [entry] });
        TrustList::parse(list.to_string().as_bytes()).expect("a list of one issuer")
    }

    /// The form that the wallet posts.
    pub(super) fn response_body(
        &self,
        request: &PresentationRequest,
        choice: WalletChoice,
        environment: &dyn Environment,
    ) -> Vec<u8> {
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        if choice == WalletChoice::Refuse {
            form.append_pair("error", "access_denied").append_pair("state", &request.state);
            return form.finish().into_bytes();
        }
        let presented = self.present(request, choice, environment);
        let answer =
            json!({ "vp_token": { dcql::IDENTITY_CREDENTIAL_ID: [presented] }, "state": request.state });
        let key = request.key.jwk("ECDH-ES");
        let token = jwe::encrypt(answer.to_string().as_bytes(), &key, "A128GCM", environment);
        form.append_pair("response", &token.expect("the request's key is one of P-256"));
        form.finish().into_bytes()
    }

    fn present(
        &self,
        request: &PresentationRequest,
        choice: WalletChoice,
        environment: &dyn Environment,
    ) -> String {
        let now = environment.now().as_second();
        let holder = IssuingKey::generate(environment);
        let stranger = IssuingKey::generate(environment);
        let (id, issuer) = if choice == WalletChoice::Stranger {
            (UNLISTED_ISSUER, &stranger)
        } else {
            (SANDBOX_ISSUER, &self.issuer)
        };
        let (name, value) = age_claim(request.asked, choice);
        let mut salt = [0; 16];
        environment.fill_random(&mut salt);
        let disclosure = json!([BASE64URL.encode_to_string(salt), name, value]).to_string();
        let disclosure = BASE64URL.encode_to_string(disclosure);
        let mut held = holder.jwk();
        if let Some(members) = held.as_object_mut() {
            members.retain(|name, _| matches!(name.as_str(), "kty" | "crv" | "x" | "y"));
        }
        let claims = json!({
            "iss": id, "vct": SANDBOX_VCT, "iat": now, "exp": now + 3600, "cnf": { "jwk": held },
            "_sd_alg": "sha-256", "_sd": [disclosure_digest(&disclosure)],
        });
        let kid = issuer.jwk()["kid"].clone();
        let credential = issuer.sign_jws(&json!({ "alg": "ES256", "typ": "dc+sd-jwt", "kid": kid }), &claims);
        let shown = format!("{credential}~{disclosure}~");
        let binding = json!({
            "iat": now, "aud": request.client_id, "nonce": request.nonce, "sd_hash": disclosure_digest(&shown),
        });
        format!("{shown}{}", holder.sign_jws(&json!({ "alg": "ES256", "typ": "kb+jwt" }), &binding))
    }
}

fn disclosure_digest(text: &str) -> String {
    BASE64URL.encode_to_string(digest(&SHA256, text.as_bytes()))
}

/// Name and value of the credential's claim.
fn age_claim(asked: AgeQuery, choice: WalletChoice) -> (String, Value) {
    let over = choice != WalletChoice::Under;
    match asked {
        _ if choice == WalletChoice::Silent => ("given_name".to_owned(), json!("Alex")),
        AgeQuery::Age => {
            ("age_in_years".to_owned(), json!(if over { ADULT_AGE_YEARS } else { MINOR_AGE_YEARS }))
        }
        AgeQuery::Over(years) | AgeQuery::Under(years) => (format!("age_over_{years}"), json!(over)),
    }
}
