//! `PATCH /accounts/{accountId}/profiles/{profileId}`

use super::{
    super::{
        Problem,
        sent::{Ids, Sent},
    },
    fields::{Change, TEXTS},
    get::ProfileBody,
};
use crate::Api;
use axum::{Json, extract::State};
use base::{AccountId, ProfileId};
use domain::{
    accounts::Scope,
    faces::{Kind, Patch, Text},
};
use std::mem;
use utoipa::ToSchema;

/// What changes: an absent member stays as it is, null or an empty text takes it away.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct ProfileChange {
    /// 1: searches return the profile; 2: they never do.
    #[schema(minimum = 1, maximum = 2)]
    profile_type: Option<i64>,
    /// What people call the person; at most 200 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    display_name: Change,
    /// What you call the person; at most 200 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    reference: Change,
    /// Where it is recorded that the person agreed to biometrics; at most 500 characters. It cannot be taken away while
    /// the profile has faces: delete them first.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 500)]
    biometric_consent: Change,
    /// Where that can be read, `http://` or `https://`; at most 2000 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 2000, pattern = "https?://*")]
    consent_link: Change,
    /// An identity verification that belongs to the person; at most 200 characters.
    #[serde(default)]
    #[schema(value_type = Option<String>, max_length = 200)]
    id_verification: Change,
    /// Whether that verification succeeded.
    is_id_verified: Option<bool>,
    /// Whether the person is known to be an adult.
    is_adult: Option<bool>,
}

/// Change a profile.
#[utoipa::path(
    patch, path = "/accounts/{accountId}/profiles/{profileId}", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(
        ("accountId" = Uuid, Path, description = "The account."),
        ("profileId" = Uuid, Path, description = "The profile."),
    ),
    request_body = ProfileChange,
    responses((status = 200, description = "The profile as it is now.", body = ProfileBody), Problem),
)]
pub(crate) async fn change_profile(
    State(api): State<Api>,
    Ids((account, profile)): Ids<(AccountId, ProfileId)>,
    sent: Sent<ProfileChange>,
) -> Result<Json<ProfileBody>, Problem> {
    let mut tx = api.db.write().await?;
    let account = sent.caller.enter_to_write(&mut tx, account, Scope::ProfilesManage).await?;
    let mut body = sent.body;
    let mut patch = Patch {
        kind: body.profile_type.map(Kind::try_from).transpose()?,
        is_id_verified: body.is_id_verified,
        is_adult: body.is_adult,
        texts: Vec::new(),
    };
    for text in TEXTS {
        let change = match text {
            Text::DisplayName => mem::take(&mut body.display_name),
            Text::Reference => mem::take(&mut body.reference),
            Text::BiometricConsent => mem::take(&mut body.biometric_consent),
            Text::ConsentLink => mem::take(&mut body.consent_link),
            Text::IdVerification => mem::take(&mut body.id_verification),
        };
        if let Change::Becomes(value) = change {
            patch.texts.push((text, value));
        }
    }
    api.faces.change(&mut tx, account, profile, patch).await?;
    let now = api.faces.profile(&mut tx, account, profile).await?;
    tx.commit().await?;
    api.faces.settle(account).await;
    Ok(Json(now.into()))
}
