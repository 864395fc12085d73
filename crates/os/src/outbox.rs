//! Packets on their way from a machine to the ports.

use std::fmt;
use std::io;

use wire::Coalescer;

use crate::driver::{gone, is_gone};
use crate::{Clock, Joining, Machine, Port, Written};

/// Sends what a machine has to send, joined to frames where a port is offloading.
pub(crate) struct Outbox<'a> {
    clock: &'a Clock,
    ports: &'a [&'a dyn Port],
    /// Of each port that is offloading.
    coalescers: Vec<Option<Coalescer>>,
    /// What was polled or joined last.
    packet: Vec<u8>,
    frame: Vec<u8>,
}

impl<'a> Outbox<'a> {
    pub(crate) fn new(clock: &'a Clock, ports: &'a [&'a dyn Port]) -> Self {
        let coalescers = ports.iter().map(|port| port.is_offloading().then(Coalescer::default));
        let coalescers = coalescers.collect();
        Self { clock, ports, coalescers, packet: Vec::new(), frame: Vec::new() }
    }

    /// Sends whatever is to be sent by now.
    ///
    /// # Errors
    /// The machine's, and that of a port that is gone.
    pub(crate) fn flush<M: Machine>(&mut self, machine: &mut M) -> io::Result<()> {
        while let Some(number) = machine.poll_packet(self.clock.now(), &mut self.packet)? {
            let joining = machine.joining();
            if joining == Joining::Nothing {
                self.finish(machine)?;
            }
            if let Some(coalescer) = &mut self.coalescers[number] {
                match joining {
                    Joining::Flow => coalescer.push(&self.packet),
                    Joining::Previous | Joining::Nothing => coalescer.push_in_order(&self.packet),
                }
                self.send_frames(machine)?;
            } else {
                // It may tell of packets ahead of it.
                self.finish(machine)?;
                let written = self.send(machine, number, &self.packet)?;
                machine.handle_written(self.clock.now(), written);
            }
        }
        self.finish(machine)
    }

    fn finish<M: Machine>(&mut self, machine: &mut M) -> io::Result<()> {
        self.coalescers.iter_mut().flatten().for_each(Coalescer::finish);
        self.send_frames(machine)
    }

    /// Sends the frames that do not grow any more.
    fn send_frames<M: Machine>(&mut self, machine: &mut M) -> io::Result<()> {
        for number in 0..self.ports.len() {
            while let Some(coalescer) = &mut self.coalescers[number]
                && let Some(packets) = coalescer.poll_frame(&mut self.frame)
            {
                let written = self.send(machine, number, &self.frame)?;
                let now = self.clock.now();
                (0..packets).for_each(|_| machine.handle_written(now, written));
            }
        }
        Ok(())
    }

    fn send<M: Machine>(
        &self,
        machine: &mut M,
        number: usize,
        bytes: &[u8],
    ) -> io::Result<Written> {
        machine.handle_departure();
        match self.ports[number].send(bytes) {
            Ok(()) => Ok(Written::Taken),
            Err(error) if is_gone(&error) => Err(gone(number, &error)),
            Err(_) => Ok(Written::Refused),
        }
    }
}

impl fmt::Debug for Outbox<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Outbox").field("coalescers", &self.coalescers).finish_non_exhaustive()
    }
}
