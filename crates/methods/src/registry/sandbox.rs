//! Which input of the sandbox asks for which outcome.

use super::Subject;
use crate::sandbox::Outcome;

pub(super) fn outcome(subject: &Subject) -> Outcome {
    match subject {
        Subject::Email(email) => match email.expose().split('@').next() {
            Some("minor") => Outcome::Under,
            Some("unknown") => Outcome::Unknown,
            Some("unavailable") => Outcome::Unavailable,
            _ => Outcome::Over,
        },
        Subject::SocialSecurityNumber(holder) => Outcome::of_digits(holder.number()),
        Subject::UsFloridaHb3(resident) => match resident.postal_code() {
            "33111" => Outcome::Under,
            "33222" => Outcome::Unknown,
            "33333" => Outcome::Unavailable,
            _ => Outcome::Over,
        },
        Subject::LaWallet(holder) => Outcome::of_digits(holder.licence()),
        Subject::Cpf(taxpayer) => match taxpayer.cpf() {
            "11144477735" => Outcome::Under,
            "12345678909" => Outcome::Unknown,
            "98765432100" => Outcome::Unavailable,
            _ => Outcome::Over,
        },
    }
}
