//! Cases: what a reviewer claims, judges and decides (docs/CONSOLE.md).
//!
//! `request` has the extractors, `body` what a case looks like; each other file is an operation.

mod age_appeal;
pub(super) mod appeal;
pub(super) mod assign;
pub(super) mod assignees;
mod body;
pub(super) mod claim;
pub(super) mod decide;
pub(super) mod get;
pub(super) mod golden;
pub(super) mod hold;
pub(super) mod list;
pub(super) mod picture;
pub(super) mod quality;
pub(super) mod record_views;
pub(super) mod release;
pub(super) mod renew;
pub(super) mod request;
pub(super) mod undo;

pub(super) use body::ExposureBody;

use crate::content_moderation::{ModerationApiError, ModerationErrorCode};
use domain::cases::{CaseChangeError, DecisionError};

impl From<CaseChangeError> for ModerationApiError {
    fn from(error: CaseChangeError) -> Self {
        match error {
            CaseChangeError::Missing => Self::not_found("case"),
            CaseChangeError::NotHeld => Self::new(ModerationErrorCode::CaseNotHeld, error.to_string()),
            CaseChangeError::NoSuchReviewer => Self::violation("member_id", error.to_string()),
            CaseChangeError::BudgetUsedUp { .. } => {
                Self::new(ModerationErrorCode::ExposureBudgetUsedUp, error.to_string())
            }
            CaseChangeError::Invalid(violation) => vec![violation].into(),
            CaseChangeError::Db(error) => Self::unavailable(&error),
        }
    }
}

impl From<DecisionError> for ModerationApiError {
    fn from(error: DecisionError) -> Self {
        match error {
            DecisionError::Case(error) => error.into(),
            DecisionError::Invalid(violations) => violations.into(),
            DecisionError::Settled => Self::new(ModerationErrorCode::DecisionSettled, error.to_string()),
            DecisionError::NotSettled | DecisionError::NoAppeal | DecisionError::NoGolden => {
                Self::new(ModerationErrorCode::Conflict, error.to_string())
            }
        }
    }
}
