//! Bytes of a content as its server sends them, and whether it keeps its word.

use super::{
    VideoError,
    error::ContentAddress,
    relay::{ContentFeed, FileVersion},
};
use crate::fetch::{Bytes, FetchError, FetchRequest, FetchTarget, HeaderMap, HeaderValue, StreamingResponse};
use http::{HeaderName, header};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

/// Longer than anything stored is read at once.
const MAX_CONTENT_TIMEOUT: Duration = Duration::from_hours(24);

/// Bytes that are wanted of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ByteRange {
    /// The first.
    pub(super) from: u64,
    /// The last.
    pub(super) to: Option<u64>,
}

impl ByteRange {
    /// Reads a `Range` of one part, from somewhere.
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

/// An answer whose bytes are still to be read.
pub(super) struct UpstreamBody {
    answering: StreamingResponse,
    feed: Arc<ContentFeed>,
    /// Where the answer is from.
    pub(super) target: FetchTarget,
    /// Bytes of the whole file, where that is known.
    pub(super) total: Option<u64>,
    /// Bytes that will come, where that is known.
    pub(super) length: Option<u64>,
    /// Whether parts of the file can be asked for.
    pub(super) seekable: bool,
    /// What the server says it is.
    pub(super) media_type: Option<String>,
    /// Bytes still to be dropped, because the server sends the whole file when it is asked for the end.
    skip: u64,
    to_come: Option<u64>,
    /// Of the file: where the next byte to come stands.
    at: u64,
    pace: TransferRate,
    put_back: Option<Bytes>,
    /// Whether its bytes are the content's, and not a playlist's.
    pub(super) counts_as_content: bool,
}

impl UpstreamBody {
    /// Asks for a file, or a part of it; nothing where there is no such part.
    pub(super) async fn open(
        feed: &Arc<ContentFeed>,
        address: &str,
        place: ContentAddress,
        known: &FileVersion,
        wanted: ByteRange,
    ) -> Result<Option<Self>, VideoError> {
        let settings = feed.settings();
        // What the text alone tells is said; where a name leads is not.
        feed.fetcher().parse_target(address).map_err(|reason| VideoError::Refused { place, reason })?;
        let limit = if feed.live { u64::MAX } else { settings.most_bytes };
        let mut call = FetchRequest {
            timeout: MAX_CONTENT_TIMEOUT,
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
        let answered = tokio::time::timeout(within, feed.fetcher().open_with_redirects(address, call)).await;
        let late = VideoError::TooSlow { bytes: 0, seconds: settings.answer_seconds, least: 1 };
        let (target, answering) = answered
            .map_err(|_| late)?
            .map_err(|error| VideoError::from_fetch_error(error, place, within))?;
        let mut upstream = Self {
            answering,
            feed: feed.clone(),
            target,
            total: None,
            length: None,
            seekable: false,
            media_type: None,
            skip: 0,
            to_come: None,
            at: 0,
            pace: TransferRate::new(feed),
            put_back: None,
            counts_as_content: true,
        };
        let whole = upstream.check_response(place, known, wanted)?;
        Ok(whole.then_some(upstream))
    }

    /// Whether there is a body; an error where the answer is none that can be used.
    fn check_response(
        &mut self,
        place: ContentAddress,
        known: &FileVersion,
        wanted: ByteRange,
    ) -> Result<bool, VideoError> {
        let text =
            |name: HeaderName| self.answering.headers().get(name).and_then(|value| value.to_str().ok());
        let number = |text: &str| text.trim().parse::<u64>().ok();
        let announced = text(header::CONTENT_LENGTH).and_then(number);
        if text(header::CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
            return Err(VideoError::Unreliable("it compresses what it was asked to send as it is"));
        }
        let range = text(header::CONTENT_RANGE).and_then(|text| text.trim().strip_prefix("bytes"));
        let (span, total) = range.and_then(|text| text.trim().split_once('/')).unwrap_or_default();
        let (total, media_type) = (number(total), text(header::CONTENT_TYPE).map(str::to_owned));
        let tag = strong_etag(self.answering.headers());
        match self.answering.status() {
            206 => {
                let span = span.split_once('-').and_then(|(from, to)| Some((number(from)?, number(to)?)));
                let (from, to) =
                    span.ok_or(VideoError::Unreliable("it sends a part and does not say which"))?;
                if from != wanted.from || to < from || wanted.to.is_some_and(|most| to > most) {
                    return Err(VideoError::Unreliable("it sends another part than it was asked for"));
                }
                if total.is_some_and(|total| to >= total)
                    || announced.is_some_and(|bytes| bytes != to - from + 1)
                {
                    return Err(VideoError::Unreliable("it contradicts itself about the content's length"));
                }
                (self.length, self.seekable, self.at) = (Some(to - from + 1), true, from);
                self.total = total;
            }
            200 => {
                self.total = announced;
                let last = wanted.to.unwrap_or(u64::MAX);
                self.length =
                    announced.map(|bytes| bytes.min(last.saturating_add(1)).saturating_sub(wanted.from));
                self.skip = wanted.from;
                // Parts are cut out here where the server cannot; not without knowing where the end is.
                self.seekable = announced.is_some();
                if announced.is_some_and(|bytes| bytes <= wanted.from && wanted.from > 0) {
                    return Ok(false);
                }
            }
            416 if wanted.from == 0 && total.is_none_or(|total| total == 0) => return Err(VideoError::Empty),
            416 => return Ok(false),
            status => return Err(VideoError::Status { place, status }),
        }
        let limit = self.feed.settings().most_bytes;
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

    /// What later answers about the same file must say.
    pub(super) fn file_version(&self) -> FileVersion {
        FileVersion { etag: strong_etag(self.answering.headers()), total_bytes: self.total }
    }

    /// Looks at the first bytes, which are then still to be read: at least `least`, where there are as many.
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

    /// The next bytes; nothing at the end.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, VideoError> {
        if let Some(bytes) = self.put_back.take() {
            return Ok(Some(bytes));
        }
        while self.to_come != Some(0) {
            let Some(mut bytes) = self.read().await? else {
                return match self.to_come {
                    None => Ok(None),
                    // What HTTP/1 calls an error, HTTP/2 may not.
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

    async fn read(&mut self) -> Result<Option<Bytes>, VideoError> {
        let answered = self.pace.measure(self.answering.chunk(), |read| match read {
            Ok(Some(bytes)) => bytes.len() as u64,
            _ => 0,
        });
        match answered.await? {
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

/// What names the version of a file, strongly enough to ask for a part of it.
fn strong_etag(headers: &HeaderMap) -> Option<String> {
    let text = |name: HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
    let tag = text(header::ETAG).filter(|tag| tag.starts_with('"'));
    tag.or_else(|| text(header::LAST_MODIFIED)).map(str::to_owned)
}

/// Whether bytes come fast enough. Only time in which they were waited for counts: a slow reader is no slow server.
struct TransferRate {
    window: Duration,
    least: u64,
    waited: Duration,
    bytes: u64,
}

impl TransferRate {
    fn new(feed: &ContentFeed) -> Self {
        let settings = feed.settings();
        let (seconds, least) = if feed.live {
            (settings.live_quiet_seconds, 1)
        } else {
            (settings.slow_seconds, settings.slow_bytes)
        };
        Self { window: Duration::from_secs(seconds), least, waited: Duration::ZERO, bytes: 0 }
    }

    async fn measure<T>(
        &mut self,
        work: impl Future<Output = T>,
        bytes: impl Fn(&T) -> u64,
    ) -> Result<T, VideoError> {
        let too_slow =
            |bytes, window: Duration, least| VideoError::TooSlow { bytes, seconds: window.as_secs(), least };
        let begun = Instant::now();
        let Ok(done) = tokio::time::timeout(self.window.saturating_sub(self.waited), work).await else {
            return Err(too_slow(self.bytes, self.window, self.least));
        };
        self.waited += begun.elapsed();
        self.bytes += bytes(&done);
        if self.bytes >= self.least {
            (self.waited, self.bytes) = (Duration::ZERO, 0);
        } else if self.waited >= self.window {
            return Err(too_slow(self.bytes, self.window, self.least));
        }
        Ok(done)
    }
}
