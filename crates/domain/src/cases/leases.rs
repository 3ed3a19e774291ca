//! Who works on a case. A case that is claimed belongs to one reviewer until its lease ends; the page renews it. A case whose lease
//! has ended keeps its holder until somebody else claims it, and goes back to them first: whether a case comes back after a
//! machine has slept says nothing about it, golden or not.
//!
//! Every change is one guarded statement, so two reviewers never hold the same case, whatever their requests interleave with.

use super::{
    CaseKind, CaseService, CaseState, CaseText, Reviewer, assignees::take_back_assignments, exposure, queues,
};
use crate::violation::{Violation, check_max_chars};
use base::{CaseId, CaseQueueId, LimitViolation, MemberId, SignedDuration, Timestamp, Uuid};
use db::{AuditEvent, DbError, FromRow, ReadTx, WriteTx, sql};

/// How many cases a reviewer holds at once, at most: the one that is shown, and those that are fetched ahead.
pub const MAX_CLAIMED_CASES: usize = 5;
/// The longest time that a case is put on hold.
const MAX_HOLD: SignedDuration = SignedDuration::from_hours(31 * 24);
/// The longest note, in characters.
const MAX_NOTE_CHARS: usize = 500;

/// Why a case was not claimed or changed.
#[derive(Debug, thiserror::Error)]
pub enum CaseChangeError {
    /// There is no such case, or none that the reviewer may decide.
    #[error("there is no such case")]
    Missing,
    /// Somebody else holds the case, or it is closed.
    #[error("the case is not yours: its lease has ended, somebody else has it, or it is closed")]
    NotHeld,
    /// Nobody whom the case could be handed to.
    #[error("there is no such member, or they may not decide such cases")]
    NoSuchReviewer,
    /// The day's budget of looking at pictures is used up.
    #[error("you have looked at pictures for {} minutes today, the most you should", .used.as_mins())]
    BudgetUsedUp { used: SignedDuration, budget: SignedDuration },
    /// What was asked for is out of bounds.
    #[error(transparent)]
    Invalid(#[from] Violation),
    /// The database failed.
    #[error(transparent)]
    Db(#[from] DbError),
}

/// Puts a case on hold.
#[derive(Clone, Debug)]
pub struct HoldRequest {
    /// When it comes back.
    pub until: Timestamp,
    /// What others should know; at most 500 characters.
    pub note: String,
}

#[derive(FromRow)]
struct ClaimedRow {
    id: CaseId,
    #[sqlx(try_from = "db::DbTimestamp")]
    lease_until: Timestamp,
}

/// A case that can be claimed.
#[derive(FromRow)]
struct FreeCaseRow {
    id: CaseId,
    priority: i64,
    #[sqlx(try_from = "db::DbTimestamp")]
    due_at: Timestamp,
}

#[derive(FromRow)]
struct HeldRow {
    #[sqlx(try_from = "db::DbTimestamp")]
    lease_until: Timestamp,
}

impl CaseService {
    /// Claims up to `count` cases, of one queue or of all, and returns what the reviewer holds, in the order in which it is to
    /// be decided: cases that they hold already come first, then those whose leases have ended and that nobody else has claimed
    /// since. Few or none are returned if there are no more.
    pub async fn claim(
        &self,
        tx: &mut WriteTx,
        reviewer: &Reviewer,
        queue: Option<CaseQueueId>,
        count: usize,
    ) -> Result<Vec<CaseId>, CaseChangeError> {
        let now = self.environment.now();
        let used = exposure::seconds_today(tx, reviewer.member, now).await?;
        let used = SignedDuration::from_secs(used as i64);
        let budget = self.settings.exposure_budget;
        if !budget.is_zero() && used >= budget {
            return Err(CaseChangeError::BudgetUsedUp { used, budget });
        }
        take_back_assignments(tx, reviewer.app).await?;
        let count = count.min(MAX_CLAIMED_CASES);
        let mut held = self.renew_all(tx, reviewer, now, count).await?;
        while held.len() < count {
            let drawn = match queue {
                Some(queue) => self.draw_golden(tx, reviewer, queue).await?,
                None => None,
            };
            let golden = match drawn {
                Some(_) => self.claim_one(tx, reviewer, queue, now, drawn).await?,
                None => None,
            };
            let claimed = match golden {
                Some(case) => Some(case),
                None => self.claim_one(tx, reviewer, queue, now, None).await?,
            };
            let Some(case) = claimed else { break };
            held.push(case);
        }
        Ok(held)
    }

    /// Whether the next case should be a golden one: then how soon a case of the queue is due.
    async fn draw_golden(
        &self,
        view: &mut ReadTx,
        reviewer: &Reviewer,
        queue: CaseQueueId,
    ) -> Result<Option<SignedDuration>, DbError> {
        let mut owned = queues::list(view, (reviewer.app, Some(reviewer.account))).await?;
        owned.extend(queues::list(view, (reviewer.app, None)).await?);
        let queue = owned.iter().find(|known| known.id == queue);
        let drawn = queue.filter(|queue| queues::happens(&*self.environment, queue.golden_percent));
        Ok(drawn.map(|queue| SignedDuration::from_mins(queue.target_minutes)))
    }

    /// Renews all leases of a reviewer, and returns their cases, the oldest lease first. Of those that have ended, the latest
    /// first, it renews no more than make up `count` cases.
    async fn renew_all(
        &self,
        tx: &mut WriteTx,
        reviewer: &Reviewer,
        now: Timestamp,
        count: usize,
    ) -> Result<Vec<CaseId>, DbError> {
        let known: Vec<ClaimedRow> = tx
            .fetch_all(sql!(
                "SELECT id, lease_until FROM cases
                  WHERE holder_id = $1 AND app_id = $2 AND state IN ('OPEN', 'GOLDEN')
                  ORDER BY lease_until, id",
                reviewer.member,
                reviewer.app,
            ))
            .await?;
        let (ended, current): (Vec<_>, Vec<_>) = known.into_iter().partition(|row| row.lease_until <= now);
        let count = count.max(current.len());
        let mut held = Vec::new();
        for ClaimedRow { id, .. } in current.into_iter().chain(ended.into_iter().rev()) {
            if held.len() < count && self.renew_one(tx, reviewer, id, now).await?.is_some() {
                held.push(id);
            }
        }
        Ok(held)
    }

    /// Renews a lease, one that has ended too, if the case is still the reviewer's, and one that they may decide.
    async fn renew_one(
        &self,
        tx: &mut WriteTx,
        reviewer: &Reviewer,
        case: CaseId,
        now: Timestamp,
    ) -> Result<Option<Timestamp>, DbError> {
        let row: Option<HeldRow> = tx
            .fetch_optional(sql!(
                "UPDATE cases SET lease_until = $3
                  WHERE id = $1 AND holder_id = $2 AND state IN ('OPEN', 'GOLDEN') AND app_id = $4
                    AND ((kind = 'FINDING' AND account_id = $5 AND $6)
                         OR (kind = 'DOCUMENT_CHECK' AND account_id IS NULL AND $7)
                         OR (kind = 'AGE_APPEAL' AND account_id IS NULL AND $8))
                 RETURNING lease_until",
                case,
                reviewer.member,
                now + self.settings.lease,
                reviewer.app,
                reviewer.account,
                reviewer.reviews(CaseKind::Finding),
                reviewer.reviews(CaseKind::DocumentCheck),
                reviewer.reviews(CaseKind::AgeAppeal),
            ))
            .await?;
        Ok(row.map(|row| row.lease_until))
    }

    /// Claims the first case that is free: what was handed to the reviewer first, then by priority, then by when it is due.
    /// With `golden`, a golden case, which is dated anew, as one that has just come in and is due so soon: old ones would be
    /// known by their dates.
    async fn claim_one(
        &self,
        tx: &mut WriteTx,
        reviewer: &Reviewer,
        queue: Option<CaseQueueId>,
        now: Timestamp,
        golden: Option<SignedDuration>,
    ) -> Result<Option<CaseId>, DbError> {
        let state = if golden.is_some() { CaseState::Golden } else { CaseState::Open };
        let mut best = match state {
            CaseState::Golden => None,
            _ => self.first_assigned(tx, reviewer, queue, now).await?,
        };
        if best.is_none() {
            // Cases of the account, and of its application: each is found by one look at the index.
            for owner in [Uuid::from(reviewer.account), reviewer.app.into()] {
                let found = self.first_free(tx, reviewer, (owner, queue), now, state).await?;
                best =
                    [best, found].into_iter().flatten().min_by_key(|row| (-row.priority, row.due_at, row.id));
            }
        }
        let Some(FreeCaseRow { id, .. }) = best else { return Ok(None) };
        let rows = tx
            .execute(sql!(
                "UPDATE cases SET state = CASE WHEN state = 'HELD' THEN 'OPEN' ELSE state END, held_until = NULL,
                        holder_id = $2, lease_until = $3,
                        created_at = CASE WHEN state = 'GOLDEN' THEN $4 ELSE created_at END,
                        due_at = CASE WHEN state = 'GOLDEN' THEN $5 ELSE due_at END
                  WHERE id = $1 AND (lease_until IS NULL OR lease_until <= $4)",
                id,
                reviewer.member,
                now + self.settings.lease,
                now,
                now + golden.unwrap_or(SignedDuration::ZERO),
            ))
            .await?;
        Ok((rows == 1).then_some(id))
    }

    /// The first case that was handed to the reviewer.
    async fn first_assigned(
        &self,
        tx: &mut WriteTx,
        reviewer: &Reviewer,
        queue: Option<CaseQueueId>,
        now: Timestamp,
    ) -> Result<Option<FreeCaseRow>, DbError> {
        tx.fetch_optional(sql!(
            sqlite: "SELECT c.id, c.priority, c.due_at FROM cases c
                      WHERE c.assigned_to = $1 AND c.app_id = $2 AND c.state IN ('OPEN', 'HELD')
                        AND (c.state = 'OPEN' OR c.held_until <= $3) AND (c.lease_until IS NULL OR c.lease_until <= $3)
                        AND (c.queue_id = $4 OR $4 IS NULL)
                        AND ((c.kind = 'FINDING' AND c.account_id = $5 AND $6) OR (c.kind = 'DOCUMENT_CHECK' AND $7)
                             OR (c.kind = 'AGE_APPEAL' AND $8))
                      ORDER BY c.priority DESC, c.due_at, c.id LIMIT 1",
            postgres: "SELECT c.id, c.priority, c.due_at FROM cases c
                      WHERE c.assigned_to = $1 AND c.app_id = $2 AND c.state IN ('OPEN', 'HELD')
                        AND (c.state = 'OPEN' OR c.held_until <= $3) AND (c.lease_until IS NULL OR c.lease_until <= $3)
                        AND (c.queue_id = $4 OR $4 IS NULL)
                        AND ((c.kind = 'FINDING' AND c.account_id = $5 AND $6) OR (c.kind = 'DOCUMENT_CHECK' AND $7)
                             OR (c.kind = 'AGE_APPEAL' AND $8))
                      ORDER BY c.priority DESC, c.due_at, c.id LIMIT 1 FOR UPDATE SKIP LOCKED",
            reviewer.member,
            reviewer.app,
            now,
            queue,
            reviewer.account,
            reviewer.reviews(CaseKind::Finding),
            reviewer.reviews(CaseKind::DocumentCheck),
            reviewer.reviews(CaseKind::AgeAppeal),
        ))
        .await
    }

    /// The first case of an account or an application that is handed to nobody, and about which the reviewer has not decided.
    /// An appeal goes to nobody who has decided any case of its subject, as an earlier appeal; golden cases decide nothing.
    async fn first_free(
        &self,
        tx: &mut WriteTx,
        reviewer: &Reviewer,
        (owner, queue): (Uuid, Option<CaseQueueId>),
        now: Timestamp,
        state: CaseState,
    ) -> Result<Option<FreeCaseRow>, DbError> {
        tx.fetch_optional(sql!(
            sqlite: "SELECT c.id, c.priority, c.due_at FROM cases c
                      WHERE c.owner_id = $1 AND c.app_id = $2 AND c.state IN ('OPEN', 'HELD', 'GOLDEN')
                        AND (c.state = $3 OR (c.state = 'HELD' AND $3 = 'OPEN' AND c.held_until <= $4))
                        AND (c.lease_until IS NULL OR c.lease_until <= $4) AND c.assigned_to IS NULL
                        AND (c.queue_id = $5 OR $5 IS NULL)
                        AND ((c.kind = 'FINDING' AND c.account_id = $1 AND $6)
                             OR (c.kind = 'DOCUMENT_CHECK' AND c.account_id IS NULL AND $7)
                             OR (c.kind = 'AGE_APPEAL' AND c.account_id IS NULL AND $8))
                        AND NOT EXISTS (SELECT 1 FROM case_opinions o
                                         WHERE o.reviewer_id = $9 AND o.case_id IN (c.id, c.appeal_of))
                        AND (c.appeal_of IS NULL OR c.golden_answer IS NOT NULL OR NOT EXISTS
                             (SELECT 1 FROM cases d JOIN case_opinions o ON o.case_id = d.id
                               WHERE o.reviewer_id = $9 AND d.golden_answer IS NULL
                                 AND (d.notification_id = c.notification_id OR d.check_id = c.check_id
                                      OR d.age_session_id = c.age_session_id)))
                      ORDER BY c.priority DESC, c.due_at, c.id LIMIT 1",
            postgres: "SELECT c.id, c.priority, c.due_at FROM cases c
                      WHERE c.owner_id = $1 AND c.app_id = $2 AND c.state IN ('OPEN', 'HELD', 'GOLDEN')
                        AND (c.state = $3 OR (c.state = 'HELD' AND $3 = 'OPEN' AND c.held_until <= $4))
                        AND (c.lease_until IS NULL OR c.lease_until <= $4) AND c.assigned_to IS NULL
                        AND (c.queue_id = $5 OR $5 IS NULL)
                        AND ((c.kind = 'FINDING' AND c.account_id = $1 AND $6)
                             OR (c.kind = 'DOCUMENT_CHECK' AND c.account_id IS NULL AND $7)
                             OR (c.kind = 'AGE_APPEAL' AND c.account_id IS NULL AND $8))
                        AND NOT EXISTS (SELECT 1 FROM case_opinions o
                                         WHERE o.reviewer_id = $9 AND o.case_id IN (c.id, c.appeal_of))
                        AND (c.appeal_of IS NULL OR c.golden_answer IS NOT NULL OR NOT EXISTS
                             (SELECT 1 FROM cases d JOIN case_opinions o ON o.case_id = d.id
                               WHERE o.reviewer_id = $9 AND d.golden_answer IS NULL
                                 AND (d.notification_id = c.notification_id OR d.check_id = c.check_id
                                      OR d.age_session_id = c.age_session_id)))
                      ORDER BY c.priority DESC, c.due_at, c.id LIMIT 1 FOR UPDATE OF c SKIP LOCKED",
            owner,
            reviewer.app,
            state,
            now,
            queue,
            reviewer.reviews(CaseKind::Finding),
            reviewer.reviews(CaseKind::DocumentCheck),
            reviewer.reviews(CaseKind::AgeAppeal),
            reviewer.member,
        ))
        .await
    }

    /// Renews the leases of cases that the reviewer holds, or held until nobody claimed them, and returns the cases that are still
    /// theirs, with the end of each lease.
    pub async fn renew(
        &self,
        tx: &mut WriteTx,
        reviewer: &Reviewer,
        cases: &[CaseId],
    ) -> Result<Vec<(CaseId, Timestamp)>, DbError> {
        let now = self.environment.now();
        let mut renewed = Vec::new();
        for case in cases.iter().take(MAX_CLAIMED_CASES) {
            if let Some(until) = self.renew_one(tx, reviewer, *case, now).await? {
                renewed.push((*case, until));
            }
        }
        Ok(renewed)
    }

    /// Gives a case back. A lead may also take one from whoever has it.
    pub async fn release(
        &self,
        tx: &mut WriteTx,
        reviewer: &Reviewer,
        case: CaseId,
    ) -> Result<(), CaseChangeError> {
        self.require_visible(tx, reviewer, case).await?;
        let rows = tx
            .execute(sql!(
                "UPDATE cases SET holder_id = NULL, lease_until = NULL, assigned_to = NULL, held_until = NULL,
                        state = CASE WHEN state = 'HELD' THEN 'OPEN' ELSE state END
                  WHERE id = $1 AND state IN ('OPEN', 'HELD', 'GOLDEN')
                    AND (holder_id = $2 OR assigned_to = $2 OR $3)",
                case,
                reviewer.member,
                reviewer.is_lead,
            ))
            .await?;
        if rows == 0 {
            return Err(CaseChangeError::NotHeld);
        }
        tx.audit(case_event("case.release", reviewer, case));
        Ok(())
    }

    /// Puts a case on hold that the reviewer holds; it comes back to the queue by itself. Nobody gets a golden one until then.
    pub async fn hold(
        &self,
        tx: &mut WriteTx,
        reviewer: &Reviewer,
        case: CaseId,
        request: &HoldRequest,
    ) -> Result<(), CaseChangeError> {
        let now = self.environment.now();
        if request.until <= now || request.until > now + MAX_HOLD {
            let hours = request.until.duration_since(now).as_hours() as f64;
            let limit =
                LimitViolation::new(hours, "in the future, at most 31 days from now", "choose another time");
            return Err(Violation::with_limit("until", format!("it is {hours} hours from now"), limit).into());
        }
        let note = request.note.trim();
        check_max_chars("note", "it has", note.chars().count(), MAX_NOTE_CHARS, "shorten it")?;
        self.require_visible(tx, reviewer, case).await?;
        let rows = tx
            .execute(sql!(
                "UPDATE cases SET state = CASE WHEN state = 'GOLDEN' THEN state ELSE 'HELD' END,
                        held_until = CASE WHEN state = 'GOLDEN' THEN held_until ELSE $4 END, holder_id = NULL,
                        lease_until = CASE WHEN state = 'GOLDEN' THEN CAST($4 AS TIMESTAMPTZ) END,
                        sealed_note = CASE WHEN state = 'GOLDEN' THEN sealed_note ELSE $5 END
                  WHERE id = $1 AND holder_id = $2 AND lease_until > $3 AND state IN ('OPEN', 'GOLDEN')",
                case,
                reviewer.member,
                now,
                request.until,
                self.seal_text(CaseText::Note, case, note),
            ))
            .await?;
        if rows == 0 {
            return Err(CaseChangeError::NotHeld);
        }
        tx.audit(case_event("case.hold", reviewer, case));
        Ok(())
    }

    /// Hands a case to a member, who alone gets it from then on. Whoever holds it may do that, and a lead. A golden case is
    /// given back instead: it measures whoever draws it.
    pub async fn assign(
        &self,
        tx: &mut WriteTx,
        reviewer: &Reviewer,
        case: CaseId,
        to: MemberId,
    ) -> Result<(), CaseChangeError> {
        self.require_visible(tx, reviewer, case).await?;
        // Members of the account only; whether they have the scope is asked when cases are claimed.
        let known = tx
            .count(sql!(
                "SELECT count(*) FROM members m WHERE m.id = $1 AND m.account_id = $2
                    AND NOT EXISTS (SELECT 1 FROM case_opinions o JOIN cases c ON c.id = $3
                                     WHERE o.reviewer_id = $1 AND o.case_id IN (c.id, c.appeal_of))
                    AND NOT EXISTS (SELECT 1 FROM cases c
                                      JOIN cases d ON d.notification_id = c.notification_id OR d.check_id = c.check_id
                                           OR d.age_session_id = c.age_session_id
                                      JOIN case_opinions o ON o.case_id = d.id
                                     WHERE c.id = $3 AND c.appeal_of IS NOT NULL AND c.golden_answer IS NULL
                                       AND d.golden_answer IS NULL AND o.reviewer_id = $1)",
                to,
                reviewer.account,
                case,
            ))
            .await?;
        if known == 0 {
            return Err(CaseChangeError::NoSuchReviewer);
        }
        let rows = tx
            .execute(sql!(
                "UPDATE cases SET assigned_to = CASE WHEN state = 'GOLDEN' THEN assigned_to ELSE $4 END, holder_id = NULL,
                        lease_until = NULL, held_until = NULL,
                        state = CASE WHEN state = 'GOLDEN' THEN state ELSE 'OPEN' END
                  WHERE id = $1 AND state IN ('OPEN', 'HELD', 'GOLDEN')
                    AND ((holder_id = $2 AND lease_until > $3) OR assigned_to = $2 OR $5)",
                case,
                reviewer.member,
                self.environment.now(),
                to,
                reviewer.is_lead,
            ))
            .await?;
        if rows == 0 {
            return Err(CaseChangeError::NotHeld);
        }
        tx.audit(case_event("case.assign", reviewer, case).detail("to", to.to_string()));
        Ok(())
    }

    /// Refuses a case that the reviewer may not decide, in the same words as one that does not exist.
    pub(super) async fn require_visible(
        &self,
        view: &mut ReadTx,
        reviewer: &Reviewer,
        case: CaseId,
    ) -> Result<(), CaseChangeError> {
        let visible = view
            .count(sql!(
                "SELECT count(*) FROM cases c
                  WHERE c.id = $1 AND c.app_id = $2
                    AND ((c.kind = 'FINDING' AND c.account_id = $3 AND $4)
                         OR (c.kind = 'DOCUMENT_CHECK' AND c.account_id IS NULL AND $5)
                         OR (c.kind = 'AGE_APPEAL' AND c.account_id IS NULL AND $6))",
                case,
                reviewer.app,
                reviewer.account,
                reviewer.reviews(CaseKind::Finding),
                reviewer.reviews(CaseKind::DocumentCheck),
                reviewer.reviews(CaseKind::AgeAppeal),
            ))
            .await?;
        if visible == 0 { Err(CaseChangeError::Missing) } else { Ok(()) }
    }
}

pub(super) fn case_event(kind: &'static str, reviewer: &Reviewer, case: CaseId) -> AuditEvent {
    AuditEvent::new(kind).app(reviewer.app).account(reviewer.account).target(case)
}
