"""Epochs of training on WNUT 2017 with each head and each way to choose negatives, over the same BiLSTM.

    python3 benches/heads.py target/release/tailgrid CORPORA [epochs]

Prints sentences a second over all epochs, and their ratio to those of the softmax head. The mean and not the fastest epoch: weighted
negatives take longer from epoch to epoch, since a falling T lets fewer proposals through. CORPORA has a folder wnut17; `tailgrid fetch
glove-100d` comes first.
"""

import collections
import csv
import json
import os
import statistics
import subprocess
import sys
import tempfile

HEADS = ["softmax", "crf", "two-task", "span", "biaffine"]
METHODS = [
    "original",
    "negative-sampling",
    "weighted-negative-sampling",
    {"name": "weighted-evaluation", "negatives": "weighted", "probabilities": "evaluation"},
]
# Of train.
SENTENCES = 3394


def measured(program, corpora, epochs):
    model = {"encoder": "bilstm", "embeddings": "glove-100d", "hidden": 100}
    grid = {
        "version": 1, "name": "heads", "corpora": ["wnut17"], "seeds": 1, "methods": METHODS,
        "models": [{"name": head, "head": head, **model} for head in HEADS],
        # An epoch's seconds are those of training alone; a small dev keeps the rest short.
        "scenarios": [{"name": "full", "dev_sentences": 50}],
        "training": {"epochs": epochs, "batch": 32, "patience": 0},
    }
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "grid.yaml")
        with open(path, "w") as file:
            json.dump(grid, file)
        to = ["--corpora", corpora, "--results", os.path.join(folder, "results"), "--quiet"]
        # One at a time: nothing else of it takes a core.
        subprocess.run([program, "run", path, "--jobs", "1", *to], check=True)
        export = [program, "export", path, "--csv", "--out", folder, *to]
        subprocess.run(export, check=True, stdout=subprocess.DEVNULL)
        runs = {row["job"]: row for row in rows(folder, "runs.csv")}
        seconds = collections.defaultdict(list)
        for row in rows(folder, "epochs.csv"):
            run = runs[row["job"]]
            seconds[run["model"], run["method"]].append(float(row["seconds"]))
    return {place: statistics.mean(each) for place, each in seconds.items()}


def rows(folder, name):
    with open(os.path.join(folder, name), newline="") as file:
        return list(csv.DictReader(file))


def main(program, corpora, epochs="12"):
    epoch = measured(program, corpora, int(epochs))
    softmax = epoch["softmax", "original"]
    print(f"{'head':10} {'method':28} sentences/s  of softmax")
    names = [method if isinstance(method, str) else method["name"] for method in METHODS]
    for (head, method), seconds in sorted(
        epoch.items(), key=lambda item: (HEADS.index(item[0][0]), names.index(item[0][1]))
    ):
        print(f"{head:10} {method:28} {SENTENCES / seconds:11.0f} {softmax / seconds:11.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
