//! Resumable uploads: what arrived before a connection broke stays, and the client sends the rest from there on.
//!
//! Each part is a blob, sealed as the session's media are; the session document says which parts make up an upload. An
//! upload is discarded when there are newer ones, when it is old, and when the end user's time ends. A part gets its tombstone
//! as soon as it is written, by which the sweep finds the sessions with old uploads.

use crate::document_verification::{
    error::DocumentSessionError,
    session::{DocumentSession, ResumableUpload, UploadPart},
    store::{SessionMediaStore, UnsealedDocumentSession},
    unit_of_work::{DocumentUnitOfWork, SideEffects},
};
use base::{DocumentSessionId, Environment, Id as _, SignedDuration, Timestamp, UploadId};
use std::sync::Arc;

/// Bytes of one upload, at most: as many as a form may have.
const MAX_UPLOAD_BYTES: u64 = 10 << 20;
/// Uploads of a session that are kept at once: the latest so many.
const MAX_UPLOADS_PER_SESSION: usize = 3;
/// Parts of one upload, at most.
const MAX_UPLOAD_PARTS: usize = 100;
/// How long an upload may be continued.
const UPLOAD_TTL: SignedDuration = SignedDuration::from_mins(30);

/// Takes in uploads part by part; cheap to clone.
#[derive(Clone, Debug)]
pub(in crate::document_verification) struct ResumableUploadService {
    env: Arc<dyn Environment>,
    unit_of_work: DocumentUnitOfWork,
    media: SessionMediaStore,
}

impl ResumableUploadService {
    pub(in crate::document_verification) fn new(
        env: Arc<dyn Environment>,
        unit_of_work: DocumentUnitOfWork,
        media: SessionMediaStore,
    ) -> Self {
        Self { env, unit_of_work, media }
    }

    /// Begins an upload of `length` bytes.
    pub(in crate::document_verification) async fn begin(
        &self,
        id: DocumentSessionId,
        length: u64,
    ) -> Result<UploadId, DocumentSessionError> {
        if !(1..=MAX_UPLOAD_BYTES).contains(&length) {
            return Err(DocumentSessionError::invalid_member(
                "Upload-Length",
                format!("it is {length}; from 1 to {MAX_UPLOAD_BYTES} bytes are accepted"),
            ));
        }
        let begun = self.unit_of_work.update(id, |session, effects, env| {
            session.ensure_open_for_end_user(env)?;
            let now = env.now();
            session.discard_old_uploads(MAX_UPLOADS_PER_SESSION - 1, now, effects);
            let id = UploadId::new(env);
            session.uploads.push(ResumableUpload { id, length, begun: now, pieces: Vec::new() });
            Ok(id)
        });
        Ok(begun.await?.0)
    }

    /// Adds the bytes that follow the first `offset` bytes; returns how many have arrived then. Refuses bytes that do
    /// not follow those that have arrived.
    pub(in crate::document_verification) async fn append(
        &self,
        stored: &UnsealedDocumentSession,
        upload: UploadId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<u64, DocumentSessionError> {
        stored.session.find_upload(upload, self.env.now())?.check_append(offset, bytes.len())?;
        if bytes.is_empty() {
            return Ok(offset);
        }
        let media = self.media.put_bytes(stored, bytes).await?;
        let id = stored.session.id;
        let part = UploadPart { media, bytes: bytes.len() as u64 };
        let added = self
            .unit_of_work
            .update(id, |session, effects, env| {
                session.ensure_open_for_end_user(env)?;
                let now = env.now();
                let known = session.uploads.iter_mut().find(|known| known.id == upload && !known.is_old(now));
                let known = known.ok_or(DocumentSessionError::ItemNotFound("upload"))?;
                known.check_append(offset, bytes.len())?;
                known.pieces.push(part);
                effects.expiring_media.push((part.media, known.until()));
                Ok(known.offset())
            })
            .await;
        if added.as_ref().is_err_and(|error| !error.may_be_committed()) {
            self.media.delete(id, &[media]).await;
        }
        Ok(added?.0)
    }

    /// The bytes of an upload that is complete. They stay, as the call that uses them may be repeated.
    pub(in crate::document_verification) async fn read(
        &self,
        stored: &UnsealedDocumentSession,
        upload: UploadId,
    ) -> Result<Vec<u8>, DocumentSessionError> {
        let known = stored.session.find_upload(upload, self.env.now())?;
        let (offset, length) = (known.offset(), known.length);
        if offset < length {
            return Err(DocumentSessionError::NotReady(format!(
                "{offset} of {length} bytes of the upload have arrived; send the rest first"
            )));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
        for part in &known.pieces {
            bytes.extend(self.media.read(stored, part.media).await?);
        }
        Ok(bytes)
    }
}

impl DocumentSession {
    fn find_upload(&self, id: UploadId, now: Timestamp) -> Result<&ResumableUpload, DocumentSessionError> {
        let found = self.uploads.iter().find(|upload| upload.id == id && !upload.is_old(now));
        found.ok_or(DocumentSessionError::ItemNotFound("upload"))
    }

    /// Whether it has an upload that can be continued no more.
    pub(in crate::document_verification) fn has_old_upload(&self, now: Timestamp) -> bool {
        self.uploads.iter().any(|upload| upload.is_old(now))
    }

    /// Discards uploads that can be continued no more.
    pub(in crate::document_verification) fn discard_overdue_uploads(
        &mut self,
        now: Timestamp,
        effects: &mut SideEffects,
    ) {
        self.discard_old_uploads(MAX_UPLOADS_PER_SESSION, now, effects);
    }

    /// Discards uploads that are old, and all but the latest `keep` of the others.
    fn discard_old_uploads(&mut self, keep: usize, now: Timestamp, effects: &mut SideEffects) {
        let fresh = self.uploads.iter().filter(|upload| !upload.is_old(now)).count();
        let mut surplus = fresh.saturating_sub(keep);
        self.uploads.retain(|upload| {
            let old = upload.is_old(now);
            let discard = old || surplus > 0;
            surplus -= usize::from(discard && !old);
            effects.discarded_media.extend(upload.pieces.iter().filter(|_| discard).map(|part| part.media));
            !discard
        });
    }

    /// Discards every upload, once the end user can use them no more.
    pub(in crate::document_verification) fn discard_all_uploads(
        &mut self,
        now: Timestamp,
        effects: &mut SideEffects,
    ) {
        self.discard_old_uploads(0, now, effects);
    }
}

impl UnsealedDocumentSession {
    /// How many bytes of an upload have arrived, and how many were announced.
    pub fn upload_progress(&self, id: UploadId, now: Timestamp) -> Result<(u64, u64), DocumentSessionError> {
        self.session.find_upload(id, now).map(|upload| (upload.offset(), upload.length))
    }
}

impl ResumableUpload {
    /// Until when it may be continued.
    fn until(&self) -> Timestamp {
        self.begun + UPLOAD_TTL
    }

    fn is_old(&self, now: Timestamp) -> bool {
        self.until() <= now
    }

    /// Bytes that have arrived.
    fn offset(&self) -> u64 {
        self.pieces.iter().map(|part| part.bytes).sum()
    }

    /// Refuses `bytes` more bytes at this offset if they cannot be added.
    fn check_append(&self, offset: u64, bytes: usize) -> Result<(), DocumentSessionError> {
        let arrived = self.offset();
        if offset != arrived {
            return Err(DocumentSessionError::ResourceLocked(format!(
                "{arrived} bytes of the upload have arrived; continue from there"
            )));
        }
        let missing = self.length - arrived;
        if bytes as u64 > missing {
            let message = format!(
                "{bytes} bytes were sent, and {missing} of the announced {} are missing; send no more than that",
                self.length
            );
            return Err(DocumentSessionError::invalid_member("Upload-Offset", message));
        }
        if self.pieces.len() >= MAX_UPLOAD_PARTS {
            return Err(DocumentSessionError::ResourceLocked(format!(
                "the upload has {MAX_UPLOAD_PARTS} parts, the most that are accepted; begin a new one"
            )));
        }
        Ok(())
    }
}
