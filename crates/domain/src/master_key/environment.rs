//! A master key that whoever starts the process hands over: in a variable, or as a credential of systemd.

use super::{
    KeyAdoption, KeyFingerprint, MasterKey, MasterKeyError, MasterKeyProvider, NextKeyRequest, SoftwareKey,
    file::read_key_file,
};
use crate::keyring::parse_key;
use base::{Environment, Secret};
use std::{os::unix::ffi::OsStringExt as _, path::PathBuf, sync::Arc};

/// The master key is in a variable of the environment, 64 hexadecimal digits.
#[derive(Debug)]
pub struct EnvironmentProvider {
    variable: String,
}

/// The master key is a credential of systemd: a file in the folder that `$CREDENTIALS_DIRECTORY` names.
#[derive(Debug)]
pub struct CredentialProvider {
    name: String,
    folder: Option<PathBuf>,
}

impl EnvironmentProvider {
    /// The key in this variable.
    pub fn new(variable: &str) -> Self {
        Self { variable: variable.to_owned() }
    }
}

impl CredentialProvider {
    /// The credential of this name, in the folder that systemd made for the process.
    pub fn new(name: &str) -> Self {
        let folder = std::env::var_os("CREDENTIALS_DIRECTORY").map(PathBuf::from);
        Self { name: name.to_owned(), folder }
    }
}

impl MasterKeyProvider for EnvironmentProvider {
    fn place(&self) -> String {
        format!("the environment variable {}", self.variable)
    }

    fn load(&self) -> Result<Vec<Arc<dyn MasterKey>>, MasterKeyError> {
        let Some(text) = std::env::var_os(&self.variable) else { return Ok(Vec::new()) };
        let text = Secret::new(text.into_vec());
        let key = parse_key(text.expose()).ok_or_else(|| MasterKeyError::Malformed(self.place()))?;
        Ok(vec![Arc::new(SoftwareKey::new(key))])
    }

    fn create(&self, _: &dyn Environment) -> Result<Arc<dyn MasterKey>, MasterKeyError> {
        Err(MasterKeyError::NotMade(self.place()))
    }

    fn prepare_next(
        &self,
        _: &dyn Environment,
        request: &NextKeyRequest<'_>,
    ) -> Result<Arc<dyn MasterKey>, MasterKeyError> {
        given_key(self, request)
    }

    fn adopt_next(&self, _: &KeyFingerprint, next: &KeyFingerprint) -> Result<KeyAdoption, MasterKeyError> {
        adoption_by_operator(self, next)
    }
}

impl MasterKeyProvider for CredentialProvider {
    fn place(&self) -> String {
        format!("the credential {} of systemd ($CREDENTIALS_DIRECTORY)", self.name)
    }

    fn load(&self) -> Result<Vec<Arc<dyn MasterKey>>, MasterKeyError> {
        let Some(folder) = &self.folder else { return Ok(Vec::new()) };
        // systemd guards the folder; a mode of the file itself shows its access list.
        let key = read_key_file(&folder.join(&self.name), false)?;
        Ok(key.into_iter().map(|key| Arc::new(key) as Arc<dyn MasterKey>).collect())
    }

    fn create(&self, _: &dyn Environment) -> Result<Arc<dyn MasterKey>, MasterKeyError> {
        Err(MasterKeyError::NotMade(self.place()))
    }

    fn prepare_next(
        &self,
        _: &dyn Environment,
        request: &NextKeyRequest<'_>,
    ) -> Result<Arc<dyn MasterKey>, MasterKeyError> {
        given_key(self, request)
    }

    fn adopt_next(&self, _: &KeyFingerprint, next: &KeyFingerprint) -> Result<KeyAdoption, MasterKeyError> {
        adoption_by_operator(self, next)
    }
}

/// The new key in the file that the operator names.
fn given_key(
    provider: &dyn MasterKeyProvider,
    request: &NextKeyRequest<'_>,
) -> Result<Arc<dyn MasterKey>, MasterKeyError> {
    let file = request.file.ok_or_else(|| MasterKeyError::NextKeyNeeded(provider.place()))?;
    let key = read_key_file(file, true)?.ok_or_else(|| MasterKeyError::NextKeyNeeded(provider.place()))?;
    super::file::require_new(key, &file.display().to_string(), request.known)
}

/// Whether the operator has put the new key in place already, or has to do it.
fn adoption_by_operator(
    provider: &dyn MasterKeyProvider,
    next: &KeyFingerprint,
) -> Result<KeyAdoption, MasterKeyError> {
    Ok(if provider.load()?.iter().any(|key| key.fingerprint() == next) {
        KeyAdoption::InPlace(None)
    } else {
        KeyAdoption::ByOperator(provider.place())
    })
}
