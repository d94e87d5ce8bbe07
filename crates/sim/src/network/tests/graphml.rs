//! GraphML.

use super::*;
use proptest::prelude::*;

const NAME: &str = "net.graphml";

fn graph(default: &str, content: &str) -> Network {
    let text = format!("<graphml><graph edgedefault='{default}'>{content}</graph></graphml>");
    file(NAME, &text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn a_document_as_tools_write_it() {
    let network = file(
        "net.dat", // the content tells
        r#"<?xml version='1.0' encoding='utf-8'?>
<!-- made by hand -->
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="d0" for="edge" attr.name="weight" attr.type="double"/>
  <graph id="G" edgedefault="undirected">
    <data key="d0">x</data>
    <edge source="3" target="1"><data key="d0">1.0</data></edge>
    <node id="1"><data key="d1">one</data></node>
    <node id="2"/>
    <node id="3"/>
    <edge source="1" target="2" directed="true"/>
  </graph>
</graphml>"#,
    )
    .unwrap();
    assert_eq!(ids(&network), Some(vec![1, 2, 3]), "in the order of the nodes");
    assert_eq!(links(network.topology()), [(0, 1), (0, 2), (2, 0)]);
    assert!(!network.strongly_connected());
}

#[test]
fn directions_follow_the_default_or_the_edge() {
    let nodes = "<node id='a'/><node id='b'/>";
    for (default, attribute, expected) in [
        ("directed", "", vec![(0, 1)]),
        ("directed", "directed='true'", vec![(0, 1)]),
        ("directed", "directed='false'", vec![(0, 1), (1, 0)]),
        ("undirected", "", vec![(0, 1), (1, 0)]),
        ("undirected", "directed='true'", vec![(0, 1)]),
        ("undirected", "directed='false'", vec![(0, 1), (1, 0)]),
    ] {
        let network = graph(default, &format!("{nodes}<edge source='a' target='b' {attribute}/>"));
        assert_eq!(links(network.topology()), expected, "{default} {attribute}");
        assert_eq!(network.ids(), None);
    }
}

#[test]
fn rings_and_complete_networks_are_recognised() {
    let nodes = "<node id='4'/><node id='5'/><node id='6'/>";
    let edges = "<edge source='4' target='6'/><edge source='6' target='5'/><edge source='5' target='4'/>";
    let ring = graph("directed", &format!("{nodes}{edges}"));
    assert_eq!(ring.topology(), &Topology::Ring { n: 3, two_way: false });
    assert_eq!(ids(&ring), Some(vec![4, 6, 5]));
    let two_way = graph("undirected", &format!("{nodes}{edges}"));
    assert_eq!(two_way.topology(), &Topology::Ring { n: 3, two_way: true });
    assert_eq!(ids(&two_way), Some(vec![4, 5, 6]));
    let pair = graph("undirected", "<node id='4'/><node id='5'/><edge source='4' target='5'/>");
    assert_eq!(pair.topology(), &Topology::Complete { n: 2 });
    let pair = graph(
        "directed",
        "<node id='4'/><node id='5'/><edge source='4' target='5'/><edge source='5' target='4'/>",
    );
    assert_eq!(pair.topology(), &Topology::Ring { n: 2, two_way: false });
}

#[test]
fn mistakes_are_pointed_at() {
    let open = "<graphml>\n<graph edgedefault='directed'>\n<node id='a'/><node id='b'/>\n";
    let close = "\n</graph></graphml>";
    for (content, column, problem) in [
        ("<node id='a'/>", 11, "node 'a' is already there"),
        ("<node/>", 1, "expected the attribute 'id'"),
        ("<edge target='a'/>", 1, "expected the attribute 'source'"),
        (" <edge source='a'/>", 2, "expected the attribute 'target'"),
        ("<edge source='a' target='c'/>", 26, "there is no node 'c'"),
        ("<edge source='ä' target='b'/>", 15, "there is no node 'ä'"),
        ("<edge source='b' target='b'/>", 26, "this edge joins a node to itself"),
        ("<edge source='a' target='b' directed='maybe'/>", 39, "expected directed=\"true\" or \"false\""),
        ("<hyperedge/>", 1, "links join two members"),
        ("<node id='c'><graph edgedefault='directed'/></node>", 14, "a graph within a node"),
        ("</graph><graph edgedefault='directed'>", 9, "a second graph"),
        ("<a></b>", 4, "this is not XML that we read: expected 'a' tag, not 'b'"),
    ] {
        let text = format!("{open}{content}{close}");
        let (at_line, at_column, what) = fault(NAME, &text);
        assert!(what.starts_with(problem), "{content}: {what}");
        assert_eq!((at_line, at_column), (4, column), "{content}: {what}");
    }
    for (content, line, column, problem) in [
        ("", 1, 1, "this is not XML: the document does not have a root node"),
        ("a b", 1, 1, "this is not XML that we read:"),
        ("<graphml>", 1, 10, "this is not XML: the root node was opened but never closed"),
        ("<graphml>\n", 2, 1, "this is not XML: the root node was opened but never closed"),
        (
            "<!DOCTYPE graphml [<!ENTITY a 'b'>]>\n<graphml/>",
            1,
            1,
            "this is not XML that we read: XML with DTD",
        ),
        ("\n <html/>", 2, 2, "expected <graphml>"),
        ("<graphml/>", 1, 1, "expected a <graph> in <graphml>"),
        ("<graphml> <graph/></graphml>", 1, 11, "expected edgedefault"),
        ("<graphml> <graph edgedefault='both'/></graphml>", 1, 31, "expected edgedefault"),
        (
            "<graphml><graph edgedefault='directed'><node id='1'/><node id='01'/></graph></graphml>",
            1,
            64,
            "'01' is the same",
        ),
    ] {
        let (at_line, at_column, what) = fault(NAME, content);
        assert!(what.starts_with(problem), "{content}: {what}");
        assert_eq!((at_line, at_column), (line, column), "{content}: {what}");
    }
}

#[test]
fn a_graph_without_nodes_is_empty() {
    let content = "<graphml><graph edgedefault='directed'/></graphml>";
    assert!(matches!(file(NAME, content), Err(NetworkError::EmptyFile { .. })));
}

#[test]
fn deep_documents_do_not_exhaust_the_stack() {
    let depth = 200_000;
    let inside = format!("{}{}", "<data>".repeat(depth), "</data>".repeat(depth));
    assert_eq!(graph("directed", &format!("<node id='1'/>{inside}")).n(), 1);
    let (.., problem) = fault(NAME, &"<a>".repeat(depth));
    assert!(problem.starts_with("this is not XML"));
}

proptest! {
    #[test]
    fn no_document_makes_the_reader_panic(parts in prop::collection::vec(prop::sample::select(vec![
        "<graphml>", "</graphml>", "<graph edgedefault='directed'>", "<graph edgedefault='undirected'>", "<graph>",
        "</graph>", "<node id='1'/>", "<node id='2'/>", "<node id='é'>", "</node>", "<edge source='1' target='2'/>",
        "<edge source='2' target='1' directed='false'/>", "<edge ", "source='1'", "/>", "<!--", "-->", "&amp;", "&x;",
        "<![CDATA[", "]]>", "\n", "ü", "<?xml version='1.0'?>", "\u{0}", "<a:b xmlns:a='c'/>",
    ]), 0..14), framed: bool) {
        let parts = parts.concat();
        let text = if framed {
            format!("<graphml><graph edgedefault='directed'>{parts}</graph></graphml>")
        } else {
            parts
        };
        let _ = file(NAME, &text);
    }
}
