//! The quota of an application.

use crate::http::call;
use api::{BodyMemory, GeoLocator, GeoSettings, SignatureGuard};
use axum::{body::Body, http::Request};
use base::Environment as _;
use domain::tenancy::limits::LimitSettings;
use futures_util::stream;
use std::{
    num::NonZeroU32,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};
use testkit::{SignedCall, TestApp};

#[tokio::test]
async fn an_application_has_a_quota_if_the_operator_sets_one() {
    let limits = LimitSettings { calls_per_minute: NonZeroU32::new(2), ..LimitSettings::default() };
    let app = TestApp::builder().limits(limits).start().await;

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

#[tokio::test]
async fn an_address_may_send_few_wrong_signatures() {
    let app = TestApp::start_with(|api| {
        let settings =
            GeoSettings { address_header: Some("X-Forwarded-For".to_owned()), ..GeoSettings::default() };
        api.geo_locator = Arc::new(GeoLocator::open(&settings).unwrap());
        api.signature_guard = Arc::new(SignatureGuard::new(NonZeroU32::new(2).unwrap()));
    })
    .await;
    let wrong = "A".repeat(342) + "==";
    let send = async |address: &str, digest: Option<&str>| {
        let mut call = call().header("X-Forwarded-For", address);
        if let Some(digest) = digest {
            call = call.digest(Some(digest));
        }
        call.send(&app).await
    };
    for _ in 0..2 {
        assert_eq!(send("192.0.2.1", Some(&wrong)).await.status_and_code(), "401 INVALID_SIGNATURE");
    }
    let refused = send("192.0.2.1", Some(&wrong)).await;
    assert_eq!(refused.status_and_code(), "429 TOO_MANY_REQUESTS");
    assert!((1..=60).contains(&refused.header("retry-after").parse::<u32>().unwrap()));
    assert_eq!(send("192.0.2.1", None).await.status_and_code(), "429 TOO_MANY_REQUESTS");
    assert_eq!(
        send("192.0.2.2", None).await.status_and_code(),
        "400 IMAGE_NOT_PROVIDED",
        "others are answered"
    );
}

#[tokio::test]
async fn bodies_have_a_limit_together() {
    let app = TestApp::start_with(|api| api.body_memory = BodyMemory::new(4096)).await;
    let large = SignedCall::post("/ai/v1/age").json(&serde_json::json!({ "img": "A".repeat(5000) }));
    let refused = large.send(&app).await;
    assert_eq!(refused.status_and_code(), "503 SERVICE_UNAVAILABLE");
    assert_eq!(refused.header("retry-after"), "1");
    assert_eq!(call().send(&app).await.status_and_code(), "400 IMAGE_NOT_PROVIDED", "what fits is answered");
    let form = Request::post("/v1/oauth/token").body(Body::from("a".repeat(5000))).unwrap();
    let refused = app.send(form).await;
    assert_eq!((refused.status.as_u16(), refused.header("retry-after")), (503, "1"));
}

/// Whoever is nobody known, or cannot have signed, is refused before a byte of the body is asked for.
#[tokio::test]
async fn bodies_of_strangers_are_not_read() {
    let app = TestApp::start().await;
    let (nonce, now) = (app.environment.uuid_v7(), app.environment.now().as_second());
    let good = format!("nonce={nonce}&timestamp={now}");
    let late = format!("nonce={nonce}&timestamp={}", now - 301);
    let (own, stranger) = (app.app.to_string(), testkit::unknown_app_id(&*app.environment));
    let (fits, short) = (format!("{}==", "A".repeat(342)), "AAAA".to_owned());
    let read_bytes = async |id: &str, digest: &str, query: &str| {
        let (read, count) = (Arc::new(AtomicUsize::new(0)), 4);
        let chunks = (0..count).map({
            let read = read.clone();
            move |_| {
                read.fetch_add(16 << 10, Ordering::Relaxed);
                Ok::<_, std::io::Error>(vec![b'7'; 16 << 10])
            }
        });
        let request = Request::builder()
            .method("POST")
            .uri(format!("/idverify/v1/sessions?sdkId={id}&{query}"))
            .header(app.api.brand.auth_digest(), digest)
            .body(Body::from_stream(stream::iter(chunks)))
            .unwrap();
        let answer = app.send(request).await;
        (answer.status.as_u16(), read.load(Ordering::Relaxed))
    };
    assert_eq!(read_bytes(&stranger, &fits, &good).await, (404, 0));
    assert_eq!(read_bytes(&own, &short, &good).await, (401, 0));
    assert_eq!(read_bytes(&own, &fits, &late).await, (401, 0));
    let (status, read) = read_bytes(&own, &fits, &good).await;
    assert_eq!(status, 401);
    assert!(read > 0, "only for what may be the application's");
}
