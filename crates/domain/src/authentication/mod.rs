//! How people prove who they are in the console, whoever they are: members of accounts and operators alike.
//!
//! - this file: whose the credentials are, and by which methods they come in
//! - `email`, `secret_tokens`: addresses, and the secrets of links and sessions
//! - `sessions`: what a browser has from sign-in on
//! - `passkeys`, `passwords`, `totp`, `oidc`: credentials; `challenges` is what two requests of one sign-in share
//! - `attempts`: how often somebody may be wrong
//!
//! It does not know what anybody may do.

pub mod attempts;
mod challenges;
mod email;
pub mod oidc;
pub mod passkeys;
pub mod passwords;
mod secret_tokens;
pub mod sessions;
pub mod totp;

pub use challenges::SignInChallenges;
pub use email::{EmailAddress, InvalidEmailAddressError};
pub(crate) use secret_tokens::{console_link, generate_token, hash_token};

use crate::wire_enum::wire_enum;
use base::{AccountId, Environment, MemberId, OperatorId, SignedDuration, Uuid};
use db::{AuditEvent, Db, DbError, ReadTx, WriteTx, sql};
use serde::{Deserialize, Serialize};

/// Who has sessions and credentials.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CredentialHolder {
    /// The id of the member or of the operator.
    pub id: Uuid,
    /// The account of a member; `None` for an operator.
    pub account: Option<AccountId>,
}

impl CredentialHolder {
    /// A member of an account.
    pub fn member(account: AccountId, member: MemberId) -> Self {
        Self { id: member.into(), account: Some(account) }
    }

    /// An operator.
    pub fn operator(operator: OperatorId) -> Self {
        Self { id: operator.into(), account: None }
    }

    /// Whether they are an operator.
    pub fn is_operator(&self) -> bool {
        self.account.is_none()
    }

    /// Their name in the audit trail.
    pub fn audit_actor(&self) -> String {
        if self.is_operator() { format!("operator:{}", self.id) } else { format!("member:{}", self.id) }
    }

    /// An event about them.
    pub(crate) fn event(&self, kind: &'static str) -> AuditEvent {
        let event = AuditEvent::new(kind).target(self.id);
        match self.account {
            Some(account) => event.account(account),
            None => event,
        }
    }
}

wire_enum! {
    /// How somebody came in.
    pub enum SignInMethod {
        /// They accepted an invitation.
        Invitation => "invitation",
        /// By a link that was sent to their address, or handed over.
        MailLink => "mail-link",
        /// With a passkey.
        Passkey => "passkey",
        /// With a password, and a code if they have set that up.
        Password => "password",
        /// Through an identity provider.
        Oidc => "oidc",
    }
}

wire_enum! {
    /// Who must have a second factor (`console.mfa`). Whoever has one is asked for it, whatever this says.
    #[derive(Default)]
    pub enum SecondFactorPolicy {
        /// Nobody.
        Off => "off",
        /// Operators.
        #[default]
        Operators => "operators",
        /// Operators and members.
        Everybody => "everybody",
    }
}

impl SecondFactorPolicy {
    /// Whether the holder must have one.
    pub fn applies_to(self, holder: CredentialHolder) -> bool {
        match self {
            Self::Off => false,
            Self::Operators => holder.is_operator(),
            Self::Everybody => true,
        }
    }
}

/// What somebody has to sign in with, besides links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CredentialSummary {
    /// How many passkeys.
    pub passkeys: i64,
    pub has_password: bool,
    /// Whether codes were set up, and confirmed by a first one.
    pub has_totp: bool,
    /// Whether an identity provider knows them.
    pub has_oidc: bool,
}

impl CredentialSummary {
    /// Whether they have anything that counts as a second factor.
    pub fn has_second_factor(&self) -> bool {
        self.passkeys > 0 || self.has_totp
    }
}

/// What the holder has to sign in with.
pub async fn summarise_credentials(
    view: &mut ReadTx,
    holder: CredentialHolder,
) -> Result<CredentialSummary, DbError> {
    let passkeys = view.count(sql!("SELECT count(*) FROM passkeys WHERE holder_id = $1", holder.id)).await?;
    let passwords =
        view.count(sql!("SELECT count(*) FROM passwords WHERE holder_id = $1", holder.id)).await?;
    let secrets = view
        .count(sql!(
            "SELECT count(*) FROM totp_secrets WHERE holder_id = $1 AND confirmed_at IS NOT NULL",
            holder.id
        ))
        .await?;
    let subjects =
        view.count(sql!("SELECT count(*) FROM oidc_subjects WHERE holder_id = $1", holder.id)).await?;
    Ok(CredentialSummary {
        passkeys,
        has_password: passwords > 0,
        has_totp: secrets > 0,
        has_oidc: subjects > 0,
    })
}

/// Whether the holder has anything that counts as a second factor.
pub(crate) async fn has_second_factor(view: &mut ReadTx, holder: CredentialHolder) -> Result<bool, DbError> {
    let factors = view
        .count(sql!(
            "SELECT (SELECT count(*) FROM passkeys WHERE holder_id = $1)
                  + (SELECT count(*) FROM totp_secrets WHERE holder_id = $1 AND confirmed_at IS NOT NULL)",
            holder.id,
        ))
        .await?;
    Ok(factors > 0)
}

/// Deletes the credentials and sessions of somebody who is removed. In this order: whoever presents a credential locks it, and
/// then the session that it begins or raises.
pub(crate) async fn delete_all(tx: &mut WriteTx, holder: CredentialHolder) -> Result<(), DbError> {
    for query in [
        sql!("DELETE FROM passkeys WHERE holder_id = $1", holder.id),
        sql!("DELETE FROM passwords WHERE holder_id = $1", holder.id),
        sql!("DELETE FROM totp_secrets WHERE holder_id = $1", holder.id),
        sql!("DELETE FROM oidc_subjects WHERE holder_id = $1", holder.id),
        sql!("DELETE FROM console_sessions WHERE holder_id = $1", holder.id),
    ] {
        tx.execute(query).await?;
    }
    Ok(())
}

/// How long wrong passwords and codes are remembered after the last one.
const FAILURE_RETENTION: SignedDuration = SignedDuration::from_hours(24);

/// Deletes sessions that are over, challenges that nobody can answer any more and failures of a day ago, at most 5,000 of
/// each; returns how many.
pub(crate) async fn purge_expired(db: &Db, environment: &dyn Environment) -> Result<u64, DbError> {
    let (mut tx, now) = (db.write().await?, environment.now());
    let sessions = tx
        .execute(sql!(
            "DELETE FROM console_sessions WHERE id IN
                (SELECT id FROM console_sessions WHERE expires_at < $1 OR ends_at < $1 LIMIT 5000)",
            now,
        ))
        .await?;
    let challenges = tx
        .execute(sql!(
            "DELETE FROM used_sign_in_challenges WHERE id IN
                (SELECT id FROM used_sign_in_challenges WHERE expires_at < $1 LIMIT 5000)",
            now,
        ))
        .await?;
    let failures = tx
        .execute(sql!(
            "DELETE FROM sign_in_failures WHERE subject IN
                (SELECT subject FROM sign_in_failures WHERE failed_at < $1 LIMIT 5000)",
            now - FAILURE_RETENTION,
        ))
        .await?;
    tx.commit().await?;
    Ok(sessions + challenges + failures)
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::TestEnvironment;
    use db::testing::TestDb;

    /// On PostgreSQL, which would end one of two transactions that wait for each other.
    #[tokio::test]
    async fn somebody_is_removed_while_they_present_a_second_factor_and_neither_waits_for_the_other() {
        let test = TestDb::open().await;
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let (holder, now) = (CredentialHolder { id: env.uuid_v7(), account: None }, env.now());
        let mut tx = test.db.write().await.unwrap();
        for query in [
            sql!(
                "INSERT INTO totp_secrets (holder_id, sealed, created_at, confirmed_at, last_step)
                 VALUES ($1, $2, $3, $3, 0)",
                holder.id,
                vec![0_u8],
                now,
            ),
            sql!(
                "INSERT INTO console_sessions
                    (id, holder_id, hash, method, second_factor, created_at, last_used_at, expires_at, ends_at)
                 VALUES ($1, $1, $2, 'mail-link', FALSE, $3, $3, $3, $3)",
                holder.id,
                vec![0_u8],
                now,
            ),
        ] {
            tx.execute(query).await.unwrap();
        }
        tx.commit().await.unwrap();

        let mut presenting = test.db.write().await.unwrap();
        let code_used = sql!("UPDATE totp_secrets SET last_step = 1 WHERE holder_id = $1", holder.id);
        assert_eq!(presenting.execute(code_used).await.unwrap(), 1);
        let removing = async {
            let mut tx = test.db.write().await?;
            delete_all(&mut tx, holder).await?;
            tx.commit().await
        };
        let (removed, ()) = tokio::join!(removing, async {
            test.wait_until_blocked(1).await;
            let raised =
                sql!("UPDATE console_sessions SET second_factor = TRUE WHERE holder_id = $1", holder.id);
            assert_eq!(presenting.execute(raised).await.unwrap(), 1);
            presenting.commit().await.unwrap();
        });
        removed.unwrap();
        let mut view = test.db.read().await.unwrap();
        for query in
            [sql!("SELECT count(*) FROM totp_secrets"), sql!("SELECT count(*) FROM console_sessions")]
        {
            assert_eq!(view.count(query).await.unwrap(), 0);
        }
    }
}
