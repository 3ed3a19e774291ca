//! A mail server on this machine (RFC 5321, with STARTTLS and AUTH PLAIN): takes letters, and is strict about how they
//! come.

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

/// A letter as it came.
#[derive(Clone, Debug, Default)]
pub struct ReceivedMail {
    /// Whether the connection was secured when it came.
    pub over_tls: bool,
    /// Who said they send it: user and password.
    pub login: Option<(String, String)>,
    /// `MAIL FROM`.
    pub from: String,
    /// `RCPT TO`.
    pub to: Vec<String>,
    /// Headers and body, with the dots as they were before they travelled.
    pub text: String,
    /// What was wrong with how it came: bare line ends, lines that are too long, dots that were not doubled.
    pub protocol_errors: Vec<String>,
}

/// How the server behaves.
#[derive(Clone, Copy, Debug)]
pub struct MailServerBehaviour {
    /// Whether it offers STARTTLS.
    pub starttls: bool,
    /// What it says after each letter.
    pub accept_reply: &'static str,
}

impl Default for MailServerBehaviour {
    fn default() -> Self {
        Self { starttls: true, accept_reply: "250 taken" }
    }
}

/// A server that ends with the test.
#[derive(Debug)]
pub struct TestMailServer {
    address: SocketAddr,
    letters: Arc<Mutex<Vec<ReceivedMail>>>,
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
    pub async fn start(manners: MailServerBehaviour) -> Self {
        Self::start_at("127.0.0.1:0".parse().expect("an address"), manners).await
    }

    /// Starts one on a port, as one that comes back does.
    ///
    /// # Panics
    /// When the port is taken.
    pub async fn start_at(address: SocketAddr, manners: MailServerBehaviour) -> Self {
        let listener = TcpListener::bind(address).await.expect("a free port");
        let address = listener.local_addr().expect("it is bound");
        let letters = Arc::<Mutex<Vec<ReceivedMail>>>::default();
        let taken = letters.clone();
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let taken = taken.clone();
                tokio::spawn(async move {
                    let _broke_off = talk(stream, manners, &taken).await;
                });
            }
        });
        Self { address, letters, task }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What it took so far.
    ///
    /// # Panics
    /// Never: nobody panics while holding the list.
    pub fn received(&self) -> Vec<ReceivedMail> {
        self.letters.lock().expect("nobody panics while holding it").clone()
    }

    /// Waits until it took `many` letters.
    ///
    /// # Panics
    /// When that takes longer than ten minutes.
    pub async fn wait_for(&self, many: usize) -> Vec<ReceivedMail> {
        for _ in 0..60_000 {
            let letters = self.received();
            if letters.len() >= many {
                return letters;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{} letters came, {many} were awaited", self.received().len());
    }
}

async fn talk(
    stream: tokio::net::TcpStream,
    manners: MailServerBehaviour,
    taken: &Mutex<Vec<ReceivedMail>>,
) -> io::Result<()> {
    let mut plain = BufReader::new(stream);
    plain.write_all(b"220 stand-in ESMTP\r\n").await?;
    if converse(&mut plain, false, manners, taken).await? {
        let secured = stub_server::acceptor().accept(plain.into_inner()).await?;
        converse(&mut BufReader::new(secured), true, manners, taken).await?;
    }
    Ok(())
}

/// Until the client goes, or wants to turn to TLS: then `true`.
async fn converse<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut BufReader<S>,
    secured: bool,
    manners: MailServerBehaviour,
    taken: &Mutex<Vec<ReceivedMail>>,
) -> io::Result<bool> {
    let mut letter = ReceivedMail { over_tls: secured, ..ReceivedMail::default() };
    loop {
        let Some(line) = line(stream).await? else { return Ok(false) };
        let line = String::from_utf8_lossy(&line).trim_end().to_owned();
        let (verb, rest) = line.split_once([' ', ':']).unwrap_or((&line, ""));
        let said = match verb.to_ascii_uppercase().as_str() {
            "EHLO" if manners.starttls && !secured => "250-stand-in\r\n250 STARTTLS",
            "EHLO" => "250-stand-in\r\n250-8BITMIME\r\n250 AUTH PLAIN",
            "STARTTLS" if manners.starttls && !secured => {
                stream.write_all(b"220 go on\r\n").await?;
                return Ok(true);
            }
            "AUTH" => {
                letter.login = login(rest);
                if letter.login.is_some() { "235 welcome" } else { "535 no" }
            }
            "MAIL" => {
                letter.from = text_in_angle_brackets(rest);
                "250 ok"
            }
            "RCPT" => {
                letter.to.push(text_in_angle_brackets(rest));
                "250 ok"
            }
            "DATA" => {
                stream.write_all(b"354 go on\r\n").await?;
                receive(stream, &mut letter).await?;
                let login = letter.login.clone();
                let done = std::mem::replace(
                    &mut letter,
                    ReceivedMail { over_tls: secured, login, ..ReceivedMail::default() },
                );
                if manners.accept_reply.starts_with('2') {
                    taken.lock().expect("nobody panics while holding it").push(done);
                }
                manners.accept_reply
            }
            "QUIT" => {
                stream.write_all(b"221 bye\r\n").await?;
                return Ok(false);
            }
            _ => "250 ok",
        };
        stream.write_all(format!("{said}\r\n").as_bytes()).await?;
    }
}

async fn receive<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut BufReader<S>,
    letter: &mut ReceivedMail,
) -> io::Result<()> {
    while let Some(line) = line(stream).await? {
        let Some(text) = line.strip_suffix(b"\r\n") else {
            letter.protocol_errors.push("a line ends without CR LF".to_owned());
            continue;
        };
        if text == b"." {
            return Ok(());
        }
        if text.contains(&b'\r') {
            letter.protocol_errors.push("a bare CR".to_owned());
        }
        if text.len() > 998 {
            letter.protocol_errors.push(format!("a line of {} bytes", text.len()));
        }
        let text = match text.strip_prefix(b".") {
            Some(rest) if rest.starts_with(b".") => rest,
            Some(_) => {
                letter.protocol_errors.push("a dot that was not doubled".to_owned());
                text
            }
            None => text,
        };
        letter.text.push_str(&String::from_utf8_lossy(text));
        letter.text.push_str("\r\n");
    }
    Err(io::ErrorKind::UnexpectedEof.into())
}

/// A line with its end; none when the client is gone.
async fn line<S: AsyncRead + Unpin>(stream: &mut BufReader<S>) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let many = stream.read_until(b'\n', &mut line).await?;
    Ok((many > 0).then_some(line))
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
    let (mut bits, mut held, mut out) = (0_u32, 0, Vec::new());
    for letter in text.trim_end_matches('=').bytes() {
        let value = BASE64_ALPHABET.iter().position(|known| *known == letter)?;
        (bits, held) = ((bits << 6) | value as u32, held + 6);
        if held >= 8 {
            held -= 8;
            out.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    Some(out)
}

/// What stands between `<` and `>`.
fn text_in_angle_brackets(text: &str) -> String {
    text.split_once('<')
        .and_then(|(_, rest)| rest.split_once('>'))
        .map_or(String::new(), |(inner, _)| inner.to_owned())
}
