//! A run as a space-time diagram: a line a member, time to the right, an arrow a message.

use super::axis::Axis;
use super::mark::{Mark, cross};
use super::svg::{self, escaped, line, text, width, wrapped};
use crate::wording::{self, Heading};
use bellwether_core::{Role, Time};
use bellwether_model::recording::{Condition, Input, Recording, Sent, Step};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

/// Around everything, in pixels.
const MARGIN: f64 = 24.0;
/// Between the first thing that happens and the names.
const INDENT: f64 = 26.0;
/// From line to line, while members are few, and when they are many.
const LANE: f64 = 58.0;
const LEAST_LANE: f64 = 16.0;
/// The height at which lines move closer together.
const TALL: f64 = 1_100.0;
/// With more messages than that, arrows have no words beside them.
const MOST_LABELS: usize = 160;
/// Where an arrow's words begin, at most.
const LABEL_AT: f64 = 36.0;
/// Arrows stop so far from the middle of the dot.
const SHORTENED: f64 = 6.0;
/// No diagram is narrower than this, so that words fit.
const NARROWEST: f64 = 640.0;
const TITLE_SIZE: f64 = 20.0;
const TEXT_SIZE: f64 = 13.0;
/// How far the marks of time reach below the last member's line.
const BELOW: f64 = 16.0;
/// The colours of kinds; a dash pattern goes with them, so that nobody has to tell colours apart.
const KINDS_TOLD_APART: usize = 8;

/// Light and dark are the onlooker's choice. Okabe and Ito's colours, which the colour-blind can
/// tell apart, made darker or brighter for the background.
const STYLE: &str = "
svg{--bg:#ffffff;--ink:#1b1f24;--soft:#6a737d;--lane:#aab2bb;--gold:#b8860b;--red:#c0182b;
--k0:#0072b2;--k1:#c24e00;--k2:#007a58;--k3:#a8437c;--k4:#7d6200;--k5:#4a4a4a;--k6:#3f51b5;--k7:#7b3f00}
@media (prefers-color-scheme:dark){svg{--bg:#14181d;--ink:#e8ebee;--soft:#9aa4af;--lane:#4c5763;
--gold:#ffcf40;--red:#ff6b75;--k0:#56b4e9;--k1:#ff9b45;--k2:#2fd0a0;--k3:#ef9bc8;--k4:#f0d24a;--k5:#c4c4c4;
--k6:#a5b1ff;--k7:#d8a37a}}
text{font-family:system-ui,'Segoe UI',Helvetica,Arial,sans-serif;font-size:13px;fill:var(--ink)}
.title{font-size:20px;font-weight:600}.soft{fill:var(--soft)}.tick{fill:var(--soft);text-anchor:middle;font-size:11px}
.name{font-weight:600;text-anchor:end}.attribute{fill:var(--soft);font-size:11px;text-anchor:end}
.word{font-size:11px;text-anchor:middle;paint-order:stroke;stroke:var(--bg);stroke-width:4px;stroke-linejoin:round}
.lane{stroke:var(--lane);stroke-width:1.5}.down{stroke:var(--lane);stroke-width:1.5;stroke-dasharray:2 5}
.leads{stroke:var(--gold);stroke-width:4;stroke-linecap:round}.grid{stroke:var(--lane);stroke-width:.5;opacity:.5}
.cut{stroke:var(--soft);stroke-width:1.5}.dot{fill:var(--ink)}.call{fill:var(--bg);stroke:var(--ink);stroke-width:2}
.timer{fill:var(--bg);stroke:var(--ink);stroke-width:1.8}.knows{fill:none;stroke:var(--gold);stroke-width:2}
.star{fill:var(--gold);stroke:var(--bg);stroke-width:1}.cross{stroke:var(--red);stroke-width:3;stroke-linecap:round}
.boot{stroke:var(--ink);stroke-width:2}.message{fill:none;stroke-width:1.7}.open{opacity:.45}";

/// More of it where something goes wrong.
const TROUBLE_STYLE: &str = "
.frozen{stroke:var(--soft);stroke-width:3;stroke-dasharray:1 4}.struck{fill:var(--red);stroke:var(--bg)}
.righted{fill:var(--bg);stroke:var(--red);stroke-width:2}";

/// Draws the diagram.
pub fn write(recording: &Recording, heading: &Heading) -> String {
    Diagram::new(recording, heading).draw()
}

struct Diagram<'a> {
    recording: &'a Recording,
    heading: &'a Heading,
    axis: Axis,
    /// Left of this are names.
    left: f64,
    /// The first line is here.
    top: f64,
    lane: f64,
    width: f64,
    about: Vec<String>,
}

impl<'a> Diagram<'a> {
    fn new(recording: &'a Recording, heading: &'a Heading) -> Self {
        let axis = Axis::new(recording);
        let names = recording.ranks.iter().map(|rank| width(&rank.to_string(), TEXT_SIZE));
        let left = MARGIN + names.fold(30.0, f64::max) + INDENT + 8.0;
        let width = (left + axis.width() + INDENT + MARGIN).max(NARROWEST);
        let about = wrapped(&heading.about, TEXT_SIZE, width - 2.0 * MARGIN);
        let top = MARGIN + TITLE_SIZE + about.len() as f64 * 18.0 + 62.0;
        let lane = (TALL / f64::from(recording.n())).clamp(LEAST_LANE, LANE);
        Diagram { recording, heading, axis, left, top, lane, width, about }
    }

    fn x(&self, time: Time) -> f64 {
        self.left + self.axis.x(time)
    }

    fn y(&self, member: u32) -> f64 {
        self.top + f64::from(member) * self.lane
    }

    fn bottom(&self) -> f64 {
        self.y(self.recording.n() - 1)
    }

    fn right(&self) -> f64 {
        self.left + self.axis.width() + INDENT
    }

    fn draw(&self) -> String {
        let mut body = String::new();
        self.draw_heading(&mut body);
        self.draw_axis(&mut body);
        (0..self.recording.n()).for_each(|member| self.draw_lane(&mut body, member));
        (0..self.recording.messages.len()).for_each(|message| self.draw_message(&mut body, message));
        self.draw_steps(&mut body);
        if self.recording.messages.len() <= MOST_LABELS {
            (0..self.recording.messages.len()).for_each(|message| self.draw_word(&mut body, message));
        }
        let height = self.draw_legend(&mut body) + MARGIN;
        let width = self.width;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
             viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-labelledby=\"title about\">\n\
             <title id=\"title\">{}</title>\n<desc id=\"about\">{} {}</desc>\n<style>{STYLE}",
            escaped(&self.heading.title),
            escaped(&self.heading.about),
            escaped(&wording::outcome(self.recording)),
        );
        if self.recording.steps.iter().any(|step| matches!(step.inputs[..], [Input::Struck(_)])) {
            svg.push_str(TROUBLE_STYLE);
        }
        self.write_kinds(&mut svg);
        let _ = writeln!(svg, r#"<rect width="100%" height="100%" style="fill:var(--bg)"/>"#);
        svg + &body + "</svg>\n"
    }

    /// The styles and arrow heads of the kinds there are.
    fn write_kinds(&self, svg: &mut String) {
        let dashes = ["", ";stroke-dasharray:7 4", ";stroke-dasharray:2 4", ";stroke-dasharray:9 4 2 4"];
        for kind in 0..self.recording.kinds.len() {
            let (colour, dash) = (kind % KINDS_TOLD_APART, dashes[kind % dashes.len()]);
            let _ = write!(
                svg,
                "\n.kind{kind}{{stroke:var(--k{colour}){dash}}}.head{kind}{{fill:var(--k{colour})}}"
            );
        }
        svg.push_str("\n</style>\n<defs>\n");
        for kind in 0..self.recording.kinds.len() {
            let _ = writeln!(
                svg,
                "<marker id=\"head{kind}\" viewBox=\"0 0 10 10\" refX=\"9\" refY=\"5\" markerWidth=\"9\" \
                 markerHeight=\"9\" markerUnits=\"userSpaceOnUse\" orient=\"auto\">\
                 <path class=\"head{kind}\" d=\"M0 1L10 5L0 9z\"/></marker>"
            );
        }
        svg.push_str("</defs>\n");
    }

    fn draw_heading(&self, svg: &mut String) {
        let mut y = MARGIN + TITLE_SIZE * 0.8;
        text(svg, "title", (MARGIN, y), &self.heading.title);
        for line in &self.about {
            y += 18.0;
            text(svg, "soft", (MARGIN, y + 4.0), line);
        }
    }

    fn draw_axis(&self, svg: &mut String) {
        let y = self.top - 30.0;
        let (name, first) = if self.recording.is_in_rounds() { ("round", 1) } else { ("hops", 0) };
        text(svg, "attribute", (self.left - INDENT, y), name);
        for (hop, x) in self.axis.marks() {
            let x = self.left + x;
            text(svg, "tick", (x, y), &(hop + first).to_string());
            line(svg, "grid", (x, y + 6.0), (x, self.bottom() + BELOW));
        }
        for x in self.axis.cuts() {
            let x = self.left + x;
            for x in [x - 3.0, x + 3.0] {
                line(svg, "cut", (x - 3.0, y + 1.0), (x + 3.0, y - 9.0));
            }
        }
        if let Some(from) = self.recording.goes_round_from {
            let x = self.x(from) - SHORTENED;
            let y = self.bottom() + BELOW + TEXT_SIZE; // clear of what happens to the last member
            line(svg, "cut", (x, self.top - TEXT_SIZE), (x, y));
            text(svg, "soft", (x + 3.0, y), "from here on for ever");
        }
    }

    /// A member's name and its line: thin while it is up, thick while it leads, dotted while it is
    /// not up.
    fn draw_lane(&self, svg: &mut String, member: u32) {
        let y = self.y(member);
        text(svg, "name", (self.left - INDENT, y + 4.5), &self.recording.ranks[member as usize].to_string());
        let mut from = self.left - INDENT + 8.0;
        let mut class = "down";
        let own = self.recording.steps.iter().filter(|step| step.member == member);
        for (x, next) in own.map(|step| (self.x(step.at), class_of(step))) {
            if next != class {
                // Whoever is up at the beginning is so from the line's beginning on.
                if x > self.left {
                    line(svg, class, (from, y), (x, y));
                    from = x;
                }
                class = next;
            }
        }
        line(svg, class, (from, y), (self.right(), y));
    }

    fn draw_message(&self, svg: &mut String, number: usize) {
        let message = &self.recording.messages[number];
        let ends = message.end.map_or(message.due, |end| self.recording.steps[end.in_step].at);
        let is_lost = message.end.is_some_and(|end| end.lost);
        let open = if message.end.is_none() { " open" } else { "" };
        let (from, to) = self.line_of(message);
        let mut path = format!("M{:.1} {:.1}", from.0, from.1);
        if message.from == message.to {
            let (middle, height) = (f64::midpoint(from.0, to.0), from.1 - self.lane * 0.6);
            let _ = write!(path, "Q{middle:.1} {height:.1} {:.1} {:.1}", to.0, to.1);
        } else {
            let _ = write!(path, "L{:.1} {:.1}", to.0, to.1);
        }
        if ends > message.due {
            let _ = write!(path, "H{:.1}", self.x(ends) - SHORTENED); // it waits at the door
        }
        let head =
            if is_lost { String::new() } else { format!(r#" marker-end="url(#head{})""#, message.kind) };
        let _ = writeln!(
            svg,
            r#"<path class="message kind{}{open}" d="{path}"{head}><title>{}</title></path>"#,
            message.kind,
            escaped(&self.story_of(number)),
        );
        if is_lost {
            cross(svg, to, 4.0);
        }
    }

    /// Where a message's line begins and ends.
    fn line_of(&self, message: &Sent) -> ((f64, f64), (f64, f64)) {
        let from = (self.x(message.at), self.y(message.from));
        let to = (self.x(message.due), self.y(message.to));
        let length = (to.0 - from.0).hypot(to.1 - from.1).max(1.0);
        // What a link loses ends half-way.
        let back = if message.dropped.is_some() { 0.5 } else { SHORTENED.min(length / 2.0) / length };
        (from, (to.0 - (to.0 - from.0) * back, to.1 - (to.1 - from.1) * back))
    }

    fn story_of(&self, number: usize) -> String {
        let message = &self.recording.messages[number];
        let (from, to) = (self.recording.id(message.from), self.recording.id(message.to));
        let end = match message.end {
            None => format!("due at {}", message.due),
            Some(_) if message.dropped.is_some() => {
                wording::on_the_way(message).unwrap_or_default().to_owned()
            }
            Some(end) => {
                let at = self.recording.steps[end.in_step].at;
                if end.lost { format!("lost at {at}") } else { format!("arrived at {at}") }
            }
        };
        format!("{} from {from} to {to}, sent at {}, {end}", self.recording.label(number), message.at)
    }

    /// What a message says, beside its arrow's beginning.
    fn draw_word(&self, svg: &mut String, number: usize) {
        let message = &self.recording.messages[number];
        if message.text.is_empty() || message.from == message.to || self.lane < LANE * 0.6 {
            return;
        }
        let (from, to) = self.line_of(message);
        let length = (to.0 - from.0).hypot(to.1 - from.1).max(1.0);
        let share = (LABEL_AT / length).min(0.5);
        let at = (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share + 4.0);
        text(svg, "word", at, &message.text);
    }

    /// The steps of each member at each time: there is one mark for all of them.
    fn steps_by_place(&self) -> BTreeMap<(u32, Time), Vec<usize>> {
        let mut places: BTreeMap<(u32, Time), Vec<usize>> = BTreeMap::new();
        for (number, step) in self.recording.steps.iter().enumerate() {
            places.entry((step.member, step.at)).or_default().push(number);
        }
        places
    }

    fn draw_steps(&self, svg: &mut String) {
        for ((member, at), steps) in self.steps_by_place() {
            let place = (self.x(at), self.y(member));
            let story: Vec<String> = steps.iter().map(|&number| self.story_of_step(number)).collect();
            let _ = write!(svg, "<g><title>{}</title>", escaped(&story.join("\n")));
            Mark::of(self.recording, &steps).draw(svg, place);
            svg.push_str("</g>\n");
        }
    }

    fn story_of_step(&self, number: usize) -> String {
        let step = &self.recording.steps[number];
        let mut story = format!(
            "step {}: {} {}",
            number + 1,
            self.recording.id(step.member),
            wording::event(self.recording, step)
        );
        if let Some(reason) = step.reason {
            let _ = write!(story, " ({reason})");
        }
        if self.recording.is_decision(number) {
            let _ = write!(story, "; now it {}", wording::standing(step.seat.status));
        }
        story
    }

    /// Says what lines and marks mean, and returns where it ends.
    fn draw_legend(&self, svg: &mut String) -> f64 {
        const SAMPLE: f64 = 44.0;
        let (mut x, mut y) = (MARGIN, self.bottom() + 56.0);
        let mut place = |words: &str| {
            let taken = SAMPLE + svg::width(words, TEXT_SIZE) + 20.0;
            if x > MARGIN && x + taken > self.width - MARGIN {
                (x, y) = (MARGIN, y + 26.0);
            }
            let at = (x, y);
            x += taken;
            at
        };
        for (kind, words) in self.recording.kinds.iter().enumerate() {
            if self.recording.messages.iter().any(|message| message.kind == kind) {
                let (x, y) = place(words.name);
                let _ = writeln!(
                    svg,
                    r#"<path class="message kind{kind}" d="M{x:.1} {y:.1}h34" marker-end="url(#head{kind})"/>"#
                );
                text(svg, "", (x + SAMPLE, y + 4.5), words.name);
            }
        }
        let places = self.steps_by_place();
        let mut shown: BTreeSet<Mark> =
            places.values().map(|steps| Mark::of(self.recording, steps)).collect();
        shown.remove(&Mark::Nothing);
        for mark in shown {
            let (x, y) = place(mark.words());
            mark.draw(svg, (x + SAMPLE - 22.0, y));
            text(svg, "", (x + SAMPLE, y + 4.5), mark.words());
        }
        if self.recording.messages.iter().any(|message| message.end.is_some_and(|end| end.lost)) {
            let (x, y) = place("message lost");
            line(svg, "message kind0", (x, y), (x + 30.0, y));
            cross(svg, (x + 32.0, y), 4.0);
            text(svg, "", (x + SAMPLE, y + 4.5), "message lost");
        }
        y
    }
}

fn class_of(step: &Step) -> &'static str {
    match step.seat {
        ref seat if seat.life == Condition::Frozen => "frozen",
        ref seat if seat.life != Condition::Up => "down",
        ref seat if seat.status.role == Role::Leader => "leads",
        _ => "lane",
    }
}
