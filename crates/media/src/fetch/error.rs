//! Why a call brought nothing.

use super::resolver::ResolveError;
use std::{error::Error, iter, time::Duration};

/// An address is not called, or not in this way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchTargetError {
    /// More than 2048 characters.
    #[error("an address has at most 2048 characters")]
    TooLong,
    /// Blanks, control characters or backslashes.
    #[error("an address has no blanks, control characters or backslashes")]
    Characters,
    /// Not `https://`.
    #[error("only https addresses are called")]
    Scheme,
    /// A user name or password, even an empty one.
    #[error("an address names no user")]
    User,
    /// No host, or none that can be read.
    #[error("an address names a host")]
    Host,
    /// The host is an address, or leads to one, that is not of the public internet.
    #[error("this host is not on the public internet")]
    NotPublic,
    /// A port that is not called.
    #[error("this port is not called")]
    Port,
    /// A header that the connection sets itself.
    #[error("a header of the call is not the caller's to set")]
    Header,
    /// The policy allows no calls that verify no certificate.
    #[error("calls that verify no certificate are not allowed")]
    UnverifiedTls,
}

/// Why a call brought nothing. The words are for the operator's log and name no more of the address than its host;
/// whoever gave the address is told [`FetchError::PUBLIC_MESSAGE`].
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The address is not one that is called, or not in this way.
    #[error("refused: {0}")]
    Refused(#[from] FetchTargetError),
    /// No answer in time, or not all of it.
    #[error("no whole answer within {0:?}")]
    TooSlow(Duration),
    /// A body with more than may be read; what came was dropped.
    #[error("the answer has more than {limit} bytes")]
    TooLarge {
        /// The most bytes there may be.
        limit: u64,
    },
    /// More headers than may be read.
    #[error("the answer has too many headers, or too long ones")]
    TooManyHeaders,
    /// Redirects without end, as far as anybody followed them.
    #[error("the address redirects more than {limit} times")]
    TooManyRedirects {
        /// The most that are followed.
        limit: usize,
    },
    /// Name, connection, TLS or HTTP failed.
    #[error("the call failed: {0}")]
    Failed(String),
}

impl FetchError {
    /// What is said outside, whatever happened: more would tell a stranger what answers inside.
    pub const PUBLIC_MESSAGE: &'static str = "the address could not be called";

    /// A name that leads inside is a refusal, wherever in the client it was noticed.
    pub(super) fn of(error: &reqwest::Error) -> Self {
        let refused = causes(error).find_map(|cause| cause.downcast_ref::<FetchTargetError>());
        refused.map_or_else(|| Self::Failed(causes_text(error)), |refused| Self::Refused(*refused))
    }
}

impl From<ResolveError> for FetchError {
    fn from(unresolved: ResolveError) -> Self {
        match unresolved {
            ResolveError::Refused(refused) => Self::Refused(refused),
            ResolveError::Failed(error) => Self::Failed(single_line(&error.to_string())),
        }
    }
}

fn causes(error: &reqwest::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    iter::successors(error.source(), |&error| error.source())
}

/// The causes of an error, without the error itself: that one names the address, which may carry a token.
fn causes_text(error: &reqwest::Error) -> String {
    let texts: Vec<_> = causes(error).map(ToString::to_string).collect();
    if texts.is_empty() { "the request cannot be sent".to_owned() } else { single_line(&texts.join(": ")) }
}

/// What a stranger's certificate or name server put into an error goes into the log in one line, and not endlessly.
fn single_line(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { ' ' } else { char }).take(400).collect()
}
