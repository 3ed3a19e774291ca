//! Where an issuer publishes its keys: the directory of RFC 9578, section 4, with the age that each key stands for and until
//! when its tokens count. Directories without these two are of issuers that vouch for something else, and have no use here.

use super::{TYPE, VerifyingKey};
use crate::{BadSettings, Failure, calls, kept::Kept};
use base::{SignedDuration, Timestamp, World};
use media::fetch::{Fetcher, HeaderValue};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// The media type of directories.
pub const MEDIA_TYPE: &str = "application/private-token-issuer-directory";
/// How long a directory is kept: keys overlap by more.
const KEPT: SignedDuration = SignedDuration::from_mins(10);
/// Keys of one directory that are looked at.
const MOST: usize = 64;
/// A key that ends so soon is not begun with.
const SOON: SignedDuration = SignedDuration::from_mins(10);
const WHO: &str = "the issuer of tokens";

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
pub fn published(keys: &[PublishedKey], request_uri: &str) -> TokenDirectory {
    let mut keys: Vec<_> = keys.iter().collect();
    keys.sort_by_key(|key| (key.years, std::cmp::Reverse(key.from)));
    let entry = |key: &PublishedKey| TokenDirectoryKey {
        token_type: TYPE,
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
pub fn best(keys: &[PublishedKey], years: u8, now: Timestamp) -> Option<&PublishedKey> {
    let counts = |key: &&PublishedKey| key.years >= years && key.from <= now && now + SOON < key.until;
    keys.iter().filter(counts).min_by_key(|key| (key.years, std::cmp::Reverse(key.from)))
}

/// Another server that issues.
#[derive(Debug)]
pub struct Issuer {
    directory: String,
    fetcher: Fetcher,
    kept: Kept<Arc<Vec<PublishedKey>>>,
}

impl Issuer {
    /// An issuer whose directory is at an address, https.
    pub fn open(directory: &str, fetcher: &Fetcher, world: &Arc<dyn World>) -> Result<Self, BadSettings> {
        let target = fetcher.target(directory);
        target.map_err(|refused| BadSettings::new("issuer", refused.to_string()))?;
        Ok(Self { directory: directory.to_owned(), fetcher: fetcher.clone(), kept: Kept::new(world) })
    }

    /// Its keys, at most ten minutes old.
    pub async fn keys(&self) -> Result<Arc<Vec<PublishedKey>>, Failure> {
        self.kept.get(async || Ok((Arc::new(self.fetch().await?), KEPT))).await
    }

    async fn fetch(&self) -> Result<Vec<PublishedKey>, Failure> {
        let mut call = calls::get();
        call.headers.insert("accept", HeaderValue::from_static(MEDIA_TYPE));
        let answered = calls::call(&self.fetcher, WHO, &self.directory, call).await?;
        if answered.status != 200 {
            return Err(calls::unexpected(WHO, &answered));
        }
        let directory: TokenDirectory<Value> = calls::read(WHO, &answered)?;
        Ok(directory.token_keys.into_iter().take(MOST).filter_map(read).collect())
    }
}

/// A key of a directory, where it is of this type and says what it stands for.
fn read(entry: Value) -> Option<PublishedKey> {
    let entry: TokenDirectoryKey = serde_json::from_value(entry).ok()?;
    let spki = base64_simd::URL_SAFE_NO_PAD.decode_to_vec(entry.token_key.trim_end_matches('=')).ok()?;
    Some(PublishedKey {
        key: VerifyingKey::from_spki(&spki).filter(|_| entry.token_type == TYPE)?,
        years: entry.threshold,
        from: Timestamp::from_second(entry.not_before).ok()?,
        until: Timestamp::from_second(entry.not_after).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blind::IssuerKey;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn what_is_published_is_read_and_what_is_strange_is_left_out() {
        let key = IssuerKey::generate().unwrap().public().clone();
        let of =
            |years, from, until| PublishedKey { key: key.clone(), years, from: at(from), until: at(until) };
        let directory = published(&[of(18, 0, 9_000), of(21, 0, 9_000), of(18, 5_000, 99_000)], "sessions");
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
            assert!(read(entry).is_none(), "{member}");
        }
        let all: Vec<_> = keys.iter().cloned().filter_map(read).collect();
        assert_eq!(all.len(), 3);
        assert_eq!(all[0].key.id(), key.id());

        let chosen = |years, now| best(&all, years, at(now)).map(|key| (key.years, key.from.as_second()));
        assert_eq!(chosen(16, 100), Some((18, 0)));
        assert_eq!(chosen(18, 5_000), Some((18, 5_000)), "the newest");
        assert_eq!(chosen(19, 100), Some((21, 0)));
        assert_eq!(chosen(19, 8_500), None, "it ends soon");
        assert_eq!(chosen(22, 100), None);
    }
}
