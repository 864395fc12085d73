//! Every kind of radio behind one type.

/// Declares what carries the packets of mobiles, each by its kind of radio: a bearer that a mobile
/// has to itself is a cell of one.
macro_rules! cells {
    (own { $($own:ident($bearer:path);)* } shared { $($kind:ident($cell:path);)* }) => {
        /// Cell of one mobile or several: it carries packets between them and the network.
        #[derive(Debug)]
        pub enum Cell<T> {
            $(
                /// Bearer of one mobile, of this kind.
                $own(Box<$bearer>),
            )*
            $(
                /// Cell of this kind.
                $kind(Box<$cell>),
            )*
        }

        impl<T: Sdu> Cell<T> {
            /// Takes in `sdu` of mobile number `ue` at the end where `direction` begins, or gives
            /// it back if the queue is full.
            ///
            /// # Errors
            /// The SDU that was dropped.
            pub fn handle_input(
                &mut self,
                cx: &mut Context<'_, impl Observe>,
                ue: u32,
                direction: Direction,
                sdu: T,
            ) -> Result<(), T> {
                match self {
                    $(Self::$own(bearer) => bearer.handle_input(cx, direction, sdu),)*
                    $(Self::$kind(cell) => cell.handle_input(cx, ue, direction, sdu),)*
                }
            }

            /// Does what is due by now.
            pub fn handle_timeout(&mut self, cx: &mut Context<'_, impl Observe>) {
                match self {
                    $(Self::$own(bearer) => bearer.handle_timeout(cx),)*
                    $(Self::$kind(cell) => cell.handle_timeout(cx),)*
                }
            }

            /// The next SDU that has come out, and its mobile. To be called after each `handle_…`
            /// until it says `None`.
            #[must_use]
            #[inline]
            pub fn poll_output(&mut self) -> Option<(u32, Direction, Output<T>)> {
                match self {
                    $(Self::$own(bearer) => {
                        bearer.poll_output().map(|(direction, output)| (0, direction, output))
                    })*
                    $(Self::$kind(cell) => cell.poll_output(),)*
                }
            }

            /// The time at which something is due next. It changes with each `handle_…` and
            /// `poll_…`.
            #[must_use]
            #[inline]
            pub fn poll_timeout(&self) -> Option<Time> {
                match self {
                    $(Self::$own(bearer) => bearer.poll_timeout(),)*
                    $(Self::$kind(cell) => cell.poll_timeout(),)*
                }
            }

            /// The base station's report of the downlink of the mobile whose report has changed, if
            /// it makes any.
            #[must_use]
            pub fn poll_report(&mut self) -> Option<(u32, RateReport)> {
                match self {
                    $(Self::$own(bearer) => bearer.poll_report().map(|report| (0, report)),)*
                    $(Self::$kind(cell) => cell.poll_report(),)*
                }
            }

            /// What the uplink of the mobile of a dedicated channel can carry, if that has changed.
            /// No other kind reports it.
            #[must_use]
            pub fn poll_uplink_report(&mut self) -> Option<RateReport> {
                let Self::UmtsDch(bearer) = self else { return None };
                bearer.poll_uplink_report()
            }

            /// From `now` on what happens to it over time is what `radio` says, which is of its
            /// kind. It is called `name`. What was due before `now` must have been handled.
            pub fn reconfigure(
                &mut self,
                now: Time,
                radio: &Radio,
                context: &RadioContext<'_>,
                name: &str,
            ) {
                match (self, radio) {
                    $((Self::$own(bearer), Radio::$own { keys }) => {
                        bearer.reconfigure(now, &keys.config(context, name));
                    })*
                    $((Self::$kind(cell), Radio::$kind { keys }) => {
                        cell.reconfigure(now, &keys.config(context));
                    })*
                    (_, _) => {}
                }
            }

            /// The SDUs of `direction` between entry and exit, mobile by mobile.
            pub fn held(&self, direction: Direction) -> Box<dyn Iterator<Item = &T> + '_> {
                match self {
                    $(Self::$own(bearer) => Box::new(bearer.held(direction)),)*
                    $(Self::$kind(cell) => Box::new(cell.held(direction)),)*
                }
            }

            /// The counters of `direction` of all mobiles together. Outcomes of SDUs count when
            /// they are polled.
            pub fn total(&self, direction: Direction) -> Counters {
                match self {
                    $(Self::$own(bearer) => bearer.counters(direction),)*
                    $(Self::$kind(cell) => cell.total(direction),)*
                }
            }

            /// The sum over SDUs of `direction` of the time that each has waited by `now`, from
            /// hand-in to the end of its first transmission; over `now` it is the mean length of
            /// all queues together.
            pub fn waited(&self, direction: Direction, now: Time) -> Duration {
                match self {
                    $(Self::$own(bearer) => bearer.waited(direction, now),)*
                    $(Self::$kind(cell) => cell.waited(direction, now),)*
                }
            }

            /// The energy that the radio of each mobile has used by `now`, in order, if that is
            /// known of its kind.
            pub fn energy(&self, now: Time) -> Box<dyn Iterator<Item = EnergyUse> + '_> {
                match self {
                    $(Self::$own(bearer) => Box::new(bearer.energy(now).into_iter()),)*
                    $(Self::$kind(cell) => Box::new(cell.energy(now)),)*
                }
            }

            /// Which share of what the first `span` of the run had room for in `direction` was
            /// used; `None` if that is not counted, or there was none.
            pub fn utilization(&self, direction: Direction, span: Duration) -> Option<f64> {
                match self {
                    $(Self::$own(bearer) => bearer.utilization(direction, span),)*
                    $(Self::$kind(cell) => cell.utilization(direction, span),)*
                }
            }

            /// True if mobiles share it; false if one has it to itself.
            pub const fn is_shared(&self) -> bool {
                matches!(self, $(Self::$kind(_))|*)
            }
        }

        impl Radio {
            /// The names of the mobiles that share it; `None` if each has a bearer of its own.
            pub fn sharers(&self, context: &RadioContext<'_>) -> Option<Vec<String>> {
                $(if let Self::$kind { keys } = self {
                    let ues = keys.config(context).ues;
                    return Some(ues.into_iter().map(|ue| ue.name).collect());
                })*
                None
            }

            /// Whether mobiles share it.
            pub const fn is_shared(&self) -> bool {
                matches!(self, $(Self::$kind { .. })|*)
            }

            /// The cell, which reports facts as machine number `machine`. It is called `name`, as
            /// are the random streams of a bearer of one mobile.
            pub fn cell<T: Sdu>(
                &self,
                machine: u32,
                context: &RadioContext<'_>,
                name: &str,
            ) -> Cell<T> {
                match self {
                    $(Self::$own { keys } => {
                        let config = keys.config(context, name);
                        let bearer = <$bearer>::new(machine, &config, context.seed, name);
                        Cell::$own(Box::new(bearer))
                    })*
                    $(Self::$kind { keys } => {
                        let cell = <$cell>::new(machine, &keys.config(context), context.seed);
                        Cell::$kind(Box::new(cell))
                    })*
                }
            }
        }
    };
}

pub(crate) use cells;
