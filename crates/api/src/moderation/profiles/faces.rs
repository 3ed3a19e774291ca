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
use crate::Api;
use axum::{extract::State, http::StatusCode, response::Response};
use base::{AccountId, FaceId, ProfileId};
use domain::{accounts::Scope, faces::Prepared};
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
    let face = sent.body.face.as_deref().ok_or_else(|| Problem::wrong("face", "it is required"))?;
    let bytes = picture(face)?;
    // A repeat may come when the profile has become full by what it repeats.
    let room = api.faces.has_room(&mut view, account, profile).await;
    drop(view);
    if room.is_err() {
        let mut tx = api.db.write().await?;
        if let Err(answer) = sent.once(&api, &mut tx).await? {
            return Ok(answer);
        }
    }
    room?;
    let face = api.faces.prepare(account, Some(profile), bytes).await?;
    let added = add(&api, &sent, account, profile, &face).await;
    if matches!(added, Ok((_, true))) {
        api.faces.settle(account).await;
    } else {
        api.faces.abandon(face).await;
    }
    added.map(|(answer, _)| answer)
}

/// The answer, and whether it is a new one.
async fn add(
    api: &Api,
    sent: &Sent<NewFace>,
    account: AccountId,
    profile: ProfileId,
    face: &Prepared,
) -> Result<(Response, bool), Problem> {
    let mut tx = api.db.write().await?;
    sent.caller.enter_to_write(&mut tx, account, Scope::ProfilesManage).await?;
    let once = match sent.once(api, &mut tx).await? {
        Ok(once) => once,
        Err(answer) => return Ok((answer, false)),
    };
    let id = api.faces.add(&mut tx, account, profile, face).await?;
    Ok((once.answer(api, tx, StatusCode::CREATED, &Created { id }).await?, true))
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
