//! The interface of schemes, and how the chosen one becomes a box.

use std::sync::Arc;

use tcp::Payload;

use crate::split::{
    BothWays, Journal, LargePackets, PerFlow, RadioLeg, SocketBuffers, SplitConfig, Splitter,
    Uplink,
};
use crate::{Admission, Follow, Following, Managed, MiddleboxLimits, RadioLink, Role};

/// The keys of a scheme, and what follows for its box.
pub trait SchemeKeys {
    /// The sockets of a connection that its box splits; `None` if it splits none.
    fn sockets(&self) -> Option<&SocketBuffers> {
        None
    }

    /// The most bytes that its box holds for a mobile, whatever its connections, and the key that
    /// says so.
    fn budget(&self) -> Option<(&'static str, u64)> {
        None
    }

    /// Payload bytes that its box sets aside for each established connection, if segments towards
    /// mobiles carry `mss` bytes.
    fn bytes_of_connection(&self, _mss: u16) -> u64 {
        0
    }

    /// True if packets that are not TCP wait for their turn with its box.
    fn schedules_others(&self) -> bool {
        false
    }

    /// Side of the radio where its box stands.
    fn role(&self) -> Role {
        Role::Network
    }

    /// True if what its box needs to know of its pipe is given, or will be reported.
    fn knows_its_pipe(&self) -> bool {
        true
    }

    /// The names of the classes of its flows.
    fn classes(&self) -> Vec<String> {
        Vec::new()
    }

    /// Place among these of the one that a flow with these ports and this code point is in.
    fn class_of(&self, _ports: &[u16], _dscp: u8) -> Option<u32> {
        None
    }

    /// Derives the keys that are not `given` from what is known of the radio.
    fn fit_to(&mut self, _radio: &RadioLink, _is_given: &dyn Fn(&str) -> bool) {}

    /// A warning, if segments of `mss` bytes towards mobiles, or what is known of the radio, do not
    /// suit it.
    fn warning(&self, _mss: u16, _radio: &RadioLink) -> Option<String> {
        None
    }

    /// Its box.
    fn build<P: Payload + Send + 'static>(&self, setup: Setup) -> Box<dyn Managed<P>>
    where
        Self: Sized;
}

/// What a box is given, whatever its scheme.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Its limits.
    pub limits: MiddleboxLimits,
    /// Admits its connections.
    pub admission: Admission,
    /// The senders towards fixed hosts, where what mobiles send is split as well.
    pub uplink: Option<Arc<tcp::Config>>,
    /// What becomes of packets that a path does not take.
    pub large_packets: LargePackets,
    /// Whether a journal is kept of what [`Managed::poll_exposure`] returns.
    pub journal: Journal,
    /// The seed of its sources of chance.
    pub seed: u64,
    /// Number in facts of the first mobile of its box, where each mobile has a box of its own.
    pub number: u32,
}

impl Setup {
    /// The setup of a box without limits, whose sources of chance use `seed`.
    pub fn unlimited(seed: u64) -> Self {
        let limits = MiddleboxLimits::NONE;
        let (admission, journal) = (Admission::new(limits), Journal::Unkept);
        let large_packets = LargePackets::Reported;
        Self { limits, admission, uplink: None, large_packets, journal, seed, number: 0 }
    }

    /// A box that follows connections with an `F` for each direction.
    pub(crate) fn following<P, F>(self, config: F::Config) -> Box<dyn Managed<P>>
    where
        P: Payload + Send + 'static,
        F: Follow<P> + 'static,
    {
        Box::new(Following::<P, F>::within(self.limits, config).sharing(self.admission))
    }

    /// How connections are split, except for what the scheme decides.
    pub(crate) fn split(&self) -> SplitConfig {
        let uplink = if self.uplink.is_some() { Uplink::Split } else { Uplink::Rides };
        let Self { limits, large_packets, journal, .. } = *self;
        SplitConfig { uplink, limits, large_packets, journal, ..SplitConfig::PLAIN }
    }

    /// A box that splits connections, with `radio` towards mobiles and such sockets towards fixed
    /// hosts.
    pub(crate) fn splitting<P, L>(
        self,
        config: SplitConfig,
        radio: L,
        sockets: SocketBuffers,
    ) -> Box<dyn Managed<P>>
    where
        P: Payload + Send + 'static,
        L: RadioLeg<P> + 'static,
    {
        let Some(wired) = &self.uplink else {
            return Box::new(Splitter::new(config, radio).sharing(self.admission));
        };
        let both = BothWays::new(radio, PerFlow::new(wired, sockets));
        Box::new(Splitter::new(config, both).sharing(self.admission))
    }
}

/// Registers schemes: for each its name here, the section of its keys, and its name in
/// `middlebox.kind`. The doc comment says what it does.
macro_rules! schemes {
    ($($(#[doc = $doc:literal])* $kind:ident($keys:ty) = $word:literal,)*) => {
        settings::kinds! {
            /// The scheme.
            pub enum Scheme {
                /// There is no box.
                None {
                    /// The keys of all schemes.
                    pub waiting: Waiting as settings::Flat<Waiting> = Waiting;
                } = "none",
                $(
                    $(#[doc = $doc])*
                    $kind {
                        /// Its keys.
                        pub keys: $keys as settings::Flat<$keys> = <$keys>::default();
                    } = $word,
                )*
            }
        }

        impl Scheme {
            /// What it says of its box; `None` if there is none.
            pub fn keys(&self) -> Option<&dyn SchemeKeys> {
                match self {
                    Self::None { .. } => None,
                    $(Self::$kind { keys } => Some(keys),)*
                }
            }

            /// The same, to be changed.
            pub fn keys_mut(&mut self) -> Option<&mut dyn SchemeKeys> {
                match self {
                    Self::None { .. } => None,
                    $(Self::$kind { keys } => Some(keys),)*
                }
            }

            /// Its box; `None` if there is none.
            pub fn build<P: tcp::Payload + Send + 'static>(
                &self,
                setup: Setup,
            ) -> Option<Box<dyn Managed<P>>> {
                match self {
                    Self::None { .. } => None,
                    $(Self::$kind { keys } => Some(keys.build(setup)),)*
                }
            }
        }

        /// The keys of all schemes while none is chosen, for a setting that chooses one.
        #[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
        pub struct Waiting;

        impl settings::Section for Waiting {
            fn overlay(
                &mut self,
                table: &settings::Table,
                at: &str,
            ) -> Result<(), settings::Fault> {
                $(settings::Section::overlay(&mut <$keys>::default(), table, at)?;)*
                Ok(())
            }

            fn names(&self, names: &mut Vec<String>) {
                $(settings::Section::names(&<$keys>::default(), names);)*
            }

            fn visit(&self, _: &str, _: settings::Scope, _: &mut dyn FnMut(settings::Key)) {}

            fn check(&self, _: &settings::Table, _: &str) -> Result<(), settings::Fault> {
                Ok(())
            }
        }
    };
}

pub(crate) use schemes;
