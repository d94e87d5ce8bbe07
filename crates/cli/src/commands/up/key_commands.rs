//! Commands of the user: what each key does to a member. `up` itself uses some of them, as `--kill-leader-every` does.

use super::child_process::{ChildProcess, MemberStart};
use super::cluster_view::{Condition, MemberView};
use super::run::Run;
use super::run_event::Action;
use crate::error::Failure;
use bellwether::Id;
use rustix::process::Signal;
use std::collections::BTreeSet;
use std::time::{Duration, Instant};

/// A command of the user, each with a key of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyCommand {
    /// Kill this member.
    Kill(Id),
    /// Freeze it.
    Pause(Id),
    /// Let it go on.
    Continue(Id),
    /// Cut it off from all others.
    Cut(Id),
    /// Connect it again.
    Heal(Id),
    /// Start it again.
    Restart(Id),
    /// Ask the leader to hand over to it.
    Transfer(Id),
    /// Ask the leader to resign.
    Resign,
    /// End everything.
    Quit,
}

impl Run<'_> {
    /// Carries out a command of the user.
    pub(super) fn carry_out(&mut self, command: KeyCommand) -> Result<(), Failure> {
        self.history.disturbed(self.now_us()); // before anything can follow from it
        match command {
            KeyCommand::Quit => self.is_over = true,
            KeyCommand::Kill(id) => self.kill(id)?,
            KeyCommand::Pause(id) => {
                if self.condition(id) == Condition::Running && self.signal(id, Signal::STOP) {
                    self.view_of(id).condition = Condition::Paused;
                    self.history.falls_silent(id);
                    self.tell(Some(id), Action::Paused)?;
                }
            }
            KeyCommand::Continue(id) => {
                if self.condition(id) == Condition::Paused && self.signal(id, Signal::CONT) {
                    self.view_of(id).condition = Condition::Running;
                    self.tell(Some(id), Action::Continued)?;
                }
            }
            KeyCommand::Cut(id) => {
                let others: Vec<String> =
                    self.cluster.keys().filter(|&&other| other != id).map(ToString::to_string).collect();
                if self.is_alive(id) && !others.is_empty() {
                    self.send_order(id, &format!("cut {}", others.join(",")));
                    self.view_of(id).is_cut = true;
                    self.history.falls_silent(id);
                    self.tell(Some(id), Action::Cut)?;
                }
            }
            KeyCommand::Heal(id) => {
                if self.is_alive(id) {
                    self.send_order(id, "heal");
                    self.view_of(id).is_cut = false;
                    self.tell(Some(id), Action::Healed)?;
                }
            }
            KeyCommand::Restart(id) => {
                if self.condition(id) == Condition::Dead {
                    self.bring_up(id)?;
                    self.tell(Some(id), Action::Restarted)?;
                }
            }
            KeyCommand::Transfer(to) => {
                if let Some((leader, _)) = self.leader().filter(|&(leader, _)| leader != to) {
                    self.send_order(leader, &format!("transfer {to}"));
                    self.tell(Some(leader), Action::AskedToHandOver { to })?;
                }
            }
            KeyCommand::Resign => {
                if let Some((leader, _)) = self.leader() {
                    self.send_order(leader, "resign");
                    self.tell(Some(leader), Action::AskedToResign)?;
                }
            }
        }
        Ok(())
    }

    fn kill(&mut self, id: Id) -> Result<(), Failure> {
        let now_us = self.now_us(); // before it happens: the next leader leads after this
        let led_in = self.cluster.get(&id).and_then(|view| view.leads_in(now_us));
        if !self.signal(id, Signal::KILL) {
            return Ok(());
        }
        let survives = |(&other, view): (&Id, &MemberView)| {
            (other != id && view.is_running() && !view.is_cut).then_some(other)
        };
        let survivors: BTreeSet<Id> = self.cluster.iter().filter_map(survives).collect();
        self.history.killed(id, led_in, survivors, now_us);
        self.tell(Some(id), Action::Killed)?;
        self.view_of(id).die();
        Ok(())
    }

    /// Kills the leader, if the last failover is over and enough members are left. Returns whether it did.
    pub(super) fn kill_leader(&mut self, absence: Duration) -> Result<bool, Failure> {
        let running = self.cluster.values().filter(|view| view.is_running()).count();
        let would_be_enough = (running - running.min(1)) * 2 > self.cluster.len() || self.cluster.len() <= 2;
        let Some((leader, _)) = self.leader().filter(|_| would_be_enough && !self.history.is_failing_over())
        else {
            return Ok(false);
        };
        self.carry_out(KeyCommand::Kill(leader))?;
        self.comebacks.push((Instant::now() + absence, leader));
        Ok(true)
    }

    pub(super) fn bring_back(&mut self) -> Result<(), Failure> {
        let now = Instant::now();
        let (due, later) = std::mem::take(&mut self.comebacks).into_iter().partition(|&(at, _)| at <= now);
        self.comebacks = later;
        let due: Vec<(Instant, Id)> = due;
        due.into_iter().try_for_each(|(_, id)| self.carry_out(KeyCommand::Restart(id)))
    }

    pub(super) fn bring_up(&mut self, id: Id) -> Result<(), Failure> {
        self.children.remove(&id); // its supervisor may still be announcing its last death
        self.starts += 1;
        let start = MemberStart { id, number: self.starts };
        let child = ChildProcess::start(start, &self.directory.settings(id), &self.sender)
            .map_err(|error| Failure::System(format!("cannot start member {id}: {error}")))?;
        self.children.insert(id, child);
        self.could_not_start.insert(id);
        *self.view_of(id) = MemberView::default();
        Ok(())
    }
}
