//! What the console's operations share in one process.

use super::{health::HealthHistory, reports::ReportFolder, settings::SettingInForce};
use crate::http::auth::RateLimit;
use base::Uuid;
use std::{num::NonZeroU32, path::PathBuf};
use tokio::sync::Semaphore;

/// Tests of providers that one person may ask for in a minute.
const PROVIDER_TESTS_PER_MINUTE: NonZeroU32 = NonZeroU32::new(10).unwrap();

/// Bounds and memory of the console's operations.
#[derive(Debug)]
pub struct ConsoleResources {
    /// Whoever verifies the audit trail has it; it reads every record.
    pub(super) audit_verification: Semaphore,
    /// How often one person may test providers.
    pub(super) provider_tests: RateLimit<Uuid>,
    /// The figures of the last hour.
    pub(super) health: HealthHistory,
    /// The settings in force.
    pub(super) settings: Vec<SettingInForce>,
    /// Where reports of accuracy lie.
    pub(super) reports: ReportFolder,
}

impl ConsoleResources {
    /// Those of a server with these settings in force, whose reports of accuracy lie in a folder; it need not be there.
    pub fn new(settings: Vec<SettingInForce>, reports: PathBuf) -> Self {
        Self {
            audit_verification: Semaphore::new(1),
            provider_tests: RateLimit::new(PROVIDER_TESTS_PER_MINUTE, PROVIDER_TESTS_PER_MINUTE),
            health: HealthHistory::default(),
            settings,
            reports: ReportFolder(reports),
        }
    }

    /// Forgets whose turn it would be again anyway.
    pub fn evict_full_buckets(&self) {
        self.provider_tests.evict_full_buckets();
    }
}

impl Default for ConsoleResources {
    fn default() -> Self {
        Self::new(Vec::new(), PathBuf::from("reports"))
    }
}
