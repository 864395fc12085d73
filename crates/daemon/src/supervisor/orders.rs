//! Orders for a worker, sent as soon as possible.

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::mem::{discriminant, replace};

use crate::message::{MessageSocket, Order};

/// The supervisor's end of the socket, and orders for which its buffer has no room yet: at most one
/// of each kind.
#[derive(Debug)]
pub(super) struct Orders {
    pub(super) line: MessageSocket,
    waiting: VecDeque<Order>,
}

impl Orders {
    pub(super) const fn new(line: MessageSocket) -> Self {
        Self { line, waiting: VecDeque::new() }
    }

    /// Sends `order`, after those that wait. It replaces a waiting one of its kind, which is
    /// returned and never sent.
    pub(super) fn give(&mut self, order: Order) -> Option<Order> {
        let kind = discriminant(&order);
        let waiting = self.waiting.iter_mut().find(|waiting| discriminant(*waiting) == kind);
        let former = if let Some(waiting) = waiting {
            Some(replace(waiting, order))
        } else {
            self.waiting.push_back(order);
            None
        };
        self.send();
        former
    }

    /// Sends the orders for which there is room.
    pub(super) fn send(&mut self) {
        while let Some(order) = self.waiting.front() {
            if self
                .line
                .send_message(order)
                .is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
            {
                return;
            }
            // Sent, or the worker is gone: that is found when its process ends.
            self.waiting.pop_front();
        }
    }

    /// Whether some wait for room.
    pub(super) fn is_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(number: usize) -> Order {
        Order::Reload { name: number.to_string(), text: "#".repeat(60_000) }
    }

    fn numbers(heard: &[Order]) -> Vec<usize> {
        let name = |order: &Order| match order {
            Order::Reload { name, .. } => name.parse().ok(),
            Order::Mtu(_) | Order::Drain | Order::End | Order::Leave => None,
        };
        heard.iter().filter_map(name).collect()
    }

    /// A worker that does not read for a while misses only outdated orders.
    #[test]
    fn no_order_is_lost() {
        let (near, far) = MessageSocket::pair().expect("sockets");
        let mut orders = Orders::new(near);
        let mut replaced = Vec::new();
        for number in 0..20 {
            orders.give(Order::Mtu([1500, number as u16]));
            replaced.extend(orders.give(file(number)));
        }
        orders.give(Order::Drain);
        assert!(orders.is_waiting());
        let mut heard = Vec::new();
        while let Some(order) = far.receive_message().expect("messages") {
            heard.push(order);
            orders.send();
        }
        assert!(!orders.is_waiting());
        let said = numbers(&heard);
        let [.., before, last] = said[..] else { panic!("{said:?}") };
        assert_eq!((before + 2, last), (said.len(), 19), "only the last of what waited");
        replaced.retain(|order| matches!(order, Order::Reload { .. }));
        assert_eq!(numbers(&replaced), (before + 1..19).collect::<Vec<_>>());
        assert_eq!(heard[heard.len() - 3..], [Order::Mtu([1500, 19]), file(19), Order::Drain]);
    }
}
