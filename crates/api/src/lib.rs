//! Assay's HTTP interfaces. One operation is one file: contract on top, guard first, rule in the middle, answer last.

pub mod ages;
pub mod ai;
mod console;
mod http;
pub mod identity;
pub mod moderation;
mod oauth;
pub mod openapi;
pub mod proof;
mod system;

pub use http::{
    Brand, BrandError,
    auth::{Allowance, GeoError, GeoLocator, GeoSettings, RateLimit},
    virtual_hosts::{Interface, VirtualHosts},
};
pub use system::{Disk, Metrics};

use axum::{Router, middleware};
use base::{SignedDuration, Uuid, World};
use db::Db;
use domain::{
    accounts::{closing::Closing, doors::Doors},
    ages::Ages,
    audit::Decisions,
    estimate::Estimator,
    faces::Faces,
    identity::Identities,
    moderation::Moderations,
    proof::{Proofs, issuer::Issuer},
    secure_capture::SecureCapture,
    tenancy::nonces::Nonces,
    vault::Vault,
};
use media::blobs::Blobs;
use std::{sync::Arc, time::Duration};

/// Everything an operation may reach; cheap to clone.
#[derive(Clone, Debug)]
pub struct Api {
    /// Time and chance.
    pub world: Arc<dyn World>,
    /// The database.
    pub db: Db,
    /// The brand in header names and codes.
    pub brand: Brand,
    /// Nonces that were used.
    pub nonces: Nonces,
    /// The models, behind their bounded pool.
    pub estimator: Estimator,
    /// People whom accounts know.
    pub faces: Faces,
    /// Secure capture sessions.
    pub secure_capture: SecureCapture,
    /// Seals what is kept in rows.
    pub vault: Vault,
    /// Proofs of age.
    pub proofs: Proofs,
    /// This server as an issuer of proofs.
    pub issuer: Issuer,
    /// Content moderation.
    pub moderations: Moderations,
    /// Document verification sessions.
    pub identities: Identities,
    /// Age verification sessions.
    pub ages: Ages,
    /// What is kept outside the database.
    pub blobs: Blobs,
    /// How members come in.
    pub doors: Doors,
    /// How accounts are closed.
    pub closing: Closing,
    /// How often anybody may ask for sign-in links, all together.
    pub sign_ins: Arc<RateLimit>,
    /// Where decision records go, when they are kept.
    pub decisions: Option<Decisions>,
    /// How often the person of a session may call, of whichever kind.
    pub people: Arc<RateLimit<Uuid>>,
    /// How often an application may call, where that is limited.
    pub rate: Option<Arc<RateLimit>>,
    /// Where callers are.
    pub geo: Arc<GeoLocator>,
    /// Metrics, rendered on demand.
    pub metrics: Metrics,
    /// Where room is needed.
    pub disk: Disk,
    /// Limits of the HTTP side.
    pub settings: Arc<Settings>,
}

/// Limits of the HTTP side.
#[derive(Clone, Debug)]
pub struct Settings {
    /// How far a signed request's timestamp may be off.
    pub max_clock_skew: SignedDuration,
    /// The largest body of the image AI interface, bytes. 2 MB is read as 2 MiB: an image of 1.5 MB and a byte must
    /// still get as far as `IMAGE_SIZE_TOO_BIG`.
    pub body_bytes: usize,
    /// How long a body may take to arrive.
    pub body_timeout: Duration,
    /// Host names that serve one mount each.
    pub hosts: VirtualHosts,
    /// Where callers reach this server, without a trailing slash.
    pub public_url: String,
    /// Accounts that one application may have.
    pub accounts: i64,
    /// The age that `?explain=true` holds an estimate against where the request names no threshold.
    pub explained_age: u8,
    /// The false-positive rate for which `?explain=true` states a buffer.
    pub explained_rate: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            max_clock_skew: SignedDuration::from_mins(5),
            body_bytes: 2 << 20,
            body_timeout: Duration::from_secs(30),
            hosts: VirtualHosts::default(),
            public_url: "http://127.0.0.1:8080".to_owned(),
            accounts: 100,
            explained_age: 18,
            explained_rate: 0.05,
        }
    }
}

impl Settings {
    /// The addresses under which the token endpoint is reached: what assertions may be meant for.
    pub(crate) fn token_endpoints(&self) -> Vec<String> {
        let hosts = self.hosts.names().map(|host| format!("https://{host}"));
        std::iter::once(self.public_url.clone()).chain(hosts).map(|base| base + oauth::PATH).collect()
    }
}

/// All interfaces and the server's own pages, ready to serve. `pages` are those that people see.
pub fn router(api: Api, pages: Router) -> Router {
    let (ai, _) = ai::router().split_for_parts();
    let (tokens, _) = oauth::router().split_for_parts();
    let (moderation, _) = moderation::router().split_for_parts();
    let (identity, _) = identity::router().split_for_parts();
    let (ages, _) = ages::router().split_for_parts();
    let (console, _) = console::router().split_for_parts();
    let (proof, _) = proof::router().split_for_parts();
    let routes = Router::new()
        .merge(ai)
        .merge(tokens)
        .merge(proof)
        .merge(moderation)
        .merge(identity)
        .merge(ages)
        .merge(console)
        .merge(system::router())
        .fallback(system::not_found)
        .method_not_allowed_fallback(system::not_found)
        .with_state(api.clone());
    let hosts = api.settings.hosts.clone();
    // Swagger UI's files travel inside the binary, so the reference works offline.
    let routes = routes
        .merge(openapi::reference())
        .merge(pages)
        .layer(http::panic::catch::<ai::Code>())
        .layer(middleware::from_fn_with_state(api, http::request_context::trace));
    hosts.before(routes)
}

/// How all interfaces tell other servers of what happened. Each interface implements its own trait of the domain for it, next to
/// the operations whose answers look alike.
#[derive(Clone, Copy, Debug, Default)]
pub struct Webhooks;

/// Standard base64, as images travel.
pub fn base64(bytes: &[u8]) -> String {
    base64_simd::STANDARD.encode_to_string(bytes)
}
