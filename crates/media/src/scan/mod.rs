//! What people hand in of documents: pictures of every usual kind, and PDF files with their text and their pages as
//! pictures.
//!
//! PDF is read by poppler's tools, and pictures that are neither JPEG nor PNG by ffmpeg, each as a process of its own
//! without our environment, our files or a network, with limits on memory, time and what comes out.

mod pdf;

pub use pdf::{Page, Word};

use crate::{
    child::ChildError,
    video::{self, VideoError, still, tools::find},
};
use base::Picture;
use std::path::PathBuf;

/// Limits, and where the programs are.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// Reads the text of PDF files; by name or path.
    pub pdftotext: PathBuf,
    /// Draws pages of PDF files; by name or path.
    pub pdftoppm: PathBuf,
    /// Decodes pictures of other kinds; by name or path.
    pub ffmpeg: PathBuf,
    /// Bytes of a file, at most.
    pub most_bytes: usize,
    /// Pages of a PDF file that are looked at: the first.
    pub most_pages: usize,
    /// Pixels of a picture, at most.
    pub most_pixels: u32,
    /// Pixels of the longer side to which pictures are scaled down, and of which pages are drawn.
    pub side: u32,
    /// Bytes of memory that a program may reserve.
    pub memory: u64,
    /// Seconds that a program may take.
    pub seconds: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            pdftotext: "pdftotext".into(),
            pdftoppm: "pdftoppm".into(),
            ffmpeg: "ffmpeg".into(),
            most_bytes: 10_000_000,
            most_pages: 10,
            most_pixels: 50_000_000,
            side: 3000,
            memory: 1 << 30,
            seconds: 20,
        }
    }
}

/// Why there is nothing to look at.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ScanError {
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

impl From<ChildError> for ScanError {
    fn from(error: ChildError) -> Self {
        match error {
            ChildError::Stalled { seconds } => {
                Self::Limit { what: "time", limit: format!("{seconds} seconds") }
            }
            ChildError::Limit { what, limit } => Self::Limit { what, limit },
            ChildError::Killed(signal) => Self::Failed(format!("ended from outside (signal {signal})")),
            ChildError::Failed(cause) => Self::Failed(cause),
        }
    }
}

/// A file that was opened.
#[derive(Debug)]
pub enum Scan {
    /// A picture, upright as far as the file says, its longer side at most [`Settings::side`].
    Picture(Picture),
    /// A PDF file.
    Pdf(Pdf),
}

/// A PDF file.
pub struct Pdf {
    bytes: Vec<u8>,
    pages: Vec<Page>,
}

impl Pdf {
    /// Its pages and what is written on each, as text; the first [`Settings::most_pages`].
    pub fn pages(&self) -> &[Page] {
        &self.pages
    }
}

// What is written in it is about a person, and must not reach a log by way of `{:?}`.
impl std::fmt::Debug for Pdf {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Pdf({} bytes, {} pages)", self.bytes.len(), self.pages.len())
    }
}

/// Takes in what poppler's tools write about a file, which may be anything: whether there is a text, and a picture.
pub fn take_in(written: &[u8]) -> (Option<Vec<Page>>, Option<Picture>) {
    (pdf::parse(written, 3), pdf::picture(written))
}

/// Opens what people hand in.
#[derive(Clone, Debug, Default)]
pub struct Scanner(Settings);

impl Scanner {
    /// With these limits.
    pub fn new(settings: Settings) -> Self {
        Self(settings)
    }

    /// Opens a file, whatever it is called: its bytes say what it is.
    pub async fn open(&self, bytes: Vec<u8>) -> Result<Scan, ScanError> {
        let limit = self.0.most_bytes;
        match bytes.len() {
            0 => Err(ScanError::Empty),
            measured if measured > limit => Err(ScanError::TooLarge { measured, limit }),
            _ if pdf::is_pdf(&bytes) => {
                let pages = pdf::text(&bytes, &self.0).await?;
                Ok(Scan::Pdf(Pdf { bytes, pages }))
            }
            _ => self.picture(bytes).await.map(Scan::Picture),
        }
    }

    /// Draws a page, counted from 0.
    pub async fn draw(&self, pdf: &Pdf, page: usize) -> Result<Picture, ScanError> {
        pdf::draw(&pdf.bytes, page, &self.0).await
    }

    async fn picture(&self, bytes: Vec<u8>) -> Result<Picture, ScanError> {
        let settings = video::Settings {
            most_picture_pixels: self.0.most_pixels,
            picture_box_side: self.0.side,
            decoder_bytes: self.0.memory,
            stall_seconds: self.0.seconds,
            ..video::Settings::default()
        };
        let ffmpeg = find(&self.0.ffmpeg).ok_or(ScanError::Missing("ffmpeg"))?;
        still::decode(&ffmpeg, bytes, &settings).await.map_err(|error| match error {
            VideoError::NotAPicture(what) => ScanError::NotAPicture(what),
            VideoError::TooManyPixels { measured, .. } => {
                ScanError::TooManyPixels { measured, limit: self.0.most_pixels }
            }
            VideoError::Stalled { seconds } => {
                ScanError::Limit { what: "time", limit: format!("{seconds} seconds") }
            }
            VideoError::Limit { what, limit } => ScanError::Limit { what, limit },
            other => ScanError::Failed(other.to_string()),
        })
    }
}
