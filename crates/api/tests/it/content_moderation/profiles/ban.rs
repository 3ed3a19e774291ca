//! `POST /accounts/{accountId}/profiles/{profileId}/ban`

use crate::content_moderation::{AccountFixture, face_base64, first_error, two_people};
use serde_json::{Value, json};

#[tokio::test]
async fn a_profile_is_banned() {
    let fixture = AccountFixture::start().await;
    let id = fixture.enrol("Ada", two_people().0).await;
    assert_response_snapshot!(fixture.call("POST", &format!("/profiles/{id}/ban"), None).await);
}

#[tokio::test]
async fn a_profile_is_banned_and_unbanned() {
    let fixture = AccountFixture::start().await;
    let (ada, _) = two_people();
    let id = fixture.enrol("Ada", ada).await;
    for (action, banned) in [("ban", true), ("ban", true), ("unban", false)] {
        assert_eq!(
            fixture.call("POST", &format!("/profiles/{id}/{action}"), None).await.status_and_code(),
            "204"
        );
        assert_eq!(fixture.get(&format!("/profiles/{id}")).await["is_banned"], json!(banned));
        let found =
            fixture.call("POST", "/profiles/search", Some(json!({ "face": face_base64(ada) }))).await.json();
        assert_eq!(found["profiles"][0]["is_banned"], json!(banned));
    }
}

/// A ban that nobody would ever notice is refused, and so is whatever would make one of it.
#[tokio::test]
async fn a_profile_that_nobody_is_recognised_by_is_not_banned() {
    let fixture = AccountFixture::start().await;
    let (ada, _) = two_people();
    let faceless = fixture.add_profile("Bob").await;
    let hidden = fixture.enrol("Ada", ada).await;
    fixture.call("PATCH", &format!("/profiles/{hidden}"), Some(json!({ "profile_type": 2 }))).await;
    for (id, property, because) in
        [(&faceless, "faces", "it has no face"), (&hidden, "profile_type", "its profile_type is 2")]
    {
        let refused = fixture.call("POST", &format!("/profiles/{id}/ban"), None).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
        let error = first_error(&refused);
        assert!(error["message"].as_str().unwrap().contains(because), "{error}");
        assert_eq!(error["property"], property);
        assert_eq!(fixture.get(&format!("/profiles/{id}")).await["is_banned"], false);
    }

    fixture.call("PATCH", &format!("/profiles/{hidden}"), Some(json!({ "profile_type": 1 }))).await;
    assert_eq!(fixture.call("POST", &format!("/profiles/{hidden}/ban"), None).await.status, 204);
    let changed =
        fixture.call("PATCH", &format!("/profiles/{hidden}"), Some(json!({ "profile_type": 2 }))).await;
    assert_eq!(changed.status_and_code(), "400 INVALID_REQUEST", "it would end the ban");
    let face =
        fixture.get(&format!("/profiles/{hidden}")).await["faces"][0]["id"].as_str().unwrap().to_owned();
    let path = format!("/profiles/{hidden}/faces/{face}");
    let last = fixture.call("DELETE", &path, None).await;
    assert_eq!(last.status_and_code(), "400 INVALID_REQUEST", "{}", last.json());
    assert_eq!(fixture.search_by_face(ada).await, std::slice::from_ref(&hidden), "nothing was deleted");
    fixture.call("POST", &format!("/profiles/{hidden}/unban"), None).await;
    assert_eq!(fixture.call("DELETE", &path, None).await.status, 204);
}

/// Whoever can never be recognised is not named as somebody who is known.
#[tokio::test]
async fn a_profile_that_nobody_is_recognised_by_is_not_named() {
    let fixture = AccountFixture::start_with_media().await;
    let faceless = fixture.add_profile("Bob").await;
    let (content, _) = fixture.waiting_moderation().await;
    let url = "https://media.example.com/1.jpg";
    for (method, path, body, property) in [
        (
            "POST",
            "/moderations".to_owned(),
            json!({ "content_id": content, "profile_ids": [faceless] }),
            "profile_ids[0]",
        ),
        (
            "POST",
            "/contents".to_owned(),
            json!({ "url": url, "type": "IMAGE", "profile_ids": [faceless] }),
            "profile_ids[0]",
        ),
        ("POST", format!("/contents/{content}/profiles"), json!({ "profile_id": faceless }), "profile_id"),
    ] {
        let refused = fixture.call(method, &path, Some(body)).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST", "{path}");
        let error = first_error(&refused);
        assert_eq!(error["property"], property);
        assert!(error["message"].as_str().unwrap().contains("it has no face"), "{error}");
    }
}

#[tokio::test]
async fn a_ban_has_a_reason_an_author_and_an_end() {
    let fixture = AccountFixture::start().await;
    let (ada, bob) = two_people();
    let id = fixture.enrol("Ada", ada).await;
    let ban = async |body: Value| fixture.call("POST", &format!("/profiles/{id}/ban"), Some(body)).await;
    for (body, property) in [
        (json!({ "reason": "x".repeat(501) }), "reason"),
        (json!({ "until": "2026-01-16T14:40:00Z" }), "until"),
        (json!({ "until": "tomorrow" }), "until"),
    ] {
        let refused = ban(body).await;
        assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
        assert_eq!(first_error(&refused)["property"], property);
    }
    let body = json!({ "reason": " threatened staff ", "until": "2026-01-17T14:40:00Z" });
    assert_eq!(ban(body).await.status, 204);
    let profile = fixture.get(&format!("/profiles/{id}")).await;
    assert_eq!(profile["is_banned"], true);
    assert_eq!(profile["ban"]["reason"], "threatened staff");
    assert_eq!(profile["ban"]["since"], "2026-01-16T14:40:00Z");
    assert_eq!(profile["ban"]["until"], "2026-01-17T14:40:00Z");
    assert!(profile["ban"]["user_id"].as_str().is_some(), "{profile}");

    // Whoever enrols them again is warned; whoever enrols somebody else is not.
    let body = |name: &str, face| json!({ "display_name": name, "biometric_consent": "form 7", "face": face_base64(face) });
    let again = fixture.call("POST", "/profiles", Some(body("Eve", ada))).await;
    assert_eq!(again.status_and_code(), "201");
    let warning = &again.json()["warnings"][0];
    assert_eq!(
        (&warning["code"], &warning["profile_id"]),
        (&json!("BANNED_PERSON"), &json!(id)),
        "{warning}"
    );
    assert!(warning["similarity"].as_f64().unwrap() > 0.9, "{warning}");
    let other = fixture.call("POST", "/profiles", Some(body("Bob", bob))).await;
    assert!(other.json().get("warnings").is_none(), "{}", other.json());

    let sweep = async || fixture.app.api.faces.sweep_tombstones().await.unwrap();
    fixture.app.environment.advance(base::SignedDuration::from_hours(23));
    sweep().await;
    assert_eq!(fixture.get(&format!("/profiles/{id}")).await["is_banned"], true);
    fixture.app.environment.advance(base::SignedDuration::from_hours(1));
    sweep().await;
    let profile = fixture.get(&format!("/profiles/{id}")).await;
    assert_eq!((&profile["is_banned"], profile.get("ban")), (&json!(false), None), "{profile}");
    let lifted = db::sql!("SELECT count(*) FROM audit_records WHERE record LIKE '%profile.unban%expired%'");
    assert_eq!(fixture.count(lifted).await, 1);
}

/// A ban goes with its profile: nothing is lifted or recorded of somebody who was deleted, or banned again for longer.
#[tokio::test]
async fn a_ban_that_was_replaced_or_whose_profile_was_deleted_is_not_lifted() {
    let fixture = AccountFixture::start().await;
    let (ada, bob) = two_people();
    let (kept, gone) = (fixture.enrol("Ada", ada).await, fixture.enrol("Bob", bob).await);
    for id in [&kept, &gone] {
        let body = json!({ "until": "2026-01-17T14:40:00Z" });
        assert_eq!(fixture.call("POST", &format!("/profiles/{id}/ban"), Some(body)).await.status, 204);
    }
    assert_eq!(fixture.call("POST", &format!("/profiles/{kept}/ban"), None).await.status, 204);
    assert_eq!(fixture.call("DELETE", &format!("/profiles/{gone}"), None).await.status, 204);
    fixture.app.environment.advance(base::SignedDuration::from_hours(48));
    fixture.app.api.faces.sweep_tombstones().await.unwrap();
    assert_eq!(fixture.get(&format!("/profiles/{kept}")).await["is_banned"], true);
    let lifted = db::sql!("SELECT count(*) FROM audit_records WHERE record LIKE '%profile.unban%'");
    assert_eq!(fixture.count(lifted).await, 0);
    assert_eq!(fixture.count(db::sql!("SELECT count(*) FROM profiles WHERE ban_until IS NOT NULL")).await, 0);
}
