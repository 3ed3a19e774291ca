//! `GET /accounts/{accountId}/moderations/{moderationId}/report`

use super::super::{
    ModerationApiError, authentication::ReportsView, error, path::ModerationPath, request::AccountRequest,
};
use crate::ApiState;
use axum::{Json, extract::State};
use base::{ModerationFindingId, ProfileId};
use domain::content_moderation::{AgeGroup, FaceFinding, ModerationReport};
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
    /// The content's address.
    url: String,
    /// Each appearance of a face.
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
        }
    }
}

/// See what a moderation found so far.
#[utoipa::path(
    get, path = "/accounts/{accountId}/moderations/{moderationId}/report", tag = "moderations",
    security(("api key" = [], "application" = [])),
    params(ModerationPath),
    responses((status = 200, description = "What was found so far.", body = ModerationReportBody), error::ReadErrors),
)]
pub(crate) async fn moderation_report(
    State(api): State<ApiState>,
    request: AccountRequest<ReportsView, ModerationPath>,
) -> Result<Json<ModerationReportBody>, ModerationApiError> {
    let mut view = api.db.read().await?;
    let report =
        api.content_moderation.report(&mut view, request.account.id, request.path.moderation).await?;
    Ok(Json(report.ok_or_else(|| ModerationApiError::not_found("moderation"))?.into()))
}

impl From<ModerationReport> for ModerationReportBody {
    fn from(report: ModerationReport) -> Self {
        let mut age_groups: Vec<AgeGroup> = Vec::new();
        for found in &report.findings {
            if !age_groups.contains(&found.age_group) {
                age_groups.push(found.age_group);
            }
        }
        Self {
            banned_faces: report.findings.iter().any(|found| found.is_banned),
            unknown_faces: report.findings.iter().any(|found| found.profile_id.is_none()),
            age_groups,
            url: report.url,
            face_check_results: report.findings.into_iter().map(Into::into).collect(),
        }
    }
}
