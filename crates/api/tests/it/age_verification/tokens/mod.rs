//! Blind tokens, at their issuer.

mod begin;
mod issue;
mod keys;
