//! What a session came to, for whoever made it for a purpose of their own: an age, say.

use super::{
    DocumentSessionError, DocumentVerificationService, UnsealedDocumentSession,
    types::{CheckAdvice, CheckState, ResourceKind, SessionState},
};
use jiff::civil::Date;
use serde::Deserialize;

/// What a session came to.
#[derive(Clone, PartialEq, Eq)]
pub enum DocumentSessionOutcome {
    /// The person is at it.
    Open,
    /// They are through, and checks run.
    Checking,
    /// It ended without them.
    Expired,
    /// Everything approves; when the person of the document was born, where that was read.
    Approved(Option<Date>),
    /// A check does not approve, for this reason.
    Refused(String),
}

// A date of birth must not reach a log.
impl std::fmt::Debug for DocumentSessionOutcome {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Outcome")
    }
}

/// What of a document's fields counts here. A sandbox may have been told others that no document has.
#[derive(Deserialize)]
struct BirthDateField {
    date_of_birth: Option<String>,
}

impl DocumentVerificationService {
    /// What a session came to.
    pub async fn outcome(
        &self,
        held: &UnsealedDocumentSession,
    ) -> Result<DocumentSessionOutcome, DocumentSessionError> {
        let session = &held.session;
        match session.state {
            SessionState::Ongoing if session.triggered_at.is_some() => {
                return Ok(DocumentSessionOutcome::Checking);
            }
            SessionState::Ongoing if session.is_open(self.0.world.now()) => {
                return Ok(DocumentSessionOutcome::Open);
            }
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
        let read = session
            .fulfilling_resources(ResourceKind::IdDocument)
            .filter_map(|resource| resource.document_fields);
        for media in read {
            if session.media(media).is_none_or(|media| media.redacted) {
                continue;
            }
            let fields: Option<BirthDateField> =
                serde_json::from_slice(&self.read_media(held, media).await?).ok();
            let born = fields.and_then(|fields| fields.date_of_birth?.parse().ok());
            if born.is_some() {
                return Ok(DocumentSessionOutcome::Approved(born));
            }
        }
        Ok(DocumentSessionOutcome::Approved(None))
    }
}
