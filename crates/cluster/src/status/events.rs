//! What happens at a member, as a stream.

use crate::os::clock::Clock;
use crate::status::event::{Event, Happened};
use bellwether_core::Id;
use futures_core::Stream;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context, Poll, Wake};
use std::thread::Thread;
use tokio::sync::broadcast::{self, Receiver, WeakSender, error::RecvError};

/// Where streams of events begin.
#[derive(Debug)]
pub(crate) struct Source {
    member: Id,
    clock: Clock,
    /// Weak: when the member has ended, so have the streams.
    sender: WeakSender<Happened>,
    /// For the first observer: the events since the beginning.
    first: Mutex<Option<Receiver<Happened>>>,
    /// The member's last event, if it has ended.
    last: Arc<OnceLock<Happened>>,
}

impl Source {
    pub(crate) fn new(
        member: Id,
        clock: Clock,
        sender: &broadcast::Sender<Happened>,
        last: Arc<OnceLock<Happened>>,
    ) -> Source {
        let first = Mutex::new(Some(sender.subscribe()));
        Source { member, clock, sender: sender.downgrade(), first, last }
    }

    pub(crate) fn observe(&self) -> Events {
        let first = self.first.lock().ok().and_then(|mut first| first.take());
        let from = first.unwrap_or_else(|| {
            let from = self.sender.upgrade().map(|sender| sender.subscribe());
            // Asked after subscribing: if it has not ended by now, its end is still to come.
            from.filter(|_| self.last.get().is_none()).unwrap_or_else(|| self.only_the_last())
        });
        Events { member: self.member, clock: self.clock, next: Box::pin(receive(from)) }
    }

    /// For observers that come after the end.
    fn only_the_last(&self) -> Receiver<Happened> {
        let (sender, from) = broadcast::channel(1);
        if let Some(last) = self.last.get() {
            let _ = sender.send(last.clone()); // its receiver is here
        }
        from
    }
}

type Next = (Result<Happened, RecvError>, Receiver<Happened>);

/// What happens at a member, from when it was asked for to its end, which is [`Event::Stopped`]. An observer that does
/// not read for very long misses some events, never the last ones, and is told so: [`Event::Missed`].
pub struct Events {
    member: Id,
    clock: Clock,
    next: Pin<Box<dyn Future<Output = Next> + Send>>,
}

impl std::fmt::Debug for Events {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Events")
    }
}

async fn receive(mut from: Receiver<Happened>) -> Next {
    let next = from.recv().await;
    (next, from)
}

impl Events {
    /// Waits for the next one, in a thread that has nothing else to do; nothing if the member has ended and there are no
    /// more.
    pub fn wait(&mut self) -> Option<Happened> {
        let waker = Arc::new(Unpark(std::thread::current())).into();
        let mut cx = Context::from_waker(&waker);
        loop {
            if let Poll::Ready(next) = Pin::new(&mut *self).poll_next(&mut cx) {
                return next;
            }
            std::thread::park();
        }
    }

    /// The next one; nothing if the member has ended and there are no more.
    pub async fn next(&mut self) -> Option<Happened> {
        std::future::poll_fn(|cx| Pin::new(&mut *self).poll_next(cx)).await
    }
}

/// Wakes a thread that waits.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl Stream for Events {
    type Item = Happened;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Happened>> {
        let Poll::Ready((next, from)) = self.next.as_mut().poll(cx) else { return Poll::Pending };
        self.next = Box::pin(receive(from));
        Poll::Ready(match next {
            Ok(happened) => Some(happened),
            Err(RecvError::Lagged(count)) => {
                let (at, member) = (self.clock.now(), self.member);
                Some(Happened { at, member, event: Event::Missed { count } })
            }
            Err(RecvError::Closed) => None,
        })
    }
}
