//! `assay keys …`

use crate::{config::Config, out};
use anyhow::Context as _;
use base::{Environment as _, SignedDuration, SystemEnvironment};
use clap::{Subcommand, ValueEnum};
use domain::{
    age_verification::WEBHOOK_KEY_OVERLAP,
    data_keys::{
        self,
        holders::list_holders,
        rotation::{MasterKeyRotation, RetirementProgress, RotationOutcome},
    },
    master_key::KeyAdoption,
    signing_keys,
};
use services::Services;
use std::{path::PathBuf, sync::Arc};

/// The keys of an installation that can be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum RotatedKey {
    /// The master key, which opens everything that is sealed.
    Master,
    /// The key that signs webhooks of age verification sessions.
    AgeWebhooks,
    /// The key that signs proofs of age.
    ProofOfAge,
    /// The keys that sign blind tokens.
    BlindTokens,
}

#[derive(Subcommand)]
pub(crate) enum KeysCommand {
    /// List the keys as JSON: ids, fingerprints, ages and states, and which processes have which master key. Never keys.
    #[command(visible_alias = "status")]
    List,
    /// Replace a key by a new one. The former one stays in use as long as something needs it.
    Rotate {
        /// The key.
        #[arg(value_enum, default_value = "master")]
        key: RotatedKey,
        /// For the master key: a file with the new key, 64 hexadecimal digits. Default: a new one is made.
        #[arg(long, value_name = "FILE", conflicts_with = "at_once")]
        new_key_file: Option<PathBuf>,
        /// For the master key: move it to the place that the section [secrets] of this configuration file names.
        #[arg(long, value_name = "FILE", conflicts_with = "at_once")]
        new_config: Option<PathBuf>,
        /// For keys that sign, if the former one leaked: what it signed counts no more from now on.
        #[arg(long)]
        at_once: bool,
    },
}

impl KeysCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        match self {
            Self::List => list(config).await,
            Self::Rotate { key: RotatedKey::Master, new_key_file, new_config, at_once } => {
                anyhow::ensure!(
                    !at_once,
                    "--at-once is for keys that sign; a former master key is retired when no process needs it"
                );
                rotate_master_key(config, new_key_file, new_config).await
            }
            Self::Rotate { key, new_key_file: None, new_config: None, at_once } => {
                rotate_signing_key(config, key, at_once).await
            }
            Self::Rotate { .. } => {
                anyhow::bail!(
                    "--new-key-file and --new-config are for the master key; other keys are always made here"
                )
            }
        }
    }
}

async fn list(config: &Config) -> anyhow::Result<()> {
    let db = super::open_database(config).await?;
    let mut view = db.read().await?;
    let master_keys = data_keys::list(&mut view).await?;
    let processes = list_holders(&mut view, &SystemEnvironment).await?;
    let signing_keys = signing_keys::list(&mut view, &SystemEnvironment).await?;
    let place = config.existing_master_key_provider()?.place();
    out::json(&serde_json::json!({
        "at": SystemEnvironment.now(),
        "place": place,
        "master_keys": master_keys,
        "processes": processes,
        "signing_keys": signing_keys,
    }))
}

async fn rotate_master_key(
    config: &Config,
    new_key_file: Option<PathBuf>,
    new_config: Option<PathBuf>,
) -> anyhow::Result<()> {
    let present = config.master_key_provider()?;
    let moved = match new_config {
        Some(file) => {
            let target = config.with_file(file.clone())?;
            let provider = target.master_key_provider();
            Some(provider.with_context(|| format!("[secrets] of {} cannot be used", file.display()))?)
        }
        None => None,
    };
    let db = config.open_database()?;
    db.migrate().await?;
    anyhow::ensure!(
        !data_keys::list(&mut db.read().await?).await?.is_empty(),
        "this database has no data key yet: start the server once, then rotate"
    );
    let rotation = MasterKeyRotation {
        db: &db,
        environment: Arc::new(SystemEnvironment),
        present: &*present,
        next: moved.as_deref().unwrap_or(&*present),
        new_key_file: new_key_file.as_deref(),
    };
    let outcome = rotation.run().await?;
    report(&outcome, moved.is_some().then(|| present.place()));
    Ok(())
}

/// Says what was done. `former_place` is where the former key stays, if the key has moved.
fn report(outcome: &RotationOutcome, former_place: Option<String>) {
    let RotationOutcome { former, current, resumed, adoption, progress, data_key_is_old_master_key } =
        outcome;
    let began =
        if *resumed { "the rotation goes on" } else { "the data key is wrapped under a new master key" };
    out::line(format_args!("{began}: {former} → {current}"));
    match adoption {
        KeyAdoption::InPlace(None) => out::line(format_args!("the new key is in its place")),
        KeyAdoption::InPlace(Some(kept)) => out::line(format_args!(
            "the new key is in its place; the former one is kept as {}, for backups from before: delete it with the last of them",
            kept.display()
        )),
        KeyAdoption::ByOperator(place) => out::line(format_args!(
            "now put the new key into {place}, on every node, and restart the processes one by one"
        )),
    }
    if let Some(place) = former_place {
        out::line(format_args!(
            "the former key stays in {place}, for backups from before; now start every process with the new [secrets], one by one"
        ));
    }
    match progress {
        RetirementProgress::Retired(key) => {
            out::line(format_args!(
                "master key {key} is retired: it opens nothing in this database any more"
            ));
        }
        RetirementProgress::Waiting { former, holders } => {
            out::line(format_args!(
                "master key {former} still opens the data until these have the new one; a job retires it then, and the log \
                 says so:"
            ));
            for holder in holders {
                out::line(format_args!("  {}", holder.name));
            }
            out::line(format_args!(
                "copy the new key to their nodes; `assay keys list` shows how far that is"
            ));
        }
        RetirementProgress::NothingToDo => {}
    }
    if *data_key_is_old_master_key {
        out::line(format_args!(
            "note: this database is older than data keys, and its data key is its first master key. Whoever has that key and \
             a copy of the database can read it, also after this rotation"
        ));
    }
}

async fn rotate_signing_key(config: &Config, key: RotatedKey, at_once: bool) -> anyhow::Result<()> {
    let Services { db, age_verification, proof_issuer, .. } = config.open_services_for_tool(false).await?;
    match key {
        RotatedKey::Master => {}
        RotatedKey::AgeWebhooks => {
            let overlap = if at_once { SignedDuration::ZERO } else { WEBHOOK_KEY_OVERLAP };
            let kid = age_verification.rotate_webhook_key(overlap).await?;
            out::line(format_args!("webhooks of age sessions are signed with key {kid}"));
            out::line(format_args!(
                "{}",
                if at_once {
                    "the former keys are deleted: receivers that still have them must read /api/v1/webhook-keys again"
                } else {
                    "the former key stays at /api/v1/webhook-keys for 31 days"
                }
            ));
        }
        RotatedKey::ProofOfAge => {
            let mut tx = db.write().await?;
            let kid = proof_issuer.rotate_signing_key(&mut tx, at_once).await?;
            tx.commit().await?;
            out::line(format_args!(
                "{}",
                if at_once {
                    format!(
                        "proofs are signed with key {kid}; those of the former keys are refused when every process has read it, within 30 seconds"
                    )
                } else {
                    format!(
                        "proofs are signed with key {kid} in 30 seconds, when every process has read it; the former key verifies for 3 hours"
                    )
                }
            ));
        }
        RotatedKey::BlindTokens => {
            let count = age_verification.rotate_blind_token_keys(at_once).await?;
            out::line(format_args!(
                "{count} keys are {}; new ones are made when the next token or key list is asked for",
                if at_once {
                    "deleted, and their tokens count no more"
                } else {
                    "replaced; they finish within 2 hours what was begun"
                }
            ));
        }
    }
    Ok(())
}
