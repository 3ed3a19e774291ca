//! `POST /accounts/{accountId}/findings/search`

use super::super::{
    ModerationApiError,
    authentication::FindingsSearch,
    error,
    path::AccountPath,
    profiles::{fields::decode_picture, search::round_to_four_decimals},
    request::{AccountRequest, CommandPayload, ReceivedCommand},
    violations::CommandViolations,
};
use crate::{ApiState, http::json};
use axum::{Json, extract::State};
use base::{ContentId, ModerationFindingId, ModerationId, ProfileId, Timestamp};
use domain::{
    Violation,
    content_moderation::{
        AgeGroup, FindingMatch, FindingSearch, FindingSearchError, SearchedPerson, contents::ContentType,
    },
};
use utoipa::ToSchema;

const MAX_SEARCH_RESULTS: i64 = 100;
const DEFAULT_SEARCH_RESULTS: i64 = 20;

/// Whom to look for: either `face` or `profile_id`.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct SearchFindingsRequest {
    /// A picture of exactly one face, JPEG or PNG in base64. It may be smaller, darker and less sharp than for
    /// enrolment.
    #[schema(value_type = Option<String>, content_encoding = "base64")]
    face: Option<String>,
    /// A profile with a face, of `profile_type` 1. Faces that were dismissed as not being theirs are left out.
    #[schema(value_type = Option<Uuid>)]
    profile_id: Option<String>,
    /// The maximum number of findings to return.
    #[serde(default, deserialize_with = "json::whole_number")]
    #[schema(minimum = 1, maximum = 100, default = 20)]
    most: Option<i64>,
    /// How similar a face must be: 1 for the same picture, 0.5 at the distance up to which two faces are taken for one
    /// person's. The operator bounds it. If absent, the server's own limit for searches. Unclear faces must be nearer.
    #[schema(minimum = 0, maximum = 1)]
    min_similarity: Option<f64>,
    /// Go on behind this finding: the `continue_from` of the answer before.
    #[schema(value_type = Option<Uuid>)]
    continue_from: Option<String>,
}

impl CommandPayload for SearchFindingsRequest {
    type Command = FindingSearch;

    fn into_command(self, api: &ApiState, violations: &mut CommandViolations) -> Option<FindingSearch> {
        let most = self.most.unwrap_or(DEFAULT_SEARCH_RESULTS);
        if !(1..=MAX_SEARCH_RESULTS).contains(&most) {
            let words = format!("it is a whole number from 1 to {MAX_SEARCH_RESULTS}");
            violations.push(Violation::new("most", words));
        }
        if let Some(similarity) = self.min_similarity {
            violations.check(api.content_moderation.check_similarity(similarity));
        }
        let wrong = || Violation::new("continue_from", FindingSearchError::UnknownPosition.to_string());
        let after = self.continue_from.map(|id| id.parse().map_err(|_| wrong()));
        let after = violations.check(after.transpose());
        let person = match (self.face, self.profile_id) {
            (Some(face), None) => violations.check(decode_picture(&face)).map(SearchedPerson::Picture),
            (None, Some(id)) => {
                let unknown = |_| Violation::new("profile_id", "there is no such profile");
                violations.check(id.parse().map_err(unknown)).map(SearchedPerson::Profile)
            }
            (None, None) => {
                violations.push(Violation::new("face", "it is required, or profile_id instead"));
                None
            }
            (Some(_), Some(_)) => {
                violations.push(Violation::new("profile_id", "it is given instead of face, not beside it"));
                None
            }
        };
        Some(FindingSearch {
            person: person?,
            min_similarity: self.min_similarity,
            limit: most.try_into().unwrap_or_default(),
            after: after?,
        })
    }
}

/// Where somebody was seen.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = FindingMatches)]
pub(crate) struct FindingMatchesBody {
    /// The most similar first; of those that are as similar, the newest.
    #[schema(max_items = 100)]
    findings: Vec<FindingMatchBody>,
    /// How many are similar enough, of those that were compared; more than `findings` has, if it is greater.
    #[schema(minimum = 0)]
    total_count: u64,
    /// How many findings were compared, the newest first; at most 20,000 in one search.
    #[schema(minimum = 0, maximum = 20000)]
    compared: u64,
    /// How many could not be compared, because another model of the server found them.
    #[schema(minimum = 0, maximum = 20000)]
    not_comparable: u64,
    /// When the oldest of these was seen; absent where there was none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    searched_back_to: Option<Timestamp>,
    /// Only where older findings were left out: the value for another search that goes on behind them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    continue_from: Option<ModerationFindingId>,
    /// For how many days after the end of its moderation a face can be compared. Where somebody was seen before that
    /// cannot be found any more.
    #[schema(minimum = 0)]
    keep_embeddings_days: i64,
}

/// A face that was seen.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = FindingMatch)]
pub(crate) struct FindingMatchBody {
    /// The line of the moderation's report: the `id` in `face_check_results`.
    #[schema(value_type = Uuid)]
    finding_id: ModerationFindingId,
    /// The moderation.
    #[schema(value_type = Uuid)]
    moderation_id: ModerationId,
    /// The content.
    #[schema(value_type = Uuid)]
    content_id: ContentId,
    /// The kind of content.
    content_type: ContentType,
    /// The content's address; none of a file that was uploaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
    /// When it was seen.
    #[schema(value_type = String, format = DateTime)]
    observed_at: Timestamp,
    /// The position in the content, seconds.
    #[schema(minimum = 0)]
    frame_time: f64,
    /// Whether the moderation took it for a banned profile.
    is_banned: bool,
    /// The age group that it looks like.
    age_group: AgeGroup,
    /// The profile that the moderation took it for, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Uuid>)]
    profile_id: Option<ProfileId>,
    /// Upper edge, pixels of the content.
    face_top: i64,
    /// Right edge.
    face_right: i64,
    /// Lower edge.
    face_bottom: i64,
    /// Left edge.
    face_left: i64,
    /// The distance to the face that was looked for, in the model's own measure; 0 for the same picture.
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
}

/// Find out where somebody was seen: past findings, by a picture or by a profile.
///
/// Needs the scopes `profiles:list` and `reports:view`. It sees the faces that moderations of this account found and whose
/// embeddings are kept, `moderation.keep_embeddings_days` after the moderation's end, of archived contents too. It cannot see
/// what was found before, what was deleted, and faces that no moderation found. Nothing of the picture is stored.
#[utoipa::path(
    post, path = "/accounts/{accountId}/findings/search", tag = "findings",
    security(("api key" = [], "application" = [])),
    params(AccountPath),
    request_body = SearchFindingsRequest,
    responses((status = 200, description = "Where the person was seen; the list may be empty.", body = FindingMatchesBody), error::SearchErrors),
)]
pub(crate) async fn search_findings(
    State(api): State<ApiState>,
    request: AccountRequest<FindingsSearch, AccountPath, ReceivedCommand<SearchFindingsRequest>>,
) -> Result<Json<FindingMatchesBody>, ModerationApiError> {
    let (app, account) = (request.caller.app, request.account.id);
    let found = api.content_moderation.search_findings(app, account, request.input.command).await?;
    Ok(Json(FindingMatchesBody {
        findings: found.findings.into_iter().map(Into::into).collect(),
        total_count: found.total,
        compared: found.compared,
        not_comparable: found.incomparable,
        searched_back_to: found.oldest,
        continue_from: found.last,
        keep_embeddings_days: api.content_moderation.embedding_retention().as_hours() / 24,
    }))
}

impl From<FindingMatch> for FindingMatchBody {
    fn from(found: FindingMatch) -> Self {
        let [face_top, face_right, face_bottom, face_left] = found.edges;
        Self {
            finding_id: found.id,
            moderation_id: found.moderation_id,
            content_id: found.content_id,
            content_type: found.content_type,
            url: found.location.url().map(str::to_owned),
            observed_at: found.observed_at,
            frame_time: found.frame_time,
            is_banned: found.is_banned,
            age_group: found.age_group,
            profile_id: found.profile_id,
            face_top,
            face_right,
            face_bottom,
            face_left,
            distance: round_to_four_decimals(found.distance.into()),
            similarity: round_to_four_decimals(found.similarity),
            false_match_rate: found.false_match_rate,
        }
    }
}

impl From<FindingSearchError> for ModerationApiError {
    fn from(error: FindingSearchError) -> Self {
        match error {
            FindingSearchError::UnknownPosition => {
                vec![Violation::new("continue_from", error.to_string())].into()
            }
            FindingSearchError::Faces(domain::faces::FaceIndexError::Missing(_)) => {
                vec![Violation::new("profile_id", "there is no such profile")].into()
            }
            FindingSearchError::Faces(error) => error.into(),
        }
    }
}
