//! Services with interfaces of their own, against stand-ins that answer in the form of their documentation.

use crate::kit::Fixture;
use age_methods::{
    AgeAttribute, AgeMethodError,
    form::FormValues,
    registry::{CpfHolder, EmailHolder, FloridaResident, RegistryProvider, RegistrySubject, SsnHolder},
};
use base::SignedDuration;
use jiff::civil::{Date, date};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use testkit::stub_server::{StubReply, StubServer};

const TODAY: Date = date(2026, 11, 22);
const BORN: AgeAttribute = AgeAttribute::DateOfBirth(date(1990, 12, 10));

fn subject(method: &str, more: &[(&str, &str)]) -> RegistrySubject {
    let person = [("full_name", "Ada Lovelace"), ("date_of_birth", "1990-12-10")];
    let all: serde_json::Map<_, _> =
        person.iter().chain(more).map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
    let fields: FormValues = serde_json::from_value(all.into()).unwrap();
    match method {
        "cpf" => RegistrySubject::Cpf(CpfHolder::read(&fields, TODAY).unwrap()),
        "ssn" => RegistrySubject::SocialSecurityNumber(SsnHolder::read(&fields, TODAY).unwrap()),
        _ => RegistrySubject::UsFloridaHb3(FloridaResident::read(&fields, TODAY).unwrap()),
    }
}

fn taxpayer() -> RegistrySubject {
    subject("cpf", &[("cpf", "529.982.247-25")])
}

fn resident() -> RegistrySubject {
    subject("florida", &[("address", "1 Ocean Drive, Miami"), ("postal_code", "33101")])
}

fn email() -> RegistrySubject {
    RegistrySubject::Email(EmailHolder::parse("ada+x@example.com").unwrap())
}

fn open(site: &Fixture, method: &'static str, settings: Value) -> RegistryProvider {
    RegistryProvider::open(method, &Fixture::settings(settings), &site.fetcher, &site.environment).unwrap()
}

fn json_reply(status: u16, body: &Value) -> StubReply {
    StubReply::body("application/json", body.to_string()).with_status(status)
}

fn is_unknown<T: std::fmt::Debug>(answer: &Result<T, AgeMethodError>) -> bool {
    matches!(answer, Err(AgeMethodError::Inconclusive(_)))
}

fn is_unavailable<T: std::fmt::Debug>(answer: &Result<T, AgeMethodError>) -> bool {
    matches!(answer, Err(AgeMethodError::Unavailable(_)))
}

#[tokio::test]
async fn serpro_knows_the_birthday_but_not_that_of_minors() {
    let site = Fixture::new();
    let answer = Arc::new(Mutex::new((200, json!({}))));
    let replies = answer.clone();
    let serpro = StubServer::start(move |sent| {
        if sent.uri.path() == "/token" {
            return json_reply(
                200,
                &json!({ "access_token": "t-1", "token_type": "Bearer", "expires_in": 3295 }),
            );
        }
        let (status, body) = replies.lock().unwrap().clone();
        json_reply(status, &body)
    })
    .await;
    let settings = json!({
        "provider": "serpro", "consumer_key": "key", "consumer_secret_file": site.secret("secret"),
        "url": serpro.url("/consulta-cpf-df/v2"), "token_url": serpro.url("/token"),
    });
    let provider = open(&site, "cpf", settings);
    let known = json!({
        "ni": "52998224725", "nome": "ADA DE ALMEIDA LOVELACE", "situacao": { "codigo": "0", "descricao": "REGULAR" },
        "nascimento": "10121990", "dataInscricao": "24081996",
    });
    let with = |change: Value| {
        let mut body = known.clone();
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        body
    };
    let ask = |status: u16, body: Value| {
        *answer.lock().unwrap() = (status, body);
        let provider = &provider;
        async move { provider.ask(&taxpayer(), 18).await }
    };
    assert_eq!(ask(200, known.clone()).await.unwrap().attribute, BORN);
    assert_eq!(ask(206, known.clone()).await.unwrap().attribute, BORN);
    for other in [
        json!({ "ni": "11144477735" }),
        json!({ "nascimento": "11121990" }),
        json!({ "nome": "BYRON LOVELACE" }),
        json!({ "situacao": { "codigo": "3" } }),
        json!({ "situacao": { "codigo": "8" } }),
    ] {
        assert!(is_unknown(&ask(200, with(other.clone())).await), "{other}");
    }
    // 422 and 451: a minor, of whom nothing else is told.
    for status in [404, 422, 451] {
        assert!(is_unknown(&ask(status, json!({})).await), "{status}");
    }
    assert!(matches!(ask(400, json!({})).await, Err(AgeMethodError::Input { field: "cpf", .. })));
    for (status, body) in
        [(500, json!({})), (200, json!({ "ni": 1 })), (200, with(json!({ "nascimento": "x" })))]
    {
        assert!(is_unavailable(&ask(status, body).await), "{status}");
    }
    let sent = serpro.captured();
    assert_eq!(sent[0].header("authorization"), "Basic a2V5OnNlY3JldA==");
    assert_eq!(std::str::from_utf8(&sent[0].body), Ok("grant_type=client_credentials"));
    assert_eq!(
        (sent[1].method.as_str(), sent[1].uri.path(), sent[1].header("authorization")),
        ("GET", "/consulta-cpf-df/v2/cpf/52998224725", "Bearer t-1")
    );
    assert_eq!(sent.iter().filter(|one| one.uri.path() == "/token").count(), 1, "one token for all");
    // A token that works no more is replaced once.
    assert!(is_unavailable(&ask(401, json!({})).await));
    assert_eq!(serpro.captured().iter().filter(|one| one.uri.path() == "/token").count(), 2);
}

#[tokio::test]
async fn age_checker_confirms_or_says_nothing() {
    let site = Fixture::new();
    let status = Arc::new(Mutex::new("accepted"));
    let replies = status.clone();
    let service = StubServer::start(move |_| {
        let status = *replies.lock().unwrap();
        json_reply(200, &json!({ "uuid": "v-1", "status": status }))
    })
    .await;
    let settings = json!({
        "provider": "age_checker", "key_file": site.secret("site-key"), "secret_file": site.secret("account-secret"),
        "url": service.url("/v1/create"),
    });
    let provider = open(&site, "us_florida_hb3", settings);
    let found = provider.ask(&resident(), 21).await.unwrap();
    assert_eq!(
        (found.attribute, found.id.as_deref()),
        (AgeAttribute::Over { years: 21, reached: true }, Some("v-1"))
    );
    assert_eq!(
        serde_json::from_slice::<Value>(&service.captured()[0].body).unwrap(),
        json!({
            "key": "site-key", "secret": "account-secret",
            "data": {
                "first_name": "Ada", "last_name": "Lovelace", "address": "1 Ocean Drive", "city": "Miami",
                "state": "FL", "zip": "33101", "country": "US", "dob_day": 10, "dob_month": 12, "dob_year": 1990,
            },
            "options": { "min_age": 21, "contact_customer": false },
        })
    );
    // It takes no age below 18, and 18 is enough for a lower one.
    let young = provider.ask(&resident(), 13).await.unwrap();
    assert_eq!(young.attribute, AgeAttribute::Over { years: 18, reached: true });
    for word in ["denied", "signature", "photo_id", "phone_validation", "pending", "not_created"] {
        *status.lock().unwrap() = word;
        assert!(is_unknown(&provider.ask(&resident(), 18).await), "{word}");
    }
    *status.lock().unwrap() = "sure";
    assert!(is_unavailable(&provider.ask(&resident(), 18).await));
    assert!(is_unknown(&provider.ask(&resident(), 80).await));
    let cityless = subject("florida", &[("address", "1 Ocean Drive"), ("postal_code", "33101")]);
    let refused = provider.ask(&cityless, 18).await;
    assert!(matches!(refused, Err(AgeMethodError::Input { field: "address", .. })));
}

#[tokio::test]
async fn didit_confirms_a_birthday_where_it_says_so() {
    let site = Fixture::new();
    let answer = Arc::new(Mutex::new(json!({})));
    let replies = answer.clone();
    let didit = StubServer::start(move |_| json_reply(200, &replies.lock().unwrap())).await;
    let settings =
        |url: &str| json!({ "provider": "didit", "api_key_file": site.secret("d-key"), "url": url });
    let url = didit.url("/v3/database-validation/");
    let found = |status: &str, kind: &str, validations: Value| {
        json!({ "request_id": "q-1", "database_validation": {
            "status": status, "match_type": kind, "issuing_state": "BRA", "validations": validations,
        } })
    };
    let ask = |method: &'static str, subject: RegistrySubject, body: Value| {
        *answer.lock().unwrap() = body;
        let provider = open(&site, method, settings(&url));
        async move { provider.ask(&subject, 18).await }
    };
    let matched = json!({ "full_name": "full_match", "date_of_birth": "full_match" });
    let cpf =
        ask("cpf", taxpayer(), found("Approved", "full_match", json!({ "full_name": "full_match" }))).await;
    assert_eq!((cpf.clone().unwrap().attribute, cpf.unwrap().id.as_deref()), (BORN, Some("q-1")));
    let ssn = || subject("ssn", &[("number", "123-45-6789")]);
    let whole = ask("social_security_number", ssn(), found("Approved", "full_match", matched.clone())).await;
    assert_eq!(whole.unwrap().attribute, BORN);
    let listed =
        json!([{ "service_id": "x", "outcome": "MATCH", "validation": { "date_of_birth": "MATCH" } }]);
    assert!(ask("us_florida_hb3", resident(), found("Approved", "full_match", listed)).await.is_ok());
    // Records of the United States are not looked up by the date, so it must be confirmed.
    for (status, kind, validations) in [
        ("Approved", "full_match", json!({ "full_name": "full_match" })),
        ("Approved", "full_match", json!({ "date_of_birth": "no_match" })),
        ("Approved", "partial_match", matched.clone()),
        ("In Review", "partial_match", matched.clone()),
        ("Declined", "no_match", json!({})),
    ] {
        let answer = ask("social_security_number", ssn(), found(status, kind, validations.clone())).await;
        assert!(is_unknown(&answer), "{status} {kind} {validations}");
    }
    let wrong = found("Approved", "full_match", json!({ "date_of_birth": "no_match" }));
    assert!(is_unknown(&ask("cpf", taxpayer(), wrong).await));
    assert!(is_unavailable(&ask("cpf", taxpayer(), json!({ "detail": "x" })).await));
    assert!(is_unavailable(&ask("cpf", taxpayer(), found("Sure", "full_match", matched)).await));
    let four = subject("ssn", &[("number", "6789")]);
    let refused = ask("social_security_number", four, json!({})).await;
    assert!(matches!(refused, Err(AgeMethodError::Input { field: "number", .. })));

    let sent: Vec<Value> =
        didit.captured().iter().map(|one| serde_json::from_slice(&one.body).unwrap()).collect();
    assert_eq!(didit.captured()[0].header("x-api-key"), "d-key");
    let person = json!({ "first_name": "Ada", "last_name": "Lovelace", "date_of_birth": "1990-12-10", "save_api_request": false });
    let with = |more: Value| {
        let mut question = more;
        question.as_object_mut().unwrap().extend(person.as_object().unwrap().clone());
        question
    };
    assert_eq!(
        sent[0],
        with(json!({ "issuing_state": "BRA", "services": ["bra_cpf"], "tax_number": "52998224725" }))
    );
    let service = "usa_states_financial_services";
    assert_eq!(sent[1], with(json!({ "issuing_state": "USA", "services": [service], "ssn": "123456789" })));
    let address = json!({ "street_1": "1 Ocean Drive, Miami", "region": "FL", "postal_code": "33101" });
    assert_eq!(sent[2], with(json!({ "issuing_state": "USA", "services": [service], "address": address })));
}

#[tokio::test]
async fn an_address_seen_long_ago_has_a_holder_of_that_age() {
    let site = Fixture::new();
    let answer = Arc::new(Mutex::new(json!({})));
    let replies = answer.clone();
    let service = StubServer::start(move |_| json_reply(200, &replies.lock().unwrap())).await;
    let settings = |age: u8| {
        json!({
            "provider": "ip_quality_score", "api_key_file": site.secret("Key0"), "url": service.url("/api/json/email"), "account_age": age,
        })
    };
    let report = |years: i64, change: Value| {
        let seen = site.environment.now() - SignedDuration::from_hours(24 * 366 * years);
        let mut body = json!({
            "success": true, "valid": true, "disposable": false, "request_id": "i-1",
            "first_seen": { "human": "some years ago", "timestamp": seen.as_second() },
        });
        body.as_object_mut().unwrap().extend(change.as_object().unwrap().clone());
        body
    };
    let ask = |age: u8, body: Value| {
        *answer.lock().unwrap() = body;
        let provider = open(&site, "email", settings(age));
        async move { provider.ask(&email(), 18).await }
    };
    let over = AgeAttribute::Over { years: 18, reached: true };
    assert_eq!(ask(13, report(5, json!({}))).await.unwrap().attribute, over);
    assert_eq!(ask(0, report(18, json!({}))).await.unwrap().attribute, over);
    assert_eq!(service.captured()[0].uri.path(), "/api/json/email/Key0/ada+x@example.com");
    assert!(is_unknown(&ask(13, report(4, json!({}))).await), "a young address says nothing");
    assert!(is_unknown(&ask(0, report(17, json!({}))).await));
    for change in [json!({ "valid": false }), json!({ "disposable": true }), json!({ "first_seen": null })] {
        assert!(is_unknown(&ask(13, report(9, change.clone())).await), "{change}");
    }
    assert!(is_unavailable(&ask(13, report(9, json!({ "success": false }))).await));
    assert!(is_unavailable(&ask(13, json!([])).await));
}

#[tokio::test]
async fn trustfull_confirms_adults() {
    let site = Fixture::new();
    let answer = Arc::new(Mutex::new(json!({})));
    let replies = answer.clone();
    let service = StubServer::start(move |_| json_reply(200, &replies.lock().unwrap())).await;
    let settings = json!({
        "provider": "trustfull", "url": service.url("/age"), "header": "x-key", "header_file": site.secret("t-key"),
    });
    let provider = open(&site, "email", settings);
    let ask = |body: Value| {
        *answer.lock().unwrap() = body;
        let provider = &provider;
        async move { provider.ask(&email(), 18).await }
    };
    let adult = json!({ "email_is_valid_format": true, "match": true, "is_adult": true, "date_of_birth": "1990-12-10" });
    assert_eq!(ask(adult).await.unwrap().attribute, BORN);
    let undated = ask(json!({ "match": true, "is_adult": true, "date_of_birth": null })).await;
    assert_eq!(undated.unwrap().attribute, AgeAttribute::Over { years: 18, reached: true });
    for unknown in
        [json!({ "match": false, "is_adult": null }), json!({ "match": null }), json!({ "match": true })]
    {
        assert!(is_unknown(&ask(unknown.clone()).await), "{unknown}");
    }
    let sent = service.captured();
    let question: Value = serde_json::from_slice(&sent[0].body).unwrap();
    assert_eq!((&question["email"], sent[0].header("x-key")), (&json!("ada+x@example.com"), "t-key"));
    assert_ne!(
        question["transaction_id"],
        serde_json::from_slice::<Value>(&sent[1].body).unwrap()["transaction_id"]
    );
}

#[tokio::test]
async fn a_service_is_set_up_for_what_it_answers() {
    let site = Fixture::new();
    let file = site.secret("secret");
    let serpro = json!({ "provider": "serpro", "consumer_key": "k", "consumer_secret_file": file });
    let didit = json!({ "provider": "didit", "api_key_file": file });
    let refused = |method: &'static str, settings: &Value| {
        let opened = RegistryProvider::open(
            method,
            &Fixture::settings(settings.clone()),
            &site.fetcher,
            &site.environment,
        );
        opened.map(drop).map_err(|error| error.to_string())
    };
    assert_eq!(refused("cpf", &serpro), Ok(()));
    assert_eq!(refused("email", &serpro), Err("provider: this service answers cpf, not email".to_owned()));
    assert_eq!(
        refused("la_wallet", &didit),
        Err("provider: this service answers social_security_number, us_florida_hb3, cpf, not la_wallet"
            .to_owned())
    );
    let ipqs =
        json!({ "provider": "ip_quality_score", "api_key_file": site.secret("a/b"), "account_age": 13 });
    assert_eq!(
        refused("email", &ipqs),
        Err("api_key_file: it is not a key of letters and digits".to_owned())
    );
    let ipqs = json!({ "provider": "ip_quality_score", "api_key_file": file, "account_age": 30 });
    assert_eq!(refused("email", &ipqs), Err("account_age: it is 30; 0 to 18 are expected".to_owned()));
}
