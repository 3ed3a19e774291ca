//! What browsers are asked about passkeys, and what they answer: both are passed on as Web Authentication has them.

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

/// A browser's answer.
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

/// An answer to a question about a passkey; empty to be asked.
#[derive(Deserialize, ToSchema)]
pub(crate) struct PasskeyResponse {
    /// What came with the question.
    continuation: Option<String>,
    /// The browser's answer.
    #[serde(default, deserialize_with = "crate::http::json::object")]
    credential: Option<PasskeyCredential>,
}

impl PasskeyResponse {
    /// The answer, where it is whole.
    pub(super) fn into_parts(self) -> Option<(String, Value)> {
        Some((self.continuation?, self.credential?.into()))
    }
}

/// A question about a passkey.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PasskeyChallenge {
    /// What the browser is asked.
    pub(super) options: PasskeyOptions,
    /// What the page sends back with the answer; good for five minutes.
    pub(super) continuation: String,
}
