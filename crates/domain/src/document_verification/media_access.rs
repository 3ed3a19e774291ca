//! What a relying party does with the media of its sessions: downloads them, and deletes their contents for good.

use super::{
    error::DocumentSessionError,
    session::{DocumentSession, SessionMedia},
    store::{DocumentSessionStore, SessionMediaStore, UnsealedDocumentSession},
    types::{MediaType, SessionState},
};
use crate::{DeviceMetadata, erasure_keys};
use base::{DocumentSessionId, Environment, MediaId, Timestamp};
use db::{AuditEvent, Db, WriteTx};
use media::blobs::BlobError;
use std::{ops::Range, sync::Arc};

/// A media's contents.
#[derive(Debug)]
pub enum MediaDownload {
    Bytes(SessionMedia, Vec<u8>),
    /// The contents were deleted, or the operator withholds documents of that country.
    Withheld,
}

/// Gives out and redacts media; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct MediaAccess {
    db: Db,
    env: Arc<dyn Environment>,
    store: DocumentSessionStore,
    media: SessionMediaStore,
    /// Countries whose documents' pictures are not given out, ISO 3166-1 alpha-3.
    withheld_countries: Vec<String>,
}

impl MediaAccess {
    pub(super) fn new(
        db: Db,
        env: Arc<dyn Environment>,
        store: DocumentSessionStore,
        media: SessionMediaStore,
        withheld_countries: Vec<String>,
    ) -> Self {
        Self { db, env, store, media, withheld_countries }
    }

    /// A media's bytes: all of them, or those from `range.start` up to and without `range.end`.
    pub(super) async fn download(
        &self,
        stored: &UnsealedDocumentSession,
        id: MediaId,
        range: Option<Range<u64>>,
    ) -> Result<MediaDownload, DocumentSessionError> {
        let media = stored.session.media(id).ok_or(DocumentSessionError::MediaNotFound)?;
        if media.redacted || self.is_withheld(&stored.session, media) {
            return Ok(MediaDownload::Withheld);
        }
        let read = match range {
            Some(range) => self.media.read_range(stored, id, range).await,
            None => self.media.read(stored, id).await,
        };
        match read {
            Ok(bytes) => {
                // Recorded before it is given out.
                let mut tx = self.db.write().await?;
                tx.set_actor(format!("application:{}", stored.session.app));
                let event = AuditEvent::new("media.view").app(stored.session.app).target(id);
                tx.audit(event.detail("session", stored.session.id.to_string()));
                tx.commit().await?;
                Ok(MediaDownload::Bytes(media.clone(), bytes))
            }
            Err(BlobError::Missing) => Err(DocumentSessionError::MediaNotFound),
            Err(error) => Err(error.into()),
        }
    }

    /// A picture for somebody who reviews the session, who records that it was seen. `None` if its contents were deleted or
    /// are withheld, and for what is no picture.
    pub(super) async fn picture(
        &self,
        stored: &UnsealedDocumentSession,
        id: MediaId,
    ) -> Result<Option<Vec<u8>>, DocumentSessionError> {
        let media =
            stored.session.media(id).filter(|media| media.kind == MediaType::Image && !media.redacted);
        let Some(media) = media.filter(|media| !self.is_withheld(&stored.session, media)) else {
            return Ok(None);
        };
        match self.media.read(stored, media.id).await {
            Ok(bytes) => Ok(Some(bytes)),
            Err(BlobError::Missing) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether it is a picture of a document of a country whose pictures are withheld: according to the document
    /// itself, or to what the end user said.
    fn is_withheld(&self, session: &DocumentSession, media: &SessionMedia) -> bool {
        if media.kind == MediaType::Json {
            return false;
        }
        let resource = session.resources.iter().find(|resource| Some(resource.id) == media.resource);
        let Some(resource) = resource else { return false };
        let read = resource.findings.as_ref().and_then(|findings| findings.issuer.as_ref());
        let withheld = |code: &String| self.withheld_countries.contains(code);
        read.is_some_and(withheld) || resource.issuing_country.as_ref().is_some_and(withheld)
    }

    /// Deletes a media's bytes for good; the media stays listed as redacted. Refuses until the session has ended.
    pub(super) async fn redact(
        &self,
        id: DocumentSessionId,
        media: MediaId,
        device: Option<DeviceMetadata>,
    ) -> Result<(), DocumentSessionError> {
        let mut tx = self.db.write().await?;
        let mut locked = self.store.lock(&mut tx, id).await?.ok_or(DocumentSessionError::SessionNotFound)?;
        let session = &mut locked.session;
        if session.media(media).is_none() {
            return Err(DocumentSessionError::MediaNotFound);
        }
        if session.state == SessionState::Ongoing && !session.has_run_out(self.env.now()) {
            return Err(match session.triggered_at {
                None => DocumentSessionError::SessionLocked,
                Some(_) => DocumentSessionError::ResourceLocked(
                    "checks use the session's resources; its media can be deleted when they have ended"
                        .to_owned(),
                ),
            });
        }
        mark_redacted(session, media, self.env.now());
        session.record_device_event("MEDIA_DELETED", None, self.env.now(), device);
        tx.set_actor(format!("application:{}", session.app));
        self.commit_redacted(tx, &locked, media).await
    }

    /// Redacts a media that was redacted before, after a backup brought it back: in whatever state the session is. Returns
    /// false if there is no such media any more, or it is redacted.
    pub(super) async fn redact_again(
        &self,
        id: DocumentSessionId,
        media: MediaId,
    ) -> Result<bool, DocumentSessionError> {
        let mut tx = self.db.write().await?;
        let Some(mut locked) = self.store.lock(&mut tx, id).await? else { return Ok(false) };
        if locked.session.media(media).is_none_or(|known| known.redacted) {
            return Ok(false);
        }
        mark_redacted(&mut locked.session, media, self.env.now());
        self.commit_redacted(tx, &locked, media).await?;
        Ok(true)
    }

    /// Writes a locked session of which a media is redacted now, and deletes the media's bytes.
    async fn commit_redacted(
        &self,
        mut tx: WriteTx,
        locked: &UnsealedDocumentSession,
        media: MediaId,
    ) -> Result<(), DocumentSessionError> {
        let (id, app) = (locked.session.id, locked.session.app);
        self.store.save(&mut tx, locked).await?;
        let event = AuditEvent::new("media.delete").app(app).target(media);
        tx.audit(event.detail("session", id.to_string()));
        self.media.add_tombstone(&mut tx, id, media).await?;
        // What was read of it went with it, and lay in the session's row until now.
        erasure_keys::record_erasure(&mut tx).await?;
        tx.commit().await?;
        self.media.delete(id, &[media]).await;
        Ok(())
    }
}

/// A media stays listed, and nothing refers to it any more.
fn mark_redacted(session: &mut DocumentSession, media: MediaId, now: Timestamp) {
    for known in session.media.iter_mut().filter(|known| known.id == media) {
        known.redacted = true;
        known.last_updated = Some(now);
    }
    for resource in &mut session.resources {
        resource.detach_media(media);
    }
    for check in &mut session.checks {
        check.generated_media.retain(|id| *id != media);
    }
}
