//! The limit of a measured number.

/// A limit, and the unit of the number to which it applies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// The lowest value that is allowed, and its unit.
    AtLeast(f32, &'static str),
    /// The highest value that is allowed, and its unit.
    AtMost(f32, &'static str),
}

impl Limit {
    /// Whether a value breaks the limit. NaN breaks every limit.
    pub fn is_broken(self, value: f32) -> bool {
        match self {
            Self::AtLeast(limit, _) => value < limit || value.is_nan(),
            Self::AtMost(limit, _) => value > limit || value.is_nan(),
        }
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::AtLeast(limit, unit) => write!(f, "at least {limit} {unit}"),
            Self::AtMost(limit, unit) => write!(f, "at most {limit} {unit}"),
        }
    }
}
