//! `POST /idverify/v1/sessions`

use crate::document_verification::{
    BASE, DocumentSessionFixture, SANDBOX, relying_party_call, row_count, sandbox_agent::full_payload,
    signed_call,
};
use base::SignedDuration;
use serde_json::{Value, json};
use testkit::TestApp;

#[tokio::test]
async fn a_session_is_created() {
    let app = TestApp::start().await;
    let payload = json!({ "requested_checks": [{ "type": "ID_DOCUMENT_AUTHENTICITY" }] });
    assert_response_snapshot!(
        relying_party_call(&app, "POST", &format!("{BASE}/sessions"), Some(payload)).await
    );
}

#[tokio::test]
async fn a_payload_with_several_faults_is_refused() {
    let app = TestApp::start().await;
    let payload = json!({
        "client_session_token_ttl": 59, "resources_ttl": "long", "requested_checks": [{ "type": "GOSSIP" }],
    });
    assert_response_snapshot!(
        relying_party_call(&app, "POST", &format!("{BASE}/sessions"), Some(payload)).await
    );
}

/// Every member of the payload in a wrong form, and the path that is reported.
#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table: a line for each member")]
async fn each_wrong_member_of_a_payload_is_reported_with_its_path() {
    let app = TestApp::start().await;
    let filter =
        |filter: Value| json!({ "required_documents": [{ "type": "ID_DOCUMENT", "filter": filter }] });
    let check = |check: Value| json!({ "requested_checks": [check] });
    for (payload, property) in [
        (json!({ "client_session_token_ttl": 59 }), "client_session_token_ttl"),
        (json!({ "client_session_token_ttl": "600" }), "client_session_token_ttl"),
        (
            json!({ "client_session_token_ttl": 600, "session_deadline": "2026-01-16T15:40:00Z" }),
            "session_deadline",
        ),
        (json!({ "session_deadline": "tomorrow" }), "session_deadline"),
        (json!({ "session_deadline": "2026-01-16T14:00:00Z" }), "session_deadline"),
        (json!({ "resources_ttl": 86699 }), "resources_ttl"),
        (json!({ "client_session_token_ttl": 172_800, "resources_ttl": 172_799 }), "resources_ttl"),
        (json!({ "ttl": 3600 }), "ttl"),
        (json!({ "user_tracking_id": 7 }), "user_tracking_id"),
        (json!({ "block_biometric_consent": "no" }), "block_biometric_consent"),
        (json!({ "ibv_options": { "support": "PERHAPS" } }), "ibv_options.support"),
        (json!({ "notifications": { "topics": ["RESOURCE_UPDATE"] } }), "notifications.endpoint"),
        (json!({ "notifications": { "endpoint": "http://hooks.invalid/x" } }), "notifications.endpoint"),
        (json!({ "notifications": { "endpoint": "https://127.0.0.1/x" } }), "notifications.endpoint"),
        (
            json!({ "notifications": { "endpoint": "https://hooks.test-business.com/x", "topics": ["GOSSIP"] } }),
            "notifications.topics[0]",
        ),
        (
            json!({ "notifications": { "endpoint": "https://hooks.test-business.com/x", "auth_type": "DIGEST" } }),
            "notifications.auth_type",
        ),
        (
            json!({ "notifications": { "endpoint": "https://hooks.test-business.com/x", "auth_token": "a\nb" } }),
            "notifications.auth_token",
        ),
        (json!({ "requested_checks": {} }), "requested_checks"),
        (json!({ "requested_checks": [7] }), "requested_checks[0]"),
        (check(json!({})), "requested_checks[0].type"),
        (check(json!({ "type": "ID_DOCUMENT_TEXT_DATA_CHECK" })), "requested_checks[0].type"),
        (check(json!({ "type": "WATCHLIST_ADVANCED_CA" })), "requested_checks[0].type"),
        (
            check(json!({ "type": "ID_DOCUMENT_AUTHENTICITY", "config": { "manual_check": "IBV" } })),
            "requested_checks[0].config.manual_check",
        ),
        (
            check(
                json!({ "type": "ID_DOCUMENT_AUTHENTICITY", "config": { "issuing_authority_sub_check": { "requested": 1 } } }),
            ),
            "requested_checks[0].config.issuing_authority_sub_check.requested",
        ),
        (
            check(json!({ "type": "LIVENESS", "config": { "liveness_type": "WINK" } })),
            "requested_checks[0].config.liveness_type",
        ),
        (
            check(json!({ "type": "LIVENESS", "config": { "max_retries": 11 } })),
            "requested_checks[0].config.max_retries",
        ),
        (check(json!({ "type": "ID_DOCUMENT_FACE_MATCH" })), "requested_checks[0].type"),
        (check(json!({ "type": "FACE_COMPARISON" })), "requested_checks[0].type"),
        (check(json!({ "type": "ID_DOCUMENT_COMPARISON" })), "requested_checks[0].type"),
        (
            json!({ "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION", "config": { "chip_data": "MAYBE" } }] }),
            "requested_tasks[0].config.chip_data",
        ),
        (
            json!({ "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION", "config": { "manual_check": "SOMETIMES" } }] }),
            "requested_tasks[0].config.manual_check",
        ),
        (json!({ "required_documents": [{ "type": "DIARY" }] }), "required_documents[0].type"),
        (filter(json!({ "type": "SOME_RESTRICTIONS" })), "required_documents[0].filter.type"),
        (
            filter(json!({ "country_restriction": { "country_codes": ["SWE"] } })),
            "required_documents[0].filter.country_restriction.inclusion",
        ),
        (
            filter(json!({ "country_restriction": { "inclusion": "MAYBE", "country_codes": ["SWE"] } })),
            "required_documents[0].filter.country_restriction.inclusion",
        ),
        (
            filter(json!({ "country_restriction": { "inclusion": "INCLUDE", "country_codes": ["XXZ"] } })),
            "required_documents[0].filter",
        ),
        (
            filter(json!({ "type_restriction": { "inclusion": "INCLUDE", "document_types": ["DIARY"] } })),
            "required_documents[0].filter",
        ),
        // The catalogue has no licences of Afghanistan, so nothing is left.
        (
            filter(
                json!({ "country_restriction": { "inclusion": "whitelist", "country_codes": ["AFG"] }, "type_restriction": { "inclusion": "include", "document_types": ["DRIVING_LICENCE"] } }),
            ),
            "required_documents[0].filter",
        ),
        (json!({ "sdk_config": { "primary_colour": "red" } }), "sdk_config.primary_colour"),
        (json!({ "sdk_config": { "font_colour": "#12345" } }), "sdk_config.font_colour"),
        (json!({ "sdk_config": { "locale": "  " } }), "sdk_config.locale"),
        (
            json!({ "sdk_config": { "allowed_capture_methods": "PIGEON" } }),
            "sdk_config.allowed_capture_methods",
        ),
        (json!({ "sdk_config": { "preset_issuing_country": "SE" } }), "sdk_config.preset_issuing_country"),
        (json!({ "sdk_config": { "success_url": "javascript:alert(1)" } }), "sdk_config.success_url"),
        (json!({ "sdk_config": { "error_url": "https://ada@shop.test/sorry" } }), "sdk_config.error_url"),
        (
            json!({ "sdk_config": { "success_url": "myapp://done", "privacy_policy_url": "myapp://privacy" } }),
            "sdk_config.privacy_policy_url",
        ),
        (
            json!({ "sdk_config": { "attempts_configuration": { "ID_DOCUMENT_TEXT_DATA_EXTRACTION": { "GENERIC": "2" } } } }),
            "sdk_config.attempts_configuration.ID_DOCUMENT_TEXT_DATA_EXTRACTION.GENERIC",
        ),
        (json!({ "sdk_config": { "allow_handoff": 1 } }), "sdk_config.allow_handoff"),
        (
            json!({ "identity_profile_requirements": { "trust_framework": "UK_TFIDA", "scheme": { "type": "DBS" } } }),
            "scheme.type",
        ),
        (
            json!({ "identity_profile_requirements": { "trust_framework": "UK_TFIDA", "scheme": { "type": "RTW" } }, "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }] }),
            "requested_tasks",
        ),
    ] {
        let answer =
            relying_party_call(&app, "POST", &format!("{BASE}/sessions"), Some(payload.clone())).await;
        assert_eq!(answer.status_and_code(), "400 PAYLOAD_VALIDATION", "{payload}: {}", answer.json());
        let reported = answer.json()["errors"][0]["property"].as_str().unwrap().to_owned();
        assert!(reported.ends_with(property), "{payload}: {reported}");
    }
    let body = r#"{"requested_checks":[],"required_documents":[{"type":"ID_DOCUMENT"}],"sdk_config":null,"unheard_of":1}"#;
    let answer = signed_call(&app, "POST", &format!("{BASE}/sessions")).body(body).send(&app).await;
    assert_eq!(answer.status_and_code(), "201", "{body}");
    for body in ["", "{}", r#"{"requested_checks":[],"required_documents":null}"#] {
        let answer = signed_call(&app, "POST", &format!("{BASE}/sessions")).body(body).send(&app).await;
        assert_eq!(answer.status_and_code(), "400 PAYLOAD_VALIDATION", "nothing is asked for: {body}");
    }
    for body in ["{", r#"{"user_tracking_id":"a\u0000b"}"#] {
        let answer = signed_call(&app, "POST", &format!("{BASE}/sessions")).body(body).send(&app).await;
        assert_eq!(answer.status_and_code(), "400 MALFORMED_REQUEST", "{body}");
    }
    let list = signed_call(&app, "POST", &format!("{BASE}/sessions")).body("[]").send(&app).await;
    assert_eq!(list.status_and_code(), "400 PAYLOAD_VALIDATION");
}

#[tokio::test]
async fn a_limit_that_is_broken_is_told_with_what_was_measured() {
    let app = TestApp::start().await;
    for (payload, property, measured, limit) in [
        (
            json!({ "client_session_token_ttl": 172_800, "resources_ttl": 172_799 }),
            "resources_ttl",
            172_799.0,
            "at least 172800 seconds",
        ),
        (json!({ "resources_ttl": 86_699 }), "resources_ttl", 86_699.0, "86700 to 31536000"),
        (
            json!({ "session_deadline": "2026-01-16T14:40:59Z" }),
            "session_deadline",
            59.0,
            "60 to 2592000 seconds",
        ),
        (
            json!({ "requested_checks": [{ "type": "LIVENESS", "config": { "max_retries": 11 } }] }),
            "requested_checks[0].config.max_retries",
            11.0,
            "0 to 10",
        ),
        (
            json!({ "sdk_config": { "attempts_configuration": { "ID_DOCUMENT_TEXT_DATA_EXTRACTION": { "GENERIC": -1 } } } }),
            "sdk_config.attempts_configuration.ID_DOCUMENT_TEXT_DATA_EXTRACTION.GENERIC",
            -1.0,
            "0 to 10",
        ),
        (
            json!({ "user_tracking_id": "x".repeat(2049) }),
            "user_tracking_id",
            2049.0,
            "at most 2048 characters",
        ),
    ] {
        let answer =
            relying_party_call(&app, "POST", &format!("{BASE}/sessions"), Some(payload.clone())).await;
        assert_eq!(answer.status_and_code(), "400 PAYLOAD_VALIDATION", "{payload}");
        let error = answer.json()["errors"][0].clone();
        assert_eq!(
            error,
            json!({ "property": property, "message": error["message"], "measured": measured, "limit": limit })
        );
    }
}

#[tokio::test]
async fn everything_wrong_with_a_payload_is_reported_at_once() {
    let app = TestApp::start().await;
    let payload = json!({
        "client_session_token_ttl": 5,
        "notifications": { "endpoint": 7 },
        "requested_checks": ["LIVENESS", null, { "type": "LIVENESS", "config": { "max_retries": 11, "manual_check": "IBV" } }],
        "required_documents": [{ "type": "ID_DOCUMENT", "filter": { "country_restriction": {
            "inclusion": "INCLUDE", "country_codes": ["GBR", 7, "XXZ"],
        } } }],
        "sdk_config": { "success_url": "javascript:alert(1)", "locale": "x".repeat(2049) },
    });
    let answer = relying_party_call(&app, "POST", &format!("{BASE}/sessions"), Some(payload)).await;
    assert_eq!(answer.status_and_code(), "400 PAYLOAD_VALIDATION");
    let errors = answer.json()["errors"].as_array().unwrap().clone();
    let mut reported: Vec<_> = errors.iter().map(|error| error["property"].as_str().unwrap()).collect();
    reported.sort_unstable();
    assert_eq!(
        reported,
        [
            "client_session_token_ttl",
            "notifications.endpoint",
            "requested_checks[0]",
            "requested_checks[2].config.manual_check",
            "requested_checks[2].config.max_retries",
            "required_documents[0].filter.country_restriction.country_codes[1]",
            "sdk_config.locale",
            "sdk_config.success_url",
        ]
    );
}

#[tokio::test]
async fn older_names_and_any_case_of_enum_values_are_accepted() {
    let app = TestApp::start().await;
    let payload = json!({
        "requested_checks": [{ "type": "id_document_authenticity", "config": { "manual_check": "Never" } }],
        "required_documents": [{ "type": "id_document", "filter": {
            "type": "orthogonal_restrictions",
            "country_restriction": { "inclusion": "Blacklist", "country_codes": ["swe"] },
        } }],
        "sdk_config": { "enable_handoff": true, "allowed_capture_methods": "camera" },
    });
    let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
    let read = session.end_user_call(&app, "GET", "/configuration", None).await.json();
    assert_eq!(read["sdk_config"]["allow_handoff"], true);
    let required = &read["capture"]["required_resources"][0];
    assert_eq!(required["allowed_capture_methods"], "CAMERA");
    let countries = required["supported_countries"].as_array().unwrap();
    assert!(countries.len() > 100 && countries.iter().all(|country| country["code"] != "SWE"));
    let refused = json!({ "document_type": "PASSPORT", "issuing_country": "SWE" });
    let refused = session.end_user_call(&app, "POST", "/resources/id-documents", Some(refused)).await;
    assert_eq!(
        (refused.status_and_code().as_str(), &refused.json()["errors"][0]["property"]),
        ("400 PAYLOAD_VALIDATION", &json!("document_type"))
    );
}

#[tokio::test]
async fn a_created_session_has_the_address_of_its_page() {
    let app = TestApp::start().await;
    for base in [BASE, SANDBOX] {
        let made =
            relying_party_call(&app, "POST", &format!("{base}/sessions"), Some(full_payload())).await.json();
        let text = |name: &str| made[name].as_str().unwrap();
        let page = format!("{}{base}/web/index.html", app.api.settings.public_url);
        let (id, token) = (text("session_id"), text("client_session_token"));
        assert_eq!(text("url"), format!("{page}?sessionID={id}&sessionToken={token}"));
    }
}

#[tokio::test]
async fn a_session_repeated_with_its_idempotency_key_is_created_once() {
    let app = TestApp::start().await;
    let path = format!("{BASE}/sessions");
    let make = async |body: &str| {
        signed_call(&app, "POST", &path).header("Idempotency-Key", "order 7").body(body).send(&app).await
    };
    let body = r#"{"required_documents":[{"type":"ID_DOCUMENT"}]}"#;
    let (first, again) = (make(body).await, make(body).await);
    assert_eq!((first.status_and_code().as_str(), &first.body), ("201", &again.body));
    assert_eq!(
        make(r#"{"required_documents":[{"type":"SUPPLEMENTARY_DOCUMENT"}]}"#).await.status_and_code(),
        "409 IDEMPOTENCY_KEY_REUSED"
    );

    // The resources of end users are idempotent, too: a repeat creates nothing.
    let payload = json!({ "requested_checks": [{ "type": "LIVENESS", "config": { "max_retries": 0 } }] });
    let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
    session.consent(&app).await;
    let begin = async |body: &str| {
        let request = axum::http::Request::post(session.path("/resources/liveness/static"))
            .header("X-Svc-Auth-Token", &session.token)
            .header("Idempotency-Key", "a capture")
            .body(axum::body::Body::from(body.to_owned()));
        app.send(request.unwrap()).await
    };
    let (first, again) = (begin("{}").await, begin("{}").await);
    assert_eq!((first.status_and_code().as_str(), &first.body), ("201", &again.body));
    assert_eq!(begin(r#"{"requirement_id":"x"}"#).await.status_and_code(), "409 IDEMPOTENCY_KEY_REUSED");
    let second = session.end_user_call(&app, "POST", "/resources/liveness/static", None).await;
    assert_ne!(second.json()["id"], first.json()["id"], "that is another capture");
}

#[tokio::test]
async fn a_session_repeated_with_its_idempotency_key_is_answered_though_its_deadline_has_come_near() {
    let app = TestApp::start().await;
    let path = format!("{BASE}/sessions");
    let make = async |key: &str| {
        let payload = json!({
            "session_deadline": "2026-01-16T14:42:00Z", "required_documents": [{ "type": "ID_DOCUMENT" }],
        });
        signed_call(&app, "POST", &path).header("Idempotency-Key", key).json(&payload).send(&app).await
    };
    let first = make("a").await;
    assert_eq!(first.status_and_code(), "201", "{}", first.json());
    app.environment.advance(SignedDuration::from_secs(65));
    let again = make("a").await;
    assert_eq!((again.status, &again.body), (first.status, &first.body));
    assert_eq!(make("b").await.status_and_code(), "400 PAYLOAD_VALIDATION");
    assert_eq!(row_count(&app, db::sql!("SELECT count(*) FROM identity_sessions")).await, 1);
}
