//! `GET /idverify/v1/sessions/{sessionId}/tracked-devices`

use crate::document_verification::{BASE, relying_party_call, signed_call};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn devices_are_listed() {
    let app = TestApp::start().await;
    let meta = api::base64(json!({ "os_name": "Linux", "locale": "sv-SE" }).to_string().as_bytes());
    let path = format!("{BASE}/sessions");
    let made =
        signed_call(&app, "POST", &path).header("X-Svc-Device-Meta", &meta).body("{}").send(&app).await;
    let path = format!("{path}/{}/tracked-devices", made.json()["sessionId"].as_str().unwrap());
    assert_response_snapshot!(relying_party_call(&app, "GET", &path, None).await);
}

#[tokio::test]
async fn devices_are_listed_until_they_are_forgotten() {
    let app = TestApp::start().await;
    let device = json!({ "os_name": "Linux", "locale": "sv-SE", "screen": 7 });
    let meta = api::base64(device.to_string().as_bytes());
    let path = format!("{BASE}/sessions");
    let made =
        signed_call(&app, "POST", &path).header("X-Svc-Device-Meta", &meta).body("{}").send(&app).await;
    let path = format!("{path}/{}/tracked-devices", made.json()["sessionId"].as_str().unwrap());
    let known = relying_party_call(&app, "GET", &path, None).await.json();
    assert_eq!(
        (&known[0]["event"], &known[0]["device"]),
        (&json!("CREATE_SESSION"), &json!({ "os_name": "Linux", "locale": "sv-SE" }))
    );
    assert_eq!(relying_party_call(&app, "DELETE", &path, None).await.status_and_code(), "204");
    assert_eq!(relying_party_call(&app, "GET", &path, None).await.json(), json!([]));
}
