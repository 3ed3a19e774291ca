//! `GET /accounts/{accountId}/notifications/{id}/reviews`

use crate::content_moderation::{AccountFixture, text_members};
use base::Uuid;
use serde_json::json;

#[tokio::test]
async fn the_reviews_of_a_notification_are_listed() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, moderation) = fixture.finished_moderation(json!({})).await;
    let id = fixture.first_notification(&moderation).await;
    fixture.call("POST", &format!("/notifications/{id}/accept"), Some(json!({ "comment": "seen" }))).await;
    assert_response_snapshot!(
        fixture.call("GET", &format!("/notifications/{id}/reviews"), None).await,
        "reviews.*.created_at"
    );
}

/// A business that reviews in its own back office passes on who decided: each is a reviewer of their own.
#[tokio::test]
async fn a_key_passes_on_whose_decision_it_is() {
    let fixture = AccountFixture::start_with_media().await;
    let (ada, cookie) = fixture.add_member("ada@example.com", false, &["notifications:manage"]).await;
    let (bob, _) = fixture.add_member("bob@example.com", false, &[]).await;
    let (_, moderation) = fixture.finished_moderation(json!({})).await;
    let id = fixture.first_notification(&moderation).await;
    for (member, action) in [(Some(&ada), "accept"), (Some(&bob), "dismiss"), (None, "accept")] {
        let body = json!({ "comment": action, "member_id": member });
        let answer = fixture.call("POST", &format!("/notifications/{id}/{action}"), Some(body)).await;
        assert_eq!(answer.status_and_code(), "200", "{}", answer.json());
    }
    let reviews = fixture.get(&format!("/notifications/{id}/reviews")).await;
    let users: Vec<Uuid> =
        text_members(&reviews["reviews"], "user_id").into_iter().map(|id| id.parse().unwrap()).collect();
    assert_eq!(users.len(), 3, "{reviews}");
    assert!([&ada, &bob].into_iter().all(|member| users.contains(&member.parse().unwrap())), "{reviews}");
    assert!(users.iter().all(|id| id.get_version_num() == 4), "the interface's ids are of versions 1 to 5");

    let body = json!({ "member_id": "0b5e7c1e-3c41-4a52-9d4b-2d9a4b0f7f11" });
    let unknown = fixture.call("POST", &format!("/notifications/{id}/accept"), Some(body)).await;
    assert_eq!(unknown.status_and_code(), "400 INVALID_REQUEST");
    let path = fixture.path(&format!("/notifications/{id}/accept"));
    let other = fixture.call_console(&cookie, "POST", &path, Some(json!({ "member_id": bob }))).await;
    assert_eq!(other.status_and_code(), "400 INVALID_REQUEST", "Ada does not decide for Bob");
    let own = fixture.call_console(&cookie, "POST", &path, Some(json!({ "member_id": ada }))).await;
    assert_eq!(own.status_and_code(), "200");
}
