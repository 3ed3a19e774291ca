//! `DELETE /accounts/{accountId}/profiles/{profileId}/dismissals/{dismissalId}`

use super::dismissals::dismissed_profile;
use crate::{
    content_moderation::AccountFixture,
    erasure::{assert_erased_from_files, stored_needle},
};
use db::sql;
use serde_json::json;

#[tokio::test]
async fn a_dismissal_is_undone() {
    let fixture = AccountFixture::start_with_media().await;
    let id = dismissed_profile(&fixture).await;
    let path = format!("/profiles/{id}/dismissals");
    let dismissal = fixture.get(&path).await["dismissals"][0]["id"].as_str().unwrap().to_owned();
    let embedding = stored_needle(&fixture.app, sql!("SELECT embedding AS bytes FROM negative_labels")).await;
    let path = format!("{path}/{dismissal}");
    let undone = fixture.call("DELETE", &path, None);
    assert_response_snapshot!(assert_erased_from_files(&fixture.app, &embedding, undone).await);
}

#[tokio::test]
async fn a_dismissal_is_undone_by_who_accepts_after_all() {
    let fixture = AccountFixture::start_with_media().await;
    let id = dismissed_profile(&fixture).await;
    let dismissals = fixture.get(&format!("/profiles/{id}/dismissals")).await;
    let notification = dismissals["dismissals"][0]["notification_id"].as_str().unwrap();
    let embedding = stored_needle(&fixture.app, sql!("SELECT embedding AS bytes FROM negative_labels")).await;
    let path = format!("/notifications/{notification}/accept");
    let accepting = fixture.call("POST", &path, Some(json!({ "comment": "them after all" })));
    let accepted = assert_erased_from_files(&fixture.app, &embedding, accepting).await;
    assert!(accepted.status.is_success(), "{}", accepted.json());
}
