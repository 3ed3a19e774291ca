//! Composing and parsing any MRZ gives the same fields again.

use documents::{
    countries,
    mrz::{Mrz, MrzFormat, Sex, ShortDate, check_digit, encode, find_in_text, parse, parse_repaired},
};
use proptest::{prelude::*, sample::select};

fn code() -> impl Strategy<Value = String> {
    select(countries::all().map(|country| country.code.to_owned()).collect::<Vec<_>>())
}

/// Up to `parts` parts with `room` characters together.
fn names(parts: usize, room: usize) -> impl Strategy<Value = String> {
    prop::collection::vec("[A-Z]{1,9}", 1..=parts).prop_map(move |parts| {
        let mut text = parts.join(" ");
        text.truncate(room);
        text.trim_end().to_owned()
    })
}

fn date() -> impl Strategy<Value = ShortDate> {
    let part = |most: u8| prop::option::weighted(0.9, 1..=most);
    (prop::option::weighted(0.95, 0..100_u8), part(12), part(28)).prop_map(|(year, month, day)| ShortDate {
        year,
        month,
        day,
    })
}

fn mrz(format: MrzFormat) -> impl Strategy<Value = Mrz> {
    let french = format == MrzFormat::FrenchId;
    let long = matches!(format, MrzFormat::Td1 | MrzFormat::Td2);
    let document_code = match format {
        MrzFormat::Td3 => "P[A-Z]?",
        MrzFormat::MrvA | MrzFormat::MrvB => "V[A-Z]?",
        MrzFormat::FrenchId => "ID",
        MrzFormat::Td1 | MrzFormat::Td2 => "[AC][A-Z]?|I[A-CE-Z]?",
    };
    let number = if french {
        "[0-9]{12}"
    } else if long {
        // The longest number that leaves room for its check digit in the optional data of TD2.
        "[A-Z0-9]{1,9}|[A-Z0-9]{10,14}"
    } else {
        "[A-Z0-9]{1,9}"
    };
    let optional = match format {
        MrzFormat::Td1 => "|[A-Z0-9]{1,8}",
        MrzFormat::Td3 | MrzFormat::MrvA => "|[A-Z0-9]{1,14}",
        MrzFormat::FrenchId => "[A-Z0-9]{6}",
        MrzFormat::Td2 | MrzFormat::MrvB => "|[A-Z0-9]{1,7}",
    };
    let second = if format == MrzFormat::Td1 { "|[A-Z0-9]{1,11}" } else { "" };
    let state = if french { Just("FRA".to_owned()).boxed() } else { code().boxed() };
    let nation = if french { Just(String::new()).boxed() } else { code().boxed() };
    let expiry = if french { Just(None).boxed() } else { date().prop_map(Some).boxed() };
    let given = if french { names(1, 14).boxed() } else { names(2, 11).boxed() };
    let sex = select(vec![Sex::Male, Sex::Female, Sex::Unspecified]);
    let texts = (document_code, number, optional, second);
    (texts, state, nation, names(2, 12), given, date(), sex, expiry).prop_map(
        move |(
            (document_code, document_number, optional, second_optional),
            issuer,
            nationality,
            surname,
            given_names,
            birth,
            sex,
            expiry,
        )| {
            let runs_over = document_number.len() > 9 && long;
            let room = if format == MrzFormat::Td2 { 7 } else { 15 };
            let left = if runs_over { room - (document_number.len() - 8).min(room) } else { room + 1 };
            // A number that continues in the optional data needs a filler before what follows.
            let keep = optional.len().min(left.saturating_sub(1));
            let optional = if format == MrzFormat::Td1 || format == MrzFormat::Td2 {
                optional[..keep].to_owned()
            } else {
                optional
            };
            Mrz {
                format,
                document_code,
                issuer,
                surname,
                given_names,
                document_number,
                nationality,
                birth,
                sex,
                expiry,
                optional,
                second_optional,
            }
        },
    )
}

fn any_mrz() -> impl Strategy<Value = Mrz> {
    select(MrzFormat::ALL.to_vec()).prop_flat_map(mrz)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn what_is_printed_is_read_again(mrz in any_mrz()) {
        let lines = encode(&mrz).unwrap();
        prop_assert_eq!(lines.len(), mrz.format.lines());
        prop_assert!(lines.iter().all(|line| line.len() == mrz.format.length()));
        let parsed = parse(&lines).unwrap();
        prop_assert_eq!(&parsed.mrz, &mrz);
        prop_assert!(parsed.checks_hold());
        prop_assert_eq!(parsed.problems, []);
        prop_assert_eq!(parse_repaired(&lines).unwrap().mrz, mrz);
    }

    #[test]
    fn the_french_card_is_never_taken_for_another(mrz in mrz(MrzFormat::FrenchId)) {
        let lines = encode(&mrz).unwrap();
        prop_assert_eq!(parse(&lines).unwrap().mrz, mrz);
    }

    #[test]
    fn a_zone_in_a_text_is_found_whole(mrz in any_mrz(), noise in "[a-z ]{0,60}") {
        let lines = encode(&mrz).unwrap();
        let text = format!("{noise}\n{}\n{noise}", lines.join("\n"));
        prop_assert_eq!(find_in_text(&text).unwrap().mrz, mrz);
    }

    #[test]
    fn one_wrong_character_under_a_digit_is_noticed(mrz in mrz(MrzFormat::Td3), at in 0..9_usize, step in 1..10_u8) {
        let mut lines = encode(&mrz).unwrap();
        let old = lines[1].as_bytes()[at];
        let value = |c: u8| check_digit([c]);
        // Every other digit in the same position.
        let new = b'0' + (old.wrapping_sub(b'0').wrapping_add(step)) % 10;
        prop_assume!(value(new) != value(old));
        lines[1].replace_range(at..=at, &char::from(new).to_string());
        prop_assert!(!parse(&lines).unwrap().checks_hold());
    }

    #[test]
    fn nothing_makes_it_stumble(lines in prop::collection::vec(any::<String>(), 0..4), text in any::<String>()) {
        let _ = parse(&lines);
        let _ = parse_repaired(&lines);
        let _ = find_in_text(&text);
    }

    #[test]
    fn names_of_any_length_are_cut_to_fit(mut mrz in any_mrz(), surname in names(9, 60), given in names(9, 60)) {
        mrz.surname = surname;
        mrz.given_names = given;
        let parsed = parse(&encode(&mrz).unwrap()).unwrap();
        prop_assert!(!parsed.mrz.surname.is_empty() && !parsed.mrz.given_names.is_empty());
        prop_assert!(parsed.checks_hold());
    }
}
