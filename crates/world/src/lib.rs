//! The network as one machine: nodes, routes, links, bearers and endpoints.
