//! The order in which the deletion of an account empties the tables of all subjects.

use crate::{
    accounts::deletion::{AccountTables, MemberTables, PendingWorkTables},
    cases::CaseTables,
    content_moderation::ModerationTables,
    faces::FaceTables,
};
use std::sync::Arc;

/// Every subject with tables that hold rows of accounts. A subject whose rows refer to another's comes before it. For
/// [`AccountDeletionService::new`](crate::accounts::deletion::AccountDeletionService::new).
pub fn account_tables() -> [Arc<dyn AccountTables>; 5] {
    [
        Arc::new(PendingWorkTables),
        Arc::new(CaseTables),
        Arc::new(ModerationTables),
        Arc::new(FaceTables),
        Arc::new(MemberTables),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{AccountId, Uuid};
    use db::{FromRow, sql, testing::TestDb};

    /// A table that is added to the schema and holds something of accounts must be deleted from and audited by the
    /// [`AccountTables`] of its subject.
    #[tokio::test]
    async fn every_table_that_knows_accounts_is_emptied_and_audited() {
        #[derive(FromRow)]
        struct Table {
            place: String,
        }
        let test = TestDb::open().await;
        let mut tx = test.db.write().await.unwrap();
        let tables: Vec<Table> = tx
            .fetch_all(sql!(
                sqlite: "SELECT DISTINCT m.name AS place FROM sqlite_master m JOIN pragma_table_info(m.name) c ON 1 = 1
                          WHERE m.type = 'table' AND c.name IN ('account_id', 'member_id', 'profile_id', 'content_id',
                                'moderation_id', 'notification_id', 'group_id', 'face_id', 'finding_id')
                          ORDER BY m.name",
                postgres: "SELECT DISTINCT CAST(table_name AS TEXT) AS place FROM information_schema.columns
                            WHERE table_schema = current_schema()
                              AND column_name IN ('account_id', 'member_id', 'profile_id', 'content_id',
                                'moderation_id', 'notification_id', 'group_id', 'face_id', 'finding_id')
                            ORDER BY place",
            ))
            .await
            .unwrap();
        let mut known: Vec<_> = tables.into_iter().map(|table| table.place).collect();
        // Receipts are kept on purpose.
        known.retain(|table| table != "deletion_receipts");
        let account: AccountId = Uuid::nil().into();
        let (mut emptied, mut audited) = (Vec::new(), Vec::new());
        for tables in account_tables() {
            let deleted = tables.delete_rows(&mut tx, account).await.unwrap();
            emptied.extend(deleted.into_iter().map(|(table, _)| table));
            let orphaned = tables.orphaned_rows(&mut tx).await.unwrap();
            audited.extend(orphaned.into_iter().map(|(table, _)| table));
        }
        emptied.sort_unstable();
        // It names owners of several kinds: each subject deletes the keys of its own, and the audit has a query of its own.
        emptied.retain(|table| *table != "erasure_keys");
        audited.sort_unstable();
        known.sort_unstable();
        assert_eq!(emptied, known, "a table is not emptied when an account is deleted");
        assert_eq!(audited, known, "a table is not looked into by `assay audit orphans`");
    }
}
