//! Sessions of signed-in members: whose they are, and what they may do now.

use super::{Account, AuthenticationError, ConsoleScope, Member, Principal, PrincipalKind, Scope, principal};
use crate::{
    authentication::{
        CredentialHolder, SecondFactorPolicy, SignInMethod, has_second_factor,
        sessions::{ConsoleSessions, NewSession, SessionClient, SessionRecord},
    },
    tenancy::{Feature, limits::ApplicationLimits},
};
use base::{AccountId, AppId, MemberId, Secret, Timestamp};
use db::{DbError, FromRow, WriteTx, sql};

/// A session of a member that has just begun.
#[derive(Debug)]
pub struct MemberSession {
    /// The secret of the session, for the browser's cookie. It is known only now.
    pub session: Secret<String>,
    pub member: Member,
    pub account: Account,
    /// When the session ends at the latest, however much it is used.
    pub ends_at: Timestamp,
}

/// Begins sessions of members, and says whose they are.
#[derive(Clone, Debug)]
pub(super) struct MemberSessions {
    pub(super) sessions: ConsoleSessions,
    /// Who must have a second factor.
    pub(super) policy: SecondFactorPolicy,
}

impl MemberSessions {
    /// Begins a session, and commits the transaction in which its member has proved who they are.
    pub(super) async fn begin(
        &self,
        mut tx: WriteTx,
        account: Account,
        member: Member,
        method: SignInMethod,
        client: &SessionClient,
    ) -> Result<MemberSession, DbError> {
        let holder = CredentialHolder::member(account.id, member.id);
        let second_factor = matches!(method, SignInMethod::Passkey | SignInMethod::Oidc);
        let begun =
            self.sessions.begin(&mut tx, &NewSession { holder, method, second_factor, client }).await?;
        tx.commit().await?;
        Ok(MemberSession { session: begun.token, member, account, ends_at: begun.ends_at })
    }

    /// The member whose session this is, with the scopes that they have now. Refused while a second factor is missing: of
    /// whoever has one, and of whoever must have one.
    pub(super) async fn authenticate(&self, token: &str) -> Result<Principal, AuthenticationError> {
        let session = self.sessions.find(token).await?.ok_or(AuthenticationError::SessionExpired)?;
        let principal = self.principal(&session).await?;
        if !session.second_factor {
            let holder = session.holder();
            let mut view = self.sessions.db.read().await?;
            if self.policy.applies_to(holder) || has_second_factor(&mut view, holder).await? {
                return Err(AuthenticationError::SecondFactorRequired);
            }
        }
        Ok(principal)
    }

    /// The member whose session this is, whether or not they have presented a second factor.
    pub(super) async fn principal(&self, session: &SessionRecord) -> Result<Principal, AuthenticationError> {
        #[derive(FromRow)]
        struct MemberPrincipalRow {
            member_id: MemberId,
            account_id: AccountId,
            app_id: AppId,
            admin: bool,
            #[sqlx(json)]
            scopes: Vec<Scope>,
            #[sqlx(json)]
            console_scopes: Vec<ConsoleScope>,
            #[sqlx(json)]
            role_scopes: Vec<Scope>,
            #[sqlx(json)]
            role_console_scopes: Vec<ConsoleScope>,
            state: String,
            #[sqlx(json)]
            features: Vec<Feature>,
            org_status: Option<String>,
            #[sqlx(flatten)]
            limits: ApplicationLimits,
        }
        let holder = session.holder();
        let mut view = self.sessions.db.read().await?;
        let row: Option<MemberPrincipalRow> = view
            .fetch_optional(sql!(
                "SELECT m.id AS member_id, m.account_id, a.app_id, m.admin, m.scopes, m.console_scopes,
                        COALESCE(r.scopes, '[]') AS role_scopes,
                        COALESCE(r.console_scopes, '[]') AS role_console_scopes, p.state, p.features,
                        o.status AS org_status, p.calls_per_minute, p.burst, p.running_jobs, p.waiting_jobs,
                        p.live_streams, p.stored_bytes
                   FROM members m JOIN accounts a ON a.id = m.account_id JOIN applications p ON p.id = a.app_id
                   LEFT JOIN member_roles r ON r.id = m.role_id AND r.account_id = m.account_id
                   LEFT JOIN organisations o ON o.id = p.organisation_id
                  WHERE m.id = $1 AND m.account_id = $2 AND a.state = 'OPEN'",
                holder.id,
                holder.account,
            ))
            .await?;
        drop(view);
        let row = row.ok_or(AuthenticationError::SessionExpired)?;
        principal::require_application_served(&row.state, row.org_status.as_deref(), &row.features)?;
        let kind = PrincipalKind::Member { account: row.account_id, member: row.member_id };
        Ok(Principal {
            app: row.app_id,
            kind,
            scopes: [row.scopes, row.role_scopes].concat(),
            console_scopes: [row.console_scopes, row.role_console_scopes].concat(),
            admin: row.admin,
            limits: row.limits,
        })
    }
}
