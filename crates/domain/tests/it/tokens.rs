//! Bearer tokens for signed assertions.

use aws_lc_rs::{
    encoding::AsDer as _,
    signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use base::{AppId, Environment, SignedDuration, TestEnvironment, Timestamp};
use db::testing::TestDb;
use domain::tenancy::{
    ApplicationState, Feature, OrganisationStatus,
    applications::{self, NewApplication},
    organisations,
    public_keys::{self, PrivateKeyFormat},
    tokens::{self, IssuedAccessToken, TokenExchangeError, TokenRequest, TokenScope},
};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};
use std::sync::LazyLock;
use tokio::sync::Notify;

const ENDPOINT: &str = "https://assay.example/v1/oauth/token";

static RSA: LazyLock<(EncodingKey, Vec<u8>)> = LazyLock::new(|| {
    let (private, public) = public_keys::generate_rsa_key_pair(PrivateKeyFormat::Pkcs8);
    // The library reads PKCS#1, which follows the 26 bytes of algorithm identifier in PKCS#8.
    let pkcs8 = pem::parse(private.expose()).unwrap();
    (EncodingKey::from_rsa_der(&pkcs8.contents()[26..]), public)
});

struct Client {
    test: TestDb,
    env: TestEnvironment,
    org: base::OrgId,
    app: AppId,
}

impl Client {
    async fn new(features: &[Feature]) -> Self {
        let test = TestDb::open().await;
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let mut tx = test.db.write().await.unwrap();
        let org = organisations::create(&mut tx, &env, "o").await.unwrap();
        let new = NewApplication { name: "a", organisation: Some(org), billing_source: Some("b"), features };
        let app = applications::create(&mut tx, &env, &new).await.unwrap();
        public_keys::add(&mut tx, &env, app, RSA.1.clone()).await.unwrap();
        tx.commit().await.unwrap();
        Self { test, env, org, app }
    }

    fn claims(&self) -> Value {
        let now = self.env.now().as_second();
        let me = format!("sdk:{}", self.app);
        json!({ "iss": me, "sub": me, "aud": ENDPOINT, "exp": now + 600, "jti": self.env.uuid_v7().to_string() })
    }

    async fn exchange(
        &self,
        assertion: &str,
        scope: Option<&str>,
    ) -> Result<IssuedAccessToken, TokenExchangeError> {
        self.exchange_at(&self.env, assertion, scope).await
    }

    async fn exchange_at(
        &self,
        env: &dyn Environment,
        assertion: &str,
        scope: Option<&str>,
    ) -> Result<IssuedAccessToken, TokenExchangeError> {
        let request = TokenRequest {
            grant_type: Some("client_credentials".into()),
            client_assertion_type: Some("urn:ietf:params:oauth:client-assertion-type:jwt-bearer".into()),
            client_assertion: Some(assertion.to_owned().into()),
            scope: scope.map(|scope| scope.to_owned().into()),
        };
        tokens::exchange_assertion(&self.test.db, env, &[ENDPOINT.to_owned()], &request).await
    }

    async fn refused(&self, assertion: &str, scope: Option<&str>) -> String {
        match self.exchange(assertion, scope).await {
            Ok(_) => "a token".to_owned(),
            Err(TokenExchangeError::InvalidClient(_)) => "invalid_client".to_owned(),
            Err(TokenExchangeError::InvalidScope(_)) => "invalid_scope".to_owned(),
            Err(TokenExchangeError::UnauthorizedClient(_)) => "unauthorized_client".to_owned(),
            Err(other) => format!("{other:?}"),
        }
    }

    async fn bearer(&self, token: &str) -> Option<tokens::BearerPrincipal> {
        let mut view = self.test.db.read().await.unwrap();
        tokens::authenticate(&mut view, self.env.now(), token).await.unwrap()
    }
}

fn assertion(claims: &Value) -> String {
    jsonwebtoken::encode(&Header::new(Algorithm::PS384), claims, &RSA.0).unwrap()
}

#[tokio::test]
async fn an_assertion_gives_a_token_for_45_minutes() {
    let client = Client::new(&Feature::ALL).await;
    let issued =
        client.exchange(&assertion(&client.claims()), Some("poa:verify idv:sessions")).await.unwrap();
    assert_eq!(issued.scopes, [TokenScope::PoaVerify, TokenScope::IdvSessions]);
    let token = issued.token.expose();
    let bearer = client.bearer(token).await.unwrap();
    assert_eq!((bearer.app, bearer.scopes.len()), (client.app, 2));
    assert!(client.bearer(&token[..token.len() - 1]).await.is_none());

    client.env.advance(tokens::ACCESS_TOKEN_LIFETIME - SignedDuration::from_secs(1));
    assert!(client.bearer(token).await.is_some());
    client.env.advance(SignedDuration::from_secs(1));
    assert!(client.bearer(token).await.is_none());
    assert_eq!(
        tokens::purge(&client.test.db, &client.env).await.unwrap(),
        1,
        "the assertion; the token in a moment"
    );
    client.env.advance(SignedDuration::from_secs(1));
    assert_eq!(tokens::purge(&client.test.db, &client.env).await.unwrap(), 1);
}

#[tokio::test]
async fn every_documented_algorithm_is_accepted_and_no_other() {
    let client = Client::new(&Feature::ALL).await;
    for algorithm in [Algorithm::PS384, Algorithm::PS256, Algorithm::RS256] {
        let assertion = jsonwebtoken::encode(&Header::new(algorithm), &client.claims(), &RSA.0).unwrap();
        assert_eq!(client.refused(&assertion, None).await, "a token", "{algorithm:?}");
    }
    let pair = EcdsaKeyPair::generate(&ECDSA_P256_SHA256_FIXED_SIGNING).unwrap();
    let spki: aws_lc_rs::encoding::PublicKeyX509Der<'_> = pair.public_key().as_der().unwrap();
    let mut tx = client.test.db.write().await.unwrap();
    public_keys::add(&mut tx, &client.env, client.app, spki.as_ref().to_vec()).await.unwrap();
    tx.commit().await.unwrap();
    let key = EncodingKey::from_ec_der(pair.to_pkcs8v1().unwrap().as_ref());
    let assertion = jsonwebtoken::encode(&Header::new(Algorithm::ES256), &client.claims(), &key).unwrap();
    assert_eq!(client.refused(&assertion, None).await, "a token");

    for algorithm in [Algorithm::RS384, Algorithm::PS512] {
        let assertion = jsonwebtoken::encode(&Header::new(algorithm), &client.claims(), &RSA.0).unwrap();
        assert_eq!(client.refused(&assertion, None).await, "invalid_client", "{algorithm:?}");
    }
    // The public key as the secret of an HMAC, and no signature at all.
    let secret = EncodingKey::from_secret(&RSA.1);
    let confused = jsonwebtoken::encode(&Header::new(Algorithm::HS256), &client.claims(), &secret).unwrap();
    assert_eq!(client.refused(&confused, None).await, "invalid_client");
    let encode = |text: String| base64_simd::URL_SAFE_NO_PAD.encode_to_string(text);
    let unsigned =
        format!("{}.{}.", encode(json!({ "alg": "none" }).to_string()), encode(client.claims().to_string()));
    assert_eq!(client.refused(&unsigned, None).await, "invalid_client");
}

#[tokio::test]
async fn each_defect_is_refused() {
    let client = Client::new(&[Feature::ProofOfAge]).await;
    let now = client.env.now().as_second();
    let other = format!("sdk:{}", client.env.uuid_v7());
    for (member, value, expected) in [
        ("iss", json!(other), "invalid_client"),
        ("iss", json!(client.app.to_string()), "invalid_client"),
        ("iss", Value::Null, "invalid_client"),
        ("sub", json!(other), "invalid_client"),
        ("sub", Value::Null, "invalid_client"),
        ("aud", json!("https://other.example/v1/oauth/token"), "invalid_client"),
        ("aud", json!([]), "invalid_client"),
        ("aud", json!(["https://other.example", ENDPOINT]), "a token"),
        ("aud", Value::Null, "invalid_client"),
        ("exp", json!(now), "invalid_client"),
        ("exp", json!(now - 1), "invalid_client"),
        ("exp", json!(now + 1800), "a token"),
        ("exp", json!(now + 1900), "invalid_client"),
        ("exp", json!(1e300), "invalid_client"),
        ("exp", Value::Null, "invalid_client"),
        ("nbf", json!(now + 3600), "invalid_client"),
        ("iat", json!(now + 3600), "invalid_client"),
        ("jti", json!("fifteen-bytes.."), "invalid_client"),
        ("jti", json!("a".repeat(16)), "a token"),
        ("jti", json!("a".repeat(128)), "a token"),
        ("jti", json!("a".repeat(129)), "invalid_client"),
        ("jti", Value::Null, "invalid_client"),
    ] {
        let mut claims = client.claims();
        claims[member] = value.clone();
        assert_eq!(client.refused(&assertion(&claims), None).await, expected, "{member}: {value}");
    }
    for text in ["", "a.b.c", "...", "e30.e30.", &"a".repeat(20_000)] {
        assert_ne!(client.refused(text, None).await, "a token");
    }
    let assertion = self::assertion(&client.claims());
    for scope in ["poa:verify admin", "idv:sessions", "POA:VERIFY"] {
        assert_eq!(client.refused(&assertion, Some(scope)).await, "invalid_scope", "{scope}");
    }
    // A refused assertion is not used up; one that gave a token is.
    assert_eq!(client.refused(&assertion, Some("poa:verify poa:verify")).await, "a token");
    assert_eq!(client.refused(&assertion, None).await, "invalid_client", "the jti was used");
}

#[tokio::test]
async fn an_application_that_is_not_served_gets_no_token_and_its_tokens_stop_working() {
    let client = Client::new(&Feature::ALL).await;
    let issued = client.exchange(&assertion(&client.claims()), None).await.unwrap();
    let token = issued.token.expose();
    let set_org = async |status| {
        let mut tx = client.test.db.write().await.unwrap();
        organisations::set_status(&mut tx, client.org, status).await.unwrap();
        tx.commit().await.unwrap();
    };
    set_org(OrganisationStatus::Suspended).await;
    assert!(client.bearer(token).await.is_none());
    assert_eq!(client.refused(&assertion(&client.claims()), None).await, "unauthorized_client");
    set_org(OrganisationStatus::Active).await;
    assert!(client.bearer(token).await.is_some());

    let mut tx = client.test.db.write().await.unwrap();
    applications::set_state(&mut tx, client.app, ApplicationState::Disabled).await.unwrap();
    tx.commit().await.unwrap();
    assert!(client.bearer(token).await.is_none());
    assert_eq!(client.refused(&assertion(&client.claims()), None).await, "invalid_client");
}

#[tokio::test]
async fn with_a_key_the_tokens_for_assertions_are_revoked_and_no_others() {
    let client = Client::new(&Feature::ALL).await;
    let mut tx = client.test.db.write().await.unwrap();
    let new = NewApplication {
        name: "other",
        organisation: Some(client.org),
        billing_source: Some("b"),
        features: &Feature::ALL,
    };
    let other = applications::create(&mut tx, &client.env, &new).await.unwrap();
    public_keys::add(&mut tx, &client.env, other, RSA.1.clone()).await.unwrap();
    let scopes = vec![TokenScope::PoaVerify];
    let made = tokens::create(&mut tx, &client.env, client.app, "till", scopes, None).await.unwrap();
    tx.commit().await.unwrap();
    let issued = client.exchange(&assertion(&client.claims()), None).await.unwrap();
    let mut claims = client.claims();
    (claims["iss"], claims["sub"]) = (json!(format!("sdk:{other}")), json!(format!("sdk:{other}")));
    let of_other = client.exchange(&assertion(&claims), None).await.unwrap();
    for token in [&made, &issued, &of_other] {
        assert!(client.bearer(token.token.expose()).await.is_some());
    }

    let mut tx = client.test.db.write().await.unwrap();
    let key = public_keys::list(&mut tx, client.app).await.unwrap()[0].id;
    public_keys::revoke(&mut tx, &client.env, client.app, key).await.unwrap();
    tx.commit().await.unwrap();
    assert!(client.bearer(issued.token.expose()).await.is_none());
    assert!(client.bearer(made.token.expose()).await.is_some(), "an operator made it");
    assert!(client.bearer(of_other.token.expose()).await.is_some(), "of another application");
    assert_eq!(client.refused(&assertion(&client.claims()), None).await, "invalid_client");
}

/// Tells when its clock is read. An exchange first does so when it has verified the signature, and has written nothing.
#[derive(Debug)]
struct WatchedClock {
    env: TestEnvironment,
    was_read: Notify,
}

impl Environment for WatchedClock {
    fn now(&self) -> Timestamp {
        self.was_read.notify_one();
        self.env.now()
    }

    fn fill_random(&self, bytes: &mut [u8]) {
        self.env.fill_random(bytes);
    }
}

#[tokio::test]
async fn a_key_that_is_revoked_while_its_signature_is_verified_gives_no_token() {
    let client = Client::new(&Feature::ALL).await;
    let env = TestEnvironment::at(&client.env.now().to_string());
    let clock = WatchedClock { env, was_read: Notify::new() };
    let assertion = assertion(&client.claims());
    let mut tx = client.test.db.write().await.unwrap();
    let key = public_keys::list(&mut tx, client.app).await.unwrap()[0].id;
    public_keys::revoke(&mut tx, &client.env, client.app, key).await.unwrap();
    let revocation = async {
        clock.was_read.notified().await;
        tx.commit().await.unwrap();
    };
    let (exchanged, ()) = tokio::join!(client.exchange_at(&clock, &assertion, None), revocation);
    assert!(matches!(exchanged, Err(TokenExchangeError::InvalidClient(_))), "{exchanged:?}");
    let mut view = client.test.db.read().await.unwrap();
    let live = tokens::list(&mut view, client.env.now(), client.app).await.unwrap();
    assert!(live.is_empty(), "{live:?}");
}

#[tokio::test]
async fn an_application_has_at_most_200_live_tokens_an_operators_included() {
    let client = Client::new(&Feature::ALL).await;
    let mut tx = client.test.db.write().await.unwrap();
    let by_hand =
        tokens::create(&mut tx, &client.env, client.app, "till 4", vec![TokenScope::PoaVerify], None).await;
    let by_hand = by_hand.unwrap();
    for _ in 0..198 {
        let expires = Some(client.env.now() + tokens::ACCESS_TOKEN_LIFETIME);
        tokens::create(&mut tx, &client.env, client.app, "x", vec![TokenScope::PoaVerify], expires)
            .await
            .unwrap();
    }
    tx.commit().await.unwrap();
    assert_eq!(client.refused(&assertion(&client.claims()), None).await, "a token");
    let full = client.exchange(&assertion(&client.claims()), None).await;
    let Err(TokenExchangeError::TooMany { until: Some(until) }) = full else { panic!("{full:?}") };
    assert_eq!(until, client.env.now() + tokens::ACCESS_TOKEN_LIFETIME);

    client.env.advance(tokens::ACCESS_TOKEN_LIFETIME);
    assert_eq!(client.refused(&assertion(&client.claims()), None).await, "a token");
    let mut view = client.test.db.read().await.unwrap();
    let live = tokens::list(&mut view, client.env.now(), client.app).await.unwrap();
    drop(view);
    assert_eq!(live.len(), 2);
    let mine = live.iter().find(|token| token.name.as_deref() == Some("till 4")).unwrap();
    let mut tx = client.test.db.write().await.unwrap();
    tokens::revoke(&mut tx, client.app, mine.id).await.unwrap();
    assert!(tokens::revoke(&mut tx, client.app, mine.id).await.is_err());
    tx.commit().await.unwrap();
    assert!(client.bearer(by_hand.token.expose()).await.is_none());
}
