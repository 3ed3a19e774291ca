//! PDF files: their text with its position, and their pages as pictures, both from poppler's tools.

use super::{DocumentFileError, DocumentFileSettings};
use crate::{
    sandbox::process::{ProcessLimits, SandboxedProcess},
    video::ffmpeg_tools::find_program,
};
use base::Picture;
use quick_xml::{
    Reader,
    escape::{resolve_predefined_entity, unescape},
    events::{BytesStart, Event},
};
use std::{path::Path, process::Stdio, time::Duration};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// Limit on the XML that describes a file's text, bytes.
const MAX_TEXT_BYTES: u64 = 4 << 20;
/// Words beyond this number are left out of a page.
const MAX_WORDS_PER_PAGE: usize = 5000;
/// The `%PDF-` signature may start this many bytes into the file (ISO 32000-1, annex H.3).
const MAX_SIGNATURE_OFFSET: usize = 1024;
const MILLIMETRES_PER_POINT: f32 = 25.4 / 72.0;

/// A page of a PDF file.
#[derive(Clone, PartialEq)]
pub struct PdfPage {
    /// Width and height in millimetres.
    pub size: [f32; 2],
    /// Its text, in reading order; empty if the page is a scan.
    pub words: Vec<PdfWord>,
}

/// A word of a page.
#[derive(Clone, PartialEq)]
pub struct PdfWord {
    pub text: String,
    /// Left, top, right and bottom in millimetres from the page's top left corner.
    pub bounds: [f32; 4],
    /// The line of the page that it is in, counted from 0.
    pub line: usize,
}

// The text is personal data and must not reach a log through `{:?}`.
impl std::fmt::Debug for PdfPage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Page({} words, {:?} mm)", self.words.len(), self.size)
    }
}

impl std::fmt::Debug for PdfWord {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Word({} letters at {:?})", self.text.chars().count(), self.bounds)
    }
}

/// Whether bytes have the signature of a PDF file.
pub(super) fn is_pdf(bytes: &[u8]) -> bool {
    memchr::memmem::find(&bytes[..bytes.len().min(MAX_SIGNATURE_OFFSET)], b"%PDF-").is_some()
}

/// Extracts the text of the first pages with its position.
pub(super) async fn extract_text(
    bytes: &[u8],
    settings: &DocumentFileSettings,
) -> Result<Vec<PdfPage>, DocumentFileError> {
    let program = find_program(&settings.pdftotext).ok_or(DocumentFileError::Missing("pdftotext"))?;
    let last = settings.max_pages.to_string();
    let arguments = ["-bbox-layout", "-enc", "UTF-8", "-f", "1", "-l", &last, "-", "-"];
    let (said, xml) = run_tool(&program, &arguments, bytes, MAX_TEXT_BYTES, settings).await?;
    let pages = parse_bbox_layout(&xml, settings.max_pages).unwrap_or_default();
    if pages.is_empty() {
        return Err(if said.contains("password") {
            DocumentFileError::Encrypted
        } else {
            DocumentFileError::Damaged
        });
    }
    Ok(pages)
}

/// Renders a page, counted from 0, its longer side [`DocumentFileSettings::max_page_side`] pixels.
pub(super) async fn render_page(
    bytes: &[u8],
    page: usize,
    settings: &DocumentFileSettings,
) -> Result<Picture, DocumentFileError> {
    if page >= settings.max_pages {
        return Err(DocumentFileError::Damaged);
    }
    let program = find_program(&settings.pdftoppm).ok_or(DocumentFileError::Missing("pdftoppm"))?;
    let (page, side) = ((page + 1).to_string(), settings.max_page_side.to_string());
    let arguments = ["-f", &page, "-l", &page, "-cropbox", "-scale-to", &side, "-"];
    let most = u64::from(settings.max_page_side).pow(2) * 3 + 64;
    let (said, ppm) = run_tool(&program, &arguments, bytes, most, settings).await?;
    parse_ppm(&ppm).ok_or_else(|| {
        if said.contains("password") { DocumentFileError::Encrypted } else { DocumentFileError::Damaged }
    })
}

/// Runs a program with the file as its input; returns its error output in lower case, and its output of at most `most`
/// bytes.
async fn run_tool(
    program: &Path,
    arguments: &[&str],
    bytes: &[u8],
    most: u64,
    settings: &DocumentFileSettings,
) -> Result<(String, Vec<u8>), DocumentFileError> {
    let arguments: Vec<String> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    let limits = ProcessLimits {
        memory_bytes: settings.memory_bytes,
        cpu_seconds: settings.cpu_seconds,
        niceness: 5,
        relay: None,
    };
    let mut child = SandboxedProcess::start(program, &arguments, Stdio::piped(), limits).await?;
    let (stdin, stdout) = (child.stdin(), child.stdout()?);
    let writing = async {
        // The program may have read enough before the end of the file.
        if let Some(mut stdin) = stdin {
            let _enough = stdin.write_all(bytes).await;
        }
    };
    let mut out = Vec::new();
    let mut bounded = stdout.take(most + 1);
    let both = async { tokio::join!(writing, bounded.read_to_end(&mut out)).1 };
    let time =
        || DocumentFileError::Limit { what: "time", limit: format!("{} seconds", settings.cpu_seconds) };
    // On a busy machine the program also waits for a processor, so it may take twice as long.
    let read = tokio::time::timeout(Duration::from_secs(2 * settings.cpu_seconds), both);
    read.await.map_err(|_| time())?.map_err(|error| DocumentFileError::Failed(error.to_string()))?;
    if out.len() as u64 > most {
        return Err(DocumentFileError::Limit { what: "output", limit: format!("{most} bytes") });
    }
    let (_, said) = child.wait().await?;
    Ok((said.to_lowercase(), out))
}

/// Parses a picture as `pdftoppm` writes it: `P6`, width, height and 255, then RGB bytes.
pub(super) fn parse_ppm(ppm: &[u8]) -> Option<Picture> {
    let mut rest = ppm;
    let mut head = [0_u32; 3];
    rest = rest.strip_prefix(b"P6\n")?;
    for number in &mut head {
        let end = rest.iter().position(u8::is_ascii_whitespace)?;
        *number = std::str::from_utf8(&rest[..end]).ok()?.parse().ok()?;
        rest = &rest[end + 1..];
    }
    let [width, height, depth] = head;
    (depth == 255).then(|| Picture::new(width, height, rest.to_vec())).flatten()
}

/// Parses the output of `pdftotext -bbox-layout`: `page`, `line` and `word` elements with their boxes in points.
pub(super) fn parse_bbox_layout(xml: &[u8], most_pages: usize) -> Option<Vec<PdfPage>> {
    let mut reader = Reader::from_reader(xml);
    reader.config_mut().check_end_names = false;
    let (mut pages, mut line): (Vec<PdfPage>, usize) = (Vec::new(), 0);
    let mut open: Option<PdfWord> = None;
    loop {
        match reader.read_event().ok()? {
            Event::Start(element) => match element.name().as_ref() {
                b"page" if pages.len() < most_pages => {
                    let [width, height] = number_attributes(&element, ["width", "height"])?;
                    pages.push(PdfPage {
                        size: [width * MILLIMETRES_PER_POINT, height * MILLIMETRES_PER_POINT],
                        words: Vec::new(),
                    });
                    line = 0;
                }
                b"line" => line += 1,
                b"word" => {
                    let bounds = number_attributes(&element, ["xMin", "yMin", "xMax", "yMax"])?;
                    let bounds = bounds.map(|points| points * MILLIMETRES_PER_POINT);
                    open = Some(PdfWord { text: String::new(), bounds, line: line.saturating_sub(1) });
                }
                _ => {}
            },
            Event::Text(text) => {
                if let Some(word) = &mut open {
                    word.text.push_str(&unescape(&text.decode().ok()?).ok()?);
                }
            }
            Event::GeneralRef(name) => {
                if let Some(word) = &mut open {
                    let name = name.decode().ok()?;
                    let known = resolve_predefined_entity(&name).map(str::to_owned);
                    word.text
                        .push_str(&known.or_else(|| unescape(&format!("&{name};")).ok().map(Into::into))?);
                }
            }
            Event::End(element) if element.name().as_ref() == b"word" => {
                if let Some((word, page)) = open.take().zip(pages.last_mut())
                    && page.words.len() < MAX_WORDS_PER_PAGE
                    && !word.text.trim().is_empty()
                {
                    page.words.push(word);
                }
            }
            Event::Eof => return Some(pages),
            _ => {}
        }
    }
}

fn number_attributes<const N: usize>(element: &BytesStart, names: [&str; N]) -> Option<[f32; N]> {
    let mut out = [0.0; N];
    for (out, name) in out.iter_mut().zip(names) {
        let attribute = element.try_get_attribute(name).ok()??;
        let number: f32 = std::str::from_utf8(&attribute.value).ok()?.parse().ok()?;
        *out = Some(number).filter(|number| number.is_finite())?;
    }
    Some(out)
}
