//! The system calls that the daemon's processes may make once they serve (seccomp(2)).
//!
//! A worker, which reads untrusted packets, has a list of the few that it makes. The supervisor
//! starts workers and `ip`, whose calls depend on their C library: it and all that it starts are
//! denied the calls that none of them needs.
//!
//! A denied call fails as without a privilege, so that a call of a new library or kernel does not
//! end a daemon. Only one for another architecture does, by seccompiler's choice.

use std::collections::BTreeMap;
use std::env::consts::ARCH;

use libc::{c_int, c_long};
use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition,
    SeccompFilter, SeccompRule, apply_filter,
};

use os::{SetupError, setup_error};

/// Leaves the calling thread, and all that it starts, with what a supervisor needs.
///
/// # Errors
/// One line: the kernel filters no system calls.
pub(super) fn confine_supervisor() -> Result<(), SetupError> {
    confine(supervisor())
}

/// Leaves the calling thread of one of so many workers with what it needs once it is set up. Each
/// confines itself after its start, whose calls it never needs again.
///
/// # Errors
/// One line: the kernel filters no system calls.
pub(super) fn confine_worker(workers: u32) -> Result<(), SetupError> {
    confine(worker(workers))
}

fn confine(programs: Result<Vec<BpfProgram>, BackendError>) -> Result<(), SetupError> {
    let failed = |why: String| setup_error!("cannot confine system calls: {why}");
    for program in programs.map_err(|error| failed(error.to_string()))? {
        apply_filter(&program).map_err(|error| failed(error.to_string()))?;
    }
    Ok(())
}

/// What a worker does, whatever the arguments.
const WORK: [c_long; 24] = [
    // Packets, the device's counters, the waker, the log.
    libc::SYS_read,
    libc::SYS_pread64,
    libc::SYS_write,
    libc::SYS_ppoll,
    // The line to the supervisor, metrics and control.
    libc::SYS_accept4,
    libc::SYS_recvfrom,
    libc::SYS_sendto,
    libc::SYS_shutdown,
    libc::SYS_close,
    // Memory.
    libc::SYS_brk,
    libc::SYS_madvise,
    libc::SYS_mremap,
    libc::SYS_munmap,
    // Two threads, and their end.
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_restart_syscall,
    libc::SYS_sigaltstack,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // Chance and, where the kernel has no clock in user space, the time.
    libc::SYS_getrandom,
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
];

/// What neither a supervisor nor a worker nor `ip` ever does, whatever the arguments.
const NEVER: [c_long; 44] = [
    // Access to other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_perf_event_open,
    // The kernel itself: its modules, its programs, its successor.
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_bpf,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_syslog,
    // Other namespaces, and another view of files.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_by_handle_at,
    // Keys.
    libc::SYS_add_key,
    libc::SYS_keyctl,
    libc::SYS_request_key,
    // The clock, the disks and who has used them.
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_clock_settime,
    libc::SYS_settimeofday,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_quotactl,
    libc::SYS_acct,
    // Calls that are used in attacks on kernels.
    libc::SYS_io_uring_setup,
    libc::SYS_userfaultfd,
    libc::SYS_personality,
    libc::SYS_remap_file_pages,
    libc::SYS_vmsplice,
];

/// Rules, routes and resets, control and metrics.
const FAMILIES: [c_int; 4] = [libc::AF_UNIX, libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK];

/// The flags of clone that make a namespace: in its own user namespace any process has all
/// capabilities.
const NAMESPACES: [c_int; 7] = [
    libc::CLONE_NEWCGROUP,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWUTS,
];

#[cfg(target_arch = "x86_64")]
mod processor {
    use super::c_long;

    /// Ports and segments, `kexec_file_load` (320), and what programs with short pointers (x32)
    /// call by numbers of their own: ptrace, `kexec_load`, `process_vm_readv`, `process_vm_writev`.
    pub(super) const NEVER: [c_long; 8] =
        [libc::SYS_ioperm, libc::SYS_iopl, libc::SYS_modify_ldt, 320, 521, 528, 539, 540];

    /// What such programs add to the number of every call (`__X32_SYSCALL_BIT`).
    pub(super) const KINDS: [c_long; 2] = [0, 0x4000_0000];
}

#[cfg(target_arch = "aarch64")]
mod processor {
    use super::c_long;

    /// `kexec_file_load`, which not every C library names.
    pub(super) const NEVER: [c_long; 1] = [294];

    pub(super) const KINDS: [c_long; 1] = [0];
}

/// For which arguments a call matches: for all if there are no rules.
type Calls = BTreeMap<c_long, Vec<SeccompRule>>;

fn worker(workers: u32) -> Result<Vec<BpfProgram>, BackendError> {
    let mut allowed: Calls = WORK.iter().map(|&call| (call, Vec::new())).collect();
    if workers > 1 {
        // They ask each other, by sockets that reach nobody else.
        allowed.extend([libc::SYS_sendmsg, libc::SYS_recvmsg].map(|call| (call, Vec::new())));
        let unix = condition(0, SeccompCmpOp::Eq, libc::AF_UNIX as u64);
        allowed.insert(libc::SYS_socketpair, any([unix])?);
    }
    // Memory with untrusted data is never executable.
    let data = SeccompCmpOp::MaskedEq(libc::PROT_EXEC as u64);
    for call in [libc::SYS_mmap, libc::SYS_mprotect] {
        allowed.insert(call, vec![SeccompRule::new(vec![condition(2, data.clone(), 0)?])?]);
    }
    // A client's socket that shall not block, and the name of the device.
    let requests = [libc::FIONBIO as u32, libc::TUNGETIFF as u32].map(u64::from);
    allowed.insert(libc::SYS_ioctl, any(requests.map(|it| condition(1, SeccompCmpOp::Eq, it)))?);
    Ok(vec![program(allowed, refused(libc::EPERM), SeccompAction::Allow)?])
}

fn supervisor() -> Result<Vec<BpfProgram>, BackendError> {
    let never = NEVER.iter().chain(&processor::NEVER);
    let mut denied: Calls = never.map(|&call| (call, Vec::new())).collect();
    for call in [libc::SYS_socket, libc::SYS_socketpair] {
        let other = FAMILIES.map(|family| condition(0, SeccompCmpOp::Ne, family as u64));
        let other = other.into_iter().collect::<Result<_, _>>()?;
        denied.insert(call, vec![SeccompRule::new(other)?]);
    }
    let has = |flag: c_int| condition(0, SeccompCmpOp::MaskedEq(flag as u64), flag as u64);
    denied.insert(libc::SYS_clone, any(NAMESPACES.map(has))?);
    // Its flags are in memory, which no filter sees: libraries fall back to clone if there is no
    // such call.
    let unseen = Calls::from([(libc::SYS_clone3, Vec::new())]);
    Ok(vec![
        program(of_all_kinds(&denied), SeccompAction::Allow, refused(libc::EPERM))?,
        program(of_all_kinds(&unseen), SeccompAction::Allow, refused(libc::ENOSYS))?,
    ])
}

const fn refused(error: c_int) -> SeccompAction {
    SeccompAction::Errno(error as u32)
}

/// Of arguments that the kernel takes for 32 bits, or that have nothing in the others.
fn condition(
    argument: u8,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
}

/// Rules for each of `conditions`.
fn any<const N: usize>(
    conditions: [Result<SeccompCondition, BackendError>; N],
) -> Result<Vec<SeccompRule>, BackendError> {
    conditions.into_iter().map(|condition| SeccompRule::new(vec![condition?])).collect()
}

fn of_all_kinds(calls: &Calls) -> Calls {
    let of_kind = |kind| calls.iter().map(move |(call, rules)| (call | kind, rules.clone()));
    processor::KINDS.into_iter().flat_map(of_kind).collect()
}

fn program(
    calls: Calls,
    otherwise: SeccompAction,
    matching: SeccompAction,
) -> Result<BpfProgram, BackendError> {
    SeccompFilter::new(calls, otherwise, matching, ARCH.try_into()?)?.try_into()
}

#[cfg(test)]
#[expect(unsafe_code, reason = "calls that no safe crate has, since nobody should make them")]
mod tests {
    use std::io;
    use std::ptr::null_mut;

    use super::super::child::{Child, End, ExitStatus};
    use super::*;

    /// What the kernel says of a call.
    fn outcome(call: c_long, arguments: [c_long; 3]) -> Option<i32> {
        let [first, second, third] = arguments;
        // SAFETY: the calls below touch no memory of this process, or are refused.
        let done = unsafe { libc::syscall(call, first, second, third, -1, 0, 0) };
        (done < 0).then(|| io::Error::last_os_error().raw_os_error()).flatten()
    }

    /// All of `calls` come to what stands beside them in a process that is confined to `programs`.
    /// It is forked from a thread of many, and allocates nothing.
    #[track_caller]
    fn check(
        programs: Result<Vec<BpfProgram>, BackendError>,
        calls: &[(c_long, [c_long; 3], Option<i32>)],
    ) {
        let programs = programs.expect("filters");
        for &(call, arguments, expected) in calls {
            let child = Child::start(|| {
                let confined = programs.iter().all(|program| apply_filter(program).is_ok());
                let as_expected = confined && outcome(call, arguments) == expected;
                if as_expected { ExitStatus::DONE } else { ExitStatus::FAILED }
            });
            let end = child.and_then(Child::wait).expect("a child");
            assert_eq!(end, End::Exited(0), "{call} {arguments:?} {expected:?}");
        }
    }

    const REFUSED: Option<i32> = Some(libc::EPERM);

    /// A process that is forked, where nothing is denied.
    const FORKED: c_long = libc::SIGCHLD as c_long;

    /// Those of several may make sockets, and pass them on, within this host.
    #[test]
    fn workers_ask_each_other_and_nobody_else() {
        let [unix, inet, stream] =
            [libc::AF_UNIX, libc::AF_INET, libc::SOCK_STREAM].map(c_long::from);
        let calls = [
            // With flags that there are not.
            (libc::SYS_socketpair, [unix, 0x10, 0], Some(libc::EINVAL)),
            (libc::SYS_socketpair, [inet, stream, 0], REFUSED),
            (libc::SYS_socket, [unix, stream, 0], REFUSED),
            (libc::SYS_connect, [-1, 0, 0], REFUSED),
            (libc::SYS_sendmsg, [-1, 0, 0], Some(libc::EBADF)),
            (libc::SYS_recvmsg, [-1, 0, 0], Some(libc::EBADF)),
        ];
        check(worker(2), &calls);
        let alone = [libc::SYS_socketpair, libc::SYS_sendmsg, libc::SYS_recvmsg];
        check(worker(1), &alone.map(|call| (call, [-1, 0, 0], REFUSED)));
    }

    #[test]
    fn a_worker_makes_no_other_call() {
        let [inet, stream] = [libc::AF_INET, libc::SOCK_STREAM].map(c_long::from);
        let memory = |protection: c_int| [0, 4_096, protection.into()];
        let nowhere = null_mut::<u8>() as c_long;
        check(
            worker(1),
            &[
                (libc::SYS_ptrace, [0; 3], REFUSED),
                (libc::SYS_socket, [inet, stream, 0], REFUSED),
                (libc::SYS_openat, [libc::AT_FDCWD.into(), nowhere, 0], REFUSED),
                (libc::SYS_execve, [nowhere; 3], REFUSED),
                (libc::SYS_clone, [FORKED, 0, 0], REFUSED),
                (libc::SYS_kill, [1, 0, 0], REFUSED),
                (libc::SYS_mprotect, memory(libc::PROT_READ | libc::PROT_EXEC), REFUSED),
                (libc::SYS_ioctl, [0, libc::TIOCSTI as c_long, nowhere], REFUSED),
                (libc::SYS_read, [-1, nowhere, 0], Some(libc::EBADF)),
                (libc::SYS_ioctl, [-1, libc::FIONBIO as c_long, nowhere], Some(libc::EBADF)),
                (libc::SYS_mprotect, [0, 0, libc::PROT_READ.into()], None),
                // What no kernel has yet.
                (100_000, [0; 3], REFUSED),
            ],
        );
    }

    #[test]
    fn a_supervisor_makes_none_that_only_attackers_need() {
        let socket = |family: c_int| [family.into(), libc::SOCK_RAW.into(), 0];
        let user = c_long::from(libc::CLONE_NEWUSER);
        check(
            supervisor(),
            &[
                (libc::SYS_ptrace, [0; 3], REFUSED),
                (libc::SYS_bpf, [0; 3], REFUSED),
                (libc::SYS_unshare, [user, 0, 0], REFUSED),
                (libc::SYS_clone, [user | FORKED, 0, 0], REFUSED),
                (libc::SYS_clone3, [0; 3], Some(libc::ENOSYS)),
                (libc::SYS_socket, socket(libc::AF_PACKET), REFUSED),
                (libc::SYS_socket, socket(libc::AF_ALG), REFUSED),
                (libc::SYS_socketpair, socket(libc::AF_TIPC), REFUSED),
                (libc::SYS_socket, [libc::AF_UNIX.into(), libc::SOCK_DGRAM.into(), 0], None),
                (libc::SYS_socket, socket(libc::AF_NETLINK), None),
                (libc::SYS_kill, [0, 0, 0], None),
                (libc::SYS_close, [-1, 0, 0], Some(libc::EBADF)),
                (100_000, [0; 3], Some(libc::ENOSYS)),
            ],
        );
        for kind in processor::KINDS {
            check(supervisor(), &[(kind | libc::SYS_ptrace, [0; 3], REFUSED)]);
        }
    }
}
