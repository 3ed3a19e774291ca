//! What all operations of image analysis share: workers, models and decision records.

use crate::image_analysis::{assert_members, call};
use serde_json::{Value, json};
use testkit::{SignedCall, TestApp};

#[tokio::test]
async fn an_unknown_device_is_refused_before_the_rest_of_the_body_is_looked_at() {
    let app = TestApp::start().await;
    let wrong = json!({
        "metadata": { "device": "toaster" }, "level_of_assurance": "utmost", "img_validation_level": "none", "threshold": 0,
    });
    for path in ["age", "antispoofing", "age-antispoofing", "age-verify", "age-antispoofing-verify"] {
        let refused = SignedCall::post(&format!("/ai/v1/{path}")).json(&wrong).send(&app).await;
        assert_eq!(refused.status_and_code(), "404 INVALID_METADATA_DEVICE", "{path}");
        for (member, of_another_type) in [("img", json!(7)), ("secure", json!([]))] {
            let mut wrong = wrong.clone();
            wrong[member] = of_another_type;
            let refused = SignedCall::post(&format!("/ai/v1/{path}")).json(&wrong).send(&app).await;
            assert_eq!(refused.status_and_code(), "404 INVALID_METADATA_DEVICE", "{path} {member}");
        }
    }
}

#[tokio::test]
async fn while_all_workers_are_busy_the_answer_is_503_at_once() {
    let app = TestApp::start().await;
    let pool = vision::InferencePool::start(&testkit::pack(), 1, vision::QueueLimits::by_count(1)).unwrap();
    let (hold, held) = std::sync::mpsc::channel::<()>();
    let held = std::sync::Mutex::new(held);
    let _running = pool.run(None, move |_| held.lock().unwrap().recv()).unwrap();
    while pool.stats().running == 0 {
        tokio::task::yield_now().await;
    }
    let _waiting = pool.run(None, |_| ()).unwrap();
    let estimator = domain::image_analysis::ImageAnalyser::with_pool(
        domain::image_analysis::AnalysisRules::default(),
        pool,
    );
    let busy = TestApp::start_with_image_analyser(estimator).await;

    let answer = call("/ai/v1/age", json!({})).send(&busy).await;
    assert_eq!(answer.status_and_code(), "503 SERVICE_UNAVAILABLE");
    assert!(answer.header("retry-after").parse::<u32>().unwrap() >= 1);
    drop(hold);
    drop(app);
}

#[tokio::test]
async fn without_models_the_answer_is_503_and_the_server_is_not_ready() {
    let none = domain::image_analysis::ImageAnalyser::new(domain::image_analysis::AnalysisRules::default());
    let app = TestApp::start_with_image_analyser(none).await;
    assert_eq!(call("/ai/v1/age", json!({})).send(&app).await.status_and_code(), "503 SERVICE_UNAVAILABLE");
    let ready = app.get("/readyz").await;
    assert_eq!((ready.status_and_code().as_str(), &ready.json()["models"]["ready"]), ("503", &json!(false)));
}

#[derive(db::FromRow)]
struct DecisionRow {
    record: String,
}

#[tokio::test]
async fn decisions_are_recorded_if_the_operator_asks_for_it_and_never_the_image() {
    use domain::{audit::DecisionLog, keyring::Keyring};
    let keyring = Keyring::parse(&"5a".repeat(32)).unwrap();
    let app =
        TestApp::start_with(|api| api.decision_records = Some(DecisionLog::new(api.db.clone(), &keyring)))
            .await;
    let answer = call("/ai/v1/age-verify", json!({ "threshold": 18 })).send(&app).await;

    let mut view = app.api.db.read().await.unwrap();
    let stored: Vec<DecisionRow> = view.fetch_all(db::sql!("SELECT record FROM decisions")).await.unwrap();
    assert_eq!(stored.len(), 1);
    let record: Value = serde_json::from_str(&stored[0].record).unwrap();
    assert_eq!(record["sdk_id"], app.app.to_string());
    assert_eq!(record["decision"]["operation"], "age-verify");
    assert_eq!(record["decision"]["answer"], answer.json());
    assert_eq!(record["decision"]["image_sha256"], domain::audit::sha256_hex(testkit::face_jpeg()));
    assert!(stored[0].record.len() < 4000, "a record of that size holds no image");
    assert_eq!(
        record["decision"]["rules"],
        json!({ "threshold": 18.0, "operator": "OVER", "img_validation_level": "high" })
    );
    assert!(!stored[0].record.contains("null"), "{}", stored[0].record);
    let outputs = &record["decision"]["outputs"];
    assert_members(outputs, &["age", "st_dev"]);
    let passed = if outputs["age"].as_f64().unwrap() >= 18.0 { "pass" } else { "fail" };
    assert_eq!(answer.json()["age_check"], passed, "the record says what was compared");
    assert_eq!(tasks(&record["decision"]["models"]), ["age", "detect", "quality"]);
}

/// The tasks of models, each once, in alphabetical order.
fn tasks(models: &Value) -> Vec<&str> {
    let mut tasks: Vec<_> =
        models.as_array().unwrap().iter().filter_map(|model| model["task"].as_str()).collect();
    tasks.sort_unstable();
    tasks.dedup();
    tasks
}

#[tokio::test]
async fn only_the_models_that_saw_an_image_are_named() {
    use domain::{audit::DecisionLog, keyring::Keyring};
    let keyring = Keyring::parse(&"5a".repeat(32)).unwrap();
    let app =
        TestApp::start_with(|api| api.decision_records = Some(DecisionLog::new(api.db.clone(), &keyring)))
            .await;
    for (path, asked, outputs) in [
        ("/ai/v1/age", &["age", "detect", "quality"][..], &["age", "st_dev"][..]),
        ("/ai/v1/antispoofing", &["detect", "liveness", "quality"], &["liveness_score"]),
        (
            "/ai/v1/age-antispoofing",
            &["age", "detect", "liveness", "quality"],
            &["age", "liveness_score", "st_dev"],
        ),
    ] {
        let answer = call(path, json!({})).query("explain", "true").send(&app).await.json();
        assert_eq!(tasks(&answer["explain"]["models"]), asked, "{path}");
        let mut view = app.api.db.read().await.unwrap();
        let newest = db::sql!(
            "SELECT record FROM decisions WHERE record LIKE $1",
            format!("%\"operation\":\"{}\"%", &path[7..])
        );
        let stored: Vec<DecisionRow> = view.fetch_all(newest).await.unwrap();
        let record: Value = serde_json::from_str(&stored[0].record).unwrap();
        assert_eq!(tasks(&record["decision"]["models"]), asked, "{path}");
        assert_members(&record["decision"]["outputs"], outputs);
        if let Some(score) = record["decision"]["outputs"]["liveness_score"].as_f64() {
            let real = score >= record["decision"]["rules"]["liveness_threshold"].as_f64().unwrap();
            let prediction = if real { "real" } else { "fake" };
            assert!(stored[0].record.contains(&format!("\"prediction\":\"{prediction}\"")), "{record}");
        }
    }
}

#[tokio::test]
async fn a_model_that_answers_nonsense_gives_fail_prediction() {
    let nonsense = vision::VisionModels::scripted_nonsense();
    let pool = vision::InferencePool::with_models(vec![nonsense], vision::QueueLimits::by_count(4));
    let estimator = domain::image_analysis::ImageAnalyser::with_pool(
        domain::image_analysis::AnalysisRules::default(),
        pool,
    );
    let app = TestApp::start_with_image_analyser(estimator).await;
    assert_eq!(call("/ai/v1/age", json!({})).send(&app).await.status_and_code(), "500 FAIL_PREDICTION");
}
