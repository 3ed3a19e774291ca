//! The quota of an application.

use crate::http::call;
use api::RateLimit;
use std::{num::NonZeroU32, sync::Arc};
use testkit::TestApp;

#[tokio::test]
async fn an_application_has_a_quota_if_the_operator_sets_one() {
    let two = NonZeroU32::new(2).unwrap();
    let app = TestApp::start_with(|api| {
        api.application_rate_limit = Some(Arc::new(RateLimit::new(NonZeroU32::MIN, two)));
    })
    .await;

    let strangers = call().digest(Some("AAAA")).send(&app).await;
    assert_eq!(strangers.status_and_code(), "401 INVALID_SIGNATURE");
    assert_eq!(strangers.header("ratelimit-limit"), "", "who cannot sign uses up nobody's quota");

    for remaining in ["1", "0"] {
        let answer = call().send(&app).await;
        assert_eq!(answer.status_and_code(), "400 IMAGE_NOT_PROVIDED");
        assert_eq!(
            (answer.header("ratelimit-limit"), answer.header("ratelimit-remaining")),
            ("2", remaining)
        );
    }
    let refused = call().send(&app).await;
    assert_eq!(refused.status_and_code(), "429 TOO_MANY_REQUESTS");
    let wait: u32 = refused.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&wait), "{wait}");
    assert_eq!(refused.header("ratelimit-remaining"), "0");
}

#[tokio::test]
async fn without_a_quota_answers_have_no_rate_limit_headers() {
    let app = TestApp::start().await;
    assert_eq!(call().send(&app).await.header("ratelimit-limit"), "");
}
