//! `--dev`: a demo organisation and application in an empty data folder.

use crate::{config::Config, private_file, shell::quote_path};
use anyhow::Context as _;
use base::Environment;
use db::Db;
use domain::{
    keyring::create_private_file,
    tenancy::{
        Feature, api_keys,
        applications::{self, NewApplication},
        organisations,
        public_keys::{self, PrivateKeyFormat},
    },
};
use serde::{Deserialize, Serialize};
use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

/// The demo application's private key, in the data folder.
const PRIVATE_KEY_FILE_NAME: &str = "dev-private-key.pem";

/// The file `dev-credentials.json`: what a client needs to call this server.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct DevCredentials {
    pub(crate) base_url: String,
    pub(crate) organisation_id: base::OrgId,
    pub(crate) sdk_id: base::AppId,
    /// Relative to the folder of this file, so that the data folder can be moved. Older files have an absolute path.
    private_key_path: PathBuf,
    pub(crate) api_key: String,
    #[serde(skip)]
    pub(crate) file: PathBuf,
}

impl DevCredentials {
    pub(crate) fn read(file: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read(file).with_context(|| {
            format!("there is no credentials file at {}; `assay serve --dev` writes one, or name another with --credentials", file.display())
        })?;
        let mut credentials: Self = serde_json::from_slice(&text)
            .with_context(|| format!("{} is not a credentials file", file.display()))?;
        file.clone_into(&mut credentials.file);
        Ok(credentials)
    }

    /// Writes the file, or replaces it.
    fn write(&self) -> anyhow::Result<()> {
        private_file::replace(&self.file, &(serde_json::to_string_pretty(self)? + "\n"))
    }

    /// The file with the private key.
    pub(crate) fn private_key(&self) -> PathBuf {
        self.file.parent().unwrap_or_else(|| Path::new("")).join(&self.private_key_path)
    }

    /// A command to try this server with, for a shell in the present folder.
    pub(crate) fn example(&self) -> String {
        let data = self.file.parent().unwrap_or_else(|| Path::new("data"));
        format!(
            "{} call --data-dir {} /ai/v1/age --img {}",
            quote_path(&own_program()),
            quote_path(data),
            quote_path(&data.join("sample-face.jpg"))
        )
    }
}

/// This program, as it is called from the present folder: it need not be on the `PATH`.
pub(super) fn own_program() -> PathBuf {
    let program =
        std::env::current_exe().ok().and_then(|path| Some(path_from(&path, &std::env::current_dir().ok()?)));
    program.unwrap_or_else(|| "assay".into())
}

/// A program's path as a shell in `folder` finds it.
fn path_from(program: &Path, folder: &Path) -> PathBuf {
    let path = program.strip_prefix(folder).unwrap_or(program);
    // A name without a slash is looked for on the `PATH`.
    if path.components().count() == 1 { Path::new(".").join(path) } else { path.to_owned() }
}

/// The credentials of the demo tenant, which is created unless the data folder has a credentials file.
pub(crate) async fn prepare_demo_tenant(
    db: &Db,
    environment: &dyn Environment,
    config: &Config,
    public_url: &str,
) -> anyhow::Result<DevCredentials> {
    let folder = config.data_dir()?;
    let file = config.dev_credentials();
    if file.exists() {
        let mut credentials = DevCredentials::read(&file)?;
        if credentials.base_url != public_url {
            // The server was started on another port: only the address has changed.
            public_url.clone_into(&mut credentials.base_url);
            credentials.write()?;
        }
        return Ok(credentials);
    }
    let key_file = folder.join(PRIVATE_KEY_FILE_NAME);
    let (private, public) = public_keys::generate_rsa_key_pair(PrivateKeyFormat::Pkcs1);

    let mut tx = db.write().await?;
    let organisation_id = organisations::create(&mut tx, environment, "Demo organisation").await?;
    let new = NewApplication {
        name: "Demo application",
        organisation: Some(organisation_id),
        billing_source: Some("demo"),
        features: &Feature::ALL,
    };
    let sdk_id = applications::create(&mut tx, environment, &new).await?;
    public_keys::add(&mut tx, environment, sdk_id, public).await?;
    let (_, api_key) = api_keys::create(&mut tx, environment, sdk_id, "Demo key", &[]).await?;

    // A start that died before the commit below has left a key that no application has.
    if key_file.exists() {
        std::fs::remove_file(&key_file)?;
    }
    create_private_file(&key_file)
        .and_then(|mut out| out.write_all(private.expose().as_bytes()))
        .with_context(|| format!("{} cannot be written", key_file.display()))?;
    tx.commit().await?;
    let base_url = public_url.to_owned();
    let credentials = DevCredentials {
        base_url,
        organisation_id,
        sdk_id,
        private_key_path: PRIVATE_KEY_FILE_NAME.into(),
        api_key: api_key.expose().clone(),
        file,
    };
    credentials.write()?;
    Ok(credentials)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_called_by_a_path_that_no_shell_looks_for_elsewhere() {
        for (folder, called) in [
            ("/home/ada/assay", "target/light/assay"),
            ("/home/ada/assay/target/light", "./assay"),
            ("/srv", "/home/ada/assay/target/light/assay"),
        ] {
            let program = Path::new("/home/ada/assay/target/light/assay");
            assert_eq!(path_from(program, Path::new(folder)), Path::new(called));
        }
    }
}
