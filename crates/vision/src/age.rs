//! Age estimation, with the uncertainty of each estimate.

use crate::{
    CaptureQuality, Face, VisionError,
    crop::{self, CropSquare},
    inference::{NeuralNet, tensor_named},
    model_manifest::{AgeErrorTable, CaptureErrorPoint, CaptureErrorTable, ModelInput},
};
use base::Picture;

/// How the net's output is decoded.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum AgeDecoding {
    /// One number, in years.
    Years,
    /// A probability for each year of age, from `first_age` on.
    Probabilities { first_age: f32 },
}

#[derive(Debug)]
pub(crate) struct AgeModel {
    pub(crate) id: String,
    pub(crate) net: Box<dyn NeuralNet>,
    pub(crate) input: ModelInput,
    pub(crate) tensor: String,
    pub(crate) reading: AgeDecoding,
    pub(crate) errors: AgeErrorTable,
    /// The model whose estimate is averaged with this one's, and its share of the mean.
    pub(crate) averaged_with: Option<(Box<AgeModel>, f32)>,
}

/// What the net says of one crop.
#[derive(Clone, Copy, Debug)]
struct DecodedAge {
    years: f32,
    /// Standard deviation of the distribution that the net gives; 0 where it gives a number.
    st_dev: f32,
}

/// An estimate before its error is known.
#[derive(Clone, Copy, Debug)]
struct RawAge {
    years: f32,
    /// Mean square of what its parts differ from it by.
    spread: f32,
    /// Mean variance of the distributions; 0 where the net gives numbers.
    variance: f32,
}

/// An estimated age.
///
/// The error is assumed to be normally distributed with the standard deviation `st_dev`, which comes from the
/// manifest's error table and is widened by the spread between the crops and by a bad capture. The table states which
/// people it covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AgeEstimate {
    /// The estimate in years, 0 to 120.
    pub years: f32,
    /// Standard deviation of the error, years.
    pub st_dev: f32,
    /// Lower end of the 80 % interval, years; not below 0.
    pub low80: f32,
    /// Upper end of the 80 % interval, years.
    pub high80: f32,
    /// Standard deviation between the crops and averaged models, years; a large one means a picture that is hard to estimate.
    pub spread: f32,
}

/// 80 % of a normal distribution lie within this many standard deviations.
const Z_OF_80_PERCENT: f32 = 1.281_551_6;

impl AgeModel {
    pub(crate) fn estimate(
        &mut self,
        picture: &Picture,
        face: &Face,
        capture: Option<&CaptureQuality>,
    ) -> Result<AgeEstimate, VisionError> {
        let mut age = self.estimate_crops(picture, face)?;
        if let Some((other, share)) = &mut self.averaged_with {
            age = age.averaged(other.estimate_crops(picture, face)?, *share);
        }
        Ok(AgeEstimate::new(age, capture, &self.errors))
    }

    fn estimate_crops(&mut self, picture: &Picture, face: &Face) -> Result<RawAge, VisionError> {
        let mut ages = Vec::new();
        for &scale in &self.input.crop.scales {
            let mut values = Vec::new();
            let square = CropSquare::around(face, self.input.crop.rule, scale);
            crop::write_crop(picture, square, &self.input, &mut values);
            // One crop at a time: many nets are exported for a batch of one, and larger batches gain nothing on one
            // thread.
            let answer =
                self.net.run(&values, [1, 3, self.input.height as usize, self.input.width as usize])?;
            ages.push(self.decode(tensor_named(&answer, &self.tensor, &self.id)?)?);
        }
        let crops = ages.len() as f32;
        let mean_of = |value: &dyn Fn(&DecodedAge) -> f32| ages.iter().map(value).sum::<f32>() / crops;
        let years = mean_of(&|age| age.years);
        let spread = mean_of(&|age| (age.years - years).powi(2));
        Ok(RawAge { years, spread, variance: mean_of(&|age| age.st_dev.powi(2)) })
    }

    /// Decodes the age from the output for one crop.
    fn decode(&self, values: &[f32]) -> Result<DecodedAge, VisionError> {
        let unusable = |what: &str| VisionError::Unusable { model: self.id.clone(), what: what.to_owned() };
        let (years, st_dev) = match self.reading {
            AgeDecoding::Years => {
                let [years] = values else { return Err(unusable("one age was expected")) };
                (*years, 0.0)
            }
            AgeDecoding::Probabilities { first_age } => {
                let total: f32 = values.iter().sum();
                // Fails for NaN, and for logits, whose mean would look like an age.
                let are_probabilities = values.iter().all(|p| *p >= 0.0) && (total - 1.0).abs() < 0.01;
                if !are_probabilities {
                    return Err(unusable("the ages are not probabilities"));
                }
                let mean_of = |value: &dyn Fn(f32) -> f32| {
                    let terms = values.iter().enumerate().map(|(at, p)| p * value(first_age + at as f32));
                    terms.sum::<f32>() / total
                };
                let years = mean_of(&|age| age);
                (years, mean_of(&|age| (age - years).powi(2)).sqrt())
            }
        };
        // A net may leave the range of ages a little; a number far outside is an error.
        if (-20.0..=200.0).contains(&years) {
            Ok(DecodedAge { years, st_dev })
        } else {
            Err(unusable("the age is far outside the possible range"))
        }
    }
}

impl RawAge {
    /// The mean with another estimate, which has this share of it. A distribution stays this one's.
    fn averaged(self, other: Self, share: f32) -> Self {
        let years = self.years + share * (other.years - self.years);
        let own = self.spread + (self.years - years).powi(2);
        let others = other.spread + (other.years - years).powi(2);
        Self { years, spread: own + share * (others - own), variance: self.variance }
    }
}

impl AgeEstimate {
    /// An estimate whose uncertainty comes from its error band, the spread between its parts, the distribution that the net gives,
    /// and the capture.
    fn new(age: RawAge, capture: Option<&CaptureQuality>, errors: &AgeErrorTable) -> Self {
        let (years, spread) = (age.years.clamp(0.0, 120.0), age.spread.sqrt());
        let base = match errors.distribution {
            Some(told) => told.base.hypot(told.weight * age.variance.sqrt()),
            None => errors.band_of(years),
        };
        let added =
            errors.capture.as_ref().zip(capture).map_or(0.0, |(table, capture)| table.st_dev(capture));
        let st_dev = base.hypot(errors.spread_weight * spread).hypot(added);
        Self::with_deviation(years, st_dev, spread)
    }

    /// An estimate with the given standard deviation.
    pub(crate) fn with_deviation(years: f32, st_dev: f32, spread: f32) -> Self {
        let reach = Z_OF_80_PERCENT * st_dev;
        Self { years, st_dev, low80: (years - reach).max(0.0), high80: years + reach, spread }
    }

    /// Probability that the person is at least `age` years old.
    pub fn at_least(&self, age: f64) -> f64 {
        standard_normal_cdf((f64::from(self.years) - age) / f64::from(self.st_dev))
    }

    /// The interval around the estimate that holds the true age of this share (0 to 1) of people, years; not below 0.
    pub fn interval(&self, share: f64) -> [f64; 2] {
        let reach =
            standard_normal_quantile(f64::midpoint(share.clamp(0.0, 1.0), 1.0)) * f64::from(self.st_dev);
        let years = f64::from(self.years);
        [(years - reach).max(0.0), years + reach]
    }

    /// By how many years an estimate must exceed a threshold so that at most the share `rate` (0 to 0.5) of the people
    /// just below the threshold pass.
    pub fn buffer(&self, rate: f64) -> f64 {
        standard_normal_quantile(1.0 - rate.clamp(0.0, 0.5)) * f64::from(self.st_dev)
    }

    /// The cost of that buffer: the share of the people `above` years older than the threshold whom it refuses.
    pub fn refused_share(&self, rate: f64, above: f64) -> f64 {
        standard_normal_cdf((self.buffer(rate) - above) / f64::from(self.st_dev))
    }
}

impl AgeErrorTable {
    /// The deviation of the band that an estimate is in.
    fn band_of(&self, years: f32) -> f32 {
        let band = self.bands.iter().rev().find(|band| years >= band.from).or(self.bands.first());
        band.map_or(f32::NAN, |band| band.st_dev)
    }

    /// The estimate up to which somebody is younger than `age` with the probability `confidence` (0.5 to 1), and the
    /// one from which they are at least `age` with that probability, where the crops agree and the capture is good; to a
    /// tenth of a year, up to 120. `None` where no estimate is that certain.
    pub fn confidence_limits(&self, age: f64, confidence: f64) -> [Option<f64>; 2] {
        let reached = |tenths: u32| {
            let years = tenths as f32 / 10.0;
            AgeEstimate::with_deviation(years, self.band_of(years), 0.0).at_least(age)
        };
        let years = |tenths: u32| f64::from(tenths) / 10.0;
        // From the far end, so that no estimate beyond the limit is less certain: a band may have a larger error than
        // the one before.
        let below = (0..=1200).take_while(|&tenths| reached(tenths) <= 1.0 - confidence).last();
        let above = (0..=1200).rev().take_while(|&tenths| reached(tenths) >= confidence).last();
        [below.map(years), above.map(years)]
    }
}

impl CaptureErrorTable {
    /// The standard deviation of the error that a capture adds, years.
    fn st_dev(&self, capture: &CaptureQuality) -> f32 {
        let covered = |probability: f32, years: f32| {
            let certainty = ((probability - 0.5) * 2.0).max(0.0);
            certainty * years
        };
        [
            interpolated(&self.blur, capture.blur),
            interpolated(&self.noise, capture.noise),
            covered(capture.mouth_covered, self.mouth),
            covered(capture.nose_covered, self.nose),
            covered(capture.eyes_covered, self.eyes),
        ]
        .into_iter()
        .fold(0.0, f32::hypot)
    }
}

/// The value of a function at a place, between two points on the line between them; 0 for a function without points.
fn interpolated(points: &[CaptureErrorPoint], at: f32) -> f32 {
    let after = points.partition_point(|point| point.at <= at);
    match (after.checked_sub(1).map(|before| points[before]), points.get(after)) {
        (Some(low), Some(high)) => {
            let share = (at - low.at) / (high.at - low.at);
            low.st_dev + share * (high.st_dev - low.st_dev)
        }
        (Some(end), None) | (None, Some(&end)) => end.st_dev,
        (None, None) => 0.0,
    }
}

/// Quantile of the standard normal distribution for a share of 0.5 to 1, by bisection; at most 6.
fn standard_normal_quantile(share: f64) -> f64 {
    let (mut low, mut high) = (0.0, 6.0);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        if standard_normal_cdf(middle) < share {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// Distribution function of the standard normal distribution (Abramowitz and Stegun, 26.2.17; absolute error below
/// 1e-7).
fn standard_normal_cdf(x: f64) -> f64 {
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
    use crate::model_manifest::{AgeErrorBand, DistributionError};

    fn errors() -> AgeErrorTable {
        AgeErrorTable {
            covers: String::new(),
            bands: vec![AgeErrorBand { from: 0.0, st_dev: 3.0 }, AgeErrorBand { from: 18.0, st_dev: 6.0 }],
            spread_weight: 1.0,
            distribution: None,
            capture: None,
        }
    }

    fn raw(years: f32, spread: f32) -> RawAge {
        RawAge { years, spread: spread * spread, variance: 0.0 }
    }

    #[test]
    fn the_band_gives_the_deviation_and_the_spread_widens_it() {
        assert_eq!(AgeEstimate::new(raw(17.9, 0.0), None, &errors()).st_dev, 3.0);
        assert_eq!(AgeEstimate::new(raw(18.0, 0.0), None, &errors()).st_dev, 6.0);
        assert_eq!(AgeEstimate::new(raw(30.0, 8.0), None, &errors()).st_dev, 10.0);
    }

    #[test]
    fn a_net_that_tells_its_deviation_needs_no_band() {
        let told = RawAge { variance: 64.0, ..raw(30.0, 0.0) };
        assert_eq!(AgeEstimate::new(told, None, &errors()).st_dev, 6.0);
        let errors =
            AgeErrorTable { distribution: Some(DistributionError { base: 3.0, weight: 0.5 }), ..errors() };
        assert_eq!(AgeEstimate::new(told, None, &errors).st_dev, 5.0);
        // What is stated before there is a picture is that of the bands.
        assert_eq!(errors.confidence_limits(18.0, 0.95), [Some(13.0), Some(27.9)]);
    }

    #[test]
    fn two_models_are_averaged_by_share_and_their_difference_is_spread() {
        let age = raw(20.0, 0.0).averaged(raw(40.0, 0.0), 0.25);
        assert_eq!((age.years, age.spread), (25.0, 0.75 * 25.0 + 0.25 * 225.0));
        let age = raw(30.0, 2.0).averaged(raw(30.0, 4.0), 0.5);
        assert_eq!((age.years, age.spread), (30.0, 10.0));
    }

    #[test]
    fn a_bad_capture_widens_the_deviation() {
        let point = |at, st_dev| CaptureErrorPoint { at, st_dev };
        let table = CaptureErrorTable {
            blur: vec![point(1.0, 0.0), point(3.0, 8.0)],
            noise: Vec::new(),
            mouth: 10.0,
            nose: 20.0,
            eyes: 4.0,
        };
        let errors = AgeErrorTable { capture: Some(table), ..errors() };
        let st_dev =
            |capture: CaptureQuality| AgeEstimate::new(raw(30.0, 0.0), Some(&capture), &errors).st_dev;
        let good = CaptureQuality::default();
        assert_eq!(st_dev(good), 6.0);
        assert_eq!(st_dev(CaptureQuality { blur: 1.0, noise: 50.0, mouth_covered: 0.5, ..good }), 6.0);
        // Half way to the second point, and beyond it.
        assert_eq!(st_dev(CaptureQuality { blur: 2.0, ..good }), 6.0_f32.hypot(4.0));
        assert_eq!(st_dev(CaptureQuality { blur: 40.0, ..good }), 10.0);
        assert_eq!(st_dev(CaptureQuality { mouth_covered: 0.9, ..good }), 6.0_f32.hypot(8.0));
        assert_eq!(AgeEstimate::new(raw(30.0, 0.0), None, &errors).st_dev, 6.0);
    }

    #[test]
    fn probabilities_are_those_of_the_normal_distribution() {
        let estimate = AgeEstimate::new(raw(24.0, 0.0), None, &errors());
        assert!((estimate.at_least(24.0) - 0.5).abs() < 1e-6);
        assert!((estimate.at_least(18.0) - 0.841_345).abs() < 1e-5);
        assert!((estimate.buffer(0.05) - 1.644_854 * 6.0).abs() < 1e-3);
        assert!((1.0 - estimate.at_least(f64::from(estimate.high80)) - 0.9).abs() < 1e-4);
        let near = |interval: [f64; 2], reach: f64| {
            let [low, high] = interval;
            (low - (24.0 - reach)).abs() < 1e-3 && (high - (24.0 + reach)).abs() < 1e-3
        };
        assert!(near(estimate.interval(0.682_689), 6.0));
        assert!(near(estimate.interval(0.9), 1.644_854 * 6.0));
        assert_eq!(AgeEstimate::new(raw(2.0, 0.0), None, &errors()).interval(0.9)[0], 0.0);
    }

    #[test]
    fn confidence_limits_follow_the_error_bands() {
        // 1.645 deviations of 3 below 18, and of 6 above it.
        assert_eq!(errors().confidence_limits(18.0, 0.95), [Some(13.0), Some(27.9)]);
        // No estimate is low enough to be confident that somebody is under 3.
        assert_eq!(errors().confidence_limits(3.0, 0.95), [None, Some(8.0)]);
    }

    #[test]
    fn a_buffer_costs_what_it_keeps_out() {
        let estimate = AgeEstimate::new(raw(24.0, 0.0), None, &errors());
        // At the threshold all but the rate are refused, one buffer above it half.
        assert!((estimate.refused_share(0.05, 0.0) - 0.95).abs() < 1e-6);
        assert!((estimate.refused_share(0.05, estimate.buffer(0.05)) - 0.5).abs() < 1e-6);
        // Without a buffer, half at the threshold, and one in six a deviation above it.
        assert!((estimate.refused_share(0.5, 6.0) - 0.158_655).abs() < 1e-5);
        assert!(estimate.buffer(0.5) < 1e-6 && estimate.buffer(0.9) < 1e-6);
    }

    /// The age that a model decodes from a net's answer.
    fn decode(reading: AgeDecoding, answer: &[f32]) -> Result<f32, VisionError> {
        let input = ModelInput {
            name: "input".to_owned(),
            width: 4,
            height: 4,
            colour: crate::model_manifest::ChannelOrder::Rgb,
            mean: [0.0; 3],
            scale: [1.0; 3],
            crop: crate::model_manifest::CropSpec {
                rule: crate::model_manifest::CropRule::Box,
                scales: vec![1.0, 1.2],
                joined: false,
            },
        };
        let net = Box::new(crate::ScriptedNet(vec![("age".to_owned(), answer.to_vec())]));
        let (id, tensor) = ("scripted".to_owned(), "age".to_owned());
        let mut model = AgeModel { id, net, input, tensor, reading, errors: errors(), averaged_with: None };
        let picture = Picture::new(20, 20, vec![0; 1200]).unwrap();
        let face =
            Face { left: 5.0, top: 5.0, right: 15.0, bottom: 15.0, score: 1.0, points: [[10.0; 2]; 6] };
        model.estimate(&picture, &face, None).map(|estimate| estimate.years)
    }

    #[test]
    fn years_are_taken_as_they_are_and_kept_in_range() {
        for (answer, years) in [(31.5, 31.5), (-3.0, 0.0), (130.0, 120.0)] {
            assert_eq!(decode(AgeDecoding::Years, &[answer]).unwrap(), years);
        }
    }

    #[test]
    fn probabilities_give_the_expected_age() {
        let from = |first_age| AgeDecoding::Probabilities { first_age };
        assert_eq!(decode(from(0.0), &[0.0, 0.0, 1.0]).unwrap(), 2.0);
        assert_eq!(decode(from(1.0), &[0.0, 0.0, 1.0]).unwrap(), 3.0);
        assert_eq!(decode(from(20.0), &[0.25, 0.5, 0.25]).unwrap(), 21.0);
    }

    #[test]
    fn an_answer_that_is_no_age_is_an_error() {
        let scalars: [&[f32]; 6] =
            [&[f32::NAN], &[f32::INFINITY], &[f32::NEG_INFINITY], &[1e6], &[], &[30.0, 30.0]];
        // NaN, infinity, logits, a negative value although the sum is 1, no values, zeros.
        let distributions: [&[f32]; 6] =
            [&[f32::NAN, 1.0], &[f32::INFINITY, 0.0], &[3.0, 4.0, 5.0], &[-1.0, 2.0], &[], &[0.0, 0.0]];
        let scalars = scalars.map(|answer| (AgeDecoding::Years, answer));
        let distributions =
            distributions.map(|answer| (AgeDecoding::Probabilities { first_age: 0.0 }, answer));
        for (reading, answer) in scalars.into_iter().chain(distributions) {
            let decoded = decode(reading.clone(), answer);
            assert!(
                matches!(decoded, Err(VisionError::Unusable { .. })),
                "{reading:?} {answer:?}: {decoded:?}"
            );
        }
    }
}
