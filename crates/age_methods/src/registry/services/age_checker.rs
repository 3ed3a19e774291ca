//! AgeChecker.Net's server interface, version 1: name, address and date of birth of a person in the United States, against
//! records.

use super::{ServiceContext, first_and_last, not_answered};
use crate::{
    AgeAttribute, AgeEvidence, AgeMethodError, InvalidSettingError, http_client,
    registry::RegistrySubject,
    settings::{callable_url, read_secret},
};
use base::{Environment, Secret};
use media::fetch::Fetcher;
use serde::Deserialize;
use serde_json::json;
use std::{path::PathBuf, sync::Arc};

const AGE_CHECKER_LABEL: &str = "AgeChecker.Net";
/// Ages that can be asked for, years.
const MINIMUM_AGES: std::ops::RangeInclusive<u8> = 18..=75;

/// How to reach AgeChecker.Net.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct AgeCheckerSettings {
    /// A file with the key of the website.
    pub key_file: PathBuf,
    /// A file with the secret of the account.
    pub secret_file: PathBuf,
    #[serde(default = "age_checker_url")]
    pub url: String,
}

fn age_checker_url() -> String {
    "https://api.agechecker.net/v1/create".to_owned()
}

#[derive(Debug)]
pub(in crate::registry) struct AgeCheckerClient {
    context: ServiceContext,
    url: String,
    key: Secret<String>,
    secret: Secret<String>,
}

#[derive(Deserialize)]
struct AgeCheckerAnswer {
    uuid: Option<String>,
    status: String,
}

impl AgeCheckerClient {
    pub(in crate::registry) fn open(
        settings: &AgeCheckerSettings,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        Ok(Self {
            context: ServiceContext { fetcher: fetcher.clone(), environment: environment.clone() },
            url: callable_url("url", fetcher, &settings.url)?,
            key: read_secret("key_file", &settings.key_file)?,
            secret: read_secret("secret_file", &settings.secret_file)?,
        })
    }

    /// Asks about an age; about 18 if it is lower. A refusal never says that the person is younger: it may have another
    /// reason.
    pub(in crate::registry) async fn ask(
        &self,
        subject: &RegistrySubject,
        years: u8,
    ) -> Result<AgeEvidence, AgeMethodError> {
        let RegistrySubject::UsFloridaHb3(resident) = subject else { return Err(not_answered(subject)) };
        let years = years.max(*MINIMUM_AGES.start());
        if !MINIMUM_AGES.contains(&years) {
            return Err(AgeMethodError::inconclusive("AgeChecker.Net knows ages up to 75"));
        }
        let (street, city) = resident.address().rsplit_once(',').ok_or(AgeMethodError::invalid("address"))?;
        let (first, last) = first_and_last(resident.person().full_name());
        let born = resident.person().date_of_birth();
        let body = http_client::json_body(&json!({
            "key": self.key.expose(), "secret": self.secret.expose(),
            "data": {
                "first_name": first, "last_name": last, "address": street.trim(), "city": city.trim(),
                "state": "FL", "zip": resident.postal_code(), "country": "US",
                "dob_day": born.day(), "dob_month": born.month(), "dob_year": born.year(),
            },
            "options": { "min_age": years, "contact_customer": false },
        }));
        let call = http_client::post_call(body, "application/json");
        let answered = http_client::send(&self.context.fetcher, AGE_CHECKER_LABEL, &self.url, call).await?;
        if answered.status != 200 {
            return Err(http_client::unexpected_status(AGE_CHECKER_LABEL, &answered));
        }
        let AgeCheckerAnswer { uuid, status } = http_client::parse_json(AGE_CHECKER_LABEL, &answered)?;
        match status.as_str() {
            "accepted" => Ok(AgeEvidence::new(AgeAttribute::Over { years, reached: true }, uuid)),
            // The person would have to sign or to show a document to the service, or is not known to it.
            "denied" | "signature" | "photo_id" | "phone_validation" | "sms_sent" | "pending"
            | "not_created" => {
                Err(AgeMethodError::inconclusive("AgeChecker.Net does not confirm the age by records"))
            }
            _ => Err(AgeMethodError::unavailable("AgeChecker.Net answers in another form")),
        }
    }
}
