//! Which input of the sandbox gives which outcome.

use super::RegistrySubject;
use crate::sandbox::SandboxAnswer;

pub(super) fn outcome(subject: &RegistrySubject) -> SandboxAnswer {
    match subject {
        RegistrySubject::Email(email) => match email.expose().split('@').next() {
            Some("minor") => SandboxAnswer::Under,
            Some("unknown") => SandboxAnswer::Unknown,
            Some("unavailable") => SandboxAnswer::Unavailable,
            _ => SandboxAnswer::Over,
        },
        RegistrySubject::SocialSecurityNumber(holder) => SandboxAnswer::of_digits(holder.number()),
        RegistrySubject::UsFloridaHb3(resident) => match resident.postal_code() {
            "33111" => SandboxAnswer::Under,
            "33222" => SandboxAnswer::Unknown,
            "33333" => SandboxAnswer::Unavailable,
            _ => SandboxAnswer::Over,
        },
        RegistrySubject::Cpf(taxpayer) => match taxpayer.cpf() {
            "11144477735" => SandboxAnswer::Under,
            "12345678909" => SandboxAnswer::Unknown,
            "98765432100" => SandboxAnswer::Unavailable,
            _ => SandboxAnswer::Over,
        },
    }
}
