//! How the server is, and what it is made of: figures, settings, models, trust and keys.

use super::staff::Staff;
use api::{ConsoleResources, SettingInForce, SettingSource};
use base::SignedDuration;
use domain::{
    accounts::ConsoleScope,
    operators::{BuiltInRole, OperatorGrant, OperatorScope},
};
use serde_json::{Value, json};
use std::sync::Arc;

fn series<'a>(health: &'a Value, name: &str, label: (&str, &str)) -> &'a Value {
    let all = health["series"].as_array().unwrap();
    let found = all.iter().find(|series| series["name"] == name && series["labels"][label.0] == label.1);
    &found.unwrap_or_else(|| panic!("{name} of {label:?}: {health}"))["values"]
}

#[tokio::test]
async fn the_last_hour_has_figures() {
    let staff = Staff::start().await;
    let operator = staff.operator(BuiltInRole::Auditor).await;
    assert_eq!(staff.get(&operator, "/console/health").await.json()["series"], json!([]));
    for _ in 0..2 {
        staff.app().api.record_health().await;
        staff.app().environment.advance(SignedDuration::from_secs(15));
    }
    let parked = db::sql!(
        "INSERT INTO jobs (id, kind, lane, payload, state, attempts, run_at, created_at)
         VALUES ($1, 'test', 'heavy', $2, 'WAITING', 0, $3, $3)",
        base::Uuid::from_u128(7),
        json!({}),
        base::Environment::now(&*staff.app().environment) - SignedDuration::from_secs(40),
    );
    staff.app().execute(parked).await;
    staff.app().api.record_health().await;
    let health = staff.get(&operator, "/console/health").await;
    let read = health.json();
    assert_eq!(series(&read, "jobs", ("lane", "heavy")), &json!([0.0, 0.0, 1.0]), "those that are due");
    assert_eq!(series(&read, "oldest_due_job", ("lane", "heavy")), &json!([0.0, 0.0, 40.0]));
    assert_eq!(read["at"].as_array().unwrap().len(), 3);
    assert_response_snapshot!(health, "at.* series.*.values");
}

#[tokio::test]
async fn settings_are_shown_with_their_source_and_without_secrets() {
    let setting = |name: &str, value, source| SettingInForce { name: name.to_owned(), value, source };
    let settings = vec![
        setting("ages.credit_card.secret_file", None, SettingSource::File),
        setting("delivery.keep_days", Some(json!(30)), SettingSource::Default),
        setting("server.frame_origins", Some(json!(["https://example.com"])), SettingSource::Environment),
        setting("storage.s3", Some(Value::Null), SettingSource::Default),
    ];
    let staff = Staff::with_state(|api| {
        api.console_resources = Arc::new(ConsoleResources::new(settings, "reports".into()));
    })
    .await;
    let operator = staff.operator(BuiltInRole::Auditor).await;
    assert_response_snapshot!(staff.get(&operator, "/console/settings").await);
}

#[tokio::test]
async fn reports_of_accuracy_are_listed_and_downloaded_and_nothing_else_is() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    put("age.html", "<!DOCTYPE html><p>older</p>");
    put("notes.txt", "no report");
    put(".hidden.html", "no report");
    std::fs::create_dir(folder.path().join("folder.html")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link.html")).unwrap();
    let resources = Arc::new(ConsoleResources::new(Vec::new(), folder.path().to_owned()));
    let staff = Staff::with_state(|api| api.console_resources = resources).await;
    let operator = staff.operator(BuiltInRole::Auditor).await;
    assert_response_snapshot!(staff.get(&operator, "/console/reports").await, "reports.*.written_at");
    let read = staff.get(&operator, "/console/reports/age.html").await;
    assert_eq!((read.status.as_u16(), &read.body[..]), (200, &b"<!DOCTYPE html><p>older</p>"[..]));
    assert_eq!(read.header("content-disposition"), "attachment; filename=\"age.html\"");
    assert_eq!(read.header("content-type"), "text/html; charset=utf-8");
    assert_response_snapshot!(read);
    for name in
        ["notes.txt", ".hidden.html", "folder.html", "link.html", "other.html", "..%2Fage.html", "%00.html"]
    {
        let refused = staff.get(&operator, &format!("/console/reports/{name}")).await;
        assert_eq!(refused.status_and_code(), "404 NOT_FOUND", "{name}");
    }
    let member = staff.member(&[ConsoleScope::DeliveriesView]).await;
    assert_eq!(staff.get(&member, "/console/reports").await.status_and_code(), "401 UNAUTHORIZED");
    drop(folder);
    assert_eq!(
        staff.get(&operator, "/console/reports").await.json()["reports"],
        json!([]),
        "no folder, no reports"
    );
}

#[tokio::test]
async fn models_are_shown_with_what_is_known_of_them() {
    let staff = Staff::start().await;
    let operator = staff.operator(BuiltInRole::Auditor).await;
    let listed = staff.get(&operator, "/console/models").await;
    let models = listed.json()["models"].as_array().unwrap().clone();
    let of =
        |task: &str| models.iter().find(|model| model["task"] == task && model["in_use"] == true).unwrap();
    assert_eq!(of("age")["accuracy"]["of"], "age-errors");
    assert!(of("age")["accuracy"]["bands"].as_array().is_some_and(|bands| !bands.is_empty()));
    assert_eq!(of("embed")["accuracy"]["of"], "false-matches");
    assert_eq!(of("liveness")["accuracy"]["of"], "liveness-thresholds");
    assert!(models.iter().all(|model| !model["licence"].as_str().unwrap().is_empty()));
    assert_response_snapshot!(listed, "models");
}

#[tokio::test]
async fn the_trust_list_is_shown_with_the_lives_of_keys() {
    let staff = Staff::start().await;
    staff.app().api.proof_issuer.ensure_signing_key().await.unwrap();
    let operator = staff.operator(BuiltInRole::Auditor).await;
    let listed = staff.get(&operator, "/console/trust-list").await;
    let issuers = listed.json()["issuers"].as_array().unwrap().clone();
    assert_eq!(issuers.len(), 1, "this server itself: {issuers:?}");
    let id = issuers[0]["keys"][0]["id"].as_str().unwrap().to_owned();
    assert_response_snapshot!(listed, (&id[..], "kid"));
}

#[tokio::test]
async fn keys_are_shown_with_their_lives_and_without_themselves() {
    let staff = Staff::start().await;
    staff.app().api.proof_issuer.ensure_signing_key().await.unwrap();
    let operator = staff.operator(BuiltInRole::Auditor).await;
    let listed = staff.get(&operator, "/console/signing-keys").await;
    let id = listed.json()["signing_keys"][0]["id"].as_str().unwrap().to_owned();
    assert_response_snapshot!(listed, (&id[..], "id"), "signing_keys.*.created_at");
}

#[tokio::test]
async fn each_of_it_needs_its_scope() {
    let staff = Staff::start().await;
    let calls = [
        ("/console/health", OperatorScope::HealthView),
        ("/console/settings", OperatorScope::SettingsView),
        ("/console/models", OperatorScope::ModelsView),
        ("/console/trust-list", OperatorScope::TrustManage),
        ("/console/signing-keys", OperatorScope::TrustManage),
        ("/console/providers", OperatorScope::ProvidersTest),
    ];
    let member = staff.member(&ConsoleScope::ALL).await;
    for (path, scope) in calls {
        assert_eq!(staff.get(&member, path).await.status_and_code(), "401 UNAUTHORIZED", "{path}");
        let with = |scopes: Vec<OperatorScope>| OperatorGrant { role: None, scopes };
        let has = staff.operator_with(with(vec![scope])).await;
        assert_eq!(staff.get(&has, path).await.status, 200, "{path}");
        let mut others = OperatorScope::ALL.to_vec();
        others.retain(|other| {
            *other != scope && !(scope == OperatorScope::TrustManage && *other == OperatorScope::SettingsView)
        });
        let lacks = staff.operator_with(with(others)).await;
        assert_eq!(staff.get(&lacks, path).await.status_and_code(), "401 UNAUTHORIZED", "{path}");
    }
}
