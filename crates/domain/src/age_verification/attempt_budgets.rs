//! Budgets for what costs the operator money or could tell a stranger something: one-time codes, questions about cards, and
//! questions to registries and identity providers. Each use is counted in the database **before** anything leaves this
//! server, whatever the caller does then.
//!
//! A session has budgets of its own. Further ones are for a recipient, the range and the country of a phone number, a
//! card, an application and the whole installation; they count for 24 hours from the first use, over all sessions and
//! processes. Recipients and cards are stored as keyed hashes.

use super::{AgeSessionError, session::OneTimeCodeCounter, store::AgeSessionStore};
use crate::secure_capture::{self, CaptureUse};
use aws_lc_rs::hmac;
use base::{AgeSessionId, AppId, Environment, Secret, SignedDuration, Timestamp};
use db::{Db, DbError, Durability, WriteTx, sql};
use std::{num::NonZeroU32, sync::Arc};

/// How long a counter counts, from its first use.
const COUNTER_WINDOW: SignedDuration = SignedDuration::from_hours(24);

/// How many codes may be sent, cards be asked about and questions be put to registries and identity providers; the section
/// `[ages.limits]`. All but those of a session are for 24 hours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct AttemptLimits {
    /// Codes of one session, by any method.
    pub codes_per_session: NonZeroU32,
    /// Codes to one phone number or mailbox.
    pub codes_per_recipient: NonZeroU32,
    /// Codes to phone numbers that differ in their last four digits only.
    pub codes_per_range: NonZeroU32,
    /// Codes to phone numbers of one country or network (its calling code).
    pub codes_per_country: NonZeroU32,
    /// Codes for the sessions of one application.
    pub codes_per_application: NonZeroU32,
    /// Codes of the whole installation.
    pub codes_per_day: NonZeroU32,
    /// Cards that the provider is asked about in one session.
    pub cards_per_session: NonZeroU32,
    /// How often the provider is asked about one card number.
    pub cards_per_card: NonZeroU32,
    /// Cards for the sessions of one application.
    pub cards_per_application: NonZeroU32,
    /// Cards of the whole installation.
    pub cards_per_day: NonZeroU32,
    /// Questions to registries of identities, and logins at identity providers, in one session, by any method.
    pub questions_per_session: NonZeroU32,
}

impl Default for AttemptLimits {
    fn default() -> Self {
        const fn limit(number: u32) -> NonZeroU32 {
            match NonZeroU32::new(number) {
                Some(limit) => limit,
                None => NonZeroU32::MIN,
            }
        }
        Self {
            codes_per_session: const { limit(5) },
            codes_per_recipient: const { limit(10) },
            codes_per_range: const { limit(50) },
            codes_per_country: const { limit(5000) },
            codes_per_application: const { limit(5000) },
            codes_per_day: const { limit(20_000) },
            cards_per_session: const { limit(5) },
            cards_per_card: const { limit(5) },
            cards_per_application: const { limit(1000) },
            cards_per_day: const { limit(5000) },
            // As many attempts as a block may allow.
            questions_per_session: const { limit(10) },
        }
    }
}

/// What a use is counted for, with the name of its limit and the limit itself.
struct BudgetedSubject<'a> {
    /// The setting of [`AttemptLimits`], which is also the kind of the row.
    name: &'static str,
    subject: &'a [u8],
    limit: NonZeroU32,
}

/// Who gets a code.
#[derive(Clone, Copy, Debug)]
pub(super) enum CodeSubject<'a> {
    /// A phone number, with `+`; its calling code; and the number without its last four digits.
    Phone { number: &'a str, country: &'a str, range: &'a str },
    /// A mail address.
    Email { address: &'a str },
}

/// Whether something may be sent. It is counted already if it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reservation {
    /// It may be sent, and counts. `remaining` more may be sent in this session.
    Granted { remaining: i64 },
    /// Another code was sent a moment ago; seconds until the next may be.
    TooSoon { wait_seconds: i64 },
    /// A budget is used up: the name of its setting, and the limit.
    Exhausted { limit: &'static str, allowed: u32 },
}

/// Counts codes, cards and questions.
#[derive(Debug)]
pub(super) struct AttemptBudgets {
    db: Db,
    environment: Arc<dyn Environment>,
    sessions: Arc<AgeSessionStore>,
    key: Secret<[u8; 32]>,
    limits: AttemptLimits,
}

impl AttemptBudgets {
    /// `key` hashes recipients and cards.
    pub(super) fn new(
        db: Db,
        environment: Arc<dyn Environment>,
        sessions: Arc<AgeSessionStore>,
        key: Secret<[u8; 32]>,
        limits: AttemptLimits,
    ) -> Self {
        Self { db, environment, sessions, key, limits }
    }

    /// Counts a code that is about to be sent, unless a budget is used up or less than `pause` has passed since the last
    /// one of this session.
    pub(super) async fn reserve_code(
        &self,
        session: AgeSessionId,
        to: CodeSubject<'_>,
        pause: SignedDuration,
    ) -> Result<Reservation, AgeSessionError> {
        let now = self.environment.now();
        let (mut tx, mut locked) = self.sessions.lock_live(session).await?;
        let counter = locked.session.one_time_codes;
        let allowed = i64::from(self.limits.codes_per_session.get());
        if counter.sent >= allowed {
            return Ok(exhausted("codes_per_session", self.limits.codes_per_session));
        }
        let wait_seconds = counter.last.map_or(0, |last| (last + pause).duration_since(now).as_secs());
        if wait_seconds > 0 {
            return Ok(Reservation::TooSoon { wait_seconds: wait_seconds.min(pause.as_secs()) });
        }
        locked.session.one_time_codes = OneTimeCodeCounter { sent: counter.sent + 1, last: Some(now) };
        // Nothing leaves the sandbox, so only its sessions are limited there.
        if !locked.session.sandbox {
            let app = *base::Uuid::from(locked.session.app).as_bytes();
            let limits = &self.limits;
            let subject = |name, subject, limit| BudgetedSubject { name, subject, limit };
            let recipient = match to {
                CodeSubject::Phone { number, .. } => number.to_owned(),
                CodeSubject::Email { address } => mailbox(address),
            };
            let mut subjects =
                vec![subject("codes_per_recipient", recipient.as_bytes(), limits.codes_per_recipient)];
            if let CodeSubject::Phone { country, range, .. } = to {
                subjects.push(subject("codes_per_range", range.as_bytes(), limits.codes_per_range));
                subjects.push(subject("codes_per_country", country.as_bytes(), limits.codes_per_country));
            }
            subjects.push(subject("codes_per_application", &app, limits.codes_per_application));
            subjects.push(subject("codes_per_day", b"", limits.codes_per_day));
            if let Some(refused) = self.count(&mut tx, locked.session.app, &subjects, now).await? {
                return Ok(refused);
            }
        }
        self.sessions.commit(tx, locked).await?;
        Ok(Reservation::Granted { remaining: allowed - counter.sent - 1 })
    }

    /// Counts a card that a provider is about to be asked about, unless a budget is used up. `number` has the digits.
    pub(super) async fn reserve_card(
        &self,
        session: AgeSessionId,
        number: &str,
    ) -> Result<Reservation, AgeSessionError> {
        let now = self.environment.now();
        let (mut tx, mut locked) = self.sessions.lock_live(session).await?;
        let (checked, allowed) =
            (locked.session.cards_checked, i64::from(self.limits.cards_per_session.get()));
        if checked >= allowed {
            return Ok(exhausted("cards_per_session", self.limits.cards_per_session));
        }
        locked.session.cards_checked += 1;
        if !locked.session.sandbox {
            let app = *base::Uuid::from(locked.session.app).as_bytes();
            let limits = &self.limits;
            let subject = |name, subject, limit| BudgetedSubject { name, subject, limit };
            let subjects = [
                subject("cards_per_card", number.as_bytes(), limits.cards_per_card),
                subject("cards_per_application", app.as_slice(), limits.cards_per_application),
                subject("cards_per_day", b"", limits.cards_per_day),
            ];
            if let Some(refused) = self.count(&mut tx, locked.session.app, &subjects, now).await? {
                return Ok(refused);
            }
        }
        self.sessions.commit(tx, locked).await?;
        Ok(Reservation::Granted { remaining: allowed - checked - 1 })
    }

    /// Whether a card may still be asked about in a session that is loaded, which has asked about `checked`.
    pub(super) fn has_cards_left(&self, checked: i64) -> bool {
        checked < i64::from(self.limits.cards_per_session.get())
    }

    /// Counts a question that a registry or an identity provider is about to be asked, unless the session's budget is used up.
    pub(super) async fn reserve_question(
        &self,
        session: AgeSessionId,
    ) -> Result<Reservation, AgeSessionError> {
        let (tx, mut locked) = self.sessions.lock_live(session).await?;
        let (asked, allowed) =
            (locked.session.questions_asked, i64::from(self.limits.questions_per_session.get()));
        if asked >= allowed {
            return Ok(exhausted("questions_per_session", self.limits.questions_per_session));
        }
        locked.session.questions_asked += 1;
        self.sessions.commit(tx, locked).await?;
        Ok(Reservation::Granted { remaining: allowed - asked - 1 })
    }

    /// Whether one may still be asked in a session that is loaded, which has asked `asked` questions.
    pub(super) fn has_questions_left(&self, asked: i64) -> bool {
        asked < i64::from(self.limits.questions_per_session.get())
    }

    /// Counts one use for each subject; returns the first whose budget is used up, and then nothing may be committed.
    /// The subjects are always in the same order, from the one to the many, so that no two transactions wait for each
    /// other.
    async fn count(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        subjects: &[BudgetedSubject<'_>],
        now: Timestamp,
    ) -> Result<Option<Reservation>, DbError> {
        for BudgetedSubject { name, subject, limit } in subjects {
            let counted = tx
                .execute(sql!(
                    "INSERT INTO usage_counters (kind, subject, used, forget_at) VALUES ($1, $2, 1, $3)
                     ON CONFLICT (kind, subject) DO UPDATE
                        SET used = CASE WHEN usage_counters.forget_at <= $4 THEN 1 ELSE usage_counters.used + 1 END,
                            forget_at = CASE WHEN usage_counters.forget_at <= $4 THEN excluded.forget_at
                                             ELSE usage_counters.forget_at END
                      WHERE usage_counters.forget_at <= $4 OR usage_counters.used < $5",
                    *name,
                    self.hash(name, subject),
                    now + COUNTER_WINDOW,
                    now,
                    i64::from(limit.get()),
                ))
                .await?;
            if counted == 0 {
                tracing::warn!(app.id = %app, limit = *name, allowed = limit.get(), "a budget of attempts is used up");
                metrics::counter!("assay_budgets_exhausted_total", "limit" => *name).increment(1);
                return Ok(Some(exhausted(name, *limit)));
            }
        }
        Ok(None)
    }

    /// A subject as it is stored: without the key, numbers could be found out by trying all.
    fn hash(&self, kind: &str, subject: &[u8]) -> Vec<u8> {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.key.expose());
        let mut context = hmac::Context::with_key(&key);
        context.update(kind.as_bytes());
        context.update(&[0]);
        context.update(subject);
        context.sign().as_ref().to_vec()
    }

    /// Records that a token of secure capture was used, to be remembered until `until`. Returns `false` if it had been
    /// used before.
    pub(super) async fn use_capture_token(&self, id: base::Uuid, until: Timestamp) -> Result<bool, DbError> {
        secure_capture::record_use(&self.db, CaptureUse { id, until }).await
    }
}

/// The mailbox of an address: names that differ in case alone, or in what follows a `+`, are one nearly everywhere.
fn mailbox(address: &str) -> String {
    let (name, domain) = address.split_once('@').unwrap_or((address, ""));
    let owner = name.split_once('+').map_or(name, |(owner, _)| owner);
    let owner = if owner.is_empty() { name } else { owner };
    format!("{owner}@{domain}").to_lowercase()
}

fn exhausted(limit: &'static str, allowed: NonZeroU32) -> Reservation {
    Reservation::Exhausted { limit, allowed: allowed.get() }
}

/// Deletes counters and tokens of secure capture whose time is over, at most 1,000 of each. Returns how many.
pub(super) async fn purge_usage(db: &Db, now: Timestamp) -> Result<u64, DbError> {
    let mut tx = db.write_with_durability(Durability::Process).await?;
    let counters = tx
        .execute(sql!(
            sqlite: "DELETE FROM usage_counters WHERE (kind, subject) IN
                        (SELECT kind, subject FROM usage_counters WHERE forget_at <= $1 LIMIT 1000)",
            // One that counts at this moment is not waited for: whoever counts with it may want others that were locked here.
            postgres: "WITH ended AS MATERIALIZED (
                           SELECT kind, subject FROM usage_counters WHERE forget_at <= $1
                            LIMIT 1000 FOR UPDATE SKIP LOCKED)
                       DELETE FROM usage_counters WHERE (kind, subject) IN (SELECT kind, subject FROM ended)",
            now,
        ))
        .await?;
    let tokens = tx
        .execute(sql!(
            "DELETE FROM used_capture_tokens WHERE id IN
                (SELECT id FROM used_capture_tokens WHERE forget_at <= $1 LIMIT 1000)",
            now,
        ))
        .await?;
    tx.commit().await?;
    Ok(counters + tokens)
}

#[cfg(test)]
mod tests {
    use super::*;
    use db::testing::TestDb;

    #[test]
    fn addresses_of_one_mailbox_count_as_one() {
        for (address, counted) in [
            ("Ada@Example.com", "ada@example.com"),
            ("ada+shop+2@example.com", "ada@example.com"),
            ("ada+@example.com", "ada@example.com"),
            ("+ada@example.com", "+ada@example.com"),
        ] {
            assert_eq!(mailbox(address), counted, "{address}");
        }
    }

    /// On PostgreSQL, where whoever counts waits for what is purged, and would be waited for.
    #[tokio::test]
    async fn a_counter_that_counts_is_not_purged() {
        let test = TestDb::open().await;
        if test.db.engine() == db::Engine::Sqlite {
            return;
        }
        let now: Timestamp = "2026-01-16T14:40:00Z".parse().unwrap();
        let mut tx = test.db.write().await.unwrap();
        for kind in ["codes_per_recipient", "codes_per_day"] {
            tx.execute(sql!(
                "INSERT INTO usage_counters (kind, subject, used, forget_at) VALUES ($1, $2, 1, $3)",
                kind,
                vec![0_u8],
                now,
            ))
            .await
            .unwrap();
        }
        tx.commit().await.unwrap();
        let mut counting = test.db.write().await.unwrap();
        let counted = sql!("UPDATE usage_counters SET used = used + 1 WHERE kind = 'codes_per_recipient'");
        assert_eq!(counting.execute(counted).await.unwrap(), 1);
        assert_eq!(purge_usage(&test.db, now).await.unwrap(), 1, "the other one");
        counting.commit().await.unwrap();
        assert_eq!(purge_usage(&test.db, now).await.unwrap(), 1);
    }
}
