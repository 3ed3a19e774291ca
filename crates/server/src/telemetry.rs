//! Logs: one line a fact, with names to search by. See docs/LOGGING.md for what never stands in one.

use crate::config::{LogConfig, LogFormat};
use anyhow::Context as _;
use std::io::IsTerminal as _;
use tracing_subscriber::{EnvFilter, fmt};

/// Becomes the process's log.
pub(crate) fn install_logging(log: &LogConfig) -> anyhow::Result<()> {
    // sqlx would log statements; ours carry no values, but a thousand lines a second help nobody.
    let filter = format!("{},sqlx=warn,ort=warn,hyper=warn", log.filter);
    let filter = EnvFilter::try_new(&filter)
        .with_context(|| format!("log.filter {:?} is not understood", log.filter))?;
    let lines = fmt().with_env_filter(filter).with_target(false).with_writer(std::io::stderr);
    // Colours are for terminals; a file or a journal would keep their codes.
    let lines = lines.with_ansi(std::io::stderr().is_terminal());
    match log.format {
        LogFormat::Text => lines.try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    }
    .map_err(|error| anyhow::anyhow!("the log cannot be started: {error}"))
}
