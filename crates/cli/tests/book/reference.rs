//! The pages of the commands are what `--help` prints, and the table of contents has all of them.

use crate::pages::root;
use std::fs;
use std::process::{Command, Stdio};

/// With REWRITE_GOLDEN set the pages are written.
#[test]
fn command_pages_are_up_to_date() {
    let directory = root().join("book/src/reference/commands");
    let rewrite = std::env::var_os("REWRITE_GOLDEN").is_some();
    let commands = commands();
    let pages = commands.iter().map(|command| (format!("{command}.md"), page(&[command])));
    for (name, page) in pages.chain([("README.md".to_owned(), overview())]) {
        let path = directory.join(&name);
        if rewrite {
            fs::create_dir_all(&directory).unwrap();
            fs::write(&path, &page).unwrap();
        }
        let written = fs::read_to_string(&path).unwrap_or_default();
        assert!(written == page, "{name} is not what --help prints: REWRITE_GOLDEN=1 writes it anew");
    }
    let there = fs::read_dir(&directory).unwrap().count();
    assert_eq!(there, commands.len() + 1, "a page of a command that is no more");
}

/// The names of all commands, as the program lists them.
fn commands() -> Vec<String> {
    let help = help(&[]);
    let list = help.split("Commands:\n").nth(1).and_then(|rest| rest.split("\n\n").next());
    let named = list.expect("the help lists them").lines().filter(|line| !line.starts_with("   "));
    named.map(|line| line.split_whitespace().next().unwrap().to_owned()).filter(|it| it != "help").collect()
}

fn overview() -> String {
    let links: String = commands().iter().map(|name| format!("- [`{name}`]({name}.md)\n")).collect();
    page(&[]) + "\n" + &links
}

fn page(command: &[&str]) -> String {
    let title = if let [command] = command { format!("`{command}`") } else { "Commands".to_owned() };
    let how = "generated from `--help`: REWRITE_GOLDEN=1 cargo test -p bellwether-cli --test book";
    format!("<!-- {how} -->\n\n# {title}\n\n```text\n{}\n```\n", help(command).trim_end())
}

fn help(command: &[&str]) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_bellwether"));
    program.args(command).arg("--help").env("COLUMNS", "80").stdin(Stdio::null());
    let output = program.output().expect("the program runs");
    assert!(output.status.success(), "{command:?}");
    let text = String::from_utf8(output.stdout).expect("help is UTF-8");
    text.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}
