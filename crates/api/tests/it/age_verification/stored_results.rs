//! Results that end users store under a passkey, and the rules of the relying parties that accept them.

use crate::age_verification::{
    AgeSessionFixture, AttemptTurn, BASE, SANDBOX, relying_party_call, wallet::choose,
};
use base::SignedDuration;
use domain::age_verification::AgeVerificationSettings;
use media::fetch::EgressPolicy;
use serde_json::{Value, json};
use testkit::{
    TestApp,
    authenticator::{Authenticator, USER_PRESENT_FLAG, USER_VERIFIED_FLAG},
    face_base64,
};

pub(super) const ORIGIN: &str = "https://age.example.com";

/// A server at an address that passkeys can be bound to.
pub(super) async fn start_server(policy: &EgressPolicy) -> TestApp {
    TestApp::start_with_age_settings_and_egress(
        policy,
        AgeVerificationSettings { public_url: ORIGIN.to_owned(), ..AgeVerificationSettings::default() },
    )
    .await
}

/// A session of the sandbox in which an age was proved by a face, and whose page offers to store the result.
pub(super) async fn complete_session(app: &TestApp, estimation: Value) -> AgeSessionFixture {
    complete(app, json!({ "age_estimation": estimation })).await
}

/// The same, of a session with these members.
async fn complete(app: &TestApp, payload: Value) -> AgeSessionFixture {
    let mut payload = payload;
    payload["block_biometric_consent"] = true.into();
    payload["svc_key"] = json!({});
    let session = AgeSessionFixture::create(app, SANDBOX, &payload).await;
    let opened = session.open_attempt(app, "AGE_ESTIMATION").await;
    let ended = session.take_turn(app, &opened, json!({ "img": face_base64() })).await;
    assert_eq!(ended.status(), "COMPLETE", "{}", ended.0);
    assert_eq!(ended.0["session"]["offers"]["key"], true);
    session
}

/// Proves an age by a face, and stores the result; returns the end user's device.
pub(super) async fn store_result(app: &TestApp, estimation: Value) -> Authenticator {
    store_result_of(app, &complete_session(app, estimation).await).await
}

/// The same with the answer of the sandbox's wallet.
pub(super) async fn store_wallet_result(app: &TestApp, block: Value) -> Authenticator {
    let payload = json!({ "digital_id": block, "svc_key": {} });
    let session = AgeSessionFixture::create(app, SANDBOX, &payload).await;
    let opened = session.open_attempt(app, "DIGITAL_ID").await;
    let done = choose(app, &opened.step()["url"], "over").await;
    assert_eq!(done.status_and_code(), "200");
    let ended = session.take_turn(app, &opened, json!({})).await;
    assert_eq!(ended.status(), "COMPLETE", "{}", ended.0);
    store_result_of(app, &session).await
}

/// Stores the result of a complete session; returns the end user's device.
async fn store_result_of(app: &TestApp, session: &AgeSessionFixture) -> Authenticator {
    let mut device = Authenticator::new(ORIGIN);
    let body = create_passkey(app, session, &mut device).await;
    let stored = session.end_user_call(app, "POST", "/key", Some(body)).await;
    let offers = (stored.status_and_code(), &stored.json()["offers"]["key"]);
    assert_eq!(offers, ("200".to_owned(), &json!(false)));
    device
}

/// Has a device create a passkey for a complete session; what the page sends then.
async fn create_passkey(app: &TestApp, session: &AgeSessionFixture, device: &mut Authenticator) -> Value {
    let asked = session.end_user_call(app, "POST", "/key", Some(json!({}))).await;
    assert_eq!(asked.status_and_code(), "200", "{}", asked.json());
    let asked = asked.json();
    let credential = device.create(&asked["options"]);
    json!({ "continuation": asked["continuation"], "credential": credential })
}

/// Uses the stored result in a new session.
pub(super) async fn present_result(
    app: &TestApp,
    device: &mut Authenticator,
    base: &'static str,
    payload: &Value,
) -> (AgeSessionFixture, AttemptTurn) {
    let session = AgeSessionFixture::create(app, base, payload).await;
    let opened = session.open_attempt(app, "SVC_KEY").await;
    assert_eq!(opened.step()["kind"], "passkey");
    let credential = device.get(&opened.step()["options"]);
    let ended = session.take_turn(app, &opened, json!({ "credential": credential })).await;
    (session, ended)
}

async fn rule(app: &TestApp, payload: Value) -> Value {
    let key = app.api_key(&[]).await;
    let made = relying_party_call(app, &key, "POST", &format!("{SANDBOX}/rules"), Some(payload)).await;
    assert_eq!(made.status_and_code(), "201", "{}", made.json());
    made.json()["id"].clone()
}

#[tokio::test]
async fn a_stored_result_counts_if_its_method_threshold_and_levels_suffice() {
    let app = start_server(&EgressPolicy::default()).await;
    let mut device = store_result(&app, json!({ "threshold": 21, "level": "PASSIVE" })).await;
    for (payload, age) in [
        (
            json!({ "age_estimation": { "threshold": 21, "level": "PASSIVE" }, "svc_key": { "threshold": 21 } }),
            21,
        ),
        (json!({ "age_estimation": {}, "doc_scan": {}, "svc_key": {} }), 18),
    ] {
        let (session, ended) = present_result(&app, &mut device, SANDBOX, &payload).await;
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
        let (_, ended) = present_result(&app, &mut device, SANDBOX, &payload).await;
        let came = (ended.status(), ended.reason());
        assert_eq!(came, ("IN_PROGRESS", "KEPT_RESULT_NOT_ENOUGH"), "{payload}: others are left");
    }
    // Production does not have the sandbox's results.
    let payload = json!({ "age_estimation": {}, "svc_key": {} });
    let (_, ended) = present_result(&app, &mut device, BASE, &payload).await;
    assert_eq!((ended.status(), ended.reason()), ("IN_PROGRESS", "NO_KEY"));
}

#[tokio::test]
async fn a_rule_says_what_suffices_and_how_old_a_result_may_be() {
    let app = start_server(&EgressPolicy::default()).await;
    let mut device = store_result(&app, json!({ "threshold": 21, "level": "PASSIVE" })).await;
    let enough =
        rule(&app, json!({ "ttl": 3600, "age_estimation": { "threshold": 21, "level": "passive" } })).await;
    let (session, ended) =
        present_result(&app, &mut device, SANDBOX, &json!({ "rule_id": enough, "svc_key": {} })).await;
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
        let (_, ended) = present_result(&app, &mut device, SANDBOX, &payload).await;
        assert_eq!(ended.reason(), "KEPT_RESULT_NOT_ENOUGH", "{stricter}");
    }
    for (kind, other) in [("UNDER", "OVER"), ("OVER", "UNDER"), ("AGE", "OVER")] {
        let id = rule(&app, json!({ "ttl": 3600, "type": other, "age_estimation": {} })).await;
        let payload = json!({ "type": kind, "rule_id": id, "age_estimation": {}, "svc_key": {} });
        let refused =
            relying_party_call(&app, &session.key, "POST", &format!("{SANDBOX}/sessions"), Some(payload))
                .await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST", "{kind}, a rule for {other}");
    }
    // A rule of the sandbox does not exist in production.
    let payload = json!({ "rule_id": enough, "svc_key": {} });
    let foreign =
        relying_party_call(&app, &session.key, "POST", &format!("{BASE}/sessions"), Some(payload)).await;
    assert_eq!(foreign.status_and_code(), "400 INVALID_REQUEST");

    let patient = rule(&app, json!({ "ttl": 7200, "age_estimation": {} })).await;
    let reason = async |device: &mut Authenticator, id: &Value| {
        let payload = json!({ "rule_id": id, "svc_key": {} });
        let (_, ended) = present_result(&app, device, SANDBOX, &payload).await;
        format!("{} {}", ended.status(), ended.reason())
    };
    app.environment.advance(SignedDuration::from_secs(3600));
    assert_eq!(reason(&mut device, &enough).await, "COMPLETE ");
    app.environment.advance(SignedDuration::from_secs(1));
    assert_eq!(reason(&mut device, &enough).await, "FAIL KEPT_RESULT_TOO_OLD");
    assert_eq!(reason(&mut device, &patient).await, "COMPLETE ", "that it was shown makes it no younger");
    let month = rule(&app, json!({ "ttl": 2_592_000, "age_estimation": {} })).await;
    app.environment.advance(SignedDuration::from_hours(24 * 30));
    assert_eq!(reason(&mut device, &month).await, "FAIL NO_KEY", "it is not kept any longer");
}

#[tokio::test]
async fn beside_a_policy_a_rule_can_only_ask_for_more() {
    let app = start_server(&EgressPolicy::default()).await;
    let faces = rule(&app, json!({ "ttl": 3600, "age_estimation": {} })).await;
    let documents = rule(&app, json!({ "ttl": 3600, "doc_scan": {} })).await;
    let mut adult = store_result(&app, json!({ "threshold": 18 })).await;
    // The policy wants a live face of 25.
    let mut proven = store_result(&app, json!({ "threshold": 25, "level": "ACTIVE" })).await;
    let present = async |device: &mut Authenticator, payload: Value| {
        let (session, ended) = present_result(&app, device, SANDBOX, &payload).await;
        assert_eq!(session.result(&app).await["policy"], "gb@1");
        format!("{} {}", ended.status(), ended.reason())
    };
    for payload in [json!({ "policy": "gb" }), json!({ "policy": "gb", "rule_id": faces })] {
        assert_eq!(
            present(&mut adult, payload.clone()).await,
            "IN_PROGRESS KEPT_RESULT_NOT_ENOUGH",
            "{payload}"
        );
        assert_eq!(present(&mut proven, payload.clone()).await, "COMPLETE ", "{payload}");
    }
    let stricter = json!({ "policy": "gb", "rule_id": documents });
    assert_eq!(present(&mut proven, stricter).await, "IN_PROGRESS KEPT_RESULT_NOT_ENOUGH");
    // A method that the request takes away from the policy is not enough under a passkey either.
    let without_faces = json!({ "policy": "gb", "rule_id": faces, "age_estimation": { "allowed": false } });
    assert_eq!(present(&mut proven, without_faces).await, "IN_PROGRESS KEPT_RESULT_NOT_ENOUGH");
}

#[tokio::test]
async fn an_age_that_was_only_asked_for_has_no_confidence() {
    let settings = AgeVerificationSettings {
        public_url: ORIGIN.to_owned(),
        estimate_confidence: Some(0.95),
        ..AgeVerificationSettings::default()
    };
    let app = TestApp::start_with_age_settings(settings).await;
    let session = complete(&app, json!({ "type": "AGE", "age_estimation": {} })).await;
    let record = session.result(&app).await;
    assert_eq!((&record["age"], &record["age_estimation"]["confidence"]), (&json!(30), &Value::Null));
    let mut asked = store_result_of(&app, &session).await;
    let mut compared = store_result(&app, json!({})).await;
    let present = async |device: &mut Authenticator, payload: Value| {
        let (_, ended) = present_result(&app, device, SANDBOX, &payload).await;
        format!("{} {}", ended.status(), ended.reason())
    };
    let payload = json!({ "age_estimation": { "threshold": 18 }, "svc_key": {} });
    assert_eq!(present(&mut asked, payload.clone()).await, "IN_PROGRESS KEPT_RESULT_NOT_ENOUGH");
    assert_eq!(present(&mut compared, payload).await, "COMPLETE ");
    let id = rule(&app, json!({ "ttl": 3600, "type": "AGE", "age_estimation": {} })).await;
    let asks_for_none = json!({ "rule_id": id, "svc_key": {} });
    assert_eq!(present(&mut asked, asks_for_none).await, "COMPLETE ");
}

#[tokio::test]
async fn what_birthdays_change_is_not_said_of_a_later_day() {
    let app = start_server(&EgressPolicy::default()).await;
    let present = async |device: &mut Authenticator, payload: Value| {
        let (_, ended) = present_result(&app, device, SANDBOX, &payload).await;
        format!("{} {}", ended.status(), ended.reason())
    };
    let session_of = |kind: &str, threshold: i64| {
        let block = json!({ "threshold": threshold });
        json!({ "type": kind, "age_estimation": block, "svc_key": block })
    };
    let under = complete(&app, json!({ "type": "UNDER", "age_estimation": { "threshold": 40 } })).await;
    let mut under = store_result_of(&app, &under).await;
    let aged = complete(&app, json!({ "type": "AGE", "age_estimation": {} })).await;
    let mut aged = store_result_of(&app, &aged).await;
    assert_eq!(present(&mut under, session_of("UNDER", 40)).await, "COMPLETE ");
    app.environment.advance(SignedDuration::from_hours(24));
    let not_enough = "IN_PROGRESS KEPT_RESULT_NOT_ENOUGH";
    assert_eq!(present(&mut under, session_of("UNDER", 40)).await, not_enough, "it may be their birthday");
    assert_eq!(present(&mut under, session_of("UNDER", 41)).await, "COMPLETE ", "they turn 40 at most");
    assert_eq!(present(&mut aged, session_of("OVER", 30)).await, "COMPLETE ", "that stays reached");
    // A rule and the question of the session are both about the person as they are now.
    let faces = |threshold: i64| json!({ "type": "UNDER", "age_estimation": { "threshold": threshold } });
    for (threshold, came) in [(40, "FAIL KEPT_RESULT_NOT_ENOUGH"), (41, "COMPLETE ")] {
        let id = rule(&app, faces(threshold)).await;
        let payload = json!({ "type": "UNDER", "rule_id": id, "svc_key": { "threshold": 41 } });
        assert_eq!(present(&mut under, payload).await, came, "{threshold}");
    }
}

#[tokio::test]
async fn an_answer_that_is_lost_is_given_again_to_the_same_passkey() {
    let app = start_server(&EgressPolicy::default()).await;
    let session = complete_session(&app, json!({})).await;
    let (mut device, mut other) = (Authenticator::new(ORIGIN), Authenticator::new(ORIGIN));
    let body = create_passkey(&app, &session, &mut device).await;
    let late = create_passkey(&app, &session, &mut other).await;
    let mut thief = Authenticator::new(ORIGIN);
    thief.id.clone_from(&device.id);
    let of_thief = create_passkey(&app, &session, &mut thief).await;
    let store = async |body: &Value| session.end_user_call(&app, "POST", "/key", Some(body.clone())).await;
    let first = store(&body).await;
    assert_eq!(first.status_and_code(), "200", "{}", first.json());
    let again = store(&body).await;
    assert_eq!(
        (again.status_and_code(), again.json()["offers"]["key"].clone()),
        ("200".to_owned(), json!(false))
    );
    for refused in [&late, &of_thief, &json!({})] {
        assert_eq!(store(refused).await.status_and_code(), "409 INVALID_STATUS", "one passkey keeps it");
    }
    let payload = json!({ "age_estimation": {}, "svc_key": {} });
    let (_, ended) = present_result(&app, &mut device, SANDBOX, &payload).await;
    assert_eq!(ended.status(), "COMPLETE", "{}", ended.reason());
    // Nor is it given for a result that was deleted meanwhile.
    let rows = db::sql!("DELETE FROM age_tokens");
    let mut tx = app.api.db.write().await.unwrap();
    tx.execute(rows).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(store(&body).await.status_and_code(), "409 INVALID_STATUS");
}

#[tokio::test]
async fn a_result_is_as_old_as_its_proof_however_late_it_is_stored() {
    let app = start_server(&EgressPolicy::default()).await;
    let session = complete(&app, json!({ "ttl": 7200, "age_estimation": {} })).await;
    app.environment.advance(SignedDuration::from_secs(3601));
    let mut device = store_result_of(&app, &session).await;
    for (ttl, came) in [(3600, "FAIL KEPT_RESULT_TOO_OLD"), (3601, "COMPLETE ")] {
        let id = rule(&app, json!({ "ttl": ttl, "age_estimation": {} })).await;
        let payload = json!({ "rule_id": id, "svc_key": {} });
        let (_, ended) = present_result(&app, &mut device, SANDBOX, &payload).await;
        assert_eq!(format!("{} {}", ended.status(), ended.reason()), came, "{ttl}");
    }
}

#[tokio::test]
async fn a_passkey_counts_only_with_user_verification_from_its_own_page() {
    let app = start_server(&EgressPolicy::default()).await;
    let mut device = store_result(&app, json!({})).await;
    let payload =
        json!({ "age_estimation": {}, "svc_key": { "authentication": true, "retry_enabled": true } });
    let (session, ended) = present_result(&app, &mut device, SANDBOX, &payload).await;
    assert_eq!(ended.status(), "COMPLETE", "{}", ended.reason());
    assert_eq!(session.result(&app).await["svc_key"]["authentication"], true);

    // A phone in the hands of another person, another page, a copy of the key.
    let counted = device.counter;
    for (flags, origin, counter) in [
        (USER_PRESENT_FLAG, ORIGIN, counted),
        (USER_PRESENT_FLAG | USER_VERIFIED_FLAG, "https://shop.example.com", counted),
        (USER_PRESENT_FLAG | USER_VERIFIED_FLAG, ORIGIN, 0),
    ] {
        (device.flags, device.origin, device.counter) = (flags, origin, counter);
        let (session, ended) = present_result(&app, &mut device, SANDBOX, &payload).await;
        assert_eq!((ended.status(), ended.reason()), ("IN_PROGRESS", "NOT_FOUND"), "{flags} {origin}");
        assert_eq!(session.result(&app).await["status"], "IN_PROGRESS");
    }
    // The answer to another attempt's request, and no answer at all.
    (device.flags, device.origin, device.counter) = (USER_PRESENT_FLAG | USER_VERIFIED_FLAG, ORIGIN, counted);
    let session = AgeSessionFixture::create(&app, SANDBOX, &payload).await;
    let asked = session.open_attempt(&app, "SVC_KEY").await;
    let others = device.get(&asked.step()["options"]);
    let again = session.open_attempt(&app, "SVC_KEY").await;
    let crossed = session.take_turn(&app, &again, json!({ "credential": others })).await;
    assert_eq!((crossed.status(), crossed.reason()), ("IN_PROGRESS", "NOT_FOUND"));
    let asked = session.open_attempt(&app, "SVC_KEY").await;
    let none = session.take_turn(&app, &asked, json!({})).await;
    assert_eq!((none.status(), none.reason()), ("IN_PROGRESS", "NO_KEY"));
    let asked = session.open_attempt(&app, "SVC_KEY").await;
    let credential = device.get(&asked.step()["options"]);
    let ended = session.take_turn(&app, &asked, json!({ "credential": credential })).await;
    assert_eq!(ended.status(), "COMPLETE", "{}", ended.reason());
}

#[tokio::test]
async fn the_block_of_the_key_has_the_name_of_the_brand() {
    let settings = AgeVerificationSettings {
        public_url: ORIGIN.to_owned(),
        brand: "acme".to_owned(),
        ..AgeVerificationSettings::default()
    };
    let app = TestApp::start_with_age_settings(settings).await;
    let offers = async |name: &str| {
        let session = AgeSessionFixture::create(&app, BASE, &json!({ name: {}, "doc_scan": {} })).await;
        let view = session.end_user_call(&app, "GET", "", None).await.json();
        view["methods"].as_array().unwrap().iter().any(|one| one["method"] == "SVC_KEY")
    };
    assert!(offers("acme_key").await && offers("svc_key").await);
    assert!(!offers("other_key").await, "a member that nobody knows");
    let key = app.api_key(&[]).await;
    let twice = json!({ "acme_key": {}, "svc_key": {}, "doc_scan": {} });
    let refused = relying_party_call(&app, &key, "POST", &format!("{BASE}/sessions"), Some(twice)).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
}

#[tokio::test]
async fn nobody_overwrites_the_result_under_another_persons_passkey() {
    let app = start_server(&EgressPolicy::default()).await;
    let mut device = store_result(&app, json!({ "threshold": 21 })).await;

    let session = complete_session(&app, json!({})).await;
    let mut thief = Authenticator::new(ORIGIN);
    thief.id.clone_from(&device.id);
    let body = create_passkey(&app, &session, &mut thief).await;
    let refused = session.end_user_call(&app, "POST", "/key", Some(body)).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
    let seen = session.end_user_call(&app, "GET", "", None).await.json();
    assert_eq!(seen["offers"]["key"], true, "it may be stored under a passkey of their own");

    let payload = json!({ "age_estimation": { "threshold": 21 }, "svc_key": { "threshold": 21 } });
    let (_, ended) = present_result(&app, &mut device, SANDBOX, &payload).await;
    assert_eq!(ended.status(), "COMPLETE", "{}", ended.reason());
}
