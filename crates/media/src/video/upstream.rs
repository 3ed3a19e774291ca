//! Reading a content from its server, and checking the server's answers.

use super::{
    VideoError, VideoSettings,
    error::ContentAddress,
    relay::{ContentFeed, FileVersion},
    source::{ContentSource, StoredReader},
};
use crate::fetch::{Bytes, FetchError, FetchRequest, FetchTarget, HeaderMap, HeaderValue, StreamingResponse};
use http::{HeaderName, header};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

/// Longer validators are ignored: one is kept for each part of a content, and there are up to 20,000. Real ones have some dozen
/// bytes.
const MAX_VALIDATOR_BYTES: usize = 256;
/// After this time a live stream is called anew.
const LIVE_RESPONSE_TIMEOUT: Duration = Duration::from_hours(24);

/// The bytes of a file that are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ByteRange {
    /// The first byte.
    pub(super) from: u64,
    /// The last byte, inclusive; `None` for the rest of the file.
    pub(super) to: Option<u64>,
}

impl ByteRange {
    /// Parses a `Range` header with a single range that has a first position.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (from, to) = text.trim().strip_prefix("bytes=")?.split_once('-')?;
        let to = if to.is_empty() { None } else { Some(to.parse().ok()?) };
        let from = from.parse().ok()?;
        (to.is_none_or(|to| to >= from)).then_some(Self { from, to })
    }

    fn text(self) -> String {
        format!("bytes={}-{}", self.from, self.to.map_or_else(String::new, |to| to.to_string()))
    }
}

/// Where the bytes come from.
enum UpstreamBytes {
    Response(Box<StreamingResponse>),
    Stored(StoredReader),
}

/// A file or a part of it that is still to be read.
pub(super) struct UpstreamBody {
    from: UpstreamBytes,
    feed: Arc<ContentFeed>,
    /// The address that the response came from, after redirects; none of a stored content.
    pub(super) target: Option<FetchTarget>,
    /// Bytes of the whole file, if known.
    pub(super) total: Option<u64>,
    /// Bytes that will be returned, if known.
    pub(super) length: Option<u64>,
    /// Whether parts of the file can be requested.
    pub(super) seekable: bool,
    /// The media type that the server declares.
    pub(super) media_type: Option<String>,
    /// Bytes that are still to be dropped, because the server sent the whole file instead of a part.
    skip: u64,
    to_come: Option<u64>,
    /// Offset in the file of the next byte from the server.
    at: u64,
    put_back: Option<Bytes>,
    /// Whether the bytes are those of media, and not of a playlist.
    pub(super) counts_as_content: bool,
}

impl UpstreamBody {
    /// Requests a file or a part of it; `None` if there is no such part.
    pub(super) async fn open(
        feed: &Arc<ContentFeed>,
        source: &ContentSource,
        place: ContentAddress,
        known: &FileVersion,
        wanted: ByteRange,
    ) -> Result<Option<Self>, VideoError> {
        match source {
            ContentSource::Address(address) | ContentSource::Camera { address, .. } => {
                Self::call(feed, address, place, known, wanted).await
            }
            ContentSource::Stored(stored) if stored.bytes == 0 => Err(VideoError::Empty),
            ContentSource::Stored(stored) => {
                let reader = StoredReader::new(stored, wanted);
                Ok(reader.map(|reader| {
                    let length = Some(reader.left());
                    Self {
                        total: Some(stored.bytes),
                        length,
                        seekable: true,
                        to_come: length,
                        at: wanted.from,
                        ..Self::new(feed, UpstreamBytes::Stored(reader), None)
                    }
                }))
            }
        }
    }

    fn new(feed: &Arc<ContentFeed>, from: UpstreamBytes, target: Option<FetchTarget>) -> Self {
        Self {
            from,
            feed: feed.clone(),
            target,
            total: None,
            length: None,
            seekable: false,
            media_type: None,
            skip: 0,
            to_come: None,
            at: 0,
            put_back: None,
            counts_as_content: true,
        }
    }

    async fn call(
        feed: &Arc<ContentFeed>,
        address: &str,
        place: ContentAddress,
        known: &FileVersion,
        wanted: ByteRange,
    ) -> Result<Option<Self>, VideoError> {
        let settings = feed.settings();
        // A refusal because of the address's text is reported as such; what a name resolves to is not.
        feed.fetcher().parse_target(address).map_err(|reason| VideoError::Refused { place, reason })?;
        let limit = if feed.live { u64::MAX } else { settings.max_bytes };
        let mut call = FetchRequest {
            timeout: if feed.live { LIVE_RESPONSE_TIMEOUT } else { settings.max_run() },
            headers: HeaderMap::new(),
            ..FetchRequest::get(limit)
        };
        let mut put = |name: HeaderName, text: &str| {
            HeaderValue::from_str(text).map(|value| call.headers.insert(name, value)).is_ok()
        };
        if wanted != ByteRange::default() || !feed.live {
            put(header::RANGE, &wanted.text());
            known.etag.as_ref().map(|tag| put(header::IF_RANGE, tag));
        }
        let within = Duration::from_secs(settings.answer_seconds);
        let called = Instant::now();
        let answered = tokio::time::timeout(within, feed.fetcher().open_with_redirects(address, call)).await;
        if !feed.live {
            feed.pace().waited += called.elapsed();
        }
        let late = VideoError::TooSlow { bytes: 0, seconds: settings.answer_seconds, least: 1 };
        let (target, answering) = answered
            .map_err(|_| late)?
            .map_err(|error| VideoError::from_fetch_error(error, place, within))?;
        let mut upstream = Self::new(feed, UpstreamBytes::Response(Box::new(answering)), Some(target));
        let whole = upstream.check_response(place, known, wanted)?;
        Ok(whole.then_some(upstream))
    }

    /// Returns whether there is a body. An error if the response cannot be used.
    fn check_response(
        &mut self,
        place: ContentAddress,
        known: &FileVersion,
        wanted: ByteRange,
    ) -> Result<bool, VideoError> {
        let UpstreamBytes::Response(answering) = &self.from else { return Ok(true) };
        let text = |name: HeaderName| answering.headers().get(name).and_then(|value| value.to_str().ok());
        let number = |text: &str| text.trim().parse::<u64>().ok();
        let announced = text(header::CONTENT_LENGTH).and_then(number);
        if text(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
            return Err(VideoError::Unreliable("it compresses what it was asked to send as it is"));
        }
        let range = text(header::CONTENT_RANGE).and_then(|text| text.trim().strip_prefix("bytes"));
        let (span, total) = range.and_then(|text| text.trim().split_once('/')).unwrap_or_default();
        let (total, media_type) = (number(total), text(header::CONTENT_TYPE).map(str::to_owned));
        let tag = strong_etag(answering.headers());
        match answering.status() {
            206 => {
                let span = span.split_once('-').and_then(|(from, to)| Some((number(from)?, number(to)?)));
                let (from, to) =
                    span.ok_or(VideoError::Unreliable("it sends a part and does not say which"))?;
                if from != wanted.from || to < from || wanted.to.is_some_and(|most| to > most) {
                    return Err(VideoError::Unreliable("it sends another part than it was asked for"));
                }
                let length = part_length((from, to), total, announced)?;
                (self.length, self.seekable, self.at) = (Some(length), true, from);
                self.total = total;
            }
            200 => {
                self.total = announced;
                let last = wanted.to.unwrap_or(u64::MAX);
                self.length =
                    announced.map(|bytes| bytes.min(last.saturating_add(1)).saturating_sub(wanted.from));
                self.skip = wanted.from;
                // If the server does not support ranges, parts are cut out here, which requires a known length.
                self.seekable = announced.is_some();
                if announced.is_some_and(|bytes| bytes <= wanted.from && wanted.from > 0) {
                    return Ok(false);
                }
            }
            416 if wanted.from == 0 && total.is_none_or(|total| total == 0) => return Err(VideoError::Empty),
            416 => return Ok(false),
            status => return Err(VideoError::Status { place, status }),
        }
        let limit = self.feed.settings().max_bytes;
        if !self.feed.live && self.total.is_some_and(|total| total > limit) {
            return Err(VideoError::TooLarge { limit });
        }
        if self.total == Some(0) {
            return Err(VideoError::Empty);
        }
        let differs = |before: Option<u64>| before.is_some() && self.total.is_some() && before != self.total;
        let other = known.etag.is_some() && tag.is_some() && known.etag != tag;
        if other || differs(known.total_bytes) {
            return Err(VideoError::Changed);
        }
        (self.to_come, self.media_type) = (self.length, media_type);
        Ok(true)
    }

    /// What later responses for the same file must agree with.
    pub(super) fn file_version(&self) -> FileVersion {
        let etag = match &self.from {
            UpstreamBytes::Response(answering) => strong_etag(answering.headers()),
            UpstreamBytes::Stored(_) => None,
        };
        FileVersion { etag, total_bytes: self.total }
    }

    /// Reads at least `least` bytes, or all that there are, and puts them back to be read again.
    pub(super) async fn peek(&mut self, least: usize) -> Result<Bytes, VideoError> {
        let mut seen = Vec::new();
        while seen.len() < least
            && let Some(chunk) = self.chunk().await?
        {
            seen.extend_from_slice(&chunk);
        }
        let seen = Bytes::from(seen);
        self.put_back = Some(seen.clone()).filter(|seen| !seen.is_empty());
        Ok(seen)
    }

    /// The next bytes; `None` at the end.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, VideoError> {
        if let Some(bytes) = self.put_back.take() {
            return Ok(Some(bytes));
        }
        while self.to_come != Some(0) {
            let Some(mut bytes) = self.read().await? else {
                return match self.to_come {
                    None => Ok(None),
                    // A body that ends early is an error of the client with HTTP/1, but may not be with HTTP/2.
                    Some(_) => Err(VideoError::BrokenOff { bytes: self.at, announced: self.total }),
                };
            };
            let dropped = self.skip.min(bytes.len() as u64);
            self.skip -= dropped;
            bytes = bytes.slice(dropped as usize..);
            if let Some(to_come) = &mut self.to_come {
                let taken = (*to_come).min(bytes.len() as u64);
                bytes.truncate(taken as usize);
                *to_come -= taken;
            }
            if !bytes.is_empty() {
                return Ok(Some(bytes));
            }
        }
        Ok(None)
    }

    /// The next bytes from the server, or an error if the content has come too slowly by now.
    async fn read_in_time(&mut self) -> Result<Result<Option<Bytes>, FetchError>, VideoError> {
        let answering = match &mut self.from {
            UpstreamBytes::Response(answering) => answering,
            UpstreamBytes::Stored(reader) => return reader.chunk().await.map(Ok),
        };
        let left = {
            let pace = self.feed.pace();
            pace.window.saturating_sub(pace.waited)
        };
        let begun = Instant::now();
        let Ok(read) = tokio::time::timeout(left, answering.chunk()).await else {
            return Err(self.feed.pace().too_slow());
        };
        let bytes = read.as_ref().map_or(0, |chunk| chunk.as_ref().map_or(0, |bytes| bytes.len() as u64));
        self.feed.pace().count(begun.elapsed(), bytes)?;
        Ok(read)
    }

    async fn read(&mut self) -> Result<Option<Bytes>, VideoError> {
        match self.read_in_time().await? {
            Ok(Some(bytes)) => {
                self.at += bytes.len() as u64;
                if self.counts_as_content {
                    self.feed.count_bytes(bytes.len() as u64)?;
                }
                Ok(Some(bytes))
            }
            Ok(None) => Ok(None),
            Err(FetchError::TooLarge { limit }) => Err(VideoError::TooLarge { limit }),
            Err(FetchError::TooSlow(within)) => {
                Err(VideoError::TooSlow { bytes: self.at, seconds: within.as_secs(), least: self.at + 1 })
            }
            Err(_) => Err(VideoError::BrokenOff { bytes: self.at, announced: self.total }),
        }
    }
}

/// The length of a part of a file, given its first and its last byte; the total and the length that the server
/// announced must agree with it.
fn part_length(
    (from, to): (u64, u64),
    total: Option<u64>,
    announced: Option<u64>,
) -> Result<u64, VideoError> {
    // The server says both, and one more than the largest number overflows.
    let length = to.checked_sub(from).and_then(|rest| rest.checked_add(1));
    length
        .filter(|length| {
            total.is_none_or(|total| to < total) && announced.is_none_or(|bytes| bytes == *length)
        })
        .ok_or(VideoError::Unreliable("it contradicts itself about the content's length"))
}

/// The validator of a file's version that `If-Range` takes: a strong `ETag`, or else `Last-Modified`.
fn strong_etag(headers: &HeaderMap) -> Option<String> {
    let text = |name: HeaderName| {
        let text = headers.get(name).and_then(|value| value.to_str().ok());
        text.filter(|text| text.len() <= MAX_VALIDATOR_BYTES)
    };
    let tag = text(header::ETAG).filter(|tag| tag.starts_with('"'));
    tag.or_else(|| text(header::LAST_MODIFIED)).map(str::to_owned)
}

/// Checks that the bytes of a content arrive fast enough, over all answers that it is read from. Only time spent waiting for
/// them counts, so that a slow reader is not taken for a slow server.
#[derive(Debug)]
pub(super) struct TransferRate {
    window: Duration,
    least: u64,
    waited: Duration,
    bytes: u64,
}

impl TransferRate {
    pub(super) fn new(settings: &VideoSettings, live: bool) -> Self {
        let (seconds, least) = if live {
            (settings.live_quiet_seconds, 1)
        } else {
            (settings.slow_seconds, settings.slow_bytes)
        };
        Self { window: Duration::from_secs(seconds), least, waited: Duration::ZERO, bytes: 0 }
    }

    /// Counts bytes and the time that was spent waiting for them.
    fn count(&mut self, waited: Duration, bytes: u64) -> Result<(), VideoError> {
        self.waited += waited;
        self.bytes += bytes;
        if self.bytes >= self.least {
            (self.waited, self.bytes) = (Duration::ZERO, 0);
        } else if self.waited >= self.window {
            return Err(self.too_slow());
        }
        Ok(())
    }

    fn too_slow(&self) -> VideoError {
        VideoError::TooSlow { bytes: self.bytes, seconds: self.window.as_secs(), least: self.least }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_validator_is_strong_and_short() {
        let validator = |tag: &str, modified: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ETAG, tag.parse().unwrap());
            if let Some(modified) = modified {
                headers.insert(header::LAST_MODIFIED, modified.parse().unwrap());
            }
            strong_etag(&headers)
        };
        let tag = |bytes: usize| format!("\"{}\"", "x".repeat(bytes - 2));
        let day = "Fri, 16 Jan 2026 14:40:00 GMT";
        assert_eq!(validator(&tag(MAX_VALIDATOR_BYTES), Some(day)), Some(tag(MAX_VALIDATOR_BYTES)));
        assert_eq!(validator(&tag(MAX_VALIDATOR_BYTES + 1), Some(day)).as_deref(), Some(day));
        assert_eq!(validator(&tag(MAX_VALIDATOR_BYTES + 1), None), None);
        assert_eq!(validator("W/\"1\"", Some(day)).as_deref(), Some(day));
        assert_eq!(validator("W/\"1\"", Some(&"x".repeat(MAX_VALIDATOR_BYTES + 1))), None);
    }

    #[test]
    fn the_length_of_a_part_must_agree_with_what_else_is_said() {
        let contradicts: Result<u64, VideoError> =
            Err(VideoError::Unreliable("it contradicts itself about the content's length"));
        assert_eq!(part_length((0, 9), None, None), Ok(10));
        assert_eq!(part_length((5, 9), Some(10), Some(5)), Ok(5));
        assert_eq!(part_length((5, 9), Some(9), None), contradicts);
        assert_eq!(part_length((5, 9), None, Some(4)), contradicts);
        assert_eq!(part_length((9, 5), None, None), contradicts);
        assert_eq!(part_length((0, u64::MAX), None, None), contradicts);
        assert_eq!(part_length((1, u64::MAX), None, None), Ok(u64::MAX));
    }
}
