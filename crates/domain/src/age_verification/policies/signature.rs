//! Detached signatures of policy files: a JWS in compact form without its payload (RFC 7515, appendix F), ES256.

use age_methods::InvalidSettingError;
use aws_lc_rs::{
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, ParsedPublicKey},
};
use base64_simd::URL_SAFE_NO_PAD;
use serde::Deserialize;
use std::{fs, path::Path};
use zeroize::Zeroizing;

/// The protected header of signatures that are made here.
const SIGNATURE_HEADER: &str = r#"{"alg":"ES256","typ":"age-policy"}"#;
/// The longest signature, bytes.
const MAX_SIGNATURE_BYTES: usize = 1024;
/// The makers' public key, which verifies the policies of this program.
const PROGRAM_KEY_PEM: &str = include_str!("../../../policies/key.pem");

/// A public key that verifies policies.
#[derive(Clone)]
pub struct PolicyKey(ParsedPublicKey);

impl std::fmt::Debug for PolicyKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PolicyKey")
    }
}

/// Why a signature does not count; reads on from "the signature".
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicySignatureError {
    #[error("the signature is not a detached JWS: header, two dots, signature")]
    Malformed,
    #[error("the signature has another algorithm than ES256, or a header parameter that is not known")]
    Header,
    #[error("the signature does not match the file and the key")]
    Wrong,
    #[error("the key is not a private key on P-256 in PEM (PKCS#8)")]
    Key,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SignatureHeader {
    alg: String,
    typ: Option<String>,
    /// Names a key, which is a setting here.
    #[serde(rename = "kid")]
    _kid: Option<String>,
}

impl PolicyKey {
    /// The key of this program's makers.
    pub fn of_program() -> Self {
        Self::parse(PROGRAM_KEY_PEM.as_bytes()).expect("the key in this program is one")
    }

    /// Reads a public key on P-256, PEM.
    pub fn parse(pem: &[u8]) -> Option<Self> {
        let der = read_pem(pem, "PUBLIC KEY")?;
        ParsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, &der).ok().map(Self)
    }

    /// Reads the file of a public key.
    pub fn open(file: &Path) -> Result<Self, InvalidSettingError> {
        let failed = |words: String| InvalidSettingError { setting: "key_file", problem: words };
        let pem =
            fs::read(file).map_err(|error| failed(format!("{} cannot be read: {error}", file.display())))?;
        let key = Self::parse(&pem);
        key.ok_or_else(|| failed(format!("{} is not a public key on P-256 in PEM", file.display())))
    }

    /// Verifies that the holder of the private key signed exactly these bytes.
    pub(super) fn verify(&self, file: &[u8], signature: &str) -> Result<(), PolicySignatureError> {
        let signature = signature.trim();
        if signature.len() > MAX_SIGNATURE_BYTES {
            return Err(PolicySignatureError::Malformed);
        }
        let (header, signature) = signature.split_once("..").ok_or(PolicySignatureError::Malformed)?;
        let bytes = URL_SAFE_NO_PAD.decode_to_vec(header).map_err(|_| PolicySignatureError::Malformed)?;
        let parsed: SignatureHeader =
            serde_json::from_slice(&bytes).map_err(|_| PolicySignatureError::Header)?;
        if parsed.alg != "ES256" || parsed.typ.is_some_and(|typ| typ != "age-policy") {
            return Err(PolicySignatureError::Header);
        }
        let signed = signing_input(header, file);
        let signature =
            URL_SAFE_NO_PAD.decode_to_vec(signature).map_err(|_| PolicySignatureError::Malformed)?;
        let verified = self.0.verify_sig(signed.as_bytes(), &signature);
        verified.map_err(|_| PolicySignatureError::Wrong)
    }
}

/// Signs a policy file with a private key on P-256 (PKCS#8, PEM). Returns the detached JWS.
pub fn sign_policy(file: &[u8], key: &[u8]) -> Result<String, PolicySignatureError> {
    let der = read_pem(key, "PRIVATE KEY").ok_or(PolicySignatureError::Key)?;
    let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &der)
        .map_err(|_| PolicySignatureError::Key)?;
    let header = URL_SAFE_NO_PAD.encode_to_string(SIGNATURE_HEADER);
    let signed = signing_input(&header, file);
    let signature = key.sign(&SystemRandom::new(), signed.as_bytes());
    let signature = signature.map_err(|_| PolicySignatureError::Key)?;
    Ok(format!("{header}..{}", URL_SAFE_NO_PAD.encode_to_string(signature.as_ref())))
}

/// The content of a PEM file of this kind, wiped when dropped.
fn read_pem(text: &[u8], kind: &str) -> Option<Zeroizing<Vec<u8>>> {
    let parsed = pem::parse(text).ok().filter(|parsed| parsed.tag() == kind)?;
    Some(Zeroizing::new(parsed.into_contents()))
}

fn signing_input(header: &str, file: &[u8]) -> String {
    format!("{header}.{}", URL_SAFE_NO_PAD.encode_to_string(file))
}
