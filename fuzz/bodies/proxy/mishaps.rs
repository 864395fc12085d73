//! What may happen to a packet on its way, and what is said about it.

use super::records::Mishap;

/// What comes of `packet`.
pub(super) fn befall(packet: &[u8], mishap: Mishap) -> Vec<Vec<u8>> {
    let mut changed = packet.to_vec();
    let index = |at: u8| usize::from(at) % packet.len();
    match mishap {
        Mishap::Noise { at, by } => changed[index(at)] ^= by,
        Mishap::Change { at, by } => {
            changed[index(at)] ^= by;
            fix(&mut changed);
        }
        Mishap::Cut { at } => changed.truncate(index(at)),
        Mishap::Fragments { at, how } => return fragments(packet, at, how),
        Mishap::Twice => return vec![changed.clone(), changed],
    }
    vec![changed]
}

/// The bit of `how` by which the second fragment carries something else.
const ELSE: u8 = 3;

/// Whether fragments, which tell nothing one by one, may be something else together, and by chance
/// have its checksum.
pub(super) const fn may_make_whole_lies(mishap: Mishap) -> bool {
    matches!(mishap, Mishap::Fragments { how, .. } if how >> ELSE & 1 == 1)
}

/// An IPv4 packet in two pieces (RFC 791 §3.2). By bits of `how`: the last one first, only the
/// first, they overlap, the second carries something else.
fn fragments(packet: &[u8], at: u8, how: u8) -> Vec<Vec<u8>> {
    const HEADER: usize = 20;
    if packet[0] != 0x45 || packet.len() <= HEADER {
        return vec![packet.to_vec()];
    }
    let has = |bit: u8| how >> bit & 1 == 1;
    let cut = (8 * usize::from(at)).min(packet.len() - HEADER) & !7;
    let start = if has(2) { cut.saturating_sub(8) } else { cut };
    let piece = |from: usize, to: usize, more: u16| {
        let mut piece = packet[..HEADER].to_vec();
        piece.extend_from_slice(&packet[HEADER + from..to]);
        let length = piece.len() as u16;
        piece[2..4].copy_from_slice(&length.to_be_bytes());
        piece[4..6].copy_from_slice(&(u16::from(how) >> 4).to_be_bytes());
        piece[6..8].copy_from_slice(&(more << 13 | (from / 8) as u16).to_be_bytes());
        piece
    };
    let mut pieces = vec![piece(0, HEADER + cut, 1), piece(start, packet.len(), 0)];
    if has(ELSE) {
        pieces[1].iter_mut().skip(HEADER).for_each(|byte| *byte ^= 1);
    }
    for piece in &mut pieces {
        fix_ip(piece);
    }
    if has(0) {
        pieces.reverse();
    }
    if has(1) {
        pieces.truncate(1);
    }
    pieces
}

/// An ICMP error from someone on the way about `packet` (RFC 792, RFC 4443 §3); what it quotes may
/// be cut short or altered, by bits of `kind`.
pub(super) fn error_about(packet: &[u8], kind: u8, mtu: u16) -> Option<Vec<u8>> {
    let limit = if kind & 0x80 == 0 { 548 } else { usize::from(kind >> 2) };
    let mut quote = packet[..packet.len().min(limit)].to_vec();
    if kind & 0x40 != 0 {
        let at = quote.len().checked_sub(1)?.min(24);
        quote[at] ^= 0x55;
    }
    let [high, low] = mtu.to_be_bytes();
    let (mut out, types) = if packet.first()? >> 4 == 4 {
        let mut head = vec![0x45, 0, 0, 0, 0, 9, 0, 0, 64, 1, 0, 0, 192, 0, 2, 1];
        head.extend_from_slice(packet.get(12..16)?);
        (head, [[3, 4], [3, 1], [3, 3], [11, 0]])
    } else {
        let mut head = vec![0x60, 0, 0, 0, 0, 0, 58, 64, 0x20, 1, 0xd, 0xb8];
        head.extend_from_slice(&[0; 11]);
        head.push(1);
        head.extend_from_slice(packet.get(8..24)?);
        (head, [[2, 0], [1, 0], [1, 4], [3, 0]])
    };
    let [kind, code] = types[usize::from(kind & 3)];
    out.extend_from_slice(&[kind, code, 0, 0, 0, 0, high, low]);
    out.extend_from_slice(&quote);
    fix(&mut out);
    Some(out)
}

/// Makes length and checksums right, where there is what they stand in.
fn fix(packet: &mut [u8]) {
    let Some(version) = packet.first().map(|byte| byte >> 4) else { return };
    let (start, protocol, ends) = match version {
        4 => {
            let header = 4 * usize::from(packet[0] & 15);
            if packet.len() < header.max(20) {
                return;
            }
            let length = packet.len() as u16;
            packet[2..4].copy_from_slice(&length.to_be_bytes());
            fix_ip(packet);
            (header, packet[9], 12..20)
        }
        6 if packet.len() >= 40 => {
            let length = packet.len() as u16 - 40;
            packet[4..6].copy_from_slice(&length.to_be_bytes());
            (40, packet[6], 8..40)
        }
        _ => return,
    };
    let (at, has_pseudo_header) = match protocol {
        6 => (16, true),
        1 => (2, false),
        58 => (2, true),
        _ => return,
    };
    let Some(length) = packet.len().checked_sub(start).filter(|length| *length >= at + 2) else {
        return;
    };
    packet[start + at..][..2].fill(0);
    let mut sum = add(&packet[start..]);
    if has_pseudo_header {
        sum += add(&packet[ends]) + u64::from(protocol) + length as u64;
    }
    packet[start + at..][..2].copy_from_slice(&fold(sum).to_be_bytes());
}

fn fix_ip(packet: &mut [u8]) {
    let header = 4 * usize::from(packet[0] & 15);
    if (20..=packet.len()).contains(&header) {
        packet[10..12].fill(0);
        let sum = fold(add(&packet[..header]));
        packet[10..12].copy_from_slice(&sum.to_be_bytes());
    }
}

/// RFC 1071.
fn add(bytes: &[u8]) -> u64 {
    let word = |pair: &[u8]| u64::from(pair[0]) << 8 | u64::from(*pair.get(1).unwrap_or(&0));
    bytes.chunks(2).map(word).sum()
}

fn fold(mut sum: u64) -> u16 {
    while sum > 0xFFFF {
        sum = (sum & 0xFFFF) + (sum >> 16);
    }
    !(sum as u16)
}
