//! Mobile documents: the issuer's digests and chain, the device's signature over the QR profile's transcript.

use crate::chains::{MDOC_SIGNER, mdoc_signer, root};
use crate::kit::*;
use aws_lc_rs::{agreement, hkdf, hmac};
use ciborium::Value as Cbor;
use credentials::jwe::DecryptionKey;
use credentials::proof::{
    CredentialFormat, MAX_RESPONSE_CHARS, ProofCheck, TerminalSession, TerminalSessionError, VerifiedProof,
    parse_device_response,
};
use credentials::trust::TrustList;
use rcgen::{CertifiedIssuer, KeyPair};
use serde_json::json;

const EU: &str = "eu.europa.ec.av.1";

fn tag24(inner: &Cbor) -> Cbor {
    Cbor::Tag(24, Box::new(Cbor::Bytes(encode(inner))))
}

fn tdate(seconds: i64) -> Cbor {
    Cbor::Tag(0, Box::new(text(&at(seconds).to_string())))
}

/// A phone with a document; every field can be altered by a test.
pub(crate) struct Phone {
    pub(crate) root: CertifiedIssuer<'static, KeyPair>,
    pub(crate) certificate: Vec<u8>,
    pub(crate) signer: Signer,
    pub(crate) device: Signer,
    pub(crate) doc_type: &'static str,
    pub(crate) signed_type: &'static str,
    pub(crate) name_space: &'static str,
    pub(crate) ages: Vec<(&'static str, bool)>,
    /// Released instead of the first element, with the first element's digest id.
    pub(crate) released: Option<(&'static str, bool)>,
    pub(crate) salt: usize,
    pub(crate) valid: (i64, i64),
    pub(crate) made: i64,
    pub(crate) signed_at: i64,
    pub(crate) handover: &'static str,
}

impl Phone {
    pub(crate) fn new() -> Self {
        let root = root("root");
        let (certificate, signer) = mdoc_signer(&root, Some(MDOC_SIGNER));
        Self {
            root,
            certificate,
            signer,
            device: Signer::new(2),
            doc_type: EU,
            signed_type: EU,
            name_space: EU,
            ages: vec![("age_over_18", true)],
            released: None,
            salt: 16,
            valid: (NOW - 100, NOW + 1000),
            made: NOW,
            signed_at: NOW,
            handover: "PoaQrHandover",
        }
    }

    pub(crate) fn list(&self, unbound: bool) -> TrustList {
        list(&[
            json!({ "id": "utopia", "provider": "UTOPIA", "formats": ["mdoc"], "roots": [self.root.pem()], "unbound": unbound }),
        ])
    }

    fn item(&self, digest_id: i64, name: &str, value: bool) -> Cbor {
        tag24(&map([
            (text("digestID"), int(digest_id)),
            (text("random"), Cbor::Bytes(vec![digest_id as u8; self.salt])),
            (text("elementIdentifier"), text(name)),
            (text("elementValue"), Cbor::Bool(value)),
        ]))
    }

    fn issuer_signed(&self) -> Cbor {
        let items: Vec<_> = self
            .ages
            .iter()
            .enumerate()
            .map(|(id, (name, value))| self.item(id as i64, name, *value))
            .collect();
        let digests = items
            .iter()
            .enumerate()
            .map(|(id, item)| (int(id as i64), Cbor::Bytes(sha256(encode(item)))))
            .collect();
        let jwk = self.device.key.jwk();
        let part = |name: &str| {
            Cbor::Bytes(base64_simd::URL_SAFE_NO_PAD.decode_to_vec(jwk[name].as_str().unwrap()).unwrap())
        };
        let mso = map([
            (text("version"), text("1.0")),
            (text("digestAlgorithm"), text("SHA-256")),
            (text("valueDigests"), map([(text(self.name_space), Cbor::Map(digests))])),
            (
                text("deviceKeyInfo"),
                map([(
                    text("deviceKey"),
                    map([(int(1), int(2)), (int(-1), int(1)), (int(-2), part("x")), (int(-3), part("y"))]),
                )]),
            ),
            (text("docType"), text(self.signed_type)),
            (
                text("validityInfo"),
                map([
                    (text("signed"), tdate(self.valid.0)),
                    (text("validFrom"), tdate(self.valid.0)),
                    (text("validUntil"), tdate(self.valid.1)),
                ]),
            ),
        ]);
        let chain = map([(int(33), Cbor::Bytes(self.certificate.clone()))]);
        let auth = self.signer.cose(&map([(int(1), int(-7))]), chain, &encode(&tag24(&mso)), false);
        let mut shown = items;
        if let Some((name, value)) = self.released {
            shown[0] = self.item(0, name, value);
        }
        map([
            (text("nameSpaces"), map([(text(self.name_space), Cbor::Array(shown))])),
            (text("issuerAuth"), auth),
        ])
    }

    fn transcript(&self, made: i64) -> Cbor {
        Cbor::Array(vec![Cbor::Null, Cbor::Null, Cbor::Array(vec![text(self.handover), int(made)])])
    }

    fn response(&self) -> Cbor {
        self.response_for(self.transcript(self.signed_at))
    }

    /// A response whose device signs for this session transcript.
    pub(crate) fn response_for(&self, transcript: Cbor) -> Cbor {
        self.response_with(transcript, None)
    }

    /// A response whose device signs for this session transcript or, for the reader with this key, authenticates it with a
    /// MAC.
    pub(crate) fn response_with(&self, transcript: Cbor, reader: Option<&DecryptionKey>) -> Cbor {
        let name_spaces = tag24(&map([]));
        let transcript_bytes = encode(&tag24(&transcript));
        let authentication = Cbor::Array(vec![
            text("DeviceAuthentication"),
            transcript,
            text(self.doc_type),
            name_spaces.clone(),
        ]);
        let authentication = encode(&tag24(&authentication));
        let auth = match reader {
            None => {
                let signature = self.device.cose(&map([(int(1), int(-7))]), map([]), &authentication, true);
                (text("deviceSignature"), signature)
            }
            Some(reader) => (text("deviceMac"), self.mac(reader, &transcript_bytes, &authentication)),
        };
        let device = map([(text("nameSpaces"), name_spaces), (text("deviceAuth"), map([auth]))]);
        let document = map([
            (text("docType"), text(self.doc_type)),
            (text("issuerSigned"), self.issuer_signed()),
            (text("deviceSigned"), device),
        ]);
        map([
            (text("version"), text("1.0")),
            (text("documents"), Cbor::Array(vec![document])),
            (text("status"), int(0)),
        ])
    }

    /// `COSE_Mac0` as a device computes it: with its own private key and the reader's public one.
    fn mac(&self, reader: &DecryptionKey, transcript: &[u8], authentication: &[u8]) -> Cbor {
        let jwk = reader.jwk("ECDH-ES");
        let part =
            |name: &str| base64_simd::URL_SAFE_NO_PAD.decode_to_vec(jwk[name].as_str().unwrap()).unwrap();
        let point = [vec![4], part("x"), part("y")].concat();
        let own = self.device.key.to_pkcs8_der();
        let own = agreement::PrivateKey::from_private_key_der(&agreement::ECDH_P256, own.expose()).unwrap();
        let theirs = agreement::UnparsedPublicKey::new(&agreement::ECDH_P256, point);
        let key = agreement::agree(&own, theirs, (), |shared| {
            let mut key = [0; 32];
            let salt = hkdf::Salt::new(hkdf::HKDF_SHA256, &sha256(transcript));
            salt.extract(shared).expand(&[b"EMacKey"], hkdf::HKDF_SHA256).unwrap().fill(&mut key).unwrap();
            Ok(key)
        })
        .unwrap();
        let protected = Cbor::Bytes(encode(&map([(int(1), int(5))])));
        let structure = Cbor::Array(vec![
            text("MAC0"),
            protected.clone(),
            Cbor::Bytes(Vec::new()),
            Cbor::Bytes(authentication.to_vec()),
        ]);
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key), &encode(&structure));
        Cbor::Array(vec![protected, map([]), Cbor::Null, Cbor::Bytes(tag.as_ref().to_vec())])
    }

    fn presented(&self) -> Vec<u8> {
        encode(&Cbor::Array(vec![self.transcript(self.made), self.response()]))
    }

    fn outcome(&self) -> String {
        outcome(&self.list(false), &b64(self.presented()), &terms())
    }
}

#[test]
fn a_presented_document_holds_for_half_a_minute() {
    let phone = Phone {
        ages: vec![("age_over_18", true), ("age_over_21", true), ("age_over_65", false)],
        ..Phone::new()
    };
    let list = phone.list(false);
    let code = base45::encode(phone.presented());
    println!("mobile document of the QR profile: {} characters in base45", code.len());
    let verified = verify(&list, &code, &scanned(20)).unwrap();
    assert_eq!((&*verified.provider, verified.age_over, verified.holder_bound), ("UTOPIA", 21, true));
    assert_eq!(
        verified.checks,
        [
            ProofCheck::SignatureVerified,
            ProofCheck::ProviderTrusted,
            ProofCheck::Fresh,
            ProofCheck::HolderBound
        ]
    );
    assert_eq!(proof(&code).format(), CredentialFormat::Mdoc);
    assert_eq!(verify(&list, &b64(phone.presented()), &scanned(20)).unwrap().replay_key, verified.replay_key);
    assert!(outcome(&list, &code, &scanned(36)).starts_with("PRESENTATION_EXPIRED"));

    let licence = Phone {
        doc_type: "org.iso.18013.5.1.mDL",
        signed_type: "org.iso.18013.5.1.mDL",
        name_space: "org.iso.18013.5.1",
        ..Phone::new()
    };
    assert!(licence.outcome().starts_with("18+"));
}

#[test]
fn altered_documents_are_refused_for_their_own_reasons() {
    let new = Phone::new;
    for (phone, expected) in [
        (new(), "18+"),
        (Phone { device: Signer::new(3), ..new() }, "18+"),
        (
            Phone { released: Some(("age_over_21", true)), ..new() },
            "UNABLE_TO_VERIFY_SIGNATURE: an element of the mobile document is not",
        ),
        (
            Phone { ages: vec![("age_over_18", false)], released: Some(("age_over_18", true)), ..new() },
            "UNABLE_TO_VERIFY_SIGNATURE: an element",
        ),
        (
            Phone { signed_at: NOW - 60, ..new() },
            "UNABLE_TO_VERIFY_SIGNATURE: the presentation is not signed by the mobile document's device",
        ),
        (
            Phone { signed_at: NOW - 60, made: NOW - 60, ..new() },
            "PRESENTATION_EXPIRED: the proof was made too long",
        ),
        (
            Phone { signed_at: NOW + 60, made: NOW + 60, ..new() },
            "PRESENTATION_EXPIRED: the proof is not valid yet",
        ),
        // Its certificate began on 1 January, five months before.
        (
            Phone { valid: (NOW - 20_000_000, NOW + 1000), ..new() },
            "UNABLE_TO_VERIFY_SIGNATURE: the mobile document is signed at a time when its certificate is not",
        ),
        (Phone { valid: (NOW - 100, NOW - 10), ..new() }, "PRESENTATION_EXPIRED: the proof has expired"),
        (Phone { valid: (NOW + 10, NOW + 100), ..new() }, "PRESENTATION_EXPIRED: the proof is not valid yet"),
        (
            Phone { handover: "OpenID4VPHandover", ..new() },
            "UNSUPPORTED_PAYLOAD: the mobile document is signed for a session",
        ),
        (
            Phone { doc_type: "org.iso.18013.5.1.mDL", ..new() },
            "UNSUPPORTED_PAYLOAD: the mobile document is of another type",
        ),
        (
            Phone { doc_type: "pet.1", signed_type: "pet.1", ..new() },
            "UNSUPPORTED_PAYLOAD: the mobile document is of a type that is not a proof",
        ),
        (Phone { name_space: "other", ..new() }, "UNSUPPORTED_PAYLOAD: the proof says nothing about age"),
        (
            Phone { ages: vec![("age_over_18", false)], ..new() },
            "UNSUPPORTED_PAYLOAD: the proof says that its thresholds",
        ),
        (
            Phone { ages: vec![("given_name", true)], ..new() },
            "UNSUPPORTED_PAYLOAD: the proof says nothing about age",
        ),
        (
            Phone { ages: vec![("age_over_18", true), ("age_over_18", true)], ..new() },
            "UNSUPPORTED_PAYLOAD: the mobile document releases an element twice",
        ),
        (
            Phone { salt: 8, ..new() },
            "UNSUPPORTED_PAYLOAD: the mobile document releases an element that cannot be read",
        ),
        (
            Phone { signer: Signer::new(4), ..new() },
            "UNABLE_TO_VERIFY_SIGNATURE: the mobile document's signature is not",
        ),
    ] {
        let outcome = phone.outcome();
        assert!(outcome.starts_with(expected), "expected {expected}, got {outcome}");
    }
}

#[test]
fn the_signer_must_be_certified_for_mobile_documents() {
    let mut phone = Phone::new();
    for usage in [None, Some(&[1, 0, 18013, 5, 1, 6][..]), Some(&[1, 3, 6, 1, 5, 5, 7, 3, 1])] {
        (phone.certificate, phone.signer) = mdoc_signer(&phone.root, usage);
        let outcome = phone.outcome();
        assert!(outcome.contains("may not sign mobile documents"), "{outcome}");
    }
    let stranger = root("stranger");
    (phone.certificate, phone.signer) = mdoc_signer(&stranger, Some(MDOC_SIGNER));
    assert!(phone.outcome().starts_with("UNKNOWN_PROVIDER"), "a root that is not listed");
    (phone.certificate, phone.signer) = (Vec::new(), Signer::new(1));
    assert!(phone.outcome().starts_with("UN"));
}

#[test]
fn without_its_device_a_document_is_a_copy() {
    let phone = Phone::new();
    let (bearer, strict) = (phone.list(true), phone.list(false));
    for code in [b64(encode(&phone.issuer_signed())), base45::encode(encode(&phone.response()))] {
        let refused = outcome(&strict, &code, &terms());
        assert!(refused.contains("not signed by its device"), "{refused}");
        let verified = verify(&bearer, &code, &terms()).unwrap();
        assert_eq!((verified.age_over, verified.holder_bound, verified.checks.len()), (18, false, 2));
        // Its holder has no other: a copy is of no use at once, and the document works again later.
        assert!(verified.replay_key_until > at(NOW + 120) && verified.replay_key_until < at(NOW + 200));
    }
}

/// The session of a terminal with a phone near it.
fn session(number: u8) -> Cbor {
    let key =
        |part: u8| tag24(&map([(int(1), int(2)), (int(-1), int(1)), (int(-2), Cbor::Bytes(vec![part; 32]))]));
    Cbor::Array(vec![key(number), key(number + 1), Cbor::Null])
}

fn relayed(
    list: &TrustList,
    response: &Cbor,
    transcript: &Cbor,
    key: Option<&str>,
) -> Result<VerifiedProof, String> {
    let terminal =
        TerminalSession::parse(&b64(encode(transcript)), key).map_err(|error| error.to_string())?;
    let proof = parse_device_response(&b64(encode(response)), terminal).map_err(|error| error.to_string())?;
    list.verify_proof(&proof, &terms()).map_err(|error| error.to_string())
}

#[test]
fn a_response_is_checked_with_the_session_in_which_a_terminal_received_it() {
    let phone = Phone::new();
    let list = phone.list(false);
    let response = phone.response_for(session(1));
    let verified = relayed(&list, &response, &session(1), None).unwrap();
    assert_eq!((verified.age_over, verified.holder_bound), (18, true));
    assert!(!verified.checks.contains(&ProofCheck::Fresh), "a transcript tells no time");
    assert!(verified.replay_key_until > at(NOW + 1000), "it counts once, as long as it could be shown");
    let wrapped = relayed(&list, &response, &tag24(&session(1)), None).unwrap();
    assert_eq!(wrapped.replay_key, verified.replay_key, "in either form");
    let other = relayed(&list, &phone.response_for(session(3)), &session(3), None).unwrap();
    assert_ne!(other.replay_key, verified.replay_key, "another session is another presentation");
    let refused = relayed(&list, &response, &session(2), None).unwrap_err();
    assert!(refused.contains("not signed by the mobile document's device"), "{refused}");
    for encoded in
        [base45::encode(encode(&response)), base64_simd::STANDARD.encode_to_string(encode(&response))]
    {
        let terminal = TerminalSession::parse(&b64(encode(&session(1))), None).unwrap();
        let proof = parse_device_response(&encoded, terminal).unwrap();
        assert!(list.verify_proof(&proof, &terms()).is_ok());
    }
}

#[test]
fn a_mac_is_checked_with_the_terminals_ephemeral_key() {
    let env = base::TestEnvironment::at("2026-01-01T00:00:00Z");
    let (reader, other) = (DecryptionKey::generate(&env), DecryptionKey::generate(&env));
    let private = |key: &DecryptionKey| {
        let mut jwk = key.jwk("ECDH-ES");
        jwk["d"] = b64(key.scalar().expose()).into();
        jwk.to_string()
    };
    let phone = Phone::new();
    let list = phone.list(false);
    let response = phone.response_with(session(1), Some(&reader));
    let verified = relayed(&list, &response, &session(1), Some(&private(&reader))).unwrap();
    assert_eq!((verified.age_over, verified.holder_bound), (18, true));
    for (transcript, key) in [(session(2), &reader), (session(1), &other)] {
        assert!(relayed(&list, &response, &transcript, Some(&private(key))).is_err());
    }
    let without = relayed(&list, &response, &session(1), None).unwrap_err();
    assert!(without.contains("ephemeral key of its reader"), "{without}");
}

#[test]
fn what_a_terminal_sends_of_its_session_is_bounded() {
    let parse = |transcript: &str, key: Option<&str>| TerminalSession::parse(transcript, key).err();
    assert_eq!(parse(&b64(encode(&session(1))), None), None);
    for wrong in
        ["", "%", &b64(encode(&map([]))), &b64(encode(&Cbor::Array(vec![Cbor::Null]))), &"A".repeat(30_000)]
    {
        assert_eq!(parse(wrong, None), Some(TerminalSessionError::Transcript));
    }
    for wrong in ["", "{}", r#"{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#] {
        assert_eq!(parse(&b64(encode(&session(1))), Some(wrong)), Some(TerminalSessionError::ReaderKey));
    }
    let terminal = || TerminalSession::parse(&b64(encode(&session(1))), None).unwrap();
    let long = "A".repeat(MAX_RESPONSE_CHARS + 1);
    for wrong in ["", "!", "AAAA", &long] {
        assert!(parse_device_response(wrong, terminal()).is_err());
    }
}

#[test]
fn a_response_that_releases_nothing_is_a_refusal_by_the_holder() {
    let phone = Phone::new();
    let errors = Cbor::Array(vec![map([(text(EU), int(0))])]);
    let response =
        map([(text("version"), text("1.0")), (text("documentErrors"), errors), (text("status"), int(0))]);
    assert!(
        outcome(&phone.list(false), &b64(encode(&response)), &terms()).starts_with("USER_DID_NOT_CONSENT")
    );
}
