//! The six image AI operations on a real face with the real models.

use domain::image_analysis::sample_faces;
use serde_json::{Value, json};
use testkit::{
    SignedCall, TestApp, face_base64,
    spoof::{DataHalf, FaceBox, PresentationSpecies, SourcePortrait, shoot},
};

fn call(path: &str, mut body: Value) -> SignedCall {
    body["img"] = face_base64().into();
    SignedCall::post(path).json(&body)
}

#[track_caller]
fn years(age: &Value) -> f64 {
    let years = age["age"].as_f64().unwrap();
    assert!((16.0..80.0).contains(&years), "the sample photos show adults, not {years}");
    let st_dev = age["st_dev"].as_f64().unwrap();
    assert!((1.0..20.0).contains(&st_dev), "{st_dev}");
    years
}

#[track_caller]
fn members(value: &Value, expected: &[&str]) {
    let mut found: Vec<_> = value.as_object().unwrap().keys().map(String::as_str).collect();
    found.sort_unstable();
    assert_eq!(found, expected);
}

#[tokio::test]
async fn age() {
    let app = TestApp::start().await;
    let answer = call("/ai/v1/age", json!({})).send(&app).await;
    assert_eq!(answer.status_and_code(), "200");
    members(&answer.json(), &["age", "st_dev"]);
    years(&answer.json());

    let prefixed = json!({ "img": format!("data:image/jpeg;base64,{}", face_base64()) });
    let again = SignedCall::post("/ai/v1/age").json(&prefixed).send(&app).await;
    assert_eq!(
        again.json(),
        answer.json(),
        "a data: prefix changes nothing, and the same image gives the same answer"
    );
}

#[tokio::test]
async fn antispoofing() {
    let app = TestApp::start().await;
    let answer = call("/ai/v1/antispoofing", json!({ "level_of_assurance": "low" })).send(&app).await;
    assert_eq!(answer.status_and_code(), "200");
    members(&answer.json(), &["prediction"]);
    assert!(["real", "fake"].contains(&answer.json()["prediction"].as_str().unwrap()));
}

/// Faces that look into the camera pass by default; the same faces in a newspaper, printed by a simulator that was not
/// used for training, do not.
#[tokio::test]
async fn live_faces_are_told_from_prints() {
    let app = TestApp::start().await;
    let ask = async |image: &[u8], level: &str| {
        let body = json!({ "img": api::base64(image), "level_of_assurance": level });
        let answer = SignedCall::post("/ai/v1/antispoofing").json(&body).send(&app).await;
        assert_eq!(answer.status_and_code(), "200");
        answer.json()["prediction"].as_str().unwrap().to_owned()
    };
    for number in [6, 8] {
        let picture = testkit::face_pictures()[number].clone();
        let live = sample_faces::encode_jpeg(&picture, 96);
        assert_eq!(ask(&live, "medium").await, "real", "face {number}");
        let face = FaceBox { left: 209.0, top: 249.0, right: 511.0, bottom: 551.0 };
        let portrait = SourcePortrait { name: format!("face{number}"), picture, face };
        let shot = shoot(&portrait, PresentationSpecies::HalftoneCoarse, DataHalf::Report, 7).unwrap();
        let attack = sample_faces::encode_jpeg(&shot.picture, 98);
        assert_eq!(ask(&attack, "medium").await, "fake", "face {number} in print");
    }
}

#[tokio::test]
async fn age_antispoofing() {
    let app = TestApp::start().await;
    let answer = call("/ai/v1/age-antispoofing", json!({})).send(&app).await;
    assert_eq!(answer.status_and_code(), "200");
    members(&answer.json(), &["age", "antispoofing"]);
    members(&answer.json()["antispoofing"], &["prediction"]);
    members(&answer.json()["age"], &["age", "st_dev"]);
    years(&answer.json()["age"]);
}

#[tokio::test]
async fn self_checkout_needs_a_terminal_or_a_browser() {
    let app = TestApp::start().await;
    let path = "/ai/v1/self-checkout/age-antispoofing";
    let refused = call(path, json!({})).send(&app).await;
    assert_eq!(refused.status_and_code(), "400 INVALID_REQUEST_BODY");
    assert!(refused.json()["error_message"].as_str().unwrap().contains("Terminal-Id"));
    for (name, value) in [("terminal-id", "till 7"), ("origin", "https://shop.example")] {
        let answer =
            call(path, json!({})).header(name, value).header("session-id", "basket 3").send(&app).await;
        assert_eq!(answer.status_and_code(), "200");
        members(&answer.json(), &["age", "antispoofing"]);
    }
}

#[tokio::test]
async fn age_verify() {
    let app = TestApp::start().await;
    for (threshold, operator, outcome) in [
        (1, None, "pass"),
        (1, Some("UNDER"), "fail"),
        (120, Some("OVER"), "fail"),
        (120, Some("UNDER"), "pass"),
    ] {
        let mut body = json!({ "threshold": threshold });
        if let Some(operator) = operator {
            body["operator"] = operator.into();
        }
        let answer = call("/ai/v1/age-verify", body).send(&app).await;
        assert_eq!(
            (answer.status_and_code().as_str(), answer.json()),
            ("200", json!({ "age_check": outcome }))
        );
    }
}

#[tokio::test]
async fn age_antispoofing_verify() {
    let app = TestApp::start().await;
    let answer = call("/ai/v1/age-antispoofing-verify", json!({ "threshold": 1 })).send(&app).await;
    assert_eq!(answer.status_and_code(), "200");
    members(&answer.json(), &["age", "antispoofing"]);
    assert_eq!(answer.json()["age"], json!({ "age_check": "pass" }));
    members(&answer.json()["antispoofing"], &["prediction"]);
}

#[tokio::test]
async fn explain_adds_what_the_answer_rests_on_and_changes_nothing_else() {
    let app = TestApp::start().await;
    let path = "/ai/v1/age-antispoofing-verify";
    let plain = call(path, json!({ "threshold": 30 })).send(&app).await.json();
    let mut explained =
        call(path, json!({ "threshold": 30 })).query("explain", "true").send(&app).await.json();
    let explain = explained.as_object_mut().unwrap().remove("explain").unwrap();
    assert_eq!(explained, plain);
    members(&explain, &["age", "face", "liveness", "models", "quality"]);
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
    assert_eq!(explain["liveness"]["experimental"], true);
    for model in explain["models"].as_array().unwrap() {
        assert_eq!(model["sha256"].as_str().unwrap().len(), 64, "{model}");
    }
}

#[tokio::test]
async fn unknown_members_and_any_content_type_are_fine() {
    let app = TestApp::start().await;
    let answer =
        call("/ai/v1/age", json!({ "colour": "blue" })).header("content-type", "text/plain").send(&app).await;
    assert_eq!(answer.status_and_code(), "200");
}

#[tokio::test]
async fn when_all_workers_are_busy_the_answer_is_503_at_once() {
    let app = TestApp::start().await;
    let pool = vision::InferencePool::start(&testkit::pack(), 1, 1).unwrap();
    let (hold, held) = std::sync::mpsc::channel::<()>();
    let held = std::sync::Mutex::new(held);
    let _running = pool.run(move |_| held.lock().unwrap().recv()).unwrap();
    while pool.stats().running == 0 {
        tokio::task::yield_now().await;
    }
    let _waiting = pool.run(|_| ()).unwrap();
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
async fn decisions_are_recorded_where_the_operator_wants_them_and_never_the_image() {
    use domain::{audit::DecisionLog, keyring::Keyring};
    let keyring = Keyring::parse(&"5a".repeat(32)).unwrap();
    let app =
        TestApp::start_with(|api| api.decision_records = Some(DecisionLog::new(api.db.clone(), &keyring)))
            .await;
    let answer = call("/ai/v1/age-verify", json!({ "threshold": 18 })).send(&app).await;

    let mut view = app.api.db.read().await.unwrap();
    let kept: Vec<DecisionRow> = view.fetch_all(db::sql!("SELECT record FROM decisions")).await.unwrap();
    assert_eq!(kept.len(), 1);
    let record: Value = serde_json::from_str(&kept[0].record).unwrap();
    assert_eq!(record["sdk_id"], app.app.to_string());
    assert_eq!(record["decision"]["operation"], "age-verify");
    assert_eq!(record["decision"]["answer"], answer.json());
    assert_eq!(record["decision"]["image_sha256"], domain::audit::sha256_hex(testkit::face_jpeg()));
    assert!(kept[0].record.len() < 4000, "a record of that size holds no image");
}

#[tokio::test]
async fn a_model_that_answers_nonsense_is_a_failed_prediction() {
    let nonsense = vision::VisionModels::scripted_nonsense();
    let pool = vision::InferencePool::with_models(vec![nonsense], 4);
    let estimator = domain::image_analysis::ImageAnalyser::with_pool(
        domain::image_analysis::AnalysisRules::default(),
        pool,
    );
    let app = TestApp::start_with_image_analyser(estimator).await;
    assert_eq!(call("/ai/v1/age", json!({})).send(&app).await.status_and_code(), "500 FAIL_PREDICTION");
}
