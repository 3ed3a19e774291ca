//! Policies: signed, readable files that say, for a law, which methods prove an age, in which order and with which
//! thresholds. A session names one instead of spelling methods out.
//!
//! A policy is a TOML file with a detached signature beside it (`gb.toml`, `gb.toml.jws`; RFC 7515, appendix F). Those of
//! this program are part of it and are signed with its makers' key; an operator adds a folder of their own with a key of
//! their own. A file whose signature is missing or wrong is known by its name only, and a session that names it is refused
//! with the reason.

mod file;
mod request;
mod shipped;
mod signature;

pub use file::{AgePolicy, AgePolicyMethod, AgePolicyOrigin, AgePolicySource, PolicyFileError};
pub use signature::{PolicyKey, PolicySignatureError, sign_policy};

use age_methods::InvalidSettingError;
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// What follows the name of a policy file in the name of its signature.
pub const POLICY_SIGNATURE_SUFFIX: &str = ".jws";
/// Files of a folder at most.
const MAX_FOLDER_FILES: usize = 256;

/// Where the operator's own policies are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgePolicySettings {
    /// A folder with files `NAME.toml`, each with its signature `NAME.toml.jws`.
    pub folder: Option<PathBuf>,
    /// The public key that verifies them: on P-256, PEM.
    pub key_file: Option<PathBuf>,
}

/// The policies that sessions can name.
#[derive(Clone, Debug)]
pub struct AgePolicyBook {
    policies: BTreeMap<String, AgePolicy>,
    /// Files that are not used, by the name that a session would use; and why.
    refused: BTreeMap<String, String>,
}

/// Why a session cannot have a policy; reads on from the path of the member.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyLookupError {
    #[error("there is no policy `{name}`; there are: {known}")]
    Unknown { name: String, known: String },
    #[error("the policy `{name}` is version {version} here")]
    OtherVersion { name: String, version: u32 },
    #[error("the policy `{name}` is not used: {reason}")]
    Refused { name: String, reason: String },
}

impl AgePolicyBook {
    /// The policies of this program and those of the operator's folder. A folder or key that cannot be read is refused;
    /// a single file that cannot be used is logged and remembered by its name.
    pub fn open(settings: &AgePolicySettings) -> Result<Self, InvalidSettingError> {
        let mut book = Self { policies: BTreeMap::new(), refused: BTreeMap::new() };
        for (name, file, signature) in shipped::SHIPPED_POLICIES {
            let read = AgePolicy::read_signed(
                name,
                file.as_bytes(),
                signature,
                &PolicyKey::of_program(),
                AgePolicyOrigin::Program,
            );
            book.keep(name, read);
        }
        match (&settings.folder, &settings.key_file) {
            (None, None) => {}
            (Some(folder), Some(key_file)) => book.add_folder(folder, &PolicyKey::open(key_file)?)?,
            (Some(_), None) => {
                return Err(setting("key_file", "it is required beside `folder`"));
            }
            (None, Some(_)) => return Err(setting("folder", "it is required beside `key_file`")),
        }
        Ok(book)
    }

    fn add_folder(&mut self, folder: &Path, key: &PolicyKey) -> Result<(), InvalidSettingError> {
        let failed = |error: std::io::Error| {
            setting("folder", format!("{} cannot be read: {error}", folder.display()))
        };
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).map_err(failed)? {
            let path = entry.map_err(failed)?.path();
            if path.extension().is_some_and(|extension| extension == "toml") {
                files.push(path);
            }
        }
        if files.len() > MAX_FOLDER_FILES {
            let words = format!("{} policies are there, at most {MAX_FOLDER_FILES} are read", files.len());
            return Err(setting("folder", words));
        }
        files.sort();
        for path in files {
            let Some(name) = path.file_stem().and_then(|name| name.to_str()) else { continue };
            if self.policies.contains_key(name) {
                let words =
                    format!("{name}.toml has the name of a policy of this program; name it otherwise");
                return Err(setting("folder", words));
            }
            let read = AgePolicy::read_file(&path, key, AgePolicyOrigin::Operator);
            self.keep(name, read);
        }
        Ok(())
    }

    fn keep(&mut self, name: &str, read: Result<AgePolicy, PolicyFileError>) {
        match read {
            Ok(policy) => {
                self.policies.insert(name.to_owned(), policy);
            }
            Err(error) => {
                tracing::error!(policy = name, error = %error, "a policy is not used");
                self.refused.insert(name.to_owned(), error.to_string());
            }
        }
    }

    /// Every policy, by name.
    pub fn policies(&self) -> impl Iterator<Item = &AgePolicy> {
        self.policies.values()
    }

    /// The files that are not used: their names, and why.
    pub fn refused(&self) -> impl Iterator<Item = (&str, &str)> {
        self.refused.iter().map(|(name, reason)| (name.as_str(), reason.as_str()))
    }

    /// A policy by its name, `gb`, or by name and version, `gb@1`.
    pub fn find(&self, named: &str) -> Result<&AgePolicy, PolicyLookupError> {
        let (name, version) = named.split_once('@').map_or((named, None), |(name, rest)| (name, Some(rest)));
        // What is echoed is bounded.
        let shown = || name.chars().take(file::MAX_ID_CHARS).collect::<String>();
        if let Some(reason) = self.refused.get(name) {
            return Err(PolicyLookupError::Refused { name: shown(), reason: reason.clone() });
        }
        let Some(policy) = self.policies.get(name) else {
            let known = self.policies.keys().map(String::as_str).collect::<Vec<_>>().join(", ");
            return Err(PolicyLookupError::Unknown { name: shown(), known });
        };
        match version {
            Some(version) if version != policy.version.to_string() => {
                Err(PolicyLookupError::OtherVersion { name: shown(), version: policy.version })
            }
            _ => Ok(policy),
        }
    }
}

fn setting(name: &'static str, problem: impl Into<String>) -> InvalidSettingError {
    InvalidSettingError { setting: name, problem: problem.into() }
}

#[cfg(test)]
mod tests;
