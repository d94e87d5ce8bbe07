//! Types that have a few values, each with a word.

use super::{Form, TextError};
use crate::document::{Datum, Flaw, Value};
use bellwether_core::{Elect, Order};
use bellwether_sim::LinkOrder;

/// Types that have a few values, each with a word and a help text.
macro_rules! choices {
    ($($type:ty, $words:ident: $($word:literal => $value:expr, $about:literal;)*)*) => {$(
        /// Its words, each with a help text.
        pub const $words: &[(&str, &str)] = &[$(($word, $about)),*];

        impl Form for $type {
            fn to_datum(&self) -> Datum {
                Datum::Text(self.to_text())
            }
            fn read(value: &Value<'_>) -> Result<$type, Flaw> {
                value.choice(&[$(($word, $value)),*])
            }
            fn to_text(&self) -> String {
                let words = [$(($word, $value)),*];
                words.iter().find(|(_, value)| value == self).map_or("", |(word, _)| word).to_owned()
            }
            fn parse(text: &str) -> Result<$type, TextError> {
                match text {
                    $($word => Ok($value),)*
                    _ => Err(format!("expected one of {}", [$($word),*].join(", ")).into()),
                }
            }
        }
    )*};
}

choices! {
    Order, ORDERS:
        "best" => Order::Best, "Rising clockwise: messages of the worse die soonest";
        "worst" => Order::Worst, "Falling clockwise: messages of the worse get furthest";
        "random" => Order::Random, "Shuffled, by the seed";
    Elect, ELECTS:
        "best" => Elect::Best, "The highest attribute, then the highest id";
        "worst" => Elect::Worst, "The lowest attribute, then the lowest id";
    LinkOrder, LINK_ORDERS:
        "fifo" => LinkOrder::Fifo, "They do";
        "reordering" => LinkOrder::Reordering, "They may overtake each other";
}
