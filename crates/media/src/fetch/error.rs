//! Errors of outgoing requests.

use super::{resolver::ResolveError, stream_target::MAX_STREAM_ADDRESS_BYTES, target::MAX_ADDRESS_BYTES};
use std::{error::Error, iter, time::Duration};

/// Why an address, or a request to it, is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchTargetError {
    #[error("an address has at most {MAX_ADDRESS_BYTES} bytes")]
    TooLong,
    /// The address has blanks, control characters or backslashes.
    #[error("an address has no blanks, control characters or backslashes")]
    Characters,
    /// ffmpeg takes no longer paths of streams.
    #[error("the address of a stream has at most {MAX_STREAM_ADDRESS_BYTES} bytes")]
    StreamTooLong,
    /// The scheme is not `https`.
    #[error("only https addresses are called")]
    Scheme,
    /// The address has a user name or password, even an empty one.
    #[error("an address must not contain a user name or password")]
    User,
    /// The address has no host, or an invalid one.
    #[error("an address needs a valid host")]
    Host,
    /// The host is an address that is not on the public internet, or a name that resolves to one.
    #[error("this host is not on the public internet")]
    NotPublic,
    /// The policy does not allow this port.
    #[error("this port is not allowed")]
    Port,
    /// The request sets a header that belongs to the connection.
    #[error("the request must not set a header that belongs to the connection")]
    Header,
    /// The policy does not allow requests without certificate verification.
    #[error("calls that verify no certificate are not allowed")]
    UnverifiedTls,
}

/// Why a request failed. The text is for the operator's log and contains no more of the address than its host; whoever
/// supplied the address is told [`FetchError::PUBLIC_MESSAGE`].
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The address or the request is refused.
    #[error("refused: {0}")]
    Refused(#[from] FetchTargetError),
    /// The response did not arrive, or not completely, in time.
    #[error("no whole answer within {0:?}")]
    TooSlow(Duration),
    /// The body has more bytes than the limit; those that arrived are dropped.
    #[error("the answer has more than {limit} bytes")]
    TooLarge {
        /// The limit, bytes.
        limit: u64,
    },
    /// The response has more headers, or longer ones, than the limits allow.
    #[error("the answer has too many headers, or too long ones")]
    TooManyHeaders,
    /// There were more redirects than are followed.
    #[error("the address redirects more than {limit} times")]
    TooManyRedirects { limit: usize },
    /// Name resolution, connection, TLS or HTTP failed.
    #[error("the call failed: {0}")]
    Failed(String),
}

impl FetchError {
    /// The message for outsiders, whatever the cause: a specific one would reveal what is reachable inside the network.
    pub const PUBLIC_MESSAGE: &'static str = "the address could not be called";

    /// A name that resolves to an internal address is a refusal, wherever in the client that was noticed.
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

/// The causes of an error, without the error itself: its text contains the address, which may carry a token.
fn causes_text(error: &reqwest::Error) -> String {
    let texts: Vec<_> = causes(error).map(ToString::to_string).collect();
    if texts.is_empty() { "the request cannot be sent".to_owned() } else { single_line(&texts.join(": ")) }
}

/// Makes text that comes from a remote certificate or name server fit for the log: one line, at most 400 characters.
fn single_line(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { ' ' } else { char }).take(400).collect()
}
