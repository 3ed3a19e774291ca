//! A child from its start to its end.

use super::{
    CAN_LAUNCH, SandboxSettings,
    launcher::{EXEC_FAILED, EXIT_NOT_EXECUTED, LAUNCH_WORD, LaunchOrder, LaunchReport},
    relay_listener::{RelayListener, StreamHandler},
};
use axum::Router;
use rustix::{
    net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, recvmsg},
    process::{Pid, Resource, Rlimit, Signal, kill_process_group, prlimit},
};
use std::{
    io::IoSliceMut,
    mem::MaybeUninit,
    net::{SocketAddr, TcpListener},
    os::fd::OwnedFd,
    path::Path,
    process::{ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
    time::Duration,
};
use tokio::{
    io::{AsyncReadExt as _, Interest},
    net::UnixStream,
    process::{ChildStdin, ChildStdout, Command},
    task::JoinHandle,
};

/// Bytes of a program's error output that are kept.
const MAX_STDERR_BYTES: usize = 8 << 10;
/// Bytes of a launcher's report.
const MAX_REPORT_BYTES: usize = 16 << 10;
/// How long a launcher may take; on a busy machine it waits for a processor.
const LAUNCH_TIMEOUT: Duration = Duration::from_secs(30);
/// Buffer of the pipe for the program's output: the most that an unprivileged process may ask for.
const PIPE_BYTES: usize = 1 << 20;

/// Limits on a process.
#[derive(Clone, Debug)]
pub(crate) struct ProcessLimits {
    /// Bytes of address space that it may reserve, including its libraries.
    pub(crate) memory_bytes: u64,
    /// Seconds of processor time that it may use without making progress.
    pub(crate) cpu_seconds: u64,
    /// Its niceness, 0 to 19.
    pub(crate) niceness: i32,
    /// The relay, to which alone it may connect; `None`: to nothing.
    pub(crate) relay: Option<RelayEntrance>,
}

/// How children reach the relay: at one address, which is its own where children share this process's network, and is
/// listened at once more in the network of each child that has its own.
#[derive(Clone, Debug)]
pub(crate) struct RelayEntrance {
    pub(crate) address: SocketAddr,
    pub(crate) router: Router,
    /// Serves what speaks RTSP there.
    pub(crate) streams: StreamHandler,
}

/// Why a process did not end normally. Only exceeding a limit can be the fault of the file that it read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SandboxedProcessError {
    /// It continued to run after it had closed its output.
    #[error("it did not end for {seconds} seconds")]
    Stalled { seconds: u64 },
    /// It needed more memory or processor time than its limit.
    #[error("it needs more {what} than it is given ({limit})")]
    Limit {
        what: &'static str,
        /// The limit with its unit.
        limit: String,
    },
    /// It was killed by a signal from outside.
    #[error("it was ended from outside (signal {0})")]
    Killed(i32),
    /// It could not be run; the text is for the operator.
    #[error("it could not be run: {0}")]
    Failed(String),
}

/// A running process. Dropping this kills it and its process group.
pub(crate) struct SandboxedProcess {
    process: Option<tokio::process::Child>,
    pid: Option<Pid>,
    stderr: Arc<Mutex<Vec<u8>>>,
    stderr_task: JoinHandle<()>,
    /// Serves the relay in the child's own network.
    relay_task: Option<JoinHandle<()>>,
    limits: ProcessLimits,
}

impl SandboxedProcess {
    /// Starts a program with an empty environment, confined as this process's settings say.
    pub(crate) async fn start(
        program: &Path,
        arguments: &[String],
        stdin: Stdio,
        limits: ProcessLimits,
    ) -> Result<Self, SandboxedProcessError> {
        Self::start_with(&super::settings(), program, arguments, stdin, limits).await
    }

    pub(super) async fn start_with(
        settings: &SandboxSettings,
        program: &Path,
        arguments: &[String],
        stdin: Stdio,
        limits: ProcessLimits,
    ) -> Result<Self, SandboxedProcessError> {
        let mut launched = launch(settings, Some((program, arguments)), stdin, &limits).await?;
        if let Some(failure) = launched.report.failure {
            let _ended = launched.process.kill().await;
            return Err(SandboxedProcessError::Failed(failure));
        }
        let relay_task = match (launched.listener, &limits.relay) {
            (Some(listener), Some(relay)) => Some(serve_relay(listener, relay)?),
            _ => None,
        };
        let pid = launched.process.id().and_then(|id| Pid::from_raw(id as i32));
        let said = Arc::new(Mutex::new(launched.said));
        let listening = tokio::spawn(collect_stderr(launched.stderr, Arc::clone(&said)));
        Ok(Self {
            process: Some(launched.process),
            pid,
            stderr: said,
            stderr_task: listening,
            relay_task,
            limits,
        })
    }

    /// Renews its limit on processor time, because it made progress.
    pub(crate) fn extend_cpu_limit(&self) {
        let Some(pid) = self.pid else { return };
        let most = cpu_seconds(pid).unwrap_or_default() + self.limits.cpu_seconds;
        let limit = Rlimit { current: Some(most), maximum: None };
        let _gone = prlimit(Some(pid), Resource::Cpu, limit);
    }

    pub(crate) fn stdin(&mut self) -> Option<ChildStdin> {
        self.process.as_mut()?.stdin.take()
    }

    pub(crate) fn stdout(&mut self) -> Result<ChildStdout, SandboxedProcessError> {
        let stdout = self.process.as_mut().and_then(|process| process.stdout.take());
        let stdout =
            stdout.ok_or_else(|| SandboxedProcessError::Failed("the process has no output".to_owned()))?;
        let _smaller = rustix::pipe::fcntl_setpipe_size(&stdout, PIPE_BYTES);
        Ok(stdout)
    }

    /// Waits for its end; returns its exit status and error output. A failure that does not come from the content is an
    /// error.
    pub(crate) async fn wait(mut self) -> Result<(ExitStatus, String), SandboxedProcessError> {
        let Some(mut process) = self.process.take() else {
            return Err(SandboxedProcessError::Failed("the process is gone".to_owned()));
        };
        let failed = |error: std::io::Error| SandboxedProcessError::Failed(error.to_string());
        let Ok(status) = tokio::time::timeout(Duration::from_secs(10), process.wait()).await else {
            // It closed its output and still runs.
            process.kill().await.map_err(failed)?;
            return Err(SandboxedProcessError::Stalled { seconds: 10 });
        };
        let status = status.map_err(failed)?;
        let _late = tokio::time::timeout(Duration::from_secs(1), &mut self.stderr_task).await;
        let said = self.stderr.lock().unwrap_or_else(PoisonError::into_inner);
        let said = String::from_utf8_lossy(&said).into_owned();
        tracing::debug!(%status, said, "a child ended");
        self.check_exit(status, &said)?;
        Ok((status, said))
    }

    fn check_exit(&self, status: ExitStatus, said: &str) -> Result<(), SandboxedProcessError> {
        let memory = || SandboxedProcessError::Limit {
            what: "memory",
            limit: format!("{} MiB", self.limits.memory_bytes >> 20),
        };
        if said.contains("Cannot allocate memory") || said.contains("std::bad_alloc") {
            return Err(memory());
        }
        if status.code() == Some(EXIT_NOT_EXECUTED) && said.starts_with(EXEC_FAILED) {
            return Err(SandboxedProcessError::Failed(said.to_owned()));
        }
        let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) else { return Ok(()) };
        let is = |signals: &[Signal]| signals.iter().any(|known| known.as_raw() == signal);
        if is(&[Signal::XCPU]) {
            return Err(SandboxedProcessError::Limit {
                what: "processor time",
                limit: format!("{} seconds", self.limits.cpu_seconds),
            });
        }
        // Crashes that a damaged file may cause: they do not count as failures of the process.
        if is(&[Signal::SEGV, Signal::ABORT, Signal::BUS, Signal::FPE, Signal::ILL]) {
            return Ok(());
        }
        Err(SandboxedProcessError::Killed(signal))
    }
}

impl Drop for SandboxedProcess {
    fn drop(&mut self) {
        self.stderr_task.abort();
        if let Some(relay) = &self.relay_task {
            relay.abort();
        }
        let Some(mut process) = self.process.take() else { return };
        if let Some(pid) = self.pid {
            let _gone = kill_process_group(pid, Signal::KILL);
        }
        // Waiting reaps the process.
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(async move { process.wait().await });
        }
    }
}

/// A launcher that has said what it applied.
struct Launched {
    process: tokio::process::Child,
    report: LaunchReport,
    listener: Option<OwnedFd>,
    stderr: UnixStream,
    /// What the program's error output began with.
    said: Vec<u8>,
}

/// Starts a launcher, which becomes the program, and waits until it is confined.
async fn launch(
    settings: &SandboxSettings,
    command: Option<(&Path, &[String])>,
    stdin: Stdio,
    limits: &ProcessLimits,
) -> Result<Launched, SandboxedProcessError> {
    let failed = |error: std::io::Error| SandboxedProcessError::Failed(error.to_string());
    // Unit tests are launched by another copy of this crate, which is not the one that is tested.
    if !cfg!(test) && !CAN_LAUNCH.load(Ordering::Relaxed) {
        return Err(SandboxedProcessError::Failed(
            "this executable cannot start children: it does not call media::sandbox::run_if_asked".to_owned(),
        ));
    }
    let order = order_text(settings, limits)?;
    // The error output is a socket, because a listener can be handed over on it.
    let (stderr, theirs) = std::os::unix::net::UnixStream::pair().map_err(failed)?;
    stderr.set_nonblocking(true).map_err(failed)?;
    let mut stderr = UnixStream::from_std(stderr).map_err(failed)?;
    // Not by its path: another version may have been installed there since.
    let mut launcher = Command::new("/proc/self/exe");
    launcher
        .args([LAUNCH_WORD, &order])
        .env_clear()
        // Each malloc arena reserves 64 MiB of address space, which is limited.
        .env("MALLOC_ARENA_MAX", "2")
        .stdin(stdin)
        .stdout(Stdio::piped())
        .stderr(OwnedFd::from(theirs))
        .process_group(0)
        .kill_on_drop(true);
    if let Some((program, arguments)) = command {
        launcher.arg(program).args(arguments);
    }
    if let Some(relay) = &limits.relay {
        // Requests for any address go to the relay.
        launcher.env("http_proxy", format!("http://{}", relay.address));
    }
    let process = launcher.spawn().map_err(failed)?;
    // It holds the launcher's end of the socket, whose closing is to be noticed.
    drop(launcher);
    let read = tokio::time::timeout(LAUNCH_TIMEOUT, read_report(&mut stderr)).await;
    let (report, listener, said) = read.unwrap_or_else(|_| {
        Err(SandboxedProcessError::Failed(format!(
            "the launcher of the child did not answer within {} seconds",
            LAUNCH_TIMEOUT.as_secs()
        )))
    })?;
    Ok(Launched { process, report, listener, stderr, said })
}

/// What a launcher is told.
pub(super) fn order_text(
    settings: &SandboxSettings,
    limits: &ProcessLimits,
) -> Result<String, SandboxedProcessError> {
    let order = LaunchOrder {
        memory_bytes: limits.memory_bytes,
        cpu_seconds: limits.cpu_seconds,
        niceness: limits.niceness,
        relay: limits.relay.as_ref().map(|relay| relay.address),
        readable_paths: settings.readable_paths.clone(),
        require_all: settings.require_sandbox,
    };
    serde_json::to_string(&order).map_err(|error| SandboxedProcessError::Failed(error.to_string()))
}

/// Reads a launcher's report, the listener that may come before it, and what may have come after it.
async fn read_report(
    stderr: &mut UnixStream,
) -> Result<(LaunchReport, Option<OwnedFd>, Vec<u8>), SandboxedProcessError> {
    let failed = |what: &str, said: &[u8]| {
        SandboxedProcessError::Failed(format!("{what}: {:?}", String::from_utf8_lossy(said)))
    };
    let (mut said, mut listener) = (Vec::new(), None);
    loop {
        let received = stderr.async_io(Interest::READABLE, || receive(stderr)).await;
        let (bytes, fd) = received.map_err(|error| SandboxedProcessError::Failed(error.to_string()))?;
        listener = listener.or(fd);
        if bytes.is_empty() {
            return Err(failed("the launcher of the child ended without a report", &said));
        }
        said.extend(bytes);
        // The empty line came with the listener.
        while said.first() == Some(&b'\n') {
            said.remove(0);
        }
        if let Some(end) = memchr::memchr(b'\n', &said) {
            let rest = said.split_off(end + 1);
            let report = serde_json::from_slice(&said);
            let report = report.map_err(|_| failed("the launcher of the child has no report", &said))?;
            return Ok((report, listener, rest));
        }
        if said.len() > MAX_REPORT_BYTES {
            return Err(failed("the launcher of the child reports too much", &said[..100]));
        }
    }
}

/// Receives bytes, and a file descriptor if one comes with them.
fn receive(from: &UnixStream) -> std::io::Result<(Vec<u8>, Option<OwnedFd>)> {
    let mut bytes = [0; 4096];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let received =
        recvmsg(from, &mut [IoSliceMut::new(&mut bytes)], &mut control, RecvFlags::CMSG_CLOEXEC)?.bytes;
    let fd = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut fds) => fds.next(),
        _ => None,
    });
    Ok((bytes[..received].to_vec(), fd))
}

/// Serves the relay in a child's own network.
fn serve_relay(listener: OwnedFd, relay: &RelayEntrance) -> Result<JoinHandle<()>, SandboxedProcessError> {
    let failed = |error: std::io::Error| SandboxedProcessError::Failed(error.to_string());
    let listener = TcpListener::from(listener);
    listener.set_nonblocking(true).map_err(failed)?;
    let listener = tokio::net::TcpListener::from_std(listener).map_err(failed)?;
    let listener = RelayListener { listener, streams: relay.streams.clone() };
    let router = relay.router.clone();
    Ok(tokio::spawn(async move {
        if let Err(error) = axum::serve(listener, router).await {
            tracing::error!(error = &error as &dyn std::error::Error, "the relay of a child ended");
        }
    }))
}

/// What this machine lacks of the sandbox, tried with a child that executes nothing.
pub async fn probe() -> Result<Vec<super::MissingPart>, SandboxedProcessError> {
    let limits = ProcessLimits { memory_bytes: 1 << 30, cpu_seconds: 10, niceness: 0, relay: None };
    let settings = SandboxSettings { require_sandbox: false, ..super::settings() };
    let mut launched = launch(&settings, None, Stdio::null(), &limits).await?;
    let _reaped = launched.process.wait().await;
    if let Some(failure) = launched.report.failure {
        return Err(SandboxedProcessError::Failed(failure));
    }
    let refuses = super::settings().require_sandbox && !launched.report.missing.is_empty();
    super::REFUSES_CHILDREN.store(refuses, Ordering::Relaxed);
    Ok(launched.report.missing)
}

/// Keeps the start of the error output, and drains the rest so that the process does not block.
async fn collect_stderr(mut from: UnixStream, said: Arc<Mutex<Vec<u8>>>) {
    let mut bytes = [0; 1024];
    while let Ok(read @ 1..) = from.read(&mut bytes).await {
        let mut said = said.lock().unwrap_or_else(PoisonError::into_inner);
        let room = MAX_STDERR_BYTES.saturating_sub(said.len()).min(read);
        said.extend_from_slice(&bytes[..room]);
    }
}

/// Processor time that a process has used, seconds: fields 14 and 15 of its `stat`. Field 2 may contain anything, and
/// ends with the last parenthesis.
fn cpu_seconds(pid: Pid) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_pid())).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(11);
    let ticks: u64 = fields.next()?.parse::<u64>().ok()? + fields.next()?.parse::<u64>().ok()?;
    Some(ticks / rustix::param::clock_ticks_per_second().max(1))
}
