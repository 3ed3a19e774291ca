//! Proxies of the environment, which would see every address and could answer anything.

use super::{Site, get};
use std::process::Command;

const HERE: &str = "fetch::proxies::proxies_of_the_environment_are_not_asked";
const CHILD: &str = "ASSAY_TEST_BEHIND_PROXY";

#[tokio::test]
async fn proxies_of_the_environment_are_not_asked() {
    if std::env::var_os(CHILD).is_some() {
        let (fetcher, receiver) = Site::open().await.receiver().await;
        assert_eq!(fetcher.call(&receiver.at("/"), get()).await.unwrap().status, 200);
        return;
    }
    // A process cannot safely change its own environment; so this test runs itself again in another one.
    let mut again = Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", HERE]).env(CHILD, "1");
    for name in ["HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY", "http_proxy"] {
        again.env(name, "http://127.0.0.1:9");
    }
    let said = again.env_remove("NO_PROXY").env_remove("no_proxy").output().unwrap();
    let text = String::from_utf8_lossy(&said.stdout);
    assert!(said.status.success() && text.contains("1 passed"), "{text}");
}
