//! An age held against a threshold.

use crate::words::wire_enum;

wire_enum! {
    /// Which side of the threshold passes.
    pub enum Operator {
        /// At or above the threshold.
        Over => "OVER",
        /// Below the threshold.
        Under => "UNDER",
    }
}

/// An age threshold, 1 to 120 years.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Threshold {
    years: u8,
    operator: Operator,
}

/// A threshold outside 1 to 120.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("threshold is a whole number from 1 to 120")]
pub struct BadThreshold;

impl Threshold {
    /// A threshold of 1 to 120 years.
    pub fn new(years: i64, operator: Operator) -> Result<Self, BadThreshold> {
        match u8::try_from(years) {
            Ok(years @ 1..=120) => Ok(Self { years, operator }),
            _ => Err(BadThreshold),
        }
    }

    /// The threshold in years.
    pub fn years(self) -> f64 {
        self.years.into()
    }

    /// Which side passes.
    pub fn operator(self) -> Operator {
        self.operator
    }

    /// Whether an age in years passes.
    pub fn passes(self, age: f64) -> bool {
        match self.operator {
            Operator::Over => age >= self.years(),
            Operator::Under => age < self.years(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn over_passes_at_the_threshold_and_under_does_not() {
        let over = Threshold::new(18, Operator::Over).unwrap();
        let under = Threshold::new(18, Operator::Under).unwrap();
        assert_eq!([17.9, 18.0].map(|age| over.passes(age)), [false, true]);
        assert_eq!([17.9, 18.0].map(|age| under.passes(age)), [true, false]);
        for bad in [0, 121, -18, i64::MAX] {
            assert_eq!(Threshold::new(bad, Operator::Over), Err(BadThreshold));
        }
    }
}
