//! Values of parameters as people and JSON have them.

use super::{Domain, ParamValue, Parameter, Params};
use serde::{Serialize, Serializer};
use std::fmt;

/// Above this, floating-point numbers leave whole numbers out.
const ALL_WHOLE_BELOW: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;

/// A value with its domain, which says how it is written. In JSON it is a number, or the text that users write.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrittenValue {
    domain: Domain,
    value: ParamValue,
}

impl Domain {
    /// A value of this domain, to be written.
    #[must_use]
    pub fn written(self, value: ParamValue) -> WrittenValue {
        WrittenValue { domain: self, value }
    }
}

impl fmt::Display for WrittenValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.domain.show(self.value))
    }
}

impl Serialize for WrittenValue {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self.value {
            ParamValue::Whole(whole) => to.serialize_u64(whole),
            ParamValue::Number(number) if number.fract() == 0.0 && number.abs() < ALL_WHOLE_BELOW => {
                to.serialize_i64(number as i64)
            }
            ParamValue::Number(number) => to.serialize_f64(number),
            ParamValue::Range(..) | ParamValue::Word(_) => to.collect_str(self),
        }
    }
}

/// The parameters that do not have their default. In JSON they are an object, with a key for each.
#[derive(Clone, Copy, Debug)]
pub struct ChangedParams {
    params: Params,
    parameters: &'static [Parameter],
}

impl Params {
    /// Those that do not have their default.
    #[must_use]
    pub fn changed(&self, parameters: &'static [Parameter]) -> ChangedParams {
        ChangedParams { params: self.without_defaults(parameters), parameters }
    }
}

impl ChangedParams {
    fn iter(&self) -> impl Iterator<Item = (&'static str, WrittenValue)> + use<> {
        let given = self.params.given(self.parameters);
        given.map(|(parameter, value)| (parameter.name, parameter.domain.written(value)))
    }

    /// Whether all parameters have their default.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.iter().next().is_none()
    }

    /// The value of a parameter, if it does not have its default.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<WrittenValue> {
        self.iter().find(|(other, _)| *other == name).map(|(_, value)| value)
    }
}

impl Serialize for ChangedParams {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARAMETERS: &[Parameter] = &[
        Parameter::whole("beats", "", "", (1, 9), 3),
        Parameter::range("timeout", "", "", (1, 900), (150, 300)),
        Parameter::number("share", "", "", (0.0, 9.0), crate::Preset::number(1.0)),
    ];

    #[test]
    fn json_has_changed_parameters_as_numbers_or_text() {
        let json = |text| {
            let params = Params::parse(PARAMETERS, text).expect("they can be set");
            serde_json::to_string(&params.changed(PARAMETERS)).expect("it is JSON")
        };
        let all = r#"{"beats":5,"timeout":"2..7","share":0.5}"#;
        assert_eq!(json("share=0.5,beats=5,timeout=2..7"), all);
        assert_eq!(json("beats=3,share=2"), r#"{"share":2}"#);
    }
}
