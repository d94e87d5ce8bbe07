//! Publications and lectures that several algorithms cite.

use bellwether_core::Citation;

pub const CHANG_ROBERTS_1979: Citation = Citation {
    authors: "E. Chang and R. Roberts",
    title: "An improved algorithm for decentralized extrema-finding in circular configurations of processes, CACM 22(5)",
    year: 1979,
};

pub const LE_LANN_1977: Citation = Citation {
    authors: "G. Le Lann",
    title: "Distributed systems - towards a formal approach, IFIP Congress",
    year: 1977,
};

pub const GARCIA_MOLINA_1982: Citation = Citation {
    authors: "H. Garcia-Molina",
    title: "Elections in a distributed computing system, IEEE Trans. Computers 31(1)",
    year: 1982,
};

pub const COULOURIS: Citation = Citation {
    authors: "G. Coulouris, J. Dollimore, T. Kindberg and G. Blair",
    title: "Distributed Systems: Concepts and Design, 5th ed., section 15.3",
    year: 2011,
};

pub const LYNCH_1996: Citation =
    Citation { authors: "N. Lynch", title: "Distributed Algorithms, section 3.3", year: 1996 };

pub const MICHAIL_LECTURE: Citation = Citation {
    authors: "O. Michail",
    title: "Distributed Systems (COMP 212), lecture 7: leader election",
    year: 2018,
};

pub const GUPTA_LECTURE: Citation = Citation {
    authors: "I. Gupta",
    title: "Distributed Systems (CS 425), lecture on leader election",
    year: 2018,
};

pub const LYNCH_1996_FLOODING: Citation =
    Citation { authors: "N. Lynch", title: "Distributed Algorithms, section 4.1", year: 1996 };

pub const LYNCH_1996_COUNTING: Citation =
    Citation { authors: "N. Lynch", title: "Distributed Algorithms, section 3.5", year: 1996 };

pub const FREDERICKSON_LYNCH_1987: Citation = Citation {
    authors: "G. N. Frederickson and N. A. Lynch",
    title: "Electing a leader in a synchronous ring, JACM 34(1)",
    year: 1987,
};

pub const KO_LECTURE: Citation = Citation {
    authors: "S. Ko and E. Blanton",
    title: "Distributed Systems (CSE 486/586), lecture on leader election",
    year: 2018,
};

pub const VAN_STEEN_2017: Citation = Citation {
    authors: "M. van Steen and A. S. Tanenbaum",
    title: "Distributed Systems, 3rd ed., section 6.4, figure 6.21",
    year: 2017,
};

pub const HIRSCHBERG_SINCLAIR_1980: Citation = Citation {
    authors: "D. S. Hirschberg and J. B. Sinclair",
    title: "Decentralized extrema-finding in circular configurations of processors, CACM 23(11)",
    year: 1980,
};

pub const FRANKLIN_1982: Citation = Citation {
    authors: "W. R. Franklin",
    title: "On an improved algorithm for decentralized extrema finding in circular configurations of processors, CACM 25(5)",
    year: 1982,
};

pub const SARKAR_LECTURE: Citation = Citation {
    authors: "R. Sarkar",
    title: "Distributed Systems, University of Edinburgh, lecture on leader election",
    year: 2015,
};

pub const CHANG_1982: Citation = Citation {
    authors: "E. J. H. Chang",
    title: "Echo algorithms: depth parallel operations on general graphs, IEEE Trans. Software Engineering 8(4)",
    year: 1982,
};

pub const SEGALL_1983: Citation = Citation {
    authors: "A. Segall",
    title: "Distributed network protocols, IEEE Trans. Information Theory 29(1)",
    year: 1983,
};

pub const PETERSON_1982: Citation = Citation {
    authors: "G. L. Peterson",
    title: "An O(n log n) unidirectional algorithm for the circular extrema problem, ACM TOPLAS 4(4)",
    year: 1982,
};

pub const DOLEV_KLAWE_RODEH_1982: Citation = Citation {
    authors: "D. Dolev, M. Klawe and M. Rodeh",
    title: "An O(n log n) unidirectional distributed algorithm for extrema finding in a circle, J. Algorithms 3(3)",
    year: 1982,
};

pub const ITAI_RODEH_1990: Citation = Citation {
    authors: "A. Itai and M. Rodeh",
    title: "Symmetry breaking in distributed networks, Information and Computation 88(1)",
    year: 1990,
};

pub const FOKKINK_2013: Citation = Citation {
    authors: "W. Fokkink",
    title: "Distributed Algorithms: An Intuitive Approach, chapter 9",
    year: 2013,
};

pub const FOKKINK_PANG_2006: Citation = Citation {
    authors: "W. Fokkink and J. Pang",
    title: "Variations on Itai-Rodeh leader election for anonymous rings, J. Universal Computer Science 12(8)",
    year: 2006,
};

pub const CHANDRA_TOUEG_1996: Citation = Citation {
    authors: "T. D. Chandra and S. Toueg",
    title: "Unreliable failure detectors for reliable distributed systems, JACM 43(2)",
    year: 1996,
};

pub const HAYASHIBARA_2004: Citation = Citation {
    authors: "N. Hayashibara, X. Defago, R. Yared and T. Katayama",
    title: "The phi accrual failure detector, IEEE Symposium on Reliable Distributed Systems",
    year: 2004,
};

pub const BURROWS_2006: Citation = Citation {
    authors: "M. Burrows",
    title: "The Chubby lock service for loosely-coupled distributed systems, OSDI",
    year: 2006,
};

pub const GRAY_CHERITON_1989: Citation = Citation {
    authors: "C. Gray and D. Cheriton",
    title: "Leases: an efficient fault-tolerant mechanism for distributed file cache consistency, SOSP",
    year: 1989,
};

pub const ONGARO_2014: Citation = Citation {
    authors: "D. Ongaro",
    title: "Consensus: bridging theory and practice (dissertation, Stanford), chapters 3, 4, 6 and 9",
    year: 2014,
};

pub const HUNT_KONAR_JUNQUEIRA_REED_2010: Citation = Citation {
    authors: "P. Hunt, M. Konar, F. P. Junqueira and B. Reed",
    title: "ZooKeeper: wait-free coordination for Internet-scale systems, USENIX Annual Technical Conference",
    year: 2010,
};

pub const JUNQUEIRA_REED_SERAFINI_2011: Citation = Citation {
    authors: "F. P. Junqueira, B. C. Reed and M. Serafini",
    title: "Zab: high-performance broadcast for primary-backup systems, IEEE/IFIP DSN",
    year: 2011,
};

pub const MEDEIROS_2012: Citation = Citation {
    authors: "A. Medeiros",
    title: "ZooKeeper's atomic broadcast protocol: theory and practice, Aalto University",
    year: 2012,
};

pub const LAMPORT_1998: Citation = Citation {
    authors: "L. Lamport",
    title: "The part-time parliament, ACM Trans. Computer Systems 16(2)",
    year: 1998,
};

pub const LAMPORT_2001: Citation =
    Citation { authors: "L. Lamport", title: "Paxos made simple, ACM SIGACT News 32(4)", year: 2001 };

pub const ONGARO_OUSTERHOUT_2014: Citation = Citation {
    authors: "D. Ongaro and J. Ousterhout",
    title: "In search of an understandable consensus algorithm, USENIX Annual Technical Conference",
    year: 2014,
};

pub const AGUILERA_2001: Citation = Citation {
    authors: "M. K. Aguilera, C. Delporte-Gallet, H. Fauconnier and S. Toueg",
    title: "Stable leader election, International Symposium on Distributed Computing (DISC)",
    year: 2001,
};

pub const CHANDRA_HADZILACOS_TOUEG_1996: Citation = Citation {
    authors: "T. D. Chandra, V. Hadzilacos and S. Toueg",
    title: "The weakest failure detector for solving consensus, JACM 43(4)",
    year: 1996,
};
