//! The query to wallets, in DCQL (OpenID4VP 1.0, section 6): one credential of several kinds, and the claim that
//! reveals least.

use super::AgeQuery;
use serde_json::{Value, json};

/// Ids of the credentials in the query, in order of preference.
pub(super) const AGE_CREDENTIAL_ID: &str = "age";
pub(super) const IDENTITY_CREDENTIAL_ID: &str = "identity";
pub(super) const LICENCE_CREDENTIAL_ID: &str = "licence";
/// Document types of the two mdoc credentials.
pub(super) const AGE_DOCTYPE: &str = "eu.europa.ec.av.1";
pub(super) const MDL_DOCTYPE: &str = "org.iso.18013.5.1.mDL";
const MDL_NAMESPACE: &str = "org.iso.18013.5.1";
/// Thresholds that issuers commonly attest, in years; asked for in addition to the one in question.
const COMMON_THRESHOLDS_YEARS: [u8; 3] = [16, 18, 21];

/// Builds the query. `all` is false for age verification wallets, which hold only ages.
pub(super) fn query(asked: AgeQuery, vct: &[String], all: bool) -> Value {
    let thresholds = thresholds(asked);
    let mut credentials = Vec::new();
    if !thresholds.is_empty() {
        let paths = thresholds.iter().map(|years| json!([AGE_DOCTYPE, format!("age_over_{years}")]));
        credentials.push(json!({
            "id": AGE_CREDENTIAL_ID, "format": "mso_mdoc", "meta": { "doctype_value": AGE_DOCTYPE },
        }));
        set_claims(&mut credentials, paths);
    }
    if all {
        let nested = thresholds.iter().map(|years| json!(["age_equal_or_over", years.to_string()]));
        let flat = thresholds.iter().map(|years| json!([format!("age_over_{years}")]));
        let whole = [json!(["age_in_years"]), json!(["birthdate"])];
        credentials.push(
            json!({ "id": IDENTITY_CREDENTIAL_ID, "format": "dc+sd-jwt", "meta": { "vct_values": vct } }),
        );
        set_claims(&mut credentials, nested.chain(flat).chain(whole));
        let over = thresholds.iter().map(|years| json!([MDL_NAMESPACE, format!("age_over_{years}")]));
        let whole = ["age_in_years", "birth_date"].map(|name| json!([MDL_NAMESPACE, name]));
        credentials.push(json!({
            "id": LICENCE_CREDENTIAL_ID, "format": "mso_mdoc", "meta": { "doctype_value": MDL_DOCTYPE },
        }));
        set_claims(&mut credentials, over.chain(whole));
    }
    let options: Vec<_> = credentials.iter().map(|credential| json!([credential["id"]])).collect();
    json!({ "credentials": credentials, "credential_sets": [{ "options": options }] })
}

/// Sets the claims of the last credential: any one of them is enough, the earlier the better.
fn set_claims(credentials: &mut [Value], paths: impl Iterator<Item = Value>) {
    let claims: Vec<_> =
        paths.enumerate().map(|(number, path)| json!({ "id": format!("c{number}"), "path": path })).collect();
    let sets: Vec<_> = claims.iter().map(|claim| json!([claim["id"]])).collect();
    if let Some(credential) = credentials.last_mut() {
        credential["claims"] = json!(claims);
        credential["claim_sets"] = json!(sets);
    }
}

/// Thresholds that can answer the question: the one in question, then common ones on the side that is to be shown, the
/// nearest first. Empty if the age itself is asked for.
fn thresholds(asked: AgeQuery) -> Vec<u8> {
    match asked {
        AgeQuery::Over(years) => std::iter::once(years)
            .chain(COMMON_THRESHOLDS_YEARS.into_iter().filter(|usual| *usual > years))
            .collect(),
        AgeQuery::Under(years) => std::iter::once(years)
            .chain(COMMON_THRESHOLDS_YEARS.into_iter().rev().filter(|usual| *usual < years))
            .collect(),
        AgeQuery::Age => Vec::new(),
    }
}
