//! Blind tokens: whoever checks an age does not learn for which site, and the site does not learn of whom
//! (docs/BLIND-TOKENS.md). There are two roles. An **issuer** checks ages in sessions of its own, and signs messages that
//! it cannot read ([`issuer`], with the keys of [`keys`]). A relying party's session accepts the signature, once
//! (`methods/blind_token.rs`, [`redemption`]). One server may have both roles, or two servers that trust each other.
//!
//! What one role stores must have nothing in common with what the other stores: no id, no time, no bytes. A test
//! compares them (`crates/api/tests/it/age_verification/unlinkability.rs`).

mod issuer;
mod keys;
mod redemption;

pub(super) use issuer::TokenIssuer;
pub(crate) use keys::issuer_key_aad;
pub(super) use keys::{IssuerKeyStore, purge_issuer_keys};
pub(super) use redemption::record_redemption;

use super::{AgeSessionError, request::AgeMethodTerms};
use age_methods::{
    AgeMethodError, InvalidSettingError,
    blind_tokens::{PublishedKey, RemoteIssuer},
};
use base::{AppId, Environment};
use media::fetch::Fetcher;
use serde::Deserialize;
use std::sync::Arc;

/// Ages that tokens can attest, years: those that a request may ask for.
const TOKEN_THRESHOLD_YEARS: std::ops::RangeInclusive<u8> = 6..=100;
/// Ages that one server issues tokens for. Each further one makes the group smaller in which a holder cannot be told
/// apart.
const MAX_THRESHOLDS: usize = 8;
/// Days for which a key signs, at most.
const MAX_KEY_DAYS: u16 = 366;

/// How blind tokens are issued and taken.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlindTokenSettings {
    /// The address of another Assay whose tokens are asked for, https. Without it this server's own are.
    #[serde(default)]
    pub issuer: Option<String>,
    /// The operator's own application, in whose name this server issues. Without it none are issued here.
    #[serde(default)]
    pub application: Option<AppId>,
    /// The ages that tokens are for, years.
    #[serde(default = "thresholds")]
    pub thresholds: Vec<u8>,
    /// Days that a key signs.
    #[serde(default = "key_days")]
    pub key_days: u16,
    /// How an age is shown to this issuer, in the order in which it is offered; every method that is set up where none is
    /// named.
    #[serde(default)]
    pub methods: Vec<IssuerMethod>,
    /// Other servers to whose pages this issuer's page may hand what it signed: `https://age.example.com`.
    #[serde(default)]
    pub redeemers: Vec<String>,
}

/// A method that the issuer offers: its block in a payload. The threshold is that of the token, whatever stands here.
#[derive(Clone, Debug, Deserialize)]
pub struct IssuerMethod {
    /// As payloads name it.
    pub method: String,
    /// The rest of the block.
    #[serde(flatten)]
    pub terms: AgeMethodTerms,
}

fn thresholds() -> Vec<u8> {
    vec![13, 16, 18, 21]
}

fn key_days() -> u16 {
    30
}

impl Default for BlindTokenSettings {
    fn default() -> Self {
        Self {
            issuer: None,
            application: None,
            thresholds: thresholds(),
            key_days: key_days(),
            methods: Vec::new(),
            redeemers: Vec::new(),
        }
    }
}

/// Validated settings of blind tokens, and the issuer whose tokens are accepted.
#[derive(Debug)]
pub(super) struct BlindTokens {
    settings: BlindTokenSettings,
    /// The public URL of the issuer, without a slash at the end.
    issuer_url: String,
    /// The published keys of another server, if that is the issuer: those of production, and those of its sandbox.
    remote_issuers: Option<[RemoteIssuer; 2]>,
}

impl BlindTokens {
    pub(super) fn open(
        settings: &BlindTokenSettings,
        public_url: &str,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        let bad = |setting, problem: &str| InvalidSettingError { setting, problem: problem.to_owned() };
        let mut settings = settings.clone();
        settings.thresholds.sort_unstable();
        settings.thresholds.dedup();
        let count = settings.thresholds.len();
        if count == 0
            || count > MAX_THRESHOLDS
            || !settings.thresholds.iter().all(|age| TOKEN_THRESHOLD_YEARS.contains(age))
        {
            return Err(bad("thresholds", "one to eight ages of 6 to 100 are expected"));
        }
        if settings.key_days == 0 || settings.key_days > MAX_KEY_DAYS {
            return Err(bad("key_days", &format!("it is {}; 1 to 366 are expected", settings.key_days)));
        }
        if !settings.redeemers.iter().all(|origin| is_origin(origin)) {
            return Err(bad("redeemers", "each is https:// and a host, without a path"));
        }
        let remote_issuers = match settings.issuer.as_deref().map(|url| url.trim_end_matches('/')) {
            None if settings.application.is_none() => {
                return Err(bad(
                    "application",
                    "without an issuer elsewhere this server issues, in the name of an application of yours",
                ));
            }
            Some(url) if url != public_url => {
                let open = |base: &str| {
                    RemoteIssuer::open(&format!("{url}{base}/age/v1/anonymity/keys"), fetcher, environment)
                };
                Some([open("")?, open("/sandbox")?])
            }
            _ => None,
        };
        let issuer = settings.issuer.as_deref().filter(|_| remote_issuers.is_some()).unwrap_or(public_url);
        let issuer = issuer.trim_end_matches('/').to_owned();
        Ok(Self { settings, issuer_url: issuer, remote_issuers })
    }

    /// The age that a token attests if `threshold` is asked for, years: the lowest that is not below it. `None` if
    /// there is no such token.
    pub(super) fn threshold_for(&self, threshold: i64) -> Option<u8> {
        self.settings.thresholds.iter().copied().find(|age| i64::from(*age) >= threshold)
    }

    /// The issuer's name in challenges: its host (RFC 9577, section 2.1).
    pub(super) fn issuer_name(&self) -> &str {
        let rest = self.issuer_url.split_once("://").map_or(self.issuer_url.as_str(), |(_, rest)| rest);
        rest.split('/').next().unwrap_or(rest)
    }

    /// The page on which an end user gets a token.
    pub(super) fn issuer_page_url(&self, sandbox: bool) -> String {
        format!("{}{}/age/issue", self.issuer_url, if sandbox { "/sandbox" } else { "" })
    }

    /// The keys whose tokens are accepted: those of the remote issuer, or those of this server. The inner error is that
    /// of the remote issuer.
    pub(super) async fn accepted_keys(
        &self,
        own_keys: &IssuerKeyStore,
        sandbox: bool,
    ) -> Result<Result<Arc<Vec<PublishedKey>>, AgeMethodError>, AgeSessionError> {
        match &self.remote_issuers {
            Some(issuers) => Ok(issuers[usize::from(sandbox)].keys().await),
            None => Ok(Ok(Arc::new(own_keys.public_keys(&self.settings, sandbox).await?))),
        }
    }

    /// Whether a key of this server was withdrawn after it was asked for; of a remote issuer's key that is not known.
    pub(super) async fn is_withdrawn(
        &self,
        own_keys: &IssuerKeyStore,
        sandbox: bool,
        spki: &[u8],
    ) -> Result<bool, AgeSessionError> {
        if self.remote_issuers.is_some() {
            return Ok(false);
        }
        let keys = own_keys.public_keys(&self.settings, sandbox).await?;
        Ok(!keys.iter().any(|key| key.key.to_spki()[..] == *spki))
    }
}

/// Whether the text is an origin: https, or http on this machine, and a host without a path.
fn is_origin(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| {
        text.strip_prefix("http://")
            .filter(|host| host.starts_with("localhost") || host.starts_with("127.0.0.1"))
    });
    host.is_some_and(|host| {
        !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::TestEnvironment;
    use media::fetch::EgressPolicy;

    fn open(settings: &BlindTokenSettings) -> Result<BlindTokens, String> {
        let environment: Arc<dyn Environment> = Arc::new(TestEnvironment::at("2026-11-22T12:00:00Z"));
        let fetcher = Fetcher::new(&EgressPolicy::default()).unwrap();
        BlindTokens::open(settings, "https://age.example:8443/a", &fetcher, &environment)
            .map_err(|error| error.to_string())
    }

    fn own() -> BlindTokenSettings {
        let application = "5f0c7a1e-3b52-4d8e-9c11-8a7b6c5d4e01".parse().ok();
        BlindTokenSettings { application, ..BlindTokenSettings::default() }
    }

    #[test]
    fn a_token_attests_the_lowest_age_that_is_enough() {
        let tokens = open(&BlindTokenSettings { thresholds: vec![21, 13, 18, 18], ..own() }).unwrap();
        let ages = [1, 13, 14, 18, 19, 21, 22].map(|threshold| tokens.threshold_for(threshold));
        assert_eq!(ages, [Some(13), Some(13), Some(18), Some(18), Some(21), Some(21), None]);
        assert_eq!(tokens.issuer_name(), "age.example:8443");
        assert_eq!(tokens.issuer_page_url(true), "https://age.example:8443/a/sandbox/age/issue");
        let remote = open(&BlindTokenSettings {
            issuer: Some("https://issuer.example.com/".into()),
            ..BlindTokenSettings::default()
        });
        assert_eq!(remote.unwrap().issuer_page_url(false), "https://issuer.example.com/age/issue");
    }

    #[test]
    fn unusable_settings_are_refused_by_name() {
        for (settings, named) in [
            (BlindTokenSettings::default(), "application"),
            (BlindTokenSettings { issuer: Some("http://issuer.example.com".into()), ..own() }, "issuer"),
            (BlindTokenSettings { thresholds: Vec::new(), ..own() }, "thresholds"),
            (BlindTokenSettings { thresholds: vec![5], ..own() }, "thresholds"),
            (BlindTokenSettings { thresholds: (10..20).collect(), ..own() }, "thresholds"),
            (BlindTokenSettings { key_days: 0, ..own() }, "key_days"),
            (BlindTokenSettings { key_days: u16::MAX, ..own() }, "key_days: it is 65535; 1 to 366"),
            (BlindTokenSettings { redeemers: vec!["https://a.example/path".into()], ..own() }, "redeemers"),
            (BlindTokenSettings { redeemers: vec!["http://a.example".into()], ..own() }, "redeemers"),
        ] {
            assert!(open(&settings).unwrap_err().starts_with(named), "{settings:?}");
        }
        assert!(
            open(&BlindTokenSettings { redeemers: vec!["https://a.example:8443".into()], ..own() }).is_ok()
        );
    }
}
