//! Bearer tokens of proof of age.

use crate::proof_of_age::{scan, verify_with_headers};
use domain::tenancy::{Feature, applications, tokens::TokenScope};
use testkit::TestApp;

#[tokio::test]
async fn a_caller_without_a_token_is_refused() {
    let app = TestApp::start().await;
    assert_response_snapshot!(verify_with_headers(&app, &[], scan(&app, "POA1:0").to_string()).await);
}

#[tokio::test]
async fn each_unusable_token_is_refused_with_its_reason() {
    let app = TestApp::start().await;
    let good = app.bearer_token(&[TokenScope::PoaVerify]).await;
    let other_scope = app.bearer_token(&[TokenScope::IdvSessions]).await;
    let body = scan(&app, "POA1:0").to_string();
    let bearer = format!("Bearer {good}");
    let lower = format!("bearer {good}");
    for (headers, expected) in [
        (vec![], "401 INVALID_TOKEN"),
        (vec![("authorization", "Bearer nonsense")], "401 INVALID_TOKEN"),
        (vec![("authorization", "Basic YTpi")], "401 INVALID_TOKEN"),
        (vec![("authorization", good.as_str())], "401 INVALID_TOKEN"),
        (vec![("authorization", &bearer), ("authorisation", "Bearer other")], "401 INVALID_TOKEN"),
        (vec![("authorization", &bearer)], "200 "),
        (vec![("authorization", &lower)], "200 "),
        (vec![("Authorisation", &bearer)], "200 "),
        (vec![("authorization", &format!("Bearer {other_scope}"))], "403 INSUFFICIENT_SCOPE"),
    ] {
        let answer = verify_with_headers(&app, &headers, body.clone()).await;
        let line =
            format!("{} {}", answer.status.as_u16(), answer.json()["error"].as_str().unwrap_or_default());
        assert_eq!(line, expected, "{headers:?}");
        assert_eq!(answer.header("www-authenticate"), if answer.status == 401 { "Bearer" } else { "" });
    }
    let mut tx = app.api.db.write().await.unwrap();
    applications::set_features(&mut tx, app.app, &[Feature::ImageAi]).await.unwrap();
    tx.commit().await.unwrap();
    let answer = verify_with_headers(&app, &[("authorization", &bearer)], body).await;
    assert_eq!((answer.status.as_u16(), answer.json()["error"].as_str()), (403, Some("FEATURE_DISABLED")));
}
