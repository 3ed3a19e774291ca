//! Presentations by a wallet: an SD-JWT VC as text, the parts of its token as lines of JSON, and the response of a
//! mobile document as CBOR. Each is verified for a request that no holder has signed for.

#![no_main]

use base::Timestamp;
use credentials::{
    proof::VerificationTerms,
    trust::TrustList,
    vp::{Presentation, PresentationBinding},
};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

const TRUST_LIST: &str = include_str!("../proofs/trust-list.json");
/// When the proofs of the seeds were made.
const NOW_UNIX_SECONDS: i64 = 1_795_262_065;

static VERIFIER: LazyLock<(TrustList, VerificationTerms)> = LazyLock::new(|| {
    let now = Timestamp::from_second(NOW_UNIX_SECONDS).expect("within the calendar");
    (TrustList::parse(TRUST_LIST.as_bytes()).expect("a trust list"), VerificationTerms::new(now, now))
});

const REQUEST: PresentationBinding<'_> = PresentationBinding {
    mac_key: None,
    client_id: "x509_san_dns:age.example",
    nonce: "of-this-request-alone",
    response_uri: "https://age.example/age/v1/wallet/x/response",
    key_thumbprint: Some([7; 32]),
};

fuzz_target!(|bytes: &[u8]| {
    judge(Presentation::mdoc(&encode(bytes), &REQUEST));
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    judge(Presentation::mdoc(text, &REQUEST));
    judge(Presentation::sd_jwt(text));
    // Disclosures and the holder's signature follow the token unchanged.
    let (token, rest) = text.split_once('~').unwrap_or((text, ""));
    let parts: Vec<_> = token.splitn(3, '\n').map(encode).collect();
    judge(Presentation::sd_jwt(&format!("{}~{rest}", parts.join("."))));
});

fn encode(bytes: impl AsRef<[u8]>) -> String {
    base64_simd::URL_SAFE_NO_PAD.encode_to_string(bytes)
}

fn judge<E: std::fmt::Display>(read: Result<Presentation, E>) {
    let (list, terms) = &*VERIFIER;
    let said = match read {
        Ok(presentation) => match list.verify_presentation(&presentation, &REQUEST, terms) {
            Ok(stated) => panic!("nobody answered this request: {stated:?}"),
            Err(failed) => failed.to_string(),
        },
        Err(unsupported) => unsupported.to_string(),
    };
    assert!(said.len() < 300, "a refusal is a sentence: {said}");
}
