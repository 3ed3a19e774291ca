//! What a scanned text is. Nothing is verified here, everything is bounded.

use crate::cbor;
use crate::cwt::Cwt;
use crate::https_host;
use crate::jwt::Jwt;
use crate::mdoc::Mdoc;
use crate::proof::{
    MAX_INFLATED_PROOF_BYTES, MAX_QR_CHARS, ParsedProof, ProofToken, ScannedValue, UnsupportedProofError,
};
use crate::sd_jwt::SdJwt;
use base::LimitViolation;
use ciborium::Value;
use flate2::bufread::ZlibDecoder;
use std::io::Read;

/// Prefix of proofs that Assay issues.
pub(crate) const OWN_PREFIX: &str = "POA1:";

/// Takes a scanned value apart, as far as that needs neither keys nor a clock. Never panics, reads no more than
/// [`MAX_QR_CHARS`] and inflates no more than [`MAX_INFLATED_PROOF_BYTES`] bytes.
///
/// Recognised are: `POA1:` and other prefixes of the `HC1:` kind (base45, zlib or not, CBOR); SD-JWT with `~`; JWT; CBOR in
/// base64url or base45 (a mobile document, its response, or a CWT); https addresses; requests; device engagements.
pub fn parse_scanned(value: &str) -> Result<ScannedValue, UnsupportedProofError> {
    let characters = value.chars().take(MAX_QR_CHARS + 1).count();
    if characters > MAX_QR_CHARS {
        return Err(UnsupportedProofError {
            detail: "the code is longer than a QR code can be".to_owned(),
            measured: Some(LimitViolation::new(
                value.chars().count() as f64,
                format!("at most {MAX_QR_CHARS} characters"),
                "send the value of the QR code and nothing else",
            )),
        });
    }
    // Readers append line ends. A space stays: it is a digit of base45.
    let text = value.trim_matches(['\r', '\n', '\t']);
    if let Some(other) = parse_address(text) {
        return other;
    }
    if let Some(encoded) = strip_base45_prefix(text) {
        let bytes =
            base45::decode(encoded).map_err(|_| UnsupportedProofError::new("the code is not base45"))?;
        return parse_cbor_proof(&bytes, text.starts_with(OWN_PREFIX)).map(ScannedValue::Proof);
    }
    if text.contains('~') {
        return SdJwt::parse(text)
            .map(|token| ScannedValue::Proof(ParsedProof(Box::new(ProofToken::SdJwt(token)))));
    }
    match text.bytes().filter(|byte| *byte == b'.').count() {
        2 if text.starts_with("ey") => {
            return Jwt::parse(text)
                .map(|jwt| ScannedValue::Proof(ParsedProof(Box::new(ProofToken::Jwt(jwt)))));
        }
        4 if text.starts_with("ey") => {
            return Err(UnsupportedProofError::new("the code is an encrypted token"));
        }
        _ => {}
    }
    // Both alphabets hold capitals and digits; only one of the readings is CBOR.
    let mut found = Err(UnsupportedProofError::new("the code is not a proof of age in a form that is known"));
    for bytes in [crate::jws::base64url(text), base45::decode(text).ok()].into_iter().flatten() {
        found = parse_cbor_proof(&bytes, false);
        if found.is_ok() {
            break;
        }
    }
    found.map(ScannedValue::Proof)
}

/// Addresses: none of them holds a proof.
fn parse_address(text: &str) -> Option<Result<ScannedValue, UnsupportedProofError>> {
    let scheme = text.split_once(':')?.0.to_ascii_lowercase();
    Some(match scheme.as_str() {
        "https" => match https_host::https_host(text) {
            Some(_) => Ok(ScannedValue::Reference(text.to_owned())),
            None => Err(UnsupportedProofError::new("the code is not a plain https address")),
        },
        "http" => Err(UnsupportedProofError::new("the code is an address without TLS")),
        "mdoc" | "mdl" => Ok(ScannedValue::Engagement),
        "openid4vp" | "mdoc-openid4vp" | "eudi-openid4vp" => {
            Ok(ScannedValue::Request("an OpenID for Verifiable Presentations request"))
        }
        "av" => Ok(ScannedValue::Request("an age verification request to a wallet")),
        "haip" | "haip-vp" => Ok(ScannedValue::Request("a high assurance presentation request to a wallet")),
        "openid-credential-offer" | "haip-vci" => {
            Ok(ScannedValue::Request("an offer of a credential to a wallet"))
        }
        _ => return None,
    })
}

/// What follows a prefix like `HC1:`: two or three capitals and a digit.
fn strip_base45_prefix(text: &str) -> Option<&str> {
    let (prefix, rest) = text.split_once(':')?;
    let (version, letters) = prefix.as_bytes().split_last()?;
    let fits = (2..=3).contains(&letters.len()) && letters.iter().all(u8::is_ascii_uppercase);
    (fits && version.is_ascii_digit()).then_some(rest)
}

fn parse_cbor_proof(bytes: &[u8], own: bool) -> Result<ParsedProof, UnsupportedProofError> {
    let inflated;
    // 0x78 begins a zlib stream of the usual window; in CBOR it would begin a text, which no proof is.
    let bytes = if bytes.first() == Some(&0x78) {
        inflated = inflate(bytes)?;
        &inflated
    } else {
        bytes
    };
    let value = cbor::decode(bytes)
        .map_err(|error| UnsupportedProofError::new(format!("the code is CBOR that {error}")))?;
    let kind = match &value {
        Value::Map(_) => ProofToken::Mdoc(Mdoc::parse(value)?),
        Value::Array(parts) if parts.len() == 2 => ProofToken::Mdoc(Mdoc::parse(value)?),
        _ => ProofToken::Cwt(Cwt::parse(value, own)?),
    };
    Ok(ParsedProof(Box::new(kind)))
}

fn inflate(bytes: &[u8]) -> Result<Vec<u8>, UnsupportedProofError> {
    let mut inflated = Vec::new();
    let mut decoder = ZlibDecoder::new(bytes).take(MAX_INFLATED_PROOF_BYTES as u64 + 1);
    let read = decoder.read_to_end(&mut inflated);
    if inflated.len() > MAX_INFLATED_PROOF_BYTES {
        return Err(UnsupportedProofError {
            detail: "the code inflates to more than a proof can be".to_owned(),
            measured: Some(LimitViolation::new(
                inflated.len() as f64,
                format!("at most {MAX_INFLATED_PROOF_BYTES} bytes"),
                "present a proof of age and nothing else",
            )),
        });
    }
    read.map_err(|_| UnsupportedProofError::new("the code is not zlib from end to end"))?;
    if !decoder.into_inner().into_inner().is_empty() {
        return Err(UnsupportedProofError::new("the code has bytes after its zlib stream"));
    }
    Ok(inflated)
}
