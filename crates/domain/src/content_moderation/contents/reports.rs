//! Reports on contents: somebody says what is wrong with a content, and somebody else decides.

use super::{ContentError, find};
use crate::violation::{Violation, check_max_chars, violation};
use base::{AccountId, ContentId, ContentReportId, Environment, Id as _, Timestamp};
use db::{DbError, DbTimestamp, FromRow, ReadTx, WriteTx, sql};

/// The longest reason and the longest resolution, in characters.
pub const MAX_REPORT_TEXT_CHARS: usize = 500;

/// A report.
#[derive(Clone, Debug, FromRow)]
pub struct ContentReport {
    pub id: ContentReportId,
    pub content_id: ContentId,
    /// What is wrong with the content.
    pub reason: String,
    /// What was decided, if anything was.
    pub resolution: Option<String>,
    /// When that was decided.
    pub reviewed_at: Option<DbTimestamp>,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

/// Trims a text, and refuses one that is empty or too long. `path` is the member's path in the request.
fn validate_text(path: &'static str, text: &str) -> Result<String, Violation> {
    let text = text.trim();
    if text.is_empty() {
        return Err(violation(path, "it is empty"));
    }
    check_max_chars(path, "it has", text.chars().count(), MAX_REPORT_TEXT_CHARS, "shorten it")?;
    Ok(text.to_owned())
}

/// Reports a content.
pub async fn create(
    tx: &mut WriteTx,
    environment: &dyn Environment,
    account: AccountId,
    content: ContentId,
    reason: &str,
) -> Result<ContentReportId, ContentError> {
    find(tx, account, content).await?.ok_or(ContentError::Missing("content"))?;
    let id = ContentReportId::new(environment);
    tx.execute(sql!(
        "INSERT INTO content_reports (id, account_id, content_id, reason, created_at) VALUES ($1, $2, $3, $4, $5)",
        id,
        account,
        content,
        validate_text("reason", reason)?,
        environment.now(),
    ))
    .await?;
    Ok(id)
}

/// Records what was decided about a report; a later decision replaces an earlier one.
pub async fn resolve(
    tx: &mut WriteTx,
    environment: &dyn Environment,
    account: AccountId,
    (content, report): (ContentId, ContentReportId),
    resolution: &str,
) -> Result<(), ContentError> {
    let rows = tx
        .execute(sql!(
            "UPDATE content_reports SET resolution = $4, reviewed_at = $5
              WHERE id = $1 AND content_id = $2 AND account_id = $3",
            report,
            content,
            account,
            validate_text("resolution", resolution)?,
            environment.now(),
        ))
        .await?;
    if rows == 0 { Err(ContentError::Missing("report")) } else { Ok(()) }
}

/// A page of a content's reports, newest first, and how many reports the content has.
pub async fn list(
    view: &mut ReadTx,
    account: AccountId,
    content: ContentId,
    offset: i64,
    limit: i64,
) -> Result<(Vec<ContentReport>, i64), DbError> {
    let total = view
        .count(sql!(
            "SELECT count(*) FROM content_reports WHERE content_id = $1 AND account_id = $2",
            content,
            account,
        ))
        .await?;
    let reports = view
        .fetch_all(sql!(
            "SELECT id, content_id, reason, resolution, reviewed_at, created_at FROM content_reports
              WHERE content_id = $1 AND account_id = $2 ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4",
            content,
            account,
            limit,
            offset,
        ))
        .await?;
    Ok((reports, total))
}
