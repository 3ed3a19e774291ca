//! Responses that are too large, too slow or missing.

use super::{Receiver, SECRET, Site, fails, get, receiver};
use axum::{
    Router,
    http::{HeaderMap, HeaderName, HeaderValue, Version},
    routing::get as at,
    serve::Listener,
};
use media::fetch::{FetchError, FetchRequest, FetchTargetError, Method};
use std::{
    net::SocketAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// A GET with a short timeout. The response never comes, so that no machine is too slow for the test.
fn hurried() -> FetchRequest {
    FetchRequest { timeout: Duration::from_millis(300), ..get() }
}

#[tokio::test]
async fn no_more_is_read_than_may_be() {
    let (fetcher, receiver) = Site::open().await.receiver().await;
    for path in ["/announced", "/chunks", "/unsized"] {
        let error = fails(&fetcher, &receiver.at(path), get()).await;
        assert!(matches!(error, FetchError::TooLarge { limit: 65_536 }), "{path}: {error}");
    }
    let exact = FetchRequest { max_bytes: 5, ..get() };
    assert_eq!(fetcher.call(&receiver.at("/"), exact).await.unwrap().body, b"hello");
    let error = fails(&fetcher, &receiver.at("/"), FetchRequest { max_bytes: 4, ..get() }).await;
    assert!(matches!(error, FetchError::TooLarge { limit: 4 }), "{error}");
}

#[tokio::test]
async fn a_body_can_be_read_as_it_comes() {
    let (fetcher, receiver) = Site::open().await.receiver().await;
    let mut answering = fetcher.open(&receiver.at("/chunks"), get()).await.unwrap();
    assert_eq!(answering.status(), 200);
    assert_eq!(answering.headers()["transfer-encoding"], "chunked");
    let mut read = 0;
    let error = loop {
        match answering.chunk().await {
            Ok(chunk) => read += chunk.unwrap().len(),
            Err(error) => break error,
        }
    };
    assert!(matches!(error, FetchError::TooLarge { limit: 65_536 }), "{error}");
    assert!(read <= 65_536, "{read}");
}

#[tokio::test]
async fn nothing_is_decompressed() {
    let (fetcher, receiver) = Site::open().await.receiver().await;
    let answered = fetcher.call(&receiver.at("/gzip"), get()).await.unwrap();
    assert_eq!(answered.headers["content-encoding"], "gzip");
    assert_eq!(answered.body, receiver::bomb());
    assert!(!receiver.requests()[0].to_lowercase().contains("accept-encoding"), "nor asked for");
}

#[tokio::test]
async fn heads_have_limits() {
    let (fetcher, receiver) = Site::open().await.receiver().await;
    for path in ["/many-headers", "/endless-headers", "/chunk-names", "/trailers"] {
        let error = fails(&fetcher, &receiver.at(path), get()).await;
        assert!(matches!(error, FetchError::Failed(_) | FetchError::TooManyHeaders), "{path}: {error}");
    }
    let error = fails(&fetcher, &receiver.at("/long-header"), get()).await;
    assert!(matches!(error, FetchError::TooManyHeaders), "{error}");
}

#[tokio::test]
async fn nobody_is_waited_for_longer_than_the_call_says() {
    let site = Site::open().await;
    let (fetcher, receiver) = site.receiver().await;
    for path in ["/silence", "/slow-head", "/slow-body", "/interim"] {
        let error = fails(&fetcher, &receiver.at(path), hurried()).await;
        assert!(matches!(error, FetchError::TooSlow(_)), "{path}: {error}");
    }
    site.names.is_silent_about("silent.example.com");
    let error = fails(&fetcher, &format!("https://silent.example.com/?{SECRET}"), hurried()).await;
    assert!(matches!(error, FetchError::TooSlow(_)), "{error}");

    // A server that accepts connections and sends nothing.
    let mute = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("https://receiver.example.com:{}/{SECRET}", mute.local_addr().unwrap().port());
    let error = fails(&fetcher, &address, hurried()).await;
    assert!(matches!(error, FetchError::TooSlow(_)), "{error}");
}

#[tokio::test]
async fn what_is_not_http_is_an_error() {
    let (fetcher, receiver) = Site::open().await.receiver().await;
    for path in ["/old", "/not-http", "/two-lengths", "/broken-off"] {
        let error = fails(&fetcher, &receiver.at(path), get()).await;
        assert!(matches!(error, FetchError::Failed(_)), "{path}: {error}");
    }
    let plain = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = plain.local_addr().unwrap().port();
    tokio::spawn(async move {
        let (mut stream, _) = plain.accept().await.unwrap();
        let answer = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
        tokio::io::AsyncWriteExt::write_all(&mut stream, answer).await.unwrap();
        std::future::pending::<()>().await;
    });
    let error = fails(&fetcher, &format!("https://receiver.example.com:{port}/{SECRET}"), get()).await;
    assert!(matches!(error, FetchError::Failed(_)), "plain HTTP: {error}");
}

#[tokio::test]
async fn an_answer_nobody_asked_for_is_nobody_s() {
    let (fetcher, receiver) = Site::open().await.receiver().await;
    assert_eq!(fetcher.call(&receiver.at("/two-answers"), get()).await.unwrap().body, b"hello");
    for _ in 0..3 {
        let next = fetcher.call(&receiver.at("/"), get()).await.unwrap();
        assert_eq!(next.body, b"hello", "not what was smuggled in behind the answer before");
    }
}

#[tokio::test]
async fn redirects_come_back_and_are_not_followed() {
    let site = Site::open().await;
    let (fetcher, receiver) = site.receiver().await;
    let inside = Receiver::listen("127.0.0.1:0", site.authority.certify(&["127.0.0.1"])).await;
    for status in [300, 301, 302, 303, 307, 308] {
        for to in
            [format!("127.0.0.1:{}", inside.port()), format!("receiver.example.com:{}", receiver.port())]
        {
            let call = FetchRequest { method: Method::POST, body: "{}".into(), ..get() };
            let answered =
                fetcher.call(&receiver.at(&format!("/redirect/{status}/{to}")), call).await.unwrap();
            assert_eq!(answered.status, status);
            assert_eq!(answered.headers["location"], format!("https://{to}"));
        }
    }
    assert_eq!(
        fetcher.call(&receiver.at("/"), get()).await.unwrap().status,
        200,
        "nor is a service elsewhere taken"
    );
    assert_eq!((inside.accepted(), receiver.requests().len()), (0, 13));
    for to in ["http/127.0.0.1", "relative/1", "nonsense/:::", "empty/"] {
        let answered = fetcher.call(&receiver.at(&format!("/location/{to}")), get()).await;
        assert_eq!(answered.map(|answered| answered.status).ok(), Some(302), "{to}");
    }
    assert_eq!(fetcher.call(&receiver.at("/switched"), get()).await.unwrap().status, 101);
}

#[tokio::test]
async fn redirects_are_followed_where_that_is_asked_for_and_secrets_stay_behind() {
    let (fetcher, receiver) = Site::open().await.receiver().await;
    let here = format!("receiver.example.com:{}", receiver.port());
    let headers = HeaderMap::from_iter([
        (HeaderName::from_static("authorization"), HeaderValue::from_static("Bearer 7")),
        (HeaderName::from_static("range"), HeaderValue::from_static("bytes=0-")),
    ]);
    let (from, mut answering) = fetcher
        .open_with_redirects(
            &receiver.at(&format!("/redirect/307/{here}/head")),
            FetchRequest { headers, ..get() },
        )
        .await
        .unwrap();
    assert_eq!(from.as_str(), format!("https://{here}/head"));
    let said = answering.chunk().await.unwrap().unwrap();
    let said = std::str::from_utf8(&said).unwrap();
    assert!(said.contains("range: bytes=0-") && !said.contains("Bearer"), "{said}");
    assert!(receiver.requests()[0].contains("Bearer"));

    for (to, refused) in [
        ("/location/http/127.0.0.1", FetchTargetError::Scheme),
        ("/redirect/302/127.0.0.1:8443", FetchTargetError::NotPublic),
        ("/redirect/302/user@example.com", FetchTargetError::User),
    ] {
        let error = fetcher.open_with_redirects(&receiver.at(to), get()).await.map(|_| ()).unwrap_err();
        assert!(matches!(error, FetchError::Refused(reason) if reason == refused), "{to}: {error}");
    }
    let (_, answering) =
        fetcher.open_with_redirects(&receiver.at("/location/relative/1"), get()).await.unwrap();
    assert_eq!(answering.status(), 200);
}

#[tokio::test]
async fn a_request_says_what_it_was_given_and_little_more() {
    let (fetcher, receiver) = Site::open().await.receiver().await;
    fetcher.call(&receiver.at("/cookie"), get()).await.unwrap();
    let headers = HeaderMap::from_iter([(HeaderName::from_static("x-id"), HeaderValue::from_static("7"))]);
    let call = FetchRequest { headers, body: "{}".into(), method: Method::POST, ..get() };
    fetcher.call(&receiver.at("/redirect/302/receiver.example.com"), call.clone()).await.unwrap();
    let said = fetcher.call(&receiver.at("/head"), call).await.unwrap().body;
    let mut lines: Vec<_> = std::str::from_utf8(&said).unwrap().trim_end().lines().collect();
    lines[1..].sort_unstable();
    assert_eq!(
        lines,
        [
            format!("POST /head?token={SECRET} HTTP/1.1").as_str(),
            "accept: */*",
            "content-length: 2",
            &format!("host: receiver.example.com:{}", receiver.port()),
            concat!("user-agent: assay/", env!("CARGO_PKG_VERSION")),
            "x-id: 7",
        ]
    );
    assert_eq!(receiver.accepted(), 1, "all over one connection");
}

#[tokio::test]
async fn a_caller_sets_no_header_of_the_connection() {
    let (fetcher, receiver) = Site::open().await.receiver().await;
    for name in [
        "host",
        "content-length",
        "transfer-encoding",
        "connection",
        "keep-alive",
        "te",
        "trailer",
        "upgrade",
        "expect",
        "proxy-authorization",
        "proxy-connection",
        "http2-settings",
    ] {
        let headers = HeaderMap::from_iter([(HeaderName::from_static(name), HeaderValue::from_static("1"))]);
        let error = fails(&fetcher, &receiver.at("/"), FetchRequest { headers, ..get() }).await;
        assert!(matches!(error, FetchError::Refused(FetchTargetError::Header)), "{name}: {error}");
    }
    assert_eq!(receiver.accepted(), 0);
}

/// A server that speaks HTTP/2 and counts connections.
struct Modern {
    listener: TcpListener,
    tls: TlsAcceptor,
    accepted: Arc<AtomicUsize>,
}

impl Listener for Modern {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        loop {
            let (stream, from) = self.listener.accept().await.unwrap();
            if let Ok(stream) = self.tls.accept(stream).await {
                self.accepted.fetch_add(1, Ordering::SeqCst);
                return (stream, from);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

#[tokio::test]
async fn http_2_is_spoken_over_one_connection() {
    let site = Site::open().await;
    let name = "modern.example.com";
    site.names.says(name, &["127.0.0.1"]);
    let fetcher = site.allowing(name);
    let mut tls = site.authority.certify(&[name]);
    tls.alpn_protocols = vec![b"h2".to_vec()];
    let accepted = Arc::new(AtomicUsize::new(0));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let modern = Modern { listener, tls: Arc::new(tls).into(), accepted: accepted.clone() };
    let flood = |headers: usize, bytes: usize| {
        let value = HeaderValue::from_str(&"b".repeat(bytes)).unwrap();
        let header = move |n| (HeaderName::from_bytes(format!("a{n}").as_bytes()).unwrap(), value.clone());
        let headers: HeaderMap = (0..headers).map(header).collect();
        at(async move || headers)
    };
    let router = Router::new()
        .route("/", at(async |version: Version| format!("{version:?}")).post(async |body: String| body))
        .route("/many-headers", flood(200, 1))
        .route("/long-headers", flood(50, 10_000));
    tokio::spawn(axum::serve(modern, router).into_future());
    let address = |path: &str| format!("https://{name}:{port}{path}?token={SECRET}");

    assert_eq!(fetcher.call(&address("/"), get()).await.unwrap().body, b"HTTP/2.0");
    let calls = (0..50).map(|n| {
        let (fetcher, address) = (fetcher.clone(), address("/"));
        tokio::spawn(async move {
            let answered = fetcher
                .call(&address, FetchRequest { timeout: get().timeout, ..FetchRequest::post(n.to_string()) })
                .await;
            assert_eq!(answered.unwrap().body, n.to_string().as_bytes());
        })
    });
    for call in calls.collect::<Vec<_>>() {
        call.await.unwrap();
    }
    assert_eq!(accepted.load(Ordering::SeqCst), 1);
    for path in ["/many-headers", "/long-headers"] {
        let error = fails(&fetcher, &address(path), get()).await;
        assert!(matches!(error, FetchError::TooManyHeaders | FetchError::Failed(_)), "{path}: {error}");
    }
    assert_eq!(
        fetcher.call(&address("/"), get()).await.unwrap().body,
        b"HTTP/2.0",
        "nor is that the end of it"
    );
}
