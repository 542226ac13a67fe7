"""A training step of a BiLSTM tagger, in PyTorch and in tailgrid: 32 rows of 32 words, vectors of 100
numbers that do not change, 200 or 300 units a direction, dropout, forward, backward, Adam.

The two sides run one after the other, several times in turn, and the medians are compared:
    python benches/peers/lstm.py target/release/tailgrid-engine [steps] [rounds]
"""

import json
import statistics
import subprocess
import sys
import time

WARM = 5


def ours(engine, threads, steps, hidden):
    command = [engine, "--bench", "lstm-step", str(threads), str(steps + WARM), str(hidden)]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
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


def main(engine, steps=40, rounds=3):
    for threads in (1, 2):
        for hidden in (200, 300):
            us, them = [], []
            for _ in range(rounds):
                them += theirs(threads, steps, hidden)
                us += ours(engine, threads, steps, hidden)
            us, them = statistics.median(us), statistics.median(them)
            print(
                f"bilstm step 32x32, 100 to 2x{hidden}, {threads} threads: "
                f"torch {them:.1f} ms, tailgrid {us:.1f} ms, ratio {them / us:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1] == "--step":
        step(int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
    else:
        main(sys.argv[1], *map(int, sys.argv[2:]))
