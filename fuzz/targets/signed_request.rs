//! Requests before authentication: digest header, query, the signed message; and public key files.
//!
//! The input is lines: method, path and query, digest header; the rest is the body.

#![no_main]

use base::{SignedDuration, Timestamp};
use domain::tenancy::{
    calling_application::ApplicationKey,
    public_keys,
    signed_request::{
        self, CanonicalRequest, HttpRequestSigner, RequestSignatureError, TimestampPolicy, UnclockedPeriod,
    },
};
use http::Uri;
use libfuzzer_sys::fuzz_target;
use std::sync::{Arc, LazyLock};

static KEYS: LazyLock<(HttpRequestSigner, Vec<Arc<ApplicationKey>>)> = LazyLock::new(|| {
    let (private, public) = public_keys::generate_rsa_key_pair(public_keys::PrivateKeyFormat::Pkcs8);
    let signer = HttpRequestSigner::from_pem(private.expose()).expect("it was just made");
    (signer, vec![Arc::new(ApplicationKey::parse(public))])
});

/// Noon on a day in January 2026, as in the seeds.
const NOW_UNIX_SECONDS: i64 = 1_768_564_800;

fuzz_target!(|bytes: &[u8]| {
    let mut lines = bytes.splitn(4, |&byte| byte == b'\n');
    let mut line = || lines.next().unwrap_or_default();
    let (method, uri, header, body) = (line(), line(), line(), line());

    if let Ok(der) = public_keys::decode_key_file(body) {
        assert!(public_keys::parse_rsa_key(&der).is_ok());
    }
    let header = std::str::from_utf8(header).ok();
    let digest = signed_request::parse_digest(header);
    if let (Some(header), Ok(signature)) = (header, &digest) {
        let spelled = base64_simd::STANDARD.encode_to_string(signature);
        assert_eq!(spelled, header.trim_ascii(), "a signature is spelled in one way");
    }
    // As the server receives it: what is not an HTTP method or URI never gets this far.
    let (Ok(method), Ok(uri)) = (http::Method::from_bytes(method), Uri::try_from(uri)) else { return };
    read_clock(uri.query());
    let message = CanonicalRequest { method: method.as_str(), path: uri.path(), query: uri.query(), body };
    let (signer, keys) = &*KEYS;
    if let Ok(signature) = &digest {
        assert_eq!(
            signed_request::verify(keys, &message, signature),
            Err(RequestSignatureError::Signature),
            "nobody signed this"
        );
    }
    // Signing is slow, so not every input is signed: only those whose body begins like this.
    if body.first() == Some(&b'!') && message.path.starts_with('/') {
        let signature = signed_request::parse_digest(Some(&signer.sign(&message))).expect("our own spelling");
        assert_eq!(signed_request::verify(keys, &message, &signature), Ok(()));
        let other = CanonicalRequest { body: &body[1..], ..message };
        assert_eq!(
            signed_request::verify(keys, &other, &signature),
            Err(RequestSignatureError::Signature),
            "the body is signed"
        );
        let other = CanonicalRequest { query: None, ..message };
        assert_eq!(
            signed_request::verify(keys, &other, &signature).is_ok(),
            message.query.is_none(),
            "the query is signed"
        );
    }
});

fn read_clock(query: Option<&str>) {
    let now = Timestamp::from_second(NOW_UNIX_SECONDS).expect("within the calendar");
    let unclocked = UnclockedPeriod { app_created_at: Timestamp::UNIX_EPOCH, since: None };
    for unclocked in [None, Some(unclocked)] {
        let clock = TimestampPolicy { now, max_skew: SignedDuration::from_mins(5), unclocked };
        if let Ok(stamps) = clock.check_query(query) {
            assert!(stamps.remember_until > now, "a nonce is remembered");
            let query = query.expect("a nonce was in it");
            assert_eq!(query.split('&').filter(|pair| pair.starts_with("nonce=")).count(), 1);
            assert_eq!(query.split('&').filter(|pair| pair.starts_with("timestamp=")).count(), 1);
        }
    }
}
