//! Handlers as routes, with their operations for the OpenAPI document.

use crate::ApiState;
use axum::{extract::Request, handler::Handler, response::Response};
use futures_util::future::BoxFuture;

/// A handler without the type of its future.
///
/// axum wraps a handler in half a dozen services. Of each the compiler would prove anew that the handler's future may move
/// between threads, through everything that it awaits: that took longer than all else in this crate. So it is proved once,
/// where the future goes into its box.
#[derive(Clone, Copy)]
pub(crate) struct BoxedHandler(pub(crate) fn(Request, ApiState) -> BoxFuture<'static, Response>);

impl Handler<Self, ApiState> for BoxedHandler {
    type Future = BoxFuture<'static, Response>;

    fn call(self, request: Request, state: ApiState) -> Self::Future {
        (self.0)(request, state)
    }
}

/// As [`utoipa_axum::routes!`], with boxed handlers.
macro_rules! routes {
    ($($handler:path),+ $(,)?) => {{
        let (mut schemas, mut paths) = (Vec::new(), utoipa::openapi::path::Paths::new());
        let mut methods = axum::routing::MethodRouter::new();
        $({
            use utoipa_axum::PathItemExt as _;
            let (path, operation, types) = utoipa_axum::routes!(@resolve_types $handler: schemas);
            let handler = crate::http::routes::BoxedHandler(|request, state| {
                axum::handler::Handler::call($handler, request, state)
            });
            for method in &types {
                methods = methods.on(method.to_method_filter(), handler);
            }
            paths.add_path_operation(&path, types, operation);
        })+
        (schemas, paths, methods)
    }};
}

pub(crate) use routes;
