//! What goes with an account.

use super::FaceIndexService;
use crate::accounts::deletion::{ExternalAccountData, ExternalDataError, OrphanedRows};
use base::AccountId;
use db::{DbError, ReadTx, WriteTx, sql};
use futures_util::future::BoxFuture;

/// Deletes rows of an account, at most 2,000 of each table: repeat it until every number is 0. Tables and how many rows.
///
/// Pictures are blobs of the account, and go with its prefix; indexes go by [`FaceIndexService::erase`](super::FaceIndexService::erase).
pub async fn delete_account_rows(
    tx: &mut WriteTx,
    account: AccountId,
) -> Result<Vec<(&'static str, u64)>, DbError> {
    let rounds = [
        (
            "group_profiles",
            sql!(
                "DELETE FROM group_profiles WHERE (group_id, profile_id) IN
                    (SELECT group_id, profile_id FROM group_profiles WHERE account_id = $1 LIMIT 2000)",
                account
            ),
        ),
        (
            "profile_groups",
            // A group takes its members along, so those go first.
            sql!(
                "DELETE FROM profile_groups WHERE id IN (SELECT g.id FROM profile_groups g WHERE g.account_id = $1
                    AND NOT EXISTS (SELECT 1 FROM group_profiles m WHERE m.group_id = g.id) LIMIT 2000)",
                account
            ),
        ),
        (
            "negative_labels",
            sql!(
                "DELETE FROM negative_labels WHERE id IN
                    (SELECT id FROM negative_labels WHERE account_id = $1 LIMIT 2000)",
                account
            ),
        ),
        (
            "faces",
            sql!(
                "DELETE FROM faces WHERE id IN (SELECT id FROM faces WHERE account_id = $1 LIMIT 2000)",
                account
            ),
        ),
        (
            "profiles",
            sql!(
                "DELETE FROM profiles WHERE id IN (SELECT p.id FROM profiles p WHERE p.account_id = $1
                    AND NOT EXISTS (SELECT 1 FROM faces f WHERE f.profile_id = p.id)
                    AND NOT EXISTS (SELECT 1 FROM negative_labels l WHERE l.profile_id = p.id)
                    AND NOT EXISTS (SELECT 1 FROM group_profiles m WHERE m.profile_id = p.id) LIMIT 2000)",
                account
            ),
        ),
        (
            "face_removals",
            sql!(
                "DELETE FROM face_removals WHERE (account_id, seq, face_id) IN
                    (SELECT account_id, seq, face_id FROM face_removals WHERE account_id = $1 LIMIT 2000)",
                account
            ),
        ),
        (
            "face_leavings",
            sql!(
                "DELETE FROM face_leavings WHERE face_id IN
                    (SELECT face_id FROM face_leavings WHERE account_id = $1 LIMIT 2000)",
                account
            ),
        ),
        ("face_accounts", sql!("DELETE FROM face_accounts WHERE account_id = $1", account)),
    ];
    let mut deleted = Vec::with_capacity(rounds.len());
    for (table, query) in rounds {
        deleted.push((table, tx.execute(query).await?));
    }
    Ok(deleted)
}

/// Rows whose account is gone, by table.
pub(crate) async fn orphaned_rows(
    view: &mut ReadTx,
) -> Result<Vec<(&'static str, Vec<OrphanedRows>)>, DbError> {
    let tables = [
        (
            "group_profiles",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM group_profiles
                  WHERE account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
        (
            "profile_groups",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM profile_groups
                  WHERE account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
        (
            "negative_labels",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM negative_labels
                  WHERE account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
        (
            "faces",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM faces
                  WHERE account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
        (
            "profiles",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM profiles
                  WHERE account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
        (
            "face_removals",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM face_removals
                  WHERE account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
        (
            "face_leavings",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM face_leavings
                  WHERE account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
        (
            "face_accounts",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM face_accounts
                  WHERE account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id"
            ),
        ),
    ];
    let mut found = Vec::with_capacity(tables.len());
    for (table, query) in tables {
        found.push((table, view.fetch_all(query).await?));
    }
    Ok(found)
}

/// The indexes of this machine, which lie beside the database.
impl ExternalAccountData for FaceIndexService {
    fn kind(&self) -> &'static str {
        "face_indexes"
    }

    fn count(&self, account: AccountId) -> BoxFuture<'_, Result<u64, ExternalDataError>> {
        Box::pin(async move { Ok(self.count_index_files(account).await?) })
    }

    fn erase(&self, account: AccountId) -> BoxFuture<'_, Result<(), ExternalDataError>> {
        Box::pin(async move {
            Self::erase_indexes(self, account).await?;
            Ok(())
        })
    }

    fn owners(&self) -> BoxFuture<'_, Result<Vec<String>, ExternalDataError>> {
        Box::pin(async move { Ok(self.index_folders().await?) })
    }
}
