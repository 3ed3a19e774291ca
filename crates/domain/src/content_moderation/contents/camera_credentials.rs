//! What a camera demands of whoever watches it: sealed, bound to its content, and shown to nobody.

use crate::{
    vault::Vault,
    violation::{Violation, check_max_chars, violation},
};
use base::{AccountId, ContentId, Environment, Secret};
use db::{DbError, FromRow, ReadTx, sql};
use media::video::CameraCredentials;

/// The longest user name and the longest password, in characters.
pub const MAX_CREDENTIAL_CHARS: usize = 255;

#[derive(FromRow)]
struct CredentialsRow {
    sealed_credentials: Option<Vec<u8>>,
}

/// Refuses what no camera takes: a user name that is empty or has a colon, characters of control, what is too long.
pub(super) fn check(CameraCredentials { username, password }: &CameraCredentials) -> Vec<Violation> {
    let (user, pass) = ("credentials.username", "credentials.password");
    let mut violations = Vec::new();
    if username.is_empty() || username.contains(':') {
        violations.push(violation(user, "it must not be empty, nor contain a colon"));
    }
    for (path, text) in [(user, username), (pass, password.expose())] {
        if text.chars().any(char::is_control) {
            violations.push(violation(path, "it must not contain control characters"));
        }
        let count = text.chars().count();
        violations.extend(check_max_chars(path, "it has", count, MAX_CREDENTIAL_CHARS, "shorten it").err());
    }
    violations
}

fn aad(id: ContentId) -> Vec<u8> {
    format!("content:credentials:{id}").into_bytes()
}

pub(super) fn seal(
    vault: &Vault,
    environment: &dyn Environment,
    id: ContentId,
    credentials: &CameraCredentials,
) -> Vec<u8> {
    let plain = Secret::new(
        serde_json::to_vec(&(&credentials.username, credentials.password.expose())).expect("texts are JSON"),
    );
    vault.seal(environment, &aad(id), plain.expose())
}

/// The credentials of a content; none if it has none, or they were sealed under another key.
pub(super) async fn load(
    vault: &Vault,
    view: &mut ReadTx,
    account: AccountId,
    id: ContentId,
) -> Result<Option<CameraCredentials>, DbError> {
    let row: Option<CredentialsRow> = view
        .fetch_optional(sql!(
            "SELECT sealed_credentials FROM contents WHERE id = $1 AND account_id = $2",
            id,
            account,
        ))
        .await?;
    Ok(row.and_then(|row| {
        let plain = Secret::new(vault.open(&aad(id), &row.sealed_credentials?).ok()?);
        let (username, password) = serde_json::from_slice(plain.expose()).ok()?;
        Some(CameraCredentials { username, password })
    }))
}
