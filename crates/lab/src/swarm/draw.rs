//! One seed draws a whole run: sizes, ids, delays, callers, and what goes wrong.
//!
//! All faults fall into a phase of chaos at the beginning. Then everything ceases: links are mended, the
//! frozen wake, nothing is lost any more, clocks keep their rate but do not jump. The dead stay dead,
//! unless the model lets them recover. Two members (one, where there are fewer than four) are spared, so
//! that there is somebody to elect; and if nobody who is unharmed calls at the beginning, one of those does
//! when the chaos is over, so that there is an election to be judged.

use super::{Model, Options, with_limits};
use bellwether_core::{
    DetectorChoice, FaultEvent, HOP, Id, Knowledge, Lie, Need, Span, Spec, Starts, Time, Timing,
};
use bellwether_runspec::notation::{Interval, Share};
use bellwether_runspec::{Callers, Partition, RunSpec, ScriptLine};
use bellwether_sim::network::Shape;
use bellwether_sim::{Delay, Stream, stream};
use rand::RngExt as _;
use rand::seq::SliceRandom as _;
use rand_xoshiro::Xoshiro256PlusPlus;
use std::ops::RangeInclusive;

/// Times are drawn in tenths of a hop: short to write, and fine enough to fall between messages.
const TENTH: Span = Span::from_ticks(HOP.ticks() / 10);
/// The chaos lasts so many times the bound on delays for each member: longer than most elections.
const CHAOS: u64 = 4;
/// Ids are drawn up to this, unless their range matters.
const GREATEST_ID: u64 = 99;
/// The id of nobody.
pub(super) fn stranger() -> Option<Id> {
    Id::new(GREATEST_ID + 1).ok()
}
/// In networks of any shape members have so many neighbours, where there are enough.
const DEGREE: u32 = 4;

/// Draws the run of a seed.
#[must_use]
pub fn draw(spec: &Spec, model: Model, seed: u64, options: &Options) -> RunSpec {
    let mut dice = stream(seed, Stream::Swarm);
    let n = dice.random_range(options.nodes.clone()).max(1);
    let ids = draw_ids(spec, n, &mut dice);
    // Rounds run in step only where messages take a hop, and nobody but the simulator watches.
    let in_step = spec.timing == Timing::Rounds && matches!(model, Model::None | Model::Crash);
    let delay = draw_delay(&mut dice);
    let delay = if in_step { Delay::Unit } else { delay };
    let detector = options.detector.as_ref().filter(|_| spec.timing != Timing::Rounds);
    let run = RunSpec {
        topology: shape(spec.need, n),
        ids: ids.clone(),
        initiators: draw_callers(spec, &ids, &mut dice),
        ring_closes: matches!(spec.need, Need::OneWayRing | Need::TwoWayRing) && !in_step,
        detector: detector.map(ToString::to_string),
        delay,
        seed,
        ..RunSpec::of(format!("{}/{}", spec.name, spec.variant))
    };
    let mut victims = ids.clone();
    victims.shuffle(&mut dice);
    let spared = victims.split_off(victims.len() - if n < 4 { 1 } else { 2 });
    let chaos = CHAOS * n * run.delay.bound().ticks().div_ceil(TENTH.ticks());
    let mut draft =
        Draft { dice, run, ids, victims, chaos, lines: Vec::new(), in_step, is_ring: spec.need.is_ring() };
    draft.go_wrong(model);
    draft.finish(spec, detector, &spared)
}

fn draw_ids(spec: &Spec, n: u64, dice: &mut Xoshiro256PlusPlus) -> Vec<Id> {
    // Algorithms that count in ids would count for ever.
    let greatest = if spec.knows.contains(Knowledge::RANGE) { n } else { GREATEST_ID.max(n) };
    let mut ids: Vec<Id> = (1..=greatest).filter_map(|id| Id::new(id).ok()).collect();
    ids.shuffle(dice);
    ids.truncate(n as usize);
    ids
}

/// All of these are bounded, so that with the right bound a detector makes no mistakes.
fn draw_delay(dice: &mut Xoshiro256PlusPlus) -> Delay {
    match dice.random_range(0..4) {
        0 => Delay::Unit,
        1 => Delay::UniformWhole { least: 1, most: 3 },
        2 => Delay::Uniform { least: 0.5, most: 1.5 },
        _ => Delay::Uniform { least: 0.1, most: 2.0 },
    }
}

/// Everyone, one or some.
fn draw_callers(spec: &Spec, ids: &[Id], dice: &mut Xoshiro256PlusPlus) -> Callers {
    let count = match dice.random_range(0..3) {
        _ if spec.starts == Starts::Everyone => return Callers::All,
        0 => return Callers::All,
        1 => 1,
        _ => dice.random_range(1..=ids.len()),
    };
    let mut callers = ids.to_vec();
    callers.shuffle(dice);
    callers.truncate(count);
    Callers::Ids(callers)
}

/// A network that a few deaths do not take apart, where the algorithm does not mind.
fn shape(need: Need, n: u64) -> Option<Shape> {
    match need {
        Need::StronglyConnected | Need::ConnectedTwoWay if n > u64::from(DEGREE) + 1 => {
            Some(Shape::Regular { degree: DEGREE })
        }
        Need::StronglyConnected | Need::ConnectedTwoWay => Some(Shape::Complete),
        _ => None,
    }
}

struct Draft {
    dice: Xoshiro256PlusPlus,
    run: RunSpec,
    ids: Vec<Id>,
    /// To whom something can still happen; to each only one thing does.
    victims: Vec<Id>,
    /// When the chaos is over, in tenths of a hop.
    chaos: u64,
    lines: Vec<ScriptLine>,
    in_step: bool,
    is_ring: bool,
}

impl Draft {
    /// Besides those who were spared, those are unharmed to whom nothing happened in the end.
    fn finish(self, spec: &Spec, detector: Option<&DetectorChoice>, spared: &[Id]) -> RunSpec {
        let Draft { mut run, mut lines, chaos, victims: unharmed, .. } = self;
        let calls = |id: &Id| match &run.initiators {
            Callers::All => true,
            Callers::Ids(callers) => callers.contains(id),
        };
        if spec.starts == Starts::Callers && !spared.iter().chain(&unharmed).any(calls) {
            lines.extend(spared.first().map(|&id| ScriptLine::Event((id, FaultEvent::Call, time(chaos)))));
        }
        run.script = lines.into_iter().collect();
        with_limits(spec, run, detector)
    }

    fn go_wrong(&mut self, model: Model) {
        let chaos = time(self.chaos);
        match model {
            Model::None => {}
            Model::Crash => self.crash(),
            Model::Certified => {
                self.run.certified_crashes = true;
                self.crash();
            }
            Model::Recovery => self.crash_and_recover(FaultEvent::Crash),
            Model::Torn => self.crash_and_recover(FaultEvent::TornCrash),
            Model::Loss | Model::Bursts => {
                self.run.link_faults.loss = Some(Share(self.pick(&[0.01, 0.05, 0.1, 0.2, 0.3])));
                self.run.link_faults.burst = (model == Model::Bursts).then(|| self.pick(&[2.0, 4.0, 8.0]));
                self.run.link_faults.until = Some(chaos);
            }
            Model::Duplication => {
                self.run.link_faults.duplication = Some(Share(self.pick(&[0.05, 0.1, 0.3])));
                self.run.link_faults.until = Some(chaos);
            }
            Model::Reordering => {
                let bound = self.run.delay.bound();
                self.run.link_faults.reordering = Some(Share(self.pick(&[0.05, 0.1, 0.3])));
                self.run.link_faults.held_up = Some(bound);
                self.run.link_faults.until = Some(chaos);
                // Being held up is within the bound that members are told.
                self.run.delay_bound = Some(bound + bound);
            }
            Model::Links => self.cut(ScriptLine::Cut),
            Model::OneWay => self.cut(ScriptLine::CutOneWay),
            Model::Partition => self.partition(),
            Model::Pause => {
                for id in self.some_victims() {
                    let interval = self.interval(1..=self.chaos);
                    self.lines.push(ScriptLine::Pause(id, interval));
                }
            }
            Model::Drift => {
                for id in self.some_victims() {
                    let rate = self.pick(&[100, 10_000, 50_000, 100_000]) * self.pick(&[1, -1]);
                    self.strike(id, FaultEvent::Drift(rate));
                }
            }
            Model::Jump => {
                for id in self.some_victims() {
                    let hops = self.dice.random_range(1..=20) * self.pick(&[1, -1]);
                    self.strike(id, FaultEvent::Jump(hops * HOP.ticks() as i64));
                }
            }
            Model::Lie => self.lie(),
            Model::Mix => self.mix(),
        }
    }

    fn mix(&mut self) {
        // Certificates would go with every crash of the mix: each of the others is to be what it is alone.
        let is_mixed = |model: &Model| !matches!(model, Model::None | Model::Certified | Model::Mix);
        let mut models: Vec<Model> = Model::ALL.into_iter().filter(is_mixed).collect();
        models.shuffle(&mut self.dice);
        models.truncate(self.dice.random_range(2..=4));
        for model in models {
            self.go_wrong(model);
        }
    }

    fn crash(&mut self) {
        for id in self.victims_up_to((self.ids.len() - 1) / 2) {
            let in_sending = !self.in_step && self.dice.random_range(0..3) == 0;
            self.strike(id, if in_sending { FaultEvent::CrashSending } else { FaultEvent::Crash });
        }
    }

    fn crash_and_recover(&mut self, crash: FaultEvent<Id>) {
        for id in self.some_victims() {
            let interval = self.interval(1..=self.chaos);
            let back = interval.to.map(|to| ScriptLine::Event((id, FaultEvent::Recover, to)));
            self.lines.push(ScriptLine::Event((id, crash, interval.from)));
            self.lines.extend(back);
        }
    }

    fn cut(&mut self, line: fn(Id, Id, Interval) -> ScriptLine) {
        let n = self.ids.len();
        for _ in 0..self.dice.random_range(1..=3) {
            let one = self.dice.random_range(0..n);
            // In a ring most members have nothing to say to each other.
            let on = if self.is_ring { 1 } else { self.dice.random_range(1..n.max(2)) };
            let (one, other) = (self.ids[one], self.ids[(one + on) % n]);
            let interval = self.interval(1..=self.chaos);
            if one != other {
                self.lines.push(line(one, other, interval));
            }
        }
    }

    fn partition(&mut self) {
        let halves = [1..=self.chaos / 2, self.chaos / 2 + 1..=self.chaos];
        let times = self.dice.random_range(1..=halves.len());
        for within in halves.into_iter().take(times) {
            let mut members = self.ids.clone();
            members.shuffle(&mut self.dice);
            let groups = self.dice.random_range(2..=3).min(members.len());
            let mut groups = vec![Vec::new(); groups];
            for (number, id) in members.into_iter().enumerate() {
                // Nobody's group is empty.
                let at = if number < groups.len() { number } else { self.dice.random_range(0..groups.len()) };
                groups[at].push(id);
            }
            let interval = self.interval(within);
            if groups.len() > 1 {
                self.lines.push(ScriptLine::Partition(Partition { groups, during: interval }));
            }
        }
    }

    fn lie(&mut self) {
        let stranger = stranger();
        for id in self.victims_up_to((self.ids.len() - 1) / 3) {
            let member = self.ids[self.dice.random_range(0..self.ids.len())];
            let named = stranger.filter(|_| self.dice.random_range(0..2) == 0).unwrap_or(member);
            let lie = match self.dice.random_range(0..3) {
                0 => Lie::Pretend(stranger.unwrap_or(member)),
                2 if member != id => Lie::Silence(member),
                _ => Lie::Forge(named),
            };
            self.strike(id, FaultEvent::Lie(lie));
        }
    }

    fn strike(&mut self, id: Id, what: FaultEvent<Id>) {
        let at = time(self.dice.random_range(1..=self.chaos));
        self.lines.push(ScriptLine::Event((id, what, at)));
    }

    /// Between two tenths of a hop; not empty.
    fn interval(&mut self, within: RangeInclusive<u64>) -> Interval {
        let from = self.dice.random_range(*within.start()..=*within.end() - 1);
        let to = self.dice.random_range(from + 1..=*within.end());
        Interval { from: time(from), to: Some(time(to)) }
    }

    /// One to all of those to whom nothing has happened.
    fn some_victims(&mut self) -> Vec<Id> {
        self.victims_up_to(self.victims.len())
    }

    /// One to so many of those to whom nothing has happened.
    fn victims_up_to(&mut self, most: usize) -> Vec<Id> {
        let most = most.min(self.victims.len());
        let count = if most == 0 { 0 } else { self.dice.random_range(1..=most) };
        self.victims.split_off(self.victims.len() - count)
    }

    fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.dice.random_range(0..choices.len())]
    }
}

fn time(tenths: u64) -> Time {
    Time::ZERO + TENTH * tenths
}
