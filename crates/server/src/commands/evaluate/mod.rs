//! `assay evaluate …`: the operator's own accuracy and fairness table.

mod age;
mod antispoofing;
mod bias;
mod documents;
mod matching;
mod robustness;
mod statistics;

use crate::config::Config;
use anyhow::{Context as _, bail};
use base::Picture;
use clap::Subcommand;
use domain::image_analysis::{
    AnalysisError, AnalysisRequest, AnalysisRules, ImageAnalyser, ImageAnalysis, LivenessAssurance,
};
use media::image_validation;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

#[derive(Subcommand)]
pub(crate) enum EvaluateCommand {
    /// Age: error, bias, coverage of the stated interval, and the worst group.
    Age(age::EvaluateAgeArgs),
    /// Liveness in the terms of ISO/IEC 30107-3: APCER, BPCER and EER.
    Antispoofing(antispoofing::EvaluateAntispoofingArgs),
    /// Recognition in the terms of ISO/IEC 19795-1: false matches, false non-matches, and the curve between them.
    Match(matching::EvaluateMatchArgs),
    /// Robustness: how simulated blur, darkness, masks and the like move the estimated age, and what the gate refuses.
    Robustness(robustness::EvaluateRobustnessArgs),
    /// Documents: how many machine readable zones are read exactly.
    Documents(documents::EvaluateDocumentsArgs),
}

/// What both tables are made from.
#[derive(clap::Args)]
pub(crate) struct LabelledInputArgs {
    /// A CSV file: `path` (relative to the file), `age` in years or `label` real/fake, and any further columns, each of
    /// which becomes a way to group.
    #[arg(long, value_name = "FILE")]
    labels: PathBuf,
    /// Relaxed mode: limits on the face halved; file size, JPEG quality and light not looked at.
    #[arg(long)]
    relaxed: bool,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

impl EvaluateCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        match self {
            Self::Documents(documents) => documents.run(config).await,
            Self::Age(age) => age.run(config),
            Self::Antispoofing(antispoofing) => antispoofing.run(config),
            Self::Match(matching) => matching.run(config),
            Self::Robustness(robustness) => robustness.run(config),
        }
    }
}

/// A picture file of any size, for the tools; requests go through the strict gate instead.
pub(crate) fn open_photo(file: &Path) -> anyhow::Result<Picture> {
    let photo = image::open(file).with_context(|| format!("{} cannot be read", file.display()))?.into_rgb8();
    let (width, height) = photo.dimensions();
    Picture::new(width, height, photo.into_raw()).context("the picture is empty")
}

/// A picture file of any size and quality: decoded as requests are, which makes it upright, or, where no request may
/// have it (greyscale, other formats), as it lies.
fn open_any(bytes: &[u8]) -> Option<Picture> {
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
    let upright = image_validation::inspect(bytes, &rules)
        .and_then(|header| image_validation::decode(bytes, &header, &rules));
    upright.ok().or_else(|| {
        let photo = image::load_from_memory(bytes).ok()?.into_rgb8();
        let (width, height) = photo.dimensions();
        Picture::new(width, height, photo.into_raw())
    })
}

/// A labelled picture.
struct LabelledPicture<L> {
    path: PathBuf,
    label: L,
    /// The other columns.
    groups: bias::SubjectColumns,
}

/// Reads the CSV; `label` is the name of the column that `parse` reads.
fn read<L>(
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
        let row = row.with_context(|| format!("{} is no CSV", file.display()))?;
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

/// Asks the same estimator that answers requests.
struct AnalysisRunner {
    image_analyser: ImageAnalyser,
    runtime: tokio::runtime::Handle,
    refused: BTreeMap<String, usize>,
}

impl AnalysisRunner {
    fn new(config: &Config) -> anyhow::Result<Self> {
        Self::with(config, config.image_analysis_rules())
    }

    fn with(config: &Config, rules: AnalysisRules) -> anyhow::Result<Self> {
        let estimator = ImageAnalyser::new(rules);
        estimator.load(&config.model_settings())?;
        Ok(Self {
            image_analyser: estimator,
            runtime: tokio::runtime::Handle::current(),
            refused: BTreeMap::new(),
        })
    }

    /// The finding of a file, or `None` and a count of the reason.
    fn ask(&mut self, file: &Path, relaxed: bool, liveness: bool) -> anyhow::Result<Option<ImageAnalysis>> {
        let image = std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
        let ask = AnalysisRequest {
            image,
            relaxed,
            age: !liveness,
            liveness: liveness.then_some(LivenessAssurance::Medium),
        };
        self.answer(ask)
    }

    /// The age in a picture, with all limits.
    fn ask_bytes(&mut self, image: Vec<u8>) -> anyhow::Result<Option<ImageAnalysis>> {
        self.answer(AnalysisRequest { image, relaxed: false, age: true, liveness: None })
    }

    fn answer(&mut self, ask: AnalysisRequest) -> anyhow::Result<Option<ImageAnalysis>> {
        let answer = tokio::task::block_in_place(|| self.runtime.block_on(self.image_analyser.analyse(ask)));
        let reason = match answer {
            Ok(finding) => return Ok(Some(finding)),
            Err(AnalysisError::Image(refusal)) => refusal.code.as_str().to_owned(),
            Err(AnalysisError::Face(problem)) => format!("{:?}", problem.code),
            Err(other) => return Err(other.into()),
        };
        *self.refused.entry(reason).or_default() += 1;
        Ok(None)
    }
}
