//! `GET /api/v1/sessions/{sessionId}`

use crate::age_verification::{AgeSessionFixture, BASE, relying_party_call};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn a_session_that_has_not_begun_is_read() {
    let app = TestApp::start().await;
    let payload = json!({ "age_estimation": { "threshold": 25, "level": "ACTIVE" }, "doc_scan": {} });
    let session = AgeSessionFixture::create(&app, BASE, &payload).await;
    let path = format!("{BASE}/sessions/{}", session.id);
    assert_response_snapshot!(relying_party_call(&app, &session.key, "GET", &path, None).await);
}

#[tokio::test]
async fn a_missing_session_is_refused() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    let path = format!("{BASE}/sessions/018f3c8e-0000-4000-8000-00000000000a");
    assert_response_snapshot!(relying_party_call(&app, &key, "GET", &path, None).await);
}

#[tokio::test]
async fn a_session_returns_what_was_requested() {
    let app = TestApp::start().await;
    let payload = json!({
        "type": "over", "ttl": 120, "reference_id": "order 7", "account_id": "a-1",
        "callback": { "url": "https://shop.test/done?x=1#top", "auto": true },
        "cancel_url": "https://shop.test/no", "privacy_policy": "https://shop.test/privacy",
        "terms_and_conditions": "https://shop.test/terms", "target_origin_url": "https://shop.test",
        "blocked_locations": ["us-ut"], "resume_enabled": true, "synchronous_checks": true,
        "doc_scan": { "threshold": 21, "authenticity": "AUTO", "preset_issuing_country": "gbr", "level": "passive" },
        "age_estimation": { "threshold": 25, "retry_enabled": true, "retry_limit": 2, "level": "ACTIVE" },
        "unknown_member": { "is": "ignored" },
    });
    let session = AgeSessionFixture::create(&app, BASE, &payload).await;
    let path = format!("{BASE}/sessions/{}", session.id);
    let read = relying_party_call(&app, &session.key, "GET", &path, None).await;
    assert_eq!((read.status_and_code(), read.header("cache-control")), ("200".to_owned(), "no-store"));
    let record = read.json();
    assert_eq!(record, session.result(&app).await);
    for (member, value) in [
        ("id", json!(session.id)),
        ("sdk_id", json!(app.app)),
        ("type", json!("OVER")),
        ("status", json!("PENDING")),
        ("expires_at", json!("2026-01-16T14:42:00Z")),
        ("created_at", json!("2026-01-16T14:40:00Z")),
        ("reference_id", json!("order 7")),
        ("callback", json!({ "url": "https://shop.test/done?x=1#top", "auto": true })),
        ("biometric_consent_required", json!(true)),
        ("retry_enabled", json!(false)),
        ("resume_enabled", json!(true)),
        ("double_blind", json!(false)),
        ("blocked_locations", json!(["US-UT"])),
    ] {
        assert_eq!(record[member], value, "{member}");
    }
    assert_eq!(
        record["age_estimation"],
        json!({
            "allowed": true, "threshold": 25, "level": "ACTIVE", "authenticity": "OFF", "retry_enabled": true,
            "retry_limit": 2, "attempts": 0, "attempts_remaining": 2,
        })
    );
    assert_eq!(record["doc_scan"]["preset_issuing_country"], "GBR");
    assert!(record.get("age").is_none() && record.get("credit_card").is_none());

    // The page knows where to send the end user.
    let view = session.end_user_call(&app, "GET", "", None).await.json();
    let back = format!("https://shop.test/done?x=1&sessionId={}#top", session.id);
    assert_eq!(view["callback"], json!({ "url": back, "auto": true }));
    assert_eq!((&view["business"], &view["seconds_left"]), (&json!("Test application"), &json!(120)));
}
