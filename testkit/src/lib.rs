//! What the tests of the server may use: the whole of it in a test's own process, clients, receivers, faces; and, from
//! `fixtures`, what is drawn for tests.

mod app;
pub mod authenticator;
mod contract;
mod faces;
pub mod mail_server;
pub mod media;
pub mod receiver;

pub use app::{Answer, Call, TestApp, nobody, proof_settings, public_key, sign, signer};
pub use faces::{estimator, face, face_base64, faces, group_photo};
pub use fixtures::{head, node, pack, packages, scene, specimens, spoof};
