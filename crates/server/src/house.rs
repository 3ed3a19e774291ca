//! What the server, its workers and its tools are built of, wired once.

use crate::config::Config;
use anyhow::Context as _;
use base::{SignedDuration, SystemWorld, World};
use db::Db;
use domain::{
    delivery::{self, Outbox},
    proof::{Proofs, issuer::Issuer},
    vault::Vault,
};
use media::fetch::Fetcher;
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
    pub(crate) sender: delivery::Settings,
    pub(crate) keep_deliveries: SignedDuration,
}

impl House {
    /// Wires a server that is reached at `public_url`. With `dev` this machine may be called too.
    pub(crate) fn open(config: &Config, public_url: &str, dev: bool) -> anyhow::Result<Self> {
        let world: Arc<dyn World> = Arc::new(SystemWorld);
        let db = config.open_database()?;
        let vault = Vault::new(&config.keyring()?);
        let policy = config.egress.clone();
        let policy = if dev { policy.with_this_machine() } else { policy };
        let fetcher = Fetcher::new(&policy).context("egress: the settings cannot be used")?;
        let outbox = Outbox::new(fetcher.clone(), vault.clone());
        let rules = config.proof(public_url)?;
        let issuer = Issuer::new(db.clone(), world.clone(), vault.clone(), rules.clone());
        let proofs = Proofs::new(db.clone(), world.clone(), vault.clone(), outbox.clone(), fetcher, rules);
        let keep_deliveries = SignedDuration::from_hours(24 * i64::from(config.delivery.keep_days));
        Ok(Self { world, db, vault, outbox, proofs, issuer, sender: config.sender(), keep_deliveries })
    }

    /// The same for a tool, which knows where the server is only from the settings, or from what `--dev` wrote.
    pub(crate) fn of_tool(config: &Config) -> anyhow::Result<Self> {
        Self::open(config, &config.public_url(), false)
    }
}
