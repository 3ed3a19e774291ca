//! Checks that a person decides: the automatic report is a draft until then.

use super::{
    DocumentVerificationService, checks,
    report::{Recommendation, ReportDetail, SubCheck, VerificationReport, recovery_suggestion},
    types::{CheckAdvice, SubCheckProcess, VerificationCheckType},
    unit_of_work::{DocumentSessionError, SideEffects},
};
use crate::violation::Violation;
use base::{AppId, DocumentSessionId, ModerationCheckId, Timestamp};
use db::{DbError, DbTimestamp, FromRow, ReadTx, sql};
use serde::Serialize;

/// The longest reason, and the longest name of a reviewer.
const MAX_REASON_CHARS: usize = 1000;
/// The longest reason in one word.
const MAX_CODE_BYTES: usize = 64;

/// A check that waits, or waited, for a decision.
#[derive(Clone, Debug, FromRow, Serialize)]
pub struct CheckReview {
    /// The check.
    pub check_id: ModerationCheckId,
    /// Its session.
    pub session_id: DocumentSessionId,
    /// Whose.
    pub app_id: AppId,
    /// What is checked.
    #[sqlx(try_from = "String")]
    pub kind: VerificationCheckType,
    /// What this server would have said.
    #[sqlx(try_from = "String")]
    pub proposed: CheckAdvice,
    /// What was decided.
    pub decision: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// By whom.
    pub reviewer: Option<String>,
    /// Since when it waits.
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
    /// When it was decided.
    #[serde(serialize_with = "db::serialize_optional_timestamp")]
    pub decided_at: Option<DbTimestamp>,
}

/// A decision.
#[derive(Clone, Debug)]
pub struct CheckDecision {
    /// What.
    pub value: CheckAdvice,
    /// Why, in words; required.
    pub reason: String,
    /// The reason in one word of the interface, for `REJECT`.
    pub code: Option<String>,
    /// Who decides.
    pub reviewer: String,
}

impl CheckDecision {
    /// Every rule that it breaks.
    pub fn violations(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        for (name, text) in [("reason", self.reason.trim()), ("reviewer", self.reviewer.trim())] {
            if text.is_empty() {
                found.push(Violation::new(name, "it is required"));
            }
            if text.chars().count() > MAX_REASON_CHARS {
                found.push(Violation::new(name, format!("it has more than {MAX_REASON_CHARS} characters")));
            }
        }
        let odd = |code: &str| {
            code.is_empty()
                || code.len() > MAX_CODE_BYTES
                || !code.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
        };
        if self.code.as_deref().is_some_and(odd) {
            found.push(Violation::new("code", "it is one word of capital letters, as DATA_MISMATCH"));
        }
        found
    }
}

impl DocumentVerificationService {
    /// Up to 200 reviews that are open (or decided), the longest waiting first; of one application where given.
    pub async fn list_reviews(
        &self,
        view: &mut ReadTx,
        app: Option<AppId>,
        decided: bool,
    ) -> Result<Vec<CheckReview>, DbError> {
        view.fetch_all(sql!(
            "SELECT check_id, session_id, app_id, kind, proposed, decision, reason, reviewer, created_at, decided_at
               FROM identity_reviews
              WHERE (app_id = $1 OR $1 IS NULL) AND (decided_at IS NOT NULL) = $2
              ORDER BY created_at, check_id LIMIT 200",
            app,
            decided,
        ))
        .await
    }

    /// One review, with the draft it is about.
    pub async fn find_review(
        &self,
        app: Option<AppId>,
        check: ModerationCheckId,
    ) -> Result<Option<(CheckReview, Option<VerificationReport>)>, DbError> {
        let mut view = self.0.db.read().await?;
        let review: Option<CheckReview> = view
            .fetch_optional(sql!(
                "SELECT check_id, session_id, app_id, kind, proposed, decision, reason, reviewer, created_at,
                        decided_at
                   FROM identity_reviews WHERE check_id = $1 AND (app_id = $2 OR $2 IS NULL)",
                check,
                app,
            ))
            .await?;
        let Some(review) = review else { return Ok(None) };
        let held = self.find_unscoped(&mut view, review.session_id).await?;
        let found = held.and_then(|held| held.session.checks.into_iter().find(|known| known.id == check));
        let report = found.and_then(|found| found.draft.or(found.report));
        Ok(Some((review, report)))
    }

    /// Ends a check by a person's decision.
    pub async fn decide_review(
        &self,
        app: Option<AppId>,
        check: ModerationCheckId,
        decision: &CheckDecision,
    ) -> Result<(), DocumentSessionError> {
        let violations = decision.violations();
        if !violations.is_empty() {
            return Err(DocumentSessionError::Invalid(violations));
        }
        let (reason, reviewer) = (decision.reason.trim(), decision.reviewer.trim());
        let found = self.find_review(app, check).await?;
        let Some((review, draft)) = found else { return Err(DocumentSessionError::ItemNotFound("check")) };
        if review.decided_at.is_some() {
            return Err(DocumentSessionError::ResourceLocked("the check was decided already".to_owned()));
        }
        let draft = draft.unwrap_or_else(|| VerificationReport::not_available("NO_DOCUMENT"));
        let report = report_with_decision(review.kind, draft, decision);

        let mut tx = self.0.db.write().await?;
        let rows = tx
            .execute(sql!(
                "UPDATE identity_reviews SET decision = $2, reason = $3, reviewer = $4, decided_at = $5
                  WHERE check_id = $1 AND decided_at IS NULL",
                check,
                decision.value,
                reason,
                reviewer,
                self.0.world.now(),
            ))
            .await?;
        if rows == 0 {
            return Err(DocumentSessionError::ResourceLocked("the check was decided already".to_owned()));
        }
        let mut held = self
            .lock_session(&mut tx, review.session_id)
            .await?
            .ok_or(DocumentSessionError::SessionNotFound)?;
        let mut effects = SideEffects::default();
        checks::record_decision(&mut held.session, &mut effects, &*self.0.world, check, report)?;
        self.save_with_effects(&mut tx, &mut held, effects).await?;
        Ok(tx.commit().await?)
    }
}

/// The draft with a person's word on it.
fn report_with_decision(
    kind: VerificationCheckType,
    draft: VerificationReport,
    decision: &CheckDecision,
) -> VerificationReport {
    let name = match kind {
        VerificationCheckType::FaceMatch | VerificationCheckType::FaceComparison => "manual_face_match",
        _ => "manual_review",
    };
    let details = vec![ReportDetail::new("reason", decision.reason.trim())];
    let mut sub_check = SubCheck::new(name, decision.value == CheckAdvice::Approve, details);
    sub_check.process = SubCheckProcess::ExpertReview;
    let mut breakdown = draft.breakdown;
    breakdown.push(sub_check);
    let recommendation = match decision.value {
        CheckAdvice::Approve => Recommendation::approve(),
        value => {
            let word = decision.code.clone().or(draft.recommendation.reason);
            let word = word.unwrap_or_else(|| "REVIEWER_DECISION".to_owned());
            Recommendation {
                value,
                recovery_suggestion: Some(recovery_suggestion(&word).to_owned()),
                reason: Some(word),
            }
        }
    };
    VerificationReport { recommendation, breakdown }
}
