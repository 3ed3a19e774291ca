//! The sources that checks ask: issuing authorities, watchlists, lists of fraud, and services that know names and
//! addresses (docs/PROVIDERS.md).

use super::DocumentVerificationSettings;
use age_methods::{
    InvalidSettingError,
    identity_source::{
        IdentityQuestion, IdentitySource, IdentitySourceKind, SourceAnswer, SourceUnavailableError,
    },
};
use base::{Environment, VerificationCheckId};
use media::fetch::Fetcher;
use std::sync::Arc;

/// A setting of a source cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("identity.{source_name}.{cause}")]
pub struct IdentitySourceSettingsError {
    /// Its section.
    pub source_name: &'static str,
    pub cause: InvalidSettingError,
}

/// Clients of the sources that are set up.
#[derive(Debug, Default)]
pub struct IdentitySources {
    opened: Vec<(IdentitySourceKind, IdentitySource)>,
}

impl IdentitySources {
    /// Opens a client for each source that is set up, which reads the files that the settings name.
    pub fn open(
        settings: &DocumentVerificationSettings,
        fetcher: &Fetcher,
        environment: &Arc<dyn Environment>,
    ) -> Result<Self, IdentitySourceSettingsError> {
        let mut opened = Vec::new();
        for kind in IdentitySourceKind::ALL {
            let of_kind = match kind {
                IdentitySourceKind::IssuingAuthority => &settings.issuing_authority,
                IdentitySourceKind::Watchlist => &settings.watchlist,
                IdentitySourceKind::FraudList => &settings.fraud_list,
                IdentitySourceKind::ThirdPartyIdentity => &settings.third_party_identity,
            };
            let Some(of_kind) = of_kind else { continue };
            let source = IdentitySource::open(kind, of_kind, fetcher, environment)
                .map_err(|cause| IdentitySourceSettingsError { source_name: kind.name(), cause })?;
            opened.push((kind, source));
        }
        Ok(Self { opened })
    }

    pub(super) fn has(&self, kind: IdentitySourceKind) -> bool {
        self.find(kind).is_some()
    }

    /// Asks for a check. A question that is repeated, because the check is, has the same id.
    pub(super) async fn ask(
        &self,
        check: VerificationCheckId,
        question: &IdentityQuestion,
    ) -> Result<SourceAnswer, SourceUnavailableError> {
        let source =
            self.find(question.kind).ok_or_else(|| SourceUnavailableError::not_set_up(question.kind))?;
        source.ask(&format!("{check}-{}", question.kind.name()), question).await
    }

    fn find(&self, kind: IdentitySourceKind) -> Option<&IdentitySource> {
        self.opened.iter().find(|(known, _)| *known == kind).map(|(_, source)| source)
    }
}
