//! What the command line prints. The server itself logs instead. Whoever reads may go away (`assay … | head`): that is
//! no reason to fail.

use std::{
    fmt::Arguments,
    io::{Write as _, stderr, stdout},
};

/// A line of the answer.
pub(crate) fn line(text: Arguments<'_>) {
    let _gone = writeln!(stdout(), "{text}");
}

/// A line about the command itself.
pub(crate) fn remark(text: Arguments<'_>) {
    let _gone = writeln!(stderr(), "{text}");
}

/// A value as indented JSON.
pub(crate) fn json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    line(format_args!("{}", serde_json::to_string_pretty(value)?));
    Ok(())
}
