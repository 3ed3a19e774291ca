//! `/console/sessions`, and those of members.

use super::{CONSOLE, ConsoleFixture};
use crate::content_moderation::{AccountFixture, session_cookie, text_members};
use axum::{body::Body, http::Request};
use domain::{accounts::sign_in::SignInSettings, operators::BuiltInRole};
use serde_json::json;

const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

#[tokio::test]
async fn sessions_are_listed() {
    let fixture = ConsoleFixture::start().await;
    let (cookie, mut device) = fixture.operator("ada@example.com", BuiltInRole::Auditor).await;
    let answer = fixture.passkey_answer(&mut device).await;
    let request =
        Request::post("/console/session").header("X-Assay-Console", "1").header("User-Agent", FIREFOX);
    let body = Body::from(json!({ "passkey": answer }).to_string());
    assert_eq!(fixture.app.send(request.body(body).unwrap()).await.status, 200);
    let listed = fixture.get(&cookie, "/console/sessions").await;
    let times = "sessions.*.created_at sessions.*.last_used_at sessions.*.ends_at";
    assert_eq!(listed.json()["sessions"].as_array().unwrap().len(), 2);
    let firefox = |session: &&serde_json::Value| session["browser"] == "Firefox";
    assert_eq!(listed.json()["sessions"].as_array().unwrap().iter().filter(firefox).count(), 1);
    // One of them is enough: the clock stands still, so their order is that of their ids.
    fixture.call(&cookie, "DELETE", "/console/sessions", None).await;
    assert_response_snapshot!(fixture.get(&cookie, "/console/sessions").await, times);
}

#[tokio::test]
async fn all_other_sessions_are_ended() {
    let fixture = ConsoleFixture::start().await;
    let (cookie, mut device) = fixture.operator("ada@example.com", BuiltInRole::Auditor).await;
    let answer = fixture.passkey_answer(&mut device).await;
    let other = session_cookie(&fixture.enter(json!({ "passkey": answer })).await);
    let (eve, _) = fixture.operator("eve@example.com", BuiltInRole::Auditor).await;
    assert_response_snapshot!(fixture.call(&cookie, "DELETE", "/console/sessions", None).await);
    assert_eq!(fixture.get(&other, "/console/session").await.status_and_code(), "401 UNAUTHORIZED");
    for left in [&cookie, &eve] {
        assert_eq!(fixture.get(left, "/console/session").await.status, 200);
    }
}

#[tokio::test]
async fn one_session_is_ended_by_its_holder_alone() {
    let fixture = ConsoleFixture::start().await;
    let (cookie, _) = fixture.operator("ada@example.com", BuiltInRole::Administrator).await;
    let (eve, _) = fixture.operator("eve@example.com", BuiltInRole::Administrator).await;
    let listed = fixture.get(&eve, "/console/sessions").await.json();
    let path = format!("/console/sessions/{}", text_members(&listed["sessions"], "id")[0]);
    let refused = fixture.call(&cookie, "DELETE", &path, None).await;
    assert_eq!(refused.status_and_code(), "404 NOT_FOUND", "somebody else's");
    assert_response_snapshot!(fixture.call(&eve, "DELETE", &path, None).await);
    assert_eq!(fixture.get(&eve, "/console/session").await.status_and_code(), "401 UNAUTHORIZED");
}

#[tokio::test]
async fn a_sign_in_ends_the_session_that_the_browser_had() {
    let fixture = ConsoleFixture::start().await;
    let (before, mut device) = fixture.operator("ada@example.com", BuiltInRole::Auditor).await;
    let answer = fixture.passkey_answer(&mut device).await;
    let entered = fixture.post(&before, "/console/session", json!({ "passkey": answer })).await;
    assert_ne!(session_cookie(&entered), before, "never one that the browser chose");
    assert_eq!(fixture.get(&before, "/console/session").await.status_and_code(), "401 UNAUTHORIZED");
    let listed = fixture.get(&session_cookie(&entered), "/console/sessions").await.json();
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 1);
}

async fn account() -> AccountFixture {
    AccountFixture::of(ConsoleFixture::with(SignInSettings::for_public_url(CONSOLE)).await.app).await
}

#[tokio::test]
async fn sessions_of_a_member_are_listed() {
    let account = account().await;
    let (_, admin) = account.add_member("ada@example.com", true, &[]).await;
    let (eve, _) = account.add_member("eve@example.com", false, &[]).await;
    let path = format!("/console/members/{eve}/sessions");
    let listed = account.call_console(&admin, "GET", &path, None).await;
    assert_response_snapshot!(listed, "sessions.*.created_at sessions.*.last_used_at sessions.*.ends_at");
}

#[tokio::test]
async fn sessions_of_a_member_are_ended() {
    let account = account().await;
    let (_, admin) = account.add_member("ada@example.com", true, &[]).await;
    let (eve, cookie) = account.add_member("eve@example.com", false, &[]).await;
    let path = format!("/console/members/{eve}/sessions");
    assert_response_snapshot!(account.call_console(&admin, "DELETE", &path, None).await);
    let over = account.call_console(&cookie, "GET", "/console/session", None).await;
    assert_eq!(over.status_and_code(), "401 UNAUTHORIZED");
}

#[tokio::test]
async fn only_those_who_manage_members_of_the_account_see_their_sessions() {
    let account = account().await;
    let (ada, admin) = account.add_member("ada@example.com", true, &[]).await;
    let (eve, plain) = account.add_member("eve@example.com", false, &[]).await;
    let (_, manager) = account.add_member("max@example.com", false, &["members:manage"]).await;
    let of = |id: &str| format!("/console/members/{id}/sessions");
    for method in ["GET", "DELETE"] {
        let refused = account.call_console(&plain, method, &of(&ada), None).await;
        assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "without the scope");
        let refused = account.call_console(&manager, method, &of(&ada), None).await;
        assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "an administrator's");
    }
    assert_eq!(account.call_console(&manager, "GET", &of(&eve), None).await.status, 200);

    // A member of another account, of the same application.
    let other = account.app.open_account().await;
    let foreign = AccountFixture { account: other, ..account };
    let (zoe, _) = foreign.add_member("zoe@example.com", false, &[]).await;
    for method in ["GET", "DELETE"] {
        let refused = foreign.call_console(&admin, method, &of(&zoe), None).await;
        assert_eq!(refused.status_and_code(), "404 NOT_FOUND", "{method}");
    }
}
