//! Live faces of a session: one picture, or several as the face comes nearer.

pub(super) mod add_static;
pub(super) mod add_zoom;
pub(super) mod put_facemap;
pub(super) mod put_static_frame;
pub(super) mod put_zoom_frame;

use super::{Problem, caller::EndUserRequest};
use crate::{Api, http::json};
use base::ResourceId;
use domain::identity::{session::Media, words::LivenessType};
use utoipa::ToSchema;

/// For which requirement of the configuration.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NewLiveness {
    /// Its `id`. Default: the first of the type.
    requirement_id: Option<String>,
}

/// A capture that was begun.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct BegunLiveness {
    /// Goes into the paths of its frames.
    #[schema(value_type = Uuid)]
    id: ResourceId,
}

/// Begins a capture of a type.
async fn add(api: &Api, caller: EndUserRequest, kind: LivenessType) -> Result<BegunLiveness, Problem> {
    let NewLiveness { requirement_id } = json::parse(caller.request.json())?;
    let (session, repeat) = (caller.user.held.session.id, caller.request.repeat()?);
    let (requirement, device) = (requirement_id.as_deref(), caller.user.device);
    let id = api.identities.add_liveness(session, kind, requirement, &repeat, device).await?;
    Ok(BegunLiveness { id })
}

/// Puts a frame in its place.
async fn put_frame(api: &Api, caller: EndUserRequest, kind: LivenessType) -> Result<Media, Problem> {
    let (resource, frame) = (caller.user.path.resource()?, caller.user.path.frame()?);
    let upload = caller.upload(api).await?;
    let (held, device) = (&caller.user.held, caller.user.device);
    Ok(api.identities.put_frame(held, kind, resource, frame, upload, device).await?)
}
