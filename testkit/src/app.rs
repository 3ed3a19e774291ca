//! The whole server in this process: real models, a clean database, a known moment.

use crate::openapi_contract::OpenApiContract;
use api::{ApiSettings, ApiState, Brand, MetricsRecorder};
use axum::{
    Router,
    body::{Body, Bytes},
    http::{HeaderMap, HeaderName, Request, StatusCode, header},
};
use base::{AccountId, AppId, Environment, Id as _, OrgId, SignedDuration, TestEnvironment};
use db::{Query, testing::TestDb};
use domain::{
    accounts::{
        self, ReceiptSigner,
        deletion::{AccountDeletionService, DeleteAccount, ExternalAccountData},
        sign_in::{SendSignInLinks, SignInService, SignInSettings},
    },
    age_verification::{self, AgeVerificationService},
    content_moderation::{self, ContentModerationService},
    delivery::Outbox,
    document_verification::{self, DocumentVerificationService},
    faces::{self, FaceIndexService},
    image_analysis::ImageAnalyser,
    keyring::Keyring,
    mail::{MailTransport, Mailer, SendMail},
    proof_of_age::{self, ProofOfAgeService, ResolveProof, issuer::ProofIssuer},
    secure_capture::SecureCapture,
    tenancy::{
        Feature, api_keys,
        applications::{self, NewApplication},
        nonces::NonceStore,
        organisations, public_keys,
        signed_request::{CanonicalRequest, HttpRequestSigner},
        tokens::{self, TokenScope},
    },
    vault::Vault,
};
use http_body_util::BodyExt as _;
use jobs::Worker;
use media::{
    blobs::{BlobBackend, BlobStore},
    fetch::{EgressPolicy, Fetcher},
    video::ContentLoader,
};
use serde_json::Value;
use std::{
    collections::BTreeSet,
    num::NonZeroU32,
    sync::{Arc, LazyLock},
    time::Duration,
};
use tower::ServiceExt as _;

/// A server with one organisation and one application that signs.
#[derive(Debug)]
pub struct TestApp {
    /// What the operations see.
    pub api: ApiState,
    /// The moment it is, until a test moves it.
    pub world: Arc<TestEnvironment>,
    /// The organisation.
    pub org: OrgId,
    /// The application.
    pub app: AppId,
    /// The operator's own application that blind tokens are issued in the name of, where they are.
    pub issuer: Option<AppId>,
    mail: Mailer,
    mail_folder: tempfile::TempDir,
    router: Router,
    contract: Arc<OpenApiContract>,
    database: TestDb,
    _indexes: tempfile::TempDir,
}

/// A key pair takes a while to make, and any test may share it.
static SIGNING_KEY: LazyLock<(HttpRequestSigner, Vec<u8>)> = LazyLock::new(|| {
    let (private, public) = public_keys::generate_rsa_key_pair();
    (HttpRequestSigner::from_pem(private.expose()).expect("a fresh key"), public)
});

/// Rules for proofs of a server that believes nobody but itself.
pub fn proof_settings() -> proof_of_age::ProofOfAgeSettings {
    proof_of_age::ProofOfAgeSettings {
        public_url: "http://127.0.0.1:8080".to_owned(),
        trust_list: None,
        trust_list_url: None,
        trust_list_keys: Vec::new(),
        trust_own: true,
        freshness: SignedDuration::from_secs(30),
        alcohol_age: 18,
        audience: None,
    }
}

/// The public half of the key that tests sign with, DER.
pub fn public_key() -> Vec<u8> {
    SIGNING_KEY.1.clone()
}

/// What signs as the application of every test does.
pub fn signer() -> &'static HttpRequestSigner {
    &SIGNING_KEY.0
}

/// Signs as the application of every test does.
pub fn sign(message: &CanonicalRequest<'_>) -> String {
    SIGNING_KEY.0.sign(message)
}

impl TestApp {
    /// Starts with the real models.
    pub async fn start() -> Self {
        Self::start_with(|_| {}).await
    }

    /// Starts after `change` has had its way with the server.
    ///
    /// # Panics
    /// When the server cannot be made: the test cannot go on.
    pub async fn start_with(change: impl FnOnce(&mut ApiState)) -> Self {
        Self::open(
            &EgressPolicy::default(),
            proof_settings(),
            age_verification::AgeVerificationSettings::default(),
            change,
        )
        .await
    }

    /// Starts with blind tokens. Where the settings name neither an issuer nor an application, the server issues in the
    /// name of an application of the operator's own, [`Self::issuer`].
    ///
    /// # Panics
    /// When the server cannot be made: the test cannot go on.
    pub async fn start_with_blind_tokens(
        policy: &EgressPolicy,
        settings: age_verification::BlindTokenSettings,
    ) -> Self {
        let mut asking = age_verification::AgeVerificationSettings::default();
        asking.providers.double_anonymity = Some(settings);
        Self::open(policy, proof_settings(), asking, |_| {}).await
    }

    /// Starts with settings for age sessions, at the public address that they name.
    pub async fn start_with_age_settings(settings: age_verification::AgeVerificationSettings) -> Self {
        Self::start_with_age_settings_and_egress(&EgressPolicy::default(), settings).await
    }

    /// The same with a policy for outgoing calls.
    pub async fn start_with_age_settings_and_egress(
        policy: &EgressPolicy,
        settings: age_verification::AgeVerificationSettings,
    ) -> Self {
        let public_url = settings.public_url.clone();
        let change = |api: &mut ApiState| {
            api.settings = Arc::new(ApiSettings { public_url, ..ApiSettings::default() });
        };
        Self::open(policy, proof_settings(), settings, change).await
    }

    /// Serves on loopback as well, until the process ends. Answers where, as `http://127.0.0.1:…`.
    ///
    /// # Panics
    /// When there is no port.
    pub async fn listen(&self) -> String {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        tokio::spawn(axum::serve(listener, self.router.clone()).into_future());
        format!("http://{address}")
    }

    /// Starts with a policy for outgoing calls and rules for proofs.
    ///
    /// # Panics
    /// When the server cannot be made: the test cannot go on.
    pub async fn start_with_egress(policy: &EgressPolicy, rules: proof_of_age::ProofOfAgeSettings) -> Self {
        Self::open(policy, rules, age_verification::AgeVerificationSettings::default(), |_| {}).await
    }

    #[expect(clippy::too_many_lines, reason = "wires a whole server, once")]
    async fn open(
        policy: &EgressPolicy,
        rules: proof_of_age::ProofOfAgeSettings,
        mut asking: age_verification::AgeVerificationSettings,
        change: impl FnOnce(&mut ApiState),
    ) -> Self {
        let database = TestDb::open().await;
        let world = Arc::new(TestEnvironment::at("2026-01-16T14:40:00Z"));
        let tokens = asking.providers.double_anonymity.as_mut();
        if let Some(tokens) = tokens.filter(|tokens| tokens.issuer.is_none() && tokens.application.is_none())
        {
            tokens.application = Some(create_tenant(&database, &world, "Test issuer").await.1);
        }
        let brand = match asking.brand.as_str() {
            "svc" => Brand::default(),
            other => Brand::new(other).expect("letters and digits"),
        };
        let issuing = asking.providers.double_anonymity.as_ref().and_then(|tokens| tokens.application);
        let keyring = Keyring::parse(&"5a".repeat(32)).expect("64 digits");
        let vault = Vault::new(&keyring);
        let fetcher = Fetcher::new(policy).expect("a policy");
        let blobs =
            BlobStore::open(&BlobBackend::Memory, keyring.derive("blobs"), world.clone()).expect("memory");
        let letters = tempfile::tempdir().expect("a temporary folder");
        let carrier = MailTransport::Folder(letters.path().to_owned());
        let mail = Mailer::new(world.clone(), vault.clone(), carrier, None).expect("a folder");
        let videos = ContentLoader::start(fetcher.clone(), media::video::VideoSettings::default()).await;
        let (estimator, outbox) =
            (crate::sample_faces::image_analyser(), Outbox::new(fetcher.clone(), vault.clone()));
        let indexes = tempfile::tempdir().expect("a temporary folder");
        let index_settings =
            faces::FaceIndexSettings::new(indexes.path().to_owned(), keyring.derive("indexes of faces"));
        let faces = FaceIndexService::new(
            database.db.clone(),
            world.clone(),
            vault.clone(),
            blobs.clone(),
            estimator.clone(),
            index_settings,
        );
        let moderations = ContentModerationService::new(
            database.db.clone(),
            world.clone(),
            vault.clone(),
            outbox.clone(),
            faces.clone(),
            videos.expect("a relay"),
            estimator.clone(),
            content_moderation::ContentModerationSettings {
                max_outage_seconds: 5,
                ..content_moderation::ContentModerationSettings::default()
            },
            Arc::new(api::WebhookFormatter),
        );
        let identities = DocumentVerificationService::new(
            database.db.clone(),
            world.clone(),
            vault.clone(),
            outbox.clone(),
            blobs.clone(),
            estimator.clone(),
            document_verification::DocumentVerificationSettings {
                models_dir: fixtures::pack(),
                task_wait_timeout: Duration::from_mins(1),
                withheld_countries: vec!["PRK".to_owned()],
                ..document_verification::DocumentVerificationSettings::default()
            },
            Arc::new(api::WebhookFormatter),
        );
        let issuer = ProofIssuer::new(database.db.clone(), world.clone(), vault.clone(), rules.clone());
        let secure_capture = SecureCapture::new(&keyring);
        let parts = age_verification::AgeVerificationDependencies {
            db: database.db.clone(),
            world: world.clone(),
            vault: vault.clone(),
            outbox: outbox.clone(),
            estimator: estimator.clone(),
            secure_capture: secure_capture.clone(),
            identities: identities.clone(),
            issuer: issuer.clone(),
            mail: mail.clone(),
            fetcher: fetcher.clone(),
            webhooks: Arc::new(api::WebhookFormatter),
        };
        let mut api = ApiState {
            environment: world.clone(),
            db: database.db.clone(),
            brand,
            nonces: NonceStore::start(database.db.clone()),
            image_analyser: estimator,
            secure_capture,
            vault: vault.clone(),
            proof_issuer: issuer,
            proof_of_age: ProofOfAgeService::new(
                database.db.clone(),
                world.clone(),
                vault.clone(),
                outbox,
                fetcher,
                rules,
                Arc::new(api::WebhookFormatter),
            ),
            blobs: blobs.clone(),
            sign_in: SignInService::new(
                database.db.clone(),
                world.clone(),
                Vault::new(&keyring),
                mail.clone(),
                SignInSettings::for_public_url(&ApiSettings::default().public_url),
            ),
            account_deletion: AccountDeletionService::new(
                database.db.clone(),
                world.clone(),
                ReceiptSigner::new(&keyring),
                domain::account_tables(),
                [Arc::new(blobs) as Arc<dyn ExternalAccountData>, Arc::new(faces.clone())],
            ),
            faces,
            content_moderation: moderations,
            document_verification: identities,
            age_verification: AgeVerificationService::new(parts, asking).expect("settings that hold"),
            sign_in_rate_limit: Arc::new(api::RateLimit::new(NonZeroU32::MAX, NonZeroU32::MAX)),
            decision_records: None,
            end_user_rate_limit: Arc::new(api::RateLimit::new(NonZeroU32::MAX, NonZeroU32::MAX)),
            application_rate_limit: None,
            geo_locator: Arc::default(),
            metrics: MetricsRecorder::disabled(),
            data_disk: api::DataDisk { folder: std::env::temp_dir(), min_free_bytes: 0 },
            settings: Arc::new(ApiSettings::default()),
        };
        change(&mut api);

        let (org, app) = create_tenant(&database, &world, "Test application").await;
        let mut tx = api.db.write().await.expect("a transaction");
        public_keys::add(&mut tx, &*world, app, public_key()).await.expect("a key");
        tx.commit().await.expect("a commit");
        let router = api::router(api.clone(), Router::new());
        let contract = OpenApiContract::of(&api.brand);
        Self {
            api,
            world,
            org,
            app,
            issuer: issuing,
            mail,
            mail_folder: letters,
            _indexes: indexes,
            router,
            contract,
            database,
        }
    }

    /// Every row of every table as a text.
    pub async fn dump(&self) -> BTreeSet<String> {
        self.database.dump().await
    }

    /// Another estimator in the same place, for tests of busy or missing models.
    pub async fn start_with_image_analyser(estimator: ImageAnalyser) -> Self {
        Self::start_with(|api| api.image_analyser = estimator).await
    }

    /// Changes rows behind the server's back.
    ///
    /// # Panics
    /// When the statement is refused.
    pub async fn execute(&self, query: Query) {
        let mut tx = self.api.db.write().await.expect("a transaction");
        tx.execute(query).await.expect("the statement runs");
        tx.commit().await.expect("a commit");
    }

    /// Sends any request.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn send(&self, request: Request<Body>) -> TestResponse {
        let hosted = request.headers().contains_key(header::HOST);
        let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
        let response = self.router.clone().oneshot(request).await.expect("an answer");
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.into_body().collect().await.expect("a whole answer").to_bytes();
        // A host of one interface has other paths than the documents.
        if !hosted {
            self.contract.check((&method, &path), status, &headers, &body);
        }
        TestResponse { status, headers, body }
    }

    /// A bearer token of the application, made by hand.
    ///
    /// # Panics
    /// When none can be made.
    pub async fn bearer_token(&self, scopes: &[TokenScope]) -> String {
        let mut tx = self.api.db.write().await.expect("a transaction");
        let issued = tokens::create(&mut tx, &*self.world, self.app, "test", scopes.to_vec(), None).await;
        tx.commit().await.expect("a commit");
        issued.expect("a token").token.expose().clone()
    }

    /// An API key of the application with these scopes; with none it may everything.
    ///
    /// # Panics
    /// When none can be made.
    pub async fn api_key(&self, scopes: &[&str]) -> String {
        let scopes: Vec<_> = scopes.iter().map(|&scope| scope.to_owned()).collect();
        let mut tx = self.api.db.write().await.expect("a transaction");
        let made = api_keys::create(&mut tx, &*self.world, self.app, "test", &scopes).await;
        tx.commit().await.expect("a commit");
        made.expect("a key").1.expose().clone()
    }

    /// A new moderation account of the application.
    ///
    /// # Panics
    /// When none can be opened.
    pub async fn open_account(&self) -> AccountId {
        let name = format!("Account {}", self.world.uuid_v4());
        let mut tx = self.api.db.write().await.expect("a transaction");
        let opened = accounts::create(&mut tx, &*self.world, self.app, &name, i64::MAX).await;
        tx.commit().await.expect("a commit");
        opened.expect("an account")
    }

    /// Sends a request of the moderation interface with an API key of the application, and JSON where there is a body.
    ///
    /// # Panics
    /// When it makes no request.
    pub async fn call_moderation(
        &self,
        method: &str,
        path: &str,
        key: &str,
        body: Option<Value>,
    ) -> TestResponse {
        self.call_moderation_as(&self.app.to_string(), method, path, key, body).await
    }

    /// The same in the name of any application.
    ///
    /// # Panics
    /// When it makes no request.
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

    /// Lets jobs run that are due, until none is; deliveries stay where they are.
    ///
    /// # Panics
    /// When the database does not answer, or jobs do not come to an end within ten minutes.
    pub async fn run_due_jobs(&self) {
        let count = |query| async move {
            let mut view = self.api.db.read().await.expect("a view");
            view.count(query).await.expect("a count")
        };
        let working = self.spawn_worker();
        let mut rounds = 0;
        while count(db::sql!("SELECT count(*) FROM jobs WHERE state <> 'PARKED'")).await != 0 {
            rounds += 1;
            assert!(rounds < 60_000, "jobs go on for more than ten minutes");
            // Waits between attempts pass at once. While something runs the world stands still: its lease is of the
            // world's time, and is extended by the machine's clock.
            if count(db::sql!("SELECT count(*) FROM jobs WHERE state = 'RUNNING'")).await == 0 {
                self.world.advance(SignedDuration::from_millis(100));
            }
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        working.stop().await;
    }

    /// Lets jobs run, as a process that works does, until it is told to stop.
    pub fn spawn_worker(&self) -> BackgroundWorker {
        let (stop, stopped) = tokio::sync::watch::channel(false);
        BackgroundWorker { stop, task: tokio::spawn(self.worker().run(stopped)) }
    }

    fn worker(&self) -> Worker {
        let (mail, doors, closing) =
            (self.mail.clone(), self.api.sign_in.clone(), self.api.account_deletion.clone());
        let proofs = self.api.proof_of_age.clone();
        let worker = Worker::new(self.api.db.clone(), self.world.clone())
            .register(move |job: ResolveProof, lease| {
                let proofs = proofs.clone();
                async move { proofs.resolve(&job, &lease).await }
            })
            .register(move |job: SendMail, lease| {
                let mail = mail.clone();
                async move { mail.send(&job, &lease).await }
            })
            .register(move |job: SendSignInLinks, lease| {
                let doors = doors.clone();
                async move { doors.send_sign_in_links(&job, &lease).await }
            })
            .register(move |job: DeleteAccount, lease| {
                let closing = closing.clone();
                async move { closing.resume(&job, &lease).await }
            });
        let worker = self.api.content_moderation.handle(self.api.faces.handle(worker));
        self.api.age_verification.handle(self.api.document_verification.register_jobs(worker))
    }

    /// The mails that were sent so far, oldest first, as they travel.
    ///
    /// # Panics
    /// When they cannot be read.
    pub fn sent_mails(&self) -> Vec<String> {
        let files = std::fs::read_dir(self.mail_folder.path()).expect("the folder is there");
        let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
        // Not by name: the world may stand still between two.
        files.sort_by_key(|file| std::fs::metadata(file).and_then(|data| data.modified()).expect("its time"));
        files.iter().map(|file| std::fs::read_to_string(file).expect("a letter")).collect()
    }

    /// An ordinary unsigned GET.
    ///
    /// # Panics
    /// When `path` is none.
    pub async fn get(&self, path: &str) -> TestResponse {
        self.send(Request::get(path).body(Body::empty()).expect("a request")).await
    }
}

/// An organisation with one application that may use everything.
async fn create_tenant(database: &TestDb, world: &TestEnvironment, name: &str) -> (OrgId, AppId) {
    let mut tx = database.db.write().await.expect("a transaction");
    let org = organisations::create(&mut tx, world, &format!("{name}'s organisation")).await;
    let org = org.expect("an organisation");
    let new = NewApplication {
        name,
        organisation: Some(org),
        billing_source: Some("test"),
        features: &Feature::ALL,
    };
    let app = applications::create(&mut tx, world, &new).await.expect("an application");
    tx.commit().await.expect("a commit");
    (org, app)
}

/// A process that works, beside a test.
#[derive(Debug)]
pub struct BackgroundWorker {
    stop: tokio::sync::watch::Sender<bool>,
    task: tokio::task::JoinHandle<()>,
}

impl BackgroundWorker {
    /// Leaves it as a process that dies leaves its work: nothing is given back, and no lease is extended any more.
    pub fn abandon(self) {
        self.task.abort();
    }

    /// Tells it to stop, and waits until it has.
    ///
    /// # Panics
    /// When it broke down.
    pub async fn stop(self) {
        self.stop.send(true).expect("the worker listens");
        self.task.await.expect("the worker ends");
    }
}

/// What came back.
#[derive(Debug)]
pub struct TestResponse {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The raw body.
    pub body: Bytes,
}

impl TestResponse {
    /// The body as JSON; null where it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Status and error code, as `404 APP_NOT_FOUND`; the code is empty where there is none.
    pub fn status_and_code(&self) -> String {
        let json = self.json();
        let code = json["error_code"].as_str().or_else(|| json["code"].as_str()).unwrap_or_default();
        format!("{} {code}", self.status.as_u16()).trim_end().to_owned()
    }

    /// A header as text; empty where there is none.
    pub fn header(&self, name: &str) -> &str {
        self.headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
    }
}

/// A signed request that can be spoilt in any one place before it is sent.
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

/// How a header of the guard travels.
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

    /// A body that is sent instead of the signed one.
    #[must_use]
    pub fn send_body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.sent_body = Some(body.into());
        self
    }

    /// The path that the client believes it calls.
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
    /// When `name` is no header name.
    #[must_use]
    pub fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.parse().expect("a header name"), value.to_owned()));
        self
    }

    /// Another application id, or none.
    #[must_use]
    pub fn auth_id(mut self, id: Option<&str>) -> Self {
        self.auth_id = HeaderOverride::instead(id);
        self
    }

    /// Another digest, or none.
    #[must_use]
    pub fn digest(mut self, digest: Option<&str>) -> Self {
        self.digest = HeaderOverride::instead(digest);
        self
    }

    /// Signs and sends.
    ///
    /// # Panics
    /// When it makes no request.
    pub async fn send(&self, to: &TestApp) -> TestResponse {
        let wire = &to.api.brand;
        let mut query = vec![
            ("nonce".to_owned(), Some(to.world.uuid_v7().to_string())),
            ("timestamp".to_owned(), Some(to.world.now().as_second().to_string())),
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
            request = request.header(wire.auth_id(), id);
        }
        if let Some(digest) = digest {
            request = request.header(wire.auth_digest(), digest);
        }
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let body = self.sent_body.clone().unwrap_or_else(|| self.body.clone());
        to.send(request.body(Body::from(body)).expect("a request")).await
    }
}

/// An application id that nobody has.
pub fn unknown_app_id(world: &dyn Environment) -> String {
    AppId::new(world).to_string()
}
