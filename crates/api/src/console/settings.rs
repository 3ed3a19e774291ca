//! `GET /console/settings`: the settings in force.

use super::{OperatorListErrors, permissions::SettingsView, request::ConsoleCall};
use crate::{ApiState, content_moderation::ModerationApiError};
use axum::{Json, extract::State};
use serde_json::Value;
use utoipa::ToSchema;

/// Where the value of a setting comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[schema(as = SettingSource)]
pub enum SettingSource {
    /// Nothing sets it.
    Default,
    /// The configuration file.
    File,
    /// An environment variable, which overrides the file.
    Environment,
}

/// A setting in force. Whoever starts the server says which there are.
#[derive(Clone, Debug, PartialEq)]
pub struct SettingInForce {
    /// Section and name, such as `delivery.keep_days`.
    pub name: String,
    /// `None`: it is never shown, because it is one of a provider and may be a secret, or is one.
    pub value: Option<Value>,
    pub source: SettingSource,
}

/// The settings in force, in the process that answered.
#[derive(serde::Serialize, ToSchema)]
pub(super) struct SettingList {
    /// In the order of their names.
    settings: Vec<SettingBody>,
}

/// A setting.
#[derive(serde::Serialize, ToSchema)]
#[schema(as = Setting)]
pub(super) struct SettingBody {
    /// Section and name, as in the configuration file.
    #[schema(example = "delivery.keep_days")]
    name: String,
    /// The value as JSON writes it; `null` where nothing is set and there is no default. Absent: it is set, and never shown,
    /// because it belongs to a provider and may be a secret.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "30")]
    value: Option<String>,
    /// What it is measured in, as its name says.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "days")]
    unit: Option<&'static str>,
    source: SettingSource,
}

/// What the names of settings end in, and the unit that it stands for.
const UNITS: [(&str, &str); 14] = [
    ("minutes_per_day", "minutes per day"),
    ("_ms", "milliseconds"),
    ("per_minute", "per minute"),
    ("per_hour", "per hour"),
    ("per_second", "per second"),
    ("per_day", "per day"),
    ("seconds", "seconds"),
    ("minutes", "minutes"),
    ("hours", "hours"),
    ("days", "days"),
    ("bytes", "bytes"),
    ("pixels", "pixels"),
    ("_age", "years"),
    ("_years", "years"),
];

fn unit_of(name: &str) -> Option<&'static str> {
    UNITS.into_iter().find(|(ending, _)| name.ends_with(ending)).map(|(_, unit)| unit)
}

impl From<&SettingInForce> for SettingBody {
    fn from(setting: &SettingInForce) -> Self {
        let is_number = setting.value.as_ref().is_some_and(|value| value.is_number() || value.is_null());
        Self {
            unit: unit_of(&setting.name).filter(|_| is_number),
            name: setting.name.clone(),
            value: setting.value.as_ref().map(ToString::to_string),
            source: setting.source,
        }
    }
}

/// See the settings in force, and where each comes from. Needs `settings:view`.
#[utoipa::path(
    get, path = "/console/settings", tag = "health", security(("session" = [], "console" = [])),
    responses((status = 200, description = "The settings.", body = SettingList), OperatorListErrors),
)]
pub(super) async fn list_settings(
    State(api): State<ApiState>,
    _call: ConsoleCall<SettingsView>,
) -> Result<Json<SettingList>, ModerationApiError> {
    let settings = api.console_resources.settings.iter().map(SettingBody::from).collect();
    Ok(Json(SettingList { settings }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_the_unit() {
        for (name, unit) in [
            ("delivery.keep_days", Some("days")),
            ("models.max_wait_ms", Some("milliseconds")),
            ("auth.failures_per_minute", Some("per minute")),
            ("limits.stored_bytes", Some("bytes")),
            ("server.read_timeout_seconds", Some("seconds")),
            ("proof.alcohol_age", Some("years")),
            ("wire.brand", None),
            ("models.workers", None),
        ] {
            assert_eq!(unit_of(name), unit, "{name}");
        }
    }
}
