//! Opens picture and PDF files and runs work with the models, within the limits of memory and queue that documents and
//! faces share.

use crate::image_analysis::{AnalysisError, ImageAnalyser};
use base::Picture;
use documents::text;
use media::{
    blobs::BlobError,
    document_file::{DocumentFile, DocumentFileError, DocumentFileLoader},
};
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use vision::VisionModels;

/// How long work waits for room in the models' queue before it fails, to be retried by its job.
const MODEL_QUEUE_TIMEOUT: Duration = Duration::from_secs(20);
/// How often work that waits for room tries again.
const MODEL_QUEUE_POLL_INTERVAL: Duration = Duration::from_millis(50);

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

/// How many documents and faces one process has open at once: two for each core.
pub fn large_media_slots() -> usize {
    2 * std::thread::available_parallelism().map_or(1, usize::from)
}

/// Opens files and runs work with the models; cheap to clone.
#[derive(Clone, Debug)]
pub(super) struct VisionRunner {
    analyser: ImageAnalyser,
    loader: DocumentFileLoader,
    /// Limits how many documents and faces are open at once: each takes much memory, and needs a worker anyway.
    large_media_slots: Arc<Semaphore>,
}

impl VisionRunner {
    pub(super) fn new(analyser: ImageAnalyser) -> Self {
        Self {
            analyser,
            loader: DocumentFileLoader::default(),
            large_media_slots: Arc::new(Semaphore::new(large_media_slots())),
        }
    }

    /// Waits until one more document or face may be opened; keep the permit while it is open.
    pub(super) async fn acquire_large_media_slot(&self) -> Option<SemaphorePermit<'_>> {
        self.large_media_slots.acquire().await.ok()
    }

    /// The same without waiting; `None` if every slot is taken.
    pub(super) fn try_acquire_large_media_slot(&self) -> Option<OwnedSemaphorePermit> {
        self.large_media_slots.clone().try_acquire_owned().ok()
    }

    /// Opens a file: a photo is one side, each page of a PDF file is one.
    pub(super) async fn decode_sides(&self, bytes: Vec<u8>) -> Result<Vec<DecodedSide>, DocumentReadError> {
        let classify = |error: DocumentFileError| match error {
            DocumentFileError::Missing(_) | DocumentFileError::Failed(_) => {
                DocumentReadError::Server(error.to_string())
            }
            other => DocumentReadError::File(other),
        };
        match self.loader.open(bytes).await.map_err(classify)? {
            DocumentFile::Picture(picture) => Ok(vec![DecodedSide { picture, lines: None }]),
            DocumentFile::Pdf(pdf) => {
                let mut sides = Vec::new();
                for (index, page) in pdf.pages().iter().enumerate() {
                    let picture = self.loader.render_page(&pdf, index).await.map_err(classify)?;
                    let pixels_per_millimetre = picture.width() as f32 / page.size[0].max(1.0);
                    let words = page.words.iter().map(|word| {
                        let [left, top, right, bottom] =
                            word.bounds.map(|millimetres| millimetres * pixels_per_millimetre);
                        text::layout::LayoutWord { text: word.text.clone(), left, top, right, bottom }
                    });
                    let lines = text::layout::lines_of_words(&words.collect::<Vec<_>>());
                    sides.push(DecodedSide { picture, lines: Some(lines) });
                }
                Ok(sides)
            }
        }
    }

    /// Opens a file that shows one picture; of a PDF file, its last page.
    pub(super) async fn decode_picture(&self, bytes: Vec<u8>) -> Result<Picture, DocumentReadError> {
        match self.decode_sides(bytes).await?.pop() {
            Some(side) => Ok(side.picture),
            None => Err(DocumentReadError::File(DocumentFileError::Damaged)),
        }
    }

    /// Runs work with the models on a worker's thread. If the queue is full, tries again for up to
    /// [`MODEL_QUEUE_TIMEOUT`].
    pub(super) async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut VisionModels) -> T + Send + 'static,
    ) -> Result<T, AnalysisError> {
        let deadline = tokio::time::Instant::now() + MODEL_QUEUE_TIMEOUT;
        let work = Arc::new(Mutex::new(Some(work)));
        loop {
            let shared = work.clone();
            // A full queue drops the closure without running it, so the work stays in `work` for the next round.
            let run = self.analyser.run(move |vision| {
                let work = shared.lock().unwrap_or_else(PoisonError::into_inner).take();
                work.map(|work| work(vision))
            });
            match run.await {
                Ok(Some(result)) => return Ok(result),
                Ok(None) => return Err(AnalysisError::Busy(MODEL_QUEUE_TIMEOUT)),
                Err(AnalysisError::Busy(_)) if tokio::time::Instant::now() < deadline => {
                    tokio::time::sleep(MODEL_QUEUE_POLL_INTERVAL).await;
                }
                Err(error) => return Err(error),
            }
        }
    }
}
