//! Organisations, applications and keys, for operators.

use super::ConsoleFixture;
use crate::content_moderation::{created_id, first_error};
use base::{Environment as _, SignedDuration};
use domain::{
    authentication::SecondFactorPolicy,
    operators::{BuiltInRole, OperatorGrant},
};
use serde_json::{Value, json};

async fn start() -> (ConsoleFixture, String) {
    let fixture = ConsoleFixture::with_policy(SecondFactorPolicy::Off).await;
    let (cookie, _) =
        fixture.add_operator("ada@example.com", OperatorGrant::of_role(BuiltInRole::Administrator)).await;
    (fixture, cookie)
}

#[tokio::test]
async fn organisations_are_listed() {
    let (fixture, cookie) = start().await;
    let listed = fixture.get(&cookie, "/console/organisations").await;
    assert_response_snapshot!(listed, "organisations.*.created_at");
}

#[tokio::test]
async fn an_organisation_is_created() {
    let (fixture, cookie) = start().await;
    let created = fixture.post(&cookie, "/console/organisations", json!({ "name": "Example Ltd" })).await;
    assert_response_snapshot!(created);
    for (body, measured) in [
        (json!({}), Value::Null),
        (json!({ "name": " " }), json!(0.0)),
        (json!({ "name": "x".repeat(201) }), json!(201.0)),
    ] {
        let refused = fixture.post(&cookie, "/console/organisations", body).await;
        assert_eq!(first_error(&refused)["property"], "name");
        assert_eq!(first_error(&refused)["measured"], measured);
    }
}

#[tokio::test]
async fn applications_are_listed() {
    let (fixture, cookie) = start().await;
    let listed = fixture.get(&cookie, "/console/applications").await;
    assert_response_snapshot!(listed, "applications.*.created_at");
}

#[tokio::test]
async fn an_application_is_created() {
    let (fixture, cookie) = start().await;
    let organisation = json!({ "name": "Example Ltd" });
    let organisation = created_id(&fixture.post(&cookie, "/console/organisations", organisation).await);
    let body = json!({ "name": "Shop", "organisation_id": organisation, "features": ["ages"] });
    let created = fixture.post(&cookie, "/console/applications", body).await;
    assert_response_snapshot!(created);
    let nobody = json!({ "name": "Shop", "organisation_id": "018f3c8e-0000-7000-8000-00000000000a" });
    let refused = fixture.post(&cookie, "/console/applications", nobody).await;
    assert_eq!(refused.status_and_code(), "404 NOT_FOUND");
    let blank = json!({ "name": "Shop", "organisation_id": organisation, "billing_source_id": "" });
    let refused = fixture.post(&cookie, "/console/applications", blank).await;
    assert_eq!(first_error(&refused)["property"], "billing_source_id");
}

#[tokio::test]
async fn an_organisation_is_changed() {
    let (fixture, cookie) = start().await;
    let organisation = json!({ "name": "Example Ltd" });
    let id = created_id(&fixture.post(&cookie, "/console/organisations", organisation).await);
    let change = async |id: &str, body| {
        fixture.call(&cookie, "PATCH", &format!("/console/organisations/{id}"), Some(body)).await
    };
    assert_response_snapshot!(change(&id, json!({ "name": " Example plc ", "status": "SUSPENDED" })).await);
    let listed = fixture.get(&cookie, "/console/organisations").await.json();
    let changed =
        listed["organisations"].as_array().unwrap().iter().find(|one| one["id"] == id.as_str()).unwrap();
    assert_eq!((&changed["name"], &changed["status"]), (&json!("Example plc"), &json!("SUSPENDED")));
    let refused = change(&id, json!({ "name": "" })).await;
    assert_eq!(first_error(&refused)["property"], "name");
    let refused = change(&id, json!({ "status": "GONE" })).await;
    assert_eq!(first_error(&refused)["property"], "status");
    let nobody = change("018f3c8e-0000-7000-8000-00000000000a", json!({})).await;
    assert_eq!(nobody.status_and_code(), "404 NOT_FOUND");
}

#[tokio::test]
async fn an_application_is_changed_at_once() {
    let (fixture, cookie) = start().await;
    let id = fixture.app.app.to_string();
    let path = format!("/console/applications/{id}");
    let change = async |body| fixture.call(&cookie, "PATCH", &path, Some(body)).await;
    let account = format!("/accounts/{}", fixture.app.open_account().await);
    let key = json!({ "name": "Production", "scopes": [] });
    let key =
        fixture.post(&cookie, &keys_path(&fixture), key).await.json()["key"].as_str().unwrap().to_owned();
    let asked = async || fixture.app.call_moderation("GET", &account, &key, None).await.status.as_u16();
    assert_eq!(asked().await, 200);

    let body = json!({
        "name": "Corner shop", "state": "DISABLED", "features": ["ages", "moderation"], "billing_source_id": "cost centre 7",
        "limits": [{ "limit": "calls_per_minute", "allowed": 3 }, { "limit": "stored_bytes", "allowed": 0 }],
    });
    assert_response_snapshot!(change(body).await);
    let listed = fixture.get(&cookie, "/console/applications").await.json();
    let changed =
        listed["applications"].as_array().unwrap().iter().find(|one| one["id"] == id.as_str()).unwrap();
    assert_eq!(changed["name"], "Corner shop");
    assert_eq!(changed["features"], json!(["ages", "moderation"]));
    assert_eq!(changed["billing_source_id"], "cost centre 7");
    assert_ne!(asked().await, 200, "it is disabled");
    assert_eq!(change(json!({ "state": "ENABLED" })).await.status, 204);
    let answers: Vec<_> = [asked().await, asked().await, asked().await, asked().await].into();
    assert_eq!(answers, [200, 200, 200, 429], "three calls in a minute");

    let usage = format!("{path}/usage?from=2026-01-01T00:00:00Z&to=2026-02-01T00:00:00Z");
    let limits = fixture.get(&cookie, &usage).await.json()["limits"].clone();
    let of = |limit: &str| {
        let found = limits.as_array().unwrap().iter().find(|one| one["limit"] == limit).unwrap();
        (found["is_own"].clone(), found["allowed"].clone())
    };
    assert_eq!(of("calls_per_minute"), (json!(true), json!(3)));
    assert_eq!(of("stored_bytes"), (json!(true), Value::Null));
    assert_eq!(of("live_streams"), (json!(false), json!(100)));
    assert_eq!(change(json!({ "limits": [{ "limit": "calls_per_minute" }] })).await.status, 204);
    assert_eq!(asked().await, 200, "the configuration has no limit");
}

#[tokio::test]
async fn an_application_is_not_changed_by_halves() {
    let (fixture, cookie) = start().await;
    let path = format!("/console/applications/{}", fixture.app.app);
    let before = fixture.get(&cookie, "/console/applications").await.json();
    for (body, property) in [
        (json!({ "name": "x".repeat(201) }), "name"),
        (json!({ "name": "Shop", "features": ["magic"] }), "features[0]"),
        (json!({ "name": "Shop", "billing_source_id": " " }), "billing_source_id"),
        (json!({ "limits": [{ "allowed": 3 }] }), "limits[0].limit"),
        (json!({ "limits": [{ "limit": "burst", "allowed": -1 }] }), "limits[0].allowed"),
        (json!({ "limits": [{ "limit": "burst" }, { "limit": "burst", "allowed": 1 }] }), "limits[1].limit"),
    ] {
        let refused = fixture.call(&cookie, "PATCH", &path, Some(body)).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
        assert_eq!(first_error(&refused)["property"], property);
    }
    let nowhere = json!({ "name": "Shop", "organisation_id": "018f3c8e-0000-7000-8000-00000000000a" });
    assert_eq!(fixture.call(&cookie, "PATCH", &path, Some(nowhere)).await.status_and_code(), "404 NOT_FOUND");
    assert_eq!(fixture.get(&cookie, "/console/applications").await.json(), before);
    let nobody = "/console/applications/018f3c8e-0000-4000-8000-00000000000a";
    assert_eq!(
        fixture.call(&cookie, "PATCH", nobody, Some(json!({}))).await.status_and_code(),
        "404 NOT_FOUND"
    );
}

/// The path of the keys of the fixture's application.
fn keys_path(fixture: &ConsoleFixture) -> String {
    format!("/console/applications/{}/keys", fixture.app.app)
}

#[tokio::test]
async fn a_key_is_created_and_shown_once() {
    let (fixture, cookie) = start().await;
    let body =
        json!({ "name": "Production", "scopes": ["contents:list"], "expires_at": "2027-01-01T00:00:00Z" });
    let created = fixture.post(&cookie, &keys_path(&fixture), body).await;
    let key = created.json()["key"].as_str().unwrap().to_owned();
    assert_response_snapshot!(created, (&key[..], "key"));
    let listed = fixture.get(&cookie, &keys_path(&fixture)).await;
    assert!(!String::from_utf8_lossy(&listed.body).contains(&key));
    for (body, property) in [
        (json!({ "name": "a" }), "scopes"),
        (json!({ "name": "a", "scopes": ["Ä"] }), "scopes[0]"),
        (json!({ "name": "a", "scopes": vec!["a:b"; 51] }), "scopes"),
        (json!({ "name": "a", "scopes": [], "expires_at": "2026-01-16T14:40:00Z" }), "expires_at"),
        (json!({ "scopes": [] }), "name"),
    ] {
        let refused = fixture.post(&cookie, &keys_path(&fixture), body).await;
        assert_eq!(first_error(&refused)["property"], property, "{}", refused.json());
    }
}

#[tokio::test]
async fn keys_are_listed() {
    let (fixture, cookie) = start().await;
    let body = json!({ "name": "Production", "scopes": [], "expires_at": "2027-01-01T00:00:00Z" });
    fixture.post(&cookie, &keys_path(&fixture), body).await;
    let listed = fixture.get(&cookie, &keys_path(&fixture)).await;
    assert_response_snapshot!(listed, "keys.*.created_at");
    let nobody = "/console/applications/018f3c8e-0000-4000-8000-00000000000a/keys";
    assert_eq!(fixture.get(&cookie, nobody).await.status_and_code(), "404 NOT_FOUND");
}

#[tokio::test]
async fn a_key_is_revoked() {
    let (fixture, cookie) = start().await;
    let body = json!({ "name": "Production", "scopes": [] });
    let created = fixture.post(&cookie, &keys_path(&fixture), body).await.json();
    let (id, key) = (created["id"].as_str().unwrap(), created["key"].as_str().unwrap());
    let account = format!("/accounts/{}", fixture.app.open_account().await);
    assert_eq!(fixture.app.call_moderation("GET", &account, key, None).await.status, 200);
    let (other, _, _) = fixture.app.add_tenant().await;
    let crossed = format!("/console/applications/{other}/keys/{id}");
    let refused = fixture.call(&cookie, "DELETE", &crossed, None).await;
    assert_eq!(refused.status_and_code(), "404 NOT_FOUND", "it is not that application's");
    let path = format!("{}/{id}", keys_path(&fixture));
    assert_response_snapshot!(fixture.call(&cookie, "DELETE", &path, None).await);
    let refused = fixture.app.call_moderation("GET", &account, key, None).await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED");
}

#[tokio::test]
async fn a_key_works_until_it_expires() {
    let (fixture, cookie) = start().await;
    let body = json!({ "name": "Trial", "scopes": [], "expires_at": "2026-01-16T16:40:00Z" });
    let created = fixture.post(&cookie, &keys_path(&fixture), body).await.json();
    let key = created["key"].as_str().unwrap();
    let account = format!("/accounts/{}", fixture.app.open_account().await);
    fixture.app.environment.advance(SignedDuration::from_mins(119));
    assert_eq!(fixture.app.call_moderation("GET", &account, key, None).await.status, 200);
    fixture.app.environment.advance(SignedDuration::from_mins(1));
    let refused = fixture.app.call_moderation("GET", &account, key, None).await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED");
}

/// When the key was used last, once it is recorded beside the request.
async fn last_use(fixture: &ConsoleFixture, cookie: &str) {
    let expected = fixture.app.environment.now().to_string();
    for _ in 0..500 {
        let listed = fixture.get(cookie, &keys_path(fixture)).await.json();
        if listed["keys"][0]["last_used_at"] == expected.as_str() {
            return;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("{expected}: {}", fixture.get(cookie, &keys_path(fixture)).await.json());
}

#[tokio::test]
async fn the_last_use_of_a_key_is_known_to_the_hour() {
    let (fixture, cookie) = start().await;
    let body = json!({ "name": "Production", "scopes": [] });
    let created = fixture.post(&cookie, &keys_path(&fixture), body).await.json();
    let key = created["key"].as_str().unwrap();
    let account = format!("/accounts/{}", fixture.app.open_account().await);
    let call = async || assert_eq!(fixture.app.call_moderation("GET", &account, key, None).await.status, 200);
    call().await;
    last_use(&fixture, &cookie).await;
    fixture.app.environment.advance(SignedDuration::from_mins(59));
    call().await;
    fixture.app.environment.advance(SignedDuration::from_mins(1));
    call().await;
    last_use(&fixture, &cookie).await;
}
