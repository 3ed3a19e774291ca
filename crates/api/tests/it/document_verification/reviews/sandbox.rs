//! Reviews of production, as the sandbox sees them.

use crate::document_verification::{BASE, SANDBOX, relying_party_call, session_in_review};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn the_sandbox_reaches_no_review_of_production() {
    let app = TestApp::start().await;
    let check = session_in_review(&app).await;
    let nobody = "018f3c8e-0000-7000-8000-00000000000a";
    let listed = relying_party_call(&app, "GET", &format!("{SANDBOX}/reviews"), None).await;
    assert_eq!((listed.status_and_code().as_str(), listed.json()), ("200", json!({ "reviews": [] })));
    for (method, body) in [
        ("GET", None),
        ("PUT", Some(json!({ "decision": "APPROVE", "reason": "it is them", "reviewer": "ada" }))),
    ] {
        let answer = async |base: &str, check: &str| {
            let path = format!("{base}/reviews/{check}");
            relying_party_call(&app, method, &path, body.clone()).await.status_and_code()
        };
        let unknown = answer(BASE, nobody).await;
        assert!(unknown.starts_with("404 "), "{unknown}");
        assert_eq!(answer(SANDBOX, &check).await, unknown, "{method}");
    }
    let waiting = relying_party_call(&app, "GET", &format!("{BASE}/reviews"), None).await.json();
    assert_eq!(waiting["reviews"][0]["check_id"], json!(check), "it still waits");
}
