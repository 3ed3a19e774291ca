//! `POST /accounts/{accountId}/profiles`

use super::{
    super::{
        Problem,
        accounts::open::Created,
        sent::{Ids, Sent},
    },
    fields::{TEXTS, picture},
};
use crate::{Api, http::idempotency::idempotent};
use axum::{extract::State, http::StatusCode, response::Response};
use base::AccountId;
use domain::{
    accounts::Scope,
    faces::{BadText, Details, Kind, Text},
};
use utoipa::ToSchema;

/// A person to be known from now on. An empty text is none.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NewProfile {
    /// 1: searches return the profile; 2: they never do. 1 by default.
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 2, example = 1)]
    profile_type: Option<i64>,
    /// What people call the person; at most 200 characters.
    #[schema(max_length = 200, example = "Ada")]
    display_name: Option<String>,
    /// What you call the person, whatever the name becomes; at most 200 characters.
    #[schema(max_length = 200)]
    reference: Option<String>,
    /// Where it is recorded that the person agreed to biometrics; at most 500 characters. Required with a face.
    #[schema(max_length = 500, example = "consent form of 2026-01-16")]
    biometric_consent: Option<String>,
    /// Where that can be read, `http://` or `https://`; at most 2000 characters.
    #[schema(max_length = 2000, pattern = "https?://*")]
    consent_link: Option<String>,
    /// An identity verification that belongs to the person; at most 200 characters.
    #[schema(max_length = 200)]
    id_verification: Option<String>,
    /// Whether that verification succeeded.
    is_id_verified: Option<bool>,
    /// Whether the person is known to be an adult: moderations then say `not_required` instead of an age group.
    is_adult: Option<bool>,
    /// A picture of exactly one face, JPEG or PNG in base64: sharp, lit and looking into the camera. Without one the
    /// profile is known by name only, until a face is added.
    #[schema(content_encoding = "base64")]
    face: Option<String>,
}

impl NewProfile {
    fn details(&self) -> Result<(Kind, Details), BadText> {
        let kind = self.profile_type.map_or(Ok(Kind::default()), Kind::try_from)?;
        let mut details = Details {
            is_id_verified: self.is_id_verified.unwrap_or_default(),
            is_adult: self.is_adult.unwrap_or_default(),
            ..Details::default()
        };
        for text in TEXTS {
            let value = match text {
                Text::DisplayName => &self.display_name,
                Text::Reference => &self.reference,
                Text::BiometricConsent => &self.biometric_consent,
                Text::ConsentLink => &self.consent_link,
                Text::IdVerification => &self.id_verification,
            };
            details.set(text, value.clone())?;
        }
        Ok((kind, details))
    }
}

/// Make a profile.
///
/// A face that looks like another profile's is taken all the same: people have twins, and accounts may know somebody twice.
#[utoipa::path(
    post, path = "/accounts/{accountId}/profiles", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(("accountId" = Uuid, Path, description = "The account.")),
    request_body = NewProfile,
    responses((status = 201, description = "It is there, and searches find it.", body = Created<Uuid>), Problem),
)]
pub(crate) async fn enrol_profile(
    State(api): State<Api>,
    Ids(account): Ids<AccountId>,
    sent: Sent<NewProfile>,
) -> Result<Response, Problem> {
    let account = sent.caller.enter(&mut api.db.read().await?, account, Scope::ProfilesManage).await?;
    sent.insist_on_json()?;
    let (kind, details) = sent.body.details()?;
    let face = match &sent.body.face {
        Some(face) => {
            details.consented()?;
            Some(api.faces.prepare(account, None, picture(face)?).await?)
        }
        None => None,
    };
    let mut is_made = false;
    let answer = idempotent(&api, sent.identity(), async |tx| {
        sent.caller.enter_to_write(tx, account, Scope::ProfilesManage).await?;
        let id = api.faces.create(tx, account, kind, &details, face.as_ref()).await?;
        is_made = true;
        Ok((StatusCode::CREATED, Created { id }))
    })
    .await;
    if answer.is_ok() && is_made {
        api.faces.settle(account).await;
    } else if let Some(face) = face {
        api.faces.abandon(face).await;
    }
    answer
}
