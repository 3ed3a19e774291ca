//! A video's frames as a consumer receives them: every one of a stored video, the newest of a live one.

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

/// A frame that was sampled.
#[derive(Clone, Debug, PartialEq)]
pub struct SampledFrame {
    /// When it is shown, in seconds from the content's start; for live video from when it was opened, plus
    /// [`super::SamplingRequest::from_seconds`].
    pub time: f64,
    /// The picture, upright, with square pixels.
    pub picture: Picture,
}

/// The frames of a content that is being decoded. Dropping this stops the decoder.
pub struct FrameStream {
    probe: VideoProbe,
    ends: EndAnnouncement,
    from: FrameSource,
    /// `None` once its result has been returned.
    decoding: Option<JoinHandle<Result<(), VideoError>>>,
}

/// Whether a content has announced an end: a complete playlist, or a file of known length. A live content that has not
/// may resume after it broke off.
#[derive(Clone, Debug)]
pub struct EndAnnouncement(Arc<AtomicBool>);

impl EndAnnouncement {
    /// Whether an end has been announced so far.
    pub fn is_announced(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

enum FrameSource {
    Stored(mpsc::Receiver<SampledFrame>),
    Live(Arc<LatestFrame>),
}

/// A slot for the newest frame.
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
            // One frame is queued, and the decoder waits with the next: the consumer sets the pace.
            let (to, from) = mpsc::channel(1);
            (FrameSource::Stored(from), tokio::spawn(decoder.run(FrameQueue(to))))
        };
        Self { probe, ends, from, decoding: Some(decoding) }
    }

    /// What the content declares about itself.
    pub fn probe(&self) -> &VideoProbe {
        &self.probe
    }

    /// Tells whether the content has an end, also after this stream is dropped.
    pub fn ends(&self) -> EndAnnouncement {
        self.ends.clone()
    }

    /// Number of frames of a live video that were not taken in time. Of stored video none is dropped.
    pub fn dropped(&self) -> u64 {
        match &self.from {
            FrameSource::Stored(_) => 0,
            FrameSource::Live(newest) => newest.dropped.load(Ordering::Relaxed),
        }
    }

    /// The next frame; `None` at the end. All frames that precede an error are returned before it. Cancel safe.
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
        ended.unwrap_or_else(|broken| Err(VideoError::Failed(std::io::Error::from(broken).to_string())))?;
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
