//! A limit that a number is held to.

/// A limit, and what its number counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Limit {
    /// Not less, in this unit.
    AtLeast(f32, &'static str),
    /// Not more, in this unit.
    AtMost(f32, &'static str),
}

impl Limit {
    /// Whether a value breaks it. A value that is no number breaks every limit.
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
