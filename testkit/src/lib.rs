//! What the tests of every crate may use: simulated attacks, builders, a frozen world.

#[cfg(feature = "app")]
mod app;
#[cfg(feature = "app")]
pub mod authenticator;
#[cfg(feature = "app")]
mod contract;
#[cfg(feature = "app")]
mod faces;
pub mod head;
#[cfg(feature = "app")]
pub mod mail_server;
#[cfg(feature = "app")]
pub mod media;
pub mod node;
#[cfg(feature = "app")]
pub mod receiver;
pub mod scene;
pub mod specimens;
pub mod spoof;

#[cfg(feature = "app")]
pub use app::{Answer, Call, TestApp, nobody, proof_settings, public_key, sign, signer};
#[cfg(feature = "app")]
pub use faces::{estimator, face, face_base64, faces, group_photo, pack};
