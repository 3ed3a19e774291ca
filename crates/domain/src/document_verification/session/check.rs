//! A check of a session, as it is stored. [`crate::document_verification`]'s `checks` makes and runs them.

use crate::document_verification::{
    report::VerificationReport,
    types::{CheckAdvice, CheckState, ManualCheck, VerificationCheckType, WatchlistCategory},
};
use base::{Environment, Id as _, MediaId, ResourceId, Timestamp, VerificationCheckId};
use serde::{Deserialize, Serialize};

/// A check of one or two resources.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option by itself")]
pub struct VerificationCheck {
    pub id: VerificationCheckId,
    pub kind: VerificationCheckType,
    pub state: CheckState,
    /// The resources that are checked; a face that a document is compared with comes last.
    pub resources_used: Vec<ResourceId>,
    /// What was read of the document, for a text-data check.
    pub generated_media: Vec<MediaId>,
    /// The result; `None` until the check is done.
    pub report: Option<VerificationReport>,
    /// The automatic result, while a reviewer has not decided yet.
    pub draft: Option<VerificationReport>,
    /// The reason code of the automatic result, once a reviewer has decided: the report then has theirs.
    #[serde(default)]
    pub automatic_reason: Option<String>,
    /// When a reviewer decides.
    pub manual_check: ManualCheck,
    /// Whether an authenticity check includes the sub-check `issuing_authority`.
    pub issuing_authority: bool,
    /// Whether its filter lets an authenticity check take documents that have expired.
    #[serde(default)]
    pub allow_expired: bool,
    /// Whether it is about some documents only, by a filter of its own.
    #[serde(default)]
    pub filtered: bool,
    /// Whether the authority is asked about documents that have expired; its filter says so, and without one it is.
    #[serde(default = "yes")]
    pub issuing_authority_takes_expired: bool,
    /// What watchlists are searched for.
    #[serde(default)]
    pub watchlist_categories: Vec<WatchlistCategory>,
    pub created: Timestamp,
    pub last_updated: Timestamp,
}

const fn yes() -> bool {
    true
}

impl VerificationCheck {
    /// A new check without a result.
    pub fn begin(
        env: &dyn Environment,
        kind: VerificationCheckType,
        state: CheckState,
        resources_used: Vec<ResourceId>,
        manual_check: ManualCheck,
    ) -> Self {
        let now = env.now();
        Self {
            id: VerificationCheckId::new(env),
            kind,
            state,
            resources_used,
            generated_media: Vec::new(),
            report: None,
            draft: None,
            automatic_reason: None,
            manual_check,
            issuing_authority: false,
            allow_expired: false,
            filtered: false,
            issuing_authority_takes_expired: true,
            watchlist_categories: Vec::new(),
            created: now,
            last_updated: now,
        }
    }

    /// Whether it is running and has no automatic result yet.
    pub(in crate::document_verification) fn awaits_report(&self) -> bool {
        self.state == CheckState::Pending && self.draft.is_none()
    }

    /// Whether a reviewer must decide about this automatic result.
    pub fn needs_review(&self, report: &VerificationReport) -> bool {
        let conclusive = matches!(report.recommendation.value, CheckAdvice::Approve | CheckAdvice::Reject);
        match self.manual_check {
            ManualCheck::Never => false,
            ManualCheck::Fallback => !conclusive,
            ManualCheck::Always => true,
        }
    }
}
