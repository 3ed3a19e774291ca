//! Codes of every kind that can be scanned, and their contents.

use super::Seed;

/// On each line a name, a tab and a code; see `targets/proof.rs`.
const PROOFS: &str = include_str!("../proofs/proofs.txt");

pub(crate) fn codes() -> Vec<Seed> {
    let made = PROOFS.lines().filter_map(|line| line.split_once('\t'));
    let mut seeds: Vec<Seed> = made
        .clone()
        .chain([
            ("reference", "https://assay.example:8443/proof?id=1#x"),
            ("reference-elsewhere", "HTTPS://assay.example@elsewhere.example/"),
            ("without-tls", "http://assay.example/proof"),
            ("request", "openid4vp://?client_id=x&request_uri=https%3A%2F%2Fassay.example"),
            ("request-to-a-wallet", "av://x"),
            ("offer", "openid-credential-offer://?credential_offer=%7B%7D"),
            ("engagement", "mdoc:owBjMS4wAYIB2BhYS6QBAiABIVgg"),
            ("encrypted", "eyJhbGciOiJub25lIn0.AA.AA.AA.AA"),
            ("no-base45", "POA1:%%%"),
            ("prefix-alone", "HC1:"),
            ("number", "4006381333931"),
            ("line-end", "POA1:RRQT\r\n"),
        ])
        .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()))
        .collect();
    // What the target wraps into a code itself: CBOR, and the parts of a token as lines.
    for (name, code) in made {
        let inside = match code.split_once(':') {
            Some((_, encoded)) => base45::decode(encoded).ok(),
            None if code.contains('.') => code.split('~').next().and_then(lines),
            None => base64_simd::URL_SAFE_NO_PAD.decode_to_vec(code).ok(),
        };
        seeds.extend(inside.map(|bytes| (format!("inside-{name}"), bytes)));
    }
    seeds
}

/// The parts of a token, decoded.
fn lines(token: &str) -> Option<Vec<u8>> {
    let decode = |part: &str| base64_simd::URL_SAFE_NO_PAD.decode_to_vec(part).ok();
    let [header, payload] = [token.split('.').next(), token.split('.').nth(1)].map(|part| decode(part?));
    Some([header?, payload?, b"signature".to_vec()].join(&b'\n'))
}
