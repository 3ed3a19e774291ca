//! What happened in a session, in the order of time: its steps, and the messages about it.

use super::{VerificationSessionRecord, VerificationSessions};
use crate::{
    session_steps::{self, SessionStep, SessionStepKind},
    wire_enum::wire_enum,
};
use base::{DeliveryId, Timestamp, Uuid};
use db::{DbError, DbTimestamp, FromRow, ReadTx, sql};

/// Messages that are shown of a session, the latest.
const MAX_MESSAGES: i64 = 200;

wire_enum! {
    /// What happened.
    pub enum TimelineEvent {
        /// The application created the session.
        Created => "CREATED",
        /// The person opened the page for the first time.
        PageOpened => "PAGE_OPENED",
        /// The person answered whether their biometric data may be used.
        Consent => "CONSENT",
        /// The person tried a method.
        Method => "METHOD",
        /// Something was supplied: a document, a face.
        Capture => "CAPTURE",
        /// The person has supplied everything, and the checks began.
        Submitted => "SUBMITTED",
        /// What was supplied was checked.
        Check => "CHECK",
        /// What was supplied, or a part of it, was destroyed.
        Redaction => "REDACTION",
        /// Somebody asked for a person to look at the result again.
        Appeal => "APPEAL",
        /// The clock of a sandbox session was put forward.
        ClockAdvanced => "CLOCK_ADVANCED",
        /// The session ended.
        Result => "RESULT",
        /// A message went to the application's server.
        Message => "MESSAGE",
    }
}

/// Something that happened.
#[derive(Clone, Debug)]
pub struct TimelineEntry {
    pub event: TimelineEvent,
    pub at: Timestamp,
    /// When it was over, if it took time.
    pub ended_at: Option<Timestamp>,
    /// A method, a kind of document, a check; of a message, its topic.
    pub subject: Option<String>,
    /// How it ended; of a message, the state of its delivery.
    pub outcome: Option<String>,
    /// Why, as a code.
    pub reason: Option<String>,
    /// Of a message.
    pub delivery_id: Option<DeliveryId>,
}

#[derive(FromRow)]
struct MessageRow {
    id: DeliveryId,
    topic: String,
    state: String,
    #[sqlx(try_from = "db::DbTimestamp")]
    created_at: Timestamp,
    ended_at: Option<DbTimestamp>,
}

impl VerificationSessions {
    /// Everything that is known to have happened in a session.
    pub async fn timeline(
        &self,
        view: &mut ReadTx,
        record: &VerificationSessionRecord,
    ) -> Result<Vec<TimelineEntry>, DbError> {
        let mut entries = vec![TimelineEntry {
            event: TimelineEvent::Created,
            at: record.created_at,
            ended_at: None,
            subject: None,
            outcome: None,
            reason: None,
            delivery_id: None,
        }];
        let steps = session_steps::of_session(view, record.kind, record.id).await?;
        entries.extend(steps.into_iter().filter_map(step_entry));
        for MessageRow { id, topic, state, created_at, ended_at } in messages(view, record.id).await? {
            entries.push(TimelineEntry {
                event: TimelineEvent::Message,
                at: created_at,
                ended_at: ended_at.map(Timestamp::from),
                subject: Some(topic),
                outcome: Some(state),
                reason: None,
                delivery_id: Some(id),
            });
        }
        // Of one moment the cause comes first: a result after what it follows from, then the message about it.
        entries.sort_by_key(|entry| (entry.at, entry.event as u8));
        Ok(entries)
    }
}

async fn messages(view: &mut ReadTx, session: Uuid) -> Result<Vec<MessageRow>, DbError> {
    view.fetch_all(sql!(
        "SELECT d.id, d.topic, d.state, d.created_at, d.ended_at FROM delivery_subjects s
           JOIN deliveries d ON d.id = s.delivery_id WHERE s.subject_id = $1
          ORDER BY d.created_at DESC, d.id DESC LIMIT $2",
        session,
        MAX_MESSAGES,
    ))
    .await
}

/// A step as an entry. The session itself is shown when it ends.
fn step_entry(step: SessionStep) -> Option<TimelineEntry> {
    let SessionStep { step, subject, outcome, reason, started_at, ended_at } = step;
    let ended_at = ended_at.map(Timestamp::from);
    let event = match step {
        SessionStepKind::Session => TimelineEvent::Result,
        SessionStepKind::PageOpened => TimelineEvent::PageOpened,
        SessionStepKind::Consent => TimelineEvent::Consent,
        SessionStepKind::Method => TimelineEvent::Method,
        SessionStepKind::Capture => TimelineEvent::Capture,
        SessionStepKind::Submitted => TimelineEvent::Submitted,
        SessionStepKind::Check => TimelineEvent::Check,
        SessionStepKind::Redaction => TimelineEvent::Redaction,
        SessionStepKind::Appeal => TimelineEvent::Appeal,
        SessionStepKind::ClockAdvanced => TimelineEvent::ClockAdvanced,
    };
    let (at, ended_at, subject) = if event == TimelineEvent::Result {
        (ended_at?, None, None)
    } else {
        (started_at, ended_at.filter(|ended| *ended != started_at), Some(subject))
    };
    Some(TimelineEntry { event, at, ended_at, subject, outcome, reason, delivery_id: None })
}
