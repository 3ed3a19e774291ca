//! What the server, its workers and its tools are built of, wired once.

use crate::config::Config;
use anyhow::Context as _;
use base::{SignedDuration, SystemWorld, World};
use db::Db;
use domain::{
    accounts::{
        Receipts,
        closing::{Closing, Outside},
        doors::Doors,
    },
    ages::{Ages, Parts},
    delivery::{self, Outbox},
    estimate::Estimator,
    faces::Faces,
    identity::Identities,
    mail::Mail,
    moderation::Moderations,
    proof::{Proofs, issuer::Issuer},
    secure_capture::SecureCapture,
    vault::Vault,
};
use media::{blobs::Blobs, fetch::Fetcher, video::Videos};
use std::sync::Arc;

/// The parts that more than one command needs; cheap to clone.
#[derive(Clone)]
pub(crate) struct House {
    pub(crate) world: Arc<dyn World>,
    pub(crate) db: Db,
    pub(crate) vault: Vault,
    pub(crate) outbox: Outbox,
    pub(crate) proofs: Proofs,
    pub(crate) issuer: Issuer,
    pub(crate) mail: Mail,
    pub(crate) doors: Doors,
    pub(crate) blobs: Blobs,
    pub(crate) estimator: Estimator,
    pub(crate) faces: Faces,
    pub(crate) moderations: Moderations,
    pub(crate) identities: Identities,
    pub(crate) ages: Ages,
    pub(crate) secure_capture: SecureCapture,
    pub(crate) closing: Closing,
    pub(crate) sender: delivery::Settings,
    pub(crate) moderations_at_once: (usize, usize),
    pub(crate) keep_deliveries: SignedDuration,
}

impl House {
    /// Wires a server that is reached at `public_url`. With `dev` this machine may be called too.
    pub(crate) async fn open(config: &Config, public_url: &str, dev: bool) -> anyhow::Result<Self> {
        let world: Arc<dyn World> = Arc::new(SystemWorld);
        let db = config.open_database()?;
        let keyring = config.keyring()?;
        let vault = Vault::new(&keyring);
        let policy = config.egress.clone();
        let policy = if dev { policy.with_this_machine() } else { policy };
        let fetcher = Fetcher::new(&policy).context("egress: the settings cannot be used")?;
        let outbox = Outbox::new(fetcher.clone(), vault.clone());
        let rules = config.proof(public_url)?;
        let issuer = Issuer::new(db.clone(), world.clone(), vault.clone(), rules.clone());
        let videos = Videos::start(fetcher.clone(), config.video.clone()).await?;
        let proofs = Proofs::new(
            db.clone(),
            world.clone(),
            vault.clone(),
            outbox.clone(),
            fetcher.clone(),
            rules,
            Arc::new(api::Webhooks),
        );
        let mail =
            Mail::new(world.clone(), vault.clone(), config.carrier(dev)?, config.mail.from.as_deref())?;
        let doors =
            Doors::new(db.clone(), world.clone(), vault.clone(), mail.clone(), config.doors(public_url));
        let blobs = config.blobs(&keyring, world.clone())?;
        let estimator = Estimator::new(config.rules());
        let faces = Faces::new(
            db.clone(),
            world.clone(),
            vault.clone(),
            blobs.clone(),
            estimator.clone(),
            config.faces(&keyring),
        );
        let moderations = Moderations::new(
            db.clone(),
            world.clone(),
            vault.clone(),
            outbox.clone(),
            faces.clone(),
            videos,
            estimator.clone(),
            config.moderation(public_url),
            Arc::new(api::Webhooks),
        );
        let identities = Identities::new(
            db.clone(),
            world.clone(),
            vault.clone(),
            outbox.clone(),
            blobs.clone(),
            estimator.clone(),
            config.identity(public_url),
            Arc::new(api::Webhooks),
        );
        let secure_capture = SecureCapture::new(&keyring);
        let parts = Parts {
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
            webhooks: Arc::new(api::Webhooks),
        };
        let ages = Ages::new(parts, config.ages(public_url))?;
        // What of accounts lies outside the database: each kind stands here, so that it goes with its account.
        let outside = [Arc::new(blobs.clone()) as Arc<dyn Outside>, Arc::new(faces.clone())];
        let closing = Closing::new(db.clone(), world.clone(), Receipts::new(&keyring), outside);
        let keep_deliveries = SignedDuration::from_hours(24 * i64::from(config.delivery.keep_days));
        let sender = config.sender();
        Ok(Self {
            world,
            db,
            vault,
            outbox,
            proofs,
            issuer,
            mail,
            doors,
            blobs,
            estimator,
            faces,
            moderations,
            identities,
            ages,
            secure_capture,
            closing,
            sender,
            moderations_at_once: config.moderations_at_once(),
            keep_deliveries,
        })
    }

    /// The same for a tool, which knows where the server is only from the settings, or from what `--dev` wrote.
    pub(crate) async fn of_tool(config: &Config) -> anyhow::Result<Self> {
        Self::open(config, &config.public_url(), false).await
    }
}
