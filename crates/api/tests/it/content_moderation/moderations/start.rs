//! `POST /accounts/{accountId}/moderations`

use crate::content_moderation::{AccountFixture, created_id, first_error, text_members};
use db::sql;
use domain::content_moderation::{ModerationInput, ModerationStartError};
use serde_json::json;
use testkit::media_fixtures::png;

#[tokio::test]
async fn a_moderation_is_started() {
    let fixture = AccountFixture::start_with_media().await;
    let url = fixture.files.put("face.png", png(&testkit::face_pictures()[6]));
    let body = json!({ "content_id": fixture.content(&url, "IMAGE").await, "unknown_faces": true });
    assert_response_snapshot!(fixture.call("POST", "/moderations", Some(body)).await);
}

/// JSON has one kind of number.
#[tokio::test]
async fn an_age_with_a_decimal_point_is_a_whole_number() {
    let fixture = AccountFixture::start_with_media().await;
    let url = fixture.files.put("face.png", png(&testkit::face_pictures()[6]));
    let content = fixture.content(&url, "IMAGE").await;
    let id = fixture.start_moderation(&content, json!({ "age_estimation": 18.0 })).await;
    assert_eq!(fixture.moderation_state(&id).await["requested"]["age_estimation"], 18);
}

#[tokio::test]
async fn a_moderation_of_another_content_type_is_refused() {
    let fixture = AccountFixture::start_with_media().await;
    let url = fixture.files.put("face.png", png(&testkit::face_pictures()[6]));
    let body = json!({ "content_id": fixture.content(&url, "IMAGE").await });
    let request = axum::http::Request::post(fixture.path("/moderations"))
        .header("Authorization", &fixture.key)
        .header("Svc-Sdk-Id", fixture.app.app.to_string())
        .header("Content-Type", "text/plain");
    let refused = fixture.app.send(request.body(body.to_string().into()).unwrap()).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
    assert_eq!(first_error(&refused)["property"], "Content-Type");
}

#[tokio::test]
async fn a_moderation_repeated_with_its_idempotency_key_is_answered_without_asking_for_the_content() {
    let fixture = AccountFixture::start_with_media().await;
    let url = fixture.files.put("face.png", png(&testkit::face_pictures()[6]));
    let body = json!({ "content_id": fixture.content(&url, "IMAGE").await, "unknown_faces": true });
    let start = async |key: &str| {
        let request = axum::http::Request::post(fixture.path("/moderations"))
            .header("Authorization", &fixture.key)
            .header("Svc-Sdk-Id", fixture.app.app.to_string())
            .header("Content-Type", "application/json")
            .header("Idempotency-Key", key);
        fixture.app.send(request.body(body.to_string().into()).unwrap()).await
    };
    let first = start("a").await;
    assert_eq!(first.status_and_code(), "201", "{}", first.json());
    fixture.files.remove("face.png");
    let asked = fixture.files.request_count();
    let again = start("a").await;
    assert_eq!((again.status, &again.body), (first.status, &first.body));
    assert_eq!(fixture.files.request_count(), asked);
    assert_eq!(start("b").await.status_and_code(), "422 CONTENT_UNREACHABLE");
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM moderations")).await, 1);
}

#[tokio::test]
async fn a_content_that_cannot_be_reached_is_refused() {
    let fixture = AccountFixture::start_with_media().await;
    let content = fixture.content(&fixture.files.url("nothing.png"), "IMAGE").await;
    let started = fixture.call("POST", "/moderations", Some(json!({ "content_id": content }))).await;
    assert_response_snapshot!(started);
}

#[tokio::test]
async fn an_unusable_moderation_is_refused_with_the_property() {
    let fixture = AccountFixture::start_with_media().await;
    let url = fixture.files.put("face.png", png(&testkit::face_pictures()[6]));
    let content = fixture.content(&url, "IMAGE").await;
    let nobody = "0b5e7c1e-3c41-4a52-9d4b-2d9a4b0f7f11";
    for (options, property) in [
        (json!({ "content_id": null }), "content_id"),
        (json!({ "content_id": nobody }), "content_id"),
        (json!({ "content_id": content, "profile_ids": [nobody] }), "profile_ids[0]"),
        (json!({ "content_id": content, "group_ids": [nobody] }), "group_ids[0]"),
        (json!({ "content_id": content, "member_id": nobody }), "member_id"),
        (json!({ "content_id": content, "notifications": { "member_id": nobody } }), "member_id"),
        (json!({ "content_id": content, "age_estimation": 101 }), "age_estimation"),
        (json!({ "content_id": content, "age_estimation": -1 }), "age_estimation"),
        (json!({ "content_id": content, "age_estimation": "18" }), "age_estimation"),
        (json!({ "content_id": content, "age_estimation": 18.5 }), "age_estimation"),
        (json!({ "content_id": content, "age_estimation": 1e300 }), "age_estimation"),
        (json!({ "content_id": content, "unknown_faces": 1 }), "unknown_faces"),
        (
            json!({ "content_id": content, "notifications": { "web_destinations": ["https://hooks.example.com/", "http://hooks.example.com/"] } }),
            "notifications.web_destinations[1]",
        ),
        (
            json!({ "content_id": content, "notifications": { "slack_destinations": ["https://10.0.0.1/"] } }),
            "notifications.slack_destinations[0]",
        ),
        (
            json!({ "content_id": content, "notifications": { "web_destinations": vec!["https://hooks.example.com/"; 21] } }),
            "notifications.web_destinations",
        ),
    ] {
        let answer = fixture.call("POST", "/moderations", Some(options.clone())).await;
        let refusal = answer.json();
        assert_eq!(
            (answer.status.as_u16(), refusal["code"].as_str()),
            (400, Some("INVALID_REQUEST")),
            "{options:.90} {refusal}"
        );
        assert_eq!(refusal["errors"][0]["property"], *property, "{refusal:.200}");
    }
    let options = json!({
        "age_estimation": 101, "unknown_faces": 1, "notifications": { "web_destinations": ["http://a.example.com/", 7] },
    });
    let answer = fixture.call("POST", "/moderations", Some(options)).await;
    let expected = [
        "notifications.web_destinations[1]",
        "unknown_faces",
        "content_id",
        "age_estimation",
        "notifications.web_destinations[0]",
    ];
    assert_eq!(text_members(&answer.json()["errors"], "property"), expected, "all at once");
    let options =
        json!({ "content_id": nobody, "profile_ids": [nobody], "group_ids": [nobody], "member_id": nobody });
    let answer = fixture.call("POST", "/moderations", Some(options)).await;
    let expected = ["content_id", "profile_ids[0]", "group_ids[0]", "member_id"];
    assert_eq!(text_members(&answer.json()["errors"], "property"), expected, "all at once");
    let gone = fixture.content(&fixture.files.url("nothing.png"), "IMAGE").await;
    let answer = fixture.call("POST", "/moderations", Some(json!({ "content_id": gone }))).await;
    assert_eq!((answer.status.as_u16(), answer.json()["code"].as_str()), (422, Some("CONTENT_UNREACHABLE")));
    fixture.call("POST", "/archive/contents", Some(json!({ "content_id": content }))).await;
    let answer = fixture.call("POST", "/moderations", Some(json!({ "content_id": content }))).await;
    assert_eq!(
        (answer.status.as_u16(), answer.json()["errors"][0]["property"].as_str()),
        (400, Some("content_id"))
    );
    assert_eq!(fixture.get("/moderations").await["contents"], json!([]), "nothing was begun");
}

#[tokio::test]
async fn groups_without_members_are_refused_and_one_that_loses_its_member_knows_nobody() {
    let fixture = AccountFixture::start_with_media().await;
    let picture = &testkit::face_pictures()[6];
    let person = fixture.enrol("Ada", picture).await;
    let group = created_id(&fixture.call("POST", "/groups", Some(json!({ "label": "Staff" }))).await);
    let url = fixture.files.put("face.png", testkit::media_fixtures::png(picture));
    let content = fixture.content(&url, "IMAGE").await;
    let wanted = json!({ "content_id": content, "group_ids": [group], "unknown_faces": true });
    let refused = fixture.call("POST", "/moderations", Some(wanted.clone())).await;
    assert_eq!(refused.status.as_u16(), 400, "{}", refused.json());
    assert_eq!(first_error(&refused)["property"], "group_ids");

    let joined =
        fixture.call("POST", &format!("/groups/{group}"), Some(json!({ "profile_id": person }))).await;
    assert!(joined.status.is_success(), "{}", joined.json());
    let known = created_id(&fixture.call("POST", "/moderations", Some(wanted.clone())).await);
    fixture.app.run_due_jobs().await;
    assert_eq!(fixture.reasons(&known).await, [""; 0]);
    // The last member leaves while the moderation waits.
    let unknown = created_id(&fixture.call("POST", "/moderations", Some(wanted)).await);
    let left = fixture.call("DELETE", &format!("/groups/{group}/profiles/{person}"), None).await;
    assert!(left.status.is_success(), "{}", left.json());
    fixture.app.run_due_jobs().await;
    assert_eq!(fixture.reasons(&unknown).await, ["UNKNOWN_FACE"]);
}

/// The content is looked at before anything is written, which may take a while.
#[tokio::test]
async fn a_profile_that_is_deleted_while_its_moderation_starts_is_named_by_none() {
    let fixture = AccountFixture::start_with_media().await;
    let ada = fixture.enrol("Ada", &testkit::face_pictures()[6]).await;
    let url = fixture.files.put("face.png", png(&testkit::face_pictures()[6]));
    let content = fixture.content(&url, "IMAGE").await;
    let moderations = &fixture.app.api.content_moderation;
    let input = ModerationInput {
        content_id: Some(content.parse().unwrap()),
        profile_ids: vec![ada.parse().unwrap()],
        ..ModerationInput::default()
    };
    let request = moderations.validate(input).unwrap();
    let prepared = moderations.prepare(fixture.account, request).await.unwrap();
    let deleted = fixture.call("DELETE", &format!("/profiles/{ada}"), None).await;
    assert_eq!(deleted.status_and_code(), "204");
    let mut tx = fixture.app.api.db.write().await.unwrap();
    let refused = moderations.start(&mut tx, prepared).await.unwrap_err();
    assert!(
        matches!(&refused, ModerationStartError::Invalid(found) if found[0].path == "profile_ids"),
        "{refused:?}"
    );
    drop(tx);
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM moderations")).await, 0);
}
