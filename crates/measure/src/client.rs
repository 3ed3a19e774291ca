//! A client that is as cheap as possible, because it shares the cores with what it measures: requests are signed in
//! advance, and HTTP/1.1 is written and parsed by hand, over connections that are kept open.

use anyhow::{Context as _, bail};
use base::{Environment as _, SystemEnvironment};
use domain::tenancy::signed_request::{CanonicalRequest, HttpRequestSigner};
use serde::Deserialize;
use std::{net::SocketAddr, path::Path};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

#[derive(Debug)]
pub struct Connection {
    address: SocketAddr,
    stream: TcpStream,
    read: Vec<u8>,
}

/// The response to a request.
#[derive(Debug)]
pub struct HttpAnswer {
    pub status: u16,
    pub retry_after: bool,
    pub body: Vec<u8>,
}

impl Connection {
    #[expect(clippy::disallowed_methods, reason = "to the server that is measured, on this machine")]
    pub async fn open(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self { address, stream, read: Vec::with_capacity(4096) })
    }

    /// Sends a request, given in two parts, and reads the response. A connection that the server has closed because it was
    /// idle is opened again.
    pub async fn ask(&mut self, head: &[u8], body: &[u8]) -> anyhow::Result<HttpAnswer> {
        match self.try_ask(head, body).await {
            Err(_) if self.read.is_empty() => {
                *self = Self::open(self.address).await?;
                self.try_ask(head, body).await
            }
            asked => asked,
        }
    }

    async fn try_ask(&mut self, head: &[u8], body: &[u8]) -> anyhow::Result<HttpAnswer> {
        self.read.clear();
        self.stream.write_all(head).await?;
        if !body.is_empty() {
            self.stream.write_all(body).await?;
        }
        loop {
            if self.stream.read_buf(&mut self.read).await? == 0 {
                bail!("the server closed the connection");
            }
            if let Some(answer) = parse(&self.read)? {
                return Ok(answer);
            }
        }
    }

    pub async fn get(&mut self, path: &str) -> anyhow::Result<HttpAnswer> {
        self.ask(get(path).as_bytes(), &[]).await
    }
}

/// An unsigned request.
pub fn get(path: &str) -> String {
    format!("GET {path} HTTP/1.1\r\nhost: bench\r\n\r\n")
}

/// The head of a request with these headers and a body as long as this.
pub fn head(method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Vec<u8> {
    let mut head = format!("{method} {path} HTTP/1.1\r\nhost: bench\r\ncontent-length: {}\r\n", body.len());
    for (name, value) in headers {
        head.extend([name, ": ", value, "\r\n"]);
    }
    head.push_str("\r\n");
    head.into_bytes()
}

/// Parses a response; `None` until it is complete.
fn parse(bytes: &[u8]) -> anyhow::Result<Option<HttpAnswer>> {
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { return Ok(None) };
    let head = std::str::from_utf8(&bytes[..end])?;
    let status = head.get(9..12).and_then(|digits| digits.parse().ok()).context("no status line")?;
    let header = |name: &str| {
        head.lines().filter_map(|line| line.split_once(": ")).find(|(key, _)| key.eq_ignore_ascii_case(name))
    };
    let length = match header("content-length") {
        Some((_, length)) => length,
        None if status == 204 => "0",
        None => anyhow::bail!("an answer without its length"),
    };
    let body = &bytes[end + 4..];
    let complete = body.len() >= length.parse::<usize>()?;
    let retry_after = header("retry-after").is_some();
    Ok(complete.then(|| HttpAnswer { status, retry_after, body: body.to_vec() }))
}

/// An application that may call.
#[derive(Debug)]
pub struct SigningCaller {
    signer: HttpRequestSigner,
    sdk_id: String,
    api_key: String,
}

/// The credentials that `assay serve --dev` writes.
#[derive(Deserialize)]
struct DevCredentials {
    sdk_id: String,
    api_key: String,
    private_key_path: std::path::PathBuf,
}

impl SigningCaller {
    /// Reads the demo application of a data folder.
    pub fn of(folder: &Path) -> anyhow::Result<Self> {
        let DevCredentials { sdk_id, api_key, private_key_path } =
            serde_json::from_slice(&std::fs::read(folder.join("dev-credentials.json"))?)?;
        let signer = HttpRequestSigner::from_pem(&std::fs::read_to_string(folder.join(private_key_path))?)?;
        Ok(Self { signer, sdk_id, api_key })
    }

    /// The application's id and API key.
    pub fn key(&self) -> (&str, &str) {
        (&self.sdk_id, &self.api_key)
    }

    /// The head of a signed POST with this body; valid for one use within five minutes.
    pub fn sign(&self, path: &str, body: &[u8]) -> Vec<u8> {
        self.sign_with_query(path, "", body)
    }

    /// The same with a query, `name=value&`.
    pub fn sign_with_query(&self, path: &str, query: &str, body: &[u8]) -> Vec<u8> {
        let query = format!(
            "{query}nonce={}&timestamp={}",
            SystemEnvironment.uuid_v7(),
            SystemEnvironment.now().as_second()
        );
        let digest = self.signer.sign(&CanonicalRequest { method: "POST", path, query: Some(&query), body });
        format!(
            "POST {path}?{query} HTTP/1.1\r\nhost: bench\r\nx-svc-auth-id: {}\r\nx-svc-auth-digest: {digest}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n",
            self.sdk_id,
            body.len()
        )
        .into_bytes()
    }
}
