//! What fuzzing checks (`fuzz/README.md`), on talks at random in place of inputs that were found.

use proptest::collection::vec;
use proptest::prelude::*;

use crate::corpus::body;

const FIN: u8 = 1;
const SYN: u8 = 2;
const RST: u8 = 4;
const ACK: u8 = 0x10;
const HOST: u8 = 0x80;

/// A record as the body reads it: mostly what an end would send.
fn record() -> impl Strategy<Value = Vec<u8>> {
    let since = prop_oneof![4 => 0_u8..20, 2 => Just(0x6C), 1 => any::<u8>()];
    let rarely = |usual: u8| prop_oneof![9 => Just(usual), 1 => any::<u8>()];
    let flags = prop_oneof![
        20 => Just(ACK),
        2 => Just(SYN),
        2 => Just(SYN | ACK),
        2 => Just(FIN | ACK),
        1 => Just(RST),
        1 => any::<u8>(),
    ];
    let connection = prop_oneof![8 => Just(0), 2 => 0_u8..8, 1 => 0_u8..32];
    let sender = prop_oneof![Just(0), Just(HOST)];
    let options = prop_oneof![6 => Just(1), 2 => Just(0x21), 1 => any::<u8>()];
    let shape =
        (connection, sender, flags, rarely(0), rarely(0), rarely(255), any::<u8>(), options)
            .prop_map(|(connection, sender, flags, seq, ack, window, length, options)| {
                vec![connection | sender, flags, seq, ack, window, length, options]
            });
    let mishap = prop_oneof![
        12 => Just(vec![]),
        1 => any::<[u8; 3]>().prop_map(Vec::from),
    ];
    let segment = (since.clone(), shape, mishap).prop_map(|(since, shape, mishap)| {
        let kind = if mishap.is_empty() { 0 } else { 3 };
        [vec![since, kind], shape, mishap].concat()
    });
    let error = (since.clone(), 0_u8..8, any::<[u8; 4]>())
        .prop_map(|(since, connection, rest)| [vec![since, 6, connection], rest.into()].concat());
    let command =
        (since, any::<[u8; 2]>()).prop_map(|(since, rest)| [vec![since, 7], rest.into()].concat());
    prop_oneof![30 => segment, 1 => error, 1 => command]
}

/// The handshake of connection 0, with every option or none.
fn opened(options: u8) -> Vec<u8> {
    [(0, SYN), (HOST, SYN | ACK), (0, ACK)]
        .into_iter()
        .flat_map(|(sender, flags)| [20, 0, sender, flags, 0, 0, 255, 0, options])
        .collect()
}

proptest! {
    #[test]
    fn laws_hold(
        which in 0_u8..26,
        seed in any::<u8>(),
        options in prop_oneof![Just(0x0F), Just(0)],
        records in vec(record(), 0..60),
    ) {
        body::check(&[vec![which, seed], opened(options), records.concat()].concat());
    }
}
