//! Combines the age estimates of several frames.

use crate::AgeEstimate;

/// Combines several age estimates of one person; `None` for no usable estimate.
///
/// The result is their median, weighted by inverse variance, because one frame that shows half a face must not move it.
/// The standard deviation does not shrink with the number of frames, because a net makes the same error about a person
/// in all of them. The spread between the frames is added, divided by the square root of their number.
pub fn combined_age(estimates: &[AgeEstimate]) -> Option<AgeEstimate> {
    let weight = |estimate: &AgeEstimate| 1.0 / estimate.st_dev.powi(2).max(0.01);
    let usable = |estimate: &&AgeEstimate| estimate.years.is_finite() && estimate.st_dev.is_finite();
    let mut sorted: Vec<AgeEstimate> = estimates.iter().filter(usable).copied().collect();
    sorted.sort_by(|a, b| a.years.total_cmp(&b.years));
    let total: f32 = sorted.iter().map(weight).sum();
    let years = median(&sorted, total, weight)?;
    let count = sorted.len() as f32;
    let share = |value: f32, estimate: &AgeEstimate| value * weight(estimate) / total;
    let st_dev: f32 = sorted.iter().map(|estimate| share(estimate.st_dev, estimate)).sum();
    let between: f32 =
        sorted.iter().map(|estimate| share((estimate.years - years).powi(2), estimate)).sum::<f32>().sqrt();
    Some(AgeEstimate::with_deviation(years, st_dev.hypot(between / count.sqrt()), between))
}

/// Weighted median; midway between two estimates where the weights below and above are equal.
fn median(sorted: &[AgeEstimate], total: f32, weight: impl Fn(&AgeEstimate) -> f32) -> Option<f32> {
    let half = total / 2.0;
    let mut below = 0.0;
    for (at, estimate) in sorted.iter().enumerate() {
        below += weight(estimate);
        if (below - half).abs() <= half * 1e-5 {
            let next = sorted.get(at + 1).unwrap_or(estimate);
            return Some(f32::midpoint(estimate.years, next.years));
        }
        if below > half {
            return Some(estimate.years);
        }
    }
    sorted.last().map(|estimate| estimate.years)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(years: f32, st_dev: f32) -> AgeEstimate {
        AgeEstimate::with_deviation(years, st_dev, 0.0)
    }

    #[test]
    fn one_estimate_stays_what_it_is_and_none_gives_none() {
        let one = combined_age(&[estimate(30.0, 7.0)]).unwrap();
        assert!((one.years - 30.0).abs() < 1e-4 && (one.st_dev - 7.0).abs() < 1e-4, "{one:?}");
        assert_eq!(combined_age(&[]), None);
        assert_eq!(combined_age(&[estimate(f32::NAN, 7.0)]), None);
    }

    #[test]
    fn one_wrong_frame_does_not_move_the_age() {
        let frames = [16.0, 17.0, 16.5, 17.5, 45.0].map(|years| estimate(years, 5.0));
        let all = combined_age(&frames).unwrap();
        assert!((all.years - 17.0).abs() < 1e-4, "{all:?}");
        assert!(all.st_dev > 5.0, "frames that differ make it less sure: {all:?}");
    }

    #[test]
    fn more_frames_do_not_make_the_net_right() {
        let all = combined_age(&[estimate(20.0, 6.0); 5]).unwrap();
        assert!((all.st_dev - 6.0).abs() < 1e-4, "{all:?}");
        assert!(all.low80 < 20.0 - 7.0 && all.high80 > 20.0 + 7.0, "{all:?}");
    }

    #[test]
    fn surer_frames_weigh_more() {
        let frames = [estimate(20.0, 3.0), estimate(30.0, 9.0), estimate(31.0, 9.0)];
        assert!((combined_age(&frames).unwrap().years - 20.0).abs() < 1e-4);
        let even = [estimate(20.0, 4.0), estimate(24.0, 4.0)];
        assert!((combined_age(&even).unwrap().years - 22.0).abs() < 1e-4);
    }
}
