//! `COSE_Sign1` and `COSE_Mac0` (RFC 9052).

use crate::cbor;
use crate::jws::MAX_CHAIN_CERTIFICATES;
use crate::keys::SignatureAlgorithm;
use aws_lc_rs::hmac;
use ciborium::Value;

const ALG_LABEL: i64 = 1;
const CRIT_LABEL: i64 = 2;
const KID_LABEL: i64 = 4;
const TYP_LABEL: i64 = 16;
const X5CHAIN_LABEL: i64 = 33;

/// A parsed message; nothing in it is verified yet.
#[derive(Clone, Debug)]
pub(crate) struct CoseSign1 {
    /// `None` when the protected header names an algorithm that is not on the allow-list, or none at all.
    pub alg: Option<SignatureAlgorithm>,
    pub kid: Option<Vec<u8>>,
    /// The type (RFC 9596) in lower case, if it is given as text.
    pub typ: Option<String>,
    /// Certificates of `x5chain` in DER, the signer's first. Trusted only as far as a listed root certifies them.
    pub chain: Vec<Vec<u8>>,
    protected: Vec<u8>,
    /// `None` where the payload is detached.
    pub payload: Option<Vec<u8>>,
    pub signature: Vec<u8>,
}

/// Why a value is not a `COSE_Sign1`; reads on from "the message".
pub(crate) type CoseSign1Error = &'static str;

impl CoseSign1 {
    /// Parses a message, with or without the tags of `COSE_Sign1` (18) and CWT (61).
    pub(crate) fn parse(mut value: Value) -> Result<Self, CoseSign1Error> {
        for tag in [61, 18] {
            value = match value {
                Value::Tag(found, inner) if found == tag => *inner,
                other => other,
            };
        }
        let parts = value.into_array().map_err(|_| "is not a COSE_Sign1")?;
        let [Value::Bytes(protected), Value::Map(unprotected), payload, Value::Bytes(signature)] =
            <[Value; 4]>::try_from(parts).map_err(|_| "is not a COSE_Sign1")?
        else {
            return Err("is not a COSE_Sign1");
        };
        let payload = match payload {
            Value::Bytes(payload) => Some(payload),
            Value::Null => None,
            _ => return Err("is not a COSE_Sign1"),
        };
        let header = match &*protected {
            [] => Vec::new(),
            bytes => cbor::decode(bytes)
                .ok()
                .and_then(|header| header.into_map().ok())
                .ok_or("has a protected header that is not a map in its shortest form")?,
        };
        if cbor::get_label(&header, CRIT_LABEL).is_some()
            || cbor::get_label(&unprotected, CRIT_LABEL).is_some()
        {
            return Err("has critical header parameters, none of which is known here");
        }
        if header.iter().any(|(label, _)| unprotected.iter().any(|(other, _)| label == other)) {
            return Err("repeats a header parameter");
        }
        if cbor::get_label(&unprotected, ALG_LABEL).is_some() {
            return Err("names its algorithm where no signature protects it");
        }
        let either = |label| cbor::get_label(&header, label).or_else(|| cbor::get_label(&unprotected, label));
        let kid = match either(KID_LABEL) {
            None | Some(Value::Null) => None,
            Some(Value::Bytes(kid)) => Some(kid.clone()),
            Some(_) => return Err("has a `kid` that is not bytes"),
        };
        Ok(Self {
            alg: cbor::get_label(&header, ALG_LABEL)
                .and_then(cbor::as_i64)
                .and_then(SignatureAlgorithm::of_cose),
            kid,
            typ: cbor::get_label(&header, TYP_LABEL).and_then(Value::as_text).map(str::to_ascii_lowercase),
            chain: parse_x5chain(either(X5CHAIN_LABEL))?,
            protected,
            payload,
            signature,
        })
    }

    /// The bytes that the signature covers (`Sig_structure`). `payload` is passed in because it may be detached.
    pub(crate) fn signed_bytes(&self, external_aad: &[u8], payload: &[u8]) -> Vec<u8> {
        sig_structure(&self.protected, external_aad, payload)
    }
}

/// `Sig_structure` of a `COSE_Sign1` (RFC 9052, section 4.4): what the signer signs.
pub(crate) fn sig_structure(protected: &[u8], external_aad: &[u8], payload: &[u8]) -> Vec<u8> {
    let bytes = |bytes: &[u8]| Value::Bytes(bytes.to_vec());
    let context = Value::Text("Signature1".to_owned());
    cbor::encode(&Value::Array(vec![context, bytes(protected), bytes(external_aad), bytes(payload)]))
}

/// HMAC 256/256 (RFC 9053, section 3.1).
const HMAC_256: i64 = 5;

/// A parsed `COSE_Mac0` with HMAC 256/256; nothing in it is verified yet.
#[derive(Clone, Debug)]
pub(crate) struct CoseMac0 {
    protected: Vec<u8>,
    /// `None` where the payload is detached.
    pub payload: Option<Vec<u8>>,
    tag: Vec<u8>,
}

impl CoseMac0 {
    /// Parses a message, with or without the tag of `COSE_Mac0` (17).
    pub(crate) fn parse(value: Value) -> Result<Self, CoseSign1Error> {
        let value = match value {
            Value::Tag(17, inner) => *inner,
            other => other,
        };
        let parts = value.into_array().map_err(|_| "is not a COSE_Mac0")?;
        let [Value::Bytes(protected), Value::Map(unprotected), payload, Value::Bytes(tag)] =
            <[Value; 4]>::try_from(parts).map_err(|_| "is not a COSE_Mac0")?
        else {
            return Err("is not a COSE_Mac0");
        };
        let payload = match payload {
            Value::Bytes(payload) => Some(payload),
            Value::Null => None,
            _ => return Err("is not a COSE_Mac0"),
        };
        let header = cbor::decode(&protected).ok().and_then(|header| header.into_map().ok());
        let header = header.ok_or("has a protected header that is not a map in its shortest form")?;
        if cbor::get_label(&header, CRIT_LABEL).is_some()
            || cbor::get_label(&unprotected, CRIT_LABEL).is_some()
        {
            return Err("has critical header parameters, none of which is known here");
        }
        if cbor::get_label(&header, ALG_LABEL).and_then(cbor::as_i64) != Some(HMAC_256) {
            return Err("is not of HMAC 256/256");
        }
        Ok(Self { protected, payload, tag })
    }

    /// Whether the tag is that of `payload` under `key` (`MAC_structure`, RFC 9052, section 6.3).
    pub(crate) fn is_authentic(&self, key: &[u8; 32], payload: &[u8]) -> bool {
        let bytes = |bytes: &[u8]| Value::Bytes(bytes.to_vec());
        let context = Value::Text("MAC0".to_owned());
        let message =
            cbor::encode(&Value::Array(vec![context, bytes(&self.protected), bytes(&[]), bytes(payload)]));
        hmac::verify(&hmac::Key::new(hmac::HMAC_SHA256, key), &message, &self.tag).is_ok()
    }
}

fn parse_x5chain(value: Option<&Value>) -> Result<Vec<Vec<u8>>, CoseSign1Error> {
    match value {
        None => Ok(Vec::new()),
        Some(Value::Bytes(one)) => Ok(vec![one.clone()]),
        Some(Value::Array(list)) if (1..=MAX_CHAIN_CERTIFICATES).contains(&list.len()) => list
            .iter()
            .map(|one| one.as_bytes().cloned())
            .collect::<Option<_>>()
            .ok_or("has certificates that are not bytes"),
        Some(_) => Err("has too many certificates, or none"),
    }
}
