//! Support for the tests: the whole server in the test's own process, clients, HTTPS and mail servers, faces and snapshots of
//! answers; and, from `fixtures`, drawn documents, changed photographs and simulated attacks.

mod app;
pub mod authenticator;
pub mod mail_server;
pub mod media_fixtures;
mod openapi_contract;
pub mod response_snapshot;
pub mod rtsp_server;
mod sample_faces;
pub mod signed_source;
pub mod stub_server;

pub use app::{
    SignedCall, TestApp, TestAppBuilder, TestResponse, proof_settings, public_key, sign, signer,
    unknown_app_id,
};
// Videos and documents are decoded by children, which the test's executable launches.
use test_launcher as _;

pub use fixtures::{composite_scene, edits, head_model, node, pack, packages, specimens, spoof};
pub use sample_faces::{face_base64, face_jpeg, face_pictures, group_photo, image_analyser, model_settings};
