"""A training step of a BERT of MiniLM's size, in PyTorch with transformers' BertModel and in tailgrid:
16 rows of 64 pieces, forward, backward, AdamW with clipping; embeddings frozen, then trained.

The two sides run one after the other, several times in turn, and the medians are compared:
    python benches/peers/bert.py target/release/tailgrid-engine [steps] [rounds]
"""

import json
import statistics
import subprocess
import sys
import time

WARM = 3


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


def main(engine, steps=8, rounds=3):
    for threads in (1, 2):
        for embeddings in ("frozen", "trained"):
            us, them = [], []
            for _ in range(rounds):
                them += theirs(threads, steps, embeddings)
                us += ours(engine, threads, steps, embeddings)
            us, them = statistics.median(us), statistics.median(them)
            print(
                f"bert step 16x64, {threads} threads, embeddings {embeddings}: "
                f"torch {them:.0f} ms, tailgrid {us:.0f} ms, ratio {them / us:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    if sys.argv[1] == "--step":
        step(int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    else:
        main(sys.argv[1], *map(int, sys.argv[2:]))
