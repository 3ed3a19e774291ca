//! `OpenID` Connect with a stand-in provider that behaves like banks or like Singpass.

use crate::kit::{Fixture, sendable};
use age_methods::{
    AgeAttribute, AgeEvidence, AgeMethodError,
    oidc::{IdentityProvider, OidcLoginState},
};
use aws_lc_rs::{aead, agreement, digest};
use base::{Environment, SignedDuration, TestEnvironment};
use base64_simd::URL_SAFE_NO_PAD;
use credentials::{issue::IssuingKey, jwe::DecryptionKey};
use jiff::civil::date;
use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation};
use serde_json::{Map, Value, json};
use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex},
};
use testkit::stub_server::{CapturedRequest, StubReply, StubServer};

const RETURN: &str = "https://age.example.com/age/return";

fn b64(bytes: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode_to_string(bytes)
}

fn sha256(bytes: impl AsRef<[u8]>) -> Vec<u8> {
    digest::digest(&digest::SHA256, bytes.as_ref()).as_ref().to_vec()
}

fn pairs(text: &[u8]) -> BTreeMap<String, String> {
    url::form_urlencoded::parse(text).into_owned().collect()
}

/// State and behaviour of the provider.
struct Bank {
    issuer: String,
    keys: Vec<IssuingKey>,
    /// Index of the key that signs.
    signs: usize,
    /// Index of the key that signs userinfo, if it is another.
    signs_userinfo: Option<usize>,
    /// The request's parameters, from the URL or pushed.
    asked: BTreeMap<String, String>,
    /// Claims that replace those of the ID token; null removes one.
    altered: Value,
    userinfo: Value,
    encrypts_to: Option<Value>,
    refuses: Option<&'static str>,
    wants_nonce: bool,
    dpop: bool,
    signed_userinfo: bool,
    discovered: usize,
    more: Value,
}

struct Op {
    receiver: StubServer,
    bank: Arc<Mutex<Bank>>,
}

impl Op {
    async fn start(environment: &dyn Environment) -> Self {
        let bank = Arc::new(Mutex::new(Bank {
            issuer: String::new(),
            keys: vec![IssuingKey::generate(environment)],
            signs: 0,
            signs_userinfo: None,
            asked: BTreeMap::new(),
            altered: json!({}),
            userinfo: json!({}),
            encrypts_to: None,
            refuses: None,
            wants_nonce: false,
            dpop: false,
            signed_userinfo: false,
            discovered: 0,
            more: json!({}),
        }));
        let shared = bank.clone();
        let now = environment.now().as_second();
        let receiver = StubServer::start(move |sent| shared.lock().unwrap().answer(sent, now)).await;
        bank.lock().unwrap().issuer = receiver.url("");
        Self { receiver, bank }
    }

    fn alter(&self, change: impl FnOnce(&mut Bank)) {
        change(&mut self.bank.lock().unwrap());
    }

    /// Signs the person in; returns the parameters that they bring back.
    fn sign_in(&self, url: &str) -> BTreeMap<String, String> {
        let url = url::Url::parse(url).unwrap();
        assert_eq!(url.path(), "/authorize");
        let given = pairs(url.query().unwrap().as_bytes());
        let mut bank = self.bank.lock().unwrap();
        if given.contains_key("request_uri") {
            assert_eq!(given.len(), 2, "nothing else stands in the address: {given:?}");
        } else {
            bank.asked = given;
        }
        let state = bank.asked["state"].clone();
        BTreeMap::from([("code".to_owned(), "c-1".to_owned()), ("state".to_owned(), state)])
    }

    #[expect(clippy::needless_pass_by_value, reason = "callers make it on the spot")]
    fn settings(&self, more: Value) -> Value {
        let mut settings = json!({
            "provider": "oidc", "name": "My bank", "issuer": self.receiver.url(""), "client_id": "shop 1",
        });
        settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        settings
    }
}

impl Bank {
    fn answer(&mut self, sent: &CapturedRequest, now: i64) -> StubReply {
        let json = |value: &Value| StubReply::body("application/json", value.to_string());
        match sent.uri.path() {
            "/.well-known/openid-configuration" => {
                self.discovered += 1;
                let at = |path: &str| format!("{}{path}", self.issuer);
                let mut document = json!({
                    "issuer": self.issuer, "authorization_endpoint": at("/authorize"), "token_endpoint": at("/token"),
                    "userinfo_endpoint": at("/userinfo"), "jwks_uri": at("/jwks"),
                    "pushed_authorization_request_endpoint": at("/par"),
                    "response_types_supported": ["code"], "subject_types_supported": ["pairwise"],
                    "id_token_signing_alg_values_supported": ["ES256"],
                });
                document.as_object_mut().unwrap().extend(self.more.as_object().unwrap().clone());
                json(&document)
            }
            "/jwks" => {
                let keys: Vec<_> = self.keys.iter().map(public).collect();
                json(&json!({ "keys": keys }))
            }
            "/par" => {
                if let Some(refused) = self.refused(sent, now) {
                    return refused;
                }
                self.asked = pairs(&sent.body);
                json(&json!({ "request_uri": "urn:ietf:params:oauth:request_uri:1", "expires_in": 60 }))
                    .with_status(201)
            }
            "/token" => self.refused(sent, now).unwrap_or_else(|| self.token(sent, now)),
            "/userinfo" => {
                let kind = if self.dpop { "DPoP" } else { "Bearer" };
                assert_eq!(sent.header("authorization"), format!("{kind} at-1"));
                if let Some(refused) = self.refused(sent, now) {
                    return refused;
                }
                if self.signed_userinfo {
                    let signed = self.sign_with(self.signs_userinfo.unwrap_or(self.signs), &self.userinfo);
                    StubReply::body("application/jwt; charset=utf-8", self.seal(signed))
                } else {
                    json(&self.userinfo)
                }
            }
            _ => StubReply::status(404),
        }
    }

    /// Checks the call's DPoP proof, if one is required; returns the refusal.
    fn refused(&self, sent: &CapturedRequest, now: i64) -> Option<StubReply> {
        if let Some(error) = self.refuses {
            return Some(
                StubReply::body("application/json", json!({ "error": error }).to_string()).with_status(400),
            );
        }
        if !self.dpop {
            assert_eq!(sent.header("dpop"), "");
            return None;
        }
        let header = jsonwebtoken::decode_header(sent.header("dpop")).unwrap();
        assert_eq!(header.typ.as_deref(), Some("dpop+jwt"));
        let jwk = header.jwk.unwrap();
        let mut rules = Validation::new(Algorithm::ES256);
        rules.validate_exp = false;
        rules.set_required_spec_claims::<&str>(&[]);
        let key = DecodingKey::from_jwk(&jwk).unwrap();
        let claims = jsonwebtoken::decode::<Value>(sent.header("dpop"), &key, &rules).unwrap().claims;
        assert_eq!(claims["htm"], sent.method.as_str());
        assert_eq!(claims["htu"], format!("{}{}", self.issuer, sent.uri.path()));
        assert_eq!(claims["iat"], now);
        let access = (sent.uri.path() == "/userinfo").then(|| b64(sha256("at-1")));
        assert_eq!(claims.get("ath").and_then(Value::as_str), access.as_deref());
        if self.wants_nonce && claims["nonce"] != "n-1" {
            let reply = StubReply::body("application/json", r#"{"error":"use_dpop_nonce"}"#).with_status(400);
            return Some(reply.header("dpop-nonce", "n-1"));
        }
        None
    }

    fn token(&self, sent: &CapturedRequest, now: i64) -> StubReply {
        let form = pairs(&sent.body);
        assert_eq!(form["grant_type"], "authorization_code");
        assert_eq!(form["code"], "c-1");
        assert_eq!(form["redirect_uri"], RETURN);
        assert_eq!(b64(sha256(&form["code_verifier"])), self.asked["code_challenge"]);
        let mut claims = json!({
            "iss": self.issuer, "aud": "shop 1", "sub": "person-1", "nonce": self.asked["nonce"],
            "iat": now, "exp": now + 300, "birthdate": "1990-12-10", "jti": "t-1",
        });
        for (name, value) in self.altered.as_object().unwrap() {
            claims[name] = value.clone();
        }
        claims.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        let kind = if self.dpop { "DPoP" } else { "Bearer" };
        let granted =
            json!({ "access_token": "at-1", "token_type": kind, "id_token": self.seal(self.sign(&claims)) });
        StubReply::body("application/json", granted.to_string())
    }

    fn sign(&self, claims: &Value) -> String {
        self.sign_with(self.signs, claims)
    }

    fn sign_with(&self, key: usize, claims: &Value) -> String {
        let key = &self.keys[key];
        let mut header = Header::new(Algorithm::ES256);
        header.kid = Some(public(key)["kid"].as_str().unwrap().to_owned());
        jsonwebtoken::encode(&header, claims, &EncodingKey::from_ec_der(key.to_pkcs8_der().expose())).unwrap()
    }

    #[expect(clippy::needless_pass_by_value, reason = "callers make it on the spot")]
    fn seal(&self, signed: String) -> String {
        self.encrypts_to.as_ref().map_or(signed.clone(), |jwk| encrypt(jwk, signed.as_bytes()))
    }
}

fn public(key: &IssuingKey) -> Value {
    let jwk = key.jwk();
    json!({ "kty": "EC", "crv": "P-256", "x": jwk["x"], "y": jwk["y"], "kid": jwk["x"], "use": "sig", "alg": "ES256" })
}

/// ECDH-ES with A256GCM, implemented again from RFC 7518, so that the test does not depend on the code under test.
fn encrypt(jwk: &Value, text: &[u8]) -> String {
    let coordinate = |name: &str| URL_SAFE_NO_PAD.decode_to_vec(jwk[name].as_str().unwrap()).unwrap();
    let theirs = [vec![4], coordinate("x"), coordinate("y")].concat();
    let ours = agreement::PrivateKey::generate(&agreement::ECDH_P256).unwrap();
    let point = ours.compute_public_key().unwrap();
    let (x, y) = point.as_ref()[1..].split_at(32);
    let epk = json!({ "kty": "EC", "crv": "P-256", "x": b64(x), "y": b64(y) });
    let header =
        b64(json!({ "alg": "ECDH-ES", "enc": "A256GCM", "kid": jwk["kid"], "epk": epk, "cty": "JWT" })
            .to_string());
    let theirs = agreement::UnparsedPublicKey::new(&agreement::ECDH_P256, theirs);
    let key = agreement::agree(&ours, theirs, (), |shared| {
        let info = [&[0, 0, 0, 7][..], b"A256GCM", &[0; 8], &[0, 0, 1, 0]].concat();
        Ok(sha256([&[0, 0, 0, 1][..], shared, &info].concat()))
    });
    let key = aead::LessSafeKey::new(aead::UnboundKey::new(&aead::AES_256_GCM, &key.unwrap()).unwrap());
    let mut sealed = text.to_vec();
    let nonce = aead::Nonce::assume_unique_for_key([1; 12]);
    let tag = key.seal_in_place_separate_tag(nonce, aead::Aad::from(header.as_bytes()), &mut sealed).unwrap();
    format!("{header}..{}.{}.{}", b64([1; 12]), b64(sealed), b64(tag))
}

fn open(site: &Fixture, settings: &Value) -> IdentityProvider {
    IdentityProvider::open("mybank", &Fixture::settings(settings.clone()), &site.fetcher, &site.environment)
        .unwrap()
}

/// A provider with a shared secret.
async fn plain(site: &Fixture, more: Value) -> (Op, IdentityProvider) {
    let op = Op::start(&*site.environment).await;
    let mut settings = op.settings(json!({ "client_secret_file": site.secret("p w") }));
    settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let provider = open(site, &settings);
    (op, provider)
}

/// A whole login.
async fn go(op: &Op, provider: &IdentityProvider) -> Result<AgeEvidence, AgeMethodError> {
    let started = sendable(provider.start(RETURN)).await?;
    let returned = op.sign_in(&started.url);
    let held: OidcLoginState = serde_json::from_str(&serde_json::to_string(&started.state).unwrap()).unwrap();
    sendable(provider.finish(&held, &returned, 18)).await
}

fn unavailable(words: &str) -> Result<AgeEvidence, AgeMethodError> {
    Err(AgeMethodError::Unavailable(words.to_owned()))
}

#[tokio::test]
async fn a_person_signs_in_and_the_birthday_is_known() {
    let site = Fixture::new();
    let more = json!({ "scopes": ["profile"], "acr_values": ["high"], "parameters": { "ui_locales": "en" } });
    let (op, provider) = plain(&site, more).await;
    op.alter(|bank| bank.altered = json!({ "acr": "high" }));
    let found = go(&op, &provider).await.unwrap();
    assert_eq!(
        found,
        AgeEvidence { attribute: AgeAttribute::DateOfBirth(date(1990, 12, 10)), id: Some("t-1".to_owned()) }
    );

    let asked = op.bank.lock().unwrap().asked.clone();
    let drawn = ["state", "nonce", "code_challenge"].map(|name| asked[name].clone());
    assert!(drawn.iter().all(|one| one.len() == 43));
    let fixed: Map<_, _> = asked
        .into_iter()
        .filter(|(_, value)| !drawn.contains(value))
        .map(|(name, value)| (name, json!(value)))
        .collect();
    assert_eq!(
        Value::Object(fixed),
        json!({
            "response_type": "code", "client_id": "shop 1", "redirect_uri": RETURN, "scope": "openid profile",
            "code_challenge_method": "S256", "acr_values": "high", "ui_locales": "en",
        })
    );
    let token = op.receiver.captured().pop().unwrap();
    assert_eq!(
        token.header("authorization"),
        "Basic c2hvcCsxOnArdw==",
        "name and secret are encoded as forms are"
    );
    assert!(!pairs(&token.body).contains_key("client_secret"));
    go(&op, &provider).await.unwrap();
    assert_eq!(op.bank.lock().unwrap().discovered, 1, "the documents are kept");
    site.still.advance(SignedDuration::from_mins(10));
    provider.start(RETURN).await.unwrap();
    assert_eq!(op.bank.lock().unwrap().discovered, 2, "and read anew");
}

#[tokio::test]
async fn a_provider_as_singpass_is() {
    let site = Fixture::new();
    let op = Op::start(&*site.environment).await;
    let keys = TestEnvironment::at("2026-01-01T00:00:00Z");
    let (signing, decryption) = (IssuingKey::generate(&keys), DecryptionKey::generate(&keys));
    let signing = pem::encode(&pem::Pem::new("PRIVATE KEY", signing.to_pkcs8_der().expose().clone()));
    let mut private = decryption.jwk("ECDH-ES+A256KW");
    private["d"] = json!(b64(decryption.scalar().expose()));
    let provider = open(
        &site,
        &op.settings(json!({
            "key_file": site.secret(&signing), "key_algorithm": "ES256", "key_id": "sig-1",
            "decryption_key_files": [site.secret(&private.to_string())], "encrypted": true,
            "pushed": true, "dpop": true, "claims_from": "userinfo", "birthdate": "person_info.dob.value",
        })),
    );
    op.alter(|bank| {
        bank.dpop = true;
        bank.wants_nonce = true;
        bank.signed_userinfo = true;
        bank.encrypts_to = Some(decryption.jwk("ECDH-ES"));
        bank.altered = json!({ "birthdate": null });
        bank.userinfo = json!({
            "iss": bank.issuer, "aud": "shop 1", "sub": "person-1",
            "person_info": { "dob": { "value": "2010-05-06", "source": "1" } },
        });
    });
    let found = go(&op, &provider).await.unwrap();
    assert_eq!(found.attribute, AgeAttribute::DateOfBirth(date(2010, 5, 6)));

    let told = provider.public_keys();
    assert_eq!(told["keys"][0]["kid"], "sig-1");
    assert_eq!(told["keys"][1]["kid"], decryption.kid());
    assert!(!told.to_string().contains("\"d\""));
    let key = DecodingKey::from_jwk(&serde_json::from_value(told["keys"][0].clone()).unwrap()).unwrap();
    let mut assertions = Vec::new();
    for sent in op.receiver.captured().iter().filter(|sent| ["/par", "/token"].contains(&sent.uri.path())) {
        let form = pairs(&sent.body);
        assert_eq!(form["client_assertion_type"], "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
        assert_eq!(form["client_id"], "shop 1");
        let mut rules = Validation::new(Algorithm::ES256);
        rules.set_audience(&[&op.receiver.url("")]);
        rules.set_issuer(&["shop 1"]);
        rules.validate_exp = false;
        let claims = jsonwebtoken::decode::<Value>(&form["client_assertion"], &key, &rules).unwrap().claims;
        assert_eq!(claims["sub"], "shop 1");
        assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 60);
        assertions.push(claims["jti"].clone());
    }
    assert_eq!(assertions.len(), 4, "two calls, and each again with the provider's number");
    let distinct: std::collections::BTreeSet<_> = assertions.iter().map(Value::to_string).collect();
    assert_eq!(distinct.len(), 4, "each with an assertion of its own");

    op.alter(|bank| bank.encrypts_to = None);
    assert_eq!(
        go(&op, &provider).await,
        unavailable("the identity provider's answer is not encrypted as it must be")
    );
}

#[tokio::test]
async fn an_id_token_that_is_not_of_this_attempt_proves_nothing() {
    let site = Fixture::new();
    let (op, provider) = plain(&site, json!({ "acr_values": ["high"] })).await;
    let now = site.environment.now().as_second();
    let good = json!({ "acr": "high" });
    for (altered, words) in [
        (json!({ "nonce": "other" }), "is of another attempt"),
        (json!({ "nonce": null }), "is of another attempt"),
        (json!({ "aud": "other" }), "is for somebody else"),
        (json!({ "aud": ["shop 1", "other"] }), "is for somebody else"),
        (json!({ "iss": "https://other.example.com" }), "is somebody else's"),
        (json!({ "exp": now - 1, "iat": now - 300 }), "is not of now"),
        (json!({ "iat": now - 601 }), "is not of now"),
        (json!({ "iat": now + 61 }), "is not of now"),
        (json!({ "acr": "low" }), "has another level of assurance"),
        (json!({ "acr": null }), "has another level of assurance"),
    ] {
        let mut all = good.clone();
        all.as_object_mut().unwrap().extend(altered.as_object().unwrap().clone());
        op.alter(|bank| bank.altered = all);
        assert_eq!(
            go(&op, &provider).await,
            unavailable(&format!("the identity provider's ID token {words}")),
            "{altered}"
        );
    }
    op.alter(|bank| bank.altered = good);
    assert!(go(&op, &provider).await.is_ok());
}

#[tokio::test]
async fn a_key_that_the_provider_never_published_signs_nothing_and_a_new_one_is_found() {
    let site = Fixture::new();
    let (op, provider) = plain(&site, json!({})).await;
    go(&op, &provider).await.unwrap();
    let published = op.bank.lock().unwrap().keys.pop().unwrap();
    let chance = TestEnvironment::at("2026-01-01T00:00:00Z");
    chance.fill_random(&mut [0; 64]);
    op.alter(|bank| bank.keys.push(IssuingKey::generate(&chance)));
    assert_ne!(public(&published), public(&op.bank.lock().unwrap().keys[0]));
    let refused = unavailable("the identity provider's ID token has no signature that counts");
    assert_eq!(go(&op, &provider).await, refused, "the documents are too new to be read again");
    assert_eq!(op.bank.lock().unwrap().discovered, 1);
    site.still.advance(SignedDuration::from_secs(31));
    op.alter(|bank| bank.altered = json!({ "iat": bank_now(&site), "exp": bank_now(&site) + 300 }));
    assert!(go(&op, &provider).await.is_ok());
    assert_eq!(op.bank.lock().unwrap().discovered, 2);
}

fn bank_now(site: &Fixture) -> i64 {
    site.environment.now().as_second()
}

#[tokio::test]
async fn what_comes_back_must_belong_to_the_attempt() {
    let site = Fixture::new();
    let (op, provider) = plain(&site, json!({})).await;
    op.alter(|bank| bank.more = json!({ "authorization_response_iss_parameter_supported": true }));
    let started = provider.start(RETURN).await.unwrap();
    let returned = op.sign_in(&started.url);
    let with = |name: &str, value: &str| {
        let mut returned = returned.clone();
        returned.insert(name.to_owned(), value.to_owned());
        returned
    };
    let finish =
        async |returned: BTreeMap<String, String>| provider.finish(&started.state, &returned, 18).await;
    let unknown = |words: &str| Err(AgeMethodError::Inconclusive(words.to_owned()));
    let issuer = op.receiver.url("");
    assert!(finish(with("iss", &issuer)).await.is_ok());
    let another = "what came back belongs to another identity provider";
    assert_eq!(finish(with("iss", "https://other.example.com")).await, unknown(another));
    assert_eq!(finish(returned.clone()).await, unknown(another), "it is told where the provider tells it");
    let attempt = "what came back belongs to another attempt";
    assert_eq!(finish(with("state", "other")).await, unknown(attempt));
    assert_eq!(finish(BTreeMap::new()).await, unknown(attempt));
    let no = "the person said no at the identity provider";
    assert_eq!(finish(with("error", "access_denied")).await, unknown(no));
    assert_eq!(
        finish(with("error", "server_error")).await,
        unavailable("the identity provider says server_error")
    );
    assert_eq!(
        finish(with("error", "<script>")).await,
        unavailable("the identity provider says something unknown")
    );
    let other = open(&site, &op.settings(json!({ "client_secret_file": site.secret("p w") })));
    let elsewhere = IdentityProvider::open(
        "otherbank",
        &Fixture::settings(op.settings(json!({ "client_secret_file": site.secret("p w") }))),
        &site.fetcher,
        &site.environment,
    )
    .unwrap();
    assert!(
        other.finish(&started.state, &with("iss", &issuer), 18).await.is_ok(),
        "another process can end it"
    );
    assert_eq!(elsewhere.finish(&started.state, &with("iss", &issuer), 18).await, unknown(attempt));
    assert_eq!(format!("{started:?} {:?}", started.state), "Started(mybank) Held(mybank)");
}

#[tokio::test]
async fn refusals_of_the_token_endpoint_are_told_apart() {
    let site = Fixture::new();
    let (op, provider) = plain(&site, json!({})).await;
    op.alter(|bank| bank.refuses = Some("invalid_grant"));
    let refused =
        Err(AgeMethodError::Inconclusive("the identity provider does not take the code".to_owned()));
    assert_eq!(go(&op, &provider).await, refused);
    op.alter(|bank| bank.refuses = Some("invalid_client"));
    assert_eq!(
        go(&op, &provider).await,
        unavailable("the identity provider refuses the code: invalid_client")
    );
    op.alter(|bank| bank.refuses = Some("Ada Lovelace"));
    assert_eq!(go(&op, &provider).await, unavailable("the identity provider refuses the code: 400"));
}

#[tokio::test]
async fn userinfo_is_about_the_person_of_the_id_token() {
    let site = Fixture::new();
    let (op, provider) = plain(&site, json!({ "claims_from": "userinfo" })).await;
    let claims = |issuer: &str, more: Value| {
        let mut claims =
            json!({ "iss": issuer, "aud": "shop 1", "sub": "person-1", "birthdate": "2010-05-06" });
        claims.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        claims
    };
    let issuer = op.receiver.url("");
    op.alter(|bank| bank.userinfo = json!({ "sub": "person-1", "birthdate": "2010-05-06" }));
    assert_eq!(go(&op, &provider).await.unwrap().attribute, AgeAttribute::DateOfBirth(date(2010, 5, 6)));
    let other = unavailable("the identity provider's userinfo is about somebody else");
    op.alter(|bank| bank.userinfo = json!({ "sub": "person-2", "birthdate": "1990-05-06" }));
    assert_eq!(go(&op, &provider).await, other);
    op.alter(|bank| bank.userinfo = json!({ "birthdate": "1990-05-06" }));
    assert_eq!(go(&op, &provider).await, other);
    op.alter(|bank| {
        bank.signed_userinfo = true;
        bank.userinfo = claims(&issuer, json!({}));
    });
    assert!(go(&op, &provider).await.is_ok());
    for altered in
        [json!({ "aud": "other" }), json!({ "iss": "https://other.example.com" }), json!({ "aud": null })]
    {
        op.alter(|bank| bank.userinfo = claims(&issuer, altered.clone()));
        let refused = unavailable("the identity provider's userinfo has no signature that counts");
        assert_eq!(go(&op, &provider).await, refused, "{altered}");
    }
}

#[tokio::test]
async fn userinfo_that_a_new_key_signs_is_accepted() {
    let site = Fixture::new();
    let (op, provider) = plain(&site, json!({ "claims_from": "userinfo" })).await;
    let chance = TestEnvironment::at("2026-01-01T00:00:00Z");
    let new_key = || {
        chance.fill_random(&mut [0; 64]);
        IssuingKey::generate(&chance)
    };
    op.alter(|bank| {
        bank.signed_userinfo = true;
        bank.userinfo = json!({
            "iss": bank.issuer, "aud": "shop 1", "sub": "person-1", "birthdate": "2010-05-06",
        });
    });
    assert!(go(&op, &provider).await.is_ok());
    // The new key signs both answers.
    op.alter(|bank| {
        bank.keys = vec![new_key()];
    });
    site.still.advance(SignedDuration::from_secs(31));
    assert!(go(&op, &provider).await.is_ok());
    assert_eq!(op.bank.lock().unwrap().discovered, 2);
    // It signs the userinfo alone.
    op.alter(|bank| {
        bank.keys.push(new_key());
        bank.signs_userinfo = Some(1);
    });
    let refused = unavailable("the identity provider's userinfo has no signature that counts");
    assert_eq!(go(&op, &provider).await, refused, "the documents were read a moment ago");
    site.still.advance(SignedDuration::from_secs(31));
    assert!(go(&op, &provider).await.is_ok());
    assert_eq!(op.bank.lock().unwrap().discovered, 3);
}

#[tokio::test]
async fn a_provider_that_is_another_is_not_asked() {
    let site = Fixture::new();
    let (op, provider) = plain(&site, json!({})).await;
    op.alter(|bank| bank.more = json!({ "issuer": "https://other.example.com" }));
    let started = provider.start(RETURN).await.map(|started| started.url);
    assert_eq!(
        started,
        Err(AgeMethodError::Unavailable("the identity provider is another issuer".to_owned()))
    );
    op.alter(|bank| bank.more = json!({ "authorization_endpoint": "javascript:alert(1)//" }));
    assert!(provider.start(RETURN).await.is_err());
    assert_eq!(op.bank.lock().unwrap().discovered, 1, "a failure stands for a moment");
    site.still.advance(SignedDuration::from_secs(5));
    let started = provider.start(RETURN).await.map(|started| started.url);
    assert_eq!(
        started,
        Err(AgeMethodError::Unavailable("the identity provider's address is not valid".to_owned()))
    );
}

#[tokio::test]
async fn the_sandbox_sends_people_straight_back() {
    let site = Fixture::new();
    for (outcome, expected) in [
        ("over", Ok(AgeAttribute::Over { years: 18, reached: true })),
        ("under", Ok(AgeAttribute::Over { years: 18, reached: false })),
        ("declined", Err("the person said no at the identity provider")),
        ("unavailable", Err("the sandbox is asked to be away")),
    ] {
        let provider = open(&site, &json!({ "provider": "sandbox", "name": "A bank", "outcome": outcome }));
        let started = provider.start(RETURN).await.unwrap();
        let url = url::Url::parse(&started.url).unwrap();
        assert!(started.url.starts_with(RETURN));
        let found = provider.finish(&started.state, &pairs(url.query().unwrap().as_bytes()), 18).await;
        assert_eq!(
            found.map(|found| found.attribute).map_err(|failure| failure.to_string()),
            expected.map_err(str::to_owned)
        );
    }
}

#[test]
fn settings_that_cannot_work_are_refused_with_their_name() {
    let site = Fixture::new();
    let secret = site.secret("p w");
    let refused = |more: Value| {
        let mut settings = json!({
            "provider": "oidc", "name": "a", "issuer": "https://bank.example.com", "client_id": "a",
        });
        settings.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let settings = Fixture::settings(settings);
        IdentityProvider::open("a", &settings, &site.fetcher, &site.environment)
            .map(drop)
            .map_err(|bad| bad.setting)
    };
    assert_eq!(refused(json!({ "client_secret_file": secret })), Ok(()));
    assert_eq!(refused(json!({})), Err("client_secret_file"));
    assert_eq!(
        refused(json!({ "client_secret_file": secret, "key_file": secret })),
        Err("client_secret_file")
    );
    assert_eq!(refused(json!({ "key_file": secret })), Err("key_algorithm"));
    assert_eq!(refused(json!({ "key_file": secret, "key_algorithm": "HS256" })), Err("key_algorithm"));
    assert_eq!(refused(json!({ "key_file": secret, "key_algorithm": "ES256" })), Err("key_file"));
    assert_eq!(
        refused(json!({ "client_secret_file": secret, "issuer": "http://a.example.com" })),
        Err("issuer")
    );
    assert_eq!(
        refused(json!({ "client_secret_file": secret, "encrypted": true })),
        Err("decryption_key_files")
    );
    assert_eq!(
        refused(json!({ "client_secret_file": secret, "decryption_key_files": [secret] })),
        Err("decryption_key_files")
    );
    assert_eq!(refused(json!({ "client_secret_file": secret, "birthdate": null })), Err("birthdate"));
}
