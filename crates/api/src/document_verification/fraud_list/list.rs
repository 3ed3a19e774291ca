//! `GET /idverify/v1/fraud-list`

use crate::{
    ApiState,
    document_verification::{DocumentApiError, auth::RelyingPartyRequest, error},
};
use axum::{
    Json,
    extract::{Query, State, rejection::QueryRejection},
};
use base::{FraudListEntryId, Timestamp};
use domain::{
    Violation,
    document_verification::fraud_list::{FraudListEntry, FraudListKind},
};
use utoipa::{IntoParams, ToSchema};

/// Which page.
#[derive(serde::Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct FraudListParams {
    /// From 1.
    #[param(minimum = 1, default = 1)]
    page: Option<u32>,
}

/// A page of the list.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct FraudListView {
    /// The newest first.
    #[schema(max_items = 100)]
    entries: Vec<FraudListEntryView>,
    /// On all pages.
    #[schema(minimum = 0)]
    total_count: i64,
}

/// An entry. Neither a number nor a face is ever given out.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct FraudListEntryView {
    /// Who listed it.
    author: String,
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it ends; absent if it lasts until it is removed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, format = DateTime, required = false)]
    expires_at: Option<Timestamp>,
    #[schema(value_type = Uuid)]
    id: FraudListEntryId,
    /// Why it is listed.
    reason: String,
    #[serde(rename = "type")]
    kind: FraudListKind,
}

impl From<FraudListEntry> for FraudListEntryView {
    fn from(entry: FraudListEntry) -> Self {
        Self {
            author: entry.author,
            created_at: entry.created_at,
            expires_at: entry.expires_at,
            id: entry.id,
            reason: entry.reason,
            kind: entry.kind,
        }
    }
}

/// List the documents and faces that are used for fraud, 100 to a page.
#[utoipa::path(
    get, path = "/idverify/v1/fraud-list", tag = "fraud list", security(("signature" = []), ("bearer" = [])),
    params(FraudListParams),
    responses((status = 200, description = "A page; empty past the end.", body = FraudListView), error::ListFraudListErrors),
)]
pub(crate) async fn list_fraud_list(
    State(api): State<ApiState>,
    params: Result<Query<FraudListParams>, QueryRejection>,
    party: RelyingPartyRequest,
) -> Result<Json<FraudListView>, DocumentApiError> {
    party.require_production()?;
    let page = match params {
        Ok(Query(FraudListParams { page })) => page.unwrap_or(1),
        Err(_) => 0,
    };
    if page == 0 {
        return Err(vec![Violation::new("page", "it must be a whole number of at least 1")].into());
    }
    let mut view = api.db.read().await?;
    let found = api.document_verification.list_fraud_list(&mut view, party.app, page).await?;
    let entries = found.entries.into_iter().map(Into::into).collect();
    Ok(Json(FraudListView { entries, total_count: found.total_count }))
}
