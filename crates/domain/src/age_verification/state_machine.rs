//! Every move of an age session, in one place. `docs/AGES.md` has the same table, and a test holds them equal.

use super::types::AgeSessionStatus;

/// A move that a session in that state cannot make.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("nothing in the state {0} can do that")]
pub struct InvalidTransitionError(pub &'static str);

crate::wire_enum::wire_enum! {
    /// What happens to a session.
    pub enum AgeSessionEvent {
        /// The page opens a method, for the first time or for another one.
        MethodOpened => "method opened",
        /// The person is through, and a check still runs.
        CheckPending => "check runs on",
        /// The age is as asked.
        Passed => "passed",
        /// The age is not as asked.
        Failed => "failed",
        /// The method could not tell, and another is left.
        Undecided => "undecided, another method left",
        /// The method could not tell, and none is left.
        MethodsExhausted => "undecided, none left",
        /// The method broke, and none is left.
        Errored => "broken, none left",
        /// The person called it off.
        Cancelled => "cancelled",
        /// A method is opened again after the end, where the session allows it.
        Reopened => "opened again",
    }
}

impl AgeSessionStatus {
    /// The state after an event.
    pub fn after(self, event: AgeSessionEvent) -> Result<Self, InvalidTransitionError> {
        use AgeSessionEvent as E;
        Ok(match (self, event) {
            (Self::Pending | Self::InProgress, E::MethodOpened) | (Self::Fail | Self::Error, E::Reopened) => {
                Self::InProgress
            }
            (Self::InProgress, E::CheckPending) => Self::Processing,
            (Self::Pending | Self::InProgress | Self::Processing, E::Passed) => Self::Complete,
            (Self::Pending | Self::InProgress | Self::Processing, E::Failed | E::MethodsExhausted) => {
                Self::Fail
            }
            (Self::Pending | Self::InProgress | Self::Processing, E::Undecided) => Self::InProgress,
            (Self::Pending | Self::InProgress | Self::Processing, E::Errored) => Self::Error,
            (Self::Pending | Self::InProgress | Self::Fail | Self::Error, E::Cancelled) => Self::Cancelled,
            _ => return Err(InvalidTransitionError(self.as_str())),
        })
    }

    /// Whether a session in it may have had its last word.
    pub fn is_ended(self) -> bool {
        matches!(self, Self::Complete | Self::Fail | Self::Error | Self::Cancelled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    #[test]
    fn the_table_of_the_documents_is_that_of_the_code() {
        let mut table = "| Session |".to_owned();
        for event in AgeSessionEvent::VARIANTS {
            write!(table, " {event} |").unwrap();
        }
        write!(table, "\n|{}\n", "---|".repeat(AgeSessionEvent::VARIANTS.len() + 1)).unwrap();
        for word in AgeSessionStatus::VARIANTS {
            let state: AgeSessionStatus = word.parse().unwrap();
            write!(table, "| `{word}` |").unwrap();
            for event in AgeSessionEvent::VARIANTS {
                match state.after(event.parse().unwrap()) {
                    Ok(to) => write!(table, " `{to}` |").unwrap(),
                    Err(InvalidTransitionError(from)) => {
                        assert_eq!(from, *word);
                        table.push_str(" - |");
                    }
                }
            }
            table.push('\n');
        }
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/AGES.md");
        let document = std::fs::read_to_string(file).unwrap();
        assert!(document.contains(&table), "docs/AGES.md lacks this table:\n{table}");
    }

    #[test]
    fn what_is_complete_or_cancelled_stays() {
        for state in [AgeSessionStatus::Complete, AgeSessionStatus::Cancelled] {
            for event in AgeSessionEvent::VARIANTS {
                assert!(state.after(event.parse().unwrap()).is_err(), "{state} {event}");
            }
        }
    }
}
