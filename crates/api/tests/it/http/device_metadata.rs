//! What client libraries send about their device.

use crate::http::call;
use testkit::TestApp;

#[tokio::test]
async fn device_metadata_is_optional_but_must_be_readable() {
    let app = TestApp::start().await;
    let meta = |json: &str| call().header("x-svc-device-meta", &api::base64(json.as_bytes()));
    let known = meta(r#"{"os_name":"Android","locale":"de-DE"}"#).header("x-svc-sdk", "shop/1");
    assert_eq!(known.send(&app).await.status_and_code(), "400 IMAGE_NOT_PROVIDED");

    let wrong = meta(r#"{"os_name":7}"#).send(&app).await;
    assert_eq!(wrong.status_and_code(), "400 INVALID_REQUEST_BODY");
    let words = wrong.json()["error_message"].as_str().unwrap().to_owned();
    assert!(words.contains("x-svc-device-meta") && words.contains("os_name"), "{words}");
    let plain = call().header("x-svc-device-meta", "{}").send(&app).await;
    assert_eq!(plain.status_and_code(), "400 INVALID_REQUEST_BODY");
}
