//! `GET /readyz`: whether requests can be served, and what is missing if not.

use api::StartupState;
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn the_server_says_what_it_is_ready_with() {
    let app = TestApp::start().await;
    assert_response_snapshot!(app.get("/readyz").await, "database.engine schema.build schema.database");
}

#[tokio::test]
async fn the_server_is_alive_and_ready() {
    let app = TestApp::start().await;
    assert_eq!(app.get("/healthz").await.status_and_code(), "200");
    let ready = app.get("/readyz").await;
    assert_eq!((ready.status_and_code().as_str(), &ready.json()["ready"]), ("200", &json!(true)));
    let loaded = ready.json()["models"]["loaded"].clone();
    let experimental: Vec<_> = loaded
        .as_array()
        .unwrap()
        .iter()
        .filter(|model| model["experimental"] == true)
        .map(|model| model["task"].clone())
        .collect();
    assert_eq!(experimental, [json!("liveness")], "the default liveness says that it is experimental");
}

#[tokio::test]
async fn without_a_database_the_server_is_alive_but_not_ready() {
    let app = TestApp::start_with(|_| {}).await;
    app.api.db.close().await;
    assert_eq!(app.get("/healthz").await.status_and_code(), "200");
    let ready = app.get("/readyz").await;
    assert_eq!(
        (ready.status_and_code().as_str(), &ready.json()["database"]["ready"]),
        ("503", &json!(false))
    );
    let refused = testkit::SignedCall::post("/ai/v1/age").json(&json!({})).send(&app).await;
    assert_eq!(refused.status_and_code(), "503 SERVICE_UNAVAILABLE");
    assert_eq!(refused.header("retry-after"), "1");
}

#[tokio::test]
async fn with_a_schema_or_a_key_that_does_not_fit_the_server_is_not_ready() {
    let app = TestApp::start().await;
    let build = app.api.db.schema_status().await.unwrap().build;
    app.api.db.record_newer_migration(build + 1, build).await;
    let ready = app.get("/readyz").await;
    let schema = json!({ "ready": true, "build": build, "database": build + 1 });
    assert_eq!((ready.status_and_code().as_str(), &ready.json()["schema"]), ("200", &schema));
    app.api.db.record_newer_migration(build + 2, build + 2).await;
    let ready = app.get("/readyz").await;
    let schema = json!({ "ready": false, "build": build, "database": build + 2 });
    assert_eq!((ready.status_and_code().as_str(), &ready.json()["schema"]), ("503", &schema));

    let app = TestApp::start_with(|api| api.startup.set(StartupState::MasterKeyRefused)).await;
    let ready = app.get("/readyz").await;
    let key = json!({ "ready": false, "hint": "run `assay doctor` on the server" });
    assert_eq!((ready.status_and_code().as_str(), &ready.json()["master_key"]), ("503", &key));
}

#[tokio::test]
async fn with_a_full_disk_the_server_is_not_ready() {
    let app = TestApp::start_with(|api| api.data_disk.min_free_bytes = u64::MAX).await;
    let ready = app.get("/readyz").await;
    assert_eq!((ready.status_and_code().as_str(), &ready.json()["disk"]["ready"]), ("503", &json!(false)));
}
