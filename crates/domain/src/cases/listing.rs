//! Finding cases, and the figures of queues.

use super::{
    CaseKind, CaseService, CaseState, CaseSubject, CaseText, Reviewer, leases::CaseChangeError, queues,
};
use base::{
    AccountId, AgeSessionId, AppId, CaseId, CaseQueueId, MemberId, NotificationId, Timestamp,
    VerificationCheckId,
};
use db::{DbError, DbTimestamp, FromRow, ReadTx, sql};

/// A case as lists show it.
#[derive(Clone, Debug)]
pub struct CaseRecord {
    pub id: CaseId,
    pub app: AppId,
    pub account: Option<AccountId>,
    pub queue: Option<CaseQueueId>,
    pub kind: CaseKind,
    pub subject: CaseSubject,
    /// Why it is there.
    pub reason: String,
    pub language: Option<String>,
    pub priority: i64,
    /// `OPEN` also for a golden case: it looks like all others.
    pub state: CaseState,
    /// The case that is appealed against; `None` of a golden one.
    pub appeal_of: Option<CaseId>,
    /// Who works on it, and until when it is theirs.
    pub held_by: Option<(MemberId, Timestamp)>,
    pub assigned_to: Option<MemberId>,
    /// When it comes back from being on hold.
    pub held_until: Option<Timestamp>,
    /// Why it was put on hold.
    pub note: String,
    pub due_at: Timestamp,
    pub created_at: Timestamp,
    /// What was decided, once it is settled.
    pub outcome: Option<String>,
    pub closed_at: Option<Timestamp>,
}

/// Which cases a list has; all that is set must hold.
#[derive(Clone, Copy, Debug, Default)]
pub struct CaseFilter<'a> {
    pub state: Option<CaseState>,
    pub kind: Option<CaseKind>,
    pub reason: Option<&'a str>,
    pub queue: Option<CaseQueueId>,
    /// The finding that it is about.
    pub notification: Option<NotificationId>,
    /// Held by, or handed to.
    pub member: Option<MemberId>,
    /// Only cases that should have been decided by now.
    pub overdue: bool,
}

/// A page of cases, those that are due first.
#[derive(Clone, Debug)]
pub struct CasePage {
    pub cases: Vec<CaseRecord>,
    /// How many there are in all.
    pub total: i64,
}

/// How a queue stands.
#[derive(Clone, Debug, FromRow)]
pub struct QueueFigures {
    /// `None`: cases that no queue took.
    pub queue_id: Option<CaseQueueId>,
    /// Cases that wait or are worked on.
    pub open: i64,
    /// Of these, how many should have been decided by now.
    pub overdue: i64,
    /// On hold.
    pub held: i64,
    /// Handed to the reviewer.
    pub mine: i64,
    /// When the first of them is, or was, due.
    pub first_due_at: Option<DbTimestamp>,
}

/// How many cases of a kind are open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenCaseFigures {
    /// The word of a [`CaseKind`].
    pub kind: &'static str,
    pub open: i64,
    /// Of these, how many should have been decided by now.
    pub overdue: i64,
}

#[derive(FromRow)]
struct CaseRow {
    id: CaseId,
    app_id: AppId,
    account_id: Option<AccountId>,
    queue_id: Option<CaseQueueId>,
    #[sqlx(try_from = "String")]
    kind: CaseKind,
    notification_id: Option<NotificationId>,
    check_id: Option<VerificationCheckId>,
    age_session_id: Option<AgeSessionId>,
    reason: String,
    language: Option<String>,
    priority: i64,
    #[sqlx(try_from = "String")]
    state: CaseState,
    appeal_of: Option<CaseId>,
    holder_id: Option<MemberId>,
    lease_until: Option<DbTimestamp>,
    assigned_to: Option<MemberId>,
    held_until: Option<DbTimestamp>,
    sealed_note: Option<Vec<u8>>,
    #[sqlx(try_from = "db::DbTimestamp")]
    due_at: Timestamp,
    #[sqlx(try_from = "db::DbTimestamp")]
    created_at: Timestamp,
    outcome: Option<String>,
    closed_at: Option<DbTimestamp>,
}

impl CaseService {
    fn record(&self, row: CaseRow) -> Option<CaseRecord> {
        let now = self.environment.now();
        let notification = row.notification_id.map(CaseSubject::Notification);
        let subject = notification
            .or(row.check_id.map(CaseSubject::Check))
            .or(row.age_session_id.map(CaseSubject::AgeSession));
        let lease = row.lease_until.map(|until| until.0).filter(|until| *until > now);
        Some(CaseRecord {
            id: row.id,
            app: row.app_id,
            account: row.account_id,
            queue: row.queue_id,
            kind: row.kind,
            subject: subject?,
            reason: row.reason,
            language: row.language,
            priority: row.priority,
            state: if row.state == CaseState::Golden { CaseState::Open } else { row.state },
            // A golden case names the one that it was made of, which would tell it from others.
            appeal_of: row.appeal_of.filter(|_| row.state != CaseState::Golden),
            held_by: row.holder_id.zip(lease),
            assigned_to: row.assigned_to,
            held_until: row.held_until.map(|until| until.0),
            note: self.open_text(CaseText::Note, row.id, row.sealed_note.as_deref()),
            due_at: row.due_at,
            created_at: row.created_at,
            outcome: row.outcome,
            closed_at: row.closed_at.map(|at| at.0),
        })
    }

    /// A case that the reviewer may decide, whoever holds it.
    pub async fn find(
        &self,
        view: &mut ReadTx,
        reviewer: &Reviewer,
        case: CaseId,
    ) -> Result<CaseRecord, CaseChangeError> {
        self.require_visible(view, reviewer, case).await?;
        let row: Option<CaseRow> = view
            .fetch_optional(sql!(
                "SELECT id, app_id, account_id, queue_id, kind, notification_id, check_id, age_session_id, reason, language,
                        priority, state, appeal_of, holder_id, lease_until, assigned_to, held_until, sealed_note, due_at,
                        created_at, outcome, closed_at
                   FROM cases WHERE id = $1",
                case,
            ))
            .await?;
        row.and_then(|row| self.record(row)).ok_or(CaseChangeError::Missing)
    }

    /// Whether the reviewer may look at the pictures of a case: whoever holds it, was handed it or has decided about it may, and
    /// a lead.
    pub async fn may_see_pictures(
        &self,
        view: &mut ReadTx,
        reviewer: &Reviewer,
        case: CaseId,
    ) -> Result<bool, DbError> {
        if reviewer.is_lead {
            return Ok(true);
        }
        let concerned = view
            .count(sql!(
                "SELECT count(*) FROM cases c
                  WHERE c.id = $1
                    AND ((c.holder_id = $2 AND c.lease_until > $3) OR c.assigned_to = $2
                         OR EXISTS (SELECT 1 FROM case_opinions o WHERE o.case_id = c.id AND o.reviewer_id = $2))",
                case,
                reviewer.member,
                self.environment.now(),
            ))
            .await?;
        Ok(concerned > 0)
    }

    /// A page of the cases that the reviewer may decide, whoever holds them; golden ones are left out.
    pub async fn list(
        &self,
        view: &mut ReadTx,
        reviewer: &Reviewer,
        filter: &CaseFilter<'_>,
        (offset, limit): (i64, i64),
    ) -> Result<CasePage, DbError> {
        let CaseFilter { state, kind, reason, queue, notification, member, overdue } = *filter;
        let before = overdue.then(|| self.environment.now());
        let (state, kind) = (state.map(CaseState::as_str), kind.map(CaseKind::as_str));
        let total = view
            .count(sql!(
                "SELECT count(*) FROM cases c
                  WHERE c.owner_id IN ($1, $2) AND c.app_id = $1 AND c.state <> 'GOLDEN'
                    AND ((c.kind = 'FINDING' AND c.account_id = $2 AND $3)
                         OR (c.kind = 'DOCUMENT_CHECK' AND c.account_id IS NULL AND $4)
                         OR (c.kind = 'AGE_APPEAL' AND c.account_id IS NULL AND $5))
                    AND (c.state = $6 OR $6 IS NULL) AND (c.kind = $7 OR $7 IS NULL) AND (c.reason = $8 OR $8 IS NULL)
                    AND (c.queue_id = $9 OR $9 IS NULL)
                    AND (c.holder_id = $10 OR c.assigned_to = $10 OR $10 IS NULL)
                    AND (c.due_at < $11 OR $11 IS NULL) AND (c.notification_id = $12 OR $12 IS NULL)",
                reviewer.app,
                reviewer.account,
                reviewer.reviews(CaseKind::Finding),
                reviewer.reviews(CaseKind::DocumentCheck),
                reviewer.reviews(CaseKind::AgeAppeal),
                state,
                kind,
                reason,
                queue,
                member,
                before,
                notification,
            ))
            .await?;
        let rows: Vec<CaseRow> = view
            .fetch_all(sql!(
                "SELECT c.id, c.app_id, c.account_id, c.queue_id, c.kind, c.notification_id, c.check_id, c.age_session_id,
                        c.reason, c.language, c.priority, c.state, c.appeal_of, c.holder_id, c.lease_until, c.assigned_to,
                        c.held_until, c.sealed_note, c.due_at, c.created_at, c.outcome, c.closed_at
                   FROM cases c
                  WHERE c.owner_id IN ($1, $2) AND c.app_id = $1 AND c.state <> 'GOLDEN'
                    AND ((c.kind = 'FINDING' AND c.account_id = $2 AND $3)
                         OR (c.kind = 'DOCUMENT_CHECK' AND c.account_id IS NULL AND $4)
                         OR (c.kind = 'AGE_APPEAL' AND c.account_id IS NULL AND $5))
                    AND (c.state = $6 OR $6 IS NULL) AND (c.kind = $7 OR $7 IS NULL) AND (c.reason = $8 OR $8 IS NULL)
                    AND (c.queue_id = $9 OR $9 IS NULL)
                    AND (c.holder_id = $10 OR c.assigned_to = $10 OR $10 IS NULL)
                    AND (c.due_at < $11 OR $11 IS NULL) AND (c.notification_id = $12 OR $12 IS NULL)
                  ORDER BY c.due_at, c.id LIMIT $13 OFFSET $14",
                reviewer.app,
                reviewer.account,
                reviewer.reviews(CaseKind::Finding),
                reviewer.reviews(CaseKind::DocumentCheck),
                reviewer.reviews(CaseKind::AgeAppeal),
                state,
                kind,
                reason,
                queue,
                member,
                before,
                notification,
                limit,
                offset,
            ))
            .await?;
        Ok(CasePage { cases: rows.into_iter().filter_map(|row| self.record(row)).collect(), total })
    }

    /// The figures of every queue that has open cases for the reviewer, and of cases in no queue; and the names of all queues.
    pub async fn queue_figures(
        &self,
        view: &mut ReadTx,
        reviewer: &Reviewer,
    ) -> Result<(Vec<QueueFigures>, Vec<super::CaseQueue>), DbError> {
        let mut owned = Vec::new();
        if reviewer.reviews(CaseKind::Finding) {
            owned.extend(queues::list(view, (reviewer.app, Some(reviewer.account))).await?);
        }
        if reviewer.reviews(CaseKind::DocumentCheck) || reviewer.reviews(CaseKind::AgeAppeal) {
            owned.extend(queues::list(view, (reviewer.app, None)).await?);
        }
        let figures = view
            .fetch_all(sql!(
                "SELECT c.queue_id,
                        sum(CASE WHEN c.state IN ('OPEN', 'DECIDED') THEN 1 ELSE 0 END) AS open,
                        sum(CASE WHEN c.state = 'OPEN' AND c.due_at < $6 THEN 1 ELSE 0 END) AS overdue,
                        sum(CASE WHEN c.state = 'HELD' THEN 1 ELSE 0 END) AS held,
                        sum(CASE WHEN c.assigned_to = $7 THEN 1 ELSE 0 END) AS mine,
                        min(CASE WHEN c.state = 'OPEN' THEN c.due_at END) AS first_due_at
                   FROM cases c
                  WHERE c.owner_id IN ($1, $2) AND c.app_id = $1 AND c.state IN ('OPEN', 'HELD', 'DECIDED')
                    AND ((c.kind = 'FINDING' AND c.account_id = $2 AND $3)
                         OR (c.kind = 'DOCUMENT_CHECK' AND c.account_id IS NULL AND $4)
                         OR (c.kind = 'AGE_APPEAL' AND c.account_id IS NULL AND $5))
                  GROUP BY c.queue_id",
                reviewer.app,
                reviewer.account,
                reviewer.reviews(CaseKind::Finding),
                reviewer.reviews(CaseKind::DocumentCheck),
                reviewer.reviews(CaseKind::AgeAppeal),
                self.environment.now(),
                reviewer.member,
            ))
            .await?;
        Ok((figures, owned))
    }

    /// How many cases wait for a reviewer or are worked on, and how many of these are overdue, by kind.
    pub async fn open_figures(&self, view: &mut ReadTx) -> Result<Vec<OpenCaseFigures>, DbError> {
        #[derive(FromRow)]
        struct KindFiguresRow {
            kind: String,
            open: i64,
            overdue: i64,
        }
        let rows: Vec<KindFiguresRow> = view
            .fetch_all(sql!(
                "SELECT kind, count(*) AS open, sum(CASE WHEN state = 'OPEN' AND due_at < $1 THEN 1 ELSE 0 END) AS overdue
                   FROM cases WHERE state IN ('OPEN', 'HELD', 'GOLDEN') AND golden_answer IS NULL GROUP BY kind",
                self.environment.now(),
            ))
            .await?;
        let of = |kind: &&'static str| {
            let kind = *kind;
            let row = rows.iter().find(|row| row.kind == kind);
            let (open, overdue) = row.map_or((0, 0), |row| (row.open, row.overdue));
            OpenCaseFigures { kind, open, overdue }
        };
        Ok(CaseKind::VARIANTS.iter().map(of).collect())
    }

    /// Sets the metrics of open cases.
    pub async fn report_metrics(&self, view: &mut ReadTx) -> Result<(), DbError> {
        for OpenCaseFigures { kind, open, overdue } in self.open_figures(view).await? {
            metrics::gauge!("assay_cases_open", "kind" => kind).set(open as f64);
            metrics::gauge!("assay_cases_overdue", "kind" => kind).set(overdue as f64);
        }
        Ok(())
    }
}
