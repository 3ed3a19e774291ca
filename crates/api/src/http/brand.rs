//! The brand in header names and error codes.

use axum::http::HeaderName;
use std::borrow::Cow;

/// Names that contain a brand. An operator who moves from another vendor sets that vendor's, so that clients keep
/// working.
#[derive(Clone, Debug)]
pub struct Brand {
    brand: String,
    auth_id: HeaderName,
    auth_digest: HeaderName,
    auth_token: HeaderName,
    sdk_id: HeaderName,
    device_meta: HeaderName,
    sdk: HeaderName,
    sdk_version: HeaderName,
}

/// The brand cannot be part of a header name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrandError(pub String);

impl std::fmt::Display for BrandError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "wire.brand has 1 to 32 letters and digits, {:?} has not", self.0)
    }
}

impl std::error::Error for BrandError {}

impl Default for Brand {
    fn default() -> Self {
        Self::new("Svc").expect("three letters")
    }
}

impl Brand {
    /// The names of a brand, which has 1 to 32 ASCII letters and digits.
    pub fn new(brand: &str) -> Result<Self, BrandError> {
        let bad = || BrandError(brand.to_owned());
        if !(1..=32).contains(&brand.len()) || !brand.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
            return Err(bad());
        }
        let brand_lower = brand.to_ascii_lowercase();
        let header = |name: &str| format!("x-{brand_lower}-{name}").parse().map_err(|_| bad());
        Ok(Self {
            brand: brand.to_owned(),
            auth_id: header("auth-id")?,
            auth_digest: header("auth-digest")?,
            auth_token: header("auth-token")?,
            sdk_id: format!("{brand_lower}-sdk-id").parse().map_err(|_| bad())?,
            device_meta: header("device-meta")?,
            sdk: header("sdk")?,
            sdk_version: header("sdk-version")?,
        })
    }

    /// The header that names the application.
    pub fn auth_id(&self) -> &HeaderName {
        &self.auth_id
    }

    /// The header that names the application beside an API key.
    pub fn sdk_id(&self) -> &HeaderName {
        &self.sdk_id
    }

    /// The header that carries the signature.
    pub fn auth_digest(&self) -> &HeaderName {
        &self.auth_digest
    }

    /// The header that carries the token of an end user's session.
    pub fn auth_token(&self) -> &HeaderName {
        &self.auth_token
    }

    /// The header in which client libraries describe the device.
    pub fn device_meta(&self) -> &HeaderName {
        &self.device_meta
    }

    /// The headers in which client libraries name themselves and their version; recorded, never required.
    pub fn sdk(&self) -> (&HeaderName, &HeaderName) {
        (&self.sdk, &self.sdk_version)
    }

    /// An error code as this server sends it: with its brand.
    pub(crate) fn code(&self, code: &'static str) -> Cow<'static, str> {
        self.rebrand(code)
    }

    /// A text of the OpenAPI documents with this brand in header names, codes and the block `svc_key`. The method of
    /// that block stays `SVC_KEY`.
    pub(crate) fn rebrand<'a>(&self, text: &'a str) -> Cow<'a, str> {
        const BRAND_PLACEHOLDERS: [&str; 3] = ["Svc-", "SVC_AUTH", "svc_key"];
        if self.brand == "Svc" || !BRAND_PLACEHOLDERS.iter().any(|name| text.contains(name)) {
            return Cow::Borrowed(text);
        }
        let (upper, lower) = (self.brand.to_ascii_uppercase(), self.brand.to_ascii_lowercase());
        let [headers, codes, key] = BRAND_PLACEHOLDERS;
        let text = text.replace(headers, &format!("{}-", self.brand));
        Cow::Owned(text.replace(codes, &format!("{upper}_AUTH")).replace(key, &format!("{lower}_key")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brand_names_headers_and_codes() {
        let brand = Brand::new("Acme").unwrap();
        assert_eq!(brand.auth_id(), "x-acme-auth-id");
        assert_eq!(brand.sdk_id(), "acme-sdk-id");
        assert_eq!(brand.code("INVALID_X_SVC_AUTH_ID"), "INVALID_X_ACME_AUTH_ID");
        assert_eq!(brand.code("INVALID_SVC_AUTH_DIGEST"), "INVALID_ACME_AUTH_DIGEST");
        assert_eq!(brand.code("FACE_NOT_FOUND"), "FACE_NOT_FOUND");
        assert_eq!(brand.rebrand("Svc-Sdk-Id, svc_key, SVC_KEY"), "Acme-Sdk-Id, acme_key, SVC_KEY");
        for bad in ["", "a b", "a-b", "ä", &"a".repeat(33)] {
            assert!(Brand::new(bad).is_err(), "{bad}");
        }
    }
}
