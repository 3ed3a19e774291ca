//! Refusals, and how they are reported.

use super::{BASE, FORM, SANDBOX, Session, business, form, signed};
use axum::{body::Body, http::Request};
use base::{Environment as _, SignedDuration};
use domain::tenancy::{
    ApplicationState, Feature, OrganisationStatus, applications, organisations, tokens::TokenScope,
};
use serde_json::{Value, json};
use std::{num::NonZeroU32, sync::Arc};
use testkit::{SignedCall, TestApp};

/// Every member of the payload in a wrong form, and the path that is reported.
#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table: a line for each member")]
async fn each_wrong_member_of_a_payload_is_told_with_its_path() {
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
        (json!({ "ttl": 0 }), "ttl"),
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
        (check(json!({ "type": "THIRD_PARTY_IDENTITY" })), "requested_checks[0].type"),
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
        (filter(json!({ "type": "DOCUMENT_RESTRICTIONS" })), "required_documents[0].filter.type"),
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
            "required_documents[0].filter.country_restriction.country_codes[0]",
        ),
        (
            filter(json!({ "type_restriction": { "inclusion": "INCLUDE", "document_types": ["DIARY"] } })),
            "required_documents[0].filter.type_restriction.document_types[0]",
        ),
        // The catalogue has no such licences of Sweden, so nothing is left.
        (
            filter(
                json!({ "country_restriction": { "inclusion": "whitelist", "country_codes": ["SWE"] }, "type_restriction": { "inclusion": "include", "document_types": ["DRIVING_LICENCE"] } }),
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
        let answer = business(&app, "POST", &format!("{BASE}/sessions"), Some(payload.clone())).await;
        assert_eq!(answer.status_and_code(), "400 PAYLOAD_VALIDATION", "{payload}: {}", answer.json());
        let told = answer.json()["errors"][0]["property"].as_str().unwrap().to_owned();
        assert!(told.ends_with(property), "{payload}: {told}");
    }
    for body in ["", "{}", r#"{"requested_checks":[],"required_documents":null,"unheard_of":1}"#] {
        let answer = signed(&app, "POST", &format!("{BASE}/sessions")).body(body).send(&app).await;
        assert_eq!(answer.status_and_code(), "201", "{body}");
    }
    for body in ["{", r#"{"user_tracking_id":"a\u0000b"}"#] {
        let answer = signed(&app, "POST", &format!("{BASE}/sessions")).body(body).send(&app).await;
        assert_eq!(answer.status_and_code(), "400 MALFORMED_REQUEST", "{body}");
    }
    let list = signed(&app, "POST", &format!("{BASE}/sessions")).body("[]").send(&app).await;
    assert_eq!(list.status_and_code(), "400 PAYLOAD_VALIDATION");
}

#[tokio::test]
async fn everything_that_is_wrong_with_a_payload_is_told_at_once() {
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
    let answer = business(&app, "POST", &format!("{BASE}/sessions"), Some(payload)).await;
    assert_eq!(answer.status_and_code(), "400 PAYLOAD_VALIDATION");
    let errors = answer.json()["errors"].as_array().unwrap().clone();
    let mut told: Vec<_> = errors.iter().map(|error| error["property"].as_str().unwrap()).collect();
    told.sort_unstable();
    assert_eq!(
        told,
        [
            "client_session_token_ttl",
            "notifications.endpoint",
            "requested_checks[0]",
            "requested_checks[2].config.manual_check",
            "requested_checks[2].config.max_retries",
            "required_documents[0].filter.country_restriction.country_codes[1]",
            "required_documents[0].filter.country_restriction.country_codes[2]",
            "sdk_config.locale",
            "sdk_config.success_url",
        ]
    );
}

#[tokio::test]
async fn older_names_and_every_case_are_read() {
    let app = TestApp::start().await;
    let payload = json!({
        "requested_checks": [{ "type": "id_document_authenticity", "config": { "manual_check": "Never" } }],
        "required_documents": [{ "type": "id_document", "filter": {
            "type": "orthogonal_restrictions",
            "country_restriction": { "inclusion": "Blacklist", "country_codes": ["swe"] },
        } }],
        "sdk_config": { "enable_handoff": true, "allowed_capture_methods": "camera" },
    });
    let session = Session::new(&app, BASE, &payload).await;
    let read = session.call(&app, "GET", "/configuration", None).await.json();
    assert_eq!(read["sdk_config"]["allow_handoff"], true);
    let required = &read["capture"]["required_resources"][0];
    assert_eq!(required["allowed_capture_methods"], "CAMERA");
    let countries = required["supported_countries"].as_array().unwrap();
    assert!(countries.len() > 100 && countries.iter().all(|country| country["code"] != "SWE"));
    let refused = json!({ "document_type": "PASSPORT", "issuing_country": "SWE" });
    let refused = session.call(&app, "POST", "/resources/id-documents", Some(refused)).await;
    assert_eq!(
        (refused.status_and_code().as_str(), &refused.json()["errors"][0]["property"]),
        ("400 PAYLOAD_VALIDATION", &json!("document_type"))
    );
}

#[tokio::test]
async fn a_business_is_proven_by_signature_or_bearer() {
    let app = TestApp::start().await;
    let path = format!("{BASE}/sessions");
    let id = app.app.to_string();
    for name in ["sdkId", "sdkID"] {
        for signed_path in ["/sessions", "/v1/sessions", "/idverify/v1/sessions"] {
            let call =
                SignedCall::post(&path).query(name, &id).auth_id(None).sign_path(signed_path).body("{}");
            assert_eq!(call.send(&app).await.status_and_code(), "201", "{name} {signed_path}");
        }
    }
    let whole = SignedCall::post(&format!("{SANDBOX}/sessions")).query("sdkId", &id).auth_id(None);
    assert_eq!(whole.sign_path("/sandbox/idverify/v1/sessions").send(&app).await.status_and_code(), "201");

    let bare = Request::post(&path).body(Body::empty()).unwrap();
    assert_eq!(app.send(bare).await.status_and_code(), "401 MESSAGE_SIGNING");
    assert_eq!(
        SignedCall::post(&path).auth_id(None).send(&app).await.status_and_code(),
        "400 MALFORMED_REQUEST"
    );
    let nobody = testkit::unknown_app_id(&*app.world);
    assert_eq!(
        SignedCall::post(&path).query("sdkId", &nobody).auth_id(None).send(&app).await.status_and_code(),
        "404 APP_NOT_FOUND"
    );
    assert_eq!(
        signed(&app, "POST", &path).body("{}").send_body("{ }").send(&app).await.status_and_code(),
        "401 MESSAGE_SIGNING"
    );
    assert_eq!(
        signed(&app, "POST", &path).without("nonce").send(&app).await.status_and_code(),
        "401 MESSAGE_SIGNING"
    );
    assert_eq!(
        signed(&app, "POST", &path).query("timestamp", "17").send(&app).await.status_and_code(),
        "401 MESSAGE_SIGNING"
    );

    let bearer = |token: String| {
        Request::post(&path)
            .header("Authorization", format!("Bearer {token}"))
            .body(Body::from("{}"))
            .unwrap()
    };
    let token = app.bearer_token(&[TokenScope::IdvSessions]).await;
    assert_eq!(app.send(bearer(token)).await.status_and_code(), "201");
    let other = app.bearer_token(&[TokenScope::PoaVerify]).await;
    assert_eq!(app.send(bearer(other)).await.status_and_code(), "403 INSUFFICIENT_PERMISSION");
    assert_eq!(app.send(bearer("none".to_owned())).await.status_and_code(), "401 BAD_TOKEN");

    for meta in ["e30=", "bm9uZQ==", "{}"] {
        let answer = signed(&app, "POST", &path).header("X-Svc-Device-Meta", meta).send(&app).await;
        let line = if meta == "e30=" { "201" } else { "400 MALFORMED_REQUEST" };
        assert_eq!(answer.status_and_code(), line, "{meta}");
    }

    let mut tx = app.api.db.write().await.unwrap();
    applications::set_state(&mut tx, app.app, ApplicationState::Disabled).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(business(&app, "POST", &path, None).await.status_and_code(), "403 INSUFFICIENT_PERMISSION");
}

#[tokio::test]
async fn a_person_is_known_by_the_token_of_his_session() {
    let app = TestApp::start().await;
    let payload = json!({ "requested_checks": [{ "type": "ID_DOCUMENT_AUTHENTICITY" }] });
    let (mine, other) = (Session::new(&app, BASE, &payload).await, Session::new(&app, BASE, &payload).await);
    assert_eq!(mine.call(&app, "GET", "/configuration", None).await.status_and_code(), "200");
    let stranger = Session { token: other.token.clone(), ..mine.clone() };
    assert_eq!(
        stranger.call(&app, "GET", "/configuration", None).await.status_and_code(),
        "404 SESSION_NOT_FOUND"
    );
    for token in ["", "none", "018f3c8e-0000-4000-8000-00000000000a"] {
        let nobody = Session { token: token.to_owned(), ..mine.clone() };
        assert_eq!(
            nobody.call(&app, "GET", "/configuration", None).await.status_and_code(),
            "401 BAD_TOKEN",
            "{token}"
        );
        assert_eq!(
            nobody.call(&app, "DELETE", "/client-session-token", None).await.status_and_code(),
            "401 BAD_TOKEN"
        );
    }
    // An end user cannot act as the relying party.
    assert_eq!(mine.call(&app, "GET", "", None).await.status_and_code(), "401 MESSAGE_SIGNING");
    assert_eq!(
        mine.call(&app, "DELETE", "/client-session-token", None).await.status_and_code(),
        "409 SESSION_NOT_READY"
    );

    app.world.advance(SignedDuration::from_secs(600));
    assert_eq!(mine.call(&app, "GET", "/configuration", None).await.status_and_code(), "409 SESSION_EXPIRED");
    assert_eq!(mine.read(&app).await["state"], "EXPIRED", "though nobody has swept yet");
}

#[tokio::test]
async fn a_person_calls_so_often_and_as_long_as_his_business_is_served() {
    let few = NonZeroU32::new(3).unwrap();
    let app =
        TestApp::start_with(|api| api.end_user_rate_limit = Arc::new(api::RateLimit::new(few, few))).await;
    let payload = json!({ "requested_checks": [{ "type": "ID_DOCUMENT_AUTHENTICITY" }] });
    let (mine, other) = (Session::new(&app, BASE, &payload).await, Session::new(&app, BASE, &payload).await);
    for _ in 0..3 {
        assert_eq!(mine.call(&app, "GET", "/configuration", None).await.status_and_code(), "200");
    }
    let refused = mine.call(&app, "GET", "/configuration", None).await;
    assert_eq!(refused.status_and_code(), "429 TOO_MANY_REQUESTS");
    assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
    assert_eq!(
        other.call(&app, "GET", "/configuration", None).await.status_and_code(),
        "200",
        "each has their own"
    );

    let mut tx = app.api.db.write().await.unwrap();
    applications::set_state(&mut tx, app.app, ApplicationState::Disabled).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(
        other.call(&app, "GET", "/configuration", None).await.status_and_code(),
        "403 INSUFFICIENT_PERMISSION"
    );
}

#[tokio::test]
async fn the_person_of_a_business_without_a_key_is_served_as_long_as_the_business_is() {
    let app = TestApp::start().await;
    let payload = json!({ "requested_checks": [{ "type": "ID_DOCUMENT_AUTHENTICITY" }] });
    let session = Session::new(&app, BASE, &payload).await;
    let ask = async || session.call(&app, "GET", "/configuration", None).await.status_and_code();
    // From now on the relying party can only call with bearer tokens.
    app.execute(db::sql!("UPDATE public_keys SET revoked_at = $1", app.world.now())).await;
    assert_eq!(business(&app, "GET", &session.path(""), None).await.status_and_code(), "401 MESSAGE_SIGNING");
    assert_eq!(ask().await, "200");
    for (status, line) in
        [(OrganisationStatus::Suspended, "403 INSUFFICIENT_PERMISSION"), (OrganisationStatus::Active, "200")]
    {
        let mut tx = app.api.db.write().await.unwrap();
        organisations::set_status(&mut tx, app.org, status).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(ask().await, line, "{status:?}");
    }
    for (feature, line) in [(Feature::Ages, "403 INSUFFICIENT_PERMISSION"), (Feature::Identity, "200")] {
        let mut tx = app.api.db.write().await.unwrap();
        applications::set_features(&mut tx, app.app, &[feature]).await.unwrap();
        tx.commit().await.unwrap();
        assert_eq!(ask().await, line, "{feature:?}");
    }
    app.execute(db::sql!("UPDATE applications SET organisation_id = NULL")).await;
    assert_eq!(ask().await, "403 INSUFFICIENT_PERMISSION");
}

#[tokio::test]
async fn what_is_uploaded_is_bounded_and_of_a_kind_that_is_taken() {
    let app = TestApp::start().await;
    let payload = json!({
        "required_documents": [{ "type": "ID_DOCUMENT" }, { "type": "SUPPLEMENTARY_DOCUMENT" }],
        "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }],
    });
    let session = Session::new(&app, BASE, &payload).await;
    let id = session.document(&app, "PASSPORT", "SWE", &[]).await;
    let page = format!("/resources/id-documents/{id}/pages/0");
    let empty =
        session.call(&app, "PUT", &format!("/resources/id-documents/{id}/text-extraction"), None).await;
    assert_eq!(empty.status_and_code(), "409 SESSION_NOT_READY");
    for (file, line) in [
        (&b"GIF89a and so on"[..], "415 UNSUPPORTED_MEDIA_TYPE"),
        (b"%PDF-1.7", "415 UNSUPPORTED_MEDIA_TYPE"),
        (b"\xff\xd8\xff\xe0 broken", "422 UNPROCESSABLE_MEDIA"),
        (b"", "422 UNPROCESSABLE_MEDIA"),
    ] {
        assert_eq!(session.put(&app, "PUT", &page, file).await.status_and_code(), line);
    }
    let too_much = vec![0xff; 11 << 20];
    assert_eq!(session.put(&app, "PUT", &page, &too_much).await.status_and_code(), "413 PAYLOAD_TOO_LARGE");
    let far = format!("/resources/id-documents/{id}/pages/10");
    assert_eq!(
        session.put(&app, "PUT", &far, testkit::face_jpeg()).await.status_and_code(),
        "400 PAYLOAD_VALIDATION"
    );
    let elsewhere = "/resources/id-documents/018f3c8e-0000-4000-8000-00000000000a/pages/0";
    assert_eq!(
        session.put(&app, "PUT", elsewhere, testkit::face_jpeg()).await.status_and_code(),
        "404 RESOURCE_NOT_FOUND"
    );

    let send = async |content_type: &str, body: Vec<u8>| {
        let request = Request::put(session.path(&page))
            .header("X-Svc-Auth-Token", &session.token)
            .header("Content-Type", content_type)
            .body(Body::from(body));
        app.send(request.unwrap()).await
    };
    assert_eq!(
        send("image/jpeg", testkit::face_jpeg().to_vec()).await.status_and_code(),
        "415 UNSUPPORTED_MEDIA_TYPE"
    );
    assert_eq!(send(FORM, b"no form".to_vec()).await.status_and_code(), "400 MALFORMED_REQUEST");
    let nameless = String::from_utf8(form(b"\xc3\xa4")).unwrap().replace("; filename=\"picture\"", "");
    let refused = send(FORM, nameless.into_bytes()).await;
    assert_eq!(
        (refused.status_and_code().as_str(), &refused.json()["errors"][0]["property"]),
        ("400 PAYLOAD_VALIDATION", &json!("binary-content"))
    );
    assert_eq!(send(FORM, form(testkit::face_jpeg())).await.status_and_code(), "200");

    let body = json!({ "document_type": "UTILITY_BILL" });
    let made = session.call(&app, "POST", "/resources/supplementary-documents", Some(body)).await.json();
    let file = format!("/resources/supplementary-documents/{}/file", made["id"].as_str().unwrap());
    let pdf = testkit::specimens::Specimen::utility_bill().pdf().unwrap();
    assert_eq!(session.put(&app, "PUT", &file, &pdf).await.status_and_code(), "200");
    let read = session.read(&app).await;
    assert_eq!(read["resources"]["supplementary_documents"][0]["file"]["media"]["type"], "PDF");
    for kind in ["static", "zoom"] {
        let none = session.call(&app, "POST", &format!("/resources/liveness/{kind}"), None).await;
        assert_eq!(none.status_and_code(), "409 RESOURCE_LOCKED", "nobody asked for a face");
    }
}

#[tokio::test]
async fn nobody_sees_what_is_somebody_elses() {
    let app = TestApp::start().await;
    let session = Session::new(&app, BASE, &json!({})).await;
    let (other, token) = {
        let mut tx = app.api.db.write().await.unwrap();
        let new = applications::NewApplication {
            name: "Stranger",
            organisation: Some(app.org),
            billing_source: Some("test"),
            features: &domain::tenancy::Feature::ALL,
        };
        let other = applications::create(&mut tx, &*app.world, &new).await.unwrap();
        let token = domain::tenancy::tokens::create(
            &mut tx,
            &*app.world,
            other,
            "t",
            vec![TokenScope::IdvSessions],
            None,
        )
        .await;
        tx.commit().await.unwrap();
        (other, token.unwrap().token.expose().clone())
    };
    let ask = async |method: &str, path: &str| {
        let request =
            Request::builder().method(method).uri(path).header("Authorization", format!("Bearer {token}"));
        let answer = app.send(request.body(Body::empty()).unwrap()).await;
        (answer.status, answer.body)
    };
    let missing = "018f3c8e-0000-4000-8000-00000000000a";
    for (method, rest) in [
        ("GET", ""),
        ("DELETE", ""),
        ("GET", "/configuration"),
        ("GET", "/media/018f3c8e-0000-4000-8000-00000000000a/content"),
        ("DELETE", "/media/018f3c8e-0000-4000-8000-00000000000a/content"),
        ("GET", "/response-config"),
        ("PUT", "/response-config"),
        ("GET", "/tracked-devices"),
        ("POST", "/resources/face-capture"),
    ] {
        let foreign = ask(method, &session.path(rest)).await;
        assert_eq!(foreign.0.as_u16(), 404, "{method} {rest}");
        assert_eq!(
            foreign,
            ask(method, &format!("{BASE}/sessions/{missing}{rest}")).await,
            "{method} {rest}"
        );
    }
    let theirs = format!("{BASE}/apps/{}/response-config", app.app);
    assert_eq!(ask("GET", &theirs).await.0.as_u16(), 404);
    assert_eq!(ask("GET", &format!("{BASE}/apps/{other}/response-config")).await.0.as_u16(), 200);
}
