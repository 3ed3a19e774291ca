//! A child that a file has taken over does nothing outside of itself.

use super::{
    MissingPart, SandboxPart, SandboxSettings,
    launcher::LAUNCH_WORD,
    probe,
    process::{ProcessLimits, RelayEntrance, SandboxedProcess, SandboxedProcessError, order_text},
    readable_by_children,
    relay_listener::StreamHandler,
};
use axum::{Router, routing::get};
use rustix::net::{AddressFamily, SocketType, bind, getsockname, socket};
use std::{
    io::Write as _,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    os::linux::net::SocketAddrExt as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    time::Instant,
};
use test_launcher::{HOSTILE_WORD, WORKED};
use tokio::io::AsyncReadExt as _;

fn limits(relay: Option<RelayEntrance>) -> ProcessLimits {
    ProcessLimits { memory_bytes: 2 << 30, cpu_seconds: 20, niceness: 0, relay }
}

async fn run(
    program: &Path,
    arguments: &[&str],
    relay: Option<&RelayEntrance>,
) -> Result<String, SandboxedProcessError> {
    let arguments: Vec<_> = arguments.iter().map(|&argument| argument.to_owned()).collect();
    let mut child =
        SandboxedProcess::start(program, &arguments, Stdio::null(), limits(relay.cloned())).await?;
    let mut out = String::new();
    child.stdout()?.read_to_string(&mut out).await.expect("readable");
    child.wait().await.map(|_| out)
}

fn this_executable() -> PathBuf {
    std::env::current_exe().expect("it runs")
}

/// What an attack comes to when nothing holds it back: it must work, or the test of it shows nothing.
fn unconfined(attack: &str, target: &str) -> String {
    let said = Command::new(this_executable()).args([HOSTILE_WORD, attack, target]).output();
    String::from_utf8(said.expect("it runs").stdout).expect("text")
}

async fn confined(attack: &str, target: &str, relay: Option<&RelayEntrance>) -> String {
    let arguments = [HOSTILE_WORD, attack, target];
    run(&this_executable(), &arguments, relay).await.expect("it runs to its end")
}

async fn is_refused(attack: &str, target: &str) {
    assert_eq!(unconfined(attack, target), WORKED, "{attack} works when nothing confines it");
    let said = confined(attack, target, None).await;
    assert!(!said.is_empty() && said != WORKED, "{attack} {target}: {said}");
}

async fn lacks(part: SandboxPart) -> bool {
    let missing = probe().await.expect("a launcher starts");
    let lacking = missing.into_iter().find(|missing| missing.part == part);
    if let Some(lacking) = &lacking {
        skip(&lacking.to_string());
    }
    lacking.is_some()
}

/// Says why a test is not tried here. Where all must be (`ASSAY_REQUIRE_ALL_TESTS`), it fails.
fn skip(missing: &str) {
    let is_required = std::env::var_os("ASSAY_REQUIRE_ALL_TESTS").is_some();
    assert!(!is_required, "this machine lacks what is tested: {missing}");
    eprintln!("not tried, because this machine lacks it: {missing}");
}

fn entrance() -> (RelayEntrance, tokio::task::JoinHandle<()>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    listener.set_nonblocking(true).expect("possible");
    let address = listener.local_addr().expect("bound");
    let router = Router::new().route("/", get(|| async { "the relay" }));
    let listener = tokio::net::TcpListener::from_std(listener).expect("usable");
    let served = router.clone();
    let serving = tokio::spawn(async move { axum::serve(listener, served).await.expect("it serves") });
    let streams = StreamHandler(Arc::new(|_| Box::pin(std::future::ready(()))));
    (RelayEntrance { address, router, streams }, serving)
}

#[tokio::test]
async fn files_are_out_of_reach() {
    if lacks(SandboxPart::Files).await {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let key = folder.path().join("master.key");
    std::fs::File::create(&key).and_then(|mut file| file.write_all(b"a key")).expect("room");
    let key = key.to_str().expect("a plain name");
    is_refused("read", key).await;
    is_refused("read", "/etc/passwd").await;
    is_refused("read", "/proc/self/status").await;
    is_refused("list", folder.path().to_str().expect("a plain name")).await;
    is_refused("list", "/opt").await;
    is_refused("append", key).await;
    let new = folder.path().join("new");
    is_refused("write", new.to_str().expect("a plain name")).await;
    std::fs::remove_file(&new).expect("the unconfined one wrote it");
    let shared = format!("/dev/shm/assay-test-{}", std::process::id());
    is_refused("write", &shared).await;
    assert!(confined("delete", key, None).await != WORKED && Path::new(key).exists());
    std::fs::remove_file(shared).expect("the unconfined one wrote it");
}

#[tokio::test]
async fn nothing_but_the_relay_is_reached() {
    let (relay, serving) = entrance();
    let other = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let other = other.local_addr().expect("bound").to_string();
    let datagrams = socket(AddressFamily::INET, SocketType::DGRAM, None).expect("a socket");
    bind(&datagrams, &SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).expect("a free port");
    let udp = getsockname(&datagrams).ok().and_then(|bound| SocketAddr::try_from(bound).ok());
    let udp = udp.expect("bound").to_string();
    let name = format!("assay-test-{}", std::process::id());
    let address = std::os::unix::net::SocketAddr::from_abstract_name(&name).expect("a name");
    let _listens = std::os::unix::net::UnixListener::bind_addr(&address).expect("a free name");
    is_refused("tcp", &other).await;
    is_refused("udp", &udp).await;
    is_refused("abstract", &name).await;

    let at = relay.address.to_string();
    assert_eq!(confined("tcp", &at, Some(&relay)).await, WORKED, "the relay is there");
    assert_ne!(confined("tcp", &at, None).await, WORKED, "who is not given the relay does not reach it");
    for (attack, target) in [("tcp", &other), ("udp", &udp), ("udp", &at), ("abstract", &name)] {
        assert_ne!(confined(attack, target, Some(&relay)).await, WORKED, "{attack} {target}");
    }
    // The relay's port elsewhere, where a rule about ports would let it through.
    let elsewhere = SocketAddr::from((Ipv4Addr::new(127, 0, 0, 2), relay.address.port()));
    let _listens = TcpListener::bind(elsewhere).expect("free");
    assert_eq!(unconfined("tcp", &elsewhere.to_string()), WORKED);
    if !lacks(SandboxPart::NetworkNamespace).await {
        assert_ne!(confined("tcp", &elsewhere.to_string(), Some(&relay)).await, WORKED);
        serving.abort();
        assert!(serving.await.expect_err("ended").is_cancelled());
        assert_eq!(confined("tcp", &at, Some(&relay)).await, WORKED, "it has an entrance of its own");
    }
}

#[tokio::test]
async fn other_processes_are_left_alone() {
    let decoys = [(); 2].map(|()| Command::new("/bin/sleep").arg("60").spawn().expect("it runs"));
    let [mut first, mut second] = decoys;
    assert_eq!(unconfined("signal", &first.id().to_string()), WORKED);
    first.wait().expect("it was ended");
    assert_ne!(confined("signal", &second.id().to_string(), None).await, WORKED);
    assert_eq!(second.try_wait().expect("known"), None, "it still runs");
    second.kill().and_then(|()| second.wait()).expect("it ends");
    is_refused("signal-parent", "").await;
}

#[tokio::test]
async fn it_does_not_multiply_or_grow() {
    is_refused("process", "").await;
    is_refused("memory", "").await;
    assert_ne!(confined("limits", "", None).await, WORKED);
    if !lacks(SandboxPart::ThreadLimit).await {
        is_refused("threads", "").await;
    }
}

#[tokio::test]
async fn programs_of_the_system_run() {
    let said = run(Path::new("/bin/bash"), &["-c", "echo $((6 * 7)); echo $http_proxy"], None).await;
    assert_eq!(said.as_deref(), Ok("42\n\n"));
    let failed = run(Path::new("/usr/bin/no-such-program"), &[], None).await.expect_err("it is not there");
    assert!(failed.to_string().contains("could not be executed"), "{failed}");
}

#[tokio::test]
async fn what_is_required_is_there_or_nothing_runs() {
    let missing = probe().await.expect("a launcher starts");
    let strict = SandboxSettings { require_sandbox: true, ..SandboxSettings::default() };
    let started =
        SandboxedProcess::start_with(&strict, Path::new("/bin/true"), &[], Stdio::null(), limits(None));
    match started.await {
        Ok(child) => {
            assert_eq!(missing, Vec::<MissingPart>::new());
            child.wait().await.expect("it ends");
        }
        Err(refused) => {
            let text = refused.to_string();
            assert!(!missing.is_empty() && text.contains("children.require_sandbox"), "{text}");
            for part in missing {
                assert!(text.contains(&part.part.to_string()), "{text}");
            }
        }
    }
}

/// Counts of namespaces are settings of each user namespace, so one can be made that allows no more.
#[test]
fn a_machine_that_lacks_a_part_says_so() {
    let script = "echo 0 >/proc/sys/user/max_user_namespaces && echo 0 >/proc/sys/user/max_net_namespaces && exec \"$@\"";
    let start = |require_sandbox| {
        let settings = SandboxSettings { require_sandbox, ..SandboxSettings::default() };
        let order = order_text(&settings, &limits(None)).expect("text");
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "/bin/sh", "-c", script, "sh"]);
        command.arg(this_executable()).args([LAUNCH_WORD, &order, "/bin/echo", "it ran"]);
        let ended = command.output().expect("unshare is there");
        (
            String::from_utf8_lossy(&ended.stderr).into_owned(),
            String::from_utf8_lossy(&ended.stdout).into_owned(),
        )
    };
    if Command::new("unshare").args(["--user", "true"]).status().is_ok_and(|status| !status.success()) {
        skip("user namespaces");
        return;
    }
    let (said, out) = start(false);
    assert!(said.contains("user-namespace") && said.contains("network-namespace"), "{said}");
    assert!(said.contains("No space left on device"), "{said}");
    assert_eq!(out, "it ran\n");
    let (said, out) = start(true);
    assert!(said.contains("children.require_sandbox is set"), "{said}");
    assert!(said.contains("user namespace") && said.contains("network namespace"), "{said}");
    assert_eq!(out, "");
}

#[test]
fn what_children_can_read_is_known() {
    assert_eq!(readable_by_children(Path::new("/usr/bin/ffmpeg")).as_deref(), Some(Path::new("/usr/bin")));
    assert_eq!(readable_by_children(Path::new("/var/lib/assay/master.key")), None);
    assert_eq!(readable_by_children(Path::new("/opt/assay/data")), None);
    assert!(readable_by_children(Path::new("/usr/local/lib/assay/data")).is_some());
}

/// Prints what a start costs; run with `--ignored --nocapture`.
#[tokio::test]
#[ignore = "measures"]
async fn the_cost_of_a_start() {
    let starts = 200;
    let begun = Instant::now();
    for _ in 0..starts {
        run(Path::new("/bin/true"), &[], None).await.expect("it runs");
    }
    let confined = begun.elapsed() / starts;
    let begun = Instant::now();
    for _ in 0..starts {
        let child = tokio::process::Command::new("/bin/true").status().await;
        assert!(child.expect("it runs").success());
    }
    eprintln!("a confined child: {confined:?}; a plain one: {:?}", begun.elapsed() / starts);
}
