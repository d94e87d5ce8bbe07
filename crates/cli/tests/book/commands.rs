//! Every command of the book is run, and ends as the page says.
//!
//! A block of code in `sh` has one command a line. Behind it a comment can say how it ends: `# exit code 4`, or
//! `# gives 13 messages, leader 80, exit code 4`. Other comments are for the reader only.

use crate::pages::{Page, blocks, pages, root};
use serde_json::Value;
use std::fs::File;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Commands that are not run, and why.
const NOT_RUN: &[(&str, &str)] = &[
    ("bellwether up", "it runs until a key is pressed: tests/cli/up tests it"),
    ("bellwether play ring-of-six", "it waits for keys: tests/cli/screen.rs tests it"),
    ("bellwether supervise settings.json", "it runs until it is stopped: tests/processes/files.rs tests it"),
    ("bellwether survive", "it takes minutes: tests/cli/survive.rs runs a part"),
    ("bellwether check --all", "it takes minutes: tests/cli/check.rs runs a part"),
    ("bellwether compare --plot rings.svg", "it takes minutes: tests/cli/compare.rs runs a part"),
    ("bellwether timeouts --plot raft-timeouts.svg", "it takes long: tests/cli/timeouts.rs runs a part"),
    (
        "bellwether trials quorum-lease --ordeal crash --runs 10000",
        "it takes long: tests/cli/trials.rs runs a part",
    ),
    (
        "bellwether detectors --trade-off --runs 100 --hops 2000 --plot detectors.svg",
        "it takes long: tests/cli/detectors.rs runs a part",
    ),
    (
        "bellwether swarm chang-roberts --model crash --runs 10000",
        "it takes long: another page has fewer runs",
    ),
    (
        "bellwether check modified-ring --nodes 2 --timing any --save modified-ring.toml",
        "it sees a million states",
    ),
];

/// Beginnings of lines that are not commands of the program, and why they are not run.
const OTHERS: &[(&str, &str)] = &[
    ("scripts/test", "it runs this test"),
    ("scripts/book", "scripts/test runs it"),
    ("cargo install --path crates/cli", "it changes the machine"),
    ("cargo build --release", "it takes minutes"),
    ("cargo bench", "it measures"),
    ("cargo run -p bellwether --example", "the examples are tested by themselves"),
    ("cargo run -p bellwether-testkit", "it needs root, and takes minutes"),
    ("install ", "it changes the machine"),
    ("mkfifo ", "tests/processes tests orders"),
    ("exec ", "tests/processes tests orders"),
    ("echo ", "tests/processes tests orders"),
    ("REWRITE_GOLDEN=1 ", "it rewrites files"),
];

/// No command takes longer, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(180);

/// One command of a page.
struct Shown {
    line: String,
    comment: String,
}

#[test]
fn commands_of_the_book_end_as_it_says() {
    let mut checked = pages();
    checked.push(Page::read(&root().join("README.md")));
    checked.retain(|page| !page.is_generated());
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let check = || {
            let mut wrong = Vec::new();
            while let Some(page) = checked.get(next.fetch_add(1, Ordering::Relaxed)) {
                wrong.extend(mistakes(page));
            }
            wrong
        };
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(check)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("it ends")).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn every_command_that_is_not_run_is_in_the_book() {
    let mut checked = pages();
    checked.push(Page::read(&root().join("README.md")));
    let shown: Vec<Shown> = checked.iter().flat_map(|page| commands(&page.text)).collect();
    for (command, why) in NOT_RUN {
        assert!(shown.iter().any(|it| it.line == *command), "no page shows '{command}' ({why})");
    }
}

/// What the commands of a page do otherwise than it says.
fn mistakes(page: &Page) -> Vec<String> {
    let directory = tempfile::tempdir().expect("a directory for what commands write");
    let run = |shown: &Shown| {
        let why = mistake(directory.path(), shown).err()?;
        Some(format!("{}: {}\n{why}", page.name(), shown.line))
    };
    commands(&page.text).iter().filter_map(run).collect()
}

/// The commands of a page's blocks in `sh`.
fn commands(text: &str) -> Vec<Shown> {
    let (blocks, _) = blocks(text);
    let shell = blocks.iter().filter(|block| block.language == "sh");
    let joined = shell.flat_map(|block| {
        let text = block.text.replace("\\\n", " ");
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    });
    let shown = joined.map(|line| {
        let (line, comment) = line.split_once(" # ").unwrap_or((&line, ""));
        let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
        let line = line.replacen("cargo run --release -- ", "bellwether ", 1);
        Shown { line, comment: comment.trim().to_owned() }
    });
    shown.filter(|shown| !shown.line.is_empty() && !shown.line.starts_with('#')).collect()
}

fn mistake(directory: &Path, shown: &Shown) -> Result<(), String> {
    let Some(arguments) = shown.line.strip_prefix("bellwether ") else {
        let known = OTHERS.iter().any(|(beginning, _)| shown.line.starts_with(beginning));
        return if known { Ok(()) } else { Err("it is not known why this is not run".to_owned()) };
    };
    if NOT_RUN.iter().any(|(command, _)| shown.line == *command) {
        return Ok(());
    }
    let expected = Expected::read(&shown.comment)?;
    let mut arguments = shlex::split(arguments).ok_or("its quotes are not closed")?;
    if !expected.figures.is_empty() {
        arguments.extend(["--format", "json"].map(str::to_owned));
    }
    let (code, output) = run(directory, &arguments)?;
    if code != expected.code {
        return Err(format!("exit code {code}, not {}\n{output}", expected.code));
    }
    let output: Value = if expected.figures.is_empty() {
        Value::Null
    } else {
        serde_json::from_str(&output).map_err(|error| format!("{error}\n{output}"))?
    };
    for (pointer, figure) in expected.figures {
        let found = output.pointer(&pointer).and_then(Value::as_f64);
        if found != Some(figure) {
            return Err(format!("{pointer} is {found:?}, not {figure}"));
        }
    }
    Ok(())
}

/// How a command ends.
#[derive(Default)]
struct Expected {
    code: i32,
    /// Where each is in the JSON output.
    figures: Vec<(String, f64)>,
}

impl Expected {
    fn read(comment: &str) -> Result<Expected, String> {
        let mut expected = Expected::default();
        let said = match comment.strip_prefix("gives ") {
            Some(said) => said,
            None if comment.starts_with("exit code ") => comment,
            None => return Ok(expected),
        };
        for term in said.split(", ") {
            let words: Vec<&str> = term.split(' ').collect();
            let number = |word: &str| word.replace(',', "").parse::<f64>();
            let figure = match words[..] {
                ["exit", "code", code] => {
                    expected.code = code.parse().map_err(|_| format!("'{term}' is no exit code"))?;
                    continue;
                }
                ["leader", id] => ("/leader".to_owned(), number(id)),
                ["storage", count, "bytes"] => ("/storage_max".to_owned(), number(count)),
                [count, "bytes"] => ("/bytes".to_owned(), number(count)),
                [count, "messages"] => ("/messages/total".to_owned(), number(count)),
                [count, kind, "messages"] => (format!("/messages/by_kind/{kind}"), number(count)),
                [count, "rounds"] => ("/rounds".to_owned(), number(count)),
                [count, "hops"] => ("/time".to_owned(), number(count)),
                [count, "states"] => ("/states".to_owned(), number(count)),
                _ => return Err(format!("'{term}' cannot be checked")),
            };
            let value = figure.1.map_err(|_| format!("'{term}' has no number"))?;
            expected.figures.push((figure.0, value));
        }
        Ok(expected)
    }
}

/// Runs the program to its end. Gives its exit code and what it printed, or what it complained about.
fn run(directory: &Path, arguments: &[String]) -> Result<(i32, String), String> {
    let [out, err] = ["stdout", "stderr"].map(|name| directory.join(format!(".{name}")));
    let file = |path: &Path| File::create(path).map_err(|error| error.to_string());
    let mut child = Command::new(env!("CARGO_BIN_EXE_bellwether"))
        .args(arguments)
        .current_dir(directory)
        .stdin(Stdio::null())
        .stdout(file(&out)?)
        .stderr(file(&err)?)
        .spawn()
        .map_err(|error| error.to_string())?;
    let began = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait().map_err(|error| error.to_string())? {
            break status;
        }
        if began.elapsed() > PATIENCE {
            let _ = child.kill().and_then(|()| child.wait());
            return Err(format!("it does not end within {PATIENCE:?}"));
        }
        std::thread::sleep(Duration::from_millis(10));
    };
    let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
    let code = status.code().ok_or("a signal ended it")?;
    let output = read(&out);
    Ok((code, if output.is_empty() { read(&err) } else { output }))
}
