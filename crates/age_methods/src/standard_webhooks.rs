//! Messages signed as in Standard Webhooks (`v1`: HMAC-SHA256 over `id.timestamp.body`).

use crate::settings::{InvalidSettingError, read_secret};
use aws_lc_rs::{constant_time, hmac};
use base::{SignedDuration, Timestamp};
use media::fetch::{HeaderMap, HeaderValue};
use std::path::Path;
use zeroize::Zeroizing;

/// Maximum difference between a message's timestamp and our clock.
const MAX_TIMESTAMP_SKEW: SignedDuration = SignedDuration::from_mins(5);
/// Further signatures of a message are ignored; no sender has that many secrets.
const MOST_SIGNATURES: usize = 8;

/// The shared secret; boxed, because the prepared key is large.
pub(crate) struct StandardWebhooksKey(Box<hmac::Key>);

impl std::fmt::Debug for StandardWebhooksKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

impl StandardWebhooksKey {
    /// Reads a file with `whsec_` and 24 to 64 bytes in base64.
    pub(crate) fn open(setting: &'static str, file: &Path) -> Result<Self, InvalidSettingError> {
        let text = read_secret(setting, file)?;
        let bytes = text.expose().strip_prefix("whsec_").unwrap_or(text.expose());
        let bytes = base64_simd::STANDARD.decode_to_vec(bytes).map(Zeroizing::new).ok();
        let bytes = bytes.filter(|bytes| (24..=64).contains(&bytes.len())).ok_or_else(|| {
            InvalidSettingError::new(setting, "is not whsec_ followed by 24 to 64 bytes in base64")
        })?;
        Ok(Self(Box::new(hmac::Key::new(hmac::HMAC_SHA256, &bytes))))
    }

    fn sign(&self, id: &str, seconds: &str, body: &[u8]) -> String {
        let mut mac = hmac::Context::with_key(&self.0);
        for part in [id.as_bytes(), b".", seconds.as_bytes(), b".", body] {
            mac.update(part);
        }
        format!("v1,{}", base64_simd::STANDARD.encode_to_string(mac.sign()))
    }

    /// Adds `webhook-id`, `webhook-timestamp` and `webhook-signature`.
    pub(crate) fn sign_headers(&self, headers: &mut HeaderMap, id: &str, now: Timestamp, body: &[u8]) {
        let seconds = now.as_second().to_string();
        let signature = self.sign(id, &seconds, body);
        for (name, value) in
            [("webhook-id", id), ("webhook-timestamp", &seconds), ("webhook-signature", &signature)]
        {
            headers.insert(
                name,
                HeaderValue::from_str(value).expect("ids, digits and base64 are header values"),
            );
        }
    }

    /// Whether a message is an answer to `id` that was signed with the secret within five minutes of `now`.
    pub(crate) fn verifies(&self, headers: &HeaderMap, id: &str, now: Timestamp, body: &[u8]) -> bool {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let seconds = text("webhook-timestamp");
        let moment = seconds.parse().ok().and_then(|seconds| Timestamp::from_second(seconds).ok());
        let is_now = moment.is_some_and(|moment| moment.duration_since(now).abs() <= MAX_TIMESTAMP_SKEW);
        let expected = self.sign(id, seconds, body);
        let is_expected =
            |one: &str| constant_time::verify_slices_are_equal(one.as_bytes(), expected.as_bytes()).is_ok();
        text("webhook-id") == id
            && is_now
            && text("webhook-signature").split(' ').take(MOST_SIGNATURES).any(is_expected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(text: &str) -> Result<StandardWebhooksKey, InvalidSettingError> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("secret"), text).unwrap();
        StandardWebhooksKey::open("secret_file", &folder.path().join("secret"))
    }

    #[test]
    fn the_example_of_the_standard_is_made() {
        // From the Standard Webhooks project's own reference tests.
        let key = key("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\n").unwrap();
        assert_eq!(
            key.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", br#"{"test": 2432232314}"#),
            "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
        );
        assert_eq!(format!("{key:?}"), "***");
    }

    #[test]
    fn a_secret_is_long_enough() {
        assert!(key("whsec_c2hvcnQ=").is_err());
        assert!(key("whsec_no base64").is_err());
        assert!(key(&format!("whsec_{}", "A".repeat(88))).is_err());
        assert!(key(&"A".repeat(32)).is_ok());
    }

    #[test]
    fn an_answer_is_to_this_question_whole_and_fresh() {
        let (ours, theirs) = (key(&"A".repeat(32)).unwrap(), key(&"B".repeat(32)).unwrap());
        let now: Timestamp = "2026-01-16T14:40:00Z".parse().unwrap();
        let headers = |key: &StandardWebhooksKey, after: i64| {
            let mut headers = HeaderMap::new();
            key.sign_headers(&mut headers, "id", now + SignedDuration::from_secs(after), b"body");
            headers
        };
        assert!(ours.verifies(&headers(&ours, 300), "id", now, b"body"));
        assert!(!ours.verifies(&headers(&ours, 301), "id", now, b"body"));
        assert!(!ours.verifies(&headers(&ours, -301), "id", now, b"body"));
        assert!(!ours.verifies(&headers(&ours, 0), "other", now, b"body"));
        assert!(!ours.verifies(&headers(&ours, 0), "id", now, b"bodies"));
        assert!(!ours.verifies(&headers(&theirs, 0), "id", now, b"body"));
        assert!(!ours.verifies(&HeaderMap::new(), "id", now, b"body"));
        let mut two = headers(&ours, 0);
        let both = format!("v1,AAAA {}", two["webhook-signature"].to_str().unwrap());
        two.insert("webhook-signature", both.parse().unwrap());
        assert!(ours.verifies(&two, "id", now, b"body"));
    }
}
