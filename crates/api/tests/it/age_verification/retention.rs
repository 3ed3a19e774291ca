//! What is stored of a session, and for how long.

use crate::age_verification::{AgeSessionFixture, BASE, SANDBOX, relying_party_call};
use base::SignedDuration;
use serde_json::json;
use testkit::{TestApp, face_base64};

#[tokio::test]
async fn an_expired_session_answers_only_the_reader_of_its_result() {
    let app = TestApp::start().await;
    let session = AgeSessionFixture::create(
        &app,
        SANDBOX,
        &json!({ "ttl": 60, "age_estimation": {}, "block_biometric_consent": true }),
    )
    .await;
    let opened = session.open_attempt(&app, "AGE_ESTIMATION").await;
    app.environment.advance(SignedDuration::from_secs(60));
    let path = format!("/attempts/{}", opened.attempt());
    let body = json!({ "img": face_base64(), "continuation": opened.0["continuation"] });
    for answer in [
        session.end_user_call(&app, "GET", "", None).await,
        session.end_user_call(&app, "POST", &path, Some(body)).await,
        session.end_user_call(&app, "POST", "/cancel", None).await,
        relying_party_call(&app, &session.key, "GET", &format!("{SANDBOX}/sessions/{}", session.id), None)
            .await,
    ] {
        assert_eq!(answer.status_and_code(), "410 SESSION_EXPIRED");
    }
    assert_eq!(session.result(&app).await["status"], "EXPIRED");
    app.environment.advance(SignedDuration::from_hours(24 * 30));
    domain::age_verification::purge(&app.api.db, app.api.environment.now()).await.unwrap();
    let path = format!("{SANDBOX}/sessions/{}/result", session.id);
    assert_eq!(
        relying_party_call(&app, &session.key, "GET", &path, None).await.status_and_code(),
        "404 SESSION_NOT_FOUND"
    );
}

#[tokio::test]
async fn the_row_of_a_session_is_sealed() {
    #[derive(db::FromRow)]
    struct Row {
        sealed: Vec<u8>,
    }
    let app = TestApp::start().await;
    let session =
        AgeSessionFixture::create(&app, BASE, &json!({ "doc_scan": {}, "reference_id": "needle-in-a-row" }))
            .await;
    session.open_attempt(&app, "DOC_SCAN").await;
    let mut view = app.api.db.read().await.unwrap();
    let rows: Vec<Row> = view.fetch_all(db::sql!("SELECT sealed FROM age_sessions")).await.unwrap();
    assert_eq!(rows.len(), 1);
    for row in rows {
        assert!(!row.sealed.windows(6).any(|bytes| bytes == b"needle"));
    }
}
