//! What happens at a member, as a stream.

use crate::event::Happened;
use futures_core::Stream;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use std::thread::Thread;
use tokio::sync::broadcast::{Receiver, error::RecvError};

type Next = (Result<Happened, RecvError>, Receiver<Happened>);

/// What happens at a member, from when it was asked for. Whoever looks away for very long misses some events, never the
/// last ones.
pub struct Events {
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
    pub(crate) fn new(from: Receiver<Happened>) -> Events {
        Events { next: Box::pin(receive(from)) }
    }

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
        loop {
            let Poll::Ready((next, from)) = self.next.as_mut().poll(cx) else { return Poll::Pending };
            self.next = Box::pin(receive(from));
            match next {
                Ok(happened) => return Poll::Ready(Some(happened)),
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => return Poll::Ready(None),
            }
        }
    }
}
