//! What reviewers decide. A decision can be taken back until it is settled; nothing of it leaves the server before that.
//!
//! A case that needs several opinions goes back to the queue after each, for a reviewer who has not decided about it. Nobody
//! learns what others said. Once there are enough, the majority counts; without one, one more reviewer decides.

use super::{
    CaseDecision, CaseKind, CaseOutcome, CaseService, CaseState, CaseSubject, CaseText, Reviewer,
    leases::{CaseChangeError, case_event},
};
use crate::violation::{Violation, check_max_chars};
use base::{
    AccountId, AgeSessionId, AppId, CaseId, CaseOpinionId, Id as _, MemberId, NotificationId, Timestamp,
    VerificationCheckId,
};
use db::{AuditEvent, DbError, FromRow, ReadTx, WriteTx, sql};
use jobs::{Job, JobError, JobOutcome, Lane, Lease, NewJob, RetryPolicy};
use serde::{Deserialize, Serialize};

/// The longest comment of a decision, in characters.
pub(super) const MAX_COMMENT_CHARS: usize = 500;
/// The longest reason code, in bytes.
const MAX_CODE_BYTES: usize = 64;
/// The longest time at pictures that a decision may state, in seconds.
const MAX_EXPOSURE_SECONDS: f64 = 24.0 * 3600.0;

/// A decision that is not recorded yet.
#[derive(Clone, Debug)]
pub struct OpinionInput {
    pub decision: CaseDecision,
    /// Why, as one word of capital letters.
    pub reason_code: Option<String>,
    /// Why, in the reviewer's words; checks of documents need it.
    pub comment: String,
    /// How long the reviewer looked at pictures of this case, in seconds.
    pub exposure_seconds: f64,
}

/// Why no decision was recorded, or none was taken back.
#[derive(Debug, thiserror::Error)]
pub enum DecisionError {
    /// Something about the case.
    #[error(transparent)]
    Case(#[from] CaseChangeError),
    /// What is wrong with the decision.
    #[error("the decision cannot be recorded")]
    Invalid(Vec<Violation>),
    /// It was settled, so it cannot be taken back.
    #[error("the decision has been settled and cannot be taken back any more")]
    Settled,
    /// Nothing has been decided about the case yet.
    #[error("nothing has been decided about the case yet")]
    NotSettled,
    /// A check of a document that was decided stays so.
    #[error("a check of a document has one outcome; whoever appeals against it needs another session")]
    NoAppeal,
    /// What an appeal against an age is judged by goes with its decision.
    #[error("an appeal against an age cannot be a golden case: its picture is deleted once it is decided")]
    NoGolden,
}

impl From<DbError> for DecisionError {
    fn from(error: DbError) -> Self {
        Self::Case(error.into())
    }
}

/// What one reviewer has said.
#[derive(Clone, Debug)]
pub struct CaseOpinion {
    pub id: CaseOpinionId,
    pub reviewer: MemberId,
    pub decision: CaseDecision,
    pub reason_code: Option<String>,
    pub comment: String,
    pub decided_at: Timestamp,
}

/// Settles a decision when it can be taken back no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SettleCaseOpinion {
    pub opinion: CaseOpinionId,
}

impl Job for SettleCaseOpinion {
    const KIND: &'static str = "settle-case-opinion";
    const LANE: Lane = Lane::Quick;
    const RETRY: RetryPolicy = RetryPolicy::DEFAULT;
}

#[derive(FromRow)]
struct CaseKindRow {
    #[sqlx(try_from = "String")]
    kind: CaseKind,
}

#[derive(FromRow)]
pub(super) struct OpinionRow {
    id: CaseOpinionId,
    reviewer_id: MemberId,
    #[sqlx(try_from = "String")]
    decision: CaseDecision,
    reason_code: Option<String>,
    sealed_comment: Option<Vec<u8>>,
    #[sqlx(try_from = "db::DbTimestamp")]
    decided_at: Timestamp,
}

/// What a case is about, and the account that it belongs to.
#[derive(FromRow)]
struct CaseSubjectRow {
    account_id: Option<AccountId>,
    notification_id: Option<NotificationId>,
    check_id: Option<VerificationCheckId>,
    age_session_id: Option<AgeSessionId>,
}

#[derive(FromRow)]
struct SettledCaseRow {
    id: CaseId,
    app_id: AppId,
    #[sqlx(flatten)]
    about: CaseSubjectRow,
    opinions_needed: i64,
    golden_answer: Option<String>,
}

impl CaseSubjectRow {
    fn subject(&self) -> Option<CaseSubject> {
        let notification = self.notification_id.map(CaseSubject::Notification);
        let check = self.check_id.map(CaseSubject::Check);
        notification.or(check).or(self.age_session_id.map(CaseSubject::AgeSession))
    }
}

impl OpinionInput {
    fn violations(&self, kind: CaseKind) -> Vec<Violation> {
        let mut found = Vec::new();
        if !kind.decisions().contains(&self.decision) {
            found.push(unknown_decision(kind));
        }
        let chars = self.comment.trim().chars().count();
        found.extend(check_max_chars("comment", "it has", chars, MAX_COMMENT_CHARS, "shorten it").err());
        if kind == CaseKind::DocumentCheck && chars == 0 && self.reason_code.is_none() {
            found.push(Violation::new("comment", "a decision about a document needs it, or a reason_code"));
        }
        if self.reason_code.as_deref().is_some_and(is_malformed_code) {
            found.push(Violation::new(
                "reason_code",
                "it is one word of capital letters, such as DATA_MISMATCH",
            ));
        }
        if !(0.0..=MAX_EXPOSURE_SECONDS).contains(&self.exposure_seconds) {
            found.push(Violation::new("exposure_seconds", "it is a number of seconds, at most a day"));
        }
        found
    }
}

/// The decision is none of those that end a case of this kind.
pub(super) fn unknown_decision(kind: CaseKind) -> Violation {
    let known: Vec<_> = kind.decisions().iter().map(|decision| decision.as_str()).collect();
    Violation::new("decision", format!("of such a case it is one of {}", known.join(", ")))
}

/// Whether a reason code is anything but one word of capital letters.
pub(super) fn is_malformed_code(code: &str) -> bool {
    code.is_empty()
        || code.len() > MAX_CODE_BYTES
        || !code.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
}

impl CaseService {
    /// Records a reviewer's decision about a case that they hold, and returns when it will be settled.
    pub async fn decide(
        &self,
        tx: &mut WriteTx,
        reviewer: &Reviewer,
        case: CaseId,
        input: &OpinionInput,
    ) -> Result<Timestamp, DecisionError> {
        self.require_visible(tx, reviewer, case).await?;
        let kind: Option<CaseKindRow> =
            tx.fetch_optional(sql!("SELECT kind FROM cases WHERE id = $1", case)).await?;
        let CaseKindRow { kind } = kind.ok_or(CaseChangeError::Missing)?;
        let violations = input.violations(kind);
        if !violations.is_empty() {
            return Err(DecisionError::Invalid(violations));
        }
        let environment = &*self.environment;
        let now = environment.now();
        let rows = tx
            .execute(sql!(
                "UPDATE cases SET state = CASE WHEN state = 'GOLDEN' THEN 'GOLDEN' ELSE 'DECIDED' END,
                        holder_id = NULL, lease_until = NULL, assigned_to = NULL
                  WHERE id = $1 AND holder_id = $2 AND lease_until > $3 AND state IN ('OPEN', 'GOLDEN')",
                case,
                reviewer.member,
                now,
            ))
            .await?;
        if rows == 0 {
            return Err(CaseChangeError::NotHeld.into());
        }
        let (id, settles_at) = (CaseOpinionId::new(environment), now + self.settings.undo);
        let comment = input.comment.trim();
        let sealed = (!comment.is_empty()).then(|| self.seal_text(CaseText::Comment, id, comment));
        tx.execute(sql!(
            "INSERT INTO case_opinions (id, case_id, app_id, account_id, reviewer_id, decision, reason_code, sealed_comment,
                                        exposure_seconds, decided_at, settles_at)
             SELECT $1, id, app_id, account_id, $3, $4, $5, $6, $7, $8, $9 FROM cases WHERE id = $2",
            id,
            case,
            reviewer.member,
            input.decision,
            input.reason_code.as_deref(),
            sealed,
            input.exposure_seconds,
            now,
            settles_at,
        ))
        .await?;
        let (job, key) = (SettleCaseOpinion { opinion: id }, id.to_string());
        let job = NewJob::new(environment, &job).of_application(reviewer.app).unique(&key).due_at(settles_at);
        jobs::enqueue(tx, job).await?;
        tx.audit(case_event("case.decide", reviewer, case).detail("decision", input.decision.as_str()));
        Ok(settles_at)
    }

    /// Takes a decision back that is not settled yet; the case is the reviewer's again.
    pub async fn undo(
        &self,
        tx: &mut WriteTx,
        reviewer: &Reviewer,
        case: CaseId,
    ) -> Result<Timestamp, DecisionError> {
        #[derive(FromRow)]
        struct UndoneRow {
            id: CaseOpinionId,
        }
        self.require_visible(tx, reviewer, case).await?;
        // The case before the job, as in `settle`, so that the two do not wait for each other.
        tx.execute(sql!("UPDATE cases SET outcome = outcome WHERE id = $1", case)).await?;
        let undone: Option<UndoneRow> = tx
            .fetch_optional(sql!(
                "DELETE FROM case_opinions WHERE case_id = $1 AND reviewer_id = $2 AND settled_at IS NULL RETURNING id",
                case,
                reviewer.member,
            ))
            .await?;
        let UndoneRow { id } = undone.ok_or(DecisionError::Settled)?;
        jobs::withdraw::<SettleCaseOpinion>(tx, &id.to_string()).await?;
        let now = self.environment.now();
        let until = now + self.settings.lease;
        let rows = tx
            .execute(sql!(
                "UPDATE cases SET state = CASE WHEN state = 'GOLDEN' THEN 'GOLDEN' ELSE 'OPEN' END,
                        holder_id = $2, lease_until = $3
                  WHERE id = $1 AND (state = 'DECIDED' OR (state = 'GOLDEN' AND (lease_until IS NULL OR lease_until <= $4)))",
                case,
                reviewer.member,
                until,
                now,
            ))
            .await?;
        tx.audit(case_event("case.undo", reviewer, case));
        // A golden case may be somebody else's by now; then it is not given back.
        Ok(if rows == 0 { now } else { until })
    }

    /// Runs a [`SettleCaseOpinion`].
    pub async fn settle(&self, job: &SettleCaseOpinion, lease: &Lease) -> Result<JobOutcome, JobError> {
        self.subjects.prepare().await?;
        let mut tx = self.db.write().await?;
        self.settle_in(&mut tx, job.opinion).await?;
        // The job after the case, as in `undo`.
        lease.finish(&mut tx).await?;
        tx.commit().await?;
        Ok(JobOutcome::Done)
    }

    /// Settles an opinion; nothing happens if it was taken back or settled already.
    pub(super) async fn settle_in(&self, tx: &mut WriteTx, opinion: CaseOpinionId) -> Result<(), DbError> {
        let now = self.environment.now();
        // It was taken back.
        let Some(about) = subject_of(tx, opinion).await? else { return Ok(()) };
        if let Some(subject) = about.subject()
            && !self.subjects.lock(tx, about.account_id, subject).await?
        {
            return Ok(());
        }
        // The case before its opinion: whatever changes an opinion of it has locked the case's row.
        let case: Option<SettledCaseRow> = tx
            .fetch_optional(sql!(
                "UPDATE cases SET outcome = outcome WHERE id = (SELECT case_id FROM case_opinions WHERE id = $1)
                    AND state IN ('DECIDED', 'GOLDEN')
                 RETURNING id, app_id, account_id, notification_id, check_id, age_session_id, opinions_needed,
                           golden_answer",
                opinion,
            ))
            .await?;
        let settled = tx
            .execute(sql!(
                "UPDATE case_opinions SET settled_at = $2 WHERE id = $1 AND settled_at IS NULL",
                opinion,
                now,
            ))
            .await?;
        // It was taken back, or the case was decided elsewhere; a golden one has no effect.
        let Some(case) = case.filter(|case| settled == 1 && case.golden_answer.is_none()) else {
            return Ok(());
        };
        let mut opinions = self.settled_opinions(tx, case.id).await?;
        let Some(decision) = verdict(&opinions, case.opinions_needed) else {
            // One more reviewer; if enough have spoken without a majority, one more than was planned.
            let needed = case.opinions_needed.max(opinions.len() as i64 + 1);
            tx.execute(sql!(
                "UPDATE cases SET state = $2, opinions_needed = $3 WHERE id = $1",
                case.id,
                CaseState::Open,
                needed,
            ))
            .await?;
            return Ok(());
        };
        opinions.sort_by_key(|opinion| opinion.decision == decision);
        tx.execute(sql!(
            "UPDATE cases SET state = $2, outcome = $3, closed_at = $4 WHERE id = $1",
            case.id,
            CaseState::Settled,
            decision,
            now,
        ))
        .await?;
        let Some(subject) = case.about.subject() else { return Ok(()) };
        let outcome = CaseOutcome {
            case: case.id,
            app: case.app_id,
            account: case.about.account_id,
            subject,
            decision,
            opinions,
        };
        let applied = self.subjects.apply(tx, &outcome).await?;
        if !applied {
            tx.execute(sql!("UPDATE cases SET state = $2 WHERE id = $1", case.id, CaseState::Withdrawn))
                .await?;
        }
        tx.set_actor("cases".to_owned());
        let event = AuditEvent::new("case.settle").app(case.app_id).target(case.id);
        let event = event.detail("decision", decision.as_str()).detail("applied", applied);
        tx.audit(match case.about.account_id {
            Some(account) => event.account(account),
            None => event,
        });
        Ok(())
    }

    async fn settled_opinions(&self, view: &mut ReadTx, case: CaseId) -> Result<Vec<CaseOpinion>, DbError> {
        let rows: Vec<OpinionRow> = view
            .fetch_all(sql!(
                "SELECT id, reviewer_id, decision, reason_code, sealed_comment, decided_at FROM case_opinions
                  WHERE case_id = $1 AND settled_at IS NOT NULL ORDER BY decided_at, id",
                case,
            ))
            .await?;
        Ok(rows.into_iter().map(|row| self.open_opinion(row)).collect())
    }

    pub(super) fn open_opinion(&self, row: OpinionRow) -> CaseOpinion {
        let comment = self.open_text(CaseText::Comment, row.id, row.sealed_comment.as_deref());
        CaseOpinion {
            id: row.id,
            reviewer: row.reviewer_id,
            decision: row.decision,
            reason_code: row.reason_code,
            comment,
            decided_at: row.decided_at,
        }
    }
}

/// What the case of an opinion is about; `None` if the opinion was taken back.
async fn subject_of(view: &mut ReadTx, opinion: CaseOpinionId) -> Result<Option<CaseSubjectRow>, DbError> {
    view.fetch_optional(sql!(
        "SELECT c.account_id, c.notification_id, c.check_id, c.age_session_id
           FROM case_opinions o JOIN cases c ON c.id = o.case_id WHERE o.id = $1",
        opinion,
    ))
    .await
}

/// What the reviewers have decided together, once enough have spoken and one decision has more than half of them.
fn verdict(opinions: &[CaseOpinion], needed: i64) -> Option<CaseDecision> {
    if (opinions.len() as i64) < needed {
        return None;
    }
    let of = |decision| opinions.iter().filter(|opinion| opinion.decision == decision).count();
    opinions.iter().map(|opinion| opinion.decision).find(|decision| 2 * of(*decision) > opinions.len())
}
