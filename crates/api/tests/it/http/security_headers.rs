//! Headers that protect browsers, and who may show the hosted pages in a frame.

use crate::age_verification::hosted_session;
use axum::{
    Router,
    body::Body,
    http::{HeaderName, Request},
    routing::get,
};
use serde_json::json;
use std::sync::Arc;
use testkit::TestApp;
use tower::ServiceExt as _;

const POLICY: &str = "default-src 'none'; frame-ancestors 'none'";

async fn header(router: &Router, path: &str, name: &'static str) -> String {
    let answer = router.clone().oneshot(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
    let value = answer.headers().get(HeaderName::from_static(name));
    value.map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default()
}

/// Pages as they come from the crate that has them.
fn pages() -> Router {
    let page =
        || async { ([("content-security-policy", "script-src 'self'; frame-ancestors 'none'")], "page") };
    Router::new()
        .route("/age", get(page))
        .route("/sandbox/age", get(page))
        .route("/idverify/v1/web/index.html", get(page))
        .route("/console/", get(page))
}

#[tokio::test]
async fn every_answer_has_a_policy_and_https_is_kept_to() {
    let app = TestApp::start().await;
    let router = api::router(app.api.clone(), pages());
    for path in ["/healthz", "/ai/v1/age", "/accounts", "/nothing", "/openapi/ai.json"] {
        assert_eq!(header(&router, path, "content-security-policy").await, POLICY, "{path}");
        assert_eq!(header(&router, path, "x-content-type-options").await, "nosniff", "{path}");
        assert_eq!(
            header(&router, path, "strict-transport-security").await,
            "",
            "{path}: the address is http"
        );
    }
    let reference = header(&router, "/reference/index.html", "content-security-policy").await;
    assert!(
        reference.contains("script-src 'self';") && reference.contains("frame-ancestors 'none'"),
        "{reference}"
    );

    let mut api = app.api.clone();
    let mut settings = (*api.settings).clone();
    settings.public_url = "https://assay.example.com".to_owned();
    api.settings = Arc::new(settings);
    let router = api::router(api, pages());
    for path in ["/healthz", "/nothing", "/reference/index.html", "/age"] {
        assert_eq!(header(&router, path, "strict-transport-security").await, "max-age=31536000", "{path}");
    }
}

#[tokio::test]
async fn operator_paths_can_have_a_listener_of_their_own() {
    let app = TestApp::start().await;
    let mut api = app.api.clone();
    let mut settings = (*api.settings).clone();
    settings.has_admin_listener = true;
    api.settings = Arc::new(settings);
    let (public, admin) = (api::router(api.clone(), pages()), api::admin_router(api));
    let status = async |router: &Router, path: &str| {
        let request = Request::get(path).body(Body::empty()).unwrap();
        router.clone().oneshot(request).await.unwrap().status().as_u16()
    };
    for path in ["/metrics", "/readyz", "/openapi/ai.json", "/reference/index.html"] {
        assert_eq!(status(&public, path).await, 404, "{path}");
        assert_ne!(status(&admin, path).await, 404, "{path}");
    }
    for path in ["/healthz"] {
        assert_eq!((status(&public, path).await, status(&admin, path).await), (200, 200), "{path}");
    }
    assert_eq!(status(&admin, "/accounts").await, 404, "no interface");
    assert_eq!(status(&admin, "/age").await, 404, "no page");
}

#[tokio::test]
async fn a_page_may_be_framed_by_the_business_of_its_session_alone() {
    let app = TestApp::start().await;
    let mut api = app.api.clone();
    let mut settings = (*api.settings).clone();
    settings.frame_origins = vec!["https://portal.example.com".to_owned().try_into().unwrap()];
    api.settings = Arc::new(settings);
    let router = api::router(api, pages());
    let ancestors = async |path: &str| {
        let policy = header(&router, path, "content-security-policy").await;
        policy.split_once("frame-ancestors ").unwrap().1.to_owned()
    };
    let payload = json!({
        "target_origin_url": "https://shop.example.com/checkout",
        "callback": { "url": "https://shop.example.com:8443/done" },
        "notification_url": "https://hooks.example.com/age",
    });
    let id = hosted_session(&app, &payload).await;
    let shop = "https://hooks.example.com https://portal.example.com https://shop.example.com https://shop.example.com:8443";
    assert_eq!(ancestors(&format!("/age?sessionId={id}&sdkId={}", app.app)).await, format!("'self' {shop}"));
    assert_eq!(ancestors("/age").await, "'self' https://portal.example.com");
    assert_eq!(ancestors(&format!("/sandbox/age?sessionId={id}")).await, "'self' https://portal.example.com");
    let document = format!("/idverify/v1/web/index.html?sessionID=x&ageSessionId={id}");
    assert_eq!(ancestors(&document).await, format!("'self' {shop}"), "in the page of an age session");
    assert_eq!(ancestors("/console/").await, "'none'");
}
