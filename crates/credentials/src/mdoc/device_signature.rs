//! The device's signature: what shows that a mobile document was not copied.

use super::malformed;
use crate::cbor;
use crate::cose::CoseSign1;
use crate::error::{ProofVerificationError, UnsupportedProofError};
use crate::keys::VerificationKey;
use ciborium::Value;

const QR_HANDOVER: &str = "PoaQrHandover";

/// The device's signature over a session transcript.
#[derive(Clone, Debug)]
pub(super) struct DeviceSignature {
    signature: CoseSign1,
    /// `DeviceAuthenticationBytes`.
    pub(super) authentication: Vec<u8>,
    /// When it was made, in seconds since the Unix epoch, if the transcript is that of our QR profile.
    pub(super) made_at: Option<i64>,
}

impl DeviceSignature {
    pub(super) fn parse(
        signed: &[(Value, Value)],
        transcript: Value,
        doc_type: &str,
        made_at: Option<i64>,
    ) -> Result<Self, UnsupportedProofError> {
        let name_spaces =
            cbor::get_name(signed, "nameSpaces").filter(|spaces| cbor::unwrap_encoded_cbor(spaces).is_some());
        let name_spaces = name_spaces
            .cloned()
            .ok_or_else(|| malformed("has name spaces of its device that cannot be read"))?;
        let auth = cbor::get_name(signed, "deviceAuth").and_then(Value::as_map);
        let signature = auth.and_then(|auth| cbor::get_name(auth, "deviceSignature")).cloned();
        let signature = signature
            .ok_or_else(|| malformed("has no signature of its device (a MAC is for one reader alone)"))?;
        let signature = CoseSign1::parse(signature)
            .map_err(|problem| malformed(&format!("has a device's signature that {problem}")))?;
        let text = |text: &str| Value::Text(text.to_owned());
        let authentication =
            Value::Array(vec![text("DeviceAuthentication"), transcript, text(doc_type), name_spaces]);
        let authentication = cbor::encode(&cbor::wrap_encoded_cbor(cbor::encode(&authentication)));
        if signature.payload.as_ref().is_some_and(|payload| *payload != authentication) {
            return Err(malformed("has a device's signature over something else"));
        }
        Ok(Self { signature, authentication, made_at })
    }

    /// Checks that the device key in the security object signed this presentation.
    pub(super) fn check(&self, key: Option<&Value>) -> Result<(), ProofVerificationError> {
        let key = key.and_then(Value::as_map).and_then(|key| VerificationKey::of_cose(key));
        let key = key.ok_or_else(|| {
            ProofVerificationError::unverified(
                "the mobile document names no device's key that is accepted here",
            )
        })?;
        let message = self.signature.signed_bytes(&[], &self.authentication);
        if self.signature.alg.is_some_and(|alg| key.verifies(alg, &message, &self.signature.signature)) {
            Ok(())
        } else {
            Err(ProofVerificationError::unverified(
                "the presentation is not signed by the mobile document's device",
            ))
        }
    }
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
