//! `PATCH /accounts/{accountId}/profiles/{profileId}`

use super::{
    super::{
        ModerationApiError,
        authentication::ProfilesManage,
        error,
        path::ProfilePath,
        request::{AccountRequest, CommandPayload, ReceivedCommand},
        violations::CommandViolations,
    },
    fields::TextUpdate,
    get::ProfileBody,
};
use crate::{ApiState, http::json};
use axum::{Json, extract::State};
use domain::faces::{ProfilePatch, ProfileText, ProfileType};
use utoipa::ToSchema;

/// What to change: an absent member stays as it is, null or an empty text removes its value.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ChangeProfileRequest {
    /// 1: searches return the profile; 2: they never do.
    #[schema(minimum = 1, maximum = 2)]
    #[serde(default, deserialize_with = "json::whole_number")]
    profile_type: Option<i64>,
    /// The name to show for the person.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    display_name: TextUpdate,
    /// Your own reference for the person.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    reference: TextUpdate,
    /// Where the person's consent to biometrics is recorded. It cannot be removed while the profile has faces: delete
    /// them first.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 500)]
    biometric_consent: TextUpdate,
    /// Where that record can be read, `http://` or `https://`.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 2000, pattern = "^https?://")]
    consent_link: TextUpdate,
    /// An identity verification that belongs to the person.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    id_verification: TextUpdate,
    /// Whether that verification succeeded.
    is_id_verified: Option<bool>,
    /// Whether the person is known to be an adult.
    is_adult: Option<bool>,
}

impl CommandPayload for ChangeProfileRequest {
    type Command = ProfilePatch;

    fn into_command(self, _api: &ApiState, violations: &mut CommandViolations) -> Option<ProfilePatch> {
        let kind = self.profile_type.map(ProfileType::try_from).transpose();
        let mut patch = ProfilePatch {
            kind: violations.check(kind).flatten(),
            is_id_verified: self.is_id_verified,
            is_adult: self.is_adult,
            texts: Vec::new(),
        };
        for (text, change) in [
            (ProfileText::DisplayName, self.display_name),
            (ProfileText::Reference, self.reference),
            (ProfileText::BiometricConsent, self.biometric_consent),
            (ProfileText::ConsentLink, self.consent_link),
            (ProfileText::IdVerification, self.id_verification),
        ] {
            if let TextUpdate::Set(value) = change {
                violations.check(text.validate(value.as_deref().unwrap_or_default()));
                patch.texts.push((text, value));
            }
        }
        Some(patch)
    }
}

/// Change a profile.
#[utoipa::path(
    patch, path = "/accounts/{accountId}/profiles/{profileId}", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(ProfilePath),
    request_body = ChangeProfileRequest,
    responses((status = 200, description = "The profile as it is now.", body = ProfileBody), error::WriteErrors),
)]
pub(crate) async fn change_profile(
    State(api): State<ApiState>,
    request: AccountRequest<ProfilesManage, ProfilePath, ReceivedCommand<ChangeProfileRequest>>,
) -> Result<Json<ProfileBody>, ModerationApiError> {
    let (account, profile) = (request.account.id, request.path.profile);
    let mut tx = request.begin_locked(&api).await?;
    api.faces.update_profile(&mut tx, account, profile, request.input.command).await?;
    let now = api.faces.profile(&mut tx, account, profile).await?;
    tx.commit().await?;
    api.faces.apply_committed_changes(account).await;
    Ok(Json(now.into()))
}
