//! The commands other than `serve` and `work`, one file each.

pub(crate) mod account;
pub(crate) mod app;
pub(crate) mod audit;
pub(crate) mod bench;
pub(crate) mod call;
pub(crate) mod deliveries;
pub(crate) mod doctor;
pub(crate) mod evaluate;
pub(crate) mod faces;
pub(crate) mod fraud_list;
pub(crate) mod init;
pub(crate) mod jobs;
pub(crate) mod key;
pub(crate) mod keys;
pub(crate) mod models;
pub(crate) mod operator;
pub(crate) mod org;
pub(crate) mod poa;
pub(crate) mod policies;
pub(crate) mod practice_statement;
pub(crate) mod read_document;
pub(crate) mod reviews;
pub(crate) mod sample_face;
pub(crate) mod token;

use crate::config::Config;
use base::{MOMENT_WORDS, Timestamp};
use db::Db;

/// The name of what a command creates, as an argument or an option.
#[derive(clap::Args)]
#[group(required = true, multiple = false)]
pub(crate) struct NameArgs {
    /// Its name, 1 to 200 characters.
    #[arg(value_name = "NAME")]
    argument: Option<String>,
    /// Its name, as an option.
    #[arg(long = "name", value_name = "NAME")]
    option: Option<String>,
}

impl From<NameArgs> for String {
    fn from(NameArgs { argument, option }: NameArgs) -> Self {
        argument.or(option).unwrap_or_default()
    }
}

/// The moment that an option names.
fn parse_moment(text: &str) -> Result<Timestamp, String> {
    base::parse_moment(text).ok_or_else(|| format!("it is not {MOMENT_WORDS}"))
}

/// Opens the database and migrates it: a command may be the first that runs on this installation. Fails if the master key is
/// not the one that the database needs.
async fn open_database(config: &Config) -> anyhow::Result<Db> {
    Ok(config.open_audited_database().await?.0)
}
