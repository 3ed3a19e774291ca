//! Invitations: how people become members of an account. The link works once and signs the new member in. It works as long as
//! whoever sent it could still send it.

use super::{
    Account, ConsoleScope, EmailAddress, Member, Principal, Scope, lock_and_load, lock_exclusive, members,
    principal,
};
use crate::{
    authentication::{console_link, generate_token, hash_token},
    erasure_keys,
    mail::{EmailMessage, MailConfigError, Mailer},
};
use base::{
    AccountId, Environment, Id as _, InvitationId, MemberId, Secret, SignedDuration, Timestamp, Uuid,
};
use db::{AuditEvent, DbError, FromRow, ReadTx, WriteTx, sql};
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
};

/// How many members and open invitations an account may have, together.
pub const MAX_MEMBERS_AND_INVITATIONS: i64 = 1000;
/// The longest name of a member, in characters.
pub const MAX_USERNAME_CHARS: usize = 100;

/// An invitation that has not been accepted yet.
#[derive(Clone, Debug, FromRow)]
pub struct Invitation {
    pub id: InvitationId,
    /// The address it was sent to.
    pub email: String,
    /// The name the new member will have.
    pub username: String,
    /// Whether they will be an administrator.
    pub admin: bool,
    /// Until when it can be accepted.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub expires_at: Timestamp,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

/// Somebody to invite.
#[derive(Clone, Debug)]
pub struct Invitee {
    pub email: EmailAddress,
    /// The name they will have; by default the part of the address before the `@`.
    pub username: Option<String>,
    /// Whether they will be an administrator.
    pub admin: bool,
    pub scopes: Vec<Scope>,
}

/// An invitation that has just been made.
#[derive(Debug)]
pub struct IssuedInvitation {
    pub id: InvitationId,
    /// The link that accepts it, once. It is known only now.
    pub link: Secret<String>,
    /// Until when it can be accepted.
    pub expires_at: Timestamp,
    /// Whether a mail with the link was queued.
    pub mailed: bool,
}

/// Why nobody was invited.
#[derive(Debug, thiserror::Error)]
pub enum InvitationError {
    /// The account does not exist, or is being deleted.
    #[error("there is no such account")]
    NoAccount,
    /// The caller gives a scope that they do not have.
    #[error("only somebody who has the scope {0} may give it")]
    ScopeNotHeld(Scope),
    /// The address is that of a member.
    #[error("the account has a member with that address")]
    Member,
    /// The username is empty or too long, or has control characters.
    #[error("a username has 1 to {MAX_USERNAME_CHARS} characters and no control characters")]
    Username,
    /// The account has as many members and invitations as it may have.
    #[error("an account has at most {MAX_MEMBERS_AND_INVITATIONS} members and open invitations")]
    TooMany,
    /// This server cannot send mail, so the link would not arrive.
    #[error(transparent)]
    Mail(#[from] MailConfigError),
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// What somebody who sent an invitation may do now.
#[derive(Clone, Debug)]
struct InviterRights {
    admin: bool,
    scopes: Vec<Scope>,
}

impl InviterRights {
    /// Whether they could send an invitation with these rights.
    fn may_invite(&self, admin: bool, scopes: &[Scope]) -> bool {
        let has = |scope: &Scope| self.admin || self.scopes.contains(scope);
        has(&Scope::MembersManage) && (self.admin || !admin) && scopes.iter().all(has)
    }
}

/// Makes, lists, revokes and accepts invitations.
#[derive(Clone, Debug)]
pub(super) struct Invitations {
    pub(super) environment: Arc<dyn Environment>,
    pub(super) mail: Mailer,
    /// Where the console is reached, without a trailing slash.
    pub(super) public_url: String,
    /// How long an invitation can be accepted.
    pub(super) ttl: SignedDuration,
}

impl Invitations {
    pub(super) async fn invite(
        &self,
        tx: &mut WriteTx,
        inviter: &Principal,
        account: &Account,
        invitee: &Invitee,
    ) -> Result<InvitationId, InvitationError> {
        if let Some(scope) = inviter.lacks_one_of(&invitee.scopes) {
            return Err(InvitationError::ScopeNotHeld(scope));
        }
        self.mail.ensure_configured()?;
        Ok(self.issue(tx, Some(inviter.id()), account, invitee).await?.id)
    }

    pub(super) async fn invite_with_link(
        &self,
        tx: &mut WriteTx,
        account: &Account,
        invitee: &Invitee,
    ) -> Result<IssuedInvitation, InvitationError> {
        self.issue(tx, None, account, invitee).await
    }

    /// `invited_by` is a member or an API key; `None`: somebody with a shell on the server.
    async fn issue(
        &self,
        tx: &mut WriteTx,
        invited_by: Option<Uuid>,
        account: &Account,
        invitee: &Invitee,
    ) -> Result<IssuedInvitation, InvitationError> {
        let username = invitee.username.as_deref().unwrap_or_else(|| invitee.email.local_part()).trim();
        let length = username.chars().count();
        if !(1..=MAX_USERNAME_CHARS).contains(&length) || username.contains(char::is_control) {
            return Err(InvitationError::Username);
        }
        if !lock_exclusive(tx, account.id).await? {
            return Err(InvitationError::NoAccount);
        }
        let address = invitee.email.normalised();
        let members = tx
            .count(sql!(
                "SELECT count(*) FROM members WHERE account_id = $1 AND address = $2",
                account.id,
                address
            ))
            .await?;
        if members > 0 {
            return Err(InvitationError::Member);
        }
        tx.execute(sql!(
            "DELETE FROM invitations WHERE account_id = $1 AND (address = $2 OR expires_at <= $3)",
            account.id,
            address,
            self.environment.now(),
        ))
        .await?;
        let count = tx
            .count(sql!(
                "SELECT (SELECT count(*) FROM members WHERE account_id = $1)
                      + (SELECT count(*) FROM invitations WHERE account_id = $1)",
                account.id,
            ))
            .await?;
        if count >= MAX_MEMBERS_AND_INVITATIONS {
            return Err(InvitationError::TooMany);
        }
        let (id, now) = (InvitationId::new(&*self.environment), self.environment.now());
        let (token, expires_at) = (generate_token(&*self.environment), now + self.ttl);
        tx.execute(sql!(
            "INSERT INTO invitations
                (id, account_id, email, address, username, admin, scopes, hash, created_at, expires_at, invited_by)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
            id,
            account.id,
            invitee.email.as_str(),
            address,
            username,
            invitee.admin,
            members::scopes_json(&invitee.scopes),
            hash_token(token.expose()),
            now,
            expires_at,
            invited_by,
        ))
        .await?;
        let event = AuditEvent::new("invitation.create").account(account.id).target(id);
        let scopes = members::scopes_json(&invitee.scopes);
        tx.audit(event.detail("admin", invitee.admin).detail("scopes", scopes));
        let link = console_link(&self.public_url, "invite", &token);
        let mailed = self.mail.ensure_configured().is_ok();
        if mailed {
            let message = EmailMessage::invitation(invitee.email.as_str(), &account.name, &link, expires_at);
            self.mail.enqueue(tx, Some(account.id), &message, expires_at).await?;
        }
        Ok(IssuedInvitation { id, link, expires_at, mailed })
    }

    pub(super) async fn list(
        &self,
        view: &mut ReadTx,
        account: AccountId,
    ) -> Result<Vec<Invitation>, DbError> {
        #[derive(FromRow)]
        struct SentInvitationRow {
            #[sqlx(flatten)]
            invitation: Invitation,
            #[sqlx(json)]
            scopes: Vec<Scope>,
            invited_by: Option<Uuid>,
        }
        let rows: Vec<SentInvitationRow> = view
            .fetch_all(sql!(
                "SELECT id, email, username, admin, scopes, invited_by, expires_at, created_at FROM invitations
                  WHERE account_id = $1 AND expires_at > $2 ORDER BY created_at DESC, id DESC",
                account,
                self.environment.now(),
            ))
            .await?;
        let mut inviters: HashMap<Uuid, Option<InviterRights>> = HashMap::new();
        let mut open = Vec::with_capacity(rows.len());
        for SentInvitationRow { invitation, scopes, invited_by } in rows {
            let stands = match invited_by {
                None => true,
                Some(inviter) => {
                    let rights = match inviters.entry(inviter) {
                        Entry::Occupied(known) => known.into_mut(),
                        Entry::Vacant(new) => new.insert(self.find_inviter(view, account, inviter).await?),
                    };
                    rights.as_ref().is_some_and(|rights| rights.may_invite(invitation.admin, &scopes))
                }
            };
            if stands {
                open.push(invitation);
            }
        }
        Ok(open)
    }

    /// What whoever sent an invitation may do in the account now; `None` if they are no member any more, or the key does not
    /// work any more.
    async fn find_inviter(
        &self,
        view: &mut ReadTx,
        account: AccountId,
        inviter: Uuid,
    ) -> Result<Option<InviterRights>, DbError> {
        #[derive(FromRow)]
        struct InvitingMemberRow {
            admin: bool,
            #[sqlx(json)]
            scopes: Vec<Scope>,
            #[sqlx(json)]
            role_scopes: Vec<Scope>,
        }
        #[derive(FromRow)]
        struct InvitingKeyRow {
            #[sqlx(json)]
            scopes: Vec<String>,
        }
        let member: Option<InvitingMemberRow> = view
            .fetch_optional(sql!(
                "SELECT m.admin, m.scopes, COALESCE(r.scopes, '[]') AS role_scopes
                   FROM members m LEFT JOIN member_roles r ON r.id = m.role_id AND r.account_id = m.account_id
                  WHERE m.account_id = $1 AND m.id = $2",
                account,
                inviter,
            ))
            .await?;
        if let Some(InvitingMemberRow { admin, scopes, role_scopes }) = member {
            return Ok(Some(InviterRights { admin, scopes: [scopes, role_scopes].concat() }));
        }
        let key: Option<InvitingKeyRow> = view
            .fetch_optional(sql!(
                "SELECT k.scopes FROM api_keys k JOIN accounts a ON a.app_id = k.app_id
                  WHERE a.id = $1 AND k.id = $2 AND k.revoked_at IS NULL
                    AND (k.expires_at IS NULL OR k.expires_at > $3)",
                account,
                inviter,
                self.environment.now(),
            ))
            .await?;
        Ok(key.map(|key| {
            let (admin, scopes) = principal::read_key_scopes(&key.scopes);
            InviterRights { admin, scopes }
        }))
    }

    pub(super) async fn revoke(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        id: InvitationId,
    ) -> Result<bool, DbError> {
        let rows = tx
            .execute(sql!(
                "DELETE FROM invitations WHERE account_id = $1 AND id = $2 AND expires_at > $3",
                account,
                id,
                self.environment.now(),
            ))
            .await?;
        if rows == 1 {
            tx.audit(AuditEvent::new("invitation.revoke").account(account).target(id));
            erasure_keys::record_erasure(tx).await?;
        }
        Ok(rows == 1)
    }

    /// Makes a member of whoever has the token of an invitation, and deletes the invitation; `None` if there is no such
    /// invitation, it has expired, whoever sent it could not send it any more, or the account is being deleted.
    pub(super) async fn accept(
        &self,
        tx: &mut WriteTx,
        token: &str,
    ) -> Result<Option<(Account, Member)>, DbError> {
        #[derive(FromRow)]
        struct InvitationAccountRow {
            account_id: AccountId,
        }
        #[derive(FromRow)]
        struct AcceptedInvitationRow {
            email: String,
            address: String,
            username: String,
            admin: bool,
            #[sqlx(json)]
            scopes: Vec<Scope>,
            #[sqlx(json)]
            console_scopes: Vec<ConsoleScope>,
            invited_by: Option<Uuid>,
        }
        let invitation: Option<InvitationAccountRow> = tx
            .fetch_optional(sql!("SELECT account_id FROM invitations WHERE hash = $1", hash_token(token)))
            .await?;
        let Some(InvitationAccountRow { account_id }) = invitation else { return Ok(None) };
        let Some(account) = lock_and_load(tx, account_id).await? else { return Ok(None) };
        let accepted: Option<AcceptedInvitationRow> = tx
            .fetch_optional(sql!(
                "DELETE FROM invitations WHERE hash = $1 AND expires_at > $2
                 RETURNING email, address, username, admin, scopes, console_scopes, invited_by",
                hash_token(token),
                self.environment.now(),
            ))
            .await?;
        let Some(accepted) = accepted else { return Ok(None) };
        let AcceptedInvitationRow { email, address, username, admin, scopes, console_scopes, invited_by } =
            accepted;
        if let Some(inviter) = invited_by {
            let rights = self.find_inviter(tx, account.id, inviter).await?;
            if rights.is_none_or(|rights| !rights.may_invite(admin, &scopes)) {
                return Ok(None);
            }
        }
        let (id, created_at) = (MemberId::new(&*self.environment), self.environment.now());
        tx.execute(sql!(
            "INSERT INTO members (id, account_id, email, address, username, admin, scopes, console_scopes, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
            id,
            account.id,
            email.as_str(),
            address,
            username.as_str(),
            admin,
            members::scopes_json(&scopes),
            members::console_scopes_json(&console_scopes),
            created_at,
        ))
        .await?;
        let event = AuditEvent::new("member.join").account(account.id).target(id);
        tx.audit(event.detail("admin", admin).detail("scopes", members::scopes_json(&scopes)));
        Ok(Some((
            account,
            Member {
                id,
                email,
                username,
                admin,
                scopes,
                role_scopes: Vec::new(),
                console_scopes,
                role_id: None,
                created_at,
            },
        )))
    }
}
