//! What is wrong with a request, as it is found: a caller learns all of it at once, and of each member once.

use super::ModerationApiError;
use domain::Violation;
use std::str::FromStr;

/// What was found wrong, in the order in which it was.
#[derive(Debug, Default)]
pub(crate) struct CommandViolations(Vec<Violation>);

impl From<Vec<Violation>> for CommandViolations {
    fn from(violations: Vec<Violation>) -> Self {
        Self(violations)
    }
}

impl CommandViolations {
    /// Notes a violation, unless something is known to be wrong with that member: what could not be read is missing too.
    pub(crate) fn push(&mut self, violation: impl Into<Violation>) {
        let violation = violation.into();
        if self.0.iter().all(|known| known.path != violation.path) {
            self.0.push(violation);
        }
    }

    /// A value, or what is wrong with it.
    pub(crate) fn check<T, E: Into<Violation>>(&mut self, checked: Result<T, E>) -> Option<T> {
        checked.map_err(|violation| self.push(violation)).ok()
    }

    /// The same where more than one thing may be wrong.
    pub(crate) fn check_all<T>(&mut self, checked: Result<T, Vec<Violation>>) -> Option<T> {
        checked.map_err(|violations| violations.into_iter().for_each(|violation| self.push(violation))).ok()
    }

    /// A member that must be there.
    pub(crate) fn required<T>(&mut self, path: &'static str, member: Option<T>) -> Option<T> {
        self.check(member.ok_or_else(|| Violation::new(path, "it is required")))
    }

    /// A list of ids; text that is none names nothing, which is told in these words.
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

    /// What was read, where nothing is wrong.
    pub(crate) fn into_result<T>(self, read: Option<T>) -> Result<T, ModerationApiError> {
        match read {
            Some(read) if self.0.is_empty() => Ok(read),
            _ => Err(self.0.into()),
        }
    }
}

/// A list of texts, as it was sent.
pub(crate) type TextList = Option<Vec<Option<String>>>;

/// The texts of a list. What could not be read is told already, or is null, and both are empty here: no other text changes its
/// place, and an empty one is refused under its own.
pub(crate) fn texts(list: TextList) -> Vec<String> {
    list.unwrap_or_default().into_iter().map(Option::unwrap_or_default).collect()
}
