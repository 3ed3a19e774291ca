//! The relay has one address, at which ffmpeg speaks HTTP for files and playlists, and RTSP for cameras.

use crate::fetch::Connection;
use axum::serve::Listener;
use futures_util::future::BoxFuture;
use std::{fmt, net::SocketAddr, sync::Arc, time::Duration};
use tokio::net::TcpListener;

/// How the first request for a camera begins.
const STREAM_MARK: &[u8] = b"OPTIONS rtsp://";
/// Within this time a connection says what it is for; ffmpeg does at once.
const FIRST_BYTES_TIMEOUT: Duration = Duration::from_secs(2);

/// Serves connections that speak RTSP.
#[derive(Clone)]
pub(crate) struct StreamHandler(pub(crate) Arc<ServeStream>);

type ServeStream = dyn Fn(Box<dyn Connection>) -> BoxFuture<'static, ()> + Send + Sync;

impl fmt::Debug for StreamHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StreamHandler")
    }
}

/// Listens at the relay's address: connections that speak RTSP go to their handler, all others are returned.
pub(crate) struct RelayListener {
    pub(crate) listener: TcpListener,
    pub(crate) streams: StreamHandler,
}

impl Listener for RelayListener {
    type Io = <TcpListener as Listener>::Io;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (connection, from) = Listener::accept(&mut self.listener).await;
            let mut first = [0; STREAM_MARK.len()];
            match tokio::time::timeout(FIRST_BYTES_TIMEOUT, connection.peek(&mut first)).await {
                Ok(Ok(length)) if length > 0 && STREAM_MARK.starts_with(&first[..length]) => {
                    tokio::spawn((self.streams.0)(Box::new(connection)));
                }
                Ok(Ok(length)) if length > 0 => return (connection, from),
                // It says nothing, or is gone.
                Ok(_) | Err(_) => {}
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}
