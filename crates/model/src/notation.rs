//! Steps of a schedule in the numbers of a plan's rules, and back.

use crate::{Action, Rules, Transition, Wire};
use bellwether_core::{FaultEvent, Id, Port};
use bellwether_sim::SetupError;
use bellwether_sim::schedule::{ActionText, Endpoint, Envelope, Instruction};
use std::convert::Infallible;

impl Rules<'_> {
    /// Something that happens, as people write it.
    #[must_use]
    pub fn write(&self, action: Transition) -> String {
        self.instruction(action).to_string()
    }

    /// What people wrote, in these rules' numbers.
    ///
    /// # Errors
    /// What is wrong with it, and what to do.
    pub fn read(&self, text: &str) -> Result<Transition, String> {
        self.action(&text.parse()?)
    }

    /// Something that happens, with members by their ids.
    #[must_use]
    pub fn instruction(&self, action: Transition) -> Instruction {
        let Transition { what, draw, crash_after } = action;
        let deed = match what {
            Action::Member(member, event) => {
                let Ok(event) = event.try_map(|other| Ok::<_, Infallible>(self.id(other.into())));
                ActionText::Member(self.id(member.into()), event)
            }
            Action::Link(wire, place, fate) => ActionText::Link(self.letter(wire, place), fate),
            Action::CallAgain(member) => ActionText::CallAgain(self.id(member.into())),
            Action::Deliver(wire, place) => ActionText::Deliver(self.letter(wire, place)),
            Action::TimeOut(member, number) => ActionText::TimeOut(self.id(member.into()), number),
            Action::Tell(member, port, word) => {
                let (peer, _) = self.plan.topology.peer(member.into(), Port(port.into()));
                let is_only = self.ports_towards(member.into(), peer).count() == 1;
                let port = (!is_only).then_some(Port(port.into()));
                ActionText::Tell(Endpoint { id: self.id(member.into()), port }, self.id(peer), word)
            }
            Action::Tick => ActionText::Tick,
        };
        Instruction { deed, draw, crash_after }
    }

    /// A step in these rules' numbers.
    ///
    /// # Errors
    /// Whom or which wire there is not, and what to do.
    pub fn action(&self, instruction: &Instruction) -> Result<Transition, String> {
        let Instruction { deed, draw, crash_after } = *instruction;
        let member = |id| self.member(id).map(|member| member as u8);
        let what = match deed {
            ActionText::Member(id, event) => {
                event.about().map(member).transpose()?;
                let event = event.try_map(member)?;
                if let FaultEvent::Learn(dead) = event {
                    let wire = self.wires.certificate(dead.into(), self.member(id)?);
                    wire.ok_or_else(|| {
                        format!(
                            "{id} is no neighbour of {}: name two members that are linked",
                            self.id(dead.into())
                        )
                    })?;
                }
                Action::Member(member(id)?, event)
            }
            ActionText::Link(letter, fate) => Action::Link(self.wire(letter)?, letter.place, fate),
            ActionText::CallAgain(id) => Action::CallAgain(member(id)?),
            ActionText::Deliver(letter) => Action::Deliver(self.wire(letter)?, letter.place),
            ActionText::TimeOut(id, number) => Action::TimeOut(member(id)?, number),
            ActionText::Tell(told, of, word) => {
                let ports: Vec<Port> = self.ports_towards(self.member(told.id)?, self.member(of)?).collect();
                Action::Tell(member(told.id)?, one_of(told, &ports, of)?.0 as u8, word)
            }
            ActionText::Tick => Action::Tick,
        };
        Ok(Transition { what, draw, crash_after })
    }

    fn id(&self, member: u32) -> Id {
        self.plan.ranks[member as usize].id()
    }

    fn member(&self, id: Id) -> Result<u32, String> {
        let ranks = &self.plan.ranks;
        let member = ranks.iter().position(|rank| rank.id() == id).map(|member| member as u32);
        member.ok_or_else(|| {
            let ids: Vec<Id> = ranks.iter().map(|rank| rank.id()).collect();
            SetupError::not_a_member(&ids, "member", id).to_string()
        })
    }

    /// The ports of a member at which a neighbour is.
    fn ports_towards(&self, member: u32, neighbour: u32) -> impl Iterator<Item = Port> + '_ {
        let topology = &self.plan.topology;
        (0..topology.ports(member)).map(Port).filter(move |&port| topology.peer(member, port).0 == neighbour)
    }

    /// The wires from one member to another.
    fn wires_between(&self, from: u32, to: u32) -> impl Iterator<Item = (u8, &Wire)> {
        self.wires.iter().filter(move |(_, wire)| wire.from == from && wire.to == to)
    }

    fn letter(&self, wire: u8, place: u8) -> Envelope {
        let Wire { from, port, to, .. } = self.wires.get(wire);
        let is_only = self.wires_between(from, to).count() == 1;
        let from = Endpoint { id: self.id(from), port: (!is_only).then_some(port) };
        Envelope { from, to: self.id(to), place }
    }

    fn wire(&self, letter: Envelope) -> Result<u8, String> {
        let (from, to) = (self.member(letter.from.id)?, self.member(letter.to)?);
        let wires: Vec<(u8, &Wire)> = self.wires_between(from, to).collect();
        let ports: Vec<Port> = wires.iter().map(|(_, wire)| wire.port).collect();
        let port = one_of(letter.from, &ports, letter.to)?;
        // Of one member's wires to another there is one a port.
        Ok(wires.iter().find(|(_, wire)| wire.port == port).map_or(0, |(number, _)| *number))
    }
}

/// The one of the ports towards another member that is meant.
fn one_of(mouth: Endpoint, ports: &[Port], other: Id) -> Result<Port, String> {
    match (ports, mouth.port) {
        ([], _) => {
            Err(format!("nothing leads from {} to {other}: name two members that are linked", mouth.id))
        }
        (_, Some(port)) if ports.contains(&port) => Ok(port),
        ([port], None) => Ok(*port),
        _ => {
            let named = |port: &Port| Endpoint { port: Some(*port), ..mouth }.to_string();
            let names = ports.iter().map(named).collect::<Vec<_>>().join(" or ");
            Err(format!(
                "'{mouth}' does not say which of {}'s ports leads to {other}: write {names}",
                mouth.id
            ))
        }
    }
}
