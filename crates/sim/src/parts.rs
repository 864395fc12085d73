//! Parts of a network side by side.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvError, SyncSender, sync_channel};
use std::thread::{Builder, scope};

use base::Time;
use scenario::{Part, Scenario};

use crate::Unfinished;
use crate::clock::{Pulse, Threads};
use crate::measured::Measured;

/// More threads than any machine has processors gain nothing.
const MOST_THREADS: usize = 1024;

/// What threads tell the caller.
enum Message {
    /// The part of this mobile is over.
    Over(u32, Result<Box<Measured>, Unfinished>),
    /// A part goes on: time to call `pulse`.
    Pulse,
}

/// Runs each of `parts` with `run` on as many `threads`, and hands what was measured to `take`, in
/// order. `pulse` is called with the time to which all would have come if they had run together.
/// Both are called on the caller's thread.
///
/// # Errors
/// If `pulse` ended it, or that of the first part that did not reach its end.
pub(crate) fn side_by_side(
    scenario: &Scenario,
    parts: impl ExactSizeIterator<Item = Part>,
    threads: Threads,
    run: impl Fn(Part, Pulse<'_>) -> Result<Measured, Unfinished> + Sync,
    mut take: impl FnMut(Measured),
    pulse: Pulse<'_>,
) -> Result<(), Unfinished> {
    let count = parts.len();
    let threads = threads.get().min(count).min(MOST_THREADS);
    let reached = |done: usize| Time::ZERO + scenario.duration * done as u64 / count as u64;
    let work =
        Work { parts: parts.collect(), next: AtomicUsize::new(0), stop: AtomicBool::new(false) };
    scope(|scope| {
        let (caller, inbox) = sync_channel(threads);
        let start = |_: &usize| {
            let (caller, work, run) = (caller.clone(), &work, &run);
            Builder::new().spawn_scoped(scope, move || work.run(run, &caller)).is_ok()
        };
        // A machine that has no more threads to give does the same work on those it gave.
        let started = if threads > 1 { (0..threads).take_while(start).count() } else { 0 };
        if started == 0 {
            return one_by_one(&work.parts, &run, take, reached, pulse);
        }
        drop(caller);
        let (mut early, mut taken) = (BTreeMap::new(), 0);
        loop {
            match inbox.recv() {
                Ok(Message::Over(mobile, part)) => {
                    early.insert(mobile, part);
                }
                Ok(Message::Pulse) => {}
                Err(RecvError) => return Ok(()),
            }
            while let Some(part) = early.remove(&taken) {
                take(*part.inspect_err(|_| work.stop.store(true, Ordering::Relaxed))?);
                taken += 1;
            }
            if pulse(reached(taken as usize)).is_break() {
                work.stop.store(true, Ordering::Relaxed);
                return Err(Unfinished::Interrupted);
            }
        }
    })
}

/// The same on the caller's thread alone.
fn one_by_one(
    parts: &[Part],
    run: impl Fn(Part, Pulse<'_>) -> Result<Measured, Unfinished>,
    mut take: impl FnMut(Measured),
    reached: impl Fn(usize) -> Time,
    pulse: Pulse<'_>,
) -> Result<(), Unfinished> {
    for (done, part) in parts.iter().enumerate() {
        if pulse(reached(done)).is_break() {
            return Err(Unfinished::Interrupted);
        }
        take(run(*part, &mut |_| pulse(reached(done)))?);
    }
    Ok(())
}

/// What threads have to do.
struct Work {
    parts: Vec<Part>,
    /// The number of the next part that no thread has.
    next: AtomicUsize,
    /// Whether they are to stop.
    stop: AtomicBool,
}

impl Work {
    /// Runs parts until none is left, or until told to stop.
    fn run(
        &self,
        run: impl Fn(Part, Pulse<'_>) -> Result<Measured, Unfinished>,
        caller: &SyncSender<Message>,
    ) {
        let mut pulse = |_| {
            // If the caller has other messages to read, those will do.
            drop(caller.try_send(Message::Pulse));
            if self.stop.load(Ordering::Relaxed) {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        while let Some(part) = self.parts.get(self.next.fetch_add(1, Ordering::Relaxed))
            && let over = run(*part, &mut pulse).map(Box::new)
            && !matches!(over, Err(Unfinished::Interrupted))
            && caller.send(Message::Over(part.mobile, over)).is_ok()
        {}
    }
}
