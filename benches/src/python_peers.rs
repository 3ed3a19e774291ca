//! Peers in Python, in another process.

use anyhow::{Context as _, bail};
use serde_json::Value;
use std::{
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

/// The process; dropping it kills it.
pub(crate) struct PythonPeers {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl PythonPeers {
    /// `folder` holds the script and its virtual environment.
    pub(crate) fn start(folder: &Path, script: &str) -> anyhow::Result<Self> {
        let mut child = Command::new(folder.join(".venv/bin/python"))
            .arg(folder.join(script))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("the peers cannot be started; scripts/python-packages.sh installs what they need")?;
        let (input, output) = (child.stdin.take(), child.stdout.take());
        let (input, output) = input.zip(output).context("the peers have their pipes")?;
        Ok(Self { child, input, output: BufReader::new(output) })
    }

    /// Sends a command and reads the answer.
    pub(crate) fn ask(&mut self, command: &str) -> anyhow::Result<Value> {
        writeln!(self.input, "{command}")?;
        let mut answer = String::new();
        if self.output.read_line(&mut answer)? == 0 {
            bail!("the peers ended at {command:?}");
        }
        let answer: Value = serde_json::from_str(&answer)?;
        match answer.get("error") {
            Some(error) => bail!("the peers failed at {command:?}: {error}"),
            None => Ok(answer),
        }
    }
}

impl Drop for PythonPeers {
    fn drop(&mut self) {
        let _ended_already = self.child.kill();
        let _ended = self.child.wait();
    }
}
