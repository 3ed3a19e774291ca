//! The person about whom a registry is asked, by method.

use crate::{
    AgeMethodError,
    form::{FormField, FormFieldKind, FormValues},
    identifiers::{Cpf, Ssn},
};
use base::Secret;
use jiff::civil::Date;
use serde::{Serialize, Serializer};

/// Birthdays of anyone older are refused.
const MAX_AGE_YEARS: i16 = 130;

const FULL_NAME_FIELD: FormField = FormField::new("full_name", FormFieldKind::Text, "name", 100);
const DATE_OF_BIRTH_FIELD: FormField = FormField::new("date_of_birth", FormFieldKind::Date, "bday", 10);

/// The person about whom a registry is asked.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
pub enum RegistrySubject {
    Email(EmailHolder),
    SocialSecurityNumber(SsnHolder),
    UsFloridaHb3(FloridaResident),
    Cpf(CpfHolder),
}

impl RegistrySubject {
    /// The method's name in questions.
    pub fn method(&self) -> &'static str {
        match self {
            Self::Email(_) => "email",
            Self::SocialSecurityNumber(_) => "social_security_number",
            Self::UsFloridaHb3(_) => "us_florida_hb3",
            Self::Cpf(_) => "cpf",
        }
    }
}

/// The holder of a mail address, with their location if it is known.
#[derive(Clone, Debug, Serialize)]
pub struct EmailHolder {
    #[serde(serialize_with = "expose")]
    email: Secret<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    country_code: Option<String>,
    #[serde(serialize_with = "expose_some", skip_serializing_if = "Option::is_none")]
    ip_address: Option<Secret<String>>,
}

impl EmailHolder {
    pub const FORM: [FormField; 1] = [FormField::new("email", FormFieldKind::Email, "email", 100)];

    pub fn read(fields: &FormValues) -> Result<Self, AgeMethodError> {
        Self::parse(fields.text("email")?)
    }

    /// Reads an address: 7 to 100 characters, a name of at most 64 without blanks or quotes, and a domain of at least
    /// two labels, which is converted to lower case.
    pub fn parse(text: &str) -> Result<Self, AgeMethodError> {
        const INVALID_EMAIL: AgeMethodError = AgeMethodError::invalid("email");
        let (name, host) = text.split_once('@').ok_or(INVALID_EMAIL)?;
        let is_bad =
            |char: char| char.is_whitespace() || char.is_control() || "@\"<>()[],;:\\".contains(char);
        let is_name = (1..=64).contains(&name.len())
            && !name.contains(is_bad)
            && !name.starts_with('.')
            && !name.ends_with('.')
            && !name.contains("..");
        // The URL parser would decode %61 to an a.
        let is_domain = host.contains('.')
            && !host.starts_with('.')
            && !host.ends_with('.')
            && !host.contains('%')
            && !host.contains(is_bad);
        if !is_name || !is_domain || !(7..=100).contains(&text.chars().count()) {
            return Err(INVALID_EMAIL);
        }
        let Ok(url::Host::Domain(host)) = url::Host::parse(host) else { return Err(INVALID_EMAIL) };
        Ok(Self { email: Secret::new(format!("{name}@{host}")), country_code: None, ip_address: None })
    }

    /// Adds the holder's location, as far as it is known: the country (ISO 3166-1 alpha-2) and the IP address.
    #[must_use]
    pub fn with_location(self, country_code: Option<String>, ip_address: Option<String>) -> Self {
        Self { country_code, ip_address: ip_address.map(Secret::new), ..self }
    }

    /// The address. The caller is responsible for where it goes.
    pub fn expose(&self) -> &str {
        self.email.expose()
    }

    /// The address as a page may show it: only the first character and the domain are visible.
    pub fn masked(&self) -> String {
        let (name, host) = self.expose().split_once('@').expect("it was read");
        format!("{}•••@{host}", name.chars().next().expect("a name has a character"))
    }
}

/// The holder of a social security number of the United States.
#[derive(Clone, Debug, Serialize)]
pub struct SsnHolder {
    #[serde(flatten)]
    person: ClaimedIdentity,
    #[serde(serialize_with = "expose_ssn")]
    number: Ssn,
}

impl SsnHolder {
    pub const FORM: [FormField; 3] =
        [FULL_NAME_FIELD, DATE_OF_BIRTH_FIELD, FormField::new("number", FormFieldKind::Digits, "off", 11)];

    pub fn read(fields: &FormValues, today: Date) -> Result<Self, AgeMethodError> {
        Ok(Self {
            person: ClaimedIdentity::read(fields, today)?,
            number: Ssn::parse(fields.text("number")?)?,
        })
    }

    pub(super) fn number(&self) -> &str {
        self.number.expose()
    }

    pub(super) fn person(&self) -> &ClaimedIdentity {
        &self.person
    }
}

/// A resident of Florida, for sites that must check ages under House Bill 3 (2024).
#[derive(Clone, Debug, Serialize)]
pub struct FloridaResident {
    #[serde(flatten)]
    person: ClaimedIdentity,
    #[serde(serialize_with = "expose")]
    address: Secret<String>,
    #[serde(serialize_with = "expose")]
    postal_code: Secret<String>,
}

impl FloridaResident {
    pub const FORM: [FormField; 4] = [
        FULL_NAME_FIELD,
        DATE_OF_BIRTH_FIELD,
        FormField::new("address", FormFieldKind::Text, "street-address", 200),
        FormField::new("postal_code", FormFieldKind::Text, "postal-code", 10),
    ];

    /// Reads the form. The postal code is five digits, or nine with a hyphen.
    pub fn read(fields: &FormValues, today: Date) -> Result<Self, AgeMethodError> {
        let person = ClaimedIdentity::read(fields, today)?;
        let address = fields.text("address")?;
        if address.chars().count() < 5 {
            return Err(AgeMethodError::invalid("address"));
        }
        let code = fields.text("postal_code")?;
        let is_code = match code.split_once('-') {
            None => is_digits(code, 5..=5),
            Some((area, street)) => is_digits(area, 5..=5) && is_digits(street, 4..=4),
        };
        if !is_code {
            return Err(AgeMethodError::invalid("postal_code"));
        }
        Ok(Self {
            person,
            address: Secret::new(address.to_owned()),
            postal_code: Secret::new(code.to_owned()),
        })
    }

    pub(super) fn address(&self) -> &str {
        self.address.expose()
    }

    pub(super) fn postal_code(&self) -> &str {
        self.postal_code.expose()
    }

    pub(super) fn person(&self) -> &ClaimedIdentity {
        &self.person
    }
}

/// The holder of a CPF.
#[derive(Clone, Debug, Serialize)]
pub struct CpfHolder {
    #[serde(serialize_with = "expose_cpf")]
    cpf: Cpf,
    #[serde(flatten)]
    person: ClaimedIdentity,
}

impl CpfHolder {
    pub const FORM: [FormField; 3] =
        [FormField::new("cpf", FormFieldKind::Digits, "off", 14), FULL_NAME_FIELD, DATE_OF_BIRTH_FIELD];

    pub fn read(fields: &FormValues, today: Date) -> Result<Self, AgeMethodError> {
        Ok(Self { cpf: Cpf::parse(fields.text("cpf")?)?, person: ClaimedIdentity::read(fields, today)? })
    }

    pub(super) fn cpf(&self) -> &str {
        self.cpf.expose()
    }

    pub(super) fn person(&self) -> &ClaimedIdentity {
        &self.person
    }
}

/// The identity that a person claims. It is never evidence: a registry compares it with its own records.
#[derive(Clone, Serialize)]
pub(super) struct ClaimedIdentity {
    #[serde(serialize_with = "expose")]
    full_name: Secret<String>,
    date_of_birth: Date,
}

impl std::fmt::Debug for ClaimedIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("***")
    }
}

impl ClaimedIdentity {
    pub(super) fn full_name(&self) -> &str {
        self.full_name.expose()
    }

    pub(super) fn date_of_birth(&self) -> Date {
        self.date_of_birth
    }

    fn read(fields: &FormValues, today: Date) -> Result<Self, AgeMethodError> {
        let name = fields.text("full_name")?;
        if !(2..=100).contains(&name.chars().count()) || !name.chars().any(char::is_alphabetic) {
            return Err(AgeMethodError::invalid("full_name"));
        }
        let born = fields.text("date_of_birth")?;
        // jiff reads other forms of ISO 8601 as well; pages send `YYYY-MM-DD`.
        let born = Some(born).filter(|text| text.len() == 10).and_then(|text| text.parse::<Date>().ok());
        let born = born.filter(|born| *born <= today && crate::age_on(*born, today) <= MAX_AGE_YEARS);
        let date_of_birth = born.ok_or(AgeMethodError::invalid("date_of_birth"))?;
        Ok(Self { full_name: Secret::new(name.to_owned()), date_of_birth })
    }
}

fn is_digits(text: &str, lengths: std::ops::RangeInclusive<usize>) -> bool {
    lengths.contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

// These serialise secrets for the request to the registry, and for nothing else.
fn expose<S: Serializer>(secret: &Secret<String>, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(secret.expose())
}

#[expect(clippy::ref_option, reason = "serde hands it over like this")]
fn expose_some<S: Serializer>(secret: &Option<Secret<String>>, to: S) -> Result<S::Ok, S::Error> {
    secret.as_ref().map(Secret::expose).serialize(to)
}

fn expose_ssn<S: Serializer>(number: &Ssn, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(number.expose())
}

fn expose_cpf<S: Serializer>(cpf: &Cpf, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(cpf.expose())
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::civil::date;
    use serde_json::json;

    const TODAY: Date = date(2026, 11, 22);
    const PERSON: [(&str, &str); 2] = [("full_name", " Ada Lovelace "), ("date_of_birth", "1990-12-10")];

    fn with(more: &[(&str, &str)]) -> FormValues {
        let all: serde_json::Map<_, _> =
            PERSON.iter().chain(more).map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        serde_json::from_value(all.into()).unwrap()
    }

    #[test]
    fn every_subject_is_told_as_the_protocol_says() {
        let (name, born) = ("Ada Lovelace", "1990-12-10");
        for (subject, told) in [
            (
                RegistrySubject::Email(EmailHolder::parse("Ada@Example.COM").unwrap()),
                json!({ "email": "Ada@example.com" }),
            ),
            (
                RegistrySubject::SocialSecurityNumber(
                    SsnHolder::read(&with(&[("number", "123-45-6789")]), TODAY).unwrap(),
                ),
                json!({ "full_name": name, "date_of_birth": born, "number": "123456789" }),
            ),
            (
                RegistrySubject::UsFloridaHb3(
                    FloridaResident::read(
                        &with(&[("address", "1 Main St"), ("postal_code", "33101")]),
                        TODAY,
                    )
                    .unwrap(),
                ),
                json!({ "full_name": name, "date_of_birth": born, "address": "1 Main St", "postal_code": "33101" }),
            ),
            (
                RegistrySubject::Cpf(CpfHolder::read(&with(&[("cpf", "529.982.247-25")]), TODAY).unwrap()),
                json!({ "cpf": "52998224725", "full_name": name, "date_of_birth": born }),
            ),
        ] {
            assert_eq!(serde_json::to_value(&subject).unwrap(), told, "{}", subject.method());
            let printed = format!("{subject:?}");
            assert!(
                !printed.contains("Ada")
                    && !printed.contains(|char: char| char.is_ascii_digit() && char != '3')
            );
        }
    }

    #[test]
    fn addresses_are_read_or_refused() {
        for good in ["a@b.example", "ada.l+x@example.com", "jörg@bücher.example"] {
            assert!(EmailHolder::parse(good).is_ok(), "{good}");
        }
        assert_eq!(EmailHolder::parse("ada@example.com").unwrap().masked(), "a•••@example.com");
        let long = format!("{}@example.com", "a".repeat(65));
        for bad in [
            "",
            "a@b",
            "a@b.c",
            "@example.com",
            "ada@",
            "ada@example",
            "a b@example.com",
            "ada@@example.com",
            ".a@example.com",
            "a..b@example.com",
            "ada@127.0.0.1",
            "ada@[::1]",
            "ada@example.com\r\nBcc: x",
            "ada@exam ple.com",
            &long,
            "\"ada\"@example.com",
            "ada@.example.com",
            "ada@%65xample.com",
            "ada@example.com.",
        ] {
            assert_eq!(EmailHolder::parse(bad).err(), Some(AgeMethodError::invalid("email")), "{bad}");
        }
    }

    #[test]
    fn the_field_at_fault_is_named() {
        let read = |fields: &[(&str, &str)]| {
            let all: serde_json::Map<_, _> =
                fields.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
            FloridaResident::read(&serde_json::from_value(all.into()).unwrap(), TODAY).unwrap_err()
        };
        let [name, born] = PERSON;
        assert_eq!(read(&[]), AgeMethodError::required("full_name"));
        assert_eq!(read(&[("full_name", "1"), born]), AgeMethodError::invalid("full_name"));
        assert_eq!(read(&[name]), AgeMethodError::required("date_of_birth"));
        for bad in
            ["2026-11-23", "1890-01-01", "1990-02-30", "10/12/1990", "+001990-12-10", "1990-12-10T00:00"]
        {
            assert_eq!(
                read(&[name, ("date_of_birth", bad)]),
                AgeMethodError::invalid("date_of_birth"),
                "{bad}"
            );
        }
        let address = ("address", "1 Main St");
        assert_eq!(read(&[name, born, ("address", "1")]), AgeMethodError::invalid("address"));
        assert_eq!(
            read(&[name, born, address, ("postal_code", "3310")]),
            AgeMethodError::invalid("postal_code")
        );
        assert_eq!(
            read(&[name, born, address, ("postal_code", "33101-12")]),
            AgeMethodError::invalid("postal_code")
        );
    }
}
