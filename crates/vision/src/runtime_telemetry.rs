//! ONNX Runtime's reports of its use, which are never wanted.
//!
//! From 1.29 on, its packages for Linux send events to its maker from the moment they are loaded: names and hashes of models,
//! times and counts of their runs, a lasting id of the machine. They wait in a database below the home folder until the network
//! is there. No function of its interface turns all of that off, only a variable of the environment that is there before it is loaded.

use std::{ffi::OsStr, io, os::unix::process::CommandExt as _, process::Command};

/// The variable that keeps the runtime from collecting anything, and its value.
const VARIABLE: (&str, &str) = ("ORT_DISABLE_TELEMETRY", "1");

/// Sees to it that this process, and what it starts, may load the runtime: first thing in `main`. Where the variable is not set,
/// the program is started anew with it, in the same process and with the same arguments, because a variable can be set safely only
/// before a program runs. Returns if that is not necessary; an error if it is not possible.
pub fn disable_runtime_telemetry() -> io::Result<()> {
    if is_disabled() {
        return Ok(());
    }
    let mut arguments = std::env::args_os();
    let mut again = Command::new(std::env::current_exe()?);
    if let Some(name) = arguments.next() {
        again.arg0(name);
    }
    Err(again.args(arguments).env(VARIABLE.0, VARIABLE.1).exec())
}

/// Whether the runtime, once it is loaded, will collect nothing.
pub(crate) fn is_disabled() -> bool {
    std::env::var_os(VARIABLE.0).as_deref() == Some(OsStr::new(VARIABLE.1))
}
