//! The database.

use super::Config;
use anyhow::Context as _;
use base::Secret;
use serde::{Deserialize, Serialize};
use std::path::PathBuf;

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

impl Config {
    /// Opens the database, without connecting yet. The data folder is created if the database is in it.
    pub(crate) fn open_database(&self) -> anyhow::Result<db::Db> {
        if let DatabaseConfig { url_file: None, url: None, .. } = &self.database {
            self.data_dir()?;
        }
        self.open_existing_database()
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
            .context("database.url is no address of a database")?;
        Ok(match &self.actor {
            Some(actor) => db.acting_as(actor.as_str()),
            None => db,
        })
    }
}
