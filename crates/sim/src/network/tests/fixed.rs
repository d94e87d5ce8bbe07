//! Shapes without chance, against formulas.

use super::*;
use crate::network::Sides;
use bellwether_core::Need;

/// How often each number of neighbours occurs, from 0 up.
fn histogram(network: &Network) -> Vec<u32> {
    let mut counts = Vec::new();
    for degree in degrees(network.topology()) {
        counts.resize(counts.len().max(degree as usize + 1), 0);
        counts[degree as usize] += 1;
    }
    counts
}

#[test]
fn rings_and_complete_networks_are_not_stored() {
    for n in 1..20 {
        for (name, topology, diameter) in [
            ("ring", Topology::Ring { n, two_way: false }, n - 1),
            ("two-way-ring", Topology::Ring { n, two_way: true }, n / 2),
            ("complete", Topology::Complete { n }, u32::from(n > 1)),
        ] {
            let network = build(name, n, 1);
            check_measures(&network);
            assert_eq!(network.diameter(), Some(diameter), "{name} of {n}");
            assert_eq!(network.into_topology(), topology);
        }
    }
    let huge = build("ring", u32::MAX, 1);
    assert_eq!((huge.n(), huge.diameter()), (u32::MAX, Some(u32::MAX - 1)));
    assert_eq!(build("complete", u32::MAX, 1).diameter(), Some(1));
}

#[test]
fn lines_and_stars_have_the_right_degrees() {
    for n in 1..40 {
        let line = build("line", n, 1);
        let star = build("star", n, 1);
        for network in [&line, &star] {
            check_measures(network);
            assert_eq!(network.topology().links(), 2 * u64::from(n - 1));
        }
        assert_eq!(line.diameter(), Some(n - 1));
        assert_eq!(star.diameter(), Some((n - 1).min(2)));
        match n {
            1 => assert_eq!((histogram(&line), histogram(&star)), (vec![1], vec![1])),
            2 => assert_eq!((histogram(&line), histogram(&star)), (vec![0, 2], vec![0, 2])),
            _ => {
                assert_eq!(histogram(&line), [0, 2, n - 2]);
                assert_eq!(degrees(star.topology())[0], n - 1);
                assert!(degrees(star.topology())[1..].iter().all(|&degree| degree == 1));
            }
        }
    }
}

#[test]
fn trees_fill_level_by_level() {
    for n in 1..60 {
        for arity in [1, 2, 3, 5, 59, u32::MAX] {
            let tree = build(&format!("tree:{arity}"), n, 1);
            check_measures(&tree);
            assert_eq!(tree.topology().links(), 2 * u64::from(n - 1));
            for member in 0..n {
                let children =
                    tree.topology().successors(member).filter(|&peer| peer > member).count() as u64;
                let first = u64::from(member) * u64::from(arity) + 1;
                let room = u64::from(n).saturating_sub(first);
                assert_eq!(children, room.min(u64::from(arity)), "{arity} {n} {member}");
            }
        }
        assert_eq!(build("tree:1", n, 1).topology(), build("line", n, 1).topology());
        assert_eq!(build("tree:100", n, 1).topology(), build("star", n, 1).topology());
    }
}

#[test]
fn grids_and_tori_have_the_right_links_and_distances() {
    for rows in 1..9 {
        for columns in 1..9 {
            let sides = Sides { rows, columns };
            let grid = shape(&format!("grid:{sides}")).build(None, 1).unwrap();
            check_measures(&grid);
            let down = (rows - 1) * columns;
            let across = (columns - 1) * rows;
            assert_eq!(grid.topology().links(), 2 * u64::from(down + across));
            assert_eq!(grid.diameter(), Some(rows + columns - 2));

            let torus = shape(&format!("torus:{sides}")).build(Some(rows * columns), 1).unwrap();
            check_measures(&torus);
            let around = |side: u32| [0, 0, 1, 2][side.min(3) as usize];
            let each = around(rows) + around(columns);
            assert!(degrees(torus.topology()).iter().all(|&degree| degree == each), "{sides}");
            assert_eq!(torus.topology().links(), u64::from(rows * columns * each));
            assert_eq!(torus.diameter(), Some(rows / 2 + columns / 2));
        }
    }
    assert_eq!(
        links(build("torus:3x3", 9, 1).topology())[..4],
        [(0, 1), (0, 2), (0, 3), (0, 6)],
        "members are numbered row by row"
    );
}

#[test]
fn grids_are_as_nearly_square_as_can_be() {
    for n in 1..2000 {
        let Sides { rows, columns } = Sides::squarest(n);
        assert_eq!(rows * columns, n);
        assert!(rows <= columns);
        assert!((rows + 1..=n).take_while(|side| side * side <= n).all(|side| n % side != 0), "{n}");
    }
    assert_eq!(Sides::squarest(u32::MAX), Sides { rows: 65535, columns: 65537 });
    assert_eq!(build("grid", 12, 1).topology(), build("grid:3x4", 12, 1).topology());
    assert_eq!(build("torus", 12, 1).topology(), build("torus:3x4", 12, 1).topology());
    assert_eq!(build("grid", 13, 1).topology(), build("line", 13, 1).topology());
}

#[test]
fn hypercubes_have_a_dimension_for_every_digit() {
    for dimensions in 0..8 {
        let n = 1 << dimensions;
        let cube = build("hypercube", n, 1);
        check_measures(&cube);
        assert_eq!(cube.diameter(), Some(dimensions));
        assert!(degrees(cube.topology()).iter().all(|&degree| degree == dimensions));
        assert!(links(cube.topology()).iter().all(|(u, v)| (u ^ v).is_power_of_two()));
    }
    assert_eq!(
        failure("hypercube", 12).to_string(),
        "topology 'hypercube' cannot have 12 members: their number must be a power of two, as 8 or 16"
    );
    failure("hypercube", u32::MAX);
}

#[test]
fn impossible_sizes_are_refused() {
    for name in Shape::NAMES.iter().filter(|name| **name != "links") {
        let text = match *name {
            "gnp" => "gnp:0.5",
            "regular" => "regular:3",
            "file" => "file:nobody.txt",
            name => name,
        };
        assert!(matches!(failure(text, 0), NetworkError::NoMembers), "{name}");
        if *name != "file" {
            assert!(matches!(failure(text, None), NetworkError::SizeNeeded { .. }), "{name}");
        }
    }
    assert!(matches!(failure("grid:3x4", 13), NetworkError::SizeDiffers { has: 12, asked: 13, .. }));
    assert!(matches!(failure("torus:65536x65536", 7), NetworkError::SizeDiffers { asked: 7, .. }));
    for text in ["torus:65536x65536", "grid:4294967295x4294967295"] {
        assert!(matches!(failure(text, None), NetworkError::TooManyLinks { .. }), "{text}");
    }
    for text in ["line", "grid", "torus", "star", "tree:4294967295", "gnp:0.5", "regular:2", "digraph:1"] {
        let n = u32::MAX - u32::from(text == "regular:2");
        assert!(matches!(failure(text, n), NetworkError::TooManyLinks { .. }), "{text}");
    }
}

#[test]
fn shapes_made_by_hand_are_checked_too() {
    let zero = Some(Sides { rows: 0, columns: 3 });
    for bad in [
        Shape::Grid { sides: zero },
        Shape::Torus { sides: zero },
        Shape::Tree { arity: 0 },
        Shape::Gnp { p: f64::NAN },
        Shape::Gnp { p: 0.0 },
        Shape::Gnp { p: 1.5 },
        Shape::Regular { degree: 0 },
        Shape::Digraph { degree: 0 },
        Shape::File("".into()),
    ] {
        assert!(matches!(bad.build(Some(4), 1), Err(NetworkError::Parameter { .. })), "{bad:?}");
        let _ = bad.memory_estimate(u64::MAX);
    }
}

#[test]
fn the_default_for_a_need_fits_it_in_every_size() {
    let needs =
        [Need::OneWayRing, Need::TwoWayRing, Need::Complete, Need::StronglyConnected, Need::ConnectedTwoWay];
    for need in needs {
        for n in 1..40 {
            let network = Shape::for_need(need).build(Some(n), 5).unwrap();
            assert!(need.fits(network.topology()) && network.strongly_connected(), "{need} of {n}");
        }
    }
}

#[test]
fn memory_is_estimated_before_it_is_taken() {
    assert_eq!(shape("ring").memory_estimate(u64::MAX), 0);
    assert_eq!(shape("two-way-ring").memory_estimate(u64::MAX), 0);
    assert_eq!(shape("complete").memory_estimate(u64::MAX), 0);
    assert_eq!(shape("gnp:1").memory_estimate(u64::MAX), u64::MAX);
    assert_eq!(shape("file:/nowhere/at/all").memory_estimate(5), 0);
    assert_eq!(shape("grid:100x100").memory_estimate(1), shape("grid").memory_estimate(10_000));
    // A port takes 12 bytes when all is done; nothing takes a thousand.
    for text in ["line", "grid", "torus", "star", "tree", "hypercube", "gnp:0.2", "regular:4", "digraph"] {
        let ports = port_count(build(text, 64, 3).topology());
        let estimate = shape(text).memory_estimate(64);
        assert!((12 * ports..1000 * ports).contains(&estimate), "{text}: {estimate} for {ports} ports");
    }
}

fn port_count(topology: &Topology) -> u64 {
    (0..topology.n()).map(|member| u64::from(topology.ports(member))).sum()
}
