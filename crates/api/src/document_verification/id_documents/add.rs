//! `POST /idverify/v1/sessions/{sessionId}/resources/id-documents`

use crate::{
    ApiState,
    document_verification::{
        DocumentApiError,
        auth::{AuthenticatedRequest, EndUserRequest},
        error,
        sessions::view::IdDocumentView,
    },
    http::idempotency::IdempotencyKeyHeader,
};
use axum::{Json, extract::State, http::StatusCode};
use domain::document_verification::{NewDocument, types::ResourceKind};
use utoipa::ToSchema;

/// The identity document to create a resource for.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NewIdDocument {
    /// `PASSPORT`, `NATIONAL_ID`, `RESIDENCE_PERMIT` or `DRIVING_LICENCE`, in any case.
    #[schema(value_type = String, example = "PASSPORT")]
    document_type: Option<String>,
    /// ISO 3166-1 alpha-3.
    #[schema(value_type = String, pattern = "^[A-Za-z]{3}$", example = "SWE")]
    issuing_country: Option<String>,
    /// The requirement of the configuration that it is for. Default: the first that it satisfies.
    requirement_id: Option<String>,
}

/// Create a resource for an identity document.
///
/// Its `id` is part of the paths of its pages. A repeat with the same `Idempotency-Key` and body makes nothing more for as
/// long as there is the session.
#[utoipa::path(
    post, path = "/idverify/v1/sessions/{sessionId}/resources/id-documents", tag = "person", security(("session" = [])),
    params(
        ("sessionId" = Uuid, Path, description = "The session."),
        IdempotencyKeyHeader,
    ),
    request_body(content = NewIdDocument, example = json!({ "document_type": "PASSPORT", "issuing_country": "SWE" })),
    responses((status = 201, description = "The resource is created.", body = IdDocumentView), error::AddResourceErrors),
)]
pub(crate) async fn add_id_document(
    State(api): State<ApiState>,
    AuthenticatedRequest { caller, body }: AuthenticatedRequest<EndUserRequest, NewIdDocument>,
) -> Result<(StatusCode, Json<IdDocumentView>), DocumentApiError> {
    let NewIdDocument { document_type, issuing_country, requirement_id } = body;
    let (session, repeat) = (&caller.user.stored.session, caller.request.end_user_fingerprint()?);
    let new = NewDocument { document_type, issuing_country, requirement_id };
    let (kind, device) = (ResourceKind::IdDocument, caller.user.device);
    let resource = api.document_verification.add_document(session.id, kind, new, &repeat, device).await?;
    Ok((StatusCode::CREATED, Json(IdDocumentView::of(session, &resource))))
}
