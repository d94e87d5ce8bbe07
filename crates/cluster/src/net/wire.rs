//! What goes over a connection: frames of a kind, a length and a body.
//!
//! `kind: u8, length: u16, body: length bytes`, numbers little-endian. The first frame each way is a [`Hello`].
//! Reading is a pure function of the bytes; whatever it does not understand ends the connection.

use crate::settings::encoding::{Reader, put_incarnation};
use crate::{ClusterConfig, Incarnation, StoreId};
use bellwether_core::{Id, ListVersion, Signal};

/// The version of this format. Those of another version refuse each other.
pub const VERSION: u16 = 4;
/// The longest body.
pub const MAX_BODY: usize = 16 * 1024;
/// What comes before a body.
pub const HEADER: usize = 3;

/// The beginning of a Hello: it tells our frames from anything else that comes to a port.
const MAGIC: [u8; 4] = *b"BWHI";

const HELLO: u8 = 1;
const WELCOME: u8 = 2;
const MESSAGE: u8 = 3;
const SIGNAL: u8 = 4;
const READY: u8 = 5;
const FAREWELL: u8 = 6;
const SUPERSEDED: u8 = 7;
const OTHER_STORE: u8 = 8;

/// One frame. `B` is where its message lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Frame<B> {
    /// The sender introduces itself: the first frame of each side.
    Hello(Box<Hello>),
    /// The member with the smaller id chooses this connection as the one between the two.
    Welcome,
    /// A message of an algorithm.
    Message(B),
    /// A signal of a failure detector.
    Signal(Signal),
    /// The leader of this term has taken over.
    Ready(u64),
    /// The last frame, and why.
    Farewell(Reason),
    /// Another process has this identity, or its death was certified. The last frame.
    Superseded(Option<Incarnation>),
    /// The member is known to vote from another store, so this one has lost its votes. The last frame.
    OtherStore,
}

impl<B> Frame<B> {
    /// The same frame, with its message at another place.
    pub fn map<C>(self, place: impl FnOnce(B) -> C) -> Frame<C> {
        match self {
            Frame::Hello(hello) => Frame::Hello(hello),
            Frame::Welcome => Frame::Welcome,
            Frame::Message(bytes) => Frame::Message(place(bytes)),
            Frame::Signal(signal) => Frame::Signal(signal),
            Frame::Ready(term) => Frame::Ready(term),
            Frame::Farewell(reason) => Frame::Farewell(reason),
            Frame::Superseded(by) => Frame::Superseded(by),
            Frame::OtherStore => Frame::OtherStore,
        }
    }
}

/// The introduction of one member to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hello {
    /// The cluster's name.
    pub cluster: String,
    /// The configuration that all members must agree on.
    pub config: ClusterConfig,
    /// The member that sends it.
    pub from: Id,
    /// The member that it is for.
    pub to: Id,
    /// Which incarnation of the sender.
    pub incarnation: Incarnation,
    /// Which store the sender votes from.
    pub store: StoreId,
    /// Nothing was ever saved in that store.
    pub is_new: bool,
    /// The sender has this list of voters, which names that store for it.
    pub named_in: Option<ListVersion>,
    /// Counts the sender's Hellos to this receiver: the later one was sent knowing more.
    pub number: u64,
    /// SHA-256 of the token that the sender's supervisor reveals after the sender's death.
    pub commitment: Option<[u8; 32]>,
}

/// Why a member ends a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// It stops.
    Leaving,
    /// The two have another connection.
    Duplicate,
    /// It is of another cluster.
    Cluster,
    /// It has another [`ClusterConfig`].
    Config,
    /// It speaks another version.
    Version,
    /// It is another member than the one that was dialled.
    Meant,
    /// It does not know the other as a member.
    Stranger,
    /// The other's certificate does not name it.
    Certificate,
    /// It did not understand.
    Malformed,
}

impl Reason {
    /// All of them; a reason's code is its place here.
    const ALL: [Reason; 9] = [
        Reason::Leaving,
        Reason::Duplicate,
        Reason::Cluster,
        Reason::Config,
        Reason::Version,
        Reason::Meant,
        Reason::Stranger,
        Reason::Certificate,
        Reason::Malformed,
    ];
}

/// Why bytes are no frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// There is no such kind of frame.
    #[error("there is no frame of kind {0}")]
    Kind(u8),
    /// It is longer than allowed.
    #[error("a frame of {0} bytes is longer than {MAX_BODY}")]
    Long(usize),
    /// The body does not fit the kind.
    #[error("the body of a frame of kind {0} makes no sense")]
    Body(u8),
    /// A Hello of another version.
    #[error("it speaks version {0} of the wire format, and this member version {VERSION}")]
    Version(u16),
    /// The frame is fine, but not now.
    #[error("a frame that has no place here")]
    Order,
}

/// How long the first frame is, header and all, as far as that can be told.
///
/// # Errors
/// If it is no frame, as soon as that can be told.
pub fn length(bytes: &[u8]) -> Result<Option<usize>, Malformed> {
    match *bytes {
        [kind, ..] if !(HELLO..=OTHER_STORE).contains(&kind) => Err(Malformed::Kind(kind)),
        [_, low, high, ..] => match usize::from(u16::from_le_bytes([low, high])) {
            body if body > MAX_BODY => Err(Malformed::Long(body)),
            body => Ok(Some(HEADER + body)),
        },
        _ => Ok(None),
    }
}

/// A frame and how long it is, header and all.
pub type Measured<'a> = (Frame<&'a [u8]>, usize);

/// The first frame and its length, or nothing if there is not yet enough of it.
///
/// # Errors
/// If it is no frame.
pub fn decode(bytes: &[u8]) -> Result<Option<Measured<'_>>, Malformed> {
    let Some(length) = length(bytes)? else { return Ok(None) };
    let Some(whole) = bytes.get(..length) else { return Ok(None) };
    let kind = whole[0];
    let mut body = Reader::new(&whole[HEADER..]);
    let frame = if kind == MESSAGE { Some(Frame::Message(body.rest())) } else { body.frame(kind)? };
    match frame {
        Some(frame) if body.is_empty() => Ok(Some((frame, length))),
        _ => Err(Malformed::Body(kind)),
    }
}

/// Appends a frame. `false`, and nothing done, if its body would be too long.
#[must_use]
pub fn encode(frame: &Frame<&[u8]>, to: &mut Vec<u8>) -> bool {
    let start = to.len();
    to.extend([kind(frame), 0, 0]);
    match frame {
        Frame::Hello(hello) => hello.encode(to),
        Frame::Welcome | Frame::Superseded(None) | Frame::OtherStore => {}
        Frame::Message(bytes) => to.extend_from_slice(bytes),
        Frame::Signal(signal) => {
            let (code, number) = match *signal {
                Signal::Beat(number) => (0, number),
                Signal::Ping(number) => (1, number),
                Signal::Pong(number) => (2, number),
            };
            to.push(code);
            to.extend(number.to_le_bytes());
        }
        Frame::Ready(term) => to.extend(term.to_le_bytes()),
        Frame::Farewell(reason) => to.push(*reason as u8),
        Frame::Superseded(Some(by)) => put_incarnation(*by, to),
    }
    let body = to.len() - start - HEADER;
    if body > MAX_BODY {
        to.truncate(start);
        return false;
    }
    to[start + 1..start + HEADER].copy_from_slice(&(body as u16).to_le_bytes());
    true
}

fn kind<B>(frame: &Frame<B>) -> u8 {
    match frame {
        Frame::Hello(_) => HELLO,
        Frame::Welcome => WELCOME,
        Frame::Message(_) => MESSAGE,
        Frame::Signal(_) => SIGNAL,
        Frame::Ready(_) => READY,
        Frame::Farewell(_) => FAREWELL,
        Frame::Superseded(_) => SUPERSEDED,
        Frame::OtherStore => OTHER_STORE,
    }
}

impl Hello {
    fn encode(&self, to: &mut Vec<u8>) {
        to.extend(MAGIC);
        to.extend(VERSION.to_le_bytes());
        let name = &self.cluster.as_bytes()[..self.cluster.len().min(usize::from(u8::MAX))];
        to.push(name.len() as u8);
        to.extend_from_slice(name);
        self.config.encode(to);
        to.extend(self.from.value().to_le_bytes());
        to.extend(self.to.value().to_le_bytes());
        put_incarnation(self.incarnation, to);
        to.extend(self.store.bytes());
        to.push(u8::from(self.is_new));
        to.push(u8::from(self.named_in.is_some()));
        if let Some((term, number)) = self.named_in {
            to.extend(term.to_le_bytes());
            to.extend(number.to_le_bytes());
        }
        to.extend(self.number.to_le_bytes());
        to.push(u8::from(self.commitment.is_some()));
        to.extend(self.commitment.iter().flatten());
    }
}

impl Reader<'_> {
    /// A frame of any kind but a message.
    fn frame<'b>(&mut self, kind: u8) -> Result<Option<Frame<&'b [u8]>>, Malformed> {
        Ok(match kind {
            HELLO => self.hello()?.map(|hello| Frame::Hello(Box::new(hello))),
            WELCOME => Some(Frame::Welcome),
            SIGNAL => self.signal().map(Frame::Signal),
            READY => self.u64().map(Frame::Ready),
            FAREWELL => {
                self.u8().and_then(|code| Reason::ALL.get(usize::from(code)).copied()).map(Frame::Farewell)
            }
            OTHER_STORE => Some(Frame::OtherStore),
            SUPERSEDED if self.is_empty() => Some(Frame::Superseded(None)),
            SUPERSEDED => self.incarnation().map(|by| Frame::Superseded(Some(by))),
            _ => None,
        })
    }

    fn signal(&mut self) -> Option<Signal> {
        let (code, number) = (self.u8()?, self.u64()?);
        match code {
            0 => Some(Signal::Beat(number)),
            1 => Some(Signal::Ping(number)),
            2 => Some(Signal::Pong(number)),
            _ => None,
        }
    }

    /// Of another version, nothing but magic and version is read: the rest may be anything.
    fn hello(&mut self) -> Result<Option<Hello>, Malformed> {
        if self.array() != Some(MAGIC) {
            return Ok(None);
        }
        match self.array().map(u16::from_le_bytes) {
            Some(VERSION) => Ok(self.rest_of_hello()),
            Some(other) => Err(Malformed::Version(other)),
            None => Ok(None),
        }
    }

    fn rest_of_hello(&mut self) -> Option<Hello> {
        let (cluster, config) = (self.name()?, ClusterConfig::read(self)?);
        let (from, to) = (self.id()?, self.id()?);
        let (incarnation, store) = (self.incarnation()?, StoreId::new(self.array()?));
        let is_new = self.flag()?;
        let named_in =
            if self.flag()? { Some((self.u64()?, u32::from_le_bytes(self.array()?))) } else { None };
        let number = self.u64()?;
        let commitment = if self.flag()? { Some(self.array()?) } else { None };
        Some(Hello { cluster, config, from, to, incarnation, store, is_new, named_in, number, commitment })
    }
}
