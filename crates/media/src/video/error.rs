//! Why a content gave no pictures, or no more: in words for whoever gave its address.

use crate::{
    fetch::{FetchError, FetchTargetError},
    sandboxed_process::SandboxedProcessError,
};
use std::time::Duration;

/// Why a content gave no pictures, or no more. Each case says what was measured and what the limit is; none says what
/// answers inside this network.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum VideoError {
    /// The content's address, or one that it leads to, is not called.
    #[error("{place} is not called: {reason}")]
    Refused {
        /// Which of the content's addresses.
        place: ContentAddress,
        /// Why not.
        reason: FetchTargetError,
    },
    /// No connection, or none that is allowed.
    #[error("{0} could not be called")]
    Unreachable(ContentAddress),
    /// Redirects without end.
    #[error("the content's address redirects more than {limit} times")]
    Redirects {
        /// The most that are followed.
        limit: usize,
    },
    /// A status that is no success.
    #[error("{place} answered with status {status} instead of the content")]
    Status {
        /// Which of the content's addresses.
        place: ContentAddress,
        /// The status.
        status: u16,
    },
    /// Too little came in too long a time.
    #[error(
        "the content's server is too slow: {bytes} bytes in {seconds} seconds; at least {least} are expected"
    )]
    TooSlow {
        /// Bytes that came.
        bytes: u64,
        /// Seconds in which they came.
        seconds: u64,
        /// The fewest bytes that should have come.
        least: u64,
    },
    /// More bytes than are read.
    #[error("the content has more than {limit} bytes")]
    TooLarge {
        /// The most bytes.
        limit: u64,
    },
    /// No bytes.
    #[error("the content is empty")]
    Empty,
    /// The server closed the connection before it had sent what it announced.
    #[error("the content's server broke off after {bytes} bytes{}", announced.map_or_else(String::new, |bytes| format!(" of {bytes} that it announced")))]
    BrokenOff {
        /// Bytes that came.
        bytes: u64,
        /// Bytes that were announced.
        announced: Option<u64>,
    },
    /// The content ends before what it says of itself.
    #[error("the content is cut off: its pictures end at {reached:.1} seconds{}", length.map_or_else(String::new, |length| format!(", and it says that it has {length:.1}")))]
    CutOff {
        /// The time of the last picture, in seconds.
        reached: f64,
        /// How long it says it is, in seconds.
        length: Option<f64>,
    },
    /// A file that ends before the part that says where its pictures are.
    #[error("the content is cut off or damaged: its index, without which nothing can be shown, is not whole")]
    NoIndex,
    /// Another file, or another version of it, came in the middle.
    #[error("the content changed while it was read")]
    Changed,
    /// The server's answers contradict each other or HTTP.
    #[error("the content's server cannot be relied on: {0}")]
    Unreliable(&'static str),
    /// A playlist that is not followed.
    #[error("the content's playlist is not followed: {0}")]
    Playlist(&'static str),
    /// A playlist, or playlists in playlists, over a limit.
    #[error("the content's playlist has more than {limit} {what}")]
    PlaylistTooLarge {
        /// What there is too much of.
        what: &'static str,
        /// The most of it.
        limit: usize,
    },
    /// Encrypted, and not with AES-128 and a key that anybody gets.
    #[error("the content is encrypted with {0}, which is not supported; AES-128 is")]
    Encrypted(String),
    /// A stored video whose playlist goes on.
    #[error("the content's playlist has no end, as that of a live stream: moderate it as a live video")]
    NeverEnds,
    /// Nothing that is known as a video.
    #[error("the content is no video that can be read, whatever its name says")]
    NotAVideo,
    /// Sound, subtitles or a cover, and no video.
    #[error("the content has no video, only {0}")]
    NoVideoStream(String),
    /// Nothing that is known as a picture.
    #[error("the content is no picture that can be read: {0}")]
    NotAPicture(String),
    /// Sides of more pixels than are decoded.
    #[error("the {what} has {measured} pixels; at most {limit} are decoded")]
    TooManyPixels {
        /// Video or picture.
        what: &'static str,
        /// How many, in words.
        measured: String,
        /// The limit, in words.
        limit: String,
    },
    /// More seconds than are moderated.
    #[error("the video is {seconds:.0} seconds long; at most {limit:.0} are moderated")]
    TooLong {
        /// How long it is, in seconds.
        seconds: f64,
        /// The most seconds.
        limit: f64,
    },
    /// The decoder could not go on.
    #[error("the video is damaged: nothing can be decoded after {after:.1} seconds")]
    Damaged {
        /// The time of the last picture, in seconds.
        after: f64,
    },
    /// Neither a picture nor a byte for a long time.
    #[error("the decoder stood still for {seconds} seconds")]
    Stalled {
        /// How long, in seconds.
        seconds: u64,
    },
    /// The decoder wanted more memory or time than it has.
    #[error("the video needs more {what} than the decoder is given ({limit})")]
    Limit {
        /// Memory or processor time.
        what: &'static str,
        /// The limit, in words.
        limit: String,
    },
    /// Somebody ended the decoder.
    #[error("the decoder was ended from outside (signal {0})")]
    Killed(i32),
    /// There is no ffmpeg.
    #[error("{0} is not installed; videos need it")]
    Missing(&'static str),
    /// The machine failed us: the words are for the operator.
    #[error("the decoder could not be run: {0}")]
    Failed(String),
}

/// Which of a content's addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContentAddress {
    /// The one that the user gave.
    Content,
    /// One that a playlist names.
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
    /// The word for machines.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Refused { .. } => "CONTENT_REFUSED",
            Self::Unreachable(_) | Self::Redirects { .. } | Self::Status { .. } => "CONTENT_UNREACHABLE",
            Self::TooSlow { .. } => "CONTENT_TOO_SLOW",
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

    /// Whether trying again later may help.
    pub fn is_transient(&self) -> bool {
        match self {
            Self::Status { status, .. } => matches!(status, 408 | 425 | 429 | 500..),
            Self::Unreachable(_)
            | Self::TooSlow { .. }
            | Self::BrokenOff { .. }
            | Self::Changed
            | Self::Stalled { .. }
            | Self::Killed(_)
            | Self::Missing(_)
            | Self::Failed(_) => true,
            Self::Refused { .. }
            | Self::Redirects { .. }
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

    /// What a call's failure means for a content. Where a name leads inside, it says the same as where nobody answers.
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
