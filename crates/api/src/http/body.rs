//! Bodies, read up to a limit. Those of all requests together have a limit too: what is in memory of them is counted.

use super::header_text;
use crate::ApiState;
use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, header},
};
use base::{AppId, LimitViolation};
use futures_util::{
    StreamExt as _,
    stream::{self, BoxStream},
};
use http_body_util::BodyExt as _;
use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};
use tokio_util::io::StreamReader;

/// The unit in which memory is counted, bytes.
const BUDGET_UNIT_BYTES: usize = 1024;
/// `Retry-After` when there is no memory for another body.
const RETRY_AFTER_NO_MEMORY: Duration = Duration::from_secs(1);

/// Why a body was not read.
#[derive(Clone, Debug)]
pub(crate) enum BodyError {
    /// It is longer than the limit; with what was measured, if its length was announced.
    TooLarge(Option<LimitViolation>),
    /// It broke off, or did not arrive in time.
    Broken(&'static str),
    /// The bodies of all requests together take as much memory as they may. After this time it may be tried again.
    NoMemory(Duration),
}

/// The memory that the bodies of all requests may take together. Cheap to clone.
#[derive(Clone, Debug)]
pub struct BodyMemory {
    units: Arc<Semaphore>,
    streams: Arc<Mutex<HashMap<AppId, usize>>>,
    max_streams: usize,
}

/// A place among the bodies that are read as streams, which may take long; given back when it is dropped.
#[derive(Debug)]
struct StreamPlace {
    streams: Arc<Mutex<HashMap<AppId, usize>>>,
    app: AppId,
}

impl Drop for StreamPlace {
    fn drop(&mut self) {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = streams.get_mut(&self.app) {
            *number -= 1;
        }
        streams.retain(|_, number| *number > 0);
    }
}

impl BodyMemory {
    /// At most `bytes` in all, rounded to KiB. Streams take half of it at most, and those of one application half of that, so
    /// that nobody's uploads keep others from anything.
    pub fn new(bytes: usize) -> Self {
        let units = (bytes / BUDGET_UNIT_BYTES).clamp(1, Semaphore::MAX_PERMITS);
        let max_streams = (bytes / 2 / STREAM_MEMORY_BYTES).max(1);
        Self { units: Arc::new(Semaphore::new(units)), streams: Arc::default(), max_streams }
    }

    /// Takes a place for a stream of an application.
    fn stream_place(&self, app: AppId) -> Result<StreamPlace, BodyError> {
        let mut streams = self.streams.lock().unwrap_or_else(PoisonError::into_inner);
        let own = streams.get(&app).copied().unwrap_or(0);
        if streams.values().sum::<usize>() >= self.max_streams || own >= self.max_streams.div_ceil(2) {
            metrics::counter!("assay_bodies_refused_total").increment(1);
            return Err(BodyError::NoMemory(RETRY_AFTER_NO_MEMORY));
        }
        streams.insert(app, own + 1);
        Ok(StreamPlace { streams: self.streams.clone(), app })
    }

    /// Takes what one more part of a body needs, beyond what `taken` covers of the `length` bytes so far.
    fn cover(&self, taken: &mut Option<OwnedSemaphorePermit>, length: usize) -> Result<(), BodyError> {
        let wanted = length.div_ceil(BUDGET_UNIT_BYTES);
        let missing = wanted - taken.as_ref().map_or(0, OwnedSemaphorePermit::num_permits).min(wanted);
        if missing == 0 {
            return Ok(());
        }
        let more =
            u32::try_from(missing).ok().and_then(|more| self.units.clone().try_acquire_many_owned(more).ok());
        let Some(more) = more else {
            tracing::warn!("a body is refused: the bodies of all requests take as much memory as they may");
            metrics::counter!("assay_bodies_refused_total").increment(1);
            return Err(BodyError::NoMemory(RETRY_AFTER_NO_MEMORY));
        };
        match taken {
            Some(taken) => taken.merge(more),
            None => *taken = Some(more),
        }
        Ok(())
    }
}

/// A body in memory, which counts as long as a part of it is in use.
struct CountedBody {
    bytes: Vec<u8>,
    memory: Option<OwnedSemaphorePermit>,
}

impl AsRef<[u8]> for CountedBody {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl From<CountedBody> for Bytes {
    fn from(body: CountedBody) -> Self {
        Self::from_owner(body)
    }
}

/// What reading a body as a stream takes of the memory for bodies: the parts that wait until they are stored.
const STREAM_MEMORY_BYTES: usize = 16 << 20;

/// A body that is read while it is stored, and never as a whole. Its memory counts until it is dropped.
pub(crate) type BodyReader = StreamReader<BoxStream<'static, io::Result<Bytes>>, Bytes>;

/// How slowly the body of a stream may arrive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlowestArrival {
    /// Time spent waiting for it, in which at least `bytes` must arrive.
    pub(crate) window: Duration,
    pub(crate) bytes: u64,
}

struct ArrivingBody {
    body: Body,
    slowest: SlowestArrival,
    waited: Duration,
    arrived: u64,
    _memory: Option<OwnedSemaphorePermit>,
    _place: StreamPlace,
}

/// Reads a body of any length while it arrives; the reader fails if it breaks off, or arrives too slowly.
pub(crate) fn read_as_stream(
    api: &ApiState,
    app: AppId,
    body: Body,
    slowest: SlowestArrival,
) -> Result<BodyReader, BodyError> {
    let place = api.body_memory.stream_place(app)?;
    let mut memory = None;
    api.body_memory.cover(&mut memory, STREAM_MEMORY_BYTES)?;
    let arriving =
        ArrivingBody { body, slowest, waited: Duration::ZERO, arrived: 0, _memory: memory, _place: place };
    let parts = stream::try_unfold(arriving, |mut arriving| async move {
        Ok(arriving.next().await?.map(|part| (part, arriving)))
    });
    Ok(StreamReader::new(parts.boxed()))
}

impl ArrivingBody {
    async fn next(&mut self) -> io::Result<Option<Bytes>> {
        loop {
            let (left, begun) = (self.slowest.window.saturating_sub(self.waited), Instant::now());
            let late = || io::Error::new(io::ErrorKind::TimedOut, "it arrives too slowly");
            let frame = tokio::time::timeout(left, self.body.frame()).await.map_err(|_| late())?;
            self.waited += begun.elapsed();
            let Some(frame) = frame else { return Ok(None) };
            let Ok(part) = frame.map_err(|_| io::Error::other("the connection broke off"))?.into_data()
            else {
                continue;
            };
            self.arrived += part.len() as u64;
            if self.arrived >= self.slowest.bytes {
                (self.waited, self.arrived) = (Duration::ZERO, 0);
            }
            if !part.is_empty() {
                return Ok(Some(part));
            }
        }
    }
}

/// Reads what arrives of a body, until it breaks off or its time is over; `Err` only if it is longer than `limit`, or
/// there is no memory for it.
pub(crate) async fn read_available(api: &ApiState, body: Body, limit: usize) -> Result<Bytes, BodyError> {
    match collect(api, body, limit).await {
        Ok((body, _)) => Ok(body.into()),
        Err(error) => Err(error),
    }
}

/// Reads a body of at most `limit` bytes, which must arrive in time; a longer one is refused before it is in memory.
pub(crate) async fn read(
    api: &ApiState,
    headers: &HeaderMap,
    body: Body,
    limit: usize,
    hint: &'static str,
) -> Result<Bytes, BodyError> {
    let announced =
        header_text(headers, &header::CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
    if let Some(bytes) = announced.filter(|bytes| *bytes > limit as u64) {
        let measured = LimitViolation::new(bytes as f64, format!("at most {limit} bytes"), hint);
        return Err(BodyError::TooLarge(Some(measured)));
    }
    match collect(api, body, limit).await? {
        (body, Ending::Whole) => Ok(body.into()),
        (_, Ending::BrokenOff) => Err(BodyError::Broken("the body broke off")),
        (_, Ending::Late) => Err(BodyError::Broken("the body did not arrive in time")),
    }
}

/// How the reading of a body ended.
enum Ending {
    Whole,
    BrokenOff,
    Late,
}

/// Reads a body part by part. Memory is taken for what has arrived, not for what was announced, so that a caller who
/// announces much and sends nothing takes nothing from others.
async fn collect(api: &ApiState, mut body: Body, limit: usize) -> Result<(CountedBody, Ending), BodyError> {
    let until = Instant::now() + api.settings.body_timeout;
    let mut read = CountedBody { bytes: Vec::new(), memory: None };
    loop {
        let frame = match tokio::time::timeout_at(until, body.frame()).await {
            Ok(Some(Ok(frame))) => frame,
            Ok(None) => return Ok((read, Ending::Whole)),
            Ok(Some(Err(_))) => return Ok((read, Ending::BrokenOff)),
            Err(_) => return Ok((read, Ending::Late)),
        };
        let Ok(part) = frame.into_data() else { continue };
        let length = read.bytes.len() + part.len();
        if length > limit {
            return Err(BodyError::TooLarge(None));
        }
        api.body_memory.cover(&mut read.memory, length)?;
        read.bytes.extend_from_slice(&part);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_streams_of_one_application_leave_places_to_others() {
        let memory = BodyMemory::new(8 * STREAM_MEMORY_BYTES);
        let app = |number| AppId::from(base::Uuid::from_u128(number));
        let mut places: Vec<_> = (0..2).map(|_| memory.stream_place(app(1)).unwrap()).collect();
        assert!(matches!(memory.stream_place(app(1)), Err(BodyError::NoMemory(_))), "half of them");
        places.push(memory.stream_place(app(2)).unwrap());
        places.push(memory.stream_place(app(3)).unwrap());
        assert!(memory.stream_place(app(4)).is_err(), "half of the memory");
        places.remove(0);
        memory.stream_place(app(4)).unwrap();
        places.clear();
        assert!(memory.streams.lock().unwrap().is_empty());
        BodyMemory::new(1).stream_place(app(1)).unwrap();
    }

    #[test]
    fn memory_is_counted_for_what_has_arrived_and_given_back() {
        let memory = BodyMemory::new(8 * BUDGET_UNIT_BYTES);
        let mut one = None;
        for length in [0, 1, 1024, 1025, 3000] {
            memory.cover(&mut one, length).unwrap();
            assert_eq!(8 - memory.units.available_permits(), length.div_ceil(1024), "{length}");
        }
        let mut other = None;
        memory.cover(&mut other, 5 * 1024).unwrap();
        assert!(matches!(memory.cover(&mut other, 5 * 1024 + 1), Err(BodyError::NoMemory(_))));
        let body = Bytes::from(CountedBody { bytes: vec![7; 3000], memory: one });
        let part = body.slice(10..20);
        drop(body);
        assert_eq!(memory.units.available_permits(), 0, "a part of it is still in use");
        drop(part);
        memory.cover(&mut other, 8 * 1024).unwrap();
    }
}
