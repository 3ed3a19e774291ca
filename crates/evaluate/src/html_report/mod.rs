//! A report that people look at: one HTML file with figures as SVG. It has no script and loads nothing, and its content
//! policy says so; it can be read offline, printed, and kept with the records of an audit. The same figures can be written
//! as files of their own, for documents.

mod charts;
pub(crate) use charts::{
    Axis, Chart, ChartArea, DotRow, FreeCorner, LabelledSeries, MAX_SERIES, dot_chart, histogram, line_chart,
    scatter_chart,
};

use crate::{EvaluationSettings, statistics::ConfidenceInterval};
use anyhow::Context as _;
use base::{Environment as _, Picture, SystemEnvironment};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};
use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
};
use vision::model_manifest::{ModelPack, ModelTask};

/// The options for a report as files.
#[derive(clap::Args)]
pub(crate) struct ReportArgs {
    /// Also write the report as one HTML file with figures, which can be read offline.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Also write the figures of the report into this folder, each as an SVG file of its own, with the same name and for the
    /// same input the same bytes each time. Single people are in none of them.
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,
}

impl ReportArgs {
    /// Makes the folder for the figures. Measuring takes long, so a folder that cannot be written is refused before.
    pub(crate) fn prepare(&self) -> anyhow::Result<()> {
        let Some(folder) = &self.figures else { return Ok(()) };
        let refusal = || {
            format!(
                "--figures {}: no file can be written into this folder; name another one, or change who may write",
                folder.display()
            )
        };
        std::fs::create_dir_all(folder).with_context(refusal)?;
        // Permissions alone do not say it: a file system may be full, or read-only.
        let probe = folder.join(format!(".assay-{}", std::process::id()));
        std::fs::write(&probe, "probe").with_context(refusal)?;
        std::fs::remove_file(&probe).with_context(refusal)
    }

    /// Writes the files that were asked for; the report is made only for them.
    pub(crate) fn write(&self, report: impl FnOnce() -> anyhow::Result<HtmlReport>) -> anyhow::Result<()> {
        if self.html.is_none() && self.figures.is_none() {
            return Ok(());
        }
        let report = report()?;
        if let Some(file) = &self.html {
            report.write(file)?;
        }
        if let Some(folder) = &self.figures {
            report.write_figures(folder)?;
        }
        Ok(())
    }
}

/// A report in the making.
pub(crate) struct HtmlReport {
    /// What was evaluated, as the names of its figures begin.
    kind: &'static str,
    title: &'static str,
    /// What was measured, in a few words that stand below each figure in a file of its own.
    subject: String,
    /// What was measured, with what, on what: name and value.
    facts: Vec<(&'static str, String)>,
    models: Vec<ModelFact>,
    sections: Vec<Markup>,
    charts: Vec<Chart>,
}

/// A model that took part.
struct ModelFact {
    id: String,
    task: ModelTask,
    sha256: String,
    licence: String,
    training_data: String,
}

const STYLE: &str = include_str!("style.css");
/// Side of the pictures in a report, pixels at most.
const MAX_THUMBNAIL_SIDE: u32 = 480;
const THUMBNAIL_QUALITY: u8 = 80;

impl HtmlReport {
    /// Begins a report: about pictures that `labels` lists, by the models that serve these tasks. `subject` says what was
    /// measured (`429 faces`).
    pub(crate) fn new(
        (kind, title): (&'static str, &'static str),
        subject: String,
        labels: &Path,
        settings: &EvaluationSettings,
        tasks: &[ModelTask],
    ) -> anyhow::Result<Self> {
        let folder = &settings.models.folder;
        let pack = ModelPack::read(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
        let mut facts = vec![
            ("Made", SystemEnvironment.now().to_string()),
            ("By", format!("assay {}", env!("CARGO_PKG_VERSION"))),
            ("Command", std::env::args().skip(1).collect::<Vec<_>>().join(" ")),
        ];
        if labels.is_file() {
            let bytes =
                std::fs::read(labels).with_context(|| format!("{} cannot be read", labels.display()))?;
            facts.push(("SHA-256 of the labels", hex::encode(Sha256::digest(bytes))));
        }
        let models = pack
            .models
            .iter()
            .filter(|model| tasks.contains(&model.task) && pack.serves.get(&model.task) == Some(&model.id));
        let models = models.map(|model| ModelFact {
            id: model.id.clone(),
            task: model.task,
            sha256: model.file.as_ref().map_or_else(String::new, |file| file.sha256.clone()),
            licence: model.licence.clone(),
            training_data: model.training_data.clone(),
        });
        let models = models.collect();
        Ok(Self { kind, title, subject, facts, models, sections: Vec::new(), charts: Vec::new() })
    }

    /// Adds a line to the facts at the top.
    pub(crate) fn fact(&mut self, name: &'static str, value: &dyn std::fmt::Display) {
        self.facts.push((name, value.to_string()));
    }

    /// Adds a section. `text` says what is to be seen, for somebody who reads such a report for the first time.
    pub(crate) fn section(&mut self, heading: &str, text: &str, body: &Markup) {
        self.sections.push(html! {
            section { h2 { (heading) } @if !text.is_empty() { p { (text) } } (body) }
        });
    }

    /// Takes figures into the report, and returns them beside each other, for a section.
    pub(crate) fn charts(&mut self, charts: Vec<Chart>) -> Markup {
        let shown: Vec<Markup> = charts.iter().map(Chart::figure).collect();
        self.charts.extend(charts);
        grid(&shown)
    }

    fn render(&self) -> Markup {
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta http-equiv="Content-Security-Policy"
                        content="default-src 'none'; style-src 'unsafe-inline'; img-src data:";
                    title { (self.title) }
                    style { (PreEscaped(STYLE)) }
                }
                body {
                    main {
                        h1 { (self.title) }
                        dl { @for (name, value) in &self.facts { div { dt { (name) } dd { (value) } } } }
                        @for section in &self.sections { (section) }
                        (self.models_section())
                        p.note {
                            "Intervals are 95 % confidence intervals: Wilson’s for shares, the bootstrap’s for other "
                            "figures. They say how much chance there is in a figure, and nothing about pictures of "
                            "another kind."
                        }
                    }
                }
            }
        }
    }

    fn models_section(&self) -> Markup {
        html! {
            section {
                h2 { "Models" }
                (table(
                    &["Task", "Model", "Licence", "Trained on", "SHA-256"],
                    self.models.iter().map(|model| {
                        vec![
                            model.task.to_string(),
                            model.id.clone(),
                            model.licence.clone(),
                            model.training_data.clone(),
                            model.sha256.clone(),
                        ]
                    }),
                ))
            }
        }
    }

    /// Writes the report to a file.
    pub(crate) fn write(&self, file: &Path) -> anyhow::Result<()> {
        std::fs::write(file, self.render().into_string())
            .with_context(|| format!("{} cannot be written", file.display()))
    }

    /// Writes each figure to a file of its own in a folder that exists.
    fn write_figures(&self, folder: &Path) -> anyhow::Result<()> {
        for (name, svg) in self.figure_files() {
            let file = folder.join(name);
            std::fs::write(&file, svg).with_context(|| format!("{} cannot be written", file.display()))?;
        }
        Ok(())
    }

    /// Name and content of each figure that may be a file of its own.
    fn figure_files(&self) -> Vec<(String, String)> {
        let models: Vec<&str> = self.models.iter().map(|model| model.id.as_str()).collect();
        let source = format!("Measured: {}. Models: {}.", self.subject, models.join(", "));
        let mut taken = BTreeSet::new();
        let named = self.charts.iter().filter_map(|chart| Some((chart, chart.file_name()?)));
        let files = named.map(|(chart, name)| {
            let name = format!("{}-{name}", self.kind);
            // Two columns whose names differ in signs alone (`age band`, `age_band`).
            let mut numbered = (2..).map(|number| format!("{name}-{number}"));
            let mut free = name.clone();
            while !taken.insert(free.clone()) {
                free = numbered.next().unwrap_or_default();
            }
            (format!("{free}.svg"), chart.standalone(&source))
        });
        files.collect()
    }
}

/// A table with a heading for each column.
pub(crate) fn table<S: AsRef<str>>(columns: &[S], rows: impl IntoIterator<Item = Vec<String>>) -> Markup {
    html! {
        div.scroll {
            table {
                thead { tr { @for column in columns { th scope="col" { (column.as_ref()) } } } }
                tbody {
                    @for row in rows {
                        tr {
                            @for (at, cell) in row.iter().enumerate() {
                                @if at == 0 { th scope="row" { (cell) } } @else { td { (cell) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Figures beside each other, as far as there is room.
pub(crate) fn grid(figures: &[Markup]) -> Markup {
    html! { div.grid { @for figure in figures { (figure) } } }
}

/// Numbers that sum a report up, each with its name.
pub(crate) fn tiles(numbers: &[(&str, String)]) -> Markup {
    html! { dl.tiles { @for (name, value) in numbers { div { dt { (name) } dd { (value) } } } } }
}

/// A picture, scaled down and within the file, with what it shows in words.
pub(crate) fn thumbnail(picture: &Picture, max_side: u32, words: &str) -> anyhow::Result<Markup> {
    let image = image::RgbImage::from_raw(picture.width(), picture.height(), picture.rgb().to_vec())
        .context("an empty picture")?;
    let side = max_side.min(MAX_THUMBNAIL_SIDE);
    let scale = f64::from(side) / f64::from(picture.width().max(picture.height()));
    let [width, height] = [picture.width(), picture.height()]
        .map(|length| ((f64::from(length) * scale.min(1.0)).round() as u32).max(1));
    let small = image::imageops::thumbnail(&image, width, height);
    let mut jpeg = Vec::new();
    image::codecs::jpeg::JpegEncoder::new_with_quality(&mut jpeg, THUMBNAIL_QUALITY).encode_image(&small)?;
    let source = format!("data:image/jpeg;base64,{}", base64_simd::STANDARD.encode_to_string(&jpeg));
    Ok(html! { img src=(source) alt=(words) width=(width) height=(height); })
}

/// A rate with its interval, in percent.
pub(crate) fn percent(ConfidenceInterval { rate, low, high }: &ConfidenceInterval) -> String {
    format!("{:.1} % ({:.1} to {:.1})", rate * 100.0, low * 100.0, high * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        collections::BTreeMap,
        sync::atomic::{AtomicUsize, Ordering},
    };

    impl HtmlReport {
        /// A report without a head, which would need models.
        pub(crate) fn headless(kind: &'static str) -> Self {
            Self {
                kind,
                title: "Report",
                subject: "3 faces".to_owned(),
                facts: Vec::new(),
                models: Vec::new(),
                sections: Vec::new(),
                charts: Vec::new(),
            }
        }

        /// Name and content of each figure, as they are written to a folder.
        pub(crate) fn written_figures(&self) -> BTreeMap<String, String> {
            // Tests run beside each other, and each has a folder of its own.
            static FOLDERS: AtomicUsize = AtomicUsize::new(0);
            let (process, number) = (std::process::id(), FOLDERS.fetch_add(1, Ordering::Relaxed));
            let folder = std::env::temp_dir().join(format!("assay-figures-{process}-{number}"));
            let files = ReportArgs { html: None, figures: Some(folder.clone()) };
            files.prepare().unwrap();
            self.write_figures(&folder).unwrap();
            let entries = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap());
            let figures = entries.map(|entry| {
                let text = std::fs::read_to_string(entry.path()).unwrap();
                (entry.file_name().into_string().unwrap(), text)
            });
            let figures = figures.collect();
            std::fs::remove_dir_all(folder).unwrap();
            figures
        }
    }

    #[test]
    fn figures_of_columns_with_names_alike_are_files_of_their_own() {
        let mut report = HtmlReport::headless("age");
        let chart = |name| {
            let around = ChartArea { name, title: "Errors", caption: "", words: "" };
            dot_chart(&around, Axis::share("Share", 0.0, 1.0), &[], None).unwrap()
        };
        report.charts(["mae-by-age band", "mae-by-age_band", "mae-by-Age Band", "bias"].map(chart).into());
        let files = report.figure_files();
        let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(
            names,
            [
                "age-mae-by-age-band.svg",
                "age-mae-by-age-band-2.svg",
                "age-mae-by-age-band-3.svg",
                "age-bias.svg"
            ]
        );
        assert!(files[0].1.contains(">Measured: 3 faces. Models: .</text>"), "{}", files[0].1);
    }

    #[test]
    fn a_folder_that_cannot_be_written_is_refused() {
        let file = std::env::temp_dir().join(format!("assay-no-folder-{}", std::process::id()));
        std::fs::write(&file, "no folder").unwrap();
        for folder in [file.clone(), file.join("below")] {
            let refused = ReportArgs { html: None, figures: Some(folder.clone()) }.prepare().unwrap_err();
            let text = format!("{refused:#}");
            assert!(text.starts_with(&format!("--figures {}: no file can be", folder.display())), "{text}");
        }
        std::fs::remove_file(file).unwrap();
    }

    #[test]
    fn what_is_not_ours_is_escaped_and_nothing_is_loaded() {
        let mut report = HtmlReport::headless("age");
        report.fact("Command", &"<script>alert(1)</script>");
        let rows = [vec!["a\" onload=\"x".to_owned(), "<img src=x>".to_owned()]];
        report.section("Groups", "<b>", &table(&["<i>", "n"], rows));
        let text = report.render().into_string();
        for hostile in ["<script", "<img", "<b>", "<i>", "src=\"http", "href="] {
            assert!(!text.contains(hostile), "{hostile}: {text}");
        }
        assert!(text.contains("default-src 'none'"));
    }

    #[test]
    fn a_thumbnail_keeps_its_proportions_and_is_not_enlarged() {
        let wide = Picture::new(400, 100, vec![90; 400 * 100 * 3]).unwrap();
        let shown = thumbnail(&wide, 96, "a page").unwrap().into_string();
        assert!(shown.contains("width=\"96\" height=\"24\"") && shown.contains("alt=\"a page\""), "{shown}");
        assert!(thumbnail(&wide, 4000, "").unwrap().into_string().contains("width=\"400\""));
    }
}
