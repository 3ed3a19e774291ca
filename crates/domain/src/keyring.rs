//! The keys for each purpose, derived from the installation's data key.

use aws_lc_rs::hkdf::{HKDF_SHA256, KeyType, Salt};
use base::Secret;
use std::path::Path;
use zeroize::Zeroize as _;

/// How many bytes a data key and a master key have.
pub const KEY_BYTES: usize = 32;

/// Derives a key for each purpose (HKDF-SHA256, RFC 5869) from the data key: 32 bytes that the database has only wrapped
/// under the master key ([`crate::data_keys`]), so that a stolen database alone reveals nothing.
#[derive(Clone, Debug)]
pub struct Keyring(Secret<[u8; KEY_BYTES]>);

struct OkmLength;
impl KeyType for OkmLength {
    fn len(&self) -> usize {
        KEY_BYTES
    }
}

impl Keyring {
    /// The keys that are derived from this one.
    pub fn new(data_key: Secret<[u8; KEY_BYTES]>) -> Self {
        Self(data_key)
    }

    /// Parses 64 hexadecimal digits.
    pub fn parse(text: &str) -> Option<Self> {
        parse_key(text.as_bytes()).map(Self)
    }

    /// The key for a purpose. The same purpose always gives the same key.
    pub fn derive(&self, purpose: &'static str) -> Secret<[u8; KEY_BYTES]> {
        let mut key = [0; KEY_BYTES];
        Salt::new(HKDF_SHA256, b"assay/1")
            .extract(self.0.expose())
            .expand(&[purpose.as_bytes()], OkmLength)
            .and_then(|okm| okm.fill(&mut key))
            .expect("32 bytes are far below HKDF's limit of 8160");
        take_secret(&mut key)
    }
}

/// Parses 64 hexadecimal digits, with blanks or a line end around them.
pub(crate) fn parse_key(text: &[u8]) -> Option<Secret<[u8; KEY_BYTES]>> {
    let mut key = [0; KEY_BYTES];
    let parsed = hex::decode_to_slice(text.trim_ascii(), &mut key);
    let secret = take_secret(&mut key);
    parsed.ok().map(|()| secret)
}

/// Moves key bytes into a secret, and overwrites the place where they were.
pub(crate) fn take_secret(key: &mut [u8; KEY_BYTES]) -> Secret<[u8; KEY_BYTES]> {
    let secret = Secret::new(*key);
    key.zeroize();
    secret
}

/// Creates a file that only its owner can read. Fails if the file exists.
pub fn create_private_file(path: &Path) -> std::io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_purpose_has_its_own_constant_key() {
        let ring = Keyring::parse(&"ab".repeat(32)).unwrap();
        assert_eq!(ring.derive("a"), ring.derive("a"));
        assert_ne!(ring.derive("a"), ring.derive("b"));
        assert!(Keyring::parse("short").is_none());
    }
}
