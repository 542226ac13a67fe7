"""Ratios to other libraries: the peer's time / tailgrid's, both measured in the same run.

The sides of a group run in turn (A B A B …), so that a slow minute of the machine slows all of
them. Each round gives one ratio per row; the median of the rounds counts, and the range shows how
far it can be trusted.
"""

import fnmatch
import statistics
import subprocess
import sys
import time

# Ratios further apart than this depend more on other work of the machine than on the two sides.
NOISY = 1.5


class Group:
    """Sides that run in turn, and the rows that compare two of them.

    sides: name → function of the round's number that returns a time.
    rows: (name, the peer's side, our side, the bar).
    """

    def __init__(self, unit, rounds, sides, rows):
        self.unit, self.rounds, self.sides, self.rows = unit, rounds, sides, rows


def in_threads(count):
    return f"{count}-thread" if count == 1 else f"{count}-threads"


def names(groups):
    return [row[0] for group in groups for row in group.rows]


def measure(title, groups, only=None):
    """Runs the groups; prints one line per row when it is known, a Markdown table at the end."""
    start, lines = time.monotonic(), []
    for group in groups:
        rows = [row for row in group.rows if not only or any(fnmatch.fnmatch(row[0], o) for o in only)]
        for row, times in zip(rows, timed(group, rows)):
            lines.append(line(group, row, times))
            name, theirs, ours, ratio, spread, bar, reached = lines[-1]
            print(f"{name}: peer {theirs}, tailgrid {ours}, ratio {ratio} ({spread}), bar {bar}: {reached}", flush=True)
    if not lines:
        sys.exit(f"error: no row is called {' or '.join(only)}; the rows are {', '.join(names(groups))}")
    heads = [title, "peer", "tailgrid", "ratio", "range", "bar", ""]
    print("\n| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    for cells in lines:
        print("| " + " | ".join(cells) + " |")
    print(f"\n{time.monotonic() - start:.0f} s in all\n", flush=True)


def timed(group, rows):
    """For each row the times of its two sides, one per round; nothing for a side that failed."""
    needed = [side for side in group.sides if any(side in row[1:3] for row in rows)]
    times = {side: [] for side in needed}
    for number in range(group.rounds):
        for side in needed:
            if times[side] is None:
                continue
            try:
                times[side].append(group.sides[side](number))
            except subprocess.CalledProcessError as error:
                said = (error.stderr or error.stdout or "").strip()
                print(f"{side} failed:\n{said[-2000:]}", file=sys.stderr, flush=True)
                times[side] = None
    return [(times[peer], times[ours]) for _, peer, ours, _ in rows]


def line(group, row, times):
    name, _, _, bar = row
    theirs, ours = times
    if not theirs or not ours:
        return [name, "–", "–", "not measured", "–", f"{bar}", "not reached"]
    ratios = [them / us for them, us in zip(theirs, ours)]
    ratio = statistics.median(ratios)
    cells = [name, *(f"{statistics.median(side):.{group.unit[1]}f} {group.unit[0]}" for side in (theirs, ours))]
    cells += [f"{ratio:.2f}", f"{min(ratios):.2f}–{max(ratios):.2f}", f"{bar}"]
    reached = "reached" if ratio >= bar else "not reached"
    return [*cells, reached + (", noisy" if max(ratios) > NOISY * min(ratios) else "")]
