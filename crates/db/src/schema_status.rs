//! Whether a build and a database fit together.

/// Which schema a database has, and which this build knows. A schema's number is that of its last migration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SchemaStatus {
    /// The schema that this build knows.
    pub build: i64,
    /// The schema of the database; 0 if it is empty.
    pub database: i64,
    /// The oldest schema that a build may know and still use the database.
    pub usable_from: i64,
    /// How many migrations of this build have not been applied.
    pub pending: usize,
}

impl SchemaStatus {
    /// Whether this build can use the database as it is.
    pub fn is_usable(&self) -> bool {
        self.pending == 0 && !self.is_too_new()
    }

    /// Whether the database was migrated by a newer build, in a way that this one cannot work with.
    pub fn is_too_new(&self) -> bool {
        self.usable_from > self.build
    }
}
