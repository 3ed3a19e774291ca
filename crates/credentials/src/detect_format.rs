//! What a scanned text is: which format of proof, an address, a request. Nothing is verified here, everything is
//! bounded.

use crate::cbor;
use crate::cwt::Cwt;
use crate::error::UnsupportedProofError;
use crate::https_host;
use crate::jwe::DecryptionKey;
use crate::jwt::Jwt;
use crate::mdoc::{Mdoc, ReaderSession};
use crate::sd_jwt::SdJwt;
use crate::verification::CredentialFormat;
use base::LimitViolation;
use ciborium::Value;
use flate2::bufread::ZlibDecoder;
use std::{io::Read, sync::Arc};

/// Characters of a QR code at most (version 40, alphanumeric, error correction L).
pub const MAX_QR_CHARS: usize = 4296;
/// Characters of a proof at most that was fetched from its issuer.
pub const MAX_FETCHED_CHARS: usize = 64 << 10;
/// Bytes that a compressed proof may inflate to.
pub const MAX_INFLATED_PROOF_BYTES: usize = 16 * 1024;
/// Characters of a device's response at most, if a terminal sends it with its session. One with a portrait has fewer.
pub const MAX_RESPONSE_CHARS: usize = 128 << 10;
/// Bytes of a session transcript at most.
pub const MAX_TRANSCRIPT_BYTES: usize = 16 << 10;
/// Prefix of proofs that Assay issues.
pub(crate) const OWN_PREFIX: &str = "POA1:";

/// What a scanned value turned out to be.
#[derive(Clone, Debug)]
pub enum ScannedValue {
    /// A proof that [`TrustList::verify_proof`](crate::trust::TrustList::verify_proof) can judge.
    Proof(ParsedProof),
    /// An https address where the proof can be fetched; see
    /// [`TrustList::issuer_of_reference`](crate::trust::TrustList::issuer_of_reference).
    Reference(String),
    /// A request for a proof, not a proof; the text says which kind of request.
    Request(&'static str),
    /// A device engagement (ISO 18013-5): an invitation to connect to a phone, without a credential in it.
    Engagement,
}

/// A parsed proof; nothing in it is verified yet.
#[derive(Clone, Debug)]
pub struct ParsedProof(Box<ProofToken>);

#[derive(Clone, Debug)]
pub(crate) enum ProofToken {
    Cwt(Cwt),
    SdJwt(SdJwt),
    Jwt(Jwt),
    Mdoc(Mdoc),
}

impl ParsedProof {
    pub(crate) fn token(&self) -> &ProofToken {
        &self.0
    }

    /// The proof's format.
    pub fn format(&self) -> CredentialFormat {
        match &*self.0 {
            ProofToken::Cwt(_) => CredentialFormat::Cwt,
            ProofToken::SdJwt(_) => CredentialFormat::SdJwtVc,
            ProofToken::Jwt(_) => CredentialFormat::Jwt,
            ProofToken::Mdoc(_) => CredentialFormat::Mdoc,
        }
    }

    /// The issuer that the proof names, unverified. `None` for a mobile document, whose certificates identify its
    /// issuer.
    pub fn claimed_issuer(&self) -> Option<&str> {
        match &*self.0 {
            ProofToken::Cwt(cwt) => cwt.issuer(),
            ProofToken::SdJwt(token) => token.issuer(),
            ProofToken::Jwt(jwt) => jwt.issuer(),
            ProofToken::Mdoc(_) => None,
        }
    }

    /// The key id that the proof names, unverified. Bytes that are not printable ASCII are given as base64url.
    pub fn claimed_key(&self) -> Option<String> {
        match &*self.0 {
            ProofToken::Cwt(cwt) => cwt.token.kid.as_deref().map(|kid| match std::str::from_utf8(kid) {
                Ok(text) if text.chars().all(|letter| letter.is_ascii_graphic()) => text.to_owned(),
                _ => base64_simd::URL_SAFE_NO_PAD.encode_to_string(kid),
            }),
            ProofToken::SdJwt(token) => token.token.kid.clone(),
            ProofToken::Jwt(jwt) => jwt.token.kid.clone(),
            ProofToken::Mdoc(_) => None,
        }
    }
}

/// Parses a scanned value, as far as that needs neither keys nor a clock. Never panics, reads no more than
/// [`MAX_QR_CHARS`] characters and inflates no more than [`MAX_INFLATED_PROOF_BYTES`] bytes.
///
/// Recognised are: `POA1:` and other prefixes of the `HC1:` kind (base45, zlib or not, CBOR); SD-JWT with `~`; JWT;
/// CBOR in base64url or base45 (a mobile document, its response, or a CWT); https addresses; requests; device
/// engagements.
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
    parse_bounded(value)
}

/// Parses what an issuer handed out at an address that was scanned, as [`parse_scanned`] does, but up to
/// [`MAX_FETCHED_CHARS`] characters: what is too long for a code is why there are addresses.
pub fn parse_fetched(value: &str) -> Result<ScannedValue, UnsupportedProofError> {
    if value.chars().take(MAX_FETCHED_CHARS + 1).count() > MAX_FETCHED_CHARS {
        return Err(UnsupportedProofError::new("the proof is longer than one that is fetched may be"));
    }
    parse_bounded(value)
}

/// Parses a value whose length was checked.
fn parse_bounded(value: &str) -> Result<ScannedValue, UnsupportedProofError> {
    // Code readers append line ends. Spaces are kept: a space is a digit of base45.
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
    // Capitals and digits are in both alphabets, so both decodings are tried; only one of them gives CBOR.
    let mut found = Err(UnsupportedProofError::new("the code is not a proof of age in a form that is known"));
    for bytes in [crate::jws::base64url(text), base45::decode(text).ok()].into_iter().flatten() {
        found = parse_cbor_proof(&bytes, false);
        if found.is_ok() {
            break;
        }
    }
    found.map(ScannedValue::Proof)
}

/// Parses a `DeviceResponse` (ISO 18013-5) that a terminal received from a device: CBOR in base64url, standard base64 or
/// base45, at most [`MAX_RESPONSE_CHARS`] characters, with what the terminal knows of the session.
pub fn parse_device_response(
    response: &str,
    session: TerminalSession,
) -> Result<ParsedProof, UnsupportedProofError> {
    let characters = response.chars().take(MAX_RESPONSE_CHARS + 1).count();
    if characters > MAX_RESPONSE_CHARS {
        return Err(UnsupportedProofError::new("the response is longer than a device's response can be"));
    }
    let text = response.trim_matches(['\r', '\n', '\t', ' ']);
    let base64 = || base64_simd::STANDARD.decode_to_vec(text).ok();
    let encodings: [&dyn Fn() -> Option<Vec<u8>>; 3] =
        [&|| crate::jws::base64url(text), &base64, &|| base45::decode(text).ok()];
    let decoded = encodings.iter().find_map(|decode| cbor::decode(&decode()?).ok());
    let decoded = decoded.ok_or_else(|| {
        UnsupportedProofError::new("the response is not CBOR in base64url, base64 or base45")
    })?;
    let session = ReaderSession { transcript: session.transcript, key: session.reader_key, made_at: None };
    Mdoc::parse_relayed(&decoded, session).map(|mdoc| ParsedProof(Box::new(ProofToken::Mdoc(mdoc))))
}

/// What a terminal knows of the session in which it received a response.
#[derive(Debug)]
pub struct TerminalSession {
    transcript: Value,
    reader_key: Option<Arc<DecryptionKey>>,
}

/// Why what a terminal sent of its session cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TerminalSessionError {
    #[error(
        "it is not base64url of a SessionTranscript, a CBOR array of three items, of at most {MAX_TRANSCRIPT_BYTES} bytes"
    )]
    Transcript,
    #[error("it is not a private JWK on P-256, P-384 or P-521")]
    ReaderKey,
}

impl TerminalSession {
    /// `transcript` is base64url of a `SessionTranscript`, or of `SessionTranscriptBytes`; `reader_key` the ephemeral
    /// private key of the reader, a JWK, which only a MAC needs.
    pub fn parse(transcript: &str, reader_key: Option<&str>) -> Result<Self, TerminalSessionError> {
        let bytes = Some(transcript).filter(|text| text.len() <= MAX_TRANSCRIPT_BYTES / 3 * 4 + 4);
        let decoded = bytes.and_then(crate::jws::base64url).and_then(|bytes| cbor::decode(&bytes).ok());
        let decoded = decoded.ok_or(TerminalSessionError::Transcript)?;
        let transcript = match cbor::unwrap_encoded_cbor(&decoded) {
            Some(inner) => cbor::decode(inner).map_err(|_| TerminalSessionError::Transcript)?,
            None => decoded,
        };
        if transcript.as_array().is_none_or(|parts| parts.len() != 3) {
            return Err(TerminalSessionError::Transcript);
        }
        let key = reader_key.map(|key| DecryptionKey::from_jwk(key).ok_or(TerminalSessionError::ReaderKey));
        Ok(Self { transcript, reader_key: key.transpose()?.map(Arc::new) })
    }
}

/// Values with a URL scheme, none of which contains a proof: `None` if the scheme is not one that is known.
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

/// What follows a prefix like `HC1:`, two or three capitals and a digit.
fn strip_base45_prefix(text: &str) -> Option<&str> {
    let (prefix, rest) = text.split_once(':')?;
    let (version, letters) = prefix.as_bytes().split_last()?;
    let fits = (2..=3).contains(&letters.len()) && letters.iter().all(u8::is_ascii_uppercase);
    (fits && version.is_ascii_digit()).then_some(rest)
}

fn parse_cbor_proof(bytes: &[u8], own: bool) -> Result<ParsedProof, UnsupportedProofError> {
    let inflated;
    // 0x78 begins a zlib stream with the usual window size; in CBOR it begins a text, and no proof is a text.
    let bytes = if bytes.first() == Some(&0x78) {
        inflated = inflate(bytes)?;
        &inflated
    } else {
        bytes
    };
    let value = cbor::decode(bytes)
        .map_err(|error| UnsupportedProofError::new(format!("the code is CBOR that {error}")))?;
    let token = match &value {
        Value::Map(_) => ProofToken::Mdoc(Mdoc::parse(value)?),
        Value::Array(parts) if parts.len() == 2 => ProofToken::Mdoc(Mdoc::parse(value)?),
        _ => ProofToken::Cwt(Cwt::parse(value, own)?),
    };
    Ok(ParsedProof(Box::new(token)))
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
