//! A mail server on this machine (RFC 5321, with STARTTLS and AUTH PLAIN). It accepts emails, and notes every violation of
//! the protocol.

use crate::stub_server;
use std::{
    io,
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader},
    net::TcpListener,
};

/// An email as it was received.
#[derive(Clone, Debug, Default)]
pub struct ReceivedMail {
    /// Whether it came over TLS.
    pub over_tls: bool,
    /// The user and password that the client signed in with.
    pub login: Option<(String, String)>,
    /// `MAIL FROM`.
    pub from: String,
    /// `RCPT TO`.
    pub to: Vec<String>,
    /// Headers and body, without the dots that were doubled for transport (RFC 5321, section 4.5.2).
    pub text: String,
    /// Violations of the protocol: bare line ends, lines that are too long, dots that were not doubled.
    pub protocol_errors: Vec<String>,
}

/// How the server behaves.
#[derive(Clone, Copy, Debug)]
pub struct MailServerBehaviour {
    /// Whether it offers STARTTLS.
    pub starttls: bool,
    /// The reply to each email; one that does not begin with 2 refuses it.
    pub accept_reply: &'static str,
}

impl Default for MailServerBehaviour {
    fn default() -> Self {
        Self { starttls: true, accept_reply: "250 accepted" }
    }
}

/// A server that ends with the test.
#[derive(Debug)]
pub struct TestMailServer {
    address: SocketAddr,
    received: Arc<Mutex<Vec<ReceivedMail>>>,
    task: tokio::task::JoinHandle<()>,
}

impl Drop for TestMailServer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl TestMailServer {
    /// Starts one on a free port.
    ///
    /// # Panics
    /// When there is no port.
    pub async fn start(behaviour: MailServerBehaviour) -> Self {
        Self::start_at("127.0.0.1:0".parse().expect("an address"), behaviour).await
    }

    /// Starts one on a given port, such as that of one that was stopped.
    ///
    /// # Panics
    /// When the port is taken.
    pub async fn start_at(address: SocketAddr, behaviour: MailServerBehaviour) -> Self {
        let listener = TcpListener::bind(address).await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let received = Arc::<Mutex<Vec<ReceivedMail>>>::default();
        let shared = received.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let received = shared.clone();
                tokio::spawn(async move {
                    let _disconnected = serve_connection(stream, behaviour, &received).await;
                });
            }
        });
        Self { address, received, task }
    }

    /// The address it listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The emails that it has accepted so far.
    ///
    /// # Panics
    /// Never: nobody panics while holding the list.
    pub fn received(&self) -> Vec<ReceivedMail> {
        self.received.lock().expect("nobody panics while holding it").clone()
    }

    /// Waits until it has accepted `count` emails; returns all of them.
    ///
    /// # Panics
    /// When that takes longer than ten minutes.
    pub async fn wait_for(&self, count: usize) -> Vec<ReceivedMail> {
        for _ in 0..60_000 {
            let received = self.received();
            if received.len() >= count {
                return received;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{} emails were received, {count} were expected", self.received().len());
    }
}

async fn serve_connection(
    stream: tokio::net::TcpStream,
    behaviour: MailServerBehaviour,
    received: &Mutex<Vec<ReceivedMail>>,
) -> io::Result<()> {
    let mut plain = BufReader::new(stream);
    plain.write_all(b"220 stand-in ESMTP\r\n").await?;
    if run_session(&mut plain, false, behaviour, received).await? {
        let secured = stub_server::acceptor().accept(plain.into_inner()).await?;
        run_session(&mut BufReader::new(secured), true, behaviour, received).await?;
    }
    Ok(())
}

/// Answers commands until the client disconnects (`false`) or switches to TLS (`true`).
async fn run_session<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut BufReader<S>,
    over_tls: bool,
    behaviour: MailServerBehaviour,
    received: &Mutex<Vec<ReceivedMail>>,
) -> io::Result<bool> {
    let mut mail = ReceivedMail { over_tls, ..ReceivedMail::default() };
    loop {
        let Some(line) = line(stream).await? else { return Ok(false) };
        let line = String::from_utf8_lossy(&line).trim_end().to_owned();
        let (verb, rest) = line.split_once([' ', ':']).unwrap_or((&line, ""));
        let reply = match verb.to_ascii_uppercase().as_str() {
            "EHLO" if behaviour.starttls && !over_tls => "250-stand-in\r\n250 STARTTLS",
            "EHLO" => "250-stand-in\r\n250-8BITMIME\r\n250 AUTH PLAIN",
            "STARTTLS" if behaviour.starttls && !over_tls => {
                stream.write_all(b"220 go on\r\n").await?;
                return Ok(true);
            }
            "AUTH" => {
                mail.login = login(rest);
                if mail.login.is_some() { "235 welcome" } else { "535 no" }
            }
            "MAIL" => {
                mail.from = text_in_angle_brackets(rest);
                "250 ok"
            }
            "RCPT" => {
                mail.to.push(text_in_angle_brackets(rest));
                "250 ok"
            }
            "DATA" => {
                stream.write_all(b"354 go on\r\n").await?;
                receive_text(stream, &mut mail).await?;
                let login = mail.login.clone();
                let done =
                    std::mem::replace(&mut mail, ReceivedMail { over_tls, login, ..ReceivedMail::default() });
                if behaviour.accept_reply.starts_with('2') {
                    received.lock().expect("nobody panics while holding it").push(done);
                }
                behaviour.accept_reply
            }
            "QUIT" => {
                stream.write_all(b"221 bye\r\n").await?;
                return Ok(false);
            }
            _ => "250 ok",
        };
        stream.write_all(format!("{reply}\r\n").as_bytes()).await?;
    }
}

/// Reads headers and body up to the line with a single dot.
async fn receive_text<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut BufReader<S>,
    mail: &mut ReceivedMail,
) -> io::Result<()> {
    while let Some(line) = line(stream).await? {
        let Some(text) = line.strip_suffix(b"\r\n") else {
            mail.protocol_errors.push("a line ends without CR LF".to_owned());
            continue;
        };
        if text == b"." {
            return Ok(());
        }
        if text.contains(&b'\r') {
            mail.protocol_errors.push("a bare CR".to_owned());
        }
        if text.len() > 998 {
            mail.protocol_errors.push(format!("a line of {} bytes", text.len()));
        }
        let text = match text.strip_prefix(b".") {
            Some(rest) if rest.starts_with(b".") => rest,
            Some(_) => {
                mail.protocol_errors.push("a dot that was not doubled".to_owned());
                text
            }
            None => text,
        };
        mail.text.push_str(&String::from_utf8_lossy(text));
        mail.text.push_str("\r\n");
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

/// A line with its end; `None` after the client has disconnected.
async fn line<S: AsyncRead + Unpin>(stream: &mut BufReader<S>) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let length = stream.read_until(b'\n', &mut line).await?;
    Ok((length > 0).then_some(line))
}

/// User and password of `PLAIN AHVzZXIAcGFzc3dvcmQ=`.
fn login(rest: &str) -> Option<(String, String)> {
    let encoded = rest.split_once(' ')?.1.trim();
    let plain = String::from_utf8(decode(encoded)?).ok()?;
    let mut parts = plain.split('\0').skip(1);
    Some((parts.next()?.to_owned(), parts.next()?.to_owned()))
}

/// Standard base64, padded.
fn decode(text: &str) -> Option<Vec<u8>> {
    const BASE64_ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut bits, mut bit_count, mut out) = (0_u32, 0, Vec::new());
    for letter in text.trim_end_matches('=').bytes() {
        let value = BASE64_ALPHABET.iter().position(|known| *known == letter)?;
        (bits, bit_count) = ((bits << 6) | value as u32, bit_count + 6);
        if bit_count >= 8 {
            bit_count -= 8;
            out.push((bits >> bit_count) as u8);
            bits &= (1 << bit_count) - 1;
        }
    }
    Some(out)
}

/// The text between `<` and `>`; empty where there is none.
fn text_in_angle_brackets(text: &str) -> String {
    text.split_once('<')
        .and_then(|(_, rest)| rest.split_once('>'))
        .map_or(String::new(), |(inner, _)| inner.to_owned())
}
