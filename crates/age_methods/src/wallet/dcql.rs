//! What wallets are asked, in DCQL (OpenID4VP 1.0, section 6): one credential of several kinds, and of it the least that
//! tells.

use super::AgeQuery;
use serde_json::{Value, json};

/// What the kinds of credential are called in the query, in the order in which they are asked for.
pub(super) const AGE_CREDENTIAL_ID: &str = "age";
pub(super) const IDENTITY_CREDENTIAL_ID: &str = "identity";
pub(super) const LICENCE_CREDENTIAL_ID: &str = "licence";
/// The document types of two of them.
pub(super) const AGE_DOCTYPE: &str = "eu.europa.ec.av.1";
pub(super) const MDL_DOCTYPE: &str = "org.iso.18013.5.1.mDL";
const MDL_NAMESPACE: &str = "org.iso.18013.5.1";
/// Thresholds that issuers usually attest beside the one that is asked about, years.
const COMMON_THRESHOLDS_YEARS: [u8; 3] = [16, 18, 21];

/// The query. Age verification wallets hold nothing but ages, so `all` is false for them.
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

/// Gives the last credential its claims, of which any one will do, the first the best.
fn set_claims(credentials: &mut [Value], paths: impl Iterator<Item = Value>) {
    let claims: Vec<_> =
        paths.enumerate().map(|(number, path)| json!({ "id": format!("c{number}"), "path": path })).collect();
    let sets: Vec<_> = claims.iter().map(|claim| json!([claim["id"]])).collect();
    if let Some(credential) = credentials.last_mut() {
        credential["claims"] = json!(claims);
        credential["claim_sets"] = json!(sets);
    }
}

/// The thresholds that may decide: the one that is asked about, and usual ones on the side that is to be shown, the nearest
/// first. None where the age itself is asked for.
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
