//! Blind tokens: the standard's test vectors, and every way to damage one.

use age_methods::blind_tokens::{BlindToken, BlindTokenError, IssuerKey, TokenChallenge, VerifyingKey};
use blind_rsa_signatures::{BlindingResult, DefaultRng, PublicKeySha384PSSDeterministic as Public};
use proptest::prelude::*;
use rsa::{
    BigUint, RsaPrivateKey,
    pkcs8::DecodePrivateKey as _,
    traits::{PrivateKeyParts as _, PublicKeyParts as _},
};
use serde_json::Value;
use std::sync::LazyLock;

/// RFC 9578, appendix B.2, taken from the last draft.
static VECTORS: LazyLock<Value> =
    LazyLock::new(|| serde_json::from_str(include_str!("../vectors/rfc9578-b2.json")).unwrap());

fn bytes(value: &Value) -> Vec<u8> {
    hex::decode(value.as_str().unwrap()).unwrap()
}

fn key() -> IssuerKey {
    let pem = bytes(&VECTORS["skS"]);
    IssuerKey::from_pkcs8_der(pem::parse(pem).unwrap().contents()).unwrap()
}

#[test]
fn the_vectors_of_the_standard_are_signed_and_hold() {
    let key = key();
    assert_eq!(key.public().to_spki(), bytes(&VECTORS["pkS"]));
    let vectors = VECTORS["vectors"].as_array().unwrap();
    assert_eq!(vectors.len(), 5);
    for vector in vectors {
        let challenge = TokenChallenge::parse(&bytes(&vector["token_challenge"])).unwrap();
        assert_eq!(challenge.to_bytes(), bytes(&vector["token_challenge"]));
        assert_eq!(key.issue(&bytes(&vector["token_request"])), Ok(bytes(&vector["token_response"])));
        let token = BlindToken::parse(&bytes(&vector["token"])).unwrap();
        assert_eq!(key.public().verify(&token, &challenge), Ok(()));
        assert_eq!(token.key_id(), key.public().id());
    }
}

/// A browser's part: blinds a token, has it signed, and unblinds it.
struct Browser {
    signed: Vec<u8>,
    blinded: BlindingResult,
    public: Public,
}

impl Browser {
    fn ask(key: &VerifyingKey, challenge: &TokenChallenge, nonce: [u8; 32]) -> (Self, Vec<u8>) {
        let public = Public::from_spki(key.to_spki()).unwrap();
        let signed = [&[0, 2][..], &nonce, &challenge.digest(), key.id()].concat();
        let blinded = public.blind(&mut DefaultRng, &signed).unwrap();
        let request = [&[0, 2, key.short_id()][..], &blinded.blind_message].concat();
        (Self { signed, blinded, public }, request)
    }

    fn finish(&self, response: Vec<u8>) -> Vec<u8> {
        let signature = self.public.finalize(&response.into(), &self.blinded, &self.signed).unwrap();
        [&self.signed[..], &signature].concat()
    }
}

#[test]
fn a_token_is_had_and_redeemed_and_nothing_in_it_was_seen() {
    let key = IssuerKey::generate().unwrap();
    let again = IssuerKey::from_pkcs8_der(key.to_pkcs8_der().expose()).unwrap();
    assert_eq!(again.public().id(), key.public().id());
    let read = VerifyingKey::from_spki(key.public().to_spki()).unwrap();
    let challenge = TokenChallenge::new("issuer.example", Some([7; 32]), &["shop.example"]).unwrap();
    let (browser, request) = Browser::ask(&read, &challenge, [1; 32]);
    let response = key.issue(&request).unwrap();
    let shown = browser.finish(response.clone());
    let token = BlindToken::parse(&shown).unwrap();
    assert_eq!(shown.len(), BlindToken::BYTES);
    assert_eq!(read.verify(&token, &challenge), Ok(()));
    // The issuer's messages and the token that the site sees share no eight bytes.
    let seen = [request, response].concat();
    for part in shown.windows(8) {
        assert!(!seen.windows(8).any(|other| other == part));
    }
    // The same token signed under two blindings: the requests differ, but it can be redeemed only once.
    let (again, second) = Browser::ask(&read, &challenge, [1; 32]);
    assert_ne!(second[3..], seen[3..259]);
    let twin = BlindToken::parse(&again.finish(key.issue(&second).unwrap())).unwrap();
    assert_eq!(twin.redemption_id(), token.redemption_id());
    assert_ne!(twin, token, "the salt differs");
}

#[test]
fn a_token_of_another_key_or_challenge_or_damaged_is_none() {
    let (key, other) = (key(), IssuerKey::generate().unwrap());
    let vector = &VECTORS["vectors"][0];
    let challenge = TokenChallenge::parse(&bytes(&vector["token_challenge"])).unwrap();
    let shown = bytes(&vector["token"]);
    let token = BlindToken::parse(&shown).unwrap();
    assert_eq!(other.public().verify(&token, &challenge), Err(BlindTokenError::WrongKey));
    let elsewhere = TokenChallenge::new("issuer.example", None, &["other.example"]).unwrap();
    assert_eq!(key.public().verify(&token, &elsewhere), Err(BlindTokenError::WrongChallenge));
    for at in 0..shown.len() {
        let mut damaged = shown.clone();
        damaged[at] ^= 1;
        let refused = BlindToken::parse(&damaged)
            .and_then(|token| key.public().verify(&token, &challenge))
            .unwrap_err();
        let expected = match at {
            0..2 => BlindTokenError::WrongType,
            2..34 | 98.. => BlindTokenError::InvalidSignature,
            34..66 => BlindTokenError::WrongChallenge,
            66..98 => BlindTokenError::WrongKey,
        };
        assert_eq!(refused, expected, "byte {at}");
    }
    for size in [0, 1, 97, 98, shown.len() - 1] {
        assert_eq!(BlindToken::parse(&shown[..size]), Err(BlindTokenError::Malformed), "{size} bytes");
    }
    assert_eq!(BlindToken::parse(&[&shown[..], &[0]].concat()), Err(BlindTokenError::Malformed));
}

#[test]
fn a_request_that_cannot_be_signed_is_refused() {
    let key = key();
    let request = bytes(&VECTORS["vectors"][0]["token_request"]);
    let with = |at: usize, byte: u8| {
        let mut request = request.clone();
        request[at] = byte;
        key.issue(&request)
    };
    assert_eq!(with(1, 1), Err(BlindTokenError::WrongType));
    assert_eq!(with(2, request[2] ^ 1), Err(BlindTokenError::WrongKey));
    assert_eq!(key.issue(&request[..258]), Err(BlindTokenError::Malformed));
    assert_eq!(key.issue(&[]), Err(BlindTokenError::Malformed));
    let too_large = [&request[..3], &[0xff; 256]].concat();
    assert_eq!(key.issue(&too_large), Err(BlindTokenError::Unsignable), "it is not below the modulus");
    let mut spki = key.public().to_spki().to_vec();
    assert!(VerifyingKey::from_spki(&spki[..spki.len() - 1]).is_none());
    spki[66] = 0;
    assert!(VerifyingKey::from_spki(&spki).is_none(), "another length of the salt");
}

/// A token request made by the page (web/tests/unit/age-blind-tokens.test.ts checks for the same bytes).
#[test]
fn a_token_of_the_page_is_signed_and_holds() {
    let made: Value =
        serde_json::from_str(include_str!("../../../../web/tests/vectors/blind-token.json")).unwrap();
    let part = |name: &str| base64_simd::URL_SAFE_NO_PAD.decode_to_vec(made[name].as_str().unwrap()).unwrap();
    let key = key();
    assert_eq!(key.issue(&part("request")), Ok(part("response")));
    let challenge = TokenChallenge::parse(&part("challenge")).unwrap();
    assert_eq!(challenge, TokenChallenge::new("issuer.example", Some([7; 32]), &[]).unwrap());
    assert_eq!(key.public().verify(&BlindToken::parse(&part("token")).unwrap(), &challenge), Ok(()));
}

/// Everything the issuer knows about one token: the blinded message and its signature.
#[derive(Clone, Debug)]
struct Issued {
    blinded: BigUint,
    signature: BigUint,
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4))]

    /// Given everything the issuer saw, all tokens, and even the issuer's private key, there is a blinding that leads
    /// from any issuance to any token. So no pairing of issuances and tokens is more likely than another.
    #[test]
    fn every_issuing_may_have_led_to_every_token(nonces in prop::collection::vec(any::<[u8; 32]>(), 2..6)) {
        let key = key();
        let private = RsaPrivateKey::from_pkcs8_der(key.to_pkcs8_der().expose()).unwrap();
        let (n, e) = (private.n(), private.e());
        let one = BigUint::from(1u8);
        // The order of the multiplicative group, by which an inverse is computed as a power.
        let order = private.primes().iter().fold(one.clone(), |order, prime| order * (prime - &one));
        let inverse = |number: &BigUint| number.modpow(&(&order - &one), n);

        let challenge = TokenChallenge::new("issuer.example", None, &[]).unwrap();
        let (mut issued, mut tokens) = (Vec::new(), Vec::new());
        for nonce in nonces {
            let (browser, request) = Browser::ask(key.public(), &challenge, nonce);
            let response = key.issue(&request).unwrap();
            issued.push(Issued {
                blinded: BigUint::from_bytes_be(&request[3..]),
                signature: BigUint::from_bytes_be(&response),
            });
            let token = browser.finish(response);
            prop_assert_eq!(key.public().verify(&BlindToken::parse(&token).unwrap(), &challenge), Ok(()));
            tokens.push(BigUint::from_bytes_be(&token[98..]));
        }
        for one_issued in &issued {
            for signature in &tokens {
                // The padded message of the token, which anyone can compute from the signature.
                let message = signature.modpow(e, n);
                let blinding = &one_issued.signature * inverse(signature) % n;
                prop_assert_eq!(&message * blinding.modpow(e, n) % n, one_issued.blinded.clone());
                prop_assert_eq!(&one_issued.signature * inverse(&blinding) % n, signature.clone());
                prop_assert!(blinding != BigUint::from(0u8));
            }
        }
    }
}
