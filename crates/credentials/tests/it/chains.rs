//! Certificate chains: a key that came with a token is trusted only if a listed root certifies it.

use crate::kit::*;
use credentials::issue::IssuingKey;
use credentials::trust::TrustList;
use rcgen::{
    BasicConstraints, CertificateParams, CertificateRevocationListParams, CertifiedIssuer, DnType,
    ExtendedKeyUsagePurpose, IsCa, Issuer, KeyIdMethod, KeyPair, RevokedCertParams, SanType, SerialNumber,
    date_time_ymd,
};
use serde_json::json;

/// id-mdl-kp-mdlDS.
pub(crate) const MDOC_SIGNER: &[u64] = &[1, 0, 18013, 5, 1, 2];

pub(crate) fn params(name: &str, is_ca: IsCa) -> CertificateParams {
    let mut params = CertificateParams::new(Vec::new()).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    (params.not_before, params.not_after) = (date_time_ymd(2026, 1, 1), date_time_ymd(2027, 1, 1));
    params.is_ca = is_ca;
    params
}

pub(crate) fn authority(levels: u8) -> IsCa {
    IsCa::Ca(BasicConstraints::Constrained(levels))
}

pub(crate) fn root(name: &str) -> CertifiedIssuer<'static, KeyPair> {
    CertifiedIssuer::self_signed(params(name, authority(1)), KeyPair::generate().unwrap()).unwrap()
}

/// A signer, and its certificate by an authority.
pub(crate) fn leaf(
    under: &Issuer<'_, KeyPair>,
    change: impl Fn(&mut CertificateParams),
) -> (Vec<u8>, Signer) {
    let key = KeyPair::generate().unwrap();
    let mut params = params("signer", IsCa::NoCa);
    change(&mut params);
    let certificate = params.signed_by(&key, under).unwrap();
    (certificate.der().to_vec(), Signer::of(IssuingKey::from_pkcs8_der(&key.serialize_der()).unwrap()))
}

fn trusting(root: &CertifiedIssuer<'_, KeyPair>) -> TrustList {
    list(&[
        json!({ "id": ISSUER, "provider": "EXAMPLE", "formats": ["jwt", "sd-jwt-vc"], "roots": [root.pem()] }),
    ])
}

fn token(chain: &[&[u8]], signer: &Signer) -> String {
    let x5c: Vec<_> = chain.iter().map(|one| base64_simd::STANDARD.encode_to_string(one)).collect();
    let claims = json!({ "iss": ISSUER, "iat": NOW, "exp": NOW + 60, "age_over_18": true });
    signer.jws(&json!({ "alg": "ES256", "x5c": x5c }), &claims)
}

#[test]
fn a_chain_to_a_listed_root_is_trusted() {
    let root = root("root");
    let trusted = trusting(&root);
    let (certificate, signer) = leaf(&root, |_| {});
    assert!(outcome(&trusted, &token(&[&certificate], &signer), &terms()).starts_with("18+"));

    let between =
        CertifiedIssuer::signed_by(params("between", authority(0)), KeyPair::generate().unwrap(), &root)
            .unwrap();
    let (below, signer) = leaf(&between, |_| {});
    assert!(outcome(&trusted, &token(&[&below, between.der()], &signer), &terms()).starts_with("18+"));
    let missing = outcome(&trusted, &token(&[&below], &signer), &terms());
    assert_eq!(
        missing,
        "UNABLE_TO_VERIFY_SIGNATURE: the proof's certificates lead to none of the issuer's roots"
    );

    // A certificate that names hosts or addresses speaks for those alone.
    for (name, ours) in [("issuer.example", true), ("other.example", false)] {
        let (certificate, signer) = leaf(&root, |params| {
            params.subject_alt_names = vec![SanType::DnsName(name.try_into().unwrap())];
        });
        let outcome = outcome(&trusted, &token(&[&certificate], &signer), &terms());
        assert_eq!(outcome.starts_with("18+"), ours, "{outcome}");
        assert_eq!(outcome.contains("is for another party"), !ours);
    }
}

#[test]
fn an_sd_jwt_vc_may_leave_its_issuer_to_its_certificate() {
    let root = root("root");
    let mut entry =
        json!({ "id": ISSUER, "provider": "EXAMPLE", "formats": ["sd-jwt-vc"], "roots": [root.pem()] });
    entry["unbound"] = json!(true);
    let trusted = list(&[entry]);
    let (certificate, signer) = leaf(&root, |_| {});
    let code = |certificate: &[u8], signer: &Signer| {
        let header = json!({ "alg": "ES256", "typ": "dc+sd-jwt", "x5c": [base64_simd::STANDARD.encode_to_string(certificate)] });
        format!("{}~", signer.jws(&header, &json!({ "exp": NOW + 60, "vct": "x", "age_over_18": true })))
    };
    assert!(outcome(&trusted, &code(&certificate, &signer), &terms()).starts_with("18+"));
    let (strange, signer) = leaf(&self::root("root"), |_| {});
    let outcome = outcome(&trusted, &code(&strange, &signer), &terms());
    assert!(outcome.starts_with("UN"), "{outcome}");
}

#[test]
fn every_broken_chain_is_refused_for_its_own_reason() {
    let root = root("root");
    let trusted = trusting(&root);
    let detail = |chain: &[&[u8]], signer: &Signer| {
        let failed = verify(&trusted, &token(chain, signer), &terms()).unwrap_err();
        assert_eq!(failed.reason.as_str(), "UNABLE_TO_VERIFY_SIGNATURE");
        failed.detail
    };

    let key = KeyPair::generate().unwrap();
    let own = params("signer", IsCa::NoCa).self_signed(&key).unwrap();
    let signer = Signer::of(IssuingKey::from_pkcs8_der(&key.serialize_der()).unwrap());
    assert!(detail(&[own.der()], &signer).contains("none of the issuer's roots"), "self-signed");

    let stranger = self::root("stranger");
    let (certificate, signer) = leaf(&stranger, |_| {});
    assert!(
        detail(&[&certificate, stranger.der()], &signer).contains("none of the issuer's roots"),
        "its own root along"
    );

    let namesake = self::root("root");
    let (certificate, signer) = leaf(&namesake, |_| {});
    let said = detail(&[&certificate], &signer);
    assert!(said.contains("wrong signature") || said.contains("none of the issuer's roots"), "{said}");

    let (certificate, signer) = leaf(&root, |params| params.not_after = date_time_ymd(2026, 2, 1));
    assert!(detail(&[&certificate], &signer).contains("has expired"));
    let (certificate, signer) = leaf(&root, |params| params.not_before = date_time_ymd(2026, 12, 1));
    assert!(detail(&[&certificate], &signer).contains("not valid yet"));
    let (certificate, signer) = leaf(&root, |params| params.is_ca = authority(0));
    assert!(detail(&[&certificate], &signer).contains("certificate of an authority"));
    let (certificate, _) = leaf(&root, |_| {});
    assert!(
        detail(&[&certificate], &Signer::new(1)).contains("no listed key"),
        "another key than the certificate's"
    );
    assert!(detail(&[b"\x30\x03\x02\x01\x01"], &Signer::new(1)).contains("not an X.509"));
    assert!(detail(&[b""], &Signer::new(1)).contains("not an X.509"));

    let mut expired = params("between", authority(0));
    expired.not_after = date_time_ymd(2026, 2, 1);
    let between = CertifiedIssuer::signed_by(expired, KeyPair::generate().unwrap(), &root).unwrap();
    let (below, signer) = leaf(&between, |_| {});
    assert!(detail(&[&below, between.der()], &signer).contains("has expired"), "expired in the middle");

    let between =
        CertifiedIssuer::signed_by(params("no authority", IsCa::NoCa), KeyPair::generate().unwrap(), &root)
            .unwrap();
    let (below, signer) = leaf(&between, |_| {});
    assert!(detail(&[&below, between.der()], &signer).contains("one that is not an authority"));

    let first =
        CertifiedIssuer::signed_by(params("first", authority(0)), KeyPair::generate().unwrap(), &root)
            .unwrap();
    let second =
        CertifiedIssuer::signed_by(params("second", authority(0)), KeyPair::generate().unwrap(), &first)
            .unwrap();
    let (below, signer) = leaf(&second, |_| {});
    assert!(
        detail(&[&below, second.der(), first.der()], &signer)
            .contains("longer than one of its certificates allows")
    );
}

#[test]
fn a_root_holds_no_longer_than_itself() {
    let mut old = params("root", authority(1));
    old.not_after = date_time_ymd(2026, 2, 1);
    let old = CertifiedIssuer::self_signed(old, KeyPair::generate().unwrap()).unwrap();
    let (certificate, signer) = leaf(&old, |_| {});
    let outcome = outcome(&trusting(&old), &token(&[&certificate], &signer), &terms());
    assert!(outcome.contains("none of the issuer's roots"), "{outcome}");
}

/// A list of an authority that revokes these serial numbers, good until a day of 2026.
fn crl(authority: &Issuer<'_, KeyPair>, serials: &[u64], (month, day): (u8, u8)) -> String {
    let revoked = |serial: &u64| RevokedCertParams {
        serial_number: SerialNumber::from(*serial),
        revocation_time: date_time_ymd(2026, 1, 2),
        reason_code: None,
        invalidity_date: None,
    };
    let list = CertificateRevocationListParams {
        this_update: date_time_ymd(2026, 1, 2),
        next_update: date_time_ymd(2026, month, day),
        crl_number: SerialNumber::from(1_u64),
        issuing_distribution_point: None,
        revoked_certs: serials.iter().map(revoked).collect(),
        key_identifier_method: KeyIdMethod::Sha256,
    };
    list.signed_by(authority).unwrap().pem().unwrap()
}

#[test]
fn a_certificate_that_its_authority_revoked_signs_nothing() {
    let root = root("root");
    let mut authority_params = params("between", authority(0));
    authority_params.serial_number = Some(SerialNumber::from(7_u64));
    let between = CertifiedIssuer::signed_by(authority_params, KeyPair::generate().unwrap(), &root).unwrap();
    let numbered = |under: &Issuer<'_, KeyPair>, serial: u64| {
        leaf(under, |params| params.serial_number = Some(SerialNumber::from(serial)))
    };
    let (certificate, signer) = numbered(&root, 5);
    let (below, signer_below) = numbered(&between, 5);
    let said = |crls: &[String], terms_of_entry: &str| {
        let entry = json!({
            "id": ISSUER, "provider": "EXAMPLE", "formats": ["jwt"], "roots": [root.pem()], "crls": crls,
            "status_unavailable": terms_of_entry,
        });
        let trusted = list(&[entry]);
        [
            outcome(&trusted, &token(&[&certificate], &signer), &terms()),
            outcome(&trusted, &token(&[&below, between.der()], &signer_below), &terms()),
        ]
    };
    let passes = |crls: &[String], unavailable: &str| {
        said(crls, unavailable).map(|outcome| outcome.starts_with("18+"))
    };
    let late = (12, 31);
    assert_eq!(passes(&[], "refuse"), [true, true], "without lists nothing is looked up");
    let clean = [crl(&root, &[6], late), crl(&between, &[6], late)];
    assert_eq!(passes(&clean, "refuse"), [true, true]);
    let [direct, indirect] = said(&[crl(&root, &[5], late), crl(&between, &[5], late)], "refuse");
    for outcome in [direct, indirect] {
        assert!(outcome.contains("holds a certificate that was revoked"), "{outcome}");
    }
    // The same number under another authority is another certificate; a revoked authority ends all below it.
    assert_eq!(passes(&[crl(&root, &[6], late), crl(&between, &[5], late)], "refuse"), [true, false]);
    assert_eq!(passes(&[crl(&root, &[7], late), crl(&between, &[6], late)], "refuse"), [true, false]);

    // No list, or one whose time is over, is as a status list that is unavailable.
    let [_, indirect] = said(&[crl(&root, &[6], late)], "refuse");
    assert!(indirect.contains("no revocation list speaks for"), "{indirect}");
    assert_eq!(passes(&[crl(&root, &[6], late)], "accept"), [true, true]);
    let [direct, _] = said(&[crl(&root, &[6], (1, 3))], "refuse");
    assert!(direct.contains("revocation list whose time is over"), "{direct}");
    assert_eq!(passes(&[crl(&root, &[6], (1, 3))], "accept"), [true, true]);
    assert_eq!(passes(&[crl(&root, &[5], (1, 3))], "accept"), [false, true], "what is revoked stays revoked");

    // Somebody else's list under the authority's name.
    let namesake = self::root("root");
    let [direct, _] = said(&[crl(&namesake, &[6], late)], "accept");
    assert!(direct.contains("revocation list that its authority did not sign"), "{direct}");
}

#[test]
fn a_revocation_list_that_cannot_be_read_is_an_error_of_the_trust_list() {
    let root = root("root");
    let refused = |crl: &str, roots: &[String]| {
        let entry = json!({
            "id": ISSUER, "provider": "EXAMPLE", "formats": ["jwt"], "roots": roots, "crls": [crl],
            "keys": [{ "kty": "OKP", "crv": "Ed25519", "kid": "k", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo" }],
        });
        let text = json!({ "issuers": [entry] }).to_string();
        TrustList::parse(text.as_bytes()).unwrap_err().to_string()
    };
    let [good, roots] = [crl(&root, &[], (12, 31)), root.pem()];
    assert!(refused(&root.pem(), std::slice::from_ref(&roots)).contains("crls[0]: is not a complete CRL"));
    assert!(refused("AAAA", &[roots]).contains("crls[0]: is not a complete CRL"));
    assert!(refused(&good, &[]).contains("crls: are listed, but no roots"));
}

/// The certificate and key of a signer of mobile documents.
pub(crate) fn mdoc_signer(under: &Issuer<'_, KeyPair>, usage: Option<&[u64]>) -> (Vec<u8>, Signer) {
    leaf(under, |params| {
        params.extended_key_usages =
            usage.map(|oid| ExtendedKeyUsagePurpose::Other(oid.to_vec())).into_iter().collect();
    })
}
