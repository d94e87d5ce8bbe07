//! Files with a link a line.

use super::*;
use proptest::prelude::*;

const NAME: &str = "net.txt";

fn list(content: &str) -> Network {
    file(NAME, content).unwrap_or_else(|error| panic!("{content:?}: {error}"))
}

#[test]
fn all_ways_to_write_a_link() {
    let network = list(
        "# who talks to whom\n\n10 20\n20,30 # one way\n\t30 -> 10\r\n10 -- 40\n50 , 10\n40 -- 10\n10 20\n60\n#70 80\n10 -> 30",
    );
    assert_eq!(ids(&network), Some(vec![10, 20, 30, 40, 50, 60]));
    assert_eq!(
        links(network.topology()),
        [(0, 1), (0, 2), (0, 3), (1, 2), (2, 0), (3, 0), (4, 0)],
        "repeated links count once"
    );
    assert_eq!((network.strongly_connected(), network.diameter()), (false, None));
}

#[test]
fn names_need_not_be_numbers() {
    for content in
        ["a b", "1 b", "1 -2", "1 +2", "1 9223372036854775807", "1 99999999999999999999", "1 2.0", "1 ٣"]
    {
        assert_eq!(ids(&list(content)), None, "{content}");
    }
    assert_eq!(ids(&list("0 9223372036854775806")), Some(vec![0, 9_223_372_036_854_775_806]));
    assert_eq!(ids(&list("\u{feff}007 8")), Some(vec![7, 8]));
    assert_eq!(list("node#1 node#2\nnode#2 node#1").n(), 2, "a comment begins a word");
}

#[test]
fn one_cycle_becomes_a_ring_in_its_order() {
    let ring = list("5 9\n3 7\n9 3\n7 5");
    assert_eq!(ring.topology(), &Topology::Ring { n: 4, two_way: false });
    assert_eq!(ids(&ring), Some(vec![5, 9, 3, 7]));
    assert_eq!(ring.diameter(), Some(3));

    let two_way = list("5 -- 9\n3 -- 7\n9 -- 3\n7 -- 5");
    assert_eq!(two_way.topology(), &Topology::Ring { n: 4, two_way: true });
    assert_eq!(ids(&two_way), Some(vec![5, 9, 3, 7]));
    assert_eq!(two_way.diameter(), Some(2));

    // The first member's neighbour that is named first comes next, and one-way links make two-way ones.
    let other_way = list("5\n7\n9 5\n5 9\n3 7\n7 3\n9 3\n3 9\n7 5\n5 7");
    assert_eq!(other_way.topology(), &Topology::Ring { n: 4, two_way: true });
    assert_eq!(ids(&other_way), Some(vec![5, 7, 3, 9]));

    assert_eq!(list("a b\nb a").topology(), &Topology::Ring { n: 2, two_way: false });
    assert_eq!(list("a -- b\nb -- c\nc -- a").topology(), &Topology::Ring { n: 3, two_way: true });
    assert_eq!(list("a b\nb c\nc a").ids(), None);
}

#[test]
fn what_is_nearly_a_ring_is_none() {
    for content in [
        "a b\nb c\nc a\nd e\ne d",                        // two cycles
        "a b\nb c\nc b",                                  // a tail
        "a b\nb c\nc a\nd a",                             // somebody outside
        "a -- b\nb -- c\nc -- a\nd -- e\ne -- f\nf -- d", // two two-way cycles
        "a -- b\nb -- c\nc -- d",                         // a line
        "a -- b\nb -- c\nc -- d\nd -> a",                 // a link that is one-way
        "a b\na c\nb d\nb a\nc d\nc a\nd a\nd b",         // two each, but not mutual
        "a b\na c\nb c\nb d\nc d\nc a\nd a\nd b",         // two each, round and round
        "a",                                              // nobody to talk to
    ] {
        let network = list(content);
        assert!(matches!(network.topology(), Topology::Graph(_)), "{content:?}: {network:?}");
        check_measures(&network);
    }
}

#[test]
fn all_pairs_become_a_complete_network() {
    assert_eq!(list("8 -- 3").topology(), &Topology::Complete { n: 2 });
    let four = list("8 -- 3\n8 -- 1\n8 -- 2\n3 -- 1\n3 -- 2\n1 2\n2 1");
    assert_eq!(four.topology(), &Topology::Complete { n: 4 });
    assert_eq!((ids(&four), four.diameter()), (Some(vec![8, 3, 1, 2]), Some(1)));
    let less = list("8 -- 3\n8 -- 1\n8 -- 2\n3 -- 1\n3 -- 2\n1 2");
    assert!(matches!(less.topology(), Topology::Graph(_)));
    check_measures(&less);
}

#[test]
fn mistakes_are_pointed_at() {
    for (content, line, column, problem) in [
        ("a b\n  a b c", 2, 7, "one link a line"),
        ("a b 3.5", 1, 5, "one link a line"),
        ("a -> b c", 1, 8, "one link a line"),
        ("a, b, c", 1, 5, "one link a line"),
        ("a <- b", 1, 6, "one link a line"),
        ("é ü\nñ ñ", 2, 3, "'ñ' is linked to itself"),
        ("a -- a", 1, 6, "'a' is linked to itself"),
        ("\n\na->b", 3, 1, "'a->b' needs spaces"),
        ("x a--b", 1, 3, "'a--b' needs spaces"),
        ("a ->", 1, 3, "'->' stands where a name should"),
        ("-- a", 1, 1, "'--' stands where a name should"),
        ("a,", 1, 2, "',' stands where a name should"),
        (",", 1, 1, "',' stands where a name should"),
        ("a -> --", 1, 6, "'--' stands where a name should"),
        ("1 2\n2 01", 2, 3, "'01' is the same number as '1'"),
    ] {
        let (at_line, at_column, what) = fault(NAME, content);
        assert_eq!((at_line, at_column), (line, column), "{content:?}: {what}");
        assert!(what.starts_with(problem), "{content:?}: {what}");
    }
    let shown = file(NAME, "a b\na a").unwrap_err().to_string();
    assert_eq!(shown, "net.txt:2:3: 'a' is linked to itself: a link joins two members");
}

#[test]
fn empty_and_foreign_files_are_refused() {
    for content in ["", "\n\n", "# nothing\n", "\u{feff}"] {
        assert!(matches!(file(NAME, content), Err(NetworkError::EmptyFile { .. })), "{content:?}");
    }
    match crate::network::file::parse(Path::new(NAME), b"1 2\n3 \xff4\n") {
        Err(NetworkError::File { line: 2, column: 3, problem, .. }) => assert!(problem.contains("UTF-8")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn files_are_read_from_disk() {
    let path = std::env::temp_dir().join(format!("bellwether-list-{}.txt", std::process::id()));
    let shape = Shape::File(path.clone());
    assert!(matches!(shape.build(None, 1), Err(NetworkError::Unreadable { .. })));
    std::fs::write(&path, "1 2\n2 3\n3 1\n").unwrap();
    let (any, right, wrong) = (shape.build(None, 1), shape.build(Some(3), 1), shape.build(Some(4), 1));
    let estimate = shape.memory_estimate(3);
    std::fs::remove_file(&path).unwrap();
    assert_eq!(any.unwrap().topology(), &Topology::Ring { n: 3, two_way: false });
    assert_eq!(ids(&right.unwrap()), Some(vec![1, 2, 3]));
    assert!(matches!(wrong, Err(NetworkError::SizeDiffers { has: 3, asked: 4, .. })));
    assert!(estimate > 0);
    assert!(matches!(Shape::File(std::env::temp_dir()).build(None, 1), Err(NetworkError::Unreadable { .. })));
}

#[test]
fn long_networks_do_not_exhaust_the_stack() {
    let n = 200_000;
    let line = |link| (1..n).map(|member| format!("{} {link} {member}\n", member - 1)).collect::<String>();
    assert!(!list(&line("->")).strongly_connected());
    let two_way = list(&line("--"));
    assert_eq!((two_way.strongly_connected(), two_way.diameter()), (true, None), "beyond the budget");
    let ring = list(&format!("{}{} 0", line("->"), n - 1));
    assert_eq!(ring.topology(), &Topology::Ring { n, two_way: false });
}

proptest! {
    #[test]
    fn no_bytes_make_the_reader_panic(bytes: Vec<u8>, xml: bool) {
        let _ = crate::network::file::parse(Path::new(if xml { "a.graphml" } else { "a" }), &bytes);
    }

    #[test]
    fn no_list_makes_the_reader_panic(words in prop::collection::vec("[ab12,#\n -]|--|->|\\PC|\n| ", 0..60)) {
        let _ = file(NAME, &words.concat());
    }

    #[test]
    fn lists_are_read_as_they_are_written(pairs in prop::collection::vec((0_u32..9, 0_u32..9), 1..40)) {
        let pairs: Vec<(u32, u32)> = pairs.into_iter().filter(|(u, v)| u != v).collect();
        prop_assume!(!pairs.is_empty());
        let network = list(&pairs.iter().map(|(u, v)| format!("{u} {v}\n")).collect::<String>());
        let ids = ids(&network).unwrap();
        let mut read: Vec<(u64, u64)> =
            links(network.topology()).iter().map(|&(u, v)| (ids[u as usize], ids[v as usize])).collect();
        let mut written: Vec<(u64, u64)> = pairs.iter().map(|&(u, v)| (u64::from(u), u64::from(v))).collect();
        read.sort_unstable();
        written.sort_unstable();
        written.dedup();
        prop_assert_eq!(read, written);
        check_measures(&network);
    }

    #[test]
    fn rings_are_recognised_in_any_order(
        order in Just((0_u32..12).collect::<Vec<u32>>()).prop_shuffle(),
        n in 3_usize..12,
        turns in prop::collection::vec(any::<(prop::sample::Index, bool)>(), 12),
        two_way: bool,
    ) {
        let ring = &order[..n];
        let mut lines: Vec<(u32, u32)> = (0..n).map(|i| (ring[i], ring[(i + 1) % n])).collect();
        for (i, (other, flip)) in turns.iter().take(n).enumerate() {
            lines.swap(i, other.index(n));
            if two_way && *flip {
                lines[i] = (lines[i].1, lines[i].0);
            }
        }
        let link = if two_way { "--" } else { "->" };
        let network = list(&lines.iter().map(|(u, v)| format!("{u} {link} {v}\n")).collect::<String>());
        prop_assert_eq!(network.topology(), &Topology::Ring { n: n as u32, two_way });
        let ids = ids(&network).unwrap();
        let start = ring.iter().position(|&id| u64::from(id) == ids[0]).unwrap();
        let forward: Vec<u64> = (0..n).map(|i| u64::from(ring[(start + i) % n])).collect();
        let backward: Vec<u64> = (0..n).map(|i| u64::from(ring[(start + n - i) % n])).collect();
        prop_assert!(ids == forward || (two_way && ids == backward), "{:?}", ids);
        prop_assert_eq!(ids[0], u64::from(lines[0].0), "the first named member comes first");
    }
}
