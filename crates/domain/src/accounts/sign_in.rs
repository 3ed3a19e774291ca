//! How people come in: invitations, sign-in links, sessions. Whatever opens a door is 256 random bits, travels in a
//! mail or a cookie, and is kept as a hash alone.

use super::{
    Account, AuthenticationError, EmailAddress, Member, Principal, PrincipalKind, Scope, lock_exclusive,
    lock_shared, members, principal,
};
use crate::{
    mail::{EmailMessage, MailConfigError, Mailer},
    tenancy::Feature,
    vault::Vault,
};
use aws_lc_rs::digest;
use base::{
    AccountId, AppId, Environment, Id as _, InvitationId, MemberId, Secret, SignedDuration, Timestamp, Uuid,
};
use db::{Db, DbError, Durability, FromRow, ReadTx, WriteTx, sql};
use jobs::{Job, JobError, JobOutcome, Lane, Lease, RetryPolicy};
use serde::{Deserialize, Serialize};
use std::{num::NonZeroU32, sync::Arc};

/// Members and open invitations that an account may have.
pub const MAX_MEMBERS_AND_INVITATIONS: i64 = 1000;
/// The longest name of a person, characters.
pub const MAX_USERNAME_CHARS: usize = 100;
/// A session is noted as used at most this often.
const SESSION_EXTENSION_INTERVAL: SignedDuration = SignedDuration::from_mins(10);
/// Accounts that one mail has links for.
const MAX_LINKS_PER_EMAIL: i64 = 20;

/// How members are invited and signed in to the console; the section `[console]`.
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct SignInSettings {
    /// Where the console is reached, without a trailing slash; no setting of this section.
    #[serde(skip)]
    pub public_url: String,
    /// How long an invitation can be accepted; written in days.
    #[serde(rename = "invitation_days", with = "base::settings::days")]
    pub invitation_ttl: SignedDuration,
    /// How long a sign-in link works; written in minutes.
    #[serde(rename = "link_minutes", with = "base::settings::minutes")]
    pub sign_in_link_ttl: SignedDuration,
    /// Sign-in links that one address can request in an hour.
    #[serde(rename = "links_per_hour", deserialize_with = "base::settings::read_as::<u32, _, _>")]
    pub max_links_per_hour: i64,
    /// Sign-in links that all addresses together can request in a minute; each process counts separately.
    #[serde(rename = "links_per_minute")]
    pub max_links_per_minute: NonZeroU32,
    /// How long an unused session lasts; written in hours.
    #[serde(rename = "idle_hours", with = "base::settings::hours")]
    pub session_idle_timeout: SignedDuration,
    /// How long a session lasts at most; written in days.
    #[serde(rename = "session_days", with = "base::settings::days")]
    pub session_ttl: SignedDuration,
}

impl Default for SignInSettings {
    fn default() -> Self {
        Self {
            public_url: "http://127.0.0.1:8080".to_owned(),
            invitation_ttl: SignedDuration::from_hours(7 * 24),
            sign_in_link_ttl: SignedDuration::from_mins(15),
            max_links_per_hour: 5,
            max_links_per_minute: const { NonZeroU32::new(60).unwrap() },
            session_idle_timeout: SignedDuration::from_hours(12),
            session_ttl: SignedDuration::from_hours(7 * 24),
        }
    }
}

impl SignInSettings {
    /// The defaults, for a console that is reached at `public_url`.
    pub fn for_public_url(public_url: &str) -> Self {
        Self { public_url: public_url.to_owned(), ..Self::default() }
    }
}

/// Invites people and lets them in; cheap to clone.
#[derive(Clone, Debug)]
pub struct SignInService {
    db: Db,
    world: Arc<dyn Environment>,
    vault: Vault,
    mail: Mailer,
    settings: Arc<SignInSettings>,
}

/// An invitation that waits to be accepted.
#[derive(Clone, Debug, FromRow)]
pub struct Invitation {
    /// Its id.
    pub id: InvitationId,
    /// Whom it was sent to.
    pub email: String,
    /// What they will be called.
    pub username: String,
    /// Whether they will be an administrator.
    pub admin: bool,
    /// Until when it may be accepted.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub expires_at: Timestamp,
    /// When it was sent.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

/// Whom to invite.
#[derive(Clone, Debug)]
pub struct Invitee {
    /// Their address.
    pub email: EmailAddress,
    /// What they will be called; the part before the `@` where nothing is said.
    pub username: Option<String>,
    /// Whether they will be an administrator.
    pub admin: bool,
    /// What they may do.
    pub scopes: Vec<Scope>,
}

/// An invitation that was just made.
#[derive(Debug)]
pub struct IssuedInvitation {
    /// Its id.
    pub id: InvitationId,
    /// The link that accepts it, once. It is known only now.
    pub link: Secret<String>,
    /// Until when it may be accepted.
    pub expires_at: Timestamp,
    /// Whether a mail with the link was queued.
    pub mailed: bool,
}

/// Why nobody was invited.
#[derive(Debug, thiserror::Error)]
pub enum InvitationError {
    /// The account is gone.
    #[error("there is no such account")]
    NoAccount,
    /// Somebody with that address is a member.
    #[error("the account has a member with that address")]
    Member,
    /// What they would be called is empty, too long or unreadable.
    #[error("a username has 1 to {MAX_USERNAME_CHARS} characters and no control characters")]
    Username,
    /// The account is full.
    #[error("an account has at most {MAX_MEMBERS_AND_INVITATIONS} members and open invitations")]
    TooMany,
    /// Nobody would learn of it.
    #[error(transparent)]
    Mail(#[from] MailConfigError),
    /// The database did not do it.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Somebody who was let in.
#[derive(Debug)]
pub struct MemberSession {
    /// What their browser keeps.
    pub session: Secret<String>,
    /// Who they are.
    pub member: Member,
    /// Where they work.
    pub account: Account,
    /// When the session ends at the latest.
    pub ends_at: Timestamp,
}

/// Why nobody was let in.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// The link is unknown, was used, or is too old.
    #[error("the link was used already, or is too old; ask for a new one")]
    Link,
    /// The database did not answer.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Why nobody can be sent a link.
#[derive(Debug, thiserror::Error)]
pub enum SignInLinkError {
    /// No mail leaves this server.
    #[error(transparent)]
    Mail(#[from] MailConfigError),
    /// The database did not do it.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Somebody asked for sign-in links; whether they are a member is found out later, so that nobody learns it by asking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendSignInLinks {
    id: Uuid,
    /// The address, sealed, base64.
    sealed: String,
    asked_at: Timestamp,
}

impl Job for SendSignInLinks {
    const KIND: &'static str = "send-sign-in-links";
    const LANE: Lane = Lane::Quick;
    const RETRY: RetryPolicy = RetryPolicy::DEFAULT;
}

impl SignInService {
    /// Doors that open by `rules`, to whoever reads their mail.
    pub fn new(
        db: Db,
        world: Arc<dyn Environment>,
        vault: Vault,
        mail: Mailer,
        rules: SignInSettings,
    ) -> Self {
        Self { db, world, vault, mail, settings: Arc::new(rules) }
    }

    /// Whether the console is reached by https, so that its cookie may be kept to that.
    pub fn uses_https(&self) -> bool {
        self.settings.public_url.starts_with("https://")
    }

    /// How long a browser may keep a session at most.
    pub fn session_ttl(&self) -> SignedDuration {
        self.settings.session_ttl
    }

    /// Invites somebody, and replaces what invitation they had. The mail is queued in the same transaction.
    pub async fn invite(
        &self,
        tx: &mut WriteTx,
        account: &Account,
        guest: &Invitee,
    ) -> Result<InvitationId, InvitationError> {
        self.mail.ensure_configured()?;
        Ok(self.invite_with_link(tx, account, guest).await?.id)
    }

    /// The same for an operator, who sees the link and can hand it over: a mail is queued only where mail can be sent.
    pub async fn invite_with_link(
        &self,
        tx: &mut WriteTx,
        account: &Account,
        guest: &Invitee,
    ) -> Result<IssuedInvitation, InvitationError> {
        let username = guest.username.as_deref().unwrap_or_else(|| guest.email.local_part()).trim();
        let length = username.chars().count();
        if !(1..=MAX_USERNAME_CHARS).contains(&length) || username.contains(char::is_control) {
            return Err(InvitationError::Username);
        }
        if !lock_exclusive(tx, account.id).await? {
            return Err(InvitationError::NoAccount);
        }
        let address = guest.email.normalised();
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
            self.world.now(),
        ))
        .await?;
        let there = tx
            .count(sql!(
                "SELECT (SELECT count(*) FROM members WHERE account_id = $1)
                      + (SELECT count(*) FROM invitations WHERE account_id = $1)",
                account.id,
            ))
            .await?;
        if there >= MAX_MEMBERS_AND_INVITATIONS {
            return Err(InvitationError::TooMany);
        }
        let (id, now) = (InvitationId::new(&*self.world), self.world.now());
        let (token, expires_at) = (self.generate_token(), now + self.settings.invitation_ttl);
        tx.execute(sql!(
            "INSERT INTO invitations (id, account_id, email, address, username, admin, scopes, hash, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            id,
            account.id,
            guest.email.as_str(),
            address,
            username,
            guest.admin,
            members::scopes_json(&guest.scopes),
            hash_token(token.expose()),
            now,
            expires_at,
        ))
        .await?;
        let link = self.console_link("invite", &token);
        let mailed = self.mail.ensure_configured().is_ok();
        if mailed {
            let letter = EmailMessage::invitation(guest.email.as_str(), &account.name, &link, expires_at);
            self.mail.enqueue(tx, Some(account.id), &letter, expires_at).await?;
        }
        Ok(IssuedInvitation { id, link, expires_at, mailed })
    }

    /// The invitations of an account that may still be accepted, newest first.
    pub async fn invitations(
        &self,
        view: &mut ReadTx,
        account: AccountId,
    ) -> Result<Vec<Invitation>, DbError> {
        view.fetch_all(sql!(
            "SELECT id, email, username, admin, expires_at, created_at FROM invitations
              WHERE account_id = $1 AND expires_at > $2 ORDER BY created_at DESC, id DESC",
            account,
            self.world.now(),
        ))
        .await
    }

    /// Takes an invitation back; whether there was one that could still be accepted.
    pub async fn revoke_invitation(
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
                self.world.now(),
            ))
            .await?;
        Ok(rows == 1)
    }

    /// Accepts an invitation: makes the member and lets them in. It works once.
    pub async fn accept_invitation(&self, token: &str) -> Result<MemberSession, SignInError> {
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
        }
        let mut tx = self.db.write().await?;
        let open: Option<InvitationAccountRow> = tx
            .fetch_optional(sql!("SELECT account_id FROM invitations WHERE hash = $1", hash_token(token)))
            .await?;
        let account = self.lock_account(&mut tx, open.map(|open| open.account_id)).await?;
        let accepted: Option<AcceptedInvitationRow> = tx
            .fetch_optional(sql!(
                "DELETE FROM invitations WHERE hash = $1 AND expires_at > $2
                 RETURNING email, address, username, admin, scopes",
                hash_token(token),
                self.world.now(),
            ))
            .await?;
        let AcceptedInvitationRow { email, address, username, admin, scopes } =
            accepted.ok_or(SignInError::Link)?;
        let (id, created_at) = (MemberId::new(&*self.world), self.world.now());
        tx.execute(sql!(
            "INSERT INTO members (id, account_id, email, address, username, admin, scopes, created_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
            id,
            account.id,
            email.as_str(),
            address,
            username.as_str(),
            admin,
            members::scopes_json(&scopes),
            created_at,
        ))
        .await?;
        let member = Member { id, email, username, admin, scopes, created_at };
        self.open_session(tx, account, member).await
    }

    /// Queues links for whoever has this address, if anybody.
    pub async fn queue_sign_in_links(
        &self,
        tx: &mut WriteTx,
        email: &EmailAddress,
    ) -> Result<(), SignInLinkError> {
        self.mail.ensure_configured()?;
        let id = self.world.uuid_v4();
        let sealed = self.vault.seal(&*self.world, &aad(id), email.as_str().as_bytes());
        let sealed = base64_simd::STANDARD.encode_to_string(sealed);
        jobs::enqueue(tx, &*self.world, &SendSignInLinks { id, sealed, asked_at: self.world.now() }).await?;
        Ok(())
    }

    /// Makes the links that were asked for, and queues the mail with them.
    pub async fn send_sign_in_links(
        &self,
        job: &SendSignInLinks,
        lease: &Lease,
    ) -> Result<JobOutcome, JobError> {
        #[derive(FromRow)]
        struct MembershipRow {
            member_id: MemberId,
            account_id: AccountId,
            name: String,
            email: String,
        }
        let sealed = base64_simd::STANDARD.decode_to_vec(&job.sealed)?;
        let address = String::from_utf8(self.vault.open(&aad(job.id), &sealed)?)?;
        let now = self.world.now();
        let expires_at = now + self.settings.sign_in_link_ttl;
        let mut tx = self.db.write().await?;
        // Those who asked often enough within the hour are left out.
        let places: Vec<MembershipRow> = tx
            .fetch_all(sql!(
                "SELECT m.id AS member_id, a.id AS account_id, a.name, m.email
                   FROM members m JOIN accounts a ON a.id = m.account_id
                  WHERE m.address = $1 AND a.state = 'OPEN'
                    AND (SELECT count(*) FROM sign_in_links l WHERE l.member_id = m.id AND l.created_at > $2) < $3
                  ORDER BY a.name, a.id LIMIT $4",
                address.to_lowercase(),
                now - SignedDuration::from_hours(1),
                self.settings.max_links_per_hour,
                MAX_LINKS_PER_EMAIL,
            ))
            .await?;
        let mut links = Vec::with_capacity(places.len());
        for found in &places {
            if !lock_shared(&mut tx, found.account_id).await? {
                continue;
            }
            let link =
                self.insert_sign_in_link(&mut tx, found.account_id, found.member_id, expires_at).await?;
            links.push((found.name.clone(), link));
        }
        if let Some(found) = places.first().filter(|_| !links.is_empty()) {
            let letter = EmailMessage::sign_in(&found.email, links, expires_at);
            self.mail.enqueue(&mut tx, None, &letter, expires_at).await?;
        }
        lease.finish(&mut tx).await?;
        tx.commit().await?;
        Ok(JobOutcome::Done)
    }

    /// A link that signs a member in, for an operator to hand over, and until when it works. `None` where the account has
    /// no such member.
    pub async fn create_sign_in_link(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        email: &EmailAddress,
    ) -> Result<Option<(Secret<String>, Timestamp)>, DbError> {
        #[derive(FromRow)]
        struct MemberIdRow {
            id: MemberId,
        }
        if !lock_shared(tx, account).await? {
            return Ok(None);
        }
        let member: Option<MemberIdRow> = tx
            .fetch_optional(sql!(
                "SELECT id FROM members WHERE account_id = $1 AND address = $2",
                account,
                email.normalised(),
            ))
            .await?;
        let Some(MemberIdRow { id }) = member else { return Ok(None) };
        let expires_at = self.world.now() + self.settings.sign_in_link_ttl;
        let link = self.insert_sign_in_link(tx, account, id, expires_at).await?;
        Ok(Some((link, expires_at)))
    }

    async fn insert_sign_in_link(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        member: MemberId,
        expires_at: Timestamp,
    ) -> Result<Secret<String>, DbError> {
        let token = self.generate_token();
        tx.execute(sql!(
            "INSERT INTO sign_in_links (id, account_id, member_id, hash, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6)",
            self.world.uuid_v7(),
            account,
            member,
            hash_token(token.expose()),
            self.world.now(),
            expires_at,
        ))
        .await?;
        Ok(self.console_link("sign-in", &token))
    }

    /// Lets a member in who has a sign-in link. It works once.
    pub async fn sign_in_by_link(&self, token: &str) -> Result<MemberSession, SignInError> {
        #[derive(FromRow)]
        struct UsedLinkRow {
            account_id: AccountId,
            member_id: MemberId,
        }
        let mut tx = self.db.write().await?;
        let used: Option<UsedLinkRow> = tx
            .fetch_optional(sql!(
                "UPDATE sign_in_links SET used_at = $2 WHERE hash = $1 AND used_at IS NULL AND expires_at > $2
                 RETURNING account_id, member_id",
                hash_token(token),
                self.world.now(),
            ))
            .await?;
        let used = used.ok_or(SignInError::Link)?;
        let account = self.lock_account(&mut tx, Some(used.account_id)).await?;
        let member = members::find(&mut tx, account.id, used.member_id).await?.ok_or(SignInError::Link)?;
        self.open_session(tx, account, member).await
    }

    /// Whoever holds a session, as they may act now.
    pub async fn authenticate_session(&self, session: &str) -> Result<Principal, AuthenticationError> {
        #[derive(FromRow)]
        struct MemberSessionRow {
            member_id: MemberId,
            account_id: AccountId,
            app_id: AppId,
            admin: bool,
            #[sqlx(json)]
            scopes: Vec<Scope>,
            state: String,
            #[sqlx(json)]
            features: Vec<Feature>,
            org_status: Option<String>,
            #[sqlx(try_from = "db::DbTimestamp")]
            expires_at: Timestamp,
        }
        let mut view = self.db.read().await?;
        let row: Option<MemberSessionRow> = view
            .fetch_optional(sql!(
                "SELECT m.id AS member_id, m.account_id, a.app_id, m.admin, m.scopes, p.state, p.features,
                        o.status AS org_status, s.expires_at
                   FROM member_sessions s JOIN members m ON m.id = s.member_id
                   JOIN accounts a ON a.id = m.account_id JOIN applications p ON p.id = a.app_id
                   LEFT JOIN organisations o ON o.id = p.organisation_id
                  WHERE s.hash = $1 AND s.expires_at > $2 AND s.ends_at > $2 AND a.state = 'OPEN'",
                hash_token(session),
                self.world.now(),
            ))
            .await?;
        drop(view);
        let row = row.ok_or(AuthenticationError::SessionExpired)?;
        principal::require_application_served(&row.state, row.org_status.as_deref(), &row.features)?;
        if row.expires_at.duration_since(self.world.now())
            < self.settings.session_idle_timeout - SESSION_EXTENSION_INTERVAL
        {
            self.extend_session(session).await?;
        }
        let who = PrincipalKind::Member { account: row.account_id, member: row.member_id };
        Ok(Principal { app: row.app_id, kind: who, scopes: row.scopes, admin: row.admin })
    }

    /// Ends a session.
    pub async fn sign_out(&self, session: &str) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        tx.execute(sql!("DELETE FROM member_sessions WHERE hash = $1", hash_token(session))).await?;
        tx.commit().await
    }

    /// Puts the end of a session off, because it is used.
    async fn extend_session(&self, session: &str) -> Result<(), DbError> {
        let mut tx = self.db.write_with_durability(Durability::Process).await?;
        tx.execute(sql!(
            "UPDATE member_sessions SET expires_at = $2 WHERE hash = $1",
            hash_token(session),
            self.world.now() + self.settings.session_idle_timeout,
        ))
        .await?;
        tx.commit().await
    }

    async fn open_session(
        &self,
        mut tx: WriteTx,
        account: Account,
        member: Member,
    ) -> Result<MemberSession, SignInError> {
        let (session, now) = (self.generate_token(), self.world.now());
        let ends_at = now + self.settings.session_ttl;
        tx.execute(sql!(
            "INSERT INTO member_sessions (id, account_id, member_id, hash, created_at, expires_at, ends_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            self.world.uuid_v7(),
            account.id,
            member.id,
            hash_token(session.expose()),
            now,
            now + self.settings.session_idle_timeout,
            ends_at,
        ))
        .await?;
        tx.commit().await?;
        Ok(MemberSession { session, member, account, ends_at })
    }

    /// The account, held open, where its application is served.
    async fn lock_account(&self, tx: &mut WriteTx, id: Option<AccountId>) -> Result<Account, SignInError> {
        let id = id.ok_or(SignInError::Link)?;
        if !lock_shared(tx, id).await? {
            return Err(SignInError::Link);
        }
        let account: Option<Account> =
            tx.fetch_optional(sql!("SELECT id, name, created_at FROM accounts WHERE id = $1", id)).await?;
        account.ok_or(SignInError::Link)
    }

    /// What is after `#` reaches no server, and so no log.
    fn console_link(&self, what: &str, token: &Secret<String>) -> Secret<String> {
        Secret::new(format!("{}/console/#{what}={}", self.settings.public_url, token.expose()))
    }

    fn generate_token(&self) -> Secret<String> {
        let mut chance = [0; 32];
        self.world.fill_random(&mut chance);
        Secret::new(base64_simd::URL_SAFE_NO_PAD.encode_to_string(chance))
    }
}

/// What is kept of a token: SHA-256. It has 256 random bits, so a slow hash would protect nothing more.
fn hash_token(token: &str) -> Vec<u8> {
    digest::digest(&digest::SHA256, token.as_bytes()).as_ref().to_vec()
}

fn aad(id: Uuid) -> Vec<u8> {
    format!("address of sign-in {id}").into_bytes()
}

/// Forgets invitations, links and sessions that are over, at most 5,000 of each at a time; how many.
pub async fn purge_expired(db: &Db, world: &dyn Environment) -> Result<u64, DbError> {
    let (mut tx, now) = (db.write().await?, world.now());
    let invitations = tx
        .execute(sql!(
            "DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE expires_at < $1 LIMIT 5000)",
            now,
        ))
        .await?;
    let links = tx
        .execute(sql!(
            "DELETE FROM sign_in_links WHERE id IN (SELECT id FROM sign_in_links WHERE created_at < $1 LIMIT 5000)",
            now - SignedDuration::from_hours(1),
        ))
        .await?;
    let sessions = tx
        .execute(sql!(
            "DELETE FROM member_sessions WHERE id IN
                (SELECT id FROM member_sessions WHERE expires_at < $1 OR ends_at < $1 LIMIT 5000)",
            now,
        ))
        .await?;
    tx.commit().await?;
    Ok(invitations + links + sessions)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row that an older build queued must still be understood.
    #[test]
    fn old_payloads_still_parse() {
        let old = r#"{"id":"018f3c8e-0000-7000-8000-00000000000a","sealed":"AA==","asked_at":"2026-01-16T14:40:00Z"}"#;
        assert_eq!(serde_json::from_str::<SendSignInLinks>(old).unwrap().sealed, "AA==");
    }
}
