//! Applications: what flows transfer. Each is a file with its keys, the programs at the two ends of
//! a connection, and how a flow of it is made ([`Traffic`]). Here they are registered.

mod draws;
mod exchange;
mod file;
mod flow;
mod parallel;
mod probe;
mod stop;
mod telnet;
mod udp;
mod voip;
mod web;

use base::Time;
use observe::{Context, Observe};
use settings::{Always, NoKey, section, words};
use tcp::{Endpoint, Length, Payload};

pub(crate) use exchange::Progress;

pub use exchange::{Answerer, Asker, Exchange};
pub use file::{File, Sink, Source};
pub use flow::{AddedFlow, NewFlow, TcpSource, Traffic};
pub use parallel::{Fetching, ParallelBrowser};
pub use probe::{Prober, Probes};
pub use telnet::{Echoer, Telnet, Typist};
pub use udp::{Udp, UdpEnd, UdpFlow, UdpTimes};
pub use voip::{Codec, DelaySensitivity, EModel, Rating, Voip, mos};
pub use web::{Browser, Objects, Pages, Protocol, Server, Sizes, Web};

use crate::Body;

/// Registers applications, a line for each: its type, its field in [`Applications`] with the form
/// of its table (`NoKey` if it has no keys), and its word. `in turn` makes a word of several.
macro_rules! applications {
    ($(
        $(#[doc = $doc:literal])*
        $name:ident $(($field:ident: $form:ident))? $(in turn [$($part:ident),+])? = $word:literal,
    )*) => {
        words! {
            /// What a flow transfers.
            pub enum Application {
                $($(#[doc = $doc])* $name = $word,)*
            }
        }

        section! {
            /// The keys of all applications, including those that are not in use.
            pub struct Applications {
                $($(
                    /// Those of the application of that name.
                    pub $field: $name as $form<$name> = Default::default();
                )?)*
            }
        }

        impl Application {
            /// Adds `flow` to its world, with the keys of its application.
            pub fn add<B: Body<Payload = Length>>(
                self,
                keys: &Applications,
                flow: NewFlow<'_, B>,
            ) -> AddedFlow {
                match self {
                    $(Self::$name => {
                        $(keys.$field.start(self, flow))?
                        $(flow.turn(&[$(Self::$part),+]).add(keys, flow))?
                    })*
                }
            }
        }
    };
}

applications! {
    /// A file.
    File(file: NoKey) = "file",
    /// Pages that the mobile asks for, one after the other.
    Web(web: Always) = "web",
    /// A file and pages in turn: the first flow transfers a file, the next pages.
    Mixed in turn [File, Web] = "mixed",
    /// Keystrokes of the mobile, which the fixed host echoes.
    Telnet(telnet: Always) = "telnet",
    /// Single segments with long pauses.
    Probes(probe: Always) = "probe",
    /// Datagrams of UDP, which the sender sends whatever becomes of them.
    Udp(udp: Always) = "udp",
    /// One direction of a call: frames of voice at even intervals, over RTP and UDP.
    Voip(voip: Always) = "voip",
}

impl Application {
    /// True of those that send datagrams of UDP, rather than over connections of TCP.
    pub const fn has_datagrams(self) -> bool {
        matches!(self, Self::Udp | Self::Voip)
    }
}

/// A program at one end of a connection.
pub trait Program<P: Payload> {
    /// Does what is due now.
    fn run(&mut self, cx: &mut Context<'_, impl Observe>, endpoint: &mut Endpoint<P>);

    /// When it wants to run next, though nothing has arrived. After [`Program::run`], not in the
    /// past: time would stand still.
    fn poll_timeout(&self) -> Option<Time> {
        None
    }
}

/// Registers programs.
macro_rules! programs {
    ($($name:ident $(<$payload:ident>)?,)*) => {
        /// One of the programs.
        #[derive(Debug)]
        pub enum AnyProgram<P> {
            $(
                #[doc = concat!("[`", stringify!($name), "`].")]
                $name($name $(<$payload>)?),
            )*
            /// It has ended.
            Gone,
        }

        impl<P: Payload> Program<P> for AnyProgram<P> {
            fn run(&mut self, cx: &mut Context<'_, impl Observe>, endpoint: &mut Endpoint<P>) {
                match self {
                    $(Self::$name(program) => program.run(cx, endpoint),)*
                    Self::Gone => {}
                }
            }

            fn poll_timeout(&self) -> Option<Time> {
                match self {
                    $(Self::$name(program) => Program::<P>::poll_timeout(program),)*
                    Self::Gone => None,
                }
            }
        }

        $(impl<P> From<$name $(<$payload>)?> for AnyProgram<P> {
            fn from(program: $name $(<$payload>)?) -> Self {
                Self::$name(program)
            }
        })*
    };
}

programs! {
    Source<P>,
    Sink,
    Browser<P>,
    Server<P>,
    Typist<P>,
    Echoer<P>,
    Prober<P>,
    Asker<P>,
    Answerer<P>,
}
