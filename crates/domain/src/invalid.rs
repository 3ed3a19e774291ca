//! Values that are well-formed and cannot be used.

use base::Measured;
use std::borrow::Cow;

/// A value that is well-formed and cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}{}{words}", path, if path.is_empty() { "" } else { ": " })]
pub struct Invalid {
    /// Where in the body.
    pub path: Cow<'static, str>,
    /// What is wrong.
    pub words: String,
    /// What was measured, where a limit was broken.
    pub measured: Option<Measured>,
}

pub(crate) fn invalid(path: impl Into<Cow<'static, str>>, words: impl Into<String>) -> Invalid {
    Invalid { path: path.into(), words: words.into(), measured: None }
}

/// Refuses a text that is too long; `what` begins the sentence, as `"it has"`.
pub(crate) fn at_most(
    path: impl Into<Cow<'static, str>>,
    what: &str,
    measured: usize,
    limit: usize,
    hint: &'static str,
) -> Result<(), Invalid> {
    if measured <= limit {
        return Ok(());
    }
    let words = format!("{what} {measured} characters");
    let measured = Measured::new(measured as f64, format!("at most {limit} characters"), hint);
    Err(Invalid { path: path.into(), words, measured: Some(measured) })
}

/// Refuses a list that is too long.
pub(crate) fn at_most_items(
    path: impl Into<Cow<'static, str>>,
    measured: usize,
    limit: usize,
    hint: &'static str,
) -> Result<(), Invalid> {
    if measured <= limit {
        return Ok(());
    }
    let words = format!("it has {measured} items");
    let measured = Measured::new(measured as f64, format!("at most {limit} items"), hint);
    Err(Invalid { path: path.into(), words, measured: Some(measured) })
}
