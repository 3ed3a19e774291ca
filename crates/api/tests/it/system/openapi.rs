//! `GET /openapi/{moderation,ai,proof,identity,ages,console}.json`.

use testkit::TestApp;

#[tokio::test]
async fn the_reference_page_loads_everything_from_the_server_itself() {
    let app = TestApp::start().await;
    let page = app.get("/reference/").await;
    assert_eq!(page.status_and_code(), "200");
    let page = String::from_utf8_lossy(&page.body).into_owned();
    assert!(!page.contains("http://") && !page.contains("https://"), "nothing is loaded from elsewhere");
    for file in [
        "swagger-ui.css",
        "swagger-ui-bundle.js",
        "swagger-ui-standalone-preset.js",
        "swagger-initializer.js",
    ] {
        assert_eq!(app.get(&format!("/reference/{file}")).await.status_and_code(), "200", "{file}");
    }
}
