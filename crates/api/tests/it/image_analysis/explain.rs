//! `?explain=true`

use crate::image_analysis::{assert_members, call};
use serde_json::json;
use testkit::TestApp;

/// What the models and the photo give, which differs in its last digits between machines.
const MEASUREMENTS: &str = "explain.age.buffer explain.age.interval_80.* explain.age.interval_90.* \
    explain.age.probability_at_least explain.age.refused_adults.*.share explain.age.spread explain.face.box.* \
    explain.face.score explain.liveness.score explain.quality.face_luma explain.quality.face_sharpness \
    explain.quality.capture.*";

#[tokio::test]
async fn an_answer_is_explained() {
    let app = TestApp::start().await;
    let call = call("/ai/v1/age-antispoofing-verify", json!({ "threshold": 30 })).query("explain", "true");
    let answer = call.send(&app).await;
    assert_response_snapshot!(answer, "age.age_check antispoofing.prediction", MEASUREMENTS);
}

#[tokio::test]
async fn explain_adds_the_measurements_and_changes_nothing_else() {
    let app = TestApp::start().await;
    let path = "/ai/v1/age-antispoofing-verify";
    let plain = call(path, json!({ "threshold": 30 })).send(&app).await.json();
    let mut explained =
        call(path, json!({ "threshold": 30 })).query("explain", "true").send(&app).await.json();
    let explain = explained.as_object_mut().unwrap().remove("explain").unwrap();
    assert_eq!(explained, plain);
    assert_members(&explain, &["age", "face", "liveness", "models", "quality"]);
    let age = &explain["age"];
    assert_eq!(age["threshold"], 30.0);
    assert!((0.0..=1.0).contains(&age["probability_at_least"].as_f64().unwrap()));
    assert!(age["buffer"].as_f64().unwrap() > 0.0);
    let ends = |name: &str| [0, 1].map(|end| age[name][end].as_f64().unwrap());
    let ([low, high], [lower, higher]) = (ends("interval_80"), ends("interval_90"));
    assert!(lower < low && low < high && high < higher, "{age}");
    let refused = age["refused_adults"].as_array().unwrap();
    let ages: Vec<f64> = refused.iter().map(|at| at["age"].as_f64().unwrap()).collect();
    assert_eq!(ages, [35.0, 40.0, 45.0, 50.0]);
    let shares: Vec<f64> = refused.iter().map(|at| at["share"].as_f64().unwrap()).collect();
    assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)), "{shares:?}");
    assert!(shares.windows(2).all(|two| two[0] > two[1]), "the older, the fewer: {shares:?}");
    assert_eq!(explain["quality"]["width"], 720);
    assert_eq!(explain["quality"]["jpeg_quality"], 96);
    let sharpness = explain["quality"]["face_sharpness"].as_f64().unwrap();
    assert!((0.25..=1.0).contains(&sharpness), "{sharpness}");
    let capture = &explain["quality"]["capture"];
    for covered in ["mouth_covered", "nose_covered", "eyes_covered"] {
        assert!(capture[covered].as_f64().unwrap() < 0.5, "{capture}");
    }
    assert_eq!(explain["liveness"]["experimental"], true);
    for model in explain["models"].as_array().unwrap() {
        assert_eq!(model["sha256"].as_str().unwrap().len(), 64, "{model}");
    }
}
