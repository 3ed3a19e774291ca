//! `POST /accounts/{accountId}/profiles/bulk`

use super::{
    super::{
        ModerationApiError,
        authentication::ProfilesManage,
        created::{BulkResults, RefusedItem},
        error,
        path::AccountPath,
        request::{AccountRequest, CommandPayload, ReceivedCommand, read_items},
        violations::CommandViolations,
    },
    enrol::{EnrolProfileRequest, EnrolledProfileBody, PreparedProfile, ProfileEnrolment},
};
use crate::{
    ApiState,
    http::idempotency::{IdempotencyKeyHeader, idempotent, stored_response},
};
use axum::{extract::State, http::StatusCode, response::Response};
use serde_json::Value;
use std::time::Duration;
use tokio::time::Instant;
use utoipa::ToSchema;

/// Pictures that are not looked at within this time are refused: with a busy machine, and less than the time for which a picture
/// is kept that belongs to no profile yet.
const MAX_PREPARATION_TIME: Duration = Duration::from_mins(5);

/// The profiles to create.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct EnrolManyProfilesRequest {
    /// The profiles.
    #[schema(value_type = Vec<EnrolProfileRequest>, min_items = 1, max_items = 1000)]
    profiles: Option<Vec<Value>>,
}

impl CommandPayload for EnrolManyProfilesRequest {
    type Command = Vec<Result<ProfileEnrolment, RefusedItem>>;

    const MAX_BODY_BYTES: usize = 64 << 20;
    const REQUIRES_JSON_CONTENT_TYPE: bool = true;

    fn into_command(self, api: &ApiState, violations: &mut CommandViolations) -> Option<Self::Command> {
        read_items::<EnrolProfileRequest>(api, violations, "profiles", self.profiles)
    }
}

/// Create many profiles.
///
/// Each is created or refused by itself; the answer says which. The pictures are looked at one after another, so that nobody
/// else has to wait: a request with many takes as long as one request for each. Pictures that could not be looked at within five
/// minutes are refused with `UNAVAILABLE`. Where a limit of the application would be broken, nothing is created. The body has at
/// most 64 MiB.
#[utoipa::path(
    post, path = "/accounts/{accountId}/profiles/bulk", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(AccountPath, IdempotencyKeyHeader),
    request_body(content = EnrolManyProfilesRequest, example = json!({ "profiles": [
        { "display_name": "Ada", "reference": "customer-1" }, { "display_name": "Grace", "reference": "customer-2" },
    ] })),
    responses((status = 200, description = "What became of each.", body = BulkResults<EnrolledProfileBody>), error::CreateErrors),
)]
pub(crate) async fn enrol_many_profiles(
    State(api): State<ApiState>,
    mut request: AccountRequest<ProfilesManage, AccountPath, ReceivedCommand<EnrolManyProfilesRequest>>,
) -> Result<Response, ModerationApiError> {
    // Before the pictures are looked at, which takes long.
    if let Some(answer) = stored_response(&api, &request.fingerprint()).await? {
        return Ok(answer);
    }
    let account = request.account.id;
    let until = Instant::now() + MAX_PREPARATION_TIME;
    let mut prepared: Vec<Result<_, RefusedItem>> = Vec::with_capacity(request.input.command.len());
    for item in &mut request.input.command {
        prepared.push(match item {
            Ok(_) if Instant::now() >= until => Err(ModerationApiError::busy(Duration::from_secs(1)).into()),
            Ok(profile) => {
                profile.prepare(&api, account).await.map_err(|error| ModerationApiError::from(error).into())
            }
            Err(refused) => Err(refused.clone()),
        });
    }
    let mut is_made = false;
    let answer = idempotent(&api, request.fingerprint(), async |tx| {
        request.lock_account(tx).await?;
        let mut results = Vec::with_capacity(prepared.len());
        for (item, prepared) in request.input.command.iter().zip(&prepared) {
            results.push(match (item, prepared) {
                (Ok(profile), Ok(PreparedProfile { face, warnings })) => {
                    let ProfileEnrolment { kind, details, .. } = profile;
                    let id = api.faces.create_profile(tx, account, *kind, details, face.as_ref()).await?;
                    is_made = true;
                    Ok(EnrolledProfileBody { id, warnings: warnings.clone() })
                }
                (_, Err(refused)) | (Err(refused), Ok(_)) => Err(refused.clone()),
            });
        }
        Ok((StatusCode::OK, BulkResults::from_iter(results)))
    })
    .await;
    if answer.is_ok() && is_made {
        api.faces.apply_committed_changes(account).await;
    } else {
        for face in prepared.into_iter().flatten().filter_map(|prepared| prepared.face) {
            api.faces.discard_prepared_face(face).await;
        }
    }
    answer
}
