//! `POST /accounts/{accountId}/profiles`

use super::{
    super::{
        ModerationApiError,
        authentication::ProfilesManage,
        error,
        path::AccountPath,
        request::{AccountRequest, CommandPayload, ReceivedCommand},
        violations::CommandViolations,
    },
    fields::decode_picture,
    search::round_to_four_decimals,
};
use crate::{
    ApiState,
    http::{
        idempotency::{IdempotencyKeyHeader, idempotent, stored_response},
        json,
    },
};
use axum::{extract::State, http::StatusCode, response::Response};
use base::{AccountId, ProfileId};
use domain::faces::{FaceIndexError, PreparedFace, ProfileDetails, ProfileText, ProfileType};
use utoipa::ToSchema;

/// The profile to create. An empty text counts as absent.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct EnrolProfileRequest {
    /// 1: searches return the profile; 2: they never do.
    #[schema(minimum = 1, maximum = 2, default = 1)]
    #[serde(default, deserialize_with = "json::whole_number")]
    profile_type: Option<i64>,
    /// The name to show for the person.
    #[schema(max_length = 200, example = "Ada")]
    display_name: Option<String>,
    /// Your own reference for the person, which stays when the name changes.
    #[schema(max_length = 200)]
    reference: Option<String>,
    /// Where the person's consent to biometrics is recorded. Required with a face.
    #[schema(max_length = 500, example = "consent form of 2026-01-16")]
    biometric_consent: Option<String>,
    /// Where that record can be read, `http://` or `https://`.
    #[schema(max_length = 2000, pattern = "^https?://")]
    consent_link: Option<String>,
    /// An identity verification that belongs to the person.
    #[schema(max_length = 200)]
    id_verification: Option<String>,
    /// Whether that verification succeeded.
    is_id_verified: Option<bool>,
    /// Whether the person is known to be an adult: moderations then report `not_required` instead of an age group.
    is_adult: Option<bool>,
    /// A picture of exactly one face, JPEG or PNG in base64: sharp, lit and looking into the camera. Without one the
    /// profile is known by name only, until a face is added.
    #[schema(content_encoding = "base64")]
    face: Option<String>,
}

/// A validated request for a profile.
pub(crate) struct ProfileEnrolment {
    pub(super) kind: ProfileType,
    pub(super) details: ProfileDetails,
    /// The bytes of the picture.
    face: Option<Vec<u8>>,
}

/// What is known of the picture before the profile is created.
pub(super) struct PreparedProfile {
    /// The face, if there is a picture: to be enrolled or discarded.
    pub(super) face: Option<PreparedFace>,
    pub(super) warnings: Vec<EnrolmentWarning>,
}

impl ProfileEnrolment {
    /// Takes the picture, and extracts its face.
    pub(super) async fn prepare(
        &mut self,
        api: &ApiState,
        account: AccountId,
    ) -> Result<PreparedProfile, FaceIndexError> {
        let Some(picture) = self.face.take() else {
            return Ok(PreparedProfile { face: None, warnings: Vec::new() });
        };
        let face = api.faces.prepare_face(account, None, picture).await?;
        let banned = api.faces.banned_lookalikes(account, &face).await?;
        let warning = |(profile_id, similarity)| EnrolmentWarning {
            code: "BANNED_PERSON",
            profile_id,
            similarity: round_to_four_decimals(similarity),
        };
        Ok(PreparedProfile { face: Some(face), warnings: banned.into_iter().map(warning).collect() })
    }
}

impl CommandPayload for EnrolProfileRequest {
    type Command = ProfileEnrolment;

    const REQUIRES_JSON_CONTENT_TYPE: bool = true;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<ProfileEnrolment> {
        let kind =
            violations.check(self.profile_type.map_or(Ok(ProfileType::default()), ProfileType::try_from));
        let mut details = ProfileDetails {
            is_id_verified: self.is_id_verified.unwrap_or_default(),
            is_adult: self.is_adult.unwrap_or_default(),
            ..ProfileDetails::default()
        };
        for (text, value) in [
            (ProfileText::DisplayName, self.display_name),
            (ProfileText::Reference, self.reference),
            (ProfileText::BiometricConsent, self.biometric_consent),
            (ProfileText::ConsentLink, self.consent_link),
            (ProfileText::IdVerification, self.id_verification),
        ] {
            violations.check(details.set(text, value));
        }
        if self.face.is_some() {
            violations.check(details.require_consent());
        }
        let face = self.face.and_then(|face| violations.check(decode_picture(&face)));
        Some(ProfileEnrolment { kind: kind?, details, face })
    }
}

/// A profile that was created.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = EnrolledProfile)]
pub(crate) struct EnrolledProfileBody {
    /// Its id.
    #[schema(value_type = Uuid)]
    pub(super) id: ProfileId,
    /// Banned people whom the face looks like; absent where there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) warnings: Vec<EnrolmentWarning>,
}

/// Somebody banned may have been enrolled again.
#[derive(Clone, serde::Serialize, ToSchema)]
pub(crate) struct EnrolmentWarning {
    /// `BANNED_PERSON`.
    code: &'static str,
    /// The banned profile.
    #[schema(value_type = Uuid)]
    profile_id: ProfileId,
    /// How similar the faces are: 1 for the same picture, 0.5 at the limit for one person.
    #[schema(minimum = 0, maximum = 1)]
    similarity: f64,
}

/// Create a profile.
///
/// A face that looks like that of another profile is accepted: people have twins, and an account may know a person
/// twice. If that other one is banned, the answer warns.
#[utoipa::path(
    post, path = "/accounts/{accountId}/profiles", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(AccountPath, IdempotencyKeyHeader),
    request_body(content = EnrolProfileRequest, example = json!({
        "display_name": "Ada",
        "biometric_consent": "consent form of 2026-01-16",
        "face": "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAAEB…",
    })),
    responses((status = 201, description = "The profile is created, and searches find it.", body = EnrolledProfileBody), error::EnrolErrors),
)]
pub(crate) async fn enrol_profile(
    State(api): State<ApiState>,
    mut request: AccountRequest<ProfilesManage, AccountPath, ReceivedCommand<EnrolProfileRequest>>,
) -> Result<Response, ModerationApiError> {
    // Before the picture is looked at, which takes long, and before it needs room.
    if let Some(answer) = stored_response(&api, &request.fingerprint()).await? {
        return Ok(answer);
    }
    let account = request.account.id;
    let PreparedProfile { face, warnings } = request.input.command.prepare(&api, account).await?;
    let ProfileEnrolment { kind, details, .. } = &request.input.command;
    let mut is_made = false;
    let answer = idempotent(&api, request.fingerprint(), async |tx| {
        request.lock_account(tx).await?;
        let id = api.faces.create_profile(tx, account, *kind, details, face.as_ref()).await?;
        is_made = true;
        Ok((StatusCode::CREATED, EnrolledProfileBody { id, warnings: warnings.clone() }))
    })
    .await;
    if answer.is_ok() && is_made {
        api.faces.apply_committed_changes(account).await;
    } else if let Some(face) = face {
        api.faces.discard_prepared_face(face).await;
    }
    answer
}
