//! SHA-2 digests, and the key under which a used proof is remembered.

use aws_lc_rs::digest::{self, Algorithm, Context};

/// SHA-256 over the concatenated parts.
pub(crate) fn sha256(parts: &[&[u8]]) -> [u8; 32] {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(&digest_with(&digest::SHA256, parts));
    bytes
}

/// A digest over the concatenated parts.
pub(crate) fn digest_with(algorithm: &'static Algorithm, parts: &[&[u8]]) -> Vec<u8> {
    let mut context = Context::new(algorithm);
    for part in parts {
        context.update(part);
    }
    context.finish().as_ref().to_vec()
}

/// The key under which a proof is remembered as used. It covers the issuer and the proof's id or signed bytes.
///
/// It never covers a signature: anybody can turn an ECDSA signature into another valid one of the same message, and the
/// changed token must still count as the same.
pub(crate) fn replay_key(issuer: &str, kind: ReplayKeySource, name: &[u8]) -> [u8; 32] {
    let kind = match kind {
        ReplayKeySource::Id => b"id".as_slice(),
        ReplayKeySource::Message => b"message",
    };
    let (issuer, lengths) =
        (issuer.as_bytes(), [issuer.len() as u64, kind.len() as u64].map(u64::to_be_bytes));
    sha256(&[&lengths[0], issuer, &lengths[1], kind, name])
}

/// What a replay key is made from.
#[derive(Clone, Copy)]
pub(crate) enum ReplayKeySource {
    /// The token's own id: `jti` or `cti`.
    Id,
    /// The bytes that were signed.
    Message,
}
