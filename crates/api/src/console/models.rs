//! `GET /console/models`: the models of the pack.

use super::{OperatorListErrors, permissions::ModelsView, request::ConsoleCall};
use crate::{
    ApiState,
    content_moderation::{ModerationApiError, ModerationErrorCode},
};
use axum::{Json, extract::State};
use domain::image_analysis::ModelsNotReadyError;
use std::collections::BTreeMap;
use utoipa::ToSchema;
use vision::model_manifest::{
    AgeErrorTable, FalseMatchThreshold, LivenessThresholds, ModelEntry, ModelOutput, ModelPack,
};

/// The models of this server.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct ModelList {
    /// In the order of the pack.
    models: Vec<ModelBody>,
}

/// A model.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Model)]
pub(super) struct ModelBody {
    /// Its name, unique in the pack.
    id: String,
    /// `detect`, `age`, `embed`, `liveness`, `quality`, `find-text`, `turn-text` or `read-text`.
    task: String,
    /// Whether it does that task in this server.
    in_use: bool,
    /// Whether its answers are not to be relied on yet.
    is_experimental: bool,
    /// SHA-256 of its file, hexadecimal. Absent: it is built into the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(min_length = 64, max_length = 64)]
    sha256: Option<String>,
    /// Size of its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    bytes: Option<u64>,
    /// Licence of the weights, as far as it is known.
    licence: String,
    /// Doubts about that licence.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(value_type = Option<String>)]
    licence_note: String,
    /// What it was trained on, as far as it is known.
    #[serde(skip_serializing_if = "String::is_empty")]
    #[schema(value_type = Option<String>)]
    training_data: String,
    /// Where it was converted from. Absent: it is our own.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<ModelSourceBody>,
    /// What the pack records of how well it does. Absent: nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy: Option<ModelAccuracy>,
}

/// Where a model was converted from.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = ModelSource)]
pub(super) struct ModelSourceBody {
    package: String,
    version: String,
    /// Version of the converter that made it.
    converter: String,
    /// SHA-256 of the files that it was made of, by their paths.
    files: BTreeMap<String, String>,
}

/// What is recorded of how well a model does.
#[derive(serde::Serialize, ToSchema)]
#[serde(tag = "of", rename_all = "kebab-case")]
pub(super) enum ModelAccuracy {
    /// The errors of estimated ages.
    AgeErrors(AgeAccuracy),
    /// How often different people are taken for the same.
    FalseMatches(MatchAccuracy),
    /// From which score a face counts as live.
    LivenessThresholds(LivenessAccuracy),
}

/// The errors of estimated ages.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct AgeAccuracy {
    /// Where the figures come from, and what they cover.
    covers: String,
    bands: Vec<AgeErrorBandBody>,
}

/// The errors of a band of estimated ages.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = AgeErrorBand)]
pub(super) struct AgeErrorBandBody {
    /// The estimated age at which the band begins, years; it ends where the next one begins.
    from_years: f32,
    /// Standard deviation of the error, years.
    standard_deviation_years: f32,
}

/// How often different people are taken for the same.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct MatchAccuracy {
    thresholds: Vec<FalseMatchRate>,
}

/// The false match rate (ISO/IEC 19795-1) at a distance.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct FalseMatchRate {
    #[schema(minimum = 0, maximum = 1)]
    rate: f64,
    /// The distance between two faces below which they count as the same person's.
    distance: f32,
}

/// The scores from which a face counts as live, by level of assurance, 0 to 1.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct LivenessAccuracy {
    low: f32,
    medium: f32,
    high: f32,
}

impl From<&AgeErrorTable> for AgeAccuracy {
    fn from(table: &AgeErrorTable) -> Self {
        let band = |band: &vision::model_manifest::AgeErrorBand| AgeErrorBandBody {
            from_years: band.from,
            standard_deviation_years: band.st_dev,
        };
        Self { covers: table.covers.clone(), bands: table.bands.iter().map(band).collect() }
    }
}

fn accuracy(output: &ModelOutput) -> Option<ModelAccuracy> {
    let liveness = |&LivenessThresholds { low, medium, high }: &LivenessThresholds| {
        ModelAccuracy::LivenessThresholds(LivenessAccuracy { low, medium, high })
    };
    match output {
        ModelOutput::AgeScalar { errors, .. } | ModelOutput::AgeSoftmax { errors, .. } => {
            Some(ModelAccuracy::AgeErrors(errors.into()))
        }
        ModelOutput::Embedding { thresholds, .. } if !thresholds.is_empty() => {
            let rate = |&FalseMatchThreshold { rate, distance }: &FalseMatchThreshold| FalseMatchRate {
                rate,
                distance,
            };
            Some(ModelAccuracy::FalseMatches(MatchAccuracy {
                thresholds: thresholds.iter().map(rate).collect(),
            }))
        }
        ModelOutput::PadSoftmax { thresholds, .. } | ModelOutput::PadSigmoid { thresholds, .. } => {
            Some(liveness(thresholds))
        }
        ModelOutput::Cues { thresholds } => thresholds.as_ref().map(liveness),
        ModelOutput::Embedding { .. }
        | ModelOutput::BlazefaceAnchors { .. }
        | ModelOutput::CaptureQuality { .. }
        | ModelOutput::TextRegions { .. }
        | ModelOutput::TextTurned { .. }
        | ModelOutput::TextCharacters { .. } => None,
    }
}

impl ModelBody {
    fn of(entry: ModelEntry, pack_serves: &BTreeMap<vision::model_manifest::ModelTask, String>) -> Self {
        let source = entry.source.map(|source| ModelSourceBody {
            package: source.package,
            version: source.version,
            converter: source.converter,
            files: source.files,
        });
        Self {
            in_use: pack_serves.get(&entry.task) == Some(&entry.id),
            accuracy: accuracy(&entry.output),
            id: entry.id,
            task: entry.task.to_string(),
            is_experimental: entry.experimental,
            bytes: entry.file.as_ref().map(|file| file.bytes),
            sha256: entry.file.map(|file| file.sha256),
            licence: entry.licence,
            licence_note: entry.licence_note,
            training_data: entry.training_data,
            source,
        }
    }
}

/// See the models: hashes, licences, where they come from, and what is known of how well they do. Needs `models:view`.
#[utoipa::path(
    get, path = "/console/models", tag = "health", security(("session" = [], "console" = [])),
    responses((status = 200, description = "The models.", body = ModelList), OperatorListErrors),
)]
pub(super) async fn list_models(
    State(api): State<ApiState>,
    _call: ConsoleCall<ModelsView>,
) -> Result<Json<ModelList>, ModerationApiError> {
    let ModelPack { models, serves, .. } = api.image_analyser.read_pack().await?;
    Ok(Json(ModelList { models: models.into_iter().map(|entry| ModelBody::of(entry, &serves)).collect() }))
}

impl From<ModelsNotReadyError> for ModerationApiError {
    fn from(error: ModelsNotReadyError) -> Self {
        Self::new(ModerationErrorCode::Unavailable, error.to_string())
    }
}
