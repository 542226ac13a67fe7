"""A training step of a BiLSTM tagger, in PyTorch and in tailgrid: 32 rows of 32 words, vectors of
100 numbers that do not change, 200 or 300 units per direction, dropout, forward, backward, Adam.

    python benches/peers/lstm.py ENGINE [--only ROW] [--steps N] [--rounds N]

Both sides run in turn; a run counts with its median step, the ratio is the median of the runs.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time

from ratios import Group, in_threads, measure

WARM = 5


def ours(engine, threads, steps, hidden):
    command = [engine, "--bench", "lstm-step", str(threads), str(steps + WARM), str(hidden)]
    # As `tailgrid run` starts its engine.
    environment = {"OMP_WAIT_POLICY": "PASSIVE", **os.environ}
    run = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    lines = run.stdout.split()
    return [float(line) for line in lines][WARM:]


def theirs(threads, steps, hidden):
    command = [sys.executable, __file__, "--step", str(threads), str(steps), str(hidden)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def step(threads, steps, hidden):
    import torch

    torch.set_num_threads(threads)
    torch.set_num_interop_threads(1)
    torch.manual_seed(1)
    vectors = torch.nn.Embedding(20000, 100)
    vectors.requires_grad_(False)
    lstm = torch.nn.LSTM(100, hidden, batch_first=True, bidirectional=True)
    head, dropout = torch.nn.Linear(2 * hidden, 13), torch.nn.Dropout(0.5)
    parameters = [*lstm.parameters(), *head.parameters()]
    optimiser = torch.optim.Adam(parameters, lr=1e-3)
    ids, gold = torch.randint(0, 20000, (32, 32)), torch.randint(0, 13, (32 * 32,))
    times = []
    for _ in range(steps + WARM):
        start = time.perf_counter()
        states, _ = lstm(dropout(vectors(ids)))
        logits = head(dropout(states).reshape(-1, 2 * hidden))
        loss = torch.nn.functional.cross_entropy(logits, gold)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        times.append((time.perf_counter() - start) * 1e3)
    print(json.dumps(times[WARM:]))


def group(engine, threads, hidden, steps, rounds):
    sides = {
        "torch": lambda _: statistics.median(theirs(threads, steps, hidden)),
        "tailgrid": lambda _: statistics.median(ours(engine, threads, steps, hidden)),
    }
    name = f"bilstm-step-{hidden}-units-{in_threads(threads)}"
    return Group(("ms", 1), rounds, sides, [(name, "torch", "tailgrid", 1.0)])


def main():
    parser = argparse.ArgumentParser(description="A training step of a BiLSTM tagger beside PyTorch's.")
    parser.add_argument("engine", help="tailgrid-engine")
    parser.add_argument("--only", action="append", metavar="ROW", help="rows to measure, globs (repeatable)")
    parser.add_argument("--steps", type=int, default=25, help="steps of a run [25]")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each side [5]")
    asked = parser.parse_args()
    configurations = [(threads, hidden) for threads in (1, 2) for hidden in (200, 300)]
    groups = [group(asked.engine, *each, asked.steps, asked.rounds) for each in configurations]
    measure("step of 32 × 32 words, 100 to 2 × units", groups, asked.only)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--step"]:
        step(int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
    else:
        main()
