//! `DELETE /accounts/{accountId}/profiles/{profileId}/faces/{faceId}`

use crate::{
    content_moderation::{AccountFixture, two_people},
    erasure::{assert_erased_from_files, stored_needle},
};
use db::sql;

#[tokio::test]
async fn a_face_is_deleted() {
    let fixture = AccountFixture::start().await;
    let id = fixture.enrol("Ada", two_people().0).await;
    let face = fixture.get(&format!("/profiles/{id}")).await["faces"][0]["id"].as_str().unwrap().to_owned();
    let embedding = stored_needle(&fixture.app, sql!("SELECT embedding AS bytes FROM faces")).await;
    let path = format!("/profiles/{id}/faces/{face}");
    let deleted =
        assert_erased_from_files(&fixture.app, &embedding, fixture.call("DELETE", &path, None)).await;
    assert_response_snapshot!(deleted);
}
