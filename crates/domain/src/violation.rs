//! Violations: what is wrong with a member of a request that is well-formed but cannot be used.

use base::LimitViolation;
use std::borrow::Cow;

/// What is wrong with one member of a request.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{}{message}", path, if path.is_empty() { "" } else { ": " })]
pub struct Violation {
    /// The member, for example `notifications.web_destinations[1]`; empty for the request as a whole.
    pub path: Cow<'static, str>,
    /// What is wrong, for a developer.
    pub message: String,
    /// The limit that was exceeded, where one was.
    pub measured: Option<LimitViolation>,
}

impl Violation {
    /// A violation without a limit.
    pub fn new(path: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self { path: path.into(), message: message.into(), measured: None }
    }

    /// A violation of a limit.
    pub fn with_limit(
        path: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
        measured: LimitViolation,
    ) -> Self {
        Self { measured: Some(measured), ..Self::new(path, message) }
    }
}

pub(crate) fn violation(path: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Violation {
    Violation::new(path, message)
}

/// Violations as one sentence, for logs.
pub(crate) fn join_messages(violations: &[Violation]) -> String {
    violations.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// Refuses a text that is too long. `subject` begins the message, for example `"it has"`.
pub(crate) fn check_max_chars(
    path: impl Into<Cow<'static, str>>,
    subject: &str,
    measured: usize,
    limit: usize,
    hint: &'static str,
) -> Result<(), Violation> {
    if measured <= limit {
        return Ok(());
    }
    let message = format!("{subject} {measured} characters");
    let measured = LimitViolation::new(measured as f64, format!("at most {limit} characters"), hint);
    Err(Violation::with_limit(path, message, measured))
}

/// Refuses a list that is too long.
pub(crate) fn check_max_items(
    path: impl Into<Cow<'static, str>>,
    measured: usize,
    limit: usize,
    hint: &'static str,
) -> Result<(), Violation> {
    if measured <= limit {
        return Ok(());
    }
    let message = format!("it has {measured} items");
    let measured = LimitViolation::new(measured as f64, format!("at most {limit} items"), hint);
    Err(Violation::with_limit(path, message, measured))
}
