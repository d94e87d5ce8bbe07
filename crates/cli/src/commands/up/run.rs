//! A run: the one loop in which everything happens, in the main thread.

use super::deeds::{Deed, Happening, What};
use super::home::Home;
use super::keeper::{Keeper, Life, Notice};
use super::record::Record;
use super::standing::{Condition, Standing};
use super::tale;
use super::terminal::View;
use super::vigil::Vigil;
use crate::args::{OutcomeFormat, UpArgs, word};
use crate::choice::Choice;
use crate::error::{Failure, Verdict};
use crate::look::can_be_drawn;
use crate::output;
use crate::promise::promise;
use bellwether::process::{Line, What as Said};
use bellwether::{Clock, Event, Id, detector_of};
use rustix::process::Signal;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// So many notices can wait to be taken.
const BACKLOG: usize = 4_096;
/// A killed leader is started again after so long, or after a quarter of the time between kills.
const LONGEST_ABSENCE: Duration = Duration::from_secs(1);
/// So long it is waited at the end for somebody to lead, if a majority lives.
const GRACE: Duration = Duration::from_secs(5);
/// So long members have to stop when they are told to; then they are killed.
const LONGEST_GOODBYE: Duration = Duration::from_secs(3);

/// A cluster at work. Dropping it ends everything that it started.
pub struct Run<'a> {
    args: &'a UpArgs,
    choice: Choice,
    /// The members' processes. Dropped before the home that they live in.
    keepers: BTreeMap<Id, Keeper>,
    home: Home,
    clock: Clock,
    began_us: u64,
    /// Where each member stands.
    standings: BTreeMap<Id, Standing>,
    lives: u64,
    /// Those whose process has not said that it has started, in its last life.
    could_not_start: BTreeSet<Id>,
    /// Those that have said that they cannot go on, and why.
    gave_up: BTreeSet<Id>,
    record: Record,
    /// When somebody led, or nobody could.
    led_at: Instant,
    /// Who is started again, and when.
    comebacks: Vec<(Instant, Id)>,
    sender: SyncSender<Notice>,
    notices: Receiver<Notice>,
    told: Telling,
    vigil: Arc<Vigil>,
    /// The user, or a signal, has asked for the end.
    is_over: bool,
}

/// To whom it is told what happens.
enum Telling {
    Text,
    Json,
    View(Box<View>),
}

impl<'a> Run<'a> {
    /// Starts everything.
    pub fn start(args: &'a UpArgs, choice: Choice) -> Result<Run<'a>, Failure> {
        let ids = (1..=args.members).map(Id::new).collect::<Result<Vec<Id>, _>>().map_err(Failure::input)?;
        let (sender, notices) = sync_channel(BACKLOG);
        let vigil = Vigil::begin(sender.clone())?; // before there is anything to be left behind
        let home = Home::furnish(args, choice, &ids)?;
        let clock = Clock::new();
        let promise = promise(choice.spec, args.members);
        let delay_bound = bellwether::Profile::from(args.profile).delay_bound;
        let detector = detector_of(choice.spec, args.detector.as_deref(), delay_bound);
        let detector = detector.as_deref();
        let told = match args.format {
            Some(OutcomeFormat::Json) => Telling::Json,
            None if can_be_drawn() => Telling::View(Box::new(View::open(
                headline(args, choice, detector, &promise),
                ids[0],
                sender.clone(),
            )?)),
            _ => Telling::Text,
        };
        let mut run = Run {
            args,
            choice,
            keepers: BTreeMap::new(),
            home,
            began_us: clock.boot_micros(clock.now()),
            clock,
            standings: ids.iter().map(|&id| (id, Standing::default())).collect(),
            lives: 0,
            could_not_start: BTreeSet::new(),
            gave_up: BTreeSet::new(),
            record: Record::default(),
            led_at: Instant::now(),
            comebacks: Vec::new(),
            sender,
            notices,
            told,
            vigil,
            is_over: false,
        };
        let (algorithm, profile) = (choice.label(), word(args.profile));
        let detector = detector.map(ToOwned::to_owned);
        run.tell(None, Deed::Up { members: args.members, algorithm, detector, profile, promise })?;
        ids.iter().try_for_each(|&id| run.bring_up(id))?;
        Ok(run)
    }

    /// Runs it until its time is over, or until it is told to end; then stops everything, and sums up.
    pub fn go_on_to_the_end(mut self) -> Result<Verdict, Failure> {
        let began = Instant::now();
        let end = self.args.lasts.map(|lasts| began + lasts);
        let mut next_kill = self.args.kill_leader_every.map(|every| began + every);
        while !self.is_over && end.is_none_or(|end| Instant::now() < end) && !self.has_died_out() {
            if let (Some(at), Some(every)) = (next_kill, self.args.kill_leader_every)
                && at <= Instant::now()
                && self.kill_leader(every.div_f64(4.0).min(LONGEST_ABSENCE))?
            {
                next_kill = Some(Instant::now() + every);
            }
            self.bring_back()?;
            let comeback = self.comebacks.iter().map(|&(at, _)| at).min();
            // A kill that is overdue waits for somebody to lead, which is a notice.
            let kill = next_kill.filter(|&at| at > Instant::now());
            self.attend([end, kill, comeback].into_iter().flatten().min())?;
        }
        let grace = Instant::now() + GRACE;
        while !self.is_over && self.is_unsettled() && Instant::now() < grace {
            self.bring_back()?;
            self.attend(Some(grace.min(Instant::now() + Duration::from_millis(20))))?;
        }
        // Whoever is told to end at any moment may have had no time to elect.
        let has_no_time = self.is_over && self.led_at.elapsed() < GRACE;
        let is_led = self.leader().is_some() && !self.record.is_failing_over();
        let is_live = is_led || !self.has_majority() || has_no_time;
        let is_starting = |id: &Id| self.condition(*id) != Condition::Dead;
        let could_not_start: Vec<Id> =
            self.could_not_start.iter().copied().filter(|id| !is_starting(id)).collect();
        self.stop()?;
        if could_not_start.len() == self.standings.len() {
            return Err(Failure::System("no member could start: what they said tells why".to_owned()));
        }
        let summary = self.record.summary(self.args.members, self.choice.label(), self.choice.spec);
        let verdict = summary.verdict(self.choice.spec);
        if let Telling::View(_) = self.told {
            self.told = Telling::Text; // gives the terminal back; the summary stays on it
        }
        self.tell(None, Deed::Summary(summary))?;
        let verdict = if is_live { verdict } else { verdict.max(Verdict::NotLive) };
        if verdict > Verdict::Incomplete {
            return Ok(verdict);
        }
        let gave_up: Vec<Id> = self.gave_up.iter().copied().collect();
        for (members, what) in [(could_not_start, "could not start"), (gave_up, "ended unasked")] {
            if !members.is_empty() {
                return Err(Failure::System(format!(
                    "{} {what}: what {} said tells why",
                    super::kept::members(&members),
                    if members.len() == 1 { "it" } else { "they" },
                )));
            }
        }
        Ok(verdict)
    }

    /// Waits for notices until then, at the most, and takes what there is.
    fn attend(&mut self, until: Option<Instant>) -> Result<(), Failure> {
        self.vigil.moves();
        let now_us = self.now_us();
        let redraw = match &mut self.told {
            Telling::View(view) => view.draw(&self.standings, now_us, self.began_us)?,
            _ => None,
        };
        let wait = [until, redraw].into_iter().flatten().min();
        let wait = wait.map_or(Duration::from_secs(60), |at| at.saturating_duration_since(Instant::now()));
        if let Ok(first) = self.notices.recv_timeout(wait) {
            self.take(first)?;
            while let Ok(notice) = self.notices.try_recv() {
                self.take(notice)?;
            }
        }
        self.is_over |= self.vigil.is_to_end();
        if self.leader().is_some() || !self.has_majority() {
            self.led_at = Instant::now();
        }
        Ok(())
    }

    fn take(&mut self, notice: Notice) -> Result<(), Failure> {
        match notice {
            Notice::Said(life, line) => self.hear(life, line)?,
            Notice::Complained(id, text) => match &mut self.told {
                Telling::View(view) => view.log(format!("member {id}: {text}")),
                _ => drop(writeln!(std::io::stderr(), "member {id}: {text}")), // or nobody wants to know
            },
            Notice::Dead(life) | Notice::Gone(life) => {
                let is_current = self.keepers.get(&life.id).is_some_and(|keeper| keeper.life == life);
                if is_current && self.condition(life.id) != Condition::Dead {
                    let now_us = self.now_us();
                    self.record.died(life.id, now_us);
                    self.standing(life.id).die();
                    self.tell(Some(life.id), Deed::Ended)?;
                }
            }
            Notice::Terminal(event) => {
                let order = match &mut self.told {
                    Telling::View(view) => view.press(&event, &self.standings),
                    _ => None,
                };
                if let Some(order) = order {
                    self.obey(order)?;
                }
            }
            Notice::End => {} // this wakes up, and nothing more
        }
        self.vigil.moves();
        Ok(())
    }

    fn hear(&mut self, life: Life, line: Line) -> Result<(), Failure> {
        let Line { at_us, member, what } = line;
        match &what {
            Said::Lease { leads_in, until_us } => self.record.holds(member, *leads_in, at_us, *until_us),
            Said::Event(Event::Elected { leader, term }) => self.record.named(member, *leader, *term, at_us),
            Said::Event(event @ (Event::Lost { .. } | Event::Stopped { .. })) => {
                if matches!(event, Event::Stopped { why: Some(_) }) {
                    self.gave_up.insert(member);
                }
                self.record.ends(member, at_us);
            }
            Said::Event(Event::Missed { count }) => self.record.missed(*count),
            Said::Event(Event::Died { peer }) => {
                // What is said of the life before does not end this one.
                if self.keepers.get(peer).is_some_and(Keeper::is_dead) {
                    self.record.died(*peer, at_us);
                }
            }
            Said::Event(Event::Started { pid, .. }) => {
                self.could_not_start.remove(&member);
                self.record.started(member, at_us);
                if let Some(keeper) = self.keepers.get_mut(&member).filter(|keeper| keeper.life == life) {
                    // If it is dead already, its end is told when nothing more comes of it. If it is not what it says,
                    // nothing is ever done to it; all of it ends with its supervisor.
                    let _ = keeper.hold(*pid);
                }
            }
            Said::Event(_) | Said::Shown { .. } => {}
        }
        let is_current = self.keepers.get(&member).is_some_and(|keeper| keeper.life == life);
        let has_died = self.condition(member) == Condition::Dead;
        if is_current && !has_died {
            self.standing(member).hear(at_us, &what);
        }
        match what {
            Said::Event(event) => {
                self.announce(Happening { at_us, member: Some(member), what: What::Event(event) })
            }
            _ => Ok(()),
        }
    }

    /// Does what the user asks for.
    fn obey(&mut self, order: Order) -> Result<(), Failure> {
        self.record.disturbed(self.now_us()); // before anything can come of it
        match order {
            Order::Quit => self.is_over = true,
            Order::Kill(id) => self.kill(id)?,
            Order::Pause(id) => {
                if self.condition(id) == Condition::Running && self.signal(id, Signal::STOP) {
                    self.standing(id).condition = Condition::Paused;
                    self.record.falls_silent(id);
                    self.tell(Some(id), Deed::Paused)?;
                }
            }
            Order::Continue(id) => {
                if self.condition(id) == Condition::Paused && self.signal(id, Signal::CONT) {
                    self.standing(id).condition = Condition::Running;
                    self.tell(Some(id), Deed::Continued)?;
                }
            }
            Order::Cut(id) => {
                let others: Vec<String> =
                    self.standings.keys().filter(|&&other| other != id).map(ToString::to_string).collect();
                if self.is_alive(id) && !others.is_empty() {
                    self.order(id, &format!("cut {}", others.join(",")));
                    self.standing(id).is_cut = true;
                    self.record.falls_silent(id);
                    self.tell(Some(id), Deed::Cut)?;
                }
            }
            Order::Heal(id) => {
                if self.is_alive(id) {
                    self.order(id, "heal");
                    self.standing(id).is_cut = false;
                    self.tell(Some(id), Deed::Healed)?;
                }
            }
            Order::Restart(id) => {
                if self.condition(id) == Condition::Dead {
                    self.bring_up(id)?;
                    self.tell(Some(id), Deed::Restarted)?;
                }
            }
            Order::Transfer(to) => {
                if let Some((leader, _)) = self.leader().filter(|&(leader, _)| leader != to) {
                    self.order(leader, &format!("transfer {to}"));
                    self.tell(Some(leader), Deed::AskedToHandOver { to })?;
                }
            }
            Order::Resign => {
                if let Some((leader, _)) = self.leader() {
                    self.order(leader, "resign");
                    self.tell(Some(leader), Deed::AskedToResign)?;
                }
            }
        }
        Ok(())
    }

    fn kill(&mut self, id: Id) -> Result<(), Failure> {
        let now_us = self.now_us(); // before it happens: whoever leads next does so after
        let led_in = self.standings.get(&id).and_then(|standing| standing.leads_in(now_us));
        if !self.signal(id, Signal::KILL) {
            return Ok(());
        }
        let survives = |(&other, standing): (&Id, &Standing)| {
            (other != id && standing.is_running() && !standing.is_cut).then_some(other)
        };
        let survivors: BTreeSet<Id> = self.standings.iter().filter_map(survives).collect();
        self.record.killed(id, led_in, survivors, now_us);
        self.tell(Some(id), Deed::Killed)?;
        self.standing(id).die();
        Ok(())
    }

    /// Kills whoever leads, if everybody else has settled and enough are left; whether it did.
    fn kill_leader(&mut self, absence: Duration) -> Result<bool, Failure> {
        let running = self.standings.values().filter(|standing| standing.is_running()).count();
        let would_be_enough =
            (running - running.min(1)) * 2 > self.standings.len() || self.standings.len() <= 2;
        let Some((leader, _)) = self.leader().filter(|_| would_be_enough && !self.record.is_failing_over())
        else {
            return Ok(false);
        };
        self.obey(Order::Kill(leader))?;
        self.comebacks.push((Instant::now() + absence, leader));
        Ok(true)
    }

    fn bring_back(&mut self) -> Result<(), Failure> {
        let now = Instant::now();
        let (due, later) = std::mem::take(&mut self.comebacks).into_iter().partition(|&(at, _)| at <= now);
        self.comebacks = later;
        let due: Vec<(Instant, Id)> = due;
        due.into_iter().try_for_each(|(_, id)| self.obey(Order::Restart(id)))
    }

    fn bring_up(&mut self, id: Id) -> Result<(), Failure> {
        self.keepers.remove(&id); // its supervisor may still be telling of its last death
        self.lives += 1;
        let life = Life { id, number: self.lives };
        let keeper = Keeper::start(life, &self.home.settings(id), &self.sender)
            .map_err(|error| Failure::System(format!("cannot start member {id}: {error}")))?;
        self.keepers.insert(id, keeper);
        self.could_not_start.insert(id);
        *self.standing(id) = Standing::default();
        Ok(())
    }

    /// Members are told to stop, and killed if they do not.
    fn stop(&mut self) -> Result<(), Failure> {
        self.is_over = true;
        self.comebacks.clear(); // nobody is started again
        self.record.close(self.now_us());
        for keeper in self.keepers.values_mut() {
            keeper.signal(Signal::CONT);
            keeper.order("stop");
        }
        let limit = Instant::now() + LONGEST_GOODBYE;
        while !self.has_died_out() && Instant::now() < limit {
            self.attend(Some(limit))?;
        }
        self.keepers.clear();
        while let Ok(notice) = self.notices.recv_timeout(Duration::from_millis(20)) {
            self.take(notice)?;
        }
        Ok(())
    }

    /// Who leads, and in which term: the one in the latest, if several say so.
    fn leader(&self) -> Option<(Id, u64)> {
        let now_us = self.now_us();
        let leaders = self.standings.iter().filter(|(_, standing)| standing.is_running());
        let leaders = leaders.filter_map(|(&id, standing)| Some((id, standing.leads_in(now_us)?)));
        leaders.max_by_key(|&(id, term)| (term, id))
    }

    fn has_majority(&self) -> bool {
        let living = self.standings.values().filter(|standing| {
            matches!(standing.condition, Condition::Starting | Condition::Running) && !standing.is_cut
        });
        living.count() * 2 > self.standings.len()
    }

    /// Somebody is still to start or to be started again, or somebody to lead.
    fn is_unsettled(&self) -> bool {
        !self.comebacks.is_empty()
            || self.standings.values().any(|standing| standing.condition == Condition::Starting)
            || self.has_majority() && (self.leader().is_none() || self.record.is_failing_over())
    }

    /// Nobody lives, and nobody is to be started again. On a terminal the user may do that yet.
    fn has_died_out(&self) -> bool {
        let can_go_on = matches!(self.told, Telling::View(_)) && !self.is_over;
        !can_go_on
            && self.comebacks.is_empty()
            && self.standings.values().all(|standing| standing.condition == Condition::Dead)
    }

    fn is_alive(&self, id: Id) -> bool {
        matches!(self.condition(id), Condition::Running | Condition::Paused)
    }

    fn condition(&self, id: Id) -> Condition {
        self.standings.get(&id).map_or(Condition::Dead, |standing| standing.condition)
    }

    fn standing(&mut self, id: Id) -> &mut Standing {
        self.standings.entry(id).or_default()
    }

    fn order(&mut self, id: Id, order: &str) {
        if let Some(keeper) = self.keepers.get_mut(&id) {
            keeper.order(order);
        }
    }

    fn signal(&self, id: Id, signal: Signal) -> bool {
        self.keepers.get(&id).is_some_and(|keeper| keeper.signal(signal))
    }

    fn now_us(&self) -> u64 {
        self.clock.boot_micros(self.clock.now())
    }

    fn tell(&mut self, member: Option<Id>, deed: Deed) -> Result<(), Failure> {
        self.announce(Happening { at_us: self.now_us(), member, what: What::Deed(deed) })
    }

    fn announce(&mut self, happening: Happening) -> Result<(), Failure> {
        let text = match &mut self.told {
            Telling::View(view) => {
                view.log(tale::as_text(&happening, self.began_us));
                return Ok(());
            }
            Telling::Text => tale::as_text(&happening, self.began_us),
            Telling::Json => {
                let standing = happening.member.and_then(|member| self.standings.get(&member));
                tale::as_json(&happening, self.began_us, standing)?
            }
        };
        output::print(format!("{text}\n").as_bytes())
    }
}

/// What the user can ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
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
    /// Let it lead.
    Transfer(Id),
    /// Let whoever leads do so no longer.
    Resign,
    /// End everything.
    Quit,
}

fn headline(args: &UpArgs, choice: Choice, detector: Option<&str>, promise: &str) -> String {
    let with_detector = tale::with_detector(detector);
    format!("{}{with_detector} ({}): {promise}", choice.label(), word(args.profile))
}
