//! The system calls that a decoder may make. Everything else answers "not implemented", which C libraries expect of an
//! older kernel and work around.

use rustix::{io::Errno, process::Pid};
use seccompiler::{
    BpfProgram, Error, SeccompAction, SeccompCmpArgLen as Length, SeccompCmpOp as Op, SeccompCondition,
    SeccompFilter, SeccompRule,
};
use std::collections::BTreeMap;

/// Allowed with any arguments.
#[rustfmt::skip]
const ALLOWED: &[i64] = &[
    libc::SYS_brk, libc::SYS_clock_getres, libc::SYS_clock_gettime, libc::SYS_clock_nanosleep, libc::SYS_close,
    libc::SYS_dup, libc::SYS_dup3, libc::SYS_epoll_create1, libc::SYS_epoll_ctl, libc::SYS_epoll_pwait,
    libc::SYS_eventfd2, libc::SYS_execve, libc::SYS_exit, libc::SYS_exit_group, libc::SYS_faccessat,
    libc::SYS_faccessat2, libc::SYS_fadvise64, libc::SYS_fcntl, libc::SYS_fstat, libc::SYS_fstatfs, libc::SYS_futex,
    libc::SYS_get_robust_list, libc::SYS_getcwd, libc::SYS_getdents64, libc::SYS_getegid, libc::SYS_geteuid,
    libc::SYS_getgid, libc::SYS_getpgid, libc::SYS_getpid, libc::SYS_getppid, libc::SYS_getpriority,
    libc::SYS_getrandom, libc::SYS_getrusage, libc::SYS_gettid, libc::SYS_gettimeofday, libc::SYS_getuid,
    libc::SYS_lseek, libc::SYS_madvise, libc::SYS_membarrier, libc::SYS_mincore, libc::SYS_mmap,
    libc::SYS_mprotect, libc::SYS_mremap, libc::SYS_munmap, libc::SYS_nanosleep, libc::SYS_newfstatat,
    libc::SYS_openat, libc::SYS_pipe2, libc::SYS_ppoll, libc::SYS_pread64, libc::SYS_preadv, libc::SYS_pselect6,
    libc::SYS_read, libc::SYS_readlinkat, libc::SYS_readv, libc::SYS_restart_syscall, libc::SYS_rseq,
    libc::SYS_rt_sigaction, libc::SYS_rt_sigprocmask, libc::SYS_rt_sigreturn, libc::SYS_rt_sigtimedwait,
    libc::SYS_sched_get_priority_max, libc::SYS_sched_get_priority_min, libc::SYS_sched_getaffinity,
    libc::SYS_sched_getparam, libc::SYS_sched_getscheduler, libc::SYS_sched_yield, libc::SYS_set_robust_list,
    libc::SYS_set_tid_address, libc::SYS_sigaltstack, libc::SYS_statfs, libc::SYS_statx, libc::SYS_sysinfo,
    libc::SYS_times, libc::SYS_uname, libc::SYS_wait4, libc::SYS_write, libc::SYS_writev,
];
/// Older forms that only this architecture has.
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
const ALLOWED_HERE: &[i64] = &[
    libc::SYS_access, libc::SYS_arch_prctl, libc::SYS_dup2, libc::SYS_epoll_create, libc::SYS_epoll_wait,
    libc::SYS_getpgrp, libc::SYS_lstat, libc::SYS_open, libc::SYS_pipe, libc::SYS_poll, libc::SYS_readlink,
    libc::SYS_select, libc::SYS_stat, libc::SYS_time,
];
#[cfg(not(target_arch = "x86_64"))]
const ALLOWED_HERE: &[i64] = &[];
/// Allowed on the connections to the relay.
#[rustfmt::skip]
const ALLOWED_WITH_RELAY: &[i64] = &[
    libc::SYS_connect, libc::SYS_getpeername, libc::SYS_getsockname, libc::SYS_getsockopt, libc::SYS_recvfrom,
    libc::SYS_recvmsg, libc::SYS_sendto, libc::SYS_setsockopt, libc::SYS_shutdown,
];
/// What may be asked of a device or socket: what kind it is, how much can be read, whether it waits.
const ALLOWED_IOCTLS: [u64; 4] = [libc::TCGETS, libc::TIOCGWINSZ, libc::FIONREAD, libc::FIONBIO];
/// Namespaces that a new thread could ask for.
const NEW_NAMESPACES: i32 = libc::CLONE_NEWNS
    | libc::CLONE_NEWCGROUP
    | libc::CLONE_NEWUTS
    | libc::CLONE_NEWIPC
    | libc::CLONE_NEWUSER
    | libc::CLONE_NEWPID
    | libc::CLONE_NEWNET;
/// The part of a socket's type that is not a flag.
const SOCKET_TYPE_MASK: u64 = 0xf;

/// The filter for the process with this id. It knows the id because becoming another program does not change it.
pub(super) fn filter(own: Pid, relay: bool) -> Result<BpfProgram, Error> {
    let own = own.as_raw_pid() as u64;
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
        [ALLOWED, ALLOWED_HERE].concat().into_iter().map(|call| (call, Vec::new())).collect();
    let mut allow = |call: i64, conditions: Vec<SeccompCondition>| -> Result<(), Error> {
        rules.entry(call).or_default().push(SeccompRule::new(conditions)?);
        Ok(())
    };
    // Threads, but no processes.
    let masked = (libc::CLONE_THREAD | NEW_NAMESPACES) as u64;
    allow(libc::SYS_clone, vec![argument(0, Op::MaskedEq(masked), libc::CLONE_THREAD as u64)?])?;
    // Signals to itself, as `abort` sends them.
    for call in [libc::SYS_kill, libc::SYS_tgkill] {
        allow(call, vec![argument(0, Op::Eq, own)?])?;
    }
    // Limits can be read, and not changed.
    allow(
        libc::SYS_prlimit64,
        vec![argument(0, Op::Eq, 0)?, SeccompCondition::new(2, Length::Qword, Op::Eq, 0)?],
    )?;
    for request in ALLOWED_IOCTLS {
        allow(libc::SYS_ioctl, vec![argument(1, Op::Eq, request)?])?;
    }
    for option in [libc::PR_SET_NAME, libc::PR_GET_NAME] {
        allow(libc::SYS_prctl, vec![argument(0, Op::Eq, option as u64)?])?;
    }
    if relay {
        allow(
            libc::SYS_socket,
            vec![
                argument(0, Op::Eq, libc::AF_INET as u64)?,
                argument(1, Op::MaskedEq(SOCKET_TYPE_MASK), libc::SOCK_STREAM as u64)?,
            ],
        )?;
        rules.extend(ALLOWED_WITH_RELAY.iter().map(|&call| (call, Vec::new())));
    }
    let refused = SeccompAction::Errno(Errno::NOSYS.raw_os_error() as u32);
    let architecture = std::env::consts::ARCH.try_into()?;
    Ok(SeccompFilter::new(rules, refused, SeccompAction::Allow, architecture)?.try_into()?)
}

/// A condition on the lower half of an argument, which is all that the kernel looks at in these calls.
fn argument(index: u8, op: Op, value: u64) -> Result<SeccompCondition, Error> {
    Ok(SeccompCondition::new(index, Length::Dword, op, value)?)
}
