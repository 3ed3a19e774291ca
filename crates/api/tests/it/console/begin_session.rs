//! `POST /console/session`

use crate::content_moderation::AccountFixture;
use serde_json::json;

#[tokio::test]
async fn a_member_signs_in_by_an_invitation() {
    let fixture = AccountFixture::start().await;
    fixture.invite(json!({ "email": "ada@example.com", "scopes": ["contents:list"] })).await;
    let invitation = json!({ "invitation": fixture.mailed_token("invite").await });
    let name = fixture.get("").await["name"].clone();
    let entered = fixture.post_signed_out("/console/session", invitation).await;
    assert_response_snapshot!(entered, (&name, "account name"), "member.created_at");
}

#[tokio::test]
async fn an_unknown_invitation_is_refused() {
    let fixture = AccountFixture::start().await;
    let entered = fixture.post_signed_out("/console/session", json!({ "invitation": "none" })).await;
    assert_response_snapshot!(entered);
}
