//! `POST /accounts/{accountId}/profiles`

use super::{
    super::{
        Problem,
        authentication::ProfilesManage,
        created::Created,
        error,
        path::AccountPath,
        request::{AccountRequest, Payload, Sent},
        violations::Violations,
    },
    fields::picture,
};
use crate::{
    Api,
    http::idempotency::{IdempotencyKeyHeader, idempotent},
};
use axum::{extract::State, http::StatusCode, response::Response};
use domain::faces::{Details, Kind, Text};
use utoipa::ToSchema;

/// A person to be known from now on. An empty text is none.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct NewProfile {
    /// 1: searches return the profile; 2: they never do.
    #[schema(minimum = 1, maximum = 2, default = 1)]
    profile_type: Option<i64>,
    /// What people call the person.
    #[schema(max_length = 200, example = "Ada")]
    display_name: Option<String>,
    /// What you call the person, whatever the name becomes.
    #[schema(max_length = 200)]
    reference: Option<String>,
    /// Where it is recorded that the person agreed to biometrics. Required with a face.
    #[schema(max_length = 500, example = "consent form of 2026-01-16")]
    biometric_consent: Option<String>,
    /// Where that can be read, `http://` or `https://`.
    #[schema(max_length = 2000, pattern = "^https?://")]
    consent_link: Option<String>,
    /// An identity verification that belongs to the person.
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

/// A profile that may be made.
pub(crate) struct Enrolment {
    kind: Kind,
    details: Details,
    /// The bytes of the picture.
    face: Option<Vec<u8>>,
}

impl Payload for NewProfile {
    type Command = Enrolment;

    const INSISTS_ON_JSON: bool = true;

    fn into_command(self, _api: &Api, violations: &mut Violations) -> Option<Enrolment> {
        let kind = violations.check(self.profile_type.map_or(Ok(Kind::default()), Kind::try_from));
        let mut details = Details {
            is_id_verified: self.is_id_verified.unwrap_or_default(),
            is_adult: self.is_adult.unwrap_or_default(),
            ..Details::default()
        };
        for (text, value) in [
            (Text::DisplayName, self.display_name),
            (Text::Reference, self.reference),
            (Text::BiometricConsent, self.biometric_consent),
            (Text::ConsentLink, self.consent_link),
            (Text::IdVerification, self.id_verification),
        ] {
            violations.check(details.set(text, value));
        }
        if self.face.is_some() {
            violations.check(details.consented());
        }
        let face = self.face.and_then(|face| violations.check(picture(&face)));
        Some(Enrolment { kind: kind?, details, face })
    }
}

/// Make a profile.
///
/// A face that looks like another profile's is taken all the same: people have twins, and accounts may know somebody twice.
#[utoipa::path(
    post, path = "/accounts/{accountId}/profiles", tag = "profiles",
    security(("api key" = [], "application" = [])),
    params(AccountPath, IdempotencyKeyHeader),
    request_body(content = NewProfile, example = json!({
        "display_name": "Ada",
        "biometric_consent": "consent form of 2026-01-16",
        "face": "/9j/4AAQSkZJRgABAQEASABIAAD/2wBDAAEB…",
    })),
    responses((status = 201, description = "It is there, and searches find it.", body = Created), error::Enrolling),
)]
pub(crate) async fn enrol_profile(
    State(api): State<Api>,
    mut request: AccountRequest<ProfilesManage, AccountPath, Sent<NewProfile>>,
) -> Result<Response, Problem> {
    let account = request.account.id;
    let face = match request.input.command.face.take() {
        Some(picture) => Some(api.faces.prepare(account, None, picture).await?),
        None => None,
    };
    let Enrolment { kind, details, .. } = &request.input.command;
    let mut is_made = false;
    let answer = idempotent(&api, request.identity(), async |tx| {
        request.hold(tx).await?;
        let id = api.faces.create(tx, account, *kind, details, face.as_ref()).await?;
        is_made = true;
        Ok((StatusCode::CREATED, Created::new(id)))
    })
    .await;
    if answer.is_ok() && is_made {
        api.faces.settle(account).await;
    } else if let Some(face) = face {
        api.faces.abandon(face).await;
    }
    answer
}
