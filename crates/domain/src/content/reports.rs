//! Reports on contents: somebody says that something is wrong with one, and somebody else decides.

use super::{ContentError, find};
use crate::violation::{Violation, check_max_chars, violation};
use base::{AccountId, ContentId, ContentReportId, Environment, Id as _, Timestamp};
use db::{DbError, DbTimestamp, FromRow, ReadTx, WriteTx, sql};

/// The longest reason and resolution, characters.
pub const MAX_REPORT_TEXT_CHARS: usize = 500;

/// A report.
#[derive(Clone, Debug, FromRow)]
pub struct ContentReport {
    /// Its id.
    pub id: ContentReportId,
    /// What it is about.
    pub content_id: ContentId,
    /// What is wrong.
    pub reason: String,
    /// What was decided; nothing yet where it is absent.
    pub resolution: Option<String>,
    /// When.
    pub reviewed_at: Option<DbTimestamp>,
    /// When it was made.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
}

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
    world: &dyn Environment,
    account: AccountId,
    content: ContentId,
    reason: &str,
) -> Result<ContentReportId, ContentError> {
    find(tx, account, content).await?.ok_or(ContentError::Missing("content"))?;
    let id = ContentReportId::new(world);
    tx.execute(sql!(
        "INSERT INTO content_reports (id, account_id, content_id, reason, created_at) VALUES ($1, $2, $3, $4, $5)",
        id,
        account,
        content,
        validate_text("reason", reason)?,
        world.now(),
    ))
    .await?;
    Ok(id)
}

/// Decides about a report; a later decision replaces an earlier one.
pub async fn resolve(
    tx: &mut WriteTx,
    world: &dyn Environment,
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
            world.now(),
        ))
        .await?;
    if rows == 0 { Err(ContentError::Missing("report")) } else { Ok(()) }
}

/// A page of a content's reports, newest first, and how many there are.
pub async fn list(
    view: &mut ReadTx,
    account: AccountId,
    content: ContentId,
    offset: i64,
    most: i64,
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
            most,
            offset,
        ))
        .await?;
    Ok((reports, total))
}
