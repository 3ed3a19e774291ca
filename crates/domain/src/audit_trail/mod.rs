//! The audit trail: who did what, append-only and verifiable.
//!
//! Code that does something worth recording calls [`db::WriteTx::audit`]; the record is written when its transaction is
//! committed, and only then. Each record is chained to the one before it by a hash, and the two ends of the chain are
//! signed with a key of this server, so a record that is changed, removed, moved or cut off is noticed
//! ([`AuditTrail::verify`]). The state before the first record is signed too, when the keys are made ([`sign_beginning`]), so a
//! trail that is put back into it is told from one that has not begun. What follows an end whose signature does not hold is
//! recorded, but never signed; an operator begins another trail then ([`AuditTrail::begin_anew`]).
//! Whoever has the master key can sign another chain, and whoever restores an older database has an older chain: against
//! that, an end that was exported or logged elsewhere is compared ([`ChainEnd`]).

mod beginning;
mod export;
mod retention;
#[cfg(test)]
mod tests;
mod verification;

pub use beginning::{BeginTrailError, FormerTrail, sign_beginning};
pub use export::{AuditEntry, AuditFilter, AuditPage, ExportedRecord};
pub use retention::PurgeAuditTrail;
pub use verification::AuditTrailError;

use crate::keyring::Keyring;
use aws_lc_rs::{
    digest,
    signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey},
};
use base::{Environment, Timestamp, Uuid};
use db::{AuditEvent, AuditRecorder, DbError, FromRow, ReadTx, RecordedEnd, RecordedFuture, WriteTx, sql};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::sync::Arc;

/// What is chained to before the first record.
const NO_HASH: &str = "0000000000000000000000000000000000000000000000000000000000000000";

/// What a signature of the chain's ends is about, so that it is taken for nothing else.
const SIGNATURE_CONTEXT: &str = "assay audit trail 1";

/// Writes, verifies, exports and purges the audit trail; cheap to clone.
#[derive(Clone)]
pub struct AuditTrail {
    environment: Arc<dyn Environment>,
    signer: Arc<Ed25519KeyPair>,
}

impl std::fmt::Debug for AuditTrail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("AuditTrail")
    }
}

/// A record as it is stored and hashed; the order of its members is part of that.
#[derive(Debug, Serialize)]
struct AuditRecord<'a> {
    seq: i64,
    at: Timestamp,
    kind: &'a str,
    actor: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    app: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    account: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    target: Option<&'a str>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    details: &'a Map<String, Value>,
}

/// The end of the chain at some time. If it was kept elsewhere, it shows whether records were cut off since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainEnd {
    /// The number of the last record; 0 before the first.
    pub seq: i64,
    /// Its hash, hexadecimal.
    pub hash: String,
}

/// The row with both ends.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
struct ChainRow {
    last_seq: i64,
    last_hash: String,
    purged_seq: i64,
    purged_hash: String,
    signature: String,
}

impl ChainRow {
    /// Both ends before the first record, not signed.
    fn before_first() -> Self {
        Self {
            last_seq: 0,
            last_hash: NO_HASH.to_owned(),
            purged_seq: 0,
            purged_hash: NO_HASH.to_owned(),
            signature: String::new(),
        }
    }

    fn signed_text(&self) -> String {
        let Self { last_seq, last_hash, purged_seq, purged_hash, .. } = self;
        format!("{SIGNATURE_CONTEXT}\n{last_seq}\n{last_hash}\n{purged_seq}\n{purged_hash}")
    }

    /// Whether it is as the schema makes it: nothing was recorded, and nothing signed.
    fn is_unsigned_beginning(&self) -> bool {
        *self == Self::before_first()
    }

    /// Signs the ends as they are now. Only for a chain that was trusted as it was read.
    fn sign(&mut self, signer: &Ed25519KeyPair) {
        self.signature = hex::encode(signer.sign(self.signed_text().as_bytes()));
    }

    fn end(&self) -> ChainEnd {
        ChainEnd { seq: self.last_seq, hash: self.last_hash.clone() }
    }
}

/// The key pair that signs the ends of the chain.
///
/// # Panics
/// Never: any 32 bytes are an Ed25519 seed.
fn derive_signer(keyring: &Keyring) -> Ed25519KeyPair {
    let seed = keyring.derive("signature of the audit trail");
    Ed25519KeyPair::from_seed_unchecked(seed.expose()).expect("any 32 bytes are a seed")
}

/// The hash that chains a record to the one before it.
fn chained_hash(before: &str, record: &str) -> String {
    let mut context = digest::Context::new(&digest::SHA256);
    context.update(before.as_bytes());
    context.update(b"\n");
    context.update(record.as_bytes());
    hex::encode(context.finish())
}

impl AuditTrail {
    /// The trail of the server whose keys these are.
    pub fn new(keyring: &Keyring, environment: Arc<dyn Environment>) -> Self {
        Self { environment, signer: Arc::new(derive_signer(keyring)) }
    }

    /// The end of the chain now.
    pub async fn chain_end(&self, view: &mut ReadTx) -> Result<ChainEnd, AuditTrailError> {
        Ok(self.checked_chain(view).await?.end())
    }

    /// Makes other writers wait until this transaction ends, and returns the ends of the chain.
    async fn lock(&self, tx: &mut WriteTx) -> Result<ChainRow, DbError> {
        let found: Option<ChainRow> = tx
            .fetch_optional(sql!(
                "UPDATE audit_chain SET last_seq = last_seq WHERE id = 1
                 RETURNING last_seq, last_hash, purged_seq, purged_hash, signature"
            ))
            .await?;
        // It was deleted by hand. Where records are left, nothing more can be recorded; verification says that the ends are
        // gone.
        Ok(found.unwrap_or_else(ChainRow::before_first))
    }

    /// Stores the ends with the signature that they have.
    async fn save(&self, tx: &mut WriteTx, chain: &ChainRow) -> Result<(), DbError> {
        tx.execute(sql!(
            "UPDATE audit_chain SET last_seq = $1, last_hash = $2, purged_seq = $3, purged_hash = $4, signature = $5
              WHERE id = 1",
            chain.last_seq,
            chain.last_hash.as_str(),
            chain.purged_seq,
            chain.purged_hash.as_str(),
            chain.signature.as_str(),
        ))
        .await
        .map(drop)
    }

    /// Whether this server left the ends like this.
    fn is_trusted(&self, chain: &ChainRow) -> bool {
        let key = UnparsedPublicKey::new(&ED25519, self.signer.public_key().as_ref());
        hex::decode(&chain.signature)
            .is_ok_and(|signature| key.verify(chain.signed_text().as_bytes(), &signature).is_ok())
    }

    async fn append(
        &self,
        tx: &mut WriteTx,
        actor: &str,
        events: &[AuditEvent],
    ) -> Result<RecordedEnd, DbError> {
        let mut chain = self.lock(tx).await?;
        // An end that somebody else put there is never signed, nor what follows it: the signature stays as it was found.
        let is_trusted = self.is_trusted(&chain);
        if !is_trusted {
            tracing::error!(
                audit.seq = chain.last_seq,
                "the ends of the audit trail are not signed with this server's key, and what is recorded now is not either"
            );
        }
        let at = self.environment.now();
        for event in events {
            let record = AuditRecord {
                seq: chain.last_seq + 1,
                at,
                kind: event.kind,
                actor,
                app: event.app,
                account: event.account,
                target: event.target.as_deref(),
                details: &event.details,
            };
            let text = serde_json::to_string(&record).expect("a record of our own is JSON");
            chain.last_hash = chained_hash(&chain.last_hash, &text);
            chain.last_seq += 1;
            tx.execute(sql!(
                "INSERT INTO audit_records (seq, made_at, record, hash) VALUES ($1, $2, $3, $4)",
                chain.last_seq,
                at,
                text,
                chain.last_hash.as_str(),
            ))
            .await?;
        }
        if is_trusted {
            chain.sign(&self.signer);
        }
        self.save(tx, &chain).await?;
        Ok(RecordedEnd { seq: chain.last_seq, hash: chain.last_hash })
    }
}

impl AuditRecorder for AuditTrail {
    fn record<'a>(
        &'a self,
        tx: &'a mut WriteTx,
        actor: Arc<str>,
        events: Vec<AuditEvent>,
    ) -> RecordedFuture<'a> {
        Box::pin(async move { self.append(tx, &actor, &events).await })
    }

    /// The log usually leaves the machine that the database is on, and so keeps the ends of the chain elsewhere.
    fn committed(&self, end: &RecordedEnd) {
        tracing::info!(audit.seq = end.seq, audit.hash = end.hash, "audit record written");
    }
}
