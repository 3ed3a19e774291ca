//! The device's signature or MAC: what shows that a mobile document was not copied (ISO 18013-5, 9.1.3).

use super::malformed;
use crate::cbor;
use crate::cose::{CoseMac0, CoseSign1};
use crate::digest::sha256;
use crate::error::{ProofVerificationError, UnsupportedProofError};
use crate::jwe::DecryptionKey;
use crate::keys::VerificationKey;
use ciborium::Value;
use std::sync::Arc;

const QR_HANDOVER: &str = "PoaQrHandover";

/// The session of a reader and a device.
#[derive(Debug)]
pub(crate) struct ReaderSession {
    pub(crate) transcript: Value,
    /// The reader's ephemeral key, which only a MAC needs.
    pub(crate) key: Option<Arc<DecryptionKey>>,
    /// When the presentation was made, in seconds since the Unix epoch, if the transcript says so: that of our QR profile.
    pub(crate) made_at: Option<i64>,
}

/// The device's authentication of a response, for one session.
#[derive(Clone, Debug)]
pub(super) struct DeviceAuthentication {
    proof: DeviceProof,
    /// `DeviceAuthenticationBytes`.
    pub(super) authentication: Vec<u8>,
    /// See [`ReaderSession::made_at`].
    pub(super) made_at: Option<i64>,
}

#[derive(Clone, Debug)]
enum DeviceProof {
    Signature(CoseSign1),
    Mac {
        mac: CoseMac0,
        reader: Arc<DecryptionKey>,
        /// SHA-256 of `SessionTranscriptBytes`.
        salt: [u8; 32],
    },
}

impl DeviceAuthentication {
    pub(super) fn parse(
        signed: &[(Value, Value)],
        session: ReaderSession,
        doc_type: &str,
    ) -> Result<Self, UnsupportedProofError> {
        let ReaderSession { transcript, key, made_at } = session;
        let name_spaces =
            cbor::get_name(signed, "nameSpaces").filter(|spaces| cbor::unwrap_encoded_cbor(spaces).is_some());
        let name_spaces = name_spaces
            .cloned()
            .ok_or_else(|| malformed("has name spaces of its device that cannot be read"))?;
        let transcript_bytes = cbor::encode(&cbor::wrap_encoded_cbor(cbor::encode(&transcript)));
        let text = |text: &str| Value::Text(text.to_owned());
        let authentication =
            Value::Array(vec![text("DeviceAuthentication"), transcript, text(doc_type), name_spaces]);
        let authentication = cbor::encode(&cbor::wrap_encoded_cbor(cbor::encode(&authentication)));
        let auth = cbor::get_name(signed, "deviceAuth").and_then(Value::as_map);
        let member = |name| auth.and_then(|auth| cbor::get_name(auth, name)).cloned();
        let (proof, payload) = match (member("deviceSignature"), member("deviceMac")) {
            (Some(signature), None) => {
                let signature = CoseSign1::parse(signature)
                    .map_err(|problem| malformed(&format!("has a device's signature that {problem}")))?;
                let payload = signature.payload.clone();
                (DeviceProof::Signature(signature), payload)
            }
            (None, Some(mac)) => {
                let reader = key.ok_or_else(|| {
                    malformed("has a MAC of its device, which only the ephemeral key of its reader can check")
                })?;
                let mac = CoseMac0::parse(mac)
                    .map_err(|problem| malformed(&format!("has a device's MAC that {problem}")))?;
                let payload = mac.payload.clone();
                (DeviceProof::Mac { mac, reader, salt: sha256(&[&transcript_bytes]) }, payload)
            }
            _ => return Err(malformed("has not one signature or MAC of its device")),
        };
        if payload.is_some_and(|payload| payload != authentication) {
            return Err(malformed("has a device's signature over something else"));
        }
        Ok(Self { proof, authentication, made_at })
    }

    /// Checks that the device of the key in the security object signed or authenticated this presentation.
    pub(super) fn check(&self, key: Option<&Value>) -> Result<(), ProofVerificationError> {
        let no_key = || {
            ProofVerificationError::unverified(
                "the mobile document names no device's key that is accepted here",
            )
        };
        let key = key.and_then(Value::as_map).ok_or_else(no_key)?;
        let is_authentic = match &self.proof {
            DeviceProof::Signature(signature) => {
                let key = VerificationKey::of_cose(key).ok_or_else(no_key)?;
                let message = signature.signed_bytes(&[], &self.authentication);
                signature.alg.is_some_and(|alg| key.verifies(alg, &message, &signature.signature))
            }
            DeviceProof::Mac { mac, reader, salt } => {
                let point = ec_point(key).ok_or_else(no_key)?;
                let key = reader.derive_device_mac_key(&point, salt).ok_or_else(no_key)?;
                mac.is_authentic(&key, &self.authentication)
            }
        };
        if is_authentic {
            Ok(())
        } else {
            Err(ProofVerificationError::unverified(
                "the presentation is not signed by the mobile document's device",
            ))
        }
    }
}

/// The uncompressed point of a `COSE_Key` on a NIST curve.
fn ec_point(key: &[(Value, Value)]) -> Option<Vec<u8>> {
    let number = |label| cbor::get_label(key, label).and_then(cbor::as_i64);
    let size = match (number(1)?, number(-1)?) {
        (2, 1) => 32,
        (2, 2) => 48,
        (2, 3) => 66,
        _ => return None,
    };
    let coordinate =
        |label| cbor::get_label(key, label).and_then(Value::as_bytes).filter(|bytes| bytes.len() == size);
    Some([&[4], coordinate(-2)?.as_slice(), coordinate(-3)?.as_slice()].concat())
}

/// When a presentation of the QR profile was made, in seconds since the Unix epoch: all that its transcript says.
pub(super) fn handover_time(transcript: &Value) -> Option<i64> {
    match &transcript.as_array()?[..] {
        [Value::Null, Value::Null, Value::Array(handover)] => match &handover[..] {
            [Value::Text(name), made] if name == QR_HANDOVER => cbor::as_i64(made).filter(|made| *made >= 0),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64_simd::URL_SAFE_NO_PAD as BASE64URL;
    use serde_json::{Value as Json, json};

    /// ISO/IEC 18013-5, annex D: a reader's session, and what the device authenticated in it.
    fn example() -> Json {
        serde_json::from_str(include_str!("../../tests/vectors/iso-18013-5-annex-d.json")).unwrap()
    }

    fn bytes(hex: &Json) -> Vec<u8> {
        hex::decode(hex.as_str().unwrap()).unwrap()
    }

    fn check(example: &Json) -> Result<(), ProofVerificationError> {
        let part = |name: &str| BASE64URL.encode_to_string(bytes(&example["reader_key"][name]));
        let jwk = json!({ "kty": "EC", "crv": "P-256", "x": part("x"), "y": part("y"), "d": part("d") });
        let transcript = cbor::decode(&bytes(&example["session_transcript_bytes"])).unwrap();
        let session = ReaderSession {
            transcript: cbor::decode(cbor::unwrap_encoded_cbor(&transcript).unwrap()).unwrap(),
            key: DecryptionKey::from_jwk(&jwk.to_string()).map(Arc::new),
            made_at: None,
        };
        let signed = cbor::decode(&bytes(&example["device_signed"])).unwrap();
        let doc_type = example["doc_type"].as_str().unwrap();
        let parsed = DeviceAuthentication::parse(signed.as_map().unwrap(), session, doc_type).unwrap();
        let coordinate = |name: &str| Value::Bytes(bytes(&example["device_key"][name]));
        let key = [(1, Value::from(2)), (-1, Value::from(1)), (-2, coordinate("x")), (-3, coordinate("y"))];
        let key = key.map(|(label, value)| (Value::from(label), value)).to_vec();
        parsed.check(Some(&Value::Map(key)))
    }

    #[test]
    fn the_mac_of_the_standards_example_holds_for_its_session_alone() {
        let good = example();
        check(&good).unwrap();
        let swap = |path: &str, from: &str, to: &str| {
            let mut bent = good.clone();
            let text = bent[path].as_str().unwrap().to_owned();
            assert!(text.contains(from), "{path}");
            bent[path] = text.replacen(from, to, 1).into();
            check(&bent)
        };
        assert!(swap("session_transcript_bytes", "60e339", "60e338").is_err(), "another session");
        assert!(swap("device_signed", "e99521", "e99520").is_err(), "another MAC");
        assert!(swap("doc_type", "mDL", "mDX").is_err(), "another type of document");
        let mut other = good.clone();
        other["device_key"] = other["reader_key"].clone();
        assert!(check(&other).is_err(), "another device");
    }

    #[test]
    fn a_mac_is_read_with_the_readers_key_alone() {
        let signed = cbor::decode(&bytes(&example()["device_signed"])).unwrap();
        let session = ReaderSession { transcript: Value::Null, key: None, made_at: None };
        let failed = DeviceAuthentication::parse(signed.as_map().unwrap(), session, "x").unwrap_err();
        assert!(failed.detail.contains("ephemeral key of its reader"), "{failed:?}");
    }
}
