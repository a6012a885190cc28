//! The server's metrics, for Prometheus.

use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;

use crate::relay::Happening;

/// The counters and gauges.
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
        registry.register(
            "viewers_attached",
            "Viewers that attached through sockets",
            metrics.attached.clone(),
        );
        registry.register("open_sockets", "WebSockets that are open", metrics.sockets.clone());
        registry.register("live_workers", "Workers with a running child", metrics.workers.clone());
        registry.register("viewers", "Viewers that are attached", metrics.viewers.clone());
        metrics
    }

    /// Counts a started worker.
    pub(crate) fn started(&self) {
        self.started.inc();
    }

    /// Counts an event on a socket.
    pub(crate) fn happened(&self, happening: Happening) {
        if let Happening::ViewerAttached { .. } = happening {
            self.attached.inc();
        }
    }

    /// All metrics as text, with these current values.
    pub(crate) fn text(&self, sockets: usize, workers: usize, viewers: usize) -> String {
        let set = |gauge: &Gauge, value: usize| gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
        set(&self.sockets, sockets);
        set(&self.workers, workers);
        set(&self.viewers, viewers);
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode(&mut text, &self.registry);
        text
    }
}
