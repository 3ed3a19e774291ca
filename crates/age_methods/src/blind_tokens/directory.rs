//! The directory in which an issuer publishes its keys (RFC 9578, section 4), extended by the age that each key stands
//! for and by when its tokens expire. Entries without these belong to issuers that vouch for something else, and are
//! skipped.

use super::{TOKEN_TYPE, VerifyingKey};
use crate::{AgeMethodError, InvalidSettingError, http_client, ttl_cache::TtlCache};
use base::{Environment, SignedDuration, Timestamp};
use media::fetch::{Fetcher, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// Media type of a directory (RFC 9578, section 4).
pub const TOKEN_DIRECTORY_MEDIA_TYPE: &str = "application/private-token-issuer-directory";
/// How long a directory is cached. Consecutive keys overlap for longer.
const DIRECTORY_TTL: SignedDuration = SignedDuration::from_mins(10);
/// Further keys of a directory are ignored.
const MAX_DIRECTORY_KEYS: usize = 64;
/// A key whose tokens expire sooner is not selected.
const MIN_KEY_REMAINING: SignedDuration = SignedDuration::from_mins(10);
const ISSUER_LABEL: &str = "the issuer of tokens";

/// An issuer's public key, with the age and the period that it stands for.
#[derive(Clone, Debug)]
pub struct PublishedKey {
    pub key: VerifyingKey,
    /// The age that its tokens prove, in years.
    pub years: u8,
    /// When it starts to sign.
    pub from: Timestamp,
    /// When its tokens expire.
    pub until: Timestamp,
}

/// A token issuer directory. It is parsed with [`Value`] for `K`, so that entries of an unknown form can be skipped one
/// by one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TokenDirectory<K = TokenDirectoryKey> {
    /// URL of the operation that begins a token request, relative to the directory.
    pub issuer_request_uri: String,
    /// The newest key of an age comes first, as the standard asks.
    pub token_keys: Vec<K>,
}

/// A key in a directory.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct TokenDirectoryKey {
    /// The token type: 2 for blind RSA signatures.
    pub token_type: u16,
    /// The public key's `SubjectPublicKeyInfo`, in base64url.
    pub token_key: String,
    /// When it starts to sign, Unix seconds.
    pub not_before: i64,
    /// When its tokens expire, Unix seconds.
    pub not_after: i64,
    /// The age that its tokens prove, in years.
    pub threshold: u8,
}

/// Builds a directory. `request_uri` is the URL that begins a token request, relative to the directory.
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

/// Selects the key for an age: of the keys for `years` or more those of the lowest age, so that everyone who needs
/// about the same age gets tokens of the same key; and of these the newest valid one.
pub fn select_key(keys: &[PublishedKey], years: u8, now: Timestamp) -> Option<&PublishedKey> {
    let counts =
        |key: &&PublishedKey| key.years >= years && key.from <= now && now + MIN_KEY_REMAINING < key.until;
    keys.iter().filter(counts).min_by_key(|key| (key.years, std::cmp::Reverse(key.from)))
}

/// A token issuer on another server.
#[derive(Debug)]
pub struct RemoteIssuer {
    directory: String,
    fetcher: Fetcher,
    cache: TtlCache<Arc<Vec<PublishedKey>>>,
}

impl RemoteIssuer {
    /// `directory` is the https URL of the issuer's directory.
    pub fn open(
        directory: &str,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        let target = fetcher.parse_target(directory);
        target.map_err(|refused| InvalidSettingError::new("issuer", refused.to_string()))?;
        Ok(Self {
            directory: directory.to_owned(),
            fetcher: fetcher.clone(),
            cache: TtlCache::new(environment),
        })
    }

    /// The issuer's keys, at most ten minutes old.
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

/// The key of a directory entry; `None` if its type is another, or if a member is missing or malformed.
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
