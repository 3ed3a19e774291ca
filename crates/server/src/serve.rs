//! `assay serve`: wiring, the accept loop, and a stop that loses nothing.

mod demo;
pub(crate) use demo::DevCredentials;
mod listen;
pub(crate) use listen::shutdown_signal;

use crate::{config::Config, out, services::Services, telemetry::Telemetry};
use anyhow::Context as _;
use api::{ApiSettings, ApiState, MetricsRecorder};
use base::SignedDuration;
use domain::{audit::DecisionLog, faces::FaceIndexService, image_analysis::ImageAnalyser, tenancy::nonces};
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::{sync::watch, task::JoinSet, time::MissedTickBehavior};

/// How `assay serve` is called.
#[derive(clap::Args)]
pub(crate) struct ServeArgs {
    /// Address and port to listen on.
    #[arg(long, default_value = "127.0.0.1:8080", env = "ASSAY_LISTEN", value_name = "ADDR")]
    listen: SocketAddr,
    /// For development: an empty data folder gets a demo organisation and application, whose credentials are written
    /// to `dev-credentials.json` in it.
    #[arg(long)]
    dev: bool,
    /// Leave jobs to processes of their own, `assay work`.
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

    let house = Services::open(&config, public_url.trim_end_matches('/'), args.dev).await?;
    let (world, database) = (house.world.clone(), house.db.clone());

    let api = ApiState {
        environment: world.clone(),
        db: database.clone(),
        vault: house.vault.clone(),
        proof_of_age: house.proof_of_age.clone(),
        proof_issuer: house.issuer.clone(),
        content_moderation: house.content_moderation.clone(),
        document_verification: house.document_verification.clone(),
        age_verification: house.age_verification.clone(),
        faces: house.face_index.clone(),
        brand: config.brand()?,
        nonces: nonces::NonceStore::start(database.clone()),
        image_analyser: house.image_analyser.clone(),
        secure_capture: house.secure_capture.clone(),
        blobs: house.blobs.clone(),
        sign_in: house.sign_in.clone(),
        account_deletion: house.account_deletion.clone(),
        sign_in_rate_limit: Arc::new(api::RateLimit::new(
            config.console.links_per_minute,
            config.console.links_per_minute,
        )),
        decision_records: (config.audit.decisions == crate::config::OnOff::On)
            .then(|| DecisionLog::new(database.clone(), &keyring)),
        end_user_rate_limit: Arc::new(api::RateLimit::new(
            config.identity.calls_per_minute,
            config.identity.calls_per_minute,
        )),
        application_rate_limit: config.rate_limit(),
        geo_locator: Arc::new(config.geo_locator().context("`locations` cannot be used")?),
        metrics: MetricsRecorder::install().context("the metrics cannot be started")?,
        data_disk: api::DataDisk {
            folder: config.data_dir.clone(),
            min_free_bytes: config.server.min_free_bytes,
        },
        settings: Arc::new(api_settings(&config, &public_url)),
    };
    tokio::spawn(load_models(house.image_analyser.clone(), config.model_settings()));
    tokio::spawn(refresh_face_indexes(house.face_index.clone()));
    tokio::spawn(run_maintenance(api.clone()));
    let metrics = api.metrics.clone();
    let router = telemetry.continue_traces(api::router(api, pages::router(&config.wire.brand)));

    // The socket is open already, so whoever waits for it is answered as soon as the first request can be.
    let limits = listen::ConnectionLimits {
        connections: config.server.connections,
        header_timeout: Duration::from_secs(config.server.read_timeout_seconds),
    };
    let mut server = tokio::spawn(listen::run(listener, router, limits));
    tracing::info!(listen = %address, public_url, version = env!("CARGO_PKG_VERSION"), "serving");
    let (stop, stopped) = watch::channel(false);
    let mut working = JoinSet::new();
    let prepared = async {
        retry_until_database_answers(async || Ok(database.migrate().await?)).await?;
        if let Err(error) = house.issuer.ensure_signing_key().await {
            tracing::error!(error = &error as &dyn std::error::Error, "proofs of age cannot be issued");
        }
        if args.dev {
            let credentials = retry_until_database_answers(async || {
                demo::prepare_demo_tenant(&database, &*world, &config, &public_url).await
            })
            .await?;
            print_banner(&public_url, &credentials);
        }
        anyhow::Ok(())
    };
    let ended = tokio::select! {
        prepared = prepared => {
            prepared?;
            if !args.no_work {
                working.spawn(crate::work::run_jobs(house, stopped));
            }
            server.await
        }
        // Told to stop while the database was still awaited.
        ended = &mut server => ended,
    };
    ended.context("the server broke down")?;
    let _gone = stop.send(true);
    working.join_all().await;
    drop(metrics);
    database.close().await;
    tracing::info!("stopped");
    Ok(())
}

fn api_settings(config: &Config, public_url: &str) -> ApiSettings {
    ApiSettings {
        max_clock_skew: SignedDuration::from_secs(config.auth.max_clock_skew_seconds.into()),
        max_image_body_bytes: config.server.body_bytes,
        body_timeout: Duration::from_secs(config.server.read_timeout_seconds),
        virtual_hosts: config.virtual_hosts(),
        public_url: public_url.trim_end_matches('/').to_owned(),
        max_accounts_per_application: config.moderation.accounts,
        explain_threshold_years: config.estimate.explained_age,
        explain_false_positive_rate: config.estimate.explained_rate,
    }
}

/// Repeats a step of the start that the database refuses, however long; readiness tells meanwhile. Any other error ends
/// the start.
pub(crate) async fn retry_until_database_answers<T>(
    step: impl AsyncFn() -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let mut wait = Duration::from_millis(250);
    loop {
        match step().await {
            Err(error) if error.chain().any(<dyn std::error::Error>::is::<db::DbError>) => {
                let error: &(dyn std::error::Error + 'static) = error.as_ref();
                tracing::error!(error, "the database is not ready, trying again");
            }
            done => return done,
        }
        tokio::time::sleep(wait).await;
        wait = (wait * 2).min(Duration::from_secs(10));
    }
}

/// Loads the models, and tries again every few seconds while that fails: they may be imported meanwhile.
pub(crate) async fn load_models(estimator: ImageAnalyser, models: domain::image_analysis::ModelPoolSettings) {
    loop {
        let (estimator, models) = (estimator.clone(), models.clone());
        let folder = models.folder.clone();
        match tokio::task::spawn_blocking(move || estimator.load(&models)).await {
            Ok(Ok(())) => {
                tracing::info!(folder = %folder.display(), "models loaded");
                return;
            }
            Ok(Err(error)) => {
                tracing::error!(error = &error as &dyn std::error::Error, folder = %folder.display(), "no models; run `assay doctor`");
            }
            Err(error) => {
                tracing::error!(error = &error as &dyn std::error::Error, "loading the models broke down");
            }
        }
        tokio::time::sleep(Duration::from_secs(5)).await;
    }
}

/// Keeps the indexes of faces of this process in step while nobody asks for them.
pub(crate) async fn refresh_face_indexes(faces: FaceIndexService) {
    let mut tick = tokio::time::interval(Duration::from_mins(1));
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        if let Err(error) = faces.maintain_indexes().await {
            tracing::debug!(
                error = &error as &dyn std::error::Error,
                "indexes of faces are left as they are"
            );
        }
    }
}

/// What this process does for itself every so often; what the database needs is done by jobs.
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
