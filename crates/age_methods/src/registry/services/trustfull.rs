//! Trustfull's Age Estimation: whether the person behind an email address is an adult.

use super::{ServiceContext, not_answered};
use crate::{
    AgeAttribute, AgeEvidence, AgeMethodError, InvalidSettingError, http_client,
    registry::RegistrySubject,
    settings::{callable_url, read_secret},
};
use base::{Environment, Secret};
use jiff::civil::Date;
use media::fetch::{Fetcher, HeaderName};
use serde::Deserialize;
use serde_json::json;
use std::{path::PathBuf, sync::Arc};

const TRUSTFULL_LABEL: &str = "Trustfull";
/// The age that the service means by an adult, years.
const ADULT_AGE_YEARS: u8 = 18;

/// How to reach Trustfull. Its public documentation says what is sent and answered, but neither the address nor the header
/// with the key: both are in the contract.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct TrustfullSettings {
    pub url: String,
    /// The header with the key.
    pub header: String,
    /// A file with the header's value, whole.
    pub header_file: PathBuf,
}

#[derive(Debug)]
pub(in crate::registry) struct TrustfullClient {
    context: ServiceContext,
    url: String,
    header: HeaderName,
    value: Secret<String>,
}

#[derive(Deserialize)]
struct AgeEstimation {
    #[serde(rename = "match")]
    is_known: Option<bool>,
    is_adult: Option<bool>,
    date_of_birth: Option<Date>,
}

impl TrustfullClient {
    pub(in crate::registry) fn open(
        settings: &TrustfullSettings,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        let header = HeaderName::from_bytes(settings.header.as_bytes())
            .map_err(|_| InvalidSettingError::new("header", "it is not the name of a header"))?;
        Ok(Self {
            context: ServiceContext { fetcher: fetcher.clone(), environment: environment.clone() },
            url: callable_url("url", fetcher, &settings.url)?,
            header,
            value: read_secret("header_file", &settings.header_file)?,
        })
    }

    pub(in crate::registry) async fn ask(
        &self,
        subject: &RegistrySubject,
    ) -> Result<AgeEvidence, AgeMethodError> {
        let RegistrySubject::Email(holder) = subject else { return Err(not_answered(subject)) };
        let transaction = self.context.environment.uuid_v4().to_string();
        let body =
            http_client::json_body(&json!({ "email": holder.expose(), "transaction_id": transaction }));
        let mut call = http_client::post_call(body, "application/json");
        http_client::secret_header(&mut call, &self.header, self.value.expose())?;
        let answered = http_client::send(&self.context.fetcher, TRUSTFULL_LABEL, &self.url, call).await?;
        if answered.status != 200 {
            return Err(http_client::unexpected_status(TRUSTFULL_LABEL, &answered));
        }
        let found: AgeEstimation = http_client::parse_json(TRUSTFULL_LABEL, &answered)?;
        let known = match (found.is_known, found.is_adult, found.date_of_birth) {
            (Some(true), Some(true), Some(born)) => AgeAttribute::DateOfBirth(born),
            (Some(true), Some(true), None) => AgeAttribute::Over { years: ADULT_AGE_YEARS, reached: true },
            _ => return Err(AgeMethodError::inconclusive("Trustfull does not confirm an adult")),
        };
        Ok(AgeEvidence::new(known, Some(transaction)))
    }
}
