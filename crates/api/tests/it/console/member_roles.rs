//! `/console/roles`, and what members have of the console.

use super::{ConsoleFixture, message};
use crate::content_moderation::{AccountFixture, created_id, first_error};
use base::MemberId;
use domain::{
    accounts::{
        ConsoleScope,
        roles::{self, ConsoleGrant, Giver},
    },
    authentication::SecondFactorPolicy,
    operators::{BuiltInRole, OperatorGrant},
};
use serde_json::{Value, json};

async fn start() -> AccountFixture {
    AccountFixture::of(ConsoleFixture::with_policy(SecondFactorPolicy::Off).await.app).await
}

/// What an operator gives on the command line.
async fn give(fixture: &AccountFixture, member: &str, console_scopes: Vec<ConsoleScope>) {
    let member: MemberId = member.parse().unwrap();
    let mut tx = fixture.app.api.db.write().await.unwrap();
    let grant = ConsoleGrant { role: None, console_scopes };
    roles::set_grant(&mut tx, Giver::Operator, fixture.account, member, &grant).await.unwrap();
    tx.commit().await.unwrap();
}

fn grant_path(member: &str) -> String {
    format!("/console/members/{member}/console-scopes")
}

#[tokio::test]
async fn a_role_of_an_account_is_made() {
    let fixture = start().await;
    let (_, admin) = fixture.add_member("ada@example.com", true, &[]).await;
    let role = json!({ "name": "Lead reviewer", "scopes": ["notifications:manage"], "console_scopes": ["cases:manage"] });
    let made = fixture.call_console(&admin, "POST", "/console/roles", Some(role.clone())).await;
    assert_response_snapshot!(made);
    let again = fixture.call_console(&admin, "POST", "/console/roles", Some(role)).await;
    assert_eq!(again.status_and_code(), "409 CONFLICT");
    for name in ["", " ", "a\nb", &"x".repeat(101)] {
        let refused =
            fixture.call_console(&admin, "POST", "/console/roles", Some(json!({ "name": name }))).await;
        assert_eq!(first_error(&refused)["property"], "name", "{name:?}");
    }
}

#[tokio::test]
async fn roles_of_an_account_are_listed() {
    let fixture = start().await;
    let (_, admin) = fixture.add_member("ada@example.com", true, &[]).await;
    let role = json!({ "name": "Lead reviewer", "scopes": ["notifications:manage"], "console_scopes": ["cases:manage"] });
    created_id(&fixture.call_console(&admin, "POST", "/console/roles", Some(role)).await);
    let listed = fixture.call_console(&admin, "GET", "/console/roles", None).await;
    assert_response_snapshot!(listed, "roles.*.created_at");
}

#[tokio::test]
async fn a_role_of_an_account_is_changed_for_everybody_who_has_it() {
    let fixture = start().await;
    let (_, admin) = fixture.add_member("ada@example.com", true, &[]).await;
    let (eve, cookie) = fixture.add_member("eve@example.com", false, &[]).await;
    let role = json!({ "name": "Reviewer", "scopes": [] });
    let id = created_id(&fixture.call_console(&admin, "POST", "/console/roles", Some(role)).await);
    let grant = json!({ "role_id": id, "console_scopes": [] });
    assert_eq!(fixture.call_console(&admin, "PUT", &grant_path(&eve), Some(grant)).await.status, 204);
    let profiles = fixture.path("/profiles");
    assert_eq!(fixture.call_console(&cookie, "GET", &profiles, None).await.status, 401);
    let path = format!("/console/roles/{id}");
    let changed =
        json!({ "name": "Reviewer", "scopes": ["profiles:list"], "console_scopes": ["roles:manage"] });
    assert_response_snapshot!(fixture.call_console(&admin, "PUT", &path, Some(changed)).await);
    assert_eq!(fixture.call_console(&cookie, "GET", &profiles, None).await.status, 200);
    assert_eq!(fixture.call_console(&cookie, "GET", "/console/roles", None).await.status, 200);
    let session = fixture.call_console(&cookie, "GET", "/console/session", None).await.json();
    assert_eq!(session["scopes"], json!(["profiles:list"]));
    assert_eq!(session["console_scopes"], json!(["roles:manage"]));
    let refused = fixture.call_console(&admin, "DELETE", &path, None).await;
    assert_eq!(refused.status_and_code(), "409 CONFLICT", "Eve has it");
}

#[tokio::test]
async fn a_role_of_an_account_is_deleted() {
    let fixture = start().await;
    let (_, admin) = fixture.add_member("ada@example.com", true, &[]).await;
    let role = json!({ "name": "Reviewer" });
    let id = created_id(&fixture.call_console(&admin, "POST", "/console/roles", Some(role)).await);
    let path = format!("/console/roles/{id}");
    assert_response_snapshot!(fixture.call_console(&admin, "DELETE", &path, None).await);
    assert_eq!(fixture.call_console(&admin, "DELETE", &path, None).await.status_and_code(), "404 NOT_FOUND");
}

#[tokio::test]
async fn members_are_listed_with_what_they_have_of_the_console() {
    let fixture = start().await;
    let (ada, admin) = fixture.add_member("ada@example.com", true, &[]).await;
    give(&fixture, &ada, vec![ConsoleScope::DocumentsReview]).await;
    let listed = fixture.call_console(&admin, "GET", "/console/members", None).await;
    assert_response_snapshot!(listed, "members.*.member.created_at");
}

#[tokio::test]
async fn what_a_member_has_of_the_console_is_set() {
    let fixture = start().await;
    let (_, admin) = fixture.add_member("ada@example.com", true, &[]).await;
    let (eve, cookie) = fixture.add_member("eve@example.com", false, &[]).await;
    let grant = json!({ "console_scopes": ["cases:manage", "audit:view"] });
    assert_response_snapshot!(fixture.call_console(&admin, "PUT", &grant_path(&eve), Some(grant)).await);
    let session = fixture.call_console(&cookie, "GET", "/console/session", None).await.json();
    assert_eq!(session["console_scopes"], json!(["cases:manage", "audit:view"]));
    let refused = fixture.call_console(&admin, "PUT", &grant_path(&eve), Some(json!({}))).await;
    assert_eq!(first_error(&refused)["property"], "console_scopes");
}

/// What reaches beyond the account is an operator's to give; whoever has it gives it on.
#[tokio::test]
async fn members_give_only_what_they_have() {
    let fixture = start().await;
    let (ada, admin) = fixture.add_member("ada@example.com", true, &[]).await;
    let (eve, cookie) = fixture.add_member("eve@example.com", false, &[]).await;
    let documents = || Some(json!({ "console_scopes": ["documents:review"] }));
    let role = || Some(json!({ "name": "Documents", "console_scopes": ["documents:review"] }));
    for (method, path, body) in
        [("PUT", grant_path(&eve), documents()), ("POST", "/console/roles".to_owned(), role())]
    {
        let refused = fixture.call_console(&admin, method, &path, body).await;
        assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "{method}");
        assert!(message(&refused).contains("documents:review"), "{}", message(&refused));
    }
    give(&fixture, &ada, vec![ConsoleScope::DocumentsReview]).await;
    assert_eq!(fixture.call_console(&admin, "PUT", &grant_path(&eve), documents()).await.status, 204);
    // Somebody without the scope for it gives nothing, not even to themselves.
    let own = json!({ "console_scopes": ["documents:review", "roles:manage"] });
    let refused = fixture.call_console(&cookie, "PUT", &grant_path(&eve), Some(own)).await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED");
}

/// A role that holds more than its giver has cannot be used to give that.
#[tokio::test]
async fn a_role_is_given_by_those_who_have_its_scopes() {
    let fixture = start().await;
    let (_, admin) = fixture.add_member("ada@example.com", true, &[]).await;
    let (eve, manager) = fixture.add_member("eve@example.com", false, &[]).await;
    give(&fixture, &eve, vec![ConsoleScope::RolesManage]).await;
    let role = json!({ "name": "Profiles", "scopes": ["profiles:manage"] });
    let id = created_id(&fixture.call_console(&admin, "POST", "/console/roles", Some(role)).await);
    let grant = json!({ "role_id": id, "console_scopes": ["roles:manage"] });
    let refused = fixture.call_console(&manager, "PUT", &grant_path(&eve), Some(grant)).await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED");
    let changed = json!({ "name": "Profiles", "scopes": ["profiles:manage", "members:manage"] });
    let path = format!("/console/roles/{id}");
    let refused = fixture.call_console(&manager, "PUT", &path, Some(changed)).await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED");
}

/// `PUT /accounts/{accountId}/members/{memberId}` sets everything that a member may do, and knows of no roles.
#[tokio::test]
async fn a_role_that_allows_more_than_the_scopes_that_are_set_is_taken() {
    let fixture = start().await;
    let (_, admin) = fixture.add_member("ada@example.com", true, &[]).await;
    let (eve, cookie) = fixture.add_member("eve@example.com", false, &["contents:list"]).await;
    let role = json!({ "name": "Profiles", "scopes": ["profiles:list"], "console_scopes": ["roles:manage"] });
    let id = created_id(&fixture.call_console(&admin, "POST", "/console/roles", Some(role)).await);
    let grant = json!({ "role_id": id, "console_scopes": [] });
    assert_eq!(fixture.call_console(&admin, "PUT", &grant_path(&eve), Some(grant)).await.status, 204);
    let member = format!("/members/{eve}");
    let scopes = async || fixture.get(&member).await["scopes"].clone();
    assert_eq!(scopes().await, json!(["contents:list", "profiles:list"]));
    let listed = fixture.get("/members").await["members"].clone();
    let listed = listed.as_array().unwrap().iter().find(|member| member["id"] == *eve).unwrap();
    assert_eq!(listed["scopes"], scopes().await);
    let has_role = async || {
        let listed = fixture.call_console(&admin, "GET", "/console/members", None).await.json();
        listed["members"].as_array().unwrap().iter().any(|member| member["role_id"] == *id)
    };

    // Who lacks the role's scope may leave it, and with it the role.
    let key = fixture.app.api_key(&["members:manage", "contents:view"]).await;
    let set = json!({ "scopes": ["profiles:list", "contents:view"] });
    let left = fixture.app.call_moderation("PUT", &fixture.path(&member), &key, Some(set)).await;
    assert_eq!(left.status, 204, "{}", left.json());
    assert_eq!((scopes().await, has_role().await), (json!(["contents:view", "profiles:list"]), true));
    let profiles = fixture.path("/profiles");
    assert_eq!(fixture.call_console(&cookie, "GET", &profiles, None).await.status, 200);

    assert_eq!(fixture.call("PUT", &member, Some(json!({ "scopes": [] }))).await.status, 204);
    assert_eq!((scopes().await, has_role().await), (json!([]), false));
    for path in [profiles.as_str(), "/console/roles"] {
        let refused = fixture.call_console(&cookie, "GET", path, None).await;
        assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "{path}");
    }
    let records = fixture.app.dump().await;
    let told = records.iter().filter(|row| row.contains("member.set-scopes") && row.contains(&id)).count();
    assert_eq!(told, 1, "the audit trail names the role that was taken");
}

/// A scope of a role does not become the member's own where somebody sets what the member has anyway.
#[tokio::test]
async fn what_a_member_has_by_their_role_goes_with_it() {
    let fixture = start().await;
    let (_, admin) = fixture.add_member("ada@example.com", true, &[]).await;
    let (eve, _) = fixture.add_member("eve@example.com", false, &["contents:list"]).await;
    let role = json!({ "name": "Profiles", "scopes": ["contents:list", "profiles:list"] });
    let id = created_id(&fixture.call_console(&admin, "POST", "/console/roles", Some(role)).await);
    let grant = |role: Option<&str>| Some(json!({ "role_id": role, "console_scopes": [] }));
    let given = fixture.call_console(&admin, "PUT", &grant_path(&eve), grant(Some(id.as_str()))).await;
    assert_eq!(given.status, 204);
    let member = format!("/members/{eve}");
    let held = fixture.get(&member).await["scopes"].clone();
    assert_eq!(held, json!(["contents:list", "profiles:list"]));
    assert_eq!(fixture.call("PUT", &member, Some(json!({ "scopes": held }))).await.status, 204);
    assert_eq!(fixture.call_console(&admin, "PUT", &grant_path(&eve), grant(None)).await.status, 204);
    assert_eq!(fixture.get(&member).await["scopes"], json!(["contents:list"]));
}

#[tokio::test]
async fn roles_and_members_of_another_account_are_not_there() {
    let fixture = start().await;
    let (_, admin) = fixture.add_member("ada@example.com", true, &[]).await;
    let (mine, _) = fixture.add_member("eve@example.com", false, &[]).await;
    let other = fixture.app.open_account().await;
    let foreign = AccountFixture { account: other, ..fixture };
    let (zoe, stranger) = foreign.add_member("zoe@example.com", true, &[]).await;
    let role = json!({ "name": "Theirs" });
    let id = created_id(&foreign.call_console(&stranger, "POST", "/console/roles", Some(role)).await);
    let path = format!("/console/roles/{id}");
    let tries: [(&str, String, Option<Value>); 4] = [
        ("PUT", path.clone(), Some(json!({ "name": "Mine" }))),
        ("DELETE", path, None),
        ("PUT", grant_path(&zoe), Some(json!({ "console_scopes": [] }))),
        ("PUT", grant_path(&mine), Some(json!({ "role_id": id, "console_scopes": [] }))),
    ];
    for (method, path, body) in tries {
        let refused = foreign.call_console(&admin, method, &path, body).await;
        assert_eq!(refused.status_and_code(), "404 NOT_FOUND", "{method} {path}");
    }
}

#[tokio::test]
async fn operators_give_everything() {
    let account = start().await;
    let (eve, cookie) = account.add_member("eve@example.com", false, &[]).await;
    let fixture = ConsoleFixture { app: account.app };
    let (operator, _) =
        fixture.add_operator("ada@example.com", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    let grant = || Some(json!({ "console_scopes": ["documents:review", "keys:manage"] }));
    assert_eq!(fixture.call(&operator, "PUT", &grant_path(&eve), grant()).await.status, 204);
    let session = fixture.get(&cookie, "/console/session").await.json();
    assert_eq!(session["console_scopes"], json!(["documents:review", "keys:manage"]));
    let (support, _) =
        fixture.add_operator("max@example.com", OperatorGrant::of_role(BuiltInRole::Support)).await;
    let refused = fixture.call(&support, "PUT", &grant_path(&eve), grant()).await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED");
    let nobody = grant_path("018f3c8e-0000-4000-8000-00000000000a");
    let refused = fixture.call(&operator, "PUT", &nobody, grant()).await;
    assert_eq!(refused.status_and_code(), "404 NOT_FOUND");
}

#[tokio::test]
async fn a_closed_account_leaves_no_role() {
    let fixture = start().await;
    let (_, admin) = fixture.add_member("ada@example.com", true, &[]).await;
    let (eve, _) = fixture.add_member("eve@example.com", false, &[]).await;
    let role = json!({ "name": "Reviewer" });
    let id = created_id(&fixture.call_console(&admin, "POST", "/console/roles", Some(role)).await);
    let grant = json!({ "role_id": id, "console_scopes": [] });
    assert_eq!(fixture.call_console(&admin, "PUT", &grant_path(&eve), Some(grant)).await.status, 204);
    assert_eq!(fixture.call("DELETE", "", None).await.status, 204);
    assert_eq!(fixture.count(db::sql!("SELECT count(*) FROM member_roles")).await, 0);
    assert_eq!(fixture.count(db::sql!("SELECT count(*) FROM console_sessions")).await, 0);
}
