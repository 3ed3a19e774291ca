//! `GET /accounts/{accountId}/groups`

use crate::content_moderation::AccountFixture;
use serde_json::json;

#[tokio::test]
async fn groups_are_listed() {
    let fixture = AccountFixture::start().await;
    fixture.create("/groups", json!({ "label": "Staff" })).await;
    assert_response_snapshot!(fixture.call("GET", "/groups", None).await);
}

#[tokio::test]
async fn a_page_past_the_end_is_empty() {
    let fixture = AccountFixture::start().await;
    let nobody = json!({ "groups": [] });
    assert_eq!(fixture.get("/groups").await, nobody);
    assert_eq!(fixture.get("/groups?page=2").await, nobody);
    for number in 0..21 {
        fixture.create("/groups", json!({ "label": format!("Group {number}") })).await;
        fixture.app.environment.advance(base::SignedDuration::from_secs(1));
    }
    let second = fixture.get("/groups?page=2").await;
    assert_eq!(
        (second["groups"].as_array().unwrap().len(), &second["groups"][0]["label"]),
        (1, &json!("Group 0"))
    );
    for page in ["3", "4294967296", "99999999999999999999"] {
        assert_eq!(fixture.get(&format!("/groups?page={page}")).await, nobody, "{page}");
    }
    for page in ["0", "-1", "x"] {
        let refused = fixture.call("GET", &format!("/groups?page={page}"), None).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST", "{page}");
    }
}
