//! Notifications of a session.

use crate::{
    deliveries::BackgroundDispatcher,
    document_verification::{DocumentSessionFixture, SANDBOX},
};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use testkit::{
    TestApp, proof_settings,
    stub_server::{self, StubReply, StubServer},
};

#[tokio::test]
async fn each_requested_topic_is_sent() {
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
    let dispatcher = BackgroundDispatcher::start(&app, app.api.document_verification.outbox());
    for (auth, expected) in [
        (json!({ "auth_token": "user:pass" }), "Basic dXNlcjpwYXNz"),
        (json!({ "auth_token": "a.b.c", "auth_type": "bearer" }), "Bearer a.b.c"),
    ] {
        let before = receiver.captured().len();
        let session = DocumentSessionFixture::create(&app, SANDBOX, &payload(auth)).await;
        for kind in ["instructions", "thank-you"] {
            assert_eq!(
                session.end_user_call(&app, "POST", &format!("/emails/{kind}"), None).await.status_and_code(),
                "204"
            );
        }
        assert_eq!(
            session.end_user_call(&app, "POST", "/emails/love", None).await.status_and_code(),
            "404 RESOURCE_NOT_FOUND"
        );
        let working = app.spawn_worker();
        let made =
            session.end_user_call(&app, "POST", "/resources/supplementary-documents", None).await.json();
        let id = made["id"].as_str().unwrap();
        let path = format!("/resources/supplementary-documents/{id}");
        assert_eq!(
            session.upload(&app, "PUT", &format!("{path}/file"), b"%PDF-1.7").await.status_and_code(),
            "200"
        );
        let task = session.end_user_call(&app, "PUT", &format!("{path}/text-extraction"), None).await.json();
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
        let reported: Vec<_> = topics.iter().map(|(topic, many)| format!("{topic} {many}")).collect();
        assert_eq!(
            reported.join(", "),
            "check_completion 1, client_session_token_deleted 1, instructions_email_requested 1, new_pdf_supplied 1, \
             resource_update 3, session_completion 1, task_completion 1, thank_you_email_requested 1"
        );
    }
    dispatcher.stop().await;
}
