//! `POST /ai/v1/antispoofing`

use super::{
    Problem, Signed,
    enum_field::EnumField,
    error,
    explain::Explain,
    photo::{self, Antispoofing, Metadata, Photo, SecureCapture, Switches, Wanted},
};
use crate::{
    Api,
    http::json::{object, parse_borrowed},
};
use axum::{Json, extract::State};
use domain::estimate::{Assurance, Validation};
use std::borrow::Cow;
use utoipa::ToSchema;

/// A face whose liveness is asked for.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct AntispoofingRequest<'a> {
    /// The image in base64; a `data:` prefix is accepted.
    #[serde(borrow, default)]
    #[schema(value_type = String)]
    pub(super) img: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "object")]
    pub(super) metadata: Option<Metadata>,
    #[serde(default, deserialize_with = "object")]
    pub(super) secure: Option<SecureCapture>,
    /// `low`, `medium` (default) or `high`: how sure the answer must be before it says `real`.
    #[serde(default)]
    #[schema(value_type = Option<Assurance>)]
    pub(super) level_of_assurance: EnumField<Assurance>,
    /// `high` only: there is no relaxed mode where liveness is asked for.
    #[serde(default)]
    #[schema(value_type = Option<Validation>)]
    pub(super) img_validation_level: EnumField<Validation>,
}

/// A liveness answer.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct AntispoofingAnswer {
    #[serde(flatten)]
    antispoofing: Antispoofing,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Explain>,
}

/// Tell a live face from a picture of one.
#[utoipa::path(
    post, path = "/ai/v1/antispoofing", tag = "image AI", security(("applicationId" = [], "requestSignature" = [])), params(Switches),
    request_body = AntispoofingRequest,
    responses((status = 200, description = "The prediction.", body = AntispoofingAnswer), error::CheckingLiveness),
)]
pub(crate) async fn antispoofing(
    State(api): State<Api>,
    switches: Switches,
    signed: Signed,
) -> Result<Json<AntispoofingAnswer>, Problem> {
    let body: AntispoofingRequest<'_> = parse_borrowed(&signed.body)?;
    let liveness = Some(photo::assurance(body.level_of_assurance)?);
    photo::strict_only(body.img_validation_level)?;
    let photo = Photo { img: body.img, metadata: body.metadata, secure: body.secure };

    let wanted = Wanted { liveness, ..Wanted::default() };
    let judged = photo::judge(&api, &signed, &switches, photo, wanted).await?;

    let mut answer = AntispoofingAnswer { antispoofing: judged.prediction()?, explain: None };
    judged.keep(&api, &signed, "antispoofing", &answer).await?;
    answer.explain = judged.explain;
    Ok(Json(answer))
}
