//! Checks that a reviewer decides: the automatic report is a draft until then.

use super::{
    checks::record_decision,
    error::DocumentSessionError,
    report::{Recommendation, ReportDetail, SubCheck, VerificationReport, recovery_suggestion},
    review_evidence::CheckEvidence,
    store::{DocumentSessionStore, UnsealedDocumentSession},
    types::{CheckAdvice, SubCheckProcess, VerificationCheckType},
    unit_of_work::{DocumentUnitOfWork, SideEffects},
};
use crate::{
    cases,
    sealed_texts::{SealedTexts, TextColumn},
    violation::Violation,
};
use base::{AppId, CaseId, DocumentSessionId, Environment, LimitViolation, Timestamp, VerificationCheckId};
use db::{AuditEvent, Db, DbError, DbTimestamp, FromRow, ReadTx, WriteTx, sql};
use serde::Serialize;
use std::sync::Arc;

/// Characters of a reason or of a reviewer's name, at most.
const MAX_REASON_CHARS: usize = 1000;
/// Bytes of a reason code, at most.
const MAX_CODE_BYTES: usize = 64;

/// A check that waits, or waited, for a reviewer's decision.
#[derive(Clone, Debug, Serialize)]
pub struct CheckReview {
    pub check_id: VerificationCheckId,
    pub session_id: DocumentSessionId,
    pub app_id: AppId,
    pub kind: VerificationCheckType,
    /// The recommendation of the automatic report.
    pub proposed: CheckAdvice,
    /// The reviewer's recommendation; this and the next two are `None` while the check waits, and where it ended without a
    /// decision.
    pub decision: Option<String>,
    pub reason: Option<String>,
    pub reviewer: Option<String>,
    /// When the check was referred to a reviewer.
    pub created_at: Timestamp,
    /// When it was decided, or ended without a decision.
    #[serde(serialize_with = "db::serialize_optional_timestamp")]
    pub decided_at: Option<DbTimestamp>,
}

#[derive(FromRow)]
struct CheckReviewRow {
    check_id: VerificationCheckId,
    session_id: DocumentSessionId,
    app_id: AppId,
    #[sqlx(try_from = "String")]
    kind: VerificationCheckType,
    #[sqlx(try_from = "String")]
    proposed: CheckAdvice,
    decision: Option<String>,
    reason: Option<String>,
    sealed_reason: Option<Vec<u8>>,
    reviewer: Option<String>,
    #[sqlx(try_from = "db::DbTimestamp")]
    created_at: Timestamp,
    decided_at: Option<DbTimestamp>,
}

/// A reviewer's decision about a check.
#[derive(Clone, Debug)]
pub struct CheckDecision {
    pub value: CheckAdvice,
    /// Why, in words; required, at most 1,000 characters.
    pub reason: String,
    /// The reason as a code, `DATA_MISMATCH` for example. Without one the draft's counts.
    pub code: Option<String>,
    /// The reviewer's name; required, at most 1,000 characters.
    pub reviewer: String,
}

impl CheckDecision {
    /// What is wrong with its members; empty if nothing is.
    pub fn violations(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        for (name, text) in [("reason", self.reason.trim()), ("reviewer", self.reviewer.trim())] {
            if text.is_empty() {
                found.push(Violation::new(name, "it is required"));
            }
            let length = text.chars().count();
            if length > MAX_REASON_CHARS {
                let message = format!("it has {length} characters, at most {MAX_REASON_CHARS} are read");
                let limit = format!("at most {MAX_REASON_CHARS} characters");
                let measured = LimitViolation::new(length as f64, limit, "send a shorter text");
                found.push(Violation::with_limit(name, message, measured));
            }
        }
        let malformed = |code: &str| {
            code.is_empty()
                || code.len() > MAX_CODE_BYTES
                || !code.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_')
        };
        if self.code.as_deref().is_some_and(malformed) {
            found.push(Violation::new("code", "it is one word of capital letters, such as DATA_MISMATCH"));
        }
        found
    }
}

/// Lists and decides reviews; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct CheckReviewService {
    db: Db,
    env: Arc<dyn Environment>,
    store: DocumentSessionStore,
    unit_of_work: DocumentUnitOfWork,
    texts: SealedTexts,
}

impl CheckReviewService {
    pub(super) fn new(
        db: Db,
        env: Arc<dyn Environment>,
        store: DocumentSessionStore,
        unit_of_work: DocumentUnitOfWork,
        texts: SealedTexts,
    ) -> Self {
        Self { db, env, store, unit_of_work, texts }
    }

    /// Up to 200 reviews that are open (or decided), the longest waiting first; of one application, if given.
    pub(super) async fn list(
        &self,
        db: &mut ReadTx,
        app: Option<AppId>,
        decided: bool,
    ) -> Result<Vec<CheckReview>, DbError> {
        let rows: Vec<CheckReviewRow> = db
            .fetch_all(sql!(
                "SELECT check_id, session_id, app_id, kind, proposed, decision, reason, sealed_reason, reviewer,
                        created_at, decided_at
                   FROM identity_reviews
                  WHERE (app_id = $1 OR $1 IS NULL) AND (decided_at IS NOT NULL) = $2
                  ORDER BY created_at, check_id LIMIT 200",
                app,
                decided,
            ))
            .await?;
        Ok(rows.into_iter().map(|row| self.open(row)).collect())
    }

    fn open(&self, row: CheckReviewRow) -> CheckReview {
        let CheckReviewRow {
            check_id,
            session_id,
            app_id,
            kind,
            proposed,
            decision,
            reviewer,
            created_at,
            ..
        } = row;
        // A check that waits has no reason in either column.
        let reason = row.reason.map(|in_clear| {
            self.texts.open(TextColumn::CheckReviewReason, check_id, in_clear, row.sealed_reason.as_deref())
        });
        CheckReview {
            check_id,
            session_id,
            app_id,
            kind,
            proposed,
            decision,
            reason,
            reviewer,
            created_at,
            decided_at: row.decided_at,
        }
    }

    /// A review, with the automatic report, or, once it is decided, the final one.
    pub(super) async fn find(
        &self,
        app: Option<AppId>,
        check: VerificationCheckId,
    ) -> Result<Option<(CheckReview, Option<VerificationReport>)>, DbError> {
        self.find_in(&mut self.db.read().await?, app, check).await
    }

    async fn find_in(
        &self,
        db: &mut ReadTx,
        app: Option<AppId>,
        check: VerificationCheckId,
    ) -> Result<Option<(CheckReview, Option<VerificationReport>)>, DbError> {
        let row: Option<CheckReviewRow> = db
            .fetch_optional(sql!(
                "SELECT check_id, session_id, app_id, kind, proposed, decision, reason, sealed_reason, reviewer,
                        created_at, decided_at
                   FROM identity_reviews WHERE check_id = $1 AND (app_id = $2 OR $2 IS NULL)",
                check,
                app,
            ))
            .await?;
        let Some(review) = row.map(|row| self.open(row)) else { return Ok(None) };
        let stored = self.store.find_unscoped(db, review.session_id).await?;
        let check =
            stored.and_then(|stored| stored.session.checks.into_iter().find(|known| known.id == check));
        let report = check.and_then(|check| check.draft.or(check.report));
        Ok(Some((review, report)))
    }

    /// A review and the session that it belongs to.
    pub(super) async fn session_of(
        &self,
        app: AppId,
        check: VerificationCheckId,
    ) -> Result<Option<(UnsealedDocumentSession, CheckReview)>, DbError> {
        let mut view = self.db.read().await?;
        let Some((review, _)) = self.find_in(&mut view, Some(app), check).await? else { return Ok(None) };
        let stored = self.store.find_unscoped(&mut view, review.session_id).await?;
        Ok(stored.map(|stored| (stored, review)))
    }

    /// What a reviewer judges a check by.
    pub(super) async fn evidence(
        &self,
        app: AppId,
        check: VerificationCheckId,
    ) -> Result<Option<CheckEvidence>, DbError> {
        let found = self.session_of(app, check).await?;
        Ok(found.map(|(stored, review)| CheckEvidence::of(review, &stored.session)))
    }

    /// Ends a check by a reviewer's decision.
    pub(super) async fn decide(
        &self,
        app: Option<AppId>,
        check: VerificationCheckId,
        decision: &CheckDecision,
    ) -> Result<(), DocumentSessionError> {
        let violations = decision.violations();
        if !violations.is_empty() {
            return Err(DocumentSessionError::Invalid(violations));
        }
        let mut tx = self.db.write().await?;
        if let Some(app) = app {
            tx.set_actor(format!("application:{app}"));
        }
        self.decide_in(&mut tx, app, check, decision, None).await?;
        Ok(tx.commit().await?)
    }

    /// [`Self::decide`] in a transaction of the caller, who has checked the decision. `case` is the one that it comes from.
    pub(super) async fn decide_in(
        &self,
        tx: &mut WriteTx,
        app: Option<AppId>,
        check: VerificationCheckId,
        decision: &CheckDecision,
        case: Option<CaseId>,
    ) -> Result<(), DocumentSessionError> {
        let (reason, reviewer) = (decision.reason.trim(), decision.reviewer.trim());
        let found = self.find_in(tx, app, check).await?;
        let Some((review, _)) = found else { return Err(DocumentSessionError::ItemNotFound("check")) };
        let has_ended =
            || DocumentSessionError::ResourceLocked("the check has been decided, or has ended".to_owned());
        if review.decided_at.is_some() {
            return Err(has_ended());
        }
        // The case first, as where a decision of the console is settled.
        cases::withdraw_of_check(tx, &*self.env, check).await?;
        let locked = self.store.lock(tx, review.session_id).await?;
        let mut locked = locked.ok_or(DocumentSessionError::SessionNotFound)?;
        // Another reviewer may have decided since it was read, or the check may have failed. What the console settles is
        // committed all the same, so nothing is written of a decision that changes nothing.
        let waiting = locked.session.checks.iter().find(|known| known.id == check);
        let draft = waiting.and_then(|known| known.draft.clone()).ok_or_else(has_ended)?;
        let report = report_with_decision(review.kind, draft, decision);
        let rows = tx
            .execute(sql!(
                "UPDATE identity_reviews
                    SET decision = $2, reason = '', sealed_reason = $3, reviewer = $4, decided_at = $5
                  WHERE check_id = $1 AND decided_at IS NULL",
                check,
                decision.value,
                self.texts.seal(TextColumn::CheckReviewReason, check, reason),
                reviewer,
                self.env.now(),
            ))
            .await?;
        if rows == 0 {
            return Err(has_ended());
        }
        // Not who the reviewer is said to be: that is a text, which may name a person.
        let event = AuditEvent::new("check.decide").app(review.app_id).target(check);
        let event = event.detail("session", review.session_id.to_string());
        let event = event.detail("decision", decision.value.as_str());
        tx.audit(match case {
            Some(case) => event.detail("case", case.to_string()),
            None => event,
        });
        let mut effects = SideEffects::default();
        record_decision(&mut locked.session, &mut effects, &*self.env, check, report)?;
        self.unit_of_work.save(tx, &mut locked, effects).await?;
        Ok(())
    }
}

/// Takes back the open cases of a session's checks. For whoever locks the session next: cases are locked first, as where a
/// decision is settled.
pub(super) async fn withdraw_cases(
    tx: &mut WriteTx,
    env: &dyn Environment,
    session: DocumentSessionId,
) -> Result<(), DbError> {
    #[derive(FromRow)]
    struct OpenReviewRow {
        check_id: VerificationCheckId,
    }
    let open: Vec<OpenReviewRow> = tx
        .fetch_all(sql!(
            "SELECT check_id FROM identity_reviews WHERE session_id = $1 AND decided_at IS NULL ORDER BY check_id",
            session,
        ))
        .await?;
    for OpenReviewRow { check_id } in open {
        cases::withdraw_of_check(tx, env, check_id).await?;
    }
    Ok(())
}

/// Ends the reviews of a locked session that wait for a decision, without one: its checks have failed.
pub(super) async fn end_undecided(
    tx: &mut WriteTx,
    env: &dyn Environment,
    session: DocumentSessionId,
) -> Result<(), DbError> {
    // Again, for what was referred to a reviewer while the session was waited for.
    withdraw_cases(tx, env, session).await?;
    tx.execute(sql!(
        "UPDATE identity_reviews SET decided_at = $2 WHERE session_id = $1 AND decided_at IS NULL",
        session,
        env.now(),
    ))
    .await
    .map(drop)
}

/// The draft, with the reviewer's decision as a sub-check and as the recommendation.
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
            let code = decision.code.clone().or(draft.recommendation.reason);
            let code = code.unwrap_or_else(|| "REVIEWER_DECISION".to_owned());
            Recommendation {
                value,
                recovery_suggestion: Some(recovery_suggestion(&code).to_owned()),
                reason: Some(code),
            }
        }
    };
    VerificationReport { recommendation, breakdown }
}

#[cfg(test)]
mod unit_tests {
    use super::*;
    use crate::document_verification::{
        request::DocumentSessionRequest,
        session::{DocumentSession, VerificationCheck},
        types::{CheckState, ManualCheck},
    };
    use base::{TestEnvironment, Uuid};

    #[test]
    fn evidence_without_the_decision_is_what_it_was_before() {
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let request = DocumentSessionRequest::new(env.now());
        let mut session = DocumentSession::begin(&env, Uuid::from_u128(1).into(), false, request);
        let (kind, state) = (VerificationCheckType::Authenticity, CheckState::Pending);
        let check = VerificationCheck::begin(&env, kind, state, Vec::new(), ManualCheck::Always);
        let draft = VerificationReport {
            recommendation: Recommendation::with_reason(CheckAdvice::Reject, "DATA_MISMATCH"),
            breakdown: vec![SubCheck::new("data_match", false, Vec::new())],
        };
        let review = CheckReview {
            check_id: check.id,
            session_id: session.id,
            app_id: session.app,
            kind,
            proposed: CheckAdvice::Reject,
            decision: None,
            reason: None,
            reviewer: None,
            created_at: env.now(),
            decided_at: None,
        };
        session.checks.push(VerificationCheck { draft: Some(draft.clone()), ..check });
        let before = CheckEvidence::of(review.clone(), &session);
        assert_eq!(before.proposed_reason.as_deref(), Some("DATA_MISMATCH"));

        let decision = CheckDecision {
            value: CheckAdvice::Reject,
            reason: "another portrait was glued in".to_owned(),
            code: Some("TAMPERED".to_owned()),
            reviewer: "ada".to_owned(),
        };
        let report = report_with_decision(kind, draft, &decision);
        record_decision(&mut session, &mut SideEffects::default(), &env, review.check_id, report).unwrap();
        let mut after = CheckEvidence::of(review, &session);
        assert_eq!(after.breakdown.len(), 2, "the decision is the last: {:?}", after.breakdown);
        after.leave_out_decision();
        assert_eq!((after.proposed_reason, after.breakdown), (before.proposed_reason, before.breakdown));
    }
}
