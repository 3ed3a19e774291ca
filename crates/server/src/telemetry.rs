//! Logs: one line for each fact, with field names to search by. docs/LOGGING.md says what is never logged.

use crate::config::{LogConfig, LogFormat};
use anyhow::Context as _;
use std::io::IsTerminal as _;
use tracing_subscriber::{EnvFilter, fmt};

/// Starts the log of this process, on stderr.
pub(crate) fn install_logging(log: &LogConfig) -> anyhow::Result<()> {
    // sqlx logs every statement. Ours contain no values, but there can be thousands a second.
    let filter = format!("{},sqlx=warn,ort=warn,hyper=warn", log.filter);
    let filter = EnvFilter::try_new(&filter)
        .with_context(|| format!("log.filter {:?} is not understood", log.filter))?;
    let lines = fmt().with_env_filter(filter).with_target(false).with_writer(std::io::stderr);
    // Colours only on a terminal: a file or a journal would contain the escape codes.
    let lines = lines.with_ansi(std::io::stderr().is_terminal());
    match log.format {
        LogFormat::Text => lines.try_init(),
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    }
    .map_err(|error| anyhow::anyhow!("the log cannot be started: {error}"))
}
