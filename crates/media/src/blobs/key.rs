//! The keys that blobs are stored under: tenant, kind and id.

use base::Id;
use std::{borrow::Cow, fmt, str::FromStr};

/// One segment of a key: 1 to 64 of `a` to `z`, `0` to `9` and `-`. Without dots and slashes, no key leads out of its
/// folder, and no two keys differ in case alone, which some file systems ignore.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobKeySegment(Cow<'static, str>);

/// The text is not a segment of a key, or not a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a part of a blob's key has 1 to 64 of a to z, 0 to 9 and -")]
pub struct BlobKeyError;

const fn is_segment(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !matches!(bytes[at], b'a'..=b'z' | b'0'..=b'9' | b'-') {
            return false;
        }
        at += 1;
    }
    matches!(bytes.len(), 1..=64)
}

impl BlobKeySegment {
    /// A segment from a literal. In a `const`, an invalid one does not compile.
    ///
    /// # Panics
    /// If the text is not a segment; see [`BlobKeySegment`].
    pub const fn literal(text: &'static str) -> Self {
        assert!(is_segment(text), "a part of a blob's key has 1 to 64 of a to z, 0 to 9 and -");
        Self(Cow::Borrowed(text))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for BlobKeySegment {
    type Err = BlobKeyError;
    fn from_str(text: &str) -> Result<Self, BlobKeyError> {
        if is_segment(text) { Ok(Self(Cow::Owned(text.to_owned()))) } else { Err(BlobKeyError) }
    }
}

impl<T: Id> From<T> for BlobKeySegment {
    /// The id's UUID, hyphenated and in lower case.
    fn from(id: T) -> Self {
        let uuid: base::Uuid = id.into();
        Self(Cow::Owned(uuid.to_string()))
    }
}

/// The key of one blob, `tenant/kind/id`. The tenant comes first, so that all blobs of a tenant share a prefix.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobKey {
    tenant: BlobKeySegment,
    kind: BlobKeySegment,
    id: BlobKeySegment,
}

impl BlobKey {
    pub fn new(
        tenant: impl Into<BlobKeySegment>,
        kind: impl Into<BlobKeySegment>,
        id: impl Into<BlobKeySegment>,
    ) -> Self {
        Self { tenant: tenant.into(), kind: kind.into(), id: id.into() }
    }

    /// The tenant that the blob belongs to.
    pub fn tenant(&self) -> &BlobKeySegment {
        &self.tenant
    }

    pub fn kind(&self) -> &BlobKeySegment {
        &self.kind
    }

    /// The id among the tenant's blobs of this kind.
    pub fn id(&self) -> &BlobKeySegment {
        &self.id
    }

    pub(super) fn parts(&self) -> [&str; 3] {
        [self.tenant.as_str(), self.kind.as_str(), self.id.as_str()]
    }
}

impl fmt::Display for BlobKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.parts().join("/"))
    }
}

impl FromStr for BlobKey {
    type Err = BlobKeyError;

    /// Parses the form that [`fmt::Display`] writes.
    fn from_str(text: &str) -> Result<Self, BlobKeyError> {
        let mut parts = text.split('/').map(str::parse::<BlobKeySegment>);
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(tenant), Some(kind), Some(id), None) => Ok(Self { tenant: tenant?, kind: kind?, id: id? }),
            _ => Err(BlobKeyError),
        }
    }
}

/// The prefix of all blobs of a tenant, or of those of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobPrefix {
    tenant: BlobKeySegment,
    kind: Option<BlobKeySegment>,
}

impl BlobPrefix {
    /// All blobs of a tenant.
    pub fn tenant(tenant: impl Into<BlobKeySegment>) -> Self {
        Self { tenant: tenant.into(), kind: None }
    }

    /// All blobs of a tenant of one kind.
    pub fn kind(tenant: impl Into<BlobKeySegment>, kind: impl Into<BlobKeySegment>) -> Self {
        Self { tenant: tenant.into(), kind: Some(kind.into()) }
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.tenant.as_str()).chain(self.kind.as_ref().map(BlobKeySegment::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::OrgId;
    use proptest::prelude::*;

    const PHOTO: BlobKeySegment = BlobKeySegment::literal("photo");

    #[test]
    fn a_key_is_tenant_kind_and_id() {
        let tenant: OrgId = "0198E3A4-9A5C-7000-8D7C-0123456789AB".parse().unwrap();
        let key = BlobKey::new(tenant, PHOTO, "front-1".parse::<BlobKeySegment>().unwrap());
        assert_eq!(key.to_string(), "0198e3a4-9a5c-7000-8d7c-0123456789ab/photo/front-1");
        assert_eq!(key.to_string().parse(), Ok(key));
    }

    #[test]
    fn what_could_leave_the_folder_is_no_segment() {
        for bad in ["", ".", "..", "a/b", "a.b", "A", "a b", "a\0", "ä", "%2e%2e", "a#1", &"a".repeat(65)] {
            assert_eq!(bad.parse::<BlobKeySegment>(), Err(BlobKeyError), "{bad}");
        }
        for bad in ["a/b", "a/b/c/d", "a//c", "/b/c", "a/../c"] {
            assert_eq!(bad.parse::<BlobKey>(), Err(BlobKeyError), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn a_key_that_parses_is_spelled_in_one_way(text in "[a-zA-Z0-9./#-]{0,20}") {
            if let Ok(key) = text.parse::<BlobKey>() {
                prop_assert_eq!(key.to_string(), text);
            }
        }
    }
}
