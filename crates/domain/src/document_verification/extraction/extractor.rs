//! Reads a document: its pages as they arrive, and all of it once its task asks.

use super::{portrait::crop_portrait, reader_pool::ReaderPool};
use crate::{
    document_verification::{
        findings::DocumentFindings,
        prefetch::{MAX_PREFETCHED_PDF_PAGES, PrefetchCache},
        session::{DocumentSession, SessionMedia, SuppliedResource},
        store::{SessionMediaStore, UnsealedDocumentSession},
        today,
        types::MediaType,
        vision_runner::{DecodedSide, DocumentReadError, VisionRunner},
    },
    image_analysis::{MODELS_RETRY_WAIT, sample_faces},
};
use base::{AppId, Environment, Timestamp};
use documents::reading::{self, DocumentClaim, DocumentSide, SideSource};
use media::document_file::DocumentFile;
use std::sync::Arc;
use vision::VisionError;

/// JPEG quality of the portrait that is cut out of a document.
const PORTRAIT_JPEG_QUALITY: u8 = 92;

/// What was read of a document.
pub(in crate::document_verification) struct ExtractedDocument {
    pub(in crate::document_verification) findings: DocumentFindings,
    /// The portrait on it, as JPEG.
    pub(in crate::document_verification) portrait: Option<Vec<u8>>,
}

/// Reads documents; cheap to clone.
#[derive(Clone, Debug)]
pub(in crate::document_verification) struct DocumentExtractor {
    env: Arc<dyn Environment>,
    media: SessionMediaStore,
    vision: VisionRunner,
    readers: ReaderPool,
    prefetched: PrefetchCache,
}

impl DocumentExtractor {
    pub(in crate::document_verification) fn new(
        env: Arc<dyn Environment>,
        media: SessionMediaStore,
        vision: VisionRunner,
        readers: ReaderPool,
        prefetched: PrefetchCache,
    ) -> Self {
        Self { env, media, vision, readers, prefetched }
    }

    /// When a job that fails for want of models is tried again, which counts as no attempt; `None` if this process has them.
    pub(in crate::document_verification) fn models_retry_at(&self) -> Option<Timestamp> {
        (!self.vision.has_models()).then(|| self.env.now() + MODELS_RETRY_WAIT)
    }

    /// Reads all pages of a document and joins what they say. Pages that were read ahead are not read again.
    pub(in crate::document_verification) async fn extract(
        &self,
        stored: &UnsealedDocumentSession,
        resource: &SuppliedResource,
    ) -> Result<ExtractedDocument, DocumentReadError> {
        let (app, media) = (stored.session.app, resource.readable_media());
        let _slot = self.vision.acquire_large_media_slot(app).await;
        let mut sides = Vec::new();
        for id in &media {
            let mut read = self.prefetched.take(*id).await;
            if read.is_none() {
                let kind = stored.session.media(*id).map_or(MediaType::Image, |media| media.kind);
                let bytes = self.media.read(stored, *id).await?;
                read = self.read_sides(app, (kind, bytes), usize::MAX).await?;
            }
            sides.extend(read.into_iter().flatten());
        }
        let (kind, country) = (resource.document_type, resource.issuing_country.clone());
        let (today, embed_portrait) = (today(&*self.env), stored.session.allows_biometrics());
        self.vision
            .run(app, move |vision| {
                let claim = DocumentClaim { country: country.as_deref(), kind };
                let reading = reading::join_sides(vision, sides, claim, today, embed_portrait)?;
                let portrait = reading.portrait.as_ref().and_then(|portrait| {
                    let page = &reading.sides.get(portrait.side)?.page;
                    let cropped = crop_portrait(page, &portrait.face)?;
                    Some(sample_faces::encode_jpeg(&cropped, PORTRAIT_JPEG_QUALITY))
                });
                let findings = DocumentFindings::of(&reading, media, vision.embedding_space()?.digest());
                Ok::<_, VisionError>(ExtractedDocument { findings, portrait })
            })
            .await?
            .map_err(|error| DocumentReadError::Server(error.to_string()))
    }

    /// Makes the portrait of a document that was read comparable, from the portrait alone: reading a document takes seconds.
    /// Returns false if there is no portrait to look at, or no face is found on it.
    pub(in crate::document_verification) async fn embed_portrait(
        &self,
        stored: &UnsealedDocumentSession,
        resource: &SuppliedResource,
        findings: &mut DocumentFindings,
    ) -> Result<bool, DocumentReadError> {
        let (Some(media), Some(portrait)) = (resource.id_photo, findings.portrait.as_mut()) else {
            return Ok(false);
        };
        let _slot = self.vision.acquire_large_media_slot(stored.session.app).await;
        let picture = self.vision.decode_picture(self.media.read(stored, media).await?).await?;
        let embedded = self
            .vision
            .run(stored.session.app, move |vision| {
                let faces = vision.detect(&picture)?;
                let Some(face) = faces.iter().max_by(|a, b| a.width().total_cmp(&b.width())) else {
                    return Ok(None);
                };
                let embedding = vision.embed(&picture, face)?;
                Ok::<_, VisionError>(Some((embedding, vision.embedding_space()?.digest())))
            })
            .await?
            .map_err(|error| DocumentReadError::Server(error.to_string()))?;
        let Some((embedding, space)) = embedded else { return Ok(false) };
        (portrait.embedding, portrait.space) = (embedding, space);
        Ok(true)
    }

    /// Begins to read a page that has just arrived; does nothing if there is no room for it, or it is a file of many pages.
    pub(in crate::document_verification) fn prefetch_page(
        &self,
        session: &DocumentSession,
        media: &SessionMedia,
        bytes: Vec<u8>,
    ) {
        let (extractor, app, kind) = (self.clone(), session.app, media.kind);
        let Some(slot) = self.vision.try_acquire_large_media_slot(app) else { return };
        self.prefetched.spawn(session.id, media.id, async move {
            let sides = extractor.read_sides(app, (kind, bytes), MAX_PREFETCHED_PDF_PAGES).await;
            drop(slot);
            sides
        });
    }

    /// Reads the sides of a file, each by itself; `None` if it is a PDF file of more than `max_pages`. Each page of one is read in
    /// a turn of its own: so it takes no worker for longer than a photo does, and one page at a time waits for its turn.
    async fn read_sides(
        &self,
        app: AppId,
        (kind, bytes): (MediaType, Vec<u8>),
        max_pages: usize,
    ) -> Result<Option<Vec<DocumentSide>>, DocumentReadError> {
        let pdf = match self.vision.open(kind, bytes).await? {
            DocumentFile::Picture(picture) => {
                let side = DecodedSide { picture, lines: None };
                return Ok(Some(vec![self.read_side(app, side).await?]));
            }
            DocumentFile::Pdf(pdf) => pdf,
        };
        let pages = pdf.pages().len();
        if pages > max_pages {
            return Ok(None);
        }
        let mut sides = Vec::with_capacity(pages);
        for index in 0..pages {
            let page = self.vision.decode_page(&pdf, index).await?;
            sides.push(self.read_side(app, page).await?);
        }
        Ok(Some(sides))
    }

    async fn read_side(&self, app: AppId, side: DecodedSide) -> Result<DocumentSide, DocumentReadError> {
        let readers = self.readers.clone();
        self.vision
            .run(app, move |vision| {
                let source = match &side.lines {
                    Some(lines) => SideSource::File(&side.picture, lines),
                    None => SideSource::Photo(&side.picture),
                };
                readers.with_reader(|reader| reader.read_side(vision, source))
            })
            .await?
            .map_err(DocumentReadError::Server)?
            .map_err(|error| DocumentReadError::Server(error.to_string()))
    }
}
