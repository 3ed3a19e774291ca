//! Cases: what people decide in the console (docs/CONSOLE.md, "Cases").
//!
//! - this file: what a case is, who reviews, and the settings
//! - `queues`: the rules that route a case when it is created
//! - `creation`: creating and withdrawing cases, in the transaction of whatever they are about
//! - `leases`: claiming a case, so that nobody else has it; holding it, handing it over
//! - `opinions`: decisions, which can be taken back until they are settled
//! - `exposure`: which pictures reviewers looked at, and for how long
//! - `listing`: finding cases, and the figures of queues
//! - `quality`: how well reviewers agree with each other and with golden answers
//!
//! Nothing here knows what a case is about: that is behind [`CaseSubjects`].

mod assignees;
mod creation;
mod exposure;
mod leases;
mod listing;
mod opinions;
mod quality;
mod queues;
mod tables;
#[cfg(test)]
mod tests;

pub use assignees::{Assignee, ReviewScope};
pub(crate) use creation::{NewCase, create, withdraw_of_check, withdraw_of_notification};
pub use exposure::{Exposure, PictureView};
pub use leases::{CaseChangeError, HoldRequest, MAX_CLAIMED_CASES};
pub use listing::{CaseFilter, CasePage, CaseRecord, OpenCaseFigures, QueueFigures};
pub use opinions::{CaseOpinion, DecisionError, OpinionInput, SettleCaseOpinion};
pub use quality::{Agreement, CaseQuality, QualityFilter, QueueQuality, ReviewerQuality, TimeToDecision};
pub(crate) use queues::primary_language;
pub use queues::{CaseQueue, QueueInput, QueueRules, ReasonCode};
pub(crate) use tables::CaseTables;

use crate::{vault::Vault, wire_enum::wire_enum};
use base::{
    AccountId, AgeSessionId, AppId, CaseId, Environment, MemberId, NotificationId, SignedDuration, Uuid,
    VerificationCheckId,
};
use db::{Db, DbError, WriteTx};
use futures_util::future::BoxFuture;
use jobs::JobError;
use std::sync::Arc;

wire_enum! {
    /// What a case is about.
    pub enum CaseKind {
        /// What a moderation found: a notification about a face.
        Finding => "FINDING",
        /// A check of a document verification session that waits for a reviewer.
        DocumentCheck => "DOCUMENT_CHECK",
        /// An appeal against the outcome of an age verification session.
        AgeAppeal => "AGE_APPEAL",
    }
}

impl CaseKind {
    /// The decisions that end a case of this kind.
    pub const fn decisions(self) -> &'static [CaseDecision] {
        match self {
            Self::Finding => &[CaseDecision::Confirm, CaseDecision::FalseAlarm],
            Self::DocumentCheck => &[CaseDecision::Approve, CaseDecision::Consider, CaseDecision::Reject],
            Self::AgeAppeal => &[CaseDecision::Uphold, CaseDecision::Overturn],
        }
    }
}

wire_enum! {
    /// What a reviewer says about a case.
    pub enum CaseDecision {
        /// The finding is right: of a match, it is the same person.
        Confirm => "CONFIRM",
        /// The finding is wrong: of a match, it is not this person.
        FalseAlarm => "FALSE_ALARM",
        /// The document, or the face, passes.
        Approve => "APPROVE",
        /// It cannot be said; whoever asked decides.
        Consider => "CONSIDER",
        /// The document, or the face, does not pass.
        Reject => "REJECT",
        /// The decision that is appealed against stands.
        Uphold => "UPHOLD",
        /// The decision that is appealed against was wrong.
        Overturn => "OVERTURN",
    }
}

wire_enum! {
    /// Where a case stands.
    pub enum CaseState {
        /// It waits for a reviewer, or one works on it.
        Open => "OPEN",
        /// It was put on hold.
        Held => "HELD",
        /// A reviewer has decided, and can still take it back.
        Decided => "DECIDED",
        /// The decision has had its effect.
        Settled => "SETTLED",
        /// It was decided elsewhere, through the interface for example.
        Withdrawn => "WITHDRAWN",
        /// It has an answer already, and measures reviewers.
        Golden => "GOLDEN",
    }
}

/// How cases are worked on; the section `[cases]`.
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct CaseSettings {
    /// How long a claimed case belongs to its reviewer without a sign of life of their page; written in seconds.
    #[serde(rename = "lease_seconds", with = "base::settings::seconds")]
    pub lease: SignedDuration,
    /// How long a decision can be taken back; written in seconds.
    #[serde(rename = "undo_seconds", with = "base::settings::seconds")]
    pub undo: SignedDuration,
    /// How long a reviewer may look at pictures in a day (UTC); written in minutes, 0: as long as they like.
    #[serde(rename = "exposure_minutes_per_day", with = "base::settings::minutes")]
    pub exposure_budget: SignedDuration,
    /// After how long looking at pictures a break is proposed; written in minutes, 0: never.
    #[serde(rename = "break_after_minutes", with = "base::settings::minutes")]
    pub break_after: SignedDuration,
}

impl Default for CaseSettings {
    fn default() -> Self {
        Self {
            lease: SignedDuration::from_secs(60),
            undo: SignedDuration::from_secs(10),
            exposure_budget: SignedDuration::from_hours(4),
            break_after: SignedDuration::from_mins(45),
        }
    }
}

/// A member who reviews: what of which account they may decide.
#[derive(Clone, Debug)]
pub struct Reviewer {
    pub app: AppId,
    pub account: AccountId,
    pub member: MemberId,
    /// The name that decisions carry.
    pub name: String,
    /// Kinds of cases that they may decide.
    pub kinds: Vec<CaseKind>,
    /// Whether they may see and hand over what others work on.
    pub is_lead: bool,
}

impl Reviewer {
    pub(crate) fn reviews(&self, kind: CaseKind) -> bool {
        self.kinds.contains(&kind)
    }
}

/// What a case is about: exactly one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CaseSubject {
    Notification(NotificationId),
    Check(VerificationCheckId),
    AgeSession(AgeSessionId),
}

/// What has been decided about a case by all its reviewers.
#[derive(Clone, Debug)]
pub struct CaseOutcome {
    pub case: CaseId,
    pub app: AppId,
    pub account: Option<AccountId>,
    pub subject: CaseSubject,
    /// The decision of the majority.
    pub decision: CaseDecision,
    /// Every settled opinion; those of the majority come last.
    pub opinions: Vec<CaseOpinion>,
}

/// Gives decisions their effect. Whoever knows notifications, checks and sessions implements it.
pub trait CaseSubjects: std::fmt::Debug + Send + Sync {
    /// Loads what [`Self::apply`] needs and what cannot be loaded in a transaction; called before it is begun.
    fn prepare(&self) -> BoxFuture<'_, Result<(), JobError>> {
        Box::pin(async { Ok(()) })
    }

    /// Locks what [`Self::apply`] changes of the account that a case belongs to, and of what the case is about; called before the
    /// case is locked, because whatever deletes the subject locks in this order. `false`: the account is being deleted, or the
    /// subject is gone, and the case with it.
    fn lock<'a>(
        &'a self,
        _tx: &'a mut WriteTx,
        _account: Option<AccountId>,
        _subject: CaseSubject,
    ) -> BoxFuture<'a, Result<bool, DbError>> {
        Box::pin(async { Ok(true) })
    }

    /// Gives the outcome its effect, in the transaction that settles the case. `false`: the subject was decided elsewhere
    /// meanwhile, and nothing happened.
    fn apply<'a>(
        &'a self,
        tx: &'a mut WriteTx,
        outcome: &'a CaseOutcome,
    ) -> BoxFuture<'a, Result<bool, DbError>>;
}

/// The cases of all applications; cheap to clone.
#[derive(Clone, Debug)]
pub struct CaseService {
    db: Db,
    environment: Arc<dyn Environment>,
    vault: Vault,
    settings: Arc<CaseSettings>,
    subjects: Arc<dyn CaseSubjects>,
}

impl CaseService {
    /// Cases whose decisions `subjects` carries out.
    pub fn new(
        db: Db,
        environment: Arc<dyn Environment>,
        vault: Vault,
        settings: CaseSettings,
        subjects: Arc<dyn CaseSubjects>,
    ) -> Self {
        Self { db, environment, vault, settings: Arc::new(settings), subjects }
    }

    /// How cases are worked on.
    pub fn settings(&self) -> &CaseSettings {
        &self.settings
    }

    /// Seals a text for its row: reviewers may name people.
    fn seal_text(&self, text: CaseText, id: impl Into<Uuid>, words: &str) -> Vec<u8> {
        self.vault.seal(&*self.environment, &text.aad(id.into()), words.as_bytes())
    }

    /// A text that was sealed; empty if it was sealed under another master key.
    fn open_text(&self, text: CaseText, id: impl Into<Uuid>, sealed: Option<&[u8]>) -> String {
        let plain = sealed.and_then(|sealed| self.vault.open(&text.aad(id.into()), sealed).ok());
        plain.and_then(|plain| String::from_utf8(plain).ok()).unwrap_or_default()
    }
}

/// A text of a reviewer's.
#[derive(Clone, Copy, Debug)]
enum CaseText {
    /// Why a case was put on hold.
    Note,
    /// Why it was decided so.
    Comment,
}

impl CaseText {
    fn aad(self, id: Uuid) -> Vec<u8> {
        match self {
            Self::Note => format!("case {id} note"),
            Self::Comment => format!("case opinion {id} comment"),
        }
        .into_bytes()
    }
}
