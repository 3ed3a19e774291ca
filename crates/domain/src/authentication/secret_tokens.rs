//! The secrets of invitations, sign-in links and sessions: 256 random bits each. They travel in a mail or in a cookie, and
//! only their hash is stored.

use aws_lc_rs::digest;
use base::{Environment, Secret};

/// A new secret, base64url without padding.
pub(crate) fn generate_token(environment: &dyn Environment) -> Secret<String> {
    let mut bytes = [0; 32];
    environment.fill_random(&mut bytes);
    Secret::new(base64_simd::URL_SAFE_NO_PAD.encode_to_string(bytes))
}

/// What is stored of a secret: its SHA-256. It has 256 random bits, so a slow hash would protect nothing more.
pub(crate) fn hash_token(token: &str) -> Vec<u8> {
    digest::digest(&digest::SHA256, token.as_bytes()).as_ref().to_vec()
}

/// A link to the console with a secret after `#`. Browsers do not send that part of an address, so the secret reaches no
/// server's log.
pub(crate) fn console_link(public_url: &str, purpose: &str, token: &Secret<String>) -> Secret<String> {
    Secret::new(format!("{public_url}/console/#{purpose}={}", token.expose()))
}
