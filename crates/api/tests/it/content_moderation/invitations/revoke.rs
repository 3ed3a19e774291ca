//! `DELETE /accounts/{accountId}/invitations/{invitationId}`

use crate::{content_moderation::AccountFixture, erasure::assert_erased_from_files};
use base::SignedDuration;
use serde_json::json;

#[tokio::test]
async fn an_invitation_is_revoked() {
    let fixture = AccountFixture::start().await;
    let id = fixture.create("/invitations", json!({ "email": "ada@example.com" })).await;
    let path = format!("/invitations/{id}");
    let revoking = fixture.call("DELETE", &path, None);
    assert_response_snapshot!(assert_erased_from_files(&fixture.app, b"ada@example.com", revoking).await);
}

#[tokio::test]
async fn an_invitation_ends_after_a_week_or_when_it_is_revoked() {
    let fixture = AccountFixture::start().await;
    let id = fixture.invite(json!({ "email": "ada@example.com" })).await.json()["id"].clone();
    let token = fixture.mailed_token("invite").await;
    let path = format!("/invitations/{}", id.as_str().unwrap());
    assert_eq!(fixture.call("DELETE", &path, None).await.status, 204);
    assert_eq!(fixture.call("DELETE", &path, None).await.status_and_code(), "404 NOT_FOUND");
    assert_eq!(
        fixture.post_signed_out("/console/session", json!({ "invitation": token })).await.status_and_code(),
        "401 UNAUTHORIZED"
    );

    fixture.invite(json!({ "email": "ada@example.com" })).await;
    let token = fixture.mailed_token("invite").await;
    fixture.app.environment.advance(SignedDuration::from_hours(7 * 24));
    assert_eq!(
        fixture.post_signed_out("/console/session", json!({ "invitation": token })).await.status_and_code(),
        "401 UNAUTHORIZED"
    );
    assert_eq!(fixture.call("GET", "/invitations", None).await.json(), json!({ "invitations": [] }));
}
