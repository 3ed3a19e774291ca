//! Which handler implements which method: the one place where all fifteen are listed.

use super::{
    AgeMethodHandler, BlindTokenMethod, DocumentMethod, EstimationMethod, PasskeyMethod, WalletMethod,
    card::CardMethod,
    device_signal::DeviceSignalMethod,
    la_wallet::LaWalletMethod,
    oidc::OidcMethod,
    one_time_code::{CodeDelivery, OneTimeCodeMethod},
    registry::{IdentityRegistry, RegistryMethod},
};
use crate::{
    age_verification::{
        attempt_budgets::AttemptBudgets,
        continuation::ContinuationVault,
        decision::AgeDecider,
        providers::Providers,
        session::{AgeSession, MethodAttempt},
        session_config::AvailableMethods,
        types::AgeMethod,
        urls::AgePageUrls,
    },
    mail::Mailer,
};
use age_methods::registry::RegistryProvider;
use base::{AppId, Environment};
use std::sync::Arc;

/// The handlers of production and of the sandbox.
#[derive(Debug)]
pub(in crate::age_verification) struct AgeMethodSets {
    production: AgeMethodSet,
    sandbox: AgeMethodSet,
}

/// A handler for each method, either in production or in the sandbox.
#[derive(Debug)]
pub(in crate::age_verification) struct AgeMethodSet {
    age_estimation: Arc<EstimationMethod>,
    digital_id: WalletMethod,
    doc_scan: Arc<DocumentMethod>,
    credit_card: CardMethod,
    mobile: OneTimeCodeMethod,
    email: OneTimeCodeMethod,
    electronic_id: OidcMethod,
    la_wallet: LaWalletMethod,
    social_security_number: RegistryMethod,
    us_florida_hb3: RegistryMethod,
    singpass: OidcMethod,
    cpf: RegistryMethod,
    svc_key: Arc<PasskeyMethod>,
    double_anonymity: Arc<BlindTokenMethod>,
    device_signal: DeviceSignalMethod,
    email_registry: Option<Arc<RegistryProvider>>,
}

/// What the handlers of production and of the sandbox share. The four handlers use the same models, keys and rows in
/// both, and ask the session which side it is on where that matters.
#[derive(Debug)]
pub(in crate::age_verification) struct SharedMethodParts {
    pub(in crate::age_verification) environment: Arc<dyn Environment>,
    pub(in crate::age_verification) decider: Arc<AgeDecider>,
    pub(in crate::age_verification) budgets: Arc<AttemptBudgets>,
    pub(in crate::age_verification) continuations: Arc<ContinuationVault>,
    pub(in crate::age_verification) urls: AgePageUrls,
    pub(in crate::age_verification) mailer: Mailer,
    pub(in crate::age_verification) age_estimation: Arc<EstimationMethod>,
    pub(in crate::age_verification) doc_scan: Arc<DocumentMethod>,
    pub(in crate::age_verification) svc_key: Arc<PasskeyMethod>,
    pub(in crate::age_verification) double_anonymity: Arc<BlindTokenMethod>,
}

impl AgeMethodSets {
    pub(in crate::age_verification) fn new(
        parts: &SharedMethodParts,
        production: Providers,
        sandbox: Providers,
    ) -> Self {
        Self {
            production: AgeMethodSet::new(parts, production, false),
            sandbox: AgeMethodSet::new(parts, sandbox, true),
        }
    }

    /// The handlers of the sandbox or of production.
    pub(in crate::age_verification) fn get(&self, sandbox: bool) -> &AgeMethodSet {
        if sandbox { &self.sandbox } else { &self.production }
    }

    /// The handler of the method of a session.
    pub(in crate::age_verification) fn handler(
        &self,
        session: &AgeSession,
        method: AgeMethod,
    ) -> &dyn AgeMethodHandler {
        self.get(session.sandbox).handler(method)
    }

    /// Deletes what was supplied for an attempt that has ended or was abandoned.
    pub(in crate::age_verification) async fn discard(
        &self,
        session: &AgeSession,
        attempt: Option<MethodAttempt>,
    ) {
        if let Some(MethodAttempt { method, state, .. }) = attempt {
            self.handler(session, method).discard(session, state).await;
        }
    }
}

impl AgeMethodSet {
    fn new(parts: &SharedMethodParts, providers: Providers, sandbox: bool) -> Self {
        let SharedMethodParts { environment, decider, budgets, continuations, urls, mailer, .. } = parts;
        let return_url = urls.provider_return(sandbox);
        let registry = |registry, provider| RegistryMethod {
            registry,
            provider,
            decider: decider.clone(),
            budgets: budgets.clone(),
        };
        let oidc = |providers| OidcMethod {
            providers,
            return_url: return_url.clone(),
            decider: decider.clone(),
            budgets: budgets.clone(),
        };
        let one_time_code = |delivery| OneTimeCodeMethod {
            delivery,
            environment: environment.clone(),
            decider: decider.clone(),
            budgets: budgets.clone(),
        };
        let email_registry = providers.email.map(Arc::new);
        Self {
            age_estimation: parts.age_estimation.clone(),
            digital_id: WalletMethod {
                verifier: providers.wallet,
                environment: environment.clone(),
                continuations: continuations.clone(),
                urls: urls.clone(),
                estimation: parts.age_estimation.clone(),
                decider: decider.clone(),
            },
            doc_scan: parts.doc_scan.clone(),
            credit_card: CardMethod {
                provider: providers.card,
                return_url: return_url.clone(),
                decider: decider.clone(),
                budgets: budgets.clone(),
            },
            mobile: one_time_code(CodeDelivery::Sms(providers.mobile)),
            email: one_time_code(CodeDelivery::Email {
                can_send: sandbox || mailer.ensure_configured().is_ok(),
                mailer: mailer.clone(),
                registry: email_registry.clone(),
            }),
            electronic_id: oidc(providers.electronic_id),
            la_wallet: LaWalletMethod {
                provider: providers.la_wallet,
                environment: environment.clone(),
                decider: decider.clone(),
                budgets: budgets.clone(),
            },
            social_security_number: registry(
                IdentityRegistry::SocialSecurityNumber,
                providers.social_security_number,
            ),
            us_florida_hb3: registry(IdentityRegistry::UsFloridaHb3, providers.us_florida_hb3),
            singpass: oidc(providers.singpass.into_iter().collect()),
            cpf: registry(IdentityRegistry::Cpf, providers.cpf),
            svc_key: parts.svc_key.clone(),
            double_anonymity: parts.double_anonymity.clone(),
            device_signal: DeviceSignalMethod { verifier: providers.device_signal, decider: decider.clone() },
            email_registry,
        }
    }

    pub(in crate::age_verification) fn handler(&self, method: AgeMethod) -> &dyn AgeMethodHandler {
        match method {
            AgeMethod::AgeEstimation => &*self.age_estimation,
            AgeMethod::DigitalId => &self.digital_id,
            AgeMethod::DocScan => &*self.doc_scan,
            AgeMethod::CreditCard => &self.credit_card,
            AgeMethod::Mobile => &self.mobile,
            AgeMethod::Email => &self.email,
            AgeMethod::ElectronicId => &self.electronic_id,
            AgeMethod::LaWallet => &self.la_wallet,
            AgeMethod::SocialSecurityNumber => &self.social_security_number,
            AgeMethod::UsFloridaHb3 => &self.us_florida_hb3,
            AgeMethod::Singpass => &self.singpass,
            AgeMethod::Cpf => &self.cpf,
            AgeMethod::SvcKey => &*self.svc_key,
            AgeMethod::DoubleAnonymity => &*self.double_anonymity,
            AgeMethod::DeviceSignal => &self.device_signal,
        }
    }

    /// The handler that also answers wallets.
    pub(in crate::age_verification) fn wallet(&self) -> &WalletMethod {
        &self.digital_id
    }

    /// The handler that takes what apps send.
    pub(in crate::age_verification) fn device_signal(&self) -> &DeviceSignalMethod {
        &self.device_signal
    }

    /// Who knows email addresses, also those that a relying party has verified.
    pub(in crate::age_verification) fn email_registry(&self) -> Option<&RegistryProvider> {
        self.email_registry.as_deref()
    }
}

impl AvailableMethods for AgeMethodSet {
    fn supports(&self, method: AgeMethod) -> bool {
        self.handler(method).is_available()
    }

    fn attests_signals_of(&self, app: AppId) -> bool {
        self.device_signal.is_attested_for(app)
    }

    fn sub_methods(&self) -> Vec<String> {
        self.electronic_id.providers.iter().map(|provider| provider.id().to_owned()).collect()
    }

    fn checks_verified_email(&self) -> bool {
        self.email_registry.is_some()
    }

    fn token_threshold(&self, threshold: i64) -> Option<u8> {
        self.double_anonymity.threshold_for(threshold)
    }
}
