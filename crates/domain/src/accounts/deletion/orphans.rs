//! The audit: data whose account, person or session no longer exists (`assay audit orphans`).

use super::{AccountDeletionError, AccountDeletionService, AccountTables, OrphanedRows, OrphanedTables};
use base::Uuid;
use db::{DbError, FromRow, ReadTx, sql};
use serde::Serialize;
use std::{collections::BTreeSet, sync::Arc};

/// Data that belongs to no account, application, organisation or document session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Orphan {
    /// The table, or the kind of data outside the database.
    pub place: &'static str,
    /// The id of the account that is gone, or whatever the data names as its owner.
    pub owner: String,
    /// How many rows there are; data outside the database is not counted.
    pub number: Option<i64>,
}

impl AccountDeletionService {
    /// What is left of accounts, people and sessions that are gone: nothing, if all is well. An account whose deletion has
    /// not ended counts.
    pub async fn find_orphans(&self) -> Result<Vec<Orphan>, AccountDeletionError> {
        let mut view = self.db.read().await?;
        let rows = orphaned_rows(&mut view, &self.tables).await?;
        let known: BTreeSet<String> =
            known_owners(&mut view).await?.into_iter().map(|id| id.to_string()).collect();
        drop(view);
        let orphan = |(place, rows): (_, Vec<OrphanedRows>)| {
            rows.into_iter().map(move |OrphanedRows { owner, number }| Orphan {
                place,
                owner: owner.to_string(),
                number: Some(number),
            })
        };
        let mut found: Vec<_> = rows.into_iter().flat_map(orphan).collect();
        for data in &*self.external {
            let place = data.kind();
            let owners =
                data.owners().await.map_err(|cause| AccountDeletionError::External { kind: place, cause })?;
            let unknown = owners.into_iter().filter(|owner| !known.contains(owner));
            found.extend(unknown.map(|owner| Orphan { place, owner, number: None }));
            let leftovers = data
                .leftovers()
                .await
                .map_err(|cause| AccountDeletionError::External { kind: place, cause })?;
            found.extend(leftovers.into_iter().map(|(account, items)| Orphan {
                place,
                owner: account.to_string(),
                number: i64::try_from(items).ok(),
            }));
        }
        Ok(found)
    }
}

/// Orphaned rows of every registered table, and the accounts whose deletion has not ended.
async fn orphaned_rows(
    view: &mut ReadTx,
    tables: &[Arc<dyn AccountTables>],
) -> Result<OrphanedTables, DbError> {
    let mut found = Vec::new();
    for tables in tables {
        found.extend(tables.orphaned_rows(view).await?);
    }
    for (place, query) in [
        (
            "erasure_keys",
            sql!(
                "SELECT owner_id AS owner, CAST(1 AS BIGINT) AS number FROM erasure_keys
                  WHERE owner_id NOT IN (SELECT id FROM identity_sessions UNION SELECT id FROM age_sessions
                                         UNION SELECT id FROM profiles WHERE active
                                         UNION SELECT id FROM moderations
                                         UNION SELECT id FROM content_uploads
                                         UNION SELECT id FROM fraud_list_entries
                                         UNION SELECT id FROM document_traces)
                  ORDER BY owner_id"
            ),
        ),
        (
            "delivery_subjects",
            sql!(
                "SELECT subject_id AS owner, count(*) AS number FROM delivery_subjects
                  WHERE subject_id NOT IN (SELECT id FROM identity_sessions UNION SELECT id FROM age_sessions
                                           UNION SELECT id FROM profiles WHERE active
                                           UNION SELECT id FROM moderations)
                  GROUP BY subject_id"
            ),
        ),
        (
            "moderations",
            // The text of one moderation with the id of a profile that was deleted; only profiles of its account are named.
            sql!(
                sqlite: "SELECT p.id AS owner, count(*) AS number FROM profiles p
                           JOIN moderations m ON m.account_id = p.account_id
                            AND instr(m.wanted, lower(substr(hex(p.id), 1, 8) || '-' || substr(hex(p.id), 9, 4) || '-'
                                || substr(hex(p.id), 13, 4) || '-' || substr(hex(p.id), 17, 4) || '-' || substr(hex(p.id), 21))) > 0
                          WHERE NOT p.active GROUP BY p.id",
                postgres: "SELECT p.id AS owner, count(*) AS number FROM profiles p
                             JOIN moderations m ON m.account_id = p.account_id
                              AND strpos(CAST(m.wanted AS TEXT), CAST(p.id AS TEXT)) > 0
                            WHERE NOT p.active GROUP BY p.id"
            ),
        ),
        (
            "contents",
            // An application's own id may be that of another account's profile.
            sql!(
                "SELECT p.id AS owner, count(*) AS number FROM profiles p
                   JOIN contents c ON c.account_id = p.account_id AND c.uploader_id = p.id
                  WHERE NOT p.active GROUP BY p.id"
            ),
        ),
        (
            "content_uploads",
            sql!(
                "SELECT content_id AS owner, count(*) AS number FROM content_uploads
                  WHERE content_id IS NOT NULL AND content_id NOT IN (SELECT id FROM contents) GROUP BY content_id"
            ),
        ),
        (
            "findings",
            sql!(
                "SELECT profile_id AS owner, count(*) AS number FROM findings
                  WHERE profile_id IS NOT NULL AND profile_id NOT IN (SELECT id FROM profiles WHERE active) GROUP BY profile_id"
            ),
        ),
        (
            "notifications",
            sql!(
                "SELECT profile_id AS owner, count(*) AS number FROM notifications
                  WHERE profile_id IS NOT NULL AND profile_id NOT IN (SELECT id FROM profiles WHERE active) GROUP BY profile_id"
            ),
        ),
    ] {
        found.push((place, view.fetch_all(query).await?));
    }
    let closing: Vec<OrphanedRows> = view
        .fetch_all(sql!(
            "SELECT id AS owner, CAST(1 AS BIGINT) AS number FROM accounts WHERE state <> 'OPEN' ORDER BY id"
        ))
        .await?;
    found.push(("accounts", closing));
    Ok(found)
}

/// Everyone who may own data outside the database.
async fn known_owners(view: &mut ReadTx) -> Result<Vec<Uuid>, DbError> {
    #[derive(FromRow)]
    struct OwnerRow {
        id: Uuid,
    }
    let owners: Vec<OwnerRow> = view
        .fetch_all(sql!(
            "SELECT id FROM accounts UNION SELECT id FROM applications UNION SELECT id FROM organisations
             UNION SELECT id FROM identity_sessions"
        ))
        .await?;
    Ok(owners.into_iter().map(|owner| owner.id).collect())
}
