//! The examples of RFC 9901, appendix A: what is disclosed, in objects, in lists, and inside each other.

use super::*;
use serde_json::json;

/// The claims that an example discloses, after its signature was verified with the key of appendix A.5.
fn disclosed(name: &str) -> Value {
    let path = format!("{}/tests/vectors/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let parts: Vec<_> = text.trim().split('~').collect();
    let token = Jws::parse(parts[0]).unwrap();
    let key = json!({
        "kty": "EC", "crv": "P-256",
        "x": "b28d4MwZMjw8-00CG4xfnn9SLMVMM19SlqZpVb_uNtQ", "y": "Xv5zWwuoaTgdS6hV43yI6gBwTnjukmFQQnJ_kCxzqk8",
    });
    let key = VerificationKey::parse(&key).unwrap();
    assert!(key.verifies(token.alg.unwrap(), token.signing_input.as_bytes(), &token.signature));
    let disclosures: Vec<_> = parts[1..parts.len() - 1].iter().map(|part| (*part).to_owned()).collect();
    Value::Object(resolve_disclosures(&token.payload, &disclosures).unwrap())
}

#[test]
fn the_structured_example_shows_region_and_country() {
    let claims = json!({
        "iss": "https://issuer.example.com", "iat": 1_683_000_000, "exp": 1_883_000_000,
        "address": { "region": "港区", "country": "JP" },
    });
    assert_eq!(disclosed("rfc9901-a1.txt"), claims);
}

#[test]
fn the_complex_example_shows_an_element_of_a_list_and_a_claim_inside_it() {
    let claims = json!({
        "iss": "https://issuer.example.com", "iat": 1_683_000_000, "exp": 1_883_000_000,
        "verified_claims": {
            "verification": {
                "trust_framework": "de_aml", "time": "2012-04-23T18:25Z", "evidence": [{ "method": "pipp" }],
            },
            "claims": {
                "given_name": "Max", "family_name": "Müller",
                "address": {
                    "locality": "Maxstadt", "postal_code": "12344", "country": "DE",
                    "street_address": "Weidenstraße 22",
                },
            },
        },
    });
    assert_eq!(disclosed("rfc9901-a2.txt"), claims);
}
