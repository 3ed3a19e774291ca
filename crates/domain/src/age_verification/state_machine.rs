//! Every transition of an age session. `docs/AGE-VERIFICATION.md` has the same table; a test compares the two.

use super::types::AgeSessionStatus;

/// The event cannot happen in this state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the event cannot happen in the state {0}")]
pub struct InvalidTransitionError(pub &'static str);

crate::wire_enum::wire_enum! {
    /// What happens to a session.
    pub enum AgeSessionEvent {
        /// The page opens a method, the first or another one.
        MethodOpened => "method opened",
        /// The end user has finished, and a check is still running.
        CheckPending => "check runs on",
        /// The age is as required.
        Passed => "passed",
        /// The age is not as required.
        Failed => "failed",
        /// The method could not determine the age, or failed, and another method is left.
        Undecided => "undecided, another method left",
        /// The method could not determine the age, and no other is left.
        MethodsExhausted => "undecided, none left",
        /// The method failed for a technical reason, and no other is left.
        Errored => "broken, none left",
        /// The end user cancelled.
        Cancelled => "cancelled",
        /// The time of the session was over.
        RanOut => "ran out",
        /// A method is opened after FAIL or ERROR, which the session must allow.
        Reopened => "opened again",
        /// A reviewer decided on appeal that the refusal was wrong.
        Overturned => "overturned on appeal",
    }
}

impl AgeSessionStatus {
    /// The state after `event`.
    pub fn after(self, event: AgeSessionEvent) -> Result<Self, InvalidTransitionError> {
        use AgeSessionEvent as E;
        Ok(match (self, event) {
            (Self::Pending | Self::InProgress, E::MethodOpened) | (Self::Fail | Self::Error, E::Reopened) => {
                Self::InProgress
            }
            (Self::InProgress, E::CheckPending) => Self::Processing,
            (Self::Pending | Self::InProgress | Self::Processing, E::Passed)
            | (
                Self::InProgress
                | Self::Processing
                | Self::Fail
                | Self::Error
                | Self::Cancelled
                | Self::Expired,
                E::Overturned,
            ) => Self::Complete,
            (Self::Pending | Self::InProgress | Self::Processing, E::Failed | E::MethodsExhausted) => {
                Self::Fail
            }
            (Self::Pending | Self::InProgress | Self::Processing, E::Undecided) => Self::InProgress,
            (Self::Pending | Self::InProgress | Self::Processing, E::Errored) => Self::Error,
            (Self::Pending | Self::InProgress | Self::Fail | Self::Error, E::Cancelled) => Self::Cancelled,
            (Self::Pending | Self::InProgress | Self::Processing, E::RanOut) => Self::Expired,
            _ => return Err(InvalidTransitionError(self.as_str())),
        })
    }

    /// Whether attempts have ended. FAIL and ERROR may still be reopened.
    pub fn is_ended(self) -> bool {
        matches!(self, Self::Complete | Self::Fail | Self::Error | Self::Cancelled | Self::Expired)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fmt::Write as _;

    #[test]
    fn the_documented_table_equals_the_code() {
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
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/AGE-VERIFICATION.md");
        let document = std::fs::read_to_string(file).unwrap();
        assert!(document.contains(&table), "docs/AGE-VERIFICATION.md lacks this table:\n{table}");
    }

    #[test]
    fn complete_cancelled_and_expired_sessions_change_on_appeal_only() {
        for state in [AgeSessionStatus::Complete, AgeSessionStatus::Cancelled, AgeSessionStatus::Expired] {
            for event in AgeSessionEvent::VARIANTS {
                let event = event.parse().unwrap();
                let changes = event == AgeSessionEvent::Overturned && state != AgeSessionStatus::Complete;
                assert_eq!(state.after(event).is_ok(), changes, "{state} {event}");
            }
        }
    }
}
