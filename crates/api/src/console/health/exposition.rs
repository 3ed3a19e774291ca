//! Reading what `/metrics` says: the text format of Prometheus, as far as our own exporter writes it.

/// One sample of a metric.
#[derive(Debug, PartialEq)]
pub(super) struct MetricSample<'a> {
    pub(super) name: &'a str,
    labels: Vec<(&'a str, String)>,
    pub(super) value: f64,
}

impl MetricSample<'_> {
    /// The value of a label; empty where there is none.
    pub(super) fn label(&self, name: &str) -> &str {
        self.labels
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, value)| value.as_str())
            .unwrap_or_default()
    }
}

/// The samples of a text; lines that cannot be read are left out.
pub(super) fn parse(text: &str) -> impl Iterator<Item = MetricSample<'_>> {
    text.lines().filter(|line| !line.starts_with('#')).filter_map(parse_line)
}

fn parse_line(line: &str) -> Option<MetricSample<'_>> {
    let (series, value) = line.rsplit_once(' ')?;
    let value = value.parse().ok()?;
    let Some((name, labels)) = series.split_once('{') else {
        return Some(MetricSample { name: series, labels: Vec::new(), value });
    };
    let mut rest = labels;
    let mut read = Vec::new();
    while let Some((label, quoted)) = rest.split_once("=\"") {
        let (text, length) = unquote(quoted)?;
        read.push((label.trim_start_matches(','), text));
        rest = quoted.get(length..)?;
    }
    Some(MetricSample { name, labels: read, value })
}

/// The text up to the next quotation mark that is not escaped, and how many bytes it and the mark take.
fn unquote(quoted: &str) -> Option<(String, usize)> {
    let mut text = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((text, at + 1)),
            '\\' => match characters.next()?.1 {
                'n' => text.push('\n'),
                escaped => text.push(escaped),
            },
            plain => text.push(plain),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_read_with_their_labels() {
        let text = "# HELP a b\n# TYPE a counter\n\
            assay_models_ready 1\n\
            assay_http_requests_total{route=\"/accounts/{accountId}\",status=\"200\",code=\"\"} 12\n\
            odd{a=\"x\\\"}, y\\\\\",b=\"\\n\"} 0.5\n\
            broken{a=\"x 1\n\
            no number\n";
        let found: Vec<_> = parse(text).collect();
        assert_eq!(found.len(), 3);
        assert_eq!((found[0].name, found[0].value), ("assay_models_ready", 1.0));
        assert_eq!(found[1].label("route"), "/accounts/{accountId}");
        assert_eq!(
            (found[1].label("status"), found[1].label("code"), found[1].label("none")),
            ("200", "", "")
        );
        assert_eq!((found[2].label("a"), found[2].label("b")), ("x\"}, y\\", "\n"));
    }
}
