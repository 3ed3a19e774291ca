//! The pages that Assay serves to people.
//!
//! They are written in TypeScript in `web/`, built into `web/dist` by `make setup`, and embedded in the binary. They
//! need no state on the server: they call the interfaces from the browser.
//!
//! | Below | Page |
//! |---|---|
//! | `/poa/holder/` | shows the holder of a proof of age a fresh QR code every 30 seconds |
//! | `/console/` | members sign in, see what was found, and manage members |
//! | `/idverify/v1/web/` | a person goes through a document verification session; below `/sandbox` too |
//! | `/age`, `/age/<method>` | a person proves an age in a session; below `/sandbox` too |

mod serve;

use axum::{Router, response::Redirect, routing::get};
use serve::{EMBEDDABLE_HEADERS, FRAMING_HEADERS, File, ISOLATED_HEADERS, StaticPage};
use std::sync::Arc;

/// The files that were in `web/dist` when this was built.
static BUILT_FILES: &[File] = include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// All pages, ready to be merged with other routes. Paths below a page that name no file are answered here with 404.
/// `brand` is the word in the names of the interfaces' headers, letters and digits.
pub fn router(brand: &str) -> Router {
    router_with(BUILT_FILES, brand)
}

/// Whether the pages were there when this was built; if not, their addresses answer 503 and say what to run.
pub fn are_built_in() -> bool {
    !BUILT_FILES.is_empty()
}

fn router_with(files: &'static [File], brand: &str) -> Router {
    // Addresses inside a page are relative to its folder, so `/` is added by a redirect; browsers keep an invitation
    // after `#`.
    let own = |folder| StaticPage { files, folder, headers: &ISOLATED_HEADERS, brand: None };
    let brand: Option<Arc<str>> = (brand != "Svc").then(|| brand.into());
    let mut routes = Router::new()
        .route("/poa/holder", get(Redirect::permanent("/poa/holder/")))
        .merge(own("holder").routes_below("/poa/holder/"))
        .route("/console", get(Redirect::permanent("/console/")))
        .merge(own("console").routes_below("/console/"));
    // The page calls the interface relative to its own address, so the sandbox only needs an address of its own.
    for base in ["/idverify/v1", "/sandbox/idverify/v1"] {
        let identity =
            StaticPage { files, folder: "identity", headers: &EMBEDDABLE_HEADERS, brand: brand.clone() };
        routes = routes.merge(identity.routes_below(&format!("{base}/web/")));
    }
    for base in ["", "/sandbox"] {
        let age = StaticPage { files, folder: "age", headers: &FRAMING_HEADERS, brand: brand.clone() };
        routes = routes.merge(age.routes_at(&format!("{base}/age")));
    }
    routes
}

#[cfg(test)]
mod tests;
