//! A name server on loopback, over UDP and TCP, whose answers can change from query to query.

use hickory_proto::{
    op::{Message, OpCode, ResponseCode},
    rr::{
        Name, RData, Record, RecordType,
        rdata::{A, AAAA, CNAME},
    },
};
use std::{
    collections::HashMap,
    net::{IpAddr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream, UdpSocket},
};

/// What the server answers for a name.
#[derive(Clone)]
enum Said {
    /// Addresses: the first query gets those of the first turn, and so on; the last turn repeats.
    Addresses { turns: Vec<Vec<IpAddr>>, asked: HashMap<RecordType, usize> },
    /// A CNAME record, with or without the addresses of the canonical name.
    Alias { of: String, with_addresses: bool },
    /// No response.
    Silence,
}

#[derive(Clone)]
pub(crate) struct Names {
    said: Arc<Mutex<HashMap<String, Said>>>,
    address: SocketAddr,
    over_tcp: Arc<AtomicUsize>,
}

impl Names {
    pub(crate) async fn serve() -> Self {
        // Both use one port; the port that TCP was given may be taken for UDP.
        let (tcp, udp) = loop {
            let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
            if let Ok(udp) = UdpSocket::bind(tcp.local_addr().unwrap()).await {
                break (tcp, udp);
            }
        };
        let address = tcp.local_addr().unwrap();
        let names = Self { said: Arc::default(), address, over_tcp: Arc::default() };
        tokio::spawn(names.clone().serve_udp(udp));
        tokio::spawn(names.clone().serve_tcp(tcp));
        names
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The number of queries that came over TCP.
    pub(crate) fn asked_over_tcp(&self) -> usize {
        self.over_tcp.load(Ordering::SeqCst)
    }

    pub(crate) fn says(&self, name: &str, addresses: &[&str]) {
        self.says_in_turn(name, &[addresses]);
    }

    pub(crate) fn says_in_turn(&self, name: &str, turns: &[&[&str]]) {
        let parse = |turn: &&[&str]| turn.iter().map(|text| text.parse().unwrap()).collect();
        let turns = turns.iter().map(parse).collect();
        self.put(name, Said::Addresses { turns, asked: HashMap::new() });
    }

    pub(crate) fn says_alias(&self, name: &str, of: &str, with_addresses: bool) {
        self.put(name, Said::Alias { of: of.to_owned(), with_addresses });
    }

    pub(crate) fn is_silent_about(&self, name: &str) {
        self.put(name, Said::Silence);
    }

    fn put(&self, name: &str, said: Said) {
        self.said.lock().unwrap().insert(name.to_owned(), said);
    }

    #[expect(clippy::disallowed_methods, reason = "a name server answers whoever asked, on loopback")]
    async fn serve_udp(self, socket: UdpSocket) {
        let mut question = [0; 4096];
        loop {
            let (length, asker) = socket.recv_from(&mut question).await.unwrap();
            if let Some(answer) = self.answer(&question[..length], 512) {
                socket.send_to(&answer, asker).await.unwrap();
            }
        }
    }

    async fn serve_tcp(self, listener: TcpListener) {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let names = self.clone();
            tokio::spawn(async move { names.talk(stream).await });
        }
    }

    async fn talk(&self, mut stream: TcpStream) -> std::io::Result<()> {
        loop {
            let mut question = vec![0; stream.read_u16().await?.into()];
            stream.read_exact(&mut question).await?;
            self.over_tcp.fetch_add(1, Ordering::SeqCst);
            if let Some(answer) = self.answer(&question, usize::from(u16::MAX)) {
                stream.write_u16(answer.len().try_into().unwrap()).await?;
                stream.write_all(&answer).await?;
            }
        }
    }

    /// The response to a query; `None` if there is to be none.
    fn answer(&self, question: &[u8], max_bytes: usize) -> Option<Vec<u8>> {
        let question = Message::from_vec(question).unwrap();
        let query = question.queries.first().unwrap().clone();
        if matches!(self.said.lock().unwrap().get(&key(query.name())), Some(Said::Silence)) {
            return None;
        }
        let mut answer = Message::response(question.metadata.id, OpCode::Query);
        answer.metadata.recursion_desired = true;
        answer.metadata.recursion_available = true;
        match self.records(query.name(), query.query_type()) {
            Some(records) => answer.insert_answers(records),
            None => answer.metadata.response_code = ResponseCode::NXDomain,
        }
        answer.add_query(query);
        let bytes = answer.to_vec().unwrap();
        Some(if bytes.len() > max_bytes { answer.truncate().to_vec().unwrap() } else { bytes })
    }

    /// The records of a name; `None` if the name does not exist.
    fn records(&self, name: &Name, kind: RecordType) -> Option<Vec<Record>> {
        let mut said = self.said.lock().unwrap();
        let record = |data| Record::from_rdata(name.clone(), 0, data);
        match said.get_mut(&key(name))? {
            Said::Silence => None,
            Said::Alias { of, with_addresses } => {
                let (of, with_addresses) = (Name::from_ascii(format!("{of}.")).unwrap(), *with_addresses);
                drop(said);
                let mut records = vec![record(RData::CNAME(CNAME(of.clone())))];
                if with_addresses {
                    records.extend(self.records(&of, kind).unwrap_or_default());
                }
                Some(records)
            }
            Said::Addresses { turns, asked } => {
                let turn = asked.entry(kind).or_default();
                let addresses = turns.get(*turn).or(turns.last()).unwrap();
                *turn += 1;
                let data = addresses.iter().filter_map(|address| match (kind, address) {
                    (RecordType::A, IpAddr::V4(v4)) => Some(RData::A(A(*v4))),
                    (RecordType::AAAA, IpAddr::V6(v6)) => Some(RData::AAAA(AAAA(*v6))),
                    _ => None,
                });
                Some(data.map(record).collect())
            }
        }
    }
}

fn key(name: &Name) -> String {
    name.to_lowercase().to_ascii().trim_end_matches('.').to_owned()
}
