//! `POST /console/cases/{caseId}/views`

use super::{
    body::ExposureBody,
    request::{CasePath, Command, ReviewerRequest},
};
use crate::{
    ApiState,
    console::CaseCommandErrors,
    content_moderation::{CommandPayload, CommandViolations, ModerationApiError},
};
use axum::{Json, extract::State};
use domain::{Violation, cases::PictureView};
use utoipa::ToSchema;

/// How many pictures one report may have.
const MAX_VIEWS: usize = 50;

/// Which pictures were looked at.
#[derive(serde::Deserialize, ToSchema)]
pub(in crate::console) struct RecordViewsRequest {
    #[schema(min_items = 1, max_items = 50)]
    views: Option<Vec<PictureViewInput>>,
}

/// A picture that was looked at.
#[derive(serde::Deserialize, ToSchema)]
struct PictureViewInput {
    /// The name of the picture in the case.
    #[schema(max_length = 40)]
    picture: String,
    /// For how long, in seconds.
    #[schema(minimum = 0, maximum = 600)]
    seconds: f64,
}

impl CommandPayload for RecordViewsRequest {
    type Command = Vec<PictureView>;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<Vec<PictureView>> {
        let views = violations.required("views", self.views)?;
        if !(1..=MAX_VIEWS).contains(&views.len()) {
            violations
                .push(Violation::new("views", format!("it has 1 to {MAX_VIEWS} items, not {}", views.len())));
            return None;
        }
        let view = |view: PictureViewInput| PictureView { picture: view.picture, seconds: view.seconds };
        Some(views.into_iter().map(view).collect())
    }
}

/// Report which pictures of a case were looked at, and for how long.
#[utoipa::path(
    post, path = "/console/cases/{caseId}/views", tag = "cases", security(("session" = [], "console" = [])),
    params(CasePath),
    request_body(content = RecordViewsRequest, example = json!({ "views": [{ "picture": "face", "seconds": 2.4 }] })),
    responses((status = 200, description = "How long they have looked by now.", body = ExposureBody), CaseCommandErrors),
)]
pub(in crate::console) async fn record_views(
    State(api): State<ApiState>,
    request: ReviewerRequest<CasePath, Command<RecordViewsRequest>>,
) -> Result<Json<ExposureBody>, ModerationApiError> {
    let mut tx = request.begin(&api).await?;
    api.cases.record_views(&mut tx, &request.reviewer, request.path.case, &request.input.0).await?;
    let exposure = api.cases.exposure(&mut tx, &request.reviewer).await?;
    tx.commit().await?;
    Ok(Json(exposure.into()))
}
