//! What issuers publish beside their credentials: their keys, and whether they revoked a credential. Both are cached.

use crate::{AgeMethodError, http_client, ttl_cache::TtlCache};
use base::{Environment, SignedDuration};
use credentials::{
    proof::StatusReference,
    status::{self, CredentialStatus, StatusList},
    trust::{TrustList, TrustedIssuer},
};
use media::fetch::Fetcher;
use std::{
    collections::HashMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

const ISSUER_LABEL: &str = "the credential's issuer";
const KEY_SET_TTL: SignedDuration = SignedDuration::from_mins(10);
const MAX_KEY_SET_BYTES: u64 = 256 << 10;
/// Short, because the wallet waits for our response meanwhile.
const ISSUER_TIMEOUT: Duration = Duration::from_secs(5);
/// Limits of the caches; a status list may take four megabytes.
const MAX_CACHED_KEY_SETS: usize = 256;
const MAX_CACHED_STATUS_LISTS: usize = 16;
/// Keys that were fetched longer ago are fetched again if a credential's key is not among them.
const MIN_REFRESH_INTERVAL: SignedDuration = SignedDuration::from_secs(30);

type CacheMap<T> = Mutex<HashMap<String, Arc<TtlCache<T>>>>;

/// Fetches and caches what issuers publish.
pub(super) struct IssuerMetadata {
    fetcher: Fetcher,
    environment: Arc<dyn Environment>,
    keys: CacheMap<Arc<Vec<u8>>>,
    statuses: CacheMap<StatusList>,
}

impl fmt::Debug for IssuerMetadata {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Lists")
    }
}

impl IssuerMetadata {
    pub(super) fn new(fetcher: &Fetcher, environment: &Arc<dyn Environment>) -> Self {
        let (fetcher, environment) = (fetcher.clone(), environment.clone());
        Self { fetcher, environment, keys: CacheMap::default(), statuses: CacheMap::default() }
    }

    /// The trust list with an issuer's published keys added; `None` if that adds nothing new. With `anew`, the keys are
    /// fetched again, because the issuer may have changed them, unless they were fetched just now.
    pub(super) async fn with_keys(
        &self,
        trusted: &TrustList,
        issuer: &str,
        anew: bool,
    ) -> Result<Option<TrustList>, AgeMethodError> {
        let Some(url) = trusted.issuer(issuer).and_then(TrustedIssuer::key_set_url) else { return Ok(None) };
        let now = self.environment.now();
        let kept = self.cache_entry(&self.keys, MAX_CACHED_KEY_SETS, url);
        if anew && !kept.invalidate_if(|_, since| now.duration_since(since) > MIN_REFRESH_INTERVAL).await {
            return Ok(None);
        }
        let keys = kept
            .get_or_fetch(async || {
                let (body, _) = self.fetch(url, MAX_KEY_SET_BYTES, "application/json").await?;
                Ok((Arc::new(body), KEY_SET_TTL))
            })
            .await?;
        Ok(trusted
            .with_keys(issuer, &keys, now)
            .inspect_err(|error| {
                tracing::debug!(
                    error = error as &dyn std::error::Error,
                    issuer,
                    "a published key set adds nothing"
                );
            })
            .ok())
    }

    /// A credential's status in its issuer's list; `None` if the list is unavailable and the issuer's trust list entry
    /// accepts that.
    pub(super) async fn status(
        &self,
        trusted: &TrustList,
        issuer: &str,
        place: &StatusReference,
    ) -> Result<Option<CredentialStatus>, AgeMethodError> {
        let id = issuer;
        let issuer = trusted.issuer(id);
        let issuer =
            issuer.ok_or_else(|| AgeMethodError::unavailable("the credential's issuer is not listed"))?;
        let uri = &place.uri;
        let kept = self.cache_entry(&self.statuses, MAX_CACHED_STATUS_LISTS, uri);
        let looked = kept
            .get_or_fetch(async || {
                let accept = "application/statuslist+jwt, application/statuslist+cwt";
                let (body, kind) = self.fetch(uri, status::MAX_STATUS_LIST_BYTES as u64, accept).await?;
                let now = self.environment.now();
                let read =
                    |issuer: &TrustedIssuer| StatusList::parse(&body, kind.as_deref(), issuer, uri, now);
                let mut list = read(issuer);
                // The list may be signed with a key that the issuer publishes.
                for anew in [false, true] {
                    if list.is_err()
                        && let Some(with) = self.with_keys(trusted, id, anew).await?
                        && let Some(issuer) = with.issuer(id)
                    {
                        list = read(issuer);
                    }
                }
                let list = list.map_err(|error| AgeMethodError::Unavailable(error.to_string()))?;
                let fresh = list.fresh_until(now).duration_since(now);
                Ok((list, fresh))
            })
            .await;
        let status = looked.and_then(|looked| {
            let beyond =
                || AgeMethodError::unavailable("the credential's place is beyond the end of its status list");
            looked.status_at(place.index).ok_or_else(beyond)
        });
        match status {
            Ok(status) => Ok(Some(status)),
            Err(_) if issuer.accepts_unavailable_status() => Ok(None),
            Err(failure) => Err(failure),
        }
    }

    /// The cache entry of a URL. If the cache is full, another entry is dropped.
    fn cache_entry<T: Clone>(&self, shelf: &CacheMap<T>, most: usize, url: &str) -> Arc<TtlCache<T>> {
        let mut shelf = shelf.lock().unwrap_or_else(PoisonError::into_inner);
        if shelf.len() >= most
            && !shelf.contains_key(url)
            && let Some(other) = shelf.keys().next().cloned()
        {
            shelf.remove(&other);
        }
        shelf.entry(url.to_owned()).or_insert_with(|| Arc::new(TtlCache::new(&self.environment))).clone()
    }

    async fn fetch(
        &self,
        url: &str,
        most: u64,
        accept: &'static str,
    ) -> Result<(Vec<u8>, Option<String>), AgeMethodError> {
        let mut call = http_client::get_call();
        call.max_bytes = most;
        call.timeout = ISSUER_TIMEOUT;
        call.headers.insert("accept", media::fetch::HeaderValue::from_static(accept));
        let answered = http_client::send(&self.fetcher, ISSUER_LABEL, url, call).await?;
        if answered.status != 200 {
            return Err(http_client::unexpected_status(ISSUER_LABEL, &answered));
        }
        let kind =
            answered.headers.get("content-type").and_then(|kind| kind.to_str().ok()).map(str::to_owned);
        Ok((answered.body.clone(), kind))
    }
}
