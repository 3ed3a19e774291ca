//! `POST /ai/v1/age-antispoofing`

use super::{
    Problem, Signed,
    antispoofing::AntispoofingRequest,
    error,
    explain::Explain,
    photo::{self, Age, Antispoofing, Photo, Switches, Wanted},
};
use crate::{Api, http::json::parse_borrowed};
use axum::{Json, extract::State};
use utoipa::ToSchema;

/// An estimated age, and whether the face is live.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct AgeAntispoofingAnswer {
    antispoofing: Antispoofing,
    age: Age,
    #[serde(skip_serializing_if = "Option::is_none")]
    explain: Option<Explain>,
}

/// Estimate the age of a face, and tell whether it is live.
#[utoipa::path(
    post, path = "/ai/v1/age-antispoofing", tag = "image AI", security(("applicationId" = [], "requestSignature" = [])), params(Switches),
    request_body = AntispoofingRequest,
    responses((status = 200, description = "Estimate and prediction.", body = AgeAntispoofingAnswer), error::CheckingLiveness),
)]
pub(crate) async fn age_antispoofing(
    State(api): State<Api>,
    switches: Switches,
    signed: Signed,
) -> Result<Json<AgeAntispoofingAnswer>, Problem> {
    answer(&api, &switches, &signed, "age-antispoofing").await
}

/// The rule, shared with the self-checkout variant.
pub(super) async fn answer(
    api: &Api,
    switches: &Switches,
    signed: &Signed,
    operation: &str,
) -> Result<Json<AgeAntispoofingAnswer>, Problem> {
    let body: AntispoofingRequest<'_> = parse_borrowed(&signed.body)?;
    let liveness = Some(photo::assurance(body.level_of_assurance)?);
    photo::strict_only(body.img_validation_level)?;
    let photo = Photo { img: body.img, metadata: body.metadata, secure: body.secure };

    let wanted = Wanted { age: true, liveness, ..Wanted::default() };
    let judged = photo::judge(api, signed, switches, photo, wanted).await?;

    let mut answer =
        AgeAntispoofingAnswer { antispoofing: judged.prediction()?, age: judged.age()?, explain: None };
    judged.keep(api, signed, operation, &answer).await?;
    answer.explain = judged.explain;
    Ok(Json(answer))
}
