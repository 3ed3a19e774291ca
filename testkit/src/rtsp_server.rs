//! A camera: speaks enough of RTSP (RFC 2326) to show a film in a loop, interleaved in one connection, or misbehaves.

use crate::stub_server;
use md5::Digest as _;
use std::{
    path::Path,
    process::Command,
    sync::{Arc, Mutex},
    time::Duration,
};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader},
    net::TcpListener,
    task::JoinHandle,
};
use tokio_rustls::TlsAcceptor;

/// Frames of the film in a second.
const FRAMES_PER_SECOND: u32 = 25;
/// Ticks of RTP's clock for each frame.
const TICKS_PER_FRAME: u32 = 90_000 / FRAMES_PER_SECOND;
/// Bytes of media in a packet.
const PACKET_BYTES: usize = 1400;

/// What a camera does.
#[derive(Clone, Debug)]
pub enum CameraBehaviour {
    /// It shows a film, the units of H.264.
    Plays(Arc<Vec<Vec<u8>>>),
    /// It accepts connections and never answers.
    Silent,
    /// It answers each request with a redirect to this address.
    Redirects(String),
    /// It answers with headers that do not end.
    EndlessHeaders,
    /// It answers with frames of media that nobody asked for, of the greatest length and on all channels.
    HugeFrames,
    /// It demands what nobody has.
    Locked,
    /// It shows a film to whoever knows the password, by Digest, under a nonce for a few requests, or by Basic.
    Guarded { film: Arc<Vec<Vec<u8>>>, username: &'static str, password: &'static str, basic: bool },
}

impl CameraBehaviour {
    /// Shows a film that ffmpeg can read.
    ///
    /// # Panics
    /// When ffmpeg fails.
    pub fn plays(film: &[u8]) -> Self {
        Self::Plays(Self::film(film))
    }

    /// The units of a film that ffmpeg can read.
    ///
    /// # Panics
    /// When ffmpeg fails.
    pub fn film(film: &[u8]) -> Arc<Vec<Vec<u8>>> {
        let folder = tempfile::tempdir().expect("a folder");
        let (from, to) = (folder.path().join("film"), folder.path().join("film.h264"));
        std::fs::write(&from, film).expect("written");
        let made = Command::new("ffmpeg")
            .args(["-v", "error", "-i"])
            .arg(&from)
            .args(["-an", "-r", "25", "-c:v", "libx264", "-preset", "ultrafast"])
            .args(["-bf", "0", "-g", "25", "-f", "h264"])
            .arg(&to)
            .status();
        assert!(made.expect("ffmpeg").success());
        Arc::new(units(&to))
    }
}

fn md5_hex(text: &str) -> String {
    hex::encode(md5::Md5::digest(text))
}

/// The units of H.264 in a file, without their start codes.
fn units(file: &Path) -> Vec<Vec<u8>> {
    let bytes = std::fs::read(file).expect("read");
    let starts: Vec<_> =
        bytes.windows(3).enumerate().filter(|(_, code)| *code == [0, 0, 1]).map(|(at, _)| at).collect();
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    let unit = |(from, to): (&usize, usize)| {
        let unit = &bytes[from + 3..to];
        let length = unit.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
        unit[..length].to_vec()
    };
    starts.iter().zip(ends).map(unit).collect()
}

/// A camera on this machine; dropping it stops it.
pub struct Camera {
    scheme: &'static str,
    port: u16,
    requests: Arc<Mutex<Vec<String>>>,
    serving: JoinHandle<()>,
}

impl Camera {
    /// Starts one.
    ///
    /// # Panics
    /// When no port is free.
    pub async fn start(behaviour: CameraBehaviour) -> Self {
        Self::listen("rtsp", None, behaviour).await
    }

    /// Starts one that speaks TLS, with the certificate of every stub server.
    ///
    /// # Panics
    /// When no port is free.
    pub async fn start_tls(behaviour: CameraBehaviour) -> Self {
        Self::listen("rtsps", Some(stub_server::acceptor()), behaviour).await
    }

    async fn listen(scheme: &'static str, tls: Option<TlsAcceptor>, behaviour: CameraBehaviour) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let port = listener.local_addr().expect("bound").port();
        let requests = Arc::<Mutex<Vec<String>>>::default();
        let seen = requests.clone();
        let serving = tokio::spawn(async move {
            while let Ok((connection, _)) = listener.accept().await {
                let (behaviour, seen, tls) = (behaviour.clone(), seen.clone(), tls.clone());
                tokio::spawn(async move {
                    let _gone = match tls {
                        None => serve(connection, behaviour, &seen).await,
                        Some(tls) => match tls.accept(connection).await {
                            Ok(connection) => serve(connection, behaviour, &seen).await,
                            Err(error) => Err(error),
                        },
                    };
                });
            }
        });
        Self { scheme, port, requests, serving }
    }

    /// Its address.
    pub fn url(&self) -> String {
        format!("{}://127.0.0.1:{}/live?channel=1", self.scheme, self.port)
    }

    /// The first lines of the requests that it got.
    ///
    /// # Panics
    /// Never: nobody panics while holding them.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("nobody panics while holding it").clone()
    }
}

impl Drop for Camera {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn serve(
    connection: impl AsyncRead + AsyncWrite,
    behaviour: CameraBehaviour,
    seen: &Mutex<Vec<String>>,
) -> std::io::Result<()> {
    let (from, mut to) = tokio::io::split(connection);
    let mut from = BufReader::new(from);
    let mut requests_seen = 0;
    loop {
        // What the player reports of what it got.
        if from.fill_buf().await?.first() == Some(&b'$') {
            let mut head = [0; 4];
            from.read_exact(&mut head).await?;
            let mut rest = vec![0; usize::from(u16::from_be_bytes([head[2], head[3]]))];
            from.read_exact(&mut rest).await?;
            continue;
        }
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if from.read_line(&mut head).await? == 0 {
                return Ok(());
            }
        }
        let start = head.lines().next().unwrap_or_default().to_owned();
        seen.lock().expect("nobody panics while holding it").push(start.clone());
        let mut words = start.split(' ');
        let (method, address) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let number = head.lines().find_map(|line| line.strip_prefix("CSeq: ")).unwrap_or("0").to_owned();
        let answer = |rest: &str| format!("RTSP/1.0 200 OK\r\nCSeq: {number}\r\n{rest}");
        if let CameraBehaviour::Guarded { username, password, basic, .. } = &behaviour
            && method != "OPTIONS"
        {
            // A nonce is good for two requests, as with cameras that are strict.
            let nonce = format!("nonce{}", requests_seen / 2);
            requests_seen += 1;
            let (challenge, wanted) = if *basic {
                let wanted = base64_simd::STANDARD.encode_to_string(format!("{username}:{password}"));
                ("Basic realm=\"cam\"".to_owned(), format!("Basic {wanted}"))
            } else {
                let known = md5_hex(&format!("{username}:cam:{password}"));
                let asked = md5_hex(&format!("{method}:{address}"));
                let wanted = md5_hex(&format!("{known}:{nonce}:{asked}"));
                (format!("Digest realm=\"cam\", nonce=\"{nonce}\""), format!("response=\"{wanted}\""))
            };
            let sent = head.lines().find_map(|line| line.strip_prefix("Authorization: ")).unwrap_or("");
            if !sent.contains(&wanted) {
                let text = format!(
                    "RTSP/1.0 401 Unauthorized\r\nCSeq: {number}\r\nWWW-Authenticate: {challenge}\r\n\r\n"
                );
                to.write_all(text.as_bytes()).await?;
                continue;
            }
        }
        let units = match &behaviour {
            CameraBehaviour::Plays(units) | CameraBehaviour::Guarded { film: units, .. } => units.clone(),
            CameraBehaviour::Silent => return std::future::pending().await,
            CameraBehaviour::Redirects(elsewhere) => {
                let text = format!("RTSP/1.0 302 Found\r\nCSeq: {number}\r\nLocation: {elsewhere}\r\n\r\n");
                to.write_all(text.as_bytes()).await?;
                continue;
            }
            CameraBehaviour::Locked if method == "OPTIONS" => {
                to.write_all(answer("\r\n").as_bytes()).await?;
                continue;
            }
            CameraBehaviour::Locked => {
                let text = format!("RTSP/1.0 401 Unauthorized\r\nCSeq: {number}\r\n\r\n");
                to.write_all(text.as_bytes()).await?;
                continue;
            }
            CameraBehaviour::EndlessHeaders => loop {
                to.write_all(b"RTSP/1.0 200 OK\r\n").await?;
            },
            CameraBehaviour::HugeFrames => loop {
                let mut frame = vec![0xff; 4 + 0xffff];
                frame[0] = b'$';
                to.write_all(&frame).await?;
            },
        };
        let rest = match method {
            "OPTIONS" => "Public: OPTIONS, DESCRIBE, SETUP, PLAY, TEARDOWN\r\n\r\n".to_owned(),
            "DESCRIBE" => {
                // It knows itself by an inner address, as a camera behind a router does.
                let description = "v=0\r\no=- 1 1 IN IP4 0.0.0.0\r\ns=live\r\nt=0 0\r\na=control:*\r\n\
                    m=video 0 RTP/AVP 96\r\nc=IN IP4 0.0.0.0\r\na=rtpmap:96 H264/90000\r\n\
                    a=fmtp:96 packetization-mode=1\r\na=control:rtsp://192.168.1.5/live/track1\r\n";
                format!(
                    "Content-Base: {address}/\r\nContent-Type: application/sdp\r\nContent-Length: {}\r\n\r\n{description}",
                    description.len()
                )
            }
            "SETUP" => {
                "Transport: RTP/AVP/TCP;unicast;interleaved=0-1\r\nSession: 7;timeout=60\r\n\r\n".to_owned()
            }
            _ => "Session: 7\r\n\r\n".to_owned(),
        };
        to.write_all(answer(&rest).as_bytes()).await?;
        if method == "PLAY" {
            return play(&units, &mut to).await;
        }
    }
}

/// Sends a film in a loop, at its pace (RFC 6184).
async fn play(units: &[Vec<u8>], to: &mut (impl AsyncWrite + Unpin)) -> std::io::Result<()> {
    let (mut number, mut time) = (0_u16, 0_u32);
    loop {
        for unit in units.iter().filter(|unit| !unit.is_empty()) {
            let kind = unit[0] & 0x1f;
            let is_picture = matches!(kind, 1 | 5);
            let packets: Vec<Vec<u8>> = if unit.len() <= PACKET_BYTES {
                vec![unit.clone()]
            } else {
                let parts: Vec<_> = unit[1..].chunks(PACKET_BYTES).collect();
                let last = parts.len() - 1;
                let packet = |(index, part): (usize, &&[u8])| {
                    let marks = if index == 0 { 0x80 } else { 0 } | if index == last { 0x40 } else { 0 };
                    [&[(unit[0] & 0xe0) | 0x1c, marks | kind], *part].concat()
                };
                parts.iter().enumerate().map(packet).collect()
            };
            let last = packets.len() - 1;
            for (index, packet) in packets.iter().enumerate() {
                let marker = if is_picture && index == last { 0x80 } else { 0 };
                let mut frame = vec![b'$', 0];
                frame.extend(((packet.len() + 12) as u16).to_be_bytes());
                frame.extend([0x80, marker | 0x60]);
                frame.extend(number.to_be_bytes());
                frame.extend(time.to_be_bytes());
                frame.extend(7_u32.to_be_bytes());
                frame.extend(packet);
                to.write_all(&frame).await?;
                number = number.wrapping_add(1);
            }
            if is_picture {
                time = time.wrapping_add(TICKS_PER_FRAME);
                tokio::time::sleep(Duration::from_secs(1) / FRAMES_PER_SECOND).await;
            }
        }
    }
}
