//! Blind tokens, so that whoever checks an age does not learn for whom, and whoever asks does not learn of whom
//! (docs/ANONYMITY.md). Two roles: an **issuer** checks ages in sessions of its own and signs what it cannot read
//! ([`issue`], [`keys`]); a business's session takes the signature, once (`methods/token.rs`). The two may be one server, or
//! two that trust each other.
//!
//! What one role keeps must have nothing in common with what the other keeps: no id, no moment, no bytes. A test compares
//! them (`crates/api/tests/it/ages/unlinkable.rs`).

mod issuer;
mod keys;

pub(super) use keys::{purge_issuer_keys, record_redemption};

use super::{
    AgeSessionError, AgeVerificationService, request::AgeMethodTerms, session_config::AgeMethodConfig,
};
use age_methods::{
    AgeMethodError, InvalidSettingError,
    blind_tokens::{PublishedKey, RemoteIssuer},
};
use base::{AppId, Environment};
use media::fetch::Fetcher;
use serde::Deserialize;
use std::sync::Arc;

/// Ages that tokens can be for, years: those of the payload's block.
const TOKEN_THRESHOLD_YEARS: std::ops::RangeInclusive<u8> = 6..=100;
/// Ages that one server issues for: each further one makes the crowd of those smaller who cannot be told apart.
const MAX_THRESHOLDS: usize = 8;
/// Days that a key signs, at most.
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

/// Blind tokens of settings that hold.
#[derive(Debug)]
pub(super) struct BlindTokens {
    settings: BlindTokenSettings,
    /// Where the issuer is reached.
    issuer_url: String,
    /// Where another issuer publishes its keys, and where those of its sandbox.
    remote_issuers: Option<[RemoteIssuer; 2]>,
}

impl BlindTokens {
    pub(super) fn open(
        settings: &BlindTokenSettings,
        public_url: &str,
        fetcher: &Fetcher,
        world: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        let bad = |setting, problem: &str| InvalidSettingError { setting, problem: problem.to_owned() };
        let mut settings = settings.clone();
        settings.thresholds.sort_unstable();
        settings.thresholds.dedup();
        let many = settings.thresholds.len();
        if many == 0
            || many > MAX_THRESHOLDS
            || !settings.thresholds.iter().all(|age| TOKEN_THRESHOLD_YEARS.contains(age))
        {
            return Err(bad("thresholds", "one to eight ages of 6 to 100 are expected"));
        }
        if settings.key_days == 0 || settings.key_days > MAX_KEY_DAYS {
            return Err(bad("key_days", "1 to 366 are expected"));
        }
        if !settings.redeemers.iter().all(|origin| is_origin(origin)) {
            return Err(bad("redeemers", "each is https:// and a host, without a path"));
        }
        let elsewhere = match settings.issuer.as_deref().map(|url| url.trim_end_matches('/')) {
            None if settings.application.is_none() => {
                return Err(bad(
                    "application",
                    "without an issuer elsewhere this server issues, in the name of an application of yours",
                ));
            }
            Some(url) if url != public_url => {
                let open = |base: &str| {
                    RemoteIssuer::open(&format!("{url}{base}/age/v1/anonymity/keys"), fetcher, world)
                };
                Some([open("")?, open("/sandbox")?])
            }
            _ => None,
        };
        let issuer = settings.issuer.as_deref().filter(|_| elsewhere.is_some()).unwrap_or(public_url);
        let issuer = issuer.trim_end_matches('/').to_owned();
        Ok(Self { settings, issuer_url: issuer, remote_issuers: elsewhere })
    }

    /// The age that a token shows where this one is asked for: the lowest that is not below it.
    pub(super) fn threshold_for(&self, asked: i64) -> Option<u8> {
        self.settings.thresholds.iter().copied().find(|age| i64::from(*age) >= asked)
    }

    /// The issuer's name in challenges: its host (RFC 9577, section 2.1).
    pub(super) fn issuer_name(&self) -> &str {
        let rest = self.issuer_url.split_once("://").map_or(self.issuer_url.as_str(), |(_, rest)| rest);
        rest.split('/').next().unwrap_or(rest)
    }

    /// Where a person gets a token.
    pub(super) fn issuer_page_url(&self, sandbox: bool) -> String {
        format!("{}{}/age/issue", self.issuer_url, if sandbox { "/sandbox" } else { "" })
    }
}

fn is_origin(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| {
        text.strip_prefix("http://")
            .filter(|host| host.starts_with("localhost") || host.starts_with("127.0.0.1"))
    });
    host.is_some_and(|host| {
        !host.is_empty() && host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte))
    })
}

impl AgeMethodConfig {
    /// The age that is asked for, as tokens are made for it.
    pub(super) fn token_threshold_years(&self) -> u8 {
        u8::try_from(self.threshold).unwrap_or(u8::MAX)
    }
}

impl AgeVerificationService {
    pub(super) fn blind_tokens(&self) -> Option<&BlindTokens> {
        self.0.blind_tokens.as_deref()
    }

    /// The keys whose tokens are taken here.
    pub(super) async fn accepted_token_keys(
        &self,
        sandbox: bool,
    ) -> Result<Result<Arc<Vec<PublishedKey>>, AgeMethodError>, AgeSessionError> {
        match self.blind_tokens().and_then(|anonymity| anonymity.remote_issuers.as_ref()) {
            Some(issuers) => Ok(issuers[usize::from(sandbox)].keys().await),
            None => Ok(Ok(Arc::new(self.issuer_public_keys(sandbox).await?))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::TestEnvironment;
    use media::fetch::EgressPolicy;

    fn open(settings: &BlindTokenSettings) -> Result<BlindTokens, String> {
        let world: Arc<dyn Environment> = Arc::new(TestEnvironment::at("2026-11-22T12:00:00Z"));
        let fetcher = Fetcher::new(&EgressPolicy::default()).unwrap();
        BlindTokens::open(settings, "https://age.example:8443/a", &fetcher, &world)
            .map_err(|bad| bad.to_string())
    }

    fn own() -> BlindTokenSettings {
        let application = "5f0c7a1e-3b52-4d8e-9c11-8a7b6c5d4e01".parse().ok();
        BlindTokenSettings { application, ..BlindTokenSettings::default() }
    }

    #[test]
    fn a_token_shows_the_lowest_age_that_is_enough() {
        let tokens = open(&BlindTokenSettings { thresholds: vec![21, 13, 18, 18], ..own() }).unwrap();
        let ages = [1, 13, 14, 18, 19, 21, 22].map(|asked| tokens.threshold_for(asked));
        assert_eq!(ages, [Some(13), Some(13), Some(18), Some(18), Some(21), Some(21), None]);
        assert_eq!(tokens.issuer_name(), "age.example:8443");
        assert_eq!(tokens.issuer_page_url(true), "https://age.example:8443/a/sandbox/age/issue");
        let elsewhere = open(&BlindTokenSettings {
            issuer: Some("https://issuer.example.com/".into()),
            ..BlindTokenSettings::default()
        });
        assert_eq!(elsewhere.unwrap().issuer_page_url(false), "https://issuer.example.com/age/issue");
    }

    #[test]
    fn settings_that_cannot_work_are_named() {
        for (settings, named) in [
            (BlindTokenSettings::default(), "application"),
            (BlindTokenSettings { issuer: Some("http://issuer.example.com".into()), ..own() }, "issuer"),
            (BlindTokenSettings { thresholds: Vec::new(), ..own() }, "thresholds"),
            (BlindTokenSettings { thresholds: vec![5], ..own() }, "thresholds"),
            (BlindTokenSettings { thresholds: (10..20).collect(), ..own() }, "thresholds"),
            (BlindTokenSettings { key_days: 0, ..own() }, "key_days"),
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
