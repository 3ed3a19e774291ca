//! Whole sessions with the real reader and the real models.

use crate::document_verification::{
    BASE, DocumentSessionFixture, FACES, check, passport_specimen, photo_of, run_without_models, sub_check,
};
use domain::image_analysis::{AnalysisRules, ImageAnalyser, ModelPoolSettings};
use serde_json::{Value, json};
use testkit::{
    TestApp,
    specimens::{Specimen, SpecimenHolder},
};

pub(super) fn passport_payload() -> Value {
    json!({
        "requested_checks": [
            { "type": "ID_DOCUMENT_AUTHENTICITY", "config": { "issuing_authority_sub_check": { "requested": false } } },
            { "type": "LIVENESS", "config": { "liveness_type": "STATIC" } },
            { "type": "ID_DOCUMENT_FACE_MATCH" },
        ],
        "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION", "config": { "chip_data": "IGNORE" } }],
    })
}

/// A session for which an end user has supplied one page and one face, before they finish.
async fn supplied_session(
    app: &TestApp,
    payload: &Value,
    page: &[u8],
    face: &[u8],
) -> DocumentSessionFixture {
    let session = DocumentSessionFixture::create(app, BASE, payload).await;
    let working = app.spawn_worker();
    assert_eq!(session.end_user_call(app, "POST", "/biometric-consent", None).await.status_and_code(), "204");
    let document = session.add_document(app, "PASSPORT", "SWE", &[page]).await;
    let task = session.extract_text(app, &document).await;
    assert_eq!(
        (&task["state"], &task["recommendation"]["value"]),
        (&json!("DONE"), &json!("PROGRESS")),
        "{task}"
    );
    session.capture_face(app, face).await;
    working.stop().await;
    session
}

/// Everything that an end user does, with one page and one face; returns the session afterwards.
async fn complete_session(
    app: &TestApp,
    payload: &Value,
    page: &[u8],
    face: &[u8],
) -> (DocumentSessionFixture, Value) {
    let session = supplied_session(app, payload, page, face).await;
    session.finish(app).await;
    app.run_due_jobs().await;
    let read = session.read(app).await;
    (session, read)
}

#[tokio::test]
async fn a_passport_and_its_holder_are_approved() {
    let app = TestApp::start().await;
    let page = photo_of(&passport_specimen(), 4);
    let (session, read) = complete_session(&app, &passport_payload(), &page, &FACES.0).await;
    assert_eq!(read["state"], "COMPLETED");
    assert!(read["biometric_consent"].is_string() && read["client_session_token"].is_null());

    let document = &read["resources"]["id_documents"][0];
    assert_eq!(document["pages"][0]["capture_method"], "CAMERA");
    let fields = session.media(&app, &document["document_fields"]["media"]).await;
    let json = fields.json();
    assert_eq!(fields.header("content-type"), "application/json");
    for (name, value) in [
        ("full_name", "ANNA MARIA EXEMPEL"),
        ("date_of_birth", "1994-08-12"),
        ("document_number", "L898902C3"),
        ("expiration_date", "2031-03-14"),
        ("document_type", "PASSPORT"),
        ("issuing_country", "SWE"),
        ("gender", "FEMALE"),
    ] {
        assert_eq!(json[name], value, "{json}");
    }
    assert_eq!(
        (&json["mrz"]["type"], json["mrz"]["line2"].as_str().map(str::len)),
        (&json!("TD3"), Some(44))
    );
    let portrait = session.media(&app, &document["document_id_photo"]["media"]).await;
    assert_eq!(portrait.header("content-type"), "image/jpeg");
    let own = session.media(&app, &document["pages"][0]["media"]).await;
    assert!(own.body == page, "the very bytes that were sent");

    let authenticity = check(&read, "ID_DOCUMENT_AUTHENTICITY");
    for name in ["document_in_date", "mrz_validation", "ocr_mrz_comparison", "physical_document_captured"] {
        assert_eq!(sub_check(authenticity, name)["result"], "PASS", "{name}: {authenticity}");
    }
    assert!(
        sub_check(authenticity, "no_sign_of_tampering").is_null()
            && sub_check(authenticity, "fraud_list_check").is_null()
            && sub_check(authenticity, "issuing_authority").is_null(),
        "what nothing measured and nobody was asked about is left out"
    );
    let text = check(&read, "ID_DOCUMENT_TEXT_DATA_CHECK");
    assert_eq!(text["report"]["recommendation"]["value"], "APPROVE", "{text}");
    assert_eq!(text["generated_media"][0]["id"], document["document_fields"]["media"]["id"]);
    assert_eq!(document["tasks"][0]["generated_checks"][0]["id"], text["id"]);
    let face = check(&read, "ID_DOCUMENT_FACE_MATCH");
    assert_eq!(face["report"]["recommendation"]["value"], "APPROVE", "{face}");
    assert_eq!(sub_check(face, "ai_face_match")["details"][0]["name"], "confidence_score");
    let liveness = check(&read, "LIVENESS");
    assert_eq!(sub_check(liveness, "liveness_auth")["process"], "AUTOMATED", "{liveness}");
    let shown = authenticity.to_string();
    assert!(!shown.to_uppercase().contains("EXEMPEL"), "reports name fields and no values");
}

/// A reviewer is shown the picture, and so it is the picture that is read.
#[tokio::test]
async fn a_pdf_file_in_the_comment_of_a_page_is_not_read_on_sqlite() {
    let app = TestApp::start().await;
    let stranger = SpecimenHolder { family_name: "Voorbeeld".into(), ..SpecimenHolder::default() };
    let bill = Specimen::utility_bill().holder(stranger).pdf().unwrap();
    let length = u16::try_from(bill.len() + 2).unwrap().to_be_bytes();
    let photo = photo_of(&passport_specimen(), 4);
    let page = [&photo[..2], b"\xff\xfe", &length, &bill, &photo[2..]].concat();
    let (session, read) = complete_session(&app, &passport_payload(), &page, &FACES.0).await;

    let document = &read["resources"]["id_documents"][0];
    assert_eq!(document["pages"][0]["media"]["type"], "IMAGE");
    let fields = session.media(&app, &document["document_fields"]["media"]).await.json();
    assert_eq!(fields["full_name"], "ANNA MARIA EXEMPEL", "{fields}");
    let authenticity = check(&read, "ID_DOCUMENT_AUTHENTICITY");
    assert_eq!(sub_check(authenticity, "physical_document_captured")["result"], "PASS", "{authenticity}");
}

#[tokio::test]
async fn an_expired_document_is_rejected_and_a_strangers_face_does_not_match_on_sqlite() {
    let app = TestApp::start().await;
    let expired =
        passport_specimen().issued("2014-03-15".parse().unwrap()).expires("2024-03-14".parse().unwrap());
    let (_, read) = complete_session(&app, &passport_payload(), &photo_of(&expired, 4), &FACES.1).await;
    let authenticity = &check(&read, "ID_DOCUMENT_AUTHENTICITY")["report"];
    assert_eq!(authenticity["recommendation"]["value"], "REJECT", "{authenticity}");
    assert_eq!(authenticity["recommendation"]["reason"], "EXPIRED_DOCUMENT");
    assert!(authenticity["recommendation"]["recovery_suggestion"].is_string());
    let face = check(&read, "ID_DOCUMENT_FACE_MATCH");
    assert_ne!(face["report"]["recommendation"]["value"], "APPROVE", "{face}");
    assert_eq!(face["report"]["recommendation"]["reason"], "DIFFERENT_PERSON");
}

#[tokio::test]
async fn checks_wait_for_models() {
    let analyser = ImageAnalyser::new(AnalysisRules::default());
    analyser.load(&testkit::model_settings()).unwrap();
    let app = TestApp::builder().image_analyser(analyser.clone()).start().await;
    let page = photo_of(&passport_specimen(), 4);
    let session = supplied_session(&app, &passport_payload(), &page, &FACES.0).await;
    session.finish(&app).await;
    // As a process that was started anew finds none.
    let nowhere = ModelPoolSettings { folder: "/nowhere".into(), ..testkit::model_settings() };
    analyser.load(&nowhere).unwrap_err();
    run_without_models(&app, "check-session").await;
    analyser.load(&testkit::model_settings()).unwrap();
    app.run_due_jobs().await;
    let read = session.read(&app).await;
    assert_eq!(read["state"], "COMPLETED");
    assert_eq!(check(&read, "ID_DOCUMENT_FACE_MATCH")["state"], "DONE");
}

/// A session with a passport and a bill as a PDF file, as its relying party reads it.
async fn session_with_utility_bill(app: &TestApp, bill: &Specimen) -> (DocumentSessionFixture, Value) {
    let payload = json!({
        "required_documents": [{ "type": "ID_DOCUMENT" }, { "type": "SUPPLEMENTARY_DOCUMENT" }],
        "requested_checks": [{ "type": "ID_DOCUMENT_COMPARISON" }],
        "requested_tasks": [
            { "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" },
            { "type": "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_EXTRACTION" },
        ],
    });
    let session = DocumentSessionFixture::create(app, BASE, &payload).await;
    let working = app.spawn_worker();
    let document = session.add_document(app, "PASSPORT", "SWE", &[&photo_of(&passport_specimen(), 4)]).await;
    session.extract_text(app, &document).await;
    let made = session.end_user_call(app, "POST", "/resources/supplementary-documents", None).await.json();
    let path = format!("/resources/supplementary-documents/{}", made["id"].as_str().unwrap());
    let put = session.upload(app, "PUT", &format!("{path}/file"), &bill.pdf().unwrap()).await;
    assert_eq!((put.status_and_code().as_str(), &put.json()["media"]["type"]), ("200", &json!("PDF")));
    let task = session.end_user_call(app, "PUT", &format!("{path}/text-extraction"), None).await.json();
    assert_eq!(task["recommendation"]["value"], "PROGRESS", "{task}");
    session.finish(app).await;
    working.stop().await;
    app.run_due_jobs().await;
    let read = session.read(app).await;
    assert_eq!(read["state"], "COMPLETED");
    (session, read)
}

#[tokio::test]
async fn a_bill_is_read_and_must_be_in_the_name_of_the_passport_on_sqlite() {
    let app = TestApp::start().await;
    let bill = Specimen::utility_bill();
    let (session, read) = session_with_utility_bill(&app, &bill).await;
    let document = &read["resources"]["supplementary_documents"][0];
    let fields = session.media(&app, &document["document_fields"]["media"]).await.json();
    assert_eq!(fields["full_name"].as_str().map(str::to_uppercase), Some("ANNA MARIA EXEMPEL".to_owned()));
    assert_eq!(fields["date_of_issue"], bill.days()[1].to_string());
    assert!(fields["organisation"].as_str().is_some_and(|name| !name.is_empty()), "{fields}");
    assert_eq!(fields["structured_postal_address"]["postal_code"], "23269", "{fields}");
    let comparison = check(&read, "ID_DOCUMENT_COMPARISON");
    assert_eq!(comparison["report"]["recommendation"]["value"], "APPROVE", "{comparison}");
    assert_eq!(sub_check(comparison, "name_match")["result"], "PASS");
    let text = check(&read, "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_CHECK");
    assert_eq!(text["report"]["recommendation"]["value"], "APPROVE", "{text}");

    let stranger = SpecimenHolder {
        family_name: "Voorbeeld".into(),
        given_names: "Ilse".into(),
        ..SpecimenHolder::default()
    };
    let (_, read) = session_with_utility_bill(&app, &Specimen::utility_bill().holder(stranger)).await;
    let comparison = check(&read, "ID_DOCUMENT_COMPARISON");
    assert_eq!(comparison["report"]["recommendation"]["reason"], "NAME_MISMATCH", "{comparison}");
    assert_eq!(sub_check(comparison, "name_match")["result"], "FAIL");
}

#[tokio::test]
async fn an_expired_document_is_taken_only_where_a_filter_allows_it_on_sqlite() {
    let app = TestApp::start().await;
    let expired =
        passport_specimen().issued("2014-03-15".parse().unwrap()).expires("2024-03-14".parse().unwrap());
    let page = photo_of(&expired, 4);
    let task = json!([{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }]);

    // Nothing but the task looks at it.
    let session = DocumentSessionFixture::create(&app, BASE, &json!({ "requested_tasks": task })).await;
    let working = app.spawn_worker();
    let document = session.add_document(&app, "PASSPORT", "SWE", &[&page]).await;
    let read = session.extract_text(&app, &document).await;
    assert_eq!(read["recommendation"]["reason"]["detail"], "EXPIRED_DOCUMENT", "{read}");
    let lenient = json!({ "requested_tasks": task, "required_documents": [
        { "type": "ID_DOCUMENT", "filter": { "allow_expired_documents": true } },
    ] });
    let session = DocumentSessionFixture::create(&app, BASE, &lenient).await;
    let document = session.add_document(&app, "PASSPORT", "SWE", &[&page]).await;
    assert_eq!(session.extract_text(&app, &document).await["recommendation"]["value"], "PROGRESS");
    working.stop().await;

    // The filter of a check is about that check. A match that is limited to some documents takes none that has expired,
    // unless its filter does.
    let swedish = json!({ "country_restriction": { "inclusion": "INCLUDE", "country_codes": ["SWE"] } });
    let payload = json!({ "requested_tasks": task, "requested_checks": [
        { "type": "ID_DOCUMENT_AUTHENTICITY", "config": {
            "filter": { "allow_expired_documents": true },
        } },
        { "type": "LIVENESS" },
        { "type": "ID_DOCUMENT_FACE_MATCH", "filter": swedish },
    ] });
    let (_, read) = complete_session(&app, &payload, &page, &FACES.0).await;
    let authenticity = check(&read, "ID_DOCUMENT_AUTHENTICITY");
    assert_eq!(authenticity["report"]["recommendation"]["value"], "APPROVE", "{authenticity}");
    assert_eq!(sub_check(authenticity, "document_in_date")["result"], "FAIL", "{authenticity}");
    let face = &check(&read, "ID_DOCUMENT_FACE_MATCH")["report"];
    assert_eq!(face["recommendation"]["value"], "NOT_AVAILABLE", "{face}");
    assert_eq!(face["recommendation"]["reason"], "EXPIRED_DOCUMENT", "{face}");
    let mut payload = payload;
    payload["requested_checks"][2]["filter"]["allow_expired_documents"] = json!(true);
    let (_, read) = complete_session(&app, &payload, &page, &FACES.0).await;
    let face = check(&read, "ID_DOCUMENT_FACE_MATCH");
    assert!(!sub_check(face, "ai_face_match").is_null(), "{face}");
}

/// The person may take days to finish.
#[tokio::test]
async fn a_document_that_expires_before_it_is_checked_is_rejected_on_sqlite() {
    let app = TestApp::start().await;
    let mut payload = passport_payload();
    payload["client_session_token_ttl"] = json!(5 * 24 * 3600);
    payload["requested_checks"] = json!([{ "type": "ID_DOCUMENT_AUTHENTICITY" }]);
    let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
    let expiring =
        passport_specimen().issued("2016-01-18".parse().unwrap()).expires("2026-01-17".parse().unwrap());
    session.supply(&app, "SWE", &photo_of(&expiring, 4)).await;
    app.environment.advance(base::SignedDuration::from_hours(48));
    session.finish(&app).await;
    app.run_due_jobs().await;
    let read = session.read(&app).await;
    let authenticity = check(&read, "ID_DOCUMENT_AUTHENTICITY");
    let recommendation = &authenticity["report"]["recommendation"];
    assert_eq!(
        (&recommendation["value"], &recommendation["reason"]),
        (&json!("REJECT"), &json!("EXPIRED_DOCUMENT")),
        "{authenticity}"
    );
    let in_date = sub_check(authenticity, "document_in_date");
    assert_eq!(in_date["result"], "FAIL", "{authenticity}");
    assert!(in_date["details"][0]["value"].as_str().unwrap().contains("ran out 1 days ago"), "{in_date}");
}

#[tokio::test]
async fn a_portrait_is_made_into_numbers_only_once_the_end_user_has_consented() {
    let app = TestApp::start().await;
    let mut payload = passport_payload();
    payload["sdk_config"] = json!({ "biometric_consent_flow": "JUST_IN_TIME" });
    let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
    session.supply(&app, "SWE", &photo_of(&passport_specimen(), 4)).await;
    let id = session.id.parse().unwrap();
    let portrait = async || {
        let mut view = app.api.db.read().await.unwrap();
        let stored = app.api.document_verification.find(&mut view, app.app, id).await.unwrap().unwrap();
        stored.session.resources[0].findings.clone().unwrap().portrait.expect("there is one")
    };
    assert!(portrait().await.embedding.is_empty());
    session.capture_face(&app, &FACES.0).await;
    session.finish(&app).await;
    app.run_due_jobs().await;
    let read = session.read(&app).await;
    let face = check(&read, "ID_DOCUMENT_FACE_MATCH");
    assert_eq!(face["report"]["recommendation"]["value"], "APPROVE", "{face}");
}
