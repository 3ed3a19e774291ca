//! `POST /ai/v1/age-verify`

use super::{
    Problem, Signed,
    enum_field::EnumField,
    error,
    explain::Explain,
    photo::{self, AgeCheck, Metadata, Photo, SecureCapture, Switches, Wanted},
};
use crate::{
    Api,
    http::json::{object, parse_borrowed},
};
use axum::{Json, extract::State};
use domain::estimate::{Operator, Validation};
use std::borrow::Cow;
use utoipa::ToSchema;

/// A face whose age is held against a threshold.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct AgeVerifyRequest<'a> {
    /// The image in base64; a `data:` prefix is accepted.
    #[serde(borrow, default)]
    #[schema(value_type = String)]
    img: Option<Cow<'a, str>>,
    #[serde(default, deserialize_with = "object")]
    metadata: Option<Metadata>,
    #[serde(default, deserialize_with = "object")]
    secure: Option<SecureCapture>,
    /// Years, 1 to 120.
    #[schema(value_type = i64, minimum = 1, maximum = 120)]
    threshold: Option<i64>,
    /// `OVER` (default) passes at or above the threshold, `UNDER` below it.
    #[serde(default)]
    #[schema(value_type = Option<Operator>)]
    operator: EnumField<Operator>,
    /// `high` (default) or `low`: relaxed, for images that were not captured live.
    #[serde(default)]
    #[schema(value_type = Option<Validation>)]
    img_validation_level: EnumField<Validation>,
}

/// Whether the estimate passes.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct AgeVerifyAnswer {
    /// The outcome.
    age_check: AgeCheck,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Explain>,
}

/// Hold the estimated age of a face against a threshold.
#[utoipa::path(
    post, path = "/ai/v1/age-verify", tag = "image AI", security(("applicationId" = [], "requestSignature" = [])), params(Switches),
    request_body = AgeVerifyRequest,
    responses((status = 200, description = "The outcome.", body = AgeVerifyAnswer), error::EstimatingAge),
)]
pub(crate) async fn age_verify(
    State(api): State<Api>,
    switches: Switches,
    signed: Signed,
) -> Result<Json<AgeVerifyAnswer>, Problem> {
    let body: AgeVerifyRequest<'_> = parse_borrowed(&signed.body)?;
    let threshold = Some(photo::threshold(body.threshold, body.operator)?);
    let validation = Some(photo::validation(body.img_validation_level)?);
    let photo = Photo { img: body.img, metadata: body.metadata, secure: body.secure };

    let wanted = Wanted { age: true, validation, threshold, ..Wanted::default() };
    let judged = photo::judge(&api, &signed, &switches, photo, wanted).await?;

    let mut answer = AgeVerifyAnswer { age_check: judged.age_check()?, explain: None };
    judged.keep(&api, &signed, "age-verify", &answer).await?;
    answer.explain = judged.explain;
    Ok(Json(answer))
}
