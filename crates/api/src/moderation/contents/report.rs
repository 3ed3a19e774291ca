//! `POST /accounts/{accountId}/contents/{id}/reports`

use super::super::{
    Problem,
    accounts::open::Created,
    sent::{Ids, Sent},
};
use crate::{Api, http::idempotency::idempotent};
use axum::{extract::State, http::StatusCode, response::Response};
use base::{AccountId, ContentId};
use domain::{accounts::Scope, content::reports};
use utoipa::ToSchema;

/// What is wrong with a content.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ReportInput {
    /// 1 to 500 characters.
    #[schema(value_type = String, min_length = 1, max_length = 500)]
    reason: Option<String>,
}

/// Report a content.
#[utoipa::path(
    post, path = "/accounts/{accountId}/contents/{id}/reports", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("id" = Uuid, Path, description = "The content."),
    ),
    request_body = ReportInput,
    responses((status = 201, description = "It is reported.", body = Created<Uuid>), Problem),
)]
pub(crate) async fn report_content(
    State(api): State<Api>,
    Ids((account, content)): Ids<(AccountId, ContentId)>,
    sent: Sent<ReportInput>,
) -> Result<Response, Problem> {
    idempotent(&api, sent.identity(), async |tx| {
        let account = sent.caller.enter_to_write(tx, account, Scope::ReportsManage).await?;
        let reason =
            sent.body.reason.as_deref().ok_or_else(|| Problem::violation("reason", "it is required"))?;
        let id = reports::make(tx, &*api.world, account, content, reason).await?;
        Ok((StatusCode::CREATED, Created { id }))
    })
    .await
}
