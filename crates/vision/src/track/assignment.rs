//! The linear assignment problem: matches faces to tracks at the least total cost. Choosing the cheapest pair first
//! would swap two people who cross, because the second pair has to take what is left.

/// The column assigned to each row of `costs`, with the least total cost and no column twice. `None` in `costs` is an
/// impossible pair; a row without a column costs `unassigned_cost`.
///
/// Shortest augmenting paths with potentials (Jonker and Volgenant, 1987); at most rows² x columns steps.
pub(super) fn assign(costs: &[Vec<Option<f32>>], unassigned_cost: f32) -> Vec<Option<usize>> {
    let rows = costs.len();
    let real = costs.first().map_or(0, Vec::len);
    // After the real columns each row has one of its own for staying unassigned, so that a solution always exists.
    let columns = real + rows;
    let cost = |row: usize, column: usize| -> f64 {
        if column >= real {
            return if column - real == row { unassigned_cost.into() } else { f64::INFINITY };
        }
        let cost = costs.get(row).and_then(|costs| costs.get(column)).copied().flatten();
        cost.filter(|cost| cost.is_finite()).map_or(f64::INFINITY, f64::from)
    };
    // The row that owns each column; the last entry is the row for which a column is searched.
    let mut owner: Vec<Option<usize>> = vec![None; columns + 1];
    let mut row_potential = vec![0.0; rows];
    let mut column_potential = vec![0.0; columns + 1];
    for row in 0..rows {
        owner[columns] = Some(row);
        let mut at = columns;
        let mut least = vec![f64::INFINITY; columns];
        let mut before = vec![columns; columns];
        let mut visited = vec![false; columns + 1];
        while let Some(current) = owner[at] {
            visited[at] = true;
            let (mut nearest, mut step) = (None, f64::INFINITY);
            for column in (0..columns).filter(|&column| !visited[column]) {
                let reduced = cost(current, column) - row_potential[current] - column_potential[column];
                if reduced < least[column] {
                    (least[column], before[column]) = (reduced, at);
                }
                if least[column] < step {
                    (nearest, step) = (Some(column), least[column]);
                }
            }
            // There always is one: the row's own column.
            let Some(nearest) = nearest else { break };
            for column in 0..=columns {
                if visited[column] {
                    if let Some(row) = owner[column] {
                        row_potential[row] += step;
                    }
                    column_potential[column] -= step;
                } else if column < columns {
                    least[column] -= step;
                }
            }
            at = nearest;
        }
        // Augment along the path: each column goes to the owner of the one before.
        while at != columns {
            owner[at] = owner[before[at]];
            at = before[at];
        }
    }
    let mut chosen = vec![None; rows];
    for (column, row) in owner.iter().take(real).enumerate() {
        if let Some(chosen) = row.and_then(|row| chosen.get_mut(row)) {
            *chosen = Some(column);
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::assign;

    #[test]
    fn the_sum_decides_and_not_the_cheapest_pair() {
        let costs = vec![vec![Some(0.1), Some(0.2)], vec![Some(0.2), Some(1.0)]];
        assert_eq!(assign(&costs, 1.5), [Some(1), Some(0)]);
    }

    #[test]
    fn impossible_pairs_stay_unassigned() {
        assert_eq!(assign(&[vec![None, None], vec![None, Some(0.5)]], 1.5), [None, Some(1)]);
        assert_eq!(assign(&[vec![Some(2.0)]], 1.5), [None]);
        assert_eq!(assign(&[vec![Some(f32::NAN)]], 1.5), [None]);
        assert_eq!(assign(&[vec![], vec![]], 1.5), [None, None]);
        assert!(assign(&[], 1.5).is_empty());
    }

    /// Against all ways to assign four rows to three columns.
    #[test]
    fn no_other_assignment_is_cheaper() {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 40) as f32 / (1_u64 << 24) as f32
        };
        for _ in 0..200 {
            let costs: Vec<Vec<Option<f32>>> = (0..4)
                .map(|_| (0..3).map(|_| Some(next() * 2.0).filter(|cost| *cost < 1.6)).collect())
                .collect();
            let sum = |chosen: &[Option<usize>]| -> f32 {
                let one = |(row, column): (usize, &Option<usize>)| match column {
                    None => 1.5,
                    Some(column) => costs[row][*column].unwrap_or(f32::INFINITY),
                };
                chosen.iter().enumerate().map(one).sum()
            };
            let found = sum(&assign(&costs, 1.5));
            for code in 0..256_usize {
                let chosen: Vec<Option<usize>> =
                    (0..4).map(|row| Some(code >> (2 * row) & 3).filter(|column| *column < 3)).collect();
                let mut taken: Vec<usize> = chosen.iter().flatten().copied().collect();
                let count = taken.len();
                taken.sort_unstable();
                taken.dedup();
                assert!(taken.len() < count || sum(&chosen) > found - 1e-5, "{costs:?} {chosen:?}");
            }
        }
    }
}
