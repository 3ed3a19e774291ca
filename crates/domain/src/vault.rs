//! Sealing: how small secrets and personal data are encrypted in rows, so that a stolen database reveals nothing.

use crate::keyring::Keyring;
use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, LessSafeKey, Nonce, UnboundKey},
    hkdf::{HKDF_SHA256, Salt},
    hmac,
};
use base::{Environment, Secret};

const SALT_BYTES: usize = 16;

/// Seals and opens bytes. Cheap to clone.
///
/// A sealed value is 16 bytes of salt and the AES-256-GCM ciphertext with its tag. Each value has a key of its own
/// (HKDF-SHA256, RFC 5869, of the vault's key with the salt), so a constant nonce suffices, and the number of values is
/// not limited. The AAD names the row that a value belongs to, so it does not open if it is moved to another row.
#[derive(Clone, Debug)]
pub struct Vault(Secret<[u8; 32]>);

/// A sealed value was damaged, moved, or sealed under another master key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a sealed value does not open: it was damaged or moved, or the master key is another one")]
pub struct UnsealError;

impl Vault {
    /// The server's vault, with a key derived from the master key.
    pub fn new(keyring: &Keyring) -> Self {
        Self(keyring.derive("sealed values in rows"))
    }

    /// A vault with a key of its own: once that is deleted, everything sealed with it is lost.
    pub fn with_key(key: Secret<[u8; 32]>) -> Self {
        Self(key)
    }

    /// Seals a value; `aad` names the row that it belongs to.
    ///
    /// # Panics
    /// Never: values are far below GCM's limit of 64 GiB.
    pub fn seal(&self, env: &dyn Environment, aad: &[u8], plain: &[u8]) -> Vec<u8> {
        let mut salt = [0; SALT_BYTES];
        env.fill_random(&mut salt);
        let mut sealed = Vec::with_capacity(SALT_BYTES + plain.len() + AES_256_GCM.tag_len());
        sealed.extend_from_slice(&salt);
        sealed.extend_from_slice(plain);
        let tag = self
            .derive_key(&salt)
            .seal_in_place_separate_tag(nonce(), Aad::from(aad), &mut sealed[SALT_BYTES..])
            .expect("a value is far below GCM's limit");
        sealed.extend_from_slice(tag.as_ref());
        sealed
    }

    /// A hash by which a value can be found whose row is sealed (HMAC-SHA-256). Nobody can compute it without the key; those
    /// of two contexts have nothing in common.
    pub(crate) fn keyed_hash(&self, context: &[u8], value: &[u8]) -> [u8; 32] {
        let key = hmac::Key::new(hmac::HMAC_SHA256, self.0.expose());
        let key = hmac::sign(&key, &[b"lookup: ", context].concat());
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key.as_ref()), value);
        tag.as_ref().try_into().expect("HMAC-SHA-256 has 32 bytes")
    }

    /// Opens a value that was sealed with the same `aad`.
    pub fn open(&self, aad: &[u8], sealed: &[u8]) -> Result<Vec<u8>, UnsealError> {
        let (salt, rest) = sealed.split_at_checked(SALT_BYTES).ok_or(UnsealError)?;
        let mut rest = rest.to_vec();
        let length = self
            .derive_key(salt)
            .open_in_place(nonce(), Aad::from(aad), &mut rest)
            .map_err(|_| UnsealError)?
            .len();
        rest.truncate(length);
        Ok(rest)
    }

    fn derive_key(&self, salt: &[u8]) -> LessSafeKey {
        let derived = Salt::new(HKDF_SHA256, salt)
            .extract(self.0.expose())
            .expand(&[b"assay/row/1"], &AES_256_GCM)
            .map(UnboundKey::from)
            .expect("32 bytes are far below HKDF's limit of 8160");
        LessSafeKey::new(derived)
    }
}

/// No key is used twice, so the nonce can be constant.
fn nonce() -> Nonce {
    Nonce::assume_unique_for_key([0; 12])
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::TestEnvironment;

    #[test]
    fn a_value_opens_with_its_own_aad_and_no_other() {
        let vault = Vault::new(&Keyring::parse(&"01".repeat(32)).unwrap());
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let sealed = vault.seal(&env, b"row 1", b"secret");
        assert_eq!(vault.open(b"row 1", &sealed).unwrap(), b"secret");
        assert_ne!(sealed, vault.seal(&env, b"row 1", b"secret"), "each time with another salt");
        assert_eq!(vault.open(b"row 2", &sealed), Err(UnsealError));
        for at in 0..sealed.len() {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            assert_eq!(vault.open(b"row 1", &damaged), Err(UnsealError), "byte {at}");
        }
        for cut in 0..sealed.len() {
            assert_eq!(vault.open(b"row 1", &sealed[..cut]), Err(UnsealError));
        }
        let other = Vault::new(&Keyring::parse(&"02".repeat(32)).unwrap());
        assert_eq!(other.open(b"row 1", &sealed), Err(UnsealError));
    }
}
