//! `GET /idverify/v1/sessions/{sessionId}/tracked-devices`

use crate::document_verification::{
    BASE, DOCUMENT_WANTED, DocumentSessionFixture, relying_party_call, signed_call,
};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn devices_are_listed() {
    let app = TestApp::start().await;
    let meta = api::base64(json!({ "os_name": "Linux", "locale": "sv-SE" }).to_string().as_bytes());
    let path = format!("{BASE}/sessions");
    let made = signed_call(&app, "POST", &path)
        .header("X-Svc-Device-Meta", &meta)
        .body(DOCUMENT_WANTED)
        .send(&app)
        .await;
    let path = format!("{path}/{}/tracked-devices", made.json()["sessionId"].as_str().unwrap());
    assert_response_snapshot!(relying_party_call(&app, "GET", &path, None).await);
}

#[tokio::test]
async fn devices_are_listed_until_they_are_forgotten() {
    let app = TestApp::start().await;
    let device = json!({ "os_name": "Linux", "locale": "sv-SE", "screen": 7 });
    let meta = api::base64(device.to_string().as_bytes());
    let path = format!("{BASE}/sessions");
    let made = signed_call(&app, "POST", &path)
        .header("X-Svc-Device-Meta", &meta)
        .body(DOCUMENT_WANTED)
        .send(&app)
        .await;
    let path = format!("{path}/{}/tracked-devices", made.json()["sessionId"].as_str().unwrap());
    let known = relying_party_call(&app, "GET", &path, None).await.json();
    assert_eq!(
        (&known[0]["event"], &known[0]["device"]),
        (&json!("CREATE_SESSION"), &json!({ "os_name": "Linux", "locale": "sv-SE" }))
    );
    assert_eq!(relying_party_call(&app, "DELETE", &path, None).await.status_and_code(), "204");
    assert_eq!(relying_party_call(&app, "GET", &path, None).await.json(), json!([]));
}

#[tokio::test]
async fn the_first_reading_of_the_configuration_is_an_event() {
    let app = TestApp::start().await;
    let payload = json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] });
    let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
    let device = json!({ "os_name": "Linux", "ip_address": "192.0.2.1", "ip_iso_country_code": "SWE" });
    for _ in 0..2 {
        let meta = api::base64(device.to_string().as_bytes());
        let request = axum::http::Request::get(session.path("/configuration"))
            .header("X-Svc-Auth-Token", &session.token)
            .header("X-Svc-Device-Meta", meta)
            .body(axum::body::Body::empty());
        assert_eq!(app.send(request.unwrap()).await.status_and_code(), "200");
    }
    let known = relying_party_call(&app, "GET", &session.path("/tracked-devices"), None).await.json();
    let events: Vec<_> = known.as_array().unwrap().iter().map(|one| &one["event"]).collect();
    assert_eq!(events, ["CONFIG_FIRST_LOADED"], "{known}");
    assert_eq!(known[0]["device"], device);
}
