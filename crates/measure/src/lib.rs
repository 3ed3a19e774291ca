//! What `assay bench` and the benches measure with: clocks, statistics, a client that costs little beside what it measures,
//! a server in a process of its own, drawn pictures, and the work that both of them time.

pub mod client;
pub mod clock;
pub mod drawing;
pub mod face_vectors;
pub mod file_server;
pub mod machine;
pub mod proofs;
pub mod server_process;
pub mod signed_calls;

/// The value that this share (0 to 1) of the samples does not exceed; NaN if there are none.
pub fn percentile(samples: &[f64], share: f64) -> f64 {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let at = (sorted.len().saturating_sub(1) as f64 * share).round() as usize;
    sorted.get(at).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_samples() {
        let samples = [5.0, 1.0, 3.0, 2.0, 4.0];
        assert_eq!([0.0, 0.5, 0.95, 1.0].map(|share| percentile(&samples, share)), [1.0, 3.0, 5.0, 5.0]);
        assert!(percentile(&[], 0.5).is_nan());
    }
}
