//! What members and applications do is recorded with who did it, and with nothing of the persons it is about.

use crate::{
    console::Integrator,
    content_moderation::{AccountFixture, face_base64, two_people},
    document_verification::{BASE, relying_party_call, session_in_review, session_with_page},
};
use domain::audit_trail::AuditFilter;
use serde_json::{Value, json};
use testkit::TestApp;

/// The records that fit, and that the trail is whole.
async fn records(app: &TestApp, filter: AuditFilter) -> Vec<Value> {
    let mut found = Vec::new();
    let mut view = app.api.db.read_snapshot().await.unwrap();
    app.api.audit_trail.verify(&mut view, None).await.unwrap();
    let read = |record: &str| serde_json::from_str(record).unwrap();
    app.api.audit_trail.export(&mut view, &filter, |record| found.push(read(&record.record))).await.unwrap();
    found
}

#[tokio::test]
async fn what_is_done_in_an_account_is_recorded_with_who_did_it() {
    let fixture = AccountFixture::start().await;
    let (member, cookie) = fixture.add_member("grace@example.com", false, &["profiles:view"]).await;
    let body = json!({
        "profile_type": 1, "display_name": "Ada Lovelace", "reference": "u-4711",
        "biometric_consent": "form 7", "face": face_base64(two_people().0),
    });
    let profile = fixture.create("/profiles", body).await;
    let path = fixture.path(&format!("/profiles/{profile}"));
    assert_eq!(fixture.call_console(&cookie, "GET", &path, None).await.status, 200);
    let scopes = json!({ "scopes": ["profiles:list"] });
    assert_eq!(fixture.call("PUT", &format!("/members/{member}"), Some(scopes)).await.status, 204);
    assert_eq!(fixture.call_console(&cookie, "GET", &path, None).await.status, 401, "they may not any more");
    assert_eq!(fixture.call("DELETE", &format!("/profiles/{profile}"), None).await.status, 204);

    let account = Some(fixture.account);
    let found = records(&fixture.app, AuditFilter { account, ..AuditFilter::default() }).await;
    let told: Vec<_> = found
        .iter()
        .map(|record| {
            let actor = record["actor"].as_str().unwrap().split(':').next().unwrap();
            format!("{} by {actor}", record["kind"].as_str().unwrap())
        })
        .collect();
    assert_eq!(
        told,
        [
            "account.open by system",
            "invitation.create by api-key",
            "member.join by member",
            "member-session.begin by member",
            "profile.create by api-key",
            "profile.view by member",
            "member.set-scopes by api-key",
            "profile.delete by api-key",
        ]
    );
    assert_eq!(found[5]["actor"], format!("member:{member}"));
    assert_eq!(found[5]["target"], profile);
    assert_eq!(found[6]["details"], json!({ "scopes": ["profiles:list"] }));
    let all = Value::from(found).to_string();
    for personal in ["Ada", "Lovelace", "u-4711", "form 7", "grace", "example.com"] {
        assert!(!all.contains(personal), "{personal} in {all}");
    }
}

#[tokio::test]
async fn who_fetches_a_picture_of_a_session_is_recorded_and_ordinary_calls_are_not() {
    let app = TestApp::start().await;
    let (session, media) = session_with_page(&app).await;
    let about = AuditFilter { kind: Some("media".to_owned()), ..AuditFilter::default() };
    assert_eq!(records(&app, about.clone()).await, Vec::<Value>::new());
    assert_eq!(session.media(&app, &media).await.status, 200);
    let found = records(&app, about).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["kind"], "media.view");
    assert_eq!(found[0]["actor"], format!("application:{}", app.app));
    assert_eq!(found[0]["target"], media["id"]);
}

/// The decisions about checks of the application.
async fn check_decisions(app: &TestApp) -> Vec<Value> {
    let kind = Some("check.decide".to_owned());
    records(app, AuditFilter { kind, app: Some(app.app), ..AuditFilter::default() }).await
}

#[tokio::test]
async fn who_decides_a_check_by_the_interface_may_have_any_name_and_none_is_recorded() {
    let app = TestApp::start().await;
    let check = session_in_review(&app).await;
    let body = json!({ "decision": "REJECT", "reason": "it is a mask", "reviewer": "Jane Q. Public" });
    let decided = relying_party_call(&app, "PUT", &format!("{BASE}/reviews/{check}"), Some(body)).await;
    assert_eq!(decided.status, 204);
    let found = check_decisions(&app).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["actor"], format!("application:{}", app.app));
    assert_eq!(found[0]["target"], check);
    let all = Value::from(records(&app, AuditFilter::default()).await).to_string();
    for personal in ["Jane Q. Public", "mask"] {
        assert!(!all.contains(personal), "{personal} in {all}");
    }
}

#[tokio::test]
async fn a_check_that_is_decided_as_a_case_is_recorded_with_the_case_and_no_name() {
    let reviewer = Integrator::start(&["documents:review"]).await;
    let check = session_in_review(reviewer.app()).await;
    let claimed = reviewer.call("POST", "/console/cases/claim", Some(json!({ "count": 1 }))).await.json();
    let case = claimed["cases"][0]["id"].as_str().expect("a case");
    let decision = json!({ "decision": "REJECT", "reason_code": "TAMPERED", "comment": "a mask" });
    let decided = reviewer.call("PUT", &format!("/console/cases/{case}/decision"), Some(decision)).await;
    assert_eq!(decided.status, 200, "{}", decided.json());
    reviewer.app().run_due_jobs().await;
    let found = check_decisions(reviewer.app()).await;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&found[0]["actor"], &found[0]["target"]), (&json!("cases"), &json!(check)));
    let details = &found[0]["details"];
    assert_eq!((&details["case"], &details["decision"]), (&json!(case), &json!("REJECT")));
    let names: Vec<_> = details.as_object().unwrap().keys().collect();
    assert_eq!(names.len(), 3, "the session besides, and no reviewer: {names:?}");
    assert!(!found[0].to_string().contains("\"ada\""), "{}", found[0]);
}

/// If the trail cannot be written, what it would record does not happen.
#[tokio::test]
async fn nothing_is_done_unrecorded() {
    let fixture = AccountFixture::start().await;
    let profile = fixture.enrol("Ada", &testkit::face_pictures()[8]).await;
    fixture.app.execute(db::sql!("DROP TABLE audit_records")).await;
    let path = format!("/profiles/{profile}");
    assert!(fixture.call("POST", &format!("{path}/ban"), None).await.status.is_server_error());
    assert!(fixture.call("GET", &path, None).await.status.is_server_error());
    let banned = db::sql!("SELECT count(*) FROM profiles WHERE banned = TRUE");
    assert_eq!(fixture.count(banned).await, 0);
}
