//! Priorities of threads. A leader whose thread gets no processor in time loses its lease. A member's threads need little
//! time, but soon: where the system allows it, they have priority. Where it does not, a busy machine may cost leadership,
//! never safety.

use bellwether_core::Span;
use thread_priority::{
    NormalThreadSchedulePolicy, RealtimeThreadSchedulePolicy, ThreadPriority, ThreadPriorityValue,
    ThreadSchedulePolicy, set_thread_priority_and_policy, thread_native_id,
};

/// Niceness: other threads still get their share, and may hold a member up for some milliseconds.
const FIRST: i32 = -15;
/// With a smaller delay bound than this, some milliseconds are too many.
const CANNOT_WAIT: Span = Span::from_ticks(5_000);

/// Raises the calling thread above most others.
pub(crate) fn raise_priority() {
    let _ = rustix::process::setpriority_process(None, FIRST);
}

/// Raises a thread that keeps leases; above all ordinary threads, if the delay bound is that short. It is the lowest
/// real-time priority, so that threads with one of their own go first. Threads that it starts inherit it.
pub(crate) fn raise_lease_priority(delay_bound: Span) {
    raise_priority();
    if delay_bound < CANNOT_WAIT {
        let policy = ThreadSchedulePolicy::Realtime(RealtimeThreadSchedulePolicy::RoundRobin);
        let _ = set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, policy);
    }
}

/// Gives the calling thread ordinary priority, at niceness 0, whatever it inherited.
pub(crate) fn reset_priority() {
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
        if turns(raise_priority)[0] != FIRST {
            skipped("who goes before others", "this user may not: it takes CAP_SYS_NICE");
            return;
        }
        let just_short = Span::from_ticks(CANNOT_WAIT.ticks() - 1);
        assert_eq!(turns(|| raise_lease_priority(CANNOT_WAIT)), [FIRST, 0, 0]);
        if turns(move || raise_lease_priority(just_short))[2] != ROUND_ROBIN {
            skipped("who goes first", "it takes CAP_SYS_NICE, and a control group with real-time to give");
            return;
        }
        assert_eq!(turns(move || raise_lease_priority(just_short))[1..], [1, ROUND_ROBIN]);
        let below = move || {
            raise_lease_priority(just_short);
            std::thread::spawn(|| assert_eq!(turns(reset_priority), [0, 0, 0])).join().unwrap();
        };
        assert_eq!(turns(below)[1..], [1, ROUND_ROBIN]);
    }
}
