//! The outcome of a session, for another product of this server that created it: age verification needs a date of
//! birth.

use super::{
    error::DocumentSessionError,
    store::{SessionMediaStore, UnsealedDocumentSession},
    types::{CheckAdvice, CheckState, ResourceKind, SessionState},
};
use base::Timestamp;
use jiff::civil::Date;
use serde::Deserialize;

/// The outcome of a session.
#[derive(Clone, PartialEq, Eq)]
pub enum DocumentSessionOutcome {
    /// The end user may still act.
    Open,
    /// The end user has finished, and the checks run.
    Checking,
    /// The end user did not finish in time.
    Expired,
    /// Every check approves. The date of birth on the document, if it was read.
    Approved(Option<Date>),
    /// A check does not approve, for this reason; `INTERNAL_ERROR` if it failed.
    Refused(String),
}

// The date of birth is personal data and must not reach a log.
impl std::fmt::Debug for DocumentSessionOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("DocumentSessionOutcome")
    }
}

/// The only field of a document that counts here. A sandbox may be configured to return others that no document has.
#[derive(Deserialize)]
struct BirthDateField {
    date_of_birth: Option<String>,
}

/// The outcome of a session at a moment.
pub(super) async fn outcome(
    media: &SessionMediaStore,
    stored: &UnsealedDocumentSession,
    now: Timestamp,
) -> Result<DocumentSessionOutcome, DocumentSessionError> {
    let session = &stored.session;
    match session.state {
        SessionState::Ongoing if session.triggered_at.is_some() => {
            return Ok(DocumentSessionOutcome::Checking);
        }
        SessionState::Ongoing if session.is_open(now) => return Ok(DocumentSessionOutcome::Open),
        SessionState::Ongoing | SessionState::Expired => return Ok(DocumentSessionOutcome::Expired),
        SessionState::Completed => {}
    }
    for check in &session.checks {
        if check.state != CheckState::Done {
            return Ok(DocumentSessionOutcome::Refused("INTERNAL_ERROR".to_owned()));
        }
        let advice = check.report.as_ref().map(|report| &report.recommendation);
        if let Some(advice) = advice.filter(|advice| advice.value != CheckAdvice::Approve) {
            return Ok(DocumentSessionOutcome::Refused(advice.reason.clone().unwrap_or_default()));
        }
    }
    date_of_birth(media, stored).await.map(DocumentSessionOutcome::Approved)
}

/// The date of birth on the first identity document of which one was read.
async fn date_of_birth(
    media: &SessionMediaStore,
    stored: &UnsealedDocumentSession,
) -> Result<Option<Date>, DocumentSessionError> {
    let session = &stored.session;
    let read = session
        .fulfilling_resources(ResourceKind::IdDocument)
        .filter_map(|resource| resource.document_fields);
    for id in read {
        if session.media(id).is_none_or(|media| media.redacted) {
            continue;
        }
        let fields: Option<BirthDateField> = serde_json::from_slice(&media.read(stored, id).await?).ok();
        let born = fields.and_then(|fields| fields.date_of_birth?.parse().ok());
        if born.is_some() {
            return Ok(born);
        }
    }
    Ok(None)
}
