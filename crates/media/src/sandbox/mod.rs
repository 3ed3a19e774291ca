//! Programs that read untrusted files (ffmpeg, poppler), each as a separate process that is confined before it reads a
//! byte.
//!
//! A child is started by a launcher: this same executable, started again with a word of its own. A launcher has one
//! thread, so it may enter namespaces; and it confines itself and then becomes the program, so nothing of the program
//! ever runs unconfined. [`run_if_asked`] is what an executable calls first to be able to act as one.

mod launcher;
pub(crate) mod process;
pub(crate) mod relay_listener;
mod syscalls;
#[cfg(test)]
mod tests;

pub use launcher::run_if_asked;
pub use process::{SandboxedProcessError, probe};

use serde::{Deserialize, Serialize};
use std::{
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

/// How children are confined; the section `[children]`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct SandboxSettings {
    /// Whether no child is started if this machine lacks a part of the sandbox. If not, the parts that it has are applied.
    pub require_sandbox: bool,
    /// Folders and files that children may read besides the system's programs and libraries, for example the libraries of
    /// an ffmpeg that is installed elsewhere.
    pub readable_paths: Vec<PathBuf>,
}

/// A part of the sandbox that a kernel, a container or the system's settings may withhold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxPart {
    /// It reads only programs, libraries and fonts, and writes nothing (Landlock).
    Files,
    /// It makes only the system calls that decoding needs: no processes, no signals to others, no sockets but the
    /// relay's (seccomp).
    SystemCalls,
    /// It has a user namespace of its own, and no privilege in any other.
    UserNamespace,
    /// It has a network of its own, in which nothing but the relay can be reached.
    NetworkNamespace,
    /// It has no shared memory or message queues in common with others.
    IpcNamespace,
    /// The number of its threads is limited by itself.
    ThreadLimit,
    /// It does not run as root, even if the server does.
    Unprivileged,
}

impl std::fmt::Display for SandboxPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Files => "files (Landlock)",
            Self::SystemCalls => "system calls (seccomp)",
            Self::UserNamespace => "user namespace",
            Self::NetworkNamespace => "network namespace",
            Self::IpcNamespace => "IPC namespace",
            Self::ThreadLimit => "limit on threads",
            Self::Unprivileged => "a user that is not root",
        })
    }
}

/// A part of the sandbox that this machine lacks, and why.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct MissingPart {
    pub part: SandboxPart,
    /// What the kernel said, for the operator.
    pub reason: String,
}

impl std::fmt::Display for MissingPart {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.part, self.reason)
    }
}

/// Whether this executable can be started again as a launcher.
static CAN_LAUNCH: AtomicBool = AtomicBool::new(false);
/// It holds for every child of this process, whoever starts it, so that no caller can forget it.
static SETTINGS: OnceLock<SandboxSettings> = OnceLock::new();

/// Whether children are refused; known from the first probe on.
static REFUSES_CHILDREN: AtomicBool = AtomicBool::new(false);

/// Whether no child is started, because a part of the sandbox is missing and all are required. The answer of the last
/// [`probe`].
pub fn refuses_children() -> bool {
    REFUSES_CHILDREN.load(Ordering::Relaxed)
}

/// Sets how all children of this process are confined. The first call counts.
pub fn configure(settings: SandboxSettings) {
    let _first = SETTINGS.set(settings);
}

fn settings() -> SandboxSettings {
    SETTINGS.get().cloned().unwrap_or_default()
}

/// What a child may read: programs, libraries and fonts. Configuration, keys and stored data are elsewhere.
const READABLE_PATHS: [&str; 22] = [
    "/usr/bin",
    "/usr/lib",
    "/usr/lib32",
    "/usr/lib64",
    "/usr/libexec",
    "/usr/local/bin",
    "/usr/local/lib",
    "/usr/local/lib64",
    "/usr/share/fontconfig",
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "/usr/share/ghostscript",
    "/usr/share/poppler",
    "/bin",
    "/lib",
    "/lib64",
    "/nix/store",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/dev/urandom",
    "/dev/zero",
];

/// The path among those that children may read under which a file or folder lies; `None` if they cannot read it. The
/// operator's keys and data must not lie under one.
pub fn readable_by_children(path: &Path) -> Option<PathBuf> {
    let real = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let inside = std::path::absolute(path).map_or_else(|_| path.to_owned(), |path| real(&path));
    let extra = settings().readable_paths;
    let known = READABLE_PATHS.iter().map(Path::new).chain(extra.iter().map(PathBuf::as_path));
    known.map(real).find(|readable| inside.starts_with(readable))
}
