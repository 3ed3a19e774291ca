//! `DELETE /idverify/v1/sessions/{sessionId}/tracked-devices`

use crate::{
    document_verification::{BASE, DocumentSessionFixture, relying_party_call},
    erasure::{assert_erased_from_files, stored_needle},
};
use db::sql;
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn devices_are_forgotten() {
    let app = TestApp::start().await;
    let session = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] }),
    )
    .await;
    let before = stored_needle(&app, sql!("SELECT sealed AS bytes FROM identity_sessions")).await;
    let path = session.path("/tracked-devices");
    let forgetting = relying_party_call(&app, "DELETE", &path, None);
    assert_response_snapshot!(assert_erased_from_files(&app, &before, forgetting).await);
}
