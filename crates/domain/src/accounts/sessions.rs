//! Sessions of signed-in members.

use super::{
    Account, AuthenticationError, ConsoleScope, Member, Principal, PrincipalKind, Scope, principal,
    secret_tokens::{generate_token, hash_token},
};
use crate::tenancy::{Feature, limits::ApplicationLimits};
use base::{AccountId, AppId, Environment, MemberId, Secret, SignedDuration, Timestamp};
use db::{AuditEvent, Db, DbError, Durability, FromRow, WriteTx, sql};
use std::sync::Arc;

/// A session's end is put off at most this often, so that not every request writes to the database.
const SESSION_EXTENSION_INTERVAL: SignedDuration = SignedDuration::from_mins(10);

/// A session that has just begun.
#[derive(Debug)]
pub struct MemberSession {
    /// The secret of the session, for the browser's cookie. It is known only now.
    pub session: Secret<String>,
    pub member: Member,
    pub account: Account,
    /// When the session ends at the latest, however much it is used.
    pub ends_at: Timestamp,
}

/// Begins, checks and ends sessions.
#[derive(Clone, Debug)]
pub(super) struct MemberSessions {
    pub(super) db: Db,
    pub(super) environment: Arc<dyn Environment>,
    /// How long a session lasts that is not used.
    pub(super) idle_timeout: SignedDuration,
    /// How long a session lasts at most.
    pub(super) ttl: SignedDuration,
}

impl MemberSessions {
    /// Begins a session, and commits the transaction in which its member has proved who they are.
    pub(super) async fn begin(
        &self,
        mut tx: WriteTx,
        account: Account,
        member: Member,
    ) -> Result<MemberSession, DbError> {
        let (session, now) = (generate_token(&*self.environment), self.environment.now());
        let ends_at = now + self.ttl;
        tx.execute(sql!(
            "INSERT INTO member_sessions (id, account_id, member_id, hash, created_at, expires_at, ends_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            self.environment.uuid_v7(),
            account.id,
            member.id,
            hash_token(session.expose()),
            now,
            now + self.idle_timeout,
            ends_at,
        ))
        .await?;
        tx.set_actor(format!("member:{}", member.id));
        tx.audit(AuditEvent::new("member-session.begin").account(account.id).target(member.id));
        tx.commit().await?;
        Ok(MemberSession { session, member, account, ends_at })
    }

    /// The member whose session this is, with the scopes that they have now.
    pub(super) async fn authenticate(&self, session: &str) -> Result<Principal, AuthenticationError> {
        #[derive(FromRow)]
        struct MemberSessionRow {
            member_id: MemberId,
            account_id: AccountId,
            app_id: AppId,
            admin: bool,
            #[sqlx(json)]
            scopes: Vec<Scope>,
            #[sqlx(json)]
            console_scopes: Vec<ConsoleScope>,
            state: String,
            #[sqlx(json)]
            features: Vec<Feature>,
            org_status: Option<String>,
            #[sqlx(flatten)]
            limits: ApplicationLimits,
            #[sqlx(try_from = "db::DbTimestamp")]
            expires_at: Timestamp,
        }
        let mut view = self.db.read().await?;
        let row: Option<MemberSessionRow> = view
            .fetch_optional(sql!(
                "SELECT m.id AS member_id, m.account_id, a.app_id, m.admin, m.scopes, m.console_scopes, p.state, p.features,
                        o.status AS org_status, s.expires_at, p.calls_per_minute, p.burst, p.running_jobs,
                        p.waiting_jobs, p.live_streams, p.stored_bytes
                   FROM member_sessions s JOIN members m ON m.id = s.member_id
                   JOIN accounts a ON a.id = m.account_id JOIN applications p ON p.id = a.app_id
                   LEFT JOIN organisations o ON o.id = p.organisation_id
                  WHERE s.hash = $1 AND s.expires_at > $2 AND s.ends_at > $2 AND a.state = 'OPEN'",
                hash_token(session),
                self.environment.now(),
            ))
            .await?;
        drop(view);
        let row = row.ok_or(AuthenticationError::SessionExpired)?;
        principal::require_application_served(&row.state, row.org_status.as_deref(), &row.features)?;
        if row.expires_at.duration_since(self.environment.now())
            < self.idle_timeout - SESSION_EXTENSION_INTERVAL
        {
            self.extend(session).await?;
        }
        let kind = PrincipalKind::Member { account: row.account_id, member: row.member_id };
        Ok(Principal {
            app: row.app_id,
            kind,
            scopes: row.scopes,
            console_scopes: row.console_scopes,
            admin: row.admin,
            limits: row.limits,
        })
    }

    /// Ends a session; nothing happens if there is none.
    pub(super) async fn end(&self, session: &str) -> Result<(), DbError> {
        #[derive(FromRow)]
        struct EndedSessionRow {
            account_id: AccountId,
            member_id: MemberId,
        }
        // Strangers who guess must not hold the one writer that SQLite has.
        let mut view = self.db.read().await?;
        let known =
            view.count(sql!("SELECT count(*) FROM member_sessions WHERE hash = $1", hash_token(session)));
        if known.await? == 0 {
            return Ok(());
        }
        drop(view);
        let mut tx = self.db.write().await?;
        let ended: Option<EndedSessionRow> = tx
            .fetch_optional(sql!(
                "DELETE FROM member_sessions WHERE hash = $1 RETURNING account_id, member_id",
                hash_token(session)
            ))
            .await?;
        if let Some(EndedSessionRow { account_id, member_id }) = ended {
            tx.set_actor(format!("member:{member_id}"));
            tx.audit(AuditEvent::new("member-session.end").account(account_id).target(member_id));
        }
        tx.commit().await
    }

    /// Puts off the end of a session, because it is used.
    async fn extend(&self, session: &str) -> Result<(), DbError> {
        let mut tx = self.db.write_with_durability(Durability::Process).await?;
        tx.execute(sql!(
            "UPDATE member_sessions SET expires_at = $2 WHERE hash = $1",
            hash_token(session),
            self.environment.now() + self.idle_timeout,
        ))
        .await?;
        tx.commit().await
    }
}
