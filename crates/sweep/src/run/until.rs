//! A time of day, as `--until HH:MM` has it: the next time that the clock on the wall shows it.

use nix::libc;
use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Says what time it is, for tests: RFC 3339.
const NOW_VARIABLE: &str = "TAILGRID_NOW";

/// A time of day.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct TimeOfDay {
    hour: u8,
    minute: u8,
}

impl FromStr for TimeOfDay {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| match part.len() {
            1 | 2 if part.bytes().all(|c| c.is_ascii_digit()) => part.parse::<u8>().ok(),
            _ => None,
        };
        let parts = text.split_once(':').and_then(|(h, m)| Some((number(h)?, number(m)?)));
        match parts {
            Some((hour, minute)) if hour < 24 && minute < 60 => Ok(Self { hour, minute }),
            _ => Err("write it as HH:MM, from 00:00 to 23:59, as in 08:00".to_owned()),
        }
    }
}

impl TimeOfDay {
    /// When it is next, by this machine's clock and time zone.
    pub fn next(self) -> SystemTime {
        let real = SystemTime::now();
        let said = std::env::var(NOW_VARIABLE).ok();
        let now = said.and_then(|text| humantime::parse_rfc3339(&text).ok()).unwrap_or(real);
        let left = self.after(now).duration_since(now).unwrap_or_default();
        real + left
    }

    /// The first time after `now` at which the local clock shows it.
    fn after(self, now: SystemTime) -> SystemTime {
        let seconds = now.duration_since(UNIX_EPOCH).unwrap_or_default().as_secs() as libc::time_t;
        let today = self.on_day_of(seconds, 0);
        let next = if today > seconds { today } else { self.on_day_of(seconds, 1) };
        UNIX_EPOCH + Duration::from_secs(next.max(0) as u64)
    }

    fn on_day_of(self, now: libc::time_t, days_later: i32) -> libc::time_t {
        // SAFETY: both functions read and write what is on this stack, and all zeros is a valid
        // `tm`.
        unsafe {
            let mut local: libc::tm = std::mem::zeroed();
            libc::localtime_r(&now, &mut local);
            local.tm_mday += days_later;
            (local.tm_hour, local.tm_min, local.tm_sec) = (self.hour.into(), self.minute.into(), 0);
            // Whether summer time holds then is not what holds now.
            local.tm_isdst = -1;
            libc::mktime(&mut local)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_day_are_read_and_others_refused() {
        assert_eq!("08:00".parse(), Ok(TimeOfDay { hour: 8, minute: 0 }));
        assert_eq!("7:5".parse(), Ok(TimeOfDay { hour: 7, minute: 5 }));
        for wrong in ["", "8", "24:00", "12:60", "-1:00", "8:00:00", "+8:00", "eight", "8.00"] {
            assert!(wrong.parse::<TimeOfDay>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn the_next_occurrence_is_within_a_day_and_shows_that_time() {
        let now = humantime::parse_rfc3339("2026-01-15T13:37:42Z").unwrap();
        for (hour, minute) in [(0, 0), (8, 0), (13, 37), (23, 59)] {
            let next = TimeOfDay { hour, minute }.after(now);
            let left = next.duration_since(now).unwrap();
            assert!(!left.is_zero() && left <= Duration::from_secs(24 * 3600), "{left:?}");
            let seconds = next.duration_since(UNIX_EPOCH).unwrap().as_secs() as libc::time_t;
            // SAFETY: as above.
            let shown = unsafe {
                let mut local: libc::tm = std::mem::zeroed();
                libc::localtime_r(&seconds, &mut local);
                (local.tm_hour, local.tm_min, local.tm_sec)
            };
            assert_eq!(shown, (i32::from(hour), i32::from(minute), 0));
        }
    }
}
