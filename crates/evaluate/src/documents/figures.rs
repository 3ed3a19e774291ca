//! The report on documents as a file.

use super::DocumentsReport;
use crate::{
    EvaluationSettings,
    html_report::{Axis, ChartArea, DotRow, HtmlReport, dot_chart, grid, percent, thumbnail, tiles},
};
use base::Picture;
use documents::mrz::reader::MrzReading;
use maud::{Markup, html};
use std::path::Path;
use vision::model_manifest::ModelTask;

/// Longer side of a page in the report, pixels.
const PAGE_SIDE: u32 = 480;

/// Pages that are shown: those that were misread first.
pub(super) struct ShownPages {
    /// How many are shown at most.
    most: usize,
    misread: Vec<Markup>,
    right: Vec<Markup>,
}

impl ShownPages {
    pub(super) fn new(most: usize) -> Self {
        Self { most, misread: Vec::new(), right: Vec::new() }
    }

    /// Adds a page, if it may be among those that are shown.
    pub(super) fn add(
        &mut self,
        path: &Path,
        picture: &Picture,
        expected: &[String],
        zone: Option<&MrzReading>,
        right: bool,
    ) -> anyhow::Result<()> {
        let pages = if right { &mut self.right } else { &mut self.misread };
        if pages.len() < self.most {
            pages.push(page(path, picture, expected, zone, right)?);
        }
        Ok(())
    }

    fn shown(&self) -> impl Iterator<Item = &Markup> {
        self.misread.iter().chain(&self.right).take(self.most)
    }
}

fn page(
    path: &Path,
    picture: &Picture,
    expected: &[String],
    zone: Option<&MrzReading>,
    right: bool,
) -> anyhow::Result<Markup> {
    let outcome = if right { "as expected" } else { "misread" };
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let words = match zone {
        Some(_) => format!("{name}: a page with a box around its machine-readable zone; {outcome}"),
        None => format!("{name}: a page in which no machine-readable zone was found; {outcome}"),
    };
    let view = format!("0 0 {} {}", picture.width(), picture.height());
    let corners = zone.map(|zone| {
        let corners: Vec<String> = zone.corners.iter().map(|(x, y)| format!("{x:.0},{y:.0}")).collect();
        corners.join(" ")
    });
    let stroke = f64::from(picture.width().max(picture.height())) / 200.0;
    let read: &[String] = zone.map_or(&[], |zone| &zone.lines);
    Ok(html! {
        figure {
            div.page {
                (thumbnail(picture, PAGE_SIDE, &words)?)
                @if let Some(corners) = corners {
                    svg viewBox=(view) preserveAspectRatio="none" aria-hidden="true" {
                        polygon points=(corners) fill="none" stroke="#d55e00" stroke-width=(format!("{stroke:.1}")) {}
                    }
                }
            }
            figcaption {
                (name) ": " (outcome)
                @for line in expected { br; "expected " code { (line) } }
                @for line in read { br; "read " code { (line) } }
            }
        }
    })
}

pub(super) fn report(
    labels: &Path,
    settings: &EvaluationSettings,
    report: &DocumentsReport,
    pages: &ShownPages,
) -> anyhow::Result<HtmlReport> {
    let mut file = HtmlReport::new(
        ("documents", "Machine-readable zones"),
        format!("{} documents with {} lines", report.documents, report.lines),
        labels,
        settings,
        &[ModelTask::FindText, ModelTask::TurnText, ModelTask::ReadText],
    )?;
    file.fact("Pictures with a zone", &report.documents);
    file.fact("Pictures without a zone", &report.without);
    if !report.unreadable.is_empty() {
        file.fact("Could not be opened", &report.unreadable.join(", "));
    }
    let rows = [
        ("exact documents", &report.exact_documents_interval),
        ("exact lines", &report.exact_lines_interval),
    ]
    .map(|(label, share)| DotRow {
        label: label.to_owned(),
        value: share.rate,
        interval: Some((share.low, share.high)),
        stated: None,
    });
    let words = format!(
        "Documents read exactly {}; lines {}",
        percent(&report.exact_documents_interval),
        percent(&report.exact_lines_interval)
    );
    let around = ChartArea {
        name: "exact-zones",
        title: "Machine-readable zones that are read exactly",
        caption: "Every character is right, with 95 % intervals.",
        words: &words,
    };
    let chart = dot_chart(&around, Axis::share("Share", 0.0, 1.0), &rows, None)?;
    let chart = file.charts(vec![chart]);
    file.section(
        "In short",
        "A zone is read exactly where every character of it is right. A wrong character with right check digits is the \
         error that nobody notices.",
        &html! {
            (tiles(&[
                ("Exact documents", percent(&report.exact_documents_interval)),
                ("Exact lines", percent(&report.exact_lines_interval)),
                ("Characters that are right", format!("{:.2} %", report.character_accuracy * 100.0)),
                ("No zone found", format!("{} of {}", report.not_found, report.documents)),
                ("Wrong, with right check digits", report.wrong_with_right_digits.to_string()),
                ("Found where none is", format!("{} of {}", report.found_without, report.without)),
            ]))
            (chart)
        },
    );
    let shown: Vec<Markup> = pages.shown().cloned().collect();
    if !shown.is_empty() {
        file.section(
            "Pages",
            "Those that were misread come first. The box is where a zone was read.",
            &grid(&shown),
        );
    }
    Ok(file)
}
