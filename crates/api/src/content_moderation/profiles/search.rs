//! `POST /accounts/{accountId}/profiles/search`

use super::{
    super::{
        ModerationApiError,
        authentication::ProfilesList,
        error,
        path::AccountPath,
        request::{AccountRequest, CommandPayload, ReceivedCommand},
        violations::{CommandViolations, TextList},
    },
    fields::decode_picture,
};
use crate::{ApiState, http::json};
use axum::{Json, extract::State};
use base::{FaceId, GroupId, ProfileId};
use domain::{
    Violation,
    faces::{CandidateQuery, ProfileMatch},
};
use std::sync::Arc;
use utoipa::ToSchema;

const MAX_SEARCH_RESULTS: i64 = 50;
const DEFAULT_SEARCH_RESULTS: i64 = 5;
const MAX_SEARCH_GROUPS: usize = 1000;

/// Whom to look for.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct SearchProfilesRequest {
    /// A picture of exactly one face, JPEG or PNG in base64. It may be smaller, darker and less sharp than for
    /// enrolment.
    #[schema(value_type = String, content_encoding = "base64")]
    face: Option<String>,
    /// The maximum number of profiles to return.
    #[serde(default, deserialize_with = "json::whole_number")]
    #[schema(minimum = 1, maximum = 50, default = 5)]
    most: Option<i64>,
    /// Groups whose members are looked for; everybody, if absent.
    #[schema(value_type = Option<Vec<Uuid>>, max_items = 1000)]
    group_ids: TextList,
    /// How similar a profile's face must be: 1 for the same picture, 0.5 at the distance up to which two faces are taken
    /// for one person's. The operator bounds it. If absent, the server's own limit for searches.
    #[schema(minimum = 0, maximum = 1)]
    min_similarity: Option<f64>,
}

/// A face to look for, and which profiles may come back.
pub(crate) struct FaceSearch {
    picture: Vec<u8>,
    most: usize,
    /// The groups whose members may; everybody, if `None`.
    groups: Option<Vec<GroupId>>,
    min_similarity: Option<f64>,
}

impl CommandPayload for SearchProfilesRequest {
    type Command = FaceSearch;

    fn into_command(self, api: &ApiState, violations: &mut CommandViolations) -> Option<FaceSearch> {
        let most = self.most.unwrap_or(DEFAULT_SEARCH_RESULTS);
        if !(1..=MAX_SEARCH_RESULTS).contains(&most) {
            let words = format!("it is a whole number from 1 to {MAX_SEARCH_RESULTS}");
            violations.push(Violation::new("most", words));
        }
        let named = self.group_ids.as_ref().is_some_and(|groups| !groups.is_empty());
        let groups = violations.ids("group_ids", self.group_ids, "there is no such group");
        if groups.len() > MAX_SEARCH_GROUPS {
            let words = format!("it has {} entries; at most {MAX_SEARCH_GROUPS} are allowed", groups.len());
            violations.push(Violation::new("group_ids", words));
        }
        if let Some(similarity) = self.min_similarity {
            violations.check(api.content_moderation.check_similarity(similarity));
        }
        let face = violations.required("face", self.face)?;
        let picture = violations.check(decode_picture(&face))?;
        Some(FaceSearch {
            picture,
            most: most.try_into().unwrap_or_default(),
            groups: named.then_some(groups),
            min_similarity: self.min_similarity,
        })
    }
}

/// A person who was found.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = ProfileMatch)]
pub(crate) struct ProfileMatchBody {
    /// The profile.
    #[schema(value_type = Uuid)]
    profile_id: ProfileId,
    /// The name to show for the person; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    display_name: Option<String>,
    /// Your own reference for the person; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    reference: Option<String>,
    /// Whether the person is banned.
    is_banned: bool,
    /// The distance of the nearest face of the profile, in the model's own measure; 0 for the same picture.
    #[schema(minimum = 0)]
    distance: f64,
    /// How similar the faces are: 1 for the same picture, 0.5 at the limit where two faces count as the same person's.
    #[schema(minimum = 0, maximum = 1)]
    similarity: f64,
    /// The share of strangers who are as near or nearer, 0 to 1, as measured of the model; at the ends of what was measured, at
    /// least or at most this. Absent where the model states none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1, nullable = false)]
    false_match_rate: Option<f64>,
    /// The nearest face of the profile.
    #[schema(value_type = Uuid)]
    face_id: FaceId,
}

/// Who was found.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = ProfileMatches)]
pub(crate) struct ProfileMatchesBody {
    /// The most similar first; only profiles that are similar enough to be the same person.
    #[schema(max_items = 50)]
    profiles: Vec<ProfileMatchBody>,
}

/// Look for a person by a picture, among everybody or in groups.
///
/// Finds only active profiles that searches may return (`profile_type` 1). Nothing of the picture is stored.
#[utoipa::path(
    post, path = "/accounts/{accountId}/profiles/search", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(AccountPath),
    request_body = SearchProfilesRequest,
    responses((status = 200, description = "The matching profiles, nearest first; the list may be empty.", body = ProfileMatchesBody), error::SearchErrors),
)]
pub(crate) async fn search_profiles(
    State(api): State<ApiState>,
    request: AccountRequest<ProfilesList, AccountPath, ReceivedCommand<SearchProfilesRequest>>,
) -> Result<Json<ProfileMatchesBody>, ModerationApiError> {
    let FaceSearch { picture, most, groups, min_similarity } = request.input.command;
    let account = request.account.id;
    let only = match groups {
        Some(groups) => {
            let mut view = api.db.read().await?;
            let known = api.faces.groups(&mut view, account, &groups).await?;
            let unknown = groups.iter().position(|id| !known.iter().any(|group| group.id == *id));
            if let Some(at) = unknown {
                let path = format!("group_ids[{at}]");
                return Err(vec![Violation::new(path, "there is no such group")].into());
            }
            Some(Arc::new(api.faces.group_members(&mut view, account, &groups).await?.into_iter().collect()))
        }
        None => None,
    };
    let max_distance = Some(api.faces.max_distance(min_similarity).await?);
    let query = CandidateQuery { max_distance, only, ..CandidateQuery::nearest(most) };
    let found = api.faces.search_by_picture(account, picture, &query).await?;
    Ok(Json(ProfileMatchesBody { profiles: found.into_iter().map(Into::into).collect() }))
}

impl From<ProfileMatch> for ProfileMatchBody {
    fn from(found: ProfileMatch) -> Self {
        Self {
            profile_id: found.profile.id,
            display_name: found.profile.display_name,
            reference: found.profile.reference,
            is_banned: found.profile.is_banned,
            distance: round_to_four_decimals(found.distance.into()),
            similarity: round_to_four_decimals(found.similarity),
            false_match_rate: found.false_match_rate,
            face_id: found.face,
        }
    }
}

pub(in crate::content_moderation) fn round_to_four_decimals(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}
