//! `POST /ai/v1/age-antispoofing-verify`

use super::{
    Problem, Signed,
    enum_field::EnumField,
    error,
    explain::Explain,
    photo::{self, AgeCheck, Antispoofing, Metadata, Photo, SecureCapture, Switches, Wanted},
};
use crate::{
    Api,
    http::json::{object, parse_borrowed},
};
use axum::{Json, extract::State};
use domain::estimate::{Assurance, Operator, Validation};
use std::borrow::Cow;
use utoipa::ToSchema;

/// A face whose age is held against a threshold, and whose liveness is asked for.
#[derive(serde::Deserialize, ToSchema)]
pub(crate) struct AgeAntispoofingVerifyRequest<'a> {
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
    /// `low`, `medium` (default) or `high`: how sure the answer must be before it says `real`.
    #[serde(default)]
    #[schema(value_type = Option<Assurance>)]
    level_of_assurance: EnumField<Assurance>,
    /// `high` only: there is no relaxed mode where liveness is asked for.
    #[serde(default)]
    #[schema(value_type = Option<Validation>)]
    img_validation_level: EnumField<Validation>,
}

/// Whether the estimate passes, and whether the face is live.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct AgeAntispoofingVerifyAnswer {
    age: AgeOutcome,
    antispoofing: Antispoofing,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Explain>,
}

/// The age outcome.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct AgeOutcome {
    /// The outcome.
    age_check: AgeCheck,
}

/// Hold the estimated age of a face against a threshold, and tell whether it is live.
#[utoipa::path(
    post, path = "/ai/v1/age-antispoofing-verify", tag = "image AI", security(("applicationId" = [], "requestSignature" = [])), params(Switches),
    request_body = AgeAntispoofingVerifyRequest,
    responses((status = 200, description = "Outcome and prediction.", body = AgeAntispoofingVerifyAnswer), error::CheckingLiveness),
)]
pub(crate) async fn age_antispoofing_verify(
    State(api): State<Api>,
    switches: Switches,
    signed: Signed,
) -> Result<Json<AgeAntispoofingVerifyAnswer>, Problem> {
    let body: AgeAntispoofingVerifyRequest<'_> = parse_borrowed(&signed.body)?;
    let threshold = Some(photo::threshold(body.threshold, body.operator)?);
    let liveness = Some(photo::assurance(body.level_of_assurance)?);
    photo::strict_only(body.img_validation_level)?;
    let photo = Photo { img: body.img, metadata: body.metadata, secure: body.secure };

    let wanted = Wanted { age: true, liveness, threshold, ..Wanted::default() };
    let judged = photo::judge(&api, &signed, &switches, photo, wanted).await?;

    let mut answer = AgeAntispoofingVerifyAnswer {
        age: AgeOutcome { age_check: judged.age_check()? },
        antispoofing: judged.prediction()?,
        explain: None,
    };
    judged.keep(&api, &signed, "age-antispoofing-verify", &answer).await?;
    answer.explain = judged.explain;
    Ok(Json(answer))
}
