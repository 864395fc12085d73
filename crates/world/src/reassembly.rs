//! Fragments that wait for the others (RFC 8200 §4.5).

use std::collections::VecDeque;

use base::{Duration, Time};

use crate::{Body, NodeId, Packet, Piece};

/// How long pieces wait, from the first that came.
const PATIENCE: Duration = Duration::from_secs(60);

/// The most pieces of a packet: one bit each.
pub const MOST_PIECES: usize = 64;

/// What waits at all nodes of a world, by when the first piece came.
#[derive(Debug)]
pub struct Reassembly<B> {
    waiting: VecDeque<Waiting<B>>,
}

#[derive(Debug)]
struct Waiting<B> {
    at: NodeId,
    of: u64,
    /// Headers around the whole packet: a tunnel's exit may be the inner destination.
    depth: u8,
    since: Time,
    /// A bit for each that has come.
    have: u64,
    pieces: Vec<Packet<B>>,
}

impl<B> Default for Reassembly<B> {
    fn default() -> Self {
        Self { waiting: VecDeque::new() }
    }
}

/// The result of adding a piece.
pub(crate) enum Joined<B> {
    /// It waits for others.
    Waits,
    /// It has come before.
    Again(Packet<B>),
    /// All have come: the whole, and the pieces but the first.
    Whole(Packet<B>, Vec<Packet<B>>),
}

impl<B: Body> Reassembly<B> {
    /// A piece has come to the node `at`, its destination.
    pub(crate) fn handle_packet(&mut self, now: Time, at: NodeId, packet: Packet<B>) -> Joined<B> {
        let Some(piece) = packet.body.piece() else { return Joined::Whole(packet, Vec::new()) };
        let is_it = |waiting: &Waiting<B>| {
            (waiting.at, waiting.of, waiting.depth) == (at, piece.of, piece.depth)
        };
        let index = self.waiting.iter().position(is_it).unwrap_or_else(|| {
            let Piece { of, depth, .. } = piece;
            self.waiting.push_back(Waiting { at, of, depth, since: now, have: 0, pieces: vec![] });
            self.waiting.len() - 1
        });
        let waiting = &mut self.waiting[index];
        let bit = 1 << piece.number;
        if waiting.have & bit != 0 {
            return Joined::Again(packet);
        }
        waiting.have |= bit;
        waiting.pieces.push(packet);
        if waiting.have.count_ones() < piece.count.into() {
            return Joined::Waits;
        }
        let mut pieces = self.waiting.remove(index).map_or_else(Vec::new, |whole| whole.pieces);
        let number = |packet: &Packet<B>| packet.body.piece().map_or(0, |piece| piece.number);
        let first = pieces.iter().position(|packet| number(packet) == 0).unwrap_or(0);
        let mut whole = pieces.swap_remove(first);
        whole.body.join();
        whole.bytes = whole.body.bytes();
        Joined::Whole(whole, pieces)
    }

    /// The next piece that has waited too long by `now`.
    pub(crate) fn poll_given_up(&mut self, now: Time) -> Option<Packet<B>> {
        let first = self.waiting.front_mut().filter(|first| first.since + PATIENCE <= now)?;
        let piece = first.pieces.pop();
        if first.pieces.is_empty() {
            self.waiting.pop_front();
        }
        piece
    }

    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        self.waiting.front().map(|first| first.since + PATIENCE)
    }

    /// The pieces that wait.
    pub(crate) fn held(&self) -> impl Iterator<Item = &Packet<B>> {
        self.waiting.iter().flat_map(|waiting| &waiting.pieces)
    }
}
