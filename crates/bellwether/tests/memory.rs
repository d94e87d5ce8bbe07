//! What a member keeps does not grow with what it hears: counted by the allocator.

use bellwether::{Elector, Id, Peer, Profile, Security, Settings};
use peak_alloc::PeakAlloc;
use std::time::{Duration, Instant};
use tempfile::TempDir;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

/// So many messages are heard: to keep a byte of each would be seen.
const MESSAGES: u64 = 4_000;
/// What may come and go meanwhile.
const LEEWAY: usize = MESSAGES as usize;
/// Far more than anything takes: it only turns a test that would hang into one that fails.
const LIMIT: Duration = Duration::from_secs(120);

fn members(directory: &TempDir) -> Vec<Elector> {
    let id = |value| Id::new(value).unwrap();
    let start = |me| {
        let settings = Settings {
            members: (1..=3).map(|peer| Peer::new(id(peer), "127.0.0.1:0")).collect(),
            data: directory.path().join(format!("{me}")),
            security: Security::Secret(
                "bw1-c5469b98847dcf399b028e5dc6e44d7b2b9076b40e490d1b9f5578091025f85509f32a21".into(),
            ),
            profile: Profile::FAST,
            always_stands: true,
            ..Settings::new("test", id(me))
        };
        bellwether::start(settings).unwrap()
    };
    let members: Vec<Elector> = (1..=3).map(start).collect();
    for one in &members {
        for other in &members {
            one.set_address(other.id(), other.address().to_string());
        }
    }
    members
}

/// Waits until so many more messages were heard.
async fn listen(members: &[Elector], messages: u64) {
    let (mut first, limit) = (None, Instant::now() + LIMIT);
    loop {
        let mut heard = 0;
        for member in members {
            heard +=
                member.traffic().await.unwrap().peers.iter().map(|(_, tally)| tally.frames_in).sum::<u64>();
        }
        if heard >= *first.get_or_insert(heard) + messages {
            return;
        }
        assert!(Instant::now() < limit, "{heard} messages were heard");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The least that is in use, of several looks: what is only on its way does not count.
async fn kept(members: &[Elector]) -> usize {
    let mut least = usize::MAX;
    for _ in 0..50 {
        least = least.min(ALLOCATOR.current_usage());
        listen(members, 1).await;
    }
    least
}

#[tokio::test]
async fn memory_of_a_member_does_not_grow_with_messages() {
    let directory = TempDir::new().unwrap();
    let members = members(&directory);
    // Buffers grow to what they need, and more whenever a member is held up.
    let mut looks = vec![kept(&members).await];
    while looks.len() < 2 || looks[looks.len() - 1] >= looks[looks.len() - 2] + LEEWAY {
        assert!(looks.len() < 10, "bytes that were kept, each time {MESSAGES} messages later: {looks:?}");
        listen(&members, MESSAGES).await;
        looks.push(kept(&members).await);
    }
    let before = kept(&members).await;
    let of_each_message = std::hint::black_box(vec![0_u8; 4 * MESSAGES as usize]);
    assert!(kept(&members).await >= before + LEEWAY, "{} bytes must be seen", of_each_message.len());
}
