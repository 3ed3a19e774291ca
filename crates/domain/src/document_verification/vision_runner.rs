//! Opens picture and PDF files and runs work with the models, within the limits of memory and queue that documents and
//! faces share.

use super::{extraction::max_open_media, face_templates, types::MediaType};
use crate::{
    fair_slots::{FairSlot, FairSlots},
    image_analysis::{AnalysisError, ImageAnalyser},
};
use base::{AppId, Picture};
use documents::text;
use media::{
    blobs::BlobError,
    document_file::{DocumentFile, DocumentFileError, DocumentFileLoader, PdfFile},
};
use vision::VisionModels;

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub(super) enum DocumentReadError {
    /// The file itself is at fault; trying again will not help.
    #[error("the file cannot be opened: {0}")]
    File(DocumentFileError),
    /// This server cannot do it now.
    #[error("{0}")]
    Server(String),
}

impl From<AnalysisError> for DocumentReadError {
    fn from(error: AnalysisError) -> Self {
        Self::Server(error.to_string())
    }
}

impl From<DocumentFileError> for DocumentReadError {
    fn from(error: DocumentFileError) -> Self {
        match error {
            DocumentFileError::Missing(_) | DocumentFileError::Failed(_) => Self::Server(error.to_string()),
            other => Self::File(other),
        }
    }
}

impl From<BlobError> for DocumentReadError {
    fn from(error: BlobError) -> Self {
        Self::Server(error.to_string())
    }
}

/// One side of a document, ready for the reader.
pub(super) struct DecodedSide {
    pub(super) picture: Picture,
    /// The text that a PDF page contains as text; `None` for a photo.
    pub(super) lines: Option<Vec<text::TextLine>>,
}

/// Opens files and runs work with the models; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct VisionRunner {
    analyser: ImageAnalyser,
    loader: DocumentFileLoader,
    /// One for each document or face that is open; see [`max_open_media`].
    large_media_slots: FairSlots,
}

impl VisionRunner {
    pub(super) fn new(analyser: ImageAnalyser) -> Self {
        Self {
            analyser,
            loader: DocumentFileLoader::default(),
            large_media_slots: FairSlots::new(max_open_media()),
        }
    }

    /// Whether this process has models.
    pub(super) fn has_models(&self) -> bool {
        self.analyser.has_models()
    }

    /// Waits until one more document or face of an application may be opened; keep the slot while it is open.
    pub(super) async fn acquire_large_media_slot(&self, app: AppId) -> Option<FairSlot> {
        self.large_media_slots.acquire(app).await
    }

    /// The same without waiting; `None` if every slot is taken.
    pub(super) fn try_acquire_large_media_slot(&self, app: AppId) -> Option<FairSlot> {
        self.large_media_slots.try_acquire(app)
    }

    /// Opens a file as the kind that it was accepted as, and that it is shown as: a photo is one side of a document; so is each
    /// page of a PDF file, once it is rendered.
    pub(super) async fn open(
        &self,
        kind: MediaType,
        bytes: Vec<u8>,
    ) -> Result<DocumentFile, DocumentReadError> {
        match kind {
            MediaType::Pdf => Ok(self.loader.open(bytes).await?),
            MediaType::Image | MediaType::Json | MediaType::Binary => {
                self.decode_picture(bytes).await.map(DocumentFile::Picture)
            }
        }
    }

    /// Renders a page of a PDF file, counted from 0.
    pub(super) async fn decode_page(
        &self,
        pdf: &PdfFile,
        index: usize,
    ) -> Result<DecodedSide, DocumentReadError> {
        let picture = self.loader.render_page(pdf, index).await?;
        let lines = pdf.pages().get(index).map(|page| {
            let pixels_per_millimetre = picture.width() as f32 / page.size[0].max(1.0);
            let words = page.words.iter().map(|word| {
                let [left, top, right, bottom] =
                    word.bounds.map(|millimetres| millimetres * pixels_per_millimetre);
                text::layout::LayoutWord { text: word.text.clone(), left, top, right, bottom }
            });
            text::layout::lines_of_words(&words.collect::<Vec<_>>())
        });
        Ok(DecodedSide { picture, lines })
    }

    /// Opens a picture.
    pub(super) async fn decode_picture(&self, bytes: Vec<u8>) -> Result<Picture, DocumentReadError> {
        Ok(self.loader.open_picture(bytes).await?)
    }

    /// The distance up to which a face counts as that of a listed or earlier person; `None` if the models state none.
    pub(super) async fn listed_distance(&self) -> Result<Option<f32>, DocumentReadError> {
        let found = self.analyser.run_in_turn(face_templates::listed_distance).await?;
        found.map_err(|error| DocumentReadError::Server(error.to_string()))
    }

    /// Runs an application's work with the models on a worker's thread, in the order of arrival and every application in its turn.
    pub(super) async fn run<T: Send + 'static>(
        &self,
        app: AppId,
        work: impl FnOnce(&mut VisionModels) -> T + Send + 'static,
    ) -> Result<T, AnalysisError> {
        self.analyser.for_application(app).run_in_turn(work).await
    }
}
