//! `GET /accounts/{accountId}/moderations/{moderationId}/report`

use super::super::{
    ModerationApiError, authentication::ReportsView, error, path::ModerationPath, query::ReportQuery,
    request::AccountRequest,
};
use crate::ApiState;
use axum::{Json, extract::State};
use base::{ModerationFindingId, ProfileId};
use domain::content_moderation::{
    AgeGroup, FaceFinding, FaceMeasurements, ModerationReport, ModerationState,
};
use utoipa::ToSchema;

/// What a moderation found.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = ModerationReport)]
pub(crate) struct ModerationReportBody {
    /// Whether a banned profile was seen.
    banned_faces: bool,
    /// Whether an unknown face was seen.
    unknown_faces: bool,
    /// The age groups that were seen, each once.
    #[schema(example = json!(["adult"]))]
    age_groups: Vec<AgeGroup>,
    /// The content's address; none of a file that was uploaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// Whether it has ended: until then there may be more, and one that failed or was stopped did not see everything.
    state: ModerationState,
    /// How many appearances of faces there are.
    #[schema(minimum = 0)]
    total_count: i64,
    /// A page of them, in the order in which they began.
    #[schema(max_items = 10000)]
    face_check_results: Vec<FaceCheckResultBody>,
}

/// An appearance of a face.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = FaceCheckResult)]
pub(crate) struct FaceCheckResultBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: ModerationFindingId,
    /// The position in the content, seconds.
    #[schema(minimum = 0)]
    frame_time: f64,
    /// Whether it belongs to a banned profile.
    is_banned: bool,
    /// The age group that it looks like.
    age_group: AgeGroup,
    /// The profile that it belongs to, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    profile_id: Option<ProfileId>,
    /// Upper edge, pixels of the content.
    face_top: i64,
    /// Right edge.
    face_right: i64,
    /// Lower edge.
    face_bottom: i64,
    /// Left edge.
    face_left: i64,
    /// The numbers behind it; absent where an older version of the server found it.
    #[serde(skip_serializing_if = "Option::is_none")]
    measurements: Option<FaceMeasurementsBody>,
}

/// The numbers behind what is said of a face.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = FaceMeasurements)]
pub(crate) struct FaceMeasurementsBody {
    /// The distance to the nearest face of the profile that it matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    distance: Option<f32>,
    /// The greatest distance at which it would have matched a profile.
    #[schema(minimum = 0)]
    max_distance: f32,
    /// SHA-256 of the model that compares faces, hexadecimal.
    model: String,
    /// The estimated age, years; in a video the median of the clearest pictures.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    years: Option<f32>,
    /// The lower end of the age's 80 % interval, years.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    years_low: Option<f32>,
    /// The upper end.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0)]
    years_high: Option<f32>,
    /// How clear the face is in its best picture.
    #[schema(minimum = 0, maximum = 1)]
    quality: f32,
    /// How sure the detector is that it is one.
    #[schema(minimum = 0, maximum = 1)]
    score: f32,
}

impl From<FaceMeasurements> for FaceMeasurementsBody {
    fn from(measured: FaceMeasurements) -> Self {
        let (years_low, years_high) = measured.years_interval.unzip();
        Self {
            distance: measured.distance,
            max_distance: measured.max_distance,
            model: measured.model,
            years: measured.years,
            years_low,
            years_high,
            quality: measured.quality,
            score: measured.score,
        }
    }
}

impl From<FaceFinding> for FaceCheckResultBody {
    fn from(found: FaceFinding) -> Self {
        Self {
            id: found.id,
            frame_time: found.frame_time,
            is_banned: found.is_banned,
            age_group: found.age_group,
            profile_id: found.profile_id,
            face_top: found.face_top,
            face_right: found.face_right,
            face_bottom: found.face_bottom,
            face_left: found.face_left,
            measurements: found.measurements.map(|measured| measured.0.into()),
        }
    }
}

/// See what a moderation found so far.
///
/// A page shows 10,000 appearances; `total_count` tells how many there are. Everything else is said of all of them,
/// whatever the page.
#[utoipa::path(
    get, path = "/accounts/{accountId}/moderations/{moderationId}/report", tag = "moderations",
    security(("api key" = [], "application" = [])),
    params(ModerationPath, ReportQuery),
    responses((status = 200, description = "What was found so far.", body = ModerationReportBody), error::ListErrors),
)]
pub(crate) async fn moderation_report(
    State(api): State<ApiState>,
    request: AccountRequest<ReportsView, ModerationPath, ReportQuery>,
) -> Result<Json<ModerationReportBody>, ModerationApiError> {
    let mut view = api.db.read().await?;
    let (moderation, offset) = (request.path.moderation, request.input.offset());
    let report = api.content_moderation.report(&mut view, request.account.id, moderation, offset).await?;
    Ok(Json(report.ok_or_else(|| ModerationApiError::not_found("moderation"))?.into()))
}

impl From<ModerationReport> for ModerationReportBody {
    fn from(report: ModerationReport) -> Self {
        Self {
            banned_faces: report.has_banned_faces,
            unknown_faces: report.has_unknown_faces,
            age_groups: report.age_groups,
            url: report.location.url().map(str::to_owned),
            state: report.state,
            total_count: report.total,
            face_check_results: report.findings.into_iter().map(Into::into).collect(),
        }
    }
}
