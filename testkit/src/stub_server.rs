//! A stand-in for somebody else's server: the webhook endpoint of an application, an issuer, a file server. It speaks HTTPS
//! with a certificate of its own, replies as the test says, and records the requests.

use axum::{
    body::{Body, Bytes},
    http::{HeaderMap, Method, Request, Response, StatusCode, Uri},
};
use http_body_util::BodyExt as _;
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto,
};
use measure::file_server::LoopbackCertificate;
use media::fetch::{EgressPolicy, TrustedRoot};
use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::{Arc, LazyLock, Mutex},
    time::Duration,
};
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

/// One certificate for all stub servers, because making one takes a while.
static SERVER_CERTIFICATE: LazyLock<LoopbackCertificate> =
    LazyLock::new(|| LoopbackCertificate::generate().expect("two names make a certificate"));

/// Accepts TLS with the certificate of every stub server.
pub(crate) fn acceptor() -> TlsAcceptor {
    TlsAcceptor::from(SERVER_CERTIFICATE.config.clone())
}

/// A request that was received.
#[derive(Clone, Debug)]
pub struct CapturedRequest {
    pub method: Method,
    /// Path and query.
    pub uri: Uri,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl CapturedRequest {
    /// The value of a header; empty where there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

/// The reply to a request.
#[derive(Clone, Debug)]
pub struct StubReply {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    delay: Duration,
    gate: Option<ReplyGate>,
}

impl StubReply {
    /// A status, without a body.
    pub fn status(status: u16) -> Self {
        Self { status, headers: Vec::new(), body: Vec::new(), delay: Duration::ZERO, gate: None }
    }

    /// 200 with a body.
    pub fn body(content_type: &str, body: impl Into<Vec<u8>>) -> Self {
        Self { body: body.into(), ..Self::status(200) }.header("content-type", content_type)
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    /// Changes the status.
    #[must_use]
    pub fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    /// Delays the reply.
    #[must_use]
    pub fn after(self, delay: Duration) -> Self {
        Self { delay, ..self }
    }

    /// Holds the reply back until `gate` lets it go.
    #[must_use]
    pub fn behind(self, gate: &ReplyGate) -> Self {
        Self { gate: Some(gate.clone()), ..self }
    }
}

/// Holds replies back until the test lets them go, however long what it does meanwhile takes.
#[derive(Clone, Debug)]
pub struct ReplyGate(Arc<Semaphore>);

impl ReplyGate {
    /// One that lets nothing through yet.
    pub fn closed() -> Self {
        Self(Arc::new(Semaphore::new(0)))
    }

    /// Lets one more reply go.
    pub fn release_one(&self) {
        self.0.add_permits(1);
    }
}

type ReplyFn = dyn Fn(&CapturedRequest) -> StubReply + Send + Sync;

/// A server that stops when it is dropped.
pub struct StubServer {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<CapturedRequest>>>,
    task: tokio::task::JoinHandle<()>,
}

impl std::fmt::Debug for StubServer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "StubServer({})", self.address)
    }
}

impl Drop for StubServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl StubServer {
    /// Starts one on a free port.
    ///
    /// # Panics
    /// When there is no port.
    pub async fn start(reply: impl Fn(&CapturedRequest) -> StubReply + Send + Sync + 'static) -> Self {
        Self::open(reply, true).await
    }

    /// Starts one that records no requests, for benches.
    ///
    /// # Panics
    /// When there is no port.
    pub async fn start_unrecorded(
        reply: impl Fn(&CapturedRequest) -> StubReply + Send + Sync + 'static,
    ) -> Self {
        Self::open(reply, false).await
    }

    async fn open(
        reply: impl Fn(&CapturedRequest) -> StubReply + Send + Sync + 'static,
        records: bool,
    ) -> Self {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let requests = Arc::<Mutex<Vec<CapturedRequest>>>::default();
        let (reply, recorded): (Arc<ReplyFn>, _) = (Arc::new(reply), records.then(|| requests.clone()));
        let acceptor = TlsAcceptor::from(SERVER_CERTIFICATE.config.clone());
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let _without_delay = stream.set_nodelay(true);
                let (acceptor, reply, recorded) = (acceptor.clone(), reply.clone(), recorded.clone());
                tokio::spawn(async move {
                    let Ok(stream) = acceptor.accept(stream).await else { return };
                    let service =
                        hyper_util::service::TowerToHyperService::new(tower::service_fn(move |request| {
                            serve(request, reply.clone(), recorded.clone())
                        }));
                    let server = auto::Builder::new(TokioExecutor::new());
                    let _closed = server.serve_connection(TokioIo::new(stream), service).await;
                });
            }
        });
        Self { address, requests, task }
    }

    /// The address of a path on it.
    pub fn url(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.address.port())
    }

    /// Its host and port, as in its addresses.
    pub fn host(&self) -> String {
        format!("localhost:{}", self.address.port())
    }

    /// The requests that it has received so far.
    ///
    /// # Panics
    /// Never: nobody panics while holding the list.
    pub fn captured(&self) -> Vec<CapturedRequest> {
        self.requests.lock().expect("nobody panics while holding it").clone()
    }

    /// Waits until it has received `count` requests; returns all of them.
    ///
    /// # Panics
    /// When that takes longer than ten minutes.
    pub async fn wait_for(&self, count: usize) -> Vec<CapturedRequest> {
        for _ in 0..60_000 {
            let requests = self.captured();
            if requests.len() >= count {
                return requests;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{} requests were received, {count} were expected", self.captured().len());
    }
}

/// An egress policy that allows calls to stub servers: this machine is allowed, and their certificate is trusted.
pub fn egress_policy() -> EgressPolicy {
    let policy = EgressPolicy { roots: vec![TrustedRoot::Pem(certificate())], ..EgressPolicy::default() };
    policy.with_loopback()
}

/// The certificate of every stub server, PEM.
pub fn certificate() -> String {
    SERVER_CERTIFICATE.certificate.clone()
}

/// The private key of [`certificate`], PEM, for stub servers that are programs of their own.
pub fn private_key() -> String {
    SERVER_CERTIFICATE.private_key.clone()
}

async fn serve(
    request: Request<hyper::body::Incoming>,
    reply: Arc<ReplyFn>,
    recorded: Option<Arc<Mutex<Vec<CapturedRequest>>>>,
) -> Result<Response<Body>, Infallible> {
    let (parts, body) = request.into_parts();
    // A client that disconnects while it sends has sent nothing.
    let Ok(body) = body.collect().await.map(http_body_util::Collected::to_bytes) else {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::BAD_REQUEST;
        return Ok(response);
    };
    let request = CapturedRequest { method: parts.method, uri: parts.uri, headers: parts.headers, body };
    let reply = reply(&request);
    if let Some(recorded) = recorded {
        recorded.lock().expect("nobody panics while holding it").push(request);
    }
    tokio::time::sleep(reply.delay).await;
    if let Some(ReplyGate(gate)) = &reply.gate {
        gate.acquire().await.expect("nobody closes it").forget();
    }
    let mut response = Response::new(Body::from(reply.body));
    *response.status_mut() = StatusCode::from_u16(reply.status).expect("a status");
    for (name, value) in reply.headers {
        let name: axum::http::HeaderName = name.parse().expect("a header's name");
        response.headers_mut().insert(name, value.parse().expect("a header's value"));
    }
    Ok(response)
}
