//! `POST /accounts/{accountId}/contents/bulk`

use super::{
    super::{
        ModerationApiError,
        authentication::ContentsManage,
        created::{BulkResults, CreatedResource, RefusedItem},
        error,
        path::AccountPath,
        request::{AccountRequest, CommandPayload, ReceivedCommand, read_items},
        violations::CommandViolations,
    },
    register::RegisterContentRequest,
};
use crate::{
    ApiState,
    http::idempotency::{IdempotencyKeyHeader, idempotent},
};
use axum::{extract::State, http::StatusCode, response::Response};
use domain::content_moderation::contents::{self, ContentError, ContentRequest};
use serde_json::Value;
use utoipa::ToSchema;

/// The contents to register.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct RegisterManyContentsRequest {
    /// The contents.
    #[schema(value_type = Vec<RegisterContentRequest>, min_items = 1, max_items = 1000)]
    contents: Option<Vec<Value>>,
}

impl CommandPayload for RegisterManyContentsRequest {
    type Command = Vec<Result<ContentRequest, RefusedItem>>;

    fn into_command(self, api: &ApiState, violations: &mut CommandViolations) -> Option<Self::Command> {
        read_items::<RegisterContentRequest>(api, violations, "contents", self.contents)
    }
}

/// Register many contents.
///
/// Each is registered or refused by itself; the answer says which.
#[utoipa::path(
    post, path = "/accounts/{accountId}/contents/bulk", tag = "contents",
    security(("api key" = [], "application" = [])),
    params(AccountPath, IdempotencyKeyHeader),
    request_body(content = RegisterManyContentsRequest, example = json!({ "contents": [
        { "url": "https://media.example.com/1.jpg", "type": "IMAGE" },
        { "url": "https://media.example.com/2.mp4", "type": "VIDEO", "title": "Trailer" },
    ] })),
    responses((status = 200, description = "What became of each.", body = BulkResults<CreatedResource>), error::CreateErrors),
)]
pub(crate) async fn register_many_contents(
    State(api): State<ApiState>,
    request: AccountRequest<ContentsManage, AccountPath, ReceivedCommand<RegisterManyContentsRequest>>,
) -> Result<Response, ModerationApiError> {
    let account = request.account.id;
    idempotent(&api, request.fingerprint(), async |tx| {
        request.lock_account(tx).await?;
        let stores = (&api.faces, api.content_moderation.uploads());
        let mut results = Vec::with_capacity(request.input.command.len());
        for item in &request.input.command {
            results.push(match item {
                Ok(new) => {
                    match contents::register(tx, &*api.environment, stores, account, new.clone()).await {
                        Ok(id) => Ok(CreatedResource::new(id)),
                        Err(ContentError::Db(error)) => return Err(error.into()),
                        Err(refused) => Err(ModerationApiError::from(refused).into()),
                    }
                }
                Err(refused) => Err(refused.clone()),
            });
        }
        Ok((StatusCode::OK, BulkResults::from_iter(results)))
    })
    .await
}
