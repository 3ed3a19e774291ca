//! What the commands print. The reader of a pipe may go away (`assay … | head`): that is no reason to fail.

use std::{
    fmt::Arguments,
    io::{Write as _, stderr, stdout},
};

/// Prints a line of the report.
pub(crate) fn line(text: Arguments<'_>) {
    let _closed = writeln!(stdout(), "{text}");
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
