//! The only server that ffmpeg may connect to. It listens on loopback, and fetches through [`crate::fetch`] what
//! belongs to the content that ffmpeg was started for, and nothing else.

use super::{
    VideoError, VideoSettings,
    error::ContentAddress,
    playlist::{self, ReferenceKind},
    rtsp,
    source::{CameraCredentials, ContentSource},
    upstream::{ByteRange, TransferRate, UpstreamBody},
};
use crate::{
    fetch::{Bytes, FetchTarget, Fetcher, StreamTarget},
    sandbox::{
        process::RelayEntrance,
        relay_listener::{RelayListener, StreamHandler},
    },
};
use axum::{
    Router,
    body::Body,
    extract::{Path, State},
    response::Response,
    routing::get,
};
use futures_util::stream;
use http::{HeaderMap, HeaderValue, StatusCode, Uri, header};
use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    net::{Ipv4Addr, SocketAddr},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};
use tokio::{net::TcpListener, sync::watch, task::JoinHandle};

/// Depth of playlists that refer to playlists.
const MAX_PLAYLIST_DEPTH: u8 = 4;
/// Addresses of a content that are known at once; those that a live stream has left behind are forgotten.
const MAX_RELAY_ENTRIES: usize = 20_000;
/// Bytes of the addresses of a content that are known at once: 16 MiB. A playlist itself has at most 1 MiB, so only
/// references that are relative to a very long address could exceed it: 10,000 that become 1,600 bytes each still fit.
const MAX_RELAY_BYTES: usize = 16 << 20;
/// Bytes of ID3 tags that may precede a segment's media.
const MAX_SEGMENT_TAG_BYTES: usize = 64 << 10;
const RTSP_SCHEME: &str = "rtsp://";
const PLAYLIST_TYPE: &str = "application/vnd.apple.mpegurl";

/// The relay; dropping it stops the server.
pub(super) struct FetchRelay {
    shared: Arc<RelayState>,
    router: Router,
    serving: JoinHandle<()>,
}

pub(super) struct RelayState {
    at: SocketAddr,
    fetcher: Fetcher,
    settings: Arc<VideoSettings>,
    feeds: Mutex<HashMap<String, Weak<ContentFeed>>>,
}

impl FetchRelay {
    /// Listens on loopback, on a port that the system chooses.
    pub(super) async fn start(fetcher: Fetcher, settings: Arc<VideoSettings>) -> std::io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let shared =
            Arc::new(RelayState { at: listener.local_addr()?, fetcher, settings, feeds: Mutex::default() });
        let router = Router::new().route("/{token}/{name}", get(answer)).with_state(shared.clone());
        let served = router.clone();
        let listener = RelayListener { listener, streams: stream_handler(shared.clone()) };
        let serving = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, served).await {
                tracing::error!(error = &error as &dyn std::error::Error, "the relay for videos ended");
            }
        });
        Ok(Self { shared, router, serving })
    }

    pub(super) fn entrance(&self) -> RelayEntrance {
        RelayEntrance {
            address: self.shared.at,
            router: self.router.clone(),
            streams: stream_handler(self.shared.clone()),
        }
    }

    /// A feed that the relay does not serve: this process reads the content itself.
    pub(super) fn feed(&self, live: bool) -> Result<Arc<ContentFeed>, VideoError> {
        self.new_feed(live, None)
    }

    /// A feed of a camera, which nothing has called yet.
    pub(super) fn stream_feed(
        &self,
        address: &str,
        credentials: Option<&CameraCredentials>,
    ) -> Result<Arc<ContentFeed>, VideoError> {
        let target = self.shared.fetcher.parse_stream(address);
        let target =
            target.map_err(|reason| VideoError::Refused { place: ContentAddress::Content, reason })?;
        self.new_feed(true, Some(WatchedCamera { target, credentials: credentials.cloned() }))
    }

    fn new_feed(&self, live: bool, camera: Option<WatchedCamera>) -> Result<Arc<ContentFeed>, VideoError> {
        let mut bytes = [0; 16];
        aws_lc_rs::rand::fill(&mut bytes)
            .map_err(|_| VideoError::Failed("the operating system gave no random numbers".to_owned()))?;
        Ok(Arc::new(ContentFeed {
            live,
            shared: self.shared.clone(),
            token: format!("{:032x}", u128::from_be_bytes(bytes)),
            camera,
            state: Mutex::default(),
            bytes_received: AtomicU64::new(0),
            pace: Mutex::new(TransferRate::new(&self.shared.settings, live)),
            gate: watch::Sender::new(false),
            ends: Arc::default(),
        }))
    }

    /// Calls a content, and creates the feed that one decoder reads it from.
    pub(super) async fn open(
        &self,
        source: &ContentSource,
        live: bool,
    ) -> Result<Arc<ContentFeed>, VideoError> {
        if let Some((address, credentials)) = source.camera() {
            if !live {
                return Err(VideoError::NeverEnds);
            }
            let feed = self.stream_feed(address, credentials)?;
            lock(&self.shared.feeds).insert(feed.token.clone(), Arc::downgrade(&feed));
            return Ok(feed);
        }
        let feed = self.feed(live)?;
        let source = self.normalise(source)?;
        // The content is called before a process is started for it.
        let mut upstream = UpstreamBody::open(
            &feed,
            &source,
            ContentAddress::Content,
            &FileVersion::default(),
            ByteRange::default(),
        )
        .await?
        .ok_or(VideoError::Empty)?;
        let first = upstream.peek(7).await?;
        if first.is_empty() {
            return Err(VideoError::Empty);
        }
        let kind =
            if playlist::is_playlist(&first) { ReferenceKind::Playlist } else { ReferenceKind::Media("bin") };
        if kind == ReferenceKind::Playlist && upstream.target.is_none() {
            // The parts of an uploaded playlist are nowhere.
            return Err(VideoError::NotAVideo);
        }
        {
            let mut state = feed.state();
            let known = if kind == ReferenceKind::Playlist {
                FileVersion::default()
            } else {
                upstream.file_version()
            };
            feed.ends.store(kind != ReferenceKind::Playlist && upstream.total.is_some(), Ordering::Relaxed);
            let source = EntrySource::from(source);
            state.put(0, RelayEntry { source, kind, depth: 0, version: known, playlist: 0 });
        }
        lock(&self.shared.feeds).insert(feed.token.clone(), Arc::downgrade(&feed));
        Ok(feed)
    }

    /// The same source, with its address spelled in one way.
    fn normalise(&self, source: &ContentSource) -> Result<ContentSource, VideoError> {
        let ContentSource::Address(address) = source else { return Ok(source.clone()) };
        let target = self.shared.fetcher.parse_target(address);
        let target =
            target.map_err(|reason| VideoError::Refused { place: ContentAddress::Content, reason })?;
        Ok(ContentSource::Address(target.as_str().to_owned()))
    }
}

impl RelayState {
    /// The feed that a request of ffmpeg's to a camera names: `OPTIONS rtsp://ADDRESS/TOKEN/… RTSP/1.0`.
    pub(super) fn stream_feed(&self, request: &str) -> Option<Arc<ContentFeed>> {
        let address = request.split(' ').nth(1)?.strip_prefix(RTSP_SCHEME)?;
        let path = address.strip_prefix(&self.at.to_string())?.strip_prefix('/')?;
        let token = path.split(['/', '?']).next()?;
        lock(&self.feeds).get(token).and_then(Weak::upgrade).filter(|feed| feed.is_stream())
    }
}

impl Drop for FetchRelay {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// What must stay the same while a file is read in parts.
#[derive(Clone, Debug, Default)]
pub(super) struct FileVersion {
    pub(super) etag: Option<String>,
    pub(super) total_bytes: Option<u64>,
}

/// A [`ContentSource`] whose address is held once, here and as a key of [`FeedState::addresses`]: there can be many.
#[derive(Clone)]
enum EntrySource {
    Address(Arc<str>),
    Other(ContentSource),
}

impl EntrySource {
    fn to_content(&self) -> ContentSource {
        match self {
            Self::Address(address) => ContentSource::Address(String::from(&**address)),
            Self::Other(source) => source.clone(),
        }
    }
}

impl From<ContentSource> for EntrySource {
    fn from(source: ContentSource) -> Self {
        match source {
            ContentSource::Address(address) => Self::Address(address.into()),
            other => Self::Other(other),
        }
    }
}

#[derive(Clone)]
struct RelayEntry {
    source: EntrySource,
    kind: ReferenceKind,
    depth: u8,
    version: FileVersion,
    /// The number of the last playlist that names it; 0 of the content itself.
    playlist: u64,
}

#[derive(Default)]
struct FeedState {
    /// What may be requested, by id; the content itself has id 0.
    entries: BTreeMap<u64, RelayEntry>,
    /// The ids of the entries that have an address.
    addresses: HashMap<Arc<str>, u64>,
    /// What may be forgotten, oldest first: the number of the last playlist that names it, and its id. Playlists and
    /// the content itself are not forgotten, because they are requested again and again.
    forgettable: BTreeSet<(u64, u64)>,
    /// Bytes of the addresses.
    stored_bytes: usize,
    /// The last id that was given.
    next: u64,
    /// Playlists that were rewritten.
    playlists: u64,
    /// Why nothing more is served.
    fatal: Option<VideoError>,
    /// The last failure that a live stream may recover from.
    last_transient: Option<VideoError>,
}

impl FeedState {
    /// The number of a playlist that is now rewritten.
    fn begin_playlist(&mut self) -> u64 {
        self.playlists += 1;
        self.playlists
    }

    fn put(&mut self, id: u64, entry: RelayEntry) {
        if let EntrySource::Address(address) = &entry.source {
            self.stored_bytes += address.len();
            self.addresses.insert(address.clone(), id);
        }
        self.entries.insert(id, entry);
    }

    /// The id of an address that a playlist names. What only earlier playlists named is forgotten if there is no room.
    fn admit(
        &mut self,
        address: &str,
        kind: ReferenceKind,
        depth: u8,
        playlist: u64,
    ) -> Result<u64, VideoError> {
        if let Some(id) = self.addresses.get(address).copied() {
            if let Some(entry) = self.entries.get_mut(&id) {
                // So that playlists that refer to each other reach the limit on depth.
                entry.depth = entry.depth.max(depth);
                if self.forgettable.remove(&(entry.playlist, id)) {
                    entry.playlist = entry.playlist.max(playlist);
                    self.forgettable.insert((entry.playlist, id));
                }
            }
            return Ok(id);
        }
        loop {
            let (what, limit) = if self.entries.len() >= MAX_RELAY_ENTRIES {
                ("addresses", MAX_RELAY_ENTRIES)
            } else if self.stored_bytes + address.len() > MAX_RELAY_BYTES {
                ("bytes of addresses", MAX_RELAY_BYTES)
            } else {
                break;
            };
            self.forget_oldest(playlist).ok_or(VideoError::PlaylistTooLarge { what, limit })?;
        }
        self.next += 1;
        let id = self.next;
        if kind != ReferenceKind::Playlist {
            self.forgettable.insert((playlist, id));
        }
        let source = EntrySource::Address(address.into());
        self.put(id, RelayEntry { source, kind, depth, version: FileVersion::default(), playlist });
        Ok(id)
    }

    /// Forgets what was not named for longest. `None` if all that may be forgotten is named by this playlist, which would
    /// otherwise lead nowhere.
    fn forget_oldest(&mut self, playlist: u64) -> Option<()> {
        let oldest = self.forgettable.first().copied().filter(|(named, _)| *named < playlist)?;
        self.forgettable.remove(&oldest);
        let forgotten = self.entries.remove(&oldest.1).map(|entry| entry.source);
        if let Some(EntrySource::Address(address)) = forgotten {
            self.stored_bytes -= address.len();
            self.addresses.remove(&address);
        }
        Some(())
    }
}

/// A camera, and what it demands.
struct WatchedCamera {
    target: StreamTarget,
    credentials: Option<CameraCredentials>,
}

/// Access to one content through the relay. Dropping it invalidates its token.
pub(super) struct ContentFeed {
    /// Whether it is a live stream: it is read for as long as it sends, and single failures are tolerated.
    pub(super) live: bool,
    shared: Arc<RelayState>,
    token: String,
    /// The camera, if it is one.
    camera: Option<WatchedCamera>,
    state: Mutex<FeedState>,
    bytes_received: AtomicU64,
    pace: Mutex<TransferRate>,
    gate: watch::Sender<bool>,
    /// Whether the content has announced an end: a complete playlist, or a file of known length.
    pub(super) ends: Arc<AtomicBool>,
}

impl Drop for ContentFeed {
    fn drop(&mut self) {
        lock(&self.shared.feeds).remove(&self.token);
    }
}

impl ContentFeed {
    pub(super) fn settings(&self) -> &VideoSettings {
        &self.shared.settings
    }

    /// How fast the content comes.
    pub(super) fn pace(&self) -> MutexGuard<'_, TransferRate> {
        lock(&self.pace)
    }

    pub(super) fn fetcher(&self) -> &Fetcher {
        &self.shared.fetcher
    }

    /// The address at which ffmpeg finds the content.
    pub(super) fn address(&self) -> String {
        if let Some((_, _, own)) = self.stream_addresses() {
            let path = self.camera.as_ref().map_or("", |camera| camera.target.path());
            return format!("{own}{path}");
        }
        let name = if self.is_playlist() { "0.m3u8" } else { "0" };
        format!("http://{}/{}/{name}", self.shared.at, self.token)
    }

    /// Of a camera: its address, where it is without the path, and where ffmpeg finds it without the path.
    pub(super) fn stream_addresses(&self) -> Option<(&str, &str, String)> {
        let target = &self.camera.as_ref()?.target;
        let own = format!("{RTSP_SCHEME}{}/{}", self.shared.at, self.token);
        Some((target.as_str(), target.origin(), own))
    }

    /// Whether the content is the stream of a camera.
    pub(super) fn is_stream(&self) -> bool {
        self.camera.is_some()
    }

    /// What the camera demands, if it is one.
    pub(super) fn credentials(&self) -> Option<&CameraCredentials> {
        self.camera.as_ref()?.credentials.as_ref()
    }

    /// Waits for [`ContentFeed::resume`].
    pub(super) async fn wait_until_resumed(&self) {
        let mut gate = self.gate.subscribe();
        let _gone = gate.wait_for(|open| *open).await;
    }

    /// Whether the content is an HLS playlist.
    pub(super) fn is_playlist(&self) -> bool {
        self.state().entries.get(&0).is_some_and(|entry| entry.kind == ReferenceKind::Playlist)
    }

    /// Holds back responses until [`ContentFeed::resume`]: a process gets its limits before it gets data.
    pub(super) fn pause(&self) {
        self.gate.send_replace(false);
    }

    pub(super) fn resume(&self) {
        self.gate.send_replace(true);
    }

    /// Bytes that have arrived, not counting playlists.
    pub(super) fn bytes_received(&self) -> u64 {
        self.bytes_received.load(Ordering::Relaxed)
    }

    /// Why the content could not be read, or not completely.
    pub(super) fn failure(&self) -> Option<VideoError> {
        let state = self.state();
        state.fatal.clone().or_else(|| state.last_transient.clone())
    }

    /// Why nothing more is served.
    pub(super) fn fatal_failure(&self) -> Option<VideoError> {
        self.state().fatal.clone()
    }

    pub(super) fn count_bytes(&self, bytes: u64) -> Result<(), VideoError> {
        let moved = self.bytes_received.fetch_add(bytes, Ordering::Relaxed) + bytes;
        let limit = self.settings().max_stream_bytes;
        if !self.live && moved > limit { Err(VideoError::TooLarge { limit }) } else { Ok(()) }
    }

    fn state(&self) -> MutexGuard<'_, FeedState> {
        lock(&self.state)
    }

    pub(super) fn fail(&self, error: VideoError) {
        tracing::debug!(
            error = &error as &dyn std::error::Error,
            code = error.code(),
            "a content's relay has failed"
        );
        let mut state = self.state();
        let forgiven = error.is_transient() || matches!(error, VideoError::Status { .. });
        if self.live && forgiven {
            state.last_transient = Some(error);
        } else {
            state.fatal.get_or_insert(error);
        }
    }

    /// An address in a playlist, if it may be called.
    fn join(&self, base: &FetchTarget, reference: &str) -> Result<FetchTarget, VideoError> {
        let target = self.fetcher().join(base, reference);
        target.map_err(|reason| VideoError::Refused { place: ContentAddress::Part, reason })
    }

    /// The relay's address for an address in a playlist.
    fn relay_reference(
        &self,
        base: &FetchTarget,
        reference: &str,
        kind: ReferenceKind,
        depth: u8,
        playlist: u64,
    ) -> Result<String, VideoError> {
        let target = self.join(base, reference)?;
        let id = self.state().admit(target.as_str(), kind, depth, playlist)?;
        let ending = match kind {
            ReferenceKind::Playlist => "m3u8",
            ReferenceKind::Media(ending) => ending,
        };
        Ok(format!("http://{}/{}/{id}.{ending}", self.shared.at, self.token))
    }

    async fn serve_playlist(
        self: &Arc<Self>,
        entry: &RelayEntry,
        place: ContentAddress,
    ) -> Result<Response, VideoError> {
        if entry.depth > MAX_PLAYLIST_DEPTH {
            let limit = MAX_PLAYLIST_DEPTH.into();
            return Err(VideoError::PlaylistTooLarge { what: "playlists in each other", limit });
        }
        let source = entry.source.to_content();
        let upstream =
            UpstreamBody::open(self, &source, place, &FileVersion::default(), ByteRange::default()).await?;
        let mut upstream = upstream.ok_or(VideoError::Empty)?;
        // A live stream that only repeats its playlist has stalled.
        upstream.counts_as_content = false;
        let mut bytes = Vec::new();
        while let Some(chunk) = upstream.chunk().await? {
            bytes.extend_from_slice(&chunk);
            if bytes.len() > playlist::MAX_PLAYLIST_BYTES {
                return Err(VideoError::PlaylistTooLarge {
                    what: "bytes",
                    limit: playlist::MAX_PLAYLIST_BYTES,
                });
            }
        }
        if !playlist::is_playlist(&bytes) {
            return Err(VideoError::Playlist("what it names as a playlist is none"));
        }
        let base = upstream.target.as_ref().ok_or(VideoError::NotAVideo)?;
        let text = String::from_utf8(bytes).map_err(|_| VideoError::Playlist("it is not text in UTF-8"))?;
        let number = self.state().begin_playlist();
        let text = playlist::rewrite(
            &text,
            self.live,
            self.settings().box_side,
            |reference| self.join(base, reference).map(drop),
            |reference, kind| self.relay_reference(base, reference, kind, entry.depth + 1, number),
        )?;
        if text.lines().any(|line| line.starts_with("#EXT-X-ENDLIST")) {
            self.ends.store(true, Ordering::Relaxed);
        }
        let mut response = Response::new(Body::from(text));
        response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(PLAYLIST_TYPE));
        Ok(response)
    }

    async fn serve_media(
        self: &Arc<Self>,
        id: u64,
        entry: &RelayEntry,
        place: ContentAddress,
        headers: &HeaderMap,
    ) -> Result<Response, VideoError> {
        let range = headers.get(header::RANGE).and_then(|value| ByteRange::parse(value.to_str().ok()?));
        let wanted = range.unwrap_or_default();
        let source = entry.source.to_content();
        let opened = UpstreamBody::open(self, &source, place, &entry.version, wanted).await?;
        let Some(mut upstream) = opened else { return Ok(empty(StatusCode::RANGE_NOT_SATISFIABLE)) };
        if let Some(entry) = self.state().entries.get_mut(&id).filter(|_| !self.live) {
            let known = upstream.file_version();
            entry.version = FileVersion {
                etag: entry.version.etag.take().or(known.etag),
                total_bytes: entry.version.total_bytes.or(known.total_bytes),
            };
        }
        if id > 0 {
            self.reject_nested_playlist(&mut upstream).await?;
        }
        self.state().last_transient = None;
        let mut response = Response::new(Body::empty());
        let put = |response: &mut Response, name, text: &str| {
            if let Ok(value) = HeaderValue::from_str(text) {
                response.headers_mut().insert(name, value);
            }
        };
        if let Some(length) = upstream.length {
            put(&mut response, header::CONTENT_LENGTH, &length.to_string());
            if range.is_some() && upstream.seekable {
                let total = upstream.total.map_or_else(|| "*".to_owned(), |total| total.to_string());
                let last = wanted.from + length.saturating_sub(1);
                put(&mut response, header::CONTENT_RANGE, &format!("bytes {}-{last}/{total}", wanted.from));
                *response.status_mut() = StatusCode::PARTIAL_CONTENT;
            }
        }
        if upstream.seekable {
            put(&mut response, header::ACCEPT_RANGES, "bytes");
        }
        if let Some(media_type) = upstream.media_type.as_deref().filter(|name| name.len() < 100) {
            put(&mut response, header::CONTENT_TYPE, media_type);
        }
        let feed = self.clone();
        let body = stream::try_unfold(upstream, move |mut upstream| {
            let feed = feed.clone();
            async move {
                let read = upstream.chunk().await.inspect_err(|error| feed.fail(error.clone()));
                read.map(|chunk| chunk.map(|bytes: Bytes| (bytes, upstream)))
            }
        });
        *response.body_mut() = Body::from_stream(body);
        Ok(response)
    }

    /// Refuses a segment, or a part of a file that a playlist names as one, that is itself a playlist: ffmpeg would follow its
    /// addresses, which were not rewritten.
    async fn reject_nested_playlist(&self, upstream: &mut UpstreamBody) -> Result<(), VideoError> {
        let mut at = 0;
        for _ in 0..16 {
            let seen = upstream.peek(at + 10).await?;
            let Some(rest) = seen.get(at..) else { return Ok(()) };
            if playlist::is_playlist(rest) {
                return Err(VideoError::Playlist("a part of it is a playlist that calls itself a video"));
            }
            if !rest.starts_with(b"ID3") || rest.len() < 10 {
                return Ok(());
            }
            let size = rest[6..10].iter().fold(0, |size, byte| (size << 7) | usize::from(byte & 0x7f));
            at += 10 + size;
            if at > MAX_SEGMENT_TAG_BYTES {
                break;
            }
        }
        Err(VideoError::Playlist("a part of it begins with more tags than are read"))
    }
}

fn stream_handler(state: Arc<RelayState>) -> StreamHandler {
    StreamHandler(Arc::new(move |connection| Box::pin(rtsp::serve(state.clone(), connection))))
}

async fn answer(
    State(shared): State<Arc<RelayState>>,
    Path((token, name)): Path<(String, String)>,
    uri: Uri,
    headers: HeaderMap,
) -> Response {
    // The relay is ffmpeg's proxy, so requests for any other host arrive here too, and are refused.
    let here = shared.at.to_string();
    let elsewhere = uri.authority().is_some_and(|authority| authority.as_str() != here);
    let feed = lock(&shared.feeds).get(&token).and_then(Weak::upgrade).filter(|_| !elsewhere);
    let Some(feed) = feed else { return empty(StatusCode::NOT_FOUND) };
    if feed.gate.subscribe().wait_for(|open| *open).await.is_err() || feed.fatal_failure().is_some() {
        return empty(StatusCode::GONE);
    }
    let id = name.split('.').next().and_then(|id| id.parse().ok());
    let entry = id.and_then(|id| Some((id, feed.state().entries.get(&id)?.clone())));
    let Some((id, entry)) = entry else { return empty(StatusCode::NOT_FOUND) };
    let place = if id == 0 { ContentAddress::Content } else { ContentAddress::Part };
    let answered = match entry.kind {
        ReferenceKind::Playlist => feed.serve_playlist(&entry, place).await,
        ReferenceKind::Media(_) => feed.serve_media(id, &entry, place, &headers).await,
    };
    answered.unwrap_or_else(|error| {
        let status = match error {
            VideoError::Status { status, .. } => StatusCode::from_u16(status).ok().filter(|_| status >= 400),
            _ => None,
        };
        feed.fail(error);
        empty(status.unwrap_or(StatusCode::BAD_GATEWAY))
    })
}

fn empty(status: StatusCode) -> Response {
    let mut response = Response::new(Body::empty());
    *response.status_mut() = status;
    response
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fetch::MAX_ADDRESS_BYTES;

    const SEGMENT: ReferenceKind = ReferenceKind::Media("ts");

    fn full() -> Result<u64, VideoError> {
        Err(VideoError::PlaylistTooLarge { what: "addresses", limit: 20_000 })
    }

    /// An address of this many bytes.
    fn address(number: usize, bytes: usize) -> String {
        let start = "https://a.example.com/";
        format!("{start}{number:0width$}", width = bytes - start.len())
    }

    /// A content that is a playlist, before it is rewritten.
    fn opened() -> FeedState {
        let mut state = FeedState::default();
        let source = EntrySource::from(ContentSource::from("https://a.example.com/a.m3u8"));
        let version = FileVersion::default();
        state.put(0, RelayEntry { source, kind: ReferenceKind::Playlist, depth: 0, version, playlist: 0 });
        state
    }

    #[test]
    fn what_only_earlier_playlists_named_is_forgotten() {
        let mut state = opened();
        let first = state.begin_playlist();
        let key = state.admit(&address(0, 40), ReferenceKind::Media("key"), 1, first).unwrap();
        let oldest = state.admit(&address(1, 40), SEGMENT, 1, first).unwrap();
        for number in 2..MAX_RELAY_ENTRIES - 1 {
            state.admit(&address(number, 40), SEGMENT, 1, first).unwrap();
        }
        assert_eq!(state.entries.len(), MAX_RELAY_ENTRIES);
        let more = address(MAX_RELAY_ENTRIES, 40);
        assert_eq!(state.admit(&more, SEGMENT, 1, first), full(), "it would lose its own parts");
        assert!(state.entries.contains_key(&oldest));
        let second = state.begin_playlist();
        assert_eq!(state.admit(&address(0, 40), ReferenceKind::Media("key"), 1, second), Ok(key));
        let newest = state.admit(&more, SEGMENT, 1, second).unwrap();
        assert!([0, key, newest].iter().all(|id| state.entries.contains_key(id)));
        assert!(!state.entries.contains_key(&oldest));
        assert!(!state.addresses.contains_key(address(1, 40).as_str()));
        assert_eq!(state.entries.len(), MAX_RELAY_ENTRIES);
        assert_eq!(state.addresses.len(), MAX_RELAY_ENTRIES);
    }

    #[test]
    fn the_bytes_of_addresses_are_limited() {
        let mut state = FeedState::default();
        let first = state.begin_playlist();
        for number in 0..MAX_RELAY_BYTES / MAX_ADDRESS_BYTES {
            state.admit(&address(number, MAX_ADDRESS_BYTES), SEGMENT, 1, first).unwrap();
        }
        assert_eq!(state.stored_bytes, MAX_RELAY_BYTES);
        let full = VideoError::PlaylistTooLarge { what: "bytes of addresses", limit: 16_777_216 };
        assert_eq!(state.admit(&address(0, 40), SEGMENT, 1, first), Err(full));
        let second = state.begin_playlist();
        let newest = state.admit(&address(0, 40), SEGMENT, 1, second).unwrap();
        assert!(state.entries.contains_key(&newest));
        assert_eq!(state.stored_bytes, MAX_RELAY_BYTES - MAX_ADDRESS_BYTES + 40);
    }

    #[test]
    fn a_long_playlist_of_long_addresses_fits() {
        let mut state = opened();
        let number = state.begin_playlist();
        for part in 0..10_000 {
            state.admit(&address(part, 1_600), SEGMENT, 1, number).unwrap();
        }
        assert_eq!(state.entries.len(), 10_001);
    }

    #[test]
    fn playlists_are_not_forgotten_and_do_not_grow_without_end() {
        let mut state = opened();
        for number in 1..MAX_RELAY_ENTRIES {
            let by = state.begin_playlist();
            state.admit(&address(number, 40), ReferenceKind::Playlist, 1, by).unwrap();
        }
        let by = state.begin_playlist();
        assert_eq!(state.admit(&address(0, 40), ReferenceKind::Playlist, 1, by), full());
        assert_eq!(state.entries.len(), MAX_RELAY_ENTRIES);
    }
}
