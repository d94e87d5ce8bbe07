//! What is checked.

use serde::Serialize;

/// What is checked, the gravest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Property {
    /// Never two leaders: at once or in one term, as the algorithm promises.
    OneLeader,
    /// Every fair run comes to an outcome: a leader, and all know of it who should.
    Eventually,
    /// When nothing is left to happen, somebody alive leads.
    SomeoneLeads,
    /// When nothing is left to happen, whoever is taken for the leader is the best live member (or leads and works,
    /// where a worse incumbent may stay).
    BestLeads,
    /// When nothing is left to happen and somebody leads, all know what they should, and none names another.
    AllAgree,
    /// Every run that ends has sent as many messages as the algorithm claims.
    AsClaimed,
}

impl Property {
    /// All of them.
    pub const ALL: [Property; Self::COUNT] = [
        Property::OneLeader,
        Property::Eventually,
        Property::SomeoneLeads,
        Property::BestLeads,
        Property::AllAgree,
        Property::AsClaimed,
    ];

    /// How many there are.
    pub const COUNT: usize = 6;

    /// Its name in tables and files.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Property::OneLeader => "one-leader",
            Property::Eventually => "eventually",
            Property::SomeoneLeads => "someone-leads",
            Property::BestLeads => "best-leads",
            Property::AllAgree => "all-agree",
            Property::AsClaimed => "as-claimed",
        }
    }

    /// What it says.
    #[must_use]
    pub fn sentence(self) -> &'static str {
        match self {
            Property::OneLeader => "never two leaders",
            Property::Eventually => "every fair run comes to an outcome",
            Property::SomeoneLeads => "somebody leads when a run is over",
            Property::BestLeads => "the best live member leads when a run is over",
            Property::AllAgree => "everyone knows and agrees when a run is over",
            Property::AsClaimed => "a run sends as many messages as are claimed",
        }
    }

    /// What must have been seen for it to mean anything: its witness.
    #[must_use]
    pub fn witness(self) -> &'static str {
        match self {
            Property::OneLeader => "states with a leader",
            Property::Eventually => "states with an outcome",
            Property::SomeoneLeads => "ends of runs",
            Property::BestLeads | Property::AllAgree => "ends with a leader",
            Property::AsClaimed => "ends with a claim",
        }
    }
}
