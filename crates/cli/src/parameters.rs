//! Parameters of algorithms and detectors, as pages and JSON have them.

use bellwether_core::{Domain, ParamValue, Parameter, Preset, WrittenValue};
use serde::Serialize;

/// A parameter as JSON.
#[derive(Serialize)]
pub struct ParameterObject {
    name: &'static str,
    about: &'static str,
    /// In the parameter's unit, or in delay bounds.
    default: WrittenValue,
    default_in_delay_bounds: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    least: Option<WrittenValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    most: Option<WrittenValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    words: Option<&'static [&'static str]>,
    unit: &'static str,
    kind: &'static str,
    set_by_variant: bool,
}

impl ParameterObject {
    /// As JSON.
    pub fn new(parameter: &Parameter) -> ParameterObject {
        let Parameter { name, about, unit, domain, default, is_fixed } = *parameter;
        let (kind, bounds, words) = match domain {
            Domain::Whole(least, most) => ("whole", Some([least, most].map(ParamValue::Whole)), None),
            Domain::Range(least, most) => ("range", Some([least, most].map(ParamValue::Whole)), None),
            Domain::Number(least, most) => ("number", Some([least, most].map(ParamValue::Number)), None),
            Domain::Words(words) => ("word", None, Some(words)),
        };
        let (least, most) = bounds.map(|[least, most]| (domain.written(least), domain.written(most))).unzip();
        let (default, default_in_delay_bounds) = match default {
            Preset::Fixed(value) => (value, false),
            Preset::DelayBounds(times) => (ParamValue::Number(times), true),
        };
        let default = domain.written(default);
        let set_by_variant = is_fixed;
        ParameterObject {
            name,
            about,
            default,
            default_in_delay_bounds,
            least,
            most,
            words,
            unit,
            kind,
            set_by_variant,
        }
    }
}

/// What a parameter can be, in its unit.
fn range(parameter: &Parameter) -> String {
    match parameter.domain {
        Domain::Whole(least, most) => format!("{least} to {most}"),
        Domain::Range(least, most) => format!("within {least}..{most}"),
        Domain::Number(least, most) => format!("{least} to {most}"),
        Domain::Words(words) => words.join(" or "),
    }
}

/// A parameter as a page has it: what it is unless set, what it can be, and what it means; and what is different in which
/// variants. `variants` are the variants with this parameter, the default first.
pub fn in_words(variants: &[(&'static str, Parameter)]) -> String {
    let of_variants = |say: &dyn Fn(&Parameter) -> String, unit: &str| {
        let first = variants.first().map(|(_, parameter)| say(parameter)).unwrap_or_default();
        let others = variants.iter().map(|(variant, parameter)| (variant, say(parameter)));
        let others = others.filter(|(_, text)| *text != first);
        let others = others.map(|(variant, text)| format!(", in `{variant}` {text}")).collect::<String>();
        format!("{first}{unit}{others}")
    };
    let Some((_, first)) = variants.first() else { return String::new() };
    let unit = if first.unit.is_empty() { String::new() } else { format!(" {}", first.unit) };
    let default = of_variants(&Parameter::default_text, &unit);
    let values = if first.is_fixed {
        format!("set by the variant: {default}")
    } else {
        format!("unless set, {default}; {}", of_variants(&range, ""))
    };
    format!("`{}` ({values}): {}", first.name, first.about)
}
