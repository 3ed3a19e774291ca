//! What a scanned text is. Nothing is verified here, everything is bounded.

use crate::cbor;
use crate::cwt::Cwt;
use crate::hosts;
use crate::jwt::Jwt;
use crate::mdoc::Mdoc;
use crate::proof::{Kind, MAX_CHARACTERS, MAX_INFLATED, Presented, Proof, Unsupported};
use crate::sd_jwt::SdJwt;
use base::Measured;
use ciborium::Value;
use flate2::bufread::ZlibDecoder;
use std::io::Read;

/// Prefix of proofs that Assay issues.
pub(crate) const OWN: &str = "POA1:";

/// Takes a scanned value apart, as far as that needs neither keys nor a clock. Never panics, reads no more than
/// [`MAX_CHARACTERS`] and inflates no more than [`MAX_INFLATED`] bytes.
///
/// Recognised are: `POA1:` and other prefixes of the `HC1:` kind (base45, zlib or not, CBOR); SD-JWT with `~`; JWT; CBOR in
/// base64url or base45 (a mobile document, its response, or a CWT); https addresses; requests; device engagements.
pub fn read(value: &str) -> Result<Presented, Unsupported> {
    let characters = value.chars().take(MAX_CHARACTERS + 1).count();
    if characters > MAX_CHARACTERS {
        return Err(Unsupported {
            detail: "the code is longer than a QR code can be".to_owned(),
            measured: Some(Measured::new(
                value.chars().count() as f64,
                format!("at most {MAX_CHARACTERS} characters"),
                "send the value of the QR code and nothing else",
            )),
        });
    }
    // Readers append line ends. A space stays: it is a digit of base45.
    let text = value.trim_matches(['\r', '\n', '\t']);
    if let Some(other) = without_proof(text) {
        return other;
    }
    if let Some(encoded) = prefixed(text) {
        let bytes = base45::decode(encoded).map_err(|_| Unsupported::new("the code is not base45"))?;
        return cbor_proof(&bytes, text.starts_with(OWN)).map(Presented::Proof);
    }
    if text.contains('~') {
        return SdJwt::parse(text).map(|token| Presented::Proof(Proof(Box::new(Kind::SdJwt(token)))));
    }
    match text.bytes().filter(|byte| *byte == b'.').count() {
        2 if text.starts_with("ey") => {
            return Jwt::parse(text).map(|jwt| Presented::Proof(Proof(Box::new(Kind::Jwt(jwt)))));
        }
        4 if text.starts_with("ey") => return Err(Unsupported::new("the code is an encrypted token")),
        _ => {}
    }
    // Both alphabets hold capitals and digits; only one of the readings is CBOR.
    let mut found = Err(Unsupported::new("the code is not a proof of age in a form that is known"));
    for bytes in [crate::jws::base64url(text), base45::decode(text).ok()].into_iter().flatten() {
        found = cbor_proof(&bytes, false);
        if found.is_ok() {
            break;
        }
    }
    found.map(Presented::Proof)
}

/// Addresses: none of them holds a proof.
fn without_proof(text: &str) -> Option<Result<Presented, Unsupported>> {
    let scheme = text.split_once(':')?.0.to_ascii_lowercase();
    Some(match scheme.as_str() {
        "https" => match hosts::of_https(text) {
            Some(_) => Ok(Presented::Reference(text.to_owned())),
            None => Err(Unsupported::new("the code is not a plain https address")),
        },
        "http" => Err(Unsupported::new("the code is an address without TLS")),
        "mdoc" | "mdl" => Ok(Presented::Engagement),
        "openid4vp" | "mdoc-openid4vp" | "eudi-openid4vp" => {
            Ok(Presented::Request("an OpenID for Verifiable Presentations request"))
        }
        "av" => Ok(Presented::Request("an age verification request to a wallet")),
        "haip" | "haip-vp" => Ok(Presented::Request("a high assurance presentation request to a wallet")),
        "openid-credential-offer" | "haip-vci" => {
            Ok(Presented::Request("an offer of a credential to a wallet"))
        }
        _ => return None,
    })
}

/// What follows a prefix like `HC1:`: two or three capitals and a digit.
fn prefixed(text: &str) -> Option<&str> {
    let (prefix, rest) = text.split_once(':')?;
    let (version, letters) = prefix.as_bytes().split_last()?;
    let fits = (2..=3).contains(&letters.len()) && letters.iter().all(u8::is_ascii_uppercase);
    (fits && version.is_ascii_digit()).then_some(rest)
}

fn cbor_proof(bytes: &[u8], own: bool) -> Result<Proof, Unsupported> {
    let inflated;
    // 0x78 begins a zlib stream of the usual window; in CBOR it would begin a text, which no proof is.
    let bytes = if bytes.first() == Some(&0x78) {
        inflated = inflate(bytes)?;
        &inflated
    } else {
        bytes
    };
    let value =
        cbor::decode(bytes).map_err(|error| Unsupported::new(format!("the code is CBOR that {error}")))?;
    let kind = match &value {
        Value::Map(_) => Kind::Mdoc(Mdoc::parse(value)?),
        Value::Array(parts) if parts.len() == 2 => Kind::Mdoc(Mdoc::parse(value)?),
        _ => Kind::Cwt(Cwt::parse(value, own)?),
    };
    Ok(Proof(Box::new(kind)))
}

fn inflate(bytes: &[u8]) -> Result<Vec<u8>, Unsupported> {
    let mut inflated = Vec::new();
    let mut decoder = ZlibDecoder::new(bytes).take(MAX_INFLATED as u64 + 1);
    let read = decoder.read_to_end(&mut inflated);
    if inflated.len() > MAX_INFLATED {
        return Err(Unsupported {
            detail: "the code inflates to more than a proof can be".to_owned(),
            measured: Some(Measured::new(
                inflated.len() as f64,
                format!("at most {MAX_INFLATED} bytes"),
                "present a proof of age and nothing else",
            )),
        });
    }
    read.map_err(|_| Unsupported::new("the code is not zlib from end to end"))?;
    if !decoder.into_inner().into_inner().is_empty() {
        return Err(Unsupported::new("the code has bytes after its zlib stream"));
    }
    Ok(inflated)
}
