//! `POST /console/sign-in`

use crate::{console::start_over_https_without_mail, content_moderation::AccountFixture};
use base::SignedDuration;
use db::sql;
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn a_sign_in_link_is_requested() {
    let fixture = AccountFixture::start().await;
    let body = json!({ "email": "ada@example.com" });
    assert_response_snapshot!(fixture.post_signed_out("/console/sign-in", body).await);
}

#[tokio::test]
async fn an_unusable_email_address_is_refused() {
    let fixture = AccountFixture::start().await;
    assert_response_snapshot!(fixture.post_signed_out("/console/sign-in", json!({ "email": "none" })).await);
}

#[tokio::test]
async fn without_a_mail_server_links_and_invitations_are_unavailable() {
    let fixture = start_over_https_without_mail().await;
    let invited = fixture.invite(json!({ "email": "ada@example.com" })).await;
    assert_eq!(invited.status_and_code(), "503 UNAVAILABLE");
    assert!(invited.json()["message"].as_str().unwrap().contains("mail.host"));
    let stored =
        fixture.count(sql!("SELECT (SELECT count(*) FROM invitations) + (SELECT count(*) FROM jobs)")).await;
    assert_eq!(stored, 0, "refused before anything was stored");
    let asked = fixture.post_signed_out("/console/sign-in", json!({ "email": "ada@example.com" })).await;
    assert_response_snapshot!(asked);
}

#[tokio::test]
async fn a_sign_in_link_works_once_and_for_fifteen_minutes() {
    let fixture = AccountFixture::start().await;
    let (id, _) = fixture.add_member("ada@example.com", false, &[]).await;
    let before = fixture.app.sent_mails().len();
    let asked = async |email: &str| {
        let answer = fixture.post_signed_out("/console/sign-in", json!({ "email": email })).await;
        assert_eq!((answer.status.as_u16(), answer.body.len()), (202, 0), "{email}");
        fixture.app.run_due_jobs().await;
        fixture.app.sent_mails().len() - before
    };
    assert_eq!(asked("nobody@example.com").await, 0, "nobody is told who is a member");
    assert_eq!(asked("ADA@example.com").await, 1);
    let link = fixture.mailed_token("sign-in").await;
    let entered = fixture.post_signed_out("/console/session", json!({ "link": link })).await;
    assert_eq!(entered.json()["member"]["id"], id.as_str());
    assert_eq!(
        fixture.post_signed_out("/console/session", json!({ "link": link })).await.status_and_code(),
        "401 UNAUTHORIZED",
        "once"
    );

    assert_eq!(asked("ada@example.com").await, 2);
    let link = fixture.mailed_token("sign-in").await;
    fixture.app.world.advance(SignedDuration::from_mins(15));
    assert_eq!(
        fixture.post_signed_out("/console/session", json!({ "link": link })).await.status_and_code(),
        "401 UNAUTHORIZED",
        "too old"
    );
    for many in [3, 4, 5, 5, 5] {
        assert_eq!(asked("ada@example.com").await, many, "five in an hour");
    }
    fixture.app.world.advance(SignedDuration::from_hours(1));
    assert_eq!(asked("ada@example.com").await, 6);
    assert_eq!(
        fixture.post_signed_out("/console/sign-in", json!({ "email": "none" })).await.status_and_code(),
        "400 INVALID_REQUEST"
    );
    assert_eq!(
        fixture.post_signed_out("/console/session", json!({})).await.status_and_code(),
        "400 INVALID_REQUEST"
    );
}

#[tokio::test]
async fn requests_for_sign_in_links_share_one_rate_limit() {
    let few = std::num::NonZeroU32::new(2).unwrap();
    let app = TestApp::start_with(|api| {
        api.sign_in_rate_limit = std::sync::Arc::new(api::RateLimit::new(few, few));
    })
    .await;
    let fixture = AccountFixture::of(app).await;
    for email in ["a@example.com", "b@example.com"] {
        assert_eq!(fixture.post_signed_out("/console/sign-in", json!({ "email": email })).await.status, 202);
    }
    let empty = fixture.post_signed_out("/console/sign-in", json!({ "email": "c@example.com" })).await;
    assert_eq!(empty.status_and_code(), "429 TOO_MANY_REQUESTS");
    assert!(!empty.header("retry-after").is_empty());
}
