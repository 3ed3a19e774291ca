//! Estimating an age, and saying how sure the estimate is.

use crate::{
    Face, VisionError,
    crop::{self, Square},
    engine::{Net, tensor},
    pack::{AgeErrors, Input},
};
use base::Picture;

/// How the net's answer becomes years.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Reading {
    /// It is years.
    Years,
    /// It is a probability for each year from this one on.
    Probabilities { first_age: f32 },
}

#[derive(Debug)]
pub(crate) struct AgeModel {
    pub(crate) id: String,
    pub(crate) net: Box<dyn Net>,
    pub(crate) input: Input,
    pub(crate) tensor: String,
    pub(crate) reading: Reading,
    pub(crate) errors: AgeErrors,
}

/// An estimated age.
///
/// The error is taken as normal with `st_dev`, which comes from the manifest's error table, widened by the spread over
/// the crops; the table says in words what it covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgeEstimate {
    /// The estimate, years, 0 to 120.
    pub years: f32,
    /// Standard deviation of the error, years.
    pub st_dev: f32,
    /// Lower end of the interval that holds four of five people, years.
    pub low80: f32,
    /// Upper end of that interval, years.
    pub high80: f32,
    /// Standard deviation between the crops, years; wide means an image that is hard to read.
    pub spread: f32,
}

/// Four of five lie within this many standard deviations.
const EIGHTY_PERCENT: f32 = 1.281_551_6;

impl AgeModel {
    pub(crate) fn estimate(&mut self, picture: &Picture, face: &Face) -> Result<AgeEstimate, VisionError> {
        let mut batch = Vec::new();
        for &scale in &self.input.crop.scales {
            crop::square(picture, Square::around(face, self.input.crop.rule, scale), &self.input, &mut batch);
        }
        let crops = self.input.crop.scales.len();
        let answer =
            self.net.run(&batch, [crops, 3, self.input.height as usize, self.input.width as usize])?;
        let values = tensor(&answer, &self.tensor, &self.id)?;
        let unusable = |what: &str| VisionError::Unusable { model: self.id.clone(), what: what.to_owned() };
        if values.is_empty() || values.len() % crops != 0 {
            return Err(unusable("an age for each crop was expected"));
        }
        let years: Vec<f32> =
            values.chunks_exact(values.len() / crops).map(|values| self.read(values)).collect();
        let mean = years.iter().sum::<f32>() / crops as f32;
        let variance = years.iter().map(|years| (years - mean).powi(2)).sum::<f32>() / crops as f32;
        if !mean.is_finite() || !(-20.0..=200.0).contains(&mean) {
            return Err(unusable("the age is no age"));
        }
        Ok(AgeEstimate::new(mean.clamp(0.0, 120.0), variance.sqrt(), &self.errors))
    }

    fn read(&self, values: &[f32]) -> f32 {
        match self.reading {
            Reading::Years => values.first().copied().unwrap_or(f32::NAN),
            Reading::Probabilities { first_age } => {
                let total: f32 = values.iter().sum();
                let sum: f32 = values.iter().enumerate().map(|(at, p)| p * (first_age + at as f32)).sum();
                sum / total
            }
        }
    }
}

impl AgeEstimate {
    /// An estimate with the uncertainty of its band and crops.
    fn new(years: f32, spread: f32, errors: &AgeErrors) -> Self {
        let band = errors.bands.iter().rev().find(|band| years >= band.from).or(errors.bands.first());
        let base = band.map_or(f32::NAN, |band| band.st_dev);
        let st_dev = base.hypot(errors.spread_weight * spread);
        let reach = EIGHTY_PERCENT * st_dev;
        Self { years, st_dev, low80: (years - reach).max(0.0), high80: years + reach, spread }
    }

    /// Probability that the person is at least `age` years old.
    pub fn at_least(&self, age: f64) -> f64 {
        standard_normal((f64::from(self.years) - age) / f64::from(self.st_dev))
    }

    /// Years that an estimate must lie above a threshold so that of people just below the threshold no more than `rate`
    /// (0 to 0.5) pass.
    pub fn buffer(&self, rate: f64) -> f64 {
        let rate = rate.clamp(1e-6, 0.5);
        let (mut low, mut high) = (0.0, 6.0);
        for _ in 0..50 {
            let middle = f64::midpoint(low, high);
            if 1.0 - standard_normal(middle) > rate {
                low = middle;
            } else {
                high = middle;
            }
        }
        high * f64::from(self.st_dev)
    }
}

/// Distribution function of the standard normal (Abramowitz and Stegun, 26.2.17; off by less than 1e-7).
fn standard_normal(x: f64) -> f64 {
    const B: [f64; 5] = [0.319_381_530, -0.356_563_782, 1.781_477_937, -1.821_255_978, 1.330_274_429];
    let t = 1.0 / (1.0 + 0.231_641_9 * x.abs());
    let polynomial = B.iter().rev().fold(0.0, |sum, b| (sum + b) * t);
    let density = (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let above = density * polynomial;
    if x >= 0.0 { 1.0 - above } else { above }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pack::Band;

    fn errors() -> AgeErrors {
        AgeErrors {
            covers: String::new(),
            bands: vec![Band { from: 0.0, st_dev: 3.0 }, Band { from: 18.0, st_dev: 6.0 }],
            spread_weight: 1.0,
        }
    }

    #[test]
    fn the_band_gives_the_deviation_and_the_spread_widens_it() {
        assert_eq!(AgeEstimate::new(17.9, 0.0, &errors()).st_dev, 3.0);
        assert_eq!(AgeEstimate::new(18.0, 0.0, &errors()).st_dev, 6.0);
        assert_eq!(AgeEstimate::new(30.0, 8.0, &errors()).st_dev, 10.0);
    }

    #[test]
    fn probabilities_are_those_of_the_normal_distribution() {
        let estimate = AgeEstimate::new(24.0, 0.0, &errors());
        assert!((estimate.at_least(24.0) - 0.5).abs() < 1e-6);
        assert!((estimate.at_least(18.0) - 0.841_345).abs() < 1e-5);
        assert!((estimate.buffer(0.05) - 1.644_854 * 6.0).abs() < 1e-3);
        assert!((1.0 - estimate.at_least(f64::from(estimate.high80)) - 0.9).abs() < 1e-4);
    }
}
