//! Digests, in the two shapes that are used here.

use aws_lc_rs::digest::{self, Algorithm, Context};

/// SHA-256 over the parts, one after another.
pub(crate) fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(&digest_with(&digest::SHA256, parts));
    bytes
}

/// A digest over the parts, one after another.
pub(crate) fn digest_with(algorithm: &'static Algorithm, parts: &[&[u8]]) -> Vec<u8> {
    let mut context = Context::new(algorithm);
    for part in parts {
        context.update(part);
    }
    context.finish().as_ref().to_vec()
}

/// The key under which a proof is remembered as used: what was used, and whose it was.
///
/// It never covers a signature: an ECDSA signature can be turned into another one of the same message by anybody, and
/// the changed token must still count as the same.
pub(crate) fn replay_key(issuer: &str, kind: ReplayKeySource, name: &[u8]) -> [u8; 32] {
    let kind = match kind {
        ReplayKeySource::Id => b"id".as_slice(),
        ReplayKeySource::Message => b"message",
    };
    let (issuer, lengths) =
        (issuer.as_bytes(), [issuer.len() as u64, kind.len() as u64].map(u64::to_be_bytes));
    sha256(&[&lengths[0], issuer, &lengths[1], kind, name])
}

/// What a use key is made of.
#[derive(Clone, Copy)]
pub(crate) enum ReplayKeySource {
    /// The issuer's own id of the token: `jti` or `cti`.
    Id,
    /// The bytes that were signed.
    Message,
}
