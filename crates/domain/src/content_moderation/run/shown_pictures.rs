//! The pictures of a video for as long as they are shown. A decoder gives a picture once, however long it stays: a slide, or a
//! frame of a film with fewer frames than samples.

use base::Picture;
use media::video::{FrameStream, SampledFrame, VideoError};
use std::{ops::Range, sync::Arc};

/// Tolerance in samples when a time is assigned to a sample: timestamps are rounded.
const SAMPLE_ROUNDING: f64 = 1e-4;
/// From how many intervals between two pictures on the first one counts as shown in between. Times of frames vary a little.
const MIN_INTERVALS_SHOWN: f64 = 1.5;
/// A picture counts as shown for so long at most, in seconds: a small file can say that one stays for years.
const MAX_SECONDS_SHOWN: f64 = 30.0;

/// A picture, and when it is shown, in seconds from the content's beginning.
pub(super) type ShownPicture = (f64, Arc<Picture>);

/// The pictures that a decoder gives. Those of a stored video are handed on again in each interval of the samples in which
/// they are still shown.
pub(super) struct ShownPictures {
    frames: FrameStream,
    /// `None` of a live video: nobody knows how long its newest picture will be shown.
    samples_per_second: Option<f64>,
    last: Option<ShownPicture>,
    /// The samples for which the last picture is to be handed on again.
    repeats: Range<i64>,
    /// The picture after those.
    following: Option<ShownPicture>,
    /// Whether the last picture was shown for longer than an interval, or is the first one.
    is_slow: bool,
    is_over: bool,
}

impl ShownPictures {
    pub(super) fn of(frames: FrameStream, samples_per_second: Option<f64>) -> Self {
        let (last, following) = (None, None);
        Self { frames, samples_per_second, last, repeats: 0..0, following, is_slow: true, is_over: false }
    }

    /// The next picture; `None` at the end. Cancel safe.
    pub(super) async fn next(&mut self) -> Result<Option<ShownPicture>, VideoError> {
        let Some(rate) = self.samples_per_second else {
            let next = self.frames.next().await?;
            return Ok(next.map(|SampledFrame { time, picture }| (time, Arc::new(picture))));
        };
        loop {
            if let Some((_, picture)) = &self.last
                && let Some(sample) = self.repeats.next()
            {
                return Ok(Some((sample as f64 / rate, picture.clone())));
            }
            if let Some(following) = self.following.take() {
                self.last = Some(following.clone());
                return Ok(Some(following));
            }
            if self.is_over {
                return Ok(None);
            }
            let next = self.frames.next().await?;
            let shown_from = self.last.as_ref().map(|(time, _)| *time);
            let shown_until = if let Some(SampledFrame { time, picture }) = next {
                self.following = Some((time, Arc::new(picture)));
                Some(time)
            } else {
                self.is_over = true;
                // A film of many frames has ended by then, even if its sound goes on.
                self.frames.probe().duration.filter(|_| self.is_slow)
            };
            if let (Some(from), Some(until)) = (shown_from, shown_until) {
                self.repeats = samples_between(from, until, rate);
                self.is_slow = !self.repeats.is_empty();
            }
        }
    }
}

/// The samples between a picture and the next one, or the end, both in seconds, if those are further apart than samples are.
fn samples_between(from: f64, until: f64, samples_per_second: f64) -> Range<i64> {
    let sample = |time: f64| (time * samples_per_second + SAMPLE_ROUNDING).floor() as i64;
    if until.is_nan() || (until - from) * samples_per_second <= MIN_INTERVALS_SHOWN {
        return 0..0;
    }
    sample(from) + 1..sample(until.min(from + MAX_SECONDS_SHOWN))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_that_stays_is_shown_in_each_interval() {
        assert_eq!(samples_between(0.0, 3.0, 2.0), 1..6, "at 0.5 to 2.5 seconds");
        assert_eq!(samples_between(6.0, 8.7, 2.0), 13..17);
        assert_eq!(samples_between(0.0, 20.0, 0.1), 1..2);
        assert_eq!(samples_between(2.0, 1e12, 2.0), 5..64, "for half a minute");
        assert!(samples_between(5.0, f64::NAN, 2.0).is_empty() && samples_between(5.0, 1.0, 2.0).is_empty());
    }

    #[test]
    fn nothing_is_added_to_ordinary_films() {
        for frames_per_second in [2.0, 2.1, 3.0, 7.0, 23.976, 25.0, 29.97, 60.0] {
            let mut sampled: Vec<f64> = Vec::new();
            for frame in 0..1000 {
                let time = (f64::from(frame) / frames_per_second * 1e6).round() / 1e6;
                let is_new = |last: &f64| (time * 2.0 + 1e-4).floor() > (last * 2.0 + 1e-4).floor();
                if sampled.last().is_none_or(is_new) {
                    sampled.push(time);
                }
            }
            for pair in sampled.windows(2) {
                assert!(samples_between(pair[0], pair[1], 2.0).is_empty(), "{frames_per_second}: {pair:?}");
            }
        }
    }
}
