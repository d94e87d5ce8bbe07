//! What the live view shows, and what keys do.

use super::cluster_view::{ClusterView, Condition, MemberView};
use super::key_commands::KeyCommand;
use super::screen::Board;
use crate::look::{ColorArg, Look};
use bellwether::process::ReportKind;
use bellwether::{Event, Id};
use bellwether_testkit::golden::assert_golden;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

fn id(value: u64) -> Id {
    Id::new(value).unwrap()
}

fn board() -> Board {
    let look = Look::new(false, ColorArg::Auto, |name| (name == "LANG").then(|| "en_GB.UTF-8".to_owned()));
    let promise = "one leader at most, whatever the network does, with 5 members of which 2 may fail";
    let mut board = Board::new(format!("quorum-lease (steady): {promise}"), id(1), look);
    board.log("   1.0000 s  member 5 is killed".to_owned());
    board.log("   1.0031 s  member 4 LEADS, with token 2".to_owned());
    board
}

/// 5 is dead, 4 leads with 0.2 s of 0.3 s left, 3 is frozen, 2 is cut, 1 follows.
fn cluster() -> ClusterView {
    let mut cluster: ClusterView = (1..=5).map(|it| (id(it), MemberView::default())).collect();
    for (member, view) in &mut cluster {
        let address = "127.1.2.3:7401".parse().unwrap();
        let pid = 4_000 + member.value() as u32;
        let said = [
            Event::Started { address, boot: 1, pid },
            Event::Elected { leader: id(5), term: 1 },
            Event::Disconnected { peer: id(5), why: "closed".to_owned() },
            Event::Died { peer: id(5) },
            Event::Elected { leader: id(4), term: 2 },
        ];
        said.into_iter().for_each(|event| view.hear(0, &ReportKind::Event(event)));
    }
    cluster.get_mut(&id(5)).unwrap().die();
    cluster.get_mut(&id(4)).unwrap().hear(1_000_000, &ReportKind::Lease { leads_in: 2, until_us: 1_300_000 });
    cluster.get_mut(&id(3)).unwrap().condition = Condition::Paused;
    let cut = cluster.get_mut(&id(2)).unwrap();
    cut.is_cut = true;
    cut.hear(0, &ReportKind::Event(Event::Leaderless { term: 2 }));
    cut.hear(0, &ReportKind::Event(Event::Disconnected { peer: id(1), why: "silence".to_owned() }));
    cluster
}

fn screen(board: &Board, (width, height): (u16, u16)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
    let cluster = cluster();
    let draw = |frame: &mut ratatui::Frame<'_>| {
        board.draw(&cluster, (1_100_000, 0), frame.area(), frame.buffer_mut());
    };
    terminal.draw(draw).unwrap();
    let buffer = terminal.backend().buffer();
    let line =
        |y| (0..width).map(|x| buffer[(x, y)].symbol()).collect::<String>().trim_end().to_owned() + "\n";
    (0..height).map(line).collect()
}

#[test]
fn the_live_view_is_as_it_was() {
    assert_golden(env!("CARGO_MANIFEST_DIR"), "up.txt", &screen(&board(), (110, 16)));
}

#[test]
fn every_size_can_be_drawn_on() {
    for size in [(0, 0), (1, 1), (3, 40), (200, 2), (20, 10), (80, 24), (250, 80)] {
        screen(&board(), size);
    }
}

#[test]
fn keys_select_a_member_and_do_something_to_it() {
    let (mut board, cluster) = (board(), cluster());
    let mut press = |code: KeyCode| board.press(KeyEvent::from(code), &cluster);
    assert_eq!(press(KeyCode::Char('k')), Some(KeyCommand::Kill(id(1))));
    assert_eq!(press(KeyCode::Up), None);
    assert_eq!(press(KeyCode::Char('p')), Some(KeyCommand::Pause(id(1))), "nobody is above the first");
    assert_eq!(press(KeyCode::Down), None);
    assert_eq!(press(KeyCode::Char('x')), Some(KeyCommand::Cut(id(2))));
    assert_eq!(press(KeyCode::Char('9')), None);
    assert_eq!(press(KeyCode::Char('h')), Some(KeyCommand::Heal(id(2))), "there is no member 9");
    assert_eq!(press(KeyCode::Char('4')), None);
    assert_eq!(press(KeyCode::Char('c')), Some(KeyCommand::Continue(id(4))));
    assert_eq!(press(KeyCode::Char('r')), Some(KeyCommand::Restart(id(4))));
    assert_eq!(press(KeyCode::Char('t')), Some(KeyCommand::Transfer(id(4))));
    assert_eq!(press(KeyCode::Char('l')), Some(KeyCommand::Resign));
    assert_eq!(press(KeyCode::Char('q')), Some(KeyCommand::Quit));
    let interrupt = KeyEvent::new(KeyCode::Char('c'), KeyModifiers::CONTROL);
    assert_eq!(board.press(interrupt, &cluster), Some(KeyCommand::Quit));
}
