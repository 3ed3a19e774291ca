//! Signed requests: the message that is signed, and the checks a signature must pass.
//!
//! The message is `METHOD&PATH?QUERY`, and if there is a body, `&` and the padded base64 of the raw body. PATH is
//! relative to the base address that the client was configured with, so a signature over any suffix of the request's
//! path that starts with `/` is accepted. RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017), RSA of 2048 to 8192 bits.

use super::{calling_application::ApplicationKey, public_keys::InvalidPublicKeyError};
use aws_lc_rs::{digest, rand::SystemRandom, rsa::KeyPair, signature::RSA_PKCS1_SHA256};
use base::{SignedDuration, Timestamp, Uuid};
use std::sync::{Arc, atomic::Ordering};

/// The signed parts of a request, as sent.
#[derive(Clone, Copy, Debug)]
pub struct CanonicalRequest<'a> {
    /// The HTTP method, upper case.
    pub method: &'a str,
    /// The path, starting with `/`, as sent.
    pub path: &'a str,
    /// The raw query without `?`, as sent; never reordered.
    pub query: Option<&'a str>,
    /// The raw body; empty if none was sent.
    pub body: &'a [u8],
}

/// Suffixes of a path that are tried, longest first; our own paths have at most ten.
const MAX_PATH_SUFFIXES: usize = 12;

/// Bytes of the body that are encoded at a time: a multiple of three, so that the chunks' base64 joins without padding.
const BODY_CHUNK_BYTES: usize = 48 * 1024;

impl CanonicalRequest<'_> {
    /// The hash of the message, with `path` as its path.
    fn digest(&self, path: &str) -> digest::Digest {
        let mut hash = self.begin_digest(path);
        self.hash_body(std::slice::from_mut(&mut hash));
        hash.finish()
    }

    /// The hash of all that comes before the body.
    fn begin_digest(&self, path: &str) -> digest::Context {
        let mut hash = digest::Context::new(&digest::SHA256);
        hash.update(self.method.as_bytes());
        hash.update(b"&");
        hash.update(path.as_bytes());
        if let Some(query) = self.query {
            hash.update(b"?");
            hash.update(query.as_bytes());
        }
        hash
    }

    /// Adds the body to several hashes in one pass: all suffixes of a path share its base64.
    fn hash_body(&self, hashes: &mut [digest::Context]) {
        if self.body.is_empty() {
            return;
        }
        for hash in &mut *hashes {
            hash.update(b"&");
        }
        let mut encoded =
            vec![0; base64_simd::STANDARD.encoded_length(self.body.len().min(BODY_CHUNK_BYTES))];
        for chunk in self.body.chunks(BODY_CHUNK_BYTES) {
            let length = base64_simd::STANDARD.encoded_length(chunk.len());
            let text =
                base64_simd::STANDARD.encode(chunk, base64_simd::Out::from_slice(&mut encoded[..length]));
            for hash in &mut *hashes {
                hash.update(text);
            }
            #[cfg(test)]
            tests::count_hashed(text.len() * hashes.len());
        }
    }

    /// Every path that the client may have signed, longest first.
    fn path_suffixes(&self) -> impl Iterator<Item = &str> {
        self.path.match_indices('/').map(|(at, _)| &self.path[at..]).take(MAX_PATH_SUFFIXES)
    }
}

/// A private key that signs requests: the client's side.
#[derive(Debug)]
pub struct HttpRequestSigner(KeyPair);

/// The text holds no RSA private key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no RSA private key of 2048 bits or more in PEM (PKCS#8 or PKCS#1)")]
pub struct InvalidPrivateKeyError;

impl HttpRequestSigner {
    /// Parses a private key in PEM, PKCS#8 or PKCS#1.
    pub fn from_pem(text: &str) -> Result<Self, InvalidPrivateKeyError> {
        let pem = pem::parse(text).map_err(|_| InvalidPrivateKeyError)?;
        KeyPair::from_pkcs8(pem.contents())
            .or_else(|_| KeyPair::from_der(pem.contents()))
            .map(Self)
            .map_err(|_| InvalidPrivateKeyError)
    }

    /// The value of the digest header: standard base64 of the signature.
    ///
    /// # Panics
    /// If the operating system has no randomness.
    pub fn sign(&self, message: &CanonicalRequest<'_>) -> String {
        let hash = message.digest(message.path);
        let mut signature = vec![0; self.0.public_modulus_len()];
        self.0
            .sign_digest(&RSA_PKCS1_SHA256, &hash, &mut signature)
            .expect("the operating system has randomness");
        base64_simd::STANDARD.encode_to_string(signature)
    }

    /// The RSASSA-PKCS1-v1_5 SHA-256 signature of any bytes: RS256, which client assertions may use.
    ///
    /// # Panics
    /// If the operating system has no randomness.
    pub fn sign_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let mut signature = vec![0; self.0.public_modulus_len()];
        self.0
            .sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), bytes, &mut signature)
            .expect("the operating system has randomness");
        signature
    }
}

/// Why the signature of a request is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestSignatureError {
    #[error("the digest header is missing or not base64")]
    Digest,
    /// There is no nonce, more than one, or it is not a UUID.
    #[error("the query has no nonce that is a UUID")]
    Nonce,
    #[error("the nonce was used before")]
    NonceUsed,
    /// There is no timestamp, more than one, or it is not a Unix time.
    #[error("the query has no timestamp that is a unix time")]
    Timestamp,
    /// The timestamp is too far from the server's clock.
    #[error("the timestamp is {off} seconds off this server's clock, more than the {limit} allowed")]
    Skew {
        /// Seconds between the timestamp and the server's clock.
        off: i64,
        /// Seconds allowed.
        limit: i64,
    },
    /// No key of the application is DER.
    #[error("the application's public key cannot be loaded: it is not DER")]
    KeyEncoding,
    /// No key of the application is RSA.
    #[error("the application's public key is not an RSA key of 2048 to 8192 bits")]
    KeyAlgorithm,
    /// No key of the application made this signature over this request.
    #[error("the signature does not match the request")]
    Signature,
}

/// Decodes the digest header to signature bytes. Strict: another encoding of the same bytes is refused, so that no
/// altered request verifies.
pub fn parse_digest(header: Option<&str>) -> Result<Vec<u8>, RequestSignatureError> {
    let header = header.filter(|text| !text.is_empty()).ok_or(RequestSignatureError::Digest)?;
    base64_simd::STANDARD.decode_to_vec(header.trim_ascii()).map_err(|_| RequestSignatureError::Digest)
}

/// The nonce of a request, and how long it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestNonce {
    /// May be used once.
    pub nonce: Uuid,
    /// Until when a second use must be recognised.
    pub remember_until: Timestamp,
}

/// How the timestamp of a request is checked.
#[derive(Clone, Copy, Debug)]
pub struct TimestampPolicy {
    pub now: Timestamp,
    /// How far a timestamp may be off, in either direction.
    pub max_skew: SignedDuration,
    /// Set if any number is accepted as a timestamp; see [`super::applications::set_unclocked`].
    pub unclocked: Option<UnclockedPeriod>,
}

/// Since when any number is accepted as a timestamp of an application. Requests from before have timestamps of wall clock
/// time, and the nonces that they used were soon forgotten.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnclockedPeriod {
    /// When the application was created: it sent nothing before.
    pub app_created_at: Timestamp,
    /// When it was allowed. `None`: by an earlier build, which did not store when.
    pub since: Option<Timestamp>,
}

impl UnclockedPeriod {
    /// Whether the nonce of an earlier request with this timestamp may be forgotten.
    fn may_be_replay(&self, timestamp: Timestamp, policy: &TimestampPolicy) -> bool {
        let since = self.since.unwrap_or(policy.now);
        // What is compared are differences: a timestamp may be at either end of the calendar.
        self.app_created_at.duration_since(timestamp) <= policy.max_skew
            && timestamp.duration_since(since) <= policy.max_skew
    }
}

impl TimestampPolicy {
    /// Checks the nonce and then the timestamp in the raw query.
    pub fn check_query(&self, query: Option<&str>) -> Result<RequestNonce, RequestSignatureError> {
        let nonce =
            single_query_value(query, "nonce").and_then(parse_nonce).ok_or(RequestSignatureError::Nonce)?;
        let timestamp = single_query_value(query, "timestamp")
            .and_then(parse_unix_time)
            .ok_or(RequestSignatureError::Timestamp)?;
        let off = self.now.duration_since(timestamp).abs();
        if off > self.max_skew && self.unclocked.is_none_or(|period| period.may_be_replay(timestamp, self)) {
            return Err(RequestSignatureError::Skew { off: off.as_secs(), limit: self.max_skew.as_secs() });
        }
        let retention = if self.unclocked.is_some() {
            SignedDuration::from_hours(24 * super::nonces::UNCLOCKED_NONCE_RETENTION_DAYS)
        } else {
            self.max_skew * 2
        };
        Ok(RequestNonce {
            nonce,
            remember_until: self.now.saturating_add(retention).unwrap_or(Timestamp::MAX),
        })
    }
}

/// The value of a query parameter that occurs exactly once.
fn single_query_value<'a>(query: Option<&'a str>, name: &str) -> Option<&'a str> {
    let mut values = query?
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .filter(|(key, _)| *key == name)
        .map(|(_, value)| value);
    let value = values.next()?;
    values.next().is_none().then_some(value)
}

/// 8-4-4-4-12 hexadecimal digits of either case. The version bits are not checked, because a widely used client does
/// not set them.
fn parse_nonce(text: &str) -> Option<Uuid> {
    (text.len() == 36).then(|| Uuid::try_parse(text).ok()).flatten()
}

/// Unix time in seconds, milliseconds or microseconds; clients use all three, and the magnitude tells which.
fn parse_unix_time(text: &str) -> Option<Timestamp> {
    if text.is_empty() || text.len() > 18 || !text.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let number: i64 = text.parse().ok()?;
    match number {
        ..100_000_000_000 => Timestamp::from_second(number),
        100_000_000_000..100_000_000_000_000 => Timestamp::from_millisecond(number),
        _ => Timestamp::from_microsecond(number),
    }
    .ok()
}

/// Checks what can be checked of a signature before the body is read: that a key can be used, and has signatures of this
/// length.
pub fn check_length(keys: &[Arc<ApplicationKey>], signature: &[u8]) -> Result<(), RequestSignatureError> {
    let usable = usable_keys(keys)?;
    let fits = |key: &&ApplicationKey| key.signature_bytes.is_none_or(|bytes| bytes == signature.len());
    if usable.iter().any(fits) { Ok(()) } else { Err(RequestSignatureError::Signature) }
}

/// Checks that one of the keys (at least one) made this signature over this message.
pub fn verify(
    keys: &[Arc<ApplicationKey>],
    message: &CanonicalRequest<'_>,
    signature: &[u8],
) -> Result<(), RequestSignatureError> {
    let usable = usable_keys(keys)?;
    let suffixes: Vec<&str> = message.path_suffixes().collect();
    let verifies = |hash: &digest::Digest, omitted: usize| {
        let verified = usable
            .iter()
            .find(|key| key.rsa.as_ref().is_ok_and(|rsa| rsa.verify_digest_sig(hash, signature).is_ok()));
        if let Some(key) = verified {
            key.omitted_segments.store(omitted, Ordering::Relaxed);
        }
        verified.is_some()
    };
    // First as the key's holder signed the last time; nearly always one hash is enough.
    let usual = usable.first().map_or(0, |key| key.omitted_segments.load(Ordering::Relaxed));
    if let Some(path) = suffixes.get(usual)
        && verifies(&message.digest(path), usual)
    {
        return Ok(());
    }
    let (places, mut hashes): (Vec<usize>, Vec<digest::Context>) = suffixes
        .iter()
        .enumerate()
        .filter(|(place, _)| *place != usual)
        .map(|(place, path)| (place, message.begin_digest(path)))
        .unzip();
    message.hash_body(&mut hashes);
    let verified = places.into_iter().zip(hashes).any(|(place, hash)| verifies(&hash.finish(), place));
    if verified { Ok(()) } else { Err(RequestSignatureError::Signature) }
}

/// The keys that signatures can be verified with, at least one.
fn usable_keys(keys: &[Arc<ApplicationKey>]) -> Result<Vec<&ApplicationKey>, RequestSignatureError> {
    let usable: Vec<&ApplicationKey> = keys.iter().map(|key| &**key).filter(|key| key.rsa.is_ok()).collect();
    if usable.is_empty() {
        let is_other = |key: &Arc<ApplicationKey>| matches!(key.rsa, Err(InvalidPublicKeyError::Algorithm));
        return Err(if keys.iter().any(is_other) {
            RequestSignatureError::KeyAlgorithm
        } else {
            RequestSignatureError::KeyEncoding
        });
    }
    Ok(usable)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenancy::public_keys::{self, PrivateKeyFormat};
    use proptest::prelude::*;
    use std::sync::LazyLock;

    thread_local! {
        /// Bytes of bodies that this thread has hashed, in base64.
        static HASHED_BYTES: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
    }

    pub(super) fn count_hashed(bytes: usize) {
        HASHED_BYTES.set(HASHED_BYTES.get() + bytes);
    }

    /// How often a body of 10 MB is hashed: once for a client that signs as it did the last time; for a stranger who knows an
    /// application's id, once for each suffix of the path, of which there are few.
    #[test]
    fn a_body_is_hashed_no_more_often_than_its_path_has_suffixes() {
        let body = vec![7; 10_000_000];
        let once = base64_simd::STANDARD.encoded_length(body.len());
        let key = key(PAIR.1.der.clone());
        let passes = |request: &CanonicalRequest<'_>, signature: &[u8]| {
            HASHED_BYTES.set(0);
            let verified = verify(std::slice::from_ref(&key), request, signature).is_ok();
            assert_eq!(HASHED_BYTES.get() % once, 0);
            (verified, HASHED_BYTES.get() / once)
        };
        let session = CanonicalRequest { path: "/idverify/v1/sessions", ..message(&body) };
        let good = parse_digest(Some(&PAIR.0.sign(&session))).unwrap();
        assert_eq!(passes(&session, &good), (true, 1));
        let bad = vec![1; good.len()];
        assert_eq!(passes(&session, &bad), (false, 3));
        let long = format!("/idverify{}", "/x".repeat(400));
        assert_eq!(passes(&CanonicalRequest { path: &long, ..session }, &bad), (false, MAX_PATH_SUFFIXES));
        // As many keys as an application may have cost no further pass.
        let keys = vec![key.clone(); 20];
        HASHED_BYTES.set(0);
        assert!(verify(&keys, &session, &bad).is_err());
        assert_eq!(HASHED_BYTES.get(), 3 * once);
        // Nothing is hashed where no key can have made the signature.
        HASHED_BYTES.set(0);
        assert!(check_length(&keys, &bad[1..]).is_err());
        assert_eq!(HASHED_BYTES.get(), 0);
    }

    static PAIR: LazyLock<(HttpRequestSigner, Arc<ApplicationKey>)> = LazyLock::new(|| {
        let (private, public) = public_keys::generate_rsa_key_pair(PrivateKeyFormat::Pkcs1);
        (HttpRequestSigner::from_pem(private.expose()).unwrap(), key(public))
    });

    fn key(der: Vec<u8>) -> Arc<ApplicationKey> {
        Arc::new(ApplicationKey::parse(der))
    }

    const QUERY: &str = "nonce=5E8E3A4C-9A5C-0000-8D7C-0123456789AB&timestamp=1768574400";

    fn message(body: &[u8]) -> CanonicalRequest<'_> {
        CanonicalRequest { method: "POST", path: "/ai/v1/age", query: Some(QUERY), body }
    }

    fn clock() -> TimestampPolicy {
        TimestampPolicy {
            now: Timestamp::from_second(1_768_574_400).unwrap(),
            max_skew: SignedDuration::from_mins(5),
            unclocked: None,
        }
    }

    #[test]
    fn the_message_is_the_documented_one() {
        let by_hand =
            format!("POST&/ai/v1/age?{QUERY}&{}", base64_simd::STANDARD.encode_to_string(vec![7; 100_000]));
        let expected = digest::digest(&digest::SHA256, by_hand.as_bytes());
        assert_eq!(message(&vec![7; 100_000]).digest("/ai/v1/age").as_ref(), expected.as_ref());
    }

    #[test]
    fn a_signature_over_any_suffix_of_the_path_is_accepted_and_over_nothing_else() {
        for (signed, accepted) in [
            ("/ai/v1/age", true),
            ("/v1/age", true),
            ("/age", true),
            ("age", false),
            ("/v1", false),
            ("/", false),
        ] {
            let signature = PAIR.0.sign(&CanonicalRequest { path: signed, ..message(b"{}") });
            let signature = parse_digest(Some(&signature)).unwrap();
            assert_eq!(
                verify(std::slice::from_ref(&PAIR.1), &message(b"{}"), &signature).is_ok(),
                accepted,
                "{signed}"
            );
        }
    }

    #[test]
    fn a_signature_of_another_length_is_refused_without_the_body() {
        let keys = std::slice::from_ref(&PAIR.1);
        let signature = parse_digest(Some(&PAIR.0.sign(&message(b"{}")))).unwrap();
        assert_eq!(check_length(keys, &signature), Ok(()));
        assert_eq!(check_length(keys, &signature[1..]), Err(RequestSignatureError::Signature));
        assert_eq!(
            check_length(&[key(b"junk".to_vec())], &signature),
            Err(RequestSignatureError::KeyEncoding)
        );
    }

    #[test]
    fn a_client_that_changes_its_base_address_is_still_known() {
        let key = key(PAIR.1.der.clone());
        for signed in ["/age", "/age", "/ai/v1/age", "/v1/age", "/age"] {
            let body = vec![7; 200_000];
            let signature = PAIR.0.sign(&CanonicalRequest { path: signed, ..message(&body) });
            let signature = parse_digest(Some(&signature)).unwrap();
            assert_eq!(verify(std::slice::from_ref(&key), &message(&body), &signature), Ok(()), "{signed}");
        }
        // A path that has fewer segments than were left out the last time.
        let short = CanonicalRequest { path: "/age", ..message(b"{}") };
        let signature = parse_digest(Some(&PAIR.0.sign(&short))).unwrap();
        assert_eq!(verify(&[key], &short, &signature), Ok(()));
    }

    #[test]
    fn any_key_of_the_application_verifies_and_the_best_key_decides_the_refusal() {
        let good = parse_digest(Some(&PAIR.0.sign(&message(b"{}")))).unwrap();
        let junk = key(b"junk".to_vec());
        // SubjectPublicKeyInfo of an Ed25519 key (RFC 8410, section 4), a key but not RSA.
        let ed25519 = hex::decode(
            "302a300506032b657003210019bf44096984cdfe8541bac167dc3b96c85086aa30b6b6cb0c5c38ad703166e1",
        );
        let ed25519 = key(ed25519.unwrap());
        assert_eq!(verify(&[junk.clone(), PAIR.1.clone()], &message(b"{}"), &good), Ok(()));
        assert_eq!(
            verify(&[junk.clone(), ed25519], &message(b"{}"), &good),
            Err(RequestSignatureError::KeyAlgorithm)
        );
        assert_eq!(verify(&[junk], &message(b"{}"), &good), Err(RequestSignatureError::KeyEncoding));
    }

    #[test]
    fn timestamps_are_read_by_magnitude_and_compared_with_the_clock() {
        let at = |timestamp: &str| {
            clock()
                .check_query(Some(&format!(
                    "nonce=5e8e3a4c-9a5c-0000-8d7c-0123456789ab&timestamp={timestamp}"
                )))
                .map(drop)
        };
        for good in ["1768574400", "1768574400000", "1768574400000000", "1768574100", "1768574700"] {
            assert_eq!(at(good), Ok(()), "{good}");
        }
        for (bad, why) in [
            ("1768574099", RequestSignatureError::Skew { off: 301, limit: 300 }),
            ("1768574701", RequestSignatureError::Skew { off: 301, limit: 300 }),
            ("", RequestSignatureError::Timestamp),
            ("-1", RequestSignatureError::Timestamp),
            ("1e9", RequestSignatureError::Timestamp),
            ("9999999999999999999999", RequestSignatureError::Timestamp),
            ("1768574400&timestamp=1768574400", RequestSignatureError::Timestamp),
        ] {
            assert_eq!(at(bad), Err(why), "{bad}");
        }
    }

    #[test]
    fn a_nonce_is_a_uuid_of_any_case_and_occurs_once() {
        let of = |nonce: &str| {
            clock().check_query(Some(&format!("{nonce}&timestamp=1768574400"))).map(|checked| checked.nonce)
        };
        let plain = of("nonce=5e8e3a4c-9a5c-0000-8d7c-0123456789ab").unwrap();
        assert_eq!(
            of("nonce=5E8E3A4C-9A5C-0000-8D7C-0123456789AB"),
            Ok(plain),
            "written otherwise, the same nonce"
        );
        for bad in [
            "",
            "nonce=",
            "nonce=5e8e3a4c9a5c00008d7c0123456789ab",
            "nonce={5e8e3a4c-9a5c-0000-8d7c-0123456789ab}",
            "nonce=5e8e3a4c-9a5c-0000-8d7c-0123456789ab&nonce=5e8e3a4c-9a5c-0000-8d7c-0123456789ac",
        ] {
            assert_eq!(of(bad), Err(RequestSignatureError::Nonce), "{bad}");
        }
    }

    /// An application that was created ten days ago, and has been allowed any timestamp for so long.
    fn unclocked_for(allowed: SignedDuration) -> TimestampPolicy {
        let clock = clock();
        let app_created_at = clock.now - SignedDuration::from_hours(240);
        let period = UnclockedPeriod { app_created_at, since: Some(clock.now - allowed) };
        TimestampPolicy { unclocked: Some(period), ..clock }
    }

    #[test]
    fn unclocked_timestamps_are_any_but_those_that_earlier_requests_may_have_had() {
        let hour = unclocked_for(SignedDuration::from_hours(1));
        let period = UnclockedPeriod { since: None, ..hour.unclocked.unwrap() };
        let unknown = TimestampPolicy { unclocked: Some(period), ..hour };
        // Seconds from now, and whether they pass: one hour after any timestamp was allowed; where it is not known since when.
        for (seconds, passes) in [
            (-864_301, [true, true]),
            (-864_300, [false, false]),
            (-3_600, [false, false]),
            (-3_300, [false, false]),
            (-3_299, [true, false]),
            (-301, [true, false]),
            (-300, [true, true]),
            (300, [true, true]),
            (301, [true, true]),
            (-1_768_574_399, [true, true]),
            (90_000_000_000, [true, true]),
        ] {
            let timestamp = hour.now.as_second() + seconds;
            let query = format!("nonce=5e8e3a4c-9a5c-0000-8d7c-0123456789ab&timestamp={timestamp}");
            let told = [hour, unknown].map(|clock| clock.check_query(Some(&query)).is_ok());
            assert_eq!(told, passes, "{seconds}");
        }
    }

    #[test]
    fn nonces_with_unclocked_timestamps_are_kept_for_400_days() {
        let clock = unclocked_for(SignedDuration::from_hours(1));
        let checked =
            clock.check_query(Some("nonce=5e8e3a4c-9a5c-0000-8d7c-0123456789ab&timestamp=1")).unwrap();
        assert_eq!(checked.remember_until.duration_since(clock.now), SignedDuration::from_hours(24 * 400));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// With one bit flipped anywhere in method, path, query, body or digest, the request no longer verifies.
        #[test]
        fn no_altered_request_verifies(body in prop::collection::vec(any::<u8>(), 1..200), place in any::<prop::sample::Index>(), bit in 0..7_u8) {
            let digest = PAIR.0.sign(&message(&body));
            let parts = ["POST".as_bytes(), b"/ai/v1/age", QUERY.as_bytes(), &body, digest.as_bytes()];
            let mut flipped: Vec<Vec<u8>> = parts.iter().map(|part| part.to_vec()).collect();
            let mut at = place.index(parts.iter().map(|part| part.len()).sum());
            for part in &mut flipped {
                if at < part.len() {
                    part[at] ^= 1 << bit;
                    break;
                }
                at -= part.len();
            }
            let text = |n: usize| std::str::from_utf8(&flipped[n]).unwrap();
            let verified = parse_digest(Some(text(4))).and_then(|signature| {
                let message = CanonicalRequest { method: text(0), path: text(1), query: Some(text(2)), body: &flipped[3] };
                verify(std::slice::from_ref(&PAIR.1), &message, &signature)
            });
            prop_assert!(verified.is_err());
        }
    }
}
