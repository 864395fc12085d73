//! Plain forwarding through a TUN by the driver of `live`: each packet goes back as it came.
//!
//! `forward DEVICE MTU QUEUE` until it is ended; the baseline of `benches/proxy.py`.

#![expect(clippy::disallowed_methods, reason = "a program reads its command line")]

use std::{env, io};

use base::Time;
use os::{Clock, Machine, Scheduling, Tun, Waker, run};

/// What came in and has not gone out.
#[derive(Default)]
struct Forward {
    waiting: Vec<Vec<u8>>,
    /// How many of those have gone out; the rest of their room is used again.
    gone: usize,
    come: usize,
}

impl Machine for Forward {
    fn handle_packet(&mut self, _now: Time, _port: usize, packet: &[u8]) -> io::Result<()> {
        if self.come == self.waiting.len() {
            self.waiting.push(Vec::new());
        }
        let room = &mut self.waiting[self.come];
        room.clear();
        room.extend_from_slice(packet);
        self.come += 1;
        Ok(())
    }

    fn handle_timeout(&mut self, _now: Time) -> io::Result<()> {
        Ok(())
    }

    fn poll_packet(&mut self, _now: Time, packet: &mut Vec<u8>) -> io::Result<Option<usize>> {
        if self.gone == self.come {
            (self.gone, self.come) = (0, 0);
            return Ok(None);
        }
        std::mem::swap(packet, &mut self.waiting[self.gone]);
        self.gone += 1;
        Ok(Some(0))
    }

    fn poll_timeout(&self) -> Option<Time> {
        None
    }

    fn is_over(&self) -> bool {
        false
    }
}

fn main() -> io::Result<()> {
    let words: Vec<_> = env::args().skip(1).collect();
    let [device, mtu, queue] = words.as_slice() else {
        return Err(io::Error::other("usage: forward DEVICE MTU QUEUE"));
    };
    let number = |word: &String| word.parse::<u16>().map_err(io::Error::other);
    let tun = Tun::open_offloading(device, number(mtu)?, number(queue)?.into())?;
    run(&Clock::start(), &[&tun], &Waker::new()?, Scheduling::Normal, &mut Forward::default())
}
