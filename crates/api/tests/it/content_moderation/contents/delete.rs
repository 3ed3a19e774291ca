//! `DELETE /accounts/{accountId}/contents/{id}`

use crate::content_moderation::AccountFixture;
use db::sql;
use serde_json::json;

#[tokio::test]
async fn a_content_is_deleted() {
    let fixture = AccountFixture::start_with_media().await;
    let (content, _) = fixture.waiting_moderation().await;
    assert_response_snapshot!(fixture.call("DELETE", &format!("/contents/{content}"), None).await);
}

#[tokio::test]
async fn a_deleted_content_takes_its_moderations_reports_and_profiles_with_it() {
    let fixture = AccountFixture::start_with_media().await;
    let (content, moderation) = fixture.finished_moderation(json!({})).await;
    let profile = fixture.enrol("Bob", &testkit::face_pictures()[8]).await;
    let body = json!({ "profile_id": profile });
    fixture.call("POST", &format!("/contents/{content}/profiles"), Some(body)).await;
    let waiting = fixture.start_moderation(&content, json!({ "unknown_faces": true })).await;

    let path = format!("/contents/{content}");
    assert_eq!(fixture.call("DELETE", &path, None).await.status_and_code(), "204");
    assert_eq!(fixture.call("DELETE", &path, None).await.status, 404);
    assert_eq!(fixture.call("GET", &path, None).await.status, 404);
    for id in [&moderation, &waiting] {
        assert_eq!(fixture.call("GET", &format!("/moderations/{id}/details"), None).await.status, 404);
    }
    for query in [
        sql!("SELECT count(*) FROM contents"),
        sql!("SELECT count(*) FROM content_profiles"),
        sql!("SELECT count(*) FROM content_reports"),
        sql!("SELECT count(*) FROM moderations"),
        sql!("SELECT count(*) FROM findings"),
        sql!("SELECT count(*) FROM notifications"),
        sql!("SELECT count(*) FROM jobs WHERE kind = 'run-moderation'"),
    ] {
        let what = format!("{query:?}");
        assert_eq!(fixture.count(query).await, 0, "{what}");
    }
    assert_eq!(fixture.get(&format!("/profiles/{profile}")).await["profile_id"], profile.as_str());
}
