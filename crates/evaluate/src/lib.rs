//! `assay evaluate …`: measures the accuracy and fairness of the models on the operator's own labelled pictures,
//! through the same image gate, pool and thresholds that answer requests. The binary hands over the arguments and its
//! settings.

mod age;
mod antispoofing;
mod bias;
mod documents;
#[cfg(test)]
mod figure_tests;
mod html_report;
mod matching;
pub mod output;
mod robustness;
mod statistics;

use anyhow::{Context as _, bail};
use base::Picture;
use clap::Subcommand;
use domain::image_analysis::{
    AnalysisError, AnalysisRequest, AnalysisRules, ImageAnalyser, ImageAnalysis, LivenessAssurance,
    ModelPoolSettings,
};
use media::image_validation;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    time::Duration,
};

#[derive(Subcommand)]
pub enum EvaluateCommand {
    /// Age: error, bias, coverage of the stated interval, and the worst group.
    Age(age::EvaluateAgeArgs),
    /// Liveness in the terms of ISO/IEC 30107-3: APCER, BPCER and EER.
    Antispoofing(antispoofing::EvaluateAntispoofingArgs),
    /// Recognition in the terms of ISO/IEC 19795-1: false matches, false non-matches, and the curve between them.
    Match(matching::EvaluateMatchArgs),
    /// Robustness: how simulated blur, darkness, masks and the like change the estimated age, and what the gate
    /// refuses.
    Robustness(robustness::EvaluateRobustnessArgs),
    /// Documents: how many machine-readable zones are read exactly.
    Documents(documents::EvaluateDocumentsArgs),
}

/// The part of the server's settings that measuring depends on.
#[derive(Clone, Debug)]
pub struct EvaluationSettings {
    /// Where the models are, and how many workers answer.
    pub models: ModelPoolSettings,
    /// Limits on images and faces, as they are for requests.
    pub rules: AnalysisRules,
    /// Share of people below a threshold who may pass it, 0 to 0.5 (`estimate.explained_rate`).
    pub explained_rate: f64,
}

/// Input of the commands that judge one labelled picture at a time.
#[derive(clap::Args)]
struct LabelledInputArgs {
    /// A CSV file: `path` (relative to the file), `age` in years or `label` real/fake, and further columns, by each of
    /// which pictures are grouped.
    #[arg(long, value_name = "FILE")]
    labels: PathBuf,
    /// Relaxed mode: limits on the face are halved; file size, JPEG quality and light are not checked.
    #[arg(long)]
    relaxed: bool,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    report: html_report::ReportArgs,
}

impl EvaluateCommand {
    /// Measures and prints the report. Runs on a multi-threaded tokio runtime.
    pub async fn run(self, settings: &EvaluationSettings) -> anyhow::Result<()> {
        match self {
            Self::Documents(documents) => documents.run(settings).await,
            Self::Age(age) => age.run(settings),
            Self::Antispoofing(antispoofing) => antispoofing.run(settings),
            Self::Match(matching) => matching.run(settings),
            Self::Robustness(robustness) => robustness.run(settings),
        }
    }
}

/// Decodes a picture of any size and quality: as requests are decoded, which applies the EXIF orientation, or, for what
/// the image gate refuses on any terms (greyscale, other formats), as the pixels are stored.
fn decode_leniently(bytes: &[u8]) -> Option<Picture> {
    let rules = image_validation::ImageLimits {
        min_bytes: None,
        max_bytes: None,
        min_jpeg_quality: None,
        min_height: 16,
        max_height: 16_000,
        min_width: 16,
        max_width: 16_000,
        min_pixels: 256,
        max_pixels: 100_000_000,
        min_coloured: 0.0,
    };
    let decoded = image_validation::inspect(bytes, &rules)
        .and_then(|header| image_validation::decode(bytes, &header, &rules));
    decoded.ok().or_else(|| {
        let photo = image::load_from_memory(bytes).ok()?.into_rgb8();
        let (width, height) = photo.dimensions();
        Picture::new(width, height, photo.into_raw())
    })
}

/// A row of a file of labels.
struct LabelledPicture<L> {
    path: PathBuf,
    label: L,
    /// All columns but path and label.
    groups: bias::SubjectColumns,
}

/// Reads a CSV file of labels; `label` are the names that the label's column may have, and `parse` reads its cells.
fn read_labels<L>(
    file: &Path,
    label: &[&str],
    parse: impl Fn(&str) -> Option<L>,
) -> anyhow::Result<Vec<LabelledPicture<L>>> {
    let mut reader =
        csv::Reader::from_path(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let columns = reader.headers()?.clone();
    let column = |names: &[&str]| columns.iter().position(|name| names.contains(&name.trim()));
    let Some(path_at) = column(&["path", "file"]) else { bail!("{} has no column `path`", file.display()) };
    let Some(label_at) = column(label) else { bail!("{} has no column `{}`", file.display(), label[0]) };
    let folder = file.parent().unwrap_or_else(|| Path::new("."));
    let mut rows = Vec::new();
    for (number, row) in reader.records().enumerate() {
        let row = row.with_context(|| format!("{} is not CSV", file.display()))?;
        let text = |at: usize| row.get(at).unwrap_or_default().trim();
        let Some(label) = parse(text(label_at)) else {
            bail!(
                "{}, row {}: {:?} is no {}",
                file.display(),
                number + 1,
                text(label_at),
                &columns[label_at]
            );
        };
        let groups = columns
            .iter()
            .enumerate()
            .filter(|(at, _)| *at != path_at && *at != label_at)
            .map(|(at, name)| (name.trim().to_owned(), text(at).to_owned()))
            .collect();
        rows.push(LabelledPicture { path: folder.join(text(path_at)), label, groups });
    }
    if rows.is_empty() {
        bail!("{} has no rows", file.display());
    }
    Ok(rows)
}

/// Analyses pictures with the pool that answers requests, and counts by reason what its gate refuses.
struct AnalysisRunner {
    image_analyser: ImageAnalyser,
    runtime: tokio::runtime::Handle,
    /// How many pictures were refused, by the code of the refusal.
    refused: BTreeMap<String, usize>,
}

impl AnalysisRunner {
    fn new(settings: &EvaluationSettings) -> anyhow::Result<Self> {
        Self::with_rules(settings, settings.rules.clone())
    }

    fn with_rules(settings: &EvaluationSettings, rules: AnalysisRules) -> anyhow::Result<Self> {
        let image_analyser = ImageAnalyser::new(rules);
        let mut models = settings.models.clone();
        // However slow the machine is, no picture is left out.
        models.queue.max_wait = Duration::MAX;
        image_analyser.load(&models)?;
        Ok(Self { image_analyser, runtime: tokio::runtime::Handle::current(), refused: BTreeMap::new() })
    }

    /// Analyses a file for liveness, or else for age; `None` where it is refused, which is counted.
    fn analyse_file(
        &mut self,
        file: &Path,
        relaxed: bool,
        liveness: bool,
    ) -> anyhow::Result<Option<ImageAnalysis>> {
        let image = std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
        self.analyse(AnalysisRequest {
            image,
            relaxed,
            age: !liveness,
            liveness: liveness.then_some(LivenessAssurance::Medium),
            sharpness: false,
        })
    }

    /// Analyses an image for age, under all limits.
    fn analyse_age(&mut self, image: Vec<u8>) -> anyhow::Result<Option<ImageAnalysis>> {
        self.analyse(AnalysisRequest { image, relaxed: false, age: true, liveness: None, sharpness: false })
    }

    fn analyse(&mut self, request: AnalysisRequest) -> anyhow::Result<Option<ImageAnalysis>> {
        let analysis =
            tokio::task::block_in_place(|| self.runtime.block_on(self.image_analyser.analyse(request)));
        let reason = match analysis {
            Ok(analysis) => return Ok(Some(analysis)),
            Err(AnalysisError::Image(refusal)) => refusal.code.as_str().to_owned(),
            Err(AnalysisError::Face(problem)) => format!("{:?}", problem.code),
            Err(other) => return Err(other.into()),
        };
        *self.refused.entry(reason).or_default() += 1;
        Ok(None)
    }
}
