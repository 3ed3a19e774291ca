//! `assay evaluate age`

use super::{
    AnalysisRunner, LabelledInputArgs,
    bias::{self, FigureRanking, FigureUnit, GroupArgs, GroupColumn, GroupFigure, SubjectColumns},
    read,
    statistics::{ConfidenceInterval, mean, round, share, wilson_interval},
};
use crate::{config::Config, out};
use serde::Serialize;
use std::collections::BTreeMap;
use vision::AgeEstimate;

/// Age: error, whether the stated intervals and probabilities hold, what a buffer costs, and the bias table.
#[derive(clap::Args)]
pub(crate) struct EvaluateAgeArgs {
    #[command(flatten)]
    input: LabelledInputArgs,
    #[command(flatten)]
    groups: GroupArgs,
    /// The age at which P(wrong), probabilities and the buffer are judged.
    #[arg(long, default_value_t = 25)]
    threshold: u8,
    /// The share of people below the threshold that may pass, 0 to 0.5. Default: `estimate.explained_rate`.
    #[arg(long)]
    rate: Option<f64>,
}

/// One face that was found.
pub(super) struct AgeMeasurement {
    pub(super) truth: f64,
    pub(super) estimate: AgeEstimate,
}

impl AgeMeasurement {
    fn years(&self) -> f64 {
        self.estimate.years.into()
    }

    /// Estimate minus truth.
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
    /// Nine of ten people are off by no more, years.
    error_90: f64,
    /// Mean `st_dev`, years.
    st_dev: f64,
    /// Whether the stated intervals hold as many people as they say.
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
    /// Share of all people whose estimate is on the other side of the threshold than their age.
    p_wrong: f64,
    /// Share of the people below the threshold whose estimate passes.
    false_positive_rate: ConfidenceInterval,
    /// Share of the people at or above the threshold whose estimate fails.
    false_negative_rate: ConfidenceInterval,
    buffered: BufferReport,
    probability: ProbabilityReport,
}

/// The same where each estimate must lie its buffer above the threshold.
#[derive(Serialize)]
struct BufferReport {
    /// The share of people just below the threshold that the buffer is to let pass.
    rate: f64,
    /// Mean buffer, years.
    buffer: f64,
    false_positive_rate: ConfidenceInterval,
    /// Of the people at or above the threshold.
    refused_adults: ConfidenceInterval,
    /// The same by how far above it they are.
    refused_by_years_above: Vec<RefusalBand>,
}

#[derive(Serialize)]
struct RefusalBand {
    from: f64,
    /// Absent where there is no upper end.
    #[serde(skip_serializing_if = "Option::is_none")]
    below: Option<f64>,
    /// What the stated errors promise, on average.
    stated: f64,
    n: usize,
    measured: ConfidenceInterval,
}

/// Whether P(age >= threshold) holds.
#[derive(Serialize)]
struct ProbabilityReport {
    /// Mean square of probability less outcome: 0 is perfect, 0.25 says nothing.
    brier: f64,
    bins: Vec<ProbabilityBin>,
}

/// Faces whose probability lies between two limits.
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

/// Years above the threshold where the cost of the buffer is told apart.
const YEARS_ABOVE_THRESHOLD: [f64; 5] = [0.0, 5.0, 10.0, 15.0, 25.0];

/// Where probabilities are told apart.
const PROBABILITY_BIN_EDGES: [f64; 6] = [0.0, 0.05, 0.25, 0.75, 0.95, 1.000_001];

/// The column that this command makes.
const AGE_BAND_COLUMN: &str = "age band";

/// What is said of every group.
pub(super) const AGE_FIGURES: [GroupFigure<AgeMeasurement>; 5] = [
    GroupFigure {
        key: "mae",
        title: "MAE, years",
        unit: FigureUnit::Years,
        rank: FigureRanking::Least,
        of: |faces| (mean(faces.iter().map(|face| face.error_years().abs())), faces.len()),
    },
    GroupFigure {
        key: "bias",
        title: "bias, years",
        unit: FigureUnit::Off,
        rank: FigureRanking::Nearest,
        of: |faces| (mean(faces.iter().map(|face| face.error_years())), faces.len()),
    },
    GroupFigure {
        key: "st_dev",
        title: "st_dev",
        unit: FigureUnit::Years,
        rank: FigureRanking::Unranked,
        of: |faces| (mean(faces.iter().map(|face| f64::from(face.estimate.st_dev))), faces.len()),
    },
    GroupFigure {
        key: "in_68",
        title: "in 68 %",
        unit: FigureUnit::Share,
        rank: FigureRanking::Unranked,
        of: |faces| (share(faces.iter().map(|face| face.inside(0.68))), faces.len()),
    },
    GroupFigure {
        key: "in_90",
        title: "in 90 %",
        unit: FigureUnit::Share,
        rank: FigureRanking::Unranked,
        of: |faces| (share(faces.iter().map(|face| face.inside(0.9))), faces.len()),
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

/// An age in years, 0 to 130.
pub(super) fn parse_age(text: &str) -> Option<f64> {
    text.parse::<f64>().ok().filter(|age| (0.0..=130.0).contains(age))
}

impl EvaluateAgeArgs {
    pub(crate) fn run(self, config: &Config) -> anyhow::Result<()> {
        let rate = self.rate.unwrap_or(config.estimate.false_positive_rate);
        anyhow::ensure!((0.0..=0.5).contains(&rate), "--rate is 0 to 0.5");
        let rows = read(&self.input.labels, &["age", "age_years"], parse_age)?;
        let columns = self.groups.columns(rows.iter().map(|row| &row.groups), &[AGE_BAND_COLUMN])?;
        let mut asker = AnalysisRunner::new(config)?;
        let mut faces = Vec::new();
        let images = rows.len();
        for row in rows {
            let Some(finding) = asker.ask(&row.path, self.input.relaxed, false)? else { continue };
            let Some(estimate) = finding.age else { continue };
            let mut groups = row.groups;
            groups.insert(AGE_BAND_COLUMN.to_owned(), age_band(row.label).to_owned());
            faces.push((groups, AgeMeasurement { truth: row.label, estimate }));
        }
        let report = self.report(rate, images, asker.refused, &faces, &columns);
        if self.input.json {
            return out::json(&report);
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
        let ninth = (errors.len() as f64 * 0.9).ceil() as usize;
        AgeReport {
            images,
            faces_found: faces.len(),
            refused,
            mae: round(mean(errors.iter().copied())),
            bias: round(mean(faces.iter().map(|face| face.error_years()))),
            error_90: round(ninth.checked_sub(1).and_then(|at| errors.get(at)).copied().unwrap_or_default()),
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

/// The share of faces that `holds` of.
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
        let there: Vec<&AgeMeasurement> = above
            .iter()
            .copied()
            .filter(|face| {
                let years = face.truth - threshold;
                years >= from && below.is_none_or(|below| years < below)
            })
            .collect();
        let stated = mean(there.iter().map(|face| face.estimate.refused_share(rate, face.truth - threshold)));
        let measured = rate_of(&there, |face| !buffered(face));
        RefusalBand { from, below, stated: round(stated), n: there.len(), measured }
    });
    let chance = |face: &AgeMeasurement| face.estimate.at_least(threshold);
    let bins = PROBABILITY_BIN_EDGES.windows(2).map(|ends| {
        let [from, below] = [ends[0], ends[1]];
        let there: Vec<&AgeMeasurement> =
            faces.iter().copied().filter(|face| (from..below).contains(&chance(face))).collect();
        let stated = round(mean(there.iter().map(|face| chance(face))));
        let measured = rate_of(&there, |face| face.truth >= threshold);
        ProbabilityBin { from, below: below.min(1.0), n: there.len(), stated, measured }
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
                faces.iter().map(|face| (chance(face) - f64::from(face.truth >= threshold)).powi(2)),
            )),
            bins: bins.collect(),
        },
    }
}

fn print(report: &AgeReport) {
    out::line(format_args!("faces found    {} of {} images", report.faces_found, report.images));
    for (reason, count) in &report.refused {
        out::line(format_args!("  refused      {count} {reason}"));
    }
    out::line(format_args!(
        "MAE            {:.2} years; 90 % of errors up to {:.1}",
        report.mae, report.error_90
    ));
    out::line(format_args!("bias           {:+.2} years (estimate minus truth)", report.bias));
    out::line(format_args!("st_dev         {:.2} years on average", report.st_dev));
    for IntervalCoverage { stated, measured } in &report.coverage {
        out::line(format_args!("in {:.0} % range  {}", stated * 100.0, percent(measured)));
    }
    let AgeThresholdReport {
        years,
        p_wrong,
        false_positive_rate,
        false_negative_rate,
        buffered,
        probability,
    } = &report.threshold;
    out::line(format_args!("\nat {years} years    P(wrong) {:.1} %", p_wrong * 100.0));
    out::line(format_args!("  younger people who pass      {}", percent(false_positive_rate)));
    out::line(format_args!("  others who fail              {}", percent(false_negative_rate)));
    out::line(format_args!(
        "with a buffer for {:.1} % of people just below, {:.1} years on average",
        buffered.rate * 100.0,
        buffered.buffer
    ));
    out::line(format_args!("  younger people who pass      {}", percent(&buffered.false_positive_rate)));
    out::line(format_args!("  others who are refused       {}", percent(&buffered.refused_adults)));
    for RefusalBand { from, below, stated, n, measured } in &buffered.refused_by_years_above {
        let years = below.map_or_else(|| format!("{from}+"), |below| format!("{from} to {below}"));
        let stated = stated * 100.0;
        out::line(format_args!(
            "    {:<26} {}, n = {n}, stated {stated:.1} %",
            format!("{years} years above"),
            percent(measured)
        ));
    }
    out::line(format_args!("P(at least {years}): Brier score {:.3}", probability.brier));
    for ProbabilityBin { from, below, n, stated, measured } in &probability.bins {
        out::line(format_args!(
            "    {:<26} {}, n = {n}, stated {:.1} %",
            format!("from {from} to {below}"),
            percent(measured),
            stated * 100.0
        ));
    }
}

/// A rate and what the true one may be.
fn percent(ConfidenceInterval { rate, low, high }: &ConfidenceInterval) -> String {
    format!("{:.1} % ({:.1} to {:.1} %)", rate * 100.0, low * 100.0, high * 100.0)
}
