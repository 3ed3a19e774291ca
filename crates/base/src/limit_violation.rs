//! What a refusal says about the limit it defends.

/// A measure, the limit it broke and what the caller can do, as answered to the caller.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct LimitViolation {
    /// What was measured, in the unit that `limit` states.
    pub measured: f64,
    /// The limit in words and numbers, for example `"at least 300 pixels"`.
    pub limit: String,
    /// What to do about it, one sentence, lower case.
    pub hint: &'static str,
}

impl LimitViolation {
    /// A measure with its limit and hint; `measured` is rounded to four decimals for the wire.
    pub fn new(measured: impl Into<f64>, limit: impl Into<String>, hint: &'static str) -> Self {
        Self { measured: (measured.into() * 1e4).round() / 1e4, limit: limit.into(), hint }
    }
}
