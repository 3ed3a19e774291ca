//! Certificate chains (RFC 5280): a key that came with a token is trusted only if a listed root certifies it.

use crate::https_host;
use crate::keys::VerificationKey;
use base::Timestamp;
use rustls_pki_types::{CertificateDer, TrustAnchor, UnixTime};
use std::sync::Arc;
use std::time::Duration;
use webpki::{
    CertRevocationList, EndEntityCert, Error, ExpirationPolicy, ExtendedKeyUsageValidator, KeyPurposeIdIter,
    KeyUsage, OwnedCertRevocationList, RevocationCheckDepth, RevocationOptionsBuilder, UnknownStatusPolicy,
};

/// id-mdl-kp-mdlDS, 1.0.18013.5.1.2: the certificate signs mobile documents.
const MDOC_SIGNER_EKU: &[u8] = &[0x28, 0x81, 0x8c, 0x5d, 0x05, 0x01, 0x02];

/// A root certificate on the trust list.
#[derive(Clone, Debug)]
pub(crate) struct RootCertificate {
    anchor: TrustAnchor<'static>,
    not_before: Timestamp,
    not_after: Timestamp,
}

impl RootCertificate {
    /// Parses a DER certificate. Being listed makes it a root, but only within its own validity.
    pub(crate) fn parse(der: &[u8]) -> Option<Self> {
        let certificate = CertificateDer::from(der);
        let anchor = webpki::anchor_from_trusted_cert(&certificate).ok()?.to_owned();
        let (not_before, not_after) = validity(der)?;
        Some(Self { anchor, not_before, not_after })
    }

    /// From when and until when it is valid.
    pub(crate) fn validity(&self) -> (Timestamp, Timestamp) {
        (self.not_before, self.not_after)
    }
}

/// A certificate revocation list (RFC 5280) of an authority. Who signed it is checked when it is used.
#[derive(Clone, Debug)]
pub(crate) struct RevocationList(Arc<CertRevocationList<'static>>);

impl RevocationList {
    /// Parses DER. Delta lists and lists with critical extensions that are not known are refused.
    pub(crate) fn parse(der: &[u8]) -> Option<Self> {
        let list = OwnedCertRevocationList::from_der(der).ok()?;
        Some(Self(Arc::new(list.into())))
    }
}

/// Which certificates of a chain are revoked.
#[derive(Clone, Copy)]
pub(crate) struct Revocation<'a> {
    /// Empty: nothing is looked up.
    pub lists: &'a [RevocationList],
    /// Whether a certificate is accepted that no list speaks for, or only one whose time is over.
    pub accepts_unknown: bool,
}

/// What a chain is meant to certify.
#[derive(Clone, Copy)]
pub(crate) enum ChainPurpose<'a> {
    /// The signer of a mobile document: every certificate but the root must have that extended key usage.
    Mdoc,
    /// The signer of any other token of this issuer: if the certificate names hosts or addresses, the issuer must be
    /// one.
    TokenOf(&'a str),
    /// An app's key. The certificate names it otherwise than by a host.
    App,
}

/// Why a chain is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CertificateChainError {
    /// It leads to no listed root that is valid now.
    UnknownRoot,
    /// It leads to one, but fails a check; the text reads on from "the chain".
    Broken(&'static str),
}

/// The key of the first certificate, if the chain is valid at this moment.
pub(crate) fn verify_chain(
    chain: &[Vec<u8>],
    roots: &[RootCertificate],
    revocation: Revocation<'_>,
    purpose: ChainPurpose<'_>,
    now: Timestamp,
) -> Result<VerificationKey, CertificateChainError> {
    let broken = CertificateChainError::Broken;
    let (leaf, rest) = chain.split_first().ok_or(CertificateChainError::UnknownRoot)?;
    let leaf = CertificateDer::from(leaf.as_slice());
    let leaf = EndEntityCert::try_from(&leaf).map_err(|_| broken("is not an X.509 version 3 certificate"))?;
    let intermediates: Vec<_> = rest.iter().map(|one| CertificateDer::from(one.as_slice())).collect();
    let anchors: Vec<_> = roots
        .iter()
        .filter(|root| root.not_before <= now && now <= root.not_after)
        .map(|root| root.anchor.clone())
        .collect();
    let time = UnixTime::since_unix_epoch(Duration::from_secs(now.as_second().max(0) as u64));
    let algs = webpki::ALL_VERIFICATION_ALGS;
    let lists: Vec<&CertRevocationList<'_>> = revocation.lists.iter().map(|list| &*list.0).collect();
    let (unknown, expiration) = if revocation.accepts_unknown {
        (UnknownStatusPolicy::Allow, ExpirationPolicy::Ignore)
    } else {
        (UnknownStatusPolicy::Deny, ExpirationPolicy::Enforce)
    };
    // Without lists there are no options.
    let revoked = RevocationOptionsBuilder::new(&lists).ok().map(|options| {
        options
            .with_depth(RevocationCheckDepth::Chain)
            .with_status_policy(unknown)
            .with_expiration_policy(expiration)
            .build()
    });
    let verdict = match purpose {
        ChainPurpose::Mdoc => {
            let usage = KeyUsage::required(MDOC_SIGNER_EKU);
            leaf.verify_for_usage(algs, &anchors, &intermediates, time, usage, revoked, None).map(|_| ())
        }
        ChainPurpose::TokenOf(_) | ChainPurpose::App => leaf
            .verify_for_usage(algs, &anchors, &intermediates, time, AnyKeyUsage, revoked, None)
            .map(|_| ()),
    };
    verdict.map_err(|error| match error {
        Error::UnknownIssuer => CertificateChainError::UnknownRoot,
        Error::CertExpired { .. } => broken("holds a certificate that has expired"),
        Error::CertNotValidYet { .. } => broken("holds a certificate that is not valid yet"),
        Error::RequiredEkuNotFoundContext(_) => {
            broken("holds a certificate that may not sign mobile documents")
        }
        Error::CaUsedAsEndEntity => broken("signs with the certificate of an authority"),
        Error::EndEntityUsedAsCa => broken("has a certificate issued by one that is not an authority"),
        Error::PathLenConstraintViolated => broken("is longer than one of its certificates allows"),
        Error::CertRevoked => broken("holds a certificate that was revoked"),
        Error::UnknownRevocationStatus => broken("holds a certificate that no revocation list speaks for"),
        Error::CrlExpired { .. } => broken("is covered by a revocation list whose time is over"),
        Error::InvalidCrlSignatureForPublicKey | Error::IssuerNotCrlSigner => {
            broken("is covered by a revocation list that its authority did not sign")
        }
        Error::InvalidSignatureForPublicKey => broken("has a certificate with a wrong signature"),
        _ => broken("is not valid"),
    })?;
    if let ChainPurpose::TokenOf(issuer) = purpose
        && !names_issuer(&leaf, issuer)
    {
        return Err(broken("is for another party"));
    }
    VerificationKey::of_spki(leaf.subject_public_key_info().as_ref())
        .ok_or(broken("holds a key of a kind that is not accepted"))
}

/// Why a certificate cannot speak for a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HostCertificateError {
    /// Not a readable X.509 version 3 certificate.
    Malformed,
    /// It does not name the host.
    OtherHost,
    NotValidNow,
}

/// The `SubjectPublicKeyInfo` of a certificate that must be valid now and name `host` literally, which is how wallets
/// compare it; and until when the certificate is valid.
pub(crate) fn host_certificate_key(
    der: &[u8],
    host: &str,
    now: Timestamp,
) -> Result<(Vec<u8>, Timestamp), HostCertificateError> {
    let (from, until) = validity(der).ok_or(HostCertificateError::Malformed)?;
    let der = CertificateDer::from(der);
    let leaf = EndEntityCert::try_from(&der).map_err(|_| HostCertificateError::Malformed)?;
    if !leaf.valid_dns_names().any(|name| name.eq_ignore_ascii_case(host)) {
        return Err(HostCertificateError::OtherHost);
    }
    if now < from || until < now {
        return Err(HostCertificateError::NotValidNow);
    }
    Ok((leaf.subject_public_key_info().as_ref().to_vec(), until))
}

/// Whether a certificate speaks for an issuer. Public authorities certify anybody's host, so a certificate that names
/// hosts or addresses speaks for those alone; one that names none is an issuer's own, under its own root.
fn names_issuer(leaf: &EndEntityCert<'_>, issuer: &str) -> bool {
    let mut named = leaf.valid_dns_names().chain(leaf.valid_uri_names()).peekable();
    let host = https_host::https_host(issuer);
    named.peek().is_none()
        || named
            .any(|name| name == issuer || host.as_ref().is_some_and(|host| name.eq_ignore_ascii_case(host)))
}

struct AnyKeyUsage;

impl ExtendedKeyUsageValidator for AnyKeyUsage {
    fn validate(&self, mut uses: KeyPurposeIdIter<'_, '_>) -> Result<(), Error> {
        uses.try_for_each(|one| one.map(|_| ()))
    }
}

/// `notBefore` and `notAfter` of a certificate.
pub(crate) fn certificate_validity(der: &[u8]) -> Option<(Timestamp, Timestamp)> {
    validity(der)
}

/// The key of a certificate on P-256, as an uncompressed point.
pub(crate) fn certificate_point(der: &[u8]) -> Option<Vec<u8>> {
    /// The head of a `SubjectPublicKeyInfo` with such a point.
    const P256_HEAD: &[u8] = &[
        0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
        0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
    ];
    let der = CertificateDer::from(der);
    let leaf = EndEntityCert::try_from(&der).ok()?;
    let point = leaf.subject_public_key_info().as_ref().strip_prefix(P256_HEAD)?.to_vec();
    (point.len() == 65 && point[0] == 4).then_some(point)
}

/// The value of an extension of a certificate, by the DER of its object identifier without its head.
pub(crate) fn certificate_extension<'a>(der: &'a [u8], identifier: &[u8]) -> Option<&'a [u8]> {
    let (_, certificate, _) = read_der_element(der)?;
    let (_, mut fields, _) = read_der_element(certificate)?;
    // The extensions are the field with tag 3, which is the last.
    let extensions = loop {
        let (tag, content, rest) = read_der_element(fields)?;
        if tag == 0xa3 {
            break content;
        }
        fields = rest;
    };
    let (_, mut list, _) = read_der_element(extensions)?;
    loop {
        let (_, extension, rest) = read_der_element(list)?;
        let (_, name, mut value) = read_der_element(extension)?;
        if name == identifier {
            let (tag, content, after) = read_der_element(value)?;
            // Whether it is critical stands between name and value.
            value = if tag == 0x01 { read_der_element(after)?.1 } else { content };
            return Some(value);
        }
        list = rest;
    }
}

/// `notBefore` and `notAfter`. The library that verifies chains does not check the validity of roots, so it is read
/// here.
fn validity(der: &[u8]) -> Option<(Timestamp, Timestamp)> {
    let (_, certificate, _) = read_der_element(der)?;
    let (_, mut fields, _) = read_der_element(certificate)?;
    if fields.first() == Some(&0xa0) {
        (_, _, fields) = read_der_element(fields)?;
    }
    // Serial number, signature algorithm, issuer.
    for _ in 0..3 {
        (_, _, fields) = read_der_element(fields)?;
    }
    let (_, validity, _) = read_der_element(fields)?;
    let (tag, from, rest) = read_der_element(validity)?;
    let from = parse_der_time(tag, from)?;
    let (tag, until, _) = read_der_element(rest)?;
    Some((from, parse_der_time(tag, until)?))
}

/// One DER element: its tag, its content, and what follows it.
fn read_der_element(der: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (&[tag, first], rest) = der.split_first_chunk()?;
    let (length, rest) = if first < 0x80 {
        (usize::from(first), rest)
    } else {
        let (digits, rest) =
            rest.split_at_checked(usize::from(first & 0x7f)).filter(|(digits, _)| digits.len() <= 4)?;
        (digits.iter().fold(0, |length, digit| length << 8 | usize::from(*digit)), rest)
    };
    let (content, rest) = rest.split_at_checked(length)?;
    Some((tag, content, rest))
}

/// `UTCTime` (two digits of the year, from 1950) or `GeneralizedTime`, both to the second and in UTC.
fn parse_der_time(tag: u8, text: &[u8]) -> Option<Timestamp> {
    let text = std::str::from_utf8(text).ok()?;
    let text = match tag {
        0x17 => format!("{}{text}", if text.get(..2)? < "50" { "20" } else { "19" }),
        0x18 => text.to_owned(),
        _ => return None,
    };
    let part = |from: usize, to: usize| text.get(from..to);
    let (year, month, day) = (part(0, 4)?, part(4, 6)?, part(6, 8)?);
    let (hour, minute, second) = (part(8, 10)?, part(10, 12)?, part(12, 14)?);
    if part(14, text.len())? != "Z" {
        return None;
    }
    format!("{year}-{month}-{day}T{hour}:{minute}:{second}Z").parse().ok()
}
