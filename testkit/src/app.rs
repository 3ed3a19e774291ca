//! The whole server in this process: wired like the binary, with real models, an empty database and a clock that stands
//! still.

use crate::openapi_contract::OpenApiContract;
use api::{
    ApiParts, ApiSettings, ApiState, BodyMemory, Brand, DataDisk, MetricsRecorder, RateLimit, SignatureGuard,
    StartupState, StartupStatus,
};
use axum::{
    Router,
    body::{Body, Bytes},
    http::{HeaderMap, HeaderName, Request, StatusCode, header},
};
use base::{AccountId, AppId, Environment, Id as _, OrgId, SignedDuration, TestEnvironment};
use db::{Query, testing::TestDb};
use domain::{
    accounts::{self, sign_in::SignInSettings},
    age_verification::{AgeVerificationSettings, BlindTokenSettings},
    content_moderation::ContentModerationSettings,
    document_verification::DocumentVerificationSettings,
    image_analysis::ImageAnalyser,
    keyring::Keyring,
    mail::MailTransport,
    proof_of_age::ProofOfAgeSettings,
    tenancy::{
        Feature, api_keys,
        applications::{self, NewApplication},
        calling_application::CallingApplicationReader,
        limits::{CallLimiter, LimitSettings},
        nonces::NonceStore,
        organisations, public_keys,
        signed_request::{CanonicalRequest, HttpRequestSigner},
        tokens::{self, TokenScope},
    },
};
use http_body_util::BodyExt as _;
use media::{blobs::BlobBackend, fetch::EgressPolicy};
use serde_json::Value;
use services::{ServiceDependencies, ServiceSettings, Services};
use std::{
    collections::BTreeSet,
    num::NonZeroU32,
    path::Path,
    sync::{Arc, LazyLock},
    time::{Duration, Instant},
};
use tower::ServiceExt as _;

/// A server with one organisation and one application that signs.
#[derive(Debug)]
pub struct TestApp {
    /// The state that the operations share.
    pub api: ApiState,
    /// The clock, which stands still unless a test moves it, and random numbers.
    pub environment: Arc<TestEnvironment>,
    pub org: OrgId,
    pub app: AppId,
    /// The application that blind tokens are issued in the name of, if any are.
    pub issuer: Option<AppId>,
    mail_folder: tempfile::TempDir,
    face_index_folder: tempfile::TempDir,
    router: Router,
    contract: Arc<OpenApiContract>,
    database: TestDb,
}

/// The key pair of every test's application: generating one takes a while.
static SIGNING_KEY: LazyLock<(HttpRequestSigner, Vec<u8>)> = LazyLock::new(|| {
    let (private, public) = public_keys::generate_rsa_key_pair(public_keys::PrivateKeyFormat::Pkcs8);
    (HttpRequestSigner::from_pem(private.expose()).expect("a fresh key"), public)
});

/// The settings of a server that accepts only the proofs of age that it issued.
pub fn proof_settings() -> ProofOfAgeSettings {
    ProofOfAgeSettings::default()
}

/// The public half of the key that tests sign with, DER.
pub fn public_key() -> Vec<u8> {
    SIGNING_KEY.1.clone()
}

/// Signs as the application of every test.
pub fn signer() -> &'static HttpRequestSigner {
    &SIGNING_KEY.0
}

/// Signs a request as the application of every test.
pub fn sign(message: &CanonicalRequest<'_>) -> String {
    SIGNING_KEY.0.sign(message)
}

/// A [`TestApp`] that has not been started. Unless something is set, it is a server with the default settings.
#[derive(Debug)]
pub struct TestAppBuilder {
    egress: EgressPolicy,
    public_url: String,
    blobs: BlobBackend,
    image_analyser: Option<ImageAnalyser>,
    settings: ServiceSettings,
}

impl TestAppBuilder {
    /// The policy for calls to addresses that callers supply.
    #[must_use]
    pub fn egress(mut self, policy: &EgressPolicy) -> Self {
        self.egress = policy.clone();
        self
    }

    /// The folder in which files are stored, encrypted.
    #[must_use]
    pub fn blobs_in(self, folder: &Path) -> Self {
        self.blobs(BlobBackend::Folder(folder.to_owned()))
    }

    /// The place where files are stored; without it, they are kept in memory.
    #[must_use]
    pub fn blobs(mut self, backend: BlobBackend) -> Self {
        self.blobs = backend;
        self
    }

    /// The models that all services use; without it, those that all tests of a process share.
    #[must_use]
    pub fn image_analyser(mut self, analyser: ImageAnalyser) -> Self {
        self.image_analyser = Some(analyser);
        self
    }

    /// How proofs of age are accepted and issued.
    #[must_use]
    pub fn proof_of_age(mut self, settings: ProofOfAgeSettings) -> Self {
        self.settings.proof_of_age = settings;
        self
    }

    /// Moderates as many contents at once as a server does by default, and not two.
    #[must_use]
    pub fn default_moderation_runs(mut self) -> Self {
        self.settings.content_moderation.max_concurrent_runs = None;
        self
    }

    /// How document verification sessions are run.
    #[must_use]
    pub fn document_verification(
        mut self,
        change: impl FnOnce(DocumentVerificationSettings) -> DocumentVerificationSettings,
    ) -> Self {
        self.settings.document_verification = change(self.settings.document_verification);
        self
    }

    /// How age verification sessions are run. The interfaces are reached at the address that these settings name, and use
    /// the brand that they name.
    #[must_use]
    pub fn age_verification(mut self, settings: AgeVerificationSettings) -> Self {
        self.public_url.clone_from(&settings.public_url);
        self.settings.age_verification = settings;
        self
    }

    /// How people are signed in to the console, which is reached at the address that these settings name.
    #[must_use]
    pub fn console(mut self, settings: SignInSettings) -> Self {
        self.settings.sign_in = settings;
        self
    }

    /// What one application may take.
    #[must_use]
    pub fn limits(mut self, limits: LimitSettings) -> Self {
        self.settings.limits = limits;
        self
    }

    /// How blind tokens are issued and accepted. If the settings name neither an issuer nor an application, tokens are
    /// issued in the name of an application of the operator's own, [`TestApp::issuer`].
    #[must_use]
    pub fn blind_tokens(mut self, settings: BlindTokenSettings) -> Self {
        self.settings.age_verification.providers.double_anonymity = Some(settings);
        self
    }

    /// Starts the server.
    ///
    /// # Panics
    /// When the server cannot be built: the test cannot go on.
    pub async fn start(self) -> TestApp {
        Box::pin(self.start_with(|_| {})).await
    }

    /// Starts the server after `change` has been applied to what the operations see.
    ///
    /// # Panics
    /// When the server cannot be built: the test cannot go on.
    pub async fn start_with(mut self, change: impl FnOnce(&mut ApiState)) -> TestApp {
        let database = TestDb::open().await;
        let environment = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
        let issuer = self.create_issuer(&database, &environment).await;
        let brand = match self.settings.age_verification.brand.as_str() {
            "svc" => Brand::default(),
            other => Brand::new(other).expect("letters and digits"),
        };
        let mail_folder = tempfile::tempdir().expect("a temporary folder");
        let face_index_folder = tempfile::tempdir().expect("a temporary folder");
        let limits = self.settings.limits;
        let keyring = Keyring::parse(&"5a".repeat(32)).expect("64 digits");
        let services = Box::pin(Services::new(ServiceDependencies {
            environment: environment.clone(),
            db: database.db.clone(),
            keyring: keyring.clone(),
            egress: self.egress,
            blobs: self.blobs,
            face_index_folder: face_index_folder.path().to_owned(),
            mail: MailTransport::Folder(mail_folder.path().to_owned()),
            mail_from: None,
            image_analyser: self.image_analyser.unwrap_or_else(crate::sample_faces::image_analyser),
            wire_format: Arc::new(api::WebhookFormatter),
            settings: self.settings,
        }));
        let call_limiter = CallLimiter::new(database.db.clone(), environment.clone(), limits);
        let parts = ApiParts {
            transaction_attempts: Arc::default(),
            console_resources: Arc::default(),
            services: services.await.expect("settings that hold"),
            brand,
            calling_applications: CallingApplicationReader::start(database.db.clone()),
            nonces: NonceStore::start(database.db.clone()),
            sign_in_rate_limit: Arc::new(RateLimit::new(NonZeroU32::MAX, NonZeroU32::MAX)),
            mailbox_rate_limit: Arc::new(RateLimit::new(NonZeroU32::MAX, NonZeroU32::MAX)),
            decision_records: None,
            request_log: None,
            end_user_rate_limit: Arc::new(RateLimit::new(NonZeroU32::MAX, NonZeroU32::MAX)),
            call_limiter,
            body_memory: BodyMemory::new(1 << 30),
            signature_guard: Arc::new(SignatureGuard::new(NonZeroU32::MAX)),
            geo_locator: Arc::default(),
            metrics: MetricsRecorder::disabled(),
            data_disk: DataDisk { folder: std::env::temp_dir(), min_free_bytes: 0 },
            startup: StartupStatus::new(StartupState::Ready),
            settings: Arc::new(ApiSettings { public_url: self.public_url, ..ApiSettings::default() }),
        };
        let mut api = ApiState::from(parts);
        change(&mut api);

        let (org, app) = create_tenant(&database, &environment, "Test application").await;
        let mut tx = api.db.write().await.expect("a transaction");
        domain::audit_trail::sign_beginning(&mut tx, &keyring).await.expect("a trail");
        public_keys::add(&mut tx, &*environment, app, public_key()).await.expect("a key");
        tx.commit().await.expect("a commit");
        let router = api::router(api.clone(), Router::new());
        let contract = OpenApiContract::of(&api.brand);
        TestApp {
            api,
            environment,
            org,
            app,
            issuer,
            mail_folder,
            face_index_folder,
            router,
            contract,
            database,
        }
    }

    /// The application that blind tokens are issued in the name of; created if the settings name neither it nor an issuer.
    async fn create_issuer(&mut self, database: &TestDb, environment: &TestEnvironment) -> Option<AppId> {
        let tokens = self.settings.age_verification.providers.double_anonymity.as_mut()?;
        if tokens.issuer.is_none() && tokens.application.is_none() {
            tokens.application = Some(create_tenant(database, environment, "Test issuer").await.1);
        }
        tokens.application
    }
}

impl TestApp {
    /// A server with the default settings, to be changed before it starts.
    pub fn builder() -> TestAppBuilder {
        TestAppBuilder {
            egress: EgressPolicy::default(),
            public_url: ApiSettings::default().public_url,
            blobs: BlobBackend::Memory,
            image_analyser: None,
            settings: ServiceSettings {
                content_moderation: ContentModerationSettings {
                    max_outage_seconds: 5,
                    max_concurrent_runs: Some(2),
                    ..ContentModerationSettings::default()
                },
                document_verification: DocumentVerificationSettings {
                    models_dir: fixtures::pack(),
                    task_wait_timeout: Duration::from_mins(1),
                    withheld_countries: vec!["PRK".to_owned()],
                    ..DocumentVerificationSettings::default()
                },
                ..ServiceSettings::default()
            },
        }
    }

    /// Starts with the default settings.
    pub async fn start() -> Self {
        Self::builder().start().await
    }

    /// Starts after `change` has been applied to what the operations see.
    pub async fn start_with(change: impl FnOnce(&mut ApiState)) -> Self {
        Self::builder().start_with(change).await
    }

    /// Starts with a policy for outgoing calls, and blind tokens ([`TestAppBuilder::blind_tokens`]).
    pub async fn start_with_blind_tokens(policy: &EgressPolicy, settings: BlindTokenSettings) -> Self {
        Self::builder().egress(policy).blind_tokens(settings).start().await
    }

    /// Starts with settings for age verification ([`TestAppBuilder::age_verification`]).
    pub async fn start_with_age_settings(settings: AgeVerificationSettings) -> Self {
        Self::builder().age_verification(settings).start().await
    }

    /// Starts with a policy for outgoing calls, and settings for age verification.
    pub async fn start_with_age_settings_and_egress(
        policy: &EgressPolicy,
        settings: AgeVerificationSettings,
    ) -> Self {
        Self::builder().egress(policy).age_verification(settings).start().await
    }

    /// Starts with a policy for outgoing calls, and settings for proofs of age.
    pub async fn start_with_egress(policy: &EgressPolicy, settings: ProofOfAgeSettings) -> Self {
        Self::builder().egress(policy).proof_of_age(settings).start().await
    }

    /// Starts with other models, for tests of busy or missing ones. Only the operations of image analysis use them.
    pub async fn start_with_image_analyser(image_analyser: ImageAnalyser) -> Self {
        Self::start_with(|api| api.image_analyser = image_analyser).await
    }

    /// Also serves on a free port of loopback, until the process ends; returns the address, `http://127.0.0.1:…`.
    ///
    /// # Panics
    /// When there is no port.
    pub async fn listen(&self) -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(axum::serve(listener, self.router.clone()).into_future());
        format!("http://{address}")
    }

    /// The folder of the indexes of faces.
    pub fn face_index_folder(&self) -> &Path {
        self.face_index_folder.path()
    }

    /// Every row of every table, as text.
    pub async fn dump(&self) -> BTreeSet<String> {
        self.database.dump().await
    }

    /// Changes rows directly in the database.
    ///
    /// # Panics
    /// When the statement is refused.
    pub async fn execute(&self, query: Query) {
        let mut tx = self.api.db.write().await.expect("a transaction");
        tx.execute(query).await.expect("the statement runs");
        tx.commit().await.expect("a commit");
    }

    /// Waits until so many transactions wait for locks of others. On SQLite, which has one writer at a time, not at all.
    ///
    /// # Panics
    /// When the database does not answer, or they do not wait within ten seconds.
    pub async fn wait_until_blocked(&self, transactions: i64) {
        self.database.wait_until_blocked(transactions).await;
    }

    /// Sends a request, and checks the response against the OpenAPI document of its operation.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn send(&self, request: Request<Body>) -> TestResponse {
        let has_host = request.headers().contains_key(header::HOST);
        let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
        let response = self.router.clone().oneshot(request).await.expect("an answer");
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.into_body().collect().await.expect("a whole answer").to_bytes();
        // On a virtual host, paths differ from those in the documents.
        if !has_host {
            self.contract.check((&method, &path), status, &headers, &body);
        }
        TestResponse { request: self.contract.name_of((&method, &path)), status, headers, body }
    }

    /// Creates a bearer token of the application.
    ///
    /// # Panics
    /// When none can be created.
    pub async fn bearer_token(&self, scopes: &[TokenScope]) -> String {
        let mut tx = self.api.db.write().await.expect("a transaction");
        let issued =
            tokens::create(&mut tx, &*self.environment, self.app, "test", scopes.to_vec(), None).await;
        tx.commit().await.expect("a commit");
        issued.expect("a token").token.expose().clone()
    }

    /// Creates an API key of the application with these scopes; without any, it may do everything that the application may.
    ///
    /// # Panics
    /// When none can be created.
    pub async fn api_key(&self, scopes: &[&str]) -> String {
        let scopes: Vec<_> = scopes.iter().map(|&scope| scope.to_owned()).collect();
        let mut tx = self.api.db.write().await.expect("a transaction");
        let created = api_keys::create(&mut tx, &*self.environment, self.app, "test", &scopes).await;
        tx.commit().await.expect("a commit");
        created.expect("a key").1.expose().clone()
    }

    /// Opens a moderation account of the application.
    ///
    /// # Panics
    /// When none can be opened.
    pub async fn open_account(&self) -> AccountId {
        let name = format!("Account {}", self.environment.uuid_v4());
        let mut tx = self.api.db.write().await.expect("a transaction");
        let opened = accounts::create(&mut tx, &*self.environment, self.app, &name, i64::MAX).await;
        tx.commit().await.expect("a commit");
        opened.expect("an account")
    }

    /// Another tenant: an application of an organisation of its own, with an account and an API key that may do everything
    /// there.
    ///
    /// # Panics
    /// When the database does not answer.
    pub async fn add_tenant(&self) -> (AppId, AccountId, String) {
        let name = format!("Tenant {}", self.environment.uuid_v4());
        let (_, app) = create_tenant(&self.database, &self.environment, &name).await;
        let mut tx = self.api.db.write().await.expect("a transaction");
        let account = accounts::create(&mut tx, &*self.environment, app, &name, i64::MAX).await;
        let key = api_keys::create(&mut tx, &*self.environment, app, "test", &[]).await;
        tx.commit().await.expect("a commit");
        (app, account.expect("an account"), key.expect("a key").1.expose().clone())
    }

    /// Calls the moderation interface with an API key of the application, and a JSON body if there is one.
    ///
    /// # Panics
    /// When the arguments make no valid request.
    pub async fn call_moderation(
        &self,
        method: &str,
        path: &str,
        key: &str,
        body: Option<Value>,
    ) -> TestResponse {
        self.call_moderation_as(&self.app.to_string(), method, path, key, body).await
    }

    /// Calls the moderation interface in the name of any application.
    ///
    /// # Panics
    /// When the arguments make no valid request.
    pub async fn call_moderation_as(
        &self,
        app: &str,
        method: &str,
        path: &str,
        key: &str,
        body: Option<Value>,
    ) -> TestResponse {
        let mut request = Request::builder()
            .method(method)
            .uri(path)
            .header("Authorization", key)
            .header(self.api.brand.sdk_id(), app);
        if body.is_some() {
            request = request.header("Content-Type", "application/json");
        }
        let body = body.map_or_else(Body::empty, |body| Body::from(body.to_string()));
        self.send(request.body(body).expect("a request")).await
    }

    /// Runs jobs until none is left; messages are not delivered. Waits between attempts are skipped by moving the clock.
    ///
    /// # Panics
    /// When the database does not answer, or jobs are left after ten minutes.
    pub async fn run_due_jobs(&self) {
        let worker = self.spawn_worker();
        let begun = Instant::now();
        let mut rounds_running = 0_u32;
        loop {
            let jobs = self.count_jobs().await;
            if jobs.unfinished == 0 {
                break;
            }
            assert!(begun.elapsed() < Duration::from_mins(10), "jobs are left after ten minutes");
            // The clock stands still while a job runs: its lease ends at a time of the test's clock, but is extended at
            // intervals of the machine's clock.
            if jobs.running == 0 {
                self.environment.advance(SignedDuration::from_millis(100));
                rounds_running = 0;
            } else {
                rounds_running += 1;
            }
            // Ever less often while a job runs, because it needs the cores.
            tokio::time::sleep(Duration::from_millis(10) * rounds_running.clamp(1, 5)).await;
        }
        worker.stop().await;
    }

    async fn count_jobs(&self) -> JobCounts {
        let mut view = self.api.db.read_once().await.expect("a view");
        let counts = view.fetch_optional(db::sql!(
            "SELECT count(*) AS unfinished, count(CASE WHEN state = 'RUNNING' THEN 1 END) AS running
               FROM jobs WHERE state <> 'PARKED'",
        ));
        counts.await.expect("an answer").expect("counts always have a row")
    }

    /// Runs jobs in the background, as another process would.
    pub fn spawn_worker(&self) -> BackgroundWorker {
        let (stop, stopped) = tokio::sync::watch::channel(false);
        BackgroundWorker { stop, task: tokio::spawn(self.api.services.build_worker().run(stopped)) }
    }

    /// The mails sent so far, oldest first, as MIME messages.
    ///
    /// # Panics
    /// When they cannot be read.
    pub fn sent_mails(&self) -> Vec<String> {
        let files = std::fs::read_dir(self.mail_folder.path()).expect("the folder is there");
        let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
        // Not sorted by name: the clock of the test may stand still between two mails.
        files.sort_by_key(|file| std::fs::metadata(file).and_then(|data| data.modified()).expect("its time"));
        files.iter().map(|file| std::fs::read_to_string(file).expect("a mail")).collect()
    }

    /// Sends an unsigned GET.
    ///
    /// # Panics
    /// When `path` is invalid.
    pub async fn get(&self, path: &str) -> TestResponse {
        self.send(Request::get(path).body(Body::empty()).expect("a request")).await
    }
}

/// Jobs that are not parked.
#[derive(db::FromRow)]
struct JobCounts {
    unfinished: i64,
    running: i64,
}

/// Creates an organisation with one application that may use all interfaces.
async fn create_tenant(database: &TestDb, environment: &TestEnvironment, name: &str) -> (OrgId, AppId) {
    let mut tx = database.db.write().await.expect("a transaction");
    let org = organisations::create(&mut tx, environment, &format!("{name}'s organisation")).await;
    let org = org.expect("an organisation");
    let new = NewApplication {
        name,
        organisation: Some(org),
        billing_source: Some("test"),
        features: &Feature::ALL,
    };
    let app = applications::create(&mut tx, environment, &new).await.expect("an application");
    tx.commit().await.expect("a commit");
    (org, app)
}

/// A worker that runs beside a test.
#[derive(Debug)]
pub struct BackgroundWorker {
    stop: tokio::sync::watch::Sender<bool>,
    task: tokio::task::JoinHandle<()>,
}

impl BackgroundWorker {
    /// Ends it as if its process had died: leases are neither released nor extended any more.
    pub fn abandon(self) {
        self.task.abort();
    }

    /// Tells it to stop, and waits until it has.
    ///
    /// # Panics
    /// When it panicked.
    pub async fn stop(self) {
        self.stop.send(true).expect("the worker listens");
        self.task.await.expect("the worker ends");
    }
}

/// A response.
#[derive(Debug)]
pub struct TestResponse {
    /// The operation as its OpenAPI document names it, `GET /accounts/{accountId}`; method and path where none does.
    pub request: String,
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
}

impl TestResponse {
    /// The body as JSON; null if it is not JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Status and error code, such as `404 APP_NOT_FOUND`; only the status if there is no code.
    pub fn status_and_code(&self) -> String {
        let json = self.json();
        let code = json["error_code"].as_str().or_else(|| json["code"].as_str()).unwrap_or_default();
        format!("{} {code}", self.status.as_u16()).trim_end().to_owned()
    }

    /// A header as text; empty if it is missing.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

/// A signed request, any part of which can be falsified before it is sent.
#[derive(Clone, Debug)]
pub struct SignedCall {
    method: &'static str,
    path: String,
    signed_path: Option<String>,
    query: Vec<(String, Option<String>)>,
    body: Vec<u8>,
    sent_body: Option<Vec<u8>>,
    headers: Vec<(HeaderName, String)>,
    auth_id: HeaderOverride,
    digest: HeaderOverride,
}

/// How a header of the authentication is sent.
#[derive(Clone, Debug)]
enum HeaderOverride {
    Right,
    Other(String),
    Absent,
}

impl HeaderOverride {
    fn instead(text: Option<&str>) -> Self {
        text.map_or(Self::Absent, |text| Self::Other(text.to_owned()))
    }

    fn or(&self, right: String) -> Option<String> {
        match self {
            Self::Right => Some(right),
            Self::Other(text) => Some(text.clone()),
            Self::Absent => None,
        }
    }
}

impl SignedCall {
    /// A POST without a body.
    pub fn post(path: &str) -> Self {
        Self::new("POST", path)
    }

    /// Any method, without a body.
    pub fn new(method: &'static str, path: &str) -> Self {
        Self {
            method,
            path: path.to_owned(),
            signed_path: None,
            query: Vec::new(),
            body: Vec::new(),
            sent_body: None,
            headers: Vec::new(),
            auth_id: HeaderOverride::Right,
            digest: HeaderOverride::Right,
        }
    }

    /// A JSON body.
    #[must_use]
    pub fn json(self, body: &Value) -> Self {
        self.body(body.to_string())
    }

    /// A raw body.
    #[must_use]
    pub fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// A body to send in place of the signed one.
    #[must_use]
    pub fn send_body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.sent_body = Some(body.into());
        self
    }

    /// A path to sign in place of the one that is called.
    #[must_use]
    pub fn sign_path(mut self, path: &str) -> Self {
        self.signed_path = Some(path.to_owned());
        self
    }

    /// Sets a query parameter, or `nonce` or `timestamp`.
    #[must_use]
    pub fn query(mut self, name: &str, value: &str) -> Self {
        self.query.push((name.to_owned(), Some(value.to_owned())));
        self
    }

    /// Leaves `nonce` or `timestamp` out.
    #[must_use]
    pub fn without(mut self, name: &str) -> Self {
        self.query.push((name.to_owned(), None));
        self
    }

    /// Adds a header.
    ///
    /// # Panics
    /// When `name` is not a valid header name.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.parse().expect("a header name"), value.to_owned()));
        self
    }

    /// Another application id; `None` leaves the header out.
    #[must_use]
    pub fn auth_id(mut self, id: Option<&str>) -> Self {
        self.auth_id = HeaderOverride::instead(id);
        self
    }

    /// Another signature; `None` leaves the header out.
    #[must_use]
    pub fn digest(mut self, digest: Option<&str>) -> Self {
        self.digest = HeaderOverride::instead(digest);
        self
    }

    /// Signs and sends the request.
    ///
    /// # Panics
    /// When it is not a valid request.
    pub async fn send(&self, to: &TestApp) -> TestResponse {
        let brand = &to.api.brand;
        let mut query = vec![
            ("nonce".to_owned(), Some(to.environment.uuid_v7().to_string())),
            ("timestamp".to_owned(), Some(to.environment.now().as_second().to_string())),
        ];
        for (name, value) in &self.query {
            query.retain(|(known, _)| known != name);
            query.push((name.clone(), value.clone()));
        }
        let query: Vec<String> =
            query.into_iter().filter_map(|(name, value)| Some(format!("{name}={}", value?))).collect();
        let query = query.join("&");
        let path = self.signed_path.as_ref().unwrap_or(&self.path);
        let message = CanonicalRequest { method: self.method, path, query: Some(&query), body: &self.body };
        let digest = self.digest.or(sign(&message));
        let auth_id = self.auth_id.or(to.app.to_string());

        let mut request = Request::builder().method(self.method).uri(format!("{}?{query}", self.path));
        if let Some(id) = auth_id {
            request = request.header(brand.auth_id(), id);
        }
        if let Some(digest) = digest {
            request = request.header(brand.auth_digest(), digest);
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let body = self.sent_body.clone().unwrap_or_else(|| self.body.clone());
        to.send(request.body(Body::from(body)).expect("a request")).await
    }
}

/// An application id that does not exist.
pub fn unknown_app_id(environment: &dyn Environment) -> String {
    AppId::new(environment).to_string()
}
