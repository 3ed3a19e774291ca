//! Senders whose bodies arrive late. Whoever sends a request decides for how long its body is waited for, up to half a minute:
//! meanwhile their credential may be revoked, their session ended, or their application disabled.

use super::rate_limit;
use crate::ApiState;
use base::{SignedDuration, Timestamp};

/// If its body takes longer to arrive than this, the sender of a request is looked up again.
const MAX_CALLER_AGE: SignedDuration = SignedDuration::from_secs(1);

/// The look-up of the sender of a request whose body has yet to arrive.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallerLookup {
    begun_at: Timestamp,
}

impl CallerLookup {
    /// To be called before the sender is looked up.
    pub(crate) fn begin(api: &ApiState) -> Self {
        Self { begun_at: api.environment.now() }
    }

    /// To be called once the body has arrived: the caller as they were found or, if that took long, as `again` finds them now.
    /// Their call is not counted a second time.
    pub(crate) async fn renew<C, E>(
        self,
        api: &ApiState,
        caller: C,
        again: impl Future<Output = Result<C, E>>,
    ) -> Result<C, E> {
        if api.environment.now().duration_since(self.begun_at) <= MAX_CALLER_AGE {
            return Ok(caller);
        }
        rate_limit::without_counting(again).await
    }
}
