//! `POST /accounts/{accountId}/profiles/{profileId}/faces`

use super::{
    super::{
        Problem,
        authentication::ProfilesManage,
        created::Created,
        error,
        path::ProfilePath,
        request::{AccountRequest, Payload, Sent},
        violations::Violations,
    },
    fields::picture,
};
use crate::{
    Api,
    http::idempotency::{IdempotencyKeyHeader, earlier_answer, idempotent},
};
use axum::{extract::State, http::StatusCode, response::Response};
use std::mem;
use utoipa::ToSchema;

/// A further face.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NewFace {
    /// A picture of exactly one face, JPEG or PNG in base64: sharp, lit and looking into the camera.
    #[schema(value_type = String, content_encoding = "base64")]
    face: Option<String>,
}

impl Payload for NewFace {
    type Command = Vec<u8>;

    fn into_command(self, _api: &Api, violations: &mut Violations) -> Option<Vec<u8>> {
        let face = violations.required("face", self.face)?;
        violations.check(picture(&face))
    }
}

/// Add a face to a profile.
///
/// It must be the same person: otherwise `FACE_REFUSED` says how far it is from the profile's faces. A profile has at most
/// 10 faces, and needs `biometric_consent`.
#[utoipa::path(
    post, path = "/accounts/{accountId}/profiles/{profileId}/faces", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(ProfilePath, IdempotencyKeyHeader),
    request_body(content = NewFace, example = json!({ "face": "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAAEB…" })),
    responses((status = 201, description = "It is enrolled, and searches find it.", body = Created), error::Enrolling),
)]
pub(crate) async fn add_face(
    State(api): State<Api>,
    mut request: AccountRequest<ProfilesManage, ProfilePath, Sent<NewFace>>,
) -> Result<Response, Problem> {
    let (account, profile) = (request.account.id, request.path.profile);
    let room = api.faces.has_room(&mut api.db.read().await?, account, profile).await;
    if let Err(full) = room {
        // A repeat may come when the profile has become full by what it repeats.
        return earlier_answer(&api, &request.identity()).await?.ok_or_else(|| full.into());
    }
    let picture = mem::take(&mut request.input.command);
    let face = api.faces.prepare(account, Some(profile), picture).await?;
    let mut is_added = false;
    let answer = idempotent(&api, request.identity(), async |tx| {
        request.hold(tx).await?;
        let id = api.faces.add(tx, account, profile, &face).await?;
        is_added = true;
        Ok((StatusCode::CREATED, Created::new(id)))
    })
    .await;
    if answer.is_ok() && is_added {
        api.faces.settle(account).await;
    } else {
        api.faces.abandon(face).await;
    }
    answer
}
