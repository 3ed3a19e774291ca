//! Blind tokens, so that whoever checks an age does not learn for whom, and whoever asks does not learn of whom
//! (docs/ANONYMITY.md). Two roles: an **issuer** checks ages in sessions of its own and signs what it cannot read
//! ([`issue`], [`keys`]); a business's session takes the signature, once (`methods/token.rs`). The two may be one server, or
//! two that trust each other.
//!
//! What one role keeps must have nothing in common with what the other keeps: no id, no moment, no bytes. A test compares
//! them (`crates/api/tests/it/ages/unlinkable.rs`).

mod issue;
mod keys;

pub(super) use keys::{purge, spend};

use super::{Ages, NotDone, request::MethodTerms, wanted::Block};
use ::methods::{
    BadSettings, Failure,
    blind::{Issuer, PublishedKey},
};
use base::{AppId, World};
use media::fetch::Fetcher;
use serde::Deserialize;
use std::sync::Arc;

/// Ages that tokens can be for, years: those of the payload's block.
const YEARS: std::ops::RangeInclusive<u8> = 6..=100;
/// Ages that one server issues for: each further one makes the crowd of those smaller who cannot be told apart.
const MOST_THRESHOLDS: usize = 8;
/// Days that a key signs, at most.
const MOST_DAYS: u16 = 366;

/// How blind tokens are issued and taken.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settings {
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
    pub methods: Vec<Way>,
    /// Other servers to whose pages this issuer's page may hand what it signed: `https://age.example.com`.
    #[serde(default)]
    pub redeemers: Vec<String>,
}

/// A method that the issuer offers: its block in a payload. The threshold is that of the token, whatever stands here.
#[derive(Clone, Debug, Deserialize)]
pub struct Way {
    /// As payloads name it.
    pub method: String,
    /// The rest of the block.
    #[serde(flatten)]
    pub terms: MethodTerms,
}

fn thresholds() -> Vec<u8> {
    vec![13, 16, 18, 21]
}

fn key_days() -> u16 {
    30
}

impl Default for Settings {
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
pub(super) struct Anonymity {
    settings: Settings,
    /// Where the issuer is reached.
    issuer: String,
    /// Where another issuer publishes its keys, and where those of its sandbox.
    elsewhere: Option<[Issuer; 2]>,
}

impl Anonymity {
    pub(super) fn open(
        settings: &Settings,
        public_url: &str,
        fetcher: &Fetcher,
        world: &Arc<dyn World>,
    ) -> Result<Self, BadSettings> {
        let bad = |setting, problem: &str| BadSettings { setting, problem: problem.to_owned() };
        let mut settings = settings.clone();
        settings.thresholds.sort_unstable();
        settings.thresholds.dedup();
        let many = settings.thresholds.len();
        if many == 0 || many > MOST_THRESHOLDS || !settings.thresholds.iter().all(|age| YEARS.contains(age)) {
            return Err(bad("thresholds", "one to eight ages of 6 to 100 are expected"));
        }
        if settings.key_days == 0 || settings.key_days > MOST_DAYS {
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
                let open =
                    |base: &str| Issuer::open(&format!("{url}{base}/age/v1/anonymity/keys"), fetcher, world);
                Some([open("")?, open("/sandbox")?])
            }
            _ => None,
        };
        let issuer = settings.issuer.as_deref().filter(|_| elsewhere.is_some()).unwrap_or(public_url);
        let issuer = issuer.trim_end_matches('/').to_owned();
        Ok(Self { settings, issuer, elsewhere })
    }

    /// The age that a token shows where this one is asked for: the lowest that is not below it.
    pub(super) fn age_for(&self, asked: i64) -> Option<u8> {
        self.settings.thresholds.iter().copied().find(|age| i64::from(*age) >= asked)
    }

    /// The issuer's name in challenges: its host (RFC 9577, section 2.1).
    pub(super) fn name(&self) -> &str {
        let rest = self.issuer.split_once("://").map_or(self.issuer.as_str(), |(_, rest)| rest);
        rest.split('/').next().unwrap_or(rest)
    }

    /// Where a person gets a token.
    pub(super) fn page(&self, sandbox: bool) -> String {
        format!("{}{}/age/issue", self.issuer, if sandbox { "/sandbox" } else { "" })
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

impl Block {
    /// The age that is asked for, as tokens are made for it.
    pub(super) fn token_years(&self) -> u8 {
        u8::try_from(self.threshold).unwrap_or(u8::MAX)
    }
}

impl Ages {
    pub(super) fn anonymity(&self) -> Option<&Anonymity> {
        self.0.anonymity.as_deref()
    }

    /// The keys whose tokens are taken here.
    pub(super) async fn token_keys(
        &self,
        sandbox: bool,
    ) -> Result<Result<Arc<Vec<PublishedKey>>, Failure>, NotDone> {
        match self.anonymity().and_then(|anonymity| anonymity.elsewhere.as_ref()) {
            Some(issuers) => Ok(issuers[usize::from(sandbox)].keys().await),
            None => Ok(Ok(Arc::new(self.own_keys(sandbox).await?))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::StillWorld;
    use media::fetch::Policy;

    fn open(settings: &Settings) -> Result<Anonymity, String> {
        let world: Arc<dyn World> = Arc::new(StillWorld::at("2026-11-22T12:00:00Z"));
        let fetcher = Fetcher::new(&Policy::default()).unwrap();
        Anonymity::open(settings, "https://age.example:8443/a", &fetcher, &world)
            .map_err(|bad| bad.to_string())
    }

    fn own() -> Settings {
        let application = "5f0c7a1e-3b52-4d8e-9c11-8a7b6c5d4e01".parse().ok();
        Settings { application, ..Settings::default() }
    }

    #[test]
    fn a_token_shows_the_lowest_age_that_is_enough() {
        let tokens = open(&Settings { thresholds: vec![21, 13, 18, 18], ..own() }).unwrap();
        let ages = [1, 13, 14, 18, 19, 21, 22].map(|asked| tokens.age_for(asked));
        assert_eq!(ages, [Some(13), Some(13), Some(18), Some(18), Some(21), Some(21), None]);
        assert_eq!(tokens.name(), "age.example:8443");
        assert_eq!(tokens.page(true), "https://age.example:8443/a/sandbox/age/issue");
        let elsewhere =
            open(&Settings { issuer: Some("https://issuer.example.com/".into()), ..Settings::default() });
        assert_eq!(elsewhere.unwrap().page(false), "https://issuer.example.com/age/issue");
    }

    #[test]
    fn settings_that_cannot_work_are_named() {
        for (settings, named) in [
            (Settings::default(), "application"),
            (Settings { issuer: Some("http://issuer.example.com".into()), ..own() }, "issuer"),
            (Settings { thresholds: Vec::new(), ..own() }, "thresholds"),
            (Settings { thresholds: vec![5], ..own() }, "thresholds"),
            (Settings { thresholds: (10..20).collect(), ..own() }, "thresholds"),
            (Settings { key_days: 0, ..own() }, "key_days"),
            (Settings { redeemers: vec!["https://a.example/path".into()], ..own() }, "redeemers"),
            (Settings { redeemers: vec!["http://a.example".into()], ..own() }, "redeemers"),
        ] {
            assert!(open(&settings).unwrap_err().starts_with(named), "{settings:?}");
        }
        assert!(open(&Settings { redeemers: vec!["https://a.example:8443".into()], ..own() }).is_ok());
    }
}
