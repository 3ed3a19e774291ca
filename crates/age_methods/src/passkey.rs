//! Passkeys (WebAuthn level 3) under which results are stored: a stored result can be found only with the person's
//! passkey.
//!
//! Passkeys are discoverable, so that no user name is needed, and the authenticator must verify its user, so that a
//! child who picks up a parent's phone cannot use it. State between two turns is sent along with the person; the caller
//! seals it.

use crate::{AgeMethodError, InvalidSettingError};
use base::Uuid;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use url::Url;
use webauthn_rs::{
    Webauthn, WebauthnBuilder,
    prelude::{
        DiscoverableAuthentication, Passkey, PasskeyRegistration, PublicKeyCredential,
        RegisterPublicKeyCredential, WebauthnError,
    },
};
use webauthn_rs_proto::ResidentKeyRequirement;

/// The relying party that passkeys belong to.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PasskeySettings {
    /// The domain that passkeys belong to, such as `example.com`. Changing it makes all existing passkeys unusable.
    pub rp_id: String,
    /// Origins of the pages that use them, such as `https://age.example.com`: on the domain itself or a subdomain.
    pub origins: Vec<String>,
    /// Display name of the business that stores the result.
    pub name: String,
}

/// Registers and verifies passkeys.
pub struct Passkeys(Webauthn);

impl fmt::Debug for Passkeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Passkeys({:?})", self.0.get_allowed_origins().iter().map(Url::as_str).collect::<Vec<_>>())
    }
}

/// The public key of a person's passkey.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct StoredPasskey(Passkey);

impl StoredPasskey {
    /// The credential id, at most 1,023 bytes.
    pub fn id(&self) -> &[u8] {
        self.0.cred_id()
    }

    /// Whether it is the same key pair, and not only the same credential id, which whoever registers a passkey chooses.
    pub fn is_same_key(&self, other: &Self) -> bool {
        self.id() == other.id() && self.0.get_public_key() == other.0.get_public_key()
    }
}

/// State of a registration that has started.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PasskeyRegistrationState(PasskeyRegistration);

/// State of an authentication that has started.
#[derive(Clone, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PasskeyAuthenticationState(DiscoverableAuthentication);

// Both contain the challenge, so they are not printed.
impl fmt::Debug for PasskeyRegistrationState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Registering")
    }
}

impl fmt::Debug for PasskeyAuthenticationState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Authenticating")
    }
}

/// The passkey that a browser claims to have used. Nothing is verified yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedPasskey {
    /// The holder for whom the passkey was registered.
    pub holder: Uuid,
    /// The credential id.
    pub id: Vec<u8>,
}

impl Passkeys {
    /// Requires every origin to be https (or localhost) and within the domain.
    pub fn open(settings: &PasskeySettings) -> Result<Self, InvalidSettingError> {
        let bad = |problem: String| InvalidSettingError::new("origins", problem);
        let origins = settings.origins.iter().map(|text| {
            let url = Url::parse(text).map_err(|_| bad(format!("{text:?} is not an address")))?;
            let is_local = url.domain() == Some("localhost");
            let is_below = url.domain().is_some_and(|domain| {
                domain == settings.rp_id || domain.ends_with(&format!(".{}", settings.rp_id))
            });
            if !(url.scheme() == "https" || is_local)
                || url.path() != "/"
                || url.query().is_some()
                || !is_below
            {
                return Err(bad(format!("{text:?} is not https:// and a domain of {}", settings.rp_id)));
            }
            Ok(url)
        });
        let origins = origins.collect::<Result<Vec<_>, _>>()?;
        let first = origins.first().ok_or_else(|| bad("names none".to_owned()))?;
        let mut builder = WebauthnBuilder::new(&settings.rp_id, first)
            .map_err(|_| InvalidSettingError::new("rp_id", "is not the domain of the origins"))?
            .rp_name(&settings.name);
        for origin in &origins[1..] {
            builder = builder.append_allowed_origin(origin);
        }
        let webauthn = builder.build().map_err(|_| InvalidSettingError::new("rp_id", "cannot be used"))?;
        Ok(Self(webauthn))
    }

    /// Starts a registration. `label` is shown in the person's own list of passkeys. Returns the options for
    /// `navigator.credentials.create`, in the JSON form of WebAuthn level 3 under `publicKey`.
    pub fn start_registration(
        &self,
        holder: Uuid,
        label: &str,
    ) -> Result<(Value, PasskeyRegistrationState), AgeMethodError> {
        self.start_registration_excluding(holder, label, Vec::new())
    }

    /// The same for somebody who has passkeys with these credential ids: an authenticator that has one of them makes no other.
    pub fn start_registration_excluding(
        &self,
        holder: Uuid,
        label: &str,
        known: Vec<Vec<u8>>,
    ) -> Result<(Value, PasskeyRegistrationState), AgeMethodError> {
        let known = Some(known).filter(|known| !known.is_empty());
        let begun = self.0.start_passkey_registration(holder, label, label, known);
        let (mut options, state) =
            begun.map_err(|_| AgeMethodError::unavailable("no passkey can be asked for"))?;
        // The library leaves it to the authenticator whether a passkey is discoverable; here it must be.
        let mut selection = options.public_key.authenticator_selection.take().unwrap_or_default();
        selection.resident_key = Some(ResidentKeyRequirement::Required);
        selection.require_resident_key = true;
        options.public_key.authenticator_selection = Some(selection);
        Ok((to_json(&options)?, PasskeyRegistrationState(state)))
    }

    /// Completes a registration. `credential` is the output of `PublicKeyCredential.toJSON()`.
    pub fn finish_registration(
        &self,
        held: &PasskeyRegistrationState,
        credential: &Value,
    ) -> Result<StoredPasskey, AgeMethodError> {
        let credential =
            RegisterPublicKeyCredential::deserialize(credential).map_err(|_| unreadable_response())?;
        if credential.extensions.cred_props.as_ref().and_then(|props| props.rk) == Some(false) {
            return Err(AgeMethodError::inconclusive("the passkey could not be found again"));
        }
        let key = self.0.finish_passkey_registration(&credential, &held.0);
        key.map(StoredPasskey).map_err(|error| webauthn_error(&error))
    }

    /// Starts an authentication with any passkey. Returns the options for `navigator.credentials.get`, under
    /// `publicKey`.
    pub fn start_authentication(&self) -> Result<(Value, PasskeyAuthenticationState), AgeMethodError> {
        let begun = self.0.start_discoverable_authentication();
        let (mut options, state) =
            begun.map_err(|_| AgeMethodError::unavailable("no passkey can be asked for"))?;
        // The library sets conditional mediation, for autofill; here the end user presses a button.
        options.mediation = None;
        Ok((to_json(&options)?, PasskeyAuthenticationState(state)))
    }

    /// The passkey that the browser claims to have used: to look up its public key for
    /// [`Passkeys::finish_authentication`].
    pub fn identify(&self, credential: &Value) -> Result<ClaimedPasskey, AgeMethodError> {
        let credential = PublicKeyCredential::deserialize(credential).map_err(|_| unreadable_response())?;
        let named = self.0.identify_discoverable_authentication(&credential);
        named
            .map(|(holder, id)| ClaimedPasskey { holder, id: id.to_vec() })
            .map_err(|error| webauthn_error(&error))
    }

    /// Verifies the response. Returns whether `key` has changed (its counter) and must be stored again.
    pub fn finish_authentication(
        &self,
        held: &PasskeyAuthenticationState,
        credential: &Value,
        key: &mut StoredPasskey,
    ) -> Result<bool, AgeMethodError> {
        Ok(self.verify(held, credential, key)?)
    }

    /// The same; says why a response does not count.
    pub fn verify(
        &self,
        held: &PasskeyAuthenticationState,
        credential: &Value,
        key: &mut StoredPasskey,
    ) -> Result<bool, PasskeyVerificationError> {
        let credential = PublicKeyCredential::deserialize(credential)
            .map_err(|_| PasskeyVerificationError::Other(unreadable_response()))?;
        let result = self.0.finish_discoverable_authentication_v2(&credential, held.0.clone(), &key.0);
        let result = result.map_err(|error| match error {
            WebauthnError::CredentialPossibleCompromise => PasskeyVerificationError::CounterWentBack,
            error => PasskeyVerificationError::Other(webauthn_error(&error)),
        })?;
        if !result.user_verified() {
            let message = "the passkey was used without making sure by whom";
            return Err(PasskeyVerificationError::Other(AgeMethodError::inconclusive(message)));
        }
        Ok(key.0.update_credential(&result) == Some(true))
    }
}

/// Why the response of a passkey does not count.
#[derive(Debug, thiserror::Error)]
pub enum PasskeyVerificationError {
    /// Its counter is not above the stored one: there may be a copy of the passkey.
    #[error("the passkey's counter went back, so there may be a copy of it")]
    CounterWentBack,
    /// Any other reason.
    #[error(transparent)]
    Other(AgeMethodError),
}

impl From<PasskeyVerificationError> for AgeMethodError {
    fn from(error: PasskeyVerificationError) -> Self {
        match error {
            PasskeyVerificationError::CounterWentBack => {
                webauthn_error(&WebauthnError::CredentialPossibleCompromise)
            }
            PasskeyVerificationError::Other(error) => error,
        }
    }
}

fn to_json(options: &impl Serialize) -> Result<Value, AgeMethodError> {
    serde_json::to_value(options).map_err(|_| AgeMethodError::unavailable("no passkey can be asked for"))
}

fn unreadable_response() -> AgeMethodError {
    AgeMethodError::inconclusive("the passkey's answer cannot be read")
}

/// The library's message says what is wrong and contains no personal data.
fn webauthn_error(error: &WebauthnError) -> AgeMethodError {
    AgeMethodError::Inconclusive(format!("the passkey does not count: {error}"))
}
