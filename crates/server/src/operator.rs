//! Who runs a command, as the audit trail names them.

use std::fs;

/// `operator:USER@HOST`. The user is whom the kernel runs this process as; of one who became root with sudo, the name that
/// sudo gives is added, which they could have changed.
pub(crate) fn operator() -> String {
    let id = rustix::process::getuid().as_raw();
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let user = user_name(&users, id).unwrap_or_else(|| id.to_string());
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let sudo = std::env::var("SUDO_USER").ok();
    let sudo = sudo.as_deref().and_then(plain_name);
    let sudo = sudo.map(|name| format!(" (sudo: {name})")).unwrap_or_default();
    format!("operator:{user}@{host}{sudo}")
}

/// The name of a user in the text of passwd(5).
fn user_name(users: &str, id: u32) -> Option<String> {
    users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let (name, user) = (fields.next()?, fields.nth(1)?);
        (user.parse() == Ok(id)).then(|| name.to_owned())
    })
}

/// A name that is no longer than one, and has no blanks or brackets.
fn plain_name(name: &str) -> Option<&str> {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    ((1..=64).contains(&name.len()) && name.chars().all(plain)).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_have_the_names_of_the_system() {
        let users = "root:x:0:0:root:/root:/bin/sh\nada:x:1000:1000::/home/ada:/bin/sh\n";
        assert_eq!(user_name(users, 1000).as_deref(), Some("ada"));
        assert_eq!(user_name(users, 1), None);
        assert_eq!((plain_name("ada"), plain_name("a b"), plain_name("")), (Some("ada"), None, None));
    }
}
