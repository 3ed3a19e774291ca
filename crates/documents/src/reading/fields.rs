//! What zone, barcode and print say, in one vocabulary.

use crate::{
    barcode::aamva::{Licence, Sex as LicenceSex, issuers},
    catalogue::DocumentType,
    countries,
    field::{Field, Name, Source},
    mrz::{self, Format, Sex, YearWindow, read::Zone},
    text::{
        Line,
        confirm::{self, Agreement, Confirmation},
        dates::Reading,
        fields::{self as printed, Context, Found, Value},
        labels,
    },
};
use jiff::civil::Date;

/// A barcode that decodes has corrected its errors itself; what stays is that it was printed wrongly.
const DECODED: f32 = 0.99;

/// What a zone or a barcode says the document is. Visas are none of the types.
pub(super) fn kind(zone: Option<&Zone>, licence: Option<&Licence>) -> Option<DocumentType> {
    let Some(zone) = zone else {
        return licence.map(|_| DocumentType::DrivingLicence);
    };
    let code = zone.mrz.mrz.document_code.as_bytes();
    match (zone.format, code) {
        (Format::MrvA | Format::MrvB, _) => None,
        (_, [b'P', ..]) => Some(DocumentType::Passport),
        // `IR` and `AR` stand on permits of the European form (Regulation (EU) 2017/1954), `CR` on older ones.
        (_, [_, b'R', ..]) => Some(DocumentType::ResidencePermit),
        _ => Some(DocumentType::NationalId),
    }
}

/// The state behind a code, where there is one; the code where not.
fn state(code: &str) -> String {
    countries::state_of(code).map_or_else(|| code.to_owned(), |state| state.code.to_owned())
}

pub(super) fn issuer(
    zone: Option<&Zone>,
    licence: Option<&Licence>,
    claimed: Option<&str>,
) -> Option<String> {
    let zone = zone.map(|zone| zone.mrz.mrz.issuer.as_str()).filter(|code| !code.is_empty());
    let licence = licence.and_then(|licence| licence.country);
    zone.or(licence).or(claimed).map(state)
}

/// What a zone says.
pub(super) fn of_zone(zone: &Zone, today: Date) -> Vec<Field> {
    let mrz = &zone.mrz.mrz;
    let mut out = Vec::new();
    let mut add = |name, value: String, field: mrz::Field| {
        if !value.is_empty() {
            out.push(Field { name, value, source: Source::Mrz, confidence: zone.confidence_of(field) });
        }
    };
    let full = format!("{} {}", mrz.given_names, mrz.surname);
    add(Name::FullName, full.trim().to_owned(), mrz::Field::Names);
    add(Name::GivenNames, mrz.given_names.clone(), mrz::Field::Names);
    add(Name::FamilyName, mrz.surname.clone(), mrz::Field::Names);
    let day = |date: Option<Date>| date.map_or_else(String::new, |date| date.to_string());
    add(Name::DateOfBirth, day(mrz.birth.resolve(YearWindow::Birth, today)), mrz::Field::Birth);
    let expiry = mrz.expiry.and_then(|date| date.resolve(YearWindow::Expiry, today));
    add(Name::ExpirationDate, day(expiry), mrz::Field::Expiry);
    add(Name::Nationality, state(&mrz.nationality), mrz::Field::Nationality);
    add(Name::IssuingCountry, state(&mrz.issuer), mrz::Field::Issuer);
    add(Name::DocumentNumber, mrz.document_number.clone(), mrz::Field::DocumentNumber);
    add(Name::Gender, gender(mrz.sex).to_owned(), mrz::Field::Sex);
    out
}

/// What a licence's barcode says.
pub(super) fn of_licence(licence: &Licence) -> Vec<Field> {
    let mut out = Vec::new();
    let mut add = |name, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            out.push(Field { name, value, source: Source::Barcode, confidence: DECODED });
        }
    };
    let given = licence.given_names();
    let full = [given.as_deref(), licence.family_name.as_deref(), licence.suffix.as_deref()];
    let full: Vec<&str> = full.into_iter().flatten().collect();
    add(Name::FullName, Some(full.join(" ")));
    add(Name::GivenNames, given);
    add(Name::FamilyName, licence.family_name.clone());
    let day = |date: Option<Date>| date.map(|date| date.to_string());
    add(Name::DateOfBirth, day(licence.born));
    add(Name::DateOfIssue, day(licence.issued));
    add(Name::ExpirationDate, day(licence.expires));
    add(Name::DocumentNumber, licence.number.clone());
    add(Name::IssuingCountry, licence.country.map(str::to_owned));
    let sex = licence.sex.map(|sex| match sex {
        LicenceSex::Male => "MALE",
        LicenceSex::Female => "FEMALE",
        LicenceSex::Unspecified => "UNSPECIFIED",
    });
    add(Name::Gender, sex.map(str::to_owned));
    let issuer = licence.country.zip(licence.jurisdiction.as_deref());
    let issuer = issuer.and_then(|(country, code)| issuers::find_code(country, code));
    add(Name::IssuingAuthority, issuer.map(|issuer| issuer.name.to_owned()));
    let region = [licence.jurisdiction.as_deref(), licence.postal_code.as_deref()];
    let region: Vec<&str> = region.into_iter().flatten().collect();
    let region = (!region.is_empty()).then(|| region.join(" "));
    let address = [licence.street.clone(), licence.city.clone(), region];
    let address: Vec<String> = address.into_iter().flatten().collect();
    add(Name::Address, (licence.street.is_some()).then(|| address.join("\n")));
    out
}

/// What is printed for people, side by side, and what became of each of the zone's values there.
pub(super) fn of_print(
    sides: &[&[Line]],
    zone: Option<&Zone>,
    issuer: Option<&str>,
    today: Date,
) -> (Vec<Field>, Vec<Confirmation>) {
    let context = Context { country: issuer, today, zone: zone.map(|zone| &zone.mrz.mrz) };
    let (mut fields, mut confirmed): (Vec<Field>, Vec<Confirmation>) = (Vec::new(), Vec::new());
    for lines in sides {
        let found = printed::read(lines, &context);
        for field in found.0.iter().filter_map(of_found) {
            keep(&mut fields, field, |field| field.name, |new, old| new.confidence > old.confidence);
        }
        for one in context.zone.iter().flat_map(|zone| confirm::confirm(zone, lines, &found, &context)) {
            keep(&mut confirmed, one, |one| one.field, |new, old| rank(new.agreement) > rank(old.agreement));
        }
    }
    let text = |name| fields.iter().find(|field| field.name == name);
    if text(Name::FullName).is_none()
        && let (Some(given), Some(family)) = (text(Name::GivenNames), text(Name::FamilyName))
    {
        let value = format!("{} {}", given.value, family.value);
        let confidence = given.confidence.min(family.confidence);
        fields.push(Field { name: Name::FullName, value, source: Source::Text, confidence });
    }
    (fields, confirmed)
}

/// Puts one in, in the place of what has the same key where it is better.
fn keep<T, K: PartialEq>(all: &mut Vec<T>, new: T, key: impl Fn(&T) -> K, better: impl Fn(&T, &T) -> bool) {
    match all.iter_mut().find(|old| key(old) == key(&new)) {
        Some(old) if better(&new, old) => *old = new,
        Some(_) => {}
        None => all.push(new),
    }
}

/// One side may lack what another has; only where none has it does a contradiction count.
fn rank(agreement: Agreement) -> u8 {
    match agreement {
        Agreement::Missing => 0,
        Agreement::Contradicted => 1,
        Agreement::Nearly { .. } => 2,
        Agreement::Same => 3,
    }
}

/// The one vocabulary for what is printed; nothing for a day that may be two, or a nationality that no table has.
fn of_found(found: &Found) -> Option<Field> {
    let name = match found.field {
        labels::Field::Surname => Name::FamilyName,
        labels::Field::GivenNames => Name::GivenNames,
        labels::Field::FullName => Name::FullName,
        labels::Field::BirthDate => Name::DateOfBirth,
        labels::Field::ExpiryDate => Name::ExpirationDate,
        labels::Field::IssueDate => Name::DateOfIssue,
        labels::Field::DocumentNumber => Name::DocumentNumber,
        labels::Field::Nationality => Name::Nationality,
        labels::Field::BirthPlace => Name::PlaceOfBirth,
        labels::Field::Sex => Name::Gender,
        labels::Field::Authority => Name::IssuingAuthority,
        labels::Field::Address => Name::Address,
    };
    let value = match &found.value {
        Value::Date(Reading::Certain(date)) => date.to_string(),
        Value::Date(Reading::Ambiguous { .. }) => return None,
        Value::Sex(sex) => gender(*sex).to_owned(),
        Value::Text(text) if name == Name::Nationality => country_named(text)?,
        Value::Text(text) => text.clone(),
    };
    Some(Field { name, value, source: Source::Text, confidence: found.confidence })
}

/// A country by its code or its name.
fn country_named(text: &str) -> Option<String> {
    let text = text.trim();
    let named = |country: &&countries::Country| {
        country.code.eq_ignore_ascii_case(text) || country.name.eq_ignore_ascii_case(text)
    };
    countries::all().find(named).map(|country| state(country.code))
}

fn gender(sex: Sex) -> &'static str {
    match sex {
        Sex::Male => "MALE",
        Sex::Female => "FEMALE",
        Sex::Unspecified => "UNSPECIFIED",
    }
}
