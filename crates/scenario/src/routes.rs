//! Ways through a network of links: the shortest, or as `[[route]]` has them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use base::Duration;

use crate::{Route, Scenario, Wired};

/// The nodes of `[[wired]]`, numbered in the order in which links name them, and what leads from
/// one to another.
pub(crate) struct Graph<'a> {
    nodes: Vec<&'a str>,
    edges: Vec<Edge>,
    routes: Vec<Static>,
}

/// A `[[route]]` in numbers.
struct Static {
    at: usize,
    to: usize,
    edge: usize,
}

impl<'a> Graph<'a> {
    /// The network of `scenario`. A route of which there is no node or link is left out.
    pub(crate) fn of(scenario: &'a Scenario) -> Self {
        let mut graph = Self { nodes: Vec::new(), edges: Vec::new(), routes: Vec::new() };
        for Wired { between: [one, other], delay, .. } in &scenario.wired {
            let between = [graph.add(one), graph.add(other)];
            graph.edges.push(Edge { between, delay: *delay });
        }
        for Route { at, to, via, .. } in &scenario.route {
            if let Some((at, to)) = graph.number(at).zip(graph.number(to))
                && let Some(edge) = graph.number(via).and_then(|via| graph.edge(at, via))
            {
                graph.routes.push(Static { at, to, edge });
            }
        }
        graph
    }

    fn add(&mut self, name: &'a str) -> usize {
        self.number(name).unwrap_or_else(|| {
            self.nodes.push(name);
            self.nodes.len() - 1
        })
    }

    /// The names of the nodes, in order.
    pub(crate) fn nodes(&self) -> &[&'a str] {
        &self.nodes
    }

    /// The number of the node called `name`.
    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|node| *node == name)
    }

    /// The link from one node to another: of several the quickest, then that named first.
    pub(crate) fn edge(&self, from: usize, to: usize) -> Option<usize> {
        let joins = |number: &usize| self.edges[*number].other(from) == Some(to);
        (0..self.edges.len()).filter(joins).min_by_key(|number| self.edges[*number].delay)
    }

    /// From each node the number of the link that leads to `destination`: that of its route, or the
    /// shortest way; `None` at the destination and where no way leads there.
    pub(crate) fn towards(&self, destination: usize) -> Vec<Option<usize>> {
        let mut hops = towards(destination, self.nodes.len(), &self.edges);
        for route in self.routes.iter().filter(|route| route.to == destination) {
            hops[route.at] = Some(route.edge);
        }
        hops
    }

    /// The nodes by which packets for `destination` would come back to `start`, itself first and
    /// last. `None` if they do not.
    pub(crate) fn circle(&self, start: usize, destination: usize) -> Option<Vec<usize>> {
        let hops = self.towards(destination);
        let mut round = vec![start];
        // Whoever has not come back after as many steps as there are nodes never will.
        for _ in &self.nodes {
            let at = *round.last()?;
            let next = self.edges[hops[at]?].other(at)?;
            round.push(next);
            if next == start {
                return Some(round);
            }
        }
        None
    }
}

/// A link between two nodes, as routing sees it: alike in both directions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    /// The nodes.
    pub(crate) between: [usize; 2],
    /// What it takes, one way.
    pub(crate) delay: Duration,
}

impl Edge {
    /// Where it leads from `node`; `None` if it does not begin there.
    pub(crate) fn other(&self, node: usize) -> Option<usize> {
        let [one, other] = self.between;
        match node {
            _ if node == one => Some(other),
            _ if node == other => Some(one),
            _ => None,
        }
    }
}

/// From each of `nodes` nodes the number of the edge that leads to `destination` in the shortest
/// time, of equal ones with the fewest hops, then that which was named first; `None` at the
/// destination and where no way leads there.
fn towards(destination: usize, nodes: usize, edges: &[Edge]) -> Vec<Option<usize>> {
    let mut hops: Vec<Option<usize>> = vec![None; nodes];
    let mut known = vec![false; nodes];
    let mut next = BinaryHeap::from([Reverse(((0, 0, 0), destination, None))]);
    while let Some(Reverse(((time, count, _), node, hop))) = next.pop() {
        if std::mem::replace(&mut known[node], true) {
            continue;
        }
        hops[node] = hop;
        for (number, edge) in edges.iter().enumerate() {
            let Some(neighbour) = edge.other(node) else { continue };
            if !known[neighbour] {
                let cost = (time + edge.delay.as_nanos(), count + 1, number);
                next.push(Reverse((cost, neighbour, Some(number))));
            }
        }
    }
    hops
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn edge(one: usize, other: usize, millis: u64) -> Edge {
        Edge { between: [one, other], delay: Duration::from_millis(millis) }
    }

    /// From each node to each other in ns (Floyd and Warshall).
    fn least_times(nodes: usize, edges: &[Edge]) -> Vec<Vec<Option<u64>>> {
        let mut least = vec![vec![None::<u64>; nodes]; nodes];
        (0..nodes).for_each(|node| least[node][node] = Some(0));
        let take = |least: &mut Vec<Vec<Option<u64>>>, from: usize, to: usize, time: u64| {
            let known = least[from][to].unwrap_or(u64::MAX);
            least[from][to] = Some(known.min(time));
        };
        for Edge { between: [one, other], delay } in edges {
            take(&mut least, *one, *other, delay.as_nanos());
            take(&mut least, *other, *one, delay.as_nanos());
        }
        for by in 0..nodes {
            for from in 0..nodes {
                for to in 0..nodes {
                    if let (Some(there), Some(on)) = (least[from][by], least[by][to]) {
                        take(&mut least, from, to, there + on);
                    }
                }
            }
        }
        least
    }

    #[test]
    fn the_shortest_way_is_taken() {
        // 0 - 1 - 2 in 4 ms, 0 - 2 in 5 ms, 3 alone.
        let edges = [edge(0, 1, 2), edge(2, 1, 2), edge(0, 2, 5)];
        assert_eq!(towards(2, 4, &edges), [Some(0), Some(1), None, None]);
        assert_eq!(towards(0, 4, &edges), [None, Some(0), Some(1), None]);
        assert_eq!(towards(3, 4, &edges), [None; 4]);
        // As quick, but with fewer hops.
        let edges = [edge(0, 1, 2), edge(2, 1, 3), edge(0, 2, 5)];
        assert_eq!(towards(2, 3, &edges), [Some(2), Some(1), None]);
        assert_eq!(towards(2, 3, &[edge(0, 2, 1), edge(0, 2, 1)]), [Some(0), None, None]);
    }

    fn graph<'a>(nodes: &[&'a str], edges: &[Edge], routes: &[[usize; 3]]) -> Graph<'a> {
        let mut graph = Graph { nodes: nodes.to_vec(), edges: edges.to_vec(), routes: Vec::new() };
        for &[at, to, via] in routes {
            let edge = graph.edge(at, via).expect("they are neighbours");
            graph.routes.push(Static { at, to, edge });
        }
        graph
    }

    #[test]
    fn routes_hold_where_and_for_what_they_say() {
        // 0 - 1 - 2 in 4 ms, 0 - 2 in 5 ms or 6, and 2 - 3.
        let edges = [edge(0, 1, 2), edge(2, 1, 2), edge(0, 2, 6), edge(0, 2, 5), edge(2, 3, 1)];
        let to = |routes: &[[usize; 3]], destination| {
            graph(&["a", "b", "c", "d"], &edges, routes).towards(destination)
        };
        assert_eq!(to(&[], 2), [Some(0), Some(1), None, Some(4)]);
        let quickest = Some(3);
        assert_eq!(to(&[[0, 2, 2]], 2), [quickest, Some(1), None, Some(4)]);
        assert_eq!(to(&[[0, 2, 2]], 3), [Some(0), Some(1), Some(4), None]);
        assert_eq!(to(&[[0, 2, 2]], 0), [None, Some(0), Some(1), Some(4)]);
    }

    #[test]
    fn circles_are_found_where_they_begin() {
        let edges = [edge(0, 1, 2), edge(1, 2, 2), edge(2, 0, 9), edge(2, 3, 1)];
        let circle = |routes: &[[usize; 3]], start| {
            graph(&["a", "b", "c", "d"], &edges, routes).circle(start, 3)
        };
        assert_eq!(circle(&[], 0), None);
        assert_eq!(circle(&[[1, 3, 0]], 1), Some(vec![1, 0, 1]));
        assert_eq!(circle(&[[2, 3, 0]], 2), Some(vec![2, 0, 1, 2]));
        // From d's neighbour on it is round and round, but not by way of the start.
        assert_eq!(circle(&[[0, 3, 2], [2, 3, 1]], 0), None);
        assert_eq!(circle(&[[0, 3, 2], [2, 3, 1]], 2), Some(vec![2, 1, 2]));
        assert_eq!(circle(&[[0, 3, 2]], 0), None);
    }

    proptest! {
        /// Either whoever follows the routes arrives, or a route leads back to where it begins.
        #[test]
        fn routes_lead_there_or_round(
            routes in prop::collection::vec((0..6_usize, 0..6_usize, 0..6_usize), 0..5),
            delays in prop::collection::vec(0..20_u64, 15),
        ) {
            let mut delays = delays.into_iter();
            let pairs = (0..6).flat_map(|one| (one + 1..6).map(move |other| (one, other)));
            let edges: Vec<_> = pairs
                .map(|(one, other)| edge(one, other, delays.next().expect("one each")))
                .collect();
            let mut routes: Vec<[usize; 3]> = routes.into_iter().map(Into::into).collect();
            routes.retain(|[at, to, via]| at != to && at != via);
            let graph = graph(&["a", "b", "c", "d", "e", "f"], &edges, &routes);
            for to in 0..6 {
                let hops = graph.towards(to);
                let arrives = |start: usize| {
                    let step = |at: Option<usize>, _: usize| {
                        at.map(|at| hops[at].and_then(|hop| edges[hop].other(at)).unwrap_or(at))
                    };
                    (0..6).fold(Some(start), step) == Some(to)
                };
                let of_it = routes.iter().filter(|route| route[1] == to);
                let mut rounds = of_it.filter_map(|route| graph.circle(route[0], to));
                prop_assert_eq!((0..6).all(arrives), rounds.next().is_none());
            }
        }

        /// Whoever follows the hops arrives, in the time that Floyd and Warshall find.
        #[test]
        fn every_way_leads_there_in_the_least_time(
            nodes in 2..8_usize,
            ends in prop::collection::vec((0..8_usize, 0..8_usize, 0..20_u64), 0..16),
        ) {
            let edges: Vec<_> = ends
                .iter()
                .map(|&(one, other, millis)| edge(one % nodes, other % nodes, millis))
                .filter(|edge| edge.between[0] != edge.between[1])
                .collect();
            let least = least_times(nodes, &edges);
            for (destination, least) in least.iter().enumerate() {
                let hops = towards(destination, nodes, &edges);
                for (start, least) in least.iter().enumerate() {
                    let (mut at, mut time, mut steps) = (start, 0, 0);
                    while let Some(number) = hops[at] {
                        at = edges[number].other(at).expect("a hop begins where it is taken");
                        time += edges[number].delay.as_nanos();
                        steps += 1;
                        prop_assert!(steps < nodes, "a circle");
                    }
                    let reached = (at == destination).then_some(time);
                    prop_assert_eq!(reached, *least);
                }
            }
        }
    }
}
