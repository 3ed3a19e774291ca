//! The accept loop: limits on connections and on slow headers, and a graceful stop.

use crate::lifecycle::shutdown_signal;
use axum::{Router, extract::ConnectInfo, http::Request};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto::Builder, graceful::GracefulShutdown},
    service::TowerToHyperService,
};
use std::{sync::Arc, time::Duration};
use tokio::{net::TcpListener, sync::Semaphore};
use tower::ServiceExt as _;

pub(super) struct ConnectionLimits {
    /// Open connections; further ones wait to be accepted.
    pub(super) connections: usize,
    /// How long the headers of a request may take.
    pub(super) header_timeout: Duration,
}

/// Running requests get this long to end when the server is told to stop.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(20);

/// Serves until SIGTERM or SIGINT, then lets running requests end.
pub(super) async fn run(listener: TcpListener, router: Router, limits: ConnectionLimits) {
    let mut http = Builder::new(TokioExecutor::new());
    http.http1().timer(TokioTimer::new()).header_read_timeout(limits.header_timeout).max_buf_size(64 * 1024);
    http.http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(64)
        .keep_alive_interval(Duration::from_secs(20));
    let slots = Arc::new(Semaphore::new(limits.connections));
    let graceful = GracefulShutdown::new();
    let mut stop = std::pin::pin!(shutdown_signal());
    loop {
        let slot = tokio::select! {
            () = &mut stop => break,
            slot = slots.clone().acquire_owned() => slot,
        };
        let accepted = tokio::select! {
            () = &mut stop => break,
            accepted = listener.accept() => accepted,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Most likely the process is out of file descriptors; only waiting helps.
                tracing::warn!(
                    error = &error as &dyn std::error::Error,
                    "a connection could not be accepted"
                );
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let _unsupported = stream.set_nodelay(true);
        let service = router.clone().map_request(move |mut request: Request<_>| {
            request.extensions_mut().insert(ConnectInfo(peer));
            request
        });
        let service = TowerToHyperService::new(service);
        let connection =
            graceful.watch(http.serve_connection_with_upgrades(TokioIo::new(stream), service).into_owned());
        tokio::spawn(async move {
            let _ended = connection.await;
            drop(slot);
        });
    }
    tracing::info!("stopping: no new connections, running requests end");
    drop(listener);
    if tokio::time::timeout(SHUTDOWN_GRACE, graceful.shutdown()).await.is_err() {
        tracing::warn!("some requests did not end in time");
    }
}
