//! Options of `simulate` about what goes wrong.

use super::fault_values::{Cutting, Parting, Pausing, Timed};
use super::values::{HopTime, Moment, parse_moment};
use bellwether_core::{FaultEvent, Id, Lie, Request};
use bellwether_sim::faults::notation::{Leap, Pattern, Rate, Share};
use bellwether_sim::faults::{LinkWishes, Partition, Scripted, cut, pause};
use clap::Args;

/// What goes wrong.
#[derive(Debug, Args)]
pub struct FaultArgs {
    /// A member stops; at 0 it is dead from the start (repeatable, as all of these)
    #[arg(long, value_name = "ID@TIME", value_delimiter = ',', value_parser = parse_moment,
          help_heading = "Members fail")]
    pub crash: Vec<Moment>,
    /// A member stops in the middle of its next durable write: it recovers with what it wrote before
    #[arg(long, value_name = "ID@TIME", value_delimiter = ',', value_parser = parse_moment,
          help_heading = "Members fail")]
    pub torn_crash: Vec<Moment>,
    /// A member stops in the middle of sending, the next time that it sends anything
    #[arg(long, value_name = "ID@TIME", value_delimiter = ',', value_parser = parse_moment,
          help_heading = "Members fail")]
    pub crash_sending: Vec<Moment>,
    /// A member that has stopped boots again with what it has saved, and calls an election
    #[arg(long, value_name = "ID@TIME", value_delimiter = ',', value_parser = parse_moment,
          help_heading = "Members fail")]
    pub recover: Vec<Moment>,
    /// A member boots late
    #[arg(long, value_name = "ID@TIME", value_delimiter = ',', value_parser = parse_moment,
          help_heading = "Members fail")]
    pub start: Vec<Moment>,
    /// A member calls an election later, besides the initiators
    #[arg(long, value_name = "ID@TIME", value_delimiter = ',', value_parser = parse_moment,
          help_heading = "Members fail")]
    pub call: Vec<Moment>,
    /// A member freezes and wakes; without TO it sleeps for good
    #[arg(long, value_name = "ID@FROM..[TO]", value_delimiter = ',', help_heading = "Members fail")]
    pub pause: Vec<Pausing>,
    /// A member's clock gains on the others from then on, as in 3@5:+1% or 3@5:-500ppm
    #[arg(long, value_name = "ID@TIME:RATE", value_delimiter = ',', help_heading = "Members fail")]
    pub drift: Vec<Timed<Rate>>,
    /// A member's clock jumps by so many hops, as in 3@5:+10 or 3@5:-2.5
    #[arg(long, value_name = "ID@TIME:HOPS", value_delimiter = ',', help_heading = "Members fail")]
    pub jump: Vec<Timed<Leap>>,
    /// A member lies: it goes by another id from then on
    #[arg(long, value_name = "ID@TIME:ID", value_delimiter = ',', help_heading = "Members fail")]
    pub pretend: Vec<Timed<Id>>,
    /// A member lies: it tells its neighbours, once, that this one has been elected
    #[arg(long, value_name = "ID@TIME:ID", value_delimiter = ',', help_heading = "Members fail")]
    pub forge: Vec<Timed<Id>>,
    /// A member lies: it says nothing more to this one
    #[arg(long, value_name = "ID@TIME:ID", value_delimiter = ',', help_heading = "Members fail")]
    pub silence: Vec<Timed<Id>>,

    /// A member is asked to lead no longer
    #[arg(long, value_name = "ID@TIME", value_delimiter = ',', value_parser = parse_moment,
          help_heading = "Members are asked")]
    pub resign: Vec<Moment>,
    /// A member is asked to let this one lead, as in 3@60:5
    #[arg(long, value_name = "ID@TIME:ID", value_delimiter = ',', help_heading = "Members are asked")]
    pub transfer: Vec<Timed<Id>>,
    /// A member is asked to let this one vote
    #[arg(long, value_name = "ID@TIME:ID", value_delimiter = ',', help_heading = "Members are asked")]
    pub admit: Vec<Timed<Id>>,
    /// A member is asked to let this one no longer vote
    #[arg(long, value_name = "ID@TIME:ID", value_delimiter = ',', help_heading = "Members are asked")]
    pub dismiss: Vec<Timed<Id>>,
    /// A member is asked to be no candidate; if it leads, it resigns
    #[arg(long, value_name = "ID@TIME", value_delimiter = ',', value_parser = parse_moment,
          help_heading = "Members are asked")]
    pub withdraw: Vec<Moment>,
    /// A member is asked to be a candidate again
    #[arg(long, value_name = "ID@TIME", value_delimiter = ',', value_parser = parse_moment,
          help_heading = "Members are asked")]
    pub stand: Vec<Moment>,

    /// A link fails, both ways; without TO for good
    #[arg(long, value_name = "A-B@FROM..[TO]", value_delimiter = ',', help_heading = "Links fail")]
    pub cut: Vec<Cutting>,
    /// What A sends to B is lost; without TO for good
    #[arg(long, value_name = "A-B@FROM..[TO]", value_delimiter = ',', help_heading = "Links fail")]
    pub cut_one_way: Vec<Cutting>,
    /// Groups cannot talk to each other, as in 1+2/3+4@5..9; who is not named is a group of its own.
    /// Given again, it adds its cuts to those of the first
    #[arg(long, value_name = "A+B/C+D@FROM..[TO]", help_heading = "Links fail")]
    pub partition: Vec<Parting>,
    /// All links work again
    #[arg(long, value_name = "TIME", value_delimiter = ',', help_heading = "Links fail")]
    pub heal: Vec<HopTime>,
    /// The share of messages that is lost, as in 5% or 0.05
    #[arg(long, value_name = "SHARE", help_heading = "Links fail")]
    pub loss: Option<Share>,
    /// How many messages of a link are lost in a row, on average [default: each by itself]
    #[arg(long, value_name = "LENGTH", help_heading = "Links fail")]
    pub burst: Option<f64>,
    /// The share of messages that arrives twice
    #[arg(long, value_name = "SHARE", help_heading = "Links fail")]
    pub duplication: Option<Share>,
    /// The share of messages that is held up, so that later ones overtake them
    #[arg(long, value_name = "SHARE", help_heading = "Links fail")]
    pub reordering: Option<Share>,
    /// The longest that those are held up [default: 5]
    #[arg(long, value_name = "HOPS", help_heading = "Links fail")]
    pub held_up: Option<HopTime>,
    /// Until when messages are lost, doubled and held up [default: all the time]
    #[arg(long, value_name = "TIME", help_heading = "Links fail")]
    pub faults_until: Option<HopTime>,
    /// These messages are lost: KIND, KIND:A-B or :A-B, with #N only the Nth; * is anyone
    #[arg(long, value_name = "MESSAGE", value_delimiter = ',', help_heading = "Links fail")]
    pub lose: Vec<Pattern>,
    /// These messages arrive twice: written as for --lose
    #[arg(long, value_name = "MESSAGE", value_delimiter = ',', help_heading = "Links fail")]
    pub duplicate: Vec<Pattern>,
    /// The ring closes round its dead: their neighbours talk to each other
    #[arg(long, help_heading = "Links fail")]
    pub ring_closes: bool,

    /// Whoever crashes does so before the eyes of its host, which tells its neighbours for certain: a death certificate
    #[arg(long, help_heading = "Members fail")]
    pub certified_crashes: bool,

    /// Every member watches its neighbours with such a failure detector, as in heartbeat:T=5,D=2
    /// [default: callers are told the truth]
    #[arg(long, value_name = "NAME[:K=V,..]", help_heading = "Failure detection")]
    pub detector: Option<String>,
}

/// An option whose values name another member, and what happens with regard to it.
type Naming<'a> = (Given<'a, Timed<Id>>, fn(Id) -> FaultEvent<Id>);

/// An option, and the values that it was given.
type Given<'a, T> = (&'static str, &'a [T]);

impl FaultArgs {
    /// What happens to a member at a time, by option.
    fn moments(&self) -> [(Given<'_, Moment>, FaultEvent<Id>); 9] {
        [
            (("crash", &self.crash), FaultEvent::Crash),
            (("torn-crash", &self.torn_crash), FaultEvent::TornCrash),
            (("crash-sending", &self.crash_sending), FaultEvent::CrashSending),
            (("recover", &self.recover), FaultEvent::Recover),
            (("start", &self.start), FaultEvent::Start),
            (("call", &self.call), FaultEvent::Call),
            (("resign", &self.resign), FaultEvent::Request(Request::Resign)),
            (("withdraw", &self.withdraw), FaultEvent::Request(Request::Withdraw)),
            (("stand", &self.stand), FaultEvent::Request(Request::Stand)),
        ]
    }

    /// How members lie and what they are asked, by option.
    fn namings(&self) -> [Naming<'_>; 6] {
        [
            (("pretend", &self.pretend), |id| FaultEvent::Lie(Lie::Pretend(id))),
            (("forge", &self.forge), |id| FaultEvent::Lie(Lie::Forge(id))),
            (("silence", &self.silence), |id| FaultEvent::Lie(Lie::Silence(id))),
            (("transfer", &self.transfer), |id| FaultEvent::Request(Request::Transfer(id))),
            (("admit", &self.admit), |id| FaultEvent::Request(Request::Admit(id))),
            (("dismiss", &self.dismiss), |id| FaultEvent::Request(Request::Dismiss(id))),
        ]
    }

    /// What happens to whom and when.
    pub fn script(&self) -> Vec<Scripted> {
        let mut script: Vec<Scripted> = Vec::new();
        for ((_, moments), what) in self.moments() {
            script.extend(moments.iter().map(|moment| (moment.id, what, moment.at.0)));
        }
        script.extend(self.pause.iter().flat_map(|pausing| pause(pausing.id, pausing.during)));
        script.extend(self.drift.iter().map(|drift| (drift.id, FaultEvent::Drift(drift.what.0), drift.at.0)));
        script.extend(self.jump.iter().map(|jump| (jump.id, FaultEvent::Jump(jump.what.0), jump.at.0)));
        for ((_, values), happens) in self.namings() {
            script.extend(values.iter().map(|value| (value.id, happens(value.what), value.at.0)));
        }
        for Cutting { a, b, during } in &self.cut {
            script.extend(cut(*a, *b, *during).chain(cut(*b, *a, *during)));
        }
        script.extend(self.cut_one_way.iter().flat_map(|Cutting { a, b, during }| cut(*a, *b, *during)));
        script
    }

    /// Groups that cannot talk to each other.
    pub fn partitions(&self) -> Vec<Partition> {
        self.partition.iter().map(|parting| parting.0.clone()).collect()
    }

    /// What is asked of links.
    pub fn links(&self) -> LinkWishes {
        LinkWishes {
            loss: self.loss,
            burst: self.burst,
            duplication: self.duplication,
            reordering: self.reordering,
            held_up: self.held_up.map(HopTime::span),
            until: self.faults_until.map(|until| until.0),
            lose: self.lose.clone(),
            duplicate: self.duplicate.clone(),
        }
    }

    /// Each option that was given, with its value, as it would be written.
    pub fn written(&self) -> Vec<(&'static str, Option<String>)> {
        let mut options = Vec::new();
        let mut list = |name, values: Vec<String>| {
            options.extend((!values.is_empty()).then(|| (name, Some(values.join(",")))));
        };
        for ((name, moments), _) in self.moments() {
            list(name, texts(moments));
        }
        list("pause", texts(&self.pause));
        list("drift", texts(&self.drift));
        list("jump", texts(&self.jump));
        for ((name, values), _) in self.namings() {
            list(name, texts(values));
        }
        list("cut", texts(&self.cut));
        list("cut-one-way", texts(&self.cut_one_way));
        for partition in &self.partition {
            list("partition", vec![partition.to_string()]);
        }
        list("heal", texts(&self.heal));
        list("loss", texts(self.loss.as_slice()));
        list("burst", texts(self.burst.as_slice()));
        list("duplication", texts(self.duplication.as_slice()));
        list("reordering", texts(self.reordering.as_slice()));
        list("held-up", texts(self.held_up.as_slice()));
        list("faults-until", texts(self.faults_until.as_slice()));
        list("lose", texts(&self.lose));
        list("duplicate", texts(&self.duplicate));
        list("detector", texts(self.detector.as_slice()));
        options.extend(self.ring_closes.then_some(("ring-closes", None)));
        options.extend(self.certified_crashes.then_some(("certified-crashes", None)));
        options
    }
}

fn texts(values: &[impl ToString]) -> Vec<String> {
    values.iter().map(ToString::to_string).collect()
}
