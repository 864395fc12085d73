//! Whether static routes lead where they say.

use crate::routes::Graph;
use crate::schema::Route;
use crate::validate::Check;
use settings::Fault;

impl Check<'_> {
    /// `[[route]]` of a network through which mobiles move.
    pub(crate) fn routes(&self, graph: &Graph<'_>) -> Result<(), Fault> {
        for (index, route) in self.scenario.route.iter().enumerate() {
            let before = &self.scenario.route[..index];
            if route.name.is_empty() || before.iter().any(|other| other.name == route.name) {
                let message = "every [[route]] needs a name of its own, as in name = \"detour\"";
                return self.clash(&["route"], message);
            }
            self.hop(graph, route)?;
            let is_same = |other: &&Route| (&other.at, &other.to) == (&route.at, &route.to);
            if let Some(other) = before.iter().find(is_same) {
                let message = format!(
                    "{} is a second route at {} to {}, beside {}",
                    route.name, route.at, route.to, other.name
                );
                return self.blame(route, "to", message);
            }
        }
        self.no_circles(graph)
    }

    /// The nodes of a route are there, and the next hop is a neighbour.
    fn hop(&self, graph: &Graph<'_>, route: &Route) -> Result<(), Fault> {
        let Route { name, at, to, via } = route;
        for (field, node) in [("at", at), ("to", to), ("via", via)] {
            if node.is_empty() {
                let message = format!("{name} needs a node: {field} is missing");
                return self.blame(route, field, message);
            }
            self.is_node(&format!("route.{name}.{field}"), node)?;
        }
        if at == to {
            let message = format!("a route to {to} at {at} would do nothing: packets are there");
            return self.blame(route, "to", message);
        }
        let number = |node: &str| graph.number(node);
        let edge = number(at).zip(number(via)).and_then(|(at, via)| graph.edge(at, via));
        if edge.is_none() {
            let message = format!("{via} is no neighbour of {at}: no [[wired]] joins them");
            return self.blame(route, "via", message);
        }
        Ok(())
    }

    /// Whoever follows the routes arrives.
    fn no_circles(&self, graph: &Graph<'_>) -> Result<(), Fault> {
        for route in &self.scenario.route {
            let ends = graph.number(&route.at).zip(graph.number(&route.to));
            let Some(round) = ends.and_then(|(at, to)| graph.circle(at, to)) else { continue };
            let names: Vec<_> = round.into_iter().map(|node| graph.nodes()[node]).collect();
            let message = format!("packets for {} would go round: {}", route.to, names.join(" → "));
            return self.blame(route, "via", message);
        }
        Ok(())
    }

    /// A fault of one field of `route`, or of another that was set.
    fn blame(&self, route: &Route, field: &str, message: String) -> Result<(), Fault> {
        let fields = [field, "via", "to", "at", "name"];
        let keys = fields.map(|field| format!("route.{}.{field}", route.name));
        self.clash(&keys.each_ref().map(String::as_str), message)
    }
}
