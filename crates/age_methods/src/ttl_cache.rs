//! A cache for what many attempts share, such as access tokens and documents of providers: one fetches, the others
//! wait.

use crate::AgeMethodError;
use base::{Environment, SignedDuration, Timestamp};
use std::{fmt, sync::Arc};
use tokio::sync::Mutex;

/// How long a failure is cached, so that those who waited for a failed call do not all repeat it in turn.
const FAILURE_TTL: SignedDuration = SignedDuration::from_secs(5);

/// One cached value, fetched again once it has expired.
pub(crate) struct TtlCache<T> {
    environment: Arc<dyn Environment>,
    /// Locked during a fetch.
    state: Mutex<Option<CachedAnswer<T>>>,
}

struct CachedAnswer<T> {
    answer: Result<T, AgeMethodError>,
    since: Timestamp,
    until: Timestamp,
}

impl<T> fmt::Debug for TtlCache<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Kept")
    }
}

impl<T: Clone> TtlCache<T> {
    pub(crate) fn new(environment: &Arc<dyn Environment>) -> Self {
        Self { environment: environment.clone(), state: Mutex::new(None) }
    }

    /// The cached answer, or else the result of `ask`, cached for the duration that it returns.
    pub(crate) async fn get_or_fetch(
        &self,
        ask: impl AsyncFnOnce() -> Result<(T, SignedDuration), AgeMethodError>,
    ) -> Result<T, AgeMethodError> {
        let mut state = self.state.lock().await;
        if let Some(state) = state.as_ref().filter(|state| self.environment.now() < state.until) {
            return state.answer.clone();
        }
        let asked = ask().await;
        let since = self.environment.now();
        let (answer, lives) = match asked {
            Ok((value, lives)) => (Ok(value), lives),
            Err(failure) => (Err(failure), FAILURE_TTL),
        };
        *state = Some(CachedAnswer { answer: answer.clone(), since, until: since + lives });
        answer
    }

    /// Drops a cached value for which `is` holds, given the value and when it was fetched. Returns whether one was
    /// dropped. Cached failures stay.
    pub(crate) async fn invalidate_if(&self, is: impl FnOnce(&T, Timestamp) -> bool) -> bool {
        let mut state = self.state.lock().await;
        let forgets = state
            .as_ref()
            .is_some_and(|state| state.answer.as_ref().is_ok_and(|answer| is(answer, state.since)));
        if forgets {
            *state = None;
        }
        forgets
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::TestEnvironment;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[tokio::test]
    async fn answers_are_kept_for_their_time_and_failures_for_a_moment() {
        let environment = Arc::new(TestEnvironment::at("2026-11-22T12:00:00Z"));
        let kept = TtlCache::new(&(environment.clone() as Arc<dyn Environment>));
        let asked = AtomicU32::new(0);
        let get = async || {
            kept.get_or_fetch(async || match asked.fetch_add(1, Ordering::SeqCst) {
                1 => Err(AgeMethodError::unavailable("away")),
                count => Ok((count, SignedDuration::from_mins(1))),
            })
            .await
        };
        assert_eq!(get().await, Ok(0));
        environment.advance(SignedDuration::from_secs(59));
        assert_eq!(get().await, Ok(0));
        environment.advance(SignedDuration::from_secs(1));
        assert_eq!(get().await, Err(AgeMethodError::unavailable("away")));
        environment.advance(SignedDuration::from_secs(4));
        assert_eq!(get().await, Err(AgeMethodError::unavailable("away")));
        assert!(!kept.invalidate_if(|_, _| true).await, "a failure is no answer");
        environment.advance(SignedDuration::from_secs(1));
        assert_eq!(get().await, Ok(2));
        assert!(!kept.invalidate_if(|count, _| *count == 0).await);
        assert!(kept.invalidate_if(|count, since| *count == 2 && since == environment.now()).await);
        assert_eq!(get().await, Ok(3));
    }
}
