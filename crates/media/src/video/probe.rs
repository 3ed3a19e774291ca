//! What a video declares about itself, before any of it is decoded.

use super::{
    VideoError, VideoSettings,
    ffmpeg_tools::{FfmpegTools, common_arguments},
    relay::ContentFeed,
};
use crate::sandbox::process::SandboxedProcess;
use serde::Deserialize;
use std::{process::Stdio, time::Duration};
use tokio::io::AsyncReadExt as _;

/// Bytes that are read of ffprobe's output.
const MAX_OUTPUT_BYTES: u64 = 1 << 20;
const PROBE_TIMEOUT: Duration = Duration::from_mins(3);

/// What a video declares about itself.
#[derive(Clone, Debug, PartialEq)]
pub struct VideoProbe {
    /// The container by ffmpeg's name: `mov`, `matroska`, `hls` …
    pub container: String,
    /// The codec by ffmpeg's name: `h264`, `vp9` …
    pub codec: String,
    /// Width as shown, in pixels: upright, with square pixels, before scaling down.
    pub width: u32,
    /// Height as shown, in pixels.
    pub height: u32,
    /// Seconds, if declared; `None` for live video.
    pub duration: Option<f64>,
    /// Average frames per second, if declared.
    pub fps: Option<f64>,
    pub(super) index: u32,
    pub(super) turn: VideoRotation,
}

/// The rotation that makes frames upright.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum VideoRotation {
    #[default]
    None,
    Right,
    UpsideDown,
    Left,
}

#[derive(Deserialize)]
struct FfprobeOutput {
    #[serde(default)]
    streams: Vec<FfprobeStream>,
    #[serde(default)]
    format: FfprobeFormat,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct FfprobeFormat {
    format_name: String,
    duration: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct FfprobeStream {
    index: u32,
    codec_type: String,
    codec_name: String,
    width: u32,
    height: u32,
    sample_aspect_ratio: String,
    avg_frame_rate: String,
    duration: Option<String>,
    disposition: FfprobeDisposition,
    side_data_list: Vec<FfprobeSideData>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct FfprobeDisposition {
    default: u8,
    attached_pic: u8,
    timed_thumbnails: u8,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct FfprobeSideData {
    rotation: Option<f64>,
}

const FFPROBE_ENTRIES: &str = "format=format_name,duration:stream=index,codec_type,codec_name,width,height,\
    sample_aspect_ratio,avg_frame_rate,duration:stream_disposition=default,attached_pic,timed_thumbnails:\
    stream_side_data=rotation";

/// Runs ffprobe.
pub(super) async fn probe(
    tools: &FfmpegTools,
    feed: &ContentFeed,
    settings: &VideoSettings,
) -> Result<VideoProbe, VideoError> {
    let mut arguments = common_arguments(feed);
    arguments.extend(["-of", "json", "-show_entries", FFPROBE_ENTRIES, "-i"].map(str::to_owned));
    arguments.push(feed.address());
    feed.pause();
    let mut child = SandboxedProcess::start(
        &tools.ffprobe,
        &arguments,
        Stdio::null(),
        settings.limits(Some(tools.relay.clone())),
    )
    .await?;
    let mut stdout = child.stdout()?.take(MAX_OUTPUT_BYTES);
    feed.resume();
    let mut json = Vec::new();
    let read = tokio::time::timeout(PROBE_TIMEOUT, stdout.read_to_end(&mut json)).await;
    // If it waited for the content, that failure is the cause.
    read.map_err(|_| feed.failure().unwrap_or(VideoError::Stalled { seconds: PROBE_TIMEOUT.as_secs() }))?
        .map_err(|error| VideoError::Failed(error.to_string()))?;
    let (_, said) = child.wait().await.map_err(|error| feed.fatal_failure().unwrap_or(error.into()))?;
    let described: Option<FfprobeOutput> = serde_json::from_slice(&json).ok();
    let streams = described.as_ref().map_or(0, |described| described.streams.len());
    let Some(described) = described.filter(|_| streams > 0) else {
        let no_index = said.contains("moov atom not found") || said.contains("error reading header");
        let told = if no_index { VideoError::NoIndex } else { VideoError::NotAVideo };
        return Err(feed.failure().unwrap_or(told));
    };
    if let Some(cause) = feed.fatal_failure() {
        return Err(cause);
    }
    described.select_video_stream(feed.live, settings)
}

impl FfprobeOutput {
    fn select_video_stream(&self, live: bool, settings: &VideoSettings) -> Result<VideoProbe, VideoError> {
        let shows = |stream: &&FfprobeStream| {
            let FfprobeDisposition { attached_pic, timed_thumbnails, .. } = stream.disposition;
            stream.codec_type == "video" && attached_pic == 0 && timed_thumbnails == 0
        };
        let streams = || self.streams.iter().filter(shows);
        let stream = streams().find(|stream| stream.disposition.default == 1).or_else(|| streams().next());
        let Some(stream) = stream else {
            let mut kinds: Vec<_> = self.streams.iter().map(FfprobeStream::kind).collect();
            kinds.dedup();
            return Err(VideoError::NoVideoStream(kinds.join(" and ")));
        };
        let (width, height) = (stream.width, stream.height);
        if width == 0 || height == 0 || stream.codec_name.is_empty() || stream.codec_name == "unknown" {
            return Err(VideoError::NotAVideo);
        }
        let most = settings.max_side;
        if width.max(height) > most {
            let limit = format!("{most} x {most}");
            let measured = format!("{width} x {height}");
            return Err(VideoError::TooManyPixels { what: "video", measured, limit });
        }
        let seconds =
            |text: &Option<String>| text.as_ref()?.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
        let duration = seconds(&stream.duration).or_else(|| seconds(&self.format.duration)).filter(|_| !live);
        let limit = settings.max_seconds;
        if let Some(seconds) = duration.filter(|seconds| *seconds > limit) {
            return Err(VideoError::TooLong { seconds, limit });
        }
        let turn = stream.rotation();
        let (width, height) = stream.square_pixel_size();
        let (width, height) = if matches!(turn, VideoRotation::Left | VideoRotation::Right) {
            (height, width)
        } else {
            (width, height)
        };
        Ok(VideoProbe {
            container: self.format.format_name.split(',').next().unwrap_or_default().to_owned(),
            codec: stream.codec_name.clone(),
            width,
            height,
            duration,
            fps: parse_ratio(&stream.avg_frame_rate, '/').filter(|fps| (0.000_1..=1000.0).contains(fps)),
            index: stream.index,
            turn,
        })
    }
}

impl FfprobeStream {
    fn kind(&self) -> &'static str {
        match self.codec_type.as_str() {
            "audio" => "sound",
            "subtitle" => "subtitles",
            "video" => "a cover",
            _ => "data",
        }
    }

    fn rotation(&self) -> VideoRotation {
        let degrees = self.side_data_list.iter().find_map(|data| data.rotation).unwrap_or_default();
        match (degrees.round() as i64).rem_euclid(360) {
            90 => VideoRotation::Left,
            180 => VideoRotation::UpsideDown,
            270 => VideoRotation::Right,
            _ => VideoRotation::None,
        }
    }

    /// Width and height after conversion to square pixels.
    fn square_pixel_size(&self) -> (u32, u32) {
        let aspect =
            parse_ratio(&self.sample_aspect_ratio, ':').filter(|aspect| (0.1..=10.0).contains(aspect));
        let width = f64::from(self.width) * aspect.unwrap_or(1.0);
        ((width.round() as u32).max(1), self.height)
    }
}

fn parse_ratio(text: &str, between: char) -> Option<f64> {
    let (above, below) = text.split_once(between)?;
    let (above, below) = (above.parse::<f64>().ok()?, below.parse::<f64>().ok()?);
    (above > 0.0 && below > 0.0).then(|| above / below)
}
