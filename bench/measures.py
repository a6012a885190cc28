"""What is measured. Each measure starts an instance of a system, and records numbers under a name."""

import time

import processes
from instance import Instance, Timeout

# A key that has not come back by then is typed again: bytes may be dropped before an attached client is live.
RETYPE_S = 0.025


class Measures:
    """All measures of one run; `results` has a list of samples for each measure and system."""

    def __init__(self, bench):
        self.bench = bench
        self.args = bench.args
        self.results = bench.results

    def record(self, system, measure, value):
        if value is not None:
            self.results.add(measure, system, value)

    def record_quantiles(self, system, measure, sorted_us):
        if sorted_us:
            self.record(system, measure + " p50 us", sorted_us[len(sorted_us) // 2])
            last = len(sorted_us) - 1
            self.record(system, measure + " p99 us", sorted_us[min(last, int(len(sorted_us) * 0.99))])

    def emit(self, kind, bytes, *more):
        secs = ["--secs", str(self.args.secs)]
        return ["emit", "--file", self.bench.stream(kind), "--bytes", str(bytes), *secs, *more]

    def bulk(self, name, spec, kind, attached):
        """A stream as fast as it goes, with one client or with none. Raw always has its client: no server reads it."""
        with Instance(self.bench, name, spec) as instance:
            marker = "@@END%s@@" % instance.tag[:6]
            gate = instance.gate()
            session, _ = instance.create(
                self.emit(kind, self.args.mb * 1000000, "--gate", gate, "--marker", marker)
            )
            client = instance.attach(session) if attached or spec.get("direct") else None
            instance.stamp(session, "start")
            instance.settle()
            if client:
                client.arm(marker)
            servers, everyone = instance.servers(), instance.everyone()
            servers_before, all_before = processes.cpu_ns(servers), processes.cpu_ns(everyone)
            instance.open_gate(gate)
            go_at, _ = instance.stamp(session, "go")
            limit_s = self.args.secs * 4 + 20
            hit_at, received = client.hit(limit_s) if client else (None, None)
            printed_at, _ = instance.stamp(session, "end", limit_s)
            _, size = instance.stamp(session, "done")
            # Work that the servers put off until after the child's last byte counts as well.
            instance.settle()
            servers_ns = processes.cpu_ns(servers) - servers_before
            all_ns = processes.cpu_ns(everyone) - all_before
            end_at = hit_at if attached else printed_at
            how = ("attached " if attached else "detached ") + kind
            self.record(name, how + " MB/s", size / (end_at - go_at) * 1e3)
            if not spec.get("direct"):
                self.record(name, how + " server cpu s/GB", servers_ns / size)
            self.record(name, how + " all cpu s/GB", all_ns / size)
            if attached:
                self.record(name, how + " out/in", received / size)
                self.record(name, how + " resyncs", instance.resyncs())
            if client:
                client.close()

    def fanout(self, name, spec, viewers):
        """Many viewers of one session: until the last has seen the end, then again with one of them stopped."""
        if spec.get("direct") or spec.get("single_client"):
            return
        for stalled in (False, True):
            with Instance(self.bench, name, spec) as instance:
                self.fan_out(name, instance, viewers, stalled)

    def fan_out(self, name, instance, viewers, stalled):
        marker = "@@END%s@@" % instance.tag[:6]
        gate = instance.gate()
        session, _ = instance.create(
            self.emit("tui", self.args.mb * 200000, "--gate", gate, "--marker", marker)
        )
        clients = [instance.attach(session) for _ in range(viewers)]
        instance.settle(0.3)
        for client in clients:
            client.arm(marker)
        *others, last = clients
        if stalled:
            last.stop()
        servers = instance.servers()
        before_ns = processes.cpu_ns(servers)
        instance.open_gate(gate)
        go_at, _ = instance.stamp(session, "go")
        limit_s = self.args.secs * 8 + 20
        others_at = max(client.hit(limit_s)[0] for client in others)
        printed_at, _ = instance.stamp(session, "end", limit_s)
        _, size = instance.stamp(session, "done")
        measure = "%d viewers%s " % (viewers, ", one stalled," if stalled else "")
        self.record(name, measure + "child MB/s", size / (printed_at - go_at) * 1e3)
        self.record(name, measure + "others MB/s", size / (others_at - go_at) * 1e3)
        if stalled:
            last.resume()
        else:
            end_at = max(others_at, last.hit(limit_s)[0])
            instance.settle()
            self.record(name, measure + "MB/s", size / (end_at - go_at) * 1e3)
            self.record(name, measure + "server cpu s/GB", (processes.cpu_ns(servers) - before_ns) / size)
        for client in clients:
            client.close()

    def echo(self, name, spec, flooded):
        """From a key to its echo, perhaps while another session of the same system prints without end."""
        if flooded and spec.get("direct"):
            return
        with Instance(self.bench, name, spec) as instance:
            if flooded:
                gate = instance.gate()
                instance.create(
                    [
                        "emit",
                        "--file",
                        self.bench.stream("ascii"),
                        "--bytes",
                        str(10**12),
                        "--secs",
                        "30",
                        "--gate",
                        gate,
                    ]
                )
                instance.open_gate(gate)
                time.sleep(0.3)
            session, _ = instance.create(["echo"])
            client = instance.attach(session)
            instance.stamp(session, "start")
            instance.settle(0.35)
            self.type_keys(name, client, "echo flooded" if flooded else "echo", flooded)
            client.close()

    def echo_direct(self, name, spec):
        """The same with a viewer of ours on the session's socket, without the system's own client."""
        if not spec.get("direct") and not spec.get("socket"):
            return
        with Instance(self.bench, name, spec) as instance:
            session, _ = instance.create(["echo"])
            client = instance.attach(session) if spec.get("direct") else instance.attach_to_socket()
            instance.stamp(session, "start")
            instance.settle(0.35)
            self.type_keys(name, client, "echo direct", False)
            client.close()

    def type_keys(self, name, client, measure, flooded):
        client.echo_us(20, 0)
        keys, gap_us = (self.args.keys // 4, 2000) if flooded else (self.args.keys, 0)
        sorted_us, lost = client.echo_us(keys, gap_us)
        self.record_quantiles(name, measure, sorted_us)
        if lost:
            self.record(name, measure + " lost", lost)
        if not flooded:
            # At a person's pace there is sleep between keys, so waking up counts.
            sorted_us, _ = client.echo_us(max(50, self.args.keys // 10), 5000)
            self.record_quantiles(name, measure + " paced", sorted_us)

    def attach(self, name, spec, lines):
        """Until the whole screen is painted, and memory, with so many lines of history."""
        if spec.get("direct"):
            return
        with Instance(self.bench, name, spec, scrollback=max(lines, 10000)) as instance:
            gate = instance.gate()
            size = str(self.bench.bytes_of_lines(lines))
            session, _ = instance.create(
                [
                    "emit",
                    "--file",
                    self.bench.stream("ascii"),
                    "--bytes",
                    size,
                    "--secs",
                    "60",
                    "--gate",
                    gate,
                    "--screen",
                ]
            )
            client = instance.attach(session)
            instance.settle(0.2)
            screen = ["@@TOPROW@@", "@@BOTROW@@"]
            if not spec.get("no_screen"):
                client.arm(*screen)
            instance.open_gate(gate)
            instance.stamp(session, "end", 90)
            if not spec.get("no_screen"):
                client.hit(60)
            time.sleep(0.2)
            client.close()
            instance.settle(0.3)
            history = "%dk" % (lines // 1000)
            self.record(name, "memory %s PSS MB" % history, processes.pss_mb(instance.servers()))
            if spec.get("no_screen"):
                return
            for _ in range(3):
                client = instance.attach(session, screen)
                painted_at, _ = client.hit(20)
                self.record(name, "attach %s ms" % history, (painted_at - client.started_at) / 1e6)
                time.sleep(0.1)
                self.record(name, "attach %s bytes" % history, int(client.ask("bytes", "bytes")[1]))
                client.close()
                instance.settle()

    def attach_to_echo(self, name, spec):
        """From the client's start until a typed key comes back; works without a screen, too."""
        if spec.get("direct"):
            return
        with Instance(self.bench, name, spec) as instance:
            session, _ = instance.create(["echo"])
            for turn in range(3):
                token = "@%%%d%s@" % (turn, instance.tag[:4])
                client = instance.attach(session, [token])
                deadline = time.monotonic() + 10
                while time.monotonic() < deadline and not client.ended:
                    client.tell("send %s\r" % token)
                    try:
                        echoed_at, _ = client.hit(RETYPE_S)
                        self.record(name, "attach to echo ms", (echoed_at - client.started_at) / 1e6)
                        break
                    except Timeout:
                        pass
                client.close()
                instance.settle()

    def create(self, name, spec):
        """From the command to the running child: for the first session, and for those after it."""
        if spec.get("direct"):
            return
        with Instance(self.bench, name, spec) as instance:
            self.record(name, "create first ms", instance.create(["idle"])[1])
            for _ in range(5):
                self.record(name, "create next ms", instance.create(["idle"])[1])

    def many(self, names):
        """Memory and processor time of many idle sessions. All systems are idle side by side."""
        instances = []
        try:
            for name in names:
                spec = self.bench.systems[name]
                if not spec.get("direct"):
                    instances.append(Instance(self.bench, name, spec))
                    self.fill_up(instances[-1])
            time.sleep(4)
            before = []
            for instance in instances:
                servers = instance.servers()
                before.append((servers, processes.cpu_ns(servers), time.monotonic()))
                sessions = max(1, len(instance.stamps))
                pss_mb = processes.pss_mb(servers)
                self.record(instance.name, "many sessions", sessions)
                self.record(instance.name, "many PSS MB each", pss_mb / sessions)
            time.sleep(self.args.idle_secs)
            for instance, (servers, ns, at) in zip(instances, before):
                busy_ms = (processes.cpu_ns(servers) - ns) / 1e6
                self.record(instance.name, "many idle cpu ms/s", busy_ms / (time.monotonic() - at))
        finally:
            for instance in instances:
                instance.close()

    def fill_up(self, instance):
        deadline = time.monotonic() + 90
        for count in range(1, self.args.sessions + 1):
            instance.create(["idle"])
            if count % 10 == 0:
                pss_mb = processes.pss_mb(instance.servers())
                if pss_mb > self.args.cap_mb or time.monotonic() > deadline:
                    break

    def check(self, name, spec):
        """Lets a session print some megabytes, and tells which processes were seen to work for it."""
        with Instance(self.bench, name, spec) as instance:
            gate = instance.gate()
            session, _ = instance.create(self.emit("ascii", 20 * 1000000, "--gate", gate))
            client = instance.attach(session) if spec.get("direct") else None
            instance.stamp(session, "start")
            instance.settle()
            before = {pid: processes.cpu_ns([pid]) for pid in instance.servers()}
            instance.open_gate(gate)
            instance.stamp(session, "end", 60)
            for pid, before_ns in sorted(before.items()):
                ms = (processes.cpu_ns([pid]) - before_ns) / 1e6
                print(
                    "%s: pid %d, %.1f ms cpu, %.2f MB PSS: %s"
                    % (name, pid, ms, processes.pss_mb([pid]), processes.title(pid))
                )
            if not before:
                print("%s: no process" % name)
            if client:
                client.close()
