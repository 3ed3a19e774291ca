//! `GET /accounts/{accountId}/notifications`

use crate::content_moderation::{AccountFixture, VOLATILE_IN_NOTIFICATIONS, text_members};
use base::{PictureSize, SignedDuration};
use serde_json::{Value, json};
use testkit::{edits, media_fixtures::png};

#[tokio::test]
async fn notifications_are_listed() {
    let fixture = AccountFixture::start_with_media().await;
    fixture.finished_moderation(json!({})).await;
    assert_response_snapshot!(fixture.call("GET", "/notifications", None).await, VOLATILE_IN_NOTIFICATIONS);
}

/// Three people in one picture of 1080 x 400 pixels.
fn three_faces() -> base::Picture {
    let size = PictureSize { width: 360, height: 400 };
    let small = [6, 8, 2].map(|face| edits::resized(&testkit::face_pictures()[face], size));
    edits::tiled(&small, 3)
}

fn ids(list: &Value) -> Vec<String> {
    let notifications = list["notifications"].as_array().unwrap();
    notifications.iter().map(|n| n["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn pages_of_notifications_are_exact_newest_first_and_refused_past_the_end() {
    let fixture = AccountFixture::start_with_media().await;
    for path in ["/notifications", "/notifications?page=1&epoch=0"] {
        assert_eq!(
            fixture.get(path).await,
            json!({ "notifications": [], "meta": { "total_count": 0, "page": 1 } })
        );
    }
    let beyond = fixture.call("GET", "/notifications?page=2", None).await;
    assert_eq!((beyond.status.as_u16(), beyond.json()["code"].as_str()), (422, Some("PAGE_OUT_OF_RANGE")));

    // Three faces and an end at a time, a minute apart: 4, 8, … 56.
    let url = fixture.files.put("three.png", png(&three_faces()));
    let content = fixture.content(&url, "IMAGE").await;
    let begun = base::Environment::now(&*fixture.app.environment).as_second();
    let mut last = String::new();
    for _ in 0..14 {
        last = fixture.start_moderation(&content, json!({ "unknown_faces": true })).await;
        fixture.app.run_due_jobs().await;
        fixture.app.environment.advance(SignedDuration::from_mins(1));
    }
    let mut seen = Vec::new();
    for (page, expected) in [(1, 20), (2, 20), (3, 16)] {
        let list = fixture.get(&format!("/notifications?page={page}")).await;
        assert_eq!(list["meta"], json!({ "total_count": 56, "page": page }));
        let times: Vec<_> =
            list["notifications"].as_array().unwrap().iter().map(|n| n["created_at"].to_string()).collect();
        assert!(times.is_sorted_by(|a, b| a >= b), "{times:?}");
        assert_eq!(times.len(), expected);
        seen.extend(ids(&list));
    }
    let distinct: std::collections::HashSet<_> = seen.iter().collect();
    assert_eq!(distinct.len(), 56);
    for page in ["4", "4294967296", "99999999999999999999"] {
        for list in ["/notifications", &format!("/moderations/{last}/notifications")] {
            let beyond = fixture.call("GET", &format!("{list}?page={page}"), None).await;
            assert_eq!(beyond.status_and_code(), "422 PAGE_OUT_OF_RANGE", "{list} {page}");
        }
    }

    // At or after a moment: the last round only, or all from the first.
    let newest =
        fixture.get("/notifications").await["notifications"][0]["created_at"].as_str().unwrap().to_owned();
    let newest: base::Timestamp = newest.parse().unwrap();
    let since = newest.as_second();
    let list = fixture.get(&format!("/notifications?epoch={since}")).await;
    assert_eq!((list["meta"]["total_count"].as_i64(), ids(&list)), (Some(4), seen[..4].to_vec()));
    assert_eq!(fixture.get(&format!("/notifications?epoch={begun}&page=3")).await["meta"]["total_count"], 56);
    let future = fixture.get(&format!("/notifications?epoch={}", since + 1)).await;
    assert_eq!(future["meta"]["total_count"], 0);
    let beyond = fixture.call("GET", &format!("/notifications?epoch={since}&page=2"), None).await;
    assert_eq!(beyond.status.as_u16(), 422);
    for (query, property) in [
        ("epoch=x", "epoch"),
        ("epoch=9e9", "epoch"),
        ("page=0", "page"),
        ("page=-1", "page"),
        ("page=-99999999999999999999", "page"),
        ("page=99999999999999999999x", "page"),
        ("page=", "page"),
        ("epoch=99999999999999999", "epoch"),
        ("epoch=-300000000000", "epoch"),
    ] {
        let answer = fixture.call("GET", &format!("/notifications?{query}"), None).await;
        assert_eq!(
            (answer.status.as_u16(), answer.json()["errors"][0]["property"].as_str()),
            (400, Some(property)),
            "{query}"
        );
    }

    let answer = fixture.call("GET", "/notifications?page=x&epoch=y", None).await;
    assert_eq!(text_members(&answer.json()["errors"], "property"), ["page", "epoch"], "all at once");

    let of_last = fixture.get(&format!("/moderations/{last}/notifications")).await;
    assert_eq!(
        (of_last["meta"].clone(), ids(&of_last)),
        (json!({ "total_count": 4, "page": 1 }), seen[..4].to_vec())
    );
    let one = fixture.get(&format!("/notifications/{}", seen[5])).await;
    assert_eq!((one["total_revies"].as_i64(), one["average_score"].as_i64()), (Some(0), Some(0)));
    assert_eq!(one["account_id"], fixture.account.to_string());
    let foreign = fixture.app.open_account().await;
    let path = format!("/accounts/{foreign}/notifications/{}", seen[5]);
    assert_eq!(fixture.app.call_moderation("GET", &path, &fixture.key, None).await.status.as_u16(), 404);
}

#[tokio::test]
async fn notifications_are_found_by_reason_review_and_date() {
    let fixture = AccountFixture::start_with_media().await;
    let url = fixture.files.put("three.png", png(&three_faces()));
    let content = fixture.content(&url, "IMAGE").await;
    let mut moderations = Vec::new();
    for _ in 0..8 {
        moderations.push(fixture.start_moderation(&content, json!({ "unknown_faces": true })).await);
        fixture.app.run_due_jobs().await;
        fixture.app.environment.advance(SignedDuration::from_mins(1));
    }
    let found = async |query: &str| {
        let list = fixture.get(&format!("/notifications?{query}")).await;
        (list["meta"]["total_count"].as_i64().unwrap(), ids(&list))
    };
    let (total, first_page) = found("reason=UNKNOWN_FACE").await;
    assert_eq!((total, first_page.len()), (24, 20));
    let (total, second_page) = found("reason=UNKNOWN_FACE&page=2").await;
    assert_eq!((total, second_page.len()), (24, 4));
    let distinct: std::collections::HashSet<_> = first_page.iter().chain(&second_page).collect();
    assert_eq!(distinct.len(), 24);
    assert_eq!(found("reason=DONE").await.0, 8);
    assert_eq!(found("reason=BANNED_PROFILE").await, (0, Vec::new()));
    let beyond = fixture.call("GET", "/notifications?reason=DONE&page=2", None).await;
    assert_eq!(beyond.status_and_code(), "422 PAGE_OUT_OF_RANGE");

    for (notification, verdict) in [(&first_page[3], "accept"), (&second_page[1], "dismiss")] {
        let path = format!("/notifications/{notification}/{verdict}");
        let reviewed = fixture.call("POST", &path, Some(json!({ "comment": "seen" }))).await;
        assert_eq!(reviewed.status_and_code(), "200", "{}", reviewed.json());
    }
    let reviewed = vec![first_page[3].clone(), second_page[1].clone()];
    assert_eq!(found("reviewed=true").await, (2, reviewed));
    assert_eq!(found("reviewed=false&reason=UNKNOWN_FACE").await.0, 22);
    assert_eq!(found("reviewed=true&reason=DONE").await.0, 0);

    let oldest = fixture.get(&format!("/notifications/{}", second_page[3])).await;
    let then: base::Timestamp = oldest["created_at"].as_str().unwrap().parse().unwrap();
    let then = then + SignedDuration::from_secs(30);
    assert_eq!(found(&format!("created_before={then}")).await.0, 4);
    assert_eq!(found(&format!("epoch={}&created_before={then}", then.as_second())).await.0, 0);
    let of_one = fixture.get(&format!("/moderations/{}/notifications?reason=DONE", moderations[2])).await;
    assert_eq!(of_one["meta"]["total_count"], 1);

    let gone = format!("/moderations/{}", moderations[7]);
    assert_eq!(fixture.call("DELETE", &gone, None).await.status, 204);
    assert_eq!((found("reason=DONE").await.0, found("reason=UNKNOWN_FACE").await.0), (7, 21));
    let refused = fixture.call("GET", "/notifications?reason=X&reviewed=yes&created_before=1", None).await;
    let properties = ["created_before", "reason", "reviewed"];
    assert_eq!(text_members(&refused.json()["errors"], "property"), properties);
}
