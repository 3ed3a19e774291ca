//! The operator's own list of documents and faces that are used for fraud, one for each application.
//!
//! Of a document only a keyed hash of its number is stored; the reason, the author and the embedding of a face are sealed
//! with a key of the entry's own, so that removing an entry erases it.

use super::{
    error::DocumentSessionError,
    face_templates::{self, FaceTemplate},
    findings::DocumentIdentifier,
    restrictions::is_country_code,
    vision_runner::{DocumentReadError, VisionRunner},
};
use crate::{
    erasure_keys::{self, ErasureKeys, KeyOwner},
    vault::Vault,
    violation::Violation,
    wire_enum::wire_enum,
};
use base::{AppId, Environment, FraudListEntryId, Id as _, LimitViolation, Timestamp};
use db::{AuditEvent, Db, DbError, DbTimestamp, FromRow, ReadTx, WriteTx, sql};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Entries of one application, at most.
pub const MAX_ENTRIES: i64 = 10_000;
/// Entries of a page.
pub const PAGE_ENTRIES: i64 = 100;
/// Characters of a reason or of an author's name, at most.
pub const MAX_TEXT_CHARS: usize = 1000;
/// Bytes of a document's number, at most.
pub const MAX_NUMBER_BYTES: usize = 64;

wire_enum! {
    /// What an entry of the list is about.
    pub enum FraudListKind {
        /// A document, by its country and number.
        Document => "DOCUMENT",
        /// A person, by their face.
        Face => "FACE",
    }
}

/// What is to be listed.
#[derive(Clone)]
pub enum FraudListSubject {
    Document {
        /// ISO 3166-1 alpha-3.
        issuing_country: String,
        /// As it is printed; only letters and digits count, in any case.
        document_number: String,
    },
    /// JPEG or PNG with one face.
    Face(Vec<u8>),
}

// It is personal data and must not reach a log through `{:?}`.
impl std::fmt::Debug for FraudListSubject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Document { .. } => "Document",
            Self::Face(_) => "Face",
        })
    }
}

/// An entry to add.
#[derive(Clone, Debug)]
pub struct NewFraudListEntry {
    pub subject: FraudListSubject,
    /// Why, in words; required, at most 1,000 characters.
    pub reason: String,
    /// Who lists it; required, at most 1,000 characters.
    pub author: String,
    /// When it ends; `None`: when it is removed.
    pub expires_at: Option<Timestamp>,
}

/// An entry, ready to be written.
#[derive(Debug)]
pub struct PreparedFraudListEntry {
    kind: FraudListKind,
    number_hash: Option<Vec<u8>>,
    secret: SealedEntry,
    expires_at: Option<Timestamp>,
}

/// An entry of the list.
#[derive(Clone, Debug, Serialize)]
pub struct FraudListEntry {
    pub id: FraudListEntryId,
    #[serde(rename = "type")]
    pub kind: FraudListKind,
    pub reason: String,
    pub author: String,
    pub created_at: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
}

/// A page of the list.
#[derive(Clone, Debug, Serialize)]
pub struct FraudListPage {
    /// The newest first, at most 100.
    pub entries: Vec<FraudListEntry>,
    /// On all pages.
    pub total_count: i64,
}

/// What the list says of a document and its holder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FraudListLookup {
    /// Whether the document's number was compared with any, and is listed.
    pub(super) document: Option<bool>,
    /// Whether a face was compared with any, and is listed.
    pub(super) face: Option<bool>,
}

/// What is sealed of an entry. Stored as JSON.
#[derive(Debug, Serialize, Deserialize)]
struct SealedEntry {
    reason: String,
    author: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    face: Option<FaceTemplate>,
}

#[derive(FromRow)]
struct EntryRow {
    id: FraudListEntryId,
    #[sqlx(try_from = "String")]
    kind: FraudListKind,
    key: Option<Vec<u8>>,
    sealed: Vec<u8>,
    expires_at: Option<DbTimestamp>,
    #[sqlx(try_from = "db::DbTimestamp")]
    created_at: Timestamp,
}

#[derive(FromRow)]
struct ListedRow {
    id: FraudListEntryId,
    is_document: bool,
    key: Option<Vec<u8>>,
    sealed: Vec<u8>,
}

#[derive(FromRow)]
struct AppRow {
    app_id: AppId,
}

/// Adds, lists, removes and finds entries; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct FraudList {
    db: Db,
    env: Arc<dyn Environment>,
    keys: ErasureKeys,
    vision: VisionRunner,
}

impl NewFraudListEntry {
    /// What is wrong with its members; empty if nothing is.
    fn violations(&self, now: Timestamp) -> Vec<Violation> {
        let mut found = Vec::new();
        for (name, text) in [("reason", self.reason.trim()), ("author", self.author.trim())] {
            let length = text.chars().count();
            if text.is_empty() {
                found.push(Violation::new(name, "it is required"));
            } else if length > MAX_TEXT_CHARS {
                let message = format!("it has {length} characters, at most {MAX_TEXT_CHARS} are read");
                let limit = format!("at most {MAX_TEXT_CHARS} characters");
                let measured = LimitViolation::new(length as f64, limit, "send a shorter text");
                found.push(Violation::with_limit(name, message, measured));
            }
        }
        if self.expires_at.is_some_and(|at| at <= now) {
            found.push(Violation::new("expires_at", "it is past"));
        }
        if let FraudListSubject::Document { issuing_country, document_number } = &self.subject {
            if !is_country_code(issuing_country) {
                found.push(Violation::new("issuing_country", "it is not an ISO 3166-1 alpha-3 code"));
            }
            let length = document_number.len();
            if length > MAX_NUMBER_BYTES {
                let message = format!("it has {length} bytes, at most {MAX_NUMBER_BYTES} are read");
                let limit = format!("at most {MAX_NUMBER_BYTES} bytes");
                let measured = LimitViolation::new(length as f64, limit, "send the number alone");
                found.push(Violation::with_limit("document_number", message, measured));
            } else if normalised_number(document_number).is_empty() {
                found.push(Violation::new("document_number", "it has no letter or digit"));
            }
        }
        found
    }
}

impl FraudList {
    pub(super) fn new(db: Db, env: Arc<dyn Environment>, vault: Vault, vision: VisionRunner) -> Self {
        let keys = ErasureKeys { vault, environment: env.clone() };
        Self { db, env, keys, vision }
    }

    /// Validates an entry and finds the face of a picture. Nothing is written.
    pub(super) async fn prepare(
        &self,
        app: AppId,
        entry: NewFraudListEntry,
    ) -> Result<PreparedFraudListEntry, DocumentSessionError> {
        let found = entry.violations(self.env.now());
        if !found.is_empty() {
            return Err(DocumentSessionError::Invalid(found));
        }
        let (kind, number_hash, face) = match entry.subject {
            FraudListSubject::Document { issuing_country, document_number } => {
                let hash = self.number_hash(app, &issuing_country, &document_number);
                (FraudListKind::Document, Some(hash), None)
            }
            FraudListSubject::Face(image) => {
                (FraudListKind::Face, None, Some(self.face_of(app, image).await?))
            }
        };
        let text = |text: String| text.trim().to_owned();
        let secret = SealedEntry { reason: text(entry.reason), author: text(entry.author), face };
        Ok(PreparedFraudListEntry { kind, number_hash, secret, expires_at: entry.expires_at })
    }

    async fn face_of(&self, app: AppId, image: Vec<u8>) -> Result<FaceTemplate, DocumentSessionError> {
        let _slot = self.vision.acquire_large_media_slot(app).await;
        let unusable = |message: &str| DocumentSessionError::invalid_member("image", message);
        let picture = match self.vision.decode_picture(image).await {
            Ok(picture) => picture,
            Err(DocumentReadError::File(error)) => return Err(unusable(&error.to_string())),
            Err(DocumentReadError::Server(error)) => {
                tracing::error!(error, "a picture for the fraud list is not opened");
                return Err(DocumentSessionError::NotReady("the picture cannot be opened now".to_owned()));
            }
        };
        let found = self.vision.run(app, move |vision| face_templates::only_face(vision, &picture)).await;
        let found = found.map_err(DocumentSessionError::Models)?;
        let found = found.map_err(|error| {
            tracing::error!(error = &error as &dyn std::error::Error, "a face is not embedded");
            DocumentSessionError::NotReady("the models cannot be used now".to_owned())
        })?;
        found.ok_or_else(|| unusable("it does not show exactly one face"))
    }

    /// Writes an entry.
    pub(super) async fn insert(
        &self,
        tx: &mut WriteTx,
        app: AppId,
        prepared: PreparedFraudListEntry,
    ) -> Result<FraudListEntry, DocumentSessionError> {
        let PreparedFraudListEntry { kind, number_hash, secret, expires_at } = prepared;
        if tx.count(sql!("SELECT count(*) FROM applications WHERE id = $1", app)).await? == 0 {
            return Err(DocumentSessionError::invalid_member("app", "there is no such application"));
        }
        let number = tx.count(sql!("SELECT count(*) FROM fraud_list_entries WHERE app_id = $1", app)).await?;
        if number >= MAX_ENTRIES {
            let message =
                format!("the list has {number} entries, and {MAX_ENTRIES} are possible; remove some");
            return Err(DocumentSessionError::invalid_member("type", message));
        }
        let (id, now) = (FraudListEntryId::new(&*self.env), self.env.now());
        let key = self.keys.create(tx, KeyOwner::FraudListEntry(id)).await?;
        let plain = serde_json::to_vec(&secret).expect("texts and numbers are JSON");
        let sealed = Vault::with_key(key).seal(&*self.env, &entry_aad(id), &plain);
        let rows = tx
            .execute(sql!(
                "INSERT INTO fraud_list_entries (id, app_id, kind, number_hash, sealed, expires_at, created_at)
                 VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (app_id, number_hash) DO NOTHING",
                id,
                app,
                kind,
                number_hash,
                sealed,
                expires_at,
                now,
            ))
            .await?;
        if rows == 0 {
            let message = "it is on the list already; remove that entry first";
            return Err(DocumentSessionError::invalid_member("document_number", message));
        }
        tx.audit(AuditEvent::new("fraud-list.add").app(app).target(id).detail("kind", kind.as_str()));
        let SealedEntry { reason, author, .. } = secret;
        Ok(FraudListEntry { id, kind, reason, author, created_at: now, expires_at })
    }

    /// A page of an application's list, from 1.
    pub(super) async fn list(
        &self,
        view: &mut ReadTx,
        app: AppId,
        page: u32,
    ) -> Result<FraudListPage, DbError> {
        let total_count =
            view.count(sql!("SELECT count(*) FROM fraud_list_entries WHERE app_id = $1", app)).await?;
        let rows: Vec<EntryRow> = view
            .fetch_all(sql!(
                "SELECT f.id, f.kind, k.sealed AS key, f.sealed, f.expires_at, f.created_at FROM fraud_list_entries f
                   LEFT JOIN erasure_keys k ON k.owner_id = f.id
                  WHERE f.app_id = $1 ORDER BY f.created_at DESC, f.id LIMIT $2 OFFSET $3",
                app,
                PAGE_ENTRIES,
                i64::from(page.saturating_sub(1)) * PAGE_ENTRIES,
            ))
            .await?;
        let entries = rows.into_iter().map(|row| {
            let secret = self.open(row.id, row.key.as_deref(), &row.sealed);
            let (reason, author) = secret.map(|secret| (secret.reason, secret.author)).unwrap_or_default();
            FraudListEntry {
                id: row.id,
                kind: row.kind,
                reason,
                author,
                created_at: row.created_at,
                expires_at: row.expires_at.map(|at| at.0),
            }
        });
        Ok(FraudListPage { entries: entries.collect(), total_count })
    }

    /// Removes an entry, of one application or of any; returns whether there was one.
    pub(super) async fn remove(&self, app: Option<AppId>, id: FraudListEntryId) -> Result<bool, DbError> {
        let mut tx = self.db.write().await?;
        let removed: Option<AppRow> = tx
            .fetch_optional(sql!(
                "DELETE FROM fraud_list_entries WHERE id = $1 AND (app_id = $2 OR $2 IS NULL) RETURNING app_id",
                id,
                app,
            ))
            .await?;
        let Some(AppRow { app_id }) = removed else { return Ok(false) };
        erasure_keys::erase(&mut tx, KeyOwner::FraudListEntry(id)).await?;
        if app.is_some() {
            tx.set_actor(format!("application:{app_id}"));
        }
        tx.audit(AuditEvent::new("fraud-list.remove").app(app_id).target(id));
        tx.commit().await?;
        Ok(true)
    }

    /// Looks up a document and the faces of its holder, as far as there are any.
    pub(super) async fn look_up(
        &self,
        app: AppId,
        document: Option<&DocumentIdentifier>,
        faces: &[FaceTemplate],
        most_distance: Option<f32>,
    ) -> Result<FraudListLookup, DbError> {
        let context = number_context(app);
        let hashes = document.map(|document| number_hashes_json(&self.keys.vault, &context, document));
        let mut view = self.db.read().await?;
        let now = self.env.now();
        let documents = view
            .count(sql!(
                "SELECT count(*) FROM fraud_list_entries
                  WHERE app_id = $1 AND kind = 'DOCUMENT' AND (expires_at > $2 OR expires_at IS NULL)",
                app,
                now,
            ))
            .await?;
        let rows: Vec<ListedRow> = view
            .fetch_all(sql!(
                sqlite: "SELECT f.id, f.kind = 'DOCUMENT' AS is_document, k.sealed AS key, f.sealed
                           FROM fraud_list_entries f LEFT JOIN erasure_keys k ON k.owner_id = f.id
                          WHERE f.app_id = $1 AND (f.expires_at > $2 OR f.expires_at IS NULL)
                            AND (f.number_hash IN (SELECT unhex(value) FROM json_each($3))
                                 OR (f.kind = 'FACE' AND $4))",
                postgres: "SELECT f.id, f.kind = 'DOCUMENT' AS is_document, k.sealed AS key, f.sealed
                             FROM fraud_list_entries f LEFT JOIN erasure_keys k ON k.owner_id = f.id
                            WHERE f.app_id = $1 AND (f.expires_at > $2 OR f.expires_at IS NULL)
                              AND (f.number_hash IN (SELECT decode(value, 'hex') FROM jsonb_array_elements_text($3))
                                   OR (f.kind = 'FACE' AND $4))",
                app,
                now,
                hashes.clone().unwrap_or_else(|| serde_json::json!([])),
                !faces.is_empty() && most_distance.is_some(),
            ))
            .await?;
        drop(view);
        let listed_document = rows.iter().any(|row| row.is_document);
        let mut face = None;
        for row in rows.iter().filter(|row| !row.is_document) {
            let listed = self.open(row.id, row.key.as_deref(), &row.sealed).and_then(|entry| entry.face);
            let (Some(listed), Some(most)) = (listed, most_distance) else { continue };
            let is_near = faces.iter().any(|face| face.is_within(&listed, most));
            face = Some(face.unwrap_or(false) || is_near);
        }
        Ok(FraudListLookup { document: (hashes.is_some() && documents > 0).then_some(listed_document), face })
    }

    fn open(&self, id: FraudListEntryId, key: Option<&[u8]>, sealed: &[u8]) -> Option<SealedEntry> {
        let key = self.keys.open(KeyOwner::FraudListEntry(id), key?);
        let plain = Vault::with_key(key?).open(&entry_aad(id), sealed).ok();
        let entry = plain.and_then(|plain| serde_json::from_slice(&plain).ok());
        if entry.is_none() {
            tracing::error!(entry.id = %id, "an entry of the fraud list does not open");
        }
        entry
    }

    /// What a number is found by. Two applications' hashes of one number differ.
    fn number_hash(&self, app: AppId, country: &str, number: &str) -> Vec<u8> {
        number_hash(&self.keys.vault, &number_context(app), country, number)
    }
}

/// Deletes up to 200 entries that have expired, with their keys; returns how many there were.
pub(super) async fn purge_expired(db: &Db, now: Timestamp) -> Result<usize, DbError> {
    #[derive(FromRow)]
    struct ExpiredRow {
        id: FraudListEntryId,
    }
    let mut view = db.read().await?;
    let due = view.count(sql!("SELECT count(*) FROM fraud_list_entries WHERE expires_at <= $1", now)).await?;
    drop(view);
    if due == 0 {
        return Ok(0);
    }
    let mut tx = db.write().await?;
    let expired: Vec<ExpiredRow> = tx
        .fetch_all(sql!(
            "DELETE FROM fraud_list_entries WHERE id IN
                (SELECT id FROM fraud_list_entries WHERE expires_at <= $1 LIMIT 200) RETURNING id",
            now,
        ))
        .await?;
    for ExpiredRow { id } in &expired {
        erasure_keys::erase(&mut tx, KeyOwner::FraudListEntry(*id)).await?;
    }
    tx.commit().await?;
    Ok(expired.len())
}

/// A keyed hash of a document's country and number.
pub(super) fn number_hash(vault: &Vault, context: &str, country: &str, number: &str) -> Vec<u8> {
    let value = format!("{} {}", country.to_ascii_uppercase(), normalised_number(number));
    vault.keyed_hash(context.as_bytes(), value.as_bytes()).to_vec()
}

/// The hashes of a document under every country by whose code it may have been stored, as one value: a JSON list of hexadecimal
/// texts. SQLite takes it apart by `SELECT unhex(value) FROM json_each($1)`, PostgreSQL by
/// `SELECT decode(value, 'hex') FROM jsonb_array_elements_text($1)`.
pub(super) fn number_hashes_json(
    vault: &Vault,
    context: &str,
    document: &DocumentIdentifier,
) -> serde_json::Value {
    let hash = |country| hex::encode(number_hash(vault, context, country, &document.number));
    document.countries().into_iter().map(hash).collect()
}

/// What the hashes of an application's list are bound to.
fn number_context(app: AppId) -> String {
    format!("fraud list of {app}")
}

/// Letters and digits of a number, in capital letters.
fn normalised_number(number: &str) -> String {
    number.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect()
}

fn entry_aad(id: FraudListEntryId) -> Vec<u8> {
    format!("fraud list entry {id}").into_bytes()
}
