//! `GET /accounts/{accountId}/profiles/{profileId}`

use super::{
    super::{
        ModerationApiError, authentication::ProfilesView, error, groups::GroupBody, path::ProfilePath,
        request::AccountRequest,
    },
    list::ProfileItemBody,
};
use crate::ApiState;
use axum::{Json, extract::State};
use base::{FaceId, Timestamp, Uuid};
use db::AuditEvent;
use domain::faces::{BanRecord, Profile, ProfileItem};
use utoipa::ToSchema;

/// A profile.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Profile)]
pub(crate) struct ProfileBody {
    #[serde(flatten)]
    item: ProfileItemBody,
    /// 1: searches return the profile; 2: they never do.
    #[schema(minimum = 1, maximum = 2)]
    profile_type: i64,
    /// Where the person's consent to biometrics is recorded; absent if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    biometric_consent: Option<String>,
    /// Where that record can be read; absent if there is no such place.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    consent_link: Option<String>,
    /// An identity verification that belongs to the person; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    id_verification: Option<String>,
    /// Whether that verification succeeded.
    is_id_verified: bool,
    /// Whether the person is known to be an adult.
    is_adult: bool,
    /// The faces, oldest first.
    #[schema(max_items = 10)]
    faces: Vec<FaceBody>,
    /// The groups it is in, by label.
    groups: Vec<GroupBody>,
    /// The ban, if the person is banned and it was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    ban: Option<BanBody>,
    /// When it was made.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// When it was last changed.
    #[schema(value_type = String, format = DateTime)]
    updated_at: Timestamp,
}

/// A ban.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Ban)]
pub(crate) struct BanBody {
    /// Why the person is banned.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Who banned them: a member, or an API key.
    user_id: Uuid,
    /// Since when.
    #[schema(value_type = String, format = DateTime)]
    since: Timestamp,
    /// When it ends by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, format = DateTime)]
    until: Option<Timestamp>,
}

impl From<BanRecord> for BanBody {
    fn from(ban: BanRecord) -> Self {
        Self { reason: ban.reason, user_id: ban.user, since: ban.since, until: ban.until }
    }
}

/// A face of a profile. Its picture, if stored, only serves to compute the embedding of another model, and is never
/// given out.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Face)]
pub(crate) struct FaceBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    id: FaceId,
    /// When it was enrolled.
    #[schema(value_type = String, format = DateTime)]
    created_at: Timestamp,
    /// How well the face can be seen.
    #[schema(minimum = 0, maximum = 1)]
    quality: f64,
}

impl From<Profile> for ProfileBody {
    fn from(profile: Profile) -> Self {
        let Profile { id, kind, active, banned, details, faces, groups, created_at, updated_at } = profile;
        let face = |face: domain::faces::EnrolledFace| FaceBody {
            id: face.id,
            created_at: face.created_at,
            quality: face.quality,
        };
        Self {
            item: ProfileItem {
                id,
                banned,
                active,
                display_name: details.display_name,
                reference: details.reference,
            }
            .into(),
            profile_type: kind.number(),
            biometric_consent: details.biometric_consent,
            consent_link: details.consent_link,
            id_verification: details.id_verification,
            is_id_verified: details.is_id_verified,
            is_adult: details.is_adult,
            faces: faces.into_iter().map(face).collect(),
            groups: groups.into_iter().map(Into::into).collect(),
            ban: details.ban.filter(|_| banned).map(Into::into),
            created_at,
            updated_at,
        }
    }
}

/// See a profile.
///
/// Of a deleted profile, only its id and its times are left; `active` is false.
#[utoipa::path(
    get, path = "/accounts/{accountId}/profiles/{profileId}", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(ProfilePath),
    responses((status = 200, description = "The profile.", body = ProfileBody), error::ReadErrors),
)]
pub(crate) async fn get_profile(
    State(api): State<ApiState>,
    request: AccountRequest<ProfilesView, ProfilePath>,
) -> Result<Json<ProfileBody>, ModerationApiError> {
    let (account, id) = (request.account.id, request.path.profile);
    let profile = api.faces.profile(&mut api.db.read().await?, account, id).await?;
    // Recorded before it is given out.
    let mut tx = request.begin(&api).await?;
    tx.audit(AuditEvent::new("profile.view").account(account).target(id));
    tx.commit().await?;
    Ok(Json(profile.into()))
}
