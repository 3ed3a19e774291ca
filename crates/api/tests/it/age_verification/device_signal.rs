//! `device_signal`: what an app sends through the relying party's server, in the sandbox, where no platform is involved.

use crate::age_verification::{AgeSessionFixture, BASE, SANDBOX, relying_party_call};
use base::SignedDuration;
use domain::age_verification::{AgeVerificationSettings, ProviderSettings};
use serde_json::{Value, json};
use testkit::{TestApp, TestResponse};

impl AgeSessionFixture {
    async fn signal_call(&self, app: &TestApp, rest: &str, body: Option<Value>) -> TestResponse {
        let path = format!("{}/sessions/{}/device-signal{rest}", self.base, self.id);
        relying_party_call(app, &self.key, "POST", &path, body).await
    }

    async fn challenge(&self, app: &TestApp) -> String {
        let opened = self.signal_call(app, "/challenge", None).await;
        assert_eq!(opened.status_and_code(), "201", "{}", opened.json());
        opened.json()["challenge"].as_str().unwrap().to_owned()
    }

    /// Sends a statement of Android for a new challenge.
    async fn state(&self, app: &TestApp, statement: Value, attestation: Option<&str>) -> Value {
        let sent = statement_of(&self.challenge(app).await, &statement, attestation);
        let answer = self.signal_call(app, "", Some(sent)).await;
        assert_eq!(answer.status_and_code(), "200", "{}", answer.json());
        answer.json()
    }
}

fn statement_of(challenge: &str, statement: &Value, attestation: Option<&str>) -> Value {
    let mut sent =
        json!({ "challenge": challenge, "platform": "ANDROID", "statement": statement.to_string() });
    if let Some(token) = attestation {
        sent["attestation"] = json!({ "format": "SANDBOX", "token": token });
    }
    sent
}

fn adult(status: &str) -> Value {
    json!({ "userStatus": status, "ageLower": 18 })
}

async fn session(app: &TestApp, block: Value) -> AgeSessionFixture {
    AgeSessionFixture::create(app, SANDBOX, &json!({ "device_signal": block })).await
}

#[tokio::test]
async fn an_app_is_given_a_challenge() {
    let app = TestApp::start().await;
    let session = session(&app, json!({})).await;
    assert_response_snapshot!(session.signal_call(&app, "/challenge", None).await);
    assert_eq!(session.result(&app).await["status"], "IN_PROGRESS");
}

/// Asks for a challenge with an idempotency key.
async fn challenge_for_key(app: &TestApp, session: &AgeSessionFixture, key: &str) -> String {
    let path = format!("{}/sessions/{}/device-signal/challenge", session.base, session.id);
    let request = axum::http::Request::post(path)
        .header("Authorization", format!("Bearer {}", session.key))
        .header(app.api.brand.sdk_id(), app.app.to_string())
        .header("Idempotency-Key", key)
        .body(axum::body::Body::empty());
    let answer = app.send(request.unwrap()).await;
    assert_eq!(answer.status_and_code(), "201", "{}", answer.json());
    answer.json()["challenge"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn a_challenge_asked_for_again_with_its_idempotency_key_is_the_same() {
    let app = TestApp::start().await;
    let session = session(&app, json!({})).await;
    let first = challenge_for_key(&app, &session, "a phone").await;
    assert_eq!(challenge_for_key(&app, &session, "a phone").await, first);
    assert_ne!(challenge_for_key(&app, &session, "another phone").await, first);
}

#[tokio::test]
async fn of_challenges_asked_for_at_the_same_moment_with_one_idempotency_key_one_is_made() {
    let app = TestApp::start().await;
    for round in 0..5 {
        let session = session(&app, json!({})).await;
        let ask = || challenge_for_key(&app, &session, "a phone");
        let (first, second, third) = tokio::join!(ask(), ask(), ask());
        assert_eq!([&second, &third], [&first; 2], "round {round}");
        // It is the one that the session waits for.
        let sent = statement_of(&first, &adult("VERIFIED"), Some("valid"));
        let answer = session.signal_call(&app, "", Some(sent)).await;
        assert_eq!(answer.status_and_code(), "200", "round {round}: {}", answer.json());
    }
}

#[tokio::test]
async fn a_challenge_abandons_a_document_and_what_was_supplied_for_it() {
    let app = TestApp::start().await;
    let session =
        AgeSessionFixture::create(&app, SANDBOX, &json!({ "device_signal": {}, "doc_scan": {} })).await;
    session.open_attempt(&app, "DOC_SCAN").await;
    let documents = async || {
        let count = db::sql!("SELECT count(*) FROM identity_sessions");
        app.api.db.read().await.unwrap().count(count).await.unwrap()
    };
    assert_eq!(documents().await, 1);
    session.challenge(&app).await;
    assert_eq!(documents().await, 0);
}

#[tokio::test]
async fn a_checked_band_of_an_attested_app_is_evidence() {
    let app = TestApp::start().await;
    let session = session(&app, json!({})).await;
    let challenge = session.challenge(&app).await;
    let sent = statement_of(&challenge, &adult("VERIFIED"), Some("valid"));
    assert_response_snapshot!(session.signal_call(&app, "", Some(sent)).await);
}

#[tokio::test]
async fn a_band_is_judged_by_its_strength_and_by_the_threshold() {
    let app = TestApp::start().await;
    let band = |status: &str, lower: u8, upper: u8| json!({ "userStatus": status, "ageLower": lower, "ageUpper": upper });
    for (block, statement, attestation, status, reason) in [
        (json!({}), adult("VERIFIED"), Some("valid"), "COMPLETE", ""),
        (json!({}), adult("VERIFIED"), None, "FAIL", "NOT_ATTESTED"),
        (json!({}), adult("VERIFIED"), Some("forged"), "FAIL", "NOT_ATTESTED"),
        (json!({}), adult("DECLARED"), Some("valid"), "FAIL", "SIGNAL_TOO_WEAK"),
        (json!({}), band("SUPERVISED", 13, 15), Some("valid"), "FAIL", "SIGNAL_TOO_WEAK"),
        (
            json!({ "assurance": "GUARDIAN_DECLARED" }),
            band("SUPERVISED", 13, 15),
            Some("valid"),
            "FAIL",
            "UNDER_AGE",
        ),
        (json!({ "assurance": "self_declared" }), adult("DECLARED"), Some("valid"), "COMPLETE", ""),
        (
            json!({ "assurance": "SELF_DECLARED", "attestation": "OPTIONAL" }),
            adult("DECLARED"),
            None,
            "COMPLETE",
            "",
        ),
        // An attestation that is there must be right, also where none is required.
        (json!({ "attestation": "OPTIONAL" }), adult("VERIFIED"), Some("forged"), "FAIL", "NOT_ATTESTED"),
        (json!({ "threshold": 21 }), adult("VERIFIED"), Some("valid"), "FAIL", "AGE_NOT_TOLD"),
        (json!({ "threshold": 16 }), band("VERIFIED", 16, 17), Some("valid"), "COMPLETE", ""),
        (json!({ "threshold": 16 }), band("VERIFIED", 13, 17), Some("valid"), "FAIL", "AGE_NOT_TOLD"),
        (json!({}), json!({ "userStatus": "UNKNOWN" }), Some("valid"), "FAIL", "AGE_NOT_TOLD"),
    ] {
        let session = session(&app, block.clone()).await;
        let record = session.state(&app, statement.clone(), attestation).await;
        assert_eq!(record["status"], status, "{block} {statement} {attestation:?}");
        let page = session.end_user_call(&app, "GET", "", None).await.json();
        assert_eq!(page["result"]["reason"].as_str().unwrap_or_default(), reason, "{block} {statement}");
    }
}

#[tokio::test]
async fn the_record_says_who_stands_behind_it() {
    let app = TestApp::start().await;
    let payload = json!({ "device_signal": { "assurance": "SELF_DECLARED", "attestation": "OPTIONAL" } });
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    let record = session.state(&app, adult("DECLARED"), None).await;
    assert_eq!(
        (&record["method"], &record["assurance"], &record["attestation"], &record["age"]),
        (&json!("DEVICE_SIGNAL"), &json!("SELF_DECLARED"), &json!("NONE"), &json!(18))
    );
    let record = session_of_vouched(&app).await;
    assert_eq!((&record["assurance"], &record["attestation"]), (&json!("CHECKED"), &json!("SANDBOX")));
}

async fn session_of_vouched(app: &TestApp) -> Value {
    session(app, json!({})).await.state(app, adult("VERIFIED"), Some("valid")).await
}

#[tokio::test]
async fn a_challenge_counts_once_for_its_session_and_for_its_time() {
    let app = TestApp::start().await;
    let (one, other) = (session(&app, json!({})).await, session(&app, json!({})).await);
    let (first, second) = (one.challenge(&app).await, one.challenge(&app).await);
    let of_other = other.challenge(&app).await;
    let send = |session: &AgeSessionFixture, challenge: &str| {
        let sent = statement_of(challenge, &adult("VERIFIED"), Some("valid"));
        let session = session.clone();
        let app = &app;
        async move { session.signal_call(app, "", Some(sent)).await.status_and_code() }
    };
    let stale = "409 STALE_CONTINUATION";
    assert_eq!(send(&one, &first).await, stale, "a later challenge replaced it");
    assert_eq!(send(&one, &of_other).await, stale, "it is another session's");
    assert_eq!(send(&one, "").await, stale);
    app.environment.advance(SignedDuration::from_secs(301));
    assert_eq!(send(&one, &second).await, stale, "its time is over");
    let third = one.challenge(&app).await;
    assert_eq!(send(&one, &third).await, "200");
    assert_eq!(send(&one, &third).await, stale, "it was answered");
    assert_eq!(one.result(&app).await["device_signal"]["attempts"], 1, "only the answer counted");
}

#[tokio::test]
async fn what_cannot_be_read_is_refused_by_name_and_not_counted() {
    let app = TestApp::start().await;
    let session = session(&app, json!({})).await;
    let challenge = session.challenge(&app).await;
    let good = statement_of(&challenge, &adult("VERIFIED"), Some("valid"));
    for (member, value, words) in [
        ("challenge", json!(null), "challenge: it is required"),
        ("platform", json!("WINDOWS"), "platform: "),
        ("statement", json!("{"), "statement: it is JSON with userStatus"),
        ("statement", json!("{\"userStatus\":\"TRUST_ME\"}"), "statement: its userStatus is not a known one"),
        ("attestation", json!({}), "attestation.format: it is required"),
        (
            "attestation",
            json!({ "format": "NONE" }),
            "attestation.format: it is PLAY_INTEGRITY or APP_ATTEST",
        ),
        (
            "attestation",
            json!({ "format": "APP_ATTEST", "attestation": "AAAA" }),
            "attestation: the sandbox takes",
        ),
    ] {
        let mut bad = good.clone();
        bad[member] = value;
        let refused = session.signal_call(&app, "", Some(bad)).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST", "{words}");
        let message = refused.json()["error_message"].as_str().unwrap().to_owned();
        assert!(message.starts_with(words), "{message}");
    }
    assert_eq!(session.signal_call(&app, "", Some(good)).await.json()["status"], "COMPLETE");
}

/// Settings of an app that counts for the sessions of an application; of every one without it.
fn settings_of_app(application: Option<&str>) -> AgeVerificationSettings {
    let app = json!({ "app_id": "ABCDE12345.com.example.shop", "application": application });
    let platforms = json!({ "provider": "platforms", "ios": [app] });
    let providers = ProviderSettings {
        device_signal: serde_json::from_value(platforms).unwrap(),
        ..ProviderSettings::default()
    };
    AgeVerificationSettings { providers, ..AgeVerificationSettings::default() }
}

#[tokio::test]
async fn the_app_of_one_application_is_of_no_use_to_another() {
    let stranger = "5f0c7a1e-3b52-4d8e-9c11-8a7b6c5d4e01";
    let app = TestApp::start_with_age_settings(settings_of_app(Some(stranger))).await;
    let payload = json!({ "device_signal": {}, "age_estimation": { "threshold": 100 } });
    let session = AgeSessionFixture::create(&app, BASE, &payload).await;
    assert_eq!(session.signal_call(&app, "/challenge", None).await.status_and_code(), "400 INVALID_REQUEST");
    let page = session.end_user_call(&app, "GET", "", None).await.json();
    let offered: Vec<_> = page["methods"].as_array().unwrap().iter().map(|one| &one["path"]).collect();
    assert_eq!(offered, [&json!("age_estimation")]);
    // So nothing is left once the other method is used up.
    session.fail_by_estimate(&app).await;

    let create = async |payload: Value| {
        relying_party_call(&app, &session.key, "POST", &format!("{BASE}/sessions"), Some(payload)).await
    };
    let refused = create(json!({ "device_signal": {} })).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_VALIDATION_METHODS");
    let record = AgeSessionFixture::create(&app, BASE, &json!({})).await.result(&app).await;
    assert_eq!((&record["device_signal"], record["age_estimation"].is_object()), (&json!(null), true));
    let path = format!("{BASE}/policies/us-ca");
    let policy = relying_party_call(&app, &session.key, "GET", &path, None).await.json();
    let accepted = policy["methods"].as_array().unwrap();
    let signal = accepted.iter().find(|one| one["method"] == "device_signal").unwrap();
    assert_eq!(signal["available"], false);

    // Where its own server is enough, no app is needed.
    let block = json!({ "attestation": "OPTIONAL" });
    let session = AgeSessionFixture::create(&app, BASE, &json!({ "device_signal": block })).await;
    assert_eq!(session.state(&app, adult("VERIFIED"), None).await["status"], "COMPLETE");
}

#[tokio::test]
async fn an_app_without_an_application_counts_for_every_one() {
    let app = TestApp::start_with_age_settings(settings_of_app(None)).await;
    let session = AgeSessionFixture::create(&app, BASE, &json!({ "device_signal": {} })).await;
    session.challenge(&app).await;
}

#[tokio::test]
async fn neither_a_page_nor_another_application_can_use_it() {
    let app = TestApp::start().await;
    let payload = json!({ "device_signal": {}, "email": {} });
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    let opened =
        session.end_user_call(&app, "POST", "/attempts", Some(json!({ "method": "DEVICE_SIGNAL" }))).await;
    assert_eq!(opened.status_and_code(), "400 INVALID_REQUEST");
    let page = session.end_user_call(&app, "GET", "", None).await.json();
    let told = |name: &str| page["methods"][0][name].clone();
    assert_eq!(
        (told("path"), told("in_app"), told("available")),
        (json!("device_signal"), json!(true), json!(false))
    );
    assert_eq!(page["methods"][1]["available"], true);
    // Not with the page's address alone.
    let path = format!("{SANDBOX}/sessions/{}/device-signal/challenge", session.id);
    assert_eq!(
        relying_party_call(&app, "nobody", "POST", &path, None).await.status_and_code(),
        "401 INVALID_API_KEY"
    );
    // A session that does not ask for it.
    let without = AgeSessionFixture::create(&app, SANDBOX, &json!({ "email": {} })).await;
    let refused = without.signal_call(&app, "/challenge", None).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
}
