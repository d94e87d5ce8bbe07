//! Drawn descriptions of runs, for property tests: every field takes every sort of value that can be written. Most of them
//! cannot be run.

use bellwether_core::{
    ArgumentKind, Elect, FaultArgument, FaultEvent, FaultKind, Id, Order, Port, Span, Time,
};
use bellwether_runspec::notation::{DriftBound, Interval, Pattern, Share};
use bellwether_runspec::{
    Attributes, Callers, FIELDS, Flag, LinkOptions, Partition, RunSpec, Script, ScriptLine,
};
use bellwether_sim::network::{Shape, Sides};
use bellwether_sim::schedule::{
    ActionText, CrashPoint, Endpoint, Envelope, FaultBudget, Instruction, Notice, TimeModel,
};
use bellwether_sim::{Delay, LinkOrder, Schedule};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

fn id() -> impl Strategy<Value = Id> {
    prop_oneof![9 => 0..100_u64, 1 => Just(Id::MAX)].prop_map(|value| Id::new(value).expect("in range"))
}

fn time() -> impl Strategy<Value = Time> {
    prop_oneof![(0..100_000_u64), (0..1_000_u64).prop_map(|hops| hops * 1_000)].prop_map(Time::from_ticks)
}

fn span() -> impl Strategy<Value = Span> {
    time().prop_map(|time| time - Time::ZERO)
}

fn interval() -> impl Strategy<Value = Interval> {
    (time(), option::of(1..50_000_u64))
        .prop_map(|(from, lasts)| Interval { from, to: lasts.map(|ticks| from + Span::from_ticks(ticks)) })
}

fn share() -> impl Strategy<Value = Share> {
    prop_oneof![Just(0.0), Just(0.05), 0.0..1.0_f64].prop_map(Share)
}

/// Words as names have them.
fn name() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9-]{0,12}"
}

fn shape() -> impl Strategy<Value = Shape> {
    let sides = || option::of((1..20_u32, 1..20_u32).prop_map(|(rows, columns)| Sides { rows, columns }));
    let links = vec(prop_oneof![Just("->"), Just("--")], 1..5);
    prop_oneof![
        Just(Shape::Ring),
        Just(Shape::TwoWayRing),
        Just(Shape::Line),
        sides().prop_map(|sides| Shape::Grid { sides }),
        sides().prop_map(|sides| Shape::Torus { sides }),
        Just(Shape::Star),
        (1..9_u32).prop_map(|arity| Shape::Tree { arity }),
        Just(Shape::OverlayRing),
        Just(Shape::Complete),
        Just(Shape::Hypercube),
        (0.001..=1.0_f64).prop_map(|p| Shape::Gnp { p }),
        (1..9_u32).prop_map(|degree| Shape::Regular { degree }),
        (1..9_u32).prop_map(|degree| Shape::Digraph { degree }),
        "[a-z/.]{1,9}".prop_map(|path| Shape::File(path.into())),
        links.prop_map(|links| {
            let lines = links.iter().enumerate().map(|(at, link)| format!("{at} {link} {}", at + 1));
            Shape::Links(lines.collect::<Vec<_>>().join("\n").into())
        }),
    ]
}

/// (Those that are read from files are left out: reading them needs the file.)
fn delay() -> impl Strategy<Value = Delay> {
    prop_oneof![
        Just(Delay::Unit),
        (0..50_u32, 0..50_u32).prop_map(|(least, more)| Delay::UniformWhole { least, most: least + more }),
        (0.0..50.0_f64, 0.0..50.0_f64).prop_map(|(least, more)| Delay::Uniform { least, most: least + more }),
        (0.0..50.0_f64).prop_map(|mean| Delay::Exponential { mean }),
        (-3.0..3.0_f64, 0.0..3.0_f64).prop_map(|(mu, sigma)| Delay::LogNormal { mu, sigma }),
    ]
}

fn line() -> impl Strategy<Value = ScriptLine> {
    let kind = proptest::sample::select(FaultKind::ALL.to_vec());
    let clocks = (-990_000..10_000_000_i32, prop_oneof![-9_999_999..0_i64, 1..9_999_999_i64]);
    let event = (kind, id(), id(), clocks, time()).prop_map(|(kind, member, other, (rate, ticks), at)| {
        let argument = kind.takes().map(|takes| match takes {
            ArgumentKind::Member => FaultArgument::Member(other),
            ArgumentKind::Id => FaultArgument::Id(other),
            ArgumentKind::Rate => FaultArgument::Rate(rate),
            ArgumentKind::Ticks => FaultArgument::Ticks(ticks),
        });
        ScriptLine::of((member, FaultEvent::from_parts(kind, argument).expect("it is of that kind"), at))
    });
    let groups = vec(vec(id(), 1..4), 1..4);
    prop_oneof![
        8 => event,
        1 => (id(), interval()).prop_map(|(id, during)| ScriptLine::Pause(id, during)),
        1 => (id(), id(), interval()).prop_map(|(a, b, during)| ScriptLine::Cut(a, b, during)),
        1 => (id(), id(), interval()).prop_map(|(a, b, during)| ScriptLine::CutOneWay(a, b, during)),
        1 => (id(), id(), time()).prop_map(|(a, b, at)| ScriptLine::Mend(a, b, at)),
        1 => (groups, interval()).prop_filter_map("groups have members of their own", |(groups, during)| {
            Partition::new(groups, during).ok().map(ScriptLine::Partition)
        }),
    ]
}

fn pattern() -> impl Strategy<Value = Pattern> {
    (option::of(name()), option::of(id()), option::of(id()), option::of(1..99_u64))
        .prop_map(|(kind, from, to, nth)| Pattern { kind, from, to, nth })
}

fn links() -> impl Strategy<Value = LinkOptions> {
    let shares = (option::of(share()), option::of(share()), option::of(share()));
    let rest = (option::of(1.0..9.0_f64), option::of(span()), option::of(time()));
    (shares, rest, vec(pattern(), 0..3), vec(pattern(), 0..3)).prop_map(
        |((loss, duplication, reordering), (burst, held_up, until), lose, duplicate)| LinkOptions {
            loss,
            burst,
            duplication,
            reordering,
            held_up,
            until,
            lose,
            duplicate,
        },
    )
}

fn instruction() -> impl Strategy<Value = Instruction> {
    let mouth = || (id(), option::of(0..9_u32)).prop_map(|(id, port)| Endpoint { id, port: port.map(Port) });
    let letter = || (mouth(), id(), 0..9_u8).prop_map(|(from, to, place)| Envelope { from, to, place });
    let events = [
        FaultKind::Start,
        FaultKind::Call,
        FaultKind::Crash,
        FaultKind::Recover,
        FaultKind::Pause,
        FaultKind::Resume,
        FaultKind::Resign,
        FaultKind::Transfer,
        FaultKind::Admit,
        FaultKind::Dismiss,
        FaultKind::Stand,
        FaultKind::Withdraw,
        FaultKind::Learn,
    ];
    let event = (proptest::sample::select(events.to_vec()), id(), id()).prop_map(|(kind, member, other)| {
        let arguments = [None, Some(FaultArgument::Id(other)), Some(FaultArgument::Member(other))];
        let event = arguments.into_iter().find_map(|argument| FaultEvent::from_parts(kind, argument));
        ActionText::Member(member, event.expect("it says one of these"))
    });
    let fate = prop_oneof![Just(bellwether_core::Fate::Lost), Just(bellwether_core::Fate::Twice)];
    let word = proptest::sample::select(Notice::ALL.to_vec());
    let deed = prop_oneof![
        4 => event,
        1 => (letter(), fate).prop_map(|(letter, fate)| ActionText::Link(letter, fate)),
        2 => letter().prop_map(ActionText::Deliver),
        1 => (id(), 0..9_u8).prop_map(|(id, timer)| ActionText::TimeOut(id, timer)),
        1 => (mouth(), id(), word).prop_map(|(told, of, word)| ActionText::Tell(told, of, word)),
        1 => id().prop_map(ActionText::CallAgain),
        1 => Just(ActionText::Tick),
    ];
    let crash = prop_oneof![
        Just(None),
        Just(Some(CrashPoint::TornWrite)),
        (0..9_u8).prop_map(|it| Some(CrashPoint::Sends(it)))
    ];
    (deed, 0..9_u16, crash).prop_map(|(deed, draw, crash_after)| Instruction { deed, draw, crash_after })
}

fn schedule() -> impl Strategy<Value = Schedule> {
    let more = (0..3_u8, 0..3_u8, 0..3_u8, 0..3_u8, 0..3_u8, 0..3_u8, 0..3_u8, 0..3_u8);
    let flags = (any::<bool>(), any::<bool>(), any::<bool>(), any::<bool>());
    let time = prop_oneof![
        Just(TimeModel::Any),
        (1..9_u16, 0..99_u16).prop_map(|(grain, drift)| TimeModel::Clock { grain, drift }),
    ];
    (
        vec(instruction(), 0..6),
        option::of(0..9_u32),
        0..3_u32,
        more,
        flags,
        (any::<u8>(), 1..=u16::MAX, 1..200_u32),
        time,
    )
        .prop_map(|(actions, loop_from, beginning, more, flags, (draws, ticks, restart_after), time)| {
            let needed = FaultBudget::needed_for(&actions);
            let liberties = FaultBudget {
                crashes: needed.crashes + more.0,
                recoveries: needed.recoveries + more.1,
                losses: needed.losses + more.2,
                duplicates: needed.duplicates + more.3,
                pauses: needed.pauses + more.4,
                requests: needed.requests + more.5,
                suspicions: needed.suspicions + more.6,
                false_alarms: needed.false_alarms + more.0,
                restarts: needed.restarts + more.7,
                restart_after,
                draws,
                late_calls: flags.0,
                detector: flags.1,
                certified: flags.2,
                time,
                ticks,
                stops_at_goal: flags.3,
            };
            Schedule { liberties, beginning, actions, loop_from }
        })
}

prop_compose! {
    fn members()(
        ids in vec(id(), 0..6),
        nodes in option::of(0..50_u64),
        order in option::of(prop_oneof![Just(Order::Best), Just(Order::Worst), Just(Order::Random)]),
        attributes in prop_oneof![
            Just(Attributes::None),
            Just(Attributes::Random),
            vec(any::<i64>(), 1..6).prop_map(Attributes::Listed),
        ],
        id_bound in option::of(0..1_000_u64),
        identical in any::<bool>(),
        elect in prop_oneof![Just(Elect::Best), Just(Elect::Worst)],
        witnesses in vec(id(), 0..3),
        observers in vec(id(), 0..3),
        initiators in prop_oneof![Just(Callers::All), vec(id(), 0..4).prop_map(Callers::Ids)],
        restart_after in option::of(0..99_u32),
    ) -> RunSpec {
        RunSpec {
            ids, nodes, order, attributes, id_bound, identical, elect, witnesses, observers, initiators, restart_after,
            ..RunSpec::default()
        }
    }
}

prop_compose! {
    fn network()(
        topology in option::of(shape()),
        delay in delay(),
        delay_bound in option::of(span()),
        drift_bound in option::of((0..1_000_000_u32).prop_map(DriftBound)),
        links in prop_oneof![Just(LinkOrder::Fifo), Just(LinkOrder::Reordering)],
        synchroniser in any::<bool>(),
        ring_closes in any::<bool>(),
        certified_crashes in any::<bool>(),
    ) -> RunSpec {
        RunSpec {
            topology, delay, delay_bound, drift_bound, links, synchroniser, ring_closes, certified_crashes,
            ..RunSpec::default()
        }
    }
}

prop_compose! {
    /// A description of a run with every field given, or left out.
    pub fn drawn_run()(
        algorithm in (name(), option::of(name()), option::of((name(), 0..99_u32))).prop_map(|(name, variant, parameter)| {
            let variant = variant.map(|variant| format!("/{variant}")).unwrap_or_default();
            let parameter = parameter.map(|(key, value)| format!(":{key}={value}")).unwrap_or_default();
            format!("{name}{variant}{parameter}")
        }),
        variant in option::of(name()),
        members in members(),
        network in network(),
        script in vec(line(), 0..8),
        link_faults in links(),
        detector in option::of((name(), option::of("[A-Z]=[0-9]{1,3}")).prop_map(|(name, setting)| {
            setting.map_or(name.clone(), |setting| format!("{name}:{setting}"))
        })),
        schedule in option::weighted(0.3, schedule()),
        seed in any::<u64>(),
        until in option::of(time()),
        max_messages in option::of(any::<u64>()),
    ) -> RunSpec {
        let RunSpec {
            ids, nodes, order, attributes, id_bound, identical, elect, witnesses, observers, initiators, restart_after, ..
        } = members;
        let RunSpec {
            topology, delay, delay_bound, drift_bound, links, synchroniser, ring_closes, certified_crashes, ..
        } = network;
        // No `..` here: a field that is added is to be drawn, and so to be in every form.
        RunSpec {
            algorithm, variant, ids, nodes, order, attributes, id_bound, identical, elect, witnesses, observers, initiators,
            restart_after,
            topology, delay, delay_bound, drift_bound, links, synchroniser,
            script: script.into_iter().collect::<Script>(),
            link_faults, ring_closes, certified_crashes, detector, schedule, seed, until, max_messages,
        }
    }
}

/// The run that words of a command line describe, as [`words`](bellwether_runspec::words) writes them.
///
/// # Panics
/// If they describe none.
#[must_use]
pub fn run_of_words(words: &[String]) -> RunSpec {
    let mut run = RunSpec::default();
    let mut rest = words.iter().peekable();
    let mut given: Vec<(&str, String)> = vec![("algorithm", rest.next().expect("an algorithm").clone())];
    while let Some(word) = rest.next() {
        let option = word.strip_prefix("--").unwrap_or_else(|| panic!("'{word}' is no option in {words:?}"));
        let (option, value) = option.split_once('=').map_or((option, None), |(it, value)| (it, Some(value)));
        let field = FIELDS.iter().find(|field| field.option == option);
        let field = field.unwrap_or_else(|| panic!("there is no option {option}"));
        match (field.flag, value) {
            (Flag::Switch, _) => given.push((field.option, String::new())),
            (_, Some(value)) => given.push((field.option, value.to_owned())),
            (Flag::List(_), None) => {
                let values = rest.next().expect("a value").split(',').map(str::to_owned);
                given.extend(values.map(|value| (field.option, value)));
            }
            (_, None) => given.push((field.option, rest.next().expect("a value").clone())),
        }
    }
    for field in FIELDS {
        for (_, value) in given.iter().filter(|(option, _)| *option == field.option) {
            let problem = |problem| panic!("--{} {value}: {problem}", field.option);
            field.parse(&mut run, value).unwrap_or_else(problem);
        }
    }
    run
}
