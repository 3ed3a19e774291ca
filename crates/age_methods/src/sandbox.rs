//! Answers for trying things out: which input gives which is documented in docs/PROVIDERS.md.

use crate::{AgeAttribute, AgeEvidence, AgeMethodError};
use base::Environment;

/// What a sandbox's input asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SandboxAnswer {
    /// Old enough, whatever is asked.
    Over,
    /// Too young, whatever is asked.
    Under,
    /// Nobody knows the person.
    Unknown,
    /// The provider is away.
    Unavailable,
}

impl SandboxAnswer {
    /// The outcome that four digits at the end of a number ask for.
    pub(crate) fn of_digits(digits: &str) -> Self {
        match &digits[digits.len().saturating_sub(4)..] {
            "1111" => Self::Under,
            "2222" => Self::Unknown,
            "3333" => Self::Unavailable,
            _ => Self::Over,
        }
    }

    /// The answer.
    pub(crate) fn answer(self, years: u8, world: &dyn Environment) -> Result<AgeEvidence, AgeMethodError> {
        let is = match self {
            Self::Over => true,
            Self::Under => false,
            Self::Unknown => return Err(AgeMethodError::inconclusive("the sandbox knows no such person")),
            Self::Unavailable => return Err(AgeMethodError::unavailable("the sandbox is asked to be away")),
        };
        Ok(AgeEvidence::new(
            AgeAttribute::Over { years, reached: is },
            Some(format!("sandbox-{}", world.uuid_v4())),
        ))
    }
}
