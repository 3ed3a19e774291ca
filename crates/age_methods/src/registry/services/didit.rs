//! Didit's Database Validation, version 3: the federal revenue of Brazil, and aggregated records of the United States.

use super::{ServiceContext, first_and_last, not_answered};
use crate::{
    AgeAttribute, AgeEvidence, AgeMethodError, InvalidSettingError, http_client,
    registry::RegistrySubject,
    settings::{callable_url, read_secret},
};
use base::{Environment, Secret};
use jiff::civil::Date;
use media::fetch::{Fetcher, HeaderName};
use serde::Deserialize;
use serde_json::{Value, json};
use std::{path::PathBuf, sync::Arc};

const DIDIT_LABEL: &str = "Didit";
const API_KEY_HEADER: HeaderName = HeaderName::from_static("x-api-key");

/// How to reach Didit.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct DiditSettings {
    /// A file with the API key.
    pub api_key_file: PathBuf,
    #[serde(default = "didit_url")]
    pub url: String,
    /// The service that is asked about people in the United States.
    #[serde(default = "us_service")]
    pub us_service: String,
}

fn didit_url() -> String {
    "https://verification.didit.me/v3/database-validation/".to_owned()
}

fn us_service() -> String {
    "usa_states_financial_services".to_owned()
}

#[derive(Debug)]
pub(in crate::registry) struct DiditClient {
    context: ServiceContext,
    url: String,
    api_key: Secret<String>,
    us_service: String,
}

#[derive(Deserialize)]
struct DiditAnswer {
    request_id: Option<String>,
    database_validation: DiditValidation,
}

#[derive(Deserialize)]
struct DiditValidation {
    status: String,
    match_type: Option<String>,
    #[serde(default)]
    validations: Value,
}

impl DiditClient {
    pub(in crate::registry) fn open(
        settings: &DiditSettings,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        Ok(Self {
            context: ServiceContext { fetcher: fetcher.clone(), environment: environment.clone() },
            url: callable_url("url", fetcher, &settings.url)?,
            api_key: read_secret("api_key_file", &settings.api_key_file)?,
            us_service: settings.us_service.clone(),
        })
    }

    pub(in crate::registry) async fn ask(
        &self,
        subject: &RegistrySubject,
    ) -> Result<AgeEvidence, AgeMethodError> {
        let (question, born, is_keyed_by_birthday) = self.question(subject)?;
        let mut call = http_client::post_call(http_client::json_body(&question), "application/json");
        http_client::secret_header(&mut call, &API_KEY_HEADER, self.api_key.expose())?;
        let answered = http_client::send(&self.context.fetcher, DIDIT_LABEL, &self.url, call).await?;
        if answered.status != 200 {
            return Err(http_client::unexpected_status(DIDIT_LABEL, &answered));
        }
        let DiditAnswer { request_id, database_validation: found } =
            http_client::parse_json(DIDIT_LABEL, &answered)?;
        let is_match = found.status == "Approved"
            && found.match_type.as_deref().is_none_or(|kind| kind.eq_ignore_ascii_case("full_match"));
        match (found.status.as_str(), birthday_match(&found.validations)) {
            // A record that is looked up by the date of birth has that date.
            (_, Some(true)) if is_match => {}
            (_, None) if is_match && is_keyed_by_birthday => {}
            ("Approved" | "Declined" | "In Review", _) => {
                return Err(AgeMethodError::inconclusive("Didit does not confirm the date of birth"));
            }
            _ => return Err(AgeMethodError::unavailable("Didit answers in another form")),
        }
        Ok(AgeEvidence::new(AgeAttribute::DateOfBirth(born), request_id))
    }

    /// The question, the date of birth that the person claims, and whether records are looked up by it.
    fn question(&self, subject: &RegistrySubject) -> Result<(Value, Date, bool), AgeMethodError> {
        let (person, mut question, is_keyed_by_birthday) = match subject {
            RegistrySubject::Cpf(holder) => {
                let question =
                    json!({ "issuing_state": "BRA", "services": ["bra_cpf"], "tax_number": holder.cpf() });
                (holder.person(), question, true)
            }
            RegistrySubject::SocialSecurityNumber(holder) => {
                // The service takes whole numbers only.
                if holder.number().len() != 9 {
                    return Err(AgeMethodError::invalid("number"));
                }
                let question =
                    json!({ "issuing_state": "USA", "services": [self.us_service], "ssn": holder.number() });
                (holder.person(), question, false)
            }
            RegistrySubject::UsFloridaHb3(resident) => {
                let address = json!({
                    "street_1": resident.address(), "region": "FL", "postal_code": resident.postal_code(),
                });
                let question =
                    json!({ "issuing_state": "USA", "services": [self.us_service], "address": address });
                (resident.person(), question, false)
            }
            RegistrySubject::Email(_) => return Err(not_answered(subject)),
        };
        let (first, last) = first_and_last(person.full_name());
        question["first_name"] = first.into();
        question["last_name"] = last.into();
        question["date_of_birth"] = person.date_of_birth().to_string().into();
        // Nothing is to be kept in the account's own list of requests.
        question["save_api_request"] = false.into();
        Ok((question, person.date_of_birth(), is_keyed_by_birthday))
    }
}

/// What the answer says about the date of birth, wherever it stands: `None` if nothing.
fn birthday_match(validations: &Value) -> Option<bool> {
    match validations {
        Value::Object(members) => {
            let own = members.get("date_of_birth").and_then(Value::as_str);
            let own =
                own.map(|word| ["full_match", "match"].iter().any(|one| word.eq_ignore_ascii_case(one)));
            own.or_else(|| members.values().find_map(birthday_match))
        }
        Value::Array(items) => items.iter().find_map(birthday_match),
        _ => None,
    }
}
