//! A master key that whoever starts the process hands over: in a variable, or as a credential of systemd.

use super::{
    KeyAdoption, KeyFingerprint, MasterKey, MasterKeyError, MasterKeyProvider, NextKeyRequest, SoftwareKey,
    file::{read_key_file, require_new},
};
use crate::keyring::parse_key;
use base::{Environment, Secret};
use std::{os::unix::ffi::OsStringExt as _, path::PathBuf, sync::Arc};

/// A master key that is not this server's to change: the operator puts a new one in its place.
#[derive(Debug)]
pub enum SuppliedKeyProvider {
    /// In a variable of the environment, 64 hexadecimal digits.
    Variable(String),
    /// A credential of systemd: a file in the folder that `$CREDENTIALS_DIRECTORY` names.
    Credential { name: String, folder: Option<PathBuf> },
}

impl SuppliedKeyProvider {
    /// The key in this variable.
    pub fn variable(name: &str) -> Self {
        Self::Variable(name.to_owned())
    }

    /// The credential of this name, in the folder that systemd made for the process.
    pub fn credential(name: &str) -> Self {
        let folder = std::env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from);
        Self::Credential { name: name.to_owned(), folder }
    }
}

impl MasterKeyProvider for SuppliedKeyProvider {
    fn place(&self) -> String {
        match self {
            Self::Variable(name) => format!("the environment variable {name}"),
            Self::Credential { name, .. } => {
                format!("the credential {name} of systemd ($CREDENTIALS_DIRECTORY)")
            }
        }
    }

    fn load(&self) -> Result<Vec<Arc<dyn MasterKey>>, MasterKeyError> {
        match self {
            Self::Variable(name) => {
                let Some(text) = std::env::var_os(name) else { return Ok(Vec::new()) };
                let text = Secret::new(text.into_vec());
                let key = parse_key(text.expose()).ok_or_else(|| MasterKeyError::Malformed(self.place()))?;
                Ok(vec![Arc::new(SoftwareKey::new(key))])
            }
            Self::Credential { name, folder } => {
                let Some(folder) = folder else { return Ok(Vec::new()) };
                // systemd guards the folder; a mode of the file itself shows its access list.
                let key = read_key_file(&folder.join(name), false)?;
                Ok(key.into_iter().map(|key| Arc::new(key) as Arc<dyn MasterKey>).collect())
            }
        }
    }

    fn create(&self, _: &dyn Environment) -> Result<Arc<dyn MasterKey>, MasterKeyError> {
        Err(MasterKeyError::NotMade(self.place()))
    }

    /// The new key is in the file that the operator names.
    fn prepare_next(
        &self,
        _: &dyn Environment,
        request: &NextKeyRequest<'_>,
    ) -> Result<Arc<dyn MasterKey>, MasterKeyError> {
        let needed = || MasterKeyError::NextKeyNeeded(self.place());
        let file = request.file.ok_or_else(needed)?;
        let key = read_key_file(file, true)?.ok_or_else(needed)?;
        require_new(key, &file.display().to_string(), request.known)
    }

    /// Tells whether the operator has put the new key in place already, or has to do it.
    fn adopt_next(&self, _: &KeyFingerprint, next: &KeyFingerprint) -> Result<KeyAdoption, MasterKeyError> {
        Ok(if self.load()?.iter().any(|key| key.fingerprint() == next) {
            KeyAdoption::InPlace(None)
        } else {
            KeyAdoption::ByOperator(self.place())
        })
    }
}
