//! What checks ask of providers, and what their answers mean.

use super::{
    BASE, DocumentSessionFixture, SANDBOX, check, passport_specimen, photo_of, relying_party_call, sub_check,
};
use serde_json::{Value, json};
use testkit::{
    TestApp,
    signed_source::{SignedSource, answer_all},
    stub_server::egress_policy,
};

/// A server whose sources are all this one.
async fn app_asking(source: &SignedSource) -> TestApp {
    let settings = || serde_json::from_value(source.settings()).unwrap();
    TestApp::builder()
        .egress(&egress_policy())
        .document_verification(|usual| domain::document_verification::DocumentVerificationSettings {
            issuing_authority: Some(settings()),
            watchlist: Some(settings()),
            fraud_list: Some(settings()),
            third_party_identity: Some(settings()),
            ..usual
        })
        .start()
        .await
}

/// Everything that needs a provider.
fn payload() -> Value {
    json!({
        "requested_checks": [
            { "type": "ID_DOCUMENT_AUTHENTICITY", "config": { "issuing_authority_sub_check": { "requested": true } } },
            { "type": "WATCHLIST_SCREENING", "config": { "categories": ["PEP", "sanctions"] } },
            { "type": "THIRD_PARTY_IDENTITY" },
        ],
        "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }],
    })
}

/// A session whose end user has supplied a passport and finished; no check has run.
async fn finished_session(app: &TestApp, payload: &Value, page: &[u8]) -> DocumentSessionFixture {
    let session = DocumentSessionFixture::create(app, BASE, payload).await;
    session.supply(app, "SWE", page).await;
    session.finish(app).await;
    session
}

/// The same, after all its checks.
async fn checked_session(app: &TestApp, payload: &Value, page: &[u8]) -> Value {
    let session = finished_session(app, payload, page).await;
    app.run_due_jobs().await;
    let read = session.read(app).await;
    assert_eq!(read["state"], "COMPLETED", "{read}");
    read
}

fn recommendation(check: &Value) -> (&str, &str) {
    let recommendation = &check["report"]["recommendation"];
    (recommendation["value"].as_str().unwrap(), recommendation["reason"].as_str().unwrap_or_default())
}

#[tokio::test]
async fn each_source_is_asked_what_it_needs_to_know_and_its_answer_is_in_the_report() {
    let source = SignedSource::start(|question| Some(answer_all(question, "PASS"))).await;
    let app = app_asking(&source).await;
    let read = checked_session(&app, &payload(), &photo_of(&passport_specimen(), 4)).await;
    let authenticity = check(&read, "ID_DOCUMENT_AUTHENTICITY");
    for name in ["issuing_authority", "fraud_list_check"] {
        let found = sub_check(authenticity, name);
        assert_eq!((&found["result"], &found["process"]), (&json!("PASS"), &json!("AUTOMATED")), "{found}");
        assert_eq!(found["details"], json!([{ "name": "evidence_id", "value": "e-1" }]));
    }
    for (kind, names) in [
        ("WATCHLIST_SCREENING", vec!["sanctions", "pep"]),
        ("THIRD_PARTY_IDENTITY", vec!["name_match", "dob_match"]),
    ] {
        let made = check(&read, kind);
        assert_eq!(recommendation(made).0, "APPROVE", "{made}");
        let breakdown = made["report"]["breakdown"].as_array().unwrap();
        let told: Vec<_> = breakdown.iter().map(|sub| sub["sub_check"].as_str().unwrap()).collect();
        assert_eq!(told, names);
    }

    let mut questions = source.questions();
    questions.sort_by_key(|question| question["method"].as_str().unwrap().to_owned());
    let subjects: Vec<Vec<&String>> =
        questions.iter().map(|question| question["subject"].as_object().unwrap().keys().collect()).collect();
    let methods: Vec<_> = questions.iter().map(|question| question["method"].as_str().unwrap()).collect();
    assert_eq!(methods, ["fraud_list", "issuing_authority", "third_party_identity", "watchlist"]);
    assert_eq!(
        subjects[0],
        ["date_of_birth", "document_number", "document_type", "full_name", "issuing_country"]
    );
    assert!(subjects[1].iter().any(|name| *name == "expiration_date"), "{subjects:?}");
    assert_eq!(subjects[2], ["date_of_birth", "family_name", "full_name", "given_names"]);
    assert_eq!(questions[2]["subject"]["family_name"], "EXEMPEL");
    assert!(!subjects[3].iter().any(|name| *name == "document_number"), "{subjects:?}");
    let ids = source.ids();
    let authenticity = authenticity["id"].as_str().unwrap();
    assert!(ids.contains(&format!("{authenticity}-issuing_authority")), "{ids:?}");
}

#[tokio::test]
async fn what_a_source_denies_is_told_with_its_reason_on_sqlite() {
    let source = SignedSource::start(|question| {
        let mut answer = answer_all(question, "FAIL");
        if question["method"] == "issuing_authority" {
            answer["sub_checks"][0]["reason"] = json!("DOC_NUMBER_INVALID");
        }
        if question["method"] == "watchlist" {
            answer["sub_checks"][0]["details"] = json!([{ "name": "list", "value": "a list" }]);
        }
        if question["method"] == "third_party_identity" {
            for at in 0..2 {
                answer["sub_checks"][at]["result"] = json!("PASS");
            }
        }
        Some(answer)
    })
    .await;
    let app = app_asking(&source).await;
    let read = checked_session(&app, &payload(), &photo_of(&passport_specimen(), 4)).await;
    assert_eq!(
        recommendation(check(&read, "ID_DOCUMENT_AUTHENTICITY")),
        ("REJECT", "DOC_NUMBER_INVALID"),
        "the authority comes before the list"
    );
    let watchlist = check(&read, "WATCHLIST_SCREENING");
    assert_eq!(recommendation(watchlist), ("CONSIDER", "WATCHLIST_MATCH"));
    let found = sub_check(watchlist, "sanctions");
    assert_eq!(found["result"], "FAIL");
    assert_eq!(found["details"][0], json!({ "name": "list", "value": "a list" }));
    assert_eq!(recommendation(check(&read, "THIRD_PARTY_IDENTITY")).0, "APPROVE");
    source.questions();

    let listed = SignedSource::start(|question| Some(answer_all(question, "FAIL"))).await;
    let app = app_asking(&listed).await;
    let plain = json!({
        "requested_checks": [{ "type": "ID_DOCUMENT_AUTHENTICITY" }],
        "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }],
    });
    let read = checked_session(&app, &plain, &photo_of(&passport_specimen(), 4)).await;
    let authenticity = check(&read, "ID_DOCUMENT_AUTHENTICITY");
    assert_eq!(recommendation(authenticity), ("REJECT", "FRAUD_LIST_MATCH"));
    assert_eq!(sub_check(authenticity, "fraud_list_check")["result"], "FAIL");
    assert!(sub_check(authenticity, "issuing_authority").is_null(), "nobody asked for it");
    let methods: Vec<_> = listed.questions().iter().map(|question| question["method"].clone()).collect();
    assert_eq!(methods, ["fraud_list"]);
}

#[tokio::test]
async fn a_source_that_is_away_is_asked_again_and_then_nothing_is_approved() {
    let source = SignedSource::start(|_| None).await;
    let app = app_asking(&source).await;
    let session = finished_session(&app, &payload(), &photo_of(&passport_specimen(), 4)).await;
    app.run_due_jobs().await;
    let read = session.read(&app).await;
    assert_eq!(read["state"], "COMPLETED", "{read}");
    for kind in ["ID_DOCUMENT_AUTHENTICITY", "WATCHLIST_SCREENING", "THIRD_PARTY_IDENTITY"] {
        let made = check(&read, kind);
        assert_eq!(made["state"], "DONE");
        assert_eq!(recommendation(made), ("NOT_AVAILABLE", "PROVIDER_UNAVAILABLE"), "{made}");
    }
    let authenticity = check(&read, "ID_DOCUMENT_AUTHENTICITY");
    assert_eq!(sub_check(authenticity, "document_in_date")["result"], "PASS", "what was measured is told");
    assert!(sub_check(authenticity, "issuing_authority").is_null(), "what was not made is left out");
    let watchlist = format!("{}-watchlist", check(&read, "WATCHLIST_SCREENING")["id"].as_str().unwrap());
    let repeats = source.ids().iter().filter(|id| **id == watchlist).count();
    assert_eq!(repeats, 5, "a repeated question has the same id");
    source.questions();
}

#[tokio::test]
async fn what_a_source_cannot_say_is_not_approved_on_sqlite() {
    let source = SignedSource::start(|question| Some(answer_all(question, "UNKNOWN"))).await;
    let app = app_asking(&source).await;
    let read = checked_session(&app, &payload(), &photo_of(&passport_specimen(), 4)).await;
    for (kind, expected) in [
        ("ID_DOCUMENT_AUTHENTICITY", ("CONSIDER", "ISSUING_AUTHORITY_UNDECIDED")),
        ("WATCHLIST_SCREENING", ("NOT_AVAILABLE", "WATCHLIST_UNDECIDED")),
        ("THIRD_PARTY_IDENTITY", ("NOT_AVAILABLE", "IDENTITY_NOT_FOUND")),
    ] {
        assert_eq!(recommendation(check(&read, kind)), expected, "{kind}");
    }
}

#[tokio::test]
async fn the_sub_check_takes_expired_documents_only_where_its_filter_does_on_sqlite() {
    let source = SignedSource::start(|question| Some(answer_all(question, "PASS"))).await;
    let app = app_asking(&source).await;
    let expired =
        passport_specimen().issued("2014-03-15".parse().unwrap()).expires("2024-03-14".parse().unwrap());
    let page = photo_of(&expired, 4);
    for (filter, asked) in [
        (json!(null), true),
        (json!({ "allow_expired_documents": false }), false),
        (json!({ "allow_expired_documents": true }), true),
    ] {
        let sub = json!({ "requested": true, "filter": filter });
        let payload = json!({
            "requested_checks": [
                { "type": "ID_DOCUMENT_AUTHENTICITY", "config": { "issuing_authority_sub_check": sub } },
            ],
            "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }],
        });
        let read = checked_session(&app, &payload, &page).await;
        let authenticity = check(&read, "ID_DOCUMENT_AUTHENTICITY");
        assert_eq!(recommendation(authenticity), ("REJECT", "EXPIRED_DOCUMENT"));
        assert_eq!(!sub_check(authenticity, "issuing_authority").is_null(), asked, "{authenticity}");
    }
}

/// Without a task nobody tells the person to take another document, so the checks have this one.
#[tokio::test]
async fn nobody_is_asked_about_a_document_of_another_country_or_type_on_sqlite() {
    let source = SignedSource::start(|question| Some(answer_all(question, "PASS"))).await;
    let app = app_asking(&source).await;
    let mut payload = payload();
    payload.as_object_mut().unwrap().remove("requested_tasks");
    let page = photo_of(&passport_specimen(), 4);
    for (kind, country) in [("PASSPORT", "NOR"), ("NATIONAL_ID", "SWE")] {
        let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
        session.add_document(&app, kind, country, &[&page]).await;
        session.finish(&app).await;
        app.run_due_jobs().await;
        let read = session.read(&app).await;
        for check_type in ["ID_DOCUMENT_AUTHENTICITY", "WATCHLIST_SCREENING", "THIRD_PARTY_IDENTITY"] {
            let made = check(&read, check_type);
            assert_eq!(recommendation(made), ("NOT_AVAILABLE", "INCORRECT_DOCUMENT_TYPE"), "{made}");
        }
    }
    assert!(source.questions().is_empty(), "{:?}", source.questions());
}

#[tokio::test]
async fn what_has_no_provider_is_refused_by_name_and_is_played_in_the_sandbox() {
    let app = TestApp::start().await;
    let asked = payload();
    let answer = relying_party_call(&app, "POST", &format!("{BASE}/sessions"), Some(asked.clone())).await;
    assert_eq!(answer.status_and_code(), "400 PAYLOAD_VALIDATION");
    let errors = answer.json()["errors"].as_array().unwrap().clone();
    let paths: Vec<_> = errors.iter().map(|error| error["property"].as_str().unwrap()).collect();
    assert_eq!(
        paths,
        [
            "requested_checks[0].config.issuing_authority_sub_check.requested",
            "requested_checks[1].type",
            "requested_checks[2].type",
        ]
    );
    let wrong = json!({ "requested_checks": [
        { "type": "ID_DOCUMENT_AUTHENTICITY", "config": { "categories": ["PEP"] } },
        { "type": "WATCHLIST_SCREENING", "config": { "categories": ["GOSSIP"] } },
    ] });
    let answer = relying_party_call(&app, "POST", &format!("{SANDBOX}/sessions"), Some(wrong)).await;
    let errors = answer.json()["errors"].as_array().unwrap().clone();
    let mut paths: Vec<_> = errors.iter().map(|error| error["property"].as_str().unwrap()).collect();
    paths.sort_unstable();
    assert_eq!(paths, ["requested_checks[0].config.categories", "requested_checks[1].config.categories[0]"]);

    let session = DocumentSessionFixture::create(&app, SANDBOX, &asked).await;
    let config = json!({ "check_reports": {
        "THIRD_PARTY_IDENTITY": { "result": { "report": {
            "recommendation": { "value": "CONSIDER", "reason": "ADDRESS_MISMATCH" },
            "breakdown": [{ "sub_check": "address_match", "result": "FAIL", "details": [] }],
        } } },
    } });
    let set = relying_party_call(&app, "PUT", &session.path("/response-config"), Some(config)).await;
    assert_eq!(set.status_and_code(), "200", "{}", set.json());
    session.supply_document(&app).await;
    session.finish(&app).await;
    app.run_due_jobs().await;
    let read = session.read(&app).await;
    assert_eq!(read["state"], "COMPLETED");
    assert_eq!(recommendation(check(&read, "THIRD_PARTY_IDENTITY")), ("CONSIDER", "ADDRESS_MISMATCH"));
    let watchlist = check(&read, "WATCHLIST_SCREENING");
    assert_eq!(recommendation(watchlist).0, "APPROVE");
    assert!(
        sub_check(watchlist, "pep")["result"] == "PASS" && sub_check(watchlist, "adverse_media").is_null()
    );
    let authenticity = check(&read, "ID_DOCUMENT_AUTHENTICITY");
    assert_eq!(sub_check(authenticity, "issuing_authority")["result"], "PASS");
}
