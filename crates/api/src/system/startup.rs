//! A server that has started only so far that it can say what it waits for.

use super::{MetricsRecorder, ReadinessProbe, health, metrics, readiness, unavailable};
use crate::http::{
    Brand, panic,
    request_context::{RequestTracer, trace_request},
    security_headers::{SecurityHeaders, add_security_headers},
    virtual_hosts::VirtualHosts,
};
use axum::{Router, extract::FromRef, middleware, routing::get};
use base::Environment;
use std::sync::{Arc, Mutex, PoisonError};

/// How far the start of a server is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StartupState {
    /// The database does not answer yet, or is being migrated, or its schema is not this build's.
    WaitingForDatabase,
    /// The master key is missing, or is another than the database needs.
    MasterKeyRefused,
    /// Interfaces and jobs have started.
    Ready,
}

/// How far the start of this server is, for `/readyz`. Cheap to clone; all clones say the same.
#[derive(Clone, Debug)]
pub struct StartupStatus(Arc<Mutex<StartupState>>);

impl StartupStatus {
    /// A server in this state.
    pub fn new(state: StartupState) -> Self {
        Self(Arc::new(Mutex::new(state)))
    }

    /// The state now.
    pub fn get(&self) -> StartupState {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sets the state.
    pub fn set(&self, state: StartupState) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}

/// What a server that cannot serve yet is made of.
#[derive(Clone, Debug)]
pub struct StartupServer {
    /// What `/readyz` looks at.
    pub probe: ReadinessProbe,
    /// The process's metrics.
    pub metrics: MetricsRecorder,
    /// The address at which callers reach this server.
    pub public_url: String,
}

impl FromRef<StartupServer> for ReadinessProbe {
    fn from_ref(server: &StartupServer) -> Self {
        server.probe.clone()
    }
}

impl FromRef<StartupServer> for metrics::MetricsSource {
    fn from_ref(server: &StartupServer) -> Self {
        Self {
            recorder: server.metrics.clone(),
            image_analyser: server.probe.image_analyser.clone(),
            cases: None,
        }
    }
}

/// Health and, unless operators have a listener of their own, readiness and metrics. Everything else is answered with 503,
/// in the form of the interface that it belongs to.
pub fn startup_router(
    server: StartupServer,
    brand: Brand,
    environment: Arc<dyn Environment>,
    hosts: VirtualHosts,
    has_operator_routes: bool,
) -> Router {
    let tracer = Arc::new(RequestTracer { environment, brand, operations: Arc::default(), log: None });
    let security = Arc::new(SecurityHeaders::new(&server.public_url));
    let mut routes = Router::new().route("/healthz", get(health::healthz));
    if has_operator_routes {
        routes = routes.route("/readyz", get(readiness::readyz)).route("/metrics", get(metrics::scrape));
    }
    let routes = routes
        .fallback(unavailable)
        .with_state(server)
        .layer(panic::catch_panics::<crate::image_analysis::ImageAnalysisErrorCode>())
        .layer(middleware::from_fn_with_state(tracer, trace_request))
        .layer(middleware::from_fn_with_state(security, add_security_headers));
    hosts.wrap(routes)
}
