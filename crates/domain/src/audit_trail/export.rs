//! Reading the trail.

use super::{AuditTrail, ChainEnd, verification::BATCH_RECORDS};
use base::{AccountId, AppId, Timestamp, Uuid};
use db::{DbError, FromRow, ReadTx, sql};
use serde::Deserialize;
use serde_json::{Map, Value};

/// Records that are looked at for one page of a list, at most.
const MAX_SCANNED_RECORDS: i64 = 20 * BATCH_RECORDS;

/// Which records are wanted; those that every given part fits.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    /// Made at this moment or later.
    pub from: Option<Timestamp>,
    /// Made before this moment.
    pub to: Option<Timestamp>,
    /// Done by this actor, `KIND:ID`, or by any of this kind.
    pub actor: Option<String>,
    /// Of this kind, `thing.verb`, or anything done to this thing.
    pub kind: Option<String>,
    /// About this application.
    pub app: Option<AppId>,
    /// About this moderation account.
    pub account: Option<AccountId>,
    /// About the thing of this id.
    pub target: Option<String>,
}

/// A record as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ExportedRecord {
    pub seq: i64,
    /// JSON; exactly this text is what is hashed.
    pub record: String,
    /// SHA-256 of the hash of the record before, a line feed and the text, hexadecimal.
    pub hash: String,
}

/// What a record says.
#[derive(Clone, Debug, Deserialize)]
pub struct AuditEntry {
    pub at: Timestamp,
    /// What was done, as `thing.verb`.
    pub kind: String,
    /// Who did it, as `KIND:ID`.
    pub actor: String,
    pub app: Option<Uuid>,
    pub account: Option<Uuid>,
    /// The id of the thing.
    pub target: Option<String>,
    #[serde(default)]
    pub details: Map<String, Value>,
}

impl ExportedRecord {
    /// What it says; `None` if it is no record any more.
    pub fn entry(&self) -> Option<AuditEntry> {
        serde_json::from_str(&self.record).ok()
    }

    /// A line of an export. The record is as it is stored, since exactly its text is what was hashed.
    pub fn json_line(&self) -> String {
        format!("{{\"hash\":\"{}\",\"record\":{}}}", self.hash, self.record)
    }
}

impl ChainEnd {
    /// The record of a line of an export, as the end that it once was; `None` if the line is not of one.
    pub fn of_exported_line(line: &str) -> Option<Self> {
        #[derive(Deserialize)]
        struct ExportedLine {
            hash: String,
            record: NumberedRecord,
        }
        #[derive(Deserialize)]
        struct NumberedRecord {
            seq: i64,
        }
        let ExportedLine { hash, record } = serde_json::from_str(line).ok()?;
        Some(Self { seq: record.seq, hash })
    }

    /// Whether the record that was the end then is in the trail.
    pub async fn is_recorded(&self, view: &mut ReadTx) -> Result<bool, DbError> {
        let found = sql!(
            "SELECT count(*) FROM audit_records WHERE seq = $1 AND hash = $2",
            self.seq,
            self.hash.as_str(),
        );
        Ok(view.count(found).await? == 1)
    }
}

/// A page of the trail.
#[derive(Clone, Debug)]
pub struct AuditPage {
    /// The newest first. There may be fewer than asked for, even none, although there are more further back: not all of the
    /// trail is looked through at once.
    pub records: Vec<ExportedRecord>,
    /// Before which record the next page begins; `None` at the beginning of the trail.
    pub next_before: Option<i64>,
}

impl AuditFilter {
    fn fits(&self, record: &ExportedRecord) -> bool {
        let Some(entry) = record.entry() else {
            // One that is no record any more is for whoever looks at all of the trail: nobody can say whose it was.
            return self.app.is_none() && self.account.is_none();
        };
        // The whole, or its first part.
        let is = |wanted: &Option<String>, text: &str, separator: char| {
            wanted.as_deref().is_none_or(|wanted| {
                text == wanted || text.strip_prefix(wanted).is_some_and(|rest| rest.starts_with(separator))
            })
        };
        is(&self.actor, &entry.actor, ':')
            && is(&self.kind, &entry.kind, '.')
            && self.app.is_none_or(|app| entry.app == Some(app.into()))
            && self.account.is_none_or(|account| entry.account == Some(account.into()))
            && self.target.as_deref().is_none_or(|target| entry.target.as_deref() == Some(target))
    }
}

impl AuditTrail {
    /// Passes on the records that fit, oldest first, without holding more than a thousand.
    pub async fn export(
        &self,
        view: &mut ReadTx,
        filter: &AuditFilter,
        mut each: impl FnMut(&ExportedRecord),
    ) -> Result<(), DbError> {
        let mut after = Some(-1);
        while let Some(last) = after {
            let (records, next) = self.export_batch(view, filter, last).await?;
            records.iter().for_each(&mut each);
            after = next;
        }
        Ok(())
    }

    /// Of the next thousand records after one those that fit, oldest first; and after which record to go on, if there may be
    /// more. The first batch is after -1.
    pub async fn export_batch(
        &self,
        view: &mut ReadTx,
        filter: &AuditFilter,
        after: i64,
    ) -> Result<(Vec<ExportedRecord>, Option<i64>), DbError> {
        let mut records: Vec<ExportedRecord> = view
            .fetch_all(sql!(
                "SELECT seq, record, hash FROM audit_records
                  WHERE seq > $1 AND made_at >= $2 AND (made_at < $3 OR $3 IS NULL) ORDER BY seq LIMIT $4",
                after,
                filter.from.unwrap_or(Timestamp::UNIX_EPOCH),
                filter.to,
                BATCH_RECORDS,
            ))
            .await?;
        let next = records.last().map(|last| last.seq);
        records.retain(|record| filter.fits(record));
        Ok((records, next))
    }

    /// Up to `limit` records that fit, newest first, those before the record with the number `before`.
    pub async fn list(
        &self,
        view: &mut ReadTx,
        filter: &AuditFilter,
        before: Option<i64>,
        limit: usize,
    ) -> Result<AuditPage, DbError> {
        let (mut before, mut found, mut scanned) = (before.unwrap_or(i64::MAX), Vec::new(), 0);
        while scanned < MAX_SCANNED_RECORDS {
            let records: Vec<ExportedRecord> = view
                .fetch_all(sql!(
                    "SELECT seq, record, hash FROM audit_records
                      WHERE seq < $1 AND made_at >= $2 AND (made_at < $3 OR $3 IS NULL) ORDER BY seq DESC LIMIT $4",
                    before,
                    filter.from.unwrap_or(Timestamp::UNIX_EPOCH),
                    filter.to,
                    BATCH_RECORDS,
                ))
                .await?;
            let Some(last) = records.last() else {
                return Ok(AuditPage { records: found, next_before: None });
            };
            (before, scanned) = (last.seq, scanned + records.len() as i64);
            for record in records.into_iter().filter(|record| filter.fits(record)) {
                if found.len() == limit {
                    let next_before = found.last().map(|last: &ExportedRecord| last.seq);
                    return Ok(AuditPage { records: found, next_before });
                }
                found.push(record);
            }
        }
        Ok(AuditPage { records: found, next_before: Some(before) })
    }
}
