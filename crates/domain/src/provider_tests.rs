//! The services of others that the settings name, and a test that asks each of them.

use crate::{
    accounts::sign_in::SignInSettings,
    age_verification::ProviderSettings,
    document_verification::DocumentVerificationSettings,
    mail::{EmailMessage, Mailer},
    proof_of_age::ProofOfAgeSettings,
    wire_enum::wire_enum,
};
use age_methods::{
    card::CardProviderSettings,
    identity_source::IdentitySourceSettings,
    la_wallet::LaWalletSettings,
    oidc::{self, IdentityProviderSettings},
    registry::RegistrySettings,
};
use base::Environment;
use media::{
    blobs::{BlobError, BlobKey, BlobKeySegment, BlobStore},
    fetch::{FetchRequest, Fetcher},
};
use std::{sync::Arc, time::Duration};
use tokio::time::Instant;

/// How long a test may take.
const TEST_TIMEOUT: Duration = Duration::from_secs(30);
/// What is read of an answer that does not matter.
const MAX_ANSWER_BYTES: u64 = 64 << 10;
/// The prefix that the file of a test is written under.
const TEST_TENANT: BlobKeySegment = BlobKeySegment::literal("provider-test");
const TEST_KIND: BlobKeySegment = BlobKeySegment::literal("file");
/// What the file of a test says.
const TEST_BYTES: &[u8] = b"a test of where files are stored";

wire_enum! {
    /// What a test of a provider does.
    pub enum ProviderTestKind {
        /// Sends a mail to whoever asks.
        Mail => "MAIL",
        /// Writes a file, reads it and deletes it.
        Storage => "STORAGE",
        /// Fetches the discovery document and the keys of an issuer, and checks that they are that issuer's.
        OidcDiscovery => "OIDC_DISCOVERY",
        /// Connects, and checks the certificate and that something is answered. It does not show that credentials are right:
        /// the protocol has no question that costs nothing and is about nobody.
        Reachability => "REACHABILITY",
        /// Nothing: answers are simulated here.
        Simulated => "SIMULATED",
    }
}

/// A service of others that the settings name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provider {
    /// Where the settings have it, such as `ages.credit_card`.
    pub name: String,
    pub kind: ProviderTestKind,
    /// The address or the issuer that is asked.
    address: Option<String>,
}

impl Provider {
    /// The host that is asked, where the settings name one.
    pub fn host(&self) -> Option<&str> {
        let (_, rest) = self.address.as_deref()?.split_once("://")?;
        let authority = rest.split(['/', '?', '#']).next()?;
        // Without a name and a password, should there be one.
        authority.rsplit('@').next()
    }

    fn of_service(name: impl Into<String>, address: Option<&str>) -> Self {
        let kind =
            if address.is_some() { ProviderTestKind::Reachability } else { ProviderTestKind::Simulated };
        Self { name: name.into(), kind, address: address.map(str::to_owned) }
    }

    fn of_issuer(name: impl Into<String>, issuer: Option<&str>) -> Self {
        let kind =
            if issuer.is_some() { ProviderTestKind::OidcDiscovery } else { ProviderTestKind::Simulated };
        Self { name: name.into(), kind, address: issuer.map(str::to_owned) }
    }
}

/// How a test ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderTestResult {
    pub took: Duration,
    /// What was shown, or what went wrong, in words.
    pub outcome: Result<String, String>,
}

/// Tests providers; cheap to clone.
#[derive(Clone, Debug)]
pub struct ProviderTester {
    environment: Arc<dyn Environment>,
    fetcher: Fetcher,
    mailer: Mailer,
    blobs: BlobStore,
    public_url: String,
    providers: Arc<[Provider]>,
}

impl ProviderTester {
    /// A tester of these providers, and of mail and storage.
    pub fn new(
        environment: Arc<dyn Environment>,
        fetcher: Fetcher,
        mailer: Mailer,
        blobs: BlobStore,
        public_url: String,
        configured: Vec<Provider>,
    ) -> Self {
        let own = |name: &str, kind| Provider { name: name.to_owned(), kind, address: None };
        let mut providers = vec![own("storage", ProviderTestKind::Storage)];
        if mailer.ensure_configured().is_ok() {
            providers.push(own("mail", ProviderTestKind::Mail));
        }
        providers.extend(configured);
        Self { environment, fetcher, mailer, blobs, public_url, providers: providers.into() }
    }

    /// Everything that can be tested.
    pub fn providers(&self) -> &[Provider] {
        &self.providers
    }

    /// Tests a provider; `None` if there is none of this name. A mail goes to `email`, the address of whoever asks.
    pub async fn run(&self, name: &str, email: &str) -> Option<ProviderTestResult> {
        let provider = self.providers.iter().find(|provider| provider.name == name)?;
        let began = Instant::now();
        let outcome = match tokio::time::timeout(TEST_TIMEOUT, self.ask(provider, email)).await {
            Ok(outcome) => outcome,
            Err(_) => Err(format!("it took longer than {} seconds", TEST_TIMEOUT.as_secs())),
        };
        Some(ProviderTestResult { took: began.elapsed(), outcome })
    }

    async fn ask(&self, provider: &Provider, email: &str) -> Result<String, String> {
        let address = provider.address.as_deref().unwrap_or_default();
        match provider.kind {
            ProviderTestKind::Mail => self.send_mail(email).await,
            ProviderTestKind::Storage => self.write_read_delete().await.map_err(|error| error.to_string()),
            ProviderTestKind::OidcDiscovery => {
                let checked = oidc::check_discovery(address, &self.fetcher, &self.environment).await;
                checked.map_err(|error| error.to_string())?;
                Ok("its discovery document and keys were read, and are those of this issuer".to_owned())
            }
            ProviderTestKind::Reachability => self.reach(address).await,
            ProviderTestKind::Simulated => Ok("answers are simulated here, and nobody is asked".to_owned()),
        }
    }

    async fn send_mail(&self, email: &str) -> Result<String, String> {
        let mail = EmailMessage::test(email, &self.public_url);
        self.mailer.send_now(&mail).await.map_err(|failed| failed.error)?;
        Ok(if self.mailer.writes_to_folder() {
            "a mail to you was written to the folder of mails; no mail server is set up".to_owned()
        } else {
            "the mail server took a mail to you; look whether it arrives".to_owned()
        })
    }

    async fn write_read_delete(&self) -> Result<String, BlobError> {
        let id: BlobKeySegment =
            self.environment.uuid_v4().to_string().parse().map_err(|_| BlobError::Damaged)?;
        let key = BlobKey::new(TEST_TENANT, TEST_KIND, id);
        let read = async {
            self.blobs.put(&key, TEST_BYTES).await?;
            self.blobs.get(&key).await
        };
        let read = read.await;
        let deleted = self.blobs.delete(&key).await;
        if read? != TEST_BYTES {
            return Err(BlobError::Damaged);
        }
        deleted?;
        Ok("a file was written, read and deleted".to_owned())
    }

    /// Asks for the first page of a service's host. Nothing of the settings but the host is sent.
    async fn reach(&self, address: &str) -> Result<String, String> {
        let target = self.fetcher.parse_target(address).map_err(|error| error.to_string())?;
        let page = format!("{}/", target.origin());
        let answered = self.fetcher.open(&page, FetchRequest::get(MAX_ANSWER_BYTES)).await;
        let status = answered.map_err(|error| error.to_string())?.status();
        Ok(format!(
            "it can be reached, its certificate is valid, and it answers (status {status} to a request without credentials)"
        ))
    }
}

/// The services of others that settings name.
pub fn configured_providers(
    ages: &ProviderSettings,
    documents: &DocumentVerificationSettings,
    console: &SignInSettings,
    proofs: &ProofOfAgeSettings,
) -> Vec<Provider> {
    let mut found = Vec::new();
    let mut service = |name: &str, address: Option<Option<&str>>| {
        found.extend(address.map(|address| Provider::of_service(name, address)));
    };
    service("ages.credit_card", ages.credit_card.as_ref().map(CardProviderSettings::address));
    let mobile = ages.mobile.as_ref();
    service("ages.mobile.sender", mobile.map(|settings| settings.sender.address()));
    service("ages.mobile.operator", mobile.map(|settings| settings.operator.address()));
    service("ages.la_wallet", ages.la_wallet.as_ref().map(LaWalletSettings::address));
    for (name, settings) in [
        ("ages.email", &ages.email),
        ("ages.social_security_number", &ages.social_security_number),
        ("ages.us_florida_hb3", &ages.us_florida_hb3),
        ("ages.cpf", &ages.cpf),
    ] {
        service(name, settings.as_ref().map(RegistrySettings::address));
    }
    for (name, settings) in [
        ("identity.issuing_authority", &documents.issuing_authority),
        ("identity.watchlist", &documents.watchlist),
        ("identity.fraud_list", &documents.fraud_list),
        ("identity.third_party_identity", &documents.third_party_identity),
    ] {
        service(name, settings.as_ref().map(IdentitySourceSettings::address));
    }
    service("proof.trust_list_url", proofs.trust_list_url.as_deref().map(Some));
    let issuers =
        ages.electronic_id.iter().map(|(id, settings)| (format!("ages.electronic_id.{id}"), settings));
    let singpass = ages.singpass.iter().map(|settings| ("ages.singpass".to_owned(), settings));
    let issuer =
        |(name, settings): (String, &IdentityProviderSettings)| Provider::of_issuer(name, settings.issuer());
    found.extend(issuers.chain(singpass).map(issuer));
    let console =
        console.oidc.iter().map(|settings| Provider::of_issuer("console.oidc", Some(&settings.issuer)));
    found.extend(console);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_up_is_listed_with_its_test() {
        let ages = ProviderSettings {
            cpf: Some(RegistrySettings::Sandbox {}),
            singpass: Some(IdentityProviderSettings::Sandbox {
                name: "Singpass".to_owned(),
                outcome: oidc::OidcSandboxOutcome::Over,
            }),
            ..ProviderSettings::default()
        };
        let proofs = ProofOfAgeSettings {
            trust_list_url: Some("https://me:s3cret@trust.example.com:8443/list?key=s3cret".to_owned()),
            ..ProofOfAgeSettings::default()
        };
        let documents = DocumentVerificationSettings::default();
        let found = configured_providers(&ages, &documents, &SignInSettings::default(), &proofs);
        let told: Vec<_> =
            found.iter().map(|provider| (provider.name.as_str(), provider.kind, provider.host())).collect();
        assert_eq!(
            told,
            [
                ("ages.cpf", ProviderTestKind::Simulated, None),
                ("proof.trust_list_url", ProviderTestKind::Reachability, Some("trust.example.com:8443")),
                ("ages.singpass", ProviderTestKind::Simulated, None),
            ]
        );
    }
}
