//! The report on ages as a file.

use super::{AGE_FIGURES, AgeMeasurement, AgeReport, AgeThresholdReport, RefusalBand};
use crate::{
    EvaluationSettings,
    bias::{self, SubjectColumns},
    html_report::{
        Axis, ChartArea, DotRow, HtmlReport, LabelledSeries, dot_chart, grid, line_chart, percent,
        scatter_chart, tiles,
    },
    statistics::SeededRng,
};
use maud::{Markup, html};
use std::path::Path;
use vision::model_manifest::ModelTask;

/// Most faces that are drawn. More would make the file large and the figure black.
const MAX_DRAWN_FACES: usize = 3000;

pub(super) fn report(
    labels: &Path,
    settings: &EvaluationSettings,
    report: &AgeReport,
    faces: &[(SubjectColumns, AgeMeasurement)],
) -> anyhow::Result<HtmlReport> {
    let mut file = HtmlReport::new("Age estimation", labels, settings, &[ModelTask::Detect, ModelTask::Age])?;
    file.fact("Pictures", &report.images);
    file.fact("Faces measured", &report.faces_found);
    for (reason, count) in &report.refused {
        file.fact("Refused", &format!("{count}: {reason}"));
    }
    let numbers = tiles(&[
        ("Mean absolute error", format!("{:.2} years", report.mae)),
        ("Bias", format!("{:+.2} years", report.bias)),
        ("90 % of errors up to", format!("{:.1} years", report.error_90)),
        ("Mean stated error", format!("{:.2} years", report.st_dev)),
    ]);
    file.section("In short", "", &numbers);
    file.section(
        "Estimates and true ages",
        "Each dot is a face. On the line the estimate is right; above it people are taken to be older than they are.",
        &scatter(report, faces)?,
    );
    file.section(
        "Stated intervals",
        "Each answer states how far off it may be. As many people as stated should be inside its intervals.",
        &coverage(report)?,
    );
    file.section(
        &format!("Whether somebody is at least {}", report.threshold.years),
        "The share of people who are old enough, of those to whom the same probability was given. On the line it is \
         what was stated.",
        &probability(&report.threshold)?,
    );
    file.section("What a buffer costs", "", &buffer(&report.threshold)?);
    file.section(
        "Groups",
        "A dot is a group, a line through it its interval. Where lines do not reach each other, the difference is \
         hardly chance.",
        &bias::markup(&report.groups, &AGE_FIGURES)?,
    );
    Ok(file)
}

fn scatter(report: &AgeReport, faces: &[(SubjectColumns, AgeMeasurement)]) -> anyhow::Result<Markup> {
    let mut points: Vec<(f64, f64)> = faces.iter().map(|(_, face)| (face.truth, face.years())).collect();
    let all = points.len();
    if all > MAX_DRAWN_FACES {
        SeededRng::new(all as u64).shuffle(&mut points);
        points.truncate(MAX_DRAWN_FACES);
    }
    let oldest = points.iter().flat_map(|&(truth, years)| [truth, years]).fold(40.0, f64::max);
    let end = (oldest / 10.0).ceil() * 10.0;
    let threshold = f64::from(report.threshold.years);
    let references = [
        LabelledSeries::reference("right", vec![(0.0, 0.0), (end, end)]),
        LabelledSeries::reference(format!("estimated {threshold}"), vec![(0.0, threshold), (end, threshold)]),
        LabelledSeries::reference(format!("aged {threshold}"), vec![(threshold, 0.0), (threshold, end)]),
    ];
    let caption = if all > MAX_DRAWN_FACES {
        format!("{MAX_DRAWN_FACES} of {all} faces, drawn by lot.")
    } else {
        format!("{all} faces.")
    };
    let words = format!(
        "Estimated against true age; mean absolute error {:.2} years, bias {:+.2} years",
        report.mae, report.bias
    );
    scatter_chart(
        &ChartArea { caption: &caption, words: &words },
        Axis::linear("True age, years", 0.0, end),
        Axis::linear("Estimated age, years", 0.0, end),
        &points,
        &references,
    )
}

fn coverage(report: &AgeReport) -> anyhow::Result<Markup> {
    let rows: Vec<DotRow> = report
        .coverage
        .iter()
        .map(|at| DotRow {
            label: format!("stated {:.0} %", at.stated * 100.0),
            value: at.measured.rate,
            interval: Some((at.measured.low, at.measured.high)),
            stated: Some(at.stated),
        })
        .collect();
    let words: Vec<String> = report
        .coverage
        .iter()
        .map(|at| format!("stated {:.0} %, measured {}", at.stated * 100.0, percent(&at.measured)))
        .collect();
    let around = ChartArea {
        caption: "A dot is what was measured, a cross what was stated.",
        words: &words.join("; "),
    };
    dot_chart(&around, Axis::share("Share of people inside", 0.0, 1.0), &rows, None)
}

fn probability(at: &AgeThresholdReport) -> anyhow::Result<Markup> {
    let filled: Vec<_> = at.probability.bins.iter().filter(|bin| bin.n > 0).collect();
    let mut measured =
        LabelledSeries::line("measured", filled.iter().map(|bin| (bin.stated, bin.measured.rate)).collect());
    measured.intervals = filled.iter().map(|bin| (bin.measured.low, bin.measured.high)).collect();
    let series = [measured, LabelledSeries::reference("as stated", vec![(0.0, 0.0), (1.0, 1.0)])];
    let words: Vec<String> = filled
        .iter()
        .map(|bin| format!("stated {:.0} %, measured {}", bin.stated * 100.0, percent(&bin.measured)))
        .collect();
    let caption = format!(
        "Brier score {:.3}: 0 is perfect, 0.25 is guessing. Upright lines are intervals.",
        at.probability.brier
    );
    let around = ChartArea { caption: &caption, words: &words.join("; ") };
    line_chart(
        &around,
        Axis::share("Stated probability", 0.0, 1.0),
        Axis::share("Measured share", 0.0, 1.0),
        &series,
    )
}

fn buffer(at: &AgeThresholdReport) -> anyhow::Result<Markup> {
    let buffered = &at.buffered;
    let label = |band: &RefusalBand| {
        let years =
            band.below.map_or_else(|| format!("{}+", band.from), |below| format!("{} to {below}", band.from));
        format!("{years} years (n = {})", band.n)
    };
    let rows: Vec<DotRow> = buffered
        .refused_by_years_above
        .iter()
        .filter(|band| band.n > 0)
        .map(|band| DotRow {
            label: label(band),
            value: band.measured.rate,
            interval: Some((band.measured.low, band.measured.high)),
            stated: Some(band.stated),
        })
        .collect();
    let words: Vec<String> = buffered
        .refused_by_years_above
        .iter()
        .map(|band| format!("{} above: {}", label(band), percent(&band.measured)))
        .collect();
    let caption = "People who are old enough and are refused, by how many years above the threshold they are. A cross is \
                   what follows from the stated errors.";
    let around = ChartArea { caption, words: &words.join("; ") };
    let chart = dot_chart(&around, Axis::share("Share refused", 0.0, 1.0), &rows, None)?;
    let numbers = tiles(&[
        ("Without a buffer, younger people who pass", percent(&at.false_positive_rate)),
        ("others who fail", percent(&at.false_negative_rate)),
        ("Mean buffer", format!("{:.1} years, for {:.1} %", buffered.buffer, buffered.rate * 100.0)),
        ("With it, younger people who pass", percent(&buffered.false_positive_rate)),
        ("others who are refused", percent(&buffered.refused_adults)),
    ]);
    Ok(html! {
        p {
            "An estimate passes only where it exceeds the threshold by a buffer, which is larger for faces that are hard \
             to judge. That keeps younger people out, and refuses some who are old enough."
        }
        (numbers)
        (grid(&[chart]))
    })
}
