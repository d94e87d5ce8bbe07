use super::*;

const LIST: &[Parameter] = &[
    Parameter::whole("tries", "how often it asks", "times", (1, 9), 3),
    Parameter::range("wait", "how long it waits", "hops", (5, 50), (10, 20)),
    Parameter::number("share", "which share it asks", "", (0.0, 1.0), Preset::number(0.5)),
    Parameter::number("D", "how long a message may take", "hops", (0.0, 1e6), Preset::DelayBounds(2.0)),
    Parameter::policy("order", "who is first", &["ranked", "random"]),
];

fn parse(text: &str) -> Params {
    Params::parse(LIST, text).unwrap()
}

fn refusal(text: &str) -> String {
    Params::parse(LIST, text).unwrap_err().of("toy")
}

#[test]
fn values_are_those_given_and_else_the_defaults() {
    let hops = Span::from_hops(7);
    let values = |params: Params| params.values(LIST, hops).0;
    let (whole, range) = (ParamValue::Whole(3), ParamValue::Range(10, 20));
    let (share, bound, word) = (ParamValue::Number(0.5), ParamValue::Number(14.0), ParamValue::Word(0));
    assert_eq!(values(Params::default())[..5], [whole, range, share, bound, word]);
    let given = values(parse("wait=5..50,D=0.25, tries = 9,order=ranked"));
    let (whole, range) = (ParamValue::Whole(9), ParamValue::Range(5, 50));
    assert_eq!(given[..5], [whole, range, share, ParamValue::Number(0.25), word]);
}

#[test]
fn what_is_given_is_shown_in_the_order_of_the_list() {
    let params = parse("D=1e-3,wait=7..8,tries=3");
    assert_eq!(params.text(LIST), "tries=3,wait=7..8,D=0.001");
    assert_eq!(params.without_defaults(LIST).text(LIST), "wait=7..8,D=0.001");
    assert_eq!(parse("tries=3,order=ranked").without_defaults(LIST), Params::default());
    assert_eq!(Params::default().text(LIST), "");
}

#[test]
fn what_cannot_be_is_refused_with_what_can() {
    let known = "toy has the parameters tries, wait, share, D";
    for (text, problem) in [
        ("tires=3", "there is no 'tires'"),
        ("tries", "expected NAME=VALUE"),
        ("", "expected NAME=VALUE"),
        ("tries=0", "0 is not between 1 and 9"),
        ("tries=10", "10 is not between 1 and 9"),
        ("tries=2.5", "'2.5' is not a whole number from 1 to 9"),
        ("tries=-1", "'-1' is not a whole number from 1 to 9"),
        ("wait=7", "'7' is not a range LEAST..MOST of whole numbers from 5 to 50"),
        ("wait=4..9", "'4..9' is not a range LEAST..MOST of whole numbers from 5 to 50"),
        ("wait=9..51", "'9..51' is not a range"),
        ("wait=9..8", "'9..8' is not a range"),
        ("share=half", "'half' is not a number"),
        ("share=NaN", "NaN is not between 0 and 1"),
        ("share=1.1", "1.1 is not between 0 and 1"),
        ("order=random", "the variant sets it, to ranked"),
        ("order=oldest", "'oldest' is not ranked or random"),
        ("tries=3,tries=3", "the parameter is given twice"),
    ] {
        let refusal = refusal(text);
        assert!(refusal.contains(problem) && refusal.ends_with(known), "{text}: {refusal}");
    }
    assert_eq!(
        Params::parse(&[], "a=1").unwrap_err().of("toy"),
        "'a=1' of toy: there is no 'a'; toy has no parameters"
    );
}

#[test]
fn values_of_another_list_do_not_count() {
    let other: &[Parameter] = &[Parameter::whole("wait", "", "", (100, 200), 150)];
    let values = parse("tries=9").values(other, Span::from_hops(1));
    assert_eq!(values.0[0], ParamValue::Whole(150));
    let values = parse("tries=9").values(&LIST[1..], Span::from_hops(1));
    assert_eq!(values.0[0], ParamValue::Range(10, 20));
}
