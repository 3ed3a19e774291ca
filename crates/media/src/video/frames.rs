//! A video's pictures as whoever looks at them gets them: all of what is stored, the newest of what is live.

use super::{
    VideoError,
    decoder::{Decoder, Recipient},
    probe::Probe,
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
pub struct Frame {
    /// Seconds from the content's start to when it is shown; of live video, from when it was opened, and what
    /// [`super::Ask::from`] says on top.
    pub time: f64,
    /// The picture, upright, of square pixels.
    pub picture: Picture,
}

/// The pictures of a content that is being decoded. The decoder ends when this is dropped.
pub struct Frames {
    probe: Probe,
    ends: Ends,
    from: From,
    /// Nothing when its word was given.
    decoding: Option<JoinHandle<Result<(), VideoError>>>,
}

/// Whether a content said so far that it has an end: a playlist that is complete, a file of a known length. A live one
/// that did not may come back after it broke off.
#[derive(Clone, Debug)]
pub struct Ends(Arc<AtomicBool>);

impl Ends {
    /// Whether it said so.
    pub fn said(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

enum From {
    Stored(mpsc::Receiver<Frame>),
    Live(Arc<Newest>),
}

/// One place, for the newest frame.
#[derive(Default)]
struct Newest {
    frame: Mutex<Option<Frame>>,
    changed: Notify,
    dropped: AtomicU64,
}

impl Newest {
    fn put(&self, frame: Frame) {
        if self.frame.lock().unwrap_or_else(PoisonError::into_inner).replace(frame).is_some() {
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        self.changed.notify_one();
    }

    fn take(&self) -> Option<Frame> {
        self.frame.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

struct Queue(mpsc::Sender<Frame>);

impl Recipient for Queue {
    async fn give(&mut self, frame: Frame) -> bool {
        self.0.send(frame).await.is_ok()
    }
}

impl Recipient for Arc<Newest> {
    async fn give(&mut self, frame: Frame) -> bool {
        self.put(frame);
        true
    }
}

impl Frames {
    pub(super) fn of(decoder: Decoder) -> Self {
        let (probe, ends) = (decoder.probe.clone(), Ends(decoder.feed.ends.clone()));
        let (from, decoding) = if decoder.ask.live {
            let newest = Arc::<Newest>::default();
            (From::Live(newest.clone()), tokio::spawn(decoder.run(newest)))
        } else {
            // One lies ready, and the decoder waits with the next: who looks sets the pace.
            let (to, from) = mpsc::channel(1);
            (From::Stored(from), tokio::spawn(decoder.run(Queue(to))))
        };
        Self { probe, ends, from, decoding: Some(decoding) }
    }

    /// What the content says of itself.
    pub fn probe(&self) -> &Probe {
        &self.probe
    }

    /// Tells whether the content has an end, also after the pictures are gone.
    pub fn ends(&self) -> Ends {
        self.ends.clone()
    }

    /// Frames of live video that nobody took in time. Of stored video none is dropped.
    pub fn dropped(&self) -> u64 {
        match &self.from {
            From::Stored(_) => 0,
            From::Live(newest) => newest.dropped.load(Ordering::Relaxed),
        }
    }

    /// The next picture; nothing at the end. Frames from before an error come before it. May be cancelled.
    pub async fn next(&mut self) -> Result<Option<Frame>, VideoError> {
        let Some(decoding) = &mut self.decoding else { return Ok(None) };
        let ended = match &mut self.from {
            From::Stored(from) => match from.recv().await {
                Some(frame) => return Ok(Some(frame)),
                None => decoding.await,
            },
            From::Live(newest) => loop {
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

impl Drop for Frames {
    fn drop(&mut self) {
        if let Some(decoding) = &self.decoding {
            decoding.abort();
        }
    }
}
