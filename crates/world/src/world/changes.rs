//! What changes of a world while it runs.

use std::mem;

use base::Time;
use link::{Config, Link, LinkConfig, Pipe};
use observe::{Context, Observe};
use radio::{Bearer, Cell};

use crate::{Body, Machine, MachineId, Packet, World};

impl<B: Body> World<B> {
    /// From `now` on rates, delays and losses of the link `id` are those of `config`: see
    /// [`Link::reconfigure`]. A pipe that changes becomes a link. [`World::step`] must have been
    /// called for all that was due before `now`; `seed` is that of [`World::add_link`].
    pub fn reconfigure_link(&mut self, now: Time, id: MachineId, config: &LinkConfig, seed: u64) {
        let name = self.machines.name(id).to_owned();
        let machine = &mut self.machines[id];
        if let Machine::Pipe { pipe, to } = machine {
            if config.as_pipe() == Some(pipe.config()) {
                return;
            }
            let none = Config { rate: None, delay: base::Duration::ZERO, queue_limit: None };
            let pipe = mem::replace(&mut **pipe, Pipe::new(&none));
            let link = Box::new(Link::of_pipe(now, pipe));
            *machine = Machine::Link { link, to: *to };
        }
        if let Machine::Link { link, .. } = machine {
            link.reconfigure(now, config, seed, &name);
        }
        self.machines.reschedule(id);
    }

    /// Lets `change` change the bearer `id`. What was due before `cx.now` is done.
    pub fn reconfigure_bearer(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        id: MachineId,
        change: impl FnOnce(&mut Bearer<Packet<B>>, Time),
    ) {
        if let Machine::Bearer { bearer, .. } = &mut self.machines[id] {
            let before = Time::from_nanos(cx.now.as_nanos().saturating_sub(1));
            bearer.handle_timeout(before, cx.observe);
            change(bearer, cx.now);
            self.run_bearer(cx, id);
        }
    }

    /// The same of the cells `id`.
    pub fn reconfigure_cell(
        &mut self,
        cx: &mut Context<'_, impl Observe>,
        id: MachineId,
        change: impl FnOnce(&mut Cell<Packet<B>>, Time),
    ) {
        if let Machine::Cell { cell, .. } = &mut self.machines[id] {
            let before = Time::from_nanos(cx.now.as_nanos().saturating_sub(1));
            cell.handle_timeout(before, cx.observe);
            change(cell, cx.now);
            self.run_cell(cx, id);
        }
    }
}
