//! Shortest ways through a network of links.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use base::Duration;

/// A link between two nodes, as routing sees it: alike in both directions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Edge {
    /// The nodes.
    pub(crate) between: [usize; 2],
    /// What it takes, one way.
    pub(crate) delay: Duration,
}

/// From each of `nodes` nodes the number of the edge that leads to `destination` in the shortest
/// time, of equal ones with the fewest hops, then that which was named first; `None` at the
/// destination and where no way leads there.
pub(crate) fn towards(destination: usize, nodes: usize, edges: &[Edge]) -> Vec<Option<usize>> {
    let mut hops: Vec<Option<usize>> = vec![None; nodes];
    let mut known = vec![false; nodes];
    let mut next = BinaryHeap::from([Reverse(((0, 0, 0), destination, None))]);
    while let Some(Reverse(((time, count, _), node, hop))) = next.pop() {
        if std::mem::replace(&mut known[node], true) {
            continue;
        }
        hops[node] = hop;
        for (number, edge) in edges.iter().enumerate() {
            let [one, other] = edge.between;
            let neighbour = match node {
                _ if node == one => other,
                _ if node == other => one,
                _ => continue,
            };
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

    proptest! {
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
                        let [one, other] = edges[number].between;
                        at = if at == one { other } else { one };
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
