//! Turns at the processor. A lease is lost by whoever gets none in time. A member's threads need little of it, but soon:
//! where the system allows it, they go before others. Where it does not, a busy machine may cost leadership, never safety.

use bellwether_core::Span;
use thread_priority::{
    NormalThreadSchedulePolicy, RealtimeThreadSchedulePolicy, ThreadPriority, ThreadPriorityValue,
    ThreadSchedulePolicy, set_thread_priority_and_policy, thread_native_id,
};

/// Niceness: others still get their share, and whoever is before them may wait for some milliseconds.
const FIRST: i32 = -15;
/// With a smaller delay bound than this, some milliseconds are too many.
const CANNOT_WAIT: Span = Span::from_ticks(5_000);

/// The calling thread goes before most.
pub(crate) fn go_before_others() {
    let _ = rustix::process::setpriority_process(None, FIRST);
}

/// So does a thread that keeps leases; before all ordinary ones, if delays are to be that short. Real-time priority as
/// low as there is: it is in nobody's way who was given one on purpose. The threads that it starts inherit it.
pub(crate) fn go_first(delay_bound: Span) {
    go_before_others();
    if delay_bound < CANNOT_WAIT {
        let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::RoundRobin);
        let _ = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, policy);
    }
}

/// The calling thread goes like ordinary ones, at niceness 0, whoever has started it.
pub(crate) fn go_with_others() {
    let Ok(middle) = ThreadPriorityValue::try_from(48u8) else { return }; // of 99 is niceness 0, by this crate's scale
    let policy = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Other);
    let _ = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Crossplatform(middle), policy);
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellwether_testkit::skipped::skipped;

    const ROUND_ROBIN: i32 = 2;

    /// Niceness, real-time priority and policy of a thread, as the kernel tells them (`man 5 proc_pid_stat`).
    fn turns(of_thread: impl FnOnce() + Send + 'static) -> [i32; 3] {
        let thread = std::thread::spawn(move || {
            of_thread();
            let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
            let after_name = stat.rsplit_once(") ").unwrap().1.split(' ').collect::<Vec<_>>();
            [19, 40, 41].map(|field| after_name[field - 3].parse().unwrap())
        });
        thread.join().unwrap()
    }

    #[test]
    fn only_where_delays_are_short_does_a_thread_go_before_all() {
        if turns(go_before_others)[0] != FIRST {
            skipped("who goes before others", "this user may not: it takes CAP_SYS_NICE");
            return;
        }
        let just_short = Span::from_ticks(CANNOT_WAIT.ticks() - 1);
        assert_eq!(turns(|| go_first(CANNOT_WAIT)), [FIRST, 0, 0]);
        if turns(move || go_first(just_short))[2] != ROUND_ROBIN {
            skipped("who goes first", "it takes CAP_SYS_NICE, and a control group with real-time to give");
            return;
        }
        assert_eq!(turns(move || go_first(just_short))[1..], [1, ROUND_ROBIN]);
        let below = move || {
            go_first(just_short);
            std::thread::spawn(|| assert_eq!(turns(go_with_others), [0, 0, 0])).join().unwrap();
        };
        assert_eq!(turns(below)[1..], [1, ROUND_ROBIN]);
    }
}
