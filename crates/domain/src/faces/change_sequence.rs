//! The numbers of an account's changes (`face_accounts.seq`), by which every process keeps its index up to date. The row that
//! has them is also the first that is locked, after the account's own, by whatever changes profiles, reviews what was found of
//! them or deletes it (docs/ARCHITECTURE.md, "In which order rows are locked").

use base::AccountId;
use db::{DbError, FromRow, ReadTx, WriteTx, sql};

#[derive(FromRow)]
struct SeqRow {
    seq: i64,
}

/// The number of a new change of an account's faces. The row stays locked until the transaction ends, so the changes of one
/// account follow each other, and whoever sees a number can see all changes before it.
pub(super) async fn next_seq(tx: &mut WriteTx, account: AccountId) -> Result<i64, DbError> {
    let row: Option<SeqRow> = tx
        .fetch_optional(sql!(
            "INSERT INTO face_accounts (account_id, seq) VALUES ($1, 1)
             ON CONFLICT (account_id) DO UPDATE SET seq = face_accounts.seq + 1 RETURNING seq",
            account,
        ))
        .await?;
    Ok(row.map_or(0, |row| row.seq))
}

/// Locks the row of [`next_seq`] until the transaction ends, without a change.
pub(super) async fn lock(tx: &mut WriteTx, account: AccountId) -> Result<(), DbError> {
    tx.execute(sql!(
        "INSERT INTO face_accounts (account_id, seq) VALUES ($1, 0)
         ON CONFLICT (account_id) DO UPDATE SET seq = face_accounts.seq",
        account,
    ))
    .await
    .map(drop)
}

/// The number of an account's last change; 0 before the first.
pub(super) async fn current_seq(view: &mut ReadTx, account: AccountId) -> Result<i64, DbError> {
    let row: Option<SeqRow> =
        view.fetch_optional(sql!("SELECT seq FROM face_accounts WHERE account_id = $1", account)).await?;
    Ok(row.map_or(0, |row| row.seq))
}
