//! The book's page "Three machines", step by step, in three network namespaces.

use crate::cluster::{program, write_for_owner};
use crate::namespaces::{Cables, address};
use crate::process::{Process, Record, id};
use bellwether::Event;
use bellwether::process::{ReportKind, SUPERVISOR};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use tempfile::TempDir;

/// The settings that the page shows.
pub fn settings_of_the_page() -> Value {
    let page = page();
    let example = page.split("```json").nth(1).and_then(|rest| rest.split("```").next());
    serde_json::from_str(example.expect("the page has an example")).unwrap()
}

fn page() -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/src/owners/three-machines.md");
    fs::read_to_string(path).unwrap()
}

/// The page's commands, in their order.
fn commands() -> Vec<String> {
    let page = page();
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    blocks.flat_map(str::lines).map(str::to_owned).collect()
}

#[test]
fn commands_of_the_page_elect_transfer_resign_and_stop() {
    let Some(cables) = Cables::lay(3, "the book's page on three machines") else { return };
    let commands = commands();
    let [secret, supervise] = &commands[..] else { panic!("the page has other commands: {commands:?}") };
    let words = |command: &str| command.split(' ').skip(1).map(str::to_owned).collect::<Vec<_>>();

    // 1. Make a secret.
    let made = Command::new(program()).args(words(secret)).output().unwrap();
    let made = String::from_utf8(made.stdout).unwrap();

    // 2. Write a settings file on each machine.
    let directory = TempDir::new().unwrap();
    let mut settings = settings_of_the_page();
    settings["security"]["secret"] = json!(made.trim_end());
    for member in settings["members"].as_array_mut().unwrap() {
        let host = address(member["id"].as_u64().unwrap());
        let given = member["address"].as_str().unwrap();
        member["address"] = json!(format!("{host}:{}", given.split_once(':').unwrap().1));
    }
    let machines: Vec<_> = [1, 2, 3].map(|me| (me, directory.path().join(format!("machine-{me}")))).into();
    for (me, machine) in &machines {
        fs::create_dir(machine).unwrap();
        settings["me"] = json!(me);
        settings["data"] = json!(machine.join("election"));
        write_for_owner(&machine.join("settings.json"), &serde_json::to_vec(&settings).unwrap());
    }

    // 3. Start one member on each machine.
    let record = Arc::new(Record::default());
    let mut running: Vec<Process> = Vec::new();
    for ((me, machine), namespace) in machines.iter().zip(cables.members()) {
        let mut command = namespace.command(program());
        command.args(words(supervise)).current_dir(machine).env(SUPERVISOR, std::process::id().to_string());
        running.push(Process::start(command, id(*me), &record, 0));
    }
    let known_to = |members: &'static [u64], leader: u64| {
        record.until(&format!("{members:?} name {leader}"), |recording| {
            let known = recording.known_leaders();
            members.iter().all(|me| known.get(me).is_some_and(|it| it.0 == leader)).then_some(())
        });
    };
    known_to(&[1, 2, 3], 3); // the greatest id

    // 5. Ask and command.
    running[2].order("show");
    record.until("3 shows its status", |recording| {
        recording.lines.iter().any(|line| matches!(line.what, ReportKind::Shown { .. })).then_some(())
    });
    running[2].order("transfer 1");
    known_to(&[1, 2, 3], 1);
    running[0].order("resign");
    let lost = |line: &bellwether::process::Report| {
        line.member == id(1) && matches!(line.what, ReportKind::Event(Event::Lost { .. }))
    };
    record.until("1 has resigned", |recording| recording.lines.iter().any(lost).then_some(()));

    // 6. Stop: the greatest of the others leads.
    running[2].order("stop");
    running[2].wait_for_end();
    let ended = running[2].errors();
    assert!(ended.contains("exit code Some(0)"), "{ended}");
    known_to(&[1, 2], 2);
}
