//! What the command line prints. The server itself logs instead.

use std::fmt::Arguments;

/// A line of the answer.
#[expect(clippy::print_stdout, reason = "a command's answer belongs on standard output")]
pub(crate) fn line(text: Arguments<'_>) {
    println!("{text}");
}

/// A line about the command itself.
#[expect(clippy::print_stderr, reason = "progress and errors belong on standard error")]
pub(crate) fn error(text: Arguments<'_>) {
    eprintln!("{text}");
}

/// A value as indented JSON.
pub(crate) fn json(value: &impl serde::Serialize) -> anyhow::Result<()> {
    line(format_args!("{}", serde_json::to_string_pretty(value)?));
    Ok(())
}
