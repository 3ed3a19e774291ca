//! Merging lists: the operator's file, the signed list, the server's own entry.

use super::{TrustList, TrustListInner};
use std::{collections::HashMap, sync::Arc};

impl Default for TrustList {
    /// A list without issuers.
    fn default() -> Self {
        Self(Arc::new(TrustListInner { issuers: Vec::new(), index_by_id: HashMap::new(), expires: None }))
    }
}

impl TrustList {
    /// This list, plus the issuers of `other` whose ids it lacks. The result expires as soon as one of the two does.
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        let mut issuers = self.0.issuers.clone();
        let mut index_by_id = self.0.index_by_id.clone();
        for issuer in &other.0.issuers {
            if !index_by_id.contains_key(issuer.id()) {
                index_by_id.insert(issuer.id().to_owned(), issuers.len());
                issuers.push(issuer.clone());
            }
        }
        let expires = [self.0.expires, other.0.expires].into_iter().flatten().min();
        Self(Arc::new(TrustListInner { issuers, index_by_id, expires }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_list_wins() {
        let list = |provider: &str, id: &str| {
            let key = r#"{"kty":"OKP","crv":"Ed25519","kid":"k","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;
            let text = format!(
                r#"{{"issuers":[{{"id":"{id}","provider":"{provider}","formats":["cwt"],"keys":[{key}]}}]}}"#
            );
            TrustList::parse(text.as_bytes()).unwrap()
        };
        let joined = TrustList::default()
            .merged(&list("FIRST", "https://a.example"))
            .merged(&list("SECOND", "https://a.example"))
            .merged(&list("THIRD", "https://b.example"));
        let providers: Vec<_> = joined.issuers().map(|issuer| issuer.provider().to_owned()).collect();
        assert_eq!(providers, ["FIRST", "THIRD"]);
        assert_eq!(
            joined.issuer("https://b.example").map(crate::trust::TrustedIssuer::provider),
            Some("THIRD")
        );
    }
}
