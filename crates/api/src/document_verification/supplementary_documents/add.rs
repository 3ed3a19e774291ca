//! `POST /idverify/v1/sessions/{sessionId}/resources/supplementary-documents`

use crate::{
    ApiState,
    document_verification::{
        DocumentApiError,
        auth::{AuthenticatedRequest, EndUserRequest},
        error,
        sessions::view::SupplementaryDocumentView,
    },
    http::idempotency::IdempotencyKeyHeader,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::document_verification::{NewDocument, types::ResourceKind};
use utoipa::ToSchema;

/// The supplementary document to create a resource for.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NewSupplementaryDocument {
    /// Any word.
    #[schema(example = "UTILITY_BILL")]
    document_type: Option<String>,
    /// ISO 3166-1 alpha-3.
    #[schema(pattern = "^[A-Za-z]{3}$", example = "SWE")]
    issuing_country: Option<String>,
    /// The requirement of the configuration that it is for. Default: the first that it satisfies.
    requirement_id: Option<String>,
}

/// Create a resource for a supplementary document.
///
/// Its `id` is part of the paths of its pages, or of its file. A repeat with the same `Idempotency-Key` and body makes nothing
/// more for as long as there is the session.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/resources/supplementary-documents", tag = "person", security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        IdempotencyKeyHeader,
    ),
    request_body(content = NewSupplementaryDocument, example = json!({ "document_type": "UTILITY_BILL", "issuing_country": "SWE" })),
    responses((status = 201, description = "The resource is created.", body = SupplementaryDocumentView), error::AddResourceErrors),
)]
pub(crate) async fn add_supplementary_document(
    State(api): State<ApiState>,
    AuthenticatedRequest { caller, body }: AuthenticatedRequest<EndUserRequest, NewSupplementaryDocument>,
) -> Result<(StatusCode, Json<SupplementaryDocumentView>), DocumentApiError> {
    let NewSupplementaryDocument { document_type, issuing_country, requirement_id } = body;
    let (session, repeat) = (&caller.user.stored.session, caller.request.end_user_fingerprint()?);
    let new = NewDocument { document_type, issuing_country, requirement_id };
    let (kind, device) = (ResourceKind::SupplementaryDocument, caller.user.device);
    let resource = api.document_verification.add_document(session.id, kind, new, &repeat, device).await?;
    Ok((StatusCode::CREATED, Json(SupplementaryDocumentView::of(session, &resource))))
}
