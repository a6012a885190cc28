#!/usr/bin/env python3
"""termbench compares programs that keep terminals with the raw PTY and with tmux, interleaved in one run.

Python 3 alone, and tb.c beside this file, which is built on first use. README.md says how to run it and how to add
a system.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import streams
from instance import Timeout
from measures import Measures
from results import Results

HERE = os.path.dirname(os.path.abspath(__file__))
STREAM_BYTES = 8_000_000
HISTORIES = (0, 10_000, 50_000)
VIEWERS = 10
TESTS = ["attached", "detached", "fanout", "echo", "direct", "attach", "create", "many"]


def log(*words):
    print(*words, file=sys.stderr, flush=True)


class Bench:
    """One run: what is measured on which systems, and where its files are."""

    def __init__(self, args):
        self.args = args
        self.work_dir = os.path.abspath(args.work)
        os.makedirs(self.work_dir, exist_ok=True)
        self.run_dir = tempfile.mkdtemp(prefix="tb-", dir="/tmp")
        self.helper = self.build_helper()
        self.variables = dict(variable.split("=", 1) for variable in args.var)
        self.systems = {}
        for path in [os.path.join(HERE, "systems.json"), *args.systems_file]:
            with open(path) as file:
                self.systems.update(json.load(file))
        self.results = Results()
        self.measures = Measures(self)

    def build_helper(self):
        source = os.path.join(HERE, "tb.c")
        helper = os.path.join(self.work_dir, "tb-helper")
        if not os.path.exists(helper) or os.path.getmtime(helper) < os.path.getmtime(source):
            subprocess.check_call([os.environ.get("CC", "cc"), "-O2", "-o", helper, source, "-lutil"])
        return helper

    def stream(self, kind):
        """The file of a stream."""
        if kind.startswith("file:"):
            return kind[5:]
        path = os.path.join(self.work_dir, "stream-%s.bin" % kind)
        if not os.path.exists(path):
            streams.write(kind, STREAM_BYTES, path)
        return path

    def bytes_of_lines(self, lines):
        """How much of the ascii stream, printed again and again, has so many lines."""
        with open(self.stream("ascii"), "rb") as file:
            data = file.read()
        whole, rest = divmod(lines, data.count(b"\n"))
        return whole * len(data) + sum(len(line) + 1 for line in data.split(b"\n", rest)[:rest])

    def is_there(self, name):
        spec = self.systems[name]
        if spec.get("direct"):
            return True
        program = spec["needs"]
        for variable, value in self.variables.items():
            program = program.replace("{%s}" % variable, value)
        return bool(shutil.which(program))

    def chosen(self):
        asked = [name for name in self.args.systems.split(",") if name] or list(self.systems)
        missing = [name for name in asked if not self.is_there(name)]
        log("systems:", ", ".join(name for name in asked if name not in missing))
        if missing:
            log("not found:", ", ".join(missing))
        return [name for name in asked if name not in missing]

    def steps(self):
        """The measures of one round, with their arguments."""
        kinds = self.args.streams.split(",")
        measures = self.measures
        steps = {
            "attached": [(measures.bulk, kind, True) for kind in kinds],
            "detached": [(measures.bulk, kind, False) for kind in kinds],
            "fanout": [(measures.fanout, VIEWERS)],
            "echo": [(measures.echo, False), (measures.echo, True)],
            "direct": [(measures.echo_direct,)],
            "attach": [(measures.attach, lines) for lines in HISTORIES] + [(measures.attach_to_echo,)],
            "create": [(measures.create,)],
        }
        return [step for test in self.args.tests.split(",") for step in steps.get(test, [])]

    def guarded(self, name, measure, *arguments):
        """A measure that fails is told, and the others go on."""
        try:
            measure(name, self.systems[name], *arguments)
        except (Timeout, OSError, subprocess.SubprocessError, ValueError, IndexError) as error:
            what = "%s%s: %s" % (measure.__name__, arguments, error)
            log("  failed:", name, what)
            self.results.fail(name, what)

    def check(self):
        for name in self.chosen():
            self.measures.check(name, self.systems[name])

    def main(self):
        names = self.chosen()
        deadline = time.monotonic() + self.args.limit
        for turn in range(self.args.rounds):
            log("round", turn + 1, "of", self.args.rounds)
            # Each round begins with another system, so that none is always the first after a pause.
            first = turn % len(names)
            order = names[first:] + names[:first]
            for measure, *arguments in self.steps():
                if time.monotonic() > deadline:
                    log("time limit reached")
                    break
                for name in order:
                    self.guarded(name, measure, *arguments)
                log("  %s%s" % (measure.__name__, tuple(arguments)))
        if "many" in self.args.tests.split(","):
            try:
                self.measures.many(names)
            except (Timeout, OSError) as error:
                self.results.fail("many", str(error))
        if self.args.samples:
            self.results.write(self.args.samples)
        print(self.results.table(names))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--systems", default="", help="which, separated by commas; all that are installed if not given")
    add("--systems-file", action="append", default=[], help="a file with further systems")
    add("--var", action="append", default=[], help="NAME=VALUE for their commands, as in abide=/path/abide")
    add("--tests", default=",".join(TESTS), help="which, separated by commas")
    add("--streams", default=",".join(streams.STREAMS), help="which, separated by commas")
    add("--rounds", type=int, default=3)
    add("--mb", type=int, default=50, help="megabytes of a bulk run")
    add("--secs", type=float, default=4, help="a bulk child stops printing after this long")
    add("--keys", type=int, default=1000, help="keys of an echo run")
    add("--sessions", type=int, default=100, help="sessions of `many`")
    add("--idle-secs", type=float, default=30, help="how long `many` looks on")
    add("--cap-mb", type=float, default=3000, help="`many` adds no sessions above this memory")
    add("--limit", type=float, default=3600, help="seconds after which no further measure is begun")
    add("--work", default=os.path.join(tempfile.gettempdir(), "termbench"), help="for streams and the helper")
    add("--samples", default="", help="a file for every sample")
    add("--check", action="store_true", help="only tell which processes are counted for each system")
    return parser.parse_args()


def leave(number, _):
    raise SystemExit("stopped by signal %d" % number)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
    bench = Bench(arguments())
    try:
        bench.check() if bench.args.check else bench.main()
    finally:
        shutil.rmtree(bench.run_dir, ignore_errors=True)
