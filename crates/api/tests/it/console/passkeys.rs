//! `/console/passkeys`, and sign-in with one.

use super::{CONSOLE, ConsoleFixture, message};
use crate::{
    content_moderation::{first_error, session_cookie},
    http::late_body,
};
use base::SignedDuration;
use domain::{
    authentication::{CredentialHolder, SecondFactorPolicy},
    operators::{BuiltInRole, OperatorGrant},
};
use serde_json::{Value, json};
use testkit::authenticator::{Authenticator, USER_PRESENT_FLAG};

#[tokio::test]
async fn making_a_passkey_begins() {
    let fixture = ConsoleFixture::start().await;
    let (cookie, _) =
        fixture.add_operator("ada@example.com", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    let begun = fixture.call(&cookie, "POST", "/console/passkeys/challenge", None).await;
    assert_response_snapshot!(begun, "challenge options.publicKey.challenge options.publicKey.user.id");
}

/// An operator's cookie, and what their browser sends to add a passkey.
async fn begun_passkey(fixture: &ConsoleFixture) -> (String, Value) {
    let (cookie, _) =
        fixture.add_operator("ada@example.com", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    let begun = fixture.call(&cookie, "POST", "/console/passkeys/challenge", None).await.json();
    let credential = Authenticator::new(CONSOLE).create(&begun["options"]);
    let body = json!({ "challenge": begun["challenge"], "credential": credential, "name": "Laptop" });
    (cookie, body)
}

#[tokio::test]
async fn a_passkey_is_added() {
    let fixture = ConsoleFixture::start().await;
    let (cookie, body) = begun_passkey(&fixture).await;
    assert_response_snapshot!(fixture.post(&cookie, "/console/passkeys", body).await);
}

/// A passkey would outlast the session: whoever ended it, or disabled its operator, must not have to wait for a body.
#[tokio::test]
async fn a_session_that_ends_while_the_body_arrives_adds_no_passkey() {
    for seconds in [0, 2] {
        let fixture = ConsoleFixture::start().await;
        let (cookie, body) = begun_passkey(&fixture).await;
        let ended = db::sql!("DELETE FROM console_sessions");
        let body = late_body(&fixture.app, body.to_string(), seconds, ended);
        let refused = fixture.send(&cookie, "POST", "/console/passkeys", body).await;
        assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "{seconds}");
        let mut view = fixture.app.api.db.read().await.unwrap();
        assert_eq!(view.count(db::sql!("SELECT count(*) FROM passkeys")).await.unwrap(), 0, "{seconds}");
    }
}

#[tokio::test]
async fn credentials_are_listed() {
    let fixture = ConsoleFixture::start().await;
    let (cookie, mut device) = fixture.operator("ada@example.com", BuiltInRole::Administrator).await;
    let answer = fixture.passkey_answer(&mut device).await;
    fixture.enter(json!({ "passkey": answer })).await;
    let listed = fixture.get(&cookie, "/console/credentials").await;
    assert_response_snapshot!(listed, "passkeys.*.created_at passkeys.*.last_used_at");
}

#[tokio::test]
async fn signing_in_with_a_passkey_begins() {
    let fixture = ConsoleFixture::start().await;
    let begun = fixture.call("", "POST", "/console/sign-in/passkey", None).await;
    assert_response_snapshot!(begun, "challenge options.publicKey.challenge");
}

#[tokio::test]
async fn a_passkey_is_renamed() {
    let fixture = ConsoleFixture::start().await;
    let (cookie, _) = fixture.operator("ada@example.com", BuiltInRole::Administrator).await;
    let path = passkey_path(&fixture, &cookie).await;
    let renamed = fixture.call(&cookie, "PUT", &path, Some(json!({ "name": "Old laptop" }))).await;
    assert_response_snapshot!(renamed);
    let listed = fixture.get(&cookie, "/console/credentials").await.json();
    assert_eq!(listed["passkeys"][0]["name"], "Old laptop");
    for name in ["", " ", "a\nb", &"x".repeat(101)] {
        let refused = fixture.call(&cookie, "PUT", &path, Some(json!({ "name": name }))).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST", "{name:?}");
    }
}

#[tokio::test]
async fn a_passkey_is_removed() {
    let fixture = ConsoleFixture::start().await;
    let (cookie, mut device) = fixture.operator("ada@example.com", BuiltInRole::Administrator).await;
    let path = passkey_path(&fixture, &cookie).await;
    assert_response_snapshot!(fixture.call(&cookie, "DELETE", &path, None).await);
    assert_eq!(fixture.call(&cookie, "DELETE", &path, None).await.status_and_code(), "404 NOT_FOUND");
    let answer = fixture.passkey_answer(&mut device).await;
    let refused = fixture.enter(json!({ "passkey": answer })).await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED");
}

async fn passkey_path(fixture: &ConsoleFixture, cookie: &str) -> String {
    let listed = fixture.get(cookie, "/console/credentials").await.json();
    format!("/console/passkeys/{}", listed["passkeys"][0]["id"].as_str().unwrap())
}

#[tokio::test]
async fn a_passkey_signs_its_holder_in_and_counts_as_two_factors() {
    let fixture = ConsoleFixture::start().await;
    let (_, mut ada) = fixture.operator("ada@example.com", BuiltInRole::Administrator).await;
    let (_, mut grace) = fixture.operator("grace@example.com", BuiltInRole::Auditor).await;
    for (device, email) in [(&mut ada, "ada@example.com"), (&mut grace, "grace@example.com")] {
        let answer = fixture.passkey_answer(device).await;
        let entered = fixture.enter(json!({ "passkey": answer })).await;
        assert_eq!(entered.status, 200, "{}", entered.json());
        assert_eq!(entered.json()["operator"]["email"], email);
        assert_eq!(entered.json()["second_factor"], "presented");
    }
}

#[tokio::test]
async fn what_was_answered_once_is_answered() {
    let fixture = ConsoleFixture::start().await;
    let (cookie, mut device) = fixture.operator("ada@example.com", BuiltInRole::Administrator).await;
    let answer = fixture.passkey_answer(&mut device).await;
    assert_eq!(fixture.enter(json!({ "passkey": answer })).await.status, 200);
    let again = fixture.enter(json!({ "passkey": answer })).await;
    assert_eq!(again.status_and_code(), "401 UNAUTHORIZED", "the same answer");
    // The same challenge, answered anew.
    let begun = fixture.call("", "POST", "/console/sign-in/passkey", None).await.json();
    for expected in ["200", "401 UNAUTHORIZED"] {
        let answer = json!({ "challenge": begun["challenge"], "credential": device.get(&begun["options"]) });
        assert_eq!(fixture.enter(json!({ "passkey": answer })).await.status_and_code(), expected);
    }
    // A registration.
    let begun = fixture.call(&cookie, "POST", "/console/passkeys/challenge", None).await.json();
    for expected in ["201", "400 INVALID_REQUEST"] {
        let credential = Authenticator::new(CONSOLE).create(&begun["options"]);
        let body = json!({ "challenge": begun["challenge"], "credential": credential, "name": "Phone" });
        assert_eq!(fixture.post(&cookie, "/console/passkeys", body).await.status_and_code(), expected);
    }
}

#[tokio::test]
async fn a_challenge_is_for_ten_minutes_and_one_purpose() {
    let fixture = ConsoleFixture::start().await;
    let (cookie, mut device) = fixture.operator("ada@example.com", BuiltInRole::Administrator).await;
    let sign_in = fixture.call("", "POST", "/console/sign-in/passkey", None).await.json();
    let registration = fixture.call(&cookie, "POST", "/console/passkeys/challenge", None).await.json();
    let crossed =
        json!({ "challenge": registration["challenge"], "credential": device.get(&sign_in["options"]) });
    assert_eq!(fixture.enter(json!({ "passkey": crossed })).await.status_and_code(), "401 UNAUTHORIZED");
    for changed in ["", "AAAA", &"A".repeat(20_000)] {
        let answer = json!({ "challenge": changed, "credential": device.get(&sign_in["options"]) });
        let refused = fixture.enter(json!({ "passkey": answer })).await;
        assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED");
    }
    fixture.app.environment.advance(SignedDuration::from_mins(10));
    let late = json!({ "challenge": sign_in["challenge"], "credential": device.get(&sign_in["options"]) });
    assert_eq!(fixture.enter(json!({ "passkey": late })).await.status_and_code(), "401 UNAUTHORIZED");
}

#[tokio::test]
async fn a_passkey_of_another_page_or_of_an_unverified_user_is_refused() {
    let fixture = ConsoleFixture::start().await;
    let (cookie, mut device) = fixture.operator("ada@example.com", BuiltInRole::Administrator).await;
    for origin in
        ["https://assay.example.com.evil.example", "https://evil.example", "http://assay.example.com"]
    {
        device.origin = origin;
        let answer = fixture.passkey_answer(&mut device).await;
        let refused = fixture.enter(json!({ "passkey": answer })).await;
        assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "{origin}");
        let begun = fixture.call(&cookie, "POST", "/console/passkeys/challenge", None).await.json();
        let credential = Authenticator::new(origin).create(&begun["options"]);
        let body = json!({ "challenge": begun["challenge"], "credential": credential, "name": "Phone" });
        let refused = fixture.post(&cookie, "/console/passkeys", body).await;
        assert_eq!(first_error(&refused)["property"], "credential", "{origin}");
    }
    device.origin = CONSOLE;
    device.flags = USER_PRESENT_FLAG;
    let answer = fixture.passkey_answer(&mut device).await;
    assert_eq!(fixture.enter(json!({ "passkey": answer })).await.status_and_code(), "401 UNAUTHORIZED");
}

#[tokio::test]
async fn a_copy_of_a_passkey_is_noticed_by_its_counter() {
    let fixture = ConsoleFixture::start().await;
    let (_, mut device) = fixture.operator("ada@example.com", BuiltInRole::Administrator).await;
    device.counter = 40;
    let answer = fixture.passkey_answer(&mut device).await;
    assert_eq!(fixture.enter(json!({ "passkey": answer })).await.status, 200);
    // A copy that was made earlier.
    device.counter = 7;
    let answer = fixture.passkey_answer(&mut device).await;
    let refused = fixture.enter(json!({ "passkey": answer })).await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED");
    assert!(message(&refused).contains("copy"), "{}", message(&refused));
    assert!(fixture.audited().await.contains(&"passkey.possible-copy".to_owned()));
}

#[tokio::test]
async fn a_signature_of_another_key_is_refused() {
    let fixture = ConsoleFixture::start().await;
    let (_, device) = fixture.operator("ada@example.com", BuiltInRole::Administrator).await;
    let (_, mut eve) = fixture.operator("eve@example.com", BuiltInRole::Auditor).await;
    // Eve's key says that it is Ada's.
    eve.id.clone_from(&device.id);
    let answer = fixture.passkey_answer(&mut eve).await;
    assert_eq!(fixture.enter(json!({ "passkey": answer })).await.status_and_code(), "401 UNAUTHORIZED");
}

#[tokio::test]
async fn nobody_completes_what_another_began() {
    let fixture = ConsoleFixture::start().await;
    let (ada, _) = fixture.operator("ada@example.com", BuiltInRole::Administrator).await;
    let (eve, _) = fixture.operator("eve@example.com", BuiltInRole::Auditor).await;
    let begun = fixture.call(&ada, "POST", "/console/passkeys/challenge", None).await.json();
    let credential = Authenticator::new(CONSOLE).create(&begun["options"]);
    let body = json!({ "challenge": begun["challenge"], "credential": credential, "name": "Phone" });
    let refused = fixture.post(&eve, "/console/passkeys", body).await;
    assert_eq!(first_error(&refused)["property"], "challenge");
}

#[tokio::test]
async fn one_passkey_belongs_to_one_person() {
    let fixture = ConsoleFixture::start().await;
    let (ada, mut device) = fixture.operator("ada@example.com", BuiltInRole::Administrator).await;
    let begun = fixture.call(&ada, "POST", "/console/passkeys/challenge", None).await.json();
    let known = begun["options"]["publicKey"]["excludeCredentials"].as_array().map(Vec::len);
    assert_eq!(known, Some(1), "the device is told that it has one already");
    let body = json!({ "challenge": begun["challenge"], "credential": device.create(&begun["options"]), "name": "Again" });
    let refused = fixture.post(&ada, "/console/passkeys", body).await;
    assert!(!refused.status.is_success(), "{}", refused.status);
}

#[tokio::test]
async fn twenty_passkeys_are_enough() {
    let fixture = ConsoleFixture::start().await;
    let (cookie, _) = fixture.operator("ada@example.com", BuiltInRole::Administrator).await;
    for _ in 0..19 {
        fixture.enrol_passkey(&cookie).await;
    }
    let refused = fixture.call(&cookie, "POST", "/console/passkeys/challenge", None).await;
    assert_eq!(refused.status_and_code(), "409 CONFLICT");
}

/// Whoever can write to the database must not be able to sign in with a key that they put there.
#[tokio::test]
async fn a_passkey_that_is_moved_to_somebody_else_opens_nothing() {
    let fixture = ConsoleFixture::with_policy(SecondFactorPolicy::Off).await;
    let (_, ada) =
        fixture.add_operator("ada@example.com", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    let (_, mut eve) = fixture.operator("eve@example.com", BuiltInRole::Auditor).await;
    let id: base::OperatorId = ada["operator"]["id"].as_str().unwrap().parse().unwrap();
    fixture
        .app
        .execute(db::sql!("UPDATE passkeys SET holder_id = $1", CredentialHolder::operator(id).id))
        .await;
    let begun = fixture.call("", "POST", "/console/sign-in/passkey", None).await.json();
    let mut credential: Value = eve.get(&begun["options"]);
    credential["response"]["userHandle"] =
        base64_simd::URL_SAFE_NO_PAD.encode_to_string(base::Uuid::from(id).as_bytes()).into();
    let answer = json!({ "challenge": begun["challenge"], "credential": credential });
    let refused = fixture.enter(json!({ "passkey": answer })).await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED");
}

#[tokio::test]
async fn a_member_signs_in_with_a_passkey() {
    let fixture = ConsoleFixture::start().await;
    let account = crate::content_moderation::AccountFixture::of(fixture.app).await;
    let (id, cookie) = account.add_member("ada@example.com", true, &[]).await;
    let fixture = ConsoleFixture { app: account.app };
    let (_, mut device) = fixture.enrol_passkey(&cookie).await;
    let answer = fixture.passkey_answer(&mut device).await;
    let entered = fixture.enter(json!({ "passkey": answer })).await;
    assert_eq!(entered.json()["member"]["id"], id.as_str(), "{}", entered.json());
    // The session opens content moderation as well.
    let path = format!("/accounts/{}", account.account);
    assert_eq!(fixture.get(&session_cookie(&entered), &path).await.status, 200);
    // Removing the member removes the passkey.
    fixture.app.execute(db::sql!("UPDATE members SET admin = FALSE")).await;
    let path = format!("/accounts/{}/members/{id}", account.account);
    let key = account.key.clone();
    assert_eq!(fixture.app.call_moderation("DELETE", &path, &key, None).await.status, 204);
    let answer = fixture.passkey_answer(&mut device).await;
    assert_eq!(fixture.enter(json!({ "passkey": answer })).await.status_and_code(), "401 UNAUTHORIZED");
}

/// On PostgreSQL, which would end one of two transactions that wait for each other.
#[tokio::test]
async fn a_passkey_is_used_while_its_member_is_removed_and_neither_waits_for_the_other() {
    let fixture = ConsoleFixture::start().await;
    let account = crate::content_moderation::AccountFixture::of(fixture.app).await;
    let (id, cookie) = account.add_member("ada@example.com", true, &[]).await;
    let (id, account_id) = (id.parse::<base::MemberId>().unwrap(), account.account);
    let fixture = ConsoleFixture { app: account.app };
    let (_, mut device) = fixture.enrol_passkey(&cookie).await;
    let answer = fixture.passkey_answer(&mut device).await;
    // The removal has locked the account, and nothing else yet.
    let mut tx = fixture.app.api.db.write().await.unwrap();
    tx.execute(db::sql!("UPDATE accounts SET state = state WHERE id = $1", account_id)).await.unwrap();
    let (entered, ()) = tokio::join!(fixture.enter(json!({ "passkey": answer })), async {
        fixture.app.wait_until_blocked(1).await;
        for query in [
            db::sql!("DELETE FROM passkeys WHERE holder_id = $1", id),
            db::sql!("DELETE FROM console_sessions WHERE holder_id = $1", id),
            db::sql!("DELETE FROM members WHERE id = $1", id),
        ] {
            assert!(tx.execute(query).await.unwrap() > 0);
        }
        tx.commit().await.unwrap();
    });
    assert_eq!(entered.status_and_code(), "401 UNAUTHORIZED", "{}", entered.json());
}
