//! `assay key …`

use crate::{config::Config, out};
use anyhow::Context as _;
use base::{ApiKeyId, AppId, Id as _, PublicKeyId, SystemEnvironment};
use clap::{ArgGroup, Subcommand};
use domain::{
    keyring::create_private_file,
    tenancy::{
        api_keys,
        public_keys::{self, PrivateKeyFormat},
    },
};
use std::{io::Write as _, path::PathBuf};

#[derive(Subcommand)]
pub(crate) enum KeyCommand {
    /// Create an API key and print it; it cannot be shown again.
    #[command(group = ArgGroup::new("powers").required(true).args(["scopes", "administrator"]))]
    Create {
        /// The application.
        #[arg(long)]
        app: AppId,
        /// The key's name, 1 to 200 characters.
        #[arg(long, default_value = "default")]
        name: String,
        /// A scope (repeatable).
        #[arg(long = "scope")]
        scopes: Vec<String>,
        /// The key may do everything that the application may: it is an administrator of all its accounts.
        #[arg(long)]
        administrator: bool,
    },
    /// List an application's API keys and public keys as JSON.
    List {
        /// The application.
        #[arg(long)]
        app: AppId,
    },
    /// Replace an API key by a new one with the same name and scopes, and print it. The old one stops working at once.
    Rotate {
        /// The application.
        #[arg(long)]
        app: AppId,
        /// The API key's id.
        id: ApiKeyId,
    },
    /// Revoke an API key; it stops working at once.
    Revoke {
        /// The application.
        #[arg(long)]
        app: AppId,
        /// The API key's id.
        id: ApiKeyId,
    },
    /// Add a public key of the application: RSA, for requests and client assertions, or P-256, for client assertions alone.
    /// Existing keys stay valid. An application has at most 20 that are not revoked.
    AddPublic {
        /// The application.
        #[arg(long)]
        app: AppId,
        /// PEM or DER, `SubjectPublicKeyInfo` or PKCS#1; RSA of 2048 to 8192 bits.
        file: PathBuf,
    },
    /// Make an RSA key pair, add its public half, as `add-public` does, and write its private half to a file.
    Generate {
        /// The application.
        #[arg(long)]
        app: AppId,
        /// The file that the private key is written to (PEM, mode 0600); it must not exist.
        #[arg(long, default_value = "private-key.pem")]
        out: PathBuf,
        /// `pkcs1` (`BEGIN RSA PRIVATE KEY`, which every client library reads) or `pkcs8` (`BEGIN PRIVATE KEY`).
        #[arg(long, default_value = "pkcs1")]
        format: PrivateKeyFormat,
    },
    /// Revoke a public key; it stops working at once.
    RevokePublic {
        /// The application.
        #[arg(long)]
        app: AppId,
        /// The public key's id.
        id: PublicKeyId,
    },
}

impl KeyCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let db = super::open_database(config).await?;
        if let Self::List { app } = self {
            let mut view = db.read().await?;
            let api_keys = api_keys::list(&mut view, app).await?;
            let public_keys = public_keys::list(&mut view, app).await?;
            return out::json(&serde_json::json!({ "api_keys": api_keys, "public_keys": public_keys }));
        }
        let mut tx = db.write().await?;
        let message = match self {
            Self::List { .. } => String::new(),
            Self::Create { app, name, scopes, administrator: _ } => {
                let (id, key) = api_keys::create(&mut tx, &SystemEnvironment, app, &name, &scopes).await?;
                out::remark(format_args!("its id is {id}; the key cannot be shown again"));
                key.expose().to_owned()
            }
            Self::Rotate { app, id } => {
                let (id, key) = api_keys::rotate(&mut tx, &SystemEnvironment, app, id).await?;
                out::remark(format_args!("its id is {id}; the key cannot be shown again"));
                key.expose().to_owned()
            }
            Self::Revoke { app, id } => {
                api_keys::revoke(&mut tx, &SystemEnvironment, app, id).await?;
                format!("{} {id} is revoked", ApiKeyId::NOUN)
            }
            Self::AddPublic { app, file } => {
                let bytes =
                    std::fs::read(&file).with_context(|| format!("{} cannot be read", file.display()))?;
                let der = public_keys::decode_key_file(&bytes)
                    .with_context(|| format!("{} is refused", file.display()))?;
                public_keys::add(&mut tx, &SystemEnvironment, app, der).await?.to_string()
            }
            Self::Generate { app, out, format } => {
                let (private, public) = public_keys::generate_rsa_key_pair(format);
                let id = public_keys::add(&mut tx, &SystemEnvironment, app, public).await?;
                create_private_file(&out)
                    .and_then(|mut file| file.write_all(private.expose().as_bytes()))
                    .with_context(|| format!("{} cannot be written", out.display()))?;
                out::remark(format_args!("the private key is in {}", out.display()));
                id.to_string()
            }
            Self::RevokePublic { app, id } => {
                public_keys::revoke(&mut tx, &SystemEnvironment, app, id).await?;
                format!("public key {id} is revoked")
            }
        };
        tx.commit().await?;
        out::line(format_args!("{message}"));
        Ok(())
    }
}
