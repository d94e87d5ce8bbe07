//! The README's picture is what the program draws, and its Rust compiles.

use crate::pages::{Page, blocks, root};
use std::error::Error;
use std::fs;
use std::process::{Command, Stdio};

/// With REWRITE_GOLDEN set the picture is written.
#[test]
fn picture_of_the_readme_is_what_the_program_draws() {
    let path = root().join("book/src/images/takeover.svg");
    let mut program = Command::new(env!("CARGO_BIN_EXE_bellwether"));
    let scenario = path.with_extension("toml");
    program.arg("play").arg(scenario).args(["--export", "svg:-"]).stdin(Stdio::null());
    let output = program.output().expect("the program runs");
    assert!(output.status.success());
    let drawn = String::from_utf8(output.stdout).expect("it is UTF-8");
    if std::env::var_os("REWRITE_GOLDEN").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &drawn).unwrap();
    }
    let there = fs::read_to_string(&path).unwrap_or_default();
    assert!(there == drawn, "the picture has changed: REWRITE_GOLDEN=1 draws it anew");
}

#[test]
fn rust_of_the_readme_is_the_function_below() {
    let readme = Page::read(&root().join("README.md"));
    let (blocks, _) = blocks(&readme.text);
    let shown = blocks.iter().find(|block| block.language == "rust").expect("the README shows Rust");
    let indented: String = shown.text.lines().map(|line| format!("    {line}\n")).collect();
    assert!(include_str!("readme.rs").contains(&indented), "the README's Rust is not what is compiled here");
}

/// The README's example. It only has to compile.
#[expect(dead_code)]
async fn example() -> Result<(), Box<dyn Error>> {
    use bellwether::Id;

    let elector = bellwether::builder("orders", Id::new(1)?)
        .member(Id::new(1)?, "one.example:7400")
        .member(Id::new(2)?, "two.example:7400")
        .member(Id::new(3)?, "three.example:7400")
        .secret(std::env::var("ORDERS_SECRET")?)
        .data("/var/lib/orders/election")
        .start()?;
    let leadership = elector.campaign().await?; // waits until this member leads
    while let Ok(token) = leadership.check() {
        write(token, "what the leader does").await?; // the resource refuses smaller tokens
    }
    Ok(())
}

async fn write(_token: u64, _what: &str) -> std::io::Result<()> {
    Ok(())
}
