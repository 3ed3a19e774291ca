//! `/console/approvals`: four eyes. And accounts, for operators.

use super::{CONSOLE, ConsoleFixture};
use base::SignedDuration;
use domain::{
    accounts::sign_in::SignInSettings,
    authentication::SecondFactorPolicy,
    operators::{BuiltInRole, OperatorGrant},
};
use serde_json::{Value, json};

/// A server where four eyes are needed or not, and two operators.
async fn start(four_eyes: bool) -> (ConsoleFixture, String, String) {
    let settings = SignInSettings {
        four_eyes,
        second_factor: SecondFactorPolicy::Off,
        ..SignInSettings::for_public_url(CONSOLE)
    };
    let fixture = ConsoleFixture::with(settings).await;
    let grant = || OperatorGrant::of_role(BuiltInRole::Administrator);
    let (ada, _) = fixture.add_operator("ada@example.com", grant()).await;
    let (grace, _) = fixture.add_operator("grace@example.com", grant()).await;
    (fixture, ada, grace)
}

fn approval_path(asked: &Value, decision: &str) -> String {
    format!("/console/approvals/{}/{decision}", asked["approval_id"].as_str().unwrap())
}

async fn account_count(fixture: &ConsoleFixture) -> i64 {
    fixture.app.api.db.read().await.unwrap().count(db::sql!("SELECT count(*) FROM accounts")).await.unwrap()
}

#[tokio::test]
async fn accounts_are_listed() {
    let (fixture, ada, _) = start(false).await;
    fixture.app.open_account().await;
    let listed = fixture.get(&ada, "/console/accounts").await;
    let name = listed.json()["accounts"][0]["name"].clone();
    assert_response_snapshot!(listed, "accounts.*.created_at", (&name, "account name"));
}

#[tokio::test]
async fn without_four_eyes_an_operator_deletes_an_account() {
    let (fixture, ada, _) = start(false).await;
    let account = fixture.app.open_account().await;
    let path = format!("/console/accounts/{account}");
    assert_response_snapshot!(fixture.call(&ada, "DELETE", &path, None).await);
    assert_eq!(account_count(&fixture).await, 0);
    assert_eq!(fixture.call(&ada, "DELETE", &path, None).await.status_and_code(), "404 NOT_FOUND");
}

#[tokio::test]
async fn what_was_asked_for_is_listed() {
    let (fixture, ada, _) = start(true).await;
    let path = format!("/console/applications/{}/keys", fixture.app.app);
    fixture.call(&ada, "POST", &path, Some(json!({ "name": "New", "scopes": ["contents:list"] }))).await;
    let listed = fixture.get(&ada, "/console/approvals").await;
    assert_response_snapshot!(listed, "approvals.*.requested_at approvals.*.expires_at");
}

#[tokio::test]
async fn another_operator_approves_the_deletion_of_an_account() {
    let (fixture, ada, grace) = start(true).await;
    let account = fixture.app.open_account().await;
    let asked = fixture.call(&ada, "DELETE", &format!("/console/accounts/{account}"), None).await;
    assert_eq!(asked.status, 202, "{}", asked.json());
    assert_eq!(account_count(&fixture).await, 1, "nothing was done yet");
    let approve = approval_path(&asked.json(), "approve");
    let own = fixture.call(&ada, "POST", &approve, None).await;
    assert_eq!(own.status_and_code(), "409 CONFLICT", "not by who asked for it");
    assert_eq!(account_count(&fixture).await, 1);
    assert_response_snapshot!(fixture.call(&grace, "POST", &approve, None).await);
    assert_eq!(account_count(&fixture).await, 0);
    let again = fixture.call(&grace, "POST", &approve, None).await;
    assert_eq!(again.status_and_code(), "404 NOT_FOUND", "once");
    let audited = fixture.audited().await;
    for kind in ["approval.request", "approval.approve", "account.close", "account.delete"] {
        assert!(audited.iter().any(|recorded| recorded == kind), "{kind}: {audited:?}");
    }
}

#[tokio::test]
async fn another_operator_refuses() {
    let (fixture, ada, grace) = start(true).await;
    let account = fixture.app.open_account().await;
    let asked = fixture.call(&ada, "DELETE", &format!("/console/accounts/{account}"), None).await.json();
    assert_response_snapshot!(fixture.call(&grace, "POST", &approval_path(&asked, "refuse"), None).await);
    let late = fixture.call(&grace, "POST", &approval_path(&asked, "approve"), None).await;
    assert_eq!(late.status_and_code(), "404 NOT_FOUND");
    assert_eq!(account_count(&fixture).await, 1);
    let listed = fixture.get(&ada, "/console/approvals").await.json();
    assert_eq!(listed["approvals"][0]["state"], "REFUSED");
}

#[tokio::test]
async fn an_approval_is_given_within_a_day() {
    let (fixture, ada, grace) = start(true).await;
    let account = fixture.app.open_account().await;
    let asked = fixture.call(&ada, "DELETE", &format!("/console/accounts/{account}"), None).await.json();
    // Both are still signed in.
    for _ in 0..3 {
        fixture.app.world.advance(SignedDuration::from_hours(8));
        for cookie in [&ada, &grace] {
            assert_eq!(fixture.get(cookie, "/console/session").await.status, 200);
        }
    }
    for decision in ["approve", "refuse"] {
        let late = fixture.call(&grace, "POST", &approval_path(&asked, decision), None).await;
        assert_eq!(late.status_and_code(), "404 NOT_FOUND");
    }
}

#[tokio::test]
async fn keys_are_made_and_revoked_by_two() {
    let (fixture, ada, grace) = start(true).await;
    let account = format!("/accounts/{}", fixture.app.open_account().await);
    let path = format!("/console/applications/{}/keys", fixture.app.app);
    let asked = fixture.call(&ada, "POST", &path, Some(json!({ "name": "New", "scopes": [] }))).await;
    assert_eq!(asked.status, 202, "{}", asked.json());
    let key = asked.json()["key"].as_str().unwrap().to_owned();
    let status = async || fixture.app.call_moderation("GET", &account, &key, None).await.status.as_u16();
    assert_eq!(status().await, 401, "not yet");
    // Whoever approves it does not learn it.
    let listed = fixture.get(&grace, "/console/approvals").await;
    assert!(!String::from_utf8_lossy(&listed.body).contains(&key));
    let approved = fixture.call(&grace, "POST", &approval_path(&asked.json(), "approve"), None).await;
    assert_eq!(approved.status, 204, "{}", approved.json());
    assert_eq!(status().await, 200);

    let id = fixture.get(&ada, &path).await.json()["keys"][0]["id"].as_str().unwrap().to_owned();
    let revoke = format!("{path}/{id}");
    let asked = fixture.call(&ada, "DELETE", &revoke, None).await;
    assert_eq!((asked.status.as_u16(), status().await), (202, 200));
    let approved = fixture.call(&grace, "POST", &approval_path(&asked.json(), "approve"), None).await;
    assert_eq!((approved.status.as_u16(), status().await), (204, 401));
    let gone = fixture.call(&ada, "DELETE", &revoke, None).await;
    assert_eq!(gone.status_and_code(), "404 NOT_FOUND", "nobody is asked about what cannot be done");
}

#[tokio::test]
async fn of_two_who_decide_at_the_same_time_one_does() {
    let (fixture, ada, grace) = start(true).await;
    let (third, _) =
        fixture.add_operator("eve@example.com", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    let account = fixture.app.open_account().await;
    let asked = fixture.call(&ada, "DELETE", &format!("/console/accounts/{account}"), None).await.json();
    let (approve, refuse) = (approval_path(&asked, "approve"), approval_path(&asked, "refuse"));
    let (first, second) = tokio::join!(
        fixture.call(&grace, "POST", &approve, None),
        fixture.call(&third, "POST", &refuse, None)
    );
    let done = [first.status, second.status].iter().filter(|status| status.is_success()).count();
    assert_eq!(done, 1, "{} {}", first.status, second.status);
}

#[tokio::test]
async fn only_those_decide_who_may() {
    let (fixture, ada, _) = start(true).await;
    let (support, _) =
        fixture.add_operator("max@example.com", OperatorGrant::of_role(BuiltInRole::Support)).await;
    let account = fixture.app.open_account().await;
    let asked = fixture.call(&ada, "DELETE", &format!("/console/accounts/{account}"), None).await.json();
    for decision in ["approve", "refuse"] {
        let refused = fixture.call(&support, "POST", &approval_path(&asked, decision), None).await;
        assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "{decision}");
    }
}
