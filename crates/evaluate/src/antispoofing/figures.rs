//! The report on liveness as a file.

use super::{ANTISPOOFING_FIGURES, AntispoofingReport, LivenessMeasurement, percent, scores};
use crate::{
    EvaluationSettings,
    bias::{self, SubjectColumns},
    html_report::{
        Axis, Chart, ChartArea, FreeCorner, HtmlReport, LabelledSeries, MAX_SERIES, histogram, line_chart,
        table, tiles,
    },
    statistics::{detection_error_tradeoff, error_rates, measurable_part, threshold_at_bpcer},
};
use maud::{Markup, html};
use std::{collections::BTreeMap, path::Path};
use vision::model_manifest::ModelTask;

/// Fewest attacks of a group that has a curve of its own.
const MIN_CURVE_ATTACKS: usize = 15;

pub(super) fn report(
    labels: &Path,
    settings: &EvaluationSettings,
    report: &AntispoofingReport,
    faces: &[(SubjectColumns, LivenessMeasurement)],
    columns: &[String],
) -> anyhow::Result<HtmlReport> {
    let tasks = [ModelTask::Detect, ModelTask::Liveness];
    let mut file = HtmlReport::new(
        ("liveness", "Presentation attack detection"),
        format!("{} live faces, {} attacks", report.real, report.fake),
        labels,
        settings,
        &tasks,
    )?;
    add_sections(&mut file, report, faces, columns)?;
    Ok(file)
}

/// Everything below the head of the report.
pub(super) fn add_sections(
    file: &mut HtmlReport,
    report: &AntispoofingReport,
    faces: &[(SubjectColumns, LivenessMeasurement)],
    columns: &[String],
) -> anyhow::Result<()> {
    file.fact("Pictures", &report.images);
    file.fact(
        "Faces measured",
        &format!("{}: {} real, {} fake", report.faces_found, report.real, report.fake),
    );
    for (reason, count) in &report.refused {
        file.fact("Refused", &format!("{count}: {reason}"));
    }
    let figures = [
        ("Equal error rate", report.eer),
        ("APCER at medium assurance", report.apcer),
        ("BPCER at medium assurance", report.bpcer),
        ("APCER at BPCER 5 %", report.apcer_at_bpcer_5),
        ("APCER at BPCER 10 %", report.apcer_at_bpcer_10),
    ];
    let measured: Vec<_> = figures
        .into_iter()
        .filter(|(_, share)| share.is_some())
        .map(|(name, share)| (name, percent(share)))
        .collect();
    file.section(
        "In short",
        "APCER is the share of attacks that pass, BPCER the share of live people who are refused (ISO/IEC 30107-3).",
        &tiles(&measured),
    );
    let charts = file.charts(curves(report, faces)?);
    file.section(
        "Error rates",
        if report.eer.is_some() {
            "Each point of the curve is a threshold: the further down and left, the better. Both axes follow the normal \
             distribution, as the standards draw such curves."
        } else {
            "A curve of APCER against BPCER needs live people and attacks."
        },
        &html! { (charts) (levels(report)) },
    );
    let by_group: Vec<Chart> = columns
        .iter()
        .filter_map(|column| group_curves(faces, column).transpose())
        .collect::<anyhow::Result<_>>()?;
    let by_group = file.charts(by_group);
    let groups = bias::markup(file, &report.groups, &ANTISPOOFING_FIGURES)?;
    file.section(
        "Groups",
        "APCER is of the attacks of a group, by species where the labels have a column for it; the worst species counts. \
         BPCER is of its live people. A line through a dot is its interval.",
        &html! { (by_group) (groups) },
    );
    Ok(())
}

const APCER_AXIS: &str = "APCER: attacks that pass";
const BPCER_AXIS: &str = "BPCER: live people refused";

/// The curve of all faces, and how their scores are distributed.
fn curves(
    report: &AntispoofingReport,
    faces: &[(SubjectColumns, LivenessMeasurement)],
) -> anyhow::Result<Vec<Chart>> {
    let (real, fake) = (scores(faces, true), scores(faces, false));
    let levels: Vec<String> = report
        .levels
        .iter()
        .map(|(name, level)| {
            format!("{name}: APCER {}, BPCER {}", percent(level.apcer), percent(level.bpcer))
        })
        .collect();
    let words = format!(
        "APCER against BPCER; equal error rate {}; by assurance {}",
        percent(report.eer),
        levels.join("; ")
    );
    let in_force: Vec<(f64, f64)> =
        report.levels.values().filter_map(|level| level.apcer.zip(level.bpcer)).collect();
    // A curve needs attacks and live people.
    let draw_curve = || {
        line_chart(
            &ChartArea {
                name: "det",
                title: "Liveness: detection error tradeoff (DET)",
                caption: "Attacks of all species. The axes follow the normal distribution. Marks are the levels of assurance.",
                words: &words,
            },
            (Axis::error_rate(APCER_AXIS), Axis::error_rate(BPCER_AXIS)),
            &[
                LabelledSeries::line("all attacks", measurable_part(detection_error_tradeoff(&real, &fake))),
                LabelledSeries::marks("levels of assurance", in_force),
            ],
            FreeCorner::UpperRight,
        )
    };
    let curve = report.eer.is_some().then(draw_curve).transpose()?;
    let marks: Vec<(String, f64)> =
        report.levels.iter().map(|(name, level)| (format!("{name} assurance"), level.threshold)).collect();
    let both: [(&str, &[f64]); 2] = [("live", &real), ("attack", &fake)];
    let shown: Vec<_> = both.into_iter().filter(|(_, scores)| !scores.is_empty()).collect();
    let distribution = histogram(
        &ChartArea {
            name: "scores",
            title: "Liveness: scores of live people and of attacks",
            caption: "A face passes from a threshold on.",
            words: "How often each score was given to live people and to attacks",
        },
        Axis::linear("Score", 0.0, 1.0),
        &shown,
        &marks,
    )?;
    Ok(curve.into_iter().chain([distribution]).collect())
}

/// The curve of each species or other group of attacks, all against the same live people: those have no species, and every
/// attack has to get past the threshold that they leave. `None` where fewer than two groups have enough attacks, or nobody is live.
fn group_curves(
    faces: &[(SubjectColumns, LivenessMeasurement)],
    column: &str,
) -> anyhow::Result<Option<Chart>> {
    let mut groups = BTreeMap::<&str, Vec<f64>>::new();
    for (columns, face) in faces.iter().filter(|(_, face)| !face.real) {
        if let Some(value) = columns.get(column).filter(|value| !value.is_empty()) {
            groups.entry(value).or_default().push(face.score);
        }
    }
    groups.retain(|_, attacks| attacks.len() >= MIN_CURVE_ATTACKS);
    let real = scores(faces, true);
    if groups.len() < 2 || real.is_empty() {
        return Ok(None);
    }
    let mut largest: Vec<_> = groups.into_iter().collect();
    largest.sort_by_key(|(_, attacks)| std::cmp::Reverse(attacks.len()));
    largest.truncate(MAX_SERIES);
    let series: Vec<LabelledSeries> = largest
        .iter()
        .map(|(value, attacks)| {
            let name = format!("{value} (n = {})", attacks.len());
            LabelledSeries::line(name, measurable_part(detection_error_tradeoff(&real, attacks)))
        })
        .collect();
    let at_10 = threshold_at_bpcer(&real, 0.1);
    let rates: Vec<String> = largest
        .iter()
        .map(|(value, attacks)| format!("{value} {:.0} %", error_rates(&real, attacks, at_10).apcer * 100.0))
        .collect();
    let (name, title) = (format!("det-by-{column}"), format!("Liveness: DET by {column}"));
    let caption = format!(
        "The {} largest groups of {MIN_CURVE_ATTACKS} attacks and more, each against all live people. A curve in the lower left corner \
         is free of errors.",
        series.len()
    );
    let words = format!(
        "Detection error tradeoff by {column}; APCER where one live person in ten is refused: {}",
        rates.join(", ")
    );
    let chart = line_chart(
        &ChartArea { name: &name, title: &title, caption: &caption, words: &words },
        (Axis::error_rate(APCER_AXIS), Axis::error_rate(BPCER_AXIS)),
        &series,
        FreeCorner::UpperRight,
    )?;
    Ok(Some(chart))
}

/// The thresholds in force.
fn levels(report: &AntispoofingReport) -> Markup {
    let rows = report.levels.iter().map(|(name, level)| {
        vec![
            (*name).to_owned(),
            format!("{:.3}", level.threshold),
            percent(level.apcer),
            percent(level.bpcer),
        ]
    });
    table(&["Assurance", "Threshold", "APCER", "BPCER"], rows)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{antispoofing, statistics::SeededRng};

    /// A report on live faces and on attacks of three species.
    pub(crate) fn synthetic_report() -> HtmlReport {
        let mut rng = SeededRng::new(6);
        let mut faces: Vec<(SubjectColumns, LivenessMeasurement)> = (0..300)
            .map(|at| {
                let species = ["live", "live", "print", "display", "replay"][at % 5];
                let real = species == "live";
                let score = rng.share() * 0.7 + if real { 0.3 } else { 0.0 };
                let columns = [
                    ("species", species),
                    ("device", ["phone", "laptop", "laser"][at / 5 % 3]),
                    ("camera", ["phone", "webcam"][at / 5 % 2]),
                ];
                let columns = columns.map(|(name, value)| (name.to_owned(), value.to_owned()));
                let measurement = LivenessMeasurement { real, score, passes: false, passes_at_10: false };
                (SubjectColumns::from(columns), measurement)
            })
            .collect();
        let levels = [("low", 0.2), ("medium", 0.4), ("high", 0.6)];
        let columns = ["species", "device", "camera"].map(str::to_owned);
        let report = antispoofing::report(300, BTreeMap::new(), &mut faces, &levels, &columns).unwrap();
        let mut file = HtmlReport::headless("liveness");
        add_sections(&mut file, &report, &faces, &columns).unwrap();
        file
    }
}
