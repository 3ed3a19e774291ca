//! Who may do what: every operation of content moderation, for every scope, for a foreign tenant, and without
//! credentials.
//!
//! An operation that is added needs a row here.

use crate::{
    content_moderation::{AccountFixture, created_id, face_base64, two_people},
    openapi_documents::concrete,
    tenants::other_application,
};
use axum::{body::Body, http::Request};
use domain::accounts::Scope;
use serde_json::{Value, json};
use testkit::TestApp;

/// What an operation needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Needs {
    /// To be authenticated.
    Anyone,
    /// One scope, or to be an administrator.
    One(Scope),
    /// One of two scopes, or to be an administrator.
    Either(Scope, Scope),
    /// Several scopes, or to be an administrator.
    All(&'static [Scope]),
    /// To be an administrator.
    Administrator,
}

use Needs::{Administrator, All, Anyone, Either, One};

/// Every operation, and what it needs (docs/adr/0007-content-moderation.md).
const TABLE: &[(&str, Needs)] = &[
    ("POST /accounts", Administrator),
    ("GET /accounts/{accountId}", Anyone),
    ("DELETE /accounts/{accountId}", Administrator),
    ("GET /accounts/{accountId}/deletion-receipt", Administrator),
    ("GET /accounts/{accountId}/invitations", One(Scope::MembersManage)),
    ("POST /accounts/{accountId}/invitations", One(Scope::MembersManage)),
    ("DELETE /accounts/{accountId}/invitations/{invitationId}", One(Scope::MembersManage)),
    ("GET /accounts/{accountId}/members", One(Scope::MembersManage)),
    ("GET /accounts/{accountId}/members/{memberId}", One(Scope::MembersManage)),
    ("PUT /accounts/{accountId}/members/{memberId}", One(Scope::MembersManage)),
    ("DELETE /accounts/{accountId}/members/{memberId}", One(Scope::MembersManage)),
    ("GET /accounts/{accountId}/scopes", Anyone),
    ("POST /accounts/{accountId}/admin", Administrator),
    ("DELETE /accounts/{accountId}/admin/{memberId}", Administrator),
    ("GET /accounts/{accountId}/profiles", One(Scope::ProfilesList)),
    ("POST /accounts/{accountId}/profiles", One(Scope::ProfilesManage)),
    ("POST /accounts/{accountId}/profiles/bulk", One(Scope::ProfilesManage)),
    ("POST /accounts/{accountId}/profiles/search", One(Scope::ProfilesList)),
    ("POST /accounts/{accountId}/findings/search", All(&[Scope::ProfilesList, Scope::ReportsView])),
    ("GET /accounts/{accountId}/profiles/{profileId}", One(Scope::ProfilesView)),
    ("PATCH /accounts/{accountId}/profiles/{profileId}", One(Scope::ProfilesManage)),
    ("DELETE /accounts/{accountId}/profiles/{profileId}", One(Scope::ProfilesManage)),
    (
        "POST /accounts/{accountId}/profiles/{profileId}/ban",
        Either(Scope::ProfilesManage, Scope::FlagsManage),
    ),
    (
        "POST /accounts/{accountId}/profiles/{profileId}/unban",
        Either(Scope::ProfilesManage, Scope::FlagsManage),
    ),
    ("POST /accounts/{accountId}/profiles/{profileId}/faces", One(Scope::ProfilesManage)),
    ("DELETE /accounts/{accountId}/profiles/{profileId}/faces/{faceId}", One(Scope::ProfilesManage)),
    ("GET /accounts/{accountId}/profiles/{profileId}/dismissals", One(Scope::NotificationsView)),
    (
        "DELETE /accounts/{accountId}/profiles/{profileId}/dismissals/{dismissalId}",
        One(Scope::NotificationsManage),
    ),
    ("GET /accounts/{accountId}/groups", One(Scope::ProfilesList)),
    ("POST /accounts/{accountId}/groups", One(Scope::ProfilesManage)),
    ("POST /accounts/{accountId}/groups/{groupId}", One(Scope::ProfilesManage)),
    ("DELETE /accounts/{accountId}/groups/{groupId}", One(Scope::ProfilesManage)),
    ("DELETE /accounts/{accountId}/groups/{groupId}/profiles/{profileId}", One(Scope::ProfilesManage)),
    ("POST /accounts/{accountId}/archive/contents", Either(Scope::ContentsManage, Scope::ContentsModerate)),
    (
        "DELETE /accounts/{accountId}/archive/contents/{id}",
        Either(Scope::ContentsManage, Scope::ContentsModerate),
    ),
    ("POST /accounts/{accountId}/uploads", One(Scope::ContentsManage)),
    ("GET /accounts/{accountId}/contents", One(Scope::ContentsList)),
    ("POST /accounts/{accountId}/contents", One(Scope::ContentsManage)),
    ("POST /accounts/{accountId}/contents/bulk", One(Scope::ContentsManage)),
    ("GET /accounts/{accountId}/contents/{id}", One(Scope::ContentsView)),
    ("DELETE /accounts/{accountId}/contents/{id}", One(Scope::ContentsManage)),
    ("POST /accounts/{accountId}/contents/{id}/profiles", One(Scope::ContentsManage)),
    ("DELETE /accounts/{accountId}/contents/{id}/profiles/{profileId}", One(Scope::ContentsManage)),
    ("GET /accounts/{accountId}/contents/{id}/moderations", One(Scope::ModerationsView)),
    ("GET /accounts/{accountId}/contents/{id}/reports", One(Scope::ContentsReportsList)),
    ("POST /accounts/{accountId}/contents/{id}/reports", One(Scope::ReportsManage)),
    ("PUT /accounts/{accountId}/contents/{id}/reports/{reportId}", One(Scope::ContentsReportsModerate)),
    ("GET /accounts/{accountId}/moderations", One(Scope::ModerationsView)),
    ("POST /accounts/{accountId}/moderations", One(Scope::ModerationsManage)),
    ("GET /accounts/{accountId}/moderations/{moderationId}", One(Scope::ModerationsView)),
    ("GET /accounts/{accountId}/moderations/{moderationId}/details", One(Scope::ModerationsView)),
    ("GET /accounts/{accountId}/moderations/{moderationId}/results", One(Scope::ReportsView)),
    ("GET /accounts/{accountId}/moderations/{moderationId}/report", One(Scope::ReportsView)),
    ("GET /accounts/{accountId}/moderations/{moderationId}/notifications", One(Scope::NotificationsView)),
    ("POST /accounts/{accountId}/moderations/{moderationId}/stop", One(Scope::ModerationsManage)),
    ("DELETE /accounts/{accountId}/moderations/{moderationId}", One(Scope::ModerationsManage)),
    ("GET /accounts/{accountId}/notifications", One(Scope::NotificationsView)),
    ("GET /accounts/{accountId}/notifications/{id}", One(Scope::NotificationsView)),
    ("POST /accounts/{accountId}/notifications/{id}/accept", One(Scope::NotificationsManage)),
    ("POST /accounts/{accountId}/notifications/{id}/dismiss", One(Scope::NotificationsManage)),
    ("GET /accounts/{accountId}/notifications/{id}/reviews", One(Scope::NotificationsView)),
    ("GET /accounts/{accountId}/notifications/{id}/statement-of-reasons", One(Scope::NotificationsView)),
    ("GET /accounts/{accountId}/members/{memberId}/inbox", One(Scope::NotificationsView)),
];

/// The operations in the OpenAPI document.
async fn operations(app: &TestApp) -> Vec<String> {
    let document = app.get("/openapi/moderation.json").await.json();
    let paths = document["paths"].as_object().unwrap();
    let of = |(path, methods): (&String, &Value)| {
        let methods = methods
            .as_object()
            .unwrap()
            .keys()
            .map(|method| format!("{} {path}", method.to_ascii_uppercase()));
        methods.collect::<Vec<_>>()
    };
    paths.iter().flat_map(of).collect()
}

fn body(method: &str) -> Option<Value> {
    matches!(method, "POST" | "PUT" | "PATCH").then(|| json!({}))
}

#[tokio::test]
async fn every_operation_has_a_row_in_the_matrix() {
    let app = TestApp::start().await;
    let mut documented = operations(&app).await;
    let mut known: Vec<_> = TABLE.iter().map(|(operation, _)| (*operation).to_owned()).collect();
    documented.sort();
    known.sort();
    assert_eq!(documented, known);
}

#[test]
fn every_scope_allows_something() {
    for scope in Scope::ALL {
        let allows = |needs: &Needs| match needs {
            One(needed) => *needed == scope,
            Either(one, other) => *one == scope || *other == scope,
            Anyone | All(_) | Administrator => false,
        };
        assert!(TABLE.iter().any(|(_, needs)| allows(needs)), "{scope} allows nothing");
    }
}

#[tokio::test]
async fn each_scope_allows_its_operations_and_no_others() {
    let app = TestApp::start().await;
    let account = app.open_account().await.to_string();
    let mut keys = Vec::new();
    for scope in Scope::ALL {
        keys.push((Some(scope), app.api_key(&[scope.as_str()]).await));
    }
    keys.push((None, app.api_key(&["admin"]).await));
    for (operation, needs) in TABLE {
        let (method, path) = operation.split_once(' ').unwrap();
        // Nothing below the account exists: a 404 or 400 shows that the caller was authorised.
        let path = concrete(&path.replace("{accountId}", &account));
        // The operation that closes the account passes its guard only for administrators, and is tried separately.
        let closes = *operation == "DELETE /accounts/{accountId}";
        for (scope, key) in &keys {
            let may = match (needs, scope) {
                (Anyone, _) | (_, None) => true,
                (One(needed), Some(scope)) => needed == scope,
                (Either(one, other), Some(scope)) => one == scope || other == scope,
                (Administrator | All(_), Some(_)) => false,
            };
            if closes && may {
                continue;
            }
            let answer = app.call_moderation(method, &path, key, body(method)).await;
            assert_eq!(answer.status != 401, may, "{operation} with {scope:?}: {}", answer.status_and_code());
            assert!(answer.status.as_u16() < 500, "{operation} with {scope:?}: {}", answer.status_and_code());
        }
    }
    for (operation, needs) in TABLE {
        let All(scopes) = needs else { continue };
        let words: Vec<_> = scopes.iter().map(|scope| scope.as_str()).collect();
        let (key, (method, path)) = (app.api_key(&words).await, operation.split_once(' ').unwrap());
        let path = concrete(&path.replace("{accountId}", &account));
        let answer = app.call_moderation(method, &path, &key, body(method)).await;
        assert_eq!(answer.status, 400, "{operation} with all that it needs");
    }
    let (_, admin) = keys.pop().unwrap();
    assert_eq!(
        app.call_moderation("DELETE", &format!("/accounts/{account}"), &admin, None).await.status,
        204
    );
}

#[tokio::test]
async fn an_account_of_another_tenant_answers_like_a_missing_one() {
    let app = TestApp::start().await;
    let own = app.open_account().await.to_string();
    let (stranger, key) = other_application(&app).await;
    for (operation, _) in TABLE.iter().filter(|(operation, _)| operation.contains("{accountId}")) {
        let (method, path) = operation.split_once(' ').unwrap();
        let at = |account: &str| concrete(&path.replace("{accountId}", account));
        let call = async |account: &str| {
            app.call_moderation_as(&stranger.to_string(), method, &at(account), &key, body(method)).await
        };
        let foreign = call(&own).await;
        let missing = call("018f3c8e-0000-4000-8000-00000000000b").await;
        assert_eq!((foreign.status, &foreign.body), (missing.status, &missing.body), "{operation}");
        assert_eq!(missing.status, 404, "{operation}: {}", missing.status_and_code());
        let malformed = call("none").await;
        assert_eq!(malformed.status, 404, "{operation}: {}", malformed.status_and_code());
    }
}

#[tokio::test]
async fn no_operation_accepts_a_caller_without_credentials_of_the_application() {
    let app = TestApp::start().await;
    let own = app.open_account().await.to_string();
    let (stranger, foreign_key) = other_application(&app).await;
    let key = app.api_key(&[]).await;
    for (operation, _) in TABLE {
        let (method, path) = operation.split_once(' ').unwrap();
        let path = concrete(&path.replace("{accountId}", &own));
        let bare = Request::builder().method(method).uri(&path).body(Body::empty()).unwrap();
        assert_eq!(app.send(bare).await.status_and_code(), "401 UNAUTHORIZED", "{operation}");
        let mine = app.app.to_string();
        for (sdk_id, key) in
            [(&mine, &foreign_key), (&stranger.to_string(), &key), (&mine, &"assay_none".to_owned())]
        {
            let answer = app.call_moderation_as(sdk_id, method, &path, key, body(method)).await;
            assert_eq!(answer.status_and_code(), "401 UNAUTHORIZED", "{operation}");
        }
    }
}

#[tokio::test]
async fn profiles_and_groups_of_another_account_answer_like_missing_ones() {
    let fixture = AccountFixture::start().await;
    let (ada, _) = two_people();
    let id = fixture.enrol("Ada", ada).await;
    let group = created_id(&fixture.call("POST", "/groups", Some(json!({ "label": "Staff" }))).await);
    let seen = fixture.get(&format!("/profiles/{id}")).await;
    let face = seen["faces"][0]["id"].as_str().unwrap().to_owned();
    let other = AccountFixture { account: fixture.app.open_account().await, ..fixture };
    assert!(other.search_by_face(ada).await.is_empty());
    assert_eq!(other.get("/profiles").await, json!({ "profiles": [], "total_count": 0 }));
    let own = other.add_profile("Bob").await;
    for (method, path, body) in [
        ("GET", format!("/profiles/{id}"), None),
        ("PATCH", format!("/profiles/{id}"), Some(json!({}))),
        ("DELETE", format!("/profiles/{id}"), None),
        ("POST", format!("/profiles/{id}/ban"), None),
        ("POST", format!("/profiles/{id}/faces"), Some(json!({ "face": face_base64(ada) }))),
        ("DELETE", format!("/profiles/{id}/faces/{face}"), None),
        ("GET", format!("/profiles/{id}/dismissals"), None),
        ("DELETE", format!("/profiles/{id}/dismissals/{face}"), None),
        ("DELETE", format!("/profiles/{own}/faces/{face}"), None),
        ("POST", format!("/groups/{group}"), Some(json!({ "profile_id": own }))),
        ("DELETE", format!("/groups/{group}"), None),
        ("GET", "/profiles/nonsense".to_owned(), None),
    ] {
        assert_eq!(
            other.call(method, &path, body).await.status_and_code(),
            "404 NOT_FOUND",
            "{method} {path}"
        );
    }
    let mine = created_id(&other.call("POST", "/groups", Some(json!({ "label": "Staff" }))).await);
    let foreign = other.call("POST", &format!("/groups/{mine}"), Some(json!({ "profile_id": id }))).await;
    assert_eq!(foreign.status_and_code(), "404 NOT_FOUND");
}
