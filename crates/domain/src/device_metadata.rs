//! What a client library tells about the device it runs on.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// About the device. Every member is optional, and each one is text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(default)]
pub struct DeviceMetadata {
    /// The browser.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser_name: Option<String>,
    /// The browser's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub browser_version: Option<String>,
    /// The client library's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_version: Option<String>,
    /// Address of the person's device, as the integrator saw it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_address: Option<String>,
    /// The country of that address, ISO 3166-1, as the integrator knows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_iso_country_code: Option<String>,
    /// The person's locale.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locale: Option<String>,
    /// Who made the device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub manufacture_name: Option<String>,
    /// The device's model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_name: Option<String>,
    /// The operating system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub os_name: Option<String>,
    /// The operating system's version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub os_version: Option<String>,
}
