//! Public keys as JSON Web Keys (RFC 7517), as this server publishes them.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A public key. `x` and `y` are those of elliptic curves (Ed25519 has no `y`), `n` and `e` those of RSA; base64url without padding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Jwk {
    /// The family: `EC`, `OKP` or `RSA`.
    #[schema(example = "EC")]
    pub kty: String,
    /// The name of the key.
    pub kid: String,
    /// What it is for: `sig`.
    #[serde(rename = "use")]
    #[schema(example = "sig")]
    pub usage: String,
    /// The algorithm that it verifies.
    #[schema(example = "ES256")]
    pub alg: String,
    /// The curve.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub crv: Option<String>,
    /// A coordinate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub x: Option<String>,
    /// A coordinate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub y: Option<String>,
    /// The modulus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub n: Option<String>,
    /// The exponent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub e: Option<String>,
}

/// A JWK Set.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct JwkSet {
    /// The keys.
    pub keys: Vec<Jwk>,
}
