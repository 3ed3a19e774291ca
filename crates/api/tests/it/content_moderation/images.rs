//! Moderations of pictures.

use super::{ModerationFixture, all};
use serde_json::{Value, json};
use testkit::{
    media_fixtures::png,
    stub_server::{StubReply, StubServer},
};

#[tokio::test]
async fn everybody_in_a_picture_is_found_and_told() {
    let stage = ModerationFixture::set().await;
    let servers = StubServer::start(|_| StubReply::status(204)).await;
    let url = stage.shelf.put("group.png", png(&testkit::group_photo(3)));
    let wishes = json!({
        "unknown_faces": true,
        "notifications": { "web_destinations": [servers.url("/web")], "slack_destinations": [servers.url("/slack")] },
    });
    let id = stage.moderate(&url, "IMAGE", wishes).await;
    let state = stage.state(&id).await;
    assert_eq!(
        (state["state"].as_str(), state["content_type"].as_str()),
        (Some("DONE"), Some("IMAGE")),
        "{state}"
    );
    assert_eq!(all(&state["checks"], "check_type"), ["BANNED_PROFILE", "UNKNOWN_FACE"]);
    assert_eq!(all(&state["notifications"], "notification_type"), ["HTTP", "SLACK"]);

    let report = stage.report(&id).await;
    assert_eq!(
        (report["banned_faces"].as_bool(), report["unknown_faces"].as_bool()),
        (Some(false), Some(true))
    );
    let faces = report["face_check_results"].as_array().unwrap();
    let many = faces.len();
    assert!((3..=4).contains(&many), "{report}");
    for face in faces {
        assert_eq!((face["frame_time"].as_f64(), face["is_banned"].as_bool()), (Some(0.0), Some(false)));
        assert!(face["face_top"].as_i64() < face["face_bottom"].as_i64());
        assert!(face["face_left"].as_i64() < face["face_right"].as_i64());
        assert!(["adult", "adult_young"].contains(&face["age_group"].as_str().unwrap()), "{face}");
        assert!(face.get("profile_id").is_none());
    }
    let results = stage.get(&format!("/moderations/{id}/results")).await;
    assert_eq!(
        (results["content_type"].as_str(), &results["face_check_results"]),
        (Some("IMAGE"), &report["face_check_results"])
    );
    assert_eq!(stage.reasons(&id).await, vec!["UNKNOWN_FACE"; many]);

    // All are sent to the web, as the list shows them, and to Slack.
    let sent = stage.deliver(&servers, 2 * many).await;
    let list = stage.get("/notifications").await;
    assert_eq!(list["meta"], json!({ "total_count": many, "page": 1 }));
    let (web, slack): (Vec<_>, Vec<_>) = sent.iter().partition(|sent| sent.uri.path() == "/web");
    assert_eq!((web.len(), slack.len()), (many, many));
    for sent in web {
        let mut told: Value = serde_json::from_slice(&sent.body).unwrap();
        assert!(sent.header("webhook-signature").starts_with("v1,"));
        (told["average_score"], told["total_revies"]) = (0.into(), 0.into());
        assert!(list["notifications"].as_array().unwrap().contains(&told), "{told}");
    }
    for sent in slack {
        let message: Value = serde_json::from_slice(&sent.body).unwrap();
        fits_slack(&message);
        assert!(message["blocks"][0]["text"]["text"].as_str().unwrap().contains("An unknown face was seen"));
    }
}

/// Asserts the limits in Slack's reference for messages, sections, actions and buttons.
fn fits_slack(message: &Value) {
    assert!(message["text"].as_str().unwrap().chars().count() <= 4000);
    let blocks = message["blocks"].as_array().unwrap();
    assert!((1..=50).contains(&blocks.len()));
    for block in blocks {
        match block["type"].as_str().unwrap() {
            "section" => {
                let text = &block["text"];
                assert!(["mrkdwn", "plain_text"].contains(&text["type"].as_str().unwrap()));
                assert!((1..=3000).contains(&text["text"].as_str().unwrap().chars().count()));
            }
            "actions" => {
                let elements = block["elements"].as_array().unwrap();
                assert!((1..=25).contains(&elements.len()));
                for button in elements {
                    assert_eq!(
                        (button["type"].as_str(), button["text"]["type"].as_str()),
                        (Some("button"), Some("plain_text"))
                    );
                    assert!(button["text"]["text"].as_str().unwrap().chars().count() <= 75);
                    assert!(button["url"].as_str().unwrap().chars().count() <= 3000);
                }
            }
            other => panic!("a block of type {other}"),
        }
    }
}

#[tokio::test]
async fn banned_known_and_unknown_ones_are_told_apart() {
    let stage = ModerationFixture::set().await;
    let faces = testkit::face_pictures();
    let (banned, known) = (stage.enrol(&faces[6], "banned").await, stage.enrol(&faces[8], "known").await);
    assert!(stage.ask("POST", &format!("/profiles/{banned}/ban"), None).await.status.is_success());
    let url = stage.shelf.put("group.png", png(&testkit::group_photo(3)));
    let id = stage.moderate(&url, "IMAGE", json!({ "unknown_faces": true, "age_estimation": 100 })).await;
    let report = stage.report(&id).await;
    let profiles = all(&report["face_check_results"], "profile_id");
    assert!(profiles.contains(&banned.as_str()) && profiles.contains(&known.as_str()), "{report}");
    assert_eq!(report["banned_faces"], true);
    let mut reasons = stage.reasons(&id).await;
    reasons.sort();
    // Each stranger is reported for two reasons.
    let strangers = profiles.iter().filter(|profile| **profile == "-").count();
    assert!((1..=2).contains(&strangers), "{report}");
    let told = |reason: &str| reasons.iter().filter(|told| *told == reason).count();
    assert_eq!(
        [told("AGE_ESTIMATION"), told("BANNED_PROFILE"), told("UNKNOWN_FACE")],
        [strangers, 1, strangers]
    );

    // If only one profile is named, the other is unknown; the banned one is reported all the same.
    let id = stage.moderate(&url, "IMAGE", json!({ "unknown_faces": true, "profile_ids": [banned] })).await;
    let mut reasons = stage.reasons(&id).await;
    reasons.sort();
    assert_eq!(reasons.len(), strangers + 2, "{reasons:?}");
    assert_eq!(reasons[0], "BANNED_PROFILE");
    let overview = stage.get(&format!("/moderations/{id}")).await;
    assert_eq!(
        overview["content"]["profiles"],
        json!([{ "id": banned, "display_name": "banned", "reference": "banned" }])
    );
    assert_eq!(overview["content"]["url"], url);

    // A dismissed face is not matched to that profile again; an accepted one is.
    let list = stage.get(&format!("/moderations/{id}/notifications")).await;
    let of_banned =
        list["notifications"].as_array().unwrap().iter().find(|n| n["data"]["profile_id"] == *banned);
    let notification = of_banned.unwrap()["id"].as_str().unwrap().to_owned();
    let path = format!("/notifications/{notification}");
    let accepted = stage.ask("POST", &format!("{path}/accept"), Some(json!({ "comment": "yes" }))).await;
    assert_eq!((accepted.status.as_u16(), accepted.json()["average_score"].as_i64()), (200, Some(100)));
    let dismissed = stage.ask("POST", &format!("{path}/dismiss"), Some(json!({ "comment": "no" }))).await;
    assert_eq!(
        (dismissed.json()["average_score"].as_i64(), dismissed.json()["total_revies"].as_i64()),
        (Some(0), Some(1))
    );
    let reviews = stage.get(&format!("{path}/reviews")).await;
    assert_eq!(
        (all(&reviews["reviews"], "description"), reviews["total_count"].as_i64()),
        (vec!["no"], Some(1))
    );
    let id = stage.moderate(&url, "IMAGE", json!({ "profile_ids": [banned] })).await;
    assert_eq!(stage.report(&id).await["banned_faces"], false);
    let long =
        stage.ask("POST", &format!("{path}/accept"), Some(json!({ "comment": "x".repeat(501) }))).await;
    assert_eq!((long.status.as_u16(), long.json()["errors"][0]["measured"].as_f64()), (400, Some(501.0)));
}

#[tokio::test]
async fn what_cannot_be_moderated_is_refused_by_name() {
    let stage = ModerationFixture::set().await;
    let url = stage.shelf.put("face.png", png(&testkit::face_pictures()[6]));
    let content = stage.content(&url, "IMAGE").await;
    let nobody = "0b5e7c1e-3c41-4a52-9d4b-2d9a4b0f7f11";
    for (wishes, property) in [
        (json!({ "content_id": null }), "content_id"),
        (json!({ "content_id": nobody }), "content_id"),
        (json!({ "content_id": content, "profile_ids": [nobody] }), "profile_ids[0]"),
        (json!({ "content_id": content, "group_ids": [nobody] }), "group_ids[0]"),
        (json!({ "content_id": content, "member_id": nobody }), "member_id"),
        (json!({ "content_id": content, "notifications": { "member_id": nobody } }), "member_id"),
        (json!({ "content_id": content, "age_estimation": 101 }), "age_estimation"),
        (json!({ "content_id": content, "age_estimation": -1 }), "age_estimation"),
        (json!({ "content_id": content, "age_estimation": "18" }), "age_estimation"),
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
        let answer = stage.ask("POST", "/moderations", Some(wishes.clone())).await;
        let said = answer.json();
        assert_eq!(
            (answer.status.as_u16(), said["code"].as_str()),
            (400, Some("INVALID_REQUEST")),
            "{wishes:.90} {said}"
        );
        assert_eq!(said["errors"][0]["property"], *property, "{said:.200}");
    }
    let wishes = json!({
        "age_estimation": 101, "unknown_faces": 1, "notifications": { "web_destinations": ["http://a.example.com/", 7] },
    });
    let answer = stage.ask("POST", "/moderations", Some(wishes)).await;
    let told = [
        "notifications.web_destinations[1]",
        "unknown_faces",
        "content_id",
        "age_estimation",
        "notifications.web_destinations[0]",
    ];
    assert_eq!(all(&answer.json()["errors"], "property"), told, "all at once");
    let wishes =
        json!({ "content_id": nobody, "profile_ids": [nobody], "group_ids": [nobody], "member_id": nobody });
    let answer = stage.ask("POST", "/moderations", Some(wishes)).await;
    let told = ["content_id", "profile_ids[0]", "group_ids[0]", "member_id"];
    assert_eq!(all(&answer.json()["errors"], "property"), told, "all at once");
    let gone = stage.content(&stage.shelf.url("nothing.png"), "IMAGE").await;
    let answer = stage.ask("POST", "/moderations", Some(json!({ "content_id": gone }))).await;
    assert_eq!((answer.status.as_u16(), answer.json()["code"].as_str()), (422, Some("CONTENT_UNREACHABLE")));
    stage.ask("POST", "/archive/contents", Some(json!({ "content_id": content }))).await;
    let answer = stage.ask("POST", "/moderations", Some(json!({ "content_id": content }))).await;
    assert_eq!(
        (answer.status.as_u16(), answer.json()["errors"][0]["property"].as_str()),
        (400, Some("content_id"))
    );
    assert_eq!(stage.get("/moderations").await["contents"], json!([]), "nothing was begun");
}

#[tokio::test]
async fn moderations_are_listed_by_type_and_content_and_stop_while_they_wait() {
    let stage = ModerationFixture::set().await;
    let image = stage.content(&stage.shelf.put("a.png", png(&testkit::face_pictures()[6])), "IMAGE").await;
    let video =
        stage.content(&stage.shelf.put("b.mp4", testkit::media_fixtures::face_clip(1.0, &[])), "VIDEO").await;
    let (first, second) = (stage.start(&image, json!({})).await, stage.start(&video, json!({})).await);
    stage.app.world.advance(base::SignedDuration::from_secs(1));
    let third = stage.start(&image, json!({})).await;
    assert_eq!(all(&stage.get("/moderations?type=VIDEO").await["contents"], "id"), [second.as_str()]);
    assert_eq!(
        all(&stage.get(&format!("/contents/{image}/moderations")).await["contents"], "id"),
        [third.as_str(), &first]
    );
    assert_eq!(stage.get("/moderations?page=2").await["contents"], json!([]));
    assert_eq!(stage.ask("GET", "/moderations?type=FILM", None).await.status.as_u16(), 400);
    for _ in 0..2 {
        assert_eq!(stage.ask("POST", &format!("/moderations/{first}/stop"), None).await.status.as_u16(), 202);
        assert_eq!(stage.state(&first).await["state"], "STOPPED");
    }
    stage.app.run_due_jobs().await;
    let states = [&first, &second, &third].map(|id| stage.state(id));
    let [first_state, second_state, third_state] = states;
    assert_eq!(first_state.await["state"], "STOPPED");
    assert_eq!(
        (second_state.await["state"].as_str(), third_state.await["state"].as_str()),
        (Some("DONE"), Some("DONE"))
    );
    assert_eq!(stage.ask("POST", &format!("/moderations/{third}/stop"), None).await.status.as_u16(), 202);
    assert_eq!(stage.state(&third).await["state"], "DONE", "what has ended stays as it is");
}
