//! Serves files to the decoder from this machine, over HTTPS and in parts: contents are fetched in no other way.

use anyhow::Context as _;
use media::fetch::{EgressPolicy, TrustedRoot};
use std::{collections::HashMap, sync::Arc};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{ServerConfig, crypto::aws_lc_rs, pki_types::PrivateKeyDer},
};

/// Files by their path on the server.
type ServedFiles = Arc<HashMap<String, Vec<u8>>>;

/// A running server; it ends with the program.
pub(crate) struct FileServer {
    port: u16,
    certificate: String,
}

impl FileServer {
    /// Serves the files, each at `/<name>`.
    pub(crate) async fn start(files: HashMap<String, Vec<u8>>) -> anyhow::Result<Self> {
        let made = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).map_err(anyhow::Error::msg)?;
        let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)?;
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let port = listener.local_addr()?.port();
        let files: ServedFiles = Arc::new(files);
        tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                // A client that goes away in the middle of a file is no failure.
                tokio::spawn(serve(acceptor.clone(), connection, files.clone()));
            }
        });
        Ok(Self { port, certificate: made.cert.pem() })
    }

    /// The address of a file.
    pub(crate) fn url(&self, name: &str) -> String {
        format!("https://localhost:{}/{name}", self.port)
    }

    /// A policy under which this server may be called.
    pub(crate) fn egress_policy(&self) -> EgressPolicy {
        let roots = vec![TrustedRoot::Pem(self.certificate.clone())];
        EgressPolicy { roots, ..EgressPolicy::default() }.with_loopback()
    }
}

async fn serve(acceptor: TlsAcceptor, connection: TcpStream, files: ServedFiles) -> anyhow::Result<()> {
    let mut stream = BufReader::new(acceptor.accept(connection).await?);
    while let Some((path, first)) = read_request(&mut stream).await? {
        let Some(file) = files.get(path.trim_start_matches('/')) else {
            stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n").await?;
            continue;
        };
        let ((from, to), whole) = (first.unwrap_or((0, None)), file.len());
        let to = to.unwrap_or(whole).min(whole);
        let part = file.get(from..to).context("a range inside the file")?;
        let status = if first.is_some() { "206 Partial Content" } else { "200 OK" };
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: video/mp4\r\naccept-ranges: bytes\r\ncontent-length: {}\r\n\
             content-range: bytes {from}-{}/{whole}\r\n\r\n",
            part.len(),
            to.saturating_sub(1),
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(part).await?;
        stream.flush().await?;
    }
    Ok(())
}

/// The first byte that is asked for, and the first that is not any more, if there is one.
type AskedRange = (usize, Option<usize>);

/// The path of the next request, and the range that it asks for; `None` at the end.
async fn read_request(
    stream: &mut (impl tokio::io::AsyncBufRead + Unpin),
) -> anyhow::Result<Option<(String, Option<AskedRange>)>> {
    let mut line = String::new();
    if stream.read_line(&mut line).await? == 0 {
        return Ok(None);
    }
    let path = line.split(' ').nth(1).context("a path")?.to_owned();
    let mut range = None;
    loop {
        line.clear();
        stream.read_line(&mut line).await?;
        if line.trim().is_empty() {
            return Ok(Some((path, range)));
        }
        let header = line.to_ascii_lowercase();
        if let Some(asked) = header.strip_prefix("range: bytes=") {
            let (from, last) = asked.trim().split_once('-').context("a range")?;
            let to = last.parse::<usize>().ok().map(|last| last + 1);
            range = Some((from.parse()?, to));
        }
    }
}
