//! `PATCH /accounts/{accountId}/profiles/{profileId}`

use super::{
    super::{
        Problem,
        authentication::ProfilesManage,
        error,
        path::ProfilePath,
        request::{AccountRequest, Payload, Sent},
        violations::Violations,
    },
    fields::Change,
    get::ProfileBody,
};
use crate::Api;
use axum::{Json, extract::State};
use domain::faces::{Kind, Patch, Text};
use utoipa::ToSchema;

/// What changes: an absent member stays as it is, null or an empty text takes it away.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ProfileChange {
    /// 1: searches return the profile; 2: they never do.
    #[schema(minimum = 1, maximum = 2)]
    profile_type: Option<i64>,
    /// What people call the person.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    display_name: Change,
    /// What you call the person.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    reference: Change,
    /// Where it is recorded that the person agreed to biometrics. It cannot be taken away while
    /// the profile has faces: delete them first.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 500)]
    biometric_consent: Change,
    /// Where that can be read, `http://` or `https://`.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 2000, pattern = "^https?://")]
    consent_link: Change,
    /// An identity verification that belongs to the person.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    id_verification: Change,
    /// Whether that verification succeeded.
    is_id_verified: Option<bool>,
    /// Whether the person is known to be an adult.
    is_adult: Option<bool>,
}

impl Payload for ProfileChange {
    type Command = Patch;

    fn into_command(self, _api: &Api, violations: &mut Violations) -> Option<Patch> {
        let kind = self.profile_type.map(Kind::try_from).transpose();
        let mut patch = Patch {
            kind: violations.check(kind).flatten(),
            is_id_verified: self.is_id_verified,
            is_adult: self.is_adult,
            texts: Vec::new(),
        };
        for (text, change) in [
            (Text::DisplayName, self.display_name),
            (Text::Reference, self.reference),
            (Text::BiometricConsent, self.biometric_consent),
            (Text::ConsentLink, self.consent_link),
            (Text::IdVerification, self.id_verification),
        ] {
            if let Change::Becomes(value) = change {
                violations.check(text.check(value.as_deref().unwrap_or_default()));
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
    request_body = ProfileChange,
    responses((status = 200, description = "The profile as it is now.", body = ProfileBody), error::Writing),
)]
pub(crate) async fn change_profile(
    State(api): State<Api>,
    request: AccountRequest<ProfilesManage, ProfilePath, Sent<ProfileChange>>,
) -> Result<Json<ProfileBody>, Problem> {
    let (account, profile) = (request.account.id, request.path.profile);
    let mut tx = request.begin(&api).await?;
    api.faces.change(&mut tx, account, profile, request.input.command).await?;
    let now = api.faces.profile(&mut tx, account, profile).await?;
    tx.commit().await?;
    api.faces.settle(account).await;
    Ok(Json(now.into()))
}
