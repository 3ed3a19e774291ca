//! What the settings of all providers have in common.

use base::Secret;
use media::fetch::Fetcher;
use std::{fs::File, io::Read as _, path::Path};
use zeroize::Zeroizing;

/// Larger files are refused.
const MAX_FILE_BYTES: u64 = 4 << 20;
/// Larger secret files are refused.
const MAX_SECRET_BYTES: u64 = 64 << 10;

/// A setting with which a provider cannot be opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{setting}: {problem}")]
pub struct InvalidSettingError {
    /// The setting at fault, as it is spelled in the configuration.
    pub setting: &'static str,
    /// What is wrong with it; never contains the secret.
    pub problem: String,
}

impl InvalidSettingError {
    pub(crate) fn new(setting: &'static str, problem: impl Into<String>) -> Self {
        Self { setting, problem: problem.into() }
    }
}

/// Reads a file that is not secret.
pub(crate) fn read_file(setting: &'static str, file: &Path) -> Result<Vec<u8>, InvalidSettingError> {
    let failed = |error: std::io::Error| {
        InvalidSettingError::new(setting, format!("{} cannot be read: {error}", file.display()))
    };
    let mut bytes = Vec::new();
    File::open(file).map_err(failed)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_FILE_BYTES {
        return Err(InvalidSettingError::new(setting, format!("{} has more than 4 MiB", file.display())));
    }
    Ok(bytes)
}

/// Reads a secret from a file, without the white space around it.
pub(crate) fn read_secret(setting: &'static str, file: &Path) -> Result<Secret<String>, InvalidSettingError> {
    let failed = |error: std::io::Error| {
        InvalidSettingError::new(setting, format!("{} cannot be read: {error}", file.display()))
    };
    let mut text = Zeroizing::new(String::new());
    File::open(file).map_err(failed)?.take(MAX_SECRET_BYTES + 1).read_to_string(&mut text).map_err(failed)?;
    if text.len() as u64 > MAX_SECRET_BYTES {
        return Err(InvalidSettingError::new(setting, format!("{} has more than 64 KiB", file.display())));
    }
    if text.trim().is_empty() {
        return Err(InvalidSettingError::new(setting, format!("{} is empty", file.display())));
    }
    Ok(Secret::new(text.trim().to_owned()))
}

/// A URL that the fetcher would call, judging by its text alone.
pub(crate) fn callable_url(
    setting: &'static str,
    fetcher: &Fetcher,
    text: &str,
) -> Result<String, InvalidSettingError> {
    let target = fetcher
        .parse_target(text)
        .map_err(|refused| InvalidSettingError::new(setting, refused.to_string()))?;
    Ok(target.as_str().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_a_short_file_with_something_in_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("secret");
        let read = |text: &str| {
            std::fs::write(&file, text).unwrap();
            read_secret("secret_file", &file)
        };
        assert_eq!(read(" hunter2\n").unwrap().expose(), "hunter2");
        assert_eq!(read("\n").unwrap_err().problem, format!("{} is empty", file.display()));
        assert!(read(&"x".repeat(70_000)).is_err());
        std::fs::write(&file, [0xff, 0xfe]).unwrap();
        assert!(read_secret("secret_file", &file).is_err());
        assert!(read_secret("secret_file", &folder.path().join("none")).is_err());
    }
}
