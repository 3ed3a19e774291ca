//! Assay's HTTP interfaces. Each operation has a file of its own: first the types of its contract, then the handler,
//! which authenticates the caller, calls the domain and builds the answer.

pub mod age_verification;
mod console;
pub mod content_moderation;
pub mod document_verification;
mod frame_ancestors;
mod http;
pub mod image_analysis;
mod oauth;
pub mod openapi;
pub mod proof_of_age;
mod system;

pub use console::{ConsoleResources, SettingInForce, SettingSource};
pub use frame_ancestors::{InvalidOriginError, Origin};
pub use http::{
    Brand, BrandError,
    auth::{GeoError, GeoLocator, GeoSettings, RateLimit, RateLimitAllowance, SignatureGuard},
    body::BodyMemory,
    virtual_hosts::{Interface, VirtualHostSettings, VirtualHosts},
};
use image_analysis::TransactionAttempts;
pub use system::{
    DataDisk, MetricsRecorder, ReadinessProbe, StartupServer, StartupState, StartupStatus, startup_router,
};

use axum::{Router, middleware, routing::get};
use base::{SignedDuration, Uuid};
use domain::{
    audit::DecisionLog,
    request_log::RequestLog,
    tenancy::{calling_application::CallingApplicationReader, limits::CallLimiter, nonces::NonceStore},
};
use http::{
    operations::{Operations, PathIds},
    request_context::{RequestTracer, trace_request},
    security_headers::{SecurityHeaders, add_security_headers, allow_reference_page},
};
use services::Services;
use std::{
    num::NonZeroU32,
    ops::{Deref, DerefMut},
    sync::{Arc, OnceLock},
    time::Duration,
};

/// Everything an operation can use, shared: it is cloned several times for each request. It dereferences to [`ApiParts`] and
/// [`Services`], so that a handler says `api.db`.
#[derive(Clone, Debug)]
pub struct ApiState(Arc<ApiParts>);

/// What [`ApiState`] shares.
#[derive(Clone, Debug)]
pub struct ApiParts {
    pub services: Services,
    /// The brand in header names and codes.
    pub brand: Brand,
    /// The applications that sign requests.
    pub calling_applications: CallingApplicationReader,
    /// Nonces that were used.
    pub nonces: NonceStore,
    /// How often sign-in links may be requested from one network address.
    pub sign_in_rate_limit: Arc<RateLimit<Uuid>>,
    /// How often sign-in links may be requested for one mailbox.
    pub mailbox_rate_limit: Arc<RateLimit<Uuid>>,
    /// The log of decision records, if they are kept.
    pub decision_records: Option<DecisionLog>,
    /// Which requests applications make, if that is logged.
    pub request_log: Option<RequestLog>,
    /// How often the end user of a session may call, in any interface.
    pub end_user_rate_limit: Arc<RateLimit<Uuid>>,
    /// Counts the calls of applications that are limited.
    pub call_limiter: CallLimiter,
    /// The memory that the bodies of requests may take.
    pub body_memory: BodyMemory,
    /// Bounds what wrong signatures cost.
    pub signature_guard: Arc<SignatureGuard>,
    /// Counts the attempts of transactions at tills.
    pub transaction_attempts: Arc<TransactionAttempts>,
    /// Locates callers.
    pub geo_locator: Arc<GeoLocator>,
    /// Metrics, rendered on demand.
    pub metrics: MetricsRecorder,
    /// The disk that needs free space.
    pub data_disk: DataDisk,
    /// How far the start is.
    pub startup: StartupStatus,
    /// What the console's operations share.
    pub console_resources: Arc<ConsoleResources>,
    /// Limits of the HTTP side.
    pub settings: Arc<ApiSettings>,
}

impl From<ApiParts> for ApiState {
    fn from(parts: ApiParts) -> Self {
        Self(Arc::new(parts))
    }
}

impl Deref for ApiState {
    type Target = ApiParts;

    fn deref(&self) -> &ApiParts {
        &self.0
    }
}

impl DerefMut for ApiState {
    /// For a server that is being set up: what others hold is copied first, and does not change.
    fn deref_mut(&mut self) -> &mut ApiParts {
        Arc::make_mut(&mut self.0)
    }
}

impl Deref for ApiParts {
    type Target = Services;

    fn deref(&self) -> &Services {
        &self.services
    }
}

impl DerefMut for ApiParts {
    fn deref_mut(&mut self) -> &mut Services {
        &mut self.services
    }
}

/// How signed requests are authenticated; the section `[auth]`.
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct SignatureSettings {
    /// How far the timestamp of a signed request may differ from the server's clock; written in seconds.
    #[serde(rename = "max_clock_skew_seconds", with = "base::settings::seconds")]
    pub max_clock_skew: SignedDuration,
    /// Wrong signatures that one network address may send in a minute; each process counts separately.
    #[serde(rename = "failures_per_minute")]
    pub max_failures_per_minute: NonZeroU32,
}

impl Default for SignatureSettings {
    fn default() -> Self {
        Self {
            max_clock_skew: SignedDuration::from_mins(5),
            max_failures_per_minute: const { NonZeroU32::new(120).unwrap() },
        }
    }
}

/// What `?explain=true` of image analysis states figures for; the section `[estimate]`.
#[derive(Clone, Debug, serde::Deserialize, serde::Serialize)]
#[serde(default, deny_unknown_fields)]
pub struct ExplanationSettings {
    /// The age that an estimate is compared with if the request has no threshold, years.
    #[serde(rename = "explained_age")]
    pub threshold_years: u8,
    /// The false-positive rate for which a buffer is stated, 0 to 0.5.
    #[serde(rename = "explained_rate", deserialize_with = "false_positive_rate")]
    pub false_positive_rate: f64,
}

/// Beyond one half the buffer would lie below the threshold.
fn false_positive_rate<'de, D: serde::Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    let rate = <f64 as serde::Deserialize>::deserialize(from)?;
    if (0.0..=0.5).contains(&rate) {
        Ok(rate)
    } else {
        Err(serde::de::Error::custom(format_args!("{rate} is not a rate from 0 to 0.5")))
    }
}

impl Default for ExplanationSettings {
    fn default() -> Self {
        Self { threshold_years: 18, false_positive_rate: 0.05 }
    }
}

/// Limits of the HTTP side.
#[derive(Clone, Debug)]
pub struct ApiSettings {
    /// How signed requests are authenticated.
    pub signature: SignatureSettings,
    /// The largest body of the image analysis interface, bytes. 2 MB is read as 2 MiB: an image of 1.5 MB and a byte
    /// must still get as far as `IMAGE_SIZE_TOO_BIG`.
    pub max_image_body_bytes: usize,
    /// How long a body may take to arrive.
    pub body_timeout: Duration,
    /// Host names that each serve one interface.
    pub virtual_hosts: VirtualHosts,
    /// The address at which callers reach this server, without a trailing slash.
    pub public_url: String,
    /// Whether metrics, readiness, reference and OpenAPI documents are served by a listener of their own.
    pub has_admin_listener: bool,
    /// Origins whose pages may show the hosted pages in a frame, besides those that a session names.
    pub frame_origins: Vec<Origin>,
    /// Accounts that one application may have.
    pub max_accounts_per_application: i64,
    /// What `?explain=true` states figures for.
    pub explanation: ExplanationSettings,
}

impl Default for ApiSettings {
    fn default() -> Self {
        Self {
            signature: SignatureSettings::default(),
            max_image_body_bytes: 2 << 20,
            body_timeout: Duration::from_secs(30),
            virtual_hosts: VirtualHosts::default(),
            public_url: "http://127.0.0.1:8080".to_owned(),
            has_admin_listener: false,
            frame_origins: Vec::new(),
            max_accounts_per_application: 100,
            explanation: ExplanationSettings::default(),
        }
    }
}

impl ApiSettings {
    /// The addresses of the token endpoint, which are the accepted audiences of assertions.
    pub(crate) fn token_audiences(&self) -> Vec<String> {
        let hosts = self.virtual_hosts.names().map(|host| format!("https://{host}"));
        std::iter::once(self.public_url.clone())
            .chain(hosts)
            .map(|base| base + oauth::TOKEN_ENDPOINT_PATH)
            .collect()
    }
}

/// The operations of all interfaces.
struct Interfaces {
    routes: Router<ApiState>,
    operations: Arc<Operations>,
}

/// Built once for a process: the routes come with the OpenAPI documents of their operations, and those take long to build.
fn interfaces() -> &'static Interfaces {
    // With a `LazyLock`, whose value names what it calls, the crate's unit tests would be compiled with every handler, though they
    // call none: what statics name is always compiled.
    static INTERFACES: OnceLock<Interfaces> = OnceLock::new();
    INTERFACES.get_or_init(Interfaces::build)
}

impl Interfaces {
    fn build() -> Self {
        let interfaces = [
            ("ai", PathIds::Recorded, image_analysis::router()),
            ("oauth", PathIds::Recorded, oauth::router()),
            ("proof", PathIds::Recorded, proof_of_age::router()),
            ("moderation", PathIds::Recorded, content_moderation::router()),
            ("identity", PathIds::Recorded, document_verification::router()),
            ("ages", PathIds::Omitted, age_verification::router()),
            ("console", PathIds::Recorded, console::router()),
        ];
        let (mut routes, mut operations) = (Router::new(), Operations::default());
        for (name, ids, router) in interfaces {
            let (router, document) = router.split_for_parts();
            operations.add(name, ids, &document);
            routes = routes.merge(router);
        }
        Self { routes, operations: Arc::new(operations) }
    }
}

fn request_tracer(api: &ApiState) -> Arc<RequestTracer> {
    Arc::new(RequestTracer {
        environment: api.environment.clone(),
        brand: api.brand.clone(),
        operations: interfaces().operations.clone(),
        log: api.request_log.clone(),
    })
}

/// All interfaces and the server's own pages, ready to serve. `pages` has the pages for people.
pub fn router(api: ApiState, pages: Router) -> Router {
    let hosts = api.settings.virtual_hosts.clone();
    let tracer = request_tracer(&api);
    let pages = pages.layer(middleware::from_fn_with_state(api.clone(), frame_ancestors::allow));
    let mut routes =
        interfaces().routes.clone().merge(system::public_router()).route("/", get(system::front_door));
    if !api.settings.has_admin_listener {
        routes = routes.merge(system::operator_router());
    }
    let has_reference = !api.settings.has_admin_listener;
    let security = Arc::new(SecurityHeaders::new(&api.settings.public_url));
    let mut routes = routes
        .fallback(system::not_found)
        .method_not_allowed_fallback(system::not_found)
        .with_state(api)
        .merge(pages);
    if has_reference {
        routes = routes.merge(reference());
    }
    let routes = routes
        .layer(http::panic::catch_panics::<image_analysis::ImageAnalysisErrorCode>())
        .layer(middleware::from_fn_with_state(tracer, trace_request))
        .layer(middleware::from_fn_with_state(security, add_security_headers));
    hosts.wrap(routes)
}

/// What operators and developers look at: metrics, readiness, reference and OpenAPI documents; for a listener of their
/// own ([`ApiSettings::has_admin_listener`]).
pub fn admin_router(api: ApiState) -> Router {
    let tracer = request_tracer(&api);
    let security = Arc::new(SecurityHeaders::new(&api.settings.public_url));
    system::public_router()
        .merge(system::operator_router())
        .route("/", get(system::to_reference))
        .fallback(system::not_found)
        .method_not_allowed_fallback(system::not_found)
        .with_state(api)
        .merge(reference())
        .layer(http::panic::catch_panics::<image_analysis::ImageAnalysisErrorCode>())
        .layer(middleware::from_fn_with_state(tracer, trace_request))
        .layer(middleware::from_fn_with_state(security, add_security_headers))
}

/// The reference. Swagger UI's files are in the binary, so it works offline.
fn reference() -> Router {
    Router::from(openapi::reference_page()).layer(middleware::from_fn(allow_reference_page))
}

/// Writes the webhooks of all interfaces. Each interface implements its own trait of the domain for it, next to the
/// operations whose answers look alike.
#[derive(Clone, Copy, Debug, Default)]
pub struct WebhookFormatter;

/// Standard base64, as images are sent.
pub fn base64(bytes: &[u8]) -> String {
    base64_simd::STANDARD.encode_to_string(bytes)
}
