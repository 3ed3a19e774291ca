//! `POST /accounts/{accountId}/profiles/{profileId}/faces`

use crate::content_moderation::{
    AccountFixture, another_photo, created_id, first_error, same_person_twice, two_people,
};
use serde_json::json;

#[tokio::test]
async fn a_face_is_added() {
    let fixture = AccountFixture::start().await;
    let (ada, _) = two_people();
    let id = fixture.enrol("Ada", ada).await;
    assert_response_snapshot!(fixture.add_face(&id, &another_photo(ada, 0)).await);
}

#[tokio::test]
async fn a_profile_has_ten_faces_of_one_person() {
    let fixture = AccountFixture::start().await;
    let (ada, bob) = two_people();
    let id = fixture.enrol("Ada", ada).await;
    let refused = fixture.add_face(&id, bob).await;
    let error = first_error(&refused);
    assert_eq!(
        (refused.status_and_code().as_str(), &error["property"]),
        ("422 FACE_REFUSED", &json!("face"))
    );
    assert!(error["measured"].as_f64().unwrap() > 0.5, "{error}");
    assert_eq!(
        (fixture.row_counts().await[0], fixture.picture_count().await),
        (1, 1),
        "the stranger's picture is not kept"
    );
    let (one, again) = same_person_twice();
    let person = fixture.enrol("Eve", one).await;
    created_id(&fixture.add_face(&person, again).await);
    assert_eq!(fixture.call("DELETE", &format!("/profiles/{person}"), None).await.status_and_code(), "204");
    for number in 0..9 {
        created_id(&fixture.add_face(&id, &another_photo(ada, number)).await);
    }
    let full = fixture.add_face(&id, &another_photo(ada, 9)).await;
    assert_eq!(full.status_and_code(), "400 INVALID_REQUEST");
    assert_eq!(first_error(&full)["measured"], json!(10.0));
    let seen = fixture.get(&format!("/profiles/{id}")).await;
    assert_eq!((seen["faces"].as_array().unwrap().len(), fixture.picture_count().await), (10, 10));
    assert_eq!(fixture.search_by_face(ada).await, std::slice::from_ref(&id), "a person is found once");

    let face = seen["faces"][0]["id"].as_str().unwrap();
    let path = format!("/profiles/{id}/faces/{face}");
    assert_eq!(fixture.call("DELETE", &path, None).await.status_and_code(), "204");
    assert_eq!(fixture.call("DELETE", &path, None).await.status_and_code(), "404 NOT_FOUND");
    assert_eq!((fixture.row_counts().await[..2].to_vec(), fixture.picture_count().await), (vec![9, 0], 9));
}
