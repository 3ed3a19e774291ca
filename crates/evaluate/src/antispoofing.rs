//! `assay evaluate antispoofing`: presentation attack detection in the terms of ISO/IEC 30107-3.

mod figures;
#[cfg(test)]
pub(crate) use figures::tests::synthetic_report;

use super::{
    AnalysisRunner, LabelledInputArgs,
    bias::{self, FigureRanking, FigureUnit, GroupArgs, GroupColumn, GroupFigure, SubjectColumns},
    read_labels,
    statistics::{ErrorRates, equal_error_rate, error_rates, round, share, threshold_at_bpcer},
};
use crate::{EvaluationSettings, output};
use anyhow::bail;
use serde::Serialize;
use std::collections::BTreeMap;

/// Liveness in the terms of ISO/IEC 30107-3: APCER, BPCER and EER.
#[derive(clap::Args)]
pub struct EvaluateAntispoofingArgs {
    #[command(flatten)]
    input: LabelledInputArgs,
    #[command(flatten)]
    groups: GroupArgs,
}

/// The score of one face, and whether it is a bona fide presentation.
struct LivenessMeasurement {
    real: bool,
    /// 0 to 1.
    score: f64,
    /// Whether it passes at medium assurance.
    passes: bool,
    /// Whether it passes at the threshold with a BPCER of 10 %.
    passes_at_10: bool,
}

#[derive(Serialize)]
struct AntispoofingReport {
    images: usize,
    faces_found: usize,
    refused: BTreeMap<String, usize>,
    real: usize,
    fake: usize,
    /// Error rates at the thresholds in force, by level of assurance.
    levels: BTreeMap<&'static str, LevelReport>,
    /// At medium assurance, the default: share of attacks that pass. `None` without attacks.
    apcer: Option<f64>,
    /// At medium assurance: share of live faces that are refused. `None` without live faces.
    bpcer: Option<f64>,
    /// What needs both: `None` where there are only live faces or only attacks.
    eer: Option<f64>,
    apcer_at_bpcer_5: Option<f64>,
    apcer_at_bpcer_10: Option<f64>,
    /// For each further column, at medium assurance: APCER of its attacks, BPCER of its bona fide presentations.
    groups: Vec<GroupColumn>,
}

#[derive(Serialize)]
struct LevelReport {
    threshold: f64,
    apcer: Option<f64>,
    bpcer: Option<f64>,
}

/// Figures of the bias table.
const ANTISPOOFING_FIGURES: [GroupFigure<LivenessMeasurement>; 5] = [
    GroupFigure {
        key: "attacks",
        title: "attacks",
        heading: "Liveness: attacks",
        unit: FigureUnit::Count,
        rank: FigureRanking::Unranked,
        reference: None,
        compute: |faces| {
            let attacks = faces.iter().filter(|face| !face.real).count();
            (attacks as f64, faces.len())
        },
    },
    GroupFigure {
        key: "apcer",
        title: "APCER",
        heading: "Liveness: APCER at medium assurance",
        unit: FigureUnit::Share,
        rank: FigureRanking::LowestIsBest,
        reference: None,
        compute: |faces| among(faces, false, |face| face.passes),
    },
    GroupFigure {
        key: "apcer_at_bpcer_10",
        title: "APCER@10",
        heading: "Liveness: APCER at a BPCER of 10 %",
        unit: FigureUnit::Share,
        rank: FigureRanking::Unranked,
        reference: None,
        compute: |faces| among(faces, false, |face| face.passes_at_10),
    },
    GroupFigure {
        key: "bpcer",
        title: "BPCER",
        heading: "Liveness: BPCER at medium assurance",
        unit: FigureUnit::Share,
        rank: FigureRanking::LowestIsBest,
        reference: None,
        compute: |faces| among(faces, true, |face| !face.passes),
    },
    GroupFigure {
        key: "bpcer_at_bpcer_10",
        title: "BPCER@10",
        heading: "Liveness: BPCER where it is 10 % over all groups",
        unit: FigureUnit::Share,
        rank: FigureRanking::Unranked,
        reference: None,
        compute: |faces| among(faces, true, |face| !face.passes_at_10),
    },
];

/// The share of the live faces (or of the attacks) for which `holds` is true, and their number.
fn among(
    faces: &[&LivenessMeasurement],
    real: bool,
    holds: impl Fn(&LivenessMeasurement) -> bool,
) -> (f64, usize) {
    let outcomes: Vec<bool> = faces.iter().filter(|face| face.real == real).map(|face| holds(face)).collect();
    (share(outcomes.iter().copied()), outcomes.len())
}

impl EvaluateAntispoofingArgs {
    pub(super) fn run(self, settings: &EvaluationSettings) -> anyhow::Result<()> {
        let label = |text: &str| match text.to_ascii_lowercase().as_str() {
            "real" => Some(true),
            "fake" => Some(false),
            _ => None,
        };
        let rows = read_labels(&self.input.labels, &["label"], label)?;
        let columns = self.groups.columns(rows.iter().map(|row| &row.groups), &[])?;
        self.input.report.prepare()?;
        let mut runner = AnalysisRunner::new(settings)?;
        let (images, mut faces) = (rows.len(), Vec::new());
        for row in rows {
            let Some(analysis) = runner.analyse_file(&row.path, self.input.relaxed, true)? else { continue };
            let Some(liveness) = analysis.liveness else { continue };
            let score = f64::from(liveness.score);
            faces.push((
                row.groups,
                LivenessMeasurement { real: row.label, score, passes: false, passes_at_10: false },
            ));
        }
        let thresholds = vision::VisionModels::load(&settings.models.folder)?.liveness_thresholds();
        let levels = [("low", thresholds.low), ("medium", thresholds.medium), ("high", thresholds.high)];
        let report = report(images, runner.refused, &mut faces, &levels, &columns)?;
        let file = || figures::report(&self.input.labels, settings, &report, &faces, &columns);
        self.input.report.write(file)?;
        if self.input.json {
            return output::json(&report);
        }
        print(&report);
        bias::print(&report.groups, &ANTISPOOFING_FIGURES, self.groups.markdown);
        Ok(())
    }
}

fn scores(faces: &[(SubjectColumns, LivenessMeasurement)], real: bool) -> Vec<f64> {
    faces.iter().filter(|(_, face)| face.real == real).map(|(_, face)| face.score).collect()
}

fn report(
    images: usize,
    refused: BTreeMap<String, usize>,
    faces: &mut [(SubjectColumns, LivenessMeasurement)],
    levels: &[(&'static str, f32)],
    columns: &[String],
) -> anyhow::Result<AntispoofingReport> {
    let (real, fake) = (scores(faces, true), scores(faces, false));
    if faces.is_empty() {
        bail!("no face could be measured in {images} pictures ({refused:?} refused)");
    }
    let (has_real, has_fake) = (!real.is_empty(), !fake.is_empty());
    let rates_at = |threshold: f64| {
        let ErrorRates { apcer, bpcer } = error_rates(&real, &fake, threshold);
        (has_fake.then(|| round(apcer)), has_real.then(|| round(bpcer)))
    };
    let medium = levels.iter().find(|(name, _)| *name == "medium").map_or(0.5, |(_, medium)| *medium);
    let (apcer, bpcer) = rates_at(medium.into());
    let apcer_at = |threshold: f64| rates_at(threshold).0.filter(|_| has_real);
    let at_10 = threshold_at_bpcer(&real, 0.10);
    for (_, face) in faces.iter_mut() {
        (face.passes, face.passes_at_10) = (face.score >= f64::from(medium), face.score >= at_10);
    }
    Ok(AntispoofingReport {
        images,
        faces_found: faces.len(),
        refused,
        real: real.len(),
        fake: fake.len(),
        levels: levels
            .iter()
            .map(|&(name, threshold)| {
                let threshold = f64::from(threshold);
                let (apcer, bpcer) = rates_at(threshold);
                (name, LevelReport { threshold: round(threshold), apcer, bpcer })
            })
            .collect(),
        apcer,
        bpcer,
        eer: (has_real && has_fake).then(|| round(equal_error_rate(&real, &fake))),
        apcer_at_bpcer_5: apcer_at(threshold_at_bpcer(&real, 0.05)),
        apcer_at_bpcer_10: apcer_at(at_10),
        groups: bias::table(faces, columns, &ANTISPOOFING_FIGURES),
    })
}

/// A share in words; what was not measured is a dash.
fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "-".to_owned(), |share| format!("{:.1} %", share * 100.0))
}

fn print(report: &AntispoofingReport) {
    output::line(format_args!("faces found     {} of {} images", report.faces_found, report.images));
    for (reason, count) in &report.refused {
        output::line(format_args!("  refused       {count} {reason}"));
    }
    output::line(format_args!("real, fake      {}, {}", report.real, report.fake));
    output::line(format_args!("EER             {}", percent(report.eer)));
    output::line(format_args!("APCER           {} at BPCER 5 %", percent(report.apcer_at_bpcer_5)));
    output::line(format_args!("APCER           {} at BPCER 10 %", percent(report.apcer_at_bpcer_10)));
    for (name, level) in &report.levels {
        let LevelReport { threshold, apcer, bpcer } = level;
        output::line(format_args!(
            "level {name:<9} threshold {threshold:.3}: APCER {}, BPCER {}",
            percent(*apcer),
            percent(*bpcer)
        ));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report_of(faces: &[(bool, f64)]) -> anyhow::Result<AntispoofingReport> {
        let face = |&(real, score)| {
            let measured = LivenessMeasurement { real, score, passes: false, passes_at_10: false };
            (SubjectColumns::new(), measured)
        };
        let mut faces: Vec<_> = faces.iter().map(face).collect();
        let levels = [("low", 0.25), ("medium", 0.5), ("high", 0.75)];
        report(faces.len(), BTreeMap::new(), &mut faces, &levels, &[])
    }

    const LIVE: [(bool, f64); 4] = [(true, 0.2), (true, 0.6), (true, 0.7), (true, 0.9)];
    const ATTACKS: [(bool, f64); 2] = [(false, 0.1), (false, 0.6)];

    #[test]
    fn live_faces_alone_have_a_bpcer_and_attacks_alone_an_apcer() {
        let live = report_of(&LIVE).unwrap();
        assert_eq!(
            (live.apcer, live.bpcer, live.eer, live.apcer_at_bpcer_10),
            (None, Some(0.25), None, None)
        );
        assert_eq!(live.levels["high"].bpcer, Some(0.75));
        assert_eq!(live.levels["high"].apcer, None);
        let attacks = report_of(&ATTACKS).unwrap();
        assert_eq!((attacks.apcer, attacks.bpcer, attacks.eer), (Some(0.5), None, None));
        assert_eq!((attacks.apcer_at_bpcer_5, attacks.levels["low"].apcer), (None, Some(0.5)));
        print(&live);
        print(&attacks);
    }

    #[test]
    fn both_have_all_rates_and_no_face_is_an_error() {
        let both = report_of(&[&LIVE[..], &ATTACKS].concat()).unwrap();
        assert_eq!((both.apcer, both.bpcer), (Some(0.5), Some(0.25)));
        assert!(both.eer.is_some() && both.apcer_at_bpcer_5 == Some(0.5));
        let error = report_of(&[]).err().unwrap().to_string();
        assert_eq!(error, "no face could be measured in 0 pictures ({} refused)");
    }
}
