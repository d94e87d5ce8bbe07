//! The first words of a member that dials another: what strangers can overhear and say again.

use crate::cluster::Cluster;
use std::io::Read as _;
use std::net::TcpListener;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// A whole member says this much, and far less.
const MOST: usize = 16_384;

/// Lets a member with the settings of `me`, but a store of its own and a peer at a listener of ours, dial once.
///
/// # Errors
/// Why nothing was overheard.
pub fn overhear(cluster: &mut Cluster, me: u64) -> Result<Vec<u8>, String> {
    let text = |why: std::io::Error| why.to_string();
    let listener = TcpListener::bind("127.0.0.1:0").map_err(text)?;
    let place = listener.local_addr().map_err(text)?.to_string();
    let mut settings = cluster.settings(me).clone();
    settings.data = cluster.directory().join("overheard");
    settings.listen = Some("127.0.0.1:0".into());
    let me = settings.me;
    // No two members have the same address: the first of the others is at the listener.
    let elsewhere = (1..).map(|port| format!("127.0.0.1:{port}"));
    let others = settings.members.iter_mut().filter(|peer| peer.id != me);
    others.zip(std::iter::once(place).chain(elsewhere)).for_each(|(peer, place)| peer.address = place);
    let mut command = cluster.command(&settings, "member");
    let mut member =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().map_err(text)?;
    let heard = first_record(&listener);
    let _ = member.kill();
    let _ = member.wait();
    heard
}

/// The first TLS record of a client.
fn first_record(listener: &TcpListener) -> Result<Vec<u8>, String> {
    let text = |why: std::io::Error| why.to_string();
    listener.set_nonblocking(true).map_err(text)?;
    let end = Instant::now() + Duration::from_secs(10);
    let mut stream = loop {
        match listener.accept() {
            Ok((stream, _)) => break stream,
            Err(_) if Instant::now() < end => std::thread::sleep(Duration::from_millis(5)),
            Err(why) => return Err(format!("no member dials: {why}")),
        }
    };
    stream.set_nonblocking(false).map_err(text)?;
    stream.set_read_timeout(Some(Duration::from_secs(5))).map_err(text)?;
    let mut record = vec![0; 5];
    stream.read_exact(&mut record).map_err(text)?;
    let length = usize::from(u16::from_be_bytes([record[3], record[4]]));
    if record[0] != 0x16 || length > MOST {
        return Err(format!("no TLS handshake begins with {record:?}"));
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).map_err(text)?;
    record.extend(body);
    Ok(record)
}
