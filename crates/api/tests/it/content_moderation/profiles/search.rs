//! `POST /accounts/{accountId}/profiles/search`

use crate::content_moderation::{AccountFixture, face_base64, text_members, two_people};
use serde_json::{Value, json};
use testkit::TestResponse;

#[tokio::test]
async fn a_face_is_searched_for() {
    let fixture = AccountFixture::start().await;
    let (ada, _) = two_people();
    fixture.enrol("Ada", ada).await;
    let found = fixture.call("POST", "/profiles/search", Some(json!({ "face": face_base64(ada) }))).await;
    assert_response_snapshot!(found, "profiles.*.similarity profiles.*.distance profiles.*.false_match_rate");
}

#[tokio::test]
async fn a_search_may_be_limited_to_groups_and_to_a_similarity() {
    let fixture = AccountFixture::start().await;
    let (ada, bob) = two_people();
    let (ada_id, bob_id) = (fixture.enrol("Ada", ada).await, fixture.enrol("Bob", bob).await);
    let group = fixture.create("/groups", json!({ "label": "night shift" })).await;
    let body = json!({ "profile_id": bob_id });
    let added = fixture.call("POST", &format!("/groups/{group}"), Some(body)).await;
    assert!(added.status.is_success(), "{}", added.json());
    let search = async |mut body: Value| {
        body["face"] = face_base64(ada).into();
        fixture.call("POST", "/profiles/search", Some(body)).await
    };
    let found = |answer: TestResponse| -> Vec<String> {
        assert_eq!(answer.status_and_code(), "200", "{}", answer.json());
        text_members(&answer.json()["profiles"], "profile_id").into_iter().map(str::to_owned).collect()
    };
    assert_eq!(found(search(json!({})).await), std::slice::from_ref(&ada_id));
    assert!(found(search(json!({ "group_ids": [group] })).await).is_empty(), "Ada is not in the group");
    assert_eq!(found(search(json!({ "min_similarity": 0.9 })).await), [ada_id]);
    let unknown = search(json!({ "group_ids": ["0b5e7c1e-3c41-4a52-9d4b-2d9a4b0f7f11"] })).await;
    assert_eq!(unknown.status_and_code(), "400 INVALID_REQUEST");
    assert_eq!(unknown.json()["errors"][0]["property"], "group_ids[0]");
    assert_eq!(search(json!({ "min_similarity": 0.2 })).await.status_and_code(), "400 INVALID_REQUEST");
}
