//! Uploads that come in pieces: what a connection brought before it broke stays, and the rest is sent from there on.
//!
//! Each piece is a blob of the session, sealed as its media are; the session's row says which make up what. An upload goes
//! when there are newer ones, when it is old, and when its person's time ends.

use super::DocumentSession;
use crate::document_verification::{
    DocumentVerificationService,
    session::{ResumableUpload, UploadPart},
    store::UnsealedDocumentSession,
    unit_of_work::{DocumentSessionError, SideEffects},
};
use base::{DocumentSessionId, Id as _, SignedDuration, Timestamp, UploadId};

/// Bytes of one upload, at most: what a form may bring.
const MAX_UPLOAD_BYTES: u64 = 10 << 20;
/// Uploads of a session that are kept at once: the latest.
const MAX_UPLOADS_PER_SESSION: usize = 3;
/// Pieces of one upload, at most: so often a connection may break.
const MAX_UPLOAD_PARTS: usize = 100;
/// For how long an upload may be gone on with.
const UPLOAD_TTL: SignedDuration = SignedDuration::from_mins(30);

impl DocumentSession {
    fn find_upload(&self, id: UploadId) -> Result<&ResumableUpload, DocumentSessionError> {
        self.uploads.iter().find(|upload| upload.id == id).ok_or(DocumentSessionError::ItemNotFound("upload"))
    }

    /// Forgets uploads but for the latest `most` of those that are not old.
    fn discard_old_uploads(&mut self, most: usize, now: Timestamp, effects: &mut SideEffects) {
        let fresh = self.uploads.iter().filter(|upload| upload.begun + UPLOAD_TTL > now).count();
        let mut extra = fresh.saturating_sub(most);
        self.uploads.retain(|upload| {
            let old = upload.begun + UPLOAD_TTL <= now;
            let goes = old || extra > 0;
            extra -= usize::from(goes && !old);
            effects.discarded_media.extend(upload.pieces.iter().filter(|_| goes).map(|piece| piece.media));
            !goes
        });
    }

    /// Forgets every upload: what its person sends is not waited for any more.
    pub(in crate::document_verification) fn discard_all_uploads(
        &mut self,
        now: Timestamp,
        effects: &mut SideEffects,
    ) {
        self.discard_old_uploads(0, now, effects);
    }
}

impl DocumentVerificationService {
    /// Begins an upload of so many bytes.
    pub async fn begin_upload(
        &self,
        id: DocumentSessionId,
        length: u64,
    ) -> Result<UploadId, DocumentSessionError> {
        if !(1..=MAX_UPLOAD_BYTES).contains(&length) {
            return Err(DocumentSessionError::invalid_member(
                "Upload-Length",
                format!("it is 1 to {MAX_UPLOAD_BYTES} bytes"),
            ));
        }
        let begun = self.update_session(id, |session, effects, world| {
            session.ensure_open_for_end_user(world)?;
            let now = world.now();
            session.discard_old_uploads(MAX_UPLOADS_PER_SESSION - 1, now, effects);
            let id = UploadId::new(world);
            session.uploads.push(ResumableUpload { id, length, begun: now, pieces: Vec::new() });
            Ok(id)
        });
        Ok(begun.await?.0)
    }

    /// Adds the bytes that follow the first `offset` ones; how many there are then. Bytes that do not follow what is there
    /// are not taken.
    pub async fn append_to_upload(
        &self,
        held: &UnsealedDocumentSession,
        upload: UploadId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<u64, DocumentSessionError> {
        let known = held.session.find_upload(upload)?;
        known.check_append(offset, bytes.len())?;
        if bytes.is_empty() {
            return Ok(offset);
        }
        let media = self.new_media_id();
        held.sealed_blobs(&self.0.blobs).put(&held.blob_key(media), bytes).await?;
        let id = held.session.id;
        let piece = UploadPart { media, bytes: bytes.len() as u64 };
        let added = self
            .update_session(id, |session, _, world| {
                session.ensure_open_for_end_user(world)?;
                let known = session.uploads.iter_mut().find(|known| known.id == upload);
                let known = known.ok_or(DocumentSessionError::ItemNotFound("upload"))?;
                known.check_append(offset, bytes.len())?;
                known.pieces.push(piece);
                Ok(known.offset())
            })
            .await;
        if added.is_err() {
            self.delete_blobs(id, &[media]).await;
        }
        Ok(added?.0)
    }

    /// An upload's bytes, which must all be there. They stay: the call that puts them in their place may be repeated.
    pub async fn read_upload(
        &self,
        held: &UnsealedDocumentSession,
        upload: UploadId,
    ) -> Result<Vec<u8>, DocumentSessionError> {
        let known = held.session.find_upload(upload)?;
        let (have, length) = (known.offset(), known.length);
        if have < length {
            return Err(DocumentSessionError::NotReady(format!(
                "{have} of {length} bytes of the upload are there"
            )));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
        for piece in &known.pieces {
            bytes.extend(self.read_media(held, piece.media).await?);
        }
        Ok(bytes)
    }
}

impl UnsealedDocumentSession {
    /// How many bytes of an upload are there, and how many it has.
    pub fn upload_progress(&self, id: UploadId) -> Result<(u64, u64), DocumentSessionError> {
        self.session.find_upload(id).map(|upload| (upload.offset(), upload.length))
    }
}

impl ResumableUpload {
    /// Bytes that are there.
    fn offset(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.bytes).sum()
    }

    /// Whether bytes can be added.
    fn check_append(&self, offset: u64, bytes: usize) -> Result<(), DocumentSessionError> {
        let have = self.offset();
        if offset != have {
            return Err(DocumentSessionError::ResourceLocked(format!(
                "{have} bytes of the upload are there, go on with them"
            )));
        }
        if bytes as u64 > self.length - have {
            let words = format!("the upload has {} bytes, and this is more", self.length);
            return Err(DocumentSessionError::invalid_member("Upload-Offset", words));
        }
        if self.pieces.len() >= MAX_UPLOAD_PARTS {
            return Err(DocumentSessionError::ResourceLocked(format!(
                "the upload broke {MAX_UPLOAD_PARTS} times; begin a new one"
            )));
        }
        Ok(())
    }
}
