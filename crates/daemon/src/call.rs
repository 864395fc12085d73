//! Questions of the worker's other threads to its packet thread.

use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

use super::observation::Look;
use base::Duration;
use os::Waker;

/// A question: how many mobiles are to be named at most, and where the answer goes.
type Call = (usize, SyncSender<Look>);

/// Asks the packet thread.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    calls: Sender<Call>,
    waker: Arc<Waker>,
}

/// Where the packet thread receives questions.
#[derive(Debug)]
pub(crate) struct Calls(Receiver<Call>);

/// Both ends; the packet thread has to answer when it is woken.
pub(crate) fn calls(waker: Arc<Waker>) -> (Caller, Calls) {
    let (calls, heard) = channel();
    (Caller { calls, waker }, Calls(heard))
}

impl Caller {
    /// A look at the worker and at most `mobiles` of its mobiles, if it answers within `patience`.
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
    /// Answers the questions since the last time.
    pub(crate) fn answer(&self, mut look: impl FnMut(usize) -> io::Result<Look>) -> io::Result<()> {
        while let Ok((mobiles, reply)) = self.0.try_recv() {
            // The asking thread may have timed out.
            reply.try_send(look(mobiles)?).ok();
        }
        Ok(())
    }
}
