//! `/console/jobs`

use super::staff::Staff;
use crate::content_moderation::first_error;
use base::{Environment as _, SignedDuration, Uuid};
use domain::{accounts::ConsoleScope, operators::BuiltInRole};
use serde_json::{Value, json};

/// A job that no worker runs meanwhile, in a state.
async fn add_job(staff: &Staff, state: &str, lane: &str, error: Option<&str>) -> Uuid {
    let (id, now) = (staff.app().environment.uuid_v7(), staff.app().environment.now());
    staff
        .app()
        .execute(db::sql!(
            "INSERT INTO jobs (id, kind, lane, payload, state, attempts, run_at, last_error, created_at, app_id, account_id)
             VALUES ($1, 'run-moderation', $2, $3, $4, 3, $5, $6, $5, $7, $8)",
            id,
            lane.to_owned(),
            json!({ "moderation": Uuid::from_u128(7), "round": 2, "note": "no id" }),
            state.to_owned(),
            now,
            error.map(str::to_owned),
            staff.application(),
            staff.fixture.account,
        ))
        .await;
    id
}

fn ids(list: &Value) -> Vec<String> {
    list["jobs"].as_array().unwrap().iter().map(|job| job["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn lanes_have_figures() {
    let staff = Staff::start().await;
    let operator = staff.operator(BuiltInRole::Support).await;
    add_job(&staff, "PARKED", "heavy", Some("no")).await;
    add_job(&staff, "RUNNING", "heavy", None).await;
    add_job(&staff, "WAITING", "quick", None).await;
    staff.app().environment.advance(SignedDuration::from_mins(1));
    add_job(&staff, "WAITING", "quick", None).await;
    staff.app().environment.advance(SignedDuration::from_mins(-1));
    assert_response_snapshot!(staff.get(&operator, "/console/job-lanes").await, "lanes.*.oldest_due_at");
}

#[tokio::test]
async fn jobs_are_listed_by_what_is_asked_for() {
    let staff = Staff::start().await;
    let operator = staff.operator(BuiltInRole::Support).await;
    let parked = add_job(&staff, "PARKED", "heavy", Some("the content's address could not be called")).await;
    staff.app().environment.advance(SignedDuration::from_secs(1));
    let waiting = add_job(&staff, "WAITING", "quick", None).await;
    let listed = staff.get(&operator, "/console/jobs").await;
    assert_response_snapshot!(listed, "jobs.*.run_at jobs.*.created_at");
    let found =
        async |query: &str| ids(&staff.get(&operator, &format!("/console/jobs?{query}")).await.json());
    let (parked, waiting) = (parked.to_string(), waiting.to_string());
    assert_eq!(found("state=PARKED").await, [parked.as_str()]);
    assert_eq!(found("lane=quick").await, [waiting.as_str()]);
    assert_eq!(found("kind=run-moderation").await, [parked, waiting]);
    assert_eq!(found("kind=other").await.len(), 0);
    assert_eq!(found(&format!("application_id={}", staff.application())).await.len(), 2);
    let (other, _, _) = staff.app().add_tenant().await;
    assert_eq!(found(&format!("application_id={other}")).await.len(), 0);
    for (query, property) in [
        ("state=LOST", "state"),
        ("lane=fast", "lane"),
        ("application_id=x", "application_id"),
        ("after=x", "after"),
    ] {
        let refused = staff.get(&operator, &format!("/console/jobs?{query}")).await;
        assert_eq!(first_error(&refused)["property"], property, "{query}");
    }
}

#[tokio::test]
async fn a_long_list_of_jobs_has_pages() {
    let staff = Staff::start().await;
    let operator = staff.operator(BuiltInRole::Support).await;
    let mut all = Vec::new();
    for _ in 0..60 {
        all.push(add_job(&staff, "PARKED", "heavy", None).await.to_string());
    }
    let first = staff.get(&operator, "/console/jobs").await.json();
    let next = first["next"].as_str().unwrap();
    let second = staff.get(&operator, &format!("/console/jobs?after={next}")).await.json();
    assert_eq!(second["next"], Value::Null);
    // Those of one moment are in the order of their ids.
    all.sort_unstable();
    assert_eq!([ids(&first), ids(&second)].concat(), all);
}

#[tokio::test]
async fn a_job_is_shown_with_what_it_is_about() {
    let staff = Staff::start().await;
    let operator = staff.operator(BuiltInRole::Support).await;
    let id = add_job(&staff, "PARKED", "heavy", Some(&"x".repeat(5000))).await;
    let shown = staff.get(&operator, &format!("/console/jobs/{id}")).await;
    assert_eq!(shown.json()["last_error"].as_str().unwrap().len(), 4000);
    assert_response_snapshot!(shown, (&"x".repeat(4000)[..], "error"), "run_at created_at");
    let nobody = "/console/jobs/018f3c8e-0000-7000-8000-00000000000a";
    assert_eq!(staff.get(&operator, nobody).await.status_and_code(), "404 NOT_FOUND");
}

#[tokio::test]
async fn a_parked_job_is_retried() {
    let staff = Staff::start().await;
    let operator = staff.operator(BuiltInRole::Support).await;
    let id = add_job(&staff, "PARKED", "heavy", Some("no")).await;
    let path = format!("/console/jobs/{id}");
    let retry = format!("{path}/retry");
    assert_response_snapshot!(staff.call(&operator, "POST", &retry, None).await);
    let shown = staff.get(&operator, &path).await.json();
    assert_eq!((&shown["state"], &shown["attempts"]), (&json!("WAITING"), &json!(0)));
    let running = add_job(&staff, "RUNNING", "heavy", None).await;
    let refused = staff.call(&operator, "POST", &format!("/console/jobs/{running}/retry"), None).await;
    assert_eq!(refused.status_and_code(), "409 CONFLICT");
    let nobody = "/console/jobs/018f3c8e-0000-7000-8000-00000000000a/retry";
    assert_eq!(staff.call(&operator, "POST", nobody, None).await.status_and_code(), "404 NOT_FOUND");
}

#[tokio::test]
async fn a_parked_job_is_discarded() {
    let staff = Staff::start().await;
    let operator = staff.operator(BuiltInRole::Support).await;
    let path = format!("/console/jobs/{}", add_job(&staff, "PARKED", "heavy", Some("no")).await);
    assert_response_snapshot!(staff.call(&operator, "DELETE", &path, None).await);
    assert_eq!(staff.call(&operator, "DELETE", &path, None).await.status_and_code(), "404 NOT_FOUND");
    let running = add_job(&staff, "RUNNING", "heavy", None).await;
    let refused = staff.call(&operator, "DELETE", &format!("/console/jobs/{running}"), None).await;
    assert_eq!(refused.status_and_code(), "409 CONFLICT");
}

#[tokio::test]
async fn jobs_are_for_operators_with_the_scope() {
    let staff = Staff::start().await;
    let id = add_job(&staff, "PARKED", "heavy", None).await;
    let (path, retry) = (format!("/console/jobs/{id}"), format!("/console/jobs/{id}/retry"));
    let calls = [
        ("GET", "/console/job-lanes"),
        ("GET", "/console/jobs"),
        ("GET", &*path),
        ("POST", &*retry),
        ("DELETE", &*path),
    ];
    // Mail to those who come in would wait for a job that nobody runs.
    staff.app().execute(db::sql!("DELETE FROM jobs WHERE id = $1", id)).await;
    let others = [staff.operator(BuiltInRole::Auditor).await, staff.member(&ConsoleScope::ALL).await];
    for cookie in others {
        for (method, path) in calls {
            let refused = staff.call(&cookie, method, path, None).await;
            assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "{method} {path}");
        }
    }
}
