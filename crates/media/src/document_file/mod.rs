//! Document files that people upload: pictures of all common formats, and PDF files with their text and their pages as
//! pictures.
//!
//! PDF files are read by poppler's tools, and pictures that are neither JPEG nor PNG by ffmpeg. Each tool runs as a
//! separate process without access to our environment, our files or a network, and with limits on memory, time and
//! output.

mod pdf;

pub use pdf::{PdfPage, PdfWord};

use crate::{
    sandbox::process::SandboxedProcessError,
    video::{self, VideoError, ffmpeg_tools::find_program, still_picture},
};
use base::Picture;
use std::{
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// Limits on document files, and the programs that read them. The configuration has no section for these.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentFileSettings {
    /// The program that extracts the text of PDF files, by name or path.
    pub pdftotext: PathBuf,
    /// The program that renders pages of PDF files, by name or path.
    pub pdftoppm: PathBuf,
    /// The program that decodes pictures other than JPEG and PNG, by name or path.
    pub ffmpeg: PathBuf,
    /// The largest file, bytes.
    pub max_bytes: usize,
    /// How many pages of a PDF file are read, from the first.
    pub max_pages: usize,
    /// The largest picture, pixels in all.
    pub max_pixels: u32,
    /// The longer side to which pictures are scaled down, and at which pages are rendered, pixels.
    pub max_page_side: u32,
    /// Memory that a program may reserve, bytes.
    pub memory_bytes: u64,
    /// Processor time that a program may use, seconds.
    pub cpu_seconds: u64,
    /// Time that all programs together may take for one PDF file with all its pages, seconds. On a busy machine they wait for a
    /// processor as well.
    pub pdf_seconds: u64,
}

impl Default for DocumentFileSettings {
    fn default() -> Self {
        Self {
            pdftotext: "pdftotext".into(),
            pdftoppm: "pdftoppm".into(),
            ffmpeg: "ffmpeg".into(),
            max_bytes: 10_000_000,
            max_pages: 10,
            max_pixels: 50_000_000,
            max_page_side: 3000,
            memory_bytes: 1 << 30,
            cpu_seconds: 20,
            pdf_seconds: 120,
        }
    }
}

/// Why a file cannot be opened.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DocumentFileError {
    /// The file has no bytes.
    #[error("the file is empty")]
    Empty,
    /// The file has more bytes than are read.
    #[error("the file has {measured} bytes; at most {limit} are read")]
    TooLarge { measured: usize, limit: usize },
    /// The picture has more pixels than are decoded.
    #[error("the picture has {measured} pixels; at most {limit} are decoded")]
    TooManyPixels {
        /// The number of pixels, as far as it is known.
        measured: String,
        limit: u32,
    },
    /// The PDF file needs a password.
    #[error("the PDF file is encrypted and needs a password")]
    Encrypted,
    /// The PDF file is damaged, or has no page.
    #[error("the PDF file cannot be read: it is damaged or has no page")]
    Damaged,
    /// The file is not a picture, or is a damaged one.
    #[error("the file is neither a PDF file nor a picture that can be read: {0}")]
    NotAPicture(String),
    /// A program needed more time, memory or output than its limit.
    #[error("the file needs more {what} than it is given ({limit})")]
    Limit {
        /// What was exceeded: `time`, `processor time`, `memory` or `output`.
        what: &'static str,
        /// The limit with its unit.
        limit: String,
    },
    /// A program is not installed.
    #[error("{0} is not installed; such files need it")]
    Missing(&'static str),
    /// A program could not be run; the text is for the operator.
    #[error("the file could not be examined: {0}")]
    Failed(String),
}

impl From<SandboxedProcessError> for DocumentFileError {
    fn from(error: SandboxedProcessError) -> Self {
        match error {
            SandboxedProcessError::Stalled { seconds } => {
                Self::Limit { what: "time", limit: format!("{seconds} seconds") }
            }
            SandboxedProcessError::Limit { what, limit } => Self::Limit { what, limit },
            SandboxedProcessError::Killed(signal) => {
                Self::Failed(format!("ended from outside (signal {signal})"))
            }
            SandboxedProcessError::Failed(cause) => Self::Failed(cause),
        }
    }
}

/// An opened file.
#[derive(Debug)]
pub enum DocumentFile {
    /// A picture, upright according to its orientation, its longer side at most
    /// [`DocumentFileSettings::max_page_side`] pixels.
    Picture(Picture),
    Pdf(PdfFile),
}

/// A PDF file.
pub struct PdfFile {
    bytes: Vec<u8>,
    pages: Vec<PdfPage>,
    time_spent: TimeSpent,
}

/// What programs have taken so far for one PDF file.
#[derive(Debug, Default)]
struct TimeSpent(Mutex<Duration>);

impl TimeSpent {
    fn lock(&self) -> MutexGuard<'_, Duration> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl PdfFile {
    /// Its pages with their text, from the first, at most [`DocumentFileSettings::max_pages`].
    pub fn pages(&self) -> &[PdfPage] {
        &self.pages
    }
}

// The text is personal data and must not reach a log through `{:?}`.
impl std::fmt::Debug for PdfFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pdf({} bytes, {} pages)", self.bytes.len(), self.pages.len())
    }
}

/// Parses arbitrary bytes as the output of poppler's tools: as text with its layout (at most three pages), and as a
/// picture. For fuzzing.
pub fn parse_poppler_output(written: &[u8]) -> (Option<Vec<PdfPage>>, Option<Picture>) {
    (pdf::parse_bbox_layout(written, 3), pdf::parse_ppm(written))
}

/// Opens document files.
#[derive(Clone, Debug, Default)]
pub struct DocumentFileLoader(DocumentFileSettings);

impl DocumentFileLoader {
    pub fn new(settings: DocumentFileSettings) -> Self {
        Self(settings)
    }

    /// Opens a file. Its format is recognised by its bytes, not by a name.
    pub async fn open(&self, bytes: Vec<u8>) -> Result<DocumentFile, DocumentFileError> {
        self.check_length(&bytes)?;
        if !pdf::is_pdf(&bytes) {
            return self.decode_picture(bytes).await.map(DocumentFile::Picture);
        }
        let time_spent = TimeSpent::default();
        let pages = self.within_time(&time_spent, pdf::extract_text(&bytes, &self.0)).await?;
        Ok(DocumentFile::Pdf(PdfFile { bytes, pages, time_spent }))
    }

    /// Opens a file that was accepted as a picture. [`Self::open`] would open a PDF file that is in the comment of a JPEG, which
    /// nobody sees who looks at the picture.
    pub async fn open_picture(&self, bytes: Vec<u8>) -> Result<Picture, DocumentFileError> {
        self.check_length(&bytes)?;
        self.decode_picture(bytes).await
    }

    fn check_length(&self, bytes: &[u8]) -> Result<(), DocumentFileError> {
        let limit = self.0.max_bytes;
        match bytes.len() {
            0 => Err(DocumentFileError::Empty),
            measured if measured > limit => Err(DocumentFileError::TooLarge { measured, limit }),
            _ => Ok(()),
        }
    }

    /// Renders a page, counted from 0. Refused once the file has taken [`DocumentFileSettings::pdf_seconds`] in all.
    pub async fn render_page(&self, pdf: &PdfFile, page: usize) -> Result<Picture, DocumentFileError> {
        self.within_time(&pdf.time_spent, pdf::render_page(&pdf.bytes, page, &self.0)).await
    }

    /// Runs a program for a PDF file within the time that is left to the file.
    async fn within_time<T>(
        &self,
        spent: &TimeSpent,
        run: impl Future<Output = Result<T, DocumentFileError>>,
    ) -> Result<T, DocumentFileError> {
        let seconds = self.0.pdf_seconds;
        let left = Duration::from_secs(seconds).saturating_sub(*spent.lock());
        let begun = Instant::now();
        let done = tokio::time::timeout(left, run).await;
        *spent.lock() += begun.elapsed();
        done.unwrap_or_else(|_| {
            Err(DocumentFileError::Limit { what: "time", limit: format!("{seconds} seconds") })
        })
    }

    async fn decode_picture(&self, bytes: Vec<u8>) -> Result<Picture, DocumentFileError> {
        let settings = video::VideoSettings {
            max_picture_pixels: self.0.max_pixels,
            picture_box_side: self.0.max_page_side,
            decoder_bytes: self.0.memory_bytes,
            stall_seconds: self.0.cpu_seconds,
            ..video::VideoSettings::default()
        };
        let ffmpeg = find_program(&self.0.ffmpeg).ok_or(DocumentFileError::Missing("ffmpeg"))?;
        let decoded = async {
            let opened = still_picture::open(&ffmpeg, bytes, &settings).await?;
            let decoding =
                tokio::task::spawn_blocking(move || opened.decode().map(|shown| shown.on_white)).await;
            decoding
                .unwrap_or_else(|broken| Err(VideoError::Failed(std::io::Error::from(broken).to_string())))
        };
        decoded.await.map_err(|error| match error {
            VideoError::NotAPicture(what) => DocumentFileError::NotAPicture(what),
            VideoError::TooManyPixels { measured, .. } => {
                DocumentFileError::TooManyPixels { measured, limit: self.0.max_pixels }
            }
            VideoError::Stalled { seconds } => {
                DocumentFileError::Limit { what: "time", limit: format!("{seconds} seconds") }
            }
            VideoError::Limit { what, limit } => DocumentFileError::Limit { what, limit },
            other => DocumentFileError::Failed(other.to_string()),
        })
    }
}
