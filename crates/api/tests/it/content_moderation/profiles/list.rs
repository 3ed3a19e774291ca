//! `GET /accounts/{accountId}/profiles`

use crate::content_moderation::AccountFixture;
use serde_json::{Value, json};

#[tokio::test]
async fn profiles_are_listed() {
    let fixture = AccountFixture::start().await;
    fixture.add_profile("Ada").await;
    assert_response_snapshot!(fixture.call("GET", "/profiles", None).await);
}

#[tokio::test]
async fn a_page_past_the_end_is_refused() {
    let fixture = AccountFixture::start().await;
    assert_response_snapshot!(fixture.call("GET", "/profiles?page=2", None).await);
}

#[tokio::test]
async fn profiles_are_listed_newest_first_by_twenty() {
    let fixture = AccountFixture::start().await;
    let mut made = Vec::new();
    for number in 0..21 {
        made.push(fixture.add_profile(&format!("Person {number}")).await);
        fixture.app.world.advance(base::SignedDuration::from_secs(1));
    }
    let ids = |list: Value| -> Vec<String> {
        let list = list["profiles"].as_array().unwrap().clone();
        list.iter().map(|profile| profile["profile_id"].as_str().unwrap().to_owned()).collect()
    };
    made.reverse();
    assert_eq!(ids(fixture.get("/profiles").await), made[..20]);
    assert_eq!(ids(fixture.get("/profiles?page=2").await), made[20..]);
    assert_eq!(
        fixture.call("GET", "/profiles?page=3", None).await.status_and_code(),
        "422 PAGE_OUT_OF_RANGE"
    );
    assert_eq!(fixture.call("GET", "/profiles?page=0", None).await.status_and_code(), "400 INVALID_REQUEST");
    assert_eq!(fixture.get("/groups").await, json!({ "groups": [] }));
    assert_eq!(fixture.call("GET", "/groups?page=2", None).await.status_and_code(), "422 PAGE_OUT_OF_RANGE");
}
