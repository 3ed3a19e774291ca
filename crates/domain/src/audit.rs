//! Signed records of decisions: what was asked, what the models answered, which thresholds applied. Never the image.

use crate::{
    keyring::Keyring,
    secure_capture::{self, CaptureUse},
};
use aws_lc_rs::{
    digest,
    signature::{Ed25519KeyPair, KeyPair as _},
};
use base::{AppId, Environment, Timestamp};
use db::{Db, DbError, sql};
use serde::Serialize;
use std::sync::Arc;
use vision::ModelInfo;

/// Writes decision records, signed with Ed25519 (RFC 8032), so that a record taken from the database can be verified
/// with the server's published key.
#[derive(Clone)]
pub struct DecisionLog {
    db: Db,
    signer: Arc<Ed25519KeyPair>,
}

impl std::fmt::Debug for DecisionLog {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Decisions")
    }
}

/// The content of a decision record.
#[derive(Debug, Serialize)]
pub struct DecisionRecord<'a, A, R, O> {
    /// The operation, for example `age-antispoofing`.
    pub operation: &'a str,
    /// SHA-256 of the image bytes as received, hexadecimal.
    pub image_sha256: String,
    /// The answer as sent.
    pub answer: &'a A,
    /// The thresholds and rules that were applied.
    pub rules: R,
    /// What the models answered, as it was compared with the rules.
    pub outputs: O,
    /// The models that saw the image, by task, with their digests.
    pub models: &'a [ModelInfo],
}

/// SHA-256 in hexadecimal.
pub fn sha256_hex(bytes: &[u8]) -> String {
    hex::encode(digest::digest(&digest::SHA256, bytes))
}

impl DecisionLog {
    /// A log whose records are stored in `db`.
    ///
    /// # Panics
    /// Never: any 32 bytes are an Ed25519 seed.
    pub fn new(db: Db, keyring: &Keyring) -> Self {
        let seed = keyring.derive("signature of decision records");
        let signer = Ed25519KeyPair::from_seed_unchecked(seed.expose()).expect("any 32 bytes are a seed");
        Self { db, signer: Arc::new(signer) }
    }

    /// The public key that verifies records, 32 bytes.
    pub fn public_key(&self) -> Vec<u8> {
        self.signer.public_key().as_ref().to_vec()
    }

    /// Stores a record, and with it the use of the secure capture that the decision rests on, if there is one: a capture is not
    /// used up by a decision that is not recorded. Send the answer only after this returns: then the record is on disk. Returns
    /// `false`, and stores nothing, if the capture was used before.
    pub async fn record<A: Serialize, R: Serialize, O: Serialize>(
        &self,
        env: &dyn Environment,
        app: AppId,
        decision: &DecisionRecord<'_, A, R, O>,
        captured: Option<CaptureUse>,
    ) -> Result<bool, DbError> {
        let (id, made_at) = (env.uuid_v7(), env.now());
        let record = serde_json::json!({ "id": id, "sdk_id": app, "made_at": made_at, "decision": decision })
            .to_string();
        let signature = self.signer.sign(record.as_bytes()).as_ref().to_vec();
        let mut tx = self.db.write().await?;
        if let Some(captured) = captured
            && !secure_capture::record_use_within(&mut tx, captured).await?
        {
            return Ok(false);
        }
        tx.execute(sql!(
            "INSERT INTO decisions (id, app_id, made_at, record, signature) VALUES ($1, $2, $3, $4, $5)",
            id,
            app,
            made_at,
            record,
            signature,
        ))
        .await?;
        tx.commit().await?;
        Ok(true)
    }
}

/// Deletes records of decisions that were made before a time, at most 5,000; returns how many.
pub async fn purge_decisions(db: &Db, before: Timestamp) -> Result<u64, DbError> {
    let mut tx = db.write().await?;
    let rows = tx
        .execute(sql!(
            "DELETE FROM decisions WHERE id IN (SELECT id FROM decisions WHERE made_at <= $1 LIMIT 5000)",
            before,
        ))
        .await?;
    tx.commit().await?;
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
    use base::TestEnvironment;
    use db::{FromRow, testing::TestDb};

    #[derive(FromRow)]
    struct StoredRecord {
        record: String,
        signature: Vec<u8>,
    }

    #[tokio::test]
    async fn a_record_verifies_with_the_published_key_and_holds_no_image() {
        let test = TestDb::open().await;
        let env = TestEnvironment::at("2026-01-16T14:40:00Z");
        let decisions = DecisionLog::new(test.db.clone(), &Keyring::parse(&"01".repeat(32)).unwrap());
        let decision = DecisionRecord {
            operation: "age",
            image_sha256: sha256_hex(b"image"),
            answer: &serde_json::json!({ "age": 25.1 }),
            rules: serde_json::json!({}),
            outputs: serde_json::json!({ "age": 25.123 }),
            models: &[],
        };
        let first = decisions.record(&env, AppId::from(env.uuid_v7()), &decision, None).await.unwrap();
        assert!(first, "it rests on no capture that could have been used");

        let mut view = test.db.read().await.unwrap();
        let stored: StoredRecord =
            view.fetch_optional(sql!("SELECT record, signature FROM decisions")).await.unwrap().unwrap();
        let key = UnparsedPublicKey::new(&ED25519, decisions.public_key());
        assert_eq!(key.verify(stored.record.as_bytes(), &stored.signature), Ok(()));
        assert!(stored.record.contains(&sha256_hex(b"image")) && stored.record.contains("25.1"));
    }
}
