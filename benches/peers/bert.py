"""A training step of a BERT of MiniLM's size, in PyTorch with transformers' BertModel and in
tailgrid: 16 rows of 64 pieces, forward, backward, AdamW with clipping; embeddings frozen, then
trained.

    python benches/peers/bert.py ENGINE [--only ROW] [--steps N] [--rounds N]

Both sides run in turn; a run counts with its median step, the ratio is the median of the runs.
"""

import argparse
import json
import statistics
import subprocess
import sys
import time

from ratios import Group, in_threads, measure

WARM = 2


def ours(engine, threads, steps, embeddings):
    command = [engine, "--bench", "bert-step", str(threads), str(steps + WARM), embeddings]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return [float(line) for line in lines][WARM:]


def theirs(threads, steps, embeddings):
    command = [sys.executable, __file__, "--step", str(threads), str(steps), embeddings]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def step(threads, steps, embeddings):
    import torch
    from transformers import BertConfig, BertModel

    torch.set_num_threads(threads)
    torch.set_num_interop_threads(1)
    torch.manual_seed(1)
    config = BertConfig(hidden_size=384, num_hidden_layers=6, num_attention_heads=12, intermediate_size=1536)
    bert, head = BertModel(config, add_pooling_layer=False), torch.nn.Linear(384, 9)
    bert.train()
    if embeddings == "frozen":
        bert.embeddings.requires_grad_(False)
    parameters = [p for p in [*bert.parameters(), *head.parameters()] if p.requires_grad]
    groups = [
        {"params": [p for p in parameters if p.dim() > 1], "weight_decay": 0.01},
        {"params": [p for p in parameters if p.dim() == 1], "weight_decay": 0.0},
    ]
    optimiser = torch.optim.AdamW(groups, lr=2e-5)
    ids, gold = torch.randint(0, 30522, (16, 64)), torch.randint(0, 9, (16 * 64,))
    mask = torch.ones(16, 64, dtype=torch.long)
    times = []
    for _ in range(steps + WARM):
        start = time.perf_counter()
        states = bert(input_ids=ids, attention_mask=mask).last_hidden_state
        loss = torch.nn.functional.cross_entropy(head(states.view(-1, 384)), gold)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimiser.step()
        times.append((time.perf_counter() - start) * 1e3)
    print(json.dumps(times[WARM:]))


def group(engine, threads, embeddings, steps, rounds):
    sides = {
        "torch": lambda _: statistics.median(theirs(threads, steps, embeddings)),
        "tailgrid": lambda _: statistics.median(ours(engine, threads, steps, embeddings)),
    }
    name = f"bert-step-embeddings-{embeddings}-{in_threads(threads)}"
    return Group(("ms", 0), rounds, sides, [(name, "torch", "tailgrid", 1.05)])


def main():
    parser = argparse.ArgumentParser(description="A training step of a BERT of MiniLM's size beside transformers'.")
    parser.add_argument("engine", help="tailgrid-engine")
    parser.add_argument("--only", action="append", metavar="ROW", help="rows to measure, globs (repeatable)")
    parser.add_argument("--steps", type=int, default=5, help="steps of a run [5]")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each side [5]")
    asked = parser.parse_args()
    configurations = [(threads, embeddings) for threads in (1, 2) for embeddings in ("frozen", "trained")]
    groups = [group(asked.engine, *each, asked.steps, asked.rounds) for each in configurations]
    measure("step of 16 × 64 pieces", groups, asked.only)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--step"]:
        step(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    else:
        main()
