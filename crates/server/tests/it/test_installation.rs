//! A data folder of its own, and servers that run on it.

use serde_json::Value;
use std::{
    net::TcpListener,
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
    sync::atomic::{AtomicU32, Ordering},
    time::{Duration, Instant},
};

/// How long a test waits for what must come. No machine needs that long that is only busy, and nobody waits where all is
/// well.
pub(crate) const TEST_TIMEOUT: Duration = Duration::from_mins(10);

/// An installation in a temporary folder.
pub(crate) struct TestInstallation {
    folder: tempfile::TempDir,
    models: PathBuf,
    settings: Vec<(&'static str, String)>,
}

/// A server that is stopped when the test ends.
pub(crate) struct Server {
    child: Child,
    pub(crate) url: String,
}

impl TestInstallation {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), models: testkit::pack(), settings: Vec::new() }
    }

    /// The same with models elsewhere.
    pub(crate) fn with_models(models: PathBuf) -> Self {
        Self { models, ..Self::new() }
    }

    /// Sets `ASSAY__SECTION__NAME`.
    pub(crate) fn set(mut self, name: &'static str, value: &str) -> Self {
        self.settings.push((name, value.to_owned()));
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
        command.args(arguments).args(["--data-dir", self.folder.path().to_str().unwrap()]);
        command.env("ASSAY__MODELS__FOLDER", &self.models).env("ASSAY__MODELS__WORKERS", "1");
        // As whoever installed it: what keeps libraries from reporting their use in tests must not hide what they do.
        command.env("HOME", self.path("home"));
        for test_variable in ["ORT_DISABLE_TELEMETRY", "CI", "XDG_CACHE_HOME"] {
            command.env_remove(test_variable);
        }
        command.envs(self.settings.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs a command that must succeed; its standard output without the line end.
    #[track_caller]
    pub(crate) fn ask(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        assert!(output.status.success(), "{arguments:?}: {}", text(&output.stderr));
        text(&output.stdout).trim_end().to_owned()
    }

    pub(crate) fn credentials(&self) -> Value {
        serde_json::from_slice(&std::fs::read(self.path("dev-credentials.json")).unwrap()).unwrap()
    }

    /// Starts `assay serve --dev` on a free port, and waits until its demo application can call it.
    pub(crate) fn serve(&self) -> Server {
        self.serve_at("127.0.0.1:0", Stdio::null())
    }

    /// The same at an address of the caller's choice; `log` gets what is logged.
    pub(crate) fn serve_at(&self, listen: &str, log: Stdio) -> Server {
        let child = self
            .command(&["serve", "--dev", "--listen", listen])
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut server = Server { child, url: String::new() };
        let mut lines = std::io::BufRead::lines(std::io::BufReader::new(server.child.stdout.take().unwrap()));
        let greeting = lines.find_map(|line| line.unwrap().strip_prefix("Assay is at ").map(str::to_owned));
        greeting.unwrap().split(',').next().unwrap().clone_into(&mut server.url);
        server
    }

    /// Starts `assay serve` where it cannot get as far as a greeting.
    pub(crate) fn serve_unready(&self) -> Server {
        self.serve_unready_with(&[], Stdio::null())
    }

    /// The same with further arguments; `log` gets what is logged.
    pub(crate) fn serve_unready_with(&self, arguments: &[&str], log: Stdio) -> Server {
        let free = format!("127.0.0.1:{}", free_port());
        let child = self
            .command(&[&["serve", "--listen", &free], arguments].concat())
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .unwrap();
        let server = Server { child, url: format!("http://{free}") };
        server.until("/healthz", 200);
        server
    }
}

impl Server {
    /// The number of the process.
    pub(crate) fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Asks until the answer has this status; the last answer's body.
    #[track_caller]
    pub(crate) fn until(&self, path: &str, status: u16) -> String {
        let began = Instant::now();
        loop {
            let answer = get(&format!("{}{path}", self.url));
            match answer {
                Some((found, body)) if found == status => return body,
                _ if began.elapsed() > TEST_TIMEOUT => panic!("{path} is not {status}: {answer:?}"),
                _ => std::thread::sleep(Duration::from_millis(20)),
            }
        }
    }

    /// Tells the server to stop, and waits for its exit code.
    pub(crate) fn stop(mut self) -> Option<i32> {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).unwrap();
        self.child.wait().unwrap().code()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}

/// A port for a server that must be found at the same one again after it was killed. Nothing holds it until then, so it is
/// not one of those that the system hands out (from 32768 on Linux), which another process could be given meanwhile.
pub(crate) fn free_port() -> u16 {
    const FIRST_PORT: u32 = 10_000;
    const PORTS: u32 = 10_000;
    static TRIED: AtomicU32 = AtomicU32::new(0);
    for _ in 0..PORTS {
        // Tests of other processes begin elsewhere.
        let number = std::process::id() % PORTS * 97 + TRIED.fetch_add(1, Ordering::SeqCst);
        let port = (FIRST_PORT + number % PORTS) as u16;
        if TcpListener::bind(("127.0.0.1", port)).is_ok() {
            return port;
        }
    }
    panic!("no port is free");
}

/// Who calls servers on this machine.
#[expect(clippy::disallowed_methods, reason = "a client, which calls the server on this machine")]
pub(crate) fn client() -> reqwest::Client {
    reqwest::Client::builder().timeout(TEST_TIMEOUT).build().unwrap()
}

/// Status and body of a GET.
pub(crate) fn get(url: &str) -> Option<(u16, String)> {
    let output = Command::new("curl").args(["-s", "-m", "60", "-w", "\n%{http_code}", url]).output().unwrap();
    let answer = text(&output.stdout);
    let (body, status) = answer.rsplit_once('\n')?;
    Some((status.parse().ok().filter(|status| *status != 0)?, body.to_owned()))
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A file of the repository.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}
