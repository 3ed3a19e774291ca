//! What Assay issues: online proofs, credentials and their presentation.

use crate::kit::*;
use base::{SignedDuration, TestEnvironment};
use coset::{CborSerializable, CoseSign1, TaggedCborSerializable, iana};
use credentials::issue::{
    AgeAttestation, HolderKey, IssueError, IssuingKey, issue_code, issue_credential, present,
};
use credentials::proof::{CredentialFormat, ProofCheck, ProofFailureReason, StatusReference};

fn credential_grant(holder: &Signer) -> AgeAttestation {
    AgeAttestation {
        holder: Some(holder.key.holder_key()),
        lifetime: SignedDuration::from_hours(1),
        ..grant()
    }
}

#[test]
fn an_online_proof_fits_an_old_scanner_and_holds_for_half_a_minute() {
    let signer = Signer::new(1);
    let list = own_list(&signer);
    let code =
        issue_code(&signer.key, &AgeAttestation { age_over: vec![21, 18], ..grant() }, at(NOW), [1; 16])
            .unwrap();
    println!("online proof, {} characters: {code}", code.len());
    assert!(code.len() <= 230, "{}", code.len());

    let verified = verify(&list, &code, &scanned(30)).unwrap();
    assert_eq!((verified.age_over, verified.holder_bound, verified.valid_for_alcohol), (21, false, true));
    assert_eq!(
        verified.checks,
        [ProofCheck::SignatureVerified, ProofCheck::ProviderTrusted, ProofCheck::Fresh]
    );
    assert_eq!((&*verified.issuer, &*verified.provider), (ISSUER, "EXAMPLE"));
    assert_eq!(
        verified.replay_key_until,
        at(NOW + 30 + 5 + 120),
        "remembered as long as it could be scanned and sent in"
    );

    assert_eq!(proof(&code).format(), CredentialFormat::Cwt);
    assert_eq!(proof(&code).claimed_issuer(), Some(ISSUER));
    let late = verify(&list, &code, &scanned(36)).unwrap_err();
    assert_eq!(
        (late.reason, late.provider.as_deref()),
        (ProofFailureReason::PresentationExpired, Some("EXAMPLE"))
    );
    assert_eq!(
        verify(&list, &code, &scanned(-6)).unwrap_err().reason,
        ProofFailureReason::PresentationExpired
    );
    assert!(verify(&list, &code, &scanned(-5)).is_ok(), "clocks may differ by five seconds");
}

#[test]
fn the_same_proof_has_the_same_use_key_however_it_is_spelt() {
    let signer = Signer::new(1);
    let list = own_list(&signer);
    let code = issue_code(&signer.key, &grant(), at(NOW), [1; 16]).unwrap();
    let first = verify(&list, &code, &terms()).unwrap().replay_key;

    let message = base45::decode(&code[5..]).unwrap();
    let as_base64url = verify(&list, &b64(&message), &terms()).unwrap();
    assert_eq!(as_base64url.replay_key, first, "in another alphabet");

    // (r, s) and (r, n - s) are both valid signatures.
    let n = hex::decode("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551").unwrap();
    let mut mirrored = message.clone();
    let (mut borrow, at_s) = (0i16, message.len() - 32);
    for i in (0..32).rev() {
        let difference = i16::from(n[i]) - i16::from(message[at_s + i]) - borrow;
        mirrored[at_s + i] = difference.rem_euclid(256) as u8;
        borrow = i16::from(difference < 0);
    }
    assert_ne!(message, mirrored);
    let mirrored = format!("POA1:{}", base45::encode(&mirrored));
    assert_eq!(verify(&list, &mirrored, &terms()).unwrap().replay_key, first, "with the other signature");

    let other = issue_code(&signer.key, &grant(), at(NOW), [2; 16]).unwrap();
    assert_ne!(verify(&list, &other, &terms()).unwrap().replay_key, first);
}

#[test]
fn a_presentation_fits_an_old_scanner_and_is_bound_to_its_holder() {
    let (signer, holder) = (Signer::new(1), Signer::new(2));
    let list = own_list(&signer);
    let credential = issue_credential(&signer.key, &credential_grant(&holder), at(NOW), [3; 16]).unwrap();
    let code = present(&credential, &holder.key, at(NOW + 1800)).unwrap();
    println!("credential, {} bytes; presentation, {} characters: {code}", credential.len(), code.len());
    assert!(code.len() <= 450, "{}", code.len());

    let verified = verify(&list, &code, &scanned(1810)).unwrap();
    assert_eq!((verified.age_over, verified.holder_bound), (18, true));
    assert_eq!(
        verified.checks,
        [
            ProofCheck::SignatureVerified,
            ProofCheck::ProviderTrusted,
            ProofCheck::Fresh,
            ProofCheck::HolderBound
        ]
    );

    let again = present(&credential, &holder.key, at(NOW + 1900)).unwrap();
    let again = verify(&list, &again, &scanned(1900)).unwrap();
    assert_eq!(
        again.replay_key, verified.replay_key,
        "a credential is used up, whichever presentation shows it"
    );
    assert!(again.replay_key_until > at(NOW + 3600), "and stays so as long as it lives");

    let stale = verify(&list, &code, &scanned(1836)).unwrap_err();
    assert_eq!(stale.reason, ProofFailureReason::PresentationExpired);
    let late = present(&credential, &holder.key, at(NOW + 7300)).unwrap();
    assert_eq!(
        verify(&list, &late, &scanned(7300)).unwrap_err().reason,
        ProofFailureReason::PresentationExpired
    );
}

#[test]
fn a_presentation_with_room_for_a_long_issuer_stays_within_500_characters() {
    let (signer, holder) = (Signer::new(1), Signer::new(2));
    let grant = AgeAttestation {
        issuer: "https://proof-of-age.assay.some-organisation.example".to_owned(),
        ..credential_grant(&holder)
    };
    let credential = issue_credential(&signer.key, &grant, at(NOW), [3; 16]).unwrap();
    let code = present(&credential, &holder.key, at(NOW)).unwrap();
    println!("issuer of {} bytes: {} characters", grant.issuer.len(), code.len());
    assert!(code.len() <= 500, "{}", code.len());
}

#[test]
fn only_the_holder_can_present_a_credential() {
    let (signer, holder, thief) = (Signer::new(1), Signer::new(2), Signer::new(3));
    let list = own_list(&signer);
    let bare = issue_code(&signer.key, &credential_grant(&holder), at(NOW), [3; 16]).unwrap();
    assert_eq!(
        outcome(&list, &bare, &terms()),
        "UNABLE_TO_VERIFY_SIGNATURE: the credential is bound to its holder, who did not sign this presentation"
    );
    let bytes = issue_credential(&signer.key, &credential_grant(&holder), at(NOW), [3; 16]).unwrap();
    assert_eq!(
        outcome(&list, &present(&bytes, &thief.key, at(NOW)).unwrap(), &terms()),
        "UNABLE_TO_VERIFY_SIGNATURE: the presentation is not signed by the credential's holder"
    );
    let unbound = issue_credential(&signer.key, &grant(), at(NOW), [3; 16]).unwrap();
    assert_eq!(
        outcome(&list, &present(&unbound, &thief.key, at(NOW)).unwrap(), &terms()),
        "UNABLE_TO_VERIFY_SIGNATURE: the credential names no holder's key that is accepted here"
    );
    let forged = issue_credential(&thief.key, &credential_grant(&thief), at(NOW), [3; 16]).unwrap();
    assert_eq!(
        outcome(&list, &present(&forged, &thief.key, at(NOW)).unwrap(), &terms()),
        "UNABLE_TO_VERIFY_SIGNATURE: no listed key of the issuer made the signature"
    );
}

#[test]
fn credentials_of_one_batch_share_nothing_but_the_issuer_and_the_hour() {
    let (signer, holders) = (Signer::new(1), [Signer::new(2), Signer::new(3)]);
    let times = [at(NOW + 10), at(NOW + 500)].map(|now| {
        let holder = &holders[usize::from(now > at(NOW + 10))];
        let bytes = issue_credential(&signer.key, &credential_grant(holder), now, [9; 16]).unwrap();
        let message = CoseSign1::from_tagged_slice(&bytes).unwrap();
        let claims = coset::cwt::ClaimsSet::from_slice(&message.payload.unwrap()).unwrap();
        (format!("{:?}", claims.issued_at), format!("{:?}", claims.expiration_time))
    });
    assert_eq!(times[0], times[1]);
}

#[test]
fn coset_reads_what_is_issued() {
    let signer = Signer::new(1);
    let bytes = issue_credential(&signer.key, &grant(), at(NOW), [4; 16]).unwrap();
    let message = CoseSign1::from_tagged_slice(&bytes).unwrap();
    let header = &message.protected.header;
    assert_eq!(header.alg, Some(coset::Algorithm::Assigned(iana::Algorithm::ES256)));
    assert_eq!(header.key_id.len(), 8);
    let claims = coset::cwt::ClaimsSet::from_slice(message.payload.as_ref().unwrap()).unwrap();
    assert_eq!((claims.issuer.as_deref(), claims.cwt_id), (Some(ISSUER), Some(vec![4; 16])));
    message
        .verify_signature(&[], |signature, data| {
            let jwk = credentials::trust::VerificationKey::parse(&signer.key.jwk()).unwrap();
            assert_eq!(&jwk.thumbprint()[..8], header.key_id);
            let key = aws_lc_rs::signature::UnparsedPublicKey::new(
                &aws_lc_rs::signature::ECDSA_P256_SHA256_FIXED,
                raw_point(&signer.key),
            );
            key.verify(data, signature)
        })
        .unwrap();
}

fn raw_point(key: &IssuingKey) -> Vec<u8> {
    let jwk = key.jwk();
    let part = |name: &str| base64_simd::URL_SAFE_NO_PAD.decode_to_vec(jwk[name].as_str().unwrap()).unwrap();
    [vec![4], part("x"), part("y")].concat()
}

#[test]
fn keys_survive_storage_and_repeat_with_the_environment() {
    let env = || TestEnvironment::at("2026-01-01T00:00:00Z");
    let key = IssuingKey::generate(&env());
    assert_eq!(key.jwk(), IssuingKey::generate(&env()).jwk());
    let pem = key.to_pkcs8_pem();
    assert!(pem.expose().starts_with("-----BEGIN PRIVATE KEY-----"));
    assert_eq!(IssuingKey::from_pkcs8_pem(pem.expose()).unwrap().jwk(), key.jwk());
    assert_eq!(IssuingKey::from_pkcs8_der(key.to_pkcs8_der().expose()).unwrap().jwk(), key.jwk());
    assert_eq!(format!("{key:?}"), "IssuingKey(***)");
    for bad in ["", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"] {
        assert_eq!(IssuingKey::from_pkcs8_pem(bad).unwrap_err(), IssueError::Key);
    }

    let mut point: [u8; 65] = raw_point(&key).try_into().unwrap();
    assert_eq!(HolderKey::from_raw(&point).unwrap(), HolderKey::from_jwk(&key.jwk()).unwrap());
    point[64] ^= 1;
    assert_eq!(HolderKey::from_raw(&point).unwrap_err(), IssueError::Key, "not on the curve");
    assert!(
        HolderKey::from_jwk(&serde_json::json!({ "kty": "EC", "crv": "P-256", "x": "AA", "y": "AA" }))
            .is_err()
    );
}

#[test]
fn a_grant_is_within_bounds() {
    let (signer, holder) = (Signer::new(1), Signer::new(2));
    let status = |uri: &str| Some(StatusReference { uri: uri.to_owned(), index: 7 });
    for (grant, error) in [
        (AgeAttestation { issuer: String::new(), ..grant() }, IssueError::Issuer),
        (AgeAttestation { issuer: "x".repeat(201), ..grant() }, IssueError::Issuer),
        (AgeAttestation { age_over: vec![], ..grant() }, IssueError::Age),
        (AgeAttestation { age_over: vec![0], ..grant() }, IssueError::Age),
        (AgeAttestation { age_over: vec![151], ..grant() }, IssueError::Age),
        (AgeAttestation { lifetime: SignedDuration::from_secs(61), ..grant() }, IssueError::Validity),
        (AgeAttestation { lifetime: SignedDuration::ZERO, ..grant() }, IssueError::Validity),
        (
            AgeAttestation { lifetime: SignedDuration::from_hours(32 * 24), ..credential_grant(&holder) },
            IssueError::Validity,
        ),
        (AgeAttestation { status: status("http://issuer.example/1"), ..grant() }, IssueError::Status),
        (
            AgeAttestation {
                status: status(&format!("https://issuer.example/{}", "x".repeat(3000))),
                ..grant()
            },
            IssueError::TooLong,
        ),
    ] {
        assert_eq!(issue_code(&signer.key, &grant, at(NOW), [0; 16]), Err(error), "{grant:?}");
    }
    let with_status = AgeAttestation { status: status("https://issuer.example/status/1"), ..grant() };
    let code = issue_code(&signer.key, &with_status, at(NOW), [0; 16]).unwrap();
    println!("online proof with status, {} characters", code.len());
    assert_eq!(verify(&own_list(&signer), &code, &terms()).unwrap().status, with_status.status);
    assert_eq!(present(b"\xff", &holder.key, at(NOW)), Err(IssueError::Credential));
}
