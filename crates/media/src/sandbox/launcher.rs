//! The launcher: it confines itself, says what it could not apply, and becomes the program.

use super::{CAN_LAUNCH, MissingPart, READABLE_PATHS, SandboxPart, syscalls};
use landlock::{
    ABI, Access as _, AccessFs, AccessNet, LandlockStatus, NetPort, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};
use rustix::{
    io::Errno,
    net::{
        AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketFlags,
        SocketType, netlink::SocketAddrNetlink, recv, sendmsg, sendto, socket_with,
    },
    process::{
        DumpableBehavior, Gid, Resource, Rlimit, Uid, getegid, geteuid, getpid, set_dumpable_behavior,
        setpriority_process, setrlimit,
    },
    thread::{
        CapabilitySet, CapabilitySets, UnshareFlags, capabilities, set_capabilities, set_no_new_privs,
        set_thread_groups, set_thread_res_gid, set_thread_res_uid,
    },
};
use serde::{Deserialize, Serialize};
use std::{
    ffi::OsString,
    io::{IoSlice, Write as _},
    mem::MaybeUninit,
    net::{SocketAddr, TcpListener},
    os::{fd::AsFd as _, unix::process::CommandExt as _},
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::Ordering,
};

/// The first argument of a launcher.
pub(super) const LAUNCH_WORD: &str = "__confined-child";
/// How the error output begins if the program could not be executed.
pub(super) const EXEC_FAILED: &str = "the program could not be executed: ";
/// The exit code of a launcher that did not become the program, as shells use it.
pub(super) const EXIT_NOT_EXECUTED: i32 = 127;
/// Files and connections that a program may have open at once.
const MAX_OPEN_FILES: u64 = 64;
/// Threads of a program: two hundred decoders' worth, and far fewer than would be felt.
const MAX_THREADS: u64 = 256;
/// The user and group whom nothing belongs to.
const NOBODY: u32 = 65_534;
/// What a program may write.
const WRITABLE_PATHS: [&str; 1] = ["/dev/null"];
/// The Landlock ABI whose access rights are restricted; an older kernel restricts those that it knows.
const LANDLOCK_ABI: ABI = ABI::V6;

/// What a launcher is told, as its second argument.
#[derive(Debug, Deserialize, Serialize)]
pub(super) struct LaunchOrder {
    pub(super) memory_bytes: u64,
    pub(super) cpu_seconds: u64,
    pub(super) niceness: i32,
    /// The relay's address, at which it is listened in the child's own network.
    pub(super) relay: Option<SocketAddr>,
    pub(super) readable_paths: Vec<PathBuf>,
    /// Whether nothing is executed if a part is missing.
    pub(super) require_all: bool,
}

/// What a launcher answers in one line on its error output, before anything of the program's.
#[derive(Debug, Default, Deserialize, Serialize)]
pub(super) struct LaunchReport {
    /// Parts that could not be applied.
    pub(super) missing: Vec<MissingPart>,
    /// Why nothing is executed.
    pub(super) failure: Option<String>,
}

/// Becomes a confined child, and does not return, if this process was started as a launcher. An executable that starts
/// children calls this before anything else, while it has one thread.
pub fn run_if_asked() {
    let mut arguments = std::env::args_os().skip(1);
    if arguments.next().is_none_or(|word| word != LAUNCH_WORD) {
        CAN_LAUNCH.store(true, Ordering::Relaxed);
        return;
    }
    let order = arguments.next().and_then(|order| serde_json::from_str::<LaunchOrder>(order.to_str()?).ok());
    if let Some(order) = order {
        launch(&order, arguments.collect());
    }
    std::process::exit(EXIT_NOT_EXECUTED);
}

/// Confines this process and executes the program; without a program, only says what could be applied. Returns if
/// nothing was executed.
fn launch(order: &LaunchOrder, mut command: Vec<OsString>) {
    let arguments = command.split_off(command.len().min(1));
    let program = command.pop().map(PathBuf::from);
    let mut report = LaunchReport::default();
    if let Err(failure) = confine(order, program.as_deref(), &mut report.missing) {
        report.failure = Some(failure);
    } else if order.require_all && !report.missing.is_empty() {
        let missing: Vec<_> = report.missing.iter().map(MissingPart::to_string).collect();
        report.failure = Some(format!(
            "children.require_sandbox is set, and this machine lacks parts of the sandbox: {}",
            missing.join("; ")
        ));
    }
    let mut stderr = std::io::stderr();
    let line = serde_json::to_string(&report).unwrap_or_default() + "\n";
    if stderr.write_all(line.as_bytes()).is_err() || report.failure.is_some() {
        return;
    }
    if let Some(program) = program {
        let error = Command::new(program).args(arguments).exec();
        let _parent_gone = write!(stderr, "{EXEC_FAILED}{error}");
    }
}

/// Applies every part that is to be had. What cannot be had is added to `missing`; an error is what leaves a child that
/// cannot work.
fn confine(
    order: &LaunchOrder,
    program: Option<&Path>,
    missing: &mut Vec<MissingPart>,
) -> Result<(), String> {
    let mut lacks = |part: SandboxPart, reason: String| missing.push(MissingPart { part, reason });
    let failed = |what: &'static str| move |error: Errno| format!("{what}: {error}");
    let unprivileged = leave_root();
    let root = unprivileged.is_err();
    if let Err(reason) = unprivileged {
        lacks(SandboxPart::Unprivileged, reason);
    }
    // A kernel that cannot set the niceness is no reason to fail.
    let _unsupported = setpriority_process(None, order.niceness);
    let user = enter_user_namespace();
    let own_user = user.is_ok();
    if let Err(reason) = user {
        lacks(SandboxPart::UserNamespace, reason);
    }
    if let Err(error) = enter(UnshareFlags::NEWIPC) {
        lacks(SandboxPart::IpcNamespace, error.to_string());
    }
    match enter(UnshareFlags::NEWNET) {
        Ok(()) => {
            if let Some(relay) = order.relay {
                listen_for_relay(relay).map_err(|error| format!("the child's own network: {error}"))?;
            }
        }
        Err(error) => lacks(SandboxPart::NetworkNamespace, error.to_string()),
    }
    match restrict_files(order, program) {
        Ok(None) => {}
        Ok(Some(reason)) => lacks(SandboxPart::Files, reason),
        Err(error) => return Err(format!("Landlock: {error}")),
    }
    set_no_new_privs(true).map_err(failed("no_new_privs"))?;
    set_capabilities(None, empty_capabilities()).map_err(failed("capabilities"))?;

    if root {
        lacks(SandboxPart::ThreadLimit, "root is exempt from it".to_owned());
    } else if !own_user {
        // It would count what else the user runs, the server included.
        lacks(SandboxPart::ThreadLimit, "needs a user namespace".to_owned());
    } else if !counts_in_namespaces() {
        lacks(SandboxPart::ThreadLimit, "needs Linux 5.14".to_owned());
    } else {
        set_limit(Resource::Nproc, MAX_THREADS).map_err(failed("limits"))?;
    }
    let filter = syscalls::filter(getpid(), order.relay.is_some());
    let limits = [(Resource::Fsize, 0), (Resource::Core, 0), (Resource::Nofile, MAX_OPEN_FILES)];
    for (resource, most) in limits {
        set_limit(resource, most).map_err(failed("limits"))?;
    }
    // The parent renews it while the child makes progress, up to no limit.
    let cpu = Rlimit { current: Some(order.cpu_seconds), maximum: None };
    setrlimit(Resource::Cpu, cpu).map_err(failed("limits"))?;
    // This process is larger than the program; it allocates next to nothing from here on.
    set_limit(Resource::As, order.memory_bytes).map_err(failed("limits"))?;
    if let Err(error) = filter.and_then(|filter| seccompiler::apply_filter(&filter)) {
        lacks(SandboxPart::SystemCalls, error.to_string());
    }
    Ok(())
}

fn set_limit(resource: Resource, most: u64) -> Result<(), Errno> {
    // A limit that is already lower stays.
    let most = rustix::process::getrlimit(resource).maximum.map_or(most, |hard| hard.min(most));
    setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })
}

/// Becomes the user nobody, if this process is root and the server could still limit and end it.
fn leave_root() -> Result<(), String> {
    if !geteuid().is_root() {
        return Ok(());
    }
    let needed =
        CapabilitySet::SETUID | CapabilitySet::SETGID | CapabilitySet::KILL | CapabilitySet::SYS_RESOURCE;
    let has = capabilities(None).is_ok_and(|sets| sets.effective.contains(needed));
    if !has {
        return Err("the server runs as root without the capabilities to start children as another user; \
                    run it as a user of its own"
            .to_owned());
    }
    let (user, group) = (Uid::from_raw(NOBODY), Gid::from_raw(NOBODY));
    let left = set_thread_groups(&[])
        .and_then(|()| set_thread_res_gid(group, group, group))
        .and_then(|()| set_thread_res_uid(user, user, user))
        // A process that changed its user may not write its own maps of a user namespace.
        .and_then(|()| set_dumpable_behavior(DumpableBehavior::Dumpable));
    left.map_err(|error| format!("the server runs as root, and changing the user failed: {error}"))
}

/// Enters a new user namespace, in which this process is nobody.
fn enter_user_namespace() -> Result<(), String> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    enter(UnshareFlags::NEWUSER).map_err(|error| error.to_string())?;
    let write = |file: &str, text: String| {
        std::fs::write(format!("/proc/self/{file}"), text).map_err(|error| format!("{file}: {error}"))
    };
    write("setgroups", "deny".to_owned())?;
    write("gid_map", format!("{NOBODY} {group} 1"))?;
    write("uid_map", format!("{NOBODY} {user} 1"))
}

#[expect(deprecated, reason = "what makes it unsafe is unsharing files, which is never asked for")]
fn enter(namespace: UnshareFlags) -> Result<(), Errno> {
    rustix::thread::unshare(namespace)
}

fn empty_capabilities() -> CapabilitySets {
    let none = CapabilitySet::empty();
    CapabilitySets { effective: none, permitted: none, inheritable: none }
}

/// Whether this kernel counts threads for each user namespace.
fn counts_in_namespaces() -> bool {
    let name = rustix::system::uname();
    let release = name.release().to_string_lossy();
    let mut numbers = release.split(|c: char| !c.is_ascii_digit()).map_while(|part| part.parse::<u32>().ok());
    (numbers.next().unwrap_or_default(), numbers.next().unwrap_or_default()) >= (5, 14)
}

/// Listens at the relay's address in this process's own network, and hands the listener to the parent, which serves the
/// relay on it.
fn listen_for_relay(relay: SocketAddr) -> std::io::Result<()> {
    bring_loopback_up()?;
    let listener = TcpListener::bind(relay)?;
    let handed = [listener.as_fd()];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    control.push(SendAncillaryMessage::ScmRights(&handed));
    sendmsg(std::io::stderr(), &[IoSlice::new(b"\n")], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Sets the first interface's flag `IFF_UP` with one message of rtnetlink(7).
fn bring_loopback_up() -> std::io::Result<()> {
    const RTM_NEWLINK: u16 = 16;
    const NLM_F_REQUEST_AND_ACK: u16 = 1 | 4;
    const LOOPBACK_INDEX: u32 = 1;
    const IFF_UP: u32 = 1;
    const MESSAGE_BYTES: u32 = 32;
    let mut message = Vec::with_capacity(MESSAGE_BYTES as usize);
    message.extend(MESSAGE_BYTES.to_ne_bytes());
    message.extend(RTM_NEWLINK.to_ne_bytes());
    message.extend(NLM_F_REQUEST_AND_ACK.to_ne_bytes());
    // Sequence number, port, family and type: none.
    message.extend([0; 12]);
    for word in [LOOPBACK_INDEX, IFF_UP, IFF_UP] {
        message.extend(word.to_ne_bytes());
    }
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    sendto(&socket, &message, SendFlags::empty(), &SocketAddrNetlink::new(0, 0))?;
    let mut answer = [0; 64];
    let (received, _) = recv(&socket, &mut answer, RecvFlags::empty())?;
    // A header of 16 bytes, then the error: 0, or the negated number.
    let error =
        answer[..received].get(16..20).and_then(|word| Some(i32::from_ne_bytes(word.try_into().ok()?)));
    match error {
        Some(0) => Ok(()),
        Some(number) => Err(std::io::Error::from_raw_os_error(-number)),
        None => Err(std::io::ErrorKind::UnexpectedEof.into()),
    }
}

/// Restricts files, TCP ports, abstract sockets and signals. Returns why files are not restricted, if they are not. A
/// kernel that knows only an older version of Landlock restricts what it can.
fn restrict_files(order: &LaunchOrder, program: Option<&Path>) -> Result<Option<String>, RulesetError> {
    let readable =
        READABLE_PATHS.iter().map(Path::new).chain(order.readable_paths.iter().map(PathBuf::as_path));
    let rules = Ruleset::default()
        .handle_access(AccessFs::from_all(LANDLOCK_ABI))?
        .handle_access(AccessNet::from_all(LANDLOCK_ABI))?
        .scope(Scope::from_all(LANDLOCK_ABI))?
        .create()?
        .add_rules(path_beneath_rules(readable.chain(program), AccessFs::from_read(LANDLOCK_ABI)))?
        .add_rules(path_beneath_rules(WRITABLE_PATHS, AccessFs::from_all(LANDLOCK_ABI)))?;
    let rules = match order.relay {
        Some(relay) => rules.add_rule(NetPort::new(relay.port(), AccessNet::ConnectTcp))?,
        None => rules,
    };
    let status = rules.restrict_self()?;
    Ok((status.ruleset == RulesetStatus::NotEnforced).then(|| match status.landlock {
        LandlockStatus::NotEnabled => "the kernel has Landlock, but does not enable it (lsm=)".to_owned(),
        LandlockStatus::NotImplemented => "the kernel has no Landlock (Linux 5.13)".to_owned(),
        LandlockStatus::Available { .. } => "the kernel did not enforce it".to_owned(),
    }))
}
