//! `GET /accounts/{accountId}/contents/{id}/moderations`

use crate::content_moderation::AccountFixture;

#[tokio::test]
async fn the_moderations_of_a_content_are_listed() {
    let fixture = AccountFixture::start_with_media().await;
    let (content, _) = fixture.waiting_moderation().await;
    assert_response_snapshot!(fixture.call("GET", &format!("/contents/{content}/moderations"), None).await);
}
