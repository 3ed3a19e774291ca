//! Signing in through an identity provider: who somebody is there, and which address it has verified.

use super::{
    Claims, ClaimsSource, OidcClient, OidcLoginRedirect, OidcLoginState, OidcSettings, parameter,
    returned_code,
};
use crate::{AgeMethodError, InvalidSettingError};
use base::Environment;
use media::fetch::Fetcher;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

/// The longest subject, in bytes: `OpenID` Connect Core allows no more.
const MAX_SUBJECT_BYTES: usize = 255;
/// The name by which the state of an attempt says that it belongs here.
const SIGN_IN_ID: &str = "sign-in";

/// Which provider people sign in through.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SignInProviderSettings {
    /// The issuer, exactly as in its discovery document.
    pub issuer: String,
    pub client_id: String,
    /// A file with the client's secret.
    pub client_secret_file: PathBuf,
    /// What the button says; the issuer's host without it.
    #[serde(default)]
    pub label: Option<String>,
    /// Domains of addresses that may come in this way; all without any.
    #[serde(default)]
    pub domains: Vec<String>,
    /// Where the address is read from.
    #[serde(default)]
    pub claims_from: ClaimsSource,
}

/// Who somebody is at a provider.
#[derive(Clone, PartialEq, Eq)]
pub struct SignInIdentity {
    /// Their id there (`sub`), at most 255 bytes; never given to anybody else.
    pub subject: String,
    /// The address that the provider has verified, in lower case.
    pub email: Option<String>,
}

// Both are personal data and must not reach a log.
impl std::fmt::Debug for SignInIdentity {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SignInIdentity(…)")
    }
}

/// A provider that people sign in through.
#[derive(Debug)]
pub struct SignInProvider {
    client: OidcClient,
    label: String,
    domains: Vec<String>,
    environment: Arc<dyn Environment>,
}

impl SignInProvider {
    /// Reads the secret file. The provider is not called yet.
    pub fn open(
        settings: &SignInProviderSettings,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, InvalidSettingError> {
        let host = url::Url::parse(&settings.issuer).ok().and_then(|url| url.host_str().map(str::to_owned));
        let label = settings.label.clone().or(host).unwrap_or_else(|| settings.issuer.clone());
        let full = OidcSettings {
            name: label.clone(),
            issuer: settings.issuer.clone(),
            client_id: settings.client_id.clone(),
            client_secret_file: Some(settings.client_secret_file.clone()),
            key_file: None,
            key_algorithm: None,
            key_id: None,
            decryption_key_files: Vec::new(),
            encrypted: false,
            scopes: vec!["email".to_owned()],
            acr_values: Vec::new(),
            parameters: BTreeMap::new(),
            pushed: false,
            dpop: false,
            claims_from: settings.claims_from,
            birthdate: super::birthdate(),
            over: Vec::new(),
        };
        let domains = settings.domains.iter().map(|domain| domain.to_lowercase()).collect();
        Ok(Self {
            client: OidcClient::open(&full, fetcher, environment)?,
            label,
            domains,
            environment: environment.clone(),
        })
    }

    /// The issuer.
    pub fn issuer(&self) -> &str {
        &self.client.settings.issuer
    }

    /// What the button says.
    pub fn label(&self) -> &str {
        &self.label
    }

    /// Begins an attempt: the person is sent to the provider, and comes back to `redirect_uri`.
    pub async fn start(&self, redirect_uri: &str) -> Result<OidcLoginRedirect, AgeMethodError> {
        let mut held = OidcLoginState::new(SIGN_IN_ID, redirect_uri, &*self.environment);
        let url = self.client.start(&mut held, &*self.environment).await?;
        Ok(OidcLoginRedirect { url, state: held })
    }

    /// Completes an attempt with the query parameters that the person brought back.
    pub async fn finish(
        &self,
        held: &OidcLoginState,
        returned: &BTreeMap<String, String>,
    ) -> Result<SignInIdentity, AgeMethodError> {
        let code = returned_code(SIGN_IN_ID, held, returned)?;
        let issuer = parameter(returned, "iss");
        let (id_token, claims) = self.client.redeem(held, code, issuer, &self.environment).await?;
        let subject = id_token.get("sub").and_then(Value::as_str).unwrap_or_default();
        if !(1..=MAX_SUBJECT_BYTES).contains(&subject.len()) {
            return Err(AgeMethodError::unavailable("the identity provider's ID token names nobody"));
        }
        let email = verified_email(&claims).filter(|email| self.accepts(email));
        Ok(SignInIdentity { subject: subject.to_owned(), email })
    }

    /// Whether addresses of this domain may come in.
    fn accepts(&self, email: &str) -> bool {
        let domain = email.rsplit_once('@').map(|(_, domain)| domain);
        self.domains.is_empty()
            || domain.is_some_and(|domain| self.domains.iter().any(|known| known == domain))
    }
}

/// The address, in lower case, if the provider says that it has verified it. Some providers send text in place of a truth
/// value.
fn verified_email(claims: &Claims) -> Option<String> {
    let is_verified = match claims.get("email_verified") {
        Some(Value::Bool(verified)) => *verified,
        Some(Value::String(verified)) => verified == "true",
        _ => false,
    };
    let email = claims.get("email").and_then(Value::as_str).filter(|_| is_verified)?;
    Some(email.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_address_counts_only_if_it_was_verified() {
        let email = |claims: Value| verified_email(claims.as_object().unwrap());
        assert_eq!(
            email(json!({ "email": "Ada@Example.com", "email_verified": true })).as_deref(),
            Some("ada@example.com")
        );
        assert!(email(json!({ "email": "ada@example.com", "email_verified": "true" })).is_some());
        for claims in [
            json!({ "email": "ada@example.com" }),
            json!({ "email": "ada@example.com", "email_verified": false }),
            json!({ "email": "ada@example.com", "email_verified": "yes" }),
            json!({ "email": "ada@example.com", "email_verified": 1 }),
            json!({ "email_verified": true }),
            json!({ "email": ["ada@example.com"], "email_verified": true }),
        ] {
            assert_eq!(email(claims.clone()), None, "{claims}");
        }
    }
}
