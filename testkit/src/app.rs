//! The whole server in this process: real models, a clean database, a known moment.

use crate::contract::Contract;
use api::{Api, Brand, Metrics, Settings};
use axum::{
    Router,
    body::{Body, Bytes},
    http::{HeaderMap, HeaderName, Request, StatusCode, header},
};
use base::{AccountId, AppId, Id as _, OrgId, SignedDuration, StillWorld, World};
use db::{Query, testing::TestDb};
use domain::{
    accounts::{
        self, Receipts,
        closing::{CloseAccount, Closing, Outside},
        doors::{Doors, Rules, SendLinks},
    },
    ages::{self, Ages},
    delivery::Outbox,
    estimate::Estimator,
    faces::{self, Faces},
    identity::{self, Identities},
    keyring::Keyring,
    mail::{Carrier, Mail, SendMail},
    moderation::{self, Moderations},
    proof::{self, Proofs, ResolveProof, issuer::Issuer},
    secure_capture::SecureCapture,
    tenancy::{
        Feature, api_keys,
        applications::{self, NewApplication},
        nonces::Nonces,
        organisations, public_keys,
        signed_request::{Message, Signer},
        tokens::{self, Scope},
    },
    vault::Vault,
};
use http_body_util::BodyExt as _;
use jobs::Worker;
use media::{
    blobs::{Blobs, Place},
    fetch::{Fetcher, Policy},
    video::Videos,
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
    pub api: Api,
    /// The moment it is, until a test moves it.
    pub world: Arc<StillWorld>,
    /// The organisation.
    pub org: OrgId,
    /// The application.
    pub app: AppId,
    /// The operator's own application that blind tokens are issued in the name of, where they are.
    pub issuer: Option<AppId>,
    mail: Mail,
    letters: tempfile::TempDir,
    router: Router,
    contract: Arc<Contract>,
    database: TestDb,
    _indexes: tempfile::TempDir,
}

/// A key pair takes a while to make, and any test may share it.
static PAIR: LazyLock<(Signer, Vec<u8>)> = LazyLock::new(|| {
    let (private, public) = public_keys::generate();
    (Signer::from_pem(private.expose()).expect("a fresh key"), public)
});

/// Rules for proofs of a server that believes nobody but itself.
pub fn proof_settings() -> proof::Settings {
    proof::Settings {
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
    PAIR.1.clone()
}

/// What signs as the application of every test does.
pub fn signer() -> &'static Signer {
    &PAIR.0
}

/// Signs as the application of every test does.
pub fn sign(message: &Message<'_>) -> String {
    PAIR.0.sign(message)
}

impl TestApp {
    /// Starts with the real models.
    pub async fn start() -> Self {
        Self::with(|_| {}).await
    }

    /// Starts after `change` has had its way with the server.
    ///
    /// # Panics
    /// When the server cannot be made: the test cannot go on.
    pub async fn with(change: impl FnOnce(&mut Api)) -> Self {
        Self::open(&Policy::default(), proof_settings(), ages::Settings::default(), change).await
    }

    /// Starts with blind tokens. Where the settings name neither an issuer nor an application, the server issues in the
    /// name of an application of the operator's own, [`Self::issuer`].
    ///
    /// # Panics
    /// When the server cannot be made: the test cannot go on.
    pub async fn anonymous(policy: &Policy, settings: ages::Anonymous) -> Self {
        let mut asking = ages::Settings::default();
        asking.providers.double_anonymity = Some(settings);
        Self::open(policy, proof_settings(), asking, |_| {}).await
    }

    /// Starts with settings for age sessions, at the public address that they name.
    pub async fn asking(settings: ages::Settings) -> Self {
        Self::asking_outside(&Policy::default(), settings).await
    }

    /// The same with a policy for outgoing calls.
    pub async fn asking_outside(policy: &Policy, settings: ages::Settings) -> Self {
        let public_url = settings.public_url.clone();
        let change = |api: &mut Api| {
            api.settings = Arc::new(Settings { public_url, ..Settings::default() });
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
    pub async fn calling(policy: &Policy, rules: proof::Settings) -> Self {
        Self::open(policy, rules, ages::Settings::default(), |_| {}).await
    }

    #[expect(clippy::too_many_lines, reason = "wires a whole server, once")]
    async fn open(
        policy: &Policy,
        rules: proof::Settings,
        mut asking: ages::Settings,
        change: impl FnOnce(&mut Api),
    ) -> Self {
        let database = TestDb::open().await;
        let world = Arc::new(StillWorld::at("2026-01-16T14:40:00Z"));
        let tokens = asking.providers.double_anonymity.as_mut();
        if let Some(tokens) = tokens.filter(|tokens| tokens.issuer.is_none() && tokens.application.is_none())
        {
            tokens.application = Some(tenant(&database, &world, "Test issuer").await.1);
        }
        let brand = match asking.brand.as_str() {
            "svc" => Brand::default(),
            other => Brand::new(other).expect("letters and digits"),
        };
        let issuing = asking.providers.double_anonymity.as_ref().and_then(|tokens| tokens.application);
        let keyring = Keyring::parse(&"5a".repeat(32)).expect("64 digits");
        let vault = Vault::new(&keyring);
        let fetcher = Fetcher::new(policy).expect("a policy");
        let blobs = Blobs::open(&Place::Memory, keyring.derive("blobs"), world.clone()).expect("memory");
        let letters = tempfile::tempdir().expect("a temporary folder");
        let carrier = Carrier::Folder(letters.path().to_owned());
        let mail = Mail::new(world.clone(), vault.clone(), carrier, None).expect("a folder");
        let videos = Videos::start(fetcher.clone(), media::video::Settings::default()).await;
        let (estimator, outbox) = (crate::faces::estimator(), Outbox::new(fetcher.clone(), vault.clone()));
        let indexes = tempfile::tempdir().expect("a temporary folder");
        let index_settings =
            faces::Settings::new(indexes.path().to_owned(), keyring.derive("indexes of faces"));
        let faces = Faces::new(
            database.db.clone(),
            world.clone(),
            vault.clone(),
            blobs.clone(),
            estimator.clone(),
            index_settings,
        );
        let moderations = Moderations::new(
            database.db.clone(),
            world.clone(),
            vault.clone(),
            outbox.clone(),
            faces.clone(),
            videos.expect("a relay"),
            estimator.clone(),
            moderation::Settings { outage: 5, ..moderation::Settings::default() },
            Arc::new(api::Webhooks),
        );
        let identities = Identities::new(
            database.db.clone(),
            world.clone(),
            vault.clone(),
            outbox.clone(),
            blobs.clone(),
            estimator.clone(),
            identity::Settings {
                models: crate::faces::pack(),
                patience: Duration::from_mins(1),
                withheld: vec!["PRK".to_owned()],
                ..identity::Settings::default()
            },
            Arc::new(api::Webhooks),
        );
        let issuer = Issuer::new(database.db.clone(), world.clone(), vault.clone(), rules.clone());
        let secure_capture = SecureCapture::new(&keyring);
        let parts = ages::Parts {
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
            webhooks: Arc::new(api::Webhooks),
        };
        let mut api = Api {
            world: world.clone(),
            db: database.db.clone(),
            brand,
            nonces: Nonces::start(database.db.clone()),
            estimator,
            secure_capture,
            vault: vault.clone(),
            issuer,
            proofs: Proofs::new(
                database.db.clone(),
                world.clone(),
                vault.clone(),
                outbox,
                fetcher,
                rules,
                Arc::new(api::Webhooks),
            ),
            blobs: blobs.clone(),
            doors: Doors::new(
                database.db.clone(),
                world.clone(),
                Vault::new(&keyring),
                mail.clone(),
                Rules::at(&Settings::default().public_url),
            ),
            closing: Closing::new(
                database.db.clone(),
                world.clone(),
                Receipts::new(&keyring),
                [Arc::new(blobs) as Arc<dyn Outside>, Arc::new(faces.clone())],
            ),
            faces,
            moderations,
            identities,
            ages: Ages::new(parts, asking).expect("settings that hold"),
            sign_ins: Arc::new(api::RateLimit::new(NonZeroU32::MAX, NonZeroU32::MAX)),
            decisions: None,
            people: Arc::new(api::RateLimit::new(NonZeroU32::MAX, NonZeroU32::MAX)),
            rate: None,
            geo: Arc::default(),
            metrics: Metrics::none(),
            disk: api::Disk { folder: std::env::temp_dir(), min_free: 0 },
            settings: Arc::new(Settings::default()),
        };
        change(&mut api);

        let (org, app) = tenant(&database, &world, "Test application").await;
        let mut tx = api.db.write().await.expect("a transaction");
        public_keys::add(&mut tx, &*world, app, public_key()).await.expect("a key");
        tx.commit().await.expect("a commit");
        let router = api::router(api.clone(), Router::new());
        let contract = Contract::of(&api.brand);
        Self {
            api,
            world,
            org,
            app,
            issuer: issuing,
            mail,
            letters,
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
    pub async fn with_estimator(estimator: Estimator) -> Self {
        Self::with(|api| api.estimator = estimator).await
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
    pub async fn send(&self, request: Request<Body>) -> Answer {
        let hosted = request.headers().contains_key(header::HOST);
        let (method, path) = (request.method().to_string(), request.uri().path().to_owned());
        let response = self.router.clone().oneshot(request).await.expect("an answer");
        let (status, headers) = (response.status(), response.headers().clone());
        let body = response.into_body().collect().await.expect("a whole answer").to_bytes();
        // A host of one interface has other paths than the documents.
        if !hosted {
            self.contract.check((&method, &path), status, &headers, &body);
        }
        Answer { status, headers, body }
    }

    /// A bearer token of the application, made by hand.
    ///
    /// # Panics
    /// When none can be made.
    pub async fn token(&self, scopes: &[Scope]) -> String {
        let mut tx = self.api.db.write().await.expect("a transaction");
        let issued = tokens::create(&mut tx, &*self.world, self.app, "test", scopes.to_vec(), None).await;
        tx.commit().await.expect("a commit");
        issued.expect("a token").token.expose().clone()
    }

    /// An API key of the application with these scopes; with none it may everything.
    ///
    /// # Panics
    /// When none can be made.
    pub async fn key(&self, scopes: &[&str]) -> String {
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
    pub async fn account(&self) -> AccountId {
        let name = format!("Account {}", self.world.random_uuid());
        let mut tx = self.api.db.write().await.expect("a transaction");
        let opened = accounts::open(&mut tx, &*self.world, self.app, &name, i64::MAX).await;
        tx.commit().await.expect("a commit");
        opened.expect("an account")
    }

    /// Sends a request of the moderation interface with an API key of the application, and JSON where there is a body.
    ///
    /// # Panics
    /// When it makes no request.
    pub async fn ask(&self, method: &str, path: &str, key: &str, body: Option<Value>) -> Answer {
        self.ask_as(&self.app.to_string(), method, path, key, body).await
    }

    /// The same in the name of any application.
    ///
    /// # Panics
    /// When it makes no request.
    pub async fn ask_as(
        &self,
        app: &str,
        method: &str,
        path: &str,
        key: &str,
        body: Option<Value>,
    ) -> Answer {
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
    pub async fn work(&self) {
        let count = |query| async move {
            let mut view = self.api.db.read().await.expect("a view");
            view.count(query).await.expect("a count")
        };
        let working = self.keep_working();
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
    pub fn keep_working(&self) -> Working {
        let (stop, stopped) = tokio::sync::watch::channel(false);
        Working { stop, task: tokio::spawn(self.worker().work(stopped)) }
    }

    fn worker(&self) -> Worker {
        let (mail, doors, closing) = (self.mail.clone(), self.api.doors.clone(), self.api.closing.clone());
        let proofs = self.api.proofs.clone();
        let worker = Worker::new(self.api.db.clone(), self.world.clone())
            .handle(move |job: ResolveProof, lease| {
                let proofs = proofs.clone();
                async move { proofs.resolve(&job, &lease).await }
            })
            .handle(move |job: SendMail, lease| {
                let mail = mail.clone();
                async move { mail.send(&job, &lease).await }
            })
            .handle(move |job: SendLinks, lease| {
                let doors = doors.clone();
                async move { doors.send_links(&job, &lease).await }
            })
            .handle(move |job: CloseAccount, lease| {
                let closing = closing.clone();
                async move { closing.finish(&job, &lease).await }
            });
        let worker = self.api.moderations.handle(self.api.faces.handle(worker));
        self.api.ages.handle(self.api.identities.handle(worker))
    }

    /// The mails that were sent so far, oldest first, as they travel.
    ///
    /// # Panics
    /// When they cannot be read.
    pub fn letters(&self) -> Vec<String> {
        let files = std::fs::read_dir(self.letters.path()).expect("the folder is there");
        let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
        // Not by name: the world may stand still between two.
        files.sort_by_key(|file| std::fs::metadata(file).and_then(|data| data.modified()).expect("its time"));
        files.iter().map(|file| std::fs::read_to_string(file).expect("a letter")).collect()
    }

    /// An ordinary unsigned GET.
    ///
    /// # Panics
    /// When `path` is none.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(Request::get(path).body(Body::empty()).expect("a request")).await
    }
}

/// An organisation with one application that may use everything.
async fn tenant(database: &TestDb, world: &StillWorld, name: &str) -> (OrgId, AppId) {
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
pub struct Working {
    stop: tokio::sync::watch::Sender<bool>,
    task: tokio::task::JoinHandle<()>,
}

impl Working {
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
pub struct Answer {
    /// The status.
    pub status: StatusCode,
    /// The headers.
    pub headers: HeaderMap,
    /// The raw body.
    pub body: Bytes,
}

impl Answer {
    /// The body as JSON; null where it is none.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_default()
    }

    /// Status and error code, as `404 APP_NOT_FOUND`; the code is empty where there is none.
    pub fn line(&self) -> String {
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
pub struct Call {
    method: &'static str,
    path: String,
    signed_path: Option<String>,
    query: Vec<(String, Option<String>)>,
    body: Vec<u8>,
    sent_body: Option<Vec<u8>>,
    headers: Vec<(HeaderName, String)>,
    auth_id: Sent,
    digest: Sent,
}

/// How a header of the guard travels.
#[derive(Clone, Debug)]
enum Sent {
    Right,
    Other(String),
    Absent,
}

impl Sent {
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

impl Call {
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
            auth_id: Sent::Right,
            digest: Sent::Right,
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
        self.auth_id = Sent::instead(id);
        self
    }

    /// Another digest, or none.
    #[must_use]
    pub fn digest(mut self, digest: Option<&str>) -> Self {
        self.digest = Sent::instead(digest);
        self
    }

    /// Signs and sends.
    ///
    /// # Panics
    /// When it makes no request.
    pub async fn send(&self, to: &TestApp) -> Answer {
        let wire = &to.api.brand;
        let mut query = vec![
            ("nonce".to_owned(), Some(to.world.uuid().to_string())),
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
        let message = Message { method: self.method, path, query: Some(&query), body: &self.body };
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
pub fn nobody(world: &dyn World) -> String {
    AppId::new(world).to_string()
}
