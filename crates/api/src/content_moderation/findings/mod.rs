//! Findings: appearances of faces in the contents of all moderations.

pub(super) mod search;
