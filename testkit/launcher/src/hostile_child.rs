//! What a decoder would do after a file has taken it over. The test's own executable plays it: confined by the launcher
//! as ffmpeg is, and unconfined to show that each attack would work.

use rustix::{
    io::Errno,
    net::{AddressFamily, SendFlags, SocketAddrUnix, SocketType, connect, ipproto, sendto, socket},
    process::{Pid, Resource, Rlimit, Signal, getppid, kill_process, setrlimit},
};
use std::{
    io::{Error, Write as _},
    net::SocketAddr,
    process::{Command, Stdio},
};

/// The first argument of a hostile child.
pub const HOSTILE_WORD: &str = "hostile-child";
/// What it says of an attack that works.
pub const WORKED: &str = "worked";
/// More threads than any limit allows.
const MANY_THREADS: usize = 2000;
/// More than any test's child may reserve.
const MUCH_MEMORY_BYTES: usize = 4 << 30;

/// Attacks and ends, if this process was started for it.
pub(crate) fn run_if_asked() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [word, attack, target @ ..] = arguments.as_slice()
        && word == HOSTILE_WORD
    {
        let target = target.first().map_or("", String::as_str);
        let said = match attack_with(attack, target) {
            Ok(()) => WORKED.to_owned(),
            Err(error) => error.to_string(),
        };
        let _parent_gone = std::io::stdout().write_all(said.as_bytes());
        std::process::exit(0);
    }
}

fn attack_with(attack: &str, target: &str) -> Result<(), Error> {
    let address = || target.parse::<SocketAddr>().map_err(Error::other);
    match attack {
        "nothing" => Ok(()),
        "read" => std::fs::read(target).map(drop),
        "list" => std::fs::read_dir(target).map(drop),
        "write" => std::fs::write(target, [0; 4096]),
        "append" => {
            let mut file = std::fs::OpenOptions::new().append(true).open(target)?;
            file.write_all(&[0; 4096])
        }
        "delete" => std::fs::remove_file(target),
        "tcp" => {
            let to = socket(AddressFamily::INET, SocketType::STREAM, Some(ipproto::TCP))?;
            Ok(connect(&to, &address()?)?)
        }
        "udp" => {
            let to = socket(AddressFamily::INET, SocketType::DGRAM, Some(ipproto::UDP))?;
            Ok(sendto(&to, b"a secret", SendFlags::empty(), &address()?).map(drop)?)
        }
        "abstract" => {
            let to = socket(AddressFamily::UNIX, SocketType::STREAM, None)?;
            Ok(connect(&to, &SocketAddrUnix::new_abstract_name(target.as_bytes())?)?)
        }
        "signal" => {
            let pid = target.parse().ok().and_then(Pid::from_raw).ok_or(Errno::SRCH)?;
            Ok(kill_process(pid, Signal::TERM)?)
        }
        // A signal that its receiver does not notice: the parent is the test.
        "signal-parent" => Ok(kill_process(getppid().ok_or(Errno::SRCH)?, Signal::WINCH)?),
        "process" => Command::new(std::env::current_exe()?)
            .args([HOSTILE_WORD, "nothing"])
            .stdout(Stdio::null())
            .status()
            .map(drop),
        "threads" => {
            let spawn = || std::thread::Builder::new().stack_size(16 << 10).spawn(std::thread::park);
            (0..MANY_THREADS).try_for_each(|_| spawn().map(drop))
        }
        "memory" => {
            let mut much = Vec::<u8>::new();
            much.try_reserve_exact(MUCH_MEMORY_BYTES).map_err(Error::other)
        }
        "limits" => {
            let more = Some(1 << 20);
            Ok(setrlimit(Resource::Fsize, Rlimit { current: more, maximum: more })?)
        }
        other => Err(Error::other(format!("no attack: {other}"))),
    }
}
