//! `GET /accounts/{accountId}/notifications/{id}/statement-of-reasons`

use crate::content_moderation::{AccountFixture, another_photo, text_members, two_people};
use base::SignedDuration;
use db::{FromRow, sql};
use serde_json::{Value, json};
use testkit::media_fixtures::png;

#[derive(FromRow)]
struct StoredDecision {
    sealed_decision: Vec<u8>,
}

impl AccountFixture {
    async fn review(&self, notification: &str, action: &str, body: Value) {
        let path = format!("/notifications/{notification}/{action}");
        let answer = self.call("POST", &path, Some(body)).await;
        assert_eq!(answer.status_and_code(), "200", "{}", answer.json());
    }
}

#[tokio::test]
async fn the_reasons_for_an_accepted_notification_are_stated() {
    let fixture = AccountFixture::start_with_media().await;
    let (ada, _) = two_people();
    let profile = fixture.enrol("Ada Lovelace", ada).await;
    fixture.call("POST", &format!("/profiles/{profile}/ban"), None).await;
    let url = fixture.files.put("ada.png", png(&another_photo(ada, 1)));
    let moderation = fixture.moderate(&url, "IMAGE", json!({})).await;
    let id = fixture.first_notification(&moderation).await;
    let (member, _) = fixture.add_member("grace@example.com", false, &[]).await;
    let decision = json!({
        "decision_visibility": ["DECISION_VISIBILITY_CONTENT_REMOVED", "DECISION_VISIBILITY_OTHER"],
        "decision_visibility_other": "Comments are closed.",
        "decision_account": "DECISION_ACCOUNT_SUSPENDED",
        "territorial_scope": ["DE", "FR"],
        "application_date": "2026-01-17",
        "end_date_account_restriction": "2026-07-17",
        "decision_ground": "DECISION_GROUND_INCOMPATIBLE_CONTENT",
        "incompatible_content_ground": "Terms of use, 4.2",
        "incompatible_content_explanation": "Whoever was banned may not appear.",
        "incompatible_content_illegal": "No",
        "category": "STATEMENT_CATEGORY_SCOPE_OF_PLATFORM_SERVICE",
        "source_type": "SOURCE_VOLUNTARY",
        "redress": "Complain within six months at https://example.com/complaints, or to a court.",
    });
    let body = json!({ "comment": "it is her", "member_id": member, "decision": decision });
    fixture.review(&id, "accept", body).await;
    let answer = fixture.call("GET", &format!("/notifications/{id}/statement-of-reasons"), None).await;
    let statement = answer.json();
    let text = statement.to_string();
    for of_somebody in [profile.as_str(), member.as_str(), "Ada", "it is her", "grace"] {
        assert!(!text.contains(of_somebody), "{of_somebody}: {text}");
    }
    assert_eq!(statement["missing"], json!([]));
    assert_response_snapshot!(
        answer,
        "decided_at facts.observed_at facts.age_group",
        "facts.measurements.distance facts.measurements.max_distance facts.measurements.model facts.measurements.years \
         facts.measurements.years_low facts.measurements.years_high facts.measurements.quality facts.measurements.score"
    );
    let mut view = fixture.app.api.db.read().await.unwrap();
    let stored: Vec<StoredDecision> =
        view.fetch_all(sql!("SELECT sealed_decision FROM reviews")).await.unwrap();
    let [StoredDecision { sealed_decision: sealed }] = &stored[..] else { panic!("one review") };
    assert!(!sealed.windows(5).any(|part| part == b"Terms"), "it is sealed");
}

/// Nothing is invented: what the platform did not say is named as missing.
#[tokio::test]
async fn what_nobody_said_is_missing_and_nothing_is_stated_that_is_not_accepted() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, moderation) = fixture.finished_moderation(json!({ "age_estimation": 90 })).await;
    let ids: Vec<String> = text_members(&json!(fixture.face_notifications(&moderation).await), "id")
        .into_iter()
        .map(str::to_owned)
        .collect();
    let path = |id: &str| format!("/notifications/{id}/statement-of-reasons");
    let missing = async |id: &str| fixture.call("GET", &path(id), None).await.status_and_code();
    let end =
        fixture.get(&format!("/moderations/{moderation}/notifications")).await["notifications"][0].clone();
    let end = end["id"].as_str().unwrap();
    fixture.review(end, "accept", json!({})).await;
    assert_eq!(missing(end).await, "404 NOT_FOUND", "an end restricts nobody");
    for id in &ids {
        assert_eq!(missing(id).await, "404 NOT_FOUND", "nobody has accepted it");
        fixture.review(id, "accept", json!({ "comment": "right" })).await;
        let statement = fixture.get(&path(id)).await;
        assert_eq!(
            statement["missing"],
            json!([
                "decision_visibility",
                "territorial_scope",
                "application_date",
                "decision_ground",
                "category",
                "source_type",
                "automated_decision",
                "redress",
            ])
        );
        for absent in statement["missing"].as_array().unwrap() {
            assert!(statement.get(absent.as_str().unwrap()).is_none(), "{absent}: {statement}");
        }
        assert_eq!(statement["automated_detection"], "Yes");
        let facts = statement["decision_facts"].as_str().unwrap();
        match statement["facts"]["reason"].as_str().unwrap() {
            "AGE_ESTIMATION" => assert!(facts.contains("90 years"), "{facts}"),
            reason => assert!(reason == "UNKNOWN_FACE" && facts.contains("matches none"), "{facts}"),
        }
    }
    assert_eq!(ids.len(), 2);

    // The last word counts, and its decision alone.
    fixture.app.environment.advance(SignedDuration::from_secs(1));
    let given = json!({ "decision": { "automated_decision": "AUTOMATED_DECISION_FULLY", "decision_facts": "Seen." } });
    fixture.review(&ids[0], "accept", given).await;
    let statement = fixture.get(&path(&ids[0])).await;
    assert_eq!(
        (&statement["automated_decision"], &statement["decision_facts"]),
        (&json!("AUTOMATED_DECISION_FULLY"), &json!("Seen."))
    );
    fixture.app.environment.advance(SignedDuration::from_secs(1));
    fixture.review(&ids[0], "dismiss", json!({})).await;
    assert_eq!(missing(&ids[0]).await, "404 NOT_FOUND", "it was dismissed");
    fixture.review(&ids[0], "accept", json!({})).await;
    assert_ne!(fixture.get(&path(&ids[0])).await["decision_facts"], "Seen.");
}

#[tokio::test]
async fn a_decision_that_cannot_be_stated_is_refused() {
    let fixture = AccountFixture::start_with_media().await;
    let (_, moderation) = fixture.finished_moderation(json!({})).await;
    let id = fixture.first_notification(&moderation).await;
    for (decision, property) in [
        (json!({ "decision_visibility": ["REMOVED"] }), "decision.decision_visibility[0]"),
        (
            json!({ "decision_visibility": ["DECISION_VISIBILITY_OTHER"] }),
            "decision.decision_visibility_other",
        ),
        (json!({ "decision_visibility_other": "Hidden" }), "decision.decision_visibility_other"),
        (json!({ "decision_monetary": "DECISION_MONETARY_OTHER" }), "decision.decision_monetary_other"),
        (json!({ "decision_ground": "TERMS" }), "decision.decision_ground"),
        (json!({ "territorial_scope": ["DE", "Germany"] }), "decision.territorial_scope[1]"),
        (json!({ "territorial_scope": vec!["DE"; 251] }), "decision.territorial_scope"),
        (json!({ "application_date": "17.1.2026" }), "decision.application_date"),
        (
            json!({ "end_date_visibility_restriction": "2026-02-30" }),
            "decision.end_date_visibility_restriction",
        ),
        (json!({ "category": "violence" }), "decision.category"),
        (json!({ "redress": " " }), "decision.redress"),
        (json!({ "redress": "x".repeat(2001) }), "decision.redress"),
        (json!({ "illegal_content_legal_ground": "x".repeat(501) }), "decision.illegal_content_legal_ground"),
        (json!({ "decision_facts": "x".repeat(5001) }), "decision.decision_facts"),
        (json!("removed"), "decision"),
        (json!([]), "decision"),
        (json!([["DECISION_VISIBILITY_CONTENT_REMOVED"]]), "decision"),
    ] {
        let body = json!({ "decision": decision });
        let answer = fixture.call("POST", &format!("/notifications/{id}/accept"), Some(body)).await;
        assert_eq!(answer.status_and_code(), "400 INVALID_REQUEST", "{property}");
        assert_eq!(answer.json()["errors"][0]["property"], property, "{}", answer.json());
    }
    let reviews = fixture.get(&format!("/notifications/{id}/reviews")).await;
    assert_eq!(reviews["total_count"], 0, "nothing was recorded");
}
