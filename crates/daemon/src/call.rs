//! What other threads of the worker ask of the one that handles packets.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use base::Duration;
use proxy::{Mobile, Snapshot};

use os::Waker;

/// What a worker does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Standing {
    /// It takes part in new connections.
    Serving,
    /// It waits until those that need it are over.
    Draining,
}

/// A look at a worker.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Look {
    /// What its gateway has counted and holds.
    pub(crate) snapshot: Snapshot,
    /// What it does.
    pub(crate) standing: Standing,
    /// Workers that died or hung before it.
    pub(crate) restarts: u64,
    /// Packets that the kernel dropped because they were not received in time.
    pub(crate) device_dropped: u64,
    /// Packets that the kernel did not take back.
    pub(crate) refused: u64,
    /// Connections in the journal: those that would be reset if the worker died now.
    pub(crate) exposed: u32,
    /// Mobiles with connections, as many as were asked for.
    pub(crate) mobiles: Vec<Mobile>,
}

/// A question: how many mobiles are to be named at most, and where the answer goes.
type Call = (usize, SyncSender<Look>);

/// Asks the packet thread.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    calls: Sender<Call>,
    waker: Arc<Waker>,
}

/// Where the packet thread hears what is asked.
#[derive(Debug)]
pub(crate) struct Calls(Receiver<Call>);

/// Both ends; whoever is woken has to answer.
pub(crate) fn calls(waker: Arc<Waker>) -> (Caller, Calls) {
    let (calls, heard) = channel();
    (Caller { calls, waker }, Calls(heard))
}

impl Caller {
    /// A look at the worker and at most so many `mobiles`, if it answers within `patience`.
    pub(crate) fn look(&self, mobiles: usize, patience: Duration) -> Option<Look> {
        let (reply, look) = sync_channel(1);
        self.calls.send((mobiles, reply)).ok()?;
        self.waker.wake().ok()?;
        #[expect(clippy::disallowed_types, reason = "the standard library's channels take it")]
        let patience = std::time::Duration::from_nanos(patience.as_nanos());
        look.recv_timeout(patience).ok()
    }
}

impl Calls {
    /// Answers whoever has asked since.
    pub(crate) fn answer(&self, mut look: impl FnMut(usize) -> io::Result<Look>) -> io::Result<()> {
        while let Ok((mobiles, reply)) = self.0.try_recv() {
            // Whoever asked may have lost patience.
            reply.try_send(look(mobiles)?).ok();
        }
        Ok(())
    }
}
