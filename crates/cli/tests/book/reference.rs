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
    for (name, page) in pages.chain([("overview.md".to_owned(), overview())]) {
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
    let page = page(&[]);
    commands().iter().fold(page, |page, name| {
        page.replace(&format!("\n- `{name}`: "), &format!("\n- [`{name}`]({name}.md): "))
    })
}

fn page(command: &[&str]) -> String {
    let title = if let [command] = command { format!("`{command}`") } else { "Commands".to_owned() };
    let how = "generated from `--help`: REWRITE_GOLDEN=1 cargo test -p bellwether-cli --test book";
    format!("<!-- {how} -->\n\n# {title}\n\n{}\n", markdown(&help(command)).trim_end())
}

fn help(command: &[&str]) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_bellwether"));
    // So wide that no paragraph is broken into lines.
    program.args(command).arg("--help").env("COLUMNS", "9999").stdin(Stdio::null());
    let output = program.output().expect("the program runs");
    assert!(output.status.success(), "{command:?}");
    String::from_utf8(output.stdout).expect("help is UTF-8")
}

/// Help as Markdown: a heading for each group, a list of its options, and below each what it means.
fn markdown(help: &str) -> String {
    let mut page = String::new();
    let mut in_item = false;
    let mut lines = help.lines().map(str::trim_end).peekable();
    let (mut after_blank, mut after_head) = (true, false);
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        let text = line.trim_start();
        let is_table = |next: Option<&&str>| {
            next.is_some_and(|it| it.starts_with("          ") && !it.trim().is_empty())
        };
        match indent {
            _ if text.is_empty() => {
                page.push('\n');
                after_blank = true;
                continue;
            }
            0 if text.starts_with("Usage: ") => {
                page += &format!("```text\n{}\n```\n", text.trim_start_matches("Usage: "));
            }
            0 if text.ends_with(':') => {
                page += &format!("\n## {}\n\n", text.trim_end_matches(':'));
                in_item = false;
            }
            0 => page += &format!("{}\n", escaped(text)),
            // A list of codes goes on in the next line.
            5 if in_item && !text.starts_with('-') && !text.contains("  ") => {
                page += &format!("  {}\n", escaped(text));
            }
            1..=9 => {
                let (head, rest) = text.split_once("  ").unwrap_or((text, ""));
                page += &format!("- `{head}`");
                page +=
                    &(if rest.is_empty() { "\n\n".into() } else { format!(": {}\n", escaped(rest.trim())) });
                in_item = true;
            }
            _ => {
                let is_row = !after_head && (!after_blank || is_table(lines.peek()));
                match text.strip_prefix("- ") {
                    Some(value) => {
                        let (name, rest) = value.split_once(':').unwrap_or((value, ""));
                        page += &format!("  - `{name}`: {}\n", escaped(rest.trim()));
                    }
                    None if text.ends_with(':') => page += &format!("  {text}\n\n"),
                    None if is_row => {
                        let (name, rest) =
                            text.split_once("  ").or(text.split_once(' ')).unwrap_or((text, ""));
                        page += &format!("  - `{name}`: {}\n", escaped(rest.trim()));
                    }
                    None => page += &format!("  {}\n", escaped(text)),
                }
            }
        }
        after_blank = false;
        after_head = (1..=9).contains(&indent);
    }
    // No more than one empty line in a row.
    let mut tidy = String::new();
    for line in page.lines() {
        let line = line.trim_end();
        if !line.is_empty() || !tidy.ends_with("\n\n") {
            tidy += line;
            tidy.push('\n');
        }
    }
    tidy
}

/// With a backslash before what Markdown would take for its own, outside code.
fn escaped(text: &str) -> String {
    let parts = text.split('`').enumerate().map(|(place, part)| {
        let is_code = place % 2 == 1;
        if is_code {
            part.to_owned()
        } else {
            part.replace('<', "\\<").replace('*', "\\*").replace('|', "\\|").replace('[', "\\[")
        }
    });
    parts.collect::<Vec<_>>().join("`")
}
