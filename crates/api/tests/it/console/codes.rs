//! Passwords of operators, and codes of authenticator apps.

use super::{CONSOLE, ConsoleFixture, message};
use crate::content_moderation::{AccountFixture, first_error, session_cookie};
use base::{Environment as _, SignedDuration};
use domain::{
    accounts::sign_in::SignInSettings,
    authentication::SecondFactorPolicy,
    operators::{BuiltInRole, OperatorGrant},
};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use testkit::TestResponse;
use totp_rs::TOTP;

const PASSWORD: &str = "correct horse battery";

/// An operator with a password and codes; their cookie, and their app.
async fn operator(fixture: &ConsoleFixture, email: &str) -> (String, TOTP) {
    let (cookie, _) = fixture.add_operator(email, OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    let (cookie, app) = fixture.enrol_codes(&cookie).await;
    let set = fixture.call(&cookie, "PUT", "/console/password", Some(json!({ "password": PASSWORD }))).await;
    assert_eq!(set.status, 204, "{}", set.json());
    // The first code was used up.
    fixture.app.environment.advance(SignedDuration::from_mins(2));
    (cookie, app)
}

async fn enter(fixture: &ConsoleFixture, email: &str, password: &str, code: Option<&str>) -> TestResponse {
    let mut credential = json!({ "email": email, "password": password });
    if let Some(code) = code {
        credential["code"] = code.into();
    }
    fixture.enter(json!({ "password": credential })).await
}

#[tokio::test]
async fn a_password_is_set() {
    let fixture = ConsoleFixture::start().await;
    let (cookie, _) = fixture.operator("ada@example.com", BuiltInRole::Administrator).await;
    let body = json!({ "password": PASSWORD });
    assert_response_snapshot!(fixture.call(&cookie, "PUT", "/console/password", Some(body)).await);
    for (password, length) in [("short", 5.0), (&"x".repeat(201), 201.0)] {
        let body = json!({ "password": password });
        let refused = fixture.call(&cookie, "PUT", "/console/password", Some(body)).await;
        assert_eq!(first_error(&refused)["measured"], length, "{}", refused.json());
    }
    // It is nowhere in the database, and neither is its hash in clear.
    let dump = fixture.app.dump().await;
    assert!(!dump.iter().any(|row| row.contains("battery") || row.contains("argon2id")));
}

#[tokio::test]
async fn setting_up_codes_begins() {
    let fixture = ConsoleFixture::start().await;
    let (cookie, _) =
        fixture.add_operator("ada@example.com", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    assert_response_snapshot!(fixture.call(&cookie, "POST", "/console/totp", None).await, "secret uri");
}

#[tokio::test]
async fn codes_are_set_up() {
    let fixture = ConsoleFixture::start().await;
    let (cookie, _) =
        fixture.add_operator("ada@example.com", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    let begun = fixture.call(&cookie, "POST", "/console/totp", None).await.json();
    let app = TOTP::from_url(begun["uri"].as_str().unwrap()).unwrap();
    let wrong = fixture.post(&cookie, "/console/totp/confirmation", json!({ "code": "000000" })).await;
    assert_eq!(first_error(&wrong)["property"], "code");
    let body = json!({ "code": fixture.code(&app) });
    let confirmed = fixture.post(&cookie, "/console/totp/confirmation", body.clone()).await;
    assert_response_snapshot!(confirmed);
    let cookie = session_cookie(&confirmed);
    let again = fixture.post(&cookie, "/console/totp/confirmation", body).await;
    assert_eq!(again.status_and_code(), "409 CONFLICT", "nothing is being set up");
    let again = fixture.call(&cookie, "POST", "/console/totp", None).await;
    assert_eq!(again.status_and_code(), "409 CONFLICT", "they are set up");
    // The secret is sealed.
    let secret = begun["secret"].as_str().unwrap().to_owned();
    assert!(!fixture.app.dump().await.iter().any(|row| row.contains(&secret)));
}

#[tokio::test]
async fn codes_are_removed() {
    let fixture = ConsoleFixture::start().await;
    let (cookie, _) = operator(&fixture, "ada@example.com").await;
    assert_response_snapshot!(fixture.call(&cookie, "DELETE", "/console/totp", None).await);
    let again = fixture.call(&cookie, "DELETE", "/console/totp", None).await;
    assert_eq!(again.status_and_code(), "404 NOT_FOUND");
}

#[tokio::test]
async fn an_operator_signs_in_with_password_and_code() {
    let fixture = ConsoleFixture::start().await;
    let (_, app) = operator(&fixture, "ada@example.com").await;
    let entered = enter(&fixture, "ADA@example.com", PASSWORD, Some(&fixture.code(&app))).await;
    assert_eq!(entered.status, 200, "{}", entered.json());
    assert_eq!(entered.json()["second_factor"], "presented");
}

#[tokio::test]
async fn each_code_counts_once() {
    let fixture = ConsoleFixture::start().await;
    let (_, app) = operator(&fixture, "ada@example.com").await;
    let code = fixture.code(&app);
    assert_eq!(enter(&fixture, "ada@example.com", PASSWORD, Some(&code)).await.status, 200);
    let again = enter(&fixture, "ada@example.com", PASSWORD, Some(&code)).await;
    assert_eq!(again.status_and_code(), "401 UNAUTHORIZED", "replayed");
    // Nor one from before it, although it is near enough in time.
    let earlier = app.generate(fixture.app.environment.now().as_second() as u64 - 30);
    let refused = enter(&fixture, "ada@example.com", PASSWORD, Some(&earlier)).await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "earlier");
    fixture.app.environment.advance(SignedDuration::from_secs(30));
    let next = fixture.code(&app);
    assert_eq!(enter(&fixture, "ada@example.com", PASSWORD, Some(&next)).await.status, 200, "the next one");
}

#[tokio::test]
async fn one_code_is_used_once_by_many_at_the_same_time() {
    let fixture = ConsoleFixture::start().await;
    let (_, app) = operator(&fixture, "ada@example.com").await;
    let code = fixture.code(&app);
    let tries = (0..4).map(|_| enter(&fixture, "ada@example.com", PASSWORD, Some(&code)));
    let answers = futures_util::future::join_all(tries).await;
    let entered = answers.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(entered, 1);
}

#[tokio::test]
async fn what_was_wrong_is_not_said() {
    let fixture = ConsoleFixture::start().await;
    let (_, app) = operator(&fixture, "ada@example.com").await;
    let code = fixture.code(&app);
    let mut said = Vec::new();
    for (email, password, code) in [
        ("nobody@example.com", PASSWORD, Some(code.as_str())),
        ("ada@example.com", "wrong horse battery", Some(code.as_str())),
        ("ada@example.com", PASSWORD, Some("000000")),
        ("ada@example.com", PASSWORD, None),
    ] {
        let refused = enter(&fixture, email, password, code).await;
        assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "{email} {code:?}");
        said.push((message(&refused), refused.headers.len()));
    }
    said.dedup();
    assert_eq!(said.len(), 1, "{said:?}");
    fixture.wait_for_audit("sign-in.fail").await;
}

/// How long a wrong password takes.
async fn time_of(fixture: &ConsoleFixture, email: &str) -> Duration {
    let begun = Instant::now();
    let refused = enter(fixture, email, "wrong horse battery", None).await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED");
    begun.elapsed()
}

/// Without the hash that nobody has, an unknown address would be answered some forty times as fast. The shortest of several
/// tries in turns is compared, so that what else the machine does matters little.
#[tokio::test]
async fn the_time_does_not_tell_who_works_here() {
    let fixture = ConsoleFixture::start().await;
    operator(&fixture, "ada@example.com").await;
    // That hash is made once.
    time_of(&fixture, "first@example.com").await;
    let (mut known, mut unknown) = (Duration::MAX, Duration::MAX);
    for email in ["b@example.com", "c@example.com", "d@example.com", "e@example.com"] {
        known = known.min(time_of(&fixture, "ada@example.com").await);
        unknown = unknown.min(time_of(&fixture, email).await);
    }
    let ratio = known.as_secs_f64() / unknown.as_secs_f64();
    assert!((0.1..10.0).contains(&ratio), "{known:?} and {unknown:?}");
}

#[tokio::test]
async fn after_five_wrong_tries_nothing_is_judged_for_a_while() {
    let fixture = ConsoleFixture::start().await;
    let (_, app) = operator(&fixture, "ada@example.com").await;
    // Addresses that nobody has are counted alike.
    for email in ["ada@example.com", "nobody@example.com"] {
        for _ in 0..5 {
            let refused = enter(&fixture, email, "wrong horse battery", None).await;
            assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED");
        }
        let refused = enter(&fixture, email, PASSWORD, Some(&fixture.code(&app))).await;
        assert_eq!(refused.status_and_code(), "429 TOO_MANY_REQUESTS", "{email}");
        assert_eq!(refused.header("retry-after"), "30");
    }
    fixture.app.environment.advance(SignedDuration::from_secs(30));
    let entered = enter(&fixture, "ada@example.com", PASSWORD, Some(&fixture.code(&app))).await;
    assert_eq!(entered.status, 200, "and is forgotten with a right one");
    fixture.app.environment.advance(SignedDuration::from_secs(30));
    let refused = enter(&fixture, "ada@example.com", "wrong horse battery", None).await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED");
    let dump = fixture.app.dump().await;
    assert!(!dump.iter().any(|row| row.contains("nobody@example.com")), "whom one tried is not stored");
}

/// Tries that come at the same time are counted before any is judged.
#[tokio::test]
async fn many_wrong_tries_at_the_same_time_are_not_all_judged() {
    let fixture = ConsoleFixture::start().await;
    operator(&fixture, "ada@example.com").await;
    for email in ["ada@example.com", "nobody@example.com"] {
        let tries = (0..20).map(|_| enter(&fixture, email, "wrong horse battery", None));
        let answers = futures_util::future::join_all(tries).await;
        let judged = answers.iter().filter(|answer| answer.status == 401).count();
        let refused = answers.iter().filter(|answer| answer.status == 429).count();
        assert_eq!((judged, refused), (5, 15), "{email}");
    }
}

#[tokio::test]
async fn codes_of_a_session_are_counted_too() {
    let fixture = ConsoleFixture::start().await;
    operator(&fixture, "ada@example.com").await;
    let cookie = session_cookie(&fixture.enter_by_mail("ada@example.com").await);
    for expected in ["401 UNAUTHORIZED"; 5].into_iter().chain(["429 TOO_MANY_REQUESTS"]) {
        let body = json!({ "code": "000000" });
        let refused = fixture.post(&cookie, "/console/session/second-factor", body).await;
        assert_eq!(refused.status_and_code(), expected);
    }
}

#[tokio::test]
async fn a_password_alone_needs_a_second_factor() {
    let fixture = ConsoleFixture::start().await;
    let (cookie, _) = fixture.operator("ada@example.com", BuiltInRole::Administrator).await;
    let body = json!({ "password": PASSWORD });
    assert_eq!(fixture.call(&cookie, "PUT", "/console/password", Some(body)).await.status, 204);
    let entered = enter(&fixture, "ada@example.com", PASSWORD, None).await;
    assert_eq!(entered.json()["second_factor"], "required", "{}", entered.json());
    let refused = fixture.get(&session_cookie(&entered), "/console/operators").await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED");
}

#[tokio::test]
async fn a_new_password_ends_all_other_sessions() {
    let fixture = ConsoleFixture::start().await;
    let (cookie, mut device) = fixture.operator("ada@example.com", BuiltInRole::Administrator).await;
    let answer = fixture.passkey_answer(&mut device).await;
    let other = session_cookie(&fixture.enter(json!({ "passkey": answer })).await);
    let body = json!({ "password": PASSWORD });
    assert_eq!(fixture.call(&cookie, "PUT", "/console/password", Some(body)).await.status, 204);
    assert_eq!(fixture.get(&other, "/console/session").await.status_and_code(), "401 UNAUTHORIZED");
    assert_eq!(fixture.get(&cookie, "/console/session").await.status, 200);
}

#[tokio::test]
async fn a_disabled_operator_does_not_come_in() {
    let fixture = ConsoleFixture::start().await;
    let (ada, _) = operator(&fixture, "ada@example.com").await;
    let (_, app) = operator(&fixture, "eve@example.com").await;
    let listed = fixture.get(&ada, "/console/operators").await.json();
    let eve: &Value = &listed["operators"][1];
    let path = format!("/console/operators/{}/disable", eve["id"].as_str().unwrap());
    assert_eq!(fixture.call(&ada, "POST", &path, None).await.status, 204);
    let refused = enter(&fixture, "eve@example.com", PASSWORD, Some(&fixture.code(&app))).await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED");
}

#[tokio::test]
async fn members_have_no_password() {
    let settings =
        SignInSettings { second_factor: SecondFactorPolicy::Off, ..SignInSettings::for_public_url(CONSOLE) };
    let account = AccountFixture::of(ConsoleFixture::with(settings).await.app).await;
    let (_, cookie) = account.add_member("ada@example.com", true, &[]).await;
    let body = json!({ "password": PASSWORD });
    let refused = account.call_console(&cookie, "PUT", "/console/password", Some(body)).await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED");
    assert!(message(&refused).contains("operators"), "{}", message(&refused));
}
