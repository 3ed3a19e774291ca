//! `POST /accounts/{accountId}/profiles/{profileId}/faces` and `DELETE …/faces/{faceId}`

use super::{
    super::{
        Problem,
        accounts::open::Created,
        caller::Caller,
        sent::{Ids, Sent},
    },
    fields::picture,
};
use crate::{
    Api,
    http::idempotency::{earlier_answer, idempotent},
};
use axum::{extract::State, http::StatusCode, response::Response};
use base::{AccountId, FaceId, ProfileId};
use domain::accounts::Scope;
use utoipa::ToSchema;

/// A further face.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NewFace {
    /// A picture of exactly one face, JPEG or PNG in base64: sharp, lit and looking into the camera.
    #[schema(value_type = String, content_encoding = "base64")]
    face: Option<String>,
}

/// Add a face to a profile.
///
/// It must be the same person: otherwise `FACE_REFUSED` says how far it is from the profile's faces. A profile has at most
/// 10 faces, and needs `biometric_consent`.
#[utoipa::path(
    post, path = "/accounts/{accountId}/profiles/{profileId}/faces", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("profileId" = Uuid, Path, description = "The profile."),
    ),
    request_body = NewFace,
    responses((status = 201, description = "It is enrolled, and searches find it.", body = Created<Uuid>), Problem),
)]
pub(crate) async fn add_face(
    State(api): State<Api>,
    Ids((account, profile)): Ids<(AccountId, ProfileId)>,
    sent: Sent<NewFace>,
) -> Result<Response, Problem> {
    let mut view = api.db.read().await?;
    let account = sent.caller.enter(&mut view, account, Scope::ProfilesManage).await?;
    let face = sent.body.face.as_deref().ok_or_else(|| Problem::violation("face", "it is required"))?;
    let bytes = picture(face)?;
    // A repeat may come when the profile has become full by what it repeats.
    let room = api.faces.has_room(&mut view, account, profile).await;
    drop(view);
    if room.is_err()
        && let Some(answer) = earlier_answer(&api, &sent.identity()).await?
    {
        return Ok(answer);
    }
    room?;
    let face = api.faces.prepare(account, Some(profile), bytes).await?;
    let mut is_added = false;
    let answer = idempotent(&api, sent.identity(), async |tx| {
        sent.caller.enter_to_write(tx, account, Scope::ProfilesManage).await?;
        let id = api.faces.add(tx, account, profile, &face).await?;
        is_added = true;
        Ok((StatusCode::CREATED, Created { id }))
    })
    .await;
    if answer.is_ok() && is_added {
        api.faces.settle(account).await;
    } else {
        api.faces.abandon(face).await;
    }
    answer
}

/// Delete a face of a profile.
///
/// Its picture and embedding are gone when this is answered.
#[utoipa::path(
    delete, path = "/accounts/{accountId}/profiles/{profileId}/faces/{faceId}", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("profileId" = Uuid, Path, description = "The profile."),
        ("faceId" = Uuid, Path, description = "The face."),
    ),
    responses((status = 204, description = "It is gone."), Problem),
)]
pub(crate) async fn delete_face(
    State(api): State<Api>,
    caller: Caller,
    Ids((account, profile, face)): Ids<(AccountId, ProfileId, FaceId)>,
) -> Result<StatusCode, Problem> {
    let mut tx = api.db.write().await?;
    let account = caller.enter_to_write(&mut tx, account, Scope::ProfilesManage).await?;
    api.faces.remove(&mut tx, account, profile, face).await?;
    tx.commit().await?;
    api.faces.settle(account).await;
    Ok(StatusCode::NO_CONTENT)
}
