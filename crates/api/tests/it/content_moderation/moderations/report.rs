//! `GET /accounts/{accountId}/moderations/{moderationId}/report`

use crate::content_moderation::{AccountFixture, VOLATILE_IN_FOUND_FACES};
use base::ModerationId;
use db::sql;
use serde_json::json;

#[tokio::test]
async fn the_report_of_a_moderation_is_read() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, moderation) = fixture.finished_moderation(json!({})).await;
    assert_response_snapshot!(
        fixture.call("GET", &format!("/moderations/{moderation}/report"), None).await,
        VOLATILE_IN_FOUND_FACES,
        "age_groups.*"
    );
}

/// A long video has more appearances than an answer shows.
#[tokio::test]
async fn a_report_tells_how_many_faces_there_are_and_has_pages_of_them() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, moderation) = fixture.finished_moderation(json!({})).await;
    let id: ModerationId = moderation.parse().unwrap();
    let mut tx = fixture.app.api.db.write().await.unwrap();
    for track in 1..=10_000_i64 {
        let last = track == 10_000;
        tx.execute(sql!(
            "INSERT INTO findings (id, account_id, moderation_id, track, frame_time, is_banned, age_group, face_top,
                                   face_right, face_bottom, face_left)
             VALUES ($1, $2, $3, $4, 0.0, $5, $6, 0, 1, 1, 0)",
            fixture.app.api.environment.uuid_v4(),
            fixture.account,
            id,
            track,
            last,
            if last { "child" } else { "adult" },
        ))
        .await
        .unwrap();
    }
    tx.commit().await.unwrap();
    for list in ["report", "results"] {
        for (page, shown) in [
            ("", 10_000),
            ("?page=1", 10_000),
            ("?page=2", 1),
            ("?page=3", 0),
            ("?page=99999999999999999999", 0),
        ] {
            let found = fixture.get(&format!("/moderations/{moderation}/{list}{page}")).await;
            assert_eq!(found["total_count"], 10_001, "{list}{page}");
            assert_eq!(found["face_check_results"].as_array().unwrap().len(), shown, "{list}{page}");
            if list == "report" {
                assert_eq!(found["banned_faces"], true, "the last of all is banned, whatever the page");
                let groups = found["age_groups"].as_array().unwrap();
                assert!(groups.contains(&json!("child")), "{groups:?}");
            }
        }
        let wrong = fixture.call("GET", &format!("/moderations/{moderation}/{list}?page=0"), None).await;
        assert_eq!(wrong.status_and_code(), "400 INVALID_REQUEST");
    }
}
