//! `assay evaluate age`: error, coverage of the stated intervals and probabilities, cost of the buffer, and the bias
//! table.

mod figures;
#[cfg(test)]
pub(crate) use figures::tests::synthetic_report;

use super::{
    AnalysisRunner, LabelledInputArgs,
    bias::{self, FigureRanking, FigureUnit, GroupArgs, GroupColumn, GroupFigure, SubjectColumns},
    read_labels,
    statistics::{ConfidenceInterval, mean, round, share, wilson_interval},
};
use crate::{EvaluationSettings, output};
use serde::Serialize;
use std::collections::BTreeMap;
use vision::AgeEstimate;

/// Age: error, coverage of the stated intervals and probabilities, cost of a buffer, and the bias table.
#[derive(clap::Args)]
pub struct EvaluateAgeArgs {
    #[command(flatten)]
    input: LabelledInputArgs,
    #[command(flatten)]
    groups: GroupArgs,
    /// The age at which P(wrong), probabilities and the buffer are measured.
    #[arg(long, default_value_t = 25)]
    threshold: u8,
    /// The share of people below the threshold that may pass, 0 to 0.5. Default: `estimate.explained_rate`.
    #[arg(long)]
    rate: Option<f64>,
}

/// The estimate of one face with its true age.
pub(super) struct AgeMeasurement {
    /// Years.
    pub(super) truth: f64,
    pub(super) estimate: AgeEstimate,
}

impl AgeMeasurement {
    fn years(&self) -> f64 {
        self.estimate.years.into()
    }

    /// Estimate minus truth, years.
    pub(super) fn error_years(&self) -> f64 {
        self.years() - self.truth
    }

    fn inside(&self, share: f64) -> bool {
        let [low, high] = self.estimate.interval(share);
        (low..=high).contains(&self.truth)
    }
}

#[derive(Serialize)]
struct AgeReport {
    images: usize,
    faces_found: usize,
    refused: BTreeMap<String, usize>,
    /// Mean absolute error, years.
    mae: f64,
    /// Mean of estimate minus truth, years.
    bias: f64,
    /// The 90th percentile of the absolute error, years.
    error_90: f64,
    /// Mean `st_dev`, years.
    st_dev: f64,
    /// Share of people inside the stated intervals.
    coverage: Vec<IntervalCoverage>,
    threshold: AgeThresholdReport,
    groups: Vec<GroupColumn>,
}

#[derive(Serialize)]
struct IntervalCoverage {
    stated: f64,
    measured: ConfidenceInterval,
}

#[derive(Serialize)]
struct AgeThresholdReport {
    years: u8,
    /// Share of all people whose estimate and age are on different sides of the threshold.
    p_wrong: f64,
    /// Share of the people below the threshold whose estimate passes.
    false_positive_rate: ConfidenceInterval,
    /// Share of the people at or above the threshold whose estimate fails.
    false_negative_rate: ConfidenceInterval,
    buffered: BufferReport,
    probability: ProbabilityReport,
}

/// The rates where each estimate must exceed the threshold by its buffer.
#[derive(Serialize)]
struct BufferReport {
    /// The share of people just below the threshold whom the buffer may let pass.
    rate: f64,
    /// Mean buffer, years.
    buffer: f64,
    false_positive_rate: ConfidenceInterval,
    /// Of the people at or above the threshold.
    refused_adults: ConfidenceInterval,
    /// The same by years above the threshold.
    refused_by_years_above: Vec<RefusalBand>,
}

#[derive(Serialize)]
struct RefusalBand {
    /// Years above the threshold.
    from: f64,
    /// Absent in the last band.
    #[serde(skip_serializing_if = "Option::is_none")]
    below: Option<f64>,
    /// Mean share that follows from the stated errors.
    stated: f64,
    n: usize,
    measured: ConfidenceInterval,
}

/// Calibration of P(age >= threshold).
#[derive(Serialize)]
struct ProbabilityReport {
    /// Brier score, the mean square of probability less outcome: 0 is perfect, 0.25 is guessing.
    brier: f64,
    bins: Vec<ProbabilityBin>,
}

/// Faces whose probability is in a range.
#[derive(Serialize)]
struct ProbabilityBin {
    from: f64,
    below: f64,
    n: usize,
    /// Mean probability.
    stated: f64,
    measured: ConfidenceInterval,
}

/// The intervals whose coverage is measured.
const STATED_INTERVALS: [f64; 3] = [0.68, 0.8, 0.9];

/// Lower bounds of the bands for the cost of the buffer, years above the threshold.
const YEARS_ABOVE_THRESHOLD: [f64; 5] = [0.0, 5.0, 10.0, 15.0, 25.0];

/// Bounds of the bins of probabilities.
const PROBABILITY_BIN_EDGES: [f64; 6] = [0.0, 0.05, 0.25, 0.75, 0.95, 1.000_001];

/// The column that this command computes for grouping.
const AGE_BAND_COLUMN: &str = "age band";

/// Figures of the bias table.
pub(super) const AGE_FIGURES: [GroupFigure<AgeMeasurement>; 5] = [
    GroupFigure {
        key: "mae",
        title: "MAE, years",
        heading: "Age: mean absolute error",
        unit: FigureUnit::Years,
        rank: FigureRanking::LowestIsBest,
        reference: None,
        compute: |faces| (mean(faces.iter().map(|face| face.error_years().abs())), faces.len()),
    },
    GroupFigure {
        key: "bias",
        title: "bias, years",
        heading: "Age: bias (estimate minus truth)",
        unit: FigureUnit::Off,
        rank: FigureRanking::NearestToZeroIsBest,
        reference: Some(0.0),
        compute: |faces| (mean(faces.iter().map(|face| face.error_years())), faces.len()),
    },
    GroupFigure {
        key: "st_dev",
        title: "st_dev",
        heading: "Age: mean stated error (st_dev)",
        unit: FigureUnit::Years,
        rank: FigureRanking::Unranked,
        reference: None,
        compute: |faces| (mean(faces.iter().map(|face| f64::from(face.estimate.st_dev))), faces.len()),
    },
    GroupFigure {
        key: "in_68",
        title: "in 68 %",
        heading: "Age: people within the stated 68 % interval",
        unit: FigureUnit::Share,
        rank: FigureRanking::Unranked,
        reference: Some(0.68),
        compute: |faces| (share(faces.iter().map(|face| face.inside(0.68))), faces.len()),
    },
    GroupFigure {
        key: "in_90",
        title: "in 90 %",
        heading: "Age: people within the stated 90 % interval",
        unit: FigureUnit::Share,
        rank: FigureRanking::Unranked,
        reference: Some(0.9),
        compute: |faces| (share(faces.iter().map(|face| face.inside(0.9))), faces.len()),
    },
];

fn age_band(age: f64) -> &'static str {
    match age {
        ..13.0 => "0-12",
        ..18.0 => "13-17",
        ..25.0 => "18-24",
        ..35.0 => "25-34",
        ..50.0 => "35-49",
        ..65.0 => "50-64",
        _ => "65+",
    }
}

/// Parses an age in years; `None` unless it is from 0 to 130.
pub(super) fn parse_age(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|age| (0.0..=130.0).contains(age))
}

impl EvaluateAgeArgs {
    pub(super) fn run(self, settings: &EvaluationSettings) -> anyhow::Result<()> {
        let rate = self.rate.unwrap_or(settings.explained_rate);
        anyhow::ensure!((0.0..=0.5).contains(&rate), "--rate is 0 to 0.5");
        let rows = read_labels(&self.input.labels, &["age", "age_years"], parse_age)?;
        let columns = self.groups.columns(rows.iter().map(|row| &row.groups), &[AGE_BAND_COLUMN])?;
        self.input.report.prepare()?;
        let mut runner = AnalysisRunner::new(settings)?;
        let mut faces = Vec::new();
        let images = rows.len();
        for row in rows {
            let Some(analysis) = runner.analyse_file(&row.path, self.input.relaxed, false)? else { continue };
            let Some(estimate) = analysis.age else { continue };
            let mut groups = row.groups;
            groups.insert(AGE_BAND_COLUMN.to_owned(), age_band(row.label).to_owned());
            faces.push((groups, AgeMeasurement { truth: row.label, estimate }));
        }
        let report = self.report(rate, images, runner.refused, &faces, &columns);
        let file = || figures::report(&self.input.labels, settings, &report, &faces, &columns);
        self.input.report.write(file)?;
        if self.input.json {
            return output::json(&report);
        }
        print(&report);
        bias::print(&report.groups, &AGE_FIGURES, self.groups.markdown);
        Ok(())
    }

    fn report(
        &self,
        rate: f64,
        images: usize,
        refused: BTreeMap<String, usize>,
        grouped: &[(SubjectColumns, AgeMeasurement)],
        columns: &[String],
    ) -> AgeReport {
        let faces: Vec<&AgeMeasurement> = grouped.iter().map(|(_, face)| face).collect();
        let mut errors: Vec<f64> = faces.iter().map(|face| face.error_years().abs()).collect();
        errors.sort_by(f64::total_cmp);
        let rank_90 = (errors.len() as f64 * 0.9).ceil() as usize;
        AgeReport {
            images,
            faces_found: faces.len(),
            refused,
            mae: round(mean(errors.iter().copied())),
            bias: round(mean(faces.iter().map(|face| face.error_years()))),
            error_90: round(
                rank_90.checked_sub(1).and_then(|at| errors.get(at)).copied().unwrap_or_default(),
            ),
            st_dev: round(mean(faces.iter().map(|face| f64::from(face.estimate.st_dev)))),
            coverage: STATED_INTERVALS
                .map(|stated| IntervalCoverage {
                    stated,
                    measured: rate_of(&faces, |face| face.inside(stated)),
                })
                .into(),
            threshold: at_threshold(&faces, self.threshold, rate),
            groups: bias::table(grouped, columns, &AGE_FIGURES),
        }
    }
}

/// The share of faces for which `holds` is true.
fn rate_of(faces: &[&AgeMeasurement], holds: impl Fn(&AgeMeasurement) -> bool) -> ConfidenceInterval {
    wilson_interval(faces.iter().filter(|face| holds(face)).count(), faces.len())
}

fn at_threshold(faces: &[&AgeMeasurement], age: u8, rate: f64) -> AgeThresholdReport {
    let threshold = f64::from(age);
    let passes = |face: &AgeMeasurement| face.years() >= threshold;
    let buffered = |face: &AgeMeasurement| face.years() >= threshold + face.estimate.buffer(rate);
    let (above, below): (Vec<&AgeMeasurement>, Vec<&AgeMeasurement>) =
        faces.iter().copied().partition(|face| face.truth >= threshold);
    let ends = YEARS_ABOVE_THRESHOLD.iter().skip(1).copied().map(Some).chain([None]);
    let refused_by_years_above = YEARS_ABOVE_THRESHOLD.iter().zip(ends).map(|(&from, below)| {
        let in_range: Vec<&AgeMeasurement> = above
            .iter()
            .copied()
            .filter(|face| {
                let years = face.truth - threshold;
                years >= from && below.is_none_or(|below| years < below)
            })
            .collect();
        let stated =
            mean(in_range.iter().map(|face| face.estimate.refused_share(rate, face.truth - threshold)));
        let measured = rate_of(&in_range, |face| !buffered(face));
        RefusalBand { from, below, stated: round(stated), n: in_range.len(), measured }
    });
    let probability = |face: &AgeMeasurement| face.estimate.at_least(threshold);
    let bins = PROBABILITY_BIN_EDGES.windows(2).map(|ends| {
        let [from, below] = [ends[0], ends[1]];
        let in_range: Vec<&AgeMeasurement> =
            faces.iter().copied().filter(|face| (from..below).contains(&probability(face))).collect();
        let stated = round(mean(in_range.iter().map(|face| probability(face))));
        let measured = rate_of(&in_range, |face| face.truth >= threshold);
        ProbabilityBin { from, below: below.min(1.0), n: in_range.len(), stated, measured }
    });
    AgeThresholdReport {
        years: age,
        p_wrong: round(share(faces.iter().map(|face| passes(face) != (face.truth >= threshold)))),
        false_positive_rate: rate_of(&below, passes),
        false_negative_rate: rate_of(&above, |face| !passes(face)),
        buffered: BufferReport {
            rate,
            buffer: round(mean(faces.iter().map(|face| face.estimate.buffer(rate)))),
            false_positive_rate: rate_of(&below, buffered),
            refused_adults: rate_of(&above, |face| !buffered(face)),
            refused_by_years_above: refused_by_years_above.collect(),
        },
        probability: ProbabilityReport {
            brier: round(mean(
                faces.iter().map(|face| (probability(face) - f64::from(face.truth >= threshold)).powi(2)),
            )),
            bins: bins.collect(),
        },
    }
}

fn print(report: &AgeReport) {
    output::line(format_args!("faces found    {} of {} images", report.faces_found, report.images));
    for (reason, count) in &report.refused {
        output::line(format_args!("  refused      {count} {reason}"));
    }
    output::line(format_args!(
        "MAE            {:.2} years; 90 % of errors up to {:.1}",
        report.mae, report.error_90
    ));
    output::line(format_args!("bias           {:+.2} years (estimate minus truth)", report.bias));
    output::line(format_args!("st_dev         {:.2} years on average", report.st_dev));
    for IntervalCoverage { stated, measured } in &report.coverage {
        output::line(format_args!("in {:.0} % range  {}", stated * 100.0, percent(measured)));
    }
    let AgeThresholdReport {
        years,
        p_wrong,
        false_positive_rate,
        false_negative_rate,
        buffered,
        probability,
    } = &report.threshold;
    output::line(format_args!("\nat {years} years    P(wrong) {:.1} %", p_wrong * 100.0));
    output::line(format_args!("  younger people who pass      {}", percent(false_positive_rate)));
    output::line(format_args!("  others who fail              {}", percent(false_negative_rate)));
    output::line(format_args!(
        "with a buffer for {:.1} % of people just below, {:.1} years on average",
        buffered.rate * 100.0,
        buffered.buffer
    ));
    output::line(format_args!("  younger people who pass      {}", percent(&buffered.false_positive_rate)));
    output::line(format_args!("  others who are refused       {}", percent(&buffered.refused_adults)));
    for RefusalBand { from, below, stated, n, measured } in &buffered.refused_by_years_above {
        let years = below.map_or_else(|| format!("{from}+"), |below| format!("{from} to {below}"));
        let stated = stated * 100.0;
        output::line(format_args!(
            "    {:<26} {}, n = {n}, stated {stated:.1} %",
            format!("{years} years above"),
            percent(measured)
        ));
    }
    output::line(format_args!("P(at least {years}): Brier score {:.3}", probability.brier));
    for ProbabilityBin { from, below, n, stated, measured } in &probability.bins {
        output::line(format_args!(
            "    {:<26} {}, n = {n}, stated {:.1} %",
            format!("from {from} to {below}"),
            percent(measured),
            stated * 100.0
        ));
    }
}

/// Formats a rate with its confidence interval.
fn percent(ConfidenceInterval { rate, low, high }: &ConfidenceInterval) -> String {
    format!("{:.1} % ({:.1} to {:.1} %)", rate * 100.0, low * 100.0, high * 100.0)
}
