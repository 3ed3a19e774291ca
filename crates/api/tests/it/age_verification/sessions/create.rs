//! `POST /api/v1/sessions`

use crate::age_verification::{AgeSessionFixture, BASE, SANDBOX, relying_party_call};
use axum::{body::Body, http::Request};
use domain::age_verification::AgeVerificationSettings;
use serde_json::{Value, json};
use testkit::TestApp;

#[tokio::test]
async fn a_session_is_created() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    let payload = json!({ "age_estimation": {}, "reference_id": "order 7" });
    assert_response_snapshot!(
        relying_party_call(&app, &key, "POST", &format!("{BASE}/sessions"), Some(payload)).await
    );
}

#[tokio::test]
async fn a_payload_with_several_faults_is_refused() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    let payload = json!({ "ttl": 10, "type": "OLD", "callback": { "url": "javascript://x" } });
    assert_response_snapshot!(
        relying_party_call(&app, &key, "POST", &format!("{BASE}/sessions"), Some(payload)).await
    );
}

#[tokio::test]
async fn a_created_session_has_the_address_of_its_page() {
    let app = TestApp::start().await;
    let settings = domain::age_verification::AgeVerificationSettings {
        public_url: "https://ages.test".to_owned(),
        ..domain::age_verification::AgeVerificationSettings::default()
    };
    let elsewhere = TestApp::start_with_age_settings(settings).await;
    for (app, base, page) in [
        (&app, BASE, "http://127.0.0.1:8080/age"),
        (&app, SANDBOX, "http://127.0.0.1:8080/sandbox/age"),
        (&elsewhere, BASE, "https://ages.test/age"),
    ] {
        let key = app.api_key(&[]).await;
        let path = format!("{base}/sessions");
        let made =
            relying_party_call(app, &key, "POST", &path, Some(json!({ "age_estimation": {} }))).await.json();
        let id = made["id"].as_str().unwrap();
        assert_eq!(made["url"], format!("{page}?sessionId={id}&sdkId={}", app.app));
    }
}

#[tokio::test]
async fn everything_wrong_with_a_request_is_reported_at_once() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    let payload = json!({
        "age_estimation": { "allowed": "yes", "threshold": 0, "retry_limit": 11, "level": "HIGH" },
        "double_anonymity": { "threshold": 5 },
        "electronic_id": { "sub_methods": ["over", "moon", 7] },
        "digital_id": { "threshold": 18, "age_estimation_threshold": 17 },
        "notification_url": "http://a.example.com/x",
        "callback": { "url": "javascript://x" },
        "target_origin_url": "ftp://x",
        "blocked_locations": ["GB", "US-UT", "Utah"],
        "account_id": "x".repeat(101),
        "rule_id": "1",
        "email": { "data": { "verified_email": 7, "ip_address": "home" } },
        "ttl": 60.5,
    });
    let refused = relying_party_call(&app, &key, "POST", "/sandbox/api/v1/sessions", Some(payload)).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
    let reported = refused.json()["error_message"].as_str().unwrap().to_owned();
    let expected = [
        "account_id: it has 101 characters, at most 100 are taken",
        "age_estimation.allowed: true or false is expected",
        "age_estimation.level: it is one of NONE, PASSIVE, ACTIVE",
        "age_estimation.retry_limit: it is 11; a whole number from 1 to 10 is expected",
        "age_estimation.threshold: it is 0; a whole number from 1 to 120 is expected",
        "blocked_locations[2]: it is not an ISO 3166-1 or ISO 3166-2 code",
        "callback.url: it is not an address that a browser can be sent to",
        "digital_id.age_estimation_threshold: it is 17; at least the threshold of 18 is expected",
        "double_anonymity.threshold: it is 5; a whole number from 6 to 100 is expected",
        "electronic_id.sub_methods[1]: no such provider is set up; there are: declined, over, unavailable, under",
        "electronic_id.sub_methods[2]: a text is expected",
        "email.data.ip_address: it is not an IP address",
        "email.data.verified_email: a text is expected",
        "notification_url: it begins with https:",
        "rule_id: it is not a UUID",
        "target_origin_url: it begins with https:// or http:// and a host",
        "ttl: a whole number is expected",
    ];
    for one in expected {
        assert!(reported.contains(one), "{one} is not in {reported}");
    }
    assert_eq!(reported.len(), expected.join("; ").len(), "and nothing else: {reported}");
}

#[tokio::test]
async fn the_block_of_the_brands_key_is_refused_by_the_name_that_was_sent() {
    let settings = domain::age_verification::AgeVerificationSettings {
        brand: "acme".to_owned(),
        ..domain::age_verification::AgeVerificationSettings::default()
    };
    let app = TestApp::start_with_age_settings(settings).await;
    let key = app.api_key(&[]).await;
    for name in ["acme_key", "svc_key"] {
        let payload = json!({ name: { "threshold": 121, "allowed": 1 }, "age_estimation": {} });
        let refused =
            relying_party_call(&app, &key, "POST", &format!("{BASE}/sessions"), Some(payload)).await;
        let words = format!(
            "{name}.allowed: true or false is expected; \
             {name}.threshold: it is 121; a whole number from 1 to 120 is expected"
        );
        assert_eq!(refused.json()["error_message"], words);
    }
}

#[tokio::test]
async fn sessions_and_rules_repeated_with_their_idempotency_key_are_created_once() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    let send = |path: &'static str, body: &'static str| {
        let request = Request::builder()
            .method("POST")
            .uri(path)
            .header("Authorization", format!("Bearer {key}"))
            .header("Svc-Sdk-Id", app.app.to_string())
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", "a")
            .body(Body::from(body));
        app.send(request.unwrap())
    };
    for path in ["/api/v1/sessions", "/sandbox/api/v1/sessions", "/api/v1/rules"] {
        let first = send(path, "{}").await;
        let second = send(path, "{}").await;
        assert_eq!(first.json()["id"], second.json()["id"]);
        assert_eq!(send(path, "{\"ttl\":60}").await.status_and_code(), "409 IDEMPOTENCY_KEY_REUSED");
    }
    let many = app.api.db.read().await.unwrap().count(db::sql!("SELECT count(*) FROM age_sessions")).await;
    assert_eq!(many.unwrap(), 2);
}

#[tokio::test]
async fn each_member_of_a_payload_has_its_bounds() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    let make = async |payload: Value| {
        relying_party_call(&app, &key, "POST", &format!("{BASE}/sessions"), Some(payload)).await
    };
    let beside =
        |threshold: i64| json!({ "age_estimation": {}, "double_anonymity": { "threshold": threshold } });
    let tries = |limit: i64| json!({ "age_estimation": { "retry_enabled": true, "retry_limit": limit } });
    for (path, payload) in [
        ("age_estimation.retry_limit", tries(0)),
        ("age_estimation.retry_limit", tries(11)),
        ("double_anonymity.threshold", beside(101)),
        ("double_anonymity.threshold", beside(5)),
        ("account_id", json!({ "account_id": "ł".repeat(101) })),
        // It has the form of a country code, but is not one.
        ("doc_scan.preset_issuing_country", json!({ "doc_scan": { "preset_issuing_country": "ZZZ" } })),
        ("ttl", json!({ "ttl": 59 })),
        ("ttl", json!({ "ttl": 2_592_001 })),
        ("callback_url", json!({ "callback_url": "javascript:alert(1)" })),
        ("notification_url", json!({ "notification_url": "http://shop.test/hook" })),
    ] {
        let refused = make(payload).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST", "{path}");
        let words = refused.json()["error_message"].as_str().unwrap().to_owned();
        assert!(words.starts_with(&format!("{path}: ")), "{words}");
    }
    for (payload, pointer, value) in [
        (tries(1), "/age_estimation/attempts_remaining", json!(1)),
        (tries(10), "/age_estimation/attempts_remaining", json!(10)),
        (beside(100), "/double_anonymity/threshold", json!(100)),
        (beside(6), "/double_anonymity/threshold", json!(6)),
        // Characters are counted, not bytes.
        (json!({ "account_id": "ł".repeat(100) }), "/account_id", json!("ł".repeat(100))),
        (json!({ "ttl": 2_592_000 }), "/expires_at", json!("2026-02-15T14:40:00Z")),
    ] {
        let session = AgeSessionFixture::create(&app, BASE, &payload).await;
        assert_eq!(session.result(&app).await.pointer(pointer), Some(&value));
    }
}

#[tokio::test]
async fn a_callback_may_be_given_as_an_address_alone() {
    let app = TestApp::start().await;
    let payload = json!({ "callback_url": "https://shop.test/done", "age_estimation": {} });
    let session = AgeSessionFixture::create(&app, BASE, &payload).await;
    let record = session.result(&app).await;
    assert_eq!(record["callback"], json!({ "url": "https://shop.test/done", "auto": false }));
    let view = session.end_user_call(&app, "GET", "", None).await.json();
    let back = format!("https://shop.test/done?sessionId={}", session.id);
    assert_eq!(view["callback"], json!({ "url": back, "auto": false }));
}

#[tokio::test]
async fn the_identity_providers_are_those_of_the_operator() {
    let mut settings = AgeVerificationSettings::default();
    let bank = serde_json::from_value(json!({ "provider": "sandbox", "name": "Our bank" })).unwrap();
    settings.providers.electronic_id.insert("bank".to_owned(), bank);
    let app = TestApp::start_with_age_settings(settings).await;
    let key = app.api_key(&[]).await;
    let asked = |ids: &[&str]| json!({ "electronic_id": { "sub_methods": ids } });
    for (base, ids, line) in [
        (BASE, &["bank"][..], "200"),
        (BASE, &[][..], "200"),
        (BASE, &["over"][..], "400 INVALID_REQUEST"),
        (BASE, &["bank", "moon"][..], "400 INVALID_REQUEST"),
        (SANDBOX, &["over"][..], "200"),
        // The sandbox accepts the ids that production does.
        (SANDBOX, &["bank"][..], "200"),
        (SANDBOX, &["bank", "over"][..], "200"),
        (SANDBOX, &["moon"][..], "400 INVALID_REQUEST"),
    ] {
        let made =
            relying_party_call(&app, &key, "POST", &format!("{base}/sessions"), Some(asked(ids))).await;
        assert_eq!(made.status_and_code(), line, "{base} {ids:?}");
    }
    // If none is named, each may be used: here there is only one.
    for ids in [&["bank"][..], &[]] {
        let session = AgeSessionFixture::create(&app, BASE, &asked(ids)).await;
        assert_eq!(session.open_attempt(&app, "ELECTRONIC_ID").await.step()["kind"], "redirect", "{ids:?}");
    }
    let tried_out = AgeSessionFixture::create(&app, SANDBOX, &asked(&["bank"])).await;
    let opened = tried_out.open_attempt(&app, "ELECTRONIC_ID").await;
    assert!(!opened.step().is_null(), "there is a way through: {}", opened.0);
}
