//! Every provider's protocol, against a stand-in that speaks HTTPS on this machine.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod kit;

mod cards;
mod device_signals;
mod la_wallet;
mod mobiles;
mod oidc;
mod oidc_provider;
mod passkeys;
mod registries;
mod services;
mod tokens;
mod wallets;
