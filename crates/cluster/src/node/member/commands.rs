//! Commands that a member gets from its own process.

use super::{Fault, Member};
use crate::net::{Outgoing, Traffic};
use crate::status::publisher::LeaderEpoch;
use bellwether_core::{Id, Port, Request};
use std::sync::mpsc::TryRecvError;
use tokio::sync::oneshot;

/// What the rest of the process asks of a member.
#[derive(Debug)]
pub(crate) enum Command {
    /// Something for the algorithm; if an epoch is named, only while that lasts.
    Request(Request, Option<LeaderEpoch>),
    /// The campaigns and leaderships in this process have changed: read the count of candidates.
    Candidates,
    /// The application has taken over, in this epoch.
    Ready(LeaderEpoch),
    /// A member has moved.
    Address(Id, String),
    /// Cut the links with these peers, and no others.
    #[cfg(feature = "faults")]
    CutLinks(std::collections::BTreeSet<Id>),
    /// Say what has been counted.
    Traffic(oneshot::Sender<Traffic>),
    /// Give up leading, say farewell, and end.
    Stop,
}

impl Member {
    pub(super) fn obey(&mut self) -> Result<(), Fault> {
        loop {
            let command = match self.commands.try_recv() {
                Ok(command) => command,
                Err(TryRecvError::Empty) => return Ok(()),
                Err(TryRecvError::Disconnected) => Command::Stop, // no handle is left that could send a command
            };
            match command {
                Command::Request(request, only_in) => self.ask(request, only_in),
                Command::Candidates => self.reconsider(),
                Command::Ready(epoch) if self.state.epoch == Some(epoch) => {
                    self.state.is_ready = true;
                    for port in (0..self.around.my_ports()).map(Port) {
                        self.network.send(self.around.behind(port).0, Outgoing::Ready(epoch.term));
                    }
                    self.publisher.show_ready(self.clock.now(), self.me, epoch.term);
                }
                Command::Ready(_) => {}
                Command::Address(id, address) => self.network.set_address(id, address),
                #[cfg(feature = "faults")]
                Command::CutLinks(peers) => self.network.cut_links(peers),
                Command::Traffic(answer) => drop(answer.send(self.network.traffic())),
                Command::Stop => {
                    self.state.is_stopping = true;
                    return Ok(());
                }
            }
        }
    }

    /// Stands, or does not, as is wanted now.
    pub(super) fn reconsider(&mut self) {
        if !self.stands {
            let is_wanted = self.candidates.want(self.state.epoch);
            self.state.candidacy = Some(if is_wanted { Request::Stand } else { Request::Withdraw });
        }
    }

    pub(super) fn ask(&mut self, request: Request, only_in: Option<LeaderEpoch>) {
        match request {
            Request::Stand | Request::Withdraw => {
                self.stands |= request == Request::Stand; // until a request says otherwise, with or without campaigns
                self.state.candidacy = Some(request);
            }
            _ if only_in.is_some() && only_in != self.state.epoch => {} // that is over
            _ if self.state.requests.contains(&(request, only_in)) => {}
            _ => self.state.requests.push_back((request, only_in)),
        }
    }
}
