//! `assay evaluate robustness`: how simulated degradations of pictures change the estimated age, and when they are
//! refused.

mod degradation;
mod figures;
#[cfg(test)]
pub(crate) use figures::tests::synthetic_report;

use super::{
    AnalysisRunner, age,
    bias::markdown_head,
    decode_leniently,
    statistics::{mean, round, share},
};
use crate::{EvaluationSettings, html_report::ReportArgs, output};
use anyhow::{Context as _, bail};
use base::Picture;
use degradation::{Degradation, SIMULATED_DEGRADATIONS};
use domain::image_analysis::ImageAnalysis;
use figures::DegradationStrip;
use serde::Serialize;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};
use vision::{CaptureQuality, VisionModels};

/// Robustness: how blur, darkness, masks and the like, simulated in degrees on your own pictures, change the estimated
/// age, and from which degree on the gate refuses them.
#[derive(clap::Args)]
pub struct EvaluateRobustnessArgs {
    /// A folder of pictures with one face each. Where it has a `labels.csv` (`path`, `age`), only the pictures listed
    /// there are taken, and errors are measured, too.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Print Markdown instead of a table.
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
    #[command(flatten)]
    report: ReportArgs,
    /// Show the degraded pictures of this many people in the file of `--html`, which then must not go to everybody.
    #[arg(long, default_value_t = 0, value_name = "COUNT", requires = "html")]
    pictures: usize,
}

#[derive(Serialize)]
struct RobustnessReport {
    pictures: usize,
    /// Pictures that pass the gate undegraded; only these are degraded.
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

/// Results at one degree of a degradation.
#[derive(Serialize)]
struct DegreeReport {
    degree: f32,
    /// Pictures to which the degradation could be applied.
    n: usize,
    /// The share that the gate refused.
    refused: f64,
    /// Refused pictures by reason.
    reasons: BTreeMap<String, usize>,
    /// Of those that passed, mean change of the estimate, years.
    moved: f64,
    /// Mean absolute change of the estimate, years.
    moved_by: f64,
    /// Mean `st_dev` of the answers, years.
    st_dev: f64,
    /// Mean sharpness of the faces, 0 to 1.
    sharpness: f64,
    /// Mean luma of the faces, 0 to 255.
    luma: f64,
    /// What the model for quality saw, where the pack has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    capture: Option<CaptureMeans>,
    /// Where true ages are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    errors: Option<AgeErrorStats>,
}

/// Means of what [`vision::CaptureQuality`] has, in its units.
#[derive(Serialize)]
struct CaptureMeans {
    mouth_covered: f64,
    nose_covered: f64,
    eyes_covered: f64,
    blur: f64,
    noise: f64,
}

#[derive(Serialize)]
struct AgeErrorStats {
    mae: f64,
    bias: f64,
    /// Share of people inside the stated 68 % interval, and below inside the 90 % interval.
    in_68: f64,
    in_90: f64,
}

/// The estimate of one degraded picture.
struct DegradedEstimate {
    years: f64,
    /// The estimate of the undegraded picture, years.
    before: f64,
    st_dev: f64,
    sharpness: f64,
    luma: f64,
    capture: Option<CaptureQuality>,
    /// The true age, where it is known, and whether it is inside the 68 % and the 90 % interval.
    truth: Option<(f64, bool, bool)>,
}

/// A picture that passes the gate undegraded.
struct SamplePicture {
    picture: Picture,
    truth: Option<f64>,
    undegraded: ImageAnalysis,
}

impl EvaluateRobustnessArgs {
    pub(super) fn run(self, settings: &EvaluationSettings) -> anyhow::Result<()> {
        let pictures = pictures(&self.folder)?;
        self.report.prepare()?;
        // Pictures are encoded again, so limits on the file would measure the encoding and not the picture.
        let mut rules = settings.rules.clone();
        rules.image = rules.image.relaxed();
        let mut runner = AnalysisRunner::with_rules(settings, rules)?;
        let mut report = RobustnessReport {
            pictures: pictures.len(),
            faces_found: 0,
            refused: BTreeMap::new(),
            unharmed: row(0.0, 0, &[], BTreeMap::new()),
            harms: Vec::new(),
        };
        let degrees = SIMULATED_DEGRADATIONS.iter().flat_map(|degradation| degradation.degrees);
        let mut results: Vec<(usize, Vec<DegradedEstimate>, BTreeMap<String, usize>)> =
            degrees.map(|_| Default::default()).collect();
        let (mut undegraded, mut strips) = (Vec::new(), Vec::new());
        for (path, truth) in pictures {
            let bytes = std::fs::read(&path).with_context(|| format!("{} cannot be read", path.display()))?;
            let Some(picture) = decode_leniently(&bytes) else {
                *report.refused.entry("no picture".to_owned()).or_default() += 1;
                continue;
            };
            let Some(analysis) = runner.analyse_age(pixels::encode_png(&picture))? else { continue };
            let sample = SamplePicture { picture, truth, undegraded: analysis };
            undegraded.extend(sample.estimate(&sample.picture, &sample.undegraded));
            report.faces_found += 1;
            let degradations = SIMULATED_DEGRADATIONS
                .iter()
                .flat_map(|degradation| degradation.degrees.iter().map(move |degree| (degradation, *degree)));
            let mut strip = (strips.len() < self.pictures).then(|| DegradationStrip::new(&sample));
            for ((degradation, degree), (n, estimates, reasons)) in degradations.zip(&mut results) {
                let Some(degraded) = (degradation.apply)(&sample.picture, &sample.undegraded.face, degree)
                else {
                    continue;
                };
                *n += 1;
                let before = std::mem::take(&mut runner.refused);
                let estimate = runner
                    .analyse_age(pixels::encode_png(&degraded))?
                    .and_then(|analysis| sample.estimate(&degraded, &analysis));
                let refused = std::mem::replace(&mut runner.refused, before);
                if let Some(strip) = &mut strip {
                    strip.add(degradation, degree, &degraded, estimate.as_ref(), &refused)?;
                }
                estimates.extend(estimate);
                for (reason, count) in refused {
                    *reasons.entry(reason).or_default() += count;
                }
            }
            strips.extend(strip);
        }
        if report.faces_found == 0 {
            bail!("no picture of {} passes the gate: {:?}", self.folder.display(), runner.refused);
        }
        for (reason, count) in runner.refused {
            *report.refused.entry(reason).or_default() += count;
        }
        report.unharmed = row(0.0, report.faces_found, &undegraded, BTreeMap::new());
        let mut results = results.into_iter();
        for Degradation { name, unit, degrees, .. } in SIMULATED_DEGRADATIONS {
            let rows = degrees.iter().zip(&mut results);
            let rows = rows.map(|(&degree, (n, estimates, reasons))| row(degree, n, &estimates, reasons));
            report.harms.push(DegradationReport { harm: name, unit, rows: rows.collect() });
        }
        self.report.write(|| figures::report(&self.folder, settings, &report, &strips))?;
        if self.json {
            return output::json(&report);
        }
        print(&report, self.markdown);
        Ok(())
    }
}

/// The pictures of a folder with their true ages, where `labels.csv` has them.
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

impl SamplePicture {
    fn estimate(&self, picture: &Picture, analysis: &ImageAnalysis) -> Option<DegradedEstimate> {
        let (age, before) = (analysis.age?, self.undegraded.age?);
        let quality = VisionModels::assess_quality(picture, &analysis.face);
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
            capture: analysis.capture,
            truth: self.truth.map(|truth| (truth, inside(truth, 0.68), inside(truth, 0.9))),
        })
    }
}

/// Summarises the estimates at one degree.
fn row(
    degree: f32,
    n: usize,
    estimates: &[DegradedEstimate],
    reasons: BTreeMap<String, usize>,
) -> DegreeReport {
    let truths = || estimates.iter().filter_map(|estimate| Some((estimate.years, estimate.truth?)));
    let errors = truths().next().map(|_| AgeErrorStats {
        mae: round(mean(truths().map(|(years, (truth, ..))| (years - truth).abs()))),
        bias: round(mean(truths().map(|(years, (truth, ..))| years - truth))),
        in_68: round(share(truths().map(|(_, (_, inside, _))| inside))),
        in_90: round(share(truths().map(|(_, (.., inside))| inside))),
    });
    let captures: Vec<CaptureQuality> = estimates.iter().filter_map(|estimate| estimate.capture).collect();
    let capture = (!captures.is_empty()).then(|| {
        let of = |measure: fn(&CaptureQuality) -> f32| {
            round(mean(captures.iter().map(|capture| f64::from(measure(capture)))))
        };
        CaptureMeans {
            mouth_covered: of(|capture| capture.mouth_covered),
            nose_covered: of(|capture| capture.nose_covered),
            eyes_covered: of(|capture| capture.eyes_covered),
            blur: of(|capture| capture.blur),
            noise: of(|capture| capture.noise),
        }
    });
    DegreeReport {
        degree,
        n,
        refused: round((n - estimates.len()) as f64 / n.max(1) as f64),
        reasons,
        moved: round(mean(estimates.iter().map(|estimate| estimate.years - estimate.before))),
        moved_by: round(mean(estimates.iter().map(|estimate| (estimate.years - estimate.before).abs()))),
        st_dev: round(mean(estimates.iter().map(|estimate| estimate.st_dev))),
        sharpness: round(mean(estimates.iter().map(|estimate| estimate.sharpness))),
        luma: round(mean(estimates.iter().map(|estimate| estimate.luma))),
        capture,
        errors,
    }
}

const COLUMN_TITLES: [&str; 15] = [
    "harm",
    "degree",
    "n",
    "refused",
    "moved",
    "moved by",
    "st_dev",
    "sharpness",
    "luma",
    "blur",
    "noise",
    "covered",
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
    // Where every picture was refused there are no estimates.
    let passed = |text: String| if row.refused < 1.0 { text } else { "-".to_owned() };
    let error = |text: fn(&AgeErrorStats) -> String| row.errors.as_ref().map_or_else(|| "-".to_owned(), text);
    let capture =
        |text: fn(&CaptureMeans) -> String| row.capture.as_ref().map_or_else(|| "-".to_owned(), text);
    let cells = [
        row.n.to_string(),
        percent(row.refused),
        passed(format!("{:+.1}", row.moved)),
        passed(format!("{:.1}", row.moved_by)),
        passed(format!("{:.1}", row.st_dev)),
        passed(format!("{:.2}", row.sharpness)),
        passed(format!("{:.0}", row.luma)),
        capture(|capture| format!("{:.1}", capture.blur)),
        capture(|capture| format!("{:.1}", capture.noise)),
        capture(|capture| {
            let covered = [capture.mouth_covered, capture.nose_covered, capture.eyes_covered];
            covered.map(|share| format!("{share:.1}")).join("/")
        }),
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
