//! The environment variables that are settings.

use config::{ConfigError, Environment, Map, Source, Value, ValueKind};
use std::str::FromStr;

/// The variables `ASSAY__SECTION__NAME`. A value is taken as a number or a boolean only if that is printed exactly as it is
/// written. `007`, `+5`, `1e5` and `True` remain texts: where the setting is a text, it would otherwise become another one.
/// Settings that are numbers or booleans are read from texts as well.
#[derive(Clone, Debug)]
pub(super) struct EnvironmentSource(pub(super) Environment);

impl EnvironmentSource {
    pub(super) fn new() -> Self {
        Self(Environment::with_prefix("ASSAY").prefix_separator("__").separator("__"))
    }
}

impl Source for EnvironmentSource {
    fn clone_into_box(&self) -> Box<dyn Source + Send + Sync> {
        Box::new(self.clone())
    }

    fn collect(&self) -> Result<Map<String, Value>, ConfigError> {
        let mut settings = self.0.collect()?;
        for setting in settings.values_mut() {
            let exact = match &setting.kind {
                ValueKind::String(text) => exact_value(text),
                _ => None,
            };
            if let Some(kind) = exact {
                setting.kind = kind;
            }
        }
        Ok(settings)
    }
}

/// The boolean or number that is printed exactly like this.
fn exact_value(text: &str) -> Option<ValueKind> {
    exact::<bool>(text).or_else(|| exact::<i64>(text)).or_else(|| exact::<f64>(text))
}

fn exact<T: FromStr + ToString + Into<ValueKind>>(text: &str) -> Option<ValueKind> {
    let value: T = text.parse().ok()?;
    (value.to_string() == text).then(|| value.into())
}
