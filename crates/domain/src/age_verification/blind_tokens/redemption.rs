//! Which tokens were redeemed. A token counts once.

use base::Timestamp;
use db::{DbError, WriteTx, sql};

/// Records that a token was redeemed, to be remembered until `until`. Returns `false` if it had been redeemed before.
pub(in crate::age_verification) async fn record_redemption(
    tx: &mut WriteTx,
    token: [u8; 32],
    until: Timestamp,
) -> Result<bool, DbError> {
    let rows = tx
        .execute(sql!(
            "INSERT INTO age_tokens_spent (id, forget_at) VALUES ($1, $2) ON CONFLICT DO NOTHING",
            token.to_vec(),
            until,
        ))
        .await?;
    Ok(rows == 1)
}
