//! The messages between a supervisor and its worker.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socketpair,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use os::Port;

/// A message to a worker.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Order {
    /// Use the configuration `text`, which came from the file `name`, for new connections.
    Reload {
        /// The file.
        name: String,
        /// What it says.
        text: String,
    },
    /// The largest packets of the interfaces, wired and radio, are now these.
    Mtu([u16; 2]),
    /// Take no new connections, and hand back those that can be.
    Drain,
    /// Reset what is left.
    End,
    /// Nothing is diverted any more: exit.
    Leave,
}

impl Order {
    /// How long it is as a message, in bytes.
    pub(super) fn bytes(&self) -> usize {
        serde_json::to_vec(self).map_or(usize::MAX, |message| message.len())
    }
}

/// A message from a worker.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum WorkerEvent {
    /// It works: it beats from now on.
    Ready,
    /// The new configuration is used; these profiles have only old connections.
    Reloaded {
        /// Their names.
        retired: Vec<String>,
    },
    /// It cannot be used.
    Refused {
        /// Why not.
        why: String,
    },
    /// The last connection of retired profiles is over.
    Retired,
    /// Mobiles that are not in the latest configuration have no connections left, and will get
    /// none.
    Narrow,
    /// No connection depends on the worker any more.
    Drained,
}

/// The longest message, in bytes: what a driver reads at once.
pub(super) const LONGEST: usize = u16::MAX as usize;

/// One end of the socket pair between the two. Messages arrive whole and in order.
#[derive(Debug)]
pub(super) struct MessageSocket(OwnedFd);

impl MessageSocket {
    /// Both ends.
    pub(super) fn pair() -> io::Result<(Self, Self)> {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let (one, other) = socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, flags, None)?;
        Ok((Self(one), Self(other)))
    }

    /// Sends `message`.
    ///
    /// # Errors
    /// The kernel's: the other end is gone, or its buffer is full; `InvalidInput` for what is too
    /// long.
    pub(super) fn send_message(&self, message: &impl Serialize) -> io::Result<()> {
        let bytes = serde_json::to_vec(message)?;
        if bytes.len() > LONGEST {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        self.send(&bytes)
    }

    /// The next message, if one is there.
    ///
    /// # Errors
    /// The kernel's, and `InvalidData` for what is not a message.
    pub(super) fn receive_message<M: DeserializeOwned>(&self) -> io::Result<Option<M>> {
        let mut buffer = vec![0; LONGEST];
        match self.receive(&mut buffer)? {
            None | Some(0) => Ok(None),
            Some(bytes) => Ok(Some(serde_json::from_slice(&buffer[..bytes])?)),
        }
    }
}

impl Port for MessageSocket {
    /// No bytes come if the other end is gone.
    fn receive(&self, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        match recv(&self.0, buffer, RecvFlags::empty()) {
            Ok((_, bytes)) => Ok(Some(bytes)),
            Err(Errno::AGAIN) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn send(&self, bytes: &[u8]) -> io::Result<()> {
        send(&self.0, bytes, SendFlags::NOSIGNAL)?;
        Ok(())
    }
}

impl AsFd for MessageSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use rustix::event::{PollFd, PollFlags, poll};

    use super::*;

    #[test]
    fn messages_arrive_whole_and_in_order() {
        let (near, far) = MessageSocket::pair().expect("sockets");
        let text = "#".repeat(60_000);
        let orders = [
            Order::Reload { name: "proxy.toml".into(), text },
            Order::Mtu([1500, 576]),
            Order::Drain,
            Order::End,
            Order::Leave,
        ];
        for order in &orders {
            near.send_message(order).expect("there is room");
        }
        for order in &orders {
            assert_eq!(far.receive_message::<Order>().expect("a message").as_ref(), Some(order));
        }
        assert_eq!(far.receive_message::<Order>().expect("silence"), None);
        let long = Order::Reload { name: String::new(), text: "x".repeat(LONGEST) };
        assert_eq!(near.send_message(&long).unwrap_err().kind(), io::ErrorKind::InvalidInput);
        drop(near);
        // A process that another test starts has a copy until it runs its program.
        let mut gone = [PollFd::new(&far, PollFlags::IN)];
        poll(&mut gone, None).expect("it is waited for");
        assert_eq!(far.receive(&mut [0; 9]).expect("its end"), Some(0));
    }
}
