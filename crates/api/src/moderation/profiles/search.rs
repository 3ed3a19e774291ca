//! `POST /accounts/{accountId}/profiles/search`

use super::{
    super::{
        Problem,
        sent::{Ids, Sent},
    },
    fields::picture,
};
use crate::Api;
use axum::{Json, extract::State};
use base::{AccountId, FaceId, ProfileId};
use domain::accounts::Scope;
use utoipa::ToSchema;

/// The most profiles that come back, and how many do where nothing is said.
const MOST: i64 = 50;
const USUAL: i64 = 5;

/// Whom to look for.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct Wanted {
    /// A picture of exactly one face, JPEG or PNG in base64. It may be smaller, darker and less sharp than for enrolment.
    #[schema(value_type = String, content_encoding = "base64")]
    face: Option<String>,
    /// How many profiles come back at most; 5 by default.
    #[schema(minimum = 1, maximum = 50)]
    most: Option<i64>,
}

/// A person who was found.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct Match {
    /// The profile.
    #[schema(value_type = Uuid)]
    profile_id: ProfileId,
    /// What people call the person.
    display_name: Option<String>,
    /// What you call the person.
    reference: Option<String>,
    /// Whether the person is banned.
    is_banned: bool,
    /// How far the nearest face of the profile is, in the model's own measure; 0 is the same picture.
    distance: f64,
    /// How alike the faces are, 0 to 1: 1 for the same picture, 0.5 where two faces just count as one person's.
    similarity: f64,
    /// That face.
    #[schema(value_type = Uuid)]
    face_id: FaceId,
}

/// Who was found.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct Matches {
    /// The most alike first; nobody who is not alike enough to be the same person.
    profiles: Vec<Match>,
}

/// Look for a person by a picture.
///
/// Only profiles that searches return (`profile_type` 1) and that are active. Nothing of the picture is kept.
#[utoipa::path(
    post, path = "/accounts/{accountId}/profiles/search", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(("accountId" = Uuid, Path, description = "The account.")),
    request_body = Wanted,
    responses((status = 200, description = "Who was found; maybe nobody.", body = Matches), Problem),
)]
pub(crate) async fn search_profiles(
    State(api): State<Api>,
    Ids(account): Ids<AccountId>,
    sent: Sent<Wanted>,
) -> Result<Json<Matches>, Problem> {
    let account = sent.caller.enter(&mut api.db.read().await?, account, Scope::ProfilesList).await?;
    let most = sent.body.most.unwrap_or(USUAL);
    if !(1..=MOST).contains(&most) {
        return Err(Problem::violation("most", format!("it is a whole number from 1 to {MOST}")));
    }
    let face = sent.body.face.as_deref().ok_or_else(|| Problem::violation("face", "it is required"))?;
    let found = api.faces.find(account, picture(face)?, most as usize).await?;
    let ids: Vec<_> = found.iter().map(|candidate| candidate.profile).collect();
    let mut view = api.db.read().await?;
    let lines = api.faces.profiles(&mut view, account, &ids).await?;
    let mut profiles = Vec::with_capacity(found.len());
    for candidate in found {
        // One that was deleted just now is gone.
        let Some(line) = lines.iter().find(|line| line.id == candidate.profile && line.active) else {
            continue;
        };
        profiles.push(Match {
            profile_id: line.id,
            display_name: line.display_name.clone(),
            reference: line.reference.clone(),
            is_banned: line.is_banned,
            distance: rounded(candidate.distance.into()),
            similarity: rounded(api.faces.similarity(candidate.distance).await?),
            face_id: candidate.face,
        });
    }
    Ok(Json(Matches { profiles }))
}

fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}
