//! A counterexample is printed, saved, drawn and exported from its report. Nothing is replayed for that.

use super::{effort, files, json, plan, text};
use crate::args::{Cli, Command};
use crate::choice::Choice;
use bellwether_check::CheckPlan;
use bellwether_core::machine::{Outputs, Place};
use bellwether_core::{AnyMachine, DynValue, Entry, MachineType};
use bellwether_engine::ALGORITHMS;
use bellwether_model::follow::replay;
use clap::Parser as _;
use std::cell::Cell;

thread_local! {
    /// How many members have booted in this thread.
    static BOOTS: Cell<usize> = const { Cell::new(0) };
}

fn chang_roberts() -> Entry {
    *ALGORITHMS.entries[ALGORITHMS.find("chang-roberts", None).unwrap()]
}

fn counted_boot(place: Place<'_>, saved: &dyn DynValue, outputs: &mut Outputs) -> AnyMachine {
    BOOTS.set(BOOTS.get() + 1);
    (chang_roberts().machine.boot)(place, saved, outputs)
}

fn boots_in(work: impl FnOnce()) -> usize {
    let before = BOOTS.get();
    work();
    BOOTS.get() - before
}

#[test]
fn nothing_is_replayed_to_print_save_draw_or_export() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name).display().to_string();
    let [save, trace, mermaid, svg] = ["r.toml", "r.jsonl", "r.mmd", "r.svg"].map(file);
    let words = ["bellwether", "check", "chang-roberts", "--nodes", "4", "--crashes", "1", "--save", &save];
    let words = words.into_iter().chain(["--trace", &trace, "--mermaid", &mermaid, "--svg", &svg]);
    let Command::Check(args) = Cli::parse_from(words).command else { panic!("it is a check") };
    let choice = Choice::find("chang-roberts", None).unwrap();
    let machine = MachineType { boot: counted_boot, ..*chang_roberts().machine };
    let algorithm = Entry { machine: Box::leak(Box::new(machine)), ..chang_roberts() };
    let plan = CheckPlan { algorithm, ..plan(&args, args.run.described().unwrap(), &choice).unwrap() };
    let report = plan.run(&effort(&args).unwrap(), &|_| ()).unwrap();

    // A replay boots members, and that is counted.
    let (_, violation) = report.gravest().expect("a violation");
    let schedule = violation.plan.schedule.as_ref().expect("its steps");
    assert!(boots_in(|| drop(replay(&algorithm, &violation.plan, schedule))) > 0);

    let boots = boots_in(|| {
        let printed = text::describe("", args.files.save.as_deref(), &choice, &plan, &report);
        assert!(printed.contains("eventually is violated"), "{printed}");
        let object = json::CheckObject::new(&choice, &plan, &report, String::new());
        assert!(serde_json::to_string(&object).unwrap().contains("counterexample"));
        files::write(&args.files, &choice, &plan, &report).unwrap();
    });
    assert_eq!(boots, 0, "the report has it all");
    for path in [save, trace, mermaid, svg] {
        assert!(std::fs::metadata(&path).unwrap().len() > 0, "{path}");
    }
}

/// A counterexample that is too long to be recorded is printed, saved and traced all the same.
#[test]
fn a_counterexample_without_a_recording_is_printed_and_saved() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str| dir.path().join(name).display().to_string();
    let [save, trace, svg] = ["r.toml", "r.jsonl", "r.svg"].map(file);
    let words = ["bellwether", "check", "chang-roberts", "--nodes", "4", "--crashes", "1", "--save", &save];
    let words = words.into_iter().chain(["--trace", &trace, "--svg", &svg]);
    let Command::Check(args) = Cli::parse_from(words).command else { panic!("it is a check") };
    let choice = Choice::find("chang-roberts", None).unwrap();
    let plan = plan(&args, args.run.described().unwrap(), &choice).unwrap();
    let mut report = plan.run(&effort(&args).unwrap(), &|_| ()).unwrap();
    let recordings = report.properties.iter_mut().filter_map(|one| one.violation.as_mut());
    recordings.for_each(|violation| violation.recording = None);
    let printed = text::describe("", None, &choice, &plan, &report);
    assert!(printed.contains("eventually is violated") && printed.contains(" deliver "), "{printed}");
    files::write(&args.files, &choice, &plan, &report).unwrap();
    let exists = [save, trace, svg].map(|path| std::fs::metadata(path).is_ok());
    assert_eq!(exists, [true, true, false]);
}

/// What prints and writes has the report alone: no algorithm of the registry, and no driver that could run it.
#[test]
fn what_prints_and_writes_cannot_run_anything() {
    let sources = [
        include_str!("files.rs"),
        include_str!("json.rs"),
        include_str!("story.rs"),
        include_str!("text.rs"),
    ];
    for source in sources {
        for way in ["ALGORITHMS", "simulate", "run_plan", "record(", "record,", "replay", ".machine"] {
            let code = source.lines().filter(|line| !line.trim_start().starts_with("//"));
            for line in code {
                assert!(!line.contains(way), "{way}: {line}");
            }
        }
    }
}
