//! What a verdict of Play Integrity must say (Google, "Integrity verdicts").

use super::{DeviceChallenge, DeviceSignalError, settings::DeviceVerdict};
use base::{SignedDuration, Timestamp};
use base64_simd::{URL_SAFE, URL_SAFE_NO_PAD};
use credentials::play_integrity::PlayIntegrityKeys;
use serde_json::{Map, Value};

/// How far Google's clock may be ahead of ours.
const CLOCK_SKEW: SignedDuration = SignedDuration::from_secs(60);

/// An app on Google Play.
#[derive(Debug)]
pub(crate) struct AndroidApp {
    pub(super) package: String,
    /// SHA-256 of the certificates that sign it.
    pub(super) certificates: Vec<[u8; 32]>,
    pub(super) keys: PlayIntegrityKeys,
    pub(super) device: DeviceVerdict,
}

fn refused(words: &str) -> DeviceSignalError {
    DeviceSignalError::NotAttested(format!("the verdict {words}"))
}

impl AndroidApp {
    /// Verifies that Google made the verdict for this app, after the challenge was given and over the binding.
    pub(super) fn verify(
        &self,
        token: &str,
        challenge: &DeviceChallenge,
        binding: &[u8; 32],
        now: Timestamp,
    ) -> Result<(), DeviceSignalError> {
        let verdict =
            self.keys.open(token).map_err(|error| DeviceSignalError::NotAttested(error.to_string()))?;
        let part = |name: &'static str| verdict.get(name).and_then(Value::as_object);
        let request = part("requestDetails").ok_or_else(|| refused("has no requestDetails"))?;
        self.check_request(request, challenge, binding, now)?;
        let app = part("appIntegrity").ok_or_else(|| refused("has no appIntegrity"))?;
        if text(app, "appRecognitionVerdict") != Some("PLAY_RECOGNIZED") {
            return Err(refused("is not about an app as Google Play distributes it"));
        }
        if text(app, "packageName") != Some(self.package.as_str()) {
            return Err(refused("is about another app"));
        }
        let digests = app.get("certificateSha256Digest").and_then(Value::as_array);
        let is_ours = |digest: &Value| {
            let bytes = digest.as_str().and_then(decode_base64url);
            bytes.is_some_and(|bytes| self.certificates.iter().any(|own| own[..] == bytes))
        };
        if !digests.is_some_and(|digests| digests.iter().any(is_ours)) {
            return Err(refused("is about an app that somebody else signed"));
        }
        let device = part("deviceIntegrity").and_then(|device| device.get("deviceRecognitionVerdict"));
        let labels = device.and_then(Value::as_array);
        let has = |label: &Value| label.as_str().is_some_and(|label| self.device.accepts(label));
        if labels.is_some_and(|labels| labels.iter().any(has)) {
            Ok(())
        } else {
            Err(refused("is about a phone that Google does not recognise as genuine"))
        }
    }

    fn check_request(
        &self,
        request: &Map<String, Value>,
        challenge: &DeviceChallenge,
        binding: &[u8; 32],
        now: Timestamp,
    ) -> Result<(), DeviceSignalError> {
        if text(request, "requestPackageName") != Some(self.package.as_str()) {
            return Err(refused("was requested by another app"));
        }
        let bound = [text(request, "nonce"), text(request, "requestHash")];
        let is_bound = |text: &&str| decode_base64url(text).is_some_and(|bytes| bytes == binding);
        if !bound.iter().flatten().any(is_bound) {
            return Err(refused("is over another challenge or statement"));
        }
        let millis = request.get("timestampMillis");
        let millis = millis.and_then(|at| at.as_i64().or_else(|| at.as_str()?.parse().ok()));
        let at = millis.and_then(|millis| Timestamp::from_millisecond(millis).ok());
        let at = at.ok_or_else(|| refused("has no time"))?;
        if at < challenge.issued_at - CLOCK_SKEW || at > now + CLOCK_SKEW {
            return Err(refused("is older than the challenge, or of the future"));
        }
        Ok(())
    }
}

fn text<'a>(members: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    members.get(name).and_then(Value::as_str)
}

/// base64url, with or without padding: Google pads nonces.
pub(super) fn decode_base64url(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode_to_vec(text).or_else(|_| URL_SAFE.decode_to_vec(text)).ok()
}
