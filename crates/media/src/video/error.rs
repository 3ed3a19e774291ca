//! Errors of reading a content, in words for whoever supplied its address.

use crate::{
    fetch::{FetchError, FetchTargetError},
    sandbox::process::SandboxedProcessError,
};
use std::time::Duration;

/// Why a content gave no frames, or no more of them. Each variant states what was measured and the limit; none reveals
/// what is reachable inside this network.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum VideoError {
    /// The content's address, or one that it refers to, may not be called.
    #[error("{place} is not called: {reason}")]
    Refused { place: ContentAddress, reason: FetchTargetError },
    /// The connection failed or is not allowed.
    #[error("{0} could not be called")]
    Unreachable(ContentAddress),
    /// An uploaded content was deleted, or its bytes are damaged.
    #[error("the uploaded content is not there any more")]
    StoredLost,
    /// The store of uploaded contents does not answer.
    #[error("the store of uploaded contents does not answer")]
    StoreUnavailable,
    /// There were more redirects than are followed.
    #[error("the content's address redirects more than {limit} times")]
    Redirects { limit: usize },
    /// The status of the response is not a success.
    #[error("{place} answered with status {status} instead of the content")]
    Status { place: ContentAddress, status: u16 },
    /// The server sends too slowly.
    #[error(
        "the content's server is too slow: {bytes} bytes in {seconds} seconds; at least {least} are expected"
    )]
    TooSlow {
        /// Bytes that arrived.
        bytes: u64,
        /// Seconds in which they arrived.
        seconds: u64,
        /// The fewest bytes that should have arrived.
        least: u64,
    },
    /// The content was not through when its time was over.
    #[error("the content has taken {seconds} seconds; at most {limit} are spent on one")]
    TakesTooLong {
        /// Seconds since its first run began.
        seconds: u64,
        /// The limit, seconds.
        limit: u64,
    },
    /// The content has more bytes than are read.
    #[error("the content has more than {limit} bytes")]
    TooLarge {
        /// The limit, bytes.
        limit: u64,
    },
    /// The content has no bytes.
    #[error("the content is empty")]
    Empty,
    /// The server closed the connection before it had sent what it announced.
    #[error("the content's server broke off after {bytes} bytes{}", announced.map_or_else(String::new, |bytes| format!(" of {bytes} that it announced")))]
    BrokenOff {
        /// Bytes that arrived.
        bytes: u64,
        /// Bytes that the server announced.
        announced: Option<u64>,
    },
    /// The content ends before the length that it declares.
    #[error("the content is cut off: its pictures end at {reached:.1} seconds{}", length.map_or_else(String::new, |length| format!(", and it says that it has {length:.1}")))]
    CutOff {
        /// The time of the last frame, seconds.
        reached: f64,
        /// The length that it declares, seconds.
        length: Option<f64>,
    },
    /// The file ends before its index, which says where its frames are.
    #[error("the content is cut off or damaged: its index, without which nothing can be shown, is not whole")]
    NoIndex,
    /// Another file, or another version of it, was sent while it was read.
    #[error("the content changed while it was read")]
    Changed,
    /// The server's answers contradict each other or HTTP.
    #[error("the content's server cannot be relied on: {0}")]
    Unreliable(&'static str),
    /// The playlist cannot be used.
    #[error("the content's playlist is not followed: {0}")]
    Playlist(&'static str),
    /// A playlist, or the nesting of playlists, exceeds a limit.
    #[error("the content's playlist has more than {limit} {what}")]
    PlaylistTooLarge {
        /// What there are too many of.
        what: &'static str,
        limit: usize,
    },
    /// The content is encrypted with something other than AES-128 and a key that can be fetched.
    #[error("the content is encrypted with {0}, which is not supported; AES-128 is")]
    Encrypted(String),
    /// A stored video has a playlist without an end.
    #[error("the content's playlist has no end, as that of a live stream: moderate it as a live video")]
    NeverEnds,
    /// The content is in no known video format.
    #[error("the content is not a video that can be read, whatever its name says")]
    NotAVideo,
    /// The content has audio, subtitles or a cover, but no video.
    #[error("the content has no video, only {0}")]
    NoVideoStream(String),
    /// The content is in no known picture format.
    #[error("the content is not a picture that can be read: {0}")]
    NotAPicture(String),
    /// The video or picture has more pixels than are decoded.
    #[error("the {what} has {measured} pixels; at most {limit} are decoded")]
    TooManyPixels {
        /// `video` or `picture`.
        what: &'static str,
        /// The size, as text.
        measured: String,
        /// The limit, as text.
        limit: String,
    },
    /// The video is longer than is moderated.
    #[error("the video is {seconds:.0} seconds long; at most {limit:.0} are moderated")]
    TooLong {
        /// Its length, seconds.
        seconds: f64,
        /// The limit, seconds.
        limit: f64,
    },
    /// The decoder failed on the video's data.
    #[error("the video is damaged: nothing can be decoded after {after:.1} seconds")]
    Damaged {
        /// The time of the last frame, seconds.
        after: f64,
    },
    /// For too long, neither a frame nor a byte arrived, or no frame of a live video that had given some.
    #[error("the decoder stood still for {seconds} seconds")]
    Stalled { seconds: u64 },
    /// The decoder needed more memory or processor time than its limit.
    #[error("the video needs more {what} than the decoder is given ({limit})")]
    Limit {
        what: &'static str,
        /// The limit with its unit.
        limit: String,
    },
    /// The decoder was killed by a signal from outside.
    #[error("the decoder was ended from outside (signal {0})")]
    Killed(i32),
    /// ffmpeg or ffprobe is not installed.
    #[error("{0} is not installed; videos need it")]
    Missing(&'static str),
    /// The decoder could not be run; the text is for the operator.
    #[error("the decoder could not be run: {0}")]
    Failed(String),
}

/// Which of a content's addresses is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentAddress {
    /// The one that the user supplied.
    Content,
    /// One that a playlist refers to.
    Part,
}

impl std::fmt::Display for ContentAddress {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Content => "the content's address",
            Self::Part => "an address in the content's playlist",
        })
    }
}

impl VideoError {
    /// The code for programs.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused { .. } => "CONTENT_REFUSED",
            Self::Unreachable(_)
            | Self::StoredLost
            | Self::StoreUnavailable
            | Self::Redirects { .. }
            | Self::Status { .. } => "CONTENT_UNREACHABLE",
            Self::TooSlow { .. } => "CONTENT_TOO_SLOW",
            Self::TakesTooLong { .. } => "CONTENT_TAKES_TOO_LONG",
            Self::TooLarge { .. } => "CONTENT_TOO_LARGE",
            Self::Empty => "CONTENT_EMPTY",
            Self::BrokenOff { .. } | Self::CutOff { .. } | Self::NoIndex => "CONTENT_TRUNCATED",
            Self::Changed => "CONTENT_CHANGED",
            Self::Unreliable(_) => "CONTENT_UNRELIABLE",
            Self::Playlist(_) | Self::PlaylistTooLarge { .. } => "PLAYLIST_INVALID",
            Self::Encrypted(_) => "CONTENT_ENCRYPTED",
            Self::NeverEnds => "CONTENT_NEVER_ENDS",
            Self::NotAVideo => "NOT_A_VIDEO",
            Self::NoVideoStream(_) => "NO_VIDEO_STREAM",
            Self::NotAPicture(_) => "NOT_A_PICTURE",
            Self::TooManyPixels { .. } => "VIDEO_TOO_LARGE",
            Self::TooLong { .. } => "VIDEO_TOO_LONG",
            Self::Damaged { .. } => "VIDEO_DAMAGED",
            Self::Stalled { .. } => "DECODER_STALLED",
            Self::Limit { .. } => "DECODER_LIMIT",
            Self::Killed(_) => "DECODER_KILLED",
            Self::Missing(_) => "DECODER_MISSING",
            Self::Failed(_) => "DECODER_FAILED",
        }
    }

    /// Whether a later attempt may succeed.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Status { status, .. } => matches!(status, 408 | 425 | 429 | 500..),
            Self::Unreachable(_)
            | Self::StoreUnavailable
            | Self::TooSlow { .. }
            | Self::BrokenOff { .. }
            | Self::Changed
            | Self::Stalled { .. }
            | Self::Killed(_)
            | Self::Missing(_)
            | Self::Failed(_) => true,
            Self::Refused { .. }
            | Self::StoredLost
            | Self::Redirects { .. }
            | Self::TakesTooLong { .. }
            | Self::TooLarge { .. }
            | Self::Empty
            | Self::CutOff { .. }
            | Self::NoIndex
            | Self::Unreliable(_)
            | Self::Playlist(_)
            | Self::PlaylistTooLarge { .. }
            | Self::Encrypted(_)
            | Self::NeverEnds
            | Self::NotAVideo
            | Self::NoVideoStream(_)
            | Self::NotAPicture(_)
            | Self::TooManyPixels { .. }
            | Self::TooLong { .. }
            | Self::Damaged { .. }
            | Self::Limit { .. } => false,
        }
    }

    /// What a failed request means for a content. A name that resolves to an internal address gives the same error as
    /// one where nothing responds.
    pub(super) fn from_fetch_error(error: FetchError, place: ContentAddress, waited: Duration) -> Self {
        match error {
            FetchError::Refused(FetchTargetError::NotPublic) => Self::Unreachable(place),
            FetchError::Refused(reason) => Self::Refused { place, reason },
            FetchError::TooSlow(_) => Self::TooSlow { bytes: 0, seconds: waited.as_secs(), least: 1 },
            FetchError::TooLarge { limit } => Self::TooLarge { limit },
            FetchError::TooManyRedirects { limit } => Self::Redirects { limit },
            FetchError::TooManyHeaders => Self::Unreliable("its answer has too many headers"),
            FetchError::Failed(cause) => {
                tracing::debug!(cause, "a content's address could not be called");
                Self::Unreachable(place)
            }
        }
    }
}

impl From<SandboxedProcessError> for VideoError {
    fn from(error: SandboxedProcessError) -> Self {
        match error {
            SandboxedProcessError::Stalled { seconds } => Self::Stalled { seconds },
            SandboxedProcessError::Limit { what, limit } => Self::Limit { what, limit },
            SandboxedProcessError::Killed(signal) => Self::Killed(signal),
            SandboxedProcessError::Failed(cause) => Self::Failed(cause),
        }
    }
}
