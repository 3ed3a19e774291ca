//! Texts that people write about contents, notifications and checks: sealed in their rows, because they may name somebody.
//!
//! Each has two columns: the sealed one, and the one used before texts were sealed, which is empty. An older build may run
//! again after a roll-back and write there; what it wrote counts, until [`SealTexts`] has sealed it.

use crate::vault::Vault;
use base::{Environment, SignedDuration, Uuid};
use db::{Db, DbError, FromRow, Query, sql};
use jobs::{Job, JobError, JobOutcome, Lane, RetryPolicy};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How many rows of a table [`SealTexts`] seals in one transaction.
const ROWS_PER_ROUND: i64 = 200;

/// A text, by its table and column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextColumn {
    ReviewDescription,
    ReportReason,
    ReportResolution,
    CheckReviewReason,
}

impl TextColumn {
    const ALL: [Self; 4] =
        [Self::ReviewDescription, Self::ReportReason, Self::ReportResolution, Self::CheckReviewReason];

    /// What a sealed text is bound to.
    fn aad(self, id: Uuid) -> Vec<u8> {
        match self {
            Self::ReviewDescription => format!("review {id} description"),
            Self::ReportReason => format!("content report {id} reason"),
            Self::ReportResolution => format!("content report {id} resolution"),
            Self::CheckReviewReason => format!("check review {id} reason"),
        }
        .into_bytes()
    }

    /// Rows whose text is in clear.
    fn select_unsealed(self) -> Query {
        match self {
            Self::ReviewDescription => sql!(
                "SELECT id, description AS text FROM reviews WHERE description <> '' LIMIT $1",
                ROWS_PER_ROUND,
            ),
            Self::ReportReason => {
                sql!(
                    "SELECT id, reason AS text FROM content_reports WHERE reason <> '' LIMIT $1",
                    ROWS_PER_ROUND
                )
            }
            Self::ReportResolution => sql!(
                "SELECT id, resolution AS text FROM content_reports WHERE resolution <> '' LIMIT $1",
                ROWS_PER_ROUND,
            ),
            Self::CheckReviewReason => sql!(
                "SELECT check_id AS id, reason AS text FROM identity_reviews WHERE reason <> '' LIMIT $1",
                ROWS_PER_ROUND,
            ),
        }
    }

    /// Seals a row, unless its text was changed since it was read.
    fn update_unsealed(self, UnsealedTextRow { id, text }: UnsealedTextRow, sealed: Vec<u8>) -> Query {
        match self {
            Self::ReviewDescription => sql!(
                "UPDATE reviews SET description = '', sealed_description = $3 WHERE id = $1 AND description = $2",
                id,
                text,
                sealed,
            ),
            Self::ReportReason => sql!(
                "UPDATE content_reports SET reason = '', sealed_reason = $3 WHERE id = $1 AND reason = $2",
                id,
                text,
                sealed,
            ),
            Self::ReportResolution => sql!(
                "UPDATE content_reports SET resolution = '', sealed_resolution = $3
                  WHERE id = $1 AND resolution = $2",
                id,
                text,
                sealed,
            ),
            Self::CheckReviewReason => sql!(
                "UPDATE identity_reviews SET reason = '', sealed_reason = $3 WHERE check_id = $1 AND reason = $2",
                id,
                text,
                sealed,
            ),
        }
    }
}

#[derive(FromRow)]
struct UnsealedTextRow {
    id: Uuid,
    text: String,
}

/// Seals and opens texts; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct SealedTexts {
    vault: Vault,
    environment: Arc<dyn Environment>,
}

impl SealedTexts {
    pub(crate) fn new(vault: Vault, environment: Arc<dyn Environment>) -> Self {
        Self { vault, environment }
    }

    /// Seals the text of a row.
    pub(crate) fn seal(&self, column: TextColumn, id: impl Into<Uuid>, text: &str) -> Vec<u8> {
        self.vault.seal(&*self.environment, &column.aad(id.into()), text.as_bytes())
    }

    /// Opens the text of a row; `in_clear` is the column that was used before texts were sealed. Empty, and an error in the log,
    /// if it does not open.
    pub(crate) fn open(
        &self,
        column: TextColumn,
        id: impl Into<Uuid>,
        in_clear: String,
        sealed: Option<&[u8]>,
    ) -> String {
        let (id, Some(sealed)) = (id.into(), sealed.filter(|_| in_clear.is_empty())) else { return in_clear };
        let plain = self.vault.open(&column.aad(id), sealed).ok();
        plain.and_then(|plain| String::from_utf8(plain).ok()).unwrap_or_else(|| {
            tracing::error!(row.id = %id, column = ?column, "a text does not open: it was damaged or moved");
            String::new()
        })
    }

    /// Seals the texts of rows that an older build wrote.
    async fn seal_unsealed(&self, db: &Db) -> Result<(), DbError> {
        for column in TextColumn::ALL {
            loop {
                let rows: Vec<UnsealedTextRow> =
                    db.read_once().await?.fetch_all(column.select_unsealed()).await?;
                if rows.is_empty() {
                    break;
                }
                let mut tx = db.write().await?;
                for row in rows {
                    let sealed = self.seal(column, row.id, &row.text);
                    tx.execute(column.update_unsealed(row, sealed)).await?;
                }
                tx.commit().await?;
            }
        }
        Ok(())
    }
}

/// Seals texts that an older build wrote in clear; recurs, because older builds may run beside this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealTexts {}

impl Job for SealTexts {
    const KIND: &'static str = "seal-texts";
    const LANE: Lane = Lane::Upkeep;
    const RETRY: RetryPolicy = RetryPolicy::RECURRING;
}

impl SealTexts {
    const INTERVAL: SignedDuration = SignedDuration::from_hours(1);

    /// Runs the job.
    pub async fn run(
        self,
        db: &Db,
        vault: &Vault,
        environment: &Arc<dyn Environment>,
    ) -> Result<JobOutcome, JobError> {
        SealedTexts::new(vault.clone(), environment.clone()).seal_unsealed(db).await?;
        Ok(JobOutcome::Again(environment.now() + Self::INTERVAL))
    }
}
