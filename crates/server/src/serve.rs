//! `assay serve`: starts the interfaces and, unless told otherwise, the jobs; stops without losing anything.

mod demo;
pub(crate) use demo::DevCredentials;
mod gate;
mod listen;

use gate::Gate;

use crate::{
    config::{Config, OpenInstallation},
    lifecycle::{load_models, record_start, refresh_face_indexes, report_exposed_paths, report_sandbox},
    out,
    shell::quote_path,
    startup::{InstallationWatch, open_installation},
    telemetry::Telemetry,
};
use anyhow::Context as _;
use api::{
    ApiParts, ApiState, BodyMemory, ConsoleResources, DataDisk, GeoLocator, MetricsRecorder, RateLimit,
    ReadinessProbe, SignatureGuard, StartupServer, StartupState, StartupStatus, VirtualHosts,
};
use base::SystemEnvironment;
use db::Db;
use domain::{
    audit::DecisionLog,
    data_keys::InstallationUse,
    keyring::Keyring,
    master_key::MasterKeyProvider,
    operators,
    request_log::RequestLog,
    tenancy::{calling_application::CallingApplicationReader, limits::CallLimiter, nonces::NonceStore},
};
use services::Services;
use std::{net::SocketAddr, num::NonZeroU32, sync::Arc, time::Duration};
use tokio::{net::TcpListener, sync::watch, task::JoinSet, time::MissedTickBehavior};

/// Open connections of the admin listener.
const ADMIN_CONNECTIONS: usize = 256;

/// How `assay serve` is called.
#[derive(clap::Args)]
pub(crate) struct ServeArgs {
    /// Address and port to listen on.
    #[arg(long, default_value = "127.0.0.1:8080", env = "ASSAY_LISTEN", value_name = "ADDR")]
    listen: SocketAddr,
    /// For development: create a demo organisation and application in an empty data folder, write their credentials to
    /// `dev-credentials.json` in it, allow calls to this machine, and write mails to a folder if no mail server is set. A data
    /// folder or database that --dev did not make is refused.
    #[arg(long)]
    dev: bool,
    /// Only answer requests; leave jobs and deliveries to `assay work`.
    #[arg(long)]
    no_work: bool,
}

pub(crate) async fn serve(args: &ServeArgs, config: Config) -> anyhow::Result<()> {
    let telemetry = Telemetry::install(&config.log)?;
    let ended = Box::pin(run(args, config, &telemetry)).await;
    telemetry.shut_down().await;
    ended
}

async fn run(args: &ServeArgs, config: Config, telemetry: &Telemetry) -> anyhow::Result<()> {
    config.data_dir()?;
    let provider: Arc<dyn MasterKeyProvider> = config.master_key_provider()?.into();
    // A key file that cannot be used is told of at once; whether it is the right one, only the database knows.
    provider.load()?;
    let brand = config.brand()?;
    let db = config.open_database()?;
    let listener = listen::bind(args.listen).await?;
    let admin_listener = match config.server.admin_listen {
        Some(address) => Some(listen::bind(address).await?),
        None => None,
    };
    let address = listener.local_addr()?;
    let public_url = config.server.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
    let public_url = public_url.trim_end_matches('/');

    report_exposed_paths(&config);
    tokio::spawn(report_sandbox(config.paths_readable_by_children()));
    let image_analyser = config.new_image_analyser();
    tokio::spawn(load_models(image_analyser.clone(), config.model_settings()));
    let status = StartupStatus::new(StartupState::WaitingForDatabase);
    let metrics = MetricsRecorder::install().context("the metrics cannot be started")?;
    let probe = ReadinessProbe {
        db: db.clone(),
        image_analyser: image_analyser.clone(),
        data_disk: data_disk(&config),
        startup: status.clone(),
    };
    let starting = StartupServer { probe, metrics: metrics.clone(), public_url: public_url.to_owned() };
    let hosts = VirtualHosts::from(&config.hosts);
    let closed = |has_operator_routes| {
        let (starting, brand, hosts) = (starting.clone(), brand.clone(), hosts.clone());
        api::startup_router(starting, brand, Arc::new(SystemEnvironment), hosts, has_operator_routes)
    };
    let gate = Gate::new(telemetry.continue_traces(closed(admin_listener.is_none())));
    let admin_gate = Gate::new(closed(true));

    // The socket is open already: callers that connect now are answered as soon as the server accepts.
    let limits = listen::ConnectionLimits {
        connections: config.server.connections,
        header_timeout: config.server.read_timeout,
        idle_timeout: config.server.idle_timeout,
    };
    let admin = admin_listener.map(|listener| spawn_admin_server(listener, &admin_gate, limits));
    let mut server = tokio::spawn(listen::run(listener, gate.router(), limits));
    tracing::info!(listen = %address, public_url, version = env!("CARGO_PKG_VERSION"), "serving");
    let (stop, stopped) = watch::channel(false);
    let mut jobs = JoinSet::new();
    let purpose = if args.dev { InstallationUse::Development } else { InstallationUse::Production };
    let prepare = async {
        let keyring = open_installation(&config, &db, &*provider, purpose, &status).await?;
        let blobs = config.blob_backend()?;
        let opened = OpenInstallation { db: db.clone(), keyring: keyring.clone(), blobs, image_analyser };
        let services = config.open_services(opened, public_url, args.dev).await?;
        record_start(&services.db, "serve", &config).await?;
        record_public_url(&config, public_url);
        if let Err(error) = services.proof_issuer.ensure_signing_key().await {
            tracing::error!(error = &error as &dyn std::error::Error, "proofs of age cannot be issued");
        }
        report_missing_operator(&services.db, &config, args.dev).await?;
        let api = api_state(&config, &keyring, services.clone(), public_url, metrics, status.clone())?;
        tokio::spawn(refresh_face_indexes(services.faces.clone()));
        tokio::spawn(run_maintenance(api.clone()));
        let watch = InstallationWatch::start(db.clone(), provider.clone(), "serve").await;
        admin_gate.open(api::admin_router(api.clone()));
        gate.open(telemetry.continue_traces(api::router(api, pages::router(&config.wire.brand))));
        status.set(StartupState::Ready);
        // Putting the interfaces together frees some 25 MB again.
        heap::return_freed_memory();
        if args.dev {
            greet_developer(&db, &config, public_url).await?;
        }
        anyhow::Ok((services, watch))
    };
    let ended = tokio::select! {
        prepared = prepare => {
            let (services, mut watch) = prepared?;
            if !args.no_work {
                jobs.spawn(crate::work::run_jobs(services, stopped));
            }
            let ended = tokio::select! {
                ended = &mut server => ended,
                () = watch.until_unusable() => {
                    status.set(StartupState::WaitingForDatabase);
                    gate.close();
                    admin_gate.close();
                    let _no_worker = stop.send(true);
                    server.await
                }
            };
            watch.end().await;
            ended
        }
        // Told to stop while still waiting for the database.
        ended = &mut server => ended,
    };
    ended.map_err(std::io::Error::from).context("the server broke down")?;
    if let Some(admin) = admin {
        admin.await.map_err(std::io::Error::from).context("the admin listener broke down")?;
    }
    let _no_worker = stop.send(true);
    jobs.join_all().await;
    db.close().await;
    tracing::info!("stopped");
    Ok(())
}

/// Writes down for commands at which address this server is reached.
fn record_public_url(config: &Config, public_url: &str) {
    if let Err(error) = config.record_public_url(public_url) {
        let error: &(dyn std::error::Error + 'static) = &*error;
        tracing::warn!(error, "the server's address could not be written down for commands");
    }
}

/// Says how an installation that has no operator gets its first one.
async fn report_missing_operator(db: &Db, config: &Config, dev: bool) -> anyhow::Result<()> {
    if !operators::is_set_up(&mut db.read().await?).await? {
        let command = init_command(config, dev);
        tracing::info!(command, "nobody operates this installation in the console yet");
        out::line(format_args!(
            "\nNobody operates this installation in the console yet: `{command}` makes the first operator.\n"
        ));
    }
    Ok(())
}

/// The command that makes the first operator of this installation, for a shell in the present folder.
fn init_command(config: &Config, dev: bool) -> String {
    let (program, data) = (quote_path(&demo::own_program()), quote_path(&config.data_dir));
    let file = config.config_file.as_ref().map(|file| format!(" --config {}", quote_path(file)));
    let (file, dev) = (file.unwrap_or_default(), if dev { " --dev" } else { "" });
    format!("{program} init --data-dir {data}{file}{dev} --email ADDRESS")
}

fn data_disk(config: &Config) -> DataDisk {
    DataDisk { folder: config.data_dir.clone(), min_free_bytes: config.server.min_free_bytes }
}

fn spawn_admin_server(
    listener: TcpListener,
    gate: &Gate,
    limits: listen::ConnectionLimits,
) -> tokio::task::JoinHandle<()> {
    tracing::info!(listen = ?listener.local_addr(), "serving metrics, readiness and the reference");
    let limits = listen::ConnectionLimits { connections: ADMIN_CONNECTIONS, ..limits };
    tokio::spawn(listen::run(listener, gate.router(), limits))
}

fn api_state(
    config: &Config,
    keyring: &Keyring,
    services: Services,
    public_url: &str,
    metrics: MetricsRecorder,
    startup: StartupStatus,
) -> anyhow::Result<ApiState> {
    let sign_in_rate = config.console.max_links_per_minute;
    let mailbox_rate = u32::try_from(config.console.max_links_per_hour).unwrap_or(u32::MAX);
    let mailbox_rate = NonZeroU32::new(mailbox_rate).unwrap_or(NonZeroU32::MIN);
    let end_user_rate = config.identity.max_end_user_calls_per_minute;
    let db = services.db.clone();
    let call_limiter = CallLimiter::new(db.clone(), services.environment.clone(), config.limits);
    // So that operators find where reports for the console belong.
    let reports = config.data_dir.join("reports");
    if let Err(error) = std::fs::create_dir_all(&reports) {
        tracing::warn!(error = &error as &dyn std::error::Error, "the folder of reports cannot be made");
    }
    let parts = ApiParts {
        transaction_attempts: Arc::default(),
        console_resources: Arc::new(ConsoleResources::new(config.settings_in_force()?, reports)),
        services,
        brand: config.brand()?,
        calling_applications: CallingApplicationReader::start(db.clone()),
        nonces: NonceStore::start(db.clone()),
        sign_in_rate_limit: Arc::new(RateLimit::new(sign_in_rate, sign_in_rate)),
        mailbox_rate_limit: Arc::new(RateLimit::per_hour(mailbox_rate)),
        request_log: RequestLog::start(db.clone(), config.request_log),
        decision_records: config.audit.keeps_decisions().then(|| DecisionLog::new(db, keyring)),
        end_user_rate_limit: Arc::new(RateLimit::new(end_user_rate, end_user_rate)),
        call_limiter,
        body_memory: BodyMemory::new(config.server.body_memory_bytes),
        signature_guard: Arc::new(SignatureGuard::new(config.auth.max_failures_per_minute)),
        geo_locator: Arc::new(GeoLocator::open(&config.locations).context("`locations` cannot be used")?),
        metrics,
        data_disk: data_disk(config),
        startup,
        settings: Arc::new(config.api_settings(public_url)),
    };
    Ok(parts.into())
}

/// Upkeep of what this process holds in memory. The database's upkeep is done by jobs.
async fn run_maintenance(api: ApiState) {
    // Each keeps its pages and statements.
    const IDLE_BEFORE_CONNECTION_IS_CLOSED: Duration = Duration::from_mins(10);

    let mut tick = tokio::time::interval(Duration::from_secs(5));
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut ticks = 0_u64;
    loop {
        tick.tick().await;
        api.metrics.run_upkeep();
        if ticks.is_multiple_of(3) {
            // Every 15 seconds, the interval of the console's charts.
            api.record_health().await;
        }
        ticks += 1;
        if ticks.is_multiple_of(12) {
            api.end_user_rate_limit.evict_full_buckets();
            api.sign_in_rate_limit.evict_full_buckets();
            api.mailbox_rate_limit.evict_full_buckets();
            api.signature_guard.evict_old_failures();
            api.call_limiter.evict_past_windows();
            api.console_resources.evict_full_buckets();
            api.db.close_idle_connections(IDLE_BEFORE_CONNECTION_IS_CLOSED);
        }
    }
}

/// Creates the demo tenant unless there is one, and says how the server is called as it.
async fn greet_developer(db: &Db, config: &Config, public_url: &str) -> anyhow::Result<()> {
    let credentials = demo::prepare_demo_tenant(db, &SystemEnvironment, config, public_url).await?;
    out::line(format_args!(
        "\nAssay is at {public_url}, for development.\n\
         \n  API reference   {public_url}/reference/\n  health          {public_url}/readyz\n  credentials     {}\n\
         \nTry this in another terminal:\n\n  {}\n",
        credentials.file.display(),
        credentials.example()
    ));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_for_the_first_operator_is_for_this_installation() {
        let config = Config { data_dir: "/srv/assay".into(), ..Config::default() };
        let program = quote_path(&demo::own_program());
        let command =
            |config: &Config, dev| init_command(config, dev).strip_prefix(&program).unwrap().to_owned();
        assert_eq!(command(&config, true), " init --data-dir /srv/assay --dev --email ADDRESS");
        let config = Config { config_file: Some("/etc/assay.toml".into()), ..config };
        assert_eq!(
            command(&config, false),
            " init --data-dir /srv/assay --config /etc/assay.toml --email ADDRESS"
        );
        let config = Config {
            data_dir: "/srv/Ada's data".into(),
            config_file: Some("/etc/my assay.toml".into()),
            ..config
        };
        assert_eq!(
            command(&config, false),
            r" init --data-dir '/srv/Ada'\''s data' --config '/etc/my assay.toml' --email ADDRESS"
        );
    }
}
