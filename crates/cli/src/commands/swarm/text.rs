//! What became of swarms, as a table, and how to see failures again.

use crate::args::SwarmArgs;
use crate::output::{self, Column};
use bellwether_lab::matrix::{Example, MatrixCell};
use bellwether_lab::swarm::Class;

pub fn as_text(args: &SwarmArgs, cells: &[MatrixCell], examples: &[Example]) -> String {
    let columns = [
        Column::Left("algorithm"),
        Column::Left("model"),
        Column::Right("right"),
        Column::Right("late"),
        Column::Right("no leader"),
        Column::Right("wrong leader"),
        Column::Right("two leaders"),
        Column::Right("two for a while"),
    ];
    let mut table = output::table(&columns);
    for cell in cells {
        let mut row = vec![cell.choice.to_string(), cell.model.to_string()];
        row.extend(Class::ALL.map(|class| cell.count(class).to_string()));
        row.push(cell.two_for_a_while.to_string());
        table.add_row(row);
    }
    let mut text = output::lines_of(&table);
    for example in examples {
        let Example { choice, model, class, found_at, .. } = example;
        let reduced = if args.shrink { ", reduced" } else { "" };
        text.push_str(&format!(
            "\n{choice} under {model}: {class}, first at seed {found_at}{reduced}\n    {}\n    {}\n",
            swarm_command(args, example),
            example.command()
        ));
    }
    if args.runs == 1 && examples.is_empty() {
        text.push('\n');
        for cell in cells {
            let run = args.drawing.matrix().draw(cell, args.drawing.seed);
            text.push_str(&format!("{}\n", bellwether_runspec::command(&run)));
        }
    }
    text
}

/// The command that draws one run again.
fn swarm_command(args: &SwarmArgs, example: &Example) -> String {
    let (choice, model, seed) = (example.choice, example.model, example.found_at);
    let (least, most) = (args.drawing.nodes.start(), args.drawing.nodes.end());
    let nodes = if (*least, *most) == (5, 9) { String::new() } else { format!(" --nodes {least}..{most}") };
    format!("bellwether swarm {choice} --model {model}{nodes} --seed {seed} --runs 1")
}
