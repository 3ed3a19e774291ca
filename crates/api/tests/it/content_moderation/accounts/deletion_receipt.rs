//! `GET /accounts/{accountId}/deletion-receipt`

use crate::content_moderation::AccountFixture;

#[tokio::test]
async fn a_deletion_receipt_is_signed() {
    let fixture = AccountFixture::start().await;
    fixture.add_profile("Ada").await;
    fixture.call("DELETE", "", None).await;
    let receipt = fixture.call("GET", "/deletion-receipt", None).await;
    assert_response_snapshot!(
        receipt,
        "jws key.x key.kid receipt.requested_at receipt.completed_at receipt.scope"
    );
}
