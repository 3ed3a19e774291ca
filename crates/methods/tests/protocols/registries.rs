//! The signed protocol of registries.

use crate::kit::Site;
use aws_lc_rs::hmac;
use jiff::civil::date;
use methods::{
    Evidence, Failure, Known,
    fields::Fields,
    registry::{Email, Provider, SocialSecurityNumber, Subject},
};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use testkit::receiver::{Receiver, Reply, Sent};

const KEY: [u8; 32] = [7; 32];

fn secret() -> String {
    format!("whsec_{}", base64_simd::STANDARD.encode_to_string(KEY))
}

fn mac(id: &str, seconds: &str, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, &KEY);
    let text = [id.as_bytes(), b".", seconds.as_bytes(), b".", body].concat();
    format!("v1,{}", base64_simd::STANDARD.encode_to_string(hmac::sign(&key, &text)))
}

fn open(site: &Site, url: &str, signed_answers: bool) -> Provider {
    let settings = json!({
        "provider": "signed", "url": url, "secret_file": site.secret(&secret()), "signed_answers": signed_answers,
    });
    Provider::open(&Site::settings(settings), &site.fetcher, &site.world).unwrap()
}

fn email() -> Subject {
    Subject::Email(Email::parse("ada@example.com").unwrap())
}

#[tokio::test]
async fn a_question_is_signed_and_its_answer_is_evidence() {
    let site = Site::new();
    let registry = Receiver::start(|_| {
        Reply::body(
            "application/json",
            r#"{"result":"OVER","date_of_birth":"1990-12-10","evidence_id":"r-1"}"#,
        )
    })
    .await;
    let fields = Fields::from([
        ("full_name", "Ada Lovelace"),
        ("date_of_birth", "1990-12-10"),
        ("number", "123-45-6789"),
    ]);
    let subject = SocialSecurityNumber::read(&fields, date(2026, 11, 22)).unwrap();
    let found =
        open(&site, &registry.url("/ask"), false).ask(&Subject::SocialSecurityNumber(subject), 21).await;
    assert_eq!(found, Ok(Evidence { known: Known::Born(date(1990, 12, 10)), id: Some("r-1".to_owned()) }));

    let sent = &registry.sent()[0];
    assert_eq!((sent.method.as_str(), sent.uri.path()), ("POST", "/ask"));
    assert_eq!(sent.header("content-type"), "application/json");
    assert_eq!(
        serde_json::from_slice::<Value>(&sent.body).unwrap(),
        json!({
            "method": "social_security_number", "threshold": 21,
            "subject": { "full_name": "Ada Lovelace", "date_of_birth": "1990-12-10", "number": "123456789" },
        })
    );
    let signature = mac(sent.header("webhook-id"), sent.header("webhook-timestamp"), &sent.body);
    assert_eq!(sent.header("webhook-signature"), signature);
    assert_eq!(sent.header("webhook-timestamp"), "1795348800");
}

/// Answers OVER, signed as the test wants: with which id, moment and body.
async fn signing(
    alter: impl Fn(&Sent) -> (String, String, &'static [u8]) + Send + Sync + 'static,
) -> Receiver {
    Receiver::start(move |sent| {
        let (id, seconds, body) = alter(sent);
        Reply::body("application/json", r#"{"result":"OVER"}"#)
            .header("webhook-id", &id)
            .header("webhook-timestamp", &seconds)
            .header("webhook-signature", &mac(&id, &seconds, body))
    })
    .await
}

#[tokio::test]
async fn answers_count_only_where_they_are_signed_if_that_is_asked_for() {
    let site = Site::new();
    let (id, now) = (|sent: &Sent| sent.header("webhook-id").to_owned(), || "1795348800".to_owned());
    let body = br#"{"result":"OVER"}"#;
    let right = signing(move |sent| (id(sent), now(), body)).await;
    let found = open(&site, &right.url("/"), true).ask(&email(), 18).await;
    assert_eq!(found, Ok(Evidence { known: Known::Over { years: 18, is: true }, id: None }));

    for wrong in [
        signing(move |_| ("other".to_owned(), now(), body)).await,
        signing(move |sent| (id(sent), "1795348000".to_owned(), body)).await,
        signing(move |sent| (id(sent), now(), br#"{"result":"UNDER"}"#)).await,
        Receiver::start(|_| Reply::body("application/json", r#"{"result":"OVER"}"#)).await,
        Receiver::start(|_| Reply::status(500)).await,
    ] {
        let found = open(&site, &wrong.url("/"), true).ask(&email(), 18).await;
        let refused = Failure::Unavailable("the registry's answer is not signed as it must be".to_owned());
        assert_eq!(found, Err(refused));
    }
}

#[tokio::test]
async fn an_answer_of_another_kind_is_none() {
    let site = Site::new();
    let reply = Arc::new(Mutex::new(Reply::status(500)));
    let shared = reply.clone();
    let registry = Receiver::start(move |_| shared.lock().unwrap().clone()).await;
    let provider = open(&site, &registry.url("/secret-path?token=hidden"), false);
    let json = |text: &str| Reply::body("application/json", text);
    for (given, words) in [
        (Reply::status(500), "the registry answers 500"),
        (Reply::status(302).header("location", "https://localhost/"), "the registry answers 302"),
        (json(r#"{"result":"OVER"}"#).with_status(201), "the registry answers 201"),
        (json(r#"{"result":"ada@example.com"}"#), "the registry answers in another form (column 27)"),
        (
            json(r#"{"result":"OVER","date_of_birth":"2020-01-01"}"#),
            "the registry's answer contradicts itself",
        ),
        (
            json(&format!(r#"{{"result":"OVER","more":"{}"}}"#, "x".repeat(70_000))),
            "the registry: the answer has more than 65536 bytes",
        ),
    ] {
        *reply.lock().unwrap() = given;
        let found = provider.ask(&email(), 18).await;
        assert_eq!(found, Err(Failure::Unavailable(words.to_owned())));
    }
    *reply.lock().unwrap() = json(r#"{"result":"UNKNOWN"}"#);
    assert!(matches!(provider.ask(&email(), 18).await, Err(Failure::Unknown(_))));
}

#[tokio::test]
async fn a_registry_that_is_away_is_told_without_its_address() {
    let site = Site::new();
    let url = Receiver::start(|_| Reply::status(200)).await.url("/secret-path?token=hidden");
    let Err(Failure::Unavailable(words)) = open(&site, &url, false).ask(&email(), 18).await else {
        panic!("nobody listens there")
    };
    assert!(words.starts_with("the registry: the call failed") && !words.contains("secret"), "{words}");
}

#[tokio::test]
async fn the_sandbox_answers_by_its_inputs() {
    let site = Site::new();
    let provider =
        Provider::open(&Site::settings(json!({ "provider": "sandbox" })), &site.fetcher, &site.world)
            .unwrap();
    let ask = async |name: &str| {
        let subject = Subject::Email(Email::parse(&format!("{name}@example.com")).unwrap());
        provider.ask(&subject, 18).await.map(|evidence| evidence.known)
    };
    assert_eq!(ask("ada").await, Ok(Known::Over { years: 18, is: true }));
    assert_eq!(ask("minor").await, Ok(Known::Over { years: 18, is: false }));
    assert!(matches!(ask("unknown").await, Err(Failure::Unknown(_))));
    assert!(matches!(ask("unavailable").await, Err(Failure::Unavailable(_))));
}

#[test]
fn settings_that_cannot_work_are_refused_with_their_name() {
    let site = Site::new();
    let file = site.secret(&secret());
    let open = |settings: Value| {
        let settings = serde_json::from_value(settings).map_err(|error| error.to_string())?;
        Provider::open(&settings, &site.fetcher, &site.world).map(drop).map_err(|bad| bad.to_string())
    };
    let signed = |url: &str| json!({ "provider": "signed", "url": url, "secret_file": file });
    assert_eq!(open(signed("https://identities.example.com/ask")), Ok(()));
    assert_eq!(
        open(signed("http://identities.example.com/")),
        Err("url: only https addresses are called".to_owned())
    );
    assert_eq!(
        open(signed("https://identities.internal/")),
        Err("url: this host is not on the public internet".to_owned())
    );
    let mut more = signed("https://identities.example.com/");
    more["secret"] = json!("x");
    assert!(open(more).unwrap_err().contains("unknown field"));
    assert!(
        open(json!({ "provider": "sandbox", "url": "https://a.example.com" }))
            .unwrap_err()
            .contains("unknown field")
    );
    assert!(open(json!({ "provider": "other" })).is_err());
}
