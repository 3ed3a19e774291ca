//! Settings: defaults, overridden by the file, overridden by the environment (`ASSAY__SECTION__NAME`). Unknown names are
//! errors. The settings of a part of the program are a type of its own crate; the modules here have what only the binary
//! knows.

mod database;
mod in_force;
mod keys;
mod mail;
mod models;
mod process;
mod storage;
#[cfg(test)]
mod tests;

pub(crate) use process::{LogConfig, LogFormat};

use crate::{InstallationArgs, private_file};
use anyhow::Context as _;
use api::{
    ApiSettings, Brand, ExplanationSettings, GeoSettings, SignatureSettings, VirtualHostSettings,
    VirtualHosts,
};
use base::{Environment, Secret, SystemEnvironment};
use credentials::trust::VerificationKey;
use db::Db;
use domain::{
    accounts::sign_in::SignInSettings,
    age_verification::AgeVerificationSettings,
    audit_trail::AuditTrail,
    cases::CaseSettings,
    content_moderation::ContentModerationSettings,
    data_keys::InstallationUse,
    delivery::DeliverySettings,
    document_verification::DocumentVerificationSettings,
    faces::FaceIndexSettings,
    image_analysis::{AnalysisRules, FaceRules, ImageAnalyser},
    keyring::{KEY_BYTES, Keyring},
    proof_of_age::ProofOfAgeSettings,
    request_log::RequestLogSettings,
    tenancy::limits::LimitSettings,
};
use media::{
    blobs::BlobBackend, fetch::EgressPolicy, image_validation::ImageLimits, sandbox::SandboxSettings,
    video::VideoSettings,
};
use serde::{Deserialize, Serialize};
use services::{ServiceDependencies, ServiceSettings, Services};
use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

/// Everything that an operator can set. `assay doctor --settings` prints what is in force.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Config {
    /// The folder with the database, keys and files; an argument, not a setting.
    #[serde(skip)]
    pub(crate) data_dir: PathBuf,
    /// Who acts in the database; `None`: the server itself.
    #[serde(skip)]
    pub(crate) actor: Option<String>,
    /// The configuration file, if there is one; an argument as well.
    #[serde(skip)]
    pub(crate) config_file: Option<PathBuf>,
    pub(crate) server: process::ServerConfig,
    pub(crate) database: database::DatabaseConfig,
    pub(crate) wire: process::WireConfig,
    pub(crate) hosts: VirtualHostSettings,
    pub(crate) auth: SignatureSettings,
    pub(crate) limits: LimitSettings,
    pub(crate) models: models::ModelsConfig,
    pub(crate) image: ImageLimits,
    pub(crate) face: FaceRules,
    pub(crate) estimate: ExplanationSettings,
    pub(crate) audit: process::AuditConfig,
    pub(crate) egress: EgressPolicy,
    pub(crate) jobs: process::JobsConfig,
    pub(crate) delivery: DeliverySettings,
    pub(crate) proof: ProofOfAgeSettings,
    pub(crate) moderation: ContentModerationSettings,
    pub(crate) identity: DocumentVerificationSettings,
    pub(crate) ages: AgeVerificationSettings,
    pub(crate) locations: GeoSettings,
    pub(crate) video: VideoSettings,
    pub(crate) children: SandboxSettings,
    pub(crate) mail: mail::MailConfig,
    pub(crate) console: SignInSettings,
    pub(crate) cases: CaseSettings,
    pub(crate) request_log: RequestLogSettings,
    pub(crate) storage: storage::StorageConfig,
    pub(crate) faces: FaceIndexSettings,
    pub(crate) secrets: keys::SecretsConfig,
    pub(crate) log: LogConfig,
}

/// What a process has opened before its services are built.
#[derive(Debug)]
pub(crate) struct OpenInstallation {
    /// The database, migrated.
    pub(crate) db: Db,
    /// The keys that the master key opened.
    pub(crate) keyring: Keyring,
    /// Where files are stored.
    pub(crate) blobs: BlobBackend,
    /// The models, or the place that they are loaded into later.
    pub(crate) image_analyser: ImageAnalyser,
}

/// The environment variables that are settings. All arrive as texts, for one that looks like a number may be the id of an
/// account; a setting that is a number or a boolean reads its text. In sections with a `provider`, that is
/// [`base::settings::boolean_or_text`] and [`base::settings::number_or_text`].
fn environment_source() -> config::Environment {
    config::Environment::with_prefix("ASSAY").prefix_separator("__").separator("__")
}

impl Config {
    /// Reads the file and the environment.
    pub(crate) fn load(installation: &InstallationArgs) -> anyhow::Result<Self> {
        let mut sources = config::Config::builder();
        if let Some(file) = &installation.config {
            sources = sources.add_source(config::File::from(file.as_path()).format(config::FileFormat::Toml));
        }
        let mut config: Self = sources
            .add_source(environment_source())
            .build()
            .and_then(config::Config::try_deserialize)
            .context("the configuration cannot be read")?;
        installation.data_dir.clone_into(&mut config.data_dir);
        config.config_file.clone_from(&installation.config);
        Ok(config)
    }

    /// The settings of another file, for the same data folder.
    pub(crate) fn with_file(&self, file: PathBuf) -> anyhow::Result<Self> {
        Self::load(&InstallationArgs { data_dir: self.data_dir.clone(), config: Some(file) })
    }

    /// The data folder; created, for its owner only, if it is missing.
    pub(crate) fn data_dir(&self) -> anyhow::Result<&Path> {
        use std::os::unix::fs::DirBuilderExt as _;
        let created = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.data_dir);
        created.with_context(|| format!("the data folder {} cannot be made", self.data_dir.display()))?;
        Ok(&self.data_dir)
    }

    /// The data folder and the database's file, if they exist and others than their owner may look into them; with their
    /// modes.
    pub(crate) fn exposed_paths(&self) -> Vec<(PathBuf, u32)> {
        use std::os::unix::fs::PermissionsExt as _;
        let database = self.open_existing_database().ok().and_then(|database| database.sqlite_file());
        let mode = |path: PathBuf| {
            let mode = std::fs::metadata(&path).ok()?.permissions().mode() & 0o777;
            (mode & 0o077 != 0).then_some((path, mode))
        };
        [Some(self.data_dir.clone()), database].into_iter().flatten().filter_map(mode).collect()
    }

    /// What of the operator's secrets and data lies where children that read untrusted files could read it, and under which
    /// path.
    pub(crate) fn paths_readable_by_children(&self) -> Vec<(PathBuf, PathBuf)> {
        let private = [Some(self.data_dir.clone()), Some(self.master_key_file()), self.config_file.clone()];
        let readable = |path: PathBuf| Some((path.clone(), media::sandbox::readable_by_children(&path)?));
        private.into_iter().flatten().filter_map(readable).collect()
    }

    /// How many children there can be at once, and the address space in bytes that they can reserve together: one for each
    /// moderation that runs, and one for each document that is read.
    pub(crate) fn most_of_children(&self) -> (u64, u64) {
        let documents = media::document_file::DocumentFileSettings::default();
        let (heavy, live) = services::moderation_slots(&self.moderation);
        let (videos, files) = ((heavy + live) as u64, domain::document_verification::max_open_media() as u64);
        let reserved = videos.saturating_mul(self.video.decoder_bytes);
        (videos.saturating_add(files), reserved.saturating_add(files * documents.memory_bytes))
    }

    /// The word in header names and codes.
    pub(crate) fn brand(&self) -> anyhow::Result<Brand> {
        Ok(Brand::new(&self.wire.brand)?)
    }

    /// The address of the server as another process of this machine can know it: from the settings, or else from the file
    /// that the latest start of `assay serve` wrote.
    pub(crate) fn public_url(&self) -> String {
        let recorded = || {
            let text = std::fs::read_to_string(self.server_url_file()).ok()?;
            Some(text.trim().to_owned()).filter(|url| !url.is_empty())
        };
        let url = self.server.public_url.clone().or_else(recorded);
        url.unwrap_or_else(|| "http://127.0.0.1:8080".to_owned()).trim_end_matches('/').to_owned()
    }

    /// Writes down at which address this server is reached, for commands whose settings do not say so.
    pub(crate) fn record_public_url(&self, public_url: &str) -> anyhow::Result<()> {
        private_file::replace(&self.server_url_file(), &format!("{public_url}\n"))
    }

    /// The file that `assay serve` writes its address to.
    fn server_url_file(&self) -> PathBuf {
        self.data_dir.join("server.url")
    }

    /// The file that `assay serve --dev` writes.
    pub(crate) fn dev_credentials(&self) -> PathBuf {
        self.data_dir.join("dev-credentials.json")
    }

    /// What that file says.
    fn read_dev_credentials(&self) -> Option<serde_json::Value> {
        serde_json::from_slice(&std::fs::read(self.dev_credentials()).ok()?).ok()
    }

    /// The limits that images must meet in image analysis and age estimation: the sections `[image]` and `[face]`.
    pub(crate) fn image_analysis_rules(&self) -> AnalysisRules {
        AnalysisRules { image: self.image.clone(), face: self.face }
    }

    /// The services of a server that is reached at `public_url`, without a trailing slash. With `dev`, this machine may be
    /// called as well, and mails are written to a folder unless a mail server is set up.
    pub(crate) async fn open_services(
        &self,
        OpenInstallation { db, keyring, blobs, image_analyser }: OpenInstallation,
        public_url: &str,
        dev: bool,
    ) -> anyhow::Result<Services> {
        let environment: Arc<dyn Environment> = Arc::new(SystemEnvironment);
        let egress = if dev { self.egress.clone().with_loopback() } else { self.egress.clone() };
        let dependencies = ServiceDependencies {
            environment,
            db,
            keyring,
            egress,
            blobs,
            face_index_folder: self.data_dir.join("faces"),
            mail: self.mail_transport(dev)?,
            mail_from: self.mail.from.clone(),
            image_analyser,
            wire_format: Arc::new(api::WebhookFormatter),
            settings: self.service_settings(public_url)?,
        };
        Ok(Services::new(dependencies).await?)
    }

    /// The services for a tool, which knows the server's address only from the settings; the database is migrated. With
    /// `dev`, for a tool beside a server with `--dev`.
    pub(crate) async fn open_services_for_tool(&self, dev: bool) -> anyhow::Result<Services> {
        let provider = self.master_key_provider()?;
        let db = self.open_database()?;
        db.migrate().await?;
        let purpose = if dev { InstallationUse::Development } else { InstallationUse::Tool };
        let keyring = self.keyring(&db, &*provider, purpose).await?;
        let image_analyser = self.new_image_analyser();
        let installation = OpenInstallation { db, keyring, blobs: self.blob_backend()?, image_analyser };
        self.open_services(installation, &self.public_url(), dev).await
    }

    /// The services for a tool that looks at nothing but settings: the database is not touched, no folder is made, and nothing
    /// that they seal can be opened.
    pub(crate) async fn open_services_for_settings(&self) -> anyhow::Result<Services> {
        let mut key = [0; KEY_BYTES];
        SystemEnvironment.fill_random(&mut key);
        let installation = OpenInstallation {
            db: self.open_existing_database()?,
            keyring: Keyring::new(Secret::new(key)),
            blobs: self.blob_backend_for_settings()?,
            image_analyser: self.new_image_analyser(),
        };
        // What --dev made is served with --dev alone.
        let dev = self.dev_credentials().is_file();
        self.open_services(installation, &self.public_url(), dev).await
    }

    /// The place that the models are loaded into.
    pub(crate) fn new_image_analyser(&self) -> ImageAnalyser {
        ImageAnalyser::new(self.image_analysis_rules())
    }

    /// The database, migrated, for a tool that needs no service, and the trail in which what it does there is recorded. Fails
    /// if the master key is not the one that the database needs.
    pub(crate) async fn open_audited_database(&self) -> anyhow::Result<(Db, AuditTrail)> {
        let provider = self.master_key_provider()?;
        let db = self.open_database()?;
        db.migrate().await?;
        let keyring = self.keyring(&db, &*provider, InstallationUse::Tool).await?;
        let trail = AuditTrail::new(&keyring, Arc::new(SystemEnvironment));
        Ok((db.with_recorder(Arc::new(trail.clone())), trail))
    }

    /// How long what is known of people is kept.
    pub(crate) fn retention(&self) -> anyhow::Result<domain::retention::RetentionSettings> {
        Ok(self.service_settings(&self.public_url())?.retention())
    }

    /// The settings of all services, with what is no setting of theirs filled in.
    fn service_settings(&self, public_url: &str) -> anyhow::Result<ServiceSettings> {
        let mut settings = ServiceSettings {
            age_verification: AgeVerificationSettings {
                brand: self.wire.brand.to_ascii_lowercase(),
                ..self.ages.clone()
            },
            cases: self.cases.clone(),
            content_moderation: ContentModerationSettings {
                parallel_frames: models::cores(),
                ..self.moderation.clone()
            },
            delivery: self.delivery,
            document_verification: DocumentVerificationSettings {
                models_dir: self.models_folder(),
                ..self.identity.clone()
            },
            faces: self.faces.clone(),
            proof_of_age: ProofOfAgeSettings {
                trust_list_keys: self.trust_list_keys()?,
                ..self.proof.clone()
            },
            request_log: self.request_log,
            sign_in: self.console.clone(),
            video: self.video.clone(),
            audit_retention: self.audit.retention,
            lease: self.jobs.lease,
            limits: self.limits,
        };
        settings.set_public_url(public_url);
        Ok(settings)
    }

    /// The keys that sign the published trust list.
    pub(crate) fn trust_list_keys(&self) -> anyhow::Result<Vec<VerificationKey>> {
        match &self.proof.trust_list_keys_file {
            Some(file) => {
                let named = format!("proof.trust_list_keys_file {}", file.display());
                let set = std::fs::read(file).with_context(|| format!("{named} cannot be read"))?;
                VerificationKey::parse_set(&set).with_context(|| format!("{named} is not a JWK set"))
            }
            None if self.proof.trust_list_url.is_some() => {
                anyhow::bail!(
                    "proof.trust_list_url needs proof.trust_list_keys_file: an unsigned list could come from anyone"
                )
            }
            None => Ok(Vec::new()),
        }
    }

    /// The settings of the HTTP interfaces of a server that is reached at `public_url`.
    pub(crate) fn api_settings(&self, public_url: &str) -> ApiSettings {
        ApiSettings {
            signature: self.auth.clone(),
            max_image_body_bytes: self.server.body_bytes,
            body_timeout: self.server.read_timeout,
            virtual_hosts: VirtualHosts::from(&self.hosts),
            public_url: public_url.to_owned(),
            has_admin_listener: self.server.admin_listen.is_some(),
            frame_origins: self.server.frame_origins.clone(),
            max_accounts_per_application: self.moderation.max_accounts,
            explanation: self.estimate.clone(),
        }
    }
}
