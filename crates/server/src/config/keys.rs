//! The master key.

use super::Config;
use base::SystemEnvironment;
use domain::keyring::Keyring;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

/// The section `[secrets]`.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SecretsConfig {
    /// The file with the master key, 64 hexadecimal digits. `None`: `master.key` in the data folder, created at the first
    /// start.
    master_key_file: Option<PathBuf>,
}

impl Config {
    /// Where the master key is, or will be created.
    pub(crate) fn master_key_file(&self) -> PathBuf {
        self.secrets.master_key_file.clone().unwrap_or_else(|| self.data_dir.join("master.key"))
    }

    /// The keys of this installation; the master key is created if it is missing.
    pub(crate) fn keyring(&self) -> anyhow::Result<Keyring> {
        if self.secrets.master_key_file.is_none() {
            self.data_dir()?;
        }
        Ok(Keyring::open(&self.master_key_file(), &SystemEnvironment)?)
    }
}
