//! The part of a refusal that says which limit was broken.

/// What was measured, the limit it broke, and what the caller can do about it. It is part of the answer.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct LimitViolation {
    /// What was measured, in the unit that `limit` states.
    pub measured: f64,
    /// The limit in words and numbers, for example `"at least 300 pixels"`.
    pub limit: String,
    /// What helps: a sentence in lower case, without a full stop.
    pub hint: &'static str,
}

impl LimitViolation {
    /// `measured` is rounded to four decimals.
    pub fn new(measured: impl Into<f64>, limit: impl Into<String>, hint: &'static str) -> Self {
        Self { measured: (measured.into() * 1e4).round() / 1e4, limit: limit.into(), hint }
    }
}
