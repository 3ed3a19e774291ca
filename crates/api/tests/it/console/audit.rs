//! `/console/audit-records` and `/console/deletion-receipts`

use super::staff::Staff;
use crate::content_moderation::first_error;
use base::SignedDuration;
use domain::{accounts::ConsoleScope, operators::BuiltInRole};
use serde_json::{Value, json};

fn actions(list: &Value) -> Vec<String> {
    let action = |record: &Value| record["entry"]["action"].as_str().unwrap_or_default().to_owned();
    list["records"].as_array().unwrap().iter().map(action).collect()
}

#[tokio::test]
async fn records_are_listed_by_what_is_asked_for() {
    let staff = Staff::start().await;
    let auditor = staff.operator(BuiltInRole::Auditor).await;
    let listed = staff.get(&auditor, "/console/audit-records?action=account").await;
    assert_response_snapshot!(listed, "records.*.hash records.*.seq");
    let found = async |query: &str| {
        let listed = staff.get(&auditor, &format!("/console/audit-records?{query}")).await;
        assert_eq!(listed.status, 200, "{query}");
        actions(&listed.json())
    };
    let all = found("").await;
    assert_eq!(all.first().map(String::as_str), Some("operator-session.begin"), "the newest first: {all:?}");
    assert_eq!(found("action=account.open").await, ["account.open"]);
    assert_eq!(found(&format!("account_id={}", staff.fixture.account)).await, ["account.open"]);
    assert_eq!(found(&format!("target={}", staff.fixture.account)).await.len(), 1);
    assert!(found("actor=operator").await.contains(&"operator-session.begin".to_owned()));
    assert_eq!(found("actor=nobody").await.len(), 0);
    assert_eq!(found("to=2026-01-16T00:00:00Z").await.len(), 0);
    assert_eq!(found("from=2036-01-16T00:00:00Z").await.len(), 0);
    for (query, property) in [
        ("account_id=x", "account_id"),
        ("application_id=x", "application_id"),
        ("from=x", "from"),
        ("before=x", "before"),
    ] {
        let refused = staff.get(&auditor, &format!("/console/audit-records?{query}")).await;
        assert_eq!(first_error(&refused)["property"], property, "{query}");
    }
}

#[tokio::test]
async fn the_trail_has_pages() {
    let staff = Staff::start().await;
    let auditor = staff.operator(BuiltInRole::Auditor).await;
    for _ in 0..60 {
        staff.app().open_account().await;
    }
    let (mut seqs, mut query) = (Vec::new(), String::new());
    loop {
        let page = staff.get(&auditor, &format!("/console/audit-records?{query}")).await.json();
        seqs.extend(page["records"].as_array().unwrap().iter().map(|record| record["seq"].as_i64().unwrap()));
        let Some(next) = page["next_before"].as_i64() else { break };
        query = format!("before={next}");
    }
    let expected: Vec<i64> = (1..=seqs[0]).rev().collect();
    assert!(seqs.len() > 60);
    assert_eq!(seqs, expected);
}

#[tokio::test]
async fn members_see_what_concerns_their_account() {
    let staff = Staff::start().await;
    let (other, foreign, _) = staff.app().add_tenant().await;
    let member = staff.member(&[ConsoleScope::AuditView]).await;
    let listed = staff.get(&member, "/console/audit-records").await.json();
    for record in listed["records"].as_array().unwrap() {
        assert_eq!(record["entry"]["account_id"], staff.fixture.account.to_string(), "{record}");
    }
    assert!(actions(&listed).contains(&"account.open".to_owned()), "{listed}");
    let own = format!("/console/audit-records?account_id={}", staff.fixture.account);
    assert_eq!(staff.get(&member, &own).await.json(), listed);
    let own = format!("/console/audit-records?application_id={}", staff.application());
    assert_eq!(staff.get(&member, &own).await.json(), listed);
    for path in ["/console/audit-records", "/console/audit-records/export"] {
        for query in [format!("account_id={foreign}"), format!("application_id={other}")] {
            let refused = staff.get(&member, &format!("{path}?{query}")).await;
            assert_eq!(refused.status_and_code(), "404 NOT_FOUND", "{path}?{query}");
        }
    }
    let exported = staff.get(&member, "/console/audit-records/export").await;
    let lines = String::from_utf8(exported.body.to_vec()).unwrap();
    assert!(lines.lines().count() > 1 && !lines.contains(&foreign.to_string()), "{lines}");
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        assert_eq!(line["record"]["account"], staff.fixture.account.to_string(), "{line}");
    }
    for (method, path) in
        [("POST", "/console/audit-trail/verification"), ("GET", "/console/deletion-receipts")]
    {
        let refused = staff.call(&member, method, path, None).await;
        assert_eq!(refused.status_and_code(), "401 UNAUTHORIZED", "{method} {path}");
    }
}

#[tokio::test]
async fn records_are_exported_as_they_are_stored() {
    let staff = Staff::start().await;
    let auditor = staff.operator(BuiltInRole::Auditor).await;
    let exported = staff.get(&auditor, "/console/audit-records/export?action=account.open").await;
    assert_response_snapshot!(exported, (&first_hash(&exported.body)[..], "hash"));
    let whole = staff.get(&auditor, "/console/audit-records/export").await;
    let lines = String::from_utf8(whole.body.to_vec()).unwrap();
    let mut before = "0".repeat(64);
    for line in lines.lines() {
        // The text of the record is what is hashed.
        let record = line.split_once(",\"record\":").unwrap().1.strip_suffix('}').unwrap();
        let hash = first_hash(line.as_bytes());
        let digest =
            aws_lc_rs::digest::digest(&aws_lc_rs::digest::SHA256, format!("{before}\n{record}").as_bytes());
        let computed = hex_digits(digest.as_ref());
        assert_eq!(hash, computed);
        before = hash;
    }
    assert!(lines.contains("\"audit-trail.export\""), "who exports is recorded: {lines}");
}

fn hex_digits(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap();
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

/// The hash of the first line of an export.
fn first_hash(lines: &[u8]) -> String {
    let line = String::from_utf8_lossy(lines);
    let line: Value = serde_json::from_str(line.lines().next().unwrap()).unwrap();
    line["hash"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_trail_is_verified() {
    let staff = Staff::start().await;
    let auditor = staff.operator(BuiltInRole::Auditor).await;
    let path = "/console/audit-trail/verification";
    let whole = staff.call(&auditor, "POST", path, None).await;
    let hash = whole.json()["end"]["hash"].as_str().unwrap().to_owned();
    assert_response_snapshot!(whole, (&hash[..], "hash"), "records end.seq verified_at");
    let changed =
        db::sql!("UPDATE audit_records SET record = replace(record, 'account.open', 'account.shut')");
    staff.app().execute(changed).await;
    let broken = staff.call(&auditor, "POST", path, None).await.json();
    assert_eq!(broken["is_whole"], false);
    assert!(broken["error"].as_str().unwrap().contains("was changed"), "{broken}");
    assert_eq!(broken["records"], Value::Null);
}

#[tokio::test]
async fn one_verification_runs_at_a_time() {
    let staff = Staff::start().await;
    let auditor = staff.operator(BuiltInRole::Auditor).await;
    // One of 500 records takes longer than it takes to ask three times at once, but on a busy machine now and then.
    for _ in 0..500 {
        staff.app().open_account().await;
    }
    let ask = async || {
        let answer = staff.call(&auditor, "POST", "/console/audit-trail/verification", None).await;
        answer.status_and_code()
    };
    let mut all = Vec::new();
    while !all.contains(&"429 TOO_MANY_REQUESTS".to_owned()) && all.len() < 60 {
        let (one, two, three) = tokio::join!(ask(), ask(), ask());
        let statuses = [one, two, three];
        assert!(statuses.contains(&"200".to_owned()), "{statuses:?}");
        all.extend(statuses);
    }
    assert!(all.contains(&"429 TOO_MANY_REQUESTS".to_owned()), "{all:?}");
}

#[tokio::test]
async fn deletions_are_listed() {
    let staff = Staff::start().await;
    let auditor = staff.operator(BuiltInRole::Auditor).await;
    let listed = staff.get(&auditor, "/console/deletion-receipts").await.json();
    assert_eq!(listed, json!({ "deletions": [] }));
    delete_account(&staff).await;
    let listed = staff.get(&auditor, "/console/deletion-receipts").await;
    assert_response_snapshot!(listed, "deletions.*.requested_at deletions.*.completed_at");
    let refused = staff.get(&auditor, "/console/deletion-receipts?after=x").await;
    assert_eq!(first_error(&refused)["property"], "after");
}

#[tokio::test]
async fn a_receipt_is_downloaded() {
    let staff = Staff::start().await;
    let auditor = staff.operator(BuiltInRole::Auditor).await;
    let path = format!("/console/deletion-receipts/{}", staff.fixture.account);
    assert_eq!(staff.get(&auditor, &path).await.status_and_code(), "404 NOT_FOUND", "it is not deleted");
    delete_account(&staff).await;
    let receipt = staff.get(&auditor, &path).await;
    assert_eq!(receipt.json()["receipt"]["by"], "operator");
    let jws = receipt.json()["jws"].as_str().unwrap().to_owned();
    let key = receipt.json()["key"].clone();
    assert_response_snapshot!(
        receipt,
        (&jws[..], "jws"),
        (&key["kid"], "kid"),
        (&key["x"], "x"),
        "receipt.requested_at receipt.completed_at receipt.scope"
    );
}

async fn delete_account(staff: &Staff) {
    staff.app().environment.advance(SignedDuration::from_secs(1));
    let deletion = &staff.app().api.account_deletion;
    deletion.begin(None, staff.fixture.account, "operator").await.unwrap();
    deletion.finish(staff.fixture.account).await.unwrap();
}

#[tokio::test]
async fn the_trail_needs_a_scope() {
    let staff = Staff::start().await;
    let receipt = format!("/console/deletion-receipts/{}", staff.fixture.account);
    staff
        .assert_refused_without_scope(&[
            ("GET", "/console/audit-records"),
            ("GET", "/console/audit-records/export"),
            ("POST", "/console/audit-trail/verification"),
            ("GET", "/console/deletion-receipts"),
            ("GET", &receipt),
        ])
        .await;
}
