//! Collects what is wrong with a request: a refusal lists all of it, up to a limit, with one violation for each member.

use super::ModerationApiError;
use crate::http::json::MAX_VIOLATIONS;
use domain::Violation;
use std::str::FromStr;

/// The violations, in the order in which they were found.
#[derive(Debug, Default)]
pub(crate) struct CommandViolations(Vec<Violation>);

impl From<Vec<Violation>> for CommandViolations {
    fn from(violations: Vec<Violation>) -> Self {
        Self(violations)
    }
}

impl CommandViolations {
    /// Records a violation, unless there is one of that member: what could not be read must not be reported as missing,
    /// too. Of more than a caller can read, only the first are kept.
    pub(crate) fn push(&mut self, violation: impl Into<Violation>) {
        let violation = violation.into();
        if self.0.len() < MAX_VIOLATIONS && self.0.iter().all(|known| known.path != violation.path) {
            self.0.push(violation);
        }
    }

    /// The value; if there is none, records what is wrong with it.
    pub(crate) fn check<T, E: Into<Violation>>(&mut self, checked: Result<T, E>) -> Option<T> {
        checked.map_err(|violation| self.push(violation)).ok()
    }

    /// The same for several violations.
    pub(crate) fn check_all<T>(&mut self, checked: Result<T, Vec<Violation>>) -> Option<T> {
        checked.map_err(|violations| violations.into_iter().for_each(|violation| self.push(violation))).ok()
    }

    /// A required member; records a violation if it is absent.
    pub(crate) fn required<T>(&mut self, path: &'static str, member: Option<T>) -> Option<T> {
        self.check(member.ok_or_else(|| Violation::new(path, "it is required")))
    }

    /// The ids of a list; text that is not an id is recorded with the message `unknown`.
    pub(crate) fn ids<T: FromStr>(
        &mut self,
        path: &'static str,
        list: TextList,
        unknown: &'static str,
    ) -> Vec<T> {
        let read = |(at, text): (usize, String)| {
            self.check(text.parse().map_err(|_| Violation::new(format!("{path}[{at}]"), unknown)))
        };
        texts(list).into_iter().enumerate().filter_map(read).collect()
    }

    /// What was read; a refusal if anything was wrong.
    pub(crate) fn into_result<T>(self, read: Option<T>) -> Result<T, ModerationApiError> {
        match read {
            Some(read) if self.0.is_empty() => Ok(read),
            _ => Err(self.0.into()),
        }
    }
}

/// A list of texts, as it was sent.
pub(crate) type TextList = Option<Vec<Option<String>>>;

/// The texts of a list. Items that are null, or could not be read, are empty here, so that the others keep their
/// places; the rules refuse an empty text at its place.
pub(crate) fn texts(list: TextList) -> Vec<String> {
    list.unwrap_or_default().into_iter().map(Option::unwrap_or_default).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::GroupId;

    #[test]
    fn of_a_long_list_only_the_first_faults_are_told() {
        let mut violations = CommandViolations::default();
        let list = Some(vec![None; 50_000]);
        assert_eq!(violations.ids::<GroupId>("group_ids", list, "no such group"), []);
        assert_eq!(violations.0.len(), MAX_VIOLATIONS);
        assert_eq!(violations.0[1].to_string(), "group_ids[1]: no such group");
        assert!(violations.into_result(Some(())).is_err());
    }
}
