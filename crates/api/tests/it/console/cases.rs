//! `/console/cases` and `/console/queues`

use crate::{
    content_moderation::AccountFixture,
    document_verification::{session_in_review, session_in_review_of},
};
use base::SignedDuration;
use db::sql;
use domain::content_moderation::SweepFindingPictures;
use futures_util::TryStreamExt as _;
use media::blobs::BlobPrefix;
use serde_json::{Value, json};
use std::time::Duration;
use testkit::TestResponse;

/// A reviewer of an account in which a moderation found one unknown face.
struct Desk {
    fixture: AccountFixture,
    cookie: String,
    member: String,
    moderation: String,
    notification: String,
}

/// What differs from run to run.
const VOLATILE: &str = "**.id **.deletes_at **.due_at **.created_at **.lease_until **.held_by **.notification_id **.moderation_id \
                        **.observed_at **.url **.face_edges **.picture_size **.max_distance **.years **.low **.high **.quality **.age_group";

impl Desk {
    async fn open() -> Self {
        let fixture = AccountFixture::start_with_media().await;
        let (_, moderation) = fixture.finished_moderation(json!({})).await;
        let notification = fixture.first_notification(&moderation).await;
        let (member, cookie) = fixture.add_member("ada@example.com", false, &["notifications:manage"]).await;
        Self { fixture, cookie, member, moderation, notification }
    }

    /// Gives the reviewer scopes of the console.
    async fn grant(&self, scopes: &[&str]) {
        self.grant_to(&self.member, scopes).await;
    }

    /// Gives a member scopes of the console, and takes those that they had.
    async fn grant_to(&self, member: &str, scopes: &[&str]) {
        let mut tx = self.fixture.app.api.db.write().await.unwrap();
        let id: base::MemberId = member.parse().unwrap();
        tx.execute(sql!("UPDATE members SET console_scopes = $2 WHERE id = $1", id, json!(scopes)))
            .await
            .unwrap();
        tx.commit().await.unwrap();
    }

    async fn call(&self, method: &str, path: &str, body: Option<Value>) -> TestResponse {
        self.fixture.call_console(&self.cookie, method, &format!("/console{path}"), body).await
    }

    async fn claim(&self, count: u32) -> Vec<Value> {
        let claimed = self.call("POST", "/cases/claim", Some(json!({ "count": count }))).await;
        assert_eq!(claimed.status, 200, "{:?}", claimed.body);
        claimed.json()["cases"].as_array().unwrap().clone()
    }

    async fn claimed_case(&self) -> String {
        format!("/cases/{}", self.claim(1).await[0]["id"].as_str().unwrap())
    }

    async fn notification(&self) -> Value {
        self.fixture.get(&format!("/notifications/{}", self.notification)).await
    }
}

#[tokio::test]
async fn a_finding_is_claimed_decided_and_settled() {
    let desk = Desk::open().await;
    let claimed = desk.call("POST", "/cases/claim", Some(json!({ "count": 2 }))).await;
    let case = format!("/cases/{}", claimed.json()["cases"][0]["id"].as_str().unwrap());
    assert_response_snapshot!(claimed, VOLATILE);
    let decision = json!({ "decision": "CONFIRM", "comment": "clearly a face", "exposure_seconds": 2.5 });
    let decided = desk.call("PUT", &format!("{case}/decision"), Some(decision)).await;
    assert_response_snapshot!(decided, "settles_at");
    assert_eq!(desk.notification().await["total_revies"], 0, "it can still be taken back");
    desk.fixture.app.run_due_jobs().await;
    assert_eq!(desk.notification().await["average_score"], 100);
    let read = desk.call("GET", &case, None).await.json();
    assert_eq!((&read["state"], &read["outcome"]), (&json!("SETTLED"), &json!("CONFIRM")));
}

/// On PostgreSQL, which would end one of two transactions that wait for each other, and not always the one that is tried again.
#[tokio::test]
async fn a_decision_is_settled_while_what_it_is_about_is_deleted() {
    let desk = Desk::open().await;
    let case = desk.claimed_case().await;
    desk.call("PUT", &format!("{case}/decision"), Some(json!({ "decision": "FALSE_ALARM" }))).await;
    let (fixture, app) = (&desk.fixture, &desk.fixture.app);
    app.environment.advance(SignedDuration::from_secs(11));
    // The deletion waits for a list of notifications, having begun.
    let mut tx = app.api.db.write().await.unwrap();
    let lock = sql!("UPDATE notification_lists SET gaps = gaps WHERE list_id = $1", fixture.account);
    tx.execute(lock).await.unwrap();
    let path = format!("/moderations/{}", desk.moderation);
    let (deleted, ()) = tokio::join!(fixture.call("DELETE", &path, None), async {
        app.wait_until_blocked(1).await;
        let working = app.spawn_worker();
        app.wait_until_blocked(2).await;
        // Longer than PostgreSQL waits until it looks for who waits for whom.
        tokio::time::sleep(Duration::from_millis(1200)).await;
        tx.commit().await.unwrap();
        working.stop().await;
    });
    assert_eq!(deleted.status_and_code(), "204", "{}", deleted.json());
    app.run_due_jobs().await;
    assert_eq!(fixture.count(sql!("SELECT count(*) FROM cases")).await, 0);
}

#[tokio::test]
async fn a_decision_is_taken_back() {
    let desk = Desk::open().await;
    let case = desk.claimed_case().await;
    let decision = format!("{case}/decision");
    desk.call("PUT", &decision, Some(json!({ "decision": "FALSE_ALARM" }))).await;
    assert_response_snapshot!(desk.call("DELETE", &decision, None).await, "lease_until");
    desk.fixture.app.run_due_jobs().await;
    assert_eq!(desk.notification().await["total_revies"], 0);
    desk.call("PUT", &decision, Some(json!({ "decision": "FALSE_ALARM" }))).await;
    desk.fixture.app.run_due_jobs().await;
    assert_eq!(
        desk.call("DELETE", &decision, None).await.status_and_code(),
        "409 DECISION_SETTLED",
        "what has left does not come back"
    );
}

#[tokio::test]
async fn leases_are_renewed() {
    let desk = Desk::open().await;
    let id = desk.claim(1).await[0]["id"].clone();
    desk.fixture.app.environment.advance(SignedDuration::from_secs(50));
    let renew = json!({ "case_ids": [id] });
    let renewed = desk.call("POST", "/cases/renew", Some(renew.clone())).await;
    assert_response_snapshot!(renewed, "**.case_id **.lease_until");
    desk.fixture.app.environment.advance(SignedDuration::from_secs(61));
    let late = desk.call("POST", "/cases/renew", Some(renew.clone())).await.json();
    assert_eq!(late["leases"][0]["case_id"], id, "nobody has claimed it since");
    let path = format!("/cases/{}/release", id.as_str().unwrap());
    assert_eq!(desk.call("POST", &path, None).await.status, 204);
    assert_eq!(desk.call("POST", "/cases/renew", Some(renew)).await.json()["leases"], json!([]));
}

#[tokio::test]
async fn a_case_is_read() {
    let desk = Desk::open().await;
    let case = desk.claimed_case().await;
    assert_response_snapshot!(desk.call("GET", &case, None).await, VOLATILE);
}

#[tokio::test]
async fn cases_are_listed() {
    let desk = Desk::open().await;
    let listed = desk.call("GET", "/cases?state=OPEN&kind=FINDING&reason=UNKNOWN_FACE", None).await;
    assert_response_snapshot!(listed, "**.id **.due_at **.created_at");
    let total = async |query: &str| {
        desk.call("GET", &format!("/cases?{query}"), None).await.json()["total_count"].clone()
    };
    assert_eq!(total("reason=BANNED_PROFILE").await, 0);
    assert_eq!(total("overdue=true").await, 0);
    for _ in 0..3 {
        desk.fixture.app.environment.advance(SignedDuration::from_hours(9));
        assert_eq!(desk.call("GET", "/cases", None).await.status, 200, "the session goes on");
    }
    assert_eq!(total("overdue=true").await, 1);
    let wrong = desk.call("GET", "/cases?state=LOST", None).await;
    assert_eq!(wrong.status_and_code(), "400 INVALID_REQUEST");
    let beyond = desk.call("GET", "/cases?page=2", None).await;
    assert_eq!(beyond.status_and_code(), "422 PAGE_OUT_OF_RANGE");
}

#[tokio::test]
async fn a_case_is_released_held_and_handed_over() {
    let desk = Desk::open().await;
    let case = desk.claimed_case().await;
    assert_response_snapshot!(desk.call("POST", &format!("{case}/release"), None).await);
    assert_eq!(
        desk.call("POST", &format!("{case}/release"), None).await.status_and_code(),
        "409 CASE_NOT_HELD"
    );
    desk.claim(1).await;
    let until = desk.fixture.app.api.environment.now() + SignedDuration::from_mins(5);
    let hold = json!({ "until": until, "note": "wait for the original" });
    assert_response_snapshot!(desk.call("POST", &format!("{case}/hold"), Some(hold)).await);
    assert_eq!(desk.claim(1).await, Vec::<Value>::new());
    let held = desk.call("GET", &case, None).await.json();
    assert_eq!((&held["state"], &held["note"]), (&json!("HELD"), &json!("wait for the original")));
    desk.fixture.app.environment.advance(SignedDuration::from_mins(5));
    assert_eq!(desk.claim(1).await.len(), 1);

    let (eve, cookie) = desk.fixture.add_member("eve@example.com", false, &["notifications:manage"]).await;
    // Somebody who may decide nothing is no help.
    desk.fixture.add_member("kim@example.com", false, &["contents:view"]).await;
    desk.claim(1).await;
    let assignees = desk.call("GET", &format!("{case}/assignees"), None).await;
    assert_eq!(assignees.json()["assignees"].as_array().unwrap().len(), 1);
    assert_eq!(assignees.json()["assignees"][0]["member_id"], json!(eve));
    assert_response_snapshot!(assignees, "**.member_id");
    assert_response_snapshot!(
        desk.call("POST", &format!("{case}/assign"), Some(json!({ "member_id": eve }))).await
    );
    assert_eq!(desk.claim(1).await, Vec::<Value>::new());
    let claimed = desk.fixture.call_console(&cookie, "POST", "/console/cases/claim", Some(json!({}))).await;
    assert_eq!(claimed.json()["cases"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn what_was_handed_to_somebody_comes_back_when_they_lose_the_scope_or_are_removed() {
    let desk = Desk::open().await;
    session_in_review(&desk.fixture.app).await;
    desk.grant(&["documents:review"]).await;
    let (eve, _) = desk.fixture.add_member("eve@example.com", false, &["notifications:manage"]).await;
    desk.grant_to(&eve, &["documents:review"]).await;
    let claimed = desk.claim(5).await;
    assert_eq!(claimed.len(), 2, "a finding and a check: {claimed:?}");
    for case in &claimed {
        let path = format!("/cases/{}/assign", case["id"].as_str().unwrap());
        let assigned = desk.call("POST", &path, Some(json!({ "member_id": eve }))).await;
        assert_eq!(assigned.status, 204, "{:?}", assigned.body);
    }
    assert_eq!(desk.claim(5).await, Vec::<Value>::new(), "both are Eve's");
    desk.grant_to(&eve, &[]).await;
    let kinds: Vec<Value> = desk.claim(5).await.iter().map(|case| case["kind"].clone()).collect();
    assert_eq!(kinds, [json!("DOCUMENT_CHECK")]);
    let removed = desk.fixture.call("DELETE", &format!("/members/{eve}"), None).await;
    assert!(removed.status.is_success(), "{}", removed.status);
    assert_eq!(desk.claim(5).await.len(), 2, "nothing is left with nobody");
}

#[tokio::test]
async fn a_decision_in_the_interface_withdraws_the_case() {
    let desk = Desk::open().await;
    let case = desk.claimed_case().await;
    let accept = format!("/notifications/{}/accept", desk.notification);
    desk.fixture.call("POST", &accept, Some(json!({ "comment": "seen" }))).await;
    assert_eq!(desk.call("GET", &case, None).await.json()["state"], "WITHDRAWN");
    let late = desk.call("PUT", &format!("{case}/decision"), Some(json!({ "decision": "CONFIRM" }))).await;
    assert_eq!(late.status_and_code(), "409 CASE_NOT_HELD");
}

#[tokio::test]
async fn looks_at_pictures_are_counted() {
    let desk = Desk::open().await;
    let case = desk.claimed_case().await;
    let views =
        json!({ "views": [{ "picture": "face", "seconds": 12.5 }, { "picture": "frame", "seconds": 0.5 }] });
    assert_response_snapshot!(desk.call("POST", &format!("{case}/views"), Some(views)).await);
}

#[tokio::test]
async fn queues_are_made_changed_and_deleted() {
    let desk = Desk::open().await;
    let queue =
        json!({ "name": "Unknown faces", "rules": { "reasons": ["UNKNOWN_FACE"] }, "target_minutes": 30 });
    let refused = desk.call("POST", "/queues", Some(queue.clone())).await;
    assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "it needs queues:manage");
    desk.grant(&["queues:manage"]).await;
    let made = desk.call("POST", "/queues", Some(queue)).await;
    let path = format!("/queues/{}", made.json()["id"].as_str().unwrap());
    assert_response_snapshot!(made, "id");
    let (_, moderation) = desk.fixture.finished_moderation(json!({})).await;
    assert_eq!(desk.fixture.face_notifications(&moderation).await.len(), 1);
    assert_response_snapshot!(desk.call("GET", "/queues", None).await, "**.id **.created_at **.first_due_at");
    let wrong = json!({ "name": "", "opinions": 0 });
    let refused = desk.call("PUT", &path, Some(wrong)).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
    assert_eq!(refused.json()["errors"].as_array().unwrap().len(), 2);
    let changed = json!({ "name": "Faces", "opinions": 2, "policy": "Look at the ears." });
    assert_response_snapshot!(desk.call("PUT", &path, Some(changed)).await);
    assert_response_snapshot!(desk.call("DELETE", &path, None).await);
    assert_eq!(desk.call("DELETE", &path, None).await.status_and_code(), "404 NOT_FOUND");
}

#[tokio::test]
async fn a_check_goes_to_those_who_speak_the_language_of_the_person() {
    let desk = Desk::open().await;
    desk.grant(&["queues:manage", "documents:review"]).await;
    let wanted = json!({ "name": "In German", "of_application": true, "rules": { "kinds": ["DOCUMENT_CHECK"], "languages": ["de"] } });
    let queue = desk.call("POST", "/queues", Some(wanted)).await.json()["id"].clone();
    for locale in [Some("de-AT"), Some("fr"), None] {
        let mut payload =
            json!({ "requested_checks": [{ "type": "LIVENESS", "config": { "manual_check": "ALWAYS" } }] });
        if let Some(locale) = locale {
            payload["sdk_config"] = json!({ "locale": locale });
        }
        session_in_review_of(&desk.fixture.app, &payload).await;
    }
    let listed = desk.call("GET", "/cases?kind=DOCUMENT_CHECK", None).await.json();
    let mut languages: Vec<(Value, Value)> = listed["cases"]
        .as_array()
        .unwrap()
        .iter()
        .map(|case| (case["language"].clone(), case["queue"]["id"].clone()))
        .collect();
    languages.sort_by_key(|(language, _)| language.to_string());
    assert_eq!(languages, [(json!("de"), queue), (json!("fr"), Value::Null), (Value::Null, Value::Null)]);
}

#[tokio::test]
async fn agreement_is_shown_to_leads() {
    let desk = Desk::open().await;
    let case = desk.claimed_case().await;
    desk.call(
        "PUT",
        &format!("{case}/decision"),
        Some(json!({ "decision": "CONFIRM", "exposure_seconds": 3.0 })),
    )
    .await;
    desk.fixture.app.run_due_jobs().await;
    assert_eq!(desk.call("GET", "/quality", None).await.status_and_code(), "401 UNAUTHORIZED");
    desk.grant(&["queues:manage"]).await;
    desk.fixture.app.environment.advance(SignedDuration::from_secs(1));
    let redacted = "reviewers.*.member_id **.median **.p90";
    assert_response_snapshot!(desk.call("GET", "/quality", None).await, redacted);
    // Of another queue there is nothing to tell.
    let made = desk.call("POST", "/queues", Some(json!({ "name": "Others" }))).await.json();
    let path = format!("/quality?queue_id={}", made["id"].as_str().unwrap());
    let other = desk.call("GET", &path, None).await.json();
    assert_eq!(other, json!({ "reviewers": [], "queues": [] }));
    assert_eq!(desk.call("GET", "/quality?queue_id=7", None).await.status_and_code(), "400 INVALID_REQUEST");
}

#[tokio::test]
async fn a_document_check_is_seen_with_its_pictures_and_decided() {
    let desk = Desk::open().await;
    let app = &desk.fixture.app;
    let check = session_in_review(app).await;
    assert_eq!(desk.claim(5).await.len(), 1, "documents need a scope of their own");
    desk.grant(&["documents:review"]).await;
    let claimed = desk.claim(5).await;
    let case = claimed.iter().find(|case| case["kind"] == "DOCUMENT_CHECK").unwrap();
    assert_eq!(case["document_check"]["check_id"], json!(check));
    let path = format!("/cases/{}", case["id"].as_str().unwrap());
    let picture = case["pictures"][0]["name"].as_str().unwrap();
    let read = desk.call("GET", &format!("{path}/pictures/{picture}"), None).await;
    assert_eq!(read.header("content-type"), "image/jpeg");
    assert_response_snapshot!(read);
    let other = desk.call("GET", &format!("{path}/pictures/{}", desk.member), None).await;
    assert_eq!(other.status_and_code(), "404 NOT_FOUND");

    let without_reason =
        desk.call("PUT", &format!("{path}/decision"), Some(json!({ "decision": "APPROVE" }))).await;
    assert_eq!(without_reason.status_and_code(), "400 INVALID_REQUEST");
    let wrong_kind = json!({ "decision": "CONFIRM", "comment": "yes" });
    let refused = desk.call("PUT", &format!("{path}/decision"), Some(wrong_kind)).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
    let decision = json!({ "decision": "REJECT", "reason_code": "TAMPERED", "comment": "a mask" });
    let decided = desk.call("PUT", &format!("{path}/decision"), Some(decision)).await;
    assert_eq!(decided.status, 200, "{:?}", decided.body);
    app.run_due_jobs().await;
    let reviewed =
        app.api.document_verification.find_review(None, check.parse().unwrap()).await.unwrap().unwrap();
    assert_eq!(reviewed.0.decision.as_deref(), Some("REJECT"));
    assert_eq!(reviewed.0.reviewer.as_deref(), Some("ada"));
}

#[tokio::test]
async fn pictures_of_a_finding_are_given_out_and_recorded_and_go_with_it() {
    let desk = Desk::open().await;
    let case = desk.claim(1).await.remove(0);
    let names: Vec<&str> = case["pictures"]
        .as_array()
        .unwrap()
        .iter()
        .map(|picture| picture["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["face", "frame"]);
    let finding = &case["finding"];
    let size = finding["picture_size"].as_array().unwrap();
    let edges: Vec<_> =
        finding["face_edges"].as_array().unwrap().iter().map(|edge| edge.as_u64().unwrap()).collect();
    assert!(edges[1] <= size[0].as_u64().unwrap() && edges[2] <= size[1].as_u64().unwrap(), "{finding}");
    let of_finding = format!("/cases?notification_id={}", finding["notification_id"].as_str().unwrap());
    let listed = desk.call("GET", &of_finding, None).await.json();
    assert_eq!((&listed["total_count"], &listed["cases"][0]["id"]), (&json!(1), &case["id"]));
    let of_another = format!("/cases?notification_id={}", case["id"].as_str().unwrap());
    assert_eq!(desk.call("GET", &of_another, None).await.json()["total_count"], 0);
    let path = format!("/cases/{}/pictures/", case["id"].as_str().unwrap());
    let read = async |name: &str| desk.call("GET", &format!("{path}{name}"), None).await;
    for name in names {
        let picture = read(name).await;
        assert_eq!((picture.status.as_u16(), picture.header("content-type")), (200, "image/jpeg"), "{name}");
        assert_eq!(picture.header("cache-control"), "no-store");
    }
    assert_eq!(read("strip-1").await.status_and_code(), "404 NOT_FOUND");
    let (_, eve) = desk.fixture.add_member("eve@example.com", false, &["notifications:manage"]).await;
    let elsewhere = desk.fixture.call_console(&eve, "GET", &format!("/console{path}face"), None).await;
    assert_eq!(elsewhere.status_and_code(), "404 NOT_FOUND", "she does not hold the case");
    let views = sql!("SELECT count(*) FROM audit_records WHERE record LIKE '%case.picture.view%'");
    assert_eq!(desk.fixture.count(views).await, 2);
    let files = async || desk.fixture.count(sql!("SELECT count(*) FROM finding_pictures")).await;
    assert_eq!(files().await, 1);
    let deleted = desk.fixture.call("DELETE", &format!("/moderations/{}", desk.moderation), None).await;
    assert!(deleted.status.is_success(), "{}", deleted.status);
    assert_eq!(read("face").await.status_and_code(), "404 NOT_FOUND", "the case went with its notification");
    let app = &desk.fixture.app;
    app.api.content_moderation.sweep_pictures(SweepFindingPictures {}).await.unwrap();
    assert_eq!(files().await, 0);
    let prefix = BlobPrefix::tenant(desk.fixture.account);
    let left: Vec<_> = app.api.blobs.list(&prefix).try_collect().await.unwrap();
    assert!(left.is_empty(), "{left:?}");
}

#[tokio::test]
async fn a_matched_face_is_shown_beside_the_enrolled_one() {
    let fixture = AccountFixture::start_with_media().await;
    let person = testkit::face_pictures()[6].clone();
    let profile = fixture.enrol("Ada", &person).await;
    let ban = json!({ "reason": "fraud" });
    assert!(fixture.call("POST", &format!("/profiles/{profile}/ban"), Some(ban)).await.status.is_success());
    fixture.finished_moderation(json!({})).await;
    let (_, cookie) = fixture.add_member("ada@example.com", false, &["notifications:manage"]).await;
    let claimed = fixture.call_console(&cookie, "POST", "/console/cases/claim", Some(json!({}))).await.json();
    let case = &claimed["cases"][0];
    let finding = &case["finding"];
    assert_eq!(finding["reason"], "BANNED_PROFILE");
    assert_eq!(
        (&finding["person"]["display_name"], &finding["person"]["ban_reason"]),
        (&json!("Ada"), &json!("fraud"))
    );
    let rate = finding["false_match_rate"].as_f64().unwrap();
    assert!(rate > 0.0 && rate <= 1e-3, "{rate}");
    let enrolled =
        case["pictures"].as_array().unwrap().iter().find(|picture| picture["role"] == "ENROLLED").unwrap();
    let path = format!(
        "/console/cases/{}/pictures/{}",
        case["id"].as_str().unwrap(),
        enrolled["name"].as_str().unwrap()
    );
    let picture = fixture.call_console(&cookie, "GET", &path, None).await;
    assert_eq!((picture.status.as_u16(), picture.header("content-type")), (200, "image/jpeg"));
    let other = path.rsplit_once('-').unwrap().0.to_owned() + "-000000000000";
    assert_eq!(fixture.call_console(&cookie, "GET", &other, None).await.status_and_code(), "404 NOT_FOUND");
}

#[tokio::test]
async fn golden_cases_and_appeals_go_to_somebody_else() {
    let desk = Desk::open().await;
    desk.grant(&["cases:manage", "queues:manage"]).await;
    let queue = json!({ "name": "All", "golden_percent": 50, "reason_codes": [{ "code": "LOOKALIKE", "label": "Looks like them" }] });
    let made = desk.call("POST", "/queues", Some(queue)).await;
    assert_eq!(made.status, 201, "{:?}", made.body);
    let (_, moderation) = desk.fixture.finished_moderation(json!({})).await;
    assert_eq!(desk.fixture.face_notifications(&moderation).await.len(), 1);
    let queue = made.json()["id"].clone();
    let claimed = desk.call("POST", "/cases/claim", Some(json!({ "queue_id": queue }))).await.json();
    assert_eq!(claimed["cases"][0]["reason_codes"][0]["code"], "LOOKALIKE");
    let case = format!("/cases/{}", claimed["cases"][0]["id"].as_str().unwrap());
    let answer = Some(json!({ "decision": "CONFIRM" }));
    let golden = format!("{case}/golden");
    assert_eq!(
        desk.call("POST", &golden, answer.clone()).await.status_and_code(),
        "409 CONFLICT",
        "it is open"
    );
    desk.call("PUT", &format!("{case}/decision"), answer.clone()).await;
    desk.fixture.app.run_due_jobs().await;
    assert_eq!(
        desk.call("POST", &golden, Some(json!({ "decision": "APPROVE" }))).await.status_and_code(),
        "400 INVALID_REQUEST"
    );
    assert_response_snapshot!(desk.call("POST", &golden, answer.clone()).await, "id");
    let appealed = desk.call("POST", &format!("{case}/appeal"), None).await;
    assert_response_snapshot!(&appealed, "id");

    let (_, eve) = desk.fixture.add_member("eve@example.com", false, &["notifications:manage"]).await;
    let mine: Vec<_> = desk.claim(5).await.into_iter().map(|case| case["id"].clone()).collect();
    assert!(!mine.contains(&appealed.json()["id"]), "she decided about it");
    let mut seen = Vec::new();
    for _ in 0..30 {
        let body = json!({ "queue_id": queue });
        let claimed =
            desk.fixture.call_console(&eve, "POST", "/console/cases/claim", Some(body)).await.json();
        let Some(case) = claimed["cases"].get(0) else { break };
        seen.push((case["is_appeal"].clone(), case["state"].clone()));
        let path = format!("/console/cases/{}/decision", case["id"].as_str().unwrap());
        let decided = desk.fixture.call_console(&eve, "PUT", &path, answer.clone()).await;
        assert_eq!(decided.status, 200, "{:?}", decided.body);
    }
    assert_eq!(seen.len(), 2, "the appeal and the golden case: {seen:?}");
    assert!(seen.iter().all(|(_, state)| *state == "OPEN"));
    let appeals = seen.iter().filter(|(is_appeal, _)| *is_appeal == json!(true)).count();
    assert_eq!(appeals, 1, "nothing tells the golden case from others: {seen:?}");
    desk.fixture.app.run_due_jobs().await;
    let quality = desk.call("GET", "/quality", None).await.json();
    let golden: Vec<_> = quality["reviewers"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["with_golden"]["cases"].clone())
        .collect();
    assert!(golden.contains(&json!(1)), "{golden:?}");
}

#[tokio::test]
async fn a_golden_case_of_a_document_gives_nothing_away_of_what_was_decided() {
    let desk = Desk::open().await;
    desk.grant(&["documents:review", "queues:manage"]).await;
    let queue = json!({
        "name": "Documents", "of_application": true, "golden_percent": 50, "rules": { "kinds": ["DOCUMENT_CHECK"] },
    });
    let made = desk.call("POST", "/queues", Some(queue)).await;
    assert_eq!(made.status, 201, "{:?}", made.body);
    let claim = json!({ "queue_id": made.json()["id"] });
    session_in_review(&desk.fixture.app).await;
    let claimed = desk.call("POST", "/cases/claim", Some(claim.clone())).await.json();
    let original = &claimed["cases"][0];
    let case = format!("/cases/{}", original["id"].as_str().unwrap());
    let decision = json!({ "decision": "REJECT", "reason_code": "TAMPERED", "comment": "a mask" });
    let decided = desk.call("PUT", &format!("{case}/decision"), Some(decision)).await;
    assert_eq!(decided.status, 200, "{:?}", decided.body);
    desk.fixture.app.run_due_jobs().await;
    let settled = desk.call("GET", &case, None).await.json();
    let breakdown = settled["document_check"]["breakdown"].as_array().unwrap();
    assert_eq!(breakdown.last().unwrap()["sub_check"], "manual_review", "what was decided is seen there");
    assert_eq!(settled["document_check"]["proposed_reason"], original["document_check"]["proposed_reason"]);
    let golden = desk.call("POST", &format!("{case}/golden"), Some(json!({ "decision": "REJECT" }))).await;
    assert_eq!(golden.status, 201, "{:?}", golden.body);

    let (bob, cookie) = desk.fixture.add_member("bob@example.com", false, &[]).await;
    desk.grant_to(&bob, &["documents:review"]).await;
    let mut drawn = Value::Null;
    for _ in 0..30 {
        let body = Some(claim.clone());
        let claimed = desk.fixture.call_console(&cookie, "POST", "/console/cases/claim", body).await.json();
        drawn = claimed["cases"][0].clone();
        if !drawn.is_null() {
            break;
        }
    }
    assert_eq!(drawn["id"], golden.json()["id"], "{drawn}");
    assert_eq!(drawn["document_check"], original["document_check"]);
}

#[tokio::test]
async fn figures_of_quality_end_at_any_moment_from_1970_on() {
    let desk = Desk::open().await;
    desk.grant(&["queues:manage"]).await;
    for before in ["1970-01-01T00:00:00Z", "9999-12-30T00:00:00Z"] {
        let quality = desk.call("GET", &format!("/quality?before={before}"), None).await;
        assert_eq!(quality.status_and_code(), "200", "{before}");
        assert_eq!(quality.json(), json!({ "reviewers": [], "queues": [] }), "{before}");
    }
    let refused = desk.call("GET", "/quality?before=-009999-01-02T02:00:00Z", None).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST");
    assert_eq!(
        refused.json()["errors"][0],
        json!({
            "property": "before",
            "message": "it is a moment from 1970 to 9999, as RFC 3339 writes it, such as 2026-01-16T00:00:00Z",
        })
    );
}

#[tokio::test]
async fn nobody_without_a_scope_and_nobody_elsewhere_sees_cases() {
    let desk = Desk::open().await;
    let case = desk.claimed_case().await;
    let (_, viewer) = desk.fixture.add_member("kim@example.com", false, &["notifications:view"]).await;
    for (method, path) in
        [("POST", "/cases/claim"), ("GET", "/cases"), ("GET", "/queues"), ("GET", case.as_str())]
    {
        let refused =
            desk.fixture.call_console(&viewer, method, &format!("/console{path}"), Some(json!({}))).await;
        assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "{path}");
    }
    let signed_out = desk.fixture.call_console("", "GET", &format!("/console{case}"), None).await;
    assert_eq!(signed_out.status_and_code(), "401 UNAUTHORIZED");
    // A member of another account of the same application.
    let stranger = desk.fixture.member_elsewhere("lea@example.com").await;
    let other = &desk.fixture;
    let missing = other.call_console(&stranger, "GET", &format!("/console{case}"), None).await;
    assert_eq!(missing.status_and_code(), "404 NOT_FOUND");
    for (method, below) in [("POST", "/release"), ("DELETE", "/decision")] {
        let missing = other.call_console(&stranger, method, &format!("/console{case}{below}"), None).await;
        assert_eq!(missing.status_and_code(), "404 NOT_FOUND", "{below}");
    }
    let claimed =
        other.call_console(&stranger, "POST", "/console/cases/claim", Some(json!({ "count": 5 }))).await;
    assert_eq!(claimed.json()["cases"], json!([]));
}
