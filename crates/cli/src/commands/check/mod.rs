//! `bellwether check`: every run there can be.

mod all;
mod files;
mod json;
mod story;
#[cfg(test)]
mod tests;
mod text;

use crate::args::{CheckArgs, CheckFormat};
use crate::choice::Choice;
use crate::error::{ExitStatus, Failure};
use crate::memory;
use crate::output::{self, grouped};
use crate::progress::Progress;
use bellwether_check::{CheckPlan, CheckReport, CheckRequest, CheckResult, Effort, FamilyProgress, Property};
use bellwether_core::Order;
use bellwether_engine::ALGORITHMS;
use bellwether_runspec::RunSpec;
use bellwether_sim::Outcome;

/// How many members there are when nothing says so.
const DEFAULT_NODES: u64 = 3;

/// Checks what is asked for; prints what holds, and the run that breaks what does not.
pub fn run(args: &CheckArgs) -> Result<ExitStatus, Failure> {
    if args.all {
        return all::run(args);
    }
    if args.format == CheckFormat::Markdown {
        return Err(Failure::input(
            "--format markdown is for the table of all algorithms: it goes with --all",
        ));
    }
    let run = args.run.described()?;
    let choice = Choice::find(&run.algorithm, run.variant.as_deref())?;
    let again = args.again(&run, choice.spec)?;
    let plan = plan(args, run, &choice)?;
    let effort = effort(args)?;
    files::refuse(&args.files, &plan)?;
    let progress = Progress::endless(choice.label());
    let report = plan.run(&effort, &|now| progress.say(how_far(&plan, now)))?;
    drop(progress);
    match args.format {
        CheckFormat::Json => {
            let object = json::CheckObject::new(&choice, &plan, &report, again);
            output::print_json(&object)?;
        }
        _ => output::print(
            text::describe(&again, args.files.save.as_deref(), &choice, &plan, &report).as_bytes(),
        )?,
    }
    files::write(&args.files, &choice, &plan, &report)?;
    Ok(exit_status(&report))
}

fn plan(args: &CheckArgs, run: RunSpec, choice: &Choice) -> Result<CheckPlan, Failure> {
    let shape = run.shape(choice.spec);
    let order = run.order.or((!shape.names_members()).then_some(Order::Worst));
    let run = RunSpec { order, ..run };
    Ok(CheckPlan::new(CheckRequest {
        algorithm: *ALGORITHMS.entries[choice.entry],
        run: run.in_full(choice, DEFAULT_NODES),
        all_orders: args.orders.is_some(),
        initiators: args.initiators.clone(),
        faults: args.faults(choice.spec)?,
    })?)
}

/// How hard to try, as the command line says.
pub fn effort(args: &CheckArgs) -> Result<Effort, Failure> {
    Ok(Effort {
        reduction: !args.no_reduction,
        symmetry: !args.no_symmetry,
        threads: args.threads.into(),
        memory: memory::for_states(args.memory)?,
        states: args.states.unwrap_or(u64::MAX),
        time: args.time,
    })
}

fn how_far(plan: &CheckPlan, now: &FamilyProgress) -> String {
    let rate = (now.states as f64 / now.elapsed.as_secs_f64().max(1e-9)) as u64;
    let [states, rate, queue] = [now.states, rate, now.current.queue].map(grouped);
    let which = if plan.size > 1 { format!(", check {} of {}", now.check, plan.size) } else { String::new() };
    let depth = now.current.depth;
    format!("{states} states, {rate} a second, depth {depth}, {queue} in the queue{which}")
}

/// How the program is to end: as the run says that it shows.
fn exit_status(report: &CheckReport) -> ExitStatus {
    match report.gravest() {
        Some((Property::OneLeader | Property::BestLeads, _)) => ExitStatus::Unsafe,
        Some((Property::Eventually | Property::SomeoneLeads, _)) => ExitStatus::NotLive,
        // Some name another, or some do not know.
        Some((Property::AllAgree, violation)) if violation.report.ruling.outcome == Outcome::Split => {
            ExitStatus::Unsafe
        }
        Some((Property::AllAgree, _)) => ExitStatus::NotLive,
        Some((Property::AsClaimed, _)) => ExitStatus::NotAsClaimed,
        None if report.verdict() == CheckResult::Incomplete => ExitStatus::Incomplete,
        None => ExitStatus::Fine,
    }
}
