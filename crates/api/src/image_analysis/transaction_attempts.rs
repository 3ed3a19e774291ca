//! Which attempt of one person's transaction a call is: the calls of an application with one `Session-Id`. For the log and
//! the metrics alone.

use base::{AppId, SignedDuration, Timestamp};
use domain::audit::sha256_hex;
use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, PoisonError},
};

/// Transactions that are remembered, at most; the oldest are forgotten first.
const MAX_TRANSACTIONS: usize = 10_000;
/// How long a transaction is remembered after its first attempt.
const TRANSACTION_LIFETIME: SignedDuration = SignedDuration::from_hours(1);

/// Counts attempts, in this process.
#[derive(Debug, Default)]
pub struct TransactionAttempts(Mutex<RecentTransactions>);

#[derive(Debug, Default)]
struct RecentTransactions {
    /// In the order of their first attempts.
    begun: VecDeque<(Timestamp, String)>,
    attempts: HashMap<String, u32>,
}

impl TransactionAttempts {
    /// Counts an attempt; returns its number within the transaction, from 1.
    pub(super) fn count(&self, app: AppId, session: &str, now: Timestamp) -> u32 {
        let key = sha256_hex(format!("{app} {session}").as_bytes());
        let mut recent = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some((begun, _)) = recent.begun.front()
            && (recent.begun.len() >= MAX_TRANSACTIONS || now.duration_since(*begun) > TRANSACTION_LIFETIME)
        {
            if let Some((_, key)) = recent.begun.pop_front() {
                recent.attempts.remove(&key);
            }
        }
        if let Some(attempts) = recent.attempts.get_mut(&key) {
            *attempts = attempts.saturating_add(1);
            return *attempts;
        }
        recent.begun.push_back((now, key.clone()));
        recent.attempts.insert(key, 1);
        1
    }
}

/// The number of an attempt as the label of a metric, which has few values.
pub(super) fn attempt_label(number: u32) -> &'static str {
    match number {
        0 | 1 => "1",
        2 => "2",
        3 => "3",
        _ => "4 or more",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attempts_are_counted_by_application_and_session_for_an_hour() {
        let attempts = TransactionAttempts::default();
        let [one, other]: [AppId; 2] = [1, 2].map(|number| base::Uuid::from_u128(number).into());
        let now: Timestamp = "2026-11-26T12:00:00Z".parse().unwrap();
        assert_eq!([(); 3].map(|()| attempts.count(one, "basket 3", now)), [1, 2, 3]);
        assert_eq!(attempts.count(other, "basket 3", now), 1, "another application's");
        assert_eq!(attempts.count(one, "basket 4", now), 1);
        let later = now + TRANSACTION_LIFETIME + SignedDuration::from_secs(1);
        assert_eq!(attempts.count(one, "basket 3", later), 1, "a new transaction");
    }

    #[test]
    fn few_transactions_are_remembered() {
        let attempts = TransactionAttempts::default();
        let app: AppId = base::Uuid::from_u128(1).into();
        let now: Timestamp = "2026-11-26T12:00:00Z".parse().unwrap();
        for number in 0..=MAX_TRANSACTIONS {
            attempts.count(app, &number.to_string(), now);
        }
        assert_eq!(attempts.count(app, &MAX_TRANSACTIONS.to_string(), now), 2);
        assert_eq!(attempts.count(app, "0", now), 1, "it was the oldest");
    }
}
