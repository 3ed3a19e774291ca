//! How well reviewers agree with each other, and with golden answers.

use super::{CaseKind, CaseService, Reviewer};
use base::{CaseQueueId, MemberId, Timestamp};
use db::{DbError, FromRow, ReadTx, sql};
use std::collections::BTreeMap;

/// Which decisions figures are about.
#[derive(Clone, Copy, Debug)]
pub struct QualityFilter {
    pub kind: Option<CaseKind>,
    pub queue: Option<CaseQueueId>,
    pub from: Timestamp,
    /// Not itself.
    pub until: Timestamp,
}

/// How reviewers decide, over a time.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseQuality {
    /// The busiest first.
    pub reviewers: Vec<ReviewerQuality>,
    /// Those with the most cases first.
    pub queues: Vec<QueueQuality>,
}

/// How the cases of one queue are decided, which have one policy.
#[derive(Clone, Debug, PartialEq)]
pub struct QueueQuality {
    /// `None`: cases that no queue took.
    pub queue: Option<CaseQueueId>,
    /// How many of its cases were settled.
    pub settled: i64,
    /// How many of these later than they were due.
    pub overdue: i64,
    /// Seconds from the creation of a case until it was settled, in the middle and of the slowest tenth at least; `None`
    /// where none was settled.
    pub seconds_to_decision: Option<TimeToDecision>,
    /// Agreement of the reviewers of the same cases with each other.
    pub between_reviewers: Agreement,
    /// Agreement with golden answers.
    pub with_golden: Agreement,
}

/// Seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TimeToDecision {
    pub median: f64,
    /// The 90th percentile.
    pub p90: f64,
}

impl TimeToDecision {
    /// Of seconds in any order.
    fn of(mut seconds: Vec<f64>) -> Option<Self> {
        seconds.sort_by(f64::total_cmp);
        let last = seconds.len().checked_sub(1)?;
        let at = |share: f64| seconds.get((share * last as f64).round() as usize).copied();
        Some(Self { median: at(0.5)?, p90: at(0.9)? })
    }
}

/// How one reviewer decides, over a time.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewerQuality {
    pub reviewer: MemberId,
    /// How many cases they decided.
    pub decided: i64,
    /// Seconds at pictures, on average of a case.
    pub exposure_seconds: f64,
    /// Agreement with the other reviewers of the same cases.
    pub with_others: Agreement,
    /// Agreement with golden answers.
    pub with_golden: Agreement,
}

/// How often two raters agree, and how much more often than by chance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Agreement {
    /// Cases that both have decided.
    pub cases: i64,
    /// The share of these on which they agree, 0 to 1.
    pub share: Option<f64>,
    /// Cohen's kappa: 1 for full agreement, 0 for as much as by chance. `None` where chance alone would make them agree always.
    pub kappa: Option<f64>,
}

impl Agreement {
    /// The agreement of pairs of decisions (Cohen, 1960).
    pub fn of<D: Ord + Copy>(pairs: &[(D, D)]) -> Self {
        let total = pairs.len() as f64;
        if pairs.is_empty() {
            return Self::default();
        }
        let agreed = pairs.iter().filter(|(one, other)| one == other).count() as f64 / total;
        let mut shares: BTreeMap<D, (f64, f64)> = BTreeMap::new();
        for (one, other) in pairs {
            shares.entry(*one).or_default().0 += 1.0 / total;
            shares.entry(*other).or_default().1 += 1.0 / total;
        }
        let by_chance: f64 = shares.values().map(|(one, other)| one * other).sum();
        let kappa = (by_chance < 1.0 - 1e-9).then(|| (agreed - by_chance) / (1.0 - by_chance));
        Self { cases: pairs.len() as i64, share: Some(agreed), kappa }
    }
}

#[derive(FromRow)]
struct ReviewerTotalsRow {
    reviewer_id: MemberId,
    decided: i64,
    exposure_seconds: f64,
}

#[derive(FromRow)]
struct DecisionPairRow {
    reviewer_id: MemberId,
    queue_id: Option<CaseQueueId>,
    decision: String,
    other: String,
}

#[derive(FromRow)]
struct SettledCaseRow {
    queue_id: Option<CaseQueueId>,
    #[sqlx(try_from = "db::DbTimestamp")]
    created_at: Timestamp,
    #[sqlx(try_from = "db::DbTimestamp")]
    due_at: Timestamp,
    #[sqlx(try_from = "db::DbTimestamp")]
    closed_at: Timestamp,
}

/// The agreement of the pairs that are meant.
fn agreement(rows: &[DecisionPairRow], meant: impl Fn(&DecisionPairRow) -> bool) -> Agreement {
    let meant = rows.iter().filter(|row| meant(row));
    let pairs: Vec<_> = meant.map(|row| (row.decision.as_str(), row.other.as_str())).collect();
    Agreement::of(&pairs)
}

impl CaseService {
    /// How everybody decides who has settled cases of this account and its application between two times, and how the cases
    /// of each queue are decided.
    pub async fn quality(
        &self,
        view: &mut ReadTx,
        reviewer: &Reviewer,
        filter: QualityFilter,
    ) -> Result<CaseQuality, DbError> {
        let totals = reviewer_totals(view, reviewer, filter).await?;
        let others = pairs_of_reviewers(view, reviewer, filter).await?;
        let golden = pairs_with_golden(view, reviewer, filter).await?;
        let settled = settled_cases(view, reviewer, filter).await?;
        let reviewers = totals.into_iter().map(|row| ReviewerQuality {
            reviewer: row.reviewer_id,
            decided: row.decided,
            exposure_seconds: row.exposure_seconds,
            with_others: agreement(&others, |pair| pair.reviewer_id == row.reviewer_id),
            with_golden: agreement(&golden, |pair| pair.reviewer_id == row.reviewer_id),
        });
        let mut by_queue = BTreeMap::<Option<CaseQueueId>, Vec<&SettledCaseRow>>::new();
        for pair in others.iter().chain(&golden) {
            by_queue.entry(pair.queue_id).or_default();
        }
        for case in &settled {
            by_queue.entry(case.queue_id).or_default().push(case);
        }
        let mut queues: Vec<QueueQuality> = by_queue
            .into_iter()
            .map(|(queue, cases)| QueueQuality {
                queue,
                settled: cases.len() as i64,
                overdue: cases.iter().filter(|case| case.closed_at > case.due_at).count() as i64,
                seconds_to_decision: TimeToDecision::of(
                    cases
                        .iter()
                        .map(|case| case.closed_at.duration_since(case.created_at).as_secs_f64())
                        .collect(),
                ),
                between_reviewers: agreement(&others, |pair| pair.queue_id == queue),
                with_golden: agreement(&golden, |pair| pair.queue_id == queue),
            })
            .collect();
        queues.sort_by_key(|queue| std::cmp::Reverse(queue.settled));
        Ok(CaseQuality { reviewers: reviewers.collect(), queues })
    }
}

async fn reviewer_totals(
    view: &mut ReadTx,
    reviewer: &Reviewer,
    QualityFilter { kind, queue, from, until }: QualityFilter,
) -> Result<Vec<ReviewerTotalsRow>, DbError> {
    view.fetch_all(sql!(
        "SELECT o.reviewer_id, count(*) AS decided,
                CAST(avg(o.exposure_seconds) AS DOUBLE PRECISION) AS exposure_seconds
           FROM case_opinions o JOIN cases c ON c.id = o.case_id
          WHERE c.app_id = $1 AND (c.account_id = $2 OR c.account_id IS NULL) AND (c.kind = $3 OR $3 IS NULL)
            AND (c.queue_id = $4 OR $4 IS NULL)
            AND o.settled_at IS NOT NULL AND o.decided_at >= $5 AND o.decided_at < $6
          GROUP BY o.reviewer_id ORDER BY count(*) DESC, o.reviewer_id LIMIT 500",
        reviewer.app,
        reviewer.account,
        kind.map(CaseKind::as_str),
        queue,
        from,
        until,
    ))
    .await
}

/// What two reviewers said about the same case, each pair in both directions.
async fn pairs_of_reviewers(
    view: &mut ReadTx,
    reviewer: &Reviewer,
    QualityFilter { kind, queue, from, until }: QualityFilter,
) -> Result<Vec<DecisionPairRow>, DbError> {
    view.fetch_all(sql!(
        "SELECT o.reviewer_id, c.queue_id, o.decision, p.decision AS other
           FROM case_opinions o JOIN cases c ON c.id = o.case_id
           JOIN case_opinions p ON p.case_id = o.case_id AND p.reviewer_id <> o.reviewer_id
          WHERE c.app_id = $1 AND (c.account_id = $2 OR c.account_id IS NULL) AND (c.kind = $3 OR $3 IS NULL)
            AND (c.queue_id = $4 OR $4 IS NULL) AND c.golden_answer IS NULL AND p.settled_at IS NOT NULL
            AND o.settled_at IS NOT NULL AND o.decided_at >= $5 AND o.decided_at < $6 LIMIT 200000",
        reviewer.app,
        reviewer.account,
        kind.map(CaseKind::as_str),
        queue,
        from,
        until,
    ))
    .await
}

/// What reviewers said about golden cases, and what was right.
async fn pairs_with_golden(
    view: &mut ReadTx,
    reviewer: &Reviewer,
    QualityFilter { kind, queue, from, until }: QualityFilter,
) -> Result<Vec<DecisionPairRow>, DbError> {
    view.fetch_all(sql!(
        "SELECT o.reviewer_id, c.queue_id, o.decision, c.golden_answer AS other
           FROM case_opinions o JOIN cases c ON c.id = o.case_id
          WHERE c.app_id = $1 AND (c.account_id = $2 OR c.account_id IS NULL) AND (c.kind = $3 OR $3 IS NULL)
            AND (c.queue_id = $4 OR $4 IS NULL) AND c.golden_answer IS NOT NULL
            AND o.settled_at IS NOT NULL AND o.decided_at >= $5 AND o.decided_at < $6 LIMIT 200000",
        reviewer.app,
        reviewer.account,
        kind.map(CaseKind::as_str),
        queue,
        from,
        until,
    ))
    .await
}

async fn settled_cases(
    view: &mut ReadTx,
    reviewer: &Reviewer,
    QualityFilter { kind, queue, from, until }: QualityFilter,
) -> Result<Vec<SettledCaseRow>, DbError> {
    view.fetch_all(sql!(
        "SELECT c.queue_id, c.created_at, c.due_at, c.closed_at FROM cases c
          WHERE c.app_id = $1 AND (c.account_id = $2 OR c.account_id IS NULL) AND (c.kind = $3 OR $3 IS NULL)
            AND (c.queue_id = $4 OR $4 IS NULL) AND c.golden_answer IS NULL AND c.state = 'SETTLED'
            AND c.closed_at >= $5 AND c.closed_at < $6
          ORDER BY c.closed_at DESC LIMIT 200000",
        reviewer.app,
        reviewer.account,
        kind.map(CaseKind::as_str),
        queue,
        from,
        until,
    ))
    .await
}

#[cfg(test)]
mod unit_tests {
    use super::*;

    #[test]
    fn kappa_is_that_of_cohens_textbook_table() {
        // 20 both yes, 5 and 10 split, 15 both no: kappa 0.4.
        let mut pairs = vec![('y', 'y'); 20];
        pairs.extend([('y', 'n'); 5]);
        pairs.extend([('n', 'y'); 10]);
        pairs.extend([('n', 'n'); 15]);
        let agreement = Agreement::of(&pairs);
        assert_eq!((agreement.cases, agreement.share), (50, Some(0.7)));
        assert!((agreement.kappa.unwrap() - 0.4).abs() < 1e-9);
    }

    #[test]
    fn the_time_to_a_decision_is_told_by_its_middle_and_its_slow_end() {
        let time = TimeToDecision::of((0..=100).rev().map(f64::from).collect()).unwrap();
        assert_eq!(time, TimeToDecision { median: 50.0, p90: 90.0 });
        assert_eq!(TimeToDecision::of(Vec::new()), None);
    }

    #[test]
    fn without_difference_there_is_no_kappa() {
        assert_eq!(Agreement::of(&[('y', 'y'); 3]).kappa, None);
        assert_eq!(Agreement::of::<char>(&[]), Agreement::default());
    }
}
