//! Public keys, parsed once, and the signature algorithms that each may be used with.

use crate::cbor;
use aws_lc_rs::signature as aws;
use base::Timestamp;
use base64_simd::URL_SAFE_NO_PAD as BASE64URL;
use ciborium::Value as Cbor;
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The accepted signature algorithms, each bound to one kind of key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignatureAlgorithm {
    Es256,
    Es384,
    EdDsa,
    Ps256,
    Rs256,
}

impl SignatureAlgorithm {
    /// The algorithm that a JOSE header names (RFC 7518, RFC 8037, RFC 9864). `None`: not accepted.
    pub(crate) fn of_jose(name: &str) -> Option<Self> {
        Some(match name {
            "ES256" => Self::Es256,
            "ES384" => Self::Es384,
            "EdDSA" | "Ed25519" => Self::EdDsa,
            "PS256" => Self::Ps256,
            "RS256" => Self::Rs256,
            _ => return None,
        })
    }

    /// The algorithm that a COSE header names (RFC 9053, RFC 9864). `None`: not accepted.
    pub(crate) fn of_cose(number: i64) -> Option<Self> {
        Some(match number {
            -7 | -9 => Self::Es256,
            -35 | -51 => Self::Es384,
            -8 | -19 => Self::EdDsa,
            -37 => Self::Ps256,
            -257 => Self::Rs256,
            _ => return None,
        })
    }

    fn verifier(self) -> &'static dyn aws::VerificationAlgorithm {
        match self {
            Self::Es256 => &aws::ECDSA_P256_SHA256_FIXED,
            Self::Es384 => &aws::ECDSA_P384_SHA384_FIXED,
            Self::EdDsa => &aws::ED25519,
            Self::Ps256 => &aws::RSA_PSS_2048_8192_SHA256,
            Self::Rs256 => &aws::RSA_PKCS1_2048_8192_SHA256,
        }
    }
}

/// Why a JSON Web Key is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{member}: {problem}")]
pub struct JwkError {
    /// The member at fault, for example `crv`.
    pub member: &'static str,
    /// What is wrong with it.
    pub problem: String,
}

fn bad(member: &'static str, problem: impl Into<String>) -> JwkError {
    JwkError { member, problem: problem.into() }
}

/// A public key: P-256, P-384, Ed25519, or RSA of 2,048 to 8,192 bits. Cheap to clone; already parsed.
#[derive(Clone)]
pub struct VerificationKey(Arc<ParsedKey>);

/// When a key may be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyLife {
    /// How it is named; `None` for a root certificate.
    pub id: Option<String>,
    /// From when; `None`: always.
    pub not_before: Option<Timestamp>,
    /// Until when; `None`: always.
    pub not_after: Option<Timestamp>,
}

struct ParsedKey {
    kid: Option<String>,
    thumbprint: [u8; 32],
    /// One parsed key for each algorithm that it may be used with.
    uses: Vec<(SignatureAlgorithm, aws::ParsedPublicKey)>,
    not_before: Option<Timestamp>,
    not_after: Option<Timestamp>,
}

impl VerificationKey {
    /// Parses a JSON Web Key (RFC 7517). Two members are our own: `not_before` and `not_after`, RFC 3339 times between
    /// which the key may be used. A private or symmetric key is refused.
    pub fn parse(jwk: &Value) -> Result<Self, JwkError> {
        let members = jwk.as_object().ok_or_else(|| bad("key", "is not a JSON object"))?;
        if ["d", "p", "q", "dp", "dq", "qi", "k"].iter().any(|secret| members.contains_key(*secret)) {
            return Err(bad("d", "is a secret, and only public keys belong here"));
        }
        if members.get("use").is_some_and(|used| used != "sig") {
            return Err(bad("use", "is not `sig`"));
        }
        if let Some(operations) = members.get("key_ops")
            && !operations.as_array().is_some_and(|all| all.iter().any(|one| one == "verify"))
        {
            return Err(bad("key_ops", "does not allow `verify`"));
        }
        let (mut algs, bytes, thumbprint) = parse_material(members)?;
        if let Some(alg) = members.get("alg") {
            let alg = alg.as_str().and_then(SignatureAlgorithm::of_jose).filter(|alg| algs.contains(alg));
            algs = vec![alg.ok_or_else(|| bad("alg", "is not an algorithm for this kind of key"))?];
        }
        let kid = match members.get("kid") {
            None => None,
            Some(Value::String(kid)) => Some(kid.clone()),
            Some(_) => return Err(bad("kid", "is not text")),
        };
        let moment = |member: &'static str| match members.get(member) {
            None => Ok(None),
            Some(Value::String(text)) => {
                text.parse().map(Some).map_err(|_| bad(member, "is not an RFC 3339 moment"))
            }
            Some(_) => Err(bad(member, "is not text")),
        };
        let (not_before, not_after) = (moment("not_before")?, moment("not_after")?);
        Self::new(kid, &algs, &bytes, thumbprint, not_before, not_after)
    }

    /// The usable keys of a JSON Web Key Set of at most 64; keys of other kinds and for other uses are skipped.
    pub fn parse_set(jwks: &[u8]) -> Result<Vec<Self>, JwkError> {
        let set =
            crate::strict_json::parse_object(jwks).ok_or_else(|| bad("keys", "is not in a JSON object"))?;
        let keys = set.get("keys").and_then(Value::as_array).ok_or_else(|| bad("keys", "is not a list"))?;
        if keys.len() > 64 {
            return Err(bad("keys", "are more than 64"));
        }
        Ok(keys.iter().filter_map(|key| Self::parse(key).ok()).collect())
    }

    /// Parses a `COSE_Key` (RFC 9052, section 7) for signatures.
    pub(crate) fn of_cose(key: &[(Cbor, Cbor)]) -> Option<Self> {
        let kind = cbor::as_i64(cbor::get_label(key, 1)?)?;
        let curve = cbor::as_i64(cbor::get_label(key, -1)?)?;
        let x = cbor::get_label(key, -2)?.as_bytes()?;
        let (alg, size) = match (kind, curve) {
            (2, 1) => (SignatureAlgorithm::Es256, 32),
            (2, 2) => (SignatureAlgorithm::Es384, 48),
            (1, 6) => (SignatureAlgorithm::EdDsa, 32),
            _ => return None,
        };
        if cbor::get_label(key, 3)
            .is_some_and(|named| cbor::as_i64(named).and_then(SignatureAlgorithm::of_cose) != Some(alg))
        {
            return None;
        }
        let mut bytes = Vec::with_capacity(1 + 2 * size);
        if kind == 2 {
            match cbor::get_label(key, -3)? {
                Cbor::Bool(odd) => bytes.push(2 + u8::from(*odd)),
                Cbor::Bytes(y) if y.len() == size => bytes.push(4),
                _ => return None,
            }
        }
        bytes.extend_from_slice(x);
        if let Some(Cbor::Bytes(y)) = cbor::get_label(key, -3).filter(|_| kind == 2) {
            bytes.extend_from_slice(y);
        }
        if x.len() != size {
            return None;
        }
        Self::new(None, &[alg], &bytes, [0; 32], None, None).ok()
    }

    /// Parses a DER `SubjectPublicKeyInfo`, the form of the key in a certificate.
    pub(crate) fn of_spki(spki: &[u8]) -> Option<Self> {
        // The prefix of each kind of key is fixed, except for the length octets of RSA.
        const P256: &[u8] =
            b"\x30\x59\x30\x13\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07";
        const P384: &[u8] =
            b"\x30\x76\x30\x10\x06\x07\x2a\x86\x48\xce\x3d\x02\x01\x06\x05\x2b\x81\x04\x00\x22";
        const ED25519: &[u8] = b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70";
        const RSA: &[u8] = b"\x30\x0d\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00";
        let algs: &[SignatureAlgorithm] = if spki.starts_with(P256) {
            &[SignatureAlgorithm::Es256]
        } else if spki.starts_with(P384) {
            &[SignatureAlgorithm::Es384]
        } else if spki.starts_with(ED25519) {
            &[SignatureAlgorithm::EdDsa]
        } else if spki.get(4..).is_some_and(|rest| rest.starts_with(RSA)) {
            &[SignatureAlgorithm::Ps256, SignatureAlgorithm::Rs256]
        } else {
            return None;
        };
        Self::new(None, algs, spki, [0; 32], None, None).ok()
    }

    fn new(
        kid: Option<String>,
        algs: &[SignatureAlgorithm],
        bytes: &[u8],
        thumbprint: [u8; 32],
        not_before: Option<Timestamp>,
        not_after: Option<Timestamp>,
    ) -> Result<Self, JwkError> {
        let uses = algs
            .iter()
            .map(|alg| Ok((*alg, aws::ParsedPublicKey::new(alg.verifier(), bytes)?)))
            .collect::<Result<Vec<_>, aws_lc_rs::error::KeyRejected>>()
            .map_err(|_| bad("key", "is not a valid key of its kind"))?;
        Ok(Self(Arc::new(ParsedKey { kid, thumbprint, uses, not_before, not_after })))
    }

    /// The key id, if it has one.
    pub fn kid(&self) -> Option<&str> {
        self.0.kid.as_deref()
    }

    /// The RFC 7638 thumbprint (SHA-256); zeros for a key that was read from a token or a certificate.
    pub fn thumbprint(&self) -> &[u8; 32] {
        &self.0.thumbprint
    }

    /// Whether a token's `kid` means this key: it is the key's own `kid`, as text or decoded from base64url, or, in
    /// compact tokens, the first eight or more bytes of the RFC 7638 thumbprint.
    pub(crate) fn matches_kid(&self, kid: &[u8]) -> bool {
        let named = self.0.kid.as_deref().is_some_and(|own| {
            own.as_bytes() == kid || BASE64URL.decode_to_vec(own).is_ok_and(|bytes| bytes == kid)
        });
        named || (kid.len() >= 8 && self.0.thumbprint.starts_with(kid))
    }

    /// When it may be used, and how it is named: by its `kid`, or else by its thumbprint (RFC 7638).
    pub(crate) fn life(&self) -> KeyLife {
        let thumbprint = || BASE64URL.encode_to_string(self.0.thumbprint);
        KeyLife {
            id: Some(self.0.kid.clone().unwrap_or_else(thumbprint)),
            not_before: self.0.not_before,
            not_after: self.0.not_after,
        }
    }

    pub(crate) fn is_valid_at(&self, now: Timestamp) -> bool {
        self.0.not_before.is_none_or(|from| from <= now) && self.0.not_after.is_none_or(|until| now <= until)
    }

    /// Whether the signature is valid and `alg` is for this kind of key. ECDSA signatures are `r || s`.
    pub(crate) fn verifies(&self, alg: SignatureAlgorithm, message: &[u8], signature: &[u8]) -> bool {
        let parsed = self.0.uses.iter().find(|(used, _)| *used == alg);
        parsed.is_some_and(|(_, key)| key.verify_sig(message, signature).is_ok())
    }
}

impl std::fmt::Debug for VerificationKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Jwk({})", self.kid().unwrap_or("unnamed"))
    }
}

/// From the required members of a JWK: the algorithms, the key as aws-lc takes it, the thumbprint.
type JwkMaterial = (Vec<SignatureAlgorithm>, Vec<u8>, [u8; 32]);

fn parse_material(members: &Map<String, Value>) -> Result<JwkMaterial, JwkError> {
    let text = |member: &'static str| {
        members.get(member).and_then(Value::as_str).ok_or_else(|| bad(member, "is missing or no text"))
    };
    let bytes = |member: &'static str| {
        BASE64URL.decode_to_vec(text(member)?).map_err(|_| bad(member, "is not base64url"))
    };
    let sized = |member: &'static str, size: usize| {
        let bytes = bytes(member)?;
        if bytes.len() == size { Ok(bytes) } else { Err(bad(member, format!("is not {size} bytes"))) }
    };
    let (algs, key, required) = match text("kty")? {
        "EC" => {
            let curve = text("crv")?;
            let (alg, size) = match curve {
                "P-256" => (SignatureAlgorithm::Es256, 32),
                "P-384" => (SignatureAlgorithm::Es384, 48),
                _ => return Err(bad("crv", "is neither P-256 nor P-384")),
            };
            let key = [vec![4], sized("x", size)?, sized("y", size)?].concat();
            (vec![alg], key, json!({ "crv": curve, "kty": "EC", "x": text("x")?, "y": text("y")? }))
        }
        "OKP" => {
            if text("crv")? != "Ed25519" {
                return Err(bad("crv", "is not Ed25519"));
            }
            (
                vec![SignatureAlgorithm::EdDsa],
                sized("x", 32)?,
                json!({ "crv": "Ed25519", "kty": "OKP", "x": text("x")? }),
            )
        }
        "RSA" => {
            let key = rsa_public_key(&bytes("n")?, &bytes("e")?);
            (
                vec![SignatureAlgorithm::Ps256, SignatureAlgorithm::Rs256],
                key,
                json!({ "e": text("e")?, "kty": "RSA", "n": text("n")? }),
            )
        }
        _ => return Err(bad("kty", "is none of EC, OKP and RSA")),
    };
    Ok((algs, key, thumbprint(&required)))
}

/// SHA-256 over the required members, sorted by name, without white space (RFC 7638).
pub(crate) fn thumbprint(required: &Value) -> [u8; 32] {
    let mut names: Vec<_> = required.as_object().map(|members| members.iter().collect()).unwrap_or_default();
    names.sort_by_key(|(name, _)| *name);
    let members: Vec<_> = names.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    crate::digest::sha256(&[format!("{{{}}}", members.join(",")).as_bytes()])
}

/// `RSAPublicKey` of RFC 8017: a sequence of two positive integers.
fn rsa_public_key(n: &[u8], e: &[u8]) -> Vec<u8> {
    let integer = |number: &[u8]| {
        let digits = &number[number.iter().take_while(|byte| **byte == 0).count()..];
        let sign = if digits.first().is_none_or(|first| *first > 0x7f) { &[0][..] } else { &[] };
        encode_der(0x02, &[sign, digits].concat())
    };
    encode_der(0x30, &[integer(n), integer(e)].concat())
}

/// Encodes one DER element.
pub(crate) fn encode_der(tag: u8, content: &[u8]) -> Vec<u8> {
    let length = content.len().to_be_bytes();
    let digits = &length[length.iter().take_while(|byte| **byte == 0).count()..];
    let mut element = vec![tag];
    if content.len() < 0x80 {
        element.push(content.len() as u8);
    } else {
        element.push(0x80 | digits.len() as u8);
        element.extend_from_slice(digits);
    }
    element.extend_from_slice(content);
    element
}
