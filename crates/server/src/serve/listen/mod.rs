//! The accept loop: limits on connections, on slow headers and on silence, and a graceful stop.

mod binding;
pub(super) use binding::bind;
mod connection_tracker;
mod lingering;
mod unread;

use crate::lifecycle::shutdown_signal;
use axum::{
    Router,
    body::{Body, Bytes, HttpBody},
    extract::ConnectInfo,
    http::{Request, Response},
};
use connection_tracker::{ConnectionTracker, MustGo, RunningCall};
use http_body::{Frame, SizeHint};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto::Builder,
    service::TowerToHyperService,
};
use lingering::{LingerLimits, LingeringStream};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::{
    convert::Infallible,
    net::SocketAddr,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore, watch},
};
use tower::ServiceExt as _;
use unread::SharedBody;

#[derive(Clone, Copy, Debug)]
pub(super) struct ConnectionLimits {
    /// Open connections. For a further one, the connection goes that has been idle for longest; it waits if none is idle.
    pub(super) connections: usize,
    /// How long the headers of a request may take, how long a new connection may take until its first request, and how long
    /// its peer may send nothing more of a body, or take nothing of its answers, until it counts as idle.
    pub(super) header_timeout: Duration,
    /// How long an idle connection may be open.
    pub(super) idle_timeout: Duration,
}

/// Running requests get this long to end when the server is told to stop.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(20);
/// How long a connection that must make room for another may take to go.
const EVICTION_TIME: Duration = Duration::from_millis(250);
/// A connection that was told that it must go gets this long to close.
const CLOSING_GRACE: Duration = Duration::from_secs(2);
/// Bytes of a body that are thrown away so that its sender gets to read why it was refused.
const MAX_LINGER_BYTES: u64 = 64 << 20;
/// How long nothing may arrive meanwhile.
const LINGER_QUIET: Duration = Duration::from_secs(5);
/// Bytes of an answer that are handed on at once, because only then is it seen that the peer takes the answer. Few enough for
/// slow networks: within the default time, 2 KB a second.
const MAX_PIECE_BYTES: usize = 64 << 10;
/// Files that the process needs besides connections: databases, models, indexes, outgoing calls.
const OTHER_FILES: u64 = 512;

/// Serves until SIGTERM or SIGINT, then lets running requests end.
pub(super) async fn run(listener: TcpListener, router: Router, limits: ConnectionLimits) {
    allow_open_files(limits.connections as u64 + OTHER_FILES);
    let mut http = Builder::new(TokioExecutor::new());
    http.http1().timer(TokioTimer::new()).header_read_timeout(limits.header_timeout).max_buf_size(64 * 1024);
    http.http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(64)
        .keep_alive_interval(Duration::from_secs(20));
    let (stopping, _) = watch::channel(false);
    let server = Server {
        http: Arc::new(http),
        router,
        limits,
        slots: Arc::new(Semaphore::new(limits.connections)),
        tracker: Arc::default(),
        stopping,
    };
    let mut stop = std::pin::pin!(shutdown_signal());
    loop {
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Most likely the process is out of file descriptors.
                let evicted = server.tracker.evict_one();
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    evicted,
                    "a connection could not be accepted"
                );
                tokio::time::sleep(Duration::from_millis(if evicted { 5 } else { 50 })).await;
                continue;
            }
        };
        let slot = tokio::select! {
            () = &mut stop => break,
            slot = server.slot() => slot,
        };
        server.spawn(stream, peer, slot);
    }
    tracing::info!("stopping: no new connections, running requests end");
    drop(listener);
    server.stopping.send_replace(true);
    if tokio::time::timeout(SHUTDOWN_GRACE, server.stopping.closed()).await.is_err() {
        tracing::warn!("some requests did not end in time");
    }
}

struct Server {
    http: Arc<Builder<TokioExecutor>>,
    router: Router,
    limits: ConnectionLimits,
    slots: Arc<Semaphore>,
    tracker: Arc<ConnectionTracker>,
    /// Whether connections must close. Each of them has a receiver until it is closed.
    stopping: watch::Sender<bool>,
}

impl Server {
    /// Waits for room for one more connection, and makes room if that is possible.
    async fn slot(&self) -> Option<OwnedSemaphorePermit> {
        loop {
            if let Ok(slot) = self.slots.clone().try_acquire_owned() {
                return Some(slot);
            }
            if self.tracker.evict_one() {
                metrics::counter!("assay_connections_evicted_total").increment(1);
                // The one that was chosen may have become busy at that moment, and stays.
                let freed = tokio::time::timeout(EVICTION_TIME, self.slots.clone().acquire_owned()).await;
                match freed {
                    Ok(slot) => return slot.ok(),
                    Err(_) => continue,
                }
            }
            tokio::select! {
                slot = self.slots.clone().acquire_owned() => return slot.ok(),
                () = self.tracker.freed() => {}
            }
        }
    }

    fn spawn(&self, stream: TcpStream, peer: SocketAddr, slot: Option<OwnedSemaphorePermit>) {
        let _unsupported = stream.set_nodelay(true);
        let limits = self.limits;
        let tracked = self.tracker.track();
        let (router, counted) = (self.router.clone(), tracked.clone());
        let linger =
            LingerLimits { bytes: MAX_LINGER_BYTES, whole: limits.header_timeout, quiet: LINGER_QUIET };
        let service = tower::service_fn(move |request: Request<_>| {
            answer(router.clone(), request, peer, linger, counted.begin_call())
        });
        let (http, mut stopping) = (self.http.clone(), self.stopping.subscribe());
        tokio::spawn(async move {
            let io = TokioIo::new(LingeringStream::new(stream, linger));
            let connection = http.serve_connection_with_upgrades(io, TowerToHyperService::new(service));
            let mut connection = std::pin::pin!(connection);
            tokio::select! {
                _ended = connection.as_mut() => {}
                how = tracked.must_go(limits.header_timeout, limits.idle_timeout) => {
                    if how == MustGo::Gracefully {
                        connection.as_mut().graceful_shutdown();
                        let _ended = tokio::time::timeout(CLOSING_GRACE, connection).await;
                    }
                }
                () = async { let _told = stopping.wait_for(|stopping| *stopping).await; } => {
                    connection.as_mut().graceful_shutdown();
                    let _ended = connection.await;
                }
            }
            drop((slot, stopping));
        });
    }
}

/// Answers a request, which counts as being answered until the body of its answer was sent or given up.
async fn answer<B>(
    router: Router,
    mut request: Request<B>,
    peer: SocketAddr,
    linger: LingerLimits,
    call: Arc<RunningCall>,
) -> Result<Response<Body>, Infallible>
where
    B: HttpBody<Data = Bytes> + Send + Unpin + 'static,
    B::Error: Into<axum::BoxError>,
{
    request.extensions_mut().insert(ConnectInfo(peer));
    let version = request.version();
    let (request, unread) = SharedBody::of(request, &call);
    let answer = router.oneshot(request).await?;
    let answer = unread.settle(version, linger, answer).await;
    call.note_sent();
    Ok(answer.map(|body| Body::new(AnswerBody { body, rest: Bytes::new(), call })))
}

/// The body of an answer, which notes when its peer takes more of it.
struct AnswerBody {
    body: Body,
    /// What was read of `body` and is not handed on yet.
    rest: Bytes,
    call: Arc<RunningCall>,
}

impl HttpBody for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let Self { body, rest, call } = self.get_mut();
        if rest.is_empty() {
            match Pin::new(body).poll_frame(cx) {
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => *rest = data,
                    Err(trailers) => {
                        call.note_sent();
                        return Poll::Ready(Some(Ok(trailers)));
                    }
                },
                Poll::Pending => {
                    call.note_unready();
                    return Poll::Pending;
                }
                ended @ Poll::Ready(_) => return ended,
            }
        }
        call.note_sent();
        let piece = rest.split_to(rest.len().min(MAX_PIECE_BYTES));
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, body) = (self.rest.len() as u64, self.body.size_hint());
        let mut hint = SizeHint::new();
        hint.set_lower(body.lower() + rest);
        if let Some(upper) = body.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}

/// Raises the limit on open files, as far as the system lets it: each connection is one.
fn allow_open_files(needed: u64) {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_none_or(|current| current >= needed) {
        return;
    }
    let wanted = maximum.map_or(needed, |maximum| maximum.min(needed));
    let raised = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum }).is_ok();
    if !raised || wanted < needed {
        tracing::warn!(
            needed,
            allowed = if raised { Some(wanted) } else { current },
            "fewer files may be open than server.connections needs"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::future::poll_fn;

    #[tokio::test]
    async fn a_long_answer_is_handed_on_in_pieces() {
        let call = Arc::new(ConnectionTracker::default()).track().begin_call();
        let bytes: Vec<u8> = (0..200_000).map(|at| at as u8).collect();
        let mut answer = AnswerBody { body: Body::from(bytes.clone()), rest: Bytes::new(), call };
        let mut taken = Vec::new();
        while let Some(frame) = poll_fn(|cx| Pin::new(&mut answer).poll_frame(cx)).await {
            let piece = frame.unwrap().into_data().unwrap();
            assert!(piece.len() <= MAX_PIECE_BYTES);
            taken.extend_from_slice(&piece);
            assert_eq!(answer.size_hint().exact(), Some((bytes.len() - taken.len()) as u64));
            assert_eq!(answer.is_end_stream(), taken.len() == bytes.len());
        }
        assert_eq!(taken, bytes);
    }
}
