//! A web service that any instance answers and only the leader changes: the others name the leader.
//!
//! `cargo run -p bellwether --example leader_aware_http`, or with `-- serve` to keep it up.

use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::{get, post};
use axum::{Json, Router};
use bellwether::{Elector, Id};
use serde_json::{Value, json};
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

struct Service {
    elector: Elector,
    orders: AtomicU64,
}

async fn state(State(service): State<Arc<Service>>) -> Json<Value> {
    let view = service.elector.view();
    Json(json!({
        "member": service.elector.id(),
        "leads": service.elector.is_leader(),
        "leader": view.status.leader,
        "term": view.status.term,
        "ready": view.is_ready,
    }))
}

/// Only the leader takes orders. The others say where to go, so that a client or proxy can.
async fn order(State(service): State<Arc<Service>>) -> (StatusCode, Json<Value>) {
    if service.elector.is_leader() {
        let number = service.orders.fetch_add(1, Ordering::SeqCst) + 1;
        return (StatusCode::CREATED, Json(json!({ "order": number })));
    }
    let leader = service.elector.view().status.leader;
    (StatusCode::MISDIRECTED_REQUEST, Json(json!({ "error": "not the leader", "leader": leader })))
}

async fn serve(elector: Elector) -> std::io::Result<SocketAddr> {
    let service = Arc::new(Service { elector, orders: AtomicU64::new(0) });
    let routes = Router::new().route("/", get(state)).route("/orders", post(order)).with_state(service);
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await?;
    let address = listener.local_addr()?;
    tokio::spawn(async move {
        if let Err(error) = axum::serve(listener, routes).await {
            eprintln!("the service has ended: {error}");
        }
    });
    Ok(address)
}

fn ask(address: SocketAddr, request: &str) -> std::io::Result<String> {
    let mut stream = TcpStream::connect(address)?;
    write!(stream, "{request} HTTP/1.0\r\nContent-Length: 0\r\n\r\n")?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    Ok(answer)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let directory = tempfile::tempdir()?;
    let mut electors = Vec::new();
    for me in 1..=3 {
        let mut builder = bellwether::builder("shop", Id::new(me)?)
            .secret("thirty-two bytes that only members know")
            .data(directory.path().join(me.to_string()))
            .always_stand();
        for id in 1..=3 {
            builder = builder.member(Id::new(id)?, "127.0.0.1:0");
        }
        electors.push(builder.start()?);
    }
    for one in &electors {
        electors.iter().for_each(|other| one.set_address(other.id(), other.address().to_string()));
    }
    let mut addresses = Vec::new();
    for elector in &electors {
        addresses.push(serve(elector.clone()).await?);
    }
    // Without a leader, all instances refuse orders. The first one may lead until the best one is there.
    let (mut events, best) = (electors[0].observe(), electors[2].id());
    while electors.iter().any(|elector| elector.view().status.leader != Some(best)) {
        let wait = std::time::Duration::from_millis(20);
        let _ = tokio::time::timeout(wait, events.next()).await;
    }
    electors.iter().for_each(Elector::ready);

    let mut taken = 0;
    for &address in &addresses {
        let answer = tokio::task::spawn_blocking(move || ask(address, "POST /orders")).await??;
        let status = answer.lines().next().unwrap_or_default();
        println!("http://{address}/orders: {status}: {}", answer.lines().last().unwrap_or_default());
        taken += usize::from(status.contains("201"));
    }
    assert_eq!(taken, 1, "exactly one instance takes orders");
    if std::env::args().nth(1).as_deref() == Some("serve") {
        println!("Ctrl-C ends it");
        std::future::pending::<()>().await;
    }
    Ok(())
}
