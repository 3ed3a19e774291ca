//! Signed request objects (RFC 9101): how a verifier that is known to wallets by its host asks for a presentation.

use crate::certificate_chain::{self, HostCertificateError};
use crate::digest::sha256;
use crate::issue::IssuingKey;
use base::Timestamp;
use serde_json::{Value, json};

/// Certificates of a verifier's chain.
const MAX_SIGNER_CERTIFICATES: usize = 5;

/// Why requests cannot be signed with a key and its certificates. The messages follow the name of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RequestObjectSignerError {
    /// The key is not a P-256 key in PEM.
    #[error("is not a P-256 private key, PKCS#8 in PEM")]
    Key,
    /// The certificates cannot be read.
    #[error("holds no certificates in PEM, or more than {MAX_SIGNER_CERTIFICATES}")]
    Chain,
    /// The first certificate is for another host.
    #[error("begins with a certificate that does not name the host of the server's public address")]
    Host,
    /// The first certificate is expired or not valid yet.
    #[error("begins with a certificate that is not valid now")]
    Time,
    /// The first certificate is for another key.
    #[error("begins with a certificate for another key")]
    OtherKey,
}

impl From<HostCertificateError> for RequestObjectSignerError {
    fn from(error: HostCertificateError) -> Self {
        match error {
            HostCertificateError::Malformed => Self::Chain,
            HostCertificateError::OtherHost => Self::Host,
            HostCertificateError::NotValidNow => Self::Time,
        }
    }
}

/// Signs request objects in the name of a host (client id prefix `x509_san_dns`) or of its certificate (`x509_hash`).
#[derive(Debug)]
pub struct RequestObjectSigner {
    key: IssuingKey,
    /// Base64 of DER, the signer's own certificate first.
    chain: Vec<String>,
    certificate_hash: String,
    until: Timestamp,
}

impl RequestObjectSigner {
    /// Reads a key and its certificate chain, both PEM: the signer's own certificate first, up to but without a root
    /// that wallets know. The first certificate must be valid now and name `host` literally; a wildcard does not count.
    pub fn open(
        chain_pem: &str,
        key_pem: &str,
        host: &str,
        now: Timestamp,
    ) -> Result<Self, RequestObjectSignerError> {
        let key = IssuingKey::from_pkcs8_pem(key_pem).map_err(|_| RequestObjectSignerError::Key)?;
        let chain = pem::parse_many(chain_pem).map_err(|_| RequestObjectSignerError::Chain)?;
        let is_certificate = |one: &pem::Pem| one.tag() == "CERTIFICATE";
        if !(1..=MAX_SIGNER_CERTIFICATES).contains(&chain.len()) || !chain.iter().all(is_certificate) {
            return Err(RequestObjectSignerError::Chain);
        }
        let (spki, until) = certificate_chain::host_certificate_key(chain[0].contents(), host, now)?;
        // A `SubjectPublicKeyInfo` of P-256 ends with the point.
        if !spki.ends_with(key.public_key()) {
            return Err(RequestObjectSignerError::OtherKey);
        }
        let certificate_hash = base64_simd::URL_SAFE_NO_PAD.encode_to_string(sha256(&[chain[0].contents()]));
        let chain = chain.iter().map(|one| base64_simd::STANDARD.encode_to_string(one.contents()));
        Ok(Self { key, chain: chain.collect(), certificate_hash, until })
    }

    /// SHA-256 of the signer's certificate in base64url, as the client id prefix `x509_hash` has it.
    pub fn certificate_hash(&self) -> &str {
        &self.certificate_hash
    }

    /// Until when the signer's certificate is valid.
    pub fn until(&self) -> Timestamp {
        self.until
    }

    /// A request object with these members, as a compact JWS.
    pub fn sign(&self, members: &Value) -> String {
        let header = json!({ "alg": "ES256", "typ": "oauth-authz-req+jwt", "x5c": self.chain });
        self.key.sign_jws(&header, members)
    }
}
