//! What a wallet may present: an SD-JWT VC as text, the parts of its token as lines of JSON, and the response of a mobile
//! document as CBOR; each held against a request that nobody has signed for.

#![no_main]

use base::Timestamp;
use credentials::{
    proof::Terms,
    trust::TrustList,
    vp::{Presentation, Request},
};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

const TRUSTED: &str = include_str!("../proofs/trust-list.json");
/// When the proofs were made that this begins with.
const NOW: i64 = 1_795_262_065;

static VERIFIER: LazyLock<(TrustList, Terms)> = LazyLock::new(|| {
    let now = Timestamp::from_second(NOW).expect("within the calendar");
    (TrustList::parse(TRUSTED.as_bytes()).expect("a trust list"), Terms::new(now, now))
});

const REQUEST: Request<'_> = Request {
    client_id: "x509_san_dns:age.example",
    nonce: "of-this-request-alone",
    response_uri: "https://age.example/age/v1/wallet/x/response",
    key_thumbprint: [7; 32],
};

fuzz_target!(|bytes: &[u8]| {
    judge(Presentation::mdoc(&encode(bytes), &REQUEST));
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    judge(Presentation::mdoc(text, &REQUEST));
    judge(Presentation::sd_jwt(text));
    // Disclosures and the holder's signature follow the token as they are.
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
        Ok(presentation) => match list.answer(&presentation, &REQUEST, terms) {
            Ok(stated) => panic!("nobody answered this request: {stated:?}"),
            Err(failed) => failed.to_string(),
        },
        Err(unsupported) => unsupported.to_string(),
    };
    assert!(said.len() < 300, "a refusal is a sentence: {said}");
}
