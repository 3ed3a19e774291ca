//! What strangers could do with the link of a session at the operator's cost.

use crate::age_verification::{AgeSessionFixture, AttemptTurn, BASE, SANDBOX, captured_photo};
use base::SignedDuration;
use domain::age_verification::{AgeVerificationSettings, AttemptLimits, ProviderSettings};
use serde_json::{Value, json};
use std::{
    num::NonZeroU32,
    path::Path,
    sync::{Arc, OnceLock},
    time::Duration,
};
use testkit::{
    TestApp,
    stub_server::{self, ReplyGate, StubReply, StubServer},
};

fn few(number: u32) -> NonZeroU32 {
    NonZeroU32::new(number).unwrap()
}

/// A server in production with mail codes, whose registry is simulated.
async fn with_mail_codes(limits: AttemptLimits) -> TestApp {
    let email = serde_json::from_value(json!({ "provider": "sandbox" })).unwrap();
    let providers = ProviderSettings { email: Some(email), ..ProviderSettings::default() };
    TestApp::start_with_age_settings(AgeVerificationSettings { providers, limits, ..Default::default() })
        .await
}

/// A server in production whose card provider is a stand-in.
async fn with_cards(bank: &StubServer, limits: AttemptLimits) -> (TestApp, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("stripe.key");
    std::fs::write(&secret, "sk_test_1").unwrap();
    let card = json!({ "provider": "stripe", "url": bank.url(""), "secret_file": secret });
    let credit_card = Some(serde_json::from_value(card).unwrap());
    let providers = ProviderSettings { credit_card, ..ProviderSettings::default() };
    let settings = AgeVerificationSettings { providers, limits, ..Default::default() };
    (TestApp::start_with_age_settings_and_egress(&stub_server::egress_policy(), settings).await, folder)
}

/// A server in production whose registry for `method` is a stand-in. The settings may name the file of a secret.
pub(super) async fn with_registry(
    method: &str,
    settings: impl FnOnce(&Path) -> Value,
    limits: AttemptLimits,
) -> (TestApp, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("registry.key");
    std::fs::write(&secret, format!("whsec_{}", "A".repeat(40))).unwrap();
    let registry = Some(serde_json::from_value(settings(&secret)).unwrap());
    let mut providers = ProviderSettings::default();
    match method {
        "social_security_number" => providers.social_security_number = registry,
        _ => providers.cpf = registry,
    }
    let settings = AgeVerificationSettings { providers, limits, ..Default::default() };
    (TestApp::start_with_age_settings_and_egress(&stub_server::egress_policy(), settings).await, folder)
}

/// A server in production whose identity provider is a stand-in that takes no code.
async fn with_identity_provider(
    pushed: bool,
    limits: AttemptLimits,
) -> (TestApp, StubServer, tempfile::TempDir) {
    let address = Arc::new(OnceLock::<String>::new());
    let issuer = address.clone();
    let bank = StubServer::start(move |request| {
        let at = |path: &str| format!("{}{path}", issuer.get().unwrap());
        let answer = |value: Value| StubReply::body("application/json", value.to_string());
        match request.uri.path() {
            "/.well-known/openid-configuration" => answer(json!({
                "issuer": at(""), "authorization_endpoint": at("/authorize"), "token_endpoint": at("/token"),
                "jwks_uri": at("/jwks"), "pushed_authorization_request_endpoint": at("/par"),
                "response_types_supported": ["code"], "subject_types_supported": ["pairwise"],
                "id_token_signing_alg_values_supported": ["ES256"],
            })),
            "/jwks" => answer(json!({ "keys": [] })),
            "/par" => answer(json!({ "request_uri": "urn:bank:1", "expires_in": 60 })).with_status(201),
            _ => answer(json!({ "error": "invalid_grant" })).with_status(400),
        }
    })
    .await;
    address.set(bank.url("")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let secret = folder.path().join("bank.secret");
    std::fs::write(&secret, "p w").unwrap();
    let provider = json!({
        "provider": "oidc", "name": "My bank", "issuer": bank.url(""), "client_id": "shop",
        "client_secret_file": secret, "pushed": pushed,
    });
    let electronic_id = [("mybank".to_owned(), serde_json::from_value(provider).unwrap())].into();
    let providers = ProviderSettings { electronic_id, ..ProviderSettings::default() };
    let settings = AgeVerificationSettings { providers, limits, ..Default::default() };
    let app = TestApp::start_with_age_settings_and_egress(&stub_server::egress_policy(), settings).await;
    (app, bank, folder)
}

/// How many requests for a path a server has received.
fn count_calls(server: &StubServer, path: &str) -> usize {
    server.captured().iter().filter(|request| request.uri.path() == path).count()
}

/// A parameter of a query or form.
fn parameter(form: &[u8], name: &str) -> String {
    let mut parameters = form_urlencoded::parse(form);
    parameters.find(|(known, _)| known == name).unwrap().1.into_owned()
}

/// The answer of a bank that finds the security code wrong.
fn wrong_security_code() -> StubReply {
    let error = json!({ "error": { "type": "card_error", "code": "incorrect_cvc" } });
    StubReply::body("application/json", error.to_string()).with_status(402)
}

fn card(number: &str, code: u32) -> Value {
    json!({ "fields": { "number": number, "expiry": "12/30", "code": format!("{code:03}") } })
}

const VISA: &str = "4242 4242 4242 4242";
const MASTERCARD: &str = "5555 5555 5555 4444";

async fn ask_for_code(app: &TestApp, session: &AgeSessionFixture, address: &str) -> AttemptTurn {
    let opened = session.open_attempt(app, "EMAIL").await;
    session.take_turn(app, &opened, json!({ "fields": { "email": address } })).await
}

#[tokio::test]
async fn the_pause_between_codes_holds_when_the_method_is_opened_again() {
    let app = with_mail_codes(AttemptLimits::default()).await;
    let session = AgeSessionFixture::create(&app, BASE, &json!({ "email": {} })).await;
    assert_eq!(ask_for_code(&app, &session, "ada@example.com").await.step()["kind"], "code");
    let soon = ask_for_code(&app, &session, "eve@example.com").await;
    assert_eq!((&soon.step()["kind"], &soon.0["problem"]["code"]), (&json!("form"), &json!("TOO_SOON")));
    assert_eq!(app.sent_mails().len(), 1);
    app.environment.advance(SignedDuration::from_secs(30));
    let sent = session.take_turn(&app, &soon, json!({ "fields": { "email": "eve@example.com" } })).await;
    assert_eq!(sent.step()["kind"], "code");
    assert_eq!(app.sent_mails().len(), 2);
}

#[tokio::test]
async fn a_session_sends_five_codes_and_says_when_there_are_no_more() {
    let app = with_mail_codes(AttemptLimits::default()).await;
    let session = AgeSessionFixture::create(&app, BASE, &json!({ "email": {} })).await;
    let mut turn = ask_for_code(&app, &session, "ada@example.com").await;
    for _ in 0..4 {
        app.environment.advance(SignedDuration::from_secs(30));
        turn = session.take_turn(&app, &turn, json!({ "resend": true })).await;
        assert!(turn.0["problem"].is_null(), "{}", turn.0);
    }
    app.environment.advance(SignedDuration::from_secs(30));
    let refused = session.take_turn(&app, &turn, json!({ "resend": true })).await;
    assert_eq!(
        (&refused.step()["kind"], &refused.0["problem"]["code"]),
        (&json!("code"), &json!("NO_MORE_CODES"))
    );
    let again = ask_for_code(&app, &session, "ada@example.com").await;
    assert_eq!((again.status(), again.reason()), ("FAIL", "TOO_MANY_CODES"));
    assert_eq!(app.sent_mails().len(), 5);
}

#[tokio::test]
async fn codes_have_budgets_beyond_the_session_for_a_day() {
    let limits = AttemptLimits {
        codes_per_recipient: few(2),
        codes_per_application: few(4),
        codes_per_day: few(5),
        ..AttemptLimits::default()
    };
    let app = with_mail_codes(limits).await;
    let ask = async |address: &str| {
        let session = AgeSessionFixture::create(&app, BASE, &json!({ "email": {} })).await;
        let turn = ask_for_code(&app, &session, address).await;
        (turn.step()["kind"].as_str().unwrap_or_default().to_owned(), turn.reason().to_owned())
    };
    let (sent, refused) = (("code".to_owned(), String::new()), (String::new(), "TOO_MANY_CODES".to_owned()));
    for (address, expected) in [
        ("ada@example.com", &sent),
        ("Ada+1@Example.com", &sent),
        ("aDa@example.com", &refused),
        ("ada+2+3@example.com", &refused),
    ] {
        assert_eq!(&ask(address).await, expected, "for one mailbox, however it is written");
    }
    for (address, expected) in
        [("b@example.com", &sent), ("c@example.com", &sent), ("d@example.com", &refused)]
    {
        assert_eq!(&ask(address).await, expected, "of one application");
    }
    assert_eq!(app.sent_mails().len(), 4, "what is refused is not sent");
    let dump: String = app.dump().await.into_iter().filter(|row| row.contains("codes_per")).collect();
    assert!(!dump.contains("ada@") && dump.contains("codes_per_recipient"), "{dump}");
    app.environment.advance(SignedDuration::from_hours(24));
    assert_eq!(ask("ada@example.com").await, sent, "a day later");
    app.environment.advance(SignedDuration::from_hours(48));
    assert!(
        domain::age_verification::purge(&app.api.db, base::Environment::now(&*app.environment))
            .await
            .unwrap()
            > 0
    );
    assert!(!app.dump().await.iter().any(|row| row.contains("codes_per")), "nothing is kept for ever");
}

#[tokio::test]
async fn a_wrong_security_code_is_a_try_and_opening_again_does_not_start_over() {
    let bank = StubServer::start(|_| wrong_security_code()).await;
    let limits =
        AttemptLimits { cards_per_session: few(3), cards_per_card: few(4), ..AttemptLimits::default() };
    let (app, _folder) = with_cards(&bank, limits).await;
    let session = AgeSessionFixture::create(&app, BASE, &json!({ "credit_card": {} })).await;
    let opened = session.open_attempt(&app, "CREDIT_CARD").await;
    let turn = session.take_turn(&app, &opened, card(VISA, 1)).await;
    assert_eq!(turn.0["problem"], json!({ "code": "INVALID", "field": "code", "remaining": 2 }));
    let unsent = session.take_turn(&app, &turn, card("4242 4242 4242 4243", 1)).await;
    assert_eq!(unsent.0["problem"], json!({ "code": "INVALID", "field": "number" }), "nobody was asked");
    let opened = session.open_attempt(&app, "CREDIT_CARD").await;
    let turn = session.take_turn(&app, &opened, card(VISA, 2)).await;
    assert_eq!(turn.0["problem"]["remaining"], 1, "the same session");
    let over = session.take_turn(&app, &turn, card(MASTERCARD, 3)).await;
    assert_eq!((over.status(), over.reason()), ("FAIL", "TOO_MANY_CARDS"));
    assert_eq!(bank.captured().len(), 3);

    // The card has a budget of its own, in whatever session it is tried.
    let asked = async |number: &str, code| {
        let session = AgeSessionFixture::create(&app, BASE, &json!({ "credit_card": {} })).await;
        let opened = session.open_attempt(&app, "CREDIT_CARD").await;
        let turn = session.take_turn(&app, &opened, card(number, code)).await;
        (turn.reason().to_owned(), bank.captured().len())
    };
    assert_eq!(asked(VISA, 4).await, (String::new(), 4));
    assert_eq!(asked(VISA, 5).await, (String::new(), 5));
    assert_eq!(asked(VISA, 6).await, ("TOO_MANY_CARDS".to_owned(), 5), "two in the first session, two since");
    assert_eq!(asked(MASTERCARD, 7).await, (String::new(), 6), "another card");
    assert!(!app.dump().await.iter().any(|row| row.contains("4242424242424242")));
}

#[tokio::test]
async fn what_was_sent_counts_although_the_caller_has_gone() {
    let gate = ReplyGate::closed();
    let held = gate.clone();
    let bank = StubServer::start(move |_| wrong_security_code().behind(&held)).await;
    let limits = AttemptLimits { cards_per_session: few(2), ..AttemptLimits::default() };
    let (app, _folder) = with_cards(&bank, limits).await;
    let app = Arc::new(app);
    let session = AgeSessionFixture::create(&app, BASE, &json!({ "credit_card": {} })).await;
    for tried in 1..=2 {
        let opened = session.open_attempt(&app, "CREDIT_CARD").await;
        let call = {
            let (app, session) = (app.clone(), session.clone());
            tokio::spawn(async move { session.take_turn(&app, &opened, card(VISA, tried)).await })
        };
        tokio::time::timeout(Duration::from_secs(20), bank.wait_for(tried as usize)).await.unwrap();
        // As the server does with the call of a connection that breaks.
        call.abort();
        assert!(call.await.unwrap_err().is_cancelled());
        gate.release_one();
    }
    let opened =
        session.end_user_call(&app, "POST", "/attempts", Some(json!({ "method": "CREDIT_CARD" }))).await;
    assert_ne!(opened.json()["step"]["kind"], "form", "{}", opened.json());
    // The turn that was left goes on to its end.
    let mut reason = Value::Null;
    for _ in 0..500 {
        reason = session.end_user_call(&app, "GET", "", None).await.json()["result"]["reason"].clone();
        if reason == "TOO_MANY_CARDS" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(reason, "TOO_MANY_CARDS");
    assert_eq!(bank.captured().len(), 2);
}

#[tokio::test]
async fn a_question_counts_although_its_attempt_is_left_before_the_answer() {
    let gate = ReplyGate::closed();
    let held = gate.clone();
    let registry =
        StubServer::start(move |_| StubReply::body("application/json", r#"{"result":"OVER"}"#).behind(&held))
            .await;
    let limits = AttemptLimits { questions_per_session: few(2), ..AttemptLimits::default() };
    let settings =
        |secret: &Path| json!({ "provider": "signed", "url": registry.url("/ask"), "secret_file": secret });
    let (app, _folder) = with_registry("social_security_number", settings, limits).await;
    let app = Arc::new(app);
    let session = AgeSessionFixture::create(&app, BASE, &json!({ "social_security_number": {} })).await;
    let mut opened = session.open_attempt(&app, "SOCIAL_SECURITY_NUMBER").await;
    for asked in 1..=2 {
        let person = json!({
            "full_name": "Ada Lovelace", "date_of_birth": "1990-12-10", "number": format!("219-09-123{asked}"),
        });
        let turn = json!({ "continuation": opened.0["continuation"], "fields": person });
        let path = format!("/attempts/{}", opened.attempt());
        let asking = {
            let (app, session) = (app.clone(), session.clone());
            tokio::spawn(async move { session.end_user_call(&app, "POST", &path, Some(turn)).await })
        };
        tokio::time::timeout(Duration::from_secs(20), registry.wait_for(asked)).await.unwrap();
        opened = session.open_attempt(&app, "SOCIAL_SECURITY_NUMBER").await;
        gate.release_one();
        assert_eq!(asking.await.unwrap().status_and_code(), "409 STALE_CONTINUATION", "the attempt was left");
    }
    assert_eq!((opened.status(), opened.reason()), ("FAIL", "TOO_MANY_QUESTIONS"));
    assert_eq!(registry.captured().len(), 2);
}

#[tokio::test]
async fn what_a_registry_refuses_was_a_question_and_what_it_is_not_asked_was_none() {
    let registry = StubServer::start(|request| match request.uri.path() {
        "/token" => StubReply::body("application/json", r#"{"access_token":"t","expires_in":3600}"#),
        _ => StubReply::status(400),
    })
    .await;
    let limits = AttemptLimits { questions_per_session: few(2), ..AttemptLimits::default() };
    let settings = |secret: &Path| {
        json!({
            "provider": "serpro", "consumer_key": "k", "consumer_secret_file": secret,
            "url": registry.url(""), "token_url": registry.url("/token"),
        })
    };
    let (app, _folder) = with_registry("cpf", settings, limits).await;
    let session = AgeSessionFixture::create(&app, BASE, &json!({ "cpf": {} })).await;
    let person = |number: &str| json!({ "fields": { "full_name": "Ada Lovelace", "date_of_birth": "1990-12-10", "cpf": number } });
    let opened = session.open_attempt(&app, "CPF").await;
    let unsent = session.take_turn(&app, &opened, person("529.982.247-24")).await;
    assert_eq!(unsent.0["problem"], json!({ "code": "INVALID", "field": "cpf" }), "nobody was asked");
    let refused = session.take_turn(&app, &unsent, person("529.982.247-25")).await;
    assert_eq!(refused.0["problem"], json!({ "code": "INVALID", "field": "cpf", "remaining": 1 }));
    let opened = session.open_attempt(&app, "CPF").await;
    let over = session.take_turn(&app, &opened, person("111.444.777-35")).await;
    assert_eq!((over.status(), over.reason()), ("FAIL", "TOO_MANY_QUESTIONS"));
    let asked = registry.captured().iter().filter(|request| request.uri.path().starts_with("/cpf/")).count();
    assert_eq!(asked, 2);
}

#[tokio::test]
async fn codes_of_la_wallet_are_questions_too() {
    let app = TestApp::start().await;
    let payload = json!({ "la_wallet": {}, "reference_id": "order 5555" });
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    for _ in 0..10 {
        assert_eq!(session.open_attempt(&app, "LA_WALLET").await.step()["kind"], "app_code");
    }
    let over = session.open_attempt(&app, "LA_WALLET").await;
    assert_eq!((over.status(), over.reason()), ("FAIL", "TOO_MANY_QUESTIONS"));
}

#[tokio::test]
async fn a_login_whose_request_is_pushed_counts_once_and_when_it_is() {
    let limits = AttemptLimits { questions_per_session: few(2), ..AttemptLimits::default() };
    let (app, bank, _folder) = with_identity_provider(true, limits).await;
    let payload = json!({ "electronic_id": { "retry_enabled": true } });
    let session = AgeSessionFixture::create(&app, BASE, &payload).await;
    session.open_attempt(&app, "ELECTRONIC_ID").await;
    let opened = session.open_attempt(&app, "ELECTRONIC_ID").await;
    assert_eq!(opened.step()["kind"], "redirect");
    // The person of the last login that was left can still come back.
    let pushed = bank.captured().pop().unwrap();
    let returned = json!({ "state": parameter(&pushed.body, "state"), "code": "c-1" });
    let ended = session.take_turn(&app, &opened, json!({ "returned": returned })).await;
    assert_eq!((ended.status(), ended.reason()), ("IN_PROGRESS", "NOT_FOUND"));
    let over = session.open_attempt(&app, "ELECTRONIC_ID").await;
    assert_eq!((over.step(), over.reason()), (&Value::Null, "TOO_MANY_QUESTIONS"));
    assert_eq!((count_calls(&bank, "/par"), count_calls(&bank, "/token")), (2, 1));
}

#[tokio::test]
async fn a_login_that_begins_in_the_browser_counts_when_it_comes_back_with_a_code() {
    let limits = AttemptLimits { questions_per_session: few(2), ..AttemptLimits::default() };
    let (app, bank, _folder) = with_identity_provider(false, limits).await;
    let payload = json!({ "electronic_id": { "retry_enabled": true, "retry_limit": 10 } });
    let session = AgeSessionFixture::create(&app, BASE, &payload).await;
    let come_back = async |with: Value| {
        let opened = session.open_attempt(&app, "ELECTRONIC_ID").await;
        let (_, query) = opened.step()["url"].as_str().unwrap().split_once('?').unwrap();
        let mut returned = json!({ "state": parameter(query.as_bytes(), "state") });
        returned.as_object_mut().unwrap().extend(with.as_object().unwrap().clone());
        session.take_turn(&app, &opened, json!({ "returned": returned })).await.reason().to_owned()
    };
    // Who declines, or brings what belongs to another login, or does not come back, has nobody asked.
    for _ in 0..3 {
        session.open_attempt(&app, "ELECTRONIC_ID").await;
    }
    for with in [json!({ "error": "access_denied" }), json!({ "state": "another", "code": "c-1" })] {
        assert_eq!(come_back(with.clone()).await, "NOT_FOUND", "{with}");
    }
    assert_eq!(count_calls(&bank, "/token"), 0);
    for code in ["c-1", "c-2"] {
        assert_eq!(come_back(json!({ "code": code })).await, "NOT_FOUND", "{code}");
    }
    let over = session.open_attempt(&app, "ELECTRONIC_ID").await;
    assert_eq!((over.step(), over.reason()), (&Value::Null, "TOO_MANY_QUESTIONS"));
    assert_eq!(count_calls(&bank, "/token"), 2);
}

#[tokio::test]
async fn a_capture_counts_once_and_in_its_own_session() {
    let app = TestApp::start().await;
    // A threshold that nobody reaches: the attempt ends undecided, and another may begin.
    let payload = json!({
        "block_biometric_consent": true, "retry_enabled": true, "age_estimation": { "retry_limit": 5, "threshold": 119 },
        "doc_scan": {},
    });
    let session = AgeSessionFixture::create(&app, BASE, &payload).await;
    let photo = captured_photo(&app, &session).await;
    let other = AgeSessionFixture::create(&app, BASE, &payload).await;
    let opened = other.open_attempt(&app, "AGE_ESTIMATION").await;
    let foreign = other.take_turn(&app, &opened, photo.clone()).await;
    assert_eq!(foreign.0["problem"]["code"], "TRY_AGAIN", "taken for another session");

    let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
    let ended = session.take_turn(&app, &opened, photo.clone()).await;
    assert!(ended.0["problem"].is_null(), "{}", ended.0);
    let again =
        session.end_user_call(&app, "POST", "/attempts", Some(json!({ "method": "AGE_ESTIMATION" }))).await;
    if again.status_and_code() == "201" {
        let repeated = session.take_turn(&app, &AttemptTurn(again.json()), photo).await;
        assert_eq!(repeated.0["problem"]["code"], "TRY_AGAIN", "it was used before");
    } else {
        panic!("{}", again.json());
    }
}
