//! The keys that applications sign with: RSA for requests, RSA or P-256 for client assertions.

use super::{TenancyError, applications, ensure_found};
use aws_lc_rs::{
    encoding::{AsDer as _, PublicKeyX509Der},
    rsa::{KeyPair, KeySize},
    signature::{ECDSA_P256_SHA256_FIXED, KeyPair as _, ParsedPublicKey, RSA_PKCS1_2048_8192_SHA256},
};
use base::{AppId, Environment, Id as _, PublicKeyId, Secret, Timestamp};
use db::{AuditEvent, FromRow, ReadTx, WriteTx, sql};

/// Public keys that an application may have at the same time; earlier builds took any number. Every one of them is tried, so none
/// is left out.
pub const MAX_PUBLIC_KEYS: usize = 20;

/// A public key of an application as operators see it; the key itself is not read back.
#[derive(Clone, Debug, FromRow, serde::Serialize)]
pub struct ApplicationPublicKey {
    pub id: PublicKeyId,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub created_at: Timestamp,
    pub revoked: bool,
}

/// Why a public key is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidPublicKeyError {
    /// Neither PEM nor DER of a public key.
    #[error("it is neither PEM nor DER of a public key (SubjectPublicKeyInfo or PKCS#1)")]
    Encoding,
    /// A public key, but neither RSA of 2048 to 8192 bits nor P-256.
    #[error("it is neither an RSA key of 2048 to 8192 bits nor a P-256 key")]
    Algorithm,
}

/// The kind of a public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublicKeyAlgorithm {
    /// RSA of 2048 to 8192 bits.
    Rsa,
    /// P-256: for client assertions only; requests are signed with RSA.
    P256,
}

/// The kind of a public key in DER.
pub fn public_key_algorithm(der: &[u8]) -> Result<PublicKeyAlgorithm, InvalidPublicKeyError> {
    match parse_rsa_key(der) {
        Ok(_) => Ok(PublicKeyAlgorithm::Rsa),
        Err(InvalidPublicKeyError::Algorithm)
            if ParsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, der).is_ok() =>
        {
            Ok(PublicKeyAlgorithm::P256)
        }
        Err(other) => Err(other),
    }
}

/// Parses an RSA public key in DER, the kind that requests are signed with.
pub fn parse_rsa_key(der: &[u8]) -> Result<ParsedPublicKey, InvalidPublicKeyError> {
    if let Ok(key) = ParsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, der) {
        return Ok(key);
    }
    // A well-formed DER SEQUENCE is taken for a key of another kind, anything else is not DER.
    Err(if is_der_sequence(der) { InvalidPublicKeyError::Algorithm } else { InvalidPublicKeyError::Encoding })
}

/// Bytes of an RSA key's modulus, and so of its signatures; `None` if they are not known.
pub(super) fn modulus_bytes(der: &[u8]) -> Option<usize> {
    use rsa::{pkcs1::DecodeRsaPublicKey as _, pkcs8::DecodePublicKey as _, traits::PublicKeyParts as _};
    let key = rsa::RsaPublicKey::from_public_key_der(der).ok();
    key.or_else(|| rsa::RsaPublicKey::from_pkcs1_der(der).ok()).map(|key| key.size())
}

/// Whether the bytes are exactly one DER SEQUENCE whose first member is a SEQUENCE or an INTEGER, as in
/// `SubjectPublicKeyInfo` (RFC 5280) and `RSAPublicKey` (RFC 8017).
fn is_der_sequence(der: &[u8]) -> bool {
    let (Some(0x30), Some(&length)) = (der.first().copied(), der.get(1)) else {
        return false;
    };
    let (header, body) = match length {
        0..=0x7f => (2, usize::from(length)),
        0x81..=0x83 => {
            let digits = usize::from(length & 0x7f);
            let Some(bytes) = der.get(2..2 + digits) else { return false };
            (2 + digits, bytes.iter().fold(0, |sum, &byte| sum << 8 | usize::from(byte)))
        }
        _ => return false,
    };
    der.len() == header + body && matches!(der.get(header), Some(0x30 | 0x02))
}

/// The DER of a public key in a PEM or DER file.
pub fn decode_key_file(file: &[u8]) -> Result<Vec<u8>, InvalidPublicKeyError> {
    let der = match pem::parse(file) {
        Ok(pem) => pem.into_contents(),
        Err(_) => file.to_vec(),
    };
    public_key_algorithm(&der)?;
    Ok(der)
}

/// Adds a key, with immediate effect, beside the existing ones: [`MAX_PUBLIC_KEYS`] at most, without those that were revoked.
pub async fn add(
    tx: &mut WriteTx,
    env: &dyn Environment,
    app: AppId,
    der: Vec<u8>,
) -> Result<PublicKeyId, TenancyError> {
    public_key_algorithm(&der)?;
    applications::ensure_exists(tx, app).await?;
    applications::lock(tx, app).await?;
    let in_use = tx
        .count(sql!("SELECT count(*) FROM public_keys WHERE app_id = $1 AND revoked_at IS NULL", app))
        .await?;
    if in_use as usize >= MAX_PUBLIC_KEYS {
        return Err(TenancyError::TooManyPublicKeys(in_use));
    }
    let id = PublicKeyId::new(env);
    tx.execute(sql!(
        "INSERT INTO public_keys (id, app_id, der, created_at) VALUES ($1, $2, $3, $4)",
        id,
        app,
        der,
        env.now(),
    ))
    .await?;
    tx.audit(AuditEvent::new("public-key.add").app(app).target(id));
    Ok(id)
}

/// The keys of an application, newest first.
pub async fn list(view: &mut ReadTx, app: AppId) -> Result<Vec<ApplicationPublicKey>, TenancyError> {
    Ok(view
        .fetch_all(sql!(
            "SELECT id, created_at, revoked_at IS NOT NULL AS revoked FROM public_keys
              WHERE app_id = $1 ORDER BY created_at DESC, id DESC",
            app,
        ))
        .await?)
}

/// Revokes a key, with immediate effect. All tokens that the application got for assertions stop working too: which key an
/// assertion was signed with is not stored, and whoever has another key gets another token.
pub async fn revoke(
    tx: &mut WriteTx,
    env: &dyn Environment,
    app: AppId,
    key: PublicKeyId,
) -> Result<(), TenancyError> {
    // A token that is being issued right now is deleted as well, so its transaction is waited for.
    applications::lock(tx, app).await?;
    let rows = tx
        .execute(sql!(
            "UPDATE public_keys SET revoked_at = $3 WHERE app_id = $1 AND id = $2 AND revoked_at IS NULL",
            app,
            key,
            env.now(),
        ))
        .await?;
    ensure_found(rows, format_args!("public key {key} in use by application {app}"))?;
    // Those that an operator made have a name.
    tx.execute(sql!("DELETE FROM access_tokens WHERE app_id = $1 AND name IS NULL", app)).await?;
    tx.audit(AuditEvent::new("public-key.revoke").app(app).target(key));
    Ok(())
}

crate::wire_enum::wire_enum! {
    /// The form of a private key in PEM. This server reads both.
    pub enum PrivateKeyFormat {
        /// `BEGIN RSA PRIVATE KEY`, which every client library reads.
        Pkcs1 => "pkcs1",
        /// `BEGIN PRIVATE KEY`.
        Pkcs8 => "pkcs8",
    }
}

/// Generates an RSA 2048 key pair: the private key as PEM, the public key as DER (`SubjectPublicKeyInfo`).
///
/// # Panics
/// If the operating system has no randomness.
pub fn generate_rsa_key_pair(format: PrivateKeyFormat) -> (Secret<String>, Vec<u8>) {
    let pair = KeyPair::generate(KeySize::Rsa2048).expect("the operating system has randomness");
    let private = aws_lc_rs::encoding::AsDer::<aws_lc_rs::encoding::Pkcs8V1Der<'_>>::as_der(&pair)
        .expect("a new key can be encoded");
    let public: PublicKeyX509Der<'_> = pair.public_key().as_der().expect("a new key can be encoded");
    let pem = match format {
        PrivateKeyFormat::Pkcs8 => pem::Pem::new("PRIVATE KEY", private.as_ref()),
        PrivateKeyFormat::Pkcs1 => {
            let key =
                rsa::pkcs8::PrivateKeyInfo::try_from(private.as_ref()).expect("it was encoded just now");
            pem::Pem::new("RSA PRIVATE KEY", key.private_key)
        }
    };
    (Secret::new(pem::encode(&pem)), public.as_ref().to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tenancy::signed_request::HttpRequestSigner;

    #[test]
    fn a_private_key_has_the_form_that_was_asked_for_and_signs() {
        for (format, tag) in
            [(PrivateKeyFormat::Pkcs1, "RSA PRIVATE KEY"), (PrivateKeyFormat::Pkcs8, "PRIVATE KEY")]
        {
            let (private, public) = generate_rsa_key_pair(format);
            let document = pem::parse(private.expose()).unwrap();
            assert_eq!(document.tag(), tag);
            let signature = HttpRequestSigner::from_pem(private.expose()).unwrap().sign_bytes(b"a message");
            let key = ParsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, &public).unwrap();
            key.verify_sig(b"a message", &signature).unwrap();
            assert_eq!(decode_key_file(&public).unwrap(), public);
        }
    }
}
