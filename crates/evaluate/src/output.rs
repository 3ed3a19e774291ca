//! What the commands print. The reader of a pipe may go away (`assay … | head`): that is no reason to fail, but a full disk is.

use std::{
    fmt::Arguments,
    io::{Error, ErrorKind, Write as _, stderr, stdout},
    sync::OnceLock,
};

/// Why a line of the report was not written: the first reason.
static FAILURE: OnceLock<Error> = OnceLock::new();

/// Prints a line of the report.
pub(crate) fn line(text: Arguments<'_>) {
    if let Err(error) = writeln!(stdout(), "{text}")
        && error.kind() != ErrorKind::BrokenPipe
    {
        let _later = FAILURE.set(error);
    }
}

/// Fails if a line of the report was not written.
pub(crate) fn ensure_written() -> anyhow::Result<()> {
    match FAILURE.get() {
        Some(error) => Err(anyhow::anyhow!("the report could not be written: {error}")),
        None => Ok(()),
    }
}

/// Prints a line beside the report, to the standard error output.
pub(crate) fn remark(text: Arguments<'_>) {
    let _closed = writeln!(stderr(), "{text}");
}

/// Prints a report as indented JSON.
pub(crate) fn json(report: &impl serde::Serialize) -> anyhow::Result<()> {
    line(format_args!("{}", serde_json::to_string_pretty(report)?));
    Ok(())
}
