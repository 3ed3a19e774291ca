use documents::mrz::{
    CheckDigitVerdict, MrzField, MrzFormat, MrzParseError, MrzProblem, Sex, ShortDate, encode, find_in_text,
    parse, parse_repaired,
};

const PASSPORT: [&str; 2] =
    ["P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7408122F1204159ZE184226B<<<<<10"];
const CARD: [&str; 3] =
    ["I<UTOD231458907<<<<<<<<<<<<<<<", "7408122F1204159UTO<<<<<<<<<<<6", "ERIKSSON<<ANNA<MARIA<<<<<<<<<<"];
const LONG: [&str; 3] =
    ["I<UTOD23145890<7349<<<<<<<<<<<", "3407127M9507122UTO<<<<<<<<<<<2", "STEVENSON<<PETER<JOHN<<<<<<<<<"];
const TD2: [&str; 2] = ["I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "D231458907UTO7408122F1204159<<<<<<<6"];
const VISA: [&str; 2] =
    ["V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L8988901C4XXX4009078F96121096ZE184226B<<<<<<"];
const SMALL_VISA: [&str; 2] =
    ["V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<", "L8988901C4XXX4009078F9612109<<<<<<<<"];
const FRENCH: [&str; 2] = ["IDFRABERTHIER<<<<<<<<<<<<<<<<<<<<<<<", "8806923102858CORINNE<<<<<<<6512068F6"];

fn whole(lines: &[&str]) -> documents::mrz::ParsedMrz {
    let parsed = parse(lines).expect("it parses");
    assert!(parsed.checks_hold(), "{lines:?}: {:?}", parsed.checks);
    assert_eq!(parsed.problems, [], "{lines:?}");
    assert_eq!(encode(&parsed.mrz).expect("it prints"), lines, "and is printed again as it was");
    parsed
}

#[test]
fn the_examples_of_the_standard_are_read_and_printed_again() {
    let passport = whole(&PASSPORT);
    assert_eq!(passport.mrz.format, MrzFormat::Td3);
    assert_eq!(
        (passport.mrz.surname.as_str(), passport.mrz.given_names.as_str()),
        ("ERIKSSON", "ANNA MARIA")
    );
    assert_eq!(passport.mrz.document_number, "L898902C3");
    assert_eq!(passport.mrz.optional, "ZE184226B");
    assert_eq!(passport.mrz.birth, ShortDate { year: Some(74), month: Some(8), day: Some(12) });
    assert_eq!(passport.mrz.sex, Sex::Female);
    assert_eq!(passport.checks.len(), 5);
    assert_eq!(whole(&CARD).mrz.format, MrzFormat::Td1);
    assert_eq!(whole(&TD2).mrz.format, MrzFormat::Td2);
    let visa = whole(&VISA).mrz;
    assert_eq!(
        (visa.format, visa.nationality.as_str(), visa.optional.as_str()),
        (MrzFormat::MrvA, "XXX", "6ZE184226B")
    );
    assert_eq!(whole(&SMALL_VISA).mrz.format, MrzFormat::MrvB);
}

#[test]
fn a_long_number_runs_over_into_the_optional_data() {
    let long = whole(&LONG).mrz;
    assert_eq!((long.document_number.as_str(), long.optional.as_str()), ("D23145890734", ""));
    let with_data = documents::mrz::Mrz { optional: "SOME7DATA".to_owned(), ..long };
    let lines = encode(&with_data).expect("it prints");
    assert_eq!(&lines[0][14..], "<7349<SOME7DATA<");
    assert_eq!(parse(&lines).expect("it parses").mrz, with_data);
}

#[test]
fn the_old_french_card_has_a_layout_of_its_own() {
    let card = whole(&FRENCH).mrz;
    assert_eq!(card.format, MrzFormat::FrenchId);
    assert_eq!((card.surname.as_str(), card.given_names.as_str()), ("BERTHIER", "CORINNE"));
    assert_eq!((card.document_number.as_str(), card.expiry), ("880692310285", None));
}

#[test]
fn a_wrong_digit_is_told_with_the_right_one() {
    let mut lines = PASSPORT.map(str::to_owned);
    lines[1].replace_range(9..10, "7");
    let parsed = parse(&lines).expect("it parses");
    let wrong: Vec<_> =
        parsed.checks.iter().filter(|check| check.verdict == CheckDigitVerdict::Wrong).collect();
    assert_eq!(wrong.len(), 2, "the number's and the composite");
    assert_eq!((wrong[0].field, wrong[0].printed, wrong[0].computed), (MrzField::DocumentNumber, '7', '6'));
}

#[test]
fn an_empty_personal_number_needs_no_digit() {
    let mut mrz = parse(&PASSPORT).expect("it parses").mrz;
    mrz.optional.clear();
    let lines = encode(&mrz).expect("it prints");
    assert_eq!(&lines[1][28..43], "<<<<<<<<<<<<<<<");
    let parsed = parse(&lines).expect("it parses");
    assert_eq!(parsed.checks[3].verdict, CheckDigitVerdict::Absent);
    assert!(parsed.checks_hold());
}

#[test]
fn what_is_doubtful_is_named() {
    let lines =
        ["P<QQQERIKSS0N<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L898902C36UTO7413122F1204159ZE184226B<<<<<10"];
    let parsed = parse(&lines).expect("it parses");
    let expected = [
        MrzProblem::Misplaced { line: 1, at: 12 },
        MrzProblem::NoDate { field: MrzField::Birth },
        MrzProblem::UnknownCode { field: MrzField::Issuer },
    ];
    assert_eq!(parsed.problems, expected);
    assert_eq!(parse(&["P<UTO", "X"]), Err(MrzParseError::Shape));
    assert_eq!(parse(&["P<UTOÄ"]), Err(MrzParseError::Foreign { line: 1, at: 6 }));
    assert_eq!(parse::<&str>(&[]), Err(MrzParseError::Shape));
}

#[test]
fn letters_in_place_of_digits_are_put_right_and_told() {
    let lines =
        ["P<UT0ERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "L8989O2C36UTO74O8l22F1204159ZE184226B<<<<<10"];
    let parsed = parse_repaired(&lines).expect("it parses");
    assert_eq!(parsed.lines, PASSPORT);
    let told: Vec<_> = parsed.repairs.iter().map(|r| (r.line, r.at, r.from, r.to)).collect();
    assert_eq!(told, [(1, 5, '0', 'O'), (2, 6, 'O', '0'), (2, 16, 'O', '0'), (2, 18, 'L', '1')]);
}

#[test]
fn a_zone_is_found_in_the_text_of_a_page() {
    let page = "Republic of Utopia\nPASSPORT No L898902C3\n\n  P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<< \n\
                L898902C36UTO7408122F1204159ZE184226B<<<<<10\npage 2 of 3\n";
    assert_eq!(find_in_text(page).expect("it is found").lines, PASSPORT, "lost fillers are put back");
    assert_eq!(find_in_text(&CARD.concat()).expect("it is found").lines, CARD, "even in one line");
    assert_eq!(find_in_text("nothing of the kind\n".repeat(50).as_str()), None);
}
