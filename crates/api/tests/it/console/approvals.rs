//! `/console/approvals`: four eyes. And accounts, for operators.

use super::{CONSOLE, ConsoleFixture, message};
use crate::content_moderation::{AccountFixture, created_id};
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

/// Such as one of a newer build, before the server was put back to this one.
#[tokio::test]
async fn what_cannot_be_read_does_not_hide_the_others() {
    let (fixture, ada, grace) = start(true).await;
    let mut asked = Vec::new();
    for _ in 0..3 {
        let path = format!("/console/accounts/{}", fixture.app.open_account().await);
        let answer = fixture.call(&ada, "DELETE", &path, None).await;
        asked.push(answer.json()["approval_id"].as_str().unwrap().to_owned());
    }
    let id = |at: usize| -> base::ApprovalId { asked[at].parse().unwrap() };
    let mut tx = fixture.app.api.db.write().await.unwrap();
    tx.execute(db::sql!("UPDATE approvals SET action = $2 WHERE id = $1", id(0), "account.move"))
        .await
        .unwrap();
    tx.execute(db::sql!("UPDATE approvals SET details = $2 WHERE id = $1", id(1), json!([]))).await.unwrap();
    tx.commit().await.unwrap();
    let listed = fixture.get(&grace, "/console/approvals").await;
    assert_eq!(listed.status, 200, "{}", listed.json());
    let listed = listed.json()["approvals"].clone();
    let ids: Vec<_> = listed.as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
    assert_eq!(ids, [json!(asked[2])]);
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
        fixture.app.environment.advance(SignedDuration::from_hours(8));
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
async fn a_key_without_a_hash_is_not_made() {
    let (fixture, ada, grace) = start(true).await;
    let path = format!("/console/applications/{}/keys", fixture.app.app);
    let before = fixture.get(&ada, &path).await.json();
    let asked = fixture.call(&ada, "POST", &path, Some(json!({ "name": "New", "scopes": [] }))).await.json();
    let details =
        json!({ "app": fixture.app.app, "name": "New", "hash": "", "scopes": [], "expires_at": null });
    let mut tx = fixture.app.api.db.write().await.unwrap();
    tx.execute(db::sql!("UPDATE approvals SET details = $1", details)).await.unwrap();
    tx.commit().await.unwrap();
    let refused = fixture.call(&grace, "POST", &approval_path(&asked, "approve"), None).await;
    assert_eq!(refused.status_and_code(), "409 CONFLICT");
    assert!(message(&refused).contains("not a hash"), "{}", message(&refused));
    assert_eq!(fixture.get(&ada, &path).await.json(), before);
    let refused = fixture.call(&grace, "POST", &approval_path(&asked, "refuse"), None).await;
    assert_eq!(refused.status, 204, "{}", refused.json());
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

const INVITATIONS: &str = "/console/operators/invitations";

/// An operator who has just accepted their invitation; their cookie, and their path.
async fn colleague(fixture: &ConsoleFixture, email: &str, role: BuiltInRole) -> (String, String) {
    let (cookie, body) = fixture.add_operator(email, OperatorGrant::of_role(role)).await;
    (cookie, format!("/console/operators/{}", body["operator"]["id"].as_str().unwrap()))
}

/// Whoever could alone invite somebody who asks, or somebody who approves, could be both.
#[tokio::test]
async fn rights_to_ask_and_to_approve_are_not_given_alone() {
    let (fixture, ada, grace) = start(true).await;
    let (_, auditor) = colleague(&fixture, "eve@example.com", BuiltInRole::Auditor).await;
    let role = json!({ "name": "Role", "scopes": [] });
    let role = created_id(&fixture.post(&ada, "/console/operator-roles", role).await);
    let role_path = format!("/console/operator-roles/{role}");
    let scopes =
        ["organisations:manage", "keys:manage", "sessions:manage", "operators:manage", "deletions:approve"];
    for scope in scopes {
        let invited = json!({ "email": "max@example.com", "scopes": [scope] });
        let changed = json!({ "name": "Role", "scopes": [scope] });
        for (method, path, body) in [
            ("POST", INVITATIONS, invited),
            ("PUT", auditor.as_str(), json!({ "role": "auditor", "scopes": [scope] })),
            ("PUT", role_path.as_str(), changed),
        ] {
            let asked = fixture.call(&ada, method, path, Some(body)).await;
            assert_eq!(asked.status, 202, "{method} {path} {scope}: {}", asked.json());
            let own = fixture.call(&ada, "POST", &approval_path(&asked.json(), "approve"), None).await;
            assert_eq!(own.status_and_code(), "409 CONFLICT", "{method} {path} {scope}");
        }
    }
    assert_eq!(fixture.get(&ada, INVITATIONS).await.json(), json!({ "invitations": [] }));
    assert_eq!(fixture.get(&ada, "/console/operator-roles").await.json()["roles"][0]["scopes"], json!([]));
    let listed = fixture.get(&ada, "/console/operators").await.json()["operators"].clone();
    let eve = listed.as_array().unwrap().iter().find(|one| one["email"] == "eve@example.com").unwrap();
    assert_eq!(eve["scopes"].as_array().unwrap().len(), 5, "those of an auditor");

    // All others are, and every right can be taken.
    let invited = json!({ "email": "max@example.com", "role": "auditor", "scopes": ["jobs:manage"] });
    created_id(&fixture.post(&ada, INVITATIONS, invited).await);
    let changed = json!({ "name": "Role", "scopes": ["applications:manage", "trust:manage"] });
    assert_eq!(fixture.call(&ada, "PUT", &role_path, Some(changed)).await.status, 204);
    for grant in [json!({ "role": role, "scopes": ["deliveries:manage"] }), json!({})] {
        assert_eq!(fixture.call(&ada, "PUT", &auditor, Some(grant)).await.status, 204);
    }
    let own = fixture.get(&grace, "/console/session").await.json()["operator"]["id"].clone();
    let path = format!("/console/operators/{}", own.as_str().unwrap());
    assert_eq!(fixture.call(&ada, "PUT", &path, Some(json!({ "role": "auditor" }))).await.status, 204);
}

#[tokio::test]
async fn an_operator_is_invited_by_two() {
    let (fixture, ada, grace) = start(true).await;
    let body =
        json!({ "email": "max@example.com", "name": "Max", "role": "support", "scopes": ["audit:view"] });
    let asked = fixture.post(&ada, INVITATIONS, body).await.json();
    fixture.app.run_due_jobs().await;
    let mails = fixture.app.sent_mails().len();
    let shown = fixture.get(&grace, "/console/approvals").await.json()["approvals"][0].clone();
    let expected = json!(["operator-invitation.create", "max@example.com", "Max", "support", ["audit:view"]]);
    let told = ["action", "email", "name", "role", "scopes"].map(|member| shown[member].clone());
    assert_eq!(json!(told), expected);
    let approved = fixture.call(&grace, "POST", &approval_path(&asked, "approve"), None).await;
    assert_eq!(approved.status, 204, "{}", approved.json());
    let token = fixture.mailed_token("operator-invite").await;
    assert_eq!(fixture.app.sent_mails().len(), mails + 1, "not before");
    let entered = fixture.enter(json!({ "operator_invitation": token })).await.json();
    assert_eq!(entered["operator"]["name"], "Max", "{entered}");
    assert!(entered["operator"]["scopes"].as_array().unwrap().contains(&json!("sessions:manage")));

    // Nobody is asked about what cannot be done.
    let again = json!({ "email": "MAX@example.com", "role": "support" });
    assert_eq!(fixture.post(&ada, INVITATIONS, again).await.status_and_code(), "409 CONFLICT");
}

#[tokio::test]
async fn operators_and_their_roles_are_given_rights_by_two() {
    let (fixture, ada, grace) = start(true).await;
    let (eve, path) = colleague(&fixture, "eve@example.com", BuiltInRole::Auditor).await;
    let role = json!({ "name": "Tenants", "scopes": ["organisations:manage"] });
    let role = created_id(&fixture.post(&ada, "/console/operator-roles", role).await);
    let role_path = format!("/console/operator-roles/{role}");
    let status = async |path: &str| fixture.get(&eve, path).await.status.as_u16();
    for (path, body, opened) in [
        (&path, json!({ "role": role }), "/console/organisations"),
        (
            &role_path,
            json!({ "name": "Tenants", "scopes": ["organisations:manage", "operators:manage"] }),
            "/console/operators",
        ),
    ] {
        let asked = fixture.call(&ada, "PUT", path, Some(body)).await;
        assert_eq!((asked.status.as_u16(), status(opened).await), (202, 401), "{}", asked.json());
        let approved = fixture.call(&grace, "POST", &approval_path(&asked.json(), "approve"), None).await;
        assert_eq!((approved.status.as_u16(), status(opened).await), (204, 200), "{}", approved.json());
    }
    let nobody = "/console/operators/018f3c8e-0000-4000-8000-00000000000a";
    let refused = fixture.call(&ada, "PUT", nobody, Some(json!({ "role": "support" }))).await;
    assert_eq!(refused.status_and_code(), "404 NOT_FOUND", "nobody is asked about what cannot be done");
}

#[tokio::test]
async fn an_operator_with_such_rights_is_let_in_again_by_two() {
    let (fixture, ada, grace) = start(true).await;
    for (email, role, by_two) in [
        ("eve@example.com", BuiltInRole::Administrator, true),
        ("max@example.com", BuiltInRole::Auditor, false),
    ] {
        let (_, path) = colleague(&fixture, email, role).await;
        assert_eq!(fixture.call(&ada, "POST", &format!("{path}/disable"), None).await.status, 204);
        let enabled = fixture.call(&ada, "POST", &format!("{path}/enable"), None).await;
        assert_eq!(enabled.status.as_u16(), if by_two { 202 } else { 204 }, "{email}");
        if by_two {
            let approve = approval_path(&enabled.json(), "approve");
            assert_eq!(fixture.call(&grace, "POST", &approve, None).await.status, 204);
        }
        assert_eq!(fixture.enter_by_mail(email).await.status, 200, "{email}");
    }
}

/// A member needs no approval for what they do with the keys and sessions of their own application.
#[tokio::test]
async fn an_operator_gives_members_such_rights_with_another_one() {
    let (fixture, ada, grace) = start(true).await;
    let account = AccountFixture::of(fixture.app).await;
    let (eve, cookie) = account.add_member("eve@example.com", false, &[]).await;
    let fixture = ConsoleFixture { app: account.app };
    let path = format!("/console/members/{eve}/console-scopes");
    let give = async |scopes: &[&str]| {
        fixture.call(&ada, "PUT", &path, Some(json!({ "console_scopes": scopes }))).await
    };
    let held = async || fixture.get(&cookie, "/console/session").await.json()["console_scopes"].clone();
    assert_eq!(give(&["documents:review"]).await.status, 204);
    for scope in ["keys:manage", "sessions:manage"] {
        let asked = give(&[scope]).await;
        assert_eq!(asked.status, 202, "{}", asked.json());
        assert_eq!(held().await, json!(["documents:review"]));
    }
    let asked = give(&["keys:manage"]).await.json();
    let approved = fixture.call(&grace, "POST", &approval_path(&asked, "approve"), None).await;
    assert_eq!(approved.status, 204, "{}", approved.json());
    assert_eq!(held().await, json!(["keys:manage"]));
    assert_eq!(give(&["keys:manage", "usage:view"]).await.status, 204, "they have the one already");
}

#[tokio::test]
async fn nothing_is_done_for_somebody_who_may_not_do_it_any_more() {
    let (fixture, ada, grace) = start(true).await;
    let account = fixture.app.open_account().await;
    let (eve, path) = colleague(&fixture, "eve@example.com", BuiltInRole::Administrator).await;
    let asked = fixture.call(&eve, "DELETE", &format!("/console/accounts/{account}"), None).await.json();
    let disable = format!("{path}/disable");
    for (method, path, body) in [("PUT", &path, Some(json!({ "role": "auditor" }))), ("POST", &disable, None)]
    {
        assert_eq!(fixture.call(&ada, method, path, body).await.status, 204, "{method}");
        let refused = fixture.call(&grace, "POST", &approval_path(&asked, "approve"), None).await;
        assert_eq!(refused.status_and_code(), "409 CONFLICT", "{method}");
        assert!(message(&refused).contains("may not do it any more"), "{}", message(&refused));
    }
    assert_eq!(account_count(&fixture).await, 1);
    let refused = fixture.call(&grace, "POST", &approval_path(&asked, "refuse"), None).await;
    assert_eq!(refused.status, 204, "it can be refused");
}
