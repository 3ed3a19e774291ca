//! `GET /idverify/v1/supported-documents`

use crate::document_verification::BASE;
use serde_json::{Value, json};
use testkit::TestApp;

/// One of the countries; the others are like it.
#[tokio::test]
async fn the_supported_documents_are_listed() {
    let app = TestApp::start().await;
    let mut answer = app.get(&format!("{BASE}/supported-documents")).await;
    let mut body = answer.json();
    body["supported_countries"].as_array_mut().unwrap().retain(|country| country["code"] == "SWE");
    answer.body = body.to_string().into();
    assert_response_snapshot!(answer);
}

#[tokio::test]
async fn the_supported_documents_are_public() {
    let app = TestApp::start().await;
    let list = async |query: &str| app.get(&format!("{BASE}/supported-documents{query}")).await;
    let latin = list("").await.json();
    let all = list("?includeNonLatin=true").await.json();
    let count = |list: &Value| list["supported_countries"].as_array().unwrap().len();
    assert!(count(&latin) > 100 && count(&all) > count(&latin));
    let sweden =
        latin["supported_countries"].as_array().unwrap().iter().find(|one| one["code"] == "SWE").unwrap();
    let passport = &sweden["supported_documents"][0];
    assert_eq!((&passport["type"], &passport["is_strictly_latin"]), (&json!("PASSPORT"), &json!(true)));
    assert!(passport["requirements"]["date_from"].is_string());
    assert_eq!(list("?includeNonLatin=perhaps").await.status_and_code(), "400 PAYLOAD_VALIDATION");
}
