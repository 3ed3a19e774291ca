//! The Assay server and its tools, in one binary.

mod commands;
mod config;
mod lifecycle;
mod operator;
mod panics;
mod private_file;
mod serve;
mod shell;
mod startup;
mod telemetry;
mod work;

use clap::{Parser, Subcommand};
use evaluate::output as out;
use std::{path::PathBuf, process::ExitCode};

/// A self-hosted trust-and-safety server.
#[derive(Parser)]
#[command(name = "assay", version, about, propagate_version = true)]
#[command(
    after_help = "Start with `assay serve --dev --data-dir data`; `assay doctor` tells what is missing."
)]
struct Cli {
    #[command(flatten)]
    installation: InstallationArgs,
    #[command(subcommand)]
    command: Command,
}

/// Where this installation keeps its data and settings; the same for every command.
#[derive(clap::Args, Clone, Debug)]
struct InstallationArgs {
    /// Folder with the database, keys and files.
    #[arg(long, global = true, env = "ASSAY_DATA_DIR", default_value = "data", value_name = "DIR")]
    data_dir: PathBuf,
    /// Configuration file (TOML); settings can also come from the environment, as `ASSAY__SECTION__NAME`.
    #[arg(long, global = true, env = "ASSAY_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
}

#[derive(Subcommand)]
enum Command {
    /// Serve all interfaces over HTTP.
    Serve(serve::ServeArgs),
    /// Run jobs only: deliveries, videos, housekeeping. `serve` runs them as well, unless `--no-work` is given.
    Work(work::WorkArgs),
    /// Jobs: waiting, running, or parked after too many failures.
    #[command(subcommand)]
    Jobs(commands::jobs::JobsCommand),
    /// Deliveries: messages to applications' own servers, and the secrets that sign them.
    #[command(subcommand)]
    Deliveries(commands::deliveries::DeliveriesCommand),
    /// Bearer tokens that the operator creates, for clients that cannot sign requests.
    #[command(subcommand)]
    Token(commands::token::TokenCommand),
    /// Proofs of age: issue them, and list the issuers that this server trusts.
    #[command(subcommand)]
    Poa(commands::poa::PoaCommand),
    /// Policies: what laws ask for, as sessions of age verification. List, read, check and sign them.
    #[command(subcommand)]
    Policies(commands::policies::PoliciesCommand),
    Init(commands::init::InitArgs),
    /// Operators: people with a grant on the whole installation.
    #[command(subcommand)]
    Operator(commands::operator::OperatorCommand),
    /// Organisations: the tenants.
    #[command(subcommand)]
    Org(commands::org::OrgCommand),
    /// Applications of an organisation; an application's id is its SDK ID.
    #[command(subcommand)]
    App(commands::app::AppCommand),
    /// Moderation accounts: open and close them, invite members.
    #[command(subcommand)]
    Account(commands::account::AccountCommand),
    /// The audit trail: export and verify who did what. And: check that nothing is left of deleted accounts.
    #[command(subcommand)]
    Audit(commands::audit::AuditCommand),
    /// Keys of an application: public keys that verify its requests, API keys that authenticate its calls.
    #[command(subcommand)]
    Key(commands::key::KeyCommand),
    /// Keys of the installation: the master key, and those that sign webhooks, proofs of age and blind tokens.
    #[command(subcommand)]
    Keys(commands::keys::KeysCommand),
    /// The models: import them from the locked packages, list and verify them.
    #[command(subcommand)]
    Models(commands::models::ModelsCommand),
    /// Checks of document sessions that await a reviewer.
    #[command(subcommand)]
    Reviews(commands::reviews::ReviewsCommand),
    /// Documents and faces that are used for fraud: list them, and remove them.
    #[command(subcommand)]
    FraudList(commands::fraud_list::FraudListCommand),
    /// Faces of profiles: which of them were embedded by the current model.
    #[command(subcommand)]
    Faces(commands::faces::FacesCommand),
    /// Sign a request, send it and print the response.
    Call(commands::call::CallArgs),
    /// Measure accuracy on your own labelled pictures.
    #[command(subcommand)]
    Evaluate(evaluate::EvaluateCommand),
    /// Read a document: machine-readable zone, barcode, print, photo quality and authenticity.
    ReadDocument(commands::read_document::ReadDocumentArgs),
    /// Print a practice statement according to ISO/IEC 27566-1, from the settings in force.
    PracticeStatement(commands::practice_statement::PracticeStatementArgs),
    /// Check models, database, disk, clock and ffmpeg, and say how to fix what is wrong.
    Doctor(commands::doctor::DoctorArgs),
    /// Measure what this machine does with each interface, on a server and a database of its own.
    Bench(commands::bench::BenchArgs),
    /// Print the OpenAPI document of an interface.
    Openapi {
        /// The interface.
        #[arg(value_parser = api::openapi::DOCUMENT_NAMES)]
        name: String,
    },
    /// Update the database's schema; `serve` does it as well.
    Migrate,
    /// Cut one face out of a group photo, within the limits of image analysis, to try the interface with.
    SampleFace(commands::sample_face::SampleFaceArgs),
}

fn main() -> ExitCode {
    panics::report_on_stderr();
    // Before there is a second thread: this process may be meant to become a confined child.
    media::sandbox::run_if_asked();
    // Before memory is kept private, because the path of this program could not be read after that.
    if let Err(error) = vision::disable_runtime_telemetry() {
        out::remark(format_args!(
            "error: the telemetry of the models' runtime cannot be turned off: {error}; set ORT_DISABLE_TELEMETRY=1"
        ));
        return ExitCode::FAILURE;
    }
    if let Err(error) = keep_memory_private() {
        out::remark(format_args!("note: the memory of this process could be dumped: {error}"));
    }
    run_command_line()
}

#[tokio::main]
async fn run_command_line() -> ExitCode {
    let Cli { installation, command } = Cli::parse();
    let code = match Box::pin(run(&installation, command)).await {
        Ok(code) => code,
        Err(error) => {
            out::remark(format_args!("error: {error:#}"));
            ExitCode::FAILURE
        }
    };
    if let Some(error) = out::failure() {
        out::remark(format_args!("error: the result could not be written: {error}"));
        return ExitCode::FAILURE;
    }
    code
}

/// Keeps keys from getting into files by a crash, or to other processes of the same user: no core dumps, and no reading of
/// this process's memory.
fn keep_memory_private() -> std::io::Result<()> {
    use rustix::process::{DumpableBehavior, Resource, Rlimit, set_dumpable_behavior, setrlimit};
    setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) })?;
    Ok(set_dumpable_behavior(DumpableBehavior::NotDumpable)?)
}

async fn run(installation: &InstallationArgs, command: Command) -> anyhow::Result<ExitCode> {
    let mut config = config::Config::load(installation)?;
    // What the server does by itself is its own; what a tool does, whoever called it.
    if !matches!(command, Command::Serve(_) | Command::Work(_)) {
        config.actor = Some(operator::operator());
    }
    media::sandbox::configure(config.children.clone());
    match command {
        Command::Serve(args) => serve::serve(&args, config).await?,
        Command::Work(args) => Box::pin(work::run(&args, config)).await?,
        Command::Jobs(jobs) => jobs.run(&config).await?,
        Command::Deliveries(deliveries) => deliveries.run(&config).await?,
        Command::Token(token) => token.run(&config).await?,
        Command::Poa(poa) => poa.run(&config).await?,
        Command::Policies(policies) => return policies.run(&config),
        Command::Init(init) => init.run(&config).await?,
        Command::Operator(operator) => operator.run(&config).await?,
        Command::Org(org) => org.run(&config).await?,
        Command::App(app) => app.run(&config).await?,
        Command::Account(account) => account.run(&config).await?,
        Command::Audit(audit) => return audit.run(&config).await,
        Command::Key(key) => key.run(&config).await?,
        Command::Keys(keys) => keys.run(&config).await?,
        Command::Models(models) => models.run(&config).await?,
        Command::Reviews(reviews) => reviews.run(&config).await?,
        Command::FraudList(fraud_list) => fraud_list.run(&config).await?,
        Command::Faces(faces) => faces.run(&config).await?,
        Command::Call(call) => return call.run(&config).await,
        Command::Evaluate(command) => commands::evaluate::run(command, &config).await?,
        Command::ReadDocument(read) => return read.run(&config).await,
        Command::PracticeStatement(practice) => practice.run(&config).await?,
        Command::Doctor(doctor) => return doctor.run(&config).await,
        Command::Bench(bench) => bench.run(&config).await?,
        Command::Openapi { name } => {
            let brand = config.brand()?;
            out::line(format_args!("{}", api::openapi::document_json(&name, &brand).unwrap_or_default()));
        }
        Command::Migrate => {
            let db = config.open_database()?;
            let before = db.schema_status().await?;
            db.migrate().await?;
            let after = db.schema_status().await?;
            out::line(format_args!(
                "{} migrations applied; the schema is {}",
                before.pending, after.database
            ));
        }
        Command::SampleFace(sample) => sample.run(&config)?,
    }
    Ok(ExitCode::SUCCESS)
}
