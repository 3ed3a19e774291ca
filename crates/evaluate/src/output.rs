//! What commands print; a server logs instead. The reader of a pipe may go away (`assay … | head`): that is no error. A result that
//! cannot be written for another reason, as to a full disk, makes the command fail.

use std::{
    fmt::Arguments,
    io::{Error, ErrorKind, Write as _, stderr, stdout},
    sync::OnceLock,
};

/// Why a line of the result was not written: the first reason.
static FAILURE: OnceLock<Error> = OnceLock::new();

/// Prints a line of the result, to stdout.
pub fn line(text: Arguments<'_>) {
    if let Err(error) = writeln!(stdout(), "{text}")
        && error.kind() != ErrorKind::BrokenPipe
    {
        let _later = FAILURE.set(error);
    }
}

/// Why the result is not whole; `None` if it is. Whoever runs a command asks for it at the end.
pub fn failure() -> Option<&'static Error> {
    FAILURE.get()
}

/// Prints a line about the command itself, to stderr.
pub fn remark(text: Arguments<'_>) {
    let _closed = writeln!(stderr(), "{text}");
}

/// Prints a value as indented JSON, to stdout.
pub fn json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    line(format_args!("{}", serde_json::to_string_pretty(value)?));
    Ok(())
}
