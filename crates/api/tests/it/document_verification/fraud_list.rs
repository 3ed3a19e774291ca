//! The application's own list of documents and faces that are used for fraud, and earlier sessions with another identity.

use super::{
    BASE, DocumentSessionFixture, FACES, SANDBOX, check, passport_specimen, photo_of, relying_party_call,
    row_count, sub_check,
};
use base::SignedDuration;
use db::sql;
use domain::document_verification::DocumentVerificationSettings;
use serde_json::{Value, json};
use testkit::{TestApp, TestResponse, specimens::SpecimenHolder};

/// Keys of entries and traces, and of whatever is neither a session's nor a profile's.
async fn key_count(app: &TestApp) -> i64 {
    let query = sql!(
        "SELECT count(*) FROM erasure_keys WHERE owner_id NOT IN (SELECT id FROM identity_sessions UNION
         SELECT id FROM age_sessions UNION SELECT id FROM profiles UNION SELECT id FROM moderations)"
    );
    row_count(app, query).await
}

async fn list(app: &TestApp, entry: Value) -> TestResponse {
    relying_party_call(app, "POST", &format!("{BASE}/fraud-list"), Some(entry)).await
}

/// An entry of the list, and the operation's answer to it.
async fn add_entry(app: &TestApp) -> TestResponse {
    let entry = json!({
        "type": "DOCUMENT", "issuing_country": "SWE", "document_number": "L898902C3", "reason": "stolen",
        "author": "r.lind", "expires_at": "2026-02-17T14:40:00Z",
    });
    list(app, entry).await
}

#[tokio::test]
async fn a_document_is_put_on_the_fraud_list() {
    let app = TestApp::start().await;
    assert_response_snapshot!(add_entry(&app).await);
}

#[tokio::test]
async fn the_fraud_list_is_read() {
    let app = TestApp::start().await;
    add_entry(&app).await;
    assert_response_snapshot!(relying_party_call(&app, "GET", &format!("{BASE}/fraud-list"), None).await);
}

#[tokio::test]
async fn an_entry_of_the_fraud_list_is_removed() {
    let app = TestApp::start().await;
    let added = add_entry(&app).await.json();
    let path = format!("{BASE}/fraud-list/{}", added["id"].as_str().unwrap());
    assert_response_snapshot!(relying_party_call(&app, "DELETE", &path, None).await);
}

#[tokio::test]
async fn an_entry_repeated_with_its_idempotency_key_is_answered_though_it_has_ended_since() {
    let app = TestApp::start().await;
    let path = format!("{BASE}/fraud-list");
    let add = async |key: &str, number: &str| {
        let entry = json!({
            "type": "DOCUMENT", "issuing_country": "SWE", "document_number": number, "reason": "stolen", "author": "r.lind",
            "expires_at": "2026-01-16T15:40:00Z",
        });
        super::signed_call(&app, "POST", &path).header("Idempotency-Key", key).json(&entry).send(&app).await
    };
    let first = add("a", "L898902C3").await;
    assert_eq!(first.status_and_code(), "201", "{}", first.json());
    assert_eq!(add("a", "L898902C4").await.status_and_code(), "409 IDEMPOTENCY_KEY_REUSED");
    app.environment.advance(SignedDuration::from_hours(2));
    let again = add("a", "L898902C3").await;
    assert_eq!((again.status, &again.body), (first.status, &first.body));
    assert_eq!(add("b", "L898902C3").await.status_and_code(), "400 PAYLOAD_VALIDATION");
    assert_eq!(row_count(&app, sql!("SELECT count(*) FROM fraud_list_entries")).await, 1);
}

fn payload() -> Value {
    json!({
        "requested_checks": [{ "type": "ID_DOCUMENT_AUTHENTICITY" }, { "type": "LIVENESS" }],
        "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }],
    })
}

/// A session whose end user has supplied this page, of a passport of Sweden, and this face, and has finished; no check has run.
async fn finished_session(app: &TestApp, page: &[u8], face: &[u8]) -> DocumentSessionFixture {
    finished_session_of(app, "SWE", page, face).await
}

/// The same with a passport of another country.
async fn finished_session_of(
    app: &TestApp,
    country: &str,
    page: &[u8],
    face: &[u8],
) -> DocumentSessionFixture {
    let session = DocumentSessionFixture::create(app, BASE, &payload()).await;
    session.consent(app).await;
    session.supply(app, country, page).await;
    session.capture_face(app, face).await;
    session.finish(app).await;
    session
}

/// The same after its checks.
async fn checked_session(app: &TestApp, page: &[u8], face: &[u8]) -> (DocumentSessionFixture, Value) {
    let session = finished_session(app, page, face).await;
    let authenticity = authenticity_of(app, &session).await;
    (session, authenticity)
}

/// The check of authenticity, once all checks have run.
async fn authenticity_of(app: &TestApp, session: &DocumentSessionFixture) -> Value {
    app.run_due_jobs().await;
    let read = session.read(app).await;
    assert_eq!(read["state"], "COMPLETED", "{read}");
    check(&read, "ID_DOCUMENT_AUTHENTICITY").clone()
}

fn reason(check: &Value) -> &str {
    check["report"]["recommendation"]["reason"].as_str().unwrap_or_default()
}

#[tokio::test]
async fn a_listed_document_or_face_is_rejected_until_the_entry_ends() {
    let app = TestApp::start().await;
    let page = photo_of(&passport_specimen(), 4);
    let (session, before) = checked_session(&app, &page, &FACES.0).await;
    assert!(sub_check(&before, "fraud_list_check").is_null(), "an empty list was not asked");
    let read = session.read(&app).await;
    let media = &read["resources"]["id_documents"][0]["document_fields"]["media"];
    let number = session.media(&app, media).await.json()["document_number"].as_str().unwrap().to_owned();

    let other = json!({
        "type": "DOCUMENT", "issuing_country": "GBR", "document_number": number, "reason": "stolen", "author": "r.lind",
    });
    assert_eq!(list(&app, other).await.status_and_code(), "201");
    let (_, cleared) = checked_session(&app, &page, &FACES.0).await;
    let found = sub_check(&cleared, "fraud_list_check");
    assert_eq!(found["result"], "PASS", "the number is another country's: {found}");

    let spaced = format!("{} {}", &number[..2].to_lowercase(), &number[2..]);
    let entry = json!({
        "type": "document", "issuing_country": "swe", "document_number": spaced, "reason": "stolen", "author": "r.lind",
        "expires_at": "2026-01-17T14:40:00Z",
    });
    let added = list(&app, entry.clone()).await;
    assert_eq!(added.status_and_code(), "201", "{}", added.json());
    assert_eq!(list(&app, entry).await.json()["errors"][0]["property"], "document_number", "twice is once");
    let (_, hit) = checked_session(&app, &page, &FACES.0).await;
    assert_eq!(hit["report"]["recommendation"]["value"], "REJECT", "{hit}");
    assert_eq!(reason(&hit), "FRAUD_LIST_MATCH");
    let found = sub_check(&hit, "fraud_list_check");
    assert_eq!(found["result"], "FAIL");
    assert_eq!(found["details"], json!([{ "name": "own_list_document", "value": "listed" }]));

    app.environment.advance(SignedDuration::from_hours(25));
    app.api.document_verification.sweep().await.unwrap();
    let shown = relying_party_call(&app, "GET", &format!("{BASE}/fraud-list"), None).await.json();
    assert_eq!((&shown["total_count"], &shown["entries"][0]["type"]), (&json!(1), &json!("DOCUMENT")));
    assert!(!shown.to_string().contains(&number), "numbers are not given out");
    assert_eq!(row_count(&app, sql!("SELECT count(*) FROM fraud_list_entries")).await, 1);
    assert_eq!(key_count(&app).await, 1, "the key went with the entry");
    let dump = app.dump().await;
    assert!(
        !dump.iter().any(|text| text.contains(&number) || text.contains("stolen")),
        "nothing is in clear"
    );
}

/// Its zone names China.
#[tokio::test]
async fn a_listed_passport_of_hong_kong_is_found_whichever_code_it_is_listed_under_on_sqlite() {
    let app = TestApp::start().await;
    let holder =
        SpecimenHolder { nationality: "CHN".to_owned(), portrait: FACES.2, ..SpecimenHolder::default() };
    let page = photo_of(&testkit::specimens::Specimen::passport().issuer("CHN").holder(holder), 4);
    for (listed, claimed) in [("HKG", "HKG"), ("CHN", "HKG"), ("HKG", "CHN")] {
        let entry = json!({
            "type": "DOCUMENT", "issuing_country": listed, "document_number": "L898902C3", "reason": "stolen",
            "author": "r.lind",
        });
        let added = list(&app, entry).await.json();
        let session = finished_session_of(&app, claimed, &page, &FACES.0).await;
        let hit = authenticity_of(&app, &session).await;
        assert_eq!(reason(&hit), "FRAUD_LIST_MATCH", "{listed} {claimed}: {hit}");
        let path = format!("{BASE}/fraud-list/{}", added["id"].as_str().unwrap());
        assert_eq!(relying_party_call(&app, "DELETE", &path, None).await.status_and_code(), "204");
    }
}

#[tokio::test]
async fn a_listed_face_is_found_in_portrait_and_selfie_and_removed_for_good() {
    let app = TestApp::start().await;
    let page = photo_of(&passport_specimen(), 4);
    let image = base64_simd::STANDARD.encode_to_string(&FACES.0);
    let entry = json!({ "type": "FACE", "image": image, "reason": "sold accounts", "author": "r.lind" });
    let added = list(&app, entry).await;
    assert_eq!(added.status_and_code(), "201", "{}", added.json());
    let (_, hit) = checked_session(&app, &page, &FACES.0).await;
    assert_eq!(reason(&hit), "FRAUD_LIST_MATCH", "{hit}");
    let (_, stranger) = checked_session(&app, &photo_of(&stranger_specimen(), 4), &FACES.1).await;
    assert_eq!(sub_check(&stranger, "fraud_list_check")["result"], "PASS", "{stranger}");

    let path = format!("{BASE}/fraud-list/{}", added.json()["id"].as_str().unwrap());
    assert_eq!(relying_party_call(&app, "DELETE", &path, None).await.status_and_code(), "204");
    let again = relying_party_call(&app, "DELETE", &path, None).await;
    assert_eq!(again.status_and_code(), "404 RESOURCE_NOT_FOUND");
    assert_eq!(again.json()["message"], "there is no such entry");
    assert_eq!(key_count(&app).await, 0);
    let (_, after) = checked_session(&app, &page, &FACES.0).await;
    assert!(sub_check(&after, "fraud_list_check").is_null(), "{after}");
}

#[tokio::test]
async fn what_cannot_be_listed_is_refused_by_name() {
    let app = TestApp::start().await;
    let document = |country: &str, number: &str| {
        json!({
            "type": "DOCUMENT", "issuing_country": country, "document_number": number, "reason": "r", "author": "a",
        })
    };
    let with = |mut entry: Value, name: &str, value: Value| {
        entry[name] = value;
        entry
    };
    let fine = || document("GBR", "1");
    for (entry, property) in [
        (json!({ "reason": "r", "author": "a" }), "type"),
        (json!({ "type": "NAME", "reason": "r", "author": "a" }), "type"),
        (document("XXZ", "1"), "issuing_country"),
        (document("GBR", " - "), "document_number"),
        (document("GBR", &"1".repeat(65)), "document_number"),
        (with(fine(), "reason", json!(" ")), "reason"),
        (with(fine(), "author", json!("a".repeat(1001))), "author"),
        (with(fine(), "expires_at", json!("tomorrow")), "expires_at"),
        (with(fine(), "expires_at", json!("2026-01-16T14:39:59Z")), "expires_at"),
        (with(fine(), "image", json!("AAAA")), "image"),
        (json!({ "type": "FACE", "image": "?", "reason": "r", "author": "a" }), "image"),
        (json!({ "type": "FACE", "image": "AAAA", "reason": "r", "author": "a" }), "image"),
        (json!({ "type": "FACE", "reason": "r", "author": "a" }), "image"),
    ] {
        let answer = list(&app, entry.clone()).await;
        assert_eq!(answer.status_and_code(), "400 PAYLOAD_VALIDATION", "{entry}: {}", answer.json());
        assert_eq!(answer.json()["errors"][0]["property"], property, "{entry}: {}", answer.json());
    }
    for page in ["0", "x", "-1"] {
        let path = format!("{BASE}/fraud-list");
        let call = super::signed_call(&app, "GET", &path).query("page", page).send(&app).await;
        assert_eq!(call.status_and_code(), "400 PAYLOAD_VALIDATION");
    }
    let sandbox = relying_party_call(&app, "GET", &format!("{SANDBOX}/fraud-list"), None).await;
    assert_eq!(sandbox.status_and_code(), "403 INSUFFICIENT_PERMISSION");
    let (stranger, ..) = app.add_tenant().await;
    let mut tx = app.api.db.write().await.unwrap();
    let entry = domain::document_verification::fraud_list::NewFraudListEntry {
        subject: domain::document_verification::fraud_list::FraudListSubject::Document {
            issuing_country: "GBR".to_owned(),
            document_number: "7".to_owned(),
        },
        reason: "theirs".to_owned(),
        author: "they".to_owned(),
        expires_at: None,
    };
    let service = &app.api.document_verification;
    let prepared = service.prepare_fraud_list_entry(stranger, entry).await.unwrap();
    let theirs = service.add_to_fraud_list(&mut tx, stranger, prepared).await.unwrap();
    tx.commit().await.unwrap();
    let shown = relying_party_call(&app, "GET", &format!("{BASE}/fraud-list"), None).await.json();
    assert_eq!(shown["total_count"], 0, "no application sees another's list");
    let path = format!("{BASE}/fraud-list/{}", theirs.id);
    let foreign = relying_party_call(&app, "DELETE", &path, None).await;
    assert_eq!(foreign.status_and_code(), "404 RESOURCE_NOT_FOUND");
}

/// The same passport, with another name and another portrait.
fn stranger_specimen() -> testkit::specimens::Specimen {
    let holder = SpecimenHolder {
        family_name: "Voorbeeld".into(),
        given_names: "Ilse".into(),
        nationality: "SWE".to_owned(),
        portrait: (FACES.2 + 5) % 10,
        ..SpecimenHolder::default()
    };
    testkit::specimens::Specimen::passport().issuer("SWE").holder(holder)
}

async fn comparing_app(faces: bool) -> TestApp {
    TestApp::builder()
        .document_verification(|usual| DocumentVerificationSettings {
            duplicate_retention: SignedDuration::from_hours(24),
            duplicate_faces: faces,
            ..usual
        })
        .start()
        .await
}

#[tokio::test]
async fn a_number_with_another_identity_is_told_with_the_earlier_session_until_that_is_deleted() {
    let app = comparing_app(false).await;
    let page = photo_of(&passport_specimen(), 4);
    let (first, fresh) = checked_session(&app, &page, &FACES.0).await;
    assert_eq!(sub_check(&fresh, "duplicate_check")["result"], "PASS", "{fresh}");
    let (_, again) = checked_session(&app, &page, &FACES.0).await;
    assert_eq!(sub_check(&again, "duplicate_check")["result"], "PASS", "the same person may come again");

    let other = photo_of(&stranger_specimen(), 4);
    let (_, duplicate) = checked_session(&app, &other, &FACES.1).await;
    let found = sub_check(&duplicate, "duplicate_check");
    assert_eq!(found["result"], "FAIL", "{duplicate}");
    assert_eq!(found["details"][0]["name"], "same_document_other_identity");
    assert!(found["details"][0]["value"].as_str().unwrap().contains(&first.id), "{found}");
    assert!(found["details"].as_array().unwrap().len() == 1, "faces are not compared: {found}");
    assert_ne!(duplicate["report"]["recommendation"]["value"], "APPROVE");

    let dump = app.dump().await;
    assert!(!dump.iter().any(|text| text.to_uppercase().contains("EXEMPEL")), "nothing is in clear");
    assert_eq!(row_count(&app, sql!("SELECT count(*) FROM document_traces")).await, 3);
    assert_eq!(key_count(&app).await, 3);
    let deleted = relying_party_call(&app, "DELETE", &first.path(""), None).await;
    assert_eq!(deleted.status_and_code(), "204");
    assert_eq!(row_count(&app, sql!("SELECT count(*) FROM document_traces")).await, 2);
    assert_eq!(key_count(&app).await, 2, "the key goes with the trace");
    app.environment.advance(SignedDuration::from_hours(25));
    app.api.document_verification.sweep().await.unwrap();
    assert_eq!(row_count(&app, sql!("SELECT count(*) FROM document_traces")).await, 0);
    assert_eq!(key_count(&app).await, 0);
}

/// Makes writing any trace fail.
async fn fail_traces(app: &TestApp) {
    for statement in [
        sql!(
            sqlite: "SELECT 1",
            postgres: "CREATE FUNCTION fail_trace() RETURNS TRIGGER LANGUAGE plpgsql
                       AS 'BEGIN RAISE EXCEPTION ''no trace is written''; END'",
        ),
        sql!(
            sqlite: "CREATE TRIGGER fail_trace BEFORE INSERT ON document_traces
                     BEGIN SELECT RAISE(ABORT, 'no trace is written'); END",
            postgres: "CREATE TRIGGER fail_trace BEFORE INSERT ON document_traces
                       FOR EACH ROW EXECUTE FUNCTION fail_trace()",
        ),
    ] {
        app.execute(statement).await;
    }
}

#[tokio::test]
async fn a_check_has_no_report_until_its_trace_is_written_and_then_one_trace() {
    let app = comparing_app(false).await;
    let session = finished_session(&app, &photo_of(&passport_specimen(), 4), &FACES.0).await;
    fail_traces(&app).await;
    let worker = app.spawn_worker();
    let failed = || {
        sql!(
            "SELECT count(*) FROM jobs WHERE kind = 'check-session' AND state <> 'RUNNING' AND last_error IS NOT NULL"
        )
    };
    for _ in 0..12_000 {
        if row_count(&app, failed()).await == 1 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    worker.stop().await;
    assert_eq!(row_count(&app, failed()).await, 1);
    let read = session.read(&app).await;
    assert_eq!(read["state"], "ONGOING");
    assert!(check(&read, "ID_DOCUMENT_AUTHENTICITY")["report"].is_null(), "{read}");
    let healed =
        sql!(sqlite: "DROP TRIGGER fail_trace", postgres: "DROP TRIGGER fail_trace ON document_traces");
    app.execute(healed).await;
    let authenticity = authenticity_of(&app, &session).await;
    assert_eq!(sub_check(&authenticity, "duplicate_check")["result"], "PASS", "{authenticity}");
    assert_eq!(row_count(&app, sql!("SELECT count(*) FROM document_traces")).await, 1);
}

#[tokio::test]
async fn a_face_with_another_identity_is_told_where_faces_are_compared() {
    let app = comparing_app(true).await;
    let (first, _) = checked_session(&app, &photo_of(&passport_specimen(), 4), &FACES.0).await;
    let holder = SpecimenHolder {
        family_name: "Voorbeeld".into(),
        given_names: "Ilse".into(),
        nationality: "SWE".to_owned(),
        portrait: FACES.2,
        ..SpecimenHolder::default()
    };
    let other = passport_specimen().holder(holder).number("XX9876543");
    let (_, duplicate) = checked_session(&app, &photo_of(&other, 5), &FACES.0).await;
    let found = sub_check(&duplicate, "duplicate_check");
    let details = found["details"].as_array().unwrap();
    let face = details.iter().find(|detail| detail["name"] == "same_face_other_identity");
    assert!(face.is_some_and(|face| face["value"] == first.id), "{found}");
    assert!(details.iter().all(|detail| detail["name"] != "same_document_other_identity"), "{found}");
}
