//! Eifel detection (RFC 3522).

use base::Seq;

use super::{Finding, Resent};
use crate::timestamps::clock;

/// RFC 3522 §3.2 steps 4 and 5: the first acknowledgement of a retransmission, up to `una`, echoes
/// the timestamp of the transmission that arrived first. If that is older than the
/// retransmission's, it is the original's.
pub(super) fn judge(resent: Option<Resent>, una: u64, echo: Option<u32>) -> Finding {
    let Some(resent) = resent.filter(|resent| resent.offset < una) else {
        return Finding::Open;
    };
    let older = |echo| Seq::new(echo).before(Seq::new(clock(resent.at)));
    if echo.is_some_and(older) { Finding::Spurious } else { Finding::Genuine }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Duration, Time};

    #[test]
    fn an_older_echo_is_the_originals() {
        let check = |resent_ms: u64, una, echo, expect| {
            let at = Time::ZERO + Duration::from_millis(resent_ms);
            let resent = Some(Resent { offset: 500, at });
            assert_eq!(judge(resent, una, echo), expect, "{resent_ms} {una} {echo:?}");
        };
        check(1_000, 501, Some(999), Finding::Spurious);
        check(1_000, 501, Some(1_000), Finding::Genuine);
        check(1_000, 501, Some(2_000), Finding::Genuine);
        check(1_000, 501, None, Finding::Genuine);
        check(1_000, 500, Some(999), Finding::Open);
        // Across the wrap of the clock, after 2³² ms.
        check((1 << 32) + 3, 501, Some(u32::MAX), Finding::Spurious);
        check((1 << 32) - 3, 501, Some(2), Finding::Genuine);
    }

    #[test]
    fn before_anything_was_sent_again_nothing_is_known() {
        assert_eq!(judge(None, 1, Some(5)), Finding::Open);
    }
}
