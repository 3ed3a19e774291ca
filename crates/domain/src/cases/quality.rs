//! How well reviewers agree with each other, and with golden answers.

use super::{CaseKind, CaseService, Reviewer};
use base::{MemberId, Timestamp};
use db::{DbError, FromRow, ReadTx, sql};
use std::collections::BTreeMap;

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
    decision: String,
    other: String,
}

impl CaseService {
    /// How everybody decides who has settled cases of this account and its application between two times, the busiest first.
    /// Of one kind of case, if it is given.
    pub async fn quality(
        &self,
        view: &mut ReadTx,
        reviewer: &Reviewer,
        kind: Option<CaseKind>,
        (from, until): (Timestamp, Timestamp),
    ) -> Result<Vec<ReviewerQuality>, DbError> {
        let kind = kind.map(CaseKind::as_str);
        let totals: Vec<ReviewerTotalsRow> = view
            .fetch_all(sql!(
                "SELECT o.reviewer_id, count(*) AS decided,
                        CAST(avg(o.exposure_seconds) AS DOUBLE PRECISION) AS exposure_seconds
                   FROM case_opinions o JOIN cases c ON c.id = o.case_id
                  WHERE c.app_id = $1 AND (c.account_id = $2 OR c.account_id IS NULL) AND (c.kind = $3 OR $3 IS NULL)
                    AND o.settled_at IS NOT NULL AND o.decided_at >= $4 AND o.decided_at < $5
                  GROUP BY o.reviewer_id ORDER BY count(*) DESC, o.reviewer_id LIMIT 500",
                reviewer.app,
                reviewer.account,
                kind,
                from,
                until,
            ))
            .await?;
        let others: Vec<DecisionPairRow> = view
            .fetch_all(sql!(
                "SELECT o.reviewer_id, o.decision, p.decision AS other
                   FROM case_opinions o JOIN cases c ON c.id = o.case_id
                   JOIN case_opinions p ON p.case_id = o.case_id AND p.reviewer_id <> o.reviewer_id
                  WHERE c.app_id = $1 AND (c.account_id = $2 OR c.account_id IS NULL) AND (c.kind = $3 OR $3 IS NULL)
                    AND c.golden_answer IS NULL AND p.settled_at IS NOT NULL
                    AND o.settled_at IS NOT NULL AND o.decided_at >= $4 AND o.decided_at < $5 LIMIT 200000",
                reviewer.app,
                reviewer.account,
                kind,
                from,
                until,
            ))
            .await?;
        let golden: Vec<DecisionPairRow> = view
            .fetch_all(sql!(
                "SELECT o.reviewer_id, o.decision, c.golden_answer AS other
                   FROM case_opinions o JOIN cases c ON c.id = o.case_id
                  WHERE c.app_id = $1 AND (c.account_id = $2 OR c.account_id IS NULL) AND (c.kind = $3 OR $3 IS NULL)
                    AND c.golden_answer IS NOT NULL
                    AND o.settled_at IS NOT NULL AND o.decided_at >= $4 AND o.decided_at < $5 LIMIT 200000",
                reviewer.app,
                reviewer.account,
                kind,
                from,
                until,
            ))
            .await?;
        let agreement = |rows: &[DecisionPairRow], member: MemberId| {
            let of_member = rows.iter().filter(|row| row.reviewer_id == member);
            let pairs: Vec<_> = of_member.map(|row| (row.decision.as_str(), row.other.as_str())).collect();
            Agreement::of(&pairs)
        };
        let quality = |row: ReviewerTotalsRow| ReviewerQuality {
            reviewer: row.reviewer_id,
            decided: row.decided,
            exposure_seconds: row.exposure_seconds,
            with_others: agreement(&others, row.reviewer_id),
            with_golden: agreement(&golden, row.reviewer_id),
        };
        Ok(totals.into_iter().map(quality).collect())
    }
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
    fn without_difference_there_is_no_kappa() {
        assert_eq!(Agreement::of(&[('y', 'y'); 3]).kappa, None);
        assert_eq!(Agreement::of::<char>(&[]), Agreement::default());
    }
}
