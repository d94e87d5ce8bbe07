//! A run: the one loop that handles everything, in the main thread.

use super::child_process::{ChildProcess, MemberStart, Notice};
use super::cluster_view::{ClusterView, Condition, MemberView};
use super::history::History;
use super::run_directory::RunDirectory;
use super::run_event::{Action, EventKind, RunEvent};
use super::terminal::View;
use super::watchdog::Watchdog;
use super::{event_text, json};
use crate::args::{OutcomeFormat, UpArgs, word};
use crate::choice::Choice;
use crate::error::{ExitStatus, Failure};
use crate::look::can_be_drawn;
use crate::output;
use bellwether::process::{Report, ReportKind};
use bellwether::{Clock, Event, Id, detector_of, guarantees};
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
/// How long the run waits at the end for a leader, if a majority lives.
const GRACE: Duration = Duration::from_secs(5);
/// So long members have to stop when they are told to; then they are killed.
const LONGEST_GOODBYE: Duration = Duration::from_secs(3);

/// A cluster at work. Dropping it ends everything that it started.
pub struct Run<'a> {
    args: &'a UpArgs,
    choice: Choice,
    /// The members' processes. Dropped before the directory that they live in.
    pub(super) children: BTreeMap<Id, ChildProcess>,
    pub(super) directory: RunDirectory,
    clock: Clock,
    began_us: u64,
    /// What is known of each member.
    pub(super) cluster: ClusterView,
    pub(super) starts: u64,
    /// The members whose process has not reported that it is up, since its last start.
    pub(super) could_not_start: BTreeSet<Id>,
    /// Those that have said that they cannot go on, and why.
    gave_up: BTreeSet<Id>,
    pub(super) history: History,
    /// When a member last led, or no member could.
    led_at: Instant,
    /// Who is started again, and when.
    pub(super) comebacks: Vec<(Instant, Id)>,
    pub(super) sender: SyncSender<Notice>,
    notices: Receiver<Notice>,
    output: Output,
    watchdog: Arc<Watchdog>,
    /// The user, or a signal, has asked for the end.
    pub(super) is_over: bool,
}

/// How events are printed.
enum Output {
    Text,
    Json,
    View(Box<View>),
}

impl<'a> Run<'a> {
    /// Starts everything.
    pub fn start(args: &'a UpArgs, choice: Choice) -> Result<Run<'a>, Failure> {
        let ids = (1..=args.members).map(Id::new).collect::<Result<Vec<Id>, _>>().map_err(Failure::input)?;
        let (sender, notices) = sync_channel(BACKLOG);
        let watchdog = Watchdog::start(sender.clone())?; // before there is anything to be left behind
        let directory = RunDirectory::prepare(args, &ids)?;
        let clock = Clock::new();
        let promise = guarantees::describe(choice.spec, args.members);
        let delay_bound = bellwether::Profile::from(args.profile).delay_bound;
        let detector = detector_of(choice.spec, args.detector.as_deref(), delay_bound);
        let detector = detector.as_deref();
        let output = match args.format {
            Some(OutcomeFormat::Json) => Output::Json,
            None if can_be_drawn() => Output::View(Box::new(View::open(
                headline(args, choice, detector, &promise),
                ids[0],
                sender.clone(),
            )?)),
            _ => Output::Text,
        };
        let mut run = Run {
            args,
            choice,
            children: BTreeMap::new(),
            directory,
            began_us: clock.boot_micros(clock.now()),
            clock,
            cluster: ids.iter().map(|&id| (id, MemberView::default())).collect(),
            starts: 0,
            could_not_start: BTreeSet::new(),
            gave_up: BTreeSet::new(),
            history: History::default(),
            led_at: Instant::now(),
            comebacks: Vec::new(),
            sender,
            notices,
            output,
            watchdog,
            is_over: false,
        };
        let (algorithm, profile) = (choice.label(), word(args.profile));
        let detector = detector.map(ToOwned::to_owned);
        run.tell(None, Action::Up { members: args.members, algorithm, detector, profile, promise })?;
        ids.iter().try_for_each(|&id| run.bring_up(id))?;
        Ok(run)
    }

    /// Runs until the time is over, or a user or signal ends it; then stops everything, and sums up.
    pub fn go_on_to_the_end(mut self) -> Result<ExitStatus, Failure> {
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
            // A kill that is overdue waits for a leader, which is a notice.
            let kill = next_kill.filter(|&at| at > Instant::now());
            self.attend([end, kill, comeback].into_iter().flatten().min())?;
        }
        let grace = Instant::now() + GRACE;
        while !self.is_over && self.is_unsettled() && Instant::now() < grace {
            self.bring_back()?;
            self.attend(Some(grace.min(Instant::now() + Duration::from_millis(20))))?;
        }
        // A run that a user or a signal ends may have had no time to elect.
        let has_no_time = self.is_over && self.led_at.elapsed() < GRACE;
        let is_led = self.leader().is_some() && !self.history.is_failing_over();
        let is_live = is_led || !self.has_majority() || has_no_time;
        let is_starting = |id: &Id| self.condition(*id) != Condition::Dead;
        let could_not_start: Vec<Id> =
            self.could_not_start.iter().copied().filter(|id| !is_starting(id)).collect();
        self.stop()?;
        if could_not_start.len() == self.cluster.len() {
            return Err(Failure::System("no member could start: what they said tells why".to_owned()));
        }
        let summary = self.history.summary(self.args.members, self.choice.label(), self.choice.spec);
        let verdict = summary.verdict(self.choice.spec);
        if let Output::View(_) = self.output {
            self.output = Output::Text; // gives the terminal back; the summary stays on it
        }
        self.tell(None, Action::Summary(summary))?;
        let verdict = if is_live { verdict } else { verdict.max(ExitStatus::NotLive) };
        if verdict > ExitStatus::Incomplete {
            return Ok(verdict);
        }
        let gave_up: Vec<Id> = self.gave_up.iter().copied().collect();
        for (members, what) in [(could_not_start, "could not start"), (gave_up, "ended unasked")] {
            if !members.is_empty() {
                return Err(Failure::System(format!(
                    "{} {what}: what {} said tells why",
                    super::earlier_run::members(&members),
                    if members.len() == 1 { "it" } else { "they" },
                )));
            }
        }
        Ok(verdict)
    }

    /// Waits for notices until then, at the most, and takes what there is.
    fn attend(&mut self, until: Option<Instant>) -> Result<(), Failure> {
        self.watchdog.feed();
        let now_us = self.now_us();
        let redraw = match &mut self.output {
            Output::View(view) => view.draw(&self.cluster, now_us, self.began_us)?,
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
        self.is_over |= self.watchdog.is_to_end();
        if self.leader().is_some() || !self.has_majority() {
            self.led_at = Instant::now();
        }
        Ok(())
    }

    fn take(&mut self, notice: Notice) -> Result<(), Failure> {
        match notice {
            Notice::Reported(start, line) => self.hear(start, line)?,
            Notice::Complained(id, text) => match &mut self.output {
                Output::View(view) => view.log(format!("member {id}: {text}")),
                _ => drop(writeln!(std::io::stderr(), "member {id}: {text}")), // or nobody wants to know
            },
            Notice::Dead(start) | Notice::Gone(start) => {
                let is_current = self.children.get(&start.id).is_some_and(|child| child.start == start);
                if is_current && self.condition(start.id) != Condition::Dead {
                    let now_us = self.now_us();
                    self.history.died(start.id, now_us);
                    self.view_of(start.id).die();
                    self.tell(Some(start.id), Action::Ended)?;
                }
            }
            Notice::Terminal(event) => {
                let command = match &mut self.output {
                    Output::View(view) => view.press(&event, &self.cluster),
                    _ => None,
                };
                if let Some(command) = command {
                    self.carry_out(command)?;
                }
            }
            Notice::End => {} // this wakes up, and nothing more
        }
        self.watchdog.feed();
        Ok(())
    }

    fn hear(&mut self, start: MemberStart, line: Report) -> Result<(), Failure> {
        let Report { at_us, member, what } = line;
        match &what {
            ReportKind::Lease { leads_in, until_us } => {
                self.history.holds(start, *leads_in, at_us, *until_us);
            }
            ReportKind::Event(Event::Elected { leader, term }) => {
                self.history.named(member, *leader, *term, at_us);
            }
            ReportKind::Event(event @ (Event::Lost { .. } | Event::Stopped { .. })) => {
                if matches!(event, Event::Stopped { why: Some(_) }) {
                    self.gave_up.insert(member);
                }
                self.history.ends(member, at_us);
            }
            ReportKind::Event(Event::Missed { count }) => self.history.missed(*count),
            ReportKind::Event(Event::Died { peer }) => {
                // The death of the process before does not end this one.
                if self.children.get(peer).is_some_and(ChildProcess::is_dead) {
                    self.history.died(*peer, at_us);
                }
            }
            ReportKind::Event(Event::Started { pid, .. }) => {
                self.could_not_start.remove(&member);
                self.history.started(member, at_us);
                if let Some(child) = self.children.get_mut(&member).filter(|child| child.start == start) {
                    // If it is dead already, its end is told when nothing more comes of it. If it is not what it says,
                    // nothing is ever done to it; all of it ends with its supervisor.
                    let _ = child.hold(*pid);
                }
            }
            ReportKind::Event(_) | ReportKind::Shown { .. } => {}
        }
        let is_current = self.children.get(&member).is_some_and(|child| child.start == start);
        let has_died = self.condition(member) == Condition::Dead;
        if is_current && !has_died {
            self.view_of(member).hear(at_us, &what);
        }
        match what {
            ReportKind::Event(event) => {
                self.announce(RunEvent { at_us, member: Some(member), what: EventKind::Event(event) })
            }
            _ => Ok(()),
        }
    }

    /// Members are told to stop, and killed if they do not.
    fn stop(&mut self) -> Result<(), Failure> {
        self.is_over = true;
        self.comebacks.clear(); // nobody is started again
        self.history.close(self.now_us());
        for child in self.children.values_mut() {
            child.signal(Signal::CONT);
            child.order("stop");
        }
        let limit = Instant::now() + LONGEST_GOODBYE;
        while !self.has_died_out() && Instant::now() < limit {
            self.attend(Some(limit))?;
        }
        self.children.clear();
        while let Ok(notice) = self.notices.recv_timeout(Duration::from_millis(20)) {
            self.take(notice)?;
        }
        Ok(())
    }

    /// Who leads, and in which term: the one in the latest, if several say so.
    pub(super) fn leader(&self) -> Option<(Id, u64)> {
        let now_us = self.now_us();
        let leaders = self.cluster.iter().filter(|(_, view)| view.is_running());
        let leaders = leaders.filter_map(|(&id, view)| Some((id, view.leads_in(now_us)?)));
        leaders.max_by_key(|&(id, term)| (term, id))
    }

    fn has_majority(&self) -> bool {
        let living = self.cluster.values().filter(|view| {
            matches!(view.condition, Condition::Starting | Condition::Running) && !view.is_cut
        });
        living.count() * 2 > self.cluster.len()
    }

    /// A member is still to start or to be started again, or a leader is still to be elected.
    fn is_unsettled(&self) -> bool {
        !self.comebacks.is_empty()
            || self.cluster.values().any(|view| view.condition == Condition::Starting)
            || self.has_majority() && (self.leader().is_none() || self.history.is_failing_over())
    }

    /// Nobody starts, and nobody is to be started again. On a terminal the user may do that yet.
    fn has_died_out(&self) -> bool {
        let can_go_on = matches!(self.output, Output::View(_)) && !self.is_over;
        !can_go_on
            && self.comebacks.is_empty()
            && self.cluster.values().all(|view| view.condition == Condition::Dead)
    }

    pub(super) fn is_alive(&self, id: Id) -> bool {
        matches!(self.condition(id), Condition::Running | Condition::Paused)
    }

    pub(super) fn condition(&self, id: Id) -> Condition {
        self.cluster.get(&id).map_or(Condition::Dead, |view| view.condition)
    }

    pub(super) fn view_of(&mut self, id: Id) -> &mut MemberView {
        self.cluster.entry(id).or_default()
    }

    pub(super) fn send_order(&mut self, id: Id, order: &str) {
        if let Some(child) = self.children.get_mut(&id) {
            child.order(order);
        }
    }

    pub(super) fn signal(&self, id: Id, signal: Signal) -> bool {
        self.children.get(&id).is_some_and(|child| child.signal(signal))
    }

    pub(super) fn now_us(&self) -> u64 {
        self.clock.boot_micros(self.clock.now())
    }

    pub(super) fn tell(&mut self, member: Option<Id>, action: Action) -> Result<(), Failure> {
        self.announce(RunEvent { at_us: self.now_us(), member, what: EventKind::Action(action) })
    }

    fn announce(&mut self, event: RunEvent) -> Result<(), Failure> {
        let text = match &mut self.output {
            Output::View(view) => {
                view.log(event_text::as_text(&event, self.began_us));
                return Ok(());
            }
            Output::Text => event_text::as_text(&event, self.began_us),
            Output::Json => {
                let view = event.member.and_then(|member| self.cluster.get(&member));
                json::as_json(&event, self.began_us, view)?
            }
        };
        output::print(format!("{text}\n").as_bytes())
    }
}

fn headline(args: &UpArgs, choice: Choice, detector: Option<&str>, promise: &str) -> String {
    let with_detector = event_text::with_detector(detector);
    format!("{}{with_detector} ({}): {promise}", choice.label(), word(args.profile))
}
