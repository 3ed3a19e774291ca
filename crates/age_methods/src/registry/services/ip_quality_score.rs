//! `IPQualityScore`'s email validation: when an address was first seen. Who opened an account at the lowest age that providers
//! allow, so many years ago, is at least so old now.

use super::{ServiceContext, not_answered};
use crate::{
    AgeAttribute, AgeEvidence, AgeMethodError, InvalidSettingError, http_client,
    registry::RegistrySubject,
    settings::{callable_url, read_secret},
};
use base::{Environment, Secret, Timestamp};
use jiff::tz::TimeZone;
use media::fetch::Fetcher;
use serde::Deserialize;
use std::{path::PathBuf, sync::Arc};
use zeroize::Zeroizing;

const IPQS_LABEL: &str = "IPQualityScore";
/// Ages at which accounts can be opened, years.
const ACCOUNT_AGES: std::ops::RangeInclusive<u8> = 0..=18;

/// How to reach `IPQualityScore`.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct IpQualityScoreSettings {
    /// A file with the API key. It is part of the address that is called.
    pub api_key_file: PathBuf,
    #[serde(default = "ipqs_url")]
    pub url: String,
    /// The age that the holder of a new account has at least, years.
    #[serde(default, deserialize_with = "base::settings::number_or_text")]
    pub account_age: u8,
}

fn ipqs_url() -> String {
    "https://www.ipqualityscore.com/api/json/email".to_owned()
}

#[derive(Debug)]
pub(in crate::registry) struct IpQualityScoreClient {
    context: ServiceContext,
    url: String,
    api_key: Secret<String>,
    account_age: u8,
}

#[derive(Deserialize)]
struct EmailReport {
    success: bool,
    valid: Option<bool>,
    disposable: Option<bool>,
    first_seen: Option<FirstSeen>,
    request_id: Option<String>,
}

#[derive(Deserialize)]
struct FirstSeen {
    /// Unix seconds.
    timestamp: i64,
}

impl IpQualityScoreClient {
    pub(in crate::registry) fn open(
        settings: &IpQualityScoreSettings,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        if !ACCOUNT_AGES.contains(&settings.account_age) {
            let words = format!("it is {}; 0 to 18 are expected", settings.account_age);
            return Err(InvalidSettingError::new("account_age", words));
        }
        let api_key = read_secret("api_key_file", &settings.api_key_file)?;
        if !api_key.expose().bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(InvalidSettingError::new("api_key_file", "it is not a key of letters and digits"));
        }
        Ok(Self {
            context: ServiceContext { fetcher: fetcher.clone(), environment: environment.clone() },
            url: callable_url("url", fetcher, &settings.url)?.trim_end_matches('/').to_owned(),
            api_key,
            account_age: settings.account_age,
        })
    }

    pub(in crate::registry) async fn ask(
        &self,
        subject: &RegistrySubject,
        years: u8,
    ) -> Result<AgeEvidence, AgeMethodError> {
        let RegistrySubject::Email(holder) = subject else { return Err(not_answered(subject)) };
        let mut url = url::Url::parse(&self.url)
            .map_err(|_| AgeMethodError::unavailable("the address of IPQualityScore is not valid"))?;
        if let Ok(mut path) = url.path_segments_mut() {
            path.push(self.api_key.expose()).push(holder.expose());
        }
        let url = Zeroizing::new(String::from(url));
        let answered =
            http_client::send(&self.context.fetcher, IPQS_LABEL, &url, http_client::get_call()).await?;
        if answered.status != 200 {
            return Err(http_client::unexpected_status(IPQS_LABEL, &answered));
        }
        let report: EmailReport = http_client::parse_json(IPQS_LABEL, &answered)?;
        if !report.success {
            return Err(AgeMethodError::unavailable("IPQualityScore refuses the call"));
        }
        let seen = report.first_seen.and_then(|seen| Timestamp::from_second(seen.timestamp).ok());
        let seen = seen.filter(|_| report.valid != Some(false) && report.disposable != Some(true));
        let seen =
            seen.ok_or_else(|| AgeMethodError::inconclusive("the address is not known, or no person's"))?;
        // A young address says nothing: its holder may have another.
        if self.age_of(seen) < i16::from(years) {
            return Err(AgeMethodError::inconclusive("the address has not been in use long enough"));
        }
        Ok(AgeEvidence::new(AgeAttribute::Over { years, reached: true }, report.request_id))
    }

    /// The age that the holder of an address first seen then has at least.
    fn age_of(&self, seen: Timestamp) -> i16 {
        let day = |at: Timestamp| at.to_zoned(TimeZone::UTC).date();
        crate::age_on(day(seen), day(self.context.environment.now())).saturating_add(self.account_age.into())
    }
}
