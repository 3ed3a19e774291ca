//! `POST /ai/v1/antispoofing`

use crate::image_analysis::{assert_members, call};
use domain::image_analysis::sample_faces;
use serde_json::json;
use testkit::{
    SignedCall, TestApp,
    spoof::{DataHalf, FaceBox, PresentationSpecies, SourcePortrait, shoot},
};

#[tokio::test]
async fn liveness_is_predicted() {
    let app = TestApp::start().await;
    assert_response_snapshot!(call("/ai/v1/antispoofing", json!({})).send(&app).await, "prediction");
}

#[tokio::test]
async fn a_face_is_predicted_to_be_real_or_fake() {
    let app = TestApp::start().await;
    let answer = call("/ai/v1/antispoofing", json!({ "level_of_assurance": "low" })).send(&app).await;
    assert_eq!(answer.status_and_code(), "200");
    assert_members(&answer.json(), &["prediction"]);
    assert!(["real", "fake"].contains(&answer.json()["prediction"].as_str().unwrap()));
}

/// Faces that look into the camera pass by default; the same faces in a newspaper, printed by a simulator that was not
/// used for training, do not.
#[tokio::test]
async fn live_faces_are_distinguished_from_prints_on_sqlite() {
    let app = TestApp::start().await;
    let predict = async |image: &[u8], level: &str| {
        let body = json!({ "img": api::base64(image), "level_of_assurance": level });
        let answer = SignedCall::post("/ai/v1/antispoofing").json(&body).send(&app).await;
        assert_eq!(answer.status_and_code(), "200");
        answer.json()["prediction"].as_str().unwrap().to_owned()
    };
    for number in [6, 8] {
        let picture = testkit::face_pictures()[number].clone();
        let live = sample_faces::encode_jpeg(&picture, 96);
        assert_eq!(predict(&live, "medium").await, "real", "face {number}");
        let face = FaceBox { left: 209.0, top: 249.0, right: 511.0, bottom: 551.0 };
        let portrait = SourcePortrait { name: format!("face{number}"), picture, face };
        let shot = shoot(&portrait, PresentationSpecies::HalftoneCoarse, DataHalf::Report, 7).unwrap();
        let attack = sample_faces::encode_jpeg(&shot.picture, 98);
        assert_eq!(predict(&attack, "medium").await, "fake", "face {number} in print");
    }
}
