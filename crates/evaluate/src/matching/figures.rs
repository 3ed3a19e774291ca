//! The report on recognition as a file.

use super::{JudgedPair, MATCH_FIGURES, MatchReport};
use crate::{
    EvaluationSettings,
    bias::{self, SubjectColumns},
    html_report::{
        Axis, ChartArea, HtmlReport, LabelledSeries, grid, histogram, line_chart, percent, table, tiles,
    },
    statistics::detection_error_tradeoff,
};
use maud::{Markup, html};
use std::{collections::BTreeMap, path::Path};
use vision::model_manifest::ModelTask;

/// Fewest pairs of one person, and of two people, of a group that has a curve of its own.
const MIN_CURVE_PAIRS: usize = 20;
/// Most curves in one figure.
const MAX_CURVES: usize = 6;

pub(super) fn report(
    pairs: &Path,
    settings: &EvaluationSettings,
    report: &MatchReport,
    judged: &[(SubjectColumns, JudgedPair)],
    columns: &[String],
) -> anyhow::Result<HtmlReport> {
    let tasks = [ModelTask::Detect, ModelTask::Embed];
    let mut file = HtmlReport::new("Face recognition", pairs, settings, &tasks)?;
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
    file.section(
        "Error rates",
        "Each point of the curve is a distance: the further down and left, the better. Both axes follow the normal \
         distribution, as the standard draws such curves.",
        &curves(report)?,
    );
    let by_group =
        columns.iter().map(|column| group_curves(judged, column)).collect::<anyhow::Result<Vec<_>>>()?;
    let by_group: Vec<Markup> = by_group.into_iter().flatten().collect();
    file.section(
        "Groups",
        "At the distance whose stated false match rate is one in a thousand. A line through a dot is its interval. The \
         intervals take pairs for independent; where people appear in many pairs they are wider.",
        &html! { (grid(&by_group)) (bias::markup(&report.groups, &MATCH_FIGURES)?) },
    );
    Ok(file)
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

fn curves(report: &MatchReport) -> anyhow::Result<Markup> {
    let negated = |distances: &[f64]| distances.iter().map(|distance| -distance).collect::<Vec<_>>();
    let (genuine, impostor) = (&report.genuine.distances, &report.impostor.distances);
    let points = detection_error_tradeoff(&negated(genuine), &negated(impostor));
    let words = format!("FMR against FNMR; equal error rate {:.2} %", report.eer * 100.0);
    let det = line_chart(
        &ChartArea { caption: "Detection error tradeoff (DET).", words: &words },
        Axis::error_rate(FALSE_MATCH_AXIS),
        Axis::error_rate(FALSE_NON_MATCH_AXIS),
        &[LabelledSeries::line("all pairs", points)],
    )?;
    let farthest = genuine.iter().chain(impostor).copied().fold(0.1, f64::max);
    let marks: Vec<(String, f64)> = report
        .thresholds
        .iter()
        .map(|at| (format!("stated {} %", at.stated_fmr * 100.0), at.distance))
        .collect();
    let distribution = histogram(
        &ChartArea {
            caption: "Distances of pairs. Two faces match up to a distance.",
            words: "How often each distance was found between pictures of one person and of two people",
        },
        Axis::linear("Distance", 0.0, farthest),
        &[("one person", genuine), ("two people", impostor)],
        &marks,
    )?;
    Ok(grid(&[det, distribution]))
}

/// The curves of the largest groups of a column; `None` where fewer than two groups have enough pairs.
fn group_curves(judged: &[(SubjectColumns, JudgedPair)], column: &str) -> anyhow::Result<Option<Markup>> {
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
    if groups.len() < 2 {
        return Ok(None);
    }
    let mut largest: Vec<_> = groups.into_iter().collect();
    largest.sort_by_key(|(_, pairs)| std::cmp::Reverse(pairs.len()));
    largest.truncate(MAX_CURVES);
    let series: Vec<LabelledSeries> = largest
        .iter()
        .map(|(value, pairs)| LabelledSeries::line(format!("{value} (n = {})", pairs.len()), curve(pairs)))
        .collect();
    let caption = format!(
        "By {column}: the {} largest groups with {MIN_CURVE_PAIRS} pairs and more of each kind.",
        series.len()
    );
    let words = format!("Detection error tradeoff by {column}; the table below has figures");
    let chart = line_chart(
        &ChartArea { caption: &caption, words: &words },
        Axis::error_rate(FALSE_MATCH_AXIS),
        Axis::error_rate(FALSE_NON_MATCH_AXIS),
        &series,
    )?;
    Ok(Some(chart))
}
