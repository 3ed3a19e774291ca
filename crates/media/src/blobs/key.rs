//! Where a blob lies: tenant, kind, id.

use base::Id;
use std::{borrow::Cow, fmt, str::FromStr};

/// One part of a key: 1 to 64 of `a` to `z`, `0` to `9` and `-`. No dot and no slash, so no key leaves its folder, and
/// two keys never differ in case alone, which some file systems do not tell apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Segment(Cow<'static, str>);

/// Text that is no part of a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a part of a blob's key has 1 to 64 of a to z, 0 to 9 and -")]
pub struct BadSegment;

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

impl Segment {
    /// A part that stands in the source; in a `const`, a bad one does not compile.
    ///
    /// # Panics
    /// When the text is none; see [`Segment`].
    pub const fn literal(text: &'static str) -> Self {
        assert!(is_segment(text), "a part of a blob's key has 1 to 64 of a to z, 0 to 9 and -");
        Self(Cow::Borrowed(text))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Segment {
    type Err = BadSegment;
    fn from_str(text: &str) -> Result<Self, BadSegment> {
        if is_segment(text) { Ok(Self(Cow::Owned(text.to_owned()))) } else { Err(BadSegment) }
    }
}

impl<T: Id> From<T> for Segment {
    /// An id's UUID, hyphenated and lower case.
    fn from(id: T) -> Self {
        let uuid: base::Uuid = id.into();
        Self(Cow::Owned(uuid.to_string()))
    }
}

/// The key of one blob, `tenant/kind/id`. The tenant comes first, so that a tenant's blobs are one prefix.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlobKey {
    tenant: Segment,
    kind: Segment,
    id: Segment,
}

impl BlobKey {
    /// The key of a tenant's blob of a kind.
    pub fn new(tenant: impl Into<Segment>, kind: impl Into<Segment>, id: impl Into<Segment>) -> Self {
        Self { tenant: tenant.into(), kind: kind.into(), id: id.into() }
    }

    /// Whose blob it is.
    pub fn tenant(&self) -> &Segment {
        &self.tenant
    }

    /// What kind of blob it is.
    pub fn kind(&self) -> &Segment {
        &self.kind
    }

    /// Which of the kind.
    pub fn id(&self) -> &Segment {
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
    type Err = BadSegment;

    /// Reads what [`fmt::Display`] wrote.
    fn from_str(text: &str) -> Result<Self, BadSegment> {
        let mut parts = text.split('/').map(str::parse::<Segment>);
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(tenant), Some(kind), Some(id), None) => Ok(Self { tenant: tenant?, kind: kind?, id: id? }),
            _ => Err(BadSegment),
        }
    }
}

/// All blobs of a tenant, or all of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlobPrefix {
    tenant: Segment,
    kind: Option<Segment>,
}

impl BlobPrefix {
    /// Everything of a tenant.
    pub fn tenant(tenant: impl Into<Segment>) -> Self {
        Self { tenant: tenant.into(), kind: None }
    }

    /// Everything of a tenant of one kind.
    pub fn kind(tenant: impl Into<Segment>, kind: impl Into<Segment>) -> Self {
        Self { tenant: tenant.into(), kind: Some(kind.into()) }
    }

    pub(super) fn parts(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.tenant.as_str()).chain(self.kind.as_ref().map(Segment::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::OrgId;
    use proptest::prelude::*;

    const PHOTO: Segment = Segment::literal("photo");

    #[test]
    fn a_key_is_tenant_kind_and_id() {
        let tenant: OrgId = "0198E3A4-9A5C-7000-8D7C-0123456789AB".parse().unwrap();
        let key = BlobKey::new(tenant, PHOTO, "front-1".parse::<Segment>().unwrap());
        assert_eq!(key.to_string(), "0198e3a4-9a5c-7000-8d7c-0123456789ab/photo/front-1");
        assert_eq!(key.to_string().parse(), Ok(key));
    }

    #[test]
    fn what_could_leave_the_folder_is_no_segment() {
        for bad in ["", ".", "..", "a/b", "a.b", "A", "a b", "a\0", "ä", "%2e%2e", "a#1", &"a".repeat(65)] {
            assert_eq!(bad.parse::<Segment>(), Err(BadSegment), "{bad}");
        }
        for bad in ["a/b", "a/b/c/d", "a//c", "/b/c", "a/../c"] {
            assert_eq!(bad.parse::<BlobKey>(), Err(BadSegment), "{bad}");
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
