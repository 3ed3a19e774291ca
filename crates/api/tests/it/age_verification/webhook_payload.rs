//! The contents of a webhook, member by member.

use super::{SANDBOX, Session, business, stored_results};
use domain::delivery::{
    self, DeliveryDispatcher, DeliveryFilter, DeliverySettings as Sending, DeliveryState,
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, time::Duration};
use testkit::{
    TestApp, face_base64,
    stub_server::{self, StubReply, StubServer},
};
use tokio::{sync::watch, task::JoinHandle};

/// A server whose webhooks are delivered, and their receiver.
struct WebhookFixture {
    app: TestApp,
    receiver: StubServer,
    stop: watch::Sender<bool>,
    sending: JoinHandle<()>,
}

impl WebhookFixture {
    async fn begin(answer: fn(&stub_server::CapturedRequest) -> StubReply) -> Self {
        let app = stored_results::start(&stub_server::egress_policy()).await;
        let (stop, stopped) = watch::channel(false);
        let outbox = app.api.document_verification.outbox().clone();
        let sender =
            DeliveryDispatcher::new(app.api.db.clone(), app.world.clone(), outbox, Sending::default());
        let sending = tokio::spawn(sender.run(stopped));
        Self { app, receiver: StubServer::start(answer).await, stop, sending }
    }

    /// Shows a face in a sandbox, which estimates it to be thirty.
    async fn show_face(&self, mut payload: Value) -> Session {
        payload["block_biometric_consent"] = true.into();
        payload["age_estimation"] = json!({});
        let session = Session::new(&self.app, SANDBOX, &payload).await;
        let opened = session.open(&self.app, "AGE_ESTIMATION").await;
        let ended = session.turn(&self.app, &opened, json!({ "img": face_base64() })).await;
        assert_eq!(ended.status(), "COMPLETE", "{}", ended.0);
        session
    }

    /// The outcomes of the deliveries, once so many have been tried.
    async fn tried(&self, many: usize) -> Vec<(Option<u16>, DeliveryState)> {
        for _ in 0..60_000 {
            let mut view = self.app.api.db.read().await.unwrap();
            let records = delivery::list(&mut view, DeliveryFilter::default()).await.unwrap();
            drop(view);
            let ended = records.iter().filter(|record| record.state != DeliveryState::Running);
            let tried: Vec<_> =
                ended.filter_map(|record| Some((record.attempts.first()?.status, record.state))).collect();
            if tried.len() >= many {
                return tried;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{many} deliveries were not tried");
    }

    async fn end(self) {
        self.stop.send(true).unwrap();
        self.sending.await.unwrap();
    }
}

#[tokio::test]
async fn a_webhook_has_its_members_in_the_order_of_the_signature() {
    let told = WebhookFixture::begin(|_| StubReply::status(200)).await;
    let (app, url) = (&told.app, told.receiver.url("/hook"));
    let by_face =
        told.show_face(json!({ "type": "AGE", "notification_url": url, "reference_id": "r \"7\"" })).await;

    let mut phone = stored_results::keep(app, json!({})).await;
    let payload = json!({ "notification_url": url, "age_estimation": {}, "svc_key": {} });
    let (by_key, _) = stored_results::show(app, &mut phone, SANDBOX, &payload).await;

    // A verified email address is judged, and reported, when the session is created.
    let data = json!({ "verified_email": "minor@example.com" });
    let payload = json!({ "notification_url": url, "email": { "data": data, "threshold": 21 } });
    let path = format!("{SANDBOX}/sessions");
    let made = business(app, &by_face.key, "POST", &path, Some(payload)).await.json();
    assert_eq!(made["status"], "FAIL");
    let id = made["id"].as_str().unwrap().to_owned();
    let by_email = Session { id, key: by_face.key.clone(), base: SANDBOX };
    let evidence = by_email.result(app).await["evidence_id"].to_string();
    assert!(evidence.starts_with("\"sandbox-"), "{evidence}");

    // If an age was asked for and none was determined, there is none in the message.
    let mut without = Vec::new();
    for outcome in ["declined", "unavailable"] {
        let payload = json!({
            "type": "AGE", "notification_url": url, "electronic_id": { "sub_methods": [outcome], "threshold": 18 },
        });
        let session = Session::new(app, SANDBOX, &payload).await;
        let opened = session.open(app, "ELECTRONIC_ID").await;
        assert_eq!(session.come_back(app, &opened).await.status(), "ERROR", "{outcome}");
        let result = session.result(app).await;
        assert_eq!((&result["age"], &result["method"]), (&json!(null), &json!("ELECTRONIC_ID")));
        without.push(session);
    }

    let nothing = "null";
    let mut ids = BTreeSet::new();
    let sent = told.receiver.wait_for(5).await;
    for (session, method, reference, evidence, state) in [
        (
            &by_face,
            r#""method":"AGE_ESTIMATION","result":true,"age":30"#,
            r#""r \"7\"""#,
            "",
            r#""state":"COMPLETE","check_type":"SESSION""#,
        ),
        (
            &by_key,
            r#""method":"SVC_KEY","result":true,"age":18"#,
            nothing,
            "",
            r#""state":"COMPLETE","check_type":"AGE_TOKEN""#,
        ),
        (
            &by_email,
            r#""method":"EMAIL","result":false,"age":21"#,
            nothing,
            evidence.as_str(),
            r#""state":"FAIL","check_type":"SESSION","error_code":"UNDER_AGE""#,
        ),
        (
            &without[0],
            r#""method":"ELECTRONIC_ID","result":false,"age":null"#,
            nothing,
            "",
            r#""state":"ERROR","check_type":"SESSION","error_code":"NOT_FOUND""#,
        ),
        (
            &without[1],
            r#""method":"ELECTRONIC_ID","result":false,"age":null"#,
            nothing,
            "",
            r#""state":"ERROR","check_type":"SESSION","error_code":"PROVIDER_UNAVAILABLE""#,
        ),
    ] {
        let bodies = sent.iter().map(|sent| String::from_utf8(sent.body.to_vec()).unwrap());
        let own: Vec<_> = bodies.filter(|body| body.contains(&session.id)).collect();
        assert_eq!(own.len(), 1, "one for each attempt: {own:?}");
        let said: Value = serde_json::from_str(&own[0]).unwrap();
        let (id, signature) = (&said["id"], &said["signature"]);
        // If a method keeps no evidence, the id of the attempt stands for it.
        let tried = said["evidence_id"].to_string();
        let evidence = if evidence.is_empty() { &tried } else { evidence };
        assert_eq!(session.result(app).await["evidence_id"], said["evidence_id"]);
        assert!(evidence.len() > 8, "{evidence}");
        let expected = format!(
            r#"{{{method},"session_key":"{}","reference_id":{reference},"id":{id},"timestamp":1768574400,"notification_url":"{url}","evidence_id":{evidence},{state},"sequence_number":1,"signature":{signature}}}"#,
            session.id,
        );
        assert_eq!(own[0], expected);
        assert!(id.as_str().unwrap().parse::<base::Uuid>().is_ok(), "{id}");
        assert!(ids.insert(id.to_string()), "each has an id of its own");
    }
    told.end().await;
}

#[tokio::test]
async fn nothing_but_200_takes_a_webhook() {
    let told =
        WebhookFixture::begin(|sent| StubReply::status(if sent.uri.path() == "/taken" { 200 } else { 204 }))
            .await;
    told.show_face(json!({ "notification_url": told.receiver.url("/taken") })).await;
    assert_eq!(told.tried(1).await, [(Some(200), DeliveryState::Delivered)]);
    told.show_face(json!({ "notification_url": told.receiver.url("/accepted") })).await;
    let tried = told.tried(2).await;
    assert!(tried.contains(&(Some(204), DeliveryState::Waiting)), "it is tried again: {tried:?}");
    told.end().await;
}
