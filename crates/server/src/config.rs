//! Settings: defaults, then the file, then the environment (`ASSAY__SECTION__NAME`). An unknown name is an error.

use crate::InstallationArgs;
use age_methods::{card, oidc, passkey, registry, wallet};
use anyhow::Context as _;
use base::{Environment, Secret, SignedDuration, SystemEnvironment};
use credentials::trust::VerificationKey;
use domain::{
    accounts::sign_in,
    faces::EnrolRules,
    image_analysis::{AnalysisRules, FaceRules},
    keyring::Keyring,
    mail::{MailTransport, SmtpTls, SmtpTransport},
};
use media::blobs::{self, BlobStore};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    num::NonZeroU32,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// Everything an operator can set. `assay doctor --settings` prints what is in force.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Config {
    /// Folder with the database, keys and files.
    #[serde(skip)]
    pub(crate) data_dir: PathBuf,
    pub(crate) server: ServerConfig,
    pub(crate) database: DatabaseConfig,
    pub(crate) wire: WireConfig,
    pub(crate) hosts: VirtualHostsConfig,
    pub(crate) auth: AuthConfig,
    pub(crate) limits: RateLimitConfig,
    pub(crate) models: ModelsConfig,
    pub(crate) image: media::image_validation::ImageLimits,
    pub(crate) face: FaceRules,
    pub(crate) estimate: ImageAnalysisConfig,
    pub(crate) audit: AuditConfig,
    pub(crate) egress: media::fetch::EgressPolicy,
    pub(crate) jobs: JobsConfig,
    pub(crate) delivery: DeliveryConfig,
    pub(crate) proof: ProofOfAgeConfig,
    pub(crate) moderation: ContentModerationConfig,
    pub(crate) identity: DocumentVerificationConfig,
    pub(crate) ages: AgeVerificationConfig,
    pub(crate) locations: LocationsConfig,
    pub(crate) video: media::video::VideoSettings,
    pub(crate) mail: MailConfig,
    pub(crate) console: ConsoleConfig,
    pub(crate) storage: StorageConfig,
    pub(crate) faces: FaceIndexConfig,
    pub(crate) secrets: SecretsConfig,
    pub(crate) log: LogConfig,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ServerConfig {
    /// Where callers reach this server; generated links start with it. Default: `http://` and the listen address.
    pub(crate) public_url: Option<String>,
    /// The largest request body, bytes.
    pub(crate) body_bytes: usize,
    /// Seconds a request's headers, and then its body, may take to arrive.
    pub(crate) read_timeout_seconds: u64,
    /// Connections held at once; further ones wait.
    pub(crate) connections: usize,
    /// Free space below which the server reports that it is not ready, bytes.
    pub(crate) min_free_bytes: u64,
}

impl Default for ServerConfig {
    fn default() -> Self {
        Self {
            public_url: None,
            body_bytes: 2 << 20,
            read_timeout_seconds: 30,
            connections: 4096,
            min_free_bytes: 64 << 20,
        }
    }
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct DatabaseConfig {
    /// `sqlite:PATH` or `postgres://…`. Default: `assay.db` in the data folder.
    #[serde(skip_serializing)]
    pub(crate) url: Option<Secret<String>>,
    /// A file that holds the URL instead, so that its password stands in no process list.
    pub(crate) url_file: Option<PathBuf>,
    /// Connections held at most.
    pub(crate) connections: u32,
}

impl Default for DatabaseConfig {
    fn default() -> Self {
        Self { url: None, url_file: None, connections: 8 }
    }
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct WireConfig {
    /// The word in `X-Svc-*` headers and error codes.
    pub(crate) brand: String,
}

impl Default for WireConfig {
    fn default() -> Self {
        Self { brand: "Svc".to_owned() }
    }
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct AuthConfig {
    /// How far a signed request's timestamp may be off, seconds.
    pub(crate) max_clock_skew_seconds: u32,
}

impl Default for AuthConfig {
    fn default() -> Self {
        Self { max_clock_skew_seconds: 300 }
    }
}

/// A host name of its own for an interface; on it the interface's paths need no prefix, and no other is served.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct VirtualHostsConfig {
    pub(crate) moderation: Option<String>,
    pub(crate) ai: Option<String>,
    pub(crate) proof: Option<String>,
    pub(crate) identity: Option<String>,
    pub(crate) ages: Option<String>,
}

/// How it is found out where people are, for what a business does not offer everywhere.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LocationsConfig {
    /// A header that your proxy sets, and takes away where a caller sent it: a country (`US`) or a part of one (`US-UT`).
    pub(crate) header: Option<String>,
    /// A database of addresses in `MaxMind`'s format, with countries or cities.
    pub(crate) geoip: Option<PathBuf>,
    /// The header in which your proxy notes callers' addresses, the last one being its own caller's. Default: none, the
    /// address of the connection counts.
    pub(crate) address_header: Option<String>,
}

/// How often one application may call; each process counts for itself.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct RateLimitConfig {
    /// Calls of one application in a minute, in the long run. Default: no limit.
    pub(crate) calls_per_minute: Option<NonZeroU32>,
    /// Calls at once. Default: as many as in a minute.
    pub(crate) burst: Option<NonZeroU32>,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ModelsConfig {
    /// The folder with `pack.json`. Default: the first of `models` in the data folder, `models/pack` beside the
    /// binary's checkout and in the working folder that holds one.
    pub(crate) folder: Option<PathBuf>,
    /// Workers; each uses one core. Default: one for each core.
    pub(crate) workers: Option<usize>,
    /// Images that may wait for a worker before callers get a 503. Default: two for each worker.
    pub(crate) queue: Option<usize>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ImageAnalysisConfig {
    /// The age that `?explain=true` holds an estimate against where the request names no threshold.
    pub(crate) explained_age: u8,
    /// The false-positive rate for which `?explain=true` states a buffer.
    pub(crate) explained_rate: f64,
}

impl Default for ImageAnalysisConfig {
    fn default() -> Self {
        Self { explained_age: 18, explained_rate: 0.05 }
    }
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct AuditConfig {
    /// `on` keeps a signed record of each decision, never the image.
    pub(crate) decisions: OnOff,
}

/// Work that survives.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct JobsConfig {
    /// Seconds after which the work of a process that died is done by another.
    pub(crate) lease_seconds: u32,
}

impl Default for JobsConfig {
    fn default() -> Self {
        Self { lease_seconds: 60 }
    }
}

/// Messages to applications' own servers.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct DeliveryConfig {
    /// Attempts at once.
    pub(crate) at_once: usize,
    /// Attempts at once to one host of an application, which it gets step by step while it answers.
    pub(crate) per_endpoint: usize,
    /// Seconds a receiver may take to answer.
    pub(crate) timeout_seconds: u64,
    /// Days that deliveries are kept after they ended.
    pub(crate) keep_days: u32,
}

impl Default for DeliveryConfig {
    fn default() -> Self {
        Self { at_once: 256, per_endpoint: 64, timeout_seconds: 15, keep_days: 30 }
    }
}

/// Proofs of age.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ProofOfAgeConfig {
    /// The file with the trust list: whose proofs are believed.
    pub(crate) trust_list: Option<PathBuf>,
    /// Where a signed trust list is published (https); it is fetched every hour, and joined to the file.
    pub(crate) trust_list_url: Option<String>,
    /// The file with the keys that sign that list, a JWK set.
    pub(crate) trust_list_keys_file: Option<PathBuf>,
    /// Whether proofs that this server issued are believed.
    pub(crate) trust_own: bool,
    /// Seconds from the making of a proof to its scan, where an issuer's entry says nothing else.
    pub(crate) freshness_seconds: u32,
    /// The age from which alcohol is sold where this server stands, years.
    pub(crate) alcohol_age: u8,
    /// The audience that wallets name in key-binding tokens, where one is agreed.
    pub(crate) audience: Option<String>,
}

impl Default for ProofOfAgeConfig {
    fn default() -> Self {
        Self {
            trust_list: None,
            trust_list_url: None,
            trust_list_keys_file: None,
            trust_own: true,
            freshness_seconds: 30,
            alcohol_age: 18,
            audience: None,
        }
    }
}

/// Content moderation.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ContentModerationConfig {
    /// Accounts that one application may have.
    pub(crate) accounts: i64,
    /// Pictures of a video that are looked at, each second.
    pub(crate) samples_per_second: f64,
    /// The lowest face that is looked for, pixels.
    pub(crate) smallest_face: f32,
    /// Seconds that a live video may be away before its moderation fails.
    pub(crate) outage_seconds: u32,
    /// Seconds that an appearance in a live video is watched before it is judged.
    pub(crate) settle_seconds: f64,
    /// Images and videos moderated at once by one process. Default: twice as many as it has cores.
    pub(crate) at_once: Option<usize>,
    /// Live videos watched at once by one process.
    pub(crate) live_at_once: usize,
}

impl Default for ContentModerationConfig {
    fn default() -> Self {
        let domain::content_moderation::ContentModerationSettings {
            frames_per_second: rate,
            min_face_pixels: smallest_face,
            max_outage_seconds: outage,
            settle_seconds: settle,
            ..
        } = domain::content_moderation::ContentModerationSettings::default();
        Self {
            accounts: 100,
            samples_per_second: rate,
            smallest_face,
            outage_seconds: outage,
            settle_seconds: settle,
            at_once: None,
            live_at_once: 16,
        }
    }
}

/// Document verification sessions.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct DocumentVerificationConfig {
    /// Days that a session is kept after its resources were destroyed: its state and what its checks said.
    pub(crate) keep_days: u32,
    /// Seconds that a call waits for the document that it has read.
    pub(crate) wait_seconds: u64,
    /// Countries of whose documents no pictures are given out, ISO 3166-1 alpha-3.
    pub(crate) withheld_countries: Vec<String>,
    /// Calls that the person of one session may make in a minute, all of them at once if need be.
    pub(crate) calls_per_minute: NonZeroU32,
}

impl Default for DocumentVerificationConfig {
    fn default() -> Self {
        Self {
            keep_days: 30,
            wait_seconds: 10,
            withheld_countries: Vec::new(),
            calls_per_minute: const { NonZeroU32::new(240).unwrap() },
        }
    }
}

/// Age verification sessions.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct AgeVerificationConfig {
    /// Days that a session is kept after its end: its state and what came of it.
    pub(crate) keep_days: u32,
    /// How sure an estimated age must be to pass or to fail, 0.5 to 0.999; what is less sure goes to the next method.
    pub(crate) sure: f64,
    /// Days that a result may be kept under a person's own key.
    pub(crate) key_days: u32,
    /// Whether a person who has shown to be old enough may take a proof of it along, where the business uses proofs of age.
    pub(crate) proofs: bool,
    /// Who answers for the methods that need somebody outside; see docs/PROVIDERS.md.
    #[serde(skip_serializing)]
    pub(crate) credit_card: Option<card::CardProviderSettings>,
    #[serde(skip_serializing)]
    pub(crate) mobile: Option<domain::age_verification::MobileSettings>,
    #[serde(skip_serializing)]
    pub(crate) email: Option<registry::RegistrySettings>,
    #[serde(skip_serializing)]
    pub(crate) social_security_number: Option<registry::RegistrySettings>,
    #[serde(skip_serializing)]
    pub(crate) us_florida_hb3: Option<registry::RegistrySettings>,
    #[serde(skip_serializing)]
    pub(crate) la_wallet: Option<registry::RegistrySettings>,
    #[serde(skip_serializing)]
    pub(crate) cpf: Option<registry::RegistrySettings>,
    #[serde(skip_serializing)]
    pub(crate) electronic_id: BTreeMap<String, oidc::IdentityProviderSettings>,
    #[serde(skip_serializing)]
    pub(crate) singpass: Option<oidc::IdentityProviderSettings>,
    #[serde(skip_serializing)]
    pub(crate) digital_id: Option<wallet::WalletSettings>,
    #[serde(skip_serializing)]
    pub(crate) svc_key: Option<passkey::PasskeySettings>,
    #[serde(skip_serializing)]
    pub(crate) double_anonymity: Option<domain::age_verification::BlindTokenSettings>,
}

impl Default for AgeVerificationConfig {
    fn default() -> Self {
        let domain::age_verification::AgeVerificationSettings {
            min_confidence: sure,
            offers_proof_of_age: proofs,
            ..
        } = domain::age_verification::AgeVerificationSettings::default();
        Self {
            keep_days: 30,
            sure,
            key_days: 30,
            proofs,
            credit_card: None,
            mobile: None,
            email: None,
            social_security_number: None,
            us_florida_hb3: None,
            la_wallet: None,
            cpf: None,
            electronic_id: BTreeMap::new(),
            singpass: None,
            digital_id: None,
            svc_key: None,
            double_anonymity: None,
        }
    }
}

/// The mail server that invitations and sign-in links are sent by. It is the operator's own, and called directly.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct MailConfig {
    /// Its name. Without one `--dev` writes mails to the folder `mail` in the data folder, and else nobody is invited.
    pub(crate) host: Option<String>,
    /// Its port. Default: 587 with starttls, 465 with tls, 25 with none.
    pub(crate) port: Option<u16>,
    /// `starttls` (required, never merely tried), `tls` from the first byte, or `none`, with a server on this machine.
    pub(crate) tls: SmtpTls,
    /// Who this server is there.
    pub(crate) user: Option<String>,
    /// The file with the password.
    pub(crate) password_file: Option<PathBuf>,
    /// A file with a further certificate to trust, PEM: for a mail server with a certificate of its own.
    pub(crate) ca_file: Option<PathBuf>,
    /// Whom mails come from, as `Assay <assay@example.com>`.
    pub(crate) from: Option<String>,
}

/// How members come into the console.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct ConsoleConfig {
    /// Days that an invitation may be accepted.
    pub(crate) invitation_days: u32,
    /// Minutes that a sign-in link works.
    pub(crate) link_minutes: u32,
    /// Sign-in links that an address gets in an hour.
    pub(crate) links_per_hour: u32,
    /// Sign-in links that all addresses together may ask for in a minute; each process counts for itself.
    pub(crate) links_per_minute: NonZeroU32,
    /// Hours until a session ends that is not used.
    pub(crate) idle_hours: u32,
    /// Days until a session ends in any case.
    pub(crate) session_days: u32,
}

impl Default for ConsoleConfig {
    fn default() -> Self {
        Self {
            invitation_days: 7,
            link_minutes: 15,
            links_per_hour: 5,
            links_per_minute: NonZeroU32::new(60).unwrap_or(NonZeroU32::MIN),
            idle_hours: 12,
            session_days: 7,
        }
    }
}

/// Faces of profiles: what is kept of them, and when two are one person's.
#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct FaceIndexConfig {
    /// Whether pictures of enrolled faces are kept, so that another model can be taken later without enrolling anew.
    pub(crate) keep_images: bool,
    /// The share of strangers that may pass for one person where two faces are compared. The model says at which
    /// distance that is.
    pub(crate) verify_fmr: f64,
    /// The same where a face is looked for among all profiles.
    pub(crate) identify_fmr: f64,
    /// The greatest distance of two faces of one person, instead of `verify_fmr`.
    pub(crate) verify_distance: Option<f32>,
    /// The greatest distance of a face that is found, instead of `identify_fmr`.
    pub(crate) identify_distance: Option<f32>,
    /// Accounts whose index stays open when nobody searches it.
    pub(crate) open_indexes: usize,
    /// What a picture of a face must be like.
    pub(crate) enrol: EnrolRules,
}

impl Default for FaceIndexConfig {
    fn default() -> Self {
        Self {
            keep_images: true,
            verify_fmr: 1e-3,
            identify_fmr: 1e-4,
            verify_distance: None,
            identify_distance: None,
            open_indexes: 64,
            enrol: EnrolRules::default(),
        }
    }
}

/// Where files are kept, encrypted.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct StorageConfig {
    /// A folder. Default: `blobs` in the data folder.
    pub(crate) folder: Option<PathBuf>,
    /// A bucket of Amazon S3, or of a server that speaks its protocol, instead of a folder.
    pub(crate) s3: Option<S3Config>,
}

/// A bucket.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct S3Config {
    /// The server's address, `https://…`. Default: Amazon's own.
    pub(crate) endpoint: Option<String>,
    /// The bucket's name.
    pub(crate) bucket: String,
    /// Its region.
    pub(crate) region: String,
    /// The id of the access key.
    pub(crate) access_key: String,
    /// The file with the access key itself.
    pub(crate) secret_key_file: PathBuf,
    /// What every object's name starts with.
    #[serde(default)]
    pub(crate) prefix: String,
    /// Whether an `http://` endpoint on this machine is accepted.
    #[serde(default)]
    pub(crate) allow_http: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum OnOff {
    On,
    #[default]
    Off,
}

#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct SecretsConfig {
    /// File with the master key, 64 hexadecimal digits. Default: `master.key` in the data folder, made at first start.
    pub(crate) master_key_file: Option<PathBuf>,
}

#[derive(Debug, Deserialize, Serialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct LogConfig {
    /// `text` for people, `json` for machines.
    pub(crate) format: LogFormat,
    /// What to log, in the words of `tracing`: `info`, `warn,api=debug`, …
    pub(crate) filter: String,
    /// The collector that spans are sent to, by OTLP as protobuf over HTTP: `http://127.0.0.1:4318`, to which `/v1/traces`
    /// is added. Default: none, and no spans are collected.
    pub(crate) otlp_endpoint: Option<String>,
    /// What this server is called in traces (`service.name`).
    pub(crate) service_name: String,
    /// The share of traces that is exported, 0 to 1, where the caller of a request has not decided it in `traceparent`.
    pub(crate) sampling_ratio: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    Text,
    Json,
}

impl Default for LogConfig {
    fn default() -> Self {
        Self {
            format: LogFormat::Text,
            filter: "info".to_owned(),
            otlp_endpoint: None,
            service_name: "assay".to_owned(),
            sampling_ratio: 1.0,
        }
    }
}

/// What the file and the environment may leave out.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct ConfigSections {
    server: ServerConfig,
    database: DatabaseConfig,
    wire: WireConfig,
    hosts: VirtualHostsConfig,
    auth: AuthConfig,
    limits: RateLimitConfig,
    models: ModelsConfig,
    image: media::image_validation::ImageLimits,
    face: FaceRules,
    estimate: ImageAnalysisConfig,
    audit: AuditConfig,
    egress: media::fetch::EgressPolicy,
    jobs: JobsConfig,
    delivery: DeliveryConfig,
    proof: ProofOfAgeConfig,
    moderation: ContentModerationConfig,
    identity: DocumentVerificationConfig,
    ages: AgeVerificationConfig,
    locations: LocationsConfig,
    video: media::video::VideoSettings,
    mail: MailConfig,
    console: ConsoleConfig,
    storage: StorageConfig,
    faces: FaceIndexConfig,
    secrets: SecretsConfig,
    log: LogConfig,
}

impl Config {
    /// Reads file and environment.
    pub(crate) fn load(place: &InstallationArgs) -> anyhow::Result<Self> {
        let mut sources = config::Config::builder();
        if let Some(file) = &place.config {
            sources = sources.add_source(config::File::from(file.as_path()).format(config::FileFormat::Toml));
        }
        let environment = config::Environment::with_prefix("ASSAY")
            .prefix_separator("__")
            .separator("__")
            .try_parsing(true);
        let sections: ConfigSections = sources
            .add_source(environment)
            .build()
            .and_then(config::Config::try_deserialize)
            .context("the configuration cannot be read")?;
        let ConfigSections {
            server,
            database,
            wire,
            hosts,
            auth,
            limits,
            models,
            image,
            face,
            estimate,
            audit,
            egress,
            jobs,
            delivery,
            proof,
            moderation,
            identity,
            ages,
            locations,
            video,
            mail,
            console,
            storage,
            faces,
            secrets,
            log,
        } = sections;
        let data_dir = place.data_dir.clone();
        Ok(Self {
            data_dir,
            server,
            database,
            wire,
            hosts,
            auth,
            limits,
            models,
            image,
            face,
            estimate,
            audit,
            egress,
            jobs,
            delivery,
            proof,
            moderation,
            identity,
            ages,
            locations,
            video,
            mail,
            console,
            storage,
            faces,
            secrets,
            log,
        })
    }

    /// The data folder, made (for its owner only) where there is none.
    pub(crate) fn data_dir(&self) -> anyhow::Result<&Path> {
        use std::os::unix::fs::DirBuilderExt as _;
        let made = std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&self.data_dir);
        made.with_context(|| format!("the data folder {} cannot be made", self.data_dir.display()))?;
        Ok(&self.data_dir)
    }

    /// Opens the database, without touching it yet; the data folder is made where the database lies in it.
    pub(crate) fn open_database(&self) -> anyhow::Result<db::Db> {
        if let DatabaseConfig { url_file: None, url: None, .. } = &self.database {
            self.data_dir()?;
        }
        self.open_existing_database()
    }

    /// The same, without making the folder.
    pub(crate) fn open_existing_database(&self) -> anyhow::Result<db::Db> {
        let url = match (&self.database.url_file, &self.database.url) {
            (Some(file), _) => std::fs::read_to_string(file)
                .with_context(|| format!("database.url_file {} cannot be read", file.display()))?
                .trim()
                .to_owned(),
            (None, Some(url)) => url.expose().clone(),
            (None, None) => format!("sqlite:{}", self.data_dir.join("assay.db").display()),
        };
        db::Db::open(&url, self.database.connections).context("database.url is no address of a database")
    }

    /// Where the master key is, or will be.
    pub(crate) fn master_key_file(&self) -> PathBuf {
        self.secrets.master_key_file.clone().unwrap_or_else(|| self.data_dir.join("master.key"))
    }

    /// The keys of this installation; a first start makes the master key.
    pub(crate) fn keyring(&self) -> anyhow::Result<Keyring> {
        if self.secrets.master_key_file.is_none() {
            self.data_dir()?;
        }
        Ok(Keyring::open(&self.master_key_file(), &SystemEnvironment)?)
    }

    /// How mail leaves this server.
    pub(crate) fn mail_transport(&self, dev: bool) -> anyhow::Result<MailTransport> {
        let read = |name: &str, file: &Path| {
            std::fs::read(file).with_context(|| format!("{name} {} cannot be read", file.display()))
        };
        let MailConfig { host, port, tls, user, password_file, ca_file, .. } = &self.mail;
        let Some(host) = host else {
            return Ok(if dev {
                MailTransport::Folder(self.data_dir.join("mail"))
            } else {
                MailTransport::None
            });
        };
        let credentials = match (user, password_file) {
            (Some(user), Some(file)) => {
                let password = String::from_utf8(read("mail.password_file", file)?)
                    .context("mail.password_file holds no text")?;
                Some((user.clone(), Secret::new(password.trim_end_matches(['\r', '\n']).to_owned())))
            }
            (None, None) => None,
            _ => anyhow::bail!("mail.user and mail.password_file go together"),
        };
        let ca = ca_file.as_ref().map(|file| read("mail.ca_file", file)).transpose()?;
        Ok(MailTransport::Smtp(SmtpTransport::new(host, *port, *tls, credentials, ca.as_deref())?))
    }

    /// How long the console's doors stay open, where the server is reached at `public_url`.
    pub(crate) fn sign_in_rules(&self, public_url: &str) -> sign_in::SignInSettings {
        let ConsoleConfig { invitation_days, link_minutes, links_per_hour, idle_hours, session_days, .. } =
            self.console;
        sign_in::SignInSettings {
            public_url: public_url.to_owned(),
            invitation_ttl: SignedDuration::from_hours(24 * i64::from(invitation_days)),
            sign_in_link_ttl: SignedDuration::from_mins(link_minutes.into()),
            max_links_per_hour: links_per_hour.into(),
            session_idle_timeout: SignedDuration::from_hours(idle_hours.into()),
            session_ttl: SignedDuration::from_hours(24 * i64::from(session_days)),
        }
    }

    /// Where files are kept.
    pub(crate) fn blobs(&self, keyring: &Keyring, world: Arc<dyn Environment>) -> anyhow::Result<BlobStore> {
        let place = match &self.storage.s3 {
            None => {
                let folder = self.storage.folder.clone();
                blobs::BlobBackend::Folder(match folder {
                    Some(folder) => folder,
                    None => self.data_dir()?.join("blobs"),
                })
            }
            Some(S3Config { endpoint, bucket, region, access_key, secret_key_file, prefix, allow_http }) => {
                let secret = std::fs::read_to_string(secret_key_file).with_context(|| {
                    format!("storage.s3.secret_key_file {} cannot be read", secret_key_file.display())
                })?;
                blobs::BlobBackend::S3 {
                    endpoint: endpoint.clone(),
                    bucket: bucket.clone(),
                    region: region.clone(),
                    access_key: access_key.clone(),
                    secret_key: Secret::new(secret.trim().to_owned()),
                    prefix: prefix.clone(),
                    allow_http: *allow_http,
                }
            }
        };
        Ok(BlobStore::open(&place, keyring.derive("blobs"), world)?)
    }

    pub(crate) fn brand(&self) -> anyhow::Result<api::Brand> {
        Ok(api::Brand::new(&self.wire.brand)?)
    }

    /// Where the server is reached, as a process beside it can know: from the settings, or from what `--dev` wrote.
    pub(crate) fn public_url(&self) -> String {
        let written = || {
            let file = std::fs::read(self.dev_credentials()).ok()?;
            let credentials: serde_json::Value = serde_json::from_slice(&file).ok()?;
            credentials["base_url"].as_str().map(str::to_owned)
        };
        let url = self.server.public_url.clone().or_else(written);
        url.unwrap_or_else(|| "http://127.0.0.1:8080".to_owned()).trim_end_matches('/').to_owned()
    }

    /// What `assay serve --dev` writes.
    pub(crate) fn dev_credentials(&self) -> PathBuf {
        self.data_dir.join(crate::serve::DevCredentials::FILE_NAME)
    }

    /// How long a lease lasts that nobody extends.
    pub(crate) fn job_lease(&self) -> SignedDuration {
        SignedDuration::from_secs(self.jobs.lease_seconds.max(1).into())
    }

    /// How much is delivered at once.
    pub(crate) fn delivery_settings(&self) -> domain::delivery::DeliverySettings {
        let DeliveryConfig { at_once, per_endpoint, timeout_seconds, .. } = self.delivery;
        domain::delivery::DeliverySettings {
            max_concurrent: at_once.max(1),
            max_concurrent_per_endpoint: per_endpoint.max(1),
            timeout: Duration::from_secs(timeout_seconds.max(1)),
            lease: self.job_lease(),
        }
    }

    /// The rules for proofs of age of a server that is reached at `public_url`.
    pub(crate) fn proof_of_age_settings(
        &self,
        public_url: &str,
    ) -> anyhow::Result<domain::proof_of_age::ProofOfAgeSettings> {
        let ProofOfAgeConfig { trust_list, trust_list_url, trust_list_keys_file, .. } = &self.proof;
        let keys = match trust_list_keys_file {
            Some(file) => {
                let set =
                    std::fs::read(file).with_context(|| format!("{} cannot be read", file.display()))?;
                VerificationKey::parse_set(&set)
                    .with_context(|| format!("{} is no JWK set", file.display()))?
            }
            None if trust_list_url.is_some() => {
                anyhow::bail!(
                    "proof.trust_list_url needs proof.trust_list_keys_file: a list that anyone could have written is worth nothing"
                )
            }
            None => Vec::new(),
        };
        Ok(domain::proof_of_age::ProofOfAgeSettings {
            public_url: public_url.to_owned(),
            trust_list: trust_list.clone(),
            trust_list_url: trust_list_url.clone(),
            trust_list_keys: keys,
            trust_own: self.proof.trust_own,
            freshness: SignedDuration::from_secs(self.proof.freshness_seconds.into()),
            alcohol_age: self.proof.alcohol_age,
            audience: self.proof.audience.clone(),
        })
    }

    /// How faces are taken in and told apart.
    pub(crate) fn face_index_settings(&self, keyring: &Keyring) -> domain::faces::FaceIndexSettings {
        let FaceIndexConfig {
            keep_images, verify_fmr, identify_fmr, verify_distance, identify_distance, ..
        } = self.faces;
        domain::faces::FaceIndexSettings {
            folder: self.data_dir.join("faces"),
            key: keyring.derive("indexes of faces"),
            keep_images,
            verify_fmr,
            identify_fmr,
            verify_distance,
            identify_distance,
            open_indexes: self.faces.open_indexes,
            rules: self.faces.enrol.clone(),
        }
    }

    /// How contents are moderated by a server that is reached at `public_url`.
    pub(crate) fn content_moderation_settings(
        &self,
        public_url: &str,
    ) -> domain::content_moderation::ContentModerationSettings {
        let ContentModerationConfig {
            samples_per_second, smallest_face, outage_seconds, settle_seconds, ..
        } = self.moderation;
        domain::content_moderation::ContentModerationSettings {
            public_url: public_url.to_owned(),
            frames_per_second: samples_per_second.clamp(0.1, 30.0),
            min_face_pixels: smallest_face.max(10.0),
            max_outage_seconds: outage_seconds,
            settle_seconds: settle_seconds.max(0.0),
            parallel_frames: cores(),
        }
    }

    /// How document verification sessions are run by a server that is reached at `public_url`.
    pub(crate) fn document_verification_settings(
        &self,
        public_url: &str,
    ) -> domain::document_verification::DocumentVerificationSettings {
        let DocumentVerificationConfig { keep_days, wait_seconds, withheld_countries, calls_per_minute: _ } =
            &self.identity;
        domain::document_verification::DocumentVerificationSettings {
            public_url: public_url.to_owned(),
            models_dir: self.models_folder(),
            session_retention: SignedDuration::from_hours(24 * i64::from(*keep_days)),
            task_wait_timeout: Duration::from_secs((*wait_seconds).min(25)),
            withheld_countries: withheld_countries.iter().map(|code| code.to_ascii_uppercase()).collect(),
        }
    }

    /// How age verification sessions are run by a server that is reached at `public_url`.
    pub(crate) fn age_verification_settings(
        &self,
        public_url: &str,
    ) -> domain::age_verification::AgeVerificationSettings {
        let ages = &self.ages;
        domain::age_verification::AgeVerificationSettings {
            public_url: public_url.to_owned(),
            brand: self.wire.brand.to_ascii_lowercase(),
            session_retention: SignedDuration::from_hours(24 * i64::from(ages.keep_days)),
            stored_result_retention: SignedDuration::from_hours(24 * i64::from(ages.key_days)),
            providers: domain::age_verification::ProviderSettings {
                credit_card: ages.credit_card.clone(),
                mobile: ages.mobile.clone(),
                email: ages.email.clone(),
                social_security_number: ages.social_security_number.clone(),
                us_florida_hb3: ages.us_florida_hb3.clone(),
                la_wallet: ages.la_wallet.clone(),
                cpf: ages.cpf.clone(),
                electronic_id: ages.electronic_id.clone(),
                singpass: ages.singpass.clone(),
                digital_id: ages.digital_id.clone(),
                svc_key: ages.svc_key.clone(),
                double_anonymity: ages.double_anonymity.clone(),
            },
            offers_proof_of_age: ages.proofs,
            min_confidence: ages.sure.clamp(0.5, 0.999),
        }
    }

    /// How it is found out where callers are.
    pub(crate) fn geo_locator(&self) -> Result<api::GeoLocator, api::GeoError> {
        let LocationsConfig { header, geoip, address_header } = &self.locations;
        api::GeoLocator::open(&api::GeoSettings {
            location_header: header.clone(),
            geoip_database: geoip.clone(),
            address_header: address_header.clone(),
        })
    }

    /// How many moderations of images and videos, and of live videos, a process runs at once.
    pub(crate) fn moderations_at_once(&self) -> (usize, usize) {
        (self.moderation.at_once.unwrap_or(2 * cores()).max(1), self.moderation.live_at_once.max(1))
    }

    pub(crate) fn virtual_hosts(&self) -> api::VirtualHosts {
        let VirtualHostsConfig { moderation, ai, proof, identity, ages } = &self.hosts;
        let mut hosts = api::VirtualHosts::default();
        for (host, mount) in [
            (moderation, api::Interface::ContentModeration),
            (ai, api::Interface::ImageAnalysis),
            (proof, api::Interface::ProofOfAge),
            (identity, api::Interface::DocumentVerification),
            (ages, api::Interface::AgeVerification),
        ] {
            if let Some(host) = host {
                hosts.insert(host, mount);
            }
        }
        hosts
    }

    pub(crate) fn rate_limit(&self) -> Option<Arc<api::RateLimit>> {
        let per_minute = self.limits.calls_per_minute?;
        Some(Arc::new(api::RateLimit::new(per_minute, self.limits.burst.unwrap_or(per_minute))))
    }

    pub(crate) fn image_analysis_rules(&self) -> AnalysisRules {
        AnalysisRules { image: self.image.clone(), face: self.face }
    }

    pub(crate) fn model_settings(&self) -> domain::image_analysis::ModelPoolSettings {
        let workers = self.models.workers.unwrap_or_else(cores).max(1);
        let queue = self.models.queue.unwrap_or(workers * 2);
        domain::image_analysis::ModelPoolSettings { folder: self.models_folder(), workers, max_queued: queue }
    }

    /// Where the models are, or would be.
    pub(crate) fn models_folder(&self) -> PathBuf {
        if let Some(folder) = &self.models.folder {
            return folder.clone();
        }
        let beside = std::env::current_exe()
            .ok()
            .and_then(|binary| Some(binary.parent()?.parent()?.parent()?.join("models").join("pack")));
        let here = PathBuf::from("models/pack");
        [Some(self.data_dir.join("models")), beside, Some(here.clone())]
            .into_iter()
            .flatten()
            .find(|folder| folder.join("pack.json").is_file())
            .unwrap_or(here)
    }
}

/// The cores of this machine.
fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the documents show an operator is read as they say.
    #[test]
    fn the_documents_settings_of_blind_tokens_are_read() {
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/PROVIDERS.md");
        let document = std::fs::read_to_string(file).unwrap();
        let blocks = document.split("```toml\n").filter_map(|rest| rest.split("```").next());
        let read = |text: &str| {
            let source = config::File::from_str(text, config::FileFormat::Toml);
            let sections: ConfigSections =
                config::Config::builder().add_source(source).build().unwrap().try_deserialize().unwrap();
            sections.ages.double_anonymity.unwrap()
        };
        let all: Vec<_> =
            blocks.filter(|text| text.starts_with("[ages.double_anonymity]")).map(read).collect();
        let [own, elsewhere] = all.as_slice() else { panic!("{} blocks", all.len()) };
        assert_eq!((own.issuer.as_deref(), own.key_days), (None, 30));
        assert_eq!(own.thresholds, domain::age_verification::BlindTokenSettings::default().thresholds);
        let methods: Vec<_> = own.methods.iter().map(|way| way.method.as_str()).collect();
        assert_eq!(methods, ["doc_scan", "age_estimation"]);
        assert_eq!(own.methods[1].terms.level, Some(domain::age_verification::types::LivenessLevel::Passive));
        assert_eq!(
            (elsewhere.issuer.as_deref(), elsewhere.application),
            (Some("https://ages.example.org"), None)
        );
    }
}
