//! A host name of its own for a mount: clients that were set up with `https://ai.example.com` need no path prefix.

use crate::identity;
use axum::{
    Router,
    extract::Request,
    http::{HeaderMap, Uri, header, uri::PathAndQuery},
};
use std::collections::BTreeMap;
use tower::{Layer as _, util::MapRequestLayer};

/// The five interfaces and the paths they are mounted at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mount {
    /// Content moderation.
    Moderation,
    /// Image AI.
    Ai,
    /// Proof of age.
    Proof,
    /// Document verification.
    Identity,
    /// Age sessions.
    Ages,
}

impl Mount {
    /// What a mount's paths begin with; the first is put before those that begin with none of them.
    const fn prefixes(self) -> &'static [&'static str] {
        match self {
            Self::Moderation => &["/accounts", "/console"],
            Self::Ai => &["/ai/v1", "/ai/sm"],
            Self::Proof => &["/poa/v1", "/poa/holder", "/v1/oauth"],
            Self::Identity => &["/idverify/v1", "/sandbox/idverify/v1", "/v1/oauth"],
            Self::Ages => &["/api/v1", "/sandbox/api/v1", "/v1/oauth"],
        }
    }
}

/// Host names, each of one mount. Other hosts serve all mounts.
#[derive(Clone, Debug, Default)]
pub struct Hosts(BTreeMap<String, Mount>);

impl Hosts {
    /// Gives a mount a host name (without a port).
    pub fn insert(&mut self, host: &str, mount: Mount) {
        self.0.insert(host.to_ascii_lowercase(), mount);
    }

    /// The names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Puts the hosts, and the sandbox, in front of the routes. A signature counts over any end of the path, so it holds either way.
    pub(crate) fn before(self, routes: Router) -> Router {
        // The sandbox has the routes of production, and is marked: it is unpacked after a host has named the mount.
        let mounted =
            MapRequestLayer::new(move |request| identity::unpack_sandbox(self.mount(request))).layer(routes);
        Router::new().fallback_service(mounted)
    }

    fn mount(&self, mut request: Request) -> Request {
        let mount = named(request.uri(), request.headers()).and_then(|host| self.0.get(&host));
        if let Some(path) = mount.and_then(|mount| within(*mount, request.uri())) {
            let mut parts = std::mem::take(request.uri_mut()).into_parts();
            parts.path_and_query = Some(path);
            if let Ok(uri) = Uri::from_parts(parts) {
                *request.uri_mut() = uri;
            }
        }
        request
    }
}

/// The host a request is for, without its port.
fn named(uri: &Uri, headers: &HeaderMap) -> Option<String> {
    let host = uri.host().or_else(|| headers.get(header::HOST)?.to_str().ok()?.split(':').next());
    host.map(str::to_ascii_lowercase)
}

/// The full path of one that is relative to a mount; `None` where it is full already.
fn within(mount: Mount, uri: &Uri) -> Option<PathAndQuery> {
    let path = uri.path();
    let full = mount
        .prefixes()
        .iter()
        .any(|prefix| path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')));
    if full {
        return None;
    }
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    format!("{}{path}{query}", mount.prefixes().first()?).parse().ok()
}
