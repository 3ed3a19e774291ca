//! `POST /accounts/{accountId}/uploads`, and contents with files that were uploaded.

use crate::content_moderation::{AccountFixture, created_id, first_error, text_members};
use axum::body::Body;
use base::{AppId, SignedDuration};
use db::sql;
use domain::{
    accounts::deletion::ExternalAccountData, content_moderation::SweepContentUploads,
    tenancy::limits::LimitSettings,
};
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};
use std::io;
use testkit::{
    TestApp, face_pictures,
    media_fixtures::{MovingFace, face_clip, png},
    stub_server::{StubReply, StubServer},
};

async fn stored_bytes(fixture: &AccountFixture) -> i64 {
    let app: AppId = fixture.app.app;
    fixture
        .count(sql!(
            "SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM stored_files WHERE app_id = $1",
            app
        ))
        .await
}

/// Rows, keys, and files in the store.
async fn left(fixture: &AccountFixture) -> (i64, i64, usize) {
    (
        fixture.count(sql!("SELECT count(*) FROM content_uploads")).await,
        fixture
            .count(sql!(
                "SELECT count(*) FROM erasure_keys WHERE owner_id IN (SELECT id FROM content_uploads)"
            ))
            .await,
        fixture.picture_count().await,
    )
}

#[tokio::test]
async fn a_file_is_uploaded() {
    let fixture = AccountFixture::start().await;
    let answer = fixture.upload("image/png", png(&face_pictures()[6])).await;
    assert_response_snapshot!(answer, "**.bytes");
}

#[tokio::test]
async fn an_uploaded_image_is_moderated_and_has_no_address() {
    let fixture = AccountFixture::start_with_media().await;
    let servers = StubServer::start(|_| StubReply::status(204)).await;
    let profile = fixture.enrol("Alice", &face_pictures()[6]).await;
    fixture.call("POST", &format!("/profiles/{profile}/ban"), None).await;
    let content = fixture.uploaded_content("image/png", png(&face_pictures()[6])).await;
    let stored = fixture.get(&format!("/contents/{content}")).await;
    assert!(stored.get("url").is_none() && stored["upload_id"].is_string(), "{stored}");
    let options = json!({ "notifications": {
        "web_destinations": [servers.url("/web")], "slack_destinations": [servers.url("/slack")],
    } });
    let id = fixture.start_moderation(&content, options).await;
    fixture.app.run_due_jobs().await;
    let report = fixture.report(&id).await;
    assert_eq!(report["banned_faces"], true, "{report} {}", fixture.moderation_state(&id).await);
    assert_eq!(text_members(&report["face_check_results"], "profile_id"), [&profile]);
    for below in ["", "/details", "/results", "/report", "/notifications"] {
        let answer = fixture.get(&format!("/moderations/{id}{below}")).await;
        assert!(!answer.to_string().contains("upload:"), "{below}: {answer}");
        assert!(!answer.to_string().contains("\"url\""), "{below}: {answer}");
    }
    let sent = fixture.deliver(&servers, 4).await;
    for message in sent {
        let body = String::from_utf8(message.body.to_vec()).unwrap();
        assert!(!body.contains("upload:"), "{body}");
        let slack = message.uri.path() == "/slack";
        assert!(!slack || body.contains("that was uploaded"), "{body}");
    }
}

#[tokio::test]
async fn an_uploaded_video_is_moderated() {
    let fixture = AccountFixture::start_with_media().await;
    let profile = fixture.enrol("Alice", &face_pictures()[6]).await;
    fixture.call("POST", &format!("/profiles/{profile}/ban"), None).await;
    let there = MovingFace { face: 6, during: (1.0, 4.0), x: "300+20*t".to_owned(), width: 420 };
    let film = face_clip(5.0, &[there]);
    // As from a network: many small parts, and no length.
    let parts = film.chunks(10_000).map(|part| Ok::<_, io::Error>(part.to_vec())).collect::<Vec<_>>();
    let content = fixture.uploaded_content("video/mp4", Body::from_stream(stream::iter(parts))).await;
    let id = fixture.start_moderation(&content, json!({})).await;
    fixture.app.run_due_jobs().await;
    assert_eq!(fixture.moderation_state(&id).await["state"], "DONE");
    assert_eq!(fixture.reasons(&id).await, ["BANNED_PROFILE"]);
    let pictures =
        fixture.count(sql!("SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM finding_pictures")).await;
    assert!(pictures > 0, "reviewers see what was found");
    assert_eq!(stored_bytes(&fixture).await, film.len() as i64 + image_bytes(&fixture).await + pictures);
}

async fn image_bytes(fixture: &AccountFixture) -> i64 {
    fixture.count(sql!("SELECT CAST(coalesce(sum(image_bytes), 0) AS BIGINT) FROM faces")).await
}

#[tokio::test]
async fn what_is_no_image_or_video_is_refused() {
    let fixture = AccountFixture::start().await;
    let (picture, film) = (png(&face_pictures()[6]), face_clip(1.0, &[]));
    for (media_type, file, code, property) in [
        ("application/json", picture.clone(), "400 INVALID_REQUEST", "Content-Type"),
        ("text/html", b"<html>".to_vec(), "400 INVALID_REQUEST", "Content-Type"),
        ("image/", picture.clone(), "400 INVALID_REQUEST", "Content-Type"),
        ("image/png", Vec::new(), "422 FILE_REFUSED", "body"),
        ("image/png", b"<svg xmlns=\"http://www.w3.org/2000/svg\"/>".to_vec(), "422 FILE_REFUSED", "body"),
        ("image/png", film.clone(), "422 FILE_REFUSED", "body"),
        ("video/mp4", picture.clone(), "422 FILE_REFUSED", "body"),
        ("video/mp4", b"#EXTM3U\nhttps://10.0.0.1/".to_vec(), "422 FILE_REFUSED", "body"),
    ] {
        let answer = fixture.upload(media_type, file).await;
        assert_eq!(answer.status_and_code(), code, "{media_type}: {}", answer.json());
        assert_eq!(first_error(&answer)["property"], property);
    }
    assert_eq!(left(&fixture).await, (0, 0, 0));
    assert_eq!(
        created_id(&fixture.upload("IMAGE/Jpeg; q=1", picture).await).len(),
        36,
        "parameters do not count"
    );
}

#[tokio::test]
async fn a_file_that_is_too_large_or_breaks_off_leaves_nothing() {
    let fixture = AccountFixture::start().await;
    let head = png(&face_pictures()[6]);
    let many = |bytes: usize| {
        let zeros = stream::repeat_with(|| Ok::<_, io::Error>(vec![0_u8; 1 << 16])).take(bytes >> 16);
        stream::iter([Ok(head.clone())]).chain(zeros)
    };
    let answer = fixture.upload("image/png", Body::from_stream(many(51_000_000))).await;
    assert_eq!(answer.status_and_code(), "413 PAYLOAD_TOO_LARGE");
    assert!(answer.json()["message"].as_str().unwrap().contains("50000000"), "{}", answer.json());
    assert_eq!((left(&fixture).await, stored_bytes(&fixture).await), ((0, 0, 0), 0));

    // A length that is announced is refused before anything arrives.
    let request = axum::http::Request::post(fixture.path("/uploads"))
        .header("Authorization", &fixture.key)
        .header(fixture.app.api.brand.sdk_id(), fixture.app.app.to_string())
        .header("Content-Type", "image/png")
        .header("Content-Length", "50000001");
    let body = Body::from_stream(stream::pending::<Result<Vec<u8>, io::Error>>());
    let answer = fixture.app.send(request.body(body).unwrap()).await;
    assert_eq!(answer.status_and_code(), "413 PAYLOAD_TOO_LARGE");
    let refused = answer.json();
    assert_eq!(
        (&refused["measured"], &refused["limit"], &refused["hint"]),
        (&json!(50_000_001.0), &json!("at most 50000000 bytes"), &json!("send a smaller file"))
    );

    let broken = many(20_000_000).chain(stream::iter([Err(io::Error::other("gone"))]));
    let answer = fixture.upload("image/png", Body::from_stream(broken)).await;
    assert_eq!(answer.status_and_code(), "400 INVALID_REQUEST", "{}", answer.json());
    assert_eq!(first_error(&answer)["property"], "body");
    assert_eq!((left(&fixture).await, stored_bytes(&fixture).await), ((0, 0, 0), 0));
}

#[tokio::test]
async fn a_content_has_an_address_or_a_file_that_is_its_own() {
    let fixture = AccountFixture::start_with_media().await;
    let picture = png(&face_pictures()[6]);
    let upload = created_id(&fixture.upload("image/png", picture.clone()).await);
    let refused = async |body: Value, property: &str, words: &str| {
        let answer = fixture.call("POST", "/contents", Some(body)).await;
        assert_eq!(answer.status_and_code(), "400 INVALID_REQUEST");
        let error = first_error(&answer);
        assert_eq!(error["property"], property, "{error}");
        assert!(error["message"].as_str().unwrap().contains(words), "{error}");
    };
    let url = "https://media.example.com/1.jpg";
    refused(json!({ "type": "IMAGE" }), "url", "required").await;
    refused(json!({ "type": "IMAGE", "url": url, "upload_id": upload }), "upload_id", "not both").await;
    refused(json!({ "type": "LIVE_VIDEO", "upload_id": upload }), "upload_id", "live video").await;
    refused(json!({ "type": "VIDEO", "upload_id": upload }), "upload_id", "another type").await;
    let nobodys = "0b5e7c1e-3c41-4a52-9d4b-2d9a4b0f7f11";
    refused(json!({ "type": "IMAGE", "upload_id": nobodys }), "upload_id", "no such upload").await;
    refused(json!({ "type": "IMAGE", "upload_id": 7 }), "upload_id", "").await;
    fixture.create("/contents", json!({ "type": "IMAGE", "upload_id": upload })).await;
    refused(json!({ "type": "IMAGE", "upload_id": upload }), "upload_id", "another content has it").await;

    // Another account of the same application, and another tenant.
    let other = fixture.app.open_account().await.to_string();
    let elsewhere = created_id(&fixture.upload_to(&other, "image/png", picture.clone()).await);
    refused(json!({ "type": "IMAGE", "upload_id": elsewhere }), "upload_id", "no such upload").await;
    let (_, foreign, _) = fixture.app.add_tenant().await;
    let answer = fixture.upload_to(&foreign.to_string(), "image/png", picture).await;
    assert_eq!(answer.status_and_code(), "404 NOT_FOUND");
}

#[tokio::test]
async fn a_file_that_no_content_takes_is_deleted_after_a_day() {
    let fixture = AccountFixture::start().await;
    let sweep = async || {
        fixture.app.api.content_moderation.sweep_uploads(SweepContentUploads {}).await.unwrap();
    };
    let picture = png(&face_pictures()[6]);
    let unused = created_id(&fixture.upload("image/png", picture.clone()).await);
    fixture.uploaded_content("image/png", picture.clone()).await;
    sweep().await;
    assert_eq!(left(&fixture).await, (2, 2, 2));
    fixture.app.environment.advance(SignedDuration::from_hours(24));
    let late = fixture.call("POST", "/contents", Some(json!({ "type": "IMAGE", "upload_id": unused }))).await;
    assert!(first_error(&late)["message"].as_str().unwrap().contains("expired"), "{}", late.json());
    sweep().await;
    assert_eq!(left(&fixture).await, (1, 1, 1), "the content has its file");
    assert_eq!(stored_bytes(&fixture).await, picture.len() as i64);
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM erasure_keys")).await, 1);
}

#[tokio::test]
async fn the_file_of_a_deleted_content_or_account_is_gone_with_its_key() {
    let fixture = AccountFixture::start_with_media().await;
    let picture = png(&face_pictures()[6]);
    let content = fixture.uploaded_content("image/png", picture.clone()).await;
    let moderation = fixture.start_moderation(&content, json!({})).await;
    let path = format!("/contents/{content}");
    assert_eq!(fixture.call("DELETE", &path, None).await.status_and_code(), "204");
    assert_eq!((left(&fixture).await, stored_bytes(&fixture).await), ((0, 0, 0), 0));
    assert_eq!(fixture.call("GET", &format!("/moderations/{moderation}/details"), None).await.status, 404);

    fixture.uploaded_content("image/png", picture.clone()).await;
    created_id(&fixture.upload("image/png", picture).await);
    let closed = fixture.app.call_moderation("DELETE", &fixture.path(""), &fixture.key, None).await;
    assert_eq!(closed.status, 204);
    assert_eq!((left(&fixture).await, stored_bytes(&fixture).await), ((0, 0, 0), 0));
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM erasure_keys")).await, 0);
    assert_eq!(fixture.app.api.account_deletion.find_orphans().await.unwrap(), []);
}

#[tokio::test]
async fn the_audit_sees_files_and_rows_that_belong_to_nothing() {
    let fixture = AccountFixture::start().await;
    let content = fixture.uploaded_content("image/png", png(&face_pictures()[6])).await;
    let audit = async || fixture.app.api.account_deletion.find_orphans().await.unwrap();
    assert_eq!(audit().await, []);
    // An older build deletes contents and knows nothing of their files; the sweep repairs that.
    fixture.app.execute(sql!("DELETE FROM contents")).await;
    let found = audit().await;
    assert_eq!((found[0].place, &found[0].owner), ("content_uploads", &content), "{found:?}");
    fixture.app.api.content_moderation.sweep_uploads(SweepContentUploads {}).await.unwrap();
    assert_eq!((left(&fixture).await, audit().await), ((0, 0, 0), vec![]));

    created_id(&fixture.upload("image/png", png(&face_pictures()[6])).await);
    fixture.app.execute(sql!("DELETE FROM content_uploads")).await;
    let uploads = fixture.app.api.content_moderation.uploads();
    assert_eq!(uploads.leftovers().await.unwrap(), [(fixture.account, 1)]);
}

#[tokio::test]
async fn uploads_count_as_stored_bytes_of_the_application() {
    let picture = png(&face_pictures()[6]);
    let limits = LimitSettings { stored_bytes: picture.len() as u64 + 10, ..LimitSettings::default() };
    let fixture = AccountFixture::of(TestApp::builder().limits(limits).start().await).await;
    let upload = created_id(&fixture.upload("image/png", picture.clone()).await);
    // Whether it announces its length or not.
    let parts = stream::iter([Ok::<_, io::Error>(picture.clone())]);
    for file in [Body::from(picture.clone()), Body::from_stream(parts)] {
        let answer = fixture.upload("image/png", file).await;
        assert_eq!(answer.status_and_code(), "429 TOO_MANY_REQUESTS", "{}", answer.json());
    }
    assert_eq!(stored_bytes(&fixture).await, picture.len() as i64);
    let content = fixture.create("/contents", json!({ "type": "IMAGE", "upload_id": upload })).await;
    fixture.call("DELETE", &format!("/contents/{content}"), None).await;
    created_id(&fixture.upload("image/png", picture).await);
}

#[tokio::test]
async fn an_uploaded_file_that_is_lost_fails_its_moderation() {
    let fixture = AccountFixture::start_with_media().await;
    let content = fixture.uploaded_content("image/png", png(&face_pictures()[6])).await;
    let moderation = fixture.start_moderation(&content, json!({})).await;
    fixture
        .app
        .execute(sql!("DELETE FROM erasure_keys WHERE owner_id IN (SELECT id FROM content_uploads)"))
        .await;
    fixture.app.run_due_jobs().await;
    let state = fixture.moderation_state(&moderation).await;
    assert_eq!(
        (state["state"].as_str(), state["error"]["code"].as_str()),
        (Some("FAILED"), Some("CONTENT_UNREACHABLE"))
    );
    let body = json!({ "content_id": content });
    let answer = fixture.call("POST", "/moderations", Some(body)).await;
    assert_eq!(answer.status_and_code(), "422 CONTENT_UNREACHABLE");
}
