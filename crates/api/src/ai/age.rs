//! `POST /ai/v1/age`

use super::{
    Problem, Signed,
    enum_field::EnumField,
    error,
    explain::Explain,
    photo::{self, Age, Metadata, Photo, SecureCapture, Switches, Wanted},
};
use crate::{
    Api,
    http::json::{object, parse_borrowed},
};
use axum::{Json, extract::State};
use domain::estimate::Validation;
use std::borrow::Cow;
use utoipa::ToSchema;

/// A face whose age is asked for.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct AgeRequest<'a> {
    /// The image in base64; a `data:` prefix is accepted.
    #[serde(borrow, default)]
    #[schema(value_type = String)]
    img: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "object")]
    metadata: Option<Metadata>,
    #[serde(default, deserialize_with = "object")]
    secure: Option<SecureCapture>,
    /// `high` (default) or `low`: relaxed, for images that were not captured live.
    #[serde(default)]
    #[schema(value_type = Option<Validation>)]
    img_validation_level: EnumField<Validation>,
}

/// An estimated age.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct AgeAnswer {
    #[serde(flatten)]
    age: Age,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Explain>,
}

/// Estimate the age of the face in an image.
#[utoipa::path(
    post, path = "/ai/v1/age", tag = "image AI", security(("applicationId" = [], "requestSignature" = [])), params(Switches),
    request_body = AgeRequest,
    responses((status = 200, description = "The estimate.", body = AgeAnswer), error::EstimatingAge),
)]
pub(crate) async fn age(
    State(api): State<Api>,
    switches: Switches,
    signed: Signed,
) -> Result<Json<AgeAnswer>, Problem> {
    let body: AgeRequest<'_> = parse_borrowed(&signed.body)?;
    let validation = Some(photo::validation(body.img_validation_level)?);
    let photo = Photo { img: body.img, metadata: body.metadata, secure: body.secure };

    let wanted = Wanted { age: true, validation, ..Wanted::default() };
    let judged = photo::judge(&api, &signed, &switches, photo, wanted).await?;

    let mut answer = AgeAnswer { age: judged.age()?, explain: None };
    judged.keep(&api, &signed, "age", &answer).await?;
    answer.explain = judged.explain;
    Ok(Json(answer))
}
