//! `assay doctor`: what is wrong with the installation, and how to fix it.

use super::practice_statement::retention_table;
use crate::{config::Config, out, startup::MAX_CLOCK_OFFSET, telemetry};
use anyhow::Context as _;
use api::GeoLocator;
use credentials::trust::TrustList;
use db::{Db, Engine, SchemaStatus};
use domain::{
    data_keys::{self, DataKeyError, DataKeyState},
    mail::MailTransport,
};
use media::sandbox::MissingPart;
use rustix::fs::Access;
use std::{
    error::Error,
    net::TcpListener,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, ExitCode, Stdio},
    time::Duration,
};

/// Check models, database, disk, clock and ffmpeg, and say how to fix what is wrong. The exit code is 1 if anything is. It
/// leaves neither folder, database nor key behind.
#[derive(clap::Args)]
pub(crate) struct DoctorArgs {
    /// First print the settings in force as JSON, without secrets.
    #[arg(long)]
    settings: bool,
    /// First print what is known of people, where it is, how long it is kept, and by which setting.
    #[arg(long)]
    retention: bool,
}

enum Diagnosis {
    Good(String),
    Note(String),
    Bad { what: String, fix: String },
}

/// What helps where not even the folder can be looked into.
const READABLE_FOLDER: &str =
    "name the right path, let the server's user into its folders, and run `assay doctor` as that user";

impl Diagnosis {
    /// Whether what is bad is said in this error as well.
    fn is_part_of(&self, error: &str) -> bool {
        matches!(self, Self::Bad { what, .. } if error.contains(what.as_str()))
    }
}

impl DoctorArgs {
    pub(crate) async fn run(self, config: &Config) -> anyhow::Result<ExitCode> {
        if self.settings {
            out::json(config)?;
        }
        if self.retention {
            out::line(format_args!("{}", retention_table(&config.retention()?)));
        }
        let mut checks = vec![("data folder", folder(config))];
        if config.data_dir.is_dir() {
            checks.push(("disk", disk(config)));
        }
        checks.extend(database_file(config).map(|diagnosis| ("database", diagnosis)));
        checks.extend(database(config).await.into_iter().map(|diagnosis| ("database", diagnosis)));
        checks.extend(models(config).into_iter().map(|diagnosis| ("models", diagnosis)));
        checks.push(("master key", key(config).await));
        checks.push(("egress", egress(config)));
        checks.extend(address(config).into_iter().map(|diagnosis| ("address", diagnosis)));
        checks.extend(trust_lists(config).into_iter().map(|diagnosis| ("trust list", diagnosis)));
        checks.push(("mail", mail(config)));
        checks.push(("clock", clock()));
        for (setting, path) in
            [("video.ffmpeg", &config.video.ffmpeg), ("video.ffprobe", &config.video.ffprobe)]
        {
            let fix = format!(
                "install it (Debian: apt-get install ffmpeg), or correct {setting}; video needs it, JPEG and PNG do not"
            );
            checks.push(("ffmpeg", program(path, "-version", fix)));
        }
        let fix = "install it (Debian: apt-get install poppler-utils); PDF files need it";
        checks.push(("poppler", program(Path::new("pdftotext"), "-v", fix)));

        checks.extend(children(config).await.into_iter().map(|diagnosis| ("children", diagnosis)));
        let unusable = unusable_settings(config).await;
        if unusable.is_empty() {
            checks.push(("settings", Diagnosis::Good("a server starts with them".to_owned())));
        }
        for error in unusable {
            if !checks.iter().any(|(_, said)| said.is_part_of(&error)) {
                checks.push((
                    "settings",
                    bad(error, "correct it; until then `assay serve` does not start, or cannot store files"),
                ));
            }
        }

        let mut bad = 0;
        for (name, diagnosis) in &checks {
            match diagnosis {
                Diagnosis::Good(what) => out::line(format_args!("ok    {name:<12} {what}")),
                Diagnosis::Note(what) => out::line(format_args!("note  {name:<12} {what}")),
                Diagnosis::Bad { what, fix } => {
                    bad += 1;
                    out::line(format_args!("BAD   {name:<12} {what}\n                   → {fix}"));
                }
            }
        }
        Ok(if bad == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// What in the settings keeps a server from starting, in words.
async fn unusable_settings(config: &Config) -> Vec<String> {
    let locations = GeoLocator::open(&config.locations).context("`locations` cannot be used");
    let checked = [
        config.brand().map(drop),
        telemetry::check_settings(&config.log),
        locations.map(drop),
        config.check_storage_folder(),
        check_admin_listen(config),
        Box::pin(config.open_services_for_settings()).await.map(drop),
    ];
    checked.into_iter().filter_map(Result::err).map(|error| with_causes(&*error)).collect()
}

/// Whether this machine has the address. Its port may be taken by the server that is running.
fn check_admin_listen(config: &Config) -> anyhow::Result<()> {
    let Some(address) = config.server.admin_listen else { return Ok(()) };
    TcpListener::bind((address.ip(), 0))
        .map(drop)
        .with_context(|| format!("server.admin_listen {address} cannot be listened on"))
}

/// An error with its causes. The messages of some have that of their cause already.
fn with_causes(error: &(dyn Error + 'static)) -> String {
    let mut words = error.to_string();
    for cause in std::iter::successors(error.source(), |cause| (*cause).source()) {
        let cause = cause.to_string();
        if !words.contains(&cause) {
            words.push_str(": ");
            words.push_str(&cause);
        }
    }
    words
}

fn mail(config: &Config) -> Diagnosis {
    let checked = config.mail_transport(false).and_then(|transport| {
        transport.check_sender(config.mail.from.as_deref())?;
        Ok(transport)
    });
    match checked {
        Ok(MailTransport::None) if config.dev_credentials().is_file() => Diagnosis::Note(format!(
            "not set up: a server with --dev writes mails to {}, any other sends none; set mail.host and mail.from",
            config.data_dir.join("mail").display()
        )),
        Ok(MailTransport::None) => Diagnosis::Note(
            "not set up: members get no mail; `assay account invite` and `sign-in-link` print links; \
             set mail.host and mail.from"
                .to_owned(),
        ),
        Ok(_) => Diagnosis::Good(config.mail.host.clone().unwrap_or_default()),
        Err(error) => bad(with_causes(&*error), "correct the settings in [mail]"),
    }
}

fn bad(what: impl Into<String>, fix: impl Into<String>) -> Diagnosis {
    Diagnosis::Bad { what: what.into(), fix: fix.into() }
}

fn folder(config: &Config) -> Diagnosis {
    let folder = config.data_dir.display();
    match config.data_dir.try_exists() {
        Ok(true) => {}
        Ok(false) => {
            return bad(
                format!("{folder} does not exist"),
                "name the server's folder with --data-dir; `assay serve` creates a new one",
            );
        }
        Err(error) => return bad(format!("{folder}: {error}"), READABLE_FOLDER),
    }
    let mode = std::fs::metadata(&config.data_dir).map_or(0, |data| data.permissions().mode() & 0o777);
    match rustix::fs::access(&config.data_dir, Access::WRITE_OK | Access::EXEC_OK) {
        Ok(()) if mode & 0o077 != 0 => Diagnosis::Note(format!(
            "{folder} is writable, and has mode {mode:04o}: others than its owner can look into it; run `chmod 700 {folder}`"
        )),
        Ok(()) => Diagnosis::Good(format!("{folder} is writable")),
        Err(error) => bad(
            format!("{folder}: {error}"),
            "name a folder that the server's user can write to, with --data-dir",
        ),
    }
}

/// Whether others may read the database's file; the data folder is looked at as a whole.
fn database_file(config: &Config) -> Option<Diagnosis> {
    let (file, mode) = config.exposed_paths().into_iter().find(|(path, _)| path.is_file())?;
    let file = file.display();
    Some(Diagnosis::Note(format!(
        "{file} has mode {mode:04o}: others than its owner can read it; run `chmod 600 {file}`"
    )))
}

fn disk(config: &Config) -> Diagnosis {
    let disk =
        api::DataDisk { folder: config.data_dir.clone(), min_free_bytes: config.server.min_free_bytes };
    match disk.free_bytes() {
        Ok(free) if free < disk.min_free_bytes => bad(
            format!("{} MiB free, {} MiB needed", free >> 20, disk.min_free_bytes >> 20),
            "free some space, or move the data folder; until then the server reports that it is not ready",
        ),
        Ok(free) => Diagnosis::Good(format!("{} MiB free", free >> 20)),
        Err(error) => bad(format!("{error}"), "see the data folder"),
    }
}

async fn database(config: &Config) -> Vec<Diagnosis> {
    let database = match config.open_existing_database() {
        Ok(database) => database,
        Err(error) => {
            return vec![bad(with_causes(&*error), "correct database.url in the configuration")];
        }
    };
    if let Some(file) = database.sqlite_file() {
        match file.try_exists() {
            Ok(true) => {}
            Ok(false) => {
                return vec![bad(
                    format!("there is none at {}", file.display()),
                    "run `assay migrate`; `assay serve` creates it as well",
                )];
            }
            Err(error) => return vec![bad(format!("{}: {error}", file.display()), READABLE_FOLDER)],
        }
    }
    let status = tokio::time::timeout(Duration::from_secs(6), database.schema_status()).await;
    let answers = matches!(&status, Ok(Ok(_)));
    let mut found = match status {
        Ok(Ok(status)) => vec![schema(database.engine(), status)],
        Ok(Err(error)) => vec![bad(
            format!("{:?} does not answer: {}", database.engine(), with_causes(&error)),
            match database.engine() {
                Engine::Postgres => "start the database, or correct database.url",
                Engine::Sqlite => {
                    "see that the file is a database, that the server's user can write to it and its folder, and that \
                     there is room; or correct database.url"
                }
            },
        )],
        Err(_) => vec![bad(format!("{:?} does not answer in time", database.engine()), "start the database")],
    };
    if answers
        && let Ok(Some(offset)) = database.clock_offset(&base::SystemEnvironment).await
        && offset.abs() > MAX_CLOCK_OFFSET
    {
        found.push(bad(
            format!(
                "its clock is {} seconds off this machine's, more than the {} allowed",
                offset.abs().as_secs(),
                MAX_CLOCK_OFFSET.as_secs()
            ),
            "have a time service keep both clocks; the server does not start until then",
        ));
    }
    if let Some(mode) = database.remote_ssl_mode().filter(|mode| *mode != "verify-full") {
        found.push(bad(
            format!("sslmode={mode}: whoever is between here and the database can pass for it"),
            "leave sslmode out, or set sslmode=verify-full, with sslrootcert=FILE for a certificate authority of your own",
        ));
    }
    if let Ok(mut view) = database.read().await {
        let apps = domain::tenancy::applications::list(&mut view, None).await.unwrap_or_default();
        found.extend(apps.iter().filter(|app| app.accept_unclocked_timestamps).map(|app| {
            Diagnosis::Note(format!(
                "application {} accepts timestamps that do not come from a wall clock: its nonces are kept for {} days, \
                 and a request older than that can be replayed",
                app.id,
                domain::tenancy::nonces::UNCLOCKED_NONCE_RETENTION_DAYS
            ))
        }));
        let parked = jobs::list(&mut view, Some(jobs::JobState::Parked), None).await.unwrap_or_default();
        if !parked.is_empty() {
            let count = parked.len();
            found.push(Diagnosis::Note(format!(
                "{count} jobs are parked: `assay jobs list --state parked` has their errors"
            )));
        }
    }
    // SQLite removes its -wal and -shm files when the last connection closes.
    database.close().await;
    found
}

/// Whether this build and the database fit together.
fn schema(engine: Engine, status: SchemaStatus) -> Diagnosis {
    let SchemaStatus { build, database, usable_from, pending } = status;
    if status.is_too_new() {
        return bad(
            format!(
                "has schema {database}, of a newer build. Builds that know {usable_from} or later can use it; this one knows {build}"
            ),
            "run the newer build again, or restore the backup from before the migration",
        );
    }
    if pending > 0 {
        return bad(
            format!(
                "{pending} migrations have not been applied: it has schema {database}, this build needs {build}"
            ),
            "run `assay migrate`; `assay serve` applies them as well",
        );
    }
    if database > build {
        return Diagnosis::Note(format!(
            "{engine:?} answers; a newer build has migrated it to schema {database}, and this one, which knows {build}, can use it"
        ));
    }
    Diagnosis::Good(format!("{engine:?} answers, the schema is up to date ({database})"))
}

/// How callers reach this server, and whether they can be told apart.
fn address(config: &Config) -> Vec<Diagnosis> {
    let Some(url) = &config.server.public_url else {
        return vec![Diagnosis::Note(
            "server.public_url is not set: links and audiences name the address that `assay serve` listens on".to_owned(),
        )];
    };
    let (scheme, rest) = url.split_once("://").unwrap_or_default();
    let host = rest.split(['/', '?']).next().unwrap_or_default();
    let host = host.rsplit_once(':').filter(|(_, port)| !port.ends_with(']')).map_or(host, |(host, _)| host);
    let ip: Option<std::net::IpAddr> = host.trim_matches(['[', ']']).parse().ok();
    let is_loopback = host.eq_ignore_ascii_case("localhost") || ip.is_some_and(|ip| ip.is_loopback());
    let mut found = Vec::new();
    found.push(match scheme {
        "https" => Diagnosis::Good(format!("{url}; browsers are told to use https alone")),
        _ if is_loopback => Diagnosis::Good(format!("{url}, on this machine")),
        _ => bad(
            format!("server.public_url is {url}: what people type and the console's session can be read on the way"),
            "put a proxy with TLS in front, and name its https address",
        ),
    });
    if !is_loopback && config.locations.address_header.is_none() {
        found.push(Diagnosis::Note(
            "locations.address_header is not set: behind a proxy all callers have its address and share one limit; \
             without a proxy that is right"
                .to_owned(),
        ));
    }
    found
}

/// Whether this server can make outgoing calls.
fn egress(config: &Config) -> Diagnosis {
    match media::fetch::Fetcher::new(&config.egress) {
        Ok(_) => Diagnosis::Good("name servers and root certificates can be used".to_owned()),
        Err(error) => bad(with_causes(&error), "correct [egress] in the configuration"),
    }
}

/// Which issuers of proofs of age this server trusts.
fn trust_lists(config: &Config) -> Vec<Diagnosis> {
    let mut found: Vec<_> = config.proof.trust_list.iter().map(|file| trust_list(file)).collect();
    match (config.trust_list_keys(), &config.proof.trust_list_url) {
        (Err(error), _) => {
            found.push(bad(with_causes(&*error), "correct the settings in [proof]"));
        }
        (Ok(_), Some(url)) => {
            found.push(Diagnosis::Good(format!("a signed one is fetched from {url} every hour")));
        }
        (Ok(_), None) if found.is_empty() => found.push(Diagnosis::Note(
            "neither proof.trust_list nor proof.trust_list_url is set: only proofs that this server issued are accepted"
                .to_owned(),
        )),
        (Ok(_), None) => {}
    }
    found
}

/// The operator's own list.
fn trust_list(file: &Path) -> Diagnosis {
    let now = base::Environment::now(&base::SystemEnvironment);
    let read = std::fs::read(file).map_err(|error| error.to_string());
    match read.and_then(|text| TrustList::parse(&text).map_err(|error| error.to_string())) {
        Ok(list) if list.expires().is_some_and(|expires| expires <= now) => bad(
            format!("{} has expired (`exp`): nobody on it is trusted", file.display()),
            "put the next list in the place of proof.trust_list",
        ),
        Ok(list) => Diagnosis::Good(format!("{} names {} issuers", file.display(), list.issuers().count())),
        Err(error) => bad(
            format!("proof.trust_list {}: {error}", file.display()),
            "correct the file; docs/RUNNING.md describes its format",
        ),
    }
}

fn models(config: &Config) -> Vec<Diagnosis> {
    let folder = config.models_folder();
    match vision::VisionModels::load(&folder) {
        Ok(vision) => {
            let mut found = vec![Diagnosis::Good(format!(
                "the models in {} load and pass their probes",
                folder.display()
            ))];
            found.extend(vision.models().iter().filter(|model| model.experimental).map(|model| {
                Diagnosis::Note(format!(
                    "{} ({}) is experimental: read docs/ACCURACY.md before you rely on it",
                    model.id, model.task
                ))
            }));
            found
        }
        Err(error) => vec![bad(
            format!("{}: {}", folder.display(), with_causes(&error)),
            "run `npm ci --ignore-scripts` in models/, then `assay models import`",
        )],
    }
}

/// Whether the master key is there and is the one that the database needs. Makes neither.
async fn key(config: &Config) -> Diagnosis {
    const RIGHT_KEY: &str =
        "put the key there that belongs to this database; docs/RUNNING.md, Keys, says where keys can be";
    let provider = match config.existing_master_key_provider() {
        Ok(provider) => provider,
        Err(error) => return bad(with_causes(&*error), "correct [secrets] in the configuration"),
    };
    let keys = match provider.load() {
        Ok(keys) => keys,
        Err(error) => return bad(with_causes(&error), RIGHT_KEY),
    };
    if let Some(database) = migrated_database(config).await {
        let checked = config.check_master_key(&database, &*provider).await;
        let stored = match database.read().await {
            Ok(mut view) => data_keys::list(&mut view).await.unwrap_or_default(),
            Err(_) => Vec::new(),
        };
        database.close().await;
        match checked {
            Err(DataKeyError::Db(_)) => {}
            Err(error) => return bad(with_causes(&error), RIGHT_KEY),
            Ok(()) if stored.is_empty() => {}
            Ok(()) => {
                let retiring = stored.iter().any(|key| key.state == DataKeyState::Retiring);
                let rotation = if retiring { "; a rotation is under way: see `assay keys list`" } else { "" };
                return Diagnosis::Good(format!(
                    "{} opens this database{rotation}; keep a copy of it apart from the backups of the database",
                    provider.place()
                ));
            }
        }
    }
    match keys.first() {
        None => Diagnosis::Note(format!(
            "there is none in {}, and the database does not say which it needs: `assay serve` makes one if nothing was \
             sealed yet. If there was one before, restore it first: without it, nothing that it sealed can be read",
            provider.place()
        )),
        Some(key) => Diagnosis::Good(format!(
            "{} has key {}; whether the database needs it is seen at the first start",
            provider.place(),
            key.fingerprint()
        )),
    }
}

/// The database, if it is there and has this build's schema.
async fn migrated_database(config: &Config) -> Option<Db> {
    let database = config.open_existing_database().ok()?;
    if database.sqlite_file().is_some_and(|file| !file.exists()) {
        return None;
    }
    let status = tokio::time::timeout(Duration::from_secs(6), database.schema_status()).await;
    status.ok()?.is_ok_and(|status| status.is_usable()).then_some(database)
}

/// How the programs are confined that read untrusted files, what they could read, and how much memory they can take.
async fn children(config: &Config) -> Vec<Diagnosis> {
    let mut found: Vec<_> = config
        .paths_readable_by_children()
        .into_iter()
        .map(|(private, path)| {
            bad(
                format!(
                    "ffmpeg and poppler can read {}, because it lies under {}",
                    private.display(),
                    path.display()
                ),
                "move it, for example to /var/lib or /etc",
            )
        })
        .collect();
    found.push(confinement(media::sandbox::probe().await, media::sandbox::refuses_children()));
    let (processes, bytes) = config.most_of_children();
    found.push(Diagnosis::Good(format!(
        "are at most {processes} at once, with {} MiB of address space in all",
        bytes >> 20
    )));
    found
}

/// How children are confined here; `refuses` says whether they are refused where something is missing.
fn confinement(probed: Result<Vec<MissingPart>, impl std::fmt::Display>, refuses: bool) -> Diagnosis {
    let missing = match probed {
        Ok(missing) if missing.is_empty() => {
            return Diagnosis::Good("are confined by every part of the sandbox".to_owned());
        }
        Ok(missing) => missing.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "),
        Err(error) => return bad(format!("cannot be started: {error}"), "is /proc mounted?"),
    };
    if refuses {
        return bad(
            format!(
                "are not started, because children.require_sandbox is set and this machine lacks: {missing}"
            ),
            "docs/RUNNING.md says what each part needs; or unset children.require_sandbox",
        );
    }
    Diagnosis::Note(format!(
        "lack parts of the sandbox: {missing}; docs/RUNNING.md says what each part needs"
    ))
}

/// Whether a time service keeps the clock: signed requests depend on it.
fn clock() -> Diagnosis {
    if Path::new("/run/systemd/timesync/synchronized").exists() || Path::new("/run/chrony").exists() {
        return Diagnosis::Good("is kept by a time service".to_owned());
    }
    let year = base::Environment::now(&base::SystemEnvironment).as_second() / 31_556_952 + 1970;
    if !(2025..2100).contains(&year) {
        return bad(
            format!("says the year {year}"),
            "set the clock: signed requests are refused if it is wrong",
        );
    }
    Diagnosis::Note(
        "no time service was found; requests are refused if the clock is off by more than auth.max_clock_skew_seconds"
            .to_owned(),
    )
}

/// Runs a program that is needed, by name or path. `version` is its option that prints the version.
fn program(program: &Path, version: &str, fix: impl Into<String>) -> Diagnosis {
    match Command::new(program).arg(version).stdin(Stdio::null()).output() {
        Ok(answer) if answer.status.success() => {
            // Some programs print their version to stderr.
            let output = if answer.stdout.is_empty() { answer.stderr } else { answer.stdout };
            let text = String::from_utf8_lossy(&output);
            Diagnosis::Good(text.lines().next().unwrap_or("answers").to_owned())
        }
        _ => bad(format!("{} cannot be run", program.display()), fix),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use media::sandbox::SandboxPart;

    fn words(diagnosis: &Diagnosis) -> String {
        match diagnosis {
            Diagnosis::Good(what) => format!("ok {what}"),
            Diagnosis::Note(what) => format!("note {what}"),
            Diagnosis::Bad { what, fix } => format!("BAD {what} → {fix}"),
        }
    }

    #[test]
    fn each_missing_part_of_the_sandbox_is_named() {
        let parts = [
            SandboxPart::Files,
            SandboxPart::SystemCalls,
            SandboxPart::UserNamespace,
            SandboxPart::NetworkNamespace,
            SandboxPart::IpcNamespace,
            SandboxPart::ThreadLimit,
            SandboxPart::Unprivileged,
        ];
        let all = || parts.map(|part| MissingPart { part, reason: format!("{part:?} is not here") }).to_vec();
        let probed = |missing: Vec<MissingPart>| Ok::<_, std::io::Error>(missing);
        let whole = words(&confinement(probed(Vec::new()), true));
        assert_eq!(whole, "ok are confined by every part of the sandbox");
        let lax = words(&confinement(probed(all()), false));
        let strict = words(&confinement(probed(all()), true));
        assert!(lax.starts_with("note lack parts of the sandbox"), "{lax}");
        assert!(strict.starts_with("BAD are not started"), "{strict}");
        let guide = include_str!("../../../../docs/RUNNING.md");
        let guide = guide.split("## The sandbox of ffmpeg and poppler").nth(1).unwrap();
        for part in parts {
            for said in [&lax, &strict] {
                assert!(said.contains(&format!("{part}: {part:?} is not here")), "{said}");
            }
            assert!(guide.contains(&part.to_string()), "docs/RUNNING.md says nothing of {part}");
        }
        let failed = words(&confinement(Err::<Vec<_>, _>("no /proc"), false));
        assert_eq!(failed, "BAD cannot be started: no /proc → is /proc mounted?");
    }
}
