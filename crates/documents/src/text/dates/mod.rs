//! Dates as documents print them: numbers in any order, months as words of many languages, two languages side by side,
//! two-digit years, years of the Buddhist era.

mod months;
mod tokens;

use crate::mrz::{ShortDate, YearWindow};
use jiff::civil::Date;
use std::ops::Range;
use tokens::{DateToken, TokenKind};

/// Text that is searched for dates, at most.
const MAX_TEXT_BYTES: usize = 4096;
/// Years that occur on documents.
const PLAUSIBLE_YEARS: std::ops::RangeInclusive<i16> = 1850..=2199;
/// How far years of the Buddhist era are ahead.
const BUDDHIST_ERA_OFFSET_YEARS: i16 = 543;

/// What is known about the context of a date.
#[derive(Clone, Copy, Debug)]
pub struct DateHints<'a> {
    /// The issuer of the document: ISO 3166-1 alpha-3 or ICAO. Decides whether 03/04/2020 is in March or in April.
    pub country: Option<&'a str>,
    /// Which century a two-digit year belongs to.
    pub window: YearWindow,
    /// The day from which that is reckoned.
    pub today: Date,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DateReading {
    /// Only one day is possible.
    Certain(Date),
    /// Either number may be the month, and nothing decides which one is.
    Ambiguous {
        /// The date with the day before the month.
        day_first: Date,
        /// The date with the month before the day.
        month_first: Date,
    },
}

impl DateReading {
    /// The date, where only one is possible.
    pub fn certain(self) -> Option<Date> {
        match self {
            Self::Certain(date) => Some(date),
            Self::Ambiguous { .. } => None,
        }
    }

    /// Whether the reading can mean this date.
    pub fn may_be(self, date: Date) -> bool {
        match self {
            Self::Certain(own) => own == date,
            Self::Ambiguous { day_first, month_first } => day_first == date || month_first == date,
        }
    }
}

/// A date within a longer text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundDate {
    pub reading: DateReading,
    /// Its position in bytes.
    pub at: Range<usize>,
}

/// Reads a text that is a date; `None` where it contains no date or several, or another number.
pub fn parse(text: &str, hints: &DateHints) -> Option<DateReading> {
    let tokens = tokens::tokenise(text.get(..MAX_TEXT_BYTES).unwrap_or(text).trim());
    if let Some(reading) = read_compact(&tokens, hints) {
        return Some(reading);
    }
    let found = search_tokens(&tokens, hints, true);
    let [one] = found.as_slice() else { return None };
    let outside = tokens.iter().filter(|token| !one.at.contains(&token.at.start));
    let alone = outside.clone().all(|token| !matches!(token.kind, TokenKind::Number { .. }));
    alone.then_some(one.reading)
}

/// Finds the dates in a text, in order. A two-digit year counts only where the numbers are separated by slashes, dots
/// or hyphens, or where the month is a word.
pub fn find(text: &str, hints: &DateHints) -> Vec<FoundDate> {
    let end = (0..=MAX_TEXT_BYTES.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    search_tokens(&tokens::tokenise(&text[..end]), hints, false)
}

fn search_tokens(tokens: &[DateToken], hints: &DateHints, whole: bool) -> Vec<FoundDate> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let rest = &tokens[at..];
        let before = at.checked_sub(1).and_then(|before| tokens.get(before));
        if let Some((reading, used)) =
            read_worded(rest, hints).or_else(|| read_numbered(before, rest, hints, whole))
            && let (Some(first), Some(last)) = (rest.first(), rest.get(used - 1))
        {
            out.push(FoundDate { reading, at: first.at.start..last.at.end });
            at += used;
        } else {
            at += 1;
        }
    }
    out
}

/// Reads a date whose month is a word. Also returns the number of tokens used.
fn read_worded(tokens: &[DateToken], hints: &DateHints) -> Option<(DateReading, usize)> {
    let mut reader = DatePartReader { tokens, at: 0 };
    let first = reader.part()?;
    let (day, month, year) = match first {
        DatePart::Number(first, digits) => {
            let month = reader.month(hints.country)?;
            let DatePart::Number(second, others) = reader.part()? else { return None };
            // 1985 MAY 12, or else 12 MAY 1985.
            if digits == 4 {
                ((second, others), month, (first, digits))
            } else {
                ((first, digits), month, (second, others))
            }
        }
        DatePart::Word => {
            reader.at = 0;
            let month = reader.month(hints.country)?;
            let DatePart::Number(day, digits) = reader.part()? else { return None };
            let DatePart::Number(year, others) = reader.part()? else { return None };
            ((day, digits), month, (year, others))
        }
    };
    let thai = hints.country == Some("THA") || month.thai;
    if day.1 > 2 {
        return None;
    }
    let date = full_date(year, month.number, i8::try_from(day.0).ok()?, hints, thai)?;
    Some((DateReading::Certain(date), reader.at))
}

enum DatePart {
    /// Value, and number of digits.
    Number(u32, usize),
    Word,
}

struct DatePartReader<'a> {
    tokens: &'a [DateToken],
    at: usize,
}

impl DatePartReader<'_> {
    /// The next number or word; filler words such as `of` are skipped.
    fn part(&mut self) -> Option<DatePart> {
        loop {
            let token = self.tokens.get(self.at)?;
            if self.at > 0 && !token.is_near() {
                return None;
            }
            self.at += 1;
            match &token.kind {
                TokenKind::Number { value, digits } => return Some(DatePart::Number(*value, *digits)),
                TokenKind::Word(word) if self.at > 1 && months::is_filler(word) => {}
                TokenKind::Word(_) => return Some(DatePart::Word),
            }
        }
    }

    /// The month that the next word means, or the next two words where two languages are side by side.
    fn month(&mut self, country: Option<&str>) -> Option<months::Month> {
        let DatePart::Word = self.part()? else { return None };
        let TokenKind::Word(first) = &self.tokens.get(self.at - 1)?.kind else { return None };
        let mut meant = months::look_up(first);
        if let Some(token) = self.tokens.get(self.at)
            && let TokenKind::Word(second) = &token.kind
            && token.is_near()
            && !months::is_filler(second)
        {
            let other = months::look_up(second);
            // One of the two words may be in a script or language that is not in the table.
            meant = match (meant.is_empty(), other.is_empty()) {
                (true, _) => other,
                (false, true) => meant,
                (false, false) => months::common_months(&meant, &other),
            };
            self.at += 1;
        }
        months::disambiguate(&meant, country)
    }
}

/// Reads a date of three numbers. Also returns the number of tokens used.
fn read_numbered(
    before: Option<&DateToken>,
    tokens: &[DateToken],
    hints: &DateHints,
    whole: bool,
) -> Option<(DateReading, usize)> {
    let [first, second, third, ..] = tokens else { return None };
    let number = |token: &DateToken| match token.kind {
        TokenKind::Number { value, digits } => Some((value, digits)),
        TokenKind::Word(_) => None,
    };
    let parts = [number(first)?, number(second)?, number(third)?];
    let between = second.separator()?;
    if third.separator()? != between || third.before != second.before && between != '年' {
        return None;
    }
    // 192.168.10.12 and 1.2.2020.5 are not dates.
    let goes_on =
        |token: &DateToken| number(token).is_some() && token.separator() == Some(between) && between != ' ';
    if tokens.get(3).is_some_and(goes_on)
        || before.is_some_and(|before| number(before).is_some()) && goes_on(first)
    {
        return None;
    }
    if between == ' ' && !whole && !parts.iter().any(|part| part.1 == 4) {
        return None;
    }
    Some((resolve_order(parts, between, hints)?, 3))
}

/// Decides which number is the day, the month and the year.
fn resolve_order(parts: [(u32, usize); 3], between: char, hints: &DateHints) -> Option<DateReading> {
    let [a, b, c] = parts;
    let thai = hints.country == Some("THA");
    let date = |year: (u32, usize), month: (u32, usize), day: (u32, usize)| {
        if month.1 > 2 || day.1 > 2 {
            return None;
        }
        full_date(year, i8::try_from(month.0).ok()?, i8::try_from(day.0).ok()?, hints, thai)
    };
    if a.1 == 4 {
        return date(a, b, c).map(DateReading::Certain);
    }
    let custom = hints.country.map(usual_order);
    if custom == Some(DateOrder::YearFirst)
        && c.1 == 2
        && let Some(date) = date(a, b, c)
    {
        return Some(DateReading::Certain(date));
    }
    // Where the month comes first, dots are not used as separators.
    let month_first = if between == '.' { None } else { date(c, a, b) };
    let day_first = date(c, b, a);
    match (day_first, month_first) {
        (Some(one), None) | (None, Some(one)) => Some(DateReading::Certain(one)),
        (None, None) => None,
        (Some(day_first), Some(month_first)) => Some(match custom {
            _ if day_first == month_first => DateReading::Certain(day_first),
            Some(DateOrder::MonthFirst) => DateReading::Certain(month_first),
            Some(DateOrder::DayFirst | DateOrder::YearFirst) => DateReading::Certain(day_first),
            Some(DateOrder::Mixed) | None => DateReading::Ambiguous { day_first, month_first },
        }),
    }
}

/// Reads eight digits without separators.
fn read_compact(tokens: &[DateToken], hints: &DateHints) -> Option<DateReading> {
    let [DateToken { kind: TokenKind::Number { value, digits: 8 }, .. }] = tokens else { return None };
    let value = *value;
    let year_first = [(value / 10_000, 4), (value / 100 % 100, 2), (value % 100, 2)];
    let year_last = [(value / 1_000_000, 2), (value / 10_000 % 100, 2), (value % 10_000, 4)];
    let [one, other] = [year_first, year_last].map(|parts| resolve_order(parts, '/', hints));
    // Few numbers are dates in both orders. Nothing decides between the two, so such a number is not a date.
    one.xor(other)
}

/// The date whose year has this value and this many digits.
fn full_date(
    (value, digits): (u32, usize),
    month: i8,
    day: i8,
    hints: &DateHints,
    thai: bool,
) -> Option<Date> {
    let value = i16::try_from(value).ok()?;
    let year = match digits {
        4 if thai
            && (PLAUSIBLE_YEARS.start() + BUDDHIST_ERA_OFFSET_YEARS
                ..=PLAUSIBLE_YEARS.end() + BUDDHIST_ERA_OFFSET_YEARS)
                .contains(&value)
            && value > 2300 =>
        {
            value - BUDDHIST_ERA_OFFSET_YEARS
        }
        4 => value,
        2 => {
            let part = |value: i8| u8::try_from(value).ok();
            let short = ShortDate { year: u8::try_from(value).ok(), month: part(month), day: part(day) };
            short.full_year(hints.window, hints.today)?
        }
        _ => return None,
    };
    if PLAUSIBLE_YEARS.contains(&year) { Date::new(year, month, day).ok() } else { None }
}

/// The usual order of numbers in a country's dates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DateOrder {
    DayFirst,
    MonthFirst,
    YearFirst,
    Mixed,
}

fn usual_order(country: &str) -> DateOrder {
    match country {
        "USA" | "FSM" | "MHL" | "PLW" | "PRI" | "GUM" | "VIR" | "ASM" | "MNP" => DateOrder::MonthFirst,
        "CHN" | "JPN" | "KOR" | "PRK" | "TWN" | "MNG" | "HUN" | "LTU" => DateOrder::YearFirst,
        "CAN" | "PHL" => DateOrder::Mixed,
        _ => DateOrder::DayFirst,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;

    #[test]
    fn what_no_calendar_has_is_refused() {
        let hints = DateHints { country: None, window: YearWindow::Past, today: date(2026, 11, 29) };
        for text in [
            "30.02.2020",
            "31 APR 2021",
            "12.13.2020",
            "00/00/0000",
            "1.2.2020.5",
            "12 FOO 2020",
            "",
            "29 FEB 2023",
        ] {
            assert_eq!(parse(text, &hints), None, "{text}");
        }
        assert_eq!(parse("29 FEB 2024", &hints), Some(DateReading::Certain(date(2024, 2, 29))));
    }
}
