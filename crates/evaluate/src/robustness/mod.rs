//! `assay evaluate robustness`

mod degradation;

use super::{
    AnalysisRunner, age,
    bias::markdown_head,
    decode_leniently,
    statistics::{mean, round, share},
};
use crate::{EvaluationSettings, output};
use anyhow::{Context as _, bail};
use base::Picture;
use degradation::{DEGRADATIONS, Degradation};
use domain::image_analysis::ImageAnalysis;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use vision::VisionModels;

/// Robustness: how blur, darkness, masks and the like, simulated by degrees on pictures of your own, move the estimated
/// age, and from where the gate refuses them.
#[derive(clap::Args)]
pub struct EvaluateRobustnessArgs {
    /// A folder of pictures of one face each. Where it holds a `labels.csv` (`path`, `age`), only its pictures are taken
    /// and errors are told, too.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Print Markdown instead of a table.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

#[derive(Serialize)]
struct RobustnessReport {
    pictures: usize,
    /// Pictures that pass the gate unharmed; the others say nothing about harm.
    faces_found: usize,
    refused: BTreeMap<String, usize>,
    unharmed: DegreeReport,
    harms: Vec<DegradationReport>,
}

#[derive(Serialize)]
struct DegradationReport {
    harm: &'static str,
    unit: &'static str,
    rows: Vec<DegreeReport>,
}

/// What became of the pictures at one degree of a harm.
#[derive(Serialize)]
struct DegreeReport {
    degree: f32,
    /// Pictures that could be harmed so.
    n: usize,
    /// The share that the gate refused, and why.
    refused: f64,
    reasons: BTreeMap<String, usize>,
    /// Of those that passed, mean of estimate minus the estimate unharmed, years.
    moved: f64,
    /// The mean without sign.
    moved_by: f64,
    /// Mean `st_dev` of the answers, years.
    st_dev: f64,
    /// Mean sharpness of the faces, 0 to 1.
    sharpness: f64,
    /// Mean luma of the faces, 0 to 255.
    luma: f64,
    /// Where ages are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<AgeErrorStats>,
}

#[derive(Serialize)]
struct AgeErrorStats {
    mae: f64,
    bias: f64,
    /// The share of people inside the stated 68 % and 90 % intervals.
    in_68: f64,
    in_90: f64,
}

/// One picture's answer.
struct DegradedEstimate {
    years: f64,
    /// The estimate unharmed.
    before: f64,
    st_dev: f64,
    sharpness: f64,
    luma: f64,
    /// The age, where it is known, with whether the two intervals hold it.
    truth: Option<(f64, bool, bool)>,
}

struct SamplePicture {
    picture: Picture,
    truth: Option<f64>,
    unharmed: ImageAnalysis,
}

impl EvaluateRobustnessArgs {
    pub(super) fn run(self, settings: &EvaluationSettings) -> anyhow::Result<()> {
        let pictures = pictures(&self.folder)?;
        // The pictures are saved anew, so limits on the file would judge that and not the picture.
        let mut rules = settings.rules.clone();
        rules.image = rules.image.relaxed();
        let mut asker = AnalysisRunner::with_rules(settings, rules)?;
        let mut report = RobustnessReport {
            pictures: pictures.len(),
            faces_found: 0,
            refused: BTreeMap::new(),
            unharmed: row(0.0, 0, &[], BTreeMap::new()),
            harms: Vec::new(),
        };
        let degrees = DEGRADATIONS.iter().flat_map(|harm| harm.degrees);
        let mut answers: Vec<(usize, Vec<DegradedEstimate>, BTreeMap<String, usize>)> =
            degrees.map(|_| Default::default()).collect();
        let mut unharmed = Vec::new();
        for (path, truth) in pictures {
            let bytes = std::fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
            let Some(picture) = decode_leniently(&bytes) else {
                *report.refused.entry("no picture".to_owned()).or_default() += 1;
                continue;
            };
            let Some(finding) = asker.analyse_age(png(&picture)?)? else { continue };
            let sitter = SamplePicture { picture, truth, unharmed: finding };
            unharmed.extend(sitter.answer(&sitter.picture, &sitter.unharmed));
            report.faces_found += 1;
            let ways =
                DEGRADATIONS.iter().flat_map(|harm| harm.degrees.iter().map(move |degree| (harm, *degree)));
            for ((harm, degree), (n, answers, reasons)) in ways.zip(&mut answers) {
                let Some(harmed) = (harm.of)(&sitter.picture, &sitter.unharmed.face, degree) else {
                    continue;
                };
                *n += 1;
                let before = std::mem::take(&mut asker.refused);
                if let Some(finding) = asker.analyse_age(png(&harmed)?)? {
                    answers.extend(sitter.answer(&harmed, &finding));
                }
                for (reason, count) in std::mem::replace(&mut asker.refused, before) {
                    *reasons.entry(reason).or_default() += count;
                }
            }
        }
        if report.faces_found == 0 {
            bail!("no picture of {} passes the gate: {:?}", self.folder.display(), asker.refused);
        }
        for (reason, count) in asker.refused {
            *report.refused.entry(reason).or_default() += count;
        }
        report.unharmed = row(0.0, report.faces_found, &unharmed, BTreeMap::new());
        let mut answers = answers.into_iter();
        for Degradation { name, unit, degrees, .. } in DEGRADATIONS {
            let rows = degrees.iter().zip(&mut answers);
            let rows = rows.map(|(&degree, (n, answers, reasons))| row(degree, n, &answers, reasons));
            report.harms.push(DegradationReport { harm: name, unit, rows: rows.collect() });
        }
        if self.json {
            return output::json(&report);
        }
        print(&report, self.markdown);
        Ok(())
    }
}

/// The pictures of a folder with their ages, where a file of labels tells them.
fn pictures(folder: &Path) -> anyhow::Result<Vec<(PathBuf, Option<f64>)>> {
    let labels = folder.join("labels.csv");
    if labels.is_file() {
        let rows = super::read_labels(&labels, &["age", "age_years"], age::parse_age)?;
        return Ok(rows.into_iter().map(|row| (row.path, Some(row.label))).collect());
    }
    let entries =
        std::fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    let mut pictures = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.is_file() {
            pictures.push((path, None));
        }
    }
    pictures.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(pictures)
}

fn png(picture: &Picture) -> anyhow::Result<Vec<u8>> {
    let image = image::RgbImage::from_raw(picture.width(), picture.height(), picture.rgb().to_vec());
    let mut out = std::io::Cursor::new(Vec::new());
    image.context("an empty picture")?.write_to(&mut out, image::ImageFormat::Png)?;
    Ok(out.into_inner())
}

impl SamplePicture {
    fn answer(&self, picture: &Picture, finding: &ImageAnalysis) -> Option<DegradedEstimate> {
        let (age, before) = (finding.age?, self.unharmed.age?);
        let quality = VisionModels::assess_quality(picture, &finding.face);
        let inside = |truth: f64, share| {
            let [low, high] = age.interval(share);
            (low..=high).contains(&truth)
        };
        Some(DegradedEstimate {
            years: age.years.into(),
            before: before.years.into(),
            st_dev: age.st_dev.into(),
            sharpness: quality.sharpness.into(),
            luma: quality.luma.into(),
            truth: self.truth.map(|truth| (truth, inside(truth, 0.68), inside(truth, 0.9))),
        })
    }
}

fn row(
    degree: f32,
    n: usize,
    answers: &[DegradedEstimate],
    reasons: BTreeMap<String, usize>,
) -> DegreeReport {
    let truths = || answers.iter().filter_map(|answer| Some((answer.years, answer.truth?)));
    let errors = truths().next().map(|_| AgeErrorStats {
        mae: round(mean(truths().map(|(years, (truth, ..))| (years - truth).abs()))),
        bias: round(mean(truths().map(|(years, (truth, ..))| years - truth))),
        in_68: round(share(truths().map(|(_, (_, inside, _))| inside))),
        in_90: round(share(truths().map(|(_, (.., inside))| inside))),
    });
    DegreeReport {
        degree,
        n,
        refused: round((n - answers.len()) as f64 / n.max(1) as f64),
        reasons,
        moved: round(mean(answers.iter().map(|answer| answer.years - answer.before))),
        moved_by: round(mean(answers.iter().map(|answer| (answer.years - answer.before).abs()))),
        st_dev: round(mean(answers.iter().map(|answer| answer.st_dev))),
        sharpness: round(mean(answers.iter().map(|answer| answer.sharpness))),
        luma: round(mean(answers.iter().map(|answer| answer.luma))),
        errors,
    }
}

const COLUMN_TITLES: [&str; 12] = [
    "harm",
    "degree",
    "n",
    "refused",
    "moved",
    "moved by",
    "st_dev",
    "sharpness",
    "luma",
    "MAE",
    "in 68 %",
    "in 90 %",
];

fn print(report: &RobustnessReport, markdown: bool) {
    output::line(format_args!("faces found   {} of {} pictures", report.faces_found, report.pictures));
    for (reason, count) in &report.refused {
        output::line(format_args!("  refused     {count} {reason}"));
    }
    if markdown {
        output::line(format_args!("\n{}", markdown_head(&COLUMN_TITLES)));
    } else {
        let [harm, degree, rest @ ..] = COLUMN_TITLES;
        let rest: Vec<String> = rest.iter().map(|title| format!("{title:>9}")).collect();
        output::line(format_args!("\n{harm:<10} {degree:<32} {}", rest.join(" ")));
    }
    print_row("none", "", &report.unharmed, markdown);
    for DegradationReport { harm, unit, rows } in &report.harms {
        for row in rows {
            print_row(harm, &format!("{} {unit}", row.degree), row, markdown);
        }
    }
}

fn print_row(harm: &str, degree: &str, row: &DegreeReport, markdown: bool) {
    let percent = |share: f64| format!("{:.0} %", share * 100.0);
    // What nobody passed says nothing more.
    let passed = |text: String| if row.refused < 1.0 { text } else { "-".to_owned() };
    let error = |text: fn(&AgeErrorStats) -> String| row.errors.as_ref().map_or_else(|| "-".to_owned(), text);
    let cells = [
        row.n.to_string(),
        percent(row.refused),
        passed(format!("{:+.1}", row.moved)),
        passed(format!("{:.1}", row.moved_by)),
        passed(format!("{:.1}", row.st_dev)),
        passed(format!("{:.2}", row.sharpness)),
        passed(format!("{:.0}", row.luma)),
        error(|errors| format!("{:.1}", errors.mae)),
        error(|errors| format!("{:.0} %", errors.in_68 * 100.0)),
        error(|errors| format!("{:.0} %", errors.in_90 * 100.0)),
    ];
    if markdown {
        output::line(format_args!("| {harm} | {degree} | {} |", cells.join(" | ")));
    } else {
        let cells = cells.map(|cell| format!("{cell:>9}"));
        output::line(format_args!("{harm:<10} {degree:<32} {}", cells.join(" ")));
    }
}
