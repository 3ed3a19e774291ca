//! Whom this server trusts, as operators see it.

use super::{ProofOfAgeError, ProofOfAgeService};
use crate::wire_enum::wire_enum;
use base::Timestamp;
use credentials::trust::{KeyLife, TrustedIssuer};

/// An issuer on the trust list, with the lives of its keys.
#[derive(Clone, Debug)]
pub struct TrustedIssuerDetails {
    /// As proofs name it.
    pub id: String,
    /// As results name it.
    pub provider: String,
    /// The formats in which its proofs are accepted.
    pub formats: Vec<&'static str>,
    /// Where its keys are fetched.
    pub key_set_url: Option<String>,
    /// From when its entry counts.
    pub valid_from: Option<Timestamp>,
    /// Until when its entry counts.
    pub valid_until: Option<Timestamp>,
    pub keys: Vec<TrustedKeyLife>,
}

wire_enum! {
    /// What a key of an issuer is, and where it comes from.
    pub enum TrustedKeyKind {
        /// A key in the trust list.
        Listed => "LISTED",
        /// A key that the issuer publishes.
        Fetched => "FETCHED",
        /// A root certificate, which certifies keys.
        Root => "ROOT",
    }
}

/// When a key may be used.
#[derive(Clone, Debug)]
pub struct TrustedKeyLife {
    pub kind: TrustedKeyKind,
    /// Its name or thumbprint; `None` for a root certificate.
    pub id: Option<String>,
    pub valid_from: Option<Timestamp>,
    pub valid_until: Option<Timestamp>,
}

impl TrustedIssuerDetails {
    fn of(issuer: &TrustedIssuer) -> Self {
        let (valid_from, valid_until) = issuer.validity();
        let life = |kind| {
            move |KeyLife { id, not_before, not_after }: KeyLife| TrustedKeyLife {
                kind,
                id,
                valid_from: not_before,
                valid_until: not_after,
            }
        };
        let keys = issuer.listed_key_lives().into_iter().map(life(TrustedKeyKind::Listed));
        let fetched = issuer.fetched_key_lives().into_iter().map(life(TrustedKeyKind::Fetched));
        let roots = issuer.root_lives().into_iter().map(life(TrustedKeyKind::Root));
        Self {
            id: issuer.id().to_owned(),
            provider: issuer.provider().to_owned(),
            formats: issuer.formats().iter().map(|format| format.as_str()).collect(),
            key_set_url: issuer.key_set_url().map(str::to_owned),
            valid_from,
            valid_until,
            keys: keys.chain(fetched).chain(roots).collect(),
        }
    }
}

impl ProofOfAgeService {
    /// The issuers that this server trusts with the lives of their keys, and when the first of its lists expires, if one
    /// does. A list that has expired adds no issuers.
    pub async fn trust_list(
        &self,
    ) -> Result<(Vec<TrustedIssuerDetails>, Option<Timestamp>), ProofOfAgeError> {
        let list = self.0.trust.snapshot(&self.0.db, &*self.0.env).await?.list;
        let expires = self.0.trust.expires().await;
        Ok((list.issuers().map(TrustedIssuerDetails::of).collect(), expires))
    }
}
