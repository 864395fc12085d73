//! Bytes as what happens to a proxy.

use base::Duration;

/// One thing that happens.
#[derive(Debug)]
pub(super) struct Record<'a> {
    /// After the one before.
    pub(super) since: Duration,
    pub(super) event: Event<'a>,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Event<'a> {
    /// An end of a connection sends a segment.
    Segment(Shape),
    /// The same, but something happens to the packet on its way.
    Altered(Shape, Mishap),
    /// Any bytes come in.
    Packet(&'a [u8]),
    /// Someone on the way sends an ICMP error about the packet that an end got last.
    Error { connection: u8, to_mobile: bool, kind: u8, mtu: u16 },
    /// Whoever runs the proxy wants something of it.
    Command(Command),
}

/// What a segment is like, in terms of what its sender would send now.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape {
    pub(super) connection: u8,
    /// Who sends it.
    pub(super) from_host: bool,
    pub(super) flags: u8,
    /// How far its numbers are beside the right ones.
    pub(super) seq_off: u32,
    pub(super) ack_off: u32,
    pub(super) window: u16,
    pub(super) length: usize,
    pub(super) options: u8,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Mishap {
    /// A byte changes; the checksums do not.
    Noise { at: u8, by: u8 },
    /// A byte changes, and the checksums with it.
    Change { at: u8, by: u8 },
    /// It is cut short.
    Cut { at: u8 },
    /// It comes in two fragments, which may overlap, in either order.
    Fragments { at: u8, how: u8 },
    /// It comes twice.
    Twice,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Command {
    Drain,
    End,
    /// Another configuration, or the first again.
    Reload(u8),
    /// Interfaces with other MTUs.
    Mtu(u8),
}

/// Reads records from bytes, until they end.
pub(super) struct Records<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for Records<'a> {
    type Item = Record<'a>;

    fn next(&mut self) -> Option<Record<'a>> {
        let (&[since, kind], rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        let event = match kind % 8 {
            0..=2 => Event::Segment(self.shape()?),
            3 | 4 => {
                let shape = self.shape()?;
                Event::Altered(shape, self.mishap()?)
            }
            5 => {
                let length = usize::from(u16::from_le_bytes(self.take()?));
                let (packet, rest) = self.0.split_at(length.min(self.0.len()));
                self.0 = rest;
                Event::Packet(packet)
            }
            6 => {
                let [connection, end, kind, high, low] = self.take()?;
                let (to_mobile, mtu) = (end & 1 == 0, u16::from_be_bytes([high, low]));
                Event::Error { connection, to_mobile, kind, mtu }
            }
            _ => {
                let [which, how] = self.take()?;
                Event::Command(match which % 16 {
                    0 => Command::Drain,
                    1 => Command::End,
                    2..=7 => Command::Mtu(how),
                    _ => Command::Reload(how),
                })
            }
        };
        Some(Record { since: span(since), event })
    }
}

impl Records<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*taken)
    }

    fn shape(&mut self) -> Option<Shape> {
        let [connection, flags, seq, ack, window, length, options] = self.take()?;
        Some(Shape {
            connection: connection & 0x7F,
            from_host: connection & 0x80 != 0,
            flags,
            seq_off: offset(seq),
            ack_off: offset(ack),
            window: u16::from(window) * 257,
            length: usize::from(length) * 8,
            options,
        })
    }

    fn mishap(&mut self) -> Option<Mishap> {
        let [which, at, how] = self.take()?;
        Some(match which % 5 {
            0 => Mishap::Noise { at, by: how },
            1 => Mishap::Change { at, by: how },
            2 => Mishap::Cut { at },
            3 => Mishap::Fragments { at, how },
            _ => Mishap::Twice,
        })
    }
}

/// Milliseconds in a byte, from none to 8 minutes: four bits shifted by four.
fn span(byte: u8) -> Duration {
    Duration::from_millis(u64::from(byte & 15) << (byte >> 4))
}

/// A signed offset in a byte: none, or a power of two, forward or back.
fn offset(byte: u8) -> u32 {
    match byte as i8 {
        0 => 0,
        forward @ 1.. => 1 << (forward / 4),
        back => (1_u32 << (back.unsigned_abs() / 4).min(31)).wrapping_neg(),
    }
}
