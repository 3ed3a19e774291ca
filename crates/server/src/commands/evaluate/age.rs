//! `assay evaluate age`

use super::{
    Asker, Input,
    figures::{mean, round, share},
    group_columns, read,
};
use crate::{config::Config, out};
use serde::Serialize;
use std::collections::BTreeMap;

/// Age: error, bias, coverage of the stated interval, and the worst group.
#[derive(clap::Args)]
pub(crate) struct Age {
    #[command(flatten)]
    input: Input,
    /// The age at which P(wrong) is stated: how often the estimate is on the other side of it than the truth.
    #[arg(long, default_value_t = 25)]
    threshold: u8,
}

/// One face that was found.
struct Measured {
    truth: f64,
    years: f64,
    in_st_dev: bool,
    in_80: bool,
    groups: BTreeMap<String, String>,
}

#[derive(Serialize)]
struct Report {
    images: usize,
    faces_found: usize,
    refused: BTreeMap<String, usize>,
    /// Mean absolute error, years.
    mae: f64,
    /// Mean of estimate minus truth, years.
    bias: f64,
    /// Share of people within one `st_dev` of their estimate; about 0.68 where it is honest.
    within_st_dev: f64,
    /// Share of people inside the stated 80 % interval.
    coverage_80: f64,
    threshold: AtThreshold,
    groups: Vec<Group>,
    /// The group of at least five with the greatest error.
    worst_group: Option<Group>,
}

#[derive(Serialize)]
struct AtThreshold {
    years: u8,
    /// Share of all people whose estimate is on the other side of the threshold than their age.
    p_wrong: f64,
    /// Share of the people below the threshold whose estimate passes.
    false_positive_rate: f64,
    /// Share of the people at or above the threshold whose estimate fails.
    false_negative_rate: f64,
}

#[derive(Clone, Serialize)]
struct Group {
    column: String,
    value: String,
    n: usize,
    mae: f64,
    bias: f64,
}

/// The smallest group that can be called the worst.
const SMALLEST: usize = 5;

fn band(age: f64) -> &'static str {
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

impl Age {
    pub(crate) fn run(self, config: &Config) -> anyhow::Result<()> {
        let age = |text: &str| text.parse::<f64>().ok().filter(|age| (0.0..=130.0).contains(age));
        let rows = read(&self.input, &["age", "age_years"], age)?;
        let columns = group_columns(&rows);
        let mut asker = Asker::new(config)?;
        let mut faces = Vec::new();
        let images = rows.len();
        for row in rows {
            let Some(finding) = asker.ask(&row.path, self.input.relaxed, false)? else { continue };
            let Some(estimate) = finding.age else { continue };
            let (truth, years) = (row.label, f64::from(estimate.years));
            let mut groups = row.groups;
            groups.retain(|column, _| columns.contains(column));
            groups.insert("age band".to_owned(), band(truth).to_owned());
            faces.push(Measured {
                truth,
                years,
                in_st_dev: (years - truth).abs() <= f64::from(estimate.st_dev),
                in_80: (f64::from(estimate.low80)..=f64::from(estimate.high80)).contains(&truth),
                groups,
            });
        }
        let report = self.report(images, asker.refused, &faces);
        if self.input.json { out::json(&report) } else { print(&report) }
    }

    fn report(&self, images: usize, refused: BTreeMap<String, usize>, faces: &[Measured]) -> Report {
        let threshold = f64::from(self.threshold);
        let passes = |face: &&Measured| face.years >= threshold;
        let (above, below): (Vec<_>, Vec<_>) = faces.iter().partition(|face| face.truth >= threshold);
        let groups = groups(faces);
        let worst = groups.iter().filter(|group| group.n >= SMALLEST).max_by(|a, b| a.mae.total_cmp(&b.mae));
        Report {
            images,
            faces_found: faces.len(),
            refused,
            mae: round(mean(faces.iter().map(|face| (face.years - face.truth).abs()))),
            bias: round(mean(faces.iter().map(|face| face.years - face.truth))),
            within_st_dev: round(share(faces.iter().map(|face| face.in_st_dev))),
            coverage_80: round(share(faces.iter().map(|face| face.in_80))),
            threshold: AtThreshold {
                years: self.threshold,
                p_wrong: round(share(faces.iter().map(|face| passes(&face) != (face.truth >= threshold)))),
                false_positive_rate: round(share(below.iter().map(passes))),
                false_negative_rate: round(share(above.iter().map(|face| !passes(face)))),
            },
            worst_group: worst.cloned(),
            groups,
        }
    }
}

fn groups(faces: &[Measured]) -> Vec<Group> {
    let mut errors = BTreeMap::<(&str, &str), Vec<f64>>::new();
    for face in faces {
        for (column, value) in &face.groups {
            errors.entry((column, value)).or_default().push(face.years - face.truth);
        }
    }
    errors
        .into_iter()
        .map(|((column, value), errors)| Group {
            column: column.to_owned(),
            value: value.to_owned(),
            n: errors.len(),
            mae: round(mean(errors.iter().map(|error| error.abs()))),
            bias: round(mean(errors.iter().copied())),
        })
        .collect()
}

#[expect(clippy::unnecessary_wraps, reason = "stands beside the JSON form, which can fail")]
fn print(report: &Report) -> anyhow::Result<()> {
    out::line(format_args!("faces found   {} of {} images", report.faces_found, report.images));
    for (reason, count) in &report.refused {
        out::line(format_args!("  refused     {count} {reason}"));
    }
    out::line(format_args!("MAE           {:.2} years", report.mae));
    out::line(format_args!("bias          {:+.2} years (estimate minus truth)", report.bias));
    out::line(format_args!("in ±st_dev    {:.0} % (honest: about 68 %)", report.within_st_dev * 100.0));
    out::line(format_args!("in 80 % range {:.0} %", report.coverage_80 * 100.0));
    let AtThreshold { years, p_wrong, false_positive_rate, false_negative_rate } = &report.threshold;
    out::line(format_args!(
        "at {years}         P(wrong) {:.1} %, younger people who pass {:.1} %, others who fail {:.1} %",
        p_wrong * 100.0,
        false_positive_rate * 100.0,
        false_negative_rate * 100.0
    ));
    out::line(format_args!("\n{:<16} {:<16} {:>5} {:>7} {:>7}", "column", "group", "n", "MAE", "bias"));
    for group in &report.groups {
        let Group { column, value, n, mae, bias } = group;
        out::line(format_args!("{column:<16} {value:<16} {n:>5} {mae:>7.2} {bias:>+7.2}"));
    }
    if let Some(Group { column, value, n, mae, .. }) = &report.worst_group {
        out::line(format_args!("\nworst group   {column} {value}: MAE {mae:.2} (n = {n})"));
    }
    Ok(())
}
