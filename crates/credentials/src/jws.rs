//! JSON Web Signatures in compact form (RFC 7515).

use crate::keys::SignatureAlgorithm;
use crate::strict_json;
use base64_simd::URL_SAFE_NO_PAD as BASE64URL;
use serde_json::{Map, Value};

/// Certificates of a chain at most.
pub(crate) const MAX_CHAIN_CERTIFICATES: usize = 5;

/// A parsed token; nothing in it is verified yet.
#[derive(Clone, Debug)]
pub(crate) struct Jws {
    /// `None` when the header names an algorithm that is not on the allow-list.
    pub alg: Option<SignatureAlgorithm>,
    pub kid: Option<String>,
    /// In lower case, without `application/`.
    pub typ: Option<String>,
    /// Certificates of `x5c` in DER, the signer's first. Trusted only as far as a listed root certifies them.
    pub chain: Vec<Vec<u8>>,
    pub payload: Map<String, Value>,
    pub signing_input: String,
    pub signature: Vec<u8>,
}

/// Why a text is not a compact JWS; reads on from "the token".
pub(crate) type JwsError = &'static str;

impl Jws {
    /// Parses a token. Header parameters that carry or point to keys (`jwk`, `jku`, `x5u`) are ignored.
    pub(crate) fn parse(text: &str) -> Result<Self, JwsError> {
        let (signing_input, signature) = text.rsplit_once('.').ok_or("does not have three parts")?;
        let (header, payload) = signing_input.split_once('.').ok_or("does not have three parts")?;
        let header =
            strict_json::parse_object(&base64url(header).ok_or("has a header that is not base64url")?)
                .ok_or("has a header that is not a JSON object without repetition")?;
        let payload =
            strict_json::parse_object(&base64url(payload).ok_or("has a payload that is not base64url")?)
                .ok_or("has a payload that is not a JSON object without repetition")?;
        if header.contains_key("crit") || header.contains_key("b64") {
            return Err("has critical header parameters, none of which is known here");
        }
        let text = |name: &str| match header.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone())),
            Some(_) => Err("has a header parameter of the wrong type"),
        };
        let chain = match header.get("x5c") {
            None => Vec::new(),
            Some(Value::Array(list)) if (1..=MAX_CHAIN_CERTIFICATES).contains(&list.len()) => list
                .iter()
                .map(|one| base64_simd::STANDARD.decode_to_vec(one.as_str()?).ok())
                .collect::<Option<_>>()
                .ok_or("has certificates that are not base64")?,
            Some(_) => return Err("has too many certificates, or none"),
        };
        Ok(Self {
            alg: text("alg")?.as_deref().and_then(SignatureAlgorithm::of_jose),
            kid: text("kid")?,
            typ: text("typ")?.map(|typ| {
                let typ = typ.to_ascii_lowercase();
                typ.strip_prefix("application/").map(str::to_owned).unwrap_or(typ)
            }),
            chain,
            payload,
            signing_input: signing_input.to_owned(),
            signature: base64url(signature).ok_or("has a signature that is not base64url")?,
        })
    }

    /// A string member of the payload.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        self.payload.get(name).and_then(Value::as_str)
    }
}

/// Decodes base64url without padding. Unused bits must be zero, so that a value has only one encoding.
pub(crate) fn base64url(text: &str) -> Option<Vec<u8>> {
    BASE64URL.decode_to_vec(text).ok()
}

#[cfg(test)]
mod tests {
    use super::base64url;

    #[test]
    fn a_value_has_one_encoding() {
        assert_eq!(base64url("QQ"), Some(b"A".to_vec()));
        for other in ["QR", "QQ==", "QQ=", "Q", "QQ\n", "+/+/"] {
            assert_eq!(base64url(other), None, "{other}");
        }
    }
}
