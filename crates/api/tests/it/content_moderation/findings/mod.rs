//! Findings.

mod search;
