"""The measured numbers, and the tables that show them."""

import statistics


def number(value):
    return "%.0f" % value if abs(value) >= 100 else "%.1f" % value if abs(value) >= 10 else "%.2f" % value


class Results:
    """Samples by measure and system, in the order in which they came."""

    def __init__(self):
        self.samples = {}
        self.failures = []

    def add(self, measure, system, value):
        self.samples.setdefault(measure, {}).setdefault(system, []).append(value)

    def fail(self, system, what):
        self.failures.append((system, what))

    def ratio(self, measure, system, base):
        """The median of the ratios of each round where rounds match, the ratio of the medians where not."""
        ours, theirs = self.samples[measure][system], self.samples[measure].get(base, [])
        if system == base or not theirs or not statistics.median(theirs):
            return None
        if len(ours) == len(theirs) and all(theirs):
            return statistics.median(a / b for a, b in zip(ours, theirs))
        return statistics.median(ours) / statistics.median(theirs)

    def cell(self, measure, system):
        if system not in self.samples[measure]:
            return "–"
        ratios = [
            (self.ratio(measure, system, base), letter) for base, letter in (("raw", "r"), ("tmux", "t"))
        ]
        shown = " ".join(number(ratio) + letter for ratio, letter in ratios if ratio is not None)
        median = number(statistics.median(self.samples[measure][system]))
        return "%s (%s)" % (median, shown) if shown else median

    def table(self, systems):
        rows = [["measure", *systems], ["---"] * (len(systems) + 1)]
        rows += [[measure, *(self.cell(measure, system) for system in systems)] for measure in self.samples]
        lines = ["| %s |" % " | ".join(row) for row in rows]
        lines += ["", "Medians; in brackets the ratio to raw (r) and to tmux (t)."]
        lines += ["failed: %s: %s" % failure for failure in self.failures]
        return "\n".join(lines)

    def write(self, path):
        """A line for each measure and system, with tabs between them and the samples."""
        with open(path, "w") as file:
            for measure, systems in self.samples.items():
                for system, values in systems.items():
                    file.write("\t".join([measure, system, *map(repr, map(float, values))]) + "\n")
