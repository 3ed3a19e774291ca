//! Builds the services that the interfaces, the jobs and the tools use. The server and the tests do it here, so what is
//! tested is wired like what runs.

mod worker;

pub use worker::moderation_slots;

use base::{Environment, SignedDuration};
use db::Db;
use domain::{
    InvalidSettingError,
    accounts::{
        ReceiptSigner,
        deletion::{AccountDeletionService, ExternalAccountData},
        sign_in::{SignInService, SignInSettings},
    },
    age_verification::{
        AgeVerificationDependencies, AgeVerificationService, AgeVerificationSettings, AgeWebhookFormat,
        ProviderSettingsError,
    },
    audit_trail::AuditTrail,
    case_subjects::ReviewedSubjects,
    cases::{CaseService, CaseSettings},
    console::ConsoleAccess,
    content_moderation::{ContentModerationService, ContentModerationSettings, ModerationWebhookFormat},
    delivery::{DeliveryDispatcher, DeliverySettings, Outbox},
    document_verification::{
        DocumentVerificationService, DocumentVerificationSettings, DocumentWireFormat,
        IdentitySourceSettingsError, IdentitySources,
    },
    faces::{FaceIndexService, FaceIndexSettings, FaceIndexStorage},
    image_analysis::ImageAnalyser,
    keyring::Keyring,
    mail::{MailConfigError, MailTransport, Mailer},
    proof_of_age::{ProofOfAgeService, ProofOfAgeSettings, ProofWebhookFormat, issuer::ProofIssuer},
    provider_tests::{ProviderTester, configured_providers},
    request_log::RequestLogSettings,
    retention::RetentionSettings,
    secure_capture::SecureCapture,
    session_steps::SessionReferences,
    tenancy::limits::LimitSettings,
    vault::Vault,
    verification_sessions::VerificationSessions,
};
use media::{
    blobs::{BlobBackend, BlobBackendError, BlobStore},
    fetch::{EgressPolicy, EgressPolicyError, Fetcher},
    video::{ContentLoader, VideoError, VideoSettings},
};
use std::{path::PathBuf, sync::Arc};

/// Writes what the domain sends to applications. Whatever implements the traits of all products implements it.
pub trait WireFormat:
    AgeWebhookFormat + DocumentWireFormat + ModerationWebhookFormat + ProofWebhookFormat
{
}

impl<T: AgeWebhookFormat + DocumentWireFormat + ModerationWebhookFormat + ProofWebhookFormat> WireFormat
    for T
{
}

/// What differs between installations, and between a server and its tests.
#[derive(Debug)]
pub struct ServiceDependencies {
    /// The clock, and random numbers.
    pub environment: Arc<dyn Environment>,
    pub db: Db,
    /// The keys that everything sealed or signed is derived from.
    pub keyring: Keyring,
    /// Where calls may go that others name.
    pub egress: EgressPolicy,
    /// Where files are stored.
    pub blobs: BlobBackend,
    /// The folder of the face indexes.
    pub face_index_folder: PathBuf,
    pub mail: MailTransport,
    /// The sender of mails, such as `Assay <assay@example.com>`. Required with a mail server.
    pub mail_from: Option<String>,
    /// The models, or the place that they are loaded into later.
    pub image_analyser: ImageAnalyser,
    pub wire_format: Arc<dyn WireFormat>,
    pub settings: ServiceSettings,
}

/// The settings of all services.
#[derive(Clone, Debug)]
pub struct ServiceSettings {
    pub age_verification: AgeVerificationSettings,
    pub cases: CaseSettings,
    pub content_moderation: ContentModerationSettings,
    pub delivery: DeliverySettings,
    pub document_verification: DocumentVerificationSettings,
    pub faces: FaceIndexSettings,
    pub proof_of_age: ProofOfAgeSettings,
    pub request_log: RequestLogSettings,
    pub sign_in: SignInSettings,
    pub video: VideoSettings,
    /// How long records of the audit trail are kept.
    pub audit_retention: SignedDuration,
    /// How long a job or a delivery is leased at a time: after this time, another process takes over what a process was
    /// doing when it died.
    pub lease: SignedDuration,
    /// What one application may take if an operator has set nothing else for it.
    pub limits: LimitSettings,
}

impl Default for ServiceSettings {
    fn default() -> Self {
        let delivery = DeliverySettings::default();
        Self {
            age_verification: AgeVerificationSettings::default(),
            cases: CaseSettings::default(),
            content_moderation: ContentModerationSettings::default(),
            delivery,
            document_verification: DocumentVerificationSettings::default(),
            faces: FaceIndexSettings::default(),
            proof_of_age: ProofOfAgeSettings::default(),
            request_log: RequestLogSettings::default(),
            sign_in: SignInSettings::default(),
            video: VideoSettings::default(),
            audit_retention: SignedDuration::from_hours(24 * 400),
            lease: delivery.lease,
            limits: LimitSettings::default(),
        }
    }
}

impl ServiceSettings {
    /// How long what is known of people is kept.
    pub fn retention(&self) -> RetentionSettings {
        RetentionSettings {
            audit_records: self.audit_retention,
            deliveries: self.delivery.retention,
            document_sessions: self.document_verification.session_retention,
            document_traces: self.document_verification.duplicate_retention,
            age_sessions: self.age_verification.session_retention,
            stored_age_results: self.age_verification.stored_result_retention,
            found_embeddings: self.content_moderation.embedding_retention,
            found_pictures: self.content_moderation.picture_retention,
            request_log: self.request_log,
            member_sessions: self.sign_in.session_ttl,
        }
    }

    /// Sets the address at which the server is reached, without a trailing slash, for every service that makes links.
    pub fn set_public_url(&mut self, public_url: &str) {
        public_url.clone_into(&mut self.age_verification.public_url);
        public_url.clone_into(&mut self.content_moderation.public_url);
        public_url.clone_into(&mut self.document_verification.public_url);
        public_url.clone_into(&mut self.proof_of_age.public_url);
        public_url.clone_into(&mut self.sign_in.public_url);
    }
}

/// Settings that no service can be built with.
#[derive(Debug, thiserror::Error)]
pub enum ServiceError {
    /// The policy for outgoing calls is invalid.
    #[error("egress: the settings cannot be used")]
    Egress(#[source] EgressPolicyError),
    /// The relay between the fetcher and ffmpeg cannot be started.
    #[error(transparent)]
    Video(#[from] VideoError),
    /// The sender of mails is missing or invalid.
    #[error(transparent)]
    Mail(#[from] MailConfigError),
    /// Files cannot be stored.
    #[error(transparent)]
    Blobs(#[from] BlobBackendError),
    /// A provider of an age verification method cannot be used.
    #[error(transparent)]
    AgeProvider(#[from] ProviderSettingsError),
    /// The identity provider that people sign in to the console through cannot be used.
    #[error("console.oidc.{0}")]
    ConsoleProvider(InvalidSettingError),
    /// A source of document checks cannot be used.
    #[error(transparent)]
    IdentitySource(#[from] IdentitySourceSettingsError),
}

/// The services of one process; cheap to clone.
#[derive(Clone, Debug)]
pub struct Services {
    /// The clock, and random numbers.
    pub environment: Arc<dyn Environment>,
    pub db: Db,
    /// Seals what is stored in rows.
    pub vault: Vault,
    /// What is stored outside the database.
    pub blobs: BlobStore,
    /// Queues messages to applications' own servers.
    pub outbox: Outbox,
    pub mailer: Mailer,
    /// The models, behind their bounded pool.
    pub image_analyser: ImageAnalyser,
    /// Secure capture sessions.
    pub secure_capture: SecureCapture,
    /// Profiles, and the search by faces.
    pub faces: FaceIndexService,
    pub content_moderation: ContentModerationService,
    pub document_verification: DocumentVerificationService,
    /// What people decide in the console.
    pub cases: CaseService,
    pub age_verification: AgeVerificationService,
    /// Sessions of both kinds, as the console shows them.
    pub verification_sessions: VerificationSessions,
    /// Verifies proofs of age.
    pub proof_of_age: ProofOfAgeService,
    /// Issues proofs of age.
    pub proof_issuer: ProofIssuer,
    /// Invitations of members, and their sign-in by links.
    pub sign_in: SignInService,
    /// Who is signed in to the console, and all other ways to come in.
    pub console_access: ConsoleAccess,
    pub account_deletion: AccountDeletionService,
    /// Tests the services of others that the settings name.
    pub provider_tester: ProviderTester,
    /// How long what is known of people is kept.
    pub retention: RetentionSettings,
    /// Who did what.
    pub audit_trail: AuditTrail,
    audit_retention: SignedDuration,
    delivery_settings: DeliverySettings,
    worker_settings: worker::WorkerSettings,
}

impl Services {
    /// Builds all services. Nothing is called or loaded yet, and the database is not touched.
    #[expect(clippy::too_many_lines, reason = "wires a whole server, once")]
    pub async fn new(dependencies: ServiceDependencies) -> Result<Self, ServiceError> {
        let ServiceDependencies {
            environment,
            db,
            keyring,
            egress,
            blobs,
            face_index_folder,
            mail,
            mail_from,
            image_analyser,
            wire_format,
            settings,
        } = dependencies;
        let worker_settings = worker::WorkerSettings::new(&settings);
        let retention = settings.retention();
        let audit_trail = AuditTrail::new(&keyring, environment.clone());
        let db = db.with_recorder(Arc::new(audit_trail.clone()));
        let audit_retention = settings.audit_retention;
        let delivery_settings = DeliverySettings { lease: settings.lease, ..settings.delivery };

        let providers = configured_providers(
            &settings.age_verification.providers,
            &settings.document_verification,
            &settings.sign_in,
            &settings.proof_of_age,
        );
        let public_url = settings.sign_in.public_url.clone();
        let vault = Vault::new(&keyring);
        let fetcher = Fetcher::new(&egress).map_err(ServiceError::Egress)?;
        let outbox = Outbox::new(fetcher.clone(), vault.clone());
        let blobs = BlobStore::open(&blobs, keyring.derive("blobs"), environment.clone())?;
        let mailer = Mailer::new(environment.clone(), vault.clone(), mail, mail_from.as_deref())?;
        let content_loader = ContentLoader::start(fetcher.clone(), settings.video).await?;
        let secure_capture = SecureCapture::new(&keyring);

        let faces = FaceIndexService::new(
            db.clone(),
            environment.clone(),
            vault.clone(),
            blobs.clone(),
            image_analyser.clone(),
            FaceIndexStorage { folder: face_index_folder, key: keyring.derive("indexes of faces") },
            settings.faces,
            settings.limits,
        );
        let content_moderation = ContentModerationService::new(
            db.clone(),
            environment.clone(),
            vault.clone(),
            outbox.clone(),
            faces.clone(),
            content_loader,
            blobs.clone(),
            image_analyser.clone(),
            settings.content_moderation,
            settings.limits,
            wire_format.clone(),
        );
        let sources = IdentitySources::open(&settings.document_verification, &fetcher, &environment)?;
        let document_verification = DocumentVerificationService::new(
            db.clone(),
            environment.clone(),
            vault.clone(),
            outbox.clone(),
            blobs.clone(),
            image_analyser.clone(),
            settings.document_verification,
            settings.limits,
            wire_format.clone(),
            sources,
        );
        let proof_issuer =
            ProofIssuer::new(db.clone(), environment.clone(), vault.clone(), settings.proof_of_age.clone());
        let proof_of_age = ProofOfAgeService::new(
            db.clone(),
            environment.clone(),
            vault.clone(),
            outbox.clone(),
            fetcher.clone(),
            settings.proof_of_age,
            settings.limits,
            wire_format.clone(),
        );
        let age_verification = AgeVerificationService::new(
            AgeVerificationDependencies {
                db: db.clone(),
                environment: environment.clone(),
                vault: vault.clone(),
                counter_key: keyring.derive("subjects of usage counters"),
                outbox: outbox.clone(),
                estimator: image_analyser.clone(),
                secure_capture: secure_capture.clone(),
                identities: document_verification.clone(),
                issuer: proof_issuer.clone(),
                mail: mailer.clone(),
                fetcher: fetcher.clone(),
                limits: settings.limits,
                webhooks: wire_format,
            },
            settings.age_verification,
        )?;
        let subjects = ReviewedSubjects {
            moderation: content_moderation.clone(),
            documents: document_verification.clone(),
            ages: age_verification.clone(),
        };
        let cases = CaseService::new(
            db.clone(),
            environment.clone(),
            vault.clone(),
            settings.cases,
            Arc::new(subjects),
        );
        let verification_sessions = VerificationSessions {
            documents: document_verification.clone(),
            ages: age_verification.clone(),
            references: SessionReferences::new(vault.clone()),
        };
        let sign_in = SignInService::new(
            db.clone(),
            environment.clone(),
            vault.clone(),
            mailer.clone(),
            settings.sign_in,
        );
        let console_access = ConsoleAccess::new(&sign_in, &db, &environment, &vault, &fetcher)
            .map_err(ServiceError::ConsoleProvider)?;
        let provider_tester = ProviderTester::new(
            environment.clone(),
            fetcher.clone(),
            mailer.clone(),
            blobs.clone(),
            public_url,
            providers,
        );
        // Everything that is stored of accounts outside the database, so that it is deleted with them.
        let external = [
            Arc::new(blobs.clone()) as Arc<dyn ExternalAccountData>,
            Arc::new(faces.clone()),
            Arc::new(content_moderation.uploads().clone()),
        ];
        let account_deletion = AccountDeletionService::new(
            db.clone(),
            environment.clone(),
            ReceiptSigner::new(&keyring),
            domain::account_tables(),
            external,
        );
        Ok(Self {
            environment,
            db,
            vault,
            blobs,
            outbox,
            mailer,
            image_analyser,
            secure_capture,
            faces,
            content_moderation,
            document_verification,
            cases,
            age_verification,
            verification_sessions,
            proof_of_age,
            proof_issuer,
            sign_in,
            console_access,
            account_deletion,
            provider_tester,
            retention,
            audit_trail,
            audit_retention,
            delivery_settings,
            worker_settings,
        })
    }

    /// What sends the queued messages; one for each process that works.
    pub fn delivery_dispatcher(&self) -> DeliveryDispatcher {
        DeliveryDispatcher::new(
            self.db.clone(),
            self.environment.clone(),
            self.outbox.clone(),
            self.delivery_settings,
        )
    }
}
