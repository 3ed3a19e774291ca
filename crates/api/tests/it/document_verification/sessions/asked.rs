//! What a session may ask for, and that each thing that it asks for has an effect.

use crate::document_verification::{BASE, DocumentSessionFixture, SANDBOX, check, relying_party_call};
use serde_json::{Value, json};
use testkit::{TestApp, TestResponse};

/// The answer to a payload; one that only asks for a detail gets a document to ask for.
async fn create(app: &TestApp, mut payload: Value) -> TestResponse {
    let asks = ["requested_checks", "requested_tasks", "required_documents", "identity_profile_requirements"];
    if asks.iter().all(|name| payload.get(name).is_none()) {
        payload["required_documents"] = json!([{ "type": "ID_DOCUMENT" }]);
    }
    relying_party_call(app, "POST", &format!("{SANDBOX}/sessions"), Some(payload)).await
}

#[tokio::test]
async fn what_cannot_be_done_is_refused_by_name() {
    let app = TestApp::start().await;
    let task = |config: Value| json!({ "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION", "config": config }] });
    let check = |check: Value| {
        let face = json!({ "type": "LIVENESS", "config": { "liveness_type": "ZOOM" } });
        json!({ "requested_checks": [face, check] })
    };
    let letter = |more: Value| {
        let mut letter = json!({ "type": "SUPPLEMENTARY_DOCUMENT" });
        letter.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({ "required_documents": [letter] })
    };
    let filter = json!({ "country_restriction": { "inclusion": "INCLUDE", "country_codes": ["SWE"] } });
    for (payload, property) in [
        (json!({ "required_documents": [] }), "requested_checks"),
        (
            json!({ "advanced_identity_profile_requirements": { "profiles": [{ "trust_framework": "UK_TFIDA" }] } }),
            "advanced_identity_profile_requirements",
        ),
        (json!({ "subject": { "subject_id": "a-person" } }), "subject"),
        (json!({ "ttl": 3600 }), "ttl"),
        (json!({ "import_token": { "ttl": 3600 } }), "import_token"),
        (json!({ "ephemeral_media": true }), "ephemeral_media"),
        (json!({ "create_identity_profile_preview": true }), "create_identity_profile_preview"),
        (json!({ "resources": { "applicant_profile": { "full_name": "Ada" } } }), "resources"),
        (json!({ "ibv_options": { "support": "MANDATORY" } }), "ibv_options.support"),
        (
            json!({ "ibv_options": { "support": "NOT_ALLOWED", "guidance_url": "https://a.test" } }),
            "ibv_options.guidance_url",
        ),
        (
            json!({ "ibv_options": { "user_price": { "amount": "1", "currency": "GBP" } } }),
            "ibv_options.user_price",
        ),
        (task(json!({ "chip_data": "DESIRED" })), "requested_tasks[0].config.chip_data"),
        (
            task(json!({ "create_expanded_document_fields": true })),
            "requested_tasks[0].config.create_expanded_document_fields",
        ),
        (json!({ "sdk_config": { "brand_id": "some-brand" } }), "sdk_config.brand_id"),
        (json!({ "sdk_config": { "dark_mode": "DUSK" } }), "sdk_config.dark_mode"),
        (
            json!({ "sdk_config": { "primary_colour_dark_mode": "red" } }),
            "sdk_config.primary_colour_dark_mode",
        ),
        (json!({ "sdk_config": { "biometric_consent_flow": "LATE" } }), "sdk_config.biometric_consent_flow"),
        (
            json!({ "sdk_config": { "attempts_configuration": { "LIVENESS": { "GENERIC": 1 } } } }),
            "sdk_config.attempts_configuration.LIVENESS",
        ),
        (
            json!({ "sdk_config": { "attempts_configuration": { "ID_DOCUMENT_TEXT_DATA_EXTRACTION": { "WEEKEND": 1 } } } }),
            "sdk_config.attempts_configuration.ID_DOCUMENT_TEXT_DATA_EXTRACTION.WEEKEND",
        ),
        (
            check(json!({ "type": "FACE_COMPARISON", "config": { "filter": filter } })),
            "requested_checks[1].filter",
        ),
        (
            check(
                json!({ "type": "LIVENESS", "config": { "issuing_authority_sub_check": { "requested": true } } }),
            ),
            "requested_checks[1].config.issuing_authority_sub_check",
        ),
        (letter(json!({ "filter": filter })), "required_documents[0].filter"),
        (
            letter(json!({ "objective": { "type": "PROOF_OF_WEALTH" } })),
            "required_documents[0].objective.type",
        ),
        (letter(json!({ "document_types": ["a bill"] })), "required_documents[0].document_types[0]"),
        (letter(json!({ "country_codes": ["XXZ"] })), "required_documents[0].country_codes"),
        (
            json!({ "required_documents": [{ "type": "ID_DOCUMENT", "country_codes": ["SWE"] }] }),
            "required_documents[0].country_codes",
        ),
    ] {
        let answer = create(&app, payload.clone()).await;
        assert_eq!(answer.status_and_code(), "400 PAYLOAD_VALIDATION", "{payload}: {}", answer.json());
        let errors = answer.json()["errors"].clone();
        assert_eq!(
            (&errors[0]["property"], errors.as_array().unwrap().len()),
            (&json!(property), 1),
            "{errors}"
        );
    }
}

#[tokio::test]
async fn what_asks_for_nothing_is_accepted() {
    let app = TestApp::start().await;
    let letter = json!({
        "type": "SUPPLEMENTARY_DOCUMENT", "filter": { "type": "ORTHOGONAL_RESTRICTIONS" }, "objective": null,
        "document_types": [], "country_codes": null,
    });
    for payload in [
        json!({ "advanced_identity_profile_requirements": null, "subject": {}, "ttl": null, "import_token": null }),
        json!({ "ephemeral_media": false, "create_identity_profile_preview": false, "resources": {} }),
        json!({ "ibv_options": { "support": "not_allowed", "guidance_url": "", "user_price": null } }),
        json!({ "sdk_config": { "brand_id": "", "attempts_configuration": {}, "dark_mode": null } }),
        json!({ "requested_tasks": [{
            "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION",
            "config": { "chip_data": "IGNORE", "create_expanded_document_fields": false },
        }] }),
        json!({ "required_documents": [letter] }),
    ] {
        let answer = create(&app, payload.clone()).await;
        assert_eq!(answer.status_and_code(), "201", "{payload}: {}", answer.json());
        assert!(answer.json()["session_deadline"].is_string(), "{}", answer.json());
    }
}

/// A session of the sandbox whose person has supplied this document and finished.
async fn finished_with(app: &TestApp, payload: &Value, kind: &str, country: &str) -> Value {
    let session = DocumentSessionFixture::create(app, SANDBOX, payload).await;
    session.add_document(app, kind, country, &[b"\xff\xd8 page"]).await;
    session.finish(app).await;
    app.run_due_jobs().await;
    let read = session.read(app).await;
    assert_eq!(read["state"], "COMPLETED");
    read
}

#[tokio::test]
async fn the_filter_of_a_sub_check_leaves_the_check_to_all_documents() {
    let app = TestApp::start().await;
    let british = json!({ "country_restriction": { "inclusion": "WHITELIST", "country_codes": ["GBR"] } });
    let payload = json!({ "requested_checks": [{
        "type": "ID_DOCUMENT_AUTHENTICITY",
        "config": { "issuing_authority_sub_check": { "requested": true, "filter": british } },
    }] });
    let read = finished_with(&app, &payload, "NATIONAL_ID", "DEU").await;
    assert_eq!(check(&read, "ID_DOCUMENT_AUTHENTICITY")["resources_used"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_check_that_nothing_falls_under_is_not_left_without_an_outcome() {
    let app = TestApp::start().await;
    let only = |inclusion: &str| {
        json!({
            "type": "ID_DOCUMENT_AUTHENTICITY",
            "config": { "filter": { "country_restriction": { "inclusion": inclusion, "country_codes": ["GBR"] } } },
        })
    };
    let payload = json!({ "requested_checks": [only("INCLUDE")] });
    let read = finished_with(&app, &payload, "NATIONAL_ID", "DEU").await;
    let report = &check(&read, "ID_DOCUMENT_AUTHENTICITY")["report"];
    assert_eq!(report["recommendation"]["value"], "NOT_AVAILABLE", "{read}");
    assert_eq!(report["recommendation"]["reason"], "NO_DOCUMENT");

    // One of two checks that divide the documents between them is made; that is an outcome.
    let payload = json!({ "requested_checks": [only("INCLUDE"), only("EXCLUDE")] });
    let read = finished_with(&app, &payload, "NATIONAL_ID", "DEU").await;
    assert_eq!(read["checks"].as_array().unwrap().len(), 1, "{read}");
    assert_eq!(read["checks"][0]["report"]["recommendation"]["value"], "APPROVE");
}

#[tokio::test]
async fn a_filter_may_list_combinations_and_words_that_nobody_knows() {
    let app = TestApp::start().await;
    let countries_of = async |filter: Value| {
        let payload = json!({ "required_documents": [{ "type": "ID_DOCUMENT", "filter": filter }] });
        let session = DocumentSessionFixture::create(&app, SANDBOX, &payload).await;
        let read = session.end_user_call(&app, "GET", "/configuration", None).await.json();
        let countries =
            read["capture"]["required_resources"][0]["supported_countries"].as_array().unwrap().clone();
        let of = |country: &Value| {
            let documents = country["supported_documents"].as_array().unwrap().iter();
            let types: Vec<_> = documents.map(|document| document["type"].as_str().unwrap()).collect();
            format!("{} {}", country["code"].as_str().unwrap(), types.join("+"))
        };
        countries.iter().map(of).collect::<Vec<_>>()
    };
    let listed = json!([
        { "country_codes": ["deu"], "document_types": ["passport", "STATE_ID"] },
        { "country_codes": ["SWE", "XXZ"], "document_types": ["NATIONAL_ID"] },
    ]);
    let included = countries_of(
        json!({ "type": "DOCUMENT_RESTRICTIONS", "inclusion": "WHITELIST", "documents": listed }),
    );
    assert_eq!(included.await, ["DEU PASSPORT", "SWE NATIONAL_ID"]);
    let excluded = countries_of(
        json!({ "type": "DOCUMENT_RESTRICTIONS", "inclusion": "blacklist", "documents": listed }),
    );
    let excluded = excluded.await;
    assert!(excluded.len() > 100, "{}", excluded.len());
    assert!(excluded.iter().all(|one| !one.starts_with("DEU PASSPORT") && one != "SWE NATIONAL_ID"));
    let words = countries_of(json!({
        "type_restriction": { "inclusion": "EXCLUDE", "document_types": ["PASSPORT", "PASS_CARD"] },
        "country_restriction": { "inclusion": "INCLUDE", "country_codes": ["DEU", "XXZ"] },
    }));
    assert!(words.await.iter().all(|one| one.starts_with("DEU ") && !one.contains("PASSPORT")));

    for (filter, property) in [
        (json!({ "type_restriction": { "inclusion": "INCLUDE", "document_types": ["STATE_ID"] } }), ""),
        (
            json!({ "type": "DOCUMENT_RESTRICTIONS", "inclusion": "INCLUDE", "documents": [{ "country_codes": ["XXZ"] }] }),
            "",
        ),
        (json!({ "type": "DOCUMENT_RESTRICTIONS", "documents": listed }), ".inclusion"),
        (json!({ "documents": listed, "inclusion": "INCLUDE" }), ".documents"),
        (
            json!({ "type": "DOCUMENT_RESTRICTIONS", "country_restriction": { "inclusion": "INCLUDE", "country_codes": ["SWE"] } }),
            ".country_restriction",
        ),
    ] {
        let payload = json!({ "required_documents": [{ "type": "ID_DOCUMENT", "filter": filter }] });
        let answer = create(&app, payload).await;
        assert_eq!(answer.status_and_code(), "400 PAYLOAD_VALIDATION", "{filter}");
        let named = format!("required_documents[0].filter{property}");
        assert_eq!(answer.json()["errors"][0]["property"], named, "{filter}");
    }
}

#[tokio::test]
async fn a_supplementary_document_must_be_of_a_type_and_country_that_was_asked_for() {
    let app = TestApp::start().await;
    let payload = json!({ "required_documents": [{
        "type": "SUPPLEMENTARY_DOCUMENT", "objective": { "type": "proof_of_address" },
        "document_types": ["utility_bill", "PHONE_BILL"], "country_codes": ["gbr"],
    }] });
    let session = DocumentSessionFixture::create(&app, SANDBOX, &payload).await;
    let read = session.end_user_call(&app, "GET", "/configuration", None).await.json();
    let required = &read["capture"]["required_resources"][0];
    assert_eq!(required["document_types"], json!(["UTILITY_BILL", "PHONE_BILL"]));
    assert_eq!(required["country_codes"], json!(["GBR"]));
    assert_eq!(required["objective"], json!({ "type": "PROOF_OF_ADDRESS" }));

    let add = async |body: Value| {
        session.end_user_call(&app, "POST", "/resources/supplementary-documents", Some(body)).await
    };
    for (body, property) in [
        (json!({}), "document_type"),
        (json!({ "document_type": "CINEMA_TICKET", "issuing_country": "GBR" }), "document_type"),
        (json!({ "document_type": "PHONE_BILL", "issuing_country": "FRA" }), "issuing_country"),
        (json!({ "document_type": "PHONE_BILL" }), "issuing_country"),
    ] {
        let refused = add(body.clone()).await;
        assert_eq!(refused.status_and_code(), "400 PAYLOAD_VALIDATION", "{body}");
        assert_eq!(refused.json()["errors"][0]["property"], property, "{body}");
    }
    let added = add(json!({ "document_type": "phone_bill", "issuing_country": "gbr" })).await;
    assert_eq!(added.status_and_code(), "201");
    assert_eq!(
        (&added.json()["document_type"], &added.json()["issuing_country"]),
        (&json!("PHONE_BILL"), &json!("GBR"))
    );
}

#[tokio::test]
async fn attempts_are_counted_by_task_and_by_reason() {
    let app = TestApp::start().await;
    let payload = json!({
        "requested_tasks": [
            { "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }, { "type": "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_EXTRACTION" },
        ],
        "sdk_config": { "attempts_configuration": {
            "ID_DOCUMENT_TEXT_DATA_EXTRACTION": { "generic": 1, "RECLASSIFICATION": 1 },
            "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_EXTRACTION": { "GENERIC": 5 },
        } },
    });
    let session = DocumentSessionFixture::create(&app, SANDBOX, &payload).await;
    let remaining = async |at: usize| {
        let read = session.end_user_call(&app, "GET", "/configuration", None).await.json();
        read["capture"]["required_resources"][at]["attempts_remaining"].clone()
    };
    assert_eq!(remaining(0).await, json!({ "GENERIC": 2, "RECLASSIFICATION": 1 }));
    assert_eq!(remaining(1).await, json!({ "GENERIC": 6, "RECLASSIFICATION": 2 }));

    let working = app.spawn_worker();
    let answer_with = async |value: &str, detail: &str| {
        let config = json!({ "task_results": { "ID_DOCUMENT_TEXT_DATA_EXTRACTION": [{ "result": { "recommendation": {
            "value": value, "reason": { "value": "USER_ERROR", "detail": detail },
        } } }] } });
        let set = relying_party_call(&app, "PUT", &session.path("/response-config"), Some(config)).await;
        assert_eq!(set.status_and_code(), "200");
    };
    answer_with("MUST_TRY_AGAIN", "INCORRECT_DOCUMENT_TYPE").await;
    let first = session.add_document(&app, "PASSPORT", "SWE", &[b"\xff\xd8 first"]).await;
    session.extract_text(&app, &first).await;
    assert_eq!(
        remaining(0).await,
        json!({ "GENERIC": 2, "RECLASSIFICATION": 0 }),
        "it is no general attempt"
    );
    answer_with("MUST_TRY_AGAIN", "GLARE_OBSTRUCTION").await;
    let second = session.add_document(&app, "PASSPORT", "SWE", &[b"\xff\xd8 second"]).await;
    session.extract_text(&app, &second).await;
    assert_eq!(remaining(0).await, json!({ "GENERIC": 1, "RECLASSIFICATION": 0 }));
    answer_with("MUST_TRY_AGAIN", "DOCUMENT_NOT_SUPPORTED").await;
    let third = session.add_document(&app, "PASSPORT", "SWE", &[b"\xff\xd8 third"]).await;
    session.extract_text(&app, &third).await;
    assert_eq!(
        remaining(0).await,
        json!({ "GENERIC": 0, "RECLASSIFICATION": 0 }),
        "none is left for that reason"
    );
    let body = json!({ "document_type": "PASSPORT", "issuing_country": "SWE" });
    let fourth = session.end_user_call(&app, "POST", "/resources/id-documents", Some(body)).await;
    assert_eq!(fourth.status_and_code(), "409 RESOURCE_LOCKED");
    working.stop().await;
}

#[tokio::test]
async fn a_scheme_has_a_result_once_its_session_has_ended() {
    let app = TestApp::start().await;
    let payload = json!({
        "identity_profile_requirements": { "trust_framework": "UK_TFIDA", "scheme": { "type": "RTW" } },
        "subject": { "subject_id": "a-person" },
    });
    let run = async |config: Value| {
        let session = DocumentSessionFixture::create(&app, SANDBOX, &payload).await;
        let set = relying_party_call(&app, "PUT", &session.path("/response-config"), Some(config)).await;
        assert_eq!(set.status_and_code(), "200", "{}", set.json());
        assert!(session.read(&app).await.get("identity_profile").is_none(), "it has no result yet");
        crate::document_verification::sandbox_agent::run_agent(&app, &session).await;
        app.run_due_jobs().await;
        session.read(&app).await
    };
    let met = run(json!({})).await;
    let fields = met["resources"]["id_documents"][0]["document_fields"]["media"].clone();
    assert_eq!(
        met["identity_profile"],
        json!({
            "subject_id": "a-person", "result": "DONE",
            "identity_profile_report": {
                "trust_framework": "UK_TFIDA", "media": fields,
                "schemes_compliance": [{ "scheme": { "type": "RTW" }, "requirements_met": true }],
            },
        })
    );
    let rejected = json!({ "result": { "report": { "recommendation": {
        "value": "REJECT", "reason": "LIVENESS_NOT_PROVEN", "recovery_suggestion": "RETAKE_FACE_CAPTURE",
    } } } });
    let unmet = run(json!({ "check_reports": { "LIVENESS": [rejected] } })).await;
    assert_eq!(
        unmet["identity_profile"],
        json!({
            "subject_id": "a-person", "result": "ABORTED",
            "failure_reason": {
                "reason_code": "MISSING_LIVENESS",
                "requirements_not_met_details": [{
                    "failure_type": "LIVENESS", "details": "LIVENESS_NOT_PROVEN", "document_type": "",
                    "document_country_iso_code": "", "audit_id": check(&unmet, "LIVENESS")["id"],
                }],
            },
        })
    );
}

#[tokio::test]
async fn the_configuration_of_a_page_is_handed_on() {
    let app = TestApp::start().await;
    let sdk = json!({
        "dark_mode": "on", "primary_colour_dark_mode": "#abcdef", "biometric_consent_flow": "just_in_time",
    });
    let payload = json!({ "requested_checks": [{ "type": "LIVENESS" }], "sdk_config": sdk });
    let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
    let read = session.end_user_call(&app, "GET", "/configuration", None).await.json();
    let config = &read["sdk_config"];
    assert_eq!(
        (&config["dark_mode"], &config["biometric_consent_flow"]),
        (&json!("ON"), &json!("JUST_IN_TIME"))
    );
    assert_eq!(config["primary_colour_dark_mode"], "#abcdef");
}
