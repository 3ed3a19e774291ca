//! Receipts for deleted accounts: what was deleted, how much, and when; signed, so that they can be shown to others.

use crate::{jwk::Jwk, keyring::Keyring};
use aws_lc_rs::{
    digest,
    signature::{Ed25519KeyPair, KeyPair as _},
};
use base::{AccountId, AppId, ReceiptId, Timestamp};
use db::{DbError, DbTimestamp, Engine, FromRow, ReadTx, sql};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::Arc};

/// What was deleted with an account. It contains no personal data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeletionReceipt {
    pub id: ReceiptId,
    /// The deleted account.
    pub account_id: AccountId,
    /// How many of each kind were deleted: rows by table, data outside the database by kind. Kinds of which there were none
    /// are left out.
    pub what: BTreeMap<String, i64>,
    /// When the deletion was requested. From then on the account answered as if it had never existed.
    pub requested_at: Timestamp,
    /// When the deletion was complete.
    pub completed_at: Timestamp,
    /// Who asked: `api key ID`, `member` or `operator`.
    pub by: String,
    /// What the deletion reached and what it could not. Receipts of older servers have none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<ReceiptScope>,
}

/// What a deletion reached when it was complete, and what it could not reach.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceiptScope {
    /// What is gone.
    pub covers: Vec<String>,
    /// Where copies may remain, and until when.
    pub excludes: Vec<String>,
}

impl ReceiptScope {
    /// The scope of a deletion on one engine.
    pub(super) fn of(engine: Engine) -> Self {
        let mut covers = vec![
            "the rows of the account in the database, and its messages that waited or were recorded for delivery",
            "the keys with which its faces, findings and texts about people were encrypted",
            "the pictures of its faces in the file store",
            "the index files of its faces on the machine that deleted it",
        ];
        let mut excludes = vec![
            "backups and snapshots of the database and the file store, and versions that a bucket keeps",
            "index files on other machines: each deletes its own within a minute, once it runs",
            "messages that were delivered to the application's own servers",
        ];
        match engine {
            Engine::Sqlite => covers.push("what the database's file and log still contained of these rows"),
            Engine::Postgres => {
                covers.push("what the file of the table of keys still contained of the keys");
                excludes.push(
                    "encrypted values in other files of the database until they are vacuumed and overwritten, \
                     and in its write-ahead log, its archive and its replicas: the keys are gone from the table, \
                     and from the log when its segments are recycled",
                );
            }
        }
        let owned = |texts: Vec<&str>| texts.into_iter().map(str::to_owned).collect();
        Self { covers: owned(covers), excludes: owned(excludes) }
    }
}

/// A receipt and its signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SignedReceipt {
    pub receipt: DeletionReceipt,
    /// The receipt as a JWS in compact form (RFC 7515, `EdDSA` by RFC 8037).
    pub jws: String,
    /// The public key that verifies the JWS.
    pub key: Jwk,
}

/// The deletion of an account, complete or not.
#[derive(Clone, Debug, FromRow)]
pub struct ReceiptSummary {
    pub id: ReceiptId,
    /// The application whose account it was.
    pub app_id: AppId,
    pub account_id: AccountId,
    /// [`DeletionReceipt::by`]
    pub requested_by: String,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub requested_at: Timestamp,
    /// `None`: it is not complete, and there is no receipt yet.
    pub completed_at: Option<DbTimestamp>,
}

/// Signs receipts and finds them; cheap to clone.
#[derive(Clone)]
pub struct ReceiptSigner(Arc<Ed25519KeyPair>);

impl std::fmt::Debug for ReceiptSigner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ReceiptSigner")
    }
}

impl ReceiptSigner {
    /// The signer of a server. Its key is derived from the master key, as is that of decision records.
    ///
    /// # Panics
    /// Never: any 32 bytes are an Ed25519 seed.
    pub fn new(keyring: &Keyring) -> Self {
        let seed = keyring.derive("signature of deletion receipts");
        Self(Arc::new(Ed25519KeyPair::from_seed_unchecked(seed.expose()).expect("any 32 bytes are a seed")))
    }

    /// The public key that verifies receipts, as a JWK (RFC 8037); its `kid` is its thumbprint (RFC 7638).
    pub fn public_key(&self) -> Jwk {
        Jwk {
            kty: "OKP".to_owned(),
            kid: self.kid(),
            usage: "sig".to_owned(),
            alg: "EdDSA".to_owned(),
            crv: Some("Ed25519".to_owned()),
            x: Some(base64url(self.0.public_key().as_ref())),
            y: None,
            n: None,
            e: None,
        }
    }

    /// The receipt of a deleted account; with `app`, only if the account was that application's.
    pub async fn find(
        &self,
        view: &mut ReadTx,
        app: Option<AppId>,
        account: AccountId,
    ) -> Result<Option<SignedReceipt>, DbError> {
        #[derive(FromRow)]
        struct ReceiptRow {
            jws: Option<String>,
        }
        let row: Option<ReceiptRow> = view
            .fetch_optional(sql!(
                "SELECT jws FROM deletion_receipts WHERE account_id = $2 AND (app_id = $1 OR $1 IS NULL)
                    AND completed_at IS NOT NULL",
                app,
                account,
            ))
            .await?;
        let jws = row.and_then(|row| row.jws);
        Ok(jws.and_then(|jws| {
            Some(SignedReceipt { receipt: decode_payload(&jws)?, jws, key: self.public_key() })
        }))
    }

    /// Up to `limit` receipts of the accounts of all applications, those asked for last first, behind `after`: the moment and
    /// id of the last one of a page.
    pub async fn list(
        &self,
        view: &mut ReadTx,
        after: Option<(Timestamp, ReceiptId)>,
        limit: i64,
    ) -> Result<Vec<ReceiptSummary>, DbError> {
        view.fetch_all(sql!(
            "SELECT id, app_id, account_id, requested_by, requested_at, completed_at FROM deletion_receipts
              WHERE (requested_at < $1 OR (requested_at = $1 AND id < $2) OR $1 IS NULL)
              ORDER BY requested_at DESC, id DESC LIMIT $3",
            after.map(|(requested_at, _)| requested_at),
            after.map(|(_, id)| id),
            limit,
        ))
        .await
    }

    pub(super) fn sign(&self, receipt: &DeletionReceipt) -> String {
        let header =
            serde_json::json!({ "alg": "EdDSA", "typ": "assay-deletion-receipt+jws", "kid": self.kid() });
        let receipt = serde_json::to_vec(receipt).expect("a receipt of our own is JSON");
        let signed = format!("{}.{}", base64url(header.to_string().as_bytes()), base64url(&receipt));
        let signature = base64url(self.0.sign(signed.as_bytes()).as_ref());
        format!("{signed}.{signature}")
    }

    fn kid(&self) -> String {
        let x = base64url(self.0.public_key().as_ref());
        let members = format!(r#"{{"crv":"Ed25519","kty":"OKP","x":"{x}"}}"#);
        base64url(digest::digest(&digest::SHA256, members.as_bytes()).as_ref())
    }
}

/// The receipt in a JWS of this server, whose signature is not verified.
fn decode_payload(jws: &str) -> Option<DeletionReceipt> {
    let payload = jws.split('.').nth(1)?;
    serde_json::from_slice(&base64_simd::URL_SAFE_NO_PAD.decode_to_vec(payload).ok()?).ok()
}

fn base64url(bytes: &[u8]) -> String {
    base64_simd::URL_SAFE_NO_PAD.encode_to_string(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};

    #[test]
    fn a_receipt_verifies_with_its_key_and_reads_as_it_was_written() {
        let receipts = ReceiptSigner::new(&Keyring::parse(&"01".repeat(32)).unwrap());
        let at: Timestamp = "2026-01-16T14:40:00Z".parse().unwrap();
        let receipt = DeletionReceipt {
            id: base::Uuid::nil().into(),
            account_id: base::Uuid::nil().into(),
            what: BTreeMap::from([("members".to_owned(), 2)]),
            requested_at: at,
            completed_at: at,
            by: "operator".to_owned(),
            scope: Some(ReceiptScope::of(Engine::Sqlite)),
        };
        let jws = receipts.sign(&receipt);
        assert_eq!(decode_payload(&jws), Some(receipt));
        let (signed, signature) = jws.rsplit_once('.').unwrap();
        let decode = |text: &str| base64_simd::URL_SAFE_NO_PAD.decode_to_vec(text).unwrap();
        let key = UnparsedPublicKey::new(&ED25519, decode(&receipts.public_key().x.unwrap()));
        assert_eq!(key.verify(signed.as_bytes(), &decode(signature)), Ok(()));
    }
}
