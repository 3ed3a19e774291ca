//! Simulated answers. docs/PROVIDERS.md lists which input gives which.

use crate::{AgeAttribute, AgeEvidence, AgeMethodError};
use base::Environment;

/// The outcome that a sandbox input simulates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SandboxAnswer {
    /// The age is reached, whichever it is.
    Over,
    /// The age is not reached, whichever it is.
    Under,
    /// The provider does not know the person.
    Unknown,
    /// The provider is unavailable.
    Unavailable,
}

impl SandboxAnswer {
    /// The outcome that the last four digits of a number select.
    pub(crate) fn of_digits(digits: &str) -> Self {
        match &digits[digits.len().saturating_sub(4)..] {
            "1111" => Self::Under,
            "2222" => Self::Unknown,
            "3333" => Self::Unavailable,
            _ => Self::Over,
        }
    }

    pub(crate) fn answer(
        self,
        years: u8,
        environment: &dyn Environment,
    ) -> Result<AgeEvidence, AgeMethodError> {
        let is = match self {
            Self::Over => true,
            Self::Under => false,
            Self::Unknown => return Err(AgeMethodError::inconclusive("the sandbox knows no such person")),
            Self::Unavailable => return Err(AgeMethodError::unavailable("the sandbox is asked to be away")),
        };
        Ok(AgeEvidence::new(
            AgeAttribute::Over { years, reached: is },
            Some(format!("sandbox-{}", environment.uuid_v4())),
        ))
    }
}
