//! Who may call, and how often: relying parties, end users and strangers.

use crate::age_verification::{AgeSessionFixture, BASE, SANDBOX, relying_party_call};
use api::RateLimit;
use axum::{body::Body, http::Request};
use domain::tenancy::limits::LimitSettings;
use serde_json::json;
use std::{num::NonZeroU32, sync::Arc};
use testkit::{TestApp, TestResponse};

#[tokio::test]
async fn a_caller_without_a_key_is_refused() {
    let app = TestApp::start().await;
    let request = Request::post(format!("{BASE}/sessions"))
        .header("Content-Type", "application/json")
        .header("Svc-Sdk-Id", app.app.to_string());
    assert_response_snapshot!(app.send(request.body(Body::from("{}")).unwrap()).await);
}

#[tokio::test]
async fn each_credential_is_accepted_or_refused_with_its_reason() {
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
    let other = crate::tenants::other_application(&app).await.0.to_string();
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

    let session = AgeSessionFixture::create(&app, BASE, &json!({})).await;
    app.execute(db::sql!("UPDATE organisations SET status = 'SUSPENDED'")).await;
    assert_eq!(call(Some(&id), Some(&bearer)).await.status_and_code(), "403 NOT_ALLOWED");
    assert_eq!(
        session.end_user_call(&app, "GET", "", None).await.status_and_code(),
        "403 NOT_ALLOWED",
        "nor is the person served"
    );
    app.execute(db::sql!("UPDATE organisations SET status = 'ACTIVE'")).await;
    app.execute(db::sql!("UPDATE applications SET features = '[]'")).await;
    assert_eq!(call(Some(&id), Some(&bearer)).await.status_and_code(), "403 NOT_ALLOWED");
    assert_eq!(session.end_user_call(&app, "GET", "", None).await.status_and_code(), "403 NOT_ALLOWED");
}

#[tokio::test]
async fn a_session_or_rule_of_another_application_answers_like_a_missing_one() {
    let app = TestApp::start().await;
    let session = AgeSessionFixture::create(&app, BASE, &json!({})).await;
    let (other, key) = crate::tenants::other_application(&app).await;
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
        relying_party_call(&app, &session.key, "POST", &format!("{BASE}/sessions"), Some(payload.clone()))
            .await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
    let allowed = app
        .call_moderation_as(&other.to_string(), "POST", &format!("{BASE}/sessions"), &key, Some(payload))
        .await;
    assert_eq!(allowed.status_and_code(), "200");
}

#[tokio::test]
async fn a_disabled_application_is_not_served() {
    let app = TestApp::start().await;
    let session = AgeSessionFixture::create(&app, BASE, &json!({ "age_estimation": {} })).await;
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
            let refused =
                relying_party_call(&app, &session.key, method, &format!("{base}{rest}"), body).await;
            assert_eq!(refused.status_and_code(), "403 NOT_ALLOWED", "{method} {base}{rest}");
        }
        assert_eq!(session.end_user_call(&app, "GET", "", None).await.status_and_code(), "403 NOT_ALLOWED");
    }
}

#[tokio::test]
async fn an_application_and_an_end_user_each_have_a_rate_limit() {
    let (one, two) = (NonZeroU32::MIN, NonZeroU32::new(2).unwrap());
    let limits = LimitSettings { calls_per_minute: Some(two), ..LimitSettings::default() };
    let app = TestApp::builder().limits(limits).start().await;
    let key = app.api_key(&[]).await;
    let ask = async |base: &str| {
        relying_party_call(&app, &key, "POST", &format!("{base}/sessions"), Some(json!({}))).await
    };
    // Production and sandbox share the limit of the application.
    for (base, remaining) in [(BASE, "1"), (SANDBOX, "0")] {
        let answer = ask(base).await;
        let reported = (answer.header("ratelimit-limit"), answer.header("ratelimit-remaining"));
        assert_eq!((answer.status_and_code().as_str(), reported), ("200", ("2", remaining)));
    }
    let refused = ask(BASE).await;
    assert_eq!(refused.status_and_code(), "429 TOO_MANY_REQUESTS");
    assert_eq!(refused.header("ratelimit-remaining"), "0");
    assert!((1..=60).contains(&refused.header("retry-after").parse::<u32>().unwrap()));
    let key = app.api_key(&[]).await;
    let other = relying_party_call(&app, &key, "GET", &format!("{BASE}/sessions/none"), None).await;
    assert_eq!(other.status_and_code(), "429 TOO_MANY_REQUESTS", "another key of the same application");

    let app = TestApp::start_with(|api| api.end_user_rate_limit = Arc::new(RateLimit::new(one, two))).await;
    let own = AgeSessionFixture::create(&app, BASE, &json!({})).await;
    let other = AgeSessionFixture::create(&app, BASE, &json!({})).await;
    for line in ["200", "200", "429 TOO_MANY_REQUESTS"] {
        assert_eq!(own.end_user_call(&app, "GET", "", None).await.status_and_code(), line);
    }
    let refused = own.end_user_call(&app, "POST", "/cancel", None).await;
    assert_eq!(refused.status_and_code(), "429 TOO_MANY_REQUESTS");
    assert!(refused.header("retry-after").parse::<u32>().unwrap() >= 1);
    assert_eq!(
        other.end_user_call(&app, "GET", "", None).await.status_and_code(),
        "200",
        "each person has their own"
    );
}

#[tokio::test]
async fn answers_to_end_users_have_rate_limit_headers() {
    let few = NonZeroU32::new(5).unwrap();
    let app = TestApp::start_with(|api| {
        api.end_user_rate_limit = Arc::new(api::RateLimit::new(NonZeroU32::MIN, few));
    })
    .await;
    let left = |answer: &TestResponse| {
        ["ratelimit-limit", "ratelimit-remaining"].map(|name| answer.header(name).to_owned())
    };
    let session = AgeSessionFixture::create(&app, SANDBOX, &json!({ "digital_id": {} })).await;

    // The end user on the page of a session, and the wallet that they use, whose calls are counted with theirs.
    let opened = session.open_attempt(&app, "DIGITAL_ID").await;
    let seen = session.end_user_call(&app, "GET", "", None).await;
    assert_eq!((seen.status_and_code(), left(&seen)), ("200".to_owned(), ["5".to_owned(), "3".to_owned()]));
    let wallet = opened.step()["url"].as_str().unwrap();
    let wallet = app.get(&wallet[wallet.find("/sandbox/").unwrap()..]).await;
    assert_eq!(
        (wallet.status_and_code(), left(&wallet)),
        ("200".to_owned(), ["5".to_owned(), "2".to_owned()])
    );

    // An anonymous caller who begins at the issuer.
    let request = Request::post("/age/v1/anonymity/sessions").body(Body::from("{\"threshold\":18}"));
    let begun = app.send(request.unwrap()).await;
    assert_eq!(left(&begun), ["5", "4"]);

    // A refusal has the headers as well.
    for _ in 0..2 {
        session.end_user_call(&app, "GET", "", None).await;
    }
    let refused = session.end_user_call(&app, "GET", "", None).await;
    assert_eq!(
        (refused.status_and_code(), left(&refused)),
        ("429 TOO_MANY_REQUESTS".to_owned(), ["5".to_owned(), "0".to_owned()])
    );
    assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
}
