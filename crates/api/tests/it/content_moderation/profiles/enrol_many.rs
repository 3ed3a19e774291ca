//! `POST /accounts/{accountId}/profiles/bulk`

use crate::content_moderation::{AccountFixture, another_photo, face_base64};
use serde_json::json;

#[tokio::test]
async fn many_profiles_are_created() {
    let fixture = AccountFixture::start().await;
    let profiles = json!([{ "display_name": "Ada" }, { "display_name": 7 }]);
    assert_response_snapshot!(
        fixture.call("POST", "/profiles/bulk", Some(json!({ "profiles": profiles }))).await
    );
}

#[tokio::test]
async fn each_of_many_profiles_is_created_or_refused() {
    let fixture = AccountFixture::start().await;
    let faces = testkit::face_pictures();
    let banned = fixture.enrol("Ada", &faces[6]).await;
    assert_eq!(fixture.call("POST", &format!("/profiles/{banned}/ban"), None).await.status, 204);
    let nobody = base::Picture::new(300, 300, vec![128; 300 * 300 * 3]).unwrap();
    let profiles = json!([
        { "display_name": "Grace", "biometric_consent": "form 1", "face": face_base64(&faces[8]) },
        { "display_name": "Wall", "biometric_consent": "form 2", "face": face_base64(&nobody) },
        { "display_name": "Ada again", "biometric_consent": "form 3", "face": face_base64(&another_photo(&faces[6], 1)) },
        { "display_name": "Without consent", "face": face_base64(&faces[8]) },
        { "display_name": "By name", "profile_type": 2.0 },
        { "profile_type": 3, "face": "?" },
    ]);
    let answer = fixture.call("POST", "/profiles/bulk", Some(json!({ "profiles": profiles }))).await;
    let body = answer.json();
    assert_eq!(
        (answer.status.as_u16(), &body["created"], &body["refused"]),
        (200, &json!(3), &json!(3)),
        "{body}"
    );
    let code = |at: usize| body["results"][at]["error"]["code"].as_str();
    assert_eq!(
        [code(0), code(1), code(2), code(3), code(4), code(5)],
        [None, Some("FACE_REFUSED"), None, Some("INVALID_REQUEST"), None, Some("INVALID_REQUEST")]
    );
    assert_eq!(body["results"][5]["error"]["errors"][0]["property"], "profile_type");
    let warning = &body["results"][2]["created"]["warnings"][0];
    assert_eq!((&warning["code"], &warning["profile_id"]), (&json!("BANNED_PERSON"), &json!(banned)));
    let grace = body["results"][0]["created"]["id"].as_str().unwrap();
    assert_eq!(fixture.search_by_face(&another_photo(&faces[8], 1)).await, [grace]);
    let by_name = body["results"][4]["created"]["id"].as_str().unwrap();
    assert_eq!(fixture.get(&format!("/profiles/{by_name}")).await["profile_type"], 2);
    fixture.app.environment.advance(base::SignedDuration::from_hours(1));
    fixture.app.api.faces.sweep_tombstones().await.unwrap();
    assert_eq!(fixture.picture_count().await, 3, "a picture for each face, and no other");
}

#[tokio::test]
async fn too_many_profiles_are_refused_and_nothing_is_created() {
    let fixture = AccountFixture::start().await;
    let profiles = |many: usize| json!({ "profiles": vec![json!({ "display_name": "x" }); many] });
    let refused = fixture.call("POST", "/profiles/bulk", Some(profiles(1001))).await;
    assert_response_snapshot!(refused);
    let answer = fixture.call("POST", "/profiles/bulk", Some(profiles(1000))).await;
    assert_eq!(answer.json()["created"], 1000);
}
