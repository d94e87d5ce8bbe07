//! How shapes are written.

use super::*;
use crate::network::Sides;
use proptest::prelude::*;

#[test]
fn every_name_is_understood_and_explained() {
    let examples: Vec<Shape> = Shape::NAMES
        .iter()
        .map(|name| match *name {
            "gnp" => shape("gnp:0.25"),
            "regular" => shape("regular:4"),
            "file" => shape("file:a.txt"),
            "links" => shape("links:1->2,2--3"),
            name => shape(name),
        })
        .collect();
    for (name, example) in Shape::NAMES.iter().zip(&examples) {
        assert_eq!(*name, example.name());
        let explained = |line: &str| line.split([' ', ':', '[']).next() == Some(name);
        assert_eq!(Shape::HELP.lines().filter(|line| explained(line)).count(), 1, "{name}");
    }
    assert_eq!(Shape::HELP.lines().count(), Shape::NAMES.len());
}

#[test]
fn parameters_are_read_or_filled_in() {
    let sides = Some(Sides { rows: 3, columns: 4 });
    assert_eq!(shape("grid"), Shape::Grid { sides: None });
    assert_eq!(shape("grid:3x4"), Shape::Grid { sides });
    assert_eq!(shape("torus:3x4"), Shape::Torus { sides });
    assert_eq!(shape("tree"), Shape::Tree { arity: 2 });
    assert_eq!(shape("tree:7"), Shape::Tree { arity: 7 });
    assert_eq!(shape("gnp:1e-3"), Shape::Gnp { p: 0.001 });
    assert_eq!(shape("gnp:1"), Shape::Gnp { p: 1.0 });
    assert_eq!(shape("digraph"), Shape::Digraph { degree: 3 });
    assert_eq!(shape("file:C:/a b/net.xml"), Shape::File("C:/a b/net.xml".into()));
    assert_eq!(shape("links:1 -> 2, 2--3"), Shape::Links("1 -> 2\n2--3".into()));
    assert_eq!(shape("links: 1 -> 2").build(None, 0).unwrap().n(), 2);
}

#[test]
fn nonsense_is_refused_with_what_was_expected() {
    for text in ["", "rings", "Ring", "ring ", " ring", "grid3x4"] {
        match text.parse::<Shape>() {
            Err(NetworkError::UnknownShape { name }) => assert_eq!(name, text),
            other => panic!("{text}: {other:?}"),
        }
    }
    let message = "rink:3".parse::<Shape>().unwrap_err().to_string();
    assert!(
        message
            .starts_with("there is no topology 'rink': use one of ring, two-way-ring, overlay-ring, line,"),
        "{message}"
    );

    for text in [
        "ring:",
        "ring:3",
        "complete:2",
        "grid:",
        "grid:3",
        "grid:3x",
        "grid:x4",
        "grid:0x4",
        "grid:4x0",
        "grid:3x4x5",
        "grid:-1x4",
        "torus:99999999999x1",
        "tree:",
        "tree:0",
        "tree:two",
        "tree:-1",
        "gnp",
        "gnp:",
        "gnp:0",
        "gnp:-0.5",
        "gnp:1.01",
        "gnp:nan",
        "gnp:inf",
        "gnp:x",
        "regular",
        "regular:0",
        "regular:2.5",
        "digraph:",
        "digraph:0",
        "file",
        "file:",
    ] {
        match text.parse::<Shape>() {
            Err(NetworkError::Parameter { given, .. }) => {
                assert_eq!(given, text);
            }
            other => panic!("{text}: {other:?}"),
        }
    }
    assert_eq!(
        "grid:3".parse::<Shape>().unwrap_err().to_string(),
        "topology 'grid:3' is not understood: use grid, or grid:RxC with R rows and C columns, both at least 1"
    );
}

fn any_shape() -> impl Strategy<Value = Shape> {
    let sides =
        || proptest::option::of((1_u32.., 1_u32..).prop_map(|(rows, columns)| Sides { rows, columns }));
    prop_oneof![
        Just(Shape::Ring),
        Just(Shape::TwoWayRing),
        Just(Shape::Line),
        sides().prop_map(|sides| Shape::Grid { sides }),
        sides().prop_map(|sides| Shape::Torus { sides }),
        Just(Shape::Star),
        (1_u32..).prop_map(|arity| Shape::Tree { arity }),
        Just(Shape::Complete),
        Just(Shape::Hypercube),
        (f64::MIN_POSITIVE..=1.0).prop_map(|p| Shape::Gnp { p }),
        (1_u32..).prop_map(|degree| Shape::Regular { degree }),
        (1_u32..).prop_map(|degree| Shape::Digraph { degree }),
        ".+".prop_map(|path| Shape::File(path.into())),
    ]
}

proptest! {
    #[test]
    fn shapes_are_read_as_they_are_written(original in any_shape()) {
        prop_assert_eq!(shape(&original.to_string()), original);
    }

    #[test]
    fn no_text_makes_the_reader_panic(text in ".*") {
        let _ = text.parse::<Shape>();
    }
}
