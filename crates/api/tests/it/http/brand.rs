//! Header names and error codes of another brand.

use crate::http::{PASSED, call};
use testkit::TestApp;

#[tokio::test]
async fn a_brand_renames_headers_and_codes() {
    let app = TestApp::start_with(|api| api.brand = api::Brand::new("Acme").unwrap()).await;
    assert_eq!(call().send(&app).await.status_and_code(), PASSED);
    assert_eq!(call().auth_id(None).send(&app).await.status_and_code(), "401 INVALID_X_ACME_AUTH_ID");
    assert_eq!(call().digest(None).send(&app).await.status_and_code(), "401 INVALID_ACME_AUTH_DIGEST");
    let document = app.get("/openapi/ai.json").await;
    let text = String::from_utf8_lossy(&document.body).into_owned();
    assert!(
        text.contains("X-Acme-Auth-Id") && !text.contains("Svc"),
        "the document speaks the brand's words"
    );
}
