//! The tables and index files of faces, for the deletion of accounts. Pictures are blobs of the account, and are deleted as
//! such.

use super::{FaceIndexService, stored_bytes};
use crate::accounts::deletion::{
    AccountTables, DeletedRows, ExternalAccountData, ExternalDataError, OrphanedTables,
};
use base::AccountId;
use db::{DbError, ReadTx, WriteTx, sql};
use futures_util::future::BoxFuture;

/// Profiles, their groups, faces and negative labels, and what keeps indexes and pictures in step with them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FaceTables;

impl AccountTables for FaceTables {
    fn delete_rows<'a>(
        &'a self,
        tx: &'a mut WriteTx,
        account: AccountId,
    ) -> BoxFuture<'a, Result<DeletedRows, DbError>> {
        Box::pin(delete_rows(tx, account))
    }

    fn orphaned_rows<'a>(&'a self, view: &'a mut ReadTx) -> BoxFuture<'a, Result<OrphanedTables, DbError>> {
        Box::pin(orphaned_rows(view))
    }
}

/// Deletes at most 2,000 rows of each table.
async fn delete_rows(tx: &mut WriteTx, account: AccountId) -> Result<DeletedRows, DbError> {
    let rounds = [
        (
            "erasure_keys",
            sql!(
                "DELETE FROM erasure_keys WHERE owner_id IN
                    (SELECT k.owner_id FROM erasure_keys k JOIN profiles p ON p.id = k.owner_id
                      WHERE p.account_id = $1 LIMIT 2000)",
                account
            ),
        ),
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
            // Deleting a group deletes its members as well, so groups that have any are left for a later round: every row
            // is counted.
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
                "DELETE FROM faces WHERE id IN (SELECT id FROM faces WHERE account_id = $1 LIMIT 2000)
                 RETURNING image_bytes",
                account
            ),
        ),
        (
            "profiles",
            sql!(
                "DELETE FROM profiles WHERE id IN (SELECT p.id FROM profiles p WHERE p.account_id = $1
                    AND NOT EXISTS (SELECT 1 FROM erasure_keys k WHERE k.owner_id = p.id)
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
            "negative_label_removals",
            sql!(
                "DELETE FROM negative_label_removals WHERE (account_id, seq, label_id) IN
                    (SELECT account_id, seq, label_id FROM negative_label_removals WHERE account_id = $1 LIMIT 2000)",
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
        let rows = match table {
            "faces" => stored_bytes::delete_faces(tx, account, query).await?,
            _ => tx.execute(query).await?,
        };
        deleted.push((table, rows));
    }
    Ok(deleted)
}

async fn orphaned_rows(view: &mut ReadTx) -> Result<OrphanedTables, DbError> {
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
            "negative_label_removals",
            sql!(
                "SELECT account_id AS owner, count(*) AS number FROM negative_label_removals
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

/// The index files of this machine.
impl ExternalAccountData for FaceIndexService {
    fn kind(&self) -> &'static str {
        "face_indexes"
    }

    fn count(&self, account: AccountId) -> BoxFuture<'_, Result<u64, ExternalDataError>> {
        Box::pin(async move { Ok(self.indexes().count_files(account).await?) })
    }

    fn erase(&self, account: AccountId) -> BoxFuture<'_, Result<(), ExternalDataError>> {
        Box::pin(async move {
            self.indexes().erase(account).await?;
            Ok(())
        })
    }

    fn owners(&self) -> BoxFuture<'_, Result<Vec<String>, ExternalDataError>> {
        Box::pin(async move { Ok(self.indexes().folders().await?) })
    }

    fn leftovers(&self) -> BoxFuture<'_, Result<Vec<(AccountId, u64)>, ExternalDataError>> {
        Box::pin(async move { Ok(self.indexes().count_removed_faces().await?) })
    }
}
