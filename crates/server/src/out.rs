//! What the commands print; the server itself logs instead. Writing to a closed pipe (`assay … | head`) is no error.

use std::{
    fmt::Arguments,
    io::{Write as _, stderr, stdout},
};

/// Prints a line of the result, to stdout.
pub(crate) fn line(text: Arguments<'_>) {
    let _closed = writeln!(stdout(), "{text}");
}

/// Prints a line about the command itself, to stderr.
pub(crate) fn remark(text: Arguments<'_>) {
    let _closed = writeln!(stderr(), "{text}");
}

/// Prints a value as indented JSON, to stdout.
pub(crate) fn json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    line(format_args!("{}", serde_json::to_string_pretty(value)?));
    Ok(())
}
