//! RTSP (RFC 2326) between ffmpeg and a camera, interleaved in one connection. ffmpeg connects to the relay and to nothing
//! else; the relay connects through [`crate::fetch`], and passes on what it knows: requests with the camera's own
//! address, answers with the relay's, and frames of media unread.

use super::{
    CameraCredentials, VideoError,
    error::ContentAddress,
    relay::{ContentFeed, RelayState},
};
use crate::fetch::Connection;
use http_auth::{PasswordClient, PasswordParams};
use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::io::{
    AsyncBufRead, AsyncBufReadExt as _, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader,
};

/// Bytes of a message's start line and headers.
const MAX_HEAD_BYTES: usize = 16 << 10;
/// Bytes of a message's body: a description of the streams.
const MAX_BODY_BYTES: usize = 64 << 10;
/// The first byte of a frame of media.
const FRAME_MARK: u8 = b'$';
/// Frames of a description's first streams; others are dropped.
const MAX_CHANNEL: u8 = 15;
/// Requests that wait for their answers.
const MAX_OPEN_REQUESTS: usize = 64;
/// What ffmpeg may ask a camera.
const METHODS: [&str; 7] =
    ["OPTIONS", "DESCRIBE", "SETUP", "PLAY", "GET_PARAMETER", "SET_PARAMETER", "TEARDOWN"];
/// Those that nothing can be shown without.
const NEEDED_METHODS: [&str; 3] = ["DESCRIBE", "SETUP", "PLAY"];
const UNRELIABLE: VideoError = VideoError::Unreliable("it does not speak RTSP");
const UNKNOWN_LOGIN: VideoError = VideoError::Unreliable("it demands a password in a way that is not known");
/// The status of a request that lacks credentials.
const UNAUTHORIZED: u16 = 401;

/// What one side sends.
enum Unit {
    /// A frame of media, with its header of four bytes.
    Frame(Vec<u8>),
    Message(Message),
}

/// A request or an answer.
#[derive(Clone)]
struct Message {
    start: String,
    headers: Vec<(String, String)>,
    body: String,
}

impl Unit {
    /// Reads the next one; `None` at the end.
    async fn read(from: &mut (impl AsyncBufRead + Unpin)) -> Result<Option<Self>, VideoError> {
        loop {
            let Some(first) = from.fill_buf().await.ok().and_then(|bytes| bytes.first().copied()) else {
                return Ok(None);
            };
            match first {
                FRAME_MARK => {
                    let mut frame = vec![0; 4];
                    if from.read_exact(&mut frame).await.is_err() {
                        return Ok(None);
                    }
                    let length = usize::from(u16::from_be_bytes([frame[2], frame[3]]));
                    frame.resize(4 + length, 0);
                    let whole = from.read_exact(&mut frame[4..]).await.is_ok();
                    return Ok(whole.then_some(Self::Frame(frame)));
                }
                // Some cameras send an empty line between messages.
                b'\r' | b'\n' => from.consume(1),
                _ => return Ok(Message::read(from).await?.map(Self::Message)),
            }
        }
    }
}

impl Message {
    async fn read(from: &mut (impl AsyncBufRead + Unpin)) -> Result<Option<Self>, VideoError> {
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") && !head.ends_with(b"\n\n") {
            let room = (MAX_HEAD_BYTES - head.len()) as u64;
            let read = (&mut *from).take(room).read_until(b'\n', &mut head).await;
            match read {
                Ok(0) | Err(_) if head.len() < MAX_HEAD_BYTES => return Ok(None),
                Ok(0) | Err(_) => return Err(VideoError::Unreliable("its answer has too many headers")),
                Ok(_) => {}
            }
        }
        let head = String::from_utf8(head).map_err(|_| UNRELIABLE)?;
        let mut lines = head.lines();
        let start = lines.next().unwrap_or_default().trim().to_owned();
        let header = |line: &str| {
            let (name, value) = line.split_once(':')?;
            Some((name.trim().to_owned(), value.trim().to_owned()))
        };
        let headers: Vec<_> = lines.take_while(|line| !line.trim().is_empty()).filter_map(header).collect();
        let mut message = Self { start, headers, body: String::new() };
        let length = message.header("Content-Length").map_or(Ok(0), str::parse).map_err(|_| UNRELIABLE)?;
        if length > MAX_BODY_BYTES {
            return Err(VideoError::Unreliable("the description of its streams is too long"));
        }
        let mut body = vec![0; length];
        if from.read_exact(&mut body).await.is_err() {
            return Ok(None);
        }
        message.body = String::from_utf8(body).map_err(|_| UNRELIABLE)?;
        Ok(Some(message))
    }

    fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The status of an answer; `None` of a request.
    fn status(&self) -> Option<Result<u16, VideoError>> {
        let rest = self.start.strip_prefix("RTSP/")?;
        Some(rest.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or(UNRELIABLE))
    }

    /// The message with every address in it at `origin`.
    fn at_origin(&self, origin: &str) -> Self {
        let moved = |(name, value): &(String, String)| (name.clone(), move_addresses(value, origin));
        Self {
            start: move_addresses(&self.start, origin),
            headers: self.headers.iter().map(moved).collect(),
            body: move_addresses(&self.body, origin),
        }
    }

    /// The bytes that are sent; `authorization` in place of the message's own.
    fn to_bytes(&self, authorization: Option<&str>) -> Vec<u8> {
        let mut text = format!("{}\r\n", self.start);
        for (name, value) in &self.headers {
            if !["Content-Length", "Authorization"].iter().any(|other| name.eq_ignore_ascii_case(other)) {
                text.extend([name, ": ", value, "\r\n"]);
            }
        }
        if let Some(authorization) = authorization {
            text.extend(["Authorization: ", authorization, "\r\n"]);
        }
        if !self.body.is_empty() {
            text.extend(["Content-Length: ", &self.body.len().to_string(), "\r\n"]);
        }
        text += "\r\n";
        (text + &self.body).into_bytes()
    }

    /// The challenges of a refusal.
    fn challenges(&self) -> String {
        let named = self.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("WWW-Authenticate"));
        named.map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// Replaces scheme, host and port of every address of a stream. A camera behind a router names itself by an inner address.
fn move_addresses(text: &str, origin: &str) -> String {
    // Lower case has the same length in ASCII.
    let lower = text.to_ascii_lowercase();
    let (mut moved, mut copied, mut looked) = (String::new(), 0, 0);
    while let Some(found) = lower[looked..].find("rtsp") {
        let at = looked + found;
        let scheme = ["rtsp://", "rtsps://"].into_iter().find(|scheme| lower[at..].starts_with(scheme));
        let Some(scheme) = scheme else {
            looked = at + "rtsp".len();
            continue;
        };
        let host = at + scheme.len();
        let end = text[host..].find(|byte: char| "/?#,;\"'<> \t\r\n".contains(byte));
        moved.extend([&text[copied..at], origin]);
        copied = end.map_or(text.len(), |length| host + length);
        looked = copied;
    }
    moved + &text[copied..]
}

/// Serves a connection of ffmpeg's.
pub(super) async fn serve(state: Arc<RelayState>, child: Box<dyn Connection>) {
    let (from_child, to_child) = tokio::io::split(child);
    let mut from_child = BufReader::new(from_child);
    let Ok(Some(Unit::Message(first))) = Unit::read(&mut from_child).await else { return };
    let Some(feed) = state.stream_feed(&first.start) else { return };
    feed.wait_until_resumed().await;
    if let Err(error) = relay(&feed, first, from_child, to_child).await {
        feed.fail(error);
    }
}

/// A request that has not been answered.
struct OpenRequest {
    method: String,
    /// The request, if it may be asked again with credentials.
    retry: Option<Message>,
}

/// How requests prove that whoever asks may watch (RFC 2326, section 14.5; RFC 7616).
struct CameraLogin<'a> {
    credentials: Option<&'a CameraCredentials>,
    /// Whether nobody on the way can read what is sent.
    is_encrypted: bool,
    /// What the camera demanded last.
    demanded: Option<PasswordClient>,
}

impl CameraLogin<'_> {
    /// What is sent with a request; nothing before anything was demanded.
    fn authorization(&mut self, request: &Message) -> Result<Option<String>, VideoError> {
        let (Some(demanded), Some(credentials)) = (&mut self.demanded, self.credentials) else {
            return Ok(None);
        };
        let mut words = request.start.split(' ');
        let (method, uri) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let answer = demanded.respond(&PasswordParams {
            username: &credentials.username,
            password: credentials.password.expose(),
            uri,
            method,
            body: Some(request.body.as_bytes()),
        });
        answer.map(Some).map_err(|_| UNKNOWN_LOGIN)
    }

    /// Takes note of what a refusal demands.
    fn demand(&mut self, refusal: &Message) -> Result<(), VideoError> {
        let demanded = PasswordClient::builder().challenges(&refusal.challenges()).build();
        let demanded = demanded.map_err(|_| UNKNOWN_LOGIN)?;
        if matches!(demanded, PasswordClient::Basic(_)) && !self.is_encrypted {
            return Err(VideoError::Unreliable("it wants the password in clear text; use rtsps"));
        }
        self.demanded = Some(demanded);
        Ok(())
    }
}

async fn relay(
    feed: &ContentFeed,
    first: Message,
    mut from_child: impl AsyncBufRead + Unpin,
    mut to_child: impl AsyncWrite + Unpin,
) -> Result<(), VideoError> {
    let Some((address, origin, own)) = feed.stream_addresses() else { return Ok(()) };
    let (from_camera, to_camera) = tokio::io::split(connect(feed, address).await?);
    let mut from_camera = BufReader::new(from_camera);
    // Requests go to the camera from the child, and again when the camera has refused them.
    let to_camera = tokio::sync::Mutex::new(to_camera);
    let send = async |bytes: &[u8]| to_camera.lock().await.write_all(bytes).await;
    let open = Mutex::new(VecDeque::new());
    let login = Mutex::new(CameraLogin {
        credentials: feed.credentials(),
        is_encrypted: address.starts_with("rtsps:"),
        demanded: None,
    });
    let requests = async {
        let mut next = Some(Unit::Message(first));
        loop {
            let bytes = match next.take() {
                None => return Ok(()),
                Some(Unit::Frame(frame)) => frame,
                Some(Unit::Message(request)) => {
                    let method = request.start.split(' ').next().unwrap_or_default().to_owned();
                    if !METHODS.contains(&&*method) {
                        return Err(UNRELIABLE);
                    }
                    let request = strip_token(&request, &own).at_origin(origin);
                    let authorization = lock(&login).authorization(&request)?;
                    let bytes = request.to_bytes(authorization.as_deref());
                    let mut open = lock(&open);
                    open.push_back(OpenRequest { method, retry: Some(request) });
                    open.truncate(MAX_OPEN_REQUESTS);
                    bytes
                }
            };
            if send(&bytes).await.is_err() {
                return Ok(());
            }
            next = Unit::read(&mut from_child).await?;
        }
    };
    let answers = async {
        let quiet = Duration::from_secs(feed.settings().live_quiet_seconds);
        loop {
            let read = tokio::time::timeout(quiet, Unit::read(&mut from_camera)).await;
            let late = VideoError::TooSlow { bytes: 0, seconds: quiet.as_secs(), least: 1 };
            let bytes = match read.map_err(|_| late)?? {
                None => return Ok(()),
                Some(Unit::Frame(frame)) if frame[1] > MAX_CHANNEL => continue,
                Some(Unit::Frame(frame)) => {
                    feed.count_bytes(frame.len() as u64)?;
                    frame
                }
                Some(Unit::Message(answer)) => {
                    let Some(status) = answer.status() else {
                        check_answer(&answer, None)?;
                        // A request of the camera's: ffmpeg needs none.
                        continue;
                    };
                    let asked = lock(&open).pop_front();
                    let (method, retry) =
                        asked.map_or((None, None), |asked| (Some(asked.method), asked.retry));
                    if status? == UNAUTHORIZED
                        && feed.credentials().is_some()
                        && let Some(request) = retry
                    {
                        let authorization = {
                            let mut login = lock(&login);
                            login.demand(&answer)?;
                            login.authorization(&request)?
                        };
                        let method = method.unwrap_or_default();
                        lock(&open).push_back(OpenRequest { method, retry: None });
                        if send(&request.to_bytes(authorization.as_deref())).await.is_err() {
                            return Ok(());
                        }
                        continue;
                    }
                    check_answer(&answer, method.as_deref())?;
                    answer.at_origin(&own).to_bytes(None)
                }
            };
            if to_child.write_all(&bytes).await.is_err() {
                return Ok(());
            }
        }
    };
    tokio::select! {
        ended = requests => ended,
        ended = answers => ended,
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn check_answer(answer: &Message, method: Option<&str>) -> Result<(), VideoError> {
    let status = match answer.status() {
        None if answer.start.starts_with("REDIRECT ") => return Err(VideoError::Redirects { limit: 0 }),
        None => return Ok(()),
        Some(status) => status?,
    };
    let needed = method.is_some_and(|method| NEEDED_METHODS.contains(&method));
    match status {
        300..400 => Err(VideoError::Redirects { limit: 0 }),
        400.. if needed => Err(VideoError::Status { place: ContentAddress::Content, status }),
        _ => Ok(()),
    }
}

/// A request without the feed's token, which is the first part of its path.
fn strip_token(request: &Message, own: &str) -> Message {
    let strip = |text: &str| text.replace(own, "rtsp://relay");
    Message {
        start: strip(&request.start),
        headers: request.headers.iter().map(|(name, value)| (name.clone(), strip(value))).collect(),
        body: request.body.clone(),
    }
}

async fn connect(feed: &ContentFeed, address: &str) -> Result<Box<dyn Connection>, VideoError> {
    let waited = Duration::from_secs(feed.settings().answer_seconds);
    let connected = feed.fetcher().connect(address).await;
    connected.map_err(|error| VideoError::from_fetch_error(error, ContentAddress::Content, waited))
}

/// Asks a camera for its options; fails unless it answers.
pub(super) async fn check_answers(feed: &ContentFeed) -> Result<(), VideoError> {
    let Some((address, ..)) = feed.stream_addresses() else { return Ok(()) };
    let mut camera = connect(feed, address).await?;
    let request = format!("OPTIONS {address} RTSP/1.0\r\nCSeq: 1\r\nUser-Agent: assay\r\n\r\n");
    let broken = |_| VideoError::BrokenOff { bytes: 0, announced: None };
    camera.write_all(request.as_bytes()).await.map_err(broken)?;
    match Unit::read(&mut BufReader::new(camera)).await? {
        Some(Unit::Message(answer)) => {
            check_answer(&answer, None)?;
            answer.status().ok_or(UNRELIABLE)?.map(drop)
        }
        Some(Unit::Frame(_)) => Err(UNRELIABLE),
        None => Err(VideoError::BrokenOff { bytes: 0, announced: None }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(bytes: &[u8]) -> Result<Option<Unit>, VideoError> {
        Unit::read(&mut &*bytes).await
    }

    #[tokio::test]
    async fn a_message_is_moved_to_another_origin_with_its_body() {
        let text = "RTSP/1.0 200 OK\r\nCSeq: 2\r\nContent-Base: rtsp://192.168.1.5/cam/\r\nContent-Length: 41\r\n\r\n\
            a=control:RTSP://Camera:554/cam/track1\r\n?";
        let Ok(Some(Unit::Message(message))) = read(text.as_bytes()).await else { panic!("a message") };
        let moved = String::from_utf8(message.at_origin("rtsp://127.0.0.1:9/token").to_bytes(None)).unwrap();
        assert_eq!(
            moved,
            "RTSP/1.0 200 OK\r\nCSeq: 2\r\nContent-Base: rtsp://127.0.0.1:9/token/cam/\r\nContent-Length: 48\r\n\r\n\
             a=control:rtsp://127.0.0.1:9/token/cam/track1\r\n?"
        );
    }

    #[test]
    fn every_address_is_moved_however_many_there_are() {
        let moved = |text| move_addresses(text, "rtsp://relay");
        assert_eq!(
            moved("rtsp rtsp: RTSPS://[fd00::1]:322/a?b=rtsp://c"),
            "rtsp rtsp: rtsp://relay/a?b=rtsp://relay"
        );
        assert_eq!(moved("rtsp"), "rtsp");
        assert_eq!(moved("ärtsp://ä/ä, rtsps://x;y"), "ärtsp://relay/ä, rtsp://relay;y");
        let many = "rtsp://".repeat(MAX_BODY_BYTES / 7);
        assert!(moved(&many).starts_with("rtsp://relay//"));
    }

    #[tokio::test]
    async fn what_a_hostile_camera_sends_is_bounded() {
        let endless = [b"RTSP/1.0 200 OK\r\n".to_vec(), b"X: y\r\n".repeat(10_000)].concat();
        assert!(matches!(read(&endless).await, Err(VideoError::Unreliable(_))));
        let line = [b"RTSP/1.0 200 ".to_vec(), vec![b'x'; 100_000]].concat();
        assert!(matches!(read(&line).await, Err(VideoError::Unreliable(_))));
        let body = b"RTSP/1.0 200 OK\r\nContent-Length: 999999999\r\n\r\n";
        assert!(matches!(read(body).await, Err(VideoError::Unreliable(_))));
        let negative = b"RTSP/1.0 200 OK\r\nContent-Length: -1\r\n\r\n";
        assert!(matches!(read(negative).await, Err(VideoError::Unreliable(_))));
        assert!(matches!(read(b"$\0\xff\xff1").await, Ok(None)), "a frame that ends too early");
        assert!(matches!(read(b"").await, Ok(None)));
    }

    #[tokio::test]
    async fn redirects_and_refusals_end_the_stream() {
        let answer = async |start: &str| match read(format!("{start}\r\n\r\n").as_bytes()).await {
            Ok(Some(Unit::Message(message))) => message,
            _ => panic!("a message"),
        };
        let check = |message: &Message, method| check_answer(message, Some(method));
        let moved = answer("RTSP/1.0 302 Found").await;
        assert_eq!(check(&moved, "OPTIONS"), Err(VideoError::Redirects { limit: 0 }));
        let refused = answer("RTSP/1.0 401 Unauthorized").await;
        assert!(matches!(check(&refused, "DESCRIBE"), Err(VideoError::Status { status: 401, .. })));
        assert_eq!(check(&refused, "GET_PARAMETER"), Ok(()));
        assert_eq!(check(&answer("RTSP/1.0 x").await, "PLAY"), Err(UNRELIABLE));
        let redirect = answer("REDIRECT rtsp://10.0.0.1/ RTSP/1.0").await;
        assert_eq!(check(&redirect, "PLAY"), Err(VideoError::Redirects { limit: 0 }));
    }
}
