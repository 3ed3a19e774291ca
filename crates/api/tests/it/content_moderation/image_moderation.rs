//! Moderations of images, from start to notifications.

use crate::content_moderation::{
    AccountFixture, another_photo, created_id, face_base64, text_members, two_people,
};
use base::{Picture, PictureSize};
use db::sql;
use domain::{content_moderation::SweepFindingPictures, image_analysis::sample_faces};
use serde_json::{Value, json};
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use testkit::{
    edits,
    media_fixtures::png,
    stub_server::{StubReply, StubServer},
};

#[tokio::test]
async fn everyone_in_an_image_is_found_and_notified_about() {
    let fixture = AccountFixture::start_with_media().await;
    let servers = StubServer::start(|_| StubReply::status(204)).await;
    let url = fixture.files.put("group.png", png(&testkit::group_photo(3)));
    let options = json!({
        "unknown_faces": true,
        "notifications": { "web_destinations": [servers.url("/web")], "slack_destinations": [servers.url("/slack")] },
    });
    let id = fixture.moderate(&url, "IMAGE", options).await;
    let state = fixture.moderation_state(&id).await;
    assert_eq!(
        (state["state"].as_str(), state["content_type"].as_str()),
        (Some("DONE"), Some("IMAGE")),
        "{state}"
    );
    assert_eq!(text_members(&state["checks"], "check_type"), ["BANNED_PROFILE", "UNKNOWN_FACE"]);
    assert_eq!(text_members(&state["notifications"], "notification_type"), ["HTTP", "SLACK"]);

    let report = fixture.report(&id).await;
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
    let results = fixture.get(&format!("/moderations/{id}/results")).await;
    assert_eq!(
        (results["content_type"].as_str(), &results["face_check_results"]),
        (Some("IMAGE"), &report["face_check_results"])
    );
    assert_eq!(fixture.reasons(&id).await, vec!["UNKNOWN_FACE"; many]);

    // All are sent to the web, as the list shows them, and to Slack.
    let told = many + 1;
    let sent = fixture.deliver(&servers, 2 * told).await;
    let list = fixture.get("/notifications").await;
    assert_eq!(list["meta"], json!({ "total_count": told, "page": 1 }));
    let (web, slack): (Vec<_>, Vec<_>) = sent.iter().partition(|sent| sent.uri.path() == "/web");
    assert_eq!((web.len(), slack.len()), (told, told), "each face, and the end");
    for sent in web {
        let mut reported: Value = serde_json::from_slice(&sent.body).unwrap();
        assert!(sent.header("webhook-signature").starts_with("v1,"));
        (reported["average_score"], reported["total_revies"]) = (0.into(), 0.into());
        assert!(list["notifications"].as_array().unwrap().contains(&reported), "{reported}");
    }
    for sent in slack {
        let message: Value = serde_json::from_slice(&sent.body).unwrap();
        assert_within_slack_limits(&message);
        let text = message["blocks"][0]["text"]["text"].as_str().unwrap();
        assert!(text.contains("An unknown face was seen") || text.contains("A moderation is done"), "{text}");
    }
}

/// Asserts the limits in Slack's reference for messages, sections, actions and buttons.
fn assert_within_slack_limits(message: &Value) {
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
async fn banned_known_and_unknown_faces_are_distinguished() {
    let fixture = AccountFixture::start_with_media().await;
    let faces = testkit::face_pictures();
    let (banned, known) = (
        fixture.enrol_with_reference(&faces[6], "banned").await,
        fixture.enrol_with_reference(&faces[8], "known").await,
    );
    assert!(fixture.call("POST", &format!("/profiles/{banned}/ban"), None).await.status.is_success());
    let url = fixture.files.put("group.png", png(&testkit::group_photo(3)));
    let id = fixture.moderate(&url, "IMAGE", json!({ "unknown_faces": true, "age_estimation": 100 })).await;
    let report = fixture.report(&id).await;
    let profiles = text_members(&report["face_check_results"], "profile_id");
    assert!(profiles.contains(&banned.as_str()) && profiles.contains(&known.as_str()), "{report}");
    assert_eq!(report["banned_faces"], true);
    let mut reasons = fixture.reasons(&id).await;
    reasons.sort();
    // Each stranger is reported for two reasons.
    let strangers = profiles.iter().filter(|profile| **profile == "-").count();
    assert!((1..=2).contains(&strangers), "{report}");
    let count_of = |reason: &str| reasons.iter().filter(|known| *known == reason).count();
    assert_eq!(
        [count_of("AGE_ESTIMATION"), count_of("BANNED_PROFILE"), count_of("UNKNOWN_FACE")],
        [strangers, 1, strangers]
    );

    // If only one profile is named, the other is unknown; the banned one is reported all the same.
    let id = fixture.moderate(&url, "IMAGE", json!({ "unknown_faces": true, "profile_ids": [banned] })).await;
    let mut reasons = fixture.reasons(&id).await;
    reasons.sort();
    assert_eq!(reasons.len(), strangers + 2, "{reasons:?}");
    assert_eq!(reasons[0], "BANNED_PROFILE");
    let overview = fixture.get(&format!("/moderations/{id}")).await;
    assert_eq!(
        overview["content"]["profiles"],
        json!([{ "id": banned, "display_name": "banned", "reference": "banned" }])
    );
    assert_eq!(overview["content"]["url"], url);

    // A dismissed picture of the person is not matched to them again in its content, and in others it is.
    let list = fixture.get(&format!("/moderations/{id}/notifications")).await;
    let of_banned =
        list["notifications"].as_array().unwrap().iter().find(|n| n["data"]["profile_id"] == *banned);
    let notification = of_banned.unwrap()["id"].as_str().unwrap().to_owned();
    let path = format!("/notifications/{notification}");
    let accepted = fixture.call("POST", &format!("{path}/accept"), Some(json!({ "comment": "yes" }))).await;
    assert_eq!((accepted.status.as_u16(), accepted.json()["average_score"].as_i64()), (200, Some(100)));
    let long =
        fixture.call("POST", &format!("{path}/accept"), Some(json!({ "comment": "x".repeat(501) }))).await;
    assert_eq!((long.status.as_u16(), long.json()["errors"][0]["measured"].as_f64()), (400, Some(501.0)));
    let dismissed = fixture.call("POST", &format!("{path}/dismiss"), Some(json!({ "comment": "no" }))).await;
    assert_eq!(
        (dismissed.json()["average_score"].as_i64(), dismissed.json()["total_revies"].as_i64()),
        (Some(0), Some(1))
    );
    let reviews = fixture.get(&format!("{path}/reviews")).await;
    assert_eq!(
        (text_members(&reviews["reviews"], "description"), reviews["total_count"].as_i64()),
        (vec!["no"], Some(1))
    );
    let content = overview["content"]["id"].as_str().unwrap().to_owned();
    let is_told = async |content: &str| {
        let id = fixture.start_moderation(content, json!({ "profile_ids": [banned] })).await;
        fixture.app.run_due_jobs().await;
        fixture.report(&id).await["banned_faces"].as_bool().unwrap()
    };
    let repost = fixture.content(&url, "IMAGE").await;
    assert!(!is_told(&content).await, "it was dismissed");
    assert!(is_told(&repost).await, "a repost of the person's own picture is told");
    let dismissals = format!("/profiles/{banned}/dismissals");
    let listed = fixture.get(&dismissals).await["dismissals"].clone();
    assert_eq!(listed.as_array().unwrap().len(), 1);
    let dismissal = &listed[0];
    assert_eq!(
        (&dismissal["notification_id"], &dismissal["content_id"], &dismissal["this_content_only"]),
        (&json!(notification), &json!(content), &json!(true))
    );
    // To accept it undoes the dismissal; so does the operation.
    let accept = format!("{path}/accept");
    fixture.call("POST", &accept, Some(json!({ "comment": "yes after all" }))).await;
    assert_eq!(fixture.get(&dismissals).await, json!({ "dismissals": [] }));
    assert!(is_told(&content).await, "it was accepted");
    fixture.call("POST", &format!("{path}/dismiss"), Some(json!({ "comment": "no" }))).await;
    assert!(!is_told(&content).await);
    let id = fixture.get(&dismissals).await["dismissals"][0]["id"].as_str().unwrap().to_owned();
    let undo = format!("{dismissals}/{id}");
    assert_eq!(fixture.call("DELETE", &undo, None).await.status_and_code(), "204");
    assert_eq!(fixture.call("DELETE", &undo, None).await.status_and_code(), "404 NOT_FOUND");
    assert!(is_told(&content).await, "it was undone");
    // An unknown face that is dismissed teaches nothing about a profile.
    let unknown =
        list["notifications"].as_array().unwrap().iter().find(|n| n["data"]["profile_id"].is_null());
    let unknown = unknown.unwrap()["id"].as_str().unwrap();
    let body = Some(json!({ "comment": "this is Ada" }));
    let dismissed = fixture.call("POST", &format!("/notifications/{unknown}/dismiss"), body).await;
    assert_eq!(dismissed.status.as_u16(), 200);
    assert_eq!(fixture.row_counts().await[2], 0);
    // What a dismissal taught goes with the content in which the face was seen.
    fixture.call("POST", &format!("{path}/dismiss"), Some(json!({ "comment": "no" }))).await;
    assert_eq!(fixture.row_counts().await[2], 1);
    let deleted = fixture.call("DELETE", &format!("/contents/{content}"), None).await;
    assert_eq!(deleted.status_and_code(), "204");
    assert_eq!(fixture.row_counts().await[2], 0);
}

/// Six ways in which a picture is posted again: smaller, larger, cut, mirrored, darker, and compressed a lot.
fn reposts(picture: &Picture) -> Vec<Vec<u8>> {
    let PictureSize { width, height } = picture.size();
    let resized = |factor: f32| {
        let side = |length: u32| (length as f32 * factor) as u32;
        edits::resized(picture, PictureSize { width: side(width), height: side(height) })
    };
    let size = PictureSize { width: width * 5 / 6, height: height * 5 / 6 };
    let changed = [
        resized(0.5),
        resized(1.4),
        edits::cropped(picture, width / 12, height / 12, size),
        edits::mirrored(picture),
        edits::brightened(picture, -40),
    ];
    let mut files: Vec<_> = changed.iter().map(png).collect();
    files.push(sample_faces::encode_jpeg(picture, 25));
    files
}

#[tokio::test]
async fn reposts_of_banned_people_are_told_after_one_notification_of_each_was_dismissed_on_sqlite() {
    let fixture = AccountFixture::start_with_media().await;
    let (mut people, mut contents) = (Vec::new(), Vec::new());
    for picture in testkit::face_pictures() {
        let enrolled = json!({
            "profile_type": 1, "biometric_consent": "signed on paper", "face": api::base64(&png(picture)),
        });
        // Some look away, and are refused.
        let enrolled = fixture.call("POST", "/profiles", Some(enrolled)).await;
        if enrolled.status.as_u16() != 201 || people.len() == 6 {
            continue;
        }
        let profile = created_id(&enrolled);
        fixture.call("POST", &format!("/profiles/{profile}/ban"), None).await;
        for (at, file) in reposts(picture).into_iter().enumerate() {
            let url = fixture.files.put(&format!("{}-{at}", people.len()), file);
            contents.push((fixture.content(&url, "IMAGE").await, profile.clone()));
        }
        people.push(picture);
    }
    assert_eq!(contents.len(), 36);
    let tell = async || {
        let mut told = Vec::new();
        for (content, _) in &contents {
            told.push(fixture.start_moderation(content, json!({})).await);
        }
        fixture.app.run_due_jobs().await;
        let mut people = Vec::new();
        for moderation in &told {
            let report = fixture.report(moderation).await;
            people.push(text_members(&report["face_check_results"], "profile_id").join(" "));
        }
        people
    };
    let before = tell().await;
    let expected: Vec<_> = contents.iter().map(|(_, profile)| profile.clone()).collect();
    let told = before.iter().zip(&expected).filter(|(told, profile)| told.contains(profile.as_str())).count();
    assert!(told >= 34, "{told} of 36 are told before anything is dismissed");

    for (number, picture) in people.iter().enumerate() {
        let url = fixture.files.put(&format!("{number}"), png(picture));
        let moderation = fixture.moderate(&url, "IMAGE", json!({})).await;
        let notification = fixture.first_notification(&moderation).await;
        let path = format!("/notifications/{notification}/dismiss");
        let dismissed = fixture.call("POST", &path, Some(json!({ "comment": "not them" }))).await;
        assert_eq!(dismissed.status_and_code(), "200", "{}", dismissed.json());
    }
    assert_eq!(tell().await, before, "and no fewer afterwards");
}

#[tokio::test]
async fn a_finding_keeps_the_numbers_behind_it_and_a_moderation_may_demand_more() {
    let fixture = AccountFixture::start_with_media().await;
    let ada = &testkit::face_pictures()[6];
    let profile = fixture.enrol("Ada", ada).await;
    let url = fixture.files.put("ada.png", png(&another_photo(ada, 1)));
    let found = async |options: Value| {
        let id = fixture.moderate(&url, "IMAGE", options).await;
        fixture.report(&id).await["face_check_results"][0].clone()
    };
    let number = |found: &Value, name: &str| {
        found["measurements"][name].as_f64().unwrap_or_else(|| panic!("{name}: {found}"))
    };
    let usual = found(json!({})).await;
    assert_eq!(usual["profile_id"], profile);
    let (distance, limit) = (number(&usual, "distance"), number(&usual, "max_distance"));
    assert!(distance > 0.0 && distance <= limit && (limit - 0.485).abs() < 1e-6, "{usual}");
    assert!(number(&usual, "years_low") < number(&usual, "years"), "{usual}");
    assert!(number(&usual, "years_high") > number(&usual, "years"), "{usual}");
    assert!((0.3..=1.0).contains(&number(&usual, "quality")) && number(&usual, "score") > 0.5, "{usual}");
    let model = usual["measurements"]["model"].as_str().unwrap();
    assert!(model.len() == 64 && model.bytes().all(|c| c.is_ascii_hexdigit()), "{model}");

    // One similarity that the pair has, and one that it has not.
    let similarity = 1.0 - distance / (2.0 * 0.53);
    for (demanded, known) in [(similarity - 0.02, true), (similarity + 0.02, false)] {
        let strict = found(json!({ "min_similarity": demanded })).await;
        assert_eq!(strict.get("profile_id").is_some(), known, "{demanded}: {strict}");
        assert!((number(&strict, "max_distance") - (1.0 - demanded) * 1.06).abs() < 1e-5, "{strict}");
        assert_eq!(strict["measurements"].get("distance").is_some(), known);
    }
    let content = fixture.content(&url, "IMAGE").await;
    for refused in [0.49, 0.96, -1.0] {
        let body = json!({ "content_id": content, "min_similarity": refused });
        let answer = fixture.call("POST", "/moderations", Some(body)).await;
        assert_eq!(answer.status_and_code(), "400 INVALID_REQUEST");
        let error = &answer.json()["errors"][0];
        assert_eq!(
            (&error["property"], &error["limit"]),
            (&json!("min_similarity"), &json!("0.5 to 0.95")),
            "{error}"
        );
    }
}

/// More people may look like a face than are compared with it at first.
#[tokio::test]
async fn a_banned_person_and_one_who_is_named_are_recognised_however_many_others_are_nearer() {
    let fixture = AccountFixture::start_with_media().await;
    let ada = &testkit::face_pictures()[6];
    let banned = fixture.enrol("Ada", &another_photo(ada, 0)).await;
    let ban = async |action: &str| {
        let answer = fixture.call("POST", &format!("/profiles/{banned}/{action}"), None).await;
        assert_eq!(answer.status_and_code(), "204");
    };
    ban("ban").await;
    for number in 0..8 {
        fixture.enrol(&format!("Look-alike {number}"), ada).await;
    }
    let url = fixture.files.put("ada.png", png(ada));
    let id = fixture.moderate(&url, "IMAGE", json!({})).await;
    assert_eq!(fixture.reasons(&id).await, ["BANNED_PROFILE"]);
    assert_eq!(fixture.report(&id).await["face_check_results"][0]["profile_id"], banned.as_str());
    // Whoever enrols them again is warned.
    let body = json!({ "display_name": "Eve", "biometric_consent": "form 7", "face": face_base64(ada) });
    let enrolled = fixture.call("POST", "/profiles", Some(body)).await.json();
    assert_eq!(enrolled["warnings"][0]["profile_id"], banned.as_str(), "{enrolled}");

    ban("unban").await;
    let options = json!({ "unknown_faces": true, "profile_ids": [banned] });
    let id = fixture.moderate(&url, "IMAGE", options).await;
    assert_eq!(fixture.reasons(&id).await, [""; 0], "they are known");
    assert_eq!(fixture.report(&id).await["face_check_results"][0]["profile_id"], banned.as_str());
}

/// Their face was matched already, and nothing of it is written.
#[tokio::test]
async fn somebody_who_is_deleted_while_an_image_is_judged_is_told_of_nowhere() {
    let fixture = AccountFixture::start_with_media().await;
    let app = &fixture.app;
    let ada = &testkit::face_pictures()[6];
    let profile = fixture.enrol("Ada", ada).await;
    assert_eq!(
        fixture.call("POST", &format!("/profiles/{profile}/ban"), None).await.status_and_code(),
        "204"
    );
    // The run has to wait for its image, so that the deletion can begin before the face is matched.
    let (file, is_slow) = (png(ada), Arc::new(AtomicBool::new(false)));
    let slow = is_slow.clone();
    let server = StubServer::start(move |_| {
        let delay = if slow.load(Ordering::SeqCst) { Duration::from_secs(2) } else { Duration::ZERO };
        StubReply::body("image/png", file.clone()).after(delay)
    })
    .await;
    let content = fixture.content(&server.url("/ada.png"), "IMAGE").await;
    let id = fixture.start_moderation(&content, json!({})).await;
    is_slow.store(true, Ordering::SeqCst);
    let working = app.spawn_worker();
    while fixture.moderation_state(&id).await["state"] != "RUNNING" {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let mut tx = app.api.db.write().await.unwrap();
    app.api.faces.delete_profile(&mut tx, fixture.account, profile.parse().unwrap()).await.unwrap();
    // What a reviewer would see of the face is stored once it was matched, beside the picture of the profile.
    while fixture.picture_count().await < 2 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    tx.commit().await.unwrap();
    while fixture.moderation_state(&id).await["state"] != "DONE" {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    working.stop().await;
    assert_eq!(fixture.reasons(&id).await, [""; 0]);
    let found = fixture.report(&id).await["face_check_results"][0].clone();
    assert_eq!((found.get("profile_id"), &found["is_banned"]), (None, &json!(false)), "{found}");
    let kept = sql!("SELECT count(*) FROM findings WHERE sealed_embedding IS NOT NULL");
    assert_eq!(fixture.count(kept).await, 0);
    app.api.content_moderation.sweep_pictures(SweepFindingPictures {}).await.unwrap();
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM finding_pictures")).await, 0);
    app.api.faces.sweep_tombstones().await.unwrap();
    assert_eq!(fixture.picture_count().await, 0);
}

/// Where a content names Ada alone, and she is deleted while a moderation of it waits, nobody is known to that. If she is
/// detached, the content names nobody, and everybody is known.
#[tokio::test]
async fn not_everybody_is_known_once_the_only_one_whom_a_content_names_is_deleted() {
    let fixture = AccountFixture::start_with_media().await;
    let (ada, bob) = two_people();
    fixture.enrol("Bob", bob).await;
    let url = fixture.files.put("bob.png", png(bob));
    for (is_attached_later, is_detached, expected) in
        [(false, false, vec!["UNKNOWN_FACE"]), (true, false, vec!["UNKNOWN_FACE"]), (false, true, vec![])]
    {
        let profile = fixture.enrol("Ada", ada).await;
        let named = if is_attached_later { json!([]) } else { json!([profile]) };
        let body = json!({ "url": url, "type": "IMAGE", "profile_ids": named });
        let content = fixture.create("/contents", body).await;
        let id = fixture.start_moderation(&content, json!({ "unknown_faces": true })).await;
        let attached = format!("/contents/{content}/profiles");
        if is_attached_later {
            let body = json!({ "profile_id": profile });
            assert_eq!(fixture.call("POST", &attached, Some(body)).await.status, 200);
        }
        if is_detached {
            let detached = fixture.call("DELETE", &format!("{attached}/{profile}"), None).await;
            assert_eq!(detached.status_and_code(), "204");
        }
        let deleted = fixture.call("DELETE", &format!("/profiles/{profile}"), None).await;
        assert_eq!(deleted.status_and_code(), "204");
        fixture.app.run_due_jobs().await;
        assert_eq!(fixture.reasons(&id).await, expected, "{is_attached_later} {is_detached}");
    }
}

/// Addresses that a store of files signs for a while carry tokens of a thousand characters and more.
#[tokio::test]
async fn an_image_at_the_longest_address_is_moderated_and_no_longer_one_is_registered() {
    let fixture = AccountFixture::start_with_media().await;
    let url = fixture.files.put("group.png", png(&testkit::group_photo(3)));
    let signed = |bytes: usize| {
        let query = format!("{url}?X-Amz-Expires=3600&X-Amz-Security-Token=");
        format!("{query}{}", "f".repeat(bytes - query.len()))
    };
    let id = fixture.moderate(&signed(4096), "IMAGE", json!({ "unknown_faces": true })).await;
    let state = fixture.moderation_state(&id).await;
    assert_eq!((state["state"].as_str(), state["url"].as_str()), (Some("DONE"), Some(&*signed(4096))));
    let body = json!({ "url": signed(4097), "type": "IMAGE" });
    let refused = fixture.call("POST", "/contents", Some(body)).await.json();
    let error = &refused["errors"][0];
    assert_eq!(
        (error["property"].as_str(), error["measured"].as_f64(), error["limit"].as_str()),
        (Some("url"), Some(4097.0), Some("at most 4096 bytes")),
        "{refused:.200}"
    );
}

#[tokio::test]
async fn a_crowd_beyond_the_limit_is_told_of_on_sqlite() {
    let fixture = AccountFixture::start_with_media().await;
    // 18 times 18 faces.
    let small = edits::resized(&testkit::face_pictures()[0], PictureSize { width: 72, height: 80 });
    let crowd = edits::tiled(&vec![small; 18 * 18], 18);
    let url = fixture.files.put("crowd.png", png(&crowd));
    let id = fixture.moderate(&url, "IMAGE", json!({ "unknown_faces": true })).await;
    let report = fixture.report(&id).await;
    assert_eq!(report["total_count"], 200, "{}", report["state"]);
    let state = fixture.moderation_state(&id).await;
    let unjudged = state["unjudged_faces"].as_i64().unwrap();
    assert!((1..=124).contains(&unjudged), "{unjudged} of 324 faces");
    let overview = fixture.get(&format!("/moderations/{id}")).await;
    assert_eq!(overview["moderation"]["unjudged_faces"], unjudged);
}

/// A file in which a photo is only in how opaque its pixels are: dark on a white page where they are black, and light on a black
/// page where they are white. Without transparency it is one colour.
fn hidden_in_opacity(photo: &Picture, colour: u8) -> Vec<u8> {
    let luma = |pixel: &[u8]| (pixel.iter().map(|&channel| u16::from(channel)).sum::<u16>() / 3) as u8;
    let opacity = |luma: u8| if colour == 0 { 255 - luma } else { luma };
    let pixels: Vec<u8> = photo
        .rgb()
        .chunks_exact(3)
        .flat_map(|pixel| [colour, colour, colour, opacity(luma(pixel))])
        .collect();
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, photo.width(), photo.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header().unwrap().write_image_data(&pixels).unwrap();
    file
}

#[tokio::test]
async fn a_banned_person_is_found_who_is_only_seen_through_the_transparency_of_an_image() {
    let fixture = AccountFixture::start_with_media().await;
    let (person, _) = two_people();
    let profile = fixture.enrol("banned", person).await;
    fixture.call("POST", &format!("/profiles/{profile}/ban"), None).await;
    for (many, name, colour) in [(1, "on-white.png", 0), (2, "on-black.png", 255)] {
        let url = fixture.files.put(name, hidden_in_opacity(person, colour));
        let id = fixture.moderate(&url, "IMAGE", json!({ "unknown_faces": true })).await;
        assert_eq!(fixture.reasons(&id).await, ["BANNED_PROFILE"], "{name}");
        assert_eq!(fixture.count(sql!("SELECT count(*) FROM finding_pictures")).await, many, "{name}");
    }
    // On both pages it is one face.
    let half: Vec<u8> = person.rgb().chunks_exact(3).flat_map(|rgb| [rgb[0], rgb[1], rgb[2], 200]).collect();
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, person.width(), person.height());
    encoder.set_color(png::ColorType::Rgba);
    encoder.write_header().unwrap().write_image_data(&half).unwrap();
    let url = fixture.files.put("faint.png", file);
    let id = fixture.moderate(&url, "IMAGE", json!({ "unknown_faces": true })).await;
    assert_eq!(fixture.reasons(&id).await, ["BANNED_PROFILE"]);
}

/// A file that looks like fog to whoever does not know the gamma that it names: pages show the photo.
fn hidden_in_gamma(photo: &Picture) -> Vec<u8> {
    const EXPONENT: f32 = 24.0;
    let stored = |channel: &u8| {
        let linear = (f32::from(*channel) / 255.0).powf(2.2);
        (linear.powf(EXPONENT.recip()) * 255.0).round() as u8
    };
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, photo.width(), photo.height());
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_source_gamma(png::ScaledFloat::new(EXPONENT.recip()));
    let stored: Vec<u8> = photo.rgb().iter().map(stored).collect();
    encoder.write_header().unwrap().write_image_data(&stored).unwrap();
    file
}

#[tokio::test]
async fn a_banned_person_is_found_who_is_only_seen_with_the_colours_that_an_image_names() {
    let fixture = AccountFixture::start_with_media().await;
    let (person, _) = two_people();
    let profile = fixture.enrol("banned", person).await;
    fixture.call("POST", &format!("/profiles/{profile}/ban"), None).await;
    let url = fixture.files.put("fog.png", hidden_in_gamma(person));
    let id = fixture.moderate(&url, "IMAGE", json!({ "unknown_faces": true })).await;
    assert_eq!(fixture.reasons(&id).await, ["BANNED_PROFILE"]);
}
