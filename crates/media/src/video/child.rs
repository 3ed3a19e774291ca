//! ffmpeg and ffprobe as processes of their own: nothing that a stranger's file does to them is done to us, and each has
//! limits before it reads a byte of one.

use super::{Settings, VideoError};
use rustix::process::{Pid, Resource, Rlimit, Signal, kill_process_group, prlimit, setpriority_process};
use std::{
    net::SocketAddr,
    path::Path,
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};
use tokio::{
    io::{AsyncRead, AsyncReadExt as _},
    process::{ChildStdin, ChildStdout, Command},
    task::JoinHandle,
};

/// What is kept of what it says.
const MOST_SAID: usize = 8 << 10;
/// Files and connections that it opens at once.
const MOST_FILES: u64 = 64;
/// Processor time that it may use without getting anywhere.
const SPARE: u64 = 120;
/// Bytes that lie between it and us: the most that anybody may ask for.
const PIPE: usize = 1 << 20;

/// A process that is gone when this is.
pub(super) struct Child {
    process: Option<tokio::process::Child>,
    pid: Option<Pid>,
    said: Arc<Mutex<Vec<u8>>>,
    listening: JoinHandle<()>,
    memory: u64,
}

impl Child {
    /// Starts a program that may connect to `relay` and has nothing of our environment.
    pub(super) fn start(
        program: &Path,
        arguments: &[String],
        relay: SocketAddr,
        stdin: Stdio,
        settings: &Settings,
    ) -> Result<Self, VideoError> {
        let mut process = Command::new(program)
            .args(arguments)
            .env_clear()
            // Whatever address it gets at, it asks the relay for it.
            .env("http_proxy", format!("http://{relay}"))
            // Each arena takes 64 MiB of addresses, which are limited.
            .env("MALLOC_ARENA_MAX", "2")
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| VideoError::Failed(error.to_string()))?;
        let pid = process.id().and_then(|id| Pid::from_raw(id as i32));
        let said = Arc::default();
        let listening = process.stderr.take().map(|stderr| tokio::spawn(listen(stderr, Arc::clone(&said))));
        let listening = listening.unwrap_or_else(|| tokio::spawn(std::future::ready(())));
        let child = Self { process: Some(process), pid, said, listening, memory: settings.decoder_bytes };
        child.limit(settings.niceness)?;
        Ok(child)
    }

    fn limit(&self, niceness: i32) -> Result<(), VideoError> {
        let Some(pid) = self.pid else { return Ok(()) };
        let limits = [
            (Resource::As, self.memory),
            (Resource::Fsize, 0),
            (Resource::Core, 0),
            (Resource::Nofile, MOST_FILES),
        ];
        for (resource, most) in limits {
            let limit = Rlimit { current: Some(most), maximum: Some(most) };
            prlimit(Some(pid), resource, limit).map_err(|error| VideoError::Failed(error.to_string()))?;
        }
        // A kernel that knows no niceness is no reason to give up.
        let _unsupported = setpriority_process(Some(pid), niceness);
        self.renew();
        Ok(())
    }

    /// Gives it more processor time, because it got somewhere.
    pub(super) fn renew(&self) {
        let Some(pid) = self.pid else { return };
        let most = used_seconds(pid).unwrap_or_default() + SPARE;
        let limit = Rlimit { current: Some(most), maximum: None };
        let _gone = prlimit(Some(pid), Resource::Cpu, limit);
    }

    pub(super) fn stdin(&mut self) -> Option<ChildStdin> {
        self.process.as_mut()?.stdin.take()
    }

    pub(super) fn stdout(&mut self) -> Result<ChildStdout, VideoError> {
        let stdout = self.process.as_mut().and_then(|process| process.stdout.take());
        let stdout = stdout.ok_or_else(|| VideoError::Failed("the process has no output".to_owned()))?;
        let _smaller = rustix::pipe::fcntl_setpipe_size(&stdout, PIPE);
        Ok(stdout)
    }

    /// Waits for its end, and says how it came and what was said; a failure that is its own and not the content's is an
    /// error.
    pub(super) async fn end(mut self) -> Result<(ExitStatus, String), VideoError> {
        let Some(mut process) = self.process.take() else {
            return Err(VideoError::Failed("the process is gone".to_owned()));
        };
        let failed = |error: std::io::Error| VideoError::Failed(error.to_string());
        let Ok(status) = tokio::time::timeout(Duration::from_secs(10), process.wait()).await else {
            // It closed its output and goes on all the same.
            process.kill().await.map_err(failed)?;
            return Err(VideoError::Stalled { seconds: 10 });
        };
        let status = status.map_err(failed)?;
        let _late = tokio::time::timeout(Duration::from_secs(1), &mut self.listening).await;
        let said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        let said = String::from_utf8_lossy(&said).into_owned();
        tracing::debug!(%status, said, "a decoder ended");
        self.judge(status, &said)?;
        Ok((status, said))
    }

    fn judge(&self, status: ExitStatus, said: &str) -> Result<(), VideoError> {
        let memory = || VideoError::Limit { what: "memory", limit: format!("{} MiB", self.memory >> 20) };
        if said.contains("Cannot allocate memory") || said.contains("std::bad_alloc") {
            return Err(memory());
        }
        let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) else { return Ok(()) };
        let is = |signals: &[Signal]| signals.iter().any(|known| known.as_raw() == signal);
        if is(&[Signal::XCPU]) {
            return Err(VideoError::Limit {
                what: "processor time",
                limit: format!("{SPARE} seconds for a picture"),
            });
        }
        // What it dies of when its own memory or the file is not as it thinks.
        if is(&[Signal::SEGV, Signal::ABORT, Signal::BUS, Signal::FPE, Signal::ILL]) {
            return Ok(());
        }
        Err(VideoError::Killed(signal))
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.listening.abort();
        let Some(mut process) = self.process.take() else { return };
        if let Some(pid) = self.pid {
            let _gone = kill_process_group(pid, Signal::KILL);
        }
        // Who waits for it takes it off the list of processes.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { process.wait().await });
        }
    }
}

/// Keeps the beginning of what is said, and reads the rest so that it can be said.
async fn listen(mut from: impl AsyncRead + Unpin, said: Arc<Mutex<Vec<u8>>>) {
    let mut bytes = [0; 1024];
    while let Ok(read @ 1..) = from.read(&mut bytes).await {
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MOST_SAID.saturating_sub(said.len()).min(read);
        said.extend_from_slice(&bytes[..room]);
    }
}

/// Processor time that a process used: the 14th and 15th field of its `stat`, of which the 2nd may contain anything.
fn used_seconds(pid: Pid) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid())).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let ticks: u64 = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some(ticks / rustix::param::clock_ticks_per_second().max(1))
}
