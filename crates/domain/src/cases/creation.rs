//! Creating cases, and taking them back: in the transaction of whatever they are about.

use super::{
    CaseDecision, CaseKind, CaseService, CaseState, CaseSubject, DecisionError, Reviewer, leases::case_event,
    opinions::unknown_decision, queues,
};
use base::{AccountId, AppId, CaseId, Environment, Id as _, NotificationId, Uuid, VerificationCheckId};
use db::{DbError, WriteTx, sql};

/// A case that is not created yet.
#[derive(Clone, Debug)]
pub(crate) struct NewCase {
    pub(crate) app: AppId,
    /// The account whose it is; `None` for what is the application's.
    pub(crate) account: Option<AccountId>,
    pub(crate) kind: CaseKind,
    pub(crate) subject: CaseSubject,
    /// Why it is there, as a word of capital letters.
    pub(crate) reason: String,
    /// The language of the person concerned, where it is known: see [`super::primary_language`].
    pub(crate) language: Option<String>,
    /// Higher comes first.
    pub(crate) priority: i64,
    /// The case that is appealed against.
    pub(crate) appeal_of: Option<CaseId>,
}

/// Routes a case and writes it.
pub(crate) async fn create(
    tx: &mut WriteTx,
    environment: &dyn Environment,
    case: &NewCase,
) -> Result<CaseId, DbError> {
    let route = queues::route(tx, environment, case).await?;
    let id = CaseId::new(environment);
    let (notification, check, session) = match case.subject {
        CaseSubject::Notification(id) => (Some(id), None, None),
        CaseSubject::Check(id) => (None, Some(id), None),
        CaseSubject::AgeSession(id) => (None, None, Some(id)),
    };
    tx.execute(sql!(
        "INSERT INTO cases (id, app_id, account_id, queue_id, kind, reason, language, priority, notification_id, check_id,
                            age_session_id, appeal_of, state, opinions_needed, due_at, created_at, owner_id)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17)",
        id,
        case.app,
        case.account,
        route.queue,
        case.kind,
        case.reason.as_str(),
        case.language.as_deref(),
        route.priority,
        notification,
        check,
        session,
        case.appeal_of,
        CaseState::Open,
        route.opinions,
        route.due_at,
        environment.now(),
        case.account.map_or_else(|| case.app.into(), Uuid::from),
    ))
    .await?;
    Ok(id)
}

/// A case that stands beside one that is settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beside {
    /// It has this answer, and measures reviewers.
    Golden(CaseDecision),
    /// Somebody appeals against what was decided.
    Appeal,
}

impl CaseService {
    /// Makes a golden case of one that is settled: reviewers who have not decided about it get it among others, and it has
    /// no effect. For leads.
    pub async fn create_golden(
        &self,
        tx: &mut WriteTx,
        reviewer: &Reviewer,
        case: CaseId,
        answer: CaseDecision,
    ) -> Result<CaseId, DecisionError> {
        self.create_beside(tx, reviewer, case, Beside::Golden(answer)).await
    }

    /// Creates an appeal against a decision that is settled. It goes to somebody who has not decided about the case. For leads.
    pub async fn create_appeal(
        &self,
        tx: &mut WriteTx,
        reviewer: &Reviewer,
        case: CaseId,
    ) -> Result<CaseId, DecisionError> {
        self.create_beside(tx, reviewer, case, Beside::Appeal).await
    }

    async fn create_beside(
        &self,
        tx: &mut WriteTx,
        reviewer: &Reviewer,
        case: CaseId,
        beside: Beside,
    ) -> Result<CaseId, DecisionError> {
        let found = self.find(tx, reviewer, case).await?;
        if found.state != CaseState::Settled {
            return Err(DecisionError::NotSettled);
        }
        // Without its picture, which was deleted with the decision, it would not look like others.
        if matches!(beside, Beside::Golden(_)) && found.kind == CaseKind::AgeAppeal {
            return Err(DecisionError::NoGolden);
        }
        if let Beside::Golden(answer) = beside
            && !found.kind.decisions().contains(&answer)
        {
            return Err(DecisionError::Invalid(vec![unknown_decision(found.kind)]));
        }
        // A check that was decided has no second outcome: whoever appeals needs another session.
        if beside == Beside::Appeal && found.kind == CaseKind::DocumentCheck {
            return Err(DecisionError::NoAppeal);
        }
        let (state, answer) = match beside {
            Beside::Golden(answer) => (CaseState::Golden, Some(answer.as_str())),
            Beside::Appeal => (CaseState::Open, None),
        };
        let id = CaseId::new(&*self.environment);
        tx.execute(sql!(
            "INSERT INTO cases (id, app_id, account_id, owner_id, queue_id, kind, reason, language, priority, notification_id,
                                check_id, age_session_id, appeal_of, state, opinions_needed, golden_answer, due_at, created_at)
             SELECT $1, app_id, account_id, owner_id, queue_id, kind, reason, language, priority, notification_id, check_id,
                    age_session_id, $3, $4, 1, $5, $6, $7 FROM cases WHERE id = $2",
            id,
            case,
            // Whoever decided about it gets neither.
            case,
            state,
            answer,
            self.environment.now() + queues::TARGET_WITHOUT_QUEUE,
            self.environment.now(),
        ))
        .await?;
        let kind = if beside == Beside::Appeal { "case.appeal" } else { "case.golden" };
        tx.audit(case_event(kind, reviewer, case).detail("case", id.to_string()));
        Ok(id)
    }
}

/// Takes the open cases of a notification back, because it was decided elsewhere.
pub(crate) async fn withdraw_of_notification(
    tx: &mut WriteTx,
    environment: &dyn Environment,
    notification: NotificationId,
) -> Result<(), DbError> {
    tx.execute(sql!(
        "UPDATE cases SET state = 'WITHDRAWN', closed_at = $2, holder_id = NULL, lease_until = NULL
          WHERE notification_id = $1 AND state IN ('OPEN', 'HELD', 'DECIDED')",
        notification,
        environment.now(),
    ))
    .await
    .map(drop)
}

/// Takes the open cases of a check back, because it was decided elsewhere.
pub(crate) async fn withdraw_of_check(
    tx: &mut WriteTx,
    environment: &dyn Environment,
    check: VerificationCheckId,
) -> Result<(), DbError> {
    tx.execute(sql!(
        "UPDATE cases SET state = 'WITHDRAWN', closed_at = $2, holder_id = NULL, lease_until = NULL
          WHERE check_id = $1 AND state IN ('OPEN', 'HELD', 'DECIDED')",
        check,
        environment.now(),
    ))
    .await
    .map(drop)
}
