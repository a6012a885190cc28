//! Requests that a page of another site could have a browser make: refused by every route, with the owner's token too.

use std::net::Ipv4Addr;

use api::ErrorCode;
use server::policy::Policy;

use super::{Objects, UPGRADE, ask, everything};
use crate::server::{Answer, Workshop};

#[test]
fn s2_s3_s5_s6_every_route_refuses_other_names_other_pages_and_secrets_in_addresses() {
    let shop = Workshop::new();
    let server = &shop.server;
    let task = shop.running("One");
    // The server hears these from the host after it knows that the worker runs.
    let worker = task.worker_id.expect("it runs");
    server.wait_for_worker(worker, "its handle and directory", |worker| {
        worker.handle.is_some() && worker.cwd.is_some()
    });
    let objects = Objects::of(server, &task);
    let before = everything(server);
    let bearer = format!("Bearer {}", server.token);
    let (_, port) = server.authority().split_once(':').expect("a port");
    let other_port = port.parse::<u16>().expect("a port") ^ 1;
    let hosts = [
        format!("rebind.example:{port}"),
        format!("127.0.0.1.nip.example:{port}"),
        format!("127.0.0.1:{other_port}"),
        "127.0.0.1".into(),
        format!("LOCALHOST:{port}"),
        format!("localhost.:{port}"),
        format!("evil.localhost:{port}"),
        String::new(),
    ];
    let origins = [
        "null".into(),
        "http://evil.example".into(),
        format!("http://127.0.0.1:{other_port}"),
        format!("https://127.0.0.1:{port}"),
        format!("http://rebind.example:{port}"),
        format!("http://127.0.0.1:{port}.evil.example"),
        String::new(),
    ];
    for route in server::route_table() {
        let path = objects.fill(&route.path);
        let upgrade = matches!(route.policy, Policy::Socket { .. }).then_some(UPGRADE);
        let ask = |path: &str, headers: &[(&str, &str)]| -> Answer {
            let mut headers = headers.to_vec();
            headers.push(("authorization", &bearer));
            headers.extend(upgrade.into_iter().flatten());
            ask(server, Ipv4Addr::LOCALHOST, &format!("{} {path}", route.method), &headers, b"")
        };
        let own = ("host", server.authority());
        for host in &hosts {
            ask(&path, &[("host", host)]).problem(ErrorCode::Misdirected);
        }
        ask(&path, &[]).problem(ErrorCode::Misdirected);
        ask(&path, &[own, own]).problem(ErrorCode::Misdirected);
        ask(&path, &[("host", &hosts[0]), ("x-forwarded-host", server.authority())])
            .problem(ErrorCode::Misdirected);
        for origin in &origins {
            ask(&path, &[own, ("origin", origin)]).problem(ErrorCode::ForeignOrigin);
        }
        let ours = ("origin", server.url.as_str());
        ask(&path, &[own, ours, ours]).problem(ErrorCode::ForeignOrigin);
        for site in ["cross-site", "same-site"] {
            ask(&path, &[own, ("sec-fetch-site", site)]).problem(ErrorCode::CrossSite);
        }
        for query in
            [format!("token={}", server.token), "access_token=x".into(), format!("q={}", server.token)]
        {
            ask(&format!("{path}?{query}"), &[own]).problem(ErrorCode::SecretInUrl);
        }
    }
    assert_eq!(everything(server), before);
}
