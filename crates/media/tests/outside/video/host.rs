//! A TLS server for files: with or without ranges, slow, incorrect, or redirecting.

use super::{SECRET, make::Folder};
use axum::{
    Router,
    body::Body,
    extract::{Path, State},
    response::Response,
    serve::Listener,
};
use futures_util::stream;
use media::fetch::HeaderMap;
use std::{
    collections::HashMap,
    convert::Infallible,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::{TlsAcceptor, rustls::ServerConfig, server::TlsStream};

/// How a file is served.
#[derive(Clone)]
pub(crate) enum Manner {
    /// Correctly, with ranges.
    Well,
    /// As a whole, also if a range is requested.
    Whole,
    /// As a whole, without `Content-Length`.
    Unsized,
    /// One byte at a time after this many bytes.
    Dripping(usize),
    /// With this many bytes more announced than are sent.
    Announcing(u64),
    /// With ranges that start elsewhere than requested.
    Shifted,
    /// As a different version each time.
    Changing,
    /// Without end.
    Endless,
    /// With `Content-Encoding: gzip`.
    Compressed,
    /// With a redirect to this address.
    Elsewhere(String),
    /// With this status and no body.
    Failing(u16),
    /// Without a response.
    Silent,
}

struct Served {
    bytes: Vec<u8>,
    media_type: String,
    manner: Manner,
}

#[derive(Default)]
struct Shelf {
    files: Mutex<HashMap<String, Arc<Served>>>,
    asked: Mutex<Vec<String>>,
}

pub(crate) struct Host {
    port: u16,
    shelf: Arc<Shelf>,
}

struct Tls {
    listener: TcpListener,
    acceptor: TlsAcceptor,
}

impl Listener for Tls {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (stream, from) = self.listener.accept().await.unwrap();
            if let Ok(stream) = self.acceptor.accept(stream).await {
                return (stream, from);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

impl Host {
    pub(crate) async fn listen(tls: ServerConfig) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let shelf = Arc::new(Shelf::default());
        let router = Router::new().route("/{*path}", axum::routing::get(answer)).with_state(shelf.clone());
        tokio::spawn(axum::serve(Tls { listener, acceptor: Arc::new(tls).into() }, router).into_future());
        Self { port, shelf }
    }

    /// The address of a file, with a token that no error may reveal.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("https://videos.example.com:{}/{path}?token={SECRET}", self.port)
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    pub(crate) fn put(&self, path: &str, bytes: impl Into<Vec<u8>>) {
        self.put_as(path, bytes, Manner::Well);
    }

    pub(crate) fn put_as(&self, path: &str, bytes: impl Into<Vec<u8>>, manner: Manner) {
        let bytes = bytes.into();
        let media_type =
            if bytes.starts_with(b"#EXTM3U") { "application/vnd.apple.mpegurl" } else { "video/mp4" };
        let served = Served { bytes, media_type: media_type.to_owned(), manner };
        self.shelf.files.lock().unwrap().insert(path.to_owned(), Arc::new(served));
    }

    /// Serves all files of a folder under `under`.
    pub(crate) fn put_all(&self, under: &str, folder: &Folder) {
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            let entry = entry.unwrap();
            self.put(
                &format!("{under}/{}", entry.file_name().to_str().unwrap()),
                std::fs::read(entry.path()).unwrap(),
            );
        }
    }

    pub(crate) fn remove(&self, path: &str) {
        self.shelf.files.lock().unwrap().remove(path);
    }

    /// The requested paths, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.shelf.asked.lock().unwrap().clone()
    }
}

async fn answer(State(shelf): State<Arc<Shelf>>, Path(path): Path<String>, headers: HeaderMap) -> Response {
    let asked = {
        let mut asked = shelf.asked.lock().unwrap();
        asked.push(path.clone());
        asked.len()
    };
    let served = shelf.files.lock().unwrap().get(&path).cloned();
    let respond = |status: u16| Response::builder().status(status);
    let Some(served) = served else { return respond(404).body(Body::from("no such file")).unwrap() };
    let bytes = &served.bytes;
    let total = bytes.len();
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let tag = match served.manner {
        Manner::Changing => format!("\"version-{asked}\""),
        _ => format!("\"{total}\""),
    };
    let current = header("if-range").is_none_or(|wanted| wanted == tag);
    let range = header("range").filter(|_| current).and_then(|range| {
        let (from, to) = range.strip_prefix("bytes=")?.split_once('-')?;
        Some((
            from.parse::<usize>().ok()?,
            to.parse::<usize>().unwrap_or(total.saturating_sub(1)).min(total.saturating_sub(1)),
        ))
    });
    let whole = respond(200).header("content-type", &served.media_type).header("etag", &tag);
    match &served.manner {
        Manner::Well | Manner::Shifted | Manner::Changing => {
            let Some((from, to)) = range else {
                return whole.header("accept-ranges", "bytes").body(Body::from(bytes.clone())).unwrap();
            };
            if from >= total {
                return respond(416)
                    .header("content-range", format!("bytes */{total}"))
                    .body(Body::empty())
                    .unwrap();
            }
            let shift = usize::from(matches!(served.manner, Manner::Shifted) && from > 0);
            let (from, part) = (from - shift, bytes[from - shift..=to - shift].to_vec());
            respond(206)
                .header("content-type", &served.media_type)
                .header("etag", &tag)
                .header("content-range", format!("bytes {from}-{}/{total}", to - shift))
                .body(Body::from(part))
                .unwrap()
        }
        Manner::Whole => whole.body(Body::from(bytes.clone())).unwrap(),
        Manner::Unsized => {
            let pieces: Vec<_> =
                bytes.chunks(10_000).map(|piece| Ok::<_, Infallible>(piece.to_vec())).collect();
            whole.body(Body::from_stream(stream::iter(pieces))).unwrap()
        }
        Manner::Compressed => {
            whole.header("content-encoding", "gzip").body(Body::from(bytes.clone())).unwrap()
        }
        Manner::Dripping(first) => {
            let (first, rest) = bytes.split_at(*first);
            let start = (Some(first.to_vec()), rest.to_vec(), 0);
            let drops = stream::unfold(start, |(first, rest, at)| async move {
                if let Some(first) = first {
                    return Some((Ok::<_, Infallible>(first), (None, rest, at)));
                }
                tokio::time::sleep(Duration::from_millis(200)).await;
                let drop = vec![*rest.get(at)?];
                Some((Ok(drop), (None, rest, at + 1)))
            });
            whole.header("content-length", total).body(Body::from_stream(drops)).unwrap()
        }
        Manner::Announcing(more) => {
            let bytes = stream::iter([Ok::<_, Infallible>(bytes.clone())]);
            // So that the bytes are sent before the connection breaks.
            let end = stream::once(async {
                tokio::time::sleep(Duration::from_millis(500)).await;
                Ok(Vec::new())
            });
            let body = Body::from_stream(futures_util::StreamExt::chain(bytes, end));
            whole.header("content-length", total as u64 + more).body(body).unwrap()
        }
        Manner::Endless => {
            let pieces = stream::iter([Ok::<_, Infallible>(bytes.clone())]);
            let more = stream::repeat_with(|| Ok(vec![0; 64 << 10]));
            whole.body(Body::from_stream(futures_util::StreamExt::chain(pieces, more))).unwrap()
        }
        Manner::Elsewhere(to) => respond(302).header("location", to).body(Body::empty()).unwrap(),
        Manner::Failing(status) => respond(*status).body(Body::empty()).unwrap(),
        Manner::Silent => std::future::pending().await,
    }
}
