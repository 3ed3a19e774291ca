//! What answers requests: while the server starts, only health and readiness; then everything.

use axum::{Router, extract::Request, response::Response};
use std::{convert::Infallible, sync::Arc};
use tokio::sync::watch;
use tower::ServiceExt as _;

/// Routes requests to one of two routers: a closed one while the server is not ready to answer, else the real one.
#[derive(Clone)]
pub(super) struct Gate {
    closed: Router,
    current: Arc<watch::Sender<Router>>,
}

impl Gate {
    /// A closed gate: `closed` answers.
    pub(super) fn new(closed: Router) -> Self {
        Self { current: Arc::new(watch::Sender::new(closed.clone())), closed }
    }

    /// Lets requests through to `router`.
    pub(super) fn open(&self, router: Router) {
        drop(self.current.send_replace(router));
    }

    /// Closes the gate again; requests that are being answered are not interrupted.
    pub(super) fn close(&self) {
        drop(self.current.send_replace(self.closed.clone()));
    }

    /// Both routers as one.
    pub(super) fn router(&self) -> Router {
        let current = self.current.subscribe();
        Router::new().fallback_service(tower::service_fn(move |request: Request| {
            let router = current.borrow().clone();
            async move {
                Ok::<Response, Infallible>(
                    router.oneshot(request).await.unwrap_or_else(|never| match never {}),
                )
            }
        }))
    }
}
