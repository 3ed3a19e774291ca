//! Creating cases, and taking them back: in the transaction of whatever they are about.

use super::{CaseKind, CaseState, CaseSubject, queues};
use base::{AccountId, AppId, CaseId, Environment, Id as _, ModerationCheckId, NotificationId, Uuid};
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
    /// The language of the person concerned, where it is known.
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
    check: ModerationCheckId,
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
