//! What members and applications do is recorded with who did it, and with nothing of the persons it is about.

use crate::{
    content_moderation::{AccountFixture, face_base64, two_people},
    document_verification::session_with_page,
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
