//! Opening the socket that the server listens on.

use anyhow::Context as _;
use std::{io, net::SocketAddr, time::Duration};
use tokio::{net::TcpListener, time::Instant};

/// How long an address may still be in use by a process that is going. A server that is killed while it starts a child
/// leaves its socket to that child until the child has become another program.
const PREDECESSOR_GRACE: Duration = Duration::from_secs(2);
const RETRY_INTERVAL: Duration = Duration::from_millis(50);

/// Listens on an address. One that stays in use for two seconds, or that is none of this machine's, is an error.
pub(in crate::serve) async fn bind(address: SocketAddr) -> anyhow::Result<TcpListener> {
    let deadline = Instant::now() + PREDECESSOR_GRACE;
    let opened = loop {
        match TcpListener::bind(address).await {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && Instant::now() < deadline => {
                tokio::time::sleep(RETRY_INTERVAL).await;
            }
            opened => break opened,
        }
    };
    opened.with_context(|| format!("cannot listen on {address}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_address_that_is_given_up_in_time_is_taken_over() {
        let predecessor = bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = predecessor.local_addr().unwrap();
        let going = tokio::spawn(async move {
            tokio::time::sleep(RETRY_INTERVAL * 3).await;
            drop(predecessor);
        });
        assert_eq!(bind(address).await.unwrap().local_addr().unwrap(), address);
        going.await.unwrap();
    }

    #[tokio::test]
    async fn an_address_that_stays_in_use_is_an_error() {
        let other = bind("127.0.0.1:0".parse().unwrap()).await.unwrap();
        let address = other.local_addr().unwrap();
        let error = bind(address).await.unwrap_err();
        assert_eq!(error.to_string(), format!("cannot listen on {address}"));
    }
}
