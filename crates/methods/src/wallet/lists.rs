//! What issuers publish and wallets do not carry: their keys, and whether they took a credential back. Both are kept for a
//! while.

use crate::{Failure, calls, kept::Kept};
use base::{SignedDuration, World};
use credentials::{
    proof::StatusReference,
    status::{self, Status, StatusList},
    trust::{Issuer, TrustList},
};
use media::fetch::Fetcher;
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

const WHO: &str = "the credential's issuer";
/// How long keys are kept.
const KEYS_KEPT: SignedDuration = SignedDuration::from_mins(10);
/// The most bytes of a key set.
const MOST_KEYS: u64 = 256 << 10;
/// How long an issuer is waited for, while its wallet waits for us.
const PATIENCE: Duration = Duration::from_secs(5);
/// Key sets and status lists that are remembered; of the latter each may have four megabytes.
const MOST_SETS: usize = 256;
const MOST_LISTS: usize = 16;
/// Keys that were fetched longer ago are fetched anew for a key that is not among them.
const FRESH: SignedDuration = SignedDuration::from_secs(30);

type Shelf<T> = Mutex<HashMap<String, Arc<Kept<T>>>>;

/// What issuers publish.
pub(super) struct Lists {
    fetcher: Fetcher,
    world: Arc<dyn World>,
    keys: Shelf<Arc<Vec<u8>>>,
    statuses: Shelf<StatusList>,
}

impl fmt::Debug for Lists {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lists")
    }
}

impl Lists {
    pub(super) fn new(fetcher: &Fetcher, world: &Arc<dyn World>) -> Self {
        let (fetcher, world) = (fetcher.clone(), world.clone());
        Self { fetcher, world, keys: Shelf::default(), statuses: Shelf::default() }
    }

    /// The trust list with the keys that an issuer publishes; none where it publishes none that are new. `anew` asks again
    /// where they were not asked for just now: an issuer may have changed them.
    pub(super) async fn with_keys(
        &self,
        trusted: &TrustList,
        issuer: &str,
        anew: bool,
    ) -> Result<Option<TrustList>, Failure> {
        let Some(url) = trusted.issuer(issuer).and_then(Issuer::key_set_url) else { return Ok(None) };
        let now = self.world.now();
        let kept = self.place(&self.keys, MOST_SETS, url);
        if anew && !kept.forget(|_, since| now.duration_since(since) > FRESH).await {
            return Ok(None);
        }
        let keys = kept
            .get(async || {
                let (body, _) = self.fetch(url, MOST_KEYS, "application/json").await?;
                Ok((Arc::new(body), KEYS_KEPT))
            })
            .await?;
        Ok(trusted
            .with_keys(issuer, &keys, now)
            .map_err(|error| tracing::debug!(issuer, "a published key set adds nothing: {error}"))
            .ok())
    }

    /// What an issuer's list says of a credential; none where it cannot be had and the issuer's entry does not mind.
    pub(super) async fn status(
        &self,
        trusted: &TrustList,
        issuer: &str,
        place: &StatusReference,
    ) -> Result<Option<Status>, Failure> {
        let id = issuer;
        let issuer = trusted.issuer(id);
        let issuer = issuer.ok_or_else(|| Failure::unavailable("the credential's issuer is not listed"))?;
        let uri = &place.uri;
        let kept = self.place(&self.statuses, MOST_LISTS, uri);
        let looked = kept
            .get(async || {
                let accept = "application/statuslist+jwt, application/statuslist+cwt";
                let (body, kind) = self.fetch(uri, status::MAX_BODY as u64, accept).await?;
                let now = self.world.now();
                let read = |issuer: &Issuer| StatusList::parse(&body, kind.as_deref(), issuer, uri, now);
                let mut list = read(issuer);
                // Its signature may be of a key that the issuer publishes.
                for anew in [false, true] {
                    if list.is_err()
                        && let Some(with) = self.with_keys(trusted, id, anew).await?
                        && let Some(issuer) = with.issuer(id)
                    {
                        list = read(issuer);
                    }
                }
                let list = list.map_err(|error| Failure::Unavailable(error.to_string()))?;
                let fresh = list.fresh_until(now).duration_since(now);
                Ok((list, fresh))
            })
            .await;
        let status = looked.and_then(|looked| {
            let beyond =
                || Failure::unavailable("the credential's place is beyond the end of its status list");
            looked.of(place.index).ok_or_else(beyond)
        });
        match status {
            Ok(status) => Ok(Some(status)),
            Err(_) if issuer.accepts_unavailable_status() => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// The place of an address; where there is none left, another's is given up.
    fn place<T: Clone>(&self, shelf: &Shelf<T>, most: usize, url: &str) -> Arc<Kept<T>> {
        let mut shelf = shelf.lock().unwrap_or_else(PoisonError::into_inner);
        if shelf.len() >= most
            && !shelf.contains_key(url)
            && let Some(other) = shelf.keys().next().cloned()
        {
            shelf.remove(&other);
        }
        shelf.entry(url.to_owned()).or_insert_with(|| Arc::new(Kept::new(&self.world))).clone()
    }

    async fn fetch(
        &self,
        url: &str,
        most: u64,
        accept: &'static str,
    ) -> Result<(Vec<u8>, Option<String>), Failure> {
        let mut call = calls::get();
        call.most_bytes = most;
        call.timeout = PATIENCE;
        call.headers.insert("accept", media::fetch::HeaderValue::from_static(accept));
        let answered = calls::call(&self.fetcher, WHO, url, call).await?;
        if answered.status != 200 {
            return Err(calls::unexpected(WHO, &answered));
        }
        let kind =
            answered.headers.get("content-type").and_then(|kind| kind.to_str().ok()).map(str::to_owned);
        Ok((answered.body.clone(), kind))
    }
}
