//! `assay serve`: wiring, the accept loop, and a stop that loses nothing.

mod demo;
pub(crate) use demo::Credentials;
mod listen;
pub(crate) use listen::told_to_stop;

use crate::{config::Config, house::House, out, telemetry};
use anyhow::Context as _;
use api::{Api, Metrics, Settings};
use base::SignedDuration;
use domain::{audit::Decisions, estimate::Estimator, faces::Faces, tenancy::nonces};
use std::{net::SocketAddr, sync::Arc, time::Duration};
use tokio::{sync::watch, task::JoinSet, time::MissedTickBehavior};

/// How `assay serve` is called.
#[derive(clap::Args)]
pub(crate) struct Args {
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

pub(crate) async fn serve(args: &Args, config: Config) -> anyhow::Result<()> {
    telemetry::install(&config.log)?;
    config.data_dir()?;
    let keyring = config.keyring()?;
    let listener = tokio::net::TcpListener::bind(args.listen)
        .await
        .with_context(|| format!("cannot listen on {}", args.listen))?;
    let address = listener.local_addr()?;
    let public_url = config.server.public_url.clone().unwrap_or_else(|| format!("http://{address}"));

    let house = House::open(&config, public_url.trim_end_matches('/'), args.dev).await?;
    let (world, database) = (house.world.clone(), house.db.clone());

    let api = Api {
        world: world.clone(),
        db: database.clone(),
        vault: house.vault.clone(),
        proofs: house.proofs.clone(),
        issuer: house.issuer.clone(),
        moderations: house.moderations.clone(),
        identities: house.identities.clone(),
        ages: house.ages.clone(),
        faces: house.faces.clone(),
        brand: config.brand()?,
        nonces: nonces::Nonces::start(database.clone()),
        estimator: house.estimator.clone(),
        secure_capture: house.secure_capture.clone(),
        blobs: house.blobs.clone(),
        doors: house.doors.clone(),
        closing: house.closing.clone(),
        sign_ins: Arc::new(api::RateLimit::new(
            config.console.links_per_minute,
            config.console.links_per_minute,
        )),
        decisions: (config.audit.decisions == crate::config::Switch::On)
            .then(|| Decisions::new(database.clone(), &keyring)),
        people: Arc::new(api::RateLimit::new(
            config.identity.calls_per_minute,
            config.identity.calls_per_minute,
        )),
        rate: config.rate(),
        geo: Arc::new(config.geo_locator().context("`locations` cannot be used")?),
        metrics: Metrics::install().context("the metrics cannot be started")?,
        disk: api::Disk { folder: config.data_dir.clone(), min_free: config.server.min_free_bytes },
        settings: Arc::new(settings(&config, &public_url)),
    };
    tokio::spawn(load_models(house.estimator.clone(), config.models()));
    tokio::spawn(tend(house.faces.clone()));
    tokio::spawn(keep_house(api.clone()));
    let metrics = api.metrics.clone();
    let router = api::router(api, pages::router(&config.wire.brand));

    // The socket is open already, so whoever waits for it is answered as soon as the first request can be.
    let limits = listen::Limits {
        connections: config.server.connections,
        headers: Duration::from_secs(config.server.read_timeout_seconds),
    };
    let mut server = tokio::spawn(listen::run(listener, router, limits));
    tracing::info!(listen = %address, public_url, version = env!("CARGO_PKG_VERSION"), "serving");
    let (stop, stopped) = watch::channel(false);
    let mut working = JoinSet::new();
    let prepared = async {
        once_the_database_answers(async || Ok(database.migrate().await?)).await?;
        if let Err(error) = house.issuer.ready().await {
            tracing::error!(error = &error as &dyn std::error::Error, "proofs of age cannot be issued");
        }
        if args.dev {
            let credentials = once_the_database_answers(async || {
                demo::prepare(&database, &*world, &config, &public_url).await
            })
            .await?;
            greet(&public_url, &credentials);
        }
        anyhow::Ok(())
    };
    let ended = tokio::select! {
        prepared = prepared => {
            prepared?;
            if !args.no_work {
                working.spawn(crate::work::work(house, stopped));
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

fn settings(config: &Config, public_url: &str) -> Settings {
    Settings {
        max_clock_skew: SignedDuration::from_secs(config.auth.max_clock_skew_seconds.into()),
        body_bytes: config.server.body_bytes,
        body_timeout: Duration::from_secs(config.server.read_timeout_seconds),
        hosts: config.hosts(),
        public_url: public_url.trim_end_matches('/').to_owned(),
        accounts: config.moderation.accounts,
        explained_age: config.estimate.explained_age,
        explained_rate: config.estimate.explained_rate,
    }
}

/// Repeats a step of the start that the database refuses, however long; readiness tells meanwhile. Any other error ends
/// the start.
pub(crate) async fn once_the_database_answers<T>(
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
pub(crate) async fn load_models(estimator: Estimator, models: domain::estimate::Models) {
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
pub(crate) async fn tend(faces: Faces) {
    let mut tick = tokio::time::interval(Duration::from_mins(1));
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tick.tick().await;
        if let Err(error) = faces.tidy().await {
            tracing::debug!("indexes of faces are left as they are: {error}");
        }
    }
}

/// What this process does for itself every so often; what the database needs is done by jobs.
async fn keep_house(api: Api) {
    let mut tick = tokio::time::interval(Duration::from_secs(5));
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut ticks = 0_u64;
    loop {
        tick.tick().await;
        api.metrics.upkeep();
        ticks += 1;
        if ticks.is_multiple_of(12) {
            api.people.tidy();
            if let Some(rate) = &api.rate {
                rate.tidy();
            }
        }
    }
}

fn greet(public_url: &str, credentials: &demo::Credentials) {
    out::line(format_args!(
        "\nAssay is at {public_url}, for development.\n\
         \n  API reference   {public_url}/reference/\n  health          {public_url}/readyz\n  credentials     {}\n\
         \nTry this in another terminal:\n\n  {}\n",
        credentials.file.display(),
        credentials.example()
    ));
}
