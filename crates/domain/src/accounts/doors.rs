//! How people come in: invitations, sign-in links, sessions. Whatever opens a door is 256 random bits, travels in a
//! mail or a cookie, and is kept as a hash alone.

use super::{Account, Actor, Email, Member, NoActor, Scope, Who, actor, hold, lock, members};
use crate::{
    mail::{Letter, Mail, NoMail},
    tenancy::Feature,
    vault::Vault,
};
use aws_lc_rs::digest;
use base::{
    AccountId, AppId, Id as _, InvitationId, MemberId, Secret, SignedDuration, Timestamp, Uuid, World,
};
use db::{Db, DbError, Durability, FromRow, Read, Tx, sql};
use jobs::{Failure, Job, Lane, Lease, Outcome, Retry};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Members and open invitations that an account may have.
pub const MOST: i64 = 1000;
/// The longest name of a person, characters.
pub const LONGEST_USERNAME: usize = 100;
/// A session is noted as used at most this often.
const NOTED_EVERY: SignedDuration = SignedDuration::from_mins(10);
/// Accounts that one mail has links for.
const MOST_LINKS: i64 = 20;

/// How long doors stay open.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Where the console is reached, without a trailing slash.
    pub public_url: String,
    /// How long an invitation may be accepted.
    pub invitation: SignedDuration,
    /// How long a sign-in link works.
    pub link: SignedDuration,
    /// Sign-in links that an address may ask for in an hour.
    pub links_an_hour: i64,
    /// How long a session lasts that is not used.
    pub idle: SignedDuration,
    /// How long a session lasts at most.
    pub session: SignedDuration,
}

impl Rules {
    /// The usual ones, for a console that is reached at `public_url`.
    pub fn at(public_url: &str) -> Self {
        Self {
            public_url: public_url.to_owned(),
            invitation: SignedDuration::from_hours(7 * 24),
            link: SignedDuration::from_mins(15),
            links_an_hour: 5,
            idle: SignedDuration::from_hours(12),
            session: SignedDuration::from_hours(7 * 24),
        }
    }
}

/// Invites people and lets them in; cheap to clone.
#[derive(Clone, Debug)]
pub struct Doors {
    db: Db,
    world: Arc<dyn World>,
    vault: Vault,
    mail: Mail,
    rules: Arc<Rules>,
}

/// An invitation that waits to be accepted.
#[derive(Clone, Debug, FromRow)]
pub struct Invitation {
    /// Its id.
    pub id: InvitationId,
    /// Whom it was sent to.
    pub email: String,
    /// What he will be called.
    pub username: String,
    /// Whether he will be an administrator.
    pub admin: bool,
    /// Until when it may be accepted.
    #[sqlx(try_from = "db::At")]
    pub expires_at: Timestamp,
    /// When it was sent.
    #[sqlx(try_from = "db::At")]
    pub created_at: Timestamp,
}

/// Whom to invite.
#[derive(Clone, Debug)]
pub struct Guest {
    /// His address.
    pub email: Email,
    /// What he will be called; the part before the `@` where nothing is said.
    pub username: Option<String>,
    /// Whether he will be an administrator.
    pub admin: bool,
    /// What he may do.
    pub scopes: Vec<Scope>,
}

/// An invitation that was just made.
#[derive(Debug)]
pub struct NewInvitation {
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
pub enum NotInvited {
    /// The account is gone.
    #[error("there is no such account")]
    NoAccount,
    /// Somebody with that address is a member.
    #[error("the account has a member with that address")]
    Member,
    /// What he would be called is empty, too long or unreadable.
    #[error("a username has 1 to {LONGEST_USERNAME} characters and no control characters")]
    Username,
    /// The account is full.
    #[error("an account has at most {MOST} members and open invitations")]
    TooMany,
    /// Nobody would learn of it.
    #[error(transparent)]
    Mail(#[from] NoMail),
    /// The database did not do it.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Somebody who was let in.
#[derive(Debug)]
pub struct Entered {
    /// What his browser keeps.
    pub session: Secret<String>,
    /// Who he is.
    pub member: Member,
    /// Where he works.
    pub account: Account,
    /// When the session ends at the latest.
    pub ends_at: Timestamp,
}

/// Why nobody was let in.
#[derive(Debug, thiserror::Error)]
pub enum NotEntered {
    /// The link is unknown, was used, or is too old.
    #[error("the link was used already, or is too old; ask for a new one")]
    Link,
    /// The database did not answer.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Why nobody can be sent a link.
#[derive(Debug, thiserror::Error)]
pub enum NotAsked {
    /// No mail leaves this server.
    #[error(transparent)]
    Mail(#[from] NoMail),
    /// The database did not do it.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Somebody asked for sign-in links; whether he is a member is found out later, so that nobody learns it by asking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendLinks {
    id: Uuid,
    /// The address, sealed, base64.
    sealed: String,
    asked_at: Timestamp,
}

impl Job for SendLinks {
    const KIND: &'static str = "send-sign-in-links";
    const LANE: Lane = Lane::Quick;
    const RETRY: Retry = Retry::USUAL;
}

impl Doors {
    /// Doors that open by `rules`, to whoever reads his mail.
    pub fn new(db: Db, world: Arc<dyn World>, vault: Vault, mail: Mail, rules: Rules) -> Self {
        Self { db, world, vault, mail, rules: Arc::new(rules) }
    }

    /// Whether the console is reached by https, so that its cookie may be kept to that.
    pub fn secure(&self) -> bool {
        self.rules.public_url.starts_with("https://")
    }

    /// How long a browser may keep a session at most.
    pub fn session_lives(&self) -> SignedDuration {
        self.rules.session
    }

    /// Invites somebody, and replaces what invitation he had. The mail is queued in the same transaction.
    pub async fn invite(
        &self,
        tx: &mut Tx,
        account: &Account,
        guest: &Guest,
    ) -> Result<InvitationId, NotInvited> {
        self.mail.ready()?;
        Ok(self.invite_with_link(tx, account, guest).await?.id)
    }

    /// The same for an operator, who sees the link and can hand it over: a mail is queued only where mail can be sent.
    pub async fn invite_with_link(
        &self,
        tx: &mut Tx,
        account: &Account,
        guest: &Guest,
    ) -> Result<NewInvitation, NotInvited> {
        let username = guest.username.as_deref().unwrap_or_else(|| guest.email.local_part()).trim();
        let length = username.chars().count();
        if !(1..=LONGEST_USERNAME).contains(&length) || username.contains(char::is_control) {
            return Err(NotInvited::Username);
        }
        if !lock(tx, account.id).await? {
            return Err(NotInvited::NoAccount);
        }
        let address = guest.email.compared();
        let members = tx
            .count(sql!(
                "SELECT count(*) FROM members WHERE account_id = $1 AND address = $2",
                account.id,
                address
            ))
            .await?;
        if members > 0 {
            return Err(NotInvited::Member);
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
        if there >= MOST {
            return Err(NotInvited::TooMany);
        }
        let (id, now) = (InvitationId::new(&*self.world), self.world.now());
        let (token, expires_at) = (self.token(), now + self.rules.invitation);
        tx.execute(sql!(
            "INSERT INTO invitations (id, account_id, email, address, username, admin, scopes, hash, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
            id,
            account.id,
            guest.email.as_str(),
            address,
            username,
            guest.admin,
            members::words(&guest.scopes),
            hash(token.expose()),
            now,
            expires_at,
        ))
        .await?;
        let link = self.link("invite", &token);
        let mailed = self.mail.ready().is_ok();
        if mailed {
            let letter = Letter::invitation(guest.email.as_str(), &account.name, &link, expires_at);
            self.mail.post(tx, Some(account.id), &letter, expires_at).await?;
        }
        Ok(NewInvitation { id, link, expires_at, mailed })
    }

    /// The invitations of an account that may still be accepted, newest first.
    pub async fn invitations(&self, view: &mut Read, account: AccountId) -> Result<Vec<Invitation>, DbError> {
        view.fetch_all(sql!(
            "SELECT id, email, username, admin, expires_at, created_at FROM invitations
              WHERE account_id = $1 AND expires_at > $2 ORDER BY created_at DESC, id DESC",
            account,
            self.world.now(),
        ))
        .await
    }

    /// Takes an invitation back; whether there was one that could still be accepted.
    pub async fn revoke(&self, tx: &mut Tx, account: AccountId, id: InvitationId) -> Result<bool, DbError> {
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

    /// Accepts an invitation: makes the member and lets him in. It works once.
    pub async fn accept(&self, token: &str) -> Result<Entered, NotEntered> {
        #[derive(FromRow)]
        struct Open {
            account_id: AccountId,
        }
        #[derive(FromRow)]
        struct Accepted {
            email: String,
            address: String,
            username: String,
            admin: bool,
            #[sqlx(json)]
            scopes: Vec<Scope>,
        }
        let mut tx = self.db.write().await?;
        let open: Option<Open> = tx
            .fetch_optional(sql!("SELECT account_id FROM invitations WHERE hash = $1", hash(token)))
            .await?;
        let account = self.served(&mut tx, open.map(|open| open.account_id)).await?;
        let accepted: Option<Accepted> = tx
            .fetch_optional(sql!(
                "DELETE FROM invitations WHERE hash = $1 AND expires_at > $2
                 RETURNING email, address, username, admin, scopes",
                hash(token),
                self.world.now(),
            ))
            .await?;
        let Accepted { email, address, username, admin, scopes } = accepted.ok_or(NotEntered::Link)?;
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
            members::words(&scopes),
            created_at,
        ))
        .await?;
        let member = Member { id, email, username, admin, scopes, created_at };
        self.enter(tx, account, member).await
    }

    /// Queues links for whoever has this address, if anybody.
    pub async fn ask_for_links(&self, tx: &mut Tx, email: &Email) -> Result<(), NotAsked> {
        self.mail.ready()?;
        let id = self.world.random_uuid();
        let sealed = self.vault.seal(&*self.world, &place(id), email.as_str().as_bytes());
        let sealed = base64_simd::STANDARD.encode_to_string(sealed);
        jobs::enqueue(tx, &*self.world, &SendLinks { id, sealed, asked_at: self.world.now() }).await?;
        Ok(())
    }

    /// Makes the links that were asked for, and queues the mail with them.
    pub async fn send_links(&self, job: &SendLinks, lease: &Lease) -> Result<Outcome, Failure> {
        #[derive(FromRow)]
        struct Place {
            member_id: MemberId,
            account_id: AccountId,
            name: String,
            email: String,
        }
        let sealed = base64_simd::STANDARD.decode_to_vec(&job.sealed)?;
        let address = String::from_utf8(self.vault.open(&place(job.id), &sealed)?)?;
        let now = self.world.now();
        let expires_at = now + self.rules.link;
        let mut tx = self.db.write().await?;
        // Those who asked often enough within the hour are left out.
        let places: Vec<Place> = tx
            .fetch_all(sql!(
                "SELECT m.id AS member_id, a.id AS account_id, a.name, m.email
                   FROM members m JOIN accounts a ON a.id = m.account_id
                  WHERE m.address = $1 AND a.state = 'OPEN'
                    AND (SELECT count(*) FROM sign_in_links l WHERE l.member_id = m.id AND l.created_at > $2) < $3
                  ORDER BY a.name, a.id LIMIT $4",
                address.to_lowercase(),
                now - SignedDuration::from_hours(1),
                self.rules.links_an_hour,
                MOST_LINKS,
            ))
            .await?;
        let mut links = Vec::with_capacity(places.len());
        for found in &places {
            if !hold(&mut tx, found.account_id).await? {
                continue;
            }
            let link = self.new_sign_in_link(&mut tx, found.account_id, found.member_id, expires_at).await?;
            links.push((found.name.clone(), link));
        }
        if let Some(found) = places.first().filter(|_| !links.is_empty()) {
            let letter = Letter::sign_in(&found.email, links, expires_at);
            self.mail.post(&mut tx, None, &letter, expires_at).await?;
        }
        lease.finish(&mut tx).await?;
        tx.commit().await?;
        Ok(Outcome::Done)
    }

    /// A link that signs a member in, for an operator to hand over, and until when it works. `None` where the account has
    /// no such member.
    pub async fn sign_in_link(
        &self,
        tx: &mut Tx,
        account: AccountId,
        email: &Email,
    ) -> Result<Option<(Secret<String>, Timestamp)>, DbError> {
        #[derive(FromRow)]
        struct Row {
            id: MemberId,
        }
        if !hold(tx, account).await? {
            return Ok(None);
        }
        let member: Option<Row> = tx
            .fetch_optional(sql!(
                "SELECT id FROM members WHERE account_id = $1 AND address = $2",
                account,
                email.compared(),
            ))
            .await?;
        let Some(Row { id }) = member else { return Ok(None) };
        let expires_at = self.world.now() + self.rules.link;
        let link = self.new_sign_in_link(tx, account, id, expires_at).await?;
        Ok(Some((link, expires_at)))
    }

    async fn new_sign_in_link(
        &self,
        tx: &mut Tx,
        account: AccountId,
        member: MemberId,
        expires_at: Timestamp,
    ) -> Result<Secret<String>, DbError> {
        let token = self.token();
        tx.execute(sql!(
            "INSERT INTO sign_in_links (id, account_id, member_id, hash, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6)",
            self.world.uuid(),
            account,
            member,
            hash(token.expose()),
            self.world.now(),
            expires_at,
        ))
        .await?;
        Ok(self.link("sign-in", &token))
    }

    /// Lets a member in who has a sign-in link. It works once.
    pub async fn enter_by_link(&self, token: &str) -> Result<Entered, NotEntered> {
        #[derive(FromRow)]
        struct Used {
            account_id: AccountId,
            member_id: MemberId,
        }
        let mut tx = self.db.write().await?;
        let used: Option<Used> = tx
            .fetch_optional(sql!(
                "UPDATE sign_in_links SET used_at = $2 WHERE hash = $1 AND used_at IS NULL AND expires_at > $2
                 RETURNING account_id, member_id",
                hash(token),
                self.world.now(),
            ))
            .await?;
        let used = used.ok_or(NotEntered::Link)?;
        let account = self.served(&mut tx, Some(used.account_id)).await?;
        let member = members::find(&mut tx, account.id, used.member_id).await?.ok_or(NotEntered::Link)?;
        self.enter(tx, account, member).await
    }

    /// Whoever holds a session, as he may act now.
    pub async fn by_session(&self, session: &str) -> Result<Actor, NoActor> {
        #[derive(FromRow)]
        struct Row {
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
            #[sqlx(try_from = "db::At")]
            expires_at: Timestamp,
        }
        let mut view = self.db.read().await?;
        let row: Option<Row> = view
            .fetch_optional(sql!(
                "SELECT m.id AS member_id, m.account_id, a.app_id, m.admin, m.scopes, p.state, p.features,
                        o.status AS org_status, s.expires_at
                   FROM member_sessions s JOIN members m ON m.id = s.member_id
                   JOIN accounts a ON a.id = m.account_id JOIN applications p ON p.id = a.app_id
                   LEFT JOIN organisations o ON o.id = p.organisation_id
                  WHERE s.hash = $1 AND s.expires_at > $2 AND s.ends_at > $2 AND a.state = 'OPEN'",
                hash(session),
                self.world.now(),
            ))
            .await?;
        drop(view);
        let row = row.ok_or(NoActor::Session)?;
        actor::served(&row.state, row.org_status.as_deref(), &row.features)?;
        if row.expires_at.duration_since(self.world.now()) < self.rules.idle - NOTED_EVERY {
            self.note(session).await?;
        }
        let who = Who::Member { account: row.account_id, member: row.member_id };
        Ok(Actor { app: row.app_id, who, scopes: row.scopes, admin: row.admin })
    }

    /// Ends a session.
    pub async fn leave(&self, session: &str) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        tx.execute(sql!("DELETE FROM member_sessions WHERE hash = $1", hash(session))).await?;
        tx.commit().await
    }

    /// Puts the end of a session off, because it is used.
    async fn note(&self, session: &str) -> Result<(), DbError> {
        let mut tx = self.db.write_as(Durability::Process).await?;
        tx.execute(sql!(
            "UPDATE member_sessions SET expires_at = $2 WHERE hash = $1",
            hash(session),
            self.world.now() + self.rules.idle,
        ))
        .await?;
        tx.commit().await
    }

    async fn enter(&self, mut tx: Tx, account: Account, member: Member) -> Result<Entered, NotEntered> {
        let (session, now) = (self.token(), self.world.now());
        let ends_at = now + self.rules.session;
        tx.execute(sql!(
            "INSERT INTO member_sessions (id, account_id, member_id, hash, created_at, expires_at, ends_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7)",
            self.world.uuid(),
            account.id,
            member.id,
            hash(session.expose()),
            now,
            now + self.rules.idle,
            ends_at,
        ))
        .await?;
        tx.commit().await?;
        Ok(Entered { session, member, account, ends_at })
    }

    /// The account, held open, where its application is served.
    async fn served(&self, tx: &mut Tx, id: Option<AccountId>) -> Result<Account, NotEntered> {
        let id = id.ok_or(NotEntered::Link)?;
        if !hold(tx, id).await? {
            return Err(NotEntered::Link);
        }
        let account: Option<Account> =
            tx.fetch_optional(sql!("SELECT id, name, created_at FROM accounts WHERE id = $1", id)).await?;
        account.ok_or(NotEntered::Link)
    }

    /// What is after `#` reaches no server, and so no log.
    fn link(&self, what: &str, token: &Secret<String>) -> Secret<String> {
        Secret::new(format!("{}/console/#{what}={}", self.rules.public_url, token.expose()))
    }

    fn token(&self) -> Secret<String> {
        let mut chance = [0; 32];
        self.world.fill(&mut chance);
        Secret::new(base64_simd::URL_SAFE_NO_PAD.encode_to_string(chance))
    }
}

/// What is kept of a token: SHA-256. It has 256 random bits, so a slow hash would protect nothing more.
fn hash(token: &str) -> Vec<u8> {
    digest::digest(&digest::SHA256, token.as_bytes()).as_ref().to_vec()
}

fn place(id: Uuid) -> Vec<u8> {
    format!("address of sign-in {id}").into_bytes()
}

/// Forgets invitations, links and sessions that are over, at most 5,000 of each at a time; how many.
pub async fn purge(db: &Db, world: &dyn World) -> Result<u64, DbError> {
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
        assert_eq!(serde_json::from_str::<SendLinks>(old).unwrap().sealed, "AA==");
    }
}
