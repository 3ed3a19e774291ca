//! Whose proofs are trusted: the operator's list, a signed list, the keys that issuers publish, and this server itself.

use super::{ProofOfAgeSettings, assessment::KeyRequestPolicy, issuer, issuer_queries::KEY_SET_TTL};
use base::{Environment, SignedDuration, Timestamp};
use credentials::{
    status::StatusList,
    trust::{TrustList, TrustedIssuer},
};
use db::{Db, DbError, FromRow, WriteTx, sql};
use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, PoisonError},
    time::Duration,
};
use tokio::{
    sync::{Mutex, Semaphore},
    time::Instant,
};

/// After this time the list is read again.
const TRUST_LIST_RELOAD_INTERVAL: Duration = Duration::from_secs(15);
/// An issuer is not asked for its keys again within this time.
const KEY_REQUEST_INTERVAL: SignedDuration = SignedDuration::from_mins(1);
/// Parsed status lists that are cached at most, and the memory that they take together, bytes.
const MAX_CACHED_STATUS_LISTS: usize = 256;
const MAX_CACHED_STATUS_BYTES: usize = 64 << 20;
/// Status lists that are read and inflated at the same time.
const MAX_PARALLEL_STATUS_READS: usize = 2;

/// Why there is no usable trust list.
#[derive(Debug, thiserror::Error)]
pub enum TrustStoreError {
    /// The file cannot be read.
    #[error("the trust list {path} cannot be read: {cause}")]
    File { path: PathBuf, cause: std::io::Error },
    /// A list is malformed.
    #[error("the trust list cannot be used: {0}")]
    List(#[from] credentials::trust::InvalidTrustListError),
    #[error(transparent)]
    Db(#[from] DbError),
}

/// The current trust list, and the status lists that are cached.
#[derive(Debug)]
pub(super) struct TrustStore {
    settings: Arc<ProofOfAgeSettings>,
    loaded: Mutex<LoadedLists>,
    status_lists: std::sync::Mutex<BoundedCache<StatusList>>,
    status_reads: Semaphore,
}

/// Trust lists as they could last be read. Whoever uses one looks whether it has expired meanwhile.
#[derive(Debug, Default)]
struct LoadedLists {
    /// The operator's file.
    file: Option<TrustList>,
    /// The signed list.
    signed: Option<TrustList>,
    /// Everything that is trusted, and when it was put together.
    merged: Option<(Instant, TrustSnapshot)>,
}

/// Everything that is trusted, as it was put together.
#[derive(Clone, Debug)]
pub(super) struct TrustSnapshot {
    pub(super) list: TrustList,
    /// The fetched key sets that it was put together with, by the ids of their issuers: until when each is fresh, which is
    /// another moment for the next one.
    key_sets: Arc<HashMap<String, Timestamp>>,
}

/// Whether a list may be used: an expired one may not, as an attacker may be withholding its update.
fn is_in_force(list: &TrustList, now: Timestamp) -> bool {
    list.expires().is_none_or(|expires| expires > now)
}

/// Values by their URI, with until when each may be used; bounded by their number and by the memory that they take.
#[derive(Debug)]
struct BoundedCache<T> {
    entries: HashMap<String, CachedValue<T>>,
    max_entries: usize,
    max_bytes: usize,
    bytes: usize,
}

#[derive(Debug)]
struct CachedValue<T> {
    until: Timestamp,
    /// The memory that it takes.
    bytes: usize,
    value: Arc<T>,
}

impl<T> BoundedCache<T> {
    fn new(max_entries: usize, max_bytes: usize) -> Self {
        Self { entries: HashMap::new(), max_entries, max_bytes, bytes: 0 }
    }

    fn get(&mut self, uri: &str, now: Timestamp) -> Option<Arc<T>> {
        let CachedValue { until, value, .. } = self.entries.get(uri)?;
        if *until > now {
            return Some(value.clone());
        }
        self.remove(uri);
        None
    }

    /// Adds a value of this size. What would have ended first makes room for it; one that is too large for all is not
    /// cached.
    fn insert(&mut self, uri: &str, until: Timestamp, bytes: usize, value: Arc<T>) {
        self.remove(uri);
        if bytes > self.max_bytes {
            return;
        }
        while self.entries.len() >= self.max_entries || self.bytes + bytes > self.max_bytes {
            let first = self.entries.iter().min_by_key(|(_, entry)| entry.until).map(|(uri, _)| uri.clone());
            let Some(first) = first else { break };
            self.remove(&first);
        }
        self.bytes += bytes;
        self.entries.insert(uri.to_owned(), CachedValue { until, bytes, value });
    }

    fn remove(&mut self, uri: &str) {
        if let Some(CachedValue { bytes, .. }) = self.entries.remove(uri) {
            self.bytes -= bytes;
        }
    }
}

/// Something that an issuer publishes, as last fetched.
#[derive(FromRow)]
pub(super) struct IssuerDocument {
    pub(super) content_type: Option<String>,
    pub(super) body: Vec<u8>,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub(super) fetched_at: Timestamp,
    #[sqlx(try_from = "db::DbTimestamp")]
    pub(super) fresh_until: Timestamp,
}

impl TrustStore {
    pub(super) fn new(settings: Arc<ProofOfAgeSettings>) -> Self {
        Self {
            settings,
            loaded: Mutex::default(),
            status_lists: std::sync::Mutex::new(BoundedCache::new(
                MAX_CACHED_STATUS_LISTS,
                MAX_CACHED_STATUS_BYTES,
            )),
            status_reads: Semaphore::new(MAX_PARALLEL_STATUS_READS),
        }
    }

    /// What is trusted, reread if it is older than [`TRUST_LIST_RELOAD_INTERVAL`], or has expired.
    pub(super) async fn snapshot(
        &self,
        db: &Db,
        env: &dyn Environment,
    ) -> Result<TrustSnapshot, TrustStoreError> {
        let mut loaded = self.loaded.lock().await;
        let now = env.now();
        if let Some((since, trust)) = &loaded.merged
            && since.elapsed() < TRUST_LIST_RELOAD_INTERVAL
            && is_in_force(&trust.list, now)
        {
            return Ok(trust.clone());
        }
        let read = self.load(db, now, &mut loaded).await;
        match read {
            Ok(trust) => {
                loaded.merged = Some((Instant::now(), trust.clone()));
                Ok(trust)
            }
            // What fails for a moment must not stop all terminals.
            Err(error) => match &loaded.merged {
                Some((_, trust)) if is_in_force(&trust.list, now) => {
                    log_kept_list(&error);
                    Ok(trust.clone())
                }
                _ => Err(error),
            },
        }
    }

    /// What is trusted with the key set of an issuer that is stored now. `None` if `known` was put together with that one.
    pub(super) async fn with_stored_keys(
        &self,
        db: &Db,
        env: &dyn Environment,
        known: &TrustSnapshot,
        issuer: &str,
    ) -> Result<Option<TrustSnapshot>, TrustStoreError> {
        let Some(url) = known.list.issuer(issuer).and_then(TrustedIssuer::key_set_url) else {
            return Ok(None);
        };
        let stored = find_document_times(db, url).await?.map(|times| times.fresh_until);
        let has_stored = |trust: &TrustSnapshot| trust.key_sets.get(issuer).copied() == stored;
        if has_stored(known) {
            return Ok(None);
        }
        {
            let mut loaded = self.loaded.lock().await;
            // Of those who find this at the same time, the first rereads it for all.
            loaded.merged = loaded.merged.take().filter(|(_, trust)| has_stored(trust));
        }
        self.snapshot(db, env).await.map(Some)
    }

    /// When the operator's file and the signed list, as last read, end: the earlier of the two. One that is over still
    /// counts here, as what is trusted lacks it.
    pub(super) async fn expires(&self) -> Option<Timestamp> {
        let loaded = self.loaded.lock().await;
        [&loaded.file, &loaded.signed].into_iter().flatten().filter_map(TrustList::expires).min()
    }

    /// Drops the cached list, so that the next use sees what has just been fetched.
    pub(super) async fn invalidate(&self) {
        self.loaded.lock().await.merged = None;
    }

    async fn load(
        &self,
        db: &Db,
        now: Timestamp,
        loaded: &mut LoadedLists,
    ) -> Result<TrustSnapshot, TrustStoreError> {
        let mut list = TrustList::default();
        if let Some(path) = &self.settings.trust_list {
            let read = read_file(path).await;
            let file = latest_list(read, &mut loaded.file)?;
            if is_in_force(file, now) {
                list = list.merged(file);
            } else {
                tracing::error!(path = %path.display(), "the trust list has expired: nobody on it is trusted");
            }
        }
        if let Some(url) = &self.settings.trust_list_url
            && let Some(document) = find_document(db, url).await?
        {
            let text = String::from_utf8_lossy(&document.body);
            let read = TrustList::parse_signed(text.trim(), &self.settings.trust_list_keys);
            let signed = latest_list(read.map_err(TrustStoreError::from), &mut loaded.signed)?;
            if is_in_force(signed, now) {
                list = list.merged(signed);
            } else {
                tracing::error!(url, "the signed trust list has expired");
            }
        }
        if self.settings.trust_own {
            list = list.merged(&issuer::own_trust_list(db, now, &self.settings).await?);
        }
        let published: Vec<(String, String)> = list
            .issuers()
            .filter_map(|issuer| Some((issuer.id().to_owned(), issuer.key_set_url()?.to_owned())))
            .collect();
        let mut key_sets = HashMap::new();
        for (id, url) in published {
            let Some(keys) = find_document(db, &url).await? else { continue };
            match list.with_keys(&id, &keys.body, now) {
                Ok(extended) => list = extended,
                Err(error) => tracing::debug!(
                    error = &error as &dyn std::error::Error,
                    issuer = id,
                    "a published key set adds nothing"
                ),
            }
            key_sets.insert(id, keys.fresh_until);
        }
        Ok(TrustSnapshot { list, key_sets: Arc::new(key_sets) })
    }

    /// The status list at an address, if a fresh one is stored.
    pub(super) async fn status_list(
        &self,
        db: &Db,
        now: Timestamp,
        issuer: &TrustedIssuer,
        uri: &str,
    ) -> Result<Option<Arc<StatusList>>, DbError> {
        if let Some(list) = self.cached_status_lists().get(uri, now) {
            return Ok(Some(list));
        }
        // Few at a time, and the cache is free meanwhile: whoever waits here finds what another has read.
        let _turn = self.status_reads.acquire().await;
        if let Some(list) = self.cached_status_lists().get(uri, now) {
            return Ok(Some(list));
        }
        let Some(document) = find_document(db, uri).await? else { return Ok(None) };
        if document.fresh_until <= now {
            return Ok(None);
        }
        let (issuer, address, fetched_at, fresh_until) =
            (issuer.clone(), uri.to_owned(), document.fetched_at, document.fresh_until);
        // Inflating megabytes takes a while.
        let parsed = tokio::task::spawn_blocking(move || {
            StatusList::parse(&document.body, document.content_type.as_deref(), &issuer, &address, now)
        });
        let Ok(Ok(list)) = parsed.await else { return Ok(None) };
        let (until, list) = (list.fresh_until(fetched_at).min(fresh_until), Arc::new(list));
        self.cached_status_lists().insert(uri, until, list.size_bytes(), list.clone());
        Ok(Some(list))
    }

    /// Held for no longer than a look.
    fn cached_status_lists(&self) -> std::sync::MutexGuard<'_, BoundedCache<StatusList>> {
        self.status_lists.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn read_file(path: &Path) -> Result<TrustList, TrustStoreError> {
    let text = tokio::fs::read(path).await;
    let text = text.map_err(|cause| TrustStoreError::File { path: path.to_owned(), cause })?;
    Ok(TrustList::parse(&text)?)
}

/// What was read, or what could be read before: a mistake in a file that is being edited must not stop all terminals.
fn latest_list(
    read: Result<TrustList, TrustStoreError>,
    last: &mut Option<TrustList>,
) -> Result<&TrustList, TrustStoreError> {
    match read {
        Ok(list) => *last = Some(list),
        Err(error) if last.is_none() => return Err(error),
        Err(error) => log_kept_list(&error),
    }
    Ok(last.get_or_insert_default())
}

fn log_kept_list(error: &TrustStoreError) {
    tracing::error!(error = error as &dyn std::error::Error, "the trust list stays as it was");
}

async fn find_document(db: &Db, uri: &str) -> Result<Option<IssuerDocument>, DbError> {
    db.read_once()
        .await?
        .fetch_optional(sql!(
            "SELECT content_type, body, fetched_at, fresh_until FROM issuer_documents WHERE uri = $1",
            uri,
        ))
        .await
}

/// When an address was asked for the last time, and until when what is stored from it is fresh.
#[derive(FromRow)]
struct DocumentTimes {
    #[sqlx(try_from = "db::DbTimestamp")]
    fetched_at: Timestamp,
    #[sqlx(try_from = "db::DbTimestamp")]
    fresh_until: Timestamp,
}

async fn find_document_times(db: &Db, uri: &str) -> Result<Option<DocumentTimes>, DbError> {
    db.read_once()
        .await?
        .fetch_optional(sql!("SELECT fetched_at, fresh_until FROM issuer_documents WHERE uri = $1", uri))
        .await
}

/// Whether an issuer was asked for its keys within [`KEY_REQUEST_INTERVAL`]. Under [`KeyRequestPolicy::UntilAnswered`],
/// only a successful request counts.
pub(super) async fn was_recently_requested(
    db: &Db,
    uri: &str,
    now: Timestamp,
    policy: KeyRequestPolicy,
) -> Result<bool, DbError> {
    let is_recent = |at: Timestamp| now.duration_since(at) < KEY_REQUEST_INTERVAL;
    Ok(find_document_times(db, uri).await?.is_some_and(|times| match policy {
        KeyRequestPolicy::RateLimited => is_recent(times.fetched_at),
        KeyRequestPolicy::UntilAnswered => is_recent(times.fresh_until - KEY_SET_TTL),
    }))
}

/// Records that an address was asked without success; what is stored from it stays.
pub(super) async fn note_key_request(tx: &mut WriteTx, uri: &str, now: Timestamp) -> Result<(), DbError> {
    tx.execute(sql!(
        "INSERT INTO issuer_documents (uri, body, fetched_at, fresh_until) VALUES ($1, $2, $3, $3)
         ON CONFLICT (uri) DO UPDATE SET fetched_at = excluded.fetched_at",
        uri,
        Vec::new(),
        now,
    ))
    .await
    .map(drop)
}

/// Stores what an issuer published; it is fresh for `ttl`.
pub(super) async fn store_document(
    tx: &mut WriteTx,
    uri: &str,
    content_type: Option<&str>,
    body: &[u8],
    now: Timestamp,
    ttl: SignedDuration,
) -> Result<(), DbError> {
    tx.execute(sql!(
        "INSERT INTO issuer_documents (uri, content_type, body, fetched_at, fresh_until) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (uri) DO UPDATE SET content_type = excluded.content_type, body = excluded.body,
             fetched_at = excluded.fetched_at, fresh_until = excluded.fresh_until",
        uri,
        content_type,
        body.to_vec(),
        now,
        now + ttl,
    ))
    .await
    .map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_lc_rs::signature::{Ed25519KeyPair, KeyPair as _};
    use base::TestEnvironment;
    use base64_simd::URL_SAFE_NO_PAD as BASE64URL;
    use credentials::trust::VerificationKey;
    use db::testing::TestDb;
    use serde_json::{Value, json};

    const SIGNED_LIST_URL: &str = "https://lists.example/trust.jwt";

    /// A database, and the file that the operator writes.
    struct Lists {
        test: TestDb,
        env: TestEnvironment,
        file: tempfile::NamedTempFile,
        signer: Ed25519KeyPair,
        store: TrustStore,
    }

    /// A list of one issuer that expires so many seconds from a moment.
    fn list_of(id: &str, now: Timestamp, seconds: Option<i64>) -> Value {
        let key = json!({
            "kty": "OKP", "crv": "Ed25519", "kid": "k", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
        });
        let issuer = json!({ "id": id, "provider": "EXAMPLE", "formats": ["cwt"], "keys": [key] });
        let mut list = json!({ "issuers": [issuer] });
        if let Some(seconds) = seconds {
            list["exp"] = json!(now.as_second() + seconds);
        }
        list
    }

    impl Lists {
        async fn open() -> Self {
            let signer = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
            let x = BASE64URL.encode_to_string(signer.public_key().as_ref());
            let jwk = json!({ "kty": "OKP", "crv": "Ed25519", "kid": "p", "x": x });
            let file = tempfile::NamedTempFile::new().unwrap();
            let settings = ProofOfAgeSettings {
                trust_list: Some(file.path().to_owned()),
                trust_list_url: Some(SIGNED_LIST_URL.to_owned()),
                trust_list_keys: vec![VerificationKey::parse(&jwk).unwrap()],
                trust_own: false,
                ..ProofOfAgeSettings::default()
            };
            Self {
                test: TestDb::open().await,
                env: TestEnvironment::at("2026-01-16T14:40:00Z"),
                file,
                signer,
                store: TrustStore::new(Arc::new(settings)),
            }
        }

        async fn write_file(&self, text: &str) {
            std::fs::write(self.file.path(), text).unwrap();
            self.store.invalidate().await;
        }

        async fn publish(&self, list: &Value) {
            let header = json!({ "alg": "EdDSA", "typ": "trust-list+jwt", "kid": "p" });
            let encode = |part: &Value| BASE64URL.encode_to_string(part.to_string());
            let signed = format!("{}.{}", encode(&header), encode(list));
            let signature = BASE64URL.encode_to_string(self.signer.sign(signed.as_bytes()).as_ref());
            let (now, ttl) = (self.env.now(), SignedDuration::from_hours(24));
            let jws = format!("{signed}.{signature}");
            let mut tx = self.test.db.write().await.unwrap();
            store_document(&mut tx, SIGNED_LIST_URL, None, jws.as_bytes(), now, ttl).await.unwrap();
            tx.commit().await.unwrap();
            self.store.invalidate().await;
        }

        /// Whom the store trusts.
        async fn trusted(&self) -> Vec<String> {
            let trust = self.store.snapshot(&self.test.db, &self.env).await.unwrap();
            trust.list.issuers().map(|issuer| issuer.id().to_owned()).collect()
        }
    }

    #[tokio::test]
    async fn what_cannot_be_read_anew_is_trusted_no_longer_than_it_says() {
        let lists = Lists::open().await;
        let now = lists.env.now();
        lists.publish(&list_of("https://signed.example", now, Some(60))).await;
        assert!(lists.store.snapshot(&lists.test.db, &lists.env).await.is_err(), "the file is empty");
        lists.write_file(&list_of("https://file.example", now, None).to_string()).await;
        assert_eq!(lists.trusted().await, ["https://file.example", "https://signed.example"]);

        lists.write_file("{").await;
        assert_eq!(lists.trusted().await, ["https://file.example", "https://signed.example"]);
        lists.env.advance(SignedDuration::from_secs(60));
        assert_eq!(lists.trusted().await, ["https://file.example"], "the signed list is over");
        // Nor does what was fetched count again once it cannot be read at all.
        lists.publish(&json!({ "issuers": "none" })).await;
        assert_eq!(lists.trusted().await, ["https://file.example"]);
    }

    #[tokio::test]
    async fn a_file_may_say_when_it_ends() {
        let lists = Lists::open().await;
        let now = lists.env.now();
        lists.write_file(&list_of("https://file.example", now, Some(60)).to_string()).await;
        assert_eq!(lists.trusted().await, ["https://file.example"]);
        lists.env.advance(SignedDuration::from_secs(59));
        assert_eq!(lists.trusted().await, ["https://file.example"]);
        let end = now + SignedDuration::from_secs(60);
        assert_eq!(lists.store.expires().await, Some(end));
        lists.env.advance(SignedDuration::from_secs(1));
        assert_eq!(lists.trusted().await, [""; 0]);
        assert_eq!(lists.store.expires().await, Some(end), "that it is over is said");
        lists.write_file("{").await;
        assert_eq!(lists.trusted().await, [""; 0], "nor while it cannot be read");
        assert_eq!(lists.store.expires().await, Some(end));
        lists.publish(&list_of("https://signed.example", end, Some(30))).await;
        assert_eq!(lists.trusted().await, ["https://signed.example"]);
        assert_eq!(lists.store.expires().await, Some(end), "the file's end is the earlier one");
        let later = list_of("https://file.example", lists.env.now(), Some(60));
        lists.write_file(&later.to_string()).await;
        assert_eq!(lists.trusted().await, ["https://file.example", "https://signed.example"]);
        assert_eq!(lists.store.expires().await, Some(end + SignedDuration::from_secs(30)));
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(1_768_574_400 + second).unwrap()
    }

    fn cache(max_entries: usize, max_bytes: usize, entries: &[(&str, i64, usize)]) -> BoundedCache<()> {
        let mut cache = BoundedCache::new(max_entries, max_bytes);
        for (uri, until, bytes) in entries {
            cache.insert(uri, at(*until), *bytes, Arc::new(()));
        }
        cache
    }

    fn cached(cache: &mut BoundedCache<()>) -> String {
        let now = at(0);
        ["a", "b", "c", "d"].into_iter().filter(|uri| cache.get(uri, now).is_some()).collect()
    }

    #[test]
    fn cached_lists_take_no_more_memory_than_they_may() {
        let mut all = cache(9, 100, &[("a", 50, 40), ("b", 10, 40), ("c", 30, 20)]);
        assert_eq!((cached(&mut all), all.bytes), ("abc".to_owned(), 100));
        all.insert("d", at(20), 50, Arc::new(()));
        assert_eq!((cached(&mut all), all.bytes), ("ad".to_owned(), 90), "what ends first makes room");
        all.insert("b", at(99), 101, Arc::new(()));
        assert_eq!(
            (cached(&mut all), all.bytes),
            ("ad".to_owned(), 90),
            "one that is too large puts nobody out"
        );
        all.insert("a", at(99), 101, Arc::new(()));
        assert_eq!((cached(&mut all), all.bytes), ("d".to_owned(), 50), "and replaces itself by nothing");
        all.insert("d", at(20), 10, Arc::new(()));
        assert_eq!(all.bytes, 10, "a list that is read again counts once");
        assert!(all.get("d", at(20)).is_none());
        assert_eq!((all.bytes, all.entries.len()), (0, 0), "what is over takes nothing");
    }

    #[test]
    fn cached_lists_are_no_more_than_they_may_be() {
        let mut all = cache(2, 100, &[("a", 50, 1), ("b", 10, 1), ("c", 30, 0)]);
        assert_eq!((cached(&mut all), all.bytes), ("ac".to_owned(), 1));
    }
}
