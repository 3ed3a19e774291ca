//! Programs that read untrusted files, each as a separate process: a file that exploits the program does not reach this
//! server, and limits are in place before the program reads a byte. If the kernel has Landlock, the program can read
//! only the system's programs and libraries, and can open TCP connections only to the relay's port.

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, NetPort, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
    RulesetError, RulesetStatus, path_beneath_rules,
};
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

/// Bytes of a program's error output that are kept.
const MAX_STDERR_BYTES: usize = 8 << 10;
/// Files and connections that a program may have open at once.
const MAX_OPEN_FILES: u64 = 64;
/// What a program may read: programs, libraries and fonts. Configuration, keys and stored data are elsewhere.
const READABLE_PATHS: [&str; 13] = [
    "/usr",
    "/lib",
    "/lib64",
    "/bin",
    "/opt",
    "/nix/store",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/fonts",
    "/dev/urandom",
    "/dev/zero",
];
/// What a program may write.
const WRITABLE_PATHS: [&str; 1] = ["/dev/null"];
/// The Landlock ABI whose access rights are restricted; an older kernel restricts those that it knows.
const LANDLOCK_ABI: ABI = ABI::V5;
/// Buffer of the pipe for the program's output: the most that an unprivileged process may ask for.
const PIPE_BYTES: usize = 1 << 20;

/// Limits on a process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ProcessLimits {
    /// Bytes of address space that it may reserve, including its libraries.
    pub(crate) memory_bytes: u64,
    /// Seconds of processor time that it may use without making progress.
    pub(crate) cpu_seconds: u64,
    /// Its niceness, 0 to 19.
    pub(crate) niceness: i32,
    /// The relay, to whose port alone it may open TCP connections; `None`: to no port.
    pub(crate) relay: Option<SocketAddr>,
}

/// Why a process did not end normally. Only exceeding a limit can be the fault of the file that it read.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(crate) enum SandboxedProcessError {
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
    limits: ProcessLimits,
}

impl SandboxedProcess {
    /// Starts a program with an empty environment.
    pub(crate) fn start(
        program: &Path,
        arguments: &[String],
        stdin: Stdio,
        limits: ProcessLimits,
    ) -> Result<Self, SandboxedProcessError> {
        let mut command = Command::new(program);
        command
            .args(arguments)
            .env_clear()
            // Each malloc arena reserves 64 MiB of address space, which is limited.
            .env("MALLOC_ARENA_MAX", "2")
            .stdin(stdin)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true);
        if let Some(relay) = limits.relay {
            // Requests for any address go to the relay.
            command.env("http_proxy", format!("http://{relay}"));
        }
        let mut process = spawn(&mut command, limits.relay)?;
        let pid = process.id().and_then(|id| Pid::from_raw(id as i32));
        let said = Arc::default();
        let listening =
            process.stderr.take().map(|stderr| tokio::spawn(collect_stderr(stderr, Arc::clone(&said))));
        let listening = listening.unwrap_or_else(|| tokio::spawn(std::future::ready(())));
        let child = Self { process: Some(process), pid, stderr: said, stderr_task: listening, limits };
        child.apply_limits()?;
        Ok(child)
    }

    fn apply_limits(&self) -> Result<(), SandboxedProcessError> {
        let Some(pid) = self.pid else { return Ok(()) };
        let limits = [
            (Resource::As, self.limits.memory_bytes),
            (Resource::Fsize, 0),
            (Resource::Core, 0),
            (Resource::Nofile, MAX_OPEN_FILES),
        ];
        for (resource, most) in limits {
            let limit = Rlimit { current: Some(most), maximum: Some(most) };
            prlimit(Some(pid), resource, limit)
                .map_err(|error| SandboxedProcessError::Failed(error.to_string()))?;
        }
        // A kernel that cannot set the niceness is no reason to fail.
        let _unsupported = setpriority_process(Some(pid), self.limits.niceness);
        self.extend_cpu_limit();
        Ok(())
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

/// Spawns the process from a thread that is as restricted as it must be: a process inherits the restrictions of the
/// thread that starts it.
fn spawn(
    command: &mut Command,
    relay: Option<SocketAddr>,
) -> Result<tokio::process::Child, SandboxedProcessError> {
    let failed = |error: String| SandboxedProcessError::Failed(error);
    let runtime = tokio::runtime::Handle::try_current().map_err(|error| failed(error.to_string()))?;
    std::thread::scope(|scope| {
        let confined = std::thread::Builder::new().name("confined".to_owned()).spawn_scoped(scope, || {
            confine(relay).map_err(|error| failed(format!("Landlock: {error}")))?;
            let _inside = runtime.enter();
            command.spawn().map_err(|error| failed(error.to_string()))
        });
        let started = confined.map_err(|error| failed(error.to_string()))?.join();
        started.unwrap_or_else(|_| Err(failed("its thread panicked".to_owned())))
    })
}

/// Restricts this thread to what a child needs. A kernel that does not support Landlock, or only an older version,
/// restricts what it can.
fn confine(relay: Option<SocketAddr>) -> Result<RulesetStatus, RulesetError> {
    let rules = Ruleset::default()
        .handle_access(AccessFs::from_all(LANDLOCK_ABI))?
        .handle_access(AccessNet::from_all(LANDLOCK_ABI))?
        .create()?
        .add_rules(path_beneath_rules(READABLE_PATHS, AccessFs::from_read(LANDLOCK_ABI)))?
        .add_rules(path_beneath_rules(WRITABLE_PATHS, AccessFs::from_all(LANDLOCK_ABI)))?;
    let rules = match relay {
        Some(relay) => rules.add_rule(NetPort::new(relay.port(), AccessNet::ConnectTcp))?,
        None => rules,
    };
    Ok(rules.restrict_self()?.ruleset)
}

/// Keeps the start of the error output, and drains the rest so that the process does not block.
async fn collect_stderr(mut from: impl AsyncRead + Unpin, said: Arc<Mutex<Vec<u8>>>) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    async fn run(program: &str, arguments: &[&str], relay: Option<SocketAddr>) -> bool {
        let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
        let limits = ProcessLimits { memory_bytes: 1 << 30, cpu_seconds: 5, niceness: 0, relay };
        let mut child = SandboxedProcess::start(Path::new(program), &arguments, Stdio::null(), limits)
            .expect("it starts");
        let mut out = Vec::new();
        child.stdout().expect("piped").read_to_end(&mut out).await.expect("readable");
        child.wait().await.expect("it ends").0.success()
    }

    fn confines() -> bool {
        std::thread::spawn(|| confine(None).is_ok_and(|status| status != RulesetStatus::NotEnforced))
            .join()
            .unwrap_or(false)
    }

    #[tokio::test]
    async fn a_child_reads_programs_and_nothing_of_ours() {
        let mut secret = tempfile::NamedTempFile::new().expect("a folder for it");
        secret.write_all(b"a key").expect("room for it");
        let path = secret.path().to_str().expect("a plain name");
        assert!(
            run("/bin/cat", &["/usr/share/common-licenses/BSD"], None).await
                || !Path::new("/usr/share/common-licenses/BSD").exists()
        );
        // Without Landlock the limits on resources remain, which apply in any case.
        assert_eq!(run("/bin/cat", &[path], None).await, !confines());
        assert_eq!(run("/bin/cat", &["/etc/passwd"], None).await, !confines());
        assert!(!run("/bin/cp", &["/usr/bin/env", path], None).await, "it writes nothing");
    }

    #[tokio::test]
    async fn a_child_connects_to_the_relay_alone() {
        let [relay, other] =
            [(); 2].map(|()| std::net::TcpListener::bind("127.0.0.1:0").expect("a free port"));
        let connect = |to: &std::net::TcpListener| {
            format!("exec 3<>/dev/tcp/127.0.0.1/{}", to.local_addr().expect("bound").port())
        };
        let known = relay.local_addr().ok();
        assert!(run("/bin/bash", &["-c", &connect(&relay)], known).await, "the relay answers");
        assert!(
            !run("/bin/bash", &["-c", &connect(&other)], known).await || !confines(),
            "nothing else is connected to"
        );
    }
}
