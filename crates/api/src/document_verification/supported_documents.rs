//! `GET /idverify/v1/supported-documents`

use super::{DocumentApiError, error};
use axum::{
    Json,
    extract::{Query, rejection::QueryRejection},
};
use domain::document_verification::{restrictions::DocumentRestrictions, types::IdDocumentType};
use utoipa::{IntoParams, ToSchema};

/// The documents to list.
#[derive(serde::Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SupportedDocumentsQuery {
    /// Whether to list documents whose text is not in Latin letters only.
    #[serde(rename = "includeNonLatin")]
    #[param(value_type = Option<bool>, default = false)]
    include_non_latin: Option<String>,
}

/// The documents that are supported.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct SupportedDocuments {
    supported_countries: Vec<SupportedCountry>,
}

/// A country, and those of its documents that can be checked.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct SupportedCountry {
    /// ISO 3166-1 alpha-3.
    #[schema(example = "SWE")]
    code: &'static str,
    supported_documents: Vec<SupportedDocument>,
}

/// A document that can be checked.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct SupportedDocument {
    /// Whether its text is in Latin letters only.
    is_strictly_latin: bool,
    requirements: DocumentRequirements,
    #[serde(rename = "type")]
    kind: IdDocumentType,
}

/// What a document must be to be supported.
#[derive(serde::Serialize, ToSchema)]
pub(crate) struct DocumentRequirements {
    /// Issued on that day or later.
    #[schema(format = Date, example = "2004-01-01")]
    date_from: String,
}

/// List the documents that are supported, by country. The list is public.
#[utoipa::path(
    get, path = "/idverify/v1/supported-documents", tag = "documents", params(SupportedDocumentsQuery),
    responses((status = 200, description = "By country.", body = SupportedDocuments), error::SupportedDocumentsErrors),
)]
pub(crate) async fn supported_documents(
    query: Result<Query<SupportedDocumentsQuery>, QueryRejection>,
) -> Result<Json<SupportedDocuments>, DocumentApiError> {
    let Query(query) = query.map_err(|error| DocumentApiError::violation("query", error.body_text()))?;
    let allow_non_latin = match query.include_non_latin.as_deref().map(str::to_ascii_lowercase).as_deref() {
        None | Some("false" | "") => false,
        Some("true") => true,
        Some(_) => return Err(DocumentApiError::violation("includeNonLatin", "it is true or false")),
    };
    let all = DocumentRestrictions {
        allow_non_latin,
        latin_print_only: !allow_non_latin,
        ..DocumentRestrictions::default()
    };
    let countries = all.allowed_documents().map(|(code, documents)| {
        let documents = documents.iter().map(|document| SupportedDocument {
            is_strictly_latin: document.is_strictly_latin,
            requirements: DocumentRequirements { date_from: document.date_from.to_string() },
            kind: document.kind.into(),
        });
        SupportedCountry { code, supported_documents: documents.collect() }
    });
    Ok(Json(SupportedDocuments { supported_countries: countries.collect() }))
}
