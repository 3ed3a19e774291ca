//! What is written to members.

use base::{Secret, Timestamp};
use serde::{Deserialize, Serialize};

/// A letter: paragraphs and links. Old ones must still be read after an update: add members with defaults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmailMessage {
    /// Whom to.
    pub to: String,
    /// What about; one line.
    pub subject: String,
    /// What stands before the links.
    pub before: Vec<String>,
    /// The links and what they are called.
    pub links: Vec<(String, String)>,
    /// What stands after them.
    pub after: Vec<String>,
}

impl EmailMessage {
    /// An invitation to an account.
    pub fn invitation(to: &str, account: &str, link: &Secret<String>, until: Timestamp) -> Self {
        let account = single_line(account);
        Self {
            to: to.to_owned(),
            subject: format!("Invitation to {account}"),
            before: vec![format!("You are invited to work in the moderation account “{account}”.")],
            links: vec![("Accept the invitation".to_owned(), link.expose().clone())],
            after: vec![
                format!("The link works once, until {}.", format_timestamp(until)),
                "If you do not know what this is about, do nothing: without the link nobody comes in."
                    .to_owned(),
            ],
        }
    }

    /// Links to sign in with, one for each account.
    pub fn sign_in(to: &str, links: Vec<(String, Secret<String>)>, until: Timestamp) -> Self {
        let links: Vec<_> = links
            .into_iter()
            .map(|(account, link)| (format!("Sign in to {}", single_line(&account)), link.expose().clone()))
            .collect();
        Self {
            to: to.to_owned(),
            subject: "Your sign-in link".to_owned(),
            before: vec!["Somebody, most likely you, asked to sign in with this address.".to_owned()],
            links,
            after: vec![
                format!("Each link works once, until {}.", format_timestamp(until)),
                "If it was not you, do nothing: whoever asked did not get the link.".to_owned(),
            ],
        }
    }

    /// A one-time code, in words of the reader's language.
    pub fn code(to: &str, words: &str) -> Self {
        Self {
            to: to.to_owned(),
            subject: single_line(words),
            before: vec![words.to_owned()],
            links: Vec::new(),
            after: Vec::new(),
        }
    }

    /// The letter as plain text.
    pub(super) fn text(&self) -> String {
        let links = self.links.iter().map(|(words, link)| format!("{words}:\n{link}"));
        let parts: Vec<_> =
            self.before.iter().cloned().chain(links).chain(self.after.iter().cloned()).collect();
        parts.join("\n\n") + "\n"
    }

    /// The letter as HTML: nothing is fetched from anywhere when it is read.
    pub(super) fn html(&self) -> String {
        let paragraph = |words: &String| format!("<p>{}</p>", escape_html(words));
        let link = |(words, link): &(String, String)| {
            format!("<p><a href=\"{}\">{}</a></p>", escape_html(link), escape_html(words))
        };
        let parts: Vec<_> = self
            .before
            .iter()
            .map(paragraph)
            .chain(self.links.iter().map(link))
            .chain(self.after.iter().map(paragraph))
            .collect();
        format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title></head>\n<body>\n{}\n</body></html>\n",
            escape_html(&self.subject),
            parts.join("\n")
        )
    }
}

/// A name in one line: names come from callers.
fn single_line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

fn format_timestamp(at: Timestamp) -> String {
    at.strftime("%-d %B %Y, %H:%M UTC").to_string()
}

fn escape_html(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_breaks_out_of_neither_header_nor_markup() {
        let link = Secret::new("https://assay.example.com/console/#invite=abc".to_owned());
        let until = "2026-01-23T14:40:00Z".parse().unwrap();
        let letter =
            EmailMessage::invitation("ada@example.com", "A\r\nBcc: x@example.com <b>&", &link, until);
        assert!(!letter.subject.contains(['\r', '\n']), "{:?}", letter.subject);
        assert!(letter.html().contains("&lt;b&gt;&amp;") && !letter.html().contains("<b>"));
        assert!(
            letter.text().contains("#invite=abc\n") && letter.text().contains("23 January 2026, 14:40 UTC")
        );
    }
}
