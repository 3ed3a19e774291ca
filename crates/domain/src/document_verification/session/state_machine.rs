//! Every state change of a session, a requirement, a task and a check, in one place. `docs/DOCUMENT-VERIFICATION.md` has
//! the same tables, and a test keeps them equal.

use crate::document_verification::types::{CheckState, RequirementState, SessionState, TaskState};

/// The event is not possible in the state that the error names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this cannot be done in the state {0}")]
pub struct InvalidTransitionError(pub &'static str);

crate::wire_enum::wire_enum! {
    /// What happens to a session.
    pub enum DocumentSessionEvent {
        /// The end user has finished, or nothing is left for them to do; the checks begin.
        TokenDeleted => "token deleted, checks left",
        /// Its last check ended, or there is none.
        ChecksFinished => "every check ended",
        /// The end user did not finish in time.
        TimedOut => "time over",
    }
}

crate::wire_enum::wire_enum! {
    /// What happens to a task.
    pub enum TaskEvent {
        /// The end user's client asked for it.
        Requested => "asked for",
        /// The document was read.
        Completed => "read",
        /// The document could not be read, through a fault of this server.
        Failed => "cannot be done",
    }
}

crate::wire_enum::wire_enum! {
    /// What happens to a check.
    pub enum CheckEvent {
        /// The end user has finished.
        Triggered => "token deleted",
        /// The job has begun to work on it.
        Started => "begun",
        /// It has a report.
        Reported => "reported",
        /// A reviewer has to decide about the report.
        ReferredToReviewer => "left to a reviewer",
        /// It failed for good, through a fault of this server.
        Failed => "cannot be made",
    }
}

crate::wire_enum::wire_enum! {
    /// What happens to a requirement.
    pub enum RequirementEvent {
        /// A part of the resource arrived.
        Supplied => "something supplied",
        /// The resource is complete, and good enough to go on with.
        Accepted => "whole and accepted",
        /// The resource was declined and may be supplied again.
        Declined => "declined, may be tried again",
        /// The resource was declined and no attempt is left: the checks will report what is wrong with it.
        AttemptsExhausted => "declined, attempts used up",
    }
}

impl SessionState {
    /// The state after an event.
    pub fn after(self, event: DocumentSessionEvent) -> Result<Self, InvalidTransitionError> {
        use {DocumentSessionEvent as E, SessionState as S};
        Ok(match (self, event) {
            (S::Ongoing, E::TokenDeleted) => S::Ongoing,
            (S::Ongoing, E::ChecksFinished) => S::Completed,
            (S::Ongoing, E::TimedOut) => S::Expired,
            (S::Completed | S::Expired, _) => return Err(InvalidTransitionError(self.as_str())),
        })
    }
}

impl TaskState {
    /// The state after an event.
    pub fn after(self, event: TaskEvent) -> Result<Self, InvalidTransitionError> {
        use {TaskEvent as E, TaskState as S};
        Ok(match (self, event) {
            (S::Created, E::Requested) => S::Pending,
            (S::Pending, E::Completed) => S::Done,
            (S::Pending, E::Failed) => S::Failed,
            _ => return Err(InvalidTransitionError(self.as_str())),
        })
    }
}

impl CheckState {
    /// The state after an event.
    pub fn after(self, event: CheckEvent) -> Result<Self, InvalidTransitionError> {
        use {CheckEvent as E, CheckState as S};
        Ok(match (self, event) {
            (S::Created, E::Triggered) => S::Ready,
            // A job that was interrupted starts the check again.
            (S::Ready, E::Started) | (S::Pending, E::Started | E::ReferredToReviewer) => S::Pending,
            (S::Pending, E::Reported) => S::Done,
            (S::Ready | S::Pending, E::Failed) => S::InternalError,
            _ => return Err(InvalidTransitionError(self.as_str())),
        })
    }

    /// Whether the check has ended.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::InternalError)
    }
}

impl RequirementState {
    /// The state after an event.
    pub fn after(self, event: RequirementEvent) -> Result<Self, InvalidTransitionError> {
        use {RequirementEvent as E, RequirementState as S};
        Ok(match (self, event) {
            (_, E::Supplied) => S::InProgress,
            (S::InProgress, E::Accepted | E::AttemptsExhausted) => S::Fulfilled,
            (S::InProgress, E::Declined) => S::Required,
            _ => return Err(InvalidTransitionError(self.as_str())),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    /// A table of every state and every event: the state that follows, or a dash.
    fn table<S: std::str::FromStr + Copy, E: std::str::FromStr + Copy>(
        title: &str,
        states: &[&str],
        events: &[&str],
        after: impl Fn(S, E) -> Option<&'static str>,
    ) -> String {
        let mut out = format!("| {title} |");
        for event in events {
            write!(out, " {event} |").unwrap();
        }
        write!(out, "\n|{}\n", "---|".repeat(events.len() + 1)).unwrap();
        for state in states {
            write!(out, "| `{state}` |").unwrap();
            let from: S = state.parse().ok().unwrap();
            for event in events {
                let event: E = event.parse().ok().unwrap();
                match after(from, event) {
                    Some(to) => write!(out, " `{to}` |").unwrap(),
                    None => out.push_str(" - |"),
                }
            }
            out.push('\n');
        }
        out
    }

    #[test]
    fn the_tables_of_the_documents_are_those_of_the_code() {
        let tables = [
            table(
                "Session",
                SessionState::VARIANTS,
                DocumentSessionEvent::VARIANTS,
                |state: SessionState, event| state.after(event).ok().map(SessionState::as_str),
            ),
            table(
                "Requirement",
                RequirementState::VARIANTS,
                RequirementEvent::VARIANTS,
                |state: RequirementState, event| state.after(event).ok().map(RequirementState::as_str),
            ),
            table("Task", TaskState::VARIANTS, TaskEvent::VARIANTS, |state: TaskState, event| {
                state.after(event).ok().map(TaskState::as_str)
            }),
            table("Check", CheckState::VARIANTS, CheckEvent::VARIANTS, |state: CheckState, event| {
                state.after(event).ok().map(CheckState::as_str)
            }),
        ];
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/DOCUMENT-VERIFICATION.md");
        let document = std::fs::read_to_string(file).unwrap();
        for table in tables {
            assert!(document.contains(&table), "docs/DOCUMENT-VERIFICATION.md lacks this table:\n{table}");
        }
    }

    #[test]
    fn what_has_ended_stays() {
        for state in [SessionState::Completed, SessionState::Expired] {
            for event in [
                DocumentSessionEvent::TokenDeleted,
                DocumentSessionEvent::ChecksFinished,
                DocumentSessionEvent::TimedOut,
            ] {
                assert_eq!(state.after(event), Err(InvalidTransitionError(state.as_str())));
            }
        }
        for state in [CheckState::Done, CheckState::InternalError] {
            for event in CheckEvent::VARIANTS {
                assert!(state.after(event.parse().unwrap()).is_err(), "{state} {event}");
            }
            assert!(state.is_final());
        }
    }
}
