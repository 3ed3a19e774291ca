//! The master key: where it is kept, and the keys that it opens.

use super::Config;
use base::SystemEnvironment;
use db::Db;
use domain::{
    data_keys::{DataKeyError, InstallationKeys, InstallationUse},
    keyring::Keyring,
    master_key::{FileProvider, MasterKeyProvider, SuppliedKeyProvider, TokenProvider, TokenSettings},
};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The section `[secrets]`: the one place of the master key. `None` of all: the file `master.key` in the data folder, made
/// at the first start.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SecretsConfig {
    /// A file with 64 hexadecimal digits, readable for its owner alone; made at the first start.
    master_key_file: Option<PathBuf>,
    /// The name of an environment variable with 64 hexadecimal digits.
    master_key_variable: Option<String>,
    /// The name of a credential of systemd: a file in `$CREDENTIALS_DIRECTORY` with 64 hexadecimal digits.
    master_key_credential: Option<String>,
    /// A token with a PKCS #11 library, which wraps keys itself.
    pkcs11: Option<TokenSettings>,
}

impl Config {
    /// The file of the master key, where it is in a file.
    pub(crate) fn master_key_file(&self) -> PathBuf {
        self.secrets.master_key_file.clone().unwrap_or_else(|| self.data_dir.join("master.key"))
    }

    /// Where the master key is. The data folder is created if the key is in it.
    pub(crate) fn master_key_provider(&self) -> anyhow::Result<Box<dyn MasterKeyProvider>> {
        if self.is_default_master_key() {
            self.data_dir()?;
        }
        self.existing_master_key_provider()
    }

    /// Where the master key is; creates nothing.
    pub(crate) fn existing_master_key_provider(&self) -> anyhow::Result<Box<dyn MasterKeyProvider>> {
        let SecretsConfig { master_key_file, master_key_variable, master_key_credential, pkcs11 } =
            &self.secrets;
        let places = [
            ("master_key_file", master_key_file.is_some()),
            ("master_key_variable", master_key_variable.is_some()),
            ("master_key_credential", master_key_credential.is_some()),
            ("pkcs11", pkcs11.is_some()),
        ];
        let named: Vec<_> = places.iter().filter(|(_, set)| *set).map(|(name, _)| *name).collect();
        anyhow::ensure!(
            named.len() <= 1,
            "the master key has one place, and [secrets] names {}: {}; leave all but one out",
            named.len(),
            named.join(", ")
        );
        Ok(match (master_key_file, master_key_variable, master_key_credential, pkcs11) {
            (_, Some(variable), ..) => Box::new(SuppliedKeyProvider::variable(variable)),
            (_, _, Some(credential), _) => {
                anyhow::ensure!(
                    Path::new(credential).file_name().is_some_and(|name| name == credential.as_str()),
                    "secrets.master_key_credential is the name of a credential, not a path: {credential:?}"
                );
                Box::new(SuppliedKeyProvider::credential(credential))
            }
            (.., Some(token)) => Box::new(TokenProvider::open(token.clone())?),
            (Some(file), ..) => Box::new(FileProvider::new(file.clone())),
            _ => Box::new(FileProvider::new(self.data_dir.join("master.key"))),
        })
    }

    fn is_default_master_key(&self) -> bool {
        let SecretsConfig { master_key_file, master_key_variable, master_key_credential, pkcs11 } =
            &self.secrets;
        master_key_file.is_none()
            && master_key_variable.is_none()
            && master_key_credential.is_none()
            && pkcs11.is_none()
    }

    /// The keys of this installation; they are made if it was never used. The database must have been migrated.
    pub(crate) async fn keyring(
        &self,
        db: &Db,
        provider: &dyn MasterKeyProvider,
        purpose: InstallationUse,
    ) -> Result<Keyring, DataKeyError> {
        self.installation_keys(db, provider).open(purpose).await
    }

    /// Checks that the master key is the one that the database needs; makes nothing.
    pub(crate) async fn check_master_key(
        &self,
        db: &Db,
        provider: &dyn MasterKeyProvider,
    ) -> Result<(), DataKeyError> {
        self.installation_keys(db, provider).check().await
    }

    fn installation_keys<'a>(&self, db: &'a Db, provider: &'a dyn MasterKeyProvider) -> InstallationKeys<'a> {
        InstallationKeys {
            db,
            environment: &SystemEnvironment,
            provider,
            used_folder: self.used_folder(),
            dev_organisation: self
                .read_dev_credentials()
                .and_then(|credentials| credentials["organisation_id"].as_str()?.parse().ok()),
        }
    }

    /// What tells that the data folder was used: files of an installation, apart from its database.
    fn used_folder(&self) -> Option<String> {
        let is_used =
            |folder: &PathBuf| std::fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
        let folders = ["blobs", "faces"].map(|name| self.data_dir.join(name));
        let used: Vec<_> = folders
            .iter()
            .filter(|folder| is_used(folder))
            .map(|folder| folder.display().to_string())
            .collect();
        (!used.is_empty()).then(|| used.join(", "))
    }
}
