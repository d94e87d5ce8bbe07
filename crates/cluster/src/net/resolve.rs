//! Finds out where a name leads, without making the member wait.

use bellwether_core::Id;
use mio::Waker;
use std::net::{SocketAddr, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// What became of a request.
pub struct Resolved {
    /// The peer whose name it is.
    pub peer: Id,
    /// What was asked.
    pub address: String,
    /// Where it leads, or why that is not known.
    pub addresses: Result<Vec<SocketAddr>, String>,
}

/// Asks the system's resolver, one thread a question: a slow answer does not hold up the others. The network asks at
/// most one question a peer at a time.
pub struct Resolver {
    answers: Receiver<Resolved>,
    answer: Sender<Resolved>,
    waker: Arc<Waker>,
}

impl Resolver {
    /// One that wakes the loop with every answer.
    pub fn new(waker: Arc<Waker>) -> Resolver {
        let (answer, answers) = channel();
        Resolver { answers, answer, waker }
    }

    /// Asks. Literal addresses are answered at once, everything else later by [`Resolver::answer`].
    pub fn ask(&self, peer: Id, address: String) {
        if let Ok(literal) = address.parse() {
            let _ = self.answer.send(Resolved { peer, address, addresses: Ok(vec![literal]) });
            return;
        }
        let (answer, waker) = (self.answer.clone(), Arc::clone(&self.waker));
        let name = address.clone();
        let ask = move || {
            crate::os::thread_priority::reset_priority(); // it inherited the priority of the thread that keeps the lease
            let addresses =
                address.to_socket_addrs().map(Iterator::collect).map_err(|error| error.to_string());
            let _ = answer.send(Resolved { peer, address, addresses });
            let _ = waker.wake();
        };
        if let Err(error) = thread::Builder::new().name("resolver".into()).spawn(ask) {
            let _ = self.answer.send(Resolved { peer, address: name, addresses: Err(error.to_string()) });
        }
    }

    /// The next answer, if there is one.
    pub fn answer(&self) -> Option<Resolved> {
        self.answers.try_recv().ok()
    }
}
