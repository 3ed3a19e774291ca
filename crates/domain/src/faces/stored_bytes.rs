//! Pictures of faces count as stored bytes of the application for as long as the face's row is there.

use crate::{accounts, tenancy::limits};
use base::AccountId;
use db::{DbError, FromRow, Query, WriteTx};

#[derive(FromRow)]
struct DeletedFaceRow {
    image_bytes: i64,
}

/// Deletes faces of an account by a statement that returns their `image_bytes`, and counts their pictures no more; returns
/// how many faces there were.
pub(super) async fn delete_faces(
    tx: &mut WriteTx,
    account: AccountId,
    deletion: Query,
) -> Result<u64, DbError> {
    let deleted: Vec<DeletedFaceRow> = tx.fetch_all(deletion).await?;
    let bytes: i64 = deleted.iter().map(|face| face.image_bytes).sum();
    if bytes > 0
        && let Some(app) = accounts::application_of(tx, account).await?
    {
        limits::count_stored_bytes(tx, app, -bytes).await?;
    }
    Ok(deleted.len() as u64)
}
