//! `assay poa …`

use crate::{config::Config, out};
use anyhow::Context as _;
use base::{AppId, SignedDuration};
use clap::Subcommand;
use domain::proof_of_age;
use services::Services;
use std::path::{Path, PathBuf};

#[derive(Subcommand)]
pub(crate) enum PoaCommand {
    /// Issue a proof of age that can be scanned within 30 seconds: print the text of its QR code, or draw the code.
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
    /// Invite a holder: print the address of a page that shows a new code every 30 seconds. The page fetches the
    /// credentials of an hour at a time, and works offline for that hour.
    Invite {
        /// The application that vouches for the holder.
        #[arg(long)]
        app: AppId,
        /// An age that the holder has reached (repeatable).
        #[arg(long = "age-over", required = true)]
        age_over: Vec<u8>,
        /// How many times the page can fetch the credentials of an hour.
        #[arg(long, default_value_t = 720)]
        batches: u16,
        /// Days for which the invitation is valid.
        #[arg(long, default_value_t = 30)]
        days: u16,
    },
    /// Revoke an invitation: its page gets no further credentials.
    Revoke {
        /// The address that `invite` printed, or the part of it after the #.
        invitation: String,
    },
    /// Print the public keys that verify the proofs of this server, as a JWK set.
    Keys,
    /// List the issuers whose proofs this server accepts, as JSON. The exit code is 1 if a trust list cannot be used, or has
    /// expired.
    Trust,
    /// Set the providers whose proofs an application does not accept: ids or names in the trust list.
    Exclude {
        /// The application.
        #[arg(long)]
        app: AppId,
        /// The providers; with none, the application accepts all.
        providers: Vec<String>,
    },
}

impl PoaCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<()> {
        let Services { db, environment, proof_issuer: issuer, proof_of_age: verifier, .. } =
            config.open_services_for_tool(false).await?;
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
                        "{} characters, QR version {}, error correction {}; valid for 30 seconds",
                        text.len(),
                        code.version(),
                        code.error_correction()
                    ));
                }
            }
            Self::Invite { app, age_over, batches, days } => {
                let until = environment.now() + SignedDuration::from_hours(24 * i64::from(days));
                let mut tx = db.write().await?;
                let code = issuer.create_holder_grant(&mut tx, app, &age_over, batches, until).await?;
                tx.commit().await?;
                // After the #, because browsers do not send that part to any server.
                out::line(format_args!("{}/poa/holder/#{}", issuer.address(), code.expose()));
            }
            Self::Revoke { invitation } => {
                let code = invitation.rsplit_once('#').map_or(invitation.as_str(), |(_, code)| code);
                let mut tx = db.write().await?;
                let known = issuer.revoke_holder_grant(&mut tx, code).await?;
                tx.commit().await?;
                anyhow::ensure!(known, "there is no such invitation, or it has expired");
                out::line(format_args!(
                    "the invitation is revoked; credentials that it gave out expire within two hours"
                ));
            }
            Self::Keys => out::json(&issuer.key_set().await?)?,
            Self::Trust => {
                out::json(&verifier.trusted_issuers().await?)?;
                let (_, expires) = verifier.trust_list().await?;
                if let Some(expires) = expires.filter(|expires| *expires <= environment.now()) {
                    anyhow::bail!("a trust list (`exp`) expired at {expires}: nobody on it is trusted");
                }
            }
            Self::Exclude { app, providers } => {
                let mut tx = db.write().await?;
                proof_of_age::set_excluded_providers(&mut tx, app, &providers).await?;
                tx.commit().await?;
                let excluded = if providers.is_empty() { "nobody".to_owned() } else { providers.join(", ") };
                out::line(format_args!("application {app} accepts no proofs of: {excluded}"));
            }
        }
        Ok(())
    }
}

fn write(file: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    std::fs::write(file, bytes).with_context(|| format!("{} cannot be written", file.display()))
}
