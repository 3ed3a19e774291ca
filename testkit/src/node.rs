//! Programs made of others' libraries, in Node. Their packages are locked beside them.

use serde_json::Value;
use std::{
    collections::BTreeSet,
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
};

const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Folders whose packages are there.
static INSTALLED: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());

/// A program in a folder of the repository, to be talked to over its standard input and output.
///
/// # Panics
/// If its packages cannot be installed.
pub fn program(folder: &str, name: &str) -> Command {
    let repository = Path::new(REPOSITORY);
    let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
    if !installed.contains(folder) {
        let status = Command::new(repository.join("scripts/node-packages.sh")).arg(folder).status();
        let status = status.expect("the script runs");
        assert!(status.success(), "the packages of {folder} could not be installed");
        installed.insert(folder.to_owned());
    }
    let mut node = Command::new("node");
    node.arg(name).current_dir(repository.join(folder)).stdin(Stdio::piped()).stdout(Stdio::piped());
    node
}

/// Has a program do one thing: it reads `input` and prints what came of it.
///
/// # Panics
/// If it fails.
pub fn ask(folder: &str, name: &str, command: &str, input: &Value) -> Value {
    let mut node = program(folder, name).arg(command).spawn().expect("node is installed");
    node.stdin.take().expect("it is piped").write_all(input.to_string().as_bytes()).expect("it reads");
    let output = node.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{name} fails at {command}");
    serde_json::from_slice(&output.stdout).expect("it prints JSON")
}
