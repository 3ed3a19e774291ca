//! The interface keeps to its OpenAPI document: every member is described, with its bounds, and every operation with its
//! credentials and statuses.

use crate::age_verification::{AgeSessionFixture, SANDBOX, relying_party_call};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use testkit::TestApp;

async fn document(app: &TestApp) -> Value {
    let answer = app.get("/openapi/ages.json").await;
    assert_eq!(answer.status_and_code(), "200");
    answer.json()
}

fn names(object: &Value) -> BTreeSet<&str> {
    object.as_object().into_iter().flatten().map(|(name, _)| name.as_str()).collect()
}

/// The schema of a member, with its reference resolved.
fn of_member<'a>(schemas: &'a Value, schema: &str, member: &str) -> &'a Value {
    let described = &schemas[schema]["properties"][member];
    let named = described["oneOf"][0]["$ref"].as_str().or_else(|| described["$ref"].as_str());
    named.map_or(described, |named| &schemas[named.rsplit('/').next().unwrap()])
}

/// The blocks in the document.
fn described_blocks(schemas: &Value) -> Vec<&str> {
    let members = names(&schemas["CreateAgeSessionRequest"]["properties"]);
    let is_block = |name: &&str| {
        of_member(schemas, "CreateAgeSessionRequest", name)["properties"]["allowed"].is_object()
    };
    members.into_iter().filter(is_block).collect()
}

/// A payload with every member that there is.
fn everything(rule: &Value) -> Value {
    let block = |more: Value| {
        let mut block = json!({
            "allowed": true, "threshold": 18, "level": "NONE", "authenticity": "OFF", "retry_enabled": true,
            "retry_limit": 2,
        });
        block.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        block
    };
    let mut payload = json!({
        "type": "OVER", "ttl": 600, "reference_id": "order 7", "callback": { "url": "https://shop.test/done", "auto": true },
        "callback_url": "https://shop.test/done", "notification_url": "https://example.com/hook",
        "block_biometric_consent": false, "rule_id": rule, "cancel_url": "https://shop.test/no",
        "privacy_policy": "https://shop.test/privacy", "terms_and_conditions": "https://shop.test/terms",
        "retry_enabled": true, "resume_enabled": true, "blocked_locations": ["USA"],
        "target_origin_url": "https://shop.test", "synchronous_checks": true, "account_id": "a-1",
        "double_blind": false,
    });
    let data =
        json!({ "verified_email": "unknown@example.com", "country_code": "GB", "ip_address": "192.0.2.1" });
    for (name, more) in [
        ("age_estimation", json!({ "confidence": 0.9 })),
        (
            "digital_id",
            json!({
                "age_estimation_allowed": true, "age_estimation_threshold": 25, "age_estimation_confidence": 0.9,
            }),
        ),
        (
            "doc_scan",
            json!({ "preset_issuing_country": "GBR", "disable_mobile_hand_off": true, "synchronous_checks": true, "allow_non_latin_documents": true }),
        ),
        ("credit_card", json!({})),
        ("mobile", json!({})),
        ("email", json!({ "data": data })),
        ("electronic_id", json!({ "sub_methods": ["over"] })),
        ("la_wallet", json!({})),
        ("social_security_number", json!({})),
        ("us_florida_hb3", json!({})),
        ("singpass", json!({})),
        ("cpf", json!({})),
        ("svc_key", json!({ "authentication": true })),
        ("double_anonymity", json!({})),
        ("device_signal", json!({ "assurance": "CHECKED", "attestation": "REQUIRED" })),
    ] {
        payload[name] = block(more);
    }
    payload
}

#[tokio::test]
async fn every_member_is_described_and_no_others() {
    let app = TestApp::start().await;
    let document = document(&app).await;
    let schemas = &document["components"]["schemas"];
    let key = app.api_key(&[]).await;
    let rule =
        relying_party_call(&app, &key, "POST", &format!("{SANDBOX}/rules"), Some(json!({ "mobile": {} })))
            .await;
    let payload = everything(&rule.json()["id"]);
    let made =
        relying_party_call(&app, &key, "POST", &format!("{SANDBOX}/sessions"), Some(payload.clone())).await;
    assert_eq!(made.status_and_code(), "200", "{}", made.json());
    let id = made.json()["id"].as_str().unwrap().to_owned();
    let path = format!("{SANDBOX}/sessions/{id}/result");
    let session = AgeSessionFixture { id, key: key.clone(), base: SANDBOX };
    let consent = session.end_user_call(&app, "POST", "/consent", Some(json!({ "given": true }))).await;
    assert_eq!(consent.status, 200);
    let opened = session.open_attempt(&app, "CREDIT_CARD").await;
    let card = json!({ "number": "4242 4242 4242 4242", "expiry": "12/30", "code": "123" });
    assert_eq!(session.take_turn(&app, &opened, json!({ "fields": card })).await.status(), "COMPLETE");
    let record = relying_party_call(&app, &key, "GET", &path, None).await.json();

    assert_eq!(names(&made.json()), names(&schemas["CreatedAgeSession"]["properties"]));
    // A policy excludes blocks of one's own, and only device signals have somebody behind them; both have their own tests.
    let without = |schema: &str, absent: &[&str]| {
        let mut described = names(&schemas[schema]["properties"]);
        assert!(absent.iter().all(|name| described.remove(*name)), "{absent:?}");
        described
    };
    assert_eq!(names(&payload), without("CreateAgeSessionRequest", &["policy"]));
    assert_eq!(names(&record), without("SessionRecord", &["policy", "assurance", "attestation"]));
    assert_eq!(
        names(&record["callback"]),
        names(&of_member(schemas, "SessionRecord", "callback")["properties"])
    );
    assert_eq!(
        names(&payload["email"]["data"]),
        names(&of_member(schemas, "EmailBlock", "data")["properties"])
    );
    assert_eq!(described_blocks(schemas).len(), 15);
    for block in described_blocks(schemas) {
        let asked = of_member(schemas, "CreateAgeSessionRequest", block);
        assert_eq!(names(&payload[block]), names(&asked["properties"]), "{block}");
        let actual = of_member(schemas, "SessionRecord", block);
        assert_eq!(names(&record[block]), names(&actual["properties"]), "{block}");
        // A verified email address is not returned; the numbers of attempts are not part of a request.
        let mut both = names(&payload[block]);
        both.remove("data");
        both.extend(["attempts", "attempts_remaining"]);
        assert_eq!(both, names(&record[block]), "{block}");
        for (word, schema) in [("level", "LivenessLevel"), ("authenticity", "AuthenticityLevel")] {
            let words = schemas[schema]["enum"].as_array().unwrap();
            assert!(words.contains(&record[block][word]), "{block} {word}");
        }
    }
    for (member, schema) in
        [("type", "AgeSessionType"), ("status", "AgeSessionStatus"), ("method", "AgeMethod")]
    {
        let words = schemas[schema]["enum"].as_array().unwrap();
        assert!(words.contains(&record[member]), "{member}: {words:?}");
        assert_eq!(of_member(schemas, "SessionRecord", member), &schemas[schema]);
    }
    assert_eq!(schemas["AgeMethod"]["enum"].as_array().unwrap().len(), 15);
}

#[tokio::test]
async fn bounds_and_defaults_are_those_of_the_rules() {
    let app = TestApp::start().await;
    let document = document(&app).await;
    let schemas = &document["components"]["schemas"];
    let blocks = described_blocks(schemas);
    let payload: Value = blocks.iter().map(|block| ((*block).to_owned(), json!({}))).collect();
    let record = AgeSessionFixture::create(&app, SANDBOX, &payload).await.result(&app).await;
    let (key, path) = (app.api_key(&[]).await, format!("{SANDBOX}/sessions"));
    let mut bounds = 0;
    let members = |described: &Value| described["properties"].as_object().unwrap().clone();
    for block in blocks {
        for (member, described) in members(of_member(schemas, "CreateAgeSessionRequest", block)) {
            if let (Some(default), Some(actual)) = (described.get("default"), record[block].get(&member)) {
                assert_eq!(default, actual, "{block}.{member}");
            }
            let beyond =
                [described["minimum"].as_i64().map(|n| n - 1), described["maximum"].as_i64().map(|n| n + 1)];
            for beyond in beyond.into_iter().flatten() {
                let payload = json!({ block: { member.as_str(): beyond } });
                let refused = relying_party_call(&app, &key, "POST", &path, Some(payload)).await;
                assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST", "{block}.{member} {beyond}");
                let words = refused.json()["error_message"].as_str().unwrap().to_owned();
                assert!(words.starts_with(&format!("{block}.{member}: ")), "{words}");
                bounds += 1;
            }
        }
    }
    assert_eq!(bounds, 2 * (2 * 15 + 1), "of an age and a limit for each, and of an estimate for a wallet");
    for (member, described) in members(&schemas["CreateAgeSessionRequest"]) {
        if let (Some(default), Some(actual)) = (described.get("default"), record.get(&member)) {
            assert_eq!(default, actual, "{member}");
        }
    }
    for ttl in [59, 2_592_001] {
        let refused = relying_party_call(&app, &key, "POST", &path, Some(json!({ "ttl": ttl }))).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
    }
    let ttl = &schemas["CreateAgeSessionRequest"]["properties"]["ttl"];
    assert_eq!(json!([ttl["minimum"], ttl["maximum"], ttl["default"]]), json!([60, 2_592_000, 900]));
}

#[tokio::test]
async fn operations_name_their_credentials_and_statuses() {
    let app = TestApp::start().await;
    let document = document(&app).await;
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            let security = match path.strip_prefix("/sandbox").unwrap_or(path) {
                "/api/v1/webhook-keys" => json!(null),
                path if path.starts_with("/api/v1/") => {
                    json!([{ "key": [], "sdk": [] }, { "bearer": [], "sdk": [] }])
                }
                path if path.starts_with("/age/v1/sessions/{sessionId}") => json!([{ "sdk": [] }]),
                _ => json!(null),
            };
            assert_eq!(operation["security"], security, "{method} {path}");
        }
    }
    for (method, path, statuses) in [
        ("post", "/api/v1/sessions", "200 400 401 403 409 413 415 429 500 503"),
        ("post", "/api/v1/rules", "201 400 401 403 409 413 415 429 500 503"),
        ("get", "/api/v1/sessions/{sessionId}", "200 401 403 404 410 429 500 503"),
        ("get", "/api/v1/sessions/{sessionId}/result", "200 401 403 404 429 500 503"),
        ("get", "/api/v1/webhook-keys", "200 500 503"),
        ("get", "/age/v1/sessions/{sessionId}", "200 401 403 404 410 429 500 503"),
        ("post", "/age/v1/sessions/{sessionId}/attempts", "201 400 401 403 404 409 410 413 429 500 503"),
        ("post", "/age/v1/anonymity/sessions", "201 400 403 404 413 429 500 503"),
    ] {
        let actual = names(&document["paths"][path][method]["responses"]);
        assert_eq!(actual.into_iter().collect::<Vec<_>>().join(" "), statuses, "{method} {path}");
    }
}

#[tokio::test]
async fn the_document_has_the_names_of_the_brand() {
    let app = TestApp::start_with(|api| api.brand = api::Brand::new("Acme").unwrap()).await;
    let text = String::from_utf8(app.get("/openapi/ages.json").await.body.to_vec()).unwrap();
    assert!(text.contains("\"acme_key\"") && !text.contains("svc_key"));
    assert!(text.contains("\"SVC_KEY\"") && text.contains("Acme-Sdk-Id") && !text.contains("Svc-"));
}
