//! Threads that live in a namespace and work there on request.

#![expect(unsafe_code, reason = "what a child does ahead of its program is unsafe in any library")]

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use rustix::process::{Pid, Signal, getpid, getppid, set_parent_process_death_signal};
use rustix::thread::gettid;

use crate::namespace;

/// Work for the thread to do.
type Order = Box<dyn FnOnce() + Send>;

/// A thread in a namespace. The kernel ends its children when it ends, and with its last process
/// and device the namespace.
#[derive(Debug)]
pub struct Resident {
    orders: Option<Sender<Order>>,
    thread: Option<thread::JoinHandle<()>>,
    /// By which other namespaces may name this one.
    pub thread_id: i32,
    /// The number of its network namespace.
    pub namespace: u64,
}

impl Resident {
    /// A thread in the namespace of the caller.
    pub fn here() -> io::Result<Self> {
        Self::start(|| Ok(()))
    }

    /// A thread in a fresh namespace.
    pub fn in_fresh_namespace() -> io::Result<Self> {
        Self::start(namespace::enter_fresh)
    }

    fn start(enter: fn() -> io::Result<()>) -> io::Result<Self> {
        let (orders, received) = channel();
        let (arrive, arrived) = channel();
        let thread = thread::Builder::new().name("resident".into()).spawn(move || {
            let place = enter().and_then(|()| Ok((gettid(), namespace::own_number()?)));
            if arrive.send(place).is_ok() {
                serve(&received);
            }
        })?;
        let (thread_id, namespace) =
            arrived.recv().map_err(|_| io::Error::other("the thread ended"))??;
        Ok(Self {
            orders: Some(orders),
            thread: Some(thread),
            thread_id: thread_id.as_raw_nonzero().get(),
            namespace,
        })
    }

    /// Has the thread do `work`, and waits for what comes of it.
    ///
    /// # Panics
    /// If `work` does.
    pub fn ask<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> T {
        let (answer, answered) = channel();
        let order: Order = Box::new(move || drop(answer.send(work())));
        let orders = self.orders.as_ref().expect("a resident takes orders until it is dropped");
        orders.send(order).expect("a resident must not panic");
        answered.recv().expect("work must not panic")
    }

    /// Starts `command` here with more of an `environment`, and tells its process id.
    pub fn spawn(
        &self,
        command: &[OsString],
        environment: Vec<(OsString, OsString)>,
    ) -> io::Result<u32> {
        let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        let mut command = Command::new(program);
        command.args(arguments).envs(environment);
        let parent = getpid();
        // SAFETY: between fork and exec only system calls are made and nothing is allocated.
        unsafe { command.pre_exec(move || prepare(parent)) };
        // The caller waits for the process by its id.
        self.ask(move || command.spawn().map(|child| child.id()))
    }
}

/// Has the kernel end this process with the thread of `parent` that started it.
fn prepare(parent: Pid) -> io::Result<()> {
    // SAFETY: no handler is set. Python ignores this signal, and its programs would go on to.
    unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_DFL) };
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // It may have ended before it was asked; the parent of an orphan is another one.
    if getppid() == Some(parent) { Ok(()) } else { Err(io::ErrorKind::BrokenPipe.into()) }
}

fn serve(orders: &Receiver<Order>) {
    for order in orders {
        order();
    }
}

impl Drop for Resident {
    fn drop(&mut self) {
        self.orders = None;
        if let Some(thread) = self.thread.take() {
            // A panic in it has been seen by who asked.
            drop(thread.join());
        }
    }
}
