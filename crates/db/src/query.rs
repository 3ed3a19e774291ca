//! Statements, and the values that both engines can store.

use base::{
    AccessTokenId, AccountId, AgeAttemptId, AgeSessionId, ApiKeyId, AppId, ApprovalId, CaseId, CaseOpinionId,
    CaseQueueId, ConsoleSessionId, ContentId, ContentReportId, ContentUploadId, DeliveryId,
    DocumentSessionId, DocumentTraceId, FaceId, FindingPicturesId, FraudListEntryId, GroupId, InvitationId,
    MediaId, MemberId, MemberRoleId, ModerationCheckId, ModerationFindingId, ModerationId, NotificationId,
    OperatorId, OperatorRoleId, OrgId, PasskeyId, ProfileId, PublicKeyId, ReceiptId, ResourceId, ReviewId,
    SignInChallengeId, TaskId, Timestamp, Uuid, VerificationCheckId,
};

/// A statement with its values: `sql!("SELECT … WHERE id = $1", id)`. The text is for both engines. If that is impossible,
/// write one for each: `sql!(sqlite: "…", postgres: "…", a, b)`.
#[macro_export]
macro_rules! sql {
    (sqlite: $lite:literal, postgres: $pg:literal $(, $arg:expr)* $(,)?) => {
        $crate::Query::new($lite, $pg)$(.bind($arg))*
    };
    ($text:literal $(, $arg:expr)* $(,)?) => {
        $crate::Query::new($text, $text)$(.bind($arg))*
    };
}

/// Ids as one value, a JSON list of hexadecimal texts. SQLite takes it apart by `SELECT unhex(value) FROM json_each($1)`,
/// PostgreSQL by `SELECT CAST(value AS UUID) FROM jsonb_array_elements_text($1)`.
pub fn ids_json<T: Copy + Into<Uuid>>(ids: &[T]) -> serde_json::Value {
    ids.iter().map(|id| Into::<Uuid>::into(*id).simple().to_string()).collect()
}

/// A statement, and the values for `$1`, `$2` and so on. [`sql!`] makes it.
#[derive(Debug)]
pub struct Query {
    pub(crate) sqlite: &'static str,
    pub(crate) postgres: &'static str,
    pub(crate) values: Vec<Value>,
}

impl Query {
    /// For [`sql!`]. Use the macro: a test finds every statement by its name and has both engines prepare it.
    pub fn new(sqlite: &'static str, postgres: &'static str) -> Self {
        Self { sqlite, postgres, values: Vec::new() }
    }

    /// Adds the value for the next `$` number.
    #[must_use]
    pub fn bind(mut self, value: impl Into<Value>) -> Self {
        self.values.push(value.into());
        self
    }
}

/// Several statements of SQLite as one text, with the values of all: the numbers of each go on where those of the one before ended.
pub(crate) fn join_for_sqlite(queries: impl IntoIterator<Item = Query>) -> (String, Vec<Value>) {
    let (mut text, mut values) = (String::new(), Vec::new());
    for query in queries {
        let mut in_quotes = false;
        let mut rest = query.sqlite;
        while let Some(at) = rest.find(['$', '\'']) {
            let (before, from) = rest.split_at(at);
            text.push_str(before);
            let (mark, after) = from.split_at(1);
            text.push_str(mark);
            in_quotes ^= mark == "'";
            let digits = after.bytes().take_while(u8::is_ascii_digit).count();
            let (number, after_number) = after.split_at(digits);
            rest = match number.parse::<usize>() {
                Ok(number) if mark == "$" && !in_quotes => {
                    text.push_str(&(number + values.len()).to_string());
                    after_number
                }
                _ => after,
            };
        }
        text.push_str(rest);
        text.push_str(";\n");
        values.extend(query.values);
    }
    (text, values)
}

/// A value that both engines can store. `None` is NULL of that type, because PostgreSQL needs the type of a NULL.
#[derive(Clone)]
pub enum Value {
    /// `BOOLEAN`
    Bool(Option<bool>),
    /// `BIGINT`
    I64(Option<i64>),
    /// `DOUBLE PRECISION`
    F64(Option<f64>),
    /// `TEXT`
    Text(Option<String>),
    /// `BYTEA`
    Bytes(Option<Vec<u8>>),
    /// `UUID`
    Uuid(Option<Uuid>),
    /// `TIMESTAMPTZ`
    Time(Option<Timestamp>),
    /// `JSONB`
    Json(Option<serde_json::Value>),
}

// Not derived: values may be names, hashes or faces, which must not get into a log with their statement.
impl std::fmt::Debug for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("…")
    }
}

macro_rules! value_from {
    ($($ty:ty => $variant:ident),* $(,)?) => {$(
        impl From<$ty> for Value {
            fn from(value: $ty) -> Self { Self::$variant(Some(value.into())) }
        }
        impl From<Option<$ty>> for Value {
            fn from(value: Option<$ty>) -> Self { Self::$variant(value.map(Into::into)) }
        }
    )*};
}

value_from!(
    bool => Bool, i64 => I64, f64 => F64, String => Text, &str => Text, Vec<u8> => Bytes, Uuid => Uuid,
    Timestamp => Time, serde_json::Value => Json,
    OrgId => Uuid, AppId => Uuid, PublicKeyId => Uuid, ApiKeyId => Uuid, AccessTokenId => Uuid,
    DeliveryId => Uuid, AccountId => Uuid, MemberId => Uuid, InvitationId => Uuid, ContentId => Uuid,
    ModerationId => Uuid, ModerationCheckId => Uuid, ModerationFindingId => Uuid, ContentReportId => Uuid, ContentUploadId => Uuid, NotificationId => Uuid,
    ReviewId => Uuid, ProfileId => Uuid, FaceId => Uuid, GroupId => Uuid, ReceiptId => Uuid,
    DocumentSessionId => Uuid, DocumentTraceId => Uuid, FraudListEntryId => Uuid, ResourceId => Uuid, TaskId => Uuid, MediaId => Uuid,
    VerificationCheckId => Uuid,
    AgeSessionId => Uuid, AgeAttemptId => Uuid,
    FindingPicturesId => Uuid, CaseId => Uuid, CaseQueueId => Uuid, CaseOpinionId => Uuid,
    MemberRoleId => Uuid, ApprovalId => Uuid, OperatorId => Uuid, OperatorRoleId => Uuid, ConsoleSessionId => Uuid, PasskeyId => Uuid, SignInChallengeId => Uuid,
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_joined_with_numbers_of_their_own() {
        let query = |text| Query::new(text, "");
        let first = query("UPDATE a SET b = $2, c = 'it''s $1' WHERE id = $1").bind(1_i64).bind("x");
        let second = query("INSERT INTO b VALUES ($1, '$3', $2, $1, $10)").bind(2_i64).bind(true);
        let (text, values) = join_for_sqlite([first, query("DELETE FROM c"), second]);
        assert_eq!(
            text,
            "UPDATE a SET b = $2, c = 'it''s $1' WHERE id = $1;\nDELETE FROM c;\n\
             INSERT INTO b VALUES ($3, '$3', $4, $3, $12);\n"
        );
        assert_eq!(values.len(), 4);
    }
}
