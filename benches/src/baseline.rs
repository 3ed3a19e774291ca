//! Comparing a report with an earlier one, the baseline, by the ratios to peers: the peers ran on the same machine in the
//! same minutes, so a slower or a busier machine changes both figures and hardly their ratio.

use crate::report::{BenchReport, MeasuredUnit, ReportRow, line};
use anyhow::ensure;

/// Ratios that changed by less say nothing: runs of the same program differ as much.
pub(crate) const NOISE_FACTOR: f64 = 1.1;

/// A row that is in both reports, with a peer.
#[derive(Debug)]
pub(crate) struct ComparedRow {
    pub(crate) name: String,
    /// Our figure divided by the peer's, in the baseline and now.
    pub(crate) recorded: f64,
    pub(crate) measured: f64,
    /// By how many times it got worse; below one where it got better. Of the medians or of the best figures, whichever
    /// changed less: what disturbs a run for a moment spoils the one or the other.
    pub(crate) slowdown: f64,
}

/// Compares all rows with a peer that both reports have. An error where the reports are of different profiles.
pub(crate) fn compare(baseline: &BenchReport, measured: &BenchReport) -> anyhow::Result<Vec<ComparedRow>> {
    ensure!(
        baseline.optimised == measured.optimised,
        "the baseline was measured with {} program, this is {} one",
        profile(baseline),
        profile(measured)
    );
    let counterpart = |now| baseline.rows.iter().find_map(|before| compare_rows(before, now));
    Ok(measured.rows.iter().filter_map(counterpart).collect())
}

fn profile(report: &BenchReport) -> &'static str {
    if report.optimised { "an optimised" } else { "a debug" }
}

/// `None` where the rows are of different things, or have no peer.
fn compare_rows(before: &ReportRow, now: &ReportRow) -> Option<ComparedRow> {
    let (peer_before, peer_now) = (before.peer.as_ref()?, now.peer.as_ref()?);
    if before.name != now.name || peer_before.name != peer_now.name || before.ours.unit != now.ours.unit {
        return None;
    }
    let (recorded, measured) = (before.ratio?, now.ratio?);
    let best = |row: &ReportRow| Some(row.ours.best / row.peer.as_ref()?.figure.best);
    let is_rate = now.ours.unit == MeasuredUnit::PerSecond;
    let worse = |before: f64, now: f64| if is_rate { before / now } else { now / before };
    let slowdown = worse(recorded, measured).min(worse(best(before)?, best(now)?));
    Some(ComparedRow { name: now.name.clone(), recorded, measured, slowdown })
}

/// Prints what got slower by more than noise, or that nothing did.
pub(crate) fn print(compared: &[ComparedRow]) {
    if compared.is_empty() {
        line(format_args!("\nnothing was measured whose ratio to a peer the baseline has"));
        return;
    }
    let slower: Vec<_> = compared.iter().filter(|row| row.slowdown > NOISE_FACTOR).collect();
    if slower.is_empty() {
        line(format_args!("\nnone of {} ratios to peers got worse by more than a tenth", compared.len()));
        return;
    }
    line(format_args!("\nslower than the baseline, by the ratio to the peer:"));
    for ComparedRow { name, recorded, measured, slowdown } in slower {
        line(format_args!("{name} | {recorded:.2} before | {measured:.2} now | {slowdown:.2} times as bad"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Goal, MeasuredFigure};

    /// A report of one row: our and the peer's median and best figures.
    fn report(unit: MeasuredUnit, ours: [f64; 2], peer: [f64; 2]) -> BenchReport {
        let figure = |[typical, best]: [f64; 2]| MeasuredFigure { typical, best, unit };
        let mut report = BenchReport::new();
        report.add("work", figure(ours), Some(("peer", figure(peer))), None, None::<Goal>);
        report
    }

    fn slowdown(before: &BenchReport, now: &BenchReport) -> f64 {
        compare(before, now).unwrap()[0].slowdown
    }

    #[test]
    fn a_slower_machine_is_no_slowdown() {
        let before = report(MeasuredUnit::Milliseconds, [12.0, 11.0], [10.0, 10.0]);
        let now = report(MeasuredUnit::Milliseconds, [24.0, 22.0], [20.0, 20.0]);
        assert!((slowdown(&before, &now) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn times_get_worse_upwards_and_rates_downwards() {
        for (unit, worse) in [(MeasuredUnit::Milliseconds, 2.0), (MeasuredUnit::PerSecond, 0.5)] {
            let before = report(unit, [10.0, 10.0], [10.0, 10.0]);
            let now = report(unit, [10.0 * worse, 10.0 * worse], [10.0, 10.0]);
            assert!((slowdown(&before, &now) - 2.0).abs() < 1e-9, "{unit:?}");
            assert!((slowdown(&now, &before) - 0.5).abs() < 1e-9, "{unit:?}");
        }
    }

    #[test]
    fn a_disturbed_median_or_a_lucky_best_alone_is_no_slowdown() {
        let before = report(MeasuredUnit::Milliseconds, [10.0, 9.0], [10.0, 9.0]);
        let disturbed = report(MeasuredUnit::Milliseconds, [30.0, 9.0], [10.0, 9.0]);
        let lucky_peer = report(MeasuredUnit::Milliseconds, [10.0, 9.0], [10.0, 3.0]);
        assert!((slowdown(&before, &disturbed) - 1.0).abs() < 1e-9);
        assert!((slowdown(&before, &lucky_peer) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_report_of_another_profile_is_refused_and_other_work_left_out() {
        let before = report(MeasuredUnit::Milliseconds, [10.0, 9.0], [10.0, 9.0]);
        let mut other = report(MeasuredUnit::Milliseconds, [10.0, 9.0], [10.0, 9.0]);
        other.optimised = !other.optimised;
        assert!(compare(&before, &other).unwrap_err().to_string().contains("debug"));
        let mut renamed = report(MeasuredUnit::Milliseconds, [10.0, 9.0], [10.0, 9.0]);
        renamed.rows[0].name = "other work".to_owned();
        assert!(compare(&before, &renamed).unwrap().is_empty());
    }
}
