use documents::{
    mrz::YearWindow,
    text::dates::{DateHints, DateReading, find, parse},
};
use jiff::civil::{Date, date};
use proptest::prelude::*;

const TODAY: Date = date(2026, 11, 29);

fn hints(country: Option<&str>) -> DateHints<'_> {
    DateHints { country, window: YearWindow::Past, today: TODAY }
}

#[test]
fn a_day_is_read_in_many_languages_and_spellings() {
    let day = date(1985, 1, 12);
    for text in [
        "12 JAN/JAN 85",
        "12 JAN 1985",
        "12JAN1985",
        "12-Jan-1985",
        "12.01.1985",
        "12/01/1985",
        "1985-01-12",
        "1985/01/12",
        "12 01 1985",
        "12. Januar 1985",
        "12. Jänner 1985",
        "12 janvier 1985",
        "12 de enero de 1985",
        "12 gennaio 1985",
        "12 de janeiro de 1985",
        "12 januari 1985",
        "12 stycznia 1985",
        "12 sty 1985",
        "12. ledna 1985",
        "12 ianuarie 1985",
        "12 IAN/JAN 1985",
        "1985. január 12.",
        "1985. JAN. 12.",
        "den 12 januari 1985",
        "12. januar 1985",
        "12. tammikuuta 1985",
        "12 Ocak 1985",
        "12 OCA/JAN 1985",
        "12 Ιανουαρίου 1985",
        "12 ΙΑΝ/JAN 1985",
        "12 января 1985 г.",
        "12 січня 1985 року",
        "12 СІЧ/JAN 85",
        "12 януари 1985",
        "12 ม.ค. 2528",
        "12 มกราคม 2528",
        "12.I.1985",
        "12 I 1985",
        "January 12, 1985",
        "JAN 12 1985",
        "12th of January 1985",
        "12th January 1985",
        "1985年01月12日",
        "1985年1月12日",
        "12 siječnja 1985",
        "12 xyz/JAN 1985",
        "12 JAN '85",
        "l2.O1.1985",
        "12 JANUARV 1985",
        "١٢/٠١/١٩٨٥",
        "12 jaanuar 1985",
        "12 sausio 1985",
    ] {
        assert_eq!(parse(text, &hints(Some("GBR"))), Some(DateReading::Certain(day)), "{text}");
    }
    assert_eq!(parse("12/01/2528", &hints(Some("THA"))), Some(DateReading::Certain(day)));
    assert_eq!(parse("12 FÉV/FEB 99", &hints(None)), Some(DateReading::Certain(date(1999, 2, 12))));
    assert_eq!(parse("1er août 2020", &hints(None)), Some(DateReading::Certain(date(2020, 8, 1))));
    assert_eq!(parse("3 října 2020", &hints(None)), Some(DateReading::Certain(date(2020, 10, 3))));
    assert_eq!(parse("3 červenec 2020", &hints(None)), Some(DateReading::Certain(date(2020, 7, 3))));
}

#[test]
fn the_country_settles_which_number_is_the_month() {
    let both = DateReading::Ambiguous { day_first: date(2020, 4, 3), month_first: date(2020, 3, 4) };
    for (country, reading) in [
        (Some("USA"), DateReading::Certain(date(2020, 3, 4))),
        (Some("GBR"), DateReading::Certain(date(2020, 4, 3))),
        (Some("CAN"), both),
        (None, both),
    ] {
        assert_eq!(parse("03/04/2020", &hints(country)), Some(reading), "{country:?}");
    }
    assert_eq!(parse("03.04.2020", &hints(None)), Some(DateReading::Certain(date(2020, 4, 3))));
    assert_eq!(parse("13/04/2020", &hints(None)), Some(DateReading::Certain(date(2020, 4, 13))));
    assert_eq!(parse("04/13/2020", &hints(None)), Some(DateReading::Certain(date(2020, 4, 13))));
    assert_eq!(parse("85.01.12", &hints(Some("HUN"))), Some(DateReading::Certain(date(1985, 1, 12))));
    assert_eq!(parse("20200403", &hints(None)), Some(DateReading::Certain(date(2020, 4, 3))));
    assert!(both.may_be(date(2020, 3, 4)) && !both.may_be(date(2020, 3, 3)));
}

#[test]
fn years_of_two_digits_lie_in_the_same_window_as_those_of_a_zone() {
    let year = |text, window| {
        let hints = DateHints { country: None, window, today: TODAY };
        parse(text, &hints).and_then(DateReading::certain).map(Date::year)
    };
    for (text, past) in [
        ("12 JAN 26", 2026),
        ("29.11.26", 2026),
        ("30.11.26", 1926),
        ("31 DEC 26", 1926),
        ("12 JAN 27", 1927),
    ] {
        assert_eq!(year(text, YearWindow::Past), Some(past), "{text}");
    }
    for (text, expiry) in
        [("15.06.05", 2005), ("31 DEC 26", 2026), ("15.06.61", 2061), ("15.06.62", 1962), ("31.12.99", 2099)]
    {
        assert_eq!(year(text, YearWindow::Expiry), Some(expiry), "{text}");
    }
    let either = DateReading::Ambiguous { day_first: date(1926, 12, 11), month_first: date(2026, 11, 12) };
    assert_eq!(parse("11/12/26", &hints(None)), Some(either), "each order has a year of its own");
}

#[test]
fn dates_are_found_in_sentences_and_other_numbers_are_not() {
    let all = |text: &str| -> Vec<String> {
        find(text, &hints(Some("DEU"))).into_iter().map(|found| text[found.at].to_owned()).collect()
    };
    assert_eq!(all("geb. 12.08.1983 Berlin, gültig bis 3. März 2030"), ["12.08.1983", "3. März 2030"]);
    for text in [
        "192.168.10.12",
        "48 213 kWh",
        "0.2874",
        "IBAN DE12 3456 7890 1234",
        "000 000 0000",
        "12:30:15",
        "1/2",
    ] {
        assert_eq!(all(text), Vec::<String>::new(), "{text}");
    }
}

/// Country, the text between day and month, and the names of the months.
const MONTHS: [(&str, &str, &str); 8] = [
    ("GBR", " ", "January February March April May June July August September October November December"),
    ("FRA", " ", "janvier février mars avril mai juin juillet août septembre octobre novembre décembre"),
    ("DEU", ". ", "Januar Februar März April Mai Juni Juli August September Oktober November Dezember"),
    (
        "ESP",
        " de ",
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    ),
    (
        "POL",
        " ",
        "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    ),
    ("CZE", ". ", "ledna února března dubna května června července srpna září října listopadu prosince"),
    (
        "HRV",
        ". ",
        "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca",
    ),
    ("UKR", " ", "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня"),
];

/// A date as it is printed in one of 23 ways: the country, where it is known, and the text.
fn printed(date: Date, way: usize) -> (Option<&'static str>, String) {
    let (d, m, y) = (date.day(), date.month(), date.year());
    match way {
        0 => (None, format!("{y:04}-{m:02}-{d:02}")),
        1 => (None, format!("{d:02}.{m:02}.{y:04}")),
        2 => (Some("USA"), format!("{m:02}/{d:02}/{y:04}")),
        3 => (Some("FRA"), format!("{d}/{m}/{y:04}")),
        4 => (Some("HUN"), format!("{y:04}. {m:02}. {d:02}.")),
        5 => (Some("THA"), format!("{d:02}/{m:02}/{:04}", y + 543)),
        6 => (Some("JPN"), format!("{y}年{m}月{d}日")),
        _ => {
            let (country, between, months) = &MONTHS[(way - 7) % MONTHS.len()];
            let month = months.split(' ').nth(m as usize - 1).expect("twelve");
            let after = if *country == "ESP" { " de " } else { " " };
            let text = format!("{d}{between}{month}{after}{y}");
            (Some(*country), if way >= 15 { text.to_uppercase() } else { text })
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn what_is_printed_anywhere_is_read_as_the_same_day(days in 0_i32..54_000, way in 0_usize..23) {
        let day = date(1900, 1, 1).checked_add(jiff::Span::new().days(days)).unwrap();
        let (country, text) = printed(day, way);
        prop_assert_eq!(parse(&text, &hints(country)), Some(DateReading::Certain(day)), "{}", text);
    }

    #[test]
    fn no_text_makes_dates_panic(text in "\\PC{0,60}", numbers in "[0-9OIl./ \\-年月A-Zа-яก-๛]{0,40}") {
        for text in [text, numbers] {
            let _ = parse(&text, &hints(Some("THA")));
            for found in find(&text, &hints(None)) {
                prop_assert!(text.get(found.at).is_some());
            }
        }
    }
}
