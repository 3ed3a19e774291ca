//! Limits: what payloads may contain, what a disabled application may do, and how often callers may call.

use super::{BASE, SANDBOX, Session, business};
use api::RateLimit;
use domain::age_verification::AgeVerificationSettings;
use serde_json::{Value, json};
use std::{num::NonZeroU32, sync::Arc};
use testkit::TestApp;

#[tokio::test]
async fn a_payload_is_held_to_its_bounds() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    let make =
        async |payload: Value| business(&app, &key, "POST", &format!("{BASE}/sessions"), Some(payload)).await;
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
        let session = Session::new(&app, BASE, &payload).await;
        assert_eq!(session.result(&app).await.pointer(pointer), Some(&value));
    }
}

#[tokio::test]
async fn a_callback_may_be_named_in_short() {
    let app = TestApp::start().await;
    let payload = json!({ "callback_url": "https://shop.test/done", "age_estimation": {} });
    let session = Session::new(&app, BASE, &payload).await;
    let record = session.result(&app).await;
    assert_eq!(record["callback"], json!({ "url": "https://shop.test/done", "auto": false }));
    let view = session.page(&app, "GET", "", None).await.json();
    let back = format!("https://shop.test/done?sessionId={}", session.id);
    assert_eq!(view["callback"], json!({ "url": back, "auto": false }));
}

#[tokio::test]
async fn identity_providers_are_those_of_the_operator() {
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
        let made = business(&app, &key, "POST", &format!("{base}/sessions"), Some(asked(ids))).await;
        assert_eq!(made.status_and_code(), line, "{base} {ids:?}");
    }
    // If none is named, each may be used: here there is only one.
    for ids in [&["bank"][..], &[]] {
        let session = Session::new(&app, BASE, &asked(ids)).await;
        assert_eq!(session.open(&app, "ELECTRONIC_ID").await.step()["kind"], "redirect", "{ids:?}");
    }
    let tried_out = Session::new(&app, SANDBOX, &asked(&["bank"])).await;
    let opened = tried_out.open(&app, "ELECTRONIC_ID").await;
    assert!(!opened.step().is_null(), "there is a way through: {}", opened.0);
}

#[tokio::test]
async fn an_application_that_is_disabled_is_not_served() {
    let app = TestApp::start().await;
    let session = Session::new(&app, BASE, &json!({ "age_estimation": {} })).await;
    let bearer = format!("Bearer {}", session.key);
    let too_long = format!("{}-----", app.app);
    assert_eq!(too_long.len(), 41);
    let path = format!("{BASE}/sessions");
    let named = async |id: &str| {
        app.call_moderation_as(id, "POST", &path, &bearer, Some(json!({}))).await.status_and_code()
    };
    assert_eq!(named(&too_long).await, "401 UNKNOWN_SDK_ID");
    assert_eq!(named(&app.app.to_string()).await, "200");

    let changes = [
        db::sql!("UPDATE applications SET state = 'DISABLED'"),
        db::sql!("UPDATE applications SET state = 'ENABLED', organisation_id = NULL"),
    ];
    for change in changes {
        app.execute(change).await;
        assert_eq!(named(&app.app.to_string()).await, "403 NOT_ALLOWED");
        for (base, method, rest) in [
            (BASE, "GET", format!("/sessions/{}", session.id)),
            (BASE, "GET", format!("/sessions/{}/result", session.id)),
            (BASE, "POST", "/rules".to_owned()),
            (SANDBOX, "POST", "/sessions".to_owned()),
        ] {
            let body = (method == "POST").then(|| json!({}));
            let refused = business(&app, &session.key, method, &format!("{base}{rest}"), body).await;
            assert_eq!(refused.status_and_code(), "403 NOT_ALLOWED", "{method} {base}{rest}");
        }
        assert_eq!(session.page(&app, "GET", "", None).await.status_and_code(), "403 NOT_ALLOWED");
    }
}

#[tokio::test]
async fn an_application_and_a_person_each_have_a_quota() {
    let (one, two) = (NonZeroU32::MIN, NonZeroU32::new(2).unwrap());
    let app =
        TestApp::start_with(|api| api.application_rate_limit = Some(Arc::new(RateLimit::new(one, two))))
            .await;
    let key = app.api_key(&[]).await;
    let ask =
        async |base: &str| business(&app, &key, "POST", &format!("{base}/sessions"), Some(json!({}))).await;
    // Production and sandbox share the limit of the application.
    for (base, remaining) in [(BASE, "1"), (SANDBOX, "0")] {
        let answer = ask(base).await;
        let told = (answer.header("ratelimit-limit"), answer.header("ratelimit-remaining"));
        assert_eq!((answer.status_and_code().as_str(), told), ("200", ("2", remaining)));
    }
    let refused = ask(BASE).await;
    assert_eq!(refused.status_and_code(), "429 TOO_MANY_REQUESTS");
    assert_eq!(refused.header("ratelimit-remaining"), "0");
    assert!((1..=60).contains(&refused.header("retry-after").parse::<u32>().unwrap()));
    let key = app.api_key(&[]).await;
    let other = business(&app, &key, "GET", &format!("{BASE}/sessions/none"), None).await;
    assert_eq!(other.status_and_code(), "429 TOO_MANY_REQUESTS", "another key of the same application");

    let app = TestApp::start_with(|api| api.end_user_rate_limit = Arc::new(RateLimit::new(one, two))).await;
    let mine = Session::new(&app, BASE, &json!({})).await;
    let other = Session::new(&app, BASE, &json!({})).await;
    for line in ["200", "200", "429 TOO_MANY_REQUESTS"] {
        assert_eq!(mine.page(&app, "GET", "", None).await.status_and_code(), line);
    }
    let refused = mine.page(&app, "POST", "/cancel", None).await;
    assert_eq!(refused.status_and_code(), "429 TOO_MANY_REQUESTS");
    assert!(refused.header("retry-after").parse::<u32>().unwrap() >= 1);
    assert_eq!(other.page(&app, "GET", "", None).await.status_and_code(), "200", "each person has their own");
}
