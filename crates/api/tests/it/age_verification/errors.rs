//! Refusals: callers without permission, and requests that cannot be used.

use super::{BASE, Session, business};
use axum::{body::Body, http::Request};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn who_asks_is_told_apart() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    let id = app.app.to_string();
    let call = |sdk: Option<&str>, authorization: Option<&str>| {
        let mut request = Request::builder()
            .method("POST")
            .uri(format!("{BASE}/sessions"))
            .header("Content-Type", "application/json");
        if let Some(sdk) = sdk {
            request = request.header("Svc-Sdk-Id", sdk);
        }
        if let Some(authorization) = authorization {
            request = request.header("Authorization", authorization);
        }
        app.send(request.body(Body::from("{}")).unwrap())
    };
    let bearer = format!("Bearer {key}");
    assert_eq!(call(None, Some(&bearer)).await.status_and_code(), "401 MISSING_SDK_ID");
    assert_eq!(call(Some("short"), Some(&bearer)).await.status_and_code(), "401 UNKNOWN_SDK_ID");
    let other = crate::authorisation_matrix::stranger(&app).await.0.to_string();
    assert_eq!(call(Some(&other), Some(&bearer)).await.status_and_code(), "401 UNKNOWN_SDK_ID");
    assert_eq!(call(Some(&id), None).await.status_and_code(), "401 INVALID_API_KEY");
    assert_eq!(call(Some(&id), Some("Bearer assay_nonsense")).await.status_and_code(), "401 INVALID_API_KEY");
    assert_eq!(call(Some(&id), Some(&bearer)).await.status_and_code(), "200");

    // A key may be restricted to other scopes; a token of the token endpoint is accepted as well.
    let narrow = format!("Bearer {}", app.api_key(&["accounts:admin"]).await);
    assert_eq!(call(Some(&id), Some(&narrow)).await.status_and_code(), "403 NOT_ALLOWED");
    let wide = format!("Bearer {}", app.api_key(&["avs:sessions:create"]).await);
    assert_eq!(call(Some(&id), Some(&wide)).await.status_and_code(), "200");
    let token = format!(
        "Bearer {}",
        app.bearer_token(&[domain::tenancy::tokens::TokenScope::AvsSessionsCreate]).await
    );
    assert_eq!(call(Some(&id), Some(&token)).await.status_and_code(), "200");
    assert_eq!(call(Some(&other), Some(&token)).await.status_and_code(), "401 UNKNOWN_SDK_ID");
    let token =
        format!("Bearer {}", app.bearer_token(&[domain::tenancy::tokens::TokenScope::PoaVerify]).await);
    assert_eq!(call(Some(&id), Some(&token)).await.status_and_code(), "403 NOT_ALLOWED");

    let session = Session::new(&app, BASE, &json!({})).await;
    app.execute(db::sql!("UPDATE organisations SET status = 'SUSPENDED'")).await;
    assert_eq!(call(Some(&id), Some(&bearer)).await.status_and_code(), "403 NOT_ALLOWED");
    assert_eq!(
        session.page(&app, "GET", "", None).await.status_and_code(),
        "403 NOT_ALLOWED",
        "nor is the person served"
    );
    app.execute(db::sql!("UPDATE organisations SET status = 'ACTIVE'")).await;
    app.execute(db::sql!("UPDATE applications SET features = '[]'")).await;
    assert_eq!(call(Some(&id), Some(&bearer)).await.status_and_code(), "403 NOT_ALLOWED");
    assert_eq!(session.page(&app, "GET", "", None).await.status_and_code(), "403 NOT_ALLOWED");
}

#[tokio::test]
async fn a_foreign_session_is_none() {
    let app = TestApp::start().await;
    let session = Session::new(&app, BASE, &json!({})).await;
    let (other, key) = crate::authorisation_matrix::stranger(&app).await;
    let key = format!("Bearer {key}");
    for path in [format!("{BASE}/sessions/{}", session.id), format!("{BASE}/sessions/{}/result", session.id)]
    {
        let foreign = app.call_moderation_as(&other.to_string(), "GET", &path, &key, None).await;
        assert_eq!(foreign.status_and_code(), "404 SESSION_NOT_FOUND");
        let missing = path.replace(&session.id, "7a0f0e5c-1b1c-4f4a-9a54-3f9f0f0e7c11");
        let missing = app.call_moderation_as(&other.to_string(), "GET", &missing, &key, None).await;
        assert_eq!((missing.status_and_code(), missing.body), (foreign.status_and_code(), foreign.body));
    }
    // If a page names another application, the session does not exist.
    for (id, line) in [
        (other.to_string(), "404 SESSION_NOT_FOUND"),
        ("x".to_owned(), "404 SESSION_NOT_FOUND"),
        (String::new(), "401 MISSING_SDK_ID"),
    ] {
        let request = Request::builder()
            .uri(format!("/age/v1/sessions/{}", session.id))
            .header("Svc-Sdk-Id", id)
            .body(Body::empty());
        assert_eq!(app.send(request.unwrap()).await.status_and_code(), line);
    }
    // A rule of one application cannot be used by another.
    let rule = app
        .call_moderation_as(
            &other.to_string(),
            "POST",
            &format!("{BASE}/rules"),
            &key,
            Some(json!({ "age_estimation": {} })),
        )
        .await;
    assert_eq!(rule.status_and_code(), "201");
    let payload = json!({ "rule_id": rule.json()["id"] });
    let refused =
        business(&app, &session.key, "POST", &format!("{BASE}/sessions"), Some(payload.clone())).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
    let theirs = app
        .call_moderation_as(&other.to_string(), "POST", &format!("{BASE}/sessions"), &key, Some(payload))
        .await;
    assert_eq!(theirs.status_and_code(), "200");
}

#[tokio::test]
async fn what_cannot_be_used_is_named() {
    let app = TestApp::start().await;
    let key = app.api_key(&[]).await;
    let path = format!("{BASE}/sessions");
    let refused = business(&app, &key, "POST", &path, Some(json!({ "ttl": 10, "type": "OLD" }))).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
    let words = refused.json()["error_message"].as_str().unwrap().to_owned();
    assert!(
        words.contains("ttl: it is 10") && words.contains("type: it is one of AGE, OVER, UNDER"),
        "{words}"
    );
    // No provider for cards is configured.
    let refused = business(&app, &key, "POST", &path, Some(json!({ "credit_card": {} }))).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_VALIDATION_METHODS");

    let send = |kind: Option<&str>, body: Vec<u8>| {
        let mut request = Request::builder()
            .method("POST")
            .uri(&path)
            .header("Authorization", format!("Bearer {key}"))
            .header("Svc-Sdk-Id", app.app.to_string());
        if let Some(kind) = kind {
            request = request.header("Content-Type", kind);
        }
        app.send(request.body(Body::from(body)).unwrap())
    };
    assert_eq!(send(None, b"{}".to_vec()).await.status_and_code(), "400 INVALID_REQUEST");
    assert_eq!(
        send(Some("text/plain"), b"{}".to_vec()).await.status_and_code(),
        "415 UNSUPPORTED_MEDIA_TYPE"
    );
    assert_eq!(send(Some("application/json"), b"[]".to_vec()).await.status_and_code(), "400 INVALID_REQUEST");
    assert_eq!(send(Some("application/json"), b"{".to_vec()).await.status_and_code(), "400 INVALID_REQUEST");
    assert_eq!(
        send(Some("application/json"), vec![b' '; 300 << 10]).await.status_and_code(),
        "413 PAYLOAD_TOO_LARGE"
    );
    let created = send(Some("Application/JSON; charset=utf-8"), b"{\"doc_scan\":{}}".to_vec()).await;
    assert_eq!(
        (created.status_and_code(), created.header("content-type")),
        ("200".to_owned(), "application/json")
    );
    assert_eq!(app.get("/api/v1/nothing").await.status_and_code(), "404 NOT_FOUND");

    let session = Session::new(
        &app,
        BASE,
        &json!({ "doc_scan": {}, "age_estimation": {}, "block_biometric_consent": true }),
    )
    .await;
    for (rest, body, line) in [
        ("/attempts", json!({ "method": "MAGIC" }), "400 INVALID_REQUEST"),
        ("/attempts", json!({ "method": "CREDIT_CARD" }), "400 INVALID_REQUEST"),
        ("/consent", json!({ "given": "yes" }), "400 INVALID_REQUEST"),
        ("/consent", json!({ "given": true }), "409 INVALID_STATUS"),
        ("/attempts/1", json!({}), "409 STALE_CONTINUATION"),
        (
            "/attempts/7a0f0e5c-1b1c-4f4a-9a54-3f9f0f0e7c11",
            json!({ "continuation": "%%%" }),
            "409 STALE_CONTINUATION",
        ),
    ] {
        let refused = session.page(&app, "POST", rest, Some(body)).await;
        assert_eq!(refused.status_and_code(), line, "{rest}");
    }
    let opened = session.open(&app, "AGE_ESTIMATION").await;
    let path = format!("/attempts/{}", opened.attempt());
    for (img, line) in [
        (json!(null), "400 INVALID_REQUEST"),
        (json!("?"), "400 INVALID_REQUEST"),
        (json!("A".repeat(6 << 20)), "400 INVALID_REQUEST"),
    ] {
        let opened = session.open(&app, "AGE_ESTIMATION").await;
        let path = format!("/attempts/{}", opened.attempt());
        let body = json!({ "continuation": opened.0["continuation"], "img": img });
        assert_eq!(session.page(&app, "POST", &path, Some(body)).await.status_and_code(), line);
    }
    let body = json!({ "continuation": opened.0["continuation"], "img": "A".repeat(25 << 20) });
    assert_eq!(
        session.page(&app, "POST", &path, Some(body)).await.status_and_code(),
        "413 PAYLOAD_TOO_LARGE"
    );
    let bomb = json!({ "continuation": opened.0["continuation"] });
    assert_eq!(
        session.page(&app, "POST", &path, Some(bomb)).await.status_and_code(),
        "409 STALE_CONTINUATION"
    );
}

#[tokio::test]
async fn everything_that_is_wrong_with_a_request_is_told_at_once() {
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
    let refused = business(&app, &key, "POST", "/sandbox/api/v1/sessions", Some(payload)).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
    let told = refused.json()["error_message"].as_str().unwrap().to_owned();
    let expected = [
        "account_id: it has 101 characters, at most 100 are taken",
        "age_estimation.allowed: true or false is expected",
        "age_estimation.level: it is one of NONE, PASSIVE, ACTIVE",
        "age_estimation.retry_limit: it is 11; a whole number from 1 to 10 is expected",
        "age_estimation.threshold: it is 0; a whole number from 1 to 120 is expected",
        "blocked_locations[2]: it is no ISO 3166-1 or ISO 3166-2 code",
        "callback.url: it is no address that a person can be sent to",
        "digital_id.age_estimation_threshold: it is 17; at least the threshold of 18 is expected",
        "double_anonymity.threshold: it is 5; a whole number from 6 to 100 is expected",
        "electronic_id.sub_methods[1]: no such provider is set up; there are: declined, over, unavailable, under",
        "electronic_id.sub_methods[2]: a text is expected",
        "email.data.ip_address: it is no IP address",
        "email.data.verified_email: a text is expected",
        "notification_url: it begins with https:",
        "rule_id: it is no UUID",
        "target_origin_url: it begins with https:// or http:// and a host",
        "ttl: a whole number is expected",
    ];
    for one in expected {
        assert!(told.contains(one), "{one} is not in {told}");
    }
    assert_eq!(told.len(), expected.join("; ").len(), "and nothing else: {told}");
}

#[tokio::test]
async fn the_block_of_a_key_is_refused_by_the_name_that_was_sent() {
    let settings = domain::age_verification::AgeVerificationSettings {
        brand: "acme".to_owned(),
        ..domain::age_verification::AgeVerificationSettings::default()
    };
    let app = TestApp::start_with_age_settings(settings).await;
    let key = app.api_key(&[]).await;
    for name in ["acme_key", "svc_key"] {
        let payload = json!({ name: { "threshold": 121, "allowed": 1 }, "age_estimation": {} });
        let refused = business(&app, &key, "POST", &format!("{BASE}/sessions"), Some(payload)).await;
        let words = format!(
            "{name}.allowed: true or false is expected; \
             {name}.threshold: it is 121; a whole number from 1 to 120 is expected"
        );
        assert_eq!(refused.json()["error_message"], words);
    }
}

#[tokio::test]
async fn a_repeat_with_its_key_makes_nothing_more() {
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
async fn a_row_tells_nothing_of_what_it_holds() {
    #[derive(db::FromRow)]
    struct Row {
        sealed: Vec<u8>,
    }
    let app = TestApp::start().await;
    let session =
        Session::new(&app, BASE, &json!({ "doc_scan": {}, "reference_id": "needle-in-a-row" })).await;
    session.open(&app, "DOC_SCAN").await;
    let mut view = app.api.db.read().await.unwrap();
    let rows: Vec<Row> = view.fetch_all(db::sql!("SELECT sealed FROM age_sessions")).await.unwrap();
    assert_eq!(rows.len(), 1);
    for row in rows {
        assert!(!row.sealed.windows(6).any(|bytes| bytes == b"needle"));
    }
}
