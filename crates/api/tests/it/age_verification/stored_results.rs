//! Results that end users store under a passkey, and the rules of the relying parties that accept them.

use super::{BASE, SANDBOX, Session, Turn, business};
use base::SignedDuration;
use domain::age_verification::AgeVerificationSettings;
use media::fetch::EgressPolicy;
use serde_json::{Value, json};
use testkit::{
    TestApp,
    authenticator::{Authenticator, USER_PRESENT_FLAG, USER_VERIFIED_FLAG},
    face_base64,
};

const ORIGIN: &str = "https://age.example.com";

/// A server at an address that passkeys can be bound to.
pub(super) async fn start(policy: &EgressPolicy) -> TestApp {
    TestApp::start_with_age_settings_and_egress(
        policy,
        AgeVerificationSettings { public_url: ORIGIN.to_owned(), ..AgeVerificationSettings::default() },
    )
    .await
}

/// Proves an age by a face, and stores the result; returns the end user's device.
pub(super) async fn keep(app: &TestApp, estimation: Value) -> Authenticator {
    let payload = json!({ "block_biometric_consent": true, "age_estimation": estimation, "svc_key": {} });
    let session = Session::new(app, SANDBOX, &payload).await;
    let opened = session.open(app, "AGE_ESTIMATION").await;
    let ended = session.turn(app, &opened, json!({ "img": face_base64() })).await;
    assert_eq!(ended.status(), "COMPLETE", "{}", ended.0);
    assert_eq!(ended.0["session"]["offers"]["key"], true);
    let asked = session.page(app, "POST", "/key", Some(json!({}))).await;
    assert_eq!(asked.status_and_code(), "200", "{}", asked.json());
    let asked = asked.json();
    let mut phone = Authenticator::new(ORIGIN);
    let credential = phone.create(&asked["options"]);
    let body = json!({ "continuation": asked["continuation"], "credential": credential });
    let kept = session.page(app, "POST", "/key", Some(body)).await;
    assert_eq!((kept.status_and_code(), &kept.json()["offers"]["key"]), ("200".to_owned(), &json!(false)));
    phone
}

/// Uses the stored result in a new session.
pub(super) async fn show(
    app: &TestApp,
    phone: &mut Authenticator,
    base: &'static str,
    payload: &Value,
) -> (Session, Turn) {
    let session = Session::new(app, base, payload).await;
    let opened = session.open(app, "SVC_KEY").await;
    assert_eq!(opened.step()["kind"], "passkey");
    let credential = phone.get(&opened.step()["options"]);
    let ended = session.turn(app, &opened, json!({ "credential": credential })).await;
    (session, ended)
}

async fn rule(app: &TestApp, payload: Value) -> Value {
    let key = app.api_key(&[]).await;
    let made = business(app, &key, "POST", &format!("{SANDBOX}/rules"), Some(payload)).await;
    assert_eq!(made.status_and_code(), "201", "{}", made.json());
    made.json()["id"].clone()
}

#[tokio::test]
async fn a_kept_result_counts_where_its_method_threshold_and_levels_are_enough() {
    let app = start(&EgressPolicy::default()).await;
    let mut phone = keep(&app, json!({ "threshold": 21, "level": "PASSIVE" })).await;
    for (payload, age) in [
        (
            json!({ "age_estimation": { "threshold": 21, "level": "PASSIVE" }, "svc_key": { "threshold": 21 } }),
            21,
        ),
        (json!({ "age_estimation": {}, "doc_scan": {}, "svc_key": {} }), 18),
    ] {
        let (session, ended) = show(&app, &mut phone, SANDBOX, &payload).await;
        assert_eq!(ended.status(), "COMPLETE", "{payload}: {}", ended.reason());
        assert_eq!(ended.0["session"]["offers"]["key"], false, "it is kept already");
        let result = session.result(&app).await;
        assert_eq!((&result["method"], &result["age"]), (&json!("SVC_KEY"), &json!(age)));
        assert_eq!(result["evidence_id"].as_str().map(str::len), Some(36), "that of the attempt");
    }
    for payload in [
        json!({ "age_estimation": { "threshold": 22 }, "svc_key": {} }),
        json!({ "age_estimation": {}, "svc_key": { "threshold": 22 } }),
        json!({ "age_estimation": { "level": "ACTIVE" }, "svc_key": {} }),
        json!({ "age_estimation": { "allowed": false }, "doc_scan": {}, "svc_key": {} }),
        json!({ "doc_scan": {}, "svc_key": {} }),
        json!({ "type": "UNDER", "age_estimation": {}, "svc_key": {} }),
    ] {
        let (_, ended) = show(&app, &mut phone, SANDBOX, &payload).await;
        let came = (ended.status(), ended.reason());
        assert_eq!(came, ("IN_PROGRESS", "KEPT_RESULT_NOT_ENOUGH"), "{payload}: others are left");
    }
    // Production does not have the sandbox's results.
    let payload = json!({ "age_estimation": {}, "svc_key": {} });
    let (_, ended) = show(&app, &mut phone, BASE, &payload).await;
    assert_eq!((ended.status(), ended.reason()), ("IN_PROGRESS", "NO_KEY"));
}

#[tokio::test]
async fn a_rule_says_what_is_enough_and_how_old_it_may_be() {
    let app = start(&EgressPolicy::default()).await;
    let mut phone = keep(&app, json!({ "threshold": 21, "level": "PASSIVE" })).await;
    let enough =
        rule(&app, json!({ "ttl": 3600, "age_estimation": { "threshold": 21, "level": "passive" } })).await;
    let (session, ended) =
        show(&app, &mut phone, SANDBOX, &json!({ "rule_id": enough, "svc_key": {} })).await;
    assert_eq!(ended.status(), "COMPLETE", "{}", ended.reason());
    assert_eq!(session.result(&app).await["rule_id"], enough);
    for stricter in [
        json!({ "ttl": 3600, "age_estimation": { "threshold": 22 } }),
        json!({ "ttl": 3600, "age_estimation": { "level": "ACTIVE" } }),
        json!({ "ttl": 3600, "age_estimation": { "authenticity": "AUTO" } }),
        json!({ "ttl": 3600, "doc_scan": {} }),
        json!({ "ttl": 3600, "type": "AGE", "age_estimation": {} }),
    ] {
        let id = rule(&app, stricter.clone()).await;
        // The result would satisfy the session's own methods, but not its rule.
        let payload = json!({ "rule_id": id, "age_estimation": {}, "svc_key": {} });
        let (_, ended) = show(&app, &mut phone, SANDBOX, &payload).await;
        assert_eq!(ended.reason(), "KEPT_RESULT_NOT_ENOUGH", "{stricter}");
    }
    // A rule of the sandbox does not exist in production.
    let payload = json!({ "rule_id": enough, "svc_key": {} });
    let foreign = business(&app, &session.key, "POST", &format!("{BASE}/sessions"), Some(payload)).await;
    assert_eq!(foreign.status_and_code(), "400 INVALID_REQUEST");

    let patient = rule(&app, json!({ "ttl": 7200, "age_estimation": {} })).await;
    let reason = async |phone: &mut Authenticator, id: &Value| {
        let payload = json!({ "rule_id": id, "svc_key": {} });
        let (_, ended) = show(&app, phone, SANDBOX, &payload).await;
        format!("{} {}", ended.status(), ended.reason())
    };
    app.world.advance(SignedDuration::from_secs(3600));
    assert_eq!(reason(&mut phone, &enough).await, "COMPLETE ");
    app.world.advance(SignedDuration::from_secs(1));
    assert_eq!(reason(&mut phone, &enough).await, "FAIL KEPT_RESULT_TOO_OLD");
    assert_eq!(reason(&mut phone, &patient).await, "COMPLETE ", "that it was shown makes it no younger");
    let month = rule(&app, json!({ "ttl": 2_592_000, "age_estimation": {} })).await;
    app.world.advance(SignedDuration::from_hours(24 * 30));
    assert_eq!(reason(&mut phone, &month).await, "FAIL NO_KEY", "it is not kept any longer");
}

#[tokio::test]
async fn a_key_counts_where_it_is_known_who_uses_it() {
    let app = start(&EgressPolicy::default()).await;
    let mut phone = keep(&app, json!({})).await;
    let payload =
        json!({ "age_estimation": {}, "svc_key": { "authentication": true, "retry_enabled": true } });
    let (session, ended) = show(&app, &mut phone, SANDBOX, &payload).await;
    assert_eq!(ended.status(), "COMPLETE", "{}", ended.reason());
    assert_eq!(session.result(&app).await["svc_key"]["authentication"], true);

    // A phone in the hands of another person, another page, a copy of the key.
    let counted = phone.counter;
    for (flags, origin, counter) in [
        (USER_PRESENT_FLAG, ORIGIN, counted),
        (USER_PRESENT_FLAG | USER_VERIFIED_FLAG, "https://shop.example.com", counted),
        (USER_PRESENT_FLAG | USER_VERIFIED_FLAG, ORIGIN, 0),
    ] {
        (phone.flags, phone.origin, phone.counter) = (flags, origin, counter);
        let (session, ended) = show(&app, &mut phone, SANDBOX, &payload).await;
        assert_eq!((ended.status(), ended.reason()), ("IN_PROGRESS", "NOT_FOUND"), "{flags} {origin}");
        assert_eq!(session.result(&app).await["status"], "IN_PROGRESS");
    }
    // The answer to another attempt's request, and no answer at all.
    (phone.flags, phone.origin, phone.counter) = (USER_PRESENT_FLAG | USER_VERIFIED_FLAG, ORIGIN, counted);
    let session = Session::new(&app, SANDBOX, &payload).await;
    let asked = session.open(&app, "SVC_KEY").await;
    let others = phone.get(&asked.step()["options"]);
    let again = session.open(&app, "SVC_KEY").await;
    let crossed = session.turn(&app, &again, json!({ "credential": others })).await;
    assert_eq!((crossed.status(), crossed.reason()), ("IN_PROGRESS", "NOT_FOUND"));
    let asked = session.open(&app, "SVC_KEY").await;
    let none = session.turn(&app, &asked, json!({})).await;
    assert_eq!((none.status(), none.reason()), ("IN_PROGRESS", "NO_KEY"));
    let asked = session.open(&app, "SVC_KEY").await;
    let credential = phone.get(&asked.step()["options"]);
    let ended = session.turn(&app, &asked, json!({ "credential": credential })).await;
    assert_eq!(ended.status(), "COMPLETE", "{}", ended.reason());
}

#[tokio::test]
async fn the_block_of_a_key_is_called_by_the_brand() {
    let settings = AgeVerificationSettings {
        public_url: ORIGIN.to_owned(),
        brand: "acme".to_owned(),
        ..AgeVerificationSettings::default()
    };
    let app = TestApp::start_with_age_settings(settings).await;
    let offers = async |name: &str| {
        let session = Session::new(&app, BASE, &json!({ name: {}, "doc_scan": {} })).await;
        let view = session.page(&app, "GET", "", None).await.json();
        view["methods"].as_array().unwrap().iter().any(|one| one["method"] == "SVC_KEY")
    };
    assert!(offers("acme_key").await && offers("svc_key").await);
    assert!(!offers("other_key").await, "a member that nobody knows");
    let key = app.api_key(&[]).await;
    let twice = json!({ "acme_key": {}, "svc_key": {}, "doc_scan": {} });
    let refused = business(&app, &key, "POST", &format!("{BASE}/sessions"), Some(twice)).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
}
