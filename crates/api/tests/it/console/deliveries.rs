//! `/console/deliveries`, and what applications' messages are signed with.

use super::{message, staff::Staff};
use crate::{
    content_moderation::{created_id, first_error},
    deliveries::BackgroundDispatcher,
};
use base::{AppId, DeliveryId, Environment as _, SignedDuration, Uuid};
use domain::{
    accounts::ConsoleScope,
    delivery::{SuccessCriterion, WebhookMessage, WebhookMethod, erase_messages_about},
    operators::BuiltInRole,
};
use media::fetch::{EgressPolicy, FetchError};
use serde_json::{Value, json};
use std::net::SocketAddr;
use testkit::stub_server::{self, StubReply, StubServer};
use tokio::net::UdpSocket;

/// What an application sends to its server, with secrets where applications have them.
fn secretive_message(receiver: &StubServer) -> WebhookMessage {
    WebhookMessage {
        url: receiver.url("/hooks/T024BE7LDT024BE7LD?token=s3cret"),
        verb: WebhookMethod::Post,
        headers: vec![("authorization".to_owned(), "Bearer s3cret".to_owned())],
        body: r#"{"status":"OVER"}"#.to_owned(),
        verify_tls: true,
        success: SuccessCriterion::Any2xx,
    }
}

async fn enqueue(staff: &Staff, app: AppId, receiver: &StubServer, about: &[Uuid]) -> DeliveryId {
    let api = &staff.app().api;
    let mut tx = api.db.write().await.unwrap();
    let said = secretive_message(receiver);
    let id = api.outbox.enqueue_about(&mut tx, &*api.environment, (app, None), about, "ages.result", &said);
    let id = id.await.unwrap();
    tx.commit().await.unwrap();
    id
}

/// Delivers until nothing waits that is due, and all attempts are recorded.
async fn deliver(staff: &Staff) {
    let dispatcher = BackgroundDispatcher::start(staff.app(), &staff.app().api.outbox);
    for _ in 0..6000 {
        let now = staff.app().environment.now();
        let due = db::sql!(
            "SELECT count(*) FROM deliveries WHERE state = 'RUNNING' OR (state = 'WAITING' AND next_at <= $1)",
            now,
        );
        if staff.fixture.count(due).await == 0 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    dispatcher.stop().await;
}

fn ids(list: &Value) -> Vec<String> {
    let deliveries = list["deliveries"].as_array().unwrap();
    deliveries.iter().map(|one| one["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn deliveries_are_listed_by_what_is_asked_for() {
    let staff = Staff::start().await;
    let operator = staff.operator(BuiltInRole::Support).await;
    let (good, gone) = (
        StubServer::start(|_| StubReply::status(204)).await,
        StubServer::start(|_| StubReply::status(410)).await,
    );
    let (other, _, _) = staff.app().add_tenant().await;
    let (own, about) = (staff.application(), Uuid::from_u128(7));
    let first = enqueue(&staff, own, &gone, &[about]).await;
    staff.app().environment.advance(SignedDuration::from_secs(1));
    let second = enqueue(&staff, other, &good, &[]).await;
    deliver(&staff).await;
    let listed = staff.get(&operator, "/console/deliveries").await;
    assert_response_snapshot!(
        listed,
        "deliveries.*.last_attempt.took_ms deliveries.*.created_at deliveries.*.ended_at deliveries.*.last_attempt.at"
    );
    let found = async |query: &str| {
        let listed = staff.get(&operator, &format!("/console/deliveries?{query}")).await;
        assert_eq!(listed.status, 200, "{query}: {}", listed.json());
        ids(&listed.json())
    };
    let (first, second) = (first.to_string(), second.to_string());
    assert_eq!(found("").await, [second.as_str(), first.as_str()]);
    assert_eq!(found(&format!("application_id={own}")).await, [first.as_str()]);
    assert_eq!(found("state=FAILED").await, [first.as_str()]);
    assert_eq!(found(&format!("origin=https://{}", good.host())).await, [second.as_str()]);
    assert_eq!(found(&format!("subject_id={about}")).await, [first.as_str()]);
    assert_eq!(found("topic=ages.result").await.len(), 2);
    assert_eq!(found("topic=proof.result").await.len(), 0);
    let now = staff.app().environment.now();
    assert_eq!(found(&format!("from={now}")).await, [second]);
    assert_eq!(found(&format!("to={now}")).await, [first]);
    for (query, property) in [
        ("state=LOST", "state"),
        ("application_id=x", "application_id"),
        ("subject_id=x", "subject_id"),
        ("from=yesterday", "from"),
        ("after=1", "after"),
    ] {
        let refused = staff.get(&operator, &format!("/console/deliveries?{query}")).await;
        assert_eq!(first_error(&refused)["property"], property, "{query}");
    }
    let nobody = "/console/deliveries?application_id=018f3c8e-0000-4000-8000-00000000000a";
    assert_eq!(staff.get(&operator, nobody).await.status_and_code(), "404 NOT_FOUND");
}

#[tokio::test]
async fn a_long_list_has_pages_and_loses_and_repeats_nothing() {
    let staff = Staff::start().await;
    let operator = staff.operator(BuiltInRole::Support).await;
    let receiver = StubServer::start(|_| StubReply::status(204)).await;
    let mut all = Vec::new();
    for _ in 0..110 {
        all.push(enqueue(&staff, staff.application(), &receiver, &[]).await.to_string());
    }
    let (mut found, mut query) = (Vec::new(), String::new());
    loop {
        let page = staff.get(&operator, &format!("/console/deliveries?{query}")).await.json();
        found.extend(ids(&page));
        // One that comes meanwhile is newer than all of them.
        staff.app().environment.advance(SignedDuration::from_secs(1));
        enqueue(&staff, staff.application(), &receiver, &[]).await;
        let Some(next) = page["next"].as_str() else { break };
        query = format!("after={next}");
    }
    found.sort_unstable();
    all.sort_unstable();
    assert_eq!(found, all);
}

#[tokio::test]
async fn a_delivery_is_shown_without_the_secrets_of_the_application() {
    let staff = Staff::start().await;
    let operator = staff.operator(BuiltInRole::Support).await;
    let receiver = StubServer::start(|_| StubReply::status(503)).await;
    let about = Uuid::from_u128(7);
    let id = enqueue(&staff, staff.application(), &receiver, &[about]).await;
    deliver(&staff).await;
    let path = format!("/console/deliveries/{id}");
    let shown = staff.get(&operator, &path).await;
    assert!(!String::from_utf8_lossy(&shown.body).contains("s3cret"));
    assert_response_snapshot!(
        shown,
        "attempts.*.took_ms delivery.last_attempt.took_ms delivery.next_attempt_at attempts.*.at delivery.last_attempt.at delivery.created_at"
    );
    let auditor = staff.operator(BuiltInRole::Auditor).await;
    let seen = staff.get(&auditor, "/console/audit-records?action=delivery.view").await;
    assert_eq!(seen.json()["records"][0]["entry"]["target"], id.to_string());

    let mut tx = staff.app().api.db.write().await.unwrap();
    erase_messages_about(&mut tx, &[about], staff.app().environment.now()).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(staff.get(&operator, &path).await.json()["message"], Value::Null);
    let replayed = staff.call(&operator, "POST", &format!("{path}/replay"), None).await;
    assert_eq!(replayed.status_and_code(), "409 CONFLICT");
    assert!(message(&replayed).contains("was erased"), "{}", message(&replayed));
}

#[tokio::test]
async fn a_message_is_sent_again() {
    let staff = Staff::start().await;
    let operator = staff.operator(BuiltInRole::Support).await;
    let receiver = StubServer::start(|_| StubReply::status(410)).await;
    let id = enqueue(&staff, staff.application(), &receiver, &[]).await;
    deliver(&staff).await;
    let path = format!("/console/deliveries/{id}/replay");
    assert_response_snapshot!(staff.call(&operator, "POST", &path, None).await);
    deliver(&staff).await;
    let sent = receiver.captured();
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[0].header("webhook-id"), sent[1].header("webhook-id"), "it is the same message");
    staff.app().execute(db::sql!("UPDATE deliveries SET state = 'RUNNING' WHERE id = $1", id)).await;
    let refused = staff.call(&operator, "POST", &path, None).await;
    assert_eq!(refused.status_and_code(), "409 CONFLICT", "it is being sent");
    let nobody = "/console/deliveries/018f3c8e-0000-7000-8000-00000000000a/replay";
    assert_eq!(staff.call(&operator, "POST", nobody, None).await.status_and_code(), "404 NOT_FOUND");
}

#[tokio::test]
async fn many_messages_are_sent_again() {
    let staff = Staff::start().await;
    let operator = staff.operator(BuiltInRole::Support).await;
    let (gone, good) = (
        StubServer::start(|_| StubReply::status(410)).await,
        StubServer::start(|_| StubReply::status(204)).await,
    );
    let (other, _, _) = staff.app().add_tenant().await;
    for app in [staff.application(), other] {
        for receiver in [&gone, &good] {
            enqueue(&staff, app, receiver, &[]).await;
        }
    }
    deliver(&staff).await;
    let replay = async |body: Value| staff.post(&operator, "/console/deliveries/replay", body).await;
    assert_response_snapshot!(replay(json!({ "application_id": staff.application() })).await);
    deliver(&staff).await;
    assert_eq!(gone.captured().len(), 3, "only what was given up, and only of that application");
    assert_eq!(replay(json!({})).await.json()["count"], 2);
    let delivered =
        json!({ "state": "DELIVERED", "origin": format!("https://{}", good.host()), "topic": "ages.result" });
    assert_eq!(replay(delivered).await.json()["count"], 2);
    assert_eq!(replay(json!({ "topic": "proof.result" })).await.json()["count"], 0);
    let refused = replay(json!({ "state": "LOST" })).await;
    assert_eq!(first_error(&refused)["property"], "state");
    for name in ["from", "to"] {
        let refused = replay(json!({ name: "-009999-01-02T02:00:00Z" })).await;
        assert_eq!(first_error(&refused)["property"], name);
    }
    let nobody = replay(json!({ "application_id": "018f3c8e-0000-4000-8000-00000000000a" })).await;
    assert_eq!(nobody.status_and_code(), "404 NOT_FOUND");
}

#[tokio::test]
async fn endpoints_of_an_application_have_figures() {
    let staff = Staff::start().await;
    let operator = staff.operator(BuiltInRole::Support).await;
    let path = format!("/console/applications/{}/webhook-endpoints", staff.application());
    assert_eq!(staff.get(&operator, &path).await.json()["endpoints"], json!([]));
    let receiver = StubServer::start(|_| StubReply::status(204)).await;
    enqueue(&staff, staff.application(), &receiver, &[]).await;
    deliver(&staff).await;
    enqueue(&staff, staff.application(), &receiver, &[]).await;
    assert_response_snapshot!(staff.get(&operator, &path).await, "endpoints.*.last_delivered_at");
    staff.app().environment.advance(SignedDuration::from_hours(24 * 8));
    let operator = staff.operator(BuiltInRole::Support).await;
    assert_eq!(staff.get(&operator, &path).await.json()["endpoints"], json!([]), "they are of a week");
}

#[tokio::test]
async fn a_secret_is_replaced_and_shown_once() {
    let staff = Staff::start().await;
    let operator = staff.operator(BuiltInRole::Support).await;
    let path = format!("/console/applications/{}/webhook-secrets", staff.application());
    let receiver = StubServer::start(|_| StubReply::status(204)).await;
    enqueue(&staff, staff.application(), &receiver, &[]).await;
    deliver(&staff).await;
    let created = staff.post(&operator, &path, json!({ "overlap_hours": 1 })).await;
    let secret = created.json()["secret"].as_str().unwrap().to_owned();
    assert_response_snapshot!(created, (&secret[..], "secret"), "old_ones_retire_at");
    enqueue(&staff, staff.application(), &receiver, &[]).await;
    deliver(&staff).await;
    let signatures: Vec<_> =
        receiver.captured().iter().map(|sent| sent.header("webhook-signature").split(' ').count()).collect();
    assert_eq!(signatures, [1, 2], "by both until the overlap has passed");
    for hours in [-1, 169] {
        let refused = staff.post(&operator, &path, json!({ "overlap_hours": hours })).await;
        assert_eq!(first_error(&refused)["property"], "overlap_hours");
        assert_eq!(first_error(&refused)["measured"], json!(f64::from(hours)));
    }
    let nobody = "/console/applications/018f3c8e-0000-4000-8000-00000000000a/webhook-secrets";
    assert_eq!(staff.post(&operator, nobody, json!({})).await.status_and_code(), "404 NOT_FOUND");
}

#[tokio::test]
async fn secrets_are_listed_without_themselves() {
    let staff = Staff::start().await;
    let operator = staff.operator(BuiltInRole::Support).await;
    let path = format!("/console/applications/{}/webhook-secrets", staff.application());
    assert_eq!(staff.get(&operator, &path).await.json()["secrets"], json!([]));
    staff.post(&operator, &path, json!({})).await;
    staff.app().environment.advance(SignedDuration::from_secs(1));
    staff.post(&operator, &path, json!({})).await;
    assert_response_snapshot!(staff.get(&operator, &path).await, "secrets.*.created_at secrets.*.retires_at");
    staff.app().environment.advance(SignedDuration::from_hours(23));
    staff.app().environment.advance(SignedDuration::from_hours(1));
    let operator = staff.operator(BuiltInRole::Support).await;
    assert_eq!(staff.get(&operator, &path).await.json()["secrets"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_test_event_is_signed_sent_and_recorded_like_every_message() {
    let staff = Staff::start().await;
    let operator = staff.operator(BuiltInRole::Support).await;
    let path = format!("/console/applications/{}/test-events", staff.application());
    let receiver = StubServer::start(|_| StubReply::status(204)).await;
    let created = staff.post(&operator, &path, json!({ "url": receiver.url("/hook") })).await;
    let id = created_id(&created);
    assert_response_snapshot!(created);
    deliver(&staff).await;
    let sent = receiver.wait_for(1).await.remove(0);
    assert_eq!(sent.header("webhook-id"), id);
    assert!(sent.header("webhook-signature").starts_with("v1,"));
    let said: Value = serde_json::from_slice(&sent.body).unwrap();
    assert_eq!(
        (&said["type"], &said["application_id"]),
        (&json!("webhook.test"), &json!(staff.application()))
    );
    let shown = staff.get(&operator, &format!("/console/deliveries/{id}")).await.json();
    assert_eq!(
        (&shown["delivery"]["state"], &shown["attempts"][0]["status"]),
        (&json!("DELIVERED"), &json!(204))
    );
    for body in [
        json!({}),
        json!({ "url": "http://hooks.example.com" }),
        json!({ "url": "https://10.0.0.1/" }),
        json!({ "url": format!("https://hooks.example.com/{}", "x".repeat(2000)) }),
        json!({ "url": "https://hooks.example.com", "verify_tls": false }),
    ] {
        let refused = staff.post(&operator, &path, body).await;
        assert_eq!(first_error(&refused)["property"], "url", "{}", refused.json());
    }
}

/// A name server on this machine, to which all names that begin with `inside.` lead to one address, and there are no others.
async fn serve_names() -> SocketAddr {
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let address = socket.local_addr().unwrap();
    tokio::spawn(answer_queries(socket));
    address
}

#[expect(clippy::disallowed_methods, reason = "a name server answers whoever asked, on loopback")]
async fn answer_queries(socket: UdpSocket) {
    let mut query = [0; 512];
    loop {
        let (length, asker) = socket.recv_from(&mut query).await.unwrap();
        socket.send_to(&answer_query(&query[..length]), asker).await.unwrap();
    }
}

/// The response to a query (RFC 1035, section 4.1).
fn answer_query(query: &[u8]) -> Vec<u8> {
    // Behind the header of twelve bytes are the labels of the name, the last of them empty, the type and the class.
    let name_end = 12 + query[12..].iter().position(|byte| *byte == 0).unwrap() + 1;
    let is_known = query[12..name_end].to_ascii_lowercase().starts_with(b"\x06inside");
    let has_address = is_known && query[name_end..name_end + 2] == [0, 1];
    let mut answer = query[..2].to_vec();
    let code = if is_known { 0x80 } else { 0x83 };
    answer.extend([0x81, code, 0, 1, 0, u8::from(has_address), 0, 0, 0, 0]);
    answer.extend(&query[12..name_end + 4]);
    if has_address {
        // The name of the query, type A, class IN, no time to live, 10.0.0.1.
        answer.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 10, 0, 0, 1]);
    }
    answer
}

#[tokio::test]
async fn members_do_not_learn_which_names_lead_inside() {
    let policy = EgressPolicy { name_server: Some(serve_names().await), ..stub_server::egress_policy() };
    let staff = Staff::with(|builder| builder.egress(&policy)).await;
    let manager = staff.member(&[ConsoleScope::DeliveriesManage]).await;
    let operator = staff.operator(BuiltInRole::Support).await;
    let path = format!("/console/applications/{}/test-events", staff.application());
    let mut sent = Vec::new();
    for host in ["inside", "nowhere"] {
        let url = format!("https://{host}.example.com/");
        sent.push(created_id(&staff.post(&manager, &path, json!({ "url": url })).await));
    }
    deliver(&staff).await;
    let shown_errors = async |cookie: &str| {
        let listed = staff.get(cookie, "/console/deliveries").await.json();
        let mut errors = Vec::new();
        for id in &sent {
            let shown = staff.get(cookie, &format!("/console/deliveries/{id}")).await.json();
            let error = &shown["attempts"][0]["error"];
            let deliveries = listed["deliveries"].as_array().unwrap();
            let in_list = deliveries.iter().find(|delivery| delivery["id"] == json!(id)).unwrap();
            for attempt in [&shown["delivery"]["last_attempt"], &in_list["last_attempt"]] {
                assert_eq!(attempt["error"], *error, "the list and the page say the same");
            }
            errors.push(error.as_str().unwrap().to_owned());
        }
        errors
    };
    assert_eq!(shown_errors(&manager).await, [FetchError::PUBLIC_MESSAGE; 2]);
    let told = shown_errors(&operator).await;
    assert!(told[0].contains("not on the public internet"), "{}", told[0]);
    assert!(told[1].starts_with("the call failed"), "{}", told[1]);
}

#[tokio::test]
async fn members_see_and_change_only_what_is_of_their_application() {
    let staff = Staff::start().await;
    let (other, _, _) = staff.app().add_tenant().await;
    let receiver = StubServer::start(|_| StubReply::status(410)).await;
    let own = enqueue(&staff, staff.application(), &receiver, &[]).await;
    let foreign = enqueue(&staff, other, &receiver, &[]).await;
    deliver(&staff).await;
    let viewer = staff.member(&[ConsoleScope::DeliveriesView]).await;
    assert_eq!(ids(&staff.get(&viewer, "/console/deliveries").await.json()), [own.to_string()]);
    assert_eq!(staff.get(&viewer, &format!("/console/deliveries/{own}")).await.status, 200);
    for (method, path) in [
        ("GET", format!("/console/deliveries?application_id={other}")),
        ("GET", format!("/console/deliveries/{foreign}")),
        ("GET", format!("/console/applications/{other}/webhook-endpoints")),
        ("GET", format!("/console/applications/{other}/webhook-secrets")),
    ] {
        let refused = staff.call(&viewer, method, &path, None).await;
        assert_eq!(refused.status_and_code(), "404 NOT_FOUND", "{method} {path}");
    }
    let changes = |app: AppId, delivery: DeliveryId| {
        [
            (format!("/console/deliveries/{delivery}/replay"), json!({})),
            ("/console/deliveries/replay".to_owned(), json!({ "application_id": app })),
            (format!("/console/applications/{app}/webhook-secrets"), json!({})),
            (format!("/console/applications/{app}/test-events"), json!({ "url": receiver.url("/") })),
        ]
    };
    for (path, body) in changes(staff.application(), own) {
        let refused = staff.post(&viewer, &path, body).await;
        assert_eq!(
            refused.status_and_code(),
            "401 UNAUTHORIZED",
            "whoever only looks changes nothing: {path}"
        );
    }
    let manager = staff.member(&[ConsoleScope::DeliveriesManage]).await;
    for (path, body) in changes(other, foreign) {
        let refused = staff.post(&manager, &path, body).await;
        assert_eq!(refused.status_and_code(), "404 NOT_FOUND", "{path}");
    }
    for (path, body) in changes(staff.application(), own) {
        let changed = staff.post(&manager, &path, body).await;
        assert!(changed.status.is_success(), "{path}: {}", changed.status);
    }
    let all = staff.post(&manager, "/console/deliveries/replay", json!({})).await;
    assert_eq!(all.json()["count"], 0, "what is of another application stays as it is");
}

#[tokio::test]
async fn deliveries_need_a_scope() {
    let staff = Staff::start().await;
    let app = staff.application();
    let (endpoints, secrets, tests) = (
        format!("/console/applications/{app}/webhook-endpoints"),
        format!("/console/applications/{app}/webhook-secrets"),
        format!("/console/applications/{app}/test-events"),
    );
    staff
        .assert_refused_without_scope(&[
            ("GET", "/console/deliveries"),
            ("GET", "/console/deliveries/018f3c8e-0000-7000-8000-00000000000a"),
            ("POST", "/console/deliveries/018f3c8e-0000-7000-8000-00000000000a/replay"),
            ("POST", "/console/deliveries/replay"),
            ("GET", &endpoints),
            ("GET", &secrets),
            ("POST", &secrets),
            ("POST", &tests),
        ])
        .await;
}
