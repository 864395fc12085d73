//! What new connections learn from others between the same nodes (RFC 9040).

use observe::{Context, Observe};
use tcp::{Retained, ShareState, Shared, State};

use crate::host::Host;
use crate::{Body, MachineId, World};

impl<B: Body> World<B> {
    /// An endpoint's deadline has come.
    pub(super) fn wake_host(&mut self, cx: &mut Context<'_, impl Observe>, id: MachineId) {
        if let Some(host) = self.machines[id].host()
            && host.start.is_some_and(|start| start <= cx.now)
        {
            self.inherit_tcp_state(id);
        }
        if let Some(host) = self.machines[id].host_mut() {
            host.handle_timeout(cx);
        }
        self.run_host(cx, id);
    }

    /// A packet has come for endpoint `id`: if that listens, it is about to open, and inherits TCP
    /// state.
    pub(super) fn inherit_if_listening(&mut self, id: MachineId) {
        if let Some(host) = self.machines[id].host()
            && host.endpoint.state() == State::Listen
        {
            self.inherit_tcp_state(id);
        }
    }

    /// Gives endpoint `id`, if it is about to open and shares state, what others at its node know
    /// of the path to its peer.
    fn inherit_tcp_state(&mut self, id: MachineId) {
        let Some(host) = self.machines[id].host() else { return };
        let shared = match host.endpoint.learns() {
            ShareState::Off => return,
            ShareState::Temporal => self.last_ended(id, |_| true),
            ShareState::Careful => self.saved(id),
            ShareState::Ensemble => {
                let open = |state: State| state.is_synchronized() && !is_over(state);
                // Of those that measured at once, that which was made first counts.
                let mut others: Vec<_> = self.others(id, open).collect();
                others.sort_unstable_by_key(|(id, _)| *id);
                Shared::beside(others.into_iter().map(|(_, shared)| shared))
            }
        };
        if let (Some(host), Some(shared)) = (self.machines[id].host_mut(), shared) {
            host.endpoint.inherit(&shared);
        }
    }

    /// Knowledge of the connection that ended last of those that `count`.
    fn last_ended(&self, id: MachineId, counts: impl Fn(&Shared) -> bool) -> Option<Shared> {
        let ended = self.others(id, is_over).filter(|(_, shared)| counts(shared));
        ended.max_by_key(|(id, shared)| (shared.at, *id)).map(|(_, shared)| shared)
    }

    /// Knowledge that careful resume may use, which one connection at a time may (RFC 9959 §4.2).
    fn saved(&self, id: MachineId) -> Option<Shared> {
        if self.is_resumed_beside(id) {
            return None;
        }
        let saved = self.last_ended(id, |shared| shared.retained != Retained::Nothing)?;
        matches!(saved.retained, Retained::Path(_)).then_some(saved)
    }

    /// True if another endpoint like `id` uses what was saved.
    pub(super) fn is_resumed_beside(&self, id: MachineId) -> bool {
        let open = |host: &Host<B::Payload>| !is_over(host.endpoint.state());
        self.kin(id).any(|(_, host)| host.endpoint.resumes() && open(host))
    }

    /// Knowledge of endpoints like `id` whose state `counts`.
    fn others(
        &self,
        id: MachineId,
        counts: impl Fn(State) -> bool,
    ) -> impl Iterator<Item = (MachineId, Shared)> {
        self.kin(id).filter_map(move |(other, host)| {
            let counts = counts(host.endpoint.state());
            let shared = host.endpoint.shared().filter(|_| counts)?;
            Some((other, shared))
        })
    }

    /// Other endpoints like `id`: of its node, peer and group.
    fn kin(&self, id: MachineId) -> impl Iterator<Item = (MachineId, &Host<B::Payload>)> {
        let own = self.machines[id].host();
        let group = own.map(|host| host.group);
        let bound = own.map(|host| self.nodes[host.node].endpoints_to(host.peer));
        bound.into_iter().flatten().filter(move |other| *other != id).filter_map(move |other| {
            let host = self.machines[other].host()?;
            (Some(host.group) == group).then_some((other, host))
        })
    }
}

fn is_over(state: State) -> bool {
    matches!(state, State::Closed | State::TimeWait)
}
