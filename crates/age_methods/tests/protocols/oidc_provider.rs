//! `OpenID` Connect with an independent provider, npm's `oidc-provider`. Its packages are locked in `tests/provider`.

use age_methods::{
    AgeAttribute, AgeEvidence, AgeMethodError,
    oidc::{IdentityProvider, OidcLoginState},
};
use aws_lc_rs::{rand::SystemRandom, signature};
use base::{Environment, SystemEnvironment};
use base64_simd::URL_SAFE_NO_PAD;
use credentials::{issue::IssuingKey, jwe::DecryptionKey};
use jiff::civil::date;
use media::fetch::Fetcher;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    io::{BufRead as _, BufReader, Lines, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Stdio},
    sync::Arc,
};
use tempfile::TempDir;
use testkit::{node, stub_server};

const RETURN: &str = "https://age.example.com/age/return";

/// The provider's process, which also plays the browser of the person who signs in.
struct Op {
    node: Child,
    asks: ChildStdin,
    says: Lines<BufReader<ChildStdout>>,
    issuer: String,
    folder: TempDir,
}

impl Drop for Op {
    fn drop(&mut self) {
        let _gone = self.node.kill();
        let _reaped = self.node.wait();
    }
}

impl Op {
    fn start(clients: &Value) -> Self {
        let mut node = node::program("crates/age_methods/tests/provider", "provider.mjs")
            // It warns that its development settings are not for production.
            .stderr(Stdio::null())
            .spawn()
            .expect("node is installed");
        let mut asks = node.stdin.take().unwrap();
        let mut says = BufReader::new(node.stdout.take().unwrap()).lines();
        let run = json!({
            "certificate": stub_server::certificate(), "key": stub_server::private_key(), "redirect": RETURN, "clients": clients,
        });
        writeln!(asks, "{run}").unwrap();
        let issuer = says.next().expect("it starts").unwrap();
        Self { node, asks, says, issuer, folder: tempfile::tempdir().unwrap() }
    }

    fn secret(&self, name: &str, text: &str) -> std::path::PathBuf {
        let file = self.folder.path().join(name);
        std::fs::write(&file, text).unwrap();
        file
    }

    /// Sends the person to a URL; returns the parameters that they bring back.
    fn browse(&mut self, url: &str) -> BTreeMap<String, String> {
        writeln!(self.asks, "{url}").unwrap();
        let end = self.says.next().expect("it still runs").unwrap();
        assert!(end.starts_with(RETURN), "{end}");
        url::Url::parse(&end).unwrap().query_pairs().into_owned().collect()
    }

    /// A client of it, with `more` settings in addition to the usual ones.
    fn open(&self, more: &Value) -> IdentityProvider {
        let mut settings =
            json!({ "provider": "oidc", "name": "Theirs", "issuer": self.issuer, "scopes": ["profile"] });
        settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let fetcher = Fetcher::new(&stub_server::egress_policy()).unwrap();
        let environment: Arc<dyn Environment> = Arc::new(SystemEnvironment);
        IdentityProvider::open("theirs", &serde_json::from_value(settings).unwrap(), &fetcher, &environment)
            .unwrap()
    }

    /// A whole login.
    async fn go(&mut self, provider: &IdentityProvider) -> Result<AgeEvidence, AgeMethodError> {
        let started = provider.start(RETURN).await?;
        let returned = self.browse(&started.url);
        let held: OidcLoginState = serde_json::from_value(json!(started.state)).unwrap();
        provider.finish(&held, &returned, 18).await
    }
}

/// A signing key as an operator makes one, and its public key.
fn signing_key(folder: &Path) -> (std::path::PathBuf, Value) {
    let document = signature::EcdsaKeyPair::generate_pkcs8(
        &signature::ECDSA_P256_SHA256_FIXED_SIGNING,
        &SystemRandom::new(),
    );
    let document = document.unwrap();
    let key = IssuingKey::from_pkcs8_der(document.as_ref()).unwrap();
    let file = folder.join("signing.pem");
    std::fs::write(&file, pem::encode(&pem::Pem::new("PRIVATE KEY", document.as_ref()))).unwrap();
    let jwk = key.jwk();
    let public =
        json!({ "kty": "EC", "crv": "P-256", "x": jwk["x"], "y": jwk["y"], "kid": "sig-1", "use": "sig" });
    (file, public)
}

/// Like Singpass: the client authenticates with a key, requests are pushed, tokens bound, responses encrypted.
#[tokio::test]
async fn a_provider_in_the_form_of_singpass() {
    let keys = tempfile::tempdir().unwrap();
    let (signing, public) = signing_key(keys.path());
    let decryption = DecryptionKey::generate(&SystemEnvironment);
    let encrypts = decryption.jwk("ECDH-ES+A256KW");
    let client = |id: &str, keys: &Value| {
        json!({
            "client_id": id, "jwks": { "keys": keys },
            "token_endpoint_auth_method": "private_key_jwt", "token_endpoint_auth_signing_alg": "ES256",
            "require_pushed_authorization_requests": true, "dpop_bound_access_tokens": true,
            "id_token_signed_response_alg": "ES256", "id_token_encrypted_response_alg": "ECDH-ES+A256KW",
            "id_token_encrypted_response_enc": "A256GCM", "userinfo_signed_response_alg": "ES256",
            "userinfo_encrypted_response_alg": "ECDH-ES+A256KW", "userinfo_encrypted_response_enc": "A256GCM",
        })
    };
    let stranger = DecryptionKey::generate(&SystemEnvironment).jwk("ECDH-ES+A256KW");
    let mut op = Op::start(&json!([
        client("shop", &json!([public, encrypts])),
        client("other", &json!([public, stranger])),
    ]));
    let mut private = encrypts;
    private["d"] = json!(URL_SAFE_NO_PAD.encode_to_string(decryption.scalar().expose()));
    let private = op.secret("decryption.jwk", &private.to_string());
    let settings = |id: &str, who: &str, from: &str| {
        json!({
            "client_id": id, "key_file": signing, "key_algorithm": "ES256", "key_id": "sig-1",
            "decryption_key_files": [private], "encrypted": true, "pushed": true, "dpop": true, "claims_from": from,
            "parameters": { "login_hint": who },
        })
    };
    for from in ["userinfo", "id_token"] {
        for (who, born) in [("ada", date(1990, 12, 10)), ("boy", date(2012, 5, 6))] {
            let provider = op.open(&settings("shop", who, from));
            let found = op.go(&provider).await.unwrap();
            assert_eq!(found.attribute, AgeAttribute::DateOfBirth(born), "{who} {from}");
        }
    }
    let provider = op.open(&settings("shop", "nobody", "userinfo"));
    assert!(matches!(op.go(&provider).await, Err(AgeMethodError::Inconclusive(_))), "the person said no");
    let provider = op.open(&settings("other", "ada", "userinfo"));
    let refused = op.go(&provider).await;
    assert!(
        matches!(refused, Err(AgeMethodError::Unavailable(_))),
        "encrypted to somebody else: {refused:?}"
    );

    // Another client's key is refused at the pushed request, before any end user is redirected.
    let (theirs, _) = signing_key(tempfile::tempdir_in(keys.path()).unwrap().keep().as_path());
    let mut settings = settings("shop", "ada", "userinfo");
    settings["key_file"] = json!(theirs);
    let refused = op.open(&settings).start(RETURN).await.map(|started| started.url);
    assert_eq!(
        refused,
        Err(AgeMethodError::Unavailable(
            "the identity provider refuses the pushed request: invalid_client".to_owned()
        ))
    );
}

/// Like a bank: a shared secret, and claims in the ID token.
#[tokio::test]
async fn a_bank_and_its_mistakes() {
    let mut op = Op::start(&json!([{
        "client_id": "shop", "client_secret": "p w", "id_token_signed_response_alg": "ES256",
    }]));
    let secret = op.secret("secret", "p w");
    let bank = |op: &Op, who: &str| {
        let who = json!({ "login_hint": who });
        op.open(&json!({ "client_id": "shop", "client_secret_file": secret, "acr_values": ["high"], "parameters": who }))
    };
    let provider = bank(&op, "ada");
    assert_eq!(op.go(&provider).await.unwrap().attribute, AgeAttribute::DateOfBirth(date(1990, 12, 10)));
    let declined = bank(&op, "nobody");
    assert!(matches!(op.go(&declined).await, Err(AgeMethodError::Inconclusive(_))));

    // A code can be used only once.
    let started = provider.start(RETURN).await.unwrap();
    let returned = op.browse(&started.url);
    assert!(provider.finish(&started.state, &returned, 18).await.is_ok());
    assert_eq!(
        provider.finish(&started.state, &returned, 18).await,
        Err(AgeMethodError::Inconclusive("the identity provider does not take the code".to_owned()))
    );

    for (name, value) in
        [("nonce", "another"), ("aud", "another"), ("iss", "https://another.example"), ("acr", "low")]
    {
        let provider = bank(&op, &format!("otherwise:{name}={value}"));
        let found = op.go(&provider).await;
        assert!(
            matches!(found, Err(AgeMethodError::Unavailable(_) | AgeMethodError::Inconclusive(_))),
            "{name}: {found:?}"
        );
    }
    let unchanged = bank(&op, "otherwise:birthdate=1991-01-02");
    assert_eq!(
        op.go(&unchanged).await.unwrap().attribute,
        AgeAttribute::DateOfBirth(date(1991, 1, 2)),
        "what is changed is believed else"
    );
}
