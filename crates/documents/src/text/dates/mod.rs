//! Dates as documents print them: numbers in any order, months as words of many languages, two languages side by side,
//! years of two digits, Thai years.

mod months;
mod tokens;

use jiff::civil::Date;
use std::ops::Range;
use tokens::{DateToken, TokenKind};

/// Text that is looked through for dates, in bytes; what follows is not.
const MAX_TEXT_BYTES: usize = 4096;
/// Years that somebody or something on a document can be from.
const PLAUSIBLE_YEARS: std::ops::RangeInclusive<i16> = 1850..=2199;
/// What Thai years are ahead.
const BUDDHIST_ERA_OFFSET_YEARS: i16 = 543;

/// What is known about where a date stands.
#[derive(Clone, Copy, Debug)]
pub struct DateHints<'a> {
    /// Who issued the document: ISO 3166-1 alpha-3 or ICAO. Settles whether 03/04/2020 is in March.
    pub country: Option<&'a str>,
    /// The latest year that a year of two digits can mean; the earliest is 99 years before.
    pub latest_year: i16,
}

/// A date that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum DateReading {
    /// It can mean but one day.
    Certain(Date),
    /// Both numbers may be the month, and nobody knows which is.
    Ambiguous {
        /// If the day comes first.
        day_first: Date,
        /// If the month comes first.
        month_first: Date,
    },
}

impl DateReading {
    /// The day, where it is certain.
    pub fn certain(self) -> Option<Date> {
        match self {
            Self::Certain(date) => Some(date),
            Self::Ambiguous { .. } => None,
        }
    }

    /// Whether it can mean that day.
    pub fn may_be(self, date: Date) -> bool {
        match self {
            Self::Certain(own) => own == date,
            Self::Ambiguous { day_first, month_first } => day_first == date || month_first == date,
        }
    }
}

/// A date in a longer text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundDate {
    /// What it says.
    pub reading: DateReading,
    /// Where it stands, in bytes.
    pub at: Range<usize>,
}

/// The date that a text is; `None` where it holds none, or another number as well.
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

/// The dates in a text, in order. Of years of two digits only those between strokes, dots or with a word for the month.
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

/// A date with a word for its month; and how many tokens it takes.
fn read_worded(tokens: &[DateToken], hints: &DateHints) -> Option<(DateReading, usize)> {
    let mut reader = DatePartReader { tokens, at: 0 };
    let first = reader.part()?;
    let (day, month, year) = match first {
        DatePart::Number(first, digits) => {
            let month = reader.month(hints.country)?;
            let DatePart::Number(second, others) = reader.part()? else { return None };
            // 1985 MAY 12, or 12 MAY 1985.
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
    let year = full_year(year, hints, thai)?;
    if day.1 > 2 {
        return None;
    }
    let date = Date::new(year, month.number, i8::try_from(day.0).ok()?).ok()?;
    Some((DateReading::Certain(date), reader.at))
}

enum DatePart {
    /// Its value and how many digits it has.
    Number(u32, usize),
    Word,
}

struct DatePartReader<'a> {
    tokens: &'a [DateToken],
    at: usize,
}

impl DatePartReader<'_> {
    /// The next number or word, without the little words between.
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

    /// The month that the next word means, or the next two where two languages stand side by side.
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
            // One of the two may be in a script or language that is not known here.
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

/// Three numbers; and how many tokens they take.
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
    // 192.168.10.12 and 1.2.2020.5 are no dates.
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

/// Which number is what.
fn resolve_order(parts: [(u32, usize); 3], between: char, hints: &DateHints) -> Option<DateReading> {
    let [a, b, c] = parts;
    let thai = hints.country == Some("THA");
    let date = |year: (u32, usize), month: (u32, usize), day: (u32, usize)| {
        if month.1 > 2 || day.1 > 2 {
            return None;
        }
        let year = full_year(year, hints, thai)?;
        Date::new(year, i8::try_from(month.0).ok()?, i8::try_from(day.0).ok()?).ok()
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
    // Nobody who puts the month first puts dots between.
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

/// Eight digits without anything between.
fn read_compact(tokens: &[DateToken], hints: &DateHints) -> Option<DateReading> {
    let [DateToken { kind: TokenKind::Number { value, digits: 8 }, .. }] = tokens else { return None };
    let value = *value;
    let year_first = [(value / 10_000, 4), (value / 100 % 100, 2), (value % 100, 2)];
    let year_last = [(value / 1_000_000, 2), (value / 10_000 % 100, 2), (value % 10_000, 4)];
    let [one, other] = [year_first, year_last].map(|parts| resolve_order(parts, '/', hints));
    // Both would be a date for few numbers only, and then nobody knows.
    one.xor(other)
}

fn full_year((value, digits): (u32, usize), hints: &DateHints, thai: bool) -> Option<i16> {
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
        2 => hints.latest_year - (hints.latest_year - value).rem_euclid(100),
        _ => return None,
    };
    PLAUSIBLE_YEARS.contains(&year).then_some(year)
}

/// How a country writes dates in numbers.
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
        let hints = DateHints { country: None, latest_year: 2026 };
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
