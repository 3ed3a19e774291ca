//! What later sessions of the same application are compared with, where the operator wants that: the number of a document
//! and, if that is wanted too, the faces of its holder.
//!
//! The number is stored as a keyed hash; name, birthday and faces are sealed with a key of the trace's own. A trace ends with
//! its session, or before.

use super::{
    face_templates::FaceTemplate,
    findings::DocumentIdentifier,
    fraud_list::{number_hash, number_hashes_json},
    names::HolderName,
};
use crate::{
    erasure_keys::{self, ErasureKeys, KeyOwner},
    vault::Vault,
};
use base::{
    AppId, DocumentSessionId, DocumentTraceId, Environment, Id as _, SignedDuration, Timestamp, Uuid,
};
use db::{Db, DbError, FromRow, WriteTx, sql};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Earlier faces that one is compared with: the latest.
const MAX_COMPARED_TRACES: i64 = 10_000;
/// Earlier documents with the same number that are looked at: the latest.
const MAX_SAME_NUMBERS: i64 = 100;
/// Earlier sessions that are named, for each kind of duplicate.
const MAX_NAMED_SESSIONS: usize = 20;

/// A document and its holder. Stored as JSON.
#[derive(Clone, Serialize, Deserialize)]
pub(super) struct TracedIdentity {
    #[serde(flatten)]
    pub(super) name: HolderName,
    /// `YYYY-MM-DD`.
    pub(super) date_of_birth: Option<String>,
    /// Portrait and live face.
    #[serde(default)]
    pub(super) faces: Vec<FaceTemplate>,
}

// It is personal data and must not reach a log through `{:?}`.
impl std::fmt::Debug for TracedIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("TracedIdentity")
    }
}

impl TracedIdentity {
    /// Whether two documents are of one person, by name and birthday.
    fn is_same(&self, other: &Self) -> bool {
        let born = match (&self.date_of_birth, &other.date_of_birth) {
            (Some(one), Some(two)) => one == two,
            _ => true,
        };
        born && self.name.agrees_with(&other.name)
    }
}

/// A document that was checked.
#[derive(Clone, Debug)]
pub(super) struct NewTrace {
    pub(super) document: Option<DocumentIdentifier>,
    pub(super) identity: TracedIdentity,
}

/// Earlier sessions with the same document or face and another identity; the latest first, at most 20 of each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Duplicates {
    pub(super) same_document: Vec<DocumentSessionId>,
    pub(super) same_face: Vec<DocumentSessionId>,
}

#[derive(FromRow)]
struct TraceRow {
    id: DocumentTraceId,
    session_id: DocumentSessionId,
    key: Option<Vec<u8>>,
    sealed: Vec<u8>,
}

/// Writes and finds traces; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct TraceStore {
    db: Db,
    env: Arc<dyn Environment>,
    keys: ErasureKeys,
    /// How long traces are kept; zero: there are none.
    retention: SignedDuration,
    /// Whether faces are compared too.
    compares_faces: bool,
}

impl TraceStore {
    pub(super) fn new(
        db: Db,
        env: Arc<dyn Environment>,
        vault: Vault,
        retention: SignedDuration,
        compares_faces: bool,
    ) -> Self {
        let keys = ErasureKeys { vault, environment: env.clone() };
        Self { db, env, keys, retention, compares_faces }
    }

    /// Whether sessions are compared at all.
    pub(super) fn is_on(&self) -> bool {
        self.retention > SignedDuration::ZERO
    }

    /// Whether their faces are.
    pub(super) fn compares_faces(&self) -> bool {
        self.is_on() && self.compares_faces
    }

    /// Earlier sessions of an application with the same document or face and another identity.
    pub(super) async fn find(
        &self,
        app: AppId,
        session: DocumentSessionId,
        trace: &NewTrace,
        most_distance: Option<f32>,
    ) -> Result<Duplicates, DbError> {
        let (mut found, now) = (Duplicates::default(), self.env.now());
        let mut view = self.db.read().await?;
        if let Some(document) = &trace.document {
            let rows: Vec<TraceRow> = view
                .fetch_all(sql!(
                    sqlite: "SELECT t.id, t.session_id, k.sealed AS key, t.sealed FROM document_traces t
                               LEFT JOIN erasure_keys k ON k.owner_id = t.id
                              WHERE t.app_id = $1 AND t.number_hash IN (SELECT unhex(value) FROM json_each($2))
                                AND t.session_id <> $3 AND t.expires_at > $4
                              ORDER BY t.created_at DESC LIMIT $5",
                    postgres: "SELECT t.id, t.session_id, k.sealed AS key, t.sealed FROM document_traces t
                                 LEFT JOIN erasure_keys k ON k.owner_id = t.id
                                WHERE t.app_id = $1 AND t.number_hash IN
                                        (SELECT decode(value, 'hex') FROM jsonb_array_elements_text($2))
                                  AND t.session_id <> $3 AND t.expires_at > $4
                                ORDER BY t.created_at DESC LIMIT $5",
                    app,
                    number_hashes_json(&self.keys.vault, &number_context(app), document),
                    session,
                    now,
                    MAX_SAME_NUMBERS,
                ))
                .await?;
            self.name_sessions(&rows, &mut found.same_document, |earlier| !earlier.is_same(&trace.identity));
        }
        let Some(most) = most_distance.filter(|_| !trace.identity.faces.is_empty()) else { return Ok(found) };
        let rows: Vec<TraceRow> = view
            .fetch_all(sql!(
                "SELECT t.id, t.session_id, k.sealed AS key, t.sealed FROM document_traces t
                   LEFT JOIN erasure_keys k ON k.owner_id = t.id
                  WHERE t.app_id = $1 AND t.session_id <> $2 AND t.expires_at > $3
                  ORDER BY t.created_at DESC LIMIT $4",
                app,
                session,
                now,
                MAX_COMPARED_TRACES,
            ))
            .await?;
        drop(view);
        let faces = &trace.identity.faces;
        self.name_sessions(&rows, &mut found.same_face, |earlier| {
            let is_near = |face: &FaceTemplate| faces.iter().any(|own| own.is_within(face, most));
            earlier.faces.iter().any(is_near) && !earlier.is_same(&trace.identity)
        });
        Ok(found)
    }

    /// Adds the sessions of those rows that a rule chooses.
    fn name_sessions(
        &self,
        rows: &[TraceRow],
        named: &mut Vec<DocumentSessionId>,
        is_duplicate: impl Fn(&TracedIdentity) -> bool,
    ) {
        for row in rows {
            if named.len() == MAX_NAMED_SESSIONS {
                return;
            }
            let is_duplicate = self.open(row).is_some_and(|earlier| is_duplicate(&earlier));
            if is_duplicate && !named.contains(&row.session_id) {
                named.push(row.session_id);
            }
        }
    }

    fn open(&self, row: &TraceRow) -> Option<TracedIdentity> {
        let key = self.keys.open(KeyOwner::DocumentTrace(row.id), row.key.as_deref()?)?;
        let plain = Vault::with_key(key).open(&trace_aad(row.id), &row.sealed).ok()?;
        serde_json::from_slice(&plain).ok()
    }

    /// Writes traces of a session, whose row is locked, so that a deletion of the session comes before or after.
    pub(super) async fn add(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        session: DocumentSessionId,
        traces: &[NewTrace],
    ) -> Result<(), DbError> {
        let now = self.env.now();
        for trace in traces {
            let id = DocumentTraceId::new(&*self.env);
            let key = self.keys.create(tx, KeyOwner::DocumentTrace(id)).await?;
            let plain = serde_json::to_vec(&trace.identity).expect("texts and numbers are JSON");
            let number_hash = trace.document.as_ref().map(|document| {
                number_hash(&self.keys.vault, &number_context(app), &document.country, &document.number)
            });
            tx.execute(sql!(
                "INSERT INTO document_traces (id, session_id, app_id, number_hash, sealed, expires_at, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7)",
                id,
                session,
                app,
                number_hash,
                Vault::with_key(key).seal(&*self.env, &trace_aad(id), &plain),
                now + self.retention,
                now,
            ))
            .await?;
        }
        Ok(())
    }
}

/// What the hashes of an application's documents are bound to.
fn number_context(app: AppId) -> String {
    format!("document numbers of {app}")
}

#[derive(FromRow)]
struct DeletedTraceRow {
    id: DocumentTraceId,
}

/// Deletes the traces of a session, whose row is locked, with their keys. The caller records the erasure, as the last of its
/// transaction.
pub(super) async fn erase_of_session(tx: &mut WriteTx, session: DocumentSessionId) -> Result<(), DbError> {
    let traces: Vec<DeletedTraceRow> =
        tx.fetch_all(sql!("DELETE FROM document_traces WHERE session_id = $1 RETURNING id", session)).await?;
    delete_keys(tx, &traces).await
}

/// Deletes traces whose time is over, with their keys; returns how many there were. Those of a session that is being erased are
/// left to whoever erases it.
pub(super) async fn purge_expired(db: &Db, now: Timestamp) -> Result<usize, DbError> {
    let mut view = db.read().await?;
    let due = view.count(sql!("SELECT count(*) FROM document_traces WHERE expires_at <= $1", now)).await?;
    drop(view);
    if due == 0 {
        return Ok(0);
    }
    let mut tx = db.write().await?;
    let expired: Vec<DeletedTraceRow> = tx
        .fetch_all(sql!(
            sqlite: "DELETE FROM document_traces WHERE id IN
                        (SELECT id FROM document_traces WHERE expires_at <= $1 LIMIT 200) RETURNING id",
            // Materialised, since a query inside `IN` may run once for each row, and lock as many rows each time.
            postgres: "WITH due AS MATERIALIZED (
                           SELECT id FROM document_traces WHERE expires_at <= $1 LIMIT 200 FOR UPDATE SKIP LOCKED)
                       DELETE FROM document_traces WHERE id IN (SELECT id FROM due) RETURNING id",
            now,
        ))
        .await?;
    if expired.is_empty() {
        return Ok(0);
    }
    delete_keys(&mut tx, &expired).await?;
    erasure_keys::record_erasure(&mut tx).await?;
    tx.commit().await?;
    Ok(expired.len())
}

/// Deletes the keys of traces whose rows this transaction has deleted. In this order everywhere: whoever holds the row of a
/// trace waits for nobody who wants it.
async fn delete_keys(tx: &mut WriteTx, traces: &[DeletedTraceRow]) -> Result<(), DbError> {
    if traces.is_empty() {
        return Ok(());
    }
    let ids: Vec<Uuid> = traces.iter().map(|trace| trace.id.into()).collect();
    erasure_keys::delete_keys(tx, &ids).await
}

fn trace_aad(id: DocumentTraceId) -> Vec<u8> {
    format!("document trace {id}").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_person_may_have_fewer_names_on_another_document_but_no_other_birthday() {
        let of = |name: &str, born: Option<&str>| TracedIdentity {
            name: HolderName::parse(name).expect("it has words"),
            date_of_birth: born.map(str::to_owned),
            faces: Vec::new(),
        };
        let ada = of("ada maria lovelace", Some("1990-12-10"));
        assert!(ada.is_same(&of("ada lovelace", Some("1990-12-10"))));
        assert!(ada.is_same(&of("ada maria lovelace", None)));
        assert!(!ada.is_same(&of("ada lovelace", Some("1990-12-11"))));
        assert!(!ada.is_same(&of("ada byron", Some("1990-12-10"))));
        let stored = br#"{"name":["joerg","mueller"],"date_of_birth":"1990-12-10"}"#;
        let earlier: TracedIdentity = serde_json::from_slice(stored).unwrap();
        assert!(earlier.is_same(&of("Jörg Müller", Some("1990-12-10"))), "as earlier versions stored it");
    }
}
