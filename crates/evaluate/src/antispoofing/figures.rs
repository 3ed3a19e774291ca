//! The report on liveness as a file.

use super::{ANTISPOOFING_FIGURES, AntispoofingReport, LivenessMeasurement, scores};
use crate::{
    EvaluationSettings,
    bias::{self, SubjectColumns},
    html_report::{Axis, ChartArea, HtmlReport, LabelledSeries, grid, histogram, line_chart, table, tiles},
    statistics::detection_error_tradeoff,
};
use maud::{Markup, html};
use std::path::Path;
use vision::model_manifest::ModelTask;

pub(super) fn report(
    labels: &Path,
    settings: &EvaluationSettings,
    report: &AntispoofingReport,
    faces: &[(SubjectColumns, LivenessMeasurement)],
) -> anyhow::Result<HtmlReport> {
    let tasks = [ModelTask::Detect, ModelTask::Liveness];
    let mut file = HtmlReport::new("Presentation attack detection", labels, settings, &tasks)?;
    file.fact("Pictures", &report.images);
    file.fact(
        "Faces measured",
        &format!("{}: {} real, {} fake", report.faces_found, report.real, report.fake),
    );
    for (reason, count) in &report.refused {
        file.fact("Refused", &format!("{count}: {reason}"));
    }
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    file.section(
        "In short",
        "APCER is the share of attacks that pass, BPCER the share of live people who are refused (ISO/IEC 30107-3).",
        &tiles(&[
            ("Equal error rate", percent(report.eer)),
            ("APCER at medium assurance", percent(report.apcer)),
            ("BPCER at medium assurance", percent(report.bpcer)),
            ("APCER at BPCER 5 %", percent(report.apcer_at_bpcer_5)),
            ("APCER at BPCER 10 %", percent(report.apcer_at_bpcer_10)),
        ]),
    );
    file.section(
        "Error rates",
        "Each point of the curve is a threshold: the further down and left, the better. Both axes follow the normal \
         distribution, as the standards draw such curves.",
        &curves(report, faces)?,
    );
    file.section(
        "Groups",
        "APCER is of the attacks of a group, by species where the labels have a column for it; the worst species counts. \
         BPCER is of its live people. A line through a dot is its interval.",
        &bias::markup(&report.groups, &ANTISPOOFING_FIGURES)?,
    );
    Ok(file)
}

fn curves(
    report: &AntispoofingReport,
    faces: &[(SubjectColumns, LivenessMeasurement)],
) -> anyhow::Result<Markup> {
    let (real, fake) = (scores(faces, true), scores(faces, false));
    let words = format!("APCER against BPCER; equal error rate {:.1} %", report.eer * 100.0);
    let curve = line_chart(
        &ChartArea { caption: "Detection error tradeoff (DET).", words: &words },
        Axis::error_rate("APCER: attacks that pass"),
        Axis::error_rate("BPCER: live people refused"),
        &[LabelledSeries::line("all", detection_error_tradeoff(&real, &fake))],
    )?;
    let marks: Vec<(String, f64)> =
        report.levels.iter().map(|(name, level)| (format!("{name} assurance"), level.threshold)).collect();
    let distribution = histogram(
        &ChartArea {
            caption: "Scores of live people and of attacks. A face passes from a threshold on.",
            words: "How often each score was given to live people and to attacks",
        },
        Axis::linear("Score", 0.0, 1.0),
        &[("live", &real), ("attack", &fake)],
        &marks,
    )?;
    let rows = report.levels.iter().map(|(name, level)| {
        let percent = |share: f64| format!("{:.1} %", share * 100.0);
        vec![
            (*name).to_owned(),
            format!("{:.3}", level.threshold),
            percent(level.apcer),
            percent(level.bpcer),
        ]
    });
    Ok(html! {
        (grid(&[curve, distribution]))
        (table(&["Assurance", "Threshold", "APCER", "BPCER"], rows))
    })
}
