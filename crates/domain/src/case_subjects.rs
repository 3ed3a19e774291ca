//! What cases are about: carries out what reviewers decide, and gathers what they judge by.

use crate::{
    accounts,
    age_verification::{self, AgeSessionError, AgeVerificationService},
    cases::{CaseDecision, CaseOpinion, CaseOutcome, CaseSubject, CaseSubjects},
    content_moderation::{
        ContentModerationService, StatementDecision,
        reviews::{ReviewDecision, ReviewError},
    },
    document_verification::{DocumentVerificationService, reviews::CheckDecision, types::CheckAdvice},
};
use base::{AccountId, AgeSessionId, AppId, MemberId, NotificationId, VerificationCheckId};
use db::{DbError, FromRow, ReadTx, WriteTx, sql};
use futures_util::future::BoxFuture;
use jobs::JobError;

/// Notifications of moderations, checks of document verification sessions, and appeals of age verification sessions.
#[derive(Clone, Debug)]
pub struct ReviewedSubjects {
    pub moderation: ContentModerationService,
    pub documents: DocumentVerificationService,
    pub ages: AgeVerificationService,
}

impl CaseSubjects for ReviewedSubjects {
    fn prepare(&self) -> BoxFuture<'_, Result<(), JobError>> {
        Box::pin(async { Ok(self.ages.prepare_decision().await?) })
    }

    fn lock<'a>(
        &'a self,
        tx: &'a mut WriteTx,
        account: Option<AccountId>,
        subject: CaseSubject,
    ) -> BoxFuture<'a, Result<bool, DbError>> {
        Box::pin(async move {
            if let Some(account) = account {
                if !accounts::lock_shared(tx, account).await? {
                    return Ok(false);
                }
                self.moderation.faces().lock_changes(tx, account).await?;
            }
            match subject {
                CaseSubject::AgeSession(session) => age_verification::lock_session(tx, session).await,
                // Whatever deletes a notification locks the account's changes, and whatever decides or fails a check locks its
                // case before its session.
                CaseSubject::Notification(_) | CaseSubject::Check(_) => Ok(true),
            }
        })
    }

    fn apply<'a>(
        &'a self,
        tx: &'a mut WriteTx,
        outcome: &'a CaseOutcome,
    ) -> BoxFuture<'a, Result<bool, DbError>> {
        Box::pin(async move {
            match (outcome.subject, outcome.account) {
                (CaseSubject::Notification(id), Some(account)) => {
                    self.review_notification(tx, account, id, &outcome.opinions).await
                }
                (CaseSubject::Check(check), _) => self.decide_check(tx, outcome.app, check, outcome).await,
                (CaseSubject::AgeSession(session), _) => self.decide_appeal(tx, session, outcome).await,
                // A notification belongs to an account.
                (CaseSubject::Notification(_), None) => Ok(false),
            }
        })
    }
}

impl ReviewedSubjects {
    /// Each opinion is a review of its reviewer; that of the majority comes last, so what it teaches stays.
    async fn review_notification(
        &self,
        tx: &mut WriteTx,
        account: AccountId,
        id: NotificationId,
        opinions: &[CaseOpinion],
    ) -> Result<bool, DbError> {
        for opinion in opinions {
            let decision = match opinion.decision {
                CaseDecision::Confirm => ReviewDecision::Accept,
                _ => ReviewDecision::Dismiss,
            };
            let (user, decided) = (opinion.reviewer.into(), StatementDecision::default());
            let reviewed =
                self.moderation.review(tx, (account, user), id, decision, &opinion.comment, &decided).await;
            match reviewed {
                Ok(_) => {}
                Err(ReviewError::Db(error)) => return Err(error),
                Err(ReviewError::Missing | ReviewError::Invalid(_)) => return Ok(false),
            }
        }
        Ok(true)
    }

    async fn decide_appeal(
        &self,
        tx: &mut WriteTx,
        session: AgeSessionId,
        outcome: &CaseOutcome,
    ) -> Result<bool, DbError> {
        let overturn = outcome.decision == CaseDecision::Overturn;
        match self.ages.decide_appeal(tx, outcome.app, session, overturn).await {
            Ok(decided) => Ok(decided),
            Err(AgeSessionError::Db(error)) => Err(error),
            // The session is gone, or has another result by now.
            Err(error) => {
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    session.id = %session,
                    "an appeal cannot be decided any more"
                );
                Ok(false)
            }
        }
    }

    async fn decide_check(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        check: VerificationCheckId,
        outcome: &CaseOutcome,
    ) -> Result<bool, DbError> {
        let value = match outcome.decision {
            CaseDecision::Approve => CheckAdvice::Approve,
            CaseDecision::Reject => CheckAdvice::Reject,
            _ => CheckAdvice::Consider,
        };
        let mut names = Vec::new();
        for opinion in outcome.opinions.iter().filter(|opinion| opinion.decision == outcome.decision) {
            names.push(reviewer_name(tx, opinion.reviewer).await?);
        }
        let Some(last) = outcome.opinions.last() else { return Ok(false) };
        let reason = if last.comment.is_empty() {
            last.reason_code.clone().unwrap_or_else(|| "REVIEWER_DECISION".to_owned())
        } else {
            last.comment.clone()
        };
        let decision =
            CheckDecision { value, reason, code: last.reason_code.clone(), reviewer: names.join(", ") };
        self.documents.settle_review(tx, app, check, &decision, outcome.case).await
    }
}

/// The name of a member, or their id once they are removed.
async fn reviewer_name(view: &mut ReadTx, id: MemberId) -> Result<String, DbError> {
    #[derive(FromRow)]
    struct NameRow {
        username: String,
    }
    let row: Option<NameRow> =
        view.fetch_optional(sql!("SELECT username FROM members WHERE id = $1", id)).await?;
    Ok(row.map_or_else(|| id.to_string(), |row| row.username))
}
