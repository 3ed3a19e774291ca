//! `assay audit …`

use crate::{config::Config, out};
use anyhow::Context as _;
use base::{AccountId, AppId, Timestamp};
use clap::Subcommand;
use domain::{
    audit_trail::{AuditFilter, ChainEnd, ExportedRecord},
    erasure_replay::{ErasureReplay, ReplayOutcome},
    keyring::create_private_file,
};
use services::Services;
use std::{
    fs::File,
    io::{BufRead as _, BufReader, BufWriter, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

#[derive(Subcommand)]
pub(crate) enum AuditCommand {
    /// Print records of the audit trail, oldest first, as JSON lines with the hash of each.
    Export {
        /// Made at this moment or later (RFC 3339).
        #[arg(long, value_parser = super::parse_moment)]
        from: Option<Timestamp>,
        /// Made before this moment (RFC 3339).
        #[arg(long, value_parser = super::parse_moment)]
        to: Option<Timestamp>,
        /// Done by this actor, such as `member:ID`, or by any of a kind: operator, api-key, member, application, cases,
        /// system.
        #[arg(long)]
        actor: Option<String>,
        /// Of this kind, such as `api-key.create`, or anything done to a thing, such as `api-key`.
        #[arg(long)]
        kind: Option<String>,
        /// About this application.
        #[arg(long)]
        app: Option<AppId>,
        /// About this moderation account.
        #[arg(long)]
        account: Option<AccountId>,
        /// About the thing of this id.
        #[arg(long)]
        target: Option<String>,
    },
    /// Print the end of the audit trail, as JSON. Kept elsewhere, it shows later whether records were cut off.
    End,
    /// Verify that no record of the audit trail was changed, removed, moved or cut off. The exit code is 1 if one was.
    Verify {
        /// A file with an end that `assay audit end` printed earlier: it must still be in the trail.
        #[arg(long, value_name = "FILE")]
        kept_end: Option<PathBuf>,
        /// An end from the log (`audit record written`), `audit.seq` and `audit.hash` with a colon between: it must still be
        /// in the trail.
        #[arg(long, value_name = "SEQ:HASH", value_parser = parse_chain_end, conflicts_with = "kept_end")]
        expect: Option<ChainEnd>,
    },
    /// Begin a new audit trail in the place of one that does not verify. Its records are moved to a file, and the first record
    /// of the new trail says so: how many, the SHA-256 of that file, and what was wrong. Stop all servers first.
    Begin {
        /// Where the records go, as `assay audit export` prints them; the file must not exist.
        #[arg(long, value_name = "FILE")]
        former: PathBuf,
    },
    /// After a backup was restored: delete again what was deleted since it was made. Every deletion is in an export of the
    /// audit trail that was kept elsewhere. The exit code is 1 if something could not be deleted, or if the export has nothing
    /// that was recorded after the backup.
    ReplayErasures {
        /// What `assay audit export` printed.
        file: PathBuf,
    },
    /// Look for data of deleted accounts: rows, jobs, messages, files. The exit code is 1 if any is found.
    Orphans {
        /// Print JSON instead of text.
        #[arg(long)]
        json: bool,
    },
}

impl AuditCommand {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        let kept = match self {
            Self::Orphans { json } => return find_orphans(config, json).await,
            Self::ReplayErasures { file } => return replay_erasures(config, &file).await,
            Self::Export { from, to, actor, kind, app, account, target } => {
                let filter = AuditFilter { from, to, actor, kind, app, account, target };
                return export(config, &filter).await;
            }
            Self::End => return print_end(config).await,
            Self::Begin { former } => return begin(config, &former).await,
            Self::Verify { kept_end: Some(file), .. } => Some(read_chain_end(&file)?),
            Self::Verify { kept_end: None, expect } => expect,
        };
        let (db, trail) = config.open_audited_database().await?;
        let mut view = db.read_snapshot().await?;
        let count = trail.verify(&mut view, kept.as_ref()).await?;
        let ChainEnd { seq, hash } = trail.chain_end(&mut view).await?;
        out::line(format_args!("{count} records, none changed, removed or moved; the end is {seq}:{hash}"));
        Ok(ExitCode::SUCCESS)
    }
}

/// An end as `SEQ:HASH`.
fn parse_chain_end(text: &str) -> Result<ChainEnd, String> {
    let parsed = text.split_once(':').and_then(|(seq, hash)| {
        let is_hash = hash.len() == 64 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
        Some(ChainEnd { seq: seq.parse().ok()?, hash: is_hash.then(|| hash.to_ascii_lowercase())? })
    });
    parsed.ok_or_else(|| "it is not a number, a colon and 64 hexadecimal digits".to_owned())
}

fn read_chain_end(file: &Path) -> anyhow::Result<ChainEnd> {
    let text = std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let end = serde_json::from_slice(&text);
    end.with_context(|| format!("{} is not the end of an audit trail", file.display()))
}

async fn begin(config: &Config, file: &Path) -> anyhow::Result<ExitCode> {
    let (db, trail) = config.open_audited_database().await?;
    let mut tx = db.write().await?;
    let kept = create_private_file(file).with_context(|| format!("{} cannot be made", file.display()))?;
    let mut kept = BufWriter::new(kept);
    let former = match trail.begin_anew(&mut tx, |line| kept.write_all(line.as_bytes())).await {
        Ok(former) => former,
        Err(error) => {
            // The records are where they were.
            let _left = std::fs::remove_file(file);
            return Err(error.into());
        }
    };
    let saved = kept.flush().and_then(|()| kept.get_ref().sync_all());
    saved.with_context(|| format!("{} cannot be written", file.display()))?;
    tx.commit().await?;
    out::line(format_args!("a new trail begins. What was wrong with the one before: {}", former.problem));
    out::line(format_args!(
        "its {} records are in {} (SHA-256 {})",
        former.records,
        file.display(),
        former.sha256
    ));
    out::remark(format_args!(
        "ends that were kept or logged before do not fit it: keep a new one (`assay audit end`)"
    ));
    Ok(ExitCode::SUCCESS)
}

async fn print_end(config: &Config) -> anyhow::Result<ExitCode> {
    let (db, trail) = config.open_audited_database().await?;
    out::json(&trail.chain_end(&mut db.read().await?).await?)?;
    Ok(ExitCode::SUCCESS)
}

async fn export(config: &Config, filter: &AuditFilter) -> anyhow::Result<ExitCode> {
    let (db, trail) = config.open_audited_database().await?;
    let print = |record: &ExportedRecord| out::line(format_args!("{}", record.json_line()));
    trail.export(&mut db.read().await?, filter, print).await?;
    Ok(ExitCode::SUCCESS)
}

async fn replay_erasures(config: &Config, file: &Path) -> anyhow::Result<ExitCode> {
    let lines = File::open(file).with_context(|| format!("{} cannot be read", file.display()))?;
    let services = config.open_services_for_tool(false).await?;
    let replay = ErasureReplay {
        db: services.db,
        faces: services.faces,
        content_moderation: services.content_moderation,
        document_verification: services.document_verification,
        account_deletion: services.account_deletion,
        environment: services.environment,
    };
    let (mut deleted, mut gone, mut failed) = (0_u64, 0_u64, 0_u64);
    let mut newest: Option<ChainEnd> = None;
    for (number, line) in BufReader::new(lines).lines().enumerate() {
        let line = line.with_context(|| format!("{} cannot be read", file.display()))?;
        if line.trim().is_empty() {
            continue;
        }
        match replay.apply(&line).await {
            Ok(ReplayOutcome::Deleted) => deleted += 1,
            Ok(ReplayOutcome::Gone) => gone += 1,
            Ok(ReplayOutcome::OtherRecord) => {}
            Err(error) => {
                failed += 1;
                out::line(format_args!("line {}: {error}", number + 1));
            }
        }
        newest = newest.into_iter().chain(ChainEnd::of_exported_line(&line)).max_by_key(|record| record.seq);
    }
    out::line(format_args!("{deleted} deleted again, {gone} were not there, {failed} failed"));
    // Neither an export that failed and left an empty file, nor one of the restored database, may pass for the one that is
    // needed: who was deleted since the backup would stay. An export that ends where the backup does looks the same as the
    // latter, so it is refused as well, although nothing may be missing.
    let newest = newest.with_context(|| format!("{} has no record of an audit trail", file.display()))?;
    let is_restored = newest.is_recorded(&mut replay.db.read().await?).await?;
    anyhow::ensure!(
        !is_restored,
        "{} has nothing that was recorded after the backup: its last record, {}, is in the restored trail. Use an export that was \
         made later, from the database before the restore; if nothing was recorded after the backup, nothing is to be deleted",
        file.display(),
        newest.seq
    );
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn find_orphans(config: &Config, json: bool) -> anyhow::Result<ExitCode> {
    let Services { account_deletion, .. } = config.open_services_for_tool(false).await?;
    let found = account_deletion.find_orphans().await?;
    if json {
        out::json(&found)?;
    } else if found.is_empty() {
        out::line(format_args!("nothing is left of any deleted account"));
    } else {
        for orphan in &found {
            let count = orphan.number.map(|number| format!("{number} of ")).unwrap_or_default();
            out::line(format_args!("{:<22} {count}{}", orphan.place, orphan.owner));
        }
    }
    Ok(if found.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
