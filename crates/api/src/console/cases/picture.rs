//! `GET /console/cases/{caseId}/pictures/{name}`

use super::{
    age_appeal::CAPTURE_PICTURE,
    body::{ENROLLED_PREFIX, PORTRAIT_SIDE_PIXELS},
    request::ReviewerRequest,
};
use crate::{
    ApiState, console::CaseReadErrors, content_moderation::ModerationApiError, http::openapi::BinaryContent,
};
use axum::{
    extract::State,
    http::{HeaderValue, header},
    response::{IntoResponse as _, Response},
};
use base::{AccountId, CaseId, NotificationId};
use db::AuditEvent;
use domain::cases::CaseSubject;
use utoipa::IntoParams;

/// A picture of a case.
#[derive(serde::Deserialize, IntoParams)]
#[into_params(parameter_in = Path)]
pub(in crate::console) struct CasePicturePath {
    /// The case.
    #[serde(rename = "caseId")]
    #[param(rename = "caseId", value_type = Uuid)]
    case: CaseId,
    /// The picture, by its name in the case.
    name: String,
}

/// Read a picture of a case.
///
/// For whoever holds the case, was handed it or has decided about it, and for leads (`cases:manage`). That it was given out is in
/// the audit trail. It must not be cached.
#[utoipa::path(
    get, path = "/console/cases/{caseId}/pictures/{name}", tag = "cases", security(("session" = [], "console" = [])),
    params(CasePicturePath),
    responses(
        (status = 200, description = "The picture.", content((BinaryContent = "image/jpeg"), (BinaryContent = "image/png"))),
        CaseReadErrors
    ),
)]
pub(in crate::console) async fn get_picture(
    State(api): State<ApiState>,
    request: ReviewerRequest<CasePicturePath>,
) -> Result<Response, ModerationApiError> {
    let CasePicturePath { case, ref name } = request.path;
    let missing = || ModerationApiError::not_found("picture");
    let mut view = api.db.read().await?;
    let record = api.cases.find(&mut view, &request.reviewer, case).await?;
    if !api.cases.may_see_pictures(&mut view, &request.reviewer, case).await? {
        return Err(missing());
    }
    drop(view);
    let bytes = match (record.subject, record.account) {
        (CaseSubject::Check(check), _) => {
            let media = name.parse().map_err(|_| missing())?;
            let evidence = api.document_verification.review_evidence(record.app, check).await?;
            // Of the session's pictures, those that the check used.
            let used = evidence.is_some_and(|evidence| evidence.media().any(|known| known == media));
            if !used {
                return Err(missing());
            }
            api.document_verification
                .review_picture(record.app, check, media)
                .await
                .map_err(|error| ModerationApiError::unavailable(&error))?
        }
        (CaseSubject::Notification(id), Some(account)) => match name.strip_prefix(ENROLLED_PREFIX) {
            Some(face) => enrolled_picture(&api, (account, id), face).await?,
            None => api
                .content_moderation
                .finding_picture(account, id, name)
                .await
                .map_err(|error| ModerationApiError::unavailable(&error))?,
        },
        (CaseSubject::AgeSession(session), _) if name == CAPTURE_PICTURE => api
            .age_verification
            .appeal_picture(record.app, session)
            .await
            .map_err(|error| ModerationApiError::unavailable(&error))?,
        (CaseSubject::Notification(_), None) | (CaseSubject::AgeSession(_), _) => None,
    };
    let bytes = bytes.ok_or_else(missing)?;
    // Recorded before it is given out.
    let mut tx = request.begin(&api).await?;
    let event =
        AuditEvent::new("case.picture.view").app(record.app).account(request.reviewer.account).target(case);
    tx.audit(event.detail("picture", name.as_str()));
    tx.commit().await?;
    let content_type = if bytes.starts_with(b"\x89PNG") { "image/png" } else { "image/jpeg" };
    let headers = [
        (header::CONTENT_TYPE, HeaderValue::from_static(content_type)),
        (header::CACHE_CONTROL, HeaderValue::from_static("no-store")),
    ];
    Ok((headers, bytes).into_response())
}

/// A face of the person whom the notification's face was matched to, and of nobody else.
async fn enrolled_picture(
    api: &ApiState,
    (account, notification): (AccountId, NotificationId),
    face: &str,
) -> Result<Option<Vec<u8>>, ModerationApiError> {
    let details = {
        let mut view = api.db.read().await?;
        api.content_moderation.finding_details(&mut view, account, notification).await?
    };
    let person = details.and_then(|details| details.person);
    let (Some(person), Ok(face)) = (person, face.parse()) else { return Ok(None) };
    if !person.faces.iter().any(|known| known.id == face) {
        return Ok(None);
    }
    Ok(api.faces.enrolled_portrait(account, (person.id, face), PORTRAIT_SIDE_PIXELS).await?)
}
