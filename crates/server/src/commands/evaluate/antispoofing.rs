//! `assay evaluate antispoofing`

use super::{
    Asker, Input,
    figures::{Rates, eer, rates, round, threshold_at_bpcer},
    group_columns, read,
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
}

struct Scored {
    real: bool,
    score: f64,
    groups: BTreeMap<String, String>,
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
    /// By each further column: APCER of its attacks, BPCER of its bona fide presentations.
    groups: Vec<Group>,
    /// The group with the greatest APCER at BPCER 10 %.
    worst_group: Option<Group>,
}

#[derive(Serialize)]
struct Level {
    threshold: f64,
    apcer: f64,
    bpcer: f64,
}

#[derive(Clone, Serialize)]
struct Group {
    column: String,
    value: String,
    n: usize,
    /// Of the attacks of the group, at the threshold where BPCER over all is 10 %.
    #[serde(skip_serializing_if = "Option::is_none")]
    apcer_at_bpcer_10: Option<f64>,
    /// Of the bona fide presentations of the group, at that threshold.
    #[serde(skip_serializing_if = "Option::is_none")]
    bpcer: Option<f64>,
}

impl Antispoofing {
    pub(crate) fn run(self, config: &Config) -> anyhow::Result<()> {
        let label = |text: &str| match text.to_ascii_lowercase().as_str() {
            "real" => Some(true),
            "fake" => Some(false),
            _ => None,
        };
        let rows = read(&self.input, &["label"], label)?;
        let columns = group_columns(&rows);
        let mut asker = Asker::new(config)?;
        let (images, mut faces) = (rows.len(), Vec::new());
        for row in rows {
            let Some(finding) = asker.ask(&row.path, self.input.relaxed, true)? else { continue };
            let Some(liveness) = finding.liveness else { continue };
            let mut groups = row.groups;
            groups.retain(|column, _| columns.contains(column));
            faces.push(Scored { real: row.label, score: liveness.score.into(), groups });
        }
        let thresholds = vision::Vision::load(&config.models_folder())?.liveness_thresholds();
        let levels = [("low", thresholds.low), ("medium", thresholds.medium), ("high", thresholds.high)];
        let report = report(images, asker.refused, &faces, &levels)?;
        if self.input.json { out::json(&report) } else { print(&report) }
    }
}

fn scores(faces: &[Scored], real: bool) -> Vec<f64> {
    faces.iter().filter(|face| face.real == real).map(|face| face.score).collect()
}

fn report(
    images: usize,
    refused: BTreeMap<String, usize>,
    faces: &[Scored],
    levels: &[(&'static str, f32)],
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
    let groups = groups(faces, threshold_at_bpcer(&real, 0.10));
    let worst = groups.iter().filter(|group| group.apcer_at_bpcer_10.is_some());
    let worst = worst.max_by(|a, b| {
        a.apcer_at_bpcer_10.partial_cmp(&b.apcer_at_bpcer_10).unwrap_or(std::cmp::Ordering::Equal)
    });
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
        worst_group: worst.cloned(),
        groups,
    })
}

fn groups(faces: &[Scored], threshold: f64) -> Vec<Group> {
    let mut members = BTreeMap::<(&str, &str), (Vec<f64>, Vec<f64>)>::new();
    for face in faces {
        for (column, value) in &face.groups {
            let (real, fake) = members.entry((column, value)).or_default();
            if face.real { real.push(face.score) } else { fake.push(face.score) }
        }
    }
    members
        .into_iter()
        .map(|((column, value), (real, fake))| {
            let Rates { apcer, bpcer } = rates(&real, &fake, threshold);
            Group {
                column: column.to_owned(),
                value: value.to_owned(),
                n: real.len() + fake.len(),
                apcer_at_bpcer_10: (!fake.is_empty()).then_some(round(apcer)),
                bpcer: (!real.is_empty()).then_some(round(bpcer)),
            }
        })
        .collect()
}

#[expect(clippy::unnecessary_wraps, reason = "stands beside the JSON form, which can fail")]
fn print(report: &Report) -> anyhow::Result<()> {
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
    out::line(format_args!("\n{:<14} {:<22} {:>5} {:>9} {:>9}", "column", "group", "n", "APCER@10", "BPCER"));
    for Group { column, value, n, apcer_at_bpcer_10, bpcer } in &report.groups {
        let cell = |value: &Option<f64>| value.map_or_else(|| "-".to_owned(), percent);
        out::line(format_args!(
            "{column:<14} {value:<22} {n:>5} {:>9} {:>9}",
            cell(apcer_at_bpcer_10),
            cell(bpcer)
        ));
    }
    Ok(())
}
