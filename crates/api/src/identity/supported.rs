//! `GET /idverify/v1/supported-documents`

use super::Problem;
use axum::{
    Json,
    extract::{Query, rejection::QueryRejection},
};
use domain::identity::filter::{Filter, type_word};
use serde_json::{Value, json};

/// What may be asked.
#[derive(serde::Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct Wanted {
    /// Whether documents count whose print is not in Latin letters alone. Default: false.
    #[serde(rename = "includeNonLatin")]
    include_non_latin: Option<String>,
}

/// List the documents that are supported, by country. The list is public.
#[utoipa::path(
    get, path = "/idverify/v1/supported-documents", tag = "documents", params(Wanted),
    responses((status = 200, description = "Countries, each with the documents that it issues and that can be checked.", body = Value), Problem),
)]
pub(crate) async fn supported_documents(
    wanted: Result<Query<Wanted>, QueryRejection>,
) -> Result<Json<Value>, Problem> {
    let Query(wanted) = wanted.map_err(|error| Problem::violation("query", error.body_text()))?;
    let allow_non_latin = match wanted.include_non_latin.as_deref().map(str::to_ascii_lowercase).as_deref() {
        None | Some("false" | "") => false,
        Some("true") => true,
        Some(_) => return Err(Problem::violation("includeNonLatin", "it is true or false")),
    };
    let all = Filter { allow_non_latin, ..Filter::default() };
    let countries = all.allowed().map(|(code, documents)| {
        let documents: Vec<_> = documents
            .iter()
            .map(|document| {
                json!({
                    "type": type_word(document.kind),
                    "is_strictly_latin": document.is_strictly_latin,
                    "requirements": { "date_from": document.date_from.to_string() },
                })
            })
            .collect();
        json!({ "code": code, "supported_documents": documents })
    });
    Ok(Json(json!({ "supported_countries": countries.collect::<Vec<_>>() })))
}
