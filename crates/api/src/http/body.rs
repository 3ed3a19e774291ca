//! Bodies, read up to a limit. Those of all requests together have a limit too: what is in memory of them is counted.

use super::header_text;
use crate::ApiState;
use axum::{
    body::{Body, Bytes},
    http::{header, request::Parts},
};
use base::{AppId, LimitViolation, Uuid};
use futures_util::{
    StreamExt as _,
    stream::{self, BoxStream},
};
use http_body_util::BodyExt as _;
use std::{
    collections::HashMap,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};
use tokio::time::Instant;
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
    /// It broke off.
    BrokenOff,
    /// It did not arrive in time.
    Late,
    /// The bodies of all requests together take as much memory as they may. After this time it may be tried again.
    NoMemory(Duration),
}

/// Whose bodies have a share of the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum BodyOwner {
    /// An application that has shown who it is.
    Application(AppId),
    /// The address of anybody else, see `GeoLocator::known_address_key`.
    Address(Uuid),
}

impl BodyOwner {
    /// `None` for senders who cannot be told apart.
    fn of(api: &ApiState, parts: &Parts, app: Option<AppId>) -> Option<Self> {
        let address = || api.geo_locator.known_address_key(&parts.headers, &parts.extensions);
        app.map(Self::Application).or_else(|| address().map(Self::Address))
    }
}

/// The memory that the bodies of all requests may take together. Cheap to clone.
#[derive(Clone, Debug)]
pub struct BodyMemory {
    max_units: usize,
    taken: Arc<Mutex<TakenUnits>>,
    streams: Arc<Mutex<HashMap<AppId, usize>>>,
    max_streams: usize,
}

#[derive(Debug, Default)]
struct TakenUnits {
    all: usize,
    by_owner: HashMap<BodyOwner, usize>,
}

/// What one body takes of the memory; given back when it is dropped.
#[derive(Debug)]
struct BodyShare {
    memory: BodyMemory,
    owner: Option<BodyOwner>,
    units: usize,
}

impl Drop for BodyShare {
    fn drop(&mut self) {
        let mut taken = self.memory.lock_taken();
        taken.all -= self.units;
        if let Some(owner) = self.owner
            && let Some(units) = taken.by_owner.get_mut(&owner)
        {
            *units -= self.units;
            if *units == 0 {
                taken.by_owner.remove(&owner);
            }
        }
    }
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
    /// At most `bytes` in all, rounded to KiB. The bodies of one application, or of one address whose sender is not known yet,
    /// may take at most three quarters; a single body may take all of it. Streams take at most half, and those of one
    /// application half of that. So no sender can block the others with many bodies.
    pub fn new(bytes: usize) -> Self {
        let max_units = (bytes / BUDGET_UNIT_BYTES).max(1);
        let max_streams = (bytes / 2 / STREAM_MEMORY_BYTES).max(1);
        Self { max_units, taken: Arc::default(), streams: Arc::default(), max_streams }
    }

    fn lock_taken(&self) -> MutexGuard<'_, TakenUnits> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a body takes that has not begun to arrive: nothing.
    fn share(&self, owner: Option<BodyOwner>) -> BodyShare {
        BodyShare { memory: self.clone(), owner, units: 0 }
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
}

impl BodyShare {
    /// Takes what one more part of the body needs, so that `length` bytes are covered.
    fn cover(&mut self, length: usize) -> Result<(), BodyError> {
        let missing = length.div_ceil(BUDGET_UNIT_BYTES).saturating_sub(self.units);
        if missing == 0 {
            return Ok(());
        }
        let max_units = self.memory.max_units;
        let mut taken = self.memory.lock_taken();
        let own = self.owner.map_or(0, |owner| taken.by_owner.get(&owner).copied().unwrap_or(0));
        let has_others = own > self.units;
        let max_per_owner = max_units - max_units / 4;
        if taken.all + missing > max_units || has_others && own + missing > max_per_owner {
            tracing::warn!("a body is refused: bodies take as much memory as they may");
            metrics::counter!("assay_bodies_refused_total").increment(1);
            return Err(BodyError::NoMemory(RETRY_AFTER_NO_MEMORY));
        }
        taken.all += missing;
        if let Some(owner) = self.owner {
            *taken.by_owner.entry(owner).or_default() += missing;
        }
        self.units += missing;
        Ok(())
    }
}

/// A body in memory, which counts as long as a part of it is in use.
struct CountedBody {
    bytes: Vec<u8>,
    share: BodyShare,
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
    _share: BodyShare,
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
    let mut share = api.body_memory.share(Some(BodyOwner::Application(app)));
    share.cover(STREAM_MEMORY_BYTES)?;
    let arriving =
        ArrivingBody { body, slowest, waited: Duration::ZERO, arrived: 0, _share: share, _place: place };
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
pub(crate) async fn read_available(
    api: &ApiState,
    app: AppId,
    body: Body,
    limit: usize,
) -> Result<Bytes, BodyError> {
    match collect(api, Some(BodyOwner::Application(app)), body, limit).await {
        Ok((body, _)) => Ok(body.into()),
        Err(error) => Err(error),
    }
}

/// Reads a body of at most `limit` bytes, which must arrive in time; a longer one is refused before it is in memory. `app` is
/// the application that sent it, if that is known for sure.
pub(crate) async fn read(
    api: &ApiState,
    parts: &Parts,
    app: Option<AppId>,
    body: Body,
    limit: usize,
    hint: &'static str,
) -> Result<Bytes, BodyError> {
    let announced =
        header_text(&parts.headers, &header::CONTENT_LENGTH).and_then(|length| length.parse::<u64>().ok());
    if let Some(bytes) = announced.filter(|bytes| *bytes > limit as u64) {
        let measured = LimitViolation::new(bytes as f64, format!("at most {limit} bytes"), hint);
        return Err(BodyError::TooLarge(Some(measured)));
    }
    match collect(api, BodyOwner::of(api, parts, app), body, limit).await? {
        (body, Ending::Whole) => Ok(body.into()),
        (_, Ending::BrokenOff) => Err(BodyError::BrokenOff),
        (_, Ending::Late) => Err(BodyError::Late),
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
async fn collect(
    api: &ApiState,
    owner: Option<BodyOwner>,
    mut body: Body,
    limit: usize,
) -> Result<(CountedBody, Ending), BodyError> {
    let until = Instant::now() + api.settings.body_timeout;
    let mut read = CountedBody { bytes: Vec::new(), share: api.body_memory.share(owner) };
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
        read.share.cover(length)?;
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

    fn application(number: u128) -> BodyOwner {
        BodyOwner::Application(AppId::from(Uuid::from_u128(number)))
    }

    #[test]
    fn memory_is_counted_for_what_has_arrived_and_given_back() {
        let memory = BodyMemory::new(8 * BUDGET_UNIT_BYTES);
        let mut one = memory.share(None);
        for length in [0, 1, 1024, 1025, 3000] {
            one.cover(length).unwrap();
            assert_eq!(memory.lock_taken().all, length.div_ceil(1024), "{length}");
        }
        let mut other = memory.share(None);
        other.cover(5 * 1024).unwrap();
        assert!(matches!(other.cover(5 * 1024 + 1), Err(BodyError::NoMemory(_))));
        let body = Bytes::from(CountedBody { bytes: vec![7; 3000], share: one });
        let part = body.slice(10..20);
        drop(body);
        assert_eq!(memory.lock_taken().all, 8, "a part of it is still in use");
        drop(part);
        other.cover(8 * 1024).unwrap();
    }

    #[test]
    fn the_bodies_of_one_owner_leave_memory_to_others() {
        let memory = BodyMemory::new(8 * BUDGET_UNIT_BYTES);
        let mut large = memory.share(Some(application(1)));
        large.cover(7 * 1024).expect("one alone may be larger");
        let mut second = memory.share(Some(application(1)));
        assert!(matches!(second.cover(1), Err(BodyError::NoMemory(_))), "there is memory, but not for them");
        drop(large);
        second.cover(3 * 1024).unwrap();
        let mut third = memory.share(Some(application(1)));
        third.cover(3 * 1024).unwrap();
        assert!(third.cover(3 * 1024 + 1).is_err());
        let address = BodyOwner::Address(Uuid::from_u128(1));
        let mut strangers: Vec<_> = [Some(address), None].map(|owner| memory.share(owner)).into();
        for stranger in &mut strangers {
            stranger.cover(1024).unwrap();
        }
        drop((second, third, strangers));
        let taken = memory.lock_taken();
        assert_eq!((taken.all, taken.by_owner.len()), (0, 0));
    }
}
