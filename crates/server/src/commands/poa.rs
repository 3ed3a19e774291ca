//! `assay poa …`

use crate::{config::Config, out, services::Services};
use anyhow::Context as _;
use base::{AppId, SignedDuration};
use clap::Subcommand;
use domain::proof_of_age;
use std::path::{Path, PathBuf};

#[derive(Subcommand)]
pub(crate) enum PoaCommand {
    /// Issue a proof of age that can be scanned within the next 30 seconds: print the text of its QR code, or draw it.
    Issue {
        /// An age that the holder has reached (repeatable).
        #[arg(long = "age-over", required = true)]
        age_over: Vec<u8>,
        /// Draw the code into this PNG file.
        #[arg(long, value_name = "FILE")]
        png: Option<PathBuf>,
        /// Draw the code into this SVG file.
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
    },
    /// Invite a holder: print the address of a page that shows a fresh code each 30 seconds, for an hour at a time also
    /// offline. The address works once for each batch.
    Invite {
        /// The application that vouches for the holder.
        #[arg(long)]
        app: AppId,
        /// An age that the holder has reached (repeatable).
        #[arg(long = "age-over", required = true)]
        age_over: Vec<u8>,
        /// How often an hour's credentials can be fetched.
        #[arg(long, default_value_t = 720)]
        batches: u16,
        /// Days that the invitation is good for.
        #[arg(long, default_value_t = 30)]
        days: u16,
    },
    /// Take an invitation back: its page gets no further credentials.
    Revoke {
        /// The address that `invite` printed, or what stands in it after the #.
        invitation: String,
    },
    /// Print the public keys that verify what this server issues, a JWK set.
    Keys,
    /// Sign with a new key after 30 seconds; the one before it verifies until all that it signed has expired.
    RotateKey,
    /// List whose proofs this server believes, as JSON.
    Trust,
    /// Set the providers whose proofs an application does not take: ids or names of the trust list.
    Exclude {
        /// The application.
        #[arg(long)]
        app: AppId,
        /// The providers; none takes all.
        providers: Vec<String>,
    },
}

impl PoaCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let Services { db, world, issuer, proof_of_age: proofs, .. } =
            Services::open_for_tool(config).await?;
        db.migrate().await?;
        match self {
            Self::Issue { age_over, png, svg } => {
                let text = issuer.issue_code(&age_over).await?;
                let code = proof_of_age::qr_image::QrImage::new(&text)?;
                if let Some(file) = &png {
                    write(file, &code.png()?)?;
                }
                if let Some(file) = &svg {
                    write(file, code.svg().as_bytes())?;
                }
                if png.is_none() && svg.is_none() {
                    out::line(format_args!("{text}"));
                } else {
                    out::line(format_args!(
                        "{} characters, QR version {}, error correction {}; good for 30 seconds",
                        text.len(),
                        code.version(),
                        code.error_correction()
                    ));
                }
            }
            Self::Invite { app, age_over, batches, days } => {
                let until = world.now() + SignedDuration::from_hours(24 * i64::from(days));
                let mut tx = db.write().await?;
                let code = issuer.create_holder_grant(&mut tx, app, &age_over, batches, until).await?;
                tx.commit().await?;
                // Behind the #, which browsers send to nobody.
                out::line(format_args!("{}/poa/holder/#{}", issuer.address(), code.expose()));
            }
            Self::Revoke { invitation } => {
                let code = invitation.rsplit_once('#').map_or(invitation.as_str(), |(_, code)| code);
                let mut tx = db.write().await?;
                let known = issuer.revoke_holder_grant(&mut tx, code).await?;
                tx.commit().await?;
                anyhow::ensure!(known, "there is no such invitation, or it is over");
                out::line(format_args!(
                    "the invitation is taken back; what it gave expires within two hours"
                ));
            }
            Self::Keys => out::json(&issuer.key_set().await?)?,
            Self::RotateKey => {
                let mut tx = db.write().await?;
                let kid = issuer.rotate_signing_key(&mut tx).await?;
                tx.commit().await?;
                out::line(format_args!(
                    "proofs are signed with key {kid} in 30 seconds, when every process knows it"
                ));
            }
            Self::Trust => out::json(&proofs.trusted_issuers().await?)?,
            Self::Exclude { app, providers } => {
                let mut tx = db.write().await?;
                proof_of_age::set_excluded_providers(&mut tx, app, &providers).await?;
                tx.commit().await?;
                let said = if providers.is_empty() { "nobody".to_owned() } else { providers.join(", ") };
                out::line(format_args!("application {app} takes no proofs of: {said}"));
            }
        }
        Ok(())
    }
}

fn write(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    std::fs::write(file, bytes).with_context(|| format!("{} cannot be written", file.display()))
}
