//! Decoding a video to sampled frames: ffmpeg's arguments, and reading its output.

use super::{
    SampledFrame, SamplingRequest, VideoError, VideoSettings,
    ffmpeg_tools::{FfmpegTools, common_arguments},
    nut_demuxer::NutDemuxer,
    probe::{VideoProbe, VideoRotation},
    relay::ContentFeed,
};
use crate::sandbox::process::SandboxedProcess;
use std::{process::Stdio, sync::Arc, time::Duration};
use tokio::{io::BufReader, process::ChildStdout, time::Instant};

/// Tolerance in samples when a time is assigned to a sample: timestamps are rounded.
const SAMPLE_ROUNDING: f64 = 1e-4;
/// If a video has at least this many frames for each sample, disposable frames (to which no other frame refers) are
/// skipped.
const SKIP_FRAMES_FACTOR: f64 = 5.0;
/// The start of a file, in seconds, as ffmpeg is told.
const FILE_START_SECONDS: &str = "0";
/// How many seconds early to seek in a file without an index of its key frames.
const SEEK_MARGIN_SECONDS: f64 = 10.0;
/// Frames after which the decoder's limit on processor time is renewed.
const CPU_RENEWAL_FRAMES: u64 = 32;

/// How many frames of a live video, or samples, must be missing before it counts as standing still: some have less than one in
/// [`VideoSettings::stall_seconds`].
const LIVE_STALL_FRAMES: f64 = 3.0;
/// The longest time that is waited for these, seconds; what streams declare may be wrong.
const MAX_LIVE_STALL_SECONDS: f64 = 3600.0;

/// Receiver of sampled frames.
pub(super) trait FrameSink: Send {
    /// Passes one on; false if no more are wanted.
    fn push(&mut self, frame: SampledFrame) -> impl Future<Output = bool> + Send;
}

/// Decodes one video.
pub(super) struct FrameDecoder {
    pub(super) tools: Arc<FfmpegTools>,
    pub(super) settings: Arc<VideoSettings>,
    pub(super) feed: Arc<ContentFeed>,
    pub(super) probe: VideoProbe,
    pub(super) ask: SamplingRequest,
}

/// Options of one run of ffmpeg.
#[derive(Clone, Copy)]
struct DecodeMode {
    /// Disposable frames, to which no other frame refers, are not decoded.
    skip_disposable_frames: bool,
    /// ffmpeg seeks to where it is to start.
    seek_directly: bool,
}

/// How one run of ffmpeg ended.
enum DecodeEnd {
    VideoEnded,
    /// The first frame came too late: the file's container does not allow an exact seek.
    SeekTooLate,
    /// Samples are missing that may be among the skipped frames.
    SamplesMissing,
    /// No more frames are wanted.
    ReceiverGone,
}

/// After what time a decoder stands still.
#[derive(Clone, Copy, Debug, PartialEq)]
struct StallLimits {
    /// Without a frame and without a byte of the content.
    idle: Duration,
    /// Without a frame, whatever arrives.
    without_frame: Option<Duration>,
}

impl StallLimits {
    /// Those of a live video that has given frames. One whose clock was set back gives none that is newer than the last one
    /// until the clock has caught up; opened again, it has another timeline.
    fn of_live(self, frames_per_second: Option<f64>, samples_per_second: f64) -> Self {
        let interval = frames_per_second.map_or(0.0, f64::recip).max(samples_per_second.recip());
        let patience = Duration::from_secs_f64((LIVE_STALL_FRAMES * interval).min(MAX_LIVE_STALL_SECONDS));
        Self { without_frame: Some(self.idle.max(patience)), ..self }
    }

    /// By what has passed since the decoder was asked for a frame, and since then without a byte.
    fn are_exceeded(self, without_frame: Duration, without_byte: Duration) -> bool {
        without_byte >= self.idle || self.without_frame.is_some_and(|limit| without_frame >= limit)
    }
}

/// How far decoding got, over all runs of ffmpeg.
struct DecodeProgress {
    /// Index of the last sample: its time multiplied by the rate.
    last_sample: Option<i64>,
    time: f64,
    frames: u64,
}

impl FrameDecoder {
    /// Passes on all samples in order.
    pub(super) async fn run(self, mut to: impl FrameSink) -> Result<(), VideoError> {
        let SamplingRequest { live, from_seconds: from, frames_per_second: rate } = self.ask;
        let resumed = from > 0.0 && !live;
        let mut progress = DecodeProgress {
            last_sample: resumed.then(|| sample_index(from, rate)),
            time: if live { 0.0 } else { from },
            frames: 0,
        };
        // Live video is decoded at the pace at which it arrives, so skipping frames helps only with stored video.
        let mut way = DecodeMode {
            skip_disposable_frames: !live && self.has_frames_for(SKIP_FRAMES_FACTOR),
            seek_directly: true,
        };
        loop {
            match self.decode(way, &mut progress, &mut to).await? {
                DecodeEnd::VideoEnded | DecodeEnd::ReceiverGone => return Ok(()),
                DecodeEnd::SeekTooLate => way.seek_directly = false,
                DecodeEnd::SamplesMissing => way.skip_disposable_frames = false,
            }
        }
    }

    /// Whether there are on average this many frames for each sample.
    fn has_frames_for(&self, times: f64) -> bool {
        self.probe.fps.is_some_and(|fps| fps >= times * self.ask.frames_per_second)
    }

    async fn decode(
        &self,
        way: DecodeMode,
        progress: &mut DecodeProgress,
        to: &mut impl FrameSink,
    ) -> Result<DecodeEnd, VideoError> {
        let (width, height) = self.size();
        let first = progress.last_sample.map(|cell| cell + 1);
        let seek = if way.seek_directly { self.seek_position(first) } else { FILE_START_SECONDS.to_owned() };
        let leapt = seek != FILE_START_SECONDS && self.has_frames_for(2.0);
        let begun = progress.frames;
        let arguments = self.arguments(way.skip_disposable_frames, first, &seek, (width, height));
        let start: f64 = seek.parse().unwrap_or_default();
        let offset = if self.ask.live { self.ask.from_seconds } else { start };
        self.feed.pause();
        let limits = self.settings.limits(Some(self.tools.relay.clone()));
        let mut child =
            SandboxedProcess::start(&self.tools.ffmpeg, &arguments, Stdio::null(), limits).await?;
        let from = BufReader::with_capacity(256 << 10, child.stdout()?);
        self.feed.resume();
        let mut pictures = NutDemuxer::new(from, u64::from(width) * u64::from(height) * 3);
        loop {
            let stall = self.stall_limits(progress.frames > begun);
            let Some((time, picture)) = self.next_picture(&child, &mut pictures, stall).await? else { break };
            let counted =
                sample_index(time + if self.ask.live { 0.0 } else { offset }, self.ask.frames_per_second);
            match progress.last_sample {
                // If the resolution changes in mid-stream, ffmpeg selects a second frame for the same sample.
                Some(before) if counted <= before => continue,
                Some(before) if counted > before + 1 && leapt && progress.frames == begun => {
                    return Ok(DecodeEnd::SeekTooLate);
                }
                Some(before) if counted > before + 1 && way.skip_disposable_frames => {
                    return Ok(DecodeEnd::SamplesMissing);
                }
                _ => {}
            }
            let time = time + offset;
            if !self.ask.live && time > self.settings.max_seconds {
                return Err(VideoError::TooLong { seconds: time, limit: self.settings.max_seconds });
            }
            (progress.last_sample, progress.time) = (Some(counted), time);
            progress.frames += 1;
            if progress.frames.is_multiple_of(CPU_RENEWAL_FRAMES) {
                child.extend_cpu_limit();
            }
            if !to.push(SampledFrame { time, picture }).await {
                return Ok(DecodeEnd::ReceiverGone);
            }
        }
        self.judge_end(child, way, leapt && progress.frames == begun, progress).await
    }

    /// How long the next frame may take, once there were frames.
    fn stall_limits(&self, has_frames: bool) -> StallLimits {
        let seconds = self.settings.stall_seconds;
        let limits = StallLimits { idle: Duration::from_secs(seconds), without_frame: None };
        if self.ask.live && has_frames {
            limits.of_live(self.probe.fps, self.ask.frames_per_second)
        } else {
            limits
        }
    }

    /// The next frame. Fails if it does not come in time.
    async fn next_picture(
        &self,
        child: &SandboxedProcess,
        pictures: &mut NutDemuxer<BufReader<ChildStdout>>,
        stall: StallLimits,
    ) -> Result<Option<(f64, base::Picture)>, VideoError> {
        let mut next = std::pin::pin!(pictures.next());
        let asked = Instant::now();
        let (mut moved, mut since) = (self.feed.bytes_received(), asked);
        loop {
            tokio::select! {
                read = &mut next => return read.map_err(|error| VideoError::Failed(error.to_string())),
                () = tokio::time::sleep(Duration::from_secs(1)) => {}
            }
            let now = self.feed.bytes_received();
            if now != moved {
                (moved, since) = (now, Instant::now());
                child.extend_cpu_limit();
            }
            if stall.are_exceeded(asked.elapsed(), since.elapsed()) {
                let stalled = VideoError::Stalled { seconds: asked.elapsed().as_secs() };
                return Err(self.feed.failure().unwrap_or(stalled));
            }
        }
    }

    /// Decides what the end of ffmpeg's output means.
    async fn judge_end(
        &self,
        child: SandboxedProcess,
        way: DecodeMode,
        late: bool,
        progress: &DecodeProgress,
    ) -> Result<DecodeEnd, VideoError> {
        let ended = child.wait().await;
        if let Some(cause) = self.feed.failure() {
            return Err(cause);
        }
        let (status, said) = ended?;
        if self.ask.live {
            return Ok(DecodeEnd::VideoEnded);
        }
        let (reached, length) = (progress.time, self.probe.duration);
        let early = length.is_some_and(|length| length - reached > 2.0 / self.ask.frames_per_second + 0.5);
        if late && early {
            return Ok(DecodeEnd::SeekTooLate);
        }
        if way.skip_disposable_frames && early {
            return Ok(DecodeEnd::SamplesMissing);
        }
        let cut = ["partial file", "ended prematurely", "Truncating packet"];
        if early && cut.iter().any(|words| said.contains(words)) {
            return Err(VideoError::CutOff { reached, length });
        }
        let nothing = progress.frames == 0 && self.ask.from_seconds <= 0.0;
        if !status.success() || nothing {
            return Err(VideoError::Damaged { after: reached });
        }
        Ok(DecodeEnd::VideoEnded)
    }

    /// The size of the frames that ffmpeg outputs, upright.
    fn size(&self) -> (u32, u32) {
        fit_in_box(self.probe.width, self.probe.height, self.settings.box_side)
    }

    /// Where to seek to, in seconds, as ffmpeg is told.
    fn seek_position(&self, first: Option<i64>) -> String {
        let early = match self.probe.container.as_str() {
            "mov" | "matroska" => 0.0,
            "hls" | "mpegts" | "avi" => SEEK_MARGIN_SECONDS,
            // Some other demuxers cannot seek, and some report different times after a seek.
            _ => f64::INFINITY,
        };
        match first.map(|first| first as f64 / self.ask.frames_per_second - early) {
            Some(at) if at > 0.0 => format!("{at:.6}"),
            _ => FILE_START_SECONDS.to_owned(),
        }
    }

    fn arguments(&self, hurry: bool, first: Option<i64>, seek: &str, size: (u32, u32)) -> Vec<String> {
        let mut arguments = vec!["-nostdin".to_owned()];
        arguments.extend(common_arguments(&self.feed));
        arguments.extend(self.tools.playlist_arguments(&self.feed));
        let mut add = |words: &[&str]| arguments.extend(words.iter().map(|&word| word.to_owned()));
        add(&["-threads", &self.settings.threads.to_string(), "-filter_threads", "1"]);
        add(&["-max_pixels", &u64::from(self.settings.max_side).pow(2).to_string()]);
        // Frames are rotated after sampling, because most are dropped before.
        add(&["-noautorotate"]);
        if hurry {
            // About half of the frames of most videos are disposable. Skipping more, for example all B-frames, would
            // corrupt others, as some B-frames are references.
            add(&["-skip_frame", "noref"]);
        }
        if !self.settings.deblock {
            add(&["-skip_loop_filter", "all"]);
        }
        if self.feed.is_stream() {
            // A camera sets the pace; with a clock of our own, a delay would build up.
        } else if self.ask.live {
            add(&["-re"]);
        } else if seek != FILE_START_SECONDS {
            add(&["-ss", seek, "-noaccurate_seek"]);
        }
        add(&["-i", &self.feed.address()]);
        add(&["-map", &format!("0:{}", self.probe.index), "-an", "-sn", "-dn"]);
        add(&["-vf", &self.filters(first, seek, size)]);
        add(&[self.tools.keep_times, "passthrough", "-enc_time_base", "1:1000000"]);
        add(&["-avoid_negative_ts", "disabled", "-c:v", "rawvideo", "-pix_fmt", "rgb24"]);
        add(&["-write_index", "0", "-flush_packets", "1", "-f", "nut", "pipe:1"]);
        arguments
    }

    /// Samples first, then scales, then rotates.
    fn filters(&self, first: Option<i64>, seek: &str, (width, height): (u32, u32)) -> String {
        let rate = self.ask.frames_per_second;
        let number = |time: &str| format!("floor(({time}+{seek})*{rate}+{SAMPLE_ROUNDING})");
        let (now, before) = (number("t"), number("prev_selected_t"));
        let due = first.map_or_else(|| "1".to_owned(), |first| format!("gte({now},{first})"));
        let (width, height) = match self.probe.turn {
            VideoRotation::Left | VideoRotation::Right => (height, width),
            VideoRotation::None | VideoRotation::UpsideDown => (width, height),
        };
        let turn = match self.probe.turn {
            VideoRotation::None => "",
            VideoRotation::Right => ",transpose=clock",
            VideoRotation::UpsideDown => ",hflip,vflip",
            VideoRotation::Left => ",transpose=cclock",
        };
        format!("select='{due}*(isnan(prev_selected_t)+gt({now},{before}))',scale={width}:{height}{turn}")
    }
}

/// The index of the sample that a time belongs to.
fn sample_index(time: f64, rate: f64) -> i64 {
    (time * rate + SAMPLE_ROUNDING).floor() as i64
}

/// Scales a size to fit a square of `side` pixels, keeping its proportions; never enlarges it.
pub(super) fn fit_in_box(width: u32, height: u32, side: u32) -> (u32, u32) {
    let scale = (f64::from(side) / f64::from(width.max(height))).min(1.0);
    let scaled = |pixels: u32| ((f64::from(pixels) * scale).round() as u32).max(1);
    (scaled(width), scaled(height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_fit_their_box() {
        assert_eq!(fit_in_box(1920, 1080, 1920), (1920, 1080));
        assert_eq!(fit_in_box(640, 360, 1920), (640, 360));
        assert_eq!(fit_in_box(3840, 2160, 1920), (1920, 1080));
        assert_eq!(fit_in_box(2160, 3840, 1920), (1080, 1920));
        assert_eq!(fit_in_box(8192, 1, 1920), (1920, 1));
    }

    #[test]
    fn a_live_video_that_sends_bytes_and_no_frames_stands_still() {
        let seconds = Duration::from_secs;
        let stored = StallLimits { idle: seconds(30), without_frame: None };
        assert!(!stored.are_exceeded(seconds(600), seconds(1)), "it may seek for long");
        assert!(stored.are_exceeded(seconds(600), seconds(30)));
        let live = stored.of_live(Some(25.0), 2.0);
        assert!(!live.are_exceeded(seconds(29), seconds(1)));
        assert!(live.are_exceeded(seconds(30), seconds(1)), "its clock was set back");
        // A frame each minute, and a sample each 100 seconds.
        for (slow, limit) in [(stored.of_live(Some(1.0 / 60.0), 2.0), 180), (stored.of_live(None, 0.01), 300)]
        {
            assert!(!slow.are_exceeded(seconds(limit - 1), seconds(1)));
            assert!(slow.are_exceeded(seconds(limit + 1), seconds(1)));
        }
        assert!(stored.of_live(Some(1e-4), 2.0).are_exceeded(seconds(3600), seconds(1)));
    }

    #[test]
    fn a_checkpoint_s_sample_is_not_repeated() {
        for rate in [0.5, 2.0, 3.0, 7.0] {
            for number in 0..1000 {
                let time = f64::from(number) / rate;
                assert_eq!(sample_index(time, rate), i64::from(number), "{time} x {rate}");
            }
        }
    }
}
