//! What people write about contents, notifications and checks is not in the database in clear.

use crate::{content_moderation::AccountFixture, document_verification};
use db::{FromRow, sql};
use domain::sealed_texts::SealTexts;
use serde_json::{Value, json};
use testkit::{TestApp, face_pictures, media_fixtures::png};

#[derive(FromRow)]
struct TextRow {
    text: String,
}

/// The columns that were used before texts were sealed.
async fn texts_in_clear(app: &TestApp) -> Vec<String> {
    let rows: Vec<TextRow> = app
        .api
        .db
        .read()
        .await
        .unwrap()
        .fetch_all(sql!(
            "SELECT description AS text FROM reviews UNION ALL SELECT reason FROM content_reports
             UNION ALL SELECT coalesce(resolution, 'none') FROM content_reports
             UNION ALL SELECT coalesce(reason, 'none') FROM identity_reviews"
        ))
        .await
        .unwrap();
    rows.into_iter().map(|row| row.text).collect()
}

#[tokio::test]
async fn texts_of_reviews_and_reports_are_sealed_and_those_of_an_older_build_are_too() {
    let fixture = AccountFixture::start_with_media().await;
    let app = &fixture.app;
    let profile = fixture.enrol("Ada", &face_pictures()[6]).await;
    fixture.call("POST", &format!("/profiles/{profile}/ban"), None).await;
    let url = fixture.files.put("ada.png", png(&face_pictures()[6]));
    let moderation = fixture.moderate(&url, "IMAGE", json!({ "profile_ids": [profile] })).await;
    let notification = fixture.first_notification(&moderation).await;
    let accept = format!("/notifications/{notification}/accept");
    for comment in ["first thoughts", "that is Ada"] {
        let accepted = fixture.call("POST", &accept, Some(json!({ "comment": comment }))).await;
        assert_eq!(accepted.status_and_code(), "200");
    }
    let content = fixture.content("https://media.example.com/1.jpg", "IMAGE").await;
    let reports = format!("/contents/{content}/reports");
    let report = fixture.create(&reports, json!({ "reason": "it shows Bob" })).await;
    let path = format!("{reports}/{report}");
    fixture.call("PUT", &path, Some(json!({ "resolution": "Bob agreed" }))).await;
    let check = document_verification::session_in_review(app).await;
    let check = format!("{}/reviews/{check}", document_verification::BASE);
    let decision = json!({ "decision": "APPROVE", "reason": "Eve vouches", "reviewer": "ada" });
    document_verification::relying_party_call(app, "PUT", &check, Some(decision)).await;

    let read = async || {
        let review = fixture.get(&format!("/notifications/{notification}/reviews")).await["reviews"].clone();
        let report = fixture.get(&reports).await["reports"][0].clone();
        let check = document_verification::relying_party_call(app, "GET", &check, None).await.json();
        assert_eq!(review.as_array().unwrap().len(), 1, "one review of each member");
        let texts =
            [&review[0]["description"], &report["reason"], &report["resolution"], &check["review"]["reason"]];
        texts.map(|text: &Value| text.as_str().unwrap().to_owned())
    };
    assert_eq!(texts_in_clear(app).await, ["", "", "", ""]);
    assert_eq!(read().await, ["that is Ada", "it shows Bob", "Bob agreed", "Eve vouches"]);

    // An older build runs once more, and writes where it used to.
    for query in [
        sql!("UPDATE reviews SET description = 'not Ada'"),
        sql!("UPDATE content_reports SET reason = 'it shows Carol', resolution = 'Carol agreed'"),
        sql!("UPDATE identity_reviews SET reason = 'Mallory vouches'"),
    ] {
        app.execute(query).await;
    }
    let of_the_older_build = ["not Ada", "it shows Carol", "Carol agreed", "Mallory vouches"];
    assert_eq!(read().await, of_the_older_build);
    SealTexts {}.run(&app.api.db, &app.api.vault, &app.api.environment).await.unwrap();
    assert_eq!(texts_in_clear(app).await, ["", "", "", ""]);
    assert_eq!(read().await, of_the_older_build);

    // Moved to another row, or damaged, a text does not open; the rest does.
    app.execute(sql!("UPDATE content_reports SET sealed_reason = sealed_resolution")).await;
    assert_eq!(read().await, ["not Ada", "", "Carol agreed", "Mallory vouches"]);
}

/// A row that an older version queued must still be readable.
#[test]
fn old_payloads_still_parse() {
    assert_eq!(serde_json::from_str::<SealTexts>("{}").unwrap(), SealTexts {});
}
