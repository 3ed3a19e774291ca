//! Headers that protect browsers, and who may show the hosted pages in a frame.

use crate::{
    age_verification::hosted_session,
    document_verification::{DocumentSessionFixture, relying_party_call},
};
use api::{ReadinessProbe, StartupServer, StartupState, StartupStatus, VirtualHosts};
use axum::{
    Router,
    body::Body,
    http::{HeaderName, Request},
    routing::get,
};
use base::SignedDuration;
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

/// Who may show the page at this path in a frame.
async fn frame_ancestors(router: &Router, path: &str) -> String {
    let policy = header(router, path, "content-security-policy").await;
    policy.split_once("frame-ancestors ").unwrap().1.to_owned()
}

/// Pages as they come from the crate that has them.
fn pages() -> Router {
    let page =
        || async { ([("content-security-policy", "script-src 'self'; frame-ancestors 'none'")], "page") };
    Router::new()
        .route("/age", get(page))
        .route("/sandbox/age", get(page))
        .route("/idverify/v1/web/index.html", get(page))
        .route("/sandbox/idverify/v1/web/index.html", get(page))
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

/// Answers of a server that has not started yet, and of the operators' listener.
#[tokio::test]
async fn no_listener_and_no_moment_lacks_the_headers_that_every_answer_has() {
    let app = TestApp::start().await;
    let mut api = app.api.clone();
    let mut settings = (*api.settings).clone();
    settings.public_url = "https://assay.example.com".to_owned();
    api.settings = Arc::new(settings);
    let server = StartupServer {
        probe: ReadinessProbe {
            db: api.db.clone(),
            image_analyser: api.image_analyser.clone(),
            data_disk: api.data_disk.clone(),
            startup: StartupStatus::new(StartupState::WaitingForDatabase),
        },
        metrics: api.metrics.clone(),
        public_url: api.settings.public_url.clone(),
    };
    let hosts = VirtualHosts::default();
    let starting = api::startup_router(server, api.brand.clone(), api.environment.clone(), hosts, true);
    for (router, paths) in [
        (starting, ["/healthz", "/readyz", "/metrics", "/ai/v1/age"]),
        (api::admin_router(api), ["/healthz", "/readyz", "/metrics", "/nothing"]),
    ] {
        for path in paths {
            assert_eq!(header(&router, path, "content-security-policy").await, POLICY, "{path}");
            assert_eq!(header(&router, path, "x-content-type-options").await, "nosniff", "{path}");
            let kept = header(&router, path, "strict-transport-security").await;
            assert_eq!(kept, "max-age=31536000", "{path}");
            assert_eq!(header(&router, path, "x-request-id").await.len(), 36, "{path}");
        }
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
    let ancestors = async |path: &str| frame_ancestors(&router, path).await;
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

/// The page around a frame is told that the time is over, or that the token was used: the frame must be shown for that.
#[tokio::test]
async fn a_document_page_is_framed_by_its_business_when_its_session_is_over_too() {
    const SANDBOX: &str = "/sandbox/idverify/v1";
    let app = TestApp::start().await;
    let router = api::router(app.api.clone(), pages());
    let ancestors = async |id: &str, token: &str| {
        let path = format!("{SANDBOX}/web/index.html?sessionID={id}&sessionToken={token}");
        frame_ancestors(&router, &path).await
    };
    let payload = json!({
        "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }],
        "sdk_config": { "success_url": "https://shop.example.com/done", "error_url": "https://help.example.com/" },
    });
    let create = async || {
        let path = format!("{SANDBOX}/sessions");
        let created = relying_party_call(&app, "POST", &path, Some(payload.clone())).await.json();
        let text = |name: &str| created[name].as_str().unwrap().to_owned();
        (text("session_id"), text("client_session_token"))
    };
    let ((finished, used), (expired, late)) = (create().await, create().await);
    let business = "'self' https://help.example.com https://shop.example.com";
    assert_eq!(ancestors(&finished, &used).await, business, "open");

    let session = DocumentSessionFixture::of_end_user(finished.clone(), used.clone(), SANDBOX);
    session.supply_document(&app).await;
    session.finish(&app).await;
    let refused = session.end_user_call(&app, "GET", "/configuration", None).await;
    assert_eq!(refused.status_and_code(), "401 BAD_TOKEN");
    assert_eq!(ancestors(&finished, &used).await, business, "finished");

    app.environment.advance(SignedDuration::from_secs(600));
    let session = DocumentSessionFixture::of_end_user(expired.clone(), late.clone(), SANDBOX);
    let refused = session.end_user_call(&app, "GET", "/configuration", None).await;
    assert_eq!(refused.status_and_code(), "409 SESSION_EXPIRED");
    assert_eq!(ancestors(&expired, &late).await, business, "expired");
    app.api.document_verification.sweep().await.unwrap();
    assert_eq!(ancestors(&expired, &late).await, business, "swept");

    assert_eq!(ancestors(&expired, &used).await, "'self'", "the token of another session");
    assert_eq!(relying_party_call(&app, "DELETE", &session.path(""), None).await.status_and_code(), "204");
    assert_eq!(ancestors(&expired, &late).await, "'self'", "deleted");
}
