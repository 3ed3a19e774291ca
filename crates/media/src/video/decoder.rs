//! A video as sampled pictures: what ffmpeg is told, and how its pictures come over.

use super::{
    Ask, Frame, Settings, VideoError,
    nut::Pictures,
    probe::{Probe, Turn},
    relay::Feed,
    tools::{Tools, common},
};
use crate::child::Child;
use std::{process::Stdio, sync::Arc, time::Duration};
use tokio::{io::BufReader, process::ChildStdout, time::Instant};

/// Samples are counted with this much of one to spare: times come rounded.
const ROUNDING: f64 = 1e-4;
/// Frames for each sample from which on those that no other frame is made of are left out.
const PLENTY: f64 = 5.0;
/// Where a file begins, in seconds.
const START: &str = "0";
/// Seconds that a file without an index of its key frames is entered too early.
const EARLY: f64 = 10.0;
/// Pictures after which the decoder's processor time is renewed.
const RENEWED: u64 = 32;

/// Where sampled pictures go.
pub(super) trait Recipient: Send {
    /// Takes one; false where nobody wants any more.
    fn give(&mut self, frame: Frame) -> impl Future<Output = bool> + Send;
}

/// A video that is decoded.
pub(super) struct Decoder {
    pub(super) tools: Arc<Tools>,
    pub(super) settings: Arc<Settings>,
    pub(super) feed: Arc<Feed>,
    pub(super) probe: Probe,
    pub(super) ask: Ask,
}

/// How one run of ffmpeg gets along.
#[derive(Clone, Copy)]
struct Way {
    /// Frames that no other is made of are left out.
    hurry: bool,
    /// It goes straight to where it is to begin.
    leap: bool,
}

/// How one run of ffmpeg ended.
enum Ended {
    /// At the video's end.
    Here,
    /// It began too late: its file cannot be entered where one likes.
    Late,
    /// Samples are missing that may be among the frames that were left out.
    Gap,
    /// Nobody listens.
    Unwanted,
}

/// How far it got.
struct Progress {
    /// The number of the last sample: its time, times the rate.
    cell: Option<i64>,
    time: f64,
    frames: u64,
}

impl Decoder {
    /// Gives all samples, in their order.
    pub(super) async fn run(self, mut to: impl Recipient) -> Result<(), VideoError> {
        let Ask { live, from, rate } = self.ask;
        let resumed = from > 0.0 && !live;
        let mut progress = Progress {
            cell: resumed.then(|| cell(from, rate)),
            time: if live { 0.0 } else { from },
            frames: 0,
        };
        // Live video is decoded at the pace at which it comes; only what is stored is worth a hurry.
        let mut way = Way { hurry: !live && self.has_frames_for(PLENTY), leap: true };
        loop {
            match self.decode(way, &mut progress, &mut to).await? {
                Ended::Here | Ended::Unwanted => return Ok(()),
                Ended::Late => way.leap = false,
                Ended::Gap => way.hurry = false,
            }
        }
    }

    /// Whether there are so many frames for each sample, on average.
    fn has_frames_for(&self, times: f64) -> bool {
        self.probe.fps.is_some_and(|fps| fps >= times * self.ask.rate)
    }

    async fn decode(
        &self,
        way: Way,
        progress: &mut Progress,
        to: &mut impl Recipient,
    ) -> Result<Ended, VideoError> {
        let (width, height) = self.size();
        let first = progress.cell.map(|cell| cell + 1);
        let seek = if way.leap { self.seek(first) } else { START.to_owned() };
        let leapt = seek != START && self.has_frames_for(2.0);
        let begun = progress.frames;
        let arguments = self.arguments(way.hurry, first, &seek, (width, height));
        let start: f64 = seek.parse().unwrap_or_default();
        let offset = if self.ask.live { self.ask.from } else { start };
        self.feed.hold();
        let limits = self.settings.limits(Some(self.tools.relay));
        let mut child = Child::start(&self.tools.ffmpeg, &arguments, Stdio::null(), limits)?;
        let from = BufReader::with_capacity(256 << 10, child.stdout()?);
        self.feed.release();
        let mut pictures = Pictures::new(from, u64::from(width) * u64::from(height) * 3);
        loop {
            let Some((time, picture)) = self.watch(&child, &mut pictures).await? else { break };
            let counted = cell(time + if self.ask.live { 0.0 } else { offset }, self.ask.rate);
            match progress.cell {
                // A picture that changes its size in the middle begins a second sample of one time.
                Some(before) if counted <= before => continue,
                Some(before) if counted > before + 1 && leapt && progress.frames == begun => {
                    return Ok(Ended::Late);
                }
                Some(before) if counted > before + 1 && way.hurry => return Ok(Ended::Gap),
                _ => {}
            }
            let time = time + offset;
            if !self.ask.live && time > self.settings.most_seconds {
                return Err(VideoError::TooLong { seconds: time, limit: self.settings.most_seconds });
            }
            (progress.cell, progress.time) = (Some(counted), time);
            progress.frames += 1;
            if progress.frames.is_multiple_of(RENEWED) {
                child.renew();
            }
            if !to.give(Frame { time, picture }).await {
                return Ok(Ended::Unwanted);
            }
        }
        self.judge(child, way, leapt && progress.frames == begun, progress).await
    }

    /// The next picture, as long as it or a byte of the content comes from time to time.
    async fn watch(
        &self,
        child: &Child,
        pictures: &mut Pictures<BufReader<ChildStdout>>,
    ) -> Result<Option<(f64, base::Picture)>, VideoError> {
        let mut next = std::pin::pin!(pictures.next());
        let (mut moved, mut since) = (self.feed.moved(), Instant::now());
        loop {
            tokio::select! {
                read = &mut next => return read.map_err(|error| VideoError::Failed(error.to_string())),
                () = tokio::time::sleep(Duration::from_secs(1)) => {}
            }
            let now = self.feed.moved();
            if now != moved {
                (moved, since) = (now, Instant::now());
                child.renew();
            } else if since.elapsed() >= Duration::from_secs(self.settings.stall_seconds) {
                let stalled = VideoError::Stalled { seconds: self.settings.stall_seconds };
                return Err(self.feed.cause().unwrap_or(stalled));
            }
        }
    }

    /// What the end of ffmpeg's output means.
    async fn judge(
        &self,
        child: Child,
        way: Way,
        late: bool,
        progress: &Progress,
    ) -> Result<Ended, VideoError> {
        let ended = child.end().await;
        if let Some(cause) = self.feed.cause() {
            return Err(cause);
        }
        let (status, said) = ended?;
        if self.ask.live {
            return Ok(Ended::Here);
        }
        let (reached, length) = (progress.time, self.probe.duration);
        let early = length.is_some_and(|length| length - reached > 2.0 / self.ask.rate + 0.5);
        if late && early {
            return Ok(Ended::Late);
        }
        if way.hurry && early {
            return Ok(Ended::Gap);
        }
        let cut = ["partial file", "ended prematurely", "Truncating packet"];
        if early && cut.iter().any(|words| said.contains(words)) {
            return Err(VideoError::CutOff { reached, length });
        }
        let nothing = progress.frames == 0 && self.ask.from <= 0.0;
        if !status.success() || nothing {
            return Err(VideoError::Damaged { after: reached });
        }
        Ok(Ended::Here)
    }

    /// The size of the pictures as they come, upright.
    fn size(&self) -> (u32, u32) {
        fit(self.probe.width, self.probe.height, self.settings.box_side)
    }

    /// Where to enter the file, in seconds, as ffmpeg is told.
    fn seek(&self, first: Option<i64>) -> String {
        let early = match self.probe.container.as_str() {
            "mov" | "matroska" => 0.0,
            "hls" | "mpegts" | "avi" => EARLY,
            // Some find no way in, some find it and then count their time otherwise.
            _ => f64::INFINITY,
        };
        match first.map(|first| first as f64 / self.ask.rate - early) {
            Some(at) if at > 0.0 => format!("{at:.6}"),
            _ => START.to_owned(),
        }
    }

    fn arguments(&self, hurry: bool, first: Option<i64>, seek: &str, size: (u32, u32)) -> Vec<String> {
        let mut arguments = vec!["-nostdin".to_owned()];
        arguments.extend(common(&self.feed));
        arguments.extend(self.tools.playlist(&self.feed));
        let mut add = |words: &[&str]| arguments.extend(words.iter().map(|&word| word.to_owned()));
        add(&["-threads", &self.settings.threads.to_string(), "-filter_threads", "1"]);
        add(&["-max_pixels", &u64::from(self.settings.most_side).pow(2).to_string()]);
        // Turned after sampling, not before: most frames are thrown away.
        add(&["-noautorotate"]);
        if hurry {
            // Those that no other is made of, about half of most videos. To leave out more, as all that look ahead,
            // breaks those that stay: others are made of some of them.
            add(&["-skip_frame", "noref"]);
        }
        if !self.settings.deblock {
            add(&["-skip_loop_filter", "all"]);
        }
        if self.ask.live {
            add(&["-re"]);
        } else if seek != START {
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

    /// Sampled first, then scaled, then turned.
    fn filters(&self, first: Option<i64>, seek: &str, (width, height): (u32, u32)) -> String {
        let rate = self.ask.rate;
        let number = |time: &str| format!("floor(({time}+{seek})*{rate}+{ROUNDING})");
        let (now, before) = (number("t"), number("prev_selected_t"));
        let due = first.map_or_else(|| "1".to_owned(), |first| format!("gte({now},{first})"));
        let (width, height) = match self.probe.turn {
            Turn::Left | Turn::Right => (height, width),
            Turn::None | Turn::Over => (width, height),
        };
        let turn = match self.probe.turn {
            Turn::None => "",
            Turn::Right => ",transpose=clock",
            Turn::Over => ",hflip,vflip",
            Turn::Left => ",transpose=cclock",
        };
        format!("select='{due}*(isnan(prev_selected_t)+gt({now},{before}))',scale={width}:{height}{turn}")
    }
}

/// The number of the sample that a time belongs to.
fn cell(time: f64, rate: f64) -> i64 {
    (time * rate + ROUNDING).floor() as i64
}

/// A size in a box, proportions kept; never larger than it is.
pub(super) fn fit(width: u32, height: u32, side: u32) -> (u32, u32) {
    let scale = (f64::from(side) / f64::from(width.max(height))).min(1.0);
    let scaled = |pixels: u32| ((f64::from(pixels) * scale).round() as u32).max(1);
    (scaled(width), scaled(height))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_fit_their_box() {
        assert_eq!(fit(1920, 1080, 1920), (1920, 1080));
        assert_eq!(fit(640, 360, 1920), (640, 360));
        assert_eq!(fit(3840, 2160, 1920), (1920, 1080));
        assert_eq!(fit(2160, 3840, 1920), (1080, 1920));
        assert_eq!(fit(8192, 1, 1920), (1920, 1));
    }

    #[test]
    fn a_checkpoint_s_sample_is_not_repeated() {
        for rate in [0.5, 2.0, 3.0, 7.0] {
            for number in 0..1000 {
                let time = f64::from(number) / rate;
                assert_eq!(cell(time, rate), i64::from(number), "{time} x {rate}");
            }
        }
    }
}
