//! `--dev`: a demo organisation and application in an empty data folder.

use crate::config::Config;
use anyhow::Context as _;
use base::World;
use db::Db;
use domain::{
    keyring::private_file,
    tenancy::{
        Feature, api_keys,
        applications::{self, NewApplication},
        organisations, public_keys,
    },
};
use serde::{Deserialize, Serialize};
use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

/// `dev-credentials.json`: what a client needs to call this server.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Credentials {
    pub(crate) base_url: String,
    pub(crate) organisation_id: base::OrgId,
    pub(crate) sdk_id: base::AppId,
    pub(crate) private_key_path: PathBuf,
    pub(crate) api_key: String,
    #[serde(skip)]
    pub(crate) file: PathBuf,
}

impl Credentials {
    /// The file's name in the data folder.
    pub(crate) const FILE: &'static str = "dev-credentials.json";

    /// Reads a credentials file.
    pub(crate) fn read(file: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read(file).with_context(|| {
            format!("no credentials at {}; `assay serve --dev` writes them, or name others", file.display())
        })?;
        let mut read: Self = serde_json::from_slice(&text)
            .with_context(|| format!("{} is not as expected", file.display()))?;
        file.clone_into(&mut read.file);
        Ok(read)
    }

    /// A command that gets an answer out of this server.
    pub(crate) fn example(&self) -> String {
        let binary = std::env::current_exe().ok().and_then(|path| {
            let here = std::env::current_dir().ok()?;
            Some(path.strip_prefix(here).map_or(path.clone(), Path::to_owned))
        });
        let binary = binary.unwrap_or_else(|| "assay".into());
        let data = self.file.parent().unwrap_or_else(|| Path::new("data"));
        format!(
            "{} call --data-dir {} /ai/v1/age --img {}",
            binary.display(),
            data.display(),
            data.join("sample-face.jpg").display()
        )
    }
}

/// The demo tenant's credentials, made at the first start in an empty folder.
pub(crate) async fn prepare(
    db: &Db,
    world: &dyn World,
    config: &Config,
    public_url: &str,
) -> anyhow::Result<Credentials> {
    let folder = config.data_dir()?;
    let file = folder.join(Credentials::FILE);
    if file.exists() {
        let mut known = Credentials::read(&file)?;
        if known.base_url != public_url {
            // Started on another port: the credentials are the same, the address is not.
            public_url.clone_into(&mut known.base_url);
            replace(&file, &known)?;
        }
        return Ok(known);
    }
    let private_key_path = folder.join("dev-private-key.pem");
    let (private, public) = public_keys::generate();

    let mut tx = db.write().await?;
    let organisation_id = organisations::create(&mut tx, world, "Demo organisation").await?;
    let new = NewApplication {
        name: "Demo application",
        organisation: Some(organisation_id),
        billing_source: Some("demo"),
        features: &Feature::ALL,
    };
    let sdk_id = applications::create(&mut tx, world, &new).await?;
    public_keys::add(&mut tx, world, sdk_id, public).await?;
    let (_, api_key) = api_keys::create(&mut tx, world, sdk_id, "Demo key", &[]).await?;

    // A start that died between file and commit left a key that nobody knows.
    if private_key_path.exists() {
        std::fs::remove_file(&private_key_path)?;
    }
    private_file(&private_key_path)
        .and_then(|mut out| out.write_all(private.expose().as_bytes()))
        .with_context(|| format!("{} cannot be written", private_key_path.display()))?;
    let private_key_path = private_key_path.canonicalize()?;
    tx.commit().await?;
    let base_url = public_url.to_owned();
    let made = Credentials {
        base_url,
        organisation_id,
        sdk_id,
        private_key_path,
        api_key: api_key.expose().clone(),
        file,
    };
    replace(&made.file, &made)?;
    Ok(made)
}

fn replace(file: &Path, credentials: &Credentials) -> anyhow::Result<()> {
    let fresh = file.with_extension("json.new");
    if fresh.exists() {
        std::fs::remove_file(&fresh)?;
    }
    let mut out = private_file(&fresh).with_context(|| format!("{} cannot be written", fresh.display()))?;
    out.write_all(serde_json::to_string_pretty(credentials)?.as_bytes())?;
    out.write_all(b"\n")?;
    out.sync_all()?;
    std::fs::rename(&fresh, file)?;
    Ok(())
}
