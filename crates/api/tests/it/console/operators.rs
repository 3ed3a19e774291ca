//! `/console/operators` and `/console/operator-roles`.

use super::{ConsoleFixture, message};
use crate::{
    content_moderation::{created_id, first_error, session_cookie},
    erasure::assert_erased_from_files,
    http::late_body,
};
use domain::{
    authentication::SecondFactorPolicy,
    operators::{BuiltInRole, OperatorGrant, OperatorScope},
};
use serde_json::json;

/// A fixture without second factors, and its first operator's cookie and id.
async fn start() -> (ConsoleFixture, String, String) {
    let fixture = ConsoleFixture::with_policy(SecondFactorPolicy::Off).await;
    let (cookie, body) =
        fixture.add_operator("ada@example.com", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    let id = body["operator"]["id"].as_str().unwrap().to_owned();
    (fixture, cookie, id)
}

/// One who may manage operators and nothing else.
async fn manager(fixture: &ConsoleFixture) -> (String, String) {
    let grant = OperatorGrant { role: None, scopes: vec![OperatorScope::OperatorsManage] };
    let (cookie, body) = fixture.add_operator("max@example.com", grant).await;
    (cookie, body["operator"]["id"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn an_operator_who_is_disabled_while_the_body_arrives_invites_nobody() {
    let (fixture, cookie, _) = start().await;
    let invite = async |email: &str, meanwhile: db::Query| {
        let body = json!({ "email": email, "role": "support" }).to_string();
        let body = late_body(&fixture.app, body, 2, meanwhile);
        fixture.send(&cookie, "POST", "/console/operators/invitations", body).await
    };
    let unchanged = db::sql!("UPDATE operators SET name = name");
    assert_eq!(invite("grace@example.com", unchanged).await.status, 201);
    let disabled = db::sql!("UPDATE operators SET disabled_at = created_at");
    assert_eq!(invite("eve@example.com", disabled).await.status_and_code(), "401 UNAUTHORIZED");
    let invited = db::sql!("SELECT count(*) FROM operator_invitations");
    assert_eq!(fixture.app.api.db.read().await.unwrap().count(invited).await.unwrap(), 1);
}

#[tokio::test]
async fn operators_are_listed() {
    let (fixture, cookie, _) = start().await;
    assert_response_snapshot!(fixture.get(&cookie, "/console/operators").await, "operators.*.created_at");
}

#[tokio::test]
async fn an_operator_is_invited_by_mail() {
    let (fixture, cookie, _) = start().await;
    let body =
        json!({ "email": "grace@example.com", "name": "Grace", "role": "support", "scopes": ["audit:view"] });
    assert_response_snapshot!(fixture.post(&cookie, "/console/operators/invitations", body).await);
    let token = fixture.mailed_token("operator-invite").await;
    let entered = fixture.enter(json!({ "operator_invitation": token })).await.json();
    assert_eq!(entered["operator"]["name"], "Grace");
    let scopes = entered["operator"]["scopes"].as_array().unwrap();
    assert!(scopes.contains(&json!("audit:view")) && scopes.contains(&json!("jobs:manage")));
    assert!(!scopes.contains(&json!("operators:manage")));
    let again = json!({ "email": "GRACE@example.com", "role": "support" });
    let refused = fixture.post(&cookie, "/console/operators/invitations", again).await;
    assert_eq!(refused.status_and_code(), "409 CONFLICT");
}

#[tokio::test]
async fn invitations_are_listed() {
    let (fixture, cookie, _) = start().await;
    let body = json!({ "email": "grace@example.com", "role": "support" });
    created_id(&fixture.post(&cookie, "/console/operators/invitations", body).await);
    let listed = fixture.get(&cookie, "/console/operators/invitations").await;
    assert_response_snapshot!(listed, "invitations.*.created_at invitations.*.expires_at");
}

#[tokio::test]
async fn an_invitation_is_revoked() {
    let (fixture, cookie, _) = start().await;
    let body = json!({ "email": "grace@example.com", "role": "support" });
    let id = created_id(&fixture.post(&cookie, "/console/operators/invitations", body).await);
    let token = fixture.mailed_token("operator-invite").await;
    let path = format!("/console/operators/invitations/{id}");
    let revoking = fixture.call(&cookie, "DELETE", &path, None);
    assert_response_snapshot!(assert_erased_from_files(&fixture.app, b"grace@example.com", revoking).await);
    assert_eq!(fixture.call(&cookie, "DELETE", &path, None).await.status_and_code(), "404 NOT_FOUND");
    let refused = fixture.enter(json!({ "operator_invitation": token })).await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED");
}

/// Whoever is let in no more, or may invite nobody any more, must not have somebody wait at the door.
#[tokio::test]
async fn an_invitation_works_as_long_as_whoever_sent_it_could_still_send_it() {
    let (fixture, ada, _) = start().await;
    let (max, id) = manager(&fixture).await;
    let invitations = "/console/operators/invitations";
    let body = json!({ "email": "eve@example.com", "scopes": ["operators:manage"] });
    created_id(&fixture.post(&max, invitations, body).await);
    let token = fixture.mailed_token("operator-invite").await;
    let path = format!("/console/operators/{id}");
    let open = async || fixture.get(&ada, invitations).await.json()["invitations"].as_array().unwrap().len();
    let enter = async || fixture.enter(json!({ "operator_invitation": token })).await.status_and_code();
    for (grant, left) in [(json!({ "role": "auditor" }), 0), (json!({ "scopes": ["operators:manage"] }), 1)] {
        assert_eq!(fixture.call(&ada, "PUT", &path, Some(grant.clone())).await.status, 204);
        assert_eq!(open().await, left, "{grant}");
        if left == 0 {
            assert_eq!(enter().await, "401 UNAUTHORIZED");
        }
    }
    // Whoever is disabled has no invitations when they are let in again.
    for word in ["disable", "enable"] {
        assert_eq!(fixture.call(&ada, "POST", &format!("{path}/{word}"), None).await.status, 204);
        assert_eq!((open().await, enter().await.as_str()), (0, "401 UNAUTHORIZED"), "{word}");
    }
}

#[tokio::test]
async fn what_an_operator_may_do_is_set() {
    let (fixture, cookie, _) = start().await;
    let (eve, body) =
        fixture.add_operator("eve@example.com", OperatorGrant::of_role(BuiltInRole::Auditor)).await;
    let path = format!("/console/operators/{}", body["operator"]["id"].as_str().unwrap());
    let grant = json!({ "role": "support", "scopes": ["organisations:manage"] });
    assert_response_snapshot!(fixture.call(&cookie, "PUT", &path, Some(grant)).await);
    assert_eq!(fixture.get(&eve, "/console/organisations").await.status, 200, "from the next call on");
    let none = json!({});
    assert_eq!(fixture.call(&cookie, "PUT", &path, Some(none)).await.status, 204);
    assert_eq!(fixture.get(&eve, "/console/organisations").await.status_and_code(), "401 UNAUTHORIZED");
    for (grant, property) in
        [(json!({ "role": "king" }), "role"), (json!({ "scopes": ["all"] }), "scopes[0]")]
    {
        let refused = fixture.call(&cookie, "PUT", &path, Some(grant)).await;
        assert_eq!(first_error(&refused)["property"], property);
    }
}

#[tokio::test]
async fn nobody_gives_what_they_do_not_have() {
    let (fixture, _, ada) = start().await;
    let (manager, own) = manager(&fixture).await;
    let invited = json!({ "email": "grace@example.com", "role": "administrator" });
    let role = json!({ "name": "Everything", "scopes": ["keys:manage"] });
    for (method, path, body) in [
        ("POST", "/console/operators/invitations".to_owned(), invited),
        ("PUT", format!("/console/operators/{own}"), json!({ "role": "administrator" })),
        ("POST", "/console/operator-roles".to_owned(), role),
    ] {
        let refused = fixture.call(&manager, method, &path, Some(body)).await;
        assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "{method} {path}");
        assert!(message(&refused).contains("may give it"), "{}", message(&refused));
    }
    // What somebody has already may stay.
    let kept = json!({ "role": "administrator" });
    let path = format!("/console/operators/{ada}");
    assert_eq!(fixture.call(&manager, "PUT", &path, Some(kept)).await.status, 204);
}

#[tokio::test]
async fn an_operator_is_disabled() {
    let (fixture, cookie, _) = start().await;
    let (eve, body) =
        fixture.add_operator("eve@example.com", OperatorGrant::of_role(BuiltInRole::Auditor)).await;
    let path = format!("/console/operators/{}/disable", body["operator"]["id"].as_str().unwrap());
    assert_response_snapshot!(fixture.call(&cookie, "POST", &path, None).await);
    assert_eq!(fixture.get(&eve, "/console/session").await.status_and_code(), "401 UNAUTHORIZED");
    fixture.app.run_due_jobs().await;
    let mails = fixture.app.sent_mails().len();
    fixture.post("", "/console/sign-in", json!({ "email": "eve@example.com" })).await;
    fixture.app.run_due_jobs().await;
    assert_eq!(fixture.app.sent_mails().len(), mails, "no link is sent to them");
}

#[tokio::test]
async fn an_operator_is_enabled_again() {
    let (fixture, cookie, _) = start().await;
    let (eve, body) =
        fixture.add_operator("eve@example.com", OperatorGrant::of_role(BuiltInRole::Auditor)).await;
    let id = body["operator"]["id"].as_str().unwrap();
    fixture.call(&cookie, "POST", &format!("/console/operators/{id}/disable"), None).await;
    let enabled = fixture.call(&cookie, "POST", &format!("/console/operators/{id}/enable"), None).await;
    assert_response_snapshot!(enabled);
    assert_eq!(fixture.get(&eve, "/console/session").await.status_and_code(), "401 UNAUTHORIZED", "it ended");
    assert_eq!(fixture.enter_by_mail("eve@example.com").await.status, 200);
}

#[tokio::test]
async fn somebody_must_remain_who_manages_operators() {
    let (fixture, cookie, id) = start().await;
    let disable = format!("/console/operators/{id}/disable");
    let refused = fixture.call(&cookie, "POST", &disable, None).await;
    assert_eq!(refused.status_and_code(), "409 LAST_ADMINISTRATOR");
    let grant = json!({ "role": "auditor" });
    let refused = fixture.call(&cookie, "PUT", &format!("/console/operators/{id}"), Some(grant)).await;
    assert_eq!(refused.status_and_code(), "409 LAST_ADMINISTRATOR");
    assert_eq!(fixture.get(&cookie, "/console/operators").await.status, 200, "nothing was changed");
    manager(&fixture).await;
    assert_eq!(fixture.call(&cookie, "POST", &disable, None).await.status, 204);
}

#[tokio::test]
async fn two_operators_cannot_disable_each_other() {
    let (fixture, ada_cookie, ada) = start().await;
    let (max_cookie, max) = manager(&fixture).await;
    let (of_ada, of_max) =
        (format!("/console/operators/{ada}/disable"), format!("/console/operators/{max}/disable"));
    let (first, second) = tokio::join!(
        fixture.call(&ada_cookie, "POST", &of_max, None),
        fixture.call(&max_cookie, "POST", &of_ada, None),
    );
    let done = [first.status, second.status].iter().filter(|status| status.is_success()).count();
    assert_eq!(done, 1, "{} {}", first.status, second.status);
}

#[tokio::test]
async fn roles_are_listed() {
    let (fixture, cookie, _) = start().await;
    let role = json!({ "name": "On call", "scopes": ["jobs:manage", "health:view"] });
    created_id(&fixture.post(&cookie, "/console/operator-roles", role).await);
    assert_response_snapshot!(fixture.get(&cookie, "/console/operator-roles").await, "roles.*.created_at");
}

#[tokio::test]
async fn a_role_is_made() {
    let (fixture, cookie, _) = start().await;
    let role = json!({ "name": "On call", "scopes": ["jobs:manage"] });
    let made = fixture.post(&cookie, "/console/operator-roles", role.clone()).await;
    assert_response_snapshot!(made);
    let refused = fixture.post(&cookie, "/console/operator-roles", role).await;
    assert_eq!(refused.status_and_code(), "409 CONFLICT", "the name is taken");
    let refused = fixture.post(&cookie, "/console/operator-roles", json!({ "name": "", "scopes": [] })).await;
    assert_eq!(first_error(&refused)["property"], "name");
}

#[tokio::test]
async fn a_role_is_changed_for_everybody_who_has_it() {
    let (fixture, cookie, _) = start().await;
    let role = json!({ "name": "Tenants", "scopes": [] });
    let id = created_id(&fixture.post(&cookie, "/console/operator-roles", role).await);
    let invited = json!({ "email": "eve@example.com", "role": id });
    fixture.post(&cookie, "/console/operators/invitations", invited).await;
    let token = fixture.mailed_token("operator-invite").await;
    let eve = session_cookie(&fixture.enter(json!({ "operator_invitation": token })).await);
    assert_eq!(fixture.get(&eve, "/console/organisations").await.status_and_code(), "401 UNAUTHORIZED");
    let path = format!("/console/operator-roles/{id}");
    let changed = json!({ "name": "Tenants", "scopes": ["organisations:manage"] });
    assert_response_snapshot!(fixture.call(&cookie, "PUT", &path, Some(changed)).await);
    assert_eq!(fixture.get(&eve, "/console/organisations").await.status, 200);
    let refused = fixture.call(&cookie, "DELETE", &path, None).await;
    assert_eq!(refused.status_and_code(), "409 CONFLICT", "Eve has it");
}

#[tokio::test]
async fn a_role_is_deleted() {
    let (fixture, cookie, _) = start().await;
    let role = json!({ "name": "On call", "scopes": ["jobs:manage"] });
    let id = created_id(&fixture.post(&cookie, "/console/operator-roles", role).await);
    let path = format!("/console/operator-roles/{id}");
    assert_response_snapshot!(fixture.call(&cookie, "DELETE", &path, None).await);
    assert_eq!(fixture.call(&cookie, "DELETE", &path, None).await.status_and_code(), "404 NOT_FOUND");
}
