//! What is counted, for whoever watches the server with Prometheus.

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::relay::Happening;

/// What is counted.
#[derive(Debug)]
pub(crate) struct Metrics {
    registry: Registry,
    started: Counter,
    attached: Counter,
    sockets: Gauge,
    workers: Gauge,
    viewers: Gauge,
}

impl Metrics {
    pub(crate) fn new() -> Metrics {
        let mut metrics = Metrics {
            registry: Registry::with_prefix("abide"),
            started: Counter::default(),
            attached: Counter::default(),
            sockets: Gauge::default(),
            workers: Gauge::default(),
            viewers: Gauge::default(),
        };
        let registry = &mut metrics.registry;
        registry.register("workers_started", "Workers that this server has started", metrics.started.clone());
        registry.register("viewers_attached", "Viewers that came through sockets", metrics.attached.clone());
        registry.register("open_sockets", "WebSockets that are open", metrics.sockets.clone());
        registry.register("live_workers", "Workers whose child runs", metrics.workers.clone());
        registry.register("viewers", "Screens that show a worker", metrics.viewers.clone());
        metrics
    }

    /// A worker was started.
    pub(crate) fn started(&self) {
        self.started.inc();
    }

    /// Something happened on a socket.
    pub(crate) fn happened(&self, happening: Happening) {
        if let Happening::ViewerAttached { .. } = happening {
            self.attached.inc();
        }
    }

    /// All counts as text, with these as they are now.
    pub(crate) fn text(&self, sockets: usize, workers: usize, viewers: usize) -> String {
        let set = |gauge: &Gauge, value: usize| gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
        set(&self.sockets, sockets);
        set(&self.workers, workers);
        set(&self.viewers, viewers);
        let mut text = String::new();
        // A string takes whatever is written to it.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
