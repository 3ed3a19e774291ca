//! Passkey requests to browsers, and the browsers' answers; both have the JSON forms of Web Authentication.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};
use utoipa::{
    PartialSchema, ToSchema,
    openapi::{ObjectBuilder, RefOr, Schema, schema::AdditionalProperties},
};

fn free_form_object(description: &str) -> RefOr<Schema> {
    ObjectBuilder::new()
        .description(Some(description))
        .additional_properties(Some(AdditionalProperties::FreeForm(true)))
        .into()
}

/// Options for `navigator.credentials`.
#[derive(Debug, Serialize)]
#[serde(transparent)]
pub(crate) struct PasskeyOptions(pub(super) Value);

impl PartialSchema for PasskeyOptions {
    fn schema() -> RefOr<Schema> {
        free_form_object(
            "Options for `navigator.credentials.create` or `get`: under `publicKey` the JSON form of \
             `PublicKeyCredentialCreationOptions` or `PublicKeyCredentialRequestOptions` (Web Authentication Level 3, \
             section 5.4 and 5.5).",
        )
    }
}

impl ToSchema for PasskeyOptions {}

/// A browser's answer to a passkey request.
pub(crate) struct PasskeyCredential(Map<String, Value>);

impl<'de> Deserialize<'de> for PasskeyCredential {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Map::deserialize(from).map(Self)
    }
}

impl From<PasskeyCredential> for Value {
    fn from(credential: PasskeyCredential) -> Self {
        Self::Object(credential.0)
    }
}

impl PartialSchema for PasskeyCredential {
    fn schema() -> RefOr<Schema> {
        free_form_object(
            "What `PublicKeyCredential.toJSON()` gives: `RegistrationResponseJSON` or `AuthenticationResponseJSON` (Web \
             Authentication Level 3, section 5.1).",
        )
    }
}

impl ToSchema for PasskeyCredential {}

/// An answer to a passkey request; empty to get the request.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PasskeyResponse {
    /// The `continuation` of the request.
    continuation: Option<String>,
    /// The browser's answer.
    #[serde(default, deserialize_with = "crate::http::json::object")]
    credential: Option<PasskeyCredential>,
}

impl PasskeyResponse {
    /// Both members; `None` if either is missing.
    pub(super) fn into_parts(self) -> Option<(String, Value)> {
        Some((self.continuation?, self.credential?.into()))
    }
}

/// A passkey request.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PasskeyChallenge {
    /// What to ask the browser.
    pub(super) options: PasskeyOptions,
    /// To be sent back with the answer; valid for five minutes.
    pub(super) continuation: String,
}
