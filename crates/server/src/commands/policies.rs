//! `assay policies …`

use crate::{config::Config, out};
use anyhow::Context as _;
use clap::Subcommand;
use domain::age_verification::policies::{
    AgePolicy, AgePolicyBook, AgePolicyOrigin, POLICY_SIGNATURE_SUFFIX, PolicyKey, sign_policy,
};
use std::{
    path::{Path, PathBuf},
    process::ExitCode,
};

#[derive(Subcommand)]
pub(crate) enum PoliciesCommand {
    /// List the policies that sessions can name, and the files that are not used.
    List,
    /// Print the file of a policy.
    Show {
        /// Its name, or name and version: gb, gb@1.
        name: String,
    },
    /// Check files and their signatures. The exit code is 1 if one cannot be used.
    Check {
        /// The files, NAME.toml, each with NAME.toml.jws beside it.
        #[arg(required = true)]
        files: Vec<PathBuf>,
        /// The public key that must have signed them (PEM); that of the settings unless given.
        #[arg(long, value_name = "FILE")]
        key: Option<PathBuf>,
    },
    /// Check a file and sign it: write NAME.toml.jws.
    Sign {
        /// The file, NAME.toml.
        file: PathBuf,
        /// The private key: on P-256, PKCS#8 in PEM.
        #[arg(long, value_name = "FILE")]
        key: PathBuf,
    },
}

impl PoliciesCommand {
    pub(crate) fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        match self {
            Self::List => list(&open(config)?),
            Self::Show { name } => {
                let book = open(config)?;
                out::line(format_args!("{}", book.find(&name)?.text.trim_end()));
            }
            Self::Check { files, key } => return check(config, &files, key.as_deref()),
            Self::Sign { file, key } => sign(&file, &key)?,
        }
        Ok(ExitCode::SUCCESS)
    }
}

fn open(config: &Config) -> anyhow::Result<AgePolicyBook> {
    AgePolicyBook::open(&config.ages.policies).context("ages.policies")
}

fn list(book: &AgePolicyBook) {
    for policy in book.policies() {
        let methods: Vec<String> = policy
            .methods
            .iter()
            .map(|accepted| {
                let threshold = accepted.terms.threshold.map(|age| format!(" {age}")).unwrap_or_default();
                format!("{}{threshold}", accepted.method.block_name())
            })
            .collect();
        out::line(format_args!("{:<12} {}", policy.reference(), policy.title));
        out::line(format_args!("{:<12} {} {}: {}", "", policy.origin, policy.kind, methods.join(", ")));
    }
    for (name, reason) in book.refused() {
        out::line(format_args!("{name:<12} not used: {reason}"));
    }
}

fn check(config: &Config, files: &[PathBuf], key: Option<&Path>) -> anyhow::Result<ExitCode> {
    let key = match key.or(config.ages.policies.key_file.as_deref()) {
        Some(file) => PolicyKey::open(file)?,
        None => PolicyKey::of_program(),
    };
    let mut all_good = true;
    for file in files {
        match AgePolicy::read_file(file, &key, AgePolicyOrigin::Operator) {
            Ok(policy) => out::line(format_args!("{}: {} is signed", file.display(), policy.reference())),
            Err(error) => {
                all_good = false;
                out::line(format_args!("{}: {error}", file.display()));
            }
        }
    }
    Ok(if all_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn sign(file: &Path, key: &Path) -> anyhow::Result<()> {
    let bytes = std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let policy = AgePolicy::parse(&bytes, AgePolicyOrigin::Operator)?;
    let name = file.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    anyhow::ensure!(policy.id == name, "its id is `{}`, the file's name is `{name}`", policy.id);
    let key = std::fs::read(key).with_context(|| format!("{} cannot be read", key.display()))?;
    let mut target = file.as_os_str().to_owned();
    target.push(POLICY_SIGNATURE_SUFFIX);
    let target = PathBuf::from(target);
    std::fs::write(&target, format!("{}\n", sign_policy(&bytes, &key)?))
        .with_context(|| format!("{} cannot be written", target.display()))?;
    out::line(format_args!("{}: {} is signed", target.display(), policy.reference()));
    Ok(())
}
