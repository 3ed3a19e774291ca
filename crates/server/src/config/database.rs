//! The database.

use super::Config;
use anyhow::Context as _;
use base::Secret;
use domain::keyring::create_private_file;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

/// The section `[database]`.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct DatabaseConfig {
    /// `sqlite:PATH` or `postgres://…`. `None`: `assay.db` in the data folder. Never printed, because it may contain a
    /// password.
    #[serde(skip_serializing)]
    url: Option<Secret<String>>,
    /// A file that contains the URL, so that its password appears in no process list. Wins over `url`.
    url_file: Option<PathBuf>,
    /// Open connections, at most.
    connections: u32,
}

impl Default for DatabaseConfig {
    fn default() -> Self {
        Self { url: None, url_file: None, connections: 8 }
    }
}

/// Creates the file of a database, for its owner only, unless it exists. SQLite gives the mode on to what it keeps beside
/// it, and reads an empty file as an empty database.
fn create_for_owner(file: &Path) -> anyhow::Result<()> {
    match create_private_file(file) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => {
            Err(error).with_context(|| format!("the database {} cannot be made", file.display()))
        }
        _ => Ok(()),
    }
}

/// Whether SQLite keeps the database in a file of this name, and not in memory or at an address of its own.
fn is_file_name(file: &Path) -> bool {
    !file.to_string_lossy().starts_with(':') && !file.to_string_lossy().starts_with("file:")
}

impl Config {
    /// Opens the database, without connecting yet. The data folder is created if the database is in it.
    pub(crate) fn open_database(&self) -> anyhow::Result<db::Db> {
        if let DatabaseConfig { url_file: None, url: None, .. } = &self.database {
            self.data_dir()?;
        }
        let database = self.open_existing_database()?;
        if let Some(file) = database.sqlite_file().filter(|file| is_file_name(file)) {
            create_for_owner(&file)?;
        }
        Ok(database)
    }

    /// Opens the database, without connecting yet and without creating the data folder.
    pub(crate) fn open_existing_database(&self) -> anyhow::Result<db::Db> {
        let url = match (&self.database.url_file, &self.database.url) {
            (Some(file), _) => std::fs::read_to_string(file)
                .with_context(|| format!("database.url_file {} cannot be read", file.display()))?
                .trim()
                .to_owned(),
            (None, Some(url)) => url.expose().clone(),
            (None, None) => format!("sqlite:{}", self.data_dir.join("assay.db").display()),
        };
        let db = db::Db::open(&url, self.database.connections)
            .context("database.url is not the address of a database")?;
        Ok(match &self.actor {
            Some(actor) => db.acting_as(actor.as_str()),
            None => db,
        })
    }
}
