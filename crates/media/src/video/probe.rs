//! What a video says of itself, before anything of it is decoded.

use super::{
    Settings, VideoError,
    relay::Feed,
    tools::{Tools, common},
};
use crate::child::Child;
use serde::Deserialize;
use std::{process::Stdio, time::Duration};
use tokio::io::AsyncReadExt as _;

/// Bytes of a description.
const MOST_BYTES: u64 = 1 << 20;
/// Longer is nothing described.
const MOST_TIME: Duration = Duration::from_mins(3);

/// What a video says of itself.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The container's name, as ffmpeg calls it: `mov`, `matroska`, `hls` …
    pub container: String,
    /// The codec's name, as ffmpeg calls it: `h264`, `vp9` …
    pub codec: String,
    /// Pixels from left to right, as it is shown: upright, of square pixels, before anything is scaled down.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
    /// Seconds, where it says so.
    pub duration: Option<f64>,
    /// Frames a second on average, where it says so.
    pub fps: Option<f64>,
    pub(super) index: u32,
    pub(super) turn: Turn,
}

/// How pictures are turned to stand upright.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Turn {
    #[default]
    None,
    Right,
    Over,
    Left,
}

#[derive(Deserialize)]
struct Described {
    #[serde(default)]
    streams: Vec<Stream>,
    #[serde(default)]
    format: Format,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Format {
    format_name: String,
    duration: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Stream {
    index: u32,
    codec_type: String,
    codec_name: String,
    width: u32,
    height: u32,
    sample_aspect_ratio: String,
    avg_frame_rate: String,
    duration: Option<String>,
    disposition: Disposition,
    side_data_list: Vec<SideData>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Disposition {
    default: u8,
    attached_pic: u8,
    timed_thumbnails: u8,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SideData {
    rotation: Option<f64>,
}

const ENTRIES: &str = "format=format_name,duration:stream=index,codec_type,codec_name,width,height,\
    sample_aspect_ratio,avg_frame_rate,duration:stream_disposition=default,attached_pic,timed_thumbnails:\
    stream_side_data=rotation";

/// Asks ffprobe.
pub(super) async fn probe(tools: &Tools, feed: &Feed, settings: &Settings) -> Result<Probe, VideoError> {
    let mut arguments = common(feed);
    arguments.extend(["-of", "json", "-show_entries", ENTRIES, "-i"].map(str::to_owned));
    arguments.push(feed.address());
    feed.hold();
    let mut child =
        Child::start(&tools.ffprobe, &arguments, Stdio::null(), settings.limits(Some(tools.relay)))?;
    let mut stdout = child.stdout()?.take(MOST_BYTES);
    feed.release();
    let mut json = Vec::new();
    let read = tokio::time::timeout(MOST_TIME, stdout.read_to_end(&mut json)).await;
    // What it waited for, if for anything.
    read.map_err(|_| feed.cause().unwrap_or(VideoError::Stalled { seconds: MOST_TIME.as_secs() }))?
        .map_err(|error| VideoError::Failed(error.to_string()))?;
    let (_, said) = child.end().await.map_err(|error| feed.broken().unwrap_or(error.into()))?;
    let described: Option<Described> = serde_json::from_slice(&json).ok();
    let streams = described.as_ref().map_or(0, |described| described.streams.len());
    let Some(described) = described.filter(|_| streams > 0) else {
        let no_index = said.contains("moov atom not found") || said.contains("error reading header");
        let told = if no_index { VideoError::NoIndex } else { VideoError::NotAVideo };
        return Err(feed.cause().unwrap_or(told));
    };
    if let Some(cause) = feed.broken() {
        return Err(cause);
    }
    described.judge(feed.live, settings)
}

impl Described {
    fn judge(&self, live: bool, settings: &Settings) -> Result<Probe, VideoError> {
        let shows = |stream: &&Stream| {
            let Disposition { attached_pic, timed_thumbnails, .. } = stream.disposition;
            stream.codec_type == "video" && attached_pic == 0 && timed_thumbnails == 0
        };
        let streams = || self.streams.iter().filter(shows);
        let stream = streams().find(|stream| stream.disposition.default == 1).or_else(|| streams().next());
        let Some(stream) = stream else {
            let mut kinds: Vec<_> = self.streams.iter().map(Stream::kind).collect();
            kinds.dedup();
            return Err(VideoError::NoVideoStream(kinds.join(" and ")));
        };
        let (width, height) = (stream.width, stream.height);
        if width == 0 || height == 0 || stream.codec_name.is_empty() || stream.codec_name == "unknown" {
            return Err(VideoError::NotAVideo);
        }
        let most = settings.most_side;
        if width.max(height) > most {
            let limit = format!("{most} x {most}");
            let measured = format!("{width} x {height}");
            return Err(VideoError::TooManyPixels { what: "video", measured, limit });
        }
        let seconds =
            |text: &Option<String>| text.as_ref()?.parse::<f64>().ok().filter(|seconds| *seconds > 0.0);
        let duration = seconds(&stream.duration).or_else(|| seconds(&self.format.duration)).filter(|_| !live);
        let limit = settings.most_seconds;
        if let Some(seconds) = duration.filter(|seconds| *seconds > limit) {
            return Err(VideoError::TooLong { seconds, limit });
        }
        let turn = stream.turn();
        let (width, height) = stream.square();
        let (width, height) =
            if matches!(turn, Turn::Left | Turn::Right) { (height, width) } else { (width, height) };
        Ok(Probe {
            container: self.format.format_name.split(',').next().unwrap_or_default().to_owned(),
            codec: stream.codec_name.clone(),
            width,
            height,
            duration,
            fps: ratio(&stream.avg_frame_rate, '/').filter(|fps| (0.000_1..=1000.0).contains(fps)),
            index: stream.index,
            turn,
        })
    }
}

impl Stream {
    fn kind(&self) -> &'static str {
        match self.codec_type.as_str() {
            "audio" => "sound",
            "subtitle" => "subtitles",
            "video" => "a cover",
            _ => "data",
        }
    }

    fn turn(&self) -> Turn {
        let degrees = self.side_data_list.iter().find_map(|data| data.rotation).unwrap_or_default();
        match (degrees.round() as i64).rem_euclid(360) {
            90 => Turn::Left,
            180 => Turn::Over,
            270 => Turn::Right,
            _ => Turn::None,
        }
    }

    /// Width and height where pixels were square.
    fn square(&self) -> (u32, u32) {
        let aspect = ratio(&self.sample_aspect_ratio, ':').filter(|aspect| (0.1..=10.0).contains(aspect));
        let width = f64::from(self.width) * aspect.unwrap_or(1.0);
        ((width.round() as u32).max(1), self.height)
    }
}

fn ratio(text: &str, between: char) -> Option<f64> {
    let (above, below) = text.split_once(between)?;
    let (above, below) = (above.parse::<f64>().ok()?, below.parse::<f64>().ok()?);
    (above > 0.0 && below > 0.0).then(|| above / below)
}
