//! The examples in the standards.

use crate::kit::*;
use credentials::proof::{ProofFailureReason, VerificationTerms};
use credentials::status::{CredentialStatus, StatusList};
use serde_json::json;

/// RFC 8392, appendix A.3: signed by the key of A.2.3. It says nothing about age, and that must be the only thing
/// missing.
#[test]
fn the_signed_cwt_of_rfc_8392_verifies() {
    let message = hex::decode(concat!(
        "d28443a10126a104524173796d6d657472696345434453413235365850a70175636f61703a2f2f61732e6578616d706c652e636f6d",
        "02656572696b77037818636f61703a2f2f6c696768742e6578616d706c652e636f6d041a5612aeb0051a5610d9f0061a5610d9f007",
        "420b7158405427c1ff28d23fbad1f29c4c7c6a555e601d6fa29f9179bc3d7438bacaca5acd08c8d4d4f96131680c429a01f85951ec",
        "ee743a52b9b63632c57209120e1c9e30"
    ))
    .unwrap();
    let coordinate = |hex: &str| b64(hex::decode(hex).unwrap());
    let key = |kid: &str| {
        json!({
            "kty": "EC", "crv": "P-256", "kid": kid,
            "x": coordinate("143329cce7868e416927599cf65a34f3ce2ffda55a7eca69ed8919a394d42f0f"),
            "y": coordinate("60f7f1a780d8a783bfb7a2dd6b2796e8128dbbcef9d3d168db9529971a36e7b9"),
        })
    };
    let issued = at(1_443_944_944);
    let terms = VerificationTerms::new(issued, issued);
    let trusted = list(&[entry("coap://as.example.com", &[key("AsymmetricECDSA256")])]);
    assert_eq!(proof(&hc1(&message)).claimed_key().as_deref(), Some("AsymmetricECDSA256"));
    assert_eq!(
        outcome(&trusted, &hc1(&message), &terms),
        "UNSUPPORTED_PAYLOAD: the proof says nothing about age"
    );
    let light = VerificationTerms { audience: Some("coap://light.example.com".to_owned()), ..terms.clone() };
    assert!(outcome(&trusted, &hc1(&message), &light).contains("nothing about age"));
    let other = VerificationTerms { audience: Some("coap://dark.example.com".to_owned()), ..terms.clone() };
    assert!(outcome(&trusted, &hc1(&message), &other).contains("another audience"));

    let mut forged = message.clone();
    *forged.last_mut().unwrap() ^= 1;
    assert!(outcome(&trusted, &hc1(&forged), &terms).contains("the signature is not the issuer's"));
    let renamed = list(&[entry("coap://as.example.com", &[key("other")])]);
    assert!(outcome(&renamed, &hc1(&message), &terms).contains("no listed key"));
}

/// RFC 8392, appendix A.4 and A.5: a token with a MAC and one that is encrypted are not signed.
#[test]
fn the_other_cwt_of_rfc_8392_are_refused() {
    let list = list(&[entry("coap://as.example.com", &[Signer::new(1).jwk("k")])]);
    for message in [
        concat!(
            "d83dd18443a10104a1044c53796d6d65747269633235365850a70175636f61703a2f2f61732e6578616d706c652e636f6d02656572",
            "696b77037818636f61703a2f2f6c696768742e6578616d706c652e636f6d041a5612aeb0051a5610d9f0061a5610d9f007420b7148",
            "093101ef6d789200"
        ),
        "d08343a1010aa1044c53796d6d6574726963313238054d99a0d7846e762c49ffe8a63e0b41aa",
    ] {
        let code = hc1(&hex::decode(message).unwrap());
        assert!(outcome(&list, &code, &terms()).starts_with("UNSUPPORTED_PAYLOAD"), "{message}");
    }
}

/// RFC 9901, appendix A.3: an SD-JWT VC with key binding, presented to show one threshold; the key is that of A.5.
#[test]
fn the_presented_sd_jwt_vc_of_rfc_9901_verifies() {
    let code = vector("rfc9901-a3-kb.txt");
    let entry = json!({
        "id": "https://pid-issuer.bund.de.example", "provider": "PID", "formats": ["sd-jwt-vc"],
        "vct": ["urn:eudi:pid:de:1"],
        "keys": [{
            "kty": "EC", "crv": "P-256", "kid": "a-5",
            "x": "b28d4MwZMjw8-00CG4xfnn9SLMVMM19SlqZpVb_uNtQ", "y": "Xv5zWwuoaTgdS6hV43yI6gBwTnjukmFQQnJ_kCxzqk8",
        }],
    });
    let trusted = list(&[entry]);
    let shown = 1_748_537_244;
    let terms = |after: i64| VerificationTerms {
        audience: Some("https://verifier.example.org".to_owned()),
        ..VerificationTerms::new(at(shown + after), at(shown + after))
    };
    let verified = verify(&trusted, &code, &terms(10)).unwrap();
    assert_eq!((verified.age_over, verified.holder_bound), (18, true));
    assert_eq!(
        verify(&trusted, &code, &terms(40)).unwrap_err().reason,
        ProofFailureReason::PresentationExpired
    );

    // Without the disclosure of the threshold, or truncated, the presentation no longer matches the holder's signature.
    let parts: Vec<_> = code.split('~').collect();
    let fewer = [&parts[..2], &parts[3..]].concat().join("~");
    assert!(outcome(&trusted, &fewer, &terms(0)).contains("the holder signed another presentation"));
    let unsigned = format!("{}~", parts[..4].join("~"));
    assert!(outcome(&trusted, &unsigned, &terms(0)).contains("holder did not sign"));
}

/// ISO 18013-5, annex D.4.1.2, without the portrait: signed by a chain to the annex's root. Its device authentication
/// is a MAC for one reader, so it is judged as issuer-signed data alone; it releases no age.
#[test]
fn the_driving_licence_of_iso_18013_5_verifies() {
    let message = hex::decode(vector("iso18013-5-annex-d-issuer-signed.hex")).unwrap();
    let root =
        base64_simd::STANDARD.encode_to_string(hex::decode(vector("iso18013-5-annex-d-root.hex")).unwrap());
    let entry = |unbound: bool| json!({ "id": "utopia", "provider": "UTOPIA", "formats": ["mdoc"], "roots": [root], "unbound": unbound });
    let signed = at(1_601_559_002);
    let terms = VerificationTerms::new(signed, signed);
    let code = b64(&message);
    assert_eq!(
        outcome(&list(&[entry(true)]), &code, &terms),
        "UNSUPPORTED_PAYLOAD: the proof says nothing about age"
    );
    assert!(outcome(&list(&[entry(false)]), &code, &terms).contains("not signed by its device"));
    let later = at(1_640_000_000);
    assert!(outcome(&list(&[entry(true)]), &code, &VerificationTerms::new(later, later)).starts_with(
        "UNABLE_TO_VERIFY_SIGNATURE: the proof's chain of certificates holds a certificate that has expired"
    ));

    // One letter of the person's name is changed, which the digest reveals.
    let mut forged = message.clone();
    let name = forged.windows(3).position(|letters| letters == b"Doe").unwrap();
    forged[name + 1] = b'i';
    assert!(outcome(&list(&[entry(true)]), &b64(&forged), &terms).contains("not what its issuer signed"));
    let last = message.len() - 1;
    let mut forged = message;
    forged[last] ^= 1;
    assert!(outcome(&list(&[entry(true)]), &b64(&forged), &terms).contains("is not its certificate's"));
}

/// The examples of draft-ietf-oauth-status-list, sections 5 and 4, and the first vector of its appendix.
#[test]
fn the_status_lists_of_the_draft_verify() {
    let key = json!({
        "kty": "EC", "crv": "P-256", "kid": "12", "alg": "ES256", "use": "sig",
        "x": "I3HWm_0Ds1dPMI-IWmf4mBmH-YaeAVbPVu7vB27CxXo", "y": "6N_d5Elj9bs1htgV3okJKIdbHEpkgTmAluYKJemzn1M",
    });
    let trusted = list(&[entry("https://example.com", &[key])]);
    let issuer = trusted.issuer("https://example.com").unwrap();
    let uri = "https://example.com/statuslists/1";
    let now = at(1_700_000_000);
    let expected = [1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 0, 0, 0, 1, 0, 1];
    let cwt = hex::decode(vector("token-status-list-cwt.hex")).unwrap();
    let jwt = vector("token-status-list-jwt.txt");
    for (body, content_type) in [
        (jwt.as_bytes(), Some("application/statuslist+jwt")),
        (jwt.as_bytes(), None),
        (&cwt, Some("application/statuslist+cwt; charset=x")),
        (&cwt, None),
    ] {
        let list = StatusList::parse(body, content_type, issuer, uri, now).unwrap();
        for (index, status) in expected.iter().enumerate() {
            let status = if *status == 1 { CredentialStatus::Invalid } else { CredentialStatus::Valid };
            assert_eq!(list.status_at(index as u64), Some(status), "{index}");
        }
        assert_eq!(list.status_at(16), None);
        assert_eq!(list.fresh_until(now), at(1_700_043_200), "ttl");
    }
}
