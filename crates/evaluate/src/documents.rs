//! `assay evaluate documents`: exactness of machine-readable zones.

mod figures;

use super::statistics::{ConfidenceInterval, round_to, wilson_interval};
use crate::{EvaluationSettings, html_report::ReportArgs, output};
use anyhow::{Context as _, bail};
use documents::{mrz, picture::mirror};
use figures::ShownPages;
use media::document_file::{DocumentFile, DocumentFileLoader};
use serde::Serialize;
use std::path::{Path, PathBuf};

/// Machine-readable zones: how many are read exactly, from photo to lines.
#[derive(clap::Args)]
pub struct EvaluateDocumentsArgs {
    /// A CSV file: `path` (relative to the file) and `mrz`, the lines joined by `|`; empty where the picture has no
    /// zone.
    #[arg(long, value_name = "FILE")]
    labels: PathBuf,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
    /// Also list the pictures that were not read exactly, on the standard error output.
    #[arg(long)]
    misses: bool,
    #[command(flatten)]
    report: ReportArgs,
    /// Show this many pages in the file of `--html`, those that were misread first. The file then must not go to everybody.
    #[arg(long, default_value_t = 0, value_name = "COUNT", requires = "html")]
    pictures: usize,
}

#[derive(Serialize)]
struct DocumentsReport {
    /// Pictures with a zone.
    documents: usize,
    /// Share of them in which every line is right.
    exact_documents: f64,
    exact_documents_interval: ConfidenceInterval,
    lines: usize,
    exact_lines: f64,
    exact_lines_interval: ConfidenceInterval,
    characters: usize,
    /// 1 minus the edit distance as a share of all characters.
    character_accuracy: f64,
    /// Pictures with a zone in which none was found.
    not_found: usize,
    /// Documents with a wrong character although all check digits are right.
    wrong_with_right_digits: usize,
    /// Pictures without a zone.
    without: usize,
    /// Pictures without a zone in which one was found.
    found_without: usize,
    /// Paths of pictures that could not be opened.
    unreadable: Vec<String>,
}

#[derive(Default)]
struct MrzTally {
    documents: usize,
    documents_right: usize,
    lines: usize,
    lines_right: usize,
    characters: usize,
    wrong: usize,
    not_found: usize,
    wrong_with_right_digits: usize,
    without: usize,
    found_without: usize,
    unreadable: Vec<String>,
}

impl EvaluateDocumentsArgs {
    pub(super) async fn run(self, settings: &EvaluationSettings) -> anyhow::Result<()> {
        let rows = read_mrz_labels(&self.labels)?;
        self.report.prepare()?;
        let mut reader = mrz::reader::MrzReader::load(&settings.models.folder)?;
        let loader = DocumentFileLoader::default();
        let mut tally = MrzTally::default();
        let mut pages = ShownPages::new(self.pictures);
        for (path, expected) in rows {
            let Ok(bytes) = std::fs::read(&path) else { bail!("{} cannot be read", path.display()) };
            let opened = match loader.open(bytes).await {
                Ok(DocumentFile::Picture(picture)) => Ok(picture),
                Ok(DocumentFile::Pdf(pdf)) => loader.render_page(&pdf, 0).await,
                Err(error) => Err(error),
            };
            let Ok(picture) = opened else {
                tally.unreadable.push(path.display().to_string());
                tally.count(&expected, None);
                continue;
            };
            let mut zone = reader.read(&picture)?;
            let mut picture = picture;
            if zone.is_none()
                && let Some(mirrored) = mirror(&picture)
            {
                zone = reader.read(&mirrored)?;
                if zone.is_some() {
                    picture = mirrored;
                }
            }
            let right = tally.count(&expected, zone.as_ref());
            pages.add(&path, &picture, &expected, zone.as_ref(), right)?;
            if self.misses && !right {
                output::remark(format_args!("{}", path.display()));
                for line in &expected {
                    output::remark(format_args!("  expected {line}"));
                }
                for line in zone.iter().flat_map(|zone| &zone.lines) {
                    output::remark(format_args!("  read {line}"));
                }
            }
        }
        let report = tally.report();
        self.report.write(|| figures::report(&self.labels, settings, &report, &pages))?;
        if self.json {
            return output::json(&report);
        }
        print(&report);
        Ok(())
    }
}

/// Reads the labels: path of each picture and the lines of its zone, none where it has no zone.
fn read_mrz_labels(file: &Path) -> anyhow::Result<Vec<(PathBuf, Vec<String>)>> {
    let mut reader =
        csv::Reader::from_path(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let columns = reader.headers()?.clone();
    let column = |name: &str| {
        let at = columns.iter().position(|column| column.trim() == name);
        at.with_context(|| format!("{} has no column `{name}`", file.display()))
    };
    let (path_at, mrz_at) = (column("path")?, column("mrz")?);
    let folder = file.parent().unwrap_or_else(|| Path::new("."));
    let mut rows = Vec::new();
    for row in reader.records() {
        let row = row.with_context(|| format!("{} is not CSV", file.display()))?;
        let text = |at: usize| row.get(at).unwrap_or_default().trim();
        let lines = text(mrz_at).split('|').map(str::trim).filter(|line| !line.is_empty());
        rows.push((folder.join(text(path_at)), lines.map(str::to_owned).collect()));
    }
    if rows.is_empty() {
        bail!("{} has no rows", file.display());
    }
    Ok(rows)
}

impl MrzTally {
    /// Counts a picture; returns whether its zone was read exactly.
    fn count(&mut self, expected: &[String], zone: Option<&mrz::reader::MrzReading>) -> bool {
        let read: &[String] = zone.map_or(&[], |zone| &zone.lines);
        if expected.is_empty() {
            self.without += 1;
            self.found_without += usize::from(zone.is_some());
            return zone.is_none();
        }
        let right = expected == read;
        self.documents += 1;
        self.documents_right += usize::from(right);
        self.not_found += usize::from(zone.is_none());
        let holds = zone.is_some_and(|zone| zone.mrz.checks_hold());
        self.wrong_with_right_digits += usize::from(holds && !right);
        for (at, line) in expected.iter().enumerate() {
            let read = read.get(at).map_or("", String::as_str);
            self.lines += 1;
            self.lines_right += usize::from(line == read);
            self.characters += line.chars().count();
            self.wrong += documents::text::edit_distance(line, read).min(line.chars().count());
        }
        right
    }

    fn report(self) -> DocumentsReport {
        let share = |count: usize, all: usize| round_to(count as f64 / all.max(1) as f64, 4);
        DocumentsReport {
            documents: self.documents,
            exact_documents: share(self.documents_right, self.documents),
            exact_documents_interval: wilson_interval(self.documents_right, self.documents),
            lines: self.lines,
            exact_lines: share(self.lines_right, self.lines),
            exact_lines_interval: wilson_interval(self.lines_right, self.lines),
            characters: self.characters,
            character_accuracy: share(self.characters - self.wrong, self.characters),
            not_found: self.not_found,
            wrong_with_right_digits: self.wrong_with_right_digits,
            without: self.without,
            found_without: self.found_without,
            unreadable: self.unreadable,
        }
    }
}

fn print(report: &DocumentsReport) {
    let percent = |interval: ConfidenceInterval| {
        let [rate, low, high] = [interval.rate, interval.low, interval.high].map(|share| share * 100.0);
        format!("{rate:.1} % ({low:.1} to {high:.1})")
    };
    output::line(format_args!("documents            {}", report.documents));
    output::line(format_args!("exact documents      {}", percent(report.exact_documents_interval)));
    output::line(format_args!("exact lines          {}", percent(report.exact_lines_interval)));
    output::line(format_args!("character accuracy   {:.2} %", report.character_accuracy * 100.0));
    output::line(format_args!("no zone found        {}", report.not_found));
    output::line(format_args!("wrong, digits right  {}", report.wrong_with_right_digits));
    if report.without > 0 {
        let (found, without) = (report.found_without, report.without);
        output::line(format_args!("found where none is  {found} of {without}"));
    }
    if !report.unreadable.is_empty() {
        output::line(format_args!("could not be opened  {}", report.unreadable.join(", ")));
    }
}
