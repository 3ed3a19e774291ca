//! Outgoing requests, against a name server and TLS servers on this machine. No test connects to any other machine.

mod answers;
mod certificates;
mod proxies;
mod rebinding;
mod tricks;

use crate::{
    SECRET,
    names::Names,
    receiver::{self, Authority, Receiver},
};
use media::fetch::{EgressPolicy, FetchError, FetchRequest, Fetcher, TrustedRoot};
use std::time::Duration;

/// A name server, a trusted certificate authority, and a policy that uses both and allows nothing more.
struct Site {
    names: Names,
    authority: Authority,
    policy: EgressPolicy,
}

impl Site {
    async fn open() -> Self {
        let names = Names::serve().await;
        let authority = Authority::new();
        let policy = EgressPolicy {
            name_server: Some(names.address()),
            roots: vec![TrustedRoot::Pem(authority.pem())],
            ..EgressPolicy::default()
        };
        Self { names, authority, policy }
    }

    /// A receiver on this machine with a name, and a fetcher that may call that name.
    async fn receiver(&self) -> (Fetcher, Receiver) {
        let name = "receiver.example.com";
        self.names.says(name, &["127.0.0.1"]);
        let receiver = Receiver::listen("127.0.0.1:0", self.authority.certify(&[name])).await;
        (self.allowing(name), receiver)
    }

    fn allowing(&self, name: &str) -> Fetcher {
        Fetcher::new(&EgressPolicy { hosts: vec![name.to_owned()], ..self.policy.clone() }).unwrap()
    }
}

/// A GET with a timeout that is long enough for the slowest machine.
fn get() -> FetchRequest {
    FetchRequest { timeout: Duration::from_mins(2), ..FetchRequest::get(64 << 10) }
}

/// A call that must fail, with an error that does not reveal the address.
async fn fails(fetcher: &Fetcher, address: &str, call: FetchRequest) -> FetchError {
    let error = match fetcher.call(address, call).await {
        Ok(answered) => panic!("{address} was called: {answered:?}"),
        Err(error) => error,
    };
    let told = format!("{error} {error:?}");
    assert!(!told.contains(SECRET), "{address}: {told}");
    error
}
