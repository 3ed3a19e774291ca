//! How an installation gets its first operator.

use super::{CONSOLE, ConsoleFixture, message};
use crate::content_moderation::session_cookie;
use base::SignedDuration;
use domain::{
    accounts::sign_in::SignInSettings,
    operators::{BuiltInRole, OperatorInvitationError},
};
use serde_json::json;

#[tokio::test]
async fn the_first_operator_comes_in_by_a_link() {
    let fixture = ConsoleFixture::start().await;
    let token = fixture.invite_first().await;
    let entered = fixture.enter(json!({ "operator_invitation": token })).await;
    assert_response_snapshot!(entered, "operator.created_at");
}

#[tokio::test]
async fn an_empty_server_leads_to_where_its_first_operator_is_made() {
    let fixture = ConsoleFixture::start().await;
    let front_door = async || fixture.app.get("/").await;
    assert_eq!(
        (front_door().await.status.as_u16(), front_door().await.header("location")),
        (307, "/console/")
    );
    fixture.operator("ada@example.com", BuiltInRole::Support).await;
    assert_eq!(front_door().await.header("location"), "/reference/");
}

#[tokio::test]
async fn an_operator_sees_who_they_are() {
    let fixture = ConsoleFixture::start().await;
    let (cookie, _) = fixture.operator("ada@example.com", BuiltInRole::Support).await;
    assert_response_snapshot!(fixture.get(&cookie, "/console/session").await, "operator.created_at");
}

#[tokio::test]
async fn the_link_works_once_and_there_is_one_first_operator() {
    let fixture = ConsoleFixture::start().await;
    let replaced = fixture.invite_first().await;
    let token = fixture.invite_first().await;
    for unknown in [replaced.as_str(), "none", ""] {
        let refused = fixture.enter(json!({ "operator_invitation": unknown })).await;
        assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "{unknown}");
    }
    let methods = fixture.get("", "/console/sign-in-methods").await;
    assert_eq!(methods.json()["is_set_up"], false);
    assert_eq!(fixture.enter(json!({ "operator_invitation": token })).await.status, 200);
    let again = fixture.enter(json!({ "operator_invitation": token })).await;
    assert_eq!(again.status_and_code(), "401 UNAUTHORIZED", "once");
    assert_eq!(fixture.get("", "/console/sign-in-methods").await.json()["is_set_up"], true);

    let mut tx = fixture.app.api.db.write().await.unwrap();
    let operators = fixture.app.api.console_access.operators();
    let second = operators.invite_first(&mut tx, "eve@example.com".parse().unwrap(), None).await;
    assert!(matches!(second, Err(OperatorInvitationError::AlreadySetUp)), "{second:?}");
}

#[tokio::test]
async fn an_invitation_expires() {
    let settings = SignInSettings {
        invitation_ttl: SignedDuration::from_hours(24),
        ..SignInSettings::for_public_url(CONSOLE)
    };
    let fixture = ConsoleFixture::with(settings).await;
    let token = fixture.invite_first().await;
    fixture.app.environment.advance(SignedDuration::from_hours(24));
    let refused = fixture.enter(json!({ "operator_invitation": token })).await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED");
}

#[tokio::test]
async fn an_operator_signs_in_by_mail_once_for_each_link() {
    let fixture = ConsoleFixture::start().await;
    let (_, mut device) = fixture.operator("ada@example.com", BuiltInRole::Administrator).await;
    let entered = fixture.enter_by_mail("ADA@example.com").await;
    assert_eq!(entered.status, 200, "{}", entered.json());
    assert_eq!(entered.json()["second_factor"], "required");
    let link = fixture.mailed_token("operator-sign-in").await;
    let again = fixture.enter(json!({ "operator_link": link })).await;
    assert_eq!(again.status_and_code(), "401 UNAUTHORIZED", "once");

    // Until the passkey is presented, the link opens nothing.
    let cookie = session_cookie(&entered);
    let refused = fixture.get(&cookie, "/console/operators").await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED");
    assert!(message(&refused).contains("second factor"), "{}", message(&refused));
    let answer = fixture.passkey_answer(&mut device).await;
    let presented =
        fixture.post(&cookie, "/console/session/second-factor", json!({ "passkey": answer })).await;
    let complete = session_cookie(&presented);
    assert_eq!(fixture.get(&complete, "/console/operators").await.status, 200);
}
