//! Blind tokens: issued by an issuer, redeemed in a session, once each.

use crate::{
    age_verification::{
        AgeSessionFixture, AttemptTurn, BASE, SANDBOX, document_scan::go_through_document, relying_party_call,
    },
    image_analysis::secure_token::capture_for,
};
use axum::{body::Body, http::Request};
use base::SignedDuration;
use blind_rsa_signatures::{BlindingResult, DefaultRng, PublicKeySha384PSSDeterministic as Public};
use domain::age_verification::{AgeVerificationSettings, BlindTokenSettings, ProviderSettings};
use media::fetch::EgressPolicy;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use testkit::{TestApp, TestResponse, face_base64, face_jpeg, stub_server};

pub(super) fn decode(text: &Value) -> Vec<u8> {
    base64_simd::URL_SAFE_NO_PAD.decode_to_vec(text.as_str().unwrap()).unwrap()
}

pub(super) fn encode(bytes: &[u8]) -> String {
    base64_simd::URL_SAFE_NO_PAD.encode_to_string(bytes)
}

/// A server that issues tokens for these ages, and is its own issuer.
pub(super) async fn token_issuer(thresholds: &[u8]) -> TestApp {
    let settings = BlindTokenSettings { thresholds: thresholds.to_vec(), ..BlindTokenSettings::default() };
    TestApp::start_with_blind_tokens(&EgressPolicy::default(), settings).await
}

/// A browser with a token that waits for its signature; implemented here independently of the page.
pub(super) struct Browser {
    token: Vec<u8>,
    blinded: BlindingResult,
    public: Public,
}

impl Browser {
    /// Makes a token for a challenge and blinds it; returns the request for the issuer.
    pub(super) fn blind(challenge: &Value, key: &Value) -> (Self, String) {
        let (challenge, spki) = (decode(challenge), decode(key));
        let public = Public::from_spki(&spki).unwrap();
        let id = Sha256::digest(&spki);
        let mut nonce = [0; 32];
        base::Environment::fill_random(&base::SystemEnvironment, &mut nonce);
        let token = [&[0, 2][..], &nonce, &Sha256::digest(challenge), &id].concat();
        let blinded = public.blind(&mut DefaultRng, &token).unwrap();
        let request = [&[0, 2, id[31]][..], &blinded.blind_message].concat();
        (Self { token, blinded, public }, encode(&request))
    }

    pub(super) fn for_step(turn: &AttemptTurn) -> (Self, String) {
        Self::blind(&turn.step()["challenge"], &turn.step()["key"])
    }

    /// Unblinds the issuer's answer; returns the token.
    pub(super) fn finish(&self, response: &Value) -> Vec<u8> {
        let signature = self.public.finalize(&decode(response).into(), &self.blinded, &self.token).unwrap();
        [&self.token[..], &signature].concat()
    }
}

/// A session at the issuer, with the secret of its tab.
pub(super) struct IssuerSession {
    session: AgeSessionFixture,
    sdk_id: String,
    key: String,
}

impl IssuerSession {
    pub(super) async fn begin(app: &TestApp, base: &'static str, threshold: i64) -> Self {
        let begun = anonymous_call(app, base, Some(json!({ "threshold": threshold }))).await;
        assert_eq!(begun.status_and_code(), "201", "{}", begun.json());
        let text = |name: &str| begun.json()[name].as_str().unwrap().to_owned();
        assert_eq!(text("sdk_id"), app.issuer.unwrap().to_string());
        let session = AgeSessionFixture { id: text("id"), key: String::new(), base };
        Self { session, sdk_id: text("sdk_id"), key: text("key") }
    }

    pub(super) fn id(&self) -> &str {
        &self.session.id
    }

    /// The secret without which nothing can be begun in the session.
    pub(super) fn key(&self) -> &str {
        &self.key
    }

    pub(super) async fn end_user_call(
        &self,
        app: &TestApp,
        method: &str,
        rest: &str,
        body: Option<Value>,
    ) -> TestResponse {
        let sandbox = self.session.base.strip_suffix(BASE).unwrap();
        let request = Request::builder()
            .method(method)
            .uri(format!("{sandbox}/age/v1/sessions/{}{rest}", self.session.id))
            .header("svc-sdk-id", &self.sdk_id)
            .header("Content-Type", "application/json")
            .body(body.map_or_else(Body::empty, |body| Body::from(body.to_string())));
        app.send(request.unwrap()).await
    }

    pub(super) async fn open_attempt(&self, app: &TestApp, method: &str) -> AttemptTurn {
        let body = json!({ "method": method, "key": self.key });
        let opened = self.end_user_call(app, "POST", "/attempts", Some(body)).await;
        assert_eq!(opened.status_and_code(), "201", "{}", opened.json());
        AttemptTurn(opened.json())
    }

    pub(super) async fn take_turn(&self, app: &TestApp, turn: &AttemptTurn, mut input: Value) -> AttemptTurn {
        input["continuation"] = turn.0["continuation"].clone();
        let taken =
            self.end_user_call(app, "POST", &format!("/attempts/{}", turn.attempt()), Some(input)).await;
        assert_eq!(taken.status_and_code(), "200", "{}", taken.json());
        AttemptTurn(taken.json())
    }

    /// The methods that it offers, with their levels of liveness.
    async fn offered(&self, app: &TestApp) -> Vec<(String, String)> {
        let view = self.end_user_call(app, "GET", "", None).await.json();
        let word = |value: &Value| value.as_str().unwrap().to_owned();
        view["methods"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| (word(&one["method"]), word(&one["level"])))
            .collect()
    }

    /// Proves the age with a card of the sandbox; returns the state of the session.
    pub(super) async fn card(&self, app: &TestApp, number: &str) -> String {
        let form = self.open_attempt(app, "CREDIT_CARD").await;
        let fields = json!({ "number": number, "expiry": "12/30", "code": "123" });
        self.take_turn(app, &form, json!({ "fields": fields })).await.status().to_owned()
    }

    pub(super) async fn token(&self, app: &TestApp, request: &str) -> TestResponse {
        self.token_with(app, request, Some(&self.key)).await
    }

    async fn token_with(&self, app: &TestApp, request: &str, key: Option<&str>) -> TestResponse {
        self.end_user_call(app, "POST", "/token", Some(json!({ "token_request": request, "key": key }))).await
    }
}

/// Begins a session at the issuer, or, without a body, reads its keys.
pub(super) async fn anonymous_call(app: &TestApp, base: &str, body: Option<Value>) -> TestResponse {
    let sandbox = base.strip_suffix(BASE).unwrap();
    let (method, rest) = if body.is_some() { ("POST", "sessions") } else { ("GET", "keys") };
    let request = Request::builder()
        .method(method)
        .uri(format!("{sandbox}/age/v1/anonymity/{rest}"))
        .body(body.map_or_else(Body::empty, |body| Body::from(body.to_string())));
    app.send(request.unwrap()).await
}

pub(super) const GOOD_CARD: &str = "4242424242424242";

/// A signature of the sandbox's issuer on a request, for a person with a card.
async fn blind_signature(app: &TestApp, threshold: i64, request: &str) -> Value {
    let issuer_session = IssuerSession::begin(app, SANDBOX, threshold).await;
    assert_eq!(issuer_session.card(app, GOOD_CARD).await, "COMPLETE");
    let answer = issuer_session.token(app, request).await;
    assert_eq!(answer.status_and_code(), "200", "{}", answer.json());
    answer.json()["token_response"].clone()
}

async fn count(app: &TestApp, query: db::Query) -> i64 {
    app.api.db.read().await.unwrap().count(query).await.unwrap()
}

async fn open_token_attempt(app: &TestApp, payload: Value) -> (AgeSessionFixture, AttemptTurn) {
    let session = AgeSessionFixture::create(app, SANDBOX, &payload).await;
    let turn = session.open_attempt(app, "DOUBLE_ANONYMITY").await;
    assert_eq!(turn.step()["kind"], "token", "{}", turn.0);
    (session, turn)
}

#[tokio::test]
async fn a_blind_token_proves_an_age_and_nothing_else() {
    let app = token_issuer(&[16, 18]).await;
    let keys = anonymous_call(&app, SANDBOX, None).await;
    assert_eq!(keys.header("content-type"), "application/private-token-issuer-directory");
    assert_eq!(keys.header("cache-control"), "public, max-age=600");
    let keys = keys.json();
    let listed = keys["token-keys"].as_array().unwrap();
    assert_eq!(
        listed.iter().map(|key| (&key["threshold"], &key["token-type"])).collect::<Vec<_>>(),
        [(&json!(16), &json!(2)), (&json!(18), &json!(2))]
    );
    assert_ne!(anonymous_call(&app, BASE, None).await.json(), keys, "the sandbox has keys of its own");

    // 17 is asked for; the lowest sufficient token is for 18.
    let (session, turn) = open_token_attempt(
        &app,
        json!({ "double_anonymity": { "threshold": 17 }, "mobile": {}, "svc_key": {} }),
    )
    .await;
    assert_eq!(turn.step()["key"], listed[1]["token-key"]);
    assert_eq!(turn.step()["threshold"], 18);
    assert_eq!(turn.step()["issuer_url"], "http://127.0.0.1:8080/sandbox/age/issue");
    let challenge = decode(&turn.step()["challenge"]);
    // A random context for this attempt, and no site: the last two bytes are the length of its name.
    assert_eq!((&challenge[..4], &challenge[4..18]), (&[0, 2, 0, 14][..], &b"127.0.0.1:8080"[..]));
    assert_eq!((challenge.len(), &challenge[51..]), (53, &[0, 0][..]));

    let (browser, request) = Browser::for_step(&turn);
    let issuer_session = IssuerSession::begin(&app, SANDBOX, 18).await;
    let view = issuer_session.end_user_call(&app, "GET", "", None).await.json();
    assert_eq!(
        (&view["issues"], &view["callback"], &view["business"]),
        (&json!(18), &Value::Null, &json!("Test issuer"))
    );
    assert_eq!(issuer_session.card(&app, GOOD_CARD).await, "COMPLETE");
    let answer = issuer_session.token(&app, &request).await.json();
    let token = browser.finish(&answer["token_response"]);
    let ended = session.take_turn(&app, &turn, json!({ "token": encode(&token) })).await;
    assert_eq!(ended.status(), "COMPLETE", "{}", ended.0);
    assert_eq!(ended.0["session"]["offers"], json!({ "key": false, "proof": false }));
    let result = session.result(&app).await;
    assert_eq!((&result["method"], &result["age"]), (&json!("DOUBLE_ANONYMITY"), &json!(17)));
    assert_eq!(result["evidence_id"].as_str().unwrap().len(), 36);

    // The issuer has deleted how the age was proved: what is left answers the same message again, and no other.
    let (stored, _) =
        app.api.age_verification.end_user_session(issuer_session.id().parse().unwrap(), true).await.unwrap();
    let signed = domain::audit::sha256_hex(&decode(&json!(request)));
    assert_eq!((stored.state.as_str(), stored.signed), ("COMPLETE", Some(signed)));
    assert_eq!(
        (stored.tries, stored.attempt, stored.outcome, stored.consent),
        (Vec::new(), None, None, None)
    );
    assert_eq!(stored.updated_at, stored.created_at, "nor when");
    assert_eq!(issuer_session.token(&app, &request).await.json(), answer, "an answer that was lost");
    let (_, another) = Browser::for_step(&turn);
    assert_eq!(
        issuer_session.token(&app, &another).await.status_and_code(),
        "409 INVALID_STATUS",
        "a second token"
    );

    // After expiry, each side keeps only a number or a digest.
    assert_eq!(count(&app, db::sql!("SELECT count(*) FROM age_sessions")).await, 2);
    app.environment.advance(SignedDuration::from_secs(900));
    assert_eq!(issuer_session.token(&app, &request).await.status_and_code(), "410 SESSION_EXPIRED");
    domain::age_verification::purge(&app.api.db, app.api.environment.now()).await.unwrap();
    assert_eq!(issuer_session.token(&app, &request).await.status_and_code(), "404 SESSION_NOT_FOUND");
    assert_eq!(count(&app, db::sql!("SELECT count(*) FROM age_sessions")).await, 1);
    assert_eq!(
        count(&app, db::sql!("SELECT CAST(SUM(issued) AS BIGINT) FROM age_issuer_keys WHERE years = 18"))
            .await,
        1
    );
    assert_eq!(count(&app, db::sql!("SELECT count(*) FROM age_tokens_spent")).await, 1);
}

#[tokio::test]
async fn the_issuer_accepts_a_face() {
    let app = token_issuer(&[6]).await;
    let issuer_session = IssuerSession::begin(&app, BASE, 6).await;
    assert_eq!(
        issuer_session.offered(&app).await,
        [("AGE_ESTIMATION", "PASSIVE"), ("DOC_SCAN", "NONE")]
            .map(|(method, level)| (method.to_owned(), level.to_owned())),
        "all that is set up"
    );
    // The operator may configure it otherwise.
    let way = |block: Value| serde_json::from_value(block).unwrap();
    let methods = vec![way(json!({ "method": "age_estimation", "level": "NONE" }))];
    let settings = BlindTokenSettings { thresholds: vec![6], methods, ..BlindTokenSettings::default() };
    let providers = ProviderSettings { double_anonymity: Some(settings), ..ProviderSettings::default() };
    let app = TestApp::start_with_age_settings(AgeVerificationSettings {
        providers,
        ..AgeVerificationSettings::default()
    })
    .await;
    let session =
        AgeSessionFixture::create(&app, BASE, &json!({ "double_anonymity": { "threshold": 6 } })).await;
    let turn = session.open_attempt(&app, "DOUBLE_ANONYMITY").await;
    let (browser, request) = Browser::for_step(&turn);
    let issuer_session = IssuerSession::begin(&app, BASE, 6).await;
    assert_eq!(issuer_session.offered(&app).await, [("AGE_ESTIMATION".to_owned(), "NONE".to_owned())]);
    issuer_session.end_user_call(&app, "POST", "/consent", Some(json!({ "given": true }))).await;
    let opened = issuer_session.open_attempt(&app, "AGE_ESTIMATION").await;
    let secure = capture_for(&app, app.issuer.unwrap(), Some(issuer_session.id()), face_jpeg(), false).await;
    let photo = json!({ "img": face_base64(), "secure": secure });
    let shown = issuer_session.take_turn(&app, &opened, photo).await;
    assert_eq!(shown.status(), "COMPLETE", "{}", shown.0);
    let answer = issuer_session.token(&app, &request).await.json();
    let token = encode(&browser.finish(&answer["token_response"]));
    assert_eq!(session.take_turn(&app, &turn, json!({ "token": token })).await.status(), "COMPLETE");
}

/// A document session is a session of its own, which must not tell when somebody came to the issuer and with what.
#[tokio::test]
async fn nothing_is_recorded_of_a_document_that_the_issuer_sees() {
    let app = token_issuer(&[18]).await;
    let recorded = async |app_id: base::AppId| {
        let steps = db::sql!("SELECT count(*) FROM session_steps WHERE app_id = $1", app_id);
        let deletions =
            db::sql!("SELECT count(*) FROM audit_records WHERE record LIKE '%document-session.delete%'");
        [count(&app, steps).await, count(&app, deletions).await]
    };
    let (_, turn) = open_token_attempt(&app, json!({ "double_blind": true })).await;
    let (_, request) = Browser::for_step(&turn);
    let issuer_session = IssuerSession::begin(&app, SANDBOX, 18).await;
    let opened = issuer_session.open_attempt(&app, "DOC_SCAN").await;
    go_through_document(&app, opened.step()["url"].as_str().unwrap()).await;
    app.environment.advance(SignedDuration::from_secs(10));
    app.run_due_jobs().await;
    let view = issuer_session.end_user_call(&app, "GET", "", None).await.json();
    assert_eq!(view["status"], "COMPLETE", "{view}");
    assert_eq!(issuer_session.token(&app, &request).await.status_and_code(), "200");
    // One that is abandoned is deleted, too.
    let left = IssuerSession::begin(&app, SANDBOX, 18).await;
    left.open_attempt(&app, "DOC_SCAN").await;
    left.open_attempt(&app, "CREDIT_CARD").await;
    assert_eq!(count(&app, db::sql!("SELECT count(*) FROM identity_sessions")).await, 0);
    assert_eq!(recorded(app.issuer.unwrap()).await, [0, 0]);

    // Of a session of a relying party both are.
    let ordinary = AgeSessionFixture::create(&app, SANDBOX, &json!({ "doc_scan": {}, "mobile": {} })).await;
    ordinary.open_attempt(&app, "DOC_SCAN").await;
    ordinary.open_attempt(&app, "MOBILE").await;
    let [steps, deletions] = recorded(app.app).await;
    assert!(steps > 0 && deletions == 1, "{steps} {deletions}");
}

#[tokio::test]
async fn the_issuer_signs_once_and_only_after_the_age_was_proved() {
    let app = token_issuer(&[13, 18]).await;
    let (_, turn) = open_token_attempt(&app, json!({ "double_blind": true })).await;
    let (_, request) = Browser::for_step(&turn);
    let issuer_session = IssuerSession::begin(&app, SANDBOX, 18).await;
    assert_eq!(
        issuer_session.token(&app, &request).await.status_and_code(),
        "409 INVALID_STATUS",
        "nothing was shown yet"
    );
    issuer_session.open_attempt(&app, "CREDIT_CARD").await;
    assert_eq!(issuer_session.token(&app, &request).await.status_and_code(), "409 INVALID_STATUS");
    assert_eq!(issuer_session.card(&app, GOOD_CARD).await, "COMPLETE");

    // A key of another age, and requests that cannot be signed. None of them uses up the session.
    let (_, other) = open_token_attempt(&app, json!({ "double_anonymity": { "threshold": 13 } })).await;
    let (_, for_less) = Browser::for_step(&other);
    let bytes = decode(&json!(request));
    let with = |at: usize, byte: u8| {
        let mut bytes = bytes.clone();
        bytes[at] = byte;
        encode(&bytes)
    };
    let too_large = encode(&[&bytes[..3], &[0xff; 256]].concat());
    for wrong in
        [&for_less, "", "AAI", "%%%", &encode(&bytes[..258]), &with(1, 1), &too_large, &"A".repeat(2000)]
    {
        assert_eq!(
            issuer_session.token(&app, wrong).await.status_and_code(),
            "400 INVALID_REQUEST",
            "{wrong}"
        );
    }
    // Of two concurrent requests one is signed, and gets the same answer as often as it is sent.
    let (_, another) = Browser::for_step(&turn);
    let both = tokio::join!(issuer_session.token(&app, &request), issuer_session.token(&app, &another));
    let mut lines = [both.0.status_and_code(), both.1.status_and_code()];
    let (first, signed, late) =
        if lines[0] == "200" { (both.0, &request, &another) } else { (both.1, &another, &request) };
    lines.sort();
    assert_eq!(lines, ["200", "409 INVALID_STATUS"]);
    let again = tokio::join!(issuer_session.token(&app, signed), issuer_session.token(&app, signed));
    assert_eq!([again.0.json(), again.1.json()], [first.json(), first.json()]);
    assert_eq!(issuer_session.token(&app, late).await.status_and_code(), "409 INVALID_STATUS");

    // Nothing is kept of a session that is not completed.
    IssuerSession::begin(&app, SANDBOX, 18).await;
    let left = || count(&app, db::sql!("SELECT count(*) FROM age_sessions"));
    let before = left().await;
    app.environment.advance(SignedDuration::from_secs(900));
    app.api.age_verification.expire_sessions().await.unwrap();
    domain::age_verification::purge(&app.api.db, app.api.environment.now()).await.unwrap();
    assert_eq!(left().await, before - 2);

    // An end user who is too young, and a session of a relying party, get no token.
    let young = IssuerSession::begin(&app, SANDBOX, 18).await;
    let form = young.open_attempt(&app, "SOCIAL_SECURITY_NUMBER").await;
    let fields =
        json!({ "full_name": "Ada Lovelace", "date_of_birth": "2012-12-10", "number": "219-09-1111" });
    assert_eq!(young.take_turn(&app, &form, json!({ "fields": fields })).await.status(), "FAIL");
    assert_eq!(young.token(&app, &request).await.status_and_code(), "409 INVALID_STATUS");
    let ordinary = AgeSessionFixture::create(&app, SANDBOX, &json!({ "credit_card": {} })).await;
    let refused =
        ordinary.end_user_call(&app, "POST", "/token", Some(json!({ "token_request": request }))).await;
    assert_eq!(refused.status_and_code(), "409 INVALID_STATUS");
    for (body, line) in [
        (json!({ "threshold": 17 }), "400 INVALID_REQUEST"),
        (json!({ "threshold": "18" }), "400 INVALID_REQUEST"),
        (json!({}), "400 INVALID_REQUEST"),
    ] {
        assert_eq!(anonymous_call(&app, SANDBOX, Some(body)).await.status_and_code(), line);
    }
}

/// An attacker can begin a session and send others to its address: an age that they prove there must not count for the
/// attacker.
#[tokio::test]
async fn only_the_browser_that_began_an_issuers_session_continues_it() {
    let app = token_issuer(&[18]).await;
    let (_, turn) = open_token_attempt(&app, json!({ "double_blind": true })).await;
    let (_, request) = Browser::for_step(&turn);
    let issuer_session = IssuerSession::begin(&app, SANDBOX, 18).await;
    assert_eq!(decode(&json!(issuer_session.key())).len(), 16);
    let other = IssuerSession::begin(&app, SANDBOX, 18).await;
    assert_ne!(issuer_session.key(), other.key());
    let strangers = [Value::Null, json!(""), json!(issuer_session.id()), json!(other.key())];
    for key in &strangers {
        let body = json!({ "method": "CREDIT_CARD", "key": key });
        let refused = issuer_session.end_user_call(&app, "POST", "/attempts", Some(body)).await;
        assert_eq!(refused.status_and_code(), "404 SESSION_NOT_FOUND", "{key}");
    }
    for (body, line) in [
        (json!({ "method": "CREDIT_CARD" }), "404 SESSION_NOT_FOUND"),
        (json!({ "method": "CREDIT_CARD", "key": 1 }), "400 INVALID_REQUEST"),
    ] {
        let refused = issuer_session.end_user_call(&app, "POST", "/attempts", Some(body)).await;
        assert_eq!(refused.status_and_code(), line);
    }

    // No hand-off to a phone, nothing to take along, and the end user waits for every check.
    let view = issuer_session.end_user_call(&app, "GET", "", None).await.json();
    let methods = view["methods"].as_array().unwrap();
    assert!(!methods.is_empty() && methods.iter().all(|method| method["hand_off"] == false), "{view}");
    let (stored, _) =
        app.api.age_verification.end_user_session(issuer_session.id().parse().unwrap(), true).await.unwrap();
    assert!(stored.wanted.synchronous_checks);
    assert_ne!(stored.secret.as_deref(), Some(issuer_session.key()), "a digest of it is kept");
    assert_eq!(issuer_session.card(&app, GOOD_CARD).await, "COMPLETE");
    let view = issuer_session.end_user_call(&app, "GET", "", None).await.json();
    assert_eq!(view["offers"], json!({ "key": false, "proof": false }));

    for key in &strangers {
        let refused = issuer_session.token_with(&app, &request, key.as_str()).await;
        assert_eq!(refused.status_and_code(), "404 SESSION_NOT_FOUND", "{key}");
    }
    assert_eq!(issuer_session.token(&app, &request).await.status_and_code(), "200");
    let refused = issuer_session.token_with(&app, &request, None).await;
    assert_eq!(refused.status_and_code(), "404 SESSION_NOT_FOUND", "an answer again is no stranger's either");
}

#[tokio::test]
async fn an_issuer_that_declines_ends_the_attempt() {
    let app = token_issuer(&[18]).await;
    let block = json!({ "double_anonymity": { "retry_enabled": true, "retry_limit": 2 } });
    let (session, turn) = open_token_attempt(&app, block).await;
    // Only an explicit `true` counts.
    for no_word in [json!({}), json!({ "declined": "yes" }), json!({ "declined": false })] {
        let mut input = no_word.clone();
        input["continuation"] = turn.0["continuation"].clone();
        let path = format!("/attempts/{}", turn.attempt());
        let refused = session.end_user_call(&app, "POST", &path, Some(input)).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST", "{no_word}");
    }
    let once = session.take_turn(&app, &turn, json!({ "declined": true })).await;
    assert_eq!(once.status(), "IN_PROGRESS", "{}", once.0);
    let again = session.open_attempt(&app, "DOUBLE_ANONYMITY").await;
    let ended = session.take_turn(&app, &again, json!({ "declined": true })).await;
    let reason = &ended.0["session"]["result"]["reason"];
    assert_eq!((ended.status(), reason), ("FAIL", &json!("NO_TOKEN")), "{}", ended.0);
}

#[tokio::test]
async fn issuer_keys_are_replaced_when_the_operator_says_so() {
    let settings = BlindTokenSettings { thresholds: vec![18], ..BlindTokenSettings::default() };
    let app = TestApp::start_with_blind_tokens(&EgressPolicy::default(), settings).await;
    let keys = async || {
        let directory = anonymous_call(&app, SANDBOX, None).await.json();
        let all = directory["token-keys"].as_array().unwrap().clone();
        all.into_iter().map(|key| key["token-key"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let rotate = async |at_once| app.api.age_verification.rotate_blind_token_keys(at_once).await.unwrap();
    let first = keys().await;
    let (session, turn) = open_token_attempt(&app, json!({ "double_anonymity": {} })).await;
    let (browser, request) = Browser::for_step(&turn);
    assert_eq!((first.len(), rotate(false).await), (1, 1));
    let second = keys().await;
    assert_eq!((second.len(), &second[1]), (2, &first[0]), "the newest first");
    assert_eq!(rotate(false).await, 0, "a key of this very second is new enough");
    app.environment.advance(SignedDuration::from_secs(2));
    // The former key finishes what was begun, and its tokens count.
    let token = browser.finish(&blind_signature(&app, 18, &request).await);
    let turn = session.take_turn(&app, &turn, json!({ "token": encode(&token) })).await;
    assert_eq!(turn.status(), "COMPLETE");

    // Where a key leaked, nothing of it counts any more.
    let (session, turn) = open_token_attempt(&app, json!({ "double_anonymity": {} })).await;
    let (browser, request) = Browser::for_step(&turn);
    let token = browser.finish(&blind_signature(&app, 18, &request).await);
    assert_eq!(rotate(true).await, 2);
    let third = keys().await;
    assert!(third.len() == 1 && !second.contains(&third[0]));
    let refused = session.take_turn(&app, &turn, json!({ "token": encode(&token) })).await;
    assert_ne!(refused.status(), "COMPLETE");
}

#[tokio::test]
async fn a_blind_token_counts_only_for_its_own_challenge() {
    let app = token_issuer(&[13, 18]).await;
    let (session, mut turn) =
        open_token_attempt(&app, json!({ "double_anonymity": { "threshold": 18 } })).await;
    let (_, other) = open_token_attempt(&app, json!({ "double_anonymity": { "threshold": 18 } })).await;
    let (_, less) = open_token_attempt(&app, json!({ "double_anonymity": { "threshold": 13 } })).await;
    let of_production = anonymous_call(&app, BASE, None).await.json()["token-keys"][1]["token-key"].clone();
    let right = async |turn: &AttemptTurn| {
        let (browser, request) = Browser::for_step(turn);
        browser.finish(&blind_signature(&app, 18, &request).await)
    };
    let foreign = right(&other).await;
    let mut late = Vec::new();
    // Each token has one fault, and is otherwise right for the current challenge.
    for what in [
        "another question's",
        "of a key for less",
        "of production's key",
        "another signature",
        "another nonce",
        "short",
        "of an earlier question",
        "long",
        "no base64",
    ] {
        let challenge = turn.step()["challenge"].clone();
        let token = match what {
            "another question's" => encode(&foreign),
            "of a key for less" => {
                let (browser, request) = Browser::blind(&challenge, &less.step()["key"]);
                encode(&browser.finish(&blind_signature(&app, 13, &request).await))
            }
            "of production's key" => {
                let (browser, _) = Browser::blind(&challenge, &of_production);
                encode(&[&browser.token[..], &[1; 256]].concat())
            }
            "another signature" | "another nonce" => {
                let mut damaged = right(&turn).await;
                damaged[if what == "another nonce" { 10 } else { 300 }] ^= 1;
                encode(&damaged)
            }
            "short" => {
                late = right(&turn).await;
                encode(&late[..353])
            }
            "of an earlier question" => encode(&late),
            "long" => "A".repeat(5000),
            _ => "?".to_owned(),
        };
        turn = session.take_turn(&app, &turn, json!({ "token": token })).await;
        assert_eq!(
            (turn.status(), &turn.0["problem"]["code"]),
            ("IN_PROGRESS", &json!("TRY_AGAIN")),
            "{what}"
        );
        assert_ne!(turn.step()["challenge"], challenge, "{what}");
    }
    let nothing = json!({ "continuation": turn.0["continuation"] });
    let path = format!("/attempts/{}", turn.attempt());
    assert_eq!(
        session.end_user_call(&app, "POST", &path, Some(nothing)).await.status_and_code(),
        "400 INVALID_REQUEST"
    );
    assert_eq!(count(&app, db::sql!("SELECT count(*) FROM age_tokens_spent")).await, 0);
    let token = json!({ "token": encode(&right(&turn).await) });
    assert_eq!(session.take_turn(&app, &turn, token).await.status(), "COMPLETE");
}

#[tokio::test]
async fn a_blind_token_is_spent_once() {
    let app = token_issuer(&[18]).await;
    let (session, turn) = open_token_attempt(&app, json!({ "double_anonymity": {}, "mobile": {} })).await;
    let (browser, request) = Browser::for_step(&turn);
    let token = browser.finish(&blind_signature(&app, 18, &request).await);
    let answer = json!({ "token": encode(&token), "continuation": turn.0["continuation"] });
    let path = format!("/attempts/{}", turn.attempt());
    let both = tokio::join!(
        session.end_user_call(&app, "POST", &path, Some(answer.clone())),
        session.end_user_call(&app, "POST", &path, Some(answer.clone())),
    );
    let mut lines = [both.0.status_and_code(), both.1.status_and_code()];
    lines.sort();
    assert_eq!(lines, ["200", "409 STALE_CONTINUATION"]);
    assert_eq!(session.result(&app).await["status"], "COMPLETE");
    assert_eq!(
        session.end_user_call(&app, "POST", &path, Some(answer)).await.status_and_code(),
        "409 STALE_CONTINUATION"
    );

    // Each attempt has a challenge of its own; even if two had the same, a token would count only once.
    let (session, turn) = open_token_attempt(&app, json!({ "double_anonymity": {}, "mobile": {} })).await;
    let (browser, request) = Browser::for_step(&turn);
    let token = browser.finish(&blind_signature(&app, 18, &request).await);
    let spent = Sha256::digest(&token[..98]).to_vec();
    app.execute(db::sql!(
        "INSERT INTO age_tokens_spent (id, forget_at) VALUES ($1, $2)",
        spent,
        app.api.environment.now()
    ))
    .await;
    let refused = session.take_turn(&app, &turn, json!({ "token": encode(&token) })).await;
    assert_eq!(
        (refused.status(), &refused.0["session"]["result"]["reason"]),
        ("IN_PROGRESS", &json!("TOKEN_SPENT"))
    );
}

#[tokio::test]
async fn issuer_keys_end_and_their_tokens_with_them() {
    let settings = BlindTokenSettings { thresholds: vec![18], key_days: 1, ..BlindTokenSettings::default() };
    let app = TestApp::start_with_blind_tokens(&EgressPolicy::default(), settings).await;
    let keys = async || {
        let directory = anonymous_call(&app, SANDBOX, None).await.json();
        let all = directory["token-keys"].as_array().unwrap().clone();
        all.into_iter().map(|key| key["token-key"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let payload = json!({ "double_anonymity": {}, "ttl": 2_592_000 });
    let first = keys().await;
    assert_eq!((first.len(), keys().await), (1, first.clone()));
    let (session, turn) = open_token_attempt(&app, payload.clone()).await;
    let (browser, request) = Browser::for_step(&turn);
    // It is 14:40; the next key comes at midnight, and for two hours the old one still signs for sessions that had
    // begun.
    app.environment.advance(SignedDuration::from_mins(9 * 60 + 20));
    let second = keys().await;
    assert_eq!((second.len(), &second[1]), (2, &first[0]), "the newest first");
    let (_, later) = open_token_attempt(&app, payload.clone()).await;
    assert_eq!(later.step()["key"], second[0]);
    app.environment.advance(SignedDuration::from_mins(119));
    let late = blind_signature(&app, 18, &request).await;
    app.environment.advance(SignedDuration::from_mins(1));
    let issuer_session = IssuerSession::begin(&app, SANDBOX, 18).await;
    issuer_session.card(&app, GOOD_CARD).await;
    assert_eq!(issuer_session.token(&app, &request).await.status_and_code(), "400 INVALID_REQUEST");

    // Its tokens are accepted for a day after that.
    app.environment.advance(SignedDuration::from_hours(21));
    let token = json!({ "token": encode(&browser.finish(&late)) });
    let (other, held) = (AgeSessionFixture::clone(&session), turn.clone());
    assert_eq!(session.take_turn(&app, &turn, token.clone()).await.status(), "COMPLETE");
    app.environment.advance(SignedDuration::from_hours(1));
    let stale = json!({ "token": token["token"], "continuation": held.0["continuation"] });
    let path = format!("/attempts/{}", held.attempt());
    assert_eq!(
        other.end_user_call(&app, "POST", &path, Some(stale)).await.status_and_code(),
        "409 STALE_CONTINUATION"
    );
    assert_eq!(count(&app, db::sql!("SELECT count(*) FROM age_tokens_spent")).await, 1);
    domain::age_verification::purge(&app.api.db, app.api.environment.now()).await.unwrap();
    assert_eq!(
        count(&app, db::sql!("SELECT count(*) FROM age_tokens_spent")).await,
        0,
        "forgotten with its key"
    );
    assert!(!keys().await.contains(&first[0]));

    // And no longer.
    let (session, turn) = open_token_attempt(&app, payload).await;
    let (browser, request) = Browser::for_step(&turn);
    let token = browser.finish(&blind_signature(&app, 18, &request).await);
    app.environment.advance(SignedDuration::from_hours(48));
    let old = session.take_turn(&app, &turn, json!({ "token": encode(&token) })).await;
    assert_eq!((old.status(), &old.0["problem"]["code"]), ("IN_PROGRESS", &json!("TRY_AGAIN")));
    assert_ne!(old.step()["key"], turn.step()["key"]);
}

#[tokio::test]
async fn double_blind_offers_a_token_and_nothing_else() {
    let app = token_issuer(&[18, 21]).await;
    let payload = json!({
        "double_blind": true, "age_estimation": { "threshold": 21 }, "mobile": {},
        "email": { "data": { "verified_email": "ada@example.com" } },
    });
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    let view = session.end_user_call(&app, "GET", "", None).await.json();
    let methods = view["methods"].as_array().unwrap();
    assert_eq!(
        (methods.len(), &methods[0]["method"], &methods[0]["threshold"]),
        (1, &json!("DOUBLE_ANONYMITY"), &json!(21))
    );
    let refused = session.end_user_call(&app, "POST", "/attempts", Some(json!({ "method": "MOBILE" }))).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
    let record = session.result(&app).await;
    assert_eq!(
        (&record["double_blind"], &record["double_anonymity"]["threshold"]),
        (&json!(true), &json!(21))
    );
    let turn = session.open_attempt(&app, "DOUBLE_ANONYMITY").await;
    let (browser, request) = Browser::for_step(&turn);
    // A card attests 18 and no more, so the issuer does not offer it for 21.
    let issuer_session = IssuerSession::begin(&app, SANDBOX, 21).await;
    let body = json!({ "method": "CREDIT_CARD", "key": issuer_session.key() });
    let refused = issuer_session.end_user_call(&app, "POST", "/attempts", Some(body)).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
    let form = issuer_session.open_attempt(&app, "SOCIAL_SECURITY_NUMBER").await;
    let fields =
        json!({ "full_name": "Ada Lovelace", "date_of_birth": "1990-12-10", "number": "219-09-1234" });
    assert_eq!(issuer_session.take_turn(&app, &form, json!({ "fields": fields })).await.status(), "COMPLETE");
    let answer = issuer_session.token(&app, &request).await.json();
    let token = encode(&browser.finish(&answer["token_response"]));
    assert_eq!(session.take_turn(&app, &turn, json!({ "token": token })).await.status(), "COMPLETE");

    let key = app.api_key(&[]).await;
    let refused =
        |payload: Value| relying_party_call(&app, &key, "POST", "/sandbox/api/v1/sessions", Some(payload));
    for payload in [
        json!({ "double_blind": true, "double_anonymity": { "threshold": 22 } }),
        json!({ "double_blind": true, "type": "UNDER" }),
        json!({ "double_blind": true, "double_anonymity": { "allowed": false } }),
        json!({ "double_anonymity": { "threshold": 40 } }),
    ] {
        assert_eq!(
            refused(payload.clone()).await.status_and_code(),
            "400 INVALID_VALIDATION_METHODS",
            "{payload}"
        );
    }
    let open =
        AgeSessionFixture::create(&app, SANDBOX, &json!({ "double_blind": false, "mobile": {} })).await;
    let view = open.end_user_call(&app, "GET", "", None).await.json();
    assert_eq!(
        (view["methods"].as_array().unwrap().len(), &view["methods"][0]["method"]),
        (1, &json!("MOBILE"))
    );
}

#[tokio::test]
async fn a_server_without_blind_tokens_neither_issues_nor_redeems_them() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    for base in [BASE, SANDBOX] {
        for payload in [json!({ "double_blind": true }), json!({ "double_anonymity": {} })] {
            let path = format!("{base}/sessions");
            let refused = relying_party_call(&app, &key, "POST", &path, Some(payload)).await;
            assert_eq!(refused.status_and_code(), "400 INVALID_VALIDATION_METHODS");
        }
        assert_eq!(anonymous_call(&app, base, None).await.status_and_code(), "404 NOT_FOUND");
        let refused = anonymous_call(&app, base, Some(json!({ "threshold": 18 }))).await;
        assert_eq!(refused.status_and_code(), "404 NOT_FOUND");
    }
}

#[tokio::test]
async fn tokens_of_another_server_are_accepted() {
    let issuer = token_issuer(&[18]).await;
    let directory = anonymous_call(&issuer, SANDBOX, None).await.body;
    let elsewhere = stub_server::StubServer::start(move |sent| match sent.uri.path() {
        "/sandbox/age/v1/anonymity/keys" => {
            stub_server::StubReply::body("application/private-token-issuer-directory", directory.to_vec())
        }
        _ => stub_server::StubReply::status(500),
    })
    .await;
    let settings = BlindTokenSettings {
        issuer: Some(elsewhere.url("")),
        thresholds: vec![18, 21],
        ..BlindTokenSettings::default()
    };
    let app = TestApp::start_with_blind_tokens(&stub_server::egress_policy(), settings).await;
    let (session, turn) = open_token_attempt(&app, json!({ "double_blind": true })).await;
    assert_eq!(turn.step()["issuer_url"], elsewhere.url("/sandbox/age/issue"));
    let (browser, request) = Browser::for_step(&turn);
    let token = encode(&browser.finish(&blind_signature(&issuer, 18, &request).await));
    assert_eq!(session.take_turn(&app, &turn, json!({ "token": token })).await.status(), "COMPLETE");
    // Neither stores data of the other: the issuer has no spent tokens, the other server no issuer keys.
    assert_eq!(count(&issuer, db::sql!("SELECT count(*) FROM age_tokens_spent")).await, 0);
    assert_eq!(count(&app, db::sql!("SELECT count(*) FROM age_issuer_keys")).await, 0);
    assert_eq!(
        anonymous_call(&app, SANDBOX, None).await.status_and_code(),
        "404 NOT_FOUND",
        "it issues nothing itself"
    );
    open_token_attempt(&app, json!({ "double_blind": true })).await;
    let sent = elsewhere.captured();
    assert_eq!(sent.len(), 1, "keys are asked for by the server, and kept for a while");
    assert_eq!(sent[0].header("accept"), "application/private-token-issuer-directory");

    // An age that the issuer has no key for, and an issuer that is down, end the attempt with an error.
    let session =
        AgeSessionFixture::create(&app, SANDBOX, &json!({ "double_anonymity": { "threshold": 21 } })).await;
    let turn = session.open_attempt(&app, "DOUBLE_ANONYMITY").await;
    assert_eq!((turn.status(), &turn.0["session"]["result"]["reason"]), ("ERROR", &json!("NOT_CONFIGURED")));
    let session = AgeSessionFixture::create(&app, BASE, &json!({ "double_blind": true })).await;
    let turn = session.open_attempt(&app, "DOUBLE_ANONYMITY").await;
    assert_eq!(
        (turn.status(), &turn.0["session"]["result"]["reason"]),
        ("ERROR", &json!("PROVIDER_UNAVAILABLE"))
    );
}

#[tokio::test]
async fn sessions_at_the_issuer_are_rate_limited_by_address() {
    let (one, two) = (std::num::NonZeroU32::MIN, std::num::NonZeroU32::new(2).unwrap());
    let app = TestApp::start_with(|api| {
        api.end_user_rate_limit = std::sync::Arc::new(api::RateLimit::new(one, two));
    })
    .await;
    let call = async |address: &str| {
        let mut request =
            Request::post("/age/v1/anonymity/sessions").body(Body::from("{\"threshold\":18}")).unwrap();
        let peer: std::net::SocketAddr = address.parse().unwrap();
        request.extensions_mut().insert(axum::extract::ConnectInfo(peer));
        app.send(request).await.status_and_code()
    };
    for (address, line) in [
        ("192.0.2.1:5000", "404 NOT_FOUND"),
        ("192.0.2.1:5001", "404 NOT_FOUND"),
        ("192.0.2.1:5002", "429 TOO_MANY_REQUESTS"),
        ("[::ffff:192.0.2.1]:5003", "429 TOO_MANY_REQUESTS"),
        ("192.0.2.2:5000", "404 NOT_FOUND"),
        // A /64 network is one caller.
        ("[2001:db8::1]:5000", "404 NOT_FOUND"),
        ("[2001:db8::2]:5000", "404 NOT_FOUND"),
        ("[2001:db8::3]:5000", "429 TOO_MANY_REQUESTS"),
        ("[2001:db8:0:1::1]:5000", "404 NOT_FOUND"),
    ] {
        assert_eq!(call(address).await, line, "{address}");
    }
}
