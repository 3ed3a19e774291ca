//! `PUT /idverify/v1/apps/{sdkId}/response-config`

use crate::document_verification::{BASE, DocumentSessionFixture, SANDBOX, check, relying_party_call};
use base::SignedDuration;
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn the_answers_of_an_application_are_set() {
    let app = TestApp::start().await;
    let path = format!("{SANDBOX}/apps/{}/response-config", app.app);
    let config = json!({
        "check_reports": {
            "ID_DOCUMENT_AUTHENTICITY": [{ "result": { "report_template": "SUCCESS" } }], "async_report_delay": 30,
        },
    });
    assert_response_snapshot!(relying_party_call(&app, "PUT", &path, Some(config)).await);
}

#[tokio::test]
async fn the_first_matching_item_is_answered_and_that_of_the_session_comes_first() {
    let app = TestApp::start().await;
    let report = |value: &str, reason: &str| {
        json!({ "report": {
            "recommendation": { "value": value, "reason": reason, "recovery_suggestion": "USE_ANOTHER_DOCUMENT" },
            "breakdown": [{ "sub_check": "document_in_date", "result": "FAIL", "details": [{ "name": "a", "value": "b" }] }],
        } })
    };
    let of_app = json!({
        "check_reports": {
            "ID_DOCUMENT_AUTHENTICITY": [
                { "document_filter": { "country_codes": ["SWE"], "document_types": [] }, "result": report("REJECT", "TAMPERED") },
                { "result": report("consider", "DOCUMENT_COPY") },
            ],
        },
        "task_results": {
            "ID_DOCUMENT_TEXT_DATA_EXTRACTION": [{
                "document_filter": { "document_types": ["PASSPORT"] },
                "result": {
                    "detected_country": "NOR",
                    "recommendation": { "value": "SHOULD_TRY_AGAIN", "reason": { "value": "QUALITY", "detail": "GLARE" } },
                },
            }],
        },
    });
    let path = format!("{SANDBOX}/apps/{}/response-config", app.app);
    assert_eq!(relying_party_call(&app, "PUT", &path, Some(of_app.clone())).await.status_and_code(), "200");
    assert_eq!(relying_party_call(&app, "GET", &path, None).await.json(), of_app);
    let payload = json!({
        "requested_checks": [{ "type": "ID_DOCUMENT_AUTHENTICITY" }],
        "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }],
    });
    let tried = async |session: &DocumentSessionFixture, country: &str| {
        let working = app.spawn_worker();
        let document =
            session.add_document(&app, "PASSPORT", country, &[b"\xff\xd8 no more is looked at"]).await;
        let task = session.extract_text(&app, &document).await;
        session.finish(&app).await;
        working.stop().await;
        app.run_due_jobs().await;
        let read = session.read(&app).await;
        (task, check(&read, "ID_DOCUMENT_AUTHENTICITY")["report"]["recommendation"].clone(), read)
    };

    let one = DocumentSessionFixture::create(&app, SANDBOX, &payload).await;
    let (task, advice, read) = tried(&one, "SWE").await;
    assert_eq!(task["recommendation"]["value"], "SHOULD_TRY_AGAIN");
    assert_eq!(task["recommendation"]["reason"], json!({ "value": "QUALITY", "detail": "GLARE" }));
    assert_eq!((&advice["value"], &advice["reason"]), (&json!("REJECT"), &json!("TAMPERED")));
    let fields = &read["resources"]["id_documents"][0]["document_fields"]["media"];
    assert_eq!(one.media(&app, fields).await.json()["detected_country"], "NOR");

    let two = DocumentSessionFixture::create(&app, SANDBOX, &payload).await;
    assert_eq!(tried(&two, "FIN").await.1["value"], "CONSIDER");

    let three = DocumentSessionFixture::create(&app, SANDBOX, &payload).await;
    let own = json!({
        "check_reports": {
            "ID_DOCUMENT_AUTHENTICITY": [{ "result": { "report_template": "SUCCESS" } }],
            "async_report_delay": 30,
        },
    });
    assert_eq!(
        relying_party_call(&app, "PUT", &three.path("/response-config"), Some(own.clone()))
            .await
            .status_and_code(),
        "200"
    );
    assert_eq!(relying_party_call(&app, "GET", &three.path("/response-config"), None).await.json(), own);
    let before = base::Environment::now(&*app.environment);
    assert_eq!(tried(&three, "SWE").await.1["value"], "APPROVE");
    let waited = base::Environment::now(&*app.environment).duration_since(before);
    assert!(waited >= SignedDuration::from_secs(30), "the reports were kept waiting, {waited}");
}

#[tokio::test]
async fn an_end_user_is_told_to_try_again_as_long_as_there_are_attempts() {
    let app = TestApp::start().await;
    let must = json!({ "task_results": { "ID_DOCUMENT_TEXT_DATA_EXTRACTION": [
        { "result": { "recommendation": { "value": "MUST_TRY_AGAIN", "reason": { "value": "USER_ERROR" } } } }] } });
    let payload = json!({
        "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }],
        "sdk_config": { "attempts_configuration": { "ID_DOCUMENT_TEXT_DATA_EXTRACTION": { "GENERIC": 1 } } },
    });
    let four = DocumentSessionFixture::create(&app, SANDBOX, &payload).await;
    assert_eq!(
        relying_party_call(&app, "PUT", &four.path("/response-config"), Some(must)).await.status_and_code(),
        "200"
    );
    let working = app.spawn_worker();
    let document = four.add_document(&app, "PASSPORT", "SWE", &[b"\xff\xd8 first"]).await;
    assert_eq!(four.extract_text(&app, &document).await["recommendation"]["value"], "MUST_TRY_AGAIN");
    let early = four.end_user_call(&app, "DELETE", "/client-session-token", None).await;
    assert_eq!(early.status_and_code(), "409 SESSION_NOT_READY");
    let again = four
        .upload(&app, "PUT", &format!("/resources/id-documents/{document}/pages/0"), b"\xff\xd8 second")
        .await;
    assert_eq!(again.status_and_code(), "200");
    four.extract_text(&app, &document).await;
    let third = four
        .upload(&app, "PUT", &format!("/resources/id-documents/{document}/pages/0"), b"\xff\xd8 third")
        .await;
    assert_eq!(third.status_and_code(), "409 RESOURCE_LOCKED");
    let configuration = four.end_user_call(&app, "GET", "/configuration", None).await.json();
    let required = &configuration["capture"]["required_resources"][0];
    assert_eq!(
        (&required["state"], &required["attempts_remaining"]),
        (&json!("FULFILLED"), &json!({ "GENERIC": 0, "RECLASSIFICATION": 0 }))
    );
    four.finish(&app).await;
    working.stop().await;
}

#[tokio::test]
async fn each_wrong_member_of_a_configuration_is_reported_with_its_path() {
    let app = TestApp::start().await;
    let path = format!("{SANDBOX}/apps/{}/response-config", app.app);
    for (body, property) in [
        (json!({ "async_report_delay": -1 }), "async_report_delay"),
        (json!({ "check_reports": [] }), "check_reports"),
        (
            json!({ "task_results": { "ID_DOCUMENT_TEXT_DATA_EXTRACTION": [{ "result": { "document_id_photo": { "content_type": "image/gif", "data": "AAAA" } } }] } }),
            "task_results.ID_DOCUMENT_TEXT_DATA_EXTRACTION[0].result.document_id_photo.content_type",
        ),
        (
            json!({ "task_results": { "ID_DOCUMENT_TEXT_DATA_EXTRACTION": [{ "result": { "document_id_photo": { "content_type": "image/png", "data": "§" } } }] } }),
            "task_results.ID_DOCUMENT_TEXT_DATA_EXTRACTION[0].result.document_id_photo.data",
        ),
        (
            json!({ "check_reports": { "THIRD_PARTY_IDENTITY": { "result": { "report_template": "PERHAPS" } } } }),
            "check_reports.THIRD_PARTY_IDENTITY.result.report_template",
        ),
        (
            json!({ "check_reports": { "LIVENESS": [{ "liveness_type": "WINK", "result": { "report_template": "SUCCESS" } }] } }),
            "check_reports.LIVENESS[0].liveness_type",
        ),
        (json!({ "check_reports": { "LIVENESS": [{}] } }), "check_reports.LIVENESS[0].result"),
        (
            json!({ "check_reports": { "ID_DOCUMENT_AUTHENTICITY": [{ "result": { "report": { "recommendation": { "value": "REJECT", "reason": "X" } } } }] } }),
            "check_reports.ID_DOCUMENT_AUTHENTICITY[0].result.report.recommendation.recovery_suggestion",
        ),
        (
            json!({ "task_results": { "ID_DOCUMENT_TEXT_DATA_EXTRACTION": [{ "result": { "document_fields": { "detected_country": "swe" } } }] } }),
            "task_results.ID_DOCUMENT_TEXT_DATA_EXTRACTION[0].result.document_fields.detected_country",
        ),
        (
            json!({ "task_results": { "ID_DOCUMENT_TEXT_DATA_EXTRACTION": [{ "result": { "recommendation": { "value": "PERHAPS" } } }] } }),
            "task_results.ID_DOCUMENT_TEXT_DATA_EXTRACTION[0].result.recommendation.value",
        ),
    ] {
        let answer = relying_party_call(&app, "PUT", &path, Some(body)).await;
        assert_eq!(answer.status_and_code(), "400 PAYLOAD_VALIDATION");
        assert_eq!(answer.json()["errors"][0]["property"], property);
    }
    let foreign = format!("{SANDBOX}/apps/{}/response-config", testkit::unknown_app_id(&*app.environment));
    assert_eq!(relying_party_call(&app, "GET", &foreign, None).await.status_and_code(), "404 APP_NOT_FOUND");
}

#[tokio::test]
async fn what_client_libraries_send_is_understood() {
    let app = TestApp::start().await;
    let path = format!("{SANDBOX}/apps/{}/response-config", app.app);
    let config = json!({
        "task_results": { "ID_DOCUMENT_TEXT_DATA_EXTRACTION": [{
            "document_filter": null,
            "result": {
                "document_fields": { "full_name": "ADA EXAMPLE" },
                "document_id_photo": { "content_type": "image/jpeg", "data": "/9j/4AAQ" },
            },
        }] },
        "check_reports": {
            "THIRD_PARTY_IDENTITY": null,
            "FACE_COMPARISON": { "result": { "report": {
                "recommendation": null, "breakdown": [{ "sub_check": "ai_face_match", "result": "FAIL" }],
            } } },
            "LIVENESS": [{ "result": { "report": { "breakdown": [{ "sub_check": "liveness_auth", "result": "PASS" }] } } }],
        },
    });
    let set = relying_party_call(&app, "PUT", &path, Some(config)).await;
    assert_eq!(set.status_and_code(), "200", "{}", set.json());
    assert!(!set.json().to_string().contains("null"), "{}", set.json());
    let payload = json!({
        "requested_checks": [{ "type": "LIVENESS" }, { "type": "FACE_COMPARISON" }],
        "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }],
    });
    let session = DocumentSessionFixture::create(&app, SANDBOX, &payload).await;
    super::super::sandbox_agent::run_agent(&app, &session).await;
    app.run_due_jobs().await;
    let read = session.read(&app).await;
    let document = &read["resources"]["id_documents"][0];
    let fields = session.media(&app, &document["document_fields"]["media"]).await.json();
    assert_eq!(
        fields,
        json!({ "full_name": "ADA EXAMPLE" }),
        "nothing is invented beside what was configured"
    );
    let portrait = session.media(&app, &document["document_id_photo"]["media"]).await;
    assert_eq!(
        (portrait.header("content-type"), &portrait.body[..]),
        ("image/jpeg", &b"\xff\xd8\xff\xe0\x00\x10"[..])
    );
    let advice = |kind: &str| check(&read, kind)["report"]["recommendation"]["value"].clone();
    assert_eq!((advice("LIVENESS"), advice("FACE_COMPARISON")), (json!("APPROVE"), json!("CONSIDER")));
}

#[tokio::test]
async fn production_takes_no_answers() {
    let app = TestApp::start().await;
    let of_app = format!("{BASE}/apps/{}/response-config", app.app);
    let session = DocumentSessionFixture::create(
        &app,
        BASE,
        &json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] }),
    )
    .await;
    for path in [of_app, session.path("/response-config")] {
        let refused = relying_party_call(&app, "PUT", &path, Some(json!({}))).await;
        assert_eq!(refused.status_and_code(), "403 INSUFFICIENT_PERMISSION");
        assert!(refused.json()["message"].as_str().unwrap().contains("/sandbox"));
        assert_eq!(relying_party_call(&app, "GET", &path, None).await.status_and_code(), "200");
    }
}
