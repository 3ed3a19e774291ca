//! The sandbox: the same operations, with configured answers.

use super::{BASE, SANDBOX, Session, business, check};
use base::SignedDuration;
use serde_json::{Value, json};
use testkit::TestApp;

fn everything() -> Value {
    json!({
        "requested_checks": [
            { "type": "ID_DOCUMENT_AUTHENTICITY", "config": { "manual_check": "fallback" } },
            { "type": "liveness", "config": { "liveness_type": "zoom", "max_retries": 2 } },
            { "type": "ID_DOCUMENT_FACE_MATCH" },
            { "type": "ID_DOCUMENT_COMPARISON" },
        ],
        "requested_tasks": [
            { "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" },
            { "type": "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_EXTRACTION" },
        ],
        "required_documents": [{ "type": "ID_DOCUMENT" }, { "type": "SUPPLEMENTARY_DOCUMENT" }],
    })
}

async fn play(app: &TestApp, session: &Session) -> Value {
    let working = app.spawn_worker();
    let played = business(app, "POST", &session.path("/agent"), Some(json!({}))).await;
    working.stop().await;
    assert_eq!(played.status_and_code(), "200", "{}", played.json());
    played.json()
}

#[tokio::test]
async fn creating_a_session_answers_with_the_address_of_its_page() {
    let app = TestApp::start().await;
    for base in [BASE, SANDBOX] {
        let made = business(&app, "POST", &format!("{base}/sessions"), Some(everything())).await.json();
        let text = |name: &str| made[name].as_str().unwrap();
        let page = format!("{}{base}/web/index.html", app.api.settings.public_url);
        let (id, token) = (text("session_id"), text("client_session_token"));
        assert_eq!(text("url"), format!("{page}?sessionID={id}&sessionToken={token}"));
    }
}

#[tokio::test]
async fn everything_approves_where_nothing_else_is_said() {
    let app = TestApp::start().await;
    let session = Session::new(&app, SANDBOX, &everything()).await;
    assert_eq!(play(&app, &session).await["outcome"], "FINISHED");
    app.api.document_verification.sweep().await.unwrap();
    app.run_due_jobs().await;
    let read = session.read(&app).await;
    assert_eq!(read["state"], "COMPLETED");
    assert_eq!(read["checks"].as_array().unwrap().len(), 6, "{}", read["checks"]);
    for check in read["checks"].as_array().unwrap() {
        assert_eq!(
            (&check["state"], &check["report"]["recommendation"]["value"]),
            (&json!("DONE"), &json!("APPROVE"))
        );
    }
    let document = &read["resources"]["id_documents"][0];
    let fields = session.media(&app, &document["document_fields"]["media"]).await;
    assert_eq!(fields.header("content-type"), "application/json");
    assert_eq!(fields.json()["full_name"], "SANDBOX EXAMPLE");
    assert_eq!(read["resources"]["liveness_capture"][0]["frames"].as_array().unwrap().len(), 3);

    // Production does not find it, and the other way round.
    let elsewhere = business(&app, "GET", &format!("{BASE}/sessions/{}", session.id), None).await;
    assert_eq!(elsewhere.status_and_code(), "404 SESSION_NOT_FOUND");
    let mine = Session::new(&app, BASE, &json!({})).await;
    let elsewhere = business(&app, "GET", &format!("{SANDBOX}/sessions/{}", mine.id), None).await;
    assert_eq!(elsewhere.status_and_code(), "404 SESSION_NOT_FOUND");
    assert_eq!(
        business(&app, "POST", &mine.path("/agent"), Some(json!({}))).await.status_and_code(),
        "404 SESSION_NOT_FOUND"
    );
}

#[tokio::test]
async fn the_first_item_whose_filter_fits_counts_and_the_session_is_asked_first() {
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
    assert_eq!(business(&app, "PUT", &path, Some(of_app.clone())).await.status_and_code(), "200");
    assert_eq!(business(&app, "GET", &path, None).await.json(), of_app);
    let payload = json!({
        "requested_checks": [{ "type": "ID_DOCUMENT_AUTHENTICITY" }],
        "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }],
    });
    let tried = async |session: &Session, country: &str| {
        let working = app.spawn_worker();
        let document = session.document(&app, "PASSPORT", country, &[b"\xff\xd8 no more is looked at"]).await;
        let task = session.extract(&app, &document).await;
        session.finish(&app).await;
        working.stop().await;
        app.run_due_jobs().await;
        let read = session.read(&app).await;
        (task, check(&read, "ID_DOCUMENT_AUTHENTICITY")["report"]["recommendation"].clone(), read)
    };

    let one = Session::new(&app, SANDBOX, &payload).await;
    let (task, advice, read) = tried(&one, "SWE").await;
    assert_eq!(task["recommendation"]["value"], "SHOULD_TRY_AGAIN");
    assert_eq!(task["recommendation"]["reason"], json!({ "value": "QUALITY", "detail": "GLARE" }));
    assert_eq!((&advice["value"], &advice["reason"]), (&json!("REJECT"), &json!("TAMPERED")));
    let fields = &read["resources"]["id_documents"][0]["document_fields"]["media"];
    assert_eq!(one.media(&app, fields).await.json()["detected_country"], "NOR");

    let two = Session::new(&app, SANDBOX, &payload).await;
    assert_eq!(tried(&two, "FIN").await.1["value"], "CONSIDER");

    let three = Session::new(&app, SANDBOX, &payload).await;
    let own = json!({
        "check_reports": {
            "ID_DOCUMENT_AUTHENTICITY": [{ "result": { "report_template": "SUCCESS" } }],
            "async_report_delay": 30,
        },
    });
    assert_eq!(
        business(&app, "PUT", &three.path("/response-config"), Some(own.clone())).await.status_and_code(),
        "200"
    );
    assert_eq!(business(&app, "GET", &three.path("/response-config"), None).await.json(), own);
    let before = base::Environment::now(&*app.world);
    assert_eq!(tried(&three, "SWE").await.1["value"], "APPROVE");
    let waited = base::Environment::now(&*app.world).duration_since(before);
    assert!(waited >= SignedDuration::from_secs(30), "the reports were kept waiting, {waited}");

    // An end user is told to try again as long as there are attempts.
    let must = json!({ "task_results": { "ID_DOCUMENT_TEXT_DATA_EXTRACTION": [
        { "result": { "recommendation": { "value": "MUST_TRY_AGAIN", "reason": { "value": "USER_ERROR" } } } }] } });
    let mut payload = payload.clone();
    payload["sdk_config"] =
        json!({ "attempts_configuration": { "ID_DOCUMENT_TEXT_DATA_EXTRACTION": { "GENERIC": 1 } } });
    let four = Session::new(&app, SANDBOX, &payload).await;
    assert_eq!(
        business(&app, "PUT", &four.path("/response-config"), Some(must)).await.status_and_code(),
        "200"
    );
    let working = app.spawn_worker();
    let document = four.document(&app, "PASSPORT", "SWE", &[b"\xff\xd8 first"]).await;
    assert_eq!(four.extract(&app, &document).await["recommendation"]["value"], "MUST_TRY_AGAIN");
    let early = four.call(&app, "DELETE", "/client-session-token", None).await;
    assert_eq!(early.status_and_code(), "409 SESSION_NOT_READY");
    let again = four
        .put(&app, "PUT", &format!("/resources/id-documents/{document}/pages/0"), b"\xff\xd8 second")
        .await;
    assert_eq!(again.status_and_code(), "200");
    four.extract(&app, &document).await;
    let third = four
        .put(&app, "PUT", &format!("/resources/id-documents/{document}/pages/0"), b"\xff\xd8 third")
        .await;
    assert_eq!(third.status_and_code(), "409 RESOURCE_LOCKED");
    let configuration = four.call(&app, "GET", "/configuration", None).await.json();
    let required = &configuration["capture"]["required_resources"][0];
    assert_eq!((&required["state"], &required["attempts_remaining"]), (&json!("FULFILLED"), &json!(0)));
    four.finish(&app).await;
    working.stop().await;
}

#[tokio::test]
async fn what_a_configuration_says_wrongly_is_told_with_its_path() {
    let app = TestApp::start().await;
    let path = format!("{SANDBOX}/apps/{}/response-config", app.app);
    for (body, property) in [
        (json!({ "async_report_delay": -1 }), "async_report_delay"),
        (json!({ "check_reports": [] }), "check_reports"),
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
        let answer = business(&app, "PUT", &path, Some(body)).await;
        assert_eq!(answer.status_and_code(), "400 PAYLOAD_VALIDATION");
        assert_eq!(answer.json()["errors"][0]["property"], property);
    }
    let foreign = format!("{SANDBOX}/apps/{}/response-config", testkit::unknown_app_id(&*app.world));
    assert_eq!(business(&app, "GET", &foreign, None).await.status_and_code(), "404 APP_NOT_FOUND");
}
