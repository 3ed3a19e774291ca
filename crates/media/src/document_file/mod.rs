//! What people hand in of documents: pictures of every usual kind, and PDF files with their text and their pages as
//! pictures.
//!
//! PDF is read by poppler's tools, and pictures that are neither JPEG nor PNG by ffmpeg, each as a process of its own
//! without our environment, our files or a network, with limits on memory, time and what comes out.

mod pdf;

pub use pdf::{PdfPage, PdfWord};

use crate::{
    sandboxed_process::SandboxedProcessError,
    video::{self, VideoError, ffmpeg_tools::find_program, still_picture},
};
use base::Picture;
use std::path::PathBuf;

/// Limits on document files, and where the programs are that read them. There are no settings for these.
#[derive(Clone, Debug, PartialEq)]
pub struct DocumentFileSettings {
    /// The program that reads the text of PDF files, by name or path.
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
        }
    }
}

/// Why there is nothing to look at.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum DocumentFileError {
    /// No bytes.
    #[error("the file is empty")]
    Empty,
    /// More bytes than are read.
    #[error("the file has {measured} bytes; at most {limit} are read")]
    TooLarge {
        /// How many it has.
        measured: usize,
        /// The most.
        limit: usize,
    },
    /// More pixels than are decoded.
    #[error("the picture has {measured} pixels; at most {limit} are decoded")]
    TooManyPixels {
        /// How many it has, as far as that is known.
        measured: String,
        /// The most.
        limit: u32,
    },
    /// A password is needed.
    #[error("the PDF file is encrypted and needs a password")]
    Encrypted,
    /// No PDF, or one that is damaged, or that has no page.
    #[error("the PDF file cannot be read: it is damaged or has no page")]
    Damaged,
    /// No picture, or one that is damaged.
    #[error("the file is neither a PDF file nor a picture that can be read: {0}")]
    NotAPicture(String),
    /// It wanted more time or memory than it is given.
    #[error("the file needs more {what} than it is given ({limit})")]
    Limit {
        /// Time or memory.
        what: &'static str,
        /// The limit, in words.
        limit: String,
    },
    /// A program is not installed.
    #[error("{0} is not installed; such files need it")]
    Missing(&'static str),
    /// The machine failed us: the words are for the operator.
    #[error("the file could not be looked at: {0}")]
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

/// A file that was opened.
#[derive(Debug)]
pub enum DocumentFile {
    /// A picture, upright as far as the file says, its longer side at most [`Settings::side`].
    Picture(Picture),
    /// A PDF file.
    Pdf(PdfFile),
}

/// A PDF file.
pub struct PdfFile {
    bytes: Vec<u8>,
    pages: Vec<PdfPage>,
}

impl PdfFile {
    /// Its pages and what is written on each, as text; the first [`Settings::most_pages`].
    pub fn pages(&self) -> &[PdfPage] {
        &self.pages
    }
}

// What is written in it is about a person, and must not reach a log by way of `{:?}`.
impl std::fmt::Debug for PdfFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pdf({} bytes, {} pages)", self.bytes.len(), self.pages.len())
    }
}

/// Takes in what poppler's tools write about a file, which may be anything: whether there is a text, and a picture.
pub fn parse_poppler_output(written: &[u8]) -> (Option<Vec<PdfPage>>, Option<Picture>) {
    (pdf::parse_bbox_layout(written, 3), pdf::parse_ppm(written))
}

/// Opens what people hand in.
#[derive(Clone, Debug, Default)]
pub struct DocumentFileLoader(DocumentFileSettings);

impl DocumentFileLoader {
    /// With these limits.
    pub fn new(settings: DocumentFileSettings) -> Self {
        Self(settings)
    }

    /// Opens a file, whatever it is called: its bytes say what it is.
    pub async fn open(&self, bytes: Vec<u8>) -> Result<DocumentFile, DocumentFileError> {
        let limit = self.0.max_bytes;
        match bytes.len() {
            0 => Err(DocumentFileError::Empty),
            measured if measured > limit => Err(DocumentFileError::TooLarge { measured, limit }),
            _ if pdf::is_pdf(&bytes) => {
                let pages = pdf::extract_text(&bytes, &self.0).await?;
                Ok(DocumentFile::Pdf(PdfFile { bytes, pages }))
            }
            _ => self.decode_picture(bytes).await.map(DocumentFile::Picture),
        }
    }

    /// Draws a page, counted from 0.
    pub async fn render_page(&self, pdf: &PdfFile, page: usize) -> Result<Picture, DocumentFileError> {
        pdf::render_page(&pdf.bytes, page, &self.0).await
    }

    async fn decode_picture(&self, bytes: Vec<u8>) -> Result<Picture, DocumentFileError> {
        let settings = video::VideoSettings {
            most_picture_pixels: self.0.max_pixels,
            picture_box_side: self.0.max_page_side,
            decoder_bytes: self.0.memory_bytes,
            stall_seconds: self.0.cpu_seconds,
            ..video::VideoSettings::default()
        };
        let ffmpeg = find_program(&self.0.ffmpeg).ok_or(DocumentFileError::Missing("ffmpeg"))?;
        still_picture::decode(&ffmpeg, bytes, &settings).await.map_err(|error| match error {
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
