//! What holds of every log, whatever was lost: for boxes that split connections.

use base::{Flags, Seq};
use middlebox::{Address, Connection, Leg};

use super::{Passage, Pattern, Way};

/// What a log tells of one direction of a connection.
#[derive(Debug)]
struct Stream {
    /// As its data's packets name it.
    connection: Connection,
    /// The first number after the SYN.
    first: Option<Seq>,
    /// Shift of its receiver's window.
    scale: u8,
    /// Both SYNs had a shift.
    scaled: [Option<u8>; 2],
    /// Runs of offsets that came to the box, the FIN's included.
    runs: Vec<[u64; 2]>,
    /// The FIN's offset.
    fin: Option<u64>,
    /// The highest acknowledgement that came from the receiver, and that went to the sender.
    confirmed: u64,
    /// The highest right edge that went to the sender.
    edge: Option<i64>,
}

impl Stream {
    const fn new(connection: Connection) -> Self {
        Self {
            connection,
            first: None,
            scale: 0,
            scaled: [None; 2],
            runs: Vec::new(),
            fin: None,
            confirmed: 0,
            edge: None,
        }
    }

    /// The end of what came to the box without a gap.
    fn in_order(&mut self) -> u64 {
        self.runs.sort_unstable();
        self.runs.iter().fold(0, |end, run| if run[0] <= end { end.max(run[1]) } else { end })
    }
}

/// Goes through a log and shows `law` each acknowledgement that the box hands to a host: the
/// stream acknowledged, the offset acknowledged, and the passage.
fn each_acknowledgement<P: Pattern>(
    log: &[Passage<P>],
    mut law: impl FnMut(&mut Stream, i64, &Passage<P>),
) {
    let mut streams: Vec<Stream> = Vec::new();
    for passage in log {
        let connection = passage.packet.connection();
        let header = &passage.segment().header;
        if passage.has(Flags::SYN) && !passage.has(Flags::ACK) && passage.way == Way::In {
            let known = streams.iter().position(|stream| {
                stream.connection == connection && stream.first == Some(header.seq + 1)
            });
            if known.is_none() {
                streams.retain(|stream| {
                    stream.connection != connection && stream.connection != connection.reversed()
                });
            }
        }
        for of in [connection, connection.reversed()] {
            if !streams.iter().any(|stream| stream.connection == of) {
                streams.push(Stream::new(of));
            }
        }
        for stream in &mut streams {
            if stream.connection == connection && passage.way == Way::In {
                sent(stream, passage);
            } else if stream.connection == connection.reversed() {
                acknowledged(stream, passage, &mut law);
            }
        }
    }
}

/// The sender of `stream` sent this to the box.
fn sent<P: Pattern>(stream: &mut Stream, passage: &Passage<P>) {
    let segment = passage.segment();
    if segment.has(Flags::RST) {
        return;
    }
    if segment.has(Flags::SYN) {
        stream.first = Some(segment.header.seq + 1);
        stream.scaled[0] = segment.header.options.window_scale;
        return;
    }
    let Some(first) = stream.first else { return };
    let from = i64::from(segment.header.seq.distance(first)).max(0) as u64;
    let to = from + u64::from(segment.numbers());
    if to > from {
        stream.runs.push([from, to]);
    }
    if segment.has(Flags::FIN) {
        stream.fin = Some(to - 1);
    }
}

/// The receiver of `stream` sent this, or the box did in its name.
fn acknowledged<P: Pattern>(
    stream: &mut Stream,
    passage: &Passage<P>,
    law: &mut impl FnMut(&mut Stream, i64, &Passage<P>),
) {
    let header = &passage.segment().header;
    if passage.has(Flags::SYN) {
        stream.scaled[1] = header.options.window_scale;
        if let [Some(_), Some(scale)] = stream.scaled {
            stream.scale = scale.min(14);
        }
        return;
    }
    let Some(first) = stream.first else { return };
    if !passage.has(Flags::ACK) || passage.has(Flags::RST) {
        return;
    }
    let offset = i64::from(header.ack.distance(first));
    match passage.way {
        Way::In => stream.confirmed = stream.confirmed.max(offset.max(0) as u64),
        Way::Out => law(stream, offset, passage),
    }
}

/// The right edge that a host on `side` is told of never moves back (RFC 9293 §3.8.6), but by less
/// than a unit of the window's scale (RFC 7323 appendix F). It is about what is said in the name of
/// mobiles: a fixed host's own window rides through as it is.
pub fn edges_never_move_back<P: Pattern>(log: &[Passage<P>], side: impl Fn(Address) -> bool) {
    no_edge_moves_back(log, |passage| {
        side(passage.host()) && passage.packet.source.leg == Leg::Radio
    });
}

/// The same where data towards fixed hosts are split as well, and windows in their name.
pub fn edges_never_move_back_either_way<P: Pattern>(log: &[Passage<P>]) {
    no_edge_moves_back(log, |_| true);
}

fn no_edge_moves_back<P: Pattern>(log: &[Passage<P>], counts: impl Fn(&Passage<P>) -> bool) {
    each_acknowledgement(log, |stream, offset, passage| {
        if counts(passage) {
            let window = i64::from(passage.segment().header.window) << stream.scale;
            let edge = offset + window;
            let before = stream.edge.unwrap_or(edge);
            let unit = 1 << stream.scale;
            assert!(edge > before - unit, "from {before} to {edge}: {passage:?}");
            stream.edge = Some(edge.max(before));
        }
    });
}

/// A SYN that comes again takes nothing of its window back (RFC 9293 §3.8.6, SHLD-14), if that came
/// to the box as before. Once a reset has answered it, it opens anew.
pub fn a_repeated_syn_takes_no_window_back<P: Pattern>(log: &[Passage<P>]) {
    let mut syns: Vec<(Connection, Seq, [u16; 2])> = Vec::new();
    for passage in log {
        let (connection, header) = (passage.packet.connection(), &passage.segment().header);
        if passage.has(Flags::RST) {
            syns.retain(|(of, isn, _)| *of != connection.reversed() || header.ack != *isn + 1);
        }
        if !passage.has(Flags::SYN) {
            continue;
        }
        let known = syns.iter().position(|(of, isn, _)| (*of, *isn) == (connection, header.seq));
        let at = known.unwrap_or_else(|| {
            syns.push((connection, header.seq, [0; 2]));
            syns.len() - 1
        });
        let (.., [offered, told]) = &mut syns[at];
        match passage.way {
            Way::In => *offered = header.window,
            Way::Out => {
                assert!(header.window >= (*told).min(*offered), "from {told}: {passage:?}");
                *told = header.window;
            }
        }
    }
}

/// Nothing is acknowledged to a host that did not come to the box.
pub fn nothing_unreceived_is_acknowledged<P: Pattern>(log: &[Passage<P>]) {
    each_acknowledgement(log, |stream, offset, passage| {
        let received = stream.in_order();
        assert!(offset <= received as i64, "{offset} of {received}: {passage:?}");
        let first = stream.first.unwrap_or_default();
        for [left, right] in passage.segment().header.options.sack.as_slice() {
            let [left, right] = [left, right].map(|edge| i64::from(edge.distance(first)));
            let covers = |run: &[u64; 2]| (run[0] as i64) < right && (run[1] as i64) > left;
            assert!(stream.runs.iter().any(covers), "{left}..{right}: {passage:?}");
        }
    });
}

/// A FIN is acknowledged to its sender only after its receiver has acknowledged it.
pub fn fins_are_acknowledged_by_their_receiver<P: Pattern>(log: &[Passage<P>]) {
    each_acknowledgement(log, |stream, offset, passage| {
        if let Some(fin) = stream.fin {
            let early = offset > fin as i64 && stream.confirmed <= fin;
            assert!(!early, "FIN at {fin}, confirmed {}: {passage:?}", stream.confirmed);
        }
    });
}

/// What a host is shown as its peer's clock is what that has shown last, or before that: a time
/// that ran ahead would have the peer's own segments taken for old ones (RFC 7323 §5.3).
pub fn clocks_are_somebodys<P: Pattern>(log: &[Passage<P>]) {
    let mut shown: Vec<(Connection, Vec<u32>)> = Vec::new();
    for passage in log {
        let Some(clocks) = passage.segment().header.options.timestamps else { continue };
        let connection = passage.packet.connection();
        let place = shown.iter().position(|(other, _)| *other == connection).unwrap_or_else(|| {
            shown.push((connection, Vec::new()));
            shown.len() - 1
        });
        match passage.way {
            Way::In => shown[place].1.push(clocks.value),
            Way::Out => assert!(shown[place].1.contains(&clocks.value), "{passage:?}"),
        }
    }
}
