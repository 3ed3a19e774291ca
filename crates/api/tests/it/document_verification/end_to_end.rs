//! Whole lives of sessions, with the real reader and the real models.

use super::{BASE, Session, business, check, form, signed, sub_check};
use base::Picture;
use domain::image_analysis::sample_faces;

use serde_json::{Value, json};
use std::sync::LazyLock;
use testkit::{
    TestApp,
    composite_scene::CompositeScene,
    head_model::{HeadModel, HeadStance, PhotoSurface, stance_path},
    specimens::{PhotoConditions, Specimen, SpecimenHolder, photograph, portrait},
};
use vision::{VisionModels, embedding_distance};

/// A specimen of Sweden whose holder is one of the sample photos.
fn passport() -> Specimen {
    let holder =
        SpecimenHolder { nationality: "SWE".to_owned(), portrait: FACES.2, ..SpecimenHolder::default() };
    Specimen::passport().issuer("SWE").holder(holder)
}

fn photo(specimen: &Specimen, seed: u64) -> Vec<u8> {
    photograph(&specimen.front(), &PhotoConditions::clean(seed)).jpeg
}

/// The sample face and the portrait that are most alike, and the face that is least like that portrait.
static FACES: LazyLock<(Vec<u8>, Vec<u8>, u8)> = LazyLock::new(|| {
    let mut vision = VisionModels::load(&testkit::pack()).unwrap();
    let mut embed = |picture: &Picture| {
        let faces = vision.detect_tiled(picture, 20.0).unwrap();
        let face = faces.into_iter().max_by(|a, b| a.width().total_cmp(&b.width()))?;
        Some(vision.embed(picture, &face).unwrap())
    };
    let faces: Vec<_> = testkit::face_pictures().iter().map(|picture| embed(picture).unwrap()).collect();
    let mut pairs = Vec::new();
    for number in 0..10 {
        let Some(own) = embed(portrait(number)) else { continue };
        pairs.extend(faces.iter().enumerate().map(|(at, face)| (embedding_distance(&own, face), number, at)));
    }
    pairs.sort_by(|a, b| a.0.total_cmp(&b.0));
    let (_, number, nearest) = pairs[0];
    let farthest = pairs.iter().rfind(|pair| pair.1 == number).unwrap().2;
    let jpeg = |at: usize| sample_faces::encode_jpeg(&testkit::face_pictures()[at], 96);
    (jpeg(nearest), jpeg(farthest), number)
});

fn payload() -> Value {
    json!({
        "requested_checks": [
            { "type": "ID_DOCUMENT_AUTHENTICITY", "config": { "issuing_authority_sub_check": { "requested": true } } },
            { "type": "LIVENESS", "config": { "liveness_type": "STATIC" } },
            { "type": "ID_DOCUMENT_FACE_MATCH" },
        ],
        "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION", "config": { "chip_data": "DESIRED" } }],
    })
}

/// Everything that an end user does, with one page and one face; returns the session afterwards.
async fn live(app: &TestApp, payload: &Value, page: &[u8], face: &[u8]) -> (Session, Value) {
    let session = Session::new(app, BASE, payload).await;
    let working = app.spawn_worker();
    assert_eq!(session.call(app, "POST", "/biometric-consent", None).await.status_and_code(), "204");
    let document = session.document(app, "PASSPORT", "SWE", &[page]).await;
    let task = session.extract(app, &document).await;
    assert_eq!(
        (&task["state"], &task["recommendation"]["value"]),
        (&json!("DONE"), &json!("PROGRESS")),
        "{task}"
    );
    session.show_face(app, face).await;
    session.finish(app).await;
    working.stop().await;
    app.run_due_jobs().await;
    let read = session.read(app).await;
    (session, read)
}

#[tokio::test]
async fn a_passport_and_its_holder() {
    let app = TestApp::start().await;
    let page = photo(&passport(), 4);
    let (session, read) = live(&app, &payload(), &page, &FACES.0).await;
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
    for name in [
        "document_in_date",
        "mrz_validation",
        "ocr_mrz_comparison",
        "physical_document_captured",
        "issuing_authority",
    ] {
        assert_eq!(sub_check(authenticity, name)["result"], "PASS", "{name}: {authenticity}");
    }
    assert!(
        sub_check(authenticity, "no_sign_of_tampering").is_null()
            && sub_check(authenticity, "fraud_list_check").is_null()
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

#[tokio::test]
async fn an_expired_document_is_rejected_and_a_strangers_face_does_not_match() {
    let app = TestApp::start().await;
    let expired = passport().issued("2014-03-15".parse().unwrap()).expires("2024-03-14".parse().unwrap());
    let (_, read) = live(&app, &payload(), &photo(&expired, 4), &FACES.1).await;
    let authenticity = &check(&read, "ID_DOCUMENT_AUTHENTICITY")["report"];
    assert_eq!(authenticity["recommendation"]["value"], "REJECT", "{authenticity}");
    assert_eq!(authenticity["recommendation"]["reason"], "EXPIRED_DOCUMENT");
    assert!(authenticity["recommendation"]["recovery_suggestion"].is_string());
    let face = check(&read, "ID_DOCUMENT_FACE_MATCH");
    assert_ne!(face["report"]["recommendation"]["value"], "APPROVE", "{face}");
    assert_eq!(face["report"]["recommendation"]["reason"], "DIFFERENT_PERSON");
}

#[tokio::test]
async fn a_picture_without_a_document_must_be_taken_again() {
    let app = TestApp::start().await;
    let session = Session::new(&app, BASE, &payload()).await;
    let working = app.spawn_worker();
    let document = session.document(&app, "PASSPORT", "SWE", &[&FACES.0]).await;
    let task = session.extract(&app, &document).await;
    assert_eq!(task["recommendation"]["value"], "MUST_TRY_AGAIN", "{task}");
    assert_eq!(task["recommendation"]["reason"]["value"], "QUALITY");
    // The stated type of document counts, too.
    let card = session.document(&app, "NATIONAL_ID", "SWE", &[&photo(&passport(), 4)]).await;
    let task = session.extract(&app, &card).await;
    assert_eq!(
        task["recommendation"]["reason"],
        json!({ "value": "USER_ERROR", "detail": "INCORRECT_DOCUMENT_TYPE" })
    );
    working.stop().await;
}

#[tokio::test]
async fn a_reviewer_decides_and_a_business_supplies_a_face_of_its_own() {
    let app = TestApp::start().await;
    let payload = json!({
        "requested_checks": [
            { "type": "LIVENESS" },
            { "type": "FACE_COMPARISON", "config": { "manual_check": "ALWAYS" } },
        ],
    });
    let session = Session::new(&app, BASE, &payload).await;
    let early = session.call(&app, "GET", "/configuration", None).await;
    assert_eq!(early.status_and_code(), "409 SESSION_NOT_READY");
    let configuration = business(&app, "GET", &session.path("/configuration"), None).await.json();
    let required = configuration["capture"]["required_resources"].as_array().unwrap();
    let face = required.iter().find(|one| one["type"] == "FACE_CAPTURE").unwrap();
    let body = json!({ "requirement_id": face["id"] });
    let mine = session.call(&app, "POST", "/resources/face-capture", Some(body.clone())).await;
    assert_eq!(mine.status_and_code(), "403 INSUFFICIENT_PERMISSION");
    let made = business(&app, "POST", &session.path("/resources/face-capture"), Some(body)).await;
    assert_eq!((made.status_and_code().as_str(), &made.json()["frames"]), ("201", &json!(1)));
    let path =
        session.path(&format!("/resources/face-capture/{}/image", made.json()["id"].as_str().unwrap()));
    let put = async |file: &[u8]| {
        let call = signed(&app, "PUT", &path).header("Content-Type", super::FORM).body(form(file));
        call.send(&app).await
    };
    let group = testkit::group_photo(1);
    assert_eq!(
        put(&sample_faces::encode_jpeg(&group, 90)).await.status_and_code(),
        "422 UNPROCESSABLE_MEDIA",
        "three faces are no one"
    );
    assert_eq!(put(&FACES.0).await.status_and_code(), "200");
    assert_eq!(session.call(&app, "GET", "/configuration", None).await.status_and_code(), "200");
    session.show_face(&app, &FACES.0).await;
    session.finish(&app).await;
    app.run_due_jobs().await;

    let read = session.read(&app).await;
    assert_eq!(read["state"], "ONGOING");
    assert_eq!(check(&read, "LIVENESS")["state"], "DONE");
    let waiting = check(&read, "FACE_COMPARISON");
    assert_eq!((&waiting["state"], &waiting["report"]), (&json!("PENDING"), &Value::Null));
    assert_eq!(
        business(&app, "DELETE", &session.path(""), None).await.status_and_code(),
        "409 CHECKS_NOT_FINISHED"
    );
    let reviews = business(&app, "GET", &format!("{BASE}/reviews"), None).await.json();
    assert_eq!(
        (&reviews["reviews"][0]["check_id"], &reviews["reviews"][0]["proposed"]),
        (&waiting["id"], &json!("APPROVE"))
    );

    let path = format!("{BASE}/reviews/{}", waiting["id"].as_str().unwrap());
    let draft = business(&app, "GET", &path, None).await.json();
    assert_eq!(draft["report"]["recommendation"]["value"], "APPROVE");
    let decide = async |body: Value| business(&app, "PUT", &path, Some(body)).await;
    for (body, property) in [
        (json!({ "decision": "REJECT", "reviewer": "ada" }), "reason"),
        (json!({ "decision": "REJECT", "reason": "a mask" }), "reviewer"),
        (json!({ "decision": "SHRUG", "reason": "a mask", "reviewer": "ada" }), "decision"),
        (json!({ "decision": "REJECT", "reason": "a mask", "reviewer": "ada", "code": "so so" }), "code"),
    ] {
        assert_eq!(decide(body).await.json()["errors"][0]["property"], property);
    }
    let body = json!({ "decision": "REJECT", "reason": "it is a mask", "code": "DIFFERENT_PERSON", "reviewer": "ada" });
    assert_eq!(decide(body.clone()).await.status_and_code(), "204");
    assert_eq!(decide(body).await.status_and_code(), "409 RESOURCE_LOCKED");
    let read = session.read(&app).await;
    assert_eq!(read["state"], "COMPLETED");
    let decided = check(&read, "FACE_COMPARISON");
    assert_eq!(decided["report"]["recommendation"]["reason"], "DIFFERENT_PERSON");
    assert_eq!(sub_check(decided, "manual_face_match")["process"], "EXPERT_REVIEW");
    assert_eq!(sub_check(decided, "ai_face_match")["result"], "PASS");
}

/// A session with a passport and a bill as a PDF file, as its relying party reads it.
async fn with_a_bill(app: &TestApp, bill: &Specimen) -> (Session, Value) {
    let payload = json!({
        "required_documents": [{ "type": "ID_DOCUMENT" }, { "type": "SUPPLEMENTARY_DOCUMENT" }],
        "requested_checks": [{ "type": "ID_DOCUMENT_COMPARISON" }],
        "requested_tasks": [
            { "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" },
            { "type": "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_EXTRACTION" },
        ],
    });
    let session = Session::new(app, BASE, &payload).await;
    let working = app.spawn_worker();
    let document = session.document(app, "PASSPORT", "SWE", &[&photo(&passport(), 4)]).await;
    session.extract(app, &document).await;
    let made = session.call(app, "POST", "/resources/supplementary-documents", None).await.json();
    let letter = format!("/resources/supplementary-documents/{}", made["id"].as_str().unwrap());
    let put = session.put(app, "PUT", &format!("{letter}/file"), &bill.pdf().unwrap()).await;
    assert_eq!((put.status_and_code().as_str(), &put.json()["media"]["type"]), ("200", &json!("PDF")));
    let task = session.call(app, "PUT", &format!("{letter}/text-extraction"), None).await.json();
    assert_eq!(task["recommendation"]["value"], "PROGRESS", "{task}");
    session.finish(app).await;
    working.stop().await;
    app.run_due_jobs().await;
    let read = session.read(app).await;
    assert_eq!(read["state"], "COMPLETED");
    (session, read)
}

#[tokio::test]
async fn a_bill_is_read_and_must_be_in_the_name_of_the_passport() {
    let app = TestApp::start().await;
    let bill = Specimen::utility_bill();
    let (session, read) = with_a_bill(&app, &bill).await;
    let letter = &read["resources"]["supplementary_documents"][0];
    let fields = session.media(&app, &letter["document_fields"]["media"]).await.json();
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
    let (_, read) = with_a_bill(&app, &Specimen::utility_bill().holder(stranger)).await;
    let comparison = check(&read, "ID_DOCUMENT_COMPARISON");
    assert_eq!(comparison["report"]["recommendation"]["reason"], "NAME_MISMATCH", "{comparison}");
    assert_eq!(sub_check(comparison, "name_match")["result"], "FAIL");
}

/// The liveness check of a face in seven frames, which ends in this stance.
async fn zoomed(app: &TestApp, ends: HeadStance) -> (Session, Value) {
    let person = &testkit::face_pictures()[6];
    let found = VisionModels::load(&testkit::pack()).unwrap().detect_tiled(person, 40.0).unwrap();
    let face = found.first().unwrap();
    let head = HeadModel::new(person, [face.left, face.top, face.right, face.bottom], PhotoSurface::Head);
    let room = CompositeScene::draw(480, 640, 3, 3.0).picture();
    let payload =
        json!({ "requested_checks": [{ "type": "LIVENESS", "config": { "liveness_type": "ZOOM" } }] });
    let session = Session::new(app, BASE, &payload).await;
    let made = session.call(app, "POST", "/resources/liveness/zoom", None).await.json();
    let resource = format!("/resources/liveness/zoom/{}", made["id"].as_str().unwrap());
    let way = stance_path(&[HeadStance::default(), ends], 6);
    for (number, stance) in way[5..].iter().enumerate() {
        let frame = sample_faces::encode_jpeg(&head.render(*stance, &room), 92);
        let put = session.put(app, "PUT", &format!("{resource}/frames/{}", number + 1), &frame).await;
        assert_eq!(put.status_and_code(), "200", "{}", put.json());
    }
    session.finish(app).await;
    app.run_due_jobs().await;
    let read = session.read(app).await;
    assert_eq!(read["state"], "COMPLETED");
    (session, read)
}

/// The first word of a detail in a zoom's check.
fn detail(read: &Value, name: &str) -> String {
    let details = sub_check(check(read, "LIVENESS"), "liveness_auth")["details"].as_array().unwrap().clone();
    let found = details.iter().find(|detail| detail["name"] == name).unwrap_or_else(|| panic!("{details:?}"));
    found["value"].as_str().unwrap().split(' ').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_face_that_comes_nearer_is_told_from_one_that_stays_and_one_that_turns() {
    let app = TestApp::start().await;
    let (session, read) = zoomed(&app, HeadStance { distance: 2.6, ..HeadStance::default() }).await;
    let grown: f32 = detail(&read, "grown").parse().unwrap();
    assert!((1.2..2.0).contains(&grown), "{grown}");
    assert_eq!(detail(&read, "steady"), "true");
    assert!(detail(&read, "turned_aside").parse::<f32>().unwrap() < 18.0);
    assert!(detail(&read, "parallax").parse::<f32>().unwrap().abs() < 0.5);
    // The map of the face's points: one entry for each frame, and the first frames are kept.
    let capture = &read["resources"]["liveness_capture"][0];
    let map = session.media(&app, &capture["facemap"]["media"]).await.json();
    assert_eq!(map["frames"].as_array().map(Vec::len), Some(7), "{map}");
    assert!(capture["frames"].as_array().unwrap()[..3].iter().all(|frame| frame["media"].is_object()));

    let (_, read) = zoomed(&app, HeadStance { distance: 3.9, ..HeadStance::default() }).await;
    assert_eq!(check(&read, "LIVENESS")["report"]["recommendation"]["value"], "REJECT");
    assert!(detail(&read, "grown").parse::<f32>().unwrap() < 1.2);
    let (_, read) = zoomed(&app, HeadStance { distance: 2.8, yaw: 0.6, ..HeadStance::default() }).await;
    assert_eq!(check(&read, "LIVENESS")["report"]["recommendation"]["value"], "REJECT");
    assert!(detail(&read, "turned_aside").parse::<f32>().unwrap() > 18.0);
}
