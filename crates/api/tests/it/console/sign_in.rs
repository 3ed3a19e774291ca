//! `POST /console/sign-in`

use crate::{console::start_over_https_without_mail, content_moderation::AccountFixture};
use api::{GeoLocator, GeoSettings, RateLimit};
use axum::{body::Body, http::Request};
use base::SignedDuration;
use db::sql;
use serde_json::json;
use std::{num::NonZeroU32, sync::Arc};
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
    fixture.app.environment.advance(SignedDuration::from_mins(15));
    assert_eq!(
        fixture.post_signed_out("/console/session", json!({ "link": link })).await.status_and_code(),
        "401 UNAUTHORIZED",
        "too old"
    );
    for many in [3, 4, 5, 5, 5] {
        assert_eq!(asked("ada@example.com").await, many, "five in an hour");
    }
    fixture.app.environment.advance(SignedDuration::from_hours(1));
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
async fn sign_in_links_are_limited_by_network_address_and_by_mailbox() {
    let few = NonZeroU32::new(2).unwrap();
    let app = TestApp::start_with(|api| {
        let settings =
            GeoSettings { address_header: Some("X-Forwarded-For".to_owned()), ..GeoSettings::default() };
        api.geo_locator = Arc::new(GeoLocator::open(&settings).unwrap());
        api.sign_in_rate_limit = Arc::new(RateLimit::new(few, few));
        api.mailbox_rate_limit = Arc::new(RateLimit::per_hour(NonZeroU32::new(3).unwrap()));
    })
    .await;
    let ask = async |address: &str, email: &str| {
        let request = Request::post("/console/sign-in").header("X-Assay-Console", "1");
        let request = request.header("X-Forwarded-For", address);
        let answer = app.send(request.body(Body::from(json!({ "email": email }).to_string())).unwrap()).await;
        (answer.status_and_code(), answer.header("retry-after").parse().unwrap_or(0_u32), answer.body)
    };
    for email in ["a@example.com", "b@example.com"] {
        assert_eq!(ask("192.0.2.1", email).await.0, "202");
    }
    let (refused, wait, body) = ask("192.0.2.1", "c@example.com").await;
    assert_eq!(refused, "429 TOO_MANY_REQUESTS");
    assert!((1..=30).contains(&wait), "{wait}");
    assert!(String::from_utf8_lossy(&body).contains("at most 2"), "{body:?}");
    assert_eq!(ask("192.0.2.2", "c@example.com").await.0, "202", "others are not shut out");
    // A mailbox, whoever asks, in whatever case, and whether or not it is a member's.
    for address in ["198.51.100.1", "198.51.100.2", "198.51.100.3"] {
        assert_eq!(ask(address, "Nobody@example.com").await.0, "202");
    }
    let (refused, wait, body) = ask("198.51.100.4", "nobody@example.com").await;
    assert_eq!(refused, "429 TOO_MANY_REQUESTS");
    assert!((60..=1200).contains(&wait), "{wait}");
    assert!(String::from_utf8_lossy(&body).contains("mailbox"), "{body:?}");
}

#[tokio::test]
async fn strangers_do_not_wait_for_the_writer() {
    let fixture = AccountFixture::start().await;
    // Somebody writes, and does not stop.
    let _writer = fixture.app.api.db.write().await.unwrap();
    for (path, body) in [
        ("/console/session", json!({ "link": "2mCk0S6yVqgE3fT8xJpQn5dWb1uR7zLhA4oKvXcYiBM" })),
        ("/console/session", json!({ "invitation": "2mCk0S6yVqgE3fT8xJpQn5dWb1uR7zLhA4oKvXcYiBM" })),
    ] {
        let answer = fixture.post_signed_out(path, body);
        let answer = tokio::time::timeout(std::time::Duration::from_secs(3), answer).await;
        assert_eq!(answer.unwrap().status_and_code(), "401 UNAUTHORIZED");
    }
    let request = Request::post("/poa/v1/holder/credentials").header("Authorization", "Bearer none");
    let request = request.body(Body::from(json!({ "keys": ["AAAA"] }).to_string())).unwrap();
    let answer = tokio::time::timeout(std::time::Duration::from_secs(3), fixture.app.send(request)).await;
    assert_eq!(answer.unwrap().json()["error"], "INVALID_TOKEN", "before the keys are read");
}
