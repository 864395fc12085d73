use std::sync::Arc;
use std::time::Instant;
use base::{Duration, Seq, Time, SackBlocks, Flags};
use tcp::*;
fn run(recovery: RecoveryKind, n: u64, holes: u64) {
    let config = Arc::new(Config { mss: 1000, window: n as u32, initial_window: n as u32, receive_buffer: 1<<30, recovery,
        offers: Offers { sack: true, timestamps: false, ecn: false }, ..Config::PLAIN });
    let mut a = Endpoint::<Length>::connect(0, &config, 1, 2, Seq::new(7));
    let mut b = Endpoint::<Length>::listen(1, &config, 2, 1, Seq::new(9));
    let mut now = Time::ZERO;
    a.write(Length(n * 1000 * 3));
    // handshake
    let syn = a.poll_output(now, &mut ()).unwrap(); b.handle_segment(now, syn, &mut ());
    let sa = b.poll_output(now, &mut ()).unwrap(); now = now + Duration::from_millis(100); a.handle_segment(now, sa, &mut ());
    let mut data = vec![];
    while let Some(s) = a.poll_output(now, &mut ()) { data.push(s); }
    let mut next = vec![];
    for s in data { b.handle_segment(now, s, &mut ()); while let Some(k) = b.poll_output(now, &mut ()) {
        a.handle_segment(now, k, &mut ()); while let Some(s) = a.poll_output(now, &mut ()) { next.push(s); } } }
    let data = next;
    let t = Instant::now();
    let mut acks = vec![];
    let mut count = 0u64;
    now = now + Duration::from_millis(100);
    for (i, s) in data.into_iter().enumerate() {
        if s.has(Flags::SYN) { continue; }
        if i as u64 % holes == 1 { continue; }
        b.handle_segment(now, s, &mut ()); count += 1;
        while let Some(k) = b.poll_output(now, &mut ()) { acks.push(k); }
    }
    let recv = t.elapsed().as_nanos() as u64 / count;
    let t = Instant::now();
    let k = acks.len() as u64; let mut sent = 0u64;
    for ack in acks { now = now + Duration::from_nanos(1000); a.handle_segment(now, ack, &mut ());
        while let Some(s) = a.poll_output(now, &mut ()) { sent += 1; std::hint::black_box(s); } }
    println!("{recovery:?} n {n} holes 1/{holes}: receiver {recv} ns/segment, sender {} ns/ack ({k} acks, {sent} sent)", t.elapsed().as_nanos() as u64 / k);
    let _ = SackBlocks::NONE;
}
#[test]
fn cost() {
    for r in [RecoveryKind::Sack, RecoveryKind::Sack1, RecoveryKind::Fack(FackWindow::Halves), RecoveryKind::Rack, RecoveryKind::NewReno(NewReno::RFC_6582)] {
        for n in [100, 1000, 10_000, 30_000] { run(r, n, 2); }
    }
}
