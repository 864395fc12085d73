//! Connections, what their ends do, and weather, at random.

use base::{Duration, Probability, Seq, Time};
use bytes::Bytes;
use middlebox::{Address, Leg};
use proptest::prelude::*;
use tcp::{Config, EcnFeedback, Offers};

use super::{Network, Opening, Outage, OutageFate, Way, fixed, mobile, modern};

/// Who calls whom.
#[derive(Clone, Copy, Debug)]
pub enum Who {
    MobileCallsHost,
    HostCallsMobile,
    MobileCallsMobile,
}

/// What an end does, or the network.
#[derive(Clone, Copy, Debug)]
pub enum Operation {
    Write(u32),
    Close,
    Abort,
    Pause,
    Resume,
    Wait(u32),
}

/// A connection.
#[derive(Clone, Debug)]
pub struct Flow {
    pub who: Who,
    pub host: u8,
    pub isns: [u32; 2],
    pub offers: [Offers; 2],
    pub receive_buffers: [u32; 2],
    pub mss: [u32; 2],
}

/// What paths do to packets.
#[derive(Clone, Debug)]
pub struct Weather {
    pub loss: f64,
    pub jitter_millis: u64,
    pub outages: Vec<(u64, u64, bool)>,
    pub rate: Option<u64>,
}

/// What an end may offer.
pub fn offers() -> impl Strategy<Value = Offers> {
    any::<[bool; 2]>().prop_map(|[sack, timestamps]| Offers {
        sack,
        timestamps,
        ecn: EcnFeedback::Off,
    })
}

/// Where numbers may begin: near their wrap, too.
pub fn isn() -> impl Strategy<Value = u32> {
    prop_oneof![any::<u32>(), (u32::MAX - 60_000)..=u32::MAX]
}

/// Any connection.
pub fn flow() -> impl Strategy<Value = Flow> {
    let who = prop_oneof![
        3 => Just(Who::MobileCallsHost),
        1 => Just(Who::HostCallsMobile),
        1 => Just(Who::MobileCallsMobile),
    ];
    let buffer = prop_oneof![Just(5_392_u32), Just(60_000), Just(1_000_000)];
    let mss = || prop_oneof![Just(1_000_u32), Just(588)];
    let sizes = ([buffer.clone(), buffer], [mss(), mss()]);
    (who, 0_u8..3, [isn(), isn()], [offers(), offers()], sizes).prop_map(
        |(who, host, isns, offers, (receive_buffers, mss))| Flow {
            who,
            host,
            isns,
            offers,
            receive_buffers,
            mss,
        },
    )
}

/// Any operation.
pub fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        6 => (1_u32..40_000).prop_map(Operation::Write),
        2 => Just(Operation::Close),
        1 => Just(Operation::Abort),
        1 => Just(Operation::Pause),
        2 => Just(Operation::Resume),
        4 => (1_u32..5_000).prop_map(Operation::Wait),
    ]
}

/// Any weather.
pub fn weather() -> impl Strategy<Value = Weather> {
    let outage = (0_u64..30_000, 1_u64..20_000, any::<bool>());
    let rate = prop_oneof![Just(None), (2_000_u64..50_000).prop_map(Some)];
    (0.0..0.08, 0_u64..40, prop::collection::vec(outage, 0..3), rate).prop_map(
        |(loss, jitter_millis, outages, rate)| Weather { loss, jitter_millis, outages, rate },
    )
}

/// How connection `number` is opened.
pub fn opening(number: usize, flow: &Flow) -> Opening {
    let config = |side: usize| Config {
        sack: Some(flow.offers[side].sack),
        timestamps: flow.offers[side].timestamps,
        ecn: flow.offers[side].ecn,
        receive_buffer: Some(flow.receive_buffers[side]),
        mss: flow.mss[side],
        window: 32,
        ..modern()
    };
    let other = mobile(10 + u32::from(flow.host));
    let (client, server) = match flow.who {
        Who::MobileCallsHost => (mobile(0), fixed(0)),
        Who::HostCallsMobile => (fixed(0), mobile(0)),
        Who::MobileCallsMobile => (mobile(0), other),
    };
    Opening {
        client,
        server,
        client_isn: Seq::new(flow.isns[0]),
        server_isn: Seq::new(flow.isns[1]),
        client_config: config(0),
        server_config: config(1),
        ..Opening::of(5_000 + number as u16)
    }
}

/// Hosts that [`opening`] names.
const HOSTS: [Address; 5] = [fixed(0), mobile(0), mobile(10), mobile(11), mobile(12)];

/// All paths are as `weather` says.
pub fn set_weather(net: &mut Network<Bytes>, weather: &Weather) {
    for host in HOSTS {
        for way in [Way::In, Way::Out] {
            let path = net.path(host, way);
            path.loss = Probability::new(weather.loss).unwrap_or_default();
            path.jitter = Duration::from_millis(weather.jitter_millis);
            if host.leg == Leg::Radio {
                path.rate = weather.rate;
                path.outages.extend(weather.outages.iter().map(|&(from, lasts, held)| {
                    let from = Time::ZERO + Duration::from_millis(from);
                    let to = from + Duration::from_millis(lasts);
                    Outage {
                        from,
                        to,
                        fate: if held { OutageFate::Held } else { OutageFate::Lost },
                    }
                }));
                path.outages.sort_by_key(|outage| outage.from);
            }
        }
    }
}

/// From now on nothing is lost.
pub fn set_fair(net: &mut Network<Bytes>) {
    for host in HOSTS {
        for way in [Way::In, Way::Out] {
            let path = net.path(host, way);
            path.loss = Probability::NEVER;
            path.outages.clear();
        }
    }
}
