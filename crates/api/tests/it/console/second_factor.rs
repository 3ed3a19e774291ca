//! `POST /console/session/second-factor`, and what a session may do before it.

use super::{CONSOLE, ConsoleFixture, message};
use crate::content_moderation::{AccountFixture, session_cookie};
use domain::{
    accounts::sign_in::SignInSettings,
    authentication::SecondFactorPolicy,
    operators::{BuiltInRole, OperatorGrant},
};
use serde_json::json;

#[tokio::test]
async fn a_second_factor_is_presented() {
    let fixture = ConsoleFixture::start().await;
    let (_, mut device) = fixture.operator("ada@example.com", BuiltInRole::Administrator).await;
    let cookie = session_cookie(&fixture.enter_by_mail("ada@example.com").await);
    let answer = fixture.passkey_answer(&mut device).await;
    let presented =
        fixture.post(&cookie, "/console/session/second-factor", json!({ "passkey": answer })).await;
    assert_response_snapshot!(presented);
}

/// Whoever saw a session's cookie before the second factor has nothing of it afterwards.
#[tokio::test]
async fn the_session_has_a_new_secret_afterwards() {
    let fixture = ConsoleFixture::start().await;
    let (before, body) =
        fixture.add_operator("ada@example.com", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    assert_eq!(body["second_factor"], "enrolment-required");
    let (after, app) = fixture.enrol_codes(&before).await;
    assert_ne!(before, after);
    assert_eq!(fixture.get(&before, "/console/session").await.status_and_code(), "401 UNAUTHORIZED");
    assert_eq!(fixture.get(&after, "/console/session").await.json()["second_factor"], "presented");

    fixture.app.environment.advance(base::SignedDuration::from_mins(2));
    let before = session_cookie(&fixture.enter_by_mail("ada@example.com").await);
    let body = json!({ "code": fixture.code(&app) });
    let presented = fixture.post(&before, "/console/session/second-factor", body).await;
    let after = session_cookie(&presented);
    assert_eq!(fixture.get(&before, "/console/session").await.status_and_code(), "401 UNAUTHORIZED");
    assert_eq!(fixture.get(&after, "/console/operators").await.status, 200);
}

/// Whoever reads somebody's mail must not be able to add a key of their own.
#[tokio::test]
async fn whoever_has_a_second_factor_must_present_it_before_they_add_another() {
    let fixture = ConsoleFixture::start().await;
    fixture.operator("ada@example.com", BuiltInRole::Administrator).await;
    let entered = fixture.enter_by_mail("ada@example.com").await;
    assert_eq!(entered.json()["second_factor"], "required");
    let cookie = session_cookie(&entered);
    for path in ["/console/passkeys/challenge", "/console/totp"] {
        let refused = fixture.call(&cookie, "POST", path, None).await;
        assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "{path}");
        assert!(message(&refused).contains("second factor"), "{}", message(&refused));
    }
}

/// The setting says who must have one. Whoever has one is asked for it, whatever it says.
#[tokio::test]
async fn whoever_has_one_is_asked_for_it_where_nobody_needs_one() {
    let fixture = ConsoleFixture::with_policy(SecondFactorPolicy::Off).await;
    let (_, mut device) = fixture.operator("ada@example.com", BuiltInRole::Administrator).await;
    let entered = fixture.enter_by_mail("ada@example.com").await;
    assert_eq!(entered.json()["second_factor"], "required");
    let cookie = session_cookie(&entered);
    for (method, path) in [("GET", "/console/operators"), ("POST", "/console/passkeys/challenge")] {
        let refused = fixture.call(&cookie, method, path, None).await;
        assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "{path}");
        assert!(message(&refused).contains("second factor"), "{}", message(&refused));
    }
    let answer = fixture.passkey_answer(&mut device).await;
    let presented =
        fixture.post(&cookie, "/console/session/second-factor", json!({ "passkey": answer })).await;
    assert_eq!(fixture.get(&session_cookie(&presented), "/console/operators").await.status, 200);

    fixture.add_operator("eve@example.com", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    let entered = fixture.enter_by_mail("eve@example.com").await;
    assert_eq!(entered.json()["second_factor"], "not-required", "she has none");
    assert_eq!(fixture.get(&session_cookie(&entered), "/console/operators").await.status, 200);
}

/// Neither the console nor content moderation is open without it, from the moment on at which they have one.
#[tokio::test]
async fn a_member_who_has_one_is_asked_for_it_where_only_operators_need_one() {
    let account = AccountFixture::of(ConsoleFixture::start().await.app).await;
    let (_, cookie) = account.add_member("ada@example.com", true, &[]).await;
    let path = account.path("");
    let fixture = ConsoleFixture { app: account.app };
    let enter = async || {
        fixture.post("", "/console/sign-in", json!({ "email": "ada@example.com" })).await;
        let entered = fixture.enter(json!({ "link": fixture.mailed_token("sign-in").await })).await;
        (session_cookie(&entered), entered.json()["second_factor"].as_str().unwrap().to_owned())
    };
    let (elsewhere, state) = enter().await;
    assert_eq!(state, "not-required");
    assert_eq!(fixture.get(&elsewhere, &path).await.status, 200);
    let (_, mut device) = fixture.enrol_passkey(&cookie).await;

    let (later, state) = enter().await;
    assert_eq!(state, "required");
    let path = path.as_str();
    for (cookie, path) in [(&elsewhere, path), (&later, path), (&later, "/console/sessions")] {
        let refused = fixture.get(cookie, path).await;
        assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "{path}");
        assert!(message(&refused).contains("second factor"), "{}", message(&refused));
    }
    let answer = fixture.passkey_answer(&mut device).await;
    let presented =
        fixture.post(&later, "/console/session/second-factor", json!({ "passkey": answer })).await;
    assert_eq!(fixture.get(&session_cookie(&presented), path).await.status, 200);
}

#[tokio::test]
async fn somebody_elses_factor_does_not_count() {
    let fixture = ConsoleFixture::start().await;
    fixture.operator("ada@example.com", BuiltInRole::Administrator).await;
    let (_, mut eve) = fixture.operator("eve@example.com", BuiltInRole::Auditor).await;
    let cookie = session_cookie(&fixture.enter_by_mail("ada@example.com").await);
    let answer = fixture.passkey_answer(&mut eve).await;
    let refused = fixture.post(&cookie, "/console/session/second-factor", json!({ "passkey": answer })).await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED");
    for body in [json!({}), json!({ "code": "000000", "passkey": {} })] {
        let refused = fixture.post(&cookie, "/console/session/second-factor", body).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
    }
}

/// Until then, nothing else is open: neither in the console nor in content moderation.
#[tokio::test]
async fn members_need_one_where_everybody_does() {
    let settings = SignInSettings {
        second_factor: SecondFactorPolicy::Everybody,
        ..SignInSettings::for_public_url(CONSOLE)
    };
    let account = AccountFixture::of(ConsoleFixture::with(settings).await.app).await;
    let (_, cookie) = account.add_member("ada@example.com", true, &[]).await;
    let path = account.path("");
    for path in [path.as_str(), "/console/sessions"] {
        let refused = account.call_console(&cookie, "GET", path, None).await;
        assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "{path}");
        assert!(message(&refused).contains("second factor"), "{}", message(&refused));
    }
    let session = account.call_console(&cookie, "GET", "/console/session", None).await;
    assert_eq!(session.json()["second_factor"], "enrolment-required");
    let fixture = ConsoleFixture { app: account.app };
    let (cookie, _) = fixture.enrol_passkey(&cookie).await;
    assert_eq!(fixture.get(&cookie, &path).await.status, 200);
}
