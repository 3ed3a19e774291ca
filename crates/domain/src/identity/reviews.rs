//! Checks that a person decides: the automatic report is a draft until then.

use super::{
    Identities,
    change::{Effects, NotDone},
    checks,
    report::{Detail, Recommendation, Report, SubCheck, recovery},
    words::{CheckAdvice, CheckType, SubCheckProcess},
};
use crate::violation::Violation;
use base::{AppId, CheckId, SessionId, Timestamp};
use db::{At, DbError, FromRow, Read, sql};
use serde::Serialize;

/// The longest reason, and the longest name of a reviewer.
const MAX_REASON_CHARS: usize = 1000;
/// The longest reason in one word.
const MAX_CODE_BYTES: usize = 64;

/// A check that waits, or waited, for a decision.
#[derive(Clone, Debug, FromRow, Serialize)]
pub struct Review {
    /// The check.
    pub check_id: CheckId,
    /// Its session.
    pub session_id: SessionId,
    /// Whose.
    pub app_id: AppId,
    /// What is checked.
    #[sqlx(try_from = "String")]
    pub kind: CheckType,
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
    #[sqlx(try_from = "db::At")]
    pub created_at: Timestamp,
    /// When it was decided.
    #[serde(serialize_with = "db::moment")]
    pub decided_at: Option<At>,
}

/// A decision.
#[derive(Clone, Debug)]
pub struct Decision {
    /// What.
    pub value: CheckAdvice,
    /// Why, in words; required.
    pub reason: String,
    /// The reason in one word of the interface, for `REJECT`.
    pub code: Option<String>,
    /// Who decides.
    pub reviewer: String,
}

impl Decision {
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

impl Identities {
    /// Up to 200 reviews that are open (or decided), the longest waiting first; of one application where given.
    pub async fn reviews(
        &self,
        view: &mut Read,
        app: Option<AppId>,
        decided: bool,
    ) -> Result<Vec<Review>, DbError> {
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
    pub async fn review(
        &self,
        app: Option<AppId>,
        check: CheckId,
    ) -> Result<Option<(Review, Option<Report>)>, DbError> {
        let mut view = self.0.db.read().await?;
        let review: Option<Review> = view
            .fetch_optional(sql!(
                "SELECT check_id, session_id, app_id, kind, proposed, decision, reason, reviewer, created_at,
                        decided_at
                   FROM identity_reviews WHERE check_id = $1 AND (app_id = $2 OR $2 IS NULL)",
                check,
                app,
            ))
            .await?;
        let Some(review) = review else { return Ok(None) };
        let held = self.find_any(&mut view, review.session_id).await?;
        let found = held.and_then(|held| held.session.checks.into_iter().find(|known| known.id == check));
        let report = found.and_then(|found| found.draft.or(found.report));
        Ok(Some((review, report)))
    }

    /// Ends a check by a person's decision.
    pub async fn decide(
        &self,
        app: Option<AppId>,
        check: CheckId,
        decision: &Decision,
    ) -> Result<(), NotDone> {
        let violations = decision.violations();
        if !violations.is_empty() {
            return Err(NotDone::Invalid(violations));
        }
        let (reason, reviewer) = (decision.reason.trim(), decision.reviewer.trim());
        let found = self.review(app, check).await?;
        let Some((review, draft)) = found else { return Err(NotDone::Missing("check")) };
        if review.decided_at.is_some() {
            return Err(NotDone::ResourceLocked("the check was decided already".to_owned()));
        }
        let draft = draft.unwrap_or_else(|| Report::not_available("NO_DOCUMENT"));
        let report = decided(review.kind, draft, decision);

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
            return Err(NotDone::ResourceLocked("the check was decided already".to_owned()));
        }
        let mut held = self.hold(&mut tx, review.session_id).await?.ok_or(NotDone::NoSession)?;
        let mut effects = Effects::default();
        checks::decided(&mut held.session, &mut effects, &*self.0.world, check, report)?;
        self.settle(&mut tx, &mut held, effects).await?;
        Ok(tx.commit().await?)
    }
}

/// The draft with a person's word on it.
fn decided(kind: CheckType, draft: Report, decision: &Decision) -> Report {
    let name = match kind {
        CheckType::FaceMatch | CheckType::FaceComparison => "manual_face_match",
        _ => "manual_review",
    };
    let details = vec![Detail::new("reason", decision.reason.trim())];
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
                recovery_suggestion: Some(recovery(&word).to_owned()),
                reason: Some(word),
            }
        }
    };
    Report { recommendation, breakdown }
}
