//! Sessions: what a browser has from sign-in on.

use super::{CredentialHolder, SignInMethod, generate_token, hash_token};
use crate::wire_enum::wire_enum;
use base::{AccountId, ConsoleSessionId, Environment, Id as _, Secret, SignedDuration, Timestamp, Uuid};
use db::{Db, DbError, Durability, FromRow, ReadTx, WriteTx, sql};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A session's end is put off at most this often, so that not every request writes to the database.
const SESSION_EXTENSION_INTERVAL: SignedDuration = SignedDuration::from_mins(10);
/// How many sessions of one holder are kept: with the next one the oldest ends.
const MAX_SESSIONS_PER_HOLDER: i64 = 50;

wire_enum! {
    /// The family of a browser.
    pub enum BrowserFamily {
        Chrome => "Chrome",
        Edge => "Edge",
        Firefox => "Firefox",
        Opera => "Opera",
        Safari => "Safari",
    }
}

impl BrowserFamily {
    /// The family that a `User-Agent` names, if it is one of the usual ones.
    pub fn of_user_agent(text: &str) -> Option<Self> {
        // Most name others, too, so the order matters.
        let families = [
            ("Edg", Self::Edge),
            ("OPR/", Self::Opera),
            ("Firefox/", Self::Firefox),
            ("FxiOS/", Self::Firefox),
            ("Chrome/", Self::Chrome),
            ("CriOS/", Self::Chrome),
            ("Safari/", Self::Safari),
        ];
        families.into_iter().find(|(word, _)| text.contains(word)).map(|(_, family)| family)
    }
}

/// What is kept of the browser, so that people recognise their own sessions.
#[derive(Clone, Debug, Default)]
pub struct SessionClient {
    pub browser: Option<BrowserFamily>,
    /// The network with its last part cut off, such as `198.51.100.0/24`.
    pub network: Option<String>,
}

/// A session to begin.
#[derive(Clone, Debug)]
pub struct NewSession<'a> {
    pub holder: CredentialHolder,
    pub method: SignInMethod,
    /// Whether they have proved more than that they read mail at an address, or know a password.
    pub second_factor: bool,
    pub client: &'a SessionClient,
}

/// A session that has just begun.
#[derive(Debug)]
pub struct BegunSession {
    /// The secret of the session, for the browser's cookie. It is known only now.
    pub token: Secret<String>,
    pub id: ConsoleSessionId,
    /// When the session ends at the latest, however much it is used.
    pub ends_at: Timestamp,
}

/// A session that has not ended.
#[derive(Clone, Debug, FromRow)]
pub struct SessionRecord {
    pub id: ConsoleSessionId,
    holder_id: Uuid,
    account_id: Option<AccountId>,
    /// Whether a second factor was presented.
    pub second_factor: bool,
    #[sqlx(try_from = "db::DbTimestamp")]
    expires_at: Timestamp,
}

impl SessionRecord {
    /// Whose it is.
    pub fn holder(&self) -> CredentialHolder {
        CredentialHolder { id: self.holder_id, account: self.account_id }
    }
}

/// The session that a browser had when a sign-in began that takes several requests: the new session takes its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlierSession {
    id: ConsoleSessionId,
    holder: CredentialHolder,
}

/// A session as its holder sees it.
#[derive(Clone, Debug, FromRow)]
pub struct OpenSession {
    pub id: ConsoleSessionId,
    #[sqlx(try_from = "String")]
    pub method: SignInMethod,
    /// Whether a second factor was presented.
    pub second_factor: bool,
    /// A [`BrowserFamily`].
    pub browser: Option<String>,
    pub network: Option<String>,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
    /// To ten minutes.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub last_used_at: Timestamp,
    /// When it ends at the latest.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub ends_at: Timestamp,
}

/// Begins, checks and ends sessions; cheap to clone.
#[derive(Clone, Debug)]
pub struct ConsoleSessions {
    pub(crate) db: Db,
    pub(crate) environment: Arc<dyn Environment>,
    /// How long a session lasts that is not used.
    pub(crate) idle_timeout: SignedDuration,
    /// How long a session lasts at most.
    pub(crate) ttl: SignedDuration,
}

impl ConsoleSessions {
    /// Begins a session, in the transaction in which its holder has proved who they are.
    pub(crate) async fn begin(
        &self,
        tx: &mut WriteTx,
        new: &NewSession<'_>,
    ) -> Result<BegunSession, DbError> {
        let NewSession { holder, method, second_factor, client } = *new;
        let (token, now) = (generate_token(&*self.environment), self.environment.now());
        let (id, ends_at) = (ConsoleSessionId::new(&*self.environment), now + self.ttl);
        tx.execute(sql!(
            "DELETE FROM console_sessions WHERE holder_id = $1 AND id NOT IN
                (SELECT id FROM console_sessions WHERE holder_id = $1 ORDER BY created_at DESC, id LIMIT $2)",
            holder.id,
            MAX_SESSIONS_PER_HOLDER - 1,
        ))
        .await?;
        tx.execute(sql!(
            "INSERT INTO console_sessions
                (id, holder_id, account_id, hash, method, second_factor, browser, network, created_at, last_used_at,
                 expires_at, ends_at)
             VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10, $11)",
            id,
            holder.id,
            holder.account,
            hash_token(token.expose()),
            method,
            second_factor,
            client.browser.map(BrowserFamily::as_str),
            client.network.as_deref(),
            now,
            now + self.idle_timeout,
            ends_at,
        ))
        .await?;
        tx.set_actor(holder.audit_actor());
        let kind = if holder.is_operator() { "operator-session.begin" } else { "member-session.begin" };
        tx.audit(holder.event(kind).detail("method", method.as_str()).detail("second_factor", second_factor));
        Ok(BegunSession { token, id, ends_at })
    }

    /// The session whose secret this is; `None` if there is none, or it has ended.
    pub(crate) async fn find(&self, token: &str) -> Result<Option<SessionRecord>, DbError> {
        let now = self.environment.now();
        let mut view = self.db.read().await?;
        let found: Option<SessionRecord> = view
            .fetch_optional(sql!(
                "SELECT id, holder_id, account_id, second_factor, expires_at FROM console_sessions
                  WHERE hash = $1 AND expires_at > $2 AND ends_at > $2",
                hash_token(token),
                now,
            ))
            .await?;
        drop(view);
        if let Some(session) = &found
            && session.expires_at.duration_since(now) < self.idle_timeout - SESSION_EXTENSION_INTERVAL
        {
            self.extend(session.id).await?;
        }
        Ok(found)
    }

    /// Puts off the end of a session, because it is used.
    async fn extend(&self, id: ConsoleSessionId) -> Result<(), DbError> {
        let now = self.environment.now();
        let mut tx = self.db.write_with_durability(Durability::Process).await?;
        tx.execute(sql!(
            "UPDATE console_sessions SET expires_at = $2, last_used_at = $3 WHERE id = $1",
            id,
            now + self.idle_timeout,
            now,
        ))
        .await?;
        tx.commit().await
    }

    /// Notes that the holder has presented a second factor. The session gets a new secret: whoever saw the old one has
    /// nothing of it.
    pub(crate) async fn elevate(
        &self,
        tx: &mut WriteTx,
        session: &SessionRecord,
    ) -> Result<Option<Secret<String>>, DbError> {
        let token = generate_token(&*self.environment);
        let rows = tx
            .execute(sql!(
                "UPDATE console_sessions SET hash = $3, second_factor = TRUE WHERE id = $1 AND holder_id = $2",
                session.id,
                session.holder_id,
                hash_token(token.expose()),
            ))
            .await?;
        tx.set_actor(session.holder().audit_actor());
        tx.audit(session.holder().event("second-factor.present"));
        Ok((rows == 1).then_some(token))
    }

    /// Ends a session by its secret; nothing happens if there is none.
    pub(crate) async fn end(&self, token: &str) -> Result<(), DbError> {
        // Strangers who guess must not hold the one writer that SQLite has.
        let mut view = self.db.read().await?;
        let known =
            view.count(sql!("SELECT count(*) FROM console_sessions WHERE hash = $1", hash_token(token)));
        if known.await? == 0 {
            return Ok(());
        }
        drop(view);
        let mut tx = self.db.write().await?;
        let ended: Option<SessionRecord> = tx
            .fetch_optional(sql!(
                "DELETE FROM console_sessions WHERE hash = $1
                 RETURNING id, holder_id, account_id, second_factor, expires_at",
                hash_token(token)
            ))
            .await?;
        if let Some(session) = ended {
            tx.set_actor(session.holder().audit_actor());
            audit_end(&mut tx, session.holder(), 1);
        }
        tx.commit().await
    }

    /// The session whose secret a browser has, if it has not ended, for [`Self::end_earlier`].
    pub(crate) async fn find_earlier(&self, token: &str) -> Result<Option<EarlierSession>, DbError> {
        let found = self.find(token).await?;
        Ok(found.map(|session| EarlierSession { id: session.id, holder: session.holder() }))
    }

    /// Ends the session whose place another one has taken; nothing happens if it has ended already.
    pub(crate) async fn end_earlier(&self, earlier: EarlierSession) -> Result<(), DbError> {
        let mut tx = self.db.write().await?;
        tx.set_actor(earlier.holder.audit_actor());
        self.end_one(&mut tx, earlier.holder, earlier.id).await?;
        tx.commit().await
    }

    /// The sessions of a holder that have not ended, the one that was used last first.
    pub async fn list(
        &self,
        view: &mut ReadTx,
        holder: CredentialHolder,
    ) -> Result<Vec<OpenSession>, DbError> {
        view.fetch_all(sql!(
            "SELECT id, method, second_factor, browser, network, created_at, last_used_at, ends_at
               FROM console_sessions WHERE holder_id = $1 AND expires_at > $2 AND ends_at > $2
              ORDER BY last_used_at DESC, id LIMIT 100",
            holder.id,
            self.environment.now(),
        ))
        .await
    }

    /// Whether nobody has ended a session.
    pub(crate) async fn is_open(&self, view: &mut ReadTx, session: &SessionRecord) -> Result<bool, DbError> {
        let open = sql!("SELECT count(*) FROM console_sessions WHERE id = $1", session.id);
        Ok(view.count(open).await? == 1)
    }

    /// Ends one session of a holder; returns whether there was one.
    pub async fn end_one(
        &self,
        tx: &mut WriteTx,
        holder: CredentialHolder,
        id: ConsoleSessionId,
    ) -> Result<bool, DbError> {
        let rows = tx
            .execute(sql!("DELETE FROM console_sessions WHERE id = $1 AND holder_id = $2", id, holder.id))
            .await?;
        audit_end(tx, holder, rows);
        Ok(rows == 1)
    }

    /// Ends all sessions of a holder, except one if it is named; returns how many.
    pub async fn end_all(
        &self,
        tx: &mut WriteTx,
        holder: CredentialHolder,
        except: Option<ConsoleSessionId>,
    ) -> Result<u64, DbError> {
        let rows = tx
            .execute(sql!(
                "DELETE FROM console_sessions WHERE holder_id = $1 AND (id <> $2 OR $2 IS NULL)",
                holder.id,
                except,
            ))
            .await?;
        audit_end(tx, holder, rows);
        Ok(rows)
    }
}

fn audit_end(tx: &mut WriteTx, holder: CredentialHolder, sessions: u64) {
    if sessions > 0 {
        let kind = if holder.is_operator() { "operator-session.end" } else { "member-session.end" };
        tx.audit(holder.event(kind).detail("sessions", sessions));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_known_by_its_family_and_no_more() {
        let family = |text: &str| BrowserFamily::of_user_agent(text).map(BrowserFamily::as_str);
        for (agent, expected) in [
            ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", Some("Firefox")),
            (
                "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36",
                Some("Chrome"),
            ),
            ("Mozilla/5.0 (Windows NT 10.0) Chrome/140.0.0.0 Safari/537.36 Edg/140.0", Some("Edge")),
            ("Mozilla/5.0 (X11) Chrome/140.0.0.0 Safari/537.36 OPR/120.0", Some("Opera")),
            ("Mozilla/5.0 (iPhone) AppleWebKit/605 Version/18.0 Mobile/15E148 Safari/604.1", Some("Safari")),
            ("curl/8.14", None),
            ("", None),
        ] {
            assert_eq!(family(agent), expected, "{agent}");
        }
    }
}
