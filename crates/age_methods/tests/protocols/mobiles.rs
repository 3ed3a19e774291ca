//! Short messages and mobile operators.

use crate::kit::{Fixture, sendable};
use age_methods::{
    AgeAttribute, AgeEvidence, AgeMethodError, InputFault, identifiers::PhoneNumber, mobile_operator, sms,
};
use serde_json::{Value, json};
use std::sync::{
    Arc, Mutex,
    atomic::{AtomicUsize, Ordering},
};
use testkit::stub_server::{StubReply, StubServer};

fn phone() -> PhoneNumber {
    PhoneNumber::parse("+44 7700 900123", None).unwrap()
}

#[tokio::test]
async fn a_message_is_posted_as_the_service_wants_it() {
    let site = Fixture::new();
    let service = StubServer::start(|_| StubReply::status(202)).await;
    let open = |encoding: &str, template: &str, header: &str| {
        let settings = json!({
            "provider": "http", "url": service.url("/send"), "template": template, "encoding": encoding,
            "header": header, "header_file": site.secret("Bearer t-1\n"),
        });
        sms::SmsSender::open(&Fixture::settings(settings), &site.fetcher)
    };
    let json = open("json", r#"{"to":["{to}"],"message":{"body":"{text}"}}"#, "X-Api-Key").unwrap();
    sendable(json.send(&phone(), "Your \"code\" is 123456\n")).await.unwrap();
    let form = open("form", r#"{"To":"{to}","From":"Shop","Body":"{text}"}"#, "authorization").unwrap();
    form.send(&phone(), "1 & 2").await.unwrap();

    let sent = service.captured();
    assert_eq!(sent[0].header("x-api-key"), "Bearer t-1");
    assert_eq!(
        serde_json::from_slice::<Value>(&sent[0].body).unwrap(),
        json!({ "to": ["+447700900123"], "message": { "body": "Your \"code\" is 123456\n" } })
    );
    assert_eq!(sent[1].header("authorization"), "Bearer t-1");
    let mut pairs: Vec<_> = url::form_urlencoded::parse(&sent[1].body).into_owned().collect();
    pairs.sort();
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    assert_eq!(pairs, [pair("Body", "1 & 2"), pair("From", "Shop"), pair("To", "+447700900123")]);

    assert!(matches!(form.send(&phone(), &"x".repeat(307)).await, Err(AgeMethodError::Unavailable(_))));
    assert_eq!(
        open("json", r#"{"to":"{to}"}"#, "a").unwrap_err().to_string(),
        "template: has no {text} in it"
    );
    assert!(open("json", "{to} {text}", "a").unwrap_err().to_string().starts_with("template: is not JSON"));
    assert!(open("form", r#"{"a":["{to}"],"b":"{text}"}"#, "a").is_err());
    assert!(open("json", r#"["{to}","{text}"]"#, "host").is_err());
}

#[tokio::test]
async fn a_number_that_cannot_be_reached_can_be_mended_and_a_service_that_is_away_cannot() {
    let site = Fixture::new();
    for (status, expected) in [
        (400, AgeMethodError::Input { field: "phone", fault: InputFault::Invalid }),
        (401, AgeMethodError::Unavailable("the sender of short messages answers 401".to_owned())),
        (500, AgeMethodError::Unavailable("the sender of short messages answers 500".to_owned())),
    ] {
        let service = StubServer::start(move |_| StubReply::status(status)).await;
        let settings = json!({
            "provider": "http", "url": service.url("/"), "template": r#"["{to}","{text}"]"#,
            "header_file": site.secret("x"),
        });
        let provider = sms::SmsSender::open(&Fixture::settings(settings), &site.fetcher).unwrap();
        assert_eq!(provider.send(&phone(), "hello").await, Err(expected));
        assert_eq!(provider.fixed_code(), None);
    }
}

/// Grants a new token each time, and answers as the test says.
async fn operator(
    answer: impl Fn(&str) -> StubReply + Send + Sync + 'static,
) -> (StubServer, Arc<AtomicUsize>) {
    let granted = Arc::new(AtomicUsize::new(0));
    let count = granted.clone();
    let receiver = StubServer::start(move |sent| match sent.uri.path() {
        "/token" => {
            let number = count.fetch_add(1, Ordering::SeqCst);
            let token =
                json!({ "access_token": format!("t{number}"), "token_type": "Bearer", "expires_in": 300 });
            StubReply::body("application/json", token.to_string())
        }
        "/kyc/v0.2/verify" => answer(sent.header("authorization")),
        _ => StubReply::status(404),
    })
    .await;
    (receiver, granted)
}

fn checked(check: &str) -> StubReply {
    StubReply::body("application/json", json!({ "ageCheck": check, "verifiedStatus": false }).to_string())
}

fn problem(code: &str) -> StubReply {
    StubReply::body("application/json", json!({ "status": 422, "code": code }).to_string()).with_status(422)
}

fn open(site: &Fixture, operator: &StubServer, verified_only: bool) -> mobile_operator::MobileOperator {
    let settings = json!({
        "provider": "camara", "url": operator.url("/kyc/v0.2/"), "token_url": operator.url("/token"),
        "client_id": "shop:1", "client_secret_file": site.secret("p w"), "verified_only": verified_only,
    });
    mobile_operator::MobileOperator::open(&Fixture::settings(settings), &site.fetcher, &site.environment)
        .unwrap()
}

#[tokio::test]
async fn an_operator_says_whether_the_subscriber_is_of_age() {
    let site = Fixture::new();
    let (receiver, granted) = operator(|_| checked("true")).await;
    let provider = open(&site, &receiver, false);
    let phone = phone();
    let AgeEvidence { attribute: known, id } = sendable(provider.ask(&phone, 18)).await.unwrap();
    assert_eq!(known, AgeAttribute::Over { years: 18, reached: true });
    provider.ask(&phone, 21).await.unwrap();
    assert_eq!(granted.load(Ordering::SeqCst), 1, "the token is kept");

    let sent = receiver.captured();
    assert_eq!(sent[0].header("authorization"), "Basic c2hvcCUzQTE6cCt3");
    assert_eq!(&*sent[0].body, b"grant_type=client_credentials&scope=kyc-age-verification%3Averify");
    assert_eq!(sent[1].header("authorization"), "Bearer t0");
    assert_eq!(Some(sent[1].header("x-correlator")), id.as_deref());
    assert_eq!(
        serde_json::from_slice::<Value>(&sent[1].body).unwrap(),
        json!({ "ageThreshold": 18, "phoneNumber": "+447700900123" })
    );
}

#[tokio::test]
async fn a_token_that_is_over_is_replaced() {
    let site = Fixture::new();
    let (receiver, granted) = operator(|_| checked("false")).await;
    let provider = open(&site, &receiver, false);
    provider.ask(&phone(), 18).await.unwrap();
    site.still.advance(base::SignedDuration::from_secs(269));
    provider.ask(&phone(), 18).await.unwrap();
    assert_eq!(granted.load(Ordering::SeqCst), 1);
    site.still.advance(base::SignedDuration::from_secs(1));
    provider.ask(&phone(), 18).await.unwrap();
    assert_eq!(granted.load(Ordering::SeqCst), 2);

    let (receiver, granted) =
        operator(|token| if token == "Bearer t0" { StubReply::status(401) } else { checked("true") }).await;
    assert!(open(&site, &receiver, false).ask(&phone(), 18).await.is_ok());
    assert_eq!(granted.load(Ordering::SeqCst), 2);
    let (receiver, granted) = operator(|_| StubReply::status(401)).await;
    let refused = open(&site, &receiver, false).ask(&phone(), 18).await;
    assert_eq!(refused, Err(AgeMethodError::Unavailable("the mobile operator answers 401".to_owned())));
    assert_eq!(granted.load(Ordering::SeqCst), 2, "and not asked for without end");
}

#[tokio::test]
async fn an_operator_may_not_know() {
    let site = Fixture::new();
    let reply = Arc::new(Mutex::new(checked("false")));
    let shared = reply.clone();
    let (receiver, _) = operator(move |_| shared.lock().unwrap().clone()).await;
    let provider = open(&site, &receiver, false);
    assert_eq!(
        provider.ask(&phone(), 18).await.unwrap().attribute,
        AgeAttribute::Over { years: 18, reached: false }
    );
    let strict = open(&site, &receiver, true);
    assert!(
        matches!(strict.ask(&phone(), 18).await, Err(AgeMethodError::Inconclusive(_))),
        "the record is not verified"
    );
    for (given, known) in [
        (checked("not_available"), true),
        (StubReply::status(404), true),
        (problem("SERVICE_NOT_APPLICABLE"), true),
        (problem("UNNECESSARY_IDENTIFIER"), false),
        (StubReply::status(400), false),
        (StubReply::status(403), false),
        (StubReply::status(429), false),
        (StubReply::body("application/json", r#"{"ageCheck":true}"#), false),
    ] {
        *reply.lock().unwrap() = given.clone();
        let failure = provider.ask(&phone(), 18).await.unwrap_err();
        assert_eq!(matches!(failure, AgeMethodError::Inconclusive(_)), known, "{given:?}: {failure}");
    }
}

#[tokio::test]
async fn the_sandbox_answers_by_the_last_digits() {
    let site = Fixture::new();
    let settings = json!({ "provider": "sandbox" });
    let sender = sms::SmsSender::open(&Fixture::settings(settings.clone()), &site.fetcher).unwrap();
    let operator =
        mobile_operator::MobileOperator::open(&Fixture::settings(settings), &site.fetcher, &site.environment)
            .unwrap();
    let phone = |last: &str| PhoneNumber::parse(&format!("+44 7700 90{last}"), None).unwrap();
    assert_eq!(sender.fixed_code(), Some(sms::SANDBOX_ONE_TIME_CODE));
    assert_eq!(sender.send(&phone("0123"), "hello").await, Ok(()));
    assert!(matches!(sender.send(&phone("9998"), "hello").await, Err(AgeMethodError::Unavailable(_))));
    assert_eq!(
        operator.ask(&phone("0123"), 18).await.unwrap().attribute,
        AgeAttribute::Over { years: 18, reached: true }
    );
    assert_eq!(
        operator.ask(&phone("0000"), 18).await.unwrap().attribute,
        AgeAttribute::Over { years: 18, reached: false }
    );
    assert!(matches!(operator.ask(&phone("8888"), 18).await, Err(AgeMethodError::Inconclusive(_))));
    assert!(matches!(operator.ask(&phone("9999"), 18).await, Err(AgeMethodError::Unavailable(_))));
}
