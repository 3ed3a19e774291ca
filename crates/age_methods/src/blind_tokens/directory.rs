//! Where an issuer publishes its keys: the directory of RFC 9578, section 4, with the age that each key stands for and until
//! when its tokens count. Directories without these two are of issuers that vouch for something else, and have no use here.

use super::{TOKEN_TYPE, VerifyingKey};
use crate::{AgeMethodError, InvalidSettingError, http_client, ttl_cache::TtlCache};
use base::{Environment, SignedDuration, Timestamp};
use media::fetch::{Fetcher, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// The media type of directories.
pub const TOKEN_DIRECTORY_MEDIA_TYPE: &str = "application/private-token-issuer-directory";
/// How long a directory is kept: keys overlap by more.
const DIRECTORY_TTL: SignedDuration = SignedDuration::from_mins(10);
/// Keys of one directory that are looked at.
const MAX_DIRECTORY_KEYS: usize = 64;
/// A key that ends so soon is not begun with.
const MIN_KEY_REMAINING: SignedDuration = SignedDuration::from_mins(10);
const ISSUER_LABEL: &str = "the issuer of tokens";

/// A key and what it stands for.
#[derive(Clone, Debug)]
pub struct PublishedKey {
    /// The public half.
    pub key: VerifyingKey,
    /// The age that its tokens show, years.
    pub years: u8,
    /// From when it signs.
    pub from: Timestamp,
    /// Until when its tokens count.
    pub until: Timestamp,
}

/// A directory. Where one is read, its keys are read one by one, so that strange ones are left out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TokenDirectory<K = TokenDirectoryKey> {
    /// Where asking for a token begins, relative to the directory.
    pub issuer_request_uri: String,
    /// The keys; the newest of an age first, as the standard asks.
    pub token_keys: Vec<K>,
}

/// A key in a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TokenDirectoryKey {
    /// The kind of tokens: 2, blind RSA signatures.
    pub token_type: u16,
    /// The public half, base64url of its `SubjectPublicKeyInfo`.
    pub token_key: String,
    /// From when it signs, Unix seconds.
    pub not_before: i64,
    /// Until when its tokens count, Unix seconds.
    pub not_after: i64,
    /// The age that its tokens show, years.
    pub threshold: u8,
}

/// The directory of these keys. `request_uri` is where asking for a token begins, relative to the directory.
pub fn build_directory(keys: &[PublishedKey], request_uri: &str) -> TokenDirectory {
    let mut keys: Vec<_> = keys.iter().collect();
    keys.sort_by_key(|key| (key.years, std::cmp::Reverse(key.from)));
    let entry = |key: &PublishedKey| TokenDirectoryKey {
        token_type: TOKEN_TYPE,
        token_key: base64_simd::URL_SAFE_NO_PAD.encode_to_string(key.key.to_spki()),
        not_before: key.from.as_second(),
        not_after: key.until.as_second(),
        threshold: key.years,
    };
    TokenDirectory {
        issuer_request_uri: request_uri.to_owned(),
        token_keys: keys.into_iter().map(entry).collect(),
    }
}

/// The key for an age: of those that stand for it or more the lowest, so that everybody who is asked for nearly the same
/// has a token of the same key; and of its keys the newest that counts.
pub fn select_key(keys: &[PublishedKey], years: u8, now: Timestamp) -> Option<&PublishedKey> {
    let counts =
        |key: &&PublishedKey| key.years >= years && key.from <= now && now + MIN_KEY_REMAINING < key.until;
    keys.iter().filter(counts).min_by_key(|key| (key.years, std::cmp::Reverse(key.from)))
}

/// Another server that issues.
#[derive(Debug)]
pub struct RemoteIssuer {
    directory: String,
    fetcher: Fetcher,
    cache: TtlCache<Arc<Vec<PublishedKey>>>,
}

impl RemoteIssuer {
    /// An issuer whose directory is at an address, https.
    pub fn open(
        directory: &str,
        fetcher: &Fetcher,
        world: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        let target = fetcher.parse_target(directory);
        target.map_err(|refused| InvalidSettingError::new("issuer", refused.to_string()))?;
        Ok(Self { directory: directory.to_owned(), fetcher: fetcher.clone(), cache: TtlCache::new(world) })
    }

    /// Its keys, at most ten minutes old.
    pub async fn keys(&self) -> Result<Arc<Vec<PublishedKey>>, AgeMethodError> {
        self.cache.get_or_fetch(async || Ok((Arc::new(self.fetch().await?), DIRECTORY_TTL))).await
    }

    async fn fetch(&self) -> Result<Vec<PublishedKey>, AgeMethodError> {
        let mut call = http_client::get_call();
        call.headers.insert("accept", HeaderValue::from_static(TOKEN_DIRECTORY_MEDIA_TYPE));
        let answered = http_client::send(&self.fetcher, ISSUER_LABEL, &self.directory, call).await?;
        if answered.status != 200 {
            return Err(http_client::unexpected_status(ISSUER_LABEL, &answered));
        }
        let directory: TokenDirectory<Value> = http_client::parse_json(ISSUER_LABEL, &answered)?;
        Ok(directory.token_keys.into_iter().take(MAX_DIRECTORY_KEYS).filter_map(parse_key).collect())
    }
}

/// A key of a directory, where it is of this type and says what it stands for.
fn parse_key(entry: Value) -> Option<PublishedKey> {
    let entry: TokenDirectoryKey = serde_json::from_value(entry).ok()?;
    let spki = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(entry.token_key.trim_end_matches('=')).ok()?;
    Some(PublishedKey {
        key: VerifyingKey::from_spki(&spki).filter(|_| entry.token_type == TOKEN_TYPE)?,
        years: entry.threshold,
        from: Timestamp::from_second(entry.not_before).ok()?,
        until: Timestamp::from_second(entry.not_after).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blind_tokens::IssuerKey;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn what_is_published_is_read_and_what_is_strange_is_left_out() {
        let key = IssuerKey::generate().unwrap().public().clone();
        let of =
            |years, from, until| PublishedKey { key: key.clone(), years, from: at(from), until: at(until) };
        let directory =
            build_directory(&[of(18, 0, 9_000), of(21, 0, 9_000), of(18, 5_000, 99_000)], "sessions");
        let mut document = serde_json::to_value(directory).unwrap();
        assert_eq!(document["issuer-request-uri"], "sessions");
        let keys = document["token-keys"].as_array_mut().unwrap();
        let years: Vec<_> = keys.iter().map(|key| (&key["threshold"], &key["not-before"])).collect();
        assert_eq!(
            format!("{years:?}"),
            "[(Number(18), Number(5000)), (Number(18), Number(0)), (Number(21), Number(0))]"
        );
        let strange = [("token-type", 1.into()), ("token-key", "AAAA".into()), ("threshold", Value::Null)];
        for (member, value) in strange {
            let mut entry = keys[0].clone();
            entry[member] = value;
            assert!(parse_key(entry).is_none(), "{member}");
        }
        let all: Vec<_> = keys.iter().cloned().filter_map(parse_key).collect();
        assert_eq!(all.len(), 3);
        assert_eq!(all[0].key.id(), key.id());

        let chosen =
            |years, now| select_key(&all, years, at(now)).map(|key| (key.years, key.from.as_second()));
        assert_eq!(chosen(16, 100), Some((18, 0)));
        assert_eq!(chosen(18, 5_000), Some((18, 5_000)), "the newest");
        assert_eq!(chosen(19, 100), Some((21, 0)));
        assert_eq!(chosen(19, 8_500), None, "it ends soon");
        assert_eq!(chosen(22, 100), None);
    }
}
