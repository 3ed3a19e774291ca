//! What the server, its workers and its tools are built of, wired once.

use crate::config::Config;
use anyhow::Context as _;
use base::{Environment, SignedDuration, SystemEnvironment};
use db::Db;
use domain::{
    accounts::{
        ReceiptSigner,
        deletion::{AccountDeletionService, ExternalAccountData},
        sign_in::SignInService,
    },
    age_verification::{AgeVerificationDependencies, AgeVerificationService},
    content_moderation::ContentModerationService,
    delivery::{self, Outbox},
    document_verification::DocumentVerificationService,
    faces::FaceIndexService,
    image_analysis::ImageAnalyser,
    mail::Mailer,
    proof_of_age::{ProofOfAgeService, issuer::ProofIssuer},
    secure_capture::SecureCapture,
    vault::Vault,
};
use media::{blobs::BlobStore, fetch::Fetcher, video::ContentLoader};
use std::sync::Arc;

/// The parts that more than one command needs; cheap to clone.
#[derive(Clone)]
pub(crate) struct Services {
    pub(crate) world: Arc<dyn Environment>,
    pub(crate) db: Db,
    pub(crate) vault: Vault,
    pub(crate) outbox: Outbox,
    pub(crate) proof_of_age: ProofOfAgeService,
    pub(crate) issuer: ProofIssuer,
    pub(crate) mail: Mailer,
    pub(crate) sign_in: SignInService,
    pub(crate) blobs: BlobStore,
    pub(crate) image_analyser: ImageAnalyser,
    pub(crate) face_index: FaceIndexService,
    pub(crate) content_moderation: ContentModerationService,
    pub(crate) document_verification: DocumentVerificationService,
    pub(crate) age_verification: AgeVerificationService,
    pub(crate) secure_capture: SecureCapture,
    pub(crate) account_deletion: AccountDeletionService,
    pub(crate) delivery_settings: delivery::DeliverySettings,
    pub(crate) moderations_at_once: (usize, usize),
    pub(crate) delivery_retention: SignedDuration,
}

impl Services {
    /// Wires a server that is reached at `public_url`. With `dev` this machine may be called too.
    pub(crate) async fn open(config: &Config, public_url: &str, dev: bool) -> anyhow::Result<Self> {
        let world: Arc<dyn Environment> = Arc::new(SystemEnvironment);
        let db = config.open_database()?;
        let keyring = config.keyring()?;
        let vault = Vault::new(&keyring);
        let fetcher = open_fetcher(config, dev)?;
        let outbox = Outbox::new(fetcher.clone(), vault.clone());
        let rules = config.proof_of_age_settings(public_url)?;
        let issuer = ProofIssuer::new(db.clone(), world.clone(), vault.clone(), rules.clone());
        let videos = ContentLoader::start(fetcher.clone(), config.video.clone()).await?;
        let proofs = ProofOfAgeService::new(
            db.clone(),
            world.clone(),
            vault.clone(),
            outbox.clone(),
            fetcher.clone(),
            rules,
            Arc::new(api::WebhookFormatter),
        );
        let transport = config.mail_transport(dev)?;
        let mail = Mailer::new(world.clone(), vault.clone(), transport, config.mail.from.as_deref())?;
        let rules = config.sign_in_rules(public_url);
        let doors = SignInService::new(db.clone(), world.clone(), vault.clone(), mail.clone(), rules);
        let blobs = config.blobs(&keyring, world.clone())?;
        let estimator = ImageAnalyser::new(config.image_analysis_rules());
        let faces = FaceIndexService::new(
            db.clone(),
            world.clone(),
            vault.clone(),
            blobs.clone(),
            estimator.clone(),
            config.face_index_settings(&keyring),
        );
        let moderations = ContentModerationService::new(
            db.clone(),
            world.clone(),
            vault.clone(),
            outbox.clone(),
            faces.clone(),
            videos,
            estimator.clone(),
            config.content_moderation_settings(public_url),
            Arc::new(api::WebhookFormatter),
        );
        let identities = DocumentVerificationService::new(
            db.clone(),
            world.clone(),
            vault.clone(),
            outbox.clone(),
            blobs.clone(),
            estimator.clone(),
            config.document_verification_settings(public_url),
            Arc::new(api::WebhookFormatter),
        );
        let secure_capture = SecureCapture::new(&keyring);
        let parts = AgeVerificationDependencies {
            db: db.clone(),
            world: world.clone(),
            vault: vault.clone(),
            outbox: outbox.clone(),
            estimator: estimator.clone(),
            secure_capture: secure_capture.clone(),
            identities: identities.clone(),
            issuer: issuer.clone(),
            mail: mail.clone(),
            fetcher,
            webhooks: Arc::new(api::WebhookFormatter),
        };
        let ages = AgeVerificationService::new(parts, config.age_verification_settings(public_url))?;
        // What of accounts lies outside the database: each kind stands here, so that it goes with its account.
        let outside = [Arc::new(blobs.clone()) as Arc<dyn ExternalAccountData>, Arc::new(faces.clone())];
        let (receipts, tables) = (ReceiptSigner::new(&keyring), domain::account_tables());
        let closing = AccountDeletionService::new(db.clone(), world.clone(), receipts, tables, outside);
        let keep_deliveries = SignedDuration::from_hours(24 * i64::from(config.delivery.keep_days));
        let sender = config.delivery_settings();
        Ok(Self {
            world,
            db,
            vault,
            outbox,
            proof_of_age: proofs,
            issuer,
            mail,
            sign_in: doors,
            blobs,
            image_analyser: estimator,
            face_index: faces,
            content_moderation: moderations,
            document_verification: identities,
            age_verification: ages,
            secure_capture,
            account_deletion: closing,
            delivery_settings: sender,
            moderations_at_once: config.moderations_at_once(),
            delivery_retention: keep_deliveries,
        })
    }

    /// The same for a tool, which knows where the server is only from the settings, or from what `--dev` wrote.
    pub(crate) async fn open_for_tool(config: &Config) -> anyhow::Result<Self> {
        Self::open(config, &config.public_url(), false).await
    }
}

/// The one way out; with `dev` also to this machine.
fn open_fetcher(config: &Config, dev: bool) -> anyhow::Result<Fetcher> {
    let policy = config.egress.clone();
    let policy = if dev { policy.with_loopback() } else { policy };
    Fetcher::new(&policy).context("egress: the settings cannot be used")
}
