//! A span of time in which something was created, as lists are filtered by it.

use base::Timestamp;

/// From one moment on, until before another; without either, all time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CreationRange {
    /// The first moment that belongs to it.
    pub from: Option<Timestamp>,
    /// The first moment that does not belong to it any more.
    pub before: Option<Timestamp>,
}
