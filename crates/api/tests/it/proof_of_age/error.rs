//! Refusals of proof of age.

use axum::{body::Body, http::Request};
use testkit::TestApp;

#[tokio::test]
async fn an_unknown_path_or_method_is_refused_in_the_format_of_the_interface() {
    let app = TestApp::start().await;
    for request in [
        Request::get("/poa/v1/nothing"),
        Request::get("/poa/v1/verify/"),
        Request::put("/poa/v1/verify"),
        Request::delete("/poa/v1/verify/AAAAAAAAAAAAAAAAAAAAAA"),
    ] {
        let answer = app.send(request.body(Body::empty()).unwrap()).await;
        let refusal = answer.json();
        assert_eq!(
            (answer.status.as_u16(), refusal["error"].as_str()),
            (404, Some("NOT_FOUND")),
            "{refusal}"
        );
        assert_eq!(refusal["id"].as_str(), Some(answer.header("x-request-id")));
    }
}
