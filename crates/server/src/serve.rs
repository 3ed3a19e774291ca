//! `assay serve`: starts the interfaces and, unless told otherwise, the jobs; stops without losing anything.

mod demo;
pub(crate) use demo::DevCredentials;
mod listen;

use crate::{
    config::Config,
    lifecycle::{
        load_models, record_start, refresh_face_indexes, report_sandbox, retry_until_database_answers,
    },
    out,
    telemetry::Telemetry,
};
use anyhow::Context as _;
use api::{ApiState, DataDisk, GeoLocator, MetricsRecorder, RateLimit};
use domain::{
    audit::DecisionLog,
    keyring::Keyring,
    tenancy::{calling_application::CallingApplicationReader, nonces::NonceStore},
};
use services::Services;
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::{sync::watch, task::JoinSet, time::MissedTickBehavior};

/// How `assay serve` is called.
#[derive(clap::Args)]
pub(crate) struct ServeArgs {
    /// Address and port to listen on.
    #[arg(long, default_value = "127.0.0.1:8080", env = "ASSAY_LISTEN", value_name = "ADDR")]
    listen: SocketAddr,
    /// For development: create a demo organisation and application in an empty data folder, write their credentials to
    /// `dev-credentials.json` in it, allow calls to this machine, and write mails to a folder if no mail server is set.
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
    let keyring = config.keyring()?;
    let listener = tokio::net::TcpListener::bind(args.listen)
        .await
        .with_context(|| format!("cannot listen on {}", args.listen))?;
    let address = listener.local_addr()?;
    let public_url = config.server.public_url.clone().unwrap_or_else(|| format!("http://{address}"));
    let public_url = public_url.trim_end_matches('/');

    let services = config.open_services(public_url, args.dev).await?;
    let (environment, db) = (services.environment.clone(), services.db.clone());
    let api = api_state(&config, &keyring, services.clone(), public_url)?;
    tokio::spawn(report_sandbox(config.paths_readable_by_children()));
    tokio::spawn(load_models(services.image_analyser.clone(), config.model_settings()));
    tokio::spawn(refresh_face_indexes(services.faces.clone()));
    tokio::spawn(run_maintenance(api.clone()));
    let metrics = api.metrics.clone();
    let router = telemetry.continue_traces(api::router(api, pages::router(&config.wire.brand)));

    // The socket is open already: callers that connect now are answered as soon as the server accepts.
    let limits = listen::ConnectionLimits {
        connections: config.server.connections,
        header_timeout: config.server.read_timeout,
    };
    let mut server = tokio::spawn(listen::run(listener, router, limits));
    tracing::info!(listen = %address, public_url, version = env!("CARGO_PKG_VERSION"), "serving");
    let (stop, stopped) = watch::channel(false);
    let mut jobs = JoinSet::new();
    let prepare = async {
        retry_until_database_answers(async || Ok(db.migrate().await?)).await?;
        retry_until_database_answers(async || record_start(&db, "serve", &config).await).await?;
        if let Err(error) = services.proof_issuer.ensure_signing_key().await {
            tracing::error!(error = &error as &dyn std::error::Error, "proofs of age cannot be issued");
        }
        if args.dev {
            let credentials = retry_until_database_answers(async || {
                demo::prepare_demo_tenant(&db, &*environment, &config, public_url).await
            })
            .await?;
            print_banner(public_url, &credentials);
        }
        anyhow::Ok(())
    };
    let ended = tokio::select! {
        prepared = prepare => {
            prepared?;
            if !args.no_work {
                jobs.spawn(crate::work::run_jobs(services, stopped));
            }
            server.await
        }
        // Told to stop while still waiting for the database.
        ended = &mut server => ended,
    };
    ended.context("the server broke down")?;
    let _no_worker = stop.send(true);
    jobs.join_all().await;
    drop(metrics);
    db.close().await;
    tracing::info!("stopped");
    Ok(())
}

fn api_state(
    config: &Config,
    keyring: &Keyring,
    services: Services,
    public_url: &str,
) -> anyhow::Result<ApiState> {
    let sign_in_rate = config.console.max_links_per_minute;
    let end_user_rate = config.identity.max_end_user_calls_per_minute;
    let db = services.db.clone();
    Ok(ApiState {
        services,
        brand: config.brand()?,
        calling_applications: CallingApplicationReader::start(db.clone()),
        nonces: NonceStore::start(db.clone()),
        sign_in_rate_limit: Arc::new(RateLimit::new(sign_in_rate, sign_in_rate)),
        decision_records: config.audit.keeps_decisions().then(|| DecisionLog::new(db, keyring)),
        end_user_rate_limit: Arc::new(RateLimit::new(end_user_rate, end_user_rate)),
        application_rate_limit: RateLimit::from_settings(&config.limits).map(Arc::new),
        geo_locator: Arc::new(GeoLocator::open(&config.locations).context("`locations` cannot be used")?),
        metrics: MetricsRecorder::install().context("the metrics cannot be started")?,
        data_disk: DataDisk { folder: config.data_dir.clone(), min_free_bytes: config.server.min_free_bytes },
        settings: Arc::new(config.api_settings(public_url)),
    })
}

/// Upkeep of what this process holds in memory. The database's upkeep is done by jobs.
async fn run_maintenance(api: ApiState) {
    let mut tick = tokio::time::interval(Duration::from_secs(5));
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut ticks = 0_u64;
    loop {
        tick.tick().await;
        api.metrics.run_upkeep();
        ticks += 1;
        if ticks.is_multiple_of(12) {
            api.end_user_rate_limit.evict_full_buckets();
            if let Some(rate) = &api.application_rate_limit {
                rate.evict_full_buckets();
            }
        }
    }
}

fn print_banner(public_url: &str, credentials: &demo::DevCredentials) {
    out::line(format_args!(
        "\nAssay is at {public_url}, for development.\n\
         \n  API reference   {public_url}/reference/\n  health          {public_url}/readyz\n  credentials     {}\n\
         \nTry this in another terminal:\n\n  {}\n",
        credentials.file.display(),
        credentials.example()
    ));
}
