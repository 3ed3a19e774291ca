//! TLS servers on loopback that respond as the path requests: correctly, incorrectly, or endlessly.

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair, KeyUsagePurpose,
    date_time_ymd,
};
use std::{
    net::SocketAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::aws_lc_rs, pki_types::PrivateKeyDer},
    server::TlsStream,
};

/// A certificate authority.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

impl Authority {
    pub(crate) fn new() -> Self {
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, "an authority for tests");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    pub(crate) fn pem(&self) -> String {
        self.0.pem()
    }

    /// The configuration for a certificate for names or addresses.
    pub(crate) fn certify(&self, names: &[&str]) -> ServerConfig {
        self.certify_for(names, 1975, 4096)
    }

    /// The same, with a certificate that is valid from the first day of one year to the first day of another.
    pub(crate) fn certify_for(&self, names: &[&str], from: i32, to: i32) -> ServerConfig {
        let key = KeyPair::generate().unwrap();
        let mut params = named(names);
        (params.not_before, params.not_after) = (date_time_ymd(from, 1, 1), date_time_ymd(to, 1, 1));
        let certificate = params.signed_by(&key, &self.0).unwrap();
        config(certificate.der().clone(), &key)
    }
}

/// The configuration for a self-signed certificate.
pub(crate) fn self_signed(names: &[&str]) -> ServerConfig {
    let key = KeyPair::generate().unwrap();
    config(named(names).self_signed(&key).unwrap().der().clone(), &key)
}

fn named(names: &[&str]) -> CertificateParams {
    CertificateParams::new(names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>()).unwrap()
}

fn config(
    certificate: tokio_rustls::rustls::pki_types::CertificateDer<'static>,
    key: &KeyPair,
) -> ServerConfig {
    ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], PrivateKeyDer::Pkcs8(key.serialize_der().into()))
        .unwrap()
}

/// A server that counts connections and records requests.
#[derive(Clone)]
pub(crate) struct Receiver {
    address: SocketAddr,
    accepted: Arc<AtomicUsize>,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Receiver {
    /// Listens for HTTP/1.1 over TLS.
    pub(crate) async fn listen(at: &str, tls: ServerConfig) -> Self {
        Self::try_listen(at, tls).await.unwrap()
    }

    pub(crate) async fn try_listen(at: &str, tls: ServerConfig) -> std::io::Result<Self> {
        let listener = TcpListener::bind(at).await?;
        let receiver =
            Self { address: listener.local_addr()?, accepted: Arc::default(), requests: Arc::default() };
        tokio::spawn(receiver.clone().serve(listener, TlsAcceptor::from(Arc::new(tls))));
        Ok(receiver)
    }

    pub(crate) fn port(&self) -> u16 {
        self.address.port()
    }

    /// The address of a path at the name that `Site::receiver` gives the server, with a token that no error may reveal.
    pub(crate) fn at(&self, path: &str) -> String {
        format!("https://receiver.example.com:{}{path}?token={}", self.port(), crate::SECRET)
    }

    /// The number of accepted connections.
    pub(crate) fn accepted(&self) -> usize {
        self.accepted.load(Ordering::SeqCst)
    }

    /// The heads of the requests received.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap().clone()
    }

    async fn serve(self, listener: TcpListener, tls: TlsAcceptor) {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            self.accepted.fetch_add(1, Ordering::SeqCst);
            let (receiver, tls) = (self.clone(), tls.clone());
            tokio::spawn(async move {
                let stream = tls.accept(stream).await?;
                receiver.talk(BufReader::new(stream)).await
            });
        }
    }

    async fn talk(&self, mut stream: BufReader<TlsStream<TcpStream>>) -> std::io::Result<()> {
        loop {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await?);
            }
            let head = String::from_utf8(head).unwrap();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
            let mut body = vec![0; length.map_or(0, |text| text.parse().unwrap())];
            stream.read_exact(&mut body).await?;
            self.requests.lock().unwrap().push(head.clone());
            let path = head.split([' ', '?']).nth(1).unwrap();
            if !answer(&mut stream, path, &head).await? {
                return stream.shutdown().await;
            }
        }
    }
}

/// Responds as the path requests; returns whether the connection stays open.
async fn answer(
    stream: &mut BufReader<TlsStream<TcpStream>>,
    path: &str,
    head: &str,
) -> std::io::Result<bool> {
    let text = match path {
        "/head" => format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{head}", head.len()),
        "/cookie" => "HTTP/1.1 200 OK\r\nset-cookie: a=b\r\ncontent-length: 0\r\n\r\n".to_owned(),
        "/gzip" => {
            let bomb = bomb();
            let head = "HTTP/1.1 200 OK\r\ncontent-encoding: gzip";
            stream.write_all(format!("{head}\r\ncontent-length: {}\r\n\r\n", bomb.len()).as_bytes()).await?;
            stream.write_all(&bomb).await?;
            return Ok(true);
        }
        "/announced" => "HTTP/1.1 200 OK\r\ncontent-length: 1000000000\r\n\r\nhello".to_owned(),
        "/chunks" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").await?;
            return forever(stream, "400\r\n", &"x".repeat(0x400), "\r\n").await;
        }
        "/unsized" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
            return forever(stream, "", &"x".repeat(0x400), "").await;
        }
        "/chunk-names" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;").await?;
            return forever(stream, "", "x", "").await;
        }
        "/trailers" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n0\r\n").await?;
            return forever(stream, "", "a: b", "\r\n").await;
        }
        "/many-headers" => format!("HTTP/1.1 200 OK\r\n{}content-length: 0\r\n\r\n", "a: b\r\n".repeat(200)),
        "/long-header" => {
            format!("HTTP/1.1 200 OK\r\na: {}\r\ncontent-length: 0\r\n\r\n", "b".repeat(100_000))
        }
        "/endless-headers" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\n").await?;
            return forever(stream, "a: ", &"b".repeat(1000), "\r\n").await;
        }
        "/interim" => return forever(stream, "", "HTTP/1.1 103 Early Hints\r\na: b", "\r\n\r\n").await,
        "/slow-head" => {
            stream.write_all(b"HTTP/1.1 2").await?;
            std::future::pending().await
        }
        "/slow-body" => {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhe").await?;
            stream.flush().await?;
            std::future::pending().await
        }
        "/silence" => std::future::pending().await,
        "/old" => "hello".to_owned(),
        "/not-http" => "ICY 200 OK\r\n\r\n".to_owned(),
        "/two-lengths" => {
            "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello!".to_owned()
        }
        "/broken-off" => "HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\nhello".to_owned(),
        "/switched" => "HTTP/1.1 101 Switching Protocols\r\nupgrade: other\r\n\r\n".to_owned(),
        "/two-answers" => {
            let first = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
            format!("{first}HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\nsmuggled")
        }
        "/location/http/127.0.0.1" => found("http://127.0.0.1/"),
        "/location/relative/1" => found("../next"),
        "/location/nonsense/:::" => found("https://[::/%zz"),
        "/location/empty/" => found(""),
        _ => match path.strip_prefix("/redirect/") {
            Some(rest) => {
                let (status, to) = rest.split_once('/').unwrap();
                let headers =
                    format!("location: https://{to}\r\nrefresh: 0;url=https://{to}\r\nalt-svc: h2=\"{to}\"");
                format!("HTTP/1.1 {status} Elsewhere\r\n{headers}\r\ncontent-length: 0\r\n\r\n")
            }
            None => "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello".to_owned(),
        },
    };
    stream.write_all(text.as_bytes()).await?;
    stream.flush().await?;
    Ok(!matches!(path, "/old" | "/not-http" | "/broken-off"))
}

fn found(location: &str) -> String {
    format!("HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n")
}

async fn forever(
    stream: &mut BufReader<TlsStream<TcpStream>>,
    before: &str,
    text: &str,
    after: &str,
) -> std::io::Result<bool> {
    let piece = format!("{before}{text}{after}");
    loop {
        stream.write_all(piece.as_bytes()).await?;
        stream.flush().await?;
    }
}

/// Ten mebibytes of zeros, compressed to about ten kilobytes.
pub(crate) fn bomb() -> Vec<u8> {
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut bomb, &vec![0; 10 << 20]).unwrap();
    bomb.finish().unwrap()
}
