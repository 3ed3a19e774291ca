//! `GET /accounts/{accountId}/notifications`

use crate::content_moderation::{AccountFixture, VOLATILE_IN_NOTIFICATIONS, text_members};
use base::SignedDuration;
use serde_json::{Value, json};
use testkit::media_fixtures::png;

#[tokio::test]
async fn notifications_are_listed() {
    let fixture = AccountFixture::start_with_media().await;
    fixture.finished_moderation(json!({})).await;
    assert_response_snapshot!(fixture.call("GET", "/notifications", None).await, VOLATILE_IN_NOTIFICATIONS);
}

/// Three people in one picture.
fn three_faces() -> base::Picture {
    let faces = testkit::face_pictures();
    let (width, height) = (faces[0].width(), faces[0].height());
    let mut rgb = Vec::new();
    for row in 0..height as usize {
        for face in [&faces[6], &faces[8], &faces[2]] {
            let bytes = width as usize * 3;
            rgb.extend_from_slice(&face.rgb()[row * bytes..(row + 1) * bytes]);
        }
    }
    base::Picture::new(width * 3, height, rgb).unwrap()
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
    let begun = base::Environment::now(&*fixture.app.world).as_second();
    let mut last = String::new();
    for _ in 0..14 {
        last = fixture.start_moderation(&content, json!({ "unknown_faces": true })).await;
        fixture.app.run_due_jobs().await;
        fixture.app.world.advance(SignedDuration::from_mins(1));
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
    assert_eq!(fixture.call("GET", "/notifications?page=4", None).await.status.as_u16(), 422);

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
        ("epoch=99999999999999999", "epoch"),
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
