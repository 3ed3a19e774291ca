//! Videos, live videos and pictures at addresses that users supplied, decoded to pictures.
//!
//! A relay on loopback stands between the content's server and ffmpeg: every byte, including redirects and the segments
//! of playlists, is fetched through [`crate::fetch`], cameras are spoken to through it too, and ffmpeg connects to nothing
//! else. Each content has an ffmpeg
//! process of its own, with an empty environment and limits, which is killed when its frames are no longer wanted.
//! Memory does not depend on a video's length: at most three frames wait outside the decoder.

mod decoder;
mod error;
pub(crate) mod ffmpeg_tools;
mod frames;
mod nut_demuxer;
mod playlist;
mod probe;
mod relay;
mod rtsp;
mod source;
pub(crate) mod still_picture;
mod upstream;

pub use error::{ContentAddress, VideoError};
pub use frames::{EndAnnouncement, FrameStream, SampledFrame};
pub use probe::VideoProbe;
pub use source::{CameraCredentials, ContentSource, StoredContent};
pub use still_picture::StillPicture;

use crate::{
    fetch::Fetcher,
    sandbox::process::{ProcessLimits, RelayEntrance},
};
use decoder::FrameDecoder;
use ffmpeg_tools::FfmpegTools;
use relay::{FetchRelay, FileVersion};
use serde::{Deserialize, Serialize};
use std::{path::PathBuf, sync::Arc, time::Duration};
use tokio::sync::OnceCell;
use upstream::{ByteRange, UpstreamBody};

/// Seconds of processor time that a decoder may use without making progress.
const STALLED_CPU_SECONDS: u64 = 120;

/// Limits on videos and pictures at addresses, and where ffmpeg is; the section `[video]`.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct VideoSettings {
    /// The program `ffmpeg`, by name or path.
    pub ffmpeg: PathBuf,
    /// The program `ffprobe`, by name or path.
    pub ffprobe: PathBuf,
    /// The largest stored file, or segment of a stream, bytes.
    #[serde(rename = "most_bytes", deserialize_with = "base::settings::number_of_bytes")]
    pub max_bytes: u64,
    /// The most that is fetched of one stored content in all, bytes: all segments, and parts that are read again.
    #[serde(rename = "most_stream_bytes", deserialize_with = "base::settings::number_of_bytes")]
    pub max_stream_bytes: u64,
    /// The largest picture file, bytes.
    #[serde(rename = "most_picture_bytes", deserialize_with = "base::settings::number_of_bytes")]
    pub max_picture_bytes: u64,
    /// The longest stored video, seconds.
    #[serde(rename = "most_seconds", deserialize_with = "base::settings::fractional_seconds")]
    pub max_seconds: f64,
    /// The longest side of a video, pixels.
    #[serde(rename = "most_side")]
    pub max_side: u32,
    /// The largest picture, pixels in all.
    #[serde(rename = "most_picture_pixels")]
    pub max_picture_pixels: u32,
    /// The side of the square that frames of a video are scaled down to fit, pixels.
    pub box_side: u32,
    /// The side of the square that pictures are scaled down to fit, pixels.
    pub picture_box_side: u32,
    /// Threads of one decoder.
    pub threads: u32,
    /// Whether the deblocking filter of H.264 is applied. Without it, decoding takes a fifth less time. Frames of clean video
    /// then differ from the right ones by 46 to 57 dB (PSNR), but in noisy video errors add up until the next key frame: to
    /// 20 dB after five seconds, when faces are hardly recognisable.
    pub deblock: bool,
    /// Memory that a decoder may reserve, its libraries included, bytes.
    #[serde(deserialize_with = "base::settings::number_of_bytes")]
    pub decoder_bytes: u64,
    /// The niceness of a decoder, 0 to 19.
    pub niceness: i32,
    /// How long a server may take to begin its answer, seconds.
    #[serde(deserialize_with = "base::settings::number_of_seconds")]
    pub answer_seconds: u64,
    /// The longest time from the first run of a stored content's moderation to its end, seconds.
    #[serde(rename = "most_run_seconds", deserialize_with = "base::settings::number_of_seconds")]
    pub max_run_seconds: u64,
    /// The interval in which at least `slow_bytes` of a stored content must arrive, seconds.
    #[serde(deserialize_with = "base::settings::number_of_seconds")]
    pub slow_seconds: u64,
    /// The least that must arrive in `slow_seconds`, bytes.
    #[serde(deserialize_with = "base::settings::number_of_bytes")]
    pub slow_bytes: u64,
    /// The longest time in which nothing of a live stream arrives, seconds.
    #[serde(deserialize_with = "base::settings::number_of_seconds")]
    pub live_quiet_seconds: u64,
    /// The longest time in which a decoder neither outputs a frame nor reads a byte, seconds; of a live video that has given
    /// frames, the longest time until the next one, or that of three frames where it has fewer.
    #[serde(deserialize_with = "base::settings::number_of_seconds")]
    pub stall_seconds: u64,
}

impl Default for VideoSettings {
    fn default() -> Self {
        Self {
            ffmpeg: "ffmpeg".into(),
            ffprobe: "ffprobe".into(),
            max_bytes: 2_000_000_000,
            max_stream_bytes: 20_000_000_000,
            max_picture_bytes: 50_000_000,
            max_seconds: 12.0 * 3600.0,
            max_side: 8192,
            max_picture_pixels: 100_000_000,
            box_side: 1920,
            picture_box_side: 4096,
            threads: 2,
            deblock: true,
            decoder_bytes: 2 << 30,
            niceness: 5,
            answer_seconds: 30,
            max_run_seconds: 24 * 3600,
            slow_seconds: 60,
            slow_bytes: 1_000_000,
            live_quiet_seconds: 20,
            stall_seconds: 30,
        }
    }
}

impl VideoSettings {
    /// [`Self::max_run_seconds`], a year at most.
    fn max_run(&self) -> Duration {
        Duration::from_secs(self.max_run_seconds.clamp(1, 365 * 24 * 3600))
    }

    fn limits(&self, relay: Option<RelayEntrance>) -> ProcessLimits {
        ProcessLimits {
            memory_bytes: self.decoder_bytes,
            cpu_seconds: STALLED_CPU_SECONDS,
            niceness: self.niceness,
            relay,
        }
    }
}

/// Which frames of a content are wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct SamplingRequest {
    /// Whether it is a live stream: reading starts at its newest part, and frames are dropped rather than queued.
    pub live: bool,
    /// Seconds. For stored video, the time of the last sample that is not wanted any more; 0 for all samples. For live
    /// video, an offset that is added to all times.
    pub from_seconds: f64,
    /// Samples per second, 0.01 to 60. Each sample is the first decoded frame of its interval.
    pub frames_per_second: f64,
}

impl Default for SamplingRequest {
    fn default() -> Self {
        Self { live: false, from_seconds: 0.0, frames_per_second: 2.0 }
    }
}

/// What a content's server declares about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContentMetadata {
    /// Its size in bytes, if declared.
    pub bytes: Option<u64>,
    /// Its media type, if declared.
    pub media_type: Option<String>,
}

/// Opens contents; cheap to clone.
#[derive(Clone)]
pub struct ContentLoader(Arc<ContentLoaderInner>);

struct ContentLoaderInner {
    relay: FetchRelay,
    settings: Arc<VideoSettings>,
    tools: OnceCell<Arc<FfmpegTools>>,
}

impl ContentLoader {
    /// Starts the relay. ffmpeg is located when it is first needed.
    pub async fn start(fetcher: Fetcher, settings: VideoSettings) -> Result<Self, VideoError> {
        let settings = Arc::new(settings);
        let relay = FetchRelay::start(fetcher, settings.clone()).await;
        let relay = relay.map_err(|error| VideoError::Failed(format!("the relay cannot listen: {error}")))?;
        Ok(Self(Arc::new(ContentLoaderInner { relay, settings, tools: OnceCell::new() })))
    }

    /// Checks that a content responds within [`VideoSettings::answer_seconds`], with at least one byte, and does not
    /// announce more than [`VideoSettings::max_bytes`].
    pub async fn check_reachable(
        &self,
        source: impl Into<ContentSource>,
    ) -> Result<ContentMetadata, VideoError> {
        let (source, seconds) = (source.into(), self.0.settings.answer_seconds);
        let reaching = async {
            if let ContentSource::Stored(stored) = &source {
                stored.check_there().await?;
                return Ok(ContentMetadata { bytes: Some(stored.bytes), media_type: None });
            }
            if let Some((address, credentials)) = source.camera() {
                rtsp::check_answers(&*self.0.relay.stream_feed(address, credentials)?).await?;
                return Ok(ContentMetadata { bytes: None, media_type: None });
            }
            // Not as a live stream, because its response has no length.
            let feed = self.0.relay.feed(false)?;
            let wanted = ByteRange { from: 0, to: Some(0) };
            let opened =
                UpstreamBody::open(&feed, &source, ContentAddress::Content, &FileVersion::default(), wanted)
                    .await?;
            let mut upstream = opened.ok_or(VideoError::Empty)?;
            if upstream.peek(1).await?.is_empty() {
                return Err(VideoError::Empty);
            }
            Ok(ContentMetadata { bytes: upstream.total, media_type: upstream.media_type })
        };
        let late = VideoError::TooSlow { bytes: 0, seconds, least: 1 };
        tokio::time::timeout(Duration::from_secs(seconds), reaching).await.unwrap_or(Err(late))
    }

    /// [`VideoSettings::max_picture_bytes`].
    pub fn max_picture_bytes(&self) -> u64 {
        self.0.settings.max_picture_bytes
    }

    /// [`VideoSettings::max_bytes`].
    pub fn max_bytes(&self) -> u64 {
        self.0.settings.max_bytes
    }

    /// The interval, and the least number of bytes that must arrive in it: [`VideoSettings::slow_seconds`] and
    /// [`VideoSettings::slow_bytes`].
    pub fn slowest_transfer(&self) -> (Duration, u64) {
        (Duration::from_secs(self.0.settings.slow_seconds), self.0.settings.slow_bytes)
    }

    /// Fails if a picture announces more than [`VideoSettings::max_picture_bytes`].
    pub fn ensure_picture_fits(&self, announced: &ContentMetadata) -> Result<(), VideoError> {
        let limit = self.0.settings.max_picture_bytes;
        if announced.bytes.is_some_and(|bytes| bytes > limit) {
            return Err(VideoError::TooLarge { limit });
        }
        Ok(())
    }

    /// Fails if a stored content has been looked at for longer than [`VideoSettings::max_run_seconds`].
    pub fn ensure_in_time(&self, taken: Duration) -> Result<(), VideoError> {
        let limit = self.0.settings.max_run();
        if taken <= limit {
            return Ok(());
        }
        Err(VideoError::TakesTooLong { seconds: taken.as_secs(), limit: limit.as_secs() })
    }

    /// Reads what a video declares about itself.
    pub async fn probe(
        &self,
        source: impl Into<ContentSource>,
        live: bool,
    ) -> Result<VideoProbe, VideoError> {
        let tools = self.tools().await?;
        let feed = self.0.relay.open(&source.into(), live).await?;
        tools.ensure_reads(&feed)?;
        probe::probe(&tools, &feed, &self.0.settings).await
    }

    /// Starts decoding a video.
    pub async fn open(
        &self,
        source: impl Into<ContentSource>,
        ask: &SamplingRequest,
    ) -> Result<FrameStream, VideoError> {
        let tools = self.tools().await?;
        let feed = self.0.relay.open(&source.into(), ask.live).await?;
        tools.ensure_reads(&feed)?;
        let settings = self.0.settings.clone();
        let probe = probe::probe(&tools, &feed, &settings).await?;
        let rate =
            if ask.frames_per_second.is_finite() { ask.frames_per_second.clamp(0.01, 60.0) } else { 2.0 };
        let from = if ask.from_seconds.is_finite() { ask.from_seconds.max(0.0) } else { 0.0 };
        let ask = SamplingRequest { live: ask.live, from_seconds: from, frames_per_second: rate };
        Ok(FrameStream::of(FrameDecoder { tools, settings, feed, probe, ask }))
    }

    /// Fetches a picture (JPEG, PNG, WebP, GIF and others) that becomes upright and is scaled down to
    /// [`VideoSettings::picture_box_side`].
    pub async fn picture(&self, source: impl Into<ContentSource>) -> Result<StillPicture, VideoError> {
        let (source, settings) = (source.into(), &self.0.settings);
        let limit = settings.max_picture_bytes;
        let bytes = match &source {
            ContentSource::Address(_) | ContentSource::Camera { .. } => {
                self.fetch_picture(&source, limit).await?
            }
            ContentSource::Stored(stored) => stored.read_all(limit).await?,
        };
        if bytes.is_empty() {
            return Err(VideoError::Empty);
        }
        still_picture::open(&self.tools().await?.ffmpeg, bytes, settings).await
    }

    async fn fetch_picture(&self, source: &ContentSource, limit: u64) -> Result<Vec<u8>, VideoError> {
        let feed = self.0.relay.feed(false)?;
        let known = FileVersion::default();
        let whole = ByteRange::default();
        let opened = UpstreamBody::open(&feed, source, ContentAddress::Content, &known, whole).await?;
        let mut upstream = opened.ok_or(VideoError::Empty)?;
        let mut bytes = Vec::new();
        let announced = upstream.total.is_some_and(|total| total > limit);
        while !announced && let Some(chunk) = upstream.chunk().await? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() as u64 > limit {
                break;
            }
        }
        if announced || bytes.len() as u64 > limit {
            return Err(VideoError::TooLarge { limit });
        }
        Ok(bytes)
    }

    async fn tools(&self) -> Result<Arc<FfmpegTools>, VideoError> {
        let find =
            || async { Ok(Arc::new(FfmpegTools::find(&self.0.settings, self.0.relay.entrance()).await?)) };
        self.0.tools.get_or_try_init(find).await.cloned()
    }
}

impl std::fmt::Debug for ContentLoader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Videos({:?})", self.0.settings)
    }
}
