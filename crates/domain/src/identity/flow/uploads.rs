//! Uploads that come in pieces: what a connection brought before it broke stays, and the rest is sent from there on.
//!
//! Each piece is a blob of the session, sealed as its media are; the session's row says which make up what. An upload goes
//! when there are newer ones, when it is old, and when its person's time ends.

use super::Session;
use crate::identity::{
    Identities,
    change::{Effects, NotDone},
    session::{Partial, Piece},
    store::Held,
};
use base::{Id as _, SessionId, SignedDuration, Timestamp, UploadId};

/// Bytes of one upload, at most: what a form may bring.
const LONGEST: u64 = 10 << 20;
/// Uploads of a session that are kept at once: the latest.
const MOST_UPLOADS: usize = 3;
/// Pieces of one upload, at most: so often a connection may break.
const MOST_PIECES: usize = 100;
/// For how long an upload may be gone on with.
const KEPT: SignedDuration = SignedDuration::from_mins(30);

impl Session {
    fn upload(&self, id: UploadId) -> Result<&Partial, NotDone> {
        self.uploads.iter().find(|upload| upload.id == id).ok_or(NotDone::Missing("upload"))
    }

    /// Forgets uploads but for the latest `most` of those that are not old.
    fn forget_uploads(&mut self, most: usize, now: Timestamp, effects: &mut Effects) {
        let fresh = self.uploads.iter().filter(|upload| upload.begun + KEPT > now).count();
        let mut extra = fresh.saturating_sub(most);
        self.uploads.retain(|upload| {
            let old = upload.begun + KEPT <= now;
            let goes = old || extra > 0;
            extra -= usize::from(goes && !old);
            effects.gone.extend(upload.pieces.iter().filter(|_| goes).map(|piece| piece.media));
            !goes
        });
    }

    /// Forgets every upload: what its person sends is not waited for any more.
    pub(in crate::identity) fn end_uploads(&mut self, now: Timestamp, effects: &mut Effects) {
        self.forget_uploads(0, now, effects);
    }
}

impl Identities {
    /// Begins an upload of so many bytes.
    pub async fn begin_upload(&self, id: SessionId, length: u64) -> Result<UploadId, NotDone> {
        if !(1..=LONGEST).contains(&length) {
            return Err(NotDone::wrong("Upload-Length", format!("it is 1 to {LONGEST} bytes")));
        }
        let begun = self.change(id, |session, effects, world| {
            session.person(world)?;
            let now = world.now();
            session.forget_uploads(MOST_UPLOADS - 1, now, effects);
            let id = UploadId::new(world);
            session.uploads.push(Partial { id, length, begun: now, pieces: Vec::new() });
            Ok(id)
        });
        Ok(begun.await?.0)
    }

    /// Adds the bytes that follow the first `offset` ones; how many there are then. Bytes that do not follow what is there
    /// are not taken.
    pub async fn append(
        &self,
        held: &Held,
        upload: UploadId,
        offset: u64,
        bytes: &[u8],
    ) -> Result<u64, NotDone> {
        let known = held.session.upload(upload)?;
        known.takes(offset, bytes.len())?;
        if bytes.is_empty() {
            return Ok(offset);
        }
        let media = self.new_media();
        held.blobs(&self.0.blobs).put(&held.blob(media), bytes).await?;
        let id = held.session.id;
        let piece = Piece { media, bytes: bytes.len() as u64 };
        let added = self
            .change(id, |session, _, world| {
                session.person(world)?;
                let known = session.uploads.iter_mut().find(|known| known.id == upload);
                let known = known.ok_or(NotDone::Missing("upload"))?;
                known.takes(offset, bytes.len())?;
                known.pieces.push(piece);
                Ok(known.offset())
            })
            .await;
        if added.is_err() {
            self.clear(id, &[media]).await;
        }
        Ok(added?.0)
    }

    /// An upload's bytes, which must all be there. They stay: the call that puts them in their place may be repeated.
    pub async fn uploaded(&self, held: &Held, upload: UploadId) -> Result<Vec<u8>, NotDone> {
        let known = held.session.upload(upload)?;
        let (have, length) = (known.offset(), known.length);
        if have < length {
            return Err(NotDone::NotReady(format!("{have} of {length} bytes of the upload are there")));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or_default());
        for piece in &known.pieces {
            bytes.extend(self.get(held, piece.media).await?);
        }
        Ok(bytes)
    }
}

impl Held {
    /// How many bytes of an upload are there, and how many it has.
    pub fn upload(&self, id: UploadId) -> Result<(u64, u64), NotDone> {
        self.session.upload(id).map(|upload| (upload.offset(), upload.length))
    }
}

impl Partial {
    /// Bytes that are there.
    fn offset(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.bytes).sum()
    }

    /// Whether bytes can be added.
    fn takes(&self, offset: u64, bytes: usize) -> Result<(), NotDone> {
        let have = self.offset();
        if offset != have {
            return Err(NotDone::ResourceLocked(format!(
                "{have} bytes of the upload are there, go on with them"
            )));
        }
        if bytes as u64 > self.length - have {
            let words = format!("the upload has {} bytes, and this is more", self.length);
            return Err(NotDone::wrong("Upload-Offset", words));
        }
        if self.pieces.len() >= MOST_PIECES {
            return Err(NotDone::ResourceLocked(format!(
                "the upload broke {MOST_PIECES} times; begin a new one"
            )));
        }
        Ok(())
    }
}
