//! The tables of an account's members: who they are, how they were invited, and what they sign in with.

use super::{AccountTables, DeletedRows, OrphanedTables};
use base::AccountId;
use db::{DbError, ReadTx, WriteTx, sql};
use futures_util::future::BoxFuture;

/// Members of accounts, with their invitations, sign-in links, sessions and credentials.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MemberTables;

impl AccountTables for MemberTables {
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

async fn delete_rows(tx: &mut WriteTx, account: AccountId) -> Result<DeletedRows, DbError> {
    let passkeys = tx
        .execute(sql!(
            "DELETE FROM passkeys WHERE id IN (SELECT id FROM passkeys WHERE account_id = $1 LIMIT 5000)",
            account,
        ))
        .await?;
    let passwords = tx
        .execute(sql!(
            "DELETE FROM passwords WHERE holder_id IN (SELECT holder_id FROM passwords WHERE account_id = $1 LIMIT 5000)",
            account,
        ))
        .await?;
    let totp_secrets = tx
        .execute(sql!(
            "DELETE FROM totp_secrets WHERE holder_id IN (SELECT holder_id FROM totp_secrets WHERE account_id = $1 LIMIT 5000)",
            account,
        ))
        .await?;
    let oidc_subjects = tx
        .execute(sql!(
            "DELETE FROM oidc_subjects WHERE holder_id IN (SELECT holder_id FROM oidc_subjects WHERE account_id = $1 LIMIT 5000)",
            account,
        ))
        .await?;
    // After the credentials, as where a member is removed.
    let console_sessions = tx
        .execute(sql!(
            "DELETE FROM console_sessions WHERE id IN (SELECT id FROM console_sessions WHERE account_id = $1 LIMIT 5000)",
            account,
        ))
        .await?;
    let sign_in_links = tx
        .execute(sql!(
            "DELETE FROM sign_in_links WHERE id IN (SELECT id FROM sign_in_links WHERE account_id = $1 LIMIT 5000)",
            account,
        ))
        .await?;
    let invitations = tx
        .execute(sql!(
            "DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE account_id = $1 LIMIT 5000)",
            account,
        ))
        .await?;
    let members = tx
        .execute(sql!(
            "DELETE FROM members WHERE id IN (SELECT id FROM members WHERE account_id = $1 LIMIT 5000)",
            account,
        ))
        .await?;
    let member_roles = tx
        .execute(sql!(
            "DELETE FROM member_roles WHERE id IN (SELECT r.id FROM member_roles r WHERE r.account_id = $1
                AND NOT EXISTS (SELECT 1 FROM members m WHERE m.role_id = r.id) LIMIT 5000)",
            account,
        ))
        .await?;
    Ok(vec![
        ("console_sessions", console_sessions),
        ("passkeys", passkeys),
        ("passwords", passwords),
        ("totp_secrets", totp_secrets),
        ("oidc_subjects", oidc_subjects),
        ("sign_in_links", sign_in_links),
        ("invitations", invitations),
        ("members", members),
        ("member_roles", member_roles),
    ])
}

async fn orphaned_rows(view: &mut ReadTx) -> Result<OrphanedTables, DbError> {
    let console_sessions = view
        .fetch_all(sql!(
            "SELECT account_id AS owner, count(*) AS number FROM console_sessions
              WHERE account_id IS NOT NULL AND account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id",
        ))
        .await?;
    let passkeys = view
        .fetch_all(sql!(
            "SELECT account_id AS owner, count(*) AS number FROM passkeys
              WHERE account_id IS NOT NULL AND account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id",
        ))
        .await?;
    let passwords = view
        .fetch_all(sql!(
            "SELECT account_id AS owner, count(*) AS number FROM passwords
              WHERE account_id IS NOT NULL AND account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id",
        ))
        .await?;
    let totp_secrets = view
        .fetch_all(sql!(
            "SELECT account_id AS owner, count(*) AS number FROM totp_secrets
              WHERE account_id IS NOT NULL AND account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id",
        ))
        .await?;
    let oidc_subjects = view
        .fetch_all(sql!(
            "SELECT account_id AS owner, count(*) AS number FROM oidc_subjects
              WHERE account_id IS NOT NULL AND account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id",
        ))
        .await?;
    let sign_in_links = view
        .fetch_all(sql!(
            "SELECT account_id AS owner, count(*) AS number FROM sign_in_links
              WHERE account_id IS NOT NULL AND account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id",
        ))
        .await?;
    let invitations = view
        .fetch_all(sql!(
            "SELECT account_id AS owner, count(*) AS number FROM invitations
              WHERE account_id IS NOT NULL AND account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id",
        ))
        .await?;
    let members = view
        .fetch_all(sql!(
            "SELECT account_id AS owner, count(*) AS number FROM members
              WHERE account_id IS NOT NULL AND account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id",
        ))
        .await?;
    let member_roles = view
        .fetch_all(sql!(
            "SELECT account_id AS owner, count(*) AS number FROM member_roles
              WHERE account_id IS NOT NULL AND account_id NOT IN (SELECT id FROM accounts) GROUP BY account_id",
        ))
        .await?;
    Ok(vec![
        ("console_sessions", console_sessions),
        ("passkeys", passkeys),
        ("passwords", passwords),
        ("totp_secrets", totp_secrets),
        ("oidc_subjects", oidc_subjects),
        ("sign_in_links", sign_in_links),
        ("invitations", invitations),
        ("members", members),
        ("member_roles", member_roles),
    ])
}
