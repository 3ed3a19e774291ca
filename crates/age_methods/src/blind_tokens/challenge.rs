//! Token challenges: what a site asks a client for (RFC 9577, section 2.1).

use super::{BlindTokenError, TOKEN_TYPE, sha256};

/// A site's request for a token of one issuer, which may be bound to a session and to the sites that redeem it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenChallenge {
    issuer: String,
    context: Option<[u8; 32]>,
    origins: Vec<String>,
}

impl TokenChallenge {
    /// `issuer` is the issuer's host. `context` binds the token to one session; without it, the token can be fetched
    /// beforehand. `origins` are the hosts of the sites that may redeem it, at most 16; empty means any. Names are 1 to
    /// 253 visible ASCII characters without commas.
    pub fn new(issuer: &str, context: Option<[u8; 32]>, origins: &[&str]) -> Result<Self, BlindTokenError> {
        let is_name = |name: &str| {
            (1..=253).contains(&name.len())
                && name.bytes().all(|byte| byte.is_ascii_graphic() && byte != b',')
        };
        if !is_name(issuer) || origins.len() > 16 || !origins.iter().all(|name| is_name(name)) {
            return Err(BlindTokenError::Malformed);
        }
        let origins = origins.iter().map(|&name| name.to_owned()).collect();
        Ok(Self { issuer: issuer.to_owned(), context, origins })
    }

    /// Parses what [`Self::to_bytes`] writes.
    pub fn parse(bytes: &[u8]) -> Result<Self, BlindTokenError> {
        let (kind, rest) = bytes.split_first_chunk::<2>().ok_or(BlindTokenError::Malformed)?;
        if u16::from_be_bytes(*kind) != TOKEN_TYPE {
            return Err(BlindTokenError::WrongType);
        }
        let (issuer, rest) = length_prefixed(rest)?;
        let (&size, rest) = rest.split_first().ok_or(BlindTokenError::Malformed)?;
        let (context, rest) = match size {
            0 => (None, rest),
            32 => rest
                .split_first_chunk::<32>()
                .map(|(context, rest)| (Some(*context), rest))
                .ok_or(BlindTokenError::Malformed)?,
            _ => return Err(BlindTokenError::Malformed),
        };
        let (origins, rest) = length_prefixed(rest)?;
        if !rest.is_empty() {
            return Err(BlindTokenError::Malformed);
        }
        let names: Vec<_> = if origins.is_empty() { Vec::new() } else { origins.split(',').collect() };
        Self::new(issuer, context, &names)
    }

    /// The serialised challenge, which `WWW-Authenticate` carries in base64url.
    pub fn to_bytes(&self) -> Vec<u8> {
        let context = self.context.as_ref().map_or(&[][..], |context| context);
        let origins = self.origins.join(",");
        let mut bytes = TOKEN_TYPE.to_be_bytes().to_vec();
        bytes.extend_from_slice(&(self.issuer.len() as u16).to_be_bytes());
        bytes.extend_from_slice(self.issuer.as_bytes());
        bytes.push(context.len() as u8);
        bytes.extend_from_slice(context);
        bytes.extend_from_slice(&(origins.len() as u16).to_be_bytes());
        bytes.extend_from_slice(origins.as_bytes());
        bytes
    }

    /// SHA-256 of the serialised challenge; a token contains it.
    pub fn digest(&self) -> [u8; 32] {
        sha256(&self.to_bytes())
    }
}

/// Splits off UTF-8 text that is preceded by its length in two bytes, big-endian.
fn length_prefixed(bytes: &[u8]) -> Result<(&str, &[u8]), BlindTokenError> {
    let (size, rest) = bytes.split_first_chunk::<2>().ok_or(BlindTokenError::Malformed)?;
    let (text, rest) =
        rest.split_at_checked(u16::from_be_bytes(*size).into()).ok_or(BlindTokenError::Malformed)?;
    Ok((std::str::from_utf8(text).map_err(|_| BlindTokenError::Malformed)?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names_are_such_as_hosts_have() {
        assert!(TokenChallenge::new("issuer.example", None, &["a.example", "b.example:8443"]).is_ok());
        for (issuer, origin) in [("", "a"), ("a", ""), ("a,b", "a"), ("a", "a,b"), ("a b", "a"), ("ä", "a")]
        {
            assert_eq!(
                TokenChallenge::new(issuer, None, &[origin]),
                Err(BlindTokenError::Malformed),
                "{issuer:?} {origin:?}"
            );
        }
        assert!(TokenChallenge::new("a", None, &["a"; 17]).is_err());
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            issuer in "[a-z.]{1,40}", context in any::<Option<[u8; 32]>>(), origins in prop::collection::vec("[a-z.]{1,20}", 0..4)
        ) {
            let origins: Vec<_> = origins.iter().map(String::as_str).collect();
            let challenge = TokenChallenge::new(&issuer, context, &origins).unwrap();
            let bytes = challenge.to_bytes();
            prop_assert_eq!(TokenChallenge::parse(&bytes), Ok(challenge));
            for cut in 0..bytes.len() {
                prop_assert!(TokenChallenge::parse(&bytes[..cut]).is_err());
            }
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(challenge) = TokenChallenge::parse(&bytes) {
                prop_assert_eq!(challenge.to_bytes(), bytes);
            }
        }
    }
}
