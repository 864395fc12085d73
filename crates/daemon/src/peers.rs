//! Workers that ask each other how they fare, so that whichever answers a client tells of all.
//!
//! Each has a mailbox, made by the supervisor, which outlives the worker. A question there brings
//! along the socket for its answer, so that a process that dies leaves nobody half an answer of
//! somebody else's.

use std::io::{self, ErrorKind, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use base::{Duration, Time};
use rustix::event::{PollFd, PollFlags};
use rustix::io::{Errno, read};
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, send, sendmsg, socketpair,
};

use super::call::Caller;
use super::observation::Look;
use super::shared_status::SharedStatus;
use os::Clock;
use os::readable;

/// How long answers may take. The asker has to answer a client after that, which waits a second
/// longer.
const PATIENCE: Duration = Duration::from_secs(2);

/// Bytes read at once.
const CHUNK: usize = 65_536;

/// A question: how many mobiles are to be named at most.
type Question = [u8; size_of::<u64>()];

/// Where a worker is asked.
#[derive(Debug)]
pub(crate) struct Mailbox {
    slot: OwnedFd,
    inside: OwnedFd,
}

impl Mailbox {
    /// An empty one. A question for which there is no room is not asked.
    pub(crate) fn new() -> io::Result<Self> {
        let flags = SocketFlags::CLOEXEC;
        let (slot, inside) = socketpair(AddressFamily::UNIX, SocketType::DGRAM, flags, None)?;
        Ok(Self { slot, inside })
    }

    fn post(&self, question: Question, answer: &OwnedFd) -> io::Result<()> {
        let sockets = [answer.as_fd()];
        let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut enclosed = SendAncillaryBuffer::new(&mut room);
        enclosed.push(SendAncillaryMessage::ScmRights(&sockets));
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        sendmsg(&self.slot, &[IoSlice::new(&question)], &mut enclosed, flags)?;
        Ok(())
    }

    /// Waits for the next question, and for the socket that wants its answer.
    fn take(&self) -> io::Result<(Question, Option<OwnedFd>)> {
        let mut question = Question::default();
        let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut enclosed = RecvAncillaryBuffer::new(&mut room);
        let mut parts = [IoSliceMut::new(&mut question)];
        recvmsg(&self.inside, &mut parts, &mut enclosed, RecvFlags::CMSG_CLOEXEC)?;
        let answer = enclosed.drain().find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut sockets) => sockets.next(),
            _ => None,
        });
        Ok((question, answer))
    }
}

/// A worker among those of its daemon.
#[derive(Clone, Debug)]
pub(crate) struct Peers {
    number: u32,
    mailboxes: Arc<[Mailbox]>,
    status: Arc<SharedStatus>,
}

impl Peers {
    /// Worker `number` of those with these mailboxes.
    pub(crate) const fn new(
        number: u32,
        mailboxes: Arc<[Mailbox]>,
        status: Arc<SharedStatus>,
    ) -> Self {
        Self { number, mailboxes, status }
    }

    /// Whether there is anybody else.
    pub(crate) fn are_any(&self) -> bool {
        self.mailboxes.len() > 1
    }

    /// Looks at all other workers, and at most `mobiles` mobiles of each. Those that do not answer
    /// in time are left out.
    pub(crate) fn looks(&self, mobiles: usize) -> Vec<Look> {
        let clock = Clock::start();
        let deadline = clock.now() + PATIENCE;
        let others = (0..).zip(self.mailboxes.iter()).filter(|(number, _)| {
            // Nobody would answer where there is no worker.
            *number != self.number && self.status.is_there(*number)
        });
        let answers: Vec<_> = others.filter_map(|(_, other)| ask(other, mobiles).ok()).collect();
        let answers = answers.iter().filter_map(|near| hear(near, &clock, deadline).ok());
        answers.filter_map(|text| serde_json::from_slice(&text).ok()).collect()
    }

    /// Answers the questions of the others by `caller`, until the process ends.
    ///
    /// # Errors
    /// The kernel's, about the mailbox.
    pub(crate) fn answer(&self, caller: &Caller) -> io::Result<()> {
        let clock = Clock::start();
        let mailbox = &self.mailboxes[self.number as usize];
        loop {
            let (question, answer) = match mailbox.take() {
                Err(error) if error.kind() == ErrorKind::Interrupted => continue,
                taken => taken?,
            };
            let Some(answer) = answer else { continue };
            let mobiles = usize::try_from(u64::from_ne_bytes(question)).unwrap_or(usize::MAX);
            let Some(look) = caller.look(mobiles, PATIENCE) else { continue };
            let text = serde_json::to_vec(&look)?;
            // The asker may have given up, or be gone.
            say(&answer, &text, &clock, clock.now() + PATIENCE).ok();
        }
    }
}

/// Asks, and returns where the answer will come.
fn ask(other: &Mailbox, mobiles: usize) -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let (near, far) = socketpair(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    other.post((mobiles as u64).to_ne_bytes(), &far)?;
    Ok(near)
}

fn hear(near: &OwnedFd, clock: &Clock, deadline: Time) -> io::Result<Vec<u8>> {
    let mut heard = Vec::new();
    let mut chunk = vec![0; CHUNK];
    loop {
        match read(near, &mut chunk[..]) {
            Ok(0) => return Ok(heard),
            Ok(count) => heard.extend_from_slice(&chunk[..count]),
            Err(Errno::AGAIN | Errno::INTR) => wait(near, PollFlags::IN, clock, deadline)?,
            Err(error) => return Err(error.into()),
        }
    }
}

fn say(far: &OwnedFd, text: &[u8], clock: &Clock, deadline: Time) -> io::Result<()> {
    let mut said = 0;
    while said < text.len() {
        match send(far, &text[said..], SendFlags::NOSIGNAL) {
            Ok(count) => said += count,
            Err(Errno::AGAIN | Errno::INTR) => wait(far, PollFlags::OUT, clock, deadline)?,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn wait(socket: &OwnedFd, flags: PollFlags, clock: &Clock, deadline: Time) -> io::Result<()> {
    let patience = deadline.saturating_since(clock.now());
    if patience == Duration::ZERO {
        return Err(ErrorKind::TimedOut.into());
    }
    readable(&mut [PollFd::new(socket, flags)], patience)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::super::call::calls;
    use super::super::observation::Observation;
    use super::super::shared_status::{Word, WorkerWord};
    use super::*;
    use os::Waker;

    /// Whether it is so within a minute.
    fn comes_true(what: impl Fn() -> bool) -> bool {
        let clock = Clock::start();
        let limit = clock.now() + Duration::from_secs(60);
        while clock.now() < limit {
            if what() {
                return true;
            }
        }
        false
    }

    /// So many workers, all of which are said to be there.
    fn peers(count: u32) -> Vec<Peers> {
        let mailboxes: Arc<[_]> = (0..count).map(|_| Mailbox::new().expect("sockets")).collect();
        let status = SharedStatus::new(Time::ZERO, count).expect("memory");
        for number in 0..count {
            status.note(Word::Of(number, WorkerWord::Started), Time::from_nanos(1));
        }
        let status = Arc::new(status);
        let peers = |number| Peers::new(number, Arc::clone(&mailboxes), Arc::clone(&status));
        (0..count).map(peers).collect()
    }

    /// A worker that answers everything with `mobiles` mobiles, however many are asked for.
    fn answer(peers: &Peers, mobiles: u64) {
        let peers = peers.clone();
        let (caller, calls) = calls(Arc::new(Waker::new().expect("a waker")));
        thread::spawn(move || peers.answer(&caller));
        thread::spawn(move || {
            loop {
                let look =
                    |most: usize| Ok(Observation::example(if most > 0 { mobiles } else { 0 }).look);
                calls.answer(look).expect("an answer");
                thread::yield_now();
            }
        });
    }

    /// Answers that are longer than a socket's buffer come whole, from all that there are.
    #[test]
    fn all_others_are_asked() {
        let all = peers(3);
        let peers = &all[0];
        assert!(peers.are_any());
        answer(&all[1], 10_000);
        answer(&all[2], 1);
        let mobiles = |looks: Vec<Look>| -> Vec<_> {
            looks.iter().map(|look| look.mobiles.as_ref().map_or(0, Vec::len)).collect()
        };
        // On a busy machine an answer may be late.
        assert!(comes_true(|| mobiles(peers.looks(10)) == [10_000, 1]));
        assert!(comes_true(|| mobiles(peers.looks(0)) == [0, 0]));
    }

    /// A worker that is gone delays an answer, and its mailbox takes no end of questions; its
    /// successor answers those that are still wanted.
    #[test]
    fn who_is_gone_is_left_out() {
        let all = peers(2);
        let peers = &all[0];
        assert_eq!(peers.looks(0), []);
        peers.status.note_end(1);
        assert_eq!(peers.looks(0), []);
        let unread = (0..100_000).take_while(|_| ask(&peers.mailboxes[1], 0).is_ok()).count();
        assert!((1..100_000).contains(&unread), "{unread}");
        peers.status.note(Word::Of(1, WorkerWord::Started), Time::from_nanos(2));
        answer(&all[1], 0);
        assert!(comes_true(|| peers.looks(0) == [Observation::example(0).look]));
    }

    #[test]
    fn nobody_else_is_asked_where_there_is_one() {
        let all = peers(1);
        assert!(!all[0].are_any());
        assert_eq!(all[0].looks(0), []);
    }
}
