//! Dates of six characters, with two-digit years and parts that may be unknown (ICAO 9303-3, 4.8).

use jiff::civil::Date;

/// A date as printed. An unknown part is printed as two fillers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct ShortDate {
    /// 0 to 99.
    pub year: Option<u8>,
    /// As printed, 0 to 99; a calendar has 1 to 12.
    pub month: Option<u8>,
    /// As printed, 0 to 99.
    pub day: Option<u8>,
}

/// Which century a two-digit year belongs to, in the zone and in print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YearWindow {
    /// The latest year for which the date is not after today, as of births and issues. A person older than a hundred is
    /// taken for a child; only a year of four digits could tell them apart.
    Past,
    /// Up to 35 years ahead, else in the past. Cards are valid for up to thirty years, and a document that expired long
    /// ago must never count as valid. `99` is the next such year however far ahead, because cards for life print it.
    Expiry,
}

/// How far ahead a date of expiry may be.
const MAX_EXPIRY_YEARS_AHEAD: i16 = 35;

impl ShortDate {
    /// Parses six characters; `None` where a part is neither two digits nor two fillers.
    pub fn parse(text: &[u8]) -> Option<Self> {
        let part = |at: usize| -> Option<Option<u8>> {
            match text.get(at..at + 2)? {
                b"<<" => Some(None),
                &[a @ b'0'..=b'9', b @ b'0'..=b'9'] => Some(Some((a - b'0') * 10 + (b - b'0'))),
                _ => None,
            }
        };
        if text.len() != 6 {
            return None;
        }
        Some(Self { year: part(0)?, month: part(2)?, day: part(4)? })
    }

    /// The six characters. A part above 99 is printed as unknown.
    pub fn to_mrz(self) -> String {
        [self.year, self.month, self.day]
            .map(|part| part.filter(|&part| part < 100).map_or("<<".to_owned(), |part| format!("{part:02}")))
            .concat()
    }

    /// The four-digit year; `None` where it is unknown.
    pub fn full_year(self, window: YearWindow, today: Date) -> Option<i16> {
        let short = i16::from(self.year.filter(|&year| year < 100)?);
        let this = today.year();
        let century = this - this.rem_euclid(100);
        Some(match window {
            YearWindow::Past => {
                // An unknown part counts as the earliest, so that it does not rule out the current year.
                let month = self.month.filter(|&part| part > 0).unwrap_or(1);
                let day = self.day.filter(|&part| part > 0).unwrap_or(1);
                let year = century + short;
                let ahead = (year, month, day) > (this, today.month() as u8, today.day() as u8);
                if ahead { year - 100 } else { year }
            }
            YearWindow::Expiry if short == 99 => century + 99,
            YearWindow::Expiry => {
                let ahead = (short - this).rem_euclid(100);
                if ahead <= MAX_EXPIRY_YEARS_AHEAD { this + ahead } else { this + ahead - 100 }
            }
        })
    }

    /// The date, where every part is known and the calendar has it.
    pub fn resolve(self, window: YearWindow, today: Date) -> Option<Date> {
        let year = self.full_year(window, today)?;
        Date::new(year, self.month? as i8, self.day? as i8).ok()
    }

    /// Whether some calendar has the date: a month up to 12, a day up to the end of the month. Unknown parts are
    /// possible.
    pub fn is_possible(self) -> bool {
        let days = match self.month {
            Some(2) => 29,
            Some(4 | 6 | 9 | 11) => 30,
            _ => 31,
        };
        let leap =
            !matches!((self.year, self.month, self.day), (Some(year), Some(2), Some(29)) if year % 4 != 0);
        self.month.is_none_or(|month| (1..=12).contains(&month))
            && self.day.is_none_or(|day| (1..=days).contains(&day))
            && leap
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    fn short(text: &str) -> ShortDate {
        ShortDate::parse(text.as_bytes()).unwrap()
    }

    #[test]
    fn nobody_is_born_in_the_future() {
        let today = date(2026, 11, 21);
        let born = |text| short(text).resolve(YearWindow::Past, today);
        assert_eq!(born("261121"), Some(today));
        assert_eq!(born("261122"), Some(date(1926, 11, 22)));
        assert_eq!(born("000229"), Some(date(2000, 2, 29)));
        assert_eq!(born("740812"), Some(date(1974, 8, 12)));
        assert_eq!(born("7408<<"), None);
        assert_eq!(short("26<<<<").full_year(YearWindow::Past, today), Some(2026));
        assert_eq!(short("<<<<<<").full_year(YearWindow::Past, today), None);
    }

    #[test]
    fn what_expired_long_ago_is_not_good_again() {
        let today = date(2026, 11, 21);
        let until = |text| short(text).full_year(YearWindow::Expiry, today);
        assert_eq!([until("120415"), until("610101"), until("620101")], [Some(2012), Some(2061), Some(1962)]);
        assert_eq!(until("980101"), Some(1998));
        assert_eq!(until("990101"), Some(2099));
    }

    #[test]
    fn dates_that_no_calendar_has_are_told() {
        for text in ["741301", "740631", "750229", "740800"] {
            assert!(!short(text).is_possible(), "{text}");
        }
        for text in ["760229", "<<<<<<", "74<<<<", "<<0230".replace("30", "29").as_str()] {
            assert!(short(text).is_possible(), "{text}");
        }
        assert_eq!(ShortDate::parse(b"7<0812"), None);
    }
}
