//! A video's pictures as whoever looks at them gets them: all of what is stored, the newest of what is live.

use super::{
    VideoError,
    decoder::{FrameDecoder, FrameSink},
    probe::VideoProbe,
};
use base::Picture;
use std::sync::{
    Arc, Mutex, PoisonError,
    atomic::{AtomicBool, AtomicU64, Ordering},
};
use tokio::{
    sync::{Notify, mpsc},
    task::JoinHandle,
};

/// A sampled picture.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledFrame {
    /// Seconds from the content's start to when it is shown; of live video, from when it was opened, and what
    /// [`super::SamplingRequest::from`] says on top.
    pub time: f64,
    /// The picture, upright, of square pixels.
    pub picture: Picture,
}

/// The pictures of a content that is being decoded. The decoder ends when this is dropped.
pub struct FrameStream {
    probe: VideoProbe,
    ends: EndAnnouncement,
    from: FrameSource,
    /// Nothing when its word was given.
    decoding: Option<JoinHandle<Result<(), VideoError>>>,
}

/// Whether a content said so far that it has an end: a playlist that is complete, a file of a known length. A live one
/// that did not may come back after it broke off.
#[derive(Clone, Debug)]
pub struct EndAnnouncement(Arc<AtomicBool>);

impl EndAnnouncement {
    /// Whether it said so.
    pub fn is_announced(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

enum FrameSource {
    Stored(mpsc::Receiver<SampledFrame>),
    Live(Arc<LatestFrame>),
}

/// One place, for the newest frame.
#[derive(Default)]
struct LatestFrame {
    frame: Mutex<Option<SampledFrame>>,
    changed: Notify,
    dropped: AtomicU64,
}

impl LatestFrame {
    fn put(&self, frame: SampledFrame) {
        if self.frame.lock().unwrap_or_else(PoisonError::into_inner).replace(frame).is_some() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        self.changed.notify_one();
    }

    fn take(&self) -> Option<SampledFrame> {
        self.frame.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

struct FrameQueue(mpsc::Sender<SampledFrame>);

impl FrameSink for FrameQueue {
    async fn push(&mut self, frame: SampledFrame) -> bool {
        self.0.send(frame).await.is_ok()
    }
}

impl FrameSink for Arc<LatestFrame> {
    async fn push(&mut self, frame: SampledFrame) -> bool {
        self.put(frame);
        true
    }
}

impl FrameStream {
    pub(super) fn of(decoder: FrameDecoder) -> Self {
        let (probe, ends) = (decoder.probe.clone(), EndAnnouncement(decoder.feed.ends.clone()));
        let (from, decoding) = if decoder.ask.live {
            let newest = Arc::<LatestFrame>::default();
            (FrameSource::Live(newest.clone()), tokio::spawn(decoder.run(newest)))
        } else {
            // One lies ready, and the decoder waits with the next: who looks sets the pace.
            let (to, from) = mpsc::channel(1);
            (FrameSource::Stored(from), tokio::spawn(decoder.run(FrameQueue(to))))
        };
        Self { probe, ends, from, decoding: Some(decoding) }
    }

    /// What the content says of itself.
    pub fn probe(&self) -> &VideoProbe {
        &self.probe
    }

    /// Tells whether the content has an end, also after the pictures are gone.
    pub fn ends(&self) -> EndAnnouncement {
        self.ends.clone()
    }

    /// Frames of live video that nobody took in time. Of stored video none is dropped.
    pub fn dropped(&self) -> u64 {
        match &self.from {
            FrameSource::Stored(_) => 0,
            FrameSource::Live(newest) => newest.dropped.load(Ordering::Relaxed),
        }
    }

    /// The next picture; nothing at the end. Frames from before an error come before it. May be cancelled.
    pub async fn next(&mut self) -> Result<Option<SampledFrame>, VideoError> {
        let Some(decoding) = &mut self.decoding else { return Ok(None) };
        let ended = match &mut self.from {
            FrameSource::Stored(from) => match from.recv().await {
                Some(frame) => return Ok(Some(frame)),
                None => decoding.await,
            },
            FrameSource::Live(newest) => loop {
                if let Some(frame) = newest.take() {
                    return Ok(Some(frame));
                }
                tokio::select! {
                    biased;
                    () = newest.changed.notified() => {}
                    ended = &mut *decoding => break ended,
                }
            },
        };
        self.decoding = None;
        ended.unwrap_or_else(|error| Err(VideoError::Failed(error.to_string())))?;
        Ok(None)
    }
}

impl Drop for FrameStream {
    fn drop(&mut self) {
        if let Some(decoding) = &self.decoding {
            decoding.abort();
        }
    }
}
