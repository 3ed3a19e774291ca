//! Retention: what is stored, who is notified, and how it is deleted.

use super::{BASE, SANDBOX, Session, business, signed};
use base::SignedDuration;
use domain::delivery::{DeliveryDispatcher, DeliverySettings as Sending};
use futures_util::TryStreamExt as _;
use media::blobs::BlobPrefix;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use testkit::{
    TestApp, proof_settings,
    stub_server::{self, StubReply, StubServer},
};

async fn blobs(app: &TestApp, session: &Session) -> usize {
    let prefix = BlobPrefix::tenant(session.id.parse::<base::DocumentSessionId>().unwrap());
    app.api.blobs.list(&prefix).try_collect::<Vec<_>>().await.unwrap().len()
}

async fn rows(app: &TestApp, query: db::Query) -> i64 {
    app.api.db.read().await.unwrap().count(query).await.unwrap()
}

/// A session in production with an uploaded page, and nothing to check or read.
async fn supplied(app: &TestApp) -> (Session, Value) {
    let payload = json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] });
    let session = Session::new(app, BASE, &payload).await;
    session.document(app, "PASSPORT", "SWE", &[testkit::face_jpeg()]).await;
    let read = session.read(app).await;
    (session, read["resources"]["id_documents"][0]["pages"][0]["media"].clone())
}

#[tokio::test]
async fn media_are_served_in_ranges_and_never_cached_and_deleted_when_it_is_over() {
    let app = TestApp::start().await;
    let (session, media) = supplied(&app).await;
    let path = session.path(&format!("/media/{}/content", media["id"].as_str().unwrap()));
    let whole = business(&app, "GET", &path, None).await;
    assert_eq!((whole.status_and_code().as_str(), whole.header("content-type")), ("200", "image/jpeg"));
    assert_eq!((whole.header("cache-control"), whole.header("accept-ranges")), ("no-store", "bytes"));
    assert!(whole.body == testkit::face_jpeg());
    let part = signed(&app, "GET", &path).header("Range", "bytes=100-199").send(&app).await;
    let size = testkit::face_jpeg().len();
    assert_eq!(
        (part.status.as_u16(), part.header("content-range")),
        (206, &*format!("bytes 100-199/{size}"))
    );
    assert!(part.body == testkit::face_jpeg()[100..200]);
    let beyond =
        signed(&app, "GET", &path).header("Range", format!("bytes={size}-").as_str()).send(&app).await;
    assert_eq!(
        (beyond.status_and_code().as_str(), beyond.header("content-range")),
        ("416 RANGE_NOT_SATISFIABLE", &*format!("bytes */{size}"))
    );
    let none = session.path("/media/018f3c8e-0000-4000-8000-00000000000a/content");
    assert_eq!(business(&app, "GET", &none, None).await.status_and_code(), "404 MEDIA_CONTENT_NOT_FOUND");

    // There is one row in the database, and one blob beside it.
    let sealed = rows(&app, db::sql!("SELECT count(*) FROM identity_sessions")).await;
    assert_eq!((sealed, blobs(&app, &session).await), (1, 1));

    assert_eq!(business(&app, "DELETE", &path, None).await.status_and_code(), "409 SESSION_LOCKED");
    session.finish(&app).await;
    assert_eq!(session.read(&app).await["state"], "COMPLETED", "nothing is to be checked");
    assert_eq!(session.call(&app, "GET", "/configuration", None).await.status_and_code(), "401 BAD_TOKEN");
    assert_eq!(business(&app, "DELETE", &path, None).await.status_and_code(), "204");
    assert_eq!(business(&app, "GET", &path, None).await.status_and_code(), "204", "it is withheld for good");
    assert_eq!(blobs(&app, &session).await, 0);
    assert_eq!(session.read(&app).await["resources"]["id_documents"][0]["pages"][0]["media"], Value::Null);
}

#[tokio::test]
async fn pictures_of_some_countries_documents_are_withheld() {
    let app = TestApp::start().await;
    let payload = json!({ "required_documents": [{ "type": "ID_DOCUMENT", "filter": { "allow_non_latin_documents": true } }] });
    let session = Session::new(&app, BASE, &payload).await;
    session.document(&app, "PASSPORT", "PRK", &[testkit::face_jpeg()]).await;
    let media = session.read(&app).await["resources"]["id_documents"][0]["pages"][0]["media"].clone();
    let answer = session.media(&app, &media).await;
    assert_eq!((answer.status_and_code().as_str(), answer.body.len()), ("204", 0));
}

#[tokio::test]
async fn a_deleted_session_leaves_nothing() {
    let app = TestApp::start().await;
    let (session, _) = supplied(&app).await;
    assert_eq!(blobs(&app, &session).await, 1);
    assert_eq!(business(&app, "DELETE", &session.path(""), None).await.status_and_code(), "204");
    assert_eq!(
        business(&app, "GET", &session.path(""), None).await.status_and_code(),
        "404 SESSION_NOT_FOUND"
    );
    assert_eq!(
        business(&app, "DELETE", &session.path(""), None).await.status_and_code(),
        "404 SESSION_NOT_FOUND"
    );
    assert_eq!(session.call(&app, "GET", "/configuration", None).await.status_and_code(), "401 BAD_TOKEN");
    assert_eq!(blobs(&app, &session).await, 0);
    assert_eq!(rows(&app, db::sql!("SELECT count(*) FROM identity_sessions")).await, 0);
    assert!(app.api.account_deletion.find_orphans().await.unwrap().is_empty());

    // A file that arrived during the deletion is found by the sweep.
    let id: base::DocumentSessionId = session.id.parse().unwrap();
    let key = media::blobs::BlobKey::new(id, "media".parse::<media::blobs::BlobKeySegment>().unwrap(), id);
    app.api.blobs.put(&key, b"late").await.unwrap();
    assert_eq!(app.api.account_deletion.find_orphans().await.unwrap().len(), 1);
    app.world.advance(SignedDuration::from_mins(10));
    app.api.document_verification.sweep().await.unwrap();
    assert!(app.api.account_deletion.find_orphans().await.unwrap().is_empty());
    assert_eq!(rows(&app, db::sql!("SELECT count(*) FROM identity_leavings")).await, 0);
}

#[tokio::test]
async fn time_ends_a_session_then_its_resources_then_itself() {
    let app = TestApp::start().await;
    let (session, media) = supplied(&app).await;
    let sweep = async |seconds: i64| {
        app.world.advance(SignedDuration::from_secs(seconds));
        app.api.document_verification.sweep().await.unwrap();
        session.read(&app).await
    };
    assert_eq!(sweep(599).await["state"], "ONGOING");
    assert_eq!(sweep(1).await["state"], "EXPIRED");
    assert_eq!(sweep(87_000 - 601).await["resources"]["id_documents"][0]["pages"][0]["media"], media);
    let read = sweep(1).await;
    assert_eq!((&read["state"], &read["resources"]["id_documents"]), (&json!("EXPIRED"), &json!([])));
    assert_eq!(blobs(&app, &session).await, 0);
    assert_eq!(session.media(&app, &media).await.status_and_code(), "404 MEDIA_CONTENT_NOT_FOUND");
    app.world.advance(SignedDuration::from_hours(24 * 30));
    app.api.document_verification.sweep().await.unwrap();
    assert_eq!(
        business(&app, "GET", &session.path(""), None).await.status_and_code(),
        "404 SESSION_NOT_FOUND"
    );
    assert_eq!(rows(&app, db::sql!("SELECT count(*) FROM identity_sessions")).await, 0);
}

#[tokio::test]
async fn devices_are_remembered_until_they_are_forgotten() {
    let app = TestApp::start().await;
    let device = json!({ "os_name": "Linux", "locale": "sv-SE", "screen": 7 });
    let meta = api::base64(device.to_string().as_bytes());
    let path = format!("{BASE}/sessions");
    let made = signed(&app, "POST", &path).header("X-Svc-Device-Meta", &meta).body("{}").send(&app).await;
    let path = format!("{path}/{}/tracked-devices", made.json()["sessionId"].as_str().unwrap());
    let known = business(&app, "GET", &path, None).await.json();
    assert_eq!(
        (&known[0]["event"], &known[0]["device"]),
        (&json!("CREATE_SESSION"), &json!({ "os_name": "Linux", "locale": "sv-SE" }))
    );
    assert_eq!(business(&app, "DELETE", &path, None).await.status_and_code(), "204");
    assert_eq!(business(&app, "GET", &path, None).await.json(), json!([]));
}

#[tokio::test]
async fn a_session_is_made_once_for_an_idempotency_key() {
    let app = TestApp::start().await;
    let path = format!("{BASE}/sessions");
    let make = async |body: &str| {
        signed(&app, "POST", &path).header("Idempotency-Key", "order 7").body(body).send(&app).await
    };
    let (first, again) = (make("{}").await, make("{}").await);
    assert_eq!((first.status_and_code().as_str(), &first.body), ("201", &again.body));
    assert_eq!(make(r#"{"user_tracking_id":"x"}"#).await.status_and_code(), "409 IDEMPOTENCY_KEY_REUSED");

    // The resources of end users are idempotent, too: a repeat uses up no further attempt.
    let payload = json!({ "requested_checks": [{ "type": "LIVENESS", "config": { "max_retries": 0 } }] });
    let session = Session::new(&app, BASE, &payload).await;
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
    let second = session.call(&app, "POST", "/resources/liveness/static", None).await;
    assert_eq!(second.status_and_code(), "409 RESOURCE_LOCKED", "no attempts are left");
}

#[tokio::test]
async fn the_supported_documents_are_public() {
    let app = TestApp::start().await;
    let list = async |query: &str| app.get(&format!("{BASE}/supported-documents{query}")).await;
    let latin = list("").await.json();
    let all = list("?includeNonLatin=true").await.json();
    let count = |list: &Value| list["supported_countries"].as_array().unwrap().len();
    assert!(count(&latin) > 100 && count(&all) > count(&latin));
    let sweden =
        latin["supported_countries"].as_array().unwrap().iter().find(|one| one["code"] == "SWE").unwrap();
    let passport = &sweden["supported_documents"][0];
    assert_eq!((&passport["type"], &passport["is_strictly_latin"]), (&json!("PASSPORT"), &json!(true)));
    assert!(passport["requirements"]["date_from"].is_string());
    assert_eq!(list("?includeNonLatin=perhaps").await.status_and_code(), "400 PAYLOAD_VALIDATION");
}

#[tokio::test]
async fn the_business_is_told_of_everything_it_wants_to_be() {
    let app = TestApp::start_with_egress(&stub_server::egress_policy(), proof_settings()).await;
    let receiver = StubServer::start(|_| StubReply::status(204)).await;
    let payload = |auth: Value| {
        let mut notifications = json!({
            "endpoint": receiver.url("/hook"),
            "topics": ["resource_update", "TASK_COMPLETION", "CHECK_COMPLETION", "SESSION_COMPLETION", "NEW_PDF_SUPPLIED",
                       "INSTRUCTIONS_EMAIL_REQUESTED", "CLIENT_SESSION_TOKEN_DELETED", "THANK_YOU_EMAIL_REQUESTED"],
        });
        notifications.as_object_mut().unwrap().extend(auth.as_object().unwrap().clone());
        json!({
            "notifications": notifications,
            "requested_tasks": [{ "type": "SUPPLEMENTARY_DOCUMENT_TEXT_DATA_EXTRACTION" }],
        })
    };
    let (stop, stopped) = tokio::sync::watch::channel(false);
    let sender = DeliveryDispatcher::new(
        app.api.db.clone(),
        app.world.clone(),
        app.api.document_verification.outbox().clone(),
        Sending::default(),
    );
    let sending = tokio::spawn(sender.run(stopped));
    for (auth, expected) in [
        (json!({ "auth_token": "user:pass" }), "Basic dXNlcjpwYXNz"),
        (json!({ "auth_token": "a.b.c", "auth_type": "bearer" }), "Bearer a.b.c"),
    ] {
        let before = receiver.captured().len();
        let session = Session::new(&app, SANDBOX, &payload(auth)).await;
        for kind in ["instructions", "thank-you"] {
            assert_eq!(
                session.call(&app, "POST", &format!("/emails/{kind}"), None).await.status_and_code(),
                "204"
            );
        }
        assert_eq!(
            session.call(&app, "POST", "/emails/love", None).await.status_and_code(),
            "404 RESOURCE_NOT_FOUND"
        );
        let working = app.spawn_worker();
        let made = session.call(&app, "POST", "/resources/supplementary-documents", None).await.json();
        let id = made["id"].as_str().unwrap();
        let path = format!("/resources/supplementary-documents/{id}");
        assert_eq!(
            session.put(&app, "PUT", &format!("{path}/file"), b"%PDF-1.7").await.status_and_code(),
            "200"
        );
        let task = session.call(&app, "PUT", &format!("{path}/text-extraction"), None).await.json();
        session.finish(&app).await;
        working.stop().await;
        app.run_due_jobs().await;
        let read = session.read(&app).await;
        assert_eq!(read["state"], "COMPLETED");

        let sent = receiver.wait_for(before + 10).await;
        let mut topics = BTreeMap::<String, usize>::new();
        for message in &sent[before..] {
            assert_eq!(message.header("authorization"), expected);
            assert!(message.header("webhook-signature").starts_with("v1,"));
            let body: Value = serde_json::from_slice(&message.body).unwrap();
            assert_eq!(body["session_id"], session.id.as_str());
            let topic = body["topic"].as_str().unwrap();
            match topic {
                "task_completion" => assert_eq!(body["task_id"], task["id"]),
                "check_completion" => assert_eq!(body["check_id"], read["checks"][0]["id"]),
                "resource_update" | "new_pdf_supplied" => assert_eq!(body["resource_id"], id),
                _ => assert_eq!(body.as_object().unwrap().len(), 2),
            }
            *topics.entry(topic.to_owned()).or_default() += 1;
        }
        let told: Vec<_> = topics.iter().map(|(topic, many)| format!("{topic} {many}")).collect();
        assert_eq!(
            told.join(", "),
            "check_completion 1, client_session_token_deleted 1, instructions_email_requested 1, new_pdf_supplied 1, \
             resource_update 3, session_completion 1, task_completion 1, thank_you_email_requested 1"
        );
    }
    stop.send(true).unwrap();
    sending.await.unwrap();
}
