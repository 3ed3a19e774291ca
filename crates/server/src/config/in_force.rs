//! The settings in force, and where each comes from, for operators.

use super::{Config, environment_source};
use anyhow::Context as _;
use api::{SettingInForce, SettingSource};
use serde_json::Value;

impl Config {
    /// Every setting, with its value as it is in force. Settings of providers are never serialised, because they may be secrets:
    /// of those that are set there are the names.
    pub(crate) fn settings_in_force(&self) -> anyhow::Result<Vec<SettingInForce>> {
        let mut file = config::Config::builder();
        if let Some(path) = &self.config_file {
            file = file.add_source(config::File::from(path.as_path()).format(config::FileFormat::Toml));
        }
        let environment = config::Config::builder().add_source(environment_source());
        let read = |sources: config::ConfigBuilder<config::builder::DefaultState>| {
            sources
                .build()
                .and_then(config::Config::try_deserialize::<Value>)
                .context("the configuration cannot be read")
        };
        let shown = serde_json::to_value(self).context("the settings cannot be shown")?;
        Ok(describe(&shown, &read(file)?, &read(environment)?))
    }
}

/// The settings of `shown`, and the names of those that are only in the file or the environment; in the order of their names.
fn describe(shown: &Value, file: &Value, environment: &Value) -> Vec<SettingInForce> {
    let source = |path: &str| {
        if find(environment, path).is_some() {
            SettingSource::Environment
        } else if find(file, path).is_some() {
            SettingSource::File
        } else {
            SettingSource::Default
        }
    };
    let mut names = Vec::new();
    for settings in [shown, file, environment] {
        collect_names("", settings, &mut names);
    }
    names.sort_unstable();
    names.dedup();
    let describe = |name: String| SettingInForce {
        source: source(&name),
        value: find(shown, &name).filter(|value| !value.is_object()).cloned(),
        name,
    };
    // A section that is not set is one setting; of one that is set there are its own.
    let is_section = |name: &String| find(shown, name).is_some_and(Value::is_object);
    names.into_iter().filter(|name| !is_section(name)).map(describe).collect()
}

/// The paths of everything that is no section.
fn collect_names(section: &str, settings: &Value, names: &mut Vec<String>) {
    for (name, value) in settings.as_object().into_iter().flatten() {
        let path = if section.is_empty() { name.clone() } else { format!("{section}.{name}") };
        if value.is_object() {
            collect_names(&path, value, names);
        } else {
            names.push(path);
        }
    }
}

fn find<'a>(settings: &'a Value, path: &str) -> Option<&'a Value> {
    path.split('.').try_fold(settings, |section, name| section.get(name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InstallationArgs;
    use serde_json::json;

    fn setting(name: &str, value: Option<Value>, source: SettingSource) -> SettingInForce {
        SettingInForce { name: name.to_owned(), value, source }
    }

    #[test]
    fn each_setting_has_its_source_and_secrets_have_no_value() {
        let shown = json!({
            "delivery": { "at_once": 7, "keep_days": 30 },
            "storage": { "s3": null },
            "wire": { "brand": "Svc" },
        });
        let file = json!({
            "delivery": { "at_once": 5, "keep_days": 30 },
            "ages": { "credit_card": { "provider": "stripe", "secret_file": "/run/secret" } },
        });
        let environment = json!({ "delivery": { "at_once": 7 } });
        assert_eq!(
            describe(&shown, &file, &environment),
            [
                setting("ages.credit_card.provider", None, SettingSource::File),
                setting("ages.credit_card.secret_file", None, SettingSource::File),
                setting("delivery.at_once", Some(json!(7)), SettingSource::Environment),
                setting("delivery.keep_days", Some(json!(30)), SettingSource::File),
                setting("storage.s3", Some(Value::Null), SettingSource::Default),
                setting("wire.brand", Some(json!("Svc")), SettingSource::Default),
            ]
        );
    }

    /// A file that sets everything: what is shown of it has no value of a provider.
    #[test]
    fn no_setting_of_a_provider_has_a_value() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/settings/changed.toml");
        let installation = InstallationArgs { data_dir: "data".into(), config: Some(file.into()) };
        let settings = Config::load(&installation).unwrap().settings_in_force().unwrap();
        let of = |name: &str| settings.iter().find(|setting| setting.name == name).unwrap();
        assert_eq!(*of("mail.port"), setting("mail.port", Some(json!(2525)), SettingSource::File));
        let hidden: Vec<_> = settings.iter().filter(|setting| setting.value.is_none()).collect();
        assert!(hidden.len() > 20, "{hidden:?}");
        for setting in &settings {
            let is_of_provider =
                ["ages.credit_card.", "ages.mobile.", "ages.electronic_id.", "identity.watchlist."]
                    .iter()
                    .any(|section| setting.name.starts_with(section));
            assert!(!is_of_provider || setting.value.is_none(), "{}", setting.name);
        }
    }
}
