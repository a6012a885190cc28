"""One running copy of a system, and the clients that watch its sessions."""

import glob
import os
import re
import select
import shlex
import shutil
import signal
import subprocess
import tempfile
import time
import uuid

import processes
from streams import COLS, ROWS

# How long a system takes to settle after something was started, unless it says otherwise.
SETTLE_S = 0.15


class Timeout(Exception):
    pass


def now_ns():
    return time.clock_gettime_ns(time.CLOCK_MONOTONIC)


class Client:
    """`tb attach` or `tb abattach`: drains a session, answers in lines."""

    def __init__(self, argv, instance, limit_s=30):
        self.process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=instance.env,
            cwd=instance.dir,
            start_new_session=True,
        )
        self.unread = b""
        self.ended = False
        _, started_at, pid = self.line("spawn", limit_s)
        self.started_at = int(started_at)
        self.pid = int(pid)

    def line(self, want, limit_s):
        """The next line that begins with this word."""
        deadline = time.monotonic() + limit_s
        while True:
            while b"\n" in self.unread:
                line, self.unread = self.unread.split(b"\n", 1)
                words = line.decode().split()
                if words and words[0] == want:
                    return words
                if words and words[0] == "eof":
                    self.ended = True
                    raise Timeout("client ended")
            left_s = deadline - time.monotonic()
            if left_s <= 0:
                raise Timeout("no '%s' in %gs" % (want, limit_s))
            if select.select([self.process.stdout], [], [], left_s)[0]:
                got = os.read(self.process.stdout.fileno(), 1 << 16)
                if not got:
                    raise Timeout("driver ended")
                self.unread += got

    def tell(self, line):
        self.process.stdin.write(line.encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, line, want, limit_s=10):
        self.tell(line)
        return self.line(want, limit_s)

    def arm(self, *texts):
        self.ask("arm " + " ".join(texts), "armed")

    def hit(self, limit_s):
        """When all armed texts had been seen, and the bytes received by then."""
        _, at, received, _ = self.line("hit", limit_s)
        return int(at), int(received)

    def echo_us(self, keys, gap_us, limit_s=120):
        """How long each key took to come back, shortest first, and how many never did."""
        words = self.ask("lat %d %d 2000" % (keys, gap_us), "lat", limit_s)
        return [int(word) / 1000 for word in words[3:]], int(words[2])

    def stop(self):
        os.kill(self.pid, signal.SIGSTOP)

    def resume(self):
        os.kill(self.pid, signal.SIGCONT)

    def close(self):
        try:
            self.tell("quit")
            self.process.stdin.close()
        except OSError:
            pass
        try:
            self.process.wait(3)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()


class Instance:
    """One running copy of a system: a directory, a tag and processes of its own."""

    def __init__(self, bench, name, spec, scrollback=10000):
        self.bench, self.name, self.spec, self.scrollback = bench, name, spec, scrollback
        self.tag = uuid.uuid4().hex[:12]
        self.dir = tempfile.mkdtemp(prefix="tb-", dir=bench.run_dir)
        self.background, self.stamps, self.commands = [], {}, {}
        self.env = {
            name: os.environ[name] for name in ("PATH", "USER", "LOGNAME", "SHELL") if name in os.environ
        }
        self.env.update(
            HOME=os.path.join(self.dir, "home"),
            TERM="xterm-256color",
            COLORTERM="truecolor",
            LANG="C.UTF-8",
            LC_ALL="C.UTF-8",
            XDG_RUNTIME_DIR=self.dir,
            TB_TAG=self.tag,
        )
        os.mkdir(self.env["HOME"])
        for variable, value in spec.get("env", {}).items():
            self.env[variable] = self.fill(value)
        for directory in spec.get("mkdir", []):
            os.makedirs(os.path.join(self.dir, directory), mode=0o700, exist_ok=True)
        for file, text in spec.get("files", {}).items():
            self.write(file, self.fill(text))
        if spec.get("setup"):
            self.set_up()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def write(self, file, text):
        path = os.path.join(self.dir, file)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as out:
            out.write(text)
        if file.endswith(".sh"):
            os.chmod(path, 0o755)
        return path

    def set_up(self):
        """Starts what must run before the first session, and waits for the file that shows it does."""
        with open(os.path.join(self.dir, "setup.log"), "ab") as log:
            argv = self.argv(self.spec["setup"])
            self.background.append(
                subprocess.Popen(
                    argv,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    env=self.env,
                    cwd=self.dir,
                    start_new_session=True,
                )
            )
        deadline = time.monotonic() + 20
        while not os.path.exists(self.fill(self.spec["setup_wait"])):
            if time.monotonic() > deadline:
                raise Timeout("setup")
            time.sleep(0.01)

    def fill(self, text, session="", command=()):
        values = dict(
            self.bench.variables,
            dir=self.dir,
            name=session,
            cols=str(COLS),
            rows=str(ROWS),
            scrollback=str(self.scrollback),
            cmd_str=shlex.join(command),
        )
        return re.sub(r"\{(\w+)\}", lambda found: values.get(found[1], found[0]), text)

    def argv(self, template, session="", command=()):
        words = []
        for word in shlex.split(template) if isinstance(template, str) else template:
            if word == "{cmd}":
                words += command
            elif word.startswith("@") and word.endswith(".sh"):
                script = "#!/bin/sh\nexec %s\n" % shlex.join(command)
                words.append(self.write("%s-%s" % (session, word[1:]), script))
            else:
                words.append(self.fill(word, session, command))
        return words

    def run(self, argv, limit_s=30):
        """Runs a command to its end, and gives what it printed."""
        with open(os.path.join(self.dir, "commands.log"), "ab") as log:
            process = subprocess.Popen(
                argv,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                env=self.env,
                cwd=self.dir,
                start_new_session=True,
            )
            try:
                return process.communicate(timeout=limit_s)[0].decode(errors="replace")
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise Timeout("command: " + argv[0])
            finally:
                process.stdout.close()

    def create(self, child, limit_s=30):
        """Starts a session with this child of ours; its name, and the milliseconds until the child ran."""
        session = "s%d" % (len(self.stamps) + 1)
        self.stamps[session] = os.path.join(self.dir, session + ".stamp")
        command = [self.bench.helper, *child, "--stamp", self.stamps[session]]
        self.commands[session] = command
        if self.spec.get("direct"):
            return session, None
        argv = self.argv(self.spec["create"], session, command)
        asked_at = now_ns()
        self.run(argv, limit_s)
        return session, (self.stamp(session, "start", limit_s)[0] - asked_at) / 1e6

    def attach(self, session, arm=()):
        if self.spec.get("direct"):
            command = self.commands[session]
        else:
            time.sleep(self.spec.get("pre_attach", 0))
            command = self.argv(self.spec["attach"], session)
        armed = [word for text in arm for word in ("--arm", text)]
        size = ["--cols", str(COLS), "--rows", str(ROWS)]
        return Client([self.bench.helper, "attach", *size, *armed, "--", *command], self)

    def attach_to_socket(self):
        """A viewer of ours on the socket of the only session; what this kind of system speaks, `tb` must know."""
        (socket,) = glob.glob(self.fill(self.spec["socket"]))
        size = ["--cols", str(COLS), "--rows", str(ROWS)]
        return Client([self.bench.helper, "abattach", *size, "--sock", socket], self)

    def resyncs(self):
        """How often a viewer was so slow that it was shown the screen anew; nothing if the system cannot tell."""
        if not self.spec.get("report"):
            return None
        report = self.run(self.argv(self.spec["report"]))
        return sum(int(count) for count in re.findall(r'"resyncs":\s*(\d+)', report))

    def stamp(self, session, what, limit_s=30):
        """When the child did this, and the number it gave with it."""
        deadline = time.monotonic() + limit_s
        while True:
            try:
                with open(self.stamps[session]) as file:
                    for line in file:
                        words = line.split()
                        if len(words) == 3 and words[0] == what:
                            return int(words[1]), int(words[2])
            except OSError:
                pass
            if time.monotonic() > deadline:
                raise Timeout("child never said '%s'" % what)
            time.sleep(0.001)

    def gate(self):
        """A gate for the next child to wait at."""
        path = os.path.join(self.dir, "gate%d" % (len(self.stamps) + 1))
        os.mkfifo(path)
        return path

    def open_gate(self, gate, limit_s=15):
        deadline = time.monotonic() + limit_s
        while True:
            try:
                fd = os.open(gate, os.O_WRONLY | os.O_NONBLOCK)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise Timeout("gate: no reader")
                time.sleep(0.002)
        os.write(fd, b"g")
        os.close(fd)

    def settle(self, more_s=0.0):
        time.sleep(self.spec.get("settle", SETTLE_S) + more_s)

    def everyone(self):
        """All processes of this instance, our own children and clients among them."""
        return processes.tagged(self.tag, self.dir)

    def servers(self):
        """All processes of the system under test."""
        return {pid for pid in self.everyone() if not processes.is_helper(pid)}

    def close(self):
        for session in list(self.stamps)[:3]:
            if self.spec.get("kill"):
                try:
                    self.run(self.argv(self.spec["kill"], session), 5)
                except (Timeout, OSError):
                    pass
        for number, patience_s in ((signal.SIGTERM, 0.3), (signal.SIGKILL, 0.5), (signal.SIGKILL, 1)):
            left = self.everyone()
            for pid in left:
                try:
                    os.kill(pid, number)
                except OSError:
                    pass
            deadline = time.monotonic() + patience_s
            while time.monotonic() < deadline and any(processes.is_running(pid) for pid in left):
                time.sleep(0.01)
        for process in self.background:
            try:
                process.wait(1)
            except subprocess.TimeoutExpired:
                pass
        shutil.rmtree(self.dir, ignore_errors=True)
