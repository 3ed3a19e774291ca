//! Resumable uploads.

use crate::document_verification::{BASE, DocumentSessionFixture, fail_commits, row_count};
use axum::{body::Body, http::Request};
use base::{DocumentSessionId, SignedDuration};
use db::sql;
use domain::tenancy::limits::{self, LimitKind};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use media::blobs::{BlobKey, BlobPrefix};
use serde_json::json;
use testkit::{TestApp, TestResponse};

#[tokio::test]
async fn the_options_of_uploads_are_read() {
    let app = TestApp::start().await;
    let (session, _) = session_with_document(&app).await;
    let options = Request::builder().method("OPTIONS").uri(session.path("/uploads"));
    assert_response_snapshot!(app.send(options.body(Body::empty()).unwrap()).await);
}

#[tokio::test]
async fn an_upload_is_begun() {
    let app = TestApp::start().await;
    let (session, _) = session_with_document(&app).await;
    assert_response_snapshot!(create_upload(&app, &session, "8").await);
}

#[tokio::test]
async fn an_upload_is_appended_to() {
    let app = TestApp::start().await;
    let (session, _) = session_with_document(&app).await;
    let upload = created_upload(&app, &session, 8).await;
    assert_response_snapshot!(append(&app, &session, &upload, 0, Body::from("half")).await);
}

#[tokio::test]
async fn the_offset_of_an_upload_is_read() {
    let app = TestApp::start().await;
    let (session, _) = session_with_document(&app).await;
    let upload = created_upload(&app, &session, 8).await;
    append(&app, &session, &upload, 0, Body::from("half")).await;
    assert_response_snapshot!(
        app.send(request(&session, "HEAD", &upload).body(Body::empty()).unwrap()).await
    );
}

#[tokio::test]
async fn an_append_at_another_offset_is_refused() {
    let app = TestApp::start().await;
    let (session, _) = session_with_document(&app).await;
    let upload = created_upload(&app, &session, 8).await;
    assert_response_snapshot!(append(&app, &session, &upload, 4, Body::from("half")).await);
}

/// A session that requires a document, which was created; returns the path of its page.
async fn session_with_document(app: &TestApp) -> (DocumentSessionFixture, String) {
    let payload = json!({ "required_documents": [{ "type": "ID_DOCUMENT" }] });
    let session = DocumentSessionFixture::create(app, BASE, &payload).await;
    let id = session.add_document(app, "PASSPORT", "SWE", &[]).await;
    (session, format!("/resources/id-documents/{id}/pages/1"))
}

fn request(session: &DocumentSessionFixture, method: &str, rest: &str) -> axum::http::request::Builder {
    Request::builder().method(method).uri(session.path(rest)).header("X-Svc-Auth-Token", &session.token)
}

async fn create_upload(app: &TestApp, session: &DocumentSessionFixture, length: &str) -> TestResponse {
    let request = request(session, "POST", "/uploads").header("Upload-Length", length);
    app.send(request.body(Body::empty()).unwrap()).await
}

async fn created_upload(app: &TestApp, session: &DocumentSessionFixture, length: usize) -> String {
    let begun = create_upload(app, session, &length.to_string()).await;
    assert_eq!(begun.status_and_code(), "201", "{}", begun.json());
    format!("/uploads/{}", begun.json()["id"].as_str().unwrap())
}

async fn append(
    app: &TestApp,
    session: &DocumentSessionFixture,
    upload: &str,
    offset: usize,
    body: Body,
) -> TestResponse {
    let request = request(session, "PATCH", upload)
        .header("Upload-Offset", offset.to_string())
        .header("Content-Type", "application/offset+octet-stream");
    app.send(request.body(body).unwrap()).await
}

/// The progress of an upload: the bytes that arrived, and its length.
async fn upload_progress(app: &TestApp, session: &DocumentSessionFixture, upload: &str) -> (usize, usize) {
    let answer = app.send(request(session, "HEAD", upload).body(Body::empty()).unwrap()).await;
    assert_eq!((answer.status_and_code().as_str(), answer.header("cache-control")), ("204", "no-store"));
    let number = |name: &str| answer.header(name).parse().unwrap();
    (number("upload-offset"), number("upload-length"))
}

/// A body that breaks off after these bytes.
fn interrupted_body(bytes: &'static [u8]) -> Body {
    let parts = bytes.chunks(1000).map(Ok).collect::<Vec<_>>();
    let end = stream::once(async { Err(std::io::Error::from(std::io::ErrorKind::ConnectionReset)) });
    Body::from_stream(stream::iter(parts).chain(end))
}

async fn stored_blobs(app: &TestApp, session: &DocumentSessionFixture) -> Vec<BlobKey> {
    let prefix = BlobPrefix::tenant(session.id.parse::<base::DocumentSessionId>().unwrap());
    app.api.blobs.list(&prefix).map_ok(|found| found.key).try_collect().await.unwrap()
}

#[tokio::test]
async fn an_interrupted_upload_is_resumed() {
    let app = TestApp::start().await;
    let (session, page) = session_with_document(&app).await;
    let photo = testkit::face_jpeg();
    let upload = created_upload(&app, &session, photo.len()).await;
    assert_eq!(upload_progress(&app, &session, &upload).await, (0, photo.len()));

    let half = photo.len() / 2;
    append(&app, &session, &upload, 0, interrupted_body(&photo[..half])).await;
    assert_eq!(upload_progress(&app, &session, &upload).await, (half, photo.len()), "what came is kept");
    let stored = stored_blobs(&app, &session).await;
    assert_eq!(stored.len(), 1);
    assert!(app.api.blobs.get(&stored[0]).await.is_err(), "nothing but the session's own key opens it");

    let place = json!({ "upload": upload.trim_start_matches("/uploads/"), "capture_method": "camera" });
    let early = session.end_user_call(&app, "PUT", &page, Some(place.clone())).await;
    assert_eq!(early.status_and_code(), "409 SESSION_NOT_READY");
    for offset in [0, half - 1, half + 1] {
        let other = append(&app, &session, &upload, offset, Body::from(&photo[half..])).await;
        assert_eq!(other.status_and_code(), "409 RESOURCE_LOCKED", "{offset}");
    }
    let more = [&photo[half..], b"!"].concat();
    assert_eq!(
        append(&app, &session, &upload, half, Body::from(more)).await.status_and_code(),
        "400 PAYLOAD_VALIDATION"
    );

    let last = append(&app, &session, &upload, half, Body::from(&photo[half..])).await;
    assert_eq!(
        (last.status_and_code().as_str(), last.header("upload-offset")),
        ("204", &*photo.len().to_string())
    );
    for _ in 0..2 {
        assert_eq!(
            session.end_user_call(&app, "PUT", &page, Some(place.clone())).await.status_and_code(),
            "200",
            "and again"
        );
    }
    let page = session.read(&app).await["resources"]["id_documents"][0]["pages"][0].clone();
    assert_eq!(page["capture_method"], "CAMERA");
    assert!(session.media(&app, &page["media"]).await.body == photo);
    session.finish(&app).await;
    assert_eq!(stored_blobs(&app, &session).await.len(), 1, "the pieces are gone, the page stays");
}

/// The same, as a client of tus sends it.
fn tus_request(
    session: &DocumentSessionFixture,
    method: &str,
    rest: &str,
    version: &'static str,
) -> axum::http::request::Builder {
    request(session, method, rest).header("Tus-Resumable", version)
}

#[tokio::test]
async fn uploads_speak_tus_to_clients_that_do() {
    let app = TestApp::start().await;
    let (session, _) = session_with_document(&app).await;
    // Anyone may ask what is supported here.
    let options = Request::builder().method("OPTIONS").uri(session.path("/uploads"));
    let options = app.send(options.body(Body::empty()).unwrap()).await;
    let headers = ["tus-resumable", "tus-version", "tus-extension", "tus-max-size"];
    assert_eq!(options.status_and_code(), "204");
    assert_eq!(headers.map(|name| options.header(name)), ["1.0.0", "1.0.0", "creation", "10485760"]);

    let create = tus_request(&session, "POST", "/uploads", "1.0.0").header("Upload-Length", "8");
    let created = app.send(create.body(Body::empty()).unwrap()).await;
    let id = created.json()["id"].as_str().unwrap().to_owned();
    assert_eq!(
        (created.status_and_code(), created.header("location")),
        ("201".to_owned(), &*format!("uploads/{id}"))
    );
    let upload = format!("/{}", created.header("location"));
    let patch = |offset: &str, kind: &str, body: &'static str| {
        let request = tus_request(&session, "PATCH", &upload, "1.0.0").header("Upload-Offset", offset);
        app.send(request.header("Content-Type", kind).body(Body::from(body)).unwrap())
    };
    let stream = "application/offset+octet-stream";
    for (answer, line) in [
        (patch("0", "application/octet-stream", "half").await, "415 UNSUPPORTED_MEDIA_TYPE"),
        (patch("0", stream, "half").await, "204"),
        (patch("0", stream, "half").await, "409 RESOURCE_LOCKED"),
        (patch("4", stream, "more").await, "204"),
    ] {
        assert_eq!((answer.status_and_code().as_str(), answer.header("tus-resumable")), (line, "1.0.0"));
    }
    let head = tus_request(&session, "HEAD", &upload, "1.0.0").body(Body::empty()).unwrap();
    let head = app.send(head).await;
    let headers = ["upload-offset", "upload-length", "cache-control", "tus-resumable"];
    assert_eq!(headers.map(|name| head.header(name)), ["8", "8", "no-store", "1.0.0"]);

    let large = tus_request(&session, "POST", "/uploads", "1.0.0").header("Upload-Length", "10485761");
    let refused = app.send(large.body(Body::empty()).unwrap()).await;
    assert_eq!(refused.status_and_code(), "413 PAYLOAD_TOO_LARGE");
    let refused = refused.json();
    assert_eq!(
        (&refused["measured"], &refused["limit"], &refused["hint"]),
        (&json!(10_485_761.0), &json!("at most 10485760 bytes"), &json!("send a smaller file"))
    );
    for (method, rest) in [("POST", "/uploads"), ("HEAD", &*upload), ("PATCH", &*upload)] {
        let refused =
            app.send(tus_request(&session, method, rest, "0.2.2").body(Body::empty()).unwrap()).await;
        assert_eq!(refused.status, 412, "{method}");
        assert_eq!((refused.header("tus-version"), refused.header("tus-resumable")), ("1.0.0", "1.0.0"));
    }
    // A client that names no version may send any kind of body.
    let plain = created_upload(&app, &session, 4).await;
    let bytes = request(&session, "PATCH", &plain).header("Upload-Offset", "0").body(Body::from("half"));
    let answer = app.send(bytes.unwrap()).await;
    assert_eq!((answer.status_and_code().as_str(), answer.header("tus-resumable")), ("204", "1.0.0"));
}

#[tokio::test]
async fn uploads_are_bounded_in_size_count_and_time() {
    let app = TestApp::start().await;
    let (session, page) = session_with_document(&app).await;
    for length in ["0", "10485761", "-1", "many", ""] {
        assert_eq!(
            create_upload(&app, &session, length).await.status_and_code(),
            "400 PAYLOAD_VALIDATION",
            "{length}"
        );
    }
    let first = created_upload(&app, &session, 10 << 20).await;
    append(&app, &session, &first, 0, Body::from("first")).await;
    assert_eq!(stored_blobs(&app, &session).await.len(), 1);
    for _ in 0..3 {
        created_upload(&app, &session, 5).await;
    }
    assert_eq!(
        append(&app, &session, &first, 5, Body::from("more")).await.status_and_code(),
        "404 RESOURCE_NOT_FOUND"
    );
    assert_eq!(stored_blobs(&app, &session).await.len(), 0, "the oldest of four went");

    let often = created_upload(&app, &session, 200).await;
    for at in 0..100 {
        assert_eq!(
            append(&app, &session, &often, at, Body::from("x")).await.status_and_code(),
            "204",
            "{at}"
        );
    }
    assert_eq!(
        append(&app, &session, &often, 100, Body::from("x")).await.status_and_code(),
        "409 RESOURCE_LOCKED"
    );

    let (other, _) = session_with_document(&app).await;
    assert_eq!(
        append(&app, &other, &often, 100, Body::from("x")).await.status_and_code(),
        "404 RESOURCE_NOT_FOUND"
    );
    let foreign = json!({ "upload": often.trim_start_matches("/uploads/") });
    assert_eq!(
        session.end_user_call(&app, "PUT", &page, Some(json!({}))).await.status_and_code(),
        "400 PAYLOAD_VALIDATION"
    );
    assert_eq!(
        session.end_user_call(&app, "PUT", &page, Some(foreign)).await.status_and_code(),
        "409 SESSION_NOT_READY"
    );
    let stranger = DocumentSessionFixture { token: other.token.clone(), ..session.clone() };
    let refused = append(&app, &stranger, &often, 100, Body::from("x")).await;
    assert_eq!(refused.status_and_code(), "404 SESSION_NOT_FOUND");

    app.environment.advance(SignedDuration::from_secs(600));
    app.api.document_verification.sweep().await.unwrap();
    assert_eq!(stored_blobs(&app, &session).await.len(), 0, "they went with the person's time");
    assert!(app.api.account_deletion.find_orphans().await.unwrap().is_empty());
}

#[tokio::test]
async fn an_upload_ends_after_half_an_hour_though_its_session_goes_on() {
    let app = TestApp::start().await;
    let payload =
        json!({ "client_session_token_ttl": 7200, "required_documents": [{ "type": "ID_DOCUMENT" }] });
    let long = DocumentSessionFixture::create(&app, BASE, &payload).await;
    let id = long.add_document(&app, "PASSPORT", "SWE", &[]).await;
    let (old, page) = (created_upload(&app, &long, 8).await, format!("/resources/id-documents/{id}/pages/1"));
    append(&app, &long, &old, 0, Body::from("half")).await;
    app.environment.advance(SignedDuration::from_mins(10));
    let newer = created_upload(&app, &long, 8).await;
    append(&app, &long, &newer, 0, Body::from("half")).await;
    app.environment.advance(SignedDuration::from_mins(19));
    app.api.document_verification.sweep().await.unwrap();
    assert_eq!(upload_progress(&app, &long, &old).await, (4, 8));
    assert_eq!(stored_blobs(&app, &long).await.len(), 2);

    app.environment.advance(SignedDuration::from_mins(2));
    assert_eq!(
        append(&app, &long, &old, 4, Body::from("more")).await.status_and_code(),
        "404 RESOURCE_NOT_FOUND"
    );
    let head = app.send(request(&long, "HEAD", &old).body(Body::empty()).unwrap()).await;
    assert_eq!(head.status, 404);
    let named = json!({ "upload": old.trim_start_matches("/uploads/") });
    assert_eq!(
        long.end_user_call(&app, "PUT", &page, Some(named)).await.status_and_code(),
        "404 RESOURCE_NOT_FOUND"
    );
    app.api.document_verification.sweep().await.unwrap();
    assert_eq!(stored_blobs(&app, &long).await.len(), 1, "the newer one stays");
    let counted = sql!(
        "SELECT media_bytes FROM identity_sessions WHERE id = $1",
        long.id.parse::<DocumentSessionId>().unwrap()
    );
    assert_eq!(row_count(&app, counted).await, 4);
    assert_eq!(upload_progress(&app, &long, &newer).await, (4, 8));
    app.environment.advance(SignedDuration::from_mins(10));
    app.api.document_verification.sweep().await.unwrap();
    assert_eq!(stored_blobs(&app, &long).await.len(), 0);
    assert_eq!(row_count(&app, sql!("SELECT count(*) FROM identity_leavings")).await, 0);
    assert_eq!(long.read(&app).await["state"], "ONGOING");
}

#[tokio::test]
async fn a_file_is_deleted_with_a_refused_change_and_stays_where_the_change_may_have_been_made() {
    let app = TestApp::start().await;
    let (session, page) = session_with_document(&app).await;
    let upload = created_upload(&app, &session, 8).await;
    let limit = async |bytes: Option<i64>| {
        let mut tx = app.api.db.write().await.unwrap();
        limits::set(&mut tx, app.app, &[(LimitKind::StoredBytes, bytes)]).await.unwrap();
        tx.commit().await.unwrap();
    };
    limit(Some(1)).await;
    let refused = session.upload(&app, "PUT", &page, testkit::face_jpeg()).await;
    assert_eq!(refused.status_and_code(), "429 TOO_MANY_REQUESTS");
    assert_eq!(stored_blobs(&app, &session).await.len(), 0);
    limit(None).await;

    fail_commits(&app).await;
    let put = session.upload(&app, "PUT", &page, testkit::face_jpeg()).await;
    assert_eq!((put.status.as_u16(), stored_blobs(&app, &session).await.len()), (503, 1), "{}", put.json());
    let appended = append(&app, &session, &upload, 0, Body::from("half")).await;
    assert_eq!((appended.status.as_u16(), stored_blobs(&app, &session).await.len()), (503, 2));
}
