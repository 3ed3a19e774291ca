//! Reports on contents: somebody says what is wrong with a content, and somebody else decides.

use super::{ContentError, lock};
use crate::{
    sealed_texts::{SealedTexts, TextColumn},
    violation::{Violation, check_max_chars, violation},
};
use base::{AccountId, ContentId, ContentReportId, Environment, Id as _, Timestamp};
use db::{DbError, DbTimestamp, FromRow, ReadTx, WriteTx, sql};
use std::sync::Arc;

/// The longest reason and the longest resolution, in characters.
pub const MAX_REPORT_TEXT_CHARS: usize = 500;

/// A report.
#[derive(Clone, Debug)]
pub struct ContentReport {
    pub id: ContentReportId,
    pub content_id: ContentId,
    /// What is wrong with the content.
    pub reason: String,
    /// What was decided, if anything was.
    pub resolution: Option<String>,
    /// When that was decided.
    pub reviewed_at: Option<Timestamp>,
    pub created_at: Timestamp,
}

#[derive(FromRow)]
struct ReportRow {
    id: ContentReportId,
    content_id: ContentId,
    reason: String,
    sealed_reason: Option<Vec<u8>>,
    resolution: Option<String>,
    sealed_resolution: Option<Vec<u8>>,
    reviewed_at: Option<DbTimestamp>,
    #[sqlx(try_from = "db::DbTimestamp")]
    created_at: Timestamp,
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

/// Records and lists reports.
#[derive(Debug)]
pub(in crate::content_moderation) struct ReportRecorder {
    pub(in crate::content_moderation) environment: Arc<dyn Environment>,
    pub(in crate::content_moderation) texts: SealedTexts,
}

impl ReportRecorder {
    /// Reports a content.
    pub(in crate::content_moderation) async fn create(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        content: ContentId,
        reason: &str,
    ) -> Result<ContentReportId, ContentError> {
        lock(tx, account, content).await?.ok_or(ContentError::Missing("content"))?;
        let reason = validate_text("reason", reason)?;
        let id = ContentReportId::new(&*self.environment);
        tx.execute(sql!(
            "INSERT INTO content_reports (id, account_id, content_id, reason, sealed_reason, created_at)
             VALUES ($1, $2, $3, '', $4, $5)",
            id,
            account,
            content,
            self.texts.seal(TextColumn::ReportReason, id, &reason),
            self.environment.now(),
        ))
        .await?;
        Ok(id)
    }

    /// Records what was decided about a report; a later decision replaces an earlier one.
    pub(in crate::content_moderation) async fn resolve(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        (content, report): (ContentId, ContentReportId),
        resolution: &str,
    ) -> Result<(), ContentError> {
        let resolution = validate_text("resolution", resolution)?;
        let rows = tx
            .execute(sql!(
                "UPDATE content_reports SET resolution = '', sealed_resolution = $4, reviewed_at = $5
                  WHERE id = $1 AND content_id = $2 AND account_id = $3",
                report,
                content,
                account,
                self.texts.seal(TextColumn::ReportResolution, report, &resolution),
                self.environment.now(),
            ))
            .await?;
        if rows == 0 { Err(ContentError::Missing("report")) } else { Ok(()) }
    }

    /// A page of a content's reports, newest first, and how many reports the content has.
    pub(in crate::content_moderation) async fn list(
        &self,
        view: &mut ReadTx,
        (account, content): (AccountId, ContentId),
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
        let rows: Vec<ReportRow> = view
            .fetch_all(sql!(
                "SELECT id, content_id, reason, sealed_reason, resolution, sealed_resolution, reviewed_at, created_at
                   FROM content_reports
                  WHERE content_id = $1 AND account_id = $2 ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4",
                content,
                account,
                limit,
                offset,
            ))
            .await?;
        Ok((rows.into_iter().map(|row| self.open(row)).collect(), total))
    }

    fn open(&self, row: ReportRow) -> ContentReport {
        let ReportRow { id, content_id, reason, sealed_reason, reviewed_at, created_at, .. } = row;
        // One that nobody decided about has no resolution in either column.
        let resolution = row.resolution.map(|in_clear| {
            self.texts.open(TextColumn::ReportResolution, id, in_clear, row.sealed_resolution.as_deref())
        });
        ContentReport {
            id,
            content_id,
            reason: self.texts.open(TextColumn::ReportReason, id, reason, sealed_reason.as_deref()),
            resolution,
            reviewed_at: reviewed_at.map(|at| at.0),
            created_at,
        }
    }
}
