//! The signed protocol of registries.

use crate::kit::Fixture;
use age_methods::{
    AgeAttribute, AgeEvidence, AgeMethodError,
    form::FormValues,
    identity_source::{IdentityQuestion, IdentitySource, IdentitySourceKind, IdentitySubject, SourceVerdict},
    registry::{EmailHolder, RegistryProvider, RegistrySubject, SsnHolder},
};
use aws_lc_rs::hmac;
use jiff::civil::date;
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use testkit::{
    signed_source::{SignedSource, answer_all},
    stub_server::{CapturedRequest, StubReply, StubServer},
};

const KEY: [u8; 32] = [7; 32];

fn secret() -> String {
    format!("whsec_{}", base64_simd::STANDARD.encode_to_string(KEY))
}

fn mac(id: &str, seconds: &str, body: &[u8]) -> String {
    let key = hmac::Key::new(hmac::HMAC_SHA256, &KEY);
    let text = [id.as_bytes(), b".", seconds.as_bytes(), b".", body].concat();
    format!("v1,{}", base64_simd::STANDARD.encode_to_string(hmac::sign(&key, &text)))
}

fn open(site: &Fixture, url: &str, signed_answers: bool) -> RegistryProvider {
    let settings = json!({
        "provider": "signed", "url": url, "secret_file": site.secret(&secret()), "signed_answers": signed_answers,
    });
    RegistryProvider::open("email", &Fixture::settings(settings), &site.fetcher, &site.environment).unwrap()
}

fn email() -> RegistrySubject {
    RegistrySubject::Email(EmailHolder::parse("ada@example.com").unwrap())
}

#[tokio::test]
async fn a_question_is_signed_and_its_answer_is_evidence() {
    let site = Fixture::new();
    let registry = StubServer::start(|_| {
        StubReply::body(
            "application/json",
            r#"{"result":"OVER","date_of_birth":"1990-12-10","evidence_id":"r-1"}"#,
        )
    })
    .await;
    let fields = FormValues::from([
        ("full_name", "Ada Lovelace"),
        ("date_of_birth", "1990-12-10"),
        ("number", "123-45-6789"),
    ]);
    let subject = SsnHolder::read(&fields, date(2026, 11, 22)).unwrap();
    let found = open(&site, &registry.url("/ask"), false)
        .ask(&RegistrySubject::SocialSecurityNumber(subject), 21)
        .await;
    assert_eq!(
        found,
        Ok(AgeEvidence {
            attribute: AgeAttribute::DateOfBirth(date(1990, 12, 10)),
            id: Some("r-1".to_owned())
        })
    );

    let sent = &registry.captured()[0];
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

#[tokio::test]
async fn questions_and_answers_are_as_the_schema_has_them() {
    let site = Fixture::new();
    let registry = SignedSource::start(|_| Some(json!({ "result": "OVER", "evidence_id": "r-1" }))).await;
    let provider = RegistryProvider::open(
        "email",
        &Fixture::settings(registry.settings()),
        &site.fetcher,
        &site.environment,
    )
    .unwrap();
    let fields = FormValues::from([
        ("full_name", "Ada Lovelace"),
        ("date_of_birth", "1990-12-10"),
        ("number", "123-45-6789"),
    ]);
    let holder = SsnHolder::read(&fields, date(2026, 11, 22)).unwrap();
    for subject in [email(), RegistrySubject::SocialSecurityNumber(holder)] {
        assert!(provider.ask(&subject, 18).await.is_ok());
    }
    assert_eq!(registry.questions().len(), 2);
    assert_ne!(registry.ids()[0], registry.ids()[1]);

    let source = SignedSource::start(|question| Some(answer_all(question, "PASS"))).await;
    for kind in IdentitySourceKind::ALL {
        let settings = Fixture::settings(source.settings());
        let opened = IdentitySource::open(kind, &settings, &site.fetcher, &site.environment).unwrap();
        let question = IdentityQuestion {
            kind,
            sub_checks: vec!["name_match", "dob_match"],
            subject: IdentitySubject {
                full_name: Some("ADA LOVELACE".to_owned()),
                ..IdentitySubject::default()
            },
        };
        let answer = opened.ask("check-1", &question).await.unwrap();
        assert!(answer.findings.iter().all(|finding| finding.verdict == SourceVerdict::Pass));
        assert_eq!(answer.evidence_id.as_deref(), Some("e-1"));
    }
    let methods: Vec<Value> = source.questions().iter().map(|question| question["method"].clone()).collect();
    assert_eq!(methods, ["issuing_authority", "watchlist", "fraud_list", "third_party_identity"]);
    assert!(source.ids().iter().all(|id| id == "check-1"));
}

#[tokio::test]
async fn a_source_that_fails_says_how_and_nothing_of_the_person() {
    let site = Fixture::new();
    let question = || IdentityQuestion {
        kind: IdentitySourceKind::Watchlist,
        sub_checks: vec!["sanctions", "pep"],
        subject: IdentitySubject { full_name: Some("ADA LOVELACE".to_owned()), ..IdentitySubject::default() },
    };
    for (reply, words) in [
        (StubReply::status(500), "the watchlist answers 500"),
        (StubReply::body("application/json", "{}"), "the watchlist answers in another form"),
        (StubReply::body("application/json", vec![b' '; 70 << 10]), "the watchlist"),
        (
            StubReply::body("application/json", r#"{"sub_checks":[{"sub_check":"pep","result":"PASS"}]}"#),
            "the watchlist's answer lacks a sub-check",
        ),
    ] {
        let server = StubServer::start(move |_| reply.clone()).await;
        let settings = json!({
            "provider": "signed", "url": server.url("/"), "secret_file": site.secret(&secret()),
        });
        let settings = Fixture::settings(settings);
        let source =
            IdentitySource::open(IdentitySourceKind::Watchlist, &settings, &site.fetcher, &site.environment)
                .unwrap();
        let failed = source.ask("q", &question()).await.unwrap_err().to_string();
        assert!(failed.starts_with(words) && !failed.contains("LOVELACE"), "{failed}");
    }
    assert!(!format!("{:?}", question()).contains("LOVELACE"));
}

#[tokio::test]
async fn where_the_holder_of_an_address_is_is_told_where_it_is_known() {
    let site = Fixture::new();
    let registry = StubServer::start(|_| StubReply::body("application/json", r#"{"result":"OVER"}"#)).await;
    let provider = open(&site, &registry.url("/"), false);
    let address = || EmailHolder::parse("ada@example.com").unwrap();
    for subject in [address(), address().with_location(Some("GB".to_owned()), Some("192.0.2.1".to_owned()))] {
        assert!(!format!("{subject:?}").contains("192.0.2.1"));
        assert!(provider.ask(&RegistrySubject::Email(subject), 18).await.is_ok());
    }
    let sent = registry.captured();
    let asked = sent.iter().map(|sent| {
        let question: Value = serde_json::from_slice(&sent.body).unwrap();
        question["subject"].clone()
    });
    assert_eq!(
        asked.collect::<Vec<_>>(),
        [
            json!({ "email": "ada@example.com" }),
            json!({ "email": "ada@example.com", "country_code": "GB", "ip_address": "192.0.2.1" }),
        ]
    );
}

/// Answers OVER, signed with the id, time and body that the test gives.
async fn signing(
    alter: impl Fn(&CapturedRequest) -> (String, String, &'static [u8]) + Send + Sync + 'static,
) -> StubServer {
    StubServer::start(move |sent| {
        let (id, seconds, body) = alter(sent);
        StubReply::body("application/json", r#"{"result":"OVER"}"#)
            .header("webhook-id", &id)
            .header("webhook-timestamp", &seconds)
            .header("webhook-signature", &mac(&id, &seconds, body))
    })
    .await
}

#[tokio::test]
async fn answers_count_only_where_they_are_signed_if_that_is_asked_for() {
    let site = Fixture::new();
    let (id, now) =
        (|sent: &CapturedRequest| sent.header("webhook-id").to_owned(), || "1795348800".to_owned());
    let body = br#"{"result":"OVER"}"#;
    let right = signing(move |sent| (id(sent), now(), body)).await;
    let found = open(&site, &right.url("/"), true).ask(&email(), 18).await;
    assert_eq!(
        found,
        Ok(AgeEvidence { attribute: AgeAttribute::Over { years: 18, reached: true }, id: None })
    );

    for wrong in [
        signing(move |_| ("other".to_owned(), now(), body)).await,
        signing(move |sent| (id(sent), "1795348000".to_owned(), body)).await,
        signing(move |sent| (id(sent), now(), br#"{"result":"UNDER"}"#)).await,
        StubServer::start(|_| StubReply::body("application/json", r#"{"result":"OVER"}"#)).await,
        StubServer::start(|_| StubReply::status(500)).await,
    ] {
        let found = open(&site, &wrong.url("/"), true).ask(&email(), 18).await;
        let refused =
            AgeMethodError::Unavailable("the registry's answer is not signed as it must be".to_owned());
        assert_eq!(found, Err(refused));
    }
}

#[tokio::test]
async fn an_answer_of_another_kind_is_none() {
    let site = Fixture::new();
    let reply = Arc::new(Mutex::new(StubReply::status(500)));
    let shared = reply.clone();
    let registry = StubServer::start(move |_| shared.lock().unwrap().clone()).await;
    let provider = open(&site, &registry.url("/secret-path?token=hidden"), false);
    let json = |text: &str| StubReply::body("application/json", text);
    for (given, words) in [
        (StubReply::status(500), "the registry answers 500"),
        (StubReply::status(302).header("location", "https://localhost/"), "the registry answers 302"),
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
        assert_eq!(found, Err(AgeMethodError::Unavailable(words.to_owned())));
    }
    *reply.lock().unwrap() = json(r#"{"result":"UNKNOWN"}"#);
    assert!(matches!(provider.ask(&email(), 18).await, Err(AgeMethodError::Inconclusive(_))));
}

#[tokio::test]
async fn a_registry_that_is_away_is_told_without_its_address() {
    let site = Fixture::new();
    let url = StubServer::start(|_| StubReply::status(200)).await.url("/secret-path?token=hidden");
    let Err(AgeMethodError::Unavailable(words)) = open(&site, &url, false).ask(&email(), 18).await else {
        panic!("nobody listens there")
    };
    assert!(words.starts_with("the registry: the call failed") && !words.contains("secret"), "{words}");
}

#[tokio::test]
async fn the_sandbox_answers_by_its_inputs() {
    let site = Fixture::new();
    let provider = RegistryProvider::open(
        "email",
        &Fixture::settings(json!({ "provider": "sandbox" })),
        &site.fetcher,
        &site.environment,
    )
    .unwrap();
    let ask = async |name: &str| {
        let subject = RegistrySubject::Email(EmailHolder::parse(&format!("{name}@example.com")).unwrap());
        provider.ask(&subject, 18).await.map(|evidence| evidence.attribute)
    };
    assert_eq!(ask("ada").await, Ok(AgeAttribute::Over { years: 18, reached: true }));
    assert_eq!(ask("minor").await, Ok(AgeAttribute::Over { years: 18, reached: false }));
    assert!(matches!(ask("unknown").await, Err(AgeMethodError::Inconclusive(_))));
    assert!(matches!(ask("unavailable").await, Err(AgeMethodError::Unavailable(_))));
}

#[test]
fn settings_that_cannot_work_are_refused_with_their_name() {
    let site = Fixture::new();
    let file = site.secret(&secret());
    let open = |settings: Value| {
        let settings = serde_json::from_value(settings).map_err(|error| error.to_string())?;
        RegistryProvider::open("email", &settings, &site.fetcher, &site.environment)
            .map(drop)
            .map_err(|bad| bad.to_string())
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
