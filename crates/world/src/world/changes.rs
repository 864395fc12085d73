//! What changes of a world while it runs.

use std::mem;

use base::Time;
use link::{Config, Link, LinkConfig, Pipe};
use observe::{Context, Observe};
use radio::Cell;

use crate::{Body, Hop, Machine, MachineId, Packet, RadioHop, World};

impl<B: Body> World<B> {
    /// From `now` on rates, delays and losses of the link `id` are those of `config`: see
    /// [`Link::reconfigure`]. A pipe that changes becomes a link. [`World::step`] must have been
    /// called for all that was due before `now`; `seed` is that of [`World::add_link`].
    pub fn reconfigure_link(&mut self, now: Time, id: MachineId, config: &LinkConfig, seed: u64) {
        let name = self.machines.name(id).to_owned();
        let machine = &mut self.machines[id];
        if let Machine::Hop(Hop::Pipe { pipe, to }) = machine {
            if config.as_pipe() == Some(pipe.config()) {
                return;
            }
            let none = Config { rate: None, delay: base::Duration::ZERO, queue_limit: None };
            let pipe = mem::replace(&mut **pipe, Pipe::new(&none));
            let link = Box::new(Link::of_pipe(now, pipe));
            *machine = Machine::Hop(Hop::Link { link, to: *to });
        }
        if let Machine::Hop(Hop::Link { link, .. }) = machine {
            link.reconfigure(now, config, seed, &name);
        }
        self.machines.reschedule(id);
    }

    /// Lets `change` change the radio `id`, whose name it is given. What was due before `cx.now` is
    /// done.
    pub fn reconfigure_radio(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        id: MachineId,
        change: impl FnOnce(&mut Cell<Packet<B>>, Time, &str),
    ) {
        let name = self.machines.name(id).to_owned();
        if let Some(RadioHop { cell, .. }) = self.machines[id].radio_mut() {
            let before = Time::from_nanos(cx.now.as_nanos().saturating_sub(1));
            cell.handle_timeout(&mut Context { now: before, observe: &mut *cx.observe });
            change(cell, cx.now, &name);
            self.run_radio(cx, id);
        }
    }
}
