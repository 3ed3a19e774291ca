//! The report on recognition as a file.

use super::{JudgedPair, MATCH_FIGURES, MatchReport};
use crate::{
    EvaluationSettings,
    bias::{self, SubjectColumns},
    html_report::{
        Axis, Chart, ChartArea, FreeCorner, HtmlReport, LabelledSeries, MAX_SERIES, histogram, line_chart,
        percent, table, tiles,
    },
    statistics::{detection_error_tradeoff, measurable_part, wilson_interval},
};
use maud::{Markup, html};
use std::{collections::BTreeMap, path::Path};
use vision::model_manifest::ModelTask;

/// Fewest pairs of one person, and of two people, of a group that has a curve of its own.
const MIN_CURVE_PAIRS: usize = 20;

pub(super) fn report(
    pairs: &Path,
    settings: &EvaluationSettings,
    report: &MatchReport,
    judged: &[(SubjectColumns, JudgedPair)],
    columns: &[String],
) -> anyhow::Result<HtmlReport> {
    let tasks = [ModelTask::Detect, ModelTask::Embed];
    let mut file = HtmlReport::new(
        ("matching", "Face recognition"),
        format!("{} pairs of one person, {} of two people", report.genuine.pairs, report.impostor.pairs),
        pairs,
        settings,
        &tasks,
    )?;
    add_sections(&mut file, report, judged, columns)?;
    Ok(file)
}

/// Everything below the head of the report.
pub(super) fn add_sections(
    file: &mut HtmlReport,
    report: &MatchReport,
    judged: &[(SubjectColumns, JudgedPair)],
    columns: &[String],
) -> anyhow::Result<()> {
    file.fact("Pictures", &report.pictures);
    file.fact(
        "Pairs compared",
        &format!("{} of one person, {} of two people", report.genuine.pairs, report.impostor.pairs),
    );
    file.fact("Failure to acquire", &percent(&report.failure_to_acquire.rate));
    file.section(
        "In short",
        "FMR is the share of strangers who match, FNMR the share of people who do not match themselves (ISO/IEC 19795-1).",
        &html! {
            (tiles(&[
                ("Equal error rate", format!("{:.2} %", report.eer * 100.0)),
                ("Area under the ROC curve", format!("{:.4}", report.auc)),
                ("Mean distance, one person", format!("{:.3}", report.genuine.mean)),
                ("Mean distance, two people", format!("{:.3}", report.impostor.mean)),
            ]))
            (thresholds(report))
        },
    );
    let charts = file.charts(curves(report)?);
    file.section(
        "Error rates",
        "Each point of the curve is a distance: the further down and left, the better. Both axes are logarithmic; a rate of \
         0 lies at their ends.",
        &charts,
    );
    let mut by_group = Vec::new();
    for column in columns {
        let groups = largest_groups(judged, column);
        // A single curve has nothing to be compared with.
        if groups.len() >= 2 {
            by_group.push(group_curves(&groups, column)?);
            by_group.push(stated_rates(report, &groups, column)?);
        }
    }
    let by_group = file.charts(by_group);
    let groups = bias::markup(file, &report.groups, &MATCH_FIGURES)?;
    file.section(
        "Groups",
        "At the distance whose stated false match rate is one in a thousand. A line through a dot is its interval. The \
         intervals take pairs for independent; where people appear in many pairs they are wider.",
        &html! { (by_group) (groups) },
    );
    Ok(())
}

fn thresholds(report: &MatchReport) -> Markup {
    let rows = report.thresholds.iter().map(|at| {
        let stated = format!("{} %", at.stated_fmr * 100.0);
        vec![stated, format!("{:.3}", at.distance), percent(&at.fmr), percent(&at.fnmr)]
    });
    table(&["Stated FMR", "Distance", "Measured FMR", "Measured FNMR"], rows)
}

/// The curve of pairs; nearer pairs have greater scores.
fn curve(pairs: &[&JudgedPair]) -> Vec<(f64, f64)> {
    let of = |same: bool| -> Vec<f64> {
        pairs.iter().filter(|pair| pair.same == same).map(|pair| -pair.distance).collect()
    };
    detection_error_tradeoff(&of(true), &of(false))
}

const FALSE_MATCH_AXIS: &str = "FMR: strangers who match";
const FALSE_NON_MATCH_AXIS: &str = "FNMR: people who do not match themselves";

/// The curve of all pairs, and how their distances are distributed.
fn curves(report: &MatchReport) -> anyhow::Result<Vec<Chart>> {
    let negated = |distances: &[f64]| distances.iter().map(|distance| -distance).collect::<Vec<_>>();
    let (genuine, impostor) = (&report.genuine.distances, &report.impostor.distances);
    let points = measurable_part(detection_error_tradeoff(&negated(genuine), &negated(impostor)));
    let rates: Vec<String> = report
        .thresholds
        .iter()
        .map(|at| {
            format!(
                "stated {} %: FMR {}, FNMR {}",
                at.stated_fmr * 100.0,
                percent(&at.fmr),
                percent(&at.fnmr)
            )
        })
        .collect();
    let words =
        format!("FMR against FNMR; equal error rate {:.2} %; {}", report.eer * 100.0, rates.join("; "));
    let in_force = report.thresholds.iter().map(|at| (at.fmr.rate, at.fnmr.rate)).collect();
    let det = line_chart(
        &ChartArea {
            name: "det",
            title: "Recognition: detection error tradeoff (DET)",
            caption: "Marks are the distances of the manifest. A rate of 0 lies at the end of its axis.",
            words: &words,
        },
        (
            Axis::log_rate(FALSE_MATCH_AXIS, report.impostor.pairs),
            Axis::log_rate(FALSE_NON_MATCH_AXIS, report.genuine.pairs),
        ),
        &[LabelledSeries::line("all pairs", points), LabelledSeries::marks("distances in force", in_force)],
        FreeCorner::UpperRight,
    )?;
    let farthest = genuine.iter().chain(impostor).copied().fold(0.1, f64::max);
    let marks: Vec<(String, f64)> = report
        .thresholds
        .iter()
        .map(|at| (format!("stated {} %", at.stated_fmr * 100.0), at.distance))
        .collect();
    let words = format!(
        "How often each distance was found between pictures of one person ({:.3} on average) and of two ({:.3})",
        report.genuine.mean, report.impostor.mean
    );
    let distribution = histogram(
        &ChartArea {
            name: "distances",
            title: "Recognition: distances of pairs",
            caption: "Two faces match up to a distance. Broken upright lines are those of the manifest.",
            words: &words,
        },
        Axis::linear("Distance", 0.0, farthest),
        &[("one person", genuine), ("two people", impostor)],
        &marks,
    )?;
    Ok(vec![det, distribution])
}

/// The largest groups of a column that have enough pairs of each kind.
fn largest_groups<'a>(
    judged: &'a [(SubjectColumns, JudgedPair)],
    column: &str,
) -> Vec<(&'a str, Vec<&'a JudgedPair>)> {
    let mut groups = BTreeMap::<&str, Vec<&JudgedPair>>::new();
    for (columns, pair) in judged {
        if let Some(value) = columns.get(column).filter(|value| !value.is_empty()) {
            groups.entry(value).or_default().push(pair);
        }
    }
    let enough = |pairs: &[&JudgedPair]| {
        let genuine = pairs.iter().filter(|pair| pair.same).count();
        genuine >= MIN_CURVE_PAIRS && pairs.len() - genuine >= MIN_CURVE_PAIRS
    };
    groups.retain(|_, pairs| enough(pairs));
    let mut largest: Vec<_> = groups.into_iter().collect();
    largest.sort_by_key(|(_, pairs)| std::cmp::Reverse(pairs.len()));
    largest.truncate(MAX_SERIES);
    largest
}

fn group_curves(groups: &[(&str, Vec<&JudgedPair>)], column: &str) -> anyhow::Result<Chart> {
    let series: Vec<LabelledSeries> = groups
        .iter()
        .map(|(value, pairs)| {
            LabelledSeries::line(format!("{value} (n = {})", pairs.len()), measurable_part(curve(pairs)))
        })
        .collect();
    let most = |same: bool| {
        let counts = groups.iter().map(|(_, pairs)| pairs.iter().filter(|pair| pair.same == same).count());
        counts.max().unwrap_or_default()
    };
    let (name, title) = (format!("det-by-{column}"), format!("Recognition: DET by {column}"));
    let caption = format!(
        "The {} largest groups with {MIN_CURVE_PAIRS} pairs and more of each kind. A rate of 0 lies at the end of its axis.",
        groups.len()
    );
    let names: Vec<&str> = groups.iter().map(|(value, _)| *value).collect();
    let words = format!("FMR against FNMR by {column}: {}", names.join(", "));
    line_chart(
        &ChartArea { name: &name, title: &title, caption: &caption, words: &words },
        (Axis::log_rate(FALSE_MATCH_AXIS, most(false)), Axis::log_rate(FALSE_NON_MATCH_AXIS, most(true))),
        &series,
        FreeCorner::UpperRight,
    )
}

/// Factor by which the points of neighbouring groups lie apart, so that their intervals do not hide each other.
const GROUP_SHIFT: f64 = 1.12;

/// What was measured of each group at the distances of the manifest, against the rates that are stated for them.
fn stated_rates(
    report: &MatchReport,
    groups: &[(&str, Vec<&JudgedPair>)],
    column: &str,
) -> anyhow::Result<Chart> {
    let mut words = Vec::new();
    let mut series = Vec::new();
    let mut most = 1;
    for (number, (value, pairs)) in groups.iter().enumerate() {
        let distances: Vec<f64> = pairs.iter().filter(|pair| !pair.same).map(|pair| pair.distance).collect();
        most = most.max(distances.len());
        let shift = GROUP_SHIFT.powf(number as f64 - (groups.len() - 1) as f64 / 2.0);
        let mut rates: Vec<_> = report
            .thresholds
            .iter()
            .map(|at| {
                let matching = distances.iter().filter(|&&distance| distance <= at.distance).count();
                (at.stated_fmr, wilson_interval(matching, distances.len()))
            })
            .collect();
        rates.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let told: Vec<String> = rates
            .iter()
            .map(|(stated, fmr)| format!("stated {} %, {}", stated * 100.0, percent(fmr)))
            .collect();
        words.push(format!("{value}: {}", told.join("; ")));
        let mut measured = LabelledSeries::marks(
            format!("{value} (n = {})", distances.len()),
            rates.iter().map(|(stated, fmr)| (stated * shift, fmr.rate)).collect(),
        );
        measured.intervals = rates.iter().map(|(_, fmr)| (fmr.low, fmr.high)).collect();
        series.push(measured);
    }
    let stated = || report.thresholds.iter().map(|at| at.stated_fmr);
    let (lowest, highest) = (stated().fold(0.01, f64::min), stated().fold(0.01, f64::max));
    // A decade of room on both sides, so that no rate lies at an end of the axis.
    let across = (10.0 / lowest).round() as usize;
    series.push(LabelledSeries::reference(
        "as stated",
        [lowest / 10.0, (highest * 10.0).min(1.0)].map(|rate| (rate, rate)).to_vec(),
    ));
    let (name, title) = (
        format!("fmr-at-stated-rates-by-{column}"),
        format!("False match rates as stated and as measured, by {column}"),
    );
    line_chart(
        &ChartArea {
            name: &name,
            title: &title,
            caption: "At the distances of the manifest. Upright lines are 95 % intervals; a rate of 0 lies at the lower end.",
            words: &words.join(". "),
        },
        (
            Axis::log_rate("Stated FMR", across).up_to((highest * 10.0).min(1.0)),
            Axis::log_rate("Measured FMR", most.max(across)),
        ),
        &series,
        FreeCorner::LowerRight,
    )
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{
        matching::{AcquisitionFailures, ComparedPair, MatchThresholdReport, PairDistances, apply_threshold},
        statistics::SeededRng,
    };
    use vision::EmbeddingSpace;

    /// A report on pairs whose distances are drawn by lot.
    pub(crate) fn synthetic_report() -> HtmlReport {
        let mut rng = SeededRng::new(7);
        let mut judged: Vec<(SubjectColumns, JudgedPair)> = (0..900)
            .map(|at| {
                let same = at % 3 == 0;
                let distance = (rng.share() + rng.share()) * 0.3 + if same { 0.1 } else { 0.4 };
                let columns = [
                    ("sex", ["F", "M"][at / 3 % 2]),
                    ("ethnicity", ["one", "another", "third"][at / 3 % 3]),
                    ("age", ["under 50", "50-64"][at / 6 % 2]),
                ];
                let columns = columns.map(|(name, value)| (name.to_owned(), value.to_owned()));
                let pair = JudgedPair { same, distance, matches: None, matches_at_1: false };
                (SubjectColumns::from(columns), pair)
            })
            .collect();
        let distances =
            |same: bool| {
                let pairs = judged.iter().filter(|(_, pair)| pair.same == same).map(|(_, pair)| {
                    ComparedPair { a: "a".to_owned(), b: "b".to_owned(), distance: pair.distance }
                });
                PairDistances::new(pairs.collect(), same)
            };
        let (genuine, impostor) = (distances(true), distances(false));
        let space = EmbeddingSpace {
            thresholds: vec![(1e-4, 0.485), (1e-3, 0.53), (1e-2, 0.585)],
            ..EmbeddingSpace::default()
        };
        let thresholds = space.thresholds.iter().map(|&(stated_fmr, distance)| {
            let distance = f64::from(distance);
            let within =
                |side: &PairDistances| side.distances.iter().filter(|&&other| other <= distance).count();
            MatchThresholdReport {
                stated_fmr,
                distance,
                fmr: wilson_interval(within(&impostor), impostor.pairs),
                fnmr: wilson_interval(genuine.pairs - within(&genuine), genuine.pairs),
            }
        });
        let thresholds = thresholds.collect();
        let mut report = MatchReport {
            model: "none".to_owned(),
            space: String::new(),
            dimension: 128,
            pairs: judged.len(),
            pictures: 60,
            failure_to_acquire: AcquisitionFailures {
                rate: wilson_interval(0, 60),
                pictures: BTreeMap::new(),
            },
            several_faces: Vec::new(),
            genuine,
            impostor,
            eer: 0.1,
            auc: 0.9,
            thresholds,
            true_accept: Vec::new(),
            sweep: Vec::new(),
            groups: Vec::new(),
        };
        apply_threshold(&mut judged, &space, &report.impostor);
        let columns = ["sex", "ethnicity", "age"].map(str::to_owned);
        report.groups = bias::table(&judged, &columns, &MATCH_FIGURES);
        let mut file = HtmlReport::headless("matching");
        add_sections(&mut file, &report, &judged, &columns).unwrap();
        file
    }
}
