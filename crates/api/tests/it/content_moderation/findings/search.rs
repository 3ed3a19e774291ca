//! `POST /accounts/{accountId}/findings/search`

use crate::content_moderation::{
    AccountFixture, another_photo, face_base64, first_error, text_members, two_people,
};
use base::{Picture, SignedDuration};
use serde_json::{Value, json};
use testkit::{TestResponse, media_fixtures::png};

impl AccountFixture {
    async fn search_findings(&self, body: Value) -> TestResponse {
        self.call("POST", "/findings/search", Some(body)).await
    }

    /// Moderates a picture of somebody; returns the moderation's id.
    async fn seen(&self, name: &str, person: &Picture) -> String {
        let url = self.files.put(name, png(person));
        self.moderate(&url, "IMAGE", json!({})).await
    }
}

#[tokio::test]
async fn where_a_face_was_seen_is_answered() {
    let fixture = AccountFixture::start_with_media().await;
    let (ada, bob) = two_people();
    fixture.seen("ada.png", ada).await;
    fixture.seen("bob.png", bob).await;
    assert_response_snapshot!(
        fixture.search_findings(json!({ "face": face_base64(ada) })).await,
        "**.face_left **.face_top **.face_right **.face_bottom **.age_group **.distance **.similarity **.false_match_rate",
        "**.observed_at **.searched_back_to"
    );
}

#[tokio::test]
async fn somebody_is_looked_for_by_their_profile_and_dismissed_faces_are_left_out() {
    let fixture = AccountFixture::start_with_media().await;
    let (ada, bob) = two_people();
    let profile = fixture.enrol("Ada", ada).await;
    let first = fixture.seen("1.png", &another_photo(ada, 1)).await;
    fixture.app.environment.advance(SignedDuration::from_hours(1));
    let second = fixture.seen("2.png", &another_photo(ada, 2)).await;
    fixture.seen("bob.png", bob).await;
    let moderations = async |body: Value| -> Vec<String> {
        let found = fixture.search_findings(body).await;
        assert_eq!(found.status_and_code(), "200", "{}", found.json());
        let mut ids: Vec<_> =
            text_members(&found.json()["findings"], "moderation_id").into_iter().map(str::to_owned).collect();
        ids.sort();
        ids
    };
    let mut both = vec![first.clone(), second.clone()];
    both.sort();
    assert_eq!(moderations(json!({ "profile_id": profile })).await, both);
    let found = fixture.search_findings(json!({ "profile_id": profile, "most": 1.0 })).await.json();
    assert_eq!(
        (&found["total_count"], &found["compared"], &found["not_comparable"]),
        (&json!(2), &json!(3), &json!(0))
    );
    assert_eq!(found["findings"].as_array().unwrap().len(), 1);
    assert!(found.get("continue_from").is_none() && found["keep_embeddings_days"] == 30, "{found}");
    let nearest = found["findings"][0]["similarity"].as_f64().unwrap();
    assert!((0.5..=1.0).contains(&nearest), "{found}");
    assert_eq!(
        moderations(json!({ "profile_id": profile, "min_similarity": (nearest - 0.0001).min(0.95) }))
            .await
            .len(),
        1,
        "only the nearest is as similar"
    );

    // The newer one was told, and is dismissed.
    let ban = fixture.call("POST", &format!("/profiles/{profile}/ban"), None).await;
    assert_eq!(ban.status, 204);
    fixture.app.run_due_jobs().await;
    let notification = fixture.first_notification(&second).await;
    let dismissed = fixture.call("POST", &format!("/notifications/{notification}/dismiss"), None).await;
    assert_eq!(dismissed.status, 200, "{}", dismissed.json());
    assert_eq!(moderations(json!({ "profile_id": profile })).await, std::slice::from_ref(&first));
    assert_eq!(moderations(json!({ "face": face_base64(ada) })).await, both, "a picture is nobody's");

    let older = fixture.report(&second).await["face_check_results"][0]["id"].clone();
    assert_eq!(
        moderations(json!({ "face": face_base64(ada), "continue_from": older })).await,
        [first],
        "a search goes on behind a finding"
    );
}

#[tokio::test]
async fn a_search_sees_what_is_kept_of_its_own_account_and_no_more() {
    let fixture = AccountFixture::start_with_media().await;
    let (ada, _) = two_people();
    let profile = fixture.enrol("Ada", ada).await;
    let content = fixture.content(&fixture.files.put("ada.png", png(ada)), "IMAGE").await;
    let moderation = fixture.start_moderation(&content, json!({})).await;
    fixture.app.run_due_jobs().await;
    let finding = fixture.report(&moderation).await["face_check_results"][0]["id"].clone();
    let counts = async |fixture: &AccountFixture| {
        let found = fixture.search_findings(json!({ "face": face_base64(ada) })).await;
        assert_eq!(found.status_and_code(), "200", "{}", found.json());
        let found = found.json();
        (found["total_count"].as_i64().unwrap(), found["compared"].as_i64().unwrap())
    };
    assert_eq!(counts(&fixture).await, (1, 1));
    let archived = fixture.call("POST", "/archive/contents", Some(json!({ "content_id": content }))).await;
    assert_eq!(archived.status, 204, "{:?}", archived.body);
    assert_eq!(counts(&fixture).await, (1, 1), "archived contents are searched");

    let own = fixture.account;
    let other = AccountFixture { account: fixture.app.open_account().await, ..fixture };
    assert_eq!(counts(&other).await, (0, 0));
    for (body, property) in [
        (json!({ "profile_id": profile }), "profile_id"),
        (json!({ "profile_id": "nobody" }), "profile_id"),
        (json!({ "face": face_base64(ada), "continue_from": finding }), "continue_from"),
        (json!({ "face": face_base64(ada), "continue_from": "x" }), "continue_from"),
        (json!({ "face": face_base64(ada), "profile_id": profile }), "profile_id"),
        (json!({}), "face"),
        (json!({ "face": face_base64(ada), "most": 101 }), "most"),
        (json!({ "face": face_base64(ada), "most": 0 }), "most"),
        (json!({ "face": face_base64(ada), "min_similarity": 0.2 }), "min_similarity"),
        (json!({ "face": "?" }), "face"),
    ] {
        let answer = other.search_findings(body.clone()).await;
        assert_eq!(answer.status_and_code(), "400 INVALID_REQUEST", "{property}");
        assert_eq!(first_error(&answer)["property"], property);
    }
    let faceless = other.add_profile("Bob").await;
    let answer = other.search_findings(json!({ "profile_id": faceless })).await;
    assert_eq!(answer.status_and_code(), "400 INVALID_REQUEST", "nobody can be found by it");
    let two = face_base64(&testkit::group_photo(2));
    assert_eq!(other.search_findings(json!({ "face": two })).await.status_and_code(), "422 FACE_REFUSED");

    let fixture = AccountFixture { account: own, ..other };
    fixture.app.environment.advance(SignedDuration::from_hours(24 * 31));
    fixture.app.api.retention.enforce(&fixture.app.api.db, &*fixture.app.api.environment).await.unwrap();
    assert_eq!(counts(&fixture).await, (0, 0), "embeddings are kept for thirty days");
}
