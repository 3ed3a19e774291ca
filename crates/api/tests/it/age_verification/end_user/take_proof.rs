//! Taking a proof of age along.

use crate::age_verification::stored_results::{complete_session, start_server};
use media::fetch::EgressPolicy;
use serde_json::json;

#[tokio::test]
async fn a_proof_is_taken_along() {
    let app = start_server(&EgressPolicy::default()).await;
    let session = complete_session(&app, json!({})).await;
    let taken = session.end_user_call(&app, "POST", "/proof", None).await;
    assert_response_snapshot!(taken, "url");
}
