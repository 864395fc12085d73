//! The bearers that mobiles have to themselves, behind one type.

/// Declares the bearers that a mobile has to itself, each by its kind of radio.
macro_rules! bearers {
    ($($kind:ident($bearer:ident);)*) => {
        /// Bearer of one mobile: it carries packets to and from the network.
        #[derive(Debug)]
        pub enum Bearer<T> {
            $(
                /// Bearer of this kind.
                $kind(Box<$bearer::Bearer<T>>),
            )*
        }

        impl Radio {
            /// The bearer of one mobile, which reports facts as machine number `machine`; its
            /// random streams are named after `name`. `None` if mobiles share cells.
            pub fn bearer<T: Sdu>(
                &self,
                machine: u32,
                context: &RadioContext<'_>,
                name: &str,
            ) -> Option<Bearer<T>> {
                $(if let Self::$kind { keys } = self {
                    let config = keys.config(context, name);
                    let bearer = $bearer::Bearer::new(machine, &config, context.seed, name);
                    return Some(Bearer::$kind(Box::new(bearer)));
                })*
                None
            }
        }

        impl<T: Sdu> Bearer<T> {
        /// Takes in `sdu` at the end where `direction` begins, or gives it back if the queue
        /// is full.
        ///
        /// # Errors
        /// The SDU that was dropped.
        pub fn handle_input(
            &mut self,
            now: Time,
            direction: Direction,
            sdu: T,
            observe: &mut impl Observe,
        ) -> Result<(), T> {
            match self {
                $(Self::$kind(bearer) => bearer.handle_input(now, direction, sdu, observe),)*
            }
        }

        /// Does what is due at or before `now`.
        pub fn handle_timeout(&mut self, now: Time, observe: &mut impl Observe) {
            match self {
                $(Self::$kind(bearer) => bearer.handle_timeout(now, observe),)*
            }
        }

        /// From `now` on what happens to it over time is what `radio` says, which is of its kind.
        /// What was due before `now` must have been handled.
        pub fn reconfigure(
            &mut self,
            now: Time,
            radio: &Radio,
            context: &RadioContext<'_>,
            name: &str,
        ) {
            $(if let (Self::$kind(bearer), Radio::$kind { keys }) = (&mut *self, radio) {
                bearer.reconfigure(now, &keys.config(context, name));
            })*
        }

        /// The next SDU that has come out. To be called after each `handle_…` until it says `None`.
        #[must_use]
        #[inline]
        pub fn poll_output(&mut self) -> Option<(Direction, Output<T>)> {
            match self {
                $(Self::$kind(bearer) => bearer.poll_output(),)*
            }
        }

        /// When something is due next. It changes with each `handle_…` and `poll_…`.
        #[must_use]
        pub fn poll_timeout(&self) -> Option<Time> {
            match self {
                $(Self::$kind(bearer) => bearer.poll_timeout(),)*
            }
        }

        /// The base station's report of the mobile's downlink, if that has changed. A sleeping
        /// bearer reports nothing.
        #[must_use]
        pub fn poll_report(&mut self) -> Option<DownlinkReport> {
            match self {
                $(Self::$kind(bearer) => bearer.poll_report(),)*
            }
        }

        /// The SDUs of `direction` between entry and exit.
        pub fn held(&self, direction: Direction) -> Box<dyn Iterator<Item = &T> + '_> {
            match self {
                $(Self::$kind(bearer) => Box::new(bearer.held(direction)),)*
            }
        }

        /// What has been counted of `direction`. Outcomes of SDUs count when they are polled.
        pub fn counters(&self, direction: Direction) -> Counters {
            match self {
                $(Self::$kind(bearer) => bearer.counters(direction),)*
            }
        }

        /// The sum over SDUs of `direction` of the time that each has waited by `now`, from hand-in
        /// to the end of its first transmission; over `now` it is the mean length of the queue.
        pub fn waited(&self, direction: Direction, now: Time) -> Duration {
            match self {
                $(Self::$kind(bearer) => bearer.waited(direction, now),)*
            }
        }

        /// What the mobile's radio has used by `now`, if that is known of its kind.
        pub fn energy(&self, now: Time) -> Option<EnergyUse> {
            match self {
                $(Self::$kind(bearer) => bearer.energy(now),)*
            }
        }

        /// Which share of what the first `span` of the run had room for in `direction` was used;
        /// `None` if it had none.
        pub fn utilization(&self, direction: Direction, span: Duration) -> Option<f64> {
            match self {
                $(Self::$kind(bearer) => bearer.utilization(direction, span),)*
            }
        }
    }
    };
}

pub(crate) use bearers;
