//! A server of files on this machine, for a server that takes in only what it fetches over HTTPS itself. Its certificate is
//! its own: whoever shall trust it gets it as PEM.

use axum::{
    Router,
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
    service::TowerToHyperService,
};
use std::{
    collections::HashMap,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, pki_types::PrivateKeyDer},
};

/// A self-signed certificate for `localhost`, and what serves TLS with it.
#[derive(Clone, Debug)]
pub struct LoopbackCertificate {
    /// The certificate, PEM.
    pub certificate: String,
    /// Its private key, PEM.
    pub private_key: String,
    /// For servers in this process; HTTP/2 and HTTP/1.1 are offered.
    pub config: Arc<ServerConfig>,
}

impl LoopbackCertificate {
    /// A new one.
    pub fn generate() -> anyhow::Result<Self> {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned(), "127.0.0.1".to_owned()])?;
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der())
            .map_err(|error| anyhow::anyhow!(error))?;
        let provider = Arc::new(tokio_rustls::rustls::crypto::aws_lc_rs::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)?;
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self {
            certificate: made.cert.pem(),
            private_key: made.signing_key.serialize_pem(),
            config: Arc::new(config),
        })
    }
}

type Files = Arc<Mutex<HashMap<String, (&'static str, axum::body::Bytes)>>>;

/// Serves files from memory; stops when it is dropped.
#[derive(Debug)]
pub struct FileServer {
    address: SocketAddr,
    files: Files,
    task: JoinHandle<()>,
}

impl FileServer {
    /// Starts without files, on a free port of loopback.
    pub async fn start(certificate: &LoopbackCertificate) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let (address, files) = (listener.local_addr()?, Files::default());
        let router = Router::new().route("/{name}", get(serve_file)).with_state(files.clone());
        let acceptor = TlsAcceptor::from(certificate.config.clone());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, service) = (acceptor.clone(), TowerToHyperService::new(router.clone()));
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    let server = auto::Builder::new(TokioExecutor::new());
                    let _closed = server.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Ok(Self { address, files, task })
    }

    /// Adds or replaces a file; returns its address.
    pub fn put(&self, name: &str, content_type: &'static str, bytes: Vec<u8>) -> String {
        let mut files = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        files.insert(name.to_owned(), (content_type, bytes.into()));
        format!("https://localhost:{}/{name}", self.address.port())
    }
}

impl Drop for FileServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Answers with a file or, if that is asked for, a part of it.
async fn serve_file(State(files): State<Files>, Path(name): Path<String>, headers: HeaderMap) -> Response {
    let found = files.lock().unwrap_or_else(PoisonError::into_inner).get(&name).cloned();
    let Some((content_type, bytes)) = found else { return StatusCode::NOT_FOUND.into_response() };
    let kind = [(header::CONTENT_TYPE, content_type), (header::ACCEPT_RANGES, "bytes")];
    let range = headers.get(header::RANGE).and_then(|range| parse_range(range.to_str().ok()?, bytes.len()));
    let Some([first, end]) = range else { return (kind, bytes).into_response() };
    let told = format!("bytes {first}-{}/{}", end - 1, bytes.len());
    (StatusCode::PARTIAL_CONTENT, kind, [(header::CONTENT_RANGE, told)], bytes.slice(first..end))
        .into_response()
}

/// The first byte of a range and the one behind its last; `None` for what is not one range within the file.
fn parse_range(range: &str, length: usize) -> Option<[usize; 2]> {
    let (first, last) = range.strip_prefix("bytes=")?.split_once('-')?;
    let first = first.parse().ok()?;
    let end = if last.is_empty() { length } else { last.parse::<usize>().ok()?.checked_add(1)?.min(length) };
    (first < end).then_some([first, end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_within_the_file_is_a_range() {
        assert_eq!(parse_range("bytes=0-", 10), Some([0, 10]));
        assert_eq!(parse_range("bytes=3-5", 10), Some([3, 6]));
        assert_eq!(parse_range("bytes=3-99", 10), Some([3, 10]));
        for other in [
            "bytes=10-",
            "bytes=-3",
            "bytes=5-3",
            "bytes=0-1,3-4",
            "lines=0-1",
            "bytes=0-18446744073709551615x",
        ] {
            assert_eq!(parse_range(other, 10), None, "{other}");
        }
    }
}
