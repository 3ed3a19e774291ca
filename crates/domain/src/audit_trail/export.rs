//! Reading the trail.

use super::{AuditTrail, verification::BATCH_RECORDS};
use base::{AccountId, AppId, Timestamp, Uuid};
use db::{DbError, FromRow, ReadTx, sql};
use serde::Deserialize;

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

/// The members of a record that it is chosen by.
#[derive(Deserialize)]
struct ChosenBy {
    kind: String,
    actor: String,
    app: Option<Uuid>,
    account: Option<Uuid>,
}

impl AuditFilter {
    fn fits(&self, record: &str) -> bool {
        let Ok(record) = serde_json::from_str::<ChosenBy>(record) else {
            // One that is no record any more is for whoever looks to see.
            return true;
        };
        // The whole, or its first part.
        let is = |wanted: &Option<String>, text: &str, separator: char| {
            wanted.as_deref().is_none_or(|wanted| {
                text == wanted || text.strip_prefix(wanted).is_some_and(|rest| rest.starts_with(separator))
            })
        };
        is(&self.actor, &record.actor, ':')
            && is(&self.kind, &record.kind, '.')
            && self.app.is_none_or(|app| record.app == Some(app.into()))
            && self.account.is_none_or(|account| record.account == Some(account.into()))
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
        let (from, to) = (filter.from.unwrap_or(Timestamp::UNIX_EPOCH), filter.to);
        let mut after = -1;
        loop {
            let records: Vec<ExportedRecord> = view
                .fetch_all(sql!(
                    "SELECT seq, record, hash FROM audit_records
                      WHERE seq > $1 AND made_at >= $2 AND (made_at < $3 OR $3 IS NULL) ORDER BY seq LIMIT $4",
                    after,
                    from,
                    to,
                    BATCH_RECORDS,
                ))
                .await?;
            let Some(last) = records.last() else { return Ok(()) };
            after = last.seq;
            records.iter().filter(|record| filter.fits(&record.record)).for_each(&mut each);
        }
    }
}
