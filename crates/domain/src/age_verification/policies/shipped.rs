//! The policies that are part of this program: name, file and signature.

/// Includes a policy and its signature.
macro_rules! shipped_policies {
    ($($id:literal),* $(,)?) => {
        &[$((
            $id,
            include_str!(concat!("../../../policies/", $id, ".toml")),
            include_str!(concat!("../../../policies/", $id, ".toml.jws")),
        )),*]
    };
}

/// Name, file, signature.
pub(super) const SHIPPED_POLICIES: &[(&str, &str, &str)] = shipped_policies![
    "au",
    "au-social",
    "br",
    "eu",
    "gb",
    "us-al",
    "us-ar",
    "us-ca",
    "us-fl",
    "us-ga",
    "us-id",
    "us-in",
    "us-ks",
    "us-ky",
    "us-la",
    "us-ms",
    "us-mt",
    "us-nc",
    "us-ne",
    "us-ok",
    "us-sc",
    "us-tn",
    "us-tx",
    "us-ut",
    "us-va",
];
