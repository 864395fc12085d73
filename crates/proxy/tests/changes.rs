//! New configurations, and the end.

use base::Duration;
use tcp::State;

use crate::support::{self, HOST, MOBILE, Net, Way, config, configured, from_mobile, modern};

/// The configuration of [`config`] with something else in its profile.
fn with(scheme: &str, prefixes: &str, more: &str) -> proxy::Config {
    let others = if scheme == "atcp" { "atcp.others = 'around'\n" } else { "" };
    let text = format!(
        "[radio]\ninterfaces = ['wl0']\n[wired]\ninterfaces = ['eth0']\n[[profile]]\n\
         name = 'thin'\nmobiles = [{prefixes}]\n[profile.middlebox]\nkind = '{scheme}'\n\
         {others}{more}"
    );
    proxy::Config::parse(&text, "proxy.toml").expect("a configuration")
}

fn names(net: &Net) -> Vec<(String, String, bool)> {
    let stats = net.gateway.snapshot(net.now);
    stats.profiles.into_iter().map(|it| (it.name, it.scheme.into_owned(), it.retired)).collect()
}

#[test]
fn connections_keep_their_profile() {
    let mut net = Net::new(&config("atcp"), [1500, 1500]);
    let [client, server] = net.open([&modern(), &modern()], (MOBILE, 4000), (HOST, 80));
    net.run_for(Duration::from_secs(1));
    net.write(server, 100_000);
    net.run_for(Duration::from_secs(2));
    let thin = ("thin".to_owned(), "atcp".to_owned(), false);
    assert_eq!(names(&net), vec![thin.clone()]);
    // The same again: nothing changes.
    assert!(net.gateway.reload(net.now, &config("atcp")).is_empty());
    assert_eq!(names(&net), [thin]);
    // Another scheme, and another prefix that does not even have the mobile.
    let other = with("split", "'10.46.0.0/16'", "");
    assert_eq!(net.gateway.reload(net.now, &other), ["thin"]);
    let old = ("thin".to_owned(), "atcp".to_owned(), true);
    let new = ("thin".to_owned(), "split".to_owned(), false);
    assert_eq!(names(&net), [new.clone(), old]);
    assert!(net.gateway.has_retired());
    let syn = from_mobile(base::Flags::SYN, 5, 0, b"");
    net.inject(&syn);
    let unserved = net.gateway.snapshot(net.now);
    assert_eq!(unserved.profiles[0].connections.taken, 0);
    net.close(server);
    net.close(client);
    net.run_for(Duration::from_secs(100));
    net.assert_read(client, server, 100_000);
    net.run_for(Duration::from_secs(1_000));
    assert_eq!((net.gateway.flows(), names(&net)), (0, vec![new]));
    assert!(!net.gateway.has_retired());
    assert!(net.journal.is_empty());
    // What was counted under the name stays.
    let stats = &net.gateway.snapshot(net.now).profiles[0];
    assert_eq!((stats.connections.taken, stats.mobiles, stats.in_flight_bytes), (1, 0, 0));
    assert!(stats.radio.sent.bytes > 100_000);
}

/// Only the mobiles of a profile have changed: it keeps its box and what that has learned.
#[test]
fn a_profile_may_grow() {
    let two = "'10.45.0.0/16', '2001:db8:45::/48'";
    let mut net = Net::new(&with("atcp", two, ""), [1500, 1500]);
    let [client, server] = net.open([&modern(), &modern()], (MOBILE, 4000), (HOST, 80));
    net.run_for(Duration::from_secs(1));
    net.write(server, 100_000);
    let three = format!("{two}, '198.51.100.0/24'");
    let reloaded = net.gateway.reload(net.now, &with("atcp", &three, ""));
    assert!(reloaded.is_empty());
    net.run_for(Duration::from_secs(100));
    net.assert_read(client, server, 100_000);
    let stats = &net.gateway.snapshot(net.now).profiles;
    assert_eq!((stats.len(), stats[0].connections.taken), (1, 1));
    let changed = with("atcp", &three, "atcp.clamp = '5 kB'\n");
    assert_eq!(net.gateway.reload(net.now, &changed), ["thin"]);
}

/// What nobody would see any more must not go on: that nothing is held of a connection now does not
/// say that nothing will be.
#[test]
fn former_mobiles_are_told_as_long_as_they_have_connections() {
    for scheme in ["atcp", "split", "snoop"] {
        let mut net = Net::new(&config(scheme), [1500, 1500]);
        let [client, server] = net.open([&modern(), &modern()], (MOBILE, 4001), (HOST, 80));
        net.run_for(Duration::from_secs(5));
        assert!(net.journal.is_empty() && !net.gateway.has_former(), "{scheme}");
        assert!(net.gateway.reload(net.now, &with(scheme, "'10.46.0.0/16'", "")).is_empty());
        assert!(net.journal.is_empty() && net.gateway.has_former(), "{scheme}");
        net.inject(&from_mobile(base::Flags::SYN, 5, 0, b""));
        net.write(server, 50_000);
        net.run_for(Duration::from_secs(100));
        net.assert_read(client, server, 50_000);
        assert!(net.gateway.has_former(), "{scheme}");
        net.close(server);
        net.close(client);
        net.run_for(Duration::from_secs(1_000));
        let stats = &net.gateway.snapshot(net.now).profiles[0];
        assert_eq!((net.gateway.has_former(), stats.connections.taken), (false, 1), "{scheme}");
    }
}

/// A handshake that is under way may become a connection that holds something.
#[test]
fn a_former_mobile_may_be_opening_a_connection() {
    let mut net = Net::new(&config("atcp"), [1500, 1500]);
    net.inject(&from_mobile(base::Flags::SYN, 5, 0, b""));
    net.gateway.reload(net.now, &with("atcp", "'10.46.0.0/16'", ""));
    assert!(net.gateway.has_former());
    net.gateway.reload(net.now, &config("atcp"));
    assert!(!net.gateway.has_former());
}

/// To look at all connections takes time: at the beginning of a drain, and at its end.
#[test]
fn a_drain_looks_for_ends_now_and_then() {
    let mut net = Net::new(&configured("atcp", "[log]\nflows = true\n"), [1500, 1500]);
    let mut open = |port| net.open([&modern(), &modern()], (MOBILE, port), (HOST, 80));
    let [[idle, _], [busy, busy_server]] = [open(4000), open(4001)];
    net.run_for(Duration::from_secs(2));
    assert_eq!(net.gateway.poll_record(net.now), None);
    net.write(busy_server, 60_000);
    net.run_for(Duration::from_millis(500));
    net.gateway.drain(net.now);
    net.settle();
    let caller = |record: Option<proxy::FlowRecord>| record.map(|it| it.caller.port());
    assert_eq!(caller(net.gateway.poll_record(net.now)), Some(4000));
    assert_eq!(net.gateway.poll_record(net.now), None);
    net.abort(busy);
    assert!(net.run_while(Duration::from_millis(400), |net| net.gateway.flows() == 0));
    assert_eq!(net.gateway.poll_record(net.now), None);
    net.gateway.reset_all(net.now);
    net.gateway.hurry_records();
    assert_eq!(caller(net.gateway.poll_record(net.now)), Some(4001));
    net.close(idle);
}

/// However often: what stands goes on as long as its view is kept, and is reset after that.
#[test]
fn many_reloads_leave_nothing_hanging() {
    let mut net = Net::new(&config("atcp"), [1500, 1500]);
    let [client, server] = net.open([&modern(), &modern()], (MOBILE, 4000), (HOST, 80));
    net.run_for(Duration::from_secs(1));
    net.write(server, 500_000);
    for number in 0..8 {
        net.gateway.reload(net.now, &with("split", &format!("'10.{number}.0.0/16'"), ""));
        net.settle();
        net.run_for(Duration::from_millis(500));
        assert_eq!(net.state(client), State::Established);
        assert_eq!(names(&net).len(), 2, "others have had no connections");
    }
    net.gateway.reload(net.now, &with("split", "'10.99.0.0/16'", ""));
    net.settle();
    net.run_for(Duration::from_secs(5));
    assert_eq!((net.state(client), net.state(server)), (State::Closed, State::Closed));
    assert!(net.journal.is_empty());
}

/// What nothing holds is handed back at once, what something holds as soon as nothing does.
#[test]
fn a_drained_gateway_is_needed_no_more() {
    for scheme in ["atcp", "split"] {
        let mut net = Net::new(&config(scheme), [1500, 1500]);
        let ends = |port| ((MOBILE, port), (HOST, 80));
        let [idle, idle_server] = net.open([&modern(), &modern()], ends(4000).0, ends(4000).1);
        let [busy, busy_server] = net.open([&modern(), &modern()], ends(4001).0, ends(4001).1);
        net.run_for(Duration::from_secs(1));
        net.write(busy_server, 60_000);
        net.write(idle, 10);
        net.run_for(Duration::from_secs(2));
        net.gateway.drain(net.now);
        net.settle();
        let [late, late_server] = net.open([&modern(), &modern()], ends(4002).0, ends(4002).1);
        assert!(net.run_while(Duration::from_secs(60), |net| net.gateway.flows() == 0), "{scheme}");
        assert!(net.journal.is_empty(), "{scheme}: {:?}", net.journal);
        for (server, client) in [(idle_server, idle), (late_server, late), (busy_server, busy)] {
            net.peers[server.0].endpoint.write(bytes::Bytes::from(vec![7; 20_000]));
            net.close(server);
            net.close(client);
        }
        net.run_for(Duration::from_secs(100));
        let read = |id: support::PeerId| net.peer(id).read.len();
        assert_eq!([read(idle), read(late), read(busy)], [20_000, 20_000, 80_000], "{scheme}");
        let stats = &net.gateway.snapshot(net.now);
        assert!(stats.draining);
        assert_eq!(stats.profiles[0].connections.released, 2, "{scheme}");
    }
}

#[test]
fn at_the_end_both_ends_are_reset() {
    for scheme in ["atcp", "split"] {
        let mut net = Net::new(&config(scheme), [1500, 1500]);
        let [client, server] = net.open([&modern(), &modern()], (MOBILE, 4000), (HOST, 80));
        net.run_for(Duration::from_secs(1));
        net.write(server, 60_000);
        net.run_for(Duration::from_secs(1));
        net.gateway.reset_all(net.now);
        net.settle();
        assert!(net.journal.is_empty(), "{scheme}");
        net.run_for(Duration::from_secs(1));
        assert_eq!((net.state(client), net.state(server)), (State::Closed, State::Closed));
        let last = net.crossed(Way::Out, MOBILE).last().expect("a reset").packet.clone();
        let header = wire::parse(&last).expect("a segment").header;
        assert!(header.flags.contains(base::Flags::RST), "{scheme}");
        // A connection counts once, however many segments it takes.
        assert_eq!(net.gateway.snapshot(net.now).profiles[0].connections.reset, 1, "{scheme}");
    }
}

/// Limits that all boxes share.
#[test]
fn places_of_the_journal_are_bounded() {
    let config = configured("atcp", "[limits]\nflows = 3\nflows_per_mobile = 3\n");
    let mut net = Net::new(&config, [1500, 1500]);
    let mut servers = Vec::new();
    for port in 0..5 {
        let [_, server] = net.open([&modern(), &modern()], (MOBILE, 4000 + port), (HOST, 80));
        servers.push(server);
        net.run_for(Duration::from_secs(1));
    }
    for &server in &servers {
        net.write(server, 50_000);
    }
    net.run_for(Duration::from_secs(1));
    assert_eq!((net.gateway.journal_places(), net.gateway.flows()), (3, 3));
    assert!((1..=3).contains(&net.journal.len()));
    net.run_for(Duration::from_secs(100));
    assert!(net.journal.is_empty());
}
