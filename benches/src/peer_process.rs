//! Peers in another process, which answers one command after the other.

use anyhow::{Context as _, bail};
use serde_json::Value;
use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// The process; dropping it kills it.
pub(crate) struct PeerProcess {
    /// Installs what the process needs.
    installer: &'static str,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl PeerProcess {
    /// Starts a peer in JavaScript.
    pub(crate) fn start_node(script: &Path) -> anyhow::Result<Self> {
        Self::start(Command::new("node").arg(script), "`npm ci` in benches")
    }

    /// Starts peers in Python; `folder` holds the script and its virtual environment.
    pub(crate) fn start_python(folder: &Path, script: &str) -> anyhow::Result<Self> {
        let mut command = Command::new(folder.join(".venv/bin/python"));
        Self::start(command.arg(folder.join(script)), "scripts/python-packages.sh")
    }

    fn start(command: &mut Command, installer: &'static str) -> anyhow::Result<Self> {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().with_context(|| {
                format!("{command:?} cannot be started; {installer} installs what it needs")
            })?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (input, output) = input.zip(output).context("the peer has its pipes")?;
        Ok(Self { installer, child, input, output: BufReader::new(output) })
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a command and reads the answer.
    pub(crate) fn ask(&mut self, command: &str) -> anyhow::Result<Value> {
        writeln!(self.input, "{command}")?;
        let mut answer = String::new();
        if self.output.read_line(&mut answer)? == 0 {
            bail!("the peer ended at {command:?}; {} installs what it needs", self.installer);
        }
        let answer: Value = serde_json::from_str(&answer)?;
        match answer.get("error") {
            Some(error) => bail!("the peer failed at {command:?}: {error}"),
            None => Ok(answer),
        }
    }
}

impl Drop for PeerProcess {
    fn drop(&mut self) {
        let _ended_already = self.child.kill();
        let _ended = self.child.wait();
    }
}
