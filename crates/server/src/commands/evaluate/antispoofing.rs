//! `assay evaluate antispoofing`

use super::{
    Asker, Input,
    bias::{self, Column, Columns, Figure, Groups, Rank, Unit},
    figures::{Rates, eer, rates, round, share, threshold_at_bpcer},
    read,
};
use crate::{config::Config, out};
use anyhow::bail;
use serde::Serialize;
use std::collections::BTreeMap;

/// Liveness in the terms of ISO/IEC 30107-3: APCER, BPCER and EER.
#[derive(clap::Args)]
pub(crate) struct Antispoofing {
    #[command(flatten)]
    input: Input,
    #[command(flatten)]
    groups: Groups,
}

struct Scored {
    real: bool,
    score: f64,
    /// Whether it passes as live at medium assurance.
    passes: bool,
    /// Whether it would where a tenth of all live faces are refused.
    passes_at_10: bool,
}

#[derive(Serialize)]
struct Report {
    images: usize,
    faces_found: usize,
    refused: BTreeMap<String, usize>,
    real: usize,
    fake: usize,
    /// Error rates at the thresholds in force, by level of assurance.
    levels: BTreeMap<&'static str, Level>,
    /// At medium assurance, the default: share of attacks that pass as live.
    apcer: f64,
    /// At medium assurance: share of live faces that are refused.
    bpcer: f64,
    eer: f64,
    apcer_at_bpcer_5: f64,
    apcer_at_bpcer_10: f64,
    /// By each further column, at medium assurance: APCER of its attacks, BPCER of its bona fide presentations.
    groups: Vec<Column>,
}

#[derive(Serialize)]
struct Level {
    threshold: f64,
    apcer: f64,
    bpcer: f64,
}

/// What is said of every group.
const FIGURES: [Figure<Scored>; 5] = [
    Figure {
        key: "attacks",
        title: "attacks",
        unit: Unit::Count,
        rank: Rank::Unranked,
        of: |faces| {
            let attacks = faces.iter().filter(|face| !face.real).count();
            (attacks as f64, faces.len())
        },
    },
    Figure {
        key: "apcer",
        title: "APCER",
        unit: Unit::Share,
        rank: Rank::Least,
        of: |faces| among(faces, false, |face| face.passes),
    },
    Figure {
        key: "apcer_at_bpcer_10",
        title: "APCER@10",
        unit: Unit::Share,
        rank: Rank::Unranked,
        of: |faces| among(faces, false, |face| face.passes_at_10),
    },
    Figure {
        key: "bpcer",
        title: "BPCER",
        unit: Unit::Share,
        rank: Rank::Least,
        of: |faces| among(faces, true, |face| !face.passes),
    },
    Figure {
        key: "bpcer_at_bpcer_10",
        title: "BPCER@10",
        unit: Unit::Share,
        rank: Rank::Unranked,
        of: |faces| among(faces, true, |face| !face.passes_at_10),
    },
];

/// The share of the live faces, or of the attacks, that `holds` of, and how many there are.
fn among(faces: &[&Scored], real: bool, holds: impl Fn(&Scored) -> bool) -> (f64, usize) {
    let of_them: Vec<bool> = faces.iter().filter(|face| face.real == real).map(|face| holds(face)).collect();
    (share(of_them.iter().copied()), of_them.len())
}

impl Antispoofing {
    pub(crate) fn run(self, config: &Config) -> anyhow::Result<()> {
        let label = |text: &str| match text.to_ascii_lowercase().as_str() {
            "real" => Some(true),
            "fake" => Some(false),
            _ => None,
        };
        let rows = read(&self.input.labels, &["label"], label)?;
        let columns = self.groups.columns(rows.iter().map(|row| &row.groups), &[])?;
        let mut asker = Asker::new(config)?;
        let (images, mut faces) = (rows.len(), Vec::new());
        for row in rows {
            let Some(finding) = asker.ask(&row.path, self.input.relaxed, true)? else { continue };
            let Some(liveness) = finding.liveness else { continue };
            let score = f64::from(liveness.score);
            faces.push((row.groups, Scored { real: row.label, score, passes: false, passes_at_10: false }));
        }
        let thresholds = vision::Vision::load(&config.models_folder())?.liveness_thresholds();
        let levels = [("low", thresholds.low), ("medium", thresholds.medium), ("high", thresholds.high)];
        let report = report(images, asker.refused, &mut faces, &levels, &columns)?;
        if self.input.json {
            return out::json(&report);
        }
        print(&report);
        bias::print(&report.groups, &FIGURES, self.groups.markdown);
        Ok(())
    }
}

fn scores(faces: &[(Columns, Scored)], real: bool) -> Vec<f64> {
    faces.iter().filter(|(_, face)| face.real == real).map(|(_, face)| face.score).collect()
}

fn report(
    images: usize,
    refused: BTreeMap<String, usize>,
    faces: &mut [(Columns, Scored)],
    levels: &[(&'static str, f32)],
    columns: &[String],
) -> anyhow::Result<Report> {
    let (real, fake) = (scores(faces, true), scores(faces, false));
    if real.is_empty() || fake.is_empty() {
        bail!(
            "both real and fake faces are needed; found {} real and {} fake ({refused:?} refused)",
            real.len(),
            fake.len()
        );
    }
    let medium = levels.iter().find(|(name, _)| *name == "medium").map_or(0.5, |(_, medium)| *medium);
    let by_default = rates(&real, &fake, medium.into());
    let at = |bpcer| rates(&real, &fake, threshold_at_bpcer(&real, bpcer));
    let at_10 = threshold_at_bpcer(&real, 0.10);
    for (_, face) in faces.iter_mut() {
        (face.passes, face.passes_at_10) = (face.score >= f64::from(medium), face.score >= at_10);
    }
    Ok(Report {
        images,
        faces_found: faces.len(),
        refused,
        real: real.len(),
        fake: fake.len(),
        levels: levels
            .iter()
            .map(|&(name, threshold)| {
                let threshold = f64::from(threshold);
                let Rates { apcer, bpcer } = rates(&real, &fake, threshold);
                (name, Level { threshold: round(threshold), apcer: round(apcer), bpcer: round(bpcer) })
            })
            .collect(),
        apcer: round(by_default.apcer),
        bpcer: round(by_default.bpcer),
        eer: round(eer(&real, &fake)),
        apcer_at_bpcer_5: round(at(0.05).apcer),
        apcer_at_bpcer_10: round(at(0.10).apcer),
        groups: bias::table(faces, columns, &FIGURES),
    })
}

fn print(report: &Report) {
    let percent = |value: f64| format!("{:.1} %", value * 100.0);
    out::line(format_args!("faces found     {} of {} images", report.faces_found, report.images));
    for (reason, count) in &report.refused {
        out::line(format_args!("  refused       {count} {reason}"));
    }
    out::line(format_args!("real, fake      {}, {}", report.real, report.fake));
    out::line(format_args!("EER             {}", percent(report.eer)));
    out::line(format_args!("APCER           {} at BPCER 5 %", percent(report.apcer_at_bpcer_5)));
    out::line(format_args!("APCER           {} at BPCER 10 %", percent(report.apcer_at_bpcer_10)));
    for (name, level) in &report.levels {
        let Level { threshold, apcer, bpcer } = level;
        out::line(format_args!(
            "level {name:<9} threshold {threshold:.3}: APCER {}, BPCER {}",
            percent(*apcer),
            percent(*bpcer)
        ));
    }
}
