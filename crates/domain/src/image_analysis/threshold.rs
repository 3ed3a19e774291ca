//! Comparing an age with a threshold.

use crate::wire_enum::wire_enum;

wire_enum! {
    /// Which side of the threshold passes.
    pub enum ThresholdOperator {
        /// At or above the threshold.
        Over => "OVER",
        /// Below the threshold.
        Under => "UNDER",
    }
}

/// An age threshold, 1 to 120 years.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AgeThreshold {
    years: u8,
    operator: ThresholdOperator,
}

/// The threshold is outside 1 to 120.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("threshold is a whole number from 1 to 120")]
pub struct InvalidThresholdError;

impl AgeThreshold {
    /// A threshold of 1 to 120 years.
    pub fn new(years: i64, operator: ThresholdOperator) -> Result<Self, InvalidThresholdError> {
        match u8::try_from(years) {
            Ok(years @ 1..=120) => Ok(Self { years, operator }),
            _ => Err(InvalidThresholdError),
        }
    }

    pub fn years(self) -> f64 {
        self.years.into()
    }

    pub fn operator(self) -> ThresholdOperator {
        self.operator
    }

    /// Whether an age in years passes.
    pub fn passes(self, age: f64) -> bool {
        match self.operator {
            ThresholdOperator::Over => age >= self.years(),
            ThresholdOperator::Under => age < self.years(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_the_threshold_over_passes_and_under_does_not() {
        let over = AgeThreshold::new(18, ThresholdOperator::Over).unwrap();
        let under = AgeThreshold::new(18, ThresholdOperator::Under).unwrap();
        assert_eq!([17.9, 18.0].map(|age| over.passes(age)), [false, true]);
        assert_eq!([17.9, 18.0].map(|age| under.passes(age)), [true, false]);
        for bad in [0, 121, -18, i64::MAX] {
            assert_eq!(AgeThreshold::new(bad, ThresholdOperator::Over), Err(InvalidThresholdError));
        }
    }
}
