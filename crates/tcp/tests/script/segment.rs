//! Segments as tcpdump writes them.

use base::{Ecn, Flags, Options, Seq, TcpHeader, Timestamps};
use tcp::{Length, Payload, Segment};

use super::options;

/// The port of the endpoint, and of its peer.
pub(crate) const PORT: u16 = 1000;
pub(crate) const PEER_PORT: u16 = 80;

/// Where both sides' numbers start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Numbers {
    pub(crate) isn: Seq,
    pub(crate) peer_isn: Seq,
    /// The window that the peer advertises by itself.
    pub(crate) peer_window: u16,
}

/// What a line says of a segment.
#[derive(Debug, Default)]
struct Written {
    flags: Flags,
    first: u32,
    length: u32,
    ack: Option<u32>,
    window: Option<u16>,
    ecn: Ecn,
    /// As they stand there: the numbers of blocks count from the initial one.
    options: Option<Options>,
}

impl Numbers {
    /// The segment of a `<` line.
    pub(crate) fn arriving(&self, text: &str) -> Result<Segment<Length>, String> {
        let written = parse(text)?;
        let header = TcpHeader {
            source_port: PEER_PORT,
            destination_port: PORT,
            seq: self.peer_isn + written.first,
            ack: self.isn + written.ack.unwrap_or(0),
            flags: written.flags,
            window: written.window.unwrap_or(u16::MAX),
            options: options::counted_from(self.isn, written.options.unwrap_or_default()),
        };
        let payload = Length(u64::from(written.length));
        Ok(Segment { header, payload, ecn: written.ecn })
    }

    /// The peer acknowledges everything below `ack` and says nothing else.
    pub(crate) fn pure_ack(&self, ack: Seq, timestamps: Option<Timestamps>) -> Segment<Length> {
        let header = TcpHeader {
            source_port: PEER_PORT,
            destination_port: PORT,
            seq: self.peer_isn + 1,
            ack,
            flags: Flags::ACK,
            window: self.peer_window,
            options: Options { timestamps, ..Options::default() },
        };
        Segment { header, ..Segment::default() }
    }

    /// Compares what left with a `>` line.
    pub(crate) fn compare(&self, text: &str, segment: &Segment<Length>) -> Result<(), String> {
        let written = parse(text)?;
        let header = &segment.header;
        let ack = written.ack.filter(|&ack| header.ack != self.peer_isn + ack);
        let window = written.window.filter(|&window| header.window != window);
        // A SYN without any says that there are none.
        let options = written.options.or(segment.has(Flags::SYN).then(Options::default));
        let same = header.flags == written.flags
            && header.seq == self.isn + written.first
            && segment.payload.length() == u64::from(written.length)
            && segment.ecn == written.ecn
            && ack.is_none()
            && window.is_none()
            && options.is_none_or(|options| {
                header.options == options::counted_from(self.peer_isn, options)
            });
        if same { Ok(()) } else { Err(format!("expected {text}, but {}", self.show(segment))) }
    }

    /// A segment that left, as a line would have it.
    pub(crate) fn show(&self, segment: &Segment<Length>) -> String {
        let header = &segment.header;
        let first = header.seq - self.isn;
        let length = segment.payload.length();
        let last = u64::from(first) + length;
        let ack = if segment.has(Flags::ACK) {
            format!(" ack {}", header.ack - self.peer_isn)
        } else {
            String::new()
        };
        let mark = match segment.ecn {
            Ecn::NotCapable => "",
            Ecn::Capable => " [ect0]",
            Ecn::L4s => " [ect1]",
            Ecn::Experienced => " [ce]",
        };
        let options = options::show(self.peer_isn, &header.options);
        let (flags, window) = (header.flags, header.window);
        format!("{flags:?} {first}:{last}({length}){ack} win {window}{mark} <{options}>")
    }
}

fn parse(text: &str) -> Result<Written, String> {
    let (text, listed) = match text.split_once('<') {
        Some((text, options)) => (text, Some(options.trim_end().trim_end_matches('>'))),
        None => (text, None),
    };
    let mut words = text.split_whitespace();
    let flags = parse_flags(words.next().ok_or("a segment has flags")?)?;
    let (first, length) = parse_range(words.next().ok_or("a segment has FIRST:LAST(LENGTH)")?)?;
    let options = listed.map(options::parse).transpose()?;
    let mut written = Written { flags, first, length, options, ..Written::default() };
    while let Some(word) = words.next() {
        let mut value = || words.next().ok_or_else(|| format!("{word} has a value"));
        match word {
            "ack" => written.ack = Some(number(value()?)?),
            "win" => written.window = Some(number(value()?)?),
            "[ect0]" => written.ecn = Ecn::Capable,
            "[ect1]" => written.ecn = Ecn::L4s,
            "[ce]" => written.ecn = Ecn::Experienced,
            other => return Err(format!("no such field: {other}")),
        }
    }
    Ok(written)
}

fn parse_flags(text: &str) -> Result<Flags, String> {
    text.chars().try_fold(Flags::NONE, |flags, letter| {
        let flag = match letter {
            'S' => Flags::SYN,
            'F' => Flags::FIN,
            'R' => Flags::RST,
            'P' => Flags::PSH,
            '.' => Flags::ACK,
            'E' => Flags::ECE,
            'W' => Flags::CWR,
            'e' => Flags::AE,
            other => return Err(format!("no such flag: {other}")),
        };
        Ok(flags | flag)
    })
}

/// `FIRST:LAST(LENGTH)`, where LAST − FIRST must be LENGTH.
fn parse_range(text: &str) -> Result<(u32, u32), String> {
    let broken = || format!("no such range: {text}");
    let (first, rest) = text.split_once(':').ok_or_else(broken)?;
    let (last, length) = rest.trim_end_matches(')').split_once('(').ok_or_else(broken)?;
    let (first, last, length): (u32, u32, u32) = (number(first)?, number(last)?, number(length)?);
    if last.wrapping_sub(first) == length { Ok((first, length)) } else { Err(broken()) }
}

pub(super) fn number<N: std::str::FromStr>(text: &str) -> Result<N, String> {
    text.trim().parse().map_err(|_| format!("no such number: {text}"))
}
