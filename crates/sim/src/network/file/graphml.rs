//! GraphML: the `node` and `edge` elements of one `graph`. Other elements are skipped, except those
//! that would change what the network is.

use super::draft::Draft;
use super::{Fault, Network};
use roxmltree::{Document, Error, Node};

/// The network that the document describes, if it has any nodes.
pub(super) fn parse(text: &str) -> Result<Option<Network>, Fault> {
    let document = Document::parse(text).map_err(|error| not_xml(text, &error))?;
    let reader = Reader { text };
    let graph = reader.graph(document.root_element())?;
    let two_way_by_default = match graph.attribute("edgedefault") {
        Some("directed") => false,
        Some("undirected") => true,
        _ => {
            return Err(reader.fault_in(
                graph,
                "edgedefault",
                "expected edgedefault=\"directed\" or \"undirected\"",
            ));
        }
    };

    let mut draft = Draft::default();
    for node in children(graph, "node") {
        let (name, offset) = reader.required(node, "id")?;
        if !draft.appear(name, offset).1 {
            return Err(Fault::at(
                text,
                offset,
                format!("node '{name}' is already there: each needs its own id"),
            ));
        }
    }
    // Edges may stand before the nodes that they join.
    for edge in children(graph, "edge") {
        let two_way = match edge.attribute("directed") {
            None => two_way_by_default,
            Some("true") => false,
            Some("false") => true,
            _ => return Err(reader.fault_in(edge, "directed", "expected directed=\"true\" or \"false\"")),
        };
        let source = reader.end(&draft, edge, "source")?;
        let target = reader.end(&draft, edge, "target")?;
        if source == target {
            let problem = "this edge joins a node to itself: a link joins two members";
            return Err(reader.fault_in(edge, "target", problem));
        }
        draft.link(source, target, two_way);
    }
    draft.finish(text)
}

/// The library's complaint, at the place where it belongs.
fn not_xml(text: &str, error: &Error) -> Fault {
    if let Error::NoRootNode | Error::UnclosedRootNode | Error::UnexpectedEndOfStream = error {
        return Fault::at(text, text.len(), format!("this is not XML: {error}"));
    }
    let place = error.pos();
    let problem = format!("this is not XML that we read: {error}").replace(&format!(" at {place}"), "");
    Fault { line: place.row as usize, column: place.col as usize, problem }
}

fn children<'d, 't>(of: Node<'d, 't>, name: &'static str) -> impl Iterator<Item = Node<'d, 't>> {
    of.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

struct Reader<'t> {
    text: &'t str,
}

impl Reader<'_> {
    /// The one graph of the document.
    fn graph<'d, 't>(&self, root: Node<'d, 't>) -> Result<Node<'d, 't>, Fault> {
        if root.tag_name().name() != "graphml" {
            return Err(self.fault(root, "expected <graphml>"));
        }
        let mut graphs = children(root, "graph");
        let graph = graphs.next().ok_or_else(|| self.fault(root, "expected a <graph> in <graphml>"))?;
        if let Some(second) = graphs.next() {
            return Err(self.fault(second, "a second graph: expected one"));
        }
        if let Some(hyperedge) = children(graph, "hyperedge").next() {
            return Err(self.fault(hyperedge, "links join two members: expected <edge>, not <hyperedge>"));
        }
        if let Some(nested) = children(graph, "node").find_map(|node| children(node, "graph").next()) {
            return Err(self.fault(nested, "a graph within a node: expected members without inner parts"));
        }
        Ok(graph)
    }

    /// The member at one end of an edge.
    fn end(&self, draft: &Draft<'_>, edge: Node<'_, '_>, attribute: &'static str) -> Result<u32, Fault> {
        let (name, offset) = self.required(edge, attribute)?;
        draft.member(name).ok_or_else(|| {
            Fault::at(self.text, offset, format!("there is no node '{name}': expected the id of a <node>"))
        })
    }

    /// An attribute that must be there, and where its value begins.
    fn required<'d>(
        &self,
        element: Node<'d, '_>,
        attribute: &'static str,
    ) -> Result<(&'d str, usize), Fault> {
        match element.attribute_node(attribute) {
            Some(found) => Ok((found.value(), found.range_value().start)),
            None => Err(self.fault(element, format!("expected the attribute '{attribute}'"))),
        }
    }

    /// A fault of an attribute's value, or of its absence.
    fn fault_in(&self, element: Node<'_, '_>, attribute: &'static str, problem: &str) -> Fault {
        let found = element.attribute_node(attribute);
        let offset = found.map_or(element.range().start, |found| found.range_value().start);
        Fault::at(self.text, offset, problem)
    }

    fn fault(&self, element: Node<'_, '_>, problem: impl Into<String>) -> Fault {
        Fault::at(self.text, element.range().start, problem)
    }
}
