//! How members sign in by what is sent to them: a link in a mail, or an invitation. [`SignInService`] is the front of the
//! subject; invitations and sessions have files of their own, and [`crate::console`] has all other ways to come in.

pub use super::sessions::MemberSession;

use super::{
    Account, AuthenticationError, EmailAddress, Principal,
    invitations::{Invitation, InvitationError, Invitations, Invitee, IssuedInvitation},
    lock_and_load, lock_shared, members,
    sessions::MemberSessions,
};
use crate::{
    authentication::{
        CredentialHolder, SecondFactorPolicy, SignInMethod, console_link, generate_token, hash_token,
        sessions::{ConsoleSessions, SessionClient, SessionRecord},
    },
    mail::{EmailMessage, MailConfigError, Mailer},
    operators::{OperatorService, OperatorServiceSettings},
    vault::Vault,
};
use age_methods::oidc::SignInProviderSettings;
use base::{AccountId, Environment, InvitationId, MemberId, Secret, SignedDuration, Timestamp, Uuid};
use db::{AuditEvent, Db, DbError, FromRow, ReadTx, WriteTx, sql};
use jobs::{Job, JobError, JobOutcome, Lane, Lease, NewJob, RetryPolicy};
use serde::{Deserialize, Serialize};
use std::{num::NonZeroU32, sync::Arc};

/// How many accounts one mail has sign-in links for, at most.
const MAX_LINKS_PER_EMAIL: i64 = 20;
/// What an operator's link says that it leads to.
const OPERATORS_LINK_LABEL: &str = "this server, as its operator";

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
    /// Sign-in links for one mailbox in an hour.
    #[serde(rename = "links_per_hour", deserialize_with = "base::settings::read_as::<u32, _, _>")]
    pub max_links_per_hour: i64,
    /// Sign-in links that can be requested from one network address in a minute; each process counts separately.
    #[serde(rename = "links_per_minute")]
    pub max_links_per_minute: NonZeroU32,
    /// How long an unused session lasts; written in hours.
    #[serde(rename = "idle_hours", with = "base::settings::hours")]
    pub session_idle_timeout: SignedDuration,
    /// How long a session lasts at most; written in days.
    #[serde(rename = "session_days", with = "base::settings::days")]
    pub session_ttl: SignedDuration,
    /// Who must have a second factor. Whoever has one is asked for it in any case.
    #[serde(rename = "mfa")]
    pub second_factor: SecondFactorPolicy,
    /// Whether keys, the deletion of accounts, the erasure of sessions, and rights with which one operator could do without
    /// a second one need a second operator.
    pub four_eyes: bool,
    /// The identity provider that people may sign in through.
    pub oidc: Option<SignInProviderSettings>,
}

impl Default for SignInSettings {
    fn default() -> Self {
        Self {
            public_url: "http://127.0.0.1:8080".to_owned(),
            invitation_ttl: SignedDuration::from_hours(7 * 24),
            sign_in_link_ttl: SignedDuration::from_mins(15),
            max_links_per_hour: 5,
            max_links_per_minute: const { NonZeroU32::new(30).unwrap() },
            session_idle_timeout: SignedDuration::from_hours(12),
            session_ttl: SignedDuration::from_hours(7 * 24),
            second_factor: SecondFactorPolicy::default(),
            four_eyes: false,
            oidc: None,
        }
    }
}

impl SignInSettings {
    /// The defaults, for a console that is reached at `public_url`.
    pub fn for_public_url(public_url: &str) -> Self {
        Self { public_url: public_url.to_owned(), ..Self::default() }
    }
}

/// Invites people and signs members in; cheap to clone.
#[derive(Clone, Debug)]
pub struct SignInService {
    db: Db,
    environment: Arc<dyn Environment>,
    vault: Vault,
    mail: Mailer,
    settings: Arc<SignInSettings>,
    invitations: Invitations,
    sessions: MemberSessions,
    operators: OperatorService,
}

/// Why nobody was signed in.
#[derive(Debug, thiserror::Error)]
pub enum SignInError {
    /// The link is unknown, was used before, or has expired; or its account is being deleted.
    #[error("the link was used already, or is too old; ask for a new one")]
    Link,
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Why no sign-in links can be sent.
#[derive(Debug, thiserror::Error)]
pub enum SignInLinkError {
    /// This server cannot send mail.
    #[error(transparent)]
    Mail(#[from] MailConfigError),
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Sends sign-in links to whoever has an address. Whether it is a member's is only found out when the job runs, so that
/// neither the answer to the request nor its timing tells.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SendSignInLinks {
    /// Part of what authenticates the sealed address.
    id: Uuid,
    /// The address, sealed, in base64.
    sealed: String,
    asked_at: Timestamp,
}

impl Job for SendSignInLinks {
    const KIND: &'static str = "send-sign-in-links";
    const LANE: Lane = Lane::Quick;
    const RETRY: RetryPolicy = RetryPolicy::DEFAULT;
}

impl SignInService {
    /// Signs members in by `settings`; links are sent by `mail`.
    pub fn new(
        db: Db,
        environment: Arc<dyn Environment>,
        vault: Vault,
        mail: Mailer,
        settings: SignInSettings,
    ) -> Self {
        let invitations = Invitations {
            environment: environment.clone(),
            mail: mail.clone(),
            public_url: settings.public_url.clone(),
            ttl: settings.invitation_ttl,
        };
        let sessions = ConsoleSessions {
            db: db.clone(),
            environment: environment.clone(),
            idle_timeout: settings.session_idle_timeout,
            ttl: settings.session_ttl,
        };
        let sessions = MemberSessions { sessions, policy: settings.second_factor };
        let of_operators = OperatorServiceSettings {
            public_url: settings.public_url.clone(),
            invitation_ttl: settings.invitation_ttl,
            sign_in_link_ttl: settings.sign_in_link_ttl,
        };
        let operators = OperatorService::new(environment.clone(), mail.clone(), of_operators);
        Self { db, environment, vault, mail, settings: Arc::new(settings), invitations, sessions, operators }
    }

    /// How people are signed in.
    pub fn settings(&self) -> &SignInSettings {
        &self.settings
    }

    /// Invites operators, and makes links for them.
    pub fn operators(&self) -> &OperatorService {
        &self.operators
    }

    /// The sessions of everybody who works in the console.
    pub fn sessions(&self) -> &ConsoleSessions {
        &self.sessions.sessions
    }

    /// Whether sign-in links can be sent.
    pub fn can_send_mail(&self) -> bool {
        self.mail.ensure_configured().is_ok()
    }

    /// Whether the console is reached by https, so that its cookie can be restricted to https.
    pub fn uses_https(&self) -> bool {
        self.settings.public_url.starts_with("https://")
    }

    /// How long a session lasts at most.
    pub fn session_ttl(&self) -> SignedDuration {
        self.settings.session_ttl
    }

    /// Invites somebody; an earlier invitation of the same address is replaced. The mail is queued in the same transaction.
    /// `inviter` must have the scopes that they give.
    pub async fn invite(
        &self,
        tx: &mut WriteTx,
        inviter: &Principal,
        account: &Account,
        invitee: &Invitee,
    ) -> Result<InvitationId, InvitationError> {
        self.invitations.invite(tx, inviter, account, invitee).await
    }

    /// Like [`Self::invite`], for an operator, who sees the link and can hand it over: a mail is queued only if this server
    /// can send mail.
    pub async fn invite_with_link(
        &self,
        tx: &mut WriteTx,
        account: &Account,
        invitee: &Invitee,
    ) -> Result<IssuedInvitation, InvitationError> {
        self.invitations.invite_with_link(tx, account, invitee).await
    }

    /// The invitations of an account that can still be accepted, newest first.
    pub async fn invitations(
        &self,
        view: &mut ReadTx,
        account: AccountId,
    ) -> Result<Vec<Invitation>, DbError> {
        self.invitations.list(view, account).await
    }

    /// Revokes an invitation; returns whether there was one that could still be accepted.
    pub async fn revoke_invitation(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        id: InvitationId,
    ) -> Result<bool, DbError> {
        self.invitations.revoke(tx, account, id).await
    }

    /// Accepts an invitation, once: makes the member and signs them in.
    pub async fn accept_invitation(
        &self,
        token: &str,
        client: &SessionClient,
    ) -> Result<MemberSession, SignInError> {
        // Strangers who guess must not hold the one writer that SQLite has.
        let mut view = self.db.read().await?;
        let known = view.count(sql!(
            "SELECT count(*) FROM invitations WHERE hash = $1 AND expires_at > $2",
            hash_token(token),
            self.environment.now(),
        ));
        if known.await? == 0 {
            return Err(SignInError::Link);
        }
        drop(view);
        let mut tx = self.db.write().await?;
        let accepted = self.invitations.accept(&mut tx, token).await?;
        let (account, member) = accepted.ok_or(SignInError::Link)?;
        Ok(self.sessions.begin(tx, account, member, SignInMethod::Invitation, client).await?)
    }

    /// Queues a mail with sign-in links to whoever has this address, if it is a member's.
    pub async fn queue_sign_in_links(
        &self,
        tx: &mut WriteTx,
        email: &EmailAddress,
    ) -> Result<(), SignInLinkError> {
        self.mail.ensure_configured()?;
        let id = self.environment.uuid_v4();
        let sealed = self.vault.seal(&*self.environment, &aad(id), email.as_str().as_bytes());
        let sealed = base64_simd::STANDARD.encode_to_string(sealed);
        let job = SendSignInLinks { id, sealed, asked_at: self.environment.now() };
        jobs::enqueue(tx, NewJob::new(&*self.environment, &job)).await?;
        Ok(())
    }

    /// Runs a [`SendSignInLinks`]: makes a link for each account in which the address is a member's, and queues the mail.
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
        let now = self.environment.now();
        let expires_at = now + self.settings.sign_in_link_ttl;
        let mut tx = self.db.write().await?;
        // Members who have been sent as many links within the hour as are allowed are left out.
        let memberships: Vec<MembershipRow> = tx
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
        let mut links = Vec::with_capacity(memberships.len());
        for membership in &memberships {
            let MembershipRow { account_id, member_id, ref name, .. } = *membership;
            if !lock_shared(&mut tx, account_id).await? {
                continue;
            }
            let link = self.insert_sign_in_link(&mut tx, account_id, member_id, expires_at).await?;
            links.push((name.clone(), link));
        }
        let mut to = memberships.into_iter().next().map(|first| first.email);
        let most = Some(self.settings.max_links_per_hour);
        if let Some((operator, link, _)) =
            self.operators.create_sign_in_link(&mut tx, &address.to_lowercase(), most).await?
        {
            links.insert(0, (OPERATORS_LINK_LABEL.to_owned(), link));
            to = to.or(Some(operator.email));
        }
        if let Some(to) = to.filter(|_| !links.is_empty()) {
            let message = EmailMessage::sign_in(&to, links, expires_at);
            self.mail.enqueue(&mut tx, None, &message, expires_at).await?;
        }
        lease.finish(&mut tx).await?;
        tx.commit().await?;
        Ok(JobOutcome::Done)
    }

    /// A link that signs a member in, for an operator to hand over, and until when it works. `None` if the account has no
    /// such member.
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
        let expires_at = self.environment.now() + self.settings.sign_in_link_ttl;
        let link = self.insert_sign_in_link(tx, account, id, expires_at).await?;
        tx.audit(AuditEvent::new("sign-in-link.create").account(account).target(id));
        Ok(Some((link, expires_at)))
    }

    async fn insert_sign_in_link(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        member: MemberId,
        expires_at: Timestamp,
    ) -> Result<Secret<String>, DbError> {
        let token = generate_token(&*self.environment);
        tx.execute(sql!(
            "INSERT INTO sign_in_links (id, account_id, member_id, hash, created_at, expires_at)
             VALUES ($1, $2, $3, $4, $5, $6)",
            self.environment.uuid_v7(),
            account,
            member,
            hash_token(token.expose()),
            self.environment.now(),
            expires_at,
        ))
        .await?;
        Ok(console_link(&self.settings.public_url, "sign-in", &token))
    }

    /// Signs in the member whose sign-in link this is. It works once.
    pub async fn sign_in_by_link(
        &self,
        token: &str,
        client: &SessionClient,
    ) -> Result<MemberSession, SignInError> {
        #[derive(FromRow)]
        struct LinkAccountRow {
            account_id: AccountId,
        }
        #[derive(FromRow)]
        struct UsedLinkRow {
            member_id: MemberId,
        }
        // As in `accept_invitation`.
        let mut view = self.db.read().await?;
        let known: Option<LinkAccountRow> = view
            .fetch_optional(sql!(
                "SELECT account_id FROM sign_in_links WHERE hash = $1 AND used_at IS NULL AND expires_at > $2",
                hash_token(token),
                self.environment.now(),
            ))
            .await?;
        let LinkAccountRow { account_id } = known.ok_or(SignInError::Link)?;
        drop(view);
        let mut tx = self.db.write().await?;
        // The account before the link, as whoever removes a member locks them.
        let account = lock_and_load(&mut tx, account_id).await?.ok_or(SignInError::Link)?;
        let used: Option<UsedLinkRow> = tx
            .fetch_optional(sql!(
                "UPDATE sign_in_links SET used_at = $2 WHERE hash = $1 AND used_at IS NULL AND expires_at > $2
                 RETURNING member_id",
                hash_token(token),
                self.environment.now(),
            ))
            .await?;
        let UsedLinkRow { member_id } = used.ok_or(SignInError::Link)?;
        let member = members::find(&mut tx, account.id, member_id).await?.ok_or(SignInError::Link)?;
        Ok(self.sessions.begin(tx, account, member, SignInMethod::MailLink, client).await?)
    }

    /// Signs in a member who has proved who they are by one of their credentials. `None` if they are a member no more, or
    /// their account is being deleted.
    pub(crate) async fn begin_member_session(
        &self,
        mut tx: WriteTx,
        holder: CredentialHolder,
        method: SignInMethod,
        client: &SessionClient,
    ) -> Result<Option<MemberSession>, DbError> {
        let Some(account) = holder.account else { return Ok(None) };
        let Some(account) = lock_and_load(&mut tx, account).await? else { return Ok(None) };
        let Some(member) = members::find(&mut tx, account.id, holder.id.into()).await? else {
            return Ok(None);
        };
        Ok(Some(self.sessions.begin(tx, account, member, method, client).await?))
    }

    /// The member whose session this is, with the scopes that they have now. Refused while a second factor is missing.
    pub async fn authenticate_session(&self, session: &str) -> Result<Principal, AuthenticationError> {
        self.sessions.authenticate(session).await
    }

    /// The member whose session this is, whether or not they have presented a second factor.
    pub(crate) async fn principal_of_session(
        &self,
        session: &SessionRecord,
    ) -> Result<Principal, AuthenticationError> {
        self.sessions.principal(session).await
    }

    /// Ends a session; nothing happens if there is none.
    pub async fn sign_out(&self, session: &str) -> Result<(), DbError> {
        self.sessions.sessions.end(session).await
    }
}

/// What a sealed address is bound to.
fn aad(id: Uuid) -> Vec<u8> {
    format!("address of sign-in {id}").into_bytes()
}

/// Deletes expired invitations and sign-in links, at most 5,000 of each; returns how many. Links stay for an hour at
/// least, because they are counted for as long.
pub async fn purge_expired(db: &Db, environment: &dyn Environment) -> Result<u64, DbError> {
    let (mut tx, now) = (db.write().await?, environment.now());
    let invitations = tx
        .execute(sql!(
            "DELETE FROM invitations WHERE id IN (SELECT id FROM invitations WHERE expires_at < $1 LIMIT 5000)",
            now,
        ))
        .await?;
    let links = tx
        .execute(sql!(
            "DELETE FROM sign_in_links WHERE id IN
                (SELECT id FROM sign_in_links WHERE created_at < $1 AND expires_at < $2 LIMIT 5000)",
            now - SignedDuration::from_hours(1),
            now,
        ))
        .await?;
    tx.commit().await?;
    Ok(invitations + links)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        accounts,
        keyring::Keyring,
        mail::MailTransport,
        tenancy::applications::{self, NewApplication},
    };
    use base::{Id as _, TestEnvironment};
    use db::testing::TestDb;

    /// An account whose member is ada@example.com.
    async fn open_account(tx: &mut WriteTx, env: &TestEnvironment) -> (AccountId, MemberId) {
        let new = NewApplication { name: "one", organisation: None, billing_source: None, features: &[] };
        let app = applications::create(tx, env, &new).await.unwrap();
        let account = accounts::create(tx, env, app, "one", 1).await.unwrap();
        let member = MemberId::new(env);
        tx.execute(sql!(
            "INSERT INTO members (id, account_id, email, address, username, admin, scopes, created_at)
             VALUES ($1, $2, $3, $3, $3, FALSE, $4, $5)",
            member,
            account,
            "ada@example.com",
            serde_json::json!([]),
            env.now(),
        ))
        .await
        .unwrap();
        (account, member)
    }

    #[tokio::test]
    async fn a_sign_in_link_is_kept_while_it_is_counted_and_while_it_works() {
        let test = TestDb::open().await;
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let mut tx = test.db.write().await.unwrap();
        let (account, member) = open_account(&mut tx, &env).await;
        for (token, minutes) in [("short", 15), ("long", 240)] {
            tx.execute(sql!(
                "INSERT INTO sign_in_links (id, account_id, member_id, hash, created_at, expires_at)
                 VALUES ($1, $2, $3, $4, $5, $6)",
                env.uuid_v7(),
                account,
                member,
                hash_token(token),
                env.now(),
                env.now() + SignedDuration::from_mins(minutes),
            ))
            .await
            .unwrap();
        }
        tx.commit().await.unwrap();
        // 20, 61, 239 and 241 minutes after they were made.
        for (minutes, left) in [(20, 2), (41, 1), (178, 1), (2, 0)] {
            env.advance(SignedDuration::from_mins(minutes));
            purge_expired(&test.db, &env).await.unwrap();
            let mut view = test.db.read().await.unwrap();
            assert_eq!(view.count(sql!("SELECT count(*) FROM sign_in_links")).await.unwrap(), left);
        }
    }

    /// On PostgreSQL, which would end one of two transactions that wait for each other.
    #[tokio::test]
    async fn a_link_is_used_while_its_member_is_removed_and_neither_waits_for_the_other() {
        let test = TestDb::open().await;
        let env = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
        let vault = Vault::new(&Keyring::parse(&"01".repeat(32)).unwrap());
        let mail = Mailer::new(env.clone(), vault.clone(), MailTransport::None, None).unwrap();
        let settings = SignInSettings::default();
        let sign_in = SignInService::new(test.db.clone(), env.clone(), vault, mail, settings);
        let email: EmailAddress = "ada@example.com".parse().unwrap();
        let mut tx = test.db.write().await.unwrap();
        let (account, member) = open_account(&mut tx, &env).await;
        let made = sign_in.create_sign_in_link(&mut tx, account, &email).await.unwrap();
        tx.commit().await.unwrap();
        let (link, _) = made.unwrap();
        let (_, token) = link.expose().split_once("#sign-in=").unwrap();

        let mut tx = test.db.write().await.unwrap();
        assert!(accounts::lock_exclusive(&mut tx, account).await.unwrap());
        let client = SessionClient::default();
        let (begun, ()) = tokio::join!(sign_in.sign_in_by_link(token, &client), async {
            test.wait_until_blocked(1).await;
            // Its links go with it.
            let removed = sql!("DELETE FROM members WHERE account_id = $1 AND id = $2", account, member);
            assert_eq!(tx.execute(removed).await.unwrap(), 1);
            tx.commit().await.unwrap();
        });
        assert!(matches!(begun, Err(SignInError::Link)), "{begun:?}");
    }

    /// A row that an older build queued must still be understood.
    #[test]
    fn old_payloads_still_parse() {
        let old = r#"{"id":"018f3c8e-0000-7000-8000-00000000000a","sealed":"AA==","asked_at":"2026-01-16T14:40:00Z"}"#;
        assert_eq!(serde_json::from_str::<SendSignInLinks>(old).unwrap().sealed, "AA==");
    }
}
