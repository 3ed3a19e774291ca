//! `PATCH /accounts/{accountId}/profiles/{profileId}`

use crate::content_moderation::{AccountFixture, created_id, face_base64, first_error, two_people};
use serde_json::{Value, json};

#[tokio::test]
async fn a_profile_is_changed() {
    let fixture = AccountFixture::start().await;
    let id = fixture.add_profile("Ada").await;
    let change = json!({ "profile_type": 2, "reference": "u-2", "display_name": null });
    assert_response_snapshot!(fixture.call("PATCH", &format!("/profiles/{id}"), Some(change)).await);
}

#[tokio::test]
async fn a_profile_changes_field_by_field_and_type_2_is_never_found() {
    let fixture = AccountFixture::start().await;
    let (ada, _) = two_people();
    let id = fixture.enrol("Ada", ada).await;
    let path = format!("/profiles/{id}");
    fixture.app.environment.advance(base::SignedDuration::from_secs(60));
    let change = json!({ "profile_type": 2, "reference": "u-2", "display_name": null });
    let changed = fixture.call("PATCH", &path, Some(change)).await.json();
    assert_eq!(
        [
            &changed["profile_type"],
            &changed["reference"],
            &changed["display_name"],
            &changed["biometric_consent"]
        ],
        [&json!(2), &json!("u-2"), &Value::Null, &json!("form 7")]
    );
    assert_eq!(changed["updated_at"], json!("2026-01-16T14:41:00Z"));
    assert!(fixture.search_by_face(ada).await.is_empty());
    fixture.call("PATCH", &path, Some(json!({ "profile_type": 1 }))).await;
    assert_eq!(fixture.search_by_face(ada).await, std::slice::from_ref(&id));
    let refused = fixture.call("PATCH", &path, Some(json!({ "biometric_consent": "" }))).await;
    assert_eq!(
        (refused.status_and_code().as_str(), first_error(&refused)["property"].clone()),
        ("400 INVALID_REQUEST", json!("biometric_consent"))
    );
    let hidden = json!({ "profile_type": 2, "biometric_consent": "form 8", "face": face_base64(ada) });
    created_id(&fixture.call("POST", "/profiles", Some(hidden)).await);
    assert_eq!(fixture.search_by_face(ada).await, [id]);
}
