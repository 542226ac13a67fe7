//! Times as records and locks have them.
//!
//! A clock can be wrong: what lies before 1970 or after 9999 has no such text, and is written as
//! the nearest time that has one. No decision depends on it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The last second of the year 9999.
const LAST: Duration = Duration::from_secs(253_402_300_799);

/// RFC 3339 in UTC, to the second.
pub fn seconds(time: SystemTime) -> String {
    humantime::format_rfc3339_seconds(within(time)).to_string()
}

/// RFC 3339 in UTC, to the millisecond.
pub fn milliseconds(time: SystemTime) -> String {
    humantime::format_rfc3339_millis(within(time)).to_string()
}

fn within(time: SystemTime) -> SystemTime {
    UNIX_EPOCH + time.duration_since(UNIX_EPOCH).unwrap_or_default().min(LAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_is_wrong_ends_nothing() {
        let now = humantime::parse_rfc3339("2026-01-15T13:37:42.5Z").unwrap();
        assert_eq!(seconds(now), "2026-01-15T13:37:42Z");
        assert_eq!(milliseconds(now), "2026-01-15T13:37:42.500Z");
        for before in [1, 1 << 40] {
            let time = UNIX_EPOCH - Duration::from_secs(before);
            assert_eq!(seconds(time), "1970-01-01T00:00:00Z");
            assert_eq!(milliseconds(time), "1970-01-01T00:00:00.000Z");
        }
        for after in [1, 1 << 40] {
            let time = UNIX_EPOCH + LAST + Duration::from_secs(after);
            assert_eq!(seconds(time), "9999-12-31T23:59:59Z");
            assert_eq!(milliseconds(time), "9999-12-31T23:59:59.000Z");
        }
    }
}
