//! Builds the parts of age verification and gives each what it needs.

use super::{
    AgeVerificationSettings, AgeWebhookFormat, ProviderSettings, ProviderSettingsError,
    appeals::AppealService,
    attempt_budgets::AttemptBudgets,
    attempts::AttemptRunner,
    blind_tokens::{BlindTokens, IssuerKeyStore, TokenIssuer},
    continuation::ContinuationVault,
    decision::AgeDecider,
    document_follow_up::DocumentFollower,
    expiry::SessionExpirer,
    methods::{
        AgeMethodSets, BlindTokenMethod, DocumentMethod, EstimationMethod, PasskeyMethod, SharedMethodParts,
    },
    policies::AgePolicyBook,
    proof_invitation::ProofInvitations,
    providers::Providers,
    relying_party::RelyingPartyDirectory,
    request_validator::RequestValidator,
    rules::AgeRuleStore,
    sandbox_response::SandboxResponder,
    session_creation::SessionCreator,
    store::AgeSessionStore,
    stored_result_store::StoredResultStore,
    stored_results::StoredResultService,
    urls::AgePageUrls,
    wallet_requests::WalletRequestService,
    webhook_signer::WebhookSigner,
    webhooks::ResultNotifier,
};
use crate::{
    delivery::Outbox, document_verification::DocumentVerificationService, image_analysis::ImageAnalyser,
    mail::Mailer, proof_of_age::issuer::ProofIssuer, secure_capture::SecureCapture,
    tenancy::limits::LimitSettings, vault::Vault,
};
use age_methods::passkey::{PasskeySettings, Passkeys};
use base::{Environment, Secret};
use db::Db;
use media::fetch::Fetcher;
use std::sync::Arc;

/// What age verification needs of the rest of the server.
#[derive(Clone, Debug)]
pub struct AgeVerificationDependencies {
    pub db: Db,
    /// Clock and randomness.
    pub environment: Arc<dyn Environment>,
    /// Seals rows and continuations.
    pub vault: Vault,
    /// Hashes whom budgets are counted for.
    pub counter_key: Secret<[u8; 32]>,
    /// Queues webhooks.
    pub outbox: Outbox,
    /// Estimates ages and checks liveness.
    pub estimator: ImageAnalyser,
    /// Verifies the proof of capture of photos.
    pub secure_capture: SecureCapture,
    /// Runs the document sessions of `doc_scan`.
    pub identities: DocumentVerificationService,
    /// Issues proofs of age for tills.
    pub issuer: ProofIssuer,
    /// Sends one-time codes.
    pub mail: Mailer,
    /// Calls providers.
    pub fetcher: Fetcher,
    /// What applications may store.
    pub limits: LimitSettings,
    /// Writes the body of webhooks.
    pub webhooks: Arc<dyn AgeWebhookFormat>,
}

/// The parts that [`AgeVerificationService`](super::AgeVerificationService) delegates to.
#[derive(Debug)]
pub(super) struct AgeVerificationParts {
    pub(super) settings: AgeVerificationSettings,
    pub(super) policies: Arc<AgePolicyBook>,
    pub(super) urls: AgePageUrls,
    pub(super) sessions: Arc<AgeSessionStore>,
    pub(super) rules: Arc<AgeRuleStore>,
    pub(super) relying_parties: RelyingPartyDirectory,
    pub(super) methods: Arc<AgeMethodSets>,
    pub(super) notifier: Arc<ResultNotifier>,
    pub(super) creator: SessionCreator,
    pub(super) attempts: Arc<AttemptRunner>,
    pub(super) document_follower: DocumentFollower,
    pub(super) session_expirer: SessionExpirer,
    pub(super) wallet_requests: Arc<WalletRequestService>,
    pub(super) stored_results: StoredResultService,
    pub(super) proof_invitations: ProofInvitations,
    pub(super) token_issuer: TokenIssuer,
    pub(super) sandbox_responder: SandboxResponder,
    pub(super) appeals: AppealService,
}

/// What several parts share.
struct SharedParts {
    dependencies: AgeVerificationDependencies,
    environment: Arc<dyn Environment>,
    urls: AgePageUrls,
    continuations: Arc<ContinuationVault>,
    decider: Arc<AgeDecider>,
    budgets: Arc<AttemptBudgets>,
    sessions: Arc<AgeSessionStore>,
    rules: Arc<AgeRuleStore>,
    results: Arc<StoredResultStore>,
    issuer_keys: Arc<IssuerKeyStore>,
    relying_parties: RelyingPartyDirectory,
    passkeys: Option<Arc<Passkeys>>,
    blind_tokens: Option<Arc<BlindTokens>>,
    documents: Arc<DocumentMethod>,
}

impl AgeVerificationParts {
    /// Refused if the settings of a provider or of the issuer of blind tokens cannot be used.
    pub(super) fn wire(
        dependencies: AgeVerificationDependencies,
        settings: AgeVerificationSettings,
    ) -> Result<Self, ProviderSettingsError> {
        let policies = AgePolicyBook::open(&settings.policies);
        let policies = Arc::new(policies.map_err(|cause| ProviderSettingsError::new("policies", cause))?);
        let shared = SharedParts::open(dependencies, &settings)?;
        let methods = Arc::new(shared.open_methods(&settings)?);
        let validator = Arc::new(RequestValidator::new(
            shared.environment.clone(),
            methods.clone(),
            shared.dependencies.outbox.clone(),
            settings.stored_result_retention,
            settings.estimate_confidence,
            policies.clone(),
        ));
        let token_issuer = shared.token_issuer(validator.clone(), &settings);
        token_issuer.validate_settings()?;
        let notifier = Arc::new(shared.notifier());
        let proof_invitations = shared.proof_invitations(&settings);
        let stored_results = shared.stored_results();
        let appeals = AppealService {
            db: shared.dependencies.db.clone(),
            environment: shared.environment.clone(),
            sessions: shared.sessions.clone(),
            notifier: notifier.clone(),
            analyser: shared.dependencies.estimator.clone(),
            limits: shared.dependencies.limits,
            window: settings.appeal_window,
        };
        let SharedParts { environment, sessions, rules, relying_parties, .. } = shared;
        let attempts = Arc::new(AttemptRunner::new(
            environment.clone(),
            sessions.clone(),
            shared.continuations,
            methods.clone(),
            notifier.clone(),
        ));
        Ok(Self {
            settings,
            policies,
            appeals,
            urls: shared.urls,
            creator: SessionCreator {
                environment: environment.clone(),
                validator,
                sessions: sessions.clone(),
                rules: rules.clone(),
                methods: methods.clone(),
                decider: shared.decider,
                notifier: notifier.clone(),
            },
            document_follower: DocumentFollower::new(
                environment.clone(),
                sessions.clone(),
                shared.documents,
                attempts.clone(),
            ),
            session_expirer: SessionExpirer::new(environment.clone(), sessions.clone(), attempts.clone()),
            wallet_requests: Arc::new(WalletRequestService::new(
                environment.clone(),
                sessions.clone(),
                relying_parties.clone(),
                methods.clone(),
                notifier.clone(),
                attempts.clone(),
            )),
            sandbox_responder: SandboxResponder::new(
                environment,
                sessions.clone(),
                methods.clone(),
                notifier.clone(),
            ),
            sessions,
            rules,
            relying_parties,
            methods,
            notifier,
            attempts,
            stored_results,
            proof_invitations,
            token_issuer,
        })
    }
}

impl SharedParts {
    fn open(
        dependencies: AgeVerificationDependencies,
        settings: &AgeVerificationSettings,
    ) -> Result<Self, ProviderSettingsError> {
        let AgeVerificationDependencies { db, environment, vault, identities, fetcher, .. } = &dependencies;
        let passkeys = open_passkeys(settings)?.map(Arc::new);
        let open_tokens = |tokens| BlindTokens::open(tokens, &settings.public_url, fetcher, environment);
        let blind_tokens = settings.providers.double_anonymity.as_ref().map(open_tokens).transpose();
        let blind_tokens = blind_tokens
            .map_err(|cause| ProviderSettingsError::new("double_anonymity", cause))?
            .map(Arc::new);
        let decider = Arc::new(AgeDecider::new(environment.clone()));
        let documents =
            DocumentMethod::new(db.clone(), environment.clone(), identities.clone(), decider.clone());
        let sessions = Arc::new(AgeSessionStore::new(
            db.clone(),
            environment.clone(),
            vault.clone(),
            settings.session_retention,
        ));
        let budgets = AttemptBudgets::new(
            db.clone(),
            environment.clone(),
            sessions.clone(),
            dependencies.counter_key.clone(),
            settings.limits,
        );
        Ok(Self {
            environment: environment.clone(),
            urls: AgePageUrls::new(&settings.public_url),
            continuations: Arc::new(ContinuationVault::new(environment.clone(), vault.clone())),
            decider,
            budgets: Arc::new(budgets),
            sessions,
            rules: Arc::new(AgeRuleStore::new(db.clone(), environment.clone())),
            results: Arc::new(StoredResultStore::new(
                db.clone(),
                environment.clone(),
                vault.clone(),
                settings.stored_result_retention,
            )),
            issuer_keys: Arc::new(IssuerKeyStore::new(db.clone(), environment.clone(), vault.clone())),
            relying_parties: RelyingPartyDirectory::new(db.clone()),
            passkeys,
            blind_tokens,
            documents: Arc::new(documents),
            dependencies,
        })
    }

    /// The handlers of all methods, with the providers of the settings.
    fn open_methods(
        &self,
        settings: &AgeVerificationSettings,
    ) -> Result<AgeMethodSets, ProviderSettingsError> {
        let dependencies = &self.dependencies;
        let open = |providers: &ProviderSettings| {
            Providers::open(providers, &dependencies.fetcher, &self.environment, &settings.public_url)
        };
        let production = open(&settings.providers)?;
        let sandbox = open(&ProviderSettings::sandbox(&settings.providers))?;
        let parts = SharedMethodParts {
            environment: self.environment.clone(),
            decider: self.decider.clone(),
            budgets: self.budgets.clone(),
            continuations: self.continuations.clone(),
            urls: self.urls.clone(),
            mailer: dependencies.mail.clone(),
            age_estimation: Arc::new(EstimationMethod::new(
                self.environment.clone(),
                dependencies.secure_capture.clone(),
                dependencies.estimator.clone(),
                self.budgets.clone(),
            )),
            doc_scan: self.documents.clone(),
            svc_key: Arc::new(PasskeyMethod::new(
                self.environment.clone(),
                self.passkeys.clone(),
                self.results.clone(),
                self.rules.clone(),
            )),
            double_anonymity: Arc::new(BlindTokenMethod::new(
                self.environment.clone(),
                self.blind_tokens.clone(),
                self.issuer_keys.clone(),
                self.decider.clone(),
            )),
        };
        Ok(AgeMethodSets::new(&parts, production, sandbox))
    }

    fn token_issuer(
        &self,
        validator: Arc<RequestValidator>,
        settings: &AgeVerificationSettings,
    ) -> TokenIssuer {
        TokenIssuer {
            db: self.dependencies.db.clone(),
            environment: self.environment.clone(),
            blind_tokens: self.blind_tokens.clone(),
            keys: self.issuer_keys.clone(),
            sessions: self.sessions.clone(),
            relying_parties: self.relying_parties.clone(),
            validator,
            brand: settings.brand.clone(),
        }
    }

    fn notifier(&self) -> ResultNotifier {
        let AgeVerificationDependencies { db, vault, outbox, webhooks, .. } = &self.dependencies;
        let signer = WebhookSigner::new(db.clone(), self.environment.clone(), vault.clone());
        ResultNotifier::new(self.environment.clone(), outbox.clone(), signer, webhooks.clone())
    }

    fn stored_results(&self) -> StoredResultService {
        StoredResultService::new(
            self.environment.clone(),
            self.passkeys.clone(),
            self.results.clone(),
            self.sessions.clone(),
            self.relying_parties.clone(),
            self.continuations.clone(),
        )
    }

    fn proof_invitations(&self, settings: &AgeVerificationSettings) -> ProofInvitations {
        ProofInvitations::new(
            self.environment.clone(),
            self.sessions.clone(),
            self.relying_parties.clone(),
            self.dependencies.issuer.clone(),
            self.urls.clone(),
            settings.offers_proof_of_age,
        )
    }
}

/// The passkeys of the settings, or else those of the server's own name.
fn open_passkeys(settings: &AgeVerificationSettings) -> Result<Option<Passkeys>, ProviderSettingsError> {
    let opened = settings.providers.svc_key.as_ref().map(Passkeys::open).transpose();
    let opened = opened.map_err(|cause| ProviderSettingsError::new("svc_key", cause))?;
    Ok(opened.or_else(|| default_passkeys(&settings.public_url)))
}

/// Passkeys of the server's own name. Browsers require https and a domain name, or localhost; elsewhere there are none.
fn default_passkeys(public_url: &str) -> Option<Passkeys> {
    let (scheme, rest) = public_url.split_once("://")?;
    let host = rest.split(['/', ':']).next()?;
    let origin = rest.split('/').next()?;
    Passkeys::open(&PasskeySettings {
        rp_id: host.to_owned(),
        origins: vec![format!("{scheme}://{origin}")],
        name: host.to_owned(),
    })
    .ok()
}
