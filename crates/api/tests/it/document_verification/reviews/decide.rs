//! `PUT /idverify/v1/reviews/{checkId}`

use crate::document_verification::{
    BASE, DocumentSessionFixture, FACES, UPLOAD_CONTENT_TYPE, check, relying_party_call, row_count,
    session_in_review, signed_call, sub_check, upload_form,
};
use base::SignedDuration;
use domain::image_analysis::sample_faces;
use serde_json::{Value, json};
use testkit::TestApp;

#[tokio::test]
async fn a_review_is_decided() {
    let app = TestApp::start().await;
    let path = format!("{BASE}/reviews/{}", session_in_review(&app).await);
    let body = json!({ "decision": "APPROVE", "reason": "it is them", "reviewer": "ada" });
    assert_response_snapshot!(relying_party_call(&app, "PUT", &path, Some(body)).await);
}

#[tokio::test]
async fn a_review_ends_with_what_it_is_about() {
    let app = TestApp::start().await;
    let path = format!("{BASE}/reviews/{}", session_in_review(&app).await);
    let decide = async || {
        let body = json!({ "decision": "APPROVE", "reason": "it is them", "reviewer": "ada" });
        relying_party_call(&app, "PUT", &path, Some(body)).await.status_and_code()
    };
    app.environment.advance(SignedDuration::from_secs(87_000));
    app.api.document_verification.sweep().await.unwrap();
    let listed = relying_party_call(&app, "GET", &format!("{BASE}/reviews"), None).await.json();
    assert_eq!(listed["reviews"], json!([]), "nobody has to decide any more");
    let cases = db::sql!("SELECT count(*) FROM cases WHERE state = 'WITHDRAWN'");
    assert_eq!(row_count(&app, cases).await, 1);
    assert_eq!(decide().await, "409 RESOURCE_LOCKED");
    // Older builds left such a review open.
    let mut tx = app.api.db.write().await.unwrap();
    tx.execute(db::sql!("UPDATE identity_reviews SET decided_at = NULL")).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(decide().await, "409 RESOURCE_LOCKED");
    let decided = db::sql!("SELECT count(*) FROM identity_reviews WHERE decision IS NOT NULL");
    assert_eq!(row_count(&app, decided).await, 0);
}

#[tokio::test]
async fn a_reviewer_decides_about_a_face_that_the_relying_party_supplied() {
    let app = TestApp::start().await;
    let payload = json!({
        "requested_checks": [
            { "type": "LIVENESS" },
            { "type": "FACE_COMPARISON", "config": { "manual_check": "ALWAYS" } },
        ],
    });
    let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
    let early = session.end_user_call(&app, "GET", "/configuration", None).await;
    assert_eq!(early.status_and_code(), "409 SESSION_NOT_READY");
    let configuration = relying_party_call(&app, "GET", &session.path("/configuration"), None).await.json();
    let required = configuration["capture"]["required_resources"].as_array().unwrap();
    let face = required.iter().find(|one| one["type"] == "FACE_CAPTURE").unwrap();
    let body = json!({ "requirement_id": face["id"] });
    let end_users = session.end_user_call(&app, "POST", "/resources/face-capture", Some(body.clone())).await;
    assert_eq!(end_users.status_and_code(), "403 INSUFFICIENT_PERMISSION");
    let made = relying_party_call(&app, "POST", &session.path("/resources/face-capture"), Some(body)).await;
    assert_eq!((made.status_and_code().as_str(), &made.json()["frames"]), ("201", &json!(1)));
    let path =
        session.path(&format!("/resources/face-capture/{}/image", made.json()["id"].as_str().unwrap()));
    let put = async |file: &[u8]| {
        let call = signed_call(&app, "PUT", &path)
            .header("Content-Type", UPLOAD_CONTENT_TYPE)
            .body(upload_form(file));
        call.send(&app).await
    };
    let group = testkit::group_photo(1);
    assert_eq!(
        put(&sample_faces::encode_jpeg(&group, 90)).await.status_and_code(),
        "422 UNPROCESSABLE_MEDIA",
        "three faces are no one"
    );
    assert_eq!(put(&FACES.0).await.status_and_code(), "200");
    assert_eq!(session.end_user_call(&app, "GET", "/configuration", None).await.status_and_code(), "200");
    session.capture_face(&app, &FACES.0).await;
    session.finish(&app).await;
    app.run_due_jobs().await;

    let read = session.read(&app).await;
    assert_eq!(read["state"], "ONGOING");
    assert_eq!(check(&read, "LIVENESS")["state"], "DONE");
    let waiting = check(&read, "FACE_COMPARISON");
    assert_eq!((&waiting["state"], &waiting["report"]), (&json!("PENDING"), &Value::Null));
    assert_eq!(
        relying_party_call(&app, "DELETE", &session.path(""), None).await.status_and_code(),
        "409 CHECKS_NOT_FINISHED"
    );
    let reviews = relying_party_call(&app, "GET", &format!("{BASE}/reviews"), None).await.json();
    assert_eq!(
        (&reviews["reviews"][0]["check_id"], &reviews["reviews"][0]["proposed"]),
        (&waiting["id"], &json!("APPROVE"))
    );

    let path = format!("{BASE}/reviews/{}", waiting["id"].as_str().unwrap());
    let draft = relying_party_call(&app, "GET", &path, None).await.json();
    assert_eq!(draft["report"]["recommendation"]["value"], "APPROVE");
    let decide = async |body: Value| relying_party_call(&app, "PUT", &path, Some(body)).await;
    for (body, property) in [
        (json!({ "decision": "REJECT", "reviewer": "ada" }), "reason"),
        (json!({ "decision": "REJECT", "reason": "a mask" }), "reviewer"),
        (json!({ "decision": "SHRUG", "reason": "a mask", "reviewer": "ada" }), "decision"),
        (json!({ "decision": "REJECT", "reason": "a mask", "reviewer": "ada", "code": "so so" }), "code"),
    ] {
        assert_eq!(decide(body).await.json()["errors"][0]["property"], property);
    }
    let body = json!({ "decision": "REJECT", "reason": "it is a mask", "code": "DIFFERENT_PERSON", "reviewer": "ada" });
    assert_eq!(decide(body.clone()).await.status_and_code(), "204");
    assert_eq!(decide(body).await.status_and_code(), "409 RESOURCE_LOCKED");
    let read = session.read(&app).await;
    assert_eq!(read["state"], "COMPLETED");
    let decided = check(&read, "FACE_COMPARISON");
    assert_eq!(decided["report"]["recommendation"]["reason"], "DIFFERENT_PERSON");
    assert_eq!(sub_check(decided, "manual_face_match")["process"], "EXPERT_REVIEW");
    assert_eq!(sub_check(decided, "ai_face_match")["result"], "PASS");
}
