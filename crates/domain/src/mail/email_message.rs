//! The texts of mails: invitations, sign-in links, codes.

use base::{Secret, Timestamp};
use serde::{Deserialize, Serialize};

/// A mail: paragraphs and links. Queued ones must still be readable after an update: new fields need a default.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmailMessage {
    /// The address of the recipient.
    pub to: String,
    /// One line.
    pub subject: String,
    /// Paragraphs before the links.
    pub before: Vec<String>,
    /// Labels and URLs.
    pub links: Vec<(String, String)>,
    /// Paragraphs after the links.
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
                "If you did not expect this, do nothing: without the link nobody can join the account."
                    .to_owned(),
            ],
        }
    }

    /// An invitation to be an operator of the installation at `public_url`.
    pub fn operator_invitation(to: &str, public_url: &str, link: &Secret<String>, until: Timestamp) -> Self {
        Self {
            to: to.to_owned(),
            subject: "Invitation to operate Assay".to_owned(),
            before: vec![format!("You are invited to be an operator of the Assay server at {public_url}.")],
            links: vec![("Accept the invitation".to_owned(), link.expose().clone())],
            after: vec![
                format!("The link works once, until {}.", format_timestamp(until)),
                "If you did not expect this, do nothing: without the link nobody becomes an operator."
                    .to_owned(),
            ],
        }
    }

    /// A test that an operator of the installation at `public_url` asked for.
    pub fn test(to: &str, public_url: &str) -> Self {
        Self {
            to: to.to_owned(),
            subject: "Test of the mail server".to_owned(),
            before: vec![format!("The Assay server at {public_url} can send mail.")],
            links: Vec::new(),
            after: vec!["You asked for this test in the console.".to_owned()],
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
                "If it was not you, do nothing: nobody else got the link.".to_owned(),
            ],
        }
    }

    /// A one-time code. `text` is a sentence in the recipient's language; it is the subject, too.
    pub fn code(to: &str, text: &str) -> Self {
        Self {
            to: to.to_owned(),
            subject: single_line(text),
            before: vec![text.to_owned()],
            links: Vec::new(),
            after: Vec::new(),
        }
    }

    /// The mail as plain text.
    pub(super) fn text(&self) -> String {
        let links = self.links.iter().map(|(label, link)| format!("{label}:\n{link}"));
        let parts: Vec<_> =
            self.before.iter().cloned().chain(links).chain(self.after.iter().cloned()).collect();
        parts.join("\n\n") + "\n"
    }

    /// The mail as HTML, without anything that is fetched when it is read.
    pub(super) fn html(&self) -> String {
        let paragraph = |text: &String| format!("<p>{}</p>", escape_html(text));
        let link = |(label, link): &(String, String)| {
            format!("<p><a href=\"{}\">{}</a></p>", escape_html(link), escape_html(label))
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

/// Replaces control characters: names come from callers, and a line break would add a header.
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
        let mail = EmailMessage::invitation("ada@example.com", "A\r\nBcc: x@example.com <b>&", &link, until);
        assert!(!mail.subject.contains(['\r', '\n']), "{:?}", mail.subject);
        assert!(mail.html().contains("&lt;b&gt;&amp;") && !mail.html().contains("<b>"));
        assert!(mail.text().contains("#invite=abc\n") && mail.text().contains("23 January 2026, 14:40 UTC"));
    }
}
