//! Uploads: their size, form and kind.

use crate::document_verification::{BASE, DocumentSessionFixture, UPLOAD_CONTENT_TYPE, upload_form};
use axum::{body::Body, http::Request};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn an_upload_has_a_bounded_size_and_an_accepted_format() {
    let app = TestApp::start().await;
    let payload = json!({
        "required_documents": [{ "type": "ID_DOCUMENT" }, { "type": "SUPPLEMENTARY_DOCUMENT" }],
        "requested_tasks": [{ "type": "ID_DOCUMENT_TEXT_DATA_EXTRACTION" }],
    });
    let session = DocumentSessionFixture::create(&app, BASE, &payload).await;
    let id = session.add_document(&app, "PASSPORT", "SWE", &[]).await;
    let page = format!("/resources/id-documents/{id}/pages/0");
    let empty = session
        .end_user_call(&app, "PUT", &format!("/resources/id-documents/{id}/text-extraction"), None)
        .await;
    assert_eq!(empty.status_and_code(), "409 SESSION_NOT_READY");
    for (file, line) in [
        (&b"GIF89a and so on"[..], "415 UNSUPPORTED_MEDIA_TYPE"),
        (b"%PDF-1.7", "415 UNSUPPORTED_MEDIA_TYPE"),
        (b"\xff\xd8\xff\xe0 broken", "422 UNPROCESSABLE_MEDIA"),
        (b"", "422 UNPROCESSABLE_MEDIA"),
    ] {
        assert_eq!(session.upload(&app, "PUT", &page, file).await.status_and_code(), line);
    }
    let too_much = vec![0xff; 11 << 20];
    assert_eq!(
        session.upload(&app, "PUT", &page, &too_much).await.status_and_code(),
        "413 PAYLOAD_TOO_LARGE"
    );
    let far = format!("/resources/id-documents/{id}/pages/10");
    assert_eq!(
        session.upload(&app, "PUT", &far, testkit::face_jpeg()).await.status_and_code(),
        "400 PAYLOAD_VALIDATION"
    );
    let elsewhere = "/resources/id-documents/018f3c8e-0000-4000-8000-00000000000a/pages/0";
    assert_eq!(
        session.upload(&app, "PUT", elsewhere, testkit::face_jpeg()).await.status_and_code(),
        "404 RESOURCE_NOT_FOUND"
    );

    let send = async |content_type: &str, body: Vec<u8>| {
        let request = Request::put(session.path(&page))
            .header("X-Svc-Auth-Token", &session.token)
            .header("Content-Type", content_type)
            .body(Body::from(body));
        app.send(request.unwrap()).await
    };
    assert_eq!(
        send("image/jpeg", testkit::face_jpeg().to_vec()).await.status_and_code(),
        "415 UNSUPPORTED_MEDIA_TYPE"
    );
    assert_eq!(
        send("application/jsonl", br#"{ "upload": "x" }"#.to_vec()).await.status_and_code(),
        "415 UNSUPPORTED_MEDIA_TYPE"
    );
    assert_eq!(
        send(UPLOAD_CONTENT_TYPE, b"no form".to_vec()).await.status_and_code(),
        "400 MALFORMED_REQUEST"
    );
    let nameless = String::from_utf8(upload_form(b"\xc3\xa4")).unwrap().replace("; filename=\"picture\"", "");
    let refused = send(UPLOAD_CONTENT_TYPE, nameless.into_bytes()).await;
    assert_eq!(
        (refused.status_and_code().as_str(), &refused.json()["errors"][0]["property"]),
        ("400 PAYLOAD_VALIDATION", &json!("binary-content"))
    );
    assert_eq!(send(UPLOAD_CONTENT_TYPE, upload_form(testkit::face_jpeg())).await.status_and_code(), "200");

    let body = json!({ "document_type": "UTILITY_BILL" });
    let made =
        session.end_user_call(&app, "POST", "/resources/supplementary-documents", Some(body)).await.json();
    let file = format!("/resources/supplementary-documents/{}/file", made["id"].as_str().unwrap());
    let pdf = testkit::specimens::Specimen::utility_bill().pdf().unwrap();
    assert_eq!(session.upload(&app, "PUT", &file, &pdf).await.status_and_code(), "200");
    let read = session.read(&app).await;
    assert_eq!(read["resources"]["supplementary_documents"][0]["file"]["media"]["type"], "PDF");
    for kind in ["static", "zoom"] {
        let none = session.end_user_call(&app, "POST", &format!("/resources/liveness/{kind}"), None).await;
        assert_eq!(none.status_and_code(), "409 RESOURCE_LOCKED", "nobody asked for a face");
    }
}
