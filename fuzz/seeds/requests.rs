//! Signed requests as lines, and JSON bodies.

use super::Seed;

const QUERY: &str = "nonce=5e8e3a4c-9a5c-0000-8d7c-0123456789ab&timestamp=1768564800";

pub(crate) fn signed() -> Vec<Seed> {
    let signature = base64_simd::STANDARD.encode_to_string([0x5a; 256]);
    let bodies = bodies();
    let body = &bodies[0].1;
    let mut seeds: Vec<Seed> = [
        ("plain", format!("POST\n/ai/v1/age?{QUERY}\n{signature}\n")),
        ("milliseconds", format!("POST\n/ai/v1/age?{QUERY}000\n{signature}\n")),
        ("microseconds", format!("POST\n/ai/v1/age?{QUERY}000000\n{signature}\n")),
        ("behind-a-prefix", format!("POST\n/a/b/c/ai/v1/age-verify?explain=true&{QUERY}\n{signature}\n")),
        ("two-nonces", format!("POST\n/ai/v1/age?{QUERY}&{QUERY}\n{signature}\n")),
        ("no-query", format!("GET\n/\n{signature}\n")),
        ("no-path", format!("GET\n*\n{signature}\n")),
        ("absolute", format!("GET\nhttp://example.com?{QUERY}\n{signature}\n")),
        ("no-signature", format!("GET\n/ai/sm/v1/secure/1/token?{QUERY}\n\n")),
        ("short-signature", format!("GET\n/x?{QUERY}\nAA==\n")),
        ("spaced-signature", format!("GET\n/x?{QUERY}\n {signature} \n")),
        ("signed-by-the-target", format!("POST\n/ai/v1/age?{QUERY}\n{signature}\n!{{}}")),
        ("signed-without-query", format!("POST\n/ai/v1/age\n{signature}\n!")),
        (
            "pem",
            "GET\n/\n\n-----BEGIN PUBLIC KEY-----\nMAsCAQECAQMCAQUC\n-----END PUBLIC KEY-----\n".to_owned(),
        ),
    ]
    .map(|(name, text)| (name.to_owned(), text.into_bytes()))
    .to_vec();
    let mut with_body = seeds[0].1.clone();
    with_body.extend_from_slice(body);
    seeds.push(("with-body".to_owned(), with_body));
    let mut with_der = b"GET\n/\n\n".to_vec();
    with_der.extend_from_slice(&[0x30, 0x81, 0x05, 0x30, 0x03, 0x02, 0x01, 0x00]);
    seeds.push(("der".to_owned(), with_der));
    seeds
}

pub(crate) fn bodies() -> Vec<Seed> {
    [
        ("image", r#"{"img":"/9j/4AAQSkZJRgABAQ=="}"#),
        ("device", r#"{"img":"AAAA","metadata":{"device":"mobile"}}"#),
        ("verify", r#"{"img":"AAAA","threshold":18,"operator":"OVER","img_validation_level":"low"}"#),
        ("liveness", r#"{"img":"AAAA","level_of_assurance":"high","threshold":21,"operator":"UNDER"}"#),
        (
            "secure",
            r#"{"img":"AAAA","secure":{"version":"1","token":"t","signature":"s","verification":"v"}}"#,
        ),
        ("escaped", r#"{"img":"\u0041\/\ud83d\ude00\n","metadata":null,"unknown":[1,-2.5e3,{"a":[]}]}"#),
        ("wrong-types", r#"{"img":1,"metadata":"x","threshold":"18","operator":{},"secure":[]}"#),
        ("twice", r#"{"img":"AAAA","img":"BBBB","threshold":1,"threshold":2}"#),
        ("huge-number", r#"{"threshold":1e999,"x":123456789012345678901234567890}"#),
        ("goes-on", r#"{"img":"AAAA"} {"img":"BBBB"}"#),
        ("breaks-off", r#"{"img":"AAAA","metadata":{"device":"#),
        ("deep", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["),
        ("not-utf8", "{\"img\":\"\u{fffd}\"}"),
        ("nothing", ""),
    ]
    .map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()))
    .to_vec()
}
